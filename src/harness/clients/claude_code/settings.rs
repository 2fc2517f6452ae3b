//! The settings: arguments of the command line, variables, and the layers of settings files.

use std::collections::BTreeMap;
use std::iter::{self, Peekable};
use std::path::{Component, Path, PathBuf};

use super::denied::{self, Denied};
use super::directory::Directory;
use super::git::Checkout;
use super::hooks::{self, Hook};
use super::layers::{self, Layer, Layers, Origin, Wanted};
use super::plugins;
use super::servers::Servers;
use super::usage::SkillUsage;
use super::variables::{self, Variables};
use crate::answer::{Standpoint, Warning};
use crate::formats::{Node, Value};
use crate::search::{Halt, Known, Search};
use crate::snapshot::absolute;
use crate::text::js_trim;

/// Which AGENTS.md files are read besides CLAUDE.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// All of the walk, if it has no CLAUDE.md.
    EitherKind,
    /// All.
    BothKinds,
    /// None.
    ClaudeOnly,
    /// None, and no other files of the user or the project at the start.
    ManagedOnly,
}

/// Everything that was set, wherever.
pub(super) struct Settings {
    /// `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
    pub(super) config: Directory,
    /// Whether nothing is loaded at all, and what says so.
    pub(super) off: Option<&'static str>,
    /// Whether no instruction files are loaded, but skills are listed.
    pub(super) no_files: bool,
    /// Whether the user's files are read.
    pub(super) user: bool,
    /// Whether the project's files are read.
    pub(super) project: bool,
    /// Whether the local files of the project are read.
    pub(super) local: bool,
    /// Directories whose files are read besides the walk.
    pub(super) added: Vec<PathBuf>,
    /// The globs that take files out.
    pub(super) excludes: Vec<(String, PathBuf)>,
    /// What must not be read.
    pub(super) denied: Denied,
    /// Which AGENTS.md files are read.
    pub(super) mode: Mode,
    /// Where the memory is.
    pub(super) memory: Memory,
    /// What holds the memories of all projects.
    pub(super) memories: Directory,
    /// What stands for the text of the memory.
    pub(super) memory_text: Option<String>,
    /// `claudeMd` of the administrator's settings, and the file it stands in.
    pub(super) told: Option<(String, PathBuf)>,
    /// The agent that the command line or the settings name.
    pub(super) agent: Option<String>,
    /// Whether it was the command line; the client does not start when there is no agent of that name.
    pub(super) agent_is_needed: bool,
    /// The agents that the command line describes.
    pub(super) agents: Option<Node>,
    /// The model that the settings name.
    pub(super) model: Option<String>,
    /// What takes the place of the client's prompt.
    pub(super) system_prompt: Option<Prompt>,
    /// What follows the prompt.
    pub(super) appended_prompt: Option<Prompt>,
    /// The output style that the settings name.
    pub(super) output_style: Option<String>,
    /// What is said of MCP servers.
    pub(super) servers: Servers,
    /// Why no agents are listed.
    pub(super) no_agents: Option<String>,
    /// The agents that are not listed, and must not be called.
    pub(super) agents_off: Vec<String>,
    /// The directories that `--add-dir` adds, whether or not they give instruction files.
    pub(super) added_anyway: Vec<PathBuf>,
    /// The plugins that the settings switch on, with the names of their marketplaces.
    pub(super) plugins: Vec<String>,
    /// The plugins that the command line names.
    pub(super) plugin_dirs: Vec<PathBuf>,
    /// Why no skills are listed.
    pub(super) no_skills: Option<String>,
    /// The part of the model's window that the list of skills may have, and the file that says so.
    pub(super) skill_fraction: Option<(f64, String)>,
    /// Longest description in the list of skills, in UTF-16 units.
    pub(super) skill_description: Option<usize>,
    /// How many columns the list of skills may have, where a variable says so.
    pub(super) skill_columns: Option<usize>,
    /// How often skills were called for, and when last.
    pub(super) skill_usage: SkillUsage,
    /// Whether windows of a million tokens are switched off.
    pub(super) small_window: bool,
    /// The skills that are not listed as they are, by their folders.
    pub(super) skills_shown: BTreeMap<String, Shown>,
    /// Why it is not certain which files are denied.
    pub(super) unsure: Option<String>,
    /// The hooks of all layers.
    pub(super) hooks: Vec<Hook>,
    /// Whether no hooks run, those of plugins neither.
    pub(super) hooks_are_off: bool,
    /// What is wrong with the files.
    pub(super) warnings: Vec<Warning>,
    /// The user's own JSON file.
    pub(super) json: Option<Node>,
    /// Whether it is there, and has nothing in it.
    pub(super) json_is_empty: bool,
}

