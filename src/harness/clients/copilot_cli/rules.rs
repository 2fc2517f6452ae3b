//! Instruction files and rules: those of a folder, and those that are loaded at the start.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::front_matter::{self, FrontMatter};
use super::history::{Behavior, Heads, Named, Order};
use super::seen::visible;
use crate::answer::{Answer, Certain, Text};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, AskHasher, Content, Entry, FileType, Unreadable, relative};
use crate::text::Size;

/// Rule file on the disk.
pub(super) struct Rule {
    pub path: PathBuf,
    /// Path after resolving symlinks.
    pub real: PathBuf,
    /// The real path relative to the directory that the rule belongs to.
    below: Arc<str>,
    pub read: Result<Read, Unreadable>,
}

/// Content of a rule file.
pub(super) struct Read {
    pub raw: Content,
    pub front: FrontMatter,
    /// Problem of the front matter.
    pub problem: Option<String>,
    /// Text as it is sent.
    pub text: Text,
    /// Size of that text.
    pub size: Size,
    /// Patterns, formatted for people.
    pub listed: String,
    /// Patterns and description, escaped for a table.
    pub cells: [String; 2],
}

impl Read {
    fn of(raw: Content, heads: Heads) -> Read {
        let decoded = raw.text_without_bom();
        let (front, problem) = (front_matter::parse(&decoded, heads), front_matter::problem(&decoded));
        let text = visible(&Text::of(&raw, &decoded));
        let listed = front.patterns.join(", ");
        let cells = [cell(&listed).into_owned(), cell(&front.description).into_owned()];
        Read { front, problem, size: text.size(), text, raw, listed, cells }
    }
}

/// Rule that is known from the start, with the path that the client shows.
pub(super) struct KnownRule {
    /// The path as the client writes it.
    pub shown: Arc<str>,
    /// True if it is the user's own.
    pub is_users: bool,
    pub rule: Arc<Rule>,
}

impl KnownRule {
    /// Returns the real path, by which the client identifies the rule.
    pub(super) fn real_path(&self) -> &Path {
        &self.rule.real
    }
}

/// Owner of a rule, which determines how its path is written.
#[derive(Clone, Copy)]
enum Owner<'a> {
    /// The user: real path.
    User,
    /// The root or the working directory: path relative to it.
    Own,
    /// A directory that an environment variable names: the path is written as this name and the path below its target.
    /// If it is the root or the working directory, only the path below it is written.
    Named(&'a Path),
}

