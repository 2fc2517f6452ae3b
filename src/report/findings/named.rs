//! Findings about names in a file: imports and entries of settings files; and about settings that keep a client from
//! starting.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::super::front_matter;
use super::super::words::Paths;
use super::{Finding, Kind, Subject, first_line};
use crate::answer::{Fate, Place, Resolution, Source, Warning};
use crate::formats;
use crate::snapshot::{Content, absolute};

/// Codes of warnings that other findings report better, with a range.
const SAID_ELSEWHERE: [&str; 5] =
    ["over-budget", "unreadable", "created-on-next-run", "agents-displaced", "deprecated"];

/// Codes of warnings about why an answer is not exact. They are part of the answer; no edit of the file resolves them.
const ABOUT_THE_ANSWER: [&str; 6] =
    ["hooks", "may-be-rewritten", "mcp-instructions", "memory", "model-identity", "added-sections"];

/// Endings of files that people import.
const IMPORTED: [&str; 12] =
    ["md", "mdx", "mdc", "markdown", "txt", "rst", "adoc", "json", "jsonc", "yaml", "yml", "toml"];

/// The kinds of warnings whose codes are not those of findings.
const OTHER_CODES: [(&str, Kind); 4] = [
    ("pattern", Kind::DeadGlob),
    ("settings", Kind::IgnoredSettings),
    ("remote-settings", Kind::Remote),
    ("long-rule", Kind::TooLong),
];

/// Returns the findings about names in the file.
pub(super) fn findings(subject: &Subject) -> Vec<Finding> {
    let (mut found, places) = (Vec::new(), Places::of(subject));
    for answer in subject.answers {
        let warnings = answer.warnings_about(subject.path);
        found.extend(warnings.filter_map(|warning| of_warning(subject, &places, answer, warning)));
        found.extend(refusal(subject, &places, answer));
        found.extend(answer.dangling().filter_map(|source| entry(subject, &places, answer, source)));
    }
    found
}

fn of_warning(subject: &Subject, places: &Places, answer: &Resolution, warning: &Warning) -> Option<Finding> {
    if SAID_ELSEWHERE.contains(&warning.code) || ABOUT_THE_ANSWER.contains(&warning.code) {
        return None;
    }
    if warning.code == Kind::ImportMissing.code() && !is_lost(subject, answer, warning) {
        return None;
    }
    // That equal files are shown once is what people expect.
    let once = ["shown once", "sent once"];
    if warning.code == "loaded-twice" && once.iter().any(|once| warning.message.contains(once)) {
        return None;
    }
    let other = || OTHER_CODES.iter().find(|(code, _)| *code == warning.code).map(|(_, kind)| *kind);
    let kind = Kind::of_code(warning.code).or_else(other).unwrap_or(Kind::Remark);
    let range = token(&warning.message)
        .and_then(|token| places.of_token(token))
        .or_else(|| import_of(subject, places, &warning.message))
        .or_else(|| places.syntax_error().filter(|_| kind == Kind::IgnoredSettings))
        .or_else(|| quoted(subject, places, &warning.message));
    let message = describe(subject, answer, &warning.message);
    let related = mentioned_file(subject, answer, &warning.message).into_iter().collect();
    let finding = Finding::new(kind, range.unwrap_or_else(|| first_line(subject.raw)), message);
    Some(Finding { related, is_rest: warning.is_rest(), ..finding.of(&answer.harness) })
}

/// Returns the files that a file imports and that do not exist.
pub fn missing_imports(path: &Path, answers: &[Arc<Resolution>]) -> Vec<PathBuf> {
    let warnings = answers.iter().flat_map(|answer| answer.warnings_about(path));
    let missing = warnings.filter(|warning| warning.code == Kind::ImportMissing.code());
    let mut files: Vec<PathBuf> = missing.filter_map(|warning| target(path, &warning.message)).collect();
    files.sort();
    files.dedup();
    files
}

/// Returns the file that an import leads to: the one that the message names, or else the path from the directory of the file.
fn target(file: &Path, message: &str) -> Option<PathBuf> {
    let said = others(file, message).next().map(Path::to_owned);
    let path = || token(message)?.strip_prefix('@').filter(|path| !path.starts_with('~'));
    said.or_else(|| Some(absolute(file.parent()?, Path::new(path()?))))
}

