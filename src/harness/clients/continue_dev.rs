//! Continue: one file of the working directory, and rules of the settings, of the workspace and of the user.
//!
//! Checked on the real client 1.5.47 (`cn -p` against a loopback mock of a provider), November 2026. Not read: skills,
//! which are in the description of a tool in an order that changes from run to run, and the settings that the client
//! fetches if there is no config.yaml.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use crate::answer::{Answer, Certain, Fate, Role, Scope, Source, Standpoint, Text, Tool, Trigger};
use crate::formats::{Node, Value, dotenv, parse_npm_yaml};
use crate::harness::history::replays;
use crate::harness::keys::{Key, Keys, Takes};
use crate::harness::kit::conventional::PLAIN;
use crate::harness::kit::section::{Given, Section};
use crate::harness::kit::skills;
use crate::harness::kit::{folders, heads};
use crate::harness::{
    About, Attaches, Change, Details, Edition, Evidence, History, Profile, Program, Replays, Switches, switches,
};
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Ask, Content, Errno, FileType, Unreadable, absolute};
use crate::text::js_trim;

mod shape;

/// Profile of Continue.
pub static PROFILE: Profile = Profile {
    id: "continue",
    title: "Continue",
    summary: "AGENTS.md, AGENT.md, CLAUDE.md or CODEX.md of the working directory, .continue/rules, ~/.continue/rules, rules of ~/.continue/config.yaml",
    editions: &[&Continue { files: RuleFiles::Read }],
    history: Some(&HISTORY),
    instruction_names: &["AGENTS.md", "AGENT.md", "CLAUDE.md", "CODEX.md", ".continue/rules/**/*.md"],
    settings_names: &[".continue/config.yaml"],
    keys: KEYS,
    program: Some(Program { command: "cn", package: "@continuedev/cli" }),
    evidence: Evidence {
        traces: &[&["$CONTINUE_GLOBAL_DIR/sessions", "~/.continue/sessions"]],
        homes: &[&["$CONTINUE_GLOBAL_DIR", "~/.continue"]],
        files: &[".continue"],
        editor: &["continue.continue"],
        ..Evidence::NONE
    },
};

const KEYS: &[Keys] = &[Keys {
    files: &[".continue/rules/**/*.md"],
    keys: &[
        Key::new("globs", Takes::Paths, "A rule with patterns is not sent by the command line."),
        Key::new("alwaysApply", Takes::SWITCH, "Whether the rule is sent in spite of patterns; `false`: not at all."),
        Key::new("invokable", Takes::SWITCH, "Whether it is a command instead."),
    ],
}];

static HISTORY: History = History {
    changes: &[&RULE_FILES],
    rules: |version| {
        let files = version.pick(&RULE_FILES, RuleFiles::Read, RuleFiles::PassedOver);
        Arc::new(Continue { files })
    },
    replays: &REPLAYS,
};

/// The version published before 1.5.47 is 1.5.45.
static RULE_FILES: Change = Change {
    since: "1.5.47",
    what: "files of rules are read, of the workspace and of the user",
    cases: &["continue/before_1_5_47_no_files_of_rules_are_read"],
};

static REPLAYS: Replays = LazyLock::new(|| replays(include_str!("../../../tests/conformance/versions/continue.toml")));

static ABOUT: About = About {
    name: "1.5",
    checked: ("1.5.47", "1.5"),
    details: Details {
        files: "of the working directory the first of AGENTS.md, AGENT.md, CLAUDE.md, CODEX.md; then all rules that always apply",
        place: "system prompt, in the context userRules, one after the other",
        truncation: "none",
        triggers: "session start; no tool adds any",
        global: "~/.continue/rules, rules of ~/.continue/config.yaml",
        nested: "not read, nor are directories above",
        dedupe: "files of rules that repeat one of the settings",
        ..PLAIN
    },
};

/// File names in order of precedence.
const NAMES: [&str; 4] = ["AGENTS.md", "AGENT.md", "CLAUDE.md", "CODEX.md"];

/// Size of a text that may not fit into the window of a model, in bytes. Of 200 000 tokens, 130 000 remain for the
/// request (Continue 1.5.47), and a token may be a single byte.
const LONG_BYTES: usize = 100_000;

