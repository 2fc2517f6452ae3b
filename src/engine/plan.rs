//! Plans for instruction files: the edits to make, and the effect on each agent. Nothing is written.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Core;
use super::alone::{at_rest, at_rest_over};
use super::below::below;
use super::change::{Asking, Touched, agents};
use super::expect::{Files, Proofs, prove};
use super::settings::Settings;
use crate::answer::{Fate, MessageKind, Resolution, Trigger};
use crate::disk::{self, Filesystem, Node, Planned, Real};
use crate::report::actions::{Edit, Group, actions};
use crate::report::change::{Kind, texts};
use crate::report::patch::{self, patch};
use crate::report::plan::{Expectations, Loss, Plan, Proof, Size};
use crate::report::symbols::{Section, symbols};
use crate::request::{Defaults, Places, Request};
use crate::snapshot::Content;

mod one_truth;
mod refactoring;

pub(crate) use one_truth::is_truth_or_bridge;
pub(crate) use refactoring::Refactoring;

/// Maximum number of attempts to make a file smaller.
const MOST_STEPS: usize = 24;
/// Minimum length of a block in bytes; shorter ones may occur in several files by chance.
const SHORTEST: usize = 40;

/// Kind of plan.
#[derive(Clone, Debug)]
pub enum Task {
    /// One AGENTS.md for all agents, and minimal bridges for those that do not read it.
    OneTruth(Links),
    /// Moves the sections of a file to the directories that they are about.
    Split(PathBuf),
    /// Removes repetitions of texts that reach an agent twice.
    Trim,
    /// Moves sections until no limit cuts anything.
    Fit,
}

/// Says if a bridge may be a symbolic link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// Every checkout has the same files, on Windows too.
    Never,
    /// A link is taken where agents follow it and are told less than by an import.
    WhereSmaller,
}

/// Computes a plan for a directory, for the agents in the settings or those used there.
///
/// # Errors
/// If there is nothing to plan with, or the settings are invalid. The error is a message for people.
pub fn plan(base: Defaults, root: &Path, settings: Settings, task: &Task) -> Result<Plan, String> {
    let now = at_rest(base.clone(), root, settings.clone(), None)?;
    let root = now.session().folders[0].clone();
    let planning = Planning { base, settings, root, unsaved: BTreeMap::new(), now };
    Ok(planning.planned(task)?.1)
}

/// Planned state of each file; `None` means that it is deleted.
type Changes = BTreeMap<PathBuf, Option<Next>>;

/// Planned state of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Next {
    /// A file with this text.
    Text(String),
    /// A link to a file of this name beside it.
    Link(&'static str),
}

impl Next {
    fn node(&self) -> Node {
        match self {
            Next::Text(text) => Node::File(Content::from(text.as_str())),
            Next::Link(target) => Node::Link(PathBuf::from(target)),
        }
    }

    fn text(&self) -> Option<&str> {
        match self {
            Next::Text(text) => Some(text),
            Next::Link(_) => None,
        }
    }
}

struct Planning {
    base: Defaults,
    settings: Settings,
    root: PathBuf,
    /// Texts that an editor shows and has not saved.
    unsaved: BTreeMap<PathBuf, Content>,
    /// Core with the current files.
    now: Arc<Core>,
}

impl Planning {
    /// Returns a core with the planned files.
    fn with(&self, files: &Changes) -> Arc<Core> {
        let unsaved = self.unsaved.iter().map(|(path, text)| (path.clone(), Some(Node::File(text.clone()))));
        let planned = files.iter().map(|(path, next)| (path.clone(), next.as_ref().map(Next::node)));
        let over = Planned::over(Real, unsaved.chain(planned).collect());
        at_rest_over(self.base.clone(), &self.root, self.settings.clone(), over)
    }

