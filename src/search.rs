//! The operations by which rules look at the disk. Each records its question, whether the path exists or not.
//!
//! This record explains an answer ("why is my file not loaded?"), lists the facts that it depends on, and lists what
//! must be read next. An operation returns [`Halt::Pending`] if the snapshot does not have the fact yet; rules
//! propagate that with `?` and are run again once more is known. If the client would not start, rules end the search
//! with [`Halt::Refused`] in the same way.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

mod effort;
mod halt;
mod hidden;
mod part;
mod walk;

pub use halt::{Halt, Refusal};
pub use hidden::{PutIn, Secrets, StandIns};
pub use part::{Look, Part, PartKey, Parts, Trace};

use crate::glob::Meter;
use crate::snapshot::{
    Ask, AskHasher, Content, Entry, Environment, Errno, Fact, Facts, FileType, Found, GlobFlavor, Meta, Remote,
    Repository, Row, Unreadable, absolute,
};
use crate::text::without_passwords;
use effort::Effort;
use hidden::Hidden;

/// A value, or the reason why the search ended without one.
pub type Known<T> = Result<T, Halt>;

/// A recorded question: one line of the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Path of the question.
    pub path: PathBuf,
    /// Kind of question: `file`, `entry`, `content`, `listing`, `glob`, `git`, `rows`, `url`, or `never` for a path
    /// that is not looked at.
    pub asked: &'static str,
    /// Result in a word or two.
    pub answer: Cow<'static, str>,
    /// Rule of the agent that asked.
    pub rule: Cow<'static, str>,
}

/// Looks at facts on behalf of one question and records what it asks.
pub struct Search<'a> {
    facts: &'a dyn Facts,
    known: &'a Parts,
    env: Environment,
    env_used: RefCell<BTreeMap<String, String>>,
    probes: Vec<Probe>,
    /// Parts that were used, each with the number of trace lines before it.
    parts: Vec<(usize, Arc<Part>)>,
    wanted: Vec<Ask>,
    depends: HashSet<Ask, AskHasher>,
    cut_short: Option<PathBuf>,
    /// First file to be read that the system generates for the reading process.
    about_process: Option<PathBuf>,
    effort: Effort,
    meter: Meter,
    /// Path to show in the trace instead of the path of a question.
    shown: Option<PathBuf>,
    hidden: Hidden,
    put_in: PutIn,
    /// True if nearly all facts are known; then announcing questions costs more than it saves.
    again: bool,
}

impl<'a> Search<'a> {
    /// Creates a search. Parts in `known` are reused.
    pub fn new(facts: &'a dyn Facts, env: Environment, known: &'a Parts) -> Self {
        Search {
            facts,
            known,
            env,
            env_used: RefCell::default(),
            probes: Vec::new(),
            parts: Vec::new(),
            wanted: Vec::new(),
            depends: HashSet::default(),
            cut_short: None,
            about_process: None,
            effort: Effort::default(),
            meter: Meter::default(),
            shown: None,
            hidden: Hidden::default(),
            put_in: PutIn::default(),
            again: false,
        }
    }

    /// Marks the search as one for a question that was answered before.
    pub fn again(self) -> Self {
        Search { again: true, ..self }
    }

    /// Sets whether secret values appear in the trace.
    pub fn showing(mut self, secrets: Secrets) -> Self {
        self.hidden.reveal = secrets == Secrets::Shown;
        self
    }

    /// Returns an environment variable and records its use.
    pub fn env(&self, name: &str) -> Option<String> {
        if hidden::is_secret(name) {
            return self.secret_env(name);
        }
        let value = self.env.get(name)?;
        self.env_used.borrow_mut().insert(name.to_owned(), without_passwords(value).into_owned());
        Some(value.clone())
    }

    /// Returns the first name of an environment variable, by its bytes, that satisfies a condition.
    pub fn env_name(&self, is_meant: impl Fn(&str) -> bool) -> Option<String> {
        self.env.keys().find(|name| is_meant(name)).cloned()
    }

