//! OpenAI Codex CLI: one global file, then one file per directory from the project root down to the start directory,
//! sharing one budget of bytes.
//!
//! Its modules, simple ones first: `paths`, `notices`, `layers`; `trust`, `types`, `permissions`; `rules`; `files`,
//! `root`, `start`; `skills`, `agents`; `settings`; `environment`, `global`, `documents`; `history`, the changes by
//! version; and this file, which calls them in turn.
//!
//! Checked on the real clients 0.169.0 (`codex debug prompt-input`, `codex exec`) and 0.104.0 (`codex exec`), November
//! 2026.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use crate::answer::{
    Answer, Certain, Fate, Message, MessageKind, Per, Refusal, Role, Scope, SessionKind, Source, Standpoint, Text,
    Tool, Trigger, Warning,
};
use crate::harness::custom::{Overrides, kept};
use crate::harness::history::name;
use crate::harness::keys::{Key, Keys, Takes};
use crate::harness::kit::{folders, servers};
use crate::harness::{
    About, Attaches, Changed, Compacts, Details, Edition, Evidence, LimitKey, Profile, Program, Resumes, Switches,
    Version, switches,
};
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Content, Unreadable};

mod agents;
mod documents;
mod environment;
mod files;
mod global;
mod history;
mod layers;
mod notices;
mod paths;
mod permissions;
mod root;
mod rules;
mod settings;
mod skills;
mod start;
mod trust;
mod types;

use start::{Start, codex_home, directories};

use permissions::Reads;
use rules::Behavior;
use settings::Settings;

/// Id of the client, also the key of its options in requests.
const ID: &str = "codex";

/// Profile of Codex.
pub static PROFILE: Profile = Profile {
    id: ID,
    title: "Codex",
    summary: "AGENTS.override.md or AGENTS.md: one global file, then one per directory from the project root to the start directory",
    editions: &[&V0_104, &V0_169],
    history: Some(&history::HISTORY),
    instruction_names: &["AGENTS.override.md", "AGENTS.md"],
    settings_names: &[".codex/config.toml", ".codex/*.config.toml"],
    program: Some(Program { command: "codex", package: "@openai/codex" }),
    keys: KEYS,
    evidence: Evidence {
        traces: &[&["$CODEX_HOME/sessions", "~/.codex/sessions"]],
        homes: &[&["$CODEX_HOME", "~/.codex"]],
        files: &["AGENTS.override.md", ".codex"],
        editor: &["openai.chatgpt"],
        ..Evidence::NONE
    },
};

const KEYS: &[Keys] = &[Keys {
    files: &[".codex/config.toml", ".codex/*.config.toml"],
    keys: &[
        Key::new(
            "project_doc_max_bytes",
            Takes::Limit(Per::Chain),
            "How many bytes all project files together may have; 0: none is read. The global file is not counted.",
        ),
        Key::new(
            "project_doc_fallback_filenames",
            Takes::Names,
            "Names that are tried in each directory after AGENTS.override.md and AGENTS.md.",
        ),
        Key::new(
            "project_root_markers",
            Takes::Names,
            "Entries that make a directory the root of the project. Not taken from a project's own settings.",
        ),
        Key::new(
            "projects.*.trust_level",
            Takes::Words(&["trusted", "untrusted"]),
            "Whether settings inside the project count.",
        ),
        Key::new("developer_instructions", Takes::Other, "A developer message with this text."),
        Key::new(
            "model_instructions_file",
            Takes::Paths,
            "A file in the place of the base instructions; relative to the settings file.",
        ),
        Key::new("include_environment_context", Takes::SWITCH, "Whether the model is told about the environment."),
        Key::new(
            "sandbox_mode",
            Takes::Words(&["read-only", "workspace-write", "danger-full-access"]),
            "What commands may do; the model is told.",
        ),
        Key::new("default_permissions", Takes::Other, "A profile of `[permissions]`, in the place of `sandbox_mode`."),
        Key::new(
            "model_context_window",
            Takes::Other,
            "What the model can be told at once, in tokens; 2 % are for skills.",
        ),
    ],
}];

