//! `briefing why`: where a sentence comes from, which agents get it, and why the others do not.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::Args;

use super::show::{print_styled, print_words, say};
use super::whom::{Format, Whom, here};
use super::{FINDINGS, Failure, lines, screen};
use crate::answer::{Fate, Standpoint, Trigger};
use crate::disk::Real;
use crate::engine::settings::Settings;
use crate::engine::why::why;
use crate::harness::choose;
use crate::queries::roster::MINE;
use crate::report::escape::visible;
use crate::report::why::{Reach, Standing, Why as Found};
use crate::report::words::{self, Paths, list};
use crate::snapshot::absolute;

pub(super) const EXAMPLES: &str = "\
Examples:
  briefing why 'run the linter'                     who is told so, from which file, and who is not
  briefing why 'run the linter' --agents all
  briefing why 'run the linter' --require codex,claude-code
  briefing why 'run the linter' --cwd packages/api  for agents that are started there";

/// Arguments of `briefing why`.
#[derive(Args)]
pub(super) struct Why {
    /// A sentence, or some words of it; how it is wrapped and marked up does not matter, and letter case only if it has
    /// capitals
    #[arg(allow_hyphen_values = true, required_unless_present = "file")]
    text: Option<String>,
    /// Take the text from FILE instead; - reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    file: Option<PathBuf>,
    /// Exit with 1 if one of these agents does not get it, from whatever place; may be repeated
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    require: Vec<String>,
    /// How many places are shown
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    #[command(flatten)]
    whom: Whom,
    /// How to print the answer
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Searches for the text, prints the result, and exits with 1 if the text is nowhere, or if a required agent does not
/// get it.
pub(super) fn run(arguments: &Why) -> Result<ExitCode, Failure> {
    let (cwd, base) = arguments.whom.standing()?;
    let settings = Settings::of_harnesses(&arguments.whom.harness, &super::show::customs(&Real, &cwd))?;
    let paths = Paths::from(&Standpoint::plain(&cwd, &base.home, base.env.clone()), None);
    let sought = match (&arguments.text, &arguments.file) {
        (Some(text), _) => text.clone(),
        (None, Some(file)) => super::session::read(&absolute(&here()?, file))
            .map_err(|problem| format!("--file: {}: {problem}", file.display()))?,
        (None, None) => String::new(),
    };
    let customs = super::show::customs(&Real, &cwd);
    for id in &arguments.require {
        choose(id, &customs).map_err(|problem| format!("--require: {problem}"))?;
    }
    let mut found = why(base.clone(), &cwd, settings, &sought)?;
    // Agents of `--require` are asked in any case.
    let is_asked = |id: &&String| found.judged.iter().any(|one| id.split('@').next() == Some(&one.agent));
    let others: Vec<String> = arguments.require.iter().filter(|id| !is_asked(id)).cloned().collect();
    if !others.is_empty() {
        let mine =
            if arguments.whom.harness.is_empty() { vec![MINE.to_owned()] } else { arguments.whom.harness.clone() };
        let settings = Settings::of_harnesses(&[mine, others].concat(), &customs)?;
        found = why(base, &cwd, settings, &sought)?;
    }
    match arguments.format {
        Format::Json => print_words(&found)?,
        Format::Text => {
            let width = lines::width();
            let shown = Shown { paths: &paths, width, of_names: 0 };
            let text = shown.text(&found, arguments.limit as usize);
            print_styled(&format!("{}{text}", screen::judged(&found.judged, width)))?;
        }
    }
    let nowhere = found.places.is_empty() && found.elsewhere.is_empty();
    let missing: Vec<&str> = arguments.require.iter().map(String::as_str).filter(|id| !gets(&found, id)).collect();
    if !missing.is_empty() {
        let do_not = if missing.len() == 1 { "does" } else { "do" };
        say(&format!("--require: {} {do_not} not get it", list(&missing)));
    }
    if found.not_asked > 0 {
        say(&format!(
            "no agent was asked about {} with it: there is too much to look at; name a directory with --cwd",
            words::count(found.not_asked, "file")
        ));
    }
    Ok(if nowhere || !missing.is_empty() || found.not_asked > 0 { ExitCode::from(FINDINGS) } else { ExitCode::SUCCESS })
}

/// Returns true if the agent gets the text, from any place.
fn gets(found: &Found, id: &str) -> bool {
    let id = id.split('@').next().unwrap_or(id);
    let told = found.places.iter().flat_map(|place| &place.harnesses);
    told.clone().any(|told| told.reaches && told.harness == id) || found.elsewhere.iter().any(|own| own.harness == id)
}

const BOLD: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const GOOD: Style = AnsiColor::Green.on_default();
const WARNING: Style = AnsiColor::Yellow.on_default();

/// Minimum width of the column of reasons; a narrower one is written below its agent.
const REASONS: usize = 24;

/// How places are printed: as seen from where, and in how many columns.
#[derive(Clone, Copy)]
struct Shown<'a> {
    paths: &'a Paths,
    width: usize,
    /// The widest name of an agent in a block.
    of_names: usize,
}

