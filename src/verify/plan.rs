//! Plan of one question: everything that the process that starts the client has to know.
#![expect(clippy::disallowed_methods, reason = "the room lays out a tree of its own")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::client::{Client, PROXIES};
use super::copy::Copy;
use super::suite::World;
use crate::answer::{OptionValue, Reached, Resolution, Standpoint, Surroundings};
use crate::disk::Filesystem;
use crate::harness::custom::Customs;
use crate::harness::{self, Choice};
use crate::snapshot::{Ask, Facts, FileType, absolute};

/// Top-level directories in which systems keep their programs and what these need.
pub const PROGRAMS: [&str; 12] =
    ["bin", "etc", "gnu", "lib", "lib32", "lib64", "libx32", "nix", "opt", "sbin", "snap", "usr"];

/// Directories of the system: what is a user's lies deeper in them.
const SYSTEM: [&str; 19] = [
    "bin",
    "sbin",
    "lib",
    "lib32",
    "lib64",
    "usr",
    "etc",
    "opt",
    "nix",
    "var",
    "proc",
    "dev",
    "sys",
    "boot",
    "snap",
    "srv",
    "Library",
    "System",
    "Applications",
];
/// Parts of the names of variables that are never passed to a client.
const SECRET: [&str; 5] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "AUTH"];
/// Programs with which a client may try to open a web page.
const OPENERS: [&str; 5] = ["xdg-open", "open", "x-www-browser", "sensible-browser", "wslview"];

/// Programs that run clients which are scripts.
const INTERPRETERS: [&str; 2] = ["node", "bun"];

/// Maximum number of links from an environment of Python to its interpreter.
const PYTHON_LINKS: usize = 8;

/// One question to one client.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// The harness.
    pub harness: String,
    /// The harness with the version whose rules are compared, as `HARNESS@VERSION`.
    pub spec: String,
    /// The version that runs, as far as it is known.
    pub version: String,
    /// The program.
    pub program: PathBuf,
    /// Working directory of the client.
    pub cwd: PathBuf,
    /// The file that it is to read.
    pub file: Option<PathBuf>,
    /// The files that it reads before that one.
    #[serde(default)]
    pub after: Vec<PathBuf>,
    /// Options of the client's command line.
    #[serde(default)]
    pub options: BTreeMap<String, OptionValue>,
    home: PathBuf,
    /// The user's variables that the answer rests on.
    env: BTreeMap<String, String>,
    path: Vec<PathBuf>,
    time_zone: String,
    date: (i16, u8, u8),
    /// Our own directory: the copy is in it, and what the client prints.
    pub scratch: PathBuf,
    /// The directories that the copy takes the place of.
    pub covers: Vec<PathBuf>,
    /// The programs below these, and elsewhere outside of the system's directories, which stay where they are.
    pub kept: Vec<PathBuf>,
    /// Maximum run time of the client.
    pub limit: Duration,
}

/// A client on this machine.
pub struct Installed {
    /// The program.
    pub program: PathBuf,
    /// Its version; empty where it is not known.
    pub version: String,
    /// Directories in which a shell looks for programs.
    pub path: Vec<PathBuf>,
}

/// Parameters for asking a client.
pub struct Way<'a> {
    /// The client to ask.
    pub client: &'a Installed,
    /// A directory of our own.
    pub scratch: &'a Path,
    /// Maximum run time of the client.
    pub limit: Duration,
    /// The disk.
    pub fs: &'a dyn Filesystem,
}

impl Plan {
    /// Plans the question that `answer` answers.
    pub fn of(answer: &Resolution, way: &Way) -> Plan {
        let env = handed_on(answer);
        let covers = covers(&answer.standpoint, &env);
        Plan::about(answer, &answer.standpoint, env, covers, way)
    }

