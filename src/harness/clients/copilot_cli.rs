//! GitHub Copilot CLI: whole files in the system prompt, a table of those with narrower patterns, and more files when
//! one is viewed.
//!
//! Checked on the real client 1.0.102 (`copilot -p` offline, against a loopback mock of a provider), November 2026.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::answer::{
    Answer, Certain, Fate, MessageKind, Refusal, Scope, SessionKind, Source, Standpoint, Tool, Warning,
};
use crate::glob;
use crate::harness::keys::{Key, Keys, Takes};
use crate::harness::kit::folders;
use crate::harness::{
    About, Attaches, Changed, Details, Edition, Evidence, Profile, Program, Resumes, Switches, Version, switches,
};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, Errno, FileType, absolute, relative};

mod agents;
mod find;
mod front_matter;
mod history;
mod imports;
mod rules;
mod seen;
mod sent;
mod session;
mod skills;
mod subagent;
mod viewing;

use find::named;
use history::{Behavior, Beside, Heads, Imports, Outside, Users};
use rules::KnownRule;
use sent::imports_anything;
use session::Session;

/// Id, also the key of its options in requests.
const ID: &str = "copilot-cli";

/// Size from which on a session may stop with "Static system messages and tool definitions exceed the model's usable
/// context budget", in bytes. It stopped with 150 000 bytes of text unknown to tokenizers, and with 240 000 of English
/// (Copilot CLI 1.0.102).
const BUDGET_BYTES: usize = 120_000;

/// Profile of Copilot CLI.
pub static PROFILE: Profile = Profile {
    id: ID,
    title: "Copilot CLI",
    summary: "copilot-instructions.md, AGENTS.md, CLAUDE.md, GEMINI.md from the repository to the start directory, *.instructions.md, .claude/rules, and the files above what is viewed",
    editions: &[&V1_0],
    history: Some(&history::HISTORY),
    instruction_names: &[
        ".github/copilot-instructions.md",
        ".copilot/copilot-instructions.md",
        "AGENTS.md",
        "CLAUDE.md",
        "GEMINI.md",
        ".github/instructions/**/*.instructions.md",
        // Files with another ending are not read; a finding says so.
        ".github/instructions/**/*.md",
        ".copilot/instructions/**/*.instructions.md",
        ".claude/rules/**/*.md",
    ],
    settings_names: &[],
    program: Some(Program { command: "copilot", package: "@github/copilot" }),
    keys: KEYS,
    evidence: Evidence {
        traces: &[&["$COPILOT_HOME/session-state", "~/.copilot/session-state"]],
        homes: &[&["$COPILOT_HOME", "~/.copilot"]],
        files: &[".github/copilot-instructions.md", ".github/instructions", ".github/agents", ".github/skills"],
        ..Evidence::NONE
    },
};

const KEYS: &[Keys] = &[Keys {
    files: &[".github/instructions/**/*.instructions.md", ".copilot/instructions/**/*.instructions.md"],
    keys: &[
        Key::new(
            "applyTo",
            Takes::Paths,
            "Patterns from the root of the repository: the text is loaded with files that match; without patterns, at the start.",
        ),
        Key::new("description", Takes::Other, "What the table of instructions says of the file."),
    ],
}];

/// Rules of a version of Copilot CLI. Behaviour that all versions share is code; behaviour that differs is a field.
pub struct CopilotCli {
    about: About,
    /// Names of the files in a directory, in the order in which they follow the repository's
    /// `.github/copilot-instructions.md`.
    names: &'static [&'static str],
    /// Differences between versions.
    behavior: Behavior,
}

impl CopilotCli {
    /// Creates the rules of a version.
    fn for_version(version: Version) -> CopilotCli {
        CopilotCli { about: V1_0.about, names: V1_0.names, behavior: Behavior::for_version(version) }
    }
}

static V1_0: CopilotCli = CopilotCli {
    about: About {
        name: "1.0",
        checked: ("1.0.102", "1.0"),
        details: Details {
            files: "copilot-instructions.md, AGENTS.md, CLAUDE.md, GEMINI.md, *.instructions.md, .claude/rules: all of them",
            triggers: "session start; viewing a file adds the files above it and those whose pattern matches; bash, grep, glob, create, edit and mentions add nothing",
            place: "system prompt; after a view, a user message",
            truncation: "none; with more than the model takes the run stops",
            nested: "on viewing, from the inside out, below the repository root",
            global: "~/.copilot (COPILOT_HOME), COPILOT_CUSTOM_INSTRUCTIONS_DIRS",
            urls: "no",
            globs: "applyTo and paths in front matter",
            sessions: "--no-custom-instructions gets none; sub-agents but general-purpose begin with none, and get what they view",
            hooks: "none",
            persona: "no",
            dedupe: "equal text is shown once at the start; each path is sent once by views",
        },
    },
    names: &["AGENTS.md", "CLAUDE.md", "GEMINI.md"],
    behavior: Behavior::NOW,
};

