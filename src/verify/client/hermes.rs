//! Hermes: `hermes chat -q`, with a provider of Chat Completions in its settings.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Client, Run, Sent, Start, after_reading, said_by, text_of};
use crate::verify::harmless::Harmless;
use crate::verify::model::Call;

pub(super) static CLIENT: Client = Client {
    harness: "hermes",
    harmless: &[
        Harmless::new(&["mcp_servers"], "{}"),
        Harmless::new(&["hooks"], "{}"),
        Harmless::new(&["model"], "{}"),
        Harmless::new(&["providers"], "{}"),
        Harmless::new(&["custom_providers"], "[]"),
        Harmless::new(&["fallback_providers"], "[]"),
    ],
    before: None,
    start,
    read: Some(|file| Call { name: "read_file", arguments: json!({ "path": file }) }),
    texts_sent,
};

const HEAD: &str =
    "# Project Context\n\nThe following project context files have been loaded and should be followed:\n\n";
const END: &str = "\n\nConversation started: ";
const AFTER_SOUL: &str = "\n\nYou run on Hermes Agent";
const FOUND: &str = "[Subdirectory context discovered: ";
/// The words that the client puts in the place of SOUL.md begin and end so; they are on one line.
const OWN: [&str; 2] =
    ["You are Hermes Agent, an intelligent AI assistant created by Nous Research.", "investigations."];

fn start(run: &Run) -> Start {
    let url = run.url("/v1");
    let model =
        json!({ "default": "m", "provider": "custom", "base_url": url, "api_key": "none", "context_length": 200_000 });
    let own = run.own("HERMES_HOME", ".hermes");
    let profiles = fs::read_dir(own.join("profiles")).into_iter().flatten().flatten().map(|entry| entry.path());
    for dir in [own].into_iter().chain(profiles.filter(|dir| dir.is_dir())) {
        run.set(&dir.join("config.yaml"), &[("model", model.clone())]);
        // The client writes them there as well.
        if fs::read_to_string(dir.join("SOUL.md")).is_ok_and(|text| is_own(text.trim())) {
            run.write(&users_own(run), b"");
        }
    }
    let start = Start::new(
        ["chat", "-q", "hi", "--yolo"],
        // It installs a package for speech when it starts, which is not to be had here.
        [("OPENAI_API_KEY", "none"), ("PIP_NO_INDEX", "1"), ("PIP_RETRIES", "0"), ("UV_OFFLINE", "1")],
    );
    start.with("OPENAI_BASE_URL", url).with_options(run)
}

fn texts_sent(run: &Run, requests: &[Value]) -> Result<Vec<Sent>, String> {
    let system = said_by(requests.last().ok_or("no request")?, "system");
    let soul = system.find(AFTER_SOUL).map(|end| &system[..end]);
    let soul = soul.filter(|text| !text.is_empty() && (!is_own(text) || users_own(run).exists()));
    let files = system.find(HEAD).and_then(|at| Some(&system[at..system.rfind(END)?]));
    let mut told: Vec<Sent> =
        [soul, files].into_iter().flatten().map(|text| Sent::new("session", "system", text)).collect();
    if run.file.is_some() {
        let result = after_reading(requests).first().map(|message| text_of(&message["content"])).unwrap_or_default();
        told.extend(result.find(&format!("\n\n{FOUND}")).map(|at| Sent::new("read", "tool", &result[at + 2..])));
    }
    Ok(told)
}

/// Marks that somebody wrote the client's own words into SOUL.md before it was started.
fn users_own(run: &Run) -> PathBuf {
    run.scratch.join("soul")
}

fn is_own(text: &str) -> bool {
    text.starts_with(OWN[0]) && text.ends_with(OWN[1]) && !text.contains(['\n', '['])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::client::listed;

    #[test]
    fn the_clients_own_words_are_no_instructions_unless_the_user_wrote_them() {
        let own = format!("{} You help with {}", OWN[0], OWN[1]);
        let files = format!("{HEAD}## AGENTS.md\n\nA");
        let request = |soul: &str| {
            json!({ "messages": [
                { "role": "system", "content": format!("{soul}{AFTER_SOUL}.\n\n{files}{END}today") },
                { "role": "tool", "content": format!("the file\n\n{FOUND}s/AGENTS.md]\nB") },
            ]})
        };
        let scratch = tempfile::tempdir().expect("a directory");
        let read = format!("read tool: {FOUND}s/AGENTS.md]\nB");
        let file = Some(std::path::Path::new("/p/t.txt"));
        let run = Run { file, scratch: scratch.path(), ..Run::of_test() };
        let sent = |soul: &str| listed(&texts_sent(&run, &[request(soul)]).expect("of the known shape"));
        let (project, soul) = (format!("session system: {files}"), |text: &str| format!("session system: {text}"));
        assert_eq!(sent(&own), [project.clone(), read.clone()]);
        assert_eq!(sent("Mine."), [soul("Mine."), project.clone(), read.clone()]);
        fs::write(users_own(&run), "").expect("it is written");
        assert_eq!(sent(&own), [soul(&own), project, read]);
    }
}
