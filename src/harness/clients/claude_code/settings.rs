//! Settings: arguments of the command line, environment variables, and the layers of settings files.

use std::collections::BTreeMap;
use std::iter::{self, Peekable};
use std::path::{Path, PathBuf};

use super::denied::{self, Denied};
use super::directory::Directory;
use super::git::Checkout;
use super::hooks::{self, Hook};
use super::layers::{self, Layer, Layers, Origin, Wanted};
use super::usage::SkillUsage;
use super::variables::{self, Variables};
use crate::answer::{Standpoint, Warning};
use crate::formats::{Node, Value};
use crate::search::{Halt, Known, Search};
use crate::snapshot::absolute;
use crate::text::js_trim;

mod memory;
mod servers;

pub(super) use memory::Memory;
use servers::Servers;

/// Selects the AGENTS.md files that are read besides CLAUDE.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// All AGENTS.md, if no CLAUDE.md is found from the root down to the working directory.
    EitherKind,
    /// All AGENTS.md.
    BothKinds,
    /// No AGENTS.md.
    ClaudeOnly,
    /// No AGENTS.md, and no other files of the user or the project at the start.
    ManagedOnly,
}

/// All settings of a session, from all sources.
pub(super) struct Settings {
    /// `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
    pub(super) config: Directory,
    /// Set if nothing is loaded at all: the option or variable that says so.
    pub(super) off: Option<&'static str>,
    /// True if no instruction files are loaded, but skills are listed.
    pub(super) no_files: bool,
    /// True if the user's files are read.
    pub(super) user: bool,
    /// True if the project's files are read.
    pub(super) project: bool,
    /// True if the local files of the project are read.
    pub(super) local: bool,
    /// Directories whose files are read besides those from the root down to the working directory.
    pub(super) added: Vec<PathBuf>,
    /// Globs of `claudeMdExcludes`, each with its settings file.
    pub(super) excludes: Vec<(String, PathBuf)>,
    /// Files that must not be read.
    pub(super) denied: Denied,
    /// Selects the AGENTS.md files that are read.
    pub(super) mode: Mode,
    /// Location of the memory.
    pub(super) memory: Memory,
    /// Directory that holds the memories of all projects.
    pub(super) memories: Directory,
    /// Text that replaces the text of the memory file.
    pub(super) memory_text: Option<String>,
    /// The key `claudeMd` of the administrator's settings, and the file that sets it.
    pub(super) told: Option<(String, PathBuf)>,
    /// Agent named by the command line or the settings.
    pub(super) agent: Option<String>,
    /// True if the command line named the agent; the client does not start if there is no agent of that name.
    pub(super) agent_is_needed: bool,
    /// Agents described on the command line.
    pub(super) agents: Option<Node>,
    /// Name of the model: from the command line, a variable, or the settings.
    pub(super) model: Option<String>,
    /// Text that replaces the client's prompt.
    pub(super) system_prompt: Option<Prompt>,
    /// Text that is appended to the prompt.
    pub(super) appended_prompt: Option<Prompt>,
    /// Output style named by the settings.
    pub(super) output_style: Option<String>,
    /// Settings about MCP servers.
    pub(super) servers: Servers,
    /// Reason why no agents are listed.
    pub(super) no_agents: Option<String>,
    /// Agents that are not listed and must not be called.
    pub(super) agents_off: Vec<String>,
    /// Directories added by `--add-dir`, whether or not their instruction files are read.
    pub(super) added_anyway: Vec<PathBuf>,
    /// Plugins that the settings enable, with the names of their marketplaces.
    pub(super) plugins: Vec<String>,
    /// Plugin directories named by the command line.
    pub(super) plugin_dirs: Vec<PathBuf>,
    /// Reason why no skills are listed.
    pub(super) no_skills: Option<String>,
    /// Fraction of the model's context window for the list of skills, and the file that sets it.
    pub(super) skill_fraction: Option<(f64, String)>,
    /// Maximum length of a description in the list of skills, in UTF-16 units.
    pub(super) skill_description: Option<usize>,
    /// Maximum number of columns for the list of skills, if a variable sets it.
    pub(super) skill_columns: Option<usize>,
    /// Usage of each skill: number of calls and last use.
    pub(super) skill_usage: SkillUsage,
    /// True if context windows of a million tokens are disabled.
    pub(super) small_window: bool,
    /// Overrides for how skills are listed, by the skill's folder.
    pub(super) skills_shown: BTreeMap<String, Shown>,
    /// Reason why the set of denied files is uncertain.
    pub(super) unsure: Option<String>,
    /// Hooks of all layers.
    pub(super) hooks: Vec<Hook>,
    /// True if no hooks run, including those of plugins.
    pub(super) hooks_are_off: bool,
    /// Problems of the settings files.
    pub(super) warnings: Vec<Warning>,
    /// Content of the user's own JSON file, `.claude.json`.
    pub(super) json: Option<Node>,
    /// True if that file exists and is empty.
    pub(super) json_is_empty: bool,
}

