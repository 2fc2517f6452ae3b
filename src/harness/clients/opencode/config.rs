//! The settings of every layer, merged as OpenCode merges them: `instructions` are concatenated, everything else is
//! replaced.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::brand::{Invalid, RuleFolders};
use super::flags::Flags;
use super::merge::merge;
use super::places::{Owner, Places};
use super::rules::{ContentVariable, Denied, FindError, Forms, Logins, MissingConfigDir, SettingsOrder};
use super::variables::{Substituted, Target};
use super::{OpenCode, agents, kilo, older_words, references, schema, variables};
use crate::answer::{Answer, Certain, Standpoint, Warning};
use crate::formats::{self, Node, Value};
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Ask, Errno, FileType, Remote, Unreadable, absolute};
use crate::text;

/// Merged settings.
pub(super) struct Config {
    /// Entries of `instructions` in order, each with the settings file that has it.
    pub instructions: Vec<(String, String)>,
    /// Maps each text that came from the environment or from a file to the reference written in the settings.
    written: HashMap<String, String>,
    /// All other settings, merged.
    merged: Node,
    /// Directories that may contain settings, skills and agents, in order.
    pub directories: Vec<PathBuf>,
    /// Settings files into which OpenCode writes a `$schema` at the start, with their text after that.
    pub rewritten: HashMap<PathBuf, String>,
    /// Settings file that sets `default_agent`.
    pub default_agent_from: Option<PathBuf>,
    /// Configured plugins, and the plugin files of the directories.
    pub plugins: Vec<String>,
    /// Owner of each entry of `instructions` or `skills.paths`: the user, if any settings of the user have it.
    owners: HashMap<String, Owner>,
    /// Invalid settings files that do not stop the client, with the reason.
    passed_over: Vec<(PathBuf, String)>,
    /// Reasons for uncertainty.
    doubts: Vec<String>,
}

impl Config {
    /// Reads every layer, lowest first.
    pub fn gather(
        edition: &OpenCode,
        at: &Standpoint,
        flags: &Flags,
        places: &Places,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Known<Config> {
        let mut layers = Layers {
            config: Config {
                instructions: Vec::new(),
                written: HashMap::new(),
                merged: NOTHING,
                directories: Vec::new(),
                rewritten: HashMap::new(),
                default_agent_from: None,
                plugins: Vec::new(),
                owners: HashMap::new(),
                passed_over: Vec::new(),
                doubts: Vec::new(),
            },
            places,
            variables: HashMap::new(),
            edition,
        };
        layers.read(at, flags, places, search, answer)?;
        let mut config = layers.config;
        for (path, problem) in config.passed_over.drain(..) {
            answer.warnings.push(Warning::at("settings-passed-over", path, format!("{problem}; they are passed over")));
        }
        config.doubts.drain(..).for_each(|doubt| answer.doubt(&[Certain::Set], doubt));
        Ok(config)
    }

    /// Returns the owner of an entry of `instructions` or `skills.paths`.
    pub fn owner(&self, entry: &str) -> Owner {
        self.owners.get(entry).copied().unwrap_or(Owner::Project)
    }

    /// Returns the setting at a path.
    pub fn get(&self, path: &[&str]) -> Option<&Node> {
        self.merged.at_path(path)
    }

    /// Returns a setting that is a text.
    pub fn text(&self, path: &[&str]) -> Option<&str> {
        self.get(path)?.as_text()
    }

    /// Returns a text of the settings as it may be shown: as it is written, because its value may be a secret.
    pub fn shown<'a>(&'a self, text: &'a str) -> &'a str {
        self.written.get(text).map_or(text, String::as_str)
    }

    /// Returns a setting that is a list of texts.
    pub fn texts(&self, path: &[&str]) -> Vec<&str> {
        self.get(path).and_then(Node::as_texts).unwrap_or_default()
    }
}

/// State of merging the layers one after the other.
struct Layers<'a> {
    edition: &'a OpenCode,
    config: Config,
    places: &'a Places,
    /// Variables from logins, for `{env:…}`.
    variables: HashMap<String, String>,
}

