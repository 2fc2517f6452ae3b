//! Which harnesses answer: those that are used here, all, or those that are named; for every feature the same.

use serde_json::{Value, json};

use super::editor::Editor;
use crate::client::tests;

fn ids(answer: &Value) -> Vec<&str> {
    let briefings = answer["briefings"].as_array().expect("a list");
    briefings.iter().map(|one| one["harness"].as_str().expect("an id")).collect()
}

async fn choose(editor: &mut Editor, settings: Value) {
    editor.tell("workspace/didChangeConfiguration", json!({"settings": settings})).await;
}

tests! {
    async fn those_that_are_used_here_answer_and_what_shows_it_is_watched() {
        let mut editor = Editor::open().await;
        editor.write("home/.claude/settings.json", "{}");
        choose(&mut editor, json!({"harnesses": ["mine"]})).await;
        assert_eq!(ids(&editor.effective(json!({})).await), ["claude-code"]);
        editor.write("home/.codex/sessions/x", "");
        while ids(&editor.effective(json!({})).await) != ["codex", "claude-code"] {}
        assert_eq!(ids(&editor.effective(json!({"harness": ["zed", "mine"]})).await), ["zed", "codex", "claude-code"]);
        assert_eq!(ids(&editor.effective(json!({"harness": ["mine", "codex@0.104"]})).await), ["claude-code", "codex"]);
        let all = editor.effective(json!({"harness": "all"})).await;
        assert_eq!(ids(&all), briefing::harness::ALL.iter().map(|profile| profile.id).collect::<Vec<_>>());
        choose(&mut editor, json!({"harnesses": ["mine"], "extensions": ["saoudrizwan.claude-dev", "me.mine"]})).await;
        assert_eq!(ids(&editor.effective(json!({})).await), ["codex", "cline", "claude-code"]);
        editor.leave().await;
    }

    async fn the_roster_says_who_is_used_here_and_why() {
        let mut editor = Editor::open().await;
        let said = editor.ask("briefing/roster", json!({})).await.expect("an answer");
        assert_eq!(said["assumed"], true, "{said}");
        assert_eq!(said["mine"][1], json!({"harness": "claude-code", "edition": "2.1", "running": null, "because": []}));
        editor.write("project/node_modules/@openai/codex/package.json", r#"{"name": "@openai/codex", "version": "0.104.0"}"#);
        let said = loop {
            let said = editor.ask("briefing/roster", Value::Null).await.expect("an answer");
            if said["assumed"] != true {
                break said;
            }
        };
        let manifest = editor.path("project/node_modules/@openai/codex/package.json");
        let because = json!([{"what": "installed", "path": manifest}]);
        assert_eq!((&said["mine"][0]["running"], &said["mine"][0]["because"]), (&json!("0.104.0"), &because));
        assert_eq!(said["others"].as_array().map(Vec::len), Some(briefing::harness::ALL.len() - 1));
        let known = editor.ask("briefing/harnesses", json!({})).await.expect("an answer");
        assert_eq!(known["roster"], said);
        editor.leave().await;
    }

    async fn what_only_another_harness_would_find_wrong_is_not_found() {
        const LONG: &str = "project/AGENTS.md";
        let mut editor = Editor::open().await;
        let text = "0123456789\n".repeat(3000);
        editor.write("home/.claude/settings.json", "{}");
        choose(&mut editor, json!({"harnesses": ["mine"], "longFile": 0})).await;
        editor.open_document(LONG, &text).await;
        let found = editor.diagnostics(LONG).await;
        assert_eq!(found["diagnostics"], json!([]));
        let about = json!({"textDocument": {"uri": editor.uri(LONG)}});
        let lenses = editor.ask("textDocument/codeLens", about.clone()).await.expect("an answer").to_string();
        assert!(!lenses.contains("codex") && !lenses.contains("Codex"), "{lenses}");
        choose(&mut editor, json!({"harnesses": ["mine", "codex"], "longFile": 0})).await;
        let found = editor.until_diagnostics(LONG, |found| found["diagnostics"][0].is_object()).await;
        assert_eq!(found["diagnostics"][0]["code"], "over-budget", "{found}");
        let lenses = editor.ask("textDocument/codeLens", about).await.expect("an answer").to_string();
        assert!(lenses.to_lowercase().contains("codex"), "{lenses}");
        editor.leave().await;
    }

    async fn an_unknown_harness_in_the_settings_is_said_with_those_that_may_be_meant() {
        let mut editor = Editor::open().await;
        choose(&mut editor, json!({"harnesses": ["mine", "claude"]})).await;
        let said = editor.said().await;
        let message = said["params"]["message"].as_str().expect("a message");
        assert!(message.contains("briefing.harnesses: there is no agent `claude`; did you mean claude-code?"), "{said}");
        choose(&mut editor, json!({"harnesses": []})).await;
        assert_eq!(ids(&editor.effective(json!({})).await), ["codex"], "what the process was started with");
        editor.leave().await;
    }
}
