//! Every finding below a directory without an editor, by the same way that diagnostics come.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Core;
use super::alone::at_rest;
use super::features::diagnostics;
use super::settings::Settings;
use super::workspace::is_instruction_file;
use crate::answer::{Fate, Resolution};
use crate::disk::scan::{self, Progress, Threads};
use crate::harness::shared::names::INSTRUCTION_FILES;
use crate::report::findings::{Finding, Severity};
use crate::request::{Defaults, Places, Request};
use crate::snapshot::Content;

/// What came of a check.
pub struct Check {
    /// The directory, by its physical path.
    pub root: PathBuf,
    /// The files in which something was found, in the order of their paths; in each what stands first comes first.
    pub files: Vec<Checked>,
    /// How many files were looked at.
    pub count: usize,
    /// What agents load that are started in the directory.
    pub session: Vec<Arc<Resolution>>,
}

/// A file in which something was found.
pub struct Checked {
    /// The file.
    pub path: PathBuf,
    /// Its bytes.
    pub raw: Content,
    /// What was found.
    pub found: Vec<(Severity, Finding)>,
}

/// Checks the instruction files below `root`, where agents are started; of them only those that are in `only`, or below it,
/// unless that is empty.
pub fn check(base: Defaults, root: &Path, settings: Settings, only: &[PathBuf]) -> Result<Check, String> {
    let (runtime, core) = at_rest(base, root, settings)?;
    let root = core.session().folders[0].clone();
    let only: Vec<PathBuf> = only.iter().map(|path| core.files.real(path)).collect();
    runtime.block_on(async {
        let places = Places { cwd: root.clone(), target: None, read_before: Vec::new(), already_loaded: Vec::new() };
        let asked = core.answers(&Request::default(), &places).await;
        let (session, _) = asked.map_err(|error| error.message.into_owned())?;
        let mut files = below(&core, &root, &session);
        files.retain(|file| only.is_empty() || only.iter().any(|path| file.starts_with(path)));
        let count = files.len();
        let mut checked = Vec::new();
        let files: Vec<PathBuf> = files.into_iter().collect();
        core.look_for_patterns(&files).await;
        for path in files {
            // A file that went away meanwhile is no file of the project any more.
            let Ok(view) = core.view(&path).await else { continue };
            let mut found = diagnostics::found(&core, &view);
            found.retain(|(_, finding)| !finding.faded);
            found.sort_by_key(|(severity, finding)| {
                (finding.range.start, *severity, finding.kind, finding.harness.clone())
            });
            if !found.is_empty() {
                checked.push(Checked { path, raw: view.raw, found });
            }
        }
        Ok(Check { root: root.clone(), files: checked, count, session })
    })
}

/// The files below a directory that may be instructions, and those that the answers rest on.
pub(super) fn below(core: &Arc<Core>, root: &Path, session: &[Arc<Resolution>]) -> BTreeSet<PathBuf> {
    let customs = core.session().custom_names.clone();
    let wanted = |name: &OsStr| INSTRUCTION_FILES.may_match(name) || customs.contains(name);
    let found = scan::scan(root, Threads::PerCore, &wanted, |_| (), &Progress::default());
    let sources = session.iter().flat_map(|answer| &answer.answer.sources);
    let named = sources.filter(|source| source.fate != Fate::Missing).filter_map(|source| source.path());
    let named = named.filter(|path| path.starts_with(root)).map(Path::to_owned);
    found.into_iter().filter(|file| is_instruction_file(file, &customs)).chain(named).collect()
}
