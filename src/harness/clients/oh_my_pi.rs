//! oh-my-pi: one file of the user, and one of each directory on the way up, whichever program it was written for, with
//! their imports. Files whose paragraphs all occur in one nearer to the working directory are left out.
//!
//! Checked on the real client 18.2.3 (`omp -p` against a loopback mock of a provider), November 2026. It is derived
//! from pi, but searches for files in its own way. Its own rules and prompts are not read.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use crate::answer::{Answer, Certain, Fate, Message, Role, Scope, Source, Standpoint, Tool, Trigger};
use crate::formats::{Value, parse_yaml};
use crate::harness::history::replays;
use crate::harness::kit::conventional::PLAIN;
use crate::harness::kit::{folders, skills};
use crate::harness::{
    About, Attaches, Change, Details, Edition, Evidence, History, Profile, Program, Replays, Switches, switches,
};
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Ask, Content, Errno, Unreadable, absolute, normalized};
use crate::text::{bun_text, js_trim};

mod imports;
mod prompt;

/// Profile of oh-my-pi.
pub static PROFILE: Profile = Profile {
    id: "oh-my-pi",
    title: "oh-my-pi",
    summary: "~/.omp/agent/AGENTS.md, and of each directory up to the repository's root, or to the home, the first of .omp/AGENTS.md, .claude/CLAUDE.md, .agents/AGENTS.md, GEMINI.md, Copilot's file, AGENTS.md, CLAUDE.md; with imports",
    editions: &[&OhMyPi],
    history: Some(&HISTORY),
    instruction_names: &[
        "AGENTS.md",
        "CLAUDE.md",
        ".omp/AGENTS.md",
        ".claude/CLAUDE.md",
        ".agent/AGENTS.md",
        ".agents/AGENTS.md",
        ".gemini/GEMINI.md",
        ".github/copilot-instructions.md",
    ],
    settings_names: &[".omp/agent/config.yml"],
    keys: &[],
    program: Some(Program { command: "omp", package: "@oh-my-pi/pi-coding-agent" }),
    evidence: Evidence {
        traces: &[&["~/.omp/agent/sessions"]],
        homes: &[&["$PI_CODING_AGENT_DIR", "~/.omp/agent"]],
        files: &[".omp"],
        ..Evidence::NONE
    },
};

static HISTORY: History = History { changes: &[&OTHERWISE], rules: |_| Arc::new(OhMyPi), replays: &REPLAYS };

/// Checked on 17.3.5 and on 18.2.0. The exact version of each change between them is not known.
static OTHERWISE: Change = Change {
    since: "18.2.0",
    what: "the user's file comes first and is never that of Claude, CLAUDE.md is read in every directory, empty files count as missing",
    cases: &[],
};

static REPLAYS: Replays = LazyLock::new(|| replays(include_str!("../../../tests/conformance/versions/oh-my-pi.toml")));

static ABOUT: About = About {
    name: "18.2",
    checked: ("18.2.3", "18.2"),
    details: Details {
        files: "of each directory one: .omp, .claude, .agent, .agents, .gemini, .github, AGENTS.md, CLAUDE.md, in that order",
        place: "system prompt, `<repo-rules>`, each in `<file path=…>`; farthest first, the user's before all",
        truncation: "none; blank lines, tables and ends of lines are tidied",
        nested: "not read",
        global: "~/.omp/agent/AGENTS.md, else ~/.agent/AGENTS.md, else ~/.agents/AGENTS.md",
        dedupe: "a file whose paragraphs all stand in a nearer one is left out",
        ..PLAIN
    },
};

struct OhMyPi;

