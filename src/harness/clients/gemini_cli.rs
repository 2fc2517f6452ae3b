//! Gemini CLI: a global text and private memory in the system instruction, extensions and project files in the first
//! user message, and the files above whatever is read, when it is read.
//!
//! Checked on the real client 0.61.0 (`gemini -p` against a loopback mock of the Gemini API), November 2026.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::answer::{
    Answer, Certain, Fate, Message, Role, Scope, SessionKind, Source, Standpoint, Tool, Trigger, Warning,
};
use crate::formats::Node;
use crate::harness::keys::{Key, Keys, Takes};
use crate::harness::kit::{folders, servers};
use crate::harness::{
    About, Attaches, Changed, Compacts, Details, Edition, Evidence, Profile, Program, Resumes, Version, switches,
};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, Content, FileType, Unreadable, absolute};
use crate::text::{js_trim, js_trimmed};

mod agents;
mod environment;
mod extensions;
mod guard;
mod history;
mod imports;
mod memory;
mod paths;
mod reading;
mod settings;
mod skills;
mod subagent;
mod tokens;
mod trust;
mod workspaces;

pub(super) use extensions::{Switches, hydrated, truthy};
use history::{Behavior, Links};
use imports::Importer;
pub(super) use paths::joined;
use settings::{Format, Settings};
use workspaces::boundary;

/// Id, also the key of its options in requests.
const ID: &str = "gemini-cli";

/// Profile of Gemini CLI.
pub static PROFILE: Profile = Profile {
    id: ID,
    title: "Gemini CLI",
    summary: "GEMINI.md (and the names of context.fileName): global, from extensions, from the project root to the start directory, and on reading",
    editions: &[&V0_61],
    history: Some(&history::HISTORY),
    instruction_names: &["GEMINI.md", ".gemini/tmp/*/memory/MEMORY.md"],
    settings_names: &[".gemini/settings.json", ".gemini/trustedFolders.json", ".gemini/projects.json", ".geminiignore"],
    program: Some(Program { command: "gemini", package: "@google/gemini-cli" }),
    keys: KEYS,
    evidence: Evidence {
        traces: &[&["$GEMINI_CLI_HOME/.gemini/tmp", "~/.gemini/tmp"]],
        homes: &[&["$GEMINI_CLI_HOME/.gemini", "~/.gemini"]],
        files: &["GEMINI.md", ".gemini"],
        editor: &["google.gemini-cli-vscode-ide-companion"],
        ..Evidence::NONE
    },
};

const KEYS: &[Keys] = &[Keys {
    files: &[".gemini/settings.json"],
    keys: &[
        Key::new("context.fileName", Takes::Names, "Names that are looked for beside GEMINI.md, before it."),
        Key::new(
            "context.importFormat",
            Takes::Words(&["tree", "flat"]),
            "Whether imports stand in the place of their tokens, or behind the file.",
        ),
        Key::new(
            "context.memoryBoundaryMarkers",
            Takes::Names,
            "Entries that end the way up, and hold imports inside; `.git` unless said otherwise.",
        ),
        Key::new("context.includeDirectories", Takes::Paths, "Further directories of the workspace."),
        Key::new(
            "security.folderTrust.enabled",
            Takes::SWITCH,
            "Whether project files count only in folders that the user trusts.",
        ),
    ],
}];

/// Rules of a version of Gemini CLI. Behaviour that all versions share is code; behaviour that differs is a field.
pub struct GeminiCli {
    about: About,
    /// Name that is always tried, after the configured ones.
    default_name: &'static str,
    /// Differences between versions.
    behavior: Behavior,
}

impl GeminiCli {
    /// Creates the rules of a version.
    fn for_version(version: Version) -> GeminiCli {
        GeminiCli { about: V0_61.about, default_name: V0_61.default_name, behavior: Behavior::for_version(version) }
    }
}

static V0_61: GeminiCli = GeminiCli {
    about: About {
        name: "0.61",
        checked: ("0.61.0", "0.61"),
        details: Details {
            files: "GEMINI.md and the names of context.fileName: all of them",
            triggers: "session start; reading, writing, editing and mentioning a file and listing a folder add the files above it; shell, grep and glob nothing",
            place: "global text and private memory in the system instruction, extensions and project in the first user message",
            truncation: "none; in the system instruction three newlines or more become two",
            nested: "on reading, up to the boundary, by file identity",
            global: "~/.gemini, private memory in ~/.gemini/tmp, extensions",
            urls: "no",
            globs: "no",
            sessions: "untrusted folders get no project files; built-in sub-agents begin as the session does, and share what was added",
            hooks: "none",
            persona: "no",
            dedupe: "by device and inode; imports may repeat",
        },
    },
    default_name: "GEMINI.md",
    behavior: Behavior::NOW,
};

