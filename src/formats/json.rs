//! JSON as `JSON.parse` takes it: strict, without comments. Values have no spans of their own.

use serde_json::Value as Json;

use super::{FormatError, Node, Value};

/// The value of a JSON text.
pub fn parse_json(text: &str) -> Result<Node, FormatError> {
    match serde_json::from_str::<Json>(text) {
        Ok(json) => Ok(node(json, text.len())),
        Err(error) => {
            let line_start = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>();
            let at = (line_start + error.column().saturating_sub(1)).min(text.len());
            // The position is said by who asks for it.
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default().to_owned();
            Err(FormatError { at: at..at, message })
        }
    }
}

fn node(json: Json, len: usize) -> Node {
    let value = match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(value),
        Json::Number(number) => match number.as_i64() {
            Some(value) => Value::Integer(value),
            None => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => Value::Text(text),
        Json::Array(list) => Value::List(list.into_iter().map(|json| node(json, len)).collect()),
        Json::Object(entries) => Value::Table(entries.into_iter().map(|(key, json)| (key, node(json, len))).collect()),
    };
    Node { at: 0..len, value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_are_errors_with_a_position() {
        assert_eq!(parse_json("{\"a\": [1]}").map(|node| node.get("a").is_some()), Ok(true));
        let error = parse_json("{\n  // c\n}").expect_err("no JSON");
        assert!(error.with_position("{\n  // c\n}").starts_with("2:"), "{error:?}");
    }
}
