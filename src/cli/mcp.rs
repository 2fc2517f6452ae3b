//! `briefing mcp`: the same answers for agents, over the Model Context Protocol.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::show::{directory, here};
use super::{Failure, defaults, log, today};
use crate::server::{mcp, settings::Settings};

pub(super) const EXAMPLES: &str = "\
Examples:
  claude mcp add briefing -- briefing mcp        for Claude Code
  codex mcp add briefing -- briefing mcp         for Codex
  briefing mcp --cwd /path/to/project            for a client that starts its servers elsewhere";

/// Arguments of `briefing mcp`.
#[derive(Args)]
pub(super) struct Mcp {
    /// The workspace, where agents are started [default: the working directory]
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// The home directory to assume
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,
    /// The harnesses to answer for where none is named, as in `briefing show`
    #[arg(long, value_name = "ID[@EDITION]|mine|all", value_delimiter = ',')]
    harness: Vec<String>,
}

pub(super) fn run(arguments: &Mcp) -> Result<ExitCode, Failure> {
    let here = here()?;
    let root = directory("--cwd", arguments.cwd.as_deref(), &here)?.unwrap_or_else(|| here.clone());
    let home = directory("--home", arguments.home.as_deref(), &here)?;
    let settings = Settings::of_harnesses(&arguments.harness)?;
    log();
    Ok(mcp::run(defaults(home), &root, settings, today)?)
}
