//! Droid: `droid exec`, with a provider of Chat Completions in its settings.

use serde_json::{Value, json};

use super::{Client, Run, Sent, Start, list, parts_of};
use crate::verify::harmless::Harmless;
use crate::verify::model::Call;

pub(super) static CLIENT: Client = Client {
    harness: "droid",
    harmless: &[
        Harmless::new(&["hooks"], "{}"),
        Harmless::new(&["mcpServers"], "{}"),
        // In `hooks.json` they stand at the top.
        Harmless::new(&["PreToolUse"], "[]"),
        Harmless::new(&["PostToolUse"], "[]"),
        Harmless::new(&["UserPromptSubmit"], "[]"),
        Harmless::new(&["SessionStart"], "[]"),
        Harmless::new(&["SessionEnd"], "[]"),
        Harmless::new(&["Stop"], "[]"),
        Harmless::new(&["Notification"], "[]"),
        Harmless::new(&["customModels"], "[]"),
        Harmless::new(&["custom_models"], "[]"),
    ],
    before: None,
    start,
    read: Some(|file| Call { name: "Read", arguments: json!({ "file_path": file }) }),
    texts_sent,
};

const OPEN: &str = "<system-reminder>\n";
const CLOSE: &str = "\n</system-reminder>";
const HEAD: &str = "# Codebase and user instructions are shown below.";
const TAILS: [&str; 2] = ["</coding_guidelines>", "</design_guidelines>"];
const FOUND: &str = "Additional project instructions discovered along the accessed paths:";

fn start(run: &Run) -> Start {
    let model = json!({
        "model": "m", "displayName": "m", "baseUrl": run.url("/v1"), "apiKey": "none",
        "provider": "generic-chat-completion-api", "maxOutputTokens": 1000
    });
    let settings = run.own("FACTORY_HOME_OVERRIDE", "").join(".factory/settings.json");
    run.set(&settings, &[("customModels", json!([model]))]);
    Start::new(
        ["exec", "--skip-permissions-unsafe", "-m", "custom:m-0", "hi"],
        [("FACTORY_API_KEY", "fk-none"), ("FACTORY_DISABLE_TELEMETRY", "1"), ("DROID_DISABLE_AUTO_UPDATE", "1")],
    )
}

fn texts_sent(run: &Run, requests: &[Value]) -> Result<Vec<Sent>, String> {
    let messages = list(requests.last().ok_or("no request")?, "messages");
    // What stands behind the last call of a tool was added for it.
    let last_call = messages.iter().rposition(|message| message["role"] == "assistant").unwrap_or_default();
    let mut told = Vec::new();
    for (number, message) in messages.iter().enumerate().filter(|(_, message)| message["role"] == "user") {
        let parts = parts_of(&message["content"]);
        for part in parts.iter().filter_map(|part| part.strip_prefix(OPEN)) {
            if let Some(start) = part.find(HEAD) {
                let ends = TAILS.iter().filter_map(|tail| Some(part.rfind(tail)? + tail.len()));
                let end = ends.max().filter(|end| start < *end).ok_or("instructions that do not end")?;
                told.push(Sent::new("session", "user", &part[start..end]));
            }
            if part.starts_with(FOUND) && run.file.is_some() && number > last_call {
                let end = part.rfind(CLOSE).ok_or("a reminder that does not end")?;
                told.push(Sent::new("read", "user", &part[..end]));
            }
        }
    }
    Ok(told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::client::listed;

    #[test]
    fn the_first_reminder_is_of_the_session_and_that_behind_the_last_call_of_the_reading() {
        let first = format!("{OPEN}Before.\n{HEAD}\nA</coding_guidelines>\nB</design_guidelines>\nAfter.{CLOSE}");
        let found = format!("{OPEN}{FOUND}\nC{CLOSE}");
        let text = |text: &str| json!({ "type": "text", "text": text });
        let request = json!({ "messages": [
            { "role": "system", "content": "You." },
            { "role": "user", "content": [text(&first), text("hi")] },
            { "role": "assistant", "content": null },
            { "role": "tool", "content": "the file" },
            { "role": "user", "content": [text(&found)] },
        ]});
        let session = format!("session user: {HEAD}\nA</coding_guidelines>\nB</design_guidelines>");
        let read = format!("read user: {FOUND}\nC");
        let file = std::path::Path::new("/p/t.txt");
        for (file, expected) in [(None, vec![session.clone()]), (Some(file), vec![session, read])] {
            let run = Run { file, ..Run::of_test() };
            let sent = texts_sent(&run, std::slice::from_ref(&request)).expect("of the known shape");
            assert_eq!(listed(&sent), expected);
        }
    }
}
