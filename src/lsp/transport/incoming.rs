//! Classifies a JSON body from the client: a call, a cancel, an answer to us, or invalid.

use serde_json::{Map, Value};
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Response};

use super::frames::Frame;
use super::notification::{self, NOT_UNDERSTOOD};
use super::{lenient_changes, lsp_3_18};

/// One message from the client.
pub enum Incoming {
    Call(Call),
    Cancel(Id),
    /// The client's answer to one of our requests.
    Answer(Response),
    /// Not a valid message. The id to answer with is `Null` if the message has none.
    Invalid(Id, Error),
}

/// A request, or a notification if it has no id.
pub struct Call {
    pub id: Option<Id>,
    pub method: String,
    pub params: Option<Value>,
}

impl From<Frame> for Incoming {
    fn from(frame: Frame) -> Incoming {
        match frame {
            Frame::Body(Value::Object(message)) => Incoming::from_object(message),
            Frame::Body(Value::Array(_)) => invalid(Id::Null, "LSP has no batches; send each message in its own frame"),
            Frame::Body(_) => invalid(Id::Null, "a message is a JSON object"),
            Frame::Broken(error) => Incoming::Invalid(Id::Null, error),
        }
    }
}

impl Incoming {
    fn from_object(mut message: Map<String, Value>) -> Incoming {
        let id = message.remove("id").map(parse_id);
        let params = message.remove("params");
        match (message.remove("method"), id) {
            (Some(Value::String(method)), Some(Some(id))) => Incoming::call(Some(id), method, params),
            (Some(Value::String(method)), None) => Incoming::call(None, method, params),
            (Some(Value::String(_)), Some(None)) => invalid(Id::Null, "the id of a request is an integer or a string"),
            (Some(_), id) => invalid(id.flatten().unwrap_or_default(), "method is a string"),
            (None, Some(Some(id))) => Incoming::Answer(Response::from_parts(id, result(message))),
            (None, Some(None) | None) => invalid(Id::Null, "a message has a method, or the id of a request it answers"),
        }
    }

    fn call(id: Option<Id>, method: String, params: Option<Value>) -> Incoming {
        let params = match (method.as_str(), params) {
            ("$/cancelRequest", Some(params)) if id.is_none() => match params.get("id").cloned().map(parse_id) {
                Some(Some(id)) => return Incoming::Cancel(id),
                Some(None) | None => return invalid(Id::Null, "$/cancelRequest names an integer or string id"),
            },
            // `shutdown` has no parameters. Clients send `null`, `{}` or `[]`, and the service rejects the last two.
            ("shutdown", _) => None,
            // The service silently drops an `initialized` without its empty object.
            ("initialized", None | Some(Value::Null)) => Some(Value::Object(Map::new())),
            // All parameters of our own requests are optional, so the object may be missing, too.
            (ours, None | Some(Value::Null)) if ours.starts_with("briefing/") => Some(Value::Object(Map::new())),
            ("initialize", Some(params)) => Some(lsp_3_18::carried(params)),
            ("textDocument/didChange", Some(mut params)) => {
                lenient_changes::change(&mut params);
                Some(params)
            }
            (_, params) => params,
        };
        let problem = id.is_none().then(|| notification::not_understood(&method, params.as_ref())).flatten();
        Incoming::Call(match problem {
            Some(problem) => Call { id, method: NOT_UNDERSTOOD.to_owned(), params: Some(problem) },
            None => Call { id, method, params },
        })
    }
}

/// Extracts the result or error of an answer. Lenient, because somebody waits for it: an answer without a result
/// counts.
fn result(mut message: Map<String, Value>) -> Result<Value, Error> {
    match message.remove("error") {
        None | Some(Value::Null) => Ok(message.remove("result").unwrap_or_default()),
        Some(error) => Err(Error {
            code: error.get("code").and_then(Value::as_i64).map_or(ErrorCode::InternalError, ErrorCode::from),
            message: error
                .get("message")
                .and_then(Value::as_str)
                .unwrap_or("the client gave no message")
                .to_owned()
                .into(),
            data: error.get("data").cloned(),
        }),
    }
}

fn parse_id(id: Value) -> Option<Id> {
    match id {
        Value::String(id) => Some(Id::String(id)),
        Value::Number(id) => id.as_i64().map(Id::Number),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn invalid(id: Id, message: &'static str) -> Incoming {
    Incoming::Invalid(id, Error { code: ErrorCode::InvalidRequest, message: message.into(), data: None })
}
