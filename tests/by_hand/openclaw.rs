//! OpenClaw of February 2026. Its settings are put on top of the declaration as a user of the other harness would.

use std::fmt::Write;

use briefing::formats::{Node, Value, parse_json5};

use super::{ByHand, REFUSES};
use crate::world::Case;

const EARLY: ByHand = ByHand {
    declaration: "examples/openclaw/briefing.toml",
    id: "openclaw-2-6",
    cases: "openclaw-2026.2.6",
    edition: "openclaw@2026.2.6 ",
    on_top: settings,
    differs: &[
        ("a_device_is_read", DEVICE),
        ("a_memory_that_leads_nowhere_is_not_there", MEMORY),
        ("a_memory_under_two_names_counts_once", TWICE),
        ("a_pipe_would_be_waited_for", REFUSES),
        ("a_tail_of_nothing_is_everything", SLICE),
        ("a_total_stops_the_client", REFUSES),
        ("a_workspace_that_is_a_file_stops_the_client", REFUSES),
        ("entries_of_agents_stop_the_client", REFUSES),
        ("every_fate_of_a_workspace_file", TWICE),
    ],
    agrees: 30,
};

const LATER: ByHand = ByHand {
    declaration: "examples/openclaw/briefing.toml",
    id: "openclaw-2-19",
    cases: "openclaw-2026.2.19",
    edition: "openclaw@2026.2.19 ",
    on_top: settings,
    differs: &[
        ("a_cut_file_is_cut_again", AGAIN),
        ("a_device_is_read", DEVICE),
        ("a_hundred_and_fifty_thousand_units_are_shared", AGAIN),
        ("a_memory_that_leads_nowhere_is_not_there", MEMORY),
        ("a_memory_under_two_names_counts_once", TWICE),
        ("a_pipe_would_be_waited_for", REFUSES),
        ("a_state_that_cannot_be_read_stops_the_client", REFUSES),
        ("a_tail_of_nothing_is_everything", SLICE),
        ("a_user_that_leads_nowhere_stops_the_client", REFUSES),
        ("a_workspace_that_is_a_file_stops_the_client", REFUSES),
        ("an_announcement_is_cut_to_the_rest", AGAIN),
        ("entries_of_agents_stop_the_client", REFUSES),
        ("every_fate_of_a_workspace_file", TWICE),
        ("half_a_pair_is_counted", "in a declaration, a character that is left out counts for nothing"),
        ("less_than_64_units_left_ends_the_list", REST),
        ("the_total_is_spent_in_order", REST),
        ("three_units_have_no_ellipsis", AGAIN),
        ("what_the_total_leaves_out_is_said", REST),
    ],
    agrees: 29,
};

const DEVICE: &str = "in a declaration, a device is no file";
const MEMORY: &str = "`missing` announces what cannot be read and what is not there alike";
const TWICE: &str = "`dedupe` holds for all files of a declaration, and here it would for the memory alone";
const SLICE: &str = "a tail of no length is the whole text only where `slice(-0)` cuts it";
const AGAIN: &str = "no declaration cuts a text once more that was cut or announced, to an ellipsis at its end";
const REST: &str = "no declaration ends its list while a rest of the limit is left";

#[test]
fn early_openclaw_by_hand_agrees_with_the_edition() {
    EARLY.check();
}

#[test]
fn openclaw_of_two_weeks_later_by_hand_agrees_with_the_edition() {
    LATER.check();
}

/// The sources of the declaration, and the files of each.
const SOURCES: [(&str, &[&str]); 5] = [
    ("agents", &["AGENTS.md"]),
    ("soul", &["SOUL.md"]),
    ("tools", &["TOOLS.md"]),
    ("others", &["IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md"]),
    ("memory", &["MEMORY.md", "memory.md"]),
];

/// What the openclaw.json of a case says, in the words of a declaration.
fn settings(case: &Case) -> Result<String, &'static str> {
    let elsewhere =
        |path: &str| [".clawdbot", ".moltbot", "bot.json", ".env", "hooks/"].iter().any(|part| path.contains(part));
    if case.sections.iter().any(|section| elsewhere(section.words().0)) {
        return Err("other places for settings, and hooks");
    }
    if case.env().keys().any(|name| name.contains("CLAW")) {
        return Err("variables that move the settings");
    }
    if case.all("@settings").any(|(_, json)| json.contains("\"agent\"")) {
        return Err("agents with workspaces of their own");
    }
    let Some((_, text)) = case.all("/h/.openclaw/openclaw.json").next() else { return Ok(String::new()) };
    let Ok(config) = parse_json5(text) else { return Err("settings that stop the client") };
    let mut on_top = String::new();
    for (path, value) in leaves(&config, "") {
        match (path.as_str(), &value.value) {
            ("", _) | ("agents.defaults.skipBootstrap", Value::Bool(_)) => {}
            ("agents.defaults.bootstrapMaxChars", Value::Integer(max @ 1..)) => {
                for (name, _) in SOURCES {
                    let _ = writeln!(on_top, "[[harness.$ID.source]]\nname = \"{name}\"\nlimit = {{ max = {max} }}");
                }
            }
            ("agents.defaults.bootstrapTotalMaxChars", Value::Integer(max @ 1..)) => {
                let _ = writeln!(on_top, "[[harness.$ID.message]]\nname = \"context\"\ntotal = {{ max = {max} }}");
            }
            ("agents.defaults.workspace", Value::Text(workspace)) if !workspace.contains('$') => {
                for (name, files) in SOURCES {
                    let files: Vec<String> = files.iter().map(|file| format!("{workspace}/{file}")).collect();
                    let _ = writeln!(
                        on_top,
                        "[[harness.$ID.source]]\nname = \"{name}\"\nbase = \"cwd\"\nfiles = {files:?}"
                    );
                }
            }
            _ => return Err("settings of OpenClaw, with includes, agents, hooks and a strict schema"),
        }
    }
    Ok(on_top)
}

/// Every value that is no table, by its path.
fn leaves<'n>(node: &'n Node, path: &str) -> Vec<(String, &'n Node)> {
    match &node.value {
        Value::Table(entries) => entries
            .iter()
            .flat_map(|(key, node)| leaves(node, format!("{path}.{key}").trim_start_matches('.')))
            .collect(),
        _ => vec![(path.to_owned(), node)],
    }
}
