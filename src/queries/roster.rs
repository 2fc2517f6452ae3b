//! Finds which agents are used here, each with its reasons: those are *mine*.
//!
//! Programs on PATH, what clients leave at home, and files of the repository that are one agent's own speak for an agent. What
//! the user declares and what the editor has installed is laid over that. The evidence itself stands in each profile.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::installed::{Installed, Start, on_path, places_on_path};
use crate::harness::custom::Customs;
use crate::harness::evidence::path_of;
use crate::harness::{ALL, Evidence, Profile};
use crate::query::{Query, physical};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, Environment, FileType};

/// The word for the harnesses that are used here.
pub const MINE: &str = "mine";
/// The word for every harness.
pub const ALL_OF_THEM: &str = "all";

/// Who is meant where nothing speaks for anyone, and to whom an AGENTS.md speaks: those that most people use.
const USUAL: [&str; 4] = ["codex", "claude-code", "copilot-cli", "agents-md"];

/// The file that speaks to the usual agents, and is nobody's own.
const SHARED: &str = "AGENTS.md";

/// What speaks for a harness, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// It is declared in a `briefing.toml` or in the settings.
    Set,
    /// It was run before.
    Run,
    /// It is installed.
    Installed,
    /// The editor has an extension for it.
    Editor,
    /// It is configured at home.
    Configured,
    /// The repository has a file that is its own.
    Repository,
    /// The repository has an AGENTS.md. Counts only where nothing shows which agents are used on this machine.
    Shared,
}

impl What {
    /// All of them, in order.
    pub const ALL: [What; 7] =
        [What::Set, What::Run, What::Installed, What::Editor, What::Configured, What::Repository, What::Shared];

    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            What::Set => "set",
            What::Run => "run",
            What::Installed => "installed",
            What::Editor => "editor",
            What::Configured => "configured",
            What::Repository => "repository",
            What::Shared => "shared",
        }
    }

    /// Returns true if it shows what is used on this machine, whatever the project holds.
    fn is_of_machine(self) -> bool {
        match self {
            What::Run | What::Installed | What::Editor | What::Configured => true,
            What::Set | What::Repository | What::Shared => false,
        }
    }
}

/// Why a harness is one of mine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reason {
    /// What speaks for it.
    pub what: What,
    /// The file that proves it.
    pub path: Option<PathBuf>,
    /// The extension that proves it.
    pub name: Option<String>,
}

/// A harness that is used here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Used {
    /// Its id.
    pub id: String,
    /// How it is asked for: its id, or `id@version` where the project names a version.
    pub spec: String,
    /// Why, the strongest reason first. Empty: nothing speaks for anyone, and this is one of the usual.
    pub because: Vec<Reason>,
    /// A directory that looks like the workspace of its agent.
    pub workspace: Option<PathBuf>,
}

/// The harnesses that are used here, those with the strongest reasons first. There is always one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roster {
    /// The harnesses.
    pub mine: Vec<Used>,
}

/// The question what speaks for each harness in a directory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reasons {
    at: Start,
}

