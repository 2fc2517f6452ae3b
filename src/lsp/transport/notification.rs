//! Finds the notifications that the service would drop unseen because their parameters cannot be parsed.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower_lsp::ls_types::{
    DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidChangeWorkspaceFoldersParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams,
};

/// The method that such a notification is handed on as. It never comes from the client: no client knows it.
pub const NOT_UNDERSTOOD: &str = "$/briefing/notUnderstood";

/// Parameters of [`NOT_UNDERSTOOD`].
#[derive(Debug, Serialize, Deserialize)]
pub struct NotUnderstood {
    /// The method of the notification.
    pub method: String,
    /// The document it was about, where that could be read.
    pub uri: Option<String>,
    /// What is wrong with it.
    pub problem: String,
}

/// The news that a notification makes no sense: the parameters of [`NOT_UNDERSTOOD`].
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
