//! Changes on the disk that nobody told the editor about are seen, and an answer is never given before it is known.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::editor::{Editor, text_of};
use crate::client::tests;

const AGENTS: &str = "project/AGENTS.md";

// Seen by watching.
tests! {
    async fn files_that_are_written_made_and_removed_are_seen() {
        let mut editor = Editor::open().await;
        assert_eq!(editor.text().await, "");
        for count in 0..5 {
            editor.write(AGENTS, format!("Written {count}.\n"));
            editor.until_text(|text| text.contains(&format!("Written {count}."))).await;
            editor.write("project/AGENTS.override.md", "Instead.\n");
            editor.until_text(|text| text.contains("Instead.")).await;
            fs::remove_file(editor.path("project/AGENTS.override.md")).expect("it is there");
            editor.until_text(|text| text.contains(&format!("Written {count}."))).await;
            fs::rename(editor.path(AGENTS), editor.path("project/away")).expect("it is there");
            editor.until_text(str::is_empty).await;
            fs::rename(editor.path("project/away"), editor.path(AGENTS)).expect("it is there");
            editor.until_text(|text| text.contains("Written")).await;
        }
        editor.leave().await;
    }

    async fn the_home_directory_is_watched_from_before_it_exists() {
        let mut editor = Editor::open().await;
        assert_eq!(editor.text().await, "");
        for _ in 0..3 {
            editor.write("home/.codex/AGENTS.md", "Global.\n");
            editor.until_text(|text| text.contains("Global.")).await;
            editor.write("home/.codex/config.toml", "project_doc_max_bytes = 3\n");
            editor.write(AGENTS, "Rules.\n");
            editor.until_text(|text| text.contains("Rul") && !text.contains("Rules")).await;
            fs::remove_dir_all(editor.path("home")).expect("it is there");
            editor.until_text(|text| text.contains("Rules.") && !text.contains("Global.")).await;
            fs::remove_file(editor.path(AGENTS)).expect("it is there");
            editor.until_text(str::is_empty).await;
        }
        editor.leave().await;
    }

    async fn directories_that_are_moved_removed_and_made_again_are_seen() {
        let mut editor = Editor::open().await;
        let params = json!({"cwd": editor.uri("project/a/b"), "harness": "codex", "include": ["text"]});
        for count in 0..5 {
            editor.write("project/a/b/AGENTS.md", format!("Here {count}.\n"));
            until(&mut editor, &params, |text| text.contains(&format!("Here {count}."))).await;
            fs::rename(editor.path("project/a"), editor.path("project/away")).expect("it is there");
            until(&mut editor, &params, str::is_empty).await;
            editor.write("project/a/b/AGENTS.md", "Another.\n");
            until(&mut editor, &params, |text| text.contains("Another.")).await;
            fs::remove_dir_all(editor.path("project/a")).expect("it is there");
            until(&mut editor, &params, str::is_empty).await;
            fs::rename(editor.path("project/away"), editor.path("project/a")).expect("it is there");
            until(&mut editor, &params, |text| text.contains(&format!("Here {count}."))).await;
            editor.write("project/a/b/AGENTS.md", "Still watched.\n");
            until(&mut editor, &params, |text| text.contains("Still watched.")).await;
            fs::remove_dir_all(editor.path("project/a")).expect("it is there");
        }
        editor.leave().await;
    }

    async fn links_are_followed_wherever_they_lead() {
        let mut editor = Editor::open().await;
        editor.write("one/text", "One.\n");
        editor.write("two/text", "Two.\n");
        symlink("../current/text", editor.path(AGENTS)).expect("a link");
        for _ in 0..3 {
            symlink("one", editor.path("current")).expect("a link");
            editor.until_text(|text| text.contains("One.")).await;
            // The target's own directory is not below the workspace, nor named by the question.
            editor.write("one/text", "One more.\n");
            editor.until_text(|text| text.contains("One more.")).await;
            symlink("two", editor.path("next")).expect("a link");
            fs::rename(editor.path("next"), editor.path("current")).expect("it is replaced");
            editor.until_text(|text| text.contains("Two.")).await;
            fs::remove_file(editor.path("current")).expect("it is there");
            editor.until_text(str::is_empty).await;
            editor.write("one/text", "One.\n");
        }
        editor.leave().await;
    }

    async fn what_is_reached_under_two_names_is_seen_under_both() {
        let mut editor = Editor::open().await;
        symlink(editor.path("project"), editor.path("by-link")).expect("a link");
        editor.write("project/src/AGENTS.md", "First.\n");
        let physical = json!({"cwd": editor.uri("project/src"), "harness": "codex", "include": ["text"]});
        let linked = json!({"cwd": editor.uri("by-link/src"), "harness": "codex", "include": ["text"]});
        for count in 0..5 {
            for params in [&physical, &linked] {
                editor.write("project/src/AGENTS.md", format!("Again {count}.\n"));
                until(&mut editor, params, |text| text.contains(&format!("Again {count}."))).await;
                fs::write(editor.path("by-link/src/AGENTS.md"), "By the link.\n").expect("it is written");
                until(&mut editor, params, |text| text.contains("By the link.")).await;
                // The link's own name for this directory was looked at as well.
                editor.write(AGENTS, format!("Above {count}.\n"));
                until(&mut editor, params, |text| text.contains(&format!("Above {count}."))).await;
            }
        }
        editor.leave().await;
    }

    async fn an_open_buffer_follows_the_link_it_was_opened_through() {
        let mut editor = Editor::open().await;
        editor.write("one/AGENTS.md", "One.\n");
        editor.write("two/AGENTS.md", "Two.\n");
        symlink("one", editor.path("current")).expect("a link");
        let [one, two] = ["one", "two"].map(|dir| json!({"cwd": editor.uri(dir), "harness": "codex", "include": ["text"]}));
        editor.open_document("current/AGENTS.md", "Shown.\n").await;
        editor.diagnostics("current/AGENTS.md").await;
        until(&mut editor, &one, |text| text.contains("Shown.")).await;
        until(&mut editor, &two, |text| text.contains("Two.")).await;
        symlink("two", editor.path("next")).expect("a link");
        fs::rename(editor.path("next"), editor.path("current")).expect("it is replaced");
        until(&mut editor, &two, |text| text.contains("Shown.")).await;
        until(&mut editor, &one, |text| text.contains("One.")).await;
        editor.leave().await;
    }

    async fn a_directory_that_a_link_leads_to_is_watched_for_new_files() {
        let mut editor = Editor::open().await;
        for dir in ["one", "two", "project/.kiro"] {
            fs::create_dir_all(editor.path(dir)).expect("a directory");
        }
        symlink("../../current", editor.path("project/.kiro/steering")).expect("a link");
        let params = json!({"cwd": editor.uri("project"), "harness": "kiro", "include": ["text"]});
        for count in 0..3 {
            symlink("one", editor.path("current")).expect("a link");
            until(&mut editor, &params, str::is_empty).await;
            editor.write("one/x.md", format!("First {count}.\n"));
            until(&mut editor, &params, |text| text.contains(&format!("First {count}."))).await;
            editor.write("one/y.md", format!("Second {count}.\n"));
            until(&mut editor, &params, |text| text.contains(&format!("Second {count}."))).await;
            symlink("two", editor.path("next")).expect("a link");
            fs::rename(editor.path("next"), editor.path("current")).expect("it is replaced");
            until(&mut editor, &params, str::is_empty).await;
            fs::remove_file(editor.path("current")).expect("it is there");
            for file in ["one/x.md", "one/y.md"] {
                fs::remove_file(editor.path(file)).expect("it is there");
            }
        }
        editor.leave().await;
    }

    async fn files_outside_the_workspace_are_seen() {
        let mut editor = Editor::open().await;
        editor.write("project/a.rs", "");
        for (harness, file) in [
            ("codex", "home/.codex/AGENTS.md"),
            ("opencode", "home/.config/opencode/AGENTS.md"),
            ("openclaw", "home/.openclaw/workspace/AGENTS.md"),
            ("openclaw", "home/.openclaw/workspace/SOUL.md"),
            ("claude-code", "home/.claude/CLAUDE.md"),
            ("claude-code", "home/.claude/rules/x.md"),
            ("gemini-cli", "home/.gemini/GEMINI.md"),
            ("copilot-cli", "home/.copilot/copilot-instructions.md"),
            ("zed", "home/.config/zed/AGENTS.md"),
            ("goose", "home/.config/goose/.goosehints"),
            ("crush", "home/.config/crush/CRUSH.md"),
            ("kiro", "home/.kiro/steering/x.md"),
        ] {
            let params = json!({"textDocument": {"uri": editor.uri("project/a.rs")}, "harness": harness, "include": ["text"]});
            editor.write(file, "Before.\n");
            until(&mut editor, &params, |text| text.contains("Before.")).await;
            // In place, by a new file under the old name, and with all that leads there.
            editor.write(file, "Written over.\n");
            until(&mut editor, &params, |text| text.contains("Written over.")).await;
            editor.write("new", "Replaced.\n");
            fs::rename(editor.path("new"), editor.path(file)).expect("it is there");
            until(&mut editor, &params, |text| text.contains("Replaced.")).await;
            fs::rename(editor.path("home"), editor.path("away")).expect("it is there");
            until(&mut editor, &params, |text| !text.contains("Replaced.")).await;
            fs::rename(editor.path("away"), editor.path("home")).expect("it is there");
            until(&mut editor, &params, |text| text.contains("Replaced.")).await;
            fs::remove_dir_all(editor.path("home")).expect("it is there");
            until(&mut editor, &params, |text| !text.contains("Replaced.")).await;
        }
        editor.leave().await;
    }

    async fn what_lies_in_a_heavy_directory_is_answered_and_watched_when_it_is_asked_for() {
        let mut editor = Editor::open().await;
        editor.write("project/node_modules/p/AGENTS.md", "Foreign.\n");
        let params = json!({"cwd": editor.uri("project/node_modules/p"), "harness": "codex", "include": ["text"]});
        until(&mut editor, &params, |text| text.contains("Foreign.")).await;
        editor.write("project/node_modules/p/AGENTS.md", "Another.\n");
        until(&mut editor, &params, |text| text.contains("Another.")).await;
        let known = editor.ask("briefing/instructionFiles", json!({"harness": "codex"})).await.expect("an answer");
        assert_eq!(known["files"], json!([]), "it is not looked through");
        editor.leave().await;
    }

    async fn changes_outside_the_editor_reach_the_diagnostics() {
        let mut editor = Editor::open().await;
        editor.open_document(AGENTS, "Rules.\n").await;
        assert_eq!(editor.diagnostics(AGENTS).await["diagnostics"], json!([]));
        for _ in 0..3 {
            editor.write("project/AGENTS.override.md", "Instead.\n");
            editor.until_diagnostics(AGENTS, |found| found["diagnostics"][0]["code"] == "shadowed").await;
            fs::remove_file(editor.path("project/AGENTS.override.md")).expect("it is there");
            editor.until_diagnostics(AGENTS, |found| found["diagnostics"] == json!([])).await;
        }
        editor.leave().await;
    }
}