impl Edition for GeminiCli {
    fn about(&self) -> &About {
        &self.about
    }

    fn switches(&self) -> &'static switches::Switches {
        switches::table!("gemini-cli")
    }

    fn imports_into(&self, _: &Path) -> bool {
        true
    }

    fn sessions(&self) -> &'static [SessionKind] {
        &SessionKind::WITH_SUBAGENTS
    }

    /// Checked on Gemini CLI 0.61.0.
    fn resumes(&self) -> Resumes {
        if self.behavior == Behavior::NOW { Resumes::ComesAgain(Changed::Replaced) } else { Resumes::NotAsked }
    }

    /// Checked on Gemini CLI 0.61.0.
    fn compacts(&self) -> Compacts {
        if self.behavior == Behavior::NOW { Compacts::KeepsTheLast } else { Compacts::NotAsked }
    }

    fn attaches(&self, tool: Tool) -> Attaches {
        match tool {
            Tool::Shell => Attaches::Nothing,
            Tool::Read | Tool::Edit | Tool::Write | Tool::Mention => Attaches::Own,
        }
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let home = search.env("GEMINI_CLI_HOME").filter(|home| !home.is_empty());
        let home = home.map_or_else(|| at.home.clone(), |home| absolute(&at.cwd, Path::new(&home)));
        let mut answer = Answer::default();
        folders::require(&home.join(".gemini"), search, &mut answer)?;
        let settings = Settings::gather((self.default_name, self.behavior), at, &home, search)?;
        settings.variables.check_system_prompt(at, search)?;
        let home = settings.variables.home(at, search);
        answer.warnings.clone_from(&settings.warnings);
        if let Some(reason) = settings.doubt() {
            answer.doubt(Certain::ALL, reason);
        }
        let extensions = extensions::look(at, &home, &settings, search)?;
        answer.warnings.extend(extensions.warnings.iter().cloned());
        let workspaces = workspaces::all(at, &home, &settings, extensions.plans.as_deref(), search)?;
        let walk = Walk { workspaces, names: &settings.names, home: home.join(".gemini") };
        name_servers(&settings, &extensions.servers, &mut answer);
        let project = walk.project(&settings, search, &mut answer)?;
        let memory = memory::files(&at.cwd, &home, &settings.names, search)?;
        let tiers = [
            Files::at_start(Scope::User, Tier::Global, walk.global(search)?),
            Files::at_start(Scope::Config, Tier::Extension, extensions.active),
            Files::at_start(Scope::Project, Tier::Project, project),
            Files {
                moved: memory.iter().map(|file| (file.path.clone(), file.now.clone())).collect(),
                ..Files::at_start(Scope::Memory, Tier::Memory, memory.into_iter().map(|file| file.path).collect())
            },
        ];
        let mut seen = HashSet::new();
        let texts = load(&tiers, settings.format, settings.bounds(), &mut seen, search, &mut answer)?;
        for path in extensions.inactive {
            answer.sources.push(Source::new(path, Scope::Config, Fate::Excluded, "its extension is switched off here"));
        }
        let is_collapsed = !subagent::keeps_newlines(at);
        compose(&texts, is_collapsed, &mut answer);
        loaded_twice(&mut answer);
        if let Some(target) = at.target.as_deref().filter(|_| settings.trusted) {
            reading::look(target, at, &walk, &settings, seen, search, &mut answer)?;
        }
        place_sources(&mut answer);
        let own = match self.behavior == Behavior::NOW {
            true => agents::look(at, &home, &settings, search, &mut answer)?,
            false => None,
        };
        skills::look(at, &home, &extensions.folders, &settings, search, &mut answer)?;
        subagent::look(at, own.as_ref(), &mut answer);
        Ok(answer)
    }
}

/// Adds the MCP servers, whose instructions follow the files of the project and are known only to the servers.
fn name_servers(settings: &Settings, of_extensions: &[String], answer: &mut Answer) {
    let configured = settings.value(&["mcpServers"]).and_then(Node::as_table).unwrap_or_default();
    let excluded = settings.texts(&["mcp", "excluded"]);
    let names = configured.iter().map(|(name, _)| name.as_str()).chain(of_extensions.iter().map(String::as_str));
    let names: Vec<&str> = names.filter(|name| !excluded.contains(name)).collect();
    if settings.trusted {
        servers::doubt(&names, Role::User, answer);
    }
}

