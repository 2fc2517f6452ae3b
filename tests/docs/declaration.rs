//! The page on `briefing.toml`: its examples are right, its keys are those of the types.

use std::fmt::Write;
use std::path::Path;

use briefing::harness::custom::Customs;
use briefing::report::declaration;
use serde_json::Value;

use super::{between, read, said_by, up_to_date};

const PAGE: &str = "docs/custom-agents.md";

/// The tables of a declaration in the order in which somebody writes one, with how each is written.
const TABLES: [(&str, &str); 18] = [
    ("Definition", "`[harness.ID]`"),
    ("Source", "`[[harness.ID.source]]`"),
    ("Directories", "`source.directories`"),
    ("FileTable", "An entry of `source.files`"),
    ("List", "`source.list`"),
    ("Texts", "`source.texts`"),
    ("Limit", "`source.limit` and `message.total`"),
    ("Message", "`[[harness.ID.message]]`"),
    ("Prompt", "`message.prompt`"),
    ("Provider", "An entry of `message.prompt.providers`"),
    ("Static", "`static`"),
    ("Dynamic", "`dynamic`"),
    ("Truncation", "`truncation`"),
    ("Subagent", "`subagent`"),
    ("Override", "`override`"),
    ("Unsure", "`unsure`"),
    ("Expectation", "`[[expect]]`"),
    ("Exception", "`[[exceptions]]`"),
];

#[test]
fn the_schema_of_a_declaration_is_published_as_it_is_declared() {
    let pretty = serde_json::to_string_pretty(&declaration::schema()).expect("a schema is JSON");
    up_to_date("editors/briefing.schema.json", &format!("{pretty}\n"));
}

#[test]
fn every_key_of_a_declaration_is_on_its_page() {
    let schema = declaration::schema();
    let types = schema["$defs"].as_object().expect("types");
    let with_keys = types.iter().filter(|(_, schema)| schema.get("properties").is_some());
    for (name, _) in with_keys {
        assert!(TABLES.iter().any(|(known, _)| known == name), "{name} is not on the page");
    }
    let mut tables = String::new();
    for (name, heading) in TABLES {
        let schema = &types[name];
        let _ = write!(
            tables,
            "\n### {heading}\n\n{}\n\n| key | value | meaning |\n|---|---|---|\n",
            said_by(name, schema)
        );
        for (key, about) in schema["properties"].as_object().expect("keys") {
            let meaning = said_by(&format!("{name}.{key}"), about);
            let _ = writeln!(tables, "| `{key}` | {}{} | {meaning} |", value(about, types), default(about));
        }
    }
    up_to_date(PAGE, &between(PAGE, "keys", &format!("{tables}\n")));
}

#[test]
fn every_example_of_a_declaration_is_right() {
    let page = read(PAGE);
    let examples: Vec<&str> = page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(examples.len() > 3);
    for example in examples {
        let customs = Customs::gather(Some((Path::new("briefing.toml"), example)), &toml::Table::new());
        assert!(customs.problems.is_empty() && !customs.harnesses.is_empty(), "{example}\n{:?}", customs.problems);
    }
}

/// What may stand at a key, in words: the values to choose from, else the kind of value.
fn value(schema: &Value, types: &serde_json::Map<String, Value>) -> String {
    let quoted = |values: Vec<&str>| values.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ");
    if let Some(name) = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next()) {
        let named = &types[name];
        return match named["oneOf"].as_array() {
            Some(choices) => quoted(choices.iter().filter_map(|choice| choice["const"].as_str()).collect()),
            None if named.get("properties").is_some() => "table".to_owned(),
            // Those of templates say which placeholders they know.
            None if name.ends_with("Template") => said_by(name, named)
                .trim_start_matches("A ")
                .trim_end_matches('.')
                .replace('{', "`{")
                .replace('}', "}`"),
            None => value(named, types),
        };
    }
    if let Some(words) = schema["enum"].as_array() {
        return quoted(words.iter().filter_map(Value::as_str).collect());
    }
    if let Some(either) = schema["anyOf"].as_array() {
        let all = either.iter().filter(|one| one["type"] != "null").map(|one| value(one, types));
        return all.collect::<Vec<_>>().join(" or ");
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
        kind => kind.as_str(),
    };
    match kind {
        Some("array") => {
            let of = value(&schema["items"], types);
            if of == "table" { "tables".to_owned() } else { format!("list of {of}") }
        }
        Some("object") => "table".to_owned(),
        Some("integer") => "whole number".to_owned(),
        Some("string") => "text".to_owned(),
        Some("boolean") => "`true`, `false`".to_owned(),
        Some(other) => other.to_owned(),
        None => panic!("no kind of value: {schema}"),
    }
}

/// What counts when a key is left out, where that is a value and not a matter of its own.
fn default(schema: &Value) -> String {
    match schema.get("default") {
        None | Some(Value::Null | Value::Object(_)) => String::new(),
        Some(Value::Array(list)) if list.is_empty() => String::new(),
        Some(value) => format!("; else `{value}`").replace('|', "\\|"),
    }
}
