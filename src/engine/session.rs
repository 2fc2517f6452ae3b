//! State of one client: its settings, folders and documents.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ropey::Rope;

use super::settings::Settings;
use crate::harness::custom::Customs;
use crate::queries::declarations::Declared;
use crate::request::{Defaults, beside};
use crate::resolve::AgentQuestion;
use crate::snapshot::absolute;

/// An open document.
pub(crate) struct Document {
    /// Path of the file.
    pub path: PathBuf,
    /// Version number that the editor assigned.
    pub version: i32,
    /// Revision number, unique among all states of all documents.
    pub revision: u64,
    /// Text that the editor shows.
    pub text: Rope,
    /// Last questions about the document. After an edit they can be asked again at once, on all cores.
    pub asked: Vec<AgentQuestion>,
}

/// State of one client.
pub(crate) struct Session {
    /// Defaults from the start of the process: home, environment, clock.
    pub(crate) base: Defaults,
    /// Settings from `initialize`, used where the client's configuration has none.
    pub(crate) initial: Settings,
    pub(crate) settings: Settings,
    /// Result of applying `settings` to `base`.
    pub(crate) defaults: Arc<Defaults>,
    /// Agents declared by each file, or by no file, under these settings; each with the declaration that was read.
    customs: HashMap<Option<PathBuf>, (Option<Declared>, Arc<Customs>)>,
    /// Instruction file names of all agents declared so far.
    pub(crate) custom_names: HashSet<OsString>,
    /// Number of times that settings were requested or set, so that a late response does not replace newer settings.
    pub(crate) settings_round: u64,
    pub(crate) folders: Vec<PathBuf>,
    /// True if the client reports changes of the files that agents know.
    pub(crate) client_watches: bool,
    /// Open documents by the URI that the editor uses.
    pub(crate) documents: HashMap<String, Document>,
    /// Counter of all states except documents: settings, folders, date.
    pub(crate) epoch: u64,
    /// Counter of document states. The editor's versions are not unique, because they may restart when a document is
    /// reopened.
    pub(crate) revision: u64,
}

impl Session {
    pub(crate) fn new(base: Defaults) -> Session {
        Session {
            defaults: Arc::new(base.clone()),
            customs: HashMap::new(),
            custom_names: HashSet::new(),
            base,
            initial: Settings::default(),
            settings: Settings::default(),
            settings_round: 0,
            folders: Vec::new(),
            client_watches: false,
            documents: HashMap::new(),
            epoch: 0,
            revision: 0,
        }
    }

    /// Returns the assumed start directory of an agent that reads `path`: the directory in the settings, else the
    /// innermost workspace folder that contains the file, else its own directory. Without a file: the first workspace
    /// folder.
    pub(crate) fn cwd_for(&self, path: Option<&Path>) -> Option<PathBuf> {
        let folder = path.and_then(|path| self.folder_of(path));
        match (&self.settings.cwd, folder.or(self.folders.first()), path) {
            (Some(cwd), Some(base), _) => Some(absolute(base, Path::new(cwd))),
            (Some(cwd), None, _) => Some(PathBuf::from(cwd)).filter(|cwd| cwd.is_absolute()),
            (None, first, None) => first.cloned(),
            (None, _, Some(path)) => Some(folder.cloned().unwrap_or_else(|| beside(path))),
        }
    }

    /// Returns the innermost workspace folder that contains `path`.
    pub(crate) fn folder_of(&self, path: &Path) -> Option<&PathBuf> {
        let holding = self.folders.iter().filter(|folder| path.starts_with(folder));
        holding.max_by_key(|folder| folder.as_os_str().len())
    }

    /// Returns the revision of the document that is open under a path.
    pub(crate) fn revision_of(&self, path: &Path) -> Option<u64> {
        self.documents.values().find(|document| document.path == path).map(|document| document.revision)
    }

    pub(crate) fn set(&mut self, settings: Settings) {
        self.defaults = Arc::new(settings.over(&self.base));
        self.settings = settings;
        self.customs.clear();
        self.epoch += 1;
    }

    /// Returns the agents that a declaration and the settings declare. A declaration is parsed again once it differs.
    pub(crate) fn customs(&mut self, declared: Option<&Declared>) -> Arc<Customs> {
        let path = declared.map(|declared| declared.path().to_owned());
        if let Some((known, customs)) = self.customs.get(&path)
            && known.as_ref() == declared
        {
            return customs.clone();
        }
        let customs = Arc::new(Customs::of(declared, &self.settings.custom_harnesses));
        let names = customs.harnesses.iter().flat_map(|custom| &custom.instruction_names);
        self.custom_names.extend(names.filter_map(|name| Path::new(name).file_name()).map(ToOwned::to_owned));
        self.customs.insert(path, (declared.cloned(), customs.clone()));
        customs
    }

    pub(crate) fn next_revision(&mut self) -> u64 {
        self.revision += 1;
        self.revision
    }
}
