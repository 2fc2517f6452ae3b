//! Describes a definition in the comparison table, and lists the file names to watch.

use super::choices::{Dedupe, Target};
use super::definition::{Definition, Source};
use super::limit::Limit;
use super::look::Base;
use crate::answer::Purpose;
use crate::harness::Details;

/// Returns the phrases by which people compare agents, in the order of [`Details::TITLES`]: those of the extended
/// editions, then those of the definition itself.
pub(super) fn details(definition: &Definition, bases: &[Base]) -> Vec<String> {
    let of_base = |base: &Base| {
        let overridden = if base.overridden.is_some() { ", with values overridden" } else { "" };
        let phrases = base.edition.about().details.phrases();
        phrases.into_iter().map(|phrase| format!("{phrase} (as {}{overridden})", base.spec)).collect::<Vec<_>>()
    };
    let own = (bases.is_empty() || !definition.sources.is_empty()).then(|| own(definition));
    let all = bases.iter().map(of_base).chain(own);
    all.reduce(|one, other| one.iter().zip(other).map(|(one, other)| format!("{one}; and {other}")).collect())
        .unwrap_or_default()
}

/// Returns the phrases of the definition's own sources and messages.
fn own(definition: &Definition) -> Vec<String> {
    let sources = || definition.sources.iter().map(|source| source.get_ref()).filter(|source| source.enabled);
    let paths = || sources().flat_map(|source| source.files.iter().flatten()).map(|entry| &entry.0.path);
    let list = |items: Vec<String>, none: &str| if items.is_empty() { none.to_owned() } else { items.join("; ") };
    let files = sources().flat_map(|source| {
        let names = source.directories.iter().map(|rule| rule.names.join(", "));
        let paths = source.files.iter().flatten().map(|entry| entry.0.path.0.clone());
        let listed = source.list.iter().map(|list| format!("`{}` of {}", list.key, list.file));
        names.chain(paths).chain(listed).collect::<Vec<_>>()
    });
    let on_reading = sources().any(Source::on_read);
    let places = definition.messages.iter().map(|message| match message.get_ref().target {
        Target::SystemSection => "section of the system prompt".to_owned(),
        Target::PreambleMessage => "message before the chat".to_owned(),
        Target::ReadMessage => "message when a file is read".to_owned(),
    });
    let mut places: Vec<String> = places.collect();
    places.dedup();
    let limits =
        sources().filter_map(|source| source.limit.as_ref()).map(|limit| format!("{} per file", words(limit))).chain(
            definition
                .messages
                .iter()
                .filter_map(|message| message.get_ref().total.as_ref())
                .map(|limit| format!("{} together", words(limit))),
        );
    let outside = paths().filter(|path| path.0.starts_with(['~', '/', '$'])).map(|path| path.0.clone());
    let urls = sources().flat_map(|source| source.urls.iter().flatten()).map(|url| url.0.clone());
    let globs = paths().filter(|path| path.is_glob()).map(|path| path.0.clone());
    let sessions = sources().filter_map(|source| {
        let kinds = source.sessions.as_ref()?.iter().map(|kind| kind.0.word()).collect::<Vec<_>>().join(", ");
        Some(format!("{} only in {kinds}", source.name.as_deref().unwrap_or("a source")))
    });
    let allowed = definition.subagent.as_ref().and_then(|subagent| subagent.allowlist.as_ref());
    let allowed = allowed.map(|names| format!("of its own sources sub-agents get only {}", names.join(", ")));
    let persona = sources()
        .filter(|source| source.purpose.is_some_and(|word| word.0 == Purpose::Persona))
        .map(|source| source.name.clone().unwrap_or_else(|| "a source".to_owned()));
    let dedupe = match definition.dedupe {
        Dedupe::Path => "by path",
        Dedupe::Real => "by path, links resolved",
        Dedupe::None => "none",
    };
    let own = vec![
        list(files.collect(), "none of its own"),
        if on_reading { "start of the session; when a file is read" } else { "start of the session" }.to_owned(),
        list(places, "section of the system prompt"),
        list(limits.collect(), "none"),
        if on_reading { "when a file is read" } else { "never" }.to_owned(),
        list(outside.collect(), "none"),
        list(urls.collect(), "no"),
        list(globs.collect(), "no"),
        list(sessions.chain(allowed).collect(), "the same in all kinds"),
        "none".to_owned(),
        list(persona.collect(), "none"),
        dedupe.to_owned(),
    ];
    debug_assert_eq!(own.len(), Details::TITLES.len());
    own
}

fn words(limit: &Limit) -> String {
    format!("{} {}, head {} and tail {}", limit.max.0, limit.unit, limit.head.0, limit.tail.0)
}

/// Returns the names of the files that the agent reads, as patterns on path endings.
pub(super) fn instruction_names(definition: &Definition) -> Vec<String> {
    let sources = || definition.sources.iter().map(|source| source.get_ref());
    let names = sources().flat_map(|source| source.directories.iter().flat_map(|rule| rule.names.clone()));
    let paths = sources().flat_map(|source| source.files.iter().flatten()).map(|entry| {
        let path = &entry.0.path.0;
        path.trim_start_matches(['~', '/', '.']).to_owned()
    });
    names.chain(paths).filter(|name| !name.is_empty() && !name.starts_with('$')).collect()
}