    /// Plans a question of a case instead. The user's own files are covered as well.
    pub fn of_case(answer: &Resolution, world: &World, (cwd, file): &(PathBuf, Option<PathBuf>), way: &Way) -> Plan {
        let env = Arc::new(world.env.clone());
        let at = Standpoint {
            target: file.clone(),
            surroundings: answer.standpoint.surroundings.clone(),
            ..Standpoint::plain(cwd, &world.home, env)
        };
        let places = world.places().map(top).chain(covers(&answer.standpoint, &BTreeMap::new()));
        let covers = outermost(places.chain(covers(&at, &world.env)).collect());
        Plan::about(answer, &at, world.env.clone(), covers, way)
    }

    fn about(
        answer: &Resolution,
        at: &Standpoint,
        env: BTreeMap<String, String>,
        covers: Vec<PathBuf>,
        way: &Way,
    ) -> Plan {
        let Way { client, scratch, limit, fs } = way;
        let version = if client.version.is_empty() { answer.edition.clone() } else { client.version.clone() };
        let real = fs.real_path(&client.program).unwrap_or_else(|_| client.program.clone());
        let found = |name: &str| {
            let program = client.path.iter().map(|dir| dir.join(name)).find(|program| fs.stat(program).is_ok())?;
            fs.real_path(&program).ok()
        };
        let interpreters: Vec<PathBuf> = INTERPRETERS.into_iter().filter_map(found).collect();
        let own = &answer.standpoint;
        let hidden = |path: &PathBuf| {
            let is_of_the_system = PROGRAMS.iter().any(|name| path.starts_with(Path::new("/").join(name)));
            covers.iter().any(|cover| path.starts_with(cover)) || !is_of_the_system
        };
        let programs = || interpreters.iter().chain([&real]);
        let kept: BTreeSet<PathBuf> =
            programs().flat_map(|program| needed_by(program, own, *fs)).filter(hidden).collect();
        Plan {
            harness: answer.harness.clone(),
            spec: format!("{}@{version}", answer.harness),
            version,
            path: path(scratch, programs(), client, *fs),
            program: real,
            cwd: at.cwd.clone(),
            file: at.target.clone(),
            after: at.read_before.iter().map(|read| read.file.clone()).collect(),
            options: at.options.get(&answer.harness).cloned().unwrap_or_default(),
            home: at.home.clone(),
            env,
            time_zone: at.surroundings.time_zone.clone(),
            date: at.surroundings.date,
            scratch: scratch.to_path_buf(),
            covers,
            kept: kept.into_iter().collect(),
            limit: *limit,
        }
    }

    /// Returns the directory of the copy.
    pub fn tree(&self) -> PathBuf {
        self.scratch.join("tree")
    }

    /// Creates the copy of the files that the answer rests on; returns the number of texts in it.
    pub fn lay_out(
        &self,
        answer: &Resolution,
        client: &Client,
        moved: bool,
        (fs, facts): (&dyn Filesystem, &dyn Facts),
    ) -> io::Result<usize> {
        let tree = self.tree();
        let _ = fs::remove_dir_all(&tree);
        let mut copy = Copy::new(fs, &tree, &self.covers, moved, client.harmless);
        for dir in [&self.home, &self.cwd] {
            copy.entry(dir)?;
        }
        for ask in answer.depends() {
            copy.asked(ask, facts.told(ask).as_ref())?;
        }
        if let Some(file) = &self.file {
            copy.asked(&Ask::Content(file.clone()), None)?;
        }
        let looked_at: BTreeSet<&Path> = answer.depends().filter_map(|ask| ask.path().parent()).collect();
        for dir in
            looked_at.into_iter().filter(|dir| !self.covers.iter().any(|cover| cover == dir) && *dir != self.home)
        {
            copy.beside(dir)?;
        }
        fs::create_dir_all(copy.place(&self.home))?;
        fs::create_dir_all(copy.place(&self.cwd))?;
        openers(&self.scratch)?;
        Ok(copy.texts)
    }

