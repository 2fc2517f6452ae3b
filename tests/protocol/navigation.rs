//! Moving between files: links, definitions, references, symbols, completion, renames; and hovers on what names others.

use serde_json::{Value, json};

use super::editor::Editor;
use crate::client::tests;

const CLAUDE: &str = "project/CLAUDE.md";

/// An editor for which these harnesses answer.
async fn asking(harnesses: &[&str]) -> Editor {
    let options = json!({"harnesses": harnesses});
    Editor::with(json!({"capabilities": {}, "initializationOptions": options})).await
}

fn document(editor: &Editor, inside: &str) -> Value {
    json!({"textDocument": {"uri": editor.uri(inside)}})
}

fn at(editor: &Editor, inside: &str, line: u32, character: u32) -> Value {
    json!({"textDocument": {"uri": editor.uri(inside)}, "position": {"line": line, "character": character}})
}

async fn hover(editor: &mut Editor, inside: &str, line: u32, character: u32) -> Value {
    let params = at(editor, inside, line, character);
    editor.ask("textDocument/hover", params).await.expect("an answer")
}

fn words(hover: &Value) -> &str {
    hover["contents"]["value"].as_str().unwrap_or_default()
}

fn range(line: u32, start: u32, end: u32) -> Value {
    json!({"start": {"line": line, "character": start}, "end": {"line": line, "character": end}})
}

fn labels(found: &Value) -> Vec<&str> {
    found.as_array().expect("a list").iter().map(|item| item["label"].as_str().expect("a label")).collect()
}

