//! Finds notifications that the service would silently drop because their parameters cannot be parsed.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower_lsp::ls_types::{
    DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidChangeWorkspaceFoldersParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams,
};

/// Method under which such a notification is passed to the service. Clients never send it.
pub const NOT_UNDERSTOOD: &str = "$/briefing/notUnderstood";

/// Parameters of [`NOT_UNDERSTOOD`].
#[derive(Debug, Serialize, Deserialize)]
pub struct NotUnderstood {
    /// Method of the original notification.
    pub method: String,
    /// URI of its document, if it could be read.
    pub uri: Option<String>,
    /// Parse error.
    pub problem: String,
}

/// Returns the parameters of [`NOT_UNDERSTOOD`] if the notification cannot be parsed.
pub fn not_understood(method: &str, params: Option<&Value>) -> Option<Value> {
    let problem = check(method, params.unwrap_or(&Value::Null)).err()?;
    let uri = params.and_then(|params| params.pointer("/textDocument/uri")).and_then(Value::as_str);
    Some(json!({ "method": method, "uri": uri, "problem": problem.to_string() }))
}

fn check(method: &str, params: &Value) -> Result<(), serde_json::Error> {
    match method {
        "textDocument/didOpen" => DidOpenTextDocumentParams::deserialize(params).map(drop),
        "textDocument/didChange" => DidChangeTextDocumentParams::deserialize(params).map(drop),
        "textDocument/didClose" => DidCloseTextDocumentParams::deserialize(params).map(drop),
        "textDocument/didSave" => DidSaveTextDocumentParams::deserialize(params).map(drop),
        "workspace/didChangeWatchedFiles" => DidChangeWatchedFilesParams::deserialize(params).map(drop),
        "workspace/didChangeWorkspaceFolders" => DidChangeWorkspaceFoldersParams::deserialize(params).map(drop),
        _ => Ok(()),
    }
}
