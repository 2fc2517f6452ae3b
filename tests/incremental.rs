//! Random edits and file events: remembered answers equal fresh ones, and asking with nothing told reaches the answer
//! of a snapshot that knows everything.
//!
//! `OPERATIONS=1000000 SEED=7` runs longer, or again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};

use briefing::answer::{Resolution, SessionKind, Standpoint, Surroundings};
use briefing::disk::{Buffers, Filesystem};
use briefing::harness::custom::Customs;
use briefing::harness::{self, Choice};
use briefing::index::{self, Index, Reply};
use briefing::resolve::{Outcome, resolve};
use briefing::snapshot::{Ask, Change, Entry, Errno, Fact, Facts, Kind, Meta, Unreadable};

use crate::world::World;

/// A small, repeatable generator (xorshift); tests need no better one.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

const DIRS: [&str; 11] = [
    "/r",
    "/r/a",
    "/r/a/b",
    "/r/c",
    "/r/.git",
    "/r/.opencode",
    "/r/.codex",
    "/h",
    "/h/.codex",
    "/h/.config/opencode",
    "/h/.openclaw/workspace",
];

const NAMES: [&str; 16] = [
    "AGENTS.md",
    "AGENTS.override.md",
    "CLAUDE.md",
    "CONTEXT.md",
    "SOUL.md",
    "USER.md",
    "MEMORY.md",
    "BOOTSTRAP.md",
    "IDENTITY.md",
    "config.toml",
    "opencode.json",
    ".git",
    "HEAD",
    "README.md",
    "x.md",
    "TOOLS.md",
];

const TEXTS: [&str; 12] = [
    "",
    " \n",
    "Rules.\n",
    "- never push\n",
    "é😀\n",
    "project_doc_max_bytes = 9\n",
    "project_doc_fallback_filenames = [\"README.md\"]\n",
    "{\"instructions\": [\"*.md\", \"a/**/*.md\"]}",
    "{\"instructions\": [\"../x.md\"]}",
    "[projects.\"/r\"]\ntrust_level = \"untrusted\"\n",
    "[projects.\"/r\"]\ntrust_level = \"trusted\"\n",
    "ref: refs/heads/main\n",
];

/// Changes something in the world and says where an event would be seen.
fn change(world: &mut World, random: &mut Random) -> Vec<Change> {
    let path = Path::new(random.pick(&DIRS)).join(random.pick(&NAMES));
    // An event comes from where the thing really is, never from a link that leads there.
    let Ok(dir) = world.real_path(path.parent().expect("a directory")) else {
        let parent = path.parent().expect("a directory").to_owned();
        let first_made = parent.ancestors().take_while(|dir| world.lstat(dir).is_err()).last().map(Path::to_owned);
        if let Some(first_made) = first_made.filter(|_| world.make_directory(&parent)) {
            return vec![Change::Path(first_made)];
        }
        return Vec::new();
    };
    if world.list(&dir).is_err() {
        return Vec::new();
    }
    let path = dir.join(path.file_name().expect("a name"));
    match random.below(10) {
        0 | 1 if world.lstat(&path).is_ok() => world.remove(&path),
        2 if dir != Path::new("/r") && dir != Path::new("/h") => {
            world.remove(&dir);
            return vec![Change::Path(dir)];
        }
        3 => world.link(
            &path,
            Path::new(random.pick(&["README.md", "../x.md", "/r/a", "nowhere", "AGENTS.md", "/h/.codex"])),
        ),
        4 => {
            if world.lstat(&path).is_ok() {
                world.remove(&path);
            }
            world.make_directory(&path);
        }
        _ => world.write(&path, random.pick(&TEXTS).repeat(if random.chance(5) { 6000 } else { 1 }).into_bytes()),
    }
    vec![Change::Path(path)]
}

fn standpoint(random: &mut Random) -> Standpoint {
    let cwd = *random.pick(&["/r", "/r/a", "/r/a/b", "/r/c", "/h"]);
    let target = random
        .chance(70)
        .then(|| PathBuf::from(*random.pick(&["/r/a/b/x.rs", "/r/a/x.md", "/r/c/y.rs", "/r/AGENTS.md"])));
    Standpoint {
        cwd: PathBuf::from(cwd),
        home: PathBuf::from("/h"),
        env: Arc::new(BTreeMap::new()),
        target,
        target_as_given: None,
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
    }
}

fn fresh(world: &World, choice: &Choice, standpoint: &Standpoint) -> Resolution {
    match resolve(world, choice, standpoint) {
        Outcome::Answer(resolution) => *resolution,
        Outcome::Untold(asks) => panic!("everything was told, and yet {asks:?}"),
    }
}

