//! The engine: what answers questions for every door, over the workspace and its index.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tokio::sync::{Notify, Semaphore};

use crate::disk::{self, Buffers, Real, Watcher, Watching};
use crate::index::{AtRest, Index};
use crate::request::Defaults;
use crate::snapshot::Change;

pub(crate) mod alone;
pub(crate) mod answers;
pub mod audit;
pub(crate) mod below;
pub mod change;
pub mod check;
pub mod evidence;
pub mod expect;
pub mod held;
pub mod inspect;
pub(crate) mod memory;
pub(crate) mod mentions;
pub mod plan;
pub(crate) mod privacy;
pub(crate) mod session;
pub mod settings;
pub(crate) mod thread;
pub(crate) mod view;
pub mod watch;
pub mod why;
pub(crate) mod workspace;

use mentions::Mentions;
use session::Session;
use settings::Settings;
use workspace::Workspace;

/// Year, month, day.
pub type Date = (i16, u8, u8);

/// What handlers and background work share.
pub struct Core {
    pub(crate) index: Index,
    /// Takes the place of the index where nothing is watched.
    pub(crate) at_rest: Option<AtRest>,
    pub(crate) files: Buffers,
    pub(crate) watcher: OnceLock<Watcher>,
    pub(crate) workspace: Workspace,
    /// What the instruction files of the workspace name.
    pub(crate) mentions: Mentions,
    /// Something could not be watched: there are answers that the index does not remember, and any change may concern them.
    pub(crate) blind: AtomicBool,
    pub(crate) session: Mutex<Session>,
    /// What may be told, where not everything may.
    pub(crate) privacy: OnceLock<privacy::Privacy>,
    pub(crate) today: Box<dyn Fn() -> Date + Send + Sync>,
    /// Something changed in the editor: diagnostics may have to be published anew.
    pub(crate) changed: Notify,
    /// Something changed outside of it.
    pub(crate) changed_outside: Notify,
    /// Diagnostics have been published for what had changed; what else follows from it may be said.
    pub(crate) settled: Notify,
    /// Limits the threads that read for requests; the transport needs some of the same pool.
    pub(crate) readers: Arc<Semaphore>,
}

/// How many requests may read the disk at the same time.
const READERS: usize = 64;

impl Core {
    pub(crate) fn new(base: Defaults, today: Box<dyn Fn() -> Date + Send + Sync>) -> Arc<Core> {
        let core = Arc::new(Core::over(Buffers::over(Real), None, Session::new(base), today));
        let weak = Arc::downgrade(&core);
        let watcher = Watcher::new(move |changes| {
            if let Some(core) = weak.upgrade() {
                core.happened(changes);
            }
        });
        // It was made just now, so nobody set it before.
        let _ = core.watcher.set(watcher);
        core
    }

    /// One that answers and ends: nothing is watched, and `files` stay as they are.
    pub(crate) fn at_rest(base: Defaults, files: Buffers) -> Arc<Core> {
        let today = base.surroundings.date;
        Arc::new(Core::over(files, Some(AtRest::default()), Session::new(base), Box::new(move || today)))
    }

    pub(crate) fn over(
        files: Buffers,
        at_rest: Option<AtRest>,
        session: Session,
        today: Box<dyn Fn() -> Date + Send + Sync>,
    ) -> Core {
        Core {
            index: Index::default(),
            at_rest,
            files,
            watcher: OnceLock::new(),
            workspace: Workspace::default(),
            mentions: Mentions::default(),
            blind: AtomicBool::new(false),
            session: Mutex::new(session),
            privacy: OnceLock::new(),
            today,
            changed: Notify::new(),
            changed_outside: Notify::new(),
            settled: Notify::new(),
            readers: Arc::new(Semaphore::new(READERS)),
        }
    }
}

impl Core {
    pub(crate) fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn put_in_force(&self, session: &mut Session, settings: Settings) {
        if let Some(watcher) = self.watcher.get() {
            watcher.limit(settings.watch_limit);
        }
        session.set(settings);
    }

    /// What questions leave out, as of today.
    pub(crate) fn defaults(&self) -> Arc<Defaults> {
        let today = (self.today)();
        let mut session = self.session();
        if session.base.surroundings.date != today {
            session.base.surroundings.date = today;
            let settings = session.settings.clone();
            session.set(settings);
        }
        session.defaults.clone()
    }

    /// Watches from now on, unless it does already. What was looked at by now is looked at again.
    pub(crate) fn watch(&self) {
        let Some(watcher) = self.watcher.get() else { return };
        let Some(all) = watcher.begin() else { return };
        self.files.refresh(&[Change::Everything]);
        self.mentions.forget(&[Change::Everything]);
        let watching = Watching::new(&self.files, watcher);
        let observed = disk::observe_all(&watching, self.index.told());
        let changed = if all && !watching.was_blind() {
            self.index.confirm(observed)
        } else {
            // Nobody would tell when these facts change.
            self.blind.store(true, Ordering::Relaxed);
            self.index.forget([Change::Everything]);
            true
        };
        if changed {
            self.changed_outside.notify_one();
        }
    }

    /// Something happened to files outside the editor.
    pub(crate) fn happened(self: &Arc<Self>, mut changes: Vec<Change>) {
        if let Some(watcher) = self.watcher.get() {
            watcher.disarm(&changes);
        }
        changes.extend(self.files.refresh(&changes).into_iter().map(Change::Path));
        self.noticed(&changes);
        self.mentions.forget(&changes);
        if self.index.forget(changes) || self.blind.load(Ordering::Relaxed) {
            self.changed_outside.notify_one();
        }
    }

    /// The client says that something happened. It may name a file in another way than those who read it.
    pub(crate) fn reported(self: &Arc<Self>, paths: impl IntoIterator<Item = PathBuf>) {
        self.happened(paths.into_iter().flat_map(|path| [self.files.real(&path), path]).map(Change::Path).collect());
    }

    /// What the editor shows for a file has changed.
    pub(crate) fn edited(&self, path: &Path, text: Option<&str>) {
        let seen = match text {
            Some(text) => Some(self.files.set(path, text)),
            None => self.files.close(path),
        };
        self.seen(seen.into_iter().flatten());
    }

    /// A change in the editor, as it is seen.
    pub(crate) fn seen(&self, changes: impl IntoIterator<Item = Change>) {
        let changes: Vec<Change> = changes.into_iter().collect();
        self.mentions.forget(&changes);
        self.index.forget(changes);
        self.changed.notify_one();
    }
}
