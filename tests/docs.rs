//! The documents are true: examples are what the types say, and tables are made from them. `UPDATE=1` writes the
//! tables.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use briefing::engine::settings::Settings;
use briefing::harness::history::replays;
use briefing::lsp::ext;
use briefing::records::audit::Audits;
use briefing::report::agents::Agents;
use briefing::report::briefing::Effective;
use briefing::report::compare::Comparison;
use briefing::report::context::ContextReports;
use briefing::report::files::InstructionFiles;
use briefing::report::preview::Preview;
use briefing::report::roster::UsedHere;
use briefing::report::session::Unfolded;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

mod choosing;
mod declaration;
mod vscode;

const EXTENSIONS: &str = "docs/protocol.md";

/// A wire type: through it an example goes and comes back, and its schema.
struct Wire {
    again: fn(&Value) -> Result<Value, String>,
    schema: Value,
}

fn wire<T: DeserializeOwned + Serialize + JsonSchema>(settings: SchemaSettings) -> Option<Wire> {
    fn again<T: DeserializeOwned + Serialize>(example: &Value) -> Result<Value, String> {
        let parsed = T::deserialize(example).map_err(|error| error.to_string())?;
        serde_json::to_value(parsed).map_err(|error| error.to_string())
    }
    Some(Wire { again: again::<T>, schema: settings.into_generator().into_root_schema_for::<T>().to_value() })
}

/// Every custom method with its parameters and result.
fn methods() -> Vec<(&'static str, Option<Wire>, Option<Wire>)> {
    fn params<T: DeserializeOwned + Serialize + JsonSchema>() -> Option<Wire> {
        wire::<T>(SchemaSettings::default())
    }
    fn result<T: DeserializeOwned + Serialize + JsonSchema>() -> Option<Wire> {
        wire::<T>(SchemaSettings::default().for_serialize())
    }
    type Question = ext::EffectiveInstructionsParams;
    vec![
        (ext::EFFECTIVE_INSTRUCTIONS, params::<Question>(), result::<Effective>()),
        (ext::CONTEXT_REPORT, params::<Question>(), result::<ContextReports>()),
        (ext::COMPARE, params::<ext::CompareParams>(), result::<Comparison>()),
        (ext::SESSION, params::<ext::SessionParams>(), result::<Unfolded>()),
        (ext::AGENTS, params::<ext::AgentsParams>(), result::<Agents>()),
        (ext::SESSIONS, params::<ext::SessionsParams>(), result::<Audits>()),
        (ext::AUDIT, params::<ext::AuditParams>(), result::<Audits>()),
        (ext::READERS, params::<ext::ReadersParams>(), result::<ext::Readers>()),
        (ext::INSTRUCTION_FILES, params::<ext::InstructionFilesParams>(), result::<InstructionFiles>()),
        ("briefing.fetch", params::<Question>(), result::<ext::Fetched>()),
        (ext::PREVIEW, params::<ext::PreviewParams>(), result::<Preview>()),
        (ext::TEXT_DOCUMENT_CONTENT, params::<ext::PreviewParams>(), result::<ext::TextDocumentContent>()),
        (ext::EXPLAIN, params::<ext::ExplainParams>(), result::<ext::Explanations>()),
        (ext::HARNESSES, None, result::<ext::Harnesses>()),
        (ext::ROSTER, None, result::<UsedHere>()),
        (ext::STATUS, None, result::<ext::Status>()),
        (ext::DID_CHANGE_INSTRUCTIONS, params::<ext::DidChangeInstructionsParams>(), None),
    ]
}

#[test]
fn every_example_of_a_message_is_what_its_type_reads_and_writes() {
    let text = read(EXTENSIONS);
    let (mut method, mut block): (Option<&str>, Option<(&str, String)>) = (None, None);
    let mut shown: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let methods = methods();
    for line in text.lines() {
        if let Some((_, example)) = &mut block
            && line != "```"
        {
            example.push_str(line);
            continue;
        }
        if let Some((kind, example)) = block.take() {
            let method = method.expect("examples stand below the heading of their method");
            let (_, params, result) = methods.iter().find(|known| known.0 == method).expect("a known method");
            let wire = if kind == "params" { params } else { result }.as_ref().expect("the method has such a type");
            let example: Value = serde_json::from_str(&example).unwrap_or_else(|error| panic!("{method}: {error}"));
            assert_eq!((wire.again)(&example), Ok(example), "{method}, {kind}");
            *shown.entry((method, kind)).or_default() += 1;
        } else if let Some(heading) = line.strip_prefix("## ") {
            method = heading.strip_prefix('`').and_then(|heading| heading.strip_suffix('`'));
        } else if let Some(kind) = line.strip_prefix("```json ") {
            block = Some((kind, String::new()));
        } else {
            assert!(!line.starts_with("```json"), "an example says whether it is `params` or `result`");
        }
    }
    for (method, params, result) in &methods {
        assert!(params.is_none() || shown.contains_key(&(*method, "params")), "{method} has no example of parameters");
        assert!(result.is_none() || shown.contains_key(&(*method, "result")), "{method} has no example of a result");
    }
}

