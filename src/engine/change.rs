//! Effect of a change on each agent: every moment that it may affect is asked about before and after.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Core;
use super::alone::at_rest;
use super::below::{below, matched_by};
use super::inspect::Found;
use super::settings::Settings;
use super::workspace::is_instruction_file;
use crate::answer::{Fate, Resolution, SessionKind, Source, Standpoint};
use crate::disk::{self, Filesystem, Real};
use crate::harness::Choice;
use crate::queries::neighbour::Neighbour;
use crate::report::change::{Change, Instead, Kind, Moment, When, note_moves, on_reaching, text_of_files};
use crate::report::compare::{Difference, compare};
use crate::report::front_matter::head;
use crate::report::inspection::{Note, changes};
use crate::report::sentences;
use crate::report::why::{Plain, Sought};
use crate::request::{Defaults, OneOrMany, Places, Request, beside};
use crate::resolve::AgentQuestion;
use crate::snapshot::{Content, FileType};
use crate::text::grouped;

/// Version of the JSON form.
const VERSION: u64 = 1;

/// Parameters of a comparison.
pub struct Changing<'a> {
    /// Directory to search. Agents are started there and in directories below it.
    pub root: &'a Path,
    /// Settings, including the agents to compare.
    pub settings: Settings,
    /// Further parameters of every question.
    pub request: &'a Request,
    /// A single file to ask about, besides the start of a session. `None` means every moment.
    pub file: Option<&'a Path>,
    /// Change to examine: `REV`, `A..B` or `A...B`.
    pub base: &'a str,
    /// Fork that the change comes from, if it is known.
    pub fork: Option<&'a str>,
}

/// Compares the instructions of agents before and after a change.
///
/// # Errors
/// If the change does not exist or the question is invalid. The error is a message for people.
pub fn change(defaults: Defaults, changing: &Changing) -> Result<Change, String> {
    let Changing { root, settings, request, file, base, fork } = changing;
    let disk::Change { before, after, name } = disk::Change::open(&Real, root, base)?;
    let now = at_rest(defaults.clone(), root, settings.clone(), after.as_deref())?;
    let then = at_rest(defaults, root, settings.clone(), Some(&before))?;
    let root = now.session().folders[0].clone();
    let places = Places::start(&root);
    let (answers, _) = now.answers(request, &places)?;
    let judged = now.judged(&places, &answers);
    let agents = agents(&then, &now, request, &places, &answers)?;
    let asking = Asking { then: &then, now: &now, root: &root, agents };
    let (mut asked, mut not_asked, mut moments) = (Vec::new(), Vec::new(), Vec::new());
    match file {
        Some(file) => {
            let read = When { kind: Kind::Read, start: ".".to_owned(), file: Some(slashed(file)) };
            for when in [When::start("."), read] {
                asking.ask(&when, &mut moments);
                asked.push(when);
            }
        }
        None => {
            let touched = Touched::find(&asking, &answers);
            let mut listed = Listed::new();
            for when in touched.moments {
                if now.is_exhausted_with(&then) {
                    not_asked.push(when);
                    continue;
                }
                let told = asking.ask(&when, &mut moments);
                told.into_iter().for_each(|sides| note_listed(&sides, &touched.changed, &mut listed));
                asked.push(when);
            }
            for (path, sides) in listed {
                let when = asking.body(&path, &sides, &mut moments);
                asked.push(when);
            }
        }
    }
    let found =
        [(&then, Some(&*before)), (&now, after.as_deref())].map(|(core, revision)| Found::below(core, &root, revision));
    let [old, new] = found;
    let grants = changes(&old.grants, &new.grants);
    let notes = come(&old.notes, new.notes);
    // Most agents treat a file that they read like one that is attached; list it once.
    let reads: Vec<Moment> = moments.iter().filter(|moment| moment.when.kind == Kind::Read).cloned().collect();
    let is_repeated = |moment: &Moment| {
        let same = |read: &Moment| read.when.file == moment.when.file && read.is_like(moment);
        moment.when.kind == Kind::Attach && reads.iter().any(same)
    };
    moments.retain(|moment| !is_repeated(moment));
    let order = |moment: &Moment| judged.iter().position(|one| one.agent == moment.agent);
    moments.sort_by_key(order);
    note_moves(&mut moments);
    let fork = fork.map(str::to_owned);
    Ok(Change { version: VERSION, base: name, fork, before, after, judged, asked, not_asked, moments, grants, notes })
}

