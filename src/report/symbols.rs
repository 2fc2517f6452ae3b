//! The sections of an instruction file: its headings, as a tree.

use std::ops::Range;

/// A section and its subsections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Text of the heading.
    pub title: String,
    /// Level of the heading: 1 to 6.
    pub level: usize,
    /// Byte range of the heading's line.
    pub heading: Range<usize>,
    /// Byte range of the whole section, without trailing white space.
    pub range: Range<usize>,
    /// Sections with deeper headings.
    pub children: Vec<Section>,
}

/// Returns the sections of a Markdown text. Headings in fenced code are ignored.
pub fn symbols(text: &str) -> Vec<Section> {
    let mut open: Vec<Section> = Vec::new();
    let mut done: Vec<Section> = Vec::new();
    for (heading, level, title) in headings(text) {
        close(&mut open, &mut done, level, text, heading.start);
        open.push(Section { title, level, heading: heading.clone(), range: heading, children: Vec::new() });
    }
    close(&mut open, &mut done, 0, text, text.len());
    done
}

/// Closes every open section that a heading of `level` ends. Level 0 stands for the end of the text and closes all.
fn close(open: &mut Vec<Section>, done: &mut Vec<Section>, level: usize, text: &str, at: usize) {
    while open.last().is_some_and(|section| section.level >= level.max(1)) {
        let Some(mut section) = open.pop() else { return };
        let content = text[section.range.start..at].trim_end();
        section.range.end = section.range.start + content.len();
        match open.last_mut() {
            Some(parent) => parent.children.push(section),
            None => done.push(section),
        }
    }
}

/// Returns every heading with its byte range, level and title.
fn headings(text: &str) -> Vec<(Range<usize>, usize, String)> {
    let mut found = Vec::new();
    let (mut at, mut fence): (usize, Option<&str>) = (0, None);
    for line in text.split_inclusive('\n') {
        let content = line.trim_end();
        let inner = content.trim_start();
        match fence {
            Some(mark) => {
                if inner.starts_with(mark) {
                    fence = None;
                }
            }
            None => {
                fence = ["```", "~~~"].into_iter().find(|mark| inner.starts_with(mark));
                let level = content.bytes().take_while(|byte| *byte == b'#').count();
                let rest = &content[level..];
                if (1..=6).contains(&level) && rest.starts_with(' ') && !rest.trim().is_empty() {
                    let title = rest.trim().trim_end_matches('#').trim_end();
                    found.push((at..at + content.len(), level, title.to_owned()));
                }
            }
        }
        at += line.len();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_make_a_tree_and_code_makes_none() {
        let text = "intro\n# A\nx\n## B ##\n```\n# no\n```\n### C\n\n## D\n# E\n";
        fn describe(sections: &[Section]) -> String {
            let one = |section: &Section| {
                let inside = describe(&section.children);
                format!("{} {:?}[{inside}]", section.title, section.range)
            };
            sections.iter().map(one).collect::<Vec<_>>().join(" ")
        }
        assert_eq!(describe(&symbols(text)), "A 6..44[B 12..38[C 33..38[]] D 40..44[]] E 45..48[]");
    }
}
