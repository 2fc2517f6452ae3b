//! Findings about a file's name and place: no agent reads it, its letter case is wrong, its name is deprecated, it is a
//! link.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use super::super::front_matter;
use super::super::words::{Paths, list};
use super::{Finding, Kind, Subject, first_line};
use crate::answer::{Fate, Resolution, Scope, Source};
use crate::glob;
use crate::harness::names::is_folder;
use crate::harness::{self, ALL};
use crate::search::Probe;

/// Names that are instruction files wherever they stand. Names such as `USER.md` may be anything.
const DISTINCTIVE: [&str; 8] = [
    "AGENTS.md",
    "AGENTS.override.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "GEMINI.md",
    "SOUL.md",
    "copilot-instructions.md",
    ".cursorrules",
];

/// Names that agents are phasing out, each with its replacement and the agent.
const DEPRECATED: [(&str, &str, &str); 2] =
    [("CONTEXT.md", "AGENTS.md", "OpenCode"), (".cursorrules", "rules in .cursor/rules, or AGENTS.md", "Cursor")];

/// Maximum number of agents that are named; more are counted.
const NAMED: usize = 3;

/// Returns true if a file of this name, or in this folder, is meant to be an instruction file.
pub fn is_distinctive(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_rule = || name.ends_with(".md") && !name.eq_ignore_ascii_case("README.md") && is_below_rules(path);
    let is_for_agents = DISTINCTIVE.contains(&&*name) || name.ends_with(".instructions.md") || name.ends_with(".mdc");
    is_for_agents || is_rule() || is_meant_as_skill(path)
}

/// Returns true if the file is meant to be a skill but is in the wrong place: a page directly in an agent's folder
/// `skills`, or a `SKILL.md` in a folder `skills` that the agent does not search, such as `.github/copilot/skills`.
/// Skills of plugins do not count: whoever installs the plugin gets them.
pub fn is_meant_as_skill(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_skills = |dir: &&Path| dir.file_name().is_some_and(|name| name == "skills");
    let is_page = || name.ends_with(".md") && !name.eq_ignore_ascii_case("README.md");
    let mut dirs = path.ancestors().skip(1);
    // Minimum number of folders between the agent's folder and `skills`.
    let (skills, least) = match &*name {
        "SKILL.md" => (dirs.find(is_skills), 1),
        _ => (dirs.next().filter(is_skills).filter(|_| is_page()), 0),
    };
    let above: Vec<&OsStr> = skills.and_then(Path::parent).into_iter().flatten().collect();
    let of_agent = above.iter().rposition(|name| is_folder(Path::new(name)));
    of_agent.is_some_and(|at| above.len() - 1 - at >= least) && !above.contains(&OsStr::new("plugins"))
}

/// Returns true if the file is in a folder in which an agent looks for rules: Copilot in its own, OpenCode where
/// settings name them.
fn is_below_rules(path: &Path) -> bool {
    path.parent().is_some_and(|dir| dir.ends_with(".opencode/instructions"))
        || path.ancestors().skip(1).any(|dir| dir.ends_with(".github/instructions"))
}

/// Returns true for a `SKILL.md` in a folder of skills of an agent, such as `.claude/skills`.
pub fn is_skill(path: &Path) -> bool {
    let mut parts = path.iter().rev().map(|part| part.to_string_lossy());
    let mut below = parts.by_ref().skip_while(|part| !matches!(&**part, "skills" | "skill"));
    path.file_name().is_some_and(|name| name == "SKILL.md") && below.nth(1).is_some_and(|part| part.starts_with('.'))
}

/// Returns true if two files may be meant for one agent, by their names: a CLAUDE.md and a rule in .claude are, an
/// AGENTS.md and a .windsurfrules are not, and a page in docs is for everybody.
pub(super) fn are_for_one_agent(one: &Path, other: &Path) -> bool {
    match (owner(one), owner(other)) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    }
}

