//! Skills: their folders, and the part of a developer message that lists them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

mod budget;
mod head;
mod plugins;
mod policy;
mod switches;

use super::{Codex, directories, history as h};
use crate::answer::{Answer, Certain, Described, Fate, Role, Scope, Source, Standpoint, Trigger, Warning};
use crate::harness::Version;
use crate::harness::kit::skills::{self as shared, Skill, Walk};
use crate::search::{Known, Look, Search};
use crate::snapshot::{Ask, Errno};
use crate::text::grouped;
pub(super) use budget::{Budget, Introductions, Model, models};
use budget::{Dealt, Line, Unit};
use head::Head;
pub(super) use switches::{Places, Switches};
use switches::{Rule, switched_off};

/// Rules for walking folders of skills, 6 levels deep (Codex 0.169).
const WALK: Walk =
    Walk { depth: 6, hidden: false, folder_links: true, file_links: false, ends_at_skill: false, root_counts: true };

/// Maximum length of a name, in characters (Codex 0.169).
const NAME_CHARACTERS: usize = 64;

/// Maximum length of a description, in characters, including the three dots (Codex 0.169).
const DESCRIPTION_CHARACTERS: usize = 1024;

/// Maximum length of a name with its plugin's name in front, in characters (Codex 0.169).
const QUALIFIED_CHARACTERS: usize = 2 * NAME_CHARACTERS + 1;

/// Directories of a project that are searched for skills.
pub(super) struct Project<'a> {
    /// The last directory that is searched for project files.
    pub start: &'a Path,
    /// Root of the project files; `.agents/skills` counts from here down to `start`.
    pub documents: Option<&'a Path>,
    /// Root of the project's settings; `.codex/skills` counts from here down to the working directory.
    pub settings: Option<&'a Path>,
}

/// Place of the list of skills.
#[derive(Clone, Copy)]
enum Listing {
    /// In a section after the texts of the files; the section is named, not shown.
    BehindTheFiles,
    /// In a developer message.
    Message(Table),
}

/// Condition for a table of roots before the list, so that files are named by the number of their root.
#[derive(Clone, Copy)]
enum Table {
    /// If whole paths leave too little room for all descriptions, and the table makes the list better.
    ForRoom(Introductions),
    /// Whenever the table makes the list better.
    ForLess(Introductions),
}

impl Listing {
    fn for_version(version: Version) -> Listing {
        if !version.has(&h::SKILLS_MESSAGE) {
            return Listing::BehindTheFiles;
        }
        // Lengths of the text before the list, with a table of roots and without; it is charged to the budget. Before
        // 0.143 it also contained the explanation of skills.
        let lengths = [
            (&h::INTRODUCTION_157, (294, 451)),
            (&h::GUARDIAN, (294, 458)),
            (&h::TIME_REMINDER, (294, 465)),
            (&h::SHORT_HEADER, (294 + 2577, 465 + 3233)),
        ];
        let (with_roots, without) = lengths
            .into_iter()
            .find(|(came, _)| version.has(came))
            .map_or((294 + 2182, 297 + 2022), |(_, lengths)| lengths);
        let introductions = Introductions { with_roots, without };
        let table = version.pick(&h::ROOTS_OF_SKILLS, Table::ForLess as fn(_) -> _, Table::ForRoom);
        Listing::Message(table(introductions))
    }
}

/// Rules by which skills are found and listed.
#[derive(Clone, Copy)]
pub(super) struct Form {
    listing: Listing,
    /// True if a skill behind a link is named by the link, not by its real path.
    keeps_links: bool,
    /// True if the path of a skill may contain a tab.
    takes_tabs: bool,
    /// True if front matter that is not YAML is parsed again with its texts quoted, and a description that is too long
    /// is cut.
    second_chance: bool,
    /// Possible places of a plugin's manifest; the first one that exists counts.
    manifests: &'static [&'static str],
}

