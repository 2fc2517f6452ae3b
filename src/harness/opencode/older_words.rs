//! Older forms of permissions, rewritten as `permission`: `tools`, an action alone, and a variable.

use super::merge::merge;
use crate::formats::{Node, Value, parse_json};
use crate::search::Search;

/// Rewrites the permissions in the settings of one file.
pub(super) fn in_todays_words(settings: &mut Node) {
    let Value::Table(entries) = &mut settings.value else { return };
    for (key, node) in entries.iter_mut() {
        match (key.as_str(), &mut node.value) {
            ("agent" | "mode", Value::Table(agents)) => agents.iter_mut().for_each(|(_, agent)| of_agent(agent)),
            ("permission", _) => of_text(node),
            _ => {}
        }
    }
}

/// The same for one agent: its `tools` are permissions as well, which its `permission` overrules.
pub(super) fn of_agent(agent: &mut Node) {
    let mut permissions = agent.get("tools").map(of_tools).unwrap_or_default();
    let Value::Table(entries) = &mut agent.value else { return };
    for (_, own) in entries.extract_if(.., |(key, _)| key == "permission") {
        let mut own = own;
        of_text(&mut own);
        let Value::Table(own) = own.value else { continue };
        own.into_iter().for_each(|(tool, rule)| set(&mut permissions, tool, rule));
    }
    if !permissions.is_empty() {
        entries.push(("permission".to_owned(), Node { at: 0..0, value: Value::Table(permissions) }));
    }
}

/// What is added once all layers are merged: the permissions of the environment, and `tools` where nothing else is said.
pub(super) fn complete(settings: &mut Node, variable: &str, search: &Search) {
    let in_permission = |value| Node { at: 0..0, value: Value::Table(vec![("permission".to_owned(), value)]) };
    let variable = search.env(variable).and_then(|text| parse_json(&text).ok());
    if let Some(permission) = variable.filter(|node| matches!(node.value, Value::Table(_))) {
        merge(settings, in_permission(permission));
    }
    let tools = settings.get("tools").map(of_tools).unwrap_or_default();
    if !tools.is_empty() {
        let mut permission = in_permission(Node { at: 0..0, value: Value::Table(tools) });
        let said = settings.get("permission").cloned();
        said.into_iter().for_each(|said| merge(&mut permission, in_permission(said)));
        let Value::Table(entries) = &mut settings.value else { return };
        entries.retain(|(key, _)| key != "permission");
        merge(settings, permission);
    }
}

/// `"deny"` is `{"*": "deny"}`.
fn of_text(permission: &mut Node) {
    if let Value::Text(_) = permission.value {
        let action = std::mem::replace(&mut permission.value, Value::Null);
        permission.value = Value::Table(vec![("*".to_owned(), Node { at: permission.at.clone(), value: action })]);
    }
}

/// `{"write": false}` is `{"edit": "deny"}`.
fn of_tools(tools: &Node) -> Vec<(String, Node)> {
    let mut permissions = Vec::new();
    for (tool, flag) in tools.as_table().unwrap_or_default() {
        let tool = if ["write", "edit", "patch"].contains(&tool.as_str()) { "edit" } else { tool };
        let action = if flag.as_bool() == Some(true) { "allow" } else { "deny" };
        set(&mut permissions, tool.to_owned(), Node { at: flag.at.clone(), value: Value::Text(action.to_owned()) });
    }
    permissions
}

/// As JavaScript sets a key: one that is there keeps its place.
fn set(entries: &mut Vec<(String, Node)>, key: String, node: Node) {
    match entries.iter_mut().find(|(known, _)| *known == key) {
        Some((_, known)) => *known = node,
        None => entries.push((key, node)),
    }
}
