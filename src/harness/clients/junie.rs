//! Junie: one guidelines file.
//!
//! Based on JetBrains' help and third-party notes, November 2026; the client is closed source.

use std::convert::identity;
use std::path::Path;

use crate::answer::{Answer, Scope, Standpoint};
use crate::harness::kit::conventional::{Chain, Load, PLAIN, read_in_november};
use crate::harness::{About, Details, Edition, Evidence, Profile};
use crate::search::{Known, Search};
use crate::snapshot::absolute;

/// File names in order of precedence.
const NAMES: [&str; 3] = [".junie/AGENTS.md", "AGENTS.md", ".junie/guidelines.md"];
/// Variable that names another file.
const VARIABLE: &str = "JUNIE_GUIDELINES_FILENAME";

/// Profile of Junie.
pub static PROFILE: Profile = Profile {
    id: "junie",
    title: "Junie",
    summary: "the first of a named guidelines file, .junie/AGENTS.md, AGENTS.md, .junie/guidelines.md",
    editions: &[&Junie],
    history: None,
    instruction_names: &[".junie/AGENTS.md", "AGENTS.md", ".junie/guidelines.md"],
    settings_names: &[],
    program: None,
    keys: &[],
    evidence: Evidence { commands: &["junie"], homes: &[&["~/.junie"]], files: &[".junie"], ..Evidence::NONE },
};

const UNSURE: &str =
    "based on JetBrains' help (November 2026), as the client is closed source: the text around the file is not known";

static ABOUT: About = read_in_november(Details {
    files: "the first of .junie/AGENTS.md, AGENTS.md, .junie/guidelines.md; a named file comes before them",
    ..PLAIN
});

struct Junie;

impl Edition for Junie {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let mut chain = Chain::new(at, search, Some(UNSURE));
        let option = at.option(PROFILE.id, "guidelines-path").map(str::to_owned);
        let named = option.or_else(|| chain.search.env(VARIABLE)).filter(|name| !name.is_empty());
        let mut names: Vec<&str> = NAMES.to_vec();
        let named = named.map(|name| absolute(&at.cwd, Path::new(&name)).display().to_string());
        names.splice(0..0, named.as_deref());
        let load = Load::start(Scope::Project, "the first guidelines file that exists");
        chain.first(&at.cwd, &names, load, |chain, file| {
            chain.give(file, 0..file.text.len(), load, identity);
            Ok(())
        })?;
        Ok(chain.finish("\n\n"))
    }
}
