//! One cause is one finding, whatever number of files have it.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::{Found, Report};
use crate::report::findings::{Finding, Kind};
use crate::report::words::{count, list};
use crate::snapshot::absolute;
use crate::text;

/// How many files with one cause are named before the others are only counted.
const NAMED: usize = 3;

/// Makes one finding of those that have one cause: a CLAUDE.md hides every AGENTS.md, a list of skills has one limit, one file
/// uses up what others share. Keeps the worst of them.
pub(super) fn put_together(report: &mut Report, root: &Path) {
    let mut kept: Vec<Found> = Vec::new();
    let mut first: HashMap<(Kind, Option<String>, String), usize> = HashMap::new();
    // What displaces files of other directories as well.
    let displaced = report.all.iter().filter(|found| found.finding.kind == Kind::AgentsDisplaced);
    let farther: BTreeSet<PathBuf> = displaced
        .filter_map(|found| Some((&found.finding.related.first()?.0, root.join(&found.path))))
        .filter(|(by, path)| by.parent() != path.parent())
        .map(|(by, _)| by.clone())
        .collect();
    let of_skills = report.all.iter().filter(|found| found.finding.kind == Kind::DuplicateSkill);
    let twice: BTreeSet<(PathBuf, Option<String>)> =
        of_skills.map(|found| (root.join(&found.path), found.finding.harness.clone())).collect();
    for found in std::mem::take(&mut report.all) {
        let Finding { kind, harness, message, related, .. } = &found.finding;
        // A skill that has a name twice is said where the other one is.
        let is_said = |by: &Path| twice.contains(&(by.to_owned(), harness.clone()));
        if *kind == Kind::Shadowed && related.first().is_some_and(|(by, _)| is_said(by)) {
            continue;
        }
        let cause = match (kind, related.first()) {
            // Where every directory has a CLAUDE.md of its own, that is one decision.
            (Kind::AgentsDisplaced, Some((by, _))) if !farther.contains(by) => "beside".to_owned(),
            // Skills that have the names of commands lie in one folder.
            (Kind::Shadowed, Some((by, _))) if by.ends_with("SKILL.md") => {
                format!("{:?} {:?}", by.ancestors().nth(2), Path::new(&found.path).parent())
            }
            (Kind::AgentsDisplaced | Kind::Shadowed, Some((by, _))) => by.display().to_string(),
            // An agent that loads both files of a directory does so in every directory.
            (Kind::LoadedTwice, Some((other, _))) => {
                format!("{:?} {:?}", other.file_name(), Path::new(&found.path).file_name())
            }
            (Kind::ImportOutside, _) => {
                let token = text::lossy(&found.raw[found.finding.range.clone()]);
                let file = root.join(&found.path);
                let dir = file.parent().unwrap_or(root);
                absolute(dir, Path::new(token.trim_start_matches('@'))).display().to_string()
            }
            (Kind::RepeatedParagraph, Some((other, _))) => other.display().to_string(),
            (Kind::OverBudget, Some((spender, _))) => spender.display().to_string(),
            (Kind::OverBudget, None) => root.join(&found.path).display().to_string(),
            (Kind::AgentsDisplaced | Kind::SkillShortened | Kind::NotForSubagents | Kind::FrontMatter, _) => {
                message.clone()
            }
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
                let in_one_file = other.path == first.path;
                first.also.push(if in_one_file { other.place() } else { other.path });
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
        let noun = if found.finding.kind == Kind::HiddenCharacters { "more place" } else { "more file" };
        named.extend((hidden > 0).then(|| count(hidden, noun)));
        found.finding.message = format!("{} (also {})", found.finding.message, list(&named));
    }
    report.all = kept;
}
