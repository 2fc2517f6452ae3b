//! Random edits and file events: remembered answers equal fresh ones, and asking with nothing told reaches the answer
//! of a snapshot that knows everything.
//!
//! `OPERATIONS=1000000 SEED=7` runs longer, or again; `tests/run` does 120 000.

pub mod changes;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};

use briefing::answer::{Reached, Resolution, SessionKind, Standpoint, Surroundings, Tool};
use briefing::disk::{self, Buffers, Filesystem, Still};
use briefing::harness::custom::Customs;
use briefing::harness::{self, Choice};
use briefing::index::{AtRest, Index, Keep, Reply};
use briefing::queries::declarations::Declarations;
use briefing::query::{self, Kept, Key, Rests, typed};
use briefing::resolve::{AgentQuestion, Outcome, resolve};
use briefing::search::Secrets;
use briefing::snapshot::{Ask, Change, Content, Entry, Errno, Fact, Facts, FileType, Meta, Unreadable};

use crate::world::World;
use changes::{PLACES, Random, change, text};

fn standpoint(random: &mut Random) -> Standpoint {
    let cwd = *random.pick(&["/r", "/r/a", "/r/a/b", "/r/c", "/h"]);
    let target = random.chance(70).then(|| {
        PathBuf::from(*random.pick(&["/r/a/b/x.rs", "/r/a/x.md", "/r/c/y.rs", "/r/AGENTS.md", "/r/a/../c/z"]))
    });
    Standpoint {
        cwd: PathBuf::from(cwd),
        home: PathBuf::from("/h"),
        env: Arc::new(BTreeMap::new()),
        target,
        target_as_given: None,
        tool: if random.chance(10) { *random.pick(Tool::ALL) } else { Tool::Read },
        read_before: if random.chance(15) {
            ["/r/a/x.md", "/r/c/y.rs"].map(|file| Reached::read(file.into())).into()
        } else {
            Vec::new()
        },
        call: None,
        deleted: Vec::new(),
        already_loaded: if random.chance(10) { vec![PathBuf::from("/r/a/AGENTS.md")] } else { Vec::new() },
        session: *random.pick(SessionKind::ALL),
        prompt_mode: None,
        agent: None,
        previous_agent: None,
        model: None,
        extra_system_prompt: None,
        provided: Vec::new(),
        options: BTreeMap::new(),
        surroundings: Surroundings {
            date: (2026, 11, 21),
            time_zone: "Etc/UTC".into(),
            shell: "bash".into(),
            platform: "linux".into(),
        },
        secrets: Secrets::Hidden,
    }
}

fn asked(choice: &Choice, standpoint: &Arc<Standpoint>) -> AgentQuestion {
    AgentQuestion::new(choice.clone(), standpoint.clone())
}

/// Whatever is asked is looked up at once.
struct AtOnce<'a>(&'a dyn Filesystem);

impl Facts for AtOnce<'_> {
    fn told(&self, ask: &Ask) -> Option<Fact> {
        Some(disk::observe(self.0, ask))
    }
}

/// Asks a random question, declared harnesses included, and compares what is remembered with what is fresh. Whether the
/// answer holds any text.
fn compare(index: &Index, fs: &dyn Filesystem, random: &mut Random, when: &dyn Fn() -> String) -> bool {
    let ask: Answering = &|question| index.answer_any(&|asks| disk::observe_all(fs, asks), question).0;
    compare_with(ask, fs, random, when)
}

type Answering<'a> = &'a dyn Fn(&Key) -> Kept;

