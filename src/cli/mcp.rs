//! `briefing mcp`: the same answers for agents, over the Model Context Protocol.

use std::process::ExitCode;

use clap::Args;

use super::whom::Whom;
use super::{Failure, log, today};
use crate::disk::Real;
use crate::engine::settings::{RecordsSetting, Settings};
use crate::mcp;

pub(super) const EXAMPLES: &str = "\
Examples:
  claude mcp add briefing -- briefing mcp        for Claude Code
  codex mcp add briefing -- briefing mcp         for Codex
  briefing mcp --cwd /path/to/project            for a client that starts its servers elsewhere";

/// Arguments of `briefing mcp`.
#[derive(Args)]
pub(super) struct Mcp {
    #[command(flatten)]
    whom: Whom,
    /// Let the client ask what recorded sessions of the workspace were told: paths, sizes and times, without texts
    #[arg(long)]
    records: bool,
}

pub(super) fn run(arguments: &Mcp) -> Result<ExitCode, Failure> {
    let (root, base) = arguments.whom.standing()?;
    let mut settings = Settings::of_harnesses(&arguments.whom.harness, &super::show::customs(&Real, &root))?;
    settings.records = if arguments.records { RecordsSetting::On } else { RecordsSetting::Off };
    log();
    Ok(mcp::run(base, &root, settings, today)?)
}
