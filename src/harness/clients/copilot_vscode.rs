//! GitHub Copilot in VS Code: files that are always on, files with patterns, and the list of the latter.
//!
//! Checked on the real client in November 2026: VS Code 1.139.1 (code-server) with its built-in chat 0.67.0, and a
//! local model on the loopback. Not read: instructions in settings, of an organization or of extensions, because they
//! are not files of the workspace or the home directory.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::answer::{Answer, Certain, Fate, Message, Role, Scope, Source, Standpoint, Text, Tool, Trigger, Warning};
use crate::formats::{Node, Remembered, Value, parse_npm_yaml};
use crate::harness::kit::conventional::{Chain, File, Globs, InFolder, Load, PLAIN, When, files_below};
use crate::harness::kit::front_matter::split;
use crate::harness::kit::heads;
use crate::harness::kit::vscode::{self, Settings};
use crate::harness::{About, Attaches, Details, Edition, Evidence, Profile, Program, Switches, switches};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, AskHasher, FileType, absolute};
use crate::text::locale_compare;

mod nested;
mod references;

/// Default of `chat.instructionsFilesLocations`: folders of files with patterns.
const LOCATIONS: [&str; 4] = [".github/instructions", ".claude/rules", "~/.copilot/instructions", "~/.claude/rules"];
/// Folder whose files need no `.instructions` in their names, and use the key `paths` instead of `applyTo`.
const RULES: &str = ".claude/rules";
/// Profile of Copilot in VS Code.
pub static PROFILE: Profile = Profile {
    id: "copilot-vscode",
    title: "GitHub Copilot in VS Code",
    summary: "copilot-instructions.md, AGENTS.md, CLAUDE.md, .github/instructions/**/*.instructions.md, .claude/rules; the same of the home directory",
    editions: &[&CopilotVscode],
    history: None,
    instruction_names: &[
        ".github/copilot-instructions.md",
        ".copilot/copilot-instructions.md",
        ".github/instructions/**/*.instructions.md",
        // Files with another ending are not read; a finding says so.
        ".github/instructions/**/*.md",
        ".copilot/instructions/**/*.instructions.md",
        ".claude/rules/**/*.md",
        ".claude/CLAUDE.md",
        "AGENTS.md",
        "CLAUDE.md",
        "CLAUDE.local.md",
    ],
    settings_names: &vscode::NAMES,
    keys: &[],
    program: Some(Program { command: "code", package: "Code" }),
    evidence: Evidence {
        files: &[
            ".github/copilot-instructions.md",
            ".github/instructions",
            ".github/agents",
            ".github/skills",
            ".github/prompts",
            ".github/chatmodes",
        ],
        editor: &["github.copilot-chat", "github.copilot"],
        ..Evidence::NONE
    },
};

static ABOUT: About = About {
    name: "1.139",
    checked: ("1.139.1", "1.139.1"),
    details: Details {
        files: "files with a pattern that matches, then copilot-instructions.md, then AGENTS.md and CLAUDE.md, each sorted by path: all of them",
        triggers: "every request; files with applyTo come where a matching file is attached to it, reading one brings nothing; all of them are listed",
        place: "end of the system prompt, the list first, then each in an attachment with its path; trimmed",
        truncation: "none; the window may prune it",
        nested: "not read; listed with chat.useNestedAgentsMdFiles",
        global: "~/.copilot/copilot-instructions.md, ~/.copilot/instructions, ~/.claude/CLAUDE.md, ~/.claude/rules, the folder `prompts` of the user's settings",
        globs: "applyTo (paths in .claude/rules) in front matter",
        dedupe: "by path, by what links lead to, by text",
        ..PLAIN
    },
};

struct CopilotVscode;

