//! Fix that raises a limit in the settings that set it, or in the user's own; offered only if the agent then loads the
//! whole file.

use std::path::{Path, PathBuf};

use super::disk::{Disk, answer_with, chosen};
use super::{Action, Context, Edit};
use crate::answer::{Fate, Limit, Per, Resolution, Unit};
use crate::formats::{self, Node};
use crate::harness;
use crate::harness::names::Names;
use crate::report::findings::{Finding, Kind};
use crate::text::grouped;

/// Returns the fix of a file that is over a limit, or near it.
pub(super) fn fixes(ctx: &Context, finding: &Finding) -> Vec<Action> {
    if !matches!(finding.kind, Kind::OverBudget | Kind::NearBudget) {
        return Vec::new();
    }
    let limited = ctx.subject.sources().find_map(|(answer, source)| {
        let own = finding.harness.as_ref() == Some(&answer.harness) && finding.fate == Some(source.fate);
        Some((answer, source.limit.as_ref().filter(|_| own)?))
    });
    limited.and_then(|(answer, limit)| raised(ctx, finding, answer, limit)).into_iter().collect()
}

fn raised(ctx: &Context, finding: &Finding, answer: &Resolution, limit: &Limit) -> Option<Action> {
    let choice = chosen(answer)?;
    let value = enough(ctx, answer, limit);
    let settings = settings_files(answer, limit);
    for key in choice.edition().limit_keys().iter().filter(|key| key.per == limit.per) {
        for file in &settings {
            let Some((edit, text)) = set(ctx.disk, file, key.path, value) else { continue };
            let Some(then) = answer_with(ctx.disk, answer, &[(file.clone(), text)]) else { continue };
            if helps(ctx, &then) {
                let name = key.path.last().unwrap_or(&"");
                let title = format!("Set {name} to {} in {}", grouped(value), file.display());
                return Some(Action::fix(finding, title, vec![edit]));
            }
        }
    }
    None
}

/// Returns true if the agent starts and loads the whole file.
fn helps(ctx: &Context, then: &Resolution) -> bool {
    let mut own = then.sources_of(ctx.path()).peekable();
    then.answer.refusal.is_none() && own.peek().is_some() && own.all(|source| source.fate == Fate::Loaded)
}

/// Returns a rounded limit above the required size.
fn enough(ctx: &Context, answer: &Resolution, limit: &Limit) -> usize {
    let sharing = answer.answer.sources.iter().filter(|source| {
        let counts = matches!(source.fate, Fate::Loaded | Fate::Truncated | Fate::Dropped);
        counts && source.limit.as_ref().is_some_and(|other| other.per == Per::Chain)
    });
    let bytes: usize = match limit.per {
        Per::Chain => sharing.filter_map(|source| source.path()).filter_map(|path| ctx.disk.len(path)).sum(),
        Per::Source => ctx.subject.raw.len(),
    };
    // A text has at least as many bytes as units of any other kind. A quarter is left for text yet to be written.
    let wanted = (bytes + bytes / 4).max(limit.value + limit.value / 4);
    let step = if limit.unit == Unit::Bytes { 4096 } else { 1000 };
    wanted.div_ceil(step) * step
}

/// Returns the settings file that set the limit, or else the agent's user settings files.
fn settings_files(answer: &Resolution, limit: &Limit) -> Vec<PathBuf> {
    if Path::new(&limit.from).is_absolute() {
        return vec![PathBuf::from(&limit.from)];
    }
    let Some(profile) = harness::profile(&answer.harness) else { return Vec::new() };
    let names = Names::new(profile.settings_names.iter().copied());
    let is_known = |path: &Path| path.extension().is_some_and(|format| format == "toml" || format == "json");
    let own_name = |path: &Path| is_known(path) && path.file_name().is_some_and(|name| names.may_match(name));
    // An agent that is started in the home directory, or above it, has no project.
    let (cwd, home) = (&answer.standpoint.cwd, &answer.standpoint.home);
    let in_project = |path: &Path| (path.starts_with(cwd) && !home.starts_with(cwd)) || path.starts_with("/etc");
    let mut files: Vec<PathBuf> = Vec::new();
    for probe in answer.trace.iter().filter(|probe| own_name(&probe.path) && !in_project(&probe.path)) {
        if !files.contains(&probe.path) {
            files.push(probe.path.clone());
        }
    }
    // Files in the home directory come first: they belong to the user.
    files.sort_by_key(|file| !file.starts_with(&answer.standpoint.home));
    files
}

/// Returns the edit that sets a key, and the resulting text of the file.
fn set(disk: Disk, file: &Path, key: &[&str], value: usize) -> Option<(Edit, String)> {
    let is_toml = file.extension().is_some_and(|extension| extension == "toml");
    if !disk.is_taken(file) {
        let text = if is_toml { toml_line(key, value)? } else { format!("{{{} }}\n", json_entry(key, value)) };
        return Some((Edit::Create { path: file.to_owned(), text: text.clone() }, text));
    }
    let old = disk.read(file)?;
    let root = if is_toml { formats::parse_toml(&old) } else { formats::parse_json5(&old) }.ok()?;
    let (range, text) = match root.at_path(key) {
        Some(node) => (node.at.clone(), value.to_string()),
        None if is_toml => (0..0, toml_line(key, value)?),
        None => {
            let (table, depth) = deepest(&root, key);
            // After the opening brace of the table.
            let at = table.at.start + 1;
            let comma = if table.as_table().is_some_and(<[_]>::is_empty) { "" } else { "," };
            (at..at, format!("{}{comma}", json_entry(&key[depth..], value)))
        }
    };
    let new = [&old[..range.start], &text, &old[range.end..]].concat();
    Some((Edit::Replace { path: file.to_owned(), range, text }, new))
}

/// Renders a top-level key, which must come before every table; `None` for a nested key.
fn toml_line(key: &[&str], value: usize) -> Option<String> {
    match key {
        [key] => Some(format!("{key} = {value}\n")),
        _ => None,
    }
}

/// Renders a nested key as JSON: ` "a": {"b": 1}`.
fn json_entry(key: &[&str], value: usize) -> String {
    let Some((last, before)) = key.split_last() else { return String::new() };
    let open: String = before.iter().map(|key| format!(" \"{key}\": {{")).collect();
    format!("{open} \"{last}\": {value}{}", " }".repeat(before.len()))
}

/// Returns the innermost existing table on the way to a key, and the number of keys that lead to it.
fn deepest<'n>(root: &'n Node, key: &[&str]) -> (&'n Node, usize) {
    let (mut node, mut depth) = (root, 0);
    while let Some(next) = key.get(depth).and_then(|key| node.get(key)).filter(|next| next.as_table().is_some()) {
        (node, depth) = (next, depth + 1);
    }
    (node, depth)
}
