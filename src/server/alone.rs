//! The server's core without an editor, for the other doors: they ask as editors do.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::runtime::Runtime;

use super::settings::Settings;
use super::{Core, Date};
use crate::answer::Resolution;
use crate::request::Defaults;

/// A core, and what its work runs on.
pub(super) struct Alone {
    pub runtime: Runtime,
    pub core: Arc<Core>,
}

impl Alone {
    /// A core that has its questions asked from `cwd`, an absolute path; it watches nothing by itself.
    pub fn new(base: Defaults, cwd: &Path, settings: Settings) -> Result<Alone, String> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_time()
            .build()
            .map_err(|error| format!("no thread can be started: {error}"))?;
        let today: Date = base.surroundings.date;
        let core = Core::new(base, Box::new(move || today));
        let cwd = core.files.real(cwd);
        {
            let mut session = core.session();
            session.folders = vec![cwd.clone()];
            let settings = Settings { cwd: Some(cwd.to_string_lossy().into_owned()), ..settings };
            core.put_in_force(&mut session, settings);
        }
        Ok(Alone { runtime, core })
    }
}

/// The directory that holds the whole project of an agent that is started in `cwd`: the outermost of what harnesses take
/// for it, but no directory that holds the home.
pub(super) fn project(cwd: &Path, home: &Path, answers: &[Arc<Resolution>]) -> PathBuf {
    let roots = answers.iter().filter_map(|answer| answer.answer.root.as_deref());
    let around = roots.filter(|root| cwd.starts_with(root) && !home.starts_with(root));
    around.min_by_key(|root| root.as_os_str().len()).unwrap_or(cwd).to_owned()
}