#[test]
fn the_types_of_the_wire_are_documented_field_by_field() {
    let mut types = BTreeMap::new();
    for wire in methods().into_iter().flat_map(|(_, params, result)| [params, result]).flatten() {
        for (name, schema) in wire.schema["$defs"].as_object().into_iter().flatten() {
            types.insert(name.clone(), schema.clone());
        }
        types.insert(wire.schema["title"].as_str().expect("a title").to_owned(), wire.schema);
    }
    let mut tables = String::new();
    for (name, schema) in &types {
        let Some(fields) = schema.get("properties").and_then(Value::as_object) else { continue };
        let _ =
            write!(tables, "### `{name}`\n\n{}\n\n| field | type | meaning |\n|---|---|---|\n", said_by(name, schema));
        let required = |field: &str| schema["required"].as_array().is_some_and(|list| list.contains(&field.into()));
        for (field, about) in fields {
            let optional = if required(field) { "" } else { ", may be left out" };
            let meaning = said_by(&format!("{name}.{field}"), about);
            let _ = writeln!(tables, "| `{field}` | {}{optional} | {meaning} |", type_of(about));
        }
        tables.push('\n');
    }
    up_to_date(EXTENSIONS, &between(EXTENSIONS, "types", &format!("\n{tables}")));
}

#[test]
fn the_settings_are_documented_as_they_are_declared() {
    let schema = Settings::schema();
    let mut table = String::from("| setting | type | meaning |\n|---|---|---|\n");
    for (name, about) in schema["properties"].as_object().expect("settings") {
        let meaning = said_by(name, about);
        let _ = writeln!(table, "| `briefing.{name}` | {} | {meaning} |", type_of(about));
    }
    up_to_date("docs/settings.md", &between("docs/settings.md", "settings", &table));
    let pretty = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
    up_to_date("editors/settings.schema.json", &format!("{pretty}\n"));
}

/// By this mark the registry of MCP servers knows whose package on PyPI it is.
#[test]
fn the_readme_names_the_mcp_server() {
    let repository = env!("CARGO_PKG_REPOSITORY").trim_start_matches("https://github.com/");
    let owner = repository.split('/').next().unwrap_or_default();
    let mark = format!("<!-- mcp-name: io.github.{owner}/briefing -->\n");
    up_to_date("README.md", &between("README.md", "mcp", &mark));
}

#[test]
fn the_screens_on_the_page_of_the_editors_are_those_that_were_kept() {
    let page = "editors/README.md";
    let mut wanted = read(page);
    for screen in ["show.txt", "cut.txt"] {
        let mark = format!("<!-- editors/nvim/screens/{screen} -->\n```text\n");
        let start = wanted.find(&mark).unwrap_or_else(|| panic!("{page} has no {mark}")) + mark.len();
        let end = start + wanted[start..].find("```\n").expect("a fence that ends");
        wanted.replace_range(start..end, &read(&format!("editors/nvim/screens/{screen}")));
    }
    up_to_date(page, &wanted);
}

/// The table of harnesses: how many cases were recorded from the real client, or that none could be asked.
#[test]
fn every_harness_and_edition_is_in_the_table() {
    let observed = |text: &str, id: &str| text.lines().any(|line| line.starts_with(&format!("-- @observed {id} ")));
    let cases: Vec<String> = crate::cases::case_files().iter().map(|file| read_at(file)).collect();
    let mut rows = String::from("| id | editions | checked on |\n|---|---|---|\n");
    for profile in briefing::harness::ALL {
        let editions: Vec<&str> = profile.editions.iter().rev().map(|edition| edition.about().name).collect();
        let asked = match cases.iter().filter(|case| observed(case, profile.id)).count() {
            0 => "its documentation, sources or design: no client was asked".to_owned(),
            count => format!("the real client: {count} recorded cases"),
        };
        writeln!(rows, "| `{}` | {} | {asked} |", profile.id, editions.join(", ")).expect("a text");
    }
    rows += "| yours | | [a `briefing.toml`](custom-agents.md) at the root of the workspace, or the setting `briefing.customHarnesses` |\n";
    up_to_date("docs/versions.md", &between("docs/versions.md", "harnesses", &rows));
}

