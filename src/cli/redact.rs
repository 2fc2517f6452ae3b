//! Redaction of output that is pasted somewhere: replaces the user's home, name and host, and what looks like a
//! credential.
#![expect(clippy::disallowed_methods, reason = "the command line is where the environment is read")]

use std::borrow::Cow;
use std::sync::OnceLock;

use serde_json::Value;

use crate::report::credentials::{in_texts, starred};
use crate::report::escape;

static REDACT: OnceLock<Redact> = OnceLock::new();

/// Replacement for the user's home directory.
const HOME: &str = "/home/user";

/// Texts that must not be printed, and their replacements.
struct Redact {
    home: String,
    /// Words that are replaced where they stand as a whole.
    words: Vec<(String, &'static str)>,
}

/// Turns redaction on: from now on, home, user, host and what looks like a credential are replaced.
pub(super) fn begin() {
    let home =
        std::env::home_dir().map(|home| home.to_string_lossy().trim_end_matches('/').to_owned()).unwrap_or_default();
    let users = ["USER", "LOGNAME"].into_iter().filter_map(|name| std::env::var(name).ok());
    let users = users.chain(home.rsplit('/').next().map(str::to_owned)).map(|user| (user, "user"));
    let hosts = std::env::var("HOSTNAME").ok().into_iter().chain(std::fs::read_to_string("/proc/sys/kernel/hostname"));
    let hosts = hosts.map(|host| (host.trim().to_owned(), "host"));
    // `root` is nobody in particular, and the top of a repository.
    let is_telling =
        |(word, _): &(String, &str)| word.len() > 2 && !["root", "user", "localhost"].contains(&word.as_str());
    let _ = REDACT.set(Redact { home, words: users.chain(hosts).filter(is_telling).collect() });
}

/// Returns true if redaction is on.
pub(super) fn is_on() -> bool {
    REDACT.get().is_some()
}

/// Returns a text with everything redacted, if redaction is on.
pub(super) fn redacted(text: &str) -> Cow<'_, str> {
    let Some(redact) = REDACT.get() else { return Cow::Borrowed(text) };
    // Within JSON a credential may stand behind an escape.
    let json = text.starts_with(['{', '[']).then(|| serde_json::from_str::<Value>(text).ok()).flatten();
    let json = json.and_then(|json| escape::json(&redact.json(json)).ok());
    Cow::Owned(json.map_or_else(|| redact.text(text), |json| json + "\n"))
}

impl Redact {
    fn json(&self, value: Value) -> Value {
        in_texts(value, &|text| self.text(text))
    }

    fn text(&self, text: &str) -> String {
        let mut said = starred(text).into_owned();
        if self.home.len() > 1 {
            said = replaced(&said, &self.home, HOME);
        }
        for (word, stands) in &self.words {
            said = replaced(&said, word, stands);
        }
        said
    }
}

/// Replaces a word where it stands as a whole.
fn replaced(text: &str, word: &str, stands: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(word) {
        let (before, after) = (&rest[..at], &rest[at + word.len()..]);
        let is_inner = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-');
        let is_whole = !is_inner(before.chars().next_back()) && !is_inner(after.chars().next());
        out.push_str(before);
        out.push_str(if is_whole { stands } else { word });
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_and_where_somebody_is_stays_with_them() {
        let redact =
            Redact { home: "/home/ada".into(), words: vec![("ada".into(), "user"), ("lovelace".into(), "host")] };
        let token = ["ghp_", "q7Zp2LkV9xTfB4mWc8RsYd3HnJ6gAe5uPo1i"].concat();
        for (text, said) in [
            ("/home/ada/p/AGENTS.md".to_owned(), "/home/user/p/AGENTS.md"),
            ("/home/adam and ada@lovelace: adapt".to_owned(), "/home/adam and user@host: adapt"),
            (format!("use {token} here."), "use **************************************** here."),
            (format!("/home/ada\nexport A={token}"), "/home/user\nexport A=****************************************"),
        ] {
            assert_eq!(redact.text(&text), said);
        }
        let json = serde_json::json!({"/home/ada/a": [format!("\n{token}"), 1]});
        assert_eq!(
            redact.json(json),
            serde_json::json!({"/home/user/a": ["\n****************************************", 1]})
        );
    }
}
