//! Code actions: fixes for findings, as edits that the editor applies.

use std::collections::HashMap;
use std::ops::Range as Bytes;
use std::path::{Path, PathBuf};

use jiff::ToSpan;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::*;

use super::super::editing::Editing;
use super::super::requests::Command;
use super::super::transport::SNIPPET;
use super::chosen::{Chosen, Known, Outcome, annotate, includes};
use super::{diagnostics, plans};
use crate::disk;
use crate::engine::findings::{concerns, found};
use crate::lsp::convert;
use crate::lsp::view::{self, Spot, View};
use crate::lsp::{Context, Server};
use crate::report::actions::{self, Action, Edit, Group};
use crate::report::findings::exceptions::Day;
use crate::snapshot::{Ask, Fact, Facts};

/// Id of the note on an edit of several files.
const SEVERAL: &str = "several-files";

/// Button that confirms an edit.
const YES: &str = "Yes";

/// View of one document, and the actions for it.
struct Offer {
    view: Option<View>,
    actions: Vec<Action>,
}

impl Context {
    /// Handles `textDocument/codeAction`.
    pub(crate) fn actions(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        let editing = self.connection.abilities().editing;
        let (uri, range) = (params.text_document.uri, params.range);
        let Some(path) = view::file(&uri).filter(|_| editing.actions) else { return Ok(None) };
        let only = &params.context.only;
        let wanted = |group: Group| {
            only.as_ref().is_none_or(|only| only.iter().any(|kind| includes(kind.as_str(), group.word())))
        };
        // Actions for the whole workspace are offered in any of its files, if the client asks for that kind.
        // A list without a filter has the fixes one by one.
        let wanted = |group: Group| wanted(group) && (group != Group::All || only.is_some());
        let workspace = wanted(Group::Workspace) && (only.is_some() || concerns(&path, &self.core.session()));
        let offer = self.offer(&uri, &path, range, workspace)?;
        let mut list: Vec<CodeAction> = Vec::new();
        for action in offer.actions.iter().filter(|action| wanted(action.group)) {
            // A fix may also be offered as a refactoring of the same title; list it once.
            if list.iter().any(|other| other.title == action.title)
                || !action.edits.iter().all(|edit| editing.can(edit))
            {
                continue;
            }
            let Some(mut said) = self.said(action, offer.view.as_ref(), editing) else { continue };
            let known = || Known::value(&uri, range, &action.title);
            if editing.is_asked_here(&action.edits) {
                said.command = known().map(|known| Command::Apply.with(&action.title, known));
            } else if editing.resolves {
                said.data = known();
            } else {
                said.edit = self.edit(&action.edits, &uri, offer.view.as_ref(), editing);
                if said.edit.is_none() {
                    continue;
                }
            }
            list.push(said);
        }
        for mut plan in offer.view.iter().flat_map(|view| plans::offered(view, &params.context, editing)) {
            let known = Known::value(&uri, range, &plan.title);
            match editing.confirms && editing.resolves {
                true => plan.data = known,
                false => plan.command = known.map(|known| Command::Apply.with(&plan.title, known)),
            }
            list.push(plan);
        }
        Ok(Some(list.into_iter().map(CodeActionOrCommand::CodeAction).collect()))
    }

    /// Recomputes the edit of an offered action from the current files.
    fn choose(&self, known: &Known) -> Result<Outcome> {
        let editing = self.connection.abilities().editing;
        let path = convert::path_of(&known.uri)?;
        if let Some(task) = plans::task(&known.title, &path) {
            return Ok(self.planned(known, &path, task));
        }
        let offer = self.offer(&known.uri, &path, known.range, true)?;
        let same = offer.actions.iter().find(|other| other.title == known.title);
        let edit = same.and_then(|same| self.edit(&same.edits, &known.uri, offer.view.as_ref(), editing));
        let chosen = edit.map(|edit| Chosen { edit, question: known.title.clone() });
        Ok(Outcome { chosen, message: None })
    }

    /// Returns the working tree around a file of the workspace.
    pub(super) fn worktree_of(&self, file: &Path) -> Option<PathBuf> {
        let folder = self.core.session().folder_of(file).cloned()?;
        Some(worktree(file, &folder, &disk::Now(&self.core.files)))
    }

    /// Collects all actions for a range, and those for the workspace if `workspace` is set.
    fn offer(&self, uri: &Uri, path: &Path, range: Range, workspace: bool) -> Result<Offer> {
        let view = self.concerned(uri)?;
        let folder = self.core.session().folder_of(path).filter(|_| workspace).cloned();
        let expected = match &view {
            Some(view) => self.diagnostics.expected(&self.core, path, view),
            None => Vec::new(),
        };
        let mut excepted = self.core.declared_exceptions(path);
        let top = self.core.session().folder_of(path).cloned();
        let until = in_a_quarter(self.core.defaults().surroundings.date);
        let facts = disk::Now(&self.core.files);
        let mut actions = Vec::new();
        if let Some(view) = &view {
            let range = view.byte(range.start)..view.byte(range.end);
            let subject = view.subject();
            actions = actions::actions(&subject, &facts, &range, &expected);
            actions.extend(actions::fix_all(&subject, &facts));
            let found = found(&self.core, view, Some(expected)).into_iter();
            let found: Vec<_> = found
                .filter_map(|(_, one)| excepted.as_mut().map_or(Some(one.clone()), |all| all.except(one)))
                .collect();
            actions.extend(actions::ignoring(&subject, &facts, &found, &range, top.as_deref(), until));
        }
        if let Some(folder) = folder {
            actions.extend(actions::for_workspace(&worktree(path, &folder, &facts), &facts));
        }
        Ok(Offer { view, actions })
    }

