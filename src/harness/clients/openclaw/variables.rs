//! Variables in a configuration: those that it sets, and those that it uses.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::formats::{Node, Value};
use crate::search::PutIn;
use crate::text::js_trim;

/// Variables that a configuration sets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Own {
    /// Variables in `env.vars` that are harmless and do not refer to others.
    Vars,
    /// Variables in `env.vars` and all other keys of `env`.
    VarsAndKeys,
}

/// Handling of a variable that is not set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unset {
    /// The reference stays as written.
    Stays,
    /// The client stops.
    Refused,
}

/// Returns the variables that a configuration sets if they are unset.
pub fn own(root: &Node, which: Own) -> BTreeMap<String, String> {
    const BLOCKED: [&str; 5] = ["OPENCLAW_INCLUDE_ROOTS", "OPENCLAW_CONFIG_READONLY", "PATH", "HOME", "NODE_OPTIONS"];
    let table = |path: &[&str]| root.at_path(path).and_then(Node::as_table).unwrap_or_default();
    let texts = |(name, value): &(String, Node)| Some((name.clone(), value.as_text()?.to_owned()));
    let vars = table(&["env", "vars"]).iter().filter_map(texts);
    match which {
        Own::Vars => {
            let usable = |(name, value): &(String, String)| {
                let blocked = BLOCKED.contains(&name.to_ascii_uppercase().as_str());
                !js_trim(value).is_empty() && !blocked && !has_reference(value)
            };
            vars.map(|(name, value)| (name.trim().to_owned(), value)).filter(usable).collect()
        }
        Own::VarsAndKeys => {
            let keys = table(&["env"]).iter().filter_map(texts);
            let keys = keys
                .filter(|(name, value)| !matches!(name.as_str(), "shellEnv" | "vars") && !js_trim(value).is_empty());
            vars.filter(|(_, value)| !value.is_empty()).chain(keys).collect()
        }
    }
}

/// Substitutes the values of variables; fails with the first one that is not set, if the edition refuses that.
pub fn substitute(root: &mut Node, unset: Unset, variable: &dyn Fn(&str) -> Option<String>) -> Result<(), String> {
    let (missing, put_in) = (RefCell::new(None), PutIn::default());
    substitute_in(root, &|name| {
        let value = variable(name).map(|value| if put_in.takes(&value) { value } else { String::new() });
        if value.is_none() {
            missing.borrow_mut().get_or_insert_with(|| name.to_owned());
        }
        value
    });
    match missing.into_inner() {
        Some(name) if unset == Unset::Refused => {
            Err(format!("Missing env var {name:?}, which the configuration uses; set it, or write $${{{name}}}"))
        }
        _ => Ok(()),
    }
}

fn has_reference(text: &str) -> bool {
    let found = std::cell::Cell::new(false);
    replace(text, &|_| {
        found.set(true);
        None
    });
    found.get()
}

fn substitute_in(node: &mut Node, variable: &dyn Fn(&str) -> Option<String>) {
    match &mut node.value {
        Value::Text(text) if text.contains('$') => *text = replace(text, variable),
        Value::List(items) => items.iter_mut().for_each(|item| substitute_in(item, variable)),
        Value::Table(entries) => entries.iter_mut().for_each(|(_, value)| substitute_in(value, variable)),
        _ => {}
    }
}

/// Replaces `${NAME}` with the value, if the name is in capitals and the variable is set, and `$${NAME}` with
/// `${NAME}`.
fn replace(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(dollar) = rest.find('$') {
        out.push_str(&rest[..dollar]);
        rest = &rest[dollar..];
        let (escaped, after) = match rest.strip_prefix("$${") {
            Some(after) => (true, Some(after)),
            None => (false, rest.strip_prefix("${")),
        };
        let name = after.and_then(|after| after.split(|c: char| !is_in_name(c)).next());
        // Only the next character is checked, because a text may open very many braces.
        let is_closed = |name: &&str| after.is_some_and(|after| after[name.len()..].starts_with('}'));
        let name = name.filter(is_closed).filter(|name| is_name(name));
        let Some((name, after)) = name.zip(after) else {
            out.push('$');
            rest = &rest[1..];
            continue;
        };
        match (!escaped).then(|| variable(name)).flatten() {
            Some(value) => out.push_str(&value),
            None => out.push_str(&format!("${{{name}}}")),
        }
        rest = &after[name.len() + 1..];
    }
    out + rest
}

fn is_name(name: &str) -> bool {
    name.chars().all(is_in_name) && name.starts_with(|first: char| !first.is_ascii_digit())
}

fn is_in_name(c: char) -> bool {
    c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_replaced_in_one_form_only() {
        let value = |name: &str| (name == "ONE").then(|| "1".to_owned());
        for (text, expected) in [
            ("a${ONE}b", "a1b"),
            ("$${ONE}", "${ONE}"),
            ("${NONE}", "${NONE}"),
            ("${one} $ONE ${} $", "${one} $ONE ${} $"),
            ("${ONE", "${ONE"),
            ("${ONE ${ONE}${", "${ONE 1${"),
            ("$$${ONE}", "$${ONE}"),
        ] {
            assert_eq!(replace(text, &value), expected, "{text}");
        }
    }
}