    /// Returns an environment variable that may be a secret and records its use, but not its value.
    pub fn secret_env(&self, name: &str) -> Option<String> {
        let value = self.env.get(name)?;
        let said = if self.hidden.reveal { value } else { "(set)" };
        self.env_used.borrow_mut().entry(name.to_owned()).or_insert_with(|| said.to_owned());
        Some(value.clone())
    }

    /// Records that settings replace `written`, a reference to a variable, by `value`, which any path may contain from
    /// now on. Returns false if all values together are too long; then the value must not be inserted, and the answer
    /// is incomplete.
    pub fn put_in(&self, value: &str, written: &str) -> bool {
        let fits = self.put_in.takes(value);
        if fits {
            self.hidden.note(value, written);
        }
        fits
    }

    /// Records an inserted value like [`Search::put_in`], but only counts its length unless the variable's name
    /// suggests a secret.
    pub fn put_in_secret(&self, name: &str, value: &str, written: &str) -> bool {
        if hidden::is_secret(name) { self.put_in(value, written) } else { self.put_in.takes(value) }
    }

    /// Returns the replacements for inserted values. Values in paths of existing files are kept, since anyone who sees
    /// the disk sees them.
    pub fn stand_ins(&self) -> StandIns {
        let probes = self.probes.iter().chain(self.parts.iter().flat_map(|(_, part)| part.trace().iter()));
        self.hidden.stand_ins(probes)
    }

    /// Sets the path to show in the trace for the following questions: a path from a secret is shown as the settings
    /// write it. `None` ends that.
    pub fn show_as(&mut self, shown: Option<PathBuf>) {
        self.shown = shown.filter(|_| !self.hidden.reveal);
    }

    /// Returns true if an environment variable is not empty. Records its use, but not its value, which may be a secret.
    pub fn has_env(&self, name: &str) -> bool {
        let is_set = self.env.get(name).is_some_and(|value| !value.is_empty());
        if is_set {
            self.env_used.borrow_mut().entry(name.to_owned()).or_insert_with(|| "(set)".to_owned());
        }
        is_set
    }

    /// Announces questions that will be asked in any case, so that they are read together.
    pub fn expect(&mut self, asks: impl IntoIterator<Item = Ask>) -> Known<()> {
        if self.again {
            return Ok(());
        }
        for ask in asks {
            if !self.effort.may_announce(&ask) {
                break;
            }
            match self.facts.told_weight(&ask) {
                Some(weight) => self.effort.announced(weight),
                None => self.wanted.push(ask),
            }
        }
        if self.wanted.is_empty() { Ok(()) } else { Err(Halt::Pending) }
    }

    /// Returns the metadata at `path`, following links (`stat`).
    pub fn stat(&mut self, path: &Path, rule: impl Into<Cow<'static, str>>) -> Known<Result<Meta, Errno>> {
        let Fact::Kind(found) = self.fact(Ask::Kind(path.to_owned()))? else { unreachable!("Kind answers Kind") };
        self.note(path, "file", kind_or_error(&found), rule);
        Ok(found)
    }

    /// Returns the metadata at `path` like [`Search::stat`], but without a line in the trace; used to decide whether to
    /// ask more.
    pub fn glance(&mut self, path: &Path) -> Known<Result<Meta, Errno>> {
        let Fact::Kind(found) = self.fact(Ask::Kind(path.to_owned()))? else { unreachable!("Kind answers Kind") };
        Ok(found)
    }

    /// Returns the metadata of `path` itself (`lstat`).
    pub fn lstat(&mut self, path: &Path, rule: impl Into<Cow<'static, str>>) -> Known<Result<Meta, Errno>> {
        let Fact::Kind(found) = self.fact(Ask::LinkKind(path.to_owned()))? else {
            unreachable!("LinkKind answers Kind")
        };
        self.note(path, "entry", kind_or_error(&found), rule);
        Ok(found)
    }

