//! Plugins of skills: a skill at or below a folder with a plugin's manifest has the plugin's name in front of its own.

use std::path::{Path, PathBuf};

use crate::formats::{Value, parse_rust_json};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, FileType};

/// Possible places of a plugin's manifest; the first one that exists counts (Codex 0.169).
pub(super) const MANIFESTS: &[&str] =
    &[".codex-plugin/plugin.json", ".claude-plugin/plugin.json", ".cursor-plugin/plugin.json"];

/// Returns the facts needed to find the plugins of some skills.
pub(super) fn asks(skills: &[PathBuf], manifests: &[&str]) -> Vec<Ask> {
    let mut folders: Vec<&Path> = skills.iter().flat_map(|skill| skill.ancestors().skip(1)).collect();
    folders.sort();
    folders.dedup();
    folders.into_iter().flat_map(|folder| manifests.iter().map(|manifest| Ask::Kind(folder.join(manifest)))).collect()
}

/// Returns the name of the nearest plugin that contains a skill. A manifest that cannot be read is ignored.
pub(super) fn plugin(skill: &Path, manifests: &[&str], search: &mut Search) -> Known<Option<String>> {
    for folder in skill.ancestors().skip(1) {
        for manifest in manifests.iter().map(|manifest| folder.join(manifest)) {
            if !search.glance(&manifest)?.is_ok_and(|meta| meta.kind == FileType::File) {
                continue;
            }
            if let Some(name) = name(&manifest, folder, search)? {
                return Ok(Some(name));
            }
            break;
        }
    }
    Ok(None)
}

/// Returns the name in a manifest, or else the name of its folder.
fn name(manifest: &Path, folder: &Path, search: &mut Search) -> Known<Option<String>> {
    let Ok(raw) = search.read(manifest, "the plugin that the skills below belong to")? else { return Ok(None) };
    let Some(Ok(node)) = raw.as_text().map(parse_rust_json) else { return Ok(None) };
    let name = match (&node.value, node.get("name").map(|name| &name.value)) {
        (Value::Table(_), None) => "",
        (Value::Table(_), Some(Value::Text(name))) => name,
        (_, _) => return Ok(None),
    };
    let of_folder = || folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Some(if name.trim().is_empty() { of_folder() } else { name.to_owned() }))
}