/// Rules of a version of Codex. Behaviour that all versions share is code; behaviour that differs is a field.
#[derive(Clone)]
pub struct Codex {
    about: About,
    /// Maximum size of all project files together if `project_doc_max_bytes` is not set, in bytes.
    budget_bytes: usize,
    /// File names tried in each directory, before the configured fallbacks.
    names: &'static [&'static str],
    /// File names tried after `names` if `project_doc_fallback_filenames` is not set.
    fallbacks: &'static [&'static str],
    /// Text between the global text and the first project file.
    project_separator: &'static str,
    /// Entries that make a directory the project root if `project_root_markers` is not set.
    root_markers: &'static [&'static str],
    /// Conversion of a global file's bytes to text.
    global_text: Decoding,
    /// Examination of a path before it is opened.
    examined: Examined,
    /// Examination of a global file before it is opened.
    global_files: Examined,
    /// True if files in a directory called `~` are ignored.
    loses_tildes: bool,
    /// The path whose directories are searched for project files.
    walk: Walk,
    /// Condition under which the header names the start directory.
    header: Header,
    /// Place where the client reports what the budget leaves out.
    losses: Losses,
    /// Format of the environment block.
    environment: environment::Form,
    /// Rules by which skills are found and listed.
    skills: skills::Form,
    /// Sections that the client itself adds after the texts of the files, in their order.
    added: Vec<Added>,
    /// True if resumed and compacted sessions of this version were checked.
    is_asked: bool,
    /// Settings that count, and what they apply to.
    settings: Behavior,
}

/// Conversion of a global file's bytes to text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Decoding {
    /// Invalid bytes become U+FFFD.
    Lossy,
    /// A file that is not UTF-8 is ignored.
    Strict,
}

/// Examination of a path before it is opened.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Examined {
    /// The link's target is examined (`stat`): only regular files are opened, and a broken link counts as absent.
    Targets,
    /// The entry itself is examined (`lstat`): a link counts whatever its target is, which only matters when it is
    /// opened. A global file is opened without being examined.
    Entries,
}

/// The path whose directories are searched for project files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Walk {
    /// The path given with `--cd`, links kept.
    AsWritten,
    /// The real path, whatever the header shows.
    Real,
    /// The real path. In addition, the path of `--cd` as the system resolves it must exist, and the settings there must
    /// be valid.
    RealAndThere,
}

impl Walk {
    fn for_version(version: Version) -> Walk {
        let linked = version.pick(&history::CD_KEEPS_LINKS, Walk::AsWritten, Walk::Real);
        version.pick(&history::TARGETS, linked, Walk::RealAndThere)
    }
}

/// Condition under which the header names the start directory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Header {
    /// If at least one project file is in the message.
    OverProjectFiles,
    /// Always, even if the message has global text only.
    Always,
}

/// Place where the client reports what the budget leaves out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Losses {
    /// The user, on the screen; the same text becomes a warning of the answer.
    Shown,
    /// Only a log. The fates of the files show the loss here; a warning would claim that the client gives one.
    Logged,
}

/// A section that the client itself adds to the message. Its text belongs to the product, so it is named, not repeated.
#[derive(Clone)]
struct Added {
    name: &'static str,
    kind: MessageKind,
    when: When,
}

