//! One file as a feature sees it: its bytes, its lines, and what every enabled harness makes of it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range as Bytes;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ropey::Rope;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{Position, Range, Uri};

use crate::answer::{Fate, Resolution, SessionKind, Source, Standpoint, Trigger, Warning};
use crate::disk::Filesystem;
use crate::engine::{Core, memory, session::Session, thread};
use crate::harness::Choice;
use crate::harness::custom::FILE_NAME;
use crate::lsp::convert::{self, Encoding};
use crate::queries::neighbour::Neighbour;
use crate::queries::patterns::{self, DeadPatterns};
use crate::queries::references::{Absent, AbsentReferences};
use crate::queries::twins::Twins;
use crate::report::agents;
use crate::report::findings::{self, Elsewhere, Kind, Subject, names};
use crate::request::{Places, Request, beside};
use crate::resolve::AgentQuestion;
use crate::snapshot::{Ask, Content, Fact};
use crate::text;

/// How many directories above a file are asked whether a harness that is started there reads it.
const ABOVE_LIMIT: usize = 16;

/// A file, with the answers that belong to exactly these bytes.
pub(crate) struct View {
    /// The file as harnesses see it: their working directory is physical.
    pub seen: PathBuf,
    /// Its bytes.
    pub raw: Content,
    /// What every chosen harness tells at the standpoint: at the start, else when it reads a file beside this one.
    pub answers: Vec<Arc<Resolution>>,
    /// How harnesses that are started beside the file see it, and what those tell then that do not read it from the standpoint.
    elsewhere: (PathBuf, Vec<Arc<Resolution>>),
    subagents: Vec<Arc<Resolution>>,
    /// The revision of the document, if it is open.
    pub revision: Option<u64>,
    /// The editor's version number of it.
    pub version: Option<i32>,
    /// What is wrong with the harnesses that the file declares, and where.
    pub problems: Vec<(Bytes<usize>, String)>,
    leads_to: Option<PathBuf>,
    twins: Vec<PathBuf>,
    never_read: bool,
    dead: Vec<String>,
    absent: Vec<Absent>,
    long: usize,
    lines: Lines,
}

impl View {
    /// What findings are looked for in.
    pub fn subject(&self) -> Subject<'_> {
        Subject {
            path: &self.seen,
            raw: &self.raw,
            answers: &self.answers,
            elsewhere: Elsewhere { path: &self.elsewhere.0, answers: &self.elsewhere.1 },
            subagents: &self.subagents,
            leads_to: self.leads_to.as_deref(),
            twins: &self.twins,
            never_read: self.never_read,
            dead: &self.dead,
            absent: &self.absent,
            long: self.long,
        }
    }

    /// A byte range of the file as the editor counts.
    pub fn range(&self, bytes: &Bytes<usize>) -> Range {
        Range::new(self.position(bytes.start), self.position(bytes.end))
    }

    /// A byte of the file as the editor counts.
    pub fn position(&self, byte: usize) -> Position {
        self.lines.position(&self.raw, byte)
    }

    /// The byte of the file at a position of the editor.
    pub fn byte(&self, position: Position) -> usize {
        let shown = convert::offset(&self.lines.text, position, self.lines.encoding);
        if self.lines.as_raw {
            return shown;
        }
        let bom = if self.raw.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        bom + text::raw_offset(&self.raw[bom..], shown)
    }
}

/// What is told about a file at the standpoint, and beside the file; as in [`View`].
struct Told {
    /// Where agents are started.
    cwd: PathBuf,
    /// What was asked about the start of a session there.
    questions: Vec<(Choice, Standpoint)>,
    answers: Vec<Arc<Resolution>>,
    elsewhere: (PathBuf, Vec<Arc<Resolution>>),
}

/// Lines as the editor counts them. It hides a byte order mark and replaces what is not UTF-8; the line breaks are the same.
struct Lines {
    text: Rope,
    /// The text is the bytes themselves.
    as_raw: bool,
    encoding: Encoding,
}

impl Lines {
    fn new(raw: &[u8], open: Option<Rope>, encoding: Encoding) -> Lines {
        let same = |text: &Rope| {
            raw.len() == text.len_bytes()
                && text.chunks().try_fold(raw, |rest, chunk| rest.strip_prefix(chunk.as_bytes())).is_some()
        };
        match open {
            Some(text) if same(&text) => Lines { text, as_raw: true, encoding },
            _ => {
                let shown = text::lossy_without_bom(raw);
                Lines { as_raw: shown.as_bytes() == raw, text: Rope::from_str(&shown), encoding }
            }
        }
    }