/// Returns the notes that are new, regardless of their line.
fn come(before: &[Note], after: Vec<Note>) -> Vec<Note> {
    let mut left: Vec<&Note> = before.iter().collect();
    let is_new = |note: &Note| {
        let known = left.iter().position(|other| (&other.path, &other.what) == (&note.path, &note.what));
        known.map(|at| left.remove(at)).is_none()
    };
    after.into_iter().filter(is_new).collect()
}

/// Returns the agents that answered on the later side, with their questions for both sides.
pub(super) fn agents(
    then: &Arc<Core>,
    now: &Arc<Core>,
    request: &Request,
    places: &Places,
    answers: &[Arc<Resolution>],
) -> Result<Vec<Agent>, String> {
    let questions = now.questions(request, places)?;
    let mut agents = Vec::new();
    for (after, answer) in questions.into_iter().zip(answers) {
        // The agents are those of the later side. An agent that was not declared before has nothing to compare.
        let spec = match &answer.claim.running {
            Some(version) => format!("{}@{version}", answer.harness),
            None => answer.harness.clone(),
        };
        let request = Request { harness: Some(OneOrMany::One(spec)), ..request.clone() };
        let Ok(mut asked) = then.questions(&request, places) else { continue };
        agents.extend(asked.pop().map(|before| Agent { before, after }));
    }
    Ok(agents)
}

/// An agent with its question for each side.
pub(super) struct Agent {
    before: (Choice, Standpoint),
    after: (Choice, Standpoint),
}

/// Side of a change.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Then,
    Now,
}

/// Answers of one agent before and after.
type Sides = (Arc<Resolution>, Arc<Resolution>);

/// Files that agents list, each with the answers of the agents that list it.
type Listed = BTreeMap<PathBuf, Vec<Sides>>;

/// Both sides of a change, and the agents to ask.
pub(super) struct Asking<'a> {
    pub then: &'a Arc<Core>,
    pub now: &'a Arc<Core>,
    pub root: &'a Path,
    pub agents: Vec<Agent>,
}

