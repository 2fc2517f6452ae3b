//! Cline: rules of the workspace and of the home directory, sorted by name, in a section of the system prompt.
//!
//! Checked on the real client 3.0.57 to 3.0.65 (its command line, against a loopback mock of a provider), November
//! 2026; these versions do not differ. Version 2.18.0 in the registry is another program. The VS Code extension uses
//! the same core; its switches for single rules are not read.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use crate::answer::{Answer, Fate, Scope, Source, Standpoint, Text, Tool, Warning};
use crate::formats::{Node, Value, parse_json, parse_npm_yaml};
use crate::harness::history::replays;
use crate::harness::kit::conventional::{Chain, File, Load, PLAIN};
use crate::harness::kit::{folders, heads};
use crate::harness::{
    About, Attaches, Changed, Details, Edition, Evidence, History, Profile, Program, Replays, Resumes, Switches,
    switches,
};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, FileType, Unreadable, absolute};
use crate::text::{is_js_space, js_trim, js_trim_end, locale_compare};

/// Profile of Cline.
pub static PROFILE: Profile = Profile {
    id: "cline",
    title: "Cline",
    summary: "AGENTS.md, .clinerules, .cline/rules of the workspace; ~/.agents/AGENTS.md, ~/.cline/rules, ~/Documents/Cline/Rules",
    editions: &[&Cline],
    history: Some(&HISTORY),
    instruction_names: &[
        "AGENTS.md",
        ".clinerules",
        ".clinerules/*.md",
        ".clinerules/*.markdown",
        ".clinerules/*.txt",
        ".cline/rules/*.md",
        ".cline/rules/*.markdown",
        ".cline/rules/*.txt",
        ".cline/*/rules.md",
        "Cline/Rules/*.md",
        "Cline/Rules/*.markdown",
        "Cline/Rules/*.txt",
    ],
    settings_names: &[".cline/*/managed.json"],
    keys: &[],
    program: Some(Program { command: "cline", package: "cline" }),
    evidence: Evidence {
        traces: &[&["$CLINE_DIR/data", "~/.cline/data"]],
        homes: &[&["$CLINE_DIR", "~/.cline"]],
        files: &[".clinerules", ".cline"],
        editor: &["saoudrizwan.claude-dev"],
        ..Evidence::NONE
    },
};

static HISTORY: History = History { changes: &[], rules: |_| Arc::new(Cline), replays: &REPLAYS };

static REPLAYS: Replays = LazyLock::new(|| replays(include_str!("../../../tests/conformance/versions/cline.toml")));

static ABOUT: About = About {
    name: "3.0",
    checked: ("3.0.65", "3.0"),
    details: Details {
        files: "AGENTS.md, .clinerules, .cline/rules: all of them, sorted by their names; of one name the last place counts",
        place: "system prompt, in the section Rules, each below its name; trimmed",
        truncation: "none",
        triggers: "session start; no tool and no mention adds any",
        sessions: "sub-agents and teammates begin with the same rules",
        global: "~/.agents/AGENTS.md, ~/.cline/rules, ~/Documents/Cline/Rules",
        dedupe: "by name, whatever the letter case",
        ..PLAIN
    },
};

struct Cline;

