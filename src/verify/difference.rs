//! Compares the answers of Briefing and of a client, and finds their first difference.

use super::Said;
use super::client::Sent;

/// Result of a comparison.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Equal byte for byte: number of messages and number of bytes.
    Equal(usize, usize),
    /// Neither starts.
    BothRefuse,
    /// They differ.
    Different(Difference),
    /// The client said nothing that could be compared: why.
    Unheard(String),
}

/// First difference of two answers.
#[derive(Debug, PartialEq, Eq)]
pub struct Difference {
    /// Description of the place.
    pub at: String,
    /// Briefing's text at the place.
    pub ours: String,
    /// The client's text at the place.
    pub theirs: String,
}

/// Length of the text shown around the first difference, in characters.
const AROUND: usize = 160;

/// Compares Briefing's answer with the client's.
pub fn compare(ours: &Said, theirs: &Said) -> Verdict {
    match (ours, theirs) {
        (_, Said::Nothing(why)) | (Said::Nothing(why), _) => Verdict::Unheard(why.clone()),
        (Said::Refused(_), Said::Refused(_)) => Verdict::BothRefuse,
        (Said::Texts(_), Said::Refused(words)) => Verdict::Unheard(words.clone()),
        (Said::Refused(why), Said::Texts(texts)) => Verdict::Different(Difference {
            at: "whether it starts".to_owned(),
            ours: format!("it does not: {why}"),
            theirs: format!("it does, with {} messages", texts.len()),
        }),
        (Said::Texts(ours), Said::Texts(theirs)) => texts(ours, theirs),
    }
}

fn texts(ours: &[Sent], theirs: &[Sent]) -> Verdict {
    let longer = ours.len().max(theirs.len());
    let differs = (0..longer).find(|&nth| ours.get(nth) != theirs.get(nth));
    let Some(nth) = differs else {
        return Verdict::Equal(ours.len(), ours.iter().map(|told| told.text.len()).sum());
    };
    let head = |told: &Sent| format!("a message of {} bytes ({}, {})", told.text.len(), told.trigger, told.role);
    let number = nth + 1;
    let difference = match (ours.get(nth), theirs.get(nth)) {
        (Some(one), Some(other)) if (&one.trigger, &one.role) == (&other.trigger, &other.role) => {
            within(number, &one.text, &other.text)
        }
        (one, other) => {
            let said = |told: Option<&Sent>| {
                told.map_or_else(|| "nothing".to_owned(), |told| format!("{}: {}", head(told), part(&told.text, 0)))
            };
            Difference { at: format!("message {number}"), ours: said(one), theirs: said(other) }
        }
    };
    Verdict::Different(difference)
}

/// Finds the first place at which two texts differ.
fn within(number: usize, ours: &str, theirs: &str) -> Difference {
    let equal = ours.bytes().zip(theirs.bytes()).take_while(|(one, other)| one == other).count();
    let at = ours.floor_char_boundary(equal).min(theirs.floor_char_boundary(equal));
    let line = ours[..at].matches('\n').count() + 1;
    let start = ours[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let start = ours.floor_char_boundary(start.max(at.saturating_sub(AROUND / 2)));
    Difference {
        at: format!("message {number}, line {line}, byte {at}"),
        ours: part(ours, start),
        theirs: part(theirs, start),
    }
}

/// Returns up to `AROUND` characters from `start`, with invisible characters escaped.
fn part(text: &str, start: usize) -> String {
    let rest = text.get(start..).unwrap_or_default();
    let mut shown: String = rest.chars().take(AROUND).flat_map(char::escape_debug).collect();
    // Quotes stand for themselves.
    shown = shown.replace("\\\"", "\"").replace("\\'", "'");
    if rest.chars().nth(AROUND).is_some() {
        shown.push('…');
    }
    if rest.is_empty() { "(the end)".to_owned() } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(trigger: &str, text: &str) -> Sent {
        Sent { trigger: trigger.to_owned(), role: "user".to_owned(), text: text.to_owned() }
    }

    fn differs(ours: &[Sent], theirs: &[Sent]) -> (String, String, String) {
        match compare(&Said::Texts(ours.to_vec()), &Said::Texts(theirs.to_vec())) {
            Verdict::Different(Difference { at, ours, theirs }) => (at, ours, theirs),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_first_difference_is_shown_with_its_line_and_both_texts() {
        let (at, ours, theirs) = differs(&[told("session", "one\ntwé\n")], &[told("session", "one\ntwo\n")]);
        assert_eq!((at.as_str(), ours.as_str(), theirs.as_str()), ("message 1, line 2, byte 6", "twé\\n", "two\\n"));
    }

    #[test]
    fn a_message_that_only_one_has_is_named() {
        let (at, ours, theirs) = differs(&[told("session", "a"), told("read", "b")], &[told("session", "a")]);
        assert_eq!(
            (at.as_str(), ours.as_str(), theirs.as_str()),
            ("message 2", "a message of 1 bytes (read, user): b", "nothing")
        );
    }

    #[test]
    fn a_text_that_ends_early_says_so() {
        let (_, ours, theirs) = differs(&[told("session", "ab")], &[told("session", "a")]);
        assert_eq!((ours.as_str(), theirs.as_str()), ("ab", "a"));
        let (_, ours, theirs) = differs(&[told("session", "a\n")], &[told("session", "a\nb")]);
        assert_eq!((ours.as_str(), theirs.as_str()), ("(the end)", "b"));
    }

    #[test]
    fn who_says_nothing_is_neither_equal_nor_different() {
        let refused = || Said::Refused("why".to_owned());
        let texts = || Said::Texts(vec![told("session", "a")]);
        assert_eq!(compare(&texts(), &texts()), Verdict::Equal(1, 1));
        assert_eq!(compare(&refused(), &refused()), Verdict::BothRefuse);
        assert_eq!(compare(&texts(), &refused()), Verdict::Unheard("why".to_owned()));
        assert_eq!(compare(&texts(), &Said::Nothing("no".to_owned())), Verdict::Unheard("no".to_owned()));
        assert!(matches!(compare(&refused(), &texts()), Verdict::Different(_)));
    }
}