/// Compares paths by UTF-16 units, as JavaScript sorts.
fn by_utf16(one: &Path, other: &Path) -> Ordering {
    let units = |path: &Path| path.to_string_lossy().encode_utf16().collect::<Vec<_>>();
    units(one).cmp(&units(other))
}

/// Places that are searched for context files.
struct Walk<'a> {
    /// Workspace directories as real paths, the working directory first.
    workspaces: Vec<PathBuf>,
    names: &'a [String],
    /// `~/.gemini`, at which every walk stops.
    home: PathBuf,
}

impl Walk<'_> {
    fn global(&self, search: &mut Search) -> Known<Vec<PathBuf>> {
        let paths: Vec<_> = self.names.iter().map(|name| joined(&self.home, name)).collect();
        search.expect(paths.iter().cloned().map(Ask::Kind))?;
        let mut found = Vec::new();
        for path in paths {
            if search.stat(&path, "global: every name, in the settings folder of the home directory")?.is_ok() {
                found.push(path);
            }
        }
        Ok(found)
    }

    /// Returns every file with one of the names in the directories from `start` up to `ceiling`, the uppermost
    /// directory first.
    fn upwards(&self, start: &Path, ceiling: &Path, search: &mut Search) -> Known<Vec<PathBuf>> {
        let mut dirs: Vec<&Path> = Vec::new();
        for dir in start.ancestors().take_while(|dir| *dir != self.home) {
            dirs.push(dir);
            if dir == ceiling {
                break;
            }
        }
        let paths = dirs.into_iter().rev().flat_map(|dir| self.names.iter().map(|name| joined(dir, name)));
        let paths: Vec<PathBuf> = paths.collect();
        search.expect(paths.iter().cloned().map(Ask::Kind))?;
        let mut found = Vec::new();
        for path in paths {
            if search.stat(&path, "every name in every directory up to the boundary")?.is_ok() {
                found.push(path);
            }
        }
        Ok(found)
    }

    /// Returns the project files, each under one name only, sorted by UTF-16 units.
    fn project(&self, settings: &Settings, search: &mut Search, answer: &mut Answer) -> Known<Vec<PathBuf>> {
        let (mut found, mut known): (Vec<PathBuf>, HashSet<PathBuf>) = Default::default();
        for workspace in &self.workspaces {
            let ceiling = boundary(workspace, &settings.markers, "where the walk upwards ends", search)?;
            answer.root.get_or_insert_with(|| ceiling.clone().unwrap_or_else(|| workspace.clone()));
            let ceiling = ceiling.unwrap_or_else(|| workspace.clone());
            for path in self.upwards(workspace, &ceiling, search)? {
                if known.insert(path.clone()) {
                    found.push(path);
                }
            }
        }
        if !settings.trusted {
            for path in found.drain(..) {
                answer.sources.push(Source::new(path, Scope::Project, Fate::Excluded, "the folder is not trusted"));
            }
        }
        // If one file has several names, the first found is kept, independent of the display order.
        let mut kept = only_one_name(found, search, answer)?;
        kept.sort_by(|one, other| by_utf16(one, other));
        Ok(kept)
    }
}

fn only_one_name(paths: Vec<PathBuf>, search: &mut Search, answer: &mut Answer) -> Known<Vec<PathBuf>> {
    let mut first: HashMap<(u64, u64), PathBuf> = HashMap::new();
    let mut kept = Vec::new();
    for path in paths {
        let identity =
            search.stat(&path, "one file under several names is loaded once")?.ok().map(|meta| meta.identity);
        match identity.and_then(|identity| first.get(&identity)) {
            Some(known) => answer.sources.push(same_file(&path, Scope::Project, known)),
            None => {
                first.extend(identity.map(|identity| (identity, path.clone())));
                kept.push(path);
            }
        }
    }
    Ok(kept)
}

fn same_file(path: &Path, scope: Scope, known: &Path) -> Source {
    let reason = format!("the same file as {}, which is loaded", known.display());
    Source { by: Some(known.to_owned()), ..Source::new(path, scope, Fate::Shadowed, reason) }
}

/// Tier of a context file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tier {
    Global,
    Extension,
    Project,
    Memory,
    Read,
}

impl Tier {
    fn reason(self) -> &'static str {
        match self {
            Tier::Global => "global: in the settings folder of the home directory",
            Tier::Extension => "named by an active extension",
            Tier::Project => "from the start directory up to the boundary",
            Tier::Memory => "private memory of this project",
            Tier::Read => "above the file that is read",
        }
    }
}

