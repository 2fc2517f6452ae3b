//! Attaches files that instruction files refer to, if a setting is on. They may be anywhere on the disk.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use regex_lite::Regex;

use super::Attached;
use crate::answer::{Certain, Scope};
use crate::harness::kit::conventional::{Chain, File, Load};
use crate::harness::kit::heads;
use crate::search::Known;
use crate::snapshot::absolute;
use crate::text::{is_js_space, js_trim};

/// Name of the setting.
pub(super) const SETTING: &str = "chat.includeReferencedInstructions";

/// Attaches the files that `files` refer to, starting with the last file, and follows references in attached prompt
/// files.
pub(super) fn attach(mut files: Vec<Arc<File>>, attached: &mut Attached, chain: &mut Chain) -> Known<()> {
    let mut known: HashSet<PathBuf> = files.iter().map(|file| file.path.clone()).collect();
    while let Some(file) = files.pop() {
        for reference in references(body(&file.text)) {
            if reference.starts_with("file:") {
                let why = format!("what {} refers to by a URL was not asked about", file.path.display());
                chain.answer.doubt(&[Certain::Set], why);
            }
            let Some(path) = resolved(reference, &file.path, chain) else { continue };
            if !known.insert(path.clone()) {
                continue;
            }
            let reason = format!("{} refers to it, and {SETTING} is on", file.path.display());
            let load = Load::start(Scope::Import, &reason);
            let Some(found) = chain.file(&path, load)? else { continue };
            if std::str::from_utf8(found.raw()).is_err() {
                chain.answer.doubt(&[Certain::Text], format!("{} is no text", path.display()));
            }
            attached.attach(chain, &found, load)?;
            if is_prompt_file(&path) {
                files.push(found);
            }
        }
    }
    Ok(())
}

/// Returns the text after the front matter; empty if the front matter is not closed.
fn body(text: &str) -> &str {
    match heads::vscode_chat(text) {
        None => text,
        Some(head) => {
            let end = head.as_ptr() as usize - text.as_ptr() as usize + head.len();
            text[end..].split_once('\n').map_or("", |(_, body)| body)
        }
    }
}

/// Resolves a reference to a path; `None` if it is a URL.
fn resolved(reference: &str, file: &Path, chain: &Chain) -> Option<PathBuf> {
    Some(match reference.strip_prefix('~') {
        Some("") => chain.at.home.clone(),
        Some(rest) if rest.starts_with('/') => absolute(&chain.at.home, Path::new(&rest[1..])),
        _ if is_url(reference) => return None,
        _ if reference.starts_with('/') => PathBuf::from(reference),
        _ => absolute(file.parent()?, Path::new(reference)),
    })
}

/// Returns true if the reference begins with letters and `:/`.
fn is_url(reference: &str) -> bool {
    let rest = reference.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    rest.len() < reference.len() && rest.starts_with(":/")
}

/// Returns true if VS Code treats the file as a prompt file, in which references are followed.
fn is_prompt_file(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let place = path.parent().unwrap_or(path).to_string_lossy();
    let endings = [".prompt.md", ".instructions.md", ".chatmode.md", ".agent.md"];
    let folders = ["/.github/agents", "/.claude/agents", "/.copilot/agents"];
    let of_folder = || {
        let is_rule = path.to_string_lossy().contains("/.claude/rules/");
        name.ends_with(".md") && name != "README.md" && (is_rule || folders.iter().any(|end| place.ends_with(end)))
    };
    endings.iter().any(|end| name.ends_with(end))
        || name == "copilot-instructions.md"
        || name.eq_ignore_ascii_case("SKILL.md")
        || of_folder()
        || name.to_lowercase().ends_with(".json")
}

/// Returns the references outside of code in order: link targets, and the path of `#file:PATH`.
fn references(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    for line in text.split_inclusive('\n') {
        let inner = line.trim_start_matches(is_js_space);
        let mark = inner.chars().next().filter(|mark| matches!(mark, '`' | '~'));
        let length = mark.map_or(0, |mark| inner.len() - inner.trim_start_matches(mark).len());
        let opens = mark.filter(|_| length >= 3).map(|mark| (mark, length));
        match (fence, opens) {
            (None, None) => of_line(line, &mut found),
            (None, Some(_)) => fence = opens,
            (Some((mark, least)), Some((same, many)))
                if mark == same && many >= least && js_trim(&inner[many..]).is_empty() =>
            {
                fence = None;
            }
            (Some(_), _) => {}
        }
    }
    found
}

fn of_line<'t>(line: &'t str, found: &mut Vec<&'t str>) {
    static CODE: LazyLock<Regex> = LazyLock::new(|| Regex::new("`[^`]+`").expect("a fixed pattern"));
    static LINK: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\[([^\r\n]*?)\]\(([^\r\n]+?)\)").expect("a fixed pattern"));
    static FILE: LazyLock<Regex> = LazyLock::new(|| Regex::new("(?i)#file:").expect("a fixed pattern"));
    let code: Vec<Range<usize>> = CODE.find_iter(line).map(|code| code.range()).collect();
    let in_code = |at: usize| code.iter().any(|code| code.contains(&at));
    let mut links: Vec<Range<usize>> = Vec::new();
    let mut here: Vec<(usize, &str)> = Vec::new();
    for link in LINK.captures_iter(line) {
        let (Some(whole), Some(to)) = (link.get(0), link.get(2)) else { continue };
        if !line[..whole.start()].ends_with('!') && !in_code(whole.start()) {
            links.push(whole.range());
            here.push((to.start(), to.as_str()));
        }
    }
    for file in FILE.find_iter(line) {
        let rest = &line[file.end()..];
        let path = &rest[..rest.find(|c: char| c == '#' || is_js_space(c)).unwrap_or(rest.len())];
        let end = file.end() + path.len();
        let touches = links.iter().any(|link| link.start <= end && file.start() <= link.end);
        if !path.is_empty() && !touches && !in_code(file.start()) {
            here.push((file.end(), path));
        }
    }
    here.sort_unstable();
    found.extend(here.into_iter().map(|(_, path)| path));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_links_and_files_outside_of_code() {
        for (text, expected) in [
            ("See [a](a.md), ![b](b.md) and `[c](c.md)` #file:d.md, #FILE:e.md#x", vec!["a.md", "d.md,", "e.md"]),
            ("```\n[a](a.md)\n~~~\n``` x\n````\n[b](b.md)", vec!["b.md"]),
            ("[a](b.md \"t\")[c](d.md)#file:e.md", vec!["b.md \"t\"", "d.md"]),
            ("#file: x\n[]()", vec![]),
        ] {
            assert_eq!(references(text), expected, "{text}");
        }
    }

    #[test]
    fn the_body_is_what_stands_behind_the_head() {
        for (text, expected) in [("a", "a"), ("---\nb: c\n---\nd\n", "d\n"), ("---\nb: c\n", ""), ("---\n---", "")] {
            assert_eq!(body(text), expected, "{text}");
        }
    }
}
