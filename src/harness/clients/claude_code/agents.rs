//! Agents: which one answers, which files of the session and skills it gets, and the text that replaces the client's
//! prompt.
//!
//! Observed: the client's own agents `Explore` and `Plan` get no files of the session when they are started as
//! sub-agents; neither do agents whose front matter sets `omitClaudeMd: true`. As a main session, each gets all files.

use std::path::{Path, PathBuf};

use super::git::Checkout;
use super::plugins::Plugin;
use super::settings::Settings;
use super::{Edition21, USUAL, memory};
use crate::answer::{
    Answer, Fate, Message, MessageKind, Purpose, Refusal, Role, Scope, SessionKind, Source, Standpoint, Trigger,
    Warning, agent,
};
use crate::formats::{Node, Value, parse_leniently};
use crate::harness::kit::heads;
use crate::harness::kit::skills::words;
use crate::search::{Known, Search};
use crate::snapshot::Ask;
use crate::text::{Size, grouped, raw_ranges};

/// Keys of an agent's head (Claude Code 2.1.329).
const KEYS: [&str; 19] = [
    "autoCompactWindow",
    "background",
    "color",
    "description",
    "disallowedTools",
    "effort",
    "hooks",
    "initialPrompt",
    "isolation",
    "maxTurns",
    "mcpServers",
    "memory",
    "model",
    "name",
    "omitClaudeMd",
    "permissionMode",
    "prompt",
    "skills",
    "tools",
];

/// Size above which a text in front matter was probably meant for a model, in bytes.
const LONG: usize = 400;

/// The agents that come with Claude Code 2.1.329.
const OWN: [&str; 5] = ["claude", "Explore", "general-purpose", "Plan", "statusline-setup"];

/// Those of [`OWN`] that get no files of the session as sub-agents.
const WITHOUT_FILES: [&str; 2] = ["Explore", "Plan"];

/// Tools that an agent with a memory gets besides its own, in the order in which they are listed.
const FOR_MEMORY: [&str; 3] = ["Write", "Edit", "Read"];

/// Differences for the agent that answers.
#[derive(Default)]
pub(super) struct Agent {
    /// Files of the session that the agent does not get.
    pub(super) without: Option<Without>,
    /// Reason why no skills are listed for it.
    pub(super) no_skills: Option<String>,
    /// Reason why no other agents are listed for it.
    pub(super) no_agents: Option<String>,
    /// The file that describes the agent, and that of its memory.
    pub(super) sources: Vec<Source>,
}

/// Files that a sub-agent does not get.
pub(super) struct Without {
    /// True if the administrator's files are left out as well.
    pub(super) managed: bool,
    /// Reason why they are left out.
    pub(super) reason: String,
}

/// An agent described on the disk or on the command line.
pub(super) struct Described {
    pub(super) name: String,
    head: Node,
    text: String,
    pub(super) source: Option<Source>,
}

impl Edition21 {
    /// Returns the agent that answers. If the user describes it, its text becomes a message.
    pub(super) fn agent(
        &self,
        at: &Standpoint,
        settings: &Settings,
        described: &[Described],
        search: &mut Search,
        answer: &mut Answer,
    ) -> Known<Agent> {
        let is_subagent = at.session == SessionKind::Subagent;
        let name = match (at.agent.as_deref(), settings.agent.as_deref()) {
            (Some(name), _) => name,
            (None, Some(name)) if !is_subagent => name,
            (None, _) if is_subagent => USUAL,
            (None, _) => return Ok(Agent::default()),
        };
        let position = |name: &str| described.iter().position(|agent| agent.name == name);
        let exact = position(name);
        let own = OWN.iter().find(|own| own.eq_ignore_ascii_case(name) && exact.is_none());
        let index = exact.or_else(|| match own {
            // A user's agent replaces the client's agent of the same name, however the question spells it.
            Some(own) => position(own),
            None if is_subagent => described.iter().position(|agent| agent.name.eq_ignore_ascii_case(name)),
            None => None,
        });
        let Some(index) = index else {
            return Ok(of_the_client(name, own.copied(), is_subagent, settings, answer)?);
        };
        let agent = &described[index];
        let told = (!agent.text.is_empty()).then(|| {
            let message = Message::instructions(Trigger::Session, Role::System, agent.text.clone());
            Message { kind: MessageKind::Agent, name: Some(agent.name.clone()), ..message }
        });
        let source = agent.source.clone().map(|source| match told.is_some() {
            true => Source { message: Some(answer.messages.len()), part: Some(0), ..source },
            false => source,
        });
        answer.messages.extend(told);
        let mut sources: Vec<Source> = source.into_iter().collect();
        if let Some((message, source)) = self.memory_of(agent, at, settings, search)? {
            sources.push(Source { message: Some(answer.messages.len()), part: Some(0), ..source });
            answer.messages.push(message);
        }
        let omits = agent.head.get("omitClaudeMd").is_some_and(|node| match &node.value {
            Value::Bool(on) => *on,
            Value::Text(word) => word == "true",
            _ => false,
        });
        // Observed: the administrator's files are sent all the same.
        let without = (omits && is_subagent).then(|| Without {
            managed: false,
            reason: format!("the agent {} sets omitClaudeMd and loads none of these files", agent.name),
        });
        Ok(Agent { without, no_skills: agent.no_skills(), no_agents: agent.no_agents(), sources })
    }