/// Files of one tier, in display order.
struct Files {
    scope: Scope,
    tier: Tier,
    trigger: Trigger,
    paths: Vec<PathBuf>,
    /// Current paths of files that the client will move when it starts, by their paths afterwards.
    moved: HashMap<PathBuf, PathBuf>,
}

impl Files {
    fn at_start(scope: Scope, tier: Tier, paths: Vec<PathBuf>) -> Files {
        Files { scope, tier, trigger: Trigger::Session, paths, moved: HashMap::new() }
    }
}

/// Returns the joined blocks of each tier. A file that is `seen`, in an earlier tier or under another name, is left
/// out.
fn load(
    tiers: &[Files],
    format: Format,
    bounds: (&[String], Links),
    seen: &mut HashSet<(u64, u64)>,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<Vec<String>> {
    let place = |files: &Files, path: &PathBuf| files.moved.get(path).unwrap_or(path).clone();
    let all = tiers.iter().flat_map(|files| files.paths.iter().map(move |path| Ask::Content(place(files, path))));
    search.expect(all)?;
    let mut met = Met { seen, names: HashMap::new(), loaded: HashSet::new(), shown: HashMap::new() };
    let mut texts = Vec::new();
    for files in tiers {
        let mut importer = Importer::new(bounds, files.trigger);
        let mut blocks = Vec::new();
        for path in &files.paths {
            let now = place(files, path);
            blocks.extend(block((files, path, &now), format, &mut importer, &mut met, search, answer)?);
        }
        texts.push(blocks.join("\n\n"));
    }
    let Met { seen, loaded, .. } = met;
    seen.extend(loaded);
    Ok(texts)
}

/// Files that were met while an answer is composed.
struct Met<'s> {
    /// Files of the session, by device and inode.
    seen: &'s mut HashSet<(u64, u64)>,
    /// First path of each file.
    names: HashMap<(u64, u64), PathBuf>,
    loaded: HashSet<(u64, u64)>,
    /// Blocks by path. A path is shown in every tier that names it.
    shown: HashMap<PathBuf, String>,
}

