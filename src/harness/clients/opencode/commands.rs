//! Commands that the user types: `/NAME ARGUMENTS`. The client puts their text in the place of the message.

use super::OpenCode;
use super::config::Config;
use crate::answer::{Answer, Certain, Message, MessageKind, Role, Standpoint, Trigger};
use crate::text::js_trim;

/// Prompts of the client's own, by the command that sends them (1.18.33).
const OWN: [(&str, &str); 1] =
    [("init", "init (3476 bytes, SHA-256 21c41b94a3788594567ce1c7ff656da4c299816083576169e17eb80db8541e89)")];

/// Adds the text of the command that the user types, if there is one.
pub(super) fn say(edition: &OpenCode, at: &Standpoint, config: &Config, answer: &mut Answer) {
    let Some((name, words)) = at.typed().filter(|_| edition.was_followed()) else { return };
    let Some(template) = config.text(&["command", name, "template"]) else {
        let own = OWN.iter().find(|(own, _)| *own == name && words.is_empty());
        answer.messages.extend(own.map(|(_, measured)| {
            let message = Message::named(Role::User, MessageKind::Call, *measured);
            Message { trigger: Trigger::Call, ..message }
        }));
        return;
    };
    let message = Message::instructions(Trigger::Call, Role::User, filled(template, words));
    answer.messages.push(Message { kind: MessageKind::Call, ..message });
    let has = |key: &str| config.get(&["command", name, key]).is_some_and(|node| node.as_bool() != Some(false));
    let changes: Vec<&str> = ["agent", "model", "subtask"].into_iter().filter(|key| has(key)).collect();
    let reasons = [
        (template.contains("!`"), "it runs a command, whose output stands in its text".to_owned()),
        (template.contains('@'), "what it names with `@` is sent with it".to_owned()),
        (!changes.is_empty(), format!("`{}` of it changes what is sent beside it", changes.join("`, `"))),
    ];
    for (_, reason) in reasons.into_iter().filter(|(applies, _)| *applies) {
        answer.doubt(&[Certain::Set], format!("the command {name}: {reason}"));
    }
}

/// Replaces `$ARGUMENTS` with all words, and `$1` with a single one: the highest number takes all remaining words, and
/// one without a word becomes empty. Without any placeholder, the words are appended.
fn filled(template: &str, words: &str) -> String {
    let split = split(words);
    let mut pieces = template.split('$');
    let first = pieces.next().unwrap_or_default();
    let pieces: Vec<(usize, &str)> = pieces
        .map(|piece| (piece.len() - piece.trim_start_matches(|c: char| c.is_ascii_digit()).len(), piece))
        .collect();
    let number = |(digits, piece): &(usize, &str)| piece[..*digits].parse::<usize>().ok();
    let last = pieces.iter().filter_map(number).max();
    let mut out = first.to_owned();
    for piece in &pieces {
        match number(piece) {
            Some(number) => {
                let from = number.saturating_sub(1).min(split.len());
                let to = if Some(number) == last { split.len() } else { (from + 1).min(split.len()) };
                out.push_str(&split[from..to].join(" "));
                out.push_str(&piece.1[piece.0..]);
            }
            None => {
                out.push('$');
                out.push_str(piece.1);
            }
        }
    }
    let has_place = last.is_some() || out.contains("$ARGUMENTS");
    out = out.replace("$ARGUMENTS", words);
    if !has_place && !js_trim(words).is_empty() {
        out.push_str("\n\n");
        out.push_str(words);
    }
    js_trim(&out).to_owned()
}

/// Splits words at white space outside of quotation marks.
fn split(words: &str) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), words.trim_start());
    while let Some(first) = rest.chars().next() {
        let quoted = matches!(first, '"' | '\'').then(|| rest[1..].find(first)).flatten();
        let (word, length) = match quoted {
            Some(end) => (&rest[1..=end], end + 2),
            None => {
                let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'')).filter(|end| *end > 0);
                let end = end.unwrap_or(rest.len().max(1));
                (&rest[..end], end)
            }
        };
        found.push(word);
        rest = rest[length..].trim_start();
    }
    found
}