impl Edition for CopilotVscode {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn switches(&self) -> &'static Switches {
        switches::table!("copilot-vscode")
    }

    fn attaches(&self, tool: Tool) -> Attaches {
        match tool {
            Tool::Mention => Attaches::Own,
            Tool::Read | Tool::Edit | Tool::Write | Tool::Shell => Attaches::Nothing,
        }
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let mut chain = Chain::new(at, search, None);
        let settings = Settings::gather(at, chain.search, &mut chain.answer.warnings)?;
        doubt_odd_settings(&settings, &mut chain.answer);
        let mut roots = vec![at.cwd.clone()];
        if settings.flag("chat.useCustomizationsInParentRepositories", false) {
            roots.extend(chain.repository()?.filter(|root| *root != at.cwd));
        }
        let mut attached = Attached { texts: HashMap::default(), real: HashMap::new(), begun: Vec::new() };
        let mut rows = String::new();
        let applies = settings.flag("chat.includeApplyingInstructions", true);
        for folder in folders(at, &settings, &roots, chain.search) {
            let rules = rules_of(&mut chain, &folder)?;
            chain.answer.sources.reserve(rules.len());
            for rule in rules.iter() {
                attached.with_pattern(&mut chain, rule, (&folder, applies), &mut rows)?;
            }
        }
        let is_on = settings.flag(USE_FILES, true);
        let refers = settings.flag(references::SETTING, false);
        if refers {
            references::attach(std::mem::take(&mut attached.begun), &mut attached, &mut chain)?;
            attached.begun.clear();
        }
        let mut own = named(of_copilot(at, &roots), |_| is_on.then_some(()).ok_or(USE_FILES), chain.search)?;
        let mut others = named(conventional(at, &roots), |name| switch(name, &settings), chain.search)?;
        chain.search.expect(own.iter().chain(&others).flat_map(|(path, _)| about(path)))?;
        let known = own.iter().chain(&others).filter(|(_, on)| on.is_ok()).map(|(path, _)| path.clone()).collect();
        for files in [&mut own, &mut others] {
            leave_links_out(files, &known, &mut chain)?;
        }
        for files in [&mut own, &mut others] {
            files.sort_by(|(one, _), (other, _)| locale_compare(&one.to_string_lossy(), &other.to_string_lossy()));
        }
        for (path, on) in &own {
            attached.always(&mut chain, path, *on)?;
        }
        // References in AGENTS.md and in the files of Claude Code are not followed.
        if refers {
            references::attach(std::mem::take(&mut attached.begun), &mut attached, &mut chain)?;
        }
        for (path, on) in &others {
            attached.always(&mut chain, path, *on)?;
        }
        rows += &nested::rows(&mut chain, &settings)?;
        Ok(listed_first(rows, chain.finish("\n")))
    }
}

/// Puts the list of files with a pattern or a description before the attached files.
fn listed_first(rows: String, mut answer: Answer) -> Answer {
    if !rows.is_empty() {
        let list = format!("{LIST}{rows}</instructions>");
        answer.messages.insert(0, Message::instructions(Trigger::Session, Role::System, list));
        for source in &mut answer.sources {
            source.message = source.message.map(|message| message + 1);
        }
    }
    answer
}

/// Text before the list of files (VS Code 1.139).
const LIST: &str = "\
<instructions>
Here is a list of instruction files that contain rules for working with this codebase.
These files are important for understanding the codebase structure, conventions, and best practices.
When an instruction file applies to your task (based on its description or applyTo pattern), follow the rules specified in it.
If the file content is not already included in the context, use the 'read_file' tool to read it before proceeding. Use the exact value from the <file> element as-is with the tool; do not add or remove prefixes or otherwise modify it.
Only load instruction files when they are relevant to the current task. Do not eagerly load all instructions upfront.
When modifying or creating files, check for instructions whose applyTo pattern matches the file path and follow them.
";

/// Returns the questions about a file that may be attached.
fn about(path: &Path) -> [Ask; 3] {
    [Ask::Content(path.to_owned()), Ask::Real(path.to_owned()), Ask::LinkKind(path.to_owned())]
}

