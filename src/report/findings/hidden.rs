//! Characters that the model gets and people do not see: bidirectional controls, zero-width characters, tags.

use std::ops::Range;

use crate::text::position;

/// A run of hidden characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// Byte range in the text.
    pub range: Range<usize>,
    /// Number of characters.
    pub count: usize,
    /// Hidden message, or names of the characters.
    pub meaning: String,
}

/// Returns the runs of hidden characters in a text. Joiners and variation selectors are allowed where writing needs
/// them: in emoji, and beside letters that are not ASCII. So is a byte order mark at the start.
pub fn hidden(text: &str) -> Vec<Hidden> {
    // The bytes with which a candidate can begin: most bytes of most texts are none of these.
    let begins = |byte: u8| byte >= 0xc0 || matches!(byte, 0..=8 | 0xb | 0xe..=0x1f | 0x7f);
    let mut found: Vec<Hidden> = Vec::new();
    let mut at = 0;
    while let Some(start) = position(text.as_bytes(), at, begins) {
        let run: Vec<char> = text[start..].chars().take_while(|c| is_candidate(*c)).collect();
        let end = start + run.iter().map(|c| c.len_utf8()).sum::<usize>();
        let (before, after) = (text[..start].chars().next_back(), text[end..].chars().next());
        if !run.is_empty() && !is_needed(&run, before, after) {
            found.push(Hidden { range: start..end, count: run.len(), meaning: meaning(&run) });
        }
        at = end.max(start + 1);
    }
    found
}

fn is_candidate(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{e}'..='\u{1f}' | '\u{7f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Returns true if writing needs these characters between `before` and `after`.
fn is_needed(run: &[char], before: Option<char>, after: Option<char>) -> bool {
    let foreign = |c: Option<char>| c.is_some_and(|c| !c.is_ascii());
    match run {
        ['\u{feff}'] => before.is_none(),
        // The flags of Scotland, Wales and England are a black flag and tags.
        [.., '\u{e007f}'] if run.len() <= 7 && before == Some('\u{1f3f4}') => true,
        // One selector, with a joiner behind it in emoji. Keycaps are digits with a selector.
        [c] if is_selector(*c) => {
            foreign(before) || before.is_some_and(|c| c.is_ascii_digit() || matches!(c, '#' | '*'))
        }
        ['\u{200c}' | '\u{200d}'] => foreign(before) || foreign(after),
        [c, '\u{200d}'] if is_selector(*c) => foreign(before) && foreign(after),
        // Marks of direction stand in bilingual text.
        ['\u{200e}' | '\u{200f}' | '\u{61c}'] => foreign(before) || foreign(after),
        _ => false,
    }
}

fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Returns the message that a run encodes, or else the names of its characters.
fn meaning(run: &[char]) -> String {
    let tags: String = run.iter().filter_map(|c| of_tag(*c)).collect();
    if !tags.trim().is_empty() {
        return format!("tag characters that say \"{tags}\"");
    }
    let bytes: Vec<u8> = run.iter().filter_map(|c| of_selector(*c)).collect();
    if bytes.len() > 1 {
        let said = String::from_utf8_lossy(&bytes);
        return format!("variation selectors that stand for \"{}\"", said.escape_debug());
    }
    let mut names: Vec<String> = Vec::new();
    for c in run {
        let name = format!("U+{:04X} {}", *c as u32, name_of(*c));
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

/// Returns the ASCII character that a tag character encodes.
fn of_tag(c: char) -> Option<char> {
    matches!(c, '\u{e0020}'..='\u{e007e}').then(|| char::from_u32(c as u32 - 0xe0000)).flatten()
}

/// Returns the byte that a variation selector can encode: 0 to 15 for the first 16 selectors, and from 16 on for those
/// of the supplement.
fn of_selector(c: char) -> Option<u8> {
    match c {
        '\u{fe00}'..='\u{fe0f}' => u8::try_from(c as u32 - 0xfe00).ok(),
        '\u{e0100}'..='\u{e01ef}' => u8::try_from(c as u32 - 0xe0100 + 16).ok(),
        _ => None,
    }
}

fn name_of(c: char) -> &'static str {
    match c {
        '\u{200b}' => "zero width space",
        '\u{200c}' => "zero width non-joiner",
        '\u{200d}' => "zero width joiner",
        '\u{200e}' => "left-to-right mark",
        '\u{200f}' => "right-to-left mark",
        '\u{61c}' => "Arabic letter mark",
        '\u{202a}' => "left-to-right embedding",
        '\u{202b}' => "right-to-left embedding",
        '\u{202c}' => "end of embedding",
        '\u{202d}' => "left-to-right override",
        '\u{202e}' => "right-to-left override",
        '\u{2066}'..='\u{2069}' => "directional isolate",
        '\u{2060}' => "word joiner",
        '\u{2061}'..='\u{2064}' | '\u{206a}'..='\u{206f}' => "invisible operator",
        '\u{feff}' => "zero width no-break space",
        '\u{fff9}'..='\u{fffb}' => "interlinear annotation",
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => "variation selector",
        '\u{e0000}'..='\u{e007f}' => "tag",
        '\0'..='\u{1f}' | '\u{7f}' => "control character",
        _ => "blank letter",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_found_and_decoded() {
        for (text, found) in [
            ("plain\ttext\r\nü 漢字\n", ""),
            ("\u{feff}# Title", ""),
            ("a\u{200b}b", "1..4 U+200B zero width space"),
            ("a\u{202e}b\u{202c}", "1..4 U+202E right-to-left override; 5..8 U+202C end of embedding"),
            ("x\u{e0068}\u{e0069}y", "1..9 tag characters that say \"hi\""),
            ("\u{1f44d}\u{e0158}\u{e0159}", "4..12 variation selectors that stand for \"hi\""),
            ("esc \u{1b}[0m", "4..5 U+001B control character"),
        ] {
            let said: Vec<_> = hidden(text).iter().map(|one| format!("{:?} {}", one.range, one.meaning)).collect();
            assert_eq!(said.join("; "), found, "{text:?}");
        }
    }

    #[test]
    fn writing_keeps_the_characters_that_it_needs() {
        for text in [
            "👩‍💻 and ❤️ and 1️⃣",
            "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "שלום\u{200f} x",
        ] {
            assert_eq!(hidden(text), [], "{text}");
        }
    }
}
