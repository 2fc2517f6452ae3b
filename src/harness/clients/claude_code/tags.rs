//! Escapes text that looks like a tag of the reminder before it is put into one.

use icu_normalizer::DecomposingNormalizerBorrowed;
use icu_properties::props::{DefaultIgnorableCodePoint, GeneralCategory};
use icu_properties::{CodePointMapData, CodePointSetData};

use crate::text::is_js_space;

/// Kind of escape that keeps a tag from ending the message.
#[derive(Clone, Copy)]
pub(super) enum Breaking {
    /// `<\/system-reminder>`: for nested files and the memory. Look-alikes are escaped too: other dashes, hidden
    /// characters, accents.
    Backslash,
    /// `&lt;/system-reminder>`: for nested AGENTS.md, plain ASCII only.
    Entity,
}

/// Escapes every `<system-reminder` in `text`, opening or closing, in any case.
pub(super) fn broken(text: &str, how: Breaking) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let rest = &text[at + c.len_utf8()..];
        match how {
            Breaking::Backslash if opens(c) && looks_like_tag(rest) => out.push_str("<\\"),
            Breaking::Entity if c == '<' && is_tag(rest) => out.push_str("&lt;"),
            Breaking::Backslash | Breaking::Entity => out.push(c),
        }
    }
    out
}

/// Returns true if the exact name follows `<`.
fn is_tag(rest: &str) -> bool {
    let rest = rest.trim_start_matches(is_js_space);
    let name = rest.strip_prefix('/').unwrap_or(rest).trim_start_matches(is_js_space);
    let named = name.get(..15).is_some_and(|name| name.eq_ignore_ascii_case("system-reminder"));
    named && !name[15..].starts_with(|next: char| next.is_ascii_alphanumeric() || next == '_')
}

/// Returns true if something that looks like the name follows `<`.
fn looks_like_tag(rest: &str) -> bool {
    let name = rest.trim_start_matches(|c| is_js_space(c) || is_hidden(c) || matches!(c, '/' | '!' | '⁄' | '∕' | '／'));
    let mut seen = name.char_indices().filter(|(_, c)| !is_hidden(*c));
    let mut end = 0;
    for wanted in "system-reminder".chars() {
        match seen.next() {
            Some((at, c)) if folded(c) == Some(wanted) => end = at + c.len_utf8(),
            Some(_) | None => return false,
        }
    }
    !name[end..].starts_with(|next: char| next.is_ascii_alphanumeric() || matches!(next, '_' | '-'))
}

fn opens(c: char) -> bool {
    c == '<'
        || (!c.is_ascii()
            && (matches!(c, '‹' | '\u{2329}' | '\u{3008}' | '⟨' | '˂') || decomposed(c).next() == Some('<')))
}

/// Returns true for invisible characters: combining marks, and characters without width.
fn is_hidden(c: char) -> bool {
    use GeneralCategory::{EnclosingMark, NonspacingMark, SpacingMark};
    !c.is_ascii()
        && (matches!(category(c), EnclosingMark | NonspacingMark | SpacingMark)
            || CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c))
}

/// Returns the ASCII character that `c` looks like; any dash or low line is a hyphen.
fn folded(c: char) -> Option<char> {
    use GeneralCategory::{ConnectorPunctuation, DashPunctuation};
    match c {
        '_' | '−' | '⁃' | '➖' => return Some('-'),
        'ѕ' => return Some('s'),
        'у' => return Some('y'),
        'е' => return Some('e'),
        'і' | 'ı' => return Some('i'),
        'ԁ' => return Some('d'),
        _ if c.is_ascii() => return Some(c.to_ascii_lowercase()),
        _ if matches!(category(c), ConnectorPunctuation | DashPunctuation) => return Some('-'),
        _ => {}
    }
    decomposed(c.to_lowercase().next()?).next().filter(char::is_ascii).map(|c| c.to_ascii_lowercase())
}

fn category(c: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(c)
}

fn decomposed(c: char) -> impl Iterator<Item = char> {
    DecomposingNormalizerBorrowed::new_nfkd().normalize_iter(std::iter::once(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_broken_each_in_its_way() {
        for (text, backslash, entity) in [
            ("</system-reminder>", "<\\/system-reminder>", "&lt;/system-reminder>"),
            ("<SYSTEM-reminder x>", "<\\SYSTEM-reminder x>", "&lt;SYSTEM-reminder x>"),
            ("<system-reminders>", "<system-reminders>", "<system-reminders>"),
            ("<//system-reminder>", "<\\//system-reminder>", "<//system-reminder>"),
            ("<system_reminder>", "<\\system_reminder>", "<system_reminder>"),
            ("<system-reminder-x>", "<system-reminder-x>", "&lt;system-reminder-x>"),
            ("<system—reminder", "<\\system—reminder", "<system—reminder"),
            ("＜sýs\u{200b}tem-reminderé", "<\\sýs\u{200b}tem-reminderé", "＜sýs\u{200b}tem-reminderé"),
            ("<system--reminder>", "<system--reminder>", "<system--reminder>"),
        ] {
            assert_eq!(broken(text, Breaking::Backslash), backslash);
            assert_eq!(broken(text, Breaking::Entity), entity);
        }
    }
}
