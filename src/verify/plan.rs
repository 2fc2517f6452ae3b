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
use crate::answer::{Resolution, Standpoint, Surroundings};
use crate::disk::Filesystem;
use crate::harness::custom::Customs;
use crate::harness::{self, Choice};
use crate::snapshot::{Ask, Facts, FileType};

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
        let node = client.path.iter().map(|dir| dir.join("node")).find(|node| fs.stat(node).is_ok());
        let node = node.and_then(|node| fs.real_path(&node).ok());
        let own = &answer.standpoint;
        let hidden = |path: &PathBuf| {
            let is_of_the_system = PROGRAMS.iter().any(|name| path.starts_with(Path::new("/").join(name)));
            covers.iter().any(|cover| path.starts_with(cover)) || !is_of_the_system
        };
        let kept = [Some(needed_by(&real, own)), node.as_deref().map(|node| needed_by(node, own))];
        let kept: BTreeSet<PathBuf> = kept.into_iter().flatten().filter(hidden).collect();
        Plan {
            harness: answer.harness.clone(),
            spec: format!("{}@{version}", answer.harness),
            version,
            path: path(scratch, &[Some(&real), node.as_ref()], client, *fs),
            program: real,
            cwd: at.cwd.clone(),
            file: at.target.clone(),
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
            env: self.env.iter().map(|(name, text)| (name.clone(), value(text))).collect(),
            ..self.clone()
        }
    }

    /// Returns the rules and the standpoint of the question.
    pub fn question(&self) -> Result<(Choice, Standpoint), String> {
        let choice = harness::choose(&self.spec, &Customs::default())?;
        let mut standpoint = Standpoint::plain(&self.cwd, &self.home, Arc::new(self.env.clone()));
        standpoint.target.clone_from(&self.file);
        standpoint.surroundings = Surroundings {
            date: self.date,
            time_zone: self.time_zone.clone(),
            shell: "bash".to_owned(),
            platform: std::env::consts::OS.to_owned(),
        };
        Ok((choice, standpoint))
    }

    /// Returns true if the user has set a variable.
    pub fn is_set(&self, name: &str) -> bool {
        self.env.contains_key(name)
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

/// Returns the directory that a program needs to run: its outermost `node_modules`, or its own directory.
fn needed_by(program: &Path, at: &Standpoint) -> PathBuf {
    let packages = program.ancestors().filter(|dir| dir.ends_with("node_modules")).last();
    let dir = packages.or_else(|| program.parent()).unwrap_or(program);
    // A program that lies among the user's own files comes alone.
    if at.home.starts_with(dir) || at.cwd.starts_with(dir) { program.to_owned() } else { dir.to_owned() }
}

/// Returns the client's `PATH`: the openers, its own directory and that of Node.js, git's, and the system's.
fn path(scratch: &Path, programs: &[Option<&PathBuf>], client: &Installed, fs: &dyn Filesystem) -> Vec<PathBuf> {
    let git = client.path.iter().find(|dir| fs.stat(&dir.join("git")).is_ok_and(|meta| meta.kind == FileType::File));
    let system = ["/usr/local/bin", "/usr/bin", "/bin"].map(PathBuf::from);
    let own = programs.iter().rev().flatten().filter_map(|program| program.parent()).map(Path::to_owned);
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
