//! A snapshot of one file for a feature: its bytes, its lines, and the answers of every enabled agent.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range as Bytes;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ropey::Rope;

use crate::answer::{Certain, Fate, Resolution, SessionKind, Source, Standpoint, Tool, Trigger, Warning};
use crate::disk::Filesystem;
use crate::engine::{Core, Error, Kind as ErrorKind, memory, session::Session, wanted};
use crate::harness::Choice;
use crate::harness::custom::FILE_NAME;
use crate::queries::ignored::IgnoredByGit;
use crate::queries::neighbour::Neighbour;
use crate::queries::patterns::{self, DeadPatterns, Matches};
use crate::queries::references::{Absent, AbsentReferences};
use crate::queries::twins::Twins;
use crate::report::agents;
use crate::report::findings::{self, Created, Elsewhere, Kind, Subject, names};
use crate::request::{Places, Request, beside};
use crate::resolve::AgentQuestion;
use crate::snapshot::{Ask, Content, Fact};

/// Maximum number of directories above a file in which an agent may be started that reads it.
const ABOVE_LIMIT: usize = 16;
/// Maximum number of patterns of a rule for which it is asked whether creating a file brings the rule.
const MOST_SAMPLES: usize = 8;

/// A file, with the answers that belong to exactly these bytes.
pub(crate) struct View {
    /// Path of the file as agents see it: their working directory is physical.
    pub seen: PathBuf,
    /// Content of the file.
    pub raw: Content,
    /// Answers of the chosen agents from the standpoint: at the start of a session, else when they read a file beside
    /// this one.
    pub answers: Vec<Arc<Resolution>>,
    /// Path of the file as seen from its own directory, and the answers of agents started there that do not read it
    /// from the standpoint.
    elsewhere: (PathBuf, Vec<Arc<Resolution>>),
    subagents: Vec<Arc<Resolution>>,
    created: Vec<Created>,
    /// Revision of the document, if it is open.
    pub revision: Option<u64>,
    /// Version number that the editor assigned.
    pub version: Option<i32>,
    /// Text that the editor shows.
    pub text: Option<Rope>,
    /// Problems of the agents that the file declares, with their ranges.
    pub problems: Vec<(Bytes<usize>, String)>,
    leads_to: Option<PathBuf>,
    twins: Vec<PathBuf>,
    ignored: Vec<PathBuf>,
    never_read: bool,
    dead: Vec<String>,
    absent: Vec<Absent>,
    long: usize,
}

impl View {
    /// Returns the input for findings.
    pub fn subject(&self) -> Subject<'_> {
        Subject {
            path: &self.seen,
            raw: &self.raw,
            answers: &self.answers,
            elsewhere: Elsewhere { path: &self.elsewhere.0, answers: &self.elsewhere.1 },
            subagents: &self.subagents,
            created: &self.created,
            leads_to: self.leads_to.as_deref(),
            twins: &self.twins,
            ignored: &self.ignored,
            never_read: self.never_read,
            dead: &self.dead,
            absent: &self.absent,
            long: self.long,
        }
    }
}

/// Answers from the standpoint and from the file's own directory, as in [`View`].
struct Told {
    /// Start directory of the agents.
    cwd: PathBuf,
    /// Questions about the start of a session there.
    questions: Vec<(Choice, Standpoint)>,
    answers: Vec<Arc<Resolution>>,
    elsewhere: (PathBuf, Vec<Arc<Resolution>>),
}

/// Returns true if a file is among the sources of an answer.
fn considers(answer: &Resolution, path: &Path) -> bool {
    answer.sources_of(path).next().is_some()
}

/// Returns revision, version and text of an open document.
pub(crate) fn state(session: &Session, path: &Path) -> Option<(u64, i32, Rope)> {
    let document = session.documents.values().find(|document| document.path == path)?;
    Some((document.revision, document.version, document.text.clone()))
}

