//! Commands that the user types: `/NAME ARGUMENTS`.

use super::Found;
use crate::answer::{Answer, Certain, Message, MessageKind, Role, Trigger};

/// Prompts of the client's own, by the command that sends them (2.1.329).
const OWN: [(&str, &str); 1] =
    [("init", "init (1592 bytes, SHA-256 cfdedaa2c59770dce2afbc73047805cda7078d961cc650463e39125197b55a39)")];

/// Adds the messages that replace a typed command (2.1.329): its name and arguments, then its text.
pub(super) fn say(found: Option<&Found>, name: &str, words: &str, is_measured: bool, answer: &mut Answer) {
    let own = OWN.iter().find(|(own, _)| *own == name && is_measured && words.is_empty() && found.is_none());
    if found.is_none() && own.is_none() {
        return;
    }
    let arguments = if words.is_empty() { String::new() } else { format!("<command-args>{words}</command-args>\n") };
    let text = format!("<command-message>{name}</command-message>\n<command-name>/{name}</command-name>\n{arguments}");
    let message = Message::instructions(Trigger::Call, Role::User, text);
    answer.messages.push(Message { kind: MessageKind::Call, ..message });
    if let Some(found) = found {
        super::call(found, words, answer);
        if found.body.contains('@') {
            answer.doubt(&[Certain::Set], "what its text names with `@` is read, and comes before it");
        }
    }
    if let Some((_, measured)) = own {
        let message = Message::named(Role::User, MessageKind::Call, *measured);
        answer.messages.push(Message { trigger: Trigger::Call, ..message });
    }
}

/// Replaces `$ARGUMENTS` with all words, and `$0` or `$ARGUMENTS[0]` with a single one; a placeholder without such a
/// word stays. If nothing was replaced, the words are appended.
pub(super) fn filled(text: &str, words: &str) -> String {
    let split = split(words);
    let word = |number: &str| split.get(number.parse::<usize>().ok()?).map(String::as_str);
    let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (mut out, mut rest, mut has_place) = (String::new(), text, false);
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let number = digits(&rest[1..]);
        let single = rest.strip_prefix("$ARGUMENTS[").and_then(|index| {
            let length = digits(index);
            index[length..].starts_with(']').then(|| (&index[..length], "$ARGUMENTS[]".len() + length))
        });
        let (value, length) = match single {
            Some((number, length)) => (word(number), length),
            None if rest.starts_with("$ARGUMENTS") && !rest.starts_with("$ARGUMENTS[") => {
                (Some(words), "$ARGUMENTS".len())
            }
            None if number > 0 => (word(&rest[1..=number]), 1 + number),
            None => (None, 1),
        };
        has_place |= value.is_some();
        out.push_str(value.unwrap_or(&rest[..length]));
        rest = &rest[length..];
    }
    out.push_str(rest);
    if !has_place && !words.is_empty() {
        out.push_str("\n\nARGUMENTS: ");
        out.push_str(words);
    }
    out
}

/// Splits words at white space outside of quotation marks.
fn split(words: &str) -> Vec<String> {
    let (mut found, mut word, mut quote): (Vec<String>, Option<String>, Option<char>) = (Vec::new(), None, None);
    for c in words.chars() {
        match quote {
            Some(mark) if c == mark => quote = None,
            None if matches!(c, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => found.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    found.extend(word);
    found
}