/// A text of the command line for the prompt.
#[derive(Clone)]
pub(super) enum Prompt {
    /// The option, and the text itself.
    Text(&'static str, String),
    /// The option, and the file that holds the text.
    File(&'static str, String),
}

impl Prompt {
    /// The option that gave it.
    pub(super) fn option(&self) -> &'static str {
        let (Prompt::Text(option, _) | Prompt::File(option, _)) = self;
        option
    }
}

/// What `skillOverrides` says of a skill.
pub(super) enum Shown {
    /// Its name alone is listed.
    NameOnly,
    /// It is not listed; the word that says so.
    Hidden(String),
}

/// Where the memory is.
pub(super) enum Memory {
    /// Nowhere, and what says so.
    Off(String),
    /// Where the project's slug says.
    Usual,
    /// In this directory.
    In(PathBuf),
}

/// The arguments of the command line that matter.
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

    /// Why the command line leaves no Skill tool.
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

    /// Why the command line leaves no Agent tool.
    fn no_agents(&self) -> Option<String> {
        if self.denied.iter().any(|rule| is_agent_tool(rule)) {
            return Some("--disallowedTools removes the Agent tool".to_owned());
        }
        let tools = self.tools.as_ref()?;
        let has =
            tools.iter().any(|tool| tool == "default" || is_agent_tool(tool.split('(').next().unwrap_or_default()));
        (!has).then(|| "--tools leaves the Agent tool out".to_owned())
    }

    /// A word of `--setting-sources` that the client does not know.
    fn unknown_source(&self) -> Option<&str> {
        let sources = self.sources.as_deref()?.split(',').map(str::trim);
        sources.filter(|word| !word.is_empty()).find(|word| !["user", "project", "local"].contains(word))
    }
}

/// Whether a rule or a tool is the one that calls agents, under either of its names.
fn is_agent_tool(rule: &str) -> bool {
    ["Agent", "Agent()", "Agent(*)", "Task", "Task()", "Task(*)"].contains(&rule)
}

/// The agent that a rule names: `Agent(name)`.
fn agent_of(rule: &str) -> Option<String> {
    let inside = rule.strip_prefix("Agent(").or_else(|| rule.strip_prefix("Task("))?;
    inside.strip_suffix(')').map(str::to_owned)
}

/// The values of an option that takes several: the one behind an equals sign, or every word up to the next option.
fn several<'a>(value: Option<String>, args: &mut Peekable<impl Iterator<Item = &'a str>>) -> Vec<String> {
    match value {
        Some(value) => vec![value],
        None => iter::from_fn(|| args.next_if(|arg| !arg.starts_with('-'))).map(str::to_owned).collect(),
    }
}

