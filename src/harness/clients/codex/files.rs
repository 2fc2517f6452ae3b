//! The settings files: how one is read, and which ones of a project count.

use std::path::Path;

use super::layers::Layers;
use super::rules::{Behavior, Devices};
use super::trust::{self, Trust};
use crate::answer::Warning;
use crate::formats::{self, Node, Value};
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Content, Errno, FileType, Unreadable};

/// The administrator's settings, above everything else.
pub(super) const MANAGED: &str = "/etc/codex/managed_config.toml";
/// The administrator's requirements. They set nothing that is read here, but stop Codex if they are broken.
pub(super) const REQUIREMENTS: &str = "/etc/codex/requirements.toml";

/// Directories from which the settings of a project are found.
pub(super) struct Project<'a> {
    pub cwd: &'a Path,
    pub root: Option<&'a Path>,
    pub git_root: Option<&'a Path>,
    pub codex_home: &'a Path,
}

/// Reason why a settings file cannot be used.
enum Problem {
    /// The file cannot be read, or is not UTF-8.
    Unreadable(String),
    /// The file is not TOML.
    Broken(String),
}

impl Problem {
    fn halt(self, path: &Path) -> Halt {
        match self {
            Problem::Unreadable(what) => {
                Halt::refused(path, format!("Failed to read config file {}: {what}", path.display()))
            }
            Problem::Broken(what) => Halt::refused(path, format!("{}:{what}", path.display())),
        }
    }
}

impl Behavior {
    /// Reads one settings file; `None` if it does not exist.
    fn read_table(&self, path: &Path, search: &mut Search) -> Known<Result<Option<Node>, Problem>> {
        Ok(self.table(search.read(path, "settings, lowest layer first")?))
    }

    fn table(&self, raw: Result<Content, Unreadable>) -> Result<Option<Node>, Problem> {
        let raw = match raw {
            Ok(raw) => raw,
            Err(Unreadable::Errno(Errno::NOENT)) => return Ok(None),
            Err(Unreadable::Not(FileType::Device)) if self.devices == Devices::ReadAsEmpty => return Ok(None),
            Err(problem) => return Err(Problem::Unreadable(problem.to_string())),
        };
        let Ok(text) = std::str::from_utf8(&raw) else {
            return Err(Problem::Unreadable("stream did not contain valid UTF-8".to_owned()));
        };
        formats::parse_toml(text).map(Some).map_err(|error| Problem::Broken(error.with_position(text)))
    }

    /// Reads one settings file, if it exists; refuses if it is broken, which stops the client.
    pub fn read_or_refuse(&self, path: &Path, search: &mut Search) -> Known<Option<Node>> {
        self.read_table(path, search)?.map_err(|problem| problem.halt(path))
    }

    /// Adds `.codex/config.toml` of every trusted directory from the root down. Returns a warning for each file that
    /// would change the instructions if its project were trusted.
    pub fn add_project_files(
        &self,
        layers: &mut Layers,
        project: &Project,
        without_project: &Layers,
        search: &mut Search,
    ) -> Known<Vec<Warning>> {
        let mut warnings = Vec::new();
        let physical_home = search.real(project.codex_home)?.ok();
        for dir in super::directories(project.cwd, project.root) {
            let folder = dir.join(".codex");
            if !search.is_dir(&folder, "project settings: .codex must be a directory")? {
                continue;
            }
            if folder == project.codex_home || search.real(&folder)?.ok() == physical_home {
                continue;
            }
            let places = [Some(dir.as_path()), project.root, project.git_root];
            let places: Vec<&Path> = places.into_iter().flatten().collect();
            let file = folder.join("config.toml");
            let level = self.trust.level(&places, without_project, trust::Silent::IsPassedOver, search)?;
            match self.read_table(&file, search)? {
                Ok(table) if level == Some(Trust::Trusted) => {
                    let table = table.unwrap_or(Node { at: 0..0, value: Value::Table(Vec::new()) });
                    layers.extend(&file, Some(without(table, self.denied_to_projects)));
                }
                Ok(table) => {
                    search.never(&file, "the project is not trusted, so these settings do not count");
                    warnings.extend(table.filter(|_| level.is_none()).and_then(|table| left_out(&file, &table)));
                }
                Err(Problem::Broken(_)) if level != Some(Trust::Trusted) => {}
                Err(problem) => return Err(problem.halt(&file)),
            }
        }
        Ok(warnings)
    }
}

/// Returns the warning about a file that would change the instructions if its project were trusted.
fn left_out(file: &Path, table: &Node) -> Option<Warning> {
    const KEYS: [&str; 5] = [
        "project_doc_max_bytes",
        "project_doc_fallback_filenames",
        "developer_instructions",
        "model_instructions_file",
        "skills",
    ];
    let key = KEYS.into_iter().find(|key| table.at_path(&[*key]).is_some())?;
    let message = format!(
        "`{key}` does not count here: a project's settings count only if `~/.codex/config.toml` trusts it (`trust_level`)"
    );
    Some(Warning::at("untrusted-settings", file, message))
}

/// Returns the table without the keys that are not allowed in it.
fn without(table: Node, denied: &[&str]) -> Node {
    let Value::Table(entries) = table.value else { return table };
    let kept = entries.into_iter().filter(|(key, _)| !denied.contains(&key.as_str()));
    Node { value: Value::Table(kept.collect()), ..table }
}