/// Condition under which a section is added.
#[derive(Clone)]
enum When {
    /// In every session, unless the user disables every skill one by one, because the client installs two of its own.
    WithAnySkill,
    /// If this switch in `[features]` is on.
    Feature(&'static str),
}

/// Details for the comparison of harnesses; each edition replaces what differs.
const DETAILS: Details = Details {
    files: "AGENTS.override.md, else AGENTS.md, else project_doc_fallback_filenames: the first in each directory",
    triggers: "start of the session",
    place: "one user message, `# AGENTS.md instructions for DIR`, before the environment block",
    truncation: "32 768 bytes for the project chain, spent root first; cut at the end, no marker",
    nested: "never: only from the project root down to the working directory",
    global: "~/.codex/AGENTS.override.md, else AGENTS.md; not charged to the budget",
    urls: "no",
    globs: "no",
    sessions: "the same in all kinds, in sub-agents too; anew after a compaction, and when they changed before a session is resumed",
    hooks: "none",
    persona: "none",
    dedupe: "none: a file reached twice is sent twice",
};

/// Returns the sections that a version adds, in their order.
fn added(version: Version) -> Vec<Added> {
    use history as h;
    let sections = [
        (&h::NO_JS_REPL, Added { name: "js_repl", kind: MessageKind::Reminder, when: When::Feature("js_repl") }),
        (&h::SKILLS_MESSAGE, Added { name: "skills", kind: MessageKind::Skills, when: When::WithAnySkill }),
        (
            &h::DEVICES,
            Added { name: "child_agents_md", kind: MessageKind::Reminder, when: When::Feature("child_agents_md") },
        ),
    ];
    sections.into_iter().filter(|(gone, _)| !version.has(gone)).map(|(_, section)| section).collect()
}

fn details(version: Version) -> Details {
    Details {
        files: version.pick(
            &history::NAMES_ONLY,
            DETAILS.files,
            "AGENTS.override.md, else AGENTS.md, else project_doc_fallback_filenames, paths included: the first in each directory",
        ),
        place: version.pick(
            &history::SKILLS_MESSAGE,
            DETAILS.place,
            "one user message, `# AGENTS.md instructions for DIR`, the list of skills behind the texts",
        ),
        ..DETAILS
    }
}

/// Names of the oldest and the newest edition.
const EDITIONS: (&str, &str) = ("0.104", "0.169");

static V0_104: LazyLock<Codex> = LazyLock::new(|| Codex::for_version(Version("0.104.0")));
static V0_169: LazyLock<Codex> = LazyLock::new(|| Codex::for_version(Version("0.169.0")));

impl Codex {
    /// Returns the rules of a version.
    fn for_version(version: Version) -> Codex {
        use history as h;
        let name = name(version, h::CHANGES, EDITIONS);
        let checked = if name == EDITIONS.0 { ("0.104.0", "0.104") } else { ("0.169.0", "0.169") };
        Codex {
            about: About { name, checked, details: details(version) },
            budget_bytes: 32 * 1024,
            names: &["AGENTS.override.md", "AGENTS.md"],
            fallbacks: &[],
            project_separator: "\n\n--- project-doc ---\n\n",
            root_markers: &[".git"],
            global_text: version.pick(&h::LOSSY, Decoding::Lossy, Decoding::Strict),
            examined: version.pick(&h::TARGETS, Examined::Targets, Examined::Entries),
            global_files: version.pick(&h::SHORT_HEADER, Examined::Targets, Examined::Entries),
            loses_tildes: version.has(&h::TARGETS) && !version.has(&h::DEVICES),
            walk: Walk::for_version(version),
            header: version.pick(&h::SHORT_HEADER, Header::OverProjectFiles, Header::Always),
            losses: version.pick(&h::LOSSES, Losses::Shown, Losses::Logged),
            environment: environment::Form::for_version(version),
            skills: skills::Form::for_version(version),
            added: added(version),
            is_asked: version.has(&h::MODELS_165),
            settings: Behavior::for_version(version),
        }
    }
}

impl Edition for Codex {
    fn about(&self) -> &About {
        &self.about
    }

    fn switches(&self) -> &'static Switches {
        switches::table!("codex")
    }

    fn limit_keys(&self) -> &'static [LimitKey] {
        &[LimitKey { per: Per::Chain, path: &["project_doc_max_bytes"] }]
    }

    fn overridden(&self, overrides: &Overrides) -> Result<Arc<dyn Edition>, String> {
        overrides.nothing_but(&["names", "fallbacks", "root_markers", "total_limit"])?;
        Ok(Arc::new(Codex {
            names: overrides.names.as_deref().map_or(self.names, kept),
            fallbacks: overrides.fallbacks.as_deref().map_or(self.fallbacks, kept),
            root_markers: overrides.root_markers.as_deref().map_or(self.root_markers, kept),
            budget_bytes: overrides.total_limit.unwrap_or(self.budget_bytes),
            ..self.clone()
        }))
    }

    /// Checked on 0.169.0.
    fn attaches(&self, tool: Tool) -> Attaches {
        match tool {
            Tool::Shell if self.is_asked => Attaches::Nothing,
            Tool::Read | Tool::Edit | Tool::Write | Tool::Shell | Tool::Mention => Attaches::Unknown,
        }
    }

    fn resumes(&self) -> Resumes {
        if self.is_asked { Resumes::AsBefore(Changed::Beside) } else { Resumes::NotAsked }
    }

    fn compacts(&self) -> Compacts {
        if self.is_asked { Compacts::Forgets } else { Compacts::NotAsked }
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let codex_home = codex_home(at, search)?;
        let start = self.start(at, search)?;
        if let Some(physical) = &start.settings_before {
            let before = Start { cwd: physical.clone(), ..start.clone() };
            Settings::gather(self, at, &before, &codex_home, search)?;
        }
        let settings = Settings::gather(self, at, &start, &codex_home, search)?;
        let mut answer = Answer { root: settings.root.clone(), ..Answer::default() };
        self.doubt(&settings, &mut answer);
        folders::doubt_closed(&codex_home, search, &mut answer)?;
        let global = match self.global_text(&codex_home, search, &mut answer) {
            Err(Halt::Refused(refusal)) => return Ok(answer.with_refusal(refusal)),
            global => global?,
        };
        let docs = self.project_docs(&start.documents, &settings, search, &mut answer)?;
        self.nothing_below(at, &start.cwd, search, &mut answer)?;
        self.compose(&start.cwd, &settings, global, &docs, &mut answer);
        self.other_messages(&settings, at, &start.cwd, &mut answer);
        let project = skills::Project {
            start: &start.documents,
            documents: settings.root.as_deref(),
            settings: settings.settings_root.as_deref(),
        };
        self.skills(at, (&start.cwd, &codex_home), (project, &settings.skills), search, &mut answer)?;
        Ok(answer)
    }
}

