//! Code actions: safe edits that resolve findings. The editor applies them; Briefing writes nothing.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::findings::{Finding, Subject, findings};
use crate::snapshot::Facts;

mod budget;
mod create;
mod disk;
mod expected;
mod ignore;
mod names;
mod near;
mod split;
mod text;
mod workspace;

use disk::Disk;
pub use ignore::{fix_all, ignoring};
pub use split::has_movable;

/// One code action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// Title shown to the user.
    pub title: String,
    /// Kind of code action under which it is offered.
    pub group: Group,
    /// Finding that the action resolves.
    pub fixes: Option<Finding>,
    /// True if the action is the best of several.
    pub preferred: bool,
    /// Edits to apply, in order.
    pub edits: Vec<Edit>,
}

/// Kind of code action under which an action is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Resolves a finding.
    Fix,
    /// Moves a part of a file elsewhere.
    Extract,
    /// Creates or completes the instruction files of a workspace.
    Workspace,
    /// Applies all safe fixes of a file.
    All,
}

impl Group {
    /// Every group.
    pub const ALL: [Group; 4] = [Group::Fix, Group::Extract, Group::Workspace, Group::All];

    /// Returns the LSP code action kind.
    pub fn word(self) -> &'static str {
        match self {
            Group::Fix => "quickfix",
            Group::Extract => "refactor.extract",
            Group::Workspace => "source.briefing",
            Group::All => "source.fixAll.briefing",
        }
    }
}

/// One edit. Ranges are in bytes of the current text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Replaces a range of a file.
    Replace {
        /// Path of the file.
        path: PathBuf,
        /// Range to replace.
        range: Range<usize>,
        /// Replacement text.
        text: String,
    },
    /// Inserts a text with parts that the user fills in.
    Form {
        /// Path of the file.
        path: PathBuf,
        /// Where to insert it.
        at: usize,
        /// The text, as it is if nothing is filled in.
        text: String,
        /// Byte ranges of the text, in the order in which the user gets to them.
        blanks: Vec<Range<usize>>,
    },
    /// Creates a file that does not exist.
    Create {
        /// Path of the file.
        path: PathBuf,
        /// Content of the file.
        text: String,
    },
    /// Renames a file to a path that is free.
    Rename {
        /// Current path.
        from: PathBuf,
        /// New path.
        to: PathBuf,
    },
    /// Deletes a file. The user is asked first.
    Delete {
        /// Path of the file.
        path: PathBuf,
    },
}

impl Edit {
    /// Returns the file that the edit changes; of a renamed file, its new path.
    pub fn path(&self) -> &Path {
        match self {
            Edit::Replace { path, .. } | Edit::Form { path, .. } => path,
            Edit::Create { path, .. } | Edit::Delete { path } | Edit::Rename { to: path, .. } => path,
        }
    }

    /// Returns all paths that the edit changes.
    fn paths(&self) -> impl Iterator<Item = &Path> {
        let from = match self {
            Edit::Rename { from, .. } => Some(from.as_path()),
            _ => None,
        };
        from.into_iter().chain([self.path()])
    }
}

impl Action {
    /// Creates a fix of a finding.
    fn fix(finding: &Finding, title: impl Into<String>, edits: Vec<Edit>) -> Action {
        Action { title: title.into(), group: Group::Fix, fixes: Some(finding.clone()), preferred: false, edits }
    }

    /// Marks the action as preferred.
    fn preferred(self) -> Action {
        Action { preferred: true, ..self }
    }
}

/// Input for finding actions: a file, and the disk around it.
struct Context<'a> {
    subject: &'a Subject<'a>,
    disk: Disk<'a>,
    /// Text of the file. Files that are not UTF-8 are not edited.
    text: &'a str,
}

impl Context<'_> {
    fn path(&self) -> &Path {
        self.subject.path
    }

    fn dir(&self) -> &Path {
        self.subject.path.parent().unwrap_or(Path::new("/"))
    }

    /// Returns the edit that replaces a range of the file.
    fn replace(&self, range: Range<usize>, text: impl Into<String>) -> Edit {
        Edit::Replace { path: self.path().to_owned(), range, text: text.into() }
    }
}

/// Returns the actions for `range` of a file: fixes of its findings and failed expectations, and moves of its section.
pub fn actions(subject: &Subject, facts: &dyn Facts, range: &Range<usize>, expected: &[Finding]) -> Vec<Action> {
    let Some(text) = subject.raw.as_text() else { return Vec::new() };
    let ctx = Context { subject, disk: Disk(facts), text };
    let mut found: Vec<Action> = Vec::new();
    // Lost text is marked where it begins, but can be fixed from anywhere in it.
    let concerns = |finding: &&Finding| {
        let lost = finding.lost.iter().any(|lost| touches(lost, range));
        !finding.faded && (lost || touches(&finding.range, range))
    };
    for finding in findings(subject).iter().filter(concerns) {
        found.extend(fixes(&ctx, finding));
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

/// Returns the title of the best fix of a finding that changes nothing outside `root` or in `home`, if there is one.
pub fn best_fix(
    subject: &Subject,
    facts: &dyn Facts,
    finding: &Finding,
    (root, home): (&Path, &Path),
) -> Option<String> {
    let text = subject.raw.as_text()?;
    let mut found = fixes(&Context { subject, disk: Disk(facts), text }, finding);
    let is_personal = |path: &Path| home.starts_with(root) && path.starts_with(home);
    let is_inside = |path: &Path| path.starts_with(root) && !is_personal(path);
    found.retain(|action| action.edits.iter().flat_map(Edit::paths).all(is_inside));
    let best = found.iter().position(|action| action.preferred).unwrap_or_default();
    let title = (!found.is_empty()).then(|| found.swap_remove(best).title)?;
    Some(title.replace(&format!("{}/", root.display()), ""))
}

fn fixes(ctx: &Context, finding: &Finding) -> Vec<Action> {
    let mut found = text::fixes(ctx, finding);
    found.extend(names::fixes(ctx, finding));
    found.extend(near::fixes(ctx, finding));
    found.extend(budget::fixes(ctx, finding));
    found.extend(split::fixes(ctx, finding));
    found
}

/// Returns the actions for a workspace with the root `top`.
pub fn for_workspace(top: &Path, facts: &dyn Facts) -> Vec<Action> {
    create::actions(top, Disk(facts))
}

/// Returns true if two ranges overlap or touch.
fn touches(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start <= other.end && other.start <= one.end
}
