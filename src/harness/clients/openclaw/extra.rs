//! The bundled hook `bootstrap-extra-files`: additional files with known names, from anywhere in the workspace.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::Opening;
use super::guard::{self, Guarded};
use super::session::Loaded;
use crate::answer::{Fate, Scope, Source};
use crate::search::{Known, Search};
use crate::snapshot::{GlobFlavor, absolute};

/// Result of the hook: files that are read, and named files that are not, in its order.
pub struct Extra {
    /// Files that are added after those of the workspace.
    pub files: Vec<Loaded>,
    /// Files that the hook skips.
    pub skipped: Vec<Source>,
    /// Files to which each pattern leads.
    pub leads_to: Vec<(String, Vec<PathBuf>)>,
}

/// Rules by which an edition finds these files.
pub struct Behavior {
    /// Names of the files that are read.
    pub names: &'static [&'static str],
    /// Characters that make a path a pattern.
    pub wild: &'static [char],
    /// Files that may be opened.
    pub opening: Opening,
    /// Handling of a file that is already in the list.
    pub again: Again,
}

/// Handling of a file that is already in the list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// The file counts once.
    Once,
    /// The file is added again.
    Twice,
}

/// Finds the files of the patterns below `workspace`.
pub fn find(workspace: &Path, patterns: &[&str], rules: &Behavior, search: &mut Search) -> Known<Extra> {
    let (mut paths, mut known): (Vec<PathBuf>, HashSet<PathBuf>) = Default::default();
    let mut extra = Extra { files: Vec::new(), skipped: Vec::new(), leads_to: Vec::new() };
    let guarded = rules.opening == Opening::Guarded;
    for pattern in patterns {
        if guarded && !absolute(workspace, Path::new(&walk_root(pattern))).starts_with(workspace) {
            let path = absolute(workspace, Path::new(pattern));
            extra.skipped.push(skipped(path, Fate::Excluded, "the pattern points outside the workspace"));
            continue;
        }
        if pattern.contains(rules.wild) {
            let found = search.glob(workspace, pattern, GlobFlavor::Node, "hook bootstrap-extra-files")?;
            let leads_to = found.files.iter().map(|path| absolute(workspace, path)).collect();
            extra.leads_to.push(((*pattern).to_owned(), leads_to));
            paths.extend(found.files.iter().filter(|path| known.insert((*path).clone())).cloned());
            continue;
        }
        extra.leads_to.push(((*pattern).to_owned(), vec![absolute(workspace, Path::new(pattern))]));
        if known.insert(PathBuf::from(pattern)) {
            paths.push(PathBuf::from(pattern));
        }
    }
    let names = rules.names;
    guard::expect(paths.iter().map(|path| absolute(workspace, path)), search)?;
    for path in paths {
        let file = absolute(workspace, &path);
        let Some(name) = names.iter().find(|name| path.file_name().is_some_and(|file| file == **name)) else {
            if search.lstat(&file, "named for the hook bootstrap-extra-files")?.is_ok() {
                let reason = format!("the hook reads only {}", names.join(", "));
                extra.skipped.push(skipped(file, Fate::Excluded, reason));
            }
            continue;
        };
        if !file.starts_with(workspace) {
            extra.skipped.push(skipped(file, Fate::Excluded, "outside the workspace"));
            continue;
        }
        let found = match rules.opening {
            Opening::Guarded => guard::open(workspace, &file, "hook bootstrap-extra-files", search)?,
            Opening::Any => guard::open_inside(workspace, &file, "hook bootstrap-extra-files", search)?,
        };
        match found {
            Guarded::Read(raw) => extra.files.push(Loaded::read(name, file, raw, Scope::Config)),
            Guarded::Missing => {
                extra.skipped.push(skipped(file, Fate::Missing, "named for the hook, and does not exist"))
            }
            Guarded::Refused(message) => extra.skipped.push(skipped(file, Fate::Unreadable, message)),
        }
    }
    Ok(extra)
}

fn skipped(path: PathBuf, fate: Fate, reason: impl Into<String>) -> Source {
    Source::new(path, Scope::Config, fate, reason)
}

/// Returns the directory part of a pattern before its first wildcard.
fn walk_root(pattern: &str) -> String {
    let plain = pattern.replace('\\', "/");
    let plain = match plain.strip_prefix("./") {
        Some(rest) => rest.trim_start_matches('/').to_owned(),
        None => plain,
    };
    match plain.find(['?', '*', '{', '}']) {
        None => plain,
        Some(wild) => plain[..wild].rfind('/').map_or_else(|| ".".into(), |slash| plain[..slash].to_owned()),
    }
}
