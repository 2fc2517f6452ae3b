//! Imports: the text of a file that a token `@path` names is inserted after the token.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use crate::answer::{Answer, Certain, Fate, Scope, Source, Text, Trigger, Warning};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, Content, absolute};
use crate::text;

/// Maximum depth of imports, in files below the first (Copilot CLI 1.0.102).
const DEPTH_LIMIT: usize = 8;
/// Maximum number of files imported into one file, directly or indirectly (Copilot CLI 1.0.102).
const FILE_LIMIT: usize = 64;
/// Maximum size of all text imported into one file, in bytes; a file that would exceed it is not imported (Copilot CLI
/// 1.0.102).
const TEXT_LIMIT_BYTES: usize = 512 * 1024;
/// Maximum length of a path, in bytes (Linux, `PATH_MAX`).
const PATH_LIMIT_BYTES: usize = 4096;
/// Maximum number of tokens that Briefing looks up for one file. The client has no such limit.
const LOOKUP_CAP: usize = 2_000;

/// Resolves the imports of one file.
pub(super) struct Importer<'a> {
    /// Directory that imports must not leave.
    root: &'a Path,
    trigger: Trigger,
    /// Real paths of the files whose text is already included.
    seen: HashSet<PathBuf>,
    /// Number of tokens that were looked up.
    lookups: usize,
    /// True if the warning about too many lookups was given.
    warned_of_cap: bool,
    files: usize,
    bytes: usize,
}

