//! Every escaper: what is never in the place that it writes for, whatever name, pattern or text it is given.

use briefing::report::escape;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::{CORPUS, PIECES, fuzz, made_of};
use crate::incremental::changes::Random;

/// Pieces that are live in one place or the other; those of `markdown_in_names_and_patterns` and `odd_names` of the
/// hostile trees are among them.
const LIVE: [&str; 58] = [
    "![](https://a.example/b.png)",
    "[a](command:b)",
    "[a](command:b \"c\")",
    "<img src=x onerror=y>",
    "<https://a.example>",
    "</script>",
    "</code>",
    "<!--",
    "-->",
    "[a]: https://b.example",
    "[a][]",
    "[^a]",
    "](1)",
    "https://a.example/b",
    "http://",
    "www.a.example",
    "a@b.example",
    "@everyone",
    "@a/b",
    "#1",
    "GH-1",
    "a/b#12",
    "::error::a",
    "\n::stop-commands::a\n",
    "##[error]a",
    "##[group]",
    "%0A::error::",
    "%25",
    "`",
    "``",
    "```",
    "\n```\n",
    "~~~",
    "\\",
    "\\`",
    "\\|",
    "|",
    "|---|",
    "\n|a|b|\n",
    "*",
    "_",
    "~~a~~",
    "$a$",
    "# ",
    "\n# a\n",
    "> ",
    "\n\n",
    "\r",
    "\u{1b}[31m",
    "\u{1b}]0;a\u{7}",
    "\u{9b}31m",
    "\u{9d}0;a\u{9c}",
    "\u{85}",
    "\u{2028}",
    "\u{202e}",
    "\u{e0041}",
    "&#91;",
    "&amp;lt;",
];

fn text(random: &mut Random) -> String {
    match random.below(4) {
        0 => CORPUS.text(&[".md", ".mdc", ".json"], random).chars().take(400).collect(),
        1 => made_of(&PIECES, 12, random),
        2 => made_of(&LIVE, 3, random) + &made_of(&PIECES, 3, random) + &made_of(&LIVE, 3, random),
        _ => made_of(&LIVE, 6, random),
    }
}

/// Returns true if a renderer makes more of Markdown than text, code and lists.
fn is_live(markdown: &str) -> bool {
    let is_code = |html: &str| html == "<code>" || html == "</code>";
    Parser::new_ext(markdown, Options::all()).any(|event| match event {
        Event::Html(_) => true,
        Event::InlineHtml(html) => !is_code(&html),
        Event::Start(tag) => {
            matches!(tag, Tag::Link { .. } | Tag::Image { .. } | Tag::HtmlBlock | Tag::FootnoteDefinition(_))
        }
        Event::FootnoteReference(_) => true,
        _ => false,
    })
}

/// Returns the text beside code that a renderer shows.
fn beside_code(markdown: &str) -> String {
    let (mut out, mut in_code) = (String::new(), false);
    for event in Parser::new_ext(markdown, Options::all()) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::InlineHtml(html) => in_code = &*html == "<code>",
            Event::Text(text) if !in_code => out.push_str(&text),
            Event::Code(_) | Event::SoftBreak | Event::End(_) => out.push('\n'),
            _ => {}
        }
    }
    out
}

/// What GitHub makes links and notifications of once the Markdown is read.
fn refers(text: &str) -> Option<&'static str> {
    let signs = text.to_lowercase();
    let before_word = |sign: &str| {
        signs.match_indices(sign).any(|(at, _)| signs[at + sign.len()..].starts_with(char::is_alphanumeric))
    };
    ["@", "#1", "gh-1", "://", "www."].into_iter().find(|sign| match *sign {
        "@" => before_word("@"),
        sign => signs.contains(sign),
    })
}

fn is_on_one_line(text: &str) -> bool {
    !text.contains(escape::steers)
}

#[test]
fn escapers() {
    assert!(LIVE[..4].iter().all(|piece| is_live(piece)), "else nothing is tested");
    assert!(refers(&beside_code("a @b")).is_some() && refers(&beside_code("`@b`")).is_none(), "else nothing is tested");
    fuzz("escapers", 4, |random| {
        let (one, two) = (text(random), text(random));
        terminals(&one, &two);
        hovers(&one, &two);
        comments(&one, &two);
        pages(&one);
        logs(&one);
        data(&one);
    });
}

