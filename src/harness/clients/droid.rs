//! Droid: CLAUDE.md and AGENTS.md of every directory up to the repository root, nearest first, and those of the user;
//! when a file is read, also those on the path to it.
//!
//! Checked on the real client 0.225.2 (`droid exec` against a loopback mock of a provider), November 2026. Skills,
//! which are listed in a reminder, are not read. Sub-agents run in a daemon that could not be checked.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use crate::answer::{
    Answer, Certain, Fate, Limit, Per, Role, Scope, SessionKind, Source, Standpoint, Text, Tool, Trigger, Unit,
};
use crate::formats::{Node, parse_json};
use crate::harness::history::replays;
use crate::harness::kit::conventional::PLAIN;
use crate::harness::kit::section::{Given, Section};
use crate::harness::kit::{folders, skills};
use crate::harness::{
    About, Attaches, Details, Edition, Evidence, History, Profile, Program, Replays, Switches, switches,
};
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Ask, Content, Errno, FileType, Unreadable, absolute};
use crate::text::{js_trim_end, utf16_len};

/// Profile of Droid.
pub static PROFILE: Profile = Profile {
    id: "droid",
    title: "Droid",
    summary: "CLAUDE.md and AGENTS.md of every directory up to the root of the repository and of its .factory, .agents, .agent; ~/.factory, ~/.agents, ~/.agent; DESIGN.md; nested ones as the agent reads",
    editions: &[&Droid],
    history: Some(&HISTORY),
    // Names in another letter case are read as well, but are not recommended to users.
    instruction_names: &["CLAUDE.md", "AGENTS.md", "DESIGN.md"],
    settings_names: &[".factory/settings.json"],
    keys: &[],
    program: Some(Program { command: "droid", package: "@factory/cli" }),
    evidence: Evidence {
        traces: &[&["~/.factory/sessions"]],
        homes: &[&["~/.factory"]],
        files: &[".factory"],
        ..Evidence::NONE
    },
};

static HISTORY: History = History { changes: &[], rules: |_| Arc::new(Droid), replays: &REPLAYS };

static REPLAYS: Replays = LazyLock::new(|| replays(include_str!("../../../tests/conformance/versions/droid.toml")));

static ABOUT: About = About {
    name: "0.225",
    checked: ("0.225.2", "0.225"),
    details: Details {
        files: "of every directory CLAUDE.md and AGENTS.md, in any letter case that the client knows; then those of its .factory, .agents and .agent; DESIGN.md in the same places",
        place: "first user message, the project's below Project Instructions, the nearest first, then the user's; each as the output of cat",
        truncation: "80 000 UTF-16 units of all files together; what is nearest has them first; 40 000 for what one read brings",
        triggers: "session start; the tool that reads brings the files on the way",
        nested: "when the agent reads a file below, or in another repository, outermost first, once a session",
        global: "~/.factory, ~/.agents, ~/.agent",
        dedupe: "at the start by name whatever the letter case; on a read by real path",
        ..PLAIN
    },
};

/// Names of a directory's files, in order. Of two that differ only in letter case, the first is loaded at the start.
const NAMES: [&str; 5] = ["CLAUDE.md", "Claude.md", "AGENTS.md", "Agents.md", "agents.md"];
const DESIGNS: [&str; 3] = ["DESIGN.md", "Design.md", "design.md"];
/// Folders in a directory, and in the home directory, that are searched as well.
const FOLDERS: [&str; 3] = [".factory", ".agents", ".agent"];
/// Folders in the home directory that belong to the user, not to a project.
const OF_USER: [&str; 4] = [".factory", ".factory-dev", ".agents", ".agent"];
/// Maximum size at the start of either kind of file, in UTF-16 units (Droid 0.225.2).
const MOST: usize = 80_000;
/// Minimum rest of the limit for a part of a file, and the share of it that is reserved for the note, in UTF-16 units
/// (Droid 0.225.2).
const WORTHWHILE: usize = 200;
const NOTE: usize = 100;
/// Maximum size that one read adds, in UTF-16 units (Droid 0.225.2).
const MOST_READ: usize = 40_000;
const HEAD: &str = "# Codebase and user instructions are shown below. Instructions from files closest to your current directory take \
                    precedence over those further up the hierarchy.\n";

