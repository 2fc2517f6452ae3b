//! Merges findings with the same cause, in whatever number of files.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::{Found, Report};
use crate::disk::{Filesystem, Real};
use crate::report::findings::{Finding, Kind};
use crate::report::words::{count, list};
use crate::snapshot::absolute;
use crate::text;

/// Maximum number of files with one cause that are named; more are counted.
const NAMED: usize = 3;

/// Merges findings with one cause, and keeps the worst of them. One cause is a CLAUDE.md that hides every AGENTS.md,
/// the one limit of a list of skills, or one file that uses up a shared limit.
pub(super) fn put_together(report: &mut Report, root: &Path) {
    let mut kept: Vec<Found> = Vec::new();
    let mut first: HashMap<(Kind, Option<String>, String), usize> = HashMap::new();
    // Files that displace files of other directories too.
    let displaced = report.all.iter().filter(|found| found.finding.kind == Kind::AgentsDisplaced);
    let farther: BTreeSet<PathBuf> = displaced
        .filter_map(|found| Some((&found.finding.related.first()?.0, root.join(&found.path))))
        .filter(|(by, path)| by.parent() != path.parent())
        .map(|(by, _)| by.clone())
        .collect();
    let of_skills = report.all.iter().filter(|found| found.finding.kind == Kind::DuplicateSkill);
    let twice: BTreeSet<(PathBuf, Option<String>)> =
        of_skills.map(|found| (root.join(&found.path), found.finding.harness.clone())).collect();
    for found in of_one_link(std::mem::take(&mut report.all)) {
        let Finding { kind, harness, message, related, .. } = &found.finding;
        // A duplicate skill is reported at the other skill.
        let is_said = |by: &Path| twice.contains(&(by.to_owned(), harness.clone()));
        if *kind == Kind::Shadowed && related.first().is_some_and(|(by, _)| is_said(by)) {
            continue;
        }
        let cause = match (kind, related.first()) {
            // Where every directory has a CLAUDE.md of its own, that is one decision.
            (Kind::AgentsDisplaced, Some((by, _))) if !farther.contains(by) => "beside".to_owned(),
            // Skills that have the names of commands, or of other skills, lie in one folder.
            (Kind::Shadowed, Some((by, _))) if by.ends_with("SKILL.md") => {
                format!("{:?} {:?}", by.ancestors().nth(2), folder(Path::new(&found.path)))
            }
            (Kind::AgentsDisplaced | Kind::Shadowed, Some((by, _))) => by.display().to_string(),
            // An agent that loads both files of a directory does so in every directory.
            (Kind::LoadedTwice, Some((other, _))) => {
                format!("{:?} {:?}", other.file_name(), Path::new(&found.path).file_name())
            }
            // Imports that are lost only where an agent is started below are one decision.
            (Kind::ImportOutside, _) if found.finding.start.is_some() => "below".to_owned(),
            (Kind::ImportOutside, _) => target(&found, root).display().to_string(),
            // Imports from one missing directory have one cause.
            (Kind::ImportMissing, _) if !found.finding.is_rest => {
                let target = target(&found, root);
                let dirs = target.ancestors().skip(1);
                match dirs.take_while(|dir| Real.stat(dir).is_err()).last() {
                    Some(missing) => format!("{} {}", found.path, missing.display()),
                    None => {
                        kept.push(found);
                        continue;
                    }
                }
            }
            // Line numbers and sizes in the message differ from file to file.
            (Kind::Dropped | Kind::FrontMatter, _) => message.replace(|c: char| c.is_ascii_digit(), "0"),
            (Kind::DeprecatedName, _) => message.clone(),
            // The rules of one folder came together, and wait for what another project has.
            (Kind::DeadGlob, _) => format!("{:?}", Path::new(&found.path).parent()),
            (Kind::RepeatedParagraph, Some((other, _))) => other.display().to_string(),
            (Kind::OverBudget, Some((spender, _))) => spender.display().to_string(),
            (Kind::OverBudget, None) => root.join(&found.path).display().to_string(),
            (Kind::AgentsDisplaced | Kind::SkillShortened | Kind::NotForSubagents, _) => message.clone(),
            // The rules of one folder are for one agent.
            (Kind::NeverRead, _) => {
                let path = Path::new(&found.path);
                let folder = if path.ends_with("SKILL.md") { path.ancestors().nth(2) } else { path.parent() };
                format!("{message} {folder:?}")
            }
            // The message begins with a number.
            (Kind::HiddenCharacters, _) => {
                format!("{} {}", found.path, message.split_once(": ").map_or("", |(_, meaning)| meaning))
            }
            _ => {
                kept.push(found);
                continue;
            }
        };
        match first.entry((*kind, harness.clone(), cause)) {
            Entry::Occupied(first) => {
                let (first, mut other) = (&mut kept[*first.get()], found);
                if other.severity < first.severity {
                    std::mem::swap(first, &mut other);
                    first.also = std::mem::take(&mut other.also);
                }
                let place = if other.path == first.path { other.place() } else { other.path };
                if !first.also.contains(&place) && place != first.place() {
                    first.also.push(place);
                }
            }
            Entry::Vacant(first) => {
                first.insert(kept.len());
                kept.push(found);
            }
        }
    }
    for found in kept.iter_mut().filter(|found| !found.also.is_empty()) {
        let hidden = found.also.len().saturating_sub(NAMED);
        let mut named: Vec<String> = found.also.iter().take(NAMED).cloned().collect();
        let own = format!("{}:", found.path);
        let noun = if found.also.iter().any(|also| also.starts_with(&own)) { "more place" } else { "more file" };
        named.extend((hidden > 0).then(|| count(hidden, noun)));
        found.finding.message = format!("{} (also {})", found.finding.message, list(&named));
    }
    report.all = kept;
}

/// Merges findings of several agents about one file if each agent loads another link to the same file instead.
fn of_one_link(all: Vec<Found>) -> Vec<Found> {
    let mut kept: Vec<Found> = Vec::new();
    let mut first: HashMap<(String, PathBuf), usize> = HashMap::new();
    for found in all {
        let by = found.finding.related.first().filter(|_| found.finding.kind == Kind::Shadowed);
        if let Some(by) = by.and_then(|(by, _)| Real.real_path(by).ok()) {
            match first.entry((found.path.clone(), by)) {
                Entry::Occupied(first) if kept[*first.get()].finding.harness != found.finding.harness => {
                    let agent = found.finding.message.split(" does not load").next().unwrap_or_default();
                    kept[*first.get()].finding.message += &format!(" (also {agent})");
                    continue;
                }
                Entry::Occupied(_) => {}
                Entry::Vacant(first) => {
                    first.insert(kept.len());
                }
            }
        }
        kept.push(found);
    }
    kept
}

/// Returns the file that an import leads to.
fn target(found: &Found, root: &Path) -> PathBuf {
    let token = text::lossy(&found.raw[found.finding.range.clone()]);
    let file = root.join(&found.path);
    absolute(file.parent().unwrap_or(root), Path::new(token.trim_start_matches('@')))
}

/// Returns the folder that holds files of one kind; for a skill, the folder that holds the skill's directory.
fn folder(file: &Path) -> Option<&Path> {
    file.ancestors().nth(if file.ends_with("SKILL.md") { 2 } else { 1 })
}
