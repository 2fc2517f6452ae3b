//! Directories of the workspace, and the upper end of the walk from each of them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::ID;
use super::paths::{resolved, within};
use super::settings::{Settings, user_path};
use crate::answer::Standpoint;
use crate::formats::Node;
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Ask, absolute};
use crate::text::js_trim;

/// Returns the working directory, the directories that settings and command line include, and the folder of plans.
pub(super) fn all(
    at: &Standpoint,
    home: &Path,
    settings: &Settings,
    plans: Option<&str>,
    search: &mut Search,
) -> Known<Vec<PathBuf>> {
    let mut wanted: Vec<PathBuf> = vec![at.cwd.clone()];
    let configured = settings.texts(&["context", "includeDirectories"]).into_iter();
    let options = at.option_list(ID, "include-directories").into_iter().flat_map(|list| list.split(',')).map(str::trim);
    wanted.extend(configured.chain(options).map(|path| user_path(path, at, home)));
    if let Some(folders) = settings.variables.get("GEMINI_CLI_IDE_WORKSPACE_PATH", search) {
        let folders = folders.split(':').filter(|folder| !js_trim(folder).is_empty());
        wanted.extend(folders.map(|folder| absolute(&at.cwd, Path::new(folder))));
    }
    let own = home.join(".gemini");
    let (mut found, mut known): (Vec<PathBuf>, HashSet<PathBuf>) = Default::default();
    for path in wanted {
        // By then the client has created its own folder and those above it.
        let is_made = own.starts_with(&path) && search.stat(&path, "made at the start")?.is_err();
        if !is_made && !search.is_dir(&path, "a directory of the workspace")? {
            if !settings.trusted {
                continue;
            }
            let what = "is not a directory, and Gemini CLI stops at it; correct context.includeDirectories";
            return Err(Halt::refused(&at.cwd, format!("{} {what}", path.display())));
        }
        let real = resolved(&path, search)?.unwrap_or(path);
        if known.insert(real.clone()) {
            found.push(real);
        }
    }
    if let Some(plans) = folder_of_plans(at, settings, plans, search)?
        && !known.contains(&plans)
    {
        found.push(plans);
    }
    Ok(found)
}

/// Returns the folder of plans, if it exists inside the working directory.
fn folder_of_plans(
    at: &Standpoint,
    settings: &Settings,
    of_extension: Option<&str>,
    search: &mut Search,
) -> Known<Option<PathBuf>> {
    if !settings.flag(&["general", "plan", "enabled"], true) {
        return Ok(None);
    }
    let configured = settings.value(&["general", "plan", "directory"]).and_then(Node::as_text);
    let Some(dir) = configured.filter(|dir| !dir.is_empty()).or(of_extension) else { return Ok(None) };
    let dir = absolute(&at.cwd, Path::new(dir));
    let (inside, real) = (resolved(&at.cwd, search)?, resolved(&dir, search)?);
    let (Some(inside), Some(real)) = (inside, real) else { return Ok(None) };
    let is_workspace = within(&inside, &real) && search.is_dir(&dir, "the folder of plans is part of the workspace")?;
    Ok(is_workspace.then_some(real))
}

/// Returns the nearest directory that contains one of the markers. Absolute markers and those with `..` are ignored.
pub(super) fn boundary(
    dir: &Path,
    markers: &[String],
    rule: &'static str,
    search: &mut Search,
) -> Known<Option<PathBuf>> {
    let counts = |marker: &&String| !marker.starts_with('/') && !marker.contains("..");
    let markers: Vec<&String> = markers.iter().filter(counts).collect();
    let path = |dir: &Path, marker: &String| absolute(dir, Path::new(marker));
    search.expect(dir.ancestors().flat_map(|dir| markers.iter().map(move |marker| Ask::Kind(path(dir, marker)))))?;
    for dir in dir.ancestors() {
        for marker in &markers {
            if search.stat(&path(dir, marker), rule)?.is_ok() {
                return Ok(Some(dir.to_owned()));
            }
        }
    }
    Ok(None)
}