/// Returns the instruction files and rules of all places, in order.
pub(super) fn at_start(
    cwd: &Path,
    (root, home): (&Path, &Path),
    extra: &[PathBuf],
    behavior: &Behavior,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<Vec<KnownRule>> {
    let mut places = vec![(home.join("instructions"), ".instructions.md", Owner::User)];
    let own = [root, cwd].map(|dir| (dir, Owner::Own)).into_iter();
    for (dir, owner) in own.chain(extra.iter().map(|dir| (&**dir, Owner::Named(dir)))) {
        places.extend(behavior.rules.folders().iter().map(|&(folder, ending)| (dir.join(folder), ending, owner)));
    }
    if behavior.named == Named::Everything {
        places.extend(extra.iter().map(|dir| (dir.clone(), ".instructions.md", Owner::Named(dir))));
    }
    let (mut known, mut seen) = (Vec::new(), HashSet::<(bool, OsString), AskHasher>::default());
    for (dir, ending, owner) in places {
        for rule in below(&dir, ending, behavior, search, answer)?.iter() {
            // Rules are identified by their real path. The same file counts twice only if it is also the user's own.
            if seen.insert((matches!(owner, Owner::User), rule.real.clone().into())) {
                let shown = match owner {
                    Owner::User => rule.real.display().to_string().into(),
                    Owner::Own => rule.below.clone(),
                    Owner::Named(dir) if dir == root || dir == cwd => relative(dir, &rule.real).into(),
                    Owner::Named(dir) => {
                        let led = search.real(dir)?.unwrap_or_else(|_| dir.to_owned());
                        format!("{}/{}", dir.display(), relative(&led, &rule.real)).into()
                    }
                };
                known.push(KnownRule { shown, is_users: matches!(owner, Owner::User), rule: rule.clone() });
            }
        }
    }
    Ok(known)
}

/// Returns every file below `dir` whose name ends with `ending` and is longer. Hidden files and folders are skipped,
/// and folders behind symlinks are not entered.
pub(super) fn below(
    dir: &Path,
    ending: &'static str,
    behavior: &Behavior,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<Arc<Vec<Arc<Rule>>>> {
    let rules = match behavior.heads {
        Heads::Paths => search.part("rules of Copilot CLI", (dir, ending), |dir, ending, search| {
            look(dir, ending, Heads::Paths, search)
        })?,
        Heads::Braces => search.part("rules of Copilot CLI with braces", (dir, ending), |dir, ending, search| {
            look(dir, ending, Heads::Braces, search)
        })?,
        Heads::Commas => search.part("rules of Copilot CLI with commas", (dir, ending), |dir, ending, search| {
            look(dir, ending, Heads::Commas, search)
        })?,
        Heads::Whole => search.part("rules of Copilot CLI as they stand", (dir, ending), |dir, ending, search| {
            look(dir, ending, Heads::Whole, search)
        })?,
    };
    match behavior.order {
        Order::ByPath => Ok(rules),
        Order::AsFound => as_found(dir, &rules, search, answer).map(Arc::new),
    }
}

/// Returns the rules in the order before 1.0.78, when they were not sorted: level by level, the last name first.
fn as_found(dir: &Path, rules: &[Arc<Rule>], search: &mut Search, answer: &mut Answer) -> Known<Vec<Arc<Rule>>> {
    let mut found = rules.to_vec();
    let depth = |rule: &Arc<Rule>| rule.path.components().count();
    found.sort_by(|one, other| depth(one).cmp(&depth(other)).then_with(|| other.path.cmp(&one.path)));
    let mut folders: Vec<&Path> = found.iter().filter_map(|rule| rule.path.parent()).collect();
    folders.dedup();
    if folders.windows(2).any(|pair| pair[0].components().count() == pair[1].components().count()) {
        let reason = format!("{}: two of its folders are listed in the order in which the disk answers", dir.display());
        answer.doubt(&[Certain::Order], reason);
    }
    let is_link = |entry: &Entry| entry.kind == FileType::Link;
    if search.list(dir, "links to folders may be followed")?.is_ok_and(|entries| entries.iter().any(is_link)) {
        answer.doubt(&[Certain::Set], format!("{}: whether links there are followed was not checked", dir.display()));
    }
    Ok(found)
}

fn look(dir: &Path, ending: &'static str, heads: Heads, search: &mut Search) -> Known<Vec<Arc<Rule>>> {
    let takes = |entry: &Entry| {
        let name = entry.name.to_string_lossy().to_lowercase();
        let is_rule = || name.len() > ending.len() && name.ends_with(ending);
        !name.starts_with('.') && (entry.kind == FileType::Dir || is_rule())
    };
    let found = search.files_below(dir, &format!("files that end in {ending}"), takes)?;
    let asked = |path: PathBuf| [Ask::Kind(path.clone()), Ask::Content(path.clone()), Ask::Real(path)];
    search.expect(found.iter().cloned().flat_map(asked))?;
    // `.github/instructions` and `.claude/rules` belong to the directory that contains `.github` or `.claude`.
    let base = dir.ancestors().nth(2).unwrap_or(dir);
    let mut rules = Vec::new();
    for path in found {
        if search.stat(&path, "a rule file")?.is_ok_and(|meta| meta.kind != FileType::Dir) {
            let real = search.real(&path)?.unwrap_or_else(|_| path.clone());
            let read = search.read(&path, "its text")?.map(|raw| Read::of(raw, heads));
            rules.push(Arc::new(Rule { below: relative(base, &real).into(), path, real, read }));
        }
    }
    Ok(rules)
}

/// Escapes a text for a table.
pub(super) fn cell(text: &str) -> Cow<'_, str> {
    if !text.contains(['\\', '|', '\n']) {
        return text.into();
    }
    text.replace('\\', "\\\\").replace('|', "\\|").replace('\n', " ").into()
}
