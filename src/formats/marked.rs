//! Markdown as the npm package `marked` takes it apart: which blocks a file has, and which of its words are text.
//!
//! Harnesses written in JavaScript decide by this lexer where an `@import` counts and which comments are hidden, and
//! `marked` is not CommonMark: list items hold raw text, definitions vanish, HTML ends differently. Described here is
//! version 15 without GitHub's extensions (`gfm: false`); observed through Claude Code 2.1.329.

use std::collections::HashSet;

mod blocks;
mod html;
mod inline;
mod lines;

/// A piece of a document. The `raw` texts of all pieces make up the document, less its link definitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The source of the piece.
    pub raw: String,
    /// What it is.
    pub kind: BlockKind,
}

/// What a piece of a document is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Blank lines.
    Space,
    /// Fenced or indented code.
    Code,
    /// A heading, with its words.
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
    /// The words of a list item; unlike a paragraph's they are a text as a whole, code spans and all.
    Text(String),
}

/// A document taken apart.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Its pieces, in order.
    pub blocks: Vec<Block>,
    /// The names of its link definitions.
    links: HashSet<String>,
}

/// Takes a document apart. CRLF and CR become LF.
pub fn parse(source: &str) -> Document {
    let source = source.replace("\r\n", "\n").replace('\r', "\n");
    let mut lexer = blocks::Lexer::default();
    let blocks = lexer.blocks(&source, Vec::new(), 0, blocks::Lazy::Not);
    Document { blocks, links: lexer.links }
}

impl Document {
    /// Every piece of running text, in order: what is neither code nor HTML nor the target of a link.
    pub fn texts(&self) -> Vec<String> {
        self.texts_and_html(|_| None)
    }

    /// The same, with what `html` makes of blocks of HTML.
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