impl Edition for OhMyPi {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn switches(&self) -> &'static Switches {
        switches::table!("oh-my-pi")
    }

    fn attaches(&self, tool: Tool) -> Attaches {
        match tool {
            Tool::Read | Tool::Write | Tool::Shell => Attaches::Nothing,
            Tool::Edit | Tool::Mention => Attaches::Unknown,
        }
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let at = &Standpoint { cwd: start(at, search)?, ..at.clone() };
        let root = repository(&at.cwd, search)?;
        let mut answer = Answer { root: root.clone(), ..Answer::default() };
        let named = search.env("PI_CODING_AGENT_DIR").filter(|dir| !dir.is_empty());
        let own = named.map_or_else(|| at.home.join(".omp/agent"), |dir| absolute(&at.cwd, Path::new(&dir)));
        folders::doubt_closed(&at.home.join(".omp"), search, &mut answer)?;
        folders::doubt_closed(&own, search, &mut answer)?;
        check_settings(&at.cwd, &own, search, &mut answer)?;
        let candidates = candidates(at, root.as_deref(), &own, search)?;
        search.expect(candidates.iter().map(|candidate| Ask::Content(candidate.path.clone())))?;
        let mut taken: Vec<Taken> = Vec::new();
        for candidate in candidates {
            take(candidate, &mut taken, search, &mut answer)?;
        }
        // The user's files first, then from the farthest directory to the nearest; files of one place keep their order.
        taken.sort_by_key(|file| std::cmp::Reverse(file.candidate.depth.unwrap_or(i64::MAX)));
        let mut files = Vec::new();
        for file in taken {
            let from = answer.sources.len();
            let imports = imports::Imports { home: &at.home, message: 0 };
            let text = imports.expand(&bun_text(&file.raw), &file.candidate.path, search, &mut answer)?;
            let (imported, own) = (answer.sources.split_off(from), file);
            files.push((own, text, imported));
        }
        say(files, &mut answer);
        doubts(at, &own, search, &mut answer)?;
        Ok(answer)
    }
}

/// Returns the directory in which the client works: if started in the home directory, it changes to one for temporary
/// files.
fn start(at: &Standpoint, search: &mut Search) -> Known<PathBuf> {
    if at.cwd == at.home {
        for dir in [at.home.join("tmp"), "/tmp".into(), "/var/tmp".into()] {
            if search.is_dir(&dir, "in place of the home directory")? {
                return Ok(dir);
            }
        }
    }
    Ok(at.cwd.clone())
}

/// File that may be the one of its place.
struct Candidate {
    path: PathBuf,
    /// Path as the client writes it.
    shown: PathBuf,
    /// Number of levels above the working directory; `None` for the user's files.
    depth: Option<i64>,
    /// Treatment of an empty file.
    empty: Empty,
}

/// Treatment of an empty file.
#[derive(PartialEq, Eq)]
enum Empty {
    Counts,
    IsNone,
}

/// File that was selected for its place.
struct Taken {
    candidate: Candidate,
    raw: Content,
}

/// Returns all candidates in order of precedence.
fn candidates(at: &Standpoint, root: Option<&Path>, own: &Path, search: &mut Search) -> Known<Vec<Candidate>> {
    let file = |path: PathBuf, depth| Candidate { shown: path.clone(), path, depth, empty: Empty::IsNone };
    let depth_of = |dir: &Path| Some(depth(&at.cwd, dir));
    let mut all = vec![file(own.join("AGENTS.md"), None)];
    for (above, dir) in (0..).zip(at.cwd.ancestors()) {
        let folder = dir.join(".omp");
        if search
            .list(&folder, "the nearest folder of the project that holds anything")?
            .is_ok_and(|list| !list.is_empty())
        {
            all.push(file(folder.join("AGENTS.md"), Some(above)));
            break;
        }
        if Some(dir) == root {
            break;
        }
    }
    let claude = at.cwd.join(".claude/CLAUDE.md");
    all.push(Candidate { empty: Empty::Counts, ..file(claude, Some(0)) });
    let ends = root.unwrap_or(&at.home);
    for dir in at.cwd.ancestors() {
        if dir != at.home {
            all.extend([".agent", ".agents"].map(|name| file(dir.join(name).join("AGENTS.md"), depth_of(dir))));
        }
        if dir == ends {
            break;
        }
    }
    all.extend([".agent", ".agents"].map(|name| file(at.home.join(name).join("AGENTS.md"), None)));
    all.push(file(at.cwd.join(".gemini/GEMINI.md"), Some(-1)));
    all.push(file(at.cwd.join(".github/copilot-instructions.md"), Some(-1)));
    let named = search.env("COPILOT_CUSTOM_INSTRUCTIONS_DIRS").unwrap_or_default();
    let named = named.split(',').map(js_trim).filter(|dir| !dir.is_empty());
    all.extend(named.map(|dir| {
        let shown = normalized(&Path::new(dir).join("AGENTS.md"));
        Candidate { path: absolute(&at.cwd, &shown), shown, depth: None, empty: Empty::IsNone }
    }));
    for name in ["AGENTS.md", "CLAUDE.md"] {
        let dirs = walk(&at.cwd, &at.home, root);
        all.extend(dirs.into_iter().map(|dir| file(dir.join(name), depth_of(dir))));
    }
    Ok(all)
}

