//! Grok Build: rules of a trusted workspace from the repository root down, and rules of the user; also files of Claude
//! and Cursor, unless they are disabled.
//!
//! Checked on the real client 1.0.41 (`grok -p` against a loopback mock of a provider), November 2026. Skills, which
//! are listed in a reminder, are not read.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use ignore::gitignore::Gitignore;

use crate::answer::{Answer, Certain, Fate, Role, Scope, Source, Standpoint, Text, Tool, Trigger};
use crate::formats::{Node, Value, parse_toml};
use crate::glob::{gitignore, ignore_lines};
use crate::harness::history::replays;
use crate::harness::keys::{Key, Keys, Takes};
use crate::harness::kit::conventional::PLAIN;
use crate::harness::kit::section::{Given, Section};
use crate::harness::kit::{folders, heads, skills};
use crate::harness::{
    About, Attaches, Change, Details, Edition, Evidence, History, Profile, Program, Replays, Switches, switches,
};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, Content, FileType, Unreadable, absolute};

mod settings;

use settings::Settings;

/// Profile of Grok Build.
pub static PROFILE: Profile = Profile {
    id: "grok-build",
    title: "Grok Build",
    summary: "AGENTS.md, CLAUDE.md and their kin of every directory from the root of a trusted repository down, .grok/rules, .claude, .cursor/rules; the same of the user",
    editions: &[&GrokBuild],
    history: Some(&HISTORY),
    // Agents.md and Claude.md are read as well, but are not recommended to users.
    instruction_names: &[
        "CLAUDE.md",
        "CLAUDE.local.md",
        "AGENT.md",
        "AGENTS.md",
        ".claude/CLAUDE.md",
        ".claude/CLAUDE.local.md",
        ".grok/rules/*.md",
        ".claude/rules/*.md",
        ".cursor/rules/*.md",
    ],
    settings_names: &[".grok/config.toml"],
    keys: KEYS,
    program: Some(Program { command: "grok", package: "@xai-official/grok" }),
    evidence: Evidence {
        traces: &[&["$GROK_HOME/sessions", "~/.grok/sessions"]],
        homes: &[&["$GROK_HOME", "~/.grok"]],
        files: &[".grok"],
        ..Evidence::NONE
    },
};

const KEYS: &[Keys] = &[Keys {
    files: &[".grok/config.toml"],
    keys: &[
        Key::new("paths.extra_rule_dirs", Takes::Paths, "Further folders of rules of the user's."),
        Key::new("compat.claude.agents", Takes::SWITCH, "Whether ~/.claude and .claude/CLAUDE.md are read."),
        Key::new("compat.claude.rules", Takes::SWITCH, "Whether .claude/rules is read."),
        Key::new("compat.cursor.agents", Takes::SWITCH, "Whether ~/.cursor is read."),
        Key::new("compat.cursor.rules", Takes::SWITCH, "Whether .cursor/rules is read."),
    ],
}];

static HISTORY: History = History { changes: &[&OTHERWISE], rules: |_| Arc::new(GrokBuild), replays: &REPLAYS };

/// The version published before 1.0.41 is 1.0.5.
static OTHERWISE: Change = Change {
    since: "1.0.41",
    what: "the text of a rule stands in lines of its own, and a project has to be trusted",
    cases: &[],
};

static REPLAYS: Replays =
    LazyLock::new(|| replays(include_str!("../../../tests/conformance/versions/grok-build.toml")));

static ABOUT: About = About {
    name: "1.0",
    checked: ("1.0.41", "1.0"),
    details: Details {
        files: "all of Agents.md, Claude.md, CLAUDE.md, CLAUDE.local.md, AGENT.md, AGENTS.md; .claude/CLAUDE.md, .claude/CLAUDE.local.md; .grok/rules, .claude/rules, .cursor/rules",
        place: "first user message: the project's as workspace rules, then the user's as user rules, behind the client's own two",
        truncation: "none",
        triggers: "session start; tools add no text",
        nested: "not read",
        global: "~/.grok, ~/.claude, ~/.cursor: the same names, and rules; the folders of paths.extra_rule_dirs",
        dedupe: "by real path; what .gitignore at the root of the repository names is left out",
        ..PLAIN
    },
};

/// Names of a directory's files, in order.
const NAMES: [&str; 6] = ["Agents.md", "Claude.md", "CLAUDE.md", "CLAUDE.local.md", "AGENT.md", "AGENTS.md"];

