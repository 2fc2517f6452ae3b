//! The VS Code extension's manifest and page say what the server declares: its settings, and the files that activate
//! it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use briefing::answer::SessionKind;
use briefing::engine::settings::Settings;
use briefing::harness;
use briefing::report::findings::{Kind, Severity, page};
use serde_json::{Value, json};

use super::{between, read, said_by, type_of, up_to_date};

const MANIFEST: &str = "editors/vscode/package.json";
const PAGE: &str = "editors/vscode/README.md";

/// Settings that a workspace may set that nobody trusts yet: they run nothing and lead to no other place.
const HARMLESS: [&str; 4] = ["cwd", "harnesses", "readers", "sessions"];

/// The settings of the server as the settings page groups them, in the order in which people ask.
const GROUPS: [(&str, &[&str]); 3] = [
    ("Which agents", &["harnesses", "edition", "extensions", "customHarnesses"]),
    ("How they start", &["cwd", "sessions", "home", "environment"]),
    ("What is found", &["severities", "readers", "longFile", "watchLimit", "records"]),
];

/// What the settings page adds to a description, and the README does not have.
const CHECK_BOXES: &str = " [Choose with check boxes](command:briefing.chooseHarnesses)";

#[test]
fn the_manifest_and_the_page_of_the_vs_code_extension_are_derived() {
    let mut text = read(MANIFEST);
    replace(&mut text, "  \"activationEvents\": ", &json!(events()));
    replace(&mut text, "  \"repository\": ", &json!({"type": "git", "url": env!("CARGO_PKG_REPOSITORY")}));
    replace(&mut text, "  \"bugs\": ", &json!({"url": concat!(env!("CARGO_PKG_REPOSITORY"), "/issues")}));
    let settings = settings();
    let mut restricted = vec!["briefing.server.path".to_owned()];
    let harmless = |name: &str| HARMLESS.iter().any(|harmless| name == format!("briefing.{harmless}"));
    restricted.extend(settings.keys().filter(|name| !harmless(name)).cloned());
    replace(&mut text, "      \"restrictedConfigurations\": ", &json!(restricted));
    for (title, names) in GROUPS {
        let of_group = names.iter().enumerate().map(|(order, name)| {
            let name = format!("briefing.{name}");
            let mut about = settings[&name].clone();
            about["order"] = json!(order);
            (name, about)
        });
        let of_group: BTreeMap<String, Value> = of_group.collect();
        replace(&mut text, &format!("        \"title\": \"{title}\",\n        \"properties\": "), &json!(of_group));
    }
    let grouped: BTreeSet<String> =
        GROUPS.iter().flat_map(|(_, names)| names.iter().map(|name| format!("briefing.{name}"))).collect();
    assert_eq!(grouped, settings.keys().cloned().collect(), "every setting of the server is in one group");
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
        described["description"] =
            json!(about["markdownDescription"].as_str().map(|said| said.replace(CHECK_BOXES, "")));
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
        fields.extend(on_the_page(name, &said));
        if name == "edition" {
            fields.remove("anyOf");
        }
        (format!("briefing.{name}"), about)
    });
    declared.collect()
}

/// What the settings page needs of a setting to offer it as a field, a list or a table, and not as text to be edited.
fn on_the_page(name: &str, said: &str) -> serde_json::Map<String, Value> {
    let form = match name {
        "cwd" | "home" => json!({"type": "string", "default": ""}),
        "edition" => json!({
            "type": "string",
            "default": "",
            "enum": ["", "auto", "newest"],
            "enumItemLabels": ["installed, else newest", "installed", "newest"],
            "enumDescriptions": [
                "That of the installed version, else the newest.",
                "The same, with a warning where none is installed.",
                "The newest that Briefing knows, whatever is installed.",
            ],
        }),
        "harnesses" => json!({
            "uniqueItems": true,
            "items": harnesses(),
            "markdownDescription": format!("{said}{CHECK_BOXES}"),
        }),
        "sessions" => json!({"properties": sessions(), "additionalProperties": words_of(SessionKind::ALL)}),
        "severities" => json!({"properties": severities(), "additionalProperties": false}),
        _ => json!({}),
    };
    form.as_object().expect("a form is an object").clone()
}

/// Everything that names harnesses, with what it means.
fn harnesses() -> Value {
    let mut known =
        vec![("mine".to_owned(), "Those that you use here.".to_owned()), ("all".to_owned(), "Every one.".to_owned())];
    for profile in harness::ALL {
        known.push((profile.id.to_owned(), format!("{}: {}", profile.title, profile.summary)));
    }
    let schema = Settings::schema();
    let specs = schema["properties"]["harnesses"]["items"]["anyOf"][0]["enum"].as_array().expect("specs").iter();
    for (id, version) in specs.filter_map(|spec| spec.as_str()?.split_once('@')) {
        let title = harness::profile(id).map_or(id, |profile| profile.title);
        let about = if version == "auto" { "in the version that is installed" } else { "with the rules of" };
        let about = if version == "auto" { about.to_owned() } else { format!("{about} {version}") };
        known.push((format!("{id}@{version}"), format!("{title}, {about}")));
    }
    let (names, meanings): (Vec<_>, Vec<_>) = known.into_iter().unzip();
    json!({"type": "string", "enum": names, "enumDescriptions": meanings})
}

/// The harnesses that tell kinds of session apart, each with its kinds.
fn sessions() -> Value {
    let of = |profile: &&harness::Profile| {
        let kinds = profile.editions.last()?.sessions();
        let mut form = words_of(kinds);
        form["description"] = json!(profile.title);
        (kinds.len() > 1).then(|| (profile.id.to_owned(), form))
    };
    Value::Object(harness::ALL.iter().filter_map(|profile| of(&&**profile)).collect())
}

fn words_of(kinds: &[SessionKind]) -> Value {
    json!({"type": "string", "enum": kinds.iter().map(|kind| kind.word()).collect::<Vec<_>>()})
}

/// Every code, with what it means.
fn severities() -> Value {
    let words: Vec<&str> = Severity::WORDS.iter().map(|(word, _)| *word).chain(["off"]).collect();
    let page = page::index(page::Links::Name);
    let of = |kind: &Kind| {
        let meaning = page.lines().find_map(|line| line.strip_prefix(&format!("- {}: ", kind.code())));
        let meaning = meaning.expect("every code has a line").replace('*', "");
        (kind.code().to_owned(), json!({"type": "string", "enum": words, "description": meaning}))
    };
    Value::Object(Kind::ALL.iter().map(of).collect())
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
