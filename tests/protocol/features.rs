//! What editors show: every feature once.

use std::time::Instant;

use serde_json::{Value, json};

use super::editor::Editor;
use crate::client::{DEADLINE, tests};

const AGENTS: &str = "project/AGENTS.md";

/// An editor that asks for diagnostics.
async fn pulling() -> Editor {
    Editor::with(json!({"capabilities": {
        "textDocument": {"diagnostic": {}, "publishDiagnostics": {"tagSupport": {"valueSet": [1, 2]}, "relatedInformation": true}},
        "workspace": {"diagnostics": {"refreshSupport": true}},
    }}))
    .await
}

async fn pull(editor: &mut Editor, inside: &str, previous: Option<&str>) -> Value {
    let document = json!({"uri": editor.uri(inside)});
    let params = json!({"textDocument": document, "previousResultId": previous});
    editor.ask("textDocument/diagnostic", params).await.expect("a report")
}

/// Pulls the whole workspace.
async fn pull_everywhere(editor: &mut Editor, previous: &Value) -> Vec<Value> {
    let report = editor.ask("workspace/diagnostic", json!({"previousResultIds": previous})).await;
    report.expect("a report")["items"].as_array().expect("reports").clone()
}

/// The codes of a list of diagnostics.
fn codes(found: &Value) -> Vec<&str> {
    // What is there only to fade a text is no finding of its own.
    let findings = found.as_array().expect("diagnostics").iter().filter(|one| one.get("tags").is_none());
    findings.map(|one| one["code"].as_str().expect("a code")).collect()
}

