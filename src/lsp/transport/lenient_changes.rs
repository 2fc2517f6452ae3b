//! Repairs `didChange` parameters that violate LSP 3.17 but have a clear meaning: a missing version, or columns out of
//! range.

use serde_json::{Value, json};

/// Makes the parameters of `textDocument/didChange` fit the types of LSP 3.17.
pub fn change(params: &mut Value) {
    // Before LSP 3.16 the version could be null.
    if let Some(document) = params.get_mut("textDocument").and_then(Value::as_object_mut)
        && document.get("version").is_none_or(Value::is_null)
    {
        document.insert("version".to_owned(), json!(0));
    }
    let changes = params.get_mut("contentChanges").and_then(Value::as_array_mut);
    for range in changes.into_iter().flatten().filter_map(|change| change.get_mut("range")) {
        for place in ["start", "end"] {
            for axis in ["line", "character"] {
                let number = range.get_mut(place).and_then(|position| position.get_mut(axis));
                if let Some(number) = number {
                    within_limits(number);
                }
            }
        }
    }
}

/// Clamps a line or column. JavaScript clients send `Number.MAX_VALUE` for "to the end", and some libraries send -1.
fn within_limits(number: &mut Value) {
    let fits = number.as_u64().is_some_and(|number| u32::try_from(number).is_ok());
    if let Some(value) = number.as_f64().filter(|_| !fits) {
        *number = json!(value.clamp(0.0, f64::from(u32::MAX)) as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_versions_are_made_to_fit() {
        let change = |start: Value, end: Value, version: Value| {
            json!({
                "textDocument": {"uri": "file:///a", "version": version},
                "contentChanges": [{"range": {"start": {"line": 0, "character": start}, "end": {"line": end, "character": 3}}, "text": ""}],
            })
        };
        for (found, meant) in [
            (change(json!(-1), json!(1.797e308), Value::Null), change(json!(0), json!(u32::MAX), json!(0))),
            (change(json!(2), json!(9_007_199_254_740_991_u64), json!(7)), change(json!(2), json!(u32::MAX), json!(7))),
            (change(json!("x"), json!(4), json!(7)), change(json!("x"), json!(4), json!(7))),
        ] {
            let mut mended = found.clone();
            super::change(&mut mended);
            assert_eq!(mended, meant, "{found}");
        }
        for odd in [json!(null), json!([]), json!({"contentChanges": 5}), json!({"contentChanges": [5]})] {
            let mut mended = odd.clone();
            super::change(&mut mended);
            assert_eq!(mended, odd);
        }
    }
}
