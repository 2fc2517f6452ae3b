//! Finds skill files like the library that the early clients use: it enters every folder and every link, except those
//! that ignore files exclude and those whose SKILL.md is larger than a limit.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::skills::Limits;
use crate::answer::{Fate, Purpose, Scope, Source, Trigger};
use crate::glob::NpmIgnore;
use crate::harness::kit::skills::FILE;
use crate::search::{Known, Search};
use crate::snapshot::{Ask, Entry, FileType};
use crate::text::{grouped, lossy};

const RULE: &str = "skills: folders with a SKILL.md";
/// Maximum number of folders that Briefing enters. The client has no limit, and does not end on circular links.
const FOLDER_LIMIT: usize = 1_000;
const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", ".fdignore"];

/// Returns every `.md` file of `root` itself and every SKILL.md below it, sorted by path.
pub(super) fn all(root: &Path, search: &mut Search) -> Known<Vec<PathBuf>> {
    let mut contents: HashMap<PathBuf, Vec<(PathBuf, FileType)>> = HashMap::new();
    let mut level = vec![Folder { path: root.to_owned(), patterns: Arc::default() }];
    while !level.is_empty() {
        search.expect(level.iter().map(|folder| Ask::Listing(folder.path.clone())))?;
        let mut next = Vec::new();
        for folder in level {
            if contents.len() == FOLDER_LIMIT {
                search.give_up(&folder.path, "too many folders of skills: this one is not looked into");
                break;
            }
            let Ok(entries) = search.list(&folder.path, RULE)? else { continue };
            let patterns = folder.patterns(root, &entries, search)?;
            let rules = NpmIgnore::new(patterns.iter().map(String::as_str));
            let mut kept = Vec::new();
            for (path, kind) in children(&folder.path, &entries, search)? {
                let inside = path.strip_prefix(root).unwrap_or(&path);
                if is_ignored(&rules, inside, kind) {
                    search.never(&path, "an ignore file keeps it from being a skill");
                } else {
                    kept.push((path, kind));
                }
            }
            let folders = kept.iter().filter(|(_, kind)| *kind == FileType::Dir);
            next.extend(folders.map(|(path, _)| Folder { path: path.clone(), patterns: patterns.clone() }));
            contents.insert(folder.path, kept);
        }
        level = next;
    }
    let mut files = Vec::new();
    let mut stack = vec![(root.to_owned(), FileType::Dir)];
    while let Some((path, kind)) = stack.pop() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match kind {
            FileType::Dir => stack.extend(contents.remove(&path).unwrap_or_default().into_iter().rev()),
            FileType::File if name == FILE && path.parent() != Some(root) => files.push(path),
            FileType::File if name.ends_with(".md") && path.parent() == Some(root) => files.push(path),
            FileType::File | FileType::Link | FileType::Fifo | FileType::Device | FileType::Other => {}
        }
    }
    Ok(files)
}

/// Result of a search folder by folder.
pub(super) enum Found {
    /// Files of one folder.
    Whole(Vec<PathBuf>),
    /// Files of each subfolder.
    ByFolder(Vec<Vec<PathBuf>>),
}

/// Finds the skill files of each folder of `dir` that has a SKILL.md of its own, or of `dir` itself if it has one. If
/// `dir` has a folder `skills` with skills, that folder is searched instead.
pub(super) fn folder_by_folder(
    dir: &Path,
    scope: Scope,
    limits: &Limits,
    search: &mut Search,
    refused: &mut Vec<Source>,
) -> Known<Found> {
    let nested = dir.join("skills");
    search.expect([Ask::Listing(nested.clone()), Ask::Listing(dir.to_owned()), Ask::Kind(dir.join(FILE))])?;
    let mut dir = dir.to_owned();
    let inner = folders(&nested, search)?;
    let inner = &inner[..inner.len().min(limits.candidates)];
    search.expect(inner.iter().map(|name| Ask::Kind(nested.join(name).join(FILE))))?;
    for name in inner {
        if search.glance(&nested.join(name).join(FILE))?.is_ok() {
            dir = nested;
            break;
        }
    }
    if let Ok(meta) = search.stat(&dir.join(FILE), "whether the folder itself is a skill")? {
        if meta.len > limits.file_bytes as u64 {
            refused.push(too_large(dir.join(FILE), scope, limits));
            return Ok(Found::Whole(Vec::new()));
        }
        return Ok(Found::Whole(all(&dir, search)?));
    }
    let mut names = folders(&dir, search)?;
    names.sort_by(|one, other| one.encode_utf16().cmp(other.encode_utf16()));
    for name in names.iter().skip(limits.loaded) {
        search.never(&dir.join(name), "skills.limits.maxSkillsLoadedPerSource: too many folders of skills");
    }
    names.truncate(limits.loaded);
    search.expect(names.iter().map(|name| Ask::Kind(dir.join(name).join(FILE))))?;
    let mut found = Vec::new();
    for name in names {
        let folder = dir.join(name);
        match search.stat(&folder.join(FILE), RULE)? {
            Ok(meta) if meta.len > limits.file_bytes as u64 => {
                refused.push(too_large(folder.join(FILE), scope, limits));
            }
            Ok(_) => found.push(folder),
            Err(_) => {}
        }
    }
    search.expect(found.iter().cloned().map(Ask::Listing))?;
    Ok(Found::ByFolder(found.iter().map(|folder| all(folder, search)).collect::<Known<_>>()?))
}