/// Returns the first word of an instruction file's name, or of the agent's folder that it is in.
pub(super) fn owner(path: &Path) -> Option<String> {
    let names: Vec<_> = path.iter().map(OsStr::to_string_lossy).collect();
    let folder = names.iter().rev().skip(1).find(|name| is_folder(Path::new(&***name)));
    let is_known = |name: &str| KNOWN.contains_key(&name.to_ascii_lowercase());
    let name = folder.or_else(|| names.last().filter(|name| is_known(name) || is_distinctive(path)))?;
    let name = name.trim_start_matches('.').to_ascii_lowercase();
    Some(name.split(['.', '-']).next()?.trim_end_matches("rules").to_owned())
}

/// Every name without wildcards that some agent reads, by its lower-case form.
static KNOWN: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    let patterns = ALL.iter().flat_map(|profile| profile.instruction_names).copied();
    let names = patterns.map(|pattern| pattern.rsplit('/').next().unwrap_or(pattern)).chain(DISTINCTIVE);
    let plain = names.filter(|name| !name.contains('*') && DEPRECATED.iter().all(|(old, ..)| old != name));
    // Of several spellings, the one in capitals counts: documentation uses it.
    let mut plain: Vec<&str> = plain.collect();
    plain.sort_unstable();
    plain.into_iter().rev().map(|name| (name.to_ascii_lowercase(), name)).collect()
});

/// Returns the name in the letter case that agents look for, if this one differs.
pub fn right_case(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_str()?;
    KNOWN.get(&name.to_ascii_lowercase()).copied().filter(|known| *known != name)
}

/// Returns the findings about the name and the place.
pub(super) fn findings(subject: &Subject) -> Vec<Finding> {
    let name = subject.name();
    let mut found = Vec::new();
    if let Some((_, instead, who)) = DEPRECATED.iter().find(|(old, ..)| *old == name)
        && subject.sources().any(|(_, source)| source.fate.reaches())
    {
        let message = format!("{who} is phasing out the name {name}; use {instead}");
        found.push(Finding::new(Kind::DeprecatedName, first_line(subject.raw), message));
    }
    match wrong_case(subject) {
        Some(finding) => found.push(finding),
        // A page in a folder of skills counts only if it has the front matter or the title of a skill.
        None if subject.never_read
            && is_distinctive(subject.path)
            && speaks_to_one_of(subject)
            && (!is_flat_skill(subject) || is_about_a_skill(subject)) =>
        {
            let mut titles: Vec<&str> = subject.answers.iter().map(|answer| answer.title.as_str()).collect();
            let more = titles.len().saturating_sub(NAMED);
            titles.truncate(NAMED);
            let who = match (titles.as_slice(), more) {
                ([one], _) => format!("{one} does not load this file"),
                (titles, 0) => format!("none of {} loads this file", list(titles)),
                (titles, more) => format!("none of {} and {more} more loads this file", titles.join(", ")),
            };
            let mut message = format!("{who}, from whichever directory it is started");
            if is_flat_skill(subject) {
                message.push_str("; a skill is a folder with a SKILL.md");
            }
            let lost: Vec<_> = std::iter::once(0..subject.raw.len()).collect();
            found.push(Finding { lost, ..Finding::new(Kind::NeverRead, first_line(subject.raw), message) });
        }
        None => {}
    }
    found.extend(outside(subject));
    found
}

/// Returns true for a page in a folder of skills, where agents look for folders.
fn is_flat_skill(subject: &Subject) -> bool {
    subject.name() != "SKILL.md" && is_meant_as_skill(subject.path)
}

/// Returns true if the head of the file has a `name`, or its title ends with the word: "Benchmark Report Skill".
fn is_about_a_skill(subject: &Subject) -> bool {
    let Some(text) = subject.raw.as_text() else { return false };
    let has_name = front_matter::head(text).is_some_and(|head| !head.values("name").is_empty());
    let title = text.lines().find(|line| !line.trim().is_empty()).and_then(|line| line.strip_prefix("# "));
    has_name || title.is_some_and(|title| title.split_whitespace().next_back().is_some_and(|word| word == "Skill"))
}

