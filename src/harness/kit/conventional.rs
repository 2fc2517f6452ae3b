//! Builder for agents with plain conventions: files are found by name, reported with their fates, and sent whole, one
//! after the other. The differences between these agents are in their own files.

use std::collections::HashSet;
use std::convert::identity;
use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::answer::{Answer, Fate, Limit, Message, Place, Role, Scope, Source, Standpoint, Text, Trigger, Warning};
use crate::formats::Remembered;
use crate::glob;
use crate::harness::kit::front_matter::{FrontMatter, Head};
use crate::harness::{About, Details};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, AskHasher, Content, Entry, Errno, FileType, Unreadable};
use crate::text;

/// Returns facts about an edition whose rules were read in documents or sources, not run: it is named after the month
/// of reading.
pub(in crate::harness) const fn read_in_november(details: Details) -> About {
    About { name: "2026.11", checked: ("2026.11", "2026.11"), details }
}

/// Details that most of these agents have in common.
pub(in crate::harness) const PLAIN: Details = Details {
    files: "",
    triggers: "session start",
    place: "system prompt",
    truncation: "none known",
    nested: "not read",
    global: "none",
    urls: "no",
    globs: "no",
    sessions: "all alike",
    hooks: "none",
    persona: "no",
    dedupe: "by path",
};

/// Scope, trigger and reason of a load.
#[derive(Clone, Copy)]
pub(in crate::harness) struct Load<'r> {
    pub scope: Scope,
    pub trigger: Trigger,
    pub reason: &'r str,
}

impl<'r> Load<'r> {
    /// Creates a load at the start of the session.
    pub fn start(scope: Scope, reason: &'r str) -> Load<'r> {
        Load { scope, trigger: Trigger::Session, reason }
    }

    /// Creates a load when the target is read.
    pub fn read(scope: Scope, reason: &'r str) -> Load<'r> {
        Load { scope, trigger: Trigger::Read, reason }
    }
}

/// A file that was read.
pub(in crate::harness) struct File {
    pub path: PathBuf,
    raw: Content,
    /// Decoded text, without a byte order mark.
    pub text: Text,
    head: Option<Head>,
}

impl File {
    fn new(path: &Path, raw: Content) -> File {
        let text = Text::of(&raw, &raw.text_without_bom());
        File { path: path.to_owned(), head: Head::of(&text), text, raw }
    }

    /// Returns true if the file begins with a byte order mark.
    pub(in crate::harness) fn has_mark(&self) -> bool {
        self.raw.text().starts_with('\u{feff}')
    }

    /// Returns the front matter.
    pub fn front(&self) -> Option<FrontMatter<'_>> {
        self.head.as_ref().map(|head| head.front_matter(&self.text))
    }

    /// Returns the bytes of the file.
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// Returns the range of the text without surrounding white space.
    pub fn trimmed(&self) -> Range<usize> {
        trimmed(&self.text, 0..self.text.len())
    }

    /// Returns the range of the text without what JavaScript's `trim` removes.
    pub fn js_trimmed(&self) -> Range<usize> {
        text::js_trimmed(&self.text)
    }

    /// Returns the range of the text after the front matter, without surrounding white space.
    pub fn body(&self) -> Range<usize> {
        let start = self.head.as_ref().map_or(0, |head| head.body);
        trimmed(&self.text, start..self.text.len())
    }
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let inner = &text[range.clone()];
    let start = range.start + inner.len() - inner.trim_start().len();
    start..(range.start + inner.trim_end().len()).max(start)
}

/// Condition under which a rule applies.
pub(in crate::harness) enum When {
    /// Always, from the start.
    Always,
    /// Once a file that matches one of the patterns is in the context.
    Matching(Patterns),
    /// Only when the agent asks for it; at the start only its description is listed.
    Asked,
    /// Only when the user names it, in the way described.
    Named(String),
    /// Never, for the given reason.
    Never(&'static str),
}

/// Patterns of a rule, with their problems.
pub(in crate::harness) struct Patterns {
    all: Vec<String>,
    /// Invalid patterns, which match nothing.
    invalid: Vec<String>,
    /// All patterns, formatted for people.
    listed: String,
}

impl Patterns {
    /// Returns true if one of the patterns matches the path.
    pub fn any(&self, globs: Globs, path: &Path) -> bool {
        globs.any(&self.all, path)
    }
}

impl From<Vec<String>> for Patterns {
    fn from(all: Vec<String>) -> Patterns {
        static VALID: Remembered<bool> = Remembered::new();
        let is_valid = |pattern: &str| *VALID.of(pattern, glob::is_plain);
        let invalid = all.iter().filter(|pattern| !is_valid(pattern)).cloned().collect();
        Patterns { listed: all.join(", "), invalid, all }
    }
}

/// Semantics of patterns.
#[derive(Clone, Copy)]
pub(in crate::harness) struct Globs<'p> {
    /// Directory that patterns are relative to.
    pub base: &'p Path,
    /// True if a pattern without a slash matches a name in any directory; false if only in the base directory.
    pub names_anywhere: bool,
    /// True if letter case is ignored.
    pub fold_case: bool,
}

impl Globs<'_> {
    /// Returns true if one of the patterns matches the path.
    pub fn any(self, patterns: &[String], path: &Path) -> bool {
        path.strip_prefix(self.base).is_ok_and(|path| patterns.iter().any(|pattern| self.matches(pattern, path)))
    }

