//! The client's capabilities for edits, and the code actions that the server offers accordingly.

use tower_lsp::ls_types::{ClientCapabilities, CodeActionOptions, CodeActionProviderCapability, ResourceOperationKind};

use super::transport::SNIPPETS;
use crate::report::actions::{Edit, Group};

/// Capabilities of the client for edits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Editing {
    /// True if the client accepts code actions, not only commands.
    pub actions: bool,
    /// True if the client resolves the edit of a chosen code action.
    pub resolves: bool,
    /// True if the client supports `isPreferred`.
    pub prefers: bool,
    /// True if the client applies edits of several documents in order (`documentChanges`).
    pub ordered: bool,
    /// True if edits may create files.
    pub creates: bool,
    /// True if edits may rename files.
    pub renames: bool,
    /// True if edits may delete files.
    pub deletes: bool,
    /// True if the client asks the user before a change that requires confirmation.
    pub confirms: bool,
    /// True if the client supports `workspace/applyEdit`.
    pub applies: bool,
    /// True if edits may be snippets (LSP 3.18).
    pub snippets: bool,
}

impl Editing {
    /// Reads the capabilities from the parameters of `initialize`.
    pub fn of(client: &ClientCapabilities) -> Editing {
        let action = client.text_document.as_ref().and_then(|documents| documents.code_action.as_ref());
        let edit = client.workspace.as_ref().and_then(|workspace| workspace.workspace_edit.as_ref());
        let ordered = edit.and_then(|edit| edit.document_changes) == Some(true);
        let operations = edit.and_then(|edit| edit.resource_operations.as_deref()).unwrap_or_default();
        // Neovim 0.11 and 0.12 list the operations but do not declare `documentChanges`. They support it all the same.
        let can = |operation| operations.contains(&operation);
        let resolved = action.and_then(|action| action.resolve_support.as_ref());
        Editing {
            actions: action.is_some_and(|action| action.code_action_literal_support.is_some()),
            resolves: action.and_then(|action| action.data_support) == Some(true)
                && resolved.is_some_and(|support| support.properties.iter().any(|property| property == "edit")),
            prefers: action.and_then(|action| action.is_preferred_support) == Some(true),
            ordered,
            creates: can(ResourceOperationKind::Create),
            renames: can(ResourceOperationKind::Rename),
            deletes: can(ResourceOperationKind::Delete),
            // Neovim 0.12 asks for confirmation of text edits, but not of operations on files.
            confirms: ordered && edit.is_some_and(|edit| edit.change_annotation_support.is_some()),
            applies: client.workspace.as_ref().and_then(|workspace| workspace.apply_edit) == Some(true),
            snippets: ordered && client.experimental.as_ref().is_some_and(|all| all[SNIPPETS] == true),
        }
    }

    /// Returns true if the client can apply the edit. Deleting a file requires a confirmation, by the client or by this
    /// server.
    pub fn can(self, edit: &Edit) -> bool {
        match edit {
            Edit::Replace { .. } | Edit::Form { .. } => true,
            Edit::Create { .. } => self.creates,
            Edit::Rename { .. } => self.renames,
            Edit::Delete { .. } => self.deletes && (self.confirms || self.applies),
        }
    }

    /// Returns true if the server has to ask the user before these edits, because the client does not.
    pub fn is_asked_here(self, edits: &[Edit]) -> bool {
        !self.confirms && edits.iter().any(|edit| matches!(edit, Edit::Delete { .. }))
    }
}

/// Kind of the code actions of plans, as registered; each has its own kind below it.
pub(crate) const PLANS: &str = "refactor.rewrite";

/// Returns the code action capability that the server declares.
pub(crate) fn provider(editing: Editing) -> Option<CodeActionProviderCapability> {
    let kinds = Group::ALL.iter().map(|group| group.word()).chain([PLANS]).map(Into::into).collect();
    let options = CodeActionOptions {
        code_action_kinds: Some(kinds),
        resolve_provider: Some(editing.resolves),
        ..CodeActionOptions::default()
    };
    editing.actions.then_some(CodeActionProviderCapability::Options(options))
}
