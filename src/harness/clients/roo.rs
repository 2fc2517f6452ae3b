//! Roo Code: rules of its modes, AGENTS.md, and rules of all modes, from the home directory and from the workspace.
//!
//! Based on its sources (cb83656, 3.52.1: `core/prompts/sections/custom-instructions.ts`, `services/roo-config`),
//! November 2026; the client runs in VS Code. The text is the section that begins with `Rules:`. Built-in instructions
//! for a mode, and those in the user's settings, come before it and are not files.

use std::path::{Path, PathBuf};

use crate::answer::{Answer, Certain, Fate, Scope, Standpoint, Text};
use crate::harness::kit::conventional::{Chain, Load, PLAIN, read_in_november};
use crate::harness::kit::vscode::{self, Settings};
use crate::harness::{About, Details, Edition, Evidence, Profile};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, FileType, relative};
use crate::text::locale_compare;

/// Mode of a new task, unless the request names another as `agent`.
const DEFAULT_MODE: &str = "architect";
/// Built-in modes.
const MODES: [&str; 5] = ["architect", "code", "ask", "debug", "orchestrator"];
/// Maximum depth of symlinks. A symlink counts as one level, and the contents of its folder as another.
const LINK_DEPTH: usize = 5;
/// Maximum number of entries that are read below a folder of rules. The client has no such limit.
const ENTRY_LIMIT: usize = 2_000;
/// Endings of files that are not rules.
const NO_RULES: [&str; 20] = [
    ".DS_Store",
    ".bak",
    ".cache",
    ".crdownload",
    ".db",
    ".dmp",
    ".dump",
    ".eslintcache",
    ".lock",
    ".log",
    ".old",
    ".part",
    ".partial",
    ".pyc",
    ".pyo",
    ".stackdump",
    ".swo",
    ".swp",
    ".temp",
    ".tmp",
];

/// Profile of Roo Code.
pub static PROFILE: Profile = Profile {
    id: "roo",
    title: "Roo Code",
    summary: ".roo/rules-MODE and .roo/rules of the home directory and of the workspace (else .roorules, .clinerules), AGENTS.md or AGENT.md, AGENTS.local.md",
    editions: &[&Roo],
    history: None,
    instruction_names: &[
        ".roo/rules/**/*.md",
        ".roo/rules/**/*.txt",
        ".roo/rules-*/**/*.md",
        ".roo/rules-*/**/*.txt",
        ".roorules",
        ".roorules-*",
        ".clinerules",
        ".clinerules-*",
        "AGENTS.md",
        "AGENT.md",
        "AGENTS.local.md",
    ],
    settings_names: &vscode::NAMES,
    keys: &[],
    program: None,
    evidence: Evidence {
        homes: &[&["~/.roo"]],
        files: &[".roo", ".roorules", ".roomodes"],
        editor: &["rooveterinaryinc.roo-cline"],
        ..Evidence::NONE
    },
};

const UNSURE: &str = "based on Roo Code's sources (November 2026), not on the running client";

static ABOUT: About = read_in_november(Details {
    files: "rules of the mode, AGENTS.md or AGENT.md, AGENTS.local.md, rules of all modes; folders before the legacy files",
    place: "at the end of the system prompt, under `Rules:`, each below its path; trimmed",
    truncation: "none",
    nested: "only with enableSubfolderRules",
    global: "~/.roo/rules and ~/.roo/rules-MODE",
    sessions: "each mode has rules of its own",
    dedupe: "none",
    ..PLAIN
});

struct Roo;

impl Edition for Roo {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let mut chain = Chain::new(at, search, Some(UNSURE));
        let settings = Settings::gather(at, chain.search, &mut chain.answer.warnings)?;
        let mode = at.agent.as_deref().unwrap_or(DEFAULT_MODE);
        if at.flag(PROFILE.id, "enable-subfolder-rules") {
            chain.answer.doubt(&[Certain::Set], "rules of subfolders are switched on, and are not looked for");
        }
        rules_of_the_mode(&mut chain, mode)?;
        if chain.search.is_file(&at.cwd.join(".rooignore"), "is sent with the rules")? {
            chain.answer.files_only = Some(".rooignore is sent with the rules, in words of Roo's own".to_owned());
        }
        if settings.flag("roo-cline.useAgentRules", true) {
            agents(&mut chain)?;
        } else {
            for name in ["AGENTS.md", "AGENT.md", "AGENTS.local.md"] {
                excluded(&mut chain, &at.cwd.join(name), "roo-cline.useAgentRules is off")?;
            }
        }
        rules_of_all(&mut chain)?;
        other_modes(&mut chain, mode)?;
        if chain.started() > 0 {
            chain.before(0, "Rules:\n\n");
        }
        Ok(chain.finish("\n\n"))
    }
}

