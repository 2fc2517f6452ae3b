//! Code actions: edits that the editor applies, as far as it can.

use serde_json::{Value, json};

use super::editor::Editor;
use crate::client::tests;

const AGENTS: &str = "project/AGENTS.md";
const ONE_TRUTH: &str = "Plan one AGENTS.md for all agents, with proof";
const RULE: &str = "Never log personal data in any of the services.\n";

/// What an editor says that can do everything with edits.
fn able() -> Value {
    let mut able = Editor::abilities();
    able["textDocument"]["codeAction"] = json!({
        "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "refactor", "source"]}},
        "isPreferredSupport": true,
        "dataSupport": true,
        "resolveSupport": {"properties": ["edit"]},
    });
    able["workspace"]["workspaceEdit"] = json!({
        "documentChanges": true,
        "resourceOperations": ["create", "rename", "delete"],
        "changeAnnotationSupport": {},
    });
    able
}

async fn editor(abilities: Value, harnesses: Value) -> Editor {
    let options = json!({"harnesses": harnesses});
    Editor::with(json!({"capabilities": abilities, "initializationOptions": options})).await
}

/// What is offered from the beginning of a line to its end.
async fn offered(editor: &mut Editor, inside: &str, line: u32, only: Option<&str>) -> Value {
    let range = json!({"start": {"line": line, "character": 0}, "end": {"line": line + 1, "character": 0}});
    let mut context = json!({"diagnostics": []});
    if let Some(only) = only {
        context["only"] = json!([only]);
    }
    let params = json!({"textDocument": {"uri": editor.uri(inside)}, "range": range, "context": context});
    editor.ask("textDocument/codeAction", params).await.expect("a list")
}

/// The titles of actions but for exceptions, which are offered for every finding.
fn titles(actions: &Value) -> Vec<&str> {
    let all = actions.as_array().expect("a list").iter().map(|action| action["title"].as_str().expect("a title"));
    all.filter(|title| !title.starts_with("Ignore here") && !title.starts_with("Turn off in this project")).collect()
}

/// The next message that the editor shows.
async fn shown(editor: &mut Editor) -> String {
    loop {
        let said = editor.said().await;
        if said["method"] == "window/showMessage" {
            return said["params"]["message"].as_str().expect("a text").to_owned();
        }
    }
}

