//! Trust in a folder: the setting, and `trustedFolders.json`.

use std::path::{Path, PathBuf};

use super::history::Deciding;
use crate::formats::{Node, Value, parse_json, without_comments};
use crate::harness::kit::conventional::Chain;
use crate::search::{Halt, Known};
use crate::snapshot::absolute;

/// Recorded decisions about folders.
pub(super) struct Decisions {
    /// Folders as written and as real paths, and whether they are trusted.
    rules: Vec<(Vec<PathBuf>, bool)>,
    deciding: Deciding,
}

/// Returns true if `security.folderTrust.enabled` is on. The last layer has the highest precedence.
pub(super) fn is_enabled(layers: &[&Node]) -> bool {
    let said = layers.iter().rev().find_map(|layer| layer.at_path(&["security", "folderTrust", "enabled"]));
    match said.map(|node| &node.value) {
        None | Some(Value::Null | Value::Bool(false) | Value::Integer(0)) => false,
        Some(Value::Text(text)) => !text.is_empty(),
        Some(_) => true,
    }
}

impl Decisions {
    /// Reads the file of decisions. Refuses to start if it is invalid.
    pub fn read(chain: &mut Chain, own: &Path, deciding: Deciding) -> Known<Decisions> {
        let named = chain.search.env("QWEN_CODE_TRUSTED_FOLDERS_PATH").filter(|path| !path.is_empty());
        let file =
            named.map_or_else(|| own.join("trustedFolders.json"), |path| absolute(&chain.at.cwd, Path::new(&path)));
        let mut decisions = Decisions { rules: Vec::new(), deciding };
        let refused = |why: String| Err(Halt::refused(&file, format!("{}: {why}", file.display())));
        let raw = match chain.search.read(&file, "trust: the folders somebody decided about")? {
            Ok(raw) => raw,
            Err(_) if chain.search.stat(&file, "decisions that cannot be reached are missing")?.is_err() => {
                return Ok(decisions);
            }
            Err(problem) => return refused(problem.to_string()),
        };
        let text = without_comments(&raw.text());
        let node = match parse_json(&text) {
            Ok(node) => node,
            Err(error) => return refused(error.with_position(&text)),
        };
        let Some(table) = node.as_table() else { return refused("trusted folders must be an object".to_owned()) };
        for (folder, level) in table {
            let folder = Path::new(folder);
            let (folder, trusted) = match level.as_text() {
                Some("TRUST_FOLDER") => (folder, true),
                Some("TRUST_PARENT") => (folder.parent().unwrap_or(folder), true),
                Some("DO_NOT_TRUST") => (folder, false),
                _ => continue,
            };
            let places = variants(chain, &absolute(&chain.at.cwd, folder))?;
            decisions.rules.push((places, trusted));
        }
        Ok(decisions)
    }

    /// Returns the decision about a folder. `Deepest`: the deepest rule at or above it, of two the one that denies.
    /// `Trusting`: any rule that trusts it or a folder above it, otherwise one that denies the folder itself.
    pub fn about(&self, chain: &mut Chain, folder: &Path) -> Known<Option<bool>> {
        let folders = variants(chain, folder)?;
        let depth = |rule: &[PathBuf]| {
            let above = rule.iter().filter(|place| folders.iter().any(|folder| folder.starts_with(place)));
            above.map(|place| place.components().count()).max()
        };
        if self.deciding == Deciding::Trusting {
            let trusted = self.rules.iter().any(|(places, trusted)| *trusted && depth(places).is_some());
            let denied = self.rules.iter().any(|(places, _)| places.iter().any(|place| folders.contains(place)));
            return Ok(trusted.then_some(true).or(denied.then_some(false)));
        }
        let fitting = self.rules.iter().filter_map(|(places, trusted)| Some((depth(places)?, !trusted)));
        Ok(fitting.max().map(|(_, denied)| !denied))
    }
}

fn variants(chain: &mut Chain, folder: &Path) -> Known<Vec<PathBuf>> {
    let mut places = vec![folder.to_owned()];
    places.extend(chain.search.real(folder)?.ok());
    Ok(places)
}
