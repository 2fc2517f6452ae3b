//! Kimi Code: the user's files, then those of every directory from the repository root down. For files that a tool
//! reaches below, a reminder names their instruction files without the text.
//!
//! Checked on the real client 2.1.0 (`kimi -p` against a loopback mock of a provider), November 2026. Not read: skills,
//! which are listed in the system prompt, prompts of the user, agents defined in files, and plugins.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::answer::{
    Answer, Certain, Fate, Message, MessageKind, Role, Scope, Source, Standpoint, Text, Tool, Trigger, Warning,
};
use crate::formats::{Node, parse_json, parse_toml};
use crate::harness::kit::conventional::PLAIN;
use crate::harness::kit::section::{Given, Section};
use crate::harness::kit::{folders, skills};
use crate::harness::{About, Attaches, Details, Edition, Evidence, Profile, Program, Switches, switches};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, Content, Entry, FileType, absolute, normalized};
use crate::text::{js_trim, js_trimmed, without_invalid};

/// Profile of Kimi Code.
pub static PROFILE: Profile = Profile {
    id: "kimi-code",
    title: "Kimi Code",
    summary: "~/.kimi-code/AGENTS.md, ~/.agents/AGENTS.md, then .kimi-code/AGENTS.md and AGENTS.md of every directory from the root of the repository down",
    editions: &[&KimiCode],
    history: None,
    instruction_names: &["AGENTS.md", ".kimi-code/AGENTS.md"],
    settings_names: &[".kimi-code/config.toml"],
    keys: &[],
    program: Some(Program { command: "kimi", package: "@moonshot-ai/kimi-code" }),
    evidence: Evidence {
        traces: &[&["$KIMI_CODE_HOME/sessions", "~/.kimi-code/sessions"]],
        homes: &[&["$KIMI_CODE_HOME", "~/.kimi-code"]],
        files: &[".kimi-code"],
        ..Evidence::NONE
    },
};

static ABOUT: About = About {
    name: "2.1",
    checked: ("2.1.0", "2.1"),
    details: Details {
        files: "of every directory .kimi-code/AGENTS.md and AGENTS.md, else agents.md",
        place: "system prompt, under Project information, each behind a comment with its path; trimmed",
        truncation: "none; the client warns above 32 KiB",
        triggers: "session start; a tool that reaches a directory below brings a reminder that names its files",
        nested: "named in a reminder, once a session; their texts are not sent",
        sessions: "sub-agents begin with the same files",
        global: "~/.kimi-code/AGENTS.md, ~/.agents/AGENTS.md",
        ..PLAIN
    },
};

/// Names of a directory's file, in order of precedence.
const NAMES: [&str; 2] = ["AGENTS.md", "agents.md"];
/// Size above which the client warns, in bytes (Kimi Code 2.1.0).
const RECOMMENDED_BYTES: usize = 32 * 1024;
const REASON: &str = "the first of its names in that directory";

struct KimiCode;

impl Edition for KimiCode {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn switches(&self) -> &'static Switches {
        switches::table!("kimi-code")
    }

    fn attaches(&self, tool: Tool) -> Attaches {
        match tool {
            Tool::Read | Tool::Edit | Tool::Write => Attaches::AsRead,
            Tool::Shell | Tool::Mention => Attaches::Nothing,
        }
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let root = root(&at.cwd, search)?;
        let mut answer = Answer { root: Some(root.clone()), ..Answer::default() };
        folders::doubt_backslash(&at.cwd, &mut answer);
        let named = search.env("KIMI_CODE_HOME").map(PathBuf::from);
        if named.as_deref().is_some_and(|dir| dir.as_os_str().is_empty()) {
            return Ok(Answer::refused(&at.cwd, "KIMI_CODE_HOME is empty; unset it or set it to a folder"));
        }
        let own = named.unwrap_or_else(|| at.home.join(".kimi-code"));
        let mut found = Found { cwd: at.cwd.clone(), ..Found::default() };
        found.first(&[normalized(&own.join(NAMES[0]))], Scope::User, search, &mut answer)?;
        let own = absolute(&at.cwd, &own);
        if folders::is_lost(&own, search)? {
            // The client runs without its log; what it does without its settings was not observed.
            let reason = format!("{} cannot be a folder, and Kimi Code has no settings without it", own.display());
            answer.doubt(&[Certain::Set], reason);
        }
        folders::doubt_closed(&own, search, &mut answer)?;
        found.first(&NAMES.map(|name| at.home.join(".agents").join(name)), Scope::User, search, &mut answer)?;
        for dir in down(&at.cwd, &root) {
            found.first(&[dir.join(".kimi-code").join(NAMES[0])], Scope::Project, search, &mut answer)?;
            found.first(&NAMES.map(|name| dir.join(name)), Scope::Project, search, &mut answer)?;
        }
        let known = std::mem::take(&mut found.known);
        found.say(&mut answer);
        remind(at, known, search, &mut answer)?;
        doubts(at, &own, search, &mut answer)?;
        let project = [".kimi-code", ".agents"].map(|name| root.join(name));
        let folders = project.into_iter().chain([own, at.home.join(".agents")]).map(|dir| dir.join("skills"));
        skills::doubted(folders.collect(), search, &mut answer)?;
        Ok(answer)
    }
}

