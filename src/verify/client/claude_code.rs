//! Claude Code: `claude -p`, with a server of Messages.

use serde_json::{Value, json};

use super::{Client, Run, Sent, Start, list, text_of};
use crate::verify::harmless::Harmless;
use crate::verify::model::Call;

pub(super) static CLIENT: Client = Client {
    harness: "claude-code",
    harmless: &[
        Harmless::new(&["hooks"], "{}"),
        Harmless::new(&["mcpServers"], "{}"),
        Harmless::new(&["statusLine"], r#"{"type": "command", "command": "true"}"#),
        Harmless::new(&["apiKeyHelper"], NOTHING),
        Harmless::new(&["awsAuthRefresh"], NOTHING),
        Harmless::new(&["awsCredentialExport"], NOTHING),
        Harmless::new(&["gcpAuthRefresh"], NOTHING),
        Harmless::new(&["otelHeadersHelper"], NOTHING),
    ],
    before: None,
    start,
    read: Some(|file| Call { name: "Read", arguments: json!({ "file_path": file }) }),
    texts_sent,
};

/// A command that does nothing. Where a value is of the wrong type, the client reads none of the file.
const NOTHING: &str = "\"true\"";
const OPEN: &str = "<system-reminder>\n";
const CLOSE: &str = "</system-reminder>";
const FILE: &str = "Contents of ";
/// Prefixes of a file that one of the client's own hooks passes on.
const HANDED: [&str; 2] = ["tool.call hook additional context: ", "prompt.mention hook additional context: "];
/// Texts that may follow the files in a system message.
const BEHIND: [&str; 5] = [
    "\n\nNew skills discovered in ",
    "\n\n# Environment\n",
    "\n\nThe following skills are ",
    "\n\nAvailable agent types for ",
    "\n\n<total_tokens>",
];

fn start(run: &Run) -> Start {
    Start::new(
        ["-p", "hi"],
        [
            ("ANTHROPIC_API_KEY", "none"),
            ("IS_SANDBOX", "1"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_TELEMETRY", "1"),
            ("DISABLE_ERROR_REPORTING", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
        ],
    )
    .with("ANTHROPIC_BASE_URL", run.url(""))
}

/// A block of a request.
struct Block {
    role: String,
    is_result: bool,
    is_text: bool,
    text: String,
}

fn texts_sent(run: &Run, requests: &[Value]) -> Result<Vec<Sent>, String> {
    let first = blocks(&requests[0]);
    let users = first.iter().filter(|block| block.role == "user" && block.is_text);
    let session = users.filter_map(|block| reminder(&block.text));
    let session = session.filter(|text| text.contains("\n\nContents of ") && !is_of_file(text)).take(1);
    let mut told: Vec<Sent> = session.map(|text| Sent::new("session", "user", text)).collect();
    if run.file.is_some() {
        let last = requests.last().map(blocks).unwrap_or_default();
        let at = last.iter().rposition(|block| block.is_result).ok_or("it did not read the file")?;
        told.extend(boxed("tool", &last[at].text));
        for block in &last[at + 1..] {
            if block.role == "user" {
                let text = reminder(&block.text).filter(|text| is_of_file(text));
                told.extend(text.map(|text| Sent::new("read", "user", text)));
            } else {
                let found = boxed(&block.role, &block.text);
                let bare = if found.is_empty() { bare(&block.text) } else { None };
                told.extend(found);
                told.extend(bare.map(|text| Sent::new("read", &block.role, text)));
            }
        }
    }
    Ok(told)
}

fn blocks(request: &Value) -> Vec<Block> {
    let mut found = Vec::new();
    for message in list(request, "messages") {
        let role = message["role"].as_str().unwrap_or_default();
        let mut add = |kind: &str, text: String| {
            found.push(Block {
                role: role.to_owned(),
                is_result: kind == "tool_result",
                is_text: kind == "text",
                text,
            });
        };
        if let Some(text) = message["content"].as_str() {
            add("text", text.to_owned());
        }
        for block in list(message, "content") {
            let kind = block["type"].as_str().unwrap_or_default();
            let inner = if kind == "tool_result" { text_of(&block["content"]) } else { text_of(&block["text"]) };
            add(kind, inner);
        }
    }
    found
}

/// A text that is one reminder, less the newlines behind it.
fn reminder(text: &str) -> Option<&str> {
    let text = text.trim_end_matches('\n');
    (text.starts_with(OPEN) && text.ends_with(CLOSE)).then_some(text)
}

fn is_of_file(text: &str) -> bool {
    text.strip_prefix(OPEN).is_some_and(|text| text.starts_with(FILE))
}

/// The reminders that hold a file each; one that is handed over counts without what is around it.
fn boxed(role: &str, text: &str) -> Vec<Sent> {
    let mut told = Vec::new();
    for inner in super::between(text, OPEN, &format!("\n{CLOSE}")) {
        let handed = HANDED.iter().find_map(|words| inner.strip_prefix(words)).filter(|text| text.starts_with(FILE));
        if let Some(bare) = handed {
            told.push(Sent::new("read", role, bare));
        } else if inner.starts_with(FILE) {
            told.push(Sent::new("read", role, format!("{OPEN}{inner}\n{CLOSE}")));
        }
    }
    told
}

/// The text of files that stands in a message as it is.
fn bare(text: &str) -> Option<&str> {
    let text = &text[text.find(FILE)?..];
    let end = BEHIND.iter().filter_map(|words| text.find(words)).min();
    Some(&text[..end.unwrap_or(text.len())])
}