impl Form {
    pub(super) fn for_version(version: Version) -> Form {
        Form {
            listing: Listing::for_version(version),
            keeps_links: version.has(&h::SKILL_PATHS),
            takes_tabs: !version.has(&h::TIME_REMINDER),
            second_chance: version.has(&h::DEVICES),
            manifests: version.pick(&h::PERMISSION_ROOTS, plugins::MANIFESTS, &plugins::MANIFESTS[..2]),
        }
    }
}

impl Table {
    /// Returns the lengths of the introductions, if a table is considered at all.
    fn introductions(self, by_path: &Dealt) -> Option<Introductions> {
        match self {
            Table::ForRoom(introductions) => by_path.loses_something().then_some(introductions),
            Table::ForLess(introductions) => Some(introductions),
        }
    }
}

/// A folder of skills.
struct Root {
    dir: PathBuf,
    rank: Rank,
}

/// Owner of a folder of skills, in the order of the list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// Codex writes these itself when it starts.
    System,
    Admin,
    Repository,
    User,
}

impl Codex {
    /// Adds the skills to the sources, and inserts the list before the instructions if it is a separate message.
    pub(super) fn skills(
        &self,
        at: &Standpoint,
        (cwd, codex_home): (&Path, &Path),
        (project, skills): (Project, &Switches),
        search: &mut Search,
        answer: &mut Answer,
    ) -> Known<()> {
        let form = &self.skills;
        let roots = roots((cwd, codex_home, &at.home), project, search)?;
        search.expect(roots.iter().map(|root| Ask::Listing(root.dir.clone())))?;
        let mut files: Vec<(usize, PathBuf)> = Vec::new();
        for (index, root) in roots.iter().enumerate() {
            let look: Look<Vec<PathBuf>> = |dir, _, search| shared::inside(dir, WALK, search);
            let found = shared::shared_below("skills of Codex", &root.dir, look, search)?;
            files.extend(found.into_iter().map(|path| (index, path)));
        }
        search.expect(files.iter().map(|(_, path)| Ask::Real(path.clone())))?;
        let mut real = Vec::new();
        for (_, path) in &files {
            real.push(search.real(path)?.unwrap_or_else(|_| path.clone()));
        }
        search.expect(plugins::asks(&real, form.manifests))?;
        let rules = skills.rules(search)?;
        let mut found: Vec<(usize, Skill)> = Vec::new();
        // A file that is reached by several paths counts once.
        let mut ways: HashMap<PathBuf, PathBuf> = HashMap::new();
        for ((index, path), real) in files.into_iter().zip(real) {
            if let Some(first) = ways.get(&real) {
                if *first != path {
                    answer.sources.push(again(&path, roots[index].scope(), first));
                }
                continue;
            }
            let path = if form.keeps_links { path } else { real.clone() };
            let file = SkillFile { path: &path, real: &real, root: &roots[index], form };
            if let Some(skill) = file.skill(skills, &rules, search, answer)? {
                found.push((index, skill));
                ways.insert(real, path);
            }
        }
        found.sort_by(|(one, a), (other, b)| {
            (roots[*one].rank, &a.name, a.path()).cmp(&(roots[*other].rank, &b.name, b.path()))
        });
        if let (Listing::Message(table), false) = (form.listing, skills.unlisted) {
            let unwritten = unwritten(&roots, &found, skills, search)?;
            list((&roots, unwritten), &mut found, (table, skills.budget), answer);
        }
        for (_, skill) in found.iter_mut().filter(|(_, skill)| skill.counts()) {
            skill.source.fate = Fate::Listed;
        }
        answer.sources.extend(found.into_iter().map(|(_, skill)| skill.source));
        Ok(())
    }
}

