//! Finds what the patterns of rules match, under the most permissive semantics of any agent.

use std::path::{Path, PathBuf};

use crate::query::{Query, physical};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, GlobFlavor};

/// Maximum number of patterns of one rule to look for.
pub const MOST: usize = 32;

/// Rule to show in the trace.
const RULE: &str = "is there anything that it could mean?";

/// The question which of several patterns match nothing below a directory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeadPatterns {
    base: PathBuf,
    patterns: Vec<String>,
}

/// The question which files a pattern matches below a directory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Matches {
    base: PathBuf,
    pattern: String,
}

impl DeadPatterns {
    /// Asks which of `patterns` match nothing below `base`.
    pub fn below(base: &Path, patterns: impl IntoIterator<Item = String>) -> DeadPatterns {
        DeadPatterns { base: base.to_owned(), patterns: patterns.into_iter().collect() }
    }
}

impl Matches {
    /// Asks which files `pattern` matches below `base`.
    pub fn below(base: &Path, pattern: &str) -> Matches {
        Matches { base: base.to_owned(), pattern: pattern.to_owned() }
    }
}

impl Query for DeadPatterns {
    type Out = Vec<String>;

    fn run(&self, search: &mut Search) -> Known<Vec<String>> {
        let Some(base) = physical(&self.base, search)? else { return Ok(Vec::new()) };
        let flavor = GlobFlavor::Any;
        let ask = |pattern: &String| Ask::Glob { base: base.clone(), pattern: pattern.clone(), flavor };
        search.expect(self.patterns.iter().map(ask))?;
        let mut dead = Vec::new();
        for pattern in &self.patterns {
            if search.glob(&base, pattern, flavor, RULE)?.files.is_empty() {
                dead.push(pattern.clone());
            }
        }
        Ok(dead)
    }
}

impl Query for Matches {
    type Out = Vec<PathBuf>;

    fn run(&self, search: &mut Search) -> Known<Vec<PathBuf>> {
        let Some(base) = physical(&self.base, search)? else { return Ok(Vec::new()) };
        Ok(search.glob(&base, &self.pattern, GlobFlavor::Every, RULE)?.files.to_vec())
    }
}
