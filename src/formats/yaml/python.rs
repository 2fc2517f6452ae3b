//! Parses YAML as PyYAML's `safe_load` does: the types of YAML 1.1, where `yes` and `on` are booleans and a number with
//! an exponent needs a point.

use saphyr_parser::Tag;

use super::lenient::with_merges;
use super::{Dialect, FormatError, LOOSE, Node, Value, parse};

const PYTHON: Dialect = Dialect {
    scalar: value,
    allows: |tag| tag.is_yaml_core_schema(),
    finished: |node| Some(with_merges(node)),
    ..LOOSE
};

/// Parses YAML as PyYAML's `safe_load` does.
pub fn parse_python_yaml(text: &str) -> Result<Node, FormatError> {
    parse(text, &PYTHON)
}

/// Returns the value of a scalar; `None` if its tag is not known.
fn value(text: &str, is_plain: bool, tag: Option<&Tag>) -> Option<Value> {
    match tag {
        None if is_plain => Some(plain_value(text)),
        None => Some(Value::Text(text.to_owned())),
        Some(tag) if !tag.is_yaml_core_schema() => None,
        Some(tag) if tag.suffix == "str" => Some(Value::Text(text.to_owned())),
        Some(_) => Some(plain_value(text)),
    }
}

fn plain_value(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Value::Bool(true),
        "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Value::Bool(false),
        _ => {
            let (is_negative, digits) = match text.strip_prefix('-') {
                Some(digits) => (true, digits),
                None => (false, text.strip_prefix('+').unwrap_or(text)),
            };
            let is_signed = digits.len() < text.len();
            match integer(digits).or_else(|| float(digits, is_signed)) {
                Some(Value::Integer(number)) => Value::Integer(if is_negative { -number } else { number }),
                Some(Value::Float(number)) => Value::Float(if is_negative { -number } else { number }),
                _ => Value::Text(text.to_owned()),
            }
        }
    }
}

/// Parses an integer without its sign, in base ten, two, eight (`017`), sixteen or sixty (`1:30`), with underscores.
/// One that is too large for Rust becomes a float.
fn integer(digits: &str) -> Option<Value> {
    let whole = |digits: &str, base: u32| {
        let is_digit = |c: char| c == '_' || c.is_digit(base);
        let bare: String = digits.chars().filter(|c| *c != '_').collect();
        (digits.chars().all(is_digit) && !bare.is_empty()).then(|| match i64::from_str_radix(&bare, base) {
            Ok(number) => Value::Integer(number),
            Err(_) => Value::Float(f64::MAX),
        })
    };
    if let Some((base, digits)) = digits
        .strip_prefix("0b")
        .map(|digits| (2, digits))
        .or_else(|| digits.strip_prefix("0x").map(|digits| (16, digits)))
    {
        return whole(digits, base);
    }
    match digits.as_bytes() {
        [b'0', ..] => whole(digits, 8),
        [b'1'..=b'9', ..] => match digits.split_once(':') {
            None => whole(digits, 10),
            Some((first, others)) => {
                let Value::Integer(first) = whole(first, 10)? else { return None };
                let sum =
                    others.split(':').try_fold(first, |sum, part| sum.checked_mul(60)?.checked_add(sixtieth(part)?));
                sum.map(Value::Integer)
            }
        },
        _ => None,
    }
}

fn sixtieth(part: &str) -> Option<i64> {
    let fits = matches!(part.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']);
    fits.then(|| part.parse().ok()).flatten()
}

/// Parses a number with a point, or an infinite one, without its sign.
fn float(digits: &str, is_signed: bool) -> Option<Value> {
    match digits {
        ".inf" | ".Inf" | ".INF" => return Some(Value::Float(f64::INFINITY)),
        ".nan" | ".NaN" | ".NAN" if !is_signed => return Some(Value::Float(f64::NAN)),
        _ => {}
    }
    let (whole, behind) = digits.split_once('.')?;
    let (fraction, exponent) = behind.split_once(['e', 'E']).map_or((behind, None), |(a, b)| (a, Some(b)));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let begins = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    // An exponent must have a sign.
    let is_exponent = |text: &str| {
        text.strip_prefix(['+', '-']).is_some_and(|rest| begins(rest) && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if !exponent.is_none_or(is_exponent) || !is_number(fraction) {
        return None;
    }
    if let Some((first, others)) = whole.split_once(':').filter(|_| exponent.is_none()) {
        let first: i64 = first.replace('_', "").parse().ok().filter(|_| begins(first))?;
        let sum = others.split(':').try_fold(first, |sum, part| sum.checked_mul(60)?.checked_add(sixtieth(part)?))?;
        let fraction: f64 = format!("0.{fraction}0").replace('_', "").parse().ok()?;
        return Some(Value::Float(sum as f64 + fraction));
    }
    let fits = if whole.is_empty() { begins(fraction) && !is_signed } else { begins(whole) && is_number(whole) };
    let written = format!("0{whole}.{fraction}0e{}", exponent.unwrap_or("0")).replace('_', "");
    fits.then(|| written.parse().ok().map(Value::Float)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_what_pyyaml_makes_of_them() {
        let value =
            |yaml: &str| parse_python_yaml(&format!("a: {yaml}\n")).ok()?.get("a").map(|node| node.value.clone());
        let integers = [("010", 8), ("0b11", 3), ("0x1F", 31), ("1_000", 1000), ("1:30", 90), ("-5", -5), ("+5", 5)];
        for (yaml, number) in integers {
            assert_eq!(value(yaml), Some(Value::Integer(number)), "{yaml}");
        }
        for (yaml, number) in
            [("1.e+2", 100.0), ("1.5e+1", 15.0), ("1_0.5", 10.5), (".5", 0.5), ("1:30.5", 90.5), ("-1.", -1.0)]
        {
            assert_eq!(value(yaml), Some(Value::Float(number)), "{yaml}");
        }
        for yaml in ["1e2", "1.5e1", "-.5", "0o10", "08", "1:60", "_1", "y", "tRUE", "'5'", "!!str 5"] {
            assert!(matches!(value(yaml), Some(Value::Text(_))), "{yaml}: {:?}", value(yaml));
        }
        assert_eq!(value("yes"), Some(Value::Bool(true)));
        assert_eq!(value("OFF"), Some(Value::Bool(false)));
        assert_eq!(value("!x 5"), None);
    }
}