impl Core {
    /// Returns a file with the answers that belong to its text. Retries if the document changes in the meantime.
    pub(crate) fn view(&self, path: &Path) -> Result<View, Error> {
        for _ in 0..8 {
            let before = self.session().revision_of(path);
            let read = self.read(path);
            let (raw, leads_to) = self.files.opened(path).map_or(read, |(raw, real)| Ok((raw, Some(real))))?;
            let Told { cwd, questions, answers, elsewhere } = self.answers_from_standpoint(path, &raw)?;
            let seen = seen_as(path, &cwd, &answers);
            let everyone: Vec<_> = answers.iter().chain(&elsewhere.1).cloned().collect();
            let never_read = self.is_never_read(path, &seen, &questions, &everyone);
            let subagents = self.subagents(&seen, &questions, &answers);
            let created = self.created(path, &seen, &raw, &questions, &everyone);
            let twins = self.twins(&seen, &everyone);
            let ignored = self.ignored(&seen, &everyone);
            let problems = self.problems(path);
            let dead = self.dead_patterns(path, &seen, &raw, &everyone);
            let absent = self.absent(path, &seen, leads_to.as_deref(), &raw, &everyone);
            let session = self.session();
            let now = state(&session, path);
            if now.as_ref().map(|(revision, ..)| *revision) != before {
                continue;
            }
            let (revision, version, text) = match now {
                Some((revision, version, text)) => (Some(revision), Some(version), Some(text)),
                None => (None, None, None),
            };
            let leads_to = leads_to.filter(|real| *real != seen);
            let long = session.settings.long();
            return Ok(View {
                seen,
                raw,
                answers,
                elsewhere,
                subagents,
                created,
                revision,
                version,
                problems,
                leads_to,
                twins,
                ignored,
                never_read,
                dead,
                absent,
                long,
                text,
            });
        }
        Err(Error { kind: ErrorKind::Modified, message: format!("{} is being edited", path.display()) })
    }

    /// Returns the answers of the chosen agents for the start of a session in the file's directory.
    pub(crate) fn about(&self, path: &Path) -> Result<Vec<Arc<Resolution>>, Error> {
        let places = Places { cwd: beside(path), target: None, read_before: Vec::new(), already_loaded: Vec::new() };
        Ok(self.answers(&Request::default(), &places)?.0)
    }

    /// Returns the answers of the chosen agents about a file, from the standpoint: at the start of a session; if that
    /// does not decide about the file, when a file beside it is read; and if that does not either, when the agent is
    /// started there.
    fn answers_from_standpoint(&self, path: &Path, raw: &Content) -> Result<Told, Error> {
        let beside = beside(path);
        let cwd = self.session().cwd_for(Some(path)).unwrap_or_else(|| beside.clone());
        let places = Places { cwd: cwd.clone(), target: None, read_before: Vec::new(), already_loaded: Vec::new() };
        let questions = self.questions(&Request::default(), &places)?;
        // An edit invalidates most of the answers below, and each step would wait for the one before. The last
        // questions are likely to be asked again, and can be computed all at once.
        self.answers_to(self.asked_before(path));
        let mut answers = self.asked(changed(&questions, |_| {}));
        if beside == cwd {
            return Ok(Told { cwd, questions, answers, elsewhere: (PathBuf::new(), Vec::new()) });
        }
        let open = |answers: &[Arc<Resolution>]| -> Vec<usize> {
            let seen = seen_as(path, &cwd, answers);
            (0..answers.len()).filter(|&at| !findings::decides(&answers[at], &seen)).collect()
        };
        let undecided = open(&answers);
        let of = |which: &[usize]| which.iter().map(|&at| questions[at].clone()).collect::<Vec<_>>();
        let mut reading = Vec::new();
        if !undecided.is_empty() && beside.starts_with(&cwd) {
            // The target is named by its path from the start directory, including links.
            let below = self.query(Neighbour::within(&beside));
            let target = below.value.as_ref().map_or_else(|| path.to_owned(), |below| beside.join(below));
            reading = changed(&of(&undecided), |at| at.target = Some(target.clone()));
            for (at, answer) in undecided.into_iter().zip(self.asked(reading.clone())) {
                answers[at] = answer;
            }
        }
        let undecided = open(&answers);
        let mut starting = changed(&of(&undecided), |at| at.cwd.clone_from(&beside));
        let mut elsewhere = self.asked(starting.clone());
        if names_what_is_above(raw) {
            // From there, the file may be outside of the directories that may be imported.
            let decided: Vec<usize> = (0..answers.len()).filter(|at| !undecided.contains(at)).collect();
            let more = changed(&of(&decided), |at| at.cwd.clone_from(&beside));
            let is_outside = |warning: &Warning| warning.code == Kind::ImportOutside.code();
            let told = self.asked(more.clone()).into_iter();
            elsewhere.extend(told.filter(|answer| answer.answer.warnings.iter().any(is_outside)));
            starting.extend(more);
        }
        if let Some(document) = self.session().documents.values_mut().find(|document| document.path == path) {
            document.asked = [reading, starting].concat();
        }
        let seen = seen_as(path, &beside, &elsewhere);
        Ok(Told { cwd, questions, answers, elsewhere: (seen, elsewhere) })
    }