    /// Converts an action without its edit. Returns `None` if the user switched off the kind of finding that it fixes.
    fn said(&self, action: &Action, view: Option<&View>, editing: Editing) -> Option<CodeAction> {
        let diagnostics = match (&action.fixes, view) {
            (Some(finding), Some(view)) => {
                Some(vec![diagnostics::shown(&self.core, self.connection.abilities(), view, finding.clone())?])
            }
            _ => None,
        };
        Some(CodeAction {
            title: action.title.clone(),
            kind: Some(action.group.word().into()),
            diagnostics,
            is_preferred: (action.preferred && editing.prefers).then_some(true),
            ..CodeAction::default()
        })
    }
}

impl Server {
    /// Handles `codeAction/resolve`.
    pub(crate) async fn action_resolved(&self, mut action: CodeAction) -> Result<CodeAction> {
        if action.command.is_some() {
            return Ok(action);
        }
        let known = action.data.clone().and_then(|data| serde_json::from_value::<Known>(data).ok());
        let Some(known) = known else { return Err(Error::invalid_params("data: not that of an action of Briefing")) };
        action.edit = self.chosen(known).await?.map(|chosen| chosen.edit);
        Ok(action)
    }

    /// Handles `briefing.apply`: asks the user, then has the client apply the edit. Returns true if it was applied.
    pub(crate) async fn apply(&self, known: Known) -> Result<bool> {
        let Some(Chosen { edit, question }) = self.chosen(known).await? else { return Ok(false) };
        let action = |title: &str| MessageActionItem { title: title.to_owned(), properties: Default::default() };
        let question = format!("Briefing: {question}?");
        let chosen = self.connection.client.show_message_request(
            MessageType::WARNING,
            question,
            Some(vec![action(YES), action("Cancel")]),
        );
        if !matches!(chosen.await, Ok(Some(chosen)) if chosen.title == YES) {
            return Ok(false);
        }
        Ok(self.connection.client.apply_edit(edit).await?.applied)
    }

    /// Returns the edit of an offered action, and shows what is said about it.
    async fn chosen(&self, known: Known) -> Result<Option<Chosen>> {
        let Outcome { chosen, message } = self.on_thread(move |context| context.choose(&known)).await?;
        if let Some(message) = message {
            self.connection.client.show_message(MessageType::INFO, message).await;
        }
        Ok(chosen)
    }
}

impl Context {
    /// Converts edits to a `WorkspaceEdit` that the client can apply. Returns `None` if a file cannot be read any more.
    pub(crate) fn edit(
        &self,
        edits: &[Edit],
        uri: &Uri,
        view: Option<&View>,
        editing: Editing,
    ) -> Option<WorkspaceEdit> {
        let mut operations: Vec<DocumentChangeOperation> = Vec::new();
        let mut annotations = HashMap::new();
        for edit in edits {
            match edit {
                Edit::Replace { path, range, text } => {
                    let spot = match view.filter(|view| view.seen == *path) {
                        Some(view) => Spot { uri: uri.clone(), version: view.version, range: view.range(range) },
                        None => self.spot(path, range)?,
                    };
                    put(&mut operations, spot, text, None);
                }
                Edit::Form { path, at, text, blanks } => {
                    let spot = match view.filter(|view| view.seen == *path) {
                        Some(view) => Spot { uri: uri.clone(), version: view.version, range: view.range(&(*at..*at)) },
                        None => self.spot(path, &(*at..*at))?,
                    };
                    match editing.snippets {
                        true => put(&mut operations, spot, &snippet(text, blanks), Some(SNIPPET)),
                        false => put(&mut operations, spot, text, None),
                    }
                }
                Edit::Create { path, text } => {
                    let uri = convert::uri_of(path)?;
                    let create = CreateFile { uri: uri.clone(), options: None, annotation_id: None };
                    operations.push(DocumentChangeOperation::Op(ResourceOp::Create(create)));
                    put(&mut operations, Spot { uri, version: None, range: Range::default() }, text, None);
                }
                Edit::Rename { from, to } => {
                    let (old_uri, new_uri) = (self.uri_of(from, uri, view)?, convert::uri_of(to)?);
                    let rename = RenameFile { old_uri, new_uri, options: None, annotation_id: None };
                    operations.push(DocumentChangeOperation::Op(ResourceOp::Rename(rename)));
                }
                Edit::Delete { path } => {
                    let uri = self.uri_of(path, uri, view)?;
                    let label = format!("Delete {}", path.display());
                    let annotation = ChangeAnnotation { label, needs_confirmation: Some(true), description: None };
                    annotations.insert("delete".to_owned(), annotation);
                    let annotation_id = editing.confirms.then(|| "delete".to_owned());
                    let delete = DeleteFile { uri, options: None, annotation_id };
                    operations.push(DocumentChangeOperation::Op(ResourceOp::Delete(delete)));
                }
            }
        }
        let mut files: Vec<&Path> = edits.iter().map(Edit::path).collect();
        files.sort_unstable();
        files.dedup();
        // The user sees what happens to other files before it does.
        if editing.confirms && files.len() > 1 && annotations.is_empty() {
            let label = format!("Changes {} files; tick all of them, and apply", files.len());
            annotations.insert(
                SEVERAL.to_owned(),
                ChangeAnnotation { label, needs_confirmation: Some(true), description: None },
            );
            annotate(&mut operations, SEVERAL);
        }
        // Annotations ask for confirmation, so clients that cannot confirm get none.
        let annotations = (editing.confirms && !annotations.is_empty()).then_some(annotations);
        let on_files = operations.iter().any(|operation| matches!(operation, DocumentChangeOperation::Op(_)));
        Some(if editing.ordered || on_files {
            let document_changes = Some(DocumentChanges::Operations(operations));
            WorkspaceEdit { document_changes, change_annotations: annotations, ..WorkspaceEdit::default() }
        } else {
            WorkspaceEdit { changes: Some(plain(operations)), ..WorkspaceEdit::default() }
        })
    }

