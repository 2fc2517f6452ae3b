//! Parses `.env` files as npm `dotenv` 17 does.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex_automata::meta::Regex;
use regex_automata::util::captures::Captures;

use crate::text::js_trim;

/// JavaScript's white space, as the content of a character class.
const SPACE: &str = r"\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}";

/// Returns the names and values of a `.env` file.
pub fn dotenv(text: &str) -> Vec<(String, String)> {
    static LINE: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = concat!(
            r"(?m)^S*(?:exportS+)?([0-9A-Za-z_.-]+)(?:S*=S*?|:S+?)",
            r#"(S*'(?:\\'|[^'])*'|S*"(?:\\"|[^"])*"|S*`(?:\\`|[^`])*`|[^#\r\n]+)?"#,
            r"S*(?:#.*)?$"
        );
        Regex::new(&pattern.replace('S', &format!("[{SPACE}]"))).expect("a pattern that does not change")
    });
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let pair = |found: Captures| {
        let group = |number| found.get_group(number).map_or("", |span| &text[span.range()]);
        let value = js_trim(group(2));
        let quote = value.chars().next().filter(|first| matches!(first, '\'' | '"' | '`'));
        let bare = quote.and_then(|quote| value.strip_prefix(quote)?.strip_suffix(quote)).unwrap_or(value);
        let value = match quote {
            Some('"') => bare.replace("\\n", "\n").replace("\\r", "\r"),
            _ => bare.to_owned(),
        };
        (group(1).to_owned(), value)
    };
    // A later line replaces an earlier one of the same name.
    let pairs: BTreeMap<String, String> = LINE.captures_iter(&text).map(pair).collect();
    pairs.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dotenv_files_are_read_as_npm_reads_them() {
        let text = "A=1\nexport B = two # c\nC='x # y'\r\nD=\"l1\\nl2\"\nE:\n# F=1\nG=`q`\nA=2\n";
        let pairs = dotenv(text);
        let expected = [("A", "2"), ("B", "two"), ("C", "x # y"), ("D", "l1\nl2"), ("E", ""), ("G", "q")];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(pairs, expected);
    }
}
