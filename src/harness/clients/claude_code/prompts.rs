//! The user's own texts in the prompt: those of the command line, and output styles.
//!
//! Observed on 2.1.329: an output style follows the environment, and its name is repeated at the end.

use std::path::{Path, PathBuf};

use super::around::Around;
use super::manner::Manner;
use super::plugins::Plugin;
use super::settings::{Prompt, Settings};
use super::{Edition21, MANAGED};
use crate::answer::{Answer, Message, MessageKind, Purpose, Role, Scope, SessionKind, Source, Standpoint, Trigger};
use crate::formats::parse_leniently;
use crate::harness::kit::heads;
use crate::harness::kit::skills::words;
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Ask, absolute};
use crate::text::raw_ranges;

/// The output styles that come with Claude Code 2.1.329.
const OWN: [&str; 3] = ["Explanatory", "Learning", "Proactive"];

impl Edition21 {
    /// Returns the role of messages outside of the prompt.
    pub(super) fn role(&self, at: &Standpoint, settings: &Settings) -> Role {
        match self.manner(at, settings) {
            Manner::Answers => Role::User,
            Manner::System | Manner::Blocks => Role::System,
        }
    }

    /// Adds a text given on the command line, or refuses if its file cannot be read. Sub-agents do not get it.
    pub(super) fn prompt(
        &self,
        prompt: Option<&Prompt>,
        at: &Standpoint,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Known<()> {
        let Some(prompt) = prompt.filter(|_| at.session != SessionKind::Subagent) else { return Ok(()) };
        let (text, path) = match prompt {
            Prompt::Text(_, text) => (text.clone(), None),
            Prompt::File(option, file) => {
                let path = absolute(&at.cwd, Path::new(file));
                match search.read(&path, "a text for the prompt")? {
                    Ok(raw) => {
                        let reason = format!("{option} names it");
                        let source = Source::whole(&path, Scope::Config, raw.size(), reason);
                        (raw.text().into_owned(), Some(source))
                    }
                    Err(problem) => {
                        return Err(Halt::refused(&path, format!("{option}: {}: {problem}", path.display())));
                    }
                }
            }
        };
        if text.is_empty() {
            return Ok(());
        }
        let index = answer.messages.len();
        let message = Message::instructions(Trigger::Session, Role::System, text);
        let name = Some(prompt.option().to_owned());
        answer.messages.push(Message { kind: MessageKind::Developer, name, ..message });
        answer.sources.extend(path.map(|source| Source { message: Some(index), part: Some(0), ..source }));
        Ok(())
    }

    /// Adds the output style named by the settings.
    pub(super) fn output_style(&self, around: &Around, search: &mut Search, answer: &mut Answer) -> Known<()> {
        let Around { at, settings, .. } = around;
        let Some(name) = settings.output_style.as_deref().filter(|_| at.session != SessionKind::Subagent) else {
            return Ok(());
        };
        let role = self.role(at, settings);
        let found = find_style(name, around, search)?;
        if found.is_none() && !OWN.contains(&name) {
            return Ok(());
        }
        let named = |what: String| Message::named(role, MessageKind::Developer, what);
        match found {
            Some((body, source)) if self.own_skills_measured => {
                let text = format!("# Output Style: {name}\n{body}");
                let message = Message::instructions(Trigger::Session, role, text);
                answer.sources.push(Source { message: Some(answer.messages.len()), part: Some(0), ..source });
                let name = Some(format!("output style {name}"));
                answer.messages.push(Message { kind: MessageKind::Developer, name, ..message });
            }
            Some((_, source)) => {
                answer.sources.push(Source { message: Some(answer.messages.len()), ..source });
                answer.messages.push(named(format!("output style {name}")));
            }
            None => answer.messages.push(named(format!("output style {name}, the client's own"))),
        }
        let again = format!("that output style {name} is active");
        answer.messages.push(Message::named(role, MessageKind::Reminder, again));
        Ok(())
    }
}

/// Returns the text of an output style, and its source.
fn find_style(name: &str, around: &Around, search: &mut Search) -> Known<Option<(String, Source)>> {
    for (dir, scope, plugin) in style_folders(around) {
        let files = search.files_behind_links(&dir, "output styles", ".md", true)?;
        search.expect(files.iter().cloned().map(Ask::Content))?;
        for file in files {
            let Ok(raw) = search.read(&file, "an output style: its head or its file names it")? else { continue };
            let text = raw.text();
            let (head, body) = heads::whole_lines(&text).unwrap_or(("", &text));
            let head = parse_leniently(head);
            let own = head.as_ref().and_then(|head| head.get("name")).and_then(words);
            let stem = file.file_stem().unwrap_or_default().to_string_lossy();
            let own = own.unwrap_or_else(|| stem.into_owned());
            let own = plugin.map_or(own.clone(), |plugin| format!("{}:{own}", plugin.name));
            if own != name {
                continue;
            }
            let body = body.trim();
            let end = text.trim_end().len();
            let kept = raw_ranges(&raw, std::slice::from_ref(&(end - body.len()..end)));
            let reason = format!("the output style that the settings name: {name}");
            let source = Source { kept, ..Source::whole(&file, scope, raw.size(), reason) };
            return Ok(Some((body.to_owned(), Source { purpose: Purpose::Persona, ..source })));
        }
    }
    Ok(None)
}

/// Returns the folders of output styles; the first style of a name counts.
fn style_folders<'a>(around: &Around<'a>) -> Vec<(PathBuf, Scope, Option<&'a Plugin>)> {
    let Around { at, settings, checkout, plugins, .. } = around;
    let of = |dir: &Path| dir.join(".claude/output-styles");
    let mut folders = vec![(of(Path::new(MANAGED)), Scope::Managed, None)];
    if settings.project {
        let top = checkout.map_or(Path::new("/"), |checkout| &checkout.root);
        let walk = at.cwd.ancestors().take_while(|dir| dir.starts_with(top));
        folders.extend(walk.map(|dir| (of(dir), Scope::Project, None)));
    }
    if settings.user {
        folders.push((settings.config.path.join("output-styles"), Scope::User, None));
    }
    folders.extend(plugins.iter().map(|plugin| (plugin.dir.join("output-styles"), Scope::Config, Some(plugin))));
    folders
}
