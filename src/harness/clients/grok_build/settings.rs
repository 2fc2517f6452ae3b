//! Settings: layers of the administrator's and of the user's, of which the highest that has a key counts, and variables before them.

use std::path::{Path, PathBuf};

use crate::answer::{Answer, Certain, Standpoint};
use crate::formats::{Node, parse_toml};
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Errno, Unreadable};

/// The folder of the administrator's settings; 1.0.41.
const SYSTEM: &str = "/etc/grok";
/// The clients whose files are read, by their names in settings, and the kinds of files that can be switched off.
const CLIENTS: [&str; 3] = ["claude", "cursor", "codex"];
const KINDS: [&str; 6] = ["skills", "rules", "agents", "mcps", "hooks", "sessions"];

/// What the settings switch off and add.
pub(super) struct Settings {
    /// Kinds of files of other clients that are switched off.
    off: Vec<(&'static str, &'static str)>,
    /// The further folders of rules.
    pub(super) extra_folders: Vec<PathBuf>,
    /// Whether a folder has to be trusted.
    pub(super) asks_for_trust: bool,
}

/// The files of settings that can be used, the highest first.
struct Layers(Vec<Node>);

/// What comes of a file of settings that cannot be used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Broken {
    Refuses,
    IsLeftOut,
    IsNotKnown,
}

impl Settings {
    pub(super) fn read(at: &Standpoint, own: &Path, search: &mut Search, answer: &mut Answer) -> Known<Settings> {
        let system = Path::new(SYSTEM);
        // Where a file cannot be read, or is no TOML.
        let files = [
            (system.join("requirements.toml"), Broken::IsNotKnown, Broken::IsLeftOut),
            (own.join("requirements.toml"), Broken::IsNotKnown, Broken::IsLeftOut),
            (own.join("config.toml"), Broken::Refuses, Broken::Refuses),
            (own.join("managed_config.toml"), Broken::IsNotKnown, Broken::Refuses),
            (system.join("managed_config.toml"), Broken::IsNotKnown, Broken::IsNotKnown),
        ];
        let (mut layers, mut trust) = (Vec::new(), None);
        for (path, unreadable, broken) in files {
            let read = search.read(&path, "the settings switch files off and name folders")?;
            let (found, what) = match &read {
                Err(Unreadable::Errno(errno)) if *errno == Errno::NOENT => continue,
                Err(problem) => (Err(problem.to_string()), unreadable),
                Ok(raw) => match raw.as_text() {
                    None => (Err("they are not UTF-8".to_owned()), unreadable),
                    Some(text) => (parse_toml(text).map_err(|error| error.message), broken),
                },
            };
            match (found, what) {
                (Ok(node), _) => {
                    if path.ends_with("config.toml") {
                        trust = node.at_path(&["folder_trust", "enabled"]).and_then(Node::as_bool);
                    }
                    layers.push(node);
                }
                (Err(problem), Broken::Refuses) => {
                    return Err(Halt::refused(path, format!("these settings cannot be used: {problem}")));
                }
                (Err(_), Broken::IsLeftOut) => {}
                (Err(problem), Broken::IsNotKnown) => {
                    answer.doubt(&[Certain::Set], format!("{}: {problem}", path.display()));
                }
            }
        }
        let layers = Layers(layers);
        let mut models = layers.0.iter().filter_map(|layer| layer.get("model")).filter_map(Node::as_table).flatten();
        if models.any(|(_, model)| model.get("agent_type").is_some()) {
            answer.doubt(&[Certain::Set], "a model with an agent_type frames the rules otherwise");
        }
        if let Some(what) = layers.mistyped() {
            return Err(Halt::refused(own.join("config.toml"), what));
        }
        let mut off = Vec::new();
        for client in ["claude", "cursor"] {
            for kind in ["agents", "rules"] {
                let variable = format!("GROK_{client}_{kind}_ENABLED").to_uppercase();
                let said = layers.get(&["compat", client, kind]).and_then(Node::as_bool);
                if switch(&variable, search).or(said) == Some(false) {
                    off.push((client, kind));
                }
            }
        }
        let asks_for_trust = switch("GROK_FOLDER_TRUST", search).or(trust).unwrap_or(true);
        let extra_folders = layers.extra_folders(at, search, answer)?;
        Ok(Settings { off, extra_folders, asks_for_trust })
    }

