//! The text of the `# Project Context` section, and how it is rewritten before it is sent.

use icu_collator::options::CollatorOptions;
use icu_collator::{Collator, CollatorBorrowed};

use super::excerpt::Excerpt;
use crate::text::js_trim_end;

/// Line that separates the part of the prompt that stays the same between turns from the rest.
const CACHE_BOUNDARY: &str = "\n<!-- OPENCLAW_CACHE_BOUNDARY -->\n";
const IDENTITY: &str = "Current model identity:";

/// Wording of the section, and related text of the prompt.
pub struct Wording {
    /// Lines before the first file.
    pub intro: &'static [&'static str],
    /// Lines that appear if a file with that base name (in lower case) does, in this order.
    pub roles: &'static [(&'static str, &'static str)],
    /// Heading of a file.
    pub heading: Heading,
    /// Order of the files.
    pub order: Order,
    /// Rewriting of the texts before they are sent.
    pub passage: Passage,
    /// Text of the prompt if something was cut, if there is any.
    pub notice: Option<&'static str>,
    /// Heading of the text that the application adds.
    pub context: Context,
    /// The whole prompt in the mode `none`.
    pub identity: &'static str,
}

/// Heading of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Heading {
    /// The file's base name.
    Name,
    /// The file's absolute path.
    Path,
}

/// Order of the files.
pub enum Order {
    /// The order in which they were loaded.
    Loaded,
    /// Sorted by the position of their base names (in lower case) in `kinds`, others last. Files of one name are sorted
    /// by path as `localeCompare` does, or, if the name is `as_loaded`, stay in the order in which they were loaded.
    Sorted { kinds: &'static [&'static str], as_loaded: Option<&'static str> },
}

/// Rewriting of the texts before they are sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Passage {
    /// The texts are unchanged.
    Untouched,
    /// Entries of other projects, blocks about heartbeats and superfluous blank lines are removed, CRLF becomes LF, and
    /// a line that names the model gets the real name.
    Rewritten,
}