struct Continue {
    files: RuleFiles,
}

/// Treatment of rule files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RuleFiles {
    Read,
    PassedOver,
}

impl Edition for Continue {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn switches(&self) -> &'static Switches {
        switches::table!("continue")
    }

    fn attaches(&self, _: Tool) -> Attaches {
        Attaches::Nothing
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let mut answer = Answer { root: Some(at.cwd.clone()), ..Answer::default() };
        let own = own(at, search)?;
        folders::require(&own, search, &mut answer)?;
        let file = file(at, search, &mut answer)?;
        let mut rules = settings(&own.join("config.yaml"), search, &mut answer)?;
        let known: HashSet<String> = rules.iter().map(|rule| rule.text().into_owned()).collect();
        let folders = [(at.cwd.join(".continue/rules"), Scope::Rule), (own.join("rules"), Scope::User)];
        for (dir, scope) in folders.into_iter().filter(|_| self.files == RuleFiles::Read) {
            for path in files(&dir, search, &mut answer)? {
                let Some(rule) = rule(&path, scope, search, &mut answer)? else { continue };
                if known.contains(rule.text().as_ref()) {
                    let source = Source::new(&path, scope, Fate::Dropped, "a rule of the settings has the same text");
                    answer.sources.push(source);
                } else {
                    rules.push(rule);
                }
            }
        }
        say(file, rules, &mut answer);
        if answer.messages.iter().any(|message| message.text.len() > LONG_BYTES) {
            answer.doubt(
                &[Certain::Set],
                "where so long a text does not fit into the window of the model, the client stops",
            );
        }
        let folders = [at.cwd.join(".continue"), at.cwd.join(".claude"), own].map(|dir| dir.join("skills"));
        skills::doubted(folders.into(), search, &mut answer)?;
        Ok(answer)
    }
}

/// Returns the user's folder. A variable may name it, in the environment or in the `.env` of the working directory.
fn own(at: &Standpoint, search: &mut Search) -> Known<PathBuf> {
    const VARIABLE: &str = "CONTINUE_GLOBAL_DIR";
    let named = match search.env(VARIABLE) {
        Some(dir) => Some(dir),
        None => {
            let raw = search.read(&at.cwd.join(".env"), "variables, one of which moves the folder of the user")?;
            let pairs = raw.map_or_else(|_| Vec::new(), |raw| dotenv(&raw.text()));
            pairs.into_iter().find(|(name, _)| name == VARIABLE).map(|(_, value)| value)
        }
    };
    let named = named.filter(|dir| !dir.is_empty());
    Ok(named.map_or_else(|| at.home.join(".continue"), |dir| absolute(&at.cwd, Path::new(&dir))))
}

/// Rule, with its file.
struct Rule {
    path: PathBuf,
    scope: Scope,
    raw: Content,
    text: RuleText,
    reason: &'static str,
}

/// Text of a rule.
enum RuleText {
    /// A range of the file.
    Part(Range<usize>),
    /// Text that does not occur in the file in this form.
    Words(String),
}

impl Rule {
    fn text(&self) -> std::borrow::Cow<'_, str> {
        match &self.text {
            RuleText::Part(range) => match self.raw.text() {
                std::borrow::Cow::Borrowed(text) => text[range.clone()].into(),
                std::borrow::Cow::Owned(text) => text[range.clone()].to_owned().into(),
            },
            RuleText::Words(words) => words.as_str().into(),
        }
    }
}

/// Returns the file of the working directory. The first that exists counts, even if it cannot be read.
fn file(at: &Standpoint, search: &mut Search, answer: &mut Answer) -> Known<Option<(PathBuf, Content)>> {
    const REASON: &str = "the first of the names that is there";
    search.expect(NAMES.iter().map(|name| Ask::Content(at.cwd.join(name))))?;
    let mut names = NAMES.iter().map(|name| at.cwd.join(name));
    let mut taken = None;
    for path in names.by_ref() {
        match search.read(&path, REASON)? {
            Ok(raw) => {
                if raw.is_empty() {
                    answer.sources.push(Source::new(
                        &path,
                        Scope::Project,
                        Fate::Empty,
                        "no text; the search ends here",
                    ));
                }
                taken = Some((path, raw));
                break;
            }
            // What cannot be reached counts as missing.
            Err(_) if search.stat(&path, REASON)?.is_err() => {}
            Err(problem) => {
                let reason = format!("{problem}; the search ends here");
                answer.sources.push(Source::new(&path, Scope::Project, Fate::Unreadable, reason));
                break;
            }
        }
    }
    for path in names {
        if search.is_file(&path, REASON)? {
            answer.sources.push(Source::new(&path, Scope::Project, Fate::Shadowed, "another name comes first"));
        }
    }
    Ok(taken.filter(|(_, raw)| !raw.is_empty()))
}

