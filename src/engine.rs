//! The engine answers the questions of all doors, using the workspace and its index.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

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
pub(crate) mod effort;
mod error;
pub mod evidence;
pub mod expect;
pub(crate) mod findings;
pub mod held;
mod helpers;
pub mod inspect;
pub(crate) mod memory;
pub(crate) mod mentions;
pub mod plan;
pub(crate) mod privacy;
pub(crate) mod session;
pub mod settings;
pub(crate) mod view;
pub(crate) mod wanted;
pub mod watch;
pub mod why;
pub(crate) mod workspace;

pub use error::{Error, Kind};
use mentions::Mentions;
use session::Session;
use settings::Settings;
use workspace::Workspace;

/// Date as year, month and day.
pub type Date = (i16, u8, u8);

/// State shared by request handlers and background work.
pub struct Core {
    /// This core, for threads that help to compute answers.
    me: Weak<Core>,
    pub(crate) index: Index,
    /// Cache used instead of the index if nothing is watched.
    pub(crate) at_rest: Option<AtRest>,
    /// Bound of the answers to a one-time command, see [`effort::bound`].
    pub(crate) bound: AtomicUsize,
    pub(crate) files: Buffers,
    /// True if `files` are those of the disk, and not those of a revision or a plan.
    pub(crate) is_on_disk: bool,
    /// Names below the folder of a one-time command.
    pub(crate) listing: Mutex<Option<Arc<below::Listing>>>,
    pub(crate) watcher: OnceLock<Watcher>,
    pub(crate) workspace: Workspace,
    /// Paths that the instruction files of the workspace mention.
    pub(crate) mentions: Mentions,
    /// True if something could not be watched. The index does not cache some answers then, and any change may affect
    /// them.
    pub(crate) blind: AtomicBool,
    pub(crate) session: Mutex<Session>,
    /// Limits what may be shown, for doors that may not show everything.
    pub(crate) privacy: OnceLock<privacy::Privacy>,
    pub(crate) today: Box<dyn Fn() -> Date + Send + Sync>,
    /// Called for every change that answers may depend on.
    listener: OnceLock<Listener>,
}

/// Place of a change that answers may depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Changed {
    /// In the editor: diagnostics may have to be published again.
    Editor,
    /// Outside of the editor.
    Outside,
}

/// Function that is called for changes. It must not block.
type Listener = Box<dyn Fn(Changed) + Send + Sync>;

impl Core {
    pub(crate) fn new(base: Defaults, today: Box<dyn Fn() -> Date + Send + Sync>) -> Arc<Core> {
        let core = Core::over(Buffers::over(Real), None, Session::new(base), today);
        let core = Arc::new_cyclic(|me| Core { me: me.clone(), ..core });
        let weak = core.me.clone();
        let watcher = Watcher::new(move |changes| {
            if let Some(core) = weak.upgrade() {
                core.happened(changes);
            }
        });
        // The watcher was just created, so nobody can have set it before.
        let _ = core.watcher.set(watcher);
        core
    }

    /// Creates a core for a single command: nothing is watched, and `files` are taken as unchanging.
    pub(crate) fn at_rest(base: Defaults, files: Buffers, is_on_disk: bool) -> Arc<Core> {
        let today = base.surroundings.date;
        let core = Core::over(files, Some(AtRest::default()), Session::new(base), Box::new(move || today));
        Arc::new(Core { is_on_disk, ..core })
    }

    pub(crate) fn over(
        files: Buffers,
        at_rest: Option<AtRest>,
        session: Session,
        today: Box<dyn Fn() -> Date + Send + Sync>,
    ) -> Core {
        Core {
            me: Weak::new(),
            index: Index::default(),
            at_rest,
            bound: AtomicUsize::new(effort::bound(0, 0)),
            files,
            is_on_disk: true,
            listing: Mutex::default(),
            watcher: OnceLock::new(),
            workspace: Workspace::default(),
            mentions: Mentions::default(),
            blind: AtomicBool::new(false),
            session: Mutex::new(session),
            privacy: OnceLock::new(),
            today,
            listener: OnceLock::new(),
        }
    }
}

