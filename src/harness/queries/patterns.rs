//! What is asked before anything is said of a rule's patterns: which of them match nothing at all, whoever reads them.

use std::path::{Path, PathBuf};

use crate::answer::{Answer, Mention, Resolution, Standpoint, Warning};
use crate::harness::{About, Choice, Edition};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, Environment, GlobFlavor};

/// The most patterns of one rule that are looked for.
pub const MOST: usize = 32;

/// The code of what is said of a pattern that matches nothing.
const DEAD: &str = "dead-glob";

/// The question which of these patterns match something below `base`.
pub fn question(base: &Path, patterns: &[&str]) -> (Choice, Standpoint) {
    asked(base, patterns, Wanted::Whether)
}

/// The question which files one pattern matches below `base`.
pub fn files_question(base: &Path, pattern: &str) -> (Choice, Standpoint) {
    asked(base, &[pattern], Wanted::Files)
}

/// What of the matches of a pattern is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Wanted {
    /// Whether there are any.
    Whether,
    /// All of them.
    Files,
}

fn asked(base: &Path, patterns: &[&str], wanted: Wanted) -> (Choice, Standpoint) {
    let patterns: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
    let words = ("patterns", "which patterns match something");
    let choice = Choice::lookup("rule/patterns", words, Lookup { patterns, wanted });
    (choice, Standpoint::plain(base, base, Environment::default()))
}

/// The patterns that match nothing.
pub fn dead(answer: &Resolution) -> impl Iterator<Item = &str> {
    answer.answer.warnings.iter().filter(|warning| warning.code == DEAD).map(|warning| warning.message.as_str())
}

/// The files that the pattern of [`files_question`] matches.
pub fn matches(answer: &Resolution) -> &[PathBuf] {
    answer.answer.mentions.first().map_or(&[], |mention| &mention.leads_to)
}

#[derive(Hash)]
struct Lookup {
    patterns: Vec<String>,
    wanted: Wanted,
}

impl Edition for Lookup {
    fn about(&self) -> &About {
        &About::LOOKUP
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let mut answer = Answer::default();
        let flavor = match self.wanted {
            Wanted::Whether => GlobFlavor::Any,
            Wanted::Files => GlobFlavor::Every,
        };
        let ask = |pattern: &String| Ask::Glob { base: at.cwd.clone(), pattern: pattern.clone(), flavor };
        search.expect(self.patterns.iter().map(ask))?;
        for pattern in &self.patterns {
            let found = search.glob(&at.cwd, pattern, flavor, "is there anything that it could mean?")?;
            if found.files.is_empty() {
                answer.warnings.push(Warning::general(DEAD, pattern));
            }
            if self.wanted == Wanted::Files {
                answer.mentions.push(Mention::new(&at.cwd, pattern, found.files.iter().cloned()));
            }
        }
        Ok(answer)
    }
}