impl Layers<'_> {
    fn read(
        &mut self,
        at: &Standpoint,
        flags: &Flags,
        places: &Places,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Known<()> {
        if self.edition.brand.rules == RuleFolders::OfKilo {
            for rule in kilo::rules(places, search)? {
                let text = rule.to_string_lossy().into_owned();
                self.config.owners.insert(text.clone(), places.owner(&rule));
                self.config.instructions.push((text, kilo::RULES.to_owned()));
            }
            merge(&mut self.config.merged, kilo::modes(places, search)?);
            self.config.doubts.extend(kilo::doubts(places, search)?);
        }
        self.of_logins(at, search, answer)?;
        self.global(places, search)?;
        if let Some(named) = search.env(&self.edition.brand.variable("CONFIG")).filter(|path| !path.is_empty()) {
            self.add_file(&absolute(&at.cwd, Path::new(&named)), Owner::User, search)?;
        }
        if !flags.no_project {
            let files = project_files(self.edition, places, search)?;
            search.expect(files.iter().cloned().map(Ask::Content))?;
            for file in files {
                self.add_file(&file, Owner::Project, search)?;
            }
        }
        self.directories(flags, places, search)?;
        let name = self.edition.brand.variable("CONFIG_CONTENT");
        if let Some(content) = search.secret_env(&name).filter(|text| !text.is_empty()) {
            let parsed = match self.edition.settings.content {
                ContentVariable::LikeAFile => self.parse(&content, &at.cwd, Path::new(&name), Owner::User, search)?,
                ContentVariable::PlainJson => match formats::parse_json(&content) {
                    Ok(node) => Some(node),
                    Err(error) => {
                        let message = format!("not valid JSON: {}", error.with_position(&content));
                        return Err(Halt::refused(Path::new(&name), message));
                    }
                },
            };
            if let Some(parsed) = parsed {
                self.add(&name, parsed, Owner::User);
            }
        }
        self.managed(at, search)?;
        self.complete(search);
        Ok(())
    }

    /// Adds the global settings files. Among these, a list replaces the one before.
    fn global(&mut self, places: &Places, search: &mut Search) -> Known<()> {
        let mut merged = NOTHING;
        // Files recorded as the sources of `instructions` and `default_agent`.
        let (mut of_instructions, mut of_agent) = (places.xdg.clone(), None);
        let broken_before = self.config.passed_over.len();
        for name in self.edition.brand.global_files {
            let file = places.xdg.join(name);
            if let Some(node) = self.read_file(&file, Owner::User, search)? {
                if node.get("instructions").is_some() {
                    of_instructions.clone_from(&file);
                }
                of_agent = node.get("default_agent").map(|_| file).or(of_agent);
                merge(&mut merged, node);
            }
        }
        // These files are read before all others, and errors in them always stop the client.
        if self.config.passed_over.len() > broken_before
            && let Some((path, problem)) = self.config.passed_over.pop()
        {
            return Err(Halt::refused(path, problem));
        }
        self.add(&of_instructions.display().to_string(), merged, Owner::User);
        self.config.default_agent_from = of_agent;
        Ok(())
    }

    /// Adds the settings of the servers to which the user is logged in.
    fn of_logins(&mut self, at: &Standpoint, search: &mut Search, answer: &mut Answer) -> Known<()> {
        let (logins, signed_in) = logins(self.edition, at, search)?;
        if signed_in && at.model.as_deref().is_none_or(|model| model.starts_with("openai/")) {
            let title = self.edition.brand.title;
            let reason =
                format!("{title} is signed in to OpenAI, and how it sends its prompt then was not asked of the client");
            answer.doubt(&[Certain::Order, Certain::Text], reason);
        }
        for login in logins {
            self.variables.insert(login.key, login.token);
            let url = format!("{}/.well-known/opencode", login.server.trim_end_matches('/'));
            let from = Path::new(&url);
            let text = match search.remote(&url, "settings of a server that somebody is logged in to")? {
                Remote::NotFetched => {
                    let message = format!("{url} has further settings, which were not fetched");
                    answer.warnings.push(Warning::at("remote-settings", &login.file, message.clone()));
                    answer.doubt(&[Certain::Set], message);
                    continue;
                }
                Remote::Failed(why) => {
                    self.invalid::<()>(from, format!("{why}; {} stops without it", self.edition.brand.title))?;
                    continue;
                }
                Remote::Body(raw) | Remote::Moved { body: raw, .. } => raw.text_without_bom().into_owned(),
            };
            // The text is JSON; the other parser also returns positions.
            let said = match formats::parse_json(&text).and_then(|_| formats::parse_jsonc(&text)) {
                Ok(said) => said,
                Err(error) => {
                    let message = format!("not valid JSON: {}", error.with_position(&text));
                    self.invalid::<()>(from, message)?;
                    continue;
                }
            };
            if said.get("remote_config").is_some_and(|more| more.as_table().is_some()) {
                let message = format!("{url} names further settings elsewhere, which are not asked for");
                answer.warnings.push(Warning::at("remote-settings", &login.file, message.clone()));
                answer.doubt(&[Certain::Set], message);
            }
            let Some(config) = said.get("config").filter(|config| config.as_table().is_some()) else { continue };
            let dir = PathBuf::from(format!("{}/.well-known", login.server));
            if let Some(node) = self.parse(&text[config.at.clone()], &dir, from, Owner::User, search)? {
                self.add(&url, node, Owner::User);
            }
        }
        Ok(())
    }

    /// Adds the settings, agents and plugins of every configuration directory.
    fn directories(&mut self, flags: &Flags, places: &Places, search: &mut Search) -> Known<()> {
        let brand = self.edition.brand;
        let dirs = configuration_directories(self.edition, flags, places, search)?;
        let named = places.named_config_dir();
        search.expect(dirs.iter().cloned().map(Ask::Kind))?;
        let names = self.edition.settings.order.names(brand);
        let is_named = |dir: &Path| named.as_deref() == Some(dir);
        let holds_settings = |dir: &Path| {
            let dir_bytes = dir.as_os_str().as_encoded_bytes();
            is_named(dir) || brand.directories.iter().any(|name| dir_bytes.ends_with(name.as_bytes()))
        };
        search.expect(
            dirs.iter()
                .filter(|dir| holds_settings(dir))
                .flat_map(|dir| names.iter().map(|name| Ask::Content(dir.join(name)))),
        )?;
        search.expect(dirs.iter().flat_map(|dir| agents::globs(self.edition, dir)))?;
        for dir in &dirs {
            let found = search.stat(dir, "settings directory: the client makes one that is missing")?;
            let owner = if is_named(dir) { Owner::User } else { places.owner(dir) };
            if let Ok(meta) = found
                && meta.kind != FileType::Dir
            {
                let message = format!("{} is a {}, not a directory", dir.display(), meta.kind.word());
                return Err(Halt::refused(dir, message));
            }
            if holds_settings(dir) {
                for name in names {
                    self.add_file(&dir.join(name), owner, search)?;
                }
            }
            if found.is_ok() {
                agents::check_commands(self.edition, dir, search)?;
                let agents = agents::read(self.edition, dir, &mut self.config.doubts, search)?;
                merge(&mut self.config.merged, agents);
                self.config.plugins.extend(agents::plugin_files(self.edition, dir, search)?);
            } else if self.edition.missing_config_dir == MissingConfigDir::Stops && is_named(dir) {
                let message = format!("{} is missing; {} stops without it", dir.display(), brand.title);
                return Err(Halt::refused(dir, message));
            }
        }
        self.config.directories = dirs;
        Ok(())
    }

    /// Adds the administrator's settings.
    fn managed(&mut self, at: &Standpoint, search: &mut Search) -> Known<()> {
        let brand = self.edition.brand;
        let named = search.env(&brand.variable("TEST_MANAGED_CONFIG_DIR")).filter(|dir| !dir.is_empty());
        let usual = if at.surroundings.platform == "darwin" { "/Library/Application Support" } else { "/etc" };
        let dir = named.map_or_else(|| Path::new(usual).join(brand.folder), |dir| absolute(&at.cwd, Path::new(&dir)));
        if search.stat(&dir, "managed settings")?.is_err() {
            return Ok(());
        }
        for name in self.edition.settings.order.names(brand) {
            self.add_file(&dir.join(name), Owner::User, search)?;
        }
        Ok(())
    }

    /// Completes the merged settings: a mode becomes an agent, and its values override the agent's.
    fn complete(&mut self, search: &Search) {
        let table = |entries| Node { at: 0..0, value: Value::Table(entries) };
        for (name, mode) in self.config.get(&["mode"]).and_then(Node::as_table).unwrap_or_default().to_vec() {
            let mut agent = mode;
            merge(
                &mut agent,
                table(vec![("mode".to_owned(), Node { at: 0..0, value: Value::Text("primary".to_owned()) })]),
            );
            let agents = table(vec![("agent".to_owned(), table(vec![(name, agent)]))]);
            merge(&mut self.config.merged, agents);
        }
        let variable = self.edition.brand.variable("PERMISSION");
        older_words::complete(&mut self.config.merged, &variable, search);
    }

    fn add_file(&mut self, path: &Path, owner: Owner, search: &mut Search) -> Known<()> {
        if let Some(node) = self.read_file(path, owner, search)? {
            self.add(&path.display().to_string(), node, owner);
        }
        Ok(())
    }

    /// Handles invalid settings: the client stops or ignores them.
    fn invalid<T>(&mut self, from: &Path, message: String) -> Known<Option<T>> {
        match self.edition.brand.invalid {
            Invalid::Stops => Err(Halt::refused(from, message)),
            Invalid::PassedOver => {
                self.config.passed_over.push((from.to_owned(), message));
                Ok(None)
            }
        }
    }

    /// Reads a settings file; `None` if it is missing, not readable or empty.
    fn read_file(&mut self, path: &Path, owner: Owner, search: &mut Search) -> Known<Option<Node>> {
        let raw = match search.read(path, "settings, lowest layer first")? {
            Ok(raw) => raw,
            Err(Unreadable::Errno(Errno::NOENT) | Unreadable::Not(FileType::Device)) => return Ok(None),
            Err(Unreadable::Errno(Errno::ACCES)) if self.edition.settings.denied == Denied::Ignored => {
                return Ok(None);
            }
            Err(problem @ Unreadable::Not(FileType::Fifo)) => {
                let message =
                    format!("{} is {problem}; {} waits for it forever", path.display(), self.edition.brand.title);
                return Err(Halt::refused(path, message));
            }
            Err(problem) => {
                let message = format!("{} cannot be read: {problem}", path.display());
                return Err(Halt::refused(path, message));
            }
        };
        let text = self.edition.decoding.decode(&raw);
        if text.is_empty() {
            return Ok(None);
        }
        let dir = path.parent().unwrap_or(Path::new("/"));
        let Some(node) = self.parse(&text, dir, path, owner, search)? else { return Ok(None) };
        if node.get("$schema").and_then(Node::as_text).is_none_or(str::is_empty) {
            self.config.rewritten.insert(path.to_owned(), with_schema(&text, self.edition.brand.schema));
        }
        Ok(Some(node))
    }

    /// Parses the settings in a text; `None` if they are invalid and ignored.
    fn parse(
        &mut self,
        source: &str,
        dir: &Path,
        from: &Path,
        owner: Owner,
        search: &mut Search,
    ) -> Known<Option<Node>> {
        let around = variables::Context {
            dir,
            home: &self.places.real_home,
            variables: &self.variables,
            rights: self.places.rights(self.edition, owner),
            target: Target::Settings,
        };
        let text = match variables::substitute(self.edition, source, &around, search)? {
            Ok(text) => text,
            Err(message) => return self.invalid(from, message),
        };
        let mut node = match formats::parse_jsonc(&text.text) {
            Ok(node) => node,
            Err(error) => {
                let message = format!("not valid JSONC: {}", error.with_position(&text.text));
                return self.invalid(from, text.conceal(message));
            }
        };
        remember_written(&node, &text, &mut self.config.written);
        let forms = self.edition.settings.forms;
        if let Value::Table(entries) = &mut node.value {
            entries.retain(|(key, _)| match key.as_str() {
                "__proto__" => false,
                "theme" | "keybinds" | "tui" => forms == Forms::AllKeys,
                _ => true,
            });
        }
        if forms == Forms::Translated
            && let Err(message) = schema::translate(&mut node)
        {
            return self.invalid(from, text.conceal(message));
        }
        if let Some(problem) = self.edition.settings.schema.problem(&node) {
            if self.edition.brand.invalid == Invalid::PassedOver && !problem.starts_with("`instructions") {
                self.config.doubts.push(format!("{}: {problem}; whether that counts is not known", from.display()));
            }
            let message = text.conceal(format!("not valid settings: {problem}"));
            return self.invalid(from, message);
        }
        older_words::in_todays_words(&mut node);
        references::anchor(&mut node, dir, &self.places.real_home);
        Ok(Some(node))
    }

    fn add(&mut self, from: &str, node: Node, owner: Owner) {
        for list in [node.get("instructions"), node.at_path(&["skills", "paths"])] {
            for text in list.and_then(Node::as_texts).unwrap_or_default() {
                let known = self.config.owners.entry(text.to_owned()).or_insert(owner);
                *known = if *known == Owner::User { Owner::User } else { owner };
            }
        }
        if let Some(texts) = node.get("instructions").and_then(Node::as_texts) {
            let known = &mut self.config.instructions;
            let first = known.is_empty();
            for text in texts {
                // The first list is kept as it is; each later one adds only new entries.
                if first || !known.iter().any(|(other, _)| other == text) {
                    known.push((text.to_owned(), from.to_owned()));
                }
            }
        }
        for plugin in node.get("plugin").and_then(Node::as_list).unwrap_or_default() {
            let name = plugin.as_text().or_else(|| plugin.as_list()?.first()?.as_text());
            self.config.plugins.extend(name.map(str::to_owned));
        }
        if node.get("default_agent").is_some() {
            self.config.default_agent_from = Some(PathBuf::from(from));
        }
        merge(&mut self.config.merged, node);
    }
}

