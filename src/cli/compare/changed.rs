//! `briefing compare --base`: the sentences that come and go, agent by agent and moment by moment.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;

use anstyle::{AnsiColor, Style};

use super::{BOLD, FAINT};
use crate::cli::{lines, screen};
use crate::report::change::{Change, Instead, Kind, Moment, When};
use crate::report::compare::Difference;
use crate::report::escape::{comment, comment_code, fenced, visible};
use crate::report::inspection::{GrantChange, Note};
use crate::report::judged::sentence;
use crate::report::words::{count, list};

/// Maximum number of sentences of a group that are shown.
const SENTENCES: usize = 20;
/// Maximum number of starts of a group that are named; more are counted.
const STARTS: usize = 3;
/// Columns before the name of a file: its mark and what becomes of it.
const KIND_COLUMNS: usize = 11;
/// Minimum number of columns for a message after a name.
const ROOM: usize = 30;
/// Maximum size of a comment for a pull request, in bytes; GitHub takes 65 536 characters.
const COMMENT_BYTES: usize = 40_000;

const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();

/// Moments at which the same sentences come and go, of several agents and at several starts.
struct Group<'a> {
    moments: Vec<&'a Moment>,
    added: Vec<&'a str>,
    /// Removed sentences, each with its explanation.
    removed: Vec<(&'a str, Option<&'a Instead>)>,
    differences: Vec<&'a Difference>,
}

impl<'a> Group<'a> {
    /// Creates the group of one moment. `root` is the moment of the same agent at the root directory; its changes are
    /// left out.
    fn of(moment: &'a Moment, root: Option<&Moment>) -> Group<'a> {
        let new = |all: &'a [String], known: fn(&Moment) -> &[String]| -> Vec<&'a str> {
            let is_new = |sentence: &&String| root.is_none_or(|root| !known(root).contains(sentence));
            all.iter().filter(is_new).map(String::as_str).collect()
        };
        Group {
            added: new(&moment.added, |root| &root.added),
            removed: new(&moment.removed, |root| &root.removed)
                .into_iter()
                .map(|sentence| (sentence, moment.instead_of(sentence)))
                .collect(),
            differences: moment
                .differences
                .iter()
                .filter(|difference| root.is_none_or(|root| !root.differences.contains(difference)))
                .collect(),
            moments: vec![moment],
        }
    }

    /// Returns true if files changed in size although their sentences are the same.
    fn has_other_spaces(&self) -> bool {
        let has_size = |one: &&Difference| ["grew", "shrank"].contains(&one.kind.as_str());
        self.added.is_empty() && self.removed.is_empty() && self.differences.iter().any(has_size)
    }

    /// Returns the added and the removed sentences, each group with its mark. A removed sentence comes with its
    /// explanation; an explanation that repeats is shortened to its kind.
    fn sentences(&self, root: &Path) -> [(char, Style, Vec<String>); 2] {
        let added = self.added.iter().map(|sentence| (*sentence).to_owned()).collect();
        let mut explained: HashSet<&str> = HashSet::new();
        let removed = self.removed.iter().map(|(sentence, instead)| match instead {
            Some(instead) if explained.insert(&instead.message) => {
                format!("{sentence} ({})", short(&instead.message, root))
            }
            Some(instead) => format!("{sentence} ({})", instead.kind),
            None => (*sentence).to_owned(),
        });
        [('+', ADDED, added), ('-', REMOVED, removed.collect())]
    }

    /// Returns a heading for each kind of moment, with the agents that it concerns.
    fn heads(&self) -> Vec<String> {
        let mut of_agents: Vec<(String, &When, Vec<&str>)> = Vec::new();
        for moment in &self.moments {
            let agent = format!("{} {}", moment.title, moment.version);
            let same = |(other, when, _): &&mut (String, &When, Vec<&str>)| {
                *other == agent && when.kind == moment.when.kind && when.file == moment.when.file
            };
            match of_agents.iter_mut().find(same) {
                Some((_, _, starts)) => starts.push(&moment.when.start),
                None => of_agents.push((agent, &moment.when, vec![&moment.when.start])),
            }
        }
        let mut lines: Vec<(String, Vec<String>)> = Vec::new();
        for (agent, when, starts) in of_agents {
            let words = words(when, &starts);
            match lines.iter_mut().find(|(other, _)| *other == words) {
                Some((_, agents)) => agents.push(agent),
                None => lines.push((words, vec![agent])),
            }
        }
        lines.into_iter().map(|(words, agents)| format!("{}, {words}", list(&agents))).collect()
    }
}

/// Describes a moment in words.
fn words(when: &When, starts: &[&str]) -> String {
    let mut named: Vec<String> = starts.iter().take(STARTS).map(|start| place(start)).collect();
    match starts.len().saturating_sub(STARTS) {
        0 => {}
        1 => named.push(place(starts[STARTS])),
        more => named.push(format!("{more} more directories")),
    }
    let file = when.file.as_deref().unwrap_or_default();
    match when.kind {
        Kind::Start => format!("started in {}", list(&named)),
        Kind::Read => format!("reading {file}"),
        Kind::Attach => format!("{file} attached"),
        Kind::Skill => format!("calling the skill {file}"),
        Kind::Command => format!("calling the command {file}"),
        Kind::Subagent => format!("starting the sub-agent {file}"),
    }
}

fn place(start: &str) -> String {
    if start == "." { "this directory".to_owned() } else { start.to_owned() }
}

/// Groups the moments that have the same changes, of several agents or at several starts.
fn groups(change: &Change) -> Vec<Group<'_>> {
    let mut groups: Vec<Group> = Vec::new();
    let is_root = |moment: &Moment| moment.when.kind == Kind::Start && moment.when.start == ".";
    for moment in &change.moments {
        let mut roots = change.moments.iter().filter(|root| is_root(root) && root.agent == moment.agent);
        let root = roots.next().filter(|_| moment.when.kind == Kind::Start && !is_root(moment));
        let new = Group::of(moment, root);
        // The sentences may come once more with another file, such as a link.
        let says_something = !(moment.added.is_empty() && moment.removed.is_empty());
        let is_repeated =
            new.added.is_empty() && new.removed.is_empty() && (new.differences.is_empty() || says_something);
        let same = |group: &&mut Group| match root.filter(|_| is_repeated) {
            Some(root) => group.moments.iter().any(|moment| std::ptr::eq(*moment, root)),
            None => group.added == new.added && group.removed == new.removed && group.differences == new.differences,
        };
        match groups.iter_mut().find(same) {
            Some(group) => {
                group.moments.push(moment);
                for difference in new.differences {
                    if !group.differences.contains(&difference) {
                        group.differences.push(difference);
                    }
                }
            }
            None => groups.push(new),
        }
    }
    groups
}

