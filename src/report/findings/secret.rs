//! Finds text that looks like a credential. The messages never contain the credential.

use std::ops::Range;

use crate::text::position;

/// Beginnings of credentials, each with the minimum number of characters after it and a description.
const BEGINNINGS: [(&str, usize, &str); 20] = [
    ("AKIA", 16, "an AWS access key"),
    ("ASIA", 16, "an AWS session key"),
    ("ghp_", 30, "a GitHub token"),
    ("gho_", 30, "a GitHub token"),
    ("ghu_", 30, "a GitHub token"),
    ("ghs_", 30, "a GitHub token"),
    ("ghr_", 30, "a GitHub token"),
    ("github_pat_", 30, "a GitHub token"),
    ("glpat-", 20, "a GitLab token"),
    ("sk-ant-", 24, "an Anthropic key"),
    ("sk-proj-", 24, "an OpenAI key"),
    ("sk-", 32, "an API key"),
    ("sk_live_", 20, "a Stripe key"),
    ("rk_live_", 20, "a Stripe key"),
    ("xoxb-", 20, "a Slack token"),
    ("xoxp-", 20, "a Slack token"),
    ("AIza", 35, "a Google API key"),
    ("npm_", 36, "an npm token"),
    ("hf_", 30, "a Hugging Face token"),
    ("SG.", 40, "a SendGrid key"),
];

/// First words of a private key's first line.
const BEGIN: &str = "-----BEGIN ";

/// Maximum length searched for that line, and for the text after it, in bytes.
const BEGIN_BYTES: usize = 100;

/// Minimum length of a credential after a name such as `API_KEY=`.
const ASSIGNED: usize = 24;

/// Returns the ranges that look like credentials, with a description of each.
pub fn secrets(text: &str) -> Vec<(Range<usize>, &'static str)> {
    let mut found = Vec::new();
    // `contains` is much faster than `match_indices`, and this runs at every keystroke.
    let begins = text.contains(BEGIN).then(|| text.match_indices(BEGIN)).into_iter().flatten();
    for (start, _) in begins {
        let line = text[start..text.floor_char_boundary(start + BEGIN_BYTES)].lines().next().unwrap_or_default();
        // The words alone are no key: they stand in documents about keys.
        let behind = &text[start + line.len()..];
        let follows = behind[..behind.floor_char_boundary(BEGIN_BYTES)].split_whitespace().next().unwrap_or_default();
        if line.trim_end().ends_with("PRIVATE KEY-----") && follows.len() >= 40 {
            found.push((start..start + line.trim_end().len(), "a private key"));
        }
    }
    for token in tokens(text) {
        let word = &text[token.clone()];
        let known = BEGINNINGS.iter().find(|(beginning, least, _)| {
            word.strip_prefix(beginning).is_some_and(|rest| rest.len() >= *least && is_random(rest))
        });
        if let Some((_, _, name)) = known {
            found.push((token, name));
        } else if word.len() >= ASSIGNED
            && is_random(word)
            && !text[token.end..].starts_with('(')
            && is_assigned(&text[..token.start])
        {
            found.push((token, "a credential"));
        }
    }
    found
}

/// Returns runs of the characters that credentials are made of, if there is a digit among them.
fn tokens(text: &str) -> impl Iterator<Item = Range<usize>> {
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+');
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let digit = position(bytes, at, |byte| byte.is_ascii_digit())?;
            let start = digit - bytes[at..digit].iter().rev().take_while(|byte| part(byte)).count();
            at = digit + bytes[digit..].iter().take_while(|byte| part(byte)).count();
            if at - start >= 16 {
                return Some(start..at);
            }
        }
    })
}

/// Returns true if a word looks random: it has several digits, a letter and many different characters, and is no
/// placeholder.
fn is_random(word: &str) -> bool {
    // The rarest property is tested first, since this runs for every word at every keystroke.
    if word.bytes().filter(u8::is_ascii_digit).count() < 3 || !word.bytes().any(|byte| byte.is_ascii_alphabetic()) {
        return false;
    }
    let mut kinds = [false; 256];
    word.bytes().for_each(|byte| kinds[usize::from(byte)] = true);
    let placeholder = ["example", "xxxx", "your", "placeholder", "0000", "1234567", "abcdef", "....", "redacted"];
    let lower = word.to_ascii_lowercase();
    kinds.iter().filter(|there| **there).count() >= 8 && !placeholder.iter().any(|known| lower.contains(known))
}

/// Returns true if the text ends in `TOKEN=`, `"apiKey": "` or the like.
fn is_assigned(before: &str) -> bool {
    let before = before.trim_end_matches(['"', '\'', '`', ' ']);
    let Some(before) = before.strip_suffix(['=', ':']) else { return false };
    let before = before.trim_end_matches(['"', '\'', '`', ' ', '*']);
    let name = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-').next().unwrap_or_default();
    let name = name.to_ascii_lowercase().replace('-', "_");
    ["api_key", "apikey", "secret", "token", "password", "passwd", "access_key"].iter().any(|word| name.ends_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Put together here, so that no scanner takes this file for a leak.
    fn key(beginning: &str, rest: &str) -> String {
        [beginning, rest].concat()
    }

    #[test]
    fn credentials_are_found_and_placeholders_are_not() {
        let random = "q7Zp2LkV9xTfB4mWc8RsYd3HnJ6gAe5uPo1i";
        for (text, name) in [
            (key("use ghp_", random), Some("a GitHub token")),
            (key("key: AKIA", "Q7ZP2LKV9XTFB4MW"), Some("an AWS access key")),
            (key("AKIA", "IOSFODNN7EXAMPLE"), None),
            (key("sk-", "your-key-goes-here-and-nowhere-else-1"), None),
            (format!("DB_PASSWORD=\"{random}\""), Some("a credential")),
            (format!("commit {random}"), None),
            ("token = forge_hs256_with_public_key2(a, b)".to_owned(), None),
            ("sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855".to_owned(), None),
            (format!("{}\n{random}{random}\n", key("-----BEGIN ", "PRIVATE KEY-----")), Some("a private key")),
            (format!("look for `{}` in the code", key("-----BEGIN ", "PRIVATE KEY-----")), None),
        ] {
            let found: Vec<_> = secrets(&text).into_iter().map(|(_, name)| name).collect();
            assert_eq!(found, Vec::from_iter(name), "{text}");
        }
    }
}
