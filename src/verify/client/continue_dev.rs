//! Continue: `cn -p`, with a provider of Chat Completions in its settings.

use std::fs;

use serde_json::{Value, json};

use super::{Client, Run, Sent, Start, said_by};
use crate::formats::dotenv;
use crate::verify::harmless::Harmless;

pub(super) static CLIENT: Client = Client {
    harness: "continue",
    harmless: &[
        Harmless::new(&["mcpServers"], "[]"),
        Harmless::new(&["models"], "[]"),
        Harmless::new(&["data"], "[]"),
        Harmless::new(&["hooks"], "{}"),
    ],
    before: None,
    start,
    read: None,
    texts_sent,
};

const HEAD: &str = "\n\n<context name=\"userRules\">";
const TAIL: &str = "\n</context>";
/// The variable that names the user's folder.
const OWN: &str = "CONTINUE_GLOBAL_DIR";

fn start(run: &Run) -> Start {
    let model = json!({
        "name": "mock", "provider": "openai", "model": "gpt-4.1", "apiKey": "none", "apiBase": run.url("/v1"),
        "roles": ["chat"]
    });
    // It takes the variable from the `.env` of its directory as well.
    let written = fs::read_to_string(run.cwd.join(".env")).unwrap_or_default();
    let written = dotenv(&written).into_iter().rfind(|(name, _)| name == OWN);
    let dir = match written {
        Some((_, dir)) if !run.env.contains_key(OWN) => run.cwd.join(dir),
        _ => run.own(OWN, ".continue"),
    };
    let config = dir.join("config.yaml");
    if fs::read(&config).is_ok_and(|text| !text.is_empty()) {
        run.set(&config, &[("models", json!([model]))]);
    } else {
        let head = [("name", json!("mine")), ("version", json!("1.0.0")), ("schema", json!("v1"))];
        run.set(&config, &[&head[..], &[("models", json!([model]))]].concat());
    }
    let telemetry = [("CONTINUE_TELEMETRY_ENABLED", "0"), ("CONTINUE_ALLOW_ANONYMOUS_TELEMETRY", "0")];
    Start::new(["--auto", "-p", "hi"], telemetry)
}

fn texts_sent(_: &Run, requests: &[Value]) -> Result<Vec<Sent>, String> {
    let system = said_by(requests.last().ok_or("no request")?, "system");
    let rules = system.find(HEAD).map(|at| &system[at + 2..]);
    let rules = rules.and_then(|rules| rules.rfind(TAIL).map(|end| &rules[..end + TAIL.len()]));
    Ok(rules.map(|text| Sent::new("session", "system", text)).into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::client::listed;

    #[test]
    fn the_rules_stand_between_their_tags() {
        for (system, expected) in [
            ("You.".to_owned(), vec![]),
            (
                format!("You.{HEAD}A{TAIL}B{TAIL}\nEnd."),
                vec![format!("session system: <context name=\"userRules\">A{TAIL}B{TAIL}")],
            ),
        ] {
            let request = json!({ "messages": [{ "role": "system", "content": system }] });
            assert_eq!(listed(&texts_sent(&Run::of_test(), &[request]).expect("of the known shape")), expected);
        }
    }
}
