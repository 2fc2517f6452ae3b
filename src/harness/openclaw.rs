//! OpenClaw: files of the agent's own workspace, wherever the agent is started, cut to budgets of UTF-16 units and shown
//! as the `# Project Context` of the system prompt.
//!
//! Checked on the real client 2026.9.6 (`openclaw agent --local`, a Gateway, and its functions), November 2026.

use std::path::{Path, PathBuf};

use crate::answer::{
    Answer, Fate, Limit, Message, MessageKind, Per, PromptMode, Role, Scope, SessionKind, Source, Standpoint, Trigger,
    Unit, Warning,
};
use crate::formats::Node;
use crate::harness::{About, Change, Details, Edition, Profile};
use crate::search::{Search, Told};
use crate::text;

mod budget;
mod compose;
mod config;
mod digest;
mod excerpt;
mod extra;
mod guard;
mod home;
mod project;
mod roster;
mod schema;
mod session;
mod setup;
mod trim;
mod units;

use budget::{Item, Limits, Portion};
use compose::{Shown, Wording};
use config::Config;
use home::Home;
use session::{Content, Loaded};
use setup::{Setup, Wishes};
use trim::Shares;

/// The id, also the key of its options in requests.
const ID: &str = "openclaw";

/// The profile.
pub static PROFILE: Profile = Profile {
    id: ID,
    title: "OpenClaw",
    summary: "AGENTS.md, SOUL.md, IDENTITY.md, USER.md, BOOTSTRAP.md and MEMORY.md of the agent's workspace",
    editions: &[&V2026_9],
    instruction_names: &["AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "BOOTSTRAP.md", "MEMORY.md"],
    settings_names: &[".openclaw/openclaw.json", ".openclaw/.env", ".openclaw/state/openclaw.sqlite"],
};

/// An edition of OpenClaw: what differs between versions is a field.
pub struct OpenClaw {
    about: About,
    /// The files of a workspace, in the order they are loaded.
    files: &'static [FileRule],
    /// Names that were read once, or are read by others, and are not read here.
    ignored: &'static [(&'static str, &'static str)],
    /// What each kind of session gets.
    sessions: Sessions,
    /// How much of them.
    limits: Limits,
    /// In which words.
    wording: Wording,
    /// What a new workspace is filled with.
    templates: &'static [Template],
    /// What the prompt says while BOOTSTRAP.md is to be followed.
    pending: &'static str,
    /// What the prompt says when something was cut.
    notice: &'static str,
    /// The whole prompt without any mode.
    identity: &'static str,
}

/// A file that is looked for.
struct FileRule {
    name: &'static str,
    presence: Presence,
    rule: &'static str,
}

/// When a file is looked at, and what its absence means.
#[derive(PartialEq)]
enum Presence {
    /// Opened in any case; a missing one is announced.
    Announced,
    /// Opened only where the directory lists that exact name; a missing one is no news.
    Listed,
}

/// What each kind of session gets.
struct Sessions {
    main: Filter,
    subagent: Filter,
    cron: Filter,
    group: Filter,
}

/// What one kind of session gets.
struct Filter {
    /// Files of these names.
    names: &'static [&'static str],
    /// Whether the MEMORY.md of the workspace itself is among them.
    memory: bool,
    /// Whether the user is there to follow BOOTSTRAP.md with.
    bootstrap: bool,
    /// The mode of the prompt.
    mode: PromptMode,
}

/// A file of a new workspace, known by the SHA-256 of its text.
pub struct Template {
    name: &'static str,
    sha256: &'static str,
}

const fn announced(name: &'static str) -> FileRule {
    FileRule { name, presence: Presence::Announced, rule: "a file of the workspace" }
}

const fn listed(name: &'static str) -> FileRule {
    FileRule { name, presence: Presence::Listed, rule: "a file of the workspace, in its exact case" }
}