    /// Reads the memory of an agent that has one. It follows the agent's prompt, after text of the client's own.
    fn memory_of(
        &self,
        agent: &Described,
        at: &Standpoint,
        settings: &Settings,
        search: &mut Search,
    ) -> Known<Option<(Message, Source)>> {
        let dir = match agent.memory() {
            Some("project") => at.cwd.join(".claude/agent-memory"),
            Some("local") => at.cwd.join(".claude/agent-memory-local"),
            Some("user") => settings.config.path.join("agent-memory"),
            Some(_) | None => return Ok(None),
        };
        let path = dir.join(&agent.name).join("MEMORY.md");
        let Ok(raw) = search.read(&path, "the memory of the agent")? else { return Ok(None) };
        let text = memory::with_line_feeds(&raw.text_without_bom()).into_owned();
        let cut = memory::cut(&text, self.memory_lines, self.memory_utf16, self.memory_warning);
        if cut.text.is_empty() {
            return Ok(None);
        }
        let reason = format!("the memory of agent {}", agent.name);
        let whole = Source::whole(&path, Scope::Memory, raw.size(), reason);
        let source = match cut.kept {
            Some(kept) => Source {
                fate: Fate::Truncated,
                kept: std::iter::once(memory::kept_of(&raw.text(), kept)).collect(),
                reason: format!("cut to {} lines and {} UTF-16 units", self.memory_lines, self.memory_utf16),
                sent: Some(Size::of(&cut.text)),
                ..whole
            },
            None => whole,
        };
        let message = Message::instructions(Trigger::Session, Role::System, cut.text);
        let name = Some(format!("memory of {}", agent.name));
        Ok(Some((Message { kind: MessageKind::Agent, name, ..message }, Source { purpose: Purpose::Memory, ..source })))
    }
}

/// Returns the differences for an agent that no file describes.
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
    let few = ["Explore", "Plan", "statusline-setup"];
    let no_agents = own.filter(|own| few.contains(own)).map(|own| format!("the agent {own} has no Agent tool"));
    // The name of a plugin's agent begins with the plugin's name.
    if own.is_none() && !name.contains(':') {
        let message = format!("there is no agent {name}: no file defines it, and Claude Code has none of that name");
        if is_subagent || settings.agent_is_needed && settings.agent.as_deref() == Some(name) {
            return Err(Refusal::new(if is_subagent { "Agent" } else { "--agent" }, message));
        }
        // A question may name an agent of another harness; the settings mean an agent of this one.
        if settings.agent.as_deref() == Some(name) {
            answer.warnings.push(Warning::general("unknown-agent", format!("{message}; it is not taken")));
        }
    }
    Ok(Agent { without, no_skills, no_agents, sources: Vec::new() })
}