// Told by the client: it counts for the very next request, whether the system has said anything yet or not.
tests! {
    async fn what_the_client_says_of_files_counts_at_once() {
        let mut editor = Editor::open().await;
        symlink(editor.path("project"), editor.path("by-link")).expect("a link");
        for count in 0..50 {
            for file in [AGENTS, "by-link/AGENTS.md"] {
                let text = format!("{file} {count}");
                editor.write(file, &text);
                let change = json!({"uri": editor.uri(file), "type": 2});
                editor.tell("workspace/didChangeWatchedFiles", json!({"changes": [change]})).await;
                assert!(editor.text().await.contains(&text));
                let text = format!("saved {file} {count}");
                editor.write(file, &text);
                editor.tell("textDocument/didSave", json!({"textDocument": {"uri": editor.uri(file)}})).await;
                assert!(editor.text().await.contains(&text));
            }
        }
        editor.leave().await;
    }

    async fn an_event_that_cannot_be_understood_may_mean_any_file() {
        let mut editor = Editor::open().await;
        for count in 0..50 {
            let text = format!("Count {count}.\n");
            editor.write(AGENTS, &text);
            editor.tell("workspace/didChangeWatchedFiles", json!({"changes": [{"uri": 5}]})).await;
            assert!(editor.text().await.contains(&text));
        }
        editor.leave().await;
    }
}

