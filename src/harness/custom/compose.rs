//! Composes the answer of a definition: cuts the texts to their limits and puts them together as messages.

use std::path::Path;

use super::choices::{Entries, Keep, SystemMessages, Target};
use super::definition::{Definition, Message as Rule, Prompt, Source as SourceRule};
use super::finder::Finder;
use super::found::Found;
use super::limit::Limit;
use super::list;
use super::shape::{self, Shaped};
use super::standpoint::{left_out, mode};
use crate::answer::{
    self, Answer, Certain, Fate, Message, MessageKind, Per, PromptMode, Role, Standpoint, Text, Trigger, Warning,
};
use crate::search::{Known, Search};

/// Section or message before its place is known.
struct Piece {
    sort: i64,
    role: Role,
    kind: MessageKind,
    trigger: Trigger,
    /// Name of a prompt whose text is not known.
    name: Option<String>,
    text: Text,
    /// Sources in it, as indexes into the answer's sources.
    holds: Vec<usize>,
}

/// Adds the messages of a definition to the answer.
pub(super) fn compose(
    definition: &Definition,
    at: &Standpoint,
    found: Vec<Found>,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<()> {
    let root = answer.root.clone();
    let mut said = Saying { definition, at, root: root.as_deref(), answer, pieces: Vec::new() };
    let rules = said.rules();
    let active: Vec<&Rule> = rules.iter().filter(|rule| applies(rule, at)).collect();
    for rule in &active {
        match &rule.prompt {
            Some(prompt) => said.prompt(rule, prompt, search)?,
            None => said.message(rule, &rules, &found),
        }
    }
    said.items(&found);
    said.place();
    Ok(())
}

/// Returns true if a message is sent in this session.
fn applies(rule: &Rule, at: &Standpoint) -> bool {
    let mode: PromptMode = mode(at);
    rule.enabled
        && rule.sessions.as_ref().is_none_or(|kinds| kinds.iter().any(|kind| kind.0 == at.session))
        && rule.prompt_modes.as_ref().is_none_or(|modes| modes.iter().any(|word| word.0 == mode))
        && (rule.target != Target::ReadMessage || at.target.is_some())
}

/// Formatted text, and the index of its source in the answer, if there is one.
type Entry = (Text, Option<usize>);

/// Composes the messages of one answer.
struct Saying<'a> {
    definition: &'a Definition,
    at: &'a Standpoint,
    root: Option<&'a Path>,
    answer: &'a mut Answer,
    pieces: Vec<Piece>,
}

