//! pi: `pi -p`, with a provider of Chat Completions.

use serde_json::{Value, json};

use super::{Client, Run, Sent, Start, said_by};
use crate::verify::harmless::Harmless;

pub(super) static CLIENT: Client = Client {
    harness: "pi",
    harmless: &[Harmless::new(&["extensions"], "[]"), Harmless::new(&["packages"], "[]")],
    before: None,
    start,
    read: None,
    texts_sent,
};

const WORDS: &str = "Project-specific instructions and guidelines:\n\n";
/// The last words of the client's own prompt in early versions.
const OWN: &str = "(e.g., tui.md for TUI API details)";

fn start(run: &Run) -> Start {
    let models = run.own_expanded("PI_CODING_AGENT_DIR", ".pi/agent").join("models.json");
    // Its keys may name commands that are run to get them.
    let mock =
        json!({ "baseUrl": run.url("/v1"), "api": "openai-completions", "apiKey": "none", "models": [{ "id": "m" }] });
    run.set(&models, &[("providers", json!({ "mock": mock }))]);
    let options = ["--offline", "--no-session", "--provider", "mock", "--model", "m", "-p", "hi"];
    Start::new(options, [("PI_OFFLINE", "1")]).with_options(run)
}

/// What is appended to the prompt, then the files. They may hold the same tags: the first opens, the last closes.
fn texts_sent(run: &Run, requests: &[Value]) -> Result<Vec<Sent>, String> {
    let text = said_by(requests.last().ok_or("no request")?, "system");
    let is_early = !run.is_since("0.84");
    let (opens, ends, skills, closing) = match is_early {
        false => ("\n\n<project_context>\n", "\n\n<cwd>\n", "\n\n<skills>\n", 0),
        true if run.is_since("0.83") => ("\n\n<project_context>\n\n", EARLY_END, EARLY_SKILLS, 1),
        true => ("\n\n# Project Context\n\n", EARLY_END, EARLY_SKILLS, 2),
    };
    let mut end = text.rfind(ends).ok_or("no working directory in its system text")?;
    if !run.is_since("0.83") {
        end = text[..end].rfind("\nCurrent date: ").ok_or("no date in its system text")?;
    }
    let end = text[..end].rfind(skills).unwrap_or(end);
    let added = match is_early {
        false => text.find("\n\n<addendum>\n"),
        true => text.find(OWN).map(|at| at + OWN.len()),
    };
    let context = text.find(&format!("{opens}{WORDS}")).filter(|context| *context < end);
    let added = added.and_then(|added| text.get(added + 2..context.unwrap_or(end)));
    let files = context.and_then(|context| text.get(context + 2..end - closing));
    let texts = [added.filter(|text| !text.is_empty()), files].into_iter().flatten();
    Ok(texts.map(|text| Sent::new("session", "system", text)).collect())
}

const EARLY_END: &str = "\nCurrent working directory: ";
const EARLY_SKILLS: &str = "\n\nThe following skills provide";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::client::listed;

    #[test]
    fn the_first_tag_opens_and_the_last_one_closes_in_every_version() {
        let end = "\n\n<skills>\nS\n</skills>\n\n<cwd>\n/p\n</cwd>";
        let early = "\n\nThe following skills provide S";
        for (version, system, expected) in [
            ("0.87.1", format!("You.{end}"), vec![]),
            (
                "0.87.1",
                format!("You.\n\n<addendum>\nMore.\n</addendum>\n\n<project_context>\n{WORDS}A</project_context>{end}"),
                vec![
                    "<addendum>\nMore.\n</addendum>".to_owned(),
                    format!("<project_context>\n{WORDS}A</project_context>"),
                ],
            ),
            (
                "0.83.0",
                format!("You {OWN}\n\nMore.\n\n<project_context>\n\n{WORDS}A\n{early}\nCurrent working directory: /p"),
                vec!["More.".to_owned(), format!("<project_context>\n\n{WORDS}A")],
            ),
            (
                "0.74.2",
                format!(
                    "You {OWN}\n\n# Project Context\n\n{WORDS}A\n\n{early}\nCurrent date: x\nCurrent working directory: /p"
                ),
                vec![format!("# Project Context\n\n{WORDS}A")],
            ),
        ] {
            let request = json!({ "messages": [{ "role": "system", "content": system }] });
            let sent = texts_sent(&Run { version, ..Run::of_test() }, &[request]).expect("of the known shape");
            let expected: Vec<String> = expected.into_iter().map(|text| format!("session system: {text}")).collect();
            assert_eq!(listed(&sent), expected, "{version}");
        }
    }
}
