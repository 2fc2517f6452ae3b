//! Splits blocks of Gemini CLI and Qwen Code, which put every file between a head and a foot line.

use std::path::{Path, PathBuf};

/// A file of a block.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The path as it is written.
    pub path: &'a str,
    /// Text between its head and its foot.
    pub text: &'a str,
}

impl Entry<'_> {
    /// Resolves the path against a directory.
    pub fn path_from(&self, cwd: Option<&Path>) -> PathBuf {
        match cwd {
            Some(cwd) => crate::snapshot::absolute(cwd, Path::new(self.path)),
            None => PathBuf::from(self.path),
        }
    }
}

/// The words of heads.
const KINDS: [&str; 2] = ["Context", "Rule"];

/// Returns the files of a text, in order. A head without its foot is skipped.
pub fn entries(text: &str) -> Vec<Entry<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("--- ") {
        rest = &rest[at + 4..];
        let Some((kind, path, behind)) = KINDS.iter().find_map(|kind| {
            let (path, behind) = rest.strip_prefix(kind)?.strip_prefix(" from: ")?.split_once(" ---\n")?;
            (!path.contains('\n')).then_some((kind, path, behind))
        }) else {
            continue;
        };
        let foot = format!("\n--- End of {kind} from: {path} ---");
        if let Some(end) = behind.find(&foot) {
            found.push(Entry { path, text: &behind[..end] });
            rest = &behind[end + foot.len()..];
        }
    }
    found
}

/// Finds the text of a file; `None` if it is there twice.
pub fn text_of<'a>(block: &'a str, path: &Path, cwd: &Path, _: &Path) -> Option<&'a str> {
    let mut of_file = entries(block).into_iter().filter(|entry| entry.path_from(Some(cwd)) == path);
    let first = of_file.next()?;
    of_file.next().is_none().then_some(first.text)
}

/// Returns the text from the first `first` to the last `last`, including both.
pub fn between<'a>(text: &'a str, first: &str, last: &str) -> Option<&'a str> {
    let start = text.find(first)?;
    let end = text[start..].rfind(last)? + start + last.len();
    Some(&text[start..end])
}

/// Result of the search for a block at the end of a text.
#[derive(Debug, PartialEq, Eq)]
pub enum AtEnd<'a> {
    /// No block at the end; imitations elsewhere do not count.
    Nothing,
    /// The block, with its marks.
    Block(&'a str),
    /// More than one text may be the block.
    Unclear,
}

/// Finds the block of files between two marks that a client puts at the end of what a tool says. The text before it may
/// imitate it, and so may the files in it: a block has nothing but whole files between its marks.
pub fn at_end<'a>(text: &'a str, first: &str, last: &str) -> AtEnd<'a> {
    let text = text.trim_end();
    let Some(inner) = text.strip_suffix(last) else { return AtEnd::Nothing };
    let mut starts = inner.match_indices(first).map(|(at, _)| at).filter(|at| is_whole(&inner[at + first.len()..]));
    match (starts.next(), starts.next()) {
        (Some(start), None) => AtEnd::Block(&text[start..]),
        _ => AtEnd::Unclear,
    }
}

/// Returns true if a text consists of whole files and nothing else.
fn is_whole(block: &str) -> bool {
    let mut rest = block;
    for Entry { path, text } in entries(block) {
        let behind = |kind: &&str| {
            let file = format!("--- {kind} from: {path} ---\n{text}\n--- End of {kind} from: {path} ---");
            rest.trim_start().strip_prefix(&file)
        };
        let Some(behind) = KINDS.iter().find_map(behind) else { return false };
        rest = behind;
    }
    rest.is_empty() && !block.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_block_at_the_end_is_one() {
        let (first, last) = ("<<\n", "\n>>");
        let file =
            |path: &str, text: &str| format!("--- Rule from: {path} ---\n{text}\n--- End of Rule from: {path} ---");
        let block = |files: &str| format!("<<\n{files}\n>>");
        let (one, two) = (block(&file("a", "one")), block(&(file("a", "one") + "\n\n" + &file("b", "two"))));
        for real in [&one, &two] {
            assert_eq!(at_end(real, first, last), AtEnd::Block(real));
            assert_eq!(at_end(&format!("x\n{one}\ny\n\n{real}\n"), first, last), AtEnd::Block(real));
            assert_eq!(at_end(&format!("{real}\nx"), first, last), AtEnd::Nothing);
            let holds_another = block(&file("c", &format!("x\n{real}\ny")));
            assert_eq!(at_end(&holds_another, first, last), AtEnd::Block(&holds_another));
        }
        // The head of a file that does not end before the block may be the block's own.
        let open = format!("<<\n--- Rule from: a ---\nx\n\n{one}");
        for unclear in [open.as_str(), "<<\nx\n>>", "<<\n\n>>", "x\n>>"] {
            assert_eq!(at_end(unclear, first, last), AtEnd::Unclear, "{unclear}");
        }
    }

    #[test]
    fn files_stand_between_a_head_and_a_foot_of_the_same_name() {
        let text = "x\n--- Context from: a.md ---\none\n--- Context from: b ---\n--- End of Context from: a.md ---\n\
                    --- Rule from: r.md ---\ntwo\n--- End of Rule from: r.md ---\n--- Context from: c ---\nthree";
        let found: Vec<_> = entries(text).into_iter().map(|entry| (entry.path, entry.text)).collect();
        assert_eq!(found, [("a.md", "one\n--- Context from: b ---"), ("r.md", "two")]);
    }
}
