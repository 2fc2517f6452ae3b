//! Inspects what a repository instructs agents to do, makes them run, and allows them. Nothing is executed.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::Core;
use super::alone::at_rest;
use super::below::vendored;
use super::settings::Settings;
use crate::answer::Resolution;
use crate::disk::Filesystem;
use crate::disk::scan::{self, Progress, Threads};
use crate::glob::gitignore;
use crate::harness::names::{INSTRUCTION_FILES, is_in_folder};
use crate::report::grants::{FILES, Grant, grants};
use crate::report::inspection::{Inspection, Note, OfAgent, Told, disguised};
use crate::request::{Defaults, Places, Request};
use crate::snapshot::FileType;

/// Inspects a directory.
///
/// # Errors
/// If the settings are invalid. The error is a message for people.
pub fn inspect(base: Defaults, root: &Path, settings: Settings) -> Result<Inspection, String> {
    let core = at_rest(base, root, settings, None)?;
    let root = core.session().folders[0].clone();
    let places = Places::start(&root);
    let asked = core.answers(&Request::default(), &places);
    let (answers, _) = asked?;
    let judged = core.judged(&places, &answers);
    let found = Found::below(&core, &root, None);
    let mut agents: Vec<OfAgent> = answers.iter().map(|answer| told(answer, &root)).collect();
    for grant in found.grants {
        for id in &grant.agents {
            let at = agents.iter().position(|one| one.agent == *id).unwrap_or_else(|| {
                agents.push(OfAgent { agent: id.clone(), ..OfAgent::default() });
                agents.len() - 1
            });
            let list = if grant.kind.is_allowed() { &mut agents[at].allows } else { &mut agents[at].runs };
            list.push(Grant { agents: vec![id.clone()], ..grant.clone() });
        }
    }
    let mut hidden = found.notes;
    let sources = answers.iter().flat_map(|answer| &answer.answer.sources);
    let paths: BTreeSet<&Path> =
        sources.filter(|source| source.fate.reaches()).filter_map(|source| source.path()).collect();
    for path in paths.into_iter().filter(|path| path.starts_with(&root)) {
        let name = inside(&root, path);
        hidden.extend(whose(&core, &root, path));
        // Imported files may have any name. Files outside of the repository are not part of it.
        if !INSTRUCTION_FILES.matches(path)
            && !is_outside(&core, &root, path)
            && let Ok(raw) = core.files.read(path)
        {
            hidden.extend(disguised(&name, &raw.text()));
        }
    }
    hidden.sort();
    hidden.dedup();
    Ok(Inspection { root: root.display().to_string(), judged, agents, hidden })
}

fn told(answer: &Resolution, root: &Path) -> OfAgent {
    let sources = answer.answer.sources.iter().filter(|source| source.fate.reaches());
    let told = sources.filter_map(|source| {
        let path = inside(root, source.path()?);
        let (bytes, _) = source.reaches().unwrap_or_default();
        Some(Told { path, fate: source.fate.to_string(), bytes })
    });
    OfAgent { agent: answer.harness.clone(), told: told.collect(), ..OfAgent::default() }
}

/// Grants and notes found in the files of a directory.
pub(super) struct Found {
    pub grants: Vec<Grant>,
    pub notes: Vec<Note>,
}

impl Found {
    /// Searches a directory, as it is now or at a revision.
    pub fn below(core: &Core, root: &Path, revision: Option<&str>) -> Found {
        let mut found = Found { grants: Vec::new(), notes: Vec::new() };
        for path in files(core, root, revision) {
            let note = whose(core, root, &path);
            found.notes.extend(note);
            // Files outside of the repository are not part of it, even if a link leads to them.
            let Some(raw) = (!is_outside(core, root, &path)).then(|| core.files.read(&path).ok()).flatten() else {
                continue;
            };
            let (name, text) = (inside(root, &path), raw.text());
            found.grants.extend(grants(Path::new(&name), &text));
            found.notes.extend(disguised(&name, &text));
        }
        found.grants.sort_by(|one, other| (&one.path, one.line).cmp(&(&other.path, other.line)));
        found
    }
}

fn is_outside(core: &Core, root: &Path, path: &Path) -> bool {
    !core.files.real(path).starts_with(core.files.real(root))
}

/// Returns the files that agents may read, and links among them.
fn files(core: &Core, root: &Path, revision: Option<&str>) -> Vec<PathBuf> {
    let any = |_: &OsStr| true;
    let all = match revision {
        None => scan::scan(root, Threads::PerCore, &any, |_| (), &Progress::default()),
        Some(_) => scan::scan_in(&core.files, root, &any),
    };
    let mut files = Vec::new();
    let may_be_one = |name: &OsStr| FILES.may_match(name) || INSTRUCTION_FILES.may_match(name);
    // Links of several agents often lead to one folder.
    let mut below: HashMap<PathBuf, Vec<PathBuf>> = HashMap::new();
    for path in all {
        let relative = path.strip_prefix(root).unwrap_or(&path);
        if FILES.matches(relative) || INSTRUCTION_FILES.matches(relative) {
            files.push(path);
            continue;
        }
        let is_linked = is_in_folder(relative) && core.files.lstat(&path).is_ok_and(|meta| meta.kind == FileType::Link);
        if !is_linked {
            continue;
        }
        // An agent's folder may be a link to another folder of the repository.
        let real = core.files.real(&path);
        if real.starts_with(core.files.real(root)) {
            let inside = below.entry(real).or_insert_with_key(|real| {
                let found = scan::scan_in(&core.files, real, &may_be_one).into_iter();
                found.filter_map(|file| file.strip_prefix(real).map(Path::to_owned).ok()).collect()
            });
            let linked = inside.iter().map(|inside| path.join(inside));
            files.extend(linked.filter(|file| FILES.matches(file) || INSTRUCTION_FILES.matches(file)));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files.dedup();
    files
}

/// Returns a note if the file's text is not the repository's own: a link that leads outside, or third-party code.
pub(super) fn whose(core: &Core, root: &Path, path: &Path) -> Option<Note> {
    let relative = path.strip_prefix(root).ok()?;
    let note = |what: String| Some(Note { path: inside(root, path), line: None, what });
    let real = core.files.real(path);
    if !real.starts_with(core.files.real(root)) {
        return note(format!("leads out of the repository, to {}", real.display()));
    }
    let mut dirs: Vec<&Path> = path.ancestors().skip(1).take_while(|dir| dir.starts_with(root)).collect();
    let nested = dirs.iter().find(|dir| **dir != root && core.files.lstat(&dir.join(".git")).is_ok());
    if let Some(dir) = nested {
        return note(format!("of another repository, in {} (a submodule or a clone)", inside(root, dir)));
    }
    if let Some(name) = vendored(relative) {
        return note(format!("vendored, in {}", name.to_string_lossy()));
    }
    dirs.reverse();
    let is_ignored = dirs.iter().any(|dir| {
        let Ok(rules) = core.files.read(&dir.join(".gitignore")) else { return false };
        gitignore(dir, rules.text().lines()).matched_path_or_any_parents(path, false).is_ignore()
    });
    is_ignored.then(|| note("ignored by git, unless it was added all the same".to_owned())).flatten()
}

/// Returns a path relative to the root, with `/`.
fn inside(root: &Path, path: &Path) -> String {
    let Ok(relative) = path.strip_prefix(root) else { return path.display().to_string() };
    relative.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}