    /// Computes the changes of a plan, and the plan in words.
    fn planned(&self, task: &Task) -> Result<(Changes, Plan), String> {
        let (mut files, notes) = match task {
            Task::OneTruth(links) => self.one_truth(*links)?,
            Task::Split(file) => self.split(file)?,
            Task::Trim => self.trim()?,
            Task::Fit => self.fit()?,
        };
        files.retain(|path, next| match next {
            Some(Next::Text(text)) => self.read(path).as_ref() != Some(text),
            Some(Next::Link(_)) => true,
            None => self.now.files.lstat(path).is_ok(),
        });
        let plan = self.plan(&files, notes)?;
        Ok((files, plan))
    }

    fn read(&self, path: &Path) -> Option<String> {
        let raw = self.now.files.read(path).ok()?;
        String::from_utf8(raw.to_vec()).ok()
    }

    /// Creates the patch and its proof.
    fn plan(&self, files: &Changes, mut notes: Vec<String>) -> Result<Plan, String> {
        let mut whole = String::new();
        for (path, next) in files {
            let name = self.inside(path);
            if name.contains(['"', '\\', '\n', '\t']) {
                return Err(format!("{name:?} has characters in its name that a patch cannot say"));
            }
            let was = self.read(path);
            whole.push_str(&match next {
                Some(Next::Link(target)) => patch::link(&name, was.as_deref(), target),
                _ => patch(&name, was.as_deref(), next.as_ref().and_then(Next::text)),
            });
        }
        if files.is_empty() {
            notes.push("nothing has to change".to_owned());
        }
        let proof = self.prove(files)?;
        Ok(Plan { patch: whole, notes, proof })
    }

    /// Explains why nothing is planned if the answers about all moments would cost too much: nothing is planned unproven.
    fn too_much(&self) -> String {
        let root = self.root.display();
        format!(
            "{root} holds so much that not every moment can be asked about, so nothing is planned; plan for a directory of it with --cwd"
        )
    }

    fn inside(&self, path: &Path) -> String {
        let relative = path.strip_prefix(&self.root).unwrap_or(path);
        relative.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
    }

    /// Compares the instructions of all agents before and after the plan, sentence by sentence.
    fn prove(&self, files: &Changes) -> Result<Proof, String> {
        let then = self.with(files);
        let places = Places::start(&self.root);
        let (answers, _) = self.now.answers(&Request::default(), &places)?;
        let agents = agents(&then, &self.now, &Request::default(), &places, &answers)?;
        // The planned files are the side `then`, because the agents are determined from the current files.
        let asking = Asking { then: &then, now: &self.now, root: &self.root, agents };
        let touched = Touched::find(&asking, &answers);
        let mut proof = Proof::default();
        let mut missing: Vec<Loss> = Vec::new();
        let mut gets: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for when in &touched.moments {
            if self.now.is_exhausted_with(&then) {
                return Err(self.too_much());
            }
            let start = self.root.join(&when.start);
            let start = crate::snapshot::absolute(&self.root, &start);
            let target = when.file.as_ref().map(|file| self.root.join(file));
            let sides = asking.sides(|_, at| {
                at.cwd.clone_from(&start);
                at.target.clone_from(&target);
                at.tool = when.tool().unwrap_or(at.tool);
            });
            for (after, before) in sides {
                proof.asked += 1;
                let (was, is) = (told(&self.now, &before), told(&then, &after));
                let is_top = when.kind == Kind::Start && when.start == ".";
                if is_top {
                    proof.before.push(size(&before));
                    proof.after.push(size(&after));
                }
                missing.extend(was.difference(&is).map(|sentence| Loss {
                    agent: after.harness.clone(),
                    start: when.start.clone(),
                    file: when.file.clone(),
                    sentence: sentence.clone(),
                }));
                if when.kind == Kind::Read {
                    gets.entry(after.harness.clone()).or_default().extend(is);
                }
            }
        }
        missing.sort();
        missing.dedup();
        for loss in missing {
            let comes = loss.file.is_none() && gets.get(&loss.agent).is_some_and(|all| all.contains(&loss.sentence));
            if comes { proof.later.push(loss) } else { proof.lost.push(loss) }
        }
        proof.expectations =
            expectations(&self.expected(&self.now, &answers, None)?, &self.expected(&then, &answers, Some("planned"))?);
        Ok(proof)
    }

