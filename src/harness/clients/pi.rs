//! pi: one context file of every directory from the file system root down to the working directory, and one of the
//! user.
//!
//! Checked on the real client 0.87.1, 0.83.0 and 0.74.2 (`pi -p` against a loopback mock of a provider), November 2026.
//! Files of the project other than context files are loaded only if the project is trusted. `pi -p` does not ask, and
//! treats an undecided project as not trusted.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::answer::{
    Answer, Certain, Fate, Message, MessageKind, Role, Scope, Source, Standpoint, Text, Tool, Trigger, Warning,
};
use crate::harness::keys::{Key, Keys, Takes};
use crate::harness::kit::conventional::PLAIN;
use crate::harness::kit::folders;
use crate::harness::kit::section::{Given, Section, behind_mark};
use crate::harness::{About, Attaches, Details, Edition, Evidence, Profile, Program, Switches, switches};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, Content, FileType, Unreadable, absolute};

mod settings;
mod skills;
mod trust;
mod worktree;

use settings::Settings;

/// Profile of pi.
pub static PROFILE: Profile = Profile {
    id: "pi",
    title: "pi",
    summary: "AGENTS.override.md, AGENTS.md or CLAUDE.md of every directory from the root of the disk down, ~/.pi/agent, .pi/APPEND_SYSTEM.md, skills",
    editions: &[&PI_0_74, &PI_0_83, &PI_0_87],
    history: None,
    instruction_names: &[
        "AGENTS.override.md",
        "AGENTS.md",
        "CLAUDE.md",
        ".pi/SYSTEM.md",
        ".pi/APPEND_SYSTEM.md",
        ".pi/agent/SYSTEM.md",
        ".pi/agent/APPEND_SYSTEM.md",
        ".pi/skills/**/*.md",
        ".pi/agent/skills/**/*.md",
        ".agents/skills/**/*.md",
    ],
    settings_names: &[".pi/settings.json", ".pi/agent/settings.json", ".pi/agent/trust.json"],
    keys: KEYS,
    program: Some(Program { command: "pi", package: "@earendil-works/pi-coding-agent" }),
    evidence: Evidence {
        traces: &[&["$PI_CODING_AGENT_DIR/sessions", "~/.pi/agent/sessions"]],
        homes: &[&["$PI_CODING_AGENT_DIR", "~/.pi/agent"]],
        files: &[".pi"],
        ..Evidence::NONE
    },
};

const KEYS: &[Keys] = &[Keys {
    files: &[".pi/settings.json", ".pi/agent/settings.json"],
    keys: &[
        Key::new("skills", Takes::Paths, "Further folders of skills; `-PATH` takes one away, `+PATH` brings it back."),
        Key::new(
            "defaultProjectTrust",
            Takes::Words(&["ask", "always", "never"]),
            "Of the user's own settings: whether a project is trusted that nobody decided about.",
        ),
    ],
}];

const DETAILS: Details = Details {
    files: "of every directory the first of AGENTS.override.md, AGENTS.md, AGENTS.MD, CLAUDE.md, CLAUDE.MD",
    place: "system prompt, in <project_context>, each in <project_instructions> with its path; .pi/APPEND_SYSTEM.md before them in <addendum>",
    truncation: "none",
    triggers: "session start; no tool and no mention adds any",
    nested: "not read; above the working directory up to the root of the disk",
    global: "~/.pi/agent: the same names, SYSTEM.md, APPEND_SYSTEM.md, skills",
    sessions: "no sub-agents",
    persona: "SYSTEM.md takes the place of the client's own prompt",
    dedupe: "by path; a worktree inside of its repository hides the repository's file",
    ..PLAIN
};

static PI_0_74: Pi = OLDEST;
static PI_0_83: Pi = TRUSTING;
static PI_0_87: Pi = Pi {
    about: About { name: "0.87", checked: ("0.87.1", "0.87"), details: DETAILS },
    layout: Layout::Sections,
    names: &NAMES,
    marks: Marks::Stripped,
    ..TRUSTING
};

