//! Environment variables after the client has read its settings: those of the process, and those that a `.env` file
//! adds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::paths::joined;
use crate::answer::Standpoint;
use crate::formats::{Node, Value, dotenv};
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Ask, absolute};
use crate::text::js_trim;

/// Variables that a `.env` file outside a settings folder must not set, by default (Gemini CLI 0.61).
const EXCLUDED: [&str; 4] =
    ["DEBUG", "DEBUG_MODE", "GEMINI_CLI_IDE_SERVER_STDIO_COMMAND", "GEMINI_CLI_IDE_SERVER_STDIO_ARGS"];

/// Variable with the path of a system prompt; `1` or `true` stands for `.gemini/system.md` (Gemini CLI 0.61).
const SYSTEM_PROMPT: &str = "GEMINI_SYSTEM_MD";

/// Variables that were added to those of the process.
#[derive(Default)]
pub(super) struct Variables {
    added: BTreeMap<String, String>,
}

impl Variables {
    /// Reads the `.env` file of a trusted folder. `settings` are read before it, without its variables.
    pub(super) fn load(settings: &Node, at: &Standpoint, home: &Path, search: &mut Search) -> Known<Variables> {
        let ignore = flag(settings.at_path(&["advanced", "ignoreLocalEnv"]), false) || at.flag(super::ID, "ignore-env");
        let Some(file) = file(ignore, at, home, search)? else { return Ok(Variables::default()) };
        let raw = match search.read(&file, "variables that the environment does not set")? {
            Ok(raw) => raw,
            Err(_) => return Ok(Variables::default()),
        };
        let own = file.to_string_lossy().contains(".gemini");
        let configured = settings.at_path(&["advanced", "excludedEnvVars"]).and_then(Node::as_texts);
        let excluded = configured.unwrap_or_else(|| EXCLUDED.to_vec());
        let added = dotenv(&raw.text()).into_iter().filter(|(name, _)| own || !excluded.contains(&name.as_str()));
        Ok(Variables { added: added.collect() })
    }

    /// Returns the value of a variable. The process takes precedence.
    pub(super) fn get(&self, name: &str, search: &Search) -> Option<String> {
        search.env(name).or_else(|| self.added.get(name).cloned())
    }

    /// Returns the value of a variable that settings refer to by `written`. Wherever it is used, answers show the
    /// reference instead.
    pub(super) fn put_in(&self, name: &str, written: &str, search: &Search) -> Option<String> {
        let value = search.secret_env(name).or_else(|| self.added.get(name).cloned())?;
        search.put_in(&value, written).then_some(value)
    }

    /// Returns the home directory for everything but settings.
    pub(super) fn home(&self, at: &Standpoint, search: &Search) -> PathBuf {
        let named = self.get("GEMINI_CLI_HOME", search).filter(|home| !home.is_empty());
        named.map_or_else(|| at.home.clone(), |home| absolute(&at.cwd, Path::new(&home)))
    }

    /// Refuses to start if the system prompt named by `$GEMINI_SYSTEM_MD`, which replaces the client's own, cannot be
    /// read.
    pub(super) fn check_system_prompt(&self, at: &Standpoint, search: &mut Search) -> Known<()> {
        let value = self.get(SYSTEM_PROMPT, search).unwrap_or_default();
        let path = match js_trim(&value) {
            "" | "0" => return Ok(()),
            switch if switch.eq_ignore_ascii_case("false") => return Ok(()),
            switch if switch == "1" || switch.eq_ignore_ascii_case("true") => at.cwd.join(".gemini/system.md"),
            "~" => self.home(at, search),
            path => match path.strip_prefix("~/") {
                Some(rest) => joined(&self.home(at, search), rest),
                None => absolute(&at.cwd, Path::new(path)),
            },
        };
        let read = search.read(&path, "a system prompt in place of the client's own; it must exist")?;
        read.map(|_| ()).map_err(|problem| {
            let message =
                format!("{SYSTEM_PROMPT}: {}: {problem}; Gemini CLI does not start without it", path.display());
            Halt::refused(&path, message)
        })
    }
}

/// Returns the first of `.gemini/.env` and `.env` from the working directory upwards, then in the home directory.
fn file(ignore_local: bool, at: &Standpoint, home: &Path, search: &mut Search) -> Known<Option<PathBuf>> {
    let dirs: Vec<&Path> = at.cwd.ancestors().chain([home]).collect();
    let places = dirs.iter().flat_map(|dir| {
        let local = (!ignore_local || *dir == home).then(|| dir.join(".env"));
        [Some(dir.join(".gemini/.env")), local]
    });
    let places: Vec<PathBuf> = places.flatten().collect();
    search.expect(places.iter().cloned().map(Ask::Kind))?;
    for place in places {
        if search
            .stat(&place, "variables: .gemini/.env and .env, from the working directory upwards, then at home")?
            .is_ok()
        {
            return Ok(Some(place));
        }
    }
    Ok(None)
}

/// Returns a boolean as the client's validation parses it.
pub(super) fn flag(node: Option<&Node>, default: bool) -> bool {
    match node.map(|node| &node.value) {
        Some(Value::Bool(value)) => *value,
        Some(Value::Text(text)) if text.eq_ignore_ascii_case("true") => true,
        Some(Value::Text(text)) if text.eq_ignore_ascii_case("false") => false,
        _ => default,
    }
}