/// Adds `rules-MODE` of both folders, else `.roorules-MODE`, else `.clinerules-MODE`.
fn rules_of_the_mode(chain: &mut Chain, mode: &str) -> Known<()> {
    let legacy = [format!(".roorules-{mode}"), format!(".clinerules-{mode}")];
    let folder = format!("rules-{mode}");
    let head = format!("# Rules from rules-{mode} directories:\n\n");
    if let Some(by) = folders(chain, &folder, &head, "a rule of the mode")? {
        return shadowed(chain, &legacy, &by);
    }
    first_with_text(chain, &legacy, "the legacy rules of the mode", |name| format!("# Rules from {name}:\n"))
}

/// Adds `rules` of both folders, else `.roorules`, else `.clinerules`.
fn rules_of_all(chain: &mut Chain) -> Known<()> {
    let legacy = [".roorules".to_owned(), ".clinerules".to_owned()];
    if let Some(by) = folders(chain, "rules", "# Rules from .roo directories:\n\n", "a rule of all modes")? {
        // Unlike for the rules of a mode, the client trims the whole text, which matters if the last file has no text.
        chain.trim_last();
        return shadowed(chain, &legacy, &by);
    }
    first_with_text(chain, &legacy, "the legacy rules of all modes", |name| format!("# Rules from {name}:\n"))
}

/// Adds a folder of `~/.roo` and that of the workspace's `.roo`, and returns the first file. A file without text still
/// gets its header.
fn folders(chain: &mut Chain, name: &str, head: &str, reason: &str) -> Known<Option<PathBuf>> {
    let start = chain.started();
    let mut first = None;
    for (dir, scope) in [(chain.at.home.join(".roo"), Scope::User), (chain.at.cwd.join(".roo"), Scope::Rule)] {
        let load = Load::start(scope, reason);
        let files = rules_below(chain, &dir.join(name))?;
        chain.search.expect(files.iter().map(|(path, _)| Ask::Content(path.clone())))?;
        for (path, resolved) in files {
            let Some(file) = chain.file(&path, load)? else { continue };
            first.get_or_insert(path);
            let head = format!("# Rules from {}:\n", relative(&chain.at.cwd, &resolved));
            let range = file.js_trimmed();
            if range.is_empty() {
                chain.line(head.as_str());
            }
            chain.give(&file, range, load, |text| Text::framed(head, text, ""));
        }
    }
    if first.is_some() {
        chain.before(start, head);
    }
    Ok(first)
}

/// Adds AGENTS.md, otherwise AGENT.md, and AGENTS.local.md.
fn agents(chain: &mut Chain) -> Known<()> {
    let names = ["AGENTS.md".to_owned(), "AGENT.md".to_owned()];
    first_with_text(chain, &names, "the standard file", |name| format!("# Agent Rules Standard ({name}):\n"))?;
    let local = ["AGENTS.local.md".to_owned()];
    first_with_text(chain, &local, "a personal file", |name| format!("# Agent Rules Local ({name}):\n"))
}

/// Adds the first of the workspace's files that has text. The others are shadowed by it.
fn first_with_text(chain: &mut Chain, names: &[String], reason: &str, head: impl Fn(&str) -> String) -> Known<()> {
    let load = Load::start(Scope::Project, reason);
    chain.search.expect(names.iter().map(|name| Ask::Content(chain.at.cwd.join(name))))?;
    for (index, name) in names.iter().enumerate() {
        let Some(file) = chain.file(&chain.at.cwd.join(name), load)? else { continue };
        let range = file.js_trimmed();
        let found = !range.is_empty();
        chain.give(&file, range, load, |text| Text::framed(head(name), text, ""));
        if found {
            return shadowed(chain, &names[index + 1..], &file.path);
        }
    }
    Ok(())
}

fn shadowed(chain: &mut Chain, names: &[String], by: &Path) -> Known<()> {
    let load = Load::start(Scope::Project, "another file is taken");
    names.iter().try_for_each(|name| chain.shadowed(&chain.at.cwd.join(name), load, by))
}

