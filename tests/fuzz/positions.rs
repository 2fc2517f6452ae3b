//! Positions in three encodings, against a walk through the text sign by sign.

use briefing::lsp::convert::{self, Encoding};
use ropey::Rope;
use tower_lsp::ls_types::Position;

use super::{PIECES, fuzz, made_of};

const ENCODINGS: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

fn width(c: char, encoding: Encoding) -> usize {
    match encoding {
        Encoding::Utf8 => c.len_utf8(),
        Encoding::Utf16 => c.len_utf16(),
        Encoding::Utf32 => 1,
    }
}

/// Where each sign begins, and the end: offset, line and column.
fn walked(text: &str, encoding: Encoding) -> Vec<(usize, usize, usize)> {
    let (mut line, mut column) = (0, 0);
    let mut all = Vec::new();
    let mut signs = text.char_indices().peekable();
    while let Some((at, c)) = signs.next() {
        all.push((at, line, column));
        let ends = c == '\n' || (c == '\r' && signs.peek().is_none_or(|(_, next)| *next != '\n'));
        (line, column) = if ends { (line + 1, 0) } else { (line, column + width(c, encoding)) };
    }
    all.push((text.len(), line, column));
    all
}

#[test]
fn positions() {
    fuzz("positions", 1, |random| {
        let text = made_of(&PIECES, 20, random);
        let rope = Rope::from_str(&text);
        let encoding = *random.pick(&ENCODINGS);
        let all = walked(&text, encoding);
        for &(at, line, column) in &all {
            let position = convert::position(&rope, at, encoding);
            assert_eq!((position.line as usize, position.character as usize), (line, column), "{at} in {text:?}");
            // Between the two signs of a line end is no place of its own: it is where the line ends.
            let is_between = text[..at].ends_with('\r') && text[at..].starts_with('\n');
            let expected = if is_between { at - 1 } else { at };
            assert_eq!(convert::offset(&rope, position, encoding), expected, "{at} in {text:?}");
        }
        let odd = Position::new(random.below(30) as u32, random.below(60) as u32);
        let offset = convert::offset(&rope, odd, encoding);
        let of_line = all.iter().filter(|(at, line, _)| *line == odd.line as usize && !text[..*at].ends_with('\r'));
        let before = of_line.filter(|(_, _, column)| *column <= odd.character as usize).map(|(at, _, _)| *at).max();
        let last = all.iter().all(|(_, line, _)| *line < odd.line as usize).then_some(text.len());
        if let Some(expected) = last.or(before) {
            let ends_line = text[..expected].ends_with('\r') && text[expected..].starts_with('\n');
            assert!(offset == expected || ends_line, "{odd:?} in {text:?}: {offset}, not {expected}");
        }
    });
}
