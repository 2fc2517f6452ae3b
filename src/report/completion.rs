//! Completion: paths of imports and settings, keys and their values, ids of agents.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::settings::{Part, Spot, spot};
use super::vocabulary::keys_of;
use crate::harness::ALL;
use crate::harness::custom::{Customs, FILE_NAME};
use crate::harness::keys::{Key, Takes};
use crate::harness::names::beside;
use crate::snapshot::absolute;

/// Completions for one position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Offer {
    /// Words that replace this byte range.
    Words(Range<usize>, Vec<Word>),
    /// Entries of this directory, which replace this byte range.
    Entries(Range<usize>, PathBuf),
}

/// One completion item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Label shown in the list.
    pub label: String,
    /// Text to insert.
    pub text: String,
    /// Id or title of the agent that the word belongs to.
    pub detail: String,
    /// Explanation of the word; empty if there is none.
    pub meaning: String,
}

/// Returns the completions at a byte of a file. `imports` is true if an agent reads the file, so that it may import
/// others.
pub fn offer(path: &Path, text: &str, byte: usize, imports: bool, customs: &Customs, home: &Path) -> Option<Offer> {
    let byte = text.floor_char_boundary(byte.min(text.len()));
    if path.file_name() == Some(FILE_NAME.as_ref()) {
        return harnesses(path, text, byte, customs);
    }
    if let Some(spot) = spot(path, text, byte) {
        return match spot.part {
            Part::Key => keys(path, text, spot),
            Part::Value => values(path, text, byte, spot, home),
        };
    }
    if imports { import(path, text, byte, home) } else { None }
}

/// Completes a path after `@` or `#[[file:`.
fn import(path: &Path, text: &str, byte: usize, home: &Path) -> Option<Offer> {
    let line = text[..byte].rfind('\n').map_or(0, |newline| newline + 1);
    let before = &text[line..byte];
    let (at, base) = match (before.rfind('@'), before.rfind("#[[file:")) {
        (_, Some(at)) if !before[at..].contains("]]") => (line + at + "#[[file:".len(), beside(path)),
        (Some(at), _) => (line + at + 1, path.parent()?.to_owned()),
        _ => return None,
    };
    // An `@` after a letter belongs to an email address.
    let marked = text[..at].ends_with(':')
        || !text[..at - 1].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '`' | '.' | '_'));
    let typed = &text[at..byte];
    if !marked || typed.contains(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | '@')) {
        return None;
    }
    Some(entries(typed, byte, &base, home))
}

/// Returns the entries of the directory that the typed path leads to.
fn entries(typed: &str, byte: usize, base: &Path, home: &Path) -> Offer {
    let (dir, name) = typed.rsplit_once('/').map_or(("", typed), |(dir, name)| (dir, name));
    let dir = match dir.strip_prefix('~') {
        Some(rest) => absolute(home, Path::new(rest.trim_start_matches('/'))),
        None if typed.starts_with('/') => absolute(Path::new("/"), Path::new(dir)),
        None => absolute(base, Path::new(dir)),
    };
    Offer::Entries(byte - name.len()..byte, dir)
}

fn keys(path: &Path, text: &str, spot: Spot) -> Option<Offer> {
    let (_, above) = spot.way.split_last()?;
    let mut words: Vec<Word> = Vec::new();
    for (harness, key) in keys_of(path) {
        let Some(next) = key.after(above) else { continue };
        if words.iter().any(|word| word.label == next && word.detail == harness) {
            continue;
        }
        // The meaning describes the whole key, not a table on the way to it.
        let whole = key.name.split('.').count() == above.len() + 1;
        let meaning = if whole { key.meaning.to_owned() } else { String::new() };
        words.push(Word {
            label: next.to_owned(),
            text: written(next, path, text, &spot),
            detail: harness.to_owned(),
            meaning,
        });
    }
    (!words.is_empty()).then_some(Offer::Words(spot.at, words))
}

/// Formats a key for the file's format, with the separator after it unless that is already there.
fn written(key: &str, path: &Path, text: &str, spot: &Spot) -> String {
    let rest = text[spot.at.end..].trim_start_matches(['"', '\'']).trim_start_matches(' ');
    match path.extension().and_then(|extension| extension.to_str()) {
        _ if spot.quoted || rest.starts_with([':', '=']) => key.to_owned(),
        Some("toml") => format!("{key} = "),
        Some("md" | "mdc") => format!("{key}: "),
        _ => format!("\"{key}\": "),
    }
}

fn values(path: &Path, text: &str, byte: usize, spot: Spot, home: &Path) -> Option<Offer> {
    let (harness, key) = keys_of(path).find(|(_, key)| key.is_at(&spot.way))?;
    let quoted = |word: &str| {
        let bare = spot.quoted
            || matches!(word, "true" | "false")
            || path.extension().is_some_and(|it| it == "md" || it == "mdc");
        if bare { word.to_owned() } else { format!("\"{word}\"") }
    };
    let word = |word: &str, key: &Key| Word {
        label: word.to_owned(),
        text: quoted(word),
        detail: harness.to_owned(),
        meaning: key.meaning.to_owned(),
    };
    match key.takes {
        Takes::Words(words) => Some(Offer::Words(spot.at, words.iter().map(|text| word(text, key)).collect())),
        Takes::Names => {
            let mut plain: Vec<&str> = ALL.iter().flat_map(|profile| profile.instruction_names).copied().collect();
            plain.retain(|name| !name.contains(['/', '*']));
            plain.sort_unstable();
            plain.dedup();
            Some(Offer::Words(spot.at, plain.into_iter().map(|name| word(name, key)).collect()))
        }
        Takes::Paths if spot.quoted || !spot.at.is_empty() => {
            Some(entries(&text[spot.at.start..byte], byte, &beside(path), home))
        }
        Takes::Paths | Takes::Limit(_) | Takes::Other => None,
    }
}

