//! Open documents: what the editor shows counts, and what is wrong with it is published.

use serde_json::{Value, json};

use super::editor::{Editor, codex, source_of, text_of};
use crate::client::tests;

const AGENTS: &str = "project/AGENTS.md";

fn range(start: (u32, u32), end: (u32, u32)) -> Value {
    json!({"start": {"line": start.0, "character": start.1}, "end": {"line": end.0, "character": end.1}})
}

// The text.
tests! {
    async fn positions_count_in_the_encoding_that_was_agreed_on() {
        for (offered, agreed, column) in [
            (json!(["utf-16", "utf-8"]), "utf-8", 7),
            (json!(["utf-16"]), "utf-16", 4),
            (json!(["utf-32"]), "utf-32", 3),
            (json!(["utf-7"]), "utf-16", 4),
            (json!([]), "utf-16", 4),
            (Value::Null, "utf-16", 4),
        ] {
            let mut editor = Editor::new();
            let capabilities = json!({"general": {"positionEncodings": offered}});
            let result = editor.initialize(json!({"capabilities": capabilities})).await;
            assert_eq!(result["capabilities"]["positionEncoding"], agreed, "{offered}");
            editor.tell("initialized", json!({})).await;
            editor.open_document(AGENTS, "a\u{e9}\u{1F600}b\r\nlast").await;
            editor.diagnostics(AGENTS).await;
            let end = [range((0, column), (0, column + 1)), range((1, 0), (1, 4))];
            editor.change_by(AGENTS, 2, json!([{"range": end[0], "text": "B"}, {"range": end[1], "text": "end"}])).await;
            editor.diagnostics(AGENTS).await;
            let text = editor.text().await;
            assert!(text.contains("a\u{e9}\u{1F600}B\r\nend"), "{agreed}: {text:?}");
            editor.leave().await;
        }
    }

    async fn what_is_typed_counts_at_once_and_what_is_saved_counts_after_closing() {
        let mut editor = Editor::open().await;
        editor.write(AGENTS, "Saved.\n");
        assert!(editor.text().await.contains("Saved."));
        editor.open_document(AGENTS, "Opened.\n").await;
        assert!(editor.text().await.contains("Opened."));
        for count in 2..100 {
            editor.change_by(AGENTS, count, json!([{"range": range((0, 0), (0, 1)), "text": count.to_string()}])).await;
        }
        assert!(editor.text().await.contains("99"));
        editor.until_diagnostics(AGENTS, |found| found["version"] == 99).await;
        editor.close_document(AGENTS).await;
        let text = editor.text().await;
        assert!(text.contains("Saved.") && !text.contains("99"), "{text}");
        assert_eq!(editor.diagnostics(AGENTS).await, json!({"uri": editor.uri(AGENTS), "diagnostics": []}));
        editor.leave().await;
    }

    async fn a_buffer_that_shows_what_is_saved_counts_as_the_file_byte_for_byte() {
        for (saved, shown) in [
            ("\u{feff}Rules.\n".as_bytes(), "Rules.\n"),
            ("\u{feff}Rules.\n".as_bytes(), "\u{feff}Rules.\n"),
            (b"one\r\ntwo\r\n", "one\r\ntwo\r\n"),
            (b"one\r\ntwo\n", "one\ntwo\n"),
            (b"one\r\ntwo\n", "one\r\ntwo\r\n"),
            (b"caf\xe9\n", "caf\u{fffd}\n"),
            (b"\xef\xbb\xbfcaf\xe9\r\n\n", "caf\u{fffd}\n\n"),
        ] {
            let mut editor = Editor::open().await;
            editor.write(AGENTS, saved);
            let before = editor.effective(codex()).await;
            editor.open_document(AGENTS, shown).await;
            editor.diagnostics(AGENTS).await;
            let after = editor.effective(codex()).await;
            assert_eq!(before["briefings"], after["briefings"], "{saved:?} shown as {shown:?}");
            editor.leave().await;
        }
    }

    async fn a_changed_buffer_keeps_the_byte_order_mark_that_the_editor_hides() {
        let mut editor = Editor::open().await;
        editor.write(AGENTS, "\u{feff}Rules.\n");
        editor.open_document(AGENTS, "Rules.\n").await;
        editor.change(AGENTS, 2, "More rules.\n").await;
        assert_eq!(editor.source(AGENTS).await.expect("a source")["size"]["bytes"], "\u{feff}More rules.\n".len());
        editor.until_diagnostics(AGENTS, |found| found["version"] == 2).await;
        editor.leave().await;
    }

    async fn line_ends_that_were_changed_on_purpose_count() {
        let mut editor = Editor::open().await;
        editor.write(AGENTS, "one\ntwo\n");
        editor.open_document(AGENTS, "one\r\ntwo\r\n").await;
        assert_eq!(editor.source(AGENTS).await.expect("a source")["size"]["bytes"], 10);
        editor.diagnostics(AGENTS).await;
        editor.leave().await;
    }

    async fn a_buffer_whose_file_is_not_saved_yet_is_a_file_once_it_has_text() {
        let mut editor = Editor::open().await;
        editor.open_document(AGENTS, "").await;
        editor.diagnostics(AGENTS).await;
        assert_eq!(editor.source(AGENTS).await, None);
        editor.change(AGENTS, 2, "Begun.\n").await;
        assert!(editor.text().await.contains("Begun."));
        editor.diagnostics(AGENTS).await;
        editor.close_document(AGENTS).await;
        assert_eq!(editor.source(AGENTS).await, None);
        editor.diagnostics(AGENTS).await;
        editor.leave().await;
    }

    async fn a_buffer_counts_whichever_way_the_harness_comes_to_its_file() {
        let mut editor = Editor::open().await;
        std::os::unix::fs::symlink(editor.path("project"), editor.path("by-link")).expect("a link");
        editor.write("project/src/AGENTS.md", "Saved.\n");
        std::os::unix::fs::symlink("src/AGENTS.md", editor.path(AGENTS)).expect("a link");
        for (file, text) in [("by-link/src/AGENTS.md", "one"), ("by-link/AGENTS.override.md", "not saved yet")] {
            editor.open_document(file, text).await;
            assert!(editor.text().await.contains(text), "{file}");
            editor.diagnostics(file).await;
            editor.close_document(file).await;
            assert!(editor.text().await.contains("Saved."), "{file}");
            editor.diagnostics(file).await;
        }
        editor.leave().await;
    }

    async fn documents_that_are_no_files_are_left_alone() {
        let mut editor = Editor::open().await;
        for uri in ["untitled:AGENTS.md", "vscode-remote://ssh/AGENTS.md"] {
            let document = json!({"uri": uri, "languageId": "markdown", "version": 1, "text": "x"});
            editor.tell("textDocument/didOpen", json!({"textDocument": document})).await;
            let document = json!({"uri": uri, "version": 2});
            let changes = json!([{"text": "y"}]);
            editor.tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes})).await;
            editor.tell("textDocument/didSave", json!({"textDocument": {"uri": uri}})).await;
            editor.tell("textDocument/didClose", json!({"textDocument": {"uri": uri}})).await;
        }
        editor.text().await;
        editor.leave().await;
    }
}

