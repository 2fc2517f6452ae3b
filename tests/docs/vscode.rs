//! The VS Code extension's manifest and page say what the server declares: its settings, and the files that activate it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use briefing::harness;
use briefing::server::settings::Settings;
use serde_json::{Value, json};

use super::{between, read, said_by, type_of, up_to_date};

const MANIFEST: &str = "editors/vscode/package.json";
const PAGE: &str = "editors/vscode/README.md";

/// Settings that a workspace may set that nobody trusts yet: they run nothing and lead to no other place.
const HARMLESS: [&str; 3] = ["cwd", "harnesses", "sessions"];

#[test]
fn the_manifest_and_the_page_of_the_vs_code_extension_are_derived() {
    let mut text = read(MANIFEST);
    replace(&mut text, "  \"activationEvents\": ", &json!(events()));
    let settings = settings();
    let mut restricted = vec!["briefing.server.path".to_owned()];
    let harmless = |name: &str| HARMLESS.iter().any(|harmless| name == format!("briefing.{harmless}"));
    restricted.extend(settings.keys().filter(|name| !harmless(name)).cloned());
    replace(&mut text, "      \"restrictedConfigurations\": ", &json!(restricted));
    replace(&mut text, "        \"title\": \"What is assumed of agents\",\n        \"properties\": ", &json!(settings));
    up_to_date(MANIFEST, &text);
    the_page_has_every_command_and_setting();
}

/// After the manifest, which the page is made from.
fn the_page_has_every_command_and_setting() {
    let manifest: Value = serde_json::from_str(&read(MANIFEST)).expect("the manifest is JSON");
    let contributes = &manifest["contributes"];
    let mut commands = String::from("| command | id |\n|---|---|\n");
    // What has no category is no command of the palette.
    for command in contributes["commands"].as_array().expect("commands").iter().filter(|one| !one["category"].is_null())
    {
        let [title, id] = ["title", "command"].map(|field| command[field].as_str().unwrap_or_default());
        let _ = writeln!(commands, "| {title} | `{id}` |");
    }
    let mut settings = String::from("| setting | type | meaning |\n|---|---|---|\n");
    for (name, about) in contributes["configuration"]
        .as_array()
        .expect("groups")
        .iter()
        .flat_map(|group| group["properties"].as_object().expect("settings"))
    {
        let mut described = about.clone();
        described["description"] = about["markdownDescription"].clone();
        let _ = writeln!(settings, "| `{name}` | {} | {} |", type_of(about), said_by(name, &described));
    }
    up_to_date(PAGE, &between(PAGE, "commands", &commands));
    up_to_date(PAGE, &between(PAGE, "settings", &settings));
}

/// An instruction file in a workspace folder or anywhere below it; or opened alone, where it is Markdown nearly always.
fn events() -> Vec<String> {
    let names: BTreeSet<&str> =
        harness::ALL.iter().flat_map(|profile| profile.instruction_names.iter().copied()).collect();
    let within = names.into_iter().map(|name| format!("workspaceContains:**/{name}"));
    std::iter::once("onLanguage:markdown".to_owned()).chain(within).collect()
}

/// The server's settings as VS Code declares them.
fn settings() -> BTreeMap<String, Value> {
    let schema = Settings::schema();
    let declared = schema["properties"].as_object().expect("settings").iter().map(|(name, about)| {
        let mut about = inlined(about, &schema["$defs"]);
        let fields = about.as_object_mut().expect("a setting is an object");
        let said = fields.remove("description").expect("a setting is documented");
        let said = said.as_str().unwrap_or_default().replace('\n', " ");
        fields.insert("markdownDescription".to_owned(), json!(said));
        (format!("briefing.{name}"), about)
    });
    declared.collect()
}

/// A schema that refers to nothing: VS Code looks nothing up. What refers to more is left open; the server checks it.
fn inlined(schema: &Value, known: &Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let mut fields: serde_json::Map<_, _> =
                fields.iter().map(|(name, value)| (name.clone(), inlined(value, known))).collect();
            if let Some(Value::String(reference)) = fields.remove("$ref")
                && let Value::Object(meant) = &known[reference.trim_start_matches("#/$defs/")]
                && !json!(meant).to_string().contains("\"$ref\"")
            {
                for (name, value) in meant {
                    fields.entry(name).or_insert_with(|| value.clone());
                }
            }
            // Words to choose from have their own form in VS Code.
            if let Some(Value::Array(words)) = fields.get("oneOf").cloned()
                && words.iter().all(|word| word["const"].is_string())
            {
                let each = |field: &str| json!(words.iter().map(|word| word[field].clone()).collect::<Vec<_>>());
                fields.remove("oneOf");
                fields.insert("type".to_owned(), json!("string"));
                fields.insert("enum".to_owned(), each("const"));
                fields.insert("enumDescriptions".to_owned(), each("description"));
            }
            Value::Object(fields)
        }
        Value::Array(items) => items.iter().map(|item| inlined(item, known)).collect(),
        other => other.clone(),
    }
}

/// Puts `value` where a value stands behind `key`, which stands at the beginning of a line and ends its lines alike.
fn replace(text: &mut String, key: &str, value: &Value) {
    let start = text.find(key).unwrap_or_else(|| panic!("{MANIFEST} has no {key}")) + key.len();
    let last_line = key.rsplit('\n').next().unwrap_or_default();
    let indent = &last_line[..last_line.len() - last_line.trim_start().len()];
    let close = if value.is_array() { ']' } else { '}' };
    let end_line = format!("\n{indent}{close}");
    let end = start + text[start..].find(&end_line).unwrap_or_else(|| panic!("{key} does not end")) + end_line.len();
    let pretty = serde_json::to_string_pretty(value).expect("it is JSON");
    text.replace_range(start..end, &pretty.replace('\n', &format!("\n{indent}")));
}