    /// A byte of the file as the editor counts.
    fn position(&self, raw: &[u8], byte: usize) -> Position {
        let shown = if self.as_raw { byte } else { text::lossy_without_bom(&raw[..byte.min(raw.len())]).len() };
        convert::position(&self.text, shown, self.encoding)
    }
}

/// A part of a file as the editor names and counts it.
pub(crate) struct Spot {
    /// The file.
    pub uri: Uri,
    /// The state of the document, if it is open.
    pub version: Option<i32>,
    /// The part.
    pub range: Range,
}

/// Whether a file is among the sources of an answer.
fn considers(answer: &Resolution, path: &Path) -> bool {
    answer.answer.sources.iter().any(|source| source.is_file(path))
}

/// The revision, version and text of an open document.
fn state(session: &Session, path: &Path) -> Option<(u64, i32, Rope)> {
    let document = session.documents.values().find(|document| document.path == path)?;
    Some((document.revision, document.version, document.text.clone()))
}

impl Core {
    /// A file with the answers that belong to its text. What is typed meanwhile makes it look again.
    pub(crate) async fn view(self: &Arc<Self>, path: &Path) -> Result<View> {
        for _ in 0..8 {
            let before = self.session().revision_of(path);
            let Told { cwd, questions, answers, elsewhere } = self.from_standpoint(path).await?;
            let seen = seen_as(path, &cwd, &answers);
            let everyone: Vec<_> = answers.iter().chain(&elsewhere.1).cloned().collect();
            let never_read = self.is_never_read(path, &seen, &questions, &everyone).await;
            let subagents = self.subagents(&seen, &questions, &answers).await;
            let twins = self.twins(&seen, &everyone).await;
            let problems = self.problems(path).await;
            let read = self.read(path).await;
            let (raw, leads_to) = self.files.opened(path).map_or(read, |(raw, real)| Ok((raw, Some(real))))?;
            let dead = self.dead_patterns(path, &seen, &raw, &everyone).await;
            let absent = self.absent(path, &seen, leads_to.as_deref(), &raw, &everyone).await;
            let session = self.session();
            let now = state(&session, path);
            if now.as_ref().map(|(revision, ..)| *revision) != before {
                continue;
            }
            let (revision, version, text) = match now {
                Some((revision, version, text)) => (Some(revision), Some(version), Some(text)),
                None => (None, None, None),
            };
            let lines = Lines::new(&raw, text, session.encoding);
            let leads_to = leads_to.filter(|real| *real != seen);
            let long = session.settings.long();
            return Ok(View {
                seen,
                raw,
                answers,
                elsewhere,
                subagents,
                revision,
                version,
                problems,
                leads_to,
                twins,
                never_read,
                dead,
                absent,
                long,
                lines,
            });
        }
        Err(Error { code: tower_lsp::jsonrpc::ErrorCode::ContentModified, ..Error::internal_error() })
    }

    /// What every chosen harness makes of an instruction file when it is started beside it.
    pub(crate) async fn about(self: &Arc<Self>, path: &Path) -> Result<Vec<Arc<Resolution>>> {
        let places = Places { cwd: beside(path), target: None, read_before: Vec::new(), already_loaded: Vec::new() };
        Ok(self.answers(&Request::default(), &places).await?.0)
    }

