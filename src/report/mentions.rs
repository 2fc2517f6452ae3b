//! Byte ranges of the mentions of other files in a file; links, definitions, hovers and renames are built on them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::settings;
use crate::answer::{Fate, Place, Resolution};

/// A mention of other files in the text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Byte range in the file.
    pub at: Range<usize>,
    /// Text of the mention.
    pub text: String,
    /// Files and URLs that the text resolves to.
    pub leads_to: Vec<Place>,
    /// Ids of the agents that resolve this text.
    pub harnesses: Vec<String>,
}

impl Named {
    /// Returns the files that the text resolves to, without URLs.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.leads_to.iter().filter_map(|place| match place {
            Place::Path(path) => Some(path.as_path()),
            Place::Url(_) => None,
        })
    }

    /// Returns true if the text is a glob rather than the name of one file.
    pub fn is_pattern(&self) -> bool {
        self.text.contains(['*', '?', '[', '{'])
    }
}

/// Returns the mentions in a file in text order, taken from the answers of the agents that read it.
pub fn named(path: &Path, raw: &[u8], answers: &[Arc<Resolution>]) -> Vec<Named> {
    let mut words: BTreeMap<&str, (BTreeSet<Place>, BTreeSet<&str>)> = BTreeMap::new();
    for answer in answers {
        for mention in answer.answer.mentions.iter().filter(|mention| stands_in(path, &mention.file)) {
            let (places, harnesses) = words.entry(&mention.text).or_default();
            places.extend(mention.leads_to.iter().cloned().map(Place::Path));
            harnesses.insert(&answer.harness);
        }
    }
    let mut found: Vec<Named> = places(raw, words.keys().copied().collect())
        .into_iter()
        .map(|(at, text)| {
            let (places, harnesses) = &words[text];
            let harnesses = harnesses.iter().map(|id| (*id).to_owned()).collect();
            Named { at, text: text.to_owned(), leads_to: places.iter().cloned().collect(), harnesses }
        })
        .collect();
    for entry in entries(path, raw, answers) {
        if found.iter().all(|named| named.at != entry.at) {
            found.push(entry);
        }
    }
    found.sort_by_key(|named| named.at.start);
    found
}

/// Returns true if a mention belongs to the file `path`. Mentions of a settings layer that consists of several files
/// are recorded with the directory of those files.
fn stands_in(path: &Path, mentioned: &Path) -> bool {
    path == mentioned || (path.parent() == Some(mentioned) && path.extension().is_some_and(|it| it != "md"))
}

/// Returns the strings in a settings file that equal a source's URL or file name. Missing sources do not count.
fn entries(path: &Path, raw: &[u8], answers: &[Arc<Resolution>]) -> Vec<Named> {
    let Some(texts) = settings::texts(path, raw) else { return Vec::new() };
    let named = |(text, at): (String, Range<usize>)| {
        let mut leads_to = BTreeSet::new();
        let mut harnesses = Vec::new();
        for answer in answers.iter().filter(|answer| rests_on(answer, path)) {
            let sources = answer.answer.sources.iter().filter(|source| source.fate != Fate::Missing);
            let before = leads_to.len();
            leads_to.extend(sources.map(|source| &source.place).filter(|place| is_called(place, &text)).cloned());
            if leads_to.len() > before {
                harnesses.push(answer.harness.clone());
            }
        }
        (!leads_to.is_empty()).then(|| Named { at, text, leads_to: leads_to.into_iter().collect(), harnesses })
    };
    texts.into_iter().filter_map(named).collect()
}

/// Returns true if an answer depends on a settings file.
fn rests_on(answer: &Resolution, path: &Path) -> bool {
    answer.trace.iter().any(|probe| probe.path == path) || answer.depends().any(|ask| ask.path() == path)
}

fn is_called(place: &Place, text: &str) -> bool {
    match place {
        Place::Path(path) => path.file_name().is_some_and(|name| name == text),
        Place::Url(url) => url == text,
    }
}

