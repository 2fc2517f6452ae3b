//! Agents: which one answers, whether it is told the files of the session and the skills, and the text that takes the place
//! of the client's prompt.
//!
//! Observed: of the agents that come with the client, `Explore` and `Plan` are told no files of the session when they are
//! started as sub-agents, and neither are those whose head says `omitClaudeMd: true`. A session of their own is told all.

use std::path::{Path, PathBuf};

use super::git::Checkout;
use super::settings::Settings;
use super::{Edition21, USUAL};
use crate::answer::{
    Answer, Message, MessageKind, Refusal, Role, Scope, SessionKind, Source, Standpoint, Trigger, Warning,
};
use crate::formats::{Node, Value, parse_leniently};
use crate::harness::kit::heads;
use crate::harness::kit::skills::words;
use crate::search::{Known, Search};
use crate::snapshot::{Ask, GlobFlavor};
use crate::text::raw_ranges;

const FILES: &str = "**/*.md";
const FLAVOR: GlobFlavor = GlobFlavor::Npm { dot: false, follow: false };

/// The agents that come with Claude Code 2.1.329.
const OWN: [&str; 5] = ["claude", "Explore", "general-purpose", "Plan", "statusline-setup"];

/// Those of them that are told no files of the session as sub-agents.
const WITHOUT_FILES: [&str; 2] = ["Explore", "Plan"];

/// What is different for the agent that answers.
#[derive(Default)]
pub(super) struct Agent {
    /// Which files of the session it is not told.
    pub(super) without: Option<Without>,
    /// Why no skills are listed for it.
    pub(super) no_skills: Option<String>,
    /// The file that describes it.
    pub(super) source: Option<Source>,
}

/// What a sub-agent is not told.
pub(super) struct Without {
    /// Whether the administrator's files are left out as well.
    pub(super) managed: bool,
    /// Why.
    pub(super) reason: String,
}

/// An agent as it is described, on the disk or on the command line.
struct Described {
    name: String,
    head: Node,
    text: String,
    source: Option<Source>,
}

