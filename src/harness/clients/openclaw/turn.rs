//! One turn of one agent: the files that count, what is left of them, and the messages they become.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::budget::{self, Item, Portion};
use super::compose::{self, Context, Heading, Passage, Shown};
use super::config::Config;
use super::extra::{self, Again};
use super::home::Home;
use super::session::{Content, Loaded};
use super::setup::Setup;
use super::{Bootstrap, Filter, ID, OpenClaw, Opening, project, units};
use crate::answer::{
    Answer, Certain, Fate, Message, MessageKind, PromptMode, Role, SessionKind, Standpoint, Trigger, Warning,
};
use crate::formats::Node;
use crate::harness::kit::folders;
use crate::search::{Known, Search};
use crate::text;

/// One turn of one agent, with everything known except its files.
pub struct Turn<'a> {
    pub(super) edition: &'a OpenClaw,
    pub(super) at: &'a Standpoint,
    pub(super) home: &'a Home,
    pub(super) config: &'a Config,
    pub(super) agent: &'a str,
    pub(super) workspace: &'a Path,
    pub(super) setup: Setup,
}

impl Turn<'_> {
    /// Returns the messages and sources of the turn.
    pub fn answer(&self, search: &mut Search) -> Known<Answer> {
        let mut answer = Answer { root: Some(self.workspace.to_owned()), ..Answer::default() };
        for folder in [&self.home.on_disk(&self.home.state), self.workspace] {
            folders::doubt_closed(folder, search, &mut answer)?;
        }
        let mode = self.at.prompt_mode.unwrap_or(self.filter().mode);
        let mut files = self.files(mode, search, &mut answer)?;
        self.say_setup(&mut answer);
        let counted: Vec<usize> = (0..files.len()).filter(|index| files[*index].counts()).collect();
        let portions = self.portions(&files, &counted);
        self.log(&files, &counted, &portions, &mut answer);
        let follows_bootstrap = self.follows_bootstrap(&files, search)?;
        let wording = &self.edition.wording;
        if mode == PromptMode::None {
            answer.messages.push(message(MessageKind::Agent, wording.identity.into()));
        }
        if follows_bootstrap && let Bootstrap::Pending(words) = self.edition.bootstrap {
            answer.messages.push(message(MessageKind::Reminder, words.into()));
        }
        let is_cut = |(portion, index): (&Portion, &usize)| {
            portion.truncated && (follows_bootstrap || files[*index].name != "BOOTSTRAP.md")
        };
        if let Some(notice) = wording.notice
            && portions.iter().zip(&counted).any(is_cut)
        {
            answer.messages.push(message(MessageKind::Reminder, notice.into()));
        }
        if let Context::Before(heading) = wording.context {
            self.extra_prompt(mode, heading, &mut answer);
        }
        let skills = match mode {
            PromptMode::Full => self.skills(search, &mut answer)?,
            PromptMode::Minimal | PromptMode::None => Vec::new(),
        };
        let shown = self.shown(&mut files, &counted, &portions, follows_bootstrap, search)?;
        let instructions = (!shown.is_empty()).then_some(answer.messages.len());
        if instructions.is_some() {
            self.compose(&shown, &mut answer);
        }
        if let Context::Behind(heading) = wording.context {
            self.extra_prompt(mode, heading, &mut answer);
        }
        let mut excerpts: HashMap<usize, _> = HashMap::new();
        for shown in &shown {
            excerpts.entry(shown.of).or_insert(&shown.excerpt);
        }
        for (index, file) in files.iter().enumerate() {
            // The indices are sorted.
            let portion = counted.binary_search(&index).ok().map(|at| &portions[at]);
            let excerpt = excerpts.get(&index).copied();
            answer.sources.extend(self.source(file, portion, excerpt, instructions));
        }
        self.share(&mut answer.sources);
        answer.sources.extend(skills);
        self.ignored(search, &mut answer)?;
        Ok(answer)
    }

    /// Formats a path as in the prompt.
    fn named(&self, path: &Path) -> String {
        self.home.named(path).display().to_string()
    }

    pub(super) fn filter(&self) -> &Filter {
        self.edition.filter(self.at.session)
    }

    /// Returns every considered file; those that do not count hold the reason.
    fn files(&self, mode: PromptMode, search: &mut Search, answer: &mut Answer) -> Known<Vec<Loaded>> {
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
            _ if self.edition.opening == Opening::Any => {}
            _ if self.config.plugins_are_off() => {}
            Some("none") => {}
            None | Some("memory-core") => self.edition.check_provenance(self.workspace, &mut files, search)?,
            Some(other) => {
                answer.doubt(&[Certain::Set], format!("the memory plugin {other} decides about USER.md and MEMORY.md"));
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

    /// Leaves out BOOTSTRAP.md if the setup is complete.
    fn forget_bootstrap(&self, files: &mut [Loaded]) {
        let path = self.workspace.join("BOOTSTRAP.md");
        for file in files.iter_mut().filter(|file| self.setup.complete && file.path == path) {
            file.leave_out(Fate::Dropped, "the setup of the workspace is recorded as complete");
        }
    }

    fn add_extra(&self, files: &mut Vec<Loaded>, search: &mut Search, answer: &mut Answer) -> Known<()> {
        if self.at.session == SessionKind::Local {
            return Ok(());
        }
        let hooks = &self.edition.hooks;
        let others = hooks.others(self.config, self.home, self.workspace, search)?;
        if !others.is_empty() {
            let reason = format!("hooks may replace the list of files: {}", others.join(", "));
            answer.warnings.push(Warning::general("hooks", reason.clone()));
            answer.doubt(&[Certain::Set], reason);
        }
        let Some(rules) = &hooks.extra else { return Ok(()) };
        let mut extra = extra::find(self.workspace, &hooks.extra_patterns(self.config), rules, search)?;
        answer.sources.append(&mut extra.skipped);
        for (pattern, leads_to) in &extra.leads_to {
            answer.mention(&self.home.config, pattern, leads_to.iter().cloned());
        }
        self.edition.filter_session(self.at.session, self.workspace, &mut extra.files);
        self.forget_bootstrap(&mut extra.files);
        if rules.again == Again::Twice {
            files.append(&mut extra.files);
            return Ok(());
        }
        let is_memory = |file: &&Loaded| matches!(file.name, "USER.md" | "MEMORY.md") && !file.counts();
        let mut protected = Vec::new();
        for file in files.iter().filter(is_memory) {
            protected.push((search.real(&file.path)?.ok(), file.path.clone(), file.left_out.clone()));
        }
        let mut places: HashMap<PathBuf, usize> =
            files.iter().enumerate().rev().map(|(at, file)| (file.path.clone(), at)).collect();
        for mut file in extra.files {
            let real = search.real(&file.path)?.ok();
            let is_it =
                |(other, path, _): &&(Option<PathBuf>, _, _)| *path == file.path || (real.is_some() && *other == real);
            if let Some((_, _, Some((fate, reason)))) = protected.iter().find(is_it) {
                file.leave_out(*fate, reason.clone());
            }
            match places.get(&file.path).map(|at| &mut files[*at]) {
                // If the first one was left out only because of the context mode, the hook brings it back.
                Some(known) if !known.counts() && file.counts() => *known = file,
                Some(_) => {}
                None => {
                    places.insert(file.path.clone(), files.len());
                    files.push(file);
                }
            }
        }
        Ok(())
    }

    pub(super) fn limit(&self, key: &str, default: usize) -> (usize, String) {
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
        let total = limits.total_utf16.map(|total| self.limit("bootstrapTotalMaxChars", total).0);
        budget::spend(&items, file, total, limits)
    }

    /// Adds warnings for what the client logs while it loads and cuts.
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

    /// Returns true if BOOTSTRAP.md is shown.
    fn follows_bootstrap(&self, files: &[Loaded], search: &mut Search) -> Known<bool> {
        if let Bootstrap::Always = self.edition.bootstrap {
            return Ok(true);
        }
        let path = self.workspace.join("BOOTSTRAP.md");
        let exists = !self.setup.deletes_bootstrap && search.stat(&path, "whether the bootstrap is pending")?.is_ok();
        let loaded = files.iter().any(|file| file.name == "BOOTSTRAP.md" && file.counts() && file.has_text());
        Ok(self.filter().bootstrap && ((!self.setup.complete && exists) || loaded))
    }

    /// Returns the files of the section, sorted.
    fn shown(
        &self,
        files: &mut [Loaded],
        counted: &[usize],
        portions: &[Portion],
        follows_bootstrap: bool,
        search: &mut Search,
    ) -> Known<Vec<Shown>> {
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
            let is_rewritten = self.edition.wording.passage == Passage::Rewritten;
            if is_rewritten && matches!(file.name, "USER.md" | "MEMORY.md") && excerpt.text().contains("<!--") {
                if project.is_none() {
                    let root = self.config.default("repoRoot").and_then(Node::as_text).map(text::js_trim);
                    let root = root.filter(|root| !root.is_empty()).map(|root| self.at.cwd.join(root));
                    project = Some(project::key(root.as_deref(), self.workspace, search)?);
                }
                let active = project.as_ref().and_then(|key| key.as_deref());
                excerpt = excerpt.without(&project::foreign_entries(excerpt.text(), active));
            }
            let blocks = if is_rewritten { compose::heartbeat_blocks(excerpt.text()) } else { Vec::new() };
            if !blocks.is_empty() {
                excerpt = excerpt.without(&blocks);
            }
            let path = match self.edition.wording.heading {
                Heading::Name => file.name.to_owned(),
                Heading::Path => self.named(&file.path),
            };
            shown.push(Shown { path, excerpt, of: *index });
        }
        compose::sort(&mut shown, &self.edition.wording.order);
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

    fn extra_prompt(&self, mode: PromptMode, heading: &str, answer: &mut Answer) {
        let Some(extra) = self.at.extra_system_prompt.as_deref().map(text::js_trim) else { return };
        let heading = match mode {
            PromptMode::Full => heading,
            PromptMode::Minimal => "## Subagent Context",
            PromptMode::None => return,
        };
        if !extra.is_empty() {
            answer.messages.push(message(MessageKind::Developer, format!("{heading}\n{extra}")));
        }
    }

    /// Adds warnings about files that the turn creates and deletes on the disk.
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
            let message = format!("{}: OpenClaw creates this file from a template on its next run", path.display());
            answer.warnings.push(Warning::at("created-on-next-run", path, message));
            if self.filter().names.contains(name) {
                answer.files_only =
                    Some("OpenClaw creates files on its next run, and Briefing does not know their text".into());
            }
        }
    }
}

fn message(kind: MessageKind, text: String) -> Message {
    Message { kind, ..Message::instructions(Trigger::Session, Role::System, text) }
}