    /// Returns true if the pattern matches a path below the base. An invalid glob matches nothing.
    fn matches(self, pattern: &str, path: &Path) -> bool {
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        let pattern = pattern.strip_prefix('/').unwrap_or(pattern);
        let by_name = self.names_anywhere && !pattern.contains('/');
        let path = if by_name { path.file_name().map_or(path, Path::new) } else { path };
        glob::plain(pattern, self.fold_case, path)
    }
}

/// Builder that finds files and appends their texts one after the other.
pub(in crate::harness) struct Chain<'a, 'f> {
    pub at: &'a Standpoint,
    pub search: &'a mut Search<'f>,
    pub answer: Answer,
    started: Vec<Text>,
    read: Vec<Text>,
    taken: HashSet<OsString, AskHasher>,
    /// Cache: the base of the patterns that were matched last, and the target relative to it.
    seen_from: Option<(PathBuf, Option<PathBuf>)>,
}

impl<'a, 'f> Chain<'a, 'f> {
    /// Creates an empty builder. If `unsure` is given, the exact text is uncertain for that reason.
    pub fn new(at: &'a Standpoint, search: &'a mut Search<'f>, unsure: Option<&str>) -> Chain<'a, 'f> {
        let answer = Answer { files_only: unsure.map(str::to_owned), root: Some(at.cwd.clone()), ..Answer::default() };
        Chain { at, search, answer, started: Vec::new(), read: Vec::new(), taken: HashSet::default(), seen_from: None }
    }

    /// Returns the answer: one message for the start, one for the texts that reading adds.
    pub fn finish(mut self, separator: &str) -> Answer {
        // Sources refer to the start's message as 0 and to that of reading as 1. Without a start, the latter is the
        // first.
        let shift = usize::from(self.started.is_empty());
        for source in &mut self.answer.sources {
            source.message = source.message.map(|message| message.saturating_sub(shift));
        }
        for (trigger, role, parts) in
            [(Trigger::Session, Role::System, self.started), (Trigger::Read, Role::User, self.read)]
        {
            if !parts.is_empty() {
                self.answer.messages.push(Message::joined(trigger, role, parts, separator));
            }
        }
        self.answer
    }

    /// Returns `$XDG_CONFIG_HOME`, or `~/.config`.
    pub fn config_home(&self) -> PathBuf {
        let configured = self.search.env("XDG_CONFIG_HOME").filter(|dir| dir.starts_with('/'));
        configured.map_or_else(|| self.at.home.join(".config"), PathBuf::from)
    }

    /// Returns the nearest directory with an entry `.git`, at or above the working directory.
    pub fn repository(&mut self) -> Known<Option<PathBuf>> {
        let cwd = &self.at.cwd;
        self.search.expect(cwd.ancestors().map(|dir| Ask::Kind(dir.join(".git"))))?;
        for dir in cwd.ancestors() {
            if self.search.stat(&dir.join(".git"), "the root is the nearest directory with `.git`")?.is_ok() {
                self.answer.root = Some(dir.to_owned());
                return Ok(Some(dir.to_owned()));
            }
        }
        Ok(None)
    }

