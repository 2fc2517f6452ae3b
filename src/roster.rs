//! Which harnesses are used here, each with its reasons: those are *mine*.
//!
//! It is asked for like the files of any harness, so that it is remembered, watched and explained: programs on PATH, what
//! clients leave at home, files of the repository that are one harness's own. What the user declares and what the editor
//! has installed is laid over that. The evidence itself stands in each profile.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::answer::{Answer, Resolution, Scope, Source, Standpoint};
use crate::harness::custom::Customs;
use crate::harness::evidence::path_of;
use crate::harness::queries::installed::{Installed, on_path, places_on_path};
use crate::harness::{ALL, About, Choice, Edition, Evidence, Profile};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, Environment};
use crate::text::Size;

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

/// What is asked before a question about the harnesses that are used in `cwd`.
pub fn question(cwd: &Path, home: &Path, env: &Environment) -> (Choice, Standpoint) {
    (Choice::named(&LOOK, &Look), Standpoint::plain(cwd, home, env.clone()))
}

impl Roster {
    /// What the answer to [`question`], the declarations, and the names of the editor's extensions come to.
    pub fn of(answer: &Resolution, customs: &Customs, editor: &[String]) -> Roster {
        let found: Vec<(&str, Reason)> = answer.answer.sources.iter().filter_map(reason).collect();
        if !customs.agents.is_empty() {
            return Roster { mine: customs.agents.iter().map(|spec| named(spec, customs)).collect() };
        }
        let mut mine: Vec<Used> = ALL.iter().filter_map(|profile| used(profile, &found, editor)).collect();
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

/// The harness that a source of the answer speaks for, and the reason it is: [`Look`] writes both into the source's reason.
fn reason(source: &Source) -> Option<(&str, Reason)> {
    let (id, word) = source.reason.split_once(' ')?;
    let what = What::ALL.into_iter().find(|what| what.word() == word)?;
    Some((id, Reason { what, path: source.path().map(Path::to_owned), name: None }))
}

fn used(profile: &Profile, found: &[(&str, Reason)], editor: &[String]) -> Option<Used> {
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

/// Not in the list of harnesses: it looks for them.
static LOOK: Profile = Profile::lookup("briefing.roster", "what speaks for each harness", &[&Look]);

struct Look;

impl Edition for Look {
    fn about(&self) -> &About {
        &About::LOOKUP
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let dirs = project(at, search)?;
        search.expect(asks(at, &dirs, search))?;
        let mut answer = Answer::default();
        let mut shared = None;
        for dir in &dirs {
            let path = dir.join(SHARED);
            if shared.is_none() && search.stat(&path, "a file that speaks to many agents")?.is_ok() {
                shared = Some(path);
            }
        }
        for profile in ALL {
            let mut speaks = |what: What, path: PathBuf| {
                let reason = format!("{} {}", profile.id, what.word());
                answer.sources.push(Source::whole(path, Scope::User, Size::default(), reason));
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
        Ok(answer)
    }
}

/// The directories whose files speak for a harness: from the working directory up to the root of the repository. The home
/// directory is no project.
fn project(at: &Standpoint, search: &mut Search) -> Known<Vec<PathBuf>> {
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
fn asks(at: &Standpoint, dirs: &[PathBuf], search: &Search) -> Vec<Ask> {
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
fn installed(profile: &Profile, at: &Standpoint, search: &mut Search) -> Known<Option<PathBuf>> {
    // An editor that is there does not say that its agent is used.
    if let Some(program) = profile.program.as_ref().filter(|program| !program.is_editor()) {
        return Ok(match program.find(at, search)? {
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
            if search.stat(&path, RULE)?.is_ok() {
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
