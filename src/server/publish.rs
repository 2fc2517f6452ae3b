//! Publishes diagnostics: for every state of an open instruction file sooner or later, and never for another state.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::FutureExt;
use ropey::Rope;
use tower_lsp::Client;
use tower_lsp::ls_types::*;

use super::capabilities::Abilities;
use super::convert::{self, Encoding};
use super::{Core, Session};
use crate::answer::Resolution;
use crate::harness;
use crate::harness::custom::{Customs, FILE_NAME};
use crate::report::diagnostics::{self, Finding, Severity};
use crate::text;

/// Publishes whenever something has changed. One task does all of it, so that nothing is published after what replaced
/// it; a state that is overtaken while its answer is worked out is left to the next round.
pub(super) async fn keep_publishing(core: Arc<Core>, client: Client) {
    let mut published = HashMap::new();
    loop {
        core.changed.notified().await;
        if AssertUnwindSafe(publish(&core, &client, &mut published)).catch_unwind().await.is_err() {
            tracing::error!("publishing diagnostics panicked");
        }
    }
}

/// What was published last for a document: which state of it, and what.
type Published = HashMap<Uri, (u64, Vec<Diagnostic>)>;

async fn publish(core: &Arc<Core>, client: &Client, published: &mut Published) {
    // What a workspace declares decides which files are instruction files.
    let folders = core.session().folders.clone();
    for folder in &folders {
        core.customs(folder).await;
    }
    let open: Vec<(Uri, PathBuf)> = {
        let session = core.session();
        let instructions = session.documents.iter().filter(|(_, open)| is_instruction_file(&open.path, &session));
        instructions.map(|(uri, document)| (uri.clone(), document.path.clone())).collect()
    };
    let closed: Vec<Uri> = published.keys().filter(|uri| open.iter().all(|(open, _)| open != *uri)).cloned().collect();
    for uri in closed {
        published.remove(&uri);
        client.publish_diagnostics(uri, Vec::new(), None).await;
    }
    for (uri, path) in open {
        let Some(before) = revision(&core.session(), &uri) else { continue };
        let Ok(answers) = core.about(&path).await else { continue };
        let customs = core.customs(&crate::request::directory_of(&path)).await;
        let (found, version) = {
            let session = core.session();
            // The ranges belong to the text that was asked about. A newer one has asked for a round of its own.
            if revision(&session, &uri) != Some(before) {
                continue;
            }
            let mut found = of_document(core, &session, &uri, &answers);
            found.extend(of_declarations(&session, &uri, &customs));
            (found, session.documents.get(&uri).map(|open| open.version))
        };
        let version = version.filter(|_| core.session().abilities.versions);
        let now = (before, found);
        if published.get(&uri) != Some(&now) {
            client.publish_diagnostics(uri.clone(), now.1.clone(), version).await;
            published.insert(uri, now);
        }
    }
}

fn revision(session: &Session, uri: &Uri) -> Option<u64> {
    session.documents.get(uri).map(|document| document.revision)
}

fn of_document(core: &Core, session: &Session, uri: &Uri, answers: &[Arc<Resolution>]) -> Vec<Diagnostic> {
    let Some(document) = session.documents.get(uri) else { return Vec::new() };
    let raw = core.files.shown(&document.path).unwrap_or_default();
    let shown = Shown::new(&raw, &document.text);
    let path = seen_as(&document.path, answers);
    let found = answers.iter().flat_map(|answer| {
        let of = |finding| diagnostic(finding, answer, &shown, session.encoding, session.abilities);
        diagnostics::findings(&path, answer).into_iter().map(of).collect::<Vec<_>>()
    });
    found.collect()
}

/// A file as its bytes, which findings count in, and as lines, which the editor counts in. The editor hides a byte order
/// mark and replaces what is not UTF-8; its lines are the same.
struct Shown<'a> {
    raw: &'a [u8],
    /// The lossy decoding of `raw` where that differs from the editor's text.
    decoded: Option<Rope>,
    text: &'a Rope,
}

impl<'a> Shown<'a> {
    fn new(raw: &'a [u8], text: &'a Rope) -> Shown<'a> {
        let same = raw.len() == text.len_bytes()
            && text.chunks().try_fold(raw, |rest, chunk| rest.strip_prefix(chunk.as_bytes())).is_some();
        let decoded = (!same).then(|| Rope::from_str(&text::lossy_without_bom(raw)));
        Shown { raw, decoded, text }
    }

    fn range(&self, bytes: &std::ops::Range<usize>, encoding: Encoding) -> Range {
        let Some(decoded) = &self.decoded else { return convert::range(self.text, bytes, encoding) };
        let offset = |at: usize| text::lossy_without_bom(&self.raw[..at.min(self.raw.len())]).len();
        convert::range(decoded, &(offset(bytes.start)..offset(bytes.end)), encoding)
    }
}

/// The path under which the harnesses of `answers`, started beside `path`, see it: their working directory is physical.
pub(super) fn seen_as(path: &Path, answers: &[Arc<Resolution>]) -> PathBuf {
    match (answers.first(), path.file_name()) {
        (Some(answer), Some(name)) => answer.standpoint.cwd.join(name),
        _ => path.to_owned(),
    }
}

fn diagnostic(
    finding: Finding,
    answer: &Resolution,
    shown: &Shown,
    encoding: Encoding,
    abilities: Abilities,
) -> Diagnostic {
    let related = finding.related.filter(|_| abilities.related_information).and_then(|(path, message)| {
        let location = Location { uri: convert::uri_of(&path)?, range: Range::default() };
        Some(vec![DiagnosticRelatedInformation { location, message }])
    });
    Diagnostic {
        range: shown.range(&finding.range, encoding),
        severity: Some(match finding.kind.severity() {
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Information => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(finding.kind.code().to_owned())),
        source: Some(format!("briefing {}", answer.harness)),
        message: finding.message,
        related_information: related,
        tags: (finding.lost && abilities.unnecessary_tag).then(|| vec![DiagnosticTag::UNNECESSARY]),
        ..Diagnostic::default()
    }
}

/// What is wrong with the harnesses that a document declares.
fn of_declarations(session: &Session, uri: &Uri, customs: &Customs) -> Vec<Diagnostic> {
    let Some(document) = session.documents.get(uri) else { return Vec::new() };
    if document.path.file_name() != Some(FILE_NAME.as_ref()) {
        return Vec::new();
    }
    // The nearest declaration to its directory is the document itself; what has no path is in the settings.
    let problems = customs.problems.iter().filter(|problem| problem.path.is_some());
    let wrong = problems.map(|problem| Diagnostic {
        range: convert::range(&document.text, &problem.range, session.encoding),
        severity: Some(DiagnosticSeverity::ERROR),
        code: Some(NumberOrString::String("declaration".to_owned())),
        source: Some("briefing".to_owned()),
        message: problem.message.clone(),
        ..Diagnostic::default()
    });
    wrong.collect()
}

/// Whether some harness reads files of this name, or finds its declaration there.
fn is_instruction_file(path: &Path, session: &Session) -> bool {
    let name = path.file_name().unwrap_or_default();
    name == FILE_NAME
        || session.custom_names.contains(name)
        || harness::ALL
            .iter()
            .flat_map(|profile| profile.instruction_names)
            .any(|known| Path::new(known).file_name() == Some(name))
}
