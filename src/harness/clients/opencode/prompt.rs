//! Composes the whole prompt in order: agent or provider text, environment, instructions, skills, reminders; then the
//! result of the read.

use std::path::PathBuf;

use super::agents::FROM;
use super::brand::OwnTexts;
use super::config::Config;
use super::flags::Flags;
use super::natives::Prompt;
use super::permissions::Rules;
use super::places::Places;
use super::rules::{EnvironmentBlock, PlanEnd, SkillsPlace};
use super::skills::{self, Skill};
use super::system::Loaded;
use super::{Entry, OpenCode, add_entries, history, nested, references};
use crate::answer::{
    Answer, Fate, Message, MessageKind, Role, Scope, SessionKind, Source, Standpoint, Surroundings, Tool, Trigger,
};
use crate::formats::{Node, Value};
use crate::harness::kit::servers;
use crate::harness::{Change, Version};

/// Texts found for the prompt.
pub(super) struct Texts {
    pub agent: String,
    pub loaded: Loaded,
    pub skills: Vec<Skill>,
    pub nested: Vec<Entry>,
}

/// Reminder that is sent when the build agent continues after the plan agent (1.18.33).
const BUILD_SWITCH: &str = "<system-reminder>\nYour operational mode has changed from plan to build.\nYou are no longer in read-only mode.\nYou are permitted to make file changes, run shell commands, and utilize your arsenal of tools as needed.\n</system-reminder>\n";

/// Adds the messages in order.
pub(super) fn compose(
    edition: &OpenCode,
    at: &Standpoint,
    flags: &Flags,
    places: &Places,
    config: &Config,
    texts: Texts,
    answer: &mut Answer,
) {
    let agent = texts.agent.as_str();
    let model = Model::of(agent, at, config);
    agent_or_provider(edition, agent, &model, config, answer);
    let environment = model
        .full
        .as_ref()
        .map(|(provider, id)| environment(edition.environment, id, provider, places, &at.surroundings));
    answer.messages.push(match environment {
        Some(text) => of_kind(MessageKind::Environment, Role::System, text),
        None => Message::named(Role::System, MessageKind::Environment, "environment of a model that is not given"),
    });
    if let Some(text) = references::block(edition, |key| config.get(&[key]), answer) {
        answer.messages.push(of_kind(MessageKind::Environment, Role::System, text));
    }
    let list = |answer: &mut Answer| {
        if let Some(text) = skills::block(&texts.skills, &Rules::of(edition.brand, agent, config), answer) {
            answer.messages.push(of_kind(MessageKind::Skills, Role::System, text));
        }
    };
    if edition.skills == SkillsPlace::BeforeInstructions {
        list(answer);
    }
    add_entries(answer, Trigger::Session, Role::System, texts.loaded.entries, "\n");
    match edition.skills {
        SkillsPlace::SystemPrompt => list(answer),
        SkillsPlace::BeforeInstructions => {}
        SkillsPlace::ToolDescription if texts.skills.is_empty() => {}
        SkillsPlace::ToolDescription => {
            let name = "description of the skill tool";
            answer.messages.push(Message::named(Role::Tool, MessageKind::Skills, name));
        }
    }
    if let Some(extra) = at.extra_system_prompt.as_ref().filter(|extra| !extra.is_empty()) {
        answer.messages.push(of_kind(MessageKind::Developer, Role::System, extra.clone()));
    }
    reminders(edition, agent, at, flags, answer);
    let steps = steps(agent, config);
    let last = |step: usize| steps.is_some_and(|steps| steps <= step);
    let last_step = match edition.brand.own_texts {
        OwnTexts::Measured => LAST_STEP,
        OwnTexts::Named => "maximum steps reached",
    };
    if last(1) {
        answer.messages.push(Message::named(Role::Assistant, MessageKind::Reminder, last_step));
    }
    read(at, texts.nested, answer);
    // The result of the read is sent in the following step.
    if !last(1) && at.target.is_some() && at.tool != Tool::Mention && last(2 + at.read_before.len()) {
        let reminder = Message::named(Role::Assistant, MessageKind::Reminder, last_step);
        answer.messages.push(Message { trigger: Trigger::Read, ..reminder });
    }
    mcp(config, answer);
}

