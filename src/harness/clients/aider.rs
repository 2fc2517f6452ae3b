//! Aider: reads only files that the user lists, and sends them as read-only files.
//!
//! Checked on the real client 0.86.2 (`aider --message` against a loopback mock of a provider), November 2026.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::answer::{Answer, Certain, Fate, Role, Scope, Source, Standpoint};
use crate::formats::{Value, parse_yaml};
use crate::harness::kit::conventional::{Chain, File, Load, PLAIN};
use crate::harness::{About, Details, Edition, Evidence, Profile, Program, Switches, switches};
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Ask, absolute, relative};

mod keys;

/// Option, and settings key, that lists files to read.
const OPTION: &str = "read";
/// Variable that lists files to read.
const VARIABLE: &str = "AIDER_READ";
/// Pairs of lines around a text. The first pair is used that begins no line of any text.
const FENCES: [(&str, &str); 7] = [
    ("```", "```"),
    ("````", "````"),
    ("<source>", "</source>"),
    ("<code>", "</code>"),
    ("<pre>", "</pre>"),
    ("<codeblock>", "</codeblock>"),
    ("<sourcecode>", "</sourcecode>"),
];
/// Endings of files that are sent as images.
const PICTURES: [&str; 8] = [".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tiff", ".webp", ".pdf"];

/// Profile of Aider.
pub static PROFILE: Profile = Profile {
    id: "aider",
    title: "Aider",
    summary: "nothing of itself; the files that `read` names in .aider.conf.yml, AIDER_READ or --read",
    editions: &[&Aider],
    history: None,
    instruction_names: &["CONVENTIONS.md"],
    settings_names: &[".aider.conf.yml", ".env"],
    keys: &[],
    program: Some(Program { command: "aider", package: "aider-chat" }),
    evidence: Evidence {
        homes: &[&["~/.aider.conf.yml"], &["~/.aider"]],
        files: &[".aider.conf.yml", ".aider.chat.history.md"],
        editor: &["nvim-aider", "aider.nvim"],
        ..Evidence::NONE
    },
};

static ABOUT: About = About {
    name: "0.86",
    checked: ("0.86.2", "0.86"),
    details: Details {
        files: "those that `read` names: of the command line, else AIDER_READ, else .aider.conf.yml here, at the root, at home",
        place: "a user message of its own, each in a fence under its path",
        truncation: "none",
        global: "~/.aider.conf.yml",
        dedupe: "by real path",
        ..PLAIN
    },
};

struct Aider;

impl Edition for Aider {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn switches(&self) -> &'static Switches {
        switches::table!("aider")
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let mut chain = Chain::new(at, search, None);
        let repository = repository(&mut chain)?;
        let root = repository.clone().unwrap_or_else(|| at.cwd.clone());
        chain.answer.root = Some(root.clone());
        let named = match named(&mut chain, repository.as_deref()) {
            Err(Halt::Refused(refusal)) => return Ok(chain.answer.with_refusal(refusal)),
            named => named?,
        };
        let files = files(&mut chain, &named)?;
        let texts: Vec<String> = files.iter().map(|(file, _)| as_python_reads(file)).collect();
        let (open, close) = fence(&texts);
        let load = Load::start(Scope::Config, "named to be read");
        for ((file, real), text) in files.iter().zip(&texts) {
            let shown = format!("\n{}\n{open}\n{text}{close}\n", relative(&root, real));
            if file.text.is_empty() {
                chain.line(shown.clone());
            }
            chain.give(file, 0..file.text.len(), load, |_| shown);
        }
        if chain.started() > 0 {
            let head = "Here are some READ ONLY files, provided for your reference.\nDo not edit these files!\n";
            chain.before(0, head);
        }
        if chain.started() > 1 {
            let why = "Aider keeps the files in a set: their order is another in every run";
            chain.answer.doubt(&[Certain::Order], why);
        }
        let mut answer = chain.finish("");
        for message in &mut answer.messages {
            message.role = Role::User;
        }
        Ok(answer)
    }
}

/// Returns the top level of the repository that git itself would find.
fn repository(chain: &mut Chain) -> Known<Option<PathBuf>> {
    let cwd = &chain.at.cwd;
    chain.search.expect(cwd.ancestors().map(|dir| Ask::Kind(dir.join(".git"))))?;
    for dir in cwd.ancestors() {
        if chain.search.glance(&dir.join(".git"))?.is_err() {
            continue;
        }
        if let Some(found) = chain.search.git(dir, "settings of the repository, and names from its root")? {
            return Ok(found.toplevel);
        }
    }
    Ok(None)
}

/// Returns the listed files from the first place that lists any: option, `.env`, environment, settings.
fn named(chain: &mut Chain, root: Option<&Path>) -> Known<Vec<String>> {
    let mut dirs = vec![chain.at.cwd.clone()];
    dirs.extend(root.map(Path::to_owned));
    dirs.push(chain.at.home.clone());
    dirs.dedup();
    let asks = |name: &'static str| dirs.iter().map(move |dir| Ask::Content(dir.join(name)));
    chain.search.expect(asks(".env").chain(asks(".aider.conf.yml")))?;
    let by_settings = settings(chain, &dirs)?;
    let line = chain.at.option_list(PROFILE.id, OPTION);
    if !line.is_empty() {
        return Ok(line.into_iter().map(str::to_owned).collect());
    }
    for dir in &dirs {
        let Ok(raw) = chain.search.read(&dir.join(".env"), "variables, over those of the environment")? else {
            continue;
        };
        let text = raw.text();
        if let Some(value) = text.lines().rev().find_map(assigned) {
            return Ok(list(value));
        }
    }
    if let Some(value) = chain.search.env(VARIABLE).filter(|value| !value.is_empty()) {
        return Ok(list(&value));
    }
    Ok(by_settings)
}

