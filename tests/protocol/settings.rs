//! Settings and workspace folders.

use serde_json::{Value, json};

use super::editor::Editor;
use crate::client::tests;

async fn sessions_of(editor: &mut Editor) -> Value {
    editor.effective(json!({})).await["briefings"][0]["standpoint"]["session"].take()
}

tests! {
    async fn settings_come_with_initialize() {
        let mut editor = Editor::new();
        editor.write("other-home/.codex/AGENTS.md", "At home.\n");
        editor.write("env-home/AGENTS.md", "By variable.\n");
        let options = json!({"home": editor.path("other-home"), "cwd": "src", "harnesses": ["codex@0.169"]});
        editor.initialize(json!({"initializationOptions": options})).await;
        editor.tell("initialized", json!({})).await;
        let answer = editor.effective(json!({})).await;
        let standpoint = &answer["briefings"][0]["standpoint"];
        assert_eq!(standpoint["home"], json!(editor.path("other-home")));
        assert_eq!(standpoint["cwd"], json!(editor.path("project/src")));
        assert!(editor.text().await.contains("At home."));

        let environment = json!({"briefing": {"environment": {"CODEX_HOME": editor.path("env-home")}}});
        editor.tell("workspace/didChangeConfiguration", json!({"settings": environment})).await;
        let answer = editor.effective(json!({})).await;
        assert_eq!(answer["briefings"][0]["standpoint"]["env"], json!({"CODEX_HOME": editor.path("env-home")}));
        assert_eq!(answer["briefings"][0]["standpoint"]["home"], json!(editor.path("home")));
        assert!(editor.text().await.contains("By variable."));
        editor.leave().await;
    }

    async fn the_installed_version_picks_the_edition_and_an_upgrade_is_noticed() {
        let mut editor = Editor::open().await;
        let manifest = "tools/lib/node_modules/@openai/codex/package.json";
        let package = |version: &str| json!({"name": "@openai/codex", "version": version}).to_string();
        editor.write(manifest, package("0.104.0"));
        editor.write("tools/lib/node_modules/@openai/codex/bin/codex.js", "");
        std::fs::create_dir_all(editor.path("tools/bin")).expect("a directory");
        std::os::unix::fs::symlink("../lib/node_modules/@openai/codex/bin/codex.js", editor.path("tools/bin/codex"))
            .expect("a link");
        let edition = |answer: &Value| answer["briefings"][0]["edition"].clone();
        let path = json!({"PATH": editor.path("tools/bin")});
        for settings in [
            json!({"environment": path}),
            json!({"edition": "auto", "environment": path}),
            json!({"harnesses": ["codex@auto"], "environment": path}),
        ] {
            editor.write(manifest, package("0.104.0"));
            editor.tell("workspace/didChangeConfiguration", json!({"settings": settings})).await;
            while edition(&editor.effective(json!({})).await) != "0.104" {}
            editor.write(manifest, package("0.169.0"));
            while edition(&editor.effective(json!({})).await) != "0.169" {}
        }
        let nowhere = json!({"edition": "auto", "environment": {"PATH": editor.path("tools")}});
        editor.tell("workspace/didChangeConfiguration", json!({"settings": nowhere})).await;
        let answer = editor.effective(json!({"harness": "codex"})).await;
        assert_eq!(edition(&answer), "0.169");
        assert_eq!(answer["briefings"][0]["warnings"][0]["code"], "unknown-version", "{answer}");
        let unasked = json!({"environment": {"PATH": editor.path("tools")}});
        editor.tell("workspace/didChangeConfiguration", json!({"settings": unasked})).await;
        let answer = editor.effective(json!({"harness": "codex"})).await;
        assert_eq!((edition(&answer), &answer["briefings"][0]["version"]["running"]), (json!("0.169"), &Value::Null));
        assert!(!answer.to_string().contains("unknown-version"), "{answer}");
        editor.leave().await;
    }

    async fn settings_that_are_pushed_count_for_the_next_request() {
        let mut editor = Editor::open().await;
        for kind in ["cron", "group", "main"].repeat(5) {
            let settings = json!({"settings": {"briefing": {"sessions": {"codex": kind}}}});
            editor.tell("workspace/didChangeConfiguration", settings).await;
            assert_eq!(sessions_of(&mut editor).await, kind);
        }
        editor.leave().await;
    }

    async fn wrong_settings_are_said_and_change_nothing() {
        let mut editor = Editor::with(json!({"initializationOptions": {"sessions": {"codex": "cron"}}})).await;
        for (settings, words) in [
            (json!({"sessions": {"codex": "night"}}), "briefing.sessions.codex: `night` is not one of"),
            (json!({"briefing": {"harnesses": ["kodex"]}}), "there is no agent `kodex`"),
            (json!({"harness": "codex"}), "unknown field `harness`"),
            (json!(5), "invalid type"),
        ] {
            editor.tell("workspace/didChangeConfiguration", json!({"settings": settings})).await;
            let message = editor.said().await;
            assert_eq!((&message["method"], &message["params"]["type"]), (&json!("window/showMessage"), &json!(1)));
            let said = message["params"]["message"].as_str().expect("words");
            assert!(said.contains(words) && said.ends_with("the settings before stay in force"), "{said}");
            assert_eq!(sessions_of(&mut editor).await, "cron");
        }
        editor.leave().await;

        let mut editor = Editor::new();
        editor.initialize(json!({"initializationOptions": {"cwd": 5}})).await;
        let said = editor.said().await;
        assert_eq!(said["method"], "window/showMessage", "{said}");
        editor.text().await;
        editor.leave().await;
    }

    async fn settings_are_asked_for_where_the_client_answers() {
        let pulls = json!({"workspace": {"configuration": true}});
        let options = json!({"sessions": {"codex": "cron"}});
        let mut editor = Editor::with(json!({"capabilities": pulls, "initializationOptions": options})).await;
        let first = editor.said().await;
        assert_eq!(first["method"], "workspace/configuration");
        assert_eq!(first["params"]["items"], json!([{"section": "briefing"}]));
        // Nothing said there: those of `initialize` stay.
        editor.answer(&first, json!([null])).await;
        assert_eq!(sessions_of(&mut editor).await, "cron");

        editor.tell("workspace/didChangeConfiguration", json!({"settings": null})).await;
        let asked = editor.said().await;
        editor.answer(&asked, json!([{"sessions": {"codex": "group"}}])).await;
        while sessions_of(&mut editor).await != "group" {}

        // Two rounds at once: the newer one counts, whichever is answered first.
        editor.tell("workspace/didChangeConfiguration", json!({"settings": null})).await;
        editor.tell("workspace/didChangeConfiguration", json!({"settings": null})).await;
        let (older, newer) = (editor.said().await, editor.said().await);
        editor.answer(&newer, json!([{"sessions": {"codex": "local"}}])).await;
        while sessions_of(&mut editor).await != "local" {}
        editor.answer(&older, json!([{"sessions": {"codex": "subagent"}}])).await;
        editor.tell("workspace/didChangeConfiguration", json!({"settings": null})).await;
        let last = editor.said().await;
        assert_eq!(sessions_of(&mut editor).await, "local");
        editor.answer(&last, json!([null])).await;
        while sessions_of(&mut editor).await != "cron" {}
        editor.leave().await;
    }

    async fn settings_change_the_diagnostics_of_what_is_open() {
        let mut editor = Editor::open().await;
        editor.write("small/config.toml", "project_doc_max_bytes = 4\n");
        editor.open_document("project/AGENTS.md", "0123456789").await;
        assert_eq!(editor.diagnostics("project/AGENTS.md").await["diagnostics"], json!([]));
        let settings = json!({"environment": {"CODEX_HOME": editor.path("small")}});
        editor.tell("workspace/didChangeConfiguration", json!({"settings": settings})).await;
        let found = editor.diagnostics("project/AGENTS.md").await;
        assert_eq!(found["diagnostics"][0]["range"]["start"], json!({"line": 0, "character": 4}));
        editor.leave().await;
    }

    async fn folders_that_come_and_go_change_the_start_directory() {
        let mut editor = Editor::open().await;
        let folder = |editor: &Editor, name: &str| json!({"uri": editor.uri(name), "name": name});
        let changes = [
            (vec!["project/src"], vec![], "project/src", "project"),
            (vec![], vec!["project/src"], "project", "project"),
            (vec![], vec!["project"], "project/src", ""),
            (vec!["home", "project"], vec![], "project", "home"),
        ];
        for (added, removed, cwd, first) in changes {
            let list = |names: &[&str]| names.iter().map(|name| folder(&editor, name)).collect::<Vec<_>>();
            let event = json!({"event": {"added": list(&added), "removed": list(&removed)}});
            editor.tell("workspace/didChangeWorkspaceFolders", event).await;
            let answer = editor.effective(json!({"textDocument": {"uri": editor.uri("project/src/a.rs")}})).await;
            assert_eq!(answer["briefings"][0]["standpoint"]["cwd"], json!(editor.path(cwd)));
            match editor.ask("briefing/effectiveInstructions", json!({})).await {
                Ok(answer) => assert_eq!(answer["briefings"][0]["standpoint"]["cwd"], json!(editor.path(first))),
                Err(error) => assert_eq!((first, &error["code"]), ("", &json!(-32602))),
            }
        }
        editor.leave().await;
    }

    async fn the_start_directory_of_the_settings_counts_without_a_file_too() {
        let mut editor = Editor::with(json!({"initializationOptions": {"cwd": "src"}})).await;
        for params in [json!({}), json!({"textDocument": {"uri": editor.uri("project/a.rs")}})] {
            let answer = editor.effective(params).await;
            assert_eq!(answer["briefings"][0]["standpoint"]["cwd"], json!(editor.path("project/src")));
        }
        editor.leave().await;
    }

    async fn a_client_without_folders_may_name_its_root() {
        let mut editor = Editor::new();
        let root = json!({"workspaceFolders": null, "rootUri": editor.uri("project")});
        editor.initialize(root).await;
        let answer = editor.effective(json!({})).await;
        assert_eq!(answer["briefings"][0]["standpoint"]["cwd"], json!(editor.path("project")));
        editor.leave().await;
    }
}
