//! Checks rules between the keys of a definition, which types cannot express.

use std::ops::Range;

use toml::Spanned;

use super::choices::{Entries, Target};
use super::definition::{Definition, Message, Source};
use crate::text::list;

/// Returns the problems, each with its range.
pub(super) fn check(definition: &Definition, extends_code: bool) -> Vec<(Range<usize>, String)> {
    let mut wrong = Vec::new();
    // A title stands in lines, hovers and comments, and whoever wrote it may be a repository.
    let is_plain = |c: char| c.is_alphanumeric() || " .,:-_+/()'&".contains(c);
    if definition.title.as_ref().is_some_and(|title| !title.chars().all(is_plain) || title.contains("//")) {
        wrong.push((0..0, "`title` may hold letters, digits, spaces and . , : - _ + / ( ) ' &".to_owned()));
    }
    for (index, source) in definition.sources.iter().enumerate() {
        of_source(source, &mut wrong);
        let name = source.get_ref().name.as_deref();
        let before = definition.sources[..index].iter().any(|other| other.get_ref().name.as_deref() == name);
        if let Some(name) = name.filter(|_| before) {
            wrong.push((source.span(), format!("a second source is called `{name}`")));
        }
    }
    for (index, message) in definition.messages.iter().enumerate() {
        let name = message.get_ref().name.as_deref();
        let before = definition.messages[..index].iter().any(|other| other.get_ref().name.as_deref() == name);
        if let Some(name) = name.filter(|_| before) {
            wrong.push((message.span(), format!("a second message is called `{name}`")));
        }
        of_message(message, definition, &mut wrong);
    }
    if definition.memory_tokens_ratio.is_some() && definition.max_context_tokens.is_none() {
        wrong.push((0..0, "`memory_tokens_ratio` is a share of `max_context_tokens`; set that too".to_owned()));
    }
    if definition.overrides.is_some() && !extends_code {
        let message =
            "`override` replaces values of a built-in edition; this harness extends none, so set the keys themselves";
        wrong.push((0..0, message.to_owned()));
    }
    if definition.sources.is_empty() && !extends_code {
        wrong.push((0..0, "this harness looks nowhere; give it a [[harness.ID.source]] or `extends`".to_owned()));
    }
    wrong
}

fn of_source(source: &Spanned<Source>, wrong: &mut Vec<(Range<usize>, String)>) {
    let at = source.span();
    let source = source.get_ref();
    let given = [
        source.directories.is_some(),
        source.files.is_some(),
        source.urls.is_some(),
        source.list.is_some(),
        source.provided.is_some(),
        source.texts.is_some(),
        source.text.is_some(),
    ];
    let kinds: Vec<&str> =
        Source::KINDS.into_iter().zip(given).filter(|(_, given)| *given).map(|(kind, _)| kind).collect();
    match kinds.as_slice() {
        [_] => {}
        [] => wrong.push((at, format!("a source needs one of {}", Source::KINDS.join(", ")))),
        several => wrong.push((at, format!("a source looks in one way, not in {}", list(several)))),
    }
}

fn of_message(message: &Spanned<Message>, definition: &Definition, wrong: &mut Vec<(Range<usize>, String)>) {
    let at = message.span();
    let message = message.get_ref();
    let named = |name: &str| definition.sources.iter().find(|source| source.get_ref().name.as_deref() == Some(name));
    if let Some(role) = &message.role
        && message.said_by().is_none()
    {
        let (what, roles) = match message.target {
            Target::SystemSection => ("a system section", "`system`"),
            Target::PreambleMessage => ("a preamble message", "`user` or `assistant`"),
            Target::ReadMessage => ("a read message", "`tool`, `user` or `system`"),
        };
        wrong.push((role.span(), format!("{what} is said by {roles}, not by `{}`", role.get_ref())));
    }
    for name in message.sources.iter().flatten() {
        match named(name.get_ref()) {
            None => wrong.push((name.span(), format!("no source is called `{}`", name.get_ref()))),
            Some(source) if source.get_ref().on_read() != (message.target == Target::ReadMessage) => {
                let message = if source.get_ref().on_read() {
                    format!(
                        "`{}` looks when a file is read; that belongs in a message with `target = \"read_message\"`",
                        name.get_ref()
                    )
                } else {
                    format!(
                        "`{}` looks when the session starts; a read message holds sources with `from = \"target\"`",
                        name.get_ref()
                    )
                };
                wrong.push((name.span(), message));
            }
            Some(_) => {}
        }
    }
    let conditions = message.header.iter().chain(&message.template).flat_map(|template| template.0.sources());
    for name in conditions.filter(|name| named(name).is_none()) {
        wrong.push((at.clone(), format!("`{{?{name}}}` asks for a source, and none is called `{name}`")));
    }
    if message.entries == Entries::Each && message.header.is_some() {
        let message = "`header` comes before joined texts; with `entries = \"each\"` write it into `template`";
        wrong.push((at.clone(), message.to_owned()));
    }
    if message.prompt.is_some() && message.sources.is_some() {
        wrong.push((at, "a message holds `sources` or a `prompt`, not both".to_owned()));
    }
}