struct Droid;

impl Edition for Droid {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn switches(&self) -> &'static Switches {
        switches::table!("droid")
    }

    fn attaches(&self, tool: Tool) -> Attaches {
        match tool {
            Tool::Read => Attaches::AsRead,
            Tool::Edit | Tool::Write | Tool::Shell => Attaches::Nothing,
            Tool::Mention => Attaches::Unknown,
        }
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let named = search.env("FACTORY_HOME_OVERRIDE").filter(|dir| !dir.is_empty());
        let home = named.map_or_else(|| at.home.clone(), |dir| absolute(&at.cwd, Path::new(&dir)));
        check_settings(&at.cwd, &home, search)?;
        let root = root(&at.cwd, search)?;
        let mut answer = Answer { root: root.clone().or_else(|| Some(at.cwd.clone())), ..Answer::default() };
        folders::doubt_backslash(&at.cwd, &mut answer);
        folders::doubt_closed(&home.join(".factory"), search, &mut answer)?;
        let places = places(&at.cwd, &home, root.as_deref());
        let guides = Kept::of(collect(&places, &NAMES, search, &mut answer)?, "coding_guidelines", &mut answer);
        let designs = Kept::of(collect(&places, &DESIGNS, search, &mut answer)?, "design_guidelines", &mut answer);
        let known: Vec<PathBuf> = guides.iter().filter(|kept| kept.whole).map(|kept| kept.file.path.clone()).collect();
        say(guides, designs, &mut answer);
        nested(at, root.as_deref(), known, search, &mut answer)?;
        doubts(at, &home, search, &mut answer)?;
        let places =
            places.into_iter().map(|(dir, _)| dir).filter(|dir| FOLDERS.iter().any(|name| dir.ends_with(name)));
        skills::doubted(places.map(|dir| dir.join("skills")).collect(), search, &mut answer)?;
        Ok(answer)
    }
}

/// Returns the settings files of the user and of every directory up to the file system root. The client searches them
/// for a sandbox.
fn settings(cwd: &Path, home: &Path) -> Vec<PathBuf> {
    let dirs = std::iter::once(home).chain(cwd.ancestors()).map(|dir| dir.join(".factory"));
    dirs.flat_map(|dir| ["settings.json", "settings.local.json"].map(|name| dir.join(name))).collect()
}

