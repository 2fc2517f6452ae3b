//! Parses YAML as Rust's `serde_yaml` 0.9 does, using its maintained fork. Codex and Copilot CLI read YAML this way.

use std::fmt;

use serde::de::{Deserialize, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};
use serde_norway::Value as Yaml;

use super::pairs::{Pair, Style, pairs};
use super::{FormatError, Node, Value};

/// Maximum number of opening brackets. The underlying library visits all open ones at every token, and refuses values
/// nested deeper than 128.
const BRACKET_LIMIT: usize = 10_000;

/// Maximum length of the text with all aliases expanded, in bytes, assuming that each repeats the whole text.
const ALIASED_BYTES_LIMIT: usize = 64 << 20;

/// Parses a whole text. Duplicate keys in one table are an error. Its values have no spans.
pub fn parse_rust_yaml(text: &str) -> Result<Node, FormatError> {
    of_pairs(text).map_or_else(|| parsed(text).map(|Any(yaml)| node(yaml)), Ok)
}

/// Parses lines of `key: value` without the library; `None` if the text contains anything else, or a value that may not
/// be a text.
fn of_pairs(text: &str) -> Option<Node> {
    let entry = |pair: &Pair| {
        let (key, inner) = (&text[pair.key.clone()], pair.inner(text));
        let is_text = pair.style == Style::Quoted || is_word(inner);
        let value = Node { at: 0..0, value: Value::Text(inner.to_owned()) };
        (is_word(key) && is_text).then(|| (key.to_owned(), value))
    };
    let entries = pairs(text)?.iter().map(entry).collect::<Option<_>>()?;
    Some(Node { at: 0..0, value: Value::Table(entries) })
}

/// Returns true if a bare value is certainly a text.
fn is_word(bare: &str) -> bool {
    bare.starts_with(|first: char| first.is_ascii_alphabetic())
        && !["true", "false", "null"].iter().any(|word| bare.eq_ignore_ascii_case(word))
}

/// Parses like [`parse_rust_yaml`], for programs that take only the keys they know, so that other keys may be
/// duplicated. The caller checks those that may not.
pub fn parse_rust_yaml_in_part(text: &str) -> Result<Node, FormatError> {
    parsed(text).map(|Pairs(node)| node)
}

fn parsed<T: for<'de> Deserialize<'de>>(text: &str) -> Result<T, FormatError> {
    let problem = |at: usize, message: String| FormatError { at: at..at, message };
    if let Some((at, _)) = text.match_indices(['[', '{']).nth(BRACKET_LIMIT) {
        return Err(problem(at, "too many brackets".to_owned()));
    }
    // The library limits the number of repetitions, but not their size.
    let aliases =
        || text.match_indices('*').filter(|(at, _)| text[..*at].ends_with([' ', '\t', '\n', '[', ',', '{'])).count();
    if text.contains('&') && aliases() * text.len() > ALIASED_BYTES_LIMIT {
        return Err(problem(0, "too much is repeated".to_owned()));
    }
    serde_norway::from_str(text).map_err(|error| {
        let at = error.location().map_or(0, |place| place.index());
        problem(text.floor_char_boundary(at), error.to_string())
    })
}

/// A value without duplicate keys.
#[derive(serde::Deserialize)]
#[serde(transparent)]
struct Any(Yaml);

