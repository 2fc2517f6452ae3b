//! Replaces `{env:NAME}` and `{file:PATH}` in the text of settings before it is parsed. Replacements may be secrets, so
//! the text remembers what was written in the settings.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::OpenCode;
use super::rules::References;
use aho_corasick::{AhoCorasick, MatchKind};

use crate::search::{Known, Search};
use crate::snapshot::{Content, Errno, FileType, Unreadable, absolute};
use crate::text;

/// References that the text of a file may contain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rights<'a> {
    /// Everything, because the client does not distinguish owners.
    All,
    /// Everything, because the file is the user's; comment lines stay as they are.
    User,
    /// Only files below this directory, and no variables.
    Within(&'a Path),
}

/// Kind of text in which references are replaced.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// Settings: replacements are escaped, and a missing file is an error.
    Settings,
    /// Markdown: replacements are not escaped, a missing file is an empty text, and in the project's files a dollar
    /// sign disables a reference.
    Markdown,
}

/// Context in which references are resolved.
pub(super) struct Context<'a> {
    /// Base directory of relative paths.
    pub dir: &'a Path,
    /// Directory for `~/`.
    pub home: &'a Path,
    /// Variables from logins.
    pub variables: &'a HashMap<String, String>,
    pub rights: Rights<'a>,
    pub target: Target,
}

impl Context<'_> {
    /// Returns true if `${…}` is not a reference.
    fn is_guarded_by_dollar(&self) -> bool {
        self.target == Target::Markdown && matches!(self.rights, Rights::Within(_))
    }

    /// Returns the references of one kind.
    fn references(&self, text: &str, opening: &str) -> Vec<Range<usize>> {
        references(text, opening, self.is_guarded_by_dollar())
    }
}

/// Variables that Kilo never discloses (7.7.9).
const BLOCKED: [&str; 4] =
    ["KILO_SERVER_PASSWORD", "KILO_SERVER_USERNAME", "KILO_BROWSER_BROKER_URL", "KILO_BROWSER_BROKER_TOKEN"];

/// A text with its references replaced.
#[derive(Default)]
pub(super) struct Substituted {
    pub text: String,
    /// Ranges of the replacements, each with the reference that was written there; in order.
    pieces: Vec<(Range<usize>, String)>,
}

impl Substituted {
    /// Returns the text as written in the settings for this part, if something in it was replaced.
    pub fn written(&self, at: &Range<usize>) -> Option<String> {
        let mut pieces =
            self.pieces.iter().filter(|(piece, _)| piece.start < at.end && at.start < piece.end).peekable();
        pieces.peek()?;
        let (mut out, mut from) = (String::new(), at.start);
        for (piece, written) in pieces {
            out.push_str(&self.text[from..piece.start.max(from)]);
            out.push_str(written);
            from = piece.end;
        }
        out.push_str(&self.text[from.min(at.end)..at.end]);
        Some(out)
    }

    /// Hides the values in a message about this text: each is replaced with the reference that was written.
    pub fn conceal(&self, message: String) -> String {
        let values = self.pieces.iter().map(|(piece, written)| (self.text[piece.clone()].trim(), written));
        let (values, written): (Vec<&str>, Vec<&String>) = values.filter(|(value, _)| !value.is_empty()).unzip();
        // All at once, because a written reference may look like another value.
        match AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(values) {
            Ok(finder) => finder.replace_all(&message, &written),
            Err(_) => "what is wrong cannot be said without telling values".to_owned(),
        }
    }

    /// Copies a part of another text.
    fn copy(&mut self, other: &Substituted, part: Range<usize>) {
        let moved = |at: usize| self.text.len() + at - part.start;
        let inside = other.pieces.iter().filter(|(piece, _)| part.start <= piece.start && piece.end <= part.end);
        self.pieces.extend(inside.map(|(piece, written)| (moved(piece.start)..moved(piece.end), written.clone())));
        self.text.push_str(&other.text[part]);
    }

    /// Appends the replacement of a reference.
    fn put(&mut self, value: &str, written: String) {
        let start = self.text.len();
        self.text.push_str(value);
        self.pieces.push((start..self.text.len(), written));
    }
}

/// Replaces the references in `source`; fails with the error with which OpenCode stops.
pub(super) fn substitute(
    edition: &OpenCode,
    source: &str,
    context: &Context,
    search: &mut Search,
) -> Known<Result<Substituted, String>> {
    Ok(match with_environment(source, context, search) {
        Ok(source) => files(edition, &source, context, search)?.and_then(|files| with_files(edition, &source, &files)),
        Err(problem) => Err(problem),
    })
}

/// A reference to a file in the text of settings.
struct FileReference {
    at: Range<usize>,
    /// Reference as written in the settings.
    written: String,
    /// Text that replaces the reference.
    content: String,
}

