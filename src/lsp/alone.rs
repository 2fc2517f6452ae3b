//! A context without an editor, for other doors.

use std::path::Path;

use tokio::runtime::Runtime;
use tower_lsp::LspService;

use super::{Context, Server};
use crate::engine::Date;
use crate::engine::settings::Settings;
use crate::request::Defaults;

/// A context without a client, and the runtime that requests run on.
pub(crate) struct Alone {
    pub runtime: Runtime,
    pub context: Context,
}

impl Alone {
    /// Creates a context with one workspace folder, the absolute path `cwd`, in which agents are started. It watches
    /// nothing unless told to.
    pub fn new(
        base: Defaults,
        cwd: &Path,
        settings: Settings,
        today: impl Fn() -> Date + Send + Sync + 'static,
    ) -> Result<Alone, String> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| format!("no thread can be started: {error}"))?;
        let context = unconnected(base, today);
        context.core.start_in(cwd, settings);
        Ok(Alone { runtime, context })
    }
}

/// Creates a context with a no-op client.
fn unconnected(base: Defaults, today: impl Fn() -> Date + Send + Sync + 'static) -> Context {
    let mut made = None;
    // `tower_lsp` creates a `Client` only together with a service.
    drop(LspService::new(|client| {
        let server = Server::new(client, base, Box::new(today));
        made = Some(server.context.clone());
        server
    }));
    made.expect("a service makes its server at once")
}