// Changes that make no sense.
tests! {
    async fn positions_beyond_all_limits_mean_the_end() {
        let mut editor = Editor::open().await;
        editor.open_document(AGENTS, "one\ntwo\n").await;
        editor.diagnostics(AGENTS).await;
        let everything = json!({"start": {"line": 0, "character": -1}, "end": {"line": 1.797e308, "character": 9007199254740991_i64}});
        editor.tell("textDocument/didChange", json!({
            "textDocument": {"uri": editor.uri(AGENTS), "version": null},
            "contentChanges": [{"range": everything, "text": "all new\n"}],
        })).await;
        let text = editor.text().await;
        assert!(text.contains("all new") && !text.contains("one") && !text.contains("two"), "{text}");
        editor.diagnostics(AGENTS).await;
        editor.leave().await;
    }

    async fn after_a_change_that_cannot_be_understood_what_is_saved_counts_until_the_text_is_known_again() {
        let mut editor = Editor::open().await;
        editor.write(AGENTS, "Saved.\n");
        editor.open_document(AGENTS, "Shown.\n").await;
        editor.diagnostics(AGENTS).await;
        editor.change_by(AGENTS, 2, json!([{"range": "everything", "text": "Lost."}])).await;
        // Diagnostics of this and of later states come before and after it.
        let mut warning = editor.said().await;
        while warning["method"] == "textDocument/publishDiagnostics" {
            warning = editor.said().await;
        }
        assert_eq!((&warning["method"], &warning["params"]["type"]), (&json!("window/showMessage"), &json!(2)));
        let words = warning["params"]["message"].as_str().expect("words");
        assert!(words.contains("AGENTS.md: the editor sent a change that makes no sense"), "{words}");
        assert!(editor.text().await.contains("Saved."));
        // This one says where, in a text that the server does not have.
        editor.change_by(AGENTS, 3, json!([{"range": range((0, 0), (0, 1)), "text": "?"}])).await;
        assert!(editor.text().await.contains("Saved."));
        editor.change_by(AGENTS, 4, json!([{"text": "known again\n"}, {"range": range((0, 0), (0, 1)), "text": "K"}])).await;
        assert!(editor.text().await.contains("Known again"));
        editor.until_diagnostics(AGENTS, |found| found["version"] == 4).await;
        editor.leave().await;
    }

    async fn other_notifications_that_cannot_be_understood_cost_nothing() {
        let mut editor = Editor::open().await;
        editor.write(AGENTS, "Rules.\n");
        editor.text().await;
        for (method, params) in [
            ("textDocument/didOpen", json!(5)),
            ("textDocument/didOpen", json!({"textDocument": {"uri": "no uri at all", "version": 1, "languageId": "", "text": ""}})),
            ("textDocument/didChange", json!({"textDocument": {"uri": editor.uri("project/unknown")}})),
            ("textDocument/didClose", Value::Null),
            ("textDocument/didSave", json!([])),
            ("workspace/didChangeWatchedFiles", json!({"changes": [{"uri": "?", "type": "all"}]})),
            ("workspace/didChangeWorkspaceFolders", json!({})),
            ("workspace/didChangeConfiguration", json!("x")),
        ] {
            editor.tell(method, params).await;
            assert!(editor.text().await.contains("Rules."), "{method}");
        }
        editor.leave().await;
    }
}

