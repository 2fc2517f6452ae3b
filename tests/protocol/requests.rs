//! Our own requests beyond the first one: reports, comparisons, files, previews, commands; and what is announced.

use serde_json::{Value, json};

use super::INVALID_PARAMS;
use super::editor::Editor;
use crate::client::{DEADLINE, tests};
use crate::remote::Server;
use crate::revision::git;

const AGENTS: &str = "project/AGENTS.md";

fn reading(answer: &Value, path: &str, harness: &str) -> (Value, Value) {
    let files = answer["files"].as_array().expect("files");
    let file = files.iter().find(|file| file["path"].as_str().is_some_and(|found| found.ends_with(path)));
    let readings = file.unwrap_or_else(|| panic!("{path} in {answer}"))["harnesses"].as_array().expect("harnesses");
    let reading = readings.iter().find(|reading| reading["harness"] == harness).expect("the harness");
    (reading["fate"].clone(), reading["trigger"].clone())
}

// Requests.
tests! {
    async fn what_needs_no_parameters_takes_none_null_or_any_object() {
        let mut editor = Editor::open().await;
        for method in ["briefing/harnesses", "briefing/status", "briefing/instructionFiles", "briefing/contextReport"] {
            for params in [json!(null), json!({}), json!({"anything": 5})] {
                editor.ask(method, params.clone()).await.unwrap_or_else(|error| panic!("{method} {params}: {error}"));
            }
        }
        editor.leave().await;
    }

    async fn a_context_report_counts_what_each_source_takes() {
        let mut editor = Editor::open().await;
        editor.write(AGENTS, "x".repeat(40_000));
        let answer = editor.ask("briefing/contextReport", json!({"harness": "codex"})).await.expect("an answer");
        let report = &answer["reports"][0];
        assert_eq!((&report["harness"], &report["sources"][0]["injected"]), (&json!("codex"), &json!(32_768)));
        assert_eq!(report["sources"][0]["fate"], "truncated");
        let bytes = report["totals"]["bytes"].as_u64().expect("a number");
        assert_eq!(report["frame"].as_u64(), Some(bytes - 32_768));
        assert_eq!(editor.effective(json!({})).await["version"], answer["version"]);
        editor.leave().await;
    }

    async fn two_harnesses_editions_or_standpoints_are_compared() {
        let mut editor = Editor::open().await;
        editor.write(AGENTS, "Root.\n");
        editor.write("project/src/AGENTS.md", "Nested.\n");
        let kinds = |answer: &Value| -> Vec<(String, String)> {
            let differences = answer["differences"].as_array().expect("differences").iter();
            let word = |value: &Value| value.as_str().expect("a word").rsplit("project/").next().unwrap_or_default().to_owned();
            differences.map(|difference| (word(&difference["name"]), word(&difference["kind"]))).collect()
        };
        let here = json!({"harness": "codex"});
        let below = json!({"harness": "codex", "cwd": editor.uri("project/src")});
        let same = editor.ask("briefing/compare", json!({"left": here, "right": here})).await.expect("an answer");
        assert_eq!((&same["same"], kinds(&same)), (&json!(true), vec![]));
        let more = editor.ask("briefing/compare", json!({"left": here, "right": below})).await.expect("an answer");
        assert_eq!((&more["same"], kinds(&more)), (&json!(false), vec![("src/AGENTS.md".to_owned(), "added".to_owned())]));
        let less = editor.ask("briefing/compare", json!({"left": below, "right": here})).await.expect("an answer");
        assert_eq!(kinds(&less), [("src/AGENTS.md".to_owned(), "lost".to_owned())]);
        let others = json!({"left": {"harness": "codex@0.104"}, "right": {"harness": "opencode"}});
        let others = editor.ask("briefing/compare", others).await.expect("an answer");
        assert!(others["left"].as_str().is_some_and(|title| title.starts_with("Codex 0.104 in ")), "{others}");
        assert!(others["texts"]["right"].as_str().is_some_and(|text| text.contains("Root.")), "{others}");
        for (sides, words) in [
            (json!({"left": here}), "right"),
            (json!({"left": here, "right": {"harness": ["codex", "opencode"]}}), "right: it takes one harness to compare, not 2"),
            (json!({"left": {"harness": []}, "right": here}), "left: it takes one harness to compare, not 0"),
            (json!({"left": {"harness": "kodex"}, "right": here}), "there is no agent `kodex`"),
        ] {
            let error = editor.ask("briefing/compare", sides.clone()).await.expect_err("an error");
            assert_eq!(error["code"], INVALID_PARAMS);
            assert!(error["message"].as_str().expect("words").contains(words), "{sides}: {error}");
        }
        editor.leave().await;
    }

    async fn the_working_tree_is_compared_with_a_revision() {
        let mut editor = Editor::open().await;
        let root = editor.path("project");
        std::fs::remove_dir(root.join(".git")).expect("it was empty");
        git(&root, &["init", "-q"]);
        editor.write(AGENTS, "Root.\n");
        editor.write("project/src/AGENTS.md", "Nested.\n");
        git(&root, &["add", "-A"]);
        git(&root, &["commit", "-q", "-m", "one"]);
        editor.write("project/AGENTS.override.md", "Instead.\n");
        std::fs::remove_file(editor.path("project/src/AGENTS.md")).expect("it was there");
        let now = json!({"harness": "codex", "cwd": editor.uri("project/src")});
        let mut then = now.clone();
        then["revision"] = json!("HEAD");
        let answer = editor.ask("briefing/compare", json!({"left": then, "right": now})).await.expect("an answer");
        assert!(answer["left"].as_str().is_some_and(|title| title.ends_with("/project/src at HEAD")), "{answer}");
        let kinds: Vec<String> = answer["differences"].as_array().expect("a list").iter()
            .map(|one| format!("{} {}", one["kind"].as_str().unwrap_or_default(), one["name"].as_str().and_then(|name| name.split("/project/").nth(1)).unwrap_or_default()))
            .collect();
        assert_eq!(kinds, ["added AGENTS.override.md", "lost AGENTS.md", "lost src/AGENTS.md"]);
        let text = answer["texts"]["left"].as_str().expect("a text");
        assert!(text.contains("Root.\n") && text.contains("Nested.\n"), "{text}");
        let same = editor.ask("briefing/compare", json!({"left": then, "right": then})).await.expect("an answer");
        assert_eq!(same["same"], true);
        // What is typed is no part of a revision.
        editor.open_document(AGENTS, "Typed.\n").await;
        editor.diagnostics(AGENTS).await;
        let again = editor.ask("briefing/compare", json!({"left": then, "right": now})).await.expect("an answer");
        assert_eq!(again["texts"]["left"], answer["texts"]["left"]);
        then["revision"] = json!("none");
        let error = editor.ask("briefing/compare", json!({"left": then, "right": now})).await.expect_err("an error");
        assert!(error["message"].as_str().is_some_and(|words| words.starts_with("left: there is no revision `none`")), "{error}");
        editor.leave().await;
    }

    async fn every_instruction_file_is_listed_with_who_reads_it_and_when() {
        let mut editor = Editor::open().await;
        editor.write("home/.codex/AGENTS.md", "Global.\n");
        editor.write(AGENTS, "Root.\n");
        editor.write("project/src/AGENTS.md", "Nested.\n");
        editor.write("project/src/main.rs", "");
        editor.write("project/.gitignore", "ignored\n");
        editor.write("project/ignored/AGENTS.md", "Ignored by git, not by agents.\n");
        editor.write("project/ignored/x", "");
        editor.write("project/node_modules/p/AGENTS.md", "Foreign.\n");
        editor.write("project/README.md", "For people.\n");
        let both = json!({"harness": ["codex", "opencode"]});
        let answer = editor.ask("briefing/instructionFiles", both.clone()).await.expect("an answer");
        assert_eq!(answer["complete"], true);
        let paths: Vec<_> = answer["files"].as_array().expect("files").iter().map(|file| file["path"].clone()).collect();
        let wanted = ["home/.codex/AGENTS.md", AGENTS, "project/ignored/AGENTS.md", "project/src/AGENTS.md"];
        assert_eq!(paths, wanted.map(|path| json!(editor.path(path))));
        let loaded = |trigger: &str| (json!("loaded"), json!(trigger));
        let never = (Value::Null, Value::Null);
        assert_eq!(reading(&answer, "home/.codex/AGENTS.md", "codex"), loaded("session"));
        assert_eq!(reading(&answer, "home/.codex/AGENTS.md", "opencode"), never);
        assert_eq!(reading(&answer, "project/AGENTS.md", "codex"), loaded("session"));
        assert_eq!(reading(&answer, "src/AGENTS.md", "codex"), never);
        assert_eq!(reading(&answer, "src/AGENTS.md", "opencode"), loaded("read"));
        assert_eq!(reading(&answer, "ignored/AGENTS.md", "opencode"), loaded("read"));

        // From another place others are read. What is typed counts here, too.
        editor.open_document("project/src/AGENTS.md", "").await;
        editor.diagnostics("project/src/AGENTS.md").await;
        let below = json!({"harness": ["codex", "opencode"], "cwd": editor.uri("project/src")});
        let answer = editor.ask("briefing/instructionFiles", below).await.expect("an answer");
        assert_eq!(reading(&answer, "src/AGENTS.md", "codex").0, "empty");
        let error = editor.ask("briefing/instructionFiles", json!({"harness": "kodex"})).await.expect_err("an error");
        assert_eq!(error["code"], INVALID_PARAMS);
        editor.leave().await;
    }

    async fn a_preview_is_the_exact_prompt_and_says_where_it_comes_from() {
        let mut editor = Editor::open().await;
        editor.write("home/.codex/AGENTS.md", "Global rules, \u{1F600}.\n");
        editor.write(AGENTS, "Root rules.\n");
        editor.write("project/src/AGENTS.md", "Nested rules.\n");
        editor.write("project/src/main.rs", "");
        for (harness, file, sources) in [
            ("codex", "", vec!["home/.codex/AGENTS.md", AGENTS]),
            ("codex@0.104", "", vec!["home/.codex/AGENTS.md", AGENTS]),
            ("opencode", "project/src/main.rs", vec![AGENTS, "project/src/AGENTS.md"]),
        ] {
            let path = if file.is_empty() { "/".to_owned() } else { editor.path(file).display().to_string() };
            let uri = format!("briefing:/{harness}{path}");
            let preview = editor.ask("briefing/preview", json!({"uri": uri})).await.expect("an answer");
            let document = editor.ask("workspace/textDocumentContent", json!({"uri": uri})).await.expect("an answer");
            assert_eq!(preview["text"], document["text"]);
            let text = preview["text"].as_str().expect("a text");
            let spans = preview["spans"].as_array().expect("spans");
            let paths: Vec<Value> = spans.iter().map(|span| span["path"].clone()).collect();
            assert_eq!(paths, sources.iter().map(|source| json!(editor.path(source))).collect::<Vec<_>>(), "{preview}");
            for span in spans {
                let at = |name: &str| usize::try_from(span[name].as_u64().expect("an offset")).expect("small");
                let file = std::fs::read(span["path"].as_str().expect("a path")).expect("it is there");
                let run = &text.as_bytes()[at("start")..at("end")];
                assert!(file[at("pathStart")..].starts_with(run) && run.len() > 10, "{span}");
            }
            let mut params = json!({"harness": harness, "include": ["text"]});
            if !file.is_empty() {
                params["textDocument"] = json!({"uri": editor.uri(file)});
            }
            let answer = editor.effective(params).await;
            for message in answer["briefings"][0]["messages"].as_array().expect("messages") {
                if message.get("kind").is_none() {
                    assert!(text.contains(message["text"].as_str().expect("a text")), "{text}");
                }
            }
        }
        for uri in ["briefing:/", "briefing:/kodex/", "file:///p/AGENTS.md", "nonsense"] {
            let error = editor.ask("briefing/preview", json!({"uri": uri})).await.expect_err("an error");
            assert_eq!(error["code"], INVALID_PARAMS, "{uri}: {error}");
        }
        editor.leave().await;
    }

    async fn commands_say_what_the_requests_say() {
        let mut editor = Editor::with(json!({"capabilities": {"window": {"showDocument": {"support": true}}}})).await;
        editor.write(AGENTS, "Rules.\n");
        let about = json!({"uri": editor.uri(AGENTS), "harness": "codex"});
        let asked = json!({"textDocument": {"uri": editor.uri(AGENTS)}, "harness": "codex"});
        let sides = json!({"left": asked, "right": asked});
        for (command, argument, method, params) in [
            ("briefing.show", &about, "briefing/effectiveInstructions", &asked),
            ("briefing.report", &about, "briefing/contextReport", &asked),
            ("briefing.why", &about, "briefing/explain", &asked),
            ("briefing.compare", &sides, "briefing/compare", &sides),
            ("briefing.files", &json!({"harness": "codex"}), "briefing/instructionFiles", &json!({"harness": "codex"})),
        ] {
            let carried_out = json!({"command": command, "arguments": [argument]});
            let result = editor.ask("workspace/executeCommand", carried_out).await;
            assert_eq!(result, editor.ask(method, params.clone()).await, "{command}");
        }
        let show = json!({"command": "briefing.preview", "arguments": [about]});
        let id = editor.send("workspace/executeCommand", show).await;
        let question = editor.said().await;
        let uri = format!("briefing:/codex{}", editor.path(AGENTS).display());
        assert_eq!((&question["method"], &question["params"]["uri"]), (&json!("window/showDocument"), &json!(uri)));
        editor.answer(&question, json!({"success": true})).await;
        let shown = editor.answer_to(id).await.expect("an answer");
        assert_eq!(shown["uri"], uri);
        assert!(shown["text"].as_str().is_some_and(|text| text.contains("Rules.")), "{shown}");
        for (wrong, words) in [
            (json!({"command": "briefing.dance"}), "there is no command `briefing.dance`"),
            (json!({"command": "briefing.preview"}), "name it"),
            (json!({"command": "briefing.why", "arguments": [{"harness": "codex"}]}), "textDocument"),
            (json!({"command": "briefing.show", "arguments": [{"harness": "kodex"}]}), "there is no agent `kodex`"),
        ] {
            let error = editor.ask("workspace/executeCommand", wrong.clone()).await.expect_err("an error");
            assert_eq!(error["code"], INVALID_PARAMS, "{wrong}: {error}");
            assert!(error["message"].as_str().expect("words").contains(words), "{wrong}: {error}");
        }
        editor.leave().await;
    }
}

