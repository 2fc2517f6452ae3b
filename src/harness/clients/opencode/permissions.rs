//! Permissions of an agent, as far as they decide which skills are listed: a list of rules, of which the last match
//! wins.

use super::brand::Brand;
use super::config::Config;
use super::natives::Skills;
use crate::formats::{Node, Value};

struct Rule<'a> {
    tool: &'a str,
    pattern: &'a str,
    action: &'a str,
}

/// The rules for an agent.
pub(super) struct Rules<'a>(Vec<Rule<'a>>);

impl<'a> Rules<'a> {
    /// Collects the agent's built-in rules, then those of the settings for all agents, then those for this agent.
    pub fn of(brand: &Brand, agent: &str, config: &'a Config) -> Rules<'a> {
        let mut rules = Vec::new();
        if brand.agents.iter().any(|native| native.name == agent && native.skills == Skills::Denied) {
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

    /// Returns true if a tool is removed entirely.
    pub fn take_away(&self, tool: &str) -> bool {
        let last = self.0.iter().rev().find(|rule| fits(rule.tool, tool));
        last.is_some_and(|rule| rule.pattern == "*" && rule.action == "deny")
    }

    /// Returns true if a tool must not be used for this name.
    pub fn deny(&self, tool: &str, name: &str) -> bool {
        let last = self.0.iter().rev().find(|rule| fits(rule.tool, tool) && fits(rule.pattern, name));
        last.is_some_and(|rule| rule.action == "deny")
    }
}

/// Matches OpenCode's wildcards: `*` matches anything, `?` one UTF-16 unit, and a trailing ` *` may be absent.
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