fn compare_with(ask: Answering, fs: &dyn Filesystem, random: &mut Random, when: &dyn Fn() -> String) -> bool {
    let same = |choice: &Choice, standpoint: &Arc<Standpoint>| {
        let remembered = typed::<AgentQuestion>(ask(&Key::of(asked(choice, standpoint))));
        let Outcome::Answer(fresh) = resolve(&AtOnce(fs), choice, standpoint) else { panic!("everything was told") };
        assert_same(&remembered, &fresh, || format!("{}: {} {standpoint:?}", when(), choice.id()));
        fresh
    };
    let standpoint = Arc::new(standpoint(random));
    let choice = if random.chance(10) {
        let declarations = Declarations::of(&standpoint.cwd);
        let Outcome::Answer(fresh) = query::run(&AtOnce(fs), &declarations) else { panic!("everything was told") };
        let remembered = typed::<Declarations>(ask(&Key::of(declarations)));
        assert_eq!(remembered.value, fresh.value, "{}", when());
        assert_eq!(remembered.trace(), fresh.trace(), "{}", when());
        let declared = Customs::of(fresh.value.as_ref(), &Default::default());
        let Some(custom) = declared.harnesses.first() else { return false };
        Choice::custom(custom.clone())
    } else {
        let profile = *random.pick(harness::ALL);
        let edition = *random.pick(profile.editions);
        Choice::named(profile, edition)
    };
    !same(&choice, &standpoint).answer.messages.is_empty()
}

