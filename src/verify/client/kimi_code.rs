//! Kimi Code: `kimi -p`, with a provider of Chat Completions in its settings.

use serde_json::{Value, json};

use super::{Client, Run, Sent, Start, said_by};
use crate::verify::harmless::Harmless;

pub(super) static CLIENT: Client = Client {
    harness: "kimi-code",
    harmless: &[
        Harmless::new(&["hooks"], ""),
        Harmless::new(&["mcpServers"], "{}"),
        Harmless::new(&["providers"], ""),
        Harmless::new(&["services"], ""),
    ],
    before: None,
    start,
    read: None,
    texts_sent,
};

const HEAD: &str = "\nThe applicable `AGENTS.md` instructions are:\n\n```````\n";
const TAIL: &str = "\n```````\n";

fn start(run: &Run) -> Start {
    let keys = [
        ("default_model", json!("mock")),
        ("providers", json!({ "mock": { "type": "openai", "base_url": run.url("/v1"), "api_key": "none" } })),
        ("models", json!({ "mock": { "provider": "mock", "model": "m", "max_context_size": 200_000 } })),
    ];
    run.set(&run.own("KIMI_CODE_HOME", ".kimi-code").join("config.toml"), &keys);
    Start::new(["-p", "hi"], [("KIMI_DISABLE_TELEMETRY", "1")])
}

fn texts_sent(_: &Run, requests: &[Value]) -> Result<Vec<Sent>, String> {
    let system = said_by(requests.last().ok_or("no request")?, "system");
    // A prompt of the user's own has none.
    let said = system.split_once(HEAD).and_then(|(_, after)| Some(after.rsplit_once(TAIL)?.0));
    Ok(said.filter(|said| !said.is_empty()).map(|said| Sent::new("session", "system", said)).into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::client::listed;

    #[test]
    fn the_files_stand_between_their_fences() {
        for (system, expected) in [
            (format!("You.{HEAD}A\n```````\nB{TAIL}End."), vec!["session system: A\n```````\nB"]),
            (format!("You.{HEAD}{TAIL}End."), vec![]),
            ("A prompt of the user's own.".to_owned(), vec![]),
        ] {
            let request = json!({ "messages": [{ "role": "system", "content": system }] });
            let sent = texts_sent(&Run::of_test(), &[request]).expect("of the known shape");
            assert_eq!(listed(&sent), expected);
        }
    }
}
