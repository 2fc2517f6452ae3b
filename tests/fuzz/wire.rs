//! Bytes that are no frames, frames that are no messages, and messages that are no questions: the server is there after
//! each.

use serde_json::{Value, json};

use super::{PIECES, made_of, mutated, number};
use crate::client::{self, framed, tests};
use crate::incremental::changes::Random;

const METHODS: [&str; 30] = [
    "initialize",
    "initialized",
    "textDocument/didOpen",
    "textDocument/didChange",
    "textDocument/didSave",
    "textDocument/didClose",
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentLink",
    "textDocument/completion",
    "textDocument/codeAction",
    "textDocument/codeLens",
    "textDocument/foldingRange",
    "textDocument/inlayHint",
    "textDocument/documentSymbol",
    "textDocument/diagnostic",
    "workspace/symbol",
    "workspace/diagnostic",
    "workspace/executeCommand",
    "workspace/didChangeConfiguration",
    "workspace/didChangeWatchedFiles",
    "workspace/didChangeWorkspaceFolders",
    "workspace/willRenameFiles",
    "briefing/effectiveInstructions",
    "briefing/session",
    "briefing/why",
    "briefing/roster",
    "briefing/harnesses",
    "$/cancelRequest",
];

/// A value of the kinds that parameters have, or of another.
fn value(random: &mut Random, depth: usize) -> Value {
    let document = json!({"uri": "file:///nowhere/AGENTS.md", "version": 1, "languageId": "markdown", "text": "A\n"});
    match random.below(if depth > 3 { 7 } else { 12 }) {
        0 => Value::Null,
        1 => json!(random.below(3)),
        2 => json!(-1),
        3 => json!(1e300),
        4 => json!(made_of(&PIECES, 4, random)),
        5 => json!({"line": random.below(4), "character": random.below(9_999_999)}),
        6 => document,
        7 => (0..random.below(4)).map(|_| value(random, depth + 1)).collect(),
        _ => {
            let names = [
                "textDocument",
                "position",
                "range",
                "contentChanges",
                "text",
                "uri",
                "harness",
                "cwd",
                "include",
                "context",
                "query",
                "command",
                "arguments",
                "settings",
                "changes",
                "files",
                "event",
                "capabilities",
                "rootUri",
                "id",
                "steps",
                "start",
                "end",
            ];
            let mut entries = serde_json::Map::new();
            for _ in 0..random.below(5) {
                let name = *random.pick(&names);
                let inner = if name == "textDocument" { document.clone() } else { value(random, depth + 1) };
                entries.insert(name.to_owned(), inner);
            }
            Value::Object(entries)
        }
    }
}

fn message(random: &mut Random) -> Vec<u8> {
    let mut message = json!({"jsonrpc": "2.0", "method": *random.pick(&METHODS), "params": value(random, 0)});
    if random.chance(60) {
        message["id"] = if random.chance(90) { json!(random.below(1_000)) } else { value(random, 3) };
    }
    if random.chance(5) {
        message["jsonrpc"] = value(random, 3);
    }
    let body = message.to_string();
    match random.below(10) {
        0 => framed(mutated(&body, random)),
        1 => mutated(&String::from_utf8_lossy(&framed(body)), random).into_bytes(),
        2 => made_of(&PIECES, 20, random).into_bytes(),
        3 => framed(json!([message]).to_string()),
        _ => framed(body),
    }
}

tests! {
    async fn whatever_is_sent_the_server_is_there_afterwards() {
        // Each server gets a thousand messages, and is asked after every twenty.
        let (count, first) = (number("FUZZ", 3_000), number("SEED", 1));
        let mut sent = 0;
        while sent < count {
            let mut server = client::Client::of(briefing::lsp::service(crate::cases::question(&crate::world::Case::parse(""), "codex from /").1));
            let seed = first + sent;
            let mut random = Random::new(seed);
            server.ask("begin", "initialize", json!({"capabilities": {}})).await;
            for round in 0..50 {
                for _ in 0..20 {
                    server.bytes(message(&mut random)).await;
                }
                // A header may have been lost in what came before: then the line after it is none.
                server.bytes("\r\n\r\n").await;
                let asked = format!("still there, {seed} {round}?");
                for _ in 0..2 {
                    server.ask(asked.as_str(), "briefing/harnesses", json!({})).await;
                }
                while server.read().await["id"] != json!(asked) {}
            }
            sent += 1_000;
            server.vanish().await;
        }
    }
}
