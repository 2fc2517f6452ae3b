//! Lists the AGENTS.md of every folder of the workspace, if a setting is on.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};

use ignore::gitignore::Gitignore;

use super::escaped;
use crate::answer::{Certain, Fate, Scope, Trigger};
use crate::glob::gitignore;
use crate::harness::kit::conventional::{Chain, Load};
use crate::harness::kit::vscode::Settings;
use crate::search::{Known, Search};
use crate::snapshot::{Ask, Entry, FileType};

/// Name of the setting.
const SETTING: &str = "chat.useNestedAgentsMdFiles";
/// Folders that searches exclude by default (VS Code 1.139, `files.exclude` and `search.exclude`).
const LEFT_OUT: [&str; 5] = [".git", ".svn", ".hg", "node_modules", "bower_components"];
/// Settings that change which files searches exclude.
const SEARCHES: [&str; 4] = ["files.exclude", "search.exclude", "explorer.excludeGitIgnore", "search.useIgnoreFiles"];

/// Returns the rows of the list, if the setting is on.
pub(super) fn rows(chain: &mut Chain, settings: &Settings) -> Known<String> {
    if !settings.flag(SETTING, false) || !settings.flag("chat.useAgentsMdFile", true) {
        off(chain)?;
        return Ok(String::new());
    }
    let cwd = chain.at.cwd.clone();
    let (unsure, ignores) = (Cell::new(SEARCHES.iter().any(|key| settings.names(key))), RefCell::new(Vec::new()));
    let takes = |entry: &Entry| match (entry.kind, entry.name.to_string_lossy().as_ref()) {
        (FileType::Dir, name) => !LEFT_OUT.contains(&name),
        (FileType::File, ".gitignore") => true,
        (FileType::File, ".ignore" | ".rgignore") | (FileType::Link, _) => {
            unsure.set(true);
            false
        }
        (_, name) => name.eq_ignore_ascii_case("AGENTS.md"),
    };
    let found = chain.search.files_below(&cwd, "AGENTS.md of any folder is listed", takes)?;
    let (mut files, of_git): (Vec<PathBuf>, Vec<PathBuf>) =
        found.into_iter().partition(|path| !path.ends_with(".gitignore"));
    chain.search.expect(of_git.iter().cloned().map(Ask::Content))?;
    for path in of_git {
        ignores.borrow_mut().push(ignored_by(&path, chain.search)?);
    }
    let ignores = ignores.into_inner();
    let exclude = cwd.join(".git/info/exclude");
    if let Ok(raw) = chain.search.read(&exclude, "what git leaves out here is not in any .gitignore")? {
        let is_pattern = |line: &str| !line.trim().is_empty() && !line.starts_with('#');
        unsure.set(unsure.get() || raw.text().lines().any(is_pattern));
    }
    files.retain(|file| !is_ignored(file, &cwd, &ignores));
    if unsure.get() {
        let why = format!(
            "{SETTING} lists what VS Code's search finds; links, and what leaves files out of searches, were not asked about"
        );
        chain.answer.doubt(&[Certain::Set, Certain::Order], why);
    }
    if files.len() > 1 {
        chain
            .answer
            .doubt(&[Certain::Order], format!("{SETTING} lists files as VS Code's search finds them, in no order"));
    }
    let load = Load { scope: Scope::Nested, trigger: Trigger::Call, reason: "" };
    let mut rows = String::new();
    for file in files {
        let dir = file.parent().and_then(|dir| dir.strip_prefix(&cwd).ok()).unwrap_or(Path::new(""));
        let what = match dir.to_string_lossy().as_ref() {
            "" => "Instructions for the workspace".to_owned(),
            dir => format!("Instructions for folder '{dir}'"),
        };
        rows += &format!(
            "<instruction>\n<file>{}</file>\n<description>{}</description>\n</instruction>\n",
            file.display(),
            escaped(&what)
        );
        chain.say(&file, load, Fate::Excluded, "only listed: the agent may ask for it");
    }
    Ok(rows)
}

/// Reports the AGENTS.md files on the path to the target as not listed.
fn off(chain: &mut Chain) -> Known<()> {
    for dir in chain.directories_to_target() {
        let path = dir.join("AGENTS.md");
        if chain.search.is_file(&path, "AGENTS.md of a folder below")? {
            let load = Load { scope: Scope::Nested, trigger: Trigger::Call, reason: "" };
            chain.say(&path, load, Fate::Excluded, format!("{SETTING} is off"));
        }
    }
    Ok(())
}

fn ignored_by(path: &Path, search: &mut Search) -> Known<Gitignore> {
    let dir = path.parent().unwrap_or(path);
    Ok(match search.read(path, "what git ignores is left out")? {
        Ok(raw) => gitignore(dir, raw.text().lines()),
        Err(_) => Gitignore::empty(),
    })
}

/// Returns true if git ignores the file or a folder above it. For each, the nearest `.gitignore` with a matching
/// pattern decides.
fn is_ignored(file: &Path, top: &Path, ignores: &[Gitignore]) -> bool {
    let mut way: Vec<&Path> = file.ancestors().take_while(|path| *path != top).collect();
    way.reverse();
    way.iter().any(|path| {
        let above = path.ancestors().skip(1).flat_map(|dir| ignores.iter().filter(move |git| git.path() == dir));
        let said = above.map(|git| git.matched(path, *path != file)).find(|said| !said.is_none());
        said.is_some_and(|said| said.is_ignore())
    })
}