/// Reads the files to which a text refers, except those in comments; fails with the error with which OpenCode stops at
/// the first one that it cannot read.
fn files(
    edition: &OpenCode,
    source: &Substituted,
    context: &Context,
    search: &mut Search,
) -> Known<Result<Vec<FileReference>, String>> {
    let is_in_comment = |at: &Range<usize>| match edition.settings.references {
        References::EachByItself => is_in_comment(&source.text, at.start),
        References::ByText | References::ByTextAlone => {
            let reference = &source.text[at.clone()];
            source.text.split('\n').find(|line| line.contains(reference)).is_some_and(is_comment)
        }
    };
    let found = context.references(&source.text, "{file:").into_iter().filter(|at| !is_in_comment(at));
    let files = found.map(|at| {
        let reference = &source.text[at.clone()];
        let written = source.written(&at).unwrap_or_else(|| reference.to_owned());
        let content = content(edition, reference, &written, context, search)?;
        Ok(content.map(|content| FileReference { at, written, content }))
    });
    files.collect()
}

fn with_files(edition: &OpenCode, source: &Substituted, files: &[FileReference]) -> Result<Substituted, String> {
    match edition.settings.references {
        References::EachByItself => Ok(each_by_itself(source, files)),
        References::ByText | References::ByTextAlone => by_text(edition, source, files),
    }
}

fn each_by_itself(source: &Substituted, files: &[FileReference]) -> Substituted {
    let mut out = Substituted::default();
    let mut rest_from = 0;
    for FileReference { at, written, content } in files {
        out.copy(source, rest_from..at.start);
        out.put(content, written.clone());
        rest_from = at.end;
    }
    out.copy(source, rest_from..source.text.len());
    out
}

/// Replaces files as older versions do: for each reference, JavaScript's `replace` of the first equal text.
fn by_text(edition: &OpenCode, source: &Substituted, files: &[FileReference]) -> Result<Substituted, String> {
    let mut out = Substituted::default();
    out.copy(source, 0..source.text.len());
    for FileReference { at, written, content } in files {
        let reference = &source.text[at.clone()];
        if let Some((before, after)) = out.text.split_once(reference) {
            let value = match edition.settings.references {
                References::ByText => replacement(content, reference, before, after),
                References::ByTextAlone | References::EachByItself => content.clone(),
            };
            let (start, end) = (before.len(), before.len() + reference.len());
            let mut next = Substituted::default();
            next.copy(&out, 0..start);
            next.put(&value, written.clone());
            next.copy(&out, end..out.text.len());
            out = next;
        }
        if out.text.len() > LENGTH_LIMIT_BYTES {
            return Err(format!("the settings grow beyond {LENGTH_LIMIT_BYTES} bytes by {written}"));
        }
    }
    Ok(out)
}

/// Maximum size of the text of settings, in bytes. 1.1 has no limit, and a few files that contain `` $` `` would fill
/// any memory.
const LENGTH_LIMIT_BYTES: usize = 16 << 20;

/// Expands `$$`, `$&`, `` $` `` and `$'` as in the second argument of JavaScript's `replace`.
fn replacement(template: &str, matched: &str, before: &str, after: &str) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((plain, sign)) = rest.split_once('$') {
        out.push_str(plain);
        let meaning = match sign.as_bytes().first() {
            Some(b'$') => Some("$"),
            Some(b'&') => Some(matched),
            Some(b'`') => Some(before),
            Some(b'\'') => Some(after),
            _ => None,
        };
        out.push_str(meaning.unwrap_or("$"));
        rest = &sign[usize::from(meaning.is_some())..];
    }
    out.push_str(rest);
    out
}

/// Returns true if the line of a position is a comment.
fn is_in_comment(text: &str, at: usize) -> bool {
    is_comment(&text[text[..at].rfind('\n').map_or(0, |newline| newline + 1)..])
}

fn is_comment(line: &str) -> bool {
    line.trim_start_matches(text::is_js_space).starts_with("//")
}

/// Returns the text that replaces a `{file:PATH}`; fails with the error with which OpenCode stops.
fn content(
    edition: &OpenCode,
    reference: &str,
    written: &str,
    context: &Context,
    search: &mut Search,
) -> Known<Result<String, String>> {
    let place = |reference: &str| file_path(&reference["{file:".len()..reference.len() - 1], context);
    let shown = if written.starts_with("{file:") && written.ends_with('}') { place(written) } else { written.into() };
    search.show_as(Some(shown.clone()));
    let rule = match context.target {
        Target::Settings => "a {file:} reference in the settings, which are not valid where it is missing",
        Target::Markdown => "a {file:} reference, filled in; a missing one is nothing",
    };
    let path = place(reference);
    let outside = match context.rights {
        Rights::Within(top) => is_outside(&path, top, search)?,
        Rights::All | Rights::User => false,
    };
    let found = search.read(&path, rule);
    search.show_as(None);
    // White space is trimmed, and so is a byte order mark, which JavaScript counts as white space.
    let taken = |raw: &Content| {
        let decoded = edition.decoding.decode(raw);
        let trimmed = text::js_trim(&decoded);
        match context.target {
            Target::Settings => json_escaped(trimmed),
            Target::Markdown => trimmed.to_owned(),
        }
    };
    Ok(match found? {
        Ok(_) | Err(Unreadable::Not(_)) if outside => Err(format!("\"{written}\" leads out of the project")),
        Ok(raw) => Ok(taken(&raw)),
        Err(_) if context.target == Target::Markdown => Ok(String::new()),
        // A device such as /dev/null gives an empty text.
        Err(Unreadable::Not(FileType::Device)) => Ok(String::new()),
        Err(Unreadable::Errno(Errno::NOENT)) => {
            Err(format!("bad file reference: \"{written}\" {} does not exist", shown.display()))
        }
        Err(problem) => Err(format!("bad file reference: \"{written}\": {}: {problem}", shown.display())),
    })
}