/// File with some text.
struct File {
    /// Path as the client writes it: relative to the working directory if `KIMI_CODE_HOME` is relative.
    shown: PathBuf,
    raw: Content,
    scope: Scope,
}

#[derive(Default)]
struct Found {
    cwd: PathBuf,
    files: Vec<File>,
    /// Paths of the files as the client writes them.
    known: HashSet<PathBuf>,
}

impl Found {
    /// Takes the first path that has some text. The others that exist are shadowed by it.
    fn first(&mut self, paths: &[PathBuf], scope: Scope, search: &mut Search, answer: &mut Answer) -> Known<()> {
        search.expect(paths.iter().map(|path| Ask::Content(absolute(&self.cwd, path))))?;
        let mut taken = false;
        for shown in paths {
            let path = absolute(&self.cwd, shown);
            let said = |fate, reason: String, answer: &mut Answer| {
                answer.sources.push(Source::new(&path, scope, fate, reason));
            };
            if taken {
                if search.is_file(&path, REASON)? {
                    said(Fate::Shadowed, "another name comes first".to_owned(), answer);
                }
                continue;
            }
            if self.known.contains(shown) {
                continue;
            }
            match search.read(&path, REASON)? {
                Ok(raw) => {
                    if !has_text(&raw) {
                        said(Fate::Empty, "only white space".to_owned(), answer);
                        continue;
                    }
                    taken = true;
                    self.known.insert(shown.clone());
                    self.files.push(File { shown: shown.clone(), raw, scope });
                }
                Err(problem) => {
                    if search.is_file(&path, REASON)? {
                        said(Fate::Unreadable, problem.to_string(), answer);
                    }
                }
            }
        }
        Ok(())
    }

    fn say(self, answer: &mut Answer) {
        let mut section = Section::new(Trigger::Session, Role::System);
        for file in &self.files {
            let path = absolute(&self.cwd, &file.shown);
            let decoded = file.raw.text();
            let is_valid = file.raw.as_text().is_some();
            let range = if is_valid { js_trimmed(&decoded) } else { 0..decoded.len() };
            let given = Given { path: &path, raw: &file.raw, range, scope: file.scope, reason: REASON };
            let head = format!("<!-- From: {} -->\n", file.shown.display());
            let valid = |text: Text| if is_valid { text } else { js_trim(&without_invalid(&file.raw)).into() };
            section.file(given, |text| Text::framed(head, valid(text), ""));
        }
        let first = answer.messages.len();
        section.finish("\n\n", answer);
        let bytes = answer.messages.get(first).map_or(0, |message| message.text.len());
        if bytes > RECOMMENDED_BYTES {
            let message = format!("together {bytes} bytes are sent; the client recommends at most {RECOMMENDED_BYTES}");
            answer.warnings.push(Warning::general("over-budget", message));
        }
    }
}

/// Returns the directories from `root` down to `dir`.
fn down(dir: &Path, root: &Path) -> Vec<PathBuf> {
    let mut dirs = Vec::new();
    for above in dir.ancestors() {
        dirs.push(above.to_owned());
        if above == root {
            break;
        }
    }
    dirs.reverse();
    dirs
}

/// Returns the nearest directory with a `.git` directory, or with a `.git` file that names one; by default, `dir`.
fn root(dir: &Path, search: &mut Search) -> Known<PathBuf> {
    const RULE: &str = "the root of the repository ends the search";
    search.expect(dir.ancestors().map(|dir| Ask::Kind(dir.join(".git"))))?;
    for above in dir.ancestors() {
        let git = above.join(".git");
        let is_one = match search.stat(&git, RULE)?.map(|meta| meta.kind) {
            Ok(FileType::Dir) => true,
            Ok(FileType::File) => search.read(&git, RULE)?.is_ok_and(|raw| names_a_directory(&raw.text())),
            _ => false,
        };
        if is_one {
            return Ok(above.to_owned());
        }
    }
    Ok(dir.to_owned())
}

