//! Hooks that may change the list of files in a Gateway: the bundled hook that adds files, and hooks whose effect is
//! unknown.

use std::path::Path;

use super::config::Config;
use super::extra;
use super::home::Home;
use crate::formats::Node;
use crate::search::{Known, Search};
use crate::snapshot::FileType;
use crate::text::js_trim;

/// Behaviour of an edition towards hooks.
pub struct Behavior {
    /// Condition under which hooks are loaded.
    pub loading: Loading,
    /// Bundled hooks that do not change the files.
    pub harmless: &'static [&'static str],
    /// Rules by which `bootstrap-extra-files` finds files, if the client bundles it.
    pub extra: Option<extra::Behavior>,
}

/// Condition under which hooks are loaded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Loading {
    /// Hooks with an entry in the configuration, unless `hooks.internal.enabled` is `false`.
    Entries,
    /// Hooks with an entry and hooks in the directories for hooks, if `hooks.internal.enabled` is `true`.
    Directories,
}

const EXTRA_FILES: &str = "bootstrap-extra-files";

impl Behavior {
    /// Returns the patterns of the hook `bootstrap-extra-files`, if the Gateway would run it.
    pub fn extra_patterns<'a>(&self, config: &'a Config) -> Vec<&'a str> {
        if !self.load_any(config) {
            return Vec::new();
        }
        let Some(hook) = config.at_path(&["hooks", "internal", "entries"]).and_then(|entries| entries.get(EXTRA_FILES))
        else {
            return Vec::new();
        };
        if !is_on(hook) {
            return Vec::new();
        }
        let patterns = |key: &str| {
            let list = hook.get(key).and_then(Node::as_list).unwrap_or_default();
            list.iter().filter_map(Node::as_text).map(js_trim).filter(|text| !text.is_empty()).collect::<Vec<_>>()
        };
        ["paths", "patterns", "files"].map(patterns).into_iter().find(|list| !list.is_empty()).unwrap_or_default()
    }

    /// Returns the hooks that may replace the list of files.
    pub fn others(&self, config: &Config, home: &Home, workspace: &Path, search: &mut Search) -> Known<Vec<String>> {
        if !self.load_any(config) {
            return Ok(Vec::new());
        }
        let entries = config.at_path(&["hooks", "internal", "entries"]).and_then(Node::as_table).unwrap_or_default();
        let is_known = |name: &str| self.harmless.contains(&name) || (name == EXTRA_FILES && self.extra.is_some());
        let named = entries.iter().filter(|(name, hook)| is_on(hook) && !is_known(name.trim()));
        let mut others: Vec<String> = named.map(|(name, _)| name.clone()).collect();
        if self.loading == Loading::Directories {
            for dir in [home.state.join("hooks"), workspace.join("hooks")] {
                let Ok(found) = search.list(&home.on_disk(&dir), "hooks that are loaded from a directory")? else {
                    continue;
                };
                others.extend(
                    found
                        .iter()
                        .filter(|entry| entry.kind == FileType::Dir)
                        .map(|entry| entry.name.to_string_lossy().into_owned()),
                );
            }
        }
        Ok(others)
    }

    fn load_any(&self, config: &Config) -> bool {
        match (self.loading, config.at_path(&["hooks", "internal", "enabled"]).and_then(Node::as_bool)) {
            (Loading::Entries, enabled) => enabled != Some(false),
            (Loading::Directories, enabled) => enabled == Some(true),
        }
    }
}

fn is_on(hook: &Node) -> bool {
    hook.get("enabled").and_then(Node::as_bool) != Some(false)
}