tests! {
    async fn a_fix_says_what_it_fixes_and_edits_the_document() {
        let mut abilities = Editor::abilities();
        abilities["textDocument"]["codeAction"] = json!({"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}});
        let mut editor = editor(abilities, json!(["codex"])).await;
        editor.open_document(AGENTS, "é 😀 zero\u{200b}width\n").await;
        let found = editor.diagnostics(AGENTS).await;
        let actions = offered(&mut editor, AGENTS, 0, None).await;
        let place = json!({"start": {"line": 0, "character": 9}, "end": {"line": 0, "character": 10}});
        assert_eq!(actions[0], json!({
            "title": "Remove these hidden characters",
            "kind": "quickfix",
            "diagnostics": [found["diagnostics"][0]],
            "edit": {"changes": {editor.uri(AGENTS): [{"range": place, "newText": ""}]}},
        }));
        editor.leave().await;
    }

    async fn an_edit_is_worked_out_once_the_action_is_chosen() {
        let mut editor = editor(able(), json!(["codex"])).await;
        editor.open_document(AGENTS, &"x".repeat(32_769)).await;
        editor.diagnostics(AGENTS).await;
        let actions = offered(&mut editor, AGENTS, 0, Some("quickfix")).await;
        let action = &actions[0];
        let settings = editor.path("home/.codex/config.toml");
        assert_eq!(titles(&actions), [format!("Set project_doc_max_bytes to 45 056 in {}", settings.display())]);
        assert_eq!((&action["edit"], &action["diagnostics"][0]["code"]), (&Value::Null, &json!("over-budget")));
        let resolved = editor.ask("codeAction/resolve", action.clone()).await.expect("the action");
        let uri = editor.uri("home/.codex/config.toml");
        let start = json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}});
        assert_eq!(resolved["edit"], json!({"documentChanges": [
            {"kind": "create", "uri": uri},
            {
                "textDocument": {"uri": uri, "version": null},
                "edits": [{"range": start, "newText": "project_doc_max_bytes = 45056\n"}],
            },
        ]}));
        editor.leave().await;
    }

    async fn a_finding_is_ignored_with_a_reason_that_the_user_types() {
        let mut snippets = able();
        snippets["workspace"]["workspaceEdit"]["snippetEditSupport"] = json!(true);
        for (abilities, is_snippet) in [(snippets, true), (able(), false)] {
            let mut editor = editor(abilities, json!(["codex"])).await;
            editor.open_document(AGENTS, "# Rules\n\nzero\u{200b}width\n").await;
            editor.diagnostics(AGENTS).await;
            let actions = offered(&mut editor, AGENTS, 2, Some("quickfix")).await;
            let all = actions.as_array().expect("a list");
            let of = |title: &str| all.iter().find(|one| one["title"].as_str().is_some_and(|all| all.starts_with(title)));
            let ignore = of("Ignore here (reason, until ").expect("offered").clone();
            let edit = editor.ask("codeAction/resolve", ignore).await.expect("it")["edit"].clone();
            let change = &edit["documentChanges"][0]["edits"][0];
            let above = json!({"start": {"line": 2, "character": 0}, "end": {"line": 2, "character": 0}});
            assert_eq!(change["range"], above);
            let text = if is_snippet { &change["snippet"]["value"] } else { &change["newText"] };
            let text = text.as_str().expect("a text");
            assert!(text.starts_with("<!-- briefing-ignore hidden-characters until="), "{edit}");
            assert_eq!(text.contains(": ${1:} -->\n"), is_snippet, "{text}");
            // Without a reason nothing is ignored.
            assert_eq!(text.ends_with(":  -->\n"), !is_snippet, "{text}");
            let off = of("Turn off in this project: hidden-characters").expect("offered").clone();
            let edit = editor.ask("codeAction/resolve", off).await.expect("it")["edit"].clone();
            let uri = editor.uri("project/briefing.toml");
            assert_eq!(edit["documentChanges"][0], json!({"kind": "create", "uri": uri}));
            let declared = edit["documentChanges"][1]["edits"][0]["newText"].as_str().expect("a text").to_owned();
            // What is declared there holds in the editor as it does for `check`.
            editor.open_document("project/briefing.toml", &declared).await;
            // Each of the two files is said once more, in whatever order.
            let mut waiting = vec![editor.uri(AGENTS), editor.uri("project/briefing.toml")];
            while !waiting.is_empty() {
                let said = editor.said().await;
                let is_empty = said["params"]["diagnostics"] == json!([]);
                waiting.retain(|uri| !is_empty || said["params"]["uri"] != *uri);
            }
            editor.leave().await;
        }
    }

    async fn all_safe_fixes_of_a_file_are_one_action_for_those_who_ask_for_it() {
        let mut editor = editor(able(), json!(["codex"])).await;
        editor.open_document(AGENTS, "o\u{200b}ne\n\ntw\u{200b}o\n").await;
        editor.diagnostics(AGENTS).await;
        let actions = offered(&mut editor, AGENTS, 0, None).await;
        assert!(!titles(&actions).iter().any(|title| title.starts_with("Fix all")), "{actions}");
        let actions = offered(&mut editor, AGENTS, 0, Some("source.fixAll")).await;
        assert_eq!(titles(&actions), ["Fix all that can be fixed safely in this file"]);
        let edit = editor.ask("codeAction/resolve", actions[0].clone()).await.expect("it")["edit"].clone();
        let edits = edit["documentChanges"][0]["edits"].as_array().expect("edits");
        assert_eq!((edits.len(), &edits[0]["newText"], &edits[1]["newText"]), (2, &json!(""), &json!("")), "{edit}");
        editor.leave().await;
    }

    async fn a_fix_that_changes_several_files_is_shown_before_it_does() {
        let mut editor = editor(able(), json!(["codex"])).await;
        let section = |title: &str| format!("\n## {title}\n\n{}", "- Test all of it, every time.\n".repeat(20));
        editor.open_document(AGENTS, &format!("# House\n{}{}", section("Testing"), section("Style"))).await;
        editor.diagnostics(AGENTS).await;
        let actions = offered(&mut editor, AGENTS, 4, Some("refactor.extract")).await;
        let resolved = editor.ask("codeAction/resolve", actions[0].clone()).await.expect("the action");
        let edit = &resolved["edit"];
        let (id, note) = edit["changeAnnotations"].as_object().and_then(|notes| notes.iter().next()).expect("a note");
        assert_eq!((&note["label"], &note["needsConfirmation"]), (&json!("Changes 2 files; tick all of them, and apply"), &json!(true)));
        let changes = edit["documentChanges"].as_array().expect("changes");
        let annotated = |change: &Value| change.get("annotationId").or(change["edits"][0].get("annotationId")).cloned();
        assert!(changes.len() > 1 && changes.iter().all(|change| annotated(change) == Some(json!(id))), "{edit}");
        editor.leave().await;
    }

    async fn other_documents_are_edited_in_the_state_they_are_open_in() {
        let mut editor = editor(able(), json!(["claude-code"])).await;
        editor.open_document("project/CLAUDE.md", "# Claude, é\n").await;
        editor.diagnostics("project/CLAUDE.md").await;
        editor.change("project/CLAUDE.md", 7, "---\na: b\n---\n# Claude, é\n").await;
        editor.diagnostics("project/CLAUDE.md").await;
        editor.open_document(AGENTS, "# Agents\n").await;
        editor.diagnostics(AGENTS).await;
        let actions = offered(&mut editor, AGENTS, 0, Some("quickfix")).await;
        assert_eq!(titles(&actions), ["Import AGENTS.md in CLAUDE.md"]);
        assert_eq!(actions[0]["isPreferred"], true);
        let resolved = editor.ask("codeAction/resolve", actions[0].clone()).await.expect("the action");
        let place = json!({"start": {"line": 3, "character": 0}, "end": {"line": 3, "character": 0}});
        assert_eq!(resolved["edit"]["documentChanges"], json!([{
            "textDocument": {"uri": editor.uri("project/CLAUDE.md"), "version": 7},
            "edits": [{"range": place, "newText": "@AGENTS.md\n\n"}],
        }]));
        editor.leave().await;
    }

    async fn a_file_is_renamed_or_deleted_only_by_clients_that_can_do_that() {
        let lacking = |operations: Value| {
            let mut able = able();
            able["workspace"]["workspaceEdit"]["resourceOperations"] = operations;
            able
        };
        for (abilities, rename, delete) in
            [(able(), true, true), (lacking(json!(["rename"])), true, false), (lacking(json!([])), false, false)]
        {
            let mut editor = editor(abilities, json!(["opencode"])).await;
            for (file, text) in [("HEAD", "ref: refs/heads/main\n"), ("objects/x", ""), ("refs/x", "")] {
                editor.write(&format!("project/.git/{file}"), text);
            }
            editor.write("project/opencode.json", "{\"instructions\": [\"docs/*.md\"]}");
            editor.write("project/AGENTS.md", "# Rules that everybody in this house has to follow, always.\n");
            let copy = "project/docs/copy.md";
            editor.open_document(copy, "# Rules that everybody in this house has to follow, always.\n").await;
            editor.write(copy, "# Rules that everybody in this house has to follow, always.\n");
            editor.tell("workspace/didChangeWatchedFiles", json!({"changes": [{"uri": editor.uri(copy), "type": 1}]})).await;
            editor.until_diagnostics(copy, |found| found["diagnostics"].as_array().is_some_and(|list| list.len() == 1)).await;
            let actions = offered(&mut editor, copy, 0, Some("quickfix")).await;
            assert_eq!(titles(&actions).len(), usize::from(delete), "{actions}");
            if delete {
                let resolved = editor.ask("codeAction/resolve", actions[0].clone()).await.expect("the action");
                let change = &resolved["edit"]["documentChanges"][0];
                assert_eq!((&change["kind"], &change["uri"]), (&json!("delete"), &json!(editor.uri(copy))));
                let asked = &resolved["edit"]["changeAnnotations"][change["annotationId"].as_str().expect("an id")];
                assert_eq!(asked["needsConfirmation"], true);
            }
            let wrong = "project/src/Agents.md";
            editor.open_document(wrong, "# Agents\n").await;
            editor.diagnostics(wrong).await;
            let actions = offered(&mut editor, wrong, 0, Some("quickfix")).await;
            assert_eq!(titles(&actions).contains(&"Rename to AGENTS.md"), rename, "{actions}");
            editor.leave().await;
        }
    }

    async fn an_editor_that_lists_operations_on_files_gets_them_and_is_not_trusted_to_ask() {
        // As Neovim 0.12 says it, which does not ask before it deletes a file.
        let mut able = able();
        able["workspace"]["workspaceEdit"] =
            json!({"resourceOperations": ["rename", "create", "delete"], "changeAnnotationSupport": {"groupsOnLabel": true}});
        able["workspace"]["applyEdit"] = json!(true);
        let mut editor = editor(able, json!(["codex", "claude-code"])).await;
        editor.write("project/Cargo.toml", "[package]\n");
        let actions = offered(&mut editor, "project/src/main.rs", 0, Some("source")).await;
        let resolved = editor.ask("codeAction/resolve", actions[0].clone()).await.expect("the action");
        assert_eq!(resolved["edit"]["documentChanges"][0], json!({"kind": "create", "uri": editor.uri(AGENTS)}));
        let rules = "# Rules that everybody in this house has to follow, always.\n";
        editor.write("project/CLAUDE.md", rules);
        let copy = "project/.claude/CLAUDE.md";
        editor.write(copy, rules);
        editor.open_document(copy, rules).await;
        editor.until_diagnostics(copy, |found| found["diagnostics"].as_array().is_some_and(|list| !list.is_empty())).await;
        let actions = offered(&mut editor, copy, 0, Some("quickfix")).await;
        let (title, command) = (titles(&actions)[0].to_owned(), actions[0]["command"].clone());
        assert!(title.starts_with("Delete CLAUDE.md, whose text is in ") && actions[0]["edit"].is_null(), "{actions}");
        // Neovim asks for more of every action that has no edit.
        assert_eq!(editor.ask("codeAction/resolve", actions[0].clone()).await, Ok(actions[0].clone()));
        for (answer, applied) in [(json!(null), false), (json!({"title": "Cancel"}), false), (json!({"title": "Yes"}), true)] {
            let params = json!({"command": command["command"], "arguments": command["arguments"]});
            let id = editor.send("workspace/executeCommand", params).await;
            let question = editor.said().await;
            assert_eq!(question["params"]["message"], json!(format!("Briefing: {title}?")));
            editor.answer(&question, answer).await;
            if applied {
                let edit = editor.said().await;
                let delete = json!({"documentChanges": [{"kind": "delete", "uri": editor.uri(copy)}]});
                assert_eq!((&edit["method"], &edit["params"]["edit"]), (&json!("workspace/applyEdit"), &delete));
                editor.answer(&edit, json!({"applied": true})).await;
            }
            assert_eq!(editor.answer_to(id).await.expect("an answer"), json!({"applied": applied}));
        }
        editor.leave().await;
    }

    async fn what_concerns_the_whole_workspace_is_offered_with_any_file_to_those_who_ask() {
        let mut editor = editor(able(), json!(["codex"])).await;
        editor.write("project/Cargo.toml", "[package]\n");
        editor.write("project/src/main.rs", "fn main() {}\n");
        assert_eq!(titles(&offered(&mut editor, "project/src/main.rs", 0, None).await), [""; 0]);
        let actions = offered(&mut editor, "project/src/main.rs", 0, Some("source")).await;
        assert_eq!(titles(&actions), ["Create AGENTS.md from what the workspace says"]);
        let resolved = editor.ask("codeAction/resolve", actions[0].clone()).await.expect("the action");
        let changes = &resolved["edit"]["documentChanges"];
        assert_eq!(changes[0], json!({"kind": "create", "uri": editor.uri(AGENTS)}));
        let text = changes[1]["edits"][0]["newText"].as_str().expect("a text");
        assert!(text.contains("## Test\n\n- `cargo test`\n- One test: `cargo test NAME`\n"), "{text}");
        assert!(!editor.path(AGENTS).exists(), "it is the editor that writes");
        editor.leave().await;
    }

    async fn a_client_that_knows_commands_only_is_offered_nothing() {
        let mut editor = editor(Editor::abilities(), json!(["codex"])).await;
        editor.open_document(AGENTS, "zero\u{200b}width\n").await;
        editor.diagnostics(AGENTS).await;
        assert_eq!(offered(&mut editor, AGENTS, 0, None).await, Value::Null);
        editor.leave().await;
        let mut able_one = Editor::new();
        let result = able_one.initialize(json!({"capabilities": able()})).await;
        assert_eq!(result["capabilities"]["codeActionProvider"], json!({
            "codeActionKinds": ["quickfix", "refactor.extract", "source.briefing", "source.fixAll.briefing", "refactor.rewrite"],
            "resolveProvider": true,
        }));
        able_one.leave().await;
    }

    async fn what_is_switched_off_is_not_fixed_either() {
        let options = json!({"harnesses": ["codex"], "severities": {"hidden-characters": "off"}});
        let mut editor = Editor::with(json!({"capabilities": able(), "initializationOptions": options})).await;
        editor.open_document(AGENTS, "zero\u{200b}width\n").await;
        editor.diagnostics(AGENTS).await;
        assert_eq!(titles(&offered(&mut editor, AGENTS, 0, Some("quickfix")).await), [""; 0]);
        editor.leave().await;
    }

    async fn a_rule_is_looked_at_again_when_a_file_appears_that_it_is_for() {
        let mut editor = editor(Editor::abilities(), json!(["claude-code"])).await;
        let rule = "project/.claude/rules/api.md";
        editor.open_document(rule, "---\npaths: \"src/**/*.zig\"\n---\nRules.\n").await;
        editor.write(rule, "---\npaths: \"src/**/*.zig\"\n---\nRules.\n");
        editor.tell("workspace/didChangeWatchedFiles", json!({"changes": [{"uri": editor.uri(rule), "type": 1}]})).await;
        let codes = |found: &Value| found["diagnostics"].as_array().expect("a list").iter().map(|one| one["code"].clone()).collect::<Vec<_>>();
        let found = editor.until_diagnostics(rule, |found| !codes(found).is_empty()).await;
        assert_eq!(codes(&found), ["dead-glob"]);
        assert_eq!(found["diagnostics"][0]["range"]["start"], json!({"line": 1, "character": 8}));
        let zig = "project/src/main.zig";
        editor.write(zig, "");
        editor.tell("workspace/didChangeWatchedFiles", json!({"changes": [{"uri": editor.uri(zig), "type": 1}]})).await;
        editor.until_diagnostics(rule, |found| codes(found).is_empty()).await;
        editor.leave().await;
    }

    async fn prose_is_looked_at_again_when_what_it_names_appears() {
        let severities = json!({"missing-path": "warning", "missing-script": "warning"});
        let options = json!({"harnesses": ["codex"], "severities": severities});
        let mut editor = Editor::with(json!({"capabilities": able(), "initializationOptions": options})).await;
        editor.write("project/package.json", "{\"scripts\": {\"test\": \"x\"}}");
        editor.write("project/docs/style.md", "Style.\n");
        let text = "Run `npm run tset`, and read `docs/stile.md`.\n";
        editor.write(AGENTS, text);
        editor.open_document(AGENTS, text).await;
        let codes = |found: &Value| found["diagnostics"].as_array().expect("a list").iter().map(|one| one["code"].clone()).collect::<Vec<_>>();
        let found = editor.until_diagnostics(AGENTS, |found| codes(found).len() == 2).await;
        assert_eq!(codes(&found), ["missing-script", "missing-path"]);
        let offers = offered(&mut editor, AGENTS, 0, Some("quickfix")).await;
        assert_eq!(titles(&offers), ["Change to test", "Change to docs/style.md"]);
        editor.write("project/docs/stile.md", "");
        editor.until_diagnostics(AGENTS, |found| codes(found) == ["missing-script"]).await;
        editor.write("project/package.json", "{\"scripts\": {\"tset\": \"x\"}}");
        editor.until_diagnostics(AGENTS, |found| codes(found).is_empty()).await;
        editor.leave().await;
    }

    async fn a_plan_is_a_refactoring_whose_proof_the_editor_shows_before_it_applies_anything() {
        let mut editor = editor(able(), json!(["codex", "gemini-cli"])).await;
        editor.write(AGENTS, "An older rule, which is saved.\n");
        let gemini = "project/GEMINI.md";
        let text = format!("{RULE}\nUse the shell tool for searches.\n");
        editor.write(gemini, &text);
        editor.open_document(gemini, &text).await;
        editor.diagnostics(gemini).await;
        // The editor's text counts, not that of the disk.
        editor.open_document(AGENTS, RULE).await;
        editor.diagnostics(AGENTS).await;
        let actions = offered(&mut editor, AGENTS, 0, Some("refactor.rewrite")).await;
        assert_eq!(titles(&actions), [ONE_TRUTH], "{actions}");
        assert_eq!((&actions[0]["kind"], &actions[0]["edit"]), (&json!("refactor.rewrite.briefing.one-truth"), &Value::Null));
        let resolved = editor.ask("codeAction/resolve", actions[0].clone()).await.expect("the action");
        let edit = &resolved["edit"];
        let changes = edit["documentChanges"].as_array().expect("changes");
        assert_eq!(changes.len(), 1, "{edit}");
        assert_eq!(changes[0]["textDocument"], json!({"uri": editor.uri(gemini), "version": 1}));
        let first = json!({"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}});
        assert_eq!(
            changes[0]["edits"],
            json!([{"range": first, "newText": "@./AGENTS.md\n", "annotationId": "plan"}])
        );
        let note = &edit["changeAnnotations"]["plan"];
        assert_eq!((&note["label"], &note["needsConfirmation"]), (&json!(format!("{ONE_TRUTH}: nothing is lost")), &json!(true)));
        let details = note["description"].as_str().expect("a text");
        assert!(details.starts_with("GEMINI.md imports AGENTS.md\ncodex 0."), "{details}");
        assert_eq!(shown(&mut editor).await, format!("Briefing: {ONE_TRUTH}: nothing is lost."));
        editor.leave().await;
    }

    async fn a_plan_is_offered_to_those_who_ask_and_says_where_there_is_nothing_to_do_or_to_lose() {
        let mut editor = editor(able(), json!(["codex", "opencode"])).await;
        editor.write("project/pay/a.ts", "");
        let section = format!("# All\n\n{RULE}\n## pay\n\n{}", "- Two look at each change of an amount.\n".repeat(8) + "\n## Style\n\nShort names.\n");
        editor.open_document(AGENTS, &section).await;
        editor.diagnostics(AGENTS).await;
        let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}});
        let params = json!({
            "textDocument": {"uri": editor.uri(AGENTS)}, "range": range, "context": {"diagnostics": [], "triggerKind": 2},
        });
        let moved = editor.ask("textDocument/codeAction", params).await.expect("a list");
        assert!(!titles(&moved).iter().any(|title| title.starts_with("Plan")), "{moved}");
        let actions = offered(&mut editor, AGENTS, 0, Some("refactor")).await;
        let plans: Vec<&str> = titles(&actions).into_iter().filter(|title| title.starts_with("Plan")).collect();
        assert_eq!(plans, [ONE_TRUTH, "Plan to split this file, with proof"], "{actions}");
        let of = |title: &str| {
            let mut all = actions.as_array().expect("a list").iter();
            all.find(|action| action["title"] == title).expect("offered").clone()
        };
        let nothing = editor.ask("codeAction/resolve", of(ONE_TRUTH)).await.expect("the action");
        assert_eq!(nothing["edit"], Value::Null);
        let message = shown(&mut editor).await;
        assert!(message.starts_with("Briefing: nothing has to change\n"), "{message}");
        let split = editor.ask("codeAction/resolve", of("Plan to split this file, with proof")).await.expect("it");
        let note = &split["edit"]["changeAnnotations"]["plan"];
        let label = note["label"].as_str().expect("a text");
        assert!(label.starts_with("Plan to split this file, with proof: lost: "), "{note}");
        assert_eq!(shown(&mut editor).await, format!("Briefing: {label}."));
        let details = note["description"].as_str().expect("a text");
        assert!(details.contains("\nlost: “Two look at each change of an amount.” (codex started in /"), "{details}");
        let changes = split["edit"]["documentChanges"].as_array().expect("changes").clone();
        assert!(
            changes.iter().any(|one| one["kind"] == "create" && one["uri"] == editor.uri("project/pay/AGENTS.md") && one["annotationId"] == "plan"),
            "{changes:?}"
        );
        assert!(!editor.path("project/pay/AGENTS.md").exists(), "it is the editor that writes");
        editor.leave().await;
    }

    async fn an_editor_that_shows_no_preview_is_asked_with_the_proof() {
        let mut able = able();
        able["workspace"]["workspaceEdit"] = json!({"resourceOperations": ["rename", "create", "delete"]});
        able["workspace"]["applyEdit"] = json!(true);
        let mut editor = editor(able, json!(["codex", "gemini-cli"])).await;
        editor.open_document(AGENTS, RULE).await;
        editor.diagnostics(AGENTS).await;
        let actions = offered(&mut editor, AGENTS, 0, Some("refactor.rewrite")).await;
        assert_eq!(titles(&actions), [ONE_TRUTH], "{actions}");
        let command = &actions[0]["command"];
        let params = json!({"command": command["command"], "arguments": command["arguments"]});
        let id = editor.send("workspace/executeCommand", params).await;
        let question = editor.said().await;
        let message = question["params"]["message"].as_str().expect("a text");
        assert!(message.starts_with(&format!("Briefing: {ONE_TRUTH}: nothing is lost\n\nGEMINI.md imports AGENTS.md\n")), "{message}");
        assert!(message.ends_with("\n\nApply it?"), "{message}");
        editor.answer(&question, json!({"title": "Yes"})).await;
        let edit = editor.said().await;
        let changes = &edit["params"]["edit"];
        assert_eq!(changes["documentChanges"][0], json!({"kind": "create", "uri": editor.uri("project/GEMINI.md")}));
        assert_eq!(changes["changeAnnotations"], Value::Null);
        editor.answer(&edit, json!({"applied": true})).await;
        assert_eq!(editor.answer_to(id).await.expect("an answer"), json!({"applied": true}));
        editor.leave().await;
    }
}
