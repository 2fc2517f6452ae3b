//! Answers for a declared agent: follows its sources one after the other, then composes its messages.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::compose::compose;
use super::definition::Definition;
use super::finder::Finder;
use super::limit::BYTES_PER_TOKEN;
use super::standpoint::mode;
use crate::answer::{Answer, Message, MessageKind, Purpose, Reserve, Role, SessionKind, Source, Standpoint, Warning};
use crate::harness::{About, Details, Edition, EditionRef};
use crate::search::{Halt, Known, Search};
use crate::snapshot::Ask;
use crate::text::grouped;

/// Rules of a declared agent.
pub(super) struct Declared {
    definition: Definition,
    bases: Vec<Base>,
}

/// Built-in edition that a declared agent extends.
pub(super) struct Base {
    /// Agent and edition, such as `codex@0.169`.
    pub spec: String,
    pub edition: EditionRef,
    /// The edition with some values replaced.
    pub overridden: Option<Arc<dyn Edition>>,
}

/// A declared agent has one edition, defined by its current declaration.
static ABOUT: About = About {
    name: "custom",
    checked: ("custom", "custom"),
    details: Details {
        files: "as declared",
        triggers: "as declared",
        place: "as declared",
        truncation: "as declared",
        nested: "as declared",
        global: "as declared",
        urls: "as declared",
        globs: "as declared",
        sessions: "as declared",
        hooks: "none",
        persona: "as declared",
        dedupe: "as declared",
    },
};

impl Declared {
    pub fn new(definition: Definition, bases: Vec<Base>) -> Declared {
        Declared { definition, bases }
    }
}

impl Edition for Declared {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn sessions(&self) -> &'static [SessionKind] {
        &SessionKind::WITH_SUBAGENTS
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let mut answer = Answer::default();
        for base in &self.bases {
            let next = base.overridden.as_deref().unwrap_or(&*base.edition).look(at, search)?;
            if next.refusal.is_some() {
                return Ok(next);
            }
            answer = united(answer, next);
        }
        look(&self.definition, at, search, &mut answer)?;
        Ok(in_order(answer))
    }
}

/// Appends one answer to another.
fn united(mut one: Answer, other: Answer) -> Answer {
    let offset = one.messages.len();
    let moved = |source: Source| Source { message: source.message.map(|message| message + offset), ..source };
    one.sources.extend(other.sources.into_iter().map(moved));
    one.messages.extend(other.messages);
    one.warnings.extend(other.warnings);
    one.mentions.extend(other.mentions);
    one.uncertain.extend(other.uncertain);
    one.files_only = one.files_only.or(other.files_only);
    one.root = one.root.or(other.root);
    one
}

/// Moves the messages of the start before those of reading.
fn in_order(mut answer: Answer) -> Answer {
    let mut order: Vec<usize> = (0..answer.messages.len()).collect();
    order.sort_by_key(|index| answer.messages[*index].trigger);
    for source in &mut answer.sources {
        source.message = source.message.and_then(|message| order.iter().position(|index| *index == message));
    }
    answer.messages = order.into_iter().map(|index| answer.messages[index].clone()).collect();
    answer
}

/// Adds the texts that the definition finds to `answer`.
pub(super) fn look(definition: &Definition, at: &Standpoint, search: &mut Search, answer: &mut Answer) -> Known<()> {
    if let Some(message) =
        definition.unconfigured.as_ref().filter(|_| !is_configured(definition) && at.provided.is_empty())
    {
        answer.warnings.push(Warning::general("unconfigured", message.clone()));
        return Ok(());
    }
    if let Some(modes) = &definition.prompt_modes
        && modes.iter().all(|word| word.0 != mode(at))
    {
        let names = modes.iter().map(|word| word.0.word()).collect::<Vec<_>>().join(", ");
        return Err(Halt::refused(&at.cwd, format!("there is no prompt mode `{}`; there are {names}", mode(at))));
    }
    let root = root(&definition.root_markers, &at.cwd, search)?;
    if answer.root.is_none() {
        answer.root.clone_from(&root);
    }
    let mut finder = Finder::new(definition, at, root, answer);
    for source in &definition.sources {
        finder.look(source.get_ref(), search)?;
    }
    let found = finder.found;
    compose(definition, at, found, search, answer)?;
    reserve(definition, answer);
    Ok(())
}

/// Returns the nearest directory that contains a marker. A marker that cannot be examined counts as absent.
fn root(markers: &[String], cwd: &Path, search: &mut Search) -> Known<Option<PathBuf>> {
    search.expect(cwd.ancestors().flat_map(|dir| markers.iter().map(move |marker| Ask::Kind(dir.join(marker)))))?;
    for dir in cwd.ancestors() {
        for marker in markers {
            if search.stat(&dir.join(marker), "project root: the nearest directory with a root marker")?.is_ok() {
                return Ok(Some(dir.to_owned()));
            }
        }
    }
    Ok(None)
}

/// Returns true if the definition has an enabled source with anything to look for.
fn is_configured(definition: &Definition) -> bool {
    definition.sources.iter().map(|source| source.get_ref()).any(|source| {
        source.enabled
            && (source.directories.as_ref().is_some_and(|directories| !directories.names.is_empty())
                || source.files.as_ref().is_some_and(|files| !files.is_empty())
                || source.urls.as_ref().is_some_and(|urls| !urls.is_empty())
                || source.provided.as_ref().is_some_and(|texts| !texts.is_empty())
                || source.texts.as_ref().is_some_and(|texts| !texts.keys.is_empty())
                || source.list.is_some()
                || source.text.is_some())
    })
}

/// Reports the share of the context that is reserved for memory, and whether the instructions fit into the rest.
fn reserve(definition: &Definition, answer: &mut Answer) {
    let (Some(max), Some(ratio)) = (definition.max_context_tokens, definition.memory_tokens_ratio) else { return };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a ratio is within 0 and 1"
    )]
    let reserved = (max.0 as f64 * ratio.0).floor() as usize;
    let left = max.0 - reserved;
    // Texts with the purpose `memory` use the reserve only.
    let of_memory = answer.sources.iter().filter(|source| source.purpose == Purpose::Memory);
    let memory: usize = of_memory.filter_map(|source| source.reaches()).map(|(bytes, _)| bytes).sum();
    let all: usize = answer.messages.iter().map(|message| message.text.len()).sum();
    let (memory, used) = (memory.div_ceil(BYTES_PER_TOKEN), all.saturating_sub(memory).div_ceil(BYTES_PER_TOKEN));
    answer.reserve = Some(Reserve { context: max.0, kept: reserved, memory, instructions: used });
    let name = format!("memory: {} of {} tokens", grouped(reserved), grouped(max.0));
    answer.messages.push(Message::named(Role::System, MessageKind::Reserve, name));
    let kept = format!(
        "{} of {} context tokens are kept free for memory (memory_tokens_ratio {})",
        grouped(reserved),
        grouped(max.0),
        ratio.0
    );
    if memory > reserved {
        let message = format!(
            "{kept}; the files of the purpose `memory` take ≈ {} tokens, {} more than that",
            grouped(memory),
            grouped(memory - reserved)
        );
        answer.warnings.push(Warning::general("over-reserve", message));
    }
    answer.warnings.push(if used > left {
        let message = format!(
            "{kept}; the instructions take ≈ {} tokens, {} more than the {} that are left",
            grouped(used),
            grouped(used - left),
            grouped(left)
        );
        Warning::general("over-reserve", message)
    } else {
        Warning::general(
            "reserve",
            format!("{kept}; the instructions take ≈ {} of the {} that are left", grouped(used), grouped(left)),
        )
    });
}
