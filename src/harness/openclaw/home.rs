//! Where OpenClaw keeps things: its home, its state directory, its configuration, and the variables that decide.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use regex_lite::Regex;

use crate::answer::{Answer, Standpoint};
use crate::search::{Search, Told};
use crate::snapshot::{Ask, Unreadable, absolute};
use crate::text::{js_trim, lossy};

/// The current and the former name of the state directory below home.
const STATE_NAMES: [&str; 2] = [".openclaw", ".clawdbot"];
/// The current and the former name of the configuration.
const CONFIG_NAMES: [&str; 2] = ["openclaw.json", "clawdbot.json"];
/// Largest `.env` file, in bytes; OpenClaw 2026.9.6.
const DOTENV_LIMIT_BYTES: usize = 1024 * 1024;

/// The places, and the variables with what `.env` files and the configuration add.
pub struct Home {
    /// The effective home directory.
    pub home: PathBuf,
    /// The state directory.
    pub state: PathBuf,
    /// The configuration file, whether it is there or not.
    pub config: PathBuf,
    cwd: PathBuf,
    /// The former state directory, which the client moves to its new place when it starts: where it is and will be.
    moved: Option<(PathBuf, PathBuf)>,
    added: BTreeMap<String, String>,
}

impl Home {
    /// Finds the places.
    pub fn find(at: &Standpoint, search: &mut Search) -> Told<Result<Home, Answer>> {
        let home = match set(search, "OPENCLAW_HOME").filter(|dir| !matches!(dir.as_str(), "undefined" | "null")) {
            Some(dir) => absolute(&at.cwd, &expanded(&dir, &at.home)),
            None => at.home.clone(),
        };
        let mut here = Home {
            state: home.join(STATE_NAMES[0]),
            config: PathBuf::new(),
            cwd: at.cwd.clone(),
            moved: None,
            added: BTreeMap::new(),
            home,
        };
        let named_state = set(search, "OPENCLAW_STATE_DIR");
        if let Some(dir) = &named_state {
            here.state = here.path(dir);
        } else {
            search.expect(STATE_NAMES.map(|name| Ask::Kind(here.home.join(name))))?;
            let [new, old] = STATE_NAMES.map(|name| here.home.join(name));
            let rule = "the state directory; the former one is moved to it if it does not exist";
            if search.stat(&new, rule)?.is_err() && search.is_dir(&old, rule)? {
                here.moved = Some((old, new));
            }
        }
        here.read_dotenv(search)?;
        here.config = match set(search, "OPENCLAW_CONFIG_PATH") {
            Some(file) => here.path(&file),
            None => here.default_config(named_state.is_some(), search)?,
        };
        Ok(match here.invalid_profile(search) {
            Some(refusal) => Err(refusal),
            None => Ok(here),
        })
    }

    /// A variable of the process, else of a `.env` file, else of the configuration.
    pub fn variable(&self, search: &Search, name: &str) -> Option<String> {
        search.env(name).or_else(|| self.added.get(name).cloned())
    }

    /// Adds what the configuration sets, where there is nothing yet.
    pub fn add_variable(&mut self, search: &Search, name: &str, value: &str) {
        if self.variable(search, name).is_none_or(|known| js_trim(&known).is_empty()) {
            self.added.insert(name.to_owned(), value.to_owned());
        }
    }

    /// A path as the user writes it: trimmed, `~` is home, relative to the working directory; without NUL.
    pub fn path(&self, written: &str) -> PathBuf {
        let written = js_trim(written).replace('\0', "");
        absolute(&self.cwd, &expanded(&written, &self.home))
    }

    /// Where a path is now, before the client moves its state directory.
    pub fn on_disk(&self, path: &Path) -> PathBuf {
        let moved = self.moved.as_ref().and_then(|(old, new)| Some(old.join(path.strip_prefix(new).ok()?)));
        moved.unwrap_or_else(|| path.to_owned())
    }

    /// How the client names a path that is now at `path`.
    pub fn named(&self, path: &Path) -> PathBuf {
        let moved = self.moved.as_ref().and_then(|(old, new)| Some(new.join(path.strip_prefix(old).ok()?)));
        moved.unwrap_or_else(|| path.to_owned())
    }

    /// The workspace of the agent that owns the default one.
    pub fn default_workspace(&self, search: &Search) -> PathBuf {
        let set = |name| self.variable(search, name).map(|value| js_trim(&value).to_owned()).filter(|v| !v.is_empty());
        if let Some(dir) = set("OPENCLAW_WORKSPACE_DIR") {
            return absolute(&self.cwd, Path::new(&dir.replace('\0', "")));
        }
        if set("OPENCLAW_STATE_DIR").is_some() {
            return self.state.join("workspace");
        }
        match set("OPENCLAW_PROFILE").filter(|profile| !profile.eq_ignore_ascii_case("default")) {
            Some(profile) => self.home.join(format!(".openclaw-{profile}/workspace")),
            None => self.home.join(".openclaw/workspace"),
        }
    }

