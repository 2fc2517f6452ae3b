//! Options that commands share: which agents, where they are started, and the home directory.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::disk::{Filesystem, Real};
use crate::request::{Defaults, OneOrMany, Request};
use crate::snapshot::{Errno, FileType, absolute};

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
    /// Returns where the agent is started, and the defaults of the environment, with the home directory that is
    /// assumed.
    pub fn standing(&self) -> Result<(PathBuf, Defaults), String> {
        let here = here()?;
        let cwd = directory("--cwd", self.cwd.as_deref(), &here)?.unwrap_or(here);
        let defaults = self.home.defaults(&cwd)?;
        Ok((cwd, defaults))
    }

    /// Returns a request for these agents.
    pub fn request(&self) -> Request {
        let harness = (!self.harness.is_empty()).then(|| OneOrMany::Many(self.harness.clone()));
        Request { harness, ..Request::default() }
    }
}

/// Returns the working directory.
pub(super) fn here() -> Result<PathBuf, String> {
    std::env::current_dir().map_err(|error| format!("the working directory cannot be read: {error}"))
}

/// Returns the directory that an option names, or an error if there is no such directory.
pub(super) fn directory(option: &str, named: Option<&Path>, here: &Path) -> Result<Option<PathBuf>, String> {
    let Some(named) = named else { return Ok(None) };
    let dir = absolute(here, named);
    match Real.stat(&dir).map(|meta| meta.kind) {
        Ok(FileType::Dir) => Ok(Some(dir)),
        Ok(_) => Err(format!("{option}: {} is not a directory", named.display())),
        Err(_) => Err(format!("{option}: there is no directory {}", named.display())),
    }
}

/// Returns the directory that an option names, or else the working directory. Commands that search it fail if it cannot
/// be listed, since nothing would be found.
pub(super) fn searched(option: &str, named: Option<&Path>, here: &Path) -> Result<PathBuf, String> {
    let dir = directory(option, named, here)?.unwrap_or_else(|| here.to_owned());
    match Real.list(&dir) {
        Ok(_) => Ok(dir),
        Err(problem) => {
            Err(format!("{} cannot be listed ({}); start where you may read", dir.display(), problem.text()))
        }
    }
}

/// Returns an error if an option names a path that does not exist.
pub(super) fn exists(option: &str, from: &Path, path: &Path) -> Result<(), String> {
    let path = from.join(path);
    Real.stat(&path).map(drop).map_err(|errno| match errno {
        Errno::NOENT => format!("{option}: {} does not exist", path.display()),
        errno => format!("{option}: {}: {}", path.display(), errno.text()),
    })
}