// Never before it is known.
tests! {
    async fn the_first_answer_is_whole_however_many_are_asked_for_at_once() {
        let mut editor = Editor::open().await;
        let mut asked = std::collections::BTreeMap::new();
        for count in 0..50 {
            editor.write(&format!("project/d{count}/deep/AGENTS.md"), format!("Text {count}.\n"));
        }
        for count in 0..50 {
            let cwd = editor.uri(&format!("project/d{count}/deep"));
            let params = json!({"cwd": cwd, "harness": "codex", "include": ["text"]});
            asked.insert(editor.send("briefing/effectiveInstructions", params).await, count);
        }
        for _ in 0..50 {
            let mut answer = editor.said().await;
            let count = asked.remove(&answer["id"].as_i64().expect("an id")).expect("it was asked");
            let text = text_of(&answer["result"].take());
            assert!(text.contains(&format!("Text {count}.")), "{text:?}");
        }
        editor.leave().await;
    }

    async fn an_answer_is_complete_while_files_change_all_the_time() {
        let mut editor = Editor::open().await;
        editor.write("home/.codex/AGENTS.md", "Always.\n");
        let noisy = editor.path("project/noise");
        let (stop, stopped) = std::sync::mpsc::channel::<()>();
        let noise = std::thread::spawn(move || {
            while stopped.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
                fs::write(&noisy, "x").expect("it is written");
                fs::remove_file(&noisy).expect("it is there");
            }
        });
        for count in 0..100 {
            editor.open_document(AGENTS, &format!("Buffer {count}.\n")).await;
            let text = editor.text().await;
            assert!(text.contains("Always.") && text.contains(&format!("Buffer {count}.")), "{text:?}");
            editor.close_document(AGENTS).await;
            assert!(!editor.text().await.contains("Buffer"), "{count}");
        }
        drop(stop);
        noise.join().expect("no panic");
        editor.until_quiet(AGENTS).await;
        editor.leave().await;
    }
}

async fn until(editor: &mut Editor, params: &Value, wanted: impl Fn(&str) -> bool) {
    let started = std::time::Instant::now();
    loop {
        let text = text_of(&editor.effective(params.clone()).await);
        if wanted(&text) {
            return;
        }
        assert!(started.elapsed() < crate::client::DEADLINE, "it never came; last: {text:?}");
    }
}