struct GrokBuild;

impl Edition for GrokBuild {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn switches(&self) -> &'static Switches {
        switches::table!("grok-build")
    }

    fn attaches(&self, tool: Tool) -> Attaches {
        match tool {
            Tool::Read | Tool::Edit | Tool::Write | Tool::Shell => Attaches::Nothing,
            Tool::Mention => Attaches::Unknown,
        }
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let mut answer = Answer::default();
        let named = search.env("GROK_HOME").filter(|dir| !dir.is_empty());
        let own = named.map_or_else(|| at.home.join(".grok"), |dir| absolute(&at.cwd, Path::new(&dir)));
        folders::doubt_closed(&own, search, &mut answer)?;
        let settings = Settings::read(at, &own, search, &mut answer)?;
        let project = Project::of(at, own, &settings, search, &mut answer)?;
        answer.root.clone_from(&project.root);
        let mut taken = Taken { seen: HashSet::new(), settings, project };
        // If several paths lead to one file, it belongs to the last place; so places are searched from the last to the
        // first.
        let extra = taken.extra(search, &mut answer)?;
        let of_project = taken.of_project(at, search, &mut answer)?;
        let user = taken.of_user(search, &mut answer)?;
        let all = user.into_iter().chain(extra).chain(of_project);
        let (project, user) = all.partition(|file| taken.project.has(&file.path));
        say(project, user, &mut answer);
        skills::doubted(taken.skills(at), search, &mut answer)?;
        Ok(answer)
    }
}

