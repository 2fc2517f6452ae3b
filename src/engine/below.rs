//! Finds instruction files, settings and declarations below a directory, and files whose reading triggers a rule.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use super::workspace::is_instruction_file;
use super::{Core, effort};
use crate::answer::{Fate, Resolution};
use crate::disk::Filesystem;
use crate::disk::scan::{self, Progress, Threads};
use crate::harness::custom::FILE_NAME;
use crate::harness::names::{INSTRUCTION_FILES, SETTINGS_FILES};
use crate::queries::patterns::{self, Matches};
use crate::queries::roster::{ReasonFor, evidence_in};
use crate::report::findings::names::{is_distinctive, is_meant_as_skill};
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

/// Names below a directory that may matter to agents.
pub(crate) struct Listing {
    root: PathBuf,
    files: Vec<PathBuf>,
    /// Directories named like an instruction file.
    not_files: Vec<PathBuf>,
    /// Evidence for agents, the nearest to the root first.
    evidence: Vec<ReasonFor>,
}

impl Core {
    /// Lists what lies below a directory; once for a one-time command.
    fn listing(&self, root: &Path) -> Arc<Listing> {
        let mut known = self.listing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listing) = known.as_ref().filter(|listing| listing.root == root) {
            return listing.clone();
        }
        let listing = Arc::new(list(self, root));
        *known = Some(listing.clone());
        listing
    }

    /// Returns the evidence for agents in the files below the directory `cwd`. Only a one-time command looks for it.
    pub(crate) fn evidence_below(&self, cwd: &Path) -> Vec<ReasonFor> {
        let folder = self.session().folders.first().filter(|folder| cwd.starts_with(folder)).cloned();
        let Some(folder) = folder.filter(|_| self.at_rest.is_some()) else { return Vec::new() };
        let listing = self.listing(&folder);
        let is_below = |(_, reason): &&ReasonFor| reason.path.as_ref().is_some_and(|path| path.starts_with(cwd));
        listing.evidence.iter().filter(is_below).cloned().collect()
    }
}

fn list(core: &Core, root: &Path) -> Listing {
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
    let files = match core.is_on_disk {
        true => scan::scan(root, Threads::PerCore, &wanted, entered, &Progress::default()),
        false => scan::scan_in(&core.files, root, &wanted),
    };
    let not_files = std::mem::take(&mut *not_files.lock().unwrap_or_else(PoisonError::into_inner));
    let mut samples = Samples::below(core, root);
    let mut speaking: Vec<&PathBuf> = files.iter().filter(|file| is_instruction_file(file, &customs)).collect();
    speaking.sort_by_key(|file| (file.components().count(), *file));
    speaking.retain(|file| !samples.hold(file) && vendored(file.strip_prefix(root).unwrap_or(file)).is_none());
    let evidence = speaking.into_iter().flat_map(|file| evidence_in(file, root)).collect();
    Listing { root: root.to_owned(), files, not_files, evidence }
}

/// Returns the directory of third-party code that a path relative to the project leads through.
pub(crate) fn vendored(inside: &Path) -> Option<&OsStr> {
    inside.iter().find(|part| VENDORED.iter().any(|name| *part == *name))
}

/// Names of directories in which projects keep third-party code.
const VENDORED: [&str; 8] =
    ["vendor", "vendored", "third_party", "third-party", "node_modules", "external", "extern", "Pods"];

/// Searches a directory for instruction files, settings and declarations.
pub(crate) fn below(core: &Core, root: &Path, session: &[Arc<Resolution>]) -> Below {
    let customs = core.session().custom_names.clone();
    let listing = core.listing(root);
    core.bound.store(effort::bound(listing.files.len(), session.len()), Ordering::Relaxed);
    let sources = session.iter().flat_map(|answer| &answer.answer.sources);
    let named = sources.filter(|source| source.fate != Fate::Missing).filter_map(|source| source.path());
    // Files that cannot be inspected, or whose names are too long, count as missing.
    let is_there = |path: &&Path| path.starts_with(root) && core.files.lstat(path).is_ok();
    let named = named.filter(is_there).map(Path::to_owned);
    let found = &listing.files;
    let mut declarations: Vec<PathBuf> = found.iter().filter(|file| file.ends_with(FILE_NAME)).cloned().collect();
    declarations.sort_unstable();
    let settings = found.iter().filter(|file| SETTINGS_FILES.matches(file)).cloned().collect();
    let named_so = found
        .iter()
        .chain(&listing.not_files)
        .filter(|file| is_instruction_file(file, &customs) || is_meant_as_skill(file));
    let instructions = named_so.cloned().chain(named).collect();
    Below { instructions, settings, declarations }
}

/// Folders that hold data of tests, or what a project makes other projects from.
const OF_SAMPLES: [&str; 9] = [
    "__fixtures__",
    "__snapshots__",
    "fixture",
    "fixtures",
    "template",
    "templates",
    "test-data",
    "test_data",
    "testdata",
];

/// Tells which files below a root are samples: data of tests, templates, and what a skill brings with it. No agent that works on the
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
        let of_samples = |name: &OsStr| OF_SAMPLES.iter().any(|known| name == *known);
        if inside.parent().into_iter().flatten().any(of_samples) {
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
pub(crate) fn matched_by(core: &Core, rule: &Path) -> BTreeSet<PathBuf> {
    let Ok(raw) = core.files.read(rule) else { return BTreeSet::new() };
    let mut found = BTreeSet::new();
    for pattern in patterns_of(&raw).iter().take(patterns::MOST) {
        let files = core.query(Matches::below(&beside(rule), pattern));
        found.extend(files.value.first().cloned());
    }
    found
}