// What is fetched.
tests! {
    async fn urls_are_fetched_once_the_user_has_said_so() {
        let server = Server::new(|path, _| match path {
            "/rules.md" => ("200 OK", b"Served.".to_vec()),
            _ => ("404 Not Found", Vec::new()),
        });
        let (rules, gone) = (server.url("/rules.md"), server.url("/gone.md"));
        let mut editor = Editor::open().await;
        let about = json!({"cwd": editor.uri("project"), "harness": "opencode", "include": ["text"]});
        let fetch = json!({"command": "briefing.fetch", "arguments": [about]});
        editor.write("project/opencode.json", json!({"instructions": [rules, gone]}).to_string());
        // Codex knows no URLs.
        let codex = json!({"command": "briefing.fetch", "arguments": [{"harness": "codex"}]});
        let id = editor.send("workspace/executeCommand", codex).await;
        let said = editor.said().await;
        assert_eq!(said["method"], "window/showMessage", "{said}");
        assert_eq!(editor.answer_to(id).await.expect("an answer")["fetched"], json!([]));
        for (chosen, fetched) in [
            (json!(null), json!([])),
            (json!({"title": "Cancel"}), json!([])),
            (
                json!({"title": "Fetch"}),
                json!([
                    {"url": gone, "problem": "the server answers 404 Not Found"},
                    {"url": rules, "bytes": 7},
                ]),
            ),
        ] {
            let id = editor.send("workspace/executeCommand", fetch.clone()).await;
            let question = editor.said().await;
            assert_eq!(question["method"], "window/showMessageRequest", "{question}");
            let words = question["params"]["message"].as_str().expect("words");
            assert!(words.contains(&rules) && words.contains(&gone), "{words}");
            assert_eq!(server.came(), [""; 0], "before {chosen}");
            editor.answer(&question, chosen).await;
            if fetched != json!([]) {
                let said = editor.said().await;
                let words = format!("Briefing: 1 of 2 URLs were fetched; {gone}: the server answers 404 Not Found");
                assert_eq!(said["params"]["message"], words, "{said}");
            }
            assert_eq!(editor.answer_to(id).await.expect("an answer")["fetched"], fetched);
        }
        let answer = editor.effective(about).await;
        let briefing = &answer["briefings"][0];
        assert_eq!(briefing["fidelity"], "exact", "{briefing}");
        assert_eq!(briefing["messages"][2]["text"], format!("Instructions from: {rules}\nServed."), "{briefing}");
        assert_eq!(server.came().len(), 2);
        editor.leave().await;
    }
}

