//! Finds the notifications that the service would drop unseen because their parameters cannot be parsed.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower_lsp::ls_types::{
    DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidChangeWorkspaceFoldersParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams,
};

use super::incoming::Call;

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

/// The notification itself, or the news that it makes no sense.
pub fn understood(call: Call) -> Call {
    let Err(problem) = check(&call.method, call.params.as_ref().unwrap_or(&Value::Null)) else { return call };
    let uri = call.params.as_ref().and_then(|params| params.pointer("/textDocument/uri")).and_then(Value::as_str);
    let params = json!({ "method": call.method, "uri": uri, "problem": problem.to_string() });
    Call { id: None, method: NOT_UNDERSTOOD.to_owned(), params: Some(params) }
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