impl Edition for CopilotCli {
    fn about(&self) -> &About {
        &self.about
    }

    fn switches(&self) -> &'static Switches {
        switches::table!("copilot-cli")
    }

    fn imports_into(&self, file: &Path) -> bool {
        self.behavior.imports == Imports::Followed && imports_anything(file)
    }

    /// Checked on Copilot CLI 1.0.102.
    fn resumes(&self) -> Resumes {
        if self.behavior.heads == Heads::Paths { Resumes::WithoutFiles(Changed::Replaced) } else { Resumes::NotAsked }
    }

    fn sessions(&self) -> &'static [SessionKind] {
        &SessionKind::WITH_SUBAGENTS
    }

    fn attaches(&self, tool: Tool) -> Attaches {
        match tool {
            Tool::Read => Attaches::AsRead,
            Tool::Edit | Tool::Write | Tool::Shell | Tool::Mention => Attaches::Nothing,
        }
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let mut answer = Answer::default();
        if at.flag(ID, "no-custom-instructions") {
            let message = "--no-custom-instructions: no instruction file is read";
            answer.warnings.push(Warning::general("switched-off", message));
            return Ok(answer);
        }
        let home = search.env("COPILOT_HOME").filter(|home| !home.is_empty());
        let home = home.map_or_else(|| at.home.join(".copilot"), |home| absolute(&at.cwd, Path::new(&home)));
        folders::require(&home, search, &mut answer)?;
        let repository = repository(&at.cwd, search)?;
        let above = match (&repository, self.behavior.outside) {
            (None, Outside::EveryDirectory) => Path::new("/"),
            (None, Outside::Nothing) => &at.cwd,
            (Some(root), _) => root,
        };
        let above = above.to_owned();
        let root = repository.clone().unwrap_or_else(|| at.cwd.clone());
        answer.root = Some(root.clone());
        let github = root.join(".github");
        if search.list(&github, "a folder that links to itself stops the client")? == Err(Errno::LOOP) {
            let message = format!("{} links to itself, which stops Copilot CLI", github.display());
            return Ok(answer.with_refusal(Refusal::new(&github, message)));
        }
        let mut session = Session::new(root.clone(), home.clone(), self.behavior);
        self.start(at, &above, &mut session, search, &mut answer)?;
        subagent::leaves_out(at, &mut answer);
        let is_known = self.behavior.beside == Beside::Known;
        let has_skills = !is_known || agents::look(at, &home, repository.as_deref(), search, &mut answer)?;
        viewing::look(self.names, at, &session, search, &mut answer)?;
        if has_skills {
            skills::look(at, &home, repository.as_deref(), search, &mut answer)?;
        }
        self.doubt_what_is_beside(at, &mut answer);
        Ok(answer)
    }
}