    /// Creates the files of a case instead of a copy.
    pub fn lay_out_case(&self, world: &World, moved: bool) -> io::Result<()> {
        let _ = fs::remove_dir_all(self.tree());
        world.lay_out(&self.tree(), moved)?;
        openers(&self.scratch)
    }

    /// Returns the plan with its covered paths moved into the copy.
    pub fn moved(&self) -> Plan {
        let to = |path: &Path| {
            let is_covered = self.covers.iter().any(|cover| path.starts_with(cover));
            if is_covered { self.tree().join(path.strip_prefix("/").unwrap_or(path)) } else { path.to_owned() }
        };
        let value = |value: &String| {
            if value.starts_with('/') { to(Path::new(value)).display().to_string() } else { value.clone() }
        };
        Plan {
            cwd: to(&self.cwd),
            home: to(&self.home),
            file: self.file.as_deref().map(to),
            after: self.after.iter().map(|file| to(file)).collect(),
            env: self.env.iter().map(|(name, text)| (name.clone(), value(text))).collect(),
            ..self.clone()
        }
    }

    /// Returns the rules and the standpoint of the question.
    pub fn question(&self) -> Result<(Choice, Standpoint), String> {
        let choice = harness::choose(&self.spec, &Customs::default())?;
        let mut standpoint = Standpoint::plain(&self.cwd, &self.home, Arc::new(self.env.clone()));
        standpoint.target.clone_from(&self.file);
        standpoint.read_before = self.after.iter().cloned().map(Reached::read).collect();
        standpoint.options.insert(self.harness.clone(), self.options.clone());
        standpoint.surroundings = Surroundings {
            date: self.date,
            time_zone: self.time_zone.clone(),
            shell: "bash".to_owned(),
            platform: std::env::consts::OS.to_owned(),
        };
        Ok((choice, standpoint))
    }

    /// Returns the home directory.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Returns the user's variables that the answer rests on.
    pub fn variables(&self) -> &BTreeMap<String, String> {
        &self.env
    }

