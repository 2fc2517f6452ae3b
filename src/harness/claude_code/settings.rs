//! What decides the rest: command-line words, variables, and the layers of settings files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::answer::{Refusal, Standpoint, Warning};
use crate::formats::{Node, Value};
use crate::search::{Search, Told};
use crate::snapshot::{Ask, absolute};

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

/// Everything that was set, one way or the other.
pub(super) struct Settings {
    /// `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
    pub(super) config: PathBuf,
    /// Whether nothing is loaded at all, and what says so.
    pub(super) off: Option<&'static str>,
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
    /// Which AGENTS.md files are read.
    pub(super) mode: Mode,
    /// Where the memory is, unless at the usual place; `None` inside: it is switched off.
    pub(super) memory: Memory,
    /// The agent that the command line names.
    pub(super) agent: Option<String>,
    /// What takes the Skill tool away, and all skills with it.
    pub(super) no_skills: Option<String>,
    /// The skills that are not listed as they are, by their folders.
    pub(super) skills_shown: BTreeMap<String, Shown>,
    /// What is wrong with the files.
    pub(super) warnings: Vec<Warning>,
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

/// The words of the command line that matter.
#[derive(Default)]
struct Words {
    bare: bool,
    safe: bool,
    settings: Option<String>,
    sources: Option<String>,
    agent: Option<String>,
    added: Vec<String>,
}

impl Words {
    fn new(args: &[&str]) -> Words {
        let mut words = Words::default();
        let mut args = args.iter().copied().peekable();
        while let Some(arg) = args.next() {
            let (name, value) = arg.split_once('=').map_or((arg, None), |(name, value)| (name, Some(value.to_owned())));
            match name {
                "--bare" => words.bare = true,
                "--safe-mode" => words.safe = true,
                "--settings" => words.settings = value.or_else(|| args.next().map(str::to_owned)),
                "--setting-sources" => words.sources = value.or_else(|| args.next().map(str::to_owned)),
                "--agent" => words.agent = value.or_else(|| args.next().map(str::to_owned)),
                "--add-dir" => {
                    words.added.extend(value);
                    while let Some(dir) = args.next_if(|arg| !arg.starts_with('-')) {
                        words.added.push(dir.to_owned());
                    }
                }
                _ => {}
            }
        }
        words
    }
}

/// `1`, `true`, `yes` and `on` switch a variable on.
fn switched_on(search: &Search, name: &str) -> bool {
    search
        .env(name)
        .is_some_and(|value| matches!(value.trim().to_ascii_lowercase().as_str(), "1" | "true" | "yes" | "on"))
}

/// A layer of settings.
struct Layer {
    from: PathBuf,
    node: Node,
    /// Whether options of plugins count in it.
    trusted: bool,
}

impl Settings {
    /// Reads them all.
    pub(super) fn gather(at: &Standpoint, search: &mut Search) -> Told<Settings> {
        let args = at.option_list(super::ID, "args");
        let words = Words::new(&args);
        let config = match search.env("CLAUDE_CONFIG_DIR").filter(|dir| !dir.is_empty()) {
            Some(dir) => absolute(&at.cwd, Path::new(&dir)),
            None => at.home.join(".claude"),
        };
        let off = [
            (words.bare, "--bare"),
            (words.safe, "--safe-mode"),
            (switched_on(search, "CLAUDE_CODE_DISABLE_CLAUDE_MDS"), "CLAUDE_CODE_DISABLE_CLAUDE_MDS"),
            (switched_on(search, "CLAUDE_CODE_SAFE_MODE"), "CLAUDE_CODE_SAFE_MODE"),
            (switched_on(search, "CLAUDE_CODE_SIMPLE"), "CLAUDE_CODE_SIMPLE"),
        ];
        let source = |name| words.sources.as_ref().is_none_or(|list| list.split(',').any(|word| word.trim() == name));
        let added_count = switched_on(search, "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD");
        let added = if added_count {
            words.added.iter().map(|dir| absolute(&at.cwd, Path::new(dir))).collect()
        } else {
            Vec::new()
        };
        let mut settings = Settings {
            off: off.iter().find(|(on, _)| *on).map(|(_, name)| *name),
            user: source("user"),
            project: source("project"),
            local: source("local"),
            added,
            excludes: Vec::new(),
            mode: Mode::EitherKind,
            memory: Memory::Usual,
            agent: words.agent.clone(),
            no_skills: None,
            skills_shown: BTreeMap::new(),
            warnings: Vec::new(),
            config,
        };
        let layers = settings.layers(at, words.settings.as_deref(), search)?;
        settings.apply(&layers, at);
        if switched_on(search, "CLAUDE_CODE_DISABLE_AUTO_MEMORY") {
            settings.memory = Memory::Off("CLAUDE_CODE_DISABLE_AUTO_MEMORY is set".to_owned());
        }
        Ok(settings)
    }