/// Renders the change for people.
pub(in crate::cli) fn text(change: &Change, root: &Path, width: usize) -> String {
    let mut out = screen::judged(&change.judged, width);
    if let Some(fork) = &change.fork {
        let _ = writeln!(out, "The change comes from the fork {}\n", visible(fork));
    }
    for group in groups(change) {
        for head in group.heads() {
            for line in lines::wrapped(&visible(&head), width) {
                let _ = writeln!(out, "{BOLD}{line}{BOLD:#}");
            }
        }
        for difference in &group.differences {
            let (mark, style) = match difference.kind.as_str() {
                "added" => ('+', ADDED),
                "lost" => ('-', REMOVED),
                _ => ('~', AnsiColor::Yellow.on_default()),
            };
            let name = visible(&relative(&difference.name, root));
            let message = visible(&short(&difference.message, root));
            let _ = write!(out, "  {style}{mark} {:<6}{style:#} {name}", difference.kind);
            // After the name if there is room for some words, else below it.
            let behind = KIND_COLUMNS + name.chars().count() + 2;
            let (at, fits) = if behind + ROOM <= width { (behind, true) } else { (KIND_COLUMNS, false) };
            let lines = lines::wrapped(&message, width.saturating_sub(at)).join(&format!("\n{:at$}", ""));
            let gap = if fits { "  ".to_owned() } else { format!("\n{:at$}", "") };
            let _ = writeln!(out, "{gap}{FAINT}{lines}{FAINT:#}");
        }
        if group.differences.is_empty() {
            let _ = writeln!(out, "  {FAINT}~ the same files and sizes, with other text{FAINT:#}");
        }
        if group.has_other_spaces() {
            let why = "the sentences are the same: spaces, line ends or their order differ";
            for line in lines::wrapped(why, width.saturating_sub(4)) {
                let _ = writeln!(out, "    {FAINT}{line}{FAINT:#}");
            }
        }
        for (mark, style, sentences) in group.sentences(root) {
            for sentence in sentences.iter().take(SENTENCES) {
                for (at, line) in lines::wrapped(&visible(sentence), width.saturating_sub(6)).iter().enumerate() {
                    let mark = if at == 0 { mark } else { ' ' };
                    let _ = writeln!(out, "    {style}{mark} {line}{style:#}");
                }
            }
            let _ = match sentences.len().saturating_sub(SENTENCES) {
                0 => Ok(()),
                more => writeln!(out, "    {style}{mark}{style:#} {FAINT}{}{FAINT:#}", count(more, "more sentence")),
            };
        }
        out.push('\n');
    }
    let beside = beside(change);
    for (title, lines) in &beside {
        let _ = writeln!(out, "{BOLD}{title}{BOLD:#}");
        for line in lines.iter().take(SENTENCES) {
            for (at, line) in lines::wrapped(&visible(line), width.saturating_sub(4)).iter().enumerate() {
                let _ = writeln!(out, "  {}{line}", if at == 0 { "" } else { "  " });
            }
        }
        let _ = match lines.len().saturating_sub(SENTENCES) {
            0 => writeln!(out),
            more => writeln!(out, "  {FAINT}{}{FAINT:#}\n", count(more, "more line")),
        };
    }
    for line in lines::wrapped(&summary(change), width) {
        let _ = writeln!(out, "{FAINT}{}{FAINT:#}", visible(&line));
    }
    out
}