    /// Returns the environment of every client: the user's relevant variables, and proxies that lead nowhere.
    pub fn environment(&self) -> BTreeMap<String, String> {
        let nowhere = "http://127.0.0.1:9".to_owned();
        let temporary = self.scratch.join("tmp");
        let _ = fs::create_dir_all(&temporary);
        let path: Vec<String> = self.path.iter().map(|dir| dir.display().to_string()).collect();
        let mut env: BTreeMap<String, String> = [
            ("PATH", path.join(":")),
            ("HOME", self.home.display().to_string()),
            ("USER", "user".to_owned()),
            ("SHELL", "/bin/sh".to_owned()),
            ("PWD", self.cwd.display().to_string()),
            ("LANG", "C.UTF-8".to_owned()),
            ("TERM", "dumb".to_owned()),
            ("TZ", self.time_zone.clone()),
            ("TMPDIR", temporary.display().to_string()),
            ("CI", "1".to_owned()),
            ("NO_COLOR", "1".to_owned()),
            ("BROWSER", "false".to_owned()),
            ("NO_PROXY", "127.0.0.1,localhost".to_owned()),
            ("no_proxy", "127.0.0.1,localhost".to_owned()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        for name in PROXIES {
            env.insert(name.to_owned(), nowhere.clone());
        }
        env.extend(self.env.clone());
        env
    }
}

/// Returns the variables that an answer used, with their values and without secrets.
fn handed_on(answer: &Resolution) -> BTreeMap<String, String> {
    let own = ["HOME", "PATH", "PWD"];
    let is_secret = |name: &str| SECRET.iter().any(|word| name.to_uppercase().contains(word));
    let used = answer.env_used.keys().filter(|name| !own.contains(&name.as_str()) && !is_secret(name));
    used.filter_map(|name| Some((name.clone(), answer.standpoint.env.get(name)?.clone()))).collect()
}

/// Returns the directories that a copy replaces: the topmost ones that hold only files of the user.
fn covers(at: &Standpoint, env: &BTreeMap<String, String>) -> Vec<PathBuf> {
    let named = env.values().map(PathBuf::from).filter(|path| path.is_absolute() && path.components().count() > 1);
    let file = at.target.as_deref().and_then(Path::parent).map(Path::to_owned);
    let places = [at.home.clone(), at.cwd.clone()].into_iter().chain(file).chain(named);
    outermost(places.map(|place| top(&place)).collect())
}

/// Keeps the directories that lie in no other.
fn outermost(mut places: Vec<PathBuf>) -> Vec<PathBuf> {
    places.retain(|place| place.parent().is_some());
    places.sort();
    places.dedup();
    let inner = |path: &PathBuf| places.iter().any(|place| place != path && path.starts_with(place));
    places.iter().filter(|place| !inner(place)).cloned().collect()
}

/// Returns the topmost ancestor of a path that holds only files of the user.
fn top(path: &Path) -> PathBuf {
    let mut parts = path.components().filter(|part| matches!(part, Component::Normal(_)));
    let Some(first) = parts.next() else { return PathBuf::from("/") };
    if SYSTEM.iter().any(|name| first.as_os_str() == *name) { path.to_owned() } else { Path::new("/").join(first) }
}

/// Returns the directories that a program needs to run: its outermost `node_modules`, its environment of Python and the
/// Python of that, or its own directory.
fn needed_by(program: &Path, at: &Standpoint, fs: &dyn Filesystem) -> Vec<PathBuf> {
    let is_users = |dir: &Path| at.home.starts_with(dir) || at.cwd.starts_with(dir);
    let environment = program.ancestors().skip(1).find(|dir| fs.stat(&dir.join("pyvenv.cfg")).is_ok());
    if let Some(dir) = environment.filter(|dir| !is_users(dir)) {
        // Each link on the way to the interpreter is needed.
        let mut needed = vec![dir.to_owned()];
        let mut python = dir.join("bin/python");
        for _ in 0..PYTHON_LINKS {
            let Ok(target) = fs.read_link(&python) else { break };
            python = absolute(python.parent().unwrap_or(dir), &target);
            let real = fs.real_path(&python).ok();
            let places = [Some(&python), real.as_ref()].into_iter().flatten();
            let places = places.filter_map(|python| python.parent()?.parent().map(Path::to_owned));
            needed.extend(places.filter(|place| !is_users(place)));
        }
        return needed;
    }
    let packages = program.ancestors().filter(|dir| dir.ends_with("node_modules")).last();
    let dir = packages.or_else(|| program.parent()).unwrap_or(program);
    // A program that lies among the user's own files comes alone.
    vec![if is_users(dir) { program.to_owned() } else { dir.to_owned() }]
}

/// Returns the client's `PATH`: the openers, the directories of the interpreters and its own, git's, and the system's.
fn path<'a>(
    scratch: &Path,
    programs: impl Iterator<Item = &'a PathBuf>,
    client: &Installed,
    fs: &dyn Filesystem,
) -> Vec<PathBuf> {
    let git = client.path.iter().find(|dir| fs.stat(&dir.join("git")).is_ok_and(|meta| meta.kind == FileType::File));
    let system = ["/usr/local/bin", "/usr/bin", "/bin"].map(PathBuf::from);
    let own = programs.filter_map(|program| program.parent()).map(Path::to_owned);
    let all = [scratch.join("bin")].into_iter().chain(own).chain(git.cloned()).chain(system);
    let mut seen = BTreeSet::new();
    all.filter(|dir| seen.insert(dir.clone())).collect()
}

/// Writes programs that do nothing under the names of those that open a web page.
fn openers(scratch: &Path) -> io::Result<()> {
    let dir = scratch.join("bin");
    fs::create_dir_all(&dir)?;
    for name in OPENERS {
        let place = dir.join(name);
        fs::write(&place, "#!/bin/sh\nexit 1\n")?;
        #[cfg(unix)]
        fs::set_permissions(&place, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    }
    Ok(())
}
