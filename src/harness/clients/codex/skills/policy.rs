//! The file `agents/openai.yaml` beside a SKILL.md, which decides whether the agent may call the skill by itself.

use std::path::Path;

use super::head::{is_scalar, times};
use crate::formats::{Node, Value, parse_rust_yaml_in_part};
use crate::search::{Known, Search};

/// Programs that a skill may be for, in both spellings (Codex 0.169).
const PRODUCTS: [&str; 6] = ["chatgpt", "CHATGPT", "codex", "CODEX", "atlas", "ATLAS"];

/// Returns the reason why the policy keeps a skill from being listed. An invalid file has no effect.
pub(super) fn refusal(skill: &Path, search: &mut Search) -> Known<Option<&'static str>> {
    let path = skill.with_file_name("agents").join("openai.yaml");
    let Ok(raw) = search.read(&path, "whether the agent may call for the skill by itself")? else { return Ok(None) };
    let Some(Ok(file)) = raw.as_text().map(parse_rust_yaml_in_part) else { return Ok(None) };
    if !is_right(&file) {
        return Ok(None);
    }
    let allowed = file.at_path(&["policy", "allow_implicit_invocation"]).and_then(Node::as_bool);
    let products = file.at_path(&["policy", "products"]).and_then(Node::as_texts).unwrap_or_default();
    let is_for_others = !products.is_empty() && !products.iter().any(|product| product.eq_ignore_ascii_case("codex"));
    Ok(match allowed {
        Some(false) => Some("agents/openai.yaml says that only the user can call it"),
        Some(true) | None if is_for_others => Some("agents/openai.yaml says that it is for other programs"),
        Some(true) | None => None,
    })
}

/// Returns true if every key that Codex knows has the right type and occurs once.
fn is_right(file: &Node) -> bool {
    const INTERFACE: [&str; 6] =
        ["display_name", "short_description", "icon_small", "icon_large", "brand_color", "default_prompt"];
    const TOOL: [&str; 6] = ["type", "value", "description", "transport", "command", "url"];
    let is_flag = |node: &Node| matches!(node.value, Value::Null | Value::Bool(_));
    let are_products =
        |node: &Node| node.as_texts().is_some_and(|words| words.iter().all(|word| PRODUCTS.contains(word)));
    let is_interface = |node: &Node| INTERFACE.iter().all(|key| has_once(node, key, &is_scalar));
    let is_tool = |node: &Node| node.as_table().is_some() && TOOL.iter().all(|key| has_once(node, key, &is_scalar));
    let are_tools = |node: &Node| node.as_list().is_some_and(|tools| tools.iter().all(is_tool));
    let is_policy = |node: &Node| {
        has_once(node, "allow_implicit_invocation", &is_flag) && has_once(node, "products", &are_products)
    };
    has_once(file, "interface", &optional(&is_interface))
        && has_once(file, "dependencies", &optional(&|node| has_once(node, "tools", &are_tools)))
        && has_once(file, "policy", &optional(&is_policy))
}

/// Returns true if a key is absent, or occurs once with a valid value.
fn has_once(table: &Node, key: &str, is_right: &dyn Fn(&Node) -> bool) -> bool {
    times(table, key) < 2 && table.get(key).is_none_or(is_right)
}

/// Accepts null, and tables that pass the check.
fn optional(is_right: &dyn Fn(&Node) -> bool) -> impl Fn(&Node) -> bool {
    |node| matches!(node.value, Value::Null) || (node.as_table().is_some() && is_right(node))
}