impl Edition for Cline {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn switches(&self) -> &'static Switches {
        switches::table!("cline")
    }

    fn attaches(&self, _: Tool) -> Attaches {
        Attaches::Nothing
    }

    /// Checked on Cline 3.0.65.
    fn resumes(&self) -> Resumes {
        Resumes::AsBefore(Changed::Replaced)
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let mut chain = Chain::new(at, search, None);
        let mut rules: Vec<Rule> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let Candidates { files, broken } = candidates(&mut chain)?;
        if let Some(manifest) = broken {
            let problem = format!("{} is a directory: the client gives up all its rules", manifest.display());
            for (path, scope) in files {
                chain.say(&path, Load::start(scope, ""), Fate::Excluded, problem.clone());
            }
            chain.answer.warnings.push(Warning::at("unreadable", &manifest, problem));
            return Ok(chain.finish("\n\n"));
        }
        for (path, scope) in files {
            let load = Load::start(scope, "a rule of that place");
            let Some(file) = chain.file(&path, load)? else { continue };
            let rule = match Rule::of(file, scope, at) {
                Ok(rule) => rule,
                Err(problem) => {
                    if problem == NO_TEXT {
                        chain.say(&path, load, Fate::Empty, problem);
                    } else {
                        chain.say(&path, load, Fate::Excluded, problem.clone());
                        chain.answer.warnings.push(Warning::at("front-matter", &path, problem));
                    }
                    continue;
                }
            };
            // The later rule also takes the position of the earlier one.
            match places.get(&rule.id()).copied() {
                Some(at) => {
                    let old = std::mem::replace(&mut rules[at], rule);
                    let by = &rules[at].file.path;
                    let reason = format!("{} has the same name and comes later", by.display());
                    let source = Source::new(&old.file.path, old.scope, Fate::Shadowed, reason);
                    chain.answer.sources.push(Source { by: Some(by.clone()), ..source });
                }
                None => {
                    places.insert(rule.id(), rules.len());
                    rules.push(rule);
                }
            }
        }
        rules.sort_by(|one, other| locale_compare(&one.name, &other.name));
        for rule in rules {
            let load = Load::start(rule.scope, "a rule, in the order of their names");
            if rule.disabled {
                chain.say(&rule.file.path, load, Fate::Excluded, "its front matter switches it off");
                continue;
            }
            let head = if chain.started() == 0 { "# Rules\n" } else { "" };
            let text = |text| Text::framed(format!("{head}## {}\n", rule.name), text, "");
            chain.give(&rule.file, rule.body.clone(), load, text);
        }
        Ok(chain.finish("\n\n"))
    }
}

/// Reason why a file of white space is not a rule.
const NO_TEXT: &str = "no text after the front matter";

struct Rule {
    name: String,
    disabled: bool,
    scope: Scope,
    body: std::ops::Range<usize>,
    file: Arc<File>,
}

impl Rule {
    /// Parses a rule; `Err` is the reason why the file is skipped.
    fn of(file: Arc<File>, scope: Scope, at: &Standpoint) -> Result<Rule, String> {
        let parts = heads::cline(&file.text);
        let body = parts.map_or(0, |(_, body)| file.text.len() - body.len());
        let front = match parts.map(|(yaml, _)| parse_npm_yaml(yaml)).transpose() {
            Ok(front) => front,
            Err(error) => {
                return Err(format!("its front matter is not valid YAML ({}): the rule is skipped", error.message));
            }
        };
        let inner = &file.text[body..];
        let start = body + inner.len() - inner.trim_start_matches(is_js_space).len();
        let body = start..(body + js_trim_end(inner).len()).max(start);
        if body.is_empty() {
            return Err(NO_TEXT.to_owned());
        }
        let front = front.as_ref();
        let name = match value(front, "name") {
            None => None,
            Some(Value::Text(name)) => Some(js_trim(name).to_owned()),
            Some(_) => return Err("`name` in its front matter is not a string: the rule is skipped".to_owned()),
        };
        let flag = |key: &str| match value(front, key) {
            None => Ok(None),
            Some(Value::Bool(on)) => Ok(Some(*on)),
            Some(_) => Err(format!("`{key}` in its front matter is neither true nor false: the rule is skipped")),
        };
        let disabled = match flag("disabled")? {
            Some(disabled) => disabled,
            None => flag("enabled")? == Some(false),
        };
        let name = name.filter(|name| !name.is_empty()).unwrap_or_else(|| fallback(&file.path, at));
        Ok(Rule { name, disabled, scope, body, file })
    }

    /// Returns the key under which a later rule replaces an earlier one.
    fn id(&self) -> String {
        js_trim(&self.name).to_lowercase()
    }
}

/// Returns a value of the front matter, unless it is null.
fn value<'n>(front: Option<&'n Node>, key: &str) -> Option<&'n Value> {
    front?.get(key).map(|node| &node.value).filter(|value| **value != Value::Null)
}

/// Returns the default name of a rule.
fn fallback(path: &Path, at: &Standpoint) -> String {
    let is_agents = path.file_name().is_some_and(|name| name.eq_ignore_ascii_case("AGENTS.md"));
    if is_agents && path == at.cwd.join("AGENTS.md") {
        "Workspace AGENTS.md".to_owned()
    } else if is_agents && path == at.home.join(".agents/AGENTS.md") {
        "Global AGENTS.md".to_owned()
    } else {
        js_trim(&path.file_stem().unwrap_or_default().to_string_lossy()).to_owned()
    }
}

/// Files that may be rules.
struct Candidates {
    /// Files of every place, in the order in which a later one overrides an earlier one.
    files: Vec<(PathBuf, Scope)>,
    /// A `managed.json` that is a directory, which makes the client drop all rules.
    broken: Option<PathBuf>,
}