/// Refuses to start if settings exist and cannot be opened (Droid 0.225.2).
fn check_settings(cwd: &Path, home: &Path, search: &mut Search) -> Known<()> {
    search.expect(settings(cwd, home).into_iter().map(Ask::Content))?;
    for path in settings(cwd, home) {
        match search.read(&path, "settings of the sandbox")? {
            Err(problem @ Unreadable::Errno(errno)) if errno != Errno::NOENT => {
                return Err(Halt::refused(path, format!("these settings cannot be opened: {problem}")));
            }
            Err(Unreadable::Not(FileType::Fifo)) => {
                return Err(Halt::refused(path, "these settings are a pipe, which the client waits for"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns the nearest directory with a `.git` directory or file.
fn root(dir: &Path, search: &mut Search) -> Known<Option<PathBuf>> {
    search.expect(dir.ancestors().map(|dir| Ask::Kind(dir.join(".git"))))?;
    for above in dir.ancestors() {
        let git = search.stat(&above.join(".git"), "the root of the repository ends the search")?;
        if git.is_ok_and(|meta| matches!(meta.kind, FileType::Dir | FileType::File)) {
            return Ok(Some(above.to_owned()));
        }
    }
    Ok(None)
}

/// Returns the directories to search, nearest first, then those of the user.
fn places(cwd: &Path, home: &Path, root: Option<&Path>) -> Vec<(PathBuf, Scope)> {
    let of_user: Vec<PathBuf> = OF_USER.iter().map(|name| home.join(name)).collect();
    let personal: Vec<PathBuf> = FOLDERS.iter().map(|name| home.join(name)).collect();
    let mut places: Vec<(PathBuf, Scope)> = Vec::new();
    let mut seen = HashSet::new();
    for dir in cwd.ancestors() {
        if dir != home && seen.insert(dir.to_owned()) {
            let scope = if personal.iter().any(|own| own == dir) { Scope::User } else { Scope::Project };
            places.push((dir.to_owned(), scope));
        }
        for folder in FOLDERS.iter().map(|name| dir.join(name)).filter(|folder| !of_user.contains(folder)) {
            if seen.insert(folder.clone()) {
                places.push((folder, Scope::Project));
            }
        }
        if root.is_none_or(|root| root == dir) {
            break;
        }
    }
    places.extend(personal.into_iter().filter(|dir| !seen.contains(dir)).map(|dir| (dir, Scope::User)));
    places
}

/// File with its content.
struct File {
    path: PathBuf,
    scope: Scope,
    raw: Content,
}

/// Collects the files with these names in these places.
fn collect(places: &[(PathBuf, Scope)], names: &[&str], search: &mut Search, answer: &mut Answer) -> Known<Vec<File>> {
    search.expect(places.iter().map(|(dir, _)| Ask::LinkKind(dir.clone())))?;
    let all = places.iter().flat_map(|(dir, _)| names.iter().map(|name| Ask::LinkKind(dir.join(name))));
    search.expect(all.collect::<Vec<_>>())?;
    let mut found = Vec::new();
    for (dir, scope) in places {
        let mut taken: HashSet<String> = HashSet::new();
        for name in names {
            let path = dir.join(name);
            if taken.contains(&name.to_lowercase()) {
                if plain_file(&path, dir, search)? {
                    let reason = "a name comes first that differs in its letter case only";
                    answer.sources.push(Source::new(&path, *scope, Fate::Shadowed, reason));
                }
                continue;
            }
            if let Some(raw) = read(&path, dir, *scope, search, answer)? {
                taken.insert(name.to_lowercase());
                found.push(File { path, scope: *scope, raw });
            }
        }
    }
    Ok(found)
}

/// Returns true if this is a file in a directory, neither of them a symlink.
fn plain_file(path: &Path, dir: &Path, search: &mut Search) -> Known<bool> {
    const RULE: &str = "links are passed over";
    let is = |found: Result<crate::snapshot::Meta, _>, kind: FileType| found.is_ok_and(|meta| meta.kind == kind);
    Ok(is(search.lstat(dir, RULE)?, FileType::Dir) && is(search.lstat(path, RULE)?, FileType::File))
}

fn read(path: &Path, dir: &Path, scope: Scope, search: &mut Search, answer: &mut Answer) -> Known<Option<Content>> {
    if !plain_file(path, dir, search)? {
        if search.is_file(path, "asked only to explain: links are passed over")? {
            answer.sources.push(Source::new(path, scope, Fate::Excluded, "it is, or lies behind, a link"));
        }
        return Ok(None);
    }
    match search.read(path, "a file of that directory")? {
        Ok(raw) => Ok(Some(raw)),
        Err(problem) => {
            answer.sources.push(Source::new(path, scope, Fate::Unreadable, problem.to_string()));
            Ok(None)
        }
    }
}

/// File, and the range of its text that is sent.
struct Kept {
    file: File,
    range: Range<usize>,
    whole: bool,
    tag: &'static str,
}

impl Kept {
    /// Cuts the files to the limit, which they share in order.
    fn of(files: Vec<File>, tag: &'static str, answer: &mut Answer) -> Vec<Kept> {
        let frame = format!("<{tag}>\n\n</{tag}>").len();
        let (mut kept, mut used, mut over) = (Vec::new(), 0, false);
        for file in files {
            let text = file.raw.text().into_owned();
            let end = js_trim_end(&text).len();
            let size = utf16_len(&text[..end]) + frame;
            if !over && used + size <= MOST {
                used += size;
                kept.push(Kept { file, range: 0..end, whole: true, tag });
                continue;
            }
            let left = MOST - used;
            if !over && left > WORTHWHILE {
                let (head, splits) = first_units(&text, left - NOTE);
                if splits {
                    let reason = format!("{}: the limit cuts through a character", file.path.display());
                    answer.doubt(&[Certain::Text], reason);
                }
                let end = js_trim_end(&text[..head]).len();
                kept.push(Kept { file, range: 0..end, whole: false, tag });
            } else {
                let reason = format!("the {MOST} UTF-16 units are spent");
                let size = Some(file.raw.size());
                let source = Source::new(&file.path, file.scope, Fate::Dropped, reason);
                answer.sources.push(Source { size, limit: Some(limit(MOST)), ..source });
            }
            over = true;
        }
        kept
    }

    fn give(&self, section: &mut Section, home: bool, head: &str) {
        let Kept { file, range, whole, tag } = self;
        let name =
            |path: Option<&Path>| path.and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
        let shown = match home {
            true => format!("~/{}/{}", name(file.path.parent()), name(Some(&file.path))),
            false => file.path.display().to_string(),
        };
        let note = if *whole {
            String::new()
        } else {
            format!("\n... [truncated - guidelines exceed {MOST} character limit]")
        };
        let reason = "the nearest first";
        let given = Given { path: &file.path, raw: &file.raw, range: range.clone(), scope: file.scope, reason };
        section.file(given, |text| {
            Text::framed(format!("{head}% cat {shown}\n<{tag}>\n"), text, format!("{note}\n</{tag}>"))
        });
        if let Some(source) = section.last().filter(|_| !whole) {
            let reason = format!("the {MOST} UTF-16 units of all files end here");
            *source = Source { fate: Fate::Truncated, limit: Some(limit(MOST)), reason, ..source.clone() };
        }
    }
}

fn limit(value: usize) -> Limit {
    Limit { value, unit: Unit::Utf16, per: Per::Chain, from: "default".to_owned() }
}

/// Returns the end of the first UTF-16 units, and whether it would split a character.
fn first_units(text: &str, units: usize) -> (usize, bool) {
    let mut left = units;
    for (at, c) in text.char_indices() {
        if c.len_utf16() > left {
            return (at, left > 0);
        }
        left -= c.len_utf16();
    }
    (text.len(), false)
}

/// Adds the message: the project's guidelines and designs, then those of the user below another heading.
fn say(guides: Vec<Kept>, designs: Vec<Kept>, answer: &mut Answer) {
    let is_users = |kept: &Kept| kept.file.scope == Scope::User;
    let (own, project): (Vec<Kept>, Vec<Kept>) = guides.into_iter().partition(is_users);
    let (own_designs, project_designs): (Vec<Kept>, Vec<Kept>) = designs.into_iter().partition(is_users);
    let mut section = Section::new(Trigger::Session, Role::User);
    let project_is_there = !project.is_empty() || !project_designs.is_empty();
    let groups = [(project, false), (project_designs, false), (own, true), (own_designs, true)];
    let before_user = if project_is_there { "\n\n".to_owned() } else { format!("{HEAD}\n") };
    let mut project_head = Some(format!("{HEAD}## Project Instructions:\n"));
    let mut user_head = Some(format!("{before_user}## Personal Global Instructions:\n"));
    for (group, home) in groups {
        for (at, kept) in group.iter().enumerate() {
            let opens = if home { user_head.take() } else { project_head.take() };
            let head = opens.unwrap_or_else(|| if at == 0 { "\n".to_owned() } else { "\n\n".to_owned() });
            kept.give(&mut section, home, &head);
        }
    }
    section.finish("", answer);
}

/// Adds the files that reading the target brings.
fn nested(
    at: &Standpoint,
    root: Option<&Path>,
    known: Vec<PathBuf>,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<()> {
    let Some(target) = at.target.as_deref().filter(|_| at.tool == Tool::Read) else { return Ok(()) };
    if !is_read_as_text(target, search)? {
        return Ok(());
    }
    let mut seen: HashSet<PathBuf> = HashSet::new();
    for path in known.iter().chain(&at.already_loaded) {
        seen.insert(search.real(path)?.unwrap_or_else(|_| path.clone()));
    }
    let dirs = touched(at, root, target, search)?;
    let mut section = Section::new(Trigger::Read, Role::User);
    let mut used = 0;
    // The same reminder also lists skills on the path.
    let skills = dirs.iter().flat_map(|dir| FOLDERS.map(|name| dir.join(name).join("skills")));
    skills::doubted(skills.collect(), search, answer)?;
    for dir in dirs {
        for place in std::iter::once(dir.clone()).chain(FOLDERS.map(|name| dir.join(name))) {
            search.expect(NAMES.iter().map(|name| Ask::LinkKind(place.join(name))))?;
            for path in NAMES.map(|name| place.join(name)) {
                let Ok(real) = search.real(&path)? else { continue };
                if !seen.insert(real) {
                    continue;
                }
                let Some(raw) = read(&path, &place, Scope::Nested, search, answer)? else { continue };
                let text = raw.text().into_owned();
                if used + utf16_len(&text) > MOST_READ {
                    let source = Source::new(
                        &path,
                        Scope::Nested,
                        Fate::Dropped,
                        format!("more than {MOST_READ} UTF-16 units for one read"),
                    );
                    answer.sources.push(Source { trigger: Trigger::Read, limit: Some(limit(MOST_READ)), ..source });
                    continue;
                }
                used += utf16_len(&text);
                let first = section.is_empty();
                let head =
                    if first { "Additional project instructions discovered along the accessed paths:\n\n" } else { "" };
                let given = Given {
                    path: &path,
                    raw: &raw,
                    range: 0..js_trim_end(&text).len(),
                    scope: Scope::Nested,
                    reason: "on the way to what is read",
                };
                let head = format!("{head}## {}\n<coding_guidelines>\n", path.display());
                section.file(given, |text| Text::framed(head, text, "\n</coding_guidelines>"));
            }
        }
    }
    let first = answer.messages.len();
    section.finish("\n\n", answer);
    if let Some(message) = answer.messages.get_mut(first) {
        *message = message.clone().between("<system-reminder>\n", "\n</system-reminder>");
    }
    Ok(())
}

/// Extensions of files that are read as an image or a PDF, which brings no files (Droid 0.225.2).
const NO_TEXT: &str = " 3ds apng avci avcs avif azv b16 bmp btf btif cgm cmx dds dib djv djvu dng dpx drle dwg dxf emf exr fbs fh \
    fh4 fh5 fh7 fhc fits fpx fst g3 gif heic heics heif heifs hej2 ico ief jaii jais jfif jhc jls jng jp2 jpe jpeg jpf jpg jpg2 \
    jpgm jph jpm jpx jxl jxr jxra jxrs jxs jxsc jxsi jxss ktx ktx2 mdi mmr npx pbm pct pcx pdf pgm pic png pnm ppm psd pti ras \
    rgb rlc sgi sid t38 tap tfx tga tif tiff uvg uvi uvvg uvvi vtf wbmp wdp webp wmf xbm xif xpm xwd ";

/// Returns true if reading a file yields text. Only then the files on the path to it are added.
fn is_read_as_text(path: &Path, search: &mut Search) -> Known<bool> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    if extension.is_some_and(|extension| NO_TEXT.contains(&format!(" {extension} "))) {
        return Ok(false);
    }
    let read = search.read(path, "what is read: only text brings the files on the way")?;
    Ok(!matches!(read, Err(Unreadable::Errno(_) | Unreadable::Not(FileType::Dir))))
}

/// Keys of settings with a text, a list or a table (Droid 0.225.2).
const TEXTS: &str = "autonomyLevel autonomyMode factoryRouterGuidance interactionMode maxAutonomyLevel missionOrchestratorModel \
    missionOrchestratorReasoningEffort model outputStyle reasoningEffort specModeModel specModeReasoningEffort subagentAutonomyLevel";
const LISTS: &str = "byomComputersAllowedEmails commandAllowlist commandBlocklist commandDenylist customModels disabledSkills \
    factoryRouterRules managedComputersAllowedEmails mcpAutonomyUrlOverrides strictKnownMarketplaces";
const TABLES: &str = "builtInToolAutonomyOverrides cycleTimeBoundaries enabledPlugins env extraKnownMarketplaces hooks \
    mcpAutonomyOverrides mcpPolicy missionModelSettings missionPolicy modelPolicy networkPolicy personaSettings sandbox \
    sessionDefaultSettings subagentModelSettings telemetry userModelPolicies";

/// Returns the first key of settings whose value is of another type. The client tolerates most of these.
fn mistyped(settings: &Node) -> Option<&str> {
    let is_one_of = |keys: &str, key: &str| keys.split(' ').any(|known| known == key);
    let is_wrong = |(key, node): &&(String, Node)| {
        is_one_of(TEXTS, key) && node.as_text().is_none()
            || is_one_of(LISTS, key) && node.as_list().is_none()
            || is_one_of(TABLES, key) && node.as_table().is_none()
    };
    settings.as_table()?.iter().find(is_wrong).map(|(key, _)| key.as_str())
}

/// Doubts the answer if sandboxes, hooks, policies or variables may change what is sent.
fn doubts(at: &Standpoint, home: &Path, search: &mut Search, answer: &mut Answer) -> Known<()> {
    if at.session == SessionKind::Subagent {
        answer.doubt(&[Certain::Set], "sub-agents of Droid could not be asked");
    }
    let mut found = Vec::new();
    for path in settings(&at.cwd, home) {
        let Ok(raw) = search.read(&path, "settings of the sandbox")? else { continue };
        if raw.text().contains("\"sandbox\"") {
            found.push((path.clone(), "a sandbox"));
        }
        if raw.text().contains("\"hooks\"") {
            found.push((path.clone(), "a hook"));
        }
        if let Some(key) = parse_json(&raw.text()).ok().as_ref().and_then(mistyped) {
            let reason = format!("{}: at {key} of another type the client may stop", path.display());
            answer.doubt(&[Certain::Set], reason);
        }
    }
    for dir in std::iter::once(home).chain(at.cwd.ancestors()).map(|dir| dir.join(".factory")) {
        let path = dir.join("hooks.json");
        if search.is_file(&path, "hooks")? {
            found.push((path, "a hook"));
        }
    }
    for name in ["org-managed-settings.cache.json", "cache/org-managed-settings.json"] {
        let path = home.join(".factory").join(name);
        if search.is_file(&path, "settings of the organization")? {
            found.push((path, "a policy"));
        }
    }
    for variable in ["FACTORY_RUNTIME_SETTINGS_PATH", "FACTORY_ORG_MANAGED_SETTINGS_LOCAL_PATH"] {
        if search.has_env(variable) {
            answer.doubt(&[Certain::Set], format!("the settings that {variable} names were not looked up"));
        }
    }
    if search.env("FACTORY_ENV").is_some_and(|env| env != "production") {
        answer.doubt(&[Certain::Set], "FACTORY_ENV may give the folders of the client another name");
    }
    for (path, what) in found.into_iter().filter(|(_, what)| at.target.is_some() || *what == "a sandbox") {
        answer.doubt(&[Certain::Set], format!("{}: {what} may keep files from the client", path.display()));
    }
    Ok(())
}

/// Returns the directories on the path to the working directory and to the target, without duplicates.
fn touched(at: &Standpoint, root: Option<&Path>, target: &Path, search: &mut Search) -> Known<Vec<PathBuf>> {
    let (mut dirs, mut known): (Vec<PathBuf>, HashSet<PathBuf>) = Default::default();
    for end in [at.cwd.as_path(), target.parent().unwrap_or(Path::new("/"))] {
        for dir in on_the_way(at, root, end, search)? {
            if known.insert(dir.clone()) {
                dirs.push(dir);
            }
        }
    }
    Ok(dirs)
}

/// Returns the directories on the path to one that a tool touched: below the root of this repository, from the root of
/// another one, or below the home directory.
fn on_the_way(at: &Standpoint, root: Option<&Path>, dir: &Path, search: &mut Search) -> Known<Vec<PathBuf>> {
    if FOLDERS.iter().any(|name| dir.starts_with(at.home.join(name))) {
        return Ok(Vec::new());
    }
    let start = root.unwrap_or(&at.cwd);
    let (boundary, included) = if dir.starts_with(start) {
        (start.to_owned(), false)
    } else {
        match self::root(dir, search)?.filter(|root| !at.home.starts_with(root)) {
            Some(root) => (root, true),
            None if dir.starts_with(&at.home) => (at.home.clone(), false),
            None => return Ok(Vec::new()),
        }
    };
    let mut dirs: Vec<PathBuf> = dir
        .ancestors()
        .take_while(|dir| included || *dir != boundary)
        .take_while(|dir| dir.starts_with(&boundary))
        .map(Path::to_owned)
        .collect();
    dirs.reverse();
    Ok(dirs)
}