    fn expected(&self, core: &Core, session: &[Arc<Resolution>], revision: Option<&str>) -> Result<Proofs, String> {
        prove(core, &self.root, &below(core, &self.root, session), Files::Scanned(revision))
    }

    /// Returns the answers for agents started in the root.
    fn answers(&self, core: &Core) -> Result<Vec<Arc<Resolution>>, String> {
        Ok(core.started_in(&self.root)?)
    }

    /// Plans to move a file's sections into the directories that they mention, or into rules for the patterns that they
    /// mention; if there are none, into files that are imported or linked.
    fn split(&self, file: &Path) -> Result<(Changes, Vec<String>), String> {
        let path = self.now.files.real(&self.root.join(file));
        let text = self.read(&path).ok_or_else(|| format!("{} cannot be read as text", file.display()))?;
        let mut offered = Vec::new();
        for section in all(&symbols(&text)) {
            offered.extend(self.moves(&self.now, &path, section.heading.start)?);
        }
        // Moves to files that agents load by themselves leave no text behind.
        let is_read = |moved: &Move| moved.left.trim().is_empty();
        let is_nested = offered.iter().any(is_read);
        if is_nested {
            offered.retain(is_read);
        }
        let (mut files, mut notes, mut taken) = (Changes::new(), Vec::new(), Vec::<std::ops::Range<usize>>::new());
        let mut text_left = text.clone();
        offered.sort_by_key(|moved| (std::cmp::Reverse(moved.at.start), moved.at.len()));
        for moved in offered {
            let overlaps = taken.iter().any(|other| moved.at.start < other.end && other.start < moved.at.end);
            if overlaps || files.contains_key(&moved.to) {
                continue;
            }
            text_left.replace_range(moved.at.clone(), &moved.left);
            files.insert(moved.to, Some(Next::Text(moved.text)));
            notes.push(moved.title);
            taken.push(moved.at);
        }
        if files.is_empty() {
            return Err(format!(
                "{} has no section that could be moved: long enough, and in a file that agents read",
                file.display()
            ));
        }
        files.insert(path, Some(Next::Text(text_left)));
        if !is_nested {
            notes.push(
                "no heading names a directory, or a pattern for which all readers have rules: sections go to docs"
                    .to_owned(),
            );
        }
        notes.reverse();
        Ok((files, notes))
    }

    /// Returns the possible moves of the section at a byte of a file.
    fn moves(&self, core: &Core, path: &Path, at: usize) -> Result<Vec<Move>, String> {
        let view = core.view(path)?;
        let facts = disk::Now(&core.files);
        let offered = actions(&view.subject(), &facts, &(at..at), &[]);
        let of = |edits: &[Edit], title: &str| match edits {
            [Edit::Create { path: to, text }, Edit::Replace { path: from, range, text: left }] if from == path => {
                let (title, to, text, left) = (title.to_owned(), to.clone(), text.clone(), left.clone());
                Some(Move { title, at: range.clone(), left, to, text })
            }
            _ => None,
        };
        let extractions = offered.iter().filter(|action| action.group == Group::Extract);
        Ok(extractions.filter_map(|action| of(&action.edits, &action.title)).collect())
    }