/// Adds the text to the result of the read tool, or to the user's message if the user mentions the file.
fn read(at: &Standpoint, entries: Vec<Entry>, answer: &mut Answer) {
    let role = if at.tool == Tool::Mention { Role::User } else { Role::Tool };
    let first = answer.messages.len();
    add_entries(answer, nested::trigger(at), role, entries, "\n\n");
    for message in &mut answer.messages[first..] {
        message.before = "\n\n<system-reminder>\n".to_owned();
        message.after = "\n</system-reminder>".to_owned();
    }
}

/// Returns the number of steps after which the agent must stop.
fn steps(agent: &str, config: &Config) -> Option<usize> {
    let steps = config.get(&["agent", agent, "steps"]).or_else(|| config.get(&["agent", agent, "maxSteps"]))?;
    match steps.value {
        Value::Integer(steps) => usize::try_from(steps).ok(),
        Value::Float(steps) => Some(steps as usize),
        _ => None,
    }
}

/// Name of the assistant message that the client adds at the last step (1.1.53, 1.15.13 and 1.18.33 alike).
const LAST_STEP: &str =
    "maximum steps reached (750 bytes, SHA-256 a22542c356f74bfe3f8edc3f2251f6d5b3ee2e21746040eb602fa57283397404)";

fn of_kind(kind: MessageKind, role: Role, text: String) -> Message {
    Message { kind, ..Message::instructions(Trigger::Session, role, text) }
}

/// The model, as far as it is known.
struct Model {
    id: Option<String>,
    /// Provider and id, if both are known.
    full: Option<(String, String)>,
}

impl Model {
    /// Returns the requested model, else the agent's, else the configured one. For a sub-agent, its own model precedes
    /// the requested one.
    fn of(agent: &str, at: &Standpoint, config: &Config) -> Model {
        let configured = config.text(&["model"]);
        let (asked, own) = (at.model.as_deref(), config.text(&["agent", agent, "model"]));
        let named = if at.session == SessionKind::Subagent { own.or(asked) } else { asked.or(own) }.or(configured);
        let full = named.and_then(|model| model.split_once('/'));
        // A model that is given without its provider may be the configured one.
        let full = full.or_else(|| {
            let (provider, id) = configured?.split_once('/')?;
            (Some(id) == named).then_some((provider, id))
        });
        // Settings may set the provider's own id of the model.
        let called = |(provider, id): (&str, &str)| {
            let called = config.text(&["provider", provider, "models", id, "id"]).unwrap_or(id);
            (provider.to_owned(), called.to_owned())
        };
        let full = full.map(called);
        let id = full.as_ref().map(|(_, id)| id.clone()).or_else(|| named.map(str::to_owned));
        Model { id, full }
    }

    /// Returns the name of the provider prompt that is chosen.
    fn prompt(&self, edition: &OpenCode) -> &'static str {
        let Some(id) = self.id.as_ref().filter(|_| !edition.prompts.is_empty()) else { return "chosen by the model" };
        let provider = self.full.as_ref().map(|(provider, _)| provider.as_str()).unwrap_or_default();
        let fitting = edition.prompts.iter().find(|choice| (choice.fits)(provider, id));
        fitting.map_or("default", |choice| choice.prompt)
    }
}

/// One of OpenCode's prompts, and the models that it is for.
pub(super) struct Choice {
    since: Option<&'static Change>,
    until: Option<&'static Change>,
    /// Returns true for the providers and models that the prompt is for.
    fits: fn(&str, &str) -> bool,
    prompt: &'static str,
}

impl Choice {
    const fn of(prompt: &'static str, fits: fn(&str, &str) -> bool) -> Choice {
        Choice { since: None, until: None, fits, prompt }
    }
}

/// Returns the choices of a version; the first match counts.
pub(super) fn choices(version: Version) -> Vec<&'static Choice> {
    let has = |change: &&'static Change| version.has(change);
    let there = |choice: &&Choice| choice.since.as_ref().is_none_or(has) && !choice.until.as_ref().is_some_and(has);
    CHOICES.iter().filter(there).collect()
}

