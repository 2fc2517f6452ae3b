//! Plans as refactorings. A plan is computed once it is chosen; its proof is the note of the edit, which the editor shows
//! before it applies anything.

use std::collections::HashMap;
use std::path::Path;

use tower_lsp::ls_types::*;

use super::super::editing::Editing;
use super::chosen::{Chosen, Known, Outcome, annotate, includes};
use crate::answer::{Fate, Resolution};
use crate::engine::plan::{Links, Refactoring, Task, is_truth_or_bridge};
use crate::lsp::Context;
use crate::lsp::view::View;
use crate::report::actions::has_movable;

/// Id of the note that a plan's edits share.
const NOTE: &str = "plan";

/// A plan that can be offered for a file.
struct Offered {
    word: &'static str,
    title: &'static str,
    task: fn(&Path) -> Task,
}

static PLANS: [Offered; 4] = [
    Offered {
        word: "refactor.rewrite.briefing.one-truth",
        title: "Plan one AGENTS.md for all agents, with proof",
        task: |_| Task::OneTruth(Links::Never),
    },
    Offered {
        word: "refactor.rewrite.briefing.split",
        title: "Plan to split this file, with proof",
        task: |file| Task::Split(file.to_owned()),
    },
    Offered {
        word: "refactor.rewrite.briefing.trim",
        title: "Plan to say once what agents are told twice, with proof",
        task: |_| Task::Trim,
    },
    Offered {
        word: "refactor.rewrite.briefing.fit",
        title: "Plan to move what limits cut, with proof",
        task: |_| Task::Fit,
    },
];

/// Returns the task of an offered plan.
pub(super) fn task(title: &str, file: &Path) -> Option<Task> {
    PLANS.iter().find(|plan| plan.title == title).map(|plan| (plan.task)(file))
}

/// Returns the plans for a file. None are offered while the user only moves the cursor.
pub(super) fn offered(view: &View, context: &CodeActionContext, editing: Editing) -> Vec<CodeAction> {
    let is_automatic = context.trigger_kind == Some(CodeActionTriggerKind::AUTOMATIC);
    let is_wanted = |plan: &&Offered| match &context.only {
        Some(only) => only.iter().any(|kind| includes(kind.as_str(), plan.word)),
        None => !is_automatic,
    };
    let is_able = editing.creates && editing.deletes && (editing.confirms && editing.resolves || editing.applies);
    let wanted = PLANS.iter().filter(|_| is_able).filter(is_wanted).filter(|plan| makes_sense(plan, view));
    let action = |plan: &Offered| CodeAction {
        title: plan.title.to_owned(),
        kind: Some(plan.word.into()),
        ..CodeAction::default()
    };
    wanted.map(action).collect()
}

/// Returns true if a plan may find something to do, as far as the file alone tells.
fn makes_sense(plan: &Offered, view: &View) -> bool {
    let subject = view.subject();
    let mut answers = subject.answers.iter().chain(subject.elsewhere.answers);
    let source = |answer: &Resolution| answer.sources_of(&view.seen).any(|source| source.fate.reaches());
    match (plan.task)(&view.seen) {
        Task::OneTruth(_) => is_truth_or_bridge(&view.seen),
        Task::Split(_) => answers.any(|answer| source(answer)) && has_movable(&view.raw.text()),
        Task::Trim => {
            let many = |answer: &Resolution| answer.answer.sources.iter().filter(|one| one.fate.reaches()).count() > 1;
            answers.any(|answer| source(answer) && many(answer))
        }
        Task::Fit => answers.any(|answer| {
            let is_cut = |fate: Fate| matches!(fate, Fate::Truncated | Fate::Dropped);
            answer.sources_of(&view.seen).any(|source| is_cut(source.fate))
        }),
    }
}

impl Context {
    /// Computes a plan, and its edit with the proof. Says so if there is nothing to do.
    pub(super) fn planned(&self, known: &Known, file: &Path, task: Task) -> Outcome {
        let editing = self.connection.abilities().editing;
        let Some(root) = self.worktree_of(file) else { return Outcome::default() };
        // Messages name the file as it is named in the project.
        let task = match task {
            Task::Split(file) => Task::Split(file.strip_prefix(&root).map_or_else(|_| file.clone(), Path::to_owned)),
            task => task,
        };
        let Refactoring { edits, verdict, details } = match self.core.refactoring(&root, &task) {
            Ok(plan) if !plan.edits.is_empty() => plan,
            Ok(plan) => return Outcome::message(format!("Briefing: {}", plan.details)),
            Err(problem) => return Outcome::message(format!("Briefing: {problem}.")),
        };
        if !edits.iter().all(|edit| editing.can(edit)) {
            return Outcome::default();
        }
        let Some(edit) = self.edit(&edits, &known.uri, None, editing) else { return Outcome::default() };
        let label = format!("{}: {verdict}", known.title);
        let question = format!("{label}\n\n{details}\n\nApply it");
        // VS Code shows a note only under the mouse.
        let message = editing.confirms.then(|| format!("Briefing: {label}."));
        let note = ChangeAnnotation { label, needs_confirmation: Some(true), description: Some(details) };
        let edit = if editing.confirms { annotated(edit, note) } else { edit };
        Outcome { chosen: Some(Chosen { edit, question }), message }
    }
}

/// Adds a note to every part of an edit.
fn annotated(mut edit: WorkspaceEdit, note: ChangeAnnotation) -> WorkspaceEdit {
    if let Some(DocumentChanges::Operations(operations)) = &mut edit.document_changes {
        annotate(operations, NOTE);
    }
    edit.change_annotations = Some(HashMap::from([(NOTE.to_owned(), note)]));
    edit
}