/// Puts a record of Claude Code beside an editor: a session in which one file was given.
fn record(editor: &Editor) {
    let project = std::fs::canonicalize(editor.path("project")).expect("a directory");
    let project = project.to_str().expect("UTF-8");
    let folder: String = project.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let line = |more: Value| {
        let mut line =
            json!({"sessionId": "recorded", "timestamp": "2026-11-24T10:00:00Z", "version": "2.1.330", "cwd": project});
        line.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        format!("{line}\n")
    };
    let files = json!([{"path": format!("{project}/CLAUDE.md"), "content": "Use tabs."}]);
    let lines = [
        line(json!({"type": "user", "message": {"role": "user", "content": "a secret prompt"}})),
        line(json!({"type": "attachment", "attachment": {"type": "instructions", "files": files}})),
    ];
    editor.write(&format!("home/.claude/projects/{folder}/recorded.jsonl"), lines.concat());
}

// Recorded sessions.
tests! {
    async fn records_are_read_once_the_user_has_said_so() {
        let mut editor = Editor::open().await;
        record(&editor);
        let wanted = json!({"hours": 1_000_000});
        for (chosen, allowed) in [(json!({"title": "Cancel"}), false), (json!({"title": "Read"}), true)] {
            let id = editor.send("briefing/sessions", wanted.clone()).await;
            let question = editor.said().await;
            assert_eq!(question["method"], "window/showMessageRequest", "{question}");
            editor.answer(&question, chosen).await;
            assert_eq!(editor.answer_to(id).await.is_ok(), allowed);
        }
        let answer = editor.ask("briefing/sessions", wanted.clone()).await.expect("is not asked about again");
        assert_eq!(answer["sessions"][0]["id"], "recorded", "{answer}");
        assert_eq!(answer["sessions"][0]["steps"][0]["given"][0]["size"]["bytes"], 9, "{answer}");
        assert!(!answer.to_string().contains("Use tabs") && !answer.to_string().contains("secret"), "{answer}");
        let answer = editor.ask("briefing/audit", json!({"session": "rec", "why": "use TABS."})).await.expect("an answer");
        assert_eq!(answer["sessions"][0]["steps"][0]["given"][0]["text"], "Use tabs.", "{answer}");
        let error = editor.ask("briefing/audit", json!({"session": "another"})).await.expect_err("no such session");
        assert_eq!((&error["code"], &error["message"]), (&json!(-32803), &json!("no such session is recorded")));
        editor.leave().await;
    }

    async fn requests_that_come_while_the_question_stands_share_its_answer() {
        let mut editor = Editor::open().await;
        record(&editor);
        let first = editor.send("briefing/sessions", json!({"hours": 1_000_000})).await;
        let question = editor.said().await;
        let second = editor.send("briefing/audit", json!({"session": "rec"})).await;
        editor.answer(&question, json!({"title": "Read"})).await;
        // Either may be answered first, and there is no other question.
        let mut answered = [editor.said().await, editor.said().await];
        answered.sort_by_key(|message| message["id"].as_i64());
        for (message, id) in answered.iter().zip([first, second]) {
            assert!(message["id"] == id && message["result"].is_object(), "{message}");
        }
        editor.leave().await;
    }

    #[cfg(target_os = "linux")]
    async fn no_record_is_opened_before_somebody_asks_for_sessions() {
        use notify::{EventKind, RecursiveMode, Watcher, event::AccessKind};
        let mut editor = Editor::open().await;
        record(&editor);
        editor.write("home/.codex/sessions/2026/11/24/rollout-2026-11-24T10-00-00-x.jsonl", "{}\n");
        editor.write("home/.claude/projects/mark.jsonl", "");
        let (heard, events) = std::sync::mpsc::channel();
        let mut watcher = notify::recommended_watcher(move |event| {
            let _ = heard.send(event);
        })
        .expect("a watcher");
        watcher.watch(&editor.path("home"), RecursiveMode::Recursive).expect("it is watched");
        // Names of the records that were opened, up to one.
        let opened_until = |last: &str| {
            let mut names = Vec::new();
            while !names.iter().any(|name: &String| name == last) {
                let event: notify::Event = events.recv_timeout(DEADLINE).expect("an event").expect("no error");
                let records = event.paths.iter().filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
                if matches!(event.kind, EventKind::Access(AccessKind::Open(_))) {
                    names.extend(records.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())));
                }
            }
            names
        };
        editor.open_document(AGENTS, "Rules.\n").await;
        editor.diagnostics(AGENTS).await;
        editor.effective(json!({"textDocument": {"uri": editor.uri("project/src/a.rs")}, "harness": "all"})).await;
        for method in ["instructionFiles", "contextReport", "roster", "status", "harnesses"] {
            editor.ask(&format!("briefing/{method}"), json!({})).await.expect("an answer");
        }
        std::fs::read(editor.path("home/.claude/projects/mark.jsonl")).expect("a file");
        assert_eq!(opened_until("mark.jsonl"), ["mark.jsonl"]);
        let id = editor.send("briefing/sessions", json!({"hours": 1_000_000})).await;
        let question = editor.said().await;
        editor.answer(&question, json!({"title": "Read"})).await;
        editor.answer_to(id).await.expect("an answer");
        opened_until("recorded.jsonl");
        editor.leave().await;
    }

    async fn records_are_not_read_where_a_setting_forbids_it() {
        let settings = json!({"records": "off"});
        let mut editor = Editor::with(json!({"capabilities": Editor::abilities(), "initializationOptions": settings})).await;
        record(&editor);
        for method in ["briefing/sessions", "briefing/audit"] {
            let error = editor.ask(method, json!({})).await.expect_err("an error");
            assert_eq!(error["message"], "records are not read: briefing.records is off");
        }
        editor.leave().await;
    }
}

