//! Parses YAML as Claude Code does, which retries invalid front matter with quoted values: `globs: **/*.ts` is common.

use super::{Node, Value, parse_yaml};

/// Parses like `parse_yaml`. On failure retries with every value quoted that contains special characters, as Claude
/// Code does; `None` if that fails as well.
pub fn parse_leniently(text: &str) -> Option<Node> {
    let parsed = |text: &str| parse_yaml(text.trim_start_matches('\t')).ok();
    let found = parsed(text).or_else(|| parsed(&plain(text.trim_start_matches('\t'))));
    found.or_else(|| parsed(&quoted(text))).map(with_merges)
}

/// Adds the keys of tables under `<<`, unless they exist already.
pub fn with_merges(mut node: Node) -> Node {
    let Value::Table(entries) = &mut node.value else { return node };
    let merges: Vec<Node> = entries.extract_if(.., |(key, _)| key == "<<").map(|(_, node)| node).collect();
    let tables = merges.into_iter().flat_map(|node| match node.value {
        Value::List(list) => list,
        _ => vec![node],
    });
    for table in tables {
        let Value::Table(more) = table.value else { continue };
        for (key, value) in more {
            if !entries.iter().any(|(known, _)| *known == key) {
                entries.push((key, value));
            }
        }
    }
    node
}

/// Rewrites what Claude Code's parser accepts and ours does not: tabs after the colon of a plain value and before the
/// hyphen of an item, and tags that contain a comma or a star, as in `!a.ts, b.ts`.
fn plain(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let bare = line.trim_start_matches('\t');
        let line = if bare.starts_with("- ") && bare.len() < line.len() { format!(" {bare}") } else { line.to_owned() };
        let value = line.find(":\t").or_else(|| line.find(": ")).map(|at| at + 1);
        let Some(at) = value.or_else(|| line.find("- ").map(|at| at + 1)) else { return line };
        let value = line[at..].trim_start_matches(['\t', ' ']);
        let tagged = value.strip_prefix('!').and_then(|rest| rest.split_once(' '));
        let untagged = tagged.filter(|(tag, _)| !tag.contains(['!', '{', '['])).map(|(_, value)| value.trim_start());
        let value = match untagged {
            // After a tag, a star is not an alias.
            Some(value) if value.starts_with('*') => in_quotes(value),
            _ => untagged.unwrap_or(value).to_owned(),
        };
        format!("{} {value}", &line[..at])
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Quotes the value of every line `key: value` if it contains characters that are special in YAML.
fn quoted(text: &str) -> String {
    let lines = text.split('\n').map(|line| match entry(line) {
        Some((key, value)) if wants_quotes(value) => {
            format!("{key}: {}", in_quotes(value))
        }
        Some(_) | None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn in_quotes(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Returns the key and value of a line that has both. A carriage return anywhere in the value prevents the match.
fn entry(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let named = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'));
    let trimmed = value.trim_start_matches(crate::text::is_js_space);
    let single = !trimmed.is_empty() && !trimmed.contains(['\r', '\u{2028}', '\u{2029}']);
    (named && single && trimmed.len() < value.len()).then_some((key, trimmed))
}

fn wants_quotes(value: &str) -> bool {
    let enclosed = |open: char, close: char| value.starts_with(open) && value.ends_with(close);
    if enclosed('"', '"') || enclosed('\'', '\'') || (enclosed('[', ']') && parse_yaml(value).is_ok()) {
        return false;
    }
    value.contains(['{', '}', '[', ']', '*', '&', '#', '!', '|', '>', '%', '@', '`'])
        || value.contains(": ")
        || value.starts_with(',')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Option<Value> {
        parse_leniently(text)?.get("paths").map(|node| node.value.clone())
    }

    #[test]
    fn a_second_attempt_quotes_what_is_special() {
        let text = |value: &str| Some(Value::Text(value.to_owned()));
        for (yaml, value) in [
            ("paths: **/*.ts", text("**/*.ts")),
            ("x: a: b\npaths: y", text("y")),
            ("x: *a\npaths: y # z", text("y # z")),
            ("paths: \"*.js", text("\"*.js")),
            ("\tpaths: x", text("x")),
            ("\tpaths: *.js", None),
            ("paths: \u{feff}x", text("\u{feff}x")),
            ("paths: 'x", None),
            ("- *a\npaths: y", None),
            ("paths: x\npaths: y", text("y")),
        ] {
            assert_eq!(paths(yaml), value, "{yaml}");
        }
    }
}
