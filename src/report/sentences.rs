//! Splits text into sentences, and finds those that are added or removed between two texts.

use std::collections::HashMap;

/// Maximum length of a sentence, in bytes. Longer ones are split at line ends, so that a changed word in a long
/// paragraph does not change the whole paragraph.
const LONGEST: usize = 400;

/// Abbreviations whose full stop does not end a sentence.
const ABBREVIATIONS: [&str; 6] = ["e.g.", "i.e.", "etc.", "vs.", "cf.", "approx."];

/// Returns the sentences of a Markdown text, each on one line. Headings, list items, table rows and lines of code are
/// separate sentences. Wrapping of paragraphs, numbering of items and spacing of words are ignored. Sentences longer
/// than `LONGEST` are split at line ends.
pub fn sentences(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut paragraph = String::new();
    let mut fence: Option<&str> = None;
    for line in text.lines().map(spaced) {
        let line = line.as_str();
        let mark = ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (Some(_), _) => {
                flush(&mut paragraph, &mut found);
                found.extend((!line.is_empty()).then(|| line.to_owned()));
                continue;
            }
            (None, None) if line.chars().all(|c| "-*_=|: ".contains(c)) => flush(&mut paragraph, &mut found),
            (None, None) if stands_alone(line) => {
                flush(&mut paragraph, &mut found);
                found.push(line.to_owned());
            }
            (None, None) => {
                let item = item(line);
                if item.is_some() {
                    flush(&mut paragraph, &mut found);
                }
                if !paragraph.is_empty() {
                    paragraph.push('\n');
                }
                paragraph.push_str(item.unwrap_or(line));
                continue;
            }
        }
        flush(&mut paragraph, &mut found);
    }
    flush(&mut paragraph, &mut found);
    found
}

/// Returns the sentences that only the second text has, then those that only the first has, each in text order.
pub fn difference(before: &str, after: &str) -> (Vec<String>, Vec<String>) {
    if before == after {
        return (Vec::new(), Vec::new());
    }
    let (before, after) = (sentences(before), sentences(after));
    (only_in(&after, &before), only_in(&before, &after))
}

/// Returns the sentences that `all` has more often than `other`.
fn only_in(all: &[String], other: &[String]) -> Vec<String> {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for sentence in other {
        *left.entry(sentence).or_default() += 1;
    }
    let mut only = Vec::new();
    for sentence in all {
        match left.get_mut(sentence.as_str()) {
            Some(count) if *count > 0 => *count -= 1,
            _ => only.push(sentence.clone()),
        }
    }
    only
}

/// Returns true if no other line continues this one: a heading, a table row, a tag.
fn stands_alone(line: &str) -> bool {
    line.starts_with('#') || line.starts_with('|') || (line.starts_with('<') && line.ends_with('>'))
}

/// Returns the text of a list item if the line begins one.
fn item(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let marks: &[&str] = if digits == 0 { &["- ", "* ", "+ "] } else { &[". ", ") "] };
    marks.iter().find_map(|mark| line[digits..].strip_prefix(mark)).map(str::trim_start)
}

/// Ends a paragraph and adds its sentences to `found`.
fn flush(paragraph: &mut String, found: &mut Vec<String>) {
    let text = std::mem::take(paragraph);
    let mut start = 0;
    let mut add = |sentence: &str| match sentence.len() > LONGEST {
        true => found.extend(sentence.split('\n').map(str::to_owned)),
        false => found.push(sentence.replace('\n', " ")),
    };
    for (at, space) in text.match_indices([' ', '\n']) {
        let (before, after) = (&text[start..at], &text[at + space.len()..]);
        let word = before.rsplit([' ', '\n']).next().unwrap_or_default().trim_start_matches(['(', '"', '*', '_']);
        let ends = before.trim_end_matches(['"', '\'', ')', '*', '_', '`']).ends_with(['.', '!', '?']);
        let is_number = word.trim_end_matches(['.', ')']).bytes().all(|byte| byte.is_ascii_digit());
        let begins = after.starts_with(|c: char| !c.is_lowercase() && !c.is_whitespace());
        if ends && begins && !is_number && !ABBREVIATIONS.contains(&word) {
            add(before);
            start = at + 1;
        }
    }
    if start < text.len() {
        add(&text[start..]);
    }
}

/// Returns a line with one space between its words.
fn spaced(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_ends_where_a_reader_would_end_it() {
        for (text, expected) in [
            ("Run the\nlinter. Then commit.", &["Run the linter.", "Then commit."][..]),
            (
                "# Rules\nUse tabs, e.g. Four of them.\n\nNo 1.2.3.",
                &["# Rules", "Use tabs, e.g. Four of them.", "No 1.2.3."],
            ),
            ("- One.\n- Two\n  goes on. And on.\n", &["One.", "Two goes on.", "And on."]),
            ("1. First. 2. Second.\n10) Tenth.", &["First.", "2. Second.", "Tenth."]),
            ("---\nOne.\n***\nTwo.", &["One.", "Two."]),
            ("```sh\ncargo test. Now\n\nls\n```\nDone.", &["cargo test. Now", "ls", "Done."]),
            ("| a | b. C |\n|---|:-:|\n<br>\nText", &["| a | b. C |", "<br>", "Text"]),
            ("Say \"no.\" Then go (at once.) Now", &["Say \"no.\"", "Then go (at once.)", "Now"]),
            ("Two  spaces\there.", &["Two spaces here."]),
            ("", &[]),
        ] {
            assert_eq!(sentences(text), expected, "{text:?}");
        }
    }

    #[test]
    fn only_what_comes_and_goes_differs() {
        let (added, removed) = difference("# A\nOne. Two.\n", "# A\nTwo.\nOne. Three. One.\n");
        assert_eq!((added, removed), (vec!["Three.".to_owned(), "One.".to_owned()], vec![]));
        assert_eq!(difference("One\ntwo.", "One   two. "), (vec![], vec![]));
        let long = |word: &str| format!("{}{word}\n{}", "on and on\n".repeat(60), "and on\n".repeat(60));
        assert_eq!(difference(&long("one"), &long("two")), (vec!["two".to_owned()], vec!["one".to_owned()]));
    }
}