fn assert_same(remembered: &Resolution, fresh: &Resolution, when: impl Fn() -> String) {
    let same = remembered.answer.messages == fresh.answer.messages
        && remembered.answer.sources == fresh.answer.sources
        && remembered.answer.refusal == fresh.answer.refusal
        && remembered.answer.warnings == fresh.answer.warnings
        && remembered.fidelity == fresh.fidelity
        && remembered.trace == fresh.trace;
    assert!(same, "{}\nremembered: {:#?}\nfresh: {:#?}", when(), remembered.answer, fresh.answer);
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |value| value.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

#[test]
fn remembered_answers_equal_fresh_ones_after_any_change() {
    let (operations, seed) = (number("OPERATIONS", 20_000), number("SEED", 42));
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut world = World::empty();
    for dir in ["/r/a/b", "/r/c", "/h", "/tmp", "/etc"] {
        world.directory(Path::new(dir));
    }
    let index = Index::default();
    let mut answered = 0;
    for operation in 0..operations {
        if random.chance(60) {
            let changes = change(&mut world, &mut random);
            index.forget(changes);
        } else {
            let choice = harness::newest(harness::ALL[random.below(harness::ALL.len())]);
            let standpoint = Arc::new(standpoint(&mut random));
            let (remembered, _) = index.answer(&world, &choice, &standpoint);
            let fresh = fresh(&world, &choice, &standpoint);
            answered += usize::from(!fresh.answer.messages.is_empty());
            assert_same(&remembered, &fresh, || {
                format!("operation {operation} of seed {seed}: {} {standpoint:?}", choice.id())
            });
        }
    }
    assert!(
        answered as u64 * 10 > operations,
        "only {answered} answers held any text: the trees are too empty to test much"
    );
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

    fn read(&self, path: &Path) -> Result<Arc<[u8]>, Unreadable> {
        self.0.read().expect("no panic").read(path)
    }

    fn list(&self, path: &Path) -> Result<Vec<Entry>, Errno> {
        self.0.read().expect("no panic").list(path)
    }
}

/// Whatever is asked is looked up at once.
struct AtOnce<'a>(&'a dyn Filesystem);

impl Facts for AtOnce<'_> {
    fn told(&self, ask: &Ask) -> Option<Fact> {
        Some(briefing::disk::observe(self.0, ask))
    }
}

#[test]
fn remembered_answers_equal_fresh_ones_while_buffers_come_and_go() {
    let (operations, seed) = (number("OPERATIONS", 20_000), number("SEED", 42));
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut world = World::empty();
    for dir in ["/r/a/b", "/r/c", "/h", "/tmp", "/etc"] {
        world.directory(Path::new(dir));
    }
    let world = Arc::new(RwLock::new(world));
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
                let new = Path::new(random.pick(&DIRS)).join(random.pick(&NAMES));
                // An editor opens files, and directories only by mistake.
                if buffers.stat(&new).is_ok_and(|meta| meta.kind != Kind::File) {
                    continue;
                }
                let path = if open.is_empty() || random.chance(50) { new } else { random.pick(&open).clone() };
                let text = random.pick(&TEXTS).repeat(if random.chance(5) { 6000 } else { 1 });
                index.forget(buffers.set(&path, &text).map(Change::Path));
                open.retain(|other| *other != path);
                open.push(path);
            }
            5 if !open.is_empty() => {
                let path = open.swap_remove(random.below(open.len()));
                index.forget(buffers.close(&path).expect("it is open").map(Change::Path));
            }
            _ => {
                let choice = harness::newest(harness::ALL[random.below(harness::ALL.len())]);
                let standpoint = Arc::new(standpoint(&mut random));
                let (remembered, _) = index.answer(&buffers, &choice, &standpoint);
                let Outcome::Answer(fresh) = resolve(&AtOnce(&buffers), &choice, &standpoint) else {
                    panic!("everything was told")
                };
                assert_same(&remembered, &fresh, || {
                    format!("operation {operation} of seed {seed}: {} {standpoint:?}, open: {open:?}", choice.id())
                });
            }
        }
    }
}

#[test]
fn facts_observed_while_something_changed_are_not_taken_in() {
    let mut world = World::empty();
    world.write(Path::new("/r/AGENTS.md"), b"old\n".to_vec());
    world.directory(Path::new("/h"));
    let index = Index::default();
    let mut random = Random(3);
    let standpoint = Arc::new(Standpoint {
        cwd: PathBuf::from("/r"),
        target: None,
        already_loaded: Vec::new(),
        ..standpoint(&mut random)
    });
    let choice = harness::choose("codex", &Customs::default()).expect("codex is known");
    // Up to the last round, in which only the content is missing.
    loop {
        let Reply::Missing(asks, tick) = index.ask(&choice, &standpoint) else {
            panic!("the content was never asked for")
        };
        let observed = index::observe(&world, asks.clone());
        let content = asks.iter().any(|ask| matches!(ask, Ask::Content(path) if path.ends_with("r/AGENTS.md")));
        if content {
            world.write(Path::new("/r/AGENTS.md"), b"new\n".to_vec());
            index.forget([Change::Path(PathBuf::from("/r/AGENTS.md"))]);
        }
        index.learn(observed, tick);
        if content {
            break;
        }
    }
    let (answer, _) = index.answer(&world, &choice, &standpoint);
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
            already_loaded: Vec::new(),
            ..standpoint(&mut Random(3))
        })
    };
    for cwd in ["/r/a", "/s"] {
        index.answer(&world, &choice, &at(cwd));
    }
    assert_eq!(index.sizes().1, 2);
    assert!(index.forget([Change::Path(PathBuf::from("/r/AGENTS.md"))]));
    assert_eq!(index.sizes().1, 1, "the other repository's answer stays");
    assert!(!index.forget([Change::Path(PathBuf::from("/elsewhere/AGENTS.md"))]));
    assert!(index.forget([Change::Everything]));
    assert_eq!(index.sizes(), (0, 0));
}
