//! Announces open files whose instructions changed: once changes have settled, and only if an answer really differs.

use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use tokio::time::{Instant, timeout};
use tower_lsp::ls_types::Uri;

use super::connection::{Announced, Connection};
use super::ext::{
    ChangedDocument, DidChangeInstructions, DidChangeInstructionsParams, PreviewParams, TextDocumentContentRefresh,
};
use crate::answer::{Fate, MessageKind, Resolution};
use crate::engine::Core;
use crate::report::briefing::{Size, totals};
use crate::request::{Places, Request};

/// Changes within this time belong to the same announcement, for example typing or a branch switch.
const QUIET: Duration = Duration::from_millis(25);

/// Longest time that further changes may delay an announcement.
const PATIENCE: Duration = Duration::from_millis(250);

/// Announces changes whenever diagnostics for them have been published.
pub(crate) async fn keep_announcing(core: Arc<Core>, connection: Arc<Connection>) {
    loop {
        connection.settled.notified().await;
        let began = Instant::now();
        while timeout(QUIET, connection.settled.notified()).await.is_ok() && began.elapsed() < PATIENCE {}
        if AssertUnwindSafe(announce(&core, &connection)).catch_unwind().await.is_err() {
            tracing::error!("announcing changes panicked");
        }
    }
}

/// Records that the client was told these answers for an open document. Later announcements report changes since then.
pub(crate) fn tell(told: &mut Announced, uri: &Uri, answers: &[Arc<Resolution>]) {
    let known = told.entry(uri.clone()).or_default();
    for answer in answers {
        if known.iter().all(|known| !says_the_same(known, answer)) {
            known.push(answer.clone());
        }
    }
}

async fn announce(core: &Arc<Core>, connection: &Connection) {
    let open: Vec<(Uri, PathBuf)> = {
        let session = core.session();
        connection.state().announced.retain(|uri, _| session.documents.contains_key(uri.as_str()));
        let open = session.documents.iter();
        open.filter_map(|(uri, document)| Some((uri.parse().ok()?, document.path.clone()))).collect()
    };
    let mut documents = Vec::new();
    for (uri, path) in open {
        let Some(cwd) = core.session().cwd_for(Some(&path)) else { continue };
        let places = Places { cwd, target: Some(path), read_before: Vec::new(), already_loaded: Vec::new() };
        let Ok((answers, _)) = core.answers(&Request::default(), &places) else { continue };
        let before = connection.state().announced.insert(uri.clone(), answers.clone()).unwrap_or_default();
        let is_another = |now: &&Arc<Resolution>| {
            before.iter().any(|before| same_harness(before, now) && !says_the_same(before, now))
        };
        documents.extend(answers.iter().filter(is_another).map(|answer| changed(&uri, answer)));
    }
    documents.sort_by(|one, other| (&one.uri, &one.harness).cmp(&(&other.uri, &other.harness)));
    let previews = changed_previews(core, connection);
    if !documents.is_empty() || !previews.is_empty() {
        let params = DidChangeInstructionsParams { version: core.index.version(), documents };
        connection.client.send_notification::<DidChangeInstructions>(params).await;
    }
    if connection.abilities().refreshes_previews {
        for uri in previews {
            let client = connection.client.clone();
            // Spawned, because the client may ask for the text before it answers; waiting here would deadlock.
            tokio::spawn(async move { client.send_request::<TextDocumentContentRefresh>(PreviewParams { uri }).await });
        }
    }
}

/// Returns the previews whose content changed.
fn changed_previews(core: &Arc<Core>, connection: &Connection) -> Vec<String> {
    let followed: Vec<(String, Arc<Resolution>)> = connection.state().previews.iter().cloned().collect();
    let mut changed = Vec::new();
    for (uri, before) in followed {
        let Ok(now) = core.previewed(&uri) else { continue };
        if says_the_same(&before, &now) {
            continue;
        }
        if let Some((_, answer)) = connection.state().previews.iter_mut().find(|(other, _)| *other == uri) {
            *answer = now;
        }
        changed.push(uri);
    }
    changed
}

fn same_harness(one: &Resolution, other: &Resolution) -> bool {
    (&one.harness, &one.edition) == (&other.harness, &other.edition)
}

/// Returns true if two answers show no difference to a reader.
pub(crate) fn says_the_same(one: &Arc<Resolution>, other: &Arc<Resolution>) -> bool {
    if Arc::ptr_eq(one, other) {
        return true;
    }
    let (a, b) = (&one.answer, &other.answer);
    same_harness(one, other)
        && one.fidelity == other.fidelity
        && (&a.refusal, &a.messages, &a.sources, &a.warnings) == (&b.refusal, &b.messages, &b.sources, &b.warnings)
}

fn changed(uri: &Uri, answer: &Resolution) -> ChangedDocument {
    let totals = totals(&answer.answer);
    let texts = answer.answer.messages.iter().filter(|message| message.kind == MessageKind::Instructions);
    let lines = texts.map(|message| message.text.size().lines).sum();
    let loses = |fate, limited| fate == Fate::Truncated || (fate == Fate::Dropped && limited);
    ChangedDocument {
        uri: uri.as_str().to_owned(),
        harness: answer.harness.clone(),
        sizes: Size { bytes: totals.bytes, utf16: totals.utf16, lines },
        truncated: answer.answer.sources.iter().any(|source| loses(source.fate, source.limit.is_some())),
    }
}
