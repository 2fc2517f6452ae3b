//! Copilot CLI: `copilot -p`, offline, with a provider of Chat Completions.

use serde_json::{Value, json};

use super::{Client, Run, Sent, Start, after_reading, between, said_by, text_of};
use crate::verify::harmless::Harmless;
use crate::verify::model::Call;

pub(super) static CLIENT: Client = Client {
    harness: "copilot-cli",
    harmless: &[Harmless::new(&["hooks"], "{}"), Harmless::new(&["mcpServers"], "{}")],
    before: None,
    start,
    read: Some(|file| Call { name: "view", arguments: json!({ "path": file }) }),
    texts_sent,
};

/// Text before the instruction section of the prompt.
const BEFORE: &str = "\n</tools>";
const AFTER: &str = "\n<system_notifications>\n";
const OPEN: &str = "<system_reminder>\n";
const CLOSE: &str = "\n</system_reminder>";

fn start(run: &Run) -> Start {
    Start::new(
        ["-p", "hi", "--allow-all-tools", "--allow-all-paths", "--no-auto-update"],
        [
            ("COPILOT_AUTO_UPDATE", "false"),
            ("COPILOT_MODEL", "gpt-4.1"),
            ("COPILOT_OFFLINE", "true"),
            ("COPILOT_PROVIDER_TYPE", "openai"),
            ("COPILOT_PROVIDER_API_KEY", "dummy"),
        ],
    )
    .with("COPILOT_PROVIDER_BASE_URL", run.url("/v1"))
}

fn texts_sent(run: &Run, requests: &[Value]) -> Result<Vec<Sent>, String> {
    let last = requests.last().ok_or("no request")?;
    let system = said_by(last, "system");
    let start = system.find(BEFORE).ok_or("no end of the tools in its system text")? + BEFORE.len();
    let end = system.rfind(AFTER).filter(|end| start <= *end).ok_or("no notifications in its system text")?;
    let section = &system[start..end];
    let section = section.strip_prefix("\n\n").unwrap_or(section);
    let mut told = Vec::new();
    if !section.is_empty() {
        told.push(Sent::new("session", "system", section));
    }
    if run.file.is_some() {
        let added = after_reading(requests).iter().filter(|message| message["role"] == "user");
        let added = added.map(|message| text_of(&message["content"])).collect::<Vec<_>>().join("\n");
        let blocks = between(&added, OPEN, CLOSE).into_iter().map(|inner| format!("{OPEN}{inner}{CLOSE}"));
        let ours = blocks.filter(|block| block.contains("\nCustom instructions from "));
        told.extend(ours.map(|block| Sent::new("read", "user", block)));
    }
    Ok(told)
}
