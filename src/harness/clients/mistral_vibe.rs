//! Mistral Vibe: the user's AGENTS.md, and those of a trusted project up to the trusted directory; below the working
//! directory, the files on the path to what the agent reads.
//!
//! Checked on the real client 3.0.2 (`vibe -p` against a loopback mock of a provider), November 2026. Skills, which are
//! listed in the system prompt, are not read.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use crate::answer::{Answer, Certain, Fate, Role, Scope, Source, Standpoint, Text, Tool, Trigger};
use crate::formats::{Node, Value, parse_toml};
use crate::harness::history::replays;
use crate::harness::kit::conventional::PLAIN;
use crate::harness::kit::section::{Given, Section};
use crate::harness::kit::{folders, skills};
use crate::harness::{
    About, Attaches, Details, Edition, Evidence, History, Profile, Program, Replays, Switches, switches,
};
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Ask, Content, Unreadable, absolute};
use crate::text::py_trimmed;

mod settings;

/// Profile of Mistral Vibe.
pub static PROFILE: Profile = Profile {
    id: "mistral-vibe",
    title: "Mistral Vibe",
    summary: "~/.vibe/AGENTS.md; in a trusted project every AGENTS.md up to the directory that is trusted; nested ones as the agent reads",
    editions: &[&Vibe],
    history: Some(&HISTORY),
    instruction_names: &["AGENTS.md"],
    settings_names: &[".vibe/trusted_folders.toml"],
    keys: &[],
    program: Some(Program { command: "vibe", package: "mistral-vibe" }),
    evidence: Evidence {
        traces: &[&["$VIBE_HOME/logs", "~/.vibe/logs"]],
        homes: &[&["$VIBE_HOME", "~/.vibe"]],
        files: &[".vibe"],
        ..Evidence::NONE
    },
};

static HISTORY: History = History { changes: &[], rules: |_| Arc::new(Vibe), replays: &REPLAYS };

static REPLAYS: Replays =
    LazyLock::new(|| replays(include_str!("../../../tests/conformance/versions/mistral-vibe.toml")));

static ABOUT: About = About {
    name: "3.0",
    checked: ("3.0.2", "3.0"),
    details: Details {
        files: "AGENTS.md of the working directory and above, up to the directory that is trusted, outermost first; trimmed",
        place: "system prompt, the user's below User instructions, the project's below Project instructions",
        truncation: "none",
        triggers: "session start; the tool that reads brings the files below the working directory",
        nested: "when the agent reads a file below the working directory, outermost first, once a session",
        global: "~/.vibe/AGENTS.md",
        dedupe: "by real directory",
        ..PLAIN
    },
};

const NAME: &str = "AGENTS.md";
/// Text before and after the instructions (Mistral Vibe 3.0.2).
const HEAD: &str = "Codebase and user instructions are shown below. Be sure to adhere to these instructions. IMPORTANT: These instructions \
                    OVERRIDE any default behavior and you MUST follow them exactly as written. When both user-level and project-level \
                    instructions are present, project instructions take priority over user instructions. When multiple project-level \
                    AGENTS.md files are present, instructions closer to the working directory take priority. Each AGENTS.md applies to \
                    its own directory and all of its descendants within the project.\n\n";
const TAIL: &str = "\n\nIMPORTANT: this context may or may not be relevant to your tasks. You should act on these guidelines if they are \
                    relevant to your task.";
const USER: &str = "## User instructions\n\n";
const PROJECT: &str = "## Project instructions (checked into the codebase)\n\n";

struct Vibe;

impl Edition for Vibe {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn switches(&self) -> &'static Switches {
        switches::table!("mistral-vibe")
    }

    fn attaches(&self, tool: Tool) -> Attaches {
        match tool {
            Tool::Read => Attaches::AsRead,
            Tool::Edit | Tool::Write | Tool::Shell => Attaches::Nothing,
            Tool::Mention => Attaches::Unknown,
        }
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let own = own_folder(at, search)?;
        let mut answer = Answer::default();
        folders::doubt_closed(&own, search, &mut answer)?;
        let trust = Trust::read(at, &own, search)?;
        let sends = settings::includes_context(at, &own, &trust, search, &mut answer)?;
        let trusted = trust.of_project(search)?;
        answer.root.clone_from(&trusted);
        let mut roots: Vec<PathBuf> = trusted.iter().map(|_| at.cwd.clone()).collect();
        roots.extend(added(at, search, &mut answer)?);
        if sends {
            let user: Vec<Doc> = document(&own, Scope::User, search, &mut answer)?.into_iter().collect();
            let mut project: Vec<Doc> = Vec::new();
            for root in &roots {
                let top = trust.root(root).unwrap_or_else(|| root.clone());
                let found = documents(root, &top, Scope::Project, &project, search, &mut answer)?;
                project.extend(found);
            }
            if trusted.is_none() {
                not_trusted(at, search, &mut answer)?;
            }
            say(&own, &user, &project, &mut answer);
        }
        if at.tool == Tool::Read {
            nested(at, &roots, search, &mut answer)?;
        }
        let homes = [own, at.home.join(".agents"), at.cwd.join(".vibe"), at.cwd.join(".agents")];
        skills::doubted(homes.map(|dir| dir.join("skills")).into(), search, &mut answer)?;
        Ok(answer)
    }
}