    /// Returns the directories below the working directory that lead to the target, outermost first.
    pub fn directories_to_target(&self) -> Vec<PathBuf> {
        let cwd = self.at.cwd.as_path();
        let Some(dir) = self.at.target.as_deref().and_then(Path::parent) else { return Vec::new() };
        let mut dirs: Vec<PathBuf> =
            dir.ancestors().take_while(|dir| *dir != cwd && dir.starts_with(cwd)).map(Path::to_owned).collect();
        dirs.reverse();
        dirs
    }

    /// Reads a file. If it exists but cannot be read, reports it as unreadable.
    pub fn file(&mut self, path: &Path, load: Load) -> Known<Option<Arc<File>>> {
        match self.search.read(path, load.reason.to_owned())? {
            Ok(raw) => Ok(Some(Arc::new(File::new(path, raw)))),
            Err(problem) => {
                self.unreadable(path, load, problem);
                Ok(None)
            }
        }
    }

    /// Returns the content of a file in a folder. If it could not be read, reports it as unreadable.
    pub fn opened(&mut self, file: &InFolder, load: Load) -> Option<Arc<File>> {
        match &file.read {
            Ok(read) => Some(read.clone()),
            Err(problem) => {
                self.unreadable(&file.path, load, *problem);
                None
            }
        }
    }

    fn unreadable(&mut self, path: &Path, load: Load, problem: Unreadable) {
        match problem {
            Unreadable::Errno(Errno::NOENT | Errno::NOTDIR) | Unreadable::Not(FileType::Dir) => {}
            problem => self.say(path, load, Fate::Unreadable, problem.to_string()),
        }
    }

    /// Returns true if the file comes for the first time.
    fn take(&mut self, path: &Path) -> bool {
        self.taken.insert(Chain::key(path))
    }

    /// Returns the normalized path, by which files are compared. Nearly all are normalized, and are compared by their
    /// bytes because there may be thousands of rules.
    fn key(path: &Path) -> OsString {
        let written = path.as_os_str().as_encoded_bytes();
        let is_step = |part: &[u8]| part[0] == b'/' && (part[1] == b'/' || part[1..] == *b"./");
        let is_odd = !written.starts_with(b"/") || written.ends_with(b"/") || written.ends_with(b"/.");
        let is_odd = is_odd || written.windows(3).any(is_step);
        if is_odd { path.components().collect::<PathBuf>().into() } else { path.into() }
    }

    /// Reports a file without any text in the messages.
    pub fn say(&mut self, path: &Path, load: Load, fate: Fate, reason: impl Into<String>) {
        if self.take(path) {
            let source = Source::new(path, load.scope, fate, reason);
            self.answer.sources.push(Source { trigger: load.trigger, ..source });
        }
    }

    /// Removes the report that a file is excluded, because it is loaded after all.
    pub fn take_back(&mut self, path: &Path) {
        let place = Place::Path(path.to_owned());
        let sources = &mut self.answer.sources;
        let before = sources.len();
        sources.retain(|source| source.fate != Fate::Excluded || source.place != place);
        if sources.len() < before {
            self.taken.remove(path.components().collect::<PathBuf>().as_os_str());
        }
    }

