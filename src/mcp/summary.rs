//! Shortens answers for a context window: what reaches the model, what is lost, and why.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::arguments::{Detail, When};

/// Detail and time that an agent asked for.
#[derive(Clone, Copy)]
pub(super) struct Wish {
    pub detail: Detail,
    pub when: Option<When>,
}

/// Fates of files that contribute nothing to the model's context.
const NOTHING: [&str; 3] = ["missing", "empty", "excluded"];

/// Shortens the result of `briefing/effectiveInstructions`, and adds the list to pass as `alreadyLoaded` next time.
pub(super) fn effective(answer: &impl Serialize, wish: Wish) -> Value {
    let mut answer = plain(answer);
    for briefing in items(&mut answer, "briefings") {
        if let Some(when) = wish.when {
            only(briefing, when);
        }
        let loaded = loaded(briefing);
        if wish.detail == Detail::Summary {
            shorten(briefing);
        }
        briefing.insert("loaded".to_owned(), loaded);
    }
    answer
}

/// Shortens the result of `briefing/explain`.
pub(super) fn explanations(answer: &impl Serialize, detail: Detail) -> Value {
    let mut answer = plain(answer);
    for explanation in items(&mut answer, "explanations").filter(|_| detail == Detail::Summary) {
        explanation.remove("probes");
    }
    answer
}

/// Shortens the result of `briefing/instructionFiles`.
pub(super) fn files(answer: &impl Serialize, detail: Detail) -> Value {
    let mut answer = plain(answer);
    if detail == Detail::Full {
        return answer;
    }
    for file in items(&mut answer, "files") {
        let Some(Value::Array(harnesses)) = file.get_mut("harnesses") else { continue };
        harnesses.retain(|reading| !reading["fate"].is_null());
        for reading in harnesses.iter_mut().filter_map(Value::as_object_mut) {
            reading.retain(|name, _| ["harness", "fate", "trigger"].contains(&name.as_str()));
        }
    }
    answer
}

/// Shortens the result of `briefing/compare`.
pub(super) fn comparison(answer: &impl Serialize, texts: bool) -> Value {
    let mut answer = plain(answer);
    if let Some(comparison) = answer.as_object_mut().filter(|_| !texts) {
        comparison.remove("texts");
    }
    answer
}

/// Shortens the result of `briefing/sessions`: the steps of a session are replaced by the files that reached it, the
/// texts without a path, and the size of both.
pub(super) fn sessions(answer: &impl Serialize) -> Value {
    let mut answer = plain(answer);
    for session in items(&mut answer, "sessions") {
        let steps = session.remove("steps").unwrap_or_default();
        let steps = steps.as_array().map_or(&[][..], Vec::as_slice);
        let given = steps.iter().filter_map(|step| step["given"].as_array()).flatten();
        let (mut files, mut texts, mut bytes): (Vec<Value>, Vec<Value>, u64) = Default::default();
        for item in given.filter(|item| !item["path"].is_null() || item["purpose"] == "instructions") {
            let (list, name) = if item["path"].is_null() { (&mut texts, "name") } else { (&mut files, "path") };
            if !list.contains(&item[name]) {
                list.push(item[name].clone());
                bytes += item["size"]["bytes"].as_u64().unwrap_or_default();
            }
        }
        session.insert("steps".to_owned(), steps.len().into());
        session.insert("files".to_owned(), files.into());
        session.insert("texts".to_owned(), texts.into());
        session.insert("bytes".to_owned(), bytes.into());
    }
    answer
}

fn plain(answer: &impl Serialize) -> Value {
    serde_json::to_value(answer).expect("answers are plain data")
}

fn items<'a>(answer: &'a mut Value, name: &str) -> impl Iterator<Item = &'a mut Map<String, Value>> {
    let list = answer.get_mut(name).and_then(Value::as_array_mut);
    list.into_iter().flatten().filter_map(Value::as_object_mut)
}

fn word<'a>(object: &'a Value, name: &str) -> &'a str {
    object[name].as_str().unwrap_or_default()
}

/// Removes everything that is sent at another time than `when`.
fn only(briefing: &mut Map<String, Value>, when: When) {
    let is_now = |value: &Value| (word(value, "trigger") == "session") == (when == When::Session);
    for name in ["messages", "sources"] {
        if let Some(Value::Array(list)) = briefing.get_mut(name) {
            list.retain(is_now);
        }
    }
    // Message numbers would be wrong now that messages were removed.
    for source in briefing.get_mut("sources").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(source) = source.as_object_mut() {
            source.remove("message");
            source.remove("part");
        }
    }
}

/// Returns the files whose text is in the context after this answer.
fn loaded(briefing: &Map<String, Value>) -> Value {
    let sources = briefing.get("sources").and_then(Value::as_array).into_iter().flatten();
    let reaching = sources.filter(|source| ["loaded", "truncated"].contains(&word(source, "fate")));
    Value::Array(reaching.filter_map(|source| source.get("path")).cloned().collect())
}

fn shorten(briefing: &mut Map<String, Value>) {
    for name in ["standpoint", "certain", "version", "target"] {
        briefing.remove(name);
    }
    briefing.retain(|_, value| !value.is_null());
    for sizes in ["totals", "whole"] {
        if let Some(sizes) = briefing.get_mut(sizes) {
            *sizes = json!({"bytes": sizes["bytes"], "tokens": sizes["tokens"]["value"]});
        }
    }
    for message in briefing.get_mut("messages").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(message) = message.as_object_mut() {
            // The parts repeat the text.
            message.remove("parts");
        }
    }
    let Some(Value::Array(sources)) = briefing.get_mut("sources") else { return };
    let before = sources.len();
    sources.retain(|source| !NOTHING.contains(&word(source, "fate")));
    let left_out = before - sources.len();
    for source in sources.iter_mut().filter_map(Value::as_object_mut) {
        source.retain(|name, value| {
            ["path", "url", "trigger", "fate", "by", "reason", "sent"].contains(&name.as_str()) && !value.is_null()
        });
        if let Some(bytes) = source.get("sent").map(|sent| sent["bytes"].clone()) {
            source.insert("sent".to_owned(), bytes);
        }
    }
    if left_out > 0 {
        briefing.insert("moreSources".to_owned(), left_out.into());
    }
}