    /// Returns the questions of the last view of a document.
    pub(crate) fn asked_before(&self, path: &Path) -> Vec<AgentQuestion> {
        let session = self.session();
        let document = session.documents.values().find(|document| document.path == path);
        document.map(|document| document.asked.clone()).unwrap_or_default()
    }

    pub(crate) fn asked(&self, questions: Vec<AgentQuestion>) -> Vec<Arc<Resolution>> {
        self.answers_to(questions).into_iter().map(|(answer, _)| answer).collect()
    }

    /// Returns true if no chosen agent reads the file, from any start directory above it and with any file beside it as
    /// target.
    pub(crate) fn is_never_read(
        &self,
        path: &Path,
        seen: &Path,
        questions: &[(Choice, Standpoint)],
        answers: &[Arc<Resolution>],
    ) -> bool {
        if !names::is_distinctive(path) || answers.is_empty() {
            return false;
        }
        // Of some agents it is not known which skills they list.
        let is_skill = names::is_meant_as_skill(path);
        let knows_all = |answer: &Arc<Resolution>| answer.answer.certain().contains(&Certain::Set);
        if is_skill && !answers.iter().all(knows_all) {
            return false;
        }
        let is_told = |answer: &Arc<Resolution>| considers(answer, seen) || considers(answer, path);
        if answers.iter().any(|answer| is_told(answer) || answer.answer.refusal.is_some()) {
            return false;
        }
        let top = self.session().folder_of(path).cloned().unwrap_or_else(|| beside(path));
        let dirs = path.ancestors().skip(1).take(ABOVE_LIMIT).take_while(|dir| dir.starts_with(&top));
        for dir in dirs {
            if self.is_exhausted() {
                return false;
            }
            let started_there = |at: &mut Standpoint| {
                at.cwd = dir.to_owned();
                at.target = Some(path.to_owned());
            };
            let answers = self.asked(changed(questions, started_there));
            let seen = seen_as(path, dir, &answers);
            let told = |answer: &Arc<Resolution>| answer.sources_of(&seen).any(|source| source.fate != Fate::Missing);
            if answers.iter().any(told) {
                return false;
            }
        }
        true
    }

    /// Returns the patterns of a rule that match nothing. Searches only inside the workspace.
    pub(crate) fn dead_patterns(
        &self,
        path: &Path,
        seen: &Path,
        raw: &[u8],
        answers: &[Arc<Resolution>],
    ) -> Vec<String> {
        let wanted = findings::patterns(raw);
        let inside = self.session().folder_of(path).is_some();
        if wanted.is_empty() || !inside || !answers.iter().any(|answer| considers(answer, seen)) {
            return Vec::new();
        }
        let base = self.base_of_patterns(seen);
        let project = self.session().folder_of(seen).cloned().unwrap_or_else(|| base.clone());
        let wanted = DeadPatterns::below(&base, &project, wanted.into_iter().take(patterns::MOST));
        self.query(wanted).value.clone()
    }