impl Core {
    /// Has a function called for every change that answers may depend on. Only the first one is.
    pub(crate) fn listen(&self, listener: impl Fn(Changed) + Send + Sync + 'static) {
        let _ = self.listener.set(Box::new(listener));
    }

    /// Reports a change that answers may depend on.
    pub(crate) fn report(&self, changed: Changed) {
        if let Some(listener) = self.listener.get() {
            listener(changed);
        }
    }

    pub(crate) fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn put_in_force(&self, session: &mut Session, settings: Settings) {
        if let Some(watcher) = self.watcher.get() {
            watcher.limit(settings.watch_limit);
        }
        session.set(settings);
    }

    /// Returns the defaults for questions, with today's date.
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

    /// Starts watching, unless it was started before. Facts read until now are read again.
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
            // Changes of these facts would go unnoticed.
            self.blind.store(true, Ordering::Relaxed);
            self.index.forget([Change::Everything]);
            true
        };
        if changed {
            self.report(Changed::Outside);
        }
    }

    /// Handles changes of files outside of the editor.
    pub(crate) fn happened(self: &Arc<Self>, mut changes: Vec<Change>) {
        if let Some(watcher) = self.watcher.get() {
            watcher.disarm(&changes);
        }
        changes.extend(self.files.refresh(&changes).into_iter().map(Change::Path));
        self.noticed(&changes);
        self.mentions.forget(&changes);
        if self.index.forget(changes) || self.blind.load(Ordering::Relaxed) {
            self.report(Changed::Outside);
        }
    }

    /// Looks again at files that may have changed without an event, before an answer relies on them.
    pub(crate) fn look_at_shared(&self) {
        let mut changes = self.watcher.get().map(Watcher::changed_elsewhere).unwrap_or_default();
        if changes.is_empty() {
            return;
        }
        changes.extend(self.files.refresh(&changes).into_iter().map(Change::Path));
        self.mentions.forget(&changes);
        if self.index.forget(changes) {
            self.report(Changed::Outside);
        }
    }

    /// Handles changes that the client reports. It may name a file by another path (a link) than those who read it.
    pub(crate) fn reported(self: &Arc<Self>, paths: impl IntoIterator<Item = PathBuf>) {
        self.happened(paths.into_iter().flat_map(|path| [self.files.real(&path), path]).map(Change::Path).collect());
    }

    /// Handles a change of the text that the editor shows for a file; `None` means closed.
    pub(crate) fn edited(&self, path: &Path, text: Option<&str>) {
        let seen = match text {
            Some(text) => Some(self.files.set(path, text)),
            None => self.files.close(path),
        };
        self.seen(seen.into_iter().flatten());
    }

    /// Invalidates what depends on these changes in the editor, and reports the change.
    pub(crate) fn seen(&self, changes: impl IntoIterator<Item = Change>) {
        let changes: Vec<Change> = changes.into_iter().collect();
        self.mentions.forget(&changes);
        self.index.forget(changes);
        self.report(Changed::Editor);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::answer::Surroundings;

    /// Returns the defaults of a machine on which Codex is used.
    pub(crate) fn defaults_for(home: &Path) -> Defaults {
        let surroundings = Surroundings {
            date: (2026, 11, 21),
            time_zone: "Etc/UTC".to_owned(),
            shell: "bash".to_owned(),
            platform: "linux".to_owned(),
        };
        Defaults {
            home: home.to_owned(),
            env: Arc::default(),
            surroundings,
            enabled: vec!["codex".to_owned()],
            roster: Arc::default(),
            editor: Vec::new(),
            customs: Arc::default(),
            installed: Default::default(),
            sessions: BTreeMap::new(),
        }
    }

    /// Creates a core that is watching nothing yet.
    pub(crate) fn core_for(home: &Path) -> Arc<Core> {
        let base = defaults_for(home);
        let today = base.surroundings.date;
        Core::new(base, Box::new(move || today))
    }
}