const OLDEST: Pi = Pi {
    about: About {
        name: "0.74",
        checked: ("0.74.2", "0.74"),
        details: Details {
            files: "of every directory the first of AGENTS.md, AGENTS.MD, CLAUDE.md, CLAUDE.MD",
            place: "system prompt, below the heading Project Context, each below its path",
            dedupe: "by path",
            ..DETAILS
        },
    },
    layout: Layout::Headings,
    names: &["AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD"],
    marks: Marks::Kept,
    worktrees: Worktrees::Counted,
    gate: Gate::Open,
};

const TRUSTING: Pi = Pi {
    about: About {
        name: "0.83",
        checked: ("0.83.0", "0.83"),
        details: Details {
            files: "of every directory the first of AGENTS.md, AGENTS.MD, CLAUDE.md, CLAUDE.MD",
            ..DETAILS
        },
    },
    layout: Layout::Tags,
    worktrees: Worktrees::Seen,
    gate: Gate::Trust,
    ..OLDEST
};

/// Names of context files in order of precedence. The first is new in 0.84.
const NAMES: [&str; 5] = ["AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD"];

/// Reason for which a context file is read.
const CONTEXT: &str = "the first of its names in that directory";

struct Pi {
    about: About,
    layout: Layout,
    names: &'static [&'static str],
    marks: Marks,
    worktrees: Worktrees,
    gate: Gate,
}

/// Layout of the system prompt.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// Headings, before 0.75.
    Headings,
    /// Tags around one text, before 0.86.
    Tags,
    /// Sections, each in a tag.
    Sections,
}

/// Treatment of byte order marks. They are removed since 0.84.3.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Marks {
    Kept,
    Stripped,
}

/// Treatment of a worktree inside its repository, recognized since 0.83.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Worktrees {
    Counted,
    Seen,
}

/// Trust requirement for projects, since 0.79.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gate {
    Open,
    Trust,
}

/// Places and settings.
struct Places<'a> {
    at: &'a Standpoint,
    /// The user's own folder.
    own: PathBuf,
    /// Folder `.pi` in the working directory.
    project: PathBuf,
    /// True if files in `project` are loaded.
    trusted: bool,
    settings: Settings,
}

impl Edition for Pi {
    fn about(&self) -> &About {
        &self.about
    }

    fn switches(&self) -> &'static Switches {
        switches::table!("pi")
    }

    fn attaches(&self, _: Tool) -> Attaches {
        Attaches::Nothing
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let mut answer = Answer { root: Some(at.cwd.clone()), ..Answer::default() };
        let named = search.env("PI_CODING_AGENT_DIR").filter(|dir| !dir.is_empty());
        let own = named.map_or_else(|| at.home.join(".pi/agent"), |dir| below_home(at, &dir, &at.cwd));
        folders::require(&own, search, &mut answer)?;
        let project = at.cwd.join(".pi");
        let mut settings = Settings::default();
        settings.user = settings::read(&own.join("settings.json"), self.marks, search, &mut answer)?;
        let trusted = match self.gate {
            Gate::Open => true,
            Gate::Trust => trust::is_trusted(at, &own, &settings, search, &mut answer)?,
        };
        if trusted {
            settings.project = settings::read(&project.join("settings.json"), self.marks, search, &mut answer)?;
        }
        let places = Places { at, own, project, trusted, settings };
        places.doubt_extensions(search, &mut answer)?;
        self.replaced(&places, search, &mut answer)?;
        self.added(&places, search, &mut answer)?;
        self.context(&places, search, &mut answer)?;
        skills::look(self, &places, search, &mut answer)?;
        Ok(answer)
    }
}

/// Resolves a path as the client does: `~` is the home directory.
fn below_home(at: &Standpoint, path: &str, base: &Path) -> PathBuf {
    match path.strip_prefix('~') {
        Some("") => at.home.clone(),
        Some(rest) if rest.starts_with('/') => absolute(&at.home, Path::new(&rest[1..])),
        _ => absolute(base, Path::new(path)),
    }
}

