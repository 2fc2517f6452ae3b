//! Agents that Markdown files describe: a head with a name and a description, and a text that is their prompt.

use std::path::{Path, PathBuf};

use crate::answer::agent::{Agent, Usage};
use crate::answer::{Answer, Fate, Message, MessageKind, Purpose, Role, Scope, Source, Trigger};
use crate::formats::Node;
use crate::search::{Known, Search};
use crate::snapshot::{Ask, Content, GlobFlavor};
use crate::text::{Size, raw_ranges};

const FILES: &str = "*.md";
const FLAVOR: GlobFlavor = GlobFlavor::Npm { dot: true, follow: false };

/// Agent that a file describes.
#[derive(Clone)]
pub(in crate::harness) struct Described {
    /// The agent.
    pub agent: Agent,
    /// Description for other agents.
    pub description: String,
    /// Prompt: the text below the head, without white space around it.
    pub prompt: String,
    /// The file.
    pub source: Source,
}

/// Returns the Markdown files of folders, folder by folder and by path, each with its content.
pub(in crate::harness) fn files(
    folders: &[(PathBuf, Scope)],
    search: &mut Search,
) -> Known<Vec<(Scope, PathBuf, Content)>> {
    let ask = |(dir, _): &(PathBuf, Scope)| Ask::Glob { base: dir.clone(), pattern: FILES.to_owned(), flavor: FLAVOR };
    search.expect(folders.iter().map(ask))?;
    let mut found = Vec::new();
    for (dir, scope) in folders {
        let mut files = search.glob(dir, FILES, FLAVOR, "agents that files describe")?.files.clone();
        files.sort();
        search.expect(files.iter().cloned().map(Ask::Content))?;
        for file in files {
            if let Ok(raw) = search.read(&file, "an agent: its head describes it")? {
                found.push((*scope, file, raw));
            }
        }
    }
    Ok(found)
}

impl Described {
    /// Creates an agent from the head and the text of its file.
    pub(in crate::harness) fn new(
        name: &str,
        (path, scope, raw): (&Path, Scope, &Content),
        head: &Node,
        body: &str,
    ) -> Described {
        let text_of = |key: &str| head.get(key).and_then(Node::as_text);
        let list = |list: &[Node]| list.iter().filter_map(Node::as_text).collect::<Vec<_>>().join(", ");
        let tools = head.get("tools");
        let tools = tools.and_then(|tools| tools.as_text().map(str::to_owned).or_else(|| tools.as_list().map(list)));
        let prompt = body.trim().to_owned();
        let end = raw.text().trim_end().len();
        let range = end - prompt.len()..end;
        let reason = format!("the prompt of agent {name}");
        let source = Source {
            kept: raw_ranges(raw, std::slice::from_ref(&range)),
            purpose: Purpose::Agent,
            ..Source::whole(path, scope, raw.size(), reason)
        };
        let agent = Agent {
            from: Some(path.to_owned()),
            model: text_of("model").map(str::to_owned),
            tools,
            ..Agent::named(name, Usage::Subagent)
        };
        Described { agent, description: text_of("description").unwrap_or_default().to_owned(), prompt, source }
    }

    /// Returns true if the agent may use a tool: it names the tool or every tool, or none at all.
    pub(in crate::harness) fn has_tool(&self, tool: &str) -> bool {
        let tools = self.agent.tools.as_deref();
        tools.is_none_or(|tools| tools.split(',').any(|one| ["*", tool].contains(&one.trim())))
    }

    /// Adds the prompt as a message, if it has any text.
    pub(in crate::harness) fn add_prompt(&self, answer: &mut Answer) {
        if self.prompt.is_empty() {
            return;
        }
        let source = Source { message: Some(answer.messages.len()), part: Some(0), ..self.source.clone() };
        answer.sources.push(source);
        let message = Message::instructions(Trigger::Session, Role::System, self.prompt.clone());
        answer.messages.push(Message { kind: MessageKind::Agent, name: Some(self.agent.name.clone()), ..message });
    }
}

/// Adds the list of agents that the model may start; `entries` are those of `listed`. No text has three newlines in a
/// row.
pub(in crate::harness) fn add_list(listed: &[&Described], entries: &[String], separator: &str, answer: &mut Answer) {
    if listed.is_empty() {
        return;
    }
    let mut text = entries.join(separator);
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    let index = answer.messages.len();
    let message = Message::instructions(Trigger::Session, Role::System, text);
    answer.messages.push(Message { kind: MessageKind::Agents, ..message });
    for (one, entry) in listed.iter().zip(entries) {
        // The file of the agent that answers is a source already.
        if answer.sources.iter().all(|source| source.path() != one.source.path()) {
            answer.sources.push(Source {
                fate: Fate::Listed,
                reason: "listed by name and description; its text is the prompt of a sub-agent of that name".to_owned(),
                sent: Some(Size::of(entry)),
                kept: Vec::new(),
                message: Some(index),
                part: Some(0),
                ..one.source.clone()
            });
        }
    }
}