    /// Returns the URI of a path; for the document itself the URI that the editor uses.
    fn uri_of(&self, path: &Path, uri: &Uri, view: Option<&View>) -> Option<Uri> {
        if view.is_some_and(|view| view.seen == path) { Some(uri.clone()) } else { convert::uri_of(path) }
    }
}

/// Returns the day on which an exception ends, if the user names no other: 90 days from today.
fn in_a_quarter((year, month, day): Day) -> Day {
    let today = jiff::civil::Date::new(year, month.cast_signed(), day.cast_signed());
    let end = today.ok().and_then(|today| today.checked_add(90.days()).ok());
    end.map_or((year, month, day), |end| (end.year(), end.month().cast_unsigned(), end.day().cast_unsigned()))
}

/// Returns the innermost directory above a file that contains `.git`, within its workspace folder; else the folder.
fn worktree(file: &Path, folder: &Path, facts: &dyn Facts) -> PathBuf {
    let has_git = |dir: &&Path| matches!(facts.told(&Ask::Kind(dir.join(".git"))), Some(Fact::Kind(Ok(_))));
    let mut inside = file.ancestors().skip(1).take_while(|dir| dir.starts_with(folder));
    inside.find(has_git).unwrap_or(folder).to_owned()
}

/// Adds an edit to the last operation if that edits the same document, else as an operation of its own.
fn put(operations: &mut Vec<DocumentChangeOperation>, spot: Spot, text: &str, annotation: Option<&str>) {
    let text_edit = TextEdit { range: spot.range, new_text: text.to_owned() };
    let edit = match annotation {
        Some(id) => OneOf::Right(AnnotatedTextEdit { text_edit, annotation_id: id.to_owned() }),
        None => OneOf::Left(text_edit),
    };
    match operations.last_mut() {
        Some(DocumentChangeOperation::Edit(last)) if last.text_document.uri == spot.uri => last.edits.push(edit),
        _ => {
            let text_document = OptionalVersionedTextDocumentIdentifier { uri: spot.uri, version: spot.version };
            operations.push(DocumentChangeOperation::Edit(TextDocumentEdit { text_document, edits: vec![edit] }));
        }
    }
}

/// Returns a text as a snippet: its blanks are the places that the user fills in, in order.
fn snippet(text: &str, blanks: &[Bytes<usize>]) -> String {
    let escaped = |text: &str| text.replace('\\', "\\\\").replace('$', "\\$").replace('}', "\\}");
    let mut places: Vec<(usize, &Bytes<usize>)> = blanks.iter().enumerate().collect();
    places.sort_by_key(|(_, blank)| blank.start);
    let (mut out, mut at) = (String::new(), 0);
    for (number, blank) in places {
        out.push_str(&escaped(&text[at..blank.start]));
        out.push_str(&format!("${{{}:{}}}", number + 1, escaped(&text[blank.clone()])));
        at = blank.end;
    }
    out.push_str(&escaped(&text[at..]));
    out
}

/// Converts operations for clients that only accept unordered text edits.
fn plain(operations: Vec<DocumentChangeOperation>) -> HashMap<Uri, Vec<TextEdit>> {
    let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
    for operation in operations {
        let DocumentChangeOperation::Edit(document) = operation else { continue };
        let edits = document.edits.into_iter().filter_map(|edit| match edit {
            OneOf::Left(edit) => Some(edit),
            OneOf::Right(_) => None,
        });
        changes.entry(document.text_document.uri).or_default().extend(edits);
    }
    changes
}
