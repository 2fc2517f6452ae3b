//! What npm packages make of generated inputs, recorded by `tests/conformance/libraries.mjs`, against what stands in for them here.

use std::path::{Path, PathBuf};

use briefing::glob::NpmIgnore;
use serde_json::Value;

/// The recorded lines of a library: those committed, or more of them in the directory that `LIBRARIES` names.
fn recorded(library: &str) -> Vec<Value> {
    let committed = || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/libraries");
    let dir = std::env::var_os("LIBRARIES").map_or_else(committed, PathBuf::from);
    let text = std::fs::read_to_string(dir.join(format!("{library}.jsonl"))).expect("vectors of the library");
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// Compares each line; `differences` says what it has against one.
fn check(library: &str, differences: impl Fn(&Value) -> Vec<String>) {
    let lines = recorded(library);
    let found: Vec<String> = lines.iter().flat_map(differences).collect();
    assert!(
        found.is_empty(),
        "{library}: {} differences in {} lines:\n{}",
        found.len(),
        lines.len(),
        found[..found.len().min(20)].join("\n")
    );
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

#[test]
fn gitignore_patterns_are_those_of_npm_ignore() {
    check("ignore", |line| {
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
        if found == expected { Vec::new() } else { vec![format!("{patterns:?} {paths:?}: {found}, not {expected}")] }
    });
}
