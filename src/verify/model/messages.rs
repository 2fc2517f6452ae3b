//! Anthropic's Messages.

use serde_json::{Value, json};

use super::{Exchange, Reply, Turn, list};

/// Reads a request. One without tools asks for a title or the like; permissions may remove a tool, but not all.
pub(super) fn exchange(body: &Value) -> Exchange {
    let blocks = list(body, "messages").iter().flat_map(|message| list(message, "content"));
    let results = blocks.filter(|block| block["type"] == "tool_result").count();
    Exchange { of_session: !list(body, "tools").is_empty(), results }
}

pub(super) fn reply(body: &Value, turn: &Turn) -> Reply {
    let (number, stop, block, start, delta) = match turn {
        Turn::Call(number, call) => {
            let block = |input: Value| json!({ "type": "tool_use", "id": format!("toolu_{number:03}"), "name": call.name, "input": input });
            let delta = json!({ "type": "input_json_delta", "partial_json": call.arguments.to_string() });
            (*number, "tool_use", block(call.arguments.clone()), block(json!({})), delta)
        }
        Turn::End => {
            let block = |text: &str| json!({ "type": "text", "text": text });
            (999, "end_turn", block("ok"), block(""), json!({ "type": "text_delta", "text": "ok" }))
        }
    };
    let usage = json!({
        "input_tokens": 10, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0
    });
    // Answers with one id would be taken for one answer.
    let message = json!({
        "id": format!("msg_{number:03}"), "type": "message", "role": "assistant", "model": body["model"],
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage
    });
    if body["stream"] != true {
        let mut whole = message;
        whole["content"] = json!([block]);
        whole["stop_reason"] = json!(stop);
        return Reply::json(&whole);
    }
    let events = [
        json!({ "type": "message_start", "message": message }),
        json!({ "type": "content_block_start", "index": 0, "content_block": start }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": stop, "stop_sequence": null }, "usage": { "output_tokens": 1 } }),
        json!({ "type": "message_stop" }),
    ];
    let said = |event: Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default());
    Reply::events(events.map(said).concat())
}