/// Returns true if the real path lies outside of a directory.
pub(super) fn is_outside(path: &Path, top: &Path, search: &mut Search) -> Known<bool> {
    let (Ok(path), Ok(top)) = (search.real(path)?, search.real(top)?) else { return Ok(false) };
    Ok(!path.starts_with(top))
}

fn file_path(named: &str, context: &Context) -> PathBuf {
    match named.strip_prefix("~/") {
        Some(rest) => absolute(context.home, Path::new(rest.trim_start_matches('/'))),
        None => absolute(context.dir, Path::new(named)),
    }
}

/// Replaces `{env:…}` in the text.
fn with_environment(text: &str, context: &Context, search: &Search) -> Result<Substituted, String> {
    let source = Substituted { text: text.to_owned(), pieces: Vec::new() };
    let mut out = Substituted::default();
    let mut rest_from = 0;
    for reference in context.references(text, "{env:") {
        if context.rights != Rights::All && is_in_comment(text, reference.start) {
            continue;
        }
        out.copy(&source, rest_from..reference.start);
        rest_from = reference.end;
        let name = &text[reference.start + "{env:".len()..reference.end - 1];
        match context.rights {
            Rights::Within(_) => return Err(format!("\"{{env:{name}}}\" may not stand in a file of the project")),
            Rights::User if BLOCKED.iter().any(|blocked| name.eq_ignore_ascii_case(blocked)) => {
                return Err(format!("\"{{env:{name}}}\" names a variable that is told nobody"));
            }
            Rights::User | Rights::All => {}
        }
        let value = context.variables.get(name).cloned().or_else(|| search.secret_env(name)).unwrap_or_default();
        if search.put_in_secret(name, &value, &text[reference.clone()]) {
            out.put(&value, text[reference].to_owned());
        }
    }
    out.copy(&source, rest_from..text.len());
    Ok(out)
}

/// Returns every `{word:…}` with at least one character before its closing brace, except those after a dollar sign that
/// disables them.
fn references(text: &str, opening: &str, dollar_guards: bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find(opening).map(|at| at + from) {
        let inner = start + opening.len();
        match text[inner..].find('}') {
            _ if dollar_guards && text[..start].ends_with('$') => from = inner,
            Some(0) => from = inner,
            Some(length) => {
                from = inner + length + 1;
                found.push(start..from);
            }
            None => break,
        }
    }
    found
}

/// Escapes a text like `JSON.stringify`, without the quotes.
fn json_escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_need_a_name() {
        let found =
            |text: &str| references(text, "{env:", false).into_iter().map(|at| text[at].to_owned()).collect::<Vec<_>>();
        assert_eq!(references("${env:A{env:B}", "{env:", true).first(), Some(&(7..14)));
        assert_eq!(found("{env:A} {env:} {env:B C}"), ["{env:A}", "{env:B C}"]);
        assert_eq!(found("{env:A"), [""; 0]);
        assert_eq!(found("{env:{env:A}"), ["{env:{env:A}"]);
    }

    #[test]
    fn signs_in_what_takes_a_place_have_a_meaning() {
        assert_eq!(replacement("a$&b$$c$`d$'e$f$", "<m>", "<b>", "<a>"), "a<m>b$c<b>d<a>e$f$");
    }

    #[test]
    fn texts_are_escaped_as_json_stringify_does() {
        assert_eq!(json_escaped("a\"\\\n\u{1}\u{7f}ä"), "a\\\"\\\\\\n\\u0001\u{7f}ä");
    }

    #[test]
    fn a_text_remembers_what_is_written_in_it() {
        let mut text = Substituted::default();
        text.copy(&Substituted { text: "[\"a/".to_owned(), pieces: Vec::new() }, 0..4);
        text.put("secret", "{env:T}".to_owned());
        text.copy(&Substituted { text: "/b\", \"c\"]".to_owned(), pieces: Vec::new() }, 0..9);
        assert_eq!(text.text, "[\"a/secret/b\", \"c\"]");
        assert_eq!(text.written(&(2..12)).as_deref(), Some("a/{env:T}/b"));
        assert_eq!(text.written(&(6..8)).as_deref(), Some("{env:T}"));
        assert_eq!(text.written(&(16..17)), None);
        assert_eq!(text.conceal("no secret here".to_owned()), "no {env:T} here");
        // The replacement contains the value itself.
        let mut text = Substituted::default();
        (0..60).for_each(|_| text.put("a", "{file:aa}".to_owned()));
        assert_eq!(text.conceal("an a".to_owned()), "{file:aa}n {file:aa}");
    }
}
