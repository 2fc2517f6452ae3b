//! Replaces text that looks like a credential with stars, in texts that are written to disk, kept or shown to others.
//!
//! There is one star for each replaced byte, so that byte ranges and sizes stay valid. More text counts as a credential
//! here than in [`secrets`], which makes findings: an unnecessary star does no harm.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex_automata::meta::Regex;
use regex_automata::util::syntax;
use serde_json::Value as Json;

use super::findings::secrets;
use crate::formats::{self, Node, Value};
use crate::text::starred_passwords;

/// Names whose values are credentials.
const NAME: &str = r#"(?:token|secret|passwd|password|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|credentials?|authorization|[_-]auth)[a-z0-9_-]*"#;

/// Patterns of text that looks like a credential; the group is replaced with stars.
static PATTERNS: LazyLock<Regex> = LazyLock::new(|| {
    let value = "[!#%+-9:;=?-Za-z@^_~|\\\\]";
    let patterns = [
        // `NAME=value`, `NAME: "value"`, and with a digit `name: value`.
        format!(r#"{NAME}["'`]?[ \t]*=[ \t]*["'`]?((?:(?:bearer|basic|token) )?{value}{{4,}})"#),
        format!(r#"{NAME}["'`]?[ \t]*:[ \t]*["'`]((?:(?:bearer|basic|token) )?{value}{{4,}})"#),
        format!(r#"{NAME}["'`]?[ \t]*:[ \t]*((?:(?:bearer|basic|token) )?[a-z_+/=.-]{{0,60}}[0-9]{value}{{2,}})"#),
        // HTTP headers, and JSON Web Tokens.
        r"(?:bearer|basic)[ \t]+([a-z0-9._~+/=-]{16,})".to_owned(),
        r"(eyj[a-z0-9_-]{10,}\.[a-z0-9_-]{10,}\.?[a-z0-9_-]*)".to_owned(),
        // Access keys of AWS, also those that findings take for examples.
        r"\b(a[ks]ia[a-z2-7]{16})\b".to_owned(),
        // A netrc file, and a login before a host name.
        r"login[ \t\n]+[!-~]+[ \t\n]+password[ \t\n]+([!-~]{4,})".to_owned(),
        r"[a-z0-9_.-]+:([^\x00-\x20\x7f-\xff/@:]{4,})@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}".to_owned(),
        // The text of a private key.
        r"private key-----([a-z0-9+/=\\ \r\n\t:,-]*)-----end".to_owned(),
    ];
    let syntax = syntax::Config::new().unicode(false).utf8(false).case_insensitive(true);
    Regex::builder().syntax(syntax).build_many(&patterns).expect("they are patterns")
});

/// Returns the text with everything that looks like a credential replaced with stars.
pub fn starred(text: &str) -> Cow<'_, str> {
    let mut text = starred_passwords(text);
    let mut found: Vec<Range<usize>> = secrets(&text).into_iter().map(|(range, _)| range).collect();
    for captures in PATTERNS.captures_iter(&*text) {
        let group = captures.get_group(1).map(|span| span.range());
        // Numbers and common words such as `true` are not credentials.
        let is_telling = |range: &Range<usize>| {
            let value = text.get(range.clone()).unwrap_or_default().trim_end_matches([',', ';']);
            !value.bytes().all(|byte| byte.is_ascii_digit()) && !["true", "false", "null", "none"].contains(&value)
        };
        found.extend(group.filter(is_telling));
    }
    if !found.is_empty() {
        let mut bytes = text.into_owned().into_bytes();
        for range in found {
            star(&mut bytes[range]);
        }
        text = String::from_utf8(bytes).unwrap_or_default().into();
    }
    text
}

/// Returns JSON with everything in its texts that looks like a credential replaced with stars.
pub fn starred_json(value: Json) -> Json {
    in_texts(value, &|text| starred(text).into_owned())
}

/// Rewrites every text of a JSON value, also those that are names.
pub fn in_texts(value: Json, rewrite: &impl Fn(&str) -> String) -> Json {
    match value {
        Json::String(text) => rewrite(&text).into(),
        Json::Array(list) => list.into_iter().map(|value| in_texts(value, rewrite)).collect(),
        Json::Object(entries) => {
            entries.into_iter().map(|(name, value)| (rewrite(&name), in_texts(value, rewrite))).collect()
        }
        other => other,
    }
}

/// Replaces each byte except ASCII white space with a star.
fn star(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|byte| !byte.is_ascii_whitespace()).for_each(|byte| *byte = b'*');
}

/// Returns the text of a file that holds credentials, with every value replaced with stars.
pub fn without_values(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let bare = text.trim_start_matches('\u{feff}');
    match formats::parse_jsonc(bare).ok().filter(|node| node.as_table().is_some()) {
        Some(node) => strings(&node, &mut |at: Range<usize>| {
            let begins = text.len() - bare.len();
            // Keep the quotation marks.
            let inner = bytes.get_mut(begins + at.start + 1..(begins + at.end).saturating_sub(1));
            inner.unwrap_or_default().iter_mut().for_each(|byte| *byte = b'*');
        }),
        None => {
            let mut at = 0;
            for line in text.split_inclusive('\n') {
                // The text before `=` is the name of a variable, which is kept.
                let name = line.find('=').filter(|_| !line.trim_start().starts_with('#')).map_or(0, |name| name + 1);
                star(&mut bytes[at + name..at + line.len()]);
                at += line.len();
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_default()
}

fn strings(node: &Node, each: &mut impl FnMut(Range<usize>)) {
    match &node.value {
        Value::List(list) => list.iter().for_each(|node| strings(node, each)),
        Value::Table(entries) => entries.iter().for_each(|(_, node)| strings(node, each)),
        Value::Text(_) => each(node.at.clone()),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_credentials_and_for_nothing_else() {
        for (text, shown) in [
            ("export GH_TOKEN=hunter-two", "export GH_TOKEN=**********"),
            (r#"{"apiKey": "hunter-two", "a": 1}"#, r#"{"apiKey": "**********", "a": 1}"#),
            ("password: hunter2two", "password: **********"),
            ("Authorization: Bearer q7Zp2LkV9xTf", "Authorization: ****** ************"),
            ("-H 'x: Bearer q7Zp2LkV9xTfB4mWc8Rs'", "-H 'x: Bearer ********************'"),
            ("machine a.org login me password correct", "machine a.org login me password *******"),
            ("//registry/:_authToken=q7Zp2LkV9xTf", "//registry/:_authToken=************"),
            ("ask me:hunter2@db.example.org", "ask me:*******@db.example.org"),
            ("https://me:hunter2@host/a", "https://me:*******@host/a"),
            ("https://q7Zp2LkV9xTfB4mWc8Rs@host/a", "https://********************@host/a"),
            ("https://host/a?b=c&access_token=q7Zp2LkV#d", "https://host/a?b=c&access_token=********#d"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.a-b", "********************************************"),
            ("use AKIAIOSFODNN7EXAMPLE here", "use ******************** here"),
            ("PRIVATE KEY-----\nMIIE\nvQ==\n-----END", "PRIVATE KEY-----\n****\n****\n-----END"),
            ("max_tokens = 20000, token = true", "max_tokens = 20000, token = true"),
            ("API_KEY=$KEY, token: ${TOKEN}, password: <yours>", "API_KEY=$KEY, token: ${TOKEN}, password: <yours>"),
            (
                "Tokens: a budget is kept. See git@github.com:a/b.git",
                "Tokens: a budget is kept. See git@github.com:a/b.git",
            ),
            ("npm:left-pad@1.3.0, é: 12", "npm:left-pad@1.3.0, é: 12"),
        ] {
            assert_eq!(starred(text), shown, "{text}");
            assert_eq!(starred(shown), shown, "{text}: twice");
        }
    }

    #[test]
    fn of_a_file_of_credentials_only_names_are_left() {
        for (text, shown) in [
            ("A=b c\n# note\nexport X='y'\n", "A=* *\n* ****\nexport X=***\n"),
            ("machine a login b\n", "******* * ***** *\n"),
            (r#"{"a": {"b": "c\"d", "e": [1, "é"]}}"#, r#"{"a": {"b": "****", "e": [1, "**"]}}"#),
        ] {
            assert_eq!(without_values(text), shown);
        }
    }
}
