//! `briefing agents`: the agents of a client, and what each is told.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anstyle::Style;
use clap::Args;

use super::Failure;
use super::show::{answer, print_json, print_screen, questions};
use super::whom::{Format, Home, directory, here};
use crate::disk::Real;
use crate::report::agents::{AgentSaid, Layer, said};
use crate::report::escape::visible;
use crate::report::words::Paths;
use crate::request::{OneOrMany, Places, Request};

pub(super) const EXAMPLES: &str = "\
Examples:
  briefing agents --agents opencode
  briefing agents --agents claude-code --agent Explore";

/// Arguments of `briefing agents`.
#[derive(Args)]
pub(super) struct Agents {
    /// The client, or a version of it: opencode, claude-code@2.1
    #[arg(long = "agents", visible_alias = "harness", value_name = "ID[@VERSION]")]
    harness: String,
    /// Only this agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Where the client is started [default: the working directory]
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    #[command(flatten)]
    home: Home,
    /// How to print the agents
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Answers for the session and for each agent, and prints what they are told.
pub(super) fn run(arguments: &Agents) -> Result<ExitCode, Failure> {
    let here = here()?;
    let cwd = directory("--cwd", arguments.cwd.as_deref(), &here)?.unwrap_or_else(|| here.clone());
    let base = arguments.home.defaults(&cwd)?;
    let request = Request { harness: Some(OneOrMany::One(arguments.harness.clone())), ..Request::default() };
    let places = Places { cwd, target: None, read_before: Vec::new(), already_loaded: Vec::new() };
    let (mut found, _) = questions(&Real, &request, &places, base)?;
    let (Some((choice, start)), true) = (found.pop(), found.is_empty()) else {
        return Err("--agents: the agents of one client are listed: name one".to_owned().into());
    };
    let wanted = |name: &str| arguments.agent.as_deref().is_none_or(|asked| asked == name);
    let agents = said(&choice, &start, &wanted, &|at| Arc::new(answer(&Real, &choice, at)));
    let session = answer(&Real, &choice, &start);
    if session.answer.agents.is_empty() {
        return Err(format!("which agents {} has is not known", choice.title()).into());
    }
    if let (true, Some(asked)) = (agents.is_empty(), &arguments.agent) {
        let names: Vec<&str> = session.answer.agents.iter().map(|agent| agent.name.as_str()).collect();
        return Err(format!("{} has no agent {asked}; it has {}", choice.title(), names.join(", ")).into());
    }
    match arguments.format {
        Format::Json => print_json(&agents)?,
        Format::Text => print_screen(&text(&agents, &Paths::of(&session)))?,
    }
    Ok(ExitCode::SUCCESS)
}

const BOLD: Style = Style::new().bold();

fn text(agents: &[AgentSaid], paths: &Paths) -> String {
    let mut out = String::new();
    for agent in agents {
        let _ = writeln!(out, "{BOLD}{}{BOLD:#}  {}  {}", visible(&agent.name), agent.kind, agent.fidelity);
        let mut line = |word: &str, value: &str| {
            let _ = writeln!(out, "  {word:<9}{}", visible(&paths.text(value)));
        };
        let known = [("from", &agent.from), ("model", &agent.model), ("tools", &agent.tools)];
        known
            .into_iter()
            .filter_map(|(word, value)| Some((word, value.as_ref()?)))
            .for_each(|(word, value)| line(word, value));
        let layer = |layer: &Layer| {
            let name = layer.name.as_deref().unwrap_or_default();
            let size = layer.bytes.map_or_else(|| "the client's own".to_owned(), |bytes| format!("{bytes} B"));
            format!("{} {name}  {size}", layer.kind)
        };
        agent.layers.iter().for_each(|one| line("gets", &layer(one)));
        agent.given.iter().for_each(|file| line("told", &file.path));
        agent.not_given.iter().for_each(|file| line("not told", &format!("{}  {}", file.path, file.reason)));
        if let Some(switch) = &agent.switch {
            switch.adds.iter().for_each(|one| line("+ switch", &layer(one)));
            switch.removes.iter().for_each(|one| line("- switch", &layer(one)));
        }
    }
    out
}
