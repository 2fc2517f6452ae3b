//! Parses YAML as npm's `yaml` 2 does.

use super::{DEPTH_LIMIT, Dialect, FormatError, LOOSE, Node, Value, moved, name_of, parse};

/// Duplicate keys in one table are an error, though a number and an equal text are different keys; tabs must not
/// indent.
pub(super) const NPM: Dialect = Dialect {
    // Within brackets, no plain scalar may start like a block scalar.
    scalar: |text, is_plain, tag| {
        if is_plain && text.starts_with(['|', '>']) { None } else { (LOOSE.scalar)(text, is_plain, tag) }
    },
    name: |key| name(key),
    identity: Some(|key, name| format!("{} {name}", key.kind())),
    ..LOOSE
};

/// Parses YAML as npm's `yaml` does.
pub fn parse_npm_yaml(text: &str) -> Result<Node, FormatError> {
    let is_indented = |line: &str| line.trim_start_matches(' ').starts_with('\t') && !line.trim().is_empty();
    if text.lines().any(is_indented) {
        return Err(FormatError { at: 0..0, message: "a tab as indentation".to_owned() });
    }
    let mut lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    if lines.next().is_some_and(|line| line.trim_end() == "...") {
        // The marker ends an empty document.
        return match lines.next() {
            None => Ok(Node { at: 0..text.len(), value: Value::Null }),
            Some(_) => Err(FormatError { at: 0..0, message: "more than one document".to_owned() }),
        };
    }
    parse_spaced(text)
}

/// Parses the text with a space inserted wherever the parser requires one: npm reads `{a:{b: c}}` as `{a: {b: c}}`.
fn parse_spaced(text: &str) -> Result<Node, FormatError> {
    let (mut spaced, mut spaces) = (text.to_owned(), Vec::new());
    let mut parsed = parse(text, &NPM);
    while let Err(error) = &parsed
        && spaces.len() < DEPTH_LIMIT
        && error.message.starts_with("':' may not precede any of")
        && spaced.get(..=error.at.start).is_some_and(|head| head.ends_with(':'))
    {
        let behind = error.at.start + 1;
        spaces.push(behind);
        spaced.insert(behind, ' ');
        parsed = parse(&spaced, &NPM);
    }
    // In reverse order, since each space was inserted into a text that already had those before it.
    let place = |at: usize| spaces.iter().rev().fold(at, |at, space| at - usize::from(at > *space));
    match parsed {
        Ok(mut node) => {
            moved(&mut node, &place);
            Ok(node)
        }
        Err(error) => Err(FormatError { at: place(error.at.start)..place(error.at.end), ..error }),
    }
}

/// Converts a key to a text: a list or table as written in brackets.
fn name(key: &Value) -> String {
    match key {
        Value::List(list) if list.is_empty() => "[]".to_owned(),
        Value::List(list) => {
            let items: Vec<String> = list.iter().map(|node| word(&node.value)).collect();
            format!("[ {} ]", items.join(", "))
        }
        Value::Table(entries) if entries.is_empty() => "{}".to_owned(),
        Value::Table(entries) => {
            let entry = |(key, node): &(String, Node)| match node.value {
                Value::Null => key.clone(),
                _ => format!("{key}: {}", word(&node.value)),
            };
            format!("{{ {} }}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        key => name_of(key).unwrap_or_default(),
    }
}

fn word(value: &Value) -> String {
    if matches!(value, Value::Null) { "null".to_owned() } else { name(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_where_they_are_written_though_brackets_want_no_space() {
        let yaml = "m: {a:{b:[é]},\n  c: d}";
        let node = parse_npm_yaml(yaml).expect("YAML");
        let written = |keys: &[&str]| node.at_path(keys).map(|node| &yaml[node.at.clone()]);
        assert_eq!(written(&["m", "a", "b"]), Some("[é]"));
        assert_eq!(written(&["m", "c"]), Some("d"));
        assert_eq!(written(&["m"]), Some("{a:{b:[é]},\n  c: d}"));
    }

    #[test]
    fn npm_wants_no_space_before_a_bracket_and_no_second_document() {
        // Recorded from the package yaml 2.9.1.
        let value = |yaml: &str| parse_npm_yaml(yaml).ok()?.at_path(&["m", "a", "b"]).map(|node| node.value.clone());
        assert_eq!(value("m: {a:{b: 1}}"), Some(Value::Integer(1)));
        assert!(matches!(value("m: {a: {b:[1]}}\n...\n# c"), Some(Value::List(_))));
        assert_eq!(value("...\nm: {a: {b: 1}}"), None);
        assert_eq!(value("m: {a: {b: 1}}\n...\nn: 1"), None);
        for yaml in ["m: [|, a]", "m: a\nm: b"] {
            assert!(parse_npm_yaml(yaml).is_err(), "{yaml}");
        }
        let name = |yaml: &str| Some(parse_npm_yaml(yaml).ok()?.as_table()?[0].0.clone());
        for (yaml, key) in [("{a, b: 1}: x", "{ a, b: 1 }"), ("[a]: x", "[ a ]"), (".NaN: x", "NaN")] {
            assert_eq!(name(yaml).as_deref(), Some(key), "{yaml}");
        }
    }
}
