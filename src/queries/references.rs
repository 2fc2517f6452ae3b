//! Finds files and scripts that the prose of a file mentions but that do not exist.
//!
//! In doubt a reference is valid: a path that exists anywhere below the project's top or that git ignores, and a script
//! that any manifest defines, are not reported.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use ignore::gitignore::Gitignore;

use crate::glob::gitignore;
use crate::harness::names::beside;
use crate::queries::manifests::{self, Manifest};
use crate::query::{Query, physical};
use crate::search::{Known, Search};
use crate::snapshot::{Errno, FileType, GlobFlavor, absolute};

/// Maximum number of references to check per file.
const MOST: usize = 256;

/// A mention of a file or script.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reference {
    /// A path in code, relative to the directory of the file or to any other.
    Path(String),
    /// Target of a link: a path relative to the directory of the file.
    Link(String),
    /// Script invocation such as `npm run NAME`.
    Script(Runner, String),
}

/// A program that runs scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Runner {
    /// `npm run`: a script of a `package.json`.
    Npm,
    /// `pnpm run`: a script of a `package.json`.
    Pnpm,
    /// `yarn run`: a script, or a program of a package.
    Yarn,
    /// `bun run`: a script, a file, or a program of a package.
    Bun,
    /// A target of a Makefile.
    Make,
    /// A recipe of a justfile.
    Just,
}

impl Runner {
    /// Returns the command in front of the script's name.
    pub fn words(self) -> &'static str {
        match self {
            Runner::Npm => "npm run",
            Runner::Pnpm => "pnpm run",
            Runner::Yarn => "yarn run",
            Runner::Bun => "bun run",
            Runner::Make => "make",
            Runner::Just => "just",
        }
    }

    /// Returns the kind of file that defines its scripts.
    pub fn manifest(self) -> Manifest {
        match self {
            Runner::Npm | Runner::Pnpm | Runner::Yarn | Runner::Bun => Manifest::Package,
            Runner::Make => Manifest::Makefile,
            Runner::Just => Manifest::Justfile,
        }
    }

    /// Returns the word for its scripts.
    pub fn noun(self) -> &'static str {
        match self {
            Runner::Npm | Runner::Pnpm | Runner::Yarn | Runner::Bun => "script",
            Runner::Make => "target",
            Runner::Just => "recipe",
        }
    }

    /// Returns true if it also runs programs of packages, whose names cannot be known unless the packages are
    /// installed.
    fn runs_programs(self) -> bool {
        matches!(self, Runner::Yarn | Runner::Bun)
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reference::Path(path) | Reference::Link(path) => f.write_str(path),
            Reference::Script(runner, name) => write!(f, "{} {name}", runner.words()),
        }
    }
}

/// A reference whose target does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent {
    /// Text of the reference, as [`Reference`] formats it.
    pub said: String,
    /// First manifest in which a script was looked for.
    pub manifest: Option<PathBuf>,
}

/// The question which references of a file have no target.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AbsentReferences {
    base: PathBuf,
    dirs: Vec<PathBuf>,
    references: Vec<Reference>,
}

impl AbsentReferences {
    /// Asks about the references of `file`; `leads_to` is its target if it is a link.
    pub fn of(file: &Path, leads_to: Option<&Path>, references: BTreeSet<Reference>) -> AbsentReferences {
        let base = beside(file);
        let parents = [Some(file), leads_to].into_iter().flatten().filter_map(Path::parent);
        let mut dirs: Vec<PathBuf> = parents.chain([&*base]).map(Path::to_owned).collect();
        dirs.dedup();
        AbsentReferences { base, dirs, references: references.into_iter().take(MOST).collect() }
    }
}

impl Query for AbsentReferences {
    type Out = Vec<Absent>;

    fn run(&self, search: &mut Search) -> Known<Vec<Absent>> {
        let Some(base) = physical(&self.base, search)? else { return Ok(Vec::new()) };
        let place = Place::of(&base, &self.dirs, search)?;
        let mut absent = Vec::new();
        for reference in &self.references {
            let found = match reference {
                Reference::Path(path) => place.lacks(path, search)?.then_some(None),
                Reference::Link(path) => place.lacks_beside(path, search)?.then_some(None),
                Reference::Script(runner, name) => place.lacks_script(*runner, name, search)?.map(Some),
            };
            absent.extend(found.map(|manifest| Absent { said: reference.to_string(), manifest }));
        }
        // If the search ended early, the remaining targets may exist.
        let is_complete = search.gave_up_at().is_none() && search.cut_short().is_none();
        Ok(if is_complete { absent } else { Vec::new() })
    }
}

/// Returns true if git ignores the file of a path that is relative to a directory.
pub(super) fn is_ignored(base: &Path, path: &str, search: &mut Search) -> Known<bool> {
    let own = [base.to_owned()];
    Place::of(base, &own, search)?.is_ignored(path, &own, search)
}