// Where things lead.
tests! {
    async fn imports_lead_to_their_files_in_every_encoding() {
        for (encoding, begins) in [("utf-8", 9), ("utf-16", 6), ("utf-32", 5)] {
            let options = json!({"harnesses": ["claude-code"]});
            let general = json!({"general": {"positionEncodings": [encoding]}});
            let mut editor = Editor::with(json!({"capabilities": general, "initializationOptions": options})).await;
            editor.write("project/docs/a.md", "A.\n");
            editor.write(CLAUDE, "\u{1F600} é @docs/a.md and @docs/none.md\n");
            let found = editor.ask("textDocument/documentLink", document(&editor, CLAUDE)).await.expect("links");
            let links = found.as_array().expect("a list");
            assert_eq!(links[0]["target"], editor.uri("project/docs/a.md"), "{found}");
            assert_eq!(links[0]["range"], range(0, begins, begins + 9), "{encoding}");
            let place = at(&editor, CLAUDE, 0, begins + 2);
            let found = editor.ask("textDocument/definition", place).await.expect("a place");
            assert_eq!(found, json!([{"uri": editor.uri("project/docs/a.md"), "range": range(0, 0, 0)}]));
            editor.leave().await;
        }
    }

    async fn entries_of_settings_lead_to_what_they_match() {
        let mut editor = asking(&["opencode", "codex"]).await;
        editor.write("project/docs/a.md", "A.\n");
        editor.write("project/docs/b.md", "B.\n");
        let text = "{\"instructions\": [\"docs/*.md\", \"docs/a.md\", \"https://example.org/x.md\", \"none/*.md\"]}";
        editor.write("project/opencode.json", text);
        let trusted = format!("[projects.\"{}\"]\ntrust_level = \"trusted\"\n", editor.path("project").display());
        editor.write("home/.codex/config.toml", trusted);
        editor.write("project/.codex/config.toml", "project_doc_fallback_filenames = [\"TEAM.md\"]\n");
        editor.write("project/TEAM.md", "Team.\n");
        let found = editor.ask("textDocument/documentLink", document(&editor, "project/opencode.json")).await.expect("links");
        let targets: Vec<&Value> = found.as_array().expect("a list").iter().map(|link| &link["target"]).collect();
        assert_eq!(targets, [&json!(editor.uri("project/docs/a.md")), &json!("https://example.org/x.md")]);
        let place = at(&editor, "project/opencode.json", 0, 20);
        let found = editor.ask("textDocument/definition", place).await.expect("places");
        let uris: Vec<&Value> = found.as_array().expect("a list").iter().map(|place| &place["uri"]).collect();
        assert_eq!(uris, [&json!(editor.uri("project/docs/a.md")), &json!(editor.uri("project/docs/b.md"))]);

        let glob = hover(&mut editor, "project/opencode.json", 0, 20).await;
        assert_eq!(words(&glob), "`docs/*.md` matches 2 files (OpenCode)\n\n- docs/a.md; OpenCode: loaded, 3 B\n- docs/b.md; OpenCode: loaded, 3 B\n");
        assert_eq!(glob["range"], range(0, 19, 28));
        let dead = hover(&mut editor, "project/opencode.json", 0, 75).await;
        assert_eq!(words(&dead), "`none/*.md` matches no file (OpenCode)\n");

        let place = at(&editor, "project/.codex/config.toml", 0, 37);
        let found = editor.ask("textDocument/definition", place).await.expect("a place");
        assert_eq!(found[0]["uri"], editor.uri("project/TEAM.md"), "{found}");
        editor.leave().await;
    }

    async fn a_hover_on_the_pattern_of_a_rule_shows_what_it_matches() {
        let mut editor = asking(&["claude-code"]).await;
        for name in ["a", "b"] {
            editor.write(&format!("project/src/{name}.rs"), "fn x() {}\n");
        }
        editor.write("project/.claude/rules/rust.md", "---\npaths: [\"src/**/*.rs\", \"**/*.py\"]\n---\n- Rule.\n");
        let found = hover(&mut editor, "project/.claude/rules/rust.md", 1, 12).await;
        let files = "- src/a.rs\n- src/b.rs\n";
        assert_eq!(words(&found), format!("`src/**/*.rs` matches 2 files, as loosely as any agent reads it\n\n{files}"));
        assert_eq!(found["range"], range(1, 9, 20));
        let none = hover(&mut editor, "project/.claude/rules/rust.md", 1, 27).await;
        assert_eq!(words(&none), "`**/*.py` matches no file: the rule is never loaded for one\n");
        editor.leave().await;
    }

    async fn references_are_the_words_that_load_a_file_wherever_they_stand() {
        let mut editor = asking(&["claude-code", "opencode"]).await;
        editor.write("project/docs/a.md", "A.\n");
        editor.write(CLAUDE, "Root.\n\n@docs/a.md\n");
        editor.write("project/deep/er/CLAUDE.md", "See @../../docs/a.md.\nSee @../../docs/a.md too.\n");
        editor.write("project/opencode.json", "{\"instructions\": [\"docs/a.md\"]}");
        let mut params = at(&editor, "project/docs/a.md", 0, 0);
        params["context"] = json!({"includeDeclaration": true});
        let found = editor.ask("textDocument/references", params.clone()).await.expect("places");
        let place = |inside: &str, range: Value| json!({"uri": editor.uri(inside), "range": range});
        let expected = json!([
            place(CLAUDE, range(2, 1, 10)),
            place("project/deep/er/CLAUDE.md", range(1, 5, 20)),
            place("project/opencode.json", range(0, 19, 28)),
        ]);
        assert_eq!(found, expected);

        // From the words themselves, and with what is typed.
        editor.open_document("project/deep/er/CLAUDE.md", "Nothing.\n").await;
        editor.diagnostics("project/deep/er/CLAUDE.md").await;
        let mut params = at(&editor, CLAUDE, 2, 4);
        params["context"] = json!({"includeDeclaration": true});
        let found = editor.ask("textDocument/references", params).await.expect("places");
        assert_eq!(found.as_array().map(Vec::len), Some(2), "{found}");
        editor.leave().await;
    }

    async fn files_are_renamed_with_their_imports_and_entries() {
        let mut editor = asking(&["claude-code", "opencode"]).await;
        editor.write("project/docs/a.md", "See @b.md for more.\n");
        editor.write("project/docs/b.md", "B.\n");
        editor.write(CLAUDE, "@./docs/a.md\n");
        editor.write("project/opencode.json", "{\"instructions\": [\"docs/a.md\", \"docs/*.md\"]}");
        let rename = |old: String, new: String| json!({"files": [{"oldUri": old, "newUri": new}]});
        let edit = |range: Value, text: &str| json!({"range": range, "newText": text});
        let params = rename(editor.uri("project/docs/a.md"), editor.uri("project/new/c.md"));
        let found = editor.ask("workspace/willRenameFiles", params).await.expect("an edit");
        assert_eq!(found["changes"], json!({
            (editor.uri(CLAUDE)): [edit(range(0, 1, 12), "./new/c.md")],
            (editor.uri("project/docs/a.md")): [edit(range(0, 5, 9), "../docs/b.md")],
            (editor.uri("project/opencode.json")): [edit(range(0, 19, 28), "new/c.md")],
        }));
        // A directory moves with everything in it; what is inside still finds its neighbours.
        let params = rename(editor.uri("project/docs"), editor.uri("project/pages"));
        let found = editor.ask("workspace/willRenameFiles", params).await.expect("an edit");
        assert_eq!(found["changes"], json!({
            (editor.uri(CLAUDE)): [edit(range(0, 1, 12), "./pages/a.md")],
            (editor.uri("project/opencode.json")): [edit(range(0, 19, 28), "pages/a.md")],
        }));
        let params = rename(editor.uri("project/src/x.rs"), editor.uri("project/src/y.rs"));
        assert_eq!(editor.ask("workspace/willRenameFiles", params).await, Ok(Value::Null));
        editor.leave().await;
    }
}

