//! Cline: its command line, which is signed in to a provider of Chat Completions first.

use serde_json::{Value, json};

use super::{Client, Run, Sent, Start, said_by};
use crate::verify::harmless::Harmless;
use crate::verify::model::Call;

pub(super) static CLIENT: Client = Client {
    harness: "cline",
    harmless: &[Harmless::new(&["hooks"], "{}"), Harmless::new(&["mcpServers"], "{}")],
    before: Some(|run| {
        let words = ["auth", "-p", "openai", "-k", "dummy", "-m", "gpt-4.1", "-b"];
        words.map(str::to_owned).into_iter().chain([run.url("/v1")]).collect()
    }),
    start: |_| Start::new(["--auto-approve", "true", "say hi to me"], []),
    read: Some(|file| Call { name: "read_files", arguments: json!({ "files": [{ "path": file }] }) }),
    texts_sent,
};

const HEAD: &str = "\n\n# Rules\n";

fn texts_sent(_: &Run, requests: &[Value]) -> Result<Vec<Sent>, String> {
    let system = said_by(requests.last().ok_or("no request")?, "system");
    let rules = system.find(HEAD).map(|at| system[at..].trim_start_matches('\n'));
    Ok(rules.map(|text| Sent::new("session", "system", text)).into_iter().collect())
}