    /// Returns the directory in which a rule's patterns may match: the one that holds the folder of an agent. A rule in
    /// another directory is reached by a link, from wherever in the workspace.
    fn base_of_patterns(&self, rule: &Path) -> PathBuf {
        let dir = beside(rule);
        let is_of_an_agent = rule.parent() != Some(&dir);
        self.session().folder_of(rule).filter(|_| !is_of_an_agent).cloned().unwrap_or(dir)
    }

    /// Searches for the matches of many rules' patterns in one walk per directory, so that later questions about each
    /// are cached.
    pub(crate) fn look_for_patterns(&self, files: &[PathBuf]) {
        let mut wanted: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
        for path in files {
            let Ok(raw) = self.files.read(path) else { continue };
            let patterns = findings::patterns(&raw).into_iter().take(patterns::MOST);
            wanted.entry(self.base_of_patterns(path)).or_default().extend(patterns);
        }
        for (base, all) in wanted.into_iter().filter(|(_, all)| all.len() > 1) {
            self.query(DeadPatterns::below(&base, &base, all));
        }
    }

    /// Returns the files and scripts that the prose of an instruction file mentions and that do not exist, if that
    /// finding is enabled. Searches only inside the workspace.
    pub(crate) fn absent(
        &self,
        path: &Path,
        seen: &Path,
        leads_to: Option<&Path>,
        raw: &[u8],
        answers: &[Arc<Resolution>],
    ) -> Vec<Absent> {
        let wanted = {
            let session = self.session();
            let is_on = |kind| session.settings.severity(kind).is_some();
            session.folder_of(path).is_some() && [Kind::MissingPath, Kind::MissingScript].into_iter().any(is_on)
        };
        let references = if wanted { findings::references(seen, raw, answers) } else { BTreeSet::new() };
        if references.is_empty() {
            return Vec::new();
        }
        self.query(AbsentReferences::of(seen, leads_to, references)).value.clone()
    }

    /// Returns the missing imports of a file that git ignores.
    fn ignored(&self, seen: &Path, answers: &[Arc<Resolution>]) -> Vec<PathBuf> {
        let missing = findings::missing_imports(seen, answers);
        if missing.is_empty() { missing } else { self.query(IgnoredByGit::of(seen, missing)).value.clone() }
    }

    /// Returns the files that are loaded instead of this one and are the same file.
    fn twins(&self, seen: &Path, answers: &[Arc<Resolution>]) -> Vec<PathBuf> {
        let instead = findings::loaded_instead(seen, answers);
        if instead.is_empty() { instead } else { self.query(Twins::of(seen, instead)).value.clone() }
    }

    /// Returns the answers for the start of the client's sub-agents, for agents that load the file at the start of a
    /// session, if that finding is enabled.
    fn subagents(
        &self,
        seen: &Path,
        questions: &[(Choice, Standpoint)],
        answers: &[Arc<Resolution>],
    ) -> Vec<Arc<Resolution>> {
        if self.session().settings.severity(Kind::NotForSubagents).is_none() {
            return Vec::new();
        }
        let is_told = |source: &Source| source.trigger == Trigger::Session && source.fate.reaches();
        let told = questions.iter().zip(answers).filter(|(_, answer)| answer.sources_of(seen).any(is_told));
        let asked = told.flat_map(|((choice, at), answer)| {
            let agents = answer.answer.agents.iter().map(|agent| agents::standpoint(at, agent));
            let started = agents.filter(|at| at.session == SessionKind::Subagent);
            started.map(|at| AgentQuestion::new(choice.clone(), at)).collect::<Vec<_>>()
        });
        self.asked(asked.collect())
    }

