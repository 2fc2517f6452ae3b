//! Parses YAML as `js-yaml` 3 does: the types of YAML 1.1, with numbers in bases two, eight and sixty, and times.

use saphyr_parser::Tag;

use super::lenient::with_merges;
use super::{Dialect, FormatError, Node, Value, built, moved, name_of};

/// The types of YAML 1.1; keys become texts, and duplicates are an error.
pub(super) const JS_YAML: Dialect = Dialect {
    scalar: value,
    allows: is_known,
    name,
    identity: Some(|_, name| name.to_owned()),
    finished: |node| are_merges_tables(&node).then(|| with_merges(node)),
};

/// Parses YAML as `js-yaml` 3 in gray-matter does: the types of YAML 1.1, no duplicate keys, only known tags; a tab
/// before a key is ignored.
pub fn parse_js_yaml(text: &str) -> Result<Node, FormatError> {
    refuse_unprintable(text)?;
    let parsed = |text: &str| built(text, &JS_YAML);
    if !text.contains('\t') {
        return parsed(text);
    }
    let spaced = without_tabs(text);
    let ends = |text: &str| text.match_indices('\n').map(|(at, _)| at).chain([text.len()]).collect::<Vec<_>>();
    match parsed(&spaced) {
        Ok(mut node) => {
            // Only the starts of lines were altered, so positions keep their distance from the end of the line.
            let (from, to) = (ends(&spaced), ends(text));
            moved(&mut node, &|at| {
                let line = from.partition_point(|end| *end < at).min(from.len() - 1);
                to[line].saturating_sub(from[line].saturating_sub(at))
            });
            Ok(node)
        }
        Err(_) => parsed(text),
    }
}

/// Rejects control characters and the noncharacters U+FFFE and U+FFFF.
fn refuse_unprintable(text: &str) -> Result<(), FormatError> {
    let unprintable = |c: char| matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}');
    match text.find(unprintable) {
        Some(at) => Err(FormatError { at: at..at, message: "a control character".to_owned() }),
        None => Ok(()),
    }
}

