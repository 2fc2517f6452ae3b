//! Qwen Code: `qwen -p`, with a provider of Chat Completions.

use serde_json::{Value, json};

use super::{Client, Run, Sent, Start, after_reading, said_by, text_of};
use crate::verify::harmless::Harmless;
use crate::verify::model::Call;

pub(super) static CLIENT: Client = Client {
    harness: "qwen-code",
    harmless: &[
        Harmless::new(&["hooks"], "{}"),
        Harmless::new(&["mcpServers"], "{}"),
        Harmless::new(&["telemetry"], "{}"),
        Harmless::new(&["security", "auth"], "{}"),
        Harmless::new(&["modelProviders"], "{}"),
    ],
    before: None,
    start,
    read: Some(|file| Call { name: "read_file", arguments: json!({ "file_path": file }) }),
    texts_sent,
};

const EMPTY: &str = "\n\nYour MEMORY.md is currently empty.";

fn start(run: &Run) -> Start {
    Start::new(
        ["--auth-type", "openai", "-p", "hi"],
        [("OPENAI_API_KEY", "dummy"), ("OPENAI_MODEL", "m"), ("QWEN_TELEMETRY_ENABLED", "false")],
    )
    .with("OPENAI_BASE_URL", run.url("/v1"))
}

fn texts_sent(run: &Run, requests: &[Value]) -> Result<Vec<Sent>, String> {
    let system = said_by(requests.last().ok_or("no request")?, "system");
    let mut told: Vec<Sent> = block(&system).into_iter().map(|text| Sent::new("session", "system", text)).collect();
    let indexes = memories(&system).into_iter().filter(|index| !index.contains(EMPTY));
    told.extend(indexes.map(|index| Sent::new("session", "system", index)));
    if run.file.is_some() {
        let added = after_reading(requests).iter().map(|message| text_of(&message["content"]));
        let added = added.collect::<Vec<_>>().join("\n");
        told.extend(block(&added).map(|text| Sent::new("read", "tool", text)));
    }
    Ok(told)
}

/// Context files and rules: from the first head to the last foot.
fn block(text: &str) -> Option<&str> {
    let heads = ["--- Context from: ", "--- Rule from: "];
    let feet = ["--- End of Context from: ", "--- End of Rule from: "];
    let (mut start, mut end, mut at) = (None, None, 0);
    for line in text.split_inclusive('\n') {
        let bare = line.strip_suffix('\n').unwrap_or(line);
        let is = |words: &[&str]| words.iter().any(|word| bare.starts_with(word)) && bare.ends_with(" ---");
        if start.is_none() && is(&heads) && line.ends_with('\n') {
            start = Some(at);
        } else if start.is_some() && is(&feet) {
            end = Some(at + bare.len());
        }
        at += line.len();
    }
    text.get(start?..end?)
}

/// Each index of memories, from its headline to the next.
fn memories(system: &str) -> Vec<&str> {
    let mut starts = Vec::new();
    let mut at = 0;
    for line in system.split_inclusive('\n') {
        let path = line.strip_prefix("## ").and_then(|line| line.strip_suffix('\n')).unwrap_or_default();
        let is_index = path.starts_with('/') && !path.contains(char::is_whitespace);
        let is_memory = path.ends_with("/memories/MEMORY.md") || path.ends_with("/memory/MEMORY.md");
        if is_index && is_memory && system[at + line.len()..].starts_with('\n') {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([system.len()]);
    starts.iter().zip(ends).map(|(start, end)| system[*start..end].trim_end_matches('\n')).collect()
}
