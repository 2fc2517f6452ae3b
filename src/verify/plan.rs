//! What is to be asked, and where: all that the process has to know that starts the client.
#![expect(clippy::disallowed_methods, reason = "the room lays out a tree of its own")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::client::Client;
use super::copy::Copy;
use super::suite::World;
use crate::answer::{Resolution, Standpoint, Surroundings};
use crate::disk::Filesystem;
use crate::harness::custom::Customs;
use crate::harness::{self, Choice};
use crate::snapshot::{Ask, Facts, FileType};

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
/// Variables that are never handed on.
const SECRET: [&str; 5] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "AUTH"];
/// What a client may try to show a page with.
const OPENERS: [&str; 5] = ["xdg-open", "open", "x-www-browser", "sensible-browser", "wslview"];
/// The variables that name a proxy.
pub const PROXIES: [&str; 6] = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];

/// One question to one client.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// The harness.
    pub harness: String,
    /// The same with the version whose rules are compared.
    pub spec: String,
    /// The version that runs, as far as it is known.
    pub version: String,
    /// The program.
    pub program: PathBuf,
    /// Where it is started.
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
    /// The programs below these, which stay where they are.
    pub kept: Vec<PathBuf>,
    /// How long it may take.
    pub limit: Duration,
}

/// A client on this machine.
pub struct Installed {
    /// The program.
    pub program: PathBuf,
    /// Its version; empty where it is not known.
    pub version: String,
    /// Where a shell looks for programs.
    pub path: Vec<PathBuf>,
}

/// How a client is asked.
pub struct Way<'a> {
    /// Which.
    pub client: &'a Installed,
    /// A directory of our own.
    pub scratch: &'a Path,
    /// How long it may take.
    pub limit: Duration,
    /// The disk.
    pub fs: &'a dyn Filesystem,
}

impl Plan {
    /// The client is asked what the answer is about.
    pub fn of(answer: &Resolution, way: &Way) -> Plan {
        let env = handed_on(answer);
        let covers = covers(&answer.standpoint, &env);
        Plan::about(answer, &answer.standpoint, env, covers, way)
    }

    /// The client is asked about a case, and not what the answer is about. The user's own files are covered all the same.
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
        let hidden = |path: &PathBuf| covers.iter().any(|cover| path.starts_with(cover)) || path.starts_with("/tmp");
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

    /// Where the copy is.
    pub fn tree(&self) -> PathBuf {
        self.scratch.join("tree")
    }

    /// Lays out the copy of what the answer rests on, and says how many texts are in it.
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

    /// Lays out a case in the place of a copy.
    pub fn lay_out_case(&self, world: &World, moved: bool) -> io::Result<()> {
        let _ = fs::remove_dir_all(self.tree());
        world.lay_out(&self.tree(), moved)?;
        openers(&self.scratch)
    }

    /// The same question about the copy, where it lies.
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

    /// The rules, and the standpoint.
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

    /// Whether the user has set a variable.
    pub fn is_set(&self, name: &str) -> bool {
        self.env.contains_key(name)
    }

    /// What every client finds in its environment: the user's variables that count, and nothing that leads anywhere.
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

/// The variables that an answer used, with their values; none of a secret.
fn handed_on(answer: &Resolution) -> BTreeMap<String, String> {
    let own = ["HOME", "PATH", "PWD"];
    let is_secret = |name: &str| SECRET.iter().any(|word| name.to_uppercase().contains(word));
    let used = answer.env_used.keys().filter(|name| !own.contains(&name.as_str()) && !is_secret(name));
    used.filter_map(|name| Some((name.clone(), answer.standpoint.env.get(name)?.clone()))).collect()
}

/// The directories that a copy takes the place of: those of the user, as high up as they are only the user's.
fn covers(at: &Standpoint, env: &BTreeMap<String, String>) -> Vec<PathBuf> {
    let named = env.values().map(PathBuf::from).filter(|path| path.is_absolute() && path.components().count() > 1);
    let file = at.target.as_deref().and_then(Path::parent).map(Path::to_owned);
    let places = [at.home.clone(), at.cwd.clone()].into_iter().chain(file).chain(named);
    outermost(places.map(|place| top(&place)).collect())
}

/// Those that lie in no other.
fn outermost(mut places: Vec<PathBuf>) -> Vec<PathBuf> {
    places.retain(|place| place.parent().is_some());
    places.sort();
    places.dedup();
    let inner = |path: &PathBuf| places.iter().any(|place| place != path && path.starts_with(place));
    places.iter().filter(|place| !inner(place)).cloned().collect()
}

/// The topmost directory on the way to a path that is only the user's.
fn top(path: &Path) -> PathBuf {
    let mut parts = path.components().filter(|part| matches!(part, Component::Normal(_)));
    let Some(first) = parts.next() else { return PathBuf::from("/") };
    if SYSTEM.iter().any(|name| first.as_os_str() == *name) { path.to_owned() } else { Path::new("/").join(first) }
}

/// What a program needs to run: the folder of packages that it lies in, or its own directory.
fn needed_by(program: &Path, at: &Standpoint) -> PathBuf {
    let packages = program.ancestors().filter(|dir| dir.ends_with("node_modules")).last();
    let dir = packages.or_else(|| program.parent()).unwrap_or(program);
    // A program that lies among the user's own files comes alone.
    if at.home.starts_with(dir) || at.cwd.starts_with(dir) { program.to_owned() } else { dir.to_owned() }
}

/// Where the client finds other programs: what it came with, git, and the system's.
fn path(scratch: &Path, programs: &[Option<&PathBuf>], client: &Installed, fs: &dyn Filesystem) -> Vec<PathBuf> {
    let git = client.path.iter().find(|dir| fs.stat(&dir.join("git")).is_ok_and(|meta| meta.kind == FileType::File));
    let system = ["/usr/local/bin", "/usr/bin", "/bin"].map(PathBuf::from);
    let own = programs.iter().rev().flatten().filter_map(|program| program.parent()).map(Path::to_owned);
    let all = [scratch.join("bin")].into_iter().chain(own).chain(git.cloned()).chain(system);
    let mut seen = BTreeSet::new();
    all.filter(|dir| seen.insert(dir.clone())).collect()
}

/// Puts programs that do nothing in the place of those that open a page.
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
