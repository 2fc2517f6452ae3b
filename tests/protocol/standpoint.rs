//! Where an agent is started is one thing: every feature says of a file what holds for that start, and names any other.

use serde_json::{Value, json};

use super::editor::Editor;
use crate::client::tests;

const NESTED: &str = "project/api/AGENTS.md";

/// A project whose files together are too long for Codex where it is started beside the second.
async fn project() -> Editor {
    let mut editor = Editor::open().await;
    editor.write("project/AGENTS.md", "0123456789\n".repeat(2000));
    editor.write("project/api/main.rs", "fn main() {}\n");
    editor.open_document(NESTED, &"0123456789\n".repeat(1500)).await;
    editor
}

async fn asked(editor: &mut Editor, method: &str, file: &str) -> String {
    let whole = json!({"start": {"line": 0, "character": 0}, "end": {"line": 5000, "character": 0}});
    let about = json!({"textDocument": {"uri": editor.uri(file)}, "range": whole, "position": whole["start"]});
    editor.ask(method, about).await.expect("an answer").to_string()
}

async fn start_in(editor: &mut Editor, cwd: &str) {
    let settings = json!({"settings": {"cwd": cwd, "longFile": 0}});
    editor.tell("workspace/didChangeConfiguration", settings).await;
}

tests! {
    async fn what_holds_for_another_start_only_is_said_as_such_in_every_feature() {
        let mut editor = project().await;
        let found = editor.until_diagnostics(NESTED, |found| found["diagnostics"][0].is_object()).await;
        let budget = found["diagnostics"].as_array().expect("a list").iter().find(|one| one["code"] == "over-budget");
        let budget = budget.expect("it is too long there");
        assert_eq!((&budget["severity"], &budget["tags"]), (&json!(3), &Value::Null), "{budget}");
        assert!(budget["message"].as_str().is_some_and(|said| said.starts_with("If started in api: ")), "{budget}");
        let lenses = asked(&mut editor, "textDocument/codeLens", NESTED).await;
        assert!(lenses.contains("If started in api: Codex: 5"), "{lenses}");
        let hover = asked(&mut editor, "textDocument/hover", NESTED).await;
        assert!(hover.contains("if started in api: "), "{hover}");
        // What is lost there is not lost here, and nothing fades.
        assert!(!asked(&mut editor, "textDocument/inlayHint", NESTED).await.contains('✂'));
        assert!(!asked(&mut editor, "textDocument/foldingRange", NESTED).await.contains("startLine"));
        let about = json!({"textDocument": {"uri": editor.uri(NESTED)}});
        let status = editor.effective(about).await;
        let cut = |status: &Value| status["briefings"][0]["sources"].to_string().contains("truncated");
        assert!(!cut(&status), "{status}");

        start_in(&mut editor, "api").await;
        let found = editor.until_diagnostics(NESTED, |found| found["diagnostics"][0]["severity"] == 2).await;
        assert_eq!(found["diagnostics"][0]["code"], "over-budget");
        assert!(found["diagnostics"].to_string().contains("\"tags\":[1]"), "{found}");
        let lenses = asked(&mut editor, "textDocument/codeLens", NESTED).await;
        assert!(lenses.contains("\"Codex: 5") && !lenses.contains("If started"), "{lenses}");
        assert!(asked(&mut editor, "textDocument/inlayHint", NESTED).await.contains('✂'));
        assert!(asked(&mut editor, "textDocument/foldingRange", NESTED).await.contains("startLine"));
        let about = json!({"textDocument": {"uri": editor.uri(NESTED)}});
        let status = editor.effective(about).await;
        assert!(cut(&status), "{status}");
        editor.leave().await;
    }

    async fn a_file_that_comes_with_those_beside_it_needs_no_other_start() {
        const RULES: &str = "project/api/CLAUDE.md";
        let mut editor = Editor::open().await;
        let settings = json!({"settings": {"harnesses": ["claude-code"]}});
        editor.tell("workspace/didChangeConfiguration", settings).await;
        editor.write("project/api/main.rs", "fn main() {}\n");
        editor.open_document(RULES, "See @gone.md\n").await;
        let found = editor.until_diagnostics(RULES, |found| found["diagnostics"][0].is_object()).await;
        assert_eq!((&found["diagnostics"][0]["code"], &found["diagnostics"][0]["severity"]), (&json!("import-missing"), &json!(2)));
        let hover = asked(&mut editor, "textDocument/hover", RULES).await;
        assert!(!hover.contains("if started"), "{hover}");
        editor.leave().await;
    }

    async fn a_folder_of_rules_is_about_the_directory_that_holds_it() {
        let rules = [
            ("project/.github/copilot-instructions.md", "Rules.\n", "applies to the whole project"),
            ("project/.cursor/rules/a.mdc", "---\nalwaysApply: true\n---\nRules.\n", "applies to the whole project"),
            ("project/api/.cursor/rules/a.mdc", "---\nalwaysApply: true\n---\nRules.\n", "applies to api/"),
        ];
        let mut editor = Editor::new();
        editor.write("project/api/main.rs", "fn main() {}\n");
        rules.iter().for_each(|(file, text, _)| editor.write(file, text));
        let options = json!({"harnesses": ["copilot-vscode", "cursor"]});
        let pulls = json!({"textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {"refreshSupport": true}}});
        editor.initialize(json!({"capabilities": pulls, "initializationOptions": options})).await;
        editor.tell("initialized", json!({})).await;
        for (file, text, applies) in rules {
            editor.open_document(file, text).await;
            let lenses = asked(&mut editor, "textDocument/codeLens", file).await;
            assert!(lenses.contains(applies) && !lenses.contains("applies to ."), "{file}: {lenses}");
        }
        editor.leave().await;
    }
}
