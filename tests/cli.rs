//! The program as a newcomer meets it: what it prints, and the codes it exits with.

use std::path::Path;

use serde_json::Value;

use crate::docs;
use crate::place::Place;
use crate::remote::Server;
use crate::world::{Case, World};

mod screens;

pub fn project() -> Place {
    Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/AGENTS.md", "Root rules.\n"),
        ("project/src/AGENTS.md", "Source rules.\n"),
        ("project/src/main.rs", "fn main() {}\n"),
        ("home/.codex/AGENTS.md", "Be brief.\n"),
    ])
}

#[test]
fn the_readme_shows_what_the_program_prints() {
    let rules = format!("# Rules\n{}", "- Write small functions, and test them.\n".repeat(900));
    let place = Place::new(&[
        ("home/project/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/project/AGENTS.md", &rules),
        ("home/project/CLAUDE.md", "@AGENTS.md\n\nAsk before you delete.\n"),
        ("home/project/src/AGENTS.md", "Handlers return errors, never panic.\n"),
        ("home/project/src/api/handler.rs", "fn handle() {}\n"),
        ("home/.codex/AGENTS.md", "Be brief.\n"),
        ("home/.claude/CLAUDE.md", "Be brief.\n"),
    ]);
    let screen = place.prints("home/project", &["show", "src/api/handler.rs"]);
    let sample = format!("```text\n$ briefing show src/api/handler.rs\n{screen}```\n");
    docs::up_to_date("README.md", &docs::between("README.md", "sample", &sample));
}

#[test]
fn a_case_that_show_writes_gives_the_same_answer_elsewhere() {
    let place = project();
    std::fs::write(place.root.join("project/src/AGENTS.md"), b"-- odd --\r\n\xff\\n").expect("a file");
    let arguments = ["show", "main.rs", "--harness", "codex", "--case", "../../case.txt", "--format", "prompt"];
    let prompt = place.prints("project/src", &arguments);
    let case = Case::parse(&std::fs::read_to_string(place.root.join("case.txt")).expect("it was written"));
    let ask = case.all("@text").next().expect("the question").0.to_owned();
    let answer = crate::cases::answer(&case, &World::of(&case), &ask).expect("an answer");
    let text = answer.answer.messages[0].text.to_string().replace(&place.root.display().to_string(), "@");
    assert!(text.contains("-- odd --\r\n\u{fffd}\\n") && prompt.contains(&text), "{prompt}\n{text}");
}

#[test]
#[cfg(target_os = "linux")]
fn output_that_cannot_be_written_is_an_error_and_a_reader_that_has_gone_is_none() {
    let place = project();
    let report = ["report", "--harness", "codex", "--format", "html"];
    let show = ["show", "--harness", "codex"];
    let check = ["check", "--exit-zero", "--format", "sarif"];
    let sides = ["compare", "--left", "codex", "--right", "claude-code"];
    let mine =
        [&["check", "--exit-zero"], &check[..], &sides, &["compare", "--all"], &["completions", "bash"], &["man"]];
    let others = [&show[..], &["show", "--format", "json"], &["harnesses"], &["report"], &report, &["--help"]];
    for arguments in others.into_iter().chain(mine) {
        let full = std::fs::File::create("/dev/full").expect("the system has it");
        let output = place.command("project", arguments).stdout(full).output().expect("the program runs");
        assert_eq!(output.status.code(), Some(3), "{arguments:?}");
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = place.command("project", arguments).stdout(writer).output().expect("the program runs");
        assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]), "{arguments:?}");
    }
    for arguments in
        [&["show", "--harness", "codex", "--case", "/dev/null/case"][..], &["check", "--write-baseline", "/dev/full"]]
    {
        assert_eq!(place.run("project", arguments).status.code(), Some(3), "{arguments:?}");
    }
}

#[test]
fn why_prints_every_probe_in_the_order_asked() {
    let text = project().prints("project/src", &["show", "main.rs", "--harness", "codex", "--why"]);
    let asked: Vec<&str> = text.lines().skip_while(|line| !line.contains("asked, in this order")).skip(1).collect();
    let at =
        |words: &str| asked.iter().position(|line| line.contains(words)).unwrap_or_else(|| panic!("{words}: {text}"));
    assert!(at("@/home/.codex/config.toml → absent") < at("@/project/src/.git → absent"));
    assert!(at("@/project/AGENTS.override.md → absent") < at("@/project/AGENTS.md → file"));
    assert!(at("@/project/AGENTS.md → 12 B") < at("@/project/src/AGENTS.md → 14 B"));
}

