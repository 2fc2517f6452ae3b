//! The LSP server.
//!
//! Edits, file events and settings are applied before a handler's first await, and the transport polls each call once in
//! arrival order. A request that follows an edit therefore sees the edit.

use std::ops::Deref;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use futures::future::BoxFuture;
use tower_lsp::jsonrpc::{self, ErrorCode, Result};
use tower_lsp::{Client, ClientSocket, LspService};

use crate::engine::{Changed, Core, Date, Error, Kind};
use crate::request::Defaults;
use crate::tasks;
use connection::Connection;
use features::diagnostics::Diagnostics;
use own_thread::{BlockingIo, OwnThread};

mod abilities;
pub(crate) mod alone;
pub(crate) mod announce;
pub(crate) mod capabilities;
pub(crate) mod changes;
pub(crate) mod connection;
pub mod convert;
pub(crate) mod editing;
pub mod ext;
pub(crate) mod features;
mod handlers;
mod own_thread;
mod publish;
pub(crate) mod requests;
pub mod transport;
pub(crate) mod view;

/// Server of one client.
pub struct Server {
    pub(crate) context: Context,
    /// Threads that publish diagnostics and announce changed instructions, from `initialized` until the server is
    /// dropped.
    pub(crate) background: OnceLock<[OwnThread; 2]>,
    /// Locked while the user is asked whether records may be read.
    pub(crate) asking_for_records: tokio::sync::Mutex<()>,
}

/// State that requests use; each takes a clone to its own thread.
#[derive(Clone)]
pub struct Context {
    pub(crate) connection: Arc<Connection>,
    pub(crate) core: Arc<Core>,
    pub(crate) diagnostics: Arc<Diagnostics>,
}

impl Deref for Server {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.core.workspace.cancel(None);
        self.background.get().into_iter().flatten().for_each(OwnThread::abort);
    }
}

/// Serves one client on standard input and output until it disconnects.
pub fn run(base: Defaults, today: fn() -> Date) -> std::result::Result<ExitCode, String> {
    // One thread is enough for messages and timers: requests are worked on by others.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .map_err(|error| format!("the server cannot start: {error}"))?;
    let (service, socket) = service_on(base, today);
    let (input, output) = (BlockingIo(std::io::stdin()), BlockingIo(unbuffered_output()?));
    let exit = runtime.block_on(transport::serve(input, output, service, socket));
    // Exit instead of return: dropping the runtime would wait for work that is still running.
    std::process::exit(exit.code())
}

/// Returns standard output without Rust's line buffer, which would flush in the middle of every message.
fn unbuffered_output() -> std::result::Result<std::fs::File, String> {
    #[cfg(unix)]
    let output = std::os::fd::AsFd::as_fd(&std::io::stdout()).try_clone_to_owned();
    #[cfg(windows)]
    let output = std::os::windows::io::AsHandle::as_handle(&std::io::stdout()).try_clone_to_owned();
    output.map(Into::into).map_err(|error| format!("the server cannot write to its client: {error}"))
}

/// Error code `LSPErrorCodes.RequestFailed` of LSP 3.17: the request is valid but cannot be fulfilled.
const REQUEST_FAILED: i64 = -32803;

/// Request that panics while holding the session lock, so that tests can check that the real program survives it. Debug
/// builds only.
#[cfg(debug_assertions)]
pub const PANIC: &str = "$/briefing/panic";

/// Creates the service without a transport. Its date stays the date in `base`.
pub fn service(base: Defaults) -> (LspService<Server>, ClientSocket) {
    let today = base.surroundings.date;
    service_on(base, move || today)
}

/// Creates the service without a transport, with a clock: a server runs for days, and environment blocks contain the
/// date.
pub fn service_on(
    base: Defaults,
    today: impl Fn() -> Date + Send + Sync + 'static,
) -> (LspService<Server>, ClientSocket) {
    let builder = LspService::build(|client| Server::new(client, base, Box::new(today)))
        .custom_method(ext::EFFECTIVE_INSTRUCTIONS, on_thread(Context::effective_instructions))
        .custom_method(ext::HARNESSES, on_thread(Context::harnesses))
        .custom_method(ext::ROSTER, on_thread(Context::roster))
        .custom_method(ext::EXPLAIN, on_thread(Context::explain))
        .custom_method(ext::STATUS, on_thread(Context::status))
        .custom_method(ext::CONTEXT_REPORT, on_thread(Context::context_report))
        .custom_method(ext::COMPARE, on_thread(Context::compare))
        .custom_method(ext::SESSION, on_thread(Context::session))
        .custom_method(ext::AGENTS, on_thread(Context::agents))
        .custom_method(ext::SESSIONS, Server::recorded_sessions)
        .custom_method(ext::AUDIT, Server::audit)
        .custom_method(ext::INSTRUCTION_FILES, on_thread(Context::instruction_files))
        .custom_method(ext::READERS, on_thread(Context::readers))
        .custom_method(ext::PREVIEW, on_thread(Context::preview))
        .custom_method(ext::TEXT_DOCUMENT_CONTENT, on_thread(Context::text_document_content))
        .custom_method("window/workDoneProgress/cancel", Server::progress_cancelled)
        .custom_method(transport::NOT_UNDERSTOOD, Server::not_understood);
    #[cfg(debug_assertions)]
    let builder = builder.custom_method(PANIC, Server::panic);
    builder.finish()
}