    fn default_config(&self, state_is_named: bool, search: &mut Search) -> Told<PathBuf> {
        let mut dirs = vec![self.state.clone()];
        if !state_is_named && self.moved.is_none() {
            dirs.push(self.home.join(STATE_NAMES[1]));
        }
        let candidates: Vec<PathBuf> =
            dirs.iter().flat_map(|dir| CONFIG_NAMES.map(|name| self.on_disk(&dir.join(name)))).collect();
        search.expect(candidates.iter().cloned().map(Ask::Kind))?;
        for candidate in candidates {
            if search.stat(&candidate, "the configuration: the first that exists")?.is_ok() {
                return Ok(candidate);
            }
        }
        Ok(self.state.join(CONFIG_NAMES[0]))
    }

    fn invalid_profile(&self, search: &Search) -> Option<Answer> {
        let profile = self.variable(search, "OPENCLAW_PROFILE")?;
        let profile = js_trim(&profile);
        let valid = profile.len() <= 64
            && profile.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
            && !profile.starts_with(['-', '_']);
        (!valid && !profile.is_empty()).then(|| {
            let message = format!(
                "Invalid profile name: {profile:?} (OPENCLAW_PROFILE); use letters, digits, `-` and `_`, at most 64"
            );
            Answer::refused(self.home.clone(), message)
        })
    }

    /// `.env` of the working directory may set what is not OpenClaw's own; `.env` of the state directory anything.
    fn read_dotenv(&mut self, search: &mut Search) -> Told<()> {
        let files = [self.cwd.join(".env"), self.on_disk(&self.state.join(".env"))];
        search.expect(files.iter().cloned().map(Ask::Content))?;
        for (file, trusted) in files.into_iter().zip([false, true]) {
            let raw = match search.read(&file, "variables that the environment does not set")? {
                Ok(raw) if raw.len() <= DOTENV_LIMIT_BYTES => raw,
                Ok(_) | Err(Unreadable::Errno(_) | Unreadable::Not(_) | Unreadable::TooLarge(_)) => continue,
            };
            for (name, value) in dotenv(&lossy(&raw)) {
                if (trusted || !is_blocked(&name)) && self.variable(search, &name).is_none() {
                    self.added.insert(name, value);
                }
            }
        }
        Ok(())
    }
}

/// A variable of the process, trimmed; blank counts as unset.
fn set(search: &Search, name: &str) -> Option<String> {
    search.env(name).map(|value| js_trim(&value).to_owned()).filter(|value| !value.is_empty())
}

/// `~`, `~/x` and `~\x` below `home`; anything else as it is.
fn expanded(written: &str, home: &Path) -> PathBuf {
    match written.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with(['/', '\\']) => {
            let mut path = home.as_os_str().to_owned();
            path.push(rest);
            PathBuf::from(path)
        }
        _ => PathBuf::from(written),
    }
}

/// What a project's own `.env` may not set. The client's list is longer; the rest are secrets of providers, which no
/// path can sensibly hold.
fn is_blocked(name: &str) -> bool {
    const NAMES: [&str; 7] = ["PATH", "HOME", "USERPROFILE", "SHELL", "NODE_OPTIONS", "ALL_PROXY", "NO_PROXY"];
    const BEGINNINGS: [&str; 4] = ["OPENCLAW_", "CLAWHUB_", "LD_", "DYLD_"];
    const ENDINGS: [&str; 6] = ["_API_HOST", "_BASE_URL", "_ENDPOINT", "_HOMESERVER", "_API_KEY", "_PROXY"];
    let name = name.to_ascii_uppercase();
    NAMES.contains(&name.as_str())
        || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// The pairs of a `.env` file, as npm `dotenv` 17 reads them.
fn dotenv(text: &str) -> Vec<(String, String)> {
    let pattern = concat!(
        r"(?m)^\s*(?:export\s+)?([\w.-]+)(?:\s*=\s*?|:\s+?)",
        r#"(\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|[^#\r\n]+)?"#,
        r"\s*(?:#.*)?$"
    );
    let line = Regex::new(pattern).expect("a pattern that does not change");
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let pair = |found: regex_lite::Captures| {
        let value = found.get(2).map_or("", |value| js_trim(value.as_str()));
        let quote = value.chars().next().filter(|first| matches!(first, '\'' | '"' | '`'));
        let bare = quote.and_then(|quote| value.strip_prefix(quote)?.strip_suffix(quote)).unwrap_or(value);
        let value = match quote {
            Some('"') => bare.replace("\\n", "\n").replace("\\r", "\r"),
            _ => bare.to_owned(),
        };
        (found[1].to_owned(), value)
    };
    // A later line replaces an earlier one of the same name.
    let pairs: BTreeMap<String, String> = line.captures_iter(&text).map(pair).collect();
    pairs.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dotenv_files_are_read_as_npm_reads_them() {
        let text = "A=1\nexport B = two # c\nC='x # y'\r\nD=\"l1\\nl2\"\nE:\n# F=1\nG=`q`\nA=2\n";
        let pairs = dotenv(text);
        let expected = [("A", "2"), ("B", "two"), ("C", "x # y"), ("D", "l1\nl2"), ("E", ""), ("G", "q")];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(pairs, expected);
    }
}
