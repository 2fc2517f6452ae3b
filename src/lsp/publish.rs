//! Publishes diagnostics: for every state of an open instruction file sooner or later, and never for another state.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use tokio::time::{Instant, sleep, sleep_until};
use tower_lsp::Client;
use tower_lsp::ls_types::*;

use super::capabilities::Abilities;
use super::features::diagnostics::{self, Diagnostics};
use crate::engine::Core;
use crate::engine::workspace::EventSource;

/// Publishes whenever something has changed. One task does all of it, so that nothing is published after what replaced
/// it; a state that is overtaken while its answer is worked out is left to the next round.
pub(crate) async fn keep_publishing(core: Arc<Core>, diagnostics: Arc<Diagnostics>, client: Client) {
    let mut published = HashMap::new();
    let mut said_blind = false;
    let mut rested = Instant::now();
    loop {
        due(&core, rested).await;
        let began = Instant::now();
        if core.session().abilities.pulls_diagnostics {
            // Such a client asks at once. Its questions go first; what is worked out for them is known here, too.
            sleep(ASKS_FIRST).await;
        }
        if core.told() != EventSource::System && !said_blind {
            said_blind = true;
            client.show_message(MessageType::WARNING, BLIND).await;
        }
        if AssertUnwindSafe(publish(&core, &diagnostics, &client, &mut published)).catch_unwind().await.is_err() {
            tracing::error!("publishing diagnostics panicked");
        }
        core.settled.notify_one();
        core.index.tidy();
        rested = Instant::now() + rest_after(began.elapsed());
    }
}

/// Waits for the next round. What changes outside the editor is left until the last round has been `rested` from.
async fn due(core: &Core, rested: Instant) {
    let outside = async {
        if Instant::now() < rested {
            sleep_until(rested).await;
        }
        core.changed_outside.notified().await;
    };
    tokio::select! {
        () = core.changed.notified() => {}
        () = outside => {}
    }
}

/// How long to rest after a round of that length. Settings may make a harness look through half the disk, where
/// something changes all the time; that must not keep a core busy for ever. Requests are answered at once all the same.
fn rest_after(round: Duration) -> Duration {
    if round < LONG_ROUND { Duration::ZERO } else { REST * round }
}

/// From here on a round takes long.
const LONG_ROUND: Duration = Duration::from_millis(500);

/// How many times as long as a long round the rest after it is.
const REST: u32 = 4;

/// How long the questions of a client that pulls diagnostics go first.
const ASKS_FIRST: Duration = Duration::from_millis(20);

/// What the user is told once when directories cannot be watched.
const BLIND: &str = "Briefing cannot watch all directories: the system's limit (on Linux fs.inotify.max_user_watches) or the \
    setting briefing.watchLimit is reached. Answers stay right, but changes outside the editor show later.";

/// What was published last for a document: which state of it, and the result id.
type Published = HashMap<Uri, (u64, String)>;

async fn publish(core: &Arc<Core>, known: &Diagnostics, client: &Client, published: &mut Published) {
    // What a workspace declares decides which files are instruction files.
    let folders = core.session().folders.clone();
    for folder in &folders {
        core.customs(folder).await;
    }
    let open: Vec<(Uri, PathBuf)> = {
        let session = core.session();
        let concerned = session.documents.iter().filter(|(_, open)| diagnostics::concerns(&open.path, &session));
        concerned.map(|(uri, document)| (uri.clone(), document.path.clone())).collect()
    };
    let abilities = core.session().abilities;
    let closed: Vec<Uri> = published.keys().filter(|uri| open.iter().all(|(open, _)| open != *uri)).cloned().collect();
    for uri in closed {
        published.remove(&uri);
        if !abilities.pulls_diagnostics {
            client.publish_diagnostics(uri, Vec::new(), None).await;
        }
    }
    // Whether anything changed without an edit of its document: then the client cannot know that it should ask again.
    let mut behind_its_back = false;
    for (uri, path) in open {
        if !core.session().documents.contains_key(&uri) {
            continue;
        }
        let Ok(reported) = known.of(core, &path).await else { continue };
        // The document may have been closed meanwhile.
        let Some(revision) = reported.revision else { continue };
        let now = (revision, reported.id.clone());
        let before = published.get(&uri);
        if before == Some(&now)
            || (before.is_none() && reported.found.is_empty() && !diagnostics::is_named(&path, &core.session()))
        {
            continue;
        }
        if abilities.pulls_diagnostics {
            behind_its_back |= core.session().is_told_otherwise(&uri, revision, &now.1);
        } else {
            behind_its_back |= before.is_some_and(|before| before.0 == revision);
            let version = reported.version.filter(|_| abilities.versions);
            client.publish_diagnostics(uri.clone(), reported.found.clone(), version).await;
        }
        published.insert(uri, now);
    }
    if behind_its_back {
        refresh(client, abilities);
    }
}

/// Tells the client to ask again for what it pulls.
fn refresh(client: &Client, abilities: Abilities) {
    let client = client.clone();
    // Nobody waits for the answers: a client that never gives one must not stop the publishing.
    tokio::spawn(async move {
        if abilities.pulls_diagnostics {
            let _ = client.workspace_diagnostic_refresh().await;
        }
        if abilities.refreshes_hints {
            let _ = client.inlay_hint_refresh().await;
        }
        if abilities.refreshes_lenses {
            let _ = client.code_lens_refresh().await;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::Watcher;
    use crate::lsp::tests::{core_with, service_for};

    const HOUR: Duration = Duration::from_secs(3600);

    #[tokio::test]
    async fn while_it_rests_only_the_editor_makes_it_publish() {
        let service = service_for(std::path::Path::new("/home/me"));
        let core = core_with(service.inner(), Watcher::blind());
        core.changed_outside.notify_one();
        assert!(due(&core, Instant::now() + HOUR).now_or_never().is_none());
        core.changed.notify_one();
        assert!(due(&core, Instant::now() + HOUR).now_or_never().is_some());
        assert!(due(&core, Instant::now()).now_or_never().is_some(), "what changed outside is not forgotten");
    }

    #[test]
    fn it_rests_after_long_rounds_only() {
        assert_eq!(rest_after(Duration::from_millis(100)), Duration::ZERO);
        assert_eq!(rest_after(Duration::from_secs(2)), Duration::from_secs(8));
    }
}