// Diagnostics.
tests! {
    async fn diagnostics_name_the_harness_the_fate_and_the_bytes_and_lead_to_a_page() {
        let mut editor = Editor::open().await;
        editor.write("project/AGENTS.md", "r".repeat(32_768));
        editor.open_document("project/src/AGENTS.md", "é lost\n").await;
        let found = editor.diagnostics("project/src/AGENTS.md").await;
        let one = &found["diagnostics"][0];
        assert_eq!(one["data"], json!({"harness": "codex", "fate": "dropped", "start": 0, "end": 7}));
        // A build that knows its repository leads there, any other to the server's own page.
        let page = one["codeDescription"]["href"].as_str().expect("a page").to_owned();
        assert!(page == "briefing:/findings/over-budget" || page.ends_with("findings.md#over-budget"), "{page}");
        if page.starts_with("briefing:") {
            for request in ["workspace/textDocumentContent", "briefing/preview"] {
                let shown = editor.ask(request, json!({"uri": page})).await.expect("the page");
                assert!(shown["text"].as_str().is_some_and(|text| text.starts_with("# over-budget\n\n*warning*")), "{shown}");
            }
        }
        let related = &one["relatedInformation"][0];
        assert_eq!(related["location"]["uri"], editor.uri("project/AGENTS.md"));
        assert_eq!(related["message"], "uses 32 768 of the 32 768 bytes");
        editor.leave().await;
    }

    async fn what_several_agents_say_in_the_same_words_is_one_finding() {
        let source = json!({"source": [{"files": ["AGENTS.md"]}, {"files": ["CLAUDE.md"]}]});
        let options = json!({"harnesses": ["one", "two"], "customHarnesses": {"one": source, "two": source}});
        let mut editor = Editor::with(json!({"capabilities": {}, "initializationOptions": options})).await;
        let text = "# The same text under two names, long enough to be told apart.\n";
        editor.write(AGENTS, text);
        editor.open_document("project/CLAUDE.md", text).await;
        let found = editor.diagnostics("project/CLAUDE.md").await;
        let said = found["diagnostics"].as_array().expect("findings").iter().filter_map(|one| one["message"].as_str());
        assert_eq!(said.collect::<Vec<_>>(), ["one loads this text twice: AGENTS.md has it too (also two)"]);
        editor.leave().await;
    }

    async fn a_client_that_pulls_gets_nothing_pushed_and_nothing_twice() {
        let mut editor = pulling().await;
        editor.open_document(AGENTS, &"x".repeat(32_769)).await;
        let report = pull(&mut editor, AGENTS, None).await;
        assert_eq!((&report["kind"], codes(&report["items"])), (&json!("full"), vec!["over-budget"]));
        let id = report["resultId"].as_str().expect("an id").to_owned();
        let again = pull(&mut editor, AGENTS, Some(&id)).await;
        assert_eq!(again, json!({"kind": "unchanged", "resultId": id}));
        editor.change(AGENTS, 2, "short\n").await;
        let report = pull(&mut editor, AGENTS, Some(&id)).await;
        assert_eq!((&report["kind"], &report["items"]), (&json!("full"), &json!([])));
        editor.leave().await;
    }

    async fn a_client_that_pulls_is_told_when_another_file_changes_the_answer() {
        let mut editor = pulling().await;
        editor.open_document(AGENTS, "Rules.\n").await;
        assert_eq!(pull(&mut editor, AGENTS, None).await["items"], json!([]));
        editor.open_document("project/AGENTS.override.md", "Instead.\n").await;
        let question = editor.said().await;
        assert_eq!(question["method"], "workspace/diagnostic/refresh");
        editor.answer(&question, Value::Null).await;
        assert_eq!(codes(&pull(&mut editor, AGENTS, None).await["items"]), ["shadowed"]);
        editor.leave().await;
    }

    async fn the_workspace_is_pulled_file_by_file() {
        let mut editor = pulling().await;
        editor.write(AGENTS, "x".repeat(32_769));
        editor.write("project/src/deep/AGENTS.md", "Deep.\n");
        let params = json!({"previousResultIds": []});
        let report = editor.ask("workspace/diagnostic", params).await.expect("a report");
        let item = &report["items"][0];
        assert_eq!(report["items"].as_array().map(Vec::len), Some(2), "{report}");
        assert_eq!((&item["uri"], codes(&item["items"])), (&json!(editor.uri(AGENTS)), vec!["over-budget"]));
        let known = json!([{"uri": item["uri"], "value": item["resultId"]}]);
        let report = editor.ask("workspace/diagnostic", json!({"previousResultIds": known})).await.expect("a report");
        assert_eq!(report["items"][0]["kind"], "unchanged");
        editor.leave().await;
    }

    async fn a_file_that_is_gone_keeps_no_findings_where_the_workspace_is_pulled() {
        let mut editor = pulling().await;
        let (long, nested) = ("x".repeat(32_769), "project/src/a b/AGENTS.md");
        editor.write(AGENTS, &long);
        editor.write(nested, &long);
        let report = pull_everywhere(&mut editor, &json!([])).await;
        let known: Vec<Value> = report.iter().map(|item| json!({"uri": item["uri"], "value": item["resultId"]})).collect();
        assert_eq!(known.len(), 2, "{report:?}");
        // A client may write the same URI in another way.
        let other = known.iter().map(|id| json!({"uri": id["uri"].as_str().map(|uri| uri.replace("AGENTS", "%41GENTS")), "value": id["value"]}));
        for item in pull_everywhere(&mut editor, &other.collect()).await {
            assert_eq!(item["kind"], "unchanged", "{item}");
        }
        std::fs::remove_dir_all(editor.path("project/src/a b")).expect("it is there");
        let gone = json!({"kind": "full", "uri": editor.uri(nested), "version": null, "items": []});
        let started = Instant::now();
        // The system may need a moment to say so.
        while !pull_everywhere(&mut editor, &json!(known)).await.contains(&gone) {
            assert!(started.elapsed() < DEADLINE, "its findings stay");
        }
        // What is open is pulled by itself, and keeps its own.
        editor.open_document(nested, &long).await;
        assert!(!pull_everywhere(&mut editor, &json!(known)).await.contains(&gone));
        editor.leave().await;
    }

    async fn samples_are_pulled_only_while_they_are_open() {
        let mut editor = pulling().await;
        let sample = "project/tests/fixtures/AGENTS.md";
        editor.write(AGENTS, "Rules.\n");
        editor.write(sample, "Of a fixture.\n");
        let uris = |items: Vec<Value>| items.iter().map(|item| item["uri"].clone()).collect::<Vec<_>>();
        let (rules, of_a_fixture) = (json!(editor.uri(AGENTS)), json!(editor.uri(sample)));
        assert_eq!(uris(pull_everywhere(&mut editor, &json!([])).await), vec![rules.clone()]);
        editor.open_document(sample, "Of a fixture.\n").await;
        assert_eq!(uris(pull_everywhere(&mut editor, &json!([])).await), [rules, of_a_fixture]);
        editor.leave().await;
    }

    async fn severities_are_a_setting() {
        for (word, severity) in [("error", Some(1)), ("hint", Some(4)), ("off", None)] {
            let options = json!({"severities": {"over-budget": word}});
            let mut editor = Editor::with(json!({"capabilities": Editor::abilities(), "initializationOptions": options})).await;
            editor.open_document(AGENTS, &"x".repeat(32_769)).await;
            let found = editor.diagnostics(AGENTS).await;
            assert_eq!(found["diagnostics"][0].get("severity").and_then(Value::as_i64), severity, "{word}");
            editor.leave().await;
        }
    }

    async fn settings_files_and_imported_texts_have_diagnostics_too() {
        let options = json!({"harnesses": ["opencode", "gemini-cli"]});
        let mut editor = Editor::with(json!({"capabilities": Editor::abilities(), "initializationOptions": options})).await;
        editor.open_document("project/opencode.json", "{\"instructions\": [\"none.md\"]}").await;
        let found = editor.diagnostics("project/opencode.json").await;
        assert_eq!(codes(&found["diagnostics"]), ["missing-file"]);
        assert_eq!(found["diagnostics"][0]["range"]["start"], json!({"line": 0, "character": 19}));
        editor.write("project/GEMINI.md", "@./docs/a.md\n");
        editor.write("project/docs/a.md", "");
        editor.open_document("project/docs/a.md", "zero\u{200b}width\n").await;
        // Until it is noticed that another file imports it, it is nobody's, or that of those who start beside it.
        let found = editor.until_diagnostics("project/docs/a.md", |found| found["diagnostics"][0]["severity"] == 2).await;
        assert_eq!(codes(&found["diagnostics"]), ["hidden-characters"]);
        // A text that nobody reads is nobody's business.
        editor.open_document("project/README.md", "zero\u{200b}width\n").await;
        editor.leave().await;
    }
}

