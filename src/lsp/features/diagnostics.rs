//! Findings as diagnostics: pushed, or pulled if the client supports that.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;

use super::super::abilities::Abilities;
use super::super::connection::{Connection, State};
use crate::answer::Fate;
use crate::engine::Core;
use crate::engine::below::Samples;
use crate::engine::expect::live::Proven;
use crate::engine::findings::{InProject, concerns, found, is_named};
use crate::engine::memory::Memory;
use crate::lsp::Context;
use crate::lsp::convert;
use crate::lsp::view::{self, View};
use crate::report::findings::{Finding, Kind, Severity, page};
use crate::report::{folding, lens};

/// Repository whose web pages explain the kinds of findings. Clients that open the server's own pages get links to
/// those, as does every client if the build knows no repository.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// Time after which a pull of the whole workspace reports what there is.
const PULL: Duration = Duration::from_secs(10);

/// Diagnostics of one state of a file.
pub(crate) struct Reported {
    /// Revision of the document, if it is open.
    pub revision: Option<u64>,
    /// Version number that the editor assigned.
    pub version: Option<i32>,
    /// Result id, which distinguishes two states of the diagnostics.
    pub id: String,
    /// Hash of the lenses, hints and folding ranges, which distinguishes two states of these.
    pub marks: u64,
    pub found: Vec<Diagnostic>,
}

/// Diagnostics by file, cached until something changes that they depend on.
pub(crate) struct Diagnostics {
    connection: Arc<Connection>,
    reported: Memory<PathBuf, Reported>,
    /// Files that agents started in a folder consider.
    considered: Memory<PathBuf, Vec<PathBuf>>,
    /// Failed expectations.
    proven: Proven,
}

impl Diagnostics {
    pub fn of_client(connection: Arc<Connection>) -> Diagnostics {
        Diagnostics {
            connection,
            reported: Memory::default(),
            considered: Memory::default(),
            proven: Proven::default(),
        }
    }

    /// Returns the diagnostics of a file as it is now.
    pub fn of(&self, core: &Arc<Core>, path: &Path) -> Result<Arc<Reported>> {
        let revision = core.session().revision_of(path);
        let work = || -> Result<Reported> {
            let view = View::of(core.view(path)?, self.connection.encoding());
            let mut declared = core.declared_exceptions(path);
            let expected = self.expected(core, path, &view);
            let found = of(core, self.connection.abilities(), &view, expected, declared.as_mut());
            // Only what is open shows lenses and hints.
            let marks = if view.revision.is_some() { marks(core, &view) } else { 0 };
            Ok(Reported { revision: view.revision, version: view.version, id: result_id(&found), marks, found })
        };
        self.reported.get(core, path.to_owned(), revision, work)
    }

    /// Returns the failed expectations that concern a file in the state that a view shows.
    pub fn expected(&self, core: &Arc<Core>, path: &Path, view: &View) -> Vec<Finding> {
        let mut found = self.proven.about(core, path);
        found.retain(|finding| finding.range.end <= view.raw.len());
        found
    }

    /// Returns the diagnostics of as many files as can be looked at within a time, and the files that are left. Diagnostics
    /// are cached, so the next pull gets further.
    fn within(
        &self,
        core: &Arc<Core>,
        files: BTreeSet<PathBuf>,
        time: Duration,
    ) -> (Vec<(PathBuf, Arc<Reported>)>, Vec<PathBuf>) {
        let (began, mut all, mut left) = (Instant::now(), Vec::new(), Vec::new());
        for path in files {
            if began.elapsed() >= time {
                left.push(path);
            } else if let Ok(reported) = self.of(core, &path) {
                all.push((path, reported));
            }
        }
        (all, left)
    }

    /// Returns the known instruction files: open ones, those below a workspace folder, and those that agents started
    /// there consider.
    fn known_files(&self, core: &Arc<Core>) -> Result<BTreeSet<PathBuf>> {
        let (mut known, folders) = {
            let session = core.session();
            let open = session.documents.values().map(|document| document.path.clone());
            (open.filter(|path| is_named(path, &session)).collect::<BTreeSet<_>>(), session.folders.clone())
        };
        for folder in folders {
            let root = core.files.real(&folder);
            let mut samples = Samples::below(core, &root);
            known.extend(core.files_of(&root).files.into_iter().filter(|file| !samples.hold(file)));
            let considered = || -> Result<Vec<PathBuf>> {
                let answers = core.about(&folder.join("x"))?;
                let sources = answers.iter().flat_map(|answer| &answer.answer.sources);
                let there = sources.filter(|source| source.fate != Fate::Missing);
                Ok(there.filter_map(|source| source.path().map(Path::to_owned)).collect())
            };
            known.extend(self.considered.get(core, folder.clone(), None, considered)?.iter().cloned());
        }
        self.reported.keep(|path| known.contains(path) || core.session().revision_of(path).is_some());
        Ok(known)
    }
}

