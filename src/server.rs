//! The LSP service: what editors ask, answered from the index.
//!
//! Edits, file events and settings are applied before a handler's first await, and the transport polls each call once in
//! arrival order; so whatever is asked after an edit sees it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tokio::sync::Notify;
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
pub mod settings;
pub mod transport;

use convert::Encoding;
use documents::Document;
use settings::Settings;

/// One client's server.
pub struct Server {
    client: Client,
    core: Arc<Core>,
}

/// What handlers and background work share.
struct Core {
    index: Index,
    files: Buffers<Real>,
    watcher: OnceLock<Watcher>,
    session: Mutex<Session>,
    /// Something changed: diagnostics may have to be published anew.
    changed: Notify,
}

/// What the client told so far.
struct Session {
    /// What the process was started with: home, environment, clock.
    base: Defaults,
    settings: Settings,
    folders: Vec<PathBuf>,
    encoding: Encoding,
    documents: HashMap<Uri, Document>,
    /// Whether the client lets the server register for file events.
    registers_file_events: bool,
    /// Whether it can be asked for its settings.
    pulls_settings: bool,
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

/// The service alone, for a transport of the caller's.
pub fn service(base: Defaults) -> (LspService<Server>, tower_lsp::ClientSocket) {
    LspService::build(|client| Server::new(client, base))
        .custom_method(ext::EFFECTIVE_INSTRUCTIONS, Server::effective_instructions)
        .custom_method(ext::HARNESSES, Server::harnesses)
        .custom_method(ext::EXPLAIN, Server::explain)
        .custom_method(ext::STATUS, Server::status)
        .finish()
}

impl Server {
    fn new(client: Client, base: Defaults) -> Server {
        let core = Arc::new(Core {
            index: Index::default(),
            files: Buffers::over(Real),
            watcher: OnceLock::new(),
            session: Mutex::new(Session::new(base)),
            changed: Notify::new(),
        });
        let weak = Arc::downgrade(&core);
        let watcher = Watcher::new(move |changes| {
            if let Some(core) = weak.upgrade() {
                core.happened(changes);
            }
        });
        // It was made just now, so nobody set it before.
        let _ = core.watcher.set(watcher);
        Server { client, core }
    }
}

impl Session {
    fn new(base: Defaults) -> Session {
        Session {
            base,
            settings: Settings::default(),
            folders: Vec::new(),
            encoding: Encoding::Utf16,
            documents: HashMap::new(),
            registers_file_events: false,
            pulls_settings: false,
        }
    }

    /// Where an agent that reads `path` is assumed to be started: what the settings say, else the innermost workspace
    /// folder that holds the file, else the file's own directory.
    fn cwd_for(&self, path: &Path) -> PathBuf {
        let folder =
            self.folders.iter().filter(|folder| path.starts_with(folder)).max_by_key(|folder| folder.as_os_str().len());
        match (&self.settings.cwd, folder.or_else(|| self.folders.first())) {
            (Some(cwd), Some(base)) => base.join(cwd),
            (Some(cwd), None) => PathBuf::from(cwd),
            (None, _) => folder.cloned().unwrap_or_else(|| crate::request::directory_of(path)),
        }
    }

    fn defaults(&self) -> Defaults {
        self.settings.over(&self.base)
    }
}

impl Core {
    fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something happened to files outside the editor.
    fn happened(&self, changes: Vec<Change>) {
        self.files.refresh(changes.iter().filter_map(|change| match change {
            Change::Path(path) => Some(path.as_path()),
            Change::Everything => None,
        }));
        if let Some(watcher) = self.watcher.get() {
            watcher.disarm(&changes);
        }
        if self.index.forget(changes) {
            self.changed.notify_one();
        }
    }

    /// What the editor shows for a file has changed.
    fn edited(&self, path: &Path, text: Option<&str>) {
        let real = match text {
            Some(text) => self.files.set(path, text),
            None => self.files.close(path),
        };
        self.index.forget([Change::Path(path.to_owned()), Change::Path(real)]);
        self.changed.notify_one();
    }

    /// The answer. What is remembered comes at once; else the disk is read on a thread that may wait for it.
    async fn answer(self: &Arc<Self>, choice: Choice, standpoint: Arc<Standpoint>) -> (Arc<Resolution>, u64) {
        self.index.forget_unwatched();
        if let Reply::Answer(answer, version) = self.index.ask(&choice, &standpoint) {
            return (answer, version);
        }
        let core = self.clone();
        let read = move || core.answer_reading(&choice, &standpoint);
        match tokio::task::spawn_blocking(read).await {
            Ok(answer) => answer,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => unreachable!("blocking work is not cancelled while the runtime lives"),
            },
        }
    }

    fn answer_reading(&self, choice: &Choice, standpoint: &Arc<Standpoint>) -> (Arc<Resolution>, u64) {
        loop {
            match self.index.ask(choice, standpoint) {
                Reply::Answer(answer, version) => return (answer, version),
                Reply::Missing(asks, tick) => {
                    let Some(watcher) = self.watcher.get() else { unreachable!("set when the server was made") };
                    let watching = Watching::new(&self.files, watcher);
                    let observed = index::observe(&watching, asks);
                    self.index.learn(
                        observed,
                        tick,
                        if watching.was_blind() { index::Keep::Unwatched } else { index::Keep::UntilChanged },
                    );
                }
            }
        }
    }
}
