//! Crush: a list of names in the working directory, and more paths from its settings, in an order that changes from run
//! to run.
//!
//! Based on its sources (37f36e9, `internal/config`, `internal/agent/prompt`), November 2026, not on the running
//! client.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::answer::{Answer, Fate, Scope, Standpoint, Text, Warning};
use crate::formats::parse_json;
use crate::harness::keys::{Key, Keys, Takes};
use crate::harness::kit::conventional::{Chain, File, InFolder, Load, PLAIN, files_below, read_in_november};
use crate::harness::{About, Details, Edition, Evidence, Profile};
use crate::search::{Known, Search};
use crate::snapshot::absolute;

/// Built-in names. The client sorts them and compares them in lower case: of `CRUSH.md`, `Crush.md` and `crush.md` it
/// only tries the first.
const NAMES: [&str; 16] = [
    ".github/copilot-instructions.md",
    ".cursorrules",
    ".cursor/rules/",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "GEMINI.md",
    "gemini.md",
    "crush.md",
    "crush.local.md",
    "Crush.md",
    "Crush.local.md",
    "CRUSH.md",
    "CRUSH.local.md",
    "AGENTS.md",
    "agents.md",
    "Agents.md",
];

/// Profile of Crush.
pub static PROFILE: Profile = Profile {
    id: "crush",
    title: "Crush",
    summary: "CRUSH.md, AGENTS.md, CLAUDE.md, GEMINI.md, copilot-instructions.md, .cursorrules, .cursor/rules in the working directory, options.context_paths, and two global files",
    editions: &[&Crush],
    history: None,
    instruction_names: &[
        ".github/copilot-instructions.md",
        ".cursorrules",
        ".cursor/rules/**/*.mdc",
        "CLAUDE.md",
        "CLAUDE.local.md",
        "GEMINI.md",
        "CRUSH.md",
        "CRUSH.local.md",
        "AGENTS.md",
    ],
    settings_names: &["crush.json", ".crush.json", "crush/crush.json"],
    program: None,
    keys: KEYS,
    evidence: Evidence {
        commands: &["crush"],
        homes: &[&["$XDG_CONFIG_HOME/crush", "~/.config/crush"]],
        files: &["CRUSH.md", "CRUSH.local.md", "crush.json", ".crush.json", ".crush"],
        ..Evidence::NONE
    },
};

const KEYS: &[Keys] = &[Keys {
    files: &["crush.json", ".crush.json", "crush/crush.json"],
    keys: &[Key::new("options.context_paths", Takes::Paths, "Further files and folders to load at the start.")],
}];

const UNSURE: &str = "based on Crush's sources (November 2026), not on the running client: it keeps the files in a map, so their order is another in every run";

static ABOUT: About = read_in_november(Details {
    files: "sixteen names and options.context_paths: all of them, one spelling each",
    place: "system prompt: <file path=…>, the project in <project_context>, the user's in <user_preferences>",
    global: "~/.config/crush/CRUSH.md, ~/.config/AGENTS.md",
    dedupe: "by the path in lower case",
    ..PLAIN
});

struct Crush;

impl Edition for Crush {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let mut chain = Chain::new(at, search, Some(UNSURE));
        let mut paths: Vec<String> = NAMES.iter().map(|&name| name.to_owned()).collect();
        let place = |path: &str| match path.strip_prefix("~/") {
            Some(rest) => at.home.join(rest),
            None => absolute(&at.cwd, Path::new(path)),
        };
        for (path, from) in configured(&mut chain)? {
            chain.answer.mention(&from, &path, [place(&path)]);
            paths.push(path);
        }
        paths.sort();
        paths.dedup();
        let mut keys = HashSet::new();
        for path in paths {
            let place = place(&path);
            let load = Load::start(Scope::Project, "a context path of the working directory");
            if keys.insert(path.to_lowercase()) {
                add(&mut chain, &place, load)?;
            } else if is_named(&mut chain, &place)? {
                let reason = "never looked for: names are compared in lower case, and another spelling comes first";
                chain.say(&place, load, Fate::Excluded, reason);
            }
        }
        let config = chain.config_home();
        for path in [config.join("crush/CRUSH.md"), config.join("AGENTS.md")] {
            add(&mut chain, &path, Load::start(Scope::User, "a global context path"))?;
        }
        Ok(chain.finish("\n"))
    }
}

/// Adds a file, or every file below a folder.
fn add(chain: &mut Chain, place: &Path, load: Load) -> Known<()> {
    if chain.search.is_dir(place, "a folder stands for every file below it")? {
        for (found, text) in chain.search.part("files of Crush", (place, ""), read)?.iter() {
            if let Some(file) = chain.opened(found, load) {
                chain.give(&file, 0..file.text.len(), load, |_| text.clone());
            }
        }
    } else if let Some(file) = chain.file(place, load)? {
        chain.give(&file, 0..file.text.len(), load, |_| shown(&file));
    }
    Ok(())
}

/// Returns the files of a folder with their formatted texts.
fn read(dir: &Path, ending: &'static str, search: &mut Search) -> Known<Vec<(InFolder, Text)>> {
    let text = |found: &InFolder| found.read.as_ref().map_or_else(|_| Text::default(), |file| shown(file));
    Ok(files_below(dir, ending, search)?.into_iter().map(|found| (found.clone(), text(&found))).collect())
}

fn shown(file: &File) -> Text {
    let head = format!("<file path=\"{}\">\n", file.path.display());
    Text::framed(head, file.text.clone(), "\n</file>")
}

/// Returns true if a directory has an entry of exactly this name, even if the file system ignores letter case.
fn is_named(chain: &mut Chain, place: &Path) -> Known<bool> {
    let Some(dir) = place.parent() else { return Ok(false) };
    let Ok(entries) = chain.search.list(dir, "other spellings of a name")? else { return Ok(false) };
    Ok(entries.iter().any(|entry| Some(entry.name.as_os_str()) == place.file_name()))
}

/// Returns `options.context_paths` of every settings file, the global one first, each path with its file.
fn configured(chain: &mut Chain) -> Known<Vec<(String, PathBuf)>> {
    let mut files: Vec<PathBuf> = vec![chain.config_home().join("crush/crush.json")];
    files.extend(["crush.json", ".crush.json"].map(|name| chain.at.cwd.join(name)));
    let mut paths = Vec::new();
    for file in files {
        let Ok(raw) = chain.search.read(&file, "settings")? else { continue };
        let text = raw.text();
        match parse_json(&text) {
            Ok(settings) => {
                let list = settings.at_path(&["options", "context_paths"]).and_then(|list| list.as_texts());
                paths.extend(list.into_iter().flatten().map(|path| (path.to_owned(), file.clone())));
            }
            Err(error) => {
                let message = format!("{}: its context paths are not known", error.with_position(&text));
                chain.answer.warnings.push(Warning::at("settings", file, message));
            }
        }
    }
    Ok(paths)
}