impl Places<'_> {
    /// Doubts the answer if there are extensions or packages: programs that may add to the prompt or rewrite it.
    fn doubt_extensions(&self, search: &mut Search, answer: &mut Answer) -> Known<()> {
        let folders = [Some(&self.own), self.trusted.then_some(&self.project)];
        for folder in folders.into_iter().flatten().map(|dir| dir.join("extensions")) {
            if search.list(&folder, "extensions may rewrite the prompt")?.is_ok_and(|entries| !entries.is_empty()) {
                let reason = format!("the extensions in {} may rewrite the prompt", folder.display());
                answer.doubt(&[Certain::Set], reason);
            }
        }
        if self.settings.names_programs() {
            answer.doubt(
                &[Certain::Set],
                "`extensions` or `packages` in the settings may add skills and rewrite the prompt",
            );
        }
        Ok(())
    }

    /// Returns the project's file with this name, otherwise the user's.
    fn own_file(&self, name: &str, search: &mut Search) -> Known<Option<(PathBuf, Scope)>> {
        let (project, user) = (self.project.join(name), self.own.join(name));
        let rule = "a text of the system prompt: the project's, if it is trusted, else the user's";
        search.expect([Ask::Kind(project.clone()), Ask::Kind(user.clone())])?;
        if search.stat(&project, rule)?.is_ok() && self.trusted {
            return Ok(Some((project, Scope::Project)));
        }
        Ok(search.stat(&user, rule)?.is_ok().then_some((user, Scope::User)))
    }
}

impl Pi {
    /// Adds SYSTEM.md, which replaces the client's own prompt.
    fn replaced(&self, places: &Places, search: &mut Search, answer: &mut Answer) -> Known<()> {
        let Some((path, scope)) = places.own_file("SYSTEM.md", search)? else { return Ok(()) };
        let mut section = Section::new(Trigger::Session, Role::System);
        self.text_or_path(&path, scope, "takes the place of the client's own prompt", search, &mut section, |text| {
            text
        })?;
        let first = answer.messages.len();
        section.finish("", answer);
        if let Some(message) = answer.messages.get_mut(first) {
            *message = Message { kind: MessageKind::Agent, name: Some("SYSTEM.md".to_owned()), ..message.clone() };
        }
        Ok(())
    }

    /// Adds APPEND_SYSTEM.md, which follows the prompt.
    fn added(&self, places: &Places, search: &mut Search, answer: &mut Answer) -> Known<()> {
        let Some((path, scope)) = places.own_file("APPEND_SYSTEM.md", search)? else { return Ok(()) };
        let mut section = Section::new(Trigger::Session, Role::System);
        let tag = match self.layout {
            Layout::Sections => ("<addendum>\n", "\n</addendum>"),
            Layout::Headings | Layout::Tags => ("", ""),
        };
        let show = |text: Text| Text::framed(tag.0, text, tag.1);
        self.text_or_path(&path, scope, "stands behind the system prompt", search, &mut section, show)?;
        section.finish("", answer);
        Ok(())
    }

    /// Adds the text of a file, or its path if it exists and cannot be read. An empty text adds no section.
    fn text_or_path(
        &self,
        path: &Path,
        scope: Scope,
        reason: &str,
        search: &mut Search,
        section: &mut Section,
        show: impl FnOnce(Text) -> Text,
    ) -> Known<()> {
        match search.read(path, reason.to_owned())? {
            Ok(raw) => {
                let range = self.range(&raw);
                if !range.is_empty() {
                    section.file(Given { path, raw: &raw, range, scope, reason }, show);
                }
            }
            Err(_) => section.words(show(path.to_string_lossy().into_owned().into())),
        }
        Ok(())
    }

    /// Returns the range of a file's text that is sent.
    fn range(&self, raw: &Content) -> std::ops::Range<usize> {
        match self.marks {
            Marks::Kept => 0..raw.text().len(),
            Marks::Stripped => behind_mark(&raw.text()),
        }
    }

