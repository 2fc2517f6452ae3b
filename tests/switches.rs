//! The tables of switches: each row is covered by a case that sets it, or is a doubt that an answer really has.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use briefing::answer::{Fidelity, Resolution};
use briefing::harness::switches::{Kind, Switch, Switches, Type};
use briefing::harness::{self, Profile};

use crate::cases;
use crate::world::{Case, World};

/// The tables on the disk, each with the profile it is about.
fn tables() -> Vec<(&'static Profile, Switches)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/clients");
    let clients = std::fs::read_dir(&root).expect("there are tables").map(|entry| entry.expect("an entry").path());
    let with_table =
        clients.filter_map(|dir| Some((dir.clone(), std::fs::read_to_string(dir.join("switches.toml")).ok()?)));
    let table = |(dir, text): (PathBuf, String)| {
        let id = dir.file_name().and_then(|name| name.to_str()).expect("an id");
        let profile = harness::profile(id).unwrap_or_else(|| panic!("{id}: no such client"));
        (profile, toml::from_str(&text).unwrap_or_else(|error| panic!("{id}: {error}")))
    };
    with_table.map(table).collect()
}

#[test]
fn every_table_of_switches_is_the_one_that_its_client_uses() {
    for (profile, table) in tables() {
        let used = harness::newest(profile).edition().switches();
        let wanted = table.for_answers();
        let json = format!("{}\n", serde_json::to_string_pretty(&wanted).expect("it is JSON"));
        let path = format!("{}/data/clients/{}/doubts.json", env!("CARGO_MANIFEST_DIR"), profile.id);
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        if kept != json && std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, json).expect("UPDATE=1 can write the doubts");
            continue;
        }
        assert!(kept == json, "{path} is stale; UPDATE=1 cargo test switches rewrites it");
        assert_eq!(format!("{used:?}"), format!("{wanted:?}"), "{}", profile.id);
        let names: BTreeSet<_> = table.switch.iter().map(|switch| (&switch.name, &switch.files)).collect();
        assert_eq!(names.len(), table.switch.len(), "{}: a row stands twice", profile.id);
        let of_silent = table.silent.iter().flat_map(|silent| &silent.files);
        for file in table.switch.iter().flat_map(|switch| &switch.files).chain(of_silent) {
            assert!(table.files.contains_key(file), "{}: [files] has no {file}", profile.id);
        }
    }
}

#[test]
fn every_switch_is_set_by_the_cases_that_show_it_or_is_doubted() {
    for (profile, table) in tables() {
        for switch in &table.switch {
            let row = format!("{}: {}", profile.id, switch.name);
            assert_ne!(switch.cases.is_empty(), switch.doubt.is_none(), "{row}: has either cases or a doubt");
            assert!(switch.kind != Kind::Key || !switch.files.is_empty(), "{row}: a key is in some file");
            for name in &switch.cases {
                let path = format!("{}/tests/cases/{}/{name}.txt", env!("CARGO_MANIFEST_DIR"), profile.id);
                let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{row}: {path}: {error}"));
                assert!(is_set(switch, &Case::parse(&text)), "{row}: {name} does not set it");
            }
        }
    }
}

/// Returns true if a case sets a switch, as far as that can be seen without asking a client.
fn is_set(switch: &Switch, case: &Case) -> bool {
    let last = |separator| switch.name.rsplit(separator).next().unwrap_or_default();
    let mut files = case.sections.iter().filter(|section| !section.header.starts_with('@'));
    match switch.kind {
        Kind::Variable => case.env().contains_key(&switch.name),
        Kind::Key => files.any(|file| file.body.contains(last('.'))),
        Kind::Option => {
            case.all("@settings").any(|(_, json)| json.replace('_', "-").contains(switch.name.trim_start_matches('-')))
        }
        Kind::File => files.any(|file| file.header.contains(last('/'))),
        Kind::Behaviour => true,
    }
}

#[test]
fn an_answer_that_meets_a_doubted_switch_is_not_exact_and_names_it() {
    for (profile, table) in tables() {
        let plain = answer(profile, "");
        assert_eq!(plain.fidelity, Fidelity::Exact, "{}: {:?}", profile.id, plain.answer.files_only);
        for switch in table.switch.iter().filter(|switch| switch.doubt.is_some()) {
            for setting in settings(switch, &table, profile.id) {
                let told = answer(profile, &setting);
                let reason = told.answer.files_only.unwrap_or_default();
                assert!(
                    reason.contains(&switch.name),
                    "{}: `{}` is not doubted: {reason}\n{setting}",
                    profile.id,
                    switch.name
                );
                assert_eq!(told.fidelity, Fidelity::Files);
            }
        }
    }
}

