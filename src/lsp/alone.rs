//! A server without an editor, for other doors.

use std::path::Path;

use tokio::runtime::Runtime;
use tower_lsp::LspService;

use super::Server;
use crate::engine::Date;
use crate::engine::alone::runtime;
use crate::engine::settings::Settings;
use crate::request::Defaults;

/// A server without a client, and the runtime that it works on.
pub(crate) struct Alone {
    pub runtime: Runtime,
    pub server: Server,
}

impl Alone {
    /// Creates a server with one workspace folder, the absolute path `cwd`, in which agents are started. It watches
    /// nothing unless told to.
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

/// Creates a server with a no-op client.
fn unconnected(base: Defaults, today: impl Fn() -> Date + Send + Sync + 'static) -> Server {
    let mut made = None;
    // `tower_lsp` creates a `Client` only together with a service.
    drop(LspService::new(|client| {
        let server = Server::new(client.clone(), base, Box::new(today));
        made = Some(Server::over(client, server.core.clone()));
        server
    }));
    made.expect("a service makes its server at once")
}
