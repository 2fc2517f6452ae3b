//! The LSP service: what editors ask, answered from the index.
//!
//! Edits, file events and settings are applied before a handler's first await, and the transport polls each call once in
//! arrival order; so whatever is asked after an edit sees it.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tokio::sync::{Notify, Semaphore};
use tokio::task::AbortHandle;
use tower_lsp::ls_types::Uri;
use tower_lsp::{Client, LspService};

use crate::answer::{Resolution, Standpoint};
use crate::disk::{Buffers, Real, Watcher, Watching};
use crate::harness::Choice;
use crate::index::{self, Index, Reply};
use crate::request::Defaults;
use crate::snapshot::Change;

mod capabilities;
pub mod convert;
mod documents;
pub mod ext;
mod handlers;
mod publish;
pub mod settings;
pub mod transport;

use capabilities::Abilities;
use convert::Encoding;
use documents::Document;
use settings::Settings;

/// One client's server.
pub struct Server {
    client: Client,
    core: Arc<Core>,
    /// Publishes diagnostics from `initialized` on, until the server is dropped.
    publisher: OnceLock<AbortHandle>,
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(publisher) = self.publisher.get() {
            publisher.abort();
        }
    }
}

/// What handlers and background work share.
struct Core {
    index: Index,
    files: Buffers<Real>,
    watcher: OnceLock<Watcher>,
    /// Something could not be watched, so changes may concern answers that nobody remembers.
    blind: AtomicBool,
    session: Mutex<Session>,
    /// Something changed: diagnostics may have to be published anew.
    changed: Notify,
    /// Limits the threads that read for requests; the transport needs some of the same pool.
    readers: Arc<Semaphore>,
}

/// How many requests may read the disk at the same time.
const READERS: usize = 64;

/// What the client told so far.
struct Session {
    /// What the process was started with: home, environment, clock.
    base: Defaults,
    /// The settings that came with `initialize`; they count where the client's configuration says nothing.
    initial: Settings,
    settings: Settings,
    /// `settings` over `base`.
    defaults: Arc<Defaults>,
    /// The names of instruction files of every custom harness that was declared so far.
    custom_names: HashSet<OsString>,
    /// Counts how often the settings were asked for or set, so that a late answer does not replace a newer one.
    settings_round: u64,
    folders: Vec<PathBuf>,
    encoding: Encoding,
    abilities: Abilities,
    documents: HashMap<Uri, Document>,
    /// Counts the states of documents: versions may begin anew when a document is opened again.
    revision: u64,
}

/// Serves one client on standard input and output, until it leaves.
pub fn run(base: Defaults) -> Result<ExitCode, String> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .build()
        .map_err(|error| format!("the server cannot start: {error}"))?;
    let (service, socket) = service(base);
    let exit = runtime.block_on(transport::serve(tokio::io::stdin(), tokio::io::stdout(), service, socket));
    // Returning would wait for the thread that is blocked in a read of standard input.
    std::process::exit(exit.code())
}

/// Panics while it holds the session, so that tests can see the real program survive that. Debug builds only.
#[cfg(debug_assertions)]
pub const PANIC: &str = "$/briefing/panic";

/// The service alone, for a transport of the caller's.
pub fn service(base: Defaults) -> (LspService<Server>, tower_lsp::ClientSocket) {
    let builder = LspService::build(|client| Server::new(client, base))
        .custom_method(ext::EFFECTIVE_INSTRUCTIONS, Server::effective_instructions)
        .custom_method(ext::HARNESSES, Server::harnesses)
        .custom_method(ext::EXPLAIN, Server::explain)
        .custom_method(ext::STATUS, Server::status)
        .custom_method(transport::NOT_UNDERSTOOD, Server::not_understood);
    #[cfg(debug_assertions)]
    let builder = builder.custom_method(PANIC, Server::panic);
    builder.finish()
}

impl Server {
    fn new(client: Client, base: Defaults) -> Server {
        let core = Arc::new(Core {
            index: Index::default(),
            files: Buffers::over(Real),
            watcher: OnceLock::new(),
            blind: AtomicBool::new(false),
            session: Mutex::new(Session::new(base)),
            changed: Notify::new(),
            readers: Arc::new(Semaphore::new(READERS)),
        });
        let weak = Arc::downgrade(&core);
        let watcher = Watcher::new(move |changes| {
            if let Some(core) = weak.upgrade() {
                core.happened(changes);
            }
        });
        // It was made just now, so nobody set it before.
        let _ = core.watcher.set(watcher);
        Server { client, core, publisher: OnceLock::new() }
    }

    #[cfg(debug_assertions)]
    async fn panic(&self) -> tower_lsp::jsonrpc::Result<()> {
        let _session = self.core.session();
        panic!("on purpose")
    }
}

