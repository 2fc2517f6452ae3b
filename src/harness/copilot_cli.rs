//! GitHub Copilot CLI: whole files in the system prompt, tables of those with narrower patterns, and more files when one is
//! viewed.
//!
//! Checked on the real client 1.0.102 (`copilot -p` offline, against a loopback mock of a provider), November 2026.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::answer::{
    Answer, Certain, Fate, Message, MessageKind, Refusal, Role, Scope, SessionKind, Source, Standpoint, Text, Tool,
    Trigger, Warning,
};
use crate::glob;
use crate::harness::shared::keys::{Key, Keys, Takes};
use crate::harness::{About, Attaches, Details, Edition, Evidence, Profile, Program, Version};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, AskHasher, Content, Errno, FileType, Unreadable, absolute, relative};
use crate::text::js_trim;

mod find;
mod front_matter;
mod history;
mod imports;
mod rules;
mod skills;
mod subagent;
mod viewing;

use find::named;
use history::{Behavior, Beside, Imports, Outside, Users, Views};
use imports::Importer;
use rules::{KnownRule, Read};

/// The id, also the key of its options in requests.
const ID: &str = "copilot-cli";

/// From how much text on a session may stop with "Static system messages and tool definitions exceed the model's usable context
/// budget", in bytes: 150 000 of text that no tokenizer knows did, of English 240 000; Copilot CLI 1.0.102.
const BUDGET_BYTES: usize = 120_000;

/// The profile.
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
        ".copilot/instructions/**/*.instructions.md",
        ".claude/rules/**/*.md",
    ],
    settings_names: &[],
    program: Some(Program { command: "copilot", package: "@github/copilot" }),
    keys: KEYS,
    evidence: Evidence {
        traces: &[&["$COPILOT_HOME/session-state", "~/.copilot/session-state"]],
        homes: &[&["$COPILOT_HOME", "~/.copilot"]],
        files: &[".github/copilot-instructions.md", ".github/instructions"],
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

/// An edition of Copilot CLI: what it does the same way throughout is code, what has differed is a field.
pub struct CopilotCli {
    about: About,
    /// The names of a directory's own files, as they follow the repository's `.github/copilot-instructions.md`.
    names: &'static [&'static str],
    /// What differs from version to version.
    behavior: Behavior,
}

impl CopilotCli {
    /// The rules of a version.
    fn for_version(version: Version) -> CopilotCli {
        CopilotCli { about: V1_0.about, names: V1_0.names, behavior: Behavior::for_version(version) }
    }
}

static V1_0: CopilotCli = CopilotCli {
    about: About {
        name: "1.0",
        checked: ("1.0.102", "1.0"),
        changed: &[],
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

    fn imports_into(&self, file: &Path) -> bool {
        self.behavior.imports == Imports::Followed && imports_anything(file)
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
        let repository = repository(&at.cwd, search)?;
        let above = match (&repository, self.behavior.outside) {
            (None, Outside::EveryDirectory) => Path::new("/"),
            (None, Outside::Nothing) => &at.cwd,
            (Some(root), _) => root,
        };
        let above = above.to_owned();
        let root = repository.unwrap_or_else(|| at.cwd.clone());
        answer.root = Some(root.clone());
        let github = root.join(".github");
        if search.list(&github, "a folder that links to itself stops the client")? == Err(Errno::LOOP) {
            let message = format!("{} links to itself, which stops Copilot CLI", github.display());
            return Ok(Answer { refusal: Some(Refusal::new(&github, message)), ..answer });
        }
        let mut session =
            Session { root: root.clone(), home: home.clone(), behavior: self.behavior, ..Session::default() };
        self.start(at, &above, &mut session, search, &mut answer)?;
        let has_skills = subagent::leaves_out(at, &mut answer);
        viewing::look(self.names, at, &session, search, &mut answer)?;
        if has_skills {
            skills::look(at, &home, &root, search, &mut answer)?;
        }
        self.doubt_what_is_beside(at, &mut answer);
        Ok(answer)
    }
}

impl CopilotCli {
    /// What a session begins with.
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
            // The files of these two directories count once each, by where they lead.
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

    /// Sub-agents and the list of skills were otherwise before.
    fn doubt_what_is_beside(&self, at: &Standpoint, answer: &mut Answer) {
        let has_skills = answer.messages.iter().any(|message| message.kind == MessageKind::Skills);
        if self.behavior.beside == Beside::Unknown && (has_skills || at.session == SessionKind::Subagent) {
            let reason = "what sub-agents begin with and how skills are listed was not checked on this version";
            answer.doubt(&[Certain::Set, Certain::Order], reason);
        }
    }

    /// Directory, name and scope of every file that is sent whole, in order.
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
        // Root and working directory may be one.
        let mut seen = HashSet::new();
        files.retain(|(dir, name, _)| seen.insert((dir.clone(), *name)));
        files
    }
}