fn names_a_directory(text: &str) -> bool {
    let first = js_trim(text).lines().next().unwrap_or_default();
    first.strip_prefix("gitdir:").is_some_and(|path| !js_trim(path).is_empty())
}

/// Returns true if a file has more than white space. Invalid UTF-8 is dropped.
fn has_text(raw: &Content) -> bool {
    !js_trim(&without_invalid(raw)).is_empty()
}

/// Adds the reminder that names the files for the path that a tool reached, unless they are known.
fn remind(at: &Standpoint, mut known: HashSet<PathBuf>, search: &mut Search, answer: &mut Answer) -> Known<()> {
    let Some(target) = at.target.as_deref().filter(|target| !is_refused(target)) else { return Ok(()) };
    for earlier in &at.read_before {
        let file = absolute(&at.cwd, &earlier.file);
        // A file that was read itself is not named on that occasion; the next tool in its directory names it.
        known.extend(fresh(&file, &known, search)?);
    }
    let fresh = fresh(target, &known, search)?;
    if fresh.is_empty() {
        return Ok(());
    }
    let list: Vec<String> = fresh.iter().map(|path| format!("- {}", path.display())).collect();
    let text = format!(
        "The following AGENTS.md file(s) apply to paths accessed by your recent tool call, but were not included in your \
         system prompt:\n{}\nRead them before making changes in those directories.",
        list.join("\n")
    );
    let message = Some(answer.messages.len());
    for path in fresh {
        let source = Source::new(path, Scope::Nested, Fate::Listed, "named in a reminder; its text is not sent");
        answer.sources.push(Source { trigger: Trigger::Read, message, part: Some(0), ..source });
    }
    let reminder = Message::instructions(Trigger::Read, Role::User, text);
    let reminder = reminder.between("<system-reminder>\n", "\n</system-reminder>");
    answer.messages.push(Message { kind: MessageKind::Reminder, ..reminder });
    Ok(())
}

/// Returns the files for the path that a tool reached, without duplicates, known files, and the reached file itself if
/// it can be read.
fn fresh(reached: &Path, known: &HashSet<PathBuf>, search: &mut Search) -> Known<Vec<PathBuf>> {
    if is_refused(reached) {
        return Ok(Vec::new());
    }
    let mut seen = HashSet::new();
    let mut files = applying(reached.parent().unwrap_or(Path::new("/")), search)?;
    let is_read = files.iter().any(|path| path == reached) && is_text(reached, search)?;
    files.retain(|path| (path != reached || !is_read) && !known.contains(path) && seen.insert(path.clone()));
    Ok(files)
}

/// Returns true if the tools can read a file: UTF-8 without NUL, or UTF-16 that begins with a byte order mark.
fn is_text(path: &Path, search: &mut Search) -> Known<bool> {
    let read = search.read(path, "the file that a tool reaches, which names itself only if it cannot be read")?;
    Ok(read.is_ok_and(|raw| {
        let has_mark = raw.starts_with(b"\xff\xfe") || raw.starts_with(b"\xfe\xff");
        has_mark || raw.as_text().is_some_and(|text| !text.contains('\0'))
    }))
}

/// Returns true if the client's tools refuse a path because its name suggests a secret (Kimi Code 2.1.0).
fn is_refused(path: &Path) -> bool {
    const TEMPLATES: [&str; 3] = [".env.example", ".env.sample", ".env.template"];
    const PUBLIC: [&str; 3] = ["id_rsa.pub", "id_ed25519.pub", "id_ecdsa.pub"];
    const SECRET: [&str; 4] = ["id_rsa", "id_ed25519", "id_ecdsa", "credentials"];
    const COPIES: [&str; 10] =
        [".bak", ".backup", ".copy", ".disabled", ".key", ".old", ".orig", ".pem", ".save", ".tmp"];
    let whole = path.to_string_lossy().to_lowercase();
    let name = whole.rsplit('/').next().unwrap_or_default();
    if TEMPLATES.contains(&name) || PUBLIC.contains(&name) {
        return false;
    }
    let is_secret = |prefix: &&str| {
        let rest = name.strip_prefix(*prefix);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']) || COPIES.contains(&rest))
    };
    let in_cloud = [".aws/credentials", ".gcp/credentials"];
    name == ".env"
        || name.starts_with(".env.")
        || SECRET.iter().any(is_secret)
        || in_cloud.iter().any(|place| whole.contains(&format!("/{place}/")) || whole.ends_with(&format!("/{place}")))
}