    /// The layers, weakest first.
    fn layers(&mut self, at: &Standpoint, flag: Option<&str>, search: &mut Search) -> Told<Vec<Layer>> {
        let mut files = Vec::new();
        if self.user {
            files.push((self.config.join("settings.json"), true));
        }
        if self.project {
            files.push((at.cwd.join(".claude/settings.json"), false));
        }
        if self.local {
            files.push((at.cwd.join(".claude/settings.local.json"), false));
        }
        let inline = flag.filter(|flag| flag.trim_start().starts_with('{'));
        if let (Some(file), None) = (flag, inline) {
            files.push((absolute(&at.cwd, Path::new(file)), true));
        }
        let managed = Path::new(super::MANAGED).join("managed-settings.json");
        files.push((managed.clone(), true));
        search.expect(files.iter().map(|(path, _)| Ask::Content(path.clone())))?;
        let mut layers = Vec::new();
        for (path, trusted) in files {
            if path == managed
                && let Some(node) = inline.and_then(|json| self.parsed(Path::new("--settings"), json))
            {
                layers.push(Layer { from: PathBuf::from("--settings"), node, trusted: true });
            }
            let Ok(raw) = search.read(&path, "settings, weakest layer first")? else { continue };
            let Ok(text) = std::str::from_utf8(&raw) else { continue };
            if text.trim().is_empty() {
                continue;
            }
            if let Some(node) = self.parsed(&path, text) {
                layers.push(Layer { from: path, node, trusted });
            }
        }
        Ok(layers)
    }

    /// A layer's values, if it is JSON and every key that matters has its type: one wrong key takes the file with it.
    fn parsed(&mut self, path: &Path, text: &str) -> Option<Node> {
        let problem = match json(text) {
            Err(problem) => problem,
            Ok(node) => match wrong_type(&node) {
                None => return Some(node),
                Some(problem) => problem,
            },
        };
        self.warnings.push(Warning::at(
            "settings",
            path,
            format!("{}: {problem}; Claude Code ignores the whole file", path.display()),
        ));
        None
    }