/// The files of a directory that is neither root nor working directory, in order.
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

/// The nearest directory with a repository: a `.git` directory that is one, or a `.git` file that names another place,
/// whether anything is there or not.
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

/// `COPILOT_CUSTOM_INSTRUCTIONS_DIRS`, each once.
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

/// What is being put together for the start of a session.
#[derive(Default)]
struct Session {
    root: PathBuf,
    /// The client's own directory in the home of the user.
    home: PathBuf,
    behavior: Behavior,
    /// Texts of whole files that are there already: an equal one is left out.
    texts: HashSet<Text, AskHasher>,
    /// The files that stand in a tag of their own.
    tagged: Vec<Text>,
    /// Rules without a tag.
    rules: Vec<Text>,
    tables: Vec<Text>,
    /// Files with a narrower pattern, which are listed, and sent when something matching is viewed.
    patterned: Vec<KnownRule>,
}

impl Session {
    fn whole(
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
        // Texts are compared with their imports in them.
        if !self.texts.insert(expanded.clone()) {
            answer.sources.truncate(place);
            let reason = "its text is loaded already from another file";
            answer.sources.push(Source::new(path, scope, Fate::Shadowed, reason));
            let message = format!("{}: {reason}, and is shown once", path.display());
            answer.warnings.push(Warning::at("loaded-twice", path, message));
            return Ok(());
        }
        let source = Source::whole(path, scope, raw.size(), "sent whole at the start");
        answer.sources.insert(place, placed(Source { kept: kept(raw), ..source }, self.tagged.len()));
        self.tagged.push(Text::framed("<custom_instruction>\n", expanded, "\n</custom_instruction>"));
        Ok(())
    }

    /// A file of the user's own must be UTF-8. Of any other file replacement characters are sent in place of what is none.
    fn leaves_out(&self, path: &Path, scope: Scope, raw: &Content, answer: &mut Answer) -> bool {
        let left_out = path.starts_with(&self.home) && raw.as_text().is_none();
        if left_out {
            let source = Source::new(path, scope, Fate::Dropped, "no UTF-8, which a file of the user's own must be");
            answer.sources.push(Source { size: Some(raw.size()), ..source });
        }
        left_out
    }

