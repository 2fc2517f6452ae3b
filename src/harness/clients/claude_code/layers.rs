//! The layers of settings: which files exist, weakest first, and which of them count.

use std::path::{Path, PathBuf};

use super::{MANAGED, schema};
use crate::answer::Warning;
use crate::formats::{Node, Value};
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Ask, Errno, FileType, Unreadable, absolute};

/// Owner of a layer of settings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// The user's own.
    User,
    /// The project's, or the user's own for the project.
    Project,
    /// From the command line.
    Flag,
    /// The administrator's.
    Managed,
}

/// A layer of settings.
pub(super) struct Layer {
    pub(super) from: PathBuf,
    pub(super) node: Node,
    pub(super) origin: Origin,
}

impl Layer {
    /// Returns true if the whole layer counts. Plugin options and most variables do not count if a project sets them.
    pub(super) fn is_trusted(&self) -> bool {
        self.origin != Origin::Project
    }
}

/// Selects the layers to read.
pub(super) struct Wanted<'w> {
    pub(super) config: &'w Path,
    pub(super) cwd: &'w Path,
    /// The main checkout, whose local settings count as well.
    pub(super) main: Option<&'w Path>,
    pub(super) user: bool,
    pub(super) project: bool,
    pub(super) local: bool,
    /// Argument of `--settings`.
    pub(super) flag: Option<&'w str>,
}

/// Layers that count, weakest first.
#[derive(Default)]
pub(super) struct Layers {
    pub(super) list: Vec<Layer>,
    /// Problems of files that are ignored.
    pub(super) warnings: Vec<Warning>,
}

impl Layers {
    /// Adds a layer if every known key has the right type. In the administrator's layers, only the wrong keys are
    /// dropped.
    fn add(&mut self, mut layer: Layer) {
        let Value::Table(table) = &mut layer.node.value else { return };
        let from = &layer.from;
        let mut whole = true;
        table.retain_mut(|(key, node)| {
            // Observed: in the administrator's `enabledPlugins`, an entry that is not a plugin switch is ignored by
            // itself.
            if layer.origin == Origin::Managed
                && key == "enabledPlugins"
                && let Value::Table(plugins) = &mut node.value
            {
                plugins.retain(|(_, plugin)| schema::is_plugin_switch(plugin));
            }
            let Some(problem) = schema::wrong(key, node) else { return true };
            if layer.origin == Origin::Managed {
                let message = format!("{}: {problem}; Claude Code ignores the key", from.display());
                self.warnings.push(Warning::at("settings", from, message));
            } else if whole {
                self.warnings.push(ignored(from, &problem));
            }
            whole = false;
            false
        });
        if whole || layer.origin == Origin::Managed {
            self.list.push(layer);
        }
    }
}

