//! Instruction files and rules: those of a folder, and those that count from the start.

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

/// A rule file that is there.
pub(super) struct Rule {
    pub path: PathBuf,
    /// Where it leads.
    pub real: PathBuf,
    /// The same, as seen from the directory whose rule it is.
    below: Arc<str>,
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
    /// Its patterns, for people.
    pub listed: String,
    /// Its patterns and its description, as a table takes them.
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

/// A rule that counts from the start, under the path that it is known by.
pub(super) struct KnownRule {
    /// The path as the client writes it.
    pub shown: Arc<str>,
    /// Whether it is the user's own.
    pub is_users: bool,
    pub rule: Arc<Rule>,
}

impl KnownRule {
    /// The path that it is known by: where it leads.
    pub(super) fn real_path(&self) -> &Path {
        &self.rule.real
    }
}

/// Whose a rule is, which says how its path is written.
#[derive(Clone, Copy)]
enum Owner<'a> {
    /// The user's: by where it leads.
    User,
    /// That of the root or of the working directory: as seen from there.
    Own,
    /// That of a directory of the environment: behind its name, unless it is one of those, as seen from where it leads.
    Named(&'a Path),
}

/// The instruction files and rules of all places, in order.
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
            // Each is known by where it leads, and counts once; once more if it is the user's own as well.
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

/// Every file below `dir` whose name has that ending and something before it. Hidden files and folders are passed over, and
/// folders behind links are not entered.
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

/// In the order in which they were found before they were sorted: level by level, the last name first.
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
    // `.github/instructions` and `.claude/rules` are the directory's above them.
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

/// A text as a table takes it.
pub(super) fn cell(text: &str) -> Cow<'_, str> {
    if !text.contains(['\\', '|', '\n']) {
        return text.into();
    }
    text.replace('\\', "\\\\").replace('|', "\\|").replace('\n', " ").into()
}
