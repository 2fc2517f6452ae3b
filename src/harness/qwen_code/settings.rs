//! What the settings of Qwen Code say of context files: four layers, comments allowed.

use std::path::{Path, PathBuf};

use super::imports::Format;
use crate::answer::{Standpoint, Warning};
use crate::formats::{Node, Value, parse_jsonc};
use crate::harness::conventional::Chain;
use crate::search::Told;
use crate::snapshot::{Ask, absolute};
use crate::text;

/// What matters here.
pub(super) struct Settings {
    /// The names of context files.
    pub names: Vec<String>,
    /// How imports are shown.
    pub format: Format,
    /// `general.outputLanguage`.
    pub language: String,
    included: Vec<String>,
}

impl Settings {
    /// Reads every layer; a later one counts over an earlier one, and lists of directories add up.
    pub fn gather(chain: &mut Chain, own: &Path) -> Told<Settings> {
        let system = chain.search.env("QWEN_CODE_SYSTEM_SETTINGS_PATH").filter(|path| !path.is_empty());
        let system = absolute(&chain.at.cwd, Path::new(system.as_deref().unwrap_or("/etc/qwen-code/settings.json")));
        let files = [
            system.with_file_name("system-defaults.json"),
            own.join("settings.json"),
            chain.at.cwd.join(".qwen/settings.json"),
            system,
        ];
        chain.search.expect(files.iter().cloned().map(Ask::Content))?;
        let mut layers = Vec::new();
        for file in files {
            let Ok(raw) = chain.search.read(&file, "settings")? else { continue };
            let text = text::lossy_without_bom(&raw);
            match parse_jsonc(&text) {
                Ok(layer) => layers.push(layer),
                Err(error) => {
                    let message = format!("{}: the settings are not known", error.with_position(&text));
                    chain.answer.files_only = Some(format!("{}: {message}", file.display()));
                    chain.answer.warnings.push(Warning::at("settings", file, message));
                }
            }
        }
        let value = |path: &[&str]| layers.iter().rev().find_map(|layer: &Node| layer.at_path(path));
        let context = |key: &str| value(&["context", key]);
        let on = |path: &[&str]| value(path).and_then(Node::as_bool) == Some(true);
        if on(&["security", "folderTrust", "enabled"]) {
            chain.answer.files_only = Some("whether the folder is trusted is not looked up".to_owned());
        }
        let is_flat = context("importFormat").and_then(Node::as_text) == Some("flat");
        let format = if is_flat { Format::Flat } else { Format::Tree };
        let include = on(&["context", "loadFromIncludeDirectories"]);
        let language = value(&["general", "outputLanguage"]).and_then(Node::as_text).unwrap_or_default().to_owned();
        let lists = layers.iter().filter_map(|layer| layer.at_path(&["context", "includeDirectories"])?.as_texts());
        let included = lists.flatten().filter(|_| include).map(str::to_owned).collect();
        Ok(Settings { names: names(context("fileName")), format, language, included })
    }

    /// Where context files are gathered: the working directory, then what is included.
    pub fn directories(&self, at: &Standpoint) -> Vec<PathBuf> {
        let mut directories = vec![at.cwd.clone()];
        for name in &self.included {
            let path = match name.strip_prefix("~/") {
                Some(rest) => at.home.join(rest),
                None => absolute(&at.cwd, Path::new(name)),
            };
            if !directories.contains(&path) {
                directories.push(path);
            }
        }
        directories
    }
}

/// `context.fileName`, a text or a list; what says nothing leaves the two usual names.
fn names(setting: Option<&Node>) -> Vec<String> {
    let usual = || vec!["QWEN.md".to_owned(), "AGENTS.md".to_owned()];
    match setting.map(|node| &node.value) {
        Some(Value::Text(name)) if !text::js_trim(name).is_empty() => vec![text::js_trim(name).to_owned()],
        Some(Value::List(list)) if !list.is_empty() => {
            list.iter().filter_map(Node::as_text).map(|name| text::js_trim(name).to_owned()).collect()
        }
        _ => usual(),
    }
}