/// What was replayed on which versions, from the data that the runs wrote.
#[test]
fn the_table_says_which_versions_were_replayed() {
    let mut rows = String::from(
        "| id | versions replayed | of them all answers equal | questions | answers equal | last run |\n|---|---|---|---|---|---|\n",
    );
    for id in briefing::harness::ALL.iter().map(|profile| profile.id) {
        let replays = replays(&read(&format!("tests/conformance/versions/{id}.toml")));
        let (Some(first), Some(last)) = (replays.first(), replays.last()) else { continue };
        let (asked, equal) = replays.iter().fold((0, 0), |(asked, equal), one| (asked + one.asked, equal + one.equal));
        let clean = replays.iter().filter(|replay| replay.is_clean()).count();
        let date = replays.iter().map(|replay| replay.date.as_str()).max().unwrap_or_default();
        let (count, from, to) = (replays.len(), &first.version, &last.version);
        writeln!(rows, "| `{id}` | {count}: {from} to {to} | {clean} | {asked} | {equal} | {date} |").expect("a text");
    }
    up_to_date("docs/versions.md", &between("docs/versions.md", "versions", &rows));
}

/// For editors that are told by file names where to start the server: the names that no folder has to stand before.
#[test]
fn the_file_names_for_editors_are_those_that_harnesses_read() {
    let all = briefing::harness::ALL.iter().flat_map(|profile| profile.instruction_names);
    let names: std::collections::BTreeSet<&str> = all.copied().filter(|name| !name.contains('/')).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let page = "editors/README.md";
    up_to_date(page, &between(page, "patterns", &format!("```text\n{}\n```\n", names.join(";"))));
    up_to_date("editors/jetbrains/template.json", &for_jetbrains(&names));
}

/// A template as LSP4IJ imports it: the program, and the files that it is started for.
fn for_jetbrains(names: &[&str]) -> String {
    let markdown = names.iter().map(|name| (*name).to_owned()).chain(["*.mdc".to_owned()]);
    let settings = briefing::harness::ALL.iter().flat_map(|profile| profile.settings_names);
    let settings: std::collections::BTreeSet<&str> = settings.filter_map(|name| name.rsplit('/').next()).collect();
    let of = |ending: &str| -> Vec<String> {
        let named = settings.iter().filter(|name| name.ends_with(ending) && !name.contains('*'));
        named.map(|name| (*name).to_owned()).collect()
    };
    let mapping =
        |language: &str, patterns: Vec<String>| json!({"fileType": {"patterns": patterns}, "languageId": language});
    let template = json!({
        "id": "briefing",
        "name": "Briefing",
        "programArgs": {"default": "briefing lsp", "windows": "briefing.exe lsp"},
        "fileTypeMappings": [
            mapping("markdown", markdown.collect()),
            mapping("json", of(".json")),
            mapping("jsonc", of(".jsonc")),
            mapping("toml", of(".toml")),
        ],
    });
    format!("{template:#}\n")
}

fn said_by(name: &str, schema: &Value) -> String {
    let said = schema["description"].as_str().unwrap_or_else(|| panic!("{name} is not documented"));
    said.replace('\n', " ").replace('|', "\\|")
}

/// A type in words: `list of texts`, `Size or null`.
fn type_of(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.rsplit('/').next().unwrap_or_default();
        return format!("`{name}`");
    }
    let either = schema["anyOf"].as_array().map(|list| list.iter().map(type_of).collect::<Vec<_>>());
    let mut words = either.unwrap_or_else(|| {
        let names = schema["type"].as_array().cloned().unwrap_or_else(|| vec![schema["type"].clone()]);
        names.iter().map(|name| one_type(name.as_str().unwrap_or("any"), schema)).collect()
    });
    words.dedup();
    words.join(" or ")
}

fn one_type(name: &str, schema: &Value) -> String {
    match name {
        "array" if schema.get("items").is_some() => format!("list of {}", type_of(&schema["items"])),
        "array" => "pair".to_owned(),
        "object" => format!("map to {}", type_of(&schema["additionalProperties"])),
        "integer" => "number".to_owned(),
        other => other.to_owned(),
    }
}

fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

fn read(file: &str) -> String {
    std::fs::read_to_string(path(file)).unwrap_or_default()
}

fn read_at(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The file with `content` between `<!-- mark -->` and `<!-- /mark -->`.
pub(crate) fn between(file: &str, mark: &str, content: &str) -> String {
    let text = read(file);
    let (start, end) = (format!("<!-- {mark} -->\n"), format!("<!-- /{mark} -->"));
    let Some((before, rest)) = text.split_once(&start) else { panic!("{file} has no {start}") };
    let Some((_, after)) = rest.split_once(&end) else { panic!("{file} has no {end}") };
    format!("{before}{start}{content}{end}{after}")
}

pub(crate) fn up_to_date(file: &str, wanted: &str) {
    if std::env::var_os("UPDATE").is_some() && read(file) != wanted {
        println!("UPDATE=1 rewrites {file}");
        std::fs::create_dir_all(path(file).parent().expect("a directory")).expect("a directory");
        std::fs::write(path(file), wanted).expect("it is written");
    }
    assert!(read(file) == wanted, "{file} is stale; UPDATE=1 cargo test docs rewrites it");
}
