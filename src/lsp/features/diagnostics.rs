//! Findings as diagnostics: pushed, or pulled if the client supports that.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;

use super::super::capabilities::Abilities;
use crate::answer::Fate;
use crate::engine::expect::live::Proven;
use crate::engine::memory::Memory;
use crate::engine::view::{self, View};
use crate::engine::{Core, session::Session, thread};
use crate::harness::custom::FILE_NAME;
use crate::harness::names::{INSTRUCTION_FILES, SETTINGS_FILES};
use crate::lsp::{Server, convert};
use crate::report::findings::{self, Finding, Kind, Severity, names, page};
use crate::report::portable;

/// Repository whose web pages explain the kinds of findings. Clients that open the server's own pages get links to
/// those, as does every client if the build knows no repository.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

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
    // Only distinctive names count in another letter case: a `tools.md` can be any page.
    let other_case = other_case.filter(|path| names::is_distinctive(path));
    [Some(path), other_case.as_deref()]
        .into_iter()
        .flatten()
        .any(|path| INSTRUCTION_FILES.matches(path) || SETTINGS_FILES.matches(path) || names::is_distinctive(path))
}

/// Diagnostics of one state of a file.
pub(crate) struct Reported {
    /// Revision of the document, if it is open.
    pub revision: Option<u64>,
    /// Version number that the editor assigned.
    pub version: Option<i32>,
    /// Result id, which distinguishes two states of the diagnostics.
    pub id: String,
    pub found: Vec<Diagnostic>,
}

/// Diagnostics by file, cached until something changes that they depend on.
#[derive(Default)]
pub(crate) struct Diagnostics {
    reported: Memory<PathBuf, Reported>,
    /// Files that agents started in a folder consider.
    considered: Memory<PathBuf, Vec<PathBuf>>,
    /// Failed expectations.
    proven: Proven,
}

impl Diagnostics {
    /// Returns the diagnostics of a file as it is now.
    pub async fn of(&self, core: &Arc<Core>, path: &Path) -> Result<Arc<Reported>> {
        let revision = core.session().revision_of(path);
        let work = async {
            let view = core.view(path).await?;
            let found = of(core, &view, self.expected(core, path, &view).await);
            Ok(Reported { revision: view.revision, version: view.version, id: result_id(&found), found })
        };
        self.reported.get(core, path.to_owned(), revision, work).await
    }

    /// Returns the failed expectations that concern a file in the state that a view shows.
    pub async fn expected(&self, core: &Arc<Core>, path: &Path, view: &View) -> Vec<Finding> {
        let mut found = self.proven.about(core, path).await;
        found.retain(|finding| finding.range.end <= view.raw.len());
        found
    }

    /// Returns the known instruction files: open ones, those below a workspace folder, and those that agents started
    /// there consider.
    async fn known_files(&self, core: &Arc<Core>) -> Result<BTreeSet<PathBuf>> {
        let (mut known, folders) = {
            let session = core.session();
            let open = session.documents.values().map(|document| document.path.clone());
            (open.filter(|path| is_named(path, &session)).collect::<BTreeSet<_>>(), session.folders.clone())
        };
        for folder in folders {
            known.extend(core.files_of(&core.files.real(&folder)).await.files);
            let considered = async {
                let answers = core.about(&folder.join("x")).await?;
                let sources = answers.iter().flat_map(|answer| &answer.answer.sources);
                let there = sources.filter(|source| source.fate != Fate::Missing);
                Ok(there.filter_map(|source| source.path().map(Path::to_owned)).collect())
            };
            known.extend(self.considered.get(core, folder.clone(), None, considered).await?.iter().cloned());
        }
        self.reported.keep(|path| known.contains(path) || core.session().revision_of(path).is_some());
        Ok(known)
    }
}

/// Returns all diagnostics of a file. `expected` are its failed expectations.
fn of(core: &Core, view: &View, expected: Vec<Finding>) -> Vec<Diagnostic> {
    let abilities = core.session().abilities;
    let found = found(core, view, Some(expected))
        .into_iter()
        .filter(|(_, finding)| !finding.faded || abilities.unnecessary_tag);
    found.map(|(severity, finding)| diagnostic(severity, finding, view, abilities)).collect()
}