/// Returns the number of levels that `to` is above `from`, as the client counts slashes: `/` counts the same as `/p`.
fn depth(from: &Path, to: &Path) -> i64 {
    let parts = |path: &Path| path.as_os_str().as_encoded_bytes().iter().filter(|byte| **byte == b'/').count() as i64;
    parts(from) - parts(to)
}

/// Returns the directories whose own files are read: up to the repository root, and on to below the home directory if
/// that is above the root; without a repository, up to the home directory or the file system root.
fn walk<'a>(cwd: &'a Path, home: &Path, root: Option<&Path>) -> Vec<&'a Path> {
    let below_home = cwd.starts_with(home);
    let to_home = below_home && root.is_some_and(|root| root.starts_with(home) && root != home);
    let boundary = if to_home { home } else { root.unwrap_or(if below_home { home } else { Path::new("/") }) };
    let with_boundary = match root {
        None => below_home,
        Some(root) => boundary != home || root == home,
    };
    let mut dirs = Vec::new();
    for dir in cwd.ancestors() {
        if dir == boundary {
            dirs.extend(with_boundary.then_some(dir));
            break;
        }
        dirs.push(dir);
    }
    // Folders whose names begin with a dot belong to programs.
    dirs.retain(|dir| !dir.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".")));
    dirs
}

/// Returns the nearest directory that has an entry `.git`.
fn repository(cwd: &Path, search: &mut Search) -> Known<Option<PathBuf>> {
    search.expect(cwd.ancestors().map(|dir| Ask::Kind(dir.join(".git"))))?;
    for dir in cwd.ancestors() {
        let is_there = search.lstat(&dir.join(".git"), "the root of the repository ends the search")?.is_ok();
        // The client searches the directory's entries, so it finds nothing if they cannot be listed.
        if is_there && search.list(dir, "the root of the repository ends the search")?.is_ok() {
            return Ok(Some(dir.to_owned()));
        }
    }
    Ok(None)
}

/// Selects a file, unless its place already has one.
fn take(candidate: Candidate, taken: &mut Vec<Taken>, search: &mut Search, answer: &mut Answer) -> Known<()> {
    let scope = candidate.scope();
    let raw = match search.read(&candidate.path, "the first of a place counts")? {
        Ok(raw) => raw,
        Err(problem) => {
            if search.is_file(&candidate.path, "the first of a place counts")? {
                answer.sources.push(Source::new(&candidate.path, scope, Fate::Unreadable, problem.to_string()));
            }
            return Ok(());
        }
    };
    let mut source = |fate, reason: String| {
        let source = Source::new(&candidate.path, scope, fate, reason);
        answer.sources.push(Source { size: Some(raw.size()), ..source });
    };
    if bun_text(&raw).is_empty() && candidate.empty == Empty::IsNone {
        source(Fate::Empty, "empty: it counts as missing".to_owned());
        return Ok(());
    }
    match taken.iter().find(|other| other.candidate.place() == candidate.place()) {
        Some(other) => {
            source(Fate::Shadowed, format!("{} of the same place comes first", other.candidate.path.display()));
            if let Some(last) = answer.sources.last_mut() {
                last.by = Some(other.candidate.path.clone());
            }
        }
        None => taken.push(Taken { candidate, raw }),
    }
    Ok(())
}

impl Candidate {
    /// Returns the place, of which one file is selected.
    fn place(&self) -> Option<i64> {
        self.depth.map(|depth| depth.max(0))
    }

