//! Contributions of installed extensions, in the order of their folders: context files, and folders of rules.

use std::path::{Path, PathBuf};

use super::environment::Variables;
use super::history::ExtensionRules;
use super::settings::with_variables;
use crate::answer::Warning;
use crate::formats::{Node, Value, parse_json};
use crate::harness::clients::gemini_cli::{Switches, hydrated, joined};
use crate::harness::kit::conventional::Chain;
use crate::search::{Halt, Known};
use crate::snapshot::{Errno, absolute};

/// Default name of an extension's context file (Qwen Code 0.24).
const DEFAULT_NAME: &str = "QWEN.md";

/// Contributions of the active extensions.
#[derive(Default)]
pub(super) struct Extensions {
    /// Context files.
    pub files: Vec<PathBuf>,
    /// Names of extensions, each with its folder of rules.
    pub rules: Vec<(String, PathBuf)>,
}

/// Collects the extensions in the folder `extensions` of the settings folder.
pub(super) fn gather(chain: &mut Chain, own: &Path, variables: &Variables, rules: ExtensionRules) -> Known<Extensions> {
    let dir = own.join("extensions");
    let mut found = Extensions::default();
    let entries = match chain.search.list(&dir, "extensions: one folder each")? {
        Err(Errno::ACCES) => return Err(Halt::refused(&dir, format!("{} may not be listed", dir.display()))),
        Err(_) => return Ok(found),
        Ok(entries) => entries,
    };
    let chosen = chain.at.option_list(super::PROFILE.id, "extensions");
    let switches = Switches::read(&dir, &chosen, chain.search)?;
    let mut folders: Vec<PathBuf> = entries.iter().map(|entry| dir.join(&entry.name)).collect();
    folders.sort();
    for folder in folders {
        if !chain.search.is_dir(&folder, "extensions: one folder each")? {
            continue;
        }
        let manifest = match manifest(chain, &folder, variables)? {
            Ok(manifest) => manifest,
            Err(why) => {
                let message = format!("{} is skipped: {why}", folder.display());
                chain.answer.warnings.push(Warning::at("extension-skipped", folder, message));
                continue;
            }
        };
        if !switches.active(&manifest.name, &chain.at.cwd) {
            continue;
        }
        for name in &manifest.names {
            let path = joined(&manifest.place, name);
            if chain.search.stat(&path, "extensions: their context files")?.is_ok() {
                found.files.push(path);
            }
        }
        if rules == ExtensionRules::Read {
            found.rules.push((manifest.name, manifest.place.join("rules")));
        }
    }
    Ok(found)
}

struct Manifest {
    name: String,
    /// Folder of its files, which is elsewhere for a linked extension.
    place: PathBuf,
    names: Vec<String>,
}

/// Reads `qwen-extension.json`, and substitutes `${extensionPath}` and similar placeholders.
fn manifest(chain: &mut Chain, folder: &Path, variables: &Variables) -> Known<Result<Manifest, String>> {
    let metadata = folder.join(".qwen-extension-install.json");
    let metadata = chain.search.read(&metadata, "extensions: how it was installed")?.ok();
    let metadata = metadata.and_then(|raw| parse_json(&raw.text()).ok());
    let said = |key: &str| metadata.as_ref()?.get(key)?.as_text();
    let place = match (said("type"), said("source").filter(|source| !source.is_empty())) {
        (Some("link"), Some(source)) => absolute(&chain.at.cwd, Path::new(source)),
        _ => folder.to_owned(),
    };
    let file = place.join("qwen-extension.json");
    let raw = chain.search.read(&file, "extensions: the manifest")?;
    let hydrated = |node| {
        with_variables(hydrated(node, &place, &chain.at.cwd), &|name, written| {
            variables.put_in(name, written, chain.search)
        })
    };
    Ok(match raw {
        Ok(raw) => parsed_manifest(&raw.text(), &file, hydrated),
        Err(problem) => Err(format!("{}: {problem}", file.display())),
    })
}

fn parsed_manifest(text: &str, file: &Path, hydrated: impl Fn(Node) -> Node) -> Result<Manifest, String> {
    let place = file.parent().unwrap_or(file).to_owned();
    let node = parse_json(text).map_err(|error| format!("{}:{}", file.display(), error.with_position(text)))?;
    let node = hydrated(node);
    let name = node.get("name").and_then(Node::as_text).unwrap_or_default().to_owned();
    let is_sign = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || !name.chars().all(is_sign) {
        return Err(format!(
            "{name:?} is not a valid name: only letters, digits, dashes, underscores and dots are allowed"
        ));
    }
    let names = match node.get("contextFileName").map(|node| &node.value) {
        Some(Value::List(list)) if !list.is_empty() => {
            let texts: Option<Vec<String>> = list.iter().map(|name| name.as_text().map(str::to_owned)).collect();
            texts.ok_or("contextFileName holds something that is no text")?
        }
        Some(Value::Text(name)) if !name.is_empty() => vec![name.clone()],
        _ => vec![DEFAULT_NAME.to_owned()],
    };
    Ok(Manifest { name, place, names })
}