// What is there, and what can be.
tests! {
    async fn the_sections_of_a_file_say_what_of_them_is_lost() {
        let nested = json!({"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": true}}});
        let mut editor = Editor::with(json!({"capabilities": nested})).await;
        let text = format!("# One\n{}\n## Two\nlost\n", "x".repeat(32_800));
        editor.write("project/AGENTS.md", &text);
        editor.write("project/README.md", "# For people\n");
        let found = editor.ask("textDocument/documentSymbol", document(&editor, "project/AGENTS.md")).await.expect("symbols");
        assert_eq!((&found[0]["name"], &found[0].get("detail")), (&json!("One"), &None), "{found}");
        assert_eq!((&found[0]["children"][0]["name"], &found[0]["children"][0]["detail"]), (&json!("Two"), &json!("not loaded by Codex")));
        assert_eq!(found[0]["children"][0]["selectionRange"], range(2, 0, 6));
        let found = editor.ask("textDocument/documentSymbol", document(&editor, "project/README.md")).await;
        assert_eq!(found, Ok(Value::Null), "a text that nobody reads");
        editor.leave().await;

        let mut flat = Editor::with(json!({})).await;
        flat.write("project/AGENTS.md", "# One\n## Two\n");
        let found = flat.ask("textDocument/documentSymbol", document(&flat, "project/AGENTS.md")).await.expect("symbols");
        assert_eq!((&found[1]["name"], &found[1]["containerName"]), (&json!("Two"), &json!("One")), "{found}");
        flat.leave().await;
    }

    async fn the_symbols_of_a_workspace_are_its_instruction_files() {
        let mut editor = Editor::open().await;
        editor.write("project/AGENTS.md", "Root.\n");
        editor.write("project/src/deep/AGENTS.md", "Deep.\n");
        editor.write("project/src/main.rs", "");
        for (query, expected) in [("", vec!["AGENTS.md", "src/deep/AGENTS.md"]), ("deepag", vec!["src/deep/AGENTS.md"]), ("main", vec![])] {
            let found = editor.ask("workspace/symbol", json!({"query": query})).await.expect("symbols");
            let names: Vec<&str> = found.as_array().expect("a list").iter().filter_map(|one| one["name"].as_str()).collect();
            assert_eq!(names, expected, "{query}");
        }
        editor.leave().await;
    }

    async fn completion_offers_paths_keys_words_and_harnesses() {
        let mut editor = asking(&["claude-code", "kiro", "codex", "opencode"]).await;
        editor.write("project/docs/a.md", "A.\n");
        editor.write("project/docs/inner/x.md", "X.\n");
        let places = [
            (CLAUDE, "é @docs/", 8, vec!["a.md", "inner/"]),
            ("project/.kiro/steering/s.md", "---\ninclusion: \n---\n", 11, vec!["always", "fileMatch", "manual", "auto"]),
            ("project/.codex/config.toml", "[projects.\"/p\"]\ntr", 2, vec!["trust_level"]),
            ("project/opencode.json", "{\n\"instructions\": [\"docs/i\"]}", 24, vec!["a.md", "inner/"]),
            ("project/briefing.toml", "[harness.mine]\nextends = \"kir\"", 14, vec!["kiro", "kiro@2026.11"]),
        ];
        for (file, text, ..) in &places {
            editor.write(file, text);
        }
        for (file, text, character, expected) in places {
            let line = u32::try_from(text.matches('\n').count().min(1)).expect("small");
            let place = at(&editor, file, line, character);
            let found = editor.ask("textDocument/completion", place).await.expect("items");
            let labels = labels(&found);
            for label in &expected {
                assert!(labels.contains(label), "{file}: {label} in {labels:?}");
            }
        }
        editor.leave().await;
    }
}