fn too_large(path: PathBuf, scope: Scope, limits: &Limits) -> Source {
    let limit = grouped(limits.file_bytes);
    let reason = format!("not a skill: it has more than {limit} bytes (skills.limits.maxSkillFileBytes)");
    Source { purpose: Purpose::Skill, trigger: Trigger::Call, ..Source::new(path, scope, Fate::Dropped, reason) }
}

/// Returns the names of the folders in `dir`, links followed, in the order in which the client visits them.
fn folders(dir: &Path, search: &mut Search) -> Known<Vec<String>> {
    let Ok(entries) = search.list(dir, RULE)? else { return Ok(Vec::new()) };
    let found = children(dir, &entries, search)?.into_iter().filter(|(_, kind)| *kind == FileType::Dir);
    Ok(found.filter_map(|(path, _)| Some(path.file_name()?.to_str()?.to_owned())).collect())
}

/// Returns the entries of a folder, links followed, sorted by the bytes of their names as in Node.
fn children(dir: &Path, entries: &[Entry], search: &mut Search) -> Known<Vec<(PathBuf, FileType)>> {
    let mut entries: Vec<&Entry> = entries.iter().collect();
    entries.retain(|entry| entry.name.to_str().is_some_and(|name| !name.starts_with('.') && name != "node_modules"));
    entries.sort_by(|one, other| one.name.cmp(&other.name));
    let links = entries.iter().filter(|entry| entry.kind == FileType::Link);
    search.expect(links.map(|entry| Ask::Kind(dir.join(&entry.name))))?;
    let mut children = Vec::new();
    for entry in entries {
        let path = dir.join(&entry.name);
        let kind = match entry.kind {
            FileType::Link => search.glance(&path)?.map(|meta| meta.kind),
            kind => Ok(kind),
        };
        children.extend(kind.ok().map(|kind| (path, kind)));
    }
    Ok(children)
}

/// A folder to be searched, with the patterns of the ignore files above it.
struct Folder {
    path: PathBuf,
    patterns: Arc<Vec<String>>,
}

impl Folder {
    /// Returns the patterns including those of the folder's own ignore files.
    fn patterns(&self, root: &Path, entries: &[Entry], search: &mut Search) -> Known<Arc<Vec<String>>> {
        let files = IGNORE_FILES.into_iter().filter(|name| entries.iter().any(|entry| entry.name == *name));
        let files: Vec<PathBuf> = files.map(|name| self.path.join(name)).collect();
        search.expect(files.iter().cloned().map(Ask::Content))?;
        let mut own = Vec::new();
        for file in files {
            let Ok(raw) = search.read(&file, "what is no skill")? else { continue };
            let inside = self.path.strip_prefix(root).unwrap_or(Path::new(""));
            own.extend(lossy(&raw).lines().filter_map(|line| placed(line, &inside.to_string_lossy())));
        }
        if own.is_empty() {
            return Ok(self.patterns.clone());
        }
        Ok(Arc::new(self.patterns.iter().cloned().chain(own).collect()))
    }
}

/// Converts a line of an ignore file in the folder `inside` as the client does: a pattern without a slash applies to
/// that folder only.
fn placed(line: &str, inside: &str) -> Option<String> {
    if line.trim().is_empty() || line.trim().starts_with('#') {
        return None;
    }
    let (not, pattern) = match line.strip_prefix('!') {
        Some(pattern) => ("!", pattern),
        None => ("", line.strip_prefix("\\!").map_or(line, |_| &line[1..])),
    };
    let pattern = pattern.strip_prefix('/').unwrap_or(pattern);
    let above = if inside.is_empty() { String::new() } else { format!("{inside}/") };
    Some(format!("{not}{above}{pattern}"))
}

fn is_ignored(rules: &NpmIgnore, inside: &Path, kind: FileType) -> bool {
    let slash = if kind == FileType::Dir { "/" } else { "" };
    rules.ignores(&format!("{}{slash}", inside.display())) == Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_ignore_files_are_placed_below_their_folder() {
        for (line, inside, pattern) in [
            ("*.md", "", Some("*.md")),
            ("/old", "", Some("old")),
            ("old", "a/b", Some("a/b/old")),
            ("!/old", "a", Some("!a/old")),
            ("\\!old", "", Some("!old")),
            ("# old", "a", None),
            ("  ", "a", None),
        ] {
            assert_eq!(placed(line, inside).as_deref(), pattern, "{line:?} in {inside:?}");
        }
    }
}