/// Setting that disables Copilot's own files.
const USE_FILES: &str = "github.copilot.chat.codeGeneration.useInstructionFiles";

/// Folder of files with patterns.
#[derive(Clone)]
struct Folder {
    path: PathBuf,
    scope: Scope,
    is_rules: bool,
    on: bool,
}

/// Names of files, each with its folder.
type Names = Vec<(PathBuf, &'static str)>;

/// Returns the files of folders that have such names in letters of any case, as VS Code compares them.
fn named(names: Names, on: impl Fn(&str) -> Result<(), &'static str>, search: &mut Search) -> Known<Vec<Candidate>> {
    search.expect(names.iter().map(|(dir, _)| Ask::Listing(dir.clone())))?;
    let mut files = Vec::new();
    for (dir, name) in names {
        let entries = search.list(&dir, "names are compared whatever their letter case")?;
        let alike =
            entries.iter().flat_map(|entries| entries.iter()).filter(|entry| entry.name.eq_ignore_ascii_case(name));
        files.extend(alike.map(|entry| (dir.join(&entry.name), on(name))));
    }
    Ok(files)
}

/// Leaves out files that are links to another of the files; only the target is attached.
fn leave_links_out(files: &mut Vec<Candidate>, known: &HashSet<PathBuf>, chain: &mut Chain) -> Known<()> {
    for (path, on) in std::mem::take(files) {
        match chain.search.real(&path)?.ok().filter(|real| *real != path && known.contains(real)) {
            None => files.push((path, on)),
            Some(real) => {
                let reason = format!("links to {}", real.display());
                let source = Source::new(&path, Scope::Project, Fate::Shadowed, reason);
                chain.answer.sources.push(Source { by: Some(real), ..source });
            }
        }
    }
    Ok(())
}

/// Doubts settings of another type than their own, and warns of them.
fn doubt_odd_settings(settings: &Settings, answer: &mut Answer) {
    let is_flag = |value: &Value| matches!(value, Value::Bool(_));
    let flags = ["chat.useAgentsMdFile", "chat.useClaudeMdFile", USE_FILES, "chat.includeApplyingInstructions"];
    let all = flags.map(|key| (key, "true or false", is_flag as fn(&Value) -> bool));
    let folders: (_, _, fn(&Value) -> bool) =
        ("chat.instructionsFilesLocations", "an object of folders with true or false", |value| {
            matches!(value, Value::Table(_))
        });
    for (key, own, is_own) in all.into_iter().chain([folders]) {
        let Some(file) = settings.odd(key, is_own) else { continue };
        answer.doubt(&[Certain::Set], format!("the value of {key} is of another type than the setting"));
        let message = format!("`{key}` has a value of another type: VS Code takes {own}");
        answer.warnings.push(Warning::at("settings", file, message));
    }
}

fn of_copilot(at: &Standpoint, roots: &[PathBuf]) -> Names {
    let mut folders: Vec<PathBuf> = roots.iter().map(|root| root.join(".github")).collect();
    folders.push(at.home.join(".copilot"));
    folders.into_iter().map(|dir| (dir, "copilot-instructions.md")).collect()
}

/// Path of a file; `Err` is the setting that disables it.
type Candidate = (PathBuf, Result<(), &'static str>);

/// Returns AGENTS.md and the files of Claude Code.
fn conventional(at: &Standpoint, roots: &[PathBuf]) -> Names {
    let mut names = Names::new();
    for root in roots {
        names.extend(["AGENTS.md", "CLAUDE.md", "CLAUDE.local.md"].map(|name| (root.clone(), name)));
        names.push((root.join(".claude"), "CLAUDE.md"));
    }
    names.push((at.home.join(".claude"), "CLAUDE.md"));
    names
}

/// Returns the setting that switches a file off, if it does.
fn switch(name: &str, settings: &Settings) -> Result<(), &'static str> {
    let key = if name == "AGENTS.md" { "chat.useAgentsMdFile" } else { "chat.useClaudeMdFile" };
    if settings.flag(key, true) { Ok(()) } else { Err(key) }
}

fn folders(at: &Standpoint, settings: &Settings, roots: &[PathBuf], search: &Search) -> Vec<Folder> {
    let mut folders = Vec::new();
    for (name, on) in settings.switches("chat.instructionsFilesLocations", &LOCATIONS) {
        let is_rules = name.trim_end_matches('/').ends_with(RULES);
        match name.strip_prefix("~/") {
            Some(rest) => folders.push(Folder { path: at.home.join(rest), scope: Scope::User, is_rules, on }),
            None => folders.extend(roots.iter().map(|root| Folder {
                path: absolute(root, Path::new(&name)),
                scope: Scope::Rule,
                is_rules,
                on,
            })),
        }
    }
    let prompts = vscode::user_directory(at, search).join("prompts");
    folders.push(Folder { path: prompts, scope: Scope::User, is_rules: false, on: true });
    // Folders of the user come first.
    folders.sort_by_key(|folder| folder.scope != Scope::User);
    folders
}

/// File that VS Code may attach, with its patterns.
struct Rule {
    found: InFolder,
    /// Entry in the list.
    row: String,
    /// True if the patterns are a list, which counts in `.claude/rules` only.
    is_list: bool,
    /// Patterns, as written and as matched; `None` if the file has none.
    when: Option<(Written, When)>,
}

/// Patterns as written.
struct Written {
    written: Vec<String>,
    /// All patterns, formatted for people.
    listed: String,
}

/// Ending of files in `.claude/rules`. Other files name their patterns by another key.
const RULES_ENDING: &str = ".md";

/// Returns the files of a folder, sorted by path.
fn rules_of(chain: &mut Chain, folder: &Folder) -> Known<Arc<Vec<Rule>>> {
    let ending = if folder.is_rules { RULES_ENDING } else { ".instructions.md" };
    chain.search.part("files that VS Code may attach", (&folder.path, ending), |dir, ending, search| {
        let mut files = files_below(dir, ending, search)?;
        search.expect(files.iter().flat_map(|file| about(&file.path)))?;
        files.sort_by(|one, other| by_units(&one.path, &other.path));
        Ok(files.into_iter().map(|found| Rule::of(found, ending == RULES_ENDING)).collect())
    })
}

/// Compares paths by UTF-16 units as JavaScript does. VS Code sorts files with patterns so, and files that are always
/// on by locale.
fn by_units(one: &Path, other: &Path) -> Ordering {
    one.to_string_lossy().encode_utf16().cmp(other.to_string_lossy().encode_utf16())
}

impl Rule {
    fn of(found: InFolder, is_rules: bool) -> Rule {
        // Behind a byte order mark nothing is front matter.
        let read = found.read.as_ref().ok().filter(|file| !file.has_mark());
        let front = Front::of(read.map_or("", |file| &file.text));
        let listed = |key: &str| match front.value(key) {
            Some(Value::Text(text)) if !text.is_empty() => Some(text),
            _ => None,
        };
        let said = front.value(if is_rules { "paths" } else { "applyTo" });
        let is_said = said.is_some();
        let is_list = !is_rules && matches!(said, Some(Value::List(_)));
        let patterns = match said {
            Some(Value::Text(text)) => Some(split(&text)),
            // Lists are accepted in `.claude/rules` only.
            Some(Value::List(list)) if is_rules => {
                Some(list.iter().filter_map(Node::as_text).map(str::to_owned).collect())
            }
            _ => None,
        };
        let patterns = patterns.filter(|patterns: &Vec<String>| !patterns.is_empty());
        let patterns = patterns.or_else(|| (is_rules && !is_said).then(|| vec!["**".to_owned()]));
        let applies = if is_rules { patterns.as_ref().map(|patterns| patterns.join(", ")) } else { listed("applyTo") };
        let tag = |name: &str, text: Option<String>| {
            text.map(|text| format!("<{name}>{}</{name}>\n", escaped(&text))).unwrap_or_default()
        };
        let row = format!(
            "<instruction>\n<file>{}</file>\n{}{}</instruction>\n",
            found.path.display(),
            tag("description", listed("description")),
            tag("applyTo", applies),
        );
        Rule { when: when(patterns), row, found, is_list }
    }
}

fn when(patterns: Option<Vec<String>>) -> Option<(Written, When)> {
    let patterns = patterns?;
    let anywhere: Vec<String> = patterns.iter().map(|pattern| in_any_folder(pattern)).collect();
    Some((Written { listed: patterns.join(", "), written: patterns }, When::Matching(anywhere.into())))
}

/// Front matter of a rule.
struct Front<'a> {
    block: &'a str,
    /// Parsed YAML; `None` if it is not valid.
    node: Arc<Option<Node>>,
}