/// Returns the files that the first settings file with the key lists. All settings files are checked.
fn settings(chain: &mut Chain, dirs: &[PathBuf]) -> Known<Vec<String>> {
    let mut first = None;
    for dir in dirs {
        let path = dir.join(".aider.conf.yml");
        let Ok(raw) = chain.search.read(&path, "the first settings with the key `read`; all are checked")? else {
            continue;
        };
        let text = raw.text();
        let settings = match parse_yaml(&text) {
            Ok(settings) => settings,
            Err(error) => return Err(Halt::refused(path, error.with_position(&text))),
        };
        if let Some(problem) = keys::problem(&settings) {
            return Err(Halt::refused(path, problem));
        }
        let read = settings.get(OPTION).or_else(|| settings.get("--read")).filter(|node| node.value != Value::Null);
        let items = read.map(|node| node.as_list().unwrap_or(std::slice::from_ref(node)));
        first = first.or_else(|| items.map(|items| items.iter().filter_map(keys::as_python_says).collect()));
    }
    Ok(first.unwrap_or_default())
}

/// Returns the value that a line of a `.env` file assigns to the variable.
fn assigned(line: &str) -> Option<&str> {
    let line = line.trim();
    let (name, value) = line.strip_prefix("export ").unwrap_or(line).split_once('=')?;
    let value = value.trim();
    let quoted = |mark: char| value.strip_prefix(mark).and_then(|inner| inner.strip_suffix(mark));
    let value =
        quoted('"').or_else(|| quoted('\'')).unwrap_or_else(|| value.split(" #").next().unwrap_or(value).trim());
    (name.trim() == VARIABLE && !value.is_empty()).then_some(value)
}

/// Splits the value of a variable: `a.md`, or `[a.md, b.md]`.
fn list(value: &str) -> Vec<String> {
    let Some(inner) = value.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) else {
        return vec![value.to_owned()];
    };
    inner.split(',').map(|item| item.trim().trim_matches('"').to_owned()).filter(|item| !item.is_empty()).collect()
}

/// Returns the listed files and those in listed folders, with their real paths.
fn files(chain: &mut Chain, named: &[String]) -> Known<Vec<(Arc<File>, PathBuf)>> {
    let load = Load::start(Scope::Config, "named to be read");
    let mut found: Vec<(Arc<File>, PathBuf)> = Vec::new();
    let mut places: HashMap<PathBuf, usize> = HashMap::new();
    for name in named {
        let path = match name.strip_prefix("~/") {
            Some(rest) => chain.at.home.join(rest),
            None => absolute(&chain.at.cwd, Path::new(name)),
        };
        let is_folder = chain.search.is_dir(&path, "a folder stands for every file below it")?;
        let paths = match is_folder {
            true => chain.tree(&path, "")?.iter().map(|file| file.path.clone()).collect(),
            false => vec![path],
        };
        for path in paths {
            if PICTURES.iter().any(|ending| path.to_string_lossy().ends_with(ending)) {
                chain.say(&path, load, Fate::Excluded, "a picture is sent as such");
                continue;
            }
            let Ok(real) = chain.search.real(&path)? else {
                chain.say(&path, load, Fate::Missing, "named to be read, and does not exist");
                continue;
            };
            let Some(file) = chain.file(&path, load)? else { continue };
            if std::str::from_utf8(file.raw()).is_err() {
                chain.say(&path, load, Fate::Excluded, "not valid UTF-8");
            } else if let Some((other, _)) = places.get(&real).map(|at| &found[*at]) {
                let reason = format!("the same file as {}", other.path.display());
                let source = Source::new(&path, load.scope, Fate::Shadowed, reason);
                chain.answer.sources.push(Source { by: Some(other.path.clone()), ..source });
            } else {
                places.insert(real.clone(), found.len());
                found.push((file, real));
            }
        }
    }
    Ok(found)
}

/// Returns the text with LF line ends, and with its byte order mark.
fn as_python_reads(file: &File) -> String {
    let mark = if file.raw().starts_with(b"\xef\xbb\xbf") { "\u{feff}" } else { "" };
    format!("{mark}{}", file.text.replace("\r\n", "\n").replace('\r', "\n"))
}

/// Returns the first pair of fences that begins no line of any text; if there is none, the first pair.
fn fence(texts: &[String]) -> (&'static str, &'static str) {
    // Line ends of Python's `splitlines`.
    let ends = |c: char| matches!(c, '\n'..='\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let lines = || texts.iter().flat_map(|text| text.split(ends));
    let is_free =
        |(open, close): &&(&str, &str)| !lines().any(|line| line.starts_with(open) || line.starts_with(close));
    *FENCES.iter().find(is_free).unwrap_or(&FENCES[0])
}