// Diagnostics.
tests! {
    async fn text_that_is_cut_is_marked_from_the_first_lost_character() {
        let mut editor = Editor::open().await;
        let kept = format!("{}\n\u{e9}\u{1F600}", "x".repeat(32_768 - 7));
        let shown = format!("{kept} lost\nlost too\n");
        editor.open_document(AGENTS, &shown).await;
        let found = editor.diagnostics(AGENTS).await;
        assert_eq!(found["version"], 1);
        let diagnostic = &found["diagnostics"][0];
        assert_eq!(diagnostic["range"], range((1, 3), (1, 8)));
        let faded = &found["diagnostics"][1];
        assert_eq!((&faded["range"], &faded["severity"]), (&range((1, 3), (3, 0)), &json!(4)));
        assert_eq!((&diagnostic["severity"], &diagnostic["code"]), (&json!(2), &json!("over-budget")));
        assert_eq!((&diagnostic["source"], &faded["tags"]), (&json!("briefing"), &json!([1])));
        let words = diagnostic["message"].as_str().expect("words");
        assert!(words.starts_with("Codex cuts 15 of 32 783 bytes: "), "{words}");

        editor.change_by(AGENTS, 2, json!([{"range": range((0, 0), (0, 15)), "text": ""}])).await;
        let found = editor.diagnostics(AGENTS).await;
        assert_eq!((&found["version"], &found["diagnostics"][0]["code"]), (&json!(2), &json!("near-budget")));
        editor.change_by(AGENTS, 3, json!([{"range": range((0, 0), (0, 9000)), "text": ""}])).await;
        assert_eq!(editor.diagnostics(AGENTS).await, json!({"uri": editor.uri(AGENTS), "version": 3, "diagnostics": []}));
        editor.leave().await;
    }

    async fn ranges_are_right_in_files_whose_bytes_the_editor_does_not_show() {
        for (before, shown) in [(&b"\xef\xbb\xbf"[..], ""), (b"\xe9\xe9\n", "\u{fffd}\u{fffd}\n"), (b"a\r\nb\n", "a\nb\n")] {
            let mut editor = Editor::open().await;
            let line = shown.matches('\n').count() as u32;
            let kept = 32_768 - before.len();
            editor.write(AGENTS, [before, "x".repeat(kept + 5).as_bytes()].concat());
            editor.open_document(AGENTS, &format!("{shown}{}", "x".repeat(kept + 5))).await;
            let found = editor.diagnostics(AGENTS).await;
            let column = kept as u32;
            let found = found["diagnostics"].as_array().expect("diagnostics");
            let cut = found.iter().find(|found| found["code"] == "over-budget").expect("it is cut");
            assert_eq!(cut["range"], range((line, column), (line, column + 5)), "{before:?}");
            editor.leave().await;
        }
    }

    async fn a_shadowed_file_names_the_one_that_is_read_instead() {
        let mut editor = Editor::open().await;
        editor.write("project/AGENTS.override.md", "Instead.\n");
        editor.open_document(AGENTS, "Never read.\n").await;
        let found = editor.diagnostics(AGENTS).await;
        let diagnostic = &found["diagnostics"][0];
        assert_eq!((&diagnostic["severity"], &diagnostic["code"]), (&json!(3), &json!("shadowed")));
        assert_eq!(diagnostic["range"], range((0, 0), (0, 11)));
        let instead = json!(editor.uri("project/AGENTS.override.md"));
        assert_eq!(diagnostic["relatedInformation"][0]["location"]["uri"], instead);
        editor.leave().await;
    }

    async fn a_client_gets_only_what_it_understands() {
        let mut editor = Editor::with(json!({"capabilities": {}})).await;
        editor.write("project/AGENTS.override.md", "Instead.\n");
        editor.open_document(AGENTS, "Never read.\n").await;
        let found = editor.diagnostics(AGENTS).await;
        assert_eq!(found.get("version"), None);
        let diagnostic = &found["diagnostics"][0];
        assert_eq!((diagnostic.get("tags"), diagnostic.get("relatedInformation")), (None, None));
        editor.leave().await;
    }

    async fn the_last_state_of_every_document_is_published_and_no_state_twice() {
        let mut editor = Editor::open().await;
        let files = ["project/AGENTS.md", "project/src/AGENTS.md", "project/AGENTS.override.md"];
        for file in files {
            editor.open_document(file, "x").await;
        }
        for version in 2..=50 {
            for file in files {
                editor.change(file, version, &format!("Version {version}.\n")).await;
            }
        }
        let mut last = std::collections::BTreeMap::new();
        while last.len() < files.len() || last.values().any(|(version, _)| *version != 50) {
            let params = editor.said().await["params"].take();
            let version = params["version"].as_i64().expect("a version");
            let before = last.insert(params["uri"].to_string(), (version, params["diagnostics"].clone()));
            // Another document may change what is found in this one; then its version is told again.
            let is_newer = before.is_none_or(|before| before.0 < version || (before.0 == version && before.1 != params["diagnostics"]));
            assert!(is_newer, "{params}");
        }
        for file in files {
            editor.close_document(file).await;
        }
        for _ in files {
            assert_eq!(editor.said().await["params"]["diagnostics"], json!([]));
        }
        editor.leave().await;
    }

    async fn a_document_that_is_opened_again_is_published_again_under_the_same_version() {
        let mut editor = Editor::open().await;
        for _ in 0..5 {
            editor.open_document(AGENTS, "Rules.\n").await;
            assert_eq!(editor.diagnostics(AGENTS).await["version"], 1);
            editor.close_document(AGENTS).await;
            assert_eq!(editor.diagnostics(AGENTS).await.get("version"), None);
        }
        editor.leave().await;
    }

    async fn diagnostics_follow_changes_of_other_files() {
        let mut editor = Editor::open().await;
        editor.open_document(AGENTS, "Rules.\n").await;
        assert_eq!(editor.diagnostics(AGENTS).await["diagnostics"], json!([]));
        editor.open_document("project/AGENTS.override.md", "Instead.\n").await;
        let mut shadowed = false;
        for _ in 0..2 {
            let said = editor.said().await;
            shadowed |= said["params"]["diagnostics"][0]["code"] == "shadowed";
        }
        assert!(shadowed);
        let answer = editor.effective(codex()).await;
        assert!(text_of(&answer).contains("Instead."));
        assert_eq!(source_of(&answer, &editor.path(AGENTS)).expect("a source")["fate"], "shadowed");
        editor.leave().await;
    }

    async fn a_document_that_was_never_saved_can_be_read_and_what_is_nowhere_cannot() {
        let mut editor = Editor::open().await;
        editor.open_document("project/new.rs", "fn main() {}\n").await;
        for (file, warns) in [("project/new.rs", false), ("project/none.rs", true)] {
            let asked = json!({"harness": "codex", "textDocument": {"uri": editor.uri(file)}});
            let answer = editor.effective(asked).await;
            let warnings = answer["briefings"][0]["warnings"].as_array().expect("a list");
            let is_missing = warnings.iter().any(|warning| warning["code"] == "missing-target");
            assert_eq!(is_missing, warns, "{file}: {warnings:?}");
        }
        editor.leave().await;
    }
}
