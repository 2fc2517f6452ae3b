//! Finds instruction files, settings and declarations below a directory, and files whose reading triggers a rule.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::Core;
use super::workspace::is_instruction_file;
use crate::answer::{Fate, Resolution};
use crate::disk::Filesystem;
use crate::disk::scan::{self, Progress, Threads};
use crate::harness::custom::FILE_NAME;
use crate::harness::names::{INSTRUCTION_FILES, SETTINGS_FILES};
use crate::queries::patterns::{self, Matches};
use crate::report::findings::names::is_distinctive;
use crate::report::findings::patterns as patterns_of;
use crate::request::beside;

/// Files below a directory that matter to agents.
pub(crate) struct Below {
    /// Possible instruction files, files that the answers depend on, and directories named like an instruction file.
    pub instructions: BTreeSet<PathBuf>,
    /// Settings files of agents.
    pub settings: BTreeSet<PathBuf>,
    /// Files that declare agents and expectations, in order.
    pub declarations: Vec<PathBuf>,
}

/// Searches a directory for instruction files, settings and declarations.
pub(crate) fn below(core: &Core, root: &Path, session: &[Arc<Resolution>], revision: Option<&str>) -> Below {
    let customs = core.session().custom_names.clone();
    let of_agents = |name: &OsStr| INSTRUCTION_FILES.may_match(name) || SETTINGS_FILES.may_match(name);
    let wanted = |name: &OsStr| of_agents(name) || customs.contains(name) || name == FILE_NAME;
    let not_files: Arc<Mutex<Vec<PathBuf>>> = Arc::default();
    let entered = {
        let not_files = not_files.clone();
        move |dir: &Path| {
            if dir.extension().is_some_and(|extension| extension == "md") && is_distinctive(dir) {
                not_files.lock().unwrap_or_else(PoisonError::into_inner).push(dir.to_owned());
            }
        }
    };
    let found = match revision {
        None => scan::scan(root, Threads::PerCore, &wanted, entered, &Progress::default()),
        Some(_) => scan::scan_in(&core.files, root, &wanted),
    };
    let sources = session.iter().flat_map(|answer| &answer.answer.sources);
    let named = sources.filter(|source| source.fate != Fate::Missing).filter_map(|source| source.path());
    // Files that cannot be inspected, or whose names are too long, count as missing.
    let is_there = |path: &&Path| path.starts_with(root) && core.files.lstat(path).is_ok();
    let named = named.filter(is_there).map(Path::to_owned);
    let mut declarations: Vec<PathBuf> = found.iter().filter(|file| file.ends_with(FILE_NAME)).cloned().collect();
    declarations.sort_unstable();
    let settings = found.iter().filter(|file| SETTINGS_FILES.matches(file)).cloned().collect();
    let not_files = std::mem::take(&mut *not_files.lock().unwrap_or_else(PoisonError::into_inner));
    let instructions =
        found.into_iter().chain(not_files).filter(|file| is_instruction_file(file, &customs)).chain(named).collect();
    Below { instructions, settings, declarations }
}

/// Folders that hold data of tests.
const OF_TESTS: [&str; 7] =
    ["__fixtures__", "__snapshots__", "fixture", "fixtures", "test-data", "test_data", "testdata"];

/// Tells which files below a root are samples: data of tests, and what a skill brings with it. No agent that works on the
/// project is meant to follow them.
pub(crate) struct Samples<'a> {
    core: &'a Core,
    root: &'a Path,
    /// Directories that hold a skill.
    skills: HashMap<PathBuf, bool>,
}

impl Samples<'_> {
    /// Prepares to tell the samples below `root`. A root that lies in a folder of test data is a project like any other.
    pub fn below<'a>(core: &'a Core, root: &'a Path) -> Samples<'a> {
        Samples { core, root, skills: HashMap::new() }
    }

    /// Returns true if `file` is a sample.
    pub fn hold(&mut self, file: &Path) -> bool {
        let Ok(inside) = file.strip_prefix(self.root) else { return false };
        let of_tests = |name: &OsStr| OF_TESTS.iter().any(|known| name == *known);
        if inside.parent().into_iter().flatten().any(of_tests) {
            return true;
        }
        let root = self.root;
        let dirs = file.ancestors().skip(1).take_while(|dir| *dir != root);
        // A skill's own file is no sample, unless another skill brings it.
        dirs.skip(usize::from(file.ends_with(SKILL))).any(|dir| self.is_skill(dir))
    }

    fn is_skill(&mut self, dir: &Path) -> bool {
        if let Some(known) = self.skills.get(dir) {
            return *known;
        }
        let is_one = self.core.files.lstat(&dir.join(SKILL)).is_ok();
        self.skills.insert(dir.to_owned(), is_one);
        is_one
    }
}

/// Name of a skill's file.
const SKILL: &str = "SKILL.md";

/// Returns one file for each pattern of a rule: a file that triggers the rule when an agent reads it or gets it
/// attached.
pub(crate) async fn matched_by(core: &Arc<Core>, rule: &Path) -> BTreeSet<PathBuf> {
    let Ok(raw) = core.files.read(rule) else { return BTreeSet::new() };
    let mut found = BTreeSet::new();
    for pattern in patterns_of(&raw).iter().take(patterns::MOST) {
        let files = core.query(Matches::below(&beside(rule), pattern)).await;
        found.extend(files.value.first().cloned());
    }
    found
}
