//! Grok Build: rules of the workspace from the root of the repository down, once it is trusted, and rules of the user; files of Claude and
//! Cursor as well, unless they are switched off.
//!
//! Checked on the real client 1.0.41 (`grok -p` against a loopback mock of a provider), November 2026. Skills are not looked up.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::shared::conventional::PLAIN;
use super::shared::keys::{Key, Keys, Takes};
use super::shared::section::{Given, Section};
use super::{About, Attaches, Details, Edition, Evidence, Profile, Program};
use crate::answer::{Answer, Certain, Fate, Role, Scope, Source, Standpoint, Text, Tool, Trigger};
use crate::formats::{Node, parse_toml};
use crate::search::{Search, Told};
use crate::snapshot::{Ask, Content, absolute};

/// The profile.
pub static PROFILE: Profile = Profile {
    id: "grok-build",
    title: "Grok Build",
    summary: "AGENTS.md, CLAUDE.md and their kin of every directory from the root of a trusted repository down, .grok/rules, .claude, .cursor/rules; the same of the user",
    editions: &[&GrokBuild],
    history: None,
    // Agents.md and Claude.md are read as well, and nobody is told to write them.
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

static ABOUT: About = About {
    name: "1.0",
    checked: ("1.0.41", "1.0"),
    changed: &[],
    details: Details {
        files: "all of Agents.md, Claude.md, CLAUDE.md, CLAUDE.local.md, AGENT.md, AGENTS.md; .claude/CLAUDE.md; .grok/rules, .claude/rules, .cursor/rules",
        place: "first user message: the project's as workspace rules, then the user's as user rules, behind the client's own two",
        truncation: "none",
        triggers: "session start; tools add no text",
        nested: "not read",
        global: "~/.grok, ~/.claude, ~/.cursor: the same names, and rules",
        dedupe: "by real path; what .gitignore at the root of the repository names is left out",
        ..PLAIN
    },
};

/// The names of a directory's files, in order.
const NAMES: [&str; 6] = ["Agents.md", "Claude.md", "CLAUDE.md", "CLAUDE.local.md", "AGENT.md", "AGENTS.md"];

struct GrokBuild;

impl Edition for GrokBuild {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn attaches(&self, tool: Tool) -> Attaches {
        match tool {
            Tool::Read | Tool::Edit | Tool::Write | Tool::Shell => Attaches::Nothing,
            Tool::Mention => Attaches::Unknown,
        }
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Told<Answer> {
        let mut answer = Answer::default();
        let named = search.env("GROK_HOME").filter(|dir| !dir.is_empty());
        let own = named.map_or_else(|| at.home.join(".grok"), |dir| absolute(&at.cwd, Path::new(&dir)));
        let settings = Settings::read(&own.join("config.toml"), search)?;
        let root = root(&at.cwd, search)?;
        answer.root.clone_from(&root);
        let mut taken = Taken { seen: HashSet::new() };
        let user = user(at, &own, &settings, &mut taken, search, &mut answer)?;
        let project = project(at, root.as_deref(), &settings, &mut taken, search, &mut answer)?;
        let project = if at.flag("grok-build", "trust") {
            project
        } else {
            decided(at, root.as_deref(), &own, project, search, &mut answer)?
        };
        say(project, user, &mut answer);
        if !answer.messages.is_empty() {
            // Random trees differed from the client in both.
            let reason = "the white space around files, and the order of the user's, are not known for certain";
            answer.doubt(&[Certain::Set], reason);
        }
        Ok(answer)
    }
}

/// What the settings switch off and add.
struct Settings {
    node: Option<Node>,
}

impl Settings {
    fn read(path: &Path, search: &mut Search) -> Told<Settings> {
        let read = search.read(path, "the settings switch files off and name folders")?;
        Ok(Settings { node: read.ok().and_then(|raw| parse_toml(raw.as_text()?).ok()) })
    }

    /// Whether a kind of files of another client is read.
    fn reads(&self, client: &str, kind: &str) -> bool {
        let said = self.node.as_ref().and_then(|node| node.at_path(&["compat", client, kind])).and_then(Node::as_bool);
        said.unwrap_or(true)
    }

    fn extra_folders(&self, home: &Path) -> Vec<PathBuf> {
        let list =
            self.node.as_ref().and_then(|node| node.at_path(&["paths", "extra_rule_dirs"])).and_then(Node::as_list);
        let path = |text: &str| match text.strip_prefix("~/") {
            Some(rest) => Some(home.join(rest)),
            None => text.starts_with('/').then(|| PathBuf::from(text)),
        };
        list.unwrap_or_default().iter().filter_map(Node::as_text).filter_map(path).collect()
    }
}

/// A file with what of it is sent.
struct File {
    path: PathBuf,
    scope: Scope,
    raw: Content,
    range: std::ops::Range<usize>,
}

/// Which files have been taken already.
struct Taken {
    seen: HashSet<PathBuf>,
}

impl Taken {
    /// A file, if it is there and was not taken before.
    fn file(
        &mut self,
        path: &Path,
        scope: Scope,
        is_rule: bool,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Told<Option<File>> {
        let raw = match search.read(path, "one of the files of that directory")? {
            Ok(raw) => raw,
            Err(problem) => {
                if search.is_file(path, "one of the files of that directory")? {
                    answer.sources.push(Source::new(path, scope, Fate::Unreadable, problem.to_string()));
                }
                return Ok(None);
            }
        };
        let Some(text) = raw.as_text() else {
            answer.sources.push(Source::new(path, scope, Fate::Unreadable, "it is not UTF-8"));
            return Ok(None);
        };
        let real = search.real(path)?.unwrap_or_else(|_| path.to_owned());
        if !self.seen.insert(real) {
            answer.sources.push(Source::new(
                path,
                scope,
                Fate::Shadowed,
                "another path leads to the same file and comes first",
            ));
            return Ok(None);
        }
        let start = if is_rule { body(text) } else { 0 };
        let start = if start > 0 { start + text[start..].len() - text[start..].trim_start().len() } else { 0 };
        let range = start..text.trim_end().len().max(start);
        Ok(Some(File { path: path.to_owned(), scope, raw: raw.clone(), range }))
    }

    /// The rules of a folder, by name.
    fn rules(
        &mut self,
        dir: &Path,
        scope: Scope,
        git: Option<&Ignored>,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Told<Vec<File>> {
        let Ok(entries) = search.list(dir, "a folder of rules")? else { return Ok(Vec::new()) };
        let mut names: Vec<_> = entries.iter().map(|entry| entry.name.clone()).collect();
        names.retain(|name| name.to_string_lossy().ends_with(".md"));
        names.sort();
        search.expect(names.iter().map(|name| Ask::Content(dir.join(name))))?;
        let mut found = Vec::new();
        for path in names.iter().map(|name| dir.join(name)) {
            if git.is_some_and(|git| git.leaves_out(&path)) {
                answer.sources.push(Source::new(&path, scope, Fate::Excluded, "git ignores it"));
                continue;
            }
            found.extend(self.file(&path, scope, true, search, answer)?);
        }
        Ok(found)
    }
}

/// Where the text begins behind a head between three dashes.
fn body(text: &str) -> usize {
    let Some(rest) = text.strip_prefix("---\n") else { return 0 };
    match rest.find("\n---") {
        Some(end) => 4 + end + 4,
        None => 0,
    }
}

/// The top of the repository, as git knows it.
fn root(dir: &Path, search: &mut Search) -> Told<Option<PathBuf>> {
    const RULE: &str = "the root of the repository begins the search";
    search.expect(dir.ancestors().map(|dir| Ask::Kind(dir.join(".git"))))?;
    for above in dir.ancestors() {
        if search.stat(&above.join(".git"), RULE)?.is_ok()
            && let Some(repository) = search.git(above, RULE)?
        {
            return Ok(repository.toplevel);
        }
    }
    Ok(None)
}

fn user(
    at: &Standpoint,
    own: &Path,
    settings: &Settings,
    taken: &mut Taken,
    search: &mut Search,
    answer: &mut Answer,
) -> Told<Vec<File>> {
    let claude = settings.reads("claude", "agents").then(|| at.home.join(".claude"));
    let cursor = settings.reads("cursor", "agents").then(|| at.home.join(".cursor"));
    let mut found = Vec::new();
    for dir in [Some(own.to_owned()), claude, cursor].into_iter().flatten() {
        search.expect(NAMES.iter().map(|name| Ask::Content(dir.join(name))))?;
        for path in NAMES.map(|name| dir.join(name)) {
            found.extend(taken.file(&path, Scope::User, false, search, answer)?);
        }
    }
    let claude = settings.reads("claude", "rules").then(|| at.home.join(".claude/rules"));
    let cursor = settings.reads("cursor", "rules").then(|| at.home.join(".cursor/rules"));
    let folders = [Some(own.join("rules")), claude, cursor].into_iter().flatten();
    for dir in folders.chain(settings.extra_folders(&at.home)) {
        found.extend(taken.rules(&dir, Scope::User, None, search, answer)?);
    }
    Ok(found)
}

/// What git leaves out, by the `.gitignore` at the root of the repository alone.
struct Ignored {
    rules: Gitignore,
}

impl Ignored {
    fn read(root: &Path, search: &mut Search) -> Told<Ignored> {
        let mut builder = GitignoreBuilder::new(root);
        if let Ok(raw) = search.read(&root.join(".gitignore"), "what git ignores is left out")? {
            for line in raw.text().lines() {
                // A line that is no pattern leaves nothing out.
                let _ = builder.add_line(None, line);
            }
        }
        Ok(Ignored { rules: builder.build().unwrap_or_else(|_| Gitignore::empty()) })
    }

    fn leaves_out(&self, path: &Path) -> bool {
        path.starts_with(self.rules.path()) && self.rules.matched_path_or_any_parents(path, false).is_ignore()
    }
}

fn project(
    at: &Standpoint,
    root: Option<&Path>,
    settings: &Settings,
    taken: &mut Taken,
    search: &mut Search,
    answer: &mut Answer,
) -> Told<Vec<File>> {
    let top = root.unwrap_or(&at.cwd);
    let git = match root {
        Some(root) => Some(Ignored::read(root, search)?),
        None => None,
    };
    let mut dirs: Vec<&Path> = at.cwd.ancestors().take_while(|dir| dir.starts_with(top)).collect();
    dirs.reverse();
    let mut found = Vec::new();
    for dir in dirs {
        let mut paths: Vec<PathBuf> = NAMES.iter().map(|name| dir.join(name)).collect();
        if settings.reads("claude", "agents") {
            paths.extend([".claude/CLAUDE.md", ".claude/CLAUDE.local.md"].map(|name| dir.join(name)));
        }
        search.expect(paths.iter().cloned().map(Ask::Content))?;
        for path in paths {
            if git.as_ref().is_some_and(|git| git.leaves_out(&path)) {
                if search.is_file(&path, "asked only to explain: git ignores it")? {
                    answer.sources.push(Source::new(&path, Scope::Project, Fate::Excluded, "git ignores it"));
                }
                continue;
            }
            found.extend(taken.file(&path, Scope::Project, false, search, answer)?);
        }
        let claude = settings.reads("claude", "rules").then_some(".claude/rules");
        let cursor = settings.reads("cursor", "rules").then_some(".cursor/rules");
        for folder in [Some(".grok/rules"), claude, cursor].into_iter().flatten() {
            found.extend(taken.rules(&dir.join(folder), Scope::Rule, git.as_ref(), search, answer)?);
        }
    }
    Ok(found)
}

/// The project's files, if it is trusted; else they are said to be left out.
fn decided(
    at: &Standpoint,
    root: Option<&Path>,
    own: &Path,
    files: Vec<File>,
    search: &mut Search,
    answer: &mut Answer,
) -> Told<Vec<File>> {
    let store = own.join("trusted_folders.toml");
    if search.stat(&store, "trust: the folders somebody decided about")?.is_ok() {
        let reason = format!(
            "whether {} is trusted stands in {}, which is not looked up",
            root.unwrap_or(&at.cwd).display(),
            store.display()
        );
        answer.doubt(&[Certain::Set], reason);
        return Ok(files);
    }
    let reason = "the folder is not trusted: `grok` asks, `grok -p` reads it with --trust only";
    let left_out = |file: File| Source::new(file.path, file.scope, Fate::Excluded, reason);
    answer.sources.extend(files.into_iter().map(left_out));
    Ok(Vec::new())
}

fn say(project: Vec<File>, user: Vec<File>, answer: &mut Answer) {
    const OPENS: &str = "<always_applied_workspace_rules description=\"These are workspace-level rules that the agent must always follow.\">\n";
    let mut section = Section::new(Trigger::Session, Role::User);
    let last = project.len().saturating_sub(1);
    for (at, file) in project.iter().enumerate() {
        let opens = if at == 0 { OPENS } else { "" };
        let closes = if at == last { "\n</always_applied_workspace_rules>" } else { "" };
        let head = format!("{opens}<always_applied_workspace_rule name=\"{}\">\n", file.path.display());
        give(&mut section, file, head, &format!("\n</always_applied_workspace_rule>{closes}"));
    }
    section.finish("\n\n", answer);
    let mut section = Section::new(Trigger::Session, Role::User);
    for file in &user {
        give(&mut section, file, "<user_rule>\n".to_owned(), "\n</user_rule>");
    }
    section.finish("\n\n", answer);
}

fn give(section: &mut Section, file: &File, head: String, tail: &str) {
    let reason = "in the order of places and names";
    let given = Given { path: &file.path, raw: &file.raw, range: file.range.clone(), scope: file.scope, reason };
    section.file(given, |text| Text::framed(head, text, tail));
}
