//! Evaluates the expectations of a project.
//!
//! Read `declarations` first, then `cases`, `prove`, `rows` and `findings`; `texts` is what they search in.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::alone::{at_rest, project};
use super::below::{Below, below};
use super::settings::Settings;
use crate::answer::SessionKind;
use crate::report::expect::Expectation;
use crate::report::findings::Finding;
use crate::report::why;
use crate::request::Defaults;
use crate::snapshot::Content;

mod cases;
mod declarations;
mod findings;
pub(crate) mod live;
mod prove;
pub mod recorded;
mod rows;
mod suggest;
mod texts;

pub(crate) use findings::findings;
pub(super) use prove::prove;
pub use suggest::suggest;

/// Expectations of a project and their results.
pub struct Proofs {
    /// Directory that was searched.
    pub root: PathBuf,
    /// Results in the order of the declaring files.
    pub all: Vec<Proof>,
    /// Problems of declarations, by file.
    pub wrong: Vec<(PathBuf, Content, Finding)>,
    /// Number of questions asked.
    pub asked: usize,
}

/// An expectation and its result.
pub struct Proof {
    /// The expectation.
    pub expectation: Expectation,
    /// File that declares it.
    pub path: PathBuf,
    /// Directory that its patterns and starts are relative to.
    pub dir: PathBuf,
    /// Content of the declaring file.
    pub raw: Content,
    /// One row per agent, start, session and outcome.
    pub rows: Vec<Row>,
    /// Reason why it could not be evaluated at all.
    pub problem: Option<String>,
    /// Places of its first missing text in instruction files, as byte ranges.
    pub places: Vec<(PathBuf, Content, Range<usize>)>,
    /// The most similar line, if the text is in no file.
    pub near: Option<why::Near>,
}

impl Proof {
    fn of(expectation: Expectation, path: &Path, dir: &Path, raw: &Content) -> Proof {
        Proof {
            expectation,
            path: path.to_owned(),
            dir: dir.to_owned(),
            raw: raw.clone(),
            rows: Vec::new(),
            problem: None,
            places: Vec::new(),
            near: None,
        }
    }

    /// Returns true if the expectation holds for all its agents.
    pub fn holds(&self) -> bool {
        self.problem.is_none() && self.rows.iter().all(|row| row.failure.is_none())
    }
}

/// Result of an expectation for one agent and one start directory.
pub struct Row {
    /// Id of the agent.
    pub agent: String,
    /// Name of the agent, for people.
    pub title: String,
    /// Version of the agent.
    pub version: String,
    /// Start directory, relative to the root.
    pub from: PathBuf,
    /// The kind of session.
    pub session: SessionKind,
    /// File in question, relative to the root. `None` means the start of a session.
    pub file: Option<PathBuf>,
    /// Number of files that the row stands for.
    pub files: usize,
    /// True if the agent creates the file.
    pub creates: bool,
    /// Reason why the expectation does not hold.
    pub failure: Option<String>,
    /// Index of the text that does not reach the agent.
    missing: Option<usize>,
}

/// Evaluates the expectations declared in `cwd`, in its parents up to the root of the project, and below it.
///
/// # Errors
/// If the settings or the revision are invalid. The error is a message for people.
pub fn expect(base: Defaults, cwd: &Path, settings: Settings, revision: Option<&str>) -> Result<Proofs, String> {
    let home = base.home.clone();
    let core = at_rest(base, cwd, settings, revision)?;
    let cwd = core.session().folders[0].clone();
    let answers = core.started_in(&cwd)?;
    let root = project(&cwd, &home, &answers);
    prove(&core, &root, &below(&core, &root, &answers), Files::Scanned(revision))
}

/// Method for finding the files that expectations are about.
#[derive(Clone, Copy)]
pub(super) enum Files<'a> {
    /// Scans the project once, as it is now or at a revision.
    Scanned(Option<&'a str>),
    /// Queries the patterns; the index caches their matches.
    Matched,
}