/// Returns true if a missing import is a mistake: the token looks like a file, git does not ignore that file, and the
/// agent does not load a file with the same relative path anyway.
fn is_lost(subject: &Subject, answer: &Resolution, warning: &Warning) -> bool {
    let Some(token) = token(&warning.message) else { return true };
    let target = target(subject.path, &warning.message);
    if !is_a_file(token) || target.is_some_and(|target| subject.ignored.contains(&target)) {
        return false;
    }
    let is_name = |part: &Component| matches!(part, Component::Normal(_));
    let inside: PathBuf = Path::new(token.trim_start_matches('@')).components().filter(is_name).collect();
    let is_meant = |source: &Source| {
        source.fate == Fate::Loaded && source.path().is_some_and(|path| path != subject.path && path.ends_with(&inside))
    };
    inside.iter().count() < 2 || !answer.answer.sources.iter().any(is_meant)
}

/// Returns the message of a warning without the path of its own file, and with the agent's title.
fn describe(subject: &Subject, answer: &Resolution, message: &str) -> String {
    let message = Paths::of(answer).text(without_path(subject, message));
    if message.contains(&answer.title) { message } else { format!("{}: {message}", answer.title) }
}

/// Removes the path of the file itself, with line and column, from the start of a message.
fn without_path<'m>(subject: &Subject, message: &'m str) -> &'m str {
    let rest =
        subject.path.to_str().and_then(|path| message.strip_prefix(path)).and_then(|rest| rest.strip_prefix(':'));
    let Some(rest) = rest else { return message };
    // Line and column are where the finding is.
    let is_place = |c: char| c.is_ascii_digit() || c == ':';
    rest.trim_start().trim_start_matches(is_place).trim_start()
}

/// Returns the first other file that a message names and that exists.
fn mentioned_file(subject: &Subject, answer: &Resolution, message: &str) -> Option<(PathBuf, String)> {
    let is_there = |path: &&Path| answer.sources_of(path).any(|source| source.fate != Fate::Missing);
    let named = others(subject.path, message).find(is_there);
    named.map(|other| (other.to_owned(), "this file".to_owned()))
}

/// Returns the absolute paths in a message, except that of the file itself.
fn others<'m>(file: &Path, message: &'m str) -> impl Iterator<Item = &'m Path> {
    let words = message.split_whitespace().map(|word| word.trim_end_matches([',', ':', ';']));
    let paths = words.filter(|word| word.starts_with('/')).map(Path::new);
    paths.filter(move |path| *path != file)
}

/// Returns the `@path` or `#[[file:path]]` in a message about an import.
fn token(message: &str) -> Option<&str> {
    message.split_whitespace().find(|word| (word.len() > 1 && word.starts_with('@')) || word.starts_with("#[["))
}

/// Returns true if somebody who writes this means a file: packages (`@scope/name`) and people (`@ada`) begin with `@`
/// as well.
fn is_a_file(token: &str) -> bool {
    let Some(path) = token.strip_prefix('@') else { return true };
    if path.contains(['(', '[', '*']) || path.contains("://") {
        return false;
    }
    let path = path.trim_end_matches([',', ':', ';', ')', '.', '`', '"', '\'', '!', '?']);
    let begins = ["./", "../", "~/", "/"].iter().any(|start| path.starts_with(start));
    begins || path.rsplit_once('.').is_some_and(|(_, ending)| IMPORTED.contains(&ending.to_ascii_lowercase().as_str()))
}

/// Returns the range of the `@path` with the name of another file that a message mentions.
fn import_of(subject: &Subject, places: &Places, message: &str) -> Option<Range<usize>> {
    let names = others(subject.path, message).filter_map(Path::file_name);
    names.filter_map(|name| places.imports().get(name)).find_map(|word| places.of_token(word))
}

/// Returns the range of the words that a message quotes, in the front matter of a rule or as a settings key.
fn quoted(subject: &Subject, places: &Places, message: &str) -> Option<Range<usize>> {
    let quoted = message.split('`').nth(1).filter(|quoted| !quoted.is_empty())?;
    match places.head() {
        Some(words) => words.get(quoted).cloned(),
        None if subject.path.extension().is_some_and(|extension| extension != "md") => places.of_key_in(message),
        None => None,
    }
}

/// Maximum number of bytes of one file that are searched for names, over all searches. A thousand names that do not
/// occur in a file of 64 KiB use a quarter of it.
const MOST_SEARCHED_BYTES: usize = 256 << 20;

/// Places of names in a file. Each name is searched for once.
struct Places<'s> {
    subject: &'s Subject<'s>,
    tokens: RefCell<HashMap<String, Option<Range<usize>>>>,
    keys: RefCell<HashMap<String, Option<Range<usize>>>>,
    searched: Cell<usize>,
    imports: OnceCell<HashMap<&'s OsStr, &'s str>>,
    head: OnceCell<Option<HashMap<String, Range<usize>>>>,
    syntax_error: OnceCell<Option<Range<usize>>>,
}