    /// Appends a range of the file's text, formatted by `show`. Does nothing if the file was already taken.
    pub fn give<T: Into<Text>>(&mut self, file: &File, range: Range<usize>, load: Load, show: impl FnOnce(Text) -> T) {
        if !self.take(&file.path) {
            return;
        }
        let shown = file.text.slice(range.clone());
        if shown.is_empty() {
            let source = Source::new(&file.path, load.scope, Fate::Empty, "only white space");
            let size = Some(file.raw.size());
            self.answer.sources.push(Source { trigger: load.trigger, size, ..source });
            return;
        }
        let mark = file.raw.len() - file.raw.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&file.raw).len();
        let shown_range = range.start + mark..range.end + mark;
        let kept = file.raw.raw_ranges(std::slice::from_ref(&shown_range));
        let (message, parts) = match load.trigger {
            Trigger::Session => (0, &mut self.started),
            Trigger::Read | Trigger::Attach | Trigger::Call => (1, &mut self.read),
        };
        let (message, part) = (Some(message), Some(parts.len()));
        parts.push(show(shown).into());
        let source = Source::whole(&file.path, load.scope, file.raw.size(), load.reason);
        self.answer.sources.push(Source { kept, trigger: load.trigger, message, part, ..source });
    }

    /// Appends a text of the file, even if the file was already taken.
    pub fn give_again(&mut self, file: &File, load: Load, text: Text) {
        if self.taken.contains(&Chain::key(&file.path)) {
            match load.trigger {
                Trigger::Session => self.started.push(text),
                Trigger::Read | Trigger::Attach | Trigger::Call => self.read.push(text),
            }
        } else {
            self.give(file, 0..file.text.len(), load, |_| text);
        }
    }

    /// Adds a text to the start that comes from no file.
    pub fn line(&mut self, text: impl Into<Text>) {
        self.started.push(text.into());
    }

    /// Removes white space from the end of the start's last text, as JavaScript's `trim` does.
    pub fn trim_last(&mut self) {
        if let Some(last) = self.started.last_mut() {
            *last = last.slice(0..text::js_trim_end(last).len());
        }
    }

    /// Marks the last source as cut at a limit. Its range is already shortened.
    pub fn cut_last(&mut self, limit: Limit, reason: String) {
        if let Some(source) = self.answer.sources.last_mut().filter(|source| source.fate == Fate::Loaded) {
            *source = Source { fate: Fate::Truncated, limit: Some(limit), reason, ..source.clone() };
        }
    }

    /// Returns the number of texts at the start.
    pub fn started(&self) -> usize {
        self.started.len()
    }

    /// Prepends a header to one of the texts of the start.
    pub fn before(&mut self, part: usize, head: &str) {
        self.started[part] = Text::framed(head, self.started[part].clone(), "");
    }

    /// Appends the whole file and returns true, if it can be read.
    pub fn whole(&mut self, path: &Path, load: Load) -> Known<bool> {
        let Some(file) = self.file(path, load)? else { return Ok(false) };
        let blank = file.text.trim().is_empty();
        self.give(&file, if blank { 0..0 } else { 0..file.text.len() }, load, identity);
        Ok(true)
    }

    /// Hands the first file that exists under one of the names to `give`. Reports the others as shadowed.
    pub fn first(
        &mut self,
        dir: &Path,
        names: &[&str],
        load: Load,
        give: impl FnOnce(&mut Self, &File) -> Known<()>,
    ) -> Known<Option<PathBuf>> {
        self.search.expect(names.iter().map(|name| Ask::Content(dir.join(name))))?;
        let mut paths = names.iter().map(|name| dir.join(name));
        for path in paths.by_ref() {
            if let Some(file) = self.file(&path, load)? {
                give(self, &file)?;
                for other in paths {
                    self.shadowed(&other, load, &path)?;
                }
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    /// Reports that another file is loaded in place of this one, if this one exists.
    pub fn shadowed(&mut self, path: &Path, load: Load, by: &Path) -> Known<()> {
        if self.search.is_file(path, load.reason.to_owned())? && self.take(path) {
            let reason = format!("{} is loaded instead", by.display());
            let source = Source::new(path, load.scope, Fate::Shadowed, reason);
            self.answer.sources.push(Source { trigger: load.trigger, by: Some(by.to_owned()), ..source });
        }
        Ok(())
    }

    /// Adds a rule: its text at the start or with the target, or a source that says when it would apply.
    pub fn rule(&mut self, file: &File, range: Range<usize>, scope: Scope, when: &When, globs: Globs) {
        match when {
            When::Always => self.give(file, range, Load::start(scope, "a rule that always applies"), identity),
            When::Matching(patterns) => {
                for pattern in &patterns.invalid {
                    let message = format!("`{pattern}` is not a valid pattern and matches nothing");
                    self.answer.warnings.push(Warning::at("pattern", &file.path, message));
                }
                let load = Load { scope, trigger: Trigger::Attach, reason: "" };
                if self.matches(patterns, globs) {
                    let reason = ["the file matches ", &patterns.listed].concat();
                    self.give(file, range, Load { reason: &reason, ..load }, identity);
                } else {
                    let reason = ["only with files that match ", &patterns.listed].concat();
                    self.say(&file.path, load, Fate::Excluded, reason);
                }
            }
            When::Asked => {
                let load = Load { scope, trigger: Trigger::Call, reason: "" };
                self.say(&file.path, load, Fate::Excluded, "only its description is listed: the agent may ask for it");
            }
            When::Named(how) => {
                let load = Load { scope, trigger: Trigger::Attach, reason: "" };
                self.say(&file.path, load, Fate::Excluded, format!("only when the user names it: {how}"));
            }
            When::Never(why) => self.say(&file.path, Load::start(scope, ""), Fate::Excluded, *why),
        }
    }

    /// Returns true if a pattern matches the target.
    fn matches(&mut self, patterns: &Patterns, globs: Globs) -> bool {
        let Some(target) = self.at.target.as_deref() else { return false };
        if self.seen_from.as_ref().is_none_or(|(base, _)| base.as_os_str() != globs.base.as_os_str()) {
            let below = target.strip_prefix(globs.base).ok().map(Path::to_owned);
            self.seen_from = Some((globs.base.to_owned(), below));
        }
        let below = self.seen_from.as_ref().and_then(|(_, below)| below.as_deref());
        below.is_some_and(|path| patterns.all.iter().any(|pattern| globs.matches(pattern, path)))
    }

    /// Returns the files of a folder whose names end with `ending`, sorted by path. Symlinks to files count.
    pub fn folder(&mut self, dir: &Path, ending: &'static str) -> Known<Arc<Vec<InFolder>>> {
        let look = |dir: &Path, ending: &'static str, search: &mut Search| in_folder(dir, ending, false, search);
        self.search.part("files of a folder", (dir, ending), look)
    }

    /// Returns the files of a folder and the folders below it whose names end with `ending`. Symlinks to folders are
    /// not followed.
    pub fn tree(&mut self, dir: &Path, ending: &'static str) -> Known<Arc<Vec<InFolder>>> {
        self.search.part("files below a folder", (dir, ending), files_below)
    }
}

/// File of a folder, and the result of reading it.
#[derive(Clone)]
pub(in crate::harness) struct InFolder {
    pub path: PathBuf,
    /// The file, or the reason why it could not be read.
    pub read: Result<Arc<File>, Unreadable>,
}

/// Finds files for [`Chain::tree`].
pub(in crate::harness) fn files_below(dir: &Path, ending: &'static str, search: &mut Search) -> Known<Vec<InFolder>> {
    in_folder(dir, ending, true, search)
}

/// Returns the files of a folder and, if `deep`, of those below it.
fn in_folder(dir: &Path, ending: &str, deep: bool, search: &mut Search) -> Known<Vec<InFolder>> {
    let takes = |entry: &Entry| match entry.kind {
        FileType::Dir => deep,
        _ => entry.name.to_string_lossy().ends_with(ending),
    };
    let found = search.files_below(dir, "a folder of rules", takes)?;
    search.expect(found.iter().cloned().map(Ask::Content))?;
    let read = |path: PathBuf| {
        let read = search.read(&path, "a file of a folder")?.map(|raw| Arc::new(File::new(&path, raw)));
        Ok(InFolder { path, read })
    };
    found.into_iter().map(read).collect()
}

/// Returns the words that begin with `@` outside of code, without the `@` and trailing punctuation.
pub(in crate::harness) fn mentioned(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    if !text.contains('@') {
        return found;
    }
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            fenced = !fenced;
            continue;
        }
        if fenced {
            continue;
        }
        for words in line.split('`').step_by(2) {
            let mentions = words.split_whitespace().filter_map(|word| word.strip_prefix('@'));
            found.extend(mentions.map(|word| word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')'])));
        }
    }
    found.retain(|mention| !mention.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mentions_are_words_outside_of_code() {
        for (text, expected) in [
            ("See @docs/a.md, @b.md and x@y.", vec!["docs/a.md", "b.md"]),
            ("`@a.md` @b.md\n```\n@c.md\n```\n@~/d.md", vec!["b.md", "~/d.md"]),
            ("@ @docs/*.md", vec!["docs/*.md"]),
        ] {
            assert_eq!(mentioned(text), expected, "{text}");
        }
    }
}