/// Finds `texts` in a file: after `@` or `#[[file:`, or between quotation marks.
fn places<'t>(raw: &[u8], texts: BTreeSet<&'t str>) -> Vec<(Range<usize>, &'t str)> {
    let lengths: BTreeSet<usize> = texts.iter().map(|text| text.len()).collect();
    let mut found: Vec<(Range<usize>, &str)> = Vec::new();
    // Texts that occur at least once followed by white space or the end of the file.
    let mut whole: BTreeSet<&str> = BTreeSet::new();
    let mut from = 0;
    for at in 0..raw.len() {
        let quote = match raw[at] {
            b'@' => None,
            b':' if raw[..at].ends_with(b"#[[file") => None,
            quote @ (b'"' | b'\'') => Some(quote),
            _ => continue,
        };
        let blanks = if raw[at] == b':' { raw[at + 1..].iter().take_while(|byte| **byte == b' ').count() } else { 0 };
        let start = at + 1 + blanks;
        // Take the longest match: `@a.md` may be the beginning of `@a.md.bak`.
        let longest = lengths.iter().rev().find_map(|&len| {
            let words = std::str::from_utf8(raw.get(start..start + len)?).ok()?;
            let text = texts.get(words)?;
            let ends = match quote {
                Some(quote) => raw.get(start + len) == Some(&quote),
                None => !goes_on(&raw[start + len..]),
            };
            ends.then_some(*text)
        });
        if let Some(text) = longest.filter(|_| start >= from) {
            from = start + text.len();
            found.push((start..from, text));
            if is_free(&raw[from..]) {
                whole.insert(text);
            }
        }
    }
    // Some agents take punctuation after a path as part of it. If the path also occurs alone, only that occurrence
    // counts.
    found.retain(|(at, text)| {
        let quoted = matches!(raw[at.start - 1], b'"' | b'\'');
        quoted || !whole.contains(text) || is_free(&raw[at.end..])
    });
    found
}

/// Returns true if `rest` is empty or begins with white space.
fn is_free(rest: &[u8]) -> bool {
    rest.first().is_none_or(u8::is_ascii_whitespace)
}

/// Returns true if `rest` continues a path, so that the text before it is only the beginning of that path.
fn goes_on(rest: &[u8]) -> bool {
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-/".contains(byte);
    match rest {
        [b'.', next, ..] => word(next),
        [next, ..] => word(next),
        [] => false,
    }
}

/// Returns the mentions that resolve to `target` or to a path below it, each as file, text and resolved path.
pub fn leading_to<'a>(
    target: &'a Path,
    answers: &'a [Arc<Resolution>],
) -> impl Iterator<Item = (&'a Path, &'a str, &'a Path)> {
    let mentions = answers.iter().flat_map(|answer| &answer.answer.mentions);
    mentions.flat_map(move |mention| {
        let below = mention.leads_to.iter().filter(move |path| path.starts_with(target));
        below.map(|path| (mention.file.as_path(), mention.text.as_str(), path.as_path()))
    })
}

/// Returns the files with a mention that resolves to `target` or to a path below it.
pub fn files_leading_to(target: &Path, answers: &[Arc<Resolution>]) -> BTreeSet<PathBuf> {
    leading_to(target, answers).map(|(file, ..)| file.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_where_they_are_whole() {
        let texts = BTreeSet::from(["a.md", "a.md.bak", "./b", "*.md", "c.yaml"]);
        for (text, expected) in [
            ("@a.md, @a.md.bak @a.mdx (@a.md)", vec!["1..5 a.md", "8..16 a.md.bak", "26..30 a.md"]),
            ("@a.md.\n@a.md. b", vec!["1..5 a.md", "8..12 a.md"]),
            ("[\"*.md\", 'a.md', \"a.md\\n\"]", vec!["2..6 *.md", "10..14 a.md"]),
            ("#[[file: c.yaml]] #[[file:c.yaml]]", vec!["9..15 c.yaml", "26..32 c.yaml"]),
            ("@./b/c @./b", vec!["8..11 ./b"]),
            ("é@a.md", vec!["3..7 a.md"]),
        ] {
            let found = places(text.as_bytes(), texts.clone());
            let said: Vec<_> = found.into_iter().map(|(at, words)| format!("{at:?} {words}")).collect();
            assert_eq!(said, expected, "{text}");
        }
    }
}
