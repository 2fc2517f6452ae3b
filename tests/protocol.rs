//! Whole sessions with the real server: every feature once. A message left unread fails the test.

mod actions;
mod choice;
mod declared;
mod disk;
mod documents;
pub mod editor;
mod expectations;
mod features;
mod navigation;
mod requests;
mod settings;
mod standpoint;
mod workspace;

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use briefing::harness;
use editor::{Editor, source_of, text_of};
use serde_json::{Value, json};

use crate::client::tests;

const INVALID_PARAMS: i64 = -32602;

// What is told and asked at the beginning.
tests! {
    async fn the_server_says_what_it_can_do() {
        let mut editor = Editor::new();
        let result = editor.initialize(json!({})).await;
        assert_eq!(result["serverInfo"], json!({"name": "briefing", "version": env!("CARGO_PKG_VERSION")}));
        assert_eq!(
            result["capabilities"],
            json!({
                "positionEncoding": "utf-16",
                "textDocumentSync": {"openClose": true, "change": 2, "save": true},
                "hoverProvider": true,
                "documentLinkProvider": {"resolveProvider": false},
                "definitionProvider": true,
                "referencesProvider": true,
                "documentSymbolProvider": true,
                "workspaceSymbolProvider": true,
                "completionProvider": {"triggerCharacters": ["@", "/", "\"", ":"]},
                "inlayHintProvider": true,
                "codeLensProvider": {"resolveProvider": false},
                "foldingRangeProvider": true,
                "executeCommandProvider": {"commands": [
                    "briefing.show", "briefing.preview", "briefing.why", "briefing.compare", "briefing.report", "briefing.files", "briefing.fetch",
                    "briefing.apply",
                ]},
                "workspace": {
                    "workspaceFolders": {"supported": true, "changeNotifications": true},
                    "fileOperations": {"willRename": {"filters": [{"scheme": "file", "pattern": {"glob": "**"}}]}},
                    "textDocumentContent": {"schemes": ["briefing"]},
                },
            })
        );
        editor.leave().await;
    }

    async fn the_server_registers_only_for_what_the_client_lets_it() {
        let mut editor = Editor::with(json!({"capabilities": {"workspace": {
            "didChangeWatchedFiles": {"dynamicRegistration": true},
            "didChangeConfiguration": {"dynamicRegistration": true},
        }}})).await;
        let question = editor.said().await;
        assert_eq!(question["method"], "client/registerCapability");
        let registrations = question["params"]["registrations"].as_array().expect("a list");
        let methods: Vec<&Value> = registrations.iter().map(|registration| &registration["method"]).collect();
        assert_eq!(methods, ["workspace/didChangeWatchedFiles", "workspace/didChangeConfiguration"]);
        let watchers = registrations[0]["registerOptions"]["watchers"].as_array().expect("a list");
        for pattern in ["**/AGENTS.md", "**/AGENTS.override.md", "**/.codex/config.toml"] {
            assert!(watchers.contains(&json!({"globPattern": pattern})), "{pattern} in {watchers:?}");
        }
        editor.answer(&question, Value::Null).await;
        editor.leave().await;

        let mut silent = Editor::with(json!({})).await;
        silent.text().await;
        silent.leave().await;
    }
}