/// Returns what a change lets clients do, and content that is disguised or comes from elsewhere: titles, each with its
/// lines.
fn beside(change: &Change) -> Vec<(&'static str, Vec<String>)> {
    let of = |is_allowed: bool| -> Vec<String> {
        let grants = change.grants.iter().filter(|one| one.grant.kind.is_allowed() == is_allowed);
        let line = |one: &GrantChange| {
            let grant = &one.grant;
            let was = one.was.as_ref().map_or_else(String::new, |was| format!(" (was {was})"));
            let (mark, agents) = (mark(&one.change), list(&grant.agents));
            let place = format!("{}:{}", grant.path, grant.line);
            format!("{mark} {} {}{was}, {} [{agents}] {place}", grant.kind.word(), grant.what, grant.when)
        };
        grants.map(line).collect()
    };
    let note = |note: &Note| {
        let line = note.line.map_or_else(String::new, |line| format!(":{line}"));
        format!("! {}{line} {}", note.path, note.what)
    };
    let all = [
        ("What clients run here", of(false)),
        ("What clients are allowed here", of(true)),
        ("What comes and is not what it looks like", change.notes.iter().map(note).collect()),
    ];
    all.into_iter().filter(|(_, lines)| !lines.is_empty()).collect()
}

fn mark(change: &str) -> char {
    match change {
        "added" => '+',
        "gone" => '-',
        _ => '~',
    }
}

/// Summarizes for whom nothing changes, and what was asked about.
fn summary(change: &Change) -> String {
    let is_told_else = |agent: &String| change.moments.iter().any(|moment| moment.agent == *agent);
    let is_granted = |agent: &String| change.grants.iter().any(|one| one.grant.agents.contains(agent));
    let same = change.judged.iter().filter(|one| !is_told_else(&one.agent) && !is_granted(&one.agent));
    let mut same: Vec<&str> = same.map(|one| one.title.as_str()).collect();
    same.dedup();
    let of = |kind: Kind| change.asked.iter().filter(|when: &&When| when.kind == kind).count();
    let asked = [
        (Kind::Start, "start"),
        (Kind::Read, "read"),
        (Kind::Attach, "attachment"),
        (Kind::Skill, "skill"),
        (Kind::Command, "command"),
        (Kind::Subagent, "sub-agent"),
    ];
    let asked: Vec<String> =
        asked.iter().filter(|(kind, _)| of(*kind) > 0).map(|(kind, noun)| count(of(*kind), noun)).collect();
    let nothing = match same.as_slice() {
        _ if !change.not_asked.is_empty() => String::new(),
        [] => String::new(),
        same => format!("nothing changes for {}; ", list(same)),
    };
    let after = change.after.as_deref().map_or("the working tree", |after| &after[..after.len().min(8)]);
    let before = &change.before[..change.before.len().min(8)];
    let left = match change.not_asked.len() {
        0 => String::new(),
        left => format!("; {} not asked about: there is too much to look at", count(left, "moment")),
    };
    let asked = if asked.is_empty() { "nothing".to_owned() } else { list(&asked) };
    format!("{nothing}asked about {asked}, from {before} to {after}{left}")
}

