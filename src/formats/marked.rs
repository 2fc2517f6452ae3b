//! Parses Markdown as the npm package `marked` does: the blocks of a file, and the words that are text.
//!
//! Clients written in JavaScript use this lexer to decide where an `@import` counts and which comments are hidden, and
//! `marked` is not CommonMark: list items hold raw text, definitions disappear, HTML ends differently. This implements
//! version 15 without GitHub's extensions (`gfm: false`), as observed through Claude Code 2.1.329.

use std::collections::HashSet;

mod blocks;
mod html;
mod inline;
mod lines;

/// A block of a document. The `raw` texts of all blocks make up the document without its link definitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Source of the block.
    pub raw: String,
    /// Kind of the block.
    pub kind: BlockKind,
}

/// The kind of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Blank lines.
    Space,
    /// Fenced or indented code.
    Code,
    /// A heading with its text.
    Heading(String),
    /// A thematic break.
    Rule,
    /// A block quote.
    Quote(Vec<Block>),
    /// A list, item by item.
    List(Vec<Vec<Block>>),
    /// HTML, comments among it.
    Html,
    /// A paragraph.
    Paragraph(String),
    /// The text of a list item. Unlike a paragraph's, it counts as text in its entirety, including code spans.
    Text(String),
}

/// A parsed document.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Blocks in order.
    pub blocks: Vec<Block>,
    /// Names of its link definitions.
    links: HashSet<String>,
}

/// Parses a document. CRLF and CR become LF.
pub fn parse(source: &str) -> Document {
    let source = source.replace("\r\n", "\n").replace('\r', "\n");
    let mut lexer = blocks::Lexer::default();
    let blocks = lexer.blocks(&source, Vec::new(), 0, blocks::Lazy::Not);
    Document { blocks, links: lexer.links }
}

impl Document {
    /// Returns every piece of running text in order: everything but code, HTML and link targets.
    pub fn texts(&self) -> Vec<String> {
        self.texts_and_html(|_| None)
    }

    /// Returns the texts like [`Document::texts`], with the result of `html` for blocks of HTML.
    pub fn texts_and_html(&self, html: fn(&str) -> Option<String>) -> Vec<String> {
        let mut texts = Vec::new();
        self.texts_of(&self.blocks, html, &mut texts, &mut inline::Patience::default());
        texts
    }

    fn texts_of(
        &self,
        blocks: &[Block],
        html: fn(&str) -> Option<String>,
        texts: &mut Vec<String>,
        patience: &mut inline::Patience,
    ) {
        for block in blocks {
            match &block.kind {
                BlockKind::Space | BlockKind::Code | BlockKind::Rule => {}
                BlockKind::Html => texts.extend(html(&block.raw)),
                BlockKind::Heading(words) | BlockKind::Paragraph(words) => {
                    inline::texts(words, &self.links, texts, patience)
                }
                BlockKind::Text(words) => {
                    texts.push(words.clone());
                    inline::texts(words, &self.links, texts, patience);
                }
                BlockKind::Quote(blocks) => self.texts_of(blocks, html, texts, patience),
                BlockKind::List(items) => items.iter().for_each(|item| self.texts_of(item, html, texts, patience)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_within_quotes_are_cut_between_characters() {
        for source in
            ["<!-- x -->\n\n> >éé\n> > b\nc\n\n@foo.md", "> - éé\n> - b\nc\n\n@foo.md", "> > 😀\n> > b\nc\n\n@foo.md"]
        {
            assert_eq!(parse(source).texts().last().map(String::as_str), Some("@foo.md"), "{source:?}");
        }
    }

    #[test]
    fn texts_are_what_is_neither_code_nor_html() {
        for (source, texts) in [
            ("a `b` c", &["a ", " c"][..]),
            ("- a `b` c", &["a `b` c", "a ", " c"]),
            ("> a `b` c", &["a ", " c"]),
            ("**a *b* c** d", &["a ", "b", " c", " d"]),
            ("[a](b) ![c](d)", &["a", " "]),
            ("[a][x] [b]\n\n[x]: y", &["a", " [b]"]),
            ("    code\n\ttoo", &[]),
            ("a\n    not code", &["a\n    not code"]),
            ("~~~\na\n~~~\nb", &["b"]),
            ("a\n<div>\nb\n</div>\n\nc", &["a", "c"]),
            ("a <b>c</b>", &["a ", "c"]),
            ("# a #\nb\n===", &["a", "b"]),
            ("1. a\n\n   b\n2. c", &["a", "a", "b", "b", "c", "c"]),
            ("a_b_ *c", &["a_b_ *c"]),
        ] {
            assert_eq!(parse(source).texts(), texts, "{source:?}");
        }
    }

    #[test]
    fn the_raw_texts_make_up_the_document_less_its_definitions() {
        let source = "a\n\n[x]: y\n\n- b\n  - c\n\n> d\ne\n<!-- f --> g\n\n***\n";
        let joined: String = parse(source).blocks.iter().map(|block| block.raw.as_str()).collect();
        assert_eq!(joined, source.replace("[x]: y\n\n", ""));
    }

    #[test]
    fn absurd_nesting_ends() {
        for source in [
            "> ".repeat(100_000),
            "- ".repeat(100_000),
            "*a ".repeat(100_000),
            "[".repeat(100_000),
            "`".repeat(3) + &"``` `".repeat(50_000),
            "a <!-- ".repeat(300_000),
            "a <? ".repeat(300_000),
            "a <![CDATA[ ".repeat(200_000),
            "a <!b ".repeat(300_000),
            "a\\<!-- <!-- ".repeat(200_000),
            "<script>".to_owned() + &"</script>".repeat(200_000),
            (1..2_000).map(|ticks| "`".repeat(ticks) + " ").collect(),
            "> a\nb\n".repeat(100_000),
            "> - a\nb\n".repeat(20_000),
        ] {
            parse(&source).texts();
        }
    }
}
