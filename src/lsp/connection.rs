//! The client at the other end: what it can do, what it was told, and the progress that it shows.

use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::sleep;
use tower_lsp::Client;
use tower_lsp::ls_types::{ProgressToken, Uri};

use super::abilities::Abilities;
use super::convert::Encoding;
use crate::answer::Resolution;
use crate::disk::scan::Progress;
use crate::engine::{Changed, Core};
use crate::tasks;
use crate::text::grouped;

/// Interval of progress reports.
const REPORT_EVERY: Duration = Duration::from_millis(250);

/// Maximum number of previews that are followed. Changes of older ones are not announced.
const FOLLOWED: usize = 32;

/// Answers per open document that the client was told, or may have been told. A client that asks between two
/// announcements knows several answers of one agent. The next announcement then names the agent if its answer differs
/// from any of them.
pub(crate) type Announced = HashMap<Uri, Vec<Arc<Resolution>>>;

/// Connection to one client.
pub(crate) struct Connection {
    pub client: Client,
    state: Mutex<State>,
    /// Signals a change in the editor: diagnostics may have to be published again.
    pub changed: Notify,
    /// Signals a change outside of the editor.
    pub changed_outside: Notify,
    /// Signals that diagnostics are up to date with the last change, so that follow-up notifications may be sent.
    pub settled: Notify,
}

/// What is known about the client.
#[derive(Default)]
pub(crate) struct State {
    pub abilities: Abilities,
    pub encoding: Encoding,
    pub announced: Announced,
    /// Previews requested last: the URI, and the answer that was shown.
    pub previews: VecDeque<(String, Arc<Resolution>)>,
    /// Last pulled diagnostics by document: its revision, and the result id.
    pub pulled: HashMap<Uri, (u64, String)>,
    /// True if the user permitted reading session records.
    pub agreed_to_records: bool,
}

impl Connection {
    /// Wraps the editor at the other end before it has said anything.
    pub fn new(client: Client) -> Arc<Connection> {
        let [changed, changed_outside, settled] = [const { Notify::const_new() }; 3];
        Arc::new(Connection { client, state: Mutex::default(), changed, changed_outside, settled })
    }

    /// Locks what is known of the editor. Hold it for a moment only, and never take the session's lock meanwhile.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what the editor said it is able to do.
    pub fn abilities(&self) -> Abilities {
        self.state().abilities
    }

    /// Returns the unit of positions that was negotiated.
    pub fn encoding(&self) -> Encoding {
        self.state().encoding
    }

    /// Follows a preview, so that a change of it is announced.
    pub fn follow(&self, uri: String, answer: &Arc<Resolution>) {
        let previews = &mut self.state().previews;
        previews.retain(|(other, _)| *other != uri);
        previews.push_back((uri, answer.clone()));
        if previews.len() > FOLLOWED {
            previews.pop_front();
        }
    }

    /// Scans a folder in the background, and shows the progress.
    pub fn look_through(self: &Arc<Self>, core: &Arc<Core>, folder: &Path) {
        let (path, token, progress) = core.enter(folder);
        let (connection, core) = (self.clone(), core.clone());
        tokio::spawn(async move {
            let (scanned, seen) = (path.clone(), progress.clone());
            let scan = tasks::in_background(move || {
                core.scan_now(&scanned, &seen);
                core.report(Changed::Editor);
                core.workspace.count().0
            });
            connection.show_progress(&path, ProgressToken::String(token), &progress, scan).await;
        });
    }

    /// Shows the progress of a scan until it has ended.
    async fn show_progress(
        &self,
        path: &Path,
        token: ProgressToken,
        progress: &Progress,
        scan: impl Future<Output = usize>,
    ) {
        tokio::pin!(scan);
        let shown =
            self.abilities().shows_progress && self.client.create_work_done_progress(token.clone()).await.is_ok();
        if !shown {
            scan.await;
            return;
        }
        let title = format!("Briefing: looking through {}", path.file_name().unwrap_or_default().display());
        let shown = self.client.progress(token, title).with_cancel_button().begin().await;
        let count = loop {
            tokio::select! {
                count = &mut scan => break count,
                () = sleep(REPORT_EVERY) => {
                    let count = grouped(progress.seen.load(Ordering::Relaxed));
                    shown.report_with_message(format!("{count} files and directories seen"), None).await;
                }
            }
        };
        shown.finish_with_message(format!("{} instruction files", grouped(count))).await;
    }
}
