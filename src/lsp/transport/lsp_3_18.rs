//! Transports fields of LSP 3.18 inside `experimental`, because the protocol types drop fields that they do not know.

use serde_json::{Map, Value, json};

/// Capability: text documents that the server provides, here previews.
pub const TEXT_DOCUMENT_CONTENT: &str = "textDocumentContent";
/// Capability: edits that are snippets.
pub const SNIPPETS: &str = "snippetEditSupport";
/// Capability: the client computes folding ranges again when the server asks for it.
pub const FOLDS: &str = "foldingRangeRefreshSupport";
/// Annotation of a text edit whose new text is a snippet.
pub const SNIPPET: &str = "briefing:snippet";

/// Places of the capabilities below `capabilities.workspace`.
const PLACES: [(&str, &str); 3] = [
    ("/workspace/textDocumentContent", TEXT_DOCUMENT_CONTENT),
    ("/workspace/workspaceEdit/snippetEditSupport", SNIPPETS),
    ("/workspace/foldingRange/refreshSupport", FOLDS),
];

/// Copies the capabilities of LSP 3.18 in the parameters of `initialize` to `capabilities.experimental`.
pub fn carried(mut params: Value) -> Value {
    let Some(client) = params.get_mut("capabilities").filter(|client| client.is_object()) else { return params };
    let offered = PLACES.iter().filter_map(|(place, name)| Some((*name, client.pointer(place)?.clone())));
    for (name, offered) in offered.collect::<Vec<_>>() {
        let experimental = &mut client["experimental"];
        if !experimental.is_object() {
            *experimental = Value::Object(Map::new());
        }
        experimental[name] = offered;
    }
    params
}

/// Turns the text edits with the annotation [`SNIPPET`] into snippet edits. `result` is a code action, or a list of them.
pub fn with_snippets(mut result: Value) -> Value {
    let actions = match &mut result {
        Value::Array(actions) => actions.as_mut_slice(),
        action => std::slice::from_mut(action),
    };
    let changes = actions.iter_mut().filter_map(|action| action.pointer_mut("/edit/documentChanges")?.as_array_mut());
    let edits = changes.flatten().filter_map(|change| change.get_mut("edits")?.as_array_mut()).flatten();
    for edit in edits.filter_map(Value::as_object_mut) {
        if edit.get("annotationId").is_some_and(|id| id == SNIPPET) {
            edit.remove("annotationId");
            let value = edit.remove("newText").unwrap_or_default();
            edit.insert("snippet".to_owned(), json!({"kind": "snippet", "value": value}));
        }
    }
    result
}

/// Moves `textDocumentContent` from `experimental` to its LSP 3.18 place in the result of `initialize`.
pub fn placed(mut result: Value) -> Value {
    let Some(server) = result.get_mut("capabilities").and_then(Value::as_object_mut) else { return result };
    let Some(Value::Object(mut experimental)) = server.remove("experimental") else { return result };
    if let Some(provider) = experimental.remove(TEXT_DOCUMENT_CONTENT)
        && let Some(workspace) = server.entry("workspace").or_insert_with(|| Map::new().into()).as_object_mut()
    {
        workspace.insert(TEXT_DOCUMENT_CONTENT.to_owned(), provider);
    }
    if !experimental.is_empty() {
        server.insert("experimental".to_owned(), experimental.into());
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_edit_that_is_marked_becomes_a_snippet() {
        let action =
            |edit: Value| json!([{"title": "x", "edit": {"documentChanges": [{"kind": "create"}, {"edits": [edit]}]}}]);
        let marked = action(json!({"range": 1, "newText": "$1", "annotationId": SNIPPET}));
        assert_eq!(with_snippets(marked), action(json!({"range": 1, "snippet": {"kind": "snippet", "value": "$1"}})));
        for untouched in
            [action(json!({"range": 1, "newText": "$1", "annotationId": "plan"})), json!(null), json!([{}])]
        {
            assert_eq!(with_snippets(untouched.clone()), untouched);
        }
    }

    #[test]
    fn the_capability_travels_in_experimental_and_arrives_in_its_place() {
        for (experimental, carries) in [
            (json!(null), json!({"textDocumentContent": {}})),
            (json!({"x": 1}), json!({"x": 1, "textDocumentContent": {}})),
        ] {
            let client = json!({"workspace": {"textDocumentContent": {}}, "experimental": experimental});
            assert_eq!(carried(json!({"capabilities": client}))["capabilities"]["experimental"], carries);
        }
        let client = json!({"workspace": {
            "workspaceEdit": {"snippetEditSupport": true}, "foldingRange": {"refreshSupport": true},
        }});
        let carries = json!({SNIPPETS: true, FOLDS: true});
        assert_eq!(carried(json!({"capabilities": client}))["capabilities"]["experimental"], carries);
        for untouched in [json!({"capabilities": {"experimental": {"x": 1}}}), json!({"capabilities": 5}), json!(null)]
        {
            assert_eq!(carried(untouched.clone()), untouched);
            assert_eq!(placed(untouched.clone()), untouched);
        }
        let server = json!({"capabilities": {"experimental": {"textDocumentContent": {"schemes": ["briefing"]}}}});
        let client = json!({"capabilities": {"workspace": {"textDocumentContent": {"schemes": ["briefing"]}}}});
        assert_eq!(placed(server), client);
    }
}