#[test]
fn an_option_that_no_table_knows_is_doubted() {
    for (profile, _) in tables() {
        let told = answer(profile, &option("not-gone-through", profile.id));
        let reason = told.answer.files_only.unwrap_or_default();
        assert!(reason.contains("not-gone-through"), "{}: {reason}", profile.id);
    }
}

#[test]
fn a_key_that_is_not_examined_is_doubted_where_all_others_were() {
    for (profile, table) in tables() {
        let examined: BTreeSet<_> = table.silent.iter().flat_map(|silent| &silent.files).collect();
        for file in examined {
            let path = table.files[file].last().expect("a place").replacen('~', "/h", 1).replacen("./", "/r/", 1);
            let told = answer(profile, &format!("-- {path} --\n{}\n", key("not_gone_through", &path)));
            let reason = told.answer.files_only.unwrap_or_default();
            assert!(reason.contains("not_gone_through"), "{}: {path}: {reason}", profile.id);
        }
    }
}

#[test]
fn a_value_of_a_type_that_was_not_tried_is_doubted() {
    let mut tried = 0;
    for (profile, table) in tables() {
        let others = table.silent.iter().filter(|silent| silent.takes.is_some_and(|takes| takes != Type::Text));
        for (silent, file) in others.flat_map(|silent| silent.files.iter().map(move |file| (silent, file))) {
            let path = table.files[file].last().expect("a place").replacen('~', "/h", 1).replacen("./", "/r/", 1);
            let name = silent.names.iter().find(|name| !name.contains('*')).expect("a plain name");
            let told = answer(profile, &format!("-- {path} --\n{}\n", key(name, &path)));
            let reason = told.answer.files_only.unwrap_or_default();
            assert!(reason.contains(&format!("the key {name} ")), "{}: {path}: {name}: {reason}", profile.id);
            tried += 1;
        }
    }
    assert!(tried > 0, "else nothing is tested");
}

fn answer(profile: &Profile, setting: &str) -> Resolution {
    // At their first start Qwen Code and OpenClaw write files, and no answer is exact until they are there or switched
    // off.
    let started = "-- /h/.qwen/output-language.md --\n<!-- qwen-code:llm-output-language: auto -->\n\
                   -- /h/.openclaw/openclaw.json --\n{\"agents\": {\"defaults\": {\"skipBootstrap\": true}}}\n";
    let case = Case::parse(&format!("-- /r/.git/HEAD --\nref: refs/heads/main\n{started}{setting}"));
    cases::answer(&case, &World::of(&case), &format!("{} from /r", profile.id)).expect("a question")
}

/// The sections of a case that set a switch, once for each file that can.
fn settings(switch: &Switch, table: &Switches, id: &str) -> Vec<String> {
    let at = |written: &str| written.replacen('~', "/h", 1).replacen("./", "/r/", 1).replacen(":/", "/r/", 1);
    let name = &switch.name;
    match switch.kind {
        Kind::Variable => vec![format!("-- @env {name}=/some/value --\n")],
        Kind::Option => vec![option(name.trim_start_matches('-'), id)],
        Kind::File => {
            let place = switch.files.first().map_or(name, |file| table.files[file].last().expect("a place"));
            vec![format!("-- {} --\ntext\n", at(place))]
        }
        Kind::Key => {
            let usual = |file: &String| at(table.files[file].last().expect("a place"));
            let written = |path: String| format!("-- {path} --\n{}\n", key(name, &path));
            switch.files.iter().map(usual).map(written).collect()
        }
        Kind::Behaviour => panic!("{id}: {name} is always on, so it cannot be doubted"),
    }
}

fn option(name: &str, id: &str) -> String {
    let options = serde_json::json!({"options": {id: {name: "/some/value"}}});
    format!("-- @settings --\n{options}\n")
}

/// A settings file in which a key has some value, in the format that its ending names.
fn key(name: &str, path: &str) -> String {
    let value = |inner: String, key: &str| format!("{{\"{key}\": {inner}}}");
    match path.ends_with(".toml") {
        true => format!("{name} = \"some value\""),
        // JSON is YAML.
        false => name.rsplit('.').fold("\"some value\"".to_owned(), value),
    }
}
