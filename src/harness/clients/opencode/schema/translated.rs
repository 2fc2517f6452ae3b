//! Forms of settings from the next generation of OpenCode, which 1.18 translates before it checks them. Taken from the
//! client 1.18.33 (`ConfigV2Compat`). Values that cannot be translated are kept, or dropped if they are in a new place.

use std::collections::HashSet;

use super::v1_18::SERVERS;
use super::{
    Any, Either, Field, Flag, Keys, MODE, Map, POSITIVE, TEXT_MAP, TEXTS, Text, Type, Words, may, must, wrong,
};
use crate::formats::{Node, Value};

const PERMISSIONS: &str =
    "V2 permissions are not supported by OpenCode V1. Use V1 \"permission\" rules or run opencode2.";

const TIMEOUT_PARTS: [&str; 3] = ["startup", "catalog", "execution"];
const TIMEOUT: Type = Keys(&[&[may("startup catalog execution", &POSITIVE)]]);

/// New names of an OAuth login's keys, if they differ.
const OAUTH_KEYS: [&str; 4] = ["client_id", "client_secret", "callback_port", "redirect_uri"];

const COMMON: &[Field] = &[may("disabled codemode", &Flag), may("timeout", &TIMEOUT)];
const MCP_SERVER: Type = Either(&[
    Keys(&[
        &[must("type", &Words(&["local"])), must("command", &TEXTS), may("cwd", &Text), may("environment", &TEXT_MAP)],
        COMMON,
    ]),
    Keys(&[
        &[must("type", &Words(&["remote"])), must("url", &Text), may("headers", &TEXT_MAP), may("oauth", &OAUTH)],
        COMMON,
    ]),
]);
const OAUTH: Type = Either(&[
    Type::False,
    Keys(&[&[may("client_id client_secret scope redirect_uri", &Text), may("callback_port", &POSITIVE)]]),
]);

const AGENT: Type = Keys(&[&[
    may("model", &Either(&[Text, Keys(&[&[must("providerID model", &Text)]])])),
    may("request", &Keys(&[&[may("headers", &TEXT_MAP), may("body", &Map(&Any))]])),
    may("system description", &Text),
    may("mode", &MODE),
    may("hidden disabled", &Flag),
    may("color", &Type::Color),
    may("steps", &POSITIVE),
]]);

/// Translates settings; fails if they contain something that has no translation and stops the client.
pub(in crate::harness::clients::opencode) fn translate(node: &mut Node) -> Result<(), String> {
    let Value::Table(entries) = &mut node.value else { return Ok(()) };
    refuse_permissions(entries)?;
    let agents = entries.iter().find(|(key, _)| key == "agents").and_then(|(_, agents)| agents.as_table());
    let agents: Vec<(String, Node)> = agents.unwrap_or_default().iter().filter_map(agent).collect();
    add_agents(agents, entries);
    for (key, node) in entries {
        match (key.as_str(), &mut node.value) {
            ("model", _) => model(node),
            ("skills", Value::List(_)) => skills(node),
            ("mcp", Value::Table(servers)) => mcp(servers),
            ("lsp", Value::Table(servers)) => {
                servers.retain(|(name, server)| SERVERS.knows(name) || !is_without_extensions(server));
            }
            _ => {}
        }
    }
    Ok(())
}

fn refuse_permissions(entries: &[(String, Node)]) -> Result<(), String> {
    for key in ["agents", "agent", "mode"] {
        let agents = entries.iter().find(|(known, _)| known == key).and_then(|(_, node)| node.as_table());
        for (name, agent) in agents.unwrap_or_default() {
            if agent.get("permissions").is_some() {
                return Err(format!("`{key}.{name}.permissions`: {PERMISSIONS}"));
            }
        }
    }
    if entries.iter().any(|(key, _)| key == "permissions") {
        return Err(format!("`permissions`: {PERMISSIONS}"));
    }
    Ok(())
}

/// Converts an agent from the new form to the old one.
fn agent((name, node): &(String, Node)) -> Option<(String, Node)> {
    if wrong(node, &AGENT).is_some() {
        return None;
    }
    let renamed = |(key, node): &(String, Node)| {
        let key = match key.as_str() {
            "system" => "prompt",
            "disabled" => "disable",
            "description" | "mode" | "hidden" | "color" | "steps" => key,
            _ => return None,
        };
        Some((key.to_owned(), node.clone()))
    };
    let entries = node.as_table().unwrap_or_default().iter().filter_map(renamed).collect();
    Some((name.clone(), Node { at: node.at.clone(), value: Value::Table(entries) }))
}