impl<'s> Places<'s> {
    fn of(subject: &'s Subject<'s>) -> Places<'s> {
        Places {
            subject,
            tokens: RefCell::default(),
            keys: RefCell::default(),
            searched: Cell::new(0),
            imports: OnceCell::new(),
            head: OnceCell::new(),
            syntax_error: OnceCell::new(),
        }
    }

    /// Returns where a token stands, as [`place`] finds it.
    fn of_token(&self, token: &str) -> Option<Range<usize>> {
        self.once(&self.tokens, token, |raw| place(raw, token))
    }

    /// Returns where the first key stands that a message quotes: `project_doc_max_bytes` or "instructions".
    fn of_key_in(&self, message: &str) -> Option<Range<usize>> {
        // The keys of VS Code have full stops in them.
        let whole = message.split('`').skip(1).step_by(2);
        let words = message.split(['`', '"', '\'', ' ', ':', ',', '.']).filter(|word| word.len() > 3);
        let is_key = |word: &&str| word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
        whole.chain(words).filter(is_key).find_map(|word| self.once(&self.keys, word, |raw| key(raw.as_text()?, word)))
    }

    /// Returns the cached place of a word, or else searches for it with `look`. Once too many bytes have been searched,
    /// returns the first line instead.
    fn once(
        &self,
        known: &RefCell<HashMap<String, Option<Range<usize>>>>,
        word: &str,
        look: impl FnOnce(&Content) -> Option<Range<usize>>,
    ) -> Option<Range<usize>> {
        if let Some(known) = known.borrow().get(word) {
            return known.clone();
        }
        let raw = self.subject.raw;
        let found = if self.searched.get() > MOST_SEARCHED_BYTES { Some(first_line(raw)) } else { look(raw) };
        self.searched.set(self.searched.get() + found.as_ref().map_or(raw.len(), |at| at.end));
        known.borrow_mut().insert(word.to_owned(), found.clone());
        found
    }

    /// Returns the imports of the file: the first `@path` for each file name.
    fn imports(&self) -> &HashMap<&'s OsStr, &'s str> {
        self.imports.get_or_init(|| {
            let words = self.subject.raw.as_text().unwrap_or_default().split_whitespace();
            let imports: Vec<_> = words.filter(|word| word.starts_with('@')).collect();
            let named = |word: &'s str| Some((Path::new(&word[1..]).file_name()?, word));
            imports.into_iter().rev().filter_map(named).collect()
        })
    }

    /// Returns the keys and values in the head of a rule, each where it stands first.
    fn head(&self) -> Option<&HashMap<String, Range<usize>>> {
        let read = || {
            let head = front_matter::head(self.subject.raw.as_text()?)?;
            let keys = head.entries.iter().map(|entry| (entry.key.clone(), entry.at.clone()));
            let values = head.entries.iter().flat_map(|entry| entry.values.iter().cloned());
            let all: Vec<_> = keys.chain(values).collect();
            Some(all.into_iter().rev().collect())
        };
        self.head.get_or_init(read).as_ref()
    }

    fn syntax_error(&self) -> Option<Range<usize>> {
        self.syntax_error.get_or_init(|| syntax_error(self.subject)).clone()
    }
}

/// Returns the range of a token in a file: as a whole word if possible, else inside a longer one. The token may end
/// with the message's punctuation.
fn place(raw: &[u8], token: &str) -> Option<Range<usize>> {
    let trimmed = token.trim_end_matches([',', ':', ';', ')']);
    [token, trimmed].into_iter().find_map(|token| {
        let mut found = memchr::memmem::find_iter(raw, token).map(|start| start..start + token.len()).peekable();
        let first = found.peek().cloned();
        found.find(|at| is_whole(raw, at)).or(first)
    })
}

/// Returns true if the range is not part of a longer name; a full stop behind it may end a sentence.
fn is_whole(raw: &[u8], at: &Range<usize>) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'/' | 0x80..);
    let behind = raw[at.end..].iter().find(|byte| **byte != b'.');
    !raw[..at.start].last().is_some_and(is_name) && !behind.is_some_and(is_name)
}

/// Returns the finding that the client does not start because of this file.
fn refusal(subject: &Subject, places: &Places, answer: &Resolution) -> Option<Finding> {
    // A bug in Briefing is reported as such, and not as a refusal.
    let refusal =
        answer.answer.refusal.as_ref().filter(|refusal| refusal.path == subject.path && !answer.is_broken())?;
    let reason = without_path(subject, &refusal.message);
    let message = format!("{} does not start: {}", answer.title, Paths::of(answer).text(reason));
    let range = places.syntax_error().or_else(|| places.of_key_in(&refusal.message));
    Some(Finding::new(Kind::BadSettings, range.unwrap_or_else(|| first_line(subject.raw)), message).of(&answer.harness))
}

