//! Imports of oh-my-pi 18.2.3: `@path` is replaced by the text of the file.

use std::path::{Path, PathBuf};

use crate::answer::{Answer, Scope, Source};
use crate::search::{Known, Search};
use crate::snapshot::absolute;
use crate::text::{bun_text, is_js_space};

/// Maximum depth of imports (oh-my-pi 18.2.3).
const DEPTH: usize = 5;

/// Context of imports: the home directory, and the message that contains them.
pub(super) struct Imports<'a> {
    pub home: &'a Path,
    /// Index of the message that contains them.
    pub message: usize,
}

/// State while one file is expanded.
struct Work<'a, 's, 'f> {
    imports: &'a Imports<'a>,
    /// Files that were included already; none is included twice.
    visited: Vec<PathBuf>,
    search: &'s mut Search<'f>,
    answer: &'s mut Answer,
}

impl Imports<'_> {
    /// Returns the text of a file with its imports.
    pub fn expand(&self, text: &str, file: &Path, search: &mut Search, answer: &mut Answer) -> Known<String> {
        let mut work = Work { imports: self, visited: vec![file.to_owned()], search, answer };
        work.text(text, file.parent().unwrap_or(Path::new("/")), 0)
    }
}

impl Work<'_, '_, '_> {
    fn text(&mut self, text: &str, dir: &Path, depth: usize) -> Known<String> {
        if depth >= DEPTH || !text.contains('@') {
            return Ok(text.to_owned());
        }
        // Character and length of the open fence.
        let mut open: Option<(char, usize)> = None;
        let mut lines = Vec::new();
        for line in text.split('\n') {
            let is_text = match (fence(line), open) {
                (Some(fence), None) => {
                    open = Some(fence);
                    false
                }
                (Some((sign, length)), Some((opened, least))) if sign == opened && length >= least => {
                    open = None;
                    false
                }
                (_, open) => open.is_none(),
            };
            lines.push(if is_text { self.line(line, dir, depth)? } else { line.to_owned() });
        }
        Ok(lines.join("\n"))
    }

    fn line(&mut self, line: &str, dir: &Path, depth: usize) -> Known<String> {
        let mut out = String::new();
        let mut done = 0;
        let mut code = Code::default();
        for (at, _) in line.match_indices('@') {
            let boundary = at == 0 || line[..at].ends_with([' ', '\t']);
            if at < done || !boundary || code.goes_on_at(line, at) {
                continue;
            }
            let token = line[at + 1..].split(is_js_space).next().unwrap_or_default();
            if !token.starts_with(|c: char| c.is_ascii_alphanumeric() || "./~_-".contains(c)) {
                continue;
            }
            let path = token.trim_end_matches(|c: char| ".,;:!?)]}\"'".contains(c));
            if path.is_empty() {
                continue;
            }
            let Some(text) = self.import(path, dir, depth)? else { continue };
            out.push_str(&line[done..at]);
            out.push_str(&text);
            done = at + 1 + path.len();
        }
        out.push_str(&line[done..]);
        Ok(out)
    }

    /// Returns the text of an import; `None` leaves the token as it is.
    fn import(&mut self, path: &str, dir: &Path, depth: usize) -> Known<Option<String>> {
        let file = match path.strip_prefix("~/") {
            Some(rest) => absolute(self.imports.home, Path::new(rest)),
            None if path == "~" => self.imports.home.to_owned(),
            None => absolute(dir, Path::new(path)),
        };
        if self.visited.contains(&file) {
            return Ok(None);
        }
        let Ok(raw) = self.search.read(&file, "imported; what is not there leaves the text as it is")? else {
            return Ok(None);
        };
        self.visited.push(file.clone());
        let source = Source::whole(&file, Scope::Import, raw.size(), format!("imported as `@{path}`"));
        self.answer.sources.push(Source { message: Some(self.imports.message), part: Some(0), ..source });
        let dir = file.parent().unwrap_or(Path::new("/")).to_owned();
        self.text(&bun_text(&raw), &dir, depth + 1).map(Some)
    }
}

/// Returns the character and the length of a fence.
fn fence(line: &str) -> Option<(char, usize)> {
    let line = line.trim_start_matches([' ', '\t']);
    let sign = line.chars().next().filter(|sign| "`~".contains(*sign))?;
    let length = line.chars().take_while(|c| *c == sign).count();
    (length >= 3).then_some((sign, length))
}

/// Counter of backticks in a line.
#[derive(Default)]
struct Code {
    seen: usize,
    runs: usize,
    before: Option<char>,
}

impl Code {
    /// Returns true if `at` is between backticks. Positions must be asked for in ascending order.
    fn goes_on_at(&mut self, line: &str, at: usize) -> bool {
        for c in line[self.seen..at].chars() {
            self.runs += usize::from(c == '`' && self.before != Some('`'));
            self.before = Some(c);
        }
        self.seen = at;
        self.runs % 2 == 1
    }
}
