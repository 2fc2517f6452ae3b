//! Gemini's `generateContent`, and its stream.

use serde_json::{Value, json};

use super::{Exchange, Reply, Turn, list};

/// Reply to requests for JSON that do not belong to the session.
const FOR_HELPERS: &str = r#"{"reasoning":"x","next_speaker":"user","complexity_reasoning":"x","complexity_score":1,"model_choice":"flash","target_model":"flash"}"#;

pub(super) fn exchange(body: &Value) -> Exchange {
    let parts = list(body, "contents").iter().flat_map(|content| list(content, "parts"));
    let results = parts.filter(|part| part["functionResponse"].is_object()).count();
    Exchange { of_session: !list(body, "tools").is_empty(), results }
}

pub(super) fn reply(path: &str, body: &Value, turn: &Turn) -> Reply {
    let part = match turn {
        Turn::Call(number, call) => {
            json!({ "functionCall": { "name": call.name, "args": call.arguments, "id": format!("c{number}") } })
        }
        Turn::End if body["generationConfig"]["responseMimeType"] == "application/json" => {
            json!({ "text": FOR_HELPERS })
        }
        Turn::End => json!({ "text": "ok" }),
    };
    let content = json!({ "role": "model", "parts": [part] });
    let said = json!({
        "candidates": [{ "content": content, "finishReason": "STOP", "index": 0 }],
        "usageMetadata": { "promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2 }
    });
    if path.contains("stream") { Reply::events(format!("data: {said}\r\n\r\n")) } else { Reply::json(&said) }
}