/// Adds converted agents. Agents in the old form win over new ones of the same name.
fn add_agents(agents: Vec<(String, Node)>, entries: &mut Vec<(String, Node)>) {
    match entries.iter_mut().find(|(key, _)| key == "agent") {
        Some((_, Node { value: Value::Table(known), .. })) => {
            let mut names: HashSet<String> = known.iter().map(|(name, _)| name.clone()).collect();
            known.extend(agents.into_iter().filter(|(name, _)| names.insert(name.clone())));
        }
        Some(_) => {}
        None if agents.is_empty() => {}
        None => entries.push(("agent".to_owned(), Node { at: 0..0, value: Value::Table(agents) })),
    }
}

fn model(node: &mut Node) {
    let part = |key: &str| node.get(key).and_then(Node::as_text);
    let model = match &node.value {
        Value::Table(_) => part("providerID").zip(part("model")).map(|(provider, model)| format!("{provider}/{model}")),
        Value::Text(text) if text.contains('/') => {
            text.split_once('#').filter(|(_, variant)| !variant.is_empty()).map(|(model, _)| model.to_owned())
        }
        _ => None,
    };
    if let Some(model) = model {
        node.value = Value::Text(model);
    }
}

fn skills(node: &mut Node) {
    let Some(texts) = node.as_texts() else { return };
    let is_url = |text: &&str| {
        let text = text.to_ascii_lowercase();
        text.starts_with("http://") || text.starts_with("https://")
    };
    let (urls, paths): (Vec<&str>, Vec<&str>) = texts.into_iter().partition(is_url);
    let list = |texts: Vec<&str>| {
        let texts = texts.into_iter().map(|text| Node { at: 0..0, value: Value::Text(text.to_owned()) });
        Node { at: 0..0, value: Value::List(texts.collect()) }
    };
    node.value = Value::Table(vec![("paths".to_owned(), list(paths)), ("urls".to_owned(), list(urls))]);
}

/// Translates MCP servers, which may be under a key of their own, beside a timeout for all of them.
fn mcp(entries: &mut Vec<(String, Node)>) {
    let of_all = |node: &Node| {
        let parts = node.as_table().unwrap_or_default();
        wrong(node, &TIMEOUT).is_none()
            && !is_server(node)
            && (parts.is_empty() || TIMEOUT_PARTS.iter().any(|part| node.get(part).is_some()))
    };
    entries.retain(|(key, node)| key != "timeout" || !of_all(node));
    let place =
        entries.iter().position(|(key, node)| key == "servers" && node.as_table().is_some() && !is_server(node));
    let servers = place.map(|place| entries.remove(place).1.value);
    for (_, server) in entries.iter_mut() {
        if has_new_keys(server)
            && let Some(translated) = mcp_server(server)
        {
            *server = translated;
        }
    }
    let Some(Value::Table(servers)) = servers else { return };
    for (name, server) in servers {
        if entries.iter().any(|(known, _)| *known == name) {
            continue;
        }
        let is_old = server.get("enabled").and_then(Node::as_bool).is_some() && server.get("disabled").is_none();
        let server = if is_old { Some(server) } else { mcp_server(&server) };
        entries.extend(server.map(|server| (name, server)));
    }
}

/// Returns true if the node is one server, not a table of servers.
fn is_server(node: &Node) -> bool {
    ["type", "enabled"].iter().any(|key| node.get(key).is_some_and(|value| value.as_table().is_none()))
}

fn has_new_keys(server: &Node) -> bool {
    let is_object = |node: &Node| matches!(node.value, Value::Table(_) | Value::List(_) | Value::Null);
    server.get("disabled").is_some()
        || server.get("codemode").is_some()
        || server.get("timeout").is_some_and(is_object)
        || server.get("oauth").is_some_and(|oauth| OAUTH_KEYS.iter().any(|key| oauth.get(key).is_some()))
}

fn mcp_server(server: &Node) -> Option<Node> {
    if wrong(server, &MCP_SERVER).is_some() {
        return None;
    }
    let disabled = server.get("disabled").and_then(Node::as_bool) == Some(true);
    let new = ["disabled", "codemode", "timeout", "oauth"];
    let entries = server.as_table().unwrap_or_default();
    let mut entries: Vec<(String, Node)> =
        entries.iter().filter(|(key, _)| !new.contains(&key.as_str())).cloned().collect();
    if server.get("enabled").is_none() {
        entries.push(("enabled".to_owned(), Node { at: 0..0, value: Value::Bool(!disabled) }));
    }
    Some(Node { at: server.at.clone(), value: Value::Table(entries) })
}

/// Returns true for a custom language server without extensions, which is dropped.
fn is_without_extensions(server: &Node) -> bool {
    wrong(server, &SERVERS.server).is_none()
        && server.get("disabled").and_then(Node::as_bool) != Some(true)
        && server.get("extensions").is_none()
}
