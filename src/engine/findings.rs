//! The findings of one file, and which files can have any.

use std::path::{Path, PathBuf};

use super::Core;
use super::session::Session;
use super::view::View;
use crate::harness::custom::FILE_NAME;
use crate::harness::names::{INSTRUCTION_FILES, SETTINGS_FILES};
use crate::report::findings::exceptions::{Day, Declared, declared};
use crate::report::findings::{self, Finding, Kind, Severity, names};
use crate::report::portable;

/// Returns true if a file of this name can have findings: an instruction file, a settings file, or a text that may be
/// imported.
pub(crate) fn concerns(path: &Path, session: &Session) -> bool {
    let text = ["md", "mdc", "markdown", "txt"];
    is_named(path, session) || path.extension().is_some_and(|extension| text.iter().any(|known| extension == *known))
}

/// Returns true if some agent reads files of this name, in any letter case, or a workspace declares the name.
pub(crate) fn is_named(path: &Path, session: &Session) -> bool {
    let name = path.file_name().unwrap_or_default();
    if name == FILE_NAME || session.custom_names.contains(name) {
        return true;
    }
    let other_case = names::right_case(path).map(|name| path.with_file_name(name));
    // Only distinctive names and skills count in another letter case: a `tools.md` can be any page.
    let other_case = other_case.filter(|path| names::is_distinctive(path) || names::is_skill(path));
    [Some(path), other_case.as_deref()]
        .into_iter()
        .flatten()
        .any(|path| INSTRUCTION_FILES.matches(path) || SETTINGS_FILES.matches(path) || names::is_distinctive(path))
}

/// Exceptions that the `briefing.toml` of a workspace folder declares, for one file.
pub(crate) struct InProject {
    declared: Declared,
    /// The file, relative to the folder.
    inside: PathBuf,
    today: Day,
}

impl InProject {
    /// Returns the finding, unless it is excepted.
    pub fn except(&mut self, finding: Finding) -> Option<Finding> {
        self.declared.except(finding, &self.inside, self.today)
    }
}

impl Core {
    /// Returns the exceptions that the workspace folder of a file declares, if it has a `briefing.toml`.
    pub(crate) fn declared_exceptions(&self, path: &Path) -> Option<InProject> {
        let folder = self.session().folder_of(path).cloned()?;
        let (raw, _) = self.read(&folder.join(FILE_NAME)).ok()?;
        let inside = path.strip_prefix(&folder).unwrap_or(path).to_owned();
        Some(InProject { declared: declared(&raw), inside, today: self.defaults().surroundings.date })
    }
}

/// Returns all findings of a file with the severity from the settings. Findings of kinds that are switched off are left
/// out. `expected` are the failed expectations, or `None` if expectations were not evaluated.
pub(crate) fn found(core: &Core, view: &View, expected: Option<Vec<Finding>>) -> Vec<(Severity, Finding)> {
    let settings = core.session().settings.clone();
    let problems = view.problems.iter().map(|(range, message)| Finding::new(Kind::Declaration, range.clone(), message));
    let today = core.defaults().surroundings.date;
    let mut unsought = Vec::new();
    if expected.is_none() {
        unsought.push(Kind::ExpectationFailed);
    }
    let mut found: Vec<Finding> =
        findings::findings(&view.subject()).into_iter().chain(problems).chain(expected.into_iter().flatten()).collect();
    // Comparing every line with every text is slow, and most users do not need it.
    if settings.severity(Kind::NotForEveryone).is_some() {
        found.extend(portable::findings(&view.subject()));
    } else {
        unsought.push(Kind::NotForEveryone);
    }
    let found = findings::exceptions::excepted(found, &view.raw, today, &unsought).into_iter();
    found.filter_map(|finding| Some((finding.as_bad_as(settings.severity(finding.kind)?), finding))).collect()
}