fn excluded(chain: &mut Chain, path: &Path, why: &str) -> Known<()> {
    if chain.search.is_file(path, "a file of rules")? {
        chain.say(path, Load::start(Scope::Project, ""), Fate::Excluded, why);
    }
    Ok(())
}

/// Reports the rules of other modes as excluded.
fn other_modes(chain: &mut Chain, mode: &str) -> Known<()> {
    for name in MODES.iter().filter(|other| **other != mode) {
        let why = format!("only in the mode {name}");
        for file in [format!(".roorules-{name}"), format!(".clinerules-{name}")] {
            excluded(chain, &chain.at.cwd.join(file), &why)?;
        }
    }
    for (dir, scope) in [(chain.at.home.join(".roo"), Scope::User), (chain.at.cwd.join(".roo"), Scope::Rule)] {
        let Ok(entries) = chain.search.list(&dir, "rules of other modes")? else { continue };
        let names =
            entries.iter().filter(|entry| entry.kind == FileType::Dir).map(|entry| entry.name.to_string_lossy());
        let modes = names.filter_map(|name| name.strip_prefix("rules-").map(str::to_owned));
        let others: Vec<_> =
            modes.filter(|other| *other != mode).map(|other| (dir.join(format!("rules-{other}")), other)).collect();
        chain.search.expect(others.iter().map(|(folder, _)| Ask::Listing(folder.clone())))?;
        for (folder, other) in others {
            for (path, _) in rules_below(chain, &folder)? {
                let load = Load::start(scope, "");
                chain.say(&path, load, Fate::Excluded, format!("only in the mode {other}"));
            }
        }
    }
    Ok(())
}

/// Returns the files of a folder and of those below it, sorted by name, with their real paths. Symlinks are followed.
fn rules_below(chain: &mut Chain, dir: &Path) -> Known<Vec<(PathBuf, PathBuf)>> {
    let mut walk = Walk { files: Vec::new(), linked: Vec::new(), left: ENTRY_LIMIT };
    walk.folder(chain, dir, 0)?;
    let mut files = walk.files;
    files.append(&mut walk.linked);
    files.retain(|(_, resolved)| {
        let name = resolved.file_name().unwrap_or_default().to_string_lossy();
        name != "Thumbs.db" && !NO_RULES.iter().any(|ending| name.ends_with(ending))
    });
    let key = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    files.sort_by(|(one, _), (other, _)| locale_compare(&key(one), &key(other)));
    Ok(files)
}

struct Walk {
    files: Vec<(PathBuf, PathBuf)>,
    /// Files behind symlinks, which follow those in the folder itself.
    linked: Vec<(PathBuf, PathBuf)>,
    left: usize,
}

impl Walk {
    /// Collects files level by level, the entries of a directory in byte order as Node lists them.
    fn folder(&mut self, chain: &mut Chain, dir: &Path, depth: usize) -> Known<()> {
        let mut level = if depth > LINK_DEPTH { Vec::new() } else { vec![dir.to_owned()] };
        while !level.is_empty() && self.left > 0 {
            chain.search.expect(level.iter().cloned().map(Ask::Listing))?;
            let mut below = Vec::new();
            for folder in level {
                let Ok(entries) = chain.search.list(&folder, "a folder of rules")? else { continue };
                let mut entries: Vec<_> = entries.iter().take(self.left).cloned().collect();
                self.left -= entries.len();
                entries.sort_by(|one, other| one.name.cmp(&other.name));
                for entry in entries {
                    let path = folder.join(&entry.name);
                    match entry.kind {
                        FileType::File if depth == 0 => self.files.push((path.clone(), path)),
                        FileType::File => self.linked.push((path.clone(), path)),
                        FileType::Dir => below.push(path),
                        FileType::Link => self.link(chain, &path, depth + 1)?,
                        FileType::Fifo | FileType::Device | FileType::Other => {}
                    }
                }
            }
            level = below;
        }
        Ok(())
    }

    fn link(&mut self, chain: &mut Chain, path: &Path, depth: usize) -> Known<()> {
        let Some(target) = chain.search.link_target(path)?.filter(|_| depth <= LINK_DEPTH) else { return Ok(()) };
        match chain.search.glance(&target)?.map(|meta| meta.kind) {
            Ok(FileType::File) => self.linked.push((path.to_owned(), target)),
            Ok(FileType::Dir) => self.folder(chain, &target, depth + 1)?,
            Ok(FileType::Link | FileType::Fifo | FileType::Device | FileType::Other) | Err(_) => {}
        }
        Ok(())
    }
}