impl Saying<'_> {
    /// Returns the declared messages; by default, one section and one read message with everything.
    fn rules(&self) -> Vec<Rule> {
        if !self.definition.messages.is_empty() {
            return self.definition.messages.iter().map(|rule| rule.get_ref().clone()).collect();
        }
        let when_empty = self.definition.when_empty.clone();
        vec![Rule { when_empty, ..Rule::plain(Target::SystemSection) }, Rule::plain(Target::ReadMessage)]
    }

    fn rule_of(&self, found: &Found) -> &SourceRule {
        self.definition.sources[found.rule].get_ref()
    }

    /// Returns true if a message contains the texts of a source.
    fn holds(&self, rule: &Rule, rules: &[Rule], source: &SourceRule) -> bool {
        let names = |rule: &Rule| {
            rule.sources.iter().flatten().any(|name| source.name.as_deref() == Some(name.get_ref().as_str()))
        };
        match &rule.sources {
            Some(_) => names(rule),
            None => source.on_read() == (rule.target == Target::ReadMessage) && !rules.iter().any(names),
        }
    }

    /// Returns the indexes of a message's sources, ordered by sort key and then by the message's own list.
    fn sources_of(&self, rule: &Rule, rules: &[Rule]) -> Vec<usize> {
        let mut sources: Vec<usize> = (0..self.definition.sources.len())
            .filter(|index| {
                let source = self.definition.sources[*index].get_ref();
                source.enabled && self.holds(rule, rules, source)
            })
            .collect();
        let listed_at = |index: &usize| {
            let name = self.definition.sources[*index].get_ref().name.as_deref();
            rule.sources.iter().flatten().position(|listed| Some(listed.get_ref().as_str()) == name)
        };
        sources.sort_by_key(|index| (self.definition.sources[*index].get_ref().sort, listed_at(index)));
        sources
    }

    /// Returns the formatted texts that each source contributes to a message. Sources without texts are omitted.
    fn groups(&mut self, rule: &Rule, sources: &[usize], found: &[Found]) -> Vec<(usize, Vec<Entry>)> {
        let of_source = |index: usize| found.iter().filter(move |found| found.rule == index && found.item.is_none());
        let all: Vec<&Found> = sources.iter().flat_map(|index| of_source(*index)).collect();
        let mut shaped = self.spend(&all, rule.total.as_ref()).into_iter();
        let mut groups: Vec<(usize, Vec<Entry>)> = Vec::new();
        for &index in sources {
            let source = self.definition.sources[index].get_ref();
            let mut texts = Vec::new();
            for found in of_source(index) {
                if let Some(shaped) = shaped.next().flatten() {
                    let text = shape::written(found, &shaped.text, source, self.at, self.root);
                    texts.push((text, found.listed));
                }
            }
            if texts.is_empty() && left_out(source, self.at).is_none() {
                texts.extend(source.when_empty.as_ref().map(|text| (text.as_str().into(), None)));
            }
            if !texts.is_empty() {
                groups.push((index, texts));
            }
        }
        groups
    }

    fn message(&mut self, rule: &Rule, rules: &[Rule], found: &[Found]) {
        let groups = self.groups(rule, &self.sources_of(rule, rules), found);
        if groups.is_empty() {
            let Some(text) = &rule.when_empty else { return };
            return self.piece(rule, text.as_str().into(), Vec::new(), &[]);
        }
        let gave: Vec<usize> = groups.iter().map(|(index, _)| *index).collect();
        match rule.entries {
            Entries::Each => {
                for (text, listed) in groups.into_iter().flat_map(|(_, texts)| texts) {
                    self.piece(rule, text, listed.into_iter().collect(), &gave);
                }
            }
            Entries::Joined => {
                let holds: Vec<usize> =
                    groups.iter().flat_map(|(_, texts)| texts).filter_map(|(_, listed)| *listed).collect();
                let header = rule.header.as_ref().map(|header| self.wrapped(&header.0, &Text::default(), &gave));
                let joined = groups.into_iter().map(|(index, texts)| {
                    let source = self.definition.sources[index].get_ref();
                    let separator = source.separator.as_ref().unwrap_or(&rule.separator);
                    Text::joined(&texts.into_iter().map(|(text, _)| text).collect::<Vec<_>>(), separator)
                });
                let texts: Vec<Text> = header.into_iter().chain(joined).collect();
                let text = Text::joined(&texts, &rule.separator);
                self.piece(rule, text, holds, &gave);
            }
        }
    }

    /// Cuts every text to its own limit and to the rest of the total, and reports its fate; `None` if nothing of a text
    /// is sent.
    fn spend(&mut self, found: &[&Found], total: Option<&Limit>) -> Vec<Option<Shaped>> {
        let mut shaped: Vec<Option<Shaped>> = found.iter().map(|_| None).collect();
        let mut left = total.map_or(0, |total| total.max.0);
        let mut order: Vec<usize> = (0..found.len()).collect();
        if total.is_some_and(|total| total.keep == Keep::Last) {
            order.reverse();
        }
        for index in order {
            let found = found[index];
            let rule = self.definition.sources[found.rule].get_ref();
            let total = total.filter(|_| rule.charged);
            if let Some(total) = total.filter(|_| left == 0) {
                let reason = format!("the limit of {} {} for all files together is spent", total.max.0, total.unit);
                self.set_fate(found, Fate::Dropped, reason, Vec::new(), Some((total, Per::Chain)));
                continue;
            }
            let one = shape::shape(found, rule, self.definition, total.map(|total| (total, left)));
            left = left.saturating_sub(one.charge);
            let own = found.limit.as_ref().or(rule.limit.as_ref());
            let limit =
                total.map(|total| (total, Per::Chain)).filter(|_| one.cut_to.is_some_and(|bound| bound.of_total));
            let limit = limit.or(own.map(|own| (own, Per::Source))).or(total.map(|total| (total, Per::Chain)));
            self.report_fate(found, &one, limit);
            shaped[index] = Some(one).filter(|one| !one.blank);
        }
        shaped
    }

    /// Reports the fate of a text under its limit.
    fn report_fate(&mut self, found: &Found, shaped: &Shaped, limit: Option<(&Limit, Per)>) {
        match (shaped.blank, shaped.cut_to) {
            (true, Some(_)) => {
                let reason = "what the limit leaves is only white space".to_owned();
                self.set_fate(found, Fate::Dropped, reason, Vec::new(), limit);
            }
            (true, None) => {
                self.set_fate(found, Fate::Empty, "without any text".to_owned(), Vec::new(), limit);
                if let Some(reason) = self.definition.unsure.empty.clone().filter(|_| found.listed.is_some()) {
                    self.answer.files_only.get_or_insert(reason);
                }
            }
            (false, Some(bound)) => {
                let reason = if bound.of_total {
                    format!("{} {} are left of the limit for all files together", bound.max, bound.unit)
                } else {
                    format!("the limit of {} {} ends inside it", bound.max, bound.unit)
                };
                self.set_fate(found, Fate::Truncated, reason.clone(), shaped.kept.clone(), limit);
                if found.listed.is_none() {
                    let message = format!("{}: {reason}", found.name);
                    self.answer.warnings.push(Warning::general("over-budget", message));
                }
                if let Some(reason) = self.definition.unsure.cut.clone() {
                    self.answer.files_only.get_or_insert(reason);
                }
            }
            (false, None) => {
                if let Some(source) = found.listed.map(|index| &mut self.answer.sources[index]) {
                    source.kept.clone_from(&shaped.kept);
                    source.limit = limit.map(wire);
                }
            }
        }
    }

    /// Sets the fate of a text's source, if it has one.
    fn set_fate(
        &mut self,
        found: &Found,
        fate: Fate,
        reason: String,
        kept: Vec<std::ops::Range<usize>>,
        limit: Option<(&Limit, Per)>,
    ) {
        if let Some(source) = found.listed.map(|index| &mut self.answer.sources[index]) {
            (source.fate, source.reason, source.kept, source.limit) = (fate, reason, kept, limit.map(wire));
        }
    }

    /// Adds provided items, which have their own place.
    fn items(&mut self, found: &[Found]) {
        for found in found {
            let Some((role, sort)) = found.item else { continue };
            let rule = self.rule_of(found).clone();
            let Some(shaped) = self.spend(&[found], None).into_iter().flatten().next() else { continue };
            let text = shape::written(found, &shaped.text, &rule, self.at, self.root);
            let (kind, trigger) = (MessageKind::Instructions, Trigger::Session);
            self.pieces.push(Piece { sort, role, kind, trigger, name: None, text, holds: Vec::new() });
        }
    }

    /// Adds the agent's prompt, otherwise the name of the provider's.
    fn prompt(&mut self, rule: &Rule, prompt: &Prompt, search: &mut Search) -> Known<()> {
        let mut finder = Finder::new(self.definition, self.at, self.root.map(Path::to_owned), self.answer);
        if let (Some(agent), Some(list)) = (self.at.agent.as_ref().or(prompt.default_agent.as_ref()), &prompt.agent) {
            if self.at.agent.is_some() {
                finder.unsure(Certain::Text, self.definition.unsure.agent.as_ref());
            }
            let own = list::look(list, &[("agent", agent)], &mut finder, search)?.into_iter().next();
            if let Some(own) = own.filter(|own| !own.text.is_empty()) {
                finder.unsure(Certain::Text, self.definition.unsure.agent.as_ref());
                let piece = Piece {
                    sort: rule.sort,
                    role: rule.said_by().unwrap_or(Role::System),
                    kind: MessageKind::Agent,
                    trigger: Trigger::Session,
                    name: Some(agent.clone()),
                    text: own.text.into(),
                    holds: Vec::new(),
                };
                self.pieces.push(piece);
                return Ok(());
            }
        }
        let model = match (&self.at.model, &prompt.model) {
            (Some(model), _) => Some(model.clone()),
            (None, Some(list)) => {
                list::look(list, &[], &mut finder, search)?.into_iter().next().map(|found| found.text)
            }
            (None, None) => None,
        };
        let contains = |part: &String| model.as_ref().is_some_and(|model| model.contains(part.as_str()));
        let provider = prompt.providers.iter().find(|provider| provider.contains.iter().any(contains));
        self.pieces.push(Piece {
            sort: rule.sort,
            role: rule.said_by().unwrap_or(Role::System),
            kind: MessageKind::Provider,
            trigger: Trigger::Session,
            name: Some(provider.map_or(&prompt.default, |provider| &provider.name).clone()),
            text: Text::default(),
            holds: Vec::new(),
        });
        Ok(())
    }

    fn wrapped(&self, template: &super::template::Template, text: &Text, gave: &[usize]) -> Text {
        let named = |name: &str| {
            gave.iter().any(|index| self.definition.sources[*index].get_ref().name.as_deref() == Some(name))
        };
        shape::wrapper(template, text, self.at, self.root, &named)
    }

    fn piece(&mut self, rule: &Rule, text: Text, holds: Vec<usize>, gave: &[usize]) {
        let text = match &rule.template {
            Some(template) => self.wrapped(&template.0, &text, gave),
            None => text,
        };
        self.pieces.push(Piece {
            sort: rule.sort,
            role: rule.said_by().unwrap_or(Role::System),
            kind: rule.kind.map_or(MessageKind::Instructions, |kind| kind.0),
            trigger: if rule.target == Target::ReadMessage { Trigger::Read } else { Trigger::Session },
            name: None,
            text,
            holds,
        });
    }

    /// Appends all pieces to the answer: sections first, then the preamble, then read messages, each ordered by sort
    /// key.
    fn place(mut self) {
        let rank = |piece: &Piece| match (piece.trigger, piece.role) {
            (Trigger::Read, _) => 2,
            (_, Role::System) => 0,
            (_, _) => 1,
        };
        self.pieces.sort_by_key(|piece| (rank(piece), piece.sort));
        let one = self.definition.system_messages == SystemMessages::One;
        let first = self.answer.messages.len();
        // Texts that each new message is joined from, including empty ones.
        let mut texts: Vec<Vec<Text>> = Vec::new();
        for piece in self.pieces {
            let joins = |last: &&mut Message| {
                one && piece.role == Role::System
                    && piece.trigger == Trigger::Session
                    && last.role == Role::System
                    && last.trigger == Trigger::Session
                    && last.kind == piece.kind
                    && (last.name.is_none() && piece.name.is_none())
            };
            match (texts.last_mut(), self.answer.messages.last_mut().filter(joins)) {
                (Some(texts), Some(last)) => {
                    last.parts.push(piece.text.clone());
                    texts.push(piece.text);
                }
                _ => {
                    self.answer.messages.push(Message {
                        trigger: piece.trigger,
                        role: piece.role,
                        kind: piece.kind,
                        name: piece.name,
                        parts: std::iter::once(piece.text.clone()).filter(|text| !text.is_empty()).collect(),
                        text: Text::default(),
                        before: String::new(),
                        after: String::new(),
                    });
                    texts.push(vec![piece.text]);
                }
            }
            let message = self.answer.messages.len() - 1;
            let part = self.answer.messages[message].parts.len().saturating_sub(1);
            for held in piece.holds {
                let source = &mut self.answer.sources[held];
                (source.message, source.part) = (Some(message), Some(part));
            }
        }
        for (message, texts) in self.answer.messages[first..].iter_mut().zip(texts) {
            message.text = Text::joined(&texts, &self.definition.section_separator);
        }
        for source in &mut self.answer.sources {
            if source.message.is_none() && source.fate == Fate::Loaded {
                source.fate = Fate::Dropped;
                source.kept.clear();
                source.reason = "no message of this session holds it".to_owned();
            }
        }
    }
}

fn wire((limit, per): (&Limit, Per)) -> answer::Limit {
    answer::Limit { value: limit.max.0, unit: limit.unit, per, from: "definition".to_owned() }
}
