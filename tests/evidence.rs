//! Compares recorded sessions of real clients with what Briefing says, by `briefing verify --records`.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::homes::{briefing, files, in_the_future, later_root_of, lay_out, root_of};
use crate::records::cases;

const VERIFY: [&str; 5] = ["verify", "--records", "--since", "all", "--format=json"];

fn replace_in(dir: &Path, from: &str, to: &str) {
    for file in files(dir) {
        let text = std::fs::read_to_string(&file).expect("a record");
        std::fs::write(&file, text.replace(from, to)).expect("a record");
    }
}

/// Every session that was recorded is a question, and Briefing's answer is what the record says.
#[test]
fn recorded_sessions_are_answered_as_their_clients_did() {
    let (mut counts, mut wrong) = (BTreeMap::<String, [u64; 2]>::new(), Vec::new());
    for path in cases() {
        let case = path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/records")).expect("below it");
        let root = later_root_of(case.to_str().expect("UTF-8"));
        let (_, said) = briefing(root.path(), &[&VERIFY[..], &["--case", "wrong.case"]].concat());
        let json = said.split_once("wrote ").map_or(&*said, |(json, _)| json);
        let json: Value =
            serde_json::from_str(json).unwrap_or_else(|error| panic!("{}: {error}: {said}", case.display()));
        for agent in json["agents"].as_array().expect("agents") {
            let [equal, incomparable] = counts.entry(agent["agent"].as_str().expect("a name").to_owned()).or_default();
            *equal += agent["equal"].as_u64().expect("a number");
            *incomparable += agent["incomparable"].as_u64().expect("a number");
            if agent["different"] == 0 {
                continue;
            }
            // A case holds no long texts of the client itself; a text with a hole is not what was sent.
            let sent = std::fs::read_to_string(root.path().join("r/wrong.case")).expect("a case");
            if sent.contains(" characters)\n") {
                *incomparable += agent["different"].as_u64().expect("a number");
            } else {
                wrong.push(format!("{}: {:#}", case.display(), agent["differences"]));
            }
        }
    }
    for (agent, [equal, incomparable]) in &counts {
        println!("{agent}: {equal} equal, {incomparable} not comparable");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let unproven: Vec<_> = counts.iter().filter(|(_, [equal, _])| *equal == 0).collect();
    assert!(unproven.is_empty() && counts.len() == 13, "{counts:?}");
}

#[test]
fn records_are_compared_with_what_briefing_says() {
    let verify = ["verify", "--records", "--since", "all"];
    let root = root_of("claude-code/reads_bring_nested_files_and_rules.txt");
    let (code, said) = briefing(root.path(), &verify);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("claude-code 2.1.330: ") && said.contains(" equal, 0 different"), "{said}");
    assert!(said.contains("  exact, as your sessions of 2026-11-24 show"), "{said}");

    // Another file than the recorded one is no difference unless it was so then.
    std::fs::write(root.path().join("r/CLAUDE.md"), "Another rule.\nToken: ghp_0123456789abcdefABCDEF0123456789abcd\n")
        .expect("a file");
    let (_, said) = briefing(root.path(), &verify);
    assert!(said.contains("0 different"), "{said}");
    in_the_future(root.path());
    let (code, said) = briefing(root.path(), &[&verify[..], &["--case", "wrong.case", "--format", "json"]].concat());
    assert_eq!(code, Some(1), "{said}");
    let (said, _) = said.split_once("wrote ").expect("the file is named");
    let json: Value = serde_json::from_str(said).expect("JSON");
    assert_eq!(json["agents"][0]["different"], 1, "{said}");
    assert_eq!(json["agents"][0]["differences"][0]["step"], "start");
    let case = std::fs::read_to_string(root.path().join("r/wrong.case")).expect("a case");
    assert!(case.contains("Another rule.") && case.contains("The root rule of the project."), "{case}");
    assert!(case.contains("@observed claude-code 2.1.330") && !case.contains("ghp_0123"), "{case}");

    let (code, said) = briefing(root.path(), &[&verify[..], &["codex"]].concat());
    assert_eq!(code, Some(2), "{said}");
}

#[test]
fn files_that_came_in_another_order_are_not_compared_and_other_files_are() {
    let root = later_root_of("hermes/a_read_brings_two_files.txt");
    let verify = || {
        let (_, said) = briefing(root.path(), &["verify", "--records", "--since", "all", "--format", "json"]);
        let said: Value = serde_json::from_str(&said).expect("JSON");
        said["agents"][0].clone()
    };
    let said = verify();
    assert_eq!(
        (&said["different"], &said["reasons"]["the order of the files changes from run to run"]),
        (&0.into(), &1.into()),
        "{said}"
    );
    std::fs::write(root.path().join("r/src/AGENTS.md"), "Another rule.\n").expect("a file");
    let said = verify();
    assert_eq!(said["different"], 1, "{said}");
}

