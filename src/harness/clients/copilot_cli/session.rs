//! Builder for the message at the start of a session: whole files in tags, rules without a tag, and tables of files
//! with narrower patterns.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::find::named;
use super::history::{Behavior, Users, Views};
use super::rules::{KnownRule, Read, cell};
use super::seen::kept;
use super::sent::{expanded, readable};
use crate::answer::{Answer, Fate, Message, Role, Scope, Source, Text, Trigger, Warning};
use crate::search::{Known, Search};
use crate::snapshot::{AskHasher, Content, relative};
use crate::text::js_trim;

/// State of the message at the start of a session.
#[derive(Default)]
pub(super) struct Session {
    pub root: PathBuf,
    /// The client's own directory in the user's home.
    pub home: PathBuf,
    pub behavior: Behavior,
    /// Texts of the whole files so far; a file with an equal text is left out.
    texts: HashSet<Text, AskHasher>,
    /// Files in tags.
    tagged: Vec<Text>,
    /// Rules without a tag.
    rules: Vec<Text>,
    tables: Vec<Text>,
    /// Files with a narrower pattern. They are listed, and sent when a matching file is viewed.
    pub patterned: Vec<KnownRule>,
}

impl Session {
    pub fn new(root: PathBuf, home: PathBuf, behavior: Behavior) -> Session {
        Session { root, home, behavior, ..Session::default() }
    }

