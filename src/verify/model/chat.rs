//! OpenAI's Chat Completions.

use serde_json::{Value, json};

use super::{Exchange, Reply, Turn, list};

/// Reads a request. One with at most one tool does not belong to the session.
pub(super) fn exchange(body: &Value) -> Exchange {
    let results = list(body, "messages").iter().filter(|message| message["role"] == "tool").count();
    Exchange { of_session: list(body, "tools").len() > 1, results }
}

pub(super) fn reply(body: &Value, turn: &Turn) -> Reply {
    let (message, finish) = match turn {
        Turn::Call(number, call) => {
            let function = json!({ "name": call.name, "arguments": call.arguments.to_string() });
            let call = json!({ "index": 0, "id": format!("call_{number}"), "type": "function", "function": function });
            (json!({ "role": "assistant", "content": null, "tool_calls": [call] }), "tool_calls")
        }
        Turn::End => (json!({ "role": "assistant", "content": "ok" }), "stop"),
    };
    let usage = json!({ "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2 });
    let said = |kind: &str, choice: Value| {
        let choices = json!([choice]);
        json!({ "id": "c", "created": 1, "model": body["model"], "object": kind, "choices": choices, "usage": usage })
    };
    if body["stream"] != true {
        let choice = json!({ "index": 0, "message": message, "finish_reason": finish });
        return Reply::json(&said("chat.completion", choice));
    }
    let begin = json!({ "index": 0, "delta": message, "finish_reason": null });
    let end = json!({ "index": 0, "delta": {}, "finish_reason": finish });
    let events = [begin, end].map(|choice| format!("data: {}\n\n", said("chat.completion.chunk", choice)));
    Reply::events(format!("{}data: [DONE]\n\n", events.concat()))
}