/// Returns all diagnostics of a file. `expected` are its failed expectations, `declared` the exceptions of its project.
fn of(
    core: &Core,
    abilities: Abilities,
    view: &View,
    expected: Vec<Finding>,
    declared: Option<&mut InProject>,
) -> Vec<Diagnostic> {
    let mut found = found(core, view, Some(expected));
    if let Some(declared) = declared {
        found = found.into_iter().filter_map(|(severity, one)| Some((severity, declared.except(one)?))).collect();
    }
    let found = found.into_iter().filter(|(_, finding)| !finding.faded || abilities.unnecessary_tag);
    found.map(|(severity, finding)| diagnostic(severity, finding, view, abilities)).collect()
}

/// Converts one finding, unless its kind is switched off.
pub(crate) fn shown(core: &Core, abilities: Abilities, view: &View, finding: Finding) -> Option<Diagnostic> {
    let severity = finding.as_bad_as(core.session().settings.severity(finding.kind)?);
    Some(diagnostic(severity, finding, view, abilities))
}

fn diagnostic(severity: Severity, finding: Finding, view: &View, abilities: Abilities) -> Diagnostic {
    let located = |(path, message): (PathBuf, String)| {
        let location = Location { uri: convert::uri_of(&path)?, range: Range::default() };
        Some(DiagnosticRelatedInformation { location, message })
    };
    let related: Vec<_> = finding.related.into_iter().filter_map(located).collect();
    let code = finding.kind.code();
    let deprecated = finding.kind == Kind::DeprecatedName && abilities.deprecated_tag;
    let unnecessary = finding.faded && abilities.unnecessary_tag;
    let tags: Vec<_> = [(unnecessary, DiagnosticTag::UNNECESSARY), (deprecated, DiagnosticTag::DEPRECATED)]
        .into_iter()
        .filter_map(|(wanted, tag)| wanted.then_some(tag))
        .collect();
    Diagnostic {
        range: view.range(&finding.range),
        severity: Some(match severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Information => DiagnosticSeverity::INFORMATION,
            Severity::Hint => DiagnosticSeverity::HINT,
        }),
        code: Some(NumberOrString::String(code.to_owned())),
        code_description: explanation(code, abilities).parse().ok().map(|href| CodeDescription { href }),
        source: Some("briefing".to_owned()),
        message: finding.message,
        related_information: (abilities.related_information && !related.is_empty()).then_some(related),
        tags: (!tags.is_empty()).then_some(tags),
        data: Some(json!({
            "harness": finding.harness,
            "fate": finding.fate.map(|fate| fate.word()),
            "start": finding.range.start,
            "end": finding.range.end,
        })),
    }
}

/// Returns the URI of the page about a kind of findings.
fn explanation(code: &str, abilities: Abilities) -> String {
    if REPOSITORY.is_empty() || abilities.opens_pages {
        page::uri(Some(code))
    } else {
        format!("{REPOSITORY}/blob/main/docs/findings.md#{code}")
    }
}

/// Returns a hash that distinguishes two states of what a document shows beside its diagnostics.
fn marks(core: &Core, view: &View) -> u64 {
    let mut hasher = DefaultHasher::new();
    for hint in core.hints(view) {
        (hint.at, hint.label, hint.tooltip).hash(&mut hasher);
    }
    for lens in lens::lenses(&view.subject()) {
        (lens.title, lens.harness).hash(&mut hasher);
    }
    for fold in folding::folds(&view.subject()) {
        (fold.range, fold.instead).hash(&mut hasher);
    }
    hasher.finish()
}

/// Returns a hash that distinguishes two states of a document's diagnostics.
fn result_id(found: &[Diagnostic]) -> String {
    let mut hasher = DefaultHasher::new();
    serde_json::to_string(found).unwrap_or_default().hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

impl Context {
    /// Handles `textDocument/diagnostic`.
    pub(crate) fn pulled(&self, params: DocumentDiagnosticParams) -> Result<DocumentDiagnosticReportResult> {
        let uri = params.text_document.uri;
        let path = view::file(&uri).filter(|path| concerns(path, &self.core.session()));
        let reported = path.map(|path| self.diagnostics.of(&self.core, &path)).transpose()?;
        let (id, found) = match &reported {
            Some(reported) => (reported.id.clone(), reported.found.clone()),
            None => (result_id(&[]), Vec::new()),
        };
        if let Some(revision) = reported.and_then(|reported| reported.revision) {
            self.connection.state().pulled.insert(uri, (revision, id.clone()));
        }
        let report = if params.previous_result_id.as_ref() == Some(&id) {
            DocumentDiagnosticReport::Unchanged(RelatedUnchangedDocumentDiagnosticReport {
                related_documents: None,
                unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport { result_id: id },
            })
        } else {
            DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport {
                related_documents: None,
                full_document_diagnostic_report: FullDocumentDiagnosticReport { result_id: Some(id), items: found },
            })
        };
        Ok(report.into())
    }

    /// Handles `workspace/diagnostic`. Reports every known file, and an empty report for each file of
    /// `previousResultIds` that is not known any more, so that clients drop its findings.
    pub(crate) fn pulled_everywhere(
        &self,
        params: WorkspaceDiagnosticParams,
    ) -> Result<WorkspaceDiagnosticReportResult> {
        // Compare files instead of URIs: clients spell URIs in different ways.
        let mut before: HashMap<PathBuf, PreviousResultId> = HashMap::new();
        let mut items = Vec::new();
        for id in params.previous_result_ids {
            match convert::path_of(&id.uri) {
                Ok(path) => drop(before.insert(path, id)),
                Err(_) => items.push(full(id.uri, None, None, Vec::new())),
            }
        }
        let known = self.diagnostics.known_files(&self.core)?;
        let (all, left) = self.diagnostics.within(&self.core, known, PULL);
        // Open documents are pulled one by one, and of those that are left the client keeps what it has.
        let open: Vec<PathBuf> = self.core.session().documents.values().map(|document| document.path.clone()).collect();
        let kept: HashSet<PathBuf> = open.into_iter().chain(left).collect();
        items.extend(reports(all, before, &kept));
        Ok(WorkspaceDiagnosticReportResult::Report(WorkspaceDiagnosticReport { items }))
    }
}

