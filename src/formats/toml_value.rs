//! TOML, as values with spans.

use toml::de::{DeTable, DeValue};

use super::{FormatError, Node, Value};

/// A whole TOML file.
pub fn parse_toml(text: &str) -> Result<Node, FormatError> {
    let table = DeTable::parse(text).map_err(|error| problem(&error))?;
    let span = table.span();
    Ok(Node { at: span, value: table_value(table.into_inner()) })
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
            // TOML integers are 64 bits wide; a larger one is a number all the same.
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

    #[test]
    fn a_file_becomes_values_with_spans() {
        let node = parse_toml("a = 1\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n").expect("valid");
        assert_eq!(node.get("a").map(|node| (&node.value, node.at.clone())), Some((&Value::Integer(1), 4..5)));
        assert_eq!(node.at_path(&["projects", "/p", "trust_level"]).and_then(Node::as_text), Some("trusted"));
    }

    #[test]
    fn an_error_says_where() {
        let text = "a = 1\nb = = 2\n";
        let error = parse_toml(text).expect_err("invalid");
        assert!(error.with_position(text).starts_with("2:"), "{error:?}");
    }
}
