//! The project files: one per directory from the project root to the start directory, cut to one budget of bytes.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::permissions::Reads;
use super::settings::Settings;
use super::{Codex, Examined, directories, endless, notices, paths, unreadable_cap};
use crate::answer::{Answer, Certain, Fate, Limit, Per, Scope, Source, Text, Unit, Warning};
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Ask, Content, Errno, FileType, Meta, Unreadable, absolute};
use crate::text::{self, grouped};

impl Codex {
    /// Returns the project files, root first, cut to the shared budget.
    pub(super) fn project_docs(
        &self,
        cwd: &Path,
        settings: &Settings,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Known<Vec<Text>> {
        let dirs = directories(cwd, settings.root.as_deref());
        if let Some(reason) = settings.no_project_docs() {
            for dir in &dirs {
                for name in self.names {
                    let path = dir.join(name);
                    if search
                        .stat(&path, "not read: project files are switched off")?
                        .is_ok_and(|meta| meta.kind == FileType::File)
                    {
                        answer.sources.push(Source::new(path, Scope::Project, Fate::Excluded, reason.clone()));
                    }
                }
            }
            return Ok(Vec::new());
        }
        let names: Vec<&str> =
            self.names.iter().copied().chain(settings.fallbacks.iter().map(String::as_str)).collect();
        let ask = match self.examined {
            Examined::Targets => Ask::Kind,
            Examined::Entries => Ask::LinkKind,
        };
        // A name with `..` must be resolved first.
        let simple = || names.iter().filter(|name| !paths::climbs(name) && !paths::wants_directory(name));
        search.expect(dirs.iter().flat_map(|dir| simple().map(|name| ask(paths::plain(dir, name)))))?;
        let mut order = Vec::new();
        let docs = match self.pick((&dirs, &names), &mut order, settings, search, answer)? {
            Ok(picked) => self.spend(&picked, settings, search, answer)?,
            Err(problem) => drop_all(answer, &problem),
        };
        in_reading_order(&mut answer.sources, &order);
        Ok(docs)
    }

    /// Picks one file per directory before any is read. Every path that is examined is added to `order`.
    fn pick(
        &self,
        (dirs, names): (&[PathBuf], &[&str]),
        order: &mut Vec<PathBuf>,
        settings: &Settings,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Known<Result<Vec<PathBuf>, Problem>> {
        let mut picked = Vec::new();
        // Codex stops at the first error; later files are examined only to explain the answer.
        let mut problem = None;
        for dir in dirs.iter().filter(|dir| !(self.loses_tildes && dir.ends_with("~"))) {
            let mut winner: Option<PathBuf> = None;
            for name in names {
                let path = match self.reached(dir, name, search)? {
                    Ok(path) => path,
                    Err(Errno::NOENT) => continue,
                    Err(errno) => {
                        if winner.is_none() {
                            problem.get_or_insert_with(|| Problem::new(dir.join(name), errno));
                        }
                        continue;
                    }
                };
                order.push(path.clone());
                let scope = if self.names.contains(name) { Scope::Project } else { Scope::Config };
                if let Some(winner) = &winner {
                    shadow(&path, scope, winner, search, answer)?;
                    continue;
                }
                match self.examine(&path, name, || first_of(dir, settings, names), search)? {
                    Ok(Meta { kind: FileType::File | FileType::Link, .. }) => winner = Some(path),
                    Ok(meta) => {
                        let reason = format!("a {}, not a file: the next name is tried", meta.kind.word());
                        answer.sources.push(Source::new(path, scope, Fate::Unreadable, reason));
                    }
                    Err(Errno::NOENT) => {}
                    Err(errno) => {
                        problem.get_or_insert_with(|| Problem::new(path, errno));
                    }
                }
            }
            picked.extend(winner);
        }
        if let Some(problem) = &problem {
            answer.sources.extend(picked.drain(..).map(|path| problem.drops(path)));
        }
        Ok(problem.map_or(Ok(picked), Err))
    }

    /// Returns the path of a name in a directory. If targets are examined, `..` is resolved lexically, without the
    /// disk.
    fn reached(&self, dir: &Path, name: &str, search: &mut Search) -> Known<Result<PathBuf, Errno>> {
        Ok(match self.examined {
            Examined::Targets if paths::climbs(name) => Ok(absolute(dir, Path::new(name))),
            Examined::Targets | Examined::Entries => paths::resolved(dir, name, search)?,
        })
    }

    /// Examines a path as the client does before it opens it: either the link's target or the link itself.
    fn examine(
        &self,
        path: &Path,
        name: &str,
        rule: impl FnOnce() -> String,
        search: &mut Search,
    ) -> Known<Result<Meta, Errno>> {
        match self.examined {
            Examined::Targets => search.stat(path, rule()),
            Examined::Entries if paths::wants_directory(name) => paths::stat(path, name, rule(), search),
            Examined::Entries => search.lstat(path, rule()),
        }
    }

    /// Refuses if permissions deny reading the file, which ends the session: the client reads project files under the
    /// same restrictions as its commands.
    fn check_permissions(
        &self,
        path: &Path,
        settings: &Settings,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Known<()> {
        let Reads::AllBut(denied) = &settings.permissions.reads else { return Ok(()) };
        let real = search.real(path)?.unwrap_or_else(|_| path.to_owned());
        if denied.holds(&real) {
            let what = "failed to load AGENTS.md instructions: the permissions deny reading this file";
            return Err(Halt::refused(path, what));
        }
        if denied.may_hold(&real) {
            answer.doubt(&[Certain::Set], format!("a pattern in the permissions may deny reading {}", path.display()));
        }
        Ok(())
    }

    /// Reads the picked files, root first, until the budget is spent.
    fn spend(
        &self,
        picked: &[PathBuf],
        settings: &Settings,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Known<Vec<Text>> {
        let total = settings.budget.unwrap_or(self.budget_bytes);
        let limit =
            Some(Limit { value: total, unit: Unit::Bytes, per: Per::Chain, from: settings.budget_from.clone() });
        let first_source = answer.sources.len();
        let first_warning = answer.warnings.len();
        search.expect(picked.iter().cloned().map(Ask::Content))?;
        let mut budget = Budget { total, left: total, is_reported: false, texts: Vec::new() };
        for path in picked {
            let source = Source { limit: limit.clone(), ..Source::new(path, Scope::Project, Fate::Dropped, "") };
            if budget.left == 0 {
                self.leave_out(path, source, &mut budget, search, answer)?;
                continue;
            }
            self.check_permissions(path, settings, search, answer)?;
            match self.open(path, total, search)? {
                Opened::Text(raw) => self.charge(path, &raw, source, &mut budget, answer),
                Opened::Without(fate, reason) => {
                    answer.sources.push(Source { fate, reason: reason.to_owned(), ..source });
                }
                Opened::TooLarge(problem, reason) => {
                    unreadable_cap(&problem, path, answer);
                    answer.sources.push(Source { fate: Fate::Unreadable, reason, ..source });
                    budget.left = 0;
                }
                Opened::Endless => return Err(endless(path).into()),
                Opened::Broken(reason) => {
                    answer.sources.push(Source { fate: Fate::Unreadable, reason, ..source });
                    return Ok(take_back(answer, first_source, first_warning, path));
                }
            }
        }
        Ok(budget.texts)
    }

    /// Reads a picked file, and returns what the client makes of it.
    fn open(&self, path: &Path, budget: usize, search: &mut Search) -> Known<Opened> {
        let of_entries = self.examined == Examined::Entries;
        Ok(match search.read(path, "root first, until the budget is spent")? {
            Ok(raw) => Opened::Text(raw),
            Err(Unreadable::Errno(Errno::NOENT)) => {
                Opened::Without(Fate::Missing, "a broken link; it still hides the other names of its directory")
            }
            // A link may lead to any device, but only devices like /dev/null come to an end.
            Err(Unreadable::Not(FileType::Device)) if of_entries => {
                Opened::Without(Fate::Empty, "a device without text; it still hides the other names of its directory")
            }
            Err(Unreadable::Not(FileType::Fifo)) if of_entries => Opened::Endless,
            Err(problem @ Unreadable::TooLarge(_)) => {
                let reason = format!("{problem}; it would take the rest of the {} B budget", grouped(budget));
                Opened::TooLarge(problem, reason)
            }
            Err(what) => Opened::Broken(format!("{what}: any such error drops all project files")),
        })
    }

    /// Records a file for which no budget is left.
    fn leave_out(
        &self,
        path: &Path,
        source: Source,
        budget: &mut Budget,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Known<()> {
        let size = search.read(path, "the budget is spent: not read by Codex")?.ok().map(|raw| raw.size());
        let reason = format!("the limit of {} B for all project files is used up", grouped(budget.total));
        answer.sources.push(Source { size, reason, ..source });
        if !std::mem::replace(&mut budget.is_reported, true) {
            self.tell(answer, || Warning::at("over-budget", path, notices::skipped(path, budget.total)));
        }
        Ok(())
    }

    /// Takes as much of a file as the budget allows. A text of white space alone is not charged.
    fn charge(&self, path: &Path, raw: &Content, source: Source, budget: &mut Budget, answer: &mut Answer) {
        let cut = raw.len().min(budget.left);
        let is_cut = cut < raw.len();
        if is_cut {
            self.tell(answer, || {
                Warning::at("over-budget", path, notices::loaded_only(path, cut, raw.len(), budget.total))
            });
        }
        let text = match raw.as_text() {
            Some(text) if text.is_char_boundary(cut) => Text::of(raw, &text[..cut]),
            _ => text::lossy(&raw[..cut]).into_owned().into(),
        };
        let size = Some(raw.size());
        if text.trim().is_empty() {
            let (fate, reason) = if is_cut {
                let left = grouped(cut);
                (Fate::Dropped, format!("the {left} B that the budget leaves are only white space; nothing is charged"))
            } else {
                (Fate::Empty, "empty or only white space; it still hides the other names of its directory".to_owned())
            };
            answer.sources.push(Source { fate, reason, size, ..source });
            return;
        }
        let (fate, reason) = if is_cut {
            let reason = format!(
                "the {} B limit for all project files ends inside this file: {} of {} B are kept",
                grouped(budget.total),
                grouped(cut),
                grouped(raw.len())
            );
            (Fate::Truncated, reason)
        } else {
            (Fate::Loaded, "the first name that exists in its directory".to_owned())
        };
        budget.texts.push(text);
        budget.left -= cut;
        let kept = std::iter::once(0..cut).collect();
        answer.sources.push(Source { fate, reason, size, kept, message: Some(0), part: Some(0), ..source });
    }
}

/// Budget in bytes that all project files share.
struct Budget {
    total: usize,
    left: usize,
    /// True if it was reported that the budget is used up.
    is_reported: bool,
    /// Text taken of each file, root first.
    texts: Vec<Text>,
}

/// Result of opening a picked file.
enum Opened {
    Text(Content),
    /// The file counts as one without text, for this reason.
    Without(Fate, &'static str),
    /// The file is larger than Briefing reads.
    TooLarge(Unreadable, String),
    /// The client waits forever.
    Endless,
    /// The client drops all project files.
    Broken(String),
}

/// Sorts the sources: global files first, then directory by directory from the root, each in the order of the names.
/// Fallbacks with `..` may lead to one path from several directories; a path that is read is not also listed as
/// shadowed.
fn in_reading_order(sources: &mut Vec<Source>, order: &[PathBuf]) {
    let read: HashSet<PathBuf> = sources
        .iter()
        .filter(|source| source.fate != Fate::Shadowed)
        .filter_map(|source| source.path().map(Path::to_owned))
        .collect();
    let mut shadowed = HashSet::new();
    sources.retain(|source| {
        let Some(path) = source.path().filter(|_| source.fate == Fate::Shadowed) else { return true };
        let is_first = shadowed.insert(path.to_owned());
        source.scope == Scope::User || (is_first && !read.contains(path))
    });
    let mut places: HashMap<&Path, usize> = HashMap::new();
    for (at, path) in order.iter().enumerate() {
        places.entry(path).or_insert(at);
    }
    sources.sort_by_cached_key(|source| {
        let is_project = source.scope != Scope::User;
        let place = source.path().filter(|_| is_project).and_then(|path| places.get(path).copied());
        (is_project, place)
    });
}

/// An error that drops all project files.
struct Problem {
    path: PathBuf,
    what: String,
}

impl Problem {
    fn new(path: PathBuf, errno: Errno) -> Problem {
        Problem { path, what: format!("{}: {}", errno.name(), errno.text()) }
    }

    /// Creates the source of a picked file that is dropped because of the error.
    fn drops(&self, path: PathBuf) -> Source {
        let (by, what) = (&self.path, &self.what);
        let reason =
            format!("{} cannot be examined ({what}), and any such error drops all project files", by.display());
        Source { by: Some(by.clone()), ..Source::new(path, Scope::Project, Fate::Dropped, reason) }
    }
}

/// Records a file under a later name as shadowed, because Codex stops at the first name of a directory.
fn shadow(path: &Path, scope: Scope, winner: &Path, search: &mut Search, answer: &mut Answer) -> Known<()> {
    let found = search.stat(path, "Codex stops at the first name; asked to explain what is shadowed")?;
    if found.is_ok_and(|meta| meta.kind == FileType::File) {
        let reason = format!("{} in the same directory is loaded instead", file_name(winner));
        let source = Source::new(path, scope, Fate::Shadowed, reason);
        answer.sources.push(Source { by: Some(winner.to_owned()), ..source });
    }
    Ok(())
}

/// Records that nothing is read because of an error.
fn drop_all(answer: &mut Answer, problem: &Problem) -> Vec<Text> {
    let reason = format!("{}: any error but \"not found\" drops all project files of the session", problem.what);
    answer.sources.push(Source::new(&problem.path, Scope::Project, Fate::Unreadable, reason.clone()));
    answer.warnings.push(Warning::at(
        "unreadable",
        &problem.path,
        format!("error trying to find AGENTS.md docs: {}", problem.what),
    ));
    Vec::new()
}

/// Drops all files that were read before one that cannot be read.
fn take_back(answer: &mut Answer, first_source: usize, first_warning: usize, by: &Path) -> Vec<Text> {
    let last = answer.sources.len() - 1;
    for source in &mut answer.sources[first_source..last] {
        source.fate = Fate::Dropped;
        source.reason = format!("{} cannot be read, and any such error drops all project files", by.display());
        source.by = Some(by.to_owned());
        source.kept.clear();
        (source.message, source.part) = (None, None);
    }
    answer.warnings.truncate(first_warning);
    answer.warnings.push(Warning::at(
        "unreadable",
        by,
        "error trying to find AGENTS.md docs; all project files are dropped",
    ));
    Vec::new()
}

fn first_of(dir: &Path, settings: &Settings, names: &[&str]) -> String {
    format!("{}: the first regular file of {}", place_of(dir, settings), listed(names))
}

/// Formats the names for the trace. The trace repeats them for each name, so only the first ones are listed, and long
/// ones are cut.
fn listed(names: &[&str]) -> String {
    const LISTED: usize = 12;
    const LONGEST: usize = 200;
    let first: Vec<&str> = names.iter().take(LISTED).map(|name| &name[..name.floor_char_boundary(LONGEST)]).collect();
    let more = if names.len() > LISTED { ", …" } else { "" };
    first.join(", ") + more
}

fn place_of(dir: &Path, settings: &Settings) -> &'static str {
    match &settings.root {
        Some(root) if root == dir => "project root",
        Some(_) => "below the project root",
        None => "no project root, so only the start directory",
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_a_name_does_not_grow_with_their_number() {
        let long = "n".repeat(1_000_000);
        assert!(listed(&vec![long.as_str(); 20_000]).len() < 3_000);
        assert_eq!(listed(&["AGENTS.override.md", "AGENTS.md"]), "AGENTS.override.md, AGENTS.md");
    }
}