#[test]
fn prompt_is_the_exact_text_and_nothing_else() {
    let text =
        project().prints("project", &["show", "--harness", "codex", "--format", "prompt", "--only", "instructions"]);
    assert_eq!(
        text,
        "# AGENTS.md instructions for @/project\n\n<INSTRUCTIONS>\nBe brief.\n\n--- project-doc ---\n\nRoot rules.\n\n</INSTRUCTIONS>"
    );
}

#[test]
fn prompt_with_all_layers_has_the_texts_of_the_user_and_names_those_of_the_client() {
    let place = Place::new(&[
        ("project/AGENTS.md", "Root rules.\n"),
        ("project/opencode.json", r#"{"agent":{"mine":{"mode":"primary","prompt":"You are mine."}}}"#),
        ("home/keep", ""),
    ]);
    let show = |more: &[&str]| {
        let all = [&["show", "--harness", "opencode", "--format", "prompt"], more].concat();
        place.prints("project", &all)
    };
    let own = show(&[]);
    assert!(own.starts_with("===== session · system · provider "), "{own}");
    assert!(own.contains("not repeated, opencode 1.18 =====\n") && own.contains("Root rules."), "{own}");
    let mine = show(&["--agent", "mine"]);
    assert!(mine.contains("===== session · system · agent mine · 13 bytes =====\nYou are mine.\n"), "{mine}");
}

#[test]
fn the_start_of_a_session_has_one_size_in_every_output() {
    let place = Place::new(&[
        ("project/AGENTS.md", "Root rules.\n"),
        ("project/.agents/skills/db/SKILL.md", "---\nname: db\ndescription: Talks to the database.\n---\nBody.\n"),
        ("home/keep", ""),
    ]);
    for agent in ["codex", "gemini-cli", "claude-code"] {
        let json = |command: &str| -> Value {
            let text = place.prints("project", &[command, "--agents", agent, "--format", "json"]);
            serde_json::from_str(&text).expect("JSON")
        };
        let whole = json("show")["briefings"][0]["whole"].clone();
        assert_eq!(json("report")["reports"][0]["whole"], whole, "{agent}");
        let bytes = whole["bytes"].as_u64().expect("a size");
        let layers = whole["layers"].as_array().expect("layers").iter();
        assert_eq!(layers.map(|layer| layer["bytes"].as_u64().expect("a size")).sum::<u64>(), bytes, "{agent}");
        let bytes = briefing::text::grouped(usize::try_from(bytes).expect("it fits"));
        for (command, said) in [("show", format!("{bytes} B")), ("session", format!("adds {bytes} B,"))] {
            let text = place.prints("project", &[command, "--agents", agent]);
            assert!(text.contains(&said), "{said}: {text}");
        }
    }
}

#[test]
fn json_has_texts_and_parts_and_the_trace_only_with_why() {
    let place = project();
    let parse = |arguments: &[&str]| serde_json::from_str::<Value>(&place.prints("project", arguments)).expect("JSON");
    let answer = parse(&["show", "src/main.rs", "--harness", "codex", "--format", "json"]);
    let briefing = &answer["briefings"][0];
    assert_eq!(briefing["harness"], "codex");
    assert_eq!(briefing["target"], "@/project/src/main.rs");
    assert_eq!(briefing["messages"][0]["role"], "user");
    assert!(briefing["messages"][0]["parts"][0].is_string());
    assert_eq!(briefing["messages"][1]["kind"], "environment");
    assert!(briefing.get("trace").is_none());
    let traced = parse(&["show", "--harness", "codex", "--format", "json", "--why"]);
    assert!(traced["briefings"][0]["trace"].as_array().is_some_and(|trace| !trace.is_empty()));
}

#[test]
fn a_secret_that_settings_take_for_a_name_is_said_as_they_write_it() {
    let settings = r#"{"mcp": {"{env:GITHUB_TOKEN}": {"type": "local", "command": ["x"]}}}"#;
    let place = Place::new(&[("project/AGENTS.md", "R\n"), ("home/.config/opencode/opencode.json", settings)]);
    let mut command = place.command("project", &["show", "--harness", "opencode", "-v"]);
    let output = command.env("GITHUB_TOKEN", "ghp_secretvalue123").output().expect("the program runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("the MCP server {env:GITHUB_TOKEN} may") && !said.contains("ghp_secret"), "{said}");
}

#[test]
fn a_refusal_is_an_answer_and_misuse_is_not() {
    let place = Place::new(&[("project/AGENTS.md", "R\n"), ("home/.codex/config.toml", "model = \n")]);
    let refused = place.prints("project", &["show", "--harness", "codex"]);
    assert!(refused.contains("refused  ~/.codex/config.toml  codex  1:9: "), "{refused}");
    for (arguments, words) in [
        (&["show", "--harness", "kodex"][..], "there is no agent `kodex`; did you mean codex?"),
        (&["show", "--harness", "claud"], "there is no agent `claud`; did you mean claude-code?"),
        (&["show", "--harness", "nothing-like-it"], "there is no agent `nothing-like-it`; the agents are codex, "),
        (&["show", "--harness", "codex@new"], "`new` is not a version of codex"),
        (&["show", "--session", "night"], "session: `night` is not one of main"),
        (&["show", "--request", "{"], "--request: not valid JSON (line 1, column 1)"),
        (&["show", "--request", "{\"sesion\": 1}"], "--request: unknown field `sesion`; the fields are"),
        (&["show", "--request", "{\"session\": 1}"], "--request: `session` must be a string"),
        (&["show", "--cwd", "nowhere"], "--cwd: there is no directory nowhere"),
        (&["show", "--home", "AGENTS.md"], "--home: AGENTS.md is not a directory"),
        (
            &["session", "--harness", "codex", "--read", "AGENTS.md", "--skill", ""],
            "`--skill` wants a value that is not empty",
        ),
        (&["compare", "--home", "nowhere"], "--home: there is no directory nowhere"),
        (&["show", "--harness", "all", "--format", "prompt", "--message", "1"], "--message: name one agent"),
        (&["show", "--harness", "codex", "--format", "prompt", "--message", "2"], "sends no message of instructions"),
        (&["shw"], "unrecognized subcommand"),
    ] {
        let output = place.run("project", arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}

#[test]
fn home_and_cwd_can_be_assumed_and_versions_outside_the_checked_range_are_marked() {
    let place = project();
    let elsewhere = Place::new(&[("home/.codex/AGENTS.md", "Another home.\n")]);
    let home = elsewhere.root.join("home");
    let text = place.prints(
        ".",
        &[
            "show",
            "--harness",
            "codex@0.180.3",
            "--format",
            "json",
            "--home",
            &home.display().to_string(),
            "--cwd",
            "project/src",
        ],
    );
    let answer: Value = serde_json::from_str(&text).expect("JSON");
    let briefing = &answer["briefings"][0];
    assert_eq!(briefing["standpoint"]["cwd"], "@/project/src");
    assert!(briefing["messages"][0]["text"].as_str().is_some_and(|text| text.contains("Another home.")));
    assert_eq!((&briefing["edition"], &briefing["fidelity"]), (&"0.169".into(), &"unchecked".into()));
    assert_eq!(briefing["warnings"][0]["code"], "unchecked-version");
}

#[test]
fn harnesses_are_listed_with_their_editions_and_compared_topic_by_topic() {
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        (
            "project/briefing.toml",
            "[harness.mine]\ntitle = \"Mine\"\nextends = \"codex@0.104\"\noverride.total_limit = 100\n\n[harness.wrong]\nsource = 1\n",
        ),
        ("project/node_modules/@openai/codex/package.json", r#"{"name": "@openai/codex", "version": "0.104.0"}"#),
    ]);
    let list = place.prints("project", &["harnesses"]);
    let lines: Vec<Vec<&str>> = list.lines().map(|line| line.split_whitespace().collect()).collect();
    for wanted in [
        &["running", "rules", "checked"][..],
        &["●", "mine", "custom", "you"],
        &["●", "codex", "0.104.0", "0.104.0"],
        &["etcode", "2026.2", "2026.2", "reading"],
        &["agentcore", "2026", "2026", "reading"],
    ] {
        assert!(lines.iter().any(|line| line.starts_with(wanted)), "{wanted:?}: {list}");
    }
    assert!(list.contains("installed: node_modules/@openai/codex/package.json"), "{list}");
    assert!(list.contains("also 0.169"), "{list}");
    // Without an installed version, those that were replayed are named, and when.
    let history = briefing::harness::profile("gemini-cli").and_then(|profile| profile.history).expect("a history");
    let (first, last) = (&history.replays[0], history.replays.last().expect("a replay"));
    let wanted = ["gemini-cli", &last.version, &first.version, "to", &last.version, "client", &last.date];
    assert!(lines.iter().any(|line| line.starts_with(&wanted)), "{wanted:?}: {list}");
    let details = place.prints("project", &["harnesses", "--details"]);
    let topics: Vec<&str> = details.lines().filter(|line| !line.starts_with(' ') && !line.is_empty()).collect();
    let (records, topics) = topics.split_last().expect("topics");
    assert_eq!(*records, "records");
    assert!(details.contains("no text (3.0)"), "{details}");
    assert_eq!(topics, briefing::harness::Details::TITLES);
    let truncation = details.split("\n\n").find(|topic| topic.starts_with("truncation\n")).expect("a topic");
    let mine = &truncation[truncation.find("\n  mine ").expect("a row")..];
    assert!(mine.split_whitespace().collect::<Vec<_>>().join(" ").contains("with values overridden"), "{mine}");

    let json = place.prints("project", &["harnesses", "--details", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let rows = json["harnesses"].as_array().expect("a list");
    let is_row = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    assert_eq!(rows.len(), truncation.lines().filter(is_row).count());
    for row in rows {
        let topics = row["details"].as_object().expect("a table");
        assert_eq!(topics.len(), briefing::harness::Details::TITLES.len(), "{row}");
    }
    let used: Vec<_> = json["roster"]["mine"].as_array().expect("a list").iter().map(|one| &one["harness"]).collect();
    assert_eq!(used, ["mine", "codex"], "{}", json["roster"]);
    let only = place.prints("project", &["harnesses", "--harness", "codex@auto", "--harness", "mine"]);
    let rows = only.lines().skip(1).filter(|line| !line.starts_with("    "));
    let names: Vec<_> = rows.map(|line| line.split_whitespace().nth(1).unwrap_or("")).collect();
    assert_eq!(names, ["mine", "codex"]);
    let output = place.run("project", &["harnesses", "--harness", "wrong"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("briefing.toml:7:10: "), "{said}");
}

#[test]
fn the_installed_version_is_found_without_running_it() {
    let package = |name: &str, version: &str| format!(r#"{{"name": "{name}", "version": "{version}"}}"#);
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("npm/lib/node_modules/@openai/codex/package.json", &package("@openai/codex", "0.104.0")),
        ("npm/lib/node_modules/@openai/codex/bin/codex.js", "exit 1"),
        // A package inside another, whose manifest is not the one that is wanted.
        ("npm/lib/node_modules/@openai/codex/bin/package.json", &package("inner", "9.9.9")),
        ("pnpm/gemini", "#!/bin/sh\nexit 1"),
        ("pnpm/global/5/node_modules/@google/gemini-cli/package.json", &package("@google/gemini-cli", "0.61.0")),
        ("bare/opencode", "exit 1"),
        ("home/.bun/install/global/node_modules/openclaw/package.json", &package("openclaw", "2026.9.6")),
        ("project/node_modules/@github/copilot/package.json", &package("@github/copilot", "1.0.88")),
        // An editor, which lies as packages of systems have it.
        ("code/bin/code", "#!/bin/sh\nexit 1"),
        ("code/resources/app/package.json", &package("Code", "1.140.0")),
    ]);
    std::fs::create_dir_all(place.root.join("npm/bin")).expect("a directory");
    std::os::unix::fs::symlink("../lib/node_modules/@openai/codex/bin/codex.js", place.root.join("npm/bin/codex"))
        .expect("a link");
    let path = ["npm/bin", "pnpm", "bare", "code/bin"].map(|dir| place.root.join(dir).display().to_string()).join(":");
    let answer = |arguments: &[&str]| {
        let all = ["show", "--format", "json"].iter().chain(arguments);
        let output = place.command("project", all).env("PATH", &path).output().expect("the program runs");
        serde_json::from_slice::<Value>(&output.stdout).expect("JSON")["briefings"][0].clone()
    };
    for (harness, edition, warning) in [
        ("codex@auto", "0.104", ""),
        ("gemini-cli@auto", "0.61", ""),
        ("opencode@auto", "1.18", "nothing says which version of OpenCode"),
        ("openclaw@auto", "2026.9", ""),
        ("copilot-cli@auto", "1.0", ""),
        ("etcode@auto", "2026.2", "not a program"),
        ("codex", "0.104", ""),
    ] {
        let briefing = answer(&["--harness", harness]);
        assert_eq!(briefing["edition"], edition, "{briefing}");
        let warnings = briefing["warnings"].as_array().cloned().unwrap_or_default();
        let said = warnings.iter().find(|said| said["code"] == "unknown-version");
        let said = said.and_then(|said| said["message"].as_str()).unwrap_or_default();
        assert!(said.contains(warning) && said.is_empty() == warning.is_empty(), "{harness}: {said}");
    }
    assert_eq!(answer(&["--harness", "codex", "--edition", "auto"])["edition"], "0.104");
    let unasked = answer(&["--harness", "codex"]);
    assert_eq!((&unasked["edition"], &unasked["version"]["running"]), (&"0.104".into(), &"0.104.0".into()));
    assert_eq!(answer(&["--harness", "codex", "--edition", "newest"])["edition"], "0.169");
    let newer = answer(&["--harness", "copilot-vscode"]);
    assert_eq!((&newer["version"]["running"], &newer["fidelity"]), (&"1.140.0".into(), &"unchecked".into()));
    let mine = answer(&[]);
    assert_eq!((&mine["harness"], &mine["edition"]), (&"codex".into(), &"0.104".into()), "the first of the installed");
}

#[test]
fn nothing_is_written_anywhere() {
    let place = project();
    let before = listing(&place.root);
    place.prints("project", &["show", "src/main.rs", "--why"]);
    assert_eq!(listing(&place.root), before);
}

/// Every path with its size and time of change.
fn listing(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut todo = vec![root.to_owned()];
    while let Some(dir) = todo.pop() {
        for entry in std::fs::read_dir(dir).expect("a directory") {
            let path = entry.expect("an entry").path();
            let meta = std::fs::symlink_metadata(&path).expect("it exists");
            found.push(format!("{} {} {:?}", path.display(), meta.len(), meta.modified()));
            if meta.is_dir() {
                todo.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn explain_prints_the_page_that_editors_open() {
    let place = project();
    let page = place.prints("project", &["explain", "near-budget"]);
    assert!(page.starts_with("# near-budget\n\n*hint* · 85 % of a limit"), "{page}");
    let page = page.replace('\n', " ");
    assert!(page.contains("Fixes: those of over-budget.") && page.contains("--severity near-budget=off"), "{page}");
    let all = place.prints("project", &["explain"]);
    assert!(all.starts_with("# Findings\n") && all.contains("\n- dead-glob: *warning* · "), "{all}");
    let unknown = place.run("project", &["explain", "over-budge"]);
    assert_eq!(unknown.status.code(), Some(2));
    let said = String::from_utf8_lossy(&unknown.stderr);
    assert!(said.contains("there is no finding `over-budge`; did you mean `over-budget`"), "{said}");
}

#[test]
fn shells_and_manuals_know_every_command() {
    let place = project();
    for (shell, mark) in [
        ("bash", "complete -F _briefing"),
        ("zsh", "#compdef briefing"),
        ("fish", "complete -c briefing"),
        ("powershell", "Register-ArgumentCompleter"),
        ("nushell", "export extern \"briefing check\""),
    ] {
        let script = place.prints("project", &["completions", shell]);
        assert!(script.contains(mark) && script.contains("write-baseline"), "{shell}: {script}");
        // Shells offer what only the program knows: codes, severities, agents and budgets.
        // PowerShell's offer options alone.
        for word in ["over-budget", "over-budget=", "claude-code", "claude-code=", "mine"] {
            assert!(script.contains(word) || shell == "powershell", "{shell}: {word}");
        }
    }
    assert_eq!(place.run("project", &["completions", "csh"]).status.code(), Some(2));
    assert!(place.prints("project", &["man"]).contains("briefing\\-check(1)"));
    place.prints("project", &["man", "--out", ".."]);
    let page = std::fs::read_to_string(place.root.join("briefing-check.1")).expect("it was written");
    assert!(page.contains("\\-\\-base"), "{page}");
    place.prints("project", &["man", "--out", "../made/here"]);
    assert!(place.root.join("made/here/briefing.1").exists());
    assert_eq!(place.run("project", &["man", "--out", "../briefing-check.1/below"]).status.code(), Some(3));
}

#[test]
fn nothing_is_fetched_unless_that_is_asked_for() {
    let server = Server::new(|_, _| ("200 OK", b"Served.\n".to_vec()));
    let url = server.url("/rules.md");
    let settings = format!("{{\"instructions\": [\"{url}\"]}}");
    let place = Place::new(&[("project/opencode.json", &settings)]);
    let asked = ["show", "--harness", "opencode", "--format"];
    assert_eq!(place.prints("project", &[&asked[..], &["prompt", "--only", "instructions"]].concat()), "");
    let text = place.prints("project", &[&asked[..], &["text", "-v"]].concat());
    assert!(text.contains("not fetched") && text.contains("--fetch"), "{text}");
    assert_eq!(server.came(), [""; 0]);
    // A URL in the repository may name this machine, whatever listens there.
    let text = place.prints("project", &[&asked[..], &["text", "-v", "--fetch"]].concat());
    assert!(text.contains("--fetch-private") && server.came().is_empty(), "{text}");
    let fetch = ["prompt", "--only", "instructions", "--fetch", "--fetch-private"];
    let text = place.prints("project", &[&asked[..], &fetch].concat());
    assert_eq!(text, format!("Instructions from: {url}\nServed.\n"));
    assert_eq!(server.came(), ["/rules.md"]);
    let json = place.prints("project", &[&asked[..], &["json", "--fetch", "--fetch-private"]].concat());
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["briefings"][0]["fidelity"], "exact", "{json}");
    assert_eq!(json["briefings"][0]["sources"][0]["url"], url, "{json}");
}

#[test]
fn one_message_of_several_is_selected_and_nothing_is_printed_around_them() {
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/CLAUDE.md", "Root.\n"),
        ("project/src/CLAUDE.md", "Below.\n"),
        ("project/src/a.rs", ""),
    ]);
    let show = ["show", "src/a.rs", "--harness", "claude-code", "--format", "prompt"];
    let one = |number: &str| place.prints("project", &[&show[..], &["--message", number]].concat());
    let (first, second) = (one("1"), one("2"));
    assert!(first.contains("Root.") && !first.contains("Below.") && second.contains("Below."), "{first}{second}");
    let between = if first.ends_with('\n') { "" } else { "\n" };
    let both = place.prints("project", &[&show[..], &["--only", "instructions"]].concat());
    assert_eq!(both, format!("{first}{between}{second}"));
}

#[test]
fn what_keeps_a_text_from_being_exact_is_said_beside_it_and_in_json() {
    let place = project();
    let output = place.run("project", &["show", "--harness", "kiro", "--format", "prompt"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.starts_with("briefing: the text for Kiro is not exact: "), "{said}");
    let json = place.prints("project", &["show", "--harness", "kiro", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let reason = said.trim_start_matches("briefing: the text for Kiro is not exact: ").trim_end();
    assert_eq!(json["briefings"][0]["warnings"][0], serde_json::json!({"code": "not-exact", "message": reason}));
    let exact = place.run("project", &["show", "--harness", "codex", "--format", "prompt"]);
    assert!(exact.stderr.is_empty());
}

#[test]
fn harnesses_are_named_in_one_list_and_colors_are_a_choice() {
    let place = project();
    let list = place.prints("project", &["show", "--harness", "codex,junie", "--format", "json"]);
    assert_eq!(serde_json::from_str::<Value>(&list).expect("JSON")["briefings"].as_array().map(Vec::len), Some(2));
    let plain = place.prints("project", &["show", "--harness", "codex"]);
    assert!(!plain.contains('\u{1b}'));
    let colored = place.prints("project", &["show", "--harness", "codex", "--color", "always"]);
    assert!(colored.contains('\u{1b}'));
    let help = place.prints("project", &["show", "--help"]);
    assert!(help.contains("Examples:\n  briefing show "), "{help}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_an_error() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("the device");
    let output = project().command("project", ["show"].iter()).stdout(full).output().expect("the program runs");
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot be written"));
}

/// Put together here, so that no scanner takes this file for a leak.
fn token() -> String {
    ["ghp_", "q7Zp2LkV9xTfB4mWc8RsYd3HnJ6gAe5uPo1i"].concat()
}

#[test]
fn what_settings_take_from_the_environment_is_shown_only_to_who_wants_to_see_it() {
    let settings = |name: &str| format!(r#"{{"context": {{"fileName": ["{name}", "docs/${{DOCUMENT}}"]}}}}"#);
    for (harness, folder) in [("gemini-cli", ".gemini"), ("qwen-code", ".qwen")] {
        let file = format!("project/{folder}/settings.json");
        let (written, token) = (settings("$GREETING_VALUE"), token());
        let place = Place::new(&[(&file, &written), ("project/docs/rules-here.md", "Rules.\n")]);
        let shown = |more: &[&str]| {
            let mut arguments = vec!["show", "--harness", harness, "--format", "json", "--why"];
            arguments.extend(more);
            let mut command = place.command("project", &arguments);
            let output =
                command.env("GREETING_VALUE", &token).env("DOCUMENT", "rules-here.md").output().expect("it runs");
            String::from_utf8(output.stdout).expect("UTF-8")
        };
        let said = shown(&[]);
        assert!(!said.contains(&token) && said.contains("/project/$GREETING_VALUE"), "{harness}: {said}");
        // By what is there, everybody sees what the value is.
        assert!(said.contains("docs/rules-here.md") && !said.contains("docs/${DOCUMENT}"), "{harness}: {said}");
        let json: Value = serde_json::from_str(&said).expect("JSON");
        assert_eq!(json["briefings"][0]["standpoint"]["env"]["GREETING_VALUE"], "(set)");
        let revealed = shown(&["--reveal"]);
        let json: Value = serde_json::from_str(&revealed).expect("JSON");
        assert_eq!(json["briefings"][0]["standpoint"]["env"]["GREETING_VALUE"], token);
        assert!(revealed.contains(&format!("/project/{token}")));
    }
}

#[test]
fn what_is_pasted_names_nobody() {
    let token = token();
    let place = Place::new(&[("project/AGENTS.md", &format!("Use {token} here, ada.\n"))]);
    let home = place.root.join("home").display().to_string();
    for arguments in [
        &["show", "--harness", "codex", "-v", "--home", &home][..],
        &["show", "--harness", "codex", "--format", "prompt"],
        &["show", "--harness", "codex", "--format", "json", "--why"],
        &["report", "--harness", "codex", "--format", "json"],
    ] {
        let mut command = place.command("project", arguments);
        let output = command.arg("--redact").env("USER", "ada").output().expect("it runs");
        let said = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(output.status.success() && !said.is_empty());
        assert!(!said.contains(&token) && !said.contains("ada.") && !said.contains(&home), "{said}");
    }
}

#[test]
fn arguments_that_would_be_without_effect_are_refused() {
    let place = project();
    for (arguments, problem) in [
        (&["show", "--layers", "all"][..], "--only selects what --format prompt prints"),
        (&["show", "--no-home", "--home", "."], "cannot be used with"),
        (&["verify", "codex", "--no-home", "--yes"], "--no-home: a client is asked with its settings"),
    ] {
        let output = place.run("project", arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(problem), "{arguments:?}: {said}");
    }
    let without = place.prints("project", &["show", "--no-home", "--agents", "codex", "-v"]);
    assert!(without.contains("AGENTS.md") && !without.contains(".codex"), "{without}");
    let agent = place.run("project", &["show", "--no-home", "--agents", "codex", "--agent", "claude-code"]);
    let said = String::from_utf8_lossy(&agent.stderr);
    assert!(said.contains("--agent claude-code makes no difference for Codex; --agents chooses agents\n"), "{said}");
    let agents = place.prints("project", &["agents", "--agents", "claude-code"]);
    assert_eq!(agents, place.prints("project", &["agents", "--harness", "claude-code"]));
}

#[test]
fn an_empty_folder_of_an_agent_speaks_for_nobody() {
    let place = project();
    std::fs::create_dir_all(place.root.join("project/.github/instructions")).expect("a folder");
    let said = place.prints("project", &["show", "--no-home"]);
    assert!(!said.contains("copilot-vscode"), "{said}");
    std::fs::write(place.root.join("project/.github/instructions/a.instructions.md"), "Use tabs.\n").expect("a file");
    let said = place.prints("project", &["show", "--no-home"]);
    assert!(said.contains("copilot-vscode"), "{said}");
}