impl Session {
    fn new(base: Defaults) -> Session {
        Session {
            defaults: Arc::new(base.clone()),
            custom_names: HashSet::new(),
            base,
            initial: Settings::default(),
            settings: Settings::default(),
            settings_round: 0,
            folders: Vec::new(),
            encoding: Encoding::Utf16,
            abilities: Abilities::default(),
            documents: HashMap::new(),
            revision: 0,
        }
    }

    /// Where an agent that reads `path` is assumed to be started: what the settings say, else the innermost workspace
    /// folder that holds the file, else the file's own directory. Without a file: the first workspace folder.
    fn cwd_for(&self, path: Option<&Path>) -> Option<PathBuf> {
        let holds = |folder: &&PathBuf| path.is_some_and(|path| path.starts_with(folder));
        let folder = self.folders.iter().filter(holds).max_by_key(|folder| folder.as_os_str().len());
        match (&self.settings.cwd, folder.or(self.folders.first()), path) {
            (Some(cwd), Some(base), _) => Some(base.join(cwd)),
            (Some(cwd), None, _) => Some(PathBuf::from(cwd)).filter(|cwd| cwd.is_absolute()),
            (None, first, None) => first.cloned(),
            (None, _, Some(path)) => Some(folder.cloned().unwrap_or_else(|| crate::request::directory_of(path))),
        }
    }

    fn set(&mut self, settings: Settings) {
        self.defaults = Arc::new(settings.over(&self.base));
        self.settings = settings;
    }

    fn next_revision(&mut self) -> u64 {
        self.revision += 1;
        self.revision
    }
}

impl Core {
    fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something happened to files outside the editor.
    fn happened(&self, mut changes: Vec<Change>) {
        if let Some(watcher) = self.watcher.get() {
            watcher.disarm(&changes);
        }
        changes.extend(self.files.refresh(&changes).into_iter().map(Change::Path));
        if self.index.forget(changes) || self.blind.load(Ordering::Relaxed) {
            self.changed.notify_one();
        }
    }

    /// The client says that something happened. It may name a file in another way than those who read it.
    fn reported(&self, paths: impl IntoIterator<Item = PathBuf>) {
        self.happened(paths.into_iter().flat_map(|path| [self.files.real(&path), path]).map(Change::Path).collect());
    }

    /// What the editor shows for a file has changed.
    fn edited(&self, path: &Path, text: Option<&str>) {
        let seen_at = match text {
            Some(text) => Some(self.files.set(path, text)),
            None => self.files.close(path),
        };
        self.index.forget(seen_at.into_iter().flatten().map(Change::Path));
        self.changed.notify_one();
    }

    /// The answer. What is remembered comes at once; else it is worked out on a thread that may wait for the disk.
    async fn answer(self: &Arc<Self>, choice: Choice, standpoint: Arc<Standpoint>) -> (Arc<Resolution>, u64) {
        if let Some(remembered) = self.index.recall(&choice, &standpoint) {
            return remembered;
        }
        let permit = self.readers.clone().acquire_owned().await.expect("never closed");
        let wanted = Wanted::default();
        let still_wanted = wanted.0.clone();
        let core = self.clone();
        let read = move || {
            let _permit = permit;
            core.answer_reading(&choice, &standpoint, &still_wanted)
        };
        match tokio::task::spawn_blocking(read).await {
            Ok(Some(answer)) => answer,
            Ok(None) => unreachable!("it is still wanted: we wait for it"),
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => unreachable!("blocking work is not cancelled while the runtime lives"),
            },
        }
    }

    /// Asks, reads what is missing, and asks again; `None` once nobody wants the answer any more.
    fn answer_reading(
        &self,
        choice: &Choice,
        standpoint: &Arc<Standpoint>,
        wanted: &AtomicBool,
    ) -> Option<(Arc<Resolution>, u64)> {
        while wanted.load(Ordering::Relaxed) {
            let (asks, tick) = match self.index.ask(choice, standpoint) {
                Reply::Answer(answer, version) => return Some((answer, version)),
                Reply::Missing(asks, tick) => (asks, tick),
            };
            let Some(watcher) = self.watcher.get() else { unreachable!("set when the server was made") };
            let watching = Watching::new(&self.files, watcher);
            let observed = index::observe(&watching, asks);
            if watching.was_blind() {
                // Nobody would tell when such facts change, so they hold for this answer only.
                self.blind.store(true, Ordering::Relaxed);
                let (answer, _) = Index::default().answer(&self.files, choice, standpoint);
                return Some((answer, self.index.version()));
            }
            self.index.learn(observed, tick);
        }
        None
    }
}

/// Says, when it is dropped, that nobody waits any more.
struct Wanted(Arc<AtomicBool>);

impl Default for Wanted {
    fn default() -> Wanted {
        Wanted(Arc::new(AtomicBool::new(true)))
    }
}

impl Drop for Wanted {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}
