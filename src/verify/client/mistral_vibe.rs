//! Mistral Vibe: `vibe -p`, with a provider of Chat Completions in its settings.

use std::fs;

use serde_json::{Value, json};

use super::{Client, Run, Sent, Start, after_reading, said_by, text_of};
use crate::verify::harmless::Harmless;
use crate::verify::model::Call;

pub(super) static CLIENT: Client = Client {
    harness: "mistral-vibe",
    harmless: &[
        Harmless::new(&["mcp_servers"], ""),
        Harmless::new(&["hooks"], ""),
        Harmless::new(&["providers"], ""),
        Harmless::new(&["models"], ""),
        Harmless::new(&["active_model"], ""),
    ],
    before: None,
    start,
    read: Some(|file| Call { name: "read_file", arguments: json!({ "path": file }) }),
    texts_sent,
};

const HEAD: &str = "Codebase and user instructions are shown below.";
const TAIL: &str = "\n\nIMPORTANT: this context may or may not be relevant to your tasks. You should act on these guidelines if they are relevant to your task.";
const BROUGHT: [&str; 2] = ["<vibe_warning>\n", "\n</vibe_warning>"];

fn start(run: &Run) -> Start {
    let provider = json!({
        "name": "mock", "api_base": run.url("/v1"), "api_key_env_var": "MOCK_API_KEY", "api_style": "openai",
        "backend": "generic"
    });
    let model = json!([{ "name": "m", "provider": "mock", "alias": "mock" }]);
    let mut keys = vec![("active_model", json!("mock")), ("providers", json!([provider])), ("models", model)];
    let config = run.own_expanded("VIBE_HOME", ".vibe").join("config.toml");
    // Where they are of another type, it does not start.
    let said = fs::read_to_string(&config).unwrap_or_default();
    let switches = ["enable_telemetry", "enable_update_checks"].into_iter().filter(|key| !said.contains(key));
    keys.extend(switches.map(|key| (key, json!(false))));
    run.set(&config, &keys);
    Start::new(["-p", "hi", "--auto-approve"], [("MOCK_API_KEY", "none"), ("MISTRAL_API_KEY", "none")])
        .with_options(run)
}

fn texts_sent(run: &Run, requests: &[Value]) -> Result<Vec<Sent>, String> {
    let system = said_by(requests.last().ok_or("no request")?, "system");
    let section = system.find(HEAD).and_then(|at| Some(&system[at..system.rfind(TAIL)? + TAIL.len()]));
    let mut told: Vec<Sent> = section.map(|text| Sent::new("session", "system", text)).into_iter().collect();
    if run.file.is_some() {
        let result = after_reading(requests).first().map(|message| text_of(&message["content"])).unwrap_or_default();
        let brought = result.split_once(BROUGHT[0]).and_then(|(_, after)| Some(after.rsplit_once(BROUGHT[1])?.0));
        let brought = brought.filter(|text| text.starts_with("Contents of "));
        told.extend(brought.map(|text| Sent::new("read", "tool", text)));
    }
    Ok(told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::client::listed;

    #[test]
    fn a_reading_brings_what_its_result_warns_of() {
        let section = format!("{HEAD}\nA{TAIL}");
        for (result, read) in [
            ("the file", vec![]),
            ("x\n<vibe_warning>\nContents of a:\nB\n</vibe_warning>\n", vec!["read tool: Contents of a:\nB"]),
            ("x\n<vibe_warning>\nIt is long.\n</vibe_warning>\n", vec![]),
        ] {
            let request = json!({ "messages": [
                { "role": "system", "content": format!("You.\n{section}\nEnd.") },
                { "role": "tool", "content": result },
            ]});
            let run = Run { file: Some(std::path::Path::new("/p/t.txt")), ..Run::of_test() };
            let sent = texts_sent(&run, &[request]).expect("of the known shape");
            let session = format!("session system: {section}");
            assert_eq!(listed(&sent), [&[session.as_str()], &read[..]].concat());
        }
    }
}
