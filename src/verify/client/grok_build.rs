//! Grok Build: `grok -p`, with a server in the place of xAI's.

use serde_json::Value;

use super::{Client, Run, Sent, Start, list, text_of};
use crate::verify::harmless::Harmless;

pub(super) static CLIENT: Client = Client {
    harness: "grok-build",
    harmless: &[
        Harmless::new(&["hooks"], ""),
        Harmless::new(&["mcp_servers"], ""),
        Harmless::new(&["models"], ""),
        Harmless::new(&["model"], ""),
        Harmless::new(&["auth"], ""),
    ],
    before: None,
    start,
    read: None,
    texts_sent,
};

const WORKSPACE: [&str; 2] = ["<always_applied_workspace_rules description=\"", "\n</always_applied_workspace_rules>"];
const USER: [&str; 2] = [
    "<user_rules description=\"These are rules set by the user that you should follow if appropriate.\">\n",
    "\n</user_rules>",
];
const RULE: &str = "<user_rule>\n";
/// Number of rules of the user's that are the client's own; they stand first.
const OWN: usize = 2;

fn start(run: &Run) -> Start {
    let start = Start::new(
        ["-p", "hi", "--always-approve"],
        [("XAI_API_KEY", "none"), ("GROK_DISABLE_AUTO_UPDATE", "1"), ("GROK_TELEMETRY", "0")],
    );
    start.with("GROK_XAI_API_BASE_URL", run.url("/v1")).with("GROK_MODELS_BASE_URL", run.url("/v1")).with_options(run)
}

/// The rules of the workspace, then those of the user. They may hold the same tags: the first opens, the last closes.
fn texts_sent(_: &Run, requests: &[Value]) -> Result<Vec<Sent>, String> {
    // Models that it does not know are asked in Chat Completions, its own ones in Responses.
    let request = requests.last().ok_or("no request")?;
    let messages = list(request, "messages").iter().chain(list(request, "input"));
    let mut texts = messages.filter(|message| message["role"] == "user").map(|message| text_of(&message["content"]));
    let said = texts.find(|text| text.starts_with("<user_info>")).unwrap_or_default();
    let within = |[open, close]: [&str; 2]| {
        let (start, end) = (said.find(open)?, said.rfind(close)?);
        (start < end).then_some((start, end))
    };
    let of_workspace = within(WORKSPACE).map(|(start, end)| said[start..end + WORKSPACE[1].len()].to_owned());
    let of_user = within(USER).and_then(|(start, end)| {
        let rules = said.get(start + USER[0].len()..end)?;
        Some(format!("{RULE}{}", rules.splitn(OWN + 2, RULE).nth(OWN + 1)?))
    });
    Ok([of_workspace, of_user].into_iter().flatten().map(|text| Sent::new("session", "user", text)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::client::listed;
    use serde_json::json;

    #[test]
    fn rules_of_the_client_are_left_out_in_either_protocol() {
        let rules = |text: &str| format!("<user_info>\nx\n{}{text}{}\n", USER[0], USER[1]);
        let own = "<user_rule>\none\n</user_rule>\n\n<user_rule>\ntwo\n</user_rule>\n\n";
        let workspace = format!("{}d\">\nA\n</x>{}", WORKSPACE[0], WORKSPACE[1]);
        let user = "<user_rule>\nB\n</user_rule>\n<user_rule>\nC\n</user_rule>";
        for (key, text, expected) in [
            ("messages", rules(own), vec![]),
            ("input", rules(&format!("{own}{user}")), vec![format!("session user: {user}")]),
            (
                "messages",
                format!("{}{workspace}", rules(&format!("{own}{user}"))),
                vec![format!("session user: {workspace}"), format!("session user: {user}")],
            ),
        ] {
            let request = json!({ key: [{ "role": "user", "content": text }, { "role": "user", "content": "hi" }] });
            assert_eq!(listed(&texts_sent(&Run::of_test(), &[request]).expect("of the known shape")), expected);
        }
    }
}