impl Server {
    pub(crate) fn new(client: Client, base: Defaults, today: Box<dyn Fn() -> Date + Send + Sync>) -> Server {
        Server::over(client, Core::new(base, today))
    }

    /// Creates a server over `core`, which may be shared.
    pub(crate) fn over(client: Client, core: Arc<Core>) -> Server {
        let connection = Connection::new(client);
        let listening = connection.clone();
        core.listen(move |changed| match changed {
            Changed::Editor => listening.changed.notify_one(),
            Changed::Outside => listening.changed_outside.notify_one(),
        });
        let diagnostics = Arc::new(Diagnostics::of_client(connection.clone()));
        Server {
            context: Context { connection, core, diagnostics },
            background: OnceLock::new(),
            asking_for_records: tokio::sync::Mutex::default(),
        }
    }

    /// Runs a request on its own thread.
    pub(crate) async fn on_thread<T: Send + 'static>(&self, work: impl FnOnce(&Context) -> T + Send + 'static) -> T {
        let context = self.context.clone();
        tasks::on_thread(move || work(&context)).await
    }

    #[cfg(debug_assertions)]
    async fn panic(&self) -> Result<()> {
        let _session = self.core.session();
        panic!("on purpose")
    }
}

/// Returns the handler of a custom request that runs on its own thread.
fn on_thread<P: Send + 'static, R: Send + 'static>(
    work: fn(&Context, P) -> Result<R>,
) -> impl Fn(&Server, P) -> BoxFuture<'static, Result<R>> + Clone {
    move |server, params| {
        let context = server.context.clone();
        Box::pin(tasks::on_thread(move || work(&context, params)))
    }
}