/// The project, and the user's directories that may be inside it.
struct Project {
    /// Top level of the repository, unless that is the home directory or the root of the file system.
    root: Option<PathBuf>,
    /// Directory below which files belong to the project.
    top: PathBuf,
    /// Files that git ignores.
    ignored: Option<Ignored>,
    trusted: bool,
    /// Directories of the user.
    of_user: [(&'static str, PathBuf); 3],
    /// Directories whose files belong to the user even inside the project.
    own: Vec<PathBuf>,
}

impl Project {
    fn of(
        at: &Standpoint,
        own: PathBuf,
        settings: &Settings,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Known<Project> {
        let git = repository(&at.cwd, search, answer)?.filter(|git| git.root.parent().is_some());
        let root = git.as_ref().map(|git| git.root.clone()).filter(|root| *root != at.home);
        let ignored = match &root {
            Some(root) => Some(Ignored::read(root, search)?),
            None => None,
        };
        let key = root.as_deref().unwrap_or(&at.cwd);
        // For the home directory and the file system root the client does not ask. With a relative `GROK_HOME` it finds
        // no decision, not even that of the command line (1.0.41).
        let has_store = search.env("GROK_HOME").is_none_or(|dir| dir.is_empty() || Path::new(&*dir).is_absolute());
        let open = (has_store && at.flag("grok-build", "trust"))
            || !settings.asks_for_trust
            || key == at.home
            || key.parent().is_none();
        let decided = git.as_ref().filter(|git| root.is_some() && git.main != git.root).map_or(key, |git| &git.main);
        if decided == at.home && key != at.home {
            answer.doubt(&[Certain::Set], "a linked worktree of a repository that is the home directory");
        }
        let trusted = open || has_store && trusted(&own.join("trusted_folders.toml"), decided, search)?;
        let of_user = [("", own), ("claude", at.home.join(".claude")), ("cursor", at.home.join(".cursor"))];
        let mut own = settings.extra_folders.clone();
        own.extend(of_user.iter().flat_map(|(_, dir)| [dir.join("rules"), dir.clone()]));
        let top = git.map_or_else(|| at.cwd.clone(), |git| git.root);
        Ok(Project { root, top, ignored, trusted, of_user, own })
    }

    /// Returns true if a file belongs to the project rather than to the user.
    fn has(&self, path: &Path) -> bool {
        path.starts_with(&self.top) && !self.own.iter().any(|dir| path.parent() == Some(dir))
    }

    fn leaves_out(&self, path: &Path) -> bool {
        self.ignored.as_ref().is_some_and(|git| git.leaves_out(path))
    }
}

/// Returns true if a folder is recorded as trusted.
fn trusted(store: &Path, folder: &Path, search: &mut Search) -> Known<bool> {
    let read = search.read(store, "trust: the folders somebody decided about")?;
    let node = read.ok().and_then(|raw| parse_toml(raw.as_text()?).ok());
    let folders = node.as_ref().and_then(|node| node.get("folders")).and_then(Node::as_table).unwrap_or_default();
    // One entry that is not as it should be makes the client read none (1.0.41).
    let is_decision = |said: &Node| {
        let has_time = said.get("decided_at").is_none_or(|at| matches!(at.value, Value::Integer(_)));
        has_time && said.get("trusted").and_then(Node::as_bool).is_some()
    };
    if !folders.iter().all(|(_, said)| is_decision(said)) {
        return Ok(false);
    }
    let decided = folders.iter().find(|(path, _)| Path::new(path) == folder);
    Ok(decided.and_then(|(_, said)| said.get("trusted")).and_then(Node::as_bool) == Some(true))
}

/// File, with its kind.
struct File {
    path: PathBuf,
    scope: Scope,
    raw: Content,
    is_rule: bool,
}

/// State of the search: files that have been taken already.
struct Taken {
    seen: HashSet<PathBuf>,
    settings: Settings,
    project: Project,
}

impl Taken {
    /// Returns a file, if it exists and was not taken before.
    fn file(
        &mut self,
        path: &Path,
        scope: Scope,
        is_rule: bool,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Known<Option<File>> {
        let mut left_out = |fate, reason: &str| answer.sources.push(Source::new(path, scope, fate, reason));
        let raw = match search.read(path, "one of the files of that directory")? {
            Ok(raw) => raw,
            Err(problem) => {
                if search.is_file(path, "one of the files of that directory")? {
                    left_out(Fate::Unreadable, &problem.to_string());
                }
                if let Unreadable::Not(kind) = problem
                    && kind != FileType::Dir
                {
                    answer.doubt(&[Certain::Set], format!("{} is a {}", path.display(), kind.word()));
                }
                return Ok(None);
            }
        };
        if scope != Scope::User && !self.project.trusted {
            // The user's own files are loaded from the user's places.
            if self.project.has(path) {
                let reason =
                    "the folder is not trusted: `grok` asks, `grok -p` reads it with --trust or once it is decided";
                left_out(Fate::Excluded, reason);
            }
            return Ok(None);
        }
        if raw.as_text().is_none() {
            left_out(Fate::Unreadable, "it is not UTF-8");
            return Ok(None);
        }
        let real = search.real(path)?.unwrap_or_else(|_| path.to_owned());
        if !self.seen.insert(real) {
            left_out(Fate::Shadowed, "another path that counts leads to the same file");
            return Ok(None);
        }
        Ok(Some(File { path: path.to_owned(), scope, raw, is_rule }))
    }

    /// Returns the rules of a folder, sorted by name. Files that git ignores are only loaded from folders that the
    /// settings name.
    fn rules(
        &mut self,
        dir: &Path,
        scope: Scope,
        named: Named,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Known<Vec<File>> {
        let Ok(entries) = search.list(dir, "a folder of rules")? else { return Ok(Vec::new()) };
        let mut names: Vec<_> = entries.iter().map(|entry| entry.name.clone()).collect();
        names.retain(|name| Path::new(name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("md")));
        names.sort();
        search.expect(names.iter().map(|name| Ask::Content(dir.join(name))))?;
        let mut found = Vec::new();
        for path in names.iter().map(|name| dir.join(name)) {
            if named == Named::ByConvention && self.project.leaves_out(&path) {
                answer.sources.push(Source::new(&path, scope, Fate::Excluded, "git ignores it"));
                continue;
            }
            found.extend(self.file(&path, scope, true, search, answer)?);
        }
        Ok(found)
    }

    /// Returns the files with the known names in a directory, and those in its `.claude`.
    fn files(&mut self, dir: &Path, scope: Scope, search: &mut Search, answer: &mut Answer) -> Known<Vec<File>> {
        let mut paths: Vec<PathBuf> = NAMES.iter().map(|name| dir.join(name)).collect();
        if self.settings.reads("claude", "agents") {
            paths.extend([".claude/CLAUDE.md", ".claude/CLAUDE.local.md"].map(|name| dir.join(name)));
        }
        search.expect(paths.iter().cloned().map(Ask::Content))?;
        let mut found = Vec::new();
        for path in paths {
            if self.project.leaves_out(&path) {
                if search.is_file(&path, "asked only to explain: git ignores it")? {
                    answer.sources.push(Source::new(&path, scope, Fate::Excluded, "git ignores it"));
                }
                continue;
            }
            found.extend(self.file(&path, scope, false, search, answer)?);
        }
        Ok(found)
    }

    /// Returns the rules of the folders that the settings add.
    fn extra(&mut self, search: &mut Search, answer: &mut Answer) -> Known<Vec<File>> {
        let mut found = Vec::new();
        for dir in self.settings.extra_folders.clone() {
            found.extend(self.rules(&dir, Scope::User, Named::BySettings, search, answer)?);
        }
        Ok(found)
    }

    fn of_user(&mut self, search: &mut Search, answer: &mut Answer) -> Known<Vec<File>> {
        let mut found = Vec::new();
        for (client, dir) in self.project.of_user.clone() {
            let [files, rules] = ["agents", "rules"].map(|kind| client.is_empty() || self.settings.reads(client, kind));
            if files {
                found.extend(self.files(&dir, Scope::User, search, answer)?);
            }
            if rules {
                found.extend(self.rules(&dir.join("rules"), Scope::User, Named::ByConvention, search, answer)?);
            }
        }
        Ok(found)
    }

    /// Returns the folders of skills of the project and of the user.
    fn skills(&self, at: &Standpoint) -> Vec<PathBuf> {
        let top = self.project.root.as_deref().unwrap_or(&at.cwd);
        let dirs = at.cwd.ancestors().take_while(|dir| dir.starts_with(top)).chain([at.home.as_path()]);
        let of_dir = |dir: &Path| [".grok", ".agents", ".claude", ".cursor"].map(|name| dir.join(name));
        let own = self.project.of_user.iter().map(|(_, dir)| dir.clone());
        dirs.flat_map(of_dir).chain(own).map(|dir| dir.join("skills")).collect()
    }

    /// Returns the files from the root down. In a project that is not trusted, those of the user remain.
    fn of_project(&mut self, at: &Standpoint, search: &mut Search, answer: &mut Answer) -> Known<Vec<File>> {
        let top = self.project.root.clone().unwrap_or_else(|| at.cwd.clone());
        let mut dirs: Vec<&Path> = at.cwd.ancestors().take_while(|dir| dir.starts_with(&top)).collect();
        dirs.reverse();
        let mut folders = vec![".grok/rules"];
        folders.extend(self.settings.reads("claude", "rules").then_some(".claude/rules"));
        folders.extend(self.settings.reads("cursor", "rules").then_some(".cursor/rules"));
        let mut found = Vec::new();
        for dir in dirs {
            found.extend(self.files(dir, Scope::Project, search, answer)?);
            for folder in &folders {
                found.extend(self.rules(&dir.join(folder), Scope::Rule, Named::ByConvention, search, answer)?);
            }
        }
        Ok(found)
    }
}

/// Origin of a folder of rules.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    ByConvention,
    BySettings,
}

/// Returns the range of a text that is sent: texts of the project are trimmed; of the user's, rules are trimmed at the
/// start.
fn sent(text: &str, of_user: bool, is_rule: bool) -> std::ops::Range<usize> {
    let blank = |from: usize| text[from..].len() - text[from..].trim_start().len();
    let head = if is_rule { text.len() - heads::grok_build(text.trim_start()).len() } else { 0 };
    let start = if is_rule || !of_user { head + blank(head) } else { 0 };
    let end = if of_user { text.len() } else { text.trim_end().len() };
    start..end.max(start)
}

/// Repository: the top level of the working tree, and of the main worktree if this is a linked one.
struct Repository {
    root: PathBuf,
    main: PathBuf,
}

/// Returns the repository as git finds it.
fn repository(dir: &Path, search: &mut Search, answer: &mut Answer) -> Known<Option<Repository>> {
    const RULE: &str = "the root of the repository begins the search";
    search.expect(dir.ancestors().map(|dir| Ask::Kind(dir.join(".git"))))?;
    for above in dir.ancestors() {
        if search.stat(&above.join(".git"), RULE)?.is_ok()
            && let Some(found) = search.git(above, RULE)?
        {
            // Where neither git's data nor its settings name this working tree, the client takes another one.
            doubt_elsewhere(&above.join(".git"), &found.common_dir, search, answer)?;
            let main = found.common_dir.parent().filter(|_| found.common_dir.ends_with(".git")).map(Path::to_owned);
            return Ok(found.toplevel.map(|root| Repository { main: main.unwrap_or_else(|| root.clone()), root }));
        }
    }
    Ok(None)
}

/// Doubts an answer if the client may find another working tree than git does: `.git` is a link, or a file that leads
/// to data whose settings do not name the working tree, or a directory whose settings may name another one.
fn doubt_elsewhere(git: &Path, data: &Path, search: &mut Search, answer: &mut Answer) -> Known<()> {
    const RULE: &str = "where git keeps its data";
    let settings = search.read(&data.join("config"), RULE)?.map(|raw| raw.text().to_lowercase()).unwrap_or_default();
    let is_named = if search.is_file(git, RULE)? {
        settings.contains("worktree") || search.is_dir(&data.join("worktrees"), RULE)?
    } else {
        search.link_target(git)?.is_none() && !moves_the_tree(&settings)
    };
    if !is_named {
        answer.doubt(&[Certain::Set], format!("which directory the client takes for that of {}", git.display()));
    }
    Ok(())
}

/// Returns true if git's settings, in lower case, name a working tree, include other settings, or have `bare` without
/// `repositoryformatversion`, so that git ignores it.
fn moves_the_tree(settings: &str) -> bool {
    let has_key =
        |key: &str| settings.lines().any(|line| line.split('=').next().is_some_and(|name| name.trim() == key));
    has_key("worktree") || settings.contains("[include") || has_key("bare") && !has_key("repositoryformatversion")
}

/// Files that git ignores, by the `.gitignore` at the repository root only.
struct Ignored {
    rules: Gitignore,
}

impl Ignored {
    fn read(root: &Path, search: &mut Search) -> Known<Ignored> {
        let rules = match search.read(&root.join(".gitignore"), "what git ignores is left out")? {
            Ok(raw) => gitignore(root, ignore_lines(&raw)),
            Err(_) => Gitignore::empty(),
        };
        Ok(Ignored { rules })
    }

    fn leaves_out(&self, path: &Path) -> bool {
        path.starts_with(self.rules.path()) && self.rules.matched_path_or_any_parents(path, false).is_ignore()
    }
}

fn say(project: Vec<File>, user: Vec<File>, answer: &mut Answer) {
    const OPENS: &str = "<always_applied_workspace_rules description=\"These are workspace-level rules that the agent must always follow.\">\n";
    let mut section = Section::new(Trigger::Session, Role::User);
    let last = project.len().saturating_sub(1);
    for (at, file) in project.iter().enumerate() {
        let opens = if at == 0 { OPENS } else { "" };
        let closes = if at == last { "\n</always_applied_workspace_rules>" } else { "" };
        let head = format!("{opens}<always_applied_workspace_rule name=\"{}\">\n", file.path.display());
        let range = sent(&file.raw.text(), false, file.is_rule);
        give(&mut section, file, range, head, &format!("\n</always_applied_workspace_rule>{closes}"));
    }
    section.finish("\n\n", answer);
    let mut section = Section::new(Trigger::Session, Role::User);
    for file in &user {
        let text = file.raw.text();
        let range = sent(&text, true, file.is_rule);
        // The tags are on lines of their own, without an empty line if the text already has a line end there.
        let head = if text[range.clone()].starts_with('\n') { "<user_rule>" } else { "<user_rule>\n" };
        let tail = if text[range.clone()].ends_with('\n') { "</user_rule>" } else { "\n</user_rule>" };
        give(&mut section, file, range, head.to_owned(), tail);
    }
    section.finish("\n\n", answer);
}

fn give(section: &mut Section, file: &File, range: std::ops::Range<usize>, head: String, tail: &str) {
    let reason = "in the order of places and names";
    let given = Given { path: &file.path, raw: &file.raw, range, scope: file.scope, reason };
    section.file(given, |text| Text::framed(head, escaped(text), tail));
}

/// The client's own tags, which are escaped in the text of files (Grok Build 1.0.41).
const TAGS: [&str; 6] =
    ["<rules>", "</rules>", "<system-reminder>", "</system-reminder>", "<system_reminder>", "</system_reminder>"];

/// Escapes the first character of the client's own tags.
fn escaped(text: Text) -> Text {
    if !TAGS.iter().any(|tag| text.contains(tag)) {
        return text;
    }
    TAGS.iter().fold(text.to_string(), |text, tag| text.replace(tag, &format!("&lt;{}", &tag[1..]))).into()
}
