//! What a client can do with edits, and what code actions it is offered for that.

use tower_lsp::ls_types::{ClientCapabilities, CodeActionOptions, CodeActionProviderCapability, ResourceOperationKind};

use crate::report::actions::{Edit, Group};

/// What the client can do with edits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Editing {
    /// It takes code actions, not only commands.
    pub actions: bool,
    /// It asks for the edit of an action once that is chosen.
    pub resolves: bool,
    /// It knows which of several actions is the best.
    pub prefers: bool,
    /// It takes edits of several documents in order.
    pub ordered: bool,
    /// It creates files.
    pub creates: bool,
    /// It renames files.
    pub renames: bool,
    /// It deletes files.
    pub deletes: bool,
    /// It asks the user before a change that says so.
    pub confirms: bool,
    /// It carries out edits that the server sends by itself.
    pub applies: bool,
}

impl Editing {
    /// What `initialize` says of the client.
    pub fn of(client: &ClientCapabilities) -> Editing {
        let action = client.text_document.as_ref().and_then(|documents| documents.code_action.as_ref());
        let edit = client.workspace.as_ref().and_then(|workspace| workspace.workspace_edit.as_ref());
        let ordered = edit.and_then(|edit| edit.document_changes) == Some(true);
        let operations = edit.and_then(|edit| edit.resource_operations.as_deref()).unwrap_or_default();
        // Neovim 0.11 and 0.12 list the operations, and do not say that they take edits of documents in order; they do.
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
            // Neovim 0.12 asks before edits of text that say so, and not before operations on files.
            confirms: ordered && edit.is_some_and(|edit| edit.change_annotation_support.is_some()),
            applies: client.workspace.as_ref().and_then(|workspace| workspace.apply_edit) == Some(true),
        }
    }

    /// Whether the client can carry an edit out. A file is taken away only where the user is asked, by the client or by us.
    pub fn can(self, edit: &Edit) -> bool {
        match edit {
            Edit::Replace { .. } => true,
            Edit::Create { .. } => self.creates,
            Edit::Rename { .. } => self.renames,
            Edit::Delete { .. } => self.deletes && (self.confirms || self.applies),
        }
    }

    /// Whether it is the server that asks the user before these edits.
    pub fn is_asked_here(self, edits: &[Edit]) -> bool {
        !self.confirms && edits.iter().any(|edit| matches!(edit, Edit::Delete { .. }))
    }
}

/// What the server offers.
pub(crate) fn provider(editing: Editing) -> Option<CodeActionProviderCapability> {
    let kinds = Group::ALL.iter().map(|group| group.word().into()).collect();
    let options = CodeActionOptions {
        code_action_kinds: Some(kinds),
        resolve_provider: Some(editing.resolves),
        ..CodeActionOptions::default()
    };
    editing.actions.then_some(CodeActionProviderCapability::Options(options))
}