impl From<Error> for jsonrpc::Error {
    fn from(error: Error) -> jsonrpc::Error {
        let code = match error.kind {
            Kind::Invalid => ErrorCode::InvalidParams,
            Kind::Failed => ErrorCode::ServerError(REQUEST_FAILED),
            Kind::Modified => ErrorCode::ContentModified,
        };
        jsonrpc::Error { code, message: error.message.into(), data: None }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests write to scratch directories")]
pub(crate) mod tests {
    use std::path::{Path, PathBuf};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Mutex, PoisonError};

    use super::*;
    use crate::disk::{self, Buffers, Real, Watcher};
    use crate::engine::session::Session;
    use crate::engine::tests::defaults_for;
    use crate::engine::wanted;
    use crate::index::Keep;
    use crate::request::{Places, Request};
    use crate::resolve::AgentQuestion;
    use crate::snapshot::Change;
    use tower_lsp::LanguageServer;
    use tower_lsp::ls_types::InitializedParams;

    pub(crate) fn service_for(home: &Path) -> LspService<Server> {
        service(defaults_for(home)).0
    }

    fn question(core: &Core, cwd: &Path) -> AgentQuestion {
        let places = Places { cwd: cwd.to_owned(), target: None, read_before: Vec::new(), already_loaded: Vec::new() };
        let questions = Request::default().questions(&core.defaults(), &places).expect("a question");
        let (choice, standpoint) = questions.into_iter().next().expect("one harness is enabled");
        AgentQuestion::new(choice, standpoint)
    }

    /// Creates a core like that of `server`, with another watcher.
    pub(super) fn core_with(server: &Server, watcher: Watcher) -> Arc<Core> {
        core_over(server, Buffers::over(Real), watcher)
    }

    /// Creates a core like that of `server`, with another disk and another watcher.
    fn core_over(server: &Server, files: Buffers, watcher: Watcher) -> Arc<Core> {
        let session = Session::new(server.core.session().base.clone());
        let core = Core::over(files, None, session, Box::new(|| (2026, 11, 21)));
        let _ = core.watcher.set(watcher);
        Arc::new(core)
    }

    #[tokio::test]
    async fn nothing_is_left_of_a_server_that_is_dropped() {
        let scratch = tempfile::TempDir::new().expect("a scratch directory");
        let service = service_for(scratch.path());
        service.inner().initialized(InitializedParams {}).await;
        let core = Arc::downgrade(&service.inner().core);
        drop(service);
        // The publisher releases the core when it is next scheduled, the watching thread when it next waits.
        let gone = async {
            while core.strong_count() > 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(std::time::Duration::from_secs(20), gone).await.expect("it is gone in time");
    }

    #[test]
    fn what_was_asked_about_a_document_is_known_when_it_is_looked_at_again() {
        let scratch = tempfile::TempDir::new().expect("a scratch directory");
        let (root, below) = (scratch.path().canonicalize().expect("it is there"), "below/AGENTS.md");
        std::fs::create_dir(root.join("below")).expect("it is made");
        let service = service_for(&root.join("home"));
        let server = service.inner();
        server.core.session().folders = vec![root.clone()];
        let uri = convert::uri_of(&root.join(below)).expect("a URI");
        server.open(uri.clone(), 1, "Rules.");
        let (path, asked) = (root.join(below), || server.core.session().documents[uri.as_str()].asked.clone());
        server.core.view(&path).expect("a view");
        let starts: Vec<_> =
            asked().into_iter().map(|asked| (asked.standpoint.cwd.clone(), asked.standpoint.target.clone())).collect();
        assert_eq!(starts, [(root.clone(), Some(path.clone())), (root.join("below"), None)]);
        server.core.edited(&path, Some("Other rules."));
        let worked_out = server.core.index.worked_out();
        server.core.answers_to(asked());
        let all = server.core.index.worked_out();
        assert!(all > worked_out, "an edit takes them");
        server.core.view(&path).expect("a view");
        assert_eq!(server.core.index.worked_out(), all, "nothing else is asked");
    }

    #[test]
    fn what_is_given_up_on_one_thread_is_neither_worked_out_nor_answered() {
        let scratch = tempfile::TempDir::new().expect("a scratch directory");
        let service = service_for(scratch.path());
        let core = service.inner().core.clone();
        let asked = question(&core, scratch.path());
        let given_up = Arc::new(AtomicBool::new(false));
        let work = || wanted::run(given_up, || core.answers_to(vec![asked]));
        let Err(end) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) else { panic!("it is answered") };
        assert!(end.is::<wanted::Cancelled>());
        assert_eq!(core.index.worked_out(), 0);
    }

    #[test]
    fn after_events_were_lost_everything_is_looked_at_anew() {
        let scratch = tempfile::TempDir::new().expect("a scratch directory");
        let dir = scratch.path().canonicalize().expect("it is there");
        let service = service_for(&dir.join("home"));
        // Events of this watcher are dropped.
        let core = core_with(service.inner(), Watcher::new(drop));
        core.watch();
        let question = question(&core, &dir);
        let text = || {
            core.answer_reading(question.clone(), Keep::Answer)
                .answer
                .messages
                .first()
                .map_or(String::new(), |message| message.text.to_string())
        };
        std::fs::write(dir.join("AGENTS.md"), "One.").expect("it is written");
        assert!(text().contains("One."));
        std::fs::write(dir.join("AGENTS.md"), "Two.").expect("it is written");
        assert!(text().contains("One."), "nobody said anything");
        core.happened(vec![Change::Everything]);
        assert!(text().contains("Two."));
        assert!(core.watcher.get().is_some_and(|watcher| watcher.count() > 0), "it is watched again");
    }

    #[test]
    fn what_was_looked_at_before_watching_began_is_looked_at_again() {
        let scratch = tempfile::TempDir::new().expect("a scratch directory");
        let dir = scratch.path().canonicalize().expect("it is there");
        let service = service_for(&dir.join("home"));
        let core = core_with(service.inner(), Watcher::new(drop));
        let changes = dir.join("changes");
        let ask = |cwd: &Path| {
            let question = question(&core, cwd);
            core.answer_reading(question, Keep::Answer)
                .answer
                .messages
                .iter()
                .map(|message| message.text.to_string())
                .collect::<String>()
        };
        std::fs::create_dir(&changes).expect("it is made");
        std::fs::write(changes.join("AGENTS.md"), "One.").expect("it is written");
        let other = ask(&dir);
        assert!(ask(&changes).contains("One."));
        std::fs::write(changes.join("AGENTS.md"), "Two.").expect("it is written");
        let count = core.index.worked_out();
        core.watch();
        assert!(ask(&changes).contains("Two."));
        assert_eq!(ask(&dir), other);
        assert_eq!(core.index.worked_out(), count + 1, "what is the same is not worked out again");
    }

    #[test]
    fn where_nothing_can_be_watched_every_answer_is_fresh_and_every_hint_is_taken() {
        let scratch = tempfile::TempDir::new().expect("a scratch directory");
        let service = service_for(&scratch.path().join("home"));
        let server = service.inner();
        let core = core_with(server, Watcher::blind());
        let question = question(&core, scratch.path());
        let file = scratch.path().join("AGENTS.md");
        for count in 0..3 {
            std::fs::write(&file, format!("Count {count}.")).expect("it is written");
            let answer = core.answer_reading(question.clone(), Keep::Answer);
            assert!(answer.answer.messages[0].text.contains(&format!("Count {count}.")));
        }
        assert_eq!(core.index.sizes().1, 0);
        let reported = Arc::new(AtomicBool::new(false));
        let listening = reported.clone();
        core.listen(move |changed| listening.store(changed == Changed::Outside, Ordering::Relaxed));
        core.happened(vec![Change::Path(file)]);
        assert!(reported.load(Ordering::Relaxed), "diagnostics may be stale");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn directories_without_instructions_are_not_watched_but_looked_through_again() {
        let scratch = tempfile::TempDir::new().expect("a scratch directory");
        let root = scratch.path().canonicalize().expect("it is there").join("root");
        for dir in ["quiet", "filling"] {
            std::fs::create_dir_all(root.join(dir)).expect("it is made");
        }
        std::fs::write(root.join("AGENTS.md"), "Rules.").expect("it is written");
        let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
        let quiet = std::fs::File::open(root.join("quiet")).expect("it is there");
        quiet.set_modified(long_ago).expect("it is its owner's");
        let service = service_for(&root.join("home"));
        let core = core_with(service.inner(), Watcher::new(drop));
        service.inner().connection.look_through(&core, &root);
        let files = || core.files_of(&root).files.len();
        assert_eq!(files(), 1);
        let watched = || core.watcher.get().expect("a watcher").count() - root.ancestors().count();
        assert_eq!(watched(), 1, "only the one that is being filled");
        std::fs::write(root.join("quiet/AGENTS.md"), "Rules.").expect("it is written");
        assert_eq!(files(), 1, "nobody told");
        core.workspace.outdate(&root);
        core.session().client_watches = true;
        assert_eq!(files(), 1, "the client tells");
        core.session().custom_names.insert("RULES.md".into());
        assert_eq!((files(), watched()), (2, 2));
    }

    #[test]
    fn a_harness_that_panics_is_refused_and_the_others_answer() {
        let scratch = tempfile::TempDir::new().expect("a scratch directory");
        let service = service_for(scratch.path());
        let core = &service.inner().core;
        let question = question(core, scratch.path());
        let both =
            || vec![AgentQuestion { choice: crate::resolve::tests::panicking(), ..question.clone() }, question.clone()];
        for _ in 0..2 {
            let answers = core.answers_to(both());
            let refused: Vec<bool> = answers.iter().map(|(answer, _)| answer.answer.refusal.is_some()).collect();
            assert_eq!(refused, [true, false]);
        }
        assert_eq!(core.index.sizes().1, 1, "what is broken is not remembered");
    }

    /// A disk that withholds one file until the gate is opened.
    struct Gate {
        shut: PathBuf,
        opened: Mutex<std::sync::mpsc::Receiver<()>>,
    }

    impl disk::Each for Gate {
        fn before(&self, _: &dyn disk::Filesystem, looked_at: disk::LookedAt) {
            if matches!(looked_at, disk::LookedAt::Bytes(path) if path == self.shut) {
                // `recv` returns when the sender is dropped.
                let _ = self.opened.lock().unwrap_or_else(PoisonError::into_inner).recv();
            }
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_file_that_the_disk_is_slow_with_keeps_nobody_waiting_who_asks_about_another() {
        let scratch = tempfile::TempDir::new().expect("a scratch directory");
        let dir = scratch.path().canonicalize().expect("it is there");
        let (slow, fast) = (dir.join("slow/AGENTS.md"), dir.join("fast"));
        std::fs::create_dir_all(slow.parent().expect("a directory")).expect("it is made");
        std::fs::create_dir_all(&fast).expect("it is made");
        let service = service_for(&dir.join("home"));
        let (open_gate, opened) = std::sync::mpsc::channel();
        let gate = Gate { shut: slow.clone(), opened: Mutex::new(opened) };
        let files = Buffers::over(disk::Before::each(&Real, gate));
        let core = core_over(service.inner(), files, Watcher::new(drop));
        let server = Server::over(service.inner().connection.client.clone(), core.clone());
        server.open(convert::uri_of(&slow).expect("a URI"), 1, "Slow.");
        let (file, text) = (fast.join("AGENTS.md"), "Fast.");
        server.open(convert::uri_of(&file).expect("a URI"), 1, text);
        let (asked, hovered) = (core.clone(), file.clone());
        let hovered = tasks::on_thread(move || asked.view(&hovered));
        let view = tokio::time::timeout(std::time::Duration::from_secs(20), hovered)
            .await
            .expect("nobody waits")
            .expect("a view");
        assert!(view.answers[0].answer.messages[0].text.contains(text));
        drop(open_gate);
        assert_eq!(&*core.view(&slow).expect("a view").raw, b"Slow.");
    }
}
