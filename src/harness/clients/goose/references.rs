//! References of Goose: `@path` is replaced by the text of the file, inside a boundary.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::gitignore::Gitignore;

use crate::answer::{Fate, Scope, Source, Text, Trigger, Warning};
use crate::harness::kit::conventional::{Chain, File, Load};
use crate::search::{Known, Search};
use crate::snapshot::{FileType, Meta, absolute};
use crate::text::Size;

/// Maximum depth of references, in files below the first.
const DEPTH_LIMIT: usize = 3;
/// Size above which references in a text are ignored, in bytes.
const REFERENCES_LIMIT_BYTES: usize = 131_072;
/// Maximum number of references that are followed for one hint file.
const REFERENCE_LIMIT: usize = 64;
/// Maximum size of the text that they add, in bytes.
const OUTPUT_LIMIT_BYTES: usize = 1024 * 1024;

/// Directory that references, and hints that are symlinks, must not leave.
pub(super) struct Boundary {
    dir: PathBuf,
    /// Existing directories of git's data about it.
    git: Vec<PathBuf>,
}

impl Boundary {
    pub fn of(dir: &Path, search: &mut Search) -> Known<Boundary> {
        let dir = search.real(dir)?.unwrap_or_else(|_| dir.to_owned());
        let entry = dir.join(".git");
        let own = match search.lstat(&entry, "references stay out of git's data")? {
            Ok(Meta { kind: FileType::File, .. }) => match pointer(&entry, search)? {
                Some(text) => match text.strip_prefix("gitdir:") {
                    Some(named) => directory(&dir, named, search)?,
                    None => None,
                },
                None => None,
            },
            _ => directory(&dir, ".git", search)?,
        };
        let Some(own) = own else { return Ok(Boundary { dir, git: Vec::new() }) };
        let common = match pointer(&own.join("commondir"), search)? {
            Some(text) => directory(&own, &text, search)?,
            None => None,
        };
        Ok(Boundary { dir, git: [own].into_iter().chain(common).collect() })
    }

    /// Returns the reason why a real path is excluded, if it is: it is outside, or part of git's data by its name or by
    /// the shape of a directory.
    pub fn keeps_out(&self, real: &Path, search: &mut Search) -> Known<Option<&'static str>> {
        const OUTSIDE: Option<&str> = Some("outside the boundary of references");
        const GIT: Option<&str> = Some("a part of git's own data");
        const RULE: &str = "a directory that looks like git's is left alone";
        let Ok(inside) = real.strip_prefix(&self.dir) else { return Ok(OUTSIDE) };
        if has_git(inside) || self.git.iter().any(|dir| real.starts_with(dir)) {
            return Ok(GIT);
        }
        for dir in real.ancestors().take_while(|dir| dir.starts_with(&self.dir)) {
            let head = search.lstat(&dir.join("HEAD"), RULE)?;
            if head.is_ok_and(|meta| matches!(meta.kind, FileType::File | FileType::Link)) {
                let data = search.is_dir(&dir.join("objects"), RULE)? && search.is_dir(&dir.join("refs"), RULE)?;
                if data || search.is_file(&dir.join("commondir"), RULE)? {
                    return Ok(GIT);
                }
            }
        }
        Ok(None)
    }
}

/// Returns the text of a file by which git points to another directory.
fn pointer(path: &Path, search: &mut Search) -> Known<Option<String>> {
    const LIMIT_BYTES: usize = 4096;
    if search.lstat(path, "where git keeps its data")?.is_ok_and(|meta| meta.kind == FileType::File) {
        let read = search.read(path, "where git keeps its data")?.ok();
        return Ok(read.and_then(|raw| raw.as_text().filter(|text| text.len() <= LIMIT_BYTES).map(str::to_owned)));
    }
    Ok(None)
}

/// Returns the real path of the directory that the first line of a pointer names, if it exists.
fn directory(base: &Path, named: &str, search: &mut Search) -> Known<Option<PathBuf>> {
    let Some(named) = named.lines().next().map(str::trim).filter(|named| !named.is_empty()) else { return Ok(None) };
    let Ok(real) = search.real(&base.join(named))? else { return Ok(None) };
    Ok(search.is_dir(&real, "where git keeps its data")?.then_some(real))
}

fn has_git(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git"))
}

/// References of one hint file, and of the files that they insert.
pub(super) struct References<'b> {
    boundary: &'b Boundary,
    ignored: &'b Gitignore,
    trigger: Trigger,
    /// References that lead to the current text.
    on_the_way: Vec<PathBuf>,
    /// Number of references that may still be followed.
    left: usize,
    /// Number of bytes that they may still add.
    room: usize,
}