    fn scope(&self) -> Scope {
        if self.depth.is_none() { Scope::User } else { Scope::Project }
    }
}

/// Adds the message with the files that are not contained in a nearer one.
fn say(files: Vec<(Taken, String, Vec<Source>)>, answer: &mut Answer) {
    let blocks: Vec<Vec<String>> = files.iter().map(|(_, text, _)| prompt::paragraphs(text)).collect();
    let mut parts = Vec::new();
    let mut sources = Vec::new();
    for (at, (file, text, imported)) in files.into_iter().enumerate() {
        let (path, scope) = (&file.candidate.path, file.candidate.scope());
        if blocks[at + 1..].iter().any(|nearer| prompt::holds(nearer, &blocks[at])) {
            let reason = "all its paragraphs stand in a file that is nearer to the work";
            let source = Source::new(path, scope, Fate::Dropped, reason);
            sources.push(Source { size: Some(file.raw.size()), ..source });
            continue;
        }
        parts.push(format!("<file path=\"{}\">\n{text}\n</file>", file.candidate.shown.display()));
        let reason = "the first of its place; blank lines, tables and ends of lines are tidied";
        let source = Source::whole(path, scope, file.raw.size(), reason);
        sources.push(Source { message: Some(0), part: Some(0), ..source });
        sources.extend(imported);
    }
    answer.sources.splice(0..0, sources);
    if !parts.is_empty() {
        let files = parts.join("\n");
        let text = format!("<repo-rules>\nMUST follow these context files for all tasks:\n{files}\n</repo-rules>");
        answer.messages.push(Message::instructions(Trigger::Session, Role::System, prompt::tidied(&text)));
    }
}

/// Words in the messages of YAML errors that Bun's parser tolerates in some texts (Bun 1.3.14).
const TOLERATED: [&str; 5] = [" tab", "unprintable", "expected key", "expected whitespace", "',' or '}'"];

/// Refuses to start if settings of the user or of the project cannot be read (oh-my-pi 18.2.3).
fn check_settings(cwd: &Path, own: &Path, search: &mut Search, answer: &mut Answer) -> Known<()> {
    for path in [own.join("config.yml"), cwd.join(".omp/config.yml")] {
        let why = match search.read(&path, "settings")? {
            Ok(raw) => match parse_yaml(&bun_text(&raw)).map(|node| node.value) {
                Ok(Value::Table(_) | Value::Null) => continue,
                Ok(_) => "the settings must be a table".to_owned(),
                Err(problem) if TOLERATED.iter().any(|words| format!(" {}", problem.message).contains(words)) => {
                    let reason = format!("{}: the client may read what is not valid YAML", path.display());
                    answer.doubt(&[Certain::Set], reason);
                    continue;
                }
                Err(problem) => format!("the settings are not valid YAML: {}", problem.message),
            },
            Err(Unreadable::Errno(Errno::NOENT)) => continue,
            Err(problem) => format!("the settings cannot be read: {problem}"),
        };
        return Err(Halt::refused(path, why));
    }
    Ok(())
}

/// Variables that move folders, name additional settings or drop the prompt; the client also reads them from `.env`
/// files (oh-my-pi 18.2.3).
const VARIABLES: [&str; 7] = [
    "OMP_PROFILE",
    "PI_PROFILE",
    "PI_CONFIG_DIR",
    "PI_CONFIG_FILES",
    "CLAUDE_CONFIG_DIR",
    "PI_CODING_AGENT_DIR",
    "NULL_PROMPT",
];
/// `.env` files of the working directory, which Bun itself reads: those that have no mode, and of the modes the one
/// that `NODE_ENV` or `BUN_ENV` names.
const DOTENV: [&str; 8] = [
    ".env",
    ".env.local",
    ".env.development",
    ".env.development.local",
    ".env.production",
    ".env.production.local",
    ".env.test",
    ".env.test.local",
];
/// Keys of settings that add or exclude files, or programs that may rewrite the prompt (oh-my-pi 18.2.3).
const KEYS: [&str; 5] =
    ["disabledProviders", "enabledProviders", "disabledExtensions", "additionalDirectories", "extensions"];
