//! Transports fields of LSP 3.18 inside `experimental`, because the protocol types drop fields that they do not know.

use serde_json::{Map, Value};

/// The only capability of LSP 3.18 in use: text documents that the server provides, here previews.
pub const TEXT_DOCUMENT_CONTENT: &str = "textDocumentContent";

/// Copies `capabilities.workspace.textDocumentContent` of the parameters of `initialize` to
/// `capabilities.experimental`.
pub fn carried(mut params: Value) -> Value {
    let Some(client) = params.get_mut("capabilities").and_then(Value::as_object_mut) else { return params };
    let Some(offered) = client.get("workspace").and_then(|workspace| workspace.get(TEXT_DOCUMENT_CONTENT)).cloned()
    else {
        return params;
    };
    let experimental = client.entry("experimental").or_insert(Value::Null);
    if !experimental.is_object() {
        *experimental = Value::Object(Map::new());
    }
    experimental[TEXT_DOCUMENT_CONTENT] = offered;
    params
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
    use serde_json::json;

    #[test]
    fn the_capability_travels_in_experimental_and_arrives_in_its_place() {
        for (experimental, carries) in [
            (json!(null), json!({"textDocumentContent": {}})),
            (json!({"x": 1}), json!({"x": 1, "textDocumentContent": {}})),
        ] {
            let client = json!({"workspace": {"textDocumentContent": {}}, "experimental": experimental});
            assert_eq!(carried(json!({"capabilities": client}))["capabilities"]["experimental"], carries);
        }
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