/// Returns all findings of a file with the severity from the settings. Findings of kinds that are switched off are left
/// out. `expected` are the failed expectations, or `None` if expectations were not evaluated.
pub(crate) fn found(core: &Core, view: &View, expected: Option<Vec<Finding>>) -> Vec<(Severity, Finding)> {
    let settings = core.session().settings.clone();
    let declared = view.problems.iter().map(|(range, message)| Finding::new(Kind::Declaration, range.clone(), message));
    let today = core.defaults().surroundings.date;
    let mut unsought = Vec::new();
    if expected.is_none() {
        unsought.push(Kind::ExpectationFailed);
    }
    let mut found: Vec<Finding> =
        findings::findings(&view.subject()).into_iter().chain(declared).chain(expected.into_iter().flatten()).collect();
    // Comparing every line with every text is slow, and most users do not need it.
    if settings.severity(Kind::NotForEveryone).is_some() {
        found.extend(portable::findings(&view.subject()));
    } else {
        unsought.push(Kind::NotForEveryone);
    }
    let found = findings::exceptions::excepted(found, &view.raw, today, &unsought).into_iter();
    found.filter_map(|finding| Some((finding.as_bad_as(settings.severity(finding.kind)?), finding))).collect()
}

/// Converts one finding, unless its kind is switched off.
pub(crate) fn shown(core: &Core, view: &View, finding: Finding) -> Option<Diagnostic> {
    let session = core.session();
    let (severity, abilities) = (finding.as_bad_as(session.settings.severity(finding.kind)?), session.abilities);
    drop(session);
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

/// Returns a hash that distinguishes two states of a document's diagnostics.
fn result_id(found: &[Diagnostic]) -> String {
    let mut hasher = DefaultHasher::new();
    serde_json::to_string(found).unwrap_or_default().hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

impl Server {
    /// Handles `textDocument/diagnostic`.
    pub(crate) async fn pulled(&self, params: DocumentDiagnosticParams) -> Result<DocumentDiagnosticReportResult> {
        let uri = params.text_document.uri;
        let path = view::file(&uri).filter(|path| concerns(path, &self.core.session()));
        let looked = async {
            let Some(path) = path else { return Ok(None) };
            let (core, diagnostics) = (self.core.clone(), self.diagnostics.clone());
            thread::on_one(async move { diagnostics.of(&core, &path).await }).await.map(Some)
        };
        let reported = looked.await?;
        let (id, found) = match &reported {
            Some(reported) => (reported.id.clone(), reported.found.clone()),
            None => (result_id(&[]), Vec::new()),
        };
        if let Some(revision) = reported.and_then(|reported| reported.revision) {
            self.core.session().pulled.insert(uri, (revision, id.clone()));
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
    pub(crate) async fn pulled_everywhere(
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
        let (core, diagnostics) = (self.core.clone(), self.diagnostics.clone());
        let looked = thread::on_one(async move {
            let mut all = Vec::new();
            for path in diagnostics.known_files(&core).await? {
                if let Ok(reported) = diagnostics.of(&core, &path).await {
                    all.push((path, reported));
                }
            }
            Ok(all)
        });
        for (path, reported) in looked.await? {
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
        let open: HashSet<PathBuf> =
            self.core.session().documents.values().map(|document| document.path.clone()).collect();
        // Open documents are pulled one by one.
        let gone = before.into_iter().filter(|(path, _)| !open.contains(path));
        items.extend(gone.map(|(_, id)| full(id.uri, None, None, Vec::new())));
        Ok(WorkspaceDiagnosticReportResult::Report(WorkspaceDiagnosticReport { items }))
    }
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

impl Session {
    /// Returns true if a pull for this state of a document returned other diagnostics. Records the new ones, so that
    /// this is reported once.
    pub(crate) fn is_told_otherwise(&mut self, uri: &Uri, revision: u64, id: &str) -> bool {
        let Some((told_of, told)) = self.pulled.get_mut(uri) else { return false };
        *told_of == revision && std::mem::replace(told, id.to_owned()) != id
    }
}