    /// Returns the answers for reading a file of the rule's patterns and for creating another one, for agents that consider the rule, if
    /// that finding is enabled.
    fn created(
        &self,
        path: &Path,
        seen: &Path,
        raw: &[u8],
        questions: &[(Choice, Standpoint)],
        everyone: &[Arc<Resolution>],
    ) -> Vec<Created> {
        if self.session().settings.severity(Kind::RuleNotOnCreate).is_none() {
            return Vec::new();
        }
        let mut created = Vec::new();
        let considers =
            |choice: &Choice| everyone.iter().any(|answer| answer.harness == choice.id() && considers(answer, seen));
        let asked: Vec<_> = questions.iter().filter(|(choice, _)| considers(choice)).cloned().collect();
        for pattern in findings::patterns(raw).into_iter().take(MOST_SAMPLES) {
            let Some(new) = findings::sample(&pattern).map(|sample| beside(path).join(sample)) else { continue };
            let there = self.query(Matches::below(&beside(path), &pattern));
            let Some(there) = there.value.first().filter(|there| **there != new) else { continue };
            let by = |tool, target: &Path| {
                changed(&asked, |at| {
                    at.target = Some(target.to_owned());
                    at.tool = tool;
                })
            };
            let read = self.asked(by(Tool::Read, there));
            let written = self.asked(by(Tool::Write, &new));
            let pairs = read.into_iter().zip(written);
            created.extend(pairs.map(|(read, written)| Created { pattern: pattern.clone(), read, written }));
        }
        created
    }

    /// Returns the problems of the agents that a file declares. The nearest declaration to a directory is the file in
    /// it. Problems without a path are in the settings.
    pub(crate) fn problems(&self, path: &Path) -> Vec<(Bytes<usize>, String)> {
        if path.file_name() != Some(FILE_NAME.as_ref()) {
            return Vec::new();
        }
        let customs = self.customs(&beside(path));
        let problems = customs.problems.iter().filter(|problem| problem.path.is_some());
        problems.map(|problem| (problem.range.clone(), problem.message.clone())).collect()
    }

    /// Returns the content of a file as the editor shows it, or as the disk has it.
    pub(crate) fn shown(&self, path: &Path) -> Result<Content, Error> {
        self.files.opened(path).map_or_else(|| self.read(path).map(|(raw, _)| raw), |(raw, _)| Ok(raw))
    }

    pub(crate) fn read(&self, path: &Path) -> Result<(Content, Option<PathBuf>), Error> {
        if self.at_rest.is_some() {
            let raw = self.files.read(path).map_err(|why| Error::invalid(format!("{}: {why}", path.display())))?;
            return Ok((raw, Some(self.files.real(path))));
        }
        wanted::end_if_unwanted();
        let asks = [Ask::Content(path.to_owned()), Ask::Real(path.to_owned())];
        let read = asks.each_ref().map(|ask| self.fact(ask));
        memory::note(asks.iter());
        match read {
            [Some(Fact::Content(Ok(raw))), real] => {
                Ok((raw, if let Some(Fact::Real(Ok(real))) = real { Some(real) } else { None }))
            }
            [Some(Fact::Content(Err(why))), _] => Err(Error::invalid(format!("{}: {why}", path.display()))),
            _ => Err(Error::failed(format!("{}: it was not read", path.display()))),
        }
    }
}

/// Returns true if a file may import files that are neither beside nor below it.
fn names_what_is_above(raw: &Content) -> bool {
    ["@../", "@~/", "@/"].iter().any(|above| raw.text().contains(above))
}

/// Applies a change to the standpoint of every question.
fn changed(questions: &[(Choice, Standpoint)], change: impl Fn(&mut Standpoint)) -> Vec<AgentQuestion> {
    let changed = questions.iter().cloned().map(|(choice, mut standpoint)| {
        change(&mut standpoint);
        AgentQuestion::new(choice, standpoint)
    });
    changed.collect()
}

/// Returns the path under which the agents of `answers`, started in `cwd`, see a file: their working directory is
/// physical.
pub(crate) fn seen_as(path: &Path, cwd: &Path, answers: &[Arc<Resolution>]) -> PathBuf {
    match (answers.first(), path.strip_prefix(cwd)) {
        (Some(answer), Ok(below)) => answer.standpoint.cwd.join(below),
        _ => path.to_owned(),
    }
}
