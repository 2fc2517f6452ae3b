//! Instruction files and rules: those of a folder, and those that count from the start.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::front_matter::{self, FrontMatter};
use super::visible;
use crate::answer::Text;
use crate::search::{Search, Told};
use crate::snapshot::{Ask, Content, Entry, Kind, Unreadable, relative};
use crate::text::Size;

/// A rule file that is there.
pub(super) struct Rule {
    pub path: PathBuf,
    /// Where it leads.
    real: PathBuf,
    pub read: Result<Read, Unreadable>,
}

/// What a rule file says.
pub(super) struct Read {
    pub raw: Content,
    pub front: FrontMatter,
    /// What is wrong with its front matter.
    pub problem: Option<String>,
    /// Its text as it is sent.
    pub text: Text,
    /// The size of that.
    pub size: Size,
}

impl Read {
    fn of(raw: Content) -> Read {
        let decoded = raw.text_without_bom();
        let (front, problem) = (front_matter::parse(&decoded), front_matter::problem(&decoded));
        let text = visible(&Text::of(&raw, &decoded));
        Read { front, problem, size: text.size(), text, raw }
    }
}

/// A rule that counts from the start, under the path that it is known by.
pub(super) struct Known {
    pub path: PathBuf,
    /// The path as the client writes it.
    pub shown: String,
    pub rule: Arc<Rule>,
}

/// The instruction files and rules of all places, in order.
pub(super) fn at_start(
    cwd: &Path,
    root: &Path,
    home: &Path,
    extra: &[PathBuf],
    search: &mut Search,
) -> Told<Vec<Known>> {
    let mut places = vec![(home.join("instructions"), ".instructions.md", None)];
    // Files of the root and of the working directory are written as seen from there.
    for dir in [root, cwd] {
        places.push((dir.join(".github/instructions"), ".instructions.md", Some(dir)));
        places.push((dir.join(".claude/rules"), ".md", Some(dir)));
    }
    for dir in extra {
        places.push((dir.join(".github/instructions"), ".instructions.md", None));
        places.push((dir.join(".claude/rules"), ".md", None));
    }
    places.extend(extra.iter().map(|dir| (dir.clone(), ".instructions.md", None)));
    let (mut known, mut seen) = (Vec::new(), HashSet::new());
    for (dir, ending, seen_from) in places {
        for rule in below(&dir, ending, search)?.iter() {
            // Each is known by where it leads, and counts once.
            if seen.insert(rule.real.clone()) {
                let shown = seen_from.map(|dir| relative(dir, &rule.real));
                let shown = shown.unwrap_or_else(|| rule.real.display().to_string());
                known.push(Known { path: rule.real.clone(), shown, rule: rule.clone() });
            }
        }
    }
    Ok(known)
}

/// Every file below `dir` whose name has that ending and something before it, sorted by path. Hidden files and folders
/// are passed over, and folders behind links are not entered.
pub(super) fn below(dir: &Path, ending: &'static str, search: &mut Search) -> Told<Arc<Vec<Arc<Rule>>>> {
    search.part("rules of Copilot CLI", (dir, ending), look)
}

fn look(dir: &Path, ending: &'static str, search: &mut Search) -> Told<Vec<Arc<Rule>>> {
    let takes = |entry: &Entry| {
        let name = entry.name.to_string_lossy().to_lowercase();
        let is_rule = || name.len() > ending.len() && name.ends_with(ending);
        !name.starts_with('.') && (entry.kind == Kind::Dir || is_rule())
    };
    let found = search.files_below(dir, &format!("files that end in {ending}"), takes)?;
    let asked = |path: PathBuf| [Ask::Kind(path.clone()), Ask::Content(path.clone()), Ask::Real(path)];
    search.expect(found.iter().cloned().flat_map(asked))?;
    let mut rules = Vec::new();
    for path in found {
        if search.stat(&path, "a rule file")?.is_ok_and(|meta| meta.kind != Kind::Dir) {
            let real = search.real(&path)?.unwrap_or_else(|_| path.clone());
            let read = search.read(&path, "its text")?.map(Read::of);
            rules.push(Arc::new(Rule { path, real, read }));
        }
    }
    Ok(rules)
}
