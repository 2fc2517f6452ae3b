//! OpenAI's Responses, as streams.

use serde_json::{Value, json};

use super::{Exchange, Reply, Turn, list};

/// Reads a request. One with a system message and at most one tool asks for a title.
pub(super) fn exchange(body: &Value) -> Exchange {
    let has_system = list(body, "input").iter().any(|item| item["role"] == "system");
    let results = list(body, "input").iter().filter(|item| item["type"] == "function_call_output").count();
    Exchange { of_session: !has_system || list(body, "tools").len() > 1, results }
}

pub(super) fn reply(turn: &Turn) -> Reply {
    let item = match turn {
        Turn::Call(number, call) => {
            let id = format!("call_{number}");
            json!({ "type": "function_call", "id": id, "call_id": id, "name": call.name, "arguments": call.arguments.to_string() })
        }
        Turn::End => {
            let content = json!([{ "type": "output_text", "text": "ok" }]);
            json!({ "type": "message", "role": "assistant", "id": "m", "content": content })
        }
    };
    let usage = json!({
        "input_tokens": 1, "input_tokens_details": null, "output_tokens": 1, "output_tokens_details": null, "total_tokens": 2
    });
    let events = [
        json!({ "type": "response.created", "response": { "id": "r" } }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
        json!({ "type": "response.completed", "response": { "id": "r", "usage": usage } }),
    ];
    let said = |event: Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default());
    Reply::events(events.map(said).concat())
}
