//! Finds the installed version of an agent, on PATH or in its package's directory, without running anything.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::answer::{Replayed, Standing, Warning};
use crate::formats::parse_json;
use crate::harness::choice::AUTO;
use crate::harness::{Choice, Profile, Program, choose, custom::Customs, newest, profile};
use crate::query::{Query, physical};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, Environment, absolute};

/// Directories of globally installed packages, relative to the home directory.
const GLOBAL_FOLDERS: [&str; 4] = [
    ".npm-global/lib/node_modules",
    ".bun/install/global/node_modules",
    ".local/share/pnpm/global/5/node_modules",
    ".claude/local/node_modules",
];

/// Directories of packages relative to the directory of a command: npm (with its own prefix, in a project, on Windows)
/// and pnpm.
const FOLDERS_OF_COMMANDS: [&str; 4] = ["../lib/node_modules", "..", "node_modules", "global/5/node_modules"];

/// Directories of packages that are installed for all users.
const MACHINE_FOLDERS: [&str; 3] =
    ["/usr/local/lib/node_modules", "/opt/homebrew/lib/node_modules", "/usr/lib/node_modules"];

/// Installation of an agent on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Installed {
    /// The version, and the file that states it.
    Version(String, PathBuf),
    /// The agent is installed, but no file states its version.
    Unversioned(PathBuf),
    /// The agent was not found.
    #[default]
    Nowhere,
}

/// Installed versions that were found before a question, and when to use them.
#[derive(Clone, Debug, Default)]
pub struct Installations {
    /// True if agents requested without a version use the installed one.
    pub auto: bool,
    /// True if the user did not ask for installed versions: then an agent that is not installed silently uses the
    /// newest rules.
    pub unasked: bool,
    /// Results by agent id.
    pub found: BTreeMap<String, Installed>,
    /// Versions for which `briefing verify` found no difference on this machine, by agent id, each with the day.
    pub verified: BTreeMap<String, (String, String)>,
}

impl Installations {
    /// Returns the agent whose installed version `spec` asks for, if it does.
    pub fn wanted(&self, spec: &str, customs: &Customs) -> Option<&'static Profile> {
        let (id, version) = spec.split_once('@').map_or((spec, None), |(id, version)| (id, Some(version)));
        let asks = version.map_or(self.auto && is_program(id), |version| version == AUTO);
        profile(id).filter(|_| asks && customs.harness(id).is_none() && customs.problem_of(id).is_none())
    }

    /// Returns the agent and rules that `spec` names, those of the installed version if it asks for that.
    pub fn choose(&self, spec: &str, customs: &Customs) -> Result<Choice, String> {
        let Some(profile) = self.wanted(spec, customs) else { return choose(spec, customs) };
        let newest = newest(profile);
        let noted = |what: String| {
            let edition = newest.edition().about().name;
            let note = Warning::general(
                "unknown-version",
                format!("{what}; the rules shown are those of {edition}, the newest"),
            );
            Ok(Choice { note: Some(note), ..newest.clone() })
        };
        match self.found.get(profile.id) {
            Some(Installed::Version(version, _)) => {
                let chosen = choose(&format!("{}@{version}", profile.id), &Customs::default());
                chosen.map(|choice| self.seen_here(profile, version, choice))
            }
            Some(Installed::Unversioned(path)) => {
                noted(format!("nothing says which version of {} {} is", profile.title, path.display()))
            }
            Some(Installed::Nowhere) | None if self.unasked && !spec.contains('@') => Ok(newest),
            Some(Installed::Nowhere) | None if !is_program(profile.id) => {
                noted(format!("{} is not a program that can be looked up", profile.title))
            }
            Some(Installed::Nowhere) | None => {
                noted(format!("{} is found neither on PATH nor in a package folder", profile.title))
            }
        }
    }

    /// Marks a version as covered if it was verified on this machine, whatever was recorded for others.
    fn seen_here(&self, profile: &Profile, running: &str, mut choice: Choice) -> Choice {
        if let Some((version, day)) = self.verified.get(profile.id)
            && version == running
        {
            choice.claim.standing = Standing::Covered;
            choice.claim.verified = Some(day.clone());
            choice.claim.replayed = Replayed::Here;
        }
        choice
    }
}