/// Folders and files of other programs that replace the prompt or hold programs that may rewrite it (oh-my-pi 18.2.3).
const FOREIGN: [&str; 6] = [
    ".claude/SYSTEM.md",
    ".codex/SYSTEM.md",
    ".gemini/SYSTEM.md",
    ".claude/hooks/pre",
    ".claude/hooks/post",
    ".codex/hooks",
];
/// Folders and files of the client itself with that effect, and rules that are always sent (oh-my-pi 18.2.3).
const OWN: [&str; 3] = ["extensions", "hooks", "RULES.md"];
/// Project settings that the client reads, including those of other programs (oh-my-pi 18.2.3).
const SETTINGS: [&str; 5] =
    [".claude/settings.json", ".gemini/settings.json", ".cursor/settings.json", ".codex/config.toml", "opencode.json"];

/// Doubts the answer if the user or the project has files whose effect was not checked.
fn doubts(at: &Standpoint, own: &Path, search: &mut Search, answer: &mut Answer) -> Known<()> {
    let here = |name: &str| at.cwd.join(name);
    for variable in VARIABLES.into_iter().filter(|name| *name != "PI_CODING_AGENT_DIR") {
        if search.has_env(variable) {
            answer.doubt(&[Certain::Set], format!("what {variable} does was not asked about"));
        }
    }
    let dotenv = [at.home.join(".env"), at.home.join(".omp/.env"), own.join(".env")];
    let dotenv = dotenv.into_iter().chain(DOTENV.map(here)).map(|path| (path, &VARIABLES[..]));
    let settings = ["config.yml", "config.yaml", "settings.json"].map(|name| own.join(name));
    let settings = settings.into_iter().chain(SETTINGS.map(here)).map(|path| (path, &KEYS[..]));
    let all: Vec<(PathBuf, &[&str])> = dotenv.chain(settings).collect();
    search.expect(all.iter().map(|(path, _)| Ask::Content(path.clone())))?;
    for (path, words) in all {
        let Ok(raw) = search.read(&path, "what may add files or leave some out")? else { continue };
        let text = bun_text(&raw);
        if let Some(word) = words.iter().find(|word| text.contains(**word)) {
            answer.doubt(&[Certain::Set], format!("what {word} in {} does was not asked about", path.display()));
        }
    }
    let others =
        [".omp/config.yml", ".omp/settings.json", ".omp/rules", ".cursorrules", ".cursor/rules", ".windsurfrules"];
    let rules = [".windsurf/rules", ".clinerules", ".github/instructions", ".agent/rules", ".agents/rules"];
    let mut asked: Vec<PathBuf> = others.into_iter().chain(rules).chain(FOREIGN).map(here).collect();
    asked.extend([own.to_owned(), here(".omp")].iter().flat_map(|dir| OWN.map(|name| dir.join(name))));
    let plugins = [at.home.join(".omp"), here(".omp")].map(|dir| dir.join("plugins"));
    asked.extend(plugins.iter().flat_map(|dir| ["package.json", "installed_plugins.json"].map(|name| dir.join(name))));
    // The client looks for its prompt in the default folder, even if a variable moves the folder.
    asked.extend(Some(at.home.join(".omp/agent/SYSTEM.md")).filter(|path| !path.starts_with(own)));
    for dir in
        [own.to_owned(), here(".omp"), here(".agent"), here(".agents"), at.home.join(".agent"), at.home.join(".agents")]
    {
        asked.extend(["SYSTEM.md", "APPEND_SYSTEM.md", "rules"].map(|name| dir.join(name)));
    }
    search.expect(asked.iter().cloned().map(Ask::Kind))?;
    for path in asked {
        if search.stat(&path, "what was not asked about")?.is_ok() {
            answer.doubt(&[Certain::Set], format!("what {} adds was not asked about", path.display()));
        }
    }
    let skills = [own.join("skills"), here(".omp/skills"), here(".claude/skills"), here(".agents/skills")];
    skills::doubted(skills.to_vec(), search, answer)
}
