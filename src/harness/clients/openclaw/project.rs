//! Entries of MEMORY.md and USER.md that are annotated with a project, and which of them are dropped.

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::search::{Known, Search};
use crate::snapshot::FileType;
use crate::text::{is_js_space, js_trim};

/// Returns the byte ranges of entries that belong to projects other than `active`, each with its line break.
pub fn foreign_entries(text: &str, active: Option<&str>) -> Vec<Range<usize>> {
    let entries = entries(text);
    let is_foreign = |range: &Range<usize>| !belongs(&text[range.clone()], active);
    let kept: Vec<bool> = entries.iter().map(|range| !is_foreign(range)).collect();
    let last_kept = kept.iter().rposition(|kept| *kept);
    let mut removed = Vec::new();
    for (index, range) in entries.iter().enumerate() {
        if !kept[index] {
            removed.push(range.start..entries.get(index + 1).map_or(text.len(), |next| next.start));
        } else if Some(index) == last_kept && range.end < text.len() {
            // The line break before the dropped entries at the end.
            removed.push(range.end..range.end + 1);
        }
    }
    removed
}

/// Returns the byte ranges of the entries, without the line break after each. An entry begins at every list item and
/// heading.
fn entries(text: &str) -> Vec<Range<usize>> {
    let mut entries: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for line in text.split('\n') {
        let end = start + line.len();
        match entries.last_mut() {
            Some(entry) if !begins_entry(line) => entry.end = end,
            _ => entries.push(start..end),
        }
        start = end + 1;
    }
    entries
}

fn begins_entry(line: &str) -> bool {
    let after = line.trim_start_matches('#');
    let signs = line.len() - after.len();
    line.starts_with("- ") || ((1..=6).contains(&signs) && after.chars().next().is_none_or(is_js_space))
}

/// Returns true if an entry has no annotation, or only valid ones of the active project.
fn belongs(entry: &str, active: Option<&str>) -> bool {
    let markers = markers(entry, 0).count();
    if markers == 0 {
        return true;
    }
    let (mut closed, mut from) = (0, 0);
    while let Some(after) = markers_from(entry, from) {
        let Some(length) = entry[after..].find("-->") else { break };
        closed += 1;
        let keys = entry[after..after + length].split(';');
        if !keys.map(normalized).all(|key| key.is_some() && key == active.and_then(normalized)) {
            return false;
        }
        from = after + length + "-->".len();
    }
    closed == markers
}

fn markers_from(text: &str, from: usize) -> Option<usize> {
    markers(text, from).next()
}

/// Returns the positions after each `<!-- project:`, in any case and spacing.
fn markers(text: &str, from: usize) -> impl Iterator<Item = usize> + '_ {
    text[from..].match_indices("<!--").filter_map(move |(at, sign)| {
        let rest = text[from + at + sign.len()..].trim_start_matches(is_js_space);
        let rest = rest
            .get("project".len()..)
            .filter(|_| rest.as_bytes()[.."project".len()].eq_ignore_ascii_case(b"project"))?;
        rest.trim_start_matches(is_js_space).strip_prefix(':').map(|rest| text.len() - rest.len())
    })
}

/// Normalizes a key: the part before its first slash is lower-cased; `None` if it is not a valid key.
fn normalized(key: &str) -> Option<String> {
    let key = js_trim(key);
    if key.is_empty() || key.contains(['\r', '\n', '<', '>']) {
        return None;
    }
    Some(match key.split_once('/') {
        Some((host, path)) if !host.is_empty() && !key.starts_with("path:") => {
            format!("{}/{path}", host.to_lowercase())
        }
        _ => key.to_owned(),
    })
}

/// Returns the key of the repository around the workspace: its origin, else its path.
pub fn key(configured: Option<&Path>, workspace: &Path, search: &mut Search) -> Known<Option<String>> {
    let Some(root) = repository(configured, workspace, search)? else { return Ok(None) };
    let origin = match search.git(&root, "the project of the workspace")? {
        Some(repository) => {
            let config = repository.common_dir.join("config");
            search.read(&config, "remote.origin.url names the project")?.ok().and_then(|raw| origin(&raw.text()))
        }
        None => None,
    };
    let origin = origin.and_then(|url| place(&url));
    Ok(Some(match origin {
        Some((host, path)) => escaped(&format!("{}/{path}", host.to_lowercase())),
        None => format!("path:{}", escaped(&root.to_string_lossy())),
    }))
}