static CHOICES: [Choice; 14] = [
    Choice { since: Some(&history::MUSE), ..Choice::of("meta", |_, id| id.contains("muse")) },
    Choice { until: Some(&history::PROMPTS), ..Choice::of("codex", |_, id| id.contains("gpt-5")) },
    Choice { until: Some(&history::PROMPTS), ..Choice::of("beast", |_, id| has_one(id, &["gpt-", "o1", "o3"])) },
    Choice { since: Some(&history::PROMPTS), ..Choice::of("beast", |_, id| has_one(id, &["gpt-4", "o1", "o3"])) },
    Choice { since: Some(&history::GPT_6), ..Choice::of("gpt-6", |_, id| id.contains("gpt-6")) },
    Choice {
        since: Some(&history::PROMPTS),
        until: Some(&history::REWRITE),
        ..Choice::of("codex", |_, id| id.contains("gpt"))
    },
    Choice {
        since: Some(&history::REWRITE),
        ..Choice::of("codex", |_, id| id.contains("gpt") && id.contains("codex"))
    },
    Choice { since: Some(&history::REWRITE), ..Choice::of("gpt", |_, id| id.contains("gpt")) },
    Choice::of("gemini", |_, id| id.contains("gemini-")),
    Choice::of("anthropic", |_, id| id.contains("claude")),
    Choice { since: Some(&history::TRINITY), ..Choice::of("trinity", |_, id| id.to_lowercase().contains("trinity")) },
    Choice { since: Some(&history::REWRITE), ..Choice::of("kimi", |_, id| id.to_lowercase().contains("kimi")) },
    Choice {
        since: Some(&history::KIMI_PROVIDERS),
        ..Choice::of("kimi", |provider, _| ["kimi-for-coding", "moonshotai", "moonshotai-cn"].contains(&provider))
    },
    Choice { until: Some(&history::PROMPTS), ..Choice::of("qwen", |_, _| true) },
];

fn has_one(id: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| id.contains(part))
}

fn agent_or_provider(edition: &OpenCode, agent: &str, model: &Model, config: &Config, answer: &mut Answer) {
    let prompt = config.text(&["agent", agent, "prompt"]).filter(|prompt| !prompt.is_empty());
    if let Some(prompt) = prompt {
        let message =
            Message { name: Some(agent.to_owned()), ..of_kind(MessageKind::Agent, Role::System, prompt.to_owned()) };
        if let Some(file) = config.text(&["agent", agent, FROM]) {
            let reason = format!("the text of agent {agent}, which takes the place of the provider's prompt");
            answer.sources.push(Source {
                message: Some(answer.messages.len()),
                part: Some(0),
                ..Source::new(PathBuf::from(file), Scope::Config, Fate::Loaded, reason)
            });
        }
        answer.messages.push(message);
        return;
    }
    if edition.brand.agents.iter().any(|native| native.name == agent && native.prompt == Prompt::Own) {
        answer.messages.push(Message::named(Role::System, MessageKind::Agent, agent));
        return;
    }
    answer.messages.push(Message::named(Role::System, MessageKind::Provider, model.prompt(edition)));
}

/// Text of Kilo about its own files (7.7.9).
const KILO_FOLDERS: &str = "  Project config: .kilo/command/*.md, .kilo/agent/*.md, kilo.json, AGENTS.md. Put new commands and agents in .kilo/. Do not use .kilocode/ or .opencode/.";

fn environment(
    form: EnvironmentBlock,
    id: &str,
    provider: &str,
    places: &Places,
    surroundings: &Surroundings,
) -> String {
    let yes = if places.git { "yes" } else { "no" };
    let mut lines = vec![
        format!("You are powered by the model named {id}. The exact model ID is {provider}/{id}"),
        "Here is some useful information about the environment you are running in:".to_owned(),
        "<env>".to_owned(),
    ];
    if form != EnvironmentBlock::Kilo {
        lines.push(format!("  Working directory: {}", places.directory.display()));
    }
    if matches!(form, EnvironmentBlock::Root | EnvironmentBlock::Both) {
        lines.push(format!("  Workspace root folder: {}", places.worktree.display()));
    }
    lines.extend([
        format!("  Is directory a git repo: {yes}"),
        format!("  Platform: {}", surroundings.platform),
        format!("  Today's date: {}", date(surroundings.date)),
    ]);
    if form == EnvironmentBlock::Kilo {
        lines.push(KILO_FOLDERS.to_owned());
        lines.push(format!("  Global config: {}/ (same structure)", places.xdg.display()));
    }
    lines.push("</env>".to_owned());
    if matches!(form, EnvironmentBlock::Directories | EnvironmentBlock::Both) {
        lines.extend(["<directories>", "  ", "</directories>"].map(str::to_owned));
    }
    lines.join("\n")
}

