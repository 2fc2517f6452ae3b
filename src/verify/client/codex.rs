//! Codex: `codex exec`, with a provider of Responses.

use serde_json::{Value, json};

use super::{Client, Run, Sent, Start, list};
use crate::verify::harmless::Harmless;

pub(super) static CLIENT: Client = Client {
    harness: "codex",
    harmless: &[
        Harmless::new(&["hooks"], ""),
        Harmless::new(&["notify"], ""),
        Harmless::new(&["mcp_servers"], ""),
        Harmless::new(&["model_providers"], ""),
        Harmless::new(&["otel"], ""),
    ],
    before: None,
    start,
    read: None,
    texts_sent,
};

/// Openings of the sections that the client adds after the files, up to 0.141; they are product text.
const ADDED: [&str; 3] = ["Files called AGENTS.md ", "## Skills\n", "## JavaScript REPL (Node)\n"];
const HEAD: &str = "<INSTRUCTIONS>\n";
const END: &str = "\n</INSTRUCTIONS>";

fn start(run: &Run) -> Start {
    let provider = [
        ("name", json!("mock")),
        ("base_url", json!(run.url("/v1"))),
        ("env_key", json!("MOCK_KEY")),
        ("wire_api", json!("responses")),
        ("request_max_retries", json!(0)),
        ("stream_max_retries", json!(0)),
    ];
    let pairs = provider.iter().map(|(key, value)| format!("model_providers.mock.{key}={value}"));
    let pairs = pairs.chain(["model_provider=\"mock\"".to_owned(), "notify=[]".to_owned()]);
    let mut arguments: Vec<String> = pairs.flat_map(|pair| ["-c".to_owned(), pair]).collect();
    arguments.extend(["exec", "--skip-git-repo-check", "hello"].map(str::to_owned));
    Start { arguments, env: vec![("MOCK_KEY".to_owned(), "none".to_owned())] }
}

fn texts_sent(run: &Run, requests: &[Value]) -> Result<Vec<Sent>, String> {
    let items = list(&requests[0], "input").iter().filter(|item| item["role"] == "user");
    let texts = items.flat_map(|item| list(item, "content")).filter_map(|part| part["text"].as_str());
    let files = texts.filter(|text| text.starts_with("# AGENTS.md instructions"));
    let without = |text: &str| if run.is_since("0.142") { Some(text.to_owned()) } else { without_added(text) };
    Ok(files.filter_map(without).map(|text| Sent::new("session", "user", text)).collect())
}

/// The message without the sections that the client adds, or none when nothing else is in it.
fn without_added(text: &str) -> Option<String> {
    let (head, rest) = text.split_once(HEAD)?;
    let mut body = rest.strip_suffix(END).unwrap_or(rest);
    for start in ADDED {
        if body.starts_with(start) {
            body = "";
        } else if let Some(at) = body.rfind(&format!("\n\n{start}")) {
            body = &body[..at];
        }
    }
    (!body.is_empty()).then(|| format!("{head}{HEAD}{body}{END}"))
}
