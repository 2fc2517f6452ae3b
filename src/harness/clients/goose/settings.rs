//! Settings of Goose: names of hint files, and `.gitignore` patterns that exclude references.

use std::path::{Path, PathBuf};

use ignore::gitignore::Gitignore;

use crate::answer::{Certain, Warning};
use crate::formats::{Node, Value, parse_rust_json, parse_rust_yaml};
use crate::glob::{gitignore, ignore_lines};
use crate::harness::kit::conventional::Chain;
use crate::search::{Halt, Known, Search};

const KEY: &str = "CONTEXT_FILE_NAMES";
/// Default names.
const NAMES: [&str; 2] = [".goosehints", "AGENTS.md"];

/// Returns the names of hint files: from the variable as JSON, otherwise from the last settings file that has the key.
pub(super) fn names(chain: &mut Chain, config: &Path) -> Known<Vec<String>> {
    let default = || NAMES.map(str::to_owned).to_vec();
    if let Some(list) = chain.search.env(KEY) {
        return Ok(parse_rust_json(&list).ok().and_then(|list| texts(&list)).unwrap_or_else(|| {
            let message = "CONTEXT_FILE_NAMES is not a JSON list of names: the defaults apply";
            chain.answer.warnings.push(Warning::general("settings", message));
            default()
        }));
    }
    let further = chain.search.env("GOOSE_ADDITIONAL_CONFIG_FILES").unwrap_or_default();
    let further = further.split(':').filter(|path| !path.is_empty()).map(|path| chain.at.cwd.join(path));
    let layers: Vec<PathBuf> = [PathBuf::from("/etc/goose/config.yaml")]
        .into_iter()
        .chain(further)
        .chain([config.join("config.yaml")])
        .collect();
    let mut said = None;
    for path in layers {
        let Ok(raw) = chain.search.read(&path, KEY)? else { continue };
        // A file that is not a YAML table, or not UTF-8, is skipped as a whole.
        let settings = raw.as_text().and_then(|text| parse_rust_yaml(text.trim_start_matches('\u{feff}')).ok());
        said = settings.and_then(|settings| settings.get(KEY).cloned()).or(said);
    }
    let list = match said {
        None => return Ok(default()),
        Some(Node { value: Value::Null, .. }) => Some(Vec::new()),
        // A text may hold the list as JSON.
        Some(Node { value: Value::Text(json), .. }) => parse_rust_json(&json).ok().and_then(|list| texts(&list)),
        Some(list) => texts(&list),
    };
    Ok(list.unwrap_or_else(default))
}

/// Refuses if the permissions of tools cannot be used: the client stops (Goose 1.52).
pub(super) fn check_permissions(config: &Path, search: &mut Search) -> Known<()> {
    const LISTS: [&str; 3] = ["always_allow", "ask_before", "never_allow"];
    let path = config.join("permission.yaml");
    let usable = |node: &Node| {
        let has_lists =
            |tools: &Node| LISTS.iter().all(|list| tools.get(list).is_some_and(|list| texts(list).is_some()));
        node.as_table().is_some_and(|callers| callers.iter().all(|(_, tools)| has_lists(tools)))
    };
    let why = match search.read(&path, "permissions of tools")? {
        // What cannot be reached counts as missing.
        Err(_) if search.stat(&path, "permissions of tools")?.is_err() => return Ok(()),
        Err(problem) => problem.to_string(),
        Ok(raw)
            if raw.is_empty()
                || raw.as_text().and_then(|text| parse_rust_yaml(text).ok()).is_some_and(|node| usable(&node)) =>
        {
            return Ok(());
        }
        Ok(_) => "they are not lists of tools for each caller".to_owned(),
    };
    Err(Halt::refused(path, format!("these permissions cannot be used: {why}")))
}

/// Doubts the answer if a variable or the user's settings have a value for the model at which the client stops (Goose
/// 1.52).
pub(super) fn doubt_model(chain: &mut Chain, config: &Path) -> Known<()> {
    const NAMES: [&str; 4] = ["GOOSE_CONTEXT_LIMIT", "GOOSE_MAX_TOKENS", "GOOSE_TEMPERATURE", "GOOSE_TOOLSHIM"];
    let raw = chain.search.read(&config.join("config.yaml"), "settings of the model")?;
    let settings = raw.ok().and_then(|raw| parse_rust_yaml(raw.as_text()?.trim_start_matches('\u{feff}')).ok());
    let of_file = |name: &str| match &settings.as_ref()?.get(name)?.value {
        Value::Text(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => Some(String::new()),
    };
    for name in NAMES {
        let is_accepted = |value: &str| match name {
            "GOOSE_TEMPERATURE" => value.parse().is_ok_and(|number: f64| number >= 0.0),
            "GOOSE_TOOLSHIM" => {
                ["0", "1", "true", "false", "yes", "no", "on", "off"].contains(&value.to_ascii_lowercase().as_str())
            }
            _ => value.parse::<usize>().is_ok(),
        };
        if chain.search.env(name).or_else(|| of_file(name)).is_some_and(|value| !is_accepted(&value)) {
            chain.answer.doubt(&[Certain::Set], format!("at this value of {name} the client may stop"));
        }
    }
    Ok(())
}

fn texts(list: &Node) -> Option<Vec<String>> {
    Some(list.as_texts()?.into_iter().map(str::to_owned).collect())
}

/// Returns the patterns of the `.gitignore` files of these directories, outermost first, all relative to the last
/// directory.
pub(super) fn ignored(chain: &mut Chain, dirs: &[&Path]) -> Known<Gitignore> {
    let mut patterns = Vec::new();
    for dir in dirs {
        let Ok(raw) =
            chain.search.read(&dir.join(".gitignore"), "what it names is not put in the place of references")?
        else {
            continue;
        };
        patterns.extend(ignore_lines(&raw).map(str::to_owned));
    }
    Ok(gitignore(dirs.last().unwrap_or(&Path::new("/")), patterns.iter().map(String::as_str)))
}