    fn rule(&mut self, known: KnownRule, answer: &mut Answer) {
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

    /// What was the user's own so far becomes one text, with a table of its own.
    fn join_users(&mut self, answer: &mut Answer) {
        if self.behavior.users == Users::Apart {
            return;
        }
        answer.sources.extend(self.patterned.iter().filter_map(|known| listed(known, &self.behavior)));
        for source in answer.sources.iter_mut().filter(|source| source.part > Some(self.tagged.len())) {
            source.part = Some(self.tagged.len());
        }
        let rows: String = self.patterned.drain(..).filter_map(|known| row(&known)).collect();
        let table = Some(rows).filter(|rows| !rows.is_empty()).map(|rows| format!("{RULES_TABLE}{rows}"));
        let texts: Vec<String> = self.rules.drain(..).map(|text| text.to_string()).chain(table).collect();
        let joined = js_trim(&texts.join("\n\n")).to_owned();
        self.rules.extend(Some(joined).filter(|joined| !joined.is_empty()).map(Text::from));
    }

    /// The whole: tagged files, rules, tables; where both the first and any other are there, a newline ends it.
    fn message(&self) -> Option<Message> {
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

    /// The table of AGENTS.md files in the directories of the environment.
    fn nested_agents(&mut self, extra: &[PathBuf], search: &mut Search, answer: &mut Answer) -> Known<()> {
        let mut rows = String::new();
        for dir in extra {
            // The root has its own already.
            if *dir == self.root {
                continue;
            }
            let Some(path) = named(dir, "AGENTS.md", search)? else { continue };
            let dir = cell(&relative(&self.root, dir));
            let name = cell(&path.file_name().unwrap_or_default().to_string_lossy());
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

    /// The table of files with narrower patterns.
    fn table(&mut self, answer: &mut Answer) {
        let mut rows = String::new();
        for known in &self.patterned {
            rows.extend(row(known));
            answer.sources.extend(listed(known, &self.behavior));
        }
        if !rows.is_empty() {
            self.tables.push(format!("{RULES_TABLE}{rows}").into());
        }
    }
}

/// The line of a table about a file with narrower patterns.
fn row(known: &KnownRule) -> Option<String> {
    let Read { cells: [patterns, description], .. } = known.rule.read.as_ref().ok()?;
    Some(["\n| ", patterns, " | '", &cell(&known.shown), "' | ", description, " |"].concat())
}

fn listed(known: &KnownRule, behavior: &Behavior) -> Option<Source> {
    let Read { front, size, .. } = known.rule.read.as_ref().ok()?;
    let reason = match behavior.views {
        Views::Nothing | Views::Above => "listed in a table; the agent is told to view it".to_owned(),
        Views::AboveAndRules => {
            format!("listed in a table; sent when a file is viewed that matches {}", front.patterns.join(", "))
        }
    };
    let source = Source::new(known.real_path(), Scope::Rule, Fate::Excluded, reason);
    Some(Source { size: Some(*size), trigger: Trigger::Call, ..source })
}

/// A text as a table takes it.
fn cell(text: &str) -> String {
    if !text.contains(['\\', '|', '\n']) {
        return text.to_owned();
    }
    text.replace('\\', "\\\\").replace('|', "\\|").replace('\n', " ")
}

/// A rule file whose front matter says that it is for other clients.
fn not_for_us(path: &Path, trigger: Trigger) -> Source {
    Source {
        trigger,
        ..Source::new(path, Scope::Rule, Fate::Excluded, "excludeAgent in its front matter names this client")
    }
}

fn placed(source: Source, part: usize) -> Source {
    Source { message: Some(0), part: Some(part), ..source }
}

/// The head of the table of AGENTS.md files, Copilot CLI 1.0.102.
const AGENTS_TABLE: &str = "\
Here is a list of nested AGENTS.md files that contain additional agent instructions.
These files provide context-specific instructions for different parts of the codebase.
Please make sure to follow the rules specified in these files when working with the relevant areas.
If you have not already read the file, use the `view` tool to acquire it.
Make sure to acquire the instructions before making any changes to the code in those areas.
| Directory | File Path | Description |
| --------- | --------- | ----------- |";

/// The head of the table of files with patterns, Copilot CLI 1.0.102.
const RULES_TABLE: &str = "\
Here is a list of instruction files that contain rules for modifying or creating new code.
These files are important for ensuring that the code is modified or created correctly.
Please make sure to follow the rules specified in these files when working with the codebase.
If you have not already read the file, use the `view` tool to acquire it.
Make sure to acquire the instructions before making any changes to the code.
| Pattern | File Path | Description |
| ------- | --------- | ----------- |";

/// What reading a file gave, or a source that says why that is nothing.
fn readable<'r, T>(
    read: &'r Result<T, Unreadable>,
    path: &Path,
    scope: Scope,
    trigger: Trigger,
    answer: &mut Answer,
) -> Option<&'r T> {
    let problem = match read {
        Ok(read) => return Some(read),
        Err(Unreadable::Errno(Errno::NOENT)) => return None,
        Err(problem) => problem,
    };
    if let Unreadable::TooLarge(_) = problem {
        answer.files_only.get_or_insert_with(|| format!("{}: {problem}", path.display()));
    }
    let source = Source::new(path, scope, Fate::Unreadable, problem.to_string());
    answer.sources.push(Source { trigger, ..source });
    None
}

/// Text without what nobody sees, as the client sends it: once imports and front matter, which it reads as they stand, are
/// dealt with.
fn visible(text: &Text) -> Text {
    // What is hidden, and what NFC changes, is not ASCII.
    if text.is_ascii() {
        return text.clone();
    }
    let seen: String = text.chars().filter(|c| !is_hidden(*c)).collect();
    // U+2000 arrives as U+2002.
    icu_normalizer::ComposingNormalizer::new_nfc().normalize(&seen).into_owned().into()
}

/// Byte order marks, zero-width characters (but the joiner), marks of direction and tags: Copilot CLI 1.0.102 takes them out.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{200c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{e0001}' | '\u{e0020}'..='\u{e007f}')
}

/// The ranges of a file's bytes that can be seen.
fn kept(raw: &Content) -> Vec<Range<usize>> {
    if raw.is_ascii() {
        return std::iter::once(0..raw.len()).filter(|all| !all.is_empty()).collect();
    }
    let decoded = raw.text();
    let mut kept = Vec::new();
    let mut from = 0;
    for (at, c) in decoded.char_indices().filter(|(_, c)| is_hidden(*c)) {
        kept.push(from..at);
        from = at + c.len_utf8();
    }
    kept.push(from..decoded.len());
    raw.raw_ranges(&kept)
}

/// GEMINI.md imports nothing, alone of the whole files.
fn imports_anything(path: &Path) -> bool {
    !path.file_name().is_some_and(|name| name.eq_ignore_ascii_case("GEMINI.md"))
}

/// The text of a file with its imports in it, as it is sent.
fn expanded(
    path: &Path,
    raw: &Content,
    (limit, behavior): (&Path, &Behavior),
    trigger: Trigger,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<Text> {
    let text = Text::of(raw, &raw.text_without_bom());
    if behavior.imports == Imports::None || !imports_anything(path) {
        return Ok(visible(&text));
    }
    let root = search.real(limit)?.unwrap_or_else(|_| limit.to_owned());
    let own = search.real(path)?.unwrap_or_else(|_| path.to_owned());
    let mut importer = Importer::new(&root, trigger, own);
    Ok(visible(&importer.expand(path, &text, 0, search, answer)?))
}

/// Whether any pattern matches the path, taken from one of the bases, or the name alone. Every exclamation mark in front
/// turns a pattern around, for each of them.
fn matches(patterns: &[String], path: &Path, bases: &[&Path]) -> bool {
    let name = path.file_name().map(Path::new);
    let seen: Vec<PathBuf> = bases.iter().map(|base| PathBuf::from(relative(base, path))).collect();
    let forms: Vec<&Path> = seen.iter().map(PathBuf::as_path).chain(name).collect();
    patterns.iter().any(|pattern| {
        let bare = pattern.trim_start_matches('!');
        let (negated, pattern) = ((pattern.len() - bare.len()) % 2 == 1, bare);
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        forms.iter().any(|form| glob::plain(pattern, false, form) != negated)
    })
}