/// What speaks for a harness: its id, and the reason.
pub type ReasonFor = (&'static str, Reason);

impl Reasons {
    /// Asks what speaks for each harness for those who start agents in `cwd`.
    pub fn of(cwd: &Path, home: &Path, env: &Environment) -> Reasons {
        Reasons { at: Start { cwd: cwd.to_owned(), home: home.to_owned(), env: env.clone() } }
    }
}

impl Roster {
    /// Returns the roster from the result of [`Reasons`], the declarations, and the names of the editor's extensions.
    pub fn of(found: &[ReasonFor], customs: &Customs, editor: &[String]) -> Roster {
        if !customs.agents.is_empty() {
            return Roster { mine: customs.agents.iter().map(|spec| named(spec, customs)).collect() };
        }
        let mut mine: Vec<Used> = ALL.iter().filter_map(|profile| used(profile, found, editor)).collect();
        if mine.iter().flat_map(|used| &used.because).any(|reason| reason.what.is_of_machine()) {
            mine.retain(|used| used.because[0].what != What::Shared);
        }
        for custom in &customs.harnesses {
            let declared = Reason { what: What::Set, path: custom.path.clone(), name: None };
            match mine.iter_mut().find(|used| used.id == custom.id) {
                Some(used) => used.because.insert(0, declared),
                None => mine.push(Used::new(&custom.id, vec![declared])),
            }
        }
        mine.sort_by_key(|used| used.because[0].what);
        if mine.is_empty() {
            mine = USUAL.into_iter().map(|id| Used::new(id, Vec::new())).collect();
        }
        Roster { mine }
    }

    /// Whether nothing speaks for anyone.
    pub fn is_assumed(&self) -> bool {
        self.mine.iter().all(|used| used.because.is_empty())
    }
}

impl Used {
    fn new(id: &str, because: Vec<Reason>) -> Used {
        Used { id: id.to_owned(), spec: id.to_owned(), because, workspace: None }
    }
}

/// Returns an agent that the project names in its `briefing.toml`.
fn named(spec: &str, customs: &Customs) -> Used {
    let id = spec.split('@').next().unwrap_or(spec);
    let because = vec![Reason { what: What::Set, path: customs.path.clone(), name: None }];
    Used { spec: spec.to_owned(), ..Used::new(id, because) }
}

fn used(profile: &Profile, found: &[ReasonFor], editor: &[String]) -> Option<Used> {
    let own = found.iter().filter(|(id, _)| *id == profile.id).map(|(_, reason)| reason.clone());
    let known = |name: &&String| profile.evidence.editor.iter().any(|known| known.eq_ignore_ascii_case(name));
    let named =
        editor.iter().filter(known).map(|name| Reason { what: What::Editor, path: None, name: Some(name.clone()) });
    let because: BTreeSet<Reason> = own.chain(named).collect();
    let of_workspace = |reason: &&Reason| {
        let name = reason.path.as_deref().and_then(Path::file_name);
        reason.what == What::Repository && profile.evidence.workspace.iter().any(|file| name == Some(file.as_ref()))
    };
    let workspace =
        because.iter().find(of_workspace).and_then(|reason| Some(reason.path.as_ref()?.parent()?.to_owned()));
    let because: Vec<Reason> = because.into_iter().collect();
    (!because.is_empty()).then(|| Used { workspace, ..Used::new(profile.id, because) })
}

impl Query for Reasons {
    type Out = Vec<ReasonFor>;

    fn environment(&self) -> Environment {
        self.at.env.clone()
    }

    fn run(&self, search: &mut Search) -> Known<Vec<ReasonFor>> {
        let Some(cwd) = physical(&self.at.cwd, search)? else { return Ok(Vec::new()) };
        let at = &Start { cwd, ..self.at.clone() };
        let dirs = project(at, search)?;
        search.expect(asks(at, &dirs, search))?;
        let mut found = Vec::new();
        let mut shared = None;
        for dir in &dirs {
            let path = dir.join(SHARED);
            if shared.is_none() && search.stat(&path, "a file that speaks to many agents")?.is_ok() {
                shared = Some(path);
            }
        }
        for profile in ALL {
            let mut speaks = |what: What, path: PathBuf| {
                found.push((profile.id, Reason { what, path: Some(path), name: None }));
            };
            for (what, places) in [(What::Run, profile.evidence.traces), (What::Configured, profile.evidence.homes)] {
                for path in places.iter().filter_map(|place| path_of(place, &at.home, search)).collect::<Vec<_>>() {
                    if search.stat(&path, "what the client keeps at home")?.is_ok() {
                        speaks(what, path);
                    }
                }
            }
            if let Some(path) = installed(profile, at, search)? {
                speaks(What::Installed, path);
            }
            if let Some(path) = in_project(&profile.evidence, &dirs, search)? {
                speaks(What::Repository, path);
            }
            if let Some(path) = shared.as_ref().filter(|_| USUAL.contains(&profile.id)) {
                speaks(What::Shared, path.clone());
            }
        }
        Ok(found)
    }
}

/// The directories whose files speak for a harness: from the working directory up to the root of the repository. The home
/// directory is no project.
fn project(at: &Start, search: &mut Search) -> Known<Vec<PathBuf>> {
    search.expect(at.cwd.ancestors().map(|dir| Ask::Kind(dir.join(".git"))))?;
    let mut dirs = Vec::new();
    let mut in_repository = false;
    for dir in at.cwd.ancestors() {
        dirs.push(dir.to_owned());
        if search.stat(&dir.join(".git"), "the root of the repository ends the search")?.is_ok() {
            in_repository = true;
            break;
        }
    }
    dirs.truncate(if in_repository { dirs.len() } else { 1 });
    dirs.retain(|dir| *dir != at.home);
    Ok(dirs)
}

/// What is asked in any case.
fn asks(at: &Start, dirs: &[PathBuf], search: &Search) -> Vec<Ask> {
    let mut asks: Vec<Ask> = dirs.iter().map(|dir| Ask::Kind(dir.join(SHARED))).collect();
    for Profile { evidence, program, .. } in ALL {
        let commands = program.iter().map(|program| &program.command).chain(evidence.commands);
        asks.extend(commands.flat_map(|command| places_on_path(command, search)).map(Ask::Kind));
        let places = evidence.traces.iter().chain(evidence.homes);
        asks.extend(places.filter_map(|place| path_of(place, &at.home, search)).map(Ask::Kind));
        let files = || evidence.files.iter().chain(evidence.workspace);
        asks.extend(dirs.iter().flat_map(|dir| files().map(|file| Ask::Kind(dir.join(file)))));
    }
    asks
}

/// The file that shows that a harness is installed.
fn installed(profile: &Profile, at: &Start, search: &mut Search) -> Known<Option<PathBuf>> {
    // An editor that is there does not say that its agent is used.
    if let Some(program) = profile.program.as_ref().filter(|program| !program.is_editor()) {
        return Ok(match program.find(&at.cwd, &at.home, search)? {
            Installed::Version(_, path) | Installed::Unversioned(path) => Some(path),
            Installed::Nowhere => None,
        });
    }
    for command in profile.evidence.commands {
        if let Some(path) = on_path(command, search)? {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// The first file of a project that speaks for a harness.
fn in_project(evidence: &Evidence, dirs: &[PathBuf], search: &mut Search) -> Known<Option<PathBuf>> {
    const RULE: &str = "a file that is one harness's own";
    for dir in dirs {
        for file in evidence.files {
            let path = dir.join(file);
            let is_something = match search.stat(&path, RULE)? {
                // A folder that somebody made and left empty tells nobody anything.
                Ok(meta) if meta.kind == FileType::Dir => {
                    search.list(&path, RULE)?.is_ok_and(|list| list.iter().next().is_some())
                }
                found => found.is_ok(),
            };
            if is_something {
                return Ok(Some(path));
            }
        }
        let mut together = !evidence.workspace.is_empty();
        for file in evidence.workspace {
            together = together && search.is_file(&dir.join(file), "files that together make a workspace")?;
        }
        if together {
            return Ok(Some(dir.join(evidence.workspace[0])));
        }
    }
    Ok(None)
}