/// Removes tabs that indent. On the first line of a list or table, a tab indents like a space; on other lines, tabs are
/// ignored. After a colon, a tab becomes a space. Block scalars (`|` and `>`) are kept.
fn without_tabs(text: &str) -> String {
    let (mut opens, mut block) = (false, None);
    let lines = text.split('\n').map(|line| {
        let spaces = line.len() - line.trim_start_matches(' ').len();
        let bare = line[spaces..].trim_start_matches('\t');
        let written = bare.trim_end();
        if block.is_some_and(|indent| written.is_empty() || spaces > indent) {
            return line.to_owned();
        }
        block = None;
        let indent = if opens { line.len() - bare.len() } else { spaces };
        if !written.is_empty() && !written.starts_with('#') {
            opens = written.ends_with(':');
            block = begins_block(written).then_some(indent);
        }
        format!("{}{}", " ".repeat(indent), bare.replace(":\t", ": "))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns true if a line ends with the header of a block scalar, such as `|-`.
fn begins_block(line: &str) -> bool {
    let line = line.trim_end_matches(|c: char| matches!(c, '+' | '-') || c.is_ascii_digit());
    line.strip_suffix(['|', '>']).is_some_and(|rest| rest.is_empty() || rest.ends_with([' ', '\t']))
}

fn are_merges_tables(node: &Node) -> bool {
    let is_table = |node: &Node| matches!(node.value, Value::Table(_));
    let merges = node.as_table().into_iter().flatten().filter(|(key, _)| key == "<<");
    merges.into_iter().all(|(_, node)| is_table(node) || node.as_list().is_some_and(|list| list.iter().all(is_table)))
}

/// Converts a key to a text.
fn name(key: &Value) -> String {
    let word = |node: &Node| if matches!(node.value, Value::Null) { String::new() } else { name(&node.value) };
    match key {
        Value::Null => "null".to_owned(),
        Value::List(list) => list.iter().map(word).collect::<Vec<_>>().join(","),
        Value::Table(_) => "[object Object]".to_owned(),
        key => name_of(key).unwrap_or_default(),
    }
}

/// Returns the value of a scalar; `None` if its tag does not allow it.
fn value(text: &str, plain: bool, tag: Option<&Tag>) -> Option<Value> {
    if plain && text.starts_with(['|', '>']) {
        // Within brackets, no plain scalar may start like a block scalar.
        return None;
    }
    let Some(tag) = tag.filter(|tag| !is_unspecific(tag)) else {
        return Some(if plain && (tag.is_none() || text.is_empty()) {
            plain_value(text)
        } else {
            Value::Text(text.to_owned())
        });
    };
    if !tag.is_yaml_core_schema() {
        return None;
    }
    match (tag.suffix.as_str(), plain_value(text)) {
        ("str", _) => Some(Value::Text(text.to_owned())),
        // Binary data is not text.
        ("binary", _) => Some(Value::List(Vec::new())),
        ("null", value @ Value::Null)
        | ("bool", value @ Value::Bool(_))
        | ("int", value @ Value::Integer(_))
        | ("float", value @ (Value::Integer(_) | Value::Float(_)))
        | ("timestamp", value @ Value::Date(_)) => Some(value),
        _ => None,
    }
}

/// Returns true if a list or table may have the tag.
fn is_known(tag: &Tag) -> bool {
    let collections = ["seq", "map", "omap", "pairs", "set"];
    is_unspecific(tag) || (tag.is_yaml_core_schema() && collections.contains(&tag.suffix.as_str()))
}

/// Returns true for a lone `!`, which makes any scalar a text.
fn is_unspecific(tag: &Tag) -> bool {
    tag.handle.is_empty() && tag.suffix == "!" || tag.handle == "!" && tag.suffix.is_empty()
}

fn plain_value(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => {
            let number = || integer(text).or_else(|| float(text));
            number().unwrap_or_else(|| match is_time(text) {
                true => Value::Date(text.to_owned()),
                false => Value::Text(text.to_owned()),
            })
        }
    }
}

/// Parses an integer in base ten, two, eight (`017`), sixteen or sixty (`1:30`), with underscores.
fn integer(text: &str) -> Option<Value> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let whole = |digits: &str, base: u32| {
        let digits: String = digits.chars().filter(|c| *c != '_').collect();
        // A sign may only be the first character.
        let fits = digits.chars().all(|c| c.is_digit(base)).then(|| i128::from_str_radix(&digits, base).ok())?;
        Some(number(fits? as f64 * if negative { -1.0 } else { 1.0 }))
    };
    if digits.ends_with('_') {
        return None;
    }
    if let Some(binary) = digits.strip_prefix("0b") {
        return whole(binary, 2);
    }
    if let Some(hexadecimal) = digits.strip_prefix("0x") {
        return whole(hexadecimal, 16);
    }
    if let Some(octal) = digits.strip_prefix('0').filter(|octal| !octal.is_empty()) {
        return whole(octal, 8);
    }
    if digits.starts_with('_') {
        return None;
    }
    let Some((first, others)) = digits.split_once(':') else { return whole(digits, 10) };
    let in_sixties =
        |sum: f64, part: &str| is_sixtieth(part).then(|| part.parse::<f64>().ok()).flatten().map(|n| sum * 60.0 + n);
    let Value::Integer(first) = whole(first, 10)? else { return None };
    others.split(':').try_fold(first as f64, in_sixties).map(number)
}

fn is_sixtieth(part: &str) -> bool {
    match part.as_bytes() {
        [digit] => digit.is_ascii_digit(),
        [ten, digit] => (b'0'..=b'5').contains(ten) && digit.is_ascii_digit(),
        _ => false,
    }
}

/// Converts a JavaScript number; whole numbers become integers.
fn number(value: f64) -> Value {
    // Up to this value every whole number has its own float.
    let exact = value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_991.0;
    if exact { Value::Integer(value as i64) } else { Value::Float(value) }
}

/// Parses a number with a fraction or an exponent, or an infinite one.
fn float(text: &str) -> Option<Value> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return Some(Value::Float(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY }));
    }
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Some(Value::Float(f64::NAN));
    }
    if text.ends_with('_') {
        return None;
    }
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let power = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let has_power = !power.is_empty() && power.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let begins = match whole.as_bytes() {
        // Without a digit before the point there must not be a sign.
        [] => unsigned.len() == text.len() && !fraction.is_empty(),
        [b'0'] => true,
        [first, ..] => matches!(first, b'1'..=b'9'),
    };
    if begins && has_power && digits(whole) && digits(fraction) {
        return text.replace('_', "").parse().ok().map(number);
    }
    // Base sixty, such as `1:30.5`.
    let (first, others) = whole.split_once(':')?;
    let sixty = first.starts_with(|c: char| c.is_ascii_digit()) && digits(first) && others.split(':').all(is_sixtieth);
    (sixty && mantissa.contains('.') && mantissa == unsigned && digits(fraction)).then_some(Value::Float(0.5))
}