/// Returns a path relative to the root; as it is if it is not below the root.
fn relative(name: &str, root: &Path) -> String {
    let inside = Path::new(name).strip_prefix(root).ok().filter(|inside| !inside.as_os_str().is_empty());
    inside.map_or_else(|| name.to_owned(), |inside| inside.display().to_string())
}

/// Removes the root from the paths in a sentence.
fn short(text: &str, root: &Path) -> String {
    text.replace(&format!("{}/", root.display()), "")
}

/// Renders the change as a comment for a pull request.
pub(in crate::cli) fn markdown(change: &Change, root: &Path) -> String {
    let judged = comment(&sentence(&change.judged));
    format!("### Briefing\n\n{judged}\n\n{}", section(change, root))
}

/// Renders the part of a comment that says what agents are told.
pub(in crate::cli) fn section(change: &Change, root: &Path) -> String {
    let mut out = String::from("#### What agents are told\n\n");
    if let Some(fork) = &change.fork {
        let _ = writeln!(out, "The change comes from the fork {}.\n", comment_code(fork));
    }
    let all = groups(change);
    for (at, group) in all.iter().enumerate() {
        if out.len() > COMMENT_BYTES {
            let _ = writeln!(out, "{} more; `briefing compare --base` shows them.\n", count(all.len() - at, "change"));
            break;
        }
        for head in group.heads() {
            let _ = writeln!(out, "**{}**\n", comment(&head));
        }
        for difference in &group.differences {
            let name = comment_code(&relative(&difference.name, root));
            let message = comment(&short(&difference.message, root));
            let _ = writeln!(out, "- {} {name}: {message}", difference.kind);
        }
        let lines: Vec<String> = group
            .sentences(root)
            .into_iter()
            .flat_map(|(mark, _, sentences)| {
                let more = sentences.len().saturating_sub(SENTENCES);
                let shown = sentences.into_iter().take(SENTENCES);
                let shown = shown.map(move |sentence| format!("{mark} {}", visible(&sentence)));
                shown.chain((more > 0).then(|| format!("{mark} … {}", count(more, "more sentence"))))
            })
            .collect();
        if !lines.is_empty() {
            let _ = writeln!(out, "\n{}", fenced("diff", &lines.join("\n")));
        }
        out.push('\n');
    }
    for (title, lines) in beside(change) {
        let _ = writeln!(out, "#### {title}\n");
        for line in lines.iter().take(SENTENCES) {
            let _ = writeln!(out, "- {}", comment(&line.replace('\n', " ")));
        }
        if let Some(more) = lines.len().checked_sub(SENTENCES).filter(|more| *more > 0) {
            let _ = writeln!(out, "- {}", count(more, "more line"));
        }
        out.push('\n');
    }
    let _ = writeln!(out, "{}", comment(&summary(change)));
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn moments_that_were_not_asked_about_are_counted_and_nobody_is_said_to_be_told_the_same() {
        let start = json!({"kind": "start", "start": ".", "file": null});
        let said = |not_asked: &[serde_json::Value]| {
            let judged = json!([{"agent": "codex", "version": "0.169.0", "because": "installed"}]);
            let change = json!({
                "version": 1, "base": "main", "before": "0123456789", "after": null, "judged": judged,
                "asked": [start], "not_asked": not_asked, "moments": [],
            });
            let mut change: Change = serde_json::from_value(change).expect("a change");
            "Codex".clone_into(&mut change.judged[0].title);
            summary(&change)
        };
        assert_eq!(said(&[]), "nothing changes for Codex; asked about 1 start, from 01234567 to the working tree");
        assert_eq!(
            said(std::slice::from_ref(&start)),
            "asked about 1 start, from 01234567 to the working tree; 1 moment not asked about: there is too much to look at"
        );
    }
}