/// Returns the directories that may contain settings, skills and agents, in order and without duplicates.
fn configuration_directories(
    edition: &OpenCode,
    flags: &Flags,
    places: &Places,
    search: &mut Search,
) -> Known<Vec<PathBuf>> {
    let names = edition.brand.directories;
    let levels = if flags.no_project { Vec::new() } else { places.levels() };
    let mut dirs = vec![places.xdg.clone()];
    for dir in levels.iter().chain([&places.home]).flat_map(|dir| names.iter().map(|name| dir.join(name))) {
        match search.stat(&dir, "settings directory")? {
            Ok(_) => dirs.push(dir),
            Err(Errno::NOENT) => {}
            Err(_) if edition.find_error == FindError::SkipsLevel => {}
            Err(errno) => return Err(cannot_examine(&dir, errno)),
        }
    }
    dirs.extend(places.named_config_dir());
    let mut seen = HashSet::new();
    dirs.retain(|dir| seen.insert(dir.clone()));
    Ok(dirs)
}

/// Returns the text that OpenCode writes back if a file does not name its schema.
fn with_schema(text: &str, schema: &str) -> String {
    match text.trim_start_matches(text::is_js_space).strip_prefix('{') {
        Some(rest) => format!("{{\n  \"$schema\": \"{schema}\",{rest}"),
        None => text.to_owned(),
    }
}

