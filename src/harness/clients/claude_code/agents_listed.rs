//! The list of the user's agents that the model may call.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::Edition21;
use super::agents::Described;
use super::around::Around;
use crate::answer::{Answer, Fate, Message, MessageKind, SessionKind, Source, Trigger};
use crate::harness::kit::skills::sort_by_name;
use crate::text::Size;

impl Edition21 {
    /// Adds the list of the user's agents that the model may call.
    pub(super) fn list_agents(&self, around: &Around, described: Vec<Described>, answer: &mut Answer) {
        let Around { at, settings, agent, .. } = around;
        let is_subagent = at.session == SessionKind::Subagent;
        let off = settings.no_agents.as_ref().or(agent.no_agents.as_ref()).cloned();
        let off = off.or_else(|| is_subagent.then(|| "a sub-agent has no Agent tool".to_owned()));
        let known: HashSet<PathBuf> = agent.sources.iter().filter_map(Source::path).map(Path::to_owned).collect();
        let mut names: HashMap<String, Option<PathBuf>> = HashMap::new();
        let mut listed = Vec::new();
        for mut agent in described {
            let path = agent.source.as_ref().and_then(Source::path).map(Path::to_owned);
            let first = names.get(&agent.name).cloned();
            if let Some(source) = &mut agent.source {
                (source.fate, source.kept, source.reason) = (Fate::Excluded, Vec::new(), String::new());
                if let Some(by) = &first {
                    (source.fate, source.by) = (Fate::Shadowed, by.clone());
                    source.reason = "another agent of its name comes first".to_owned();
                } else if let Some(off) = &off {
                    source.reason.clone_from(off);
                } else if settings.agents_off.contains(&agent.name) {
                    source.reason = "permissions.deny names it".to_owned();
                }
            }
            let counts = first.is_none() && off.is_none() && !settings.agents_off.contains(&agent.name);
            names.entry(agent.name.clone()).or_insert(path);
            if counts {
                listed.push(agent);
            } else {
                answer
                    .sources
                    .extend(agent.source.filter(|source| source.path().is_none_or(|path| !known.contains(path))));
            }
        }
        if listed.is_empty() {
            return;
        }
        sort_by_name(&mut listed, |agent| &agent.name);
        let entries: Vec<String> = listed.iter().map(Described::entry).collect();
        let role = self.role(at, settings);
        let text = if self.own_skills_measured { entries.join("\n") } else { String::new() };
        let message = Message { kind: MessageKind::Agents, ..Message::instructions(Trigger::Session, role, text) };
        let name = (!self.own_skills_measured).then(|| "descriptions of agents of one's own".to_owned());
        let index = answer.messages.len();
        answer.messages.push(Message { name, ..message });
        for (agent, entry) in listed.into_iter().zip(entries) {
            let source = agent.source.filter(|source| source.path().is_none_or(|path| !known.contains(path)));
            answer.sources.extend(source.map(|source| Source {
                fate: Fate::Listed,
                reason: "listed by name and description; its text is the prompt of a sub-agent of that name".to_owned(),
                sent: Some(Size::of(&entry)),
                message: Some(index),
                part: Some(0),
                ..source
            }));
        }
    }
}