impl Codex {
    /// Adds the uncertainty and the warnings that the settings cause.
    fn doubt(&self, settings: &Settings, answer: &mut Answer) {
        answer.warnings.extend(settings.warnings.iter().cloned());
        if !settings.unchecked.is_empty() {
            let keys = settings.unchecked.join(", ");
            let message =
                format!("Codex {} stops at a key that it does not know, and may not know {keys}", self.about.name);
            answer.doubt(&[Certain::Set], message.clone());
            answer.warnings.push(Warning::general("bad-settings", message));
        }
        if let Reads::Unclear = settings.permissions.reads {
            let message = "the permissions keep Codex from reading some files, and which is found out in its sandbox";
            answer.doubt(&[Certain::Set], message);
            answer.warnings.push(Warning::general("bad-settings", message));
        }
    }
}

/// Returns the refusal of a client that opens a FIFO.
fn endless(path: &Path) -> Refusal {
    Refusal::new(path, "a FIFO: Codex waits until somebody writes into it")
}

impl Codex {
    /// Adds the message with the global text and the project files.
    fn compose(&self, cwd: &Path, settings: &Settings, global: Option<Text>, docs: &[Text], answer: &mut Answer) {
        if global.is_none() && docs.is_empty() {
            return;
        }
        let separator = if global.is_some() && !docs.is_empty() { self.project_separator } else { "" };
        let body = Text::framed(global.unwrap_or_default(), separator, Text::joined(docs, "\n\n"));
        let place = match self.header {
            Header::OverProjectFiles if docs.is_empty() => String::new(),
            Header::OverProjectFiles | Header::Always => format!(" for {}", cwd.to_string_lossy()),
        };
        let budget = settings.budget.unwrap_or(self.budget_bytes);
        if budget > 0 && body.len() > budget {
            self.tell(answer, || Warning::general("over-budget", notices::combined(body.len(), budget)));
        }
        let head = format!("# AGENTS.md instructions{place}\n\n<INSTRUCTIONS>\n");
        let text = Text::framed(head, body, "\n</INSTRUCTIONS>");
        answer.messages.push(Message::instructions(Trigger::Session, Role::User, text));
    }

    /// Adds the warning if the client gives it.
    fn tell(&self, answer: &mut Answer, warning: impl FnOnce() -> Warning) {
        match self.losses {
            Losses::Shown => answer.warnings.push(warning()),
            Losses::Logged => {}
        }
    }