#[test]
fn agents_in_one_project_have_sessions_of_their_own() {
    let scratch = tempfile::tempdir().expect("a directory");
    let root = scratch.path().canonicalize().expect("a directory");
    let agents = ["claude-code", "codex", "droid", "grok-build", "kimi-code", "mistral-vibe", "pi"];
    for agent in agents {
        lay_out(&format!("{agent}/a_start_alone.txt"), &root);
    }
    let (status, said) = briefing(&root, &["audit", "--since", "all", "--format", "json"]);
    assert_eq!(status, Some(0), "{said}");
    let said: Value = serde_json::from_str(&said).expect("JSON");
    let mut told: Vec<(&str, Vec<&str>)> = Vec::new();
    for session in said["sessions"].as_array().expect("sessions") {
        let given = session["steps"][0]["given"].as_array().expect("texts").iter();
        let given = given.filter(|given| given["purpose"] == "instructions");
        let names = given.map(|given| given["path"].as_str().or(given["name"].as_str()).expect("a name")).collect();
        told.push((session["agent"].as_str().expect("a name"), names));
    }
    told.sort();
    let wanted: [(&str, &[&str]); 7] = [
        ("claude-code", &["/h/.claude/CLAUDE.md", "/r/CLAUDE.md"]),
        ("codex", &["AGENTS.md instructions"]),
        ("droid", &["/r/AGENTS.md", "/h/.factory/AGENTS.md"]),
        ("grok-build", &["rules of the user"]),
        ("kimi-code", &["AGENTS.md instructions"]),
        ("mistral-vibe", &["AGENTS.md instructions"]),
        ("pi", &["context files"]),
    ];
    assert_eq!(told, wanted.map(|(agent, names)| (agent, names.to_vec())));
    let (_, said) = briefing(&root, &["verify", "--records", "--since", "all", "--format", "json"]);
    let said: Value = serde_json::from_str(&said).expect("JSON");
    for agent in said["agents"].as_array().expect("agents") {
        assert_eq!(agent["different"], 0, "{agent}");
    }
    let asked = |agent: &Value| agent["asked"].as_u64() > Some(0);
    let compared = said["agents"].as_array().expect("agents").iter().filter(|agent| asked(agent));
    let compared: Vec<&str> = compared.filter_map(|agent| agent["agent"].as_str()).collect();
    assert_eq!(compared, ["codex", "kimi-code", "pi"]);
}

#[test]
fn a_case_is_written_where_the_user_stands() {
    let root = later_root_of("claude-code/a_start_alone.txt");
    replace_in(&root.path().join("h/.claude/projects"), "The root rule", "An older rule");
    std::fs::create_dir(root.path().join("r/sub")).expect("a directory");
    let verify = ["verify", "--records", "--since", "all", "--cwd", "sub", "--case", "wrong.case"];
    let (code, said) = briefing(root.path(), &verify);
    assert_eq!(code, Some(1), "{said}");
    assert!(root.path().join("r/wrong.case").is_file() && !root.path().join("r/sub/wrong.case").exists());
}

#[test]
fn a_case_that_is_written_is_named_and_holds_a_message_once() {
    let root = later_root_of("droid/a_start_alone.txt");
    replace_in(
        &root.path().join("h/.factory/sessions"),
        "<coding_guidelines>\\n",
        "<coding_guidelines>\\nOnce other. ",
    );
    let verify = ["verify", "--records", "--since", "all", "--case", "wrong.case"];
    let (code, said) = briefing(root.path(), &verify);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("\nwrote ") && said.contains("wrong.case"), "{said}");
    let case = std::fs::read_to_string(root.path().join("r/wrong.case")).expect("a case");
    assert_eq!(case.matches("# Codebase and user instructions are shown below.").count(), 1, "{case}");
    let (_, said) = briefing(root.path(), &verify);
    assert!(said.contains("\noverwrote "), "{said}");
}

/// The session began with one text, and was told of another one when it went on.
#[test]
fn a_text_that_came_later_is_no_evidence_for_the_start() {
    let root = root_of("claude-code/an_import_of_a_nested_file.txt");
    std::fs::write(root.path().join("r/CLAUDE.md"), "The second root rule of the project.\n").expect("a file");
    let (code, said) = briefing(root.path(), &VERIFY);
    let said: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!((code, &said["agents"][0]["different"]), (Some(2), &0.into()), "{said}");
    assert_eq!(said["agents"][0]["reasons"]["a file is another one now"], 2, "{said}");
}
