//! Cores without an editor, for the other doors.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::settings::Settings;
use super::wanted;
use crate::answer::Resolution;
use crate::disk::{AtRevision, Buffers, Filesystem, Real, Still};
use crate::engine::{Core, Error};
use crate::request::{Defaults, Places, Request};

/// Creates a core for a one-time command: files are taken as unchanging, nothing is watched, and little
/// is cached. With `revision`, the working tree of the git repository around `cwd` is read at that revision.
pub(crate) fn at_rest(
    base: Defaults,
    cwd: &Path,
    settings: Settings,
    revision: Option<&str>,
) -> Result<Arc<Core>, String> {
    let real = Real.real_path(cwd).unwrap_or_else(|_| cwd.to_owned());
    let files = match revision {
        None => Buffers::over(Still::below(&real, Real)),
        Some(revision) => Buffers::over(AtRevision::open(&Real, &real, revision)?),
    };
    let core = Core::at_rest(base, files, revision.is_none());
    core.start_in(&real, settings);
    Ok(core)
}

/// Creates a core for a one-time command on any file system.
pub(crate) fn at_rest_over(
    base: Defaults,
    cwd: &Path,
    settings: Settings,
    files: impl Filesystem + 'static,
) -> Arc<Core> {
    let core = Core::at_rest(base, Buffers::over(files), false);
    core.start_in(cwd, settings);
    core
}

impl Core {
    /// Returns the answers about agents started in `cwd`.
    ///
    /// # Errors
    /// If the agents in the settings are invalid.
    pub(crate) fn started_in(&self, cwd: &Path) -> Result<Vec<Arc<Resolution>>, Error> {
        Ok(self.answers(&Request::default(), &Places::start(cwd))?.0)
    }

    /// Returns true if a one-time command may ask nothing more: its answers cost too much, or nobody waits for it any more.
    /// The command then says what it did not ask.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.spent().is_some_and(|(spent, bound)| spent > bound || !wanted::is_wanted())
    }

    /// Returns true if this command and another side of it together may ask nothing more.
    pub(crate) fn is_exhausted_with(&self, other: &Core) -> bool {
        let (Some((spent, bound)), Some((more, further))) = (self.spent(), other.spent()) else { return false };
        spent.saturating_add(more) > bound.saturating_add(further) || !wanted::is_wanted()
    }

    /// Returns what a one-time command has spent, and what it may spend.
    fn spent(&self) -> Option<(usize, usize)> {
        let spent = self.at_rest.as_ref()?.spent();
        let bound = self.bound.load(Ordering::Relaxed);
        tracing::trace!(spent, bound, "effort");
        Some((spent, bound))
    }

    /// Makes a directory the only workspace folder, and applies the settings.
    pub(crate) fn start_in(&self, cwd: &Path, settings: Settings) {
        let mut session = self.session();
        session.folders = vec![self.files.real(cwd)];
        self.put_in_force(&mut session, settings);
    }
}

/// Returns the root of the project that an agent started in `cwd` works on: the outermost project root of all agents,
/// unless it contains the home directory.
pub(crate) fn project(cwd: &Path, home: &Path, answers: &[Arc<Resolution>]) -> PathBuf {
    let roots = answers.iter().filter_map(|answer| answer.answer.root.as_deref());
    let around = roots.filter(|root| cwd.starts_with(root) && !home.starts_with(root));
    around.min_by_key(|root| root.as_os_str().len()).unwrap_or(cwd).to_owned()
}
