//! The server without an editor, for the other doors: they ask as editors do.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::runtime::Runtime;
use tower_lsp::LspService;

use super::settings::Settings;
use crate::answer::Resolution;
use crate::disk::{AtRevision, Buffers, Filesystem, Real, Still};
use crate::engine::{Core, Date};
use crate::lsp::Server;
use crate::request::Defaults;

/// A server that nobody is connected to, and what its work runs on.
pub(crate) struct Alone {
    pub runtime: Runtime,
    pub server: Server,
}

impl Alone {
    /// A server whose one workspace folder is `cwd`, an absolute path, where agents are started; it watches nothing by itself.
    pub fn new(
        base: Defaults,
        cwd: &Path,
        settings: Settings,
        today: impl Fn() -> Date + Send + Sync + 'static,
    ) -> Result<Alone, String> {
        let runtime = runtime()?;
        let server = unconnected(base, today);
        server.core.start_in(cwd, settings);
        Ok(Alone { runtime, server })
    }
}

/// What is asked one question after the other, while the disk stands still: nothing is watched, and little is remembered.
/// With a revision of the git repository around `cwd`, its working tree is as it was then.
pub(crate) fn at_rest(
    base: Defaults,
    cwd: &Path,
    settings: Settings,
    revision: Option<&str>,
) -> Result<(Runtime, Arc<Core>), String> {
    let real = Real.real_path(cwd).unwrap_or_else(|_| cwd.to_owned());
    let files = match revision {
        None => Buffers::over(Still::below(&real, Real)),
        Some(revision) => Buffers::over(AtRevision::open(&Real, &real, revision)?),
    };
    let core = Core::at_rest(base, files);
    core.start_in(&real, settings);
    Ok((runtime()?, core))
}

/// The same over any files.
pub(crate) fn at_rest_over(
    base: Defaults,
    cwd: &Path,
    settings: Settings,
    files: impl Filesystem + 'static,
) -> Arc<Core> {
    let core = Core::at_rest(base, Buffers::over(files));
    core.start_in(cwd, settings);
    core
}

impl Core {
    /// Makes a directory the one workspace folder.
    pub(crate) fn start_in(&self, cwd: &Path, settings: Settings) {
        let mut session = self.session();
        session.folders = vec![self.files.real(cwd)];
        self.put_in_force(&mut session, settings);
    }
}

fn runtime() -> Result<Runtime, String> {
    let builder = &mut tokio::runtime::Builder::new_multi_thread();
    let built = builder.worker_threads(1).enable_all().build();
    built.map_err(|error| format!("no thread can be started: {error}"))
}

/// A server with a client that hears nothing.
fn unconnected(base: Defaults, today: impl Fn() -> Date + Send + Sync + 'static) -> Server {
    let mut made = None;
    // A client is given out only where a service is made.
    drop(LspService::new(|client| {
        let server = Server::new(client.clone(), base, Box::new(today));
        made = Some(Server::over(client, server.core.clone()));
        server
    }));
    made.expect("a service makes its server at once")
}

/// The directory that holds the whole project of an agent that is started in `cwd`: the outermost of what harnesses take
/// for it, but no directory that holds the home.
pub(crate) fn project(cwd: &Path, home: &Path, answers: &[Arc<Resolution>]) -> PathBuf {
    let roots = answers.iter().filter_map(|answer| answer.answer.root.as_deref());
    let around = roots.filter(|root| cwd.starts_with(root) && !home.starts_with(root));
    around.min_by_key(|root| root.as_os_str().len()).unwrap_or(cwd).to_owned()
}