/// The directories to which a path may be relative, and the top of the project.
struct Place {
    /// Directories of the file.
    own: Vec<PathBuf>,
    /// Directories of the file and those above it.
    all: Vec<PathBuf>,
    top: PathBuf,
    /// Parsed `.gitignore` files by path.
    ignored: RefCell<HashMap<PathBuf, Rc<Gitignore>>>,
}

impl Place {
    fn of(base: &Path, own: &[PathBuf], search: &mut Search) -> Known<Place> {
        let mut top = base;
        for dir in base.ancestors() {
            if search.glance(&dir.join(".git"))?.is_ok() {
                top = dir;
                break;
            }
        }
        let mut all = own.to_vec();
        let mut known: HashSet<PathBuf> = own.iter().cloned().collect();
        let above = base.ancestors().take_while(|dir| dir.starts_with(top));
        for dir in above {
            if known.insert(dir.to_owned()) {
                all.push(dir.to_owned());
            }
        }
        Ok(Place { own: own.to_vec(), all, top: top.to_owned(), ignored: RefCell::default() })
    }

    /// Returns true if a path has no target relative to the directories of the file.
    fn lacks_beside(&self, path: &str, search: &mut Search) -> Known<bool> {
        for dir in &self.own {
            let place = absolute(dir, Path::new(path));
            if !place.starts_with(&self.top) || is_there(&place, search)? || is_hollow(dir, path, search)? {
                return Ok(false);
            }
        }
        Ok(!self.is_ignored(path, &self.own, search)?)
    }

    /// Returns true if a path, which may be relative to any directory, has no target: its first component is an
    /// existing directory, but no file matches the path anywhere.
    fn lacks(&self, path: &str, search: &mut Search) -> Known<bool> {
        let mut begins = false;
        for dir in &self.all {
            if is_there(&absolute(dir, Path::new(path)), search)? {
                return Ok(false);
            }
            let first = dir.join(first(path));
            if search.glance(&first)?.is_ok_and(|meta| meta.kind == FileType::Dir) {
                if is_hollow(dir, path, search)? {
                    return Ok(false);
                }
                begins = true;
            }
        }
        if !begins {
            return Ok(false);
        }
        let rule = "is there anything of this name anywhere?";
        let is_anywhere = !search.glob(&self.top, path, GlobFlavor::Any, rule)?.files.is_empty();
        Ok(!is_anywhere && !self.is_ignored(path, &self.all, search)?)
    }

    /// Returns true if git ignores the file relative to one of the directories, so that it is generated on each
    /// machine.
    fn is_ignored(&self, path: &str, dirs: &[PathBuf], search: &mut Search) -> Known<bool> {
        for file in dirs.iter().map(|dir| absolute(dir, Path::new(path))) {
            for dir in file.ancestors().skip(1).take_while(|dir| dir.starts_with(&self.top)) {
                let rules = dir.join(".gitignore");
                if !is_there(&rules, search)? {
                    continue;
                }
                let Ok(text) = search.read(&rules, "is the file one that git leaves out?")? else { continue };
                let mut known = self.ignored.borrow_mut();
                let rules = known.entry(rules).or_insert_with(|| Rc::new(gitignore(dir, text.text().lines())));
                if rules.matched_path_or_any_parents(&file, false).is_ignore() {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Returns the manifest that should define a script, if no manifest of the project does.
    fn lacks_script(&self, runner: Runner, name: &str, search: &mut Search) -> Known<Option<PathBuf>> {
        let mut nearest = None;
        for dir in &self.all {
            for file in runner.manifest().names().iter().map(|file| dir.join(file)) {
                if !is_there(&file, search)? {
                    continue;
                }
                match manifests::scripts(&file, runner.manifest(), search)? {
                    Some(scripts) if !scripts.iter().any(|script| script == name) => {
                        // Names of programs never contain a colon.
                        let may_be_program = runner.runs_programs() && !name.contains(':');
                        if !may_be_program {
                            nearest.get_or_insert(file);
                        }
                    }
                    Some(_) | None => return Ok(None),
                }
            }
        }
        let Some(nearest) = nearest else { return Ok(None) };
        let Some(others) = manifests::below(&self.top, runner.manifest(), search)? else { return Ok(None) };
        for file in others {
            match manifests::scripts(&file, runner.manifest(), search)? {
                Some(scripts) if !scripts.iter().any(|script| script == name) => {}
                Some(_) | None => return Ok(None),
            }
        }
        Ok(Some(nearest))
    }
}

/// Returns the first component of a path.
fn first(path: &str) -> &str {
    path.split('/').find(|part| !matches!(*part, "" | ".")).unwrap_or_default()
}

/// Returns true if the first component of a path is an empty directory: a part of the project that is not checked out.
fn is_hollow(dir: &Path, path: &str, search: &mut Search) -> Known<bool> {
    let listed = search.list(&dir.join(first(path)), "is anything there at all?")?;
    Ok(listed.is_ok_and(|entries| entries.is_empty()))
}

/// Returns true if `path` exists, or may exist because it cannot be examined.
fn is_there(path: &Path, search: &mut Search) -> Known<bool> {
    Ok(!matches!(search.glance(path)?, Err(Errno::NOENT | Errno::NOTDIR)))
}
