//! Whom a command is about, and where they are started.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::show::{directory, here};
use crate::request::{Defaults, OneOrMany, Request};

/// How a command prints what it has to say.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people
    Text,
    /// For other programs
    Json,
}

/// The home directory that answers assume.
#[derive(Args)]
pub(super) struct Home {
    /// The home directory to assume, relative to where the agent is started
    #[arg(long, global = true, value_name = "DIR", conflicts_with = "no_home")]
    home: Option<PathBuf>,
    /// Leave out home directory, environment and installed programs, so that every machine says the same
    #[arg(long, global = true)]
    pub no_home: bool,
}

impl Home {
    /// Returns the defaults for an agent that is started in `cwd`.
    pub fn defaults(&self, cwd: &Path) -> Result<Defaults, String> {
        Ok(match self.no_home {
            true => super::nobody(cwd),
            false => super::defaults(directory("--home", self.home.as_deref(), cwd)?),
        })
    }
}

/// Options that commands share.
#[derive(Args)]
pub(super) struct Whom {
    /// Only these agents, as in `briefing show`
    #[arg(long = "agents", visible_alias = "harness", value_name = "ID[@VERSION]|mine|all", value_delimiter = ',')]
    pub harness: Vec<String>,
    /// Where the agent is started [default: the working directory]
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    #[command(flatten)]
    pub home: Home,
}

impl Whom {
    /// Where the agent is started, and what the environment says, with the home directory that is assumed.
    pub fn standing(&self) -> Result<(PathBuf, Defaults), String> {
        let here = here()?;
        let cwd = directory("--cwd", self.cwd.as_deref(), &here)?.unwrap_or(here);
        let defaults = self.home.defaults(&cwd)?;
        Ok((cwd, defaults))
    }

    /// A question to these harnesses.
    pub fn request(&self) -> Request {
        let harness = (!self.harness.is_empty()).then(|| OneOrMany::Many(self.harness.clone()));
        Request { harness, ..Request::default() }
    }
}
