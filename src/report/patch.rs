//! Differences of files as a patch that `git apply` takes.

use std::fmt::Write;
use std::ops::Range;

use crate::text::lines_beside;

/// Number of context lines around a difference.
const CONTEXT: usize = 3;

/// Returns the patch that changes `before` to `after`; `None` is a file that does not exist. `name` is relative, with
/// slashes.
pub fn patch(name: &str, before: Option<&str>, after: Option<&str>) -> String {
    if before == after {
        return String::new();
    }
    let mut out = format!("diff --git a/{name} b/{name}\n");
    match (before, after) {
        (None, _) => out.push_str("new file mode 100644\n"),
        (_, None) => out.push_str("deleted file mode 100644\n"),
        _ => {}
    }
    let side =
        |text: Option<&str>, letter: char| text.map_or_else(|| "/dev/null".to_owned(), |_| format!("{letter}/{name}"));
    let _ = writeln!(out, "--- {}\n+++ {}", side(before, 'a'), side(after, 'b'));
    out.push_str(&hunks(before.unwrap_or_default(), after.unwrap_or_default()));
    out
}

/// Returns the patch that makes a link of a file, or of nothing. Git describes that as a deletion and a new file.
pub fn link(name: &str, before: Option<&str>, target: &str) -> String {
    let made = patch(name, None, Some(target)).replacen("file mode 100644", "file mode 120000", 1);
    patch(name, before, None) + &made
}

/// Returns the replacements that change one text to another: whole lines, in order, as byte ranges of `before`.
pub fn replacements(before: &str, after: &str) -> Vec<(Range<usize>, String)> {
    let mut found: Vec<(Range<usize>, String)> = Vec::new();
    let mut at = 0;
    for (mark, line) in changes(before, after) {
        if mark == ' ' {
            at += line.len();
            continue;
        }
        if found.last().is_none_or(|(range, _)| range.end != at) {
            found.push((at..at, String::new()));
        }
        let Some((range, text)) = found.last_mut() else { continue };
        match mark {
            '-' => range.end += line.len(),
            _ => text.push_str(line),
        }
        at = range.end;
    }
    found
}

/// Returns the hunks of a patch.
fn hunks(before: &str, after: &str) -> String {
    let lines = changes(before, after);
    let mut out = String::new();
    let mut at = 0;
    while let Some(first) = lines[at..].iter().position(|(mark, _)| *mark != ' ').map(|first| at + first) {
        // Differences close to each other form one hunk.
        let mut end = first;
        while let Some(next) = lines[end..].iter().position(|(mark, _)| *mark != ' ') {
            if end != first && next > 2 * CONTEXT {
                break;
            }
            end += next + 1;
        }
        let from = first.saturating_sub(CONTEXT).max(at);
        let to = (end + CONTEXT).min(lines.len());
        let count = |lines: &[(char, &str)], left_out: char| lines.iter().filter(|(mark, _)| *mark != left_out).count();
        let (old, new) = (count(&lines[..from], '+'), count(&lines[..from], '-'));
        let (was, is) = (count(&lines[from..to], '+'), count(&lines[from..to], '-'));
        // A side without lines is named by the line before it.
        let start = |before: usize, count: usize| if count == 0 { before } else { before + 1 };
        let _ = writeln!(out, "@@ -{},{was} +{},{is} @@", start(old, was), start(new, is));
        for (mark, line) in &lines[from..to] {
            let _ = write!(out, "{mark}{line}");
            if !line.ends_with('\n') {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
        at = to;
    }
    out
}

/// Returns all lines of two texts with their line endings, marked ` ` if both have the line, `-` or `+` if only one has
/// it.
fn changes<'a>(before: &'a str, after: &'a str) -> Vec<(char, &'a str)> {
    let lines = |text: &'a str| text.split_inclusive('\n').collect::<Vec<_>>();
    lines_beside(&lines(before), &lines(after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_has_the_form_that_git_takes() {
        let long: String = (1..=20).map(|line| format!("{line}\n")).collect();
        let changed = long.replace("3\n", "three\n").replace("18\n", "");
        for (before, after, expected) in [
            (None, Some("a\n"), "new file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1,1 @@\n+a\n"),
            (
                Some("a"),
                None,
                "deleted file mode 100644\n--- a/f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n\\ No newline at end of file\n",
            ),
            (Some("a\nb\r\n"), Some("a\nc\r\n"), "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\r\n+c\r\n"),
            (Some("same"), Some("same"), ""),
        ] {
            let expected = if expected.is_empty() { String::new() } else { format!("diff --git a/f b/f\n{expected}") };
            assert_eq!(patch("f", before, after), expected);
        }
        let made = "diff --git a/f b/f\nnew file mode 120000\n--- /dev/null\n+++ b/f\n@@ -0,0 +1,1 @@\n+g\n\\ No newline at end of file\n";
        assert_eq!(link("f", None, "g"), made);
        assert!(link("f", Some("a"), "g").starts_with("diff --git a/f b/f\ndeleted file mode 100644\n"));
        let two = patch("f", Some(&long), Some(&changed));
        assert_eq!(two.matches("@@ -").count(), 2, "{two}");
    }

    #[test]
    fn replacements_are_of_the_lines_that_differ() {
        for (before, after, expected) in [
            ("a\nb\nc\n", "a\nc\n", vec![(2..4, "")]),
            ("a\nb\nc", "x\na\nB\nc\nd", vec![(0..0, "x\n"), (2..5, "B\nc\nd")]),
            ("", "a\n", vec![(0..0, "a\n")]),
            ("a", "a", vec![]),
        ] {
            let found = replacements(before, after);
            let mut text = before.to_owned();
            found.iter().rev().for_each(|(range, new)| text.replace_range(range.clone(), new));
            assert_eq!(text, after);
            let found: Vec<(Range<usize>, &str)> = found.iter().map(|(range, text)| (range.clone(), &**text)).collect();
            assert_eq!(found, expected, "{before:?} {after:?}");
        }
    }
}