/// Returns the block of a file, read from `now`, unless the file was met before.
fn block(
    (files, path, now): (&Files, &PathBuf, &Path),
    format: Format,
    importer: &mut Importer,
    met: &mut Met,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<Option<String>> {
    let reason = files.tier.reason();
    let identity = search.stat(now, reason)?.ok().map(|meta| meta.identity);
    if let Some(block) = met.shown.get(path) {
        // The same path in two tiers is shown in both.
        return Ok(Some(block.clone()));
    }
    if let Some(known) = identity.and_then(|identity| met.names.get(&identity)) {
        answer.sources.push(Source { trigger: files.trigger, ..same_file(path, files.scope, known) });
        return Ok(None);
    }
    if identity.is_some_and(|identity| met.seen.contains(&identity)) {
        // Already part of the session: its source is in the answer, or the question named it.
        return Ok(None);
    }
    met.names.extend(identity.map(|identity| (identity, path.clone())));
    let source = |fate, reason: &str| Source { trigger: files.trigger, ..Source::new(path, files.scope, fate, reason) };
    let raw = match search.read(now, reason)? {
        Ok(raw) => raw,
        // Treated as /dev/null, the only device that a project is likely to link to.
        Err(Unreadable::Not(FileType::Device)) => Content::default(),
        Err(problem) => {
            unreadable(&problem, path, answer);
            if !answer.sources.iter().any(|known| known.path() == Some(path) && known.fate == Fate::Unreadable) {
                answer.sources.push(source(Fate::Unreadable, &problem.to_string()));
            }
            return Ok(None);
        }
    };
    met.loaded.extend(identity);
    let content = raw.text();
    let before = answer.sources.len();
    let expanded = importer.expand(path, &content, format, search, answer)?;
    let size = Some(raw.size());
    let text = js_trim(&expanded.text);
    // A file's source precedes those of its imports.
    if text.is_empty() {
        answer.sources.insert(before, Source { size, ..source(Fate::Empty, "only white space") });
        return Ok(None);
    }
    let sent = js_trimmed(&content);
    let clipped = expanded.kept.iter().map(|range| range.start.max(sent.start)..range.end.min(sent.end));
    let clipped: Vec<_> = clipped.filter(|range| range.start < range.end).collect();
    let kept = match files.tier {
        Tier::Global | Tier::Memory => without_surplus_newlines(&content, &clipped),
        Tier::Extension | Tier::Project | Tier::Read => clipped,
    };
    let kept = raw.raw_ranges(&kept);
    answer.sources.insert(before, Source { size, kept, ..source(Fate::Loaded, reason) });
    let block = format!("--- Context from: {0} ---\n{text}\n--- End of Context from: {0} ---", path.display());
    met.shown.insert(path.clone(), block.clone());
    Ok(Some(block))
}

fn unreadable(problem: &Unreadable, path: &Path, answer: &mut Answer) {
    let message = match problem {
        Unreadable::Not(FileType::Fifo) => format!("{} is a FIFO: Gemini CLI waits forever", path.display()),
        Unreadable::TooLarge(len) if *len < 2 << 30 => format!("{}: {problem}", path.display()),
        Unreadable::Process => format!("{}: {problem}", path.display()),
        Unreadable::TooLarge(_) | Unreadable::Not(_) | Unreadable::Errno(_) => return,
    };
    answer.warnings.push(Warning::at("unreadable", path, message.clone()));
    answer.files_only = Some(message);
}

/// Adds the two messages at the start of a session. `is_collapsed`: the system instruction loses surplus newlines.
fn compose(texts: &[String], is_collapsed: bool, answer: &mut Answer) {
    let [global, extension, project, memory] = texts else { unreachable!("four tiers at the start") };
    let section = |name: &str, text: &str| (!text.is_empty()).then(|| format!("<{name}>\n{text}\n</{name}>"));
    let index = |text: &str| {
        format!(
            "--- Private Project Memory Index (private, not committed to repo) ---\n{text}\n--- End Private Project Memory Index ---"
        )
    };
    let system: Vec<String> = match (global.as_str(), memory.as_str()) {
        ("", "") => Vec::new(),
        // Without memory, the global text has no tag of its own.
        (global, "") => vec![global.to_owned()],
        (global, memory) => [section("global_context", global), section("user_project_memory", &index(memory))]
            .into_iter()
            .flatten()
            .collect(),
    };
    let user: Vec<String> =
        [section("extension_context", extension), section("project_context", project)].into_iter().flatten().collect();
    for (role, sections) in [(Role::System, system), (Role::User, user)] {
        if !sections.is_empty() {
            let mut text = format!("<loaded_context>\n{}\n</loaded_context>", sections.join("\n"));
            if role == Role::System && is_collapsed {
                let everything = 0..text.len();
                let kept = without_surplus_newlines(&text, &[everything]);
                text = kept.into_iter().map(|range| &text[range]).collect();
            }
            answer.messages.push(Message::instructions(Trigger::Session, role, text));
        }
    }
}

/// Returns the ranges without surplus newlines: the system instruction keeps two of three or more in a row.
fn without_surplus_newlines(text: &str, ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut kept = Vec::new();
    for range in ranges {
        let (mut from, mut at) = (range.start, range.start);
        while let Some(found) = text[at..range.end].find("\n\n\n") {
            let surplus = at + found + 2;
            kept.push(from..surplus);
            let rest = &text[surplus..range.end];
            from = range.end - rest.trim_start_matches('\n').len();
            at = from;
        }
        kept.push(from..range.end);
    }
    kept.retain(|range| !range.is_empty());
    kept
}

/// Warns of context files that are also imported, so that their text occurs twice.
fn loaded_twice(answer: &mut Answer) {
    let in_text = |source: &&Source| source.fate == Fate::Loaded;
    let context: HashSet<&Path> = answer
        .sources
        .iter()
        .filter(in_text)
        .filter(|source| source.scope != Scope::Import)
        .filter_map(Source::path)
        .collect();
    let imported = answer.sources.iter().filter(in_text).filter(|source| source.scope == Scope::Import);
    let twice: Vec<PathBuf> =
        imported.filter_map(Source::path).filter(|path| context.contains(path)).map(Path::to_owned).collect();
    for path in twice {
        let message = format!("{} is a context file and is imported as well: its text is there twice", path.display());
        answer.warnings.push(Warning::at("loaded-twice", path, message));
    }
}

/// Sets the message of every loaded source.
fn place_sources(answer: &mut Answer) {
    let index = |trigger: Trigger, role: Role| {
        answer.messages.iter().position(|message| message.trigger == trigger && message.role == role)
    };
    let (system, user, tool) =
        (index(Trigger::Session, Role::System), index(Trigger::Session, Role::User), index(Trigger::Read, Role::Tool));
    // An import is in the message of the file that it belongs to, the one before it.
    let mut current = None;
    for source in &mut answer.sources {
        match (source.scope, source.trigger) {
            (Scope::Import, _) => {}
            (_, Trigger::Read) => current = tool,
            (Scope::User | Scope::Memory, _) => current = system,
            _ => current = user,
        }
        if source.fate == Fate::Loaded && current.is_some() {
            source.message = current;
            source.part = Some(0);
        }
    }
}