/// Returns the settings files of the project, in order.
fn project_files(edition: &OpenCode, places: &Places, search: &mut Search) -> Known<Vec<PathBuf>> {
    let mut levels = places.levels();
    levels.reverse();
    let paths: Vec<PathBuf> = match edition.settings.order {
        SettingsOrder::PerDirectory => {
            let names = edition.brand.settings.iter().map(|name| [format!("{name}.json"), format!("{name}.jsonc")]);
            let levels = &levels;
            names
                .flat_map(|names| levels.iter().flat_map(move |dir| names.clone().map(|name| dir.join(name))))
                .collect()
        }
        SettingsOrder::JsoncFirst => {
            let names = edition.settings.order.names(edition.brand).iter();
            names.flat_map(|name| levels.iter().map(move |dir| dir.join(name))).collect()
        }
    };
    let mut files = Vec::new();
    for path in paths {
        match search.stat(&path, "project settings, from the top of the worktree down")? {
            Ok(_) => files.push(path),
            Err(Errno::NOENT) => {}
            Err(_) if edition.find_error == FindError::SkipsLevel => {}
            Err(errno) => return Err(cannot_examine(&path, errno)),
        }
    }
    Ok(files)
}

fn cannot_examine(path: &Path, errno: Errno) -> Halt {
    let message = format!("{} cannot be examined: {}: {}", path.display(), errno.name(), errno.text());
    Halt::refused(path, message)
}