/// A text for the prompt, given on the command line.
#[derive(Clone)]
pub(super) enum Prompt {
    /// Option, and the text itself.
    Text(&'static str, String),
    /// Option, and the file that holds the text.
    File(&'static str, String),
}

impl Prompt {
    /// Returns the option that gave the text.
    pub(super) fn option(&self) -> &'static str {
        let (Prompt::Text(option, _) | Prompt::File(option, _)) = self;
        option
    }
}

/// Value of `skillOverrides` for a skill.
pub(super) enum Shown {
    /// Only the name is listed.
    NameOnly,
    /// The skill is not listed; the value that says so.
    Hidden(String),
}

/// Arguments of the command line that matter here.
#[derive(Default)]
struct Arguments {
    bare: bool,
    safe: bool,
    settings: Option<String>,
    sources: Option<String>,
    agent: Option<String>,
    model: Option<String>,
    agents: Option<String>,
    added: Vec<String>,
    plugins: Vec<String>,
    denied: Vec<String>,
    tools: Option<Vec<String>>,
    no_commands: bool,
    system_prompt: Option<Prompt>,
    appended_prompt: Option<Prompt>,
    servers: Vec<String>,
    servers_alone: bool,
}

impl Arguments {
    fn new(args: &[&str]) -> Arguments {
        let mut arguments = Arguments::default();
        type Words<'w, 'a> = &'w mut dyn Iterator<Item = &'a str>;
        let next = |value: Option<String>, args: Words| value.or_else(|| args.next().map(str::to_owned));
        let text = |option, value, args: Words| next(value, args).map(|text| Prompt::Text(option, text));
        let file = |option, value, args: Words| next(value, args).map(|file| Prompt::File(option, file));
        let mut args = args.iter().copied().peekable();
        while let Some(arg) = args.next() {
            let (name, value) = arg.split_once('=').map_or((arg, None), |(name, value)| (name, Some(value.to_owned())));
            match name {
                "--bare" => arguments.bare = true,
                "--safe-mode" => arguments.safe = true,
                "--settings" => arguments.settings = value.or_else(|| args.next().map(str::to_owned)),
                "--setting-sources" => arguments.sources = value.or_else(|| args.next().map(str::to_owned)),
                "--agent" => arguments.agent = value.or_else(|| args.next().map(str::to_owned)),
                "--model" => arguments.model = value.or_else(|| args.next().map(str::to_owned)),
                "--agents" => arguments.agents = value.or_else(|| args.next().map(str::to_owned)),
                "--plugin-dir" => arguments.plugins.extend(value.or_else(|| args.next().map(str::to_owned))),
                "--mcp-config" => arguments.servers.extend(several(value, &mut args)),
                "--strict-mcp-config" => arguments.servers_alone = true,
                "--system-prompt" => arguments.system_prompt = text("--system-prompt", value, &mut args),
                "--system-prompt-file" => arguments.system_prompt = file("--system-prompt-file", value, &mut args),
                "--append-system-prompt" => {
                    arguments.appended_prompt = text("--append-system-prompt", value, &mut args);
                }
                "--append-system-prompt-file" => {
                    arguments.appended_prompt = file("--append-system-prompt-file", value, &mut args);
                }
                "--disable-slash-commands" => arguments.no_commands = true,
                "--tools" => {
                    let rules = several(value, &mut args);
                    arguments.tools.get_or_insert_default().extend(rules.iter().flat_map(|rules| denied::rules(rules)));
                }
                "--add-dir" => {
                    arguments.added.extend(several(value, &mut args));
                }
                "--disallowedTools" | "--disallowed-tools" => {
                    arguments.denied.extend(several(value, &mut args).iter().flat_map(|rules| denied::rules(rules)));
                }
                _ => {}
            }
        }
        arguments
    }