/// Reports the findings of files, and of files that are neither among them nor `kept` that they have none any more. `before`
/// is the state that the client knows.
fn reports(
    all: Vec<(PathBuf, Arc<Reported>)>,
    mut before: HashMap<PathBuf, PreviousResultId>,
    kept: &HashSet<PathBuf>,
) -> Vec<WorkspaceDocumentDiagnosticReport> {
    let mut items = Vec::new();
    for (path, reported) in all {
        let Some(uri) = convert::uri_of(&path) else { continue };
        let version = reported.version.map(i64::from);
        let known = before.remove(&path).is_some_and(|before| before.value == reported.id);
        items.push(if known {
            let report = UnchangedDocumentDiagnosticReport { result_id: reported.id.clone() };
            WorkspaceDocumentDiagnosticReport::Unchanged(WorkspaceUnchangedDocumentDiagnosticReport {
                uri,
                version,
                unchanged_document_diagnostic_report: report,
            })
        } else {
            full(uri, version, Some(reported.id.clone()), reported.found.clone())
        });
    }
    let gone = before.into_iter().filter(|(path, _)| !kept.contains(path));
    items.extend(gone.map(|(_, id)| full(id.uri, None, None, Vec::new())));
    items
}

/// Reports all findings of one file. Without a result id the client does not ask about the file again.
fn full(
    uri: Uri,
    version: Option<i64>,
    result_id: Option<String>,
    items: Vec<Diagnostic>,
) -> WorkspaceDocumentDiagnosticReport {
    WorkspaceDocumentDiagnosticReport::Full(WorkspaceFullDocumentDiagnosticReport {
        uri,
        version,
        full_document_diagnostic_report: FullDocumentDiagnosticReport { result_id, items },
    })
}

impl State {
    /// Returns true if a pull for this state of a document returned other diagnostics. Records the new ones, so that
    /// this is reported once.
    pub(crate) fn is_told_otherwise(&mut self, uri: &Uri, revision: u64, id: &str) -> bool {
        let Some((told_of, told)) = self.pulled.get_mut(uri) else { return false };
        *told_of == revision && std::mem::replace(told, id.to_owned()) != id
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests write to scratch directories")]
mod tests {
    use super::*;
    use crate::disk::Watcher;
    use crate::lsp::tests::{core_with, service_for};

    #[test]
    fn a_pull_reports_as_many_files_as_time_allows() {
        let scratch = tempfile::TempDir::new().expect("a scratch directory");
        let dir = scratch.path().canonicalize().expect("it is there");
        let files: BTreeSet<PathBuf> = ["AGENTS.md", "CLAUDE.md"].map(|name| dir.join(name)).into();
        files.iter().for_each(|file| std::fs::write(file, "Rules.\n").expect("it is written"));
        let service = service_for(&dir.join("home"));
        let core = core_with(service.inner(), Watcher::blind());
        for (time, reported) in [(Duration::ZERO, 0), (Duration::MAX, 2)] {
            let (all, left) = service.inner().diagnostics.within(&core, files.clone(), time);
            assert_eq!((all.len(), left.len()), (reported, 2 - reported));
        }
    }

    #[test]
    fn a_client_keeps_the_findings_of_files_that_a_pull_left_out() {
        let id = |uri: &str| PreviousResultId { uri: uri.parse().expect("a URI"), value: "1".to_owned() };
        let [left, gone] = ["file:///r/AGENTS.md", "file:///r/CLAUDE.md"].map(id);
        let path = |id: &PreviousResultId| convert::path_of(&id.uri).expect("a path");
        let kept = HashSet::from([path(&left)]);
        let before = HashMap::from([left, gone.clone()].map(|id| (path(&id), id)));
        assert_eq!(reports(Vec::new(), before, &kept), [full(gone.uri, None, None, Vec::new())]);
    }
}