fn assert_same(remembered: &Resolution, fresh: &Resolution, when: impl Fn() -> String) {
    let same = remembered.answer.messages == fresh.answer.messages
        && remembered.answer.sources == fresh.answer.sources
        && remembered.answer.refusal == fresh.answer.refusal
        && remembered.answer.warnings == fresh.answer.warnings
        && remembered.fidelity == fresh.fidelity
        && remembered.trace == fresh.trace;
    let differ = || {
        let (one, other) = (&remembered.answer, &fresh.answer);
        let same = (one.messages == other.messages, one.sources == other.sources, one.warnings == other.warnings);
        let mut lines = remembered.trace.iter().zip(fresh.trace.iter());
        let probes = lines.find(|(one, other)| one != other);
        let counts = (remembered.trace.iter().count(), fresh.trace.iter().count());
        format!("messages, sources, warnings: {same:?}; probes {counts:?} {probes:?}")
    };
    assert!(same, "{}: {}\nremembered: {:#?}\nfresh: {:#?}", when(), differ(), remembered.answer, fresh.answer);
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |value| value.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

/// A repository and a home directory.
fn world() -> World {
    let mut world = World::empty();
    for dir in ["/r/a/b", "/r/c", "/h/.openclaw/workspace", "/tmp", "/etc"] {
        world.directory(Path::new(dir));
    }
    world.git(Path::new("/r"));
    world
}

/// Runs the operations in several threads, from one seed each.
fn on_every_core(run: fn(operations: u64, seed: u64)) {
    let (operations, seed) = (number("OPERATIONS", 10_000), number("SEED", 42));
    std::thread::scope(|scope| {
        let share = operations.div_ceil(THREADS);
        let runs: Vec<_> = (seed..seed + THREADS).map(|seed| scope.spawn(move || run(share, seed))).collect();
        for run in runs {
            run.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
}

const THREADS: u64 = 2;

#[test]
fn remembered_answers_equal_fresh_ones_after_any_change() {
    on_every_core(|operations, seed| {
        let mut random = Random::new(seed);
        let mut world = world();
        let index = Index::default();
        let (mut asked, mut answered) = (0, 0);
        for operation in 0..operations {
            if random.chance(60) {
                index.forget(change(&mut world, &mut random));
            } else {
                let when = || format!("operation {operation} of seed {seed}");
                asked += 1;
                answered += u64::from(compare(&index, &world, &mut random, &when));
            }
        }
        assert!(answered * 3 > asked, "only {answered} of {asked} answers held any text: the trees are too empty");
    });
}

#[test]
fn answers_from_a_disk_at_rest_equal_fresh_ones() {
    on_every_core(|operations, seed| {
        let mut random = Random::new(seed);
        let mut world = world();
        for round in 0..operations.div_ceil(100) {
            (0..20).for_each(|_| drop(change(&mut world, &mut random)));
            let (still, at_rest) = (Still::below(Path::new("/r"), world.clone()), AtRest::default());
            for _ in 0..20 {
                let ask: Answering = &|question| at_rest.answer_any(&|asks| disk::facts(&still, asks), question);
                compare_with(ask, &world, &mut random, &|| format!("round {round} of seed {seed}"));
            }
        }
    });
}

/// The world as a disk that others change while buffers lie over it.
struct Disk(Arc<RwLock<World>>);

impl Filesystem for Disk {
    fn stat(&self, path: &Path) -> Result<Meta, Errno> {
        self.0.read().expect("no panic").stat(path)
    }

    fn lstat(&self, path: &Path) -> Result<Meta, Errno> {
        self.0.read().expect("no panic").lstat(path)
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, Errno> {
        self.0.read().expect("no panic").read_link(path)
    }

    fn real_path(&self, path: &Path) -> Result<PathBuf, Errno> {
        self.0.read().expect("no panic").real_path(path)
    }

    fn read(&self, path: &Path) -> Result<Content, Unreadable> {
        self.0.read().expect("no panic").read(path)
    }

    fn list(&self, path: &Path) -> Result<Vec<Entry>, Errno> {
        self.0.read().expect("no panic").list(path)
    }
}

#[test]
fn remembered_answers_equal_fresh_ones_while_buffers_come_and_go() {
    on_every_core(|operations, seed| {
        let mut random = Random::new(seed);
        let world = Arc::new(RwLock::new(world()));
        let buffers = Buffers::over(Disk(world.clone()));
        let index = Index::default();
        let mut open: Vec<PathBuf> = Vec::new();
        for operation in 0..operations {
            match random.below(10) {
                0..=2 => {
                    let changes = change(&mut world.write().expect("no panic"), &mut random);
                    let moved = buffers.refresh(&changes);
                    index.forget(changes.into_iter().chain(moved.into_iter().map(Change::Path)));
                }
                3..=4 => {
                    let new = random.pick(&PLACES).clone();
                    // An editor opens files, and directories only by mistake.
                    if buffers.stat(&new).is_ok_and(|meta| meta.kind != FileType::File) {
                        continue;
                    }
                    let path = if open.is_empty() || random.chance(50) { new } else { random.pick(&open).clone() };
                    let shown = String::from_utf8(text(&path, &mut random)).expect("texts are UTF-8");
                    index.forget(buffers.set(&path, &shown));
                    open.retain(|other| *other != path);
                    open.push(path);
                }
                5 if !open.is_empty() => {
                    let path = open.swap_remove(random.below(open.len()));
                    index.forget(buffers.close(&path).expect("it is open"));
                }
                _ => {
                    let when = || format!("operation {operation} of seed {seed}, open: {open:?}");
                    compare(&index, &buffers, &mut random, &when);
                }
            }
        }
    });
}

#[test]
fn facts_observed_while_something_changed_are_not_taken_in() {
    check_late_facts(|index, _| {
        index.forget([Change::Path(PathBuf::from("/r/AGENTS.md"))]);
    });
}

#[test]
fn facts_observed_before_all_are_looked_at_again_are_not_taken_in() {
    check_late_facts(|index, world| {
        let observed = disk::observe_all(world, index.told());
        index.confirm(observed);
    });
}

/// Asks while the one file of instructions changes behind the back of whoever looks at it; `said` is how the index
/// learns of that.
fn check_late_facts(said: impl Fn(&Index, &World)) {
    let mut world = World::empty();
    world.write(Path::new("/r/AGENTS.md"), b"old\n".to_vec());
    world.directory(Path::new("/h"));
    let index = Index::default();
    let mut random = Random::new(3);
    let standpoint = Arc::new(Standpoint {
        cwd: PathBuf::from("/r"),
        target: None,
        read_before: Vec::new(),
        deleted: Vec::new(),
        already_loaded: Vec::new(),
        ..standpoint(&mut random)
    });
    let choice = harness::choose("codex", &Customs::default()).expect("codex is known");
    // Up to the last round, in which only the content is missing.
    loop {
        let Reply::Missing(asks, tick) = index.ask(&Key::of(asked(&choice, &standpoint)), Keep::Answer) else {
            panic!("the content was never asked for")
        };
        let observed = disk::observe_all(&world, asks.clone());
        let content = asks.iter().any(|ask| matches!(ask, Ask::Content(path) if path.ends_with("r/AGENTS.md")));
        if content {
            world.write(Path::new("/r/AGENTS.md"), b"new\n".to_vec());
            said(&index, &world);
        }
        index.learn(observed, tick);
        if content {
            break;
        }
    }
    let (answer, _) = index.answer(&|asks| disk::observe_all(&world, asks), asked(&choice, &standpoint));
    assert!(answer.answer.messages[0].text.contains("new"), "{:?}", answer.answer.messages);
}

#[test]
fn a_change_forgets_the_answers_it_touches_and_no_others() {
    let mut world = World::empty();
    for dir in ["/r/.git", "/r/a", "/s/.git", "/h"] {
        world.directory(Path::new(dir));
    }
    world.write(Path::new("/r/AGENTS.md"), b"R\n".to_vec());
    world.write(Path::new("/s/AGENTS.md"), b"S\n".to_vec());
    let index = Index::default();
    let choice = harness::choose("codex", &Customs::default()).expect("codex is known");
    let at = |cwd: &str| {
        Arc::new(Standpoint {
            cwd: PathBuf::from(cwd),
            target: None,
            read_before: Vec::new(),
            already_loaded: Vec::new(),
            ..standpoint(&mut Random::new(3))
        })
    };
    for cwd in ["/r/a", "/s"] {
        index.answer(&|asks| disk::observe_all(&world, asks), asked(&choice, &at(cwd)));
    }
    assert_eq!(index.sizes().1, 2);
    assert!(index.forget([Change::Path(PathBuf::from("/r/AGENTS.md"))]));
    assert_eq!(index.sizes().1, 1, "the other repository's answer stays");
    assert!(!index.forget([Change::Path(PathBuf::from("/elsewhere/AGENTS.md"))]));
    assert!(index.forget([Change::Everything]));
    assert_eq!(index.sizes(), (0, 0));
}

#[test]
fn after_more_answers_than_are_remembered_a_change_still_reaches_all_of_them() {
    /// More than the index remembers.
    const ASKED: usize = 4_200;
    let rule = Path::new("/r/.cursor/rules/a.mdc");
    let mut world = World::empty();
    for dir in ["/r/.git", "/h"] {
        world.directory(Path::new(dir));
    }
    world.write(rule, b"---\nalwaysApply: true\n---\nold\n".to_vec());
    let index = Index::default();
    let choice = harness::choose("cursor", &Customs::default()).expect("cursor is known");
    let at = |number: usize| {
        Arc::new(Standpoint {
            cwd: PathBuf::from("/r"),
            target: Some(PathBuf::from(format!("/r/{number}.rs"))),
            read_before: Vec::new(),
            already_loaded: Vec::new(),
            ..standpoint(&mut Random::new(3))
        })
    };
    for number in 0..ASKED {
        index.answer(&|asks| disk::observe_all(&world, asks), asked(&choice, &at(number)));
    }
    let remembered = index.sizes().1;
    assert!((1..ASKED).contains(&remembered), "{remembered} answers are remembered");
    world.write(rule, b"---\nalwaysApply: true\n---\nnew\n".to_vec());
    index.forget([Change::Path(rule.to_owned())]);
    for number in [0, ASKED / 2, ASKED - 1] {
        let (answer, _) = index.answer(&|asks| disk::observe_all(&world, asks), asked(&choice, &at(number)));
        let Outcome::Answer(fresh) = resolve(&AtOnce(&world), &choice, &at(number)) else { panic!("all is told") };
        assert_same(&answer, &fresh, || format!("{number}.rs"));
        assert!(answer.answer.messages.iter().any(|message| message.text.contains("new")), "{:?}", answer.answer);
    }
}