    /// Returns the reason why the command line removes the Skill tool, if it does.
    fn no_skills(&self) -> Option<String> {
        let denies = |rule: &String| ["Skill", "Skill()", "Skill(*)"].contains(&rule.as_str());
        if self.no_commands {
            return Some("--disable-slash-commands disables skills and commands".to_owned());
        }
        if self.denied.iter().any(denies) {
            return Some("--disallowedTools removes the Skill tool".to_owned());
        }
        let tools = self.tools.as_ref()?;
        let has = tools.iter().any(|tool| tool == "default" || tool == "Skill");
        (!has).then(|| "--tools leaves the Skill tool out".to_owned())
    }

    /// Returns the reason why the command line removes the Agent tool, if it does.
    fn no_agents(&self) -> Option<String> {
        if self.denied.iter().any(|rule| is_agent_tool(rule)) {
            return Some("--disallowedTools removes the Agent tool".to_owned());
        }
        let tools = self.tools.as_ref()?;
        let has =
            tools.iter().any(|tool| tool == "default" || is_agent_tool(tool.split('(').next().unwrap_or_default()));
        (!has).then(|| "--tools leaves the Agent tool out".to_owned())
    }

    /// Returns the first word of `--setting-sources` that the client does not know.
    fn unknown_source(&self) -> Option<&str> {
        let sources = self.sources.as_deref()?.split(',').map(str::trim);
        sources.filter(|word| !word.is_empty()).find(|word| !["user", "project", "local"].contains(word))
    }
}

/// Returns true if a rule or a tool is the one that calls agents, under either of its names.
fn is_agent_tool(rule: &str) -> bool {
    ["Agent", "Agent()", "Agent(*)", "Task", "Task()", "Task(*)"].contains(&rule)
}

/// Returns the agent named by a rule such as `Agent(name)`.
fn agent_of(rule: &str) -> Option<String> {
    let inside = rule.strip_prefix("Agent(").or_else(|| rule.strip_prefix("Task("))?;
    inside.strip_suffix(')').map(str::to_owned)
}

/// Returns the values of an option that takes several: the one after an equals sign, or every word up to the next
/// option.
fn several<'a>(value: Option<String>, args: &mut Peekable<impl Iterator<Item = &'a str>>) -> Vec<String> {
    match value {
        Some(value) => vec![value],
        None => iter::from_fn(|| args.next_if(|arg| !arg.starts_with('-'))).map(str::to_owned).collect(),
    }
}

/// Resolves a directory of the command line: trims white space, and expands a leading tilde to the home directory.
fn added(dir: &str, at: &Standpoint) -> PathBuf {
    match js_trim(dir) {
        "~" => at.home.clone(),
        dir => match dir.strip_prefix("~/") {
            Some(rest) => absolute(&at.home, Path::new(rest.trim_start_matches('/'))),
            None => absolute(&at.cwd, Path::new(dir)),
        },
    }
}