/// A directory of the command line: without white space at its ends, below the home directory behind a tilde.
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
    /// Reads them all.
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
        // Observed: on the command line the tool by itself is taken away, and no file with it.
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

    /// What the command line and the user's own state say, before any settings file is read.
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

    /// What variables say once all layers have set theirs.
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

    /// The layers, weakest first. Observed: one of them may move the user's directory, and the user's settings are then
    /// those that stand there.
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

    /// What the layers say, one after the other.
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
            self.apply_to_servers(&layer.node);
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
        self.plugins = plugins::switched_on(layers.iter().map(|layer| &layer.node));
        let enabled = layers.iter().rev().find_map(|layer| layer.node.at_path(&["enabledPlugins", super::PLUGIN]));
        if enabled.is_some_and(|enabled| enabled.as_bool() != Some(true)) {
            self.mode = Mode::ClaudeOnly;
        }
    }

    /// What `permissions.deny` of a layer keeps from being read, or from being used.
    fn deny(&mut self, layer: &Layer, at: &Standpoint) {
        let denied = layer.node.at_path(&["permissions", "deny"]).and_then(Node::as_list).unwrap_or_default();
        let denied: Vec<&str> = denied.iter().filter_map(Node::as_text).collect();
        let own = match &layer.origin {
            Origin::User => &self.config.path,
            Origin::Project | Origin::Flag | Origin::Managed => &at.cwd,
        };
        // Observed, but not understood: what a slash means in the local settings of a root above.
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

    /// What a layer says about the list of skills.
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

    /// Where the memory is. The strongest layer that names a directory decides, even if it names none that counts.
    fn place_memory(&mut self, layers: &[Layer], variables: &Variables, at: &Standpoint, search: &Search) {
        let elsewhere = variables.given(variables::MEMORIES, search);
        self.memories = elsewhere.map_or_else(|| self.config.clone(), |dir| Directory::new(&dir, &at.cwd));
        self.memory_text = variables.get(variables::MEMORY_TEXT, search);
        let strongest = |key: &str| layers.iter().rev().find_map(|layer| Some((layer, layer.node.get(key)?)));
        let named = strongest("autoMemoryDirectory").and_then(|(_, node)| node.as_text());
        let named = named.and_then(|dir| match dir.strip_prefix("~/") {
            Some(rest) => below(&at.home, rest),
            None => memory_directory(dir),
        });
        let given = variables.given(variables::MEMORY_DIR, search).and_then(|dir| memory_directory(&dir));
        let off = strongest("autoMemoryEnabled").filter(|(_, node)| node.as_bool() == Some(false));
        let stores = variables.get(variables::STORES, search).is_some_and(|stores| !stores.trim().is_empty());
        self.memory = match (variables.switched(variables::NO_MEMORY, search), off) {
            (Some(true), _) => Memory::Off(format!("{} is set", variables::NO_MEMORY)),
            (None, Some((layer, _))) => Memory::Off(format!("autoMemoryEnabled in {}", layer.from.display())),
            (Some(false), _) | (None, None) if stores => Memory::Off(format!("{} is set", variables::STORES)),
            (Some(false), _) | (None, None) => given
                .or(named)
                .map_or(Memory::Usual, |dir| Memory::In(Directory::new(&dir.to_string_lossy(), &at.cwd).path)),
        };
    }

    /// The path of the memory as the client says it.
    pub(super) fn said_memory(&self, path: &Path) -> String {
        match self.memory {
            Memory::Usual => self.memories.said(path),
            Memory::In(_) | Memory::Off(_) => path.display().to_string(),
        }
    }

    /// Whether the user let the files of a project import from outside: a value of the user's own JSON file that is not
    /// false, zero or empty.
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

/// Whether a directory is the home. Observed: where the home does not exist, every directory counts as it.
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

/// `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
fn config(variables: &Variables, at: &Standpoint, search: &Search) -> Directory {
    let usual = || at.home.join(".claude").to_string_lossy().into_owned();
    Directory::new(&variables.get(variables::CONFIG_DIR, search).unwrap_or_else(usual), &at.cwd)
}

/// A directory that may hold the memory: an absolute path, and no name of one letter at the top.
fn memory_directory(dir: &str) -> Option<PathBuf> {
    let path = absolute(Path::new("/"), Path::new(dir));
    (dir.starts_with('/') && !dir.contains('\0') && path.as_os_str().len() > 2).then_some(path)
}

/// What lies below the home directory, and is not the home directory itself.
fn below(home: &Path, rest: &str) -> Option<PathBuf> {
    let rest = Path::new(rest.trim_start_matches('/'));
    let mut depth = 0;
    for part in rest.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::ParentDir => depth -= 1,
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
        if depth < 0 {
            return None;
        }
    }
    (depth > 0).then(|| absolute(home, rest))
}

/// The user's own JSON file, and whether it is there without anything in it. One that is no JSON stops the client.
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