/// Completes the value of `extends` in a `briefing.toml`: agents that a custom agent can extend.
fn harnesses(path: &Path, text: &str, byte: usize, customs: &Customs) -> Option<Offer> {
    let spot = spot(path, text, byte)?;
    let extends = spot.part == Part::Value && spot.way.last().is_some_and(|key| key == "extends");
    if !extends {
        return None;
    }
    let quoted = |id: &str| if spot.quoted { id.to_owned() } else { format!("\"{id}\"") };
    let built_in = ALL.iter().flat_map(|profile| {
        let editions = profile.editions.iter().map(|edition| format!("{}@{}", profile.id, edition.about().name));
        std::iter::once(profile.id.to_owned()).chain(editions).map(|id| Word {
            text: quoted(&id),
            label: id,
            detail: profile.title.to_owned(),
            meaning: profile.summary.to_owned(),
        })
    });
    let own = customs.harnesses.iter().map(|custom| Word {
        label: custom.id.clone(),
        text: quoted(&custom.id),
        detail: custom.title.clone(),
        meaning: String::new(),
    });
    let mut words: Vec<Word> = built_in.chain(own).collect();
    words.dedup_by(|one, other| one.label == other.label);
    Some(Offer::Words(spot.at.clone(), words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_mark(path: &str, text_with_mark: &str) -> String {
        let byte = text_with_mark.find('|').expect("a mark");
        let text = text_with_mark.replacen('|', "", 1);
        match offer(Path::new(path), &text, byte, true, &Customs::default(), Path::new("/h")) {
            Some(Offer::Entries(at, dir)) => format!("{} for `{}`", dir.display(), &text[at]),
            Some(Offer::Words(at, words)) => {
                let texts: Vec<_> = words.iter().take(3).map(|word| word.text.as_str()).collect();
                format!("{} for `{}`", texts.join(" "), &text[at])
            }
            None => "nothing".to_owned(),
        }
    }

    #[test]
    fn what_is_offered_depends_on_the_place() {
        for (path, text, expected) in [
            ("/r/CLAUDE.md", "See @|", "/r for ``"),
            ("/r/CLAUDE.md", "See @docs/a|", "/r/docs for `a`"),
            ("/r/CLAUDE.md", "See @./../x/|", "/x for ``"),
            ("/r/CLAUDE.md", "(@~/.claude/b|", "/h/.claude for `b`"),
            ("/r/CLAUDE.md", "@/etc/|", "/etc for ``"),
            ("/r/CLAUDE.md", "me@|", "nothing"),
            ("/r/CLAUDE.md", "@a b|", "nothing"),
            ("/r/CLAUDE.md", "no|", "nothing"),
            ("/r/.kiro/steering/a.md", "#[[file:api/|", "/r/api for ``"),
            ("/r/.kiro/steering/a.md", "---\nin|\n---\n", "inclusion:  fileMatchPattern:  for `in`"),
            ("/r/.kiro/steering/a.md", "---\ninclusion: m|\n---\n", "always fileMatch manual for `m`"),
            ("/r/.cursor/rules/a.mdc", "---\nalwaysApply: |\n---\n", "true false for ``"),
            (
                "/r/.codex/config.toml",
                "pro|",
                "project_doc_max_bytes =  project_doc_fallback_filenames =  project_root_markers =  for `pro`",
            ),
            ("/r/.codex/config.toml", "[projects.\"/p\"]\ntr|", "trust_level =  for `tr`"),
            ("/r/.codex/config.toml", "[projects.\"/p\"]\ntrust_level = |", "\"trusted\" \"untrusted\" for ``"),
            (
                "/r/.codex/config.toml",
                "project_doc_fallback_filenames = [\"|\"]",
                ".clinerules .cursorrules .goosehints for ``",
            ),
            ("/r/opencode.json", "{\"ins|\"", "instructions default_agent agent for `ins`"),
            ("/r/opencode.json", "{|}", "\"instructions\":  \"default_agent\":  \"agent\":  for ``"),
            ("/r/opencode.json", "{\"instructions\": [\"docs/a|\"]}", "/r/docs for `a`"),
            ("/r/.gemini/settings.json", "{\"context\": {\"importFormat\": \"|\"}}", "tree flat for ``"),
            (
                "/r/.gemini/settings.json",
                "{\"context\": {\"file|Name\": 1}}",
                "fileName importFormat memoryBoundaryMarkers for `fileName`",
            ),
            ("/r/briefing.toml", "[harness.mine]\nextends = \"co|\"", "codex codex@0.104 codex@0.169 for `co`"),
            ("/r/briefing.toml", "[harness.mine]\ntitle = \"co|\"", "nothing"),
        ] {
            assert_eq!(with_mark(path, text), expected, "{path}: {text}");
        }
    }
}