/// The question which version of an agent is installed, for an agent that starts in a directory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InstalledVersion {
    harness: &'static str,
    at: Start,
}

/// The directory, home and environment that decide which program a shell finds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Start {
    pub cwd: PathBuf,
    pub home: PathBuf,
    pub env: Environment,
}

impl InstalledVersion {
    /// Asks about an agent as a session started in `cwd` would find it.
    pub fn of(profile: &Profile, cwd: &Path, home: &Path, env: &Environment) -> InstalledVersion {
        let at = Start { cwd: cwd.to_owned(), home: home.to_owned(), env: env.clone() };
        InstalledVersion { harness: profile.id, at }
    }
}

impl Query for InstalledVersion {
    type Out = Installed;

    fn environment(&self) -> Environment {
        self.at.env.clone()
    }

    fn run(&self, search: &mut Search) -> Known<Installed> {
        let Some(program) = program(self.harness) else { return Ok(Installed::Nowhere) };
        let Some(cwd) = physical(&self.at.cwd, search)? else { return Ok(Installed::Nowhere) };
        program.find(&cwd, &self.at.home, search)
    }
}

/// Returns true if the agent is a program that can be installed in versions.
pub fn is_program(id: &str) -> bool {
    program(id).is_some()
}

fn program(id: &str) -> Option<&'static Program> {
    profile(id)?.program.as_ref()
}

impl Program {
    /// Finds the command that a shell would start, or else the package in one of the package managers' directories.
    pub(super) fn find(&self, cwd: &Path, home: &Path, search: &mut Search) -> Known<Installed> {
        if let Some(command) = on_path(self.command, search)? {
            let dir = command.parent().unwrap_or(&command).to_owned();
            return self.version_of(&dir, &command, search);
        }
        self.in_folders(&folders(cwd, home, search)?, search).map(|found| found.unwrap_or(Installed::Nowhere))
    }

    /// Returns the version of a command: from the package that contains it, from its path, or from the package beside
    /// it.
    fn version_of(&self, dir: &Path, command: &Path, search: &mut Search) -> Known<Installed> {
        let real = search.real(command)?.unwrap_or_else(|_| command.to_owned());
        // An editor has its manifest below its `resources` directory.
        let places = ["package.json", "resources/app/package.json"];
        let manifests: Vec<PathBuf> =
            real.ancestors().skip(1).flat_map(|dir| places.map(|place| dir.join(place))).collect();
        search.expect(manifests.iter().cloned().map(Ask::Kind))?;
        for manifest in manifests {
            if let Some(version) = self.version_in(&manifest, search)? {
                return Ok(Installed::Version(version, manifest));
            }
        }
        if let Some(version) = self.version_in_path(&real) {
            return Ok(Installed::Version(version, real));
        }
        let folders: Vec<PathBuf> = FOLDERS_OF_COMMANDS.iter().map(|folder| absolute(dir, Path::new(folder))).collect();
        let beside = self.in_folders(&folders, search)?;
        Ok(beside.unwrap_or_else(|| Installed::Unversioned(command.to_owned())))
    }

    fn in_folders(&self, folders: &[PathBuf], search: &mut Search) -> Known<Option<Installed>> {
        let manifests: Vec<PathBuf> =
            folders.iter().map(|folder| folder.join(self.package).join("package.json")).collect();
        search.expect(manifests.iter().cloned().map(Ask::Kind))?;
        for manifest in manifests {
            if let Some(version) = self.version_in(&manifest, search)? {
                return Ok(Some(Installed::Version(version, manifest)));
            }
        }
        Ok(None)
    }

