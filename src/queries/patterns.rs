//! Finds what the patterns of rules match, under the most permissive semantics of any agent.

use std::path::{Path, PathBuf};

use super::references::is_ignored;
use crate::query::{Query, physical};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, GlobFlavor};

/// Maximum number of patterns of one rule to look for.
pub const MOST: usize = 32;

/// Rule to show in the trace.
const RULE: &str = "is there anything that it could mean?";

/// The question which of several patterns match nothing, neither from a directory nor from the project that it is in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeadPatterns {
    base: PathBuf,
    project: PathBuf,
    patterns: Vec<String>,
}

/// The question which files a pattern matches below a directory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Matches {
    base: PathBuf,
    pattern: String,
}

impl DeadPatterns {
    /// Asks which of `patterns` match nothing below `base`, nor below `project`.
    pub fn below(base: &Path, project: &Path, patterns: impl IntoIterator<Item = String>) -> DeadPatterns {
        DeadPatterns { base: base.to_owned(), project: project.to_owned(), patterns: patterns.into_iter().collect() }
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
        let mut dead = dead_below(&base, self.patterns.iter(), search)?;
        // Agents that are started further up read the rules of this folder too, and match them from where they start.
        let project = physical(&self.project, search)?.filter(|project| *project != base && base.starts_with(project));
        if let Some(project) = project.filter(|_| !dead.is_empty()) {
            dead = dead_below(&project, dead, search)?;
        }
        let mut lacking = Vec::new();
        for pattern in dead {
            if !is_personal(pattern, &base, search)? {
                lacking.push(pattern.clone());
            }
        }
        Ok(lacking)
    }
}

/// Returns the patterns that match nothing below a directory, asked for together.
fn dead_below<'p>(
    base: &Path,
    patterns: impl IntoIterator<Item = &'p String>,
    search: &mut Search,
) -> Known<Vec<&'p String>> {
    let patterns: Vec<&String> = patterns.into_iter().collect();
    let flavor = GlobFlavor::Any;
    let ask = |pattern: &&String| Ask::Glob { base: base.to_owned(), pattern: (*pattern).clone(), flavor };
    search.expect(patterns.iter().map(ask))?;
    let mut dead = Vec::new();
    for pattern in patterns {
        if search.glob(base, pattern, flavor, RULE)?.files.is_empty() {
            dead.push(pattern);
        }
    }
    Ok(dead)
}

/// Returns true if a pattern ends in the name of a file that stands on some machines only: git ignores it, or its name
/// says so, as that of `settings.local.json` does.
fn is_personal(pattern: &str, base: &Path, search: &mut Search) -> Known<bool> {
    let parts: Vec<&str> = pattern.split('/').collect();
    let literal = parts.iter().rev().take_while(|part| !part.contains(['*', '?', '[', '{'])).count();
    let Some(name) = parts.last().filter(|name| literal > 0 && !name.is_empty()) else { return Ok(false) };
    Ok(name.contains(".local.") || is_ignored(base, &parts[parts.len() - literal..].join("/"), search)?)
}

impl Query for Matches {
    type Out = Vec<PathBuf>;

    fn run(&self, search: &mut Search) -> Known<Vec<PathBuf>> {
        let Some(base) = physical(&self.base, search)? else { return Ok(Vec::new()) };
        Ok(search.glob(&base, &self.pattern, GlobFlavor::Every, RULE)?.files.to_vec())
    }
}
