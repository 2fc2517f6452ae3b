//! Expectations that do not hold, while files are typed.

use serde_json::{Value, json};

use super::editor::Editor;
use crate::client::tests;

const DECLARATION: &str = "project/briefing.toml";
const AGENTS: &str = "project/AGENTS.md";

/// An editor of a project for Codex and Claude Code that expects a sentence before files below `src` are edited.
async fn editor() -> Editor {
    let mut abilities = Editor::abilities();
    abilities["textDocument"]["codeAction"] = json!({"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}});
    abilities["workspace"]["workspaceEdit"] = json!({"documentChanges": true, "resourceOperations": ["create"]});
    let options = json!({"harnesses": ["codex", "claude-code"]});
    let editor = Editor::with(json!({"capabilities": abilities, "initializationOptions": options})).await;
    editor.write("project/src/a.ts", "");
    editor.write(AGENTS, "Never log personal data.\n");
    editor.write("project/CLAUDE.md", "@AGENTS.md\n");
    editor
}

fn expects(text: &str) -> String {
    format!("[[expect]]\nid = \"no-pii\"\ntext = {text:?}\npaths = [\"src/**\"]\nfrom = [\"/\"]\n")
}

/// Waits for diagnostics of a document that satisfy a condition, and returns the failed expectations.
async fn failed(editor: &mut Editor, inside: &str, is_there: bool) -> Vec<Value> {
    let of = |found: &Value| -> Vec<Value> {
        let all = found["diagnostics"].as_array().expect("a list");
        all.iter().filter(|one| one["code"] == "expectation-failed").cloned().collect()
    };
    let found = editor.until_diagnostics(inside, |found| of(found).is_empty() != is_there).await;
    of(&found)
}

async fn titles(editor: &mut Editor, inside: &str) -> Vec<(String, Value)> {
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}});
    let params = json!({"textDocument": {"uri": editor.uri(inside)}, "range": range, "context": {"diagnostics": []}});
    let actions = editor.ask("textDocument/codeAction", params).await.expect("a list");
    let actions = actions.as_array().expect("a list").iter();
    actions.map(|action| (action["title"].as_str().expect("a title").to_owned(), action["edit"].clone())).collect()
}

tests! {
    async fn a_sentence_that_is_gone_is_missed_at_the_entry_until_it_is_back() {
        let mut editor = editor().await;
        editor.open_document(DECLARATION, &expects("Never log personal data.")).await;
        failed(&mut editor, DECLARATION, false).await;
        editor.write(AGENTS, "Never log data.\n");
        let found = loop {
            let found = failed(&mut editor, DECLARATION, true).await;
            // A file is empty for a moment while it is written.
            if found[0]["relatedInformation"].is_array() {
                break found;
            }
        };
        assert_eq!(found[0]["range"]["start"], json!({"line": 0, "character": 0}), "{found:?}");
        assert!(found[0]["message"].as_str().is_some_and(|said| said.contains("no instruction file says it")), "{found:?}");
        assert_eq!(found[0]["relatedInformation"][0]["message"], "similar: Never log data.");
        let offered = titles(&mut editor, DECLARATION).await;
        assert_eq!(offered[0].0, "Expect “Never log data.”");
        let edit = &offered[0].1["documentChanges"][0]["edits"][0];
        assert_eq!(edit["newText"], "\"Never log data.\"", "{edit}");
        editor.change(DECLARATION, 2, &expects("Never log data.")).await;
        failed(&mut editor, DECLARATION, false).await;
        editor.change(DECLARATION, 3, &expects("Never log personal data.")).await;
        failed(&mut editor, DECLARATION, true).await;
        editor.write(AGENTS, "Never log\npersonal data.\n");
        failed(&mut editor, DECLARATION, false).await;
        editor.leave().await;
    }

    async fn a_sentence_that_an_agent_does_not_get_is_marked_where_it_stands() {
        let mut editor = editor().await;
        editor.write(DECLARATION, expects("Never log personal data."));
        editor.open_document(AGENTS, "# Rules\n\nNever log personal data.\n").await;
        failed(&mut editor, AGENTS, false).await;
        editor.write("project/CLAUDE.md", "Be brief.\n");
        let found = failed(&mut editor, AGENTS, true).await;
        assert_eq!(found[0]["range"]["start"], json!({"line": 2, "character": 0}), "{found:?}");
        let message = found[0]["message"].as_str().expect("a message");
        assert!(message.starts_with("Expectation `no-pii` does not hold: Claude Code started in /"), "{message}");
        editor.write(DECLARATION, expects("Never log personal data.").replace("src", "lib"));
        failed(&mut editor, AGENTS, false).await;
        editor.write("project/lib/a.ts", "");
        failed(&mut editor, AGENTS, true).await;
        editor.leave().await;
    }

    async fn a_file_that_claude_code_does_not_read_can_be_imported() {
        let mut editor = editor().await;
        editor.write("project/CLAUDE.md", "Be brief.\n");
        editor.write(DECLARATION, expects("Never log personal data."));
        editor.open_document(AGENTS, "Never log personal data.\n").await;
        failed(&mut editor, AGENTS, true).await;
        let offered = titles(&mut editor, AGENTS).await;
        assert!(offered.iter().any(|(title, _)| title == "Import AGENTS.md in CLAUDE.md"), "{offered:?}");
        editor.leave().await;
    }
}