/// File with some text.
struct Doc {
    dir: PathBuf,
    path: PathBuf,
    raw: Content,
    scope: Scope,
}

impl Doc {
    /// Adds the file to a message, below a heading with its place.
    fn give(&self, section: &mut Section, reason: &str, head: String, tail: &str) {
        let decoded = self.raw.text();
        let range = trimmed(&decoded);
        let given = Given { path: &self.path, raw: &self.raw, range, scope: self.scope, reason };
        section.file(given, |text| {
            // The client converts line ends to LF.
            let text = if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n").into() } else { text };
            Text::framed(head, text, tail)
        });
    }
}

fn trimmed(text: &str) -> std::ops::Range<usize> {
    let mark = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
    let inner = py_trimmed(&text[mark..]);
    mark + inner.start..mark + inner.end
}

/// Returns `$VIBE_HOME`, or `~/.vibe`.
fn own_folder(at: &Standpoint, search: &mut Search) -> Known<PathBuf> {
    let Some(named) = search.env("VIBE_HOME").filter(|dir| !dir.is_empty()) else { return Ok(at.home.join(".vibe")) };
    let path = match named.strip_prefix('~') {
        Some("") => at.home.clone(),
        Some(rest) if rest.starts_with('/') => absolute(&at.home, Path::new(&rest[1..])),
        _ => absolute(&at.cwd, Path::new(&named)),
    };
    Ok(search.real(&path)?.unwrap_or(path))
}

/// Decisions of the user about trust.
struct Trust<'a> {
    at: &'a Standpoint,
    own: &'a Path,
    trusted: Vec<String>,
    untrusted: Vec<String>,
}

impl<'a> Trust<'a> {
    fn read(at: &'a Standpoint, own: &'a Path, search: &mut Search) -> Known<Trust<'a>> {
        let file = own.join("trusted_folders.toml");
        let read = search.read(&file, "trust: the folders somebody decided about")?;
        if read.as_ref().is_ok_and(|raw| raw.as_text().is_none()) {
            return Err(Halt::refused(file, "the decisions about folders are not UTF-8"));
        }
        // Python's parser takes no byte order mark.
        let text = read.ok().and_then(|raw| raw.as_text().map(str::to_owned));
        let decisions = text.filter(|text| !text.starts_with('\u{feff}')).and_then(|text| parse_toml(&text).ok());
        let mut lists = Vec::new();
        for key in ["trusted", "untrusted"] {
            lists.push(match decisions.as_ref().and_then(|node| node.get(key)).map(|node| &node.value) {
                None => Vec::new(),
                Some(Value::List(list)) => list.iter().filter_map(Node::as_text).map(str::to_owned).collect(),
                // Python iterates over a string letter by letter.
                Some(Value::Text(text)) => text.chars().map(String::from).collect(),
                Some(Value::Table(entries)) => entries.iter().map(|(folder, _)| folder.clone()).collect(),
                Some(_) => return Err(Halt::refused(file, format!("{key} must be a list of folders"))),
            });
        }
        let [trusted, untrusted]: [Vec<String>; 2] = lists.try_into().unwrap_or_default();
        Ok(Trust { at, own, trusted, untrusted })
    }

    /// Returns the nearest directory at or above `dir` with a decision, if it is trusted.
    fn root(&self, dir: &Path) -> Option<PathBuf> {
        let listed =
            |list: &[String], dir: &Path| list.iter().any(|path| Path::new(path).as_os_str() == dir.as_os_str());
        for dir in dir.ancestors() {
            if listed(&self.trusted, dir) || (dir == self.at.cwd && self.at.flag("mistral-vibe", "trust")) {
                return Some(dir.to_owned());
            }
            if listed(&self.untrusted, dir) {
                return None;
            }
        }
        None
    }

    /// Returns true if the working directory contains the user's own folder, which is not a project's.
    fn is_home(&self, search: &mut Search) -> Known<bool> {
        let here = self.at.cwd.join(".vibe");
        let own = search.real(self.own)?.unwrap_or_else(|_| self.own.to_owned());
        Ok(search.real(&here)?.unwrap_or(here) == own)
    }

    /// Returns the directory up to which the project is trusted, if it is.
    fn of_project(&self, search: &mut Search) -> Known<Option<PathBuf>> {
        Ok(if self.is_home(search)? { None } else { self.root(&self.at.cwd) })
    }
}

