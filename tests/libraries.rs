//! What npm packages make of generated inputs, recorded by `tests/conformance/libraries.mjs`, against what stands in
//! for them here.

use std::path::{Path, PathBuf};

use briefing::formats::{self, FormatError, Node, dotenv, parse_js_yaml, parse_npm_yaml};
use briefing::glob::{NpmIgnore, Picomatch};
use serde_json::{Value, json};

/// The recorded lines of a library: those committed, or more of them in the directory that `LIBRARIES` names.
fn recorded(library: &str) -> Vec<Value> {
    let committed = || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/libraries");
    let dir = std::env::var_os("LIBRARIES").map_or_else(committed, PathBuf::from);
    let text = std::fs::read_to_string(dir.join(format!("{library}.jsonl"))).expect("vectors of the library");
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// Compares each line; `difference` says what it has against one. Of a thousand lines so many may differ as are known
/// to.
fn check(library: &str, known_per_mille: usize, difference: impl Fn(&Value) -> Option<String>) {
    let lines = recorded(library);
    let found: Vec<String> = lines.iter().filter_map(difference).collect();
    let first = found.iter().take(20).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(
        found.len() * 1000 <= known_per_mille * lines.len(),
        "{library}: {} differences in {} lines:\n{first}",
        found.len(),
        lines.len()
    );
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

#[test]
fn gitignore_patterns_are_those_of_npm_ignore() {
    check("ignore", 0, |line| {
        let patterns = texts(&line["patterns"]);
        let ignore = NpmIgnore::new(patterns.iter().copied());
        let judged = |path: &&str| match ignore.ignores(path) {
            Ok(true) => '1',
            Ok(false) => '0',
            Err(_) => 't',
        };
        let paths = texts(&line["paths"]);
        let found: String = paths.iter().map(judged).collect();
        let expected = line["ignored"].as_str().unwrap_or_default();
        (found != expected).then(|| format!("{patterns:?} {paths:?}: {found}, not {expected}"))
    });
}

#[test]
fn globs_are_those_of_picomatch() {
    check("picomatch", 0, |line| {
        let pattern = line["pattern"].as_str().unwrap_or_default();
        let glob = Picomatch::new(pattern);
        let paths = texts(&line["paths"]);
        let judged = |path: &&str| if glob.as_ref().is_some_and(|glob| glob.matches(path)) { '1' } else { '0' };
        let found: String = paths.iter().map(judged).collect();
        let expected = line["matches"].as_str().unwrap_or_default();
        (found != expected).then(|| format!("{pattern:?} {paths:?}: {found}, not {expected}"))
    });
}

#[test]
fn environment_files_are_those_of_dotenv() {
    check("dotenv", 0, |line| {
        let pairs = dotenv(line["in"].as_str().unwrap_or_default());
        let found: Value = pairs.into_iter().map(|(name, value)| (name, Value::from(value))).collect();
        (found != line["out"]).then(|| format!("{}: {found}, not {}", line["in"], line["out"]))
    });
}

#[test]
fn heads_are_those_of_npms_yaml() {
    check("yaml", 10, |line| difference(line, parse_npm_yaml));
}

#[test]
fn heads_are_those_of_js_yaml() {
    check("js-yaml", 20, |line| difference(line, parse_js_yaml));
}

fn difference(line: &Value, parse: impl Fn(&str) -> Result<Node, FormatError>) -> Option<String> {
    let found = parse(line["in"].as_str().unwrap_or_default()).ok().map(|node| plain(&node.value));
    let expected = line.get("out").map(with_floats);
    (found != expected).then(|| format!("{}: {found:?}, not {expected:?}", line["in"]))
}

/// A value as the script writes it, where every number is JavaScript's.
fn plain(value: &formats::Value) -> Value {
    match value {
        formats::Value::Null => Value::Null,
        formats::Value::Bool(value) => json!(value),
        formats::Value::Integer(number) => json!(*number as f64),
        formats::Value::Float(number) if number.is_finite() => json!(number),
        formats::Value::Float(number) if number.is_nan() => json!({"!": "NaN"}),
        formats::Value::Float(number) => json!({"!": if *number > 0.0 { "Infinity" } else { "-Infinity" }}),
        formats::Value::Text(text) => json!(text),
        formats::Value::Date(_) => json!({"!": "date"}),
        formats::Value::List(list) => list.iter().map(|node| plain(&node.value)).collect(),
        formats::Value::Table(entries) => entries.iter().map(|(key, node)| (key.clone(), plain(&node.value))).collect(),
    }
}

fn with_floats(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(list) => list.iter().map(with_floats).collect(),
        Value::Object(entries) => entries.iter().map(|(key, value)| (key.clone(), with_floats(value))).collect(),
        other => other.clone(),
    }
}
