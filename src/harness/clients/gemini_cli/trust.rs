//! Trust in a folder: the environment, the setting, and `trustedFolders.json`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::environment::{Variables, flag};
use super::paths::{joined, within};
use crate::answer::{Standpoint, Warning};
use crate::formats::{self, Node};
use crate::search::{Halt, Known, Search};
use crate::snapshot::absolute;

/// Decision about a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    Granted,
    Denied,
    /// No decision: the client asks. Briefing answers as if the folder were trusted.
    Undecided,
}

impl Trust {
    pub(super) fn warning(self, cwd: &Path) -> Option<Warning> {
        let cwd = cwd.display();
        match self {
            Trust::Granted => None,
            Trust::Denied => Some(Warning::general(
                "untrusted",
                format!(
                    "{cwd} is not trusted: Gemini CLI reads no file of the project, and without a terminal it does not start"
                ),
            )),
            Trust::Undecided => Some(Warning::general(
                "trust-undecided",
                format!(
                    "whether {cwd} is trusted is undecided: Gemini CLI will ask; shown is what a trusted folder gets"
                ),
            )),
        }
    }
}

/// Returns the decision about the working directory under these settings.
pub(super) fn of(
    settings: &Node,
    at: &Standpoint,
    home: &Path,
    variables: &Variables,
    search: &mut Search,
) -> Known<Trust> {
    let given = variables.get("GEMINI_CLI_TRUST_WORKSPACE", search);
    if variables.get("GEMINI_RESTRICTED_MODE", search).as_deref() == Some("true") || given.as_deref() == Some("false") {
        return Ok(Trust::Denied);
    }
    if given.as_deref() == Some("true") || at.flag(super::ID, "skip-trust") {
        return Ok(Trust::Granted);
    }
    if !flag(settings.at_path(&["security", "folderTrust", "enabled"]), true) {
        return Ok(Trust::Granted);
    }
    let file = match search.env("GEMINI_CLI_TRUSTED_FOLDERS_PATH").filter(|path| !path.is_empty()) {
        Some(path) => absolute(&at.cwd, Path::new(&path)),
        None => home.join(".gemini/trustedFolders.json"),
    };
    let rules = rules(&file, at, search)?;
    let mut longest: Option<(usize, Level)> = None;
    for (path, level) in rules {
        let place = if level == Level::Parent { path.parent().unwrap_or(&path) } else { &path };
        let place = search.real(place)?.unwrap_or_else(|_| place.to_owned());
        let len = crate::text::utf16_len(&path.to_string_lossy());
        if within(&place, &at.cwd) && longest.is_none_or(|(longest, _)| len > longest) {
            longest = Some((len, level));
        }
    }
    Ok(match longest {
        None => Trust::Undecided,
        Some((_, Level::Never)) => Trust::Denied,
        Some((_, Level::Folder | Level::Parent)) => Trust::Granted,
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Folder,
    Parent,
    Never,
}

fn rules(file: &Path, at: &Standpoint, search: &mut Search) -> Known<Vec<(PathBuf, Level)>> {
    let refused = |what: String| Err(Halt::refused(file, format!("Error in {}: {what}", file.display())));
    let raw = match search.read(file, "trust: the folders somebody decided about")? {
        Ok(raw) => raw,
        Err(_) if search.stat(file, "decisions that cannot be reached are missing")?.is_err() => return Ok(Vec::new()),
        Err(problem) => return refused(problem.to_string()),
    };
    let text = formats::without_comments(&raw.text());
    let node = match formats::parse_json(&text) {
        Ok(node) => node,
        Err(error) => return refused(error.with_position(&text)),
    };
    let Some(table) = node.as_table() else {
        return refused("Trusted folders file is not a valid JSON object.".to_owned());
    };
    let (mut rules, mut places): (Vec<(PathBuf, Level)>, HashMap<PathBuf, usize>) = Default::default();
    for (path, level) in table {
        let level = match level.as_text() {
            Some("TRUST_FOLDER") => Level::Folder,
            Some("TRUST_PARENT") => Level::Parent,
            Some("DO_NOT_TRUST") => Level::Never,
            _ => return refused(format!("Invalid trust level for path \"{path}\".")),
        };
        let place = if path.starts_with('/') { joined(Path::new("/"), path) } else { joined(&at.cwd, path) };
        let at = *places.entry(place.clone()).or_insert(rules.len());
        match rules.get_mut(at) {
            Some((_, known)) => *known = level,
            None => rules.push((place, level)),
        }
    }
    Ok(rules)
}