// Announcements.
tests! {
    async fn who_asks_between_two_announcements_hears_that_it_is_as_it_was() {
        let mut editor = Editor::open().await;
        editor.write("project/AGENTS.md", "As it is.\n");
        let source = "project/src/main.rs";
        editor.open_document(source, "fn main() {}\n").await;
        let ask = json!({"textDocument": {"uri": editor.uri(source)}, "harness": "codex"});
        let bytes = |answer: &Value| answer["briefings"][0]["totals"]["bytes"].clone();
        let before = bytes(&editor.effective(ask.clone()).await);
        // Both changes may come within one announcement.
        let other = "project/AGENTS.override.md";
        let event = |kind: i32| json!({"changes": [{"uri": editor.uri(other), "type": kind}]});
        let (created, deleted) = (event(1), event(3));
        editor.write(other, "For a moment, and longer than the other one.\n");
        editor.tell("workspace/didChangeWatchedFiles", created).await;
        let between = bytes(&editor.effective(ask.clone()).await);
        assert_ne!(before, between);
        std::fs::remove_file(editor.path(other)).expect("it was there");
        editor.tell("workspace/didChangeWatchedFiles", deleted).await;
        editor.until_announced(|announced| announced["documents"][0]["sizes"]["bytes"] == before).await;
        editor.leave().await;
    }

    async fn open_files_with_another_briefing_are_announced_and_no_others() {
        let mut editor = Editor::open().await;
        editor.write(AGENTS, "Rules.\n");
        editor.write("elsewhere/x.rs", "");
        editor.open_document("project/src/a.rs", "").await;
        editor.open_document("elsewhere/x.rs", "").await;
        editor.open_document(AGENTS, "Rules.\n").await;
        editor.diagnostics(AGENTS).await;
        for file in [AGENTS, "project/src/a.rs", "elsewhere/x.rs"] {
            editor.effective(json!({"textDocument": {"uri": editor.uri(file)}})).await;
        }
        // An edit of no instruction file changes no answer.
        editor.change("project/src/a.rs", 2, "fn main() {}\n").await;
        editor.change(AGENTS, 2, "Other rules.\n").await;
        editor.until_diagnostics(AGENTS, |found| found["version"] == 2).await;
        let mut announced = editor.announced().await;
        let uris = [AGENTS, "project/src/a.rs"].map(|file| editor.uri(file));
        let mut documents = announced["documents"].as_array().expect("documents").clone();
        // On a busy machine they are announced one after the other.
        while documents.len() < uris.len() {
            announced = editor.announced().await;
            documents.extend(announced["documents"].as_array().expect("documents").iter().cloned());
        }
        let found: Vec<_> = documents.iter().map(|document| document["uri"].as_str().unwrap_or_default()).collect();
        assert_eq!(found, uris, "{announced}");
        let answer = editor.effective(json!({"textDocument": {"uri": uris[1]}, "harness": "codex"})).await;
        assert_eq!(documents[1]["harness"], "codex");
        assert_eq!(documents[1]["sizes"]["bytes"], answer["briefings"][0]["totals"]["bytes"]);
        assert_eq!(documents[1]["truncated"], false);
        // What was written above may be heard of in between.
        assert!(announced["version"].as_u64() <= answer["version"].as_u64(), "{announced}");

        editor.write("project/AGENTS.override.md", "x".repeat(40_000));
        let cut = editor.until_announced(|announced| announced["documents"][1]["truncated"] == true).await;
        assert_eq!(cut["documents"].as_array().map(Vec::len), Some(2), "{cut}");
        editor.until_diagnostics(AGENTS, |found| found["diagnostics"][0]["code"] == "shadowed").await;
        editor.close_document(AGENTS).await;
        editor.until_diagnostics(AGENTS, |found| found.get("version").is_none()).await;
        std::fs::remove_file(editor.path("project/AGENTS.override.md")).expect("it is there");
        let back = editor.until_announced(|announced| announced["documents"][0]["truncated"] == false).await;
        assert_eq!(back["documents"].as_array().map(Vec::len), Some(1), "{back}");
        editor.leave().await;
    }

    async fn a_preview_that_was_asked_for_is_refreshed() {
        let abilities = json!({"workspace": {"textDocumentContent": {"dynamicRegistration": false}}});
        let mut editor = Editor::with(json!({"capabilities": abilities})).await;
        let uri = json!({"uri": "briefing:/codex/"});
        for count in 0..3 {
            assert!(!editor.text().await.contains(&format!("Count {count}.")));
            editor.ask("workspace/textDocumentContent", uri.clone()).await.expect("an answer");
            editor.write(AGENTS, format!("Count {count}.\n"));
            let announced = editor.announced().await;
            assert_eq!(announced["documents"], json!([]));
            loop {
                let question = editor.said().await;
                assert_eq!((&question["method"], &question["params"]), (&json!("workspace/textDocumentContent/refresh"), &uri));
                editor.answer(&question, Value::Null).await;
                let text = editor.ask("workspace/textDocumentContent", uri.clone()).await.expect("an answer");
                // A file that was just made may be seen while it is still empty.
                if text["text"].as_str().is_some_and(|text| text.contains(&format!("Count {count}."))) {
                    break;
                }
            }
        }
        editor.leave().await;
    }
}