/// Returns the root of Codex's own skills if it has not written them yet. It does so when it starts; until then they
/// are unknown.
fn unwritten(roots: &[Root], found: &[(usize, Skill)], skills: &Switches, search: &mut Search) -> Known<Option<usize>> {
    let own = roots.iter().position(|root| root.rank == Rank::System);
    let own = own.filter(|own| !skills.no_system && !found.iter().any(|(root, _)| root == own));
    let Some(own) = own else { return Ok(None) };
    let found = search.stat(&roots[own].dir, "skills that Codex writes when it starts")?;
    Ok((found == Err(Errno::NOENT)).then_some(own))
}

/// Adds the better of two lists: one with a table of roots and short paths, or one with whole paths.
fn list(
    (roots, unwritten): (&[Root], Option<usize>),
    found: &mut [(usize, Skill)],
    (shown, budget): (Table, Budget),
    answer: &mut Answer,
) {
    let listed: Vec<usize> = (0..found.len()).filter(|&index| found[index].1.counts()).collect();
    if listed.is_empty() {
        return;
    }
    let used = |root: &usize| unwritten == Some(*root) || listed.iter().any(|&index| found[index].0 == *root);
    let used: Vec<usize> = (0..roots.len()).filter(used).collect();
    let table = table(roots, &used);
    let (short, whole) = (Paths::ByRoot { roots, used: &used }, Paths::Whole);
    let lines = |paths: &Paths| -> Vec<Line> { listed.iter().map(|&index| line(&found[index], paths)).collect() };
    let (short, whole) = (lines(&short), lines(&whole));
    // Nothing is cut if Codex has yet to write its own skills, because they take an unknown share of the budget.
    let deal = match unwritten {
        Some(_) => Dealt::whole,
        None => Dealt::of,
    };
    let by_path = deal(&whole, budget, 0);
    let by_root = shown.introductions(&by_path).map(|introductions| {
        let overhead = budget.overhead(&(table.join("\n") + "\n"), introductions);
        deal(&short, budget, overhead)
    });
    let by_root = by_root.filter(|by_root| by_root.is_better_than(&by_path));
    let (mut entries, lines, dealt) = match by_root {
        Some(by_root) => (table, short, by_root),
        None => (Vec::new(), whole, by_path),
    };
    entries.push("### Available skills".to_owned());
    let sent = lines.iter().zip(&dealt.characters).map(|(line, characters)| Some(line.with((*characters)?)));
    let sent: Vec<Option<String>> = sent.collect();
    entries.extend(sent.iter().flatten().cloned());
    if dealt.whole > budget.limit {
        let message = too_many(dealt.whole, budget, unwritten.is_some());
        match unwritten {
            // It is not known how much room Codex's own skills leave for the others.
            Some(_) => answer.doubt(&[Certain::Text], message),
            None => answer.warnings.push(Warning::general("skills-over-budget", message)),
        }
    }
    let place = answer.messages.iter().take_while(|message| message.role == Role::Developer).count();
    for ((index, characters), sent) in listed.into_iter().zip(dealt.characters).zip(sent) {
        let skill = &mut found[index].1;
        if let Some(sent) = sent {
            skill.listed(&sent, place);
        }
        describe(skill, characters, budget);
    }
    let Some(message) = shared::list(Trigger::Session, Role::Developer, &entries) else { return };
    answer.messages.insert(place, message);
    for source in &mut answer.sources {
        source.message = source.message.map(|message| if message >= place { message + 1 } else { message });
    }
}

/// Records how much of a skill's description the list has.
fn describe(skill: &mut Skill, characters: Option<usize>, budget: Budget) {
    let room =
        || format!("the list of skills may take {} {}, and they are spent", grouped(budget.limit), budget.unit.word());
    let whole = skill.description.chars().count();
    match characters {
        None => {
            skill.leave_out(Fate::Dropped, room());
            skill.source.described = Described::LeftOut;
        }
        Some(0) if whole > 0 => {
            skill.source.reason = format!("listed without its description: {}", room());
            skill.source.described = Described::ByName;
        }
        Some(sent) if sent < whole => {
            skill.source.reason = format!("listed with {sent} of {whole} characters of its description: {}", room());
            skill.source.described = Described::InPart;
        }
        Some(_) => {}
    }
}