/// Returns true for a date such as `2026-01-31`, or one with a time after it, where months, days and hours may have one
/// digit.
fn is_time(text: &str) -> bool {
    let number =
        |text: &str, lengths: &[usize]| lengths.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    let end = text.find(['T', 't', ' ', '\t']).unwrap_or(text.len());
    let (date, time) = text.split_at(end);
    let date: Vec<&str> = date.split('-').collect();
    let [year, month, day] = date[..] else { return false };
    if time.is_empty() {
        return number(year, &[4]) && number(month, &[2]) && number(day, &[2]);
    }
    let time = match time.strip_prefix(['T', 't']) {
        Some(time) => time,
        None => time.trim_start_matches([' ', '\t']),
    };
    let end = time.find(|c: char| !c.is_ascii_digit() && c != ':' && c != '.').unwrap_or(time.len());
    let (time, zone) = time.split_at(end);
    let (time, fraction) = time.split_once('.').unwrap_or((time, ""));
    let time: Vec<&str> = time.split(':').collect();
    let [hour, minute, second] = time[..] else { return false };
    number(year, &[4])
        && [month, day, hour].iter().all(|part| number(part, &[1, 2]))
        && [minute, second].iter().all(|part| number(part, &[2]))
        && fraction.bytes().all(|byte| byte.is_ascii_digit())
        && is_zone(zone.trim_start_matches([' ', '\t']))
}

fn is_zone(zone: &str) -> bool {
    let Some(offset) = zone.strip_prefix(['+', '-']) else { return zone.is_empty() || zone == "Z" };
    let (hours, minutes) = offset.split_once(':').unwrap_or((offset, "00"));
    let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    number(hours) && (1..=2).contains(&hours.len()) && number(minutes) && minutes.len() == 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_behind_tabs_has_its_place_in_the_text() {
        let text = "a:\n\t\tb: é\nc:\t\u{1f600}";
        let node = parse_js_yaml(text).expect("YAML");
        assert_eq!(node.at_path(&["a", "b"]).map(|node| &text[node.at.clone()]), Some("é"));
        assert_eq!(node.get("c").map(|node| &text[node.at.clone()]), Some("\u{1f600}"));
    }

    #[test]
    fn scalars_have_the_types_of_yaml_1_1() {
        // Recorded from js-yaml 3.15.2, a dependency of gray-matter 4.0.3.
        for (text, kind) in [
            ("yes 0o17 = << 2026-1-3 08 0x 0b2 1__ _1 1:60 1e 1e3_ -.5e3 0.1.2 --1 e3 1:2:3:x +", "text"),
            ("1_000 1:30 0b11 017 0x1F +5 -0 190:20:30 0 0_7 9007199254740993", "number"),
            ("5. 1e3 .5 1.5e-3 0.1_5 190:20:30.15 .inf -.INF +.Inf .NaN 1_0.5 6.8523015e+5", "number"),
            ("2026-01-31 2026-02-31 2026-1-3T4:05:06Z 2001-12-14t21:59:43.10-05:00", "time"),
            ("~ null NULL Null", "null"),
        ] {
            for text in text.split(' ') {
                let found = match plain_value(text) {
                    Value::Text(_) => "text",
                    Value::Integer(_) | Value::Float(_) => "number",
                    Value::Date(_) => "time",
                    Value::Null => "null",
                    Value::Bool(_) | Value::List(_) | Value::Table(_) => "other",
                };
                assert_eq!(found, kind, "{text}");
            }
        }
        assert_eq!(plain_value("2001-12-14 21:59:43.10 -5"), Value::Date("2001-12-14 21:59:43.10 -5".to_owned()));
        assert_eq!(plain_value("1:30"), Value::Integer(90));
        assert_eq!(plain_value("017"), Value::Integer(15));
    }

    #[test]
    fn js_yaml_has_types_and_errors_of_its_own() {
        let value = |yaml: &str| parse_js_yaml(&format!("a: {yaml}\n")).ok()?.get("a").map(|node| node.value.clone());
        for yaml in ["b\na: c", "{5: 1, \"5\": 2}", "!!int x", "!x b", "!x [b]", "*b", "b\u{7f}"] {
            assert_eq!(value(yaml), None, "{yaml}");
        }
        assert_eq!(value("!!str 5"), Some(Value::Text("5".to_owned())));
        assert_eq!(value("! 5"), Some(Value::Text("5".to_owned())));
        let merged = parse_js_yaml("x: &x {b: 1, c: 2}\na:\n  <<: *x\n  b: 3\n").expect("YAML");
        assert_eq!(merged.at_path(&["a", "b"]).map(|node| &node.value), Some(&Value::Integer(3)));
        assert_eq!(merged.at_path(&["a", "c"]).map(|node| &node.value), Some(&Value::Integer(2)));
        assert!(parse_js_yaml("a: b\n\tc:\td\n").is_ok_and(|node| node.get("c").is_some()), "a tab is nothing");
        assert!(parse_js_yaml("a:\n\t- b\n").is_ok(), "or as wide as a space");
        assert!(parse_js_yaml("a:\n\t- b\n\t- c\n").is_err(), "and nothing again");
        for yaml in ["[|, a]", "{<<: a}"] {
            assert_eq!(value(yaml), None, "{yaml}");
        }
    }
}
