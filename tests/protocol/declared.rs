//! Harnesses that a workspace or the settings declare, while both change.

use serde_json::{Value, json};

use super::editor::{Editor, text_of};
use crate::client::tests;

const FILE: &str = "project/briefing.toml";

fn declares(files: &str) -> String {
    format!("[harness.ours]\nsource = [{{ files = [{files}], entry = \"[{{content}}]\" }}]\n")
}

fn ours() -> Value {
    json!({"harness": "ours", "include": ["text"]})
}

/// Asks again until the custom harness says this.
async fn until(editor: &mut Editor, wanted: &str) {
    while editor.ask("briefing/effectiveInstructions", ours()).await.ok().map(|answer| text_of(&answer)).as_deref()
        != Some(wanted)
    {}
}

tests! {
    async fn a_declaration_counts_as_soon_as_it_is_written_or_typed() {
        let mut editor = Editor::open().await;
        editor.write("project/A.md", "A");
        editor.write("project/B.md", "B");
        let error = editor.ask("briefing/effectiveInstructions", ours()).await.expect_err("nobody declared it");
        assert!(error["message"].as_str().is_some_and(|said| said.contains("there is no agent `ours`")), "{error}");

        editor.write(FILE, declares("\"A.md\""));
        until(&mut editor, "[A]").await;
        // Who names no harness gets the declared ones as well.
        let all = editor.effective(json!({})).await;
        let ids: Vec<_> = all["briefings"].as_array().expect("a list").iter().map(|one| one["harness"].clone()).collect();
        assert_eq!(ids, ["codex", "ours"]);

        editor.open_document(FILE, &declares("\"B.md\"")).await;
        assert_eq!(text_of(&editor.effective(ours()).await), "[B]");
        editor.change(FILE, 2, &declares("\"A.md\", \"B.md\"")).await;
        assert_eq!(text_of(&editor.effective(ours()).await), "[A]\n\n[B]");
        editor.until_diagnostics(FILE, |found| found["version"] == 2).await;
        editor.close_document(FILE).await;
        assert_eq!(text_of(&editor.effective(ours()).await), "[A]");
        editor.diagnostics(FILE).await;

        std::fs::remove_file(editor.path(FILE)).expect("it is there");
        while editor.ask("briefing/effectiveInstructions", ours()).await.is_ok() {}
        editor.leave().await;
    }

    async fn what_is_wrong_is_shown_at_its_place_and_the_others_go_on() {
        let mut editor = Editor::open().await;
        editor.write("project/A.md", "A");
        let text = format!("# \u{1F600}\n{}\n[harness.other]\nsource = [{{ files = [\"A.md\"], limit = {{ max = -1 }} }}]\n", declares("\"A.md\""));
        editor.open_document(FILE, &text).await;
        let found = editor.until_diagnostics(FILE, |found| found["diagnostics"][0].is_object()).await;
        let wrong = &found["diagnostics"][0];
        assert_eq!(wrong["range"], json!({"start": {"line": 5, "character": 46}, "end": {"line": 5, "character": 48}}), "{found}");
        assert_eq!((&wrong["severity"], &wrong["code"]), (&json!(1), &json!("declaration")));
        assert!(wrong["message"].as_str().is_some_and(|said| said.contains("-1 is negative")), "{wrong}");
        assert_eq!(text_of(&editor.effective(ours()).await), "[A]");
        let error = editor.ask("briefing/effectiveInstructions", json!({"harness": "other"})).await.expect_err("wrong");
        assert!(error["message"].as_str().is_some_and(|said| said.contains("briefing.toml:6:47: -1")), "{error}");

        editor.change(FILE, 2, &text.replace("-1", "1")).await;
        let found = editor.until_diagnostics(FILE, |found| found["version"] == 2).await;
        assert_eq!(found["diagnostics"], json!([]));
        editor.change(FILE, 3, "[harness.ours\n").await;
        let found = editor.until_diagnostics(FILE, |found| found["version"] == 3).await;
        assert_eq!(found["diagnostics"][0]["range"]["start"]["line"], 0, "{found}");
        let error = editor.ask("briefing/effectiveInstructions", ours()).await.expect_err("it cannot be read");
        assert!(error["message"].as_str().is_some_and(|said| said.contains("briefing.toml:1:14: ")), "{error}");
        editor.leave().await;
    }

    async fn every_kind_of_wrong_declaration_is_shown_at_its_place() {
        let mut editor = Editor::open().await;
        editor.write("project/A.md", "A");
        editor.open_document(FILE, &declares("\"A.md\"")).await;
        for (version, (wrong, character, words)) in (2..).zip([
            ("source = [{ files = [\"A.md\"], color = 1 }]", 30, "unknown key `color`"),
            ("source = [{ files = [\"../*.md\"] }]", 21, "leaves the workspace"),
            ("source = [{ files = [\"A.md\"], limit = { max = 9, head = 1.5 } }]", 56, "1.5 is not a ratio"),
            ("source = [{ files = [\"A.md\"], limit = { max = -9 } }]", 46, "-9 is negative"),
            ("extends = \"bad\"", 10, "recursive `extends`"),
        ]) {
            editor.change(FILE, version, &format!("{}[harness.bad]\n{wrong}\n", declares("\"A.md\""))).await;
            let found = editor.until_diagnostics(FILE, |found| found["version"] == version).await;
            let shown = &found["diagnostics"][0];
            assert_eq!(shown["range"]["start"], json!({"line": 3, "character": character}), "{found}");
            assert!(shown["message"].as_str().is_some_and(|said| said.contains(words)), "{shown}");
            assert_eq!(text_of(&editor.effective(ours()).await), "[A]");
        }
        editor.leave().await;
    }

    async fn a_file_that_only_a_declared_harness_reads_is_an_instruction_file() {
        let mut editor = Editor::open().await;
        editor.write(FILE, "[harness.ours]\nsource = [{ directories = { names = [\"RULES.md\"] }, limit = { max = 4 } }]\n");
        editor.write("project/RULES.md", "0123456789");
        editor.open_document("project/RULES.md", "0123456789").await;
        let found = editor.until_diagnostics("project/RULES.md", |found| found["diagnostics"][0].is_object()).await;
        let cut = found["diagnostics"].as_array().expect("a list").iter().find(|one| one["source"] == "briefing");
        assert!(cut.is_some_and(|cut| cut["range"]["start"]["character"] == 4), "{found}");
        editor.leave().await;
    }

    async fn declared_harnesses_are_listed_and_what_is_wrong_with_others_too() {
        let mut editor = Editor::open().await;
        editor.write(FILE, declares("\"A.md\"") + "[harness.other]\nsource = 1\n\n[[harness.agentcore.source]]\nname = \"file_set\"\nfiles = [\"A.md\"]\n");
        let known = editor.ask("briefing/harnesses", json!({})).await.expect("an answer");
        let list = known["harnesses"].as_array().expect("a list");
        let with_id = |id: &str| list.iter().filter(|one| one["id"] == id).collect::<Vec<_>>();
        assert_eq!(with_id("ours")[0]["instructionFiles"], json!(["A.md"]));
        assert_eq!(with_id("ours")[0]["details"]["files"], "A.md");
        assert_eq!((with_id("agentcore").len(), with_id("other").len()), (1, 0));
        assert!(with_id("codex")[0]["editions"][0]["details"]["truncation"].as_str().is_some_and(|said| said.contains("32 768")));
        assert!(known["problems"][0].as_str().is_some_and(|said| said.contains("briefing.toml:4:10: ")), "{known}");
        editor.leave().await;
    }

    async fn settings_declare_harnesses_and_the_file_counts_over_them() {
        let mut editor = Editor::open().await;
        editor.write("project/A.md", "A");
        editor.write("project/B.md", "B");
        for (file, text) in [("A.md", "A"), ("B.md", "B")] {
            let settings = json!({"customHarnesses": {"ours": {"source": [{"files": [file]}]}}});
            editor.tell("workspace/didChangeConfiguration", json!({"settings": settings})).await;
            assert_eq!(text_of(&editor.effective(ours()).await), text);
        }
        editor.write(FILE, declares("\"A.md\""));
        until(&mut editor, "[A]").await;
        editor.leave().await;
    }
}