    /// Adds a file as a whole, unless its text is already included.
    pub fn whole(
        &mut self,
        path: &Path,
        scope: Scope,
        limit: &Path,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Known<()> {
        let read = search.read(path, "its text")?;
        let Some(raw) = readable(&read, path, scope, Trigger::Session, answer) else { return Ok(()) };
        if self.leaves_out(path, scope, raw, answer) {
            return Ok(());
        }
        let place = answer.sources.len();
        let expanded = expanded(path, raw, (limit, &self.behavior), Trigger::Session, search, answer)?;
        // The client compares texts after inserting imports.
        if !self.texts.insert(expanded.clone()) {
            answer.sources.truncate(place);
            let reason = "its text is loaded already from another file";
            answer.sources.push(Source::new(path, scope, Fate::Shadowed, reason));
            let message = format!("{}: {reason}, and is shown once", path.display());
            answer.warnings.push(Warning::at("loaded-twice", path, message));
            return Ok(());
        }
        // Imported text is in the same part.
        for imported in answer.sources[place..].iter_mut().filter(|source| source.fate.reaches()) {
            *imported = placed(imported.clone(), self.tagged.len());
        }
        let source = Source::whole(path, scope, raw.size(), "sent whole at the start");
        answer.sources.insert(place, placed(Source { kept: kept(raw), ..source }, self.tagged.len()));
        self.tagged.push(Text::framed("<custom_instruction>\n", expanded, "\n</custom_instruction>"));
        Ok(())
    }

    /// Reports a file of the user that is not UTF-8 as dropped, and returns true. In other files, the client sends
    /// replacement characters instead.
    fn leaves_out(&self, path: &Path, scope: Scope, raw: &Content, answer: &mut Answer) -> bool {
        let left_out = path.starts_with(&self.home) && raw.as_text().is_none();
        if left_out {
            let source = Source::new(path, scope, Fate::Dropped, "no UTF-8, which a file of the user's own must be");
            answer.sources.push(Source { size: Some(raw.size()), ..source });
        }
        left_out
    }

    /// Adds a rule as a whole if it applies to everything; otherwise keeps it for the table.
    pub fn rule(&mut self, known: KnownRule, answer: &mut Answer) {
        let path = known.real_path();
        let Some(read) = readable(&known.rule.read, path, Scope::Rule, Trigger::Session, answer) else { return };
        if self.leaves_out(path, Scope::Rule, &read.raw, answer) {
            return;
        }
        if read.front.excluded {
            answer.sources.push(not_for_us(path, Trigger::Session));
            return;
        }
        if let Some(problem) = &read.problem {
            let message = format!("{}: {problem}", path.display());
            answer.warnings.push(Warning::at("front-matter", path, message));
        }
        if !read.front.is_everywhere() {
            self.patterned.push(known);
            return;
        }
        let reason = "no narrower pattern: sent whole at the start";
        let source = Source::whole(path, Scope::Rule, read.raw.size(), reason);
        let part = self.tagged.len() + self.rules.len();
        answer.sources.push(placed(Source { kept: kept(&read.raw), ..source }, part));
        self.rules.push(read.text.clone());
    }

    /// Joins the user's own files so far into one text, with a table of their own.
    pub fn join_users(&mut self, answer: &mut Answer) {
        if self.behavior.users == Users::Apart {
            return;
        }
        answer.sources.extend(self.patterned.iter().filter_map(|known| listed(known, &self.behavior)));
        // Until now, each of these files was a part of its own.
        for source in answer.sources.iter_mut().filter(|source| source.part > Some(self.tagged.len())) {
            source.part = Some(self.tagged.len());
        }
        let mut rows = String::new();
        self.patterned.drain(..).for_each(|known| row(&known, &mut rows));
        let table = Some(rows).filter(|rows| !rows.is_empty()).map(|rows| format!("{RULES_TABLE}{rows}"));
        let texts: Vec<String> = self.rules.drain(..).map(|text| text.to_string()).chain(table).collect();
        let joined = js_trim(&texts.join("\n\n")).to_owned();
        self.rules.extend(Some(joined).filter(|joined| !joined.is_empty()).map(Text::from));
    }

    /// Returns the message: tagged files, rules, tables. It ends with a newline if there are tagged files and anything
    /// else.
    pub fn message(&self) -> Option<Message> {
        let rules = Some(Text::joined(&self.rules, "\n\n")).filter(|rules| !rules.is_empty());
        let others: Vec<Text> = rules.into_iter().chain(self.tables.iter().cloned()).collect();
        let (tagged, others) = (Text::joined(&self.tagged, "\n\n"), Text::joined(&others, "\n\n"));
        let text = match (tagged.is_empty(), others.is_empty()) {
            (true, true) => return None,
            (false, true) => tagged,
            (true, false) => others,
            (false, false) => [tagged, "\n\n".into(), others, "\n".into()].into_iter().collect(),
        };
        let parts = self.tagged.iter().chain(&self.rules).chain(&self.tables).cloned().collect();
        Some(Message { parts, ..Message::instructions(Trigger::Session, Role::System, text) })
    }

    /// Adds the table of AGENTS.md files in the directories of the environment.
    pub fn nested_agents(&mut self, extra: &[PathBuf], search: &mut Search, answer: &mut Answer) -> Known<()> {
        let mut rows = String::new();
        for dir in extra {
            // The AGENTS.md of the root is already included.
            if *dir == self.root {
                continue;
            }
            let Some(path) = named(dir, "AGENTS.md", search)? else { continue };
            let dir = cell(&relative(&self.root, dir)).into_owned();
            let name = cell(&path.file_name().unwrap_or_default().to_string_lossy()).into_owned();
            rows.push_str(&format!("\n| {dir}/ | '{dir}/{name}' | Agent instructions for {dir}/**/* |"));
            let reason = "listed in a table, for the agent to view";
            let source = Source::new(&path, Scope::Config, Fate::Excluded, reason);
            answer.sources.push(Source { trigger: Trigger::Call, ..source });
        }
        if !rows.is_empty() {
            self.tables.push(format!("{AGENTS_TABLE}{rows}").into());
        }
        Ok(())
    }

    /// Adds the table of files with narrower patterns.
    pub fn table(&mut self, answer: &mut Answer) {
        let mut rows = String::new();
        answer.sources.reserve(self.patterned.len());
        for known in &self.patterned {
            row(known, &mut rows);
            answer.sources.extend(listed(known, &self.behavior));
        }
        if !rows.is_empty() {
            self.tables.push(format!("{RULES_TABLE}{rows}").into());
        }
    }
}

/// Adds the row of a file with narrower patterns.
fn row(known: &KnownRule, rows: &mut String) {
    let Ok(Read { cells: [patterns, description], .. }) = &known.rule.read else { return };
    rows.extend(["\n| ", patterns, " | '", &cell(&known.shown), "' | ", description, " |"]);
}

fn listed(known: &KnownRule, behavior: &Behavior) -> Option<Source> {
    let Read { listed, size, .. } = known.rule.read.as_ref().ok()?;
    let reason = match behavior.views {
        Views::Nothing | Views::Above => "listed in a table; the agent is told to view it".to_owned(),
        Views::AboveAndRules => ["listed in a table; sent when a file is viewed that matches ", listed].concat(),
    };
    let source = Source::new(known.real_path(), Scope::Rule, Fate::Excluded, reason);
    Some(Source { size: Some(*size), trigger: Trigger::Call, ..source })
}

/// Creates the source of a rule file whose front matter excludes this client.
pub(super) fn not_for_us(path: &Path, trigger: Trigger) -> Source {
    Source {
        trigger,
        ..Source::new(path, Scope::Rule, Fate::Excluded, "excludeAgent in its front matter names this client")
    }
}

fn placed(source: Source, part: usize) -> Source {
    Source { message: Some(0), part: Some(part), ..source }
}

/// Header of the table of AGENTS.md files (Copilot CLI 1.0.102).
const AGENTS_TABLE: &str = "\
Here is a list of nested AGENTS.md files that contain additional agent instructions.
These files provide context-specific instructions for different parts of the codebase.
Please make sure to follow the rules specified in these files when working with the relevant areas.
If you have not already read the file, use the `view` tool to acquire it.
Make sure to acquire the instructions before making any changes to the code in those areas.
| Directory | File Path | Description |
| --------- | --------- | ----------- |";

/// Header of the table of files with patterns (Copilot CLI 1.0.102).
const RULES_TABLE: &str = "\
Here is a list of instruction files that contain rules for modifying or creating new code.
These files are important for ensuring that the code is modified or created correctly.
Please make sure to follow the rules specified in these files when working with the codebase.
If you have not already read the file, use the `view` tool to acquire it.
Make sure to acquire the instructions before making any changes to the code.
| Pattern | File Path | Description |
| ------- | --------- | ----------- |";