/// Returns the rules of `config.yaml`. The client refuses to start if the file is invalid.
fn settings(path: &Path, search: &mut Search, answer: &mut Answer) -> Known<Vec<Rule>> {
    let raw = match search.read(path, "rules of the settings")? {
        Ok(raw) => raw,
        Err(Unreadable::Errno(Errno::NOENT | Errno::NOTDIR | Errno::LOOP)) => return Ok(Vec::new()),
        Err(problem) => return Err(Halt::refused(path, format!("the settings cannot be read: {problem}"))),
    };
    let decoded = raw.text();
    let refused = |why: &str| Err(Halt::refused(path, why));
    let node = match parse_npm_yaml(&decoded) {
        Ok(node) => node,
        Err(problem) => return refused(&format!("not valid YAML: {}", problem.message)),
    };
    if let Some(key) = shape::misfit(&node) {
        return refused(&format!("`{key}` has a value that the client does not accept"));
    }
    if let Some(key) = shape::unchecked(&node) {
        answer.doubt(&[Certain::Set], format!("{}: what {key} does was not asked about", path.display()));
    }
    let entries = node.get("rules").and_then(Node::as_list).unwrap_or_default();
    let mut rules = Vec::new();
    let mut seen = HashSet::new();
    for entry in entries {
        let field = |key: &str| entry.get(key).and_then(Node::as_text);
        let (name, text) = match &entry.value {
            Value::Text(text) => (None, Some(text.as_str())),
            _ if field("name").is_some() && field("rule").is_some() => (field("name"), field("rule")),
            _ => (None, None),
        };
        // Duplicates are skipped: plain rules by their text, named rules by their name whatever their text.
        if text.is_some_and(|text| !seen.insert((name.is_some(), name.unwrap_or(text)))) {
            continue;
        }
        match text {
            Some("") => {}
            Some(text) => {
                if text.contains("${{") {
                    let reason = format!("{}: what stands for a secret in a rule is not known", path.display());
                    answer.doubt(&[Certain::Text], reason);
                }
                rules.push(Rule {
                    path: path.to_owned(),
                    scope: Scope::Config,
                    raw: raw.clone(),
                    text: RuleText::Words(text.to_owned()),
                    reason: "a rule of the settings",
                });
            }
            None => {
                let reason = format!("{}: a rule that is fetched from elsewhere is not known", path.display());
                answer.doubt(&[Certain::Set], reason);
            }
        }
    }
    Ok(rules)
}

/// Returns the Markdown files of a folder of rules, level by level. Symlinks are followed.
fn files(dir: &Path, search: &mut Search, answer: &mut Answer) -> Known<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut level = vec![dir.to_owned()];
    while !level.is_empty() {
        search.expect(level.iter().cloned().map(Ask::Listing))?;
        let mut next = Vec::new();
        for folder in level {
            // If one folder cannot be listed, the client loads none of the rules.
            let Ok(entries) = search.list(&folder, "a folder of rules")? else { return Ok(Vec::new()) };
            if folder != dir && leads_back(&folder, search)? {
                let reason = format!("{} leads back to a folder above it, and the client goes round", folder.display());
                answer.doubt(&[Certain::Set], reason);
                continue;
            }
            let mut names: Vec<_> = entries.iter().map(|entry| (entry.name.clone(), entry.kind)).collect();
            names.sort_by(|(one, _), (other, _)| one.cmp(other));
            for (name, kind) in names {
                let path = folder.join(&name);
                let kind = match kind {
                    FileType::Link => search.glance(&path)?.map_or(FileType::Link, |meta| meta.kind),
                    kind => kind,
                };
                match kind {
                    FileType::Dir => next.push(path),
                    FileType::File if name.to_string_lossy().ends_with(".md") => found.push(path),
                    _ => {}
                }
            }
        }
        level = next;
    }
    search.expect(found.iter().cloned().map(Ask::Content))?;
    Ok(found)
}