impl Edition21 {
    /// The agent that answers. If the user describes it, its text becomes a message.
    pub(super) fn agent(
        &self,
        at: &Standpoint,
        settings: &Settings,
        checkout: Option<&Checkout>,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Known<Result<Agent, Refusal>> {
        let is_subagent = at.session == SessionKind::Subagent;
        let name = match (at.agent.as_deref(), settings.agent.as_deref()) {
            (Some(name), _) => name,
            (None, Some(name)) if !is_subagent => name,
            (None, _) if is_subagent => USUAL,
            (None, _) => return Ok(Ok(Agent::default())),
        };
        let described = described(at, settings, checkout, search)?;
        let position = |name: &str| described.iter().position(|agent| agent.name == name);
        let exact = position(name);
        let own = OWN.iter().find(|own| own.eq_ignore_ascii_case(name) && exact.is_none());
        let index = exact.or_else(|| match own {
            // One of the user's own takes the place of the client's agent of that name, however the question spells it.
            Some(own) => position(own),
            None if is_subagent => described.iter().position(|agent| agent.name.eq_ignore_ascii_case(name)),
            None => None,
        });
        let Some(index) = index else {
            return Ok(of_the_client(name, own.copied(), is_subagent, settings, answer));
        };
        let Some(agent) = described.into_iter().nth(index) else { return Ok(Ok(Agent::default())) };
        let told = (!agent.text.is_empty()).then(|| {
            let message = Message::instructions(Trigger::Session, Role::System, agent.text.clone());
            Message { kind: MessageKind::Agent, name: Some(agent.name.clone()), ..message }
        });
        let source = agent.source.clone().map(|source| match told.is_some() {
            true => Source { message: Some(answer.messages.len()), part: Some(0), ..source },
            false => source,
        });
        answer.messages.extend(told);
        let omits = agent.head.get("omitClaudeMd").is_some_and(|node| match &node.value {
            Value::Bool(on) => *on,
            Value::Text(word) => word == "true",
            _ => false,
        });
        // Observed: the administrator's files are told all the same.
        let without = (omits && is_subagent).then(|| Without {
            managed: false,
            reason: format!("the agent {} sets omitClaudeMd and loads none of these files", agent.name),
        });
        Ok(Ok(Agent { without, no_skills: agent.no_skills(), source }))
    }
}

/// What is different for an agent that no file describes.
fn of_the_client(
    name: &str,
    own: Option<&'static str>,
    is_subagent: bool,
    settings: &Settings,
    answer: &mut Answer,
) -> Result<Agent, Refusal> {
    let without = own.filter(|own| is_subagent && WITHOUT_FILES.contains(own));
    let without =
        without.map(|own| Without { managed: true, reason: format!("the agent {own} loads no files of the session") });
    let no_skills =
        own.filter(|own| *own == "statusline-setup").map(|own| format!("the agent {own} has no Skill tool"));
    // An agent of a plugin has the plugin's name in front.
    if own.is_none() && !name.contains(':') {
        let message = format!("there is no agent {name}: no file defines it, and Claude Code has none of that name");
        if is_subagent || settings.agent_is_needed && settings.agent.as_deref() == Some(name) {
            return Err(Refusal::new(if is_subagent { "Agent" } else { "--agent" }, message));
        }
        // A question may name an agent of another harness; the settings mean this one.
        if settings.agent.as_deref() == Some(name) {
            answer.warnings.push(Warning::general("unknown-agent", format!("{message}; it is not taken")));
        }
    }
    Ok(Agent { without, no_skills, source: None })
}

impl Described {
    /// Why the agent has no Skill tool.
    fn no_skills(&self) -> Option<String> {
        let tools = |key: &str| self.head.get(key).and_then(tools);
        let kept = tools("tools").is_none_or(|tools| tools.iter().any(|tool| tool == "*" || tool == "Skill"));
        let taken = tools("disallowedTools").is_some_and(|tools| tools.iter().any(|tool| tool == "Skill"));
        (!kept || taken).then(|| format!("the agent {} has no Skill tool", self.name))
    }
}

/// A list of tools: a list, or words between commas.
fn tools(node: &Node) -> Option<Vec<String>> {
    match &node.value {
        Value::Text(text) => {
            Some(text.split(',').map(|tool| tool.trim().to_owned()).filter(|tool| !tool.is_empty()).collect())
        }
        Value::List(list) => Some(list.iter().filter_map(Node::as_text).map(str::to_owned).collect()),
        _ => None,
    }
}

/// The agents that the user describes, those that count first.
fn described(
    at: &Standpoint,
    settings: &Settings,
    checkout: Option<&Checkout>,
    search: &mut Search,
) -> Known<Vec<Described>> {
    let places = places(at, settings, checkout);
    let asks = places.iter().map(|(dir, _)| Ask::Glob { base: dir.clone(), pattern: FILES.to_owned(), flavor: FLAVOR });
    search.expect(asks)?;
    let mut described = Vec::new();
    for (name, node) in settings.agents.iter().filter_map(Node::as_table).flatten() {
        let text = node.get("prompt").and_then(Node::as_text).unwrap_or_default().trim().to_owned();
        described.push(Described { name: name.clone(), head: node.clone(), text, source: None });
    }
    for (dir, scope) in places {
        let mut files = search.glob(&dir, FILES, FLAVOR, "agents of the user's own")?.files.clone();
        files.sort();
        search.expect(files.iter().cloned().map(Ask::Content))?;
        for file in files {
            let Ok(raw) = search.read(&file, "an agent: its head names it")? else { continue };
            let text = raw.text();
            let Some((front, body)) = heads::whole_lines(&text) else { continue };
            let Some(head) = parse_leniently(front) else { continue };
            let value = |key: &str| head.get(key).and_then(words);
            let (Some(name), Some(_)) = (value("name"), value("description")) else { continue };
            let body = body.trim();
            let end = text.trim_end().len();
            let body_in_file = end - body.len()..end;
            let kept = raw_ranges(&raw, std::slice::from_ref(&body_in_file));
            let reason = format!("the text of agent {name}, which takes the place of the client's prompt");
            let source = Source { kept, ..Source::whole(&file, scope, raw.size(), reason) };
            described.push(Described { name, text: body.to_owned(), source: Some(source), head });
        }
    }
    Ok(described)
}

/// Where agents are looked for; of one name the first counts.
fn places(at: &Standpoint, settings: &Settings, checkout: Option<&Checkout>) -> Vec<(PathBuf, Scope)> {
    let of = |dir: &Path| dir.join(".claude/agents");
    let mut places = vec![(of(Path::new(super::MANAGED)), Scope::Managed)];
    if settings.project {
        let top = checkout.map_or(Path::new("/"), |checkout| &checkout.root);
        let walk = at.cwd.ancestors().take_while(|dir| dir.starts_with(top));
        places.extend(walk.map(|dir| (of(dir), Scope::Project)));
        places.extend(settings.added_anyway.iter().map(|dir| (of(dir), Scope::Project)));
    }
    let user = settings.config.path.join("agents");
    places.retain(|(dir, _)| *dir != user);
    places.extend(settings.user.then_some((user, Scope::User)));
    places
}
