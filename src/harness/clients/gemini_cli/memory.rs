//! Private memory of a project, in a folder with the short name that `projects.json` has, or would get, for the
//! project.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::paths::{joined, readable};
use crate::formats::{self, Node};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, Errno, Unreadable, absolute};
use crate::text::js_trim;

/// Index of private memory. Files with the context names are loaded only if there is no index.
const INDEX: &str = "MEMORY.md";
/// File with the path of the project that owns a short name.
const OWNER: &str = ".project_root";

/// File of private memory.
pub(super) struct Memory {
    /// Path that the client shows.
    pub path: PathBuf,
    /// Current path of the text. Before the first start of a newer client, it is below the hash of the project.
    pub now: PathBuf,
}

/// Returns the files of private memory, in order.
pub(super) fn files(cwd: &Path, home: &Path, names: &[String], search: &mut Search) -> Known<Vec<Memory>> {
    let temp = home.join(".gemini/tmp");
    let bases = [temp.clone(), home.join(".gemini/history")];
    let short = short_name(cwd, &home.join(".gemini/projects.json"), &bases, search)?;
    let project = joined(&temp, &short);
    let now = before_migration(cwd, &temp, &project, search)?.unwrap_or_else(|| project.clone());
    let memory =
        |name: &str| Memory { path: joined(&project.join("memory"), name), now: joined(&now.join("memory"), name) };
    let index = memory(INDEX);
    if readable(&index.now, "private memory: its index", search)? {
        return Ok(vec![index]);
    }
    let mut files = Vec::new();
    for name in names {
        let file = memory(name);
        if readable(&file.now, "private memory without an index: the context names", search)? {
            files.push(file);
        }
    }
    Ok(files)
}

/// Returns the folder named by a hash, if the client will copy it at the start because the new folder has no content
/// yet.
fn before_migration(cwd: &Path, temp: &Path, project: &Path, search: &mut Search) -> Known<Option<PathBuf>> {
    let hash = Sha256::digest(cwd.as_os_str().as_encoded_bytes());
    let old = temp.join(hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    let rule = "private memory of older clients, moved at the next start";
    if !search.is_dir(&old, rule)? {
        return Ok(None);
    }
    let is_new = match search.list(project, rule)? {
        Ok(entries) => entries.iter().all(|entry| entry.name == OWNER),
        Err(_) => true,
    };
    Ok(is_new.then_some(old))
}

/// Returns the short name of the project: the registered one if no other project owns it, otherwise one whose folder
/// belongs to this project, otherwise a new one.
fn short_name(cwd: &Path, registry: &Path, bases: &[PathBuf], search: &mut Search) -> Known<String> {
    let projects = registered(registry, search)?;
    let here = projects.iter().find(|(path, _)| Path::new(path) == cwd).map(|(_, short)| short);
    if let Some(short) = here.filter(|short| !short.is_empty()) {
        let mut owned = true;
        for base in bases {
            owned = owned && owner(&joined(base, short), cwd, search)? != Owner::Other;
        }
        if owned {
            return Ok(short.clone());
        }
    }
    for base in bases {
        let rule = "private memory: a folder that says it belongs to this project";
        let Ok(entries) = search.list(base, rule)? else { continue };
        search.expect(entries.iter().map(|entry| Ask::Content(base.join(&entry.name).join(OWNER))))?;
        for entry in entries.iter() {
            if owner(&base.join(&entry.name), cwd, search)? == Owner::Us {
                return Ok(entry.name.to_string_lossy().into_owned());
            }
        }
    }
    let taken: HashSet<&str> =
        projects.iter().filter(|(path, _)| Path::new(path) != cwd).map(|(_, short)| short.as_str()).collect();
    let slug = slug(&cwd.file_name().unwrap_or_default().to_string_lossy());
    // The loop ends, because each skipped number is taken by an entry or a folder.
    for counter in 0.. {
        let candidate = if counter == 0 { slug.clone() } else { format!("{slug}-{counter}") };
        if taken.contains(candidate.as_str()) {
            continue;
        }
        let mut free = true;
        for base in bases {
            free = free && owner(&base.join(&candidate), cwd, search)? != Owner::Other;
        }
        if free {
            return Ok(candidate);
        }
    }
    unreachable!("the counter has no end")
}

/// Returns the entries of `projects.json`; none if it is invalid.
fn registered(registry: &Path, search: &mut Search) -> Known<Vec<(String, String)>> {
    let Ok(raw) = search.read(registry, "private memory: the short names of projects")? else { return Ok(Vec::new()) };
    let node = formats::parse_json(&raw.text()).ok();
    let table = node.as_ref().and_then(|node| node.get("projects")).and_then(Node::as_table);
    let entries = table.unwrap_or_default().iter();
    // One short name of another form makes the client ignore all of them.
    let is_short = |short: &&str| {
        !short.is_empty() && short.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    let texts: Option<Vec<_>> =
        entries.map(|(path, short)| Some((path.clone(), short.as_text().filter(is_short)?.to_owned()))).collect();
    Ok(texts.unwrap_or_default())
}

#[derive(PartialEq, Eq)]
enum Owner {
    Us,
    Nobody,
    /// Another project, or not known.
    Other,
}

fn owner(folder: &Path, cwd: &Path, search: &mut Search) -> Known<Owner> {
    Ok(match search.read(&folder.join(OWNER), "private memory: whose folder it is")? {
        Ok(raw) if absolute(cwd, Path::new(js_trim(&raw.text()))) == cwd => Owner::Us,
        Err(Unreadable::Errno(Errno::NOENT)) => Owner::Nobody,
        Ok(_) | Err(_) => Owner::Other,
    })
}

/// Returns the base name in lower case, with single dashes for everything but ASCII letters and digits.
fn slug(basename: &str) -> String {
    let lower = basename.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if words.is_empty() { "project".to_owned() } else { words.join("-") }
}