fn syntax_error(subject: &Subject) -> Option<Range<usize>> {
    let text = subject.raw.as_text()?;
    let error = match subject.path.extension()?.to_str()? {
        "toml" => formats::parse_toml(text).err()?,
        "json" | "jsonc" => formats::parse_jsonc(text).err()?,
        _ => return None,
    };
    Some(if error.at.is_empty() { error.at.start..(error.at.start + 1).min(text.len()) } else { error.at })
}

/// Returns the range of a settings key: in quotes, or before an equals sign.
fn key(text: &str, word: &str) -> Option<Range<usize>> {
    let start = text.find(&format!("\"{word}\"")).map(|at| at + 1).or_else(|| {
        let at = text.find(word)?;
        let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        (text[line..at].trim().is_empty() && text[at + word.len()..].trim_start().starts_with('=')).then_some(at)
    })?;
    Some(start..start + word.len())
}

/// Returns the finding about an entry of this settings file that leads to nothing, or to the network.
fn entry(subject: &Subject, places: &Places, answer: &Resolution, source: &Source) -> Option<Finding> {
    let named_here = || source.reason.contains(&*subject.path.to_string_lossy());
    match (&source.place, source.fate) {
        (Place::Url(url), fate) if named_here() && !matches!(fate, Fate::Dropped | Fate::Excluded) => {
            let range = places.of_token(url)?;
            let message = if url.starts_with("http:") {
                "anyone on the network can change a text that is fetched over http; use https".to_owned()
            } else if fate == Fate::Unreadable {
                format!("{} cannot use this URL: {}", answer.title, Paths::of(answer).text(&source.reason))
            } else if fate != Fate::Pending {
                return None;
            } else {
                format!("{} fetches this text with every session; Briefing has not fetched it", answer.title)
            };
            Some(Finding { fate: Some(fate), ..Finding::new(Kind::Remote, range, message).of(&answer.harness) })
        }
        (Place::Path(path), Fate::Missing) if named_here() => {
            let quoted = source.reason.split('`').nth(1)?;
            let range = places.of_token(quoted)?;
            let kind = if quoted.contains(['*', '?', '[', '{']) { Kind::DeadGlob } else { Kind::MissingFile };
            let message = match kind {
                Kind::DeadGlob => format!("`{quoted}` matches no file that {} would load", answer.title),
                _ => format!("{} does not find {}", answer.title, Paths::of(answer).path(path)),
            };
            Some(Finding { fate: Some(source.fate), ..Finding::new(kind, range, message).of(&answer.harness) })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_and_people_are_no_files() {
        for (token, file) in [
            ("@docs/gone.md", true),
            ("@./gone", true),
            ("@~/rules", true),
            ("@gone.MD,", true),
            ("#[[file:gone]]", true),
            ("@scope/name", false),
            ("@scope/name**", false),
            ("@ada](https://example.org/ada", false),
            ("@ada.", false),
            ("@scope/socket.io", false),
        ] {
            assert_eq!(is_a_file(token), file, "{token}");
        }
    }

    #[test]
    fn the_token_of_a_remark_is_found_in_the_text() {
        let raw = b"See @./a.mdx, @./a.md. and @alice, too";
        for (message, found) in [
            ("@./a.md. is missing: its trailing punctuation belongs to the path", Some(14..22)),
            ("@alice, is taken for an import", Some(27..34)),
            ("/p/a.md: @./b.md and whatever else it imports stays as text", None),
            ("@./a.md is missing", Some(14..21)),
            ("@./a is missing", Some(4..8)),
            ("no token", None),
        ] {
            assert_eq!(token(message).and_then(|token| place(raw, token)), found, "{message}");
        }
    }

    #[test]
    fn a_name_is_looked_for_once_and_no_more_than_so_much_is_looked_through() {
        let raw = Content::from(format!("{}@./a.md\n", "word\n".repeat(200_000)));
        let subject = subject(&raw);
        let places = Places::of(&subject);
        let at = raw.len() - "@./a.md\n".len();
        // As many harnesses say it as there are.
        for _ in 0..1_000 {
            assert_eq!(places.of_token("@./a.md"), Some(at..at + "@./a.md".len()));
            assert_eq!(places.of_token("@./b.md"), None);
        }
        assert_eq!(places.searched.get(), raw.len() - 1 + raw.len());
        // Names that stand nowhere are many, and each is another one.
        let found: Vec<_> = (0..1_000).map(|number| places.of_token(&format!("@./none/{number}.md"))).collect();
        assert_eq!((found.first(), found.last()), (Some(&None), Some(&Some(0..4))));
        assert!(places.searched.get() < MOST_SEARCHED_BYTES + 2 * raw.len());
    }

    fn subject(raw: &Content) -> Subject<'_> {
        Subject::plain(Path::new("/p/AGENTS.md"), raw, &[])
    }
}
