//! Checks all files below a directory without an editor, using the code that computes diagnostics.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::alone::at_rest;
use super::below::{Below, Samples, below};
use super::findings::found;
use super::settings::Settings;
use super::{Core, Date, expect};
use crate::answer::Resolution;
use crate::disk::{Filesystem, Now};
use crate::harness::custom::FILE_NAME;
use crate::harness::names::SETTINGS_FILES;
use crate::report::actions::best_fix;
use crate::report::findings::exceptions::{Declared, declared, excepted};
use crate::report::findings::{self, Finding, Kind, Severity, Subject};
use crate::report::judged::Judged;
use crate::request::{Defaults, Places, Request};
use crate::snapshot::{Ask, Content, Errno, FileType, Unreadable, absolute};

/// Result of a check.
pub struct Check {
    /// Physical path of the directory.
    pub root: PathBuf,
    /// Files with findings, ordered by path; the findings of a file are ordered by position.
    pub files: Vec<Checked>,
    /// Number of files checked.
    pub count: usize,
    /// Number of samples, which are not checked unless the user names them.
    pub samples: usize,
    /// Files that were not checked because the answers about all files would cost too much, ordered by path.
    pub left: Vec<PathBuf>,
    /// Answers of the agents for the start of a session in the directory.
    pub session: Vec<Arc<Resolution>>,
    /// Agents that answered, and why they were chosen.
    pub judged: Vec<Judged>,
}

/// A file with findings.
pub struct Checked {
    /// Path of the file.
    pub path: PathBuf,
    /// Content of the file.
    pub raw: Content,
    /// Findings with their severities.
    pub found: Vec<(Severity, Finding)>,
}

/// Parameters of a check.
pub struct Checking<'a> {
    /// Directory in which agents are started.
    pub root: &'a Path,
    /// Settings, including the agents.
    pub settings: Settings,
    /// Files and directories to check. Empty means everything below the root.
    pub only: &'a [PathBuf],
    /// Revision of the git repository to check instead of the current working tree.
    pub revision: Option<&'a str>,
}

/// Maximum number of findings of one check for which a fix is looked for: each looks at directories again, and nobody reads
/// the help of more. The others have the help of their kind.
const MOST_FIXES: usize = 100;