// What a request says.
tests! {
    async fn harnesses_are_named_by_id_or_edition_one_or_several() {
        let mut editor = Editor::open().await;
        for (named, editions) in [
            (json!({}), vec!["codex 0.169 exact"]),
            (json!({"harness": "codex"}), vec!["codex 0.169 exact"]),
            (json!({"harness": ["codex@0.169", "codex"]}), vec!["codex 0.169 exact", "codex 0.169 exact"]),
            (json!({"harness": "codex@0.180.1"}), vec!["codex 0.169 unchecked"]),
            (json!({"harness": []}), vec![]),
        ] {
            let answer = editor.effective(named).await;
            let found = answer["briefings"].as_array().expect("briefings").iter().map(|briefing| {
                let word = |name: &str| briefing[name].as_str().expect("a word").to_owned();
                [word("harness"), word("edition"), word("fidelity")].join(" ")
            });
            assert_eq!(found.collect::<Vec<_>>(), editions);
        }
        editor.leave().await;
    }

    async fn texts_and_traces_come_only_when_they_are_asked_for() {
        let mut editor = Editor::open().await;
        editor.write("project/AGENTS.md", "Rules.\n");
        for (include, text, trace) in
            [(json!([]), false, false), (json!(["text"]), true, false), (json!(["trace", "text"]), true, true)]
        {
            let answer = editor.effective(json!({"include": include})).await;
            let briefing = &answer["briefings"][0];
            assert_eq!(briefing["messages"][0].get("text").is_some(), text, "{include}");
            assert_eq!(briefing["messages"][0].get("parts").is_some(), text, "{include}");
            assert_eq!(briefing.get("trace").is_some(), trace, "{include}");
            assert_eq!(briefing["sources"][0]["fate"], "loaded");
            assert_ne!(briefing["totals"]["bytes"], 0);
        }
        editor.leave().await;
    }

    async fn the_start_directory_is_the_one_named_else_the_folder_of_the_file_else_its_own() {
        let mut editor = Editor::open().await;
        std::fs::create_dir_all(editor.path("elsewhere/deep")).expect("a directory");
        for (params, cwd) in [
            (json!({}), "project"),
            (json!({"textDocument": {"uri": editor.uri("project/src/a.rs")}}), "project"),
            (json!({"textDocument": {"uri": editor.uri("elsewhere/deep/a.rs")}}), "elsewhere/deep"),
            (json!({"textDocument": {"uri": editor.uri("project/src/a.rs")}, "cwd": editor.uri("elsewhere")}), "elsewhere"),
            (json!({"cwd": editor.uri("project/src/../src")}), "project/src"),
        ] {
            let answer = editor.effective(params.clone()).await;
            assert_eq!(answer["briefings"][0]["standpoint"]["cwd"], json!(editor.path(cwd)), "{params}");
            let target = params["textDocument"]["uri"].as_str();
            let wanted = target.map(|uri| uri.strip_prefix("file://").expect("a file"));
            assert_eq!(answer["briefings"][0]["target"].as_str(), wanted);
        }
        editor.leave().await;
    }

    async fn options_and_session_kinds_reach_the_harness() {
        let mut editor = Editor::open().await;
        editor.write("project/AGENTS.md", "0123456789");
        let options = json!({"codex": {"config": ["project_doc_max_bytes=4"]}});
        let answer = editor.effective(json!({"options": options, "session": "subagent", "include": ["text"]})).await;
        assert!(text_of(&answer).contains("0123\n"), "{answer}");
        assert_eq!(answer["briefings"][0]["standpoint"]["session"], "subagent");
        assert_eq!(source_of(&answer, &editor.path("project/AGENTS.md")).expect("a source")["fate"], "truncated");
        editor.leave().await;
    }

    async fn what_was_loaded_before_may_be_said() {
        let mut editor = Editor::open().await;
        editor.write("project/AGENTS.md", "Rules.\n");
        let loaded = json!([editor.uri("project/AGENTS.md")]);
        let answer = editor.effective(json!({"alreadyLoaded": loaded, "include": ["text"]})).await;
        assert!(text_of(&answer).contains("Rules."), "Codex loads at the start of a session only");
        editor.leave().await;
    }

    async fn a_question_that_makes_no_sense_is_an_error_that_says_why() {
        let mut editor = Editor::open().await;
        for (params, words) in [
            (json!({"textDocument": {"uri": "untitled:Untitled-1"}}), "untitled:Untitled-1: only file: URIs name files"),
            (json!({"textDocument": {"uri": "vscode-remote://ssh/x/a"}}), "vscode-remote://ssh/x/a: only file: URIs"),
            (json!({"textDocument": {"uri": "file://otherhost/x/a"}}), "the file is on the host otherhost"),
            (json!({"textDocument": {"uri": "file:///a b"}}), "file:///a b: not a URI"),
            (json!({"textDocument": {"uri": "/a/b"}}), "/a/b: not a URI"),
            (json!({"textDocument": {"uri": ""}}), "not a URI"),
            (json!({"textDocument": {"uri": "file:a"}}), "file:a: not an absolute path"),
            (json!({"textDocument": "file:///a"}), "invalid type"),
            (json!({"cwd": "untitled:x"}), "untitled:x: only file: URIs"),
            (json!({"alreadyLoaded": ["x y"]}), "x y: not a URI"),
            (json!({"harness": "kodex"}), "there is no agent `kodex`; did you mean codex?"),
            (json!({"harness": "codex@new"}), "`new` is not a version of codex"),
            (json!({"harness": 5}), "`harness` is an id such as"),
            (json!({"include": ["texts"]}), "include: `texts` is neither `text` nor `trace`"),
            (json!({"session": "night"}), "session: `night` is not one of main, subagent"),
            (json!({"promptMode": "huge"}), "promptMode: `huge` is not one of full"),
            (json!({"options": {"codex": {"config": 5}}}), "options.codex.config: must be a string"),
            (json!([1]), ""),
        ] {
            let error = editor.ask("briefing/effectiveInstructions", params.clone()).await.expect_err("an error");
            assert_eq!(error["code"], INVALID_PARAMS, "{params}: {error}");
            assert!(error["message"].as_str().expect("words").contains(words), "{params}: {error}");
        }
        editor.leave().await;
    }

    async fn a_start_directory_that_is_none_is_a_refusal_that_says_so() {
        let mut editor = Editor::open().await;
        editor.write("project/file", "");
        for (cwd, words) in [
            ("project/nowhere", "project/nowhere does not exist; no agent can be started there"),
            ("project/file", "project/file is not a directory; no agent can be started there"),
            ("project/nul%00", "does not exist"),
        ] {
            let cwd = format!("{}{}", editor.uri(""), cwd);
            let answer = editor.effective(json!({"cwd": cwd})).await;
            let refusal = &answer["briefings"][0]["refusal"];
            assert!(refusal["message"].as_str().is_some_and(|message| message.contains(words)), "{cwd}: {refusal}");
            assert_eq!(answer["briefings"][0]["messages"], json!([]));
        }
        // Once it is there, an agent can be started in it.
        std::fs::create_dir(editor.path("project/nowhere")).expect("a directory");
        let cwd = json!({"cwd": editor.uri("project/nowhere")});
        editor.tell("workspace/didChangeWatchedFiles", json!({"changes": [{"uri": cwd["cwd"], "type": 1}]})).await;
        assert_eq!(editor.effective(cwd).await["briefings"][0]["refusal"], Value::Null);
        editor.leave().await;
    }

    async fn a_server_that_runs_overnight_tells_the_new_date() {
        let day = Arc::new(AtomicU8::new(21));
        let clock = day.clone();
        let mut editor = Editor::on_day(move || (2026, 11, clock.load(Ordering::Relaxed)));
        editor.initialize(json!({})).await;
        for today in 21..24 {
            day.store(today, Ordering::Relaxed);
            let answer = editor.effective(json!({"include": ["text"]})).await.to_string();
            assert!(answer.contains(&format!("<current_date>2026-11-{today}</current_date>")), "{answer}");
        }
        editor.leave().await;
    }

    async fn without_a_file_a_directory_or_a_folder_there_is_nothing_to_answer() {
        let mut editor = Editor::with(json!({"workspaceFolders": null})).await;
        let error = editor.ask("briefing/effectiveInstructions", json!({})).await.expect_err("an error");
        assert_eq!(error["message"], "neither textDocument nor cwd is given, and no workspace folder is open");
        editor.leave().await;
    }
}