/// Heading of the text that the application adds to a full prompt, and its position.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Context {
    /// Before the files.
    Before(&'static str),
    /// After the files.
    Behind(&'static str),
}

/// A file of the section.
pub struct Shown {
    /// Heading of the file.
    pub path: String,
    /// Text of the file.
    pub excerpt: Excerpt,
    /// Index of the file in the caller's list.
    pub of: usize,
}

/// The section after all rewriting.
pub struct Section {
    /// Text of the section.
    pub text: String,
    /// True if a file contains the cache boundary, so that everything after it is in another part of the prompt.
    pub divided: bool,
    /// True if a line states the model's identity, which only the request knows.
    pub names_model: bool,
}

fn base(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or(path).to_lowercase()
}

/// Sorts files into the order in which they appear.
pub fn sort(files: &mut [Shown], order: &Order) {
    let Order::Sorted { kinds, as_loaded } = order else { return };
    let collator: CollatorBorrowed =
        Collator::try_new(Default::default(), CollatorOptions::default()).expect("the root collation is built in");
    let place = |path: &str| {
        let base = base(path);
        kinds.iter().position(|name| *name == base).unwrap_or(usize::MAX)
    };
    files.sort_by(|one, other| {
        place(&one.path).cmp(&place(&other.path)).then_with(|| match *as_loaded == Some(base(&one.path).as_str()) {
            true => std::cmp::Ordering::Equal,
            false => collator.compare(&one.path.replace('\\', "/"), &other.path.replace('\\', "/")),
        })
    });
}

/// Returns the byte ranges of blocks about HEARTBEAT.md, which is no longer read.
pub fn heartbeat_blocks(text: &str) -> Vec<std::ops::Range<usize>> {
    const HEAD: &str = "Default heartbeat prompt:";
    const BEGINNINGS: [&str; 2] =
        ["Read HEARTBEAT.md if it exists", "Follow the heartbeat monitor scratch context when provided."];
    let end_of = |head: usize| {
        let rest = &text[head + HEAD.len()..];
        let rest = rest.strip_prefix('\r').unwrap_or(rest).strip_prefix("\n`")?;
        let quoted = rest.split(['`', '\r', '\n']).next()?;
        let body = BEGINNINGS.iter().find_map(|beginning| quoted.strip_prefix(beginning))?;
        let closed = rest[quoted.len()..].starts_with('`') && body.ends_with("HEARTBEAT_OK.");
        closed.then(|| text.len() - rest.len() + quoted.len() + 1)
    };
    text.match_indices(HEAD).filter_map(|(head, _)| Some(head..end_of(head)?)).collect()
}

/// Returns the section of `files`, which are sorted.
pub fn section(files: &[Shown], wording: &Wording, model: Option<&str>) -> Section {
    let mut lines: Vec<String> = wording.intro.iter().map(|line| (*line).to_owned()).collect();
    let names: Vec<String> = files.iter().map(|file| base(&file.path)).collect();
    let roles = wording.roles.iter().filter(|(name, _)| names.iter().any(|shown| shown == name));
    lines.extend(roles.map(|(_, line)| (*line).to_owned()));
    for file in files {
        lines.push(format!("## {}", file.path));
        let text = match wording.passage {
            Passage::Untouched => file.excerpt.text().to_owned(),
            Passage::Rewritten => without_blank_runs(file.excerpt.text()),
        };
        if !text.is_empty() {
            lines.push(text);
        }
    }
    let text = lines.join("\n");
    match wording.passage {
        Passage::Untouched => Section { text, divided: false, names_model: false },
        Passage::Rewritten => rewritten(&text, model),
    }
}

/// Reduces three or more line feeds to two.
fn without_blank_runs(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut run = 0;
    for c in text.chars() {
        run = if c == '\n' { run + 1 } else { 0 };
        if run <= 2 {
            out.push(c);
        }
    }
    out
}

/// Rewrites the section as the client rewrites the whole prompt: it ends at the first cache boundary, CRLF becomes LF,
/// and the first line that names the model is replaced and further ones are removed.
fn rewritten(text: &str, model: Option<&str>) -> Section {
    // A line feed follows the section, so its last line may be the boundary.
    let last = text.ends_with(CACHE_BOUNDARY.trim_end()).then(|| text.len() - CACHE_BOUNDARY.trim_end().len());
    let (text, divided) = match text.find(CACHE_BOUNDARY).or(last) {
        Some(at) => (&text[..at], true),
        None => (text, false),
    };
    let text = js_trim_end(text).replace("\r\n", "\n");
    let mut out: Vec<String> = Vec::new();
    let mut names_model = false;
    for line in text.split('\n') {
        if !crate::text::js_trim(line).starts_with(IDENTITY) {
            out.push(line.to_owned());
        } else if !std::mem::replace(&mut names_model, true) {
            let model = model.unwrap_or("(the model of the request)");
            let rest = "If asked what model you are, answer with this value for the current run.";
            out.push(format!("{IDENTITY} {model}. {rest}"));
        }
    }
    Section { text: out.join("\n").trim_end_matches('\n').to_owned(), divided, names_model }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_ordered_as_javascript_orders_them() {
        let shown = |path: &str| Shown { path: path.into(), excerpt: Excerpt::default(), of: 0 };
        let paths = [
            "/w/b/AGENTS.md",
            "/w/AGENTS.md",
            "/w/A/AGENTS.md",
            "/w/a/AGENTS.md",
            "/w/a-b/AGENTS.md",
            "/w/é/AGENTS.md",
        ];
        let mut files: Vec<Shown> = paths.iter().map(|path| shown(path)).collect();
        sort(&mut files, &Order::Sorted { kinds: &["agents.md"], as_loaded: None });
        let order: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        // Recorded from Node 24: ["…"].sort((a, b) => a.localeCompare(b))
        assert_eq!(
            order,
            [
                "/w/a-b/AGENTS.md",
                "/w/a/AGENTS.md",
                "/w/A/AGENTS.md",
                "/w/AGENTS.md",
                "/w/b/AGENTS.md",
                "/w/é/AGENTS.md"
            ]
        );
    }

    #[test]
    fn heartbeat_blocks_are_found() {
        let block = "Default heartbeat prompt:\n`Read HEARTBEAT.md if it exists. Else HEARTBEAT_OK.`";
        let text = format!("a\n{block}b Default heartbeat prompt:\n`Read it. HEARTBEAT_OK.`");
        assert_eq!(heartbeat_blocks(&text), vec![2..2 + block.len()]);
        assert!(
            heartbeat_blocks("Default heartbeat prompt:\n`Read HEARTBEAT.md if it exists HEARTBEAT_OK`").is_empty()
        );
    }

    #[test]
    fn the_line_that_names_the_model_is_put_right_once() {
        let section = rewritten("a\r\n  Current model identity: x\r\nb\n\tCurrent model identity: y\nc\n", Some("p/m"));
        let line =
            "Current model identity: p/m. If asked what model you are, answer with this value for the current run.";
        assert_eq!(section.text, format!("a\n{line}\nb\nc"));
    }
}