impl<'b> References<'b> {
    pub fn new(boundary: &'b Boundary, ignored: &'b Gitignore, trigger: Trigger) -> References<'b> {
        let (left, room) = (REFERENCE_LIMIT, OUTPUT_LIMIT_BYTES);
        References { boundary, ignored, trigger, on_the_way: Vec::new(), left, room }
    }

    /// Replaces references by the text of the files. They are relative to the path by which the current text was found.
    pub fn expand(&mut self, text: &Text, path: &Path, chain: &mut Chain) -> Known<Text> {
        let (mut out, mut from) = (Vec::new(), 0);
        for token in references(text) {
            let reference = &text[token.start + 1..token.end];
            if self.on_the_way.len() >= DEPTH_LIMIT {
                if is_path(reference) {
                    let message =
                        format!("@{reference} stays as text: references are followed {DEPTH_LIMIT} files deep");
                    chain.answer.warnings.push(Warning::at("import-too-deep", path, message));
                }
                break;
            }
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            if self.on_the_way.iter().any(|seen| seen == Path::new(reference)) {
                continue;
            }
            let Some(file) = self.file(reference, path, chain)? else { continue };
            let theirs = whole(&file);
            let cost = format!("--- Content from {reference} ---\n\n--- End of {reference} ---").len() + theirs.len();
            if cost > self.room {
                // Nothing more is followed in this hint file.
                self.left = 0;
                break;
            }
            self.room -= cost;
            let place = chain.answer.sources.len();
            self.on_the_way.push(reference.into());
            let inner = self.expand(&theirs, &file.path, chain)?;
            self.on_the_way.pop();
            let load = Load { scope: Scope::Import, trigger: self.trigger, reason: "referred to by a hint file" };
            let source = Source::whole(&file.path, load.scope, Size::of(&file.text), load.reason);
            chain.answer.sources.insert(place, Source { trigger: load.trigger, ..source });
            let (head, tail) = (format!("--- Content from {reference} ---\n"), format!("\n--- End of {reference} ---"));
            out.extend([text.slice(from..token.start), Text::framed(head, inner, tail)]);
            from = token.end;
        }
        out.push(text.slice(from..text.len()));
        Ok(out.into_iter().collect())
    }

    /// Returns the file of a reference, if it may be inserted.
    fn file(&self, reference: &str, path: &Path, chain: &mut Chain) -> Known<Option<Arc<File>>> {
        if reference.starts_with('/') || has_git(Path::new(reference)) {
            return Ok(None);
        }
        let named = absolute(path.parent().unwrap_or(path), Path::new(reference));
        let Ok(real) = chain.search.real(&path.parent().unwrap_or(path).join(reference))? else {
            if is_path(reference) {
                let message = format!("@{reference} does not exist: the reference stays as it is");
                chain.answer.warnings.push(Warning::at("import-missing", path, message));
            }
            return Ok(None);
        };
        chain.answer.mention(path, reference, [real.clone()]);
        let load = Load { scope: Scope::Import, trigger: self.trigger, reason: "a reference" };
        if let Some(why) = self.boundary.keeps_out(&real, chain.search)? {
            let boundary = self.boundary.dir.display();
            let place =
                if real.starts_with(&self.boundary.dir) { why.to_owned() } else { format!("outside {boundary}") };
            let message = format!("@{reference} is {place}: it stays as it is");
            chain.answer.warnings.push(Warning::at("import-outside", path, message));
            chain.say(&named, load, Fate::Excluded, why);
            return Ok(None);
        }
        if self.ignored.matched(&real, false).is_ignore() {
            chain.say(&named, load, Fate::Excluded, "a .gitignore names it, so the reference stays as it is");
            return Ok(None);
        }
        let Some(file) = chain.file(&real, load)? else { return Ok(None) };
        if std::str::from_utf8(file.raw()).is_err() {
            chain.say(&real, load, Fate::Unreadable, "it is not UTF-8");
            return Ok(None);
        }
        Ok(Some(file))
    }
}

/// Returns the text of a file, with its byte order mark if it has one.
pub(super) fn whole(file: &File) -> Text {
    if file.raw().starts_with(b"\xef\xbb\xbf") {
        Text::framed("\u{feff}", file.text.clone(), "")
    } else {
        file.text.clone()
    }
}

/// Returns true if a reference looks like a path rather than a person's name.
fn is_path(reference: &str) -> bool {
    reference.contains('/') || reference.ends_with(".md")
}

/// Returns the ranges of `@path` at the beginning or after white space: a path with an extension, else a word with a
/// capital, else anything with a dot or a slash.
fn references(text: &str) -> Vec<Range<usize>> {
    if text.len() > REFERENCES_LIMIT_BYTES {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find('@').map(|at| from + at) {
        from = at + 1;
        let free = text[..at].chars().next_back().is_none_or(char::is_whitespace);
        if let Some(len) = length(&text[at + 1..]).filter(|_| free) {
            from = at + 1 + len;
            found.push(at..from);
        }
    }
    found
}

/// Returns the length in bytes of a reference at the start of `text`.
fn length(text: &str) -> Option<usize> {
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    let bytes = text.as_bytes();
    let run = bytes.iter().take_while(|byte| word(byte) || b"./".contains(byte)).count();
    let ending = |dot: usize| bytes[dot + 1..run].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let dot = (1..run).rev().find(|&at| bytes[at] == b'.' && ending(at) > 0);
    if let Some(dot) = dot {
        return Some(dot + 1 + ending(dot));
    }
    if bytes.first().is_some_and(u8::is_ascii_uppercase) {
        return Some(bytes.iter().take_while(|byte| word(byte)).count());
    }
    bytes[..run].iter().any(|byte| b"./".contains(byte)).then_some(run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_paths_with_an_ending_capitals_or_anything_with_a_slash() {
        for (text, expected) in [
            ("@a.md x@b.md @c/d.txt.", vec!["a.md", "c/d.txt"]),
            ("@README @readme @docs/ @.env", vec!["README", "docs/", ".env"]),
            ("@a.b-c.", vec!["a.b"]),
            ("(@a.md) \"@b.md\"\n@c.md,", vec!["c.md"]),
        ] {
            let found: Vec<_> = references(text).into_iter().map(|at| &text[at.start + 1..at.end]).collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }
}