// The other questions.
tests! {
    async fn all_harnesses_are_listed_with_what_is_known_of_them() {
        let mut editor = Editor::open().await;
        let answer = editor.ask("briefing/harnesses", Value::Null).await.expect("an answer");
        let listed = answer["harnesses"].as_array().expect("a list");
        assert_eq!(listed.len(), harness::ALL.len());
        for (listed, profile) in listed.iter().zip(harness::ALL) {
            assert_eq!((&listed["id"], &listed["title"]), (&json!(profile.id), &json!(profile.title)));
            let newest = profile.editions.last().expect("an edition").about();
            let edition = listed["editions"].as_array().and_then(|editions| editions.last()).expect("an edition");
            assert_eq!((&edition["name"], &edition["checked"]), (&json!(newest.name), &json!([newest.checked.0, newest.checked.1])));
            assert_eq!(edition["details"]["truncation"], newest.details.truncation);
            assert_eq!(listed["instructionFiles"], json!(profile.instruction_names));
            assert_eq!(listed["settingsFiles"], json!(profile.settings_names));
        }
        editor.leave().await;
    }

    async fn an_explanation_says_why_a_file_is_or_is_not_read() {
        let mut editor = Editor::open().await;
        editor.write("project/AGENTS.md", "Root.\n");
        editor.write("project/src/AGENTS.md", "Nested.\n");
        std::os::unix::fs::symlink(editor.path("project"), editor.path("by-link")).expect("a link");
        for (file, cwd, fate, words) in [
            ("project/AGENTS.md", None, json!("loaded"), ""),
            ("project/AGENTS.override.md", None, json!(null), "looks for it and finds: absent"),
            ("project/README.md", None, json!(null), "does not look at this path when started in"),
            ("project/src/AGENTS.md", Some("project/src"), json!("loaded"), ""),
            ("by-link/AGENTS.md", Some("by-link"), json!("loaded"), ""),
        ] {
            let mut params = json!({"textDocument": {"uri": editor.uri(file)}, "harness": "codex"});
            if let Some(cwd) = cwd {
                params["cwd"] = json!(editor.uri(cwd));
            }
            let answer = editor.ask("briefing/explain", params).await.expect("an answer");
            let explanation = &answer["explanations"][0];
            assert_eq!((&explanation["harness"], &explanation["fate"]), (&json!("codex"), &fate), "{explanation}");
            assert!(explanation["reason"].as_str().expect("words").contains(words), "{explanation}");
        }
        let target = json!({
            "textDocument": {"uri": editor.uri("project/src/AGENTS.md")},
            "target": editor.uri("project/src/a.rs"),
            "cwd": editor.uri("project"),
        });
        let answer = editor.ask("briefing/explain", target).await.expect("an answer");
        let reason = answer["explanations"][0]["reason"].as_str().expect("words").to_owned();
        assert!(reason.contains("below the start directory"), "{reason}");
        editor.leave().await;
    }

    async fn the_status_counts_what_is_known_and_grows_with_changes() {
        let mut editor = Editor::open().await;
        editor.write("project/AGENTS.md", "One.\n");
        editor.text().await;
        let before = editor.ask("briefing/status", Value::Null).await.expect("an answer");
        assert_eq!((&before["server"], &before["answers"]), (&json!(env!("CARGO_PKG_VERSION")), &json!(1)));
        assert!(before["facts"].as_u64() > Some(0) && before["watchedDirectories"].as_u64() > Some(2), "{before}");
        editor.open_document("project/AGENTS.md", "Two.\n").await;
        editor.diagnostics("project/AGENTS.md").await;
        let after = editor.ask("briefing/status", json!(null)).await.expect("an answer");
        assert!(after["version"].as_u64() > before["version"].as_u64(), "{before} {after}");
        assert_eq!(editor.effective(json!({})).await["version"], after["version"]);
        editor.leave().await;
    }

    async fn a_hover_on_an_instruction_file_says_who_reads_it_and_how_much() {
        let mut editor = Editor::open().await;
        editor.write("project/AGENTS.md", "x".repeat(40_000));
        editor.write("project/README.md", "nothing for agents");
        std::os::unix::fs::symlink(editor.path("project"), editor.path("by-link")).expect("a link");
        let at = |uri: String| json!({"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}});
        for file in ["project/AGENTS.md", "by-link/AGENTS.md"] {
            let hover = editor.ask("textDocument/hover", at(editor.uri(file))).await.expect("an answer");
            assert_eq!(hover["contents"]["kind"], "markdown");
            let words = hover["contents"]["value"].as_str().expect("words");
            assert!(words.starts_with(
                "Codex reads 32 768 of 40 000 B of this file.\n\n- **Codex 0.169**: at start, 1 of 1, \
                 cut, 32 768 of 40 000 B loaded (limit 32 768 bytes for all files, default): "
            ), "{words}");
        }
        let hover = editor.ask("textDocument/hover", at(editor.uri("project/README.md"))).await.expect("an answer");
        assert!(hover["contents"]["value"].as_str().is_some_and(|words| words.contains("- **Codex 0.169**: AGENTS.md ✂, ")), "{hover}");
        let error = editor.ask("textDocument/hover", at("untitled:1".to_owned())).await.expect_err("an error");
        assert_eq!(error["code"], INVALID_PARAMS);
        editor.leave().await;

        let formats = json!({"textDocument": {"hover": {"contentFormat": ["plaintext"]}}});
        let mut plain = Editor::with(json!({"capabilities": formats})).await;
        plain.write("project/AGENTS.md", "Rules.\n");
        let hover = plain.ask("textDocument/hover", at(plain.uri("project/AGENTS.md"))).await.expect("an answer");
        assert_eq!(hover["contents"]["kind"], "plaintext");
        plain.leave().await;
    }
}
