//! What one client told so far: its settings, folders and documents.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tower_lsp::ls_types::Uri;

use super::settings::Settings;
use crate::answer::Resolution;
use crate::lsp::announce::Announced;
use crate::lsp::capabilities::Abilities;
use crate::lsp::convert::Encoding;
use crate::lsp::documents::Document;
use crate::request::{Defaults, beside};
use crate::snapshot::absolute;

/// What the client told so far.
pub(crate) struct Session {
    /// What the process was started with: home, environment, clock.
    pub(crate) base: Defaults,
    /// The settings that came with `initialize`; they count where the client's configuration says nothing.
    pub(crate) initial: Settings,
    pub(crate) settings: Settings,
    /// `settings` over `base`.
    pub(crate) defaults: Arc<Defaults>,
    /// The names of instruction files of every custom harness that was declared so far.
    pub(crate) custom_names: HashSet<OsString>,
    /// Counts how often the settings were asked for or set, so that a late answer does not replace a newer one.
    pub(crate) settings_round: u64,
    /// What the client was told when it pulled diagnostics: for which state of a document, and a mark of what.
    pub(crate) pulled: HashMap<Uri, (u64, String)>,
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) encoding: Encoding,
    pub(crate) abilities: Abilities,
    pub(crate) documents: HashMap<Uri, Document>,
    pub(crate) told: Announced,
    /// The previews that the client asked for last, by their URIs, with what they were made from.
    pub(crate) previews: VecDeque<(String, Arc<Resolution>)>,
    /// Counts the states of everything else: settings, folders, the date.
    pub(crate) epoch: u64,
    /// The user said that records of sessions may be read.
    pub(crate) agreed_to_records: bool,
    /// Counts the states of documents: versions may begin anew when a document is opened again.
    pub(crate) revision: u64,
}

impl Session {
    pub(crate) fn new(base: Defaults) -> Session {
        Session {
            defaults: Arc::new(base.clone()),
            custom_names: HashSet::new(),
            base,
            initial: Settings::default(),
            settings: Settings::default(),
            settings_round: 0,
            pulled: HashMap::new(),
            folders: Vec::new(),
            encoding: Encoding::Utf16,
            abilities: Abilities::default(),
            documents: HashMap::new(),
            told: Announced::new(),
            previews: VecDeque::new(),
            epoch: 0,
            agreed_to_records: false,
            revision: 0,
        }
    }

    /// Where an agent that reads `path` is assumed to be started, for every feature: where the settings say, else in the
    /// innermost workspace folder that holds the file, else beside it. Without a file: in the first workspace folder.
    pub(crate) fn cwd_for(&self, path: Option<&Path>) -> Option<PathBuf> {
        let folder = path.and_then(|path| self.folder_of(path));
        match (&self.settings.cwd, folder.or(self.folders.first()), path) {
            (Some(cwd), Some(base), _) => Some(absolute(base, Path::new(cwd))),
            (Some(cwd), None, _) => Some(PathBuf::from(cwd)).filter(|cwd| cwd.is_absolute()),
            (None, first, None) => first.cloned(),
            (None, _, Some(path)) => Some(folder.cloned().unwrap_or_else(|| beside(path))),
        }
    }

    /// The innermost workspace folder that holds `path`.
    pub(crate) fn folder_of(&self, path: &Path) -> Option<&PathBuf> {
        let holding = self.folders.iter().filter(|folder| path.starts_with(folder));
        holding.max_by_key(|folder| folder.as_os_str().len())
    }

    /// The state of the document that is open under a path.
    pub(crate) fn revision_of(&self, path: &Path) -> Option<u64> {
        self.documents.values().find(|document| document.path == path).map(|document| document.revision)
    }

    pub(crate) fn set(&mut self, settings: Settings) {
        self.defaults = Arc::new(settings.over(&self.base));
        self.settings = settings;
        self.epoch += 1;
    }

    pub(crate) fn next_revision(&mut self) -> u64 {
        self.revision += 1;
        self.revision
    }
}