fn node(yaml: Yaml) -> Node {
    let value = match yaml {
        Yaml::Null => Value::Null,
        Yaml::Bool(value) => Value::Bool(value),
        Yaml::Number(number) => match number.as_i64() {
            Some(number) => Value::Integer(number),
            None => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Yaml::String(text) => Value::Text(text),
        Yaml::Sequence(list) => Value::List(list.into_iter().map(node).collect()),
        Yaml::Mapping(table) => {
            Value::Table(table.into_iter().map(|(key, value)| (name(node(key)), node(value))).collect())
        }
        // A tag does not prevent use as a text or a list.
        Yaml::Tagged(tagged) => return node(tagged.value),
    };
    Node { at: 0..0, value }
}

/// Converts a key to a text; empty for a list or table.
fn name(key: Node) -> String {
    match key.value {
        Value::Text(text) | Value::Date(text) => text,
        Value::Bool(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Float(value) => value.to_string(),
        Value::Null => "null".to_owned(),
        Value::List(_) | Value::Table(_) => String::new(),
    }
}

/// A value in which keys may be duplicated.
struct Pairs(Node);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Pairs, D::Error> {
        let value = from.deserialize_any(AnyValue)?;
        Ok(Pairs(Node { at: 0..0, value }))
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("YAML")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Integer(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(i64::try_from(number).map_or(Value::Float(number as f64), Value::Integer))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Value::Float(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Pairs(node)) = items.next_element()? {
            list.push(node);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut table = Vec::new();
        while let Some((Pairs(key), Pairs(value))) = entries.next_entry()? {
            table.push((name(key), value));
        }
        Ok(Value::Table(table))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Value, A::Error> {
        let (_, value) = tagged.variant::<String>()?;
        value.newtype_variant::<Pairs>().map(|Pairs(node)| node.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rust_has_types_and_errors_of_its_own() {
        let value = |yaml: &str| parse_rust_yaml(&format!("a: {yaml}\n")).ok()?.get("a").map(|node| node.value.clone());
        let text = |text: &str| Some(Value::Text(text.to_owned()));
        for yaml in ["012", "1_000", "inf", "1e400", "0x", "yes", "0.1.2", "2020-01-01"] {
            assert_eq!(value(yaml), text(yaml), "{yaml}");
        }
        for yaml in ["5", "-5", "0x10", "0o17", ".inf", "-.inf", ".nan", "1.", "!!int 5"] {
            assert!(matches!(value(yaml), Some(Value::Integer(_) | Value::Float(_))), "{yaml}");
        }
        for yaml in ["b\na: c", "{x: 1, x: 2}", "!!int x", "123456789012345678901234567890", "b\u{7f}", "b\u{85}c"] {
            assert_eq!(value(yaml), None, "{yaml}");
        }
        assert!(parse_rust_yaml("\ta: b").is_err(), "a tab indents nothing");
        assert_eq!(value("!!str 5"), text("5"));
        assert_eq!(value("!x b"), text("b"));
        let repeated =
            |times: usize| format!("a: &a \"{}\"\nb: [{}]\n", "y".repeat(20_000), vec!["*a"; times].join(", "));
        assert!(parse_rust_yaml(&repeated(100)).is_ok() && parse_rust_yaml(&repeated(20_000)).is_err());
        assert!(parse_rust_yaml("5: a\n\"5\": b\n").is_ok(), "a number and a text are two keys");
    }

    #[test]
    fn pairs_are_what_the_library_makes_of_them() {
        let mut seen = 0;
        for text in super::super::pairs::tests::texts() {
            let Some(short) = of_pairs(&text) else { continue };
            assert_eq!(Ok(short), parsed(&text).map(|Any(yaml)| node(yaml)), "{text:?}");
            seen += 1;
        }
        assert!(seen > 3_000, "{seen}");
    }

    #[test]
    fn in_part_keys_may_stand_twice() {
        let node = parse_rust_yaml_in_part("a: 1\nb: {c: !x d, c: [e]}\na: 2\n").expect("YAML");
        assert_eq!(node.as_table().map(<[_]>::len), Some(3));
        assert!(node.at_path(&["b", "c"]).and_then(Node::as_texts).is_some_and(|texts| texts == ["e"]));
        assert!(parse_rust_yaml_in_part("a: [").is_err());
    }

    #[test]
    fn absurd_values_are_errors() {
        for yaml in ["[", "- ", "{a: ", "? ", "!x ", "&a [*a, "] {
            assert!(parse_rust_yaml(&yaml.repeat(100_000)).is_err(), "{yaml}");
            assert!(parse_rust_yaml_in_part(&yaml.repeat(100_000)).is_err(), "{yaml}");
        }
    }
}