    /// Plans to move sections out of files that a limit cuts, largest first, until nothing is cut.
    fn fit(&self) -> Result<(Changes, Vec<String>), String> {
        let (mut files, mut notes) = (Changes::new(), Vec::new());
        let mut given_up: BTreeSet<PathBuf> = BTreeSet::new();
        for _ in 0..MOST_STEPS {
            let core = self.with(&files);
            let answers = self.answers(&core)?;
            let sources = answers.iter().flat_map(|answer| &answer.answer.sources).filter(|source| is_cut(source));
            let mut cut = sources.filter_map(|source| source.path()).filter(|path| path.starts_with(&self.root));
            let Some(path) = cut.find(|path| !given_up.contains(*path)).map(Path::to_owned) else { break };
            let text =
                core.files.read(&path).ok().and_then(|raw| String::from_utf8(raw.to_vec()).ok()).unwrap_or_default();
            let mut sections = all(&symbols(&text));
            sections.sort_by_key(|section| std::cmp::Reverse(section.range.len()));
            let mut moved = None;
            for section in sections {
                moved = self.moves(&core, &path, section.heading.start)?.into_iter().next();
                if moved.is_some() {
                    break;
                }
            }
            let Some(moved) = moved else {
                notes.push(format!("{} is cut, and has no section that could be moved", self.inside(&path)));
                given_up.insert(path);
                continue;
            };
            let mut left = text;
            left.replace_range(moved.at.clone(), &moved.left);
            files.insert(path, Some(Next::Text(left)));
            files.insert(moved.to, Some(Next::Text(moved.text)));
            notes.push(moved.title);
        }
        Ok((files, notes))
    }

    /// Returns the sets of the project's own files that reach an agent together at a start, one set per agent and start
    /// directory: the root, and every directory with an instruction file.
    fn together(&self) -> Result<Vec<BTreeSet<PathBuf>>, String> {
        let found = below(&self.now, &self.root, &self.answers(&self.now)?);
        let mut dirs: BTreeSet<&Path> = found.instructions.iter().filter_map(|path| path.parent()).collect();
        dirs.insert(&self.root);
        let mut together = Vec::new();
        for dir in dirs {
            if self.now.is_exhausted() {
                return Err(self.too_much());
            }
            let places = Places::start(dir);
            let asked = self.now.answers(&Request::default(), &places);
            for answer in asked?.0 {
                let sources = answer.answer.sources.iter();
                let told = sources.filter(|source| matches!(source.fate, Fate::Loaded | Fate::Truncated));
                let paths = told.filter_map(|source| source.path()).filter(|path| path.starts_with(&self.root));
                together.push(paths.filter(|path| self.now.files.real(path) == **path).map(Path::to_owned).collect());
            }
        }
        Ok(together)
    }