/// Returns the directories of `--add-dir`, which are trusted.
fn added(at: &Standpoint, search: &mut Search, answer: &mut Answer) -> Known<Vec<PathBuf>> {
    let mut found: Vec<PathBuf> = Vec::new();
    for written in at.option_list("mistral-vibe", "add-dir") {
        let path = absolute(&at.cwd, Path::new(written));
        match search.real(&path)? {
            Ok(dir) if dir == at.cwd => {
                answer.doubt(&[Certain::Set], "what it does to add the working directory is not known");
            }
            Ok(dir) if search.is_dir(&dir, "a directory that is added")? => {
                if !found.contains(&dir) {
                    found.push(dir);
                }
            }
            _ => answer.doubt(&[Certain::Set], format!("{written}: there is no such directory to add")),
        }
    }
    Ok(found)
}

/// Reports the AGENTS.md of the working directory as excluded because the project is not trusted.
fn not_trusted(at: &Standpoint, search: &mut Search, answer: &mut Answer) -> Known<()> {
    let path = at.cwd.join(NAME);
    if search.is_file(&path, "asked only to explain: the folder is not trusted")? {
        let reason = "the folder is not trusted: `vibe` asks, `vibe -p` reads it with --trust only";
        answer.sources.push(Source::new(&path, Scope::Project, Fate::Excluded, reason));
    }
    Ok(())
}

/// Returns the file of a directory, if it has some text.
fn document(dir: &Path, scope: Scope, search: &mut Search, answer: &mut Answer) -> Known<Option<Doc>> {
    let path = dir.join(NAME);
    match search.read(&path, "AGENTS.md of that directory")? {
        Ok(raw) => {
            if raw.as_text().is_none() {
                let reason = format!("{}: the client guesses the encoding of what is not UTF-8", path.display());
                answer.doubt(&[Certain::Text], reason);
            }
            if trimmed(&raw.text()).is_empty() {
                answer.sources.push(Source::new(&path, scope, Fate::Empty, "only white space"));
                return Ok(None);
            }
            Ok(Some(Doc { dir: dir.to_owned(), path, raw, scope }))
        }
        Err(problem) => {
            if search.is_file(&path, "AGENTS.md of that directory")? {
                answer.sources.push(Source::new(&path, scope, Fate::Unreadable, problem.to_string()));
            }
            Ok(None)
        }
    }
}

/// Returns the files from `top` down to `dir`, except those of directories in `known`.
fn documents(
    dir: &Path,
    top: &Path,
    scope: Scope,
    known: &[Doc],
    search: &mut Search,
    answer: &mut Answer,
) -> Known<Vec<Doc>> {
    let is_new = |dir: &&Path| known.iter().all(|doc| doc.dir != *dir);
    let mut dirs: Vec<&Path> = dir.ancestors().take_while(|dir| dir.starts_with(top)).filter(is_new).collect();
    dirs.reverse();
    search.expect(dirs.iter().map(|dir| Ask::Content(dir.join(NAME))))?;
    let mut found = Vec::new();
    for dir in dirs {
        found.extend(document(dir, scope, search, answer)?);
    }
    Ok(found)
}

fn say(own: &Path, user: &[Doc], project: &[Doc], answer: &mut Answer) {
    let mut section = Section::new(Trigger::Session, Role::System);
    let count = user.len() + project.len();
    for (at, doc) in user.iter().chain(project).enumerate() {
        let opens = if at == 0 { HEAD } else { "" };
        let closes = if at + 1 == count { TAIL } else { "" };
        if doc.scope == Scope::User {
            let words = format!("{opens}{USER}Contents of {}/{NAME} (user-level instructions):\n\n", own.display());
            doc.give(&mut section, "the user's instructions", words, closes);
        } else {
            let heading = if at == user.len() { PROJECT } else { "" };
            let words = format!("{opens}{heading}Contents of {}/{NAME}:\n\n", doc.dir.display());
            doc.give(&mut section, "at or above the working directory, as far as it is trusted", words, closes);
        }
    }
    section.finish("\n\n", answer);
}

/// Adds the files that reading the target brings: those of the directories on the path to it, below the first root that
/// contains it.
fn nested(at: &Standpoint, roots: &[PathBuf], search: &mut Search, answer: &mut Answer) -> Known<()> {
    const RULE: &str = "only what can be read brings others";
    let Some(target) = &at.target else { return Ok(()) };
    let Ok(real) = search.real(target)? else { return Ok(()) };
    let Some(root) = roots.iter().find(|root| real.starts_with(root)) else { return Ok(()) };
    let dir = if search.is_dir(&real, RULE)? {
        real.as_path()
    } else if let Err(Unreadable::Errno(_)) = search.read(&real, RULE)? {
        return Ok(());
    } else {
        real.parent().unwrap_or(&real)
    };
    if dir == root {
        return Ok(());
    }
    let outermost = dir.ancestors().take_while(|dir| dir != root).last().unwrap_or(dir);
    let mut found = documents(dir, outermost, Scope::Nested, &[], search, answer)?;
    found.retain(|doc| !at.already_loaded.contains(&doc.path));
    let mut section = Section::new(Trigger::Read, Role::Tool);
    for doc in &found {
        let words = format!("Contents of {}/{NAME} (project instructions for this directory):\n\n", doc.dir.display());
        doc.give(&mut section, "on the way to the file that is read", words, "");
    }
    section.finish("\n\n", answer);
    Ok(())
}