impl Shown<'_> {
    fn text(self, found: &Found, limit: usize) -> String {
        let mut out = String::new();
        let mut few = found.clone();
        few.spread(limit);
        for places in blocks(&few.places) {
            let name = self.paths.path(Path::new(&places[0].path));
            let at: Vec<String> = places.iter().map(|place| format!("{}:{}", place.line, place.column)).collect();
            self.head(&mut out, &format!("{name}:{}", at.join(", ")));
            for link in &places[0].links {
                let _ =
                    writeln!(out, "  {FAINT}{} is a link to it{FAINT:#}", visible(&self.paths.path(Path::new(link))));
            }
            self.agents(&mut out, &places[0].harnesses);
            out.push('\n');
        }
        if let Some(more @ 1..) = found.places.len().checked_sub(limit) {
            let all = found.places.len();
            let hidden = found.places.iter().filter(|place| !few.places.contains(place));
            let files = hidden.map(|place| &place.path).collect::<BTreeSet<_>>().len();
            let more =
                format!("{} in {}: --limit {all}", words::count(more, "more place"), words::count(files, "file"));
            let _ = writeln!(out, "{FAINT}{more}{FAINT:#}\n");
        }
        for unfiled in &found.elsewhere {
            let from = match &unfiled.url {
                Some(url) => format!("from {url}"),
                None => "from no file: its own words, or made from what it finds".to_owned(),
            };
            let said = format!("{} {} says it, {}", unfiled.harness, unfiled.edition, visible(&from));
            self.item(&mut out, GOOD, '●', "", &said);
        }
        if found.places.is_empty() && found.elsewhere.is_empty() {
            let nowhere = "no instruction file that is read or could be read here says this, and no agent does";
            lines::wrapped(nowhere, self.width).iter().for_each(|line| out.push_str(&format!("{line}\n")));
        }
        if !found.near.is_empty() {
            let _ = writeln!(out, "\nthe nearest lines are");
        }
        for near in &found.near {
            let name = visible(&self.paths.path(Path::new(&near.path)));
            let line = format!("{name}:{}: {}", near.line, visible(&near.text));
            let line = lines::wrapped(&line, self.width.saturating_sub(4)).join("\n    ");
            let _ = writeln!(out, "  {line}");
            let gets = near.harnesses.iter().filter(|told| told.reaches);
            let gets: Vec<String> =
                gets.map(|told| format!("{} {} ({})", told.harness, told.edition, when(told))).collect();
            let who = if gets.is_empty() { "no agent gets it".to_owned() } else { format!("goes to {}", list(&gets)) };
            for line in lines::wrapped(&who, self.width.saturating_sub(4)) {
                let _ = writeln!(out, "    {FAINT}{line}{FAINT:#}");
            }
        }
        out
    }

    fn head(self, out: &mut String, text: &str) {
        for line in lines::wrapped(&visible(&text), self.width) {
            let _ = writeln!(out, "{BOLD}{line}{BOLD:#}");
        }
    }

    /// Writes the results of all agents: first those that get the text, last those that never look for it, grouped by
    /// reason.
    fn agents(mut self, out: &mut String, all: &[Reach]) {
        self.of_names = all.iter().map(|told| label(told).chars().count()).max().unwrap_or(0);
        let (gets, misses): (Vec<_>, Vec<_>) = all.iter().partition(|told| told.reaches);
        for told in gets {
            self.agent(out, GOOD, '●', told, when(told), &self.paths.text(&told.reason));
        }
        let (known, unknown): (Vec<_>, Vec<_>) = misses.into_iter().partition(|told| told.fate.is_some());
        for told in known {
            let (mark, fate) = match told.fate.as_deref().and_then(Fate::named) {
                // Some of the file is sent, and this is not.
                Some(fate) if fate.reaches() => ('◐', "lost"),
                Some(fate) => ('○', words::fate(fate)),
                None => ('○', ""),
            };
            let reason = self.paths.text(&told.reason);
            let instead = told.start.as_deref().filter(|_| !reason.contains("; start "));
            let instead = instead.map_or_else(String::new, |start| format!("; started in {start} it gets it"));
            self.agent(out, WARNING, mark, told, fate, &format!("{reason}{instead}"));
        }
        let (started, never): (Vec<_>, Vec<_>) = unknown.into_iter().partition(|told| told.start.is_some());
        for told in started {
            let start = told.start.as_deref().unwrap_or_default();
            self.agent(out, WARNING, '○', told, "not here", &format!("started in {start} it gets it"));
        }
        let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
        for told in never {
            // The reason begins with the agent's name, for people.
            let reason = self.paths.text(&told.reason);
            let reason = match reason.split_once(" does not ").or_else(|| reason.split_once(" looks ")) {
                Some((title, _)) => reason[title.len() + 1..].to_owned(),
                None => reason,
            };
            match reasons.iter_mut().find(|(other, _)| *other == reason) {
                Some((_, labels)) => labels.push(label(told)),
                None => reasons.push((reason, vec![label(told)])),
            }
        }
        for (reason, labels) in reasons {
            self.item(out, FAINT, '○', "  ", &format!("not read by {}: {}", list(&labels), visible(&reason)));
        }
    }

    /// Writes the line of one agent. A reason that is too long for it stands below.
    fn agent(self, out: &mut String, style: Style, mark: char, told: &Reach, word: &str, reason: &str) {
        let of_names = self.of_names;
        let reason = visible(&reason);
        let used = of_names + 4 + 2 + WORDS;
        let space = self.width.saturating_sub(used + 1);
        let is_beside = reason.chars().count() <= space || space >= REASONS * 2;
        let indent = if is_beside { used + 1 } else { 6 };
        let lines = lines::wrapped(&reason, self.width.saturating_sub(indent));
        let _ = write!(out, "  {style}{mark}{style:#} {:<of_names$}  {word:<WORDS$}", label(told));
        for (at, line) in lines.iter().enumerate() {
            let _ = match at == 0 && is_beside {
                true => write!(out, " {FAINT}{line}{FAINT:#}"),
                false => write!(out, "\n{:indent$}{FAINT}{line}{FAINT:#}", ""),
            };
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
    }

    /// Writes a sentence behind a mark.
    fn item(self, out: &mut String, style: Style, mark: char, indent: &str, text: &str) {
        let lines = lines::wrapped(text, self.width.saturating_sub(indent.len() + 2));
        let _ = writeln!(out, "{indent}{style}{mark}{style:#} {}", lines.join(&format!("\n{indent}  ")));
    }
}

/// Width of the column for the word about a text.
const WORDS: usize = 8;

fn label(told: &Reach) -> String {
    format!("{} {}", told.harness, told.edition)
}

fn when(told: &Reach) -> &'static str {
    told.trigger.as_deref().and_then(Trigger::named).map_or("", words::when)
}

/// Groups the places of one file that have the same results.
fn blocks(places: &[Standing]) -> Vec<Vec<&Standing>> {
    let mut blocks: Vec<Vec<&Standing>> = Vec::new();
    for place in places {
        let same = |block: &&mut Vec<&Standing>| block[0].path == place.path && block[0].harnesses == place.harnesses;
        match blocks.iter_mut().find(same) {
            Some(block) => block.push(place),
            None => blocks.push(vec![place]),
        }
    }
    blocks
}