    fn apply(&mut self, layers: &[Layer], at: &Standpoint) {
        for layer in layers {
            let node = &layer.node;
            let globs = node.get("claudeMdExcludes").and_then(Node::as_texts).into_iter().flatten();
            self.excludes.extend(globs.map(|glob| (glob.to_owned(), layer.from.clone())));
            match node.get("autoMemoryEnabled").and_then(Node::as_bool) {
                Some(false) => self.memory = Memory::Off(format!("autoMemoryEnabled in {}", layer.from.display())),
                Some(true) if matches!(self.memory, Memory::Off(_)) => self.memory = Memory::Usual,
                Some(true) | None => {}
            }
            if let Some(dir) = node.get("autoMemoryDirectory").and_then(Node::as_text).filter(|dir| !dir.is_empty())
                && !matches!(self.memory, Memory::Off(_))
            {
                let dir = dir
                    .strip_prefix("~/")
                    .map_or_else(|| absolute(&at.cwd, Path::new(dir)), |rest| absolute(&at.home, Path::new(rest)));
                self.memory = Memory::In(dir);
            }
            let denied = node.at_path(&["permissions", "deny"]).and_then(Node::as_texts).unwrap_or_default();
            if denied.contains(&"Skill") {
                self.no_skills = Some(format!("permissions.deny in {}", layer.from.display()));
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
            let options = ["pluginConfigs", super::PLUGIN, "options", "instructionFiles"];
            let mode = node.at_path(&options).filter(|_| layer.trusted).and_then(Node::as_text);
            self.mode = match mode {
                Some("claude-md-or-agents-md") => Mode::EitherKind,
                Some("claude-md-and-agents-md") => Mode::BothKinds,
                Some("claude-md") => Mode::ClaudeOnly,
                Some("managed-only") => Mode::ManagedOnly,
                Some(_) | None => self.mode,
            };
        }
        let enabled =
            layers.iter().rev().find_map(|layer| layer.node.at_path(&["enabledPlugins", super::PLUGIN])?.as_bool());
        if enabled == Some(false) {
            self.mode = Mode::ClaudeOnly;
        }
    }
}

/// What is wrong with the type of a key that matters.
fn wrong_type(node: &Node) -> Option<String> {
    if node.as_table().is_none() {
        return Some(format!("it is {}, and must be an object", node.value.kind()));
    }
    let wrong = |key: &str, right: fn(&Node) -> bool, wanted: &str| {
        let value = node.get(key)?;
        (!right(value)).then(|| format!("`{key}` is {}, and must be {wanted}", value.value.kind()))
    };
    wrong("claudeMdExcludes", |node| node.as_texts().is_some(), "a list of strings")
        .or_else(|| wrong("autoMemoryEnabled", |node| node.as_bool().is_some(), "a boolean"))
        .or_else(|| wrong("autoMemoryDirectory", |node| node.as_text().is_some(), "a string"))
        .or_else(|| wrong("enabledPlugins", |node| node.as_table().is_some(), "an object"))
        .or_else(|| wrong("pluginConfigs", |node| node.as_table().is_some(), "an object"))
}

/// Strict JSON, as values without spans.
fn json(text: &str) -> Result<Node, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    crate::formats::parse_json(text).map_err(|error| error.message)
}

/// Whether the user let the project's files import from outside: a value of the user's own JSON file that is not false,
/// zero or empty. A file that is no JSON stops the client.
pub(super) fn approved(
    config: &Path,
    at: &Standpoint,
    project: &Path,
    search: &mut Search,
) -> Told<Result<bool, Refusal>> {
    let given = search.env("CLAUDE_CONFIG_DIR").is_some_and(|dir| !dir.is_empty());
    let path = if given { config.join(".claude.json") } else { at.home.join(".claude.json") };
    let Ok(raw) = search.read(&path, "projects whose imports from outside were approved")? else {
        return Ok(Ok(false));
    };
    let text = crate::text::lossy_without_bom(&raw);
    if text.trim().is_empty() {
        return Ok(Ok(false));
    }
    let node = match json(&text) {
        Ok(node) => node,
        Err(problem) => {
            let message = format!("{}: {problem}; fix the JSON, or move the file aside", path.display());
            return Ok(Err(Refusal::new(path, message)));
        }
    };
    let key = project.to_string_lossy();
    let value = node.at_path(&["projects", &key, "hasClaudeMdExternalIncludesApproved"]);
    Ok(Ok(value.is_some_and(|value| match &value.value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Integer(value) => *value != 0,
        Value::Float(value) => *value != 0.0,
        Value::Text(text) | Value::Date(text) => !text.is_empty(),
        Value::List(_) | Value::Table(_) => true,
    })))
}
