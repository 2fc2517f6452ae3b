//! Expectations: sentences that must, or must not, reach an agent, and whether they do.
//!
//! [`declared()`] reads them from a `briefing.toml`; [`Wanted`] is an expectation whose texts have been read; [`judge`]
//! compares it with what one agent gets at one moment.

use std::fmt;
use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::findings::share;
use super::why::{Plain, Sought};
use crate::answer::{Message, MessageKind, Resolution, SessionKind, Trigger};
use crate::text::{self, grouped};

mod declared;

pub use declared::{Declared, Entry, declared};

/// Prefix of the related text of a finding that quotes the line most similar to a missing text.
pub const SIMILAR: &str = "similar: ";

/// A declared expectation.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// Name of the expectation, unique in its file.
    pub id: String,
    /// Requirement to check.
    pub demand: Demand,
    /// Agents that it applies to: ids, `mine` or `all`.
    pub agents: Vec<String>,
    /// Globs of the files that it applies to, relative to the directory of the declaration; empty: the start of a
    /// session.
    pub paths: Vec<String>,
    /// Moment at which it must hold.
    pub when: When,
    /// Working directories of the agents, relative to the directory of the declaration; `None`: that directory, and
    /// every directory between it and the file.
    pub from: Option<Vec<String>>,
    /// Kinds of session that it applies to.
    pub sessions: Vec<SessionKind>,
    /// Reason for the expectation.
    pub reason: Option<String>,
    /// Byte range of the declaration in its file.
    pub at: Range<usize>,
}

/// Requirement of an expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Demand {
    /// A sentence reaches the agent.
    Text(String),
    /// Every paragraph of a file reaches the agent.
    File(String),
    /// Every paragraph of a section reaches the agent.
    Section {
        /// Path of the file.
        file: String,
        /// The heading of the section, without its `#`.
        heading: String,
    },
    /// A sentence does not reach the agent.
    Absent(String),
    /// The instructions have at most so many tokens.
    MaxTokens(usize),
    /// The instruction files use at most so many percent of the agent's limit.
    MaxShare(usize),
    /// These agents get the same sentences.
    SameFor(Vec<String>),
}

impl fmt::Display for Demand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Demand::Text(text) => write!(f, "“{text}”"),
            Demand::File(file) => write!(f, "all of {file}"),
            Demand::Section { file, heading } => write!(f, "{file}#{heading}"),
            Demand::Absent(text) => write!(f, "never “{text}”"),
            Demand::MaxTokens(tokens) => write!(f, "at most {} tokens", grouped(*tokens)),
            Demand::MaxShare(percent) => write!(f, "at most {percent} % of the limit"),
            Demand::SameFor(agents) => write!(f, "the same for {}", super::words::list(agents)),
        }
    }
}

/// When a text must have reached an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// At the start of a session.
    Start,
    /// When the agent has read the file: at the start, or together with the file.
    BeforeRead,
    /// Before the agent changes the file or creates one beside it; what comes together with a file does not reach an
    /// agent that creates a file.
    BeforeEdit,
    /// After a compaction, before any file is read again.
    AfterCompaction,
}

impl When {
    /// Returns the word for it, as in `briefing.toml`.
    pub fn as_str(self) -> &'static str {
        match self {
            When::Start => "start",
            When::BeforeRead => "before-read",
            When::BeforeEdit => "before-edit",
            When::AfterCompaction => "after-compaction",
        }
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Selects the messages of an answer that have reached the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reached {
    /// Messages at the start of the session.
    AtStart,
    /// Also messages that come with a read file.
    WithFile,
}

/// An expectation whose texts have been read.
pub enum Wanted {
    /// Each of these texts reaches the agent.
    Present(Vec<Sought>),
    /// This text reaches no agent.
    Absent(Sought),
    /// At most so many tokens.
    MaxTokens(usize),
    /// At most so many percent of the limit.
    MaxShare(usize),
    /// Each of the agents gets the same sentences.
    Same,
}

/// Reason why an expectation does not hold for an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// This text does not reach the agent: the index into [`Wanted::Present`].
    Missing(usize),
    /// The text reaches the agent, in this message.
    Present(usize),
    /// Any other failure, as a message.
    Other(String),
}

/// Returns true if a message contains a text. Callers may cache the result.
pub type Says<'a> = &'a dyn Fn(&Message, &Sought) -> bool;

/// Judges an answer; `Ok` if the expectation holds. [`Wanted::Same`] takes several answers, see [`reaches`].
///
/// # Errors
/// Returns the failure if the expectation does not hold.
pub fn judge(wanted: &Wanted, answer: &Resolution, reached: Reached, says: Says) -> Result<(), Failure> {
    match wanted {
        Wanted::Present(texts) => {
            let missing = texts.iter().position(|text| !reaches(text, answer, reached, says));
            missing.map_or(Ok(()), |missing| Err(Failure::Missing(missing)))
        }
        Wanted::Absent(text) => {
            let found = messages(answer, reached).find(|(_, message)| says(message, text));
            found.map_or(Ok(()), |(at, _)| Err(Failure::Present(at)))
        }
        Wanted::MaxTokens(most) => {
            let instructions = messages(answer, reached).filter(|(_, one)| one.kind == MessageKind::Instructions);
            let tokens: usize = instructions.map(|(_, message)| message.text.len().div_ceil(4)).sum();
            if tokens <= *most {
                return Ok(());
            }
            Err(Failure::Other(format!("the instructions have about {} tokens", grouped(tokens))))
        }
        Wanted::MaxShare(most) => match share(answer) {
            Some(share) if share.used * 100 > share.limit * most => {
                let (used, limit) = (grouped(share.used), grouped(share.limit));
                let percent = share.percent();
                Err(Failure::Other(format!("{percent} % of the limit are used ({used} of {limit} {})", share.unit)))
            }
            Some(_) | None => Ok(()),
        },
        Wanted::Same => Ok(()),
    }
}