/// Checks the instruction files below a directory.
pub fn check(base: Defaults, checking: Checking) -> Result<Check, String> {
    let Checking { root, settings, only, revision } = checking;
    let core = at_rest(base, root, settings, revision)?;
    let root = core.session().folders[0].clone();
    let only: Vec<PathBuf> = only.iter().map(|path| core.files.real(path)).collect();
    let places = Places::start(&root);
    let asked = core.answers(&Request::default(), &places);
    let (session, _) = asked?;
    let judged = core.judged(&places, &session);
    let Below { instructions, settings: _, declarations } = below(&core, &root, &session);
    let mut files = instructions.clone();
    files.extend(settings_files(&core, &root, &session));
    // Files because of which an agent does not start, wherever they are.
    let refusals = session.iter().filter_map(|answer| answer.answer.refusal.as_ref()).map(|refusal| &refusal.path);
    files.extend(refusals.filter(|path| path.starts_with(&root) && core.files.lstat(path).is_ok()).cloned());
    // Problems of the project's declarations are reported even if no agent reads the file.
    let declared = root.join(FILE_NAME);
    files.extend(core.files.lstat(&declared).is_ok().then_some(declared));
    files.retain(|file| only.is_empty() || only.iter().any(|path| file.starts_with(path)));
    let found = files.len();
    if only.is_empty() {
        let mut samples = Samples::below(&core, &root);
        let sources = session.iter().flat_map(|answer| &answer.answer.sources);
        let read: BTreeSet<&Path> =
            sources.filter(|source| source.fate.reaches()).filter_map(|source| source.path()).collect();
        files.retain(|file| read.contains(file.as_path()) || !samples.hold(file));
    }
    let (count, samples) = (files.len(), found - files.len());
    let files: Vec<PathBuf> = files.into_iter().collect();
    core.look_for_patterns(&files);
    // Expectations are evaluated only if the whole project is checked.
    let mut failed: BTreeMap<PathBuf, (Content, Vec<Finding>)> = BTreeMap::new();
    if only.is_empty() {
        let found = Below { instructions, settings: BTreeSet::new(), declarations };
        let proofs = expect::prove(&core, &root, &found, expect::Files::Scanned(revision))?;
        for (path, raw, finding) in expect::findings(&proofs) {
            failed.entry(path).or_insert((raw, Vec::new())).1.push(finding);
        }
    }
    let mut exceptions = Exceptions::of(&core, &root);
    let (mut checked, mut left) = (Vec::new(), Vec::new());
    let mut fixes = MOST_FIXES;
    for path in files {
        if core.is_exhausted() {
            left.push(path);
            continue;
        }
        let expected = only.is_empty().then(|| failed.remove(&path).map(|(_, found)| found).unwrap_or_default());
        let found = match found_in(&core, &path, expected, &mut fixes) {
            Some(found) => Some(found),
            None => unread(&core, &path),
        };
        if core.is_exhausted() {
            // Not everything that its findings rest on may have been asked.
            left.push(path);
            continue;
        }
        let Some((raw, mut found)) = found else { continue };
        found.retain(|(_, finding)| !finding.faded);
        let inside = path.strip_prefix(&root).unwrap_or(&path);
        found = found.into_iter().filter_map(|one| exceptions.except(one, inside)).collect();
        if !found.is_empty() {
            checked.push(Checked { path, raw, found });
        }
    }
    // Declarations below the root, and those that they extend.
    for (path, (raw, found)) in failed {
        let inside = path.strip_prefix(&root).unwrap_or(&path);
        let settings = core.session().settings.clone();
        let found = excepted(found, &raw, exceptions.today, &[]).into_iter();
        let found = found.filter_map(|finding| Some((settings.severity(finding.kind)?, finding)));
        let found: Vec<_> = found.filter_map(|found| exceptions.except(found, inside)).collect();
        if !found.is_empty() {
            checked.push(Checked { path, raw, found });
        }
    }
    if only.is_empty() && left.is_empty() {
        checked.extend(lost_above(&core, &root, &session));
        exceptions.add_to(&core, &mut checked);
    }
    for file in &mut checked {
        file.found
            .sort_by_key(|(severity, finding)| (finding.range.start, *severity, finding.kind, finding.harness.clone()));
    }
    checked.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(Check { root: root.clone(), files: checked, count, samples, left, session, judged })
}

/// Returns the imports of files above the directory that agents which are started in it do not follow: they may be approved
/// there, and are lost here.
fn lost_above(core: &Core, root: &Path, session: &[Arc<Resolution>]) -> Vec<Checked> {
    let kind = Kind::ImportOutside;
    let Some(severity) = core.session().settings.severity(kind) else { return Vec::new() };
    let warnings = session.iter().flat_map(|answer| &answer.answer.warnings);
    let outside = warnings.filter(|warning| warning.code == kind.code()).filter_map(|warning| warning.path.as_deref());
    let above: BTreeSet<&Path> =
        outside.filter(|path| path.parent().is_some_and(|dir| dir != root && root.starts_with(dir))).collect();
    let lost = |path: &Path| {
        let raw = core.files.read(path).ok()?;
        let found = findings::findings(&Subject::plain(path, &raw, session));
        let found =
            found.into_iter().filter(|finding| finding.kind == kind).map(|finding| (severity, finding)).collect();
        Some(Checked { path: path.to_owned(), raw, found })
    };
    above.into_iter().filter_map(lost).collect()
}

