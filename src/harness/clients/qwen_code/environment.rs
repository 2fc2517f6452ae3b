//! Variables for settings and manifests: those of the process, those that `.env` files add, and those of `env` in the
//! settings.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::trust::Decisions;
use crate::answer::Standpoint;
use crate::formats::{Node, dotenv};
use crate::harness::kit::conventional::Chain;
use crate::search::{Known, Search};
use crate::snapshot::{Ask, absolute};

/// Variables that a `.env` file outside a settings folder must not set, by default (Qwen Code 0.24.4).
const EXCLUDED: [&str; 2] = ["DEBUG", "DEBUG_MODE"];

/// Variables that were added to those of the process.
#[derive(Default)]
pub(super) struct Variables {
    added: HashMap<String, String>,
}

/// Returns the settings folder: `$QWEN_HOME`, which a `.env` file of the user may also set, otherwise `~/.qwen`.
pub(super) fn own_folder(chain: &mut Chain) -> Known<PathBuf> {
    let home = chain.at.home.clone();
    let usual = home.join(".qwen");
    let mut named = chain.search.env("QWEN_HOME");
    for file in [usual.join(".env"), home.join(".env")] {
        if named.is_none() {
            let pairs = pairs(chain, &file)?;
            named = pairs
                .into_iter()
                .find(|(name, value)| name == "QWEN_HOME" && !value.is_empty())
                .map(|(_, value)| value);
        }
    }
    Ok(match named.filter(|dir| !dir.is_empty()) {
        Some(dir) => resolved(&dir, chain.at),
        None => usual,
    })
}

/// Resolves a path of variables and settings: `~` is the home directory; otherwise it is relative to the working
/// directory.
pub(super) fn resolved(path: &str, at: &Standpoint) -> PathBuf {
    match path.strip_prefix("~/") {
        Some(rest) => at.home.join(rest),
        None if path == "~" => at.home.clone(),
        None => absolute(&at.cwd, Path::new(path)),
    }
}

impl Variables {
    /// Reads the nearest `.env` file of the project, if `trust` allows it, and those of the user. `layers` are the
    /// settings before substitution of variables, the last with the highest precedence.
    pub fn load(chain: &mut Chain, own: &Path, layers: &[&Node], trust: Trust) -> Known<Variables> {
        let mut variables = Variables::default();
        let value = |path: &[&str]| layers.iter().rev().find_map(|layer| layer.at_path(path));
        let excluded =
            value(&["advanced", "excludedEnvVars"]).and_then(Node::as_texts).unwrap_or_else(|| EXCLUDED.to_vec());
        for (file, is_scoped) in files(chain, own, trust)? {
            for (name, value) in pairs(chain, &file)? {
                if is_scoped || !excluded.contains(&name.as_str()) {
                    variables.add(name, value);
                }
            }
        }
        for layer in layers.iter().rev() {
            for (name, value) in layer.get("env").and_then(Node::as_table).unwrap_or_default() {
                if let Some(value) = value.as_text() {
                    variables.add(name.clone(), value.to_owned());
                }
            }
        }
        Ok(variables)
    }

    /// Returns true if the variable is set to a value that the client treats as on (Qwen Code 0.24.4).
    pub fn is_on(&self, name: &str, search: &Search) -> bool {
        let value = self.get(name, search).unwrap_or_default();
        ["1", "true", "yes", "on"].contains(&value.trim().to_lowercase().as_str())
    }

    fn add(&mut self, name: String, value: String) {
        if self.added.get(&name).is_none_or(String::is_empty) {
            self.added.insert(name, value);
        }
    }

    /// Returns the value of a variable that settings refer to by `written`. Wherever it is used, answers show the
    /// reference instead.
    pub fn put_in(&self, name: &str, written: &str, search: &Search) -> Option<String> {
        let value = self.get(name, search)?;
        search.put_in(&value, written).then_some(value)
    }

    /// Returns the value of a variable. The process takes precedence, unless its value is empty.
    fn get(&self, name: &str, search: &Search) -> Option<String> {
        let of_process = search.secret_env(name);
        if of_process.as_deref().is_some_and(|value| !value.is_empty()) {
            return of_process;
        }
        self.added.get(name).cloned().or(of_process)
    }
}

/// Trust in the files of projects.
pub(super) enum Trust<'d> {
    /// Trust is not required.
    Everything,
    /// The working directory is trusted, as are other folders unless a decision denies it.
    Decided(&'d Decisions),
    /// The working directory is not trusted.
    Nothing,
}

/// Returns the `.env` files: the first one upwards from the working directory, where `.qwen/.env` comes before `.env`
/// in each folder, then those of the user. The flag is true for files of Qwen Code's folders and of the user.
fn files(chain: &mut Chain, own: &Path, trust: Trust) -> Known<Vec<(PathBuf, bool)>> {
    let home = chain.at.home.clone();
    let mut found = Vec::new();
    if !matches!(trust, Trust::Nothing) {
        let cwd = chain.at.cwd.clone();
        let dirs: Vec<&Path> = cwd.ancestors().take_while(|dir| *dir != home).collect();
        let places = |dir: &Path| [(dir.join(".qwen/.env"), true), (dir.join(".env"), false)];
        chain.search.expect(dirs.iter().flat_map(|dir| places(dir).map(|(file, _)| Ask::Kind(file))))?;
        'up: for dir in dirs {
            for (file, is_scoped) in places(dir) {
                let rule = "variables: the first .qwen/.env or .env upwards, then those at home";
                if chain.search.stat(&file, rule)?.is_err() {
                    continue;
                }
                if let Trust::Decided(decisions) = &trust
                    && dir != cwd
                    && decisions.about(chain, dir)? == Some(false)
                {
                    continue;
                }
                found.push((file, is_scoped));
                break 'up;
            }
        }
    }
    for file in [own.join(".env"), home.join(".qwen/.env"), home.join(".env")] {
        if !found.iter().any(|(known, _)| *known == file) {
            found.push((file, true));
        }
    }
    Ok(found)
}

fn pairs(chain: &mut Chain, file: &Path) -> Known<Vec<(String, String)>> {
    let read = chain.search.read(file, "variables that the environment does not set")?;
    Ok(read.map(|raw| dotenv(&raw.text())).unwrap_or_default())
}
