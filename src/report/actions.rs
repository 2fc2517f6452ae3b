//! What can be done about findings: edits that the editor applies, and only where they are safe. Briefing writes nothing.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::findings::{Finding, Subject, findings};
use crate::snapshot::Facts;

mod budget;
mod create;
mod disk;
mod expected;
mod names;
mod near;
mod split;
mod text;
mod workspace;

use disk::Disk;

/// One thing that can be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// What it does, for people.
    pub title: String,
    /// The kind of code action it is offered as.
    pub group: Group,
    /// The finding that it resolves.
    pub fixes: Option<Finding>,
    /// Whether it is the best of several.
    pub preferred: bool,
    /// What changes, in order.
    pub edits: Vec<Edit>,
}

/// The kind of code action that an action is offered as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Resolves a finding.
    Fix,
    /// Moves a part of a file elsewhere.
    Extract,
    /// Makes or completes the files of a whole workspace.
    Workspace,
}

impl Group {
    /// Every group.
    pub const ALL: [Group; 3] = [Group::Fix, Group::Extract, Group::Workspace];

    /// The kind of code action, as LSP names them.
    pub fn word(self) -> &'static str {
        match self {
            Group::Fix => "quickfix",
            Group::Extract => "refactor.extract",
            Group::Workspace => "source.briefing",
        }
    }
}

/// One change, in bytes of files as they are now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Puts a text in the place of another.
    Replace {
        /// Where.
        path: PathBuf,
        /// What goes.
        range: Range<usize>,
        /// What comes.
        text: String,
    },
    /// Makes a file that is not there.
    Create {
        /// Where.
        path: PathBuf,
        /// What stands in it.
        text: String,
    },
    /// Gives a file another name that is free.
    Rename {
        /// Where it is.
        from: PathBuf,
        /// Where it will be.
        to: PathBuf,
    },
    /// Takes a file away. The user is asked first.
    Delete {
        /// Which.
        path: PathBuf,
    },
}

impl Action {
    /// A fix of a finding.
    fn fix(finding: &Finding, title: impl Into<String>, edits: Vec<Edit>) -> Action {
        Action { title: title.into(), group: Group::Fix, fixes: Some(finding.clone()), preferred: false, edits }
    }

    /// The same as the best of several.
    fn preferred(self) -> Action {
        Action { preferred: true, ..self }
    }
}

/// What actions are found for: a file, and the disk around it.
struct Context<'a> {
    subject: &'a Subject<'a>,
    disk: Disk<'a>,
    /// The text of the file; what is not UTF-8 is not edited.
    text: &'a str,
}

impl Context<'_> {
    fn path(&self) -> &Path {
        self.subject.path
    }

    fn dir(&self) -> &Path {
        self.subject.path.parent().unwrap_or(Path::new("/"))
    }

    /// Puts a text in the place of a part of the file.
    fn replace(&self, range: Range<usize>, text: impl Into<String>) -> Edit {
        Edit::Replace { path: self.path().to_owned(), range, text: text.into() }
    }
}

/// What can be done in `range` of a file: about its findings and the failed expectations there, and about the section there.
pub fn actions(subject: &Subject, facts: &dyn Facts, range: &Range<usize>, expected: &[Finding]) -> Vec<Action> {
    let Some(text) = subject.raw.as_text() else { return Vec::new() };
    let ctx = Context { subject, disk: Disk(facts), text };
    let mut found: Vec<Action> = Vec::new();
    // What is lost is marked where it begins, and mended anywhere in it.
    let concerns = |finding: &&Finding| {
        let lost = finding.lost.iter().any(|lost| touches(lost, range));
        !finding.faded && (lost || touches(&finding.range, range))
    };
    for finding in findings(subject).iter().filter(concerns) {
        found.extend(text::fixes(&ctx, finding));
        found.extend(names::fixes(&ctx, finding));
        found.extend(near::fixes(&ctx, finding));
        found.extend(budget::fixes(&ctx, finding));
        found.extend(split::fixes(&ctx, finding));
    }
    for finding in expected.iter().filter(concerns) {
        found.extend(expected::fixes(&ctx, finding));
    }
    found.extend(split::extractions(&ctx, range));
    // One edit may resolve two findings.
    let mut offered: Vec<Action> = Vec::new();
    for action in found {
        if offered.iter().all(|other| other.edits != action.edits || other.group != action.group) {
            offered.push(action);
        }
    }
    offered
}

/// What can be done for a workspace that begins at `top`.
pub fn for_workspace(top: &Path, facts: &dyn Facts) -> Vec<Action> {
    create::actions(top, Disk(facts))
}

/// Whether two ranges share a byte or meet.
fn touches(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start <= other.end && other.start <= one.end
}