/// Formats the table of the roots in use, each with its number.
fn table(roots: &[Root], used: &[usize]) -> Vec<String> {
    let row = |(number, root): (usize, &usize)| format!("- `r{number}` = `{}`", slashed(&roots[*root].dir));
    std::iter::once("### Skill roots".to_owned()).chain(used.iter().enumerate().map(row)).collect()
}

/// Form of the skills' paths in the list.
enum Paths<'a> {
    ByRoot { roots: &'a [Root], used: &'a [usize] },
    Whole,
}

fn line<'a>((root, skill): &'a (usize, Skill), paths: &Paths) -> Line<'a> {
    let file = match paths {
        Paths::ByRoot { roots, used } => {
            let number = used.iter().position(|used| used == root).unwrap_or_default();
            let inside = skill.path().strip_prefix(&roots[*root].dir).unwrap_or(skill.path());
            format!("r{number}/{}", slashed(inside))
        }
        Paths::Whole => slashed(skill.path()),
    };
    Line { name: &skill.name, description: &skill.description, file }
}

fn slashed(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

fn too_many(cost: usize, budget: Budget, is_guess: bool) -> String {
    let what = if is_guess {
        "Codex shortens the descriptions; how far is not known before it has written its own skills"
    } else {
        "Codex shortens the descriptions, as shown"
    };
    let (cost, limit) = (grouped(cost), grouped(budget.limit));
    match budget.unit {
        Unit::Tokens => {
            format!("the list of skills takes ≈ {cost} tokens; above 2 % of the model's context ({limit}) {what}")
        }
        Unit::Characters => format!("the list of skills takes {cost} characters; above {limit} {what}"),
    }
}

/// Returns the folders of skills in the order of their numbers, with links resolved.
fn roots((cwd, codex_home, home): (&Path, &Path, &Path), project: Project, search: &mut Search) -> Known<Vec<Root>> {
    let dirs = directories(project.start, project.documents);
    let with_settings = directories(cwd, project.settings);
    let of = |dir: PathBuf, rank| Root { dir, rank };
    let mut roots: Vec<Root> =
        with_settings.iter().rev().map(|dir| of(dir.join(".codex/skills"), Rank::Repository)).collect();
    roots.push(of(codex_home.join("skills"), Rank::User));
    roots.push(of(home.join(".agents/skills"), Rank::User));
    roots.push(of(codex_home.join("skills/.system"), Rank::System));
    roots.push(of(PathBuf::from("/etc/codex/skills"), Rank::Admin));
    roots.extend(dirs.iter().map(|dir| of(dir.join(".agents/skills"), Rank::Repository)));
    // In the home directory, the folders of the user and of the project are the same.
    let users: Vec<PathBuf> =
        roots.iter().filter(|root| root.rank == Rank::User).map(|root| root.dir.clone()).collect();
    roots.retain(|root| root.rank == Rank::User || !users.contains(&root.dir));
    search.expect(roots.iter().map(|root| Ask::Real(root.dir.clone())))?;
    for root in &mut roots {
        if let Ok(real) = search.real(&root.dir)? {
            root.dir = real;
        }
    }
    Ok(roots)
}

impl Root {
    fn scope(&self) -> Scope {
        match self.rank {
            Rank::System => Scope::Generated,
            Rank::Admin => Scope::Managed,
            Rank::Repository => Scope::Project,
            Rank::User => Scope::User,
        }
    }
}

/// Creates the source of a file that was found again.
fn again(path: &Path, scope: Scope, first: &Path) -> Source {
    let reason = format!("the same file as {}, which comes first", first.display());
    Source { by: Some(first.to_owned()), ..shared::source(path, scope, Fate::Shadowed, &reason) }
}

/// A SKILL.md: the path at which it was found, and its real path.
struct SkillFile<'a> {
    path: &'a Path,
    real: &'a Path,
    root: &'a Root,
    form: &'a Form,
}