impl Asking<'_> {
    /// Asks every agent about a moment, and adds the differences.
    fn ask(&self, when: &When, moments: &mut Vec<Moment>) -> Vec<Sides> {
        let start = self.root.join(&when.start);
        let start = crate::snapshot::absolute(self.root, &start);
        let target = when.file.as_ref().map(|file| start.join(file));
        // If the directory is missing on one side, the agent would be started in the nearest existing parent.
        let [from, to] = [self.then, self.now].map(|core| existing(core, &start));
        let all = self.sides(|side, at| {
            at.cwd.clone_from(if side == Side::Then { &from } else { &to });
            at.target.clone_from(&target);
            at.tool = when.tool().unwrap_or(at.tool);
        });
        let starts = match when.kind {
            Kind::Read | Kind::Attach => {
                self.sides(|side, at| at.cwd.clone_from(if side == Side::Then { &from } else { &to }))
            }
            _ => Vec::new(),
        };
        for (at, (before, after)) in all.iter().enumerate() {
            let moment = match starts.get(at) {
                Some((was, is)) => self.moment(when, &on_reaching(before, was), &on_reaching(after, is)),
                None => self.moment(when, before, after),
            };
            let is_there = from == to;
            let moment = moment.and_then(|moment| if is_there { Some(moment) } else { moment.only(to == start) });
            moments.extend(moment.map(|moment| Moment { instead: self.cut(&moment.removed, after), ..moment }));
        }
        all
    }

    /// Compares the answers of one agent. Returns `None` if they are equal.
    fn moment(&self, when: &When, before: &Resolution, after: &Resolution) -> Option<Moment> {
        let mut comparison = compare(before, after);
        if comparison.same && comparison.differences.is_empty() {
            return None;
        }
        if comparison.differences.is_empty() {
            comparison.differences = self.rewritten(after);
        }
        let text = |core: &Core, answer: &Resolution| text_of_files(answer, |path| core.files.read(path).ok());
        let texts = (text(self.then, before), text(self.now, after));
        let mut moment = Moment::of(when, after, (&texts.0, &texts.1), comparison)?;
        if !moment.added.is_empty() || !moment.removed.is_empty() {
            let outside = self.outside(before, after);
            moment.added.retain(|sentence| !outside.contains(sentence));
            moment.removed.retain(|sentence| !outside.contains(sentence));
        }
        Some(moment)
    }

    /// Returns the sentences of files outside of the repository, which a link or an import may bring. They are not quoted:
    /// whoever may change the repository could have any file of this machine printed in a comment.
    fn outside(&self, before: &Resolution, after: &Resolution) -> HashSet<String> {
        let mut above = self.root.ancestors();
        let repository = above.find(|dir| Real.lstat(&dir.join(".git")).is_ok()).unwrap_or(self.root);
        let sides = [(self.then, before), (self.now, after)];
        let sources = sides.iter().flat_map(|(core, answer)| answer.answer.sources.iter().map(move |one| (core, one)));
        let outside = sources.filter_map(|(core, source)| {
            let path = source.path().filter(|path| !core.files.real(path).starts_with(repository))?;
            core.files.read(path).ok()
        });
        outside.flat_map(|raw| sentences::sentences(&raw.text())).collect()
    }

    /// Returns the files whose text changed although the sizes sent are the same.
    fn rewritten(&self, after: &Resolution) -> Vec<Difference> {
        let paths = after.answer.sources.iter().filter(|source| source.fate.reaches()).filter_map(Source::path);
        let is_rewritten = |path: &&Path| self.then.files.read(path).ok() != self.now.files.read(path).ok();
        let of = |path: &Path| Difference {
            name: path.display().to_string(),
            kind: "edited".to_owned(),
            message: "other text, and as much of it".to_owned(),
        };
        paths.filter(is_rewritten).map(of).collect()
    }

    /// Returns the removed sentences that are in a file that a limit cuts or drops.
    fn cut(&self, removed: &[String], after: &Resolution) -> Vec<Instead> {
        let is_cut = |source: &&Source| {
            source.fate == Fate::Truncated || (source.fate == Fate::Dropped && source.limit.is_some())
        };
        let sources = after.answer.sources.iter().filter(is_cut).filter(|_| !removed.is_empty());
        let files = sources.filter_map(|source| Some((source, self.now.files.read(source.path()?).ok()?)));
        let files: Vec<_> = files.map(|(source, raw)| (source, Plain::of(&raw.text()))).collect();
        let of = |sentence: &String| {
            let sought = Sought::new(sentence)?;
            let (source, _) = files.iter().find(|(_, plain)| sought.is_within(plain))?;
            let message = format!("cut: {}", source.reason);
            Some(Instead { sentence: sentence.clone(), kind: "cut".to_owned(), message })
        };
        removed.iter().filter_map(of).collect()
    }

    /// Asks every agent before and after, from standpoints modified by `change`.
    pub fn sides(&self, change: impl Fn(Side, &mut Standpoint)) -> Vec<Sides> {
        let changed = |side: Side, (choice, at): &(Choice, Standpoint)| {
            let mut at = at.clone();
            change(side, &mut at);
            AgentQuestion::new(choice.clone(), at)
        };
        let before = self.agents.iter().map(|agent| changed(Side::Then, &agent.before)).collect();
        let after = self.agents.iter().map(|agent| changed(Side::Now, &agent.after)).collect();
        let (before, after) = (self.then.answers_to(before), self.now.answers_to(after));
        before.into_iter().zip(after).map(|((before, _), (after, _))| (before, after)).collect()
    }

    /// Adds the differences of a text that is sent when it is called: a skill, a command, or the prompt of a sub-agent.
    fn body(&self, path: &Path, listing: &[Sides], moments: &mut Vec<Moment>) -> When {
        let kind = kind_of(path);
        let inside = path.strip_prefix(self.root).unwrap_or(path);
        let when = When { kind, start: ".".to_owned(), file: Some(slashed(inside)) };
        let is_listing = |agent: &str| listing.iter().any(|(_, after)| after.harness == agent);
        if kind == Kind::Subagent {
            let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
            let all = self.sides(|_, at| {
                at.session = SessionKind::Subagent;
                at.agent.clone_from(&name);
            });
            let all = all.into_iter().filter(|(_, after)| is_listing(&after.harness));
            moments.extend(all.filter_map(|(before, after)| self.moment(&when, &before, &after)));
            return when;
        }
        let read = |core: &Core| core.files.read(path).ok();
        let (before, after) = (read(self.then), read(self.now));
        let (added, removed) = sentences::difference(&body(before.as_ref()), &body(after.as_ref()));
        let (kind, message) = match (before.map(|raw| raw.len()), after.map(|raw| raw.len())) {
            (None, Some(now)) => ("added", format!("{} B", grouped(now))),
            (Some(was), None) => ("lost", format!("it was {} B", grouped(was))),
            (was, now) if was < now => ("grew", sizes(now, was)),
            (was, now) if was > now => ("shrank", sizes(now, was)),
            (was, now) => ("changed", sizes(now, was)),
        };
        let difference = Difference { name: path.display().to_string(), kind: kind.to_owned(), message };
        for (_, answer) in listing {
            let (added, removed, differences) = (added.clone(), removed.clone(), vec![difference.clone()]);
            moments.push(Moment { added, removed, differences, ..Moment::for_agent(&when, answer) });
        }
        when
    }
}