impl<'a> Importer<'a> {
    /// Creates an importer for the file with the real path `own`.
    pub(super) fn new(root: &'a Path, trigger: Trigger, own: PathBuf) -> Importer<'a> {
        Importer { root, trigger, seen: HashSet::from([own]), lookups: 0, warned_of_cap: false, files: 0, bytes: 0 }
    }

    /// Returns `content` with the text of every import after its token.
    pub(super) fn expand(
        &mut self,
        importer: &Path,
        content: &Text,
        depth: usize,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Known<Text> {
        if depth >= DEPTH_LIMIT {
            let meant = tokens(content).into_iter().filter(|token| token.len() <= PATH_LIMIT_BYTES);
            let meant = meant.map(|token| &content[token]).find(|token| token.contains('/'));
            if let Some(token) = meant {
                let message = format!("{token} stays as text: imports are followed {DEPTH_LIMIT} files deep");
                answer.warnings.push(Warning::at("import-too-deep", importer, message));
            }
            return Ok(content.clone());
        }
        let (mut out, mut from) = (Vec::new(), 0);
        let tokens = tokens(content);
        self.expect(importer, content, &tokens, search)?;
        for token in tokens {
            if token.start < from {
                continue;
            }
            let path = &content[token.start + 1..token.end];
            let Some((real, raw)) = self.file(importer, path, search, answer)? else { continue };
            let known = self.seen.contains(&real);
            if !self.has_room(importer, &real, raw.len(), known, answer) {
                continue;
            }
            out.push(content.slice(from..token.end));
            from = token.end;
            let source = attribute(&real.to_string_lossy());
            if known {
                let note =
                    format!("\n\n<imported_custom_instruction source=\"{source}\" skipped=\"already-loaded\" />");
                out.push(note.into());
                continue;
            }
            self.seen.insert(real.clone());
            self.files += 1;
            self.bytes += raw.len();
            let place = answer.sources.len();
            let text = with_tags_escaped(&Text::of(&raw, &raw.text_without_bom()));
            let inner = self.expand(&real, &text, depth + 1, search, answer)?;
            let inner = inner.part(text::js_trim_end(&inner));
            let head = format!("\n\n<imported_custom_instruction source=\"{source}\">\n");
            out.push(Text::framed(head, inner, "\n</imported_custom_instruction>"));
            let file = Source::whole(&real, Scope::Import, raw.size(), "imported by an instruction file");
            answer.sources.insert(place, Source { kept: super::seen::kept(&raw), trigger: self.trigger, ..file });
        }
        out.push(content.slice(from..content.len()));
        Ok(out.into_iter().collect())
    }

    /// Announces the questions about imports whose path can be predicted.
    fn expect(&self, importer: &Path, content: &str, tokens: &[Range<usize>], search: &mut Search) -> Known<()> {
        let dir = importer.parent().unwrap_or(importer);
        let names = tokens.iter().map(|token| &content[token.start + 1..token.end]);
        let plain = names.filter(|name| may_be_file(name) && !name.contains(".."));
        let paths = plain.map(|name| absolute(dir, Path::new(name))).take(LOOKUP_CAP.saturating_sub(self.lookups));
        search.expect(paths.flat_map(|path| [Ask::Real(path.clone()), Ask::Content(path)]))
    }

    /// Returns true if one more file may be imported. Otherwise its token stays as it is, as do all tokens after the
    /// last file.
    fn has_room(&self, importer: &Path, real: &Path, bytes: usize, known: bool, answer: &mut Answer) -> bool {
        let reason = if self.files >= FILE_LIMIT {
            format!("{FILE_LIMIT} files are imported already: the token stays as it is")
        } else if !known && self.bytes + bytes > TEXT_LIMIT_BYTES {
            format!("with it more than {TEXT_LIMIT_BYTES} bytes would be imported: the token stays as it is")
        } else {
            return true;
        };
        let message = format!("{}: {reason}", real.display());
        let warning = Warning::at("import-cap", importer, message);
        if !known && !answer.warnings.contains(&warning) {
            answer.warnings.push(warning);
            let source = Source::new(real, Scope::Import, Fate::Dropped, reason);
            answer.sources.push(Source { trigger: self.trigger, ..source });
        }
        false
    }

    /// Returns the file that a token names, if it may be imported. Otherwise the token stays as it is.
    fn file(
        &mut self,
        importer: &Path,
        path: &str,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Known<Option<(PathBuf, Content)>> {
        if !may_be_file(path) {
            return Ok(None);
        }
        self.lookups += 1;
        if self.lookups > LOOKUP_CAP {
            if self.files < FILE_LIMIT && !std::mem::replace(&mut self.warned_of_cap, true) {
                let message = format!("{} imports more than {LOOKUP_CAP} files: not all are shown", importer.display());
                answer.doubt(&[Certain::Set], message.clone());
                answer.warnings.push(Warning::at("import-cap", importer, message));
            }
            return Ok(None);
        }
        let dir = importer.parent().unwrap_or(importer);
        let named = step_by_step(dir, Path::new(path), search)?;
        let real = named.map(|named| search.real(&named)).transpose()?.and_then(Result::ok);
        let Some(real) = real else {
            if path.contains('/') || path.ends_with(".md") {
                answer.mention(importer, path, [absolute(dir, Path::new(path))]);
                let message = format!("@{path} does not exist: the token stays as it is");
                answer.warnings.push(Warning::at("import-missing", importer, message));
            }
            return Ok(None);
        };
        answer.mention(importer, path, [real.clone()]);
        if !real.starts_with(self.root) {
            let message = format!("@{path} is outside {}: the token stays as it is", self.root.display());
            answer.warnings.push(Warning::at("import-outside", importer, message));
            let reason = "outside the directory that imports must stay in";
            answer.sources.push(Source::new(real, Scope::Import, Fate::Excluded, reason));
            return Ok(None);
        }
        let raw = match search.read(&real, "an import")? {
            Ok(raw) if raw.as_text().is_some() => raw,
            Ok(_) => return Ok(None),
            Err(problem) => {
                if search.is_file(&real, "an import")? {
                    answer.sources.push(Source::new(real, Scope::Import, Fate::Unreadable, problem.to_string()));
                }
                return Ok(None);
            }
        };
        Ok(Some((real, raw)))
    }
}

/// Returns an imported text with what looks like the tag around it escaped (Copilot CLI 1.0.102).
fn with_tags_escaped(text: &Text) -> Text {
    let is_tag = |at: usize| {
        let name = &text[at + 1..];
        name.strip_prefix('/').unwrap_or(name).starts_with("imported_custom_instruction")
    };
    let (mut out, mut from) = (Vec::new(), 0);
    for (at, _) in text.match_indices('<').filter(|(at, _)| is_tag(*at)) {
        out.extend([text.slice(from..at), "&lt;".into()]);
        from = at + 1;
    }
    out.push(text.slice(from..text.len()));
    out.into_iter().collect()
}

/// Returns true if the client looks up a token as a file.
fn may_be_file(path: &str) -> bool {
    let elsewhere = path.starts_with(['/', '\\']) || path.starts_with("~/");
    path.len() <= PATH_LIMIT_BYTES && !elsewhere && !path.ends_with('/') && path.contains(['.', '/'])
}

/// Resolves a relative path. As on disk, each `..` leads to the parent of an existing folder after resolving symlinks.
fn step_by_step(dir: &Path, path: &Path, search: &mut Search) -> Known<Option<PathBuf>> {
    let mut place = dir.to_owned();
    for part in path.components() {
        if part == Component::ParentDir {
            if !search.is_dir(&place, "the way of an import")? {
                return Ok(None);
            }
            place = search.real(&place)?.unwrap_or(place);
            place.pop();
        } else {
            place = absolute(&place, part.as_ref());
        }
    }
    Ok(Some(place))
}

/// Escapes `&`, `<`, `>` and both quotation marks.
pub(super) fn escaped(text: &str) -> String {
    attribute(text).replace('\'', "&apos;")
}

/// Escapes `&`, `<`, `>` and the double quotation mark.
fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Returns the ranges of the tokens outside of fences and code spans: an `@` that does not follow a letter, a digit or
/// one of `_.+%-`, and a path up to white space, a quotation mark, an angle bracket or a backtick, without trailing
/// punctuation.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if !text.contains('@') {
        return found;
    }
    let mut fence: Option<char> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        let mark = trimmed.chars().next().filter(|_| trimmed.starts_with("```") || trimmed.starts_with("~~~"));
        match (mark, fence) {
            (Some(mark), None) => fence = Some(mark),
            (Some(mark), Some(open)) if mark == open => fence = None,
            (_, Some(_)) => {}
            (None, None) => tokens_of_line(line, start, &mut found),
        }
        start += line.len();
    }
    found
}