/// Returns true if a text has reached the agent.
pub fn reaches(text: &Sought, answer: &Resolution, reached: Reached, says: Says) -> bool {
    messages(answer, reached).any(|(_, message)| says(message, text))
}

fn messages(answer: &Resolution, reached: Reached) -> impl Iterator<Item = (usize, &Message)> {
    let counts = move |message: &Message| reached == Reached::WithFile || message.trigger == Trigger::Session;
    answer.answer.messages.iter().enumerate().filter(move |(_, message)| counts(message))
}

/// Returns the paragraphs, list items, headings and code blocks of a Markdown text as plain words, without the front
/// matter. They are taken from the source, since that is what agents send.
pub fn paragraphs(text: &str) -> Vec<String> {
    let body = super::front_matter::head(text).filter(|head| head.closed).map_or(text, |head| &text[head.at.end..]);
    let mut found = Vec::new();
    let mut block: Option<Range<usize>> = None;
    let mut flush = |block: &mut Option<Range<usize>>| {
        let words = block.take().map(|at| Plain::of(&body[at]).into_text());
        found.extend(words.filter(|words| !words.is_empty()));
    };
    for (event, at) in Parser::new(body).into_offset_iter() {
        match event {
            Event::Start(Tag::Paragraph | Tag::Heading { .. } | Tag::Item | Tag::CodeBlock(_)) => flush(&mut block),
            Event::End(end) if !is_inline(end) => flush(&mut block),
            Event::Text(_)
            | Event::Code(_)
            | Event::InlineHtml(_)
            | Event::Start(Tag::Emphasis | Tag::Strong | Tag::Link { .. } | Tag::Image { .. }) => {
                let start = block.as_ref().map_or(at.start, |block| block.start);
                block = Some(start..at.end.max(block.map_or(0, |block| block.end)));
            }
            _ => {}
        }
    }
    flush(&mut block);
    found
}

fn is_inline(end: TagEnd) -> bool {
    matches!(end, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link | TagEnd::Image)
}

/// Returns the section below a heading up to the next heading of the same or a higher level, without the heading
/// itself.
pub fn section<'a>(text: &'a str, heading: &str) -> Option<&'a str> {
    let mut found: Option<(HeadingLevel, usize)> = None;
    let mut title: Option<(HeadingLevel, usize, String)> = None;
    for (event, at) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                if let Some((open, start)) = found
                    && level <= open
                {
                    return Some(&text[start..at.start]);
                }
                title = Some((level, at.end, String::new()));
            }
            Event::End(TagEnd::Heading(_)) => {
                if let Some((level, end, title)) = title.take()
                    && found.is_none()
                    && is_heading(&title, heading)
                {
                    found = Some((level, end));
                }
            }
            Event::Text(part) | Event::Code(part) => {
                if let Some((.., title)) = &mut title {
                    title.push_str(&part);
                }
            }
            _ => {}
        }
    }
    found.map(|(_, start)| &text[start.min(text.len())..])
}

/// Compares a heading with its name, as written or as in a link to it (`#api-keys`).
fn is_heading(title: &str, name: &str) -> bool {
    let slug = |text: &str| {
        let kept = text.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect::<String>()
    };
    title.trim() == name || slug(title) == slug(name)
}

/// Decodes the text of a file that an expectation names, as most agents do.
pub fn decoded(raw: &[u8]) -> String {
    text::lossy_without_bom(raw).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "---\nglobs: a\n---\n# Rules\n\nNever *log* personal\ndata.\n\n## API keys\n\n- Keep `keys` out.\n- Rotate\n  them.\n\n### More\n\nText.\n\n## Other\n\nEnd.\n";

    #[test]
    fn a_page_is_taken_apart_into_paragraphs() {
        let expected = [
            "Rules",
            "Never log personal data.",
            "API keys",
            "Keep keys out.",
            "Rotate them.",
            "More",
            "Text.",
            "Other",
            "End.",
        ];
        assert_eq!(paragraphs(PAGE), expected);
    }

    #[test]
    fn every_paragraph_is_found_in_its_own_page() {
        let page = "# A & B\n\n```sh\nmkdir a\n# then\nrm \\*\n```\n\nUse <b>two</b> \\* &amp; [a](b.md \"c\").\n\n> 1. Quoted\n> - text\n\n| a | b |\n|---|---|\n| c | d |\n\n- [ ] **Task** 2. x_y\n\n      code - x\n";
        for paragraph in paragraphs(page) {
            let sought = Sought::new(&paragraph).expect("it says something");
            assert!(sought.is_in(page), "{paragraph}");
        }
        assert_eq!(paragraphs(page).len(), 8, "{:?}", paragraphs(page));
    }

    #[test]
    fn a_section_ends_at_the_next_heading_of_its_level() {
        for (name, expected) in [
            ("API keys", Some(vec!["Keep keys out.", "Rotate them.", "More", "Text."])),
            ("api-keys", Some(vec!["Keep keys out.", "Rotate them.", "More", "Text."])),
            ("Other", Some(vec!["End."])),
            ("None", None),
        ] {
            let found = section(PAGE, name).map(paragraphs);
            assert_eq!(found, expected.map(|all| all.into_iter().map(str::to_owned).collect::<Vec<_>>()), "{name}");
        }
    }
}
