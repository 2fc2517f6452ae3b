//! A plan as edits that an editor applies, with its proof in words.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::{Next, Planning, Task};
use crate::disk::{Filesystem, Node, Planned, Real};
use crate::engine::Core;
use crate::engine::alone::at_rest_over;
use crate::report::actions::Edit;
use crate::report::patch::replacements;
use crate::report::plan::Plan;
use crate::report::words::list;
use crate::text::grouped;

/// Maximum number of lost sentences that the details quote.
const QUOTED: usize = 12;

/// A plan as edits.
pub(crate) struct Refactoring {
    /// Edits to apply, in order; empty if nothing has to change.
    pub edits: Vec<Edit>,
    /// What agents lose, in one clause.
    pub verdict: String,
    /// Notes, sizes, and the sentences that are lost or come later, line by line.
    pub details: String,
}

impl Core {
    /// Plans with the texts that the editor shows, for the agents in its settings.
    ///
    /// # Errors
    /// If there is nothing to plan with. The error is a message for people.
    pub(crate) fn refactoring(&self, root: &Path, task: &Task) -> Result<Refactoring, String> {
        let root = self.files.real(root);
        let (base, settings) = {
            let session = self.session();
            (session.base.clone(), session.settings.clone())
        };
        let unsaved = self.files.all_open();
        let shown = unsaved.iter().map(|(path, text)| (path.clone(), Some(Node::File(text.clone()))));
        let over = Planned::over(Real, shown.collect());
        let now = at_rest_over(base.clone(), &root, settings.clone(), over);
        let planning = Planning { base, settings, root, unsaved, now };
        let (files, plan) = planning.planned(task)?;
        let mut edits = Vec::new();
        for (path, next) in files {
            planning.edit(&mut edits, path, next);
        }
        Ok(Refactoring { edits, verdict: plan.proof.verdict(), details: details(&plan) })
    }
}

impl Planning {
    /// Adds the edits of one file.
    fn edit(&self, edits: &mut Vec<Edit>, path: PathBuf, next: Option<Next>) {
        let Some(text) = next.as_ref().and_then(Next::text) else {
            // No edit of an editor makes a link, so tasks for editors plan none.
            edits.extend(next.is_none().then_some(Edit::Delete { path }));
            return;
        };
        match self.read(&path) {
            Some(was) => {
                let of = |(range, text)| Edit::Replace { path: path.clone(), range, text };
                edits.extend(replacements(&was, text).into_iter().map(of));
            }
            None if self.now.files.lstat(&path).is_ok() => {}
            None => edits.push(Edit::Create { path, text: text.to_owned() }),
        }
    }
}

fn details(plan: &Plan) -> String {
    let mut out = String::new();
    for note in &plan.notes {
        let _ = writeln!(out, "{note}");
    }
    for (before, after) in plan.proof.before.iter().zip(&plan.proof.after) {
        let (was, is) = (grouped(before.bytes), grouped(after.bytes));
        let _ = writeln!(out, "{} {}: {was} B → {is} B at the start", before.agent, before.version);
    }
    for (title, losses) in [("lost", &plan.proof.lost), ("only with a file that is read", &plan.proof.later)] {
        let sentences = crate::report::plan::by_sentence(losses);
        for (sentence, whom) in sentences.iter().take(QUOTED) {
            let _ = writeln!(out, "{title}: “{sentence}” ({})", list(whom));
        }
        if let Some(more) = sentences.len().checked_sub(QUOTED).filter(|more| *more > 0) {
            let _ = writeln!(out, "{title}: {more} more");
        }
    }
    out.trim_end().to_owned()
}