const EVERY_NAME: &[&str] = &["AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "BOOTSTRAP.md", "MEMORY.md"];

static V2026_9: OpenClaw = OpenClaw {
    about: About {
        name: "2026.9",
        checked: ("2026.9.6", "2026.9.6"),
        changed: &[Change {
            between: "2026.7.1 → 2026.9.6",
            what: "TOOLS.md is no longer read; the section begins with `Loaded project context:`",
        }],
        details: Details {
            files: "AGENTS.md, SOUL.md, IDENTITY.md, USER.md, BOOTSTRAP.md, MEMORY.md of the agent's workspace: all of them",
            triggers: "every turn",
            place: "section `# Project Context` of the system prompt, before the cache boundary",
            truncation: "20 000 UTF-16 units per file (USER.md 4 000), 60 000 together; head 75 %, tail 25 %, marker; AGENTS.md as a digest",
            nested: "never: one workspace, wherever the agent is started",
            global: "the workspace itself, ~/.openclaw/workspace, is one for all projects",
            urls: "no",
            globs: "through the hook bootstrap-extra-files",
            sessions: "sub-agents get AGENTS.md only; cron runs lose BOOTSTRAP.md and MEMORY.md, groups MEMORY.md",
            hooks: "agent:bootstrap in the Gateway",
            persona: "SOUL.md, with a line that it sets persona and tone",
            dedupe: "by path within the workspace; the first counts",
        },
    },
    files: &[
        announced("AGENTS.md"),
        announced("SOUL.md"),
        announced("IDENTITY.md"),
        listed("USER.md"),
        announced("BOOTSTRAP.md"),
        listed("MEMORY.md"),
    ],
    ignored: &[
        ("TOOLS.md", "no longer read; `openclaw doctor` moves it into AGENTS.md"),
        ("HEARTBEAT.md", "no longer part of the prompt"),
        ("memory.md", "only MEMORY.md in capitals is read"),
        ("CLAUDE.md", "not a file of OpenClaw"),
    ],
    sessions: Sessions {
        main: Filter { names: EVERY_NAME, memory: true, bootstrap: true, mode: PromptMode::Full },
        subagent: Filter { names: &["AGENTS.md"], memory: false, bootstrap: false, mode: PromptMode::Minimal },
        cron: Filter {
            names: &["AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md"],
            memory: false,
            bootstrap: false,
            mode: PromptMode::Minimal,
        },
        group: Filter { names: EVERY_NAME, memory: false, bootstrap: true, mode: PromptMode::Full },
    },
    limits: Limits {
        file_utf16: 20_000,
        total_utf16: 60_000,
        capped: ("USER.md", 4_000),
        least_utf16: 64,
        shares: Shares { file: (0.75, 0.25), agents: (0.45, 0.15, 0.35), least_utf16: 16 },
    },
    wording: Wording {
        intro: &["# Project Context", "Loaded project context:"],
        roles: &[
            ("soul.md", "SOUL.md: persona/tone. Follow it unless higher-priority instructions override."),
            (
                "memory.md",
                "MEMORY.md: durable non-profile facts and decisions; use when relevant unless higher-priority instructions override.",
            ),
            (
                "user.md",
                "USER.md: durable user preferences and profile directives; follow unless higher-priority instructions override.",
            ),
        ],
        order: &["agents.md", "soul.md", "identity.md", "user.md", "tools.md", "bootstrap.md", "memory.md"],
    },
    templates: &[
        Template { name: "AGENTS.md", sha256: "1e17784e422c0e47e44c5214d0b37092f7b378bb2d3746976032be3075203c88" },
        Template { name: "SOUL.md", sha256: "4f9042f259b076e429d0f01ce39340030f47ea5b7f5befe306296c36baf1f60f" },
        Template { name: "IDENTITY.md", sha256: "59b223766c8dd978162044e333a684c72e22af753d1ba3dc3bff4b2d915c54e2" },
        Template { name: "USER.md", sha256: "46e0d8c937df7b104de97a23c58537292672654194879ca9f76b02075e022555" },
    ],
    pending: "## Bootstrap Pending\nBOOTSTRAP.md below; follow before normal reply.\nCan finish BOOTSTRAP.md here: do it.\n\
              Cannot: brief blocker, safe possible steps, simplest next step.\n\
              Never claim completion early. No generic greeting/normal reply before BOOTSTRAP.md handling.\n\
              First visible reply must follow BOOTSTRAP.md; no generic greeting.",
    notice: "## Bootstrap Context Notice\n[Bootstrap truncation warning]\n\
             Some workspace bootstrap files were truncated before Project Context injection.\n\
             Treat Project Context as partial and read the relevant files directly if details seem missing.",
    identity: "You are a personal assistant running inside OpenClaw.",
};

impl Edition for OpenClaw {
    fn about(&self) -> &About {
        &self.about
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Told<Answer> {
        let mut home = match Home::find(at, search)? {
            Ok(home) => home,
            Err(refusal) => return Ok(refusal),
        };
        let config = match Config::read(&mut home, search)? {
            Ok(config) => config,
            Err(refusal) => return Ok(refusal),
        };
        let agent = match config.roster.choose(at.agent.as_deref()) {
            Ok(agent) => agent,
            Err(message) => return Ok(Answer::refused(&home.config, message)),
        };
        let workspace = home.on_disk(&config.workspace(&agent, &home, search));
        let wishes = Wishes {
            skip: config.default_flag("skipBootstrap"),
            skip_optional: config.default("skipOptionalBootstrapFiles").and_then(Node::as_texts).unwrap_or_default(),
        };
        let setup = match setup::prepare(&workspace, &wishes, self.templates, &home, at, search)? {
            Ok(setup) => setup,
            Err((path, reason)) => return Ok(Answer::refused(path, reason)),
        };
        let turn =
            Turn { edition: self, at, home: &home, config: &config, agent: &agent, workspace: &workspace, setup };
        turn.answer(search)
    }
}

/// One turn of one agent, with everything settled but its files.
struct Turn<'a> {
    edition: &'a OpenClaw,
    at: &'a Standpoint,
    home: &'a Home,
    config: &'a Config,
    agent: &'a str,
    workspace: &'a Path,
    setup: Setup,
}

impl Turn<'_> {
    fn answer(&self, search: &mut Search) -> Told<Answer> {
        let mut answer = Answer { root: Some(self.workspace.to_owned()), ..Answer::default() };
        let mode = self.at.prompt_mode.unwrap_or(self.filter().mode);
        let mut files = self.files(mode, search, &mut answer)?;
        self.say_setup(&mut answer);
        let counted: Vec<usize> = (0..files.len()).filter(|index| files[*index].counts()).collect();
        let portions = self.portions(&files, &counted);
        self.log(&files, &counted, &portions, &mut answer);
        let follows_bootstrap = self.follows_bootstrap(&files, search)?;
        if mode == PromptMode::None {
            answer.messages.push(message(MessageKind::Agent, self.edition.identity.into()));
        }
        if follows_bootstrap {
            answer.messages.push(message(MessageKind::Reminder, self.edition.pending.into()));
        }
        if portions
            .iter()
            .zip(&counted)
            .any(|(portion, index)| portion.truncated && (follows_bootstrap || files[*index].name != "BOOTSTRAP.md"))
        {
            answer.messages.push(message(MessageKind::Reminder, self.edition.notice.into()));
        }
        let shown = self.shown(&mut files, &counted, &portions, follows_bootstrap, search)?;
        let instructions = (!shown.is_empty()).then_some(answer.messages.len());
        if instructions.is_some() {
            self.compose(&shown, &mut answer);
        }
        self.extra_prompt(mode, &mut answer);
        for (index, file) in files.iter().enumerate() {
            let portion = counted.iter().position(|counted| *counted == index).map(|at| &portions[at]);
            let excerpt = shown.iter().find(|shown| shown.of == index).map(|shown| &shown.excerpt);
            answer.sources.extend(self.source(file, portion, excerpt, instructions));
        }
        self.ignored(search, &mut answer)?;
        Ok(answer)
    }

    /// The path in the words of the prompt.
    fn named(&self, path: &Path) -> String {
        self.home.named(path).display().to_string()
    }

    fn filter(&self) -> &Filter {
        self.edition.filter(self.at.session)
    }

    /// Every file that is considered; those that do not count say why.
    fn files(&self, mode: PromptMode, search: &mut Search, answer: &mut Answer) -> Told<Vec<Loaded>> {
        let deleted = self.setup.deletes_bootstrap.then_some("BOOTSTRAP.md");
        let mut files = self.edition.load(self.workspace, deleted, search)?;
        let excluded = match self.config.of_agent(self.agent, "contextInjection").and_then(Node::as_text) {
            _ if mode == PromptMode::None => Some("the prompt mode `none` has no files"),
            Some("never") => Some("contextInjection is `never`"),
            Some("continuation-skip") => {
                let message = "contextInjection is `continuation-skip`: after a completed bootstrap turn the files are \
                               left out until the conversation is compacted";
                answer.warnings.push(Warning::general("continuation-skip", message));
                None
            }
            _ => None,
        };
        if let Some(reason) = excluded {
            files.iter_mut().for_each(|file| file.leave_out(Fate::Excluded, reason));
            return Ok(files);
        }
        match self.config.memory_plugin() {
            _ if self.config.plugins_are_off() => {}
            Some("none") => {}
            None | Some("memory-core") => self.edition.check_provenance(self.workspace, &mut files, search)?,
            Some(other) => {
                answer.files_only = Some(format!("the memory plugin {other} decides about USER.md and MEMORY.md"));
                self.edition.check_provenance(self.workspace, &mut files, search)?;
            }
        }
        self.edition.filter_session(self.at.session, self.workspace, &mut files);
        self.forget_bootstrap(&mut files);
        if self.at.option(ID, "contextMode") == Some("lightweight") {
            files.iter_mut().for_each(|file| file.leave_out(Fate::Excluded, "the context mode is `lightweight`"));
        }
        self.add_extra(&mut files, search, answer)?;
        Ok(files)
    }

    /// A setup that is complete has no BOOTSTRAP.md any more.
    fn forget_bootstrap(&self, files: &mut [Loaded]) {
        let path = self.workspace.join("BOOTSTRAP.md");
        for file in files.iter_mut().filter(|file| self.setup.complete && file.path == path) {
            file.leave_out(Fate::Dropped, "the setup of the workspace is recorded as complete");
        }
    }

    fn add_extra(&self, files: &mut Vec<Loaded>, search: &mut Search, answer: &mut Answer) -> Told<()> {
        if self.at.session == SessionKind::Local {
            return Ok(());
        }
        let others = self.config.other_hooks();
        if !others.is_empty() {
            let reason = format!("hooks may replace the list of files: {}", others.join(", "));
            answer.warnings.push(Warning::general("hooks", reason.clone()));
            answer.files_only = Some(reason);
        }
        let patterns = self.config.extra_patterns();
        let mut extra = extra::find(self.workspace, &patterns, EVERY_NAME, search)?;
        answer.sources.append(&mut extra.skipped);
        self.edition.filter_session(self.at.session, self.workspace, &mut extra.files);
        self.forget_bootstrap(&mut extra.files);
        let is_memory = |file: &&Loaded| matches!(file.name, "USER.md" | "MEMORY.md") && !file.counts();
        let mut protected = Vec::new();
        for file in files.iter().filter(is_memory) {
            protected.push((search.real(&file.path)?.ok(), file.path.clone(), file.left_out.clone()));
        }
        for mut file in extra.files {
            let real = search.real(&file.path)?.ok();
            let is_it =
                |(other, path, _): &&(Option<PathBuf>, _, _)| *path == file.path || (real.is_some() && *other == real);
            if let Some((_, _, Some((fate, reason)))) = protected.iter().find(is_it) {
                file.leave_out(*fate, reason.clone());
            }
            match files.iter_mut().find(|known| known.path == file.path) {
                // Where the first one was left out only because of the context mode, the hook brings it back.
                Some(known) if !known.counts() && file.counts() => *known = file,
                Some(_) => {}
                None => files.push(file),
            }
        }
        Ok(())
    }

    fn limit(&self, key: &str, default: usize) -> (usize, String) {
        match self.config.limit(self.agent, key) {
            Some(limit) => {
                (limit, self.config.file.as_ref().map_or_else(String::new, |file| file.display().to_string()))
            }
            None => (default, "default".into()),
        }
    }

    fn portions(&self, files: &[Loaded], counted: &[usize]) -> Vec<Portion> {
        let limits = &self.edition.limits;
        let paths: Vec<String> = counted.iter().map(|index| self.named(&files[*index].path)).collect();
        let refused: Vec<String> = counted
            .iter()
            .map(|index| match &files[*index].content {
                Content::Refused(message) => format!("[UNREADABLE: {}]", units::prefix(message, 300)),
                Content::Text(..) | Content::Missing => String::new(),
            })
            .collect();
        let items: Vec<Item> = counted
            .iter()
            .zip(paths.iter().zip(&refused))
            .map(|(index, (path, refused))| Item {
                name: files[*index].name,
                path,
                text: match &files[*index].content {
                    Content::Text(_, text) => budget::Text::Of(text),
                    Content::Missing => budget::Text::Missing,
                    Content::Refused(_) => budget::Text::Instead(refused),
                },
            })
            .collect();
        let file = self.limit("bootstrapMaxChars", limits.file_utf16).0;
        let total = self.limit("bootstrapTotalMaxChars", limits.total_utf16).0;
        budget::spend(&items, file, total, limits)
    }

    /// What the client logs while it loads and cuts.
    fn log(&self, files: &[Loaded], counted: &[usize], portions: &[Portion], answer: &mut Answer) {
        for file in files {
            if let Content::Refused(message) = &file.content {
                let path = file.path.display();
                let said = format!("Workspace bootstrap file is unreadable: file={path} reason={message}");
                answer.warnings.push(Warning::at("unreadable", &file.path, said));
            }
        }
        for (index, portion) in counted.iter().zip(portions) {
            if let Some(logged) = &portion.logged {
                answer.warnings.push(Warning::at("over-budget", &files[*index].path, logged.clone()));
            }
        }
    }

    /// Whether the prompt tells the agent to follow BOOTSTRAP.md.
    fn follows_bootstrap(&self, files: &[Loaded], search: &mut Search) -> Told<bool> {
        let path = self.workspace.join("BOOTSTRAP.md");
        let exists = !self.setup.deletes_bootstrap && search.stat(&path, "whether the bootstrap is pending")?.is_ok();
        let loaded = files.iter().any(|file| file.name == "BOOTSTRAP.md" && file.counts() && file.has_text());
        Ok(self.filter().bootstrap && ((!self.setup.complete && exists) || loaded))
    }

    /// The files of the section, sorted.
    fn shown(
        &self,
        files: &mut [Loaded],
        counted: &[usize],
        portions: &[Portion],
        follows_bootstrap: bool,
        search: &mut Search,
    ) -> Told<Vec<Shown>> {
        let mut shown = Vec::new();
        let mut project: Option<Option<String>> = None;
        for (index, portion) in counted.iter().zip(portions) {
            let Some(excerpt) = &portion.excerpt else { continue };
            let file = &mut files[*index];
            if file.name == "BOOTSTRAP.md" && !follows_bootstrap {
                file.leave_out(Fate::Dropped, "it is shown only to a primary session whose setup is pending");
                continue;
            }
            let mut excerpt = excerpt.clone();
            if matches!(file.name, "USER.md" | "MEMORY.md") && excerpt.text().contains("<!--") {
                if project.is_none() {
                    let root = self.config.default("repoRoot").and_then(Node::as_text).map(text::js_trim);
                    let root = root.filter(|root| !root.is_empty()).map(|root| self.at.cwd.join(root));
                    project = Some(project::key(root.as_deref(), self.workspace, search)?);
                }
                let active = project.as_ref().and_then(|key| key.as_deref());
                excerpt = excerpt.without(&project::foreign_entries(excerpt.text(), active));
            }
            let blocks = compose::heartbeat_blocks(excerpt.text());
            if !blocks.is_empty() {
                excerpt = excerpt.without(&blocks);
            }
            shown.push(Shown { path: self.named(&file.path), excerpt, of: *index });
        }
        compose::sort(&mut shown, &self.edition.wording);
        Ok(shown)
    }

    fn compose(&self, shown: &[Shown], answer: &mut Answer) {
        let model = self.at.model.clone().or_else(|| {
            let model = self.config.of_agent(self.agent, "model")?;
            model.as_text().or_else(|| model.get("primary")?.as_text()).map(str::to_owned)
        });
        let section = compose::section(shown, &self.edition.wording, model.as_deref());
        if section.divided {
            let message = "a file holds the line `<!-- OPENCLAW_CACHE_BOUNDARY -->`: what stands behind it reaches the \
                           model in another part of the prompt";
            answer.warnings.push(Warning::general("cache-boundary", message));
        }
        if section.names_model {
            let message = "a line that begins `Current model identity:` is replaced by the model's real identity";
            answer.warnings.push(Warning::general("model-identity", message));
            if model.is_none() {
                answer.files_only =
                    Some("a file holds the line that names the model, and the model is not known".into());
            }
        }
        answer.messages.push(Message::instructions(Trigger::Session, Role::System, section.text));
    }

    fn extra_prompt(&self, mode: PromptMode, answer: &mut Answer) {
        let Some(extra) = self.at.extra_system_prompt.as_deref().map(text::js_trim) else { return };
        let heading = match mode {
            PromptMode::Full => "## Conversation Context",
            PromptMode::Minimal => "## Subagent Context",
            PromptMode::None => return,
        };
        if !extra.is_empty() {
            answer.messages.push(message(MessageKind::Developer, format!("{heading}\n{extra}")));
        }
    }

    /// What the turn creates and deletes on the disk.
    fn say_setup(&self, answer: &mut Answer) {
        if self.setup.deletes_bootstrap {
            let path = self.workspace.join("BOOTSTRAP.md");
            let message = format!(
                "{}: expected to be deleted on the next run, since the workspace looks configured",
                path.display()
            );
            answer.warnings.push(Warning::at("deleted-on-next-run", path, message));
        }
        for name in &self.setup.creates {
            let path = self.workspace.join(name);
            let message = format!("{}: expected to be created on the next run, from a template", path.display());
            answer.warnings.push(Warning::at("created-on-next-run", path, message));
            if self.filter().names.contains(name) {
                answer.files_only = Some("the next run creates files whose text is not known here".into());
            }
        }
    }

    fn source(
        &self,
        file: &Loaded,
        portion: Option<&Portion>,
        excerpt: Option<&excerpt::Excerpt>,
        instructions: Option<usize>,
    ) -> Option<Source> {
        let mut source = Source { purpose: file.purpose(), ..Source::new(&file.path, file.scope, Fate::Loaded, "") };
        if let Content::Text(raw, _) = &file.content {
            source.size = Some(text::size_of(raw));
        }
        if let Some((fate, reason)) = &file.left_out {
            // What is neither there nor mentioned is news to nobody.
            let exists = !matches!(file.content, Content::Missing);
            (source.fate, source.reason) = (*fate, reason.clone());
            if self.setup.deletes_bootstrap && file.path == self.workspace.join("BOOTSTRAP.md") {
                source.reason = "deleted before the files are read, since the workspace looks configured".into();
                return Some(source);
            }
            return exists.then_some(source);
        }
        let portion = portion?;
        source.limit = Some(self.limit_of(file, portion));
        if let Some(excerpt) = excerpt {
            (source.message, source.part) = (instructions, Some(0));
            if let Content::Text(raw, _) = &file.content {
                source.kept = text::raw_ranges(raw, &excerpt.ranges());
            }
        }
        (source.fate, source.reason) = self.fate(file, portion, excerpt, source.limit.as_ref());
        Some(source)
    }

    /// The limit that decides: the file's own, or what was left of everyone's.
    fn limit_of(&self, file: &Loaded, portion: &Portion) -> Limit {
        let limits = &self.edition.limits;
        let (own, from) = self.limit("bootstrapMaxChars", limits.file_utf16);
        let capped = file.name == limits.capped.0 && limits.capped.1 < own;
        let (own, from) = if capped { (limits.capped.1, "default".to_owned()) } else { (own, from) };
        if portion.left < own && portion.truncated {
            let (total, from) = self.limit("bootstrapTotalMaxChars", limits.total_utf16);
            return Limit { value: total, unit: Unit::Utf16, per: Per::Chain, from };
        }
        Limit { value: own, unit: Unit::Utf16, per: Per::Source, from }
    }

    fn fate(
        &self,
        file: &Loaded,
        portion: &Portion,
        excerpt: Option<&excerpt::Excerpt>,
        limit: Option<&Limit>,
    ) -> (Fate, String) {
        let shared = limit.is_some_and(|limit| limit.per == Per::Chain);
        let limit = limit.map_or(0, |limit| limit.value);
        match (&file.content, excerpt) {
            (Content::Missing, _) => (Fate::Missing, "not there; the prompt says where it is expected".into()),
            (Content::Refused(message), Some(_)) => (Fate::Unreadable, format!("{message}; the prompt says so")),
            (Content::Text(..), None) if portion.truncated => {
                (Fate::Dropped, format!("the {limit} UTF-16 units for all files are spent"))
            }
            (Content::Refused(message), None) => (Fate::Unreadable, message.clone()),
            (Content::Text(..), None) => (Fate::Empty, "only white space".into()),
            (Content::Text(..), Some(excerpt)) if portion.truncated => {
                let of = format!("{} UTF-16 units in place of {}", excerpt.units(), portion.length);
                let why = match shared {
                    true => format!("what is left of {limit} for all files"),
                    false => format!("the limit of this file is {limit}"),
                };
                (Fate::Truncated, format!("{of}: {why}"))
            }
            (Content::Text(..), Some(_)) if file.scope == Scope::Config => {
                (Fate::Loaded, "added by the hook bootstrap-extra-files".into())
            }
            (Content::Text(..), Some(_)) => (Fate::Loaded, "a file of the agent's workspace".into()),
        }
    }

    /// Files of other names that people expect to be read.
    fn ignored(&self, search: &mut Search, answer: &mut Answer) -> Told<()> {
        let Ok(listing) = search.list(self.workspace, "names that OpenClaw does not read")? else { return Ok(()) };
        for (name, reason) in self.edition.ignored {
            if listing.iter().any(|entry| entry.name == *name) {
                answer.sources.push(Source {
                    purpose: session::purpose(name),
                    ..Source::new(self.workspace.join(name), Scope::User, Fate::Excluded, *reason)
                });
            }
        }
        Ok(())
    }
}

fn message(kind: MessageKind, text: String) -> Message {
    Message { kind, ..Message::instructions(Trigger::Session, Role::System, text) }
}