    /// Returns the version that a manifest of this package states.
    fn version_in(&self, manifest: &Path, search: &mut Search) -> Known<Option<String>> {
        if !search.is_file(manifest, "the package of the command")? {
            return Ok(None);
        }
        let Ok(raw) = search.read(manifest, "the package of the command")? else { return Ok(None) };
        let Ok(manifest) = parse_json(&raw.text_without_bom()) else { return Ok(None) };
        let value = |key: &str| manifest.get(key).and_then(|node| node.as_text());
        let version = value("version").filter(|version| value("name") == Some(self.package) && is_version(version));
        Ok(version.map(str::to_owned))
    }

    /// Returns the version in a path such as `…/Cellar/codex/0.169.0/bin/codex` or `…/share/claude/versions/2.1.5`: a
    /// directory named after the program, then the version, perhaps below `versions`.
    fn version_in_path(&self, real: &Path) -> Option<String> {
        let parts: Vec<&str> = real.iter().filter_map(|part| part.to_str()).collect();
        let package = self.package.rsplit('/').next().unwrap_or(self.package);
        let ours = |part: &str| part == self.command || part == package;
        let version = (1..parts.len()).rev().find(|&at| {
            let before = if parts[at - 1] == "versions" { at.checked_sub(2) } else { Some(at - 1) };
            is_version(parts[at]) && before.is_some_and(|before| ours(parts[before]))
        })?;
        Some(parts[version].to_owned())
    }
}

/// Returns the existing package directories in order of precedence.
fn folders(cwd: &Path, home: &Path, search: &mut Search) -> Known<Vec<PathBuf>> {
    let own = cwd.ancestors().map(|dir| dir.join("node_modules"));
    let global = GLOBAL_FOLDERS.iter().map(|folder| home.join(folder));
    let folders: Vec<PathBuf> = own.chain(global).chain(MACHINE_FOLDERS.iter().map(PathBuf::from)).collect();
    search.expect(folders.iter().cloned().map(Ask::Kind))?;
    let mut there = Vec::new();
    for folder in folders {
        if search.is_dir(&folder, "a folder of packages")? {
            there.push(folder);
        }
    }
    Ok(there)
}

/// Returns the paths at which a shell looks for a command, in order.
pub(super) fn places_on_path(command: &str, search: &Search) -> Vec<PathBuf> {
    let path = search.env("PATH").unwrap_or_default();
    let separator = if cfg!(windows) { ';' } else { ':' };
    let dirs = path.split(separator).map(Path::new).filter(|dir| dir.is_absolute());
    dirs.map(|dir| dir.join(command)).collect()
}

/// Returns the command that a shell would start.
pub(super) fn on_path(command: &str, search: &mut Search) -> Known<Option<PathBuf>> {
    let commands = places_on_path(command, search);
    search.expect(commands.iter().cloned().map(Ask::Kind))?;
    for command in commands {
        if search.is_file(&command, "the first command of that name on PATH")? {
            return Ok(Some(command));
        }
    }
    Ok(None)
}