/// Returns the agents for the answer: the client's own, unless a user's agent has the same name, and the user's agents.
pub(super) fn said(described: &[Described]) -> Vec<agent::Agent> {
    let is_taken = |name: &str| described.iter().any(|agent| agent.name == name);
    let own = OWN.iter().filter(|name| !is_taken(name)).map(|name| agent::Agent::named(name, agent::Usage::All));
    let users = described.iter().map(|agent| agent::Agent {
        name: agent.name.clone(),
        usage: agent::Usage::All,
        from: agent.source.as_ref().and_then(Source::path).map(Path::to_owned),
        model: agent.head.get("model").and_then(words),
        tools: Some(agent.tools()),
    });
    own.chain(users).collect()
}

impl Described {
    /// Returns the agent's entry in the list of agents.
    pub(super) fn entry(&self) -> String {
        let description = self.head.get("description").and_then(words).unwrap_or_default();
        format!("- {}: {description} (Tools: {})", self.name, self.tools())
    }

    /// Formats the list of the agent's tools.
    fn tools(&self) -> String {
        let of = |key: &str| self.head.get(key).and_then(tools).unwrap_or_default();
        let (kept, taken) = (of("tools"), of("disallowedTools"));
        if kept.is_empty() || kept.iter().any(|tool| tool == "*") {
            return if taken.is_empty() {
                "All tools".to_owned()
            } else {
                format!("All tools except {}", taken.join(", "))
            };
        }
        let mut kept: Vec<&str> = kept.iter().filter(|tool| !taken.contains(tool)).map(String::as_str).collect();
        if self.memory().is_some() {
            let more = FOR_MEMORY.into_iter().filter(|tool| !kept.contains(tool)).collect::<Vec<_>>();
            kept.extend(more);
        }
        kept.join(", ")
    }

    /// Returns where the agent's memory is: `user`, `project` or `local`.
    fn memory(&self) -> Option<&str> {
        let memory = self.head.get("memory").and_then(Node::as_text);
        memory.filter(|place| ["user", "project", "local"].contains(place))
    }

    /// Returns the reason why no other agents are listed for this agent.
    fn no_agents(&self) -> Option<String> {
        let of = |key: &str| self.head.get(key).and_then(tools).unwrap_or_default();
        let is_agent = |tool: &String| ["Agent", "Task"].contains(&tool.split('(').next().unwrap_or_default());
        let (kept, taken) = (of("tools"), of("disallowedTools"));
        let has = kept.is_empty() || kept.iter().any(|tool| tool == "*" || is_agent(tool));
        (!has || taken.iter().any(is_agent)).then(|| format!("the agent {} has no Agent tool", self.name))
    }

    /// Returns the reason why the agent has no Skill tool.
    fn no_skills(&self) -> Option<String> {
        let tools = |key: &str| self.head.get(key).and_then(tools);
        let kept = tools("tools").is_none_or(|tools| tools.iter().any(|tool| tool == "*" || tool == "Skill"));
        let taken = tools("disallowedTools").is_some_and(|tools| tools.iter().any(|tool| tool == "Skill"));
        (!kept || taken).then(|| format!("the agent {} has no Skill tool", self.name))
    }
}

/// Parses a list of tools: a list, or names separated by commas.
fn tools(node: &Node) -> Option<Vec<String>> {
    match &node.value {
        Value::Text(text) => {
            Some(text.split(',').map(|tool| tool.trim().to_owned()).filter(|tool| !tool.is_empty()).collect())
        }
        Value::List(list) => Some(list.iter().filter_map(Node::as_text).map(str::to_owned).collect()),
        _ => None,
    }
}

/// Returns the agents that the user describes, by precedence; those of plugins come last.
pub(super) fn described(
    at: &Standpoint,
    settings: &Settings,
    checkout: Option<&Checkout>,
    plugins: &[Plugin],
    search: &mut Search,
    answer: &mut Answer,
) -> Known<Vec<Described>> {
    let places = places(at, settings, checkout);
    search.expect(places.iter().map(|(dir, _)| Ask::Listing(dir.clone())))?;
    let mut described = Vec::new();
    for (name, node) in settings.agents.iter().filter_map(Node::as_table).flatten() {
        let text = node.get("prompt").and_then(Node::as_text).unwrap_or_default().trim().to_owned();
        described.push(Described { name: name.clone(), head: node.clone(), text, source: None });
    }
    for (dir, scope) in places {
        of_folder(&dir, scope, None, search, (&mut described, answer))?;
    }
    for plugin in plugins {
        let named = plugin.named("agents");
        let dirs = if named.is_empty() { vec![plugin.dir.join("agents")] } else { named };
        for dir in dirs {
            of_folder(&dir, Scope::Config, Some(&plugin.name), search, (&mut described, answer))?;
        }
    }
    Ok(described)
}

