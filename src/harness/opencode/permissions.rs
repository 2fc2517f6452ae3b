//! What an agent may do, as far as it decides which skills are listed: rules, of which the last that fits wins.

use super::choice::MAY_DO_LITTLE;
use super::config::{Config, merge};
use crate::formats::{Node, Value, parse_json};
use crate::search::Search;

struct Rule<'a> {
    tool: &'a str,
    pattern: &'a str,
    action: &'a str,
}

/// The rules for an agent.
pub(super) struct Rules<'a>(Vec<Rule<'a>>);

impl<'a> Rules<'a> {
    /// Those that it brings along, then those of the settings for all agents, then its own.
    pub fn of(agent: &str, config: &'a Config) -> Rules<'a> {
        let mut rules = Vec::new();
        if MAY_DO_LITTLE.contains(&agent) {
            rules.push(Rule { tool: "*", pattern: "*", action: "deny" });
        }
        let permissions = [config.get(&["permission"]), config.get(&["agent", agent, "permission"])];
        for (tool, rule) in permissions.into_iter().flatten().filter_map(Node::as_table).flatten() {
            match &rule.value {
                Value::Text(action) => rules.push(Rule { tool, pattern: "*", action }),
                Value::Table(patterns) => rules.extend(
                    patterns
                        .iter()
                        .filter_map(|(pattern, action)| Some(Rule { tool, pattern, action: action.as_text()? })),
                ),
                _ => {}
            }
        }
        Rules(rules)
    }

    /// Whether a tool is taken away altogether.
    pub fn take_away(&self, tool: &str) -> bool {
        let last = self.0.iter().rev().find(|rule| fits(rule.tool, tool));
        last.is_some_and(|rule| rule.pattern == "*" && rule.action == "deny")
    }

    /// Whether a tool may not be used for what has this name.
    pub fn deny(&self, tool: &str, name: &str) -> bool {
        let last = self.0.iter().rev().find(|rule| fits(rule.tool, tool) && fits(rule.pattern, name));
        last.is_some_and(|rule| rule.action == "deny")
    }
}

/// OpenCode's own wildcards: `*` is anything, `?` one UTF-16 unit, and what stands behind a last space may be left out where
/// it is a star.
fn fits(pattern: &str, text: &str) -> bool {
    let whole = |pattern: &str| {
        let text: Vec<u16> = text.replace('\\', "/").encode_utf16().collect();
        let mut reach = vec![false; text.len() + 1];
        reach[0] = true;
        for p in pattern.encode_utf16() {
            let mut next = vec![false; text.len() + 1];
            for at in 0..=text.len() {
                next[at] = match u8::try_from(p) {
                    Ok(b'*') => reach[at] || (at > 0 && next[at - 1]),
                    Ok(b'?') => at > 0 && reach[at - 1],
                    _ => at > 0 && reach[at - 1] && p == text[at - 1],
                };
            }
            reach = next;
        }
        reach[text.len()]
    };
    let pattern = pattern.replace('\\', "/");
    whole(&pattern) || pattern.strip_suffix(" *").is_some_and(whole)
}

/// Puts the older ways to say what an agent may do into today's words, in the settings of one file.
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

/// What the settings of all layers say once more about all agents: the environment, and `tools` for what nothing else says.
pub(super) fn complete(settings: &mut Node, search: &Search) {
    let in_permission = |value| Node { at: 0..0, value: Value::Table(vec![("permission".to_owned(), value)]) };
    let variable = search.env("OPENCODE_PERMISSION").and_then(|text| parse_json(&text).ok());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_opencodes_own() {
        for (pattern, text, fitting) in [
            ("*", "", true),
            ("al*", "alpha", true),
            ("al?", "alpha", false),
            ("g?t", "git", true),
            ("git *", "git", true),
            ("git *", "git push", true),
            ("git *", "gitk", false),
            ("a/b", "a\\b", true),
            ("??", "\u{1f600}", true),
            ("a.c", "abc", false),
        ] {
            assert_eq!(fits(pattern, text), fitting, "{pattern} {text}");
        }
    }
}