/// Reads the layers. The client does not start with broken settings of the administrator or of the command line.
pub(super) fn read(wanted: &Wanted, search: &mut Search) -> Known<Layers> {
    let own = |name: &str| wanted.cwd.join(".claude").join(name);
    let mut files = Vec::new();
    files.extend(wanted.user.then(|| (wanted.config.join("settings.json"), Origin::User)));
    files.extend(wanted.project.then(|| (own("settings.json"), Origin::Project)));
    // Observed: the local settings of the main checkout count for every session in the checkout or one of its
    // worktrees, and override those of the directory.
    let main = wanted.main.filter(|main| wanted.local && *main != wanted.cwd);
    files.extend(wanted.local.then(|| (own("settings.local.json"), Origin::Project)));
    files.extend(main.map(|main| (main.join(".claude/settings.local.json"), Origin::Project)));
    let inline = wanted.flag.filter(|flag| flag.trim_start().starts_with('{'));
    if let (Some(file), None) = (wanted.flag, inline) {
        files.push((absolute(wanted.cwd, Path::new(file)), Origin::Flag));
    }
    let managed = Path::new(MANAGED).join("managed-settings.json");
    files.push((managed.clone(), Origin::Managed));
    let drop_ins = Path::new(MANAGED).join("managed-settings.d");
    let contents = files.iter().map(|(path, _)| Ask::Content(path.clone()));
    search.expect(contents.chain([Ask::Listing(drop_ins.clone())]))?;
    files.extend(drop_in_files(&drop_ins, search)?.into_iter().map(|path| (path, Origin::Managed)));
    let mut layers = Layers::default();
    for (path, origin) in files {
        // JSON on the command line is the layer just below the administrator's.
        if let Some(text) = inline.filter(|_| path == managed) {
            let from = PathBuf::from("--settings");
            match json(text) {
                Ok(node) => layers.add(Layer { from, node, origin: Origin::Flag }),
                Err(problem) => return Err(Halt::refused(from, format!("--settings: {problem}"))),
            }
        }
        let raw = match search.read(&path, "settings, weakest layer first")? {
            Ok(raw) => raw,
            Err(problem) => {
                let absent = matches!(problem, Unreadable::Errno(Errno::NOENT | Errno::NOTDIR));
                let needed = if absent { origin == Origin::Flag } else { origin == Origin::Managed };
                if needed {
                    let message = format!("{}: {problem}; Claude Code does not start without it", path.display());
                    return Err(Halt::refused(path, message));
                }
                continue;
            }
        };
        let parsed = match std::str::from_utf8(&raw) {
            Ok(text) if text.trim().is_empty() => continue,
            Ok(text) => json(text),
            Err(_) => Err("not valid UTF-8".to_owned()),
        };
        match parsed {
            Ok(node) => layers.add(Layer { from: path, node, origin }),
            Err(problem) if origin == Origin::Managed => {
                let message = format!("{}: {problem}; Claude Code does not start with it", path.display());
                return Err(Halt::refused(path, message));
            }
            Err(problem) => layers.warnings.push(ignored(&path, &problem)),
        }
    }
    Ok(layers)
}

/// Returns the files that add to the administrator's settings, sorted by name.
fn drop_in_files(dir: &Path, search: &mut Search) -> Known<Vec<PathBuf>> {
    let Ok(entries) = search.list(dir, "files that add to the administrator's settings")? else {
        return Ok(Vec::new());
    };
    let mut names: Vec<&str> = entries
        .iter()
        .filter(|entry| matches!(entry.kind, FileType::File | FileType::Link))
        .filter_map(|entry| entry.name.to_str())
        .filter(|name| name.ends_with(".json") && !name.starts_with('.'))
        .collect();
    names.sort_unstable();
    let files: Vec<PathBuf> = names.into_iter().map(|name| dir.join(name)).collect();
    search.expect(files.iter().cloned().map(Ask::Content))?;
    Ok(files)
}

fn ignored(path: &Path, problem: &str) -> Warning {
    Warning::at("settings", path, format!("{}: {problem}; Claude Code ignores the whole file", path.display()))
}

/// Parses strict JSON whose value is an object.
fn json(text: &str) -> Result<Node, String> {
    let node = parsed(text)?;
    match node.value {
        Value::Table(_) => Ok(node),
        ref value => Err(value.must_be("it", "an object")),
    }
}

/// Parses strict JSON, with or without a byte order mark.
pub(super) fn parsed(text: &str) -> Result<Node, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    crate::formats::parse_json(text).map_err(|error| error.message)
}

/// Returns the names of the plugins that settings enable, in order of appearance; the strongest layer decides about
/// each.
pub(super) fn enabled_plugins<'n>(layers: impl Iterator<Item = &'n Node>) -> Vec<String> {
    let mut names: Vec<(String, bool)> = Vec::new();
    for (name, node) in layers.filter_map(|layer| layer.get("enabledPlugins")?.as_table()).flatten() {
        // Observed: a list of versions does not enable a plugin.
        let is_on = node.value == Value::Bool(true);
        match names.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = is_on,
            None => names.push((name.clone(), is_on)),
        }
    }
    let is_installed = |(name, is_on): &(String, bool)| *is_on && !name.ends_with("@builtin");
    names.into_iter().filter(is_installed).map(|(name, _)| name).collect()
}
