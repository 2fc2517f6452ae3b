//! Where a session starts: the Codex home, the start directory, and the directories above it.

use std::path::{Path, PathBuf};

use super::{Codex, ID, Walk, paths};
use crate::answer::Standpoint;
use crate::search::{Halt, Known, Search};
use crate::snapshot::{FileType, absolute};

/// Start directory of a session.
#[derive(Clone)]
pub(super) struct Start {
    /// The directory that the header shows, and from which the project's settings are found.
    pub cwd: PathBuf,
    /// The last directory that is searched for project files.
    pub documents: PathBuf,
    /// Another path for which the client loads the settings first; an error in them ends the session.
    pub settings_before: Option<PathBuf>,
}

impl Codex {
    /// Returns the working directory, or the directory given with `--cd`.
    pub(super) fn start(&self, at: &Standpoint, search: &mut Search) -> Known<Start> {
        let Some(dir) = at.option(ID, "cd") else {
            return Ok(Start { cwd: at.cwd.clone(), documents: at.cwd.clone(), settings_before: None });
        };
        let cwd = match dir {
            "" => return Err(Halt::refused(&at.cwd, "the value of --cd is empty; name a directory")),
            "~" => at.home.clone(),
            dir => absolute(
                dir.strip_prefix("~/").map_or(&at.cwd, |_| &at.home),
                Path::new(dir.strip_prefix("~/").unwrap_or(dir)),
            ),
        };
        match self.walk {
            Walk::AsWritten => Ok(Start { documents: cwd.clone(), cwd, settings_before: None }),
            Walk::Real => {
                let documents = search.real(&cwd)?.unwrap_or_else(|_| cwd.clone());
                Ok(Start { documents, cwd, settings_before: None })
            }
            Walk::RealAndThere => {
                // The system first resolves the option as written, including `~` and `..` after a link.
                let Some(physical) = resolved_by_system(&at.cwd, dir, search)? else {
                    let written = at.cwd.join(dir);
                    return Err(Halt::refused(written, "--cd: no such file or directory"));
                };
                let documents = search.real(&cwd)?.unwrap_or_else(|_| cwd.clone());
                Ok(Start { settings_before: (physical != cwd).then_some(physical), documents, cwd })
            }
        }
    }
}

/// Returns `$CODEX_HOME`, which must exist and is resolved to its real path, else `~/.codex`.
pub(super) fn codex_home(at: &Standpoint, search: &mut Search) -> Known<PathBuf> {
    let rule = "the Codex home must be a directory";
    let Some(named) = search.env("CODEX_HOME").filter(|dir| !dir.is_empty()) else {
        let path = at.home.join(".codex");
        return match search.stat(&path, rule)? {
            Ok(meta) if meta.kind != FileType::Dir => {
                Err(Halt::refused(&path, format!("{} is not a directory", path.display())))
            }
            Ok(_) | Err(_) => Ok(path),
        };
    };
    let path = at.cwd.join(&named);
    let refused =
        |what: &str| Err(Halt::refused(&path, format!("CODEX_HOME points to {named:?}, but that path {what}")));
    match search.stat(&path, rule)? {
        Ok(meta) if meta.kind == FileType::Dir => Ok(search.real(&path)?.unwrap_or(path)),
        Ok(_) => refused("is not a directory"),
        Err(_) => refused("does not exist; create it or unset CODEX_HOME"),
    }
}

/// Returns the real path of the directory given with `--cd`, if it exists.
fn resolved_by_system(cwd: &Path, dir: &str, search: &mut Search) -> Known<Option<PathBuf>> {
    let Ok(path) = paths::resolved(cwd, dir, search)? else { return Ok(None) };
    if paths::stat(&path, dir, "what --cd names must exist", search)?.is_err() {
        return Ok(None);
    }
    Ok(search.real(&path)?.ok())
}

/// Returns the directories from the project root down to `cwd`; only `cwd` if there is no root.
pub(super) fn directories(cwd: &Path, root: Option<&Path>) -> Vec<PathBuf> {
    let Some(root) = root else { return vec![cwd.to_owned()] };
    let mut dirs: Vec<_> = cwd.ancestors().take_while(|dir| dir.starts_with(root)).map(Path::to_owned).collect();
    dirs.reverse();
    dirs
}