impl CopilotCli {
    /// Adds the texts that a session begins with.
    fn start(
        &self,
        at: &Standpoint,
        above: &Path,
        session: &mut Session,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Known<()> {
        let (root, home) = (session.root.clone(), session.home.clone());
        let whole_files = self.whole_files(&at.cwd, (&root, above), &home);
        search.expect(whole_files.iter().map(|(dir, ..)| Ask::Listing(dir.clone())))?;
        let mut shown = HashSet::new();
        for (dir, name, scope) in whole_files {
            let Some(found) = named(&dir, name, search)? else { continue };
            // In these two directories, symlinks to the same file count once.
            if dir == root || dir == at.cwd {
                let real = search.real(&found)?.unwrap_or_else(|_| found.clone());
                if !shown.insert((dir, real)) {
                    let reason = "a link to a file of the same directory that is loaded already";
                    answer.sources.push(Source::new(&found, scope, Fate::Shadowed, reason));
                    continue;
                }
            }
            let limit = if scope == Scope::User { &home } else { &root };
            session.whole(&found, scope, limit, search, answer)?;
        }
        let extra = extra_directories(at, search);
        let known = rules::at_start(&at.cwd, (&root, &home), &extra, &self.behavior, search, answer)?;
        let together = |known: &KnownRule| known.is_users && self.behavior.users == Users::Together;
        let (users, others): (Vec<KnownRule>, Vec<KnownRule>) = known.into_iter().partition(together);
        for known in users {
            session.rule(known, answer);
        }
        session.join_users(answer);
        for known in others {
            session.rule(known, answer);
        }
        session.nested_agents(&extra, search, answer)?;
        session.table(answer);
        let message = session.message();
        if message.as_ref().is_some_and(|message| message.text.len() > BUDGET_BYTES) {
            let reason = "the client stops where instructions, its own prompt and its tools come to more than the model takes: \
                          200 000 bytes of English were sent to a model that it does not know, 240 000 were not";
            answer.warnings.push(Warning::general("prompt-budget", reason));
            answer.doubt(&[Certain::Set], reason);
        }
        answer.messages.extend(message);
        Ok(())
    }

    /// Doubts what sub-agents begin with and how skills are listed, for versions on which this was not checked.
    fn doubt_what_is_beside(&self, at: &Standpoint, answer: &mut Answer) {
        let has_skills = answer.messages.iter().any(|message| message.kind == MessageKind::Skills);
        if self.behavior.beside == Beside::Unknown && (has_skills || at.session == SessionKind::Subagent) {
            let reason = "what sub-agents begin with and how skills are listed was not checked on this version";
            answer.doubt(&[Certain::Set, Certain::Order], reason);
        }
    }

    /// Returns directory, name and scope of every file that is sent whole, in order.
    fn whole_files(
        &self,
        cwd: &Path,
        (root, above): (&Path, &Path),
        home: &Path,
    ) -> Vec<(PathBuf, &'static str, Scope)> {
        let copilot = "copilot-instructions.md";
        let mut files = vec![
            (home.to_owned(), copilot, Scope::User),
            (root.join(".github"), copilot, Scope::Project),
            (cwd.join(".github"), copilot, Scope::Project),
        ];
        for dir in [root, cwd] {
            files.extend(self.names.iter().map(|&name| (dir.to_owned(), name, Scope::Project)));
        }
        let between = cwd.ancestors().skip(1).take_while(|dir| *dir != above && dir.starts_with(above));
        for dir in between {
            files.extend(directory_files(self.names, dir).into_iter().map(|(dir, name)| (dir, name, Scope::Project)));
        }
        // Root and working directory may be equal.
        let mut seen = HashSet::new();
        files.retain(|(dir, name, _)| seen.insert((dir.clone(), *name)));
        files
    }
}

/// Returns the files of a directory that is neither root nor working directory, in order.
fn directory_files(names: &'static [&'static str], dir: &Path) -> Vec<(PathBuf, &'static str)> {
    let mut files = vec![(dir.join(".github"), "copilot-instructions.md")];
    for &name in names {
        files.push((dir.to_owned(), name));
        if name == "CLAUDE.md" {
            files.push((dir.join(".claude"), name));
        }
    }
    files
}

/// Returns the nearest directory with a repository: a valid `.git` directory, or a `.git` file that names another
/// place, even if nothing is there.
fn repository(cwd: &Path, search: &mut Search) -> Known<Option<PathBuf>> {
    let rule = "the root is the nearest directory with a repository";
    search.expect(cwd.ancestors().map(|dir| Ask::Kind(dir.join(".git"))))?;
    for dir in cwd.ancestors() {
        let git = dir.join(".git");
        let is_root = match search.stat(&git, rule)?.map(|meta| meta.kind) {
            Ok(FileType::Dir) => {
                search.git(dir, rule)?.is_some_and(|repository| repository.toplevel.as_deref() == Some(dir))
            }
            Ok(FileType::File) => search
                .read(&git, rule)?
                .is_ok_and(|raw| raw.text().strip_prefix("gitdir:").is_some_and(|place| !place.trim().is_empty())),
            Ok(_) | Err(_) => false,
        };
        if is_root {
            return Ok(Some(dir.to_owned()));
        }
    }
    Ok(None)
}

/// Returns the directories in `COPILOT_CUSTOM_INSTRUCTIONS_DIRS`, without duplicates.
fn extra_directories(at: &Standpoint, search: &mut Search) -> Vec<PathBuf> {
    let list = search.env("COPILOT_CUSTOM_INSTRUCTIONS_DIRS").unwrap_or_default();
    let named = list.split(',').map(str::trim).filter(|dir| !dir.is_empty());
    let mut dirs: Vec<PathBuf> = Vec::new();
    for dir in named.map(|dir| absolute(&at.cwd, Path::new(dir))) {
        if !dirs.contains(&dir) {
            dirs.push(dir);
        }
    }
    dirs
}

/// Texts that patterns are matched against: the path relative to a directory, and the file name.
struct Forms([Option<PathBuf>; 2]);

impl Forms {
    fn of(path: &Path, base: &Path) -> Forms {
        Forms([Some(relative(base, path).into()), path.file_name().map(PathBuf::from)])
    }
}

/// Returns true if any pattern matches one of the forms of a path. Each leading exclamation mark negates a pattern, for
/// each form separately.
fn matches(patterns: &[String], Forms(forms): &Forms) -> bool {
    patterns.iter().any(|pattern| {
        let bare = pattern.trim_start_matches('!');
        let (negated, pattern) = ((pattern.len() - bare.len()) % 2 == 1, bare);
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        forms.iter().flatten().any(|form| glob::plain(pattern, false, form) != negated)
    })
}