/// Formats a date as JavaScript's `toDateString` does: `Sat Nov 21 2026`.
fn date((year, month, day): (i16, u8, u8)) -> String {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
    let weekday = i8::try_from(month)
        .ok()
        .zip(i8::try_from(day).ok())
        .and_then(|(month, day)| jiff::civil::Date::new(year, month, day).ok())
        .map_or("", |date| DAYS[date.weekday().to_sunday_zero_offset() as usize % 7]);
    let name = MONTHS.get(usize::from(month).wrapping_sub(1)).copied().unwrap_or_default();
    format!("{weekday} {name} {day:02} {year:04}")
}

/// Adds the reminders that the client appends to the user's message. OpenCode's own texts are measured, not shown.
fn reminders(edition: &OpenCode, agent: &str, at: &Standpoint, flags: &Flags, answer: &mut Answer) {
    let named = |name: &str| Message::named(Role::User, MessageKind::Reminder, name);
    if edition.brand.own_texts == OwnTexts::Named {
        answer.messages.extend((agent == "plan").then(|| named("plan")));
        return;
    }
    let after_plan = at.previous_agent.as_deref() == Some("plan");
    let switch = |name: &str| Message {
        name: Some(name.to_owned()),
        ..of_kind(MessageKind::Reminder, Role::User, BUILD_SWITCH.to_owned())
    };
    answer.messages.extend(match (flags.plan_file, agent, after_plan) {
        (false, "plan", _) => Some(named(PLAN)),
        (false, "build", true) => Some(switch("build-switch")),
        // The reminder stays with the earlier message.
        (true, "plan", true) => None,
        (true, "plan", false) => Some(named("plan with a plan file, whose path stands in it")),
        (true, _, true) if edition.plan_end == PlanEnd::OnlyWithFile => {
            Some(named("build-switch, if there is a plan file, whose path stands in it"))
        }
        (true, _, true) => Some(switch("build-switch; a sentence with the path follows if there is a plan file")),
        (false | true, ..) => None,
    });
}

/// Name of the plan agent's reminder, with its size and hash (1.1.53, 1.15.13 and 1.18.33 alike).
const PLAN: &str = "plan (1484 bytes, SHA-256 455db97e0d21e8097c2afb539d167b4b2483e99b585dbc4fff23cafd4a3029b8)";

fn mcp(config: &Config, answer: &mut Answer) {
    let servers = config.get(&["mcp"]).and_then(Node::as_table).unwrap_or_default();
    let enabled = |server: &Node| server.get("enabled").and_then(Node::as_bool) != Some(false);
    let names: Vec<&str> =
        servers.iter().filter(|(_, server)| enabled(server)).map(|(name, _)| name.as_str()).collect();
    servers::doubt(&names, Role::System, answer);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_said_as_javascript_says_them() {
        assert_eq!(date((2026, 11, 21)), "Sat Nov 21 2026");
        assert_eq!(date((2027, 1, 3)), "Sun Jan 03 2027");
    }

    #[test]
    fn the_model_chooses_the_providers_prompt() {
        let chosen = |version: &str, provider: &str, id: &str| {
            let choices = choices(Version(version));
            choices.iter().find(|choice| (choice.fits)(provider, id)).map_or("default", |choice| choice.prompt)
        };
        let versions = ["1.1.53", "1.1.56", "1.3.0", "1.15.13", "1.18.17", "1.18.18", "1.18.33"];
        for (provider, id, prompts) in [
            ("x", "muse-glimmer", "qwen qwen default default meta meta meta"),
            ("openai", "gpt-4o", "beast beast beast beast beast beast beast"),
            ("openai", "gpt-5-codex", "codex codex codex codex codex codex codex"),
            ("openai", "gpt-6-codex", "beast beast codex codex codex codex gpt-6"),
            ("openai", "gpt-5", "codex codex codex gpt gpt gpt gpt"),
            ("google", "gemini-3", "gemini gemini gemini gemini gemini gemini gemini"),
            ("x", "Trinity-1", "qwen trinity trinity trinity trinity trinity trinity"),
            ("moonshotai", "other", "qwen qwen default default default kimi kimi"),
            ("x", "Kimi-K2", "qwen qwen default kimi kimi kimi kimi"),
            ("x", "mock-model", "qwen qwen default default default default default"),
        ] {
            let all = versions.map(|version| chosen(version, provider, id)).join(" ");
            assert_eq!(all, prompts, "{provider}/{id}");
        }
    }
}