impl Settings {
    /// Reads all settings.
    pub(super) fn gather(at: &Standpoint, checkout: Option<&Checkout>, search: &mut Search) -> Known<Settings> {
        let args = at.option_list(super::ID, "args");
        let arguments = Arguments::new(&args);
        if let Some(word) = arguments.unknown_source() {
            let message = format!("--setting-sources: `{word}` is not one of user, project and local");
            return Err(Halt::refused("--setting-sources", message));
        }
        let (json, json_is_empty) = users_json(at, search)?;
        let mut variables = Variables::default();
        variables.take(json.as_ref().and_then(|json| json.get("env")), true);
        let config = config(&variables, at, search);
        let mut settings = Settings::before_layers(&arguments, config, (json, json_is_empty), at);
        let layers = settings.layers(at, checkout, arguments.settings.as_deref(), &mut variables, search)?;
        settings.take_variables(&arguments, &variables, search);
        settings.apply(&layers, at);
        // Observed: on the command line, `Read` without a pattern removes the tool, but denies no file.
        for rule in arguments.denied.iter().filter(|rule| !["Read", "Read()", "Read(*)"].contains(&rule.as_str())) {
            settings.denied.add(rule, &at.cwd, &at.cwd, &at.home);
        }
        settings.no_skills = arguments.no_skills().or(settings.no_skills);
        settings.no_agents = arguments.no_agents().or(settings.no_agents);
        settings.agents_off.extend(arguments.denied.iter().filter_map(|rule| agent_of(rule)));
        let model = layers.iter().rev().find_map(|layer| layer.node.get("model")).and_then(Node::as_text);
        settings.model =
            arguments.model.clone().or_else(|| variables.given(variables::MODEL, search)).or(model.map(str::to_owned));
        let named = layers.iter().rev().find_map(|layer| layer.node.get("agent")).and_then(Node::as_text);
        settings.agent = arguments.agent.clone().or_else(|| named.filter(|name| !name.is_empty()).map(str::to_owned));
        settings.place_memory(&layers, &variables, at, search);
        Ok(settings)
    }

    /// Creates the settings from the command line and the user's own state, before any settings file is read.
    fn before_layers(
        arguments: &Arguments,
        config: Directory,
        (json, json_is_empty): (Option<Node>, bool),
        at: &Standpoint,
    ) -> Settings {
        let has_source =
            |name| arguments.sources.as_ref().is_none_or(|list| list.split(',').any(|word| word.trim() == name));
        Settings {
            memories: config.clone(),
            config,
            off: None,
            no_files: false,
            user: has_source("user"),
            project: has_source("project"),
            local: has_source("local"),
            added: Vec::new(),
            excludes: Vec::new(),
            denied: Denied::default(),
            mode: Mode::EitherKind,
            memory: Memory::Usual,
            memory_text: None,
            told: None,
            agent: None,
            agent_is_needed: arguments.agent.is_some(),
            agents: arguments.agents.as_deref().and_then(|agents| crate::formats::parse_json(agents).ok()),
            model: None,
            system_prompt: arguments.system_prompt.clone(),
            appended_prompt: arguments.appended_prompt.clone(),
            output_style: None,
            servers: Servers { given: arguments.servers.clone(), strict: arguments.servers_alone, off: Vec::new() },
            no_agents: None,
            agents_off: Vec::new(),
            added_anyway: arguments.added.iter().map(|dir| added(dir, at)).collect(),
            plugins: Vec::new(),
            plugin_dirs: arguments.plugins.iter().map(|dir| added(dir, at)).collect(),
            no_skills: None,
            skill_fraction: None,
            skill_description: None,
            skill_columns: None,
            skill_usage: SkillUsage::read(json.as_ref()),
            small_window: false,
            skills_shown: BTreeMap::new(),
            unsure: None,
            hooks: Vec::new(),
            hooks_are_off: false,
            warnings: Vec::new(),
            json,
            json_is_empty,
        }
    }

    /// Applies the variables, after all layers have set theirs.
    fn take_variables(&mut self, arguments: &Arguments, variables: &Variables, search: &Search) {
        self.off = [
            (arguments.bare, "--bare"),
            (arguments.safe, "--safe-mode"),
            (variables.on(variables::SAFE_MODE, search), variables::SAFE_MODE),
            (variables.on(variables::SIMPLE, search), variables::SIMPLE),
        ]
        .iter()
        .find(|(on, _)| *on)
        .map(|(_, name)| *name);
        self.no_files = variables.on(variables::NO_FILES, search);
        let columns = variables.given(variables::SKILL_COLUMNS, search);
        let columns = columns.and_then(|columns| columns.trim().parse::<f64>().ok()).filter(|columns| *columns != 0.0);
        self.skill_columns = columns.map(|columns| columns.max(0.0) as usize);
        self.small_window = variables.on(variables::NO_LARGE_WINDOW, search);
        if variables.on(variables::ADDED_GIVE, search) {
            self.added = self.added_anyway.clone();
        }
    }