fn candidates(chain: &mut Chain) -> Known<Candidates> {
    let (cwd, home) = (&chain.at.cwd, &chain.at.home);
    let own = chain.search.env("CLINE_DIR").map(|dir| js_trim(&dir).to_owned()).filter(|dir| !dir.is_empty());
    let own = own.map_or_else(|| home.join(".cline"), |dir| absolute(cwd, Path::new(&dir)));
    let data = chain.search.env("CLINE_DATA_DIR").map(|dir| js_trim(&dir).to_owned()).filter(|dir| !dir.is_empty());
    let data = data.map_or_else(|| own.join("data"), |dir| absolute(cwd, Path::new(&dir)));
    folders::require(&data, chain.search, &mut chain.answer)?;
    let places = [
        (cwd.join("AGENTS.md"), Scope::Project),
        (cwd.join(".clinerules"), Scope::Rule),
        (cwd.join(".cline/rules"), Scope::Rule),
        (home.join(".agents/AGENTS.md"), Scope::User),
        (own.join("rules"), Scope::User),
        (home.join("Documents/Cline/Rules"), Scope::User),
    ];
    chain.search.expect(places.iter().map(|(path, _)| Ask::Kind(path.clone())))?;
    let mut found: Vec<(PathBuf, Scope)> = Vec::new();
    for (place, scope) in places {
        for path in files_of(chain, &place)? {
            found.push((path, scope));
        }
    }
    let (files, broken) = managed(chain)?;
    found.extend(files.into_iter().map(|path| (path, Scope::Managed)));
    chain.search.expect(found.iter().map(|(path, _)| Ask::Content(path.clone())))?;
    Ok(Candidates { files: found, broken })
}

/// Returns the file itself, or the files of a folder. Symlinks in a folder count only if they are called AGENTS.md.
fn files_of(chain: &mut Chain, place: &Path) -> Known<Vec<PathBuf>> {
    if chain.search.is_file(place, "a file of rules, or a folder of them")? {
        let is_rules = place.file_name().is_some_and(|name| name == ".clinerules") || is_text(place);
        return Ok(is_rules.then(|| place.to_owned()).into_iter().collect());
    }
    let Ok(entries) = chain.search.list(place, "a folder of rules")? else { return Ok(Vec::new()) };
    let files = entries.iter().filter(|entry| entry.kind == FileType::File).map(|entry| place.join(&entry.name));
    // In the order of the listing: of two rules with one name, the later counts.
    let mut files: Vec<PathBuf> = files.filter(|path| is_text(path)).collect();
    let agents = place.join("AGENTS.md");
    if !files.contains(&agents) && chain.search.is_file(&agents, "AGENTS.md may be a link")? {
        files.push(agents);
    }
    Ok(files)
}

fn is_text(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    ["md", "markdown", "txt"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// Returns the `rules.md` of every folder of `.cline` with a `managed.json`. If a `managed.json` is a directory,
/// returns its path instead.
fn managed(chain: &mut Chain) -> Known<(Vec<PathBuf>, Option<PathBuf>)> {
    let dir = chain.at.cwd.join(".cline");
    let Ok(entries) = chain.search.list(&dir, "managed folders")? else { return Ok((Vec::new(), None)) };
    let all: Vec<PathBuf> =
        entries.iter().filter(|entry| entry.kind == FileType::Dir).map(|entry| dir.join(&entry.name)).collect();
    chain.search.expect(all.iter().map(|folder| Ask::Content(folder.join("managed.json"))))?;
    let mut folders = Vec::new();
    for folder in all {
        let path = folder.join("managed.json");
        let raw = match chain.search.read(&path, "makes it a managed folder")? {
            Ok(raw) => raw,
            Err(Unreadable::Not(FileType::Dir)) => return Ok((Vec::new(), Some(path))),
            Err(_) => continue,
        };
        let manifest = parse_json(&raw.text());
        if manifest.is_ok_and(|manifest| matches!(manifest.value, Value::Table(_) | Value::List(_))) {
            folders.push(folder);
        }
    }
    folders.sort_by(|one, other| locale_compare(&one.to_string_lossy(), &other.to_string_lossy()));
    chain.search.expect(folders.iter().map(|folder| Ask::Kind(folder.join("rules.md"))))?;
    let mut files = Vec::new();
    for folder in folders {
        files.extend(files_of(chain, &folder.join("rules.md"))?);
    }
    Ok((files, None))
}
