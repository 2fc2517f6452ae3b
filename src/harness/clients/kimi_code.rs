//! Kimi Code: the user's files, then those of every directory from the root of the repository down; what a tool reaches below
//! is named in a reminder, without its text.
//!
//! Checked on the real client 2.1.0 (`kimi -p` against a loopback mock of a provider), November 2026. Skills are listed in
//! the system prompt, and are not looked up.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::answer::{
    Answer, Fate, Message, MessageKind, Role, Scope, Source, Standpoint, Text, Tool, Trigger, Warning,
};
use crate::harness::kit::conventional::PLAIN;
use crate::harness::kit::section::{Given, Section};
use crate::harness::kit::skills;
use crate::harness::{About, Attaches, Details, Edition, Evidence, Profile, Program};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, Content, FileType, absolute};
use crate::text::{js_trim, js_trimmed};

/// The profile.
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

/// The names of a directory's file, in order.
const NAMES: [&str; 2] = ["AGENTS.md", "agents.md"];
/// Above this the client warns, in bytes; 2.1.0.
const RECOMMENDED_BYTES: usize = 32 * 1024;
const REASON: &str = "the first of its names in that directory";

struct KimiCode;

impl Edition for KimiCode {
    fn about(&self) -> &About {
        &ABOUT
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
        let named = search.env("KIMI_CODE_HOME").filter(|dir| !dir.is_empty());
        let own = named.map_or_else(|| at.home.join(".kimi-code"), |dir| absolute(&at.cwd, Path::new(&dir)));
        let mut found = Found::default();
        found.first(&[own.join(NAMES[0])], Scope::User, search, &mut answer)?;
        found.first(&NAMES.map(|name| at.home.join(".agents").join(name)), Scope::User, search, &mut answer)?;
        for dir in down(&at.cwd, &root) {
            found.first(&[dir.join(".kimi-code").join(NAMES[0])], Scope::Project, search, &mut answer)?;
            found.first(&NAMES.map(|name| dir.join(name)), Scope::Project, search, &mut answer)?;
        }
        let known = std::mem::take(&mut found.known);
        found.say(&mut answer);
        remind(at, known, search, &mut answer)?;
        let project = [".kimi-code", ".agents"].map(|name| root.join(name));
        let folders = project.into_iter().chain([own, at.home.join(".agents")]).map(|dir| dir.join("skills"));
        skills::doubted(folders.collect(), search, &mut answer)?;
        Ok(answer)
    }
}

/// A file with some text.
struct File {
    path: PathBuf,
    raw: Content,
    range: Range<usize>,
    scope: Scope,
}

#[derive(Default)]
struct Found {
    files: Vec<File>,
    /// Their paths.
    known: HashSet<PathBuf>,
}

impl Found {
    /// Takes the first of the paths that has some text; the others that are there are shadowed by it.
    fn first(&mut self, paths: &[PathBuf], scope: Scope, search: &mut Search, answer: &mut Answer) -> Known<()> {
        search.expect(paths.iter().cloned().map(Ask::Content))?;
        let mut taken = false;
        for path in paths {
            let said = |fate, reason: String, answer: &mut Answer| {
                answer.sources.push(Source::new(path, scope, fate, reason));
            };
            if taken {
                if search.is_file(path, REASON)? {
                    said(Fate::Shadowed, "another name comes first".to_owned(), answer);
                }
                continue;
            }
            if self.known.contains(path) {
                continue;
            }
            match search.read(path, REASON)? {
                Ok(raw) => {
                    let range = js_trimmed(&raw.text());
                    if range.is_empty() {
                        said(Fate::Empty, "only white space".to_owned(), answer);
                        continue;
                    }
                    taken = true;
                    self.known.insert(path.clone());
                    self.files.push(File { path: path.clone(), raw, range, scope });
                }
                Err(problem) => {
                    if search.is_file(path, REASON)? {
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
            let given = Given {
                path: &file.path,
                raw: &file.raw,
                range: file.range.clone(),
                scope: file.scope,
                reason: REASON,
            };
            let head = format!("<!-- From: {} -->\n", file.path.display());
            // Bytes that are no UTF-8 go.
            let whole =
                |text: Text| if file.raw.as_text().is_some() { text } else { text.replace('\u{fffd}', "").into() };
            section.file(given, |text| Text::framed(head, whole(text), ""));
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

/// The directories from `root` down to `dir`.
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

/// The nearest directory with `.git`: a directory, or a file that names one.
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

/// The reminder that names the files which apply to what a tool reached, but for those that are known.
fn remind(at: &Standpoint, mut known: HashSet<PathBuf>, search: &mut Search, answer: &mut Answer) -> Known<()> {
    let Some(target) = &at.target else { return Ok(()) };
    for earlier in &at.read_before {
        let file = absolute(&at.cwd, earlier);
        known.extend(applying(file.parent().unwrap_or(Path::new("/")), search)?);
        known.extend(has_a_name(&file).then_some(file));
    }
    let mut fresh = applying(target.parent().unwrap_or(Path::new("/")), search)?;
    fresh.retain(|path| !known.contains(path) && path != target);
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

/// Whether a file is called as those that apply to a directory.
fn has_a_name(path: &Path) -> bool {
    path.file_name().is_some_and(|name| NAMES.iter().any(|known| name == *known))
}

/// The files with some text that apply to a directory, from the root of its repository down.
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
        let mut has_text = |path: &Path| -> Known<bool> {
            let read = search.read(path, "a file that applies to what a tool reached")?;
            Ok(read.is_ok_and(|raw| !js_trim(&raw.text()).is_empty()))
        };
        let [own, capital, small] = all(dir);
        if has_text(&own)? {
            found.push(own);
        }
        if has_text(&capital)? {
            found.push(capital);
        } else if has_text(&small)? {
            found.push(small);
        }
    }
    Ok(found)
}
