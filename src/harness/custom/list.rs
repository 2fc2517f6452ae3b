//! Reads the value of a key of a settings file: JSON5, or TOML.

use std::path::{Path, PathBuf};

use super::choices::Look;
use super::definition::List;
use super::finder::Finder;
use crate::answer::Warning;
use crate::formats::{Node, Value, parse_json5, parse_toml};
use crate::search::{Known, Search};
use crate::snapshot::absolute;

/// Entry of a list, with the file that contains it.
pub(super) struct Listed {
    pub text: String,
    pub file: PathBuf,
}

/// Returns the texts at the key of the settings file. `{…}` in the key is replaced by the value in `names`.
pub(super) fn look(
    list: &List,
    names: &[(&str, &str)],
    finder: &mut Finder,
    search: &mut Search,
) -> Known<Vec<Listed>> {
    let Some(file) = file(list, finder, search)? else { return Ok(Vec::new()) };
    let raw = match search.read(&file, "settings")? {
        Ok(raw) => raw,
        Err(problem) => {
            broken(&file, &problem.to_string(), finder);
            return Ok(Vec::new());
        }
    };
    let text = raw.text_without_bom();
    let is_toml = file.extension().is_some_and(|extension| extension == "toml");
    let root = match if is_toml { parse_toml(&text) } else { parse_json5(&text) } {
        Ok(root) => root,
        Err(error) => {
            broken(&file, &error.with_position(&text), finder);
            return Ok(Vec::new());
        }
    };
    let mut nodes = vec![&root];
    for segment in list.key.split('.') {
        let (key, each) = segment.strip_suffix("[]").map_or((segment, false), |key| (key, true));
        let named = key.strip_prefix('{').and_then(|key| key.strip_suffix('}'));
        let key = named.and_then(|name| names.iter().find(|(known, _)| *known == name)).map_or(key, |(_, value)| value);
        nodes = nodes.into_iter().filter_map(|node| node.get(key)).collect();
        if each {
            nodes = nodes.into_iter().flat_map(|node| node.as_list().unwrap_or_default()).collect();
        }
    }
    let mut listed = Vec::new();
    for node in nodes {
        texts(node, &file, list, &mut listed, finder);
    }
    Ok(listed)
}

fn texts(node: &Node, file: &Path, list: &List, listed: &mut Vec<Listed>, finder: &mut Finder) {
    match &node.value {
        Value::Text(text) => listed.push(Listed { text: text.clone(), file: file.to_owned() }),
        Value::List(items) => {
            for item in items {
                match &item.value {
                    Value::Text(text) => listed.push(Listed { text: text.clone(), file: file.to_owned() }),
                    other => wrong(file, list, other.kind(), finder),
                }
            }
        }
        Value::Null => {}
        other => wrong(file, list, other.kind(), finder),
    }
}

fn wrong(file: &Path, list: &List, kind: &str, finder: &mut Finder) {
    let message = format!("{}: `{}` holds {kind}, and is read as a list of strings", file.display(), list.key);
    finder.answer.warnings.push(Warning::at("settings", file, message));
}

fn broken(file: &Path, what: &str, finder: &mut Finder) {
    let warning = Warning::at("settings", file, format!("{}: {what}; nothing in it counts", file.display()));
    if !finder.answer.warnings.contains(&warning) {
        finder.answer.warnings.push(warning);
    }
    finder.answer.files_only.get_or_insert_with(|| format!("{} cannot be read", file.display()));
}

/// Returns the path of the settings file, if it exists.
fn file(list: &List, finder: &Finder, search: &mut Search) -> Known<Option<PathBuf>> {
    let written = Path::new(&list.file);
    if list.file.starts_with(['/', '~', '$']) {
        let Some(path) = finder.place(&list.file, &finder.at.cwd, search) else { return Ok(None) };
        return Ok(search.is_file(&path, "settings")?.then_some(path));
    }
    let cwd = finder.at.cwd.as_path();
    let end = finder.workspace();
    let dirs: Vec<&Path> = match list.look {
        Look::Cwd => vec![cwd],
        Look::Root => vec![end],
        Look::Nearest => cwd.ancestors().take_while(|dir| dir.starts_with(end)).collect(),
    };
    for dir in dirs {
        let path = absolute(dir, written);
        if search.is_file(&path, "settings: the nearest file of that name")? {
            return Ok(Some(path));
        }
    }
    Ok(None)
}
