//! Settings of VS Code, as far as agents in it read them: those of the user, overridden by those of the workspace.

use std::path::{Path, PathBuf};

use crate::answer::{Standpoint, Warning};
use crate::formats::{Node, Value, parse_jsonc};
use crate::search::{Known, Search};
use crate::snapshot::Ask;

/// Settings files, as endings of paths.
pub(in crate::harness) const NAMES: [&str; 2] = [".vscode/settings.json", "Code/User/settings.json"];

/// Settings that apply to a workspace folder.
pub(in crate::harness) struct Settings {
    /// Settings of the user, then of the workspace.
    layers: Vec<(PathBuf, Node)>,
}

impl Settings {
    /// Reads both files. Profiles, remote settings and those of a `.code-workspace` are not considered.
    pub fn gather(at: &Standpoint, search: &mut Search, warnings: &mut Vec<Warning>) -> Known<Settings> {
        let files = [user_directory(at, search).join("settings.json"), at.cwd.join(".vscode/settings.json")];
        search.expect(files.iter().cloned().map(Ask::Content))?;
        let mut layers = Vec::new();
        for file in files {
            let Ok(raw) = search.read(&file, "settings of VS Code")? else { continue };
            let text = raw.text_without_bom();
            // VS Code itself leaves an empty file behind.
            if text.trim().is_empty() {
                continue;
            }
            match parse_jsonc(&text) {
                Ok(settings) => layers.push((file, settings)),
                Err(error) => {
                    let message = format!("{}: the defaults apply", error.with_position(&text));
                    warnings.push(Warning::at("settings", file, message));
                }
            }
        }
        Ok(Settings { layers })
    }

    /// Returns a boolean setting. The workspace overrides the user.
    pub fn flag(&self, key: &str, default: bool) -> bool {
        self.nodes(key).rev().find_map(|(_, node)| node.as_bool()).unwrap_or(default)
    }

    /// Returns the file that gives the setting a value of another type than its own.
    pub fn odd(&self, key: &str, is_own: fn(&Value) -> bool) -> Option<&Path> {
        self.nodes(key).find(|(_, node)| !is_own(&node.value)).map(|(file, _)| file)
    }

    /// Returns the values of a setting, each with its file.
    fn nodes(&self, key: &str) -> impl DoubleEndedIterator<Item = (&Path, &Node)> {
        self.layers.iter().filter_map(move |(file, layer)| Some((&**file, layer.get(key)?)))
    }

    /// Returns true if either file has the setting.
    pub fn names(&self, key: &str) -> bool {
        self.nodes(key).next().is_some()
    }

    /// Returns a table of booleans. As in VS Code, objects are merged key by key, over the defaults.
    pub fn switches(&self, key: &str, defaults: &[&str]) -> Vec<(String, bool)> {
        let mut all: Vec<(String, bool)> = defaults.iter().map(|&name| (name.to_owned(), true)).collect();
        let tables = self.nodes(key).filter_map(|(_, node)| node.as_table());
        for (name, value) in tables.flatten() {
            let Value::Bool(on) = value.value else { continue };
            match all.iter_mut().find(|(known, _)| known == name) {
                Some(entry) => entry.1 = on,
                None => all.push((name.clone(), on)),
            }
        }
        all
    }
}

/// Returns the directory of the user's settings.
pub(in crate::harness) fn user_directory(at: &Standpoint, search: &Search) -> PathBuf {
    let dir = if cfg!(target_os = "macos") {
        at.home.join("Library/Application Support")
    } else if cfg!(windows) {
        search.env("APPDATA").map_or_else(|| at.home.join("AppData/Roaming"), PathBuf::from)
    } else {
        let configured = search.env("XDG_CONFIG_HOME").filter(|dir| dir.starts_with('/'));
        configured.map_or_else(|| at.home.join(".config"), PathBuf::from)
    };
    dir.join("Code/User")
}
