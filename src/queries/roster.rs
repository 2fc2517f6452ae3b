//! Finds which agents are used here, each with its reasons. They are called *mine*.
//!
//! Evidence for an agent are programs on PATH, files that clients leave in the home directory, and files of the
//! repository that belong to one agent only. Declarations of the user and extensions of the editor are added. The
//! evidence is listed in each profile.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::installed::{Installed, Start, on_path, places_on_path};
use crate::harness::custom::Customs;
use crate::harness::evidence::path_of;
use crate::harness::{ALL, Evidence, Profile};
use crate::query::{Query, physical};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, Environment, FileType};

/// The keyword for the agents that are used here.
pub const MINE: &str = "mine";
/// The keyword for every agent.
pub const ALL_OF_THEM: &str = "all";

/// The most common agents: assumed if there is no evidence, and suggested by an AGENTS.md.
const USUAL: [&str; 4] = ["codex", "claude-code", "copilot-cli", "agents-md"];

/// The instruction file that the most common agents share.
const SHARED: &str = "AGENTS.md";

/// Kinds of evidence for an agent, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// The agent is declared in a `briefing.toml` or in the settings.
    Set,
    /// The agent was run before.
    Run,
    /// The agent is installed.
    Installed,
    /// The editor has an extension for it.
    Editor,
    /// The agent is configured in the home directory.
    Configured,
    /// The repository has a file that only this agent uses.
    Repository,
    /// The repository has an AGENTS.md. Counts only if nothing shows which agents are used on this machine.
    Shared,
}

impl What {
    /// All kinds, in order.
    pub const ALL: [What; 7] =
        [What::Set, What::Run, What::Installed, What::Editor, What::Configured, What::Repository, What::Shared];

    /// Returns the word on the wire.
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

    /// Returns true if the evidence is about this machine, whatever the project holds.
    fn is_of_machine(self) -> bool {
        match self {
            What::Run | What::Installed | What::Editor | What::Configured => true,
            What::Set | What::Repository | What::Shared => false,
        }
    }
}

/// A reason for counting an agent as used.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reason {
    /// Kind of evidence.
    pub what: What,
    /// File that is the evidence.
    pub path: Option<PathBuf>,
    /// Editor extension that is the evidence.
    pub name: Option<String>,
}

/// An agent that is used here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Used {
    /// Id of the agent.
    pub id: String,
    /// Spec for requests: the id, or `id@version` if the project names a version.
    pub spec: String,
    /// Reasons, the strongest first. Empty if there is no evidence for any agent and this is one of the common ones.
    pub because: Vec<Reason>,
    /// Directory that looks like the workspace of the agent.
    pub workspace: Option<PathBuf>,
}

/// The agents that are used here, those with the strongest reasons first. Never empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roster {
    /// Agents in order.
    pub mine: Vec<Used>,
}

/// The question what evidence for each agent exists for a directory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reasons {
    at: Start,
}

/// An agent's id with one reason.
pub type ReasonFor = (&'static str, Reason);

impl Reasons {
    /// Asks for the evidence that applies to agents started in `cwd`.
    pub fn of(cwd: &Path, home: &Path, env: &Environment) -> Reasons {
        Reasons { at: Start { cwd: cwd.to_owned(), home: home.to_owned(), env: env.clone() } }
    }
}

impl Roster {
    /// Returns the roster from the result of [`Reasons`], the declarations, and the ids of the editor's extensions.
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

    /// Returns true if there is no evidence for any agent.
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

/// Returns the evidence that an instruction file of a project is: names that belong to one agent alone, at any depth,
/// and the name that many share.
pub fn evidence_in(file: &Path, root: &Path) -> Vec<ReasonFor> {
    let reason = |what| Reason { what, path: Some(file.to_owned()), name: None };
    let names: Vec<&OsStr> = file.strip_prefix(root).unwrap_or(file).iter().collect();
    let speaks_to =
        |profile: &&&'static Profile| profile.evidence.files.iter().any(|own| names.contains(&OsStr::new(own)));
    let own = ALL.iter().filter(speaks_to).map(|profile| (profile.id, reason(What::Repository)));
    let is_shared = names.last() == Some(&OsStr::new(SHARED));
    let shared = USUAL.into_iter().filter(|_| is_shared).map(|id| (id, reason(What::Shared)));
    own.chain(shared).collect()
}

/// Returns the directories whose files count as evidence: from the working directory up to the root of the repository,
/// except the home directory, which is not a project.
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

/// Returns the questions that are asked in any case.
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

/// Returns the file that shows that an agent is installed.
fn installed(profile: &Profile, at: &Start, search: &mut Search) -> Known<Option<PathBuf>> {
    // An installed editor does not show that its agent is used.
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

/// Returns the first file of a project that is evidence for an agent.
fn in_project(evidence: &Evidence, dirs: &[PathBuf], search: &mut Search) -> Known<Option<PathBuf>> {
    const RULE: &str = "a file that is one harness's own";
    for dir in dirs {
        for file in evidence.files {
            let path = dir.join(file);
            let is_something = match search.stat(&path, RULE)? {
                // An empty directory is not evidence.
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