fn tokens_of_line(line: &str, start: usize, found: &mut Vec<Range<usize>>) {
    let bytes = line.as_bytes();
    let mut run = Run::default();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'`' => {
                let ticks = bytes[at..].iter().take_while(|byte| **byte == b'`').count();
                let Some(len) = closing(&line[at + ticks..], ticks) else { return };
                at += ticks + len + ticks;
            }
            b'@' => {
                let before = at.checked_sub(1).map(|before| bytes[before]);
                let word = |byte: u8| byte.is_ascii_alphanumeric() || b"_.+%-".contains(&byte);
                if at >= run.end {
                    run = Run::new(line, at + 1);
                }
                let is_empty = run.path_end <= at + 1;
                let is_bare = run.last_slash.is_none_or(|slash| slash <= at);
                if is_empty || before.is_some_and(word) || (is_bare && bytes[at + 1] == b'@') {
                    at += 1;
                    continue;
                }
                found.push(start + at..start + run.path_end);
                // Another `@` may start a token inside one without a slash, but not inside a path with slashes.
                at = if is_bare { at + 1 } else { run.path_end };
            }
            _ => at += 1,
        }
    }
}

/// End of all paths that start in one run of characters. It is computed once per run, so that a run with many tokens
/// takes linear time.
#[derive(Default)]
struct Run {
    end: usize,
    /// End without trailing punctuation.
    path_end: usize,
    last_slash: Option<usize>,
}

impl Run {
    fn new(line: &str, from: usize) -> Run {
        let ends = |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '\'' | '`');
        let end = line[from..].find(ends).map_or(line.len(), |at| from + at);
        let path = line[from..end].trim_end_matches([',', '.', ';', ':', '!', '?', ')', ']', '}']);
        Run { end, path_end: from + path.len(), last_slash: path.rfind('/').map(|at| from + at) }
    }
}

/// Returns the position in `text` of the next run of exactly as many backticks.
fn closing(text: &str, ticks: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let run = text[at + found..].bytes().take_while(|byte| *byte == b'`').count();
        if run == ticks {
            return Some(at + found);
        }
        at += found + run;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_stand_outside_of_code() {
        for (text, expected) in [
            ("@a.md, (@b.md) x@c.md", vec!["a.md", "b.md"]),
            ("`@a.md` @b.md ` @c.md\n@d.md", vec!["b.md", "d.md"]),
            ("````\n```\n@a.md\n~~~\n@b.md\n```\n@c.md\n~~~\n", vec!["a.md"]),
            ("@a.md\"x @b.md... -@c.md @@d.md @@./e.md", vec!["a.md", "b.md", "d.md", "@./e.md"]),
            ("(@a@b/c)@d.md,@e(@f). @. @", vec!["a@b/c)@d.md,@e(@f"]),
            ("@a(@b(@c.", vec!["a(@b(@c", "b(@c", "c"]),
        ] {
            let found: Vec<_> = tokens(text).into_iter().map(|at| &text[at.start + 1..at.end]).collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }

    #[test]
    fn a_line_of_nothing_but_tokens_is_gone_through_once() {
        // Searching for the end of each token separately would take 10¹² steps.
        let times = 1_000_000;
        assert_eq!(tokens(&"@a(".repeat(times)).len(), times);
    }
}