// Hovers.
tests! {
    async fn a_hover_at_a_cut_shows_what_the_model_sees_there() {
        let mut editor = asking(&["codex", "openclaw"]).await;
        let text = format!("# Rules\n{}\nlost, all of it\nand this\n", "head\n".repeat(6552));
        editor.write("project/AGENTS.md", &text);
        let found = hover(&mut editor, "project/AGENTS.md", 6554, 2).await;
        assert!(words(&found).starts_with("**Codex** cuts 26 of 32 794 B here (0 %): "), "{}", words(&found));
        assert!(words(&found).contains("The model sees\n\n```text\n…"), "{}", words(&found));
        assert_eq!(found["range"]["end"], json!({"line": 6556, "character": 0}));
        assert_eq!(hover(&mut editor, "project/AGENTS.md", 9, 1).await, Value::Null, "nothing is cut there");
        editor.leave().await;
    }

    async fn a_hover_begins_with_a_sentence_and_fits_into_twelve_lines() {
        let mut editor = asking(&["codex", "claude-code", "junie"]).await;
        let text = format!("# Rules\n{}\nlost, all of it\nand this\n", "head\n".repeat(6552));
        editor.write("project/AGENTS.md", &text);
        editor.write("project/src/AGENTS.md", "Below.\n");
        editor.write(CLAUDE, "Claude's.\n");
        editor.write("project/src/main.rs", "fn main() {}\n");
        for (file, line, sentence) in [
            ("project/AGENTS.md", 0, "Junie reads this file whole; Codex reads 32 768 of 32 794 B of it; Claude Code does not.\n\n- **"),
            ("project/AGENTS.md", 6554, "**Codex** cuts 26 of 32 794 B here (0 %): "),
            ("project/src/AGENTS.md", 0, "Junie reads this file only if started in src; Codex and Claude Code do not.\n\n- **"),
            (CLAUDE, 0, "Claude Code reads this file whole; Codex and Junie do not.\n\n- **Claude Code "),
            ("project/src/main.rs", 0, "Before this file is read, "),
        ] {
            let said = hover(&mut editor, file, line, 1).await;
            let said = words(&said);
            assert!(said.starts_with(sentence), "{file}: {said}");
            assert!(said.lines().count() <= 12, "{file}: {said}");
        }
        let settings = json!({"settings": {"harnesses": ["all"]}});
        editor.tell("workspace/didChangeConfiguration", settings).await;
        for file in ["project/AGENTS.md", "project/src/main.rs"] {
            let said = hover(&mut editor, file, 0, 1).await;
            assert!(words(&said).lines().count() <= 12, "{}", words(&said));
        }
        editor.leave().await;
    }

    async fn a_hover_on_an_import_says_what_becomes_of_it() {
        let mut editor = asking(&["claude-code", "gemini-cli"]).await;
        editor.write("project/docs/a.md", "A.\n");
        editor.write(CLAUDE, "First.\n@docs/a.md @./none.md\n");
        let found = hover(&mut editor, CLAUDE, 1, 4).await;
        assert_eq!(words(&found), "docs/a.md (3 B): Claude Code reads it whole");
        assert_eq!(words(&hover(&mut editor, CLAUDE, 1, 16).await), "none.md: Claude Code does not find it");
        editor.leave().await;
    }

    async fn a_hover_on_a_key_says_what_it_decides_and_which_value_is_in_force() {
        let mut editor = asking(&["codex", "cursor"]).await;
        editor.write("project/AGENTS.md", "Rules.\n");
        editor.write("home/.codex/config.toml", "project_doc_max_bytes = 1000\n");
        editor.write("home/AGENTS.md", "Home.\n");
        editor.write("project/.cursor/rules/a.mdc", "---\nalwaysApply: true\n---\nRule.\n");
        let found = hover(&mut editor, "home/.codex/config.toml", 0, 3).await;
        assert!(words(&found).starts_with("**project_doc_max_bytes** (codex): How many bytes"), "{}", words(&found));
        assert_eq!(found["range"], range(0, 0, 21));
        let from = editor.path("home/.codex/config.toml");
        let in_force = format!("In force: 1 000 bytes for all files, from {}.\n\n", from.display());
        assert!(words(&found).ends_with(&in_force), "{}", words(&found));

        let found = hover(&mut editor, "project/.cursor/rules/a.mdc", 1, 3).await;
        assert!(words(&found).starts_with("**alwaysApply** (cursor): "), "{}", words(&found));
        assert!(words(&found).contains("One of `true`, `false`."), "{}", words(&found));
        editor.leave().await;
    }

    async fn a_hover_on_the_first_line_of_a_source_file_is_the_chain_of_each_harness() {
        let mut editor = asking(&["codex", "junie"]).await;
        editor.write("home/.codex/AGENTS.md", "Global.\n");
        editor.write("project/AGENTS.md", "x".repeat(40_000));
        editor.write("project/src/main.rs", "fn main() {}\n");
        let found = hover(&mut editor, "project/src/main.rs", 0, 3).await;
        let text = words(&found);
        let sentence = "Before this file is read, Codex is told 2 files (≈ 8 2";
        assert!(text.starts_with(sentence) && text.contains(" and Junie 1 file (≈ 10 "), "{text}");
        assert!(text.contains("- **Codex 0.169**: ~/.codex/AGENTS.md → AGENTS.md ✂, "), "{text}");
        assert!(text.contains("- **Junie 2026.11**: AGENTS.md, "), "{text}");
        assert_eq!(hover(&mut editor, "project/src/main.rs", 1, 0).await, Value::Null);
        editor.leave().await;
    }
}
