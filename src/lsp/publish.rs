//! Publishes diagnostics for open instruction files. Stale results are never published.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use tokio::time::{Instant, sleep, sleep_until};
use tower_lsp::Client;
use tower_lsp::ls_types::*;

use super::abilities::Abilities;
use super::connection::Connection;
use super::ext::FoldingRangeRefresh;
use super::features::diagnostics::Diagnostics;
use crate::engine::Core;
use crate::engine::findings::{concerns, is_named};
use crate::engine::workspace::EventSource;

/// Publishes diagnostics whenever something has changed. A single task does this, so publications cannot overtake each
/// other. A document that changes while its diagnostics are computed is left to the next round.
pub(crate) async fn keep_publishing(core: Arc<Core>, diagnostics: Arc<Diagnostics>, connection: Arc<Connection>) {
    let mut published = HashMap::new();
    let mut said_blind = false;
    let mut rested = Instant::now();
    loop {
        due(&connection, rested).await;
        let began = Instant::now();
        if connection.abilities().pulls_diagnostics {
            // The client pulls at once. Let its requests go first; their results are cached and used here.
            sleep(ASKS_FIRST).await;
        }
        if core.told() != EventSource::System && !said_blind {
            said_blind = true;
            connection.client.show_message(MessageType::WARNING, BLIND).await;
        }
        if AssertUnwindSafe(publish(&core, &diagnostics, &connection, &mut published)).catch_unwind().await.is_err() {
            tracing::error!("publishing diagnostics panicked");
        }
        connection.settled.notify_one();
        core.index.tidy();
        rested = Instant::now() + rest_after(began.elapsed());
    }
}

/// Waits for the next round. Changes outside of the editor wait until the instant `rested`.
async fn due(connection: &Connection, rested: Instant) {
    let outside = async {
        if Instant::now() < rested {
            sleep_until(rested).await;
        }
        connection.changed_outside.notified().await;
    };
    tokio::select! {
        () = connection.changed.notified() => {}
        () = outside => {}
    }
}

/// Returns the rest after a round of that length. Some settings make an agent search large parts of the disk, where
/// files change all the time; that must not keep a core busy for ever. Requests are not delayed by the rest.
fn rest_after(round: Duration) -> Duration {
    if round < LONG_ROUND { Duration::ZERO } else { REST * round }
}

/// Minimum duration of a long round.
const LONG_ROUND: Duration = Duration::from_millis(500);

/// Length of the rest after a long round, as a multiple of the round.
const REST: u32 = 4;

/// Delay that lets the requests of a client that pulls diagnostics go first.
const ASKS_FIRST: Duration = Duration::from_millis(20);

/// Message shown once if directories cannot be watched.
const BLIND: &str = "Briefing cannot watch all directories: the system's limit (on Linux fs.inotify.max_user_watches) or the \
    setting briefing.watchLimit is reached. Answers stay right, but changes outside the editor show later.";

/// Last published state per document: its revision, the result id, and the hash of its lenses, hints and folds.
type Published = HashMap<Uri, (u64, String, u64)>;

async fn publish(core: &Arc<Core>, known: &Diagnostics, connection: &Connection, published: &mut Published) {
    // Declarations of a workspace decide which files are instruction files.
    let folders = core.session().folders.clone();
    for folder in &folders {
        core.customs(folder);
    }
    let open: Vec<(Uri, PathBuf)> = {
        let session = core.session();
        let concerned = session.documents.iter().filter(|(_, open)| concerns(&open.path, &session));
        concerned.filter_map(|(uri, document)| Some((uri.parse().ok()?, document.path.clone()))).collect()
    };
    let (client, abilities) = (&connection.client, connection.abilities());
    let closed: Vec<Uri> = published.keys().filter(|uri| open.iter().all(|(open, _)| open != *uri)).cloned().collect();
    for uri in closed {
        published.remove(&uri);
        if !abilities.pulls_diagnostics {
            client.publish_diagnostics(uri, Vec::new(), None).await;
        }
    }
    // True if something changed without an edit of its document: the client cannot know that it should ask again.
    let mut stale = Stale::default();
    for (uri, path) in open {
        if !core.session().documents.contains_key(uri.as_str()) {
            continue;
        }
        let Ok(reported) = known.of(core, &path) else { continue };
        // The document may have been closed in the meantime.
        let Some(revision) = reported.revision else { continue };
        let now = (revision, reported.id.clone(), reported.marks);
        let before = published.get(&uri);
        if before == Some(&now) || (before.is_none() && reported.found.is_empty() && !is_named(&path, &core.session()))
        {
            continue;
        }
        let is_same_text = before.is_some_and(|before| before.0 == revision);
        stale.marks |= is_same_text && before.is_some_and(|before| before.2 != now.2);
        if abilities.pulls_diagnostics {
            stale.diagnostics |= connection.state().is_told_otherwise(&uri, revision, &now.1);
        } else if before.is_none_or(|before| (before.0, &before.1) != (now.0, &now.1)) {
            let version = reported.version.filter(|_| abilities.versions);
            client.publish_diagnostics(uri.clone(), reported.found.clone(), version).await;
        }
        published.insert(uri, now);
    }
    refresh(client, abilities, stale);
}

/// What a client shows and cannot know to be outdated.
#[derive(Clone, Copy, Default)]
struct Stale {
    diagnostics: bool,
    /// Lenses, hints and folding ranges.
    marks: bool,
}

/// Asks the client to pull again what is outdated.
fn refresh(client: &Client, abilities: Abilities, stale: Stale) {
    let client = client.clone();
    // Spawned, because a client that never answers must not stop publishing.
    tokio::spawn(async move {
        if stale.diagnostics {
            let _ = client.workspace_diagnostic_refresh().await;
        }
        if stale.marks && abilities.refreshes_hints {
            let _ = client.inlay_hint_refresh().await;
        }
        if stale.marks && abilities.refreshes_lenses {
            let _ = client.code_lens_refresh().await;
        }
        if stale.marks && abilities.refreshes_folds {
            let _ = client.send_request::<FoldingRangeRefresh>(()).await;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Changed;
    use crate::lsp::tests::service_for;

    const HOUR: Duration = Duration::from_secs(3600);

    #[tokio::test]
    async fn while_it_rests_only_the_editor_makes_it_publish() {
        let service = service_for(std::path::Path::new("/home/me"));
        let (core, connection) = (&service.inner().core, &service.inner().connection);
        core.report(Changed::Outside);
        assert!(due(connection, Instant::now() + HOUR).now_or_never().is_none());
        core.report(Changed::Editor);
        assert!(due(connection, Instant::now() + HOUR).now_or_never().is_some());
        assert!(due(connection, Instant::now()).now_or_never().is_some(), "what changed outside is not forgotten");
    }

    #[test]
    fn it_rests_after_long_rounds_only() {
        assert_eq!(rest_after(Duration::from_millis(100)), Duration::ZERO);
        assert_eq!(rest_after(Duration::from_secs(2)), Duration::from_secs(8));
    }
}
