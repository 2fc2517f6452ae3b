//! Limits the texts that are shown over MCP to those of the workspace and of the agents' own directories.
//!
//! An agent that asks may follow instructions of a repository, and a repository can name any file. So real paths decide.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Core;
use crate::answer::Resolution;
use crate::harness::ALL;
use crate::harness::evidence::{Place, path_with};
use crate::harness::names::INSTRUCTION_FILES;
use crate::request::Defaults;
use crate::snapshot::credentials::is_credential_file;

/// Directories in the home directory that several agents share.
const SHARED: Place = &["~/.agents"];
/// Directory in which administrators keep instructions for all users.
const MANAGED: &str = "/etc";

/// Files whose text may be shown.
pub(crate) struct Privacy {
    /// Real path of the workspace.
    root: PathBuf,
    /// Agents' own directories and files in the home directory.
    homes: Vec<PathBuf>,
}

impl Privacy {
    /// Allows the files below the real path `root`, and those of the user's agents.
    pub(crate) fn of(root: PathBuf, user: &Defaults) -> Privacy {
        let places = ALL.iter().flat_map(|profile| profile.evidence.homes).chain([&SHARED]);
        let homes = places.filter_map(|place| path_with(place, &user.home, |name| user.env.get(name))).collect();
        Privacy { root, homes }
    }

    /// Returns true if the text of the file at `path` may be shown; `real` is its real path.
    pub(crate) fn may_tell(&self, path: &Path, real: &Path) -> bool {
        if is_credential_file(path) || is_credential_file(real) {
            return false;
        }
        // Links in the home directory were made by the user, not by the repository.
        let is_at_home = || self.homes.iter().any(|home| path.starts_with(home));
        let is_above = || real.parent().is_some_and(|dir| self.root.starts_with(dir)) || real.starts_with(MANAGED);
        self.contains(real) || is_at_home() || (is_above() && INSTRUCTION_FILES.matches(real))
    }

    /// Returns true if a real path is in the workspace.
    pub(crate) fn contains(&self, real: &Path) -> bool {
        real.starts_with(&self.root)
    }
}

impl Core {
    /// Removes texts from an answer that must not be shown through this door.
    pub(crate) fn told_here(&self, answer: Arc<Resolution>) -> Arc<Resolution> {
        let Some(privacy) = self.privacy.get() else { return answer };
        let may_tell = |path: &Path| privacy.may_tell(path, &self.files.real(path));
        answer.withheld(&may_tell).map_or(answer, Arc::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_paths_decide_whose_text_may_be_told() {
        let homes = vec![PathBuf::from("/h/.codex"), PathBuf::from("/h/.aider.conf.yml")];
        let privacy = Privacy { root: "/h/r/p".into(), homes };
        for (path, real, told) in [
            ("/h/r/p/AGENTS.md", "/h/r/p/AGENTS.md", true),
            ("/h/r/p/AGENTS.md", "/h/.ssh/id_rsa", false),
            ("/h/r/p/AGENTS.md", "/h/notes.txt", false),
            ("/h/r/p/docs/a.txt", "/h/r/p/docs/a.txt", true),
            ("/h/r/p/.netrc", "/h/r/p/.netrc", false),
            ("/h/r/AGENTS.md", "/h/r/AGENTS.md", true),
            ("/h/r/notes.md", "/h/r/notes.md", false),
            ("/h/other/AGENTS.md", "/h/other/AGENTS.md", false),
            ("/h/.codex/AGENTS.md", "/h/dotfiles/codex.md", true),
            ("/h/.codex/auth.json", "/h/.codex/auth.json", false),
            ("/h/.codexes/a.md", "/h/.codexes/a.md", false),
            ("/etc/claude-code/CLAUDE.md", "/etc/claude-code/CLAUDE.md", true),
            ("/etc/passwd", "/etc/passwd", false),
        ] {
            assert_eq!(privacy.may_tell(Path::new(path), Path::new(real)), told, "{path} at {real}");
        }
    }
}