/// Doubts the answer if prompts, agents, plugins or hooks of the user may change what is sent.
fn doubts(at: &Standpoint, own: &Path, search: &mut Search, answer: &mut Answer) -> Known<()> {
    let prompt = own.join("SYSTEM.md");
    if search.read(&prompt, "a system prompt of the user's own")?.is_ok_and(|raw| !js_trim(&raw.text()).is_empty()) {
        let reason = format!("{} replaces the system prompt, and decides what of the files is sent", prompt.display());
        answer.doubt(&[Certain::Set], reason);
    }
    if let Some(agent) = at.agent.as_deref().filter(|name| !["agent", "coder", "explore", "plan"].contains(name)) {
        answer.doubt(&[Certain::Set], format!("the agent {agent} has a prompt of its own, which was not looked up"));
    }
    let mut top = at.cwd.as_path();
    for dir in at.cwd.ancestors() {
        if search.stat(&dir.join(".git"), "where agents of the project are looked for")?.is_ok() {
            top = dir;
            break;
        }
    }
    let project = [top.join(".kimi-code/agents"), top.join(".agents/agents")];
    for dir in project.into_iter().chain([own.join("agents"), at.home.join(".agents/agents")]) {
        let is_agent = |name: &Path| name.extension().is_some_and(|extension| extension == "md");
        let takes = |entry: &Entry| entry.kind == FileType::Dir || is_agent(Path::new(&entry.name));
        for path in search.files_below(&dir, "an agent that may take the place of the client's own", takes)? {
            let Ok(raw) = search.read(&path, "an agent that may take the place of the client's own")? else { continue };
            if raw.text().contains("override") {
                let reason = format!("{} may take the place of the client's own agent", path.display());
                answer.doubt(&[Certain::Set], reason);
            }
        }
    }
    let config = own.join("config.toml");
    if let Ok(raw) = search.read(&config, "settings, which may name agents and hooks")? {
        match parse_toml(&raw.text()) {
            Ok(settings) => {
                let is_set = |key: &str| settings.get(key).is_some_and(|value| value.as_list() != Some(&[]));
                if is_set("extra_agent_dirs") {
                    let reason = format!("{}: extra_agent_dirs may bring an agent of its own", config.display());
                    answer.doubt(&[Certain::Set], reason);
                }
                if at.target.is_some() && is_set("hooks") {
                    answer.doubt(&[Certain::Set], format!("{}: hooks may stop the tool", config.display()));
                }
                if at.target.is_some() && is_set("tools") {
                    answer.doubt(&[Certain::Set], format!("{}: tools may switch the tool off", config.display()));
                }
            }
            Err(problem) => {
                let reason = format!(
                    "{} is not valid TOML, and the client starts without it: {}",
                    config.display(),
                    problem.message
                );
                answer.doubt(&[Certain::Set], reason);
            }
        }
    }
    let plugins = own.join("plugins/installed.json");
    if let Ok(raw) = search.read(&plugins, "plugins, which may add instructions")? {
        let listed = parse_json(&raw.text());
        let none = listed.is_ok_and(|node| node.get("plugins").and_then(Node::as_list).is_some_and(<[_]>::is_empty));
        if !none {
            answer.doubt(&[Certain::Set], format!("what the plugins of {} add was not looked up", plugins.display()));
        }
    }
    Ok(())
}

/// Returns the files with some text that apply to a directory, from the root of its repository down.
fn applying(dir: &Path, search: &mut Search) -> Known<Vec<PathBuf>> {
    let mut anchor = dir;
    while !search.is_dir(anchor, "the nearest directory that is there")? {
        let Some(above) = anchor.parent() else { return Ok(Vec::new()) };
        anchor = above;
    }
    let root = root(anchor, search)?;
    let dirs = down(anchor, &root);
    let all = |dir: &PathBuf| [dir.join(".kimi-code").join(NAMES[0]), dir.join(NAMES[0]), dir.join(NAMES[1])];
    search.expect(dirs.iter().flat_map(all).map(Ask::Content))?;
    let mut found = Vec::new();
    for dir in &dirs {
        let mut holds_text = |path: &Path| -> Known<bool> {
            let read = search.read(path, "a file that applies to what a tool reached")?;
            Ok(read.is_ok_and(|raw| has_text(&raw)))
        };
        let [own, capital, small] = all(dir);
        if holds_text(&own)? {
            found.push(own);
        }
        if holds_text(&capital)? {
            found.push(capital);
        } else if holds_text(&small)? {
            found.push(small);
        }
    }
    Ok(found)
}