/// Returns true if a folder is a symlink to a folder above it.
fn leads_back(folder: &Path, search: &mut Search) -> Known<bool> {
    let above = folder.parent().unwrap_or(folder);
    let (Ok(real), Ok(above)) = (search.real(folder)?, search.real(above)?) else { return Ok(false) };
    Ok(above.starts_with(&real))
}

/// Reads a file as a rule, if it always applies.
fn rule(path: &Path, scope: Scope, search: &mut Search, answer: &mut Answer) -> Known<Option<Rule>> {
    let raw = match search.read(path, "a rule")? {
        Ok(raw) => raw,
        Err(problem) => {
            answer.sources.push(Source::new(path, scope, Fate::Unreadable, problem.to_string()));
            return Ok(None);
        }
    };
    let text = raw.text().replace("\r\n", "\n");
    let (head, body) = heads::continue_dev(&text);
    let head = head.map(parse_npm_yaml);
    let (head, body) = match head {
        Some(Ok(head)) => (Some(head), js_trim(&body).to_owned()),
        Some(Err(_)) | None => (None, text),
    };
    let value = |key: &str| head.as_ref().and_then(|head| head.get(key)).map(|node| &node.value);
    let mut left_out = |fate, reason: &str| {
        answer.sources.push(Source { size: Some(raw.size()), ..Source::new(path, scope, fate, reason) });
        Ok(None)
    };
    if value("invokable").is_some_and(is_true) {
        return left_out(Fate::Excluded, "it is a command: `invokable`");
    }
    let waits = || ["globs", "regex"].iter().any(|key| value(key).is_some_and(is_true));
    let applies = value("alwaysApply").map_or_else(|| !waits(), |value| *value == Value::Bool(true));
    if !applies {
        return left_out(Fate::Excluded, "it does not always apply, and the command line sends no other rules");
    }
    if js_trim(&body).is_empty() {
        return left_out(Fate::Empty, "only white space");
    }
    let decoded = raw.text();
    let place = decoded.find(&body).map(|start| start..start + body.len());
    let text = place.map_or(RuleText::Words(body), RuleText::Part);
    let reason = "a rule that always applies";
    Ok(Some(Rule { path: path.to_owned(), scope, raw: raw.clone(), text, reason }))
}

/// Returns true if JavaScript treats a value as true.
fn is_true(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) | Value::Integer(0) => false,
        Value::Text(text) => !text.is_empty(),
        Value::Float(number) => *number != 0.0 && !number.is_nan(),
        _ => true,
    }
}

/// Adds the context message: the file, then the rules.
fn say(file: Option<(PathBuf, Content)>, rules: Vec<Rule>, answer: &mut Answer) {
    let mut section = Section::new(Trigger::Session, Role::System);
    let count = usize::from(file.is_some()) + rules.len();
    let frame = |at: usize, text: Text| {
        let head = if at == 0 { "<context name=\"userRules\">\n" } else { "" };
        Text::framed(head, text, if at + 1 == count { "\n</context>" } else { "" })
    };
    if let Some((path, raw)) = &file {
        let reason = "the first of the names that is there";
        let given = Given { path, raw, range: 0..raw.text().len(), scope: Scope::Project, reason };
        section.file(given, |text| frame(0, text));
    }
    for (at, rule) in rules.into_iter().enumerate() {
        let at = at + usize::from(file.is_some());
        let Rule { path, scope, raw, text, reason } = rule;
        let range = if let RuleText::Part(range) = &text { range.clone() } else { 0..0 };
        let given = Given { path: &path, raw: &raw, range, scope, reason };
        section.file(given, |part| match text {
            RuleText::Part(_) => frame(at, part),
            RuleText::Words(words) => frame(at, words.into()),
        });
    }
    section.finish("\n\n", answer);
}
