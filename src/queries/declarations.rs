//! Finds the `briefing.toml` in which a workspace declares agents.

use std::path::{Path, PathBuf};

use crate::harness::custom::{Customs, FILE_NAME};
use crate::query::{Query, physical};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, Content};

/// The question which declarations apply to an agent that starts in a directory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Declarations {
    cwd: PathBuf,
}

/// A file with declarations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    path: PathBuf,
    content: Content,
}

impl Declared {
    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The question which declarations exist in a directory and above it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Above {
    dir: PathBuf,
    top: PathBuf,
}

impl Above {
    /// Asks for declarations in `dir` and above it, up to and including `top`.
    pub fn from(dir: &Path, top: &Path) -> Above {
        Above { dir: dir.to_owned(), top: top.to_owned() }
    }
}

impl Query for Above {
    /// Paths of the declarations, the nearest first.
    type Out = Vec<PathBuf>;

    fn run(&self, search: &mut Search) -> Known<Vec<PathBuf>> {
        let dirs = || self.dir.ancestors().take_while(|dir| dir.starts_with(&self.top));
        search.expect(dirs().map(|dir| Ask::Kind(dir.join(FILE_NAME))))?;
        let mut found = Vec::new();
        for dir in dirs() {
            let path = dir.join(FILE_NAME);
            if search.is_file(&path, "expectations that the workspace declares")? {
                found.push(path);
            }
        }
        Ok(found)
    }
}

impl Declarations {
    /// Asks for an agent that starts in `cwd`.
    pub fn of(cwd: &Path) -> Declarations {
        Declarations { cwd: cwd.to_owned() }
    }
}

impl Customs {
    /// Returns the agents that the result of [`Declarations`] and the settings declare.
    pub fn of(declared: Option<&Declared>, settings: &toml::Table) -> Customs {
        let text = declared.map(|declared| declared.content.text());
        Customs::gather(declared.map(|declared| &*declared.path).zip(text.as_deref()), settings)
    }
}

impl Query for Declarations {
    type Out = Option<Declared>;

    /// Finds the nearest file, up to the root of the repository; without a repository, only the one in the working
    /// directory.
    fn run(&self, search: &mut Search) -> Known<Option<Declared>> {
        let Some(cwd) = physical(&self.cwd, search)? else { return Ok(None) };
        let ask = |dir: &Path| [Ask::Kind(dir.join(FILE_NAME)), Ask::Kind(dir.join(".git"))];
        search.expect(cwd.ancestors().flat_map(ask))?;
        let mut nearest = None;
        let mut in_repository = false;
        for dir in cwd.ancestors() {
            let path = dir.join(FILE_NAME);
            if nearest.is_none() && search.is_file(&path, "agents that the workspace declares")? {
                nearest = Some(path);
            }
            if search.stat(&dir.join(".git"), "the root of the repository ends the search")?.is_ok() {
                in_repository = true;
                break;
            }
        }
        let counts = nearest.filter(|path| in_repository || path.parent() == Some(&cwd));
        let Some(path) = counts else { return Ok(None) };
        let content = search.read(&path, "agents that the workspace declares")?.ok();
        Ok(content.map(|content| Declared { path, content }))
    }
}