/// Returns a directory, or its nearest existing parent.
fn existing(core: &Core, dir: &Path) -> PathBuf {
    let is_there = |dir: &&Path| core.files.stat(dir).is_ok_and(|meta| meta.kind == FileType::Dir);
    dir.ancestors().find(is_there).unwrap_or(dir).to_owned()
}

/// Returns the body of a skill or command. Its front matter is listed at the start and not sent with the body.
fn body(raw: Option<&Content>) -> String {
    let text = raw.map(|raw| raw.text().into_owned()).unwrap_or_default();
    match head(&text).filter(|head| head.closed) {
        Some(head) => text[head.at.end..].to_owned(),
        None => text,
    }
}

fn sizes(now: Option<usize>, was: Option<usize>) -> String {
    format!("{} B, was {} B", grouped(now.unwrap_or(0)), grouped(was.unwrap_or(0)))
}

/// Records which changed files an agent lists: their bodies are sent when they are called.
fn note_listed((before, after): &Sides, changed: &BTreeSet<PathBuf>, listed: &mut Listed) {
    let sources = before.answer.sources.iter().chain(&after.answer.sources);
    let paths = sources.filter(|source| source.fate == Fate::Listed).filter_map(Source::path);
    for path in paths.filter(|path| changed.contains(*path)) {
        let known = listed.entry(path.to_owned()).or_default();
        if known.iter().all(|(_, other)| other.harness != after.harness || other.edition != after.edition) {
            known.push((before.clone(), after.clone()));
        }
    }
}

/// Returns the kind of a body, according to its directory.
fn kind_of(path: &Path) -> Kind {
    let has = |names: &[&str]| path.iter().any(|part| names.iter().any(|name| part == *name));
    match () {
        () if path.file_name().is_some_and(|name| name == "SKILL.md") => Kind::Skill,
        () if has(&["agents", "agent"]) => Kind::Subagent,
        () if has(&["commands", "command", "prompts"]) => Kind::Command,
        () => Kind::Skill,
    }
}

/// Moments and files that a change may affect.
pub(super) struct Touched {
    /// Starts and reads to ask about.
    pub moments: Vec<When>,
    /// Instruction files that changed.
    changed: BTreeSet<PathBuf>,
}

impl Touched {
    pub fn find(asking: &Asking<'_>, session: &[Arc<Resolution>]) -> Touched {
        let Asking { then, now, root, .. } = asking;
        let found = [below(then, root, session), below(now, root, session)];
        let settings: BTreeSet<PathBuf> = found.iter().flat_map(|found| &found.settings).cloned().collect();
        let files: BTreeSet<PathBuf> =
            found.into_iter().flat_map(|found| found.instructions).chain(settings.iter().cloned()).collect();
        let is_changed = |path: &&PathBuf| {
            let state = |core: &Core| (core.files.read(path).ok(), core.files.read_link(path).ok());
            state(then) != state(now)
        };
        let changed: BTreeSet<PathBuf> = files.iter().filter(is_changed).cloned().collect();
        let inside = |path: &Path| path.strip_prefix(root).ok().map(Path::to_owned);
        // Imported files can be anywhere; nobody starts an agent there because of them.
        let customs = now.session().custom_names.clone();
        let named = files.iter().filter(|file| settings.contains(*file) || is_instruction_file(file, &customs));
        let starts: BTreeSet<PathBuf> =
            named.filter_map(|file| inside(&beside(file))).chain([PathBuf::new()]).collect();
        let mut moments: Vec<When> = starts.iter().map(|dir| When::start(&slashed(dir))).collect();
        let (mut reads, mut handed) = (BTreeSet::new(), BTreeSet::new());
        // Changed settings also affect files that have not changed.
        let touched = if changed.is_disjoint(&settings) { &changed } else { &files };
        for file in touched {
            if now.is_exhausted_with(then) {
                // The starts are left, and more than will be asked.
                break;
            }
            let dir = beside(file);
            for core in [now, then] {
                if let Some(below) = &core.query(Neighbour::within(&dir)).value {
                    reads.extend(inside(&dir.join(below)));
                    break;
                }
            }
            for core in [now, then] {
                handed.extend(matched_by(core, file).iter().filter_map(|path| inside(path)));
            }
        }
        reads.extend(handed.iter().cloned());
        let of = |kind: Kind, file: &PathBuf| When { kind, start: ".".to_owned(), file: Some(slashed(file)) };
        moments.extend(reads.iter().map(|file| of(Kind::Read, file)));
        moments.extend(handed.iter().map(|file| of(Kind::Attach, file)));
        Touched { moments, changed }
    }
}

/// Returns a path with `/` on every platform; the directory itself is `.`.
fn slashed(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
}
