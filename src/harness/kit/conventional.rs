//! What the harnesses of plain conventions share: files are found by name, said with their fates, and shown whole, one
//! after the other. What differs between them is in their own files.

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

/// Rules that were read in documents or sources, not run, are named by the month they were read in.
pub(in crate::harness) const fn read_in_november(details: Details) -> About {
    About { name: "2026.11", checked: ("2026.11", "2026.11"), details }
}

/// What most of these harnesses have in common.
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

/// How a file is loaded.
#[derive(Clone, Copy)]
pub(in crate::harness) struct Load<'r> {
    pub scope: Scope,
    pub trigger: Trigger,
    pub reason: &'r str,
}

impl<'r> Load<'r> {
    /// At the start of the session.
    pub fn start(scope: Scope, reason: &'r str) -> Load<'r> {
        Load { scope, trigger: Trigger::Session, reason }
    }

    /// When the target is read.
    pub fn read(scope: Scope, reason: &'r str) -> Load<'r> {
        Load { scope, trigger: Trigger::Read, reason }
    }
}

/// A file that was read.
pub(in crate::harness) struct File {
    pub path: PathBuf,
    raw: Content,
    /// Its text, without a byte order mark.
    pub text: Text,
    head: Option<Head>,
}

impl File {
    fn new(path: &Path, raw: Content) -> File {
        let text = Text::of(&raw, &raw.text_without_bom());
        File { path: path.to_owned(), head: Head::of(&text), text, raw }
    }

    /// What stands at its head.
    pub fn front(&self) -> Option<FrontMatter<'_>> {
        self.head.as_ref().map(|head| head.front_matter(&self.text))
    }

    /// Its bytes.
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// Where its text stands, less the white space around it.
    pub fn trimmed(&self) -> Range<usize> {
        trimmed(&self.text, 0..self.text.len())
    }

    /// Where its text stands, less what JavaScript's `trim` removes.
    pub fn js_trimmed(&self) -> Range<usize> {
        text::js_trimmed(&self.text)
    }

    /// Where its text stands behind the front matter, less the white space around it.
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

/// When a rule counts.
pub(in crate::harness) enum When {
    /// From the start.
    Always,
    /// Once a file is in the context that one of the patterns matches.
    Matching(Patterns),
    /// When the agent asks for it; the start only lists it.
    Asked,
    /// When the user names it, so.
    Named(String),
    /// Never, for this reason.
    Never(&'static str),
}

/// The patterns of a rule, with what is said of them.
pub(in crate::harness) struct Patterns {
    all: Vec<String>,
    /// Those that nothing can match.
    invalid: Vec<String>,
    /// All of them, for people.
    listed: String,
}

impl Patterns {
    /// Whether one of them matches a path.
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

/// How patterns are read.
#[derive(Clone, Copy)]
pub(in crate::harness) struct Globs<'p> {
    /// Where they start.
    pub base: &'p Path,
    /// What one without a slash means: a name in any directory, or one in the base directory only.
    pub names_anywhere: bool,
    /// Whether the letter case is no matter.
    pub fold_case: bool,
}

impl Globs<'_> {
    /// Whether one of the patterns matches the path.
    pub fn any(self, patterns: &[String], path: &Path) -> bool {
        path.strip_prefix(self.base).is_ok_and(|path| patterns.iter().any(|pattern| self.matches(pattern, path)))
    }

    /// Whether a pattern matches a path below the base. A pattern that is no glob matches nothing.
    fn matches(self, pattern: &str, path: &Path) -> bool {
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        let pattern = pattern.strip_prefix('/').unwrap_or(pattern);
        let by_name = self.names_anywhere && !pattern.contains('/');
        let path = if by_name { path.file_name().map_or(path, Path::new) } else { path };
        glob::plain(pattern, self.fold_case, path)
    }
}

/// Finds files and puts them one after the other.
pub(in crate::harness) struct Chain<'a, 'f> {
    pub at: &'a Standpoint,
    pub search: &'a mut Search<'f>,
    pub answer: Answer,
    started: Vec<Text>,
    read: Vec<Text>,
    taken: HashSet<OsString, AskHasher>,
    /// Where patterns started last, and the target as it is seen from there.
    seen_from: Option<(PathBuf, Option<PathBuf>)>,
}

impl<'a, 'f> Chain<'a, 'f> {
    /// An empty one, whose text is not certain for the reason given.
    pub fn new(at: &'a Standpoint, search: &'a mut Search<'f>, unsure: Option<&str>) -> Chain<'a, 'f> {
        let answer = Answer { files_only: unsure.map(str::to_owned), root: Some(at.cwd.clone()), ..Answer::default() };
        Chain { at, search, answer, started: Vec::new(), read: Vec::new(), taken: HashSet::default(), seen_from: None }
    }

    /// The answer: one message for the start, one for what reading adds.
    pub fn finish(mut self, separator: &str) -> Answer {
        // Sources know the message of the start as 0 and that of reading as 1, which comes first if there is no other.
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

    /// `$XDG_CONFIG_HOME`, or `~/.config`.
    pub fn config_home(&self) -> PathBuf {
        let configured = self.search.env("XDG_CONFIG_HOME").filter(|dir| dir.starts_with('/'));
        configured.map_or_else(|| self.at.home.join(".config"), PathBuf::from)
    }

    /// The nearest directory with an entry `.git`, at the working directory or above.
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

    /// The directories below the working directory that lead to the target, outermost first.
    pub fn directories_to_target(&self) -> Vec<PathBuf> {
        let cwd = self.at.cwd.as_path();
        let Some(dir) = self.at.target.as_deref().and_then(Path::parent) else { return Vec::new() };
        let mut dirs: Vec<PathBuf> =
            dir.ancestors().take_while(|dir| *dir != cwd && dir.starts_with(cwd)).map(Path::to_owned).collect();
        dirs.reverse();
        dirs
    }

    /// A file that is there; else, where it is there and cannot be read, a source that says so.
    pub fn file(&mut self, path: &Path, load: Load) -> Known<Option<Arc<File>>> {
        match self.search.read(path, load.reason.to_owned())? {
            Ok(raw) => Ok(Some(Arc::new(File::new(path, raw)))),
            Err(problem) => {
                self.unreadable(path, load, problem);
                Ok(None)
            }
        }
    }

    /// The same for a file of a folder.
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

    /// Whether the file comes for the first time. Paths that are written in one way only, as nearly all are, count by
    /// their bytes: rules come by the thousand.
    fn take(&mut self, path: &Path) -> bool {
        let written = path.as_os_str().as_encoded_bytes();
        let is_step = |part: &[u8]| part[0] == b'/' && (part[1] == b'/' || part[1..] == *b"./");
        let is_odd = !written.starts_with(b"/") || written.ends_with(b"/") || written.ends_with(b"/.");
        let is_odd = is_odd || written.windows(3).any(is_step);
        self.taken.insert(if is_odd { path.components().collect::<PathBuf>().into() } else { path.into() })
    }

    /// A source without any text in the messages.
    pub fn say(&mut self, path: &Path, load: Load, fate: Fate, reason: impl Into<String>) {
        if self.take(path) {
            let source = Source::new(path, load.scope, fate, reason);
            self.answer.sources.push(Source { trigger: load.trigger, ..source });
        }
    }

    /// Takes back that a file is left out, which is given after all.
    pub fn take_back(&mut self, path: &Path) {
        let place = Place::Path(path.to_owned());
        let sources = &mut self.answer.sources;
        let before = sources.len();
        sources.retain(|source| source.fate != Fate::Excluded || source.place != place);
        if sources.len() < before {
            self.taken.remove(path.components().collect::<PathBuf>().as_os_str());
        }
    }

    /// Puts the range of the file at the end, as `show` writes it. A file that stands there already is left out.
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

    /// Puts a text of the file at the end, also if the file stands there already.
    pub fn give_again(&mut self, file: &File, load: Load, text: Text) {
        if self.taken.contains(AsRef::<std::ffi::OsStr>::as_ref(&file.path)) {
            match load.trigger {
                Trigger::Session => self.started.push(text),
                Trigger::Read | Trigger::Attach | Trigger::Call => self.read.push(text),
            }
        } else {
            self.give(file, 0..file.text.len(), load, |_| text);
        }
    }

    /// Adds a text to the start that no file brings.
    pub fn line(&mut self, text: impl Into<Text>) {
        self.started.push(text.into());
    }

    /// Takes white space from the end of the start's last text, as JavaScript's `trim` does.
    pub fn trim_last(&mut self) {
        if let Some(last) = self.started.last_mut() {
            *last = last.slice(0..text::js_trim_end(last).len());
        }
    }

    /// Says of the last source that it was cut at a limit, which stands in its range already.
    pub fn cut_last(&mut self, limit: Limit, reason: String) {
        if let Some(source) = self.answer.sources.last_mut().filter(|source| source.fate == Fate::Loaded) {
            *source = Source { fate: Fate::Truncated, limit: Some(limit), reason, ..source.clone() };
        }
    }

    /// How many texts the start has.
    pub fn started(&self) -> usize {
        self.started.len()
    }

    /// Puts a head before one of the texts of the start.
    pub fn before(&mut self, part: usize, head: &str) {
        self.started[part] = Text::framed(head, self.started[part].clone(), "");
    }

    /// The whole file, if it is there.
    pub fn whole(&mut self, path: &Path, load: Load) -> Known<bool> {
        let Some(file) = self.file(path, load)? else { return Ok(false) };
        let blank = file.text.trim().is_empty();
        self.give(&file, if blank { 0..0 } else { 0..file.text.len() }, load, identity);
        Ok(true)
    }

    /// The first of the names that is a file is handed to `give`; the others that are there are shadowed by it.
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

    /// Says that another file is taken in the place of this one, if this one is there.
    pub fn shadowed(&mut self, path: &Path, load: Load, by: &Path) -> Known<()> {
        if self.search.is_file(path, load.reason.to_owned())? && self.take(path) {
            let reason = format!("{} is loaded instead", by.display());
            let source = Source::new(path, load.scope, Fate::Shadowed, reason);
            self.answer.sources.push(Source { trigger: load.trigger, by: Some(by.to_owned()), ..source });
        }
        Ok(())
    }

    /// A rule: its text at the start or with the target, or a source that says when it would count.
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

    /// Whether a pattern matches the target.
    fn matches(&mut self, patterns: &Patterns, globs: Globs) -> bool {
        let Some(target) = self.at.target.as_deref() else { return false };
        if self.seen_from.as_ref().is_none_or(|(base, _)| base.as_os_str() != globs.base.as_os_str()) {
            let below = target.strip_prefix(globs.base).ok().map(Path::to_owned);
            self.seen_from = Some((globs.base.to_owned(), below));
        }
        let below = self.seen_from.as_ref().and_then(|(_, below)| below.as_deref());
        below.is_some_and(|path| patterns.all.iter().any(|pattern| globs.matches(pattern, path)))
    }

    /// The files of a folder whose names end so; sorted by path. Links to files count.
    pub fn folder(&mut self, dir: &Path, ending: &'static str) -> Known<Arc<Vec<InFolder>>> {
        let look = |dir: &Path, ending: &'static str, search: &mut Search| in_folder(dir, ending, false, search);
        self.search.part("files of a folder", (dir, ending), look)
    }

    /// The same with the folders below it. Links to folders do not count.
    pub fn tree(&mut self, dir: &Path, ending: &'static str) -> Known<Arc<Vec<InFolder>>> {
        self.search.part("files below a folder", (dir, ending), files_below)
    }
}

/// A file of a folder, and what came of reading it.
#[derive(Clone)]
pub(in crate::harness) struct InFolder {
    pub path: PathBuf,
    /// The file, or why it could not be read.
    pub read: Result<Arc<File>, Unreadable>,
}

/// What [`Chain::tree`] finds.
pub(in crate::harness) fn files_below(dir: &Path, ending: &'static str, search: &mut Search) -> Known<Vec<InFolder>> {
    in_folder(dir, ending, true, search)
}

/// The files of a folder and, if `deep`, of those below it.
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

/// What stands behind an `@` at the beginning of a word, outside of code.
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
        // Every second piece between backticks is code.
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