/// Records for each text with replacements what is written in the settings.
fn remember_written(node: &Node, text: &Substituted, known: &mut HashMap<String, String>) {
    match &node.value {
        Value::Text(value) => {
            if let Some(written) = text.written(&node.at) {
                known.insert(value.clone(), written.trim_matches('"').to_owned());
            }
        }
        Value::List(list) => list.iter().for_each(|node| remember_written(node, text, known)),
        Value::Table(entries) => entries.iter().for_each(|(_, node)| remember_written(node, text, known)),
        _ => {}
    }
}

/// A login that adds settings from a server.
struct Login {
    /// File that records the login.
    file: PathBuf,
    server: String,
    /// Variable that holds its token.
    key: String,
    token: String,
}

/// Returns the logins of type `wellknown` in order, and true if the user is signed in to OpenAI without a key.
fn logins(edition: &OpenCode, at: &Standpoint, search: &mut Search) -> Known<(Vec<Login>, bool)> {
    let given = match edition.settings.logins {
        Logins::FileOrVariable => search.secret_env(&edition.brand.variable("AUTH_CONTENT")),
        Logins::File => None,
    };
    let given = given.and_then(|text| formats::parse_json(&text).ok());
    let data = search.env("XDG_DATA_HOME").filter(|dir| !dir.is_empty());
    let data = data.map_or_else(|| at.home.join(".local/share"), |dir| absolute(&at.cwd, Path::new(&dir)));
    let file = data.join(edition.brand.folder).join("auth.json");
    let node = match given {
        Some(node) => node,
        None => match search.read(&file, "logins: one of type `wellknown` brings remote settings")? {
            Ok(raw) => formats::parse_jsonc(&raw.text_without_bom()).unwrap_or(NOTHING),
            Err(_) => NOTHING,
        },
    };
    let login = |(server, login): &(String, Node)| {
        let text = |key: &str| login.get(key).and_then(Node::as_text).map(str::to_owned);
        (text("type")? == "wellknown").then_some(())?;
        Some(Login { file: file.clone(), server: server.clone(), key: text("key")?, token: text("token")? })
    };
    let is_oauth = |login: &Node| login.get("type").and_then(Node::as_text) == Some("oauth");
    let signed_in = node.get("openai").is_some_and(is_oauth);
    Ok((node.as_table().unwrap_or_default().iter().filter_map(login).collect(), signed_in))
}

const NOTHING: Node = Node { at: 0..0, value: Value::Table(Vec::new()) };
