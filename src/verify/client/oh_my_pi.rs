//! oh-my-pi: `omp -p`, with a provider of Chat Completions.

use serde_json::{Value, json};

use super::{Client, Run, Sent, Start, said_by};
use crate::verify::harmless::Harmless;

pub(super) static CLIENT: Client = Client {
    harness: "oh-my-pi",
    harmless: &[
        Harmless::new(&["extensions"], "[]"),
        Harmless::new(&["packages"], "[]"),
        Harmless::new(&["hooks"], "{}"),
        Harmless::new(&["mcpServers"], "{}"),
    ],
    before: None,
    start,
    read: None,
    texts_sent,
};

const HEAD: &str = "<repo-rules>\nMUST follow these context files for all tasks:\n";
const TAIL: &str = "\n</repo-rules>";

fn start(run: &Run) -> Start {
    let free = json!({ "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0 });
    let model = json!({
        "id": "m", "name": "m", "contextWindow": 200_000, "maxTokens": 8000, "input": ["text"], "reasoning": false,
        "cost": free
    });
    let mock = json!({ "baseUrl": run.url("/v1"), "apiKey": "none", "api": "openai-completions", "models": [model] });
    run.set(
        &run.own("PI_CODING_AGENT_DIR", ".omp/agent").join("models.yml"),
        &[("providers", json!({ "mock": mock }))],
    );
    Start::new(["--model", "mock/m", "--no-session", "-p", "hi"], [("PI_OFFLINE", "1")])
}

/// The files may hold the same tags: the first opens, the last closes.
fn texts_sent(_: &Run, requests: &[Value]) -> Result<Vec<Sent>, String> {
    let system = said_by(requests.last().ok_or("no request")?, "system");
    let section = system.find(HEAD).and_then(|at| Some(&system[at..system.rfind(TAIL)? + TAIL.len()]));
    Ok(section.map(|text| Sent::new("session", "system", text)).into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::client::listed;

    #[test]
    fn the_files_stand_between_their_tags() {
        for (system, expected) in [
            ("You.".to_owned(), vec![]),
            (format!("You.\n{HEAD}A{TAIL}B{TAIL}\nEnd."), vec![format!("session system: {HEAD}A{TAIL}B{TAIL}")]),
        ] {
            let request = json!({ "messages": [{ "role": "system", "content": system }] });
            assert_eq!(listed(&texts_sent(&Run::of_test(), &[request]).expect("of the known shape")), expected);
        }
    }
}
