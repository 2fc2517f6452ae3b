//! What a chosen action and its edit consist of, shared by fixes and plans.

use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::*;

/// Identifies an action whose edit is computed later.
#[derive(Serialize, Deserialize)]
pub(crate) struct Known {
    pub(super) uri: Uri,
    pub(super) range: Range,
    pub(super) title: String,
}

impl Known {
    /// Returns the identification of an action as JSON.
    pub(super) fn value(uri: &Uri, range: Range, title: &str) -> Option<serde_json::Value> {
        serde_json::to_value(Known { uri: uri.clone(), range, title: title.to_owned() }).ok()
    }
}

/// The edit of a chosen action.
pub(super) struct Chosen {
    pub edit: WorkspaceEdit,
    /// Question that asks the user for consent, without its mark, if the client cannot ask.
    pub question: String,
}

/// Result of a chosen action: its edit, if there is anything to do, and a message for the user.
#[derive(Default)]
pub(super) struct Outcome {
    pub chosen: Option<Chosen>,
    pub message: Option<String>,
}

impl Outcome {
    /// Creates the result of an action without an edit.
    pub fn message(message: String) -> Outcome {
        Outcome { chosen: None, message: Some(message) }
    }
}

/// Returns true if a requested kind includes another: `source` includes `source.briefing`.
pub(super) fn includes(kind: &str, other: &str) -> bool {
    kind.is_empty() || other.strip_prefix(kind).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Gives all operations of an edit one annotation.
pub(super) fn annotate(operations: &mut [DocumentChangeOperation], note: &str) {
    let id = || Some(note.to_owned());
    for operation in operations {
        match operation {
            DocumentChangeOperation::Op(ResourceOp::Create(create)) => create.annotation_id = id(),
            DocumentChangeOperation::Op(ResourceOp::Rename(rename)) => rename.annotation_id = id(),
            DocumentChangeOperation::Op(ResourceOp::Delete(delete)) => delete.annotation_id = id(),
            DocumentChangeOperation::Edit(document) => {
                for edit in &mut document.edits {
                    let text_edit = match edit {
                        OneOf::Left(text_edit) => text_edit.clone(),
                        OneOf::Right(annotated) => annotated.text_edit.clone(),
                    };
                    *edit = OneOf::Right(AnnotatedTextEdit { text_edit, annotation_id: note.to_owned() });
                }
            }
        }
    }
}
