//! Grok Build: `sessions/DIRECTORY/SESSION/chat_history.jsonl` in its own directory; `summary.json` beside it has
//! directory and time.
//!
//! A record holds the messages of the conversation as they are sent; the first has the rules of the workspace and of
//! the user. It has neither times nor the client's version.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::lines::{Lines, parse};
use super::place::{self, Found, Homes};
use super::session::{Builder, Given, Kind, Purpose, time};
use super::{Client, Head};

/// Reads the records of Grok Build.
pub const CLIENT: Client = Client {
    agent: "grok-build",
    find,
    head,
    open: super::open,
    read,
    text_of: super::no_text,
    homeless: Some("not read, since no summary.json beside it says where it was started"),
    cuts_at: None,
    checked: "1.0.41",
};

/// Tags around the rules of the workspace, and around those of the user.
const WORKSPACE: [&str; 2] = ["<always_applied_workspace_rules description=\"", "\n</always_applied_workspace_rules>"];
const USER: [&str; 2] = [
    "<user_rules description=\"These are rules set by the user that you should follow if appropriate.\">\n",
    "\n</user_rules>",
];
/// Opening tag of each rule of the user.
const RULE: &str = "<user_rule>\n";
/// Number of the client's own rules among those of the user (1.0.41).
const OWN_RULES: usize = 2;
/// Maximum number of bytes that are read of `summary.json`.
const SUMMARY_CAP_BYTES: usize = 64 * 1024;

#[derive(Deserialize)]
struct Summary {
    info: Info,
    created_at: Option<String>,
}

#[derive(Deserialize)]
struct Info {
    id: String,
    cwd: PathBuf,
}

fn find(homes: &Homes, _: Option<&Path>) -> Vec<Found> {
    let sessions = homes.dir("GROK_HOME", ".grok").join("sessions");
    let sessions = place::directories(&sessions).into_iter().flat_map(|dir| place::directories(&dir));
    let records = sessions.filter_map(|session| {
        let found = Found::at(session.join("chat_history.jsonl"))?;
        let summary = place::start_of(&session.join("summary.json"), SUMMARY_CAP_BYTES);
        let summary: Option<Summary> = summary.and_then(|summary| serde_json::from_slice(&summary).ok());
        let head = summary.map(|summary| Head {
            id: Some(summary.info.id),
            cwd: Some(summary.info.cwd),
            start: summary.created_at.as_deref().and_then(time),
            ..Head::default()
        });
        Some(Found { head: head.unwrap_or_default(), ..found })
    });
    records.collect()
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_calls: Option<Vec<Call<'a>>>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    /// JSON in a string.
    #[serde(borrow)]
    arguments: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Arguments {
    target_file: Option<String>,
    file_path: Option<String>,
}

/// Does nothing: the lines hold no facts about the whole session.
fn head(_: &[u8], _: &mut Head) {}

fn read(lines: &mut Lines, builder: &mut Builder) {
    let session = builder.session.file.parent().and_then(Path::file_name);
    builder.session.id = session.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut is_told = false;
    lines.each(|line| {
        let line: Line = serde_json::from_slice(line)?;
        match line.kind.as_ref() {
            "user" => {
                let content = line.content.and_then(parse::<Vec<Content>>).unwrap_or_default();
                for text in content.iter().filter_map(|content| content.text.as_deref()) {
                    if !is_told && text.starts_with("<user_info>") {
                        is_told = true;
                        rules(builder, text);
                    }
                }
            }
            "assistant" => line.tool_calls.iter().flatten().for_each(|one| call(builder, one)),
            "system" | "tool_result" | "reasoning" => {}
            kind => builder.unknown(kind),
        }
        Ok(())
    });
}

/// Takes the rules from the first message.
fn rules(builder: &mut Builder, text: &str) {
    let step = builder.last_step();
    let workspace = text.find(WORKSPACE[0]).and_then(|start| {
        let end = text.rfind(WORKSPACE[1])? + WORKSPACE[1].len();
        text.get(start..end)
    });
    let user = text.find(USER[0]).and_then(|start| text.get(start + USER[0].len()..text.rfind(USER[1])?));
    let user = user.and_then(|rules| {
        let (at, _) = rules.match_indices(RULE).nth(OWN_RULES)?;
        rules.get(at..)
    });
    for (name, block) in [("rules of the workspace", workspace), ("rules of the user", user)] {
        if let Some(block) = block {
            let text: Arc<str> = Arc::from(block);
            let given = Given::recorded(Purpose::Instructions, name, None, text.clone());
            builder.give(step, Given { sent: Some(text), ..given });
        }
    }
}

fn call(builder: &mut Builder, call: &Call) {
    let arguments = call.arguments.as_deref().and_then(|json| serde_json::from_str::<Arguments>(json).ok());
    let (kind, name) = match (call.name.as_ref(), arguments) {
        ("read_file", Some(arguments)) => (Kind::Read, arguments.target_file),
        ("search_replace" | "write", Some(arguments)) => (Kind::Edit, arguments.file_path),
        (tool, _) => (Kind::Tool, Some(tool.to_owned())),
    };
    builder.last_step();
    builder.step(None, kind, name);
}