impl<'a> Front<'a> {
    fn of(text: &'a str) -> Front<'a> {
        static READ: Remembered<Option<Node>> = Remembered::new();
        let block = heads::vscode_chat(text).unwrap_or_default();
        Front { block, node: READ.of(block, |block| parse_npm_yaml(block).ok()) }
    }

    /// Converts a value as VS Code does: everything but lists and tables is a text as written, even `null`.
    fn as_text(&self, node: &Node) -> Value {
        match &node.value {
            Value::Text(_) | Value::Table(_) => node.value.clone(),
            Value::List(list) => {
                Value::List(list.iter().map(|node| Node { at: node.at.clone(), value: self.as_text(node) }).collect())
            }
            _ => Value::Text(self.block.get(node.at.clone()).unwrap_or_default().trim().to_owned()),
        }
    }

    /// Returns the value of a key. If the YAML is not valid, VS Code continues after the error, and the key's own line
    /// counts.
    fn value(&self, key: &str) -> Option<Value> {
        if let Some(node) = &*self.node {
            return node.get(key).map(|node| self.as_text(node));
        }
        // An unclosed bracket swallows the rest.
        let mut lines = self.block.lines().take_while(|line| !line.starts_with(['[', '{']));
        let line = lines.find(|line| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')))?;
        let alone = parse_npm_yaml(line).ok().and_then(|node| node.get(key).map(|node| node.value.clone()));
        let written = line[key.len() + 1..].trim();
        // A list that is not closed still counts as a list, so it is not a text.
        alone.or_else(|| (!written.starts_with(['[', '{'])).then(|| Value::Text(written.to_owned())))
    }
}

/// Escapes `&`, `<` and `>`, but not quotation marks.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Attaches files, each text once.
struct Attached {
    /// Trimmed texts that are already attached, with their files.
    texts: HashMap<Text, PathBuf, AskHasher>,
    /// Files that are already attached, by their real paths.
    real: HashMap<PathBuf, PathBuf>,
    /// Files to attach, whether or not their texts are already attached.
    begun: Vec<Arc<File>>,
}

impl Attached {
    /// Attaches a file that is always on; `Err` is the setting that disables it.
    fn always(&mut self, chain: &mut Chain, path: &Path, on: Result<(), &str>) -> Known<()> {
        let scope = if path.starts_with(&chain.at.home) && !path.starts_with(&chain.at.cwd) {
            Scope::User
        } else {
            Scope::Project
        };
        let load = Load::start(scope, "always on");
        let Some(file) = chain.file(path, load)? else { return Ok(()) };
        match on {
            Err(setting) => chain.say(path, load, Fate::Excluded, format!("{setting} is off")),
            Ok(()) => self.attach(chain, &file, load)?,
        }
        Ok(())
    }

    /// Attaches a file if its pattern matches, and adds its row to the list unless its folder is disabled.
    fn with_pattern(
        &mut self,
        chain: &mut Chain,
        rule: &Rule,
        (folder, applies): (&Folder, bool),
        rows: &mut String,
    ) -> Known<()> {
        let path = &rule.found.path;
        let load = Load { scope: folder.scope, trigger: Trigger::Attach, reason: "a file with a pattern" };
        let Some(file) = chain.opened(&rule.found, load) else { return Ok(()) };
        if !folder.on {
            chain.say(path, load, Fate::Excluded, "chat.instructionsFilesLocations switches its folder off");
            return Ok(());
        }
        rows.push_str(&rule.row);
        if rule.is_list {
            let message = "`applyTo` is a list, which VS Code passes over: write one text, with commas";
            chain.answer.warnings.push(Warning::at("front-matter", path, message));
        }
        if file.text.starts_with("---") && file.text.replace("\r\n", "").contains('\r') {
            let reason = format!("{} has carriage returns alone, which end lines of its head", path.display());
            chain.answer.doubt(&[Certain::Set], reason);
        }
        let Some((patterns, when)) = &rule.when else {
            chain.rule(&file, 0..0, folder.scope, &When::Asked, anywhere());
            return Ok(());
        };
        let target = chain.at.target.as_deref().filter(|_| chain.at.tool == Tool::Mention);
        if !applies {
            let why = format!("chat.includeApplyingInstructions is off; it would come with {}", patterns.listed);
            chain.say(path, load, Fate::Excluded, why);
        } else if patterns.written.iter().any(|pattern| ["**", "**/*", "*"].contains(&pattern.as_str())) {
            self.attach(chain, &file, Load::start(folder.scope, "its pattern matches everything"))?;
        } else if let (Some(target), When::Matching(of)) = (target, when)
            && of.any(anywhere(), target)
        {
            // It is part of the texts of the start, because the message is rebuilt for each request.
            let reason = ["the file that is attached matches ", &patterns.listed].concat();
            self.attach(chain, &file, Load::start(folder.scope, &reason))?;
        } else {
            let reason =
                ["listed for the agent to read; comes with an attached file that matches ", &patterns.listed].concat();
            chain.say(path, Load { trigger: Trigger::Call, ..load }, Fate::Excluded, reason);
        }
        Ok(())
    }

    fn attach(&mut self, chain: &mut Chain, file: &Arc<File>, load: Load) -> Known<()> {
        self.begun.push(file.clone());
        let real = chain.search.real(&file.path)?.unwrap_or_else(|_| file.path.clone());
        let range = file.js_trimmed();
        let text = file.text.slice(range.clone());
        let is_link = chain.search.lstat(&file.path, "a link to a file that is there brings nothing")?;
        let is_link = is_link.is_ok_and(|meta| meta.kind == FileType::Link);
        let twice = self.real.get(&real).filter(|_| is_link).map(|by| (by, "links to"));
        let twice = twice.or_else(|| self.texts.get(&text).map(|by| (by, "has the same text as")));
        if let Some((by, how)) = twice.filter(|(by, _)| !text.is_empty() && **by != file.path) {
            let source = Source::new(&file.path, load.scope, Fate::Shadowed, format!("{how} {}", by.display()));
            chain.answer.sources.push(Source { by: Some(by.clone()), trigger: load.trigger, ..source });
            return Ok(());
        }
        self.real.insert(real, file.path.clone());
        self.texts.insert(text, file.path.clone());
        // A file that another one refers to may have been reported as listed only.
        chain.take_back(&file.path);
        let head = format!("<attachment filePath=\"{}\">\n", file.path.display());
        chain.give(file, range, load, |text| Text::framed(head, text, "\n</attachment>"));
        Ok(())
    }
}

/// Returns the semantics of patterns: they match whole paths and ignore letter case.
fn anywhere() -> Globs<'static> {
    Globs { base: Path::new("/"), names_anywhere: false, fold_case: true }
}

fn in_any_folder(pattern: &str) -> String {
    if pattern.starts_with('/') || pattern.starts_with("**/") { pattern.to_owned() } else { format!("**/{pattern}") }
}
