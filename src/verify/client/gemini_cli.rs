//! Gemini CLI: `gemini -p`, with a server of Gemini's own protocol in the place of Vertex AI.

use serde_json::{Value, json};

use super::{Client, PROXIES, Run, Sent, Start, list, text_of};
use crate::verify::Where;
use crate::verify::harmless::Harmless;
use crate::verify::model::Call;

pub(super) static CLIENT: Client = Client {
    harness: "gemini-cli",
    harmless: &[
        Harmless::new(&["hooks"], "{}"),
        Harmless::new(&["mcpServers"], "{}"),
        Harmless::new(&["telemetry"], "{}"),
        Harmless::new(&["security", "auth"], "{}"),
    ],
    before: None,
    start,
    read: Some(|file| Call { name: "read_file", arguments: json!({ "file_path": file }) }),
    texts_sent,
};

const START: &str = "--- Newly Discovered Project Context ---\n";
const END: &str = "\n--- End Project Context ---";

fn start(run: &Run) -> Start {
    let mut start = Start::new(
        ["-m", "gemini-2.5-flash", "-p", "hi"],
        [
            ("TERM", "xterm-256color"),
            ("GOOGLE_API_KEY", "dummy"),
            ("GOOGLE_GENAI_USE_VERTEXAI", "true"),
            ("GEMINI_TELEMETRY_ENABLED", "false"),
            ("GEMINI_CLI_NO_RELAUNCH", "true"),
            ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
        ],
    )
    .with("GOOGLE_VERTEX_BASE_URL", run.url(""));
    // Before 0.44 it asks a proxy for what is on this machine, too. In a network of its own nothing else can be reached.
    if run.place == Where::OwnRoot && !run.is_since("0.44.0") {
        start.env.extend(PROXIES.map(|name| (name.to_owned(), String::new())));
    }
    start
}

fn texts_sent(run: &Run, requests: &[Value]) -> Result<Vec<Sent>, String> {
    let last = requests.last().ok_or("no request")?;
    let contents = list(last, "contents");
    let first = contents.first().and_then(|content| list(content, "parts").get(..1)).unwrap_or_default();
    let system = loaded(list(&last["systemInstruction"], "parts")).map(|text| Sent::new("session", "system", text));
    let user = loaded(first).map(|text| Sent::new("session", "user", text));
    let read = run.file.and_then(|_| discovered(contents)).map(|text| Sent::new("read", "tool", text));
    Ok([system, user, read].into_iter().flatten().collect())
}

fn loaded(parts: &[Value]) -> Option<String> {
    let text = parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n");
    let (start, end) = (text.find("<loaded_context>\n")?, text.rfind("\n</loaded_context>")?);
    (start < end).then(|| format!("{}\n</loaded_context>", &text[start..end]))
}

/// Returns the instructions that the last tool result carries.
fn discovered(contents: &[Value]) -> Option<String> {
    let mut text = String::new();
    for content in contents {
        let parts = list(content, "parts");
        if let Some(answer) = parts.iter().rfind(|part| part["functionResponse"].is_object()) {
            let output = text_of(&answer["functionResponse"]["response"]["output"]);
            text = if output.is_empty() { text_of(&content["parts"]) } else { output };
        }
    }
    let (start, end) = (text.find(START)?, text.rfind(END)?);
    (start < end).then(|| format!("{}{END}", &text[start..end]))
}
