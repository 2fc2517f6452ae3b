//! Parses TOML into values with spans.

use toml::de::{DeTable, DeValue};

use crate::glob::gives_up;

use super::{FormatError, Node, Value};

/// Maximum number of tables in a file. The library needs more than a kilobyte for each.
const TABLES_LIMIT: usize = 30_000;

/// Parses a whole TOML file. Fails for a file with so many tables that they would fill the memory.
pub fn parse_toml(text: &str) -> Result<Node, FormatError> {
    if count_tables(text) > TABLES_LIMIT {
        gives_up();
        return Err(FormatError { at: 0..0, message: format!("more than {TABLES_LIMIT} tables") });
    }
    let table = DeTable::parse(text).map_err(|error| problem(&error))?;
    let span = table.span();
    Ok(Node { at: span, value: table_value(table.into_inner()) })
}

/// Counts potential tables: headers, braces, and dots in keys.
fn count_tables(text: &str) -> usize {
    let of_line = |line: &str| {
        let key = line.split_once('=').map_or("", |(key, _)| key);
        usize::from(line.trim_start().starts_with('[')) + line.matches('{').count() + key.matches('.').count()
    };
    // A short text cannot have too many, and nearly all are short.
    if text.len() < TABLES_LIMIT { 0 } else { text.lines().map(of_line).sum() }
}

fn problem(error: &toml::de::Error) -> FormatError {
    FormatError { at: error.span().unwrap_or(0..0), message: error.message().to_owned() }
}

fn table_value(table: DeTable<'_>) -> Value {
    let entries = table.into_iter().map(|(key, value)| {
        let at = value.span();
        (key.into_inner().into_owned(), Node { at, value: convert(value.into_inner()) })
    });
    Value::Table(entries.collect())
}

fn convert(value: DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Value::Integer(number),
            // TOML integers have 64 bits; a larger one becomes a float.
            Err(_) => Value::Float(number.as_str().parse().unwrap_or(f64::NAN)),
        },
        DeValue::Float(number) => Value::Float(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(value) => Value::Bool(value),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Array(list) => {
            let nodes = list.into_iter().map(|item| {
                let at = item.span();
                Node { at, value: convert(item.into_inner()) }
            });
            Value::List(nodes.collect())
        }
        DeValue::Table(table) => table_value(table),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glob::Meter;

    #[test]
    fn a_file_becomes_values_with_spans() {
        let node = parse_toml("a = 1\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n").expect("valid");
        assert_eq!(node.get("a").map(|node| (&node.value, node.at.clone())), Some((&Value::Integer(1), 4..5)));
        assert_eq!(node.at_path(&["projects", "/p", "trust_level"]).and_then(Node::as_text), Some("trusted"));
    }

    #[test]
    fn tables_are_counted_before_they_are_made() {
        let meter = Meter::default();
        for (line, most) in [
            ("[a{}]\n", TABLES_LIMIT),
            ("a{}.b = 1\n", TABLES_LIMIT),
            ("a{} = {}\n", TABLES_LIMIT),
            ("a{} = 1\n", usize::MAX),
        ] {
            let text =
                |count: usize| (0..count).map(|number| line.replacen("{}", &number.to_string(), 1)).collect::<String>();
            assert!(parse_toml(&text(1_000)).is_ok() && !meter.has_given_up());
            assert_eq!(count_tables(&text(TABLES_LIMIT + 1)) > TABLES_LIMIT, most == TABLES_LIMIT, "{line}");
        }
        assert!(parse_toml(&"[[a]]\n".repeat(TABLES_LIMIT + 1)).is_err() && meter.has_given_up());
    }

    #[test]
    fn an_error_says_where() {
        let text = "a = 1\nb = = 2\n";
        let error = parse_toml(text).expect_err("invalid");
        assert!(error.with_position(text).starts_with("2:"), "{error:?}");
    }
}