fn terminals(one: &str, two: &str) {
    assert!(is_on_one_line(&escape::visible(&one)), "{one:?}");
    assert!(is_on_one_line(&escape::lines(one).replace('\n', "")), "{one:?}");
    let screen = escape::screen(&format!("\u{1b}[1;31m{one}\u{1b}[0m\n{two}"));
    let codes = screen.split('\u{1b}').skip(1);
    assert!(codes.clone().count() >= 2);
    for code in codes {
        let end = code.find('m').unwrap_or_default();
        assert!(
            code[..end].strip_prefix('[').is_some_and(|code| code.chars().all(|c| c.is_ascii_digit() || c == ';')),
            "{one:?}: {code:?}"
        );
    }
    assert!(is_on_one_line(&screen.replace(['\n', '\u{1b}'], "")), "{screen:?}");
}

fn hovers(one: &str, two: &str) {
    for block in [
        format!("- **A**: matches {}, from {}", escape::inert(one), escape::inert(two)),
        format!("{}: A reads it", escape::inert(one)),
        format!("{} matches {} files ({})", escape::code_span(one), escape::code_span(two), escape::inert(two)),
    ] {
        assert!(!is_live(&block), "{one:?} and {two:?} make {block:?}");
        assert!(!block.contains(char::is_control), "{block:?}");
    }
    let block = escape::fenced("text", one);
    let mut events = Parser::new_ext(&block, Options::all());
    assert!(matches!(events.next(), Some(Event::Start(Tag::CodeBlock(_)))), "{block:?}");
    assert!(events.all(|event| matches!(event, Event::Text(_) | Event::End(TagEnd::CodeBlock))), "{block:?}");
    assert!(!block.contains(|c: char| c.is_control() && c != '\n' && c != '\t'), "{block:?}");
}

fn comments(one: &str, two: &str) {
    let row = format!("| {} | {} | {} (a) |", escape::comment_code(one), escape::comment(two), escape::comment(one));
    let table = format!("| a | b | c |\n|---|---|---|\n{row}\n| x | y | z |\n");
    let list = format!("- {}: {}\n- {}\n", escape::comment_code(two), escape::comment(one), escape::comment(two));
    for block in [&table, &list] {
        assert!(!is_live(block), "{one:?} and {two:?} make {block:?}");
        let sign = refers(&beside_code(block));
        assert!(sign.is_none(), "{sign:?} in {block:?}");
        assert!(is_on_one_line(&block.replace('\n', "")), "{block:?}");
    }
    let ends = |end: TagEnd| Parser::new_ext(&table, Options::all()).filter(|event| *event == Event::End(end)).count();
    assert_eq!((ends(TagEnd::TableRow), ends(TagEnd::TableCell)), (2, 9), "{table:?}");
    let last = Parser::new_ext(&table, Options::all()).filter(|event| *event == Event::Text("z".into())).count();
    assert!(last > 0, "{table:?}");
}

fn pages(one: &str) {
    let page = escape::markup(one);
    assert!(is_on_one_line(&page) && !page.contains(['<', '>', '"', '\'']), "{page:?}");
    let entities = ["amp;", "lt;", "gt;", "quot;", "#39;"];
    assert!(page.split('&').skip(1).all(|rest| entities.iter().any(|entity| rest.starts_with(entity))), "{page:?}");
}

fn logs(one: &str) {
    let (message, property, line) = (escape::command(one), escape::command_property(one), escape::log_line(one));
    for said in [&message, &property, &line] {
        assert!(is_on_one_line(said) && !said.contains("##["), "{said:?}");
    }
    assert!(!property.contains([':', ',']), "{property:?}");
    assert!(!message.replace("%25", "").contains('%'), "{message:?}");
    let sarif = escape::sarif(one);
    assert!(is_on_one_line(&sarif) && !sarif.contains("]("), "{sarif:?}");
}

fn data(one: &str) {
    let value = serde_json::json!({ one: [one, 1] });
    let (pretty, line) =
        (escape::json(&value).expect("it is plain data"), escape::json_line(&value).expect("it is plain data"));
    assert!(is_on_one_line(&line) && is_on_one_line(&pretty.replace('\n', "")), "{pretty:?}");
    for said in [pretty, line] {
        assert_eq!(serde_json::from_str::<serde_json::Value>(&said).expect("it is JSON"), value);
    }
}
