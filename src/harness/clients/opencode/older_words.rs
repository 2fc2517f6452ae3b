//! Older forms of permissions, converted to `permission`: `tools`, a single action, and a variable.

use super::merge::{merge, set_all};
use crate::formats::{Node, Value, parse_json};
use crate::search::Search;

/// Converts the permissions in the settings of one file.
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

/// Converts the permissions of one agent: its `tools` become permissions, which its `permission` overrides.
pub(super) fn of_agent(agent: &mut Node) {
    let mut permissions = agent.get("tools").map(of_tools).unwrap_or_default();
    let Value::Table(entries) = &mut agent.value else { return };
    for (_, own) in entries.extract_if(.., |(key, _)| key == "permission") {
        let mut own = own;
        of_text(&mut own);
        let Value::Table(own) = own.value else { continue };
        set_all(&mut permissions, own);
    }
    if !permissions.is_empty() {
        entries.push(("permission".to_owned(), Node { at: 0..0, value: Value::Table(permissions) }));
    }
}

/// Completes the merged settings with the permissions of the environment, and with `tools` where no permission is set.
pub(super) fn complete(settings: &mut Node, variable: &str, search: &Search) {
    let in_permission = |value| Node { at: 0..0, value: Value::Table(vec![("permission".to_owned(), value)]) };
    let variable = search.env(variable).and_then(|text| parse_json(&text).ok());
    if let Some(permission) = variable.filter(|node| matches!(node.value, Value::Table(_))) {
        merge(settings, in_permission(permission));
    }
    let tools = settings.get("tools").map(of_tools).unwrap_or_default();
    if !tools.is_empty() {
        let mut permission = in_permission(Node { at: 0..0, value: Value::Table(tools) });
        let configured = settings.get("permission").cloned();
        configured.into_iter().for_each(|value| merge(&mut permission, in_permission(value)));
        let Value::Table(entries) = &mut settings.value else { return };
        entries.retain(|(key, _)| key != "permission");
        merge(settings, permission);
    }
}

/// Converts `"deny"` to `{"*": "deny"}`.
fn of_text(permission: &mut Node) {
    if let Value::Text(_) = permission.value {
        let action = std::mem::replace(&mut permission.value, Value::Null);
        permission.value = Value::Table(vec![("*".to_owned(), Node { at: permission.at.clone(), value: action })]);
    }
}

/// Converts `{"write": false}` to `{"edit": "deny"}`.
fn of_tools(tools: &Node) -> Vec<(String, Node)> {
    let permission = |(tool, flag): &(String, Node)| {
        let tool = if ["write", "edit", "patch"].contains(&tool.as_str()) { "edit" } else { tool };
        let action = if flag.as_bool() == Some(true) { "allow" } else { "deny" };
        (tool.to_owned(), Node { at: flag.at.clone(), value: Value::Text(action.to_owned()) })
    };
    let mut permissions = Vec::new();
    set_all(&mut permissions, tools.as_table().unwrap_or_default().iter().map(permission));
    permissions
}