    /// Reads the layers, weakest first. Observed: a layer may move the user's directory; the user's settings are then
    /// read from the new directory.
    fn layers(
        &mut self,
        at: &Standpoint,
        checkout: Option<&Checkout>,
        flag: Option<&str>,
        variables: &mut Variables,
        search: &mut Search,
    ) -> Known<Vec<Layer>> {
        let mut moves = 0;
        let main = match checkout {
            Some(checkout) if !is_home(&checkout.main, &at.home, search)? => Some(checkout.main.as_path()),
            Some(_) | None => None,
        };
        loop {
            let Settings { config, user, project, local, .. } = &*self;
            let (config, cwd) = (config.path.as_path(), at.cwd.as_path());
            let wanted = Wanted { config, cwd, main, user: *user, project: *project, local: *local, flag };
            let Layers { list, warnings } = layers::read(&wanted, search)?;
            for layer in &list {
                variables.take(layer.node.get("env"), layer.is_trusted());
            }
            self.warnings = warnings;
            let moved = self::config(variables, at, search);
            moves += 1;
            if moved == self.config || moves > 2 {
                return Ok(list);
            }
            self.config = moved;
        }
    }

    /// Applies the layers, weakest first.
    fn apply(&mut self, layers: &[Layer], at: &Standpoint) {
        self.hooks = hooks::of_layers(layers);
        self.hooks_are_off = hooks::are_off(layers);
        for layer in layers {
            let node = &layer.node;
            let globs = node.get("claudeMdExcludes").and_then(Node::as_texts).into_iter().flatten();
            self.excludes.extend(globs.map(|glob| (glob.to_owned(), layer.from.clone())));
            if layer.origin == Origin::Managed
                && let Some(text) = node.get("claudeMd").and_then(Node::as_text)
            {
                self.told = Some((text.to_owned(), layer.from.clone())).filter(|(text, _)| !text.is_empty());
            }
            self.deny(layer, at);
            let style = node.get("outputStyle").and_then(Node::as_text).map(str::to_owned);
            self.output_style = style.or(self.output_style.take());
            self.apply_to_skills(layer);
            self.servers.apply(&layer.node);
            let options = ["pluginConfigs", super::PLUGIN, "options", "instructionFiles"];
            let mode = node.at_path(&options).filter(|_| layer.is_trusted()).and_then(Node::as_text);
            self.mode = match mode {
                Some("claude-md-or-agents-md") => Mode::EitherKind,
                Some("claude-md-and-agents-md") => Mode::BothKinds,
                Some("claude-md") => Mode::ClaudeOnly,
                Some("managed-only") => Mode::ManagedOnly,
                Some(_) | None => self.mode,
            };
        }
        self.plugins = layers::enabled_plugins(layers.iter().map(|layer| &layer.node));
        let enabled = layers.iter().rev().find_map(|layer| layer.node.at_path(&["enabledPlugins", super::PLUGIN]));
        if enabled.is_some_and(|enabled| enabled.as_bool() != Some(true)) {
            self.mode = Mode::ClaudeOnly;
        }
    }

    /// Applies `permissions.deny` of a layer: files that may not be read, tools and agents that may not be used.
    fn deny(&mut self, layer: &Layer, at: &Standpoint) {
        let denied = layer.node.at_path(&["permissions", "deny"]).and_then(Node::as_list).unwrap_or_default();
        let denied: Vec<&str> = denied.iter().filter_map(Node::as_text).collect();
        let own = match &layer.origin {
            Origin::User => &self.config.path,
            Origin::Project | Origin::Flag | Origin::Managed => &at.cwd,
        };
        // Not known: what a leading slash means in the local settings of a root that is above the working directory.
        let above = layer.origin == Origin::Project && !layer.from.starts_with(&at.cwd);
        if above && denied.iter().any(|rule| rule.starts_with("Read(/") && !rule.starts_with("Read(//")) {
            self.unsure =
                Some(format!("{}: where a rule behind a slash begins was not recorded", layer.from.display()));
        }
        for rule in &denied {
            self.denied.add(rule, own, &at.cwd, &at.home);
        }
        if denied.iter().any(|rule| is_agent_tool(rule)) {
            self.no_agents = Some(format!("permissions.deny in {} removes the Agent tool", layer.from.display()));
        }
        self.agents_off.extend(denied.iter().filter_map(|rule| agent_of(rule)));
        if denied.contains(&"Skill") || denied.contains(&"Skill(*)") {
            self.no_skills = Some(format!("permissions.deny in {} removes the Skill tool", layer.from.display()));
        }
    }