    /// Plans to keep a block that reaches an agent from two files only in the file that is read first. Blocks that some
    /// agent would lose stay, and so do links.
    fn trim(&self) -> Result<(Changes, Vec<String>), String> {
        let together = self.together()?;
        let all: BTreeSet<&PathBuf> = together.iter().flatten().collect();
        let files: Vec<(PathBuf, String)> =
            all.into_iter().filter_map(|path| Some((path.clone(), self.read(path)?))).collect();
        let mut first: BTreeMap<String, &Path> = BTreeMap::new();
        let mut twice: HashSet<(&Path, String)> = HashSet::new();
        let mut by_depth: Vec<&(PathBuf, String)> = files.iter().collect();
        by_depth.sort_by_key(|(path, _)| (path.components().count(), path));
        for (path, text) in by_depth {
            for block in blocks(text).filter(|block| block.trim().len() >= SHORTEST && !block.starts_with('#')) {
                let words = words(block);
                let Some(first) = first.get(&words) else {
                    first.insert(words, path);
                    continue;
                };
                if together.iter().any(|files| files.contains(path) && files.contains(*first)) {
                    twice.insert((path, words));
                }
            }
        }
        let mut kept: HashSet<(&Path, String)> = HashSet::new();
        for round in 1.. {
            let mut planned = Changes::new();
            for (path, text) in &files {
                let goes = |block: &str| {
                    let one = (&**path, words(block));
                    twice.contains(&one) && !kept.contains(&one)
                        // The first copy within one file stays.
                        && first.get(&one.1).is_some_and(|first| *first != path)
                };
                let left: String = blocks(text).filter(|block| !goes(block)).collect();
                if left.len() < text.len() {
                    planned.insert(path.clone(), Some(Next::Text(format!("{}\n", left.trim_end()))));
                }
            }
            let lost = self.prove(&planned)?;
            let lost: BTreeSet<&str> = lost.lost.iter().chain(&lost.later).map(|loss| loss.sentence.as_str()).collect();
            let before = kept.len();
            for (path, words) in &twice {
                let sentences = crate::report::sentences::sentences(words);
                // After that many rounds, all remaining blocks stay.
                let stays = round >= TRIM_ROUNDS || sentences.iter().any(|sentence| lost.contains(sentence.as_str()));
                if planned.contains_key(*path) && stays {
                    kept.insert((path, words.clone()));
                }
            }
            if !lost.is_empty() && kept.len() == before {
                return Ok((Changes::new(), vec!["no block can go without loss".to_owned()]));
            }
            if lost.is_empty() {
                let notes = planned.iter().map(|(path, next)| {
                    let was = self.read(path).map_or(0, |text| text.len());
                    let is = next.as_ref().and_then(Next::text).map_or(0, str::len);
                    format!(
                        "{}: {} B go that reach agents from another file",
                        self.inside(path),
                        was.saturating_sub(is)
                    )
                });
                let mut notes: Vec<String> = notes.collect();
                if !kept.is_empty() {
                    notes.push(format!(
                        "{} stay, since some agent gets only one copy",
                        crate::report::words::count(kept.len(), "block")
                    ));
                }
                return Ok((planned, notes));
            }
        }
        unreachable!("rounds have no end")
    }
}

/// Maximum number of rounds in which blocks that somebody would lose are put back. Each round is a proof.
const TRIM_ROUNDS: usize = 8;

/// A possible move of a section to another file.
struct Move {
    title: String,
    at: std::ops::Range<usize>,
    left: String,
    to: PathBuf,
    text: String,
}

/// Returns all sections, including nested ones.
fn all(sections: &[Section]) -> Vec<Section> {
    sections.iter().flat_map(|section| std::iter::once(section.clone()).chain(all(&section.children))).collect()
}

/// Splits a text at blank lines; each block includes the blank lines after it.
fn blocks(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.find("\n\n").map_or(rest.len(), |blank| {
            let behind = &rest[blank..];
            blank + behind.len() - behind.trim_start_matches('\n').len()
        });
        let (block, behind) = rest.split_at(end);
        rest = behind;
        Some(block)
    })
}

/// Returns a block with its white space normalized.
fn words(block: &str) -> String {
    block.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_cut(source: &crate::answer::Source) -> bool {
    source.fate == Fate::Truncated || (source.fate == Fate::Dropped && source.limit.is_some())
}

/// Returns the sentences that an agent gets from the files of a core.
fn told(core: &Core, answer: &Resolution) -> BTreeSet<String> {
    texts(answer, |path| core.files.read(path).ok())
}

fn size(answer: &Resolution) -> Size {
    let messages = answer.answer.messages.iter();
    let told = messages.filter(|one| one.kind == MessageKind::Instructions && one.trigger == Trigger::Session);
    Size {
        agent: answer.harness.clone(),
        version: answer.claim.running.clone().unwrap_or_else(|| answer.edition.clone()),
        bytes: told.map(|message| message.text.len()).sum(),
        cut: answer.answer.sources.iter().filter(|source| is_cut(source)).count(),
    }
}

fn expectations(before: &Proofs, after: &Proofs) -> Expectations {
    let failed = |proofs: &Proofs| -> Vec<String> {
        proofs.all.iter().filter(|proof| !proof.holds()).map(|proof| proof.expectation.id.clone()).collect()
    };
    Expectations { count: before.all.len(), before: failed(before), after: failed(after) }
}