/// Returns all findings of one file. A panic becomes a finding of that file, so that the other files are checked all
/// the same. Returns `None` if the file disappeared in the meantime.
fn found_in(
    core: &Core,
    path: &Path,
    expected: Option<Vec<Finding>>,
    fixes: &mut usize,
) -> Option<(Content, Vec<(Severity, Finding)>)> {
    let look = || {
        let view = core.view(path).ok()?;
        let mut found = found(core, &view, expected);
        let root = core.session().folders[0].clone();
        let home = core.defaults().home.clone();
        let subject = view.subject();
        let worth = found.iter_mut().filter(|(_, finding)| !finding.faded).take(*fixes);
        for (_, finding) in worth {
            *fixes -= 1;
            finding.fix = best_fix(&subject, &Now(&core.files), finding, (&root, &home));
        }
        Some((view.raw.clone(), found))
    };
    catch_unwind(AssertUnwindSafe(look)).unwrap_or_else(|_| {
        let message = "this file could not be checked: a mistake of Briefing's own; please report it with the file";
        let finding = Finding::new(Kind::InternalError, 0..0, message);
        Some((Content::from(&b""[..]), vec![(Severity::Error, finding)]))
    })
}

/// Returns the finding for an instruction file that cannot be read, or `None` if the file disappeared in the meantime.
fn unread(core: &Core, path: &Path) -> Option<(Content, Vec<(Severity, Finding)>)> {
    core.files.lstat(path).ok()?;
    let severity = core.session().settings.severity(Kind::Unreadable)?;
    let message = match (core.files.read(path).err()?, core.files.read_link(path)) {
        (Unreadable::Errno(Errno::NOENT), Ok(target)) => {
            let target = absolute(path.parent().unwrap_or(path), &target);
            let root = core.session().folders[0].clone();
            let target = target.strip_prefix(&root).unwrap_or(&target).display();
            format!("this link leads to {target}, where nothing is, so no agent loads a text here")
        }
        (Unreadable::Not(FileType::Dir), _) => "this is a directory, so no agent loads a text here".to_owned(),
        (why, _) => format!("this file cannot be read: {why}"),
    };
    Some((Content::from(&b""[..]), vec![(severity, Finding::new(Kind::Unreadable, 0..0, message))]))
}

/// Exceptions declared in the directory.
struct Exceptions {
    path: PathBuf,
    raw: Content,
    declared: Declared,
    today: Date,
}

impl Exceptions {
    fn of(core: &Core, root: &Path) -> Exceptions {
        let path = root.join(FILE_NAME);
        let raw = core.files.read(&path).unwrap_or_else(|_| Content::from(&b""[..]));
        let declared = declared(&raw);
        Exceptions { path, raw, declared, today: core.defaults().surroundings.date }
    }

    fn except(&mut self, (severity, finding): (Severity, Finding), inside: &Path) -> Option<(Severity, Finding)> {
        Some((severity, self.declared.except(finding, inside, self.today)?))
    }

    /// Adds the findings about the exceptions themselves.
    fn add_to(self, core: &Core, checked: &mut Vec<Checked>) {
        let Some(severity) = core.session().settings.severity(Kind::Exception) else { return };
        let found: Vec<_> = self.declared.findings(&self.raw).into_iter().map(|finding| (severity, finding)).collect();
        match checked.iter_mut().find(|file| file.path == self.path) {
            _ if found.is_empty() => {}
            Some(file) => file.found.extend(found),
            None => checked.push(Checked { path: self.path, raw: self.raw, found }),
        }
    }
}

/// Returns the project's settings files that agents read, except `.env` files, whose content is not checked.
fn settings_files(core: &Core, root: &Path, session: &[Arc<Resolution>]) -> impl Iterator<Item = PathBuf> {
    let endings = ["json", "jsonc", "toml", "yaml", "yml"];
    let is_one = |path: &Path| {
        let ending = path.extension().and_then(OsStr::to_str);
        path.starts_with(root) && ending.is_some_and(|ending| endings.contains(&ending)) && SETTINGS_FILES.matches(path)
    };
    let asked = session.iter().flat_map(|answer| answer.depends());
    let read = asked.filter_map(|ask| if let Ask::Content(path) = ask { Some(path) } else { None });
    let there: BTreeSet<PathBuf> =
        read.filter(|path| is_one(path) && core.files.lstat(path).is_ok()).cloned().collect();
    there.into_iter()
}
