//! The text of the `# Project Context` section, and what happens to it on its way to the model.

use icu_collator::options::CollatorOptions;
use icu_collator::{Collator, CollatorBorrowed};

use super::excerpt::Excerpt;
use crate::text::js_trim_end;

/// What divides the prompt into a part that stays the same between turns and one that does not.
const CACHE_BOUNDARY: &str = "\n<!-- OPENCLAW_CACHE_BOUNDARY -->\n";
const IDENTITY: &str = "Current model identity:";

/// How an edition words the section, and what else it says.
pub struct Wording {
    /// The lines before the first file.
    pub intro: &'static [&'static str],
    /// Lines that appear when a file of that base name (in lower case) does, in this order.
    pub roles: &'static [(&'static str, &'static str)],
    /// What stands above a file.
    pub heading: Heading,
    /// In which order the files stand.
    pub order: Order,
    /// What happens to the texts on their way to the model.
    pub passage: Passage,
    /// What the prompt says when something was cut, if it says anything.
    pub notice: Option<&'static str>,
    /// What stands above the text that the application adds.
    pub context: Context,
    /// The whole prompt without any mode.
    pub identity: &'static str,
}

/// What stands above a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Heading {
    /// Its base name.
    Name,
    /// Its absolute path.
    Path,
}

/// In which order files stand.
pub enum Order {
    /// As they were loaded.
    Loaded,
    /// By the places of their base names (in lower case) among `kinds`, others last; those of one name as `localeCompare`
    /// compares their paths, or `as_loaded`.
    Sorted { kinds: &'static [&'static str], as_loaded: Option<&'static str> },
}

/// What happens to the texts on their way to the model.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Passage {
    /// Nothing.
    Untouched,
    /// Entries of other projects, blocks about heartbeats and superfluous blank lines are taken out, CRLF becomes LF, and a
    /// line that names the model names the real one.
    Rewritten,
}

/// What stands above the text that the application adds to a full prompt, and where that is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Context {
    /// Before the files.
    Before(&'static str),
    /// Behind the files.
    Behind(&'static str),
}

/// A file of the section.
pub struct Shown {
    /// Its heading.
    pub path: String,
    /// Its text.
    pub excerpt: Excerpt,
    /// Which file it is, for whoever asks.
    pub of: usize,
}

/// The section after everything that is done to it.
pub struct Section {
    /// The text.
    pub text: String,
    /// Whether a file holds the cache boundary, so that the rest of the files stands elsewhere in the prompt.
    pub divided: bool,
    /// Whether a line is the model's identity, which only the request knows.
    pub names_model: bool,
}

fn base(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or(path).to_lowercase()
}

/// Sorts files as they appear.
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

/// Byte ranges of blocks that tell of a file which is no longer read.
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

/// The section of `files`, which are sorted.
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

/// Three line feeds or more become two.
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

/// What happens to the prompt as a whole: it is divided at the first cache boundary, CRLF becomes LF, and a line that names
/// the model is replaced, wherever it stands.
fn rewritten(text: &str, model: Option<&str>) -> Section {
    // The section is followed by a line feed, with which its last line may be the boundary.
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
