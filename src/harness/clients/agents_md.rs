//! The plain AGENTS.md convention: the nearest file wins.
//!
//! Read on agents.md in November 2026: there are no required fields, no imports and no limits, and each client puts the
//! text in a place of its own.

use std::path::{Path, PathBuf};

use crate::answer::{Answer, Scope, Standpoint, Trigger};
use crate::harness::kit::conventional::{Chain, Load, PLAIN, read_in_november};
use crate::harness::{About, Details, Edition, Evidence, Profile};
use crate::search::{Known, Search};
use crate::snapshot::Ask;

/// Profile of the convention.
pub static PROFILE: Profile = Profile {
    id: "agents-md",
    title: "AGENTS.md convention",
    summary: "the AGENTS.md nearest to the file, up to the repository root",
    editions: &[&AgentsMd],
    history: None,
    instruction_names: &[NAME],
    settings_names: &[],
    program: None,
    keys: &[],
    evidence: Evidence::NONE,
};

const NAME: &str = "AGENTS.md";
const UNSURE: &str = "agents.md (read in November 2026) says which file counts, not how a client shows it";

static ABOUT: About = read_in_november(Details {
    files: "AGENTS.md: the nearest one wins",
    triggers: "session start; a file below takes the one nearest to it",
    place: "not said",
    truncation: "none",
    nested: "the nearest file is read in the place of those above",
    ..PLAIN
});

struct AgentsMd;

impl Edition for AgentsMd {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let mut chain = Chain::new(at, search, Some(UNSURE));
        let root = chain.repository()?.unwrap_or_else(|| at.cwd.clone());
        let start = at.target.as_deref().and_then(Path::parent).filter(|dir| dir.starts_with(&root));
        let start = start.unwrap_or(&at.cwd);
        let dirs = start.ancestors().take_while(|dir| dir.starts_with(&root));
        let paths: Vec<PathBuf> = dirs.map(|dir| dir.join(NAME)).collect();
        chain.search.expect(paths.iter().cloned().map(Ask::Content))?;
        let mut nearest: Option<PathBuf> = None;
        for path in paths {
            let above = path.parent().is_some_and(|dir| at.cwd.starts_with(dir));
            let trigger = if above { Trigger::Session } else { Trigger::Read };
            let scope = if above { Scope::Project } else { Scope::Nested };
            let load = Load { scope, trigger, reason: "the nearest AGENTS.md" };
            match &nearest {
                Some(nearest) => chain.shadowed(&path, load, nearest)?,
                None => nearest = chain.whole(&path, load)?.then_some(path),
            }
        }
        Ok(chain.finish("\n\n"))
    }
}
