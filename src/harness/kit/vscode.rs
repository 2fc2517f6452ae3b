//! Settings of VS Code, as far as agents that live in it read them: the user's file, and over it the workspace's.

use std::path::PathBuf;

use crate::answer::{Standpoint, Warning};
use crate::formats::{Node, Value, parse_jsonc};
use crate::search::{Known, Search};
use crate::snapshot::Ask;

/// Where they are, as endings of paths.
pub(in crate::harness) const NAMES: [&str; 2] = [".vscode/settings.json", "Code/User/settings.json"];

/// The settings of a workspace folder.
pub(in crate::harness) struct Settings {
    /// The user's, then the workspace's.
    layers: Vec<Node>,
}

impl Settings {
    /// Reads both files. Profiles, remote settings and those of a `.code-workspace` are not looked for.
    pub fn gather(at: &Standpoint, search: &mut Search, warnings: &mut Vec<Warning>) -> Known<Settings> {
        let files = [user_directory(at, search).join("settings.json"), at.cwd.join(".vscode/settings.json")];
        search.expect(files.iter().cloned().map(Ask::Content))?;
        let mut layers = Vec::new();
        for file in files {
            let Ok(raw) = search.read(&file, "settings of VS Code")? else { continue };
            let text = raw.text_without_bom();
            match parse_jsonc(&text) {
                Ok(settings) => layers.push(settings),
                Err(error) => {
                    let message = format!("{}: the defaults apply", error.with_position(&text));
                    warnings.push(Warning::at("settings", file, message));
                }
            }
        }
        Ok(Settings { layers })
    }

    /// A switch; the workspace's word counts over the user's.
    pub fn flag(&self, key: &str, default: bool) -> bool {
        self.layers.iter().rev().find_map(|layer| layer.get(key)?.as_bool()).unwrap_or(default)
    }

    /// Whether anybody says something about a setting.
    pub fn names(&self, key: &str) -> bool {
        self.layers.iter().any(|layer| layer.get(key).is_some())
    }

    /// A table of switches: VS Code lays objects over each other, key by key, the defaults below all.
    pub fn switches(&self, key: &str, defaults: &[&str]) -> Vec<(String, bool)> {
        let mut all: Vec<(String, bool)> = defaults.iter().map(|&name| (name.to_owned(), true)).collect();
        let tables = self.layers.iter().filter_map(|layer| layer.get(key)?.as_table());
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

/// The directory of the user's own settings.
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
