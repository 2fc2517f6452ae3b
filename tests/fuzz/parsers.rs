//! Every parser of settings, heads and Markdown: what it says lies in the text, and one that takes more than another
//! says the same.

use briefing::formats::{self, FormatError, Node, Value};
use briefing::report::markdown;
use briefing::text;

use super::{CORPUS, PIECES, fuzz, made_of};
use crate::incremental::changes::Random;

type Parser = fn(&str) -> Result<Node, FormatError>;

const SETTINGS: [&str; 5] = [".json", ".jsonc", ".json5", ".toml", ".yml"];

/// Whether every part of a value lies in the text.
fn lies_in(node: &Node, text: &str) -> bool {
    let at = &node.at;
    let inner = match &node.value {
        Value::List(list) => list.iter().all(|node| lies_in(node, text)),
        Value::Table(entries) => entries.iter().all(|(_, node)| lies_in(node, text)),
        _ => true,
    };
    inner && text.get(at.clone()).is_some()
}

fn parses(parse: Parser, text: &str) -> Option<Node> {
    match parse(text) {
        Ok(node) => {
            assert!(lies_in(&node, text), "{node:?} in {text:?}");
            Some(node)
        }
        Err(error) => {
            assert!(error.at.start <= error.at.end, "{error:?} in {text:?}");
            assert!(!error.with_position(text).is_empty());
            None
        }
    }
}

/// The values alone.
fn plain(node: &Node) -> String {
    match &node.value {
        Value::List(list) => format!("[{}]", list.iter().map(plain).collect::<Vec<_>>().join(",")),
        Value::Table(entries) => {
            // What a key that stands twice means, each format says in its own way.
            let mut names: Vec<&str> = entries.iter().map(|(name, _)| name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            let entry = |name: &&str| format!("{name:?}:{}", node.get(name).map_or_else(String::new, plain));
            format!("{{{}}}", names.iter().map(entry).collect::<Vec<_>>().join(","))
        }
        Value::Integer(number) => format!("{:?}", *number as f64),
        Value::Float(number) => format!("{number:?}"),
        other => format!("{other:?}"),
    }
}

#[test]
fn settings() {
    fuzz("settings", 1, |random| {
        let text = CORPUS.text(&SETTINGS, random);
        let json = parses(formats::parse_json, &text);
        let jsonc = parses(formats::parse_jsonc, &text);
        let json5 = parses(formats::parse_json5, &text);
        parses(formats::parse_toml, &text);
        if let Some(json) = &json {
            assert_eq!(jsonc.as_ref().map(plain), Some(plain(json)), "jsonc: {text:?}");
            assert_eq!(json5.as_ref().map(plain), Some(plain(json)), "json5: {text:?}");
            assert_eq!(formats::without_comments(&text).len(), text.len(), "{text:?}");
        }
        // Lone surrogates are JavaScript's alone.
        if !text.contains("\\u") {
            let theirs = serde_json::from_str::<serde_json::Value>(&text);
            assert!(json.is_some() == theirs.is_ok() || theirs.is_err_and(|error| is_about_size(&error)), "{text:?}");
        }
        parses(formats::parse_json, &formats::without_comments(&text));
    });
}

fn is_about_size(error: &serde_json::Error) -> bool {
    let said = error.to_string();
    said.starts_with("number out of range") || said.starts_with("recursion limit")
}

#[test]
fn yaml() {
    fuzz("yaml", 2, |random| {
        let text = if random.chance(50) {
            CORPUS.text(&[".md", ".mdc", ".yml", ".yaml"], random)
        } else {
            made_of(&PIECES, 30, random)
        };
        let head = text.strip_prefix("---\n").and_then(|rest| rest.split("\n---").next()).unwrap_or(&text);
        for parse in
            [formats::parse_yaml as Parser, formats::parse_npm_yaml, formats::parse_js_yaml, formats::parse_rust_yaml]
        {
            parses(parse, head);
        }
        let _ = formats::parse_rust_yaml_in_part(head);
        let _ = formats::parse_leniently(head).map(formats::with_merges);
    });
}

#[test]
fn environment_files() {
    fuzz("environment files", 1, |random| {
        let text = if random.chance(50) { CORPUS.text(&[".env"], random) } else { made_of(&PIECES, 30, random) };
        let pairs = formats::dotenv(&text);
        assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0), "{text:?}");
        let bare = text.replace(['"', '\'', '`', '#', '\r'], "");
        // Without quotes and comments a line is a name and a value.
        for (name, value) in formats::dotenv(&bare) {
            assert!(bare.contains(&name) && bare.contains(&value), "{bare:?}");
        }
    });
}

#[test]
fn markdown_of_javascript() {
    fuzz("markdown", 2, |random| {
        let text = if random.chance(70) { CORPUS.text(&[".md", ".mdc"], random) } else { made_of(&PIECES, 60, random) };
        let document = formats::marked::parse(&text);
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        for block in &document.blocks {
            assert!(
                block.raw.is_empty()
                    || text.contains(block.raw.trim_end_matches('\n').trim_start())
                    || block.raw.contains(' '),
                "{block:?} in {text:?}"
            );
        }
        let _ = document.texts();
        let outline = markdown::outline(&text);
        for range in outline.code.iter().chain(&outline.links).chain(&outline.comments) {
            assert!(text.get(range.clone()).is_some(), "{range:?} in {text:?}");
        }
    });
}

#[test]
fn texts() {
    fuzz("texts", 1, |random| {
        let mut raw = made_of(&PIECES, 40, random).into_bytes();
        for _ in 0..random.below(4) {
            let at = random.below(raw.len() + 1);
            raw.insert(at, *random.pick(&[0xff, 0xc3, 0xe2, 0x80, 0xf0, 0xed, 0xa0, 0x0a]));
        }
        let said = text::lossy(&raw);
        assert_eq!(said, String::from_utf8_lossy(&raw));
        assert_eq!(text::lines(&said), said.lines().count(), "{said:?}");
        assert_eq!(text::utf16_len(&said), said.encode_utf16().count());
        assert_eq!(text::size_of(&raw).bytes, raw.len());
        offsets_lead_back(&raw, &said);
        let hidden = text::without_passwords(&said);
        assert_eq!(text::without_passwords(&hidden), hidden, "{said:?}");
    });
}

/// Each offset of the decoding is one of the file, in the same order, and the ends are the ends.
fn offsets_lead_back(raw: &[u8], said: &str) {
    let offsets: Vec<usize> = said.char_indices().map(|(at, _)| text::raw_offset(raw, at)).collect();
    assert!(offsets.is_sorted() && offsets.iter().all(|at| *at <= raw.len()), "{raw:?}");
    assert_eq!(text::raw_offset(raw, said.len()), raw.len());
    let back = text::raw_ranges(raw, std::slice::from_ref(&(0..said.len())));
    assert_eq!(back.iter().map(|range| range.len()).sum::<usize>(), raw.len(), "{raw:?}");
}

/// Kept here so that each file of the corpus is read by what reads it in earnest at least once.
#[test]
fn the_corpus_has_files_of_every_format() {
    let mut random = Random::new(1);
    for ending in SETTINGS.iter().chain(&[".md", ".mdc", ".yaml", ".env"]) {
        CORPUS.text(&[ending], &mut random);
    }
}