// Notes in and above the text.
tests! {
    async fn inlay_hints_say_where_text_is_lost_and_where_most_of_a_limit_is_used() {
        let mut editor = Editor::open().await;
        let text = format!("{}\n{}é lost\n", "x".repeat(30_000), "y".repeat(2767));
        editor.open_document(AGENTS, &text).await;
        editor.diagnostics(AGENTS).await;
        let all = json!({"start": {"line": 0, "character": 0}, "end": {"line": 3, "character": 0}});
        let ask = |range: &Value| json!({"textDocument": {"uri": editor.uri(AGENTS)}, "range": range});
        let (all, first) = (ask(&all), ask(&json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 9}})));
        let found = editor.ask("textDocument/inlayHint", all).await.expect("hints");
        let said: Vec<String> =
            found.as_array().expect("hints").iter().map(|hint| format!("{} {}", hint["position"], hint["label"])).collect();
        assert_eq!(said, [
            "{\"character\":30000,\"line\":0} \"Codex: 85 % of 32 768 bytes used\"",
            "{\"character\":2773,\"line\":1} \"✂ Codex: 8 B cut from here to the end\"",
        ]);
        assert_eq!(editor.ask("textDocument/inlayHint", first).await, Ok(json!([])));
        editor.leave().await;
    }

    async fn code_lenses_say_how_much_is_used_and_what_a_file_applies_to() {
        let mut editor = Editor::open().await;
        editor.open_document("project/src/AGENTS.md", "Rules.\n").await;
        editor.diagnostics("project/src/AGENTS.md").await;
        let uri = editor.uri("project/src/AGENTS.md");
        let found = editor.ask("textDocument/codeLens", json!({"textDocument": {"uri": uri}})).await.expect("lenses");
        let said: Vec<Value> = found.as_array().expect("lenses").iter().map(|lens| lens["command"].clone()).collect();
        assert_eq!(said, [
            json!({"title": "If started in src: Codex: 7 of 32 768 bytes (0 %)", "command": "briefing.why", "arguments": [uri, "codex"]}),
            json!({"title": "applies to src/", "command": "briefing.why", "arguments": [uri]}),
            json!({"title": "Show effective instructions", "command": "briefing.show", "arguments": [uri]}),
            json!({"title": "Why?", "command": "briefing.why", "arguments": [uri]}),
        ]);
        editor.leave().await;
    }

    async fn a_code_lens_says_how_far_a_file_is_over_a_limit() {
        let mut editor = Editor::open().await;
        editor.open_document(AGENTS, &"x".repeat(34_000)).await;
        editor.diagnostics(AGENTS).await;
        let uri = editor.uri(AGENTS);
        let found = editor.ask("textDocument/codeLens", json!({"textDocument": {"uri": uri}})).await.expect("lenses");
        assert_eq!(found[0]["command"]["title"], "Codex: 1 232 bytes over the limit of 32 768", "{found}");
        editor.leave().await;
    }

    async fn lost_text_and_sections_can_be_folded() {
        let mut editor = Editor::open().await;
        let text = format!("# One\n{}\nlost\nlost\n## Two\ntext\n", "x".repeat(32_800));
        editor.open_document(AGENTS, &text).await;
        editor.diagnostics(AGENTS).await;
        let params = json!({"textDocument": {"uri": editor.uri(AGENTS)}});
        let found = editor.ask("textDocument/foldingRange", params).await.expect("folds");
        assert_eq!(found, json!([
            {"startLine": 1, "endLine": 5, "kind": "region", "collapsedText": "✂ 61 B cut for Codex"},
            {"startLine": 0, "endLine": 5},
            {"startLine": 4, "endLine": 5},
        ]));
        editor.leave().await;
    }

    async fn headings_say_who_reads_them_and_the_parts_of_a_file_are_told_by_its_agents() {
        let short = json!({"source": [{"files": ["AGENTS.md"], "limit": {"max": 20}}]});
        let whole = json!({"source": [{"files": ["AGENTS.md"]}]});
        let options = json!({"harnesses": ["short", "whole"], "customHarnesses": {"short": short, "whole": whole}});
        let mut editor = Editor::with(json!({"capabilities": {}, "initializationOptions": options})).await;
        editor.open_document(AGENTS, "# One\n\n- a\n- b\n- c\n\n# Two\n\n- d\n").await;
        editor.diagnostics(AGENTS).await;
        let document = json!({"uri": editor.uri(AGENTS)});
        let found = editor.ask("briefing/readers", json!({"textDocument": document})).await.expect("parts");
        let parts = found["parts"].as_array().expect("parts").clone();
        let who = |part: &Value, list: &str| -> Vec<String> {
            let all = part[list].as_array().expect("readers").iter();
            all.map(|reader| reader["harness"].as_str().expect("an id").to_owned()).collect()
        };
        assert_eq!(parts.len(), 2, "{found}");
        assert_eq!((who(&parts[0], "told"), who(&parts[0], "missed")), (vec!["short".into(), "whole".into()], vec![]));
        assert_eq!((who(&parts[1], "told"), who(&parts[1], "missed")), (vec!["whole".into()], vec!["short".into()]));
        let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}});
        let hints = editor.ask("textDocument/inlayHint", json!({"textDocument": document, "range": range})).await;
        let hints = hints.expect("hints");
        let labels: Vec<&str> = hints.as_array().expect("hints").iter().filter_map(|hint| hint["label"].as_str()).collect();
        assert!(labels.contains(&"short and whole at start") && labels.contains(&"whole at start; not short"), "{labels:?}");
        editor.leave().await;
    }
}