/// Returns true for a text that starts like a version, with at least two numeric parts such as `1.2`.
fn is_version(text: &str) -> bool {
    text.split('.').take(2).filter(|part| part.starts_with(|c: char| c.is_ascii_digit())).count() == 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Fidelity;

    #[test]
    fn a_path_may_say_the_version() {
        let codex = program("codex").expect("a program");
        let claude = program("claude-code").expect("a program");
        for (program, path, version) in [
            (codex, "/opt/homebrew/Cellar/codex/0.104.0/bin/codex", Some("0.104.0")),
            (claude, "/home/me/.local/share/claude/versions/2.1.5", Some("2.1.5")),
            (claude, "/opt/homebrew/Caskroom/claude-code/2.1.5/claude", Some("2.1.5")),
            (codex, "/opt/node/22.1.0/bin/codex", None),
            (codex, "/home/me/codex/bin/codex", None),
            (claude, "/home/me/.local/share/other/versions/2.1.5", None),
        ] {
            assert_eq!(program.version_in_path(Path::new(path)).as_deref(), version, "{path}");
        }
    }

    #[test]
    fn what_is_installed_picks_the_edition_and_what_is_unknown_says_so() {
        let with = |found: Option<Installed>| Installations {
            auto: false,
            unasked: false,
            found: found.into_iter().map(|found| ("codex".to_owned(), found)).collect(),
            verified: BTreeMap::new(),
        };
        let version = |version: &str| Some(Installed::Version(version.to_owned(), "/p/package.json".into()));
        for (found, edition, unchecked, words) in [
            (version("0.169.0"), "0.169", None, ""),
            (version("0.104.0"), "0.104", None, ""),
            (version("0.163.0"), "0.160.0", None, ""),
            (version("0.130.0"), "0.130.0", Some("0.130.0"), ""),
            (version("0.9.0"), "0.104", Some("0.9.0"), ""),
            (Some(Installed::Unversioned("/b/codex".into())), "0.169", None, "which version of Codex /b/codex is"),
            (Some(Installed::Nowhere), "0.169", None, "neither on PATH nor in a package folder"),
        ] {
            let uncertain =
                |choice: &Choice| choice.claim.running.clone().filter(|_| choice.claim.standing != Standing::Covered);
            let choice = with(found.clone()).choose("codex@auto", &Customs::default()).expect("a choice");
            let note = choice.note.as_ref().map_or("", |note| note.message.as_str());
            assert_eq!((choice.edition().about().name, uncertain(&choice)), (edition, unchecked.map(str::to_owned)));
            assert!(note.contains(words) && note.is_empty() == words.is_empty(), "{found:?}: {note}");
        }
    }

    #[test]
    fn what_was_seen_on_this_machine_covers_its_version_and_no_other() {
        let day = || "2026-11-22".to_owned();
        for (running, fidelity, replayed) in
            [("9.9.9", Fidelity::Exact, Replayed::Here), ("9.9.8", Fidelity::Unchecked, Replayed::Recorded)]
        {
            let installations = Installations {
                auto: true,
                found: [("codex".to_owned(), Installed::Version(running.to_owned(), "/p".into()))].into(),
                verified: [("codex".to_owned(), ("9.9.9".to_owned(), day()))].into(),
                ..Installations::default()
            };
            let claim = installations.choose("codex", &Customs::default()).expect("a choice").claim;
            assert_eq!((claim.fidelity(), claim.replayed), (fidelity, replayed), "{running}");
            assert_eq!(claim.verified == Some(day()), replayed == Replayed::Here, "{running}");
        }
    }

    #[test]
    fn where_nobody_asked_and_none_is_installed_the_newest_needs_no_words() {
        for (unasked, spec, said) in
            [(true, "codex", false), (true, "codex@auto", true), (false, "codex", true), (false, "codex@auto", true)]
        {
            let installations = Installations { auto: true, unasked, ..Installations::default() };
            let choice = installations.choose(spec, &Customs::default()).expect("a choice");
            assert_eq!((choice.edition().about().name, choice.note.is_some()), ("0.169", said), "{unasked} {spec}");
        }
    }

    #[test]
    fn the_installed_version_is_wanted_where_it_is_asked_for() {
        let wanted = |auto: bool, spec: &str| {
            let installations = Installations { auto, ..Installations::default() };
            installations.wanted(spec, &Customs::default()).map(|profile| profile.id)
        };
        for (auto, spec, id) in [
            (false, "codex", None),
            (false, "codex@auto", Some("codex")),
            (true, "codex", Some("codex")),
            (true, "codex@0.104", None),
            (true, "mine", None),
        ] {
            assert_eq!(wanted(auto, spec), id, "{auto} {spec}");
        }
    }
}