/// Returns true unless the file is a SOUL.md and none of the agents that were asked reads this name: the persona of an
/// agent that nobody uses in the project is no mistake.
fn speaks_to_one_of(subject: &Subject) -> bool {
    let names = |answer: &Arc<Resolution>| harness::profile(&answer.harness).map(|profile| profile.instruction_names);
    let name = subject.name();
    name != "SOUL.md" || subject.answers.iter().filter_map(names).any(|names| names.contains(&&*name))
}

/// Returns a finding for a file that agents miss only because of its letter case. `docs/agents.md` is a page about
/// agents. So a name in lower case counts only at the root of a project, in a hidden folder such as `.github/agents`,
/// or if it begins with a dot.
fn wrong_case(subject: &Subject) -> Option<Finding> {
    let right = right_case(subject.path)?;
    let name = subject.name();
    let dir = subject.path.parent()?;
    let wanted = dir.join(right);
    let starts_here = subject.answers.iter().any(|answer| answer.answer.root.as_deref() == Some(dir));
    let small = is_small(subject.path);
    // `.github/agents`, and not a folder of pages.
    let in_a_folder = dir
        .strip_prefix(subject.base())
        .is_ok_and(|inside| inside.iter().any(|part| part.as_encoded_bytes().starts_with(b".")));
    let counts = !small || name.starts_with('.') || in_a_folder || (starts_here && DISTINCTIVE.contains(&right));
    if !counts {
        return None;
    }
    // On a case-insensitive disk, the agent finds the file under the right name.
    let missed = subject.answers.iter().filter(|answer| {
        let is_there = |source: &Source| source.fate != Fate::Missing;
        let found = answer.sources_of(subject.path).next().is_some() || answer.sources_of(&wanted).any(is_there);
        !found && answer.trace.iter().any(|probe| would_find(probe, &wanted))
    });
    let missed: Vec<&str> = missed.map(|answer| answer.title.as_str()).collect();
    if missed.is_empty() {
        return None;
    }
    let verb = if missed.len() == 1 { "loads" } else { "load" };
    let message = format!("{} {verb} {right} only in this letter case; rename the file", list(&missed));
    Some(Finding::new(Kind::WrongCase, first_line(subject.raw), message))
}

/// Returns true if a name has no capital letter.
pub(super) fn is_small(path: &Path) -> bool {
    !path.file_name().unwrap_or_default().to_string_lossy().chars().any(|c| c.is_ascii_uppercase())
}

/// Returns true if an agent probed this path, directly or by a glob.
fn would_find(probe: &Probe, wanted: &Path) -> bool {
    if probe.asked != "glob" {
        return probe.path == wanted;
    }
    let pattern = probe.path.to_string_lossy();
    pattern.ends_with(".md") && glob::plain(&pattern, false, wanted)
}

/// Returns a finding for a link that leads out of the project: whoever clones the project does not get the text.
fn outside(subject: &Subject) -> Option<Finding> {
    let target = subject.leads_to?;
    let (answer, root) = subject.sources().find_map(|(answer, source)| {
        let reads = source.fate.reaches();
        let in_project = matches!(source.scope, Scope::Project | Scope::Nested | Scope::Rule);
        let root = answer.answer.root.as_deref()?;
        (reads && in_project && subject.path.starts_with(root)).then_some((answer, root))
    })?;
    // For an agent that is started further down, the project may be smaller than the repository.
    let roots = subject
        .answers
        .iter()
        .chain(subject.elsewhere.answers.iter())
        .filter_map(|answer| answer.answer.root.as_deref());
    if roots.chain([root]).any(|root| subject.path.starts_with(root) && target.starts_with(root)) {
        return None;
    }
    let target_name = Paths::of(answer).path(target);
    let message =
        format!("this link leaves the project, for {target_name}; people who clone the project do not get the text");
    Some(Finding {
        related: vec![(target.to_owned(), "the file behind the link".to_owned())],
        ..Finding::new(Kind::SymlinkOutside, first_line(subject.raw), message).of(&answer.harness)
    })
}