    /// What every chosen harness, started at the standpoint, makes of a file: at the start of a session; where that does not
    /// decide about the file, when it reads another file beside it; and where that does not either, if it is started there.
    async fn from_standpoint(self: &Arc<Self>, path: &Path) -> Result<Told> {
        let beside = beside(path);
        let cwd = self.session().cwd_for(Some(path)).unwrap_or_else(|| beside.clone());
        let places = Places { cwd: cwd.clone(), target: None, read_before: Vec::new(), already_loaded: Vec::new() };
        let questions = self.questions(&Request::default(), &places).await?;
        // After an edit most of the answers below are forgotten, and each step would wait for the one before. What was asked
        // last time is most likely asked again, and can be worked out all at once.
        self.answers_to(self.asked_before(path)).await;
        let mut answers = self.asked(changed(&questions, |_| {})).await;
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
            // The target is named by its way from the start directory, links and all.
            let below = self.query(Neighbour::within(&beside)).await;
            let target = below.value.as_ref().map_or_else(|| path.to_owned(), |below| beside.join(below));
            reading = changed(&of(&undecided), |at| at.target = Some(target.clone()));
            for (at, answer) in undecided.into_iter().zip(self.asked(reading.clone()).await) {
                answers[at] = answer;
            }
        }
        let undecided = open(&answers);
        let mut starting = changed(&of(&undecided), |at| at.cwd.clone_from(&beside));
        let mut elsewhere = self.asked(starting.clone()).await;
        if self.names_what_is_above(path).await {
            // From there it may be outside of what may be imported.
            let decided: Vec<usize> = (0..answers.len()).filter(|at| !undecided.contains(at)).collect();
            let more = changed(&of(&decided), |at| at.cwd.clone_from(&beside));
            let is_outside = |warning: &Warning| warning.code == Kind::ImportOutside.code();
            let told = self.asked(more.clone()).await.into_iter();
            elsewhere.extend(told.filter(|answer| answer.answer.warnings.iter().any(is_outside)));
            starting.extend(more);
        }
        if let Some(document) = self.session().documents.values_mut().find(|document| document.path == path) {
            document.asked = [reading, starting].concat();
        }
        let seen = seen_as(path, &beside, &elsewhere);
        Ok(Told { cwd, questions, answers, elsewhere: (seen, elsewhere) })
    }

    /// Whether a file has words that may import what does not lie beside or below it.
    async fn names_what_is_above(self: &Arc<Self>, path: &Path) -> bool {
        let opened = self.files.opened(path).map(|(raw, _)| raw);
        let raw = match opened {
            Some(raw) => Some(raw),
            None => self.read(path).await.ok().map(|(raw, _)| raw),
        };
        raw.is_some_and(|raw| ["@../", "@~/", "@/"].iter().any(|above| raw.text().contains(above)))
    }

    /// What was asked about a document when it was looked at last.
    pub(crate) fn asked_before(&self, path: &Path) -> Vec<AgentQuestion> {
        let session = self.session();
        let document = session.documents.values().find(|document| document.path == path);
        document.map(|document| document.asked.clone()).unwrap_or_default()
    }

    pub(crate) async fn asked(self: &Arc<Self>, questions: Vec<AgentQuestion>) -> Vec<Arc<Resolution>> {
        self.answers_to(questions).await.into_iter().map(|(answer, _)| answer).collect()
    }

    /// Whether no chosen harness reads the file, wherever above it is started and whatever beside it is read.
    pub(crate) async fn is_never_read(
        self: &Arc<Self>,
        path: &Path,
        seen: &Path,
        questions: &[(Choice, Standpoint)],
        answers: &[Arc<Resolution>],
    ) -> bool {
        if !names::is_distinctive(path) || answers.is_empty() {
            return false;
        }
        let is_told = |answer: &Arc<Resolution>| considers(answer, seen) || considers(answer, path);
        if answers.iter().any(|answer| is_told(answer) || answer.answer.refusal.is_some()) {
            return false;
        }
        let top = self.session().folder_of(path).cloned().unwrap_or_else(|| beside(path));
        let dirs = path.ancestors().skip(1).take(ABOVE_LIMIT).take_while(|dir| dir.starts_with(&top));
        for dir in dirs {
            let started_there = |at: &mut Standpoint| {
                at.cwd = dir.to_owned();
                at.target = Some(path.to_owned());
            };
            let answers = self.asked(changed(questions, started_there)).await;
            let seen = seen_as(path, dir, &answers);
            let told = |answer: &Arc<Resolution>| {
                answer.answer.sources.iter().any(|source| source.is_file(&seen) && source.fate != Fate::Missing)
            };
            if answers.iter().any(told) {
                return false;
            }
        }
        true
    }

    /// The patterns of a rule that match nothing. Outside of the workspace nothing is looked through for them.
    pub(crate) async fn dead_patterns(
        self: &Arc<Self>,
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
        let wanted = DeadPatterns::below(&beside(seen), wanted.into_iter().take(patterns::MOST));
        self.query(wanted).await.value.clone()
    }

    /// Looks for what the patterns of many rules match, in one walk per directory, so that it is known when each is asked about.
    pub(crate) async fn look_for_patterns(self: &Arc<Self>, files: &[PathBuf]) {
        let mut wanted: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
        for path in files {
            let Ok((raw, _)) = self.read(path).await else { continue };
            let patterns = findings::patterns(&raw).into_iter().take(patterns::MOST);
            wanted.entry(beside(path)).or_default().extend(patterns);
        }
        for (base, all) in wanted.into_iter().filter(|(_, all)| all.len() > 1) {
            self.query(DeadPatterns::below(&base, all)).await;
        }
    }

    /// The files and scripts that the prose of an instruction file names and that are not there, if the user wants to know.
    /// Outside of the workspace nothing is looked for.
    pub(crate) async fn absent(
        self: &Arc<Self>,
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
        self.query(AbsentReferences::of(seen, leads_to, references)).await.value.clone()
    }

    /// The files that are loaded in place of this one and are the same file.
    async fn twins(self: &Arc<Self>, seen: &Path, answers: &[Arc<Resolution>]) -> Vec<PathBuf> {
        let instead = findings::loaded_instead(seen, answers);
        if instead.is_empty() { instead } else { self.query(Twins::of(seen, instead)).await.value.clone() }
    }

    /// What the client's sub-agents are told at their start, where a session is told the file and the user wants to know.
    async fn subagents(
        self: &Arc<Self>,
        seen: &Path,
        questions: &[(Choice, Standpoint)],
        answers: &[Arc<Resolution>],
    ) -> Vec<Arc<Resolution>> {
        if self.session().settings.severity(Kind::NotForSubagents).is_none() {
            return Vec::new();
        }
        let is_told =
            |source: &Source| source.is_file(seen) && source.trigger == Trigger::Session && source.fate.reaches();
        let told = questions.iter().zip(answers).filter(|(_, answer)| answer.answer.sources.iter().any(is_told));
        let asked = told.flat_map(|((choice, at), answer)| {
            let agents = answer.answer.agents.iter().map(|agent| agents::standpoint(at, agent));
            let started = agents.filter(|at| at.session == SessionKind::Subagent);
            started.map(|at| AgentQuestion::new(choice.clone(), at)).collect::<Vec<_>>()
        });
        self.asked(asked.collect()).await
    }

    /// What is wrong with the harnesses that a file declares. The nearest declaration to a directory is the file in it; what
    /// has no path is in the settings.
    pub(crate) async fn problems(self: &Arc<Self>, path: &Path) -> Vec<(Bytes<usize>, String)> {
        if path.file_name() != Some(FILE_NAME.as_ref()) {
            return Vec::new();
        }
        let customs = self.customs(&beside(path)).await;
        let problems = customs.problems.iter().filter(|problem| problem.path.is_some());
        problems.map(|problem| (problem.range.clone(), problem.message.clone())).collect()
    }

    /// A part of any file.
    pub(crate) async fn spot(self: &Arc<Self>, path: &Path, bytes: &Bytes<usize>) -> Option<Spot> {
        let (raw, _) = match self.files.opened(path) {
            Some((raw, real)) => (raw, Some(real)),
            None => self.read(path).await.ok()?,
        };
        let session = self.session();
        let (version, text) = state(&session, path).map(|(_, version, text)| (version, text)).unzip();
        let lines = Lines::new(&raw, text, session.encoding);
        let range = Range::new(lines.position(&raw, bytes.start), lines.position(&raw, bytes.end));
        let open = session.documents.iter().find(|(_, document)| document.path == path).map(|(uri, _)| uri.clone());
        Some(Spot { uri: open.or_else(|| convert::uri_of(path))?, version, range })
    }

    pub(crate) async fn read(self: &Arc<Self>, path: &Path) -> Result<(Content, Option<PathBuf>)> {
        if self.at_rest.is_some() {
            let raw =
                self.files.read(path).map_err(|why| Error::invalid_params(format!("{}: {why}", path.display())))?;
            return Ok((raw, Some(self.files.real(path))));
        }
        let asks = [Ask::Content(path.to_owned()), Ask::Real(path.to_owned())];
        let (core, wanted) = (self.clone(), asks.clone());
        let read = move || wanted.map(|ask| core.fact(&ask));
        let read = if thread::is_own() { read() } else { thread::unbroken(tokio::task::spawn_blocking(read).await) };
        memory::note(asks.iter());
        match read {
            [Some(Fact::Content(Ok(raw))), real] => {
                Ok((raw, if let Some(Fact::Real(Ok(real))) = real { Some(real) } else { None }))
            }
            [Some(Fact::Content(Err(why))), _] => Err(Error::invalid_params(format!("{}: {why}", path.display()))),
            _ => Err(Error::internal_error()),
        }
    }
}

/// Questions that are changed in one way.
fn changed(questions: &[(Choice, Standpoint)], change: impl Fn(&mut Standpoint)) -> Vec<AgentQuestion> {
    let changed = questions.iter().cloned().map(|(choice, mut standpoint)| {
        change(&mut standpoint);
        AgentQuestion::new(choice, standpoint)
    });
    changed.collect()
}

/// The path under which the harnesses of `answers`, started in `cwd`, see a file: their working directory is physical.
pub(crate) fn seen_as(path: &Path, cwd: &Path, answers: &[Arc<Resolution>]) -> PathBuf {
    match (answers.first(), path.strip_prefix(cwd)) {
        (Some(answer), Ok(below)) => answer.standpoint.cwd.join(below),
        _ => path.to_owned(),
    }
}

/// The path of a document, for features that say nothing about other URIs.
pub(crate) fn file(uri: &Uri) -> Option<PathBuf> {
    convert::path_of(uri).ok()
}