    /// Adds the other messages: developer instructions, sections that the client adds, and the environment block.
    fn other_messages(&self, settings: &Settings, at: &Standpoint, cwd: &Path, answer: &mut Answer) {
        answer.agents = settings.kinds.iter().map(|kind| kind.agent.clone()).collect();
        let asked = at.agent.as_deref().filter(|_| at.session == SessionKind::Subagent && self.is_asked);
        let kind = settings.kinds.iter().find(|kind| Some(kind.agent.name.as_str()) == asked);
        if let Some(others) = kind.map(|kind| kind.others.join(", ")).filter(|others| !others.is_empty()) {
            answer.doubt(Certain::ALL, format!("what {others} of the role changes was not asked of the client"));
        }
        let instructions =
            kind.and_then(|kind| kind.instructions.as_deref()).or(settings.developer_instructions.as_deref());
        if let Some(text) = instructions.filter(|text| !text.is_empty()) {
            let message = Message::instructions(Trigger::Session, Role::Developer, text.to_owned());
            answer.messages.insert(0, Message { kind: MessageKind::Developer, ..message });
            for source in &mut answer.sources {
                source.message = source.message.map(|message| message + 1);
            }
        }
        if let Some((path, raw)) = &settings.model_instructions {
            self.model_instructions(path, raw, answer);
        }
        let servers: Vec<&str> = settings.servers.iter().map(String::as_str).collect();
        servers::doubt(&servers, Role::Developer, answer);
        self.name_added(settings, answer);
        if let Some(text) = environment::block(self.environment, settings, at, cwd) {
            let message = Message::instructions(Trigger::Session, Role::User, text);
            answer.messages.push(Message { kind: MessageKind::Environment, ..message });
        }
    }

    /// Inserts the file that replaces the client's own instructions as the first message.
    fn model_instructions(&self, path: &Path, raw: &Content, answer: &mut Answer) {
        let text = raw.text();
        let (role, text) = match self.is_asked {
            true => (Role::Developer, text.trim()),
            // In older versions they were not a message; how white space around them is sent was not checked.
            false => (Role::System, ""),
        };
        let message = Message::instructions(Trigger::Session, role, text.to_owned());
        let name = Some("model_instructions_file".to_owned());
        answer.messages.insert(0, Message { kind: MessageKind::Developer, name, ..message });
        for source in &mut answer.sources {
            source.message = source.message.map(|message| message + 1);
        }
        let reason = "model_instructions_file names it: it takes the place of the client's own instructions";
        let source = Source::whole(path, Scope::Config, raw.size(), reason);
        answer.sources.push(Source { message: Some(0), part: Some(0), ..source });
    }

    /// Names the sections that the client adds after the texts of the files, in the same message.
    fn name_added(&self, settings: &Settings, answer: &mut Answer) {
        let present = self.added.iter().filter(|section| match &section.when {
            When::WithAnySkill => true,
            When::Feature(name) => settings.has_feature(name),
        });
        let names: Vec<&str> = present
            .map(|section| {
                answer.messages.push(Message::named(Role::User, section.kind, section.name));
                section.name
            })
            .collect();
        if names.is_empty() {
            return;
        }
        let message = format!(
            "Codex {} goes on in the same message with sections of its own, which are named here and not repeated: {}",
            self.about.name,
            names.join(", ")
        );
        answer.files_only = Some(message.clone());
        answer.warnings.push(Warning::general("added-sections", message));
    }

    /// Records that the directories between the start directory and the target are never read.
    fn nothing_below(&self, at: &Standpoint, cwd: &Path, search: &mut Search, answer: &mut Answer) -> Known<()> {
        let Some(below) = at.target.as_deref().and_then(Path::parent).filter(|dir| dir.starts_with(cwd) && *dir != cwd)
        else {
            return Ok(());
        };
        let mut dirs: Vec<_> = below.ancestors().take_while(|dir| *dir != cwd).collect();
        dirs.reverse();
        for (dir, name) in dirs.into_iter().flat_map(|dir| self.names.iter().map(move |name| (dir, name))) {
            let path = dir.join(name);
            search.never(&path, "below the start directory nothing is read, not even when the agent works there");
            if search.is_file(&path, "asked only to explain: Codex never looks here")? {
                let reason = format!(
                    "below the start directory {}; start Codex in {} to have it read",
                    cwd.display(),
                    dir.display()
                );
                answer.sources.push(Source::new(path, Scope::Nested, Fate::Dropped, reason));
            }
        }
        Ok(())
    }
}

/// Marks the answer as inexact if a file is too large for Briefing, because the client would read it.
fn unreadable_cap(problem: &Unreadable, path: &Path, answer: &mut Answer) {
    if let Unreadable::TooLarge(_) = problem {
        answer.files_only = Some(format!("{} is larger than Briefing reads", path.display()));
    }
}