/// Adds the agents described below a folder. Files that describe none become sources with the reason. A plugin's agent
/// without a name takes that of its file.
fn of_folder(
    dir: &Path,
    scope: Scope,
    plugin: Option<&str>,
    search: &mut Search,
    (described, answer): (&mut Vec<Described>, &mut Answer),
) -> Known<()> {
    let files = search.files_behind_links(dir, "agents of the user's own", ".md", true)?;
    search.expect(files.iter().cloned().map(Ask::Content))?;
    for file in files {
        let Ok(raw) = search.read(&file, "an agent: its head names it")? else { continue };
        let text = raw.text();
        let (name, head, body) = match parsed(&file, &text, plugin.is_some()) {
            Ok(parsed) => parsed,
            // A page for people may lie beside the agents.
            Err(_) if file.file_stem().is_some_and(|stem| stem.eq_ignore_ascii_case("readme")) => continue,
            Err(reason) => {
                let source = Source::new(&file, scope, Fate::Dropped, format!("not an agent: {reason}"));
                answer.sources.push(Source { purpose: Purpose::Agent, ..source });
                continue;
            }
        };
        answer.warnings.extend(lost_in_head(&file, &head));
        let name = plugin.map_or(name.clone(), |plugin| in_plugin(plugin, dir, &file, &name));
        let end = text.trim_end().len();
        let body_in_file = end - body.len()..end;
        let kept = raw_ranges(&raw, std::slice::from_ref(&body_in_file));
        let reason = format!("the text of agent {name}, which takes the place of the client's prompt");
        let source = Source { kept, purpose: Purpose::Agent, ..Source::whole(&file, scope, raw.size(), reason) };
        described.push(Described { name, text: body.to_owned(), source: Some(source), head });
    }
    Ok(())
}

/// Parses the file of an agent into name, front matter and text; fails with the reason why it describes no agent.
fn parsed<'t>(file: &Path, text: &'t str, in_plugin: bool) -> Result<(String, Node, &'t str), &'static str> {
    let (front, body) = heads::whole_lines(text).ok_or("it has no head between lines of ---")?;
    let head = parse_leniently(front).ok_or("its head is no YAML")?;
    let value = |key: &str| head.get(key).and_then(words);
    let stem = || file.file_stem().filter(|_| in_plugin).map(|stem| stem.to_string_lossy().into_owned());
    let name = value("name").or_else(stem).ok_or("its head has no `name`")?;
    value("description").ok_or("its head has no `description`")?;
    Ok((name, head, body.trim()))
}

/// Warns of long texts in the front matter of an agent under keys other than [`KEYS`].
fn lost_in_head(file: &Path, head: &Node) -> Vec<Warning> {
    let lost = head.as_table().unwrap_or_default().iter().filter_map(|(key, value)| {
        let size = value.as_text()?.len();
        let message = format!(
            "{}: `{key}` is no key of an agent, so {} B reach nobody; the prompt stands below the head",
            file.display(),
            grouped(size)
        );
        (size > LONG && !KEYS.contains(&key.as_str())).then(|| Warning::at("front-matter", file, message))
    });
    lost.collect()
}

/// Returns the name of a plugin's agent: the plugin's name, the folders below the plugin's agents folder, and the
/// agent's own name.
fn in_plugin(plugin: &str, dir: &Path, file: &Path, name: &str) -> String {
    let folders = file.parent().and_then(|parent| parent.strip_prefix(dir).ok()).into_iter().flatten();
    let names = folders.map(|folder| folder.to_string_lossy()).chain([name.into()]);
    names.fold(plugin.to_owned(), |before, name| format!("{before}:{name}"))
}

/// Returns the folders of agents; the first agent of a name counts.
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
