//! Byte ranges of code, links and comments in Markdown, and escaping of text for it.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

/// Byte ranges of the parts of a Markdown text.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Code spans, without the backticks.
    pub code: Vec<Range<usize>>,
    /// Targets of links and images, as written in the text.
    pub links: Vec<Range<usize>>,
    /// Comments, from `<!--` to `-->`.
    pub comments: Vec<Range<usize>>,
}

/// Returns the outline of a text. Front matter is skipped because it is not Markdown.
pub fn outline(text: &str) -> Outline {
    let mut found = Outline::default();
    let start = super::front_matter::head(text).filter(|head| head.closed).map_or(0, |head| head.at.end);
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
    let mut html: Option<Range<usize>> = None;
    for (event, at) in Parser::new_ext(&text[start..], options).into_offset_iter() {
        let at = start + at.start..start + at.end;
        match event {
            Event::Code(_) => found.code.push(unquoted(text, at)),
            Event::Start(
                Tag::Link { link_type: LinkType::Inline, dest_url, .. }
                | Tag::Image { link_type: LinkType::Inline, dest_url, .. },
            ) => {
                // A target that is written with escapes is not found and therefore left out.
                let place = text[at.clone()].rfind(&*dest_url).filter(|_| !dest_url.is_empty());
                found.links.extend(place.map(|place| at.start + place..at.start + place + dest_url.len()));
            }
            Event::Start(Tag::HtmlBlock) => html = Some(at),
            Event::End(TagEnd::HtmlBlock) => {
                found.comments.extend(html.take().into_iter().flat_map(|at| comments(text, at)))
            }
            Event::InlineHtml(_) => found.comments.extend(comments(text, at)),
            _ => {}
        }
    }
    found
}

/// Returns the range of a code span without its backticks and the white space inside them.
fn unquoted(text: &str, at: Range<usize>) -> Range<usize> {
    let ticks = text[at.clone()].bytes().take_while(|byte| *byte == b'`').count();
    let inner = at.start + ticks..at.end - ticks;
    let words = &text[inner.clone()];
    let start = inner.start + (words.len() - words.trim_start().len());
    start..start + words.trim().len()
}

fn comments(text: &str, at: Range<usize>) -> Vec<Range<usize>> {
    let (mut found, mut from) = (Vec::new(), at.start);
    while let Some(start) = text[from..at.end].find("<!--").map(|start| from + start) {
        let Some(len) = text[start + 4..at.end].find("-->") else { break };
        from = start + 4 + len + 3;
        found.push(start..from);
    }
    found
}

/// Returns text for one block of Markdown, in which no link, picture or markup of it is live. Code spans in it stay code.
pub fn inert(text: &str) -> String {
    let text = on_one_line(text);
    let mut out = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(c) = rest.chars().next() {
        if c == '`' {
            let (ticks, behind) = rest.split_at(rest.len() - rest.trim_start_matches('`').len());
            if let Some(end) = closing(behind, ticks.len()) {
                let (code, behind) = behind.split_at(end + ticks.len());
                out.extend([ticks, code]);
                rest = behind;
            } else {
                out.push_str(&"\\`".repeat(ticks.len()));
                rest = behind;
            }
            continue;
        }
        rest = &rest[c.len_utf8()..];
        let is_live = match c {
            '<' => true,
            // A bracket pair alone, as in `app/[id]/page.tsx`, is no link. The opening bracket may be in another text.
            ']' => rest.is_empty() || rest.starts_with(['(', '[', ']', ':']),
            // A backslash would cancel the escape of the character after it.
            '\\' => rest.chars().next().is_none_or(|next| next.is_ascii_punctuation()),
            _ => false,
        };
        out.extend(is_live.then_some('\\').into_iter().chain([c]));
    }
    out
}

/// Returns text as a code span, whatever backticks are in it.
pub fn code_span(text: &str) -> String {
    let text = on_one_line(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let (ticks, pad) = ("`".repeat(longest + 1), if text.starts_with('`') || text.ends_with('`') { " " } else { "" });
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// Returns the offset of the first run of exactly `ticks` backticks.
fn closing(text: &str, ticks: usize) -> Option<usize> {
    let mut from = 0;
    while let Some(start) = text[from..].find('`').map(|at| from + at) {
        let run = text[start..].len() - text[start..].trim_start_matches('`').len();
        if run == ticks {
            return Some(start);
        }
        from = start + run;
    }
    None
}

fn on_one_line(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' | '\r' => ' ',
        c if c.is_control() => '\u{fffd}',
        c => c,
    };
    text.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces of which live Markdown is made.
    const PIECES: [&str; 24] = [
        "![](https://a.example/b.png)",
        "[a](command:b)",
        "<img src=x>",
        "<https://a.example>",
        "[a]: https://b.example",
        "[a][]",
        "`",
        "``",
        "```",
        "\\",
        "[",
        "]",
        "(",
        ")",
        "!",
        "<",
        ">",
        "&#91;",
        "a",
        " ",
        "\n",
        "\n\n",
        "\r",
        "\u{9b}31m\u{1b}]0;",
    ];

    /// Returns true if a renderer makes more of a block than text and code.
    fn is_live(block: &str) -> bool {
        Parser::new_ext(block, Options::all()).any(|event| {
            let is_markup = matches!(event, Event::Html(_) | Event::InlineHtml(_) | Event::Start(Tag::HtmlBlock));
            is_markup || matches!(event, Event::Start(Tag::Link { .. } | Tag::Image { .. }))
        })
    }

    #[test]
    fn nothing_in_a_name_or_a_pattern_is_live() {
        assert!(PIECES[..4].iter().all(|piece| is_live(&format!("- {piece}"))), "else nothing is tested");
        let mut state = 29_u64;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        for _ in 0..20_000 {
            let [one, two] = [(); 2].map(|()| (0..=next(6)).map(|_| PIECES[next(PIECES.len())]).collect::<String>());
            for block in [
                format!("- **A**: matches {}, from {}", inert(&one), inert(&two)),
                format!("{}: A reads it", inert(&one)),
                format!("{} matches {} files ({})", code_span(&one), code_span(&two), inert(&two)),
            ] {
                assert!(!is_live(&block), "{one:?} and {two:?} make {block:?}");
                assert!(!block.contains(char::is_control), "{block:?}");
            }
        }
    }

    #[test]
    fn text_without_live_markdown_stays_as_it_is() {
        for text in ["app/[id]/page.tsx", "named by `instructions` of `~/[a](b)`", r"C:\Users\a", "a_b *c* | d"] {
            assert_eq!(inert(text), text);
        }
        assert_eq!(inert("[a](command:b) `"), "[a\\](command:b) \\`");
        assert_eq!((code_span("a*"), code_span("`a")), ("`a*`".to_owned(), "`` `a ``".to_owned()));
    }

    #[test]
    fn code_links_and_comments_are_found_where_they_stand() {
        let text = "---\na: `b`\n---\n# `c`\n`` d `e ``, [f](g/h.md \"i\") ![j](k) <!-- l -->\n\n<!--\nm\n-->\n```\n`n` [o](p)\n```\n[q][r] <s:t>\n\n[r]: u\n";
        let found = outline(text);
        let words = |ranges: &[Range<usize>]| ranges.iter().map(|at| &text[at.clone()]).collect::<Vec<_>>();
        assert_eq!(words(&found.code), ["c", "d `e"]);
        assert_eq!(words(&found.links), ["g/h.md", "k"]);
        assert_eq!(words(&found.comments), ["<!-- l -->", "<!--\nm\n-->"]);
    }
}