fn repository(configured: Option<&Path>, workspace: &Path, search: &mut Search) -> Known<Option<PathBuf>> {
    if let Some(dir) = configured
        && search.is_dir(dir, "agents.defaults.repoRoot")?
    {
        return Ok(Some(dir.to_owned()));
    }
    for dir in workspace.ancestors() {
        let found = search.stat(&dir.join(".git"), "the repository around the workspace")?;
        if found.is_ok_and(|meta| matches!(meta.kind, FileType::Dir | FileType::File)) {
            return Ok(Some(dir.to_owned()));
        }
    }
    Ok(None)
}

/// Returns `remote.origin.url` of a git configuration; the last one counts.
fn origin(config: &str) -> Option<String> {
    let mut found = None;
    let mut here = false;
    for line in config.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.split(']').next().unwrap_or_default();
            let (name, sub) = section.split_once(char::is_whitespace).unwrap_or((section, ""));
            here = name.eq_ignore_ascii_case("remote") && sub.trim() == "\"origin\"";
        } else if here
            && let Some((key, value)) = line.split_once('=')
            && key.trim().eq_ignore_ascii_case("url")
        {
            found = Some(value.trim().trim_matches('"').to_owned());
        }
    }
    found
}

/// Returns the host and the path of a git URL.
fn place(url: &str) -> Option<(String, String)> {
    let (host, path) = if let Some((_, rest)) = url.split_once("://") {
        let scheme = url.split("://").next().unwrap_or_default().to_ascii_lowercase();
        if !matches!(scheme.as_str(), "http" | "https" | "ssh" | "git" | "git+ssh" | "git+https") {
            return None;
        }
        let (authority, path) = rest.split_once('/')?;
        let host = authority.rsplit('@').next().unwrap_or(authority);
        (host.split(':').next().unwrap_or(host), path)
    } else {
        url.strip_prefix("git@")?.split_once(':')?
    };
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let path = path.strip_suffix(".git").unwrap_or(path).trim_start_matches('/');
    let safe =
        path.contains('/') && path.split('/').all(|part| !matches!(part, "" | "." | "..")) && !path.contains('\\');
    (safe && !host.is_empty()).then(|| (host.to_owned(), path.to_owned()))
}

fn escaped(key: &str) -> String {
    const SIGNS: [(char, &str); 6] =
        [('%', "%25"), (';', "%3b"), ('<', "%3c"), ('>', "%3e"), ('\r', "%0d"), ('\n', "%0a")];
    let mut out = String::with_capacity(key.len());
    for c in key.chars() {
        match SIGNS.iter().find(|(sign, _)| *sign == c) {
            Some((_, code)) => out.push_str(code),
            None => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str, active: Option<&str>) -> String {
        super::super::excerpt::Excerpt::whole(text).without(&foreign_entries(text, active)).text().to_owned()
    }

    #[test]
    fn entries_of_other_projects_are_dropped() {
        let here = Some("github.com/Acme/Repo");
        for (text, expected) in [
            ("- a\n- b", "- a\n- b"),
            ("- a\n- b <!-- project: x.com/y -->\n  more\n- c\n", "- a\n- c\n"),
            ("- b <!-- Project : GitHub.com/Acme/Repo -->\n- c", "- b <!-- Project : GitHub.com/Acme/Repo -->\n- c"),
            ("- a\n- b <!-- project: x.com/y -->", "- a"),
            ("- a <!-- project: x.com/y -->", ""),
            ("- a <!-- project: github.com/Acme/Repo; -->\n# h", "# h"),
            ("- a <!-- project: github.com/Acme/Repo", ""),
            ("x <!-- project: y -->\n- k\n", "- k\n"),
        ] {
            assert_eq!(kept(text, here), expected, "{text:?}");
        }
        assert_eq!(kept("- a <!-- project: github.com/Acme/Repo -->", None), "");
    }

    #[test]
    fn a_project_is_named_after_its_origin() {
        for (url, expected) in [
            ("https://GitHub.com/Acme/Repo.git", Some(("GitHub.com", "Acme/Repo"))),
            ("git@host.org:a/b/c.git", Some(("host.org", "a/b/c"))),
            ("ssh://git@host.org:22/a/b", Some(("host.org", "a/b"))),
            ("/srv/repo.git", None),
            ("https://host.org/only", None),
        ] {
            let expected = expected.map(|(host, path)| (host.to_owned(), path.to_owned()));
            assert_eq!(place(url), expected, "{url}");
        }
        let config = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = a\n\tfetch = x\n[remote \"b\"]\n\turl = c\n";
        assert_eq!(origin(config).as_deref(), Some("a"));
    }
}
