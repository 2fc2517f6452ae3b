//! Byte ranges of code, links and comments in Markdown, and its headings.

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

/// Returns the headings of a Markdown text, each once.
pub fn headings(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut title: Option<String> = None;
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => title = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                found.extend(title.take().filter(|title| !title.trim().is_empty() && !found.contains(title)));
            }
            Event::Text(part) | Event::Code(part) => {
                if let Some(title) = &mut title {
                    title.push_str(&part);
                }
            }
            _ => {}
        }
    }
    found
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

#[cfg(test)]
mod tests {
    use super::*;

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
