//! What is asked before anything is said of a rule's patterns: which of them match nothing at all, whoever reads them.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;

use crate::answer::{Answer, Resolution, Standpoint, Warning};
use crate::harness::custom::Custom;
use crate::harness::{About, Choice, Edition};
use crate::search::{Search, Told};
use crate::snapshot::{Ask, Environment, GlobFlavor};

/// The most patterns of one rule that are looked for.
pub const MOST: usize = 32;

/// The code of what is said of a pattern that matches nothing.
const DEAD: &str = "dead-glob";

/// The question which of these patterns match something below `base`.
pub fn question(base: &Path, patterns: &[&str]) -> (Choice, Standpoint) {
    let patterns: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
    let mut hasher = DefaultHasher::new();
    patterns.hash(&mut hasher);
    let lookup = Custom {
        path: None,
        // No harness that a user declares can have this id.
        id: "rule/patterns".to_owned(),
        title: "patterns".to_owned(),
        summary: "which patterns match something".to_owned(),
        details: Vec::new(),
        edition: Arc::new(Lookup(patterns)),
        fingerprint: hasher.finish(),
        instruction_names: Vec::new(),
    };
    let choice = Choice::custom(Arc::new(lookup));
    (choice, Standpoint::plain(base, base, Environment::default()))
}

/// The patterns that match nothing.
pub fn dead(answer: &Resolution) -> impl Iterator<Item = &str> {
    answer.answer.warnings.iter().filter(|warning| warning.code == DEAD).map(|warning| warning.message.as_str())
}

struct Lookup(Vec<String>);

impl Edition for Lookup {
    fn about(&self) -> &About {
        &About::LOOKUP
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Told<Answer> {
        let mut answer = Answer::default();
        let ask =
            |pattern: &String| Ask::Glob { base: at.cwd.clone(), pattern: pattern.clone(), flavor: GlobFlavor::Any };
        search.expect(self.0.iter().map(ask))?;
        for pattern in &self.0 {
            if search.glob(&at.cwd, pattern, GlobFlavor::Any, "is there anything that it could mean?")?.files.is_empty()
            {
                answer.warnings.push(Warning::general(DEAD, pattern));
            }
        }
        Ok(answer)
    }
}