    /// Returns true if `path` is a regular file, following links.
    pub fn is_file(&mut self, path: &Path, rule: impl Into<Cow<'static, str>>) -> Known<bool> {
        Ok(self.stat(path, rule)?.is_ok_and(|meta| meta.kind == FileType::File))
    }

    /// Returns true if `path` is a directory, following links.
    pub fn is_dir(&mut self, path: &Path, rule: impl Into<Cow<'static, str>>) -> Known<bool> {
        Ok(self.stat(path, rule)?.is_ok_and(|meta| meta.kind == FileType::Dir))
    }

    /// Resolves every link (`realpath`). Adds no line to the trace, since agents use it to locate themselves, not to
    /// decide what to load.
    pub fn real(&mut self, path: &Path) -> Known<Result<PathBuf, Errno>> {
        let Fact::Real(found) = self.fact(Ask::Real(path.to_owned()))? else { unreachable!("Real answers Real") };
        Ok(found)
    }

    /// Returns the target of the symbolic link at `path`, made absolute, or `None` if it is not a link. Adds no line to
    /// the trace.
    pub fn link_target(&mut self, path: &Path) -> Known<Option<PathBuf>> {
        let Fact::Real(found) = self.fact(Ask::Target(path.to_owned()))? else { unreachable!("Target answers Real") };
        Ok(found.ok().map(|target| absolute(path.parent().unwrap_or(path), &target)))
    }

    /// Returns the content of a regular file.
    pub fn read(&mut self, path: &Path, rule: impl Into<Cow<'static, str>>) -> Known<Result<Content, Unreadable>> {
        let Fact::Content(found) = self.fact(Ask::Content(path.to_owned()))? else {
            unreachable!("Content answers Content")
        };
        let answer = match &found {
            Ok(bytes) => format!("{} B", bytes.len()).into(),
            Err(Unreadable::Errno(errno)) => error_word(*errno),
            Err(other) => other.to_string().into(),
        };
        if found == Err(Unreadable::Process) {
            self.about_process.get_or_insert_with(|| path.to_owned());
        }
        self.note(path, "content", answer, rule);
        Ok(found)
    }

    /// Returns the entries of a directory in the disk's order.
    pub fn list(&mut self, path: &Path, rule: impl Into<Cow<'static, str>>) -> Known<Result<Arc<[Entry]>, Errno>> {
        let Fact::Listing(found) = self.fact(Ask::Listing(path.to_owned()))? else {
            unreachable!("Listing answers Listing")
        };
        let answer = match &found {
            Ok(entries) => format!("{} entries", entries.len()).into(),
            Err(errno) => error_word(*errno),
        };
        self.note(path, "listing", answer, rule);
        Ok(found)
    }

    /// Returns the entries of a directory like [`Search::list`], but without a line in the trace; for a directory that was
    /// listed just before.
    pub fn list_again(&mut self, path: &Path) -> Known<Result<Arc<[Entry]>, Errno>> {
        let Fact::Listing(found) = self.fact(Ask::Listing(path.to_owned()))? else {
            unreachable!("Listing answers Listing")
        };
        Ok(found)
    }

    /// Returns the files that match a pattern below `base`.
    pub fn glob(
        &mut self,
        base: &Path,
        pattern: &str,
        flavor: GlobFlavor,
        rule: impl Into<Cow<'static, str>>,
    ) -> Known<Arc<Found>> {
        let ask = Ask::Glob { base: base.to_owned(), pattern: pattern.to_owned(), flavor };
        let Fact::Glob(found) = self.fact(ask)? else { unreachable!("Glob answers Glob") };
        let more = if found.cut_short { ", and too many places to look at all of them" } else { "" };
        self.note(&base.join(pattern), "glob", format!("{} files{more}", found.files.len()), rule);
        if found.cut_short {
            let shown = self.shown.clone();
            self.cut_short.get_or_insert_with(|| shown.unwrap_or_else(|| base.join(pattern)));
        }
        Ok(found)
    }