    /// Adds the context files: the user's, then those of every directory from the file system root down.
    fn context(&self, places: &Places, search: &mut Search, answer: &mut Answer) -> Known<()> {
        if places.at.flag("pi", "no-context-files") {
            return Ok(());
        }
        let mut dirs: Vec<(&Path, Scope)> = places.at.cwd.ancestors().map(|dir| (dir, Scope::Project)).collect();
        dirs.reverse();
        dirs.insert(0, (&places.own, Scope::User));
        let all = dirs.iter().flat_map(|(dir, _)| self.names.iter().map(|name| Ask::Content(dir.join(name))));
        search.expect(all.collect::<Vec<_>>())?;
        let hidden = match self.worktrees {
            Worktrees::Counted => None,
            Worktrees::Seen => worktree::hidden(self, &places.at.cwd, search)?,
        };
        let (mut found, mut known): (Vec<(PathBuf, Content, Scope)>, HashSet<PathBuf>) = Default::default();
        for (dir, scope) in dirs {
            let Some((path, raw)) = self.file_of(dir, scope, search, Some(answer))? else { continue };
            if known.contains(&path) {
                continue;
            }
            let real = search.real(&path)?.unwrap_or_else(|_| path.clone());
            if scope == Scope::Project && hidden.as_ref() == Some(&real) {
                let reason = "the worktree inside of this repository has a file of its own";
                answer.sources.push(Source::new(&path, scope, Fate::Shadowed, reason));
                continue;
            }
            known.insert(path.clone());
            found.push((path, raw, scope));
        }
        self.say(&found, answer);
        Ok(())
    }

    /// Returns the context file of a directory. The others there are shadowed by it.
    fn file_of(
        &self,
        dir: &Path,
        scope: Scope,
        search: &mut Search,
        mut answer: Option<&mut Answer>,
    ) -> Known<Option<(PathBuf, Content)>> {
        let mut taken: Option<(PathBuf, Content)> = None;
        for path in self.names.iter().map(|name| dir.join(name)) {
            if let Some((by, _)) = &taken {
                if let Some(answer) = answer.as_deref_mut()
                    && search.is_file(&path, CONTEXT)?
                {
                    let reason = format!("{} is loaded instead", by.display());
                    let source = Source::new(&path, scope, Fate::Shadowed, reason);
                    answer.sources.push(Source { by: Some(by.clone()), ..source });
                }
                continue;
            }
            match search.read(&path, CONTEXT)? {
                Ok(raw) => taken = Some((path, raw)),
                Err(Unreadable::Not(FileType::Dir)) => {}
                Err(problem) => {
                    if let Some(answer) = answer.as_deref_mut()
                        && search.is_file(&path, CONTEXT)?
                    {
                        answer.sources.push(Source::new(&path, scope, Fate::Unreadable, problem.to_string()));
                    }
                }
            }
        }
        Ok(taken)
    }

    fn say(&self, found: &[(PathBuf, Content, Scope)], answer: &mut Answer) {
        const WORDS: &str = "Project-specific instructions and guidelines:";
        let mut section = Section::new(Trigger::Session, Role::System);
        for (at, (path, raw, scope)) in found.iter().enumerate() {
            let (first, last) = (at == 0, at + 1 == found.len());
            let shown = path.to_string_lossy();
            let (opens, closes) = match self.layout {
                Layout::Headings => (format!("# Project Context\n\n{WORDS}\n\n"), ""),
                Layout::Tags => (format!("<project_context>\n\n{WORDS}\n\n"), "\n\n</project_context>"),
                Layout::Sections => (format!("<project_context>\n{WORDS}\n\n"), "\n</project_context>"),
            };
            let (before, behind) = match self.layout {
                Layout::Headings => (format!("## {shown}\n\n"), ""),
                Layout::Tags | Layout::Sections => {
                    (format!("<project_instructions path=\"{shown}\">\n"), "\n</project_instructions>")
                }
            };
            let head = if first { opens + &before } else { before };
            let tail = if last { [behind, closes].concat() } else { behind.to_owned() };
            let given = Given { path, raw, range: self.range(raw), scope: *scope, reason: CONTEXT };
            section.file(given, |text| Text::framed(head, text, tail));
        }
        section.finish("\n\n", answer);
    }
}

/// Warns that a resource of the project is not loaded because the project is not trusted.
fn not_trusted(path: &Path, answer: &mut Answer) {
    let words = "the project is not trusted: `pi` asks, `pi -p` reads it with --approve only";
    answer.warnings.push(Warning::at("not-trusted", path, format!("{}: {words}", path.display())));
}