impl SkillFile<'_> {
    /// Returns the skill of the file; if it is invalid, adds a source with the reason instead.
    fn skill(
        &self,
        skills: &Switches,
        rules: &[Rule],
        search: &mut Search,
        answer: &mut Answer,
    ) -> Known<Option<Skill>> {
        let (path, root, form) = (self.path, self.root, self.form);
        let Some(file) = shared::read(path, root.scope(), search, &mut answer.sources)? else { return Ok(None) };
        let inside = path.strip_prefix(&root.dir).unwrap_or(path).to_string_lossy();
        let head = if !file.is_text {
            Err("it must be UTF-8".to_owned())
        } else if inside.contains(['\n', '\r']) || (inside.contains('\t') && !form.takes_tabs) {
            Err("a tab or a line break in its path is lost, and the file not found".to_owned())
        } else {
            let head = Head::of_file(&file.text, form.second_chance).unwrap_or_default();
            match self.own_name(head) {
                Ok((name, description)) => {
                    let plugin = plugins::plugin(self.real, self.form.manifests, search)?;
                    self.qualified(plugin, name, description)
                }
                Err(reason) => Err(reason),
            }
        };
        let (name, whole) = match head {
            Ok(head) => head,
            Err(reason) => {
                answer.sources.push(file.refused(&reason));
                return Ok(None);
            }
        };
        let mut skill = file.named(name, shortened(&whole));
        if skill.description != whole {
            skill.source.described = Described::InPart;
            skill.source.reason =
                format!("listed with the first {DESCRIPTION_CHARACTERS} characters of its description");
        }
        if let Some(rule) = switched_off(rules, &skill.name, self.real) {
            skill.leave_out(Fate::Excluded, format!("[[skills.config]] switches `{}` off", rule.written));
        } else if root.rank == Rank::System && skills.no_system {
            skill.leave_out(Fate::Excluded, "[skills.bundled] switches Codex's own skills off");
        } else if skills.unlisted {
            skill.leave_out(Fate::Excluded, "`include_instructions` of [skills] leaves the list out");
        } else if let Some(reason) = policy::refusal(path, search)? {
            skill.leave_out(Fate::Excluded, reason);
        }
        Ok(Some(skill))
    }

    /// Returns the name and the description from the front matter, or the reason why the file is not a skill.
    fn own_name(&self, head: Head) -> Result<(String, String), String> {
        let one_line = |words: &str| words.split_whitespace().collect::<Vec<_>>().join(" ");
        let filled = |words: Option<String>| words.map(|words| one_line(&words)).filter(|words| !words.is_empty());
        let Some(description) = filled(head.description) else {
            return Err("its head must have a `description`".to_owned());
        };
        let folder = || one_line(&self.path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy());
        let name = filled(head.name).unwrap_or_else(folder);
        if name.chars().count() > NAME_CHARACTERS {
            return Err(format!("its name has more than {NAME_CHARACTERS} characters"));
        }
        Ok((name, description))
    }

    /// Returns the name, with its plugin's name in front, and the description, or the reason why the file is not a
    /// skill.
    fn qualified(&self, plugin: Option<String>, name: String, description: String) -> Result<(String, String), String> {
        let name = plugin.map_or(name.clone(), |plugin| format!("{plugin}:{name}"));
        if name.chars().count() > QUALIFIED_CHARACTERS {
            return Err(format!("with its plugin's, its name has more than {QUALIFIED_CHARACTERS} characters"));
        }
        if !self.form.second_chance && description.chars().count() > DESCRIPTION_CHARACTERS {
            return Err(format!("its description has more than {DESCRIPTION_CHARACTERS} characters"));
        }
        Ok((name, description))
    }
}

fn shortened(description: &str) -> String {
    if description.chars().count() <= DESCRIPTION_CHARACTERS {
        return description.to_owned();
    }
    format!("{}...", description.chars().take(DESCRIPTION_CHARACTERS - 3).collect::<String>())
}