    /// Returns true if a kind of files of another client is read.
    pub(super) fn reads(&self, client: &str, kind: &str) -> bool {
        !self.off.contains(&(client, kind))
    }
}

impl Layers {
    /// Looks a key up in the highest layer that has it.
    fn get(&self, path: &[&str]) -> Option<&Node> {
        self.0.iter().find_map(|layer| layer.at_path(path))
    }

    /// Says which of the keys that are looked at here has a value of another type, for which the client refuses to start.
    fn mistyped(&self) -> Option<String> {
        let tables = ["compat", "paths"].map(|key| vec![key]).into_iter();
        let of_clients = CLIENTS.map(|client| vec!["compat", client]);
        let no_table = |path: &Vec<&str>| self.get(path).is_some_and(|node| node.as_table().is_none());
        let mut switches = CLIENTS.iter().flat_map(|client| KINDS.map(|kind| vec!["compat", client, kind]));
        let no_switch = |path: &Vec<&str>| self.get(path).is_some_and(|node| node.as_bool().is_none());
        let folders = self.get(&["paths", "extra_rule_dirs"]);
        if folders.is_some_and(|list| list.as_texts().is_none()) {
            return Some("paths.extra_rule_dirs must be a list of paths".to_owned());
        }
        let table = tables.chain(of_clients).find(no_table).map(|path| format!("{} must be a table", path.join(".")));
        table.or_else(|| switches.find(no_switch).map(|path| format!("{} must be true or false", path.join("."))))
    }

    /// The further folders of rules that are absolute once `~` and variables are put in.
    fn extra_folders(&self, at: &Standpoint, search: &mut Search, answer: &mut Answer) -> Known<Vec<PathBuf>> {
        let mut folders = Vec::new();
        for written in self.get(&["paths", "extra_rule_dirs"]).and_then(Node::as_texts).unwrap_or_default() {
            let path = match written.strip_prefix('~') {
                Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                    at.home.join(with_variables(rest.trim_start_matches('/'), at, search))
                }
                _ => PathBuf::from(with_variables(written, at, search)),
            };
            if written.contains("${") && path.to_string_lossy().contains("${") {
                answer.doubt(&[Certain::Set], format!("what the client makes of {written} is not known"));
            }
            if path.is_absolute()
                && let Ok(real) = search.real(&path)?
            {
                // A link stays what it is called; what leads up again is what the system makes of it.
                folders.push(if path.components().any(|part| part.as_os_str() == "..") { real } else { path });
            }
        }
        Ok(folders)
    }
}

/// The value of a variable that switches something on or off; what is none of these words counts as unset (1.0.41).
fn switch(name: &str, search: &mut Search) -> Option<bool> {
    match search.env(name)?.trim().to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" | "enabled" => Some(true),
        "0" | "false" | "no" | "off" | "disabled" => Some(false),
        _ => None,
    }
}

/// A text with variables put in, as `$NAME` or `${NAME}`; where one is not set, the text stays.
fn with_variables(text: &str, at: &Standpoint, search: &mut Search) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once('$') {
        out.push_str(before);
        let braced = behind.strip_prefix('{');
        let start = braced.unwrap_or(behind);
        let name = &start[..start.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(start.len())];
        let closes = braced.is_none() || start[name.len()..].starts_with('}');
        let value = if name == "HOME" {
            at.home.to_str().map(str::to_owned)
        } else {
            search.env(name).map(|value| value.to_string())
        };
        match value.filter(|_| closes && !name.is_empty()) {
            Some(value) => {
                out.push_str(&value);
                rest = &start[name.len() + usize::from(braced.is_some())..];
            }
            // Nothing is put in at all.
            None => return text.to_owned(),
        }
    }
    out + rest
}