    /// Returns the git repository of a directory with an entry `.git`.
    pub fn git(&mut self, dir: &Path, rule: impl Into<Cow<'static, str>>) -> Known<Option<Repository>> {
        let Fact::Git(found) = self.fact(Ask::Git(dir.to_owned()))? else { unreachable!("Git answers Git") };
        let answer = match &found {
            Some(repository) => match &repository.toplevel {
                Some(top) => format!("worktree {}", top.display()).into(),
                None => "bare".into(),
            },
            None => Cow::Borrowed("no repository"),
        };
        self.note(dir, "git", answer, rule);
        Ok(found)
    }

    /// Returns rows of an SQLite file.
    pub fn rows(
        &mut self,
        file: &Path,
        query: &'static str,
        key: &str,
        rule: impl Into<Cow<'static, str>>,
    ) -> Known<Result<Arc<[Row]>, String>> {
        let ask = Ask::Rows { file: file.to_owned(), query, key: key.to_owned() };
        let Fact::Rows(found) = self.fact(ask)? else { unreachable!("Rows answers Rows") };
        let answer = match &found {
            Ok(rows) => format!("{} rows", rows.len()),
            Err(message) => message.clone(),
        };
        self.note(file, "rows", answer, rule);
        Ok(found)
    }

    /// Returns the content of a URL, if the user permitted fetching it.
    pub fn remote(&mut self, url: &str, rule: impl Into<Cow<'static, str>>) -> Known<Remote> {
        let Fact::Remote(found) = self.fact(Ask::Remote(url.to_owned()))? else {
            unreachable!("Remote answers Remote")
        };
        let answer = match &found {
            Remote::NotFetched => "not fetched".into(),
            Remote::Failed(why) => why.clone(),
            Remote::Body(body) => format!("{} B", body.len()),
            Remote::Moved { to, body } => format!("{} B from {}", body.len(), without_passwords(to)),
        };
        self.note(Path::new(&*without_passwords(url)), "url", answer, rule);
        Ok(found)
    }

    /// Records in the trace that a path is not looked at, and why.
    pub fn never(&mut self, path: &Path, rule: impl Into<Cow<'static, str>>) {
        self.note(path, "never", "not asked", rule);
    }

    /// Records in the trace that a path is not looked at because there are too many; the answer is incomplete.
    pub fn give_up(&mut self, path: &Path, rule: impl Into<Cow<'static, str>>) {
        self.never(path, rule);
        self.cut_short.get_or_insert_with(|| path.to_owned());
    }

