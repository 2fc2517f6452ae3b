//! State while the sources of a definition are followed, and resolution of their paths.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::definition::Definition;
use super::found::Found;
use crate::answer::{Answer, Certain, Standpoint};
use crate::search::Search;
use crate::snapshot::absolute;

/// Finds the texts of one source after the other.
pub(super) struct Finder<'a> {
    pub definition: &'a Definition,
    pub at: &'a Standpoint,
    pub root: Option<PathBuf>,
    pub answer: &'a mut Answer,
    pub found: Vec<Found>,
    /// Taken files, by the path that identifies them under the deduplication rule.
    pub taken: HashMap<PathBuf, PathBuf>,
    /// Paths that are already in the answer.
    pub told: HashSet<PathBuf>,
    /// Index of the current source.
    pub rule: usize,
}

impl<'a> Finder<'a> {
    pub fn new(
        definition: &'a Definition,
        at: &'a Standpoint,
        root: Option<PathBuf>,
        answer: &'a mut Answer,
    ) -> Finder<'a> {
        Finder { definition, at, root, answer, found: Vec::new(), taken: HashMap::new(), told: HashSet::new(), rule: 0 }
    }

    /// Returns the directory that relative paths of the workspace start from.
    pub fn workspace(&self) -> &Path {
        self.root.as_deref().unwrap_or(&self.at.cwd)
    }

    /// Doubts the answer if the definition declares that the real client's behaviour is not known here.
    pub fn unsure(&mut self, uncertain: Certain, reason: Option<&String>) {
        if let Some(reason) = reason {
            self.answer.doubt(&[uncertain], reason.clone());
        }
    }

    /// Resolves a path of a definition: `~/` is the home directory; `$NAME` and `${NAME:-~/x}` at the beginning are
    /// variables. `None` if the variable is not set.
    pub fn place(&self, written: &str, base: &Path, search: &mut Search) -> Option<PathBuf> {
        if let Some(rest) = written.strip_prefix('$') {
            let (name, default, rest) = match rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
                Some((inside, rest)) => {
                    let (name, default) = inside.split_once(":-").unwrap_or((inside, ""));
                    (name, default, rest)
                }
                None => {
                    let (name, _) = rest.split_once('/').unwrap_or((rest, ""));
                    (name, "", &rest[name.len()..])
                }
            };
            let value = search.env(name).filter(|value| !value.is_empty()).unwrap_or_else(|| default.to_owned());
            let value = (!value.is_empty()).then_some(value)?;
            if !search.put_in_secret(name, &value, &format!("${name}")) {
                return None;
            }
            let start = self.tilde(&value, base);
            return Some(absolute(&start, Path::new(rest.trim_start_matches('/'))));
        }
        Some(self.tilde(written, base))
    }

    pub fn tilde(&self, written: &str, base: &Path) -> PathBuf {
        match written.strip_prefix("~/") {
            Some(rest) => absolute(&self.at.home, Path::new(rest)),
            None if written == "~" => self.at.home.clone(),
            None => absolute(base, Path::new(written)),
        }
    }
}
