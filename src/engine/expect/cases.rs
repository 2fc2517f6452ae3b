//! Turns an expectation into the questions to ask: where agents start, and which files they touch.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::Proof;
use super::texts::Texts;
use crate::answer::SessionKind;
use crate::disk::scan::{self, Progress, Threads};
use crate::engine::Core;
use crate::glob;
use crate::queries::patterns::Matches;
use crate::report::expect::{Demand, Reached, When};
use crate::report::findings::patterns;

/// One case of an expectation: a start, a session and a file, asked of all its agents.
pub struct Case {
    pub expectation: usize,
    /// The file, relative to the root; for a file to be created, a file of the same directory.
    pub file: Option<PathBuf>,
    pub files: usize,
    pub creates: bool,
    pub reached: Reached,
}

/// Question that several cases share: agents, start directory, kind of session, and file.
pub type Question = (Vec<String>, PathBuf, SessionKind, Option<PathBuf>);

/// Key by which files are grouped: directory, extension, and the rules whose patterns match.
type ClassKey<'a> = (&'a Path, &'a OsStr, Vec<usize>);

/// Files of a directory that all rules of the project treat alike.
pub struct Class {
    /// One of the files, relative to the root.
    pub file: PathBuf,
    pub count: usize,
}

/// Groups the files that each expectation is about into classes.
pub fn classes(root: &Path, files: &[PathBuf], proofs: &[Proof], texts: &Texts) -> Vec<Vec<Class>> {
    let rules: BTreeSet<String> = texts.pages.iter().flat_map(|page| patterns(&page.raw)).collect();
    let rules: Vec<String> = rules.iter().flat_map(|rule| [rule.clone(), format!("**/{rule}")]).collect();
    let rules = glob::plain_set(rules.iter().map(String::as_str));
    let mut bases: BTreeMap<&Path, Vec<(usize, &str)>> = BTreeMap::new();
    for (number, proof) in proofs.iter().enumerate() {
        let base = proof.dir.strip_prefix(root).unwrap_or(Path::new(""));
        let patterns = proof.expectation.paths.iter().map(|pattern| (number, pattern.as_str()));
        bases.entry(base).or_default().extend(patterns);
    }
    let mut found: Vec<HashMap<ClassKey, Class>> = proofs.iter().map(|_| HashMap::new()).collect();
    for (base, patterns) in bases {
        let set = glob::plain_set(patterns.iter().map(|(_, pattern)| *pattern));
        let mut matched = Vec::new();
        for file in files.iter().filter(|file| file.starts_with(base)) {
            set.matches_into(file.strip_prefix(base).unwrap_or(file), &mut matched);
            let about: BTreeSet<usize> = matched.iter().map(|pattern| patterns[*pattern].0).collect();
            if about.is_empty() {
                continue;
            }
            let (dir, ending) = (file.parent().unwrap_or(Path::new("")), file.extension().unwrap_or_default());
            let key = (dir, ending, rules.matches(file));
            for number in about {
                let class = found[number].entry(key.clone()).or_insert_with(|| Class { file: file.clone(), count: 0 });
                class.count += 1;
            }
        }
    }
    let sorted = found.into_iter().map(|classes| {
        let mut classes: Vec<Class> = classes.into_values().collect();
        classes.sort_by(|one, other| one.file.cmp(&other.file));
        classes
    });
    sorted.collect()
}

/// Adds the cases of an expectation to the questions that they ask.
pub fn cases(
    number: usize,
    proof: &Proof,
    root: &Path,
    classes: &[Class],
    questions: &mut BTreeMap<Question, Vec<Case>>,
) {
    let expectation = &proof.expectation;
    let agents = match &expectation.demand {
        Demand::SameFor(agents) => agents.clone(),
        _ => expectation.agents.clone(),
    };
    let starts = |dir: Option<&Path>| -> Vec<PathBuf> {
        match (&expectation.from, dir) {
            (Some(from), _) => from.iter().map(|start| proof.dir.join(start)).collect(),
            (None, None) => vec![proof.dir.clone()],
            (None, Some(dir)) => {
                let dir = root.join(dir);
                let between = dir.ancestors().take_while(|above| above.starts_with(&proof.dir));
                let mut starts: Vec<PathBuf> = between.map(Path::to_owned).collect();
                starts.reverse();
                starts
            }
        }
    };
    let mut add = |from: PathBuf, session, target: Option<PathBuf>, case: Case| {
        questions.entry((agents.clone(), from, session, target)).or_default().push(case);
    };
    for session in &expectation.sessions {
        let of_start = |file: Option<&Class>, creates| Case {
            expectation: number,
            file: file.map(|class| class.file.clone()),
            files: file.map_or(0, |class| class.count),
            creates,
            reached: Reached::AtStart,
        };
        if classes.is_empty() {
            starts(None).into_iter().for_each(|from| add(from, *session, None, of_start(None, false)));
        }
        let mut dirs: BTreeSet<&Path> = BTreeSet::new();
        for class in classes {
            let dir = class.file.parent().unwrap_or(Path::new(""));
            for from in starts(Some(dir)) {
                if matches!(expectation.when, When::Start | When::AfterCompaction) {
                    add(from, *session, None, of_start(Some(class), false));
                    continue;
                }
                let case = Case { reached: Reached::WithFile, ..of_start(Some(class), false) };
                add(from, *session, Some(root.join(&class.file)), case);
            }
            // A file to be created gets the same instructions as any other of its directory.
            if expectation.when == When::BeforeEdit && dirs.insert(dir) {
                starts(Some(dir)).into_iter().for_each(|from| add(from, *session, None, of_start(Some(class), true)));
            }
        }
    }
}

/// Returns every file below the root, sorted and relative to it.
pub fn everything(core: &Core, root: &Path, revision: Option<&str>) -> Vec<PathBuf> {
    let any = |_: &OsStr| true;
    let found = match revision {
        None => scan::scan(root, Threads::PerCore, &any, |_| (), &Progress::default()),
        Some(_) => scan::scan_in(&core.files, root, &any),
    };
    let mut files: Vec<PathBuf> =
        found.iter().filter_map(|file| file.strip_prefix(root).ok()).map(Path::to_owned).collect();
    files.sort_unstable();
    files
}

/// Returns the files that expectations are about, sorted and relative to the root.
pub fn matched(core: &Core, root: &Path, proofs: &[Proof]) -> Vec<PathBuf> {
    let patterns: BTreeSet<(&Path, &String)> =
        proofs.iter().flat_map(|proof| proof.expectation.paths.iter().map(|pattern| (&*proof.dir, pattern))).collect();
    let mut files = BTreeSet::new();
    for (dir, pattern) in patterns {
        let found = core.query(Matches::below(dir, pattern));
        files.extend(found.value.iter().filter_map(|file| file.strip_prefix(root).ok()).map(Path::to_owned));
    }
    files.into_iter().collect()
}