    /// Applies the settings of a layer for the list of skills.
    fn apply_to_skills(&mut self, layer: &Layer) {
        let node = &layer.node;
        if let Some(fraction) = node.get("skillListingBudgetFraction").and_then(number) {
            self.skill_fraction = Some((fraction, layer.from.display().to_string()));
        }
        if let Some(longest) = node.get("skillListingMaxDescChars").and_then(number) {
            self.skill_description = Some(longest as usize);
        }
        for (folder, word) in node.get("skillOverrides").and_then(Node::as_table).into_iter().flatten() {
            match word.as_text() {
                Some("name-only") => self.skills_shown.insert(folder.clone(), Shown::NameOnly),
                Some(word @ ("off" | "user-invocable-only")) => {
                    self.skills_shown.insert(folder.clone(), Shown::Hidden(word.to_owned()))
                }
                Some(_) | None => self.skills_shown.remove(folder),
            };
        }
    }

    /// Returns true if the user allowed the files of a project to import files from outside: the value in the user's
    /// JSON file is not false, zero or empty.
    pub(super) fn approved(&self, project: &Path) -> bool {
        let keys = ["projects", &project.to_string_lossy(), "hasClaudeMdExternalIncludesApproved"];
        let value = self.json.as_ref().and_then(|json| json.at_path(&keys));
        value.is_some_and(|value| match &value.value {
            Value::Null => false,
            Value::Bool(value) => *value,
            Value::Integer(value) => *value != 0,
            Value::Float(value) => *value != 0.0,
            Value::Text(text) | Value::Date(text) => !text.is_empty(),
            Value::List(_) | Value::Table(_) => true,
        })
    }
}

/// Returns true if a directory is the home directory. Observed: if the home directory does not exist, every directory
/// counts as it.
fn is_home(dir: &Path, home: &Path, search: &mut Search) -> Known<bool> {
    let home = search.real(home)?;
    Ok(home.is_err() || home == search.real(dir)?)
}

fn number(node: &Node) -> Option<f64> {
    match node.value {
        Value::Integer(number) => Some(number as f64),
        Value::Float(number) => Some(number),
        Value::Null | Value::Bool(_) | Value::Text(_) | Value::Date(_) | Value::List(_) | Value::Table(_) => None,
    }
}

/// Returns the user's directory: `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
fn config(variables: &Variables, at: &Standpoint, search: &Search) -> Directory {
    let usual = || at.home.join(".claude").to_string_lossy().into_owned();
    Directory::new(&variables.get(variables::CONFIG_DIR, search).unwrap_or_else(usual), &at.cwd)
}

/// Reads the user's own JSON file; the second value is true if it exists and is empty. Invalid JSON stops the client.
fn users_json(at: &Standpoint, search: &mut Search) -> Known<(Option<Node>, bool)> {
    let path = match search.env(variables::CONFIG_DIR).filter(|dir| !dir.is_empty()) {
        Some(dir) => absolute(&at.cwd, Path::new(&dir)).join(".claude.json"),
        None => at.home.join(".claude.json"),
    };
    let Ok(raw) = search.read(&path, "variables, and projects whose imports from outside were approved")? else {
        return Ok((None, false));
    };
    let text = crate::text::lossy_without_bom(&raw);
    if text.trim().is_empty() {
        return Ok((None, true));
    }
    match layers::parsed(&text) {
        Ok(node) => Ok((Some(node), false)),
        Err(problem) => {
            let message = format!("{}: {problem}; fix the JSON, or move the file aside", path.display());
            Err(Halt::refused(path, message))
        }
    }
}