    /// Returns those of `paths` that were not asked about.
    pub fn not_asked<'p>(&self, paths: impl Iterator<Item = &'p Path>) -> HashSet<&'p Path> {
        // An answer that is given up has asked about ten thousands of paths, and few of them are looked for.
        let bytes = |path: &'p Path| path.as_os_str().as_encoded_bytes();
        let mut left: HashMap<&[u8], &Path, AskHasher> = paths.map(|path| (bytes(path), path)).collect();
        let of_parts = self.parts.iter().flat_map(|(_, part)| part.trace().iter());
        for probe in self.probes.iter().chain(of_parts) {
            if left.is_empty() {
                break;
            }
            left.remove(probe.path.as_os_str().as_encoded_bytes());
        }
        left.into_values().collect()
    }

    /// Returns the file that was read last.
    pub fn last_read(&self) -> Option<&Path> {
        self.probes.iter().rev().find(|probe| probe.asked == "content").map(|probe| probe.path.as_path())
    }

    /// Returns true if a URL was asked for.
    pub fn has_urls(&self) -> bool {
        self.depends.iter().any(|ask| matches!(ask, Ask::Remote(_)))
    }

    /// Returns the first file to be read that the system generates for the reading process.
    pub fn about_process(&self) -> Option<&Path> {
        self.about_process.as_deref()
    }

    /// Returns the URLs that redirected, each with its final address.
    pub fn moved(&self) -> Vec<(String, String)> {
        let moved = |ask: &Ask| match (ask, self.facts.told(ask)) {
            (Ask::Remote(url), Some(Fact::Remote(Remote::Moved { to, .. }))) => Some((url.clone(), to)),
            _ => None,
        };
        let is_url = |ask: &&Ask| matches!(ask, Ask::Remote(_));
        let mut moved: Vec<_> = self.depends.iter().filter(is_url).filter_map(moved).collect();
        moved.sort();
        moved
    }

    /// Returns the facts that must be read before the question can be answered.
    pub fn wanted(self) -> Vec<Ask> {
        let mut seen = HashSet::new();
        self.wanted.into_iter().filter(|ask| seen.insert(ask.clone())).collect()
    }

    /// Returns the first pattern or directory with too many places to look at all of them.
    pub fn cut_short(&self) -> Option<&Path> {
        self.cut_short.as_deref()
    }

    /// Returns the path at which the budget was exhausted, if it was; nothing is looked at from there on.
    pub fn gave_up_at(&self) -> Option<&Path> {
        self.effort.place().map(PathBuf::as_path)
    }

    /// Counts the cost of matching since the last question. If the budget is exceeded, it ends at `at`.
    pub fn close(&mut self, at: &Path) {
        self.effort.matched(&self.meter);
        self.effort.close(at);
    }

    /// Returns the cost of the answer so far, in questions about small files; what it shares with earlier answers hardly
    /// counts.
    pub fn cost(&mut self) -> usize {
        self.effort.matched(&self.meter);
        self.effort.fresh(self.meter.remembered())
    }

    /// Counts a part of the answer that takes as much memory as a question.
    pub fn says_more(&mut self) {
        self.effort.add(1);
    }

    /// Returns true if the rules went on asking long after the budget was exhausted and were stopped without an answer.
    pub fn is_exhausted(&self) -> bool {
        self.effort.is_exhausted()
    }

    /// Returns the trace, the facts that the answer depends on except those of its parts, and the variables that were
    /// used.
    pub fn finish(self) -> (Trace, Vec<Ask>, BTreeMap<String, String>) {
        let stand_ins = self.stand_ins();
        let mut trace = Trace::new(self.probes, self.parts);
        if !stand_ins.is_empty() {
            trace = trace.saying(|probe| stand_ins.probe(probe));
        }
        (trace, self.depends.into_iter().collect(), self.env_used.into_inner())
    }

    fn fact(&mut self, ask: Ask) -> Known<Fact> {
        self.effort.matched(&self.meter);
        if !self.effort.allows(&ask)? {
            return Ok(effort::nothing(&ask));
        }
        match self.facts.told(&ask) {
            Some(fact) => {
                let fact = if self.effort.takes(&ask, &fact) { fact } else { effort::nothing(&ask) };
                self.depends.insert(ask);
                Ok(fact)
            }
            None => {
                self.wanted.push(ask);
                Err(Halt::Pending)
            }
        }
    }

    fn note(
        &mut self,
        path: &Path,
        asked: &'static str,
        answer: impl Into<Cow<'static, str>>,
        rule: impl Into<Cow<'static, str>>,
    ) {
        // Once the budget is exhausted, questions are not asked, so there is nothing to record.
        if self.effort.place().is_some() {
            return;
        }
        let path = self.shown.clone().unwrap_or_else(|| path.to_owned());
        self.probes.push(Probe { path, asked, answer: answer.into(), rule: rule.into() });
    }
}

fn kind_or_error(found: &Result<Meta, Errno>) -> Cow<'static, str> {
    match found {
        Ok(meta) => Cow::Borrowed(meta.kind.word()),
        Err(errno) => error_word(*errno),
    }
}

fn error_word(errno: Errno) -> Cow<'static, str> {
    match errno {
        Errno::NOENT => Cow::Borrowed("absent"),
        other => Cow::Owned(format!("{}: {}", other.name(), other.text())),
    }
}
