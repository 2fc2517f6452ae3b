//! Skills: the folders that are searched, and the block that lists them.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::OpenCode;
use super::brand::{Ownership, TwinSkills};
use super::config::Config;
use super::flags::Flags;
use super::permissions::Rules;
use super::places::{Owner, Places};
use super::rules::{FindError, Locations, OwnSkill, SkillOrder, SkillsPlace};
use super::variables::is_outside;
use super::{front_matter, system};
use crate::answer::{
    Answer, Certain, Fate, Message, MessageKind, Place, Purpose, Role, Scope, Source, Trigger, Warning,
};
use crate::formats::{Node, Value};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, Errno, absolute};
use crate::text::{Size, js_trim, locale_compare};

/// A skill that is listed.
pub(super) struct Skill {
    name: String,
    description: Option<String>,
    location: String,
    /// Index of its source, if it is a file.
    source: Option<usize>,
    /// Its file, and the text after the front matter.
    file: Option<(PathBuf, String)>,
}

/// Result of calling a skill.
pub(super) struct Call {
    text: String,
    doubt: Option<String>,
}

impl Call {
    pub fn add(self, answer: &mut Answer) {
        let message = Message::instructions(Trigger::Call, Role::Tool, self.text);
        answer.messages.push(Message { kind: MessageKind::Call, ..message });
        if let Some(doubt) = self.doubt {
            answer.doubt(&[Certain::Text], doubt);
        }
    }
}

/// Maximum number of files beside a skill that a call names (1.18.33).
const FILES_BESIDE: usize = 10;

impl Skill {
    /// Returns true if the model calls it by `name`.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name
    }

    /// Returns the result of calling it; `None` for a bundled skill, or a version that was not checked.
    pub fn body(&self, edition: &OpenCode, search: &mut Search) -> Known<Option<Call>> {
        let Some((file, body)) = self.file.as_ref().filter(|_| edition.was_followed()) else {
            return Ok(None);
        };
        let dir = file.parent().unwrap_or(file);
        let found =
            search.glob(dir, "**/*", edition.globs.following(true), "files beside a skill, which a call names")?;
        let mut beside: Vec<&PathBuf> = found.files.iter().filter(|beside| *beside != file).collect();
        beside.sort();
        let doubt = match beside.len() {
            0 | 1 => None,
            2..=FILES_BESIDE => {
                Some("the files beside the skill are named in the order in which they happen to be found".to_owned())
            }
            all => Some(format!(
                "{FILES_BESIDE} of the {all} files beside the skill are named, and which changes from run to run"
            )),
        };
        beside.truncate(FILES_BESIDE);
        let files: Vec<String> = beside.iter().map(|file| format!("<file>{}</file>", file.display())).collect();
        let text = format!(
            "<skill_content name=\"{0}\">\n# Skill: {0}\n\n{1}\n\nBase directory for this skill: {2}\n\
             Relative paths in this skill (e.g., scripts/, reference/) are relative to this base directory.\n\
             Note: file list is sampled.\n\n<skill_files>\n{3}\n</skill_files>\n</skill_content>",
            self.name,
            js_trim(body),
            dir.display(),
            files.join("\n")
        );
        Ok(Some(Call { text, doubt }))
    }

    /// Returns its lines of the list.
    fn element(&self, description: &str) -> String {
        format!(
            "  <skill>\n    <name>{}</name>\n    <description>{description}</description>\n    <location>{}</location>\n  </skill>",
            self.name, self.location
        )
    }
}

/// Finds the skills.
pub(super) fn look(
    edition: &OpenCode,
    flags: &Flags,
    places: &Places,
    config: &Config,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<Vec<Skill>> {
    let files = files(edition, walks(edition, flags, places, config, search)?, search)?;
    let mut named = Named::default();
    own(edition, places).into_iter().for_each(|skill| named.push(skill));
    for SkillFile { path, scope, owner } in files {
        if let Some(problem) = refused(edition, places, (&path, owner), search)? {
            let source = Source::new(path, scope, Fate::Dropped, problem);
            answer.sources.push(Source { purpose: Purpose::Skill, trigger: Trigger::Call, ..source });
            continue;
        }
        add(edition, places, (&path, scope), &mut named, search, answer)?;
    }
    let Named { mut skills, twins, .. } = named;
    warn_of_twins(edition, &twins, answer);
    name_urls(config, answer);
    sort(edition, &mut skills, answer);
    Ok(skills)
}

/// A folder that is searched for skills, and the owner of its files.
struct Walk {
    base: PathBuf,
    pattern: &'static str,
    /// True if folders that begin with a dot are entered.
    dot: bool,
    scope: Scope,
    owner: Owner,
}

/// A SKILL.md that was found.
struct SkillFile {
    path: PathBuf,
    scope: Scope,
    owner: Owner,
}

/// Returns the files that the walks find, in order. A file found by several walks has the owner of the last one.
fn files(edition: &OpenCode, walks: Vec<Walk>, search: &mut Search) -> Known<Vec<SkillFile>> {
    let flavor = |walk: &Walk| edition.globs.following(walk.dot);
    search.expect(walks.iter().map(|walk| Ask::Glob {
        base: walk.base.clone(),
        pattern: walk.pattern.to_owned(),
        flavor: flavor(walk),
    }))?;
    let (mut files, mut known): (Vec<SkillFile>, HashMap<PathBuf, usize>) = Default::default();
    for walk in walks {
        for file in search.glob(&walk.base, walk.pattern, flavor(&walk), "skills")?.files.iter() {
            match known.get(file) {
                Some(at) => files[*at].owner = walk.owner,
                None => {
                    known.insert(file.clone(), files.len());
                    files.push(SkillFile { path: file.clone(), scope: walk.scope, owner: walk.owner });
                }
            }
        }
    }
    search.expect(files.iter().map(|file| Ask::Content(file.path.clone())))?;
    Ok(files)
}

/// Returns the bundled skill, if there is one.
fn own(edition: &OpenCode, places: &Places) -> Option<Skill> {
    let (name, description, place) = edition.brand.skill;
    match edition.own_skill {
        OwnSkill::NotThere => None,
        OwnSkill::Listed => Some(Skill {
            name: name.to_owned(),
            description: Some(description.to_owned()),
            location: location(edition, places, place),
            source: None,
            file: None,
        }),
    }
}

/// Adds the servers whose skills the client downloads to the sources.
fn name_urls(config: &Config, answer: &mut Answer) {
    for url in config.texts(&["skills", "urls"]).into_iter().map(|url| config.shown(url)) {
        let reason = "skills of this server are downloaded at the start; not fetched here";
        answer.sources.push(Source {
            place: Place::Url(url.to_owned()),
            purpose: Purpose::Skill,
            ..Source::new("", Scope::Remote, Fate::Pending, reason)
        });
        answer.doubt(&[Certain::Set], format!("the skills of {url} are not known"));
    }
}

/// Sorts the skills into the order of the list.
fn sort(edition: &OpenCode, skills: &mut [Skill], answer: &mut Answer) {
    if edition.skill_order == SkillOrder::AsFound {
        if skills.len() > 1 {
            answer.doubt(&[Certain::Order], "skills are listed in the order in which they happen to be read");
        }
        return;
    }
    skills.sort_by(|one, other| locale_compare(&one.name, &other.name));
}

/// Returns the reason why a client that distinguishes owners refuses a skill.
fn refused(
    edition: &OpenCode,
    places: &Places,
    (file, owner): (&Path, Owner),
    search: &mut Search,
) -> Known<Option<String>> {
    if edition.brand.ownership == Ownership::Same {
        return Ok(None);
    }
    // A file whose real path is in the project belongs to the project.
    let owner = if is_outside(file, places.top(), search)? { owner } else { Owner::Project };
    let Ok(raw) = search.read(file, "a skill: its head names and describes it")? else { return Ok(None) };
    let text = edition.decoding.decode(&raw);
    let body = front_matter::parse(&text).map(|markdown| markdown.content).unwrap_or_default();
    let filled = system::filled_in(edition, file, &body, places.rights(edition, owner), places, search)?;
    Ok(filled.err().map(|problem| format!("not a skill: {problem}")))
}

/// Pattern for the skills of other programs in their own folders.
const EXTERNAL: &str = "skills/**/SKILL.md";

/// Returns the folders to search for skills, in the client's order.
fn walks(edition: &OpenCode, flags: &Flags, places: &Places, config: &Config, search: &mut Search) -> Known<Vec<Walk>> {
    let mut walks = Vec::new();
    let external: &[&str] = match (flags.no_external_skills, flags.no_claude_skills) {
        (true, _) => &[],
        (false, true) => &[".agents"],
        (false, false) => &[".claude", ".agents"],
    };
    let levels = places.levels();
    search.expect(
        levels.iter().chain([&places.home]).flat_map(|dir| external.iter().map(|name| Ask::Kind(dir.join(name)))),
    )?;
    for name in external {
        let dir = places.home.join(name);
        if search.is_dir(&dir, "skills of other programs")? {
            walks.push(Walk { base: dir, pattern: EXTERNAL, dot: true, scope: Scope::User, owner: Owner::User });
        }
    }
    let mut project = Vec::new();
    let mut failed = false;
    // A client that distinguishes owners does not search above the top of the project.
    let is_within_reach =
        |level: &&PathBuf| edition.brand.ownership == Ownership::Same || level.starts_with(places.top());
    let (scope, owner) = (Scope::Project, Owner::Project);
    for level in levels.iter().filter(is_within_reach) {
        for name in external {
            let dir = level.join(name);
            match search.stat(&dir, "skills of other programs, nearest level first")? {
                Ok(_) => project.push(Walk { base: dir, pattern: EXTERNAL, dot: true, scope, owner }),
                Err(Errno::NOENT) => {}
                Err(_) => failed |= edition.find_error != FindError::SkipsLevel,
            }
        }
    }
    if !failed {
        walks.extend(project);
    }
    for dir in &config.directories {
        let is_named = places.named_config_dir().as_ref() == Some(dir);
        let owner = if is_named { Owner::User } else { places.owner(dir) };
        let pattern = "{skill,skills}/**/SKILL.md";
        walks.push(Walk { base: dir.clone(), pattern, dot: false, scope: Scope::Config, owner });
    }
    for path in config.texts(&["skills", "paths"]) {
        let dir = match path.strip_prefix("~/") {
            Some(rest) => absolute(&places.home, Path::new(rest)),
            None => absolute(&places.directory, Path::new(path)),
        };
        let shown = config.shown(path);
        search.show_as((shown != path).then(|| shown.into()));
        let is_dir = search.is_dir(&dir, "skills.paths");
        search.show_as(None);
        if is_dir? {
            let owner = if path.starts_with(['/', '~']) { config.owner(path) } else { Owner::Project };
            walks.push(Walk { base: dir, pattern: "**/SKILL.md", dot: false, scope: Scope::Config, owner });
        }
    }
    Ok(walks)
}

/// Adds the skill of a file; of two with one name, the later one replaces the other.
fn add(
    edition: &OpenCode,
    places: &Places,
    (file, scope): (&Path, Scope),
    named: &mut Named,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<()> {
    let source = |fate, reason: &str| Source {
        purpose: Purpose::Skill,
        trigger: Trigger::Call,
        ..Source::new(file, scope, fate, reason)
    };
    let raw = match search.read(file, "a skill: its head names and describes it")? {
        Ok(raw) => raw,
        Err(problem) => {
            answer.sources.push(source(Fate::Unreadable, &problem.to_string()));
            return Ok(());
        }
    };
    let Some((name, description, body)) = head(edition, &edition.decoding.decode(&raw)) else {
        let reason = "not a skill: its front matter must have a `name`, and a `description` that is a text";
        answer.sources.push(Source { size: Some(raw.size()), ..source(Fate::Dropped, reason) });
        return Ok(());
    };
    let location = location(edition, places, &file.to_string_lossy());
    let called = Some(name.clone());
    let skill =
        Skill { name, description, location, source: Some(answer.sources.len()), file: Some((file.to_owned(), body)) };
    let (fate, reason) = match (&skill.description, edition.skills) {
        (None, _) => (Fate::Excluded, "not listed, because it has no description; the agent can still call it"),
        (Some(_), SkillsPlace::SystemPrompt | SkillsPlace::BeforeInstructions) => (Fate::Excluded, NOT_LISTED),
        (Some(_), SkillsPlace::ToolDescription) => {
            let reason = "named and described where the skill tool is; its body is sent when the agent calls for it";
            (Fate::Listed, reason)
        }
    };
    answer.sources.push(Source { size: Some(raw.size()), called, ..source(fate, reason) });
    let Some(known) = named.places.get(&skill.name).map(|at| &mut named.skills[*at]) else {
        named.push(skill);
        return Ok(());
    };
    let other = known.file.as_ref().map(|(file, _)| search.real(file)).transpose()?;
    let body = |skill: &Skill| skill.file.as_ref().map(|(_, body)| body.clone());
    let is_copy = known.description == skill.description && body(known) == body(&skill);
    named.twins.push(Twins {
        name: skill.name.clone(),
        file: file.to_owned(),
        is_same: is_copy || other == Some(search.real(file)?),
        locations: [known.location.clone(), skill.location.clone()],
    });
    if let Some(displaced) = known.source.map(|source| &mut answer.sources[source]) {
        displaced.fate = Fate::Shadowed;
        displaced.by = Some(file.to_owned());
        displaced.reason = match edition.brand.twins {
            TwinSkills::Either => {
                format!("{} has the same name; which one is taken changes from run to run", file.display())
            }
            TwinSkills::Later => format!("{} has the same name and comes later", file.display()),
        };
    }
    *known = skill;
    Ok(())
}

/// Returns the name and the description of a skill, and the text after its front matter, if the front matter is valid.
fn head(edition: &OpenCode, text: &str) -> Option<(String, Option<String>, String)> {
    let front_matter::Markdown { data, content } = front_matter::parse(text)?;
    let name = data.get("name").and_then(Node::as_text)?.to_owned();
    match data.get("description").map(|node| &node.value) {
        None if edition.own_skill == OwnSkill::NotThere => None,
        None => Some((name, None, content)),
        Some(Value::Text(text)) => Some((name, Some(text.clone()), content)),
        Some(_) => None,
    }
}

/// Reason why a skill is not in the list, until it is added there.
const NOT_LISTED: &str = "not listed for this agent, whose permissions deny it";

/// The skills that were found, one per name.
#[derive(Default)]
struct Named {
    skills: Vec<Skill>,
    /// Index of the skill of each name in `skills`.
    places: HashMap<String, usize>,
    twins: Vec<Twins>,
}

impl Named {
    fn push(&mut self, skill: Skill) {
        self.places.insert(skill.name.clone(), self.skills.len());
        self.skills.push(skill);
    }
}

/// Two skills with one name.
struct Twins {
    name: String,
    file: PathBuf,
    /// True if both are one file, through a link, or copies.
    is_same: bool,
    locations: [String; 2],
}

/// Maximum number of names in a warning.
const NAMES_LISTED: usize = 5;

/// Warns once about all twins with different texts, unless it is known which one is taken. If the list is part of the
/// prompt, its text is uncertain in any case.
fn warn_of_twins(edition: &OpenCode, twins: &[Twins], answer: &mut Answer) {
    let different: Vec<&Twins> = twins.iter().filter(|twins| !twins.is_same).collect();
    if let Some(first) = different.first().filter(|_| edition.brand.twins == TwinSkills::Either) {
        answer.warnings.push(Warning::at("duplicate-skill", &first.file, twins_message(edition, &different)));
    }
    let all: Vec<&Twins> = twins.iter().collect();
    if !all.is_empty() && edition.brand.twins == TwinSkills::Either && edition.skills != SkillsPlace::ToolDescription {
        answer.doubt(&[Certain::Text], twins_message(edition, &all));
    }
}

/// Describes skills that share a name.
fn twins_message(edition: &OpenCode, twins: &[&Twins]) -> String {
    let mut known = HashSet::new();
    let names: Vec<&str> = twins.iter().map(|twins| twins.name.as_str()).filter(|name| known.insert(*name)).collect();
    let which = match (names.len(), twins.first()) {
        (1, Some(first)) => {
            format!("two skills are named {}: {} and {}", first.name, first.locations[0], first.locations[1])
        }
        (count, _) => {
            let more = count.saturating_sub(NAMES_LISTED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let listed = names.iter().take(NAMES_LISTED).copied().collect::<Vec<_>>().join(", ");
            format!("{count} names are those of two skills each: {listed}{more}")
        }
    };
    format!("{which}; which one {} takes changes from run to run", edition.brand.title)
}

/// Returns the block, unless the agent's rules remove the skill tool; a skill that they deny is not listed. Records the
/// position in the sources.
pub(super) fn block(skills: &[Skill], rules: &Rules, answer: &mut Answer) -> Option<String> {
    if rules.take_away("skill") {
        return None;
    }
    let mut lines = vec![
        "Skills provide specialized instructions and workflows for specific tasks.".to_owned(),
        "Use the skill tool to load a skill when a task matches its description.".to_owned(),
    ];
    let listed: Vec<(&Skill, &String)> = skills
        .iter()
        .filter(|skill| !rules.deny("skill", &skill.name))
        .filter_map(|skill| Some((skill, skill.description.as_ref()?)))
        .collect();
    if listed.is_empty() {
        lines.push("No skills are currently available.".to_owned());
        return Some(lines.join("\n"));
    }
    lines.push("<available_skills>".to_owned());
    let message = answer.messages.len();
    for (skill, description) in listed {
        let element = skill.element(description);
        if let Some(source) = skill.source.map(|source| &mut answer.sources[source]) {
            source.fate = Fate::Listed;
            source.reason = "listed by name and description; its text is sent when the agent calls it".to_owned();
            source.sent = Some(Size::of(&element));
            (source.message, source.part) = (Some(message), Some(0));
        }
        lines.push(element);
    }
    lines.push("</available_skills>".to_owned());
    Some(lines.join("\n"))
}

/// Formats the location of a skill for the list.
fn location(edition: &OpenCode, places: &Places, file: &str) -> String {
    match edition.locations {
        Locations::Paths => file
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
            .replace('"', "&quot;")
            .replace('\'', "&#39;"),
        Locations::Urls => file_url(&absolute(&places.directory, Path::new(file))),
    }
}

/// Converts an absolute path like Bun's `pathToFileURL` (1.3).
fn file_url(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"!$&'()*+,-./:;=@_".contains(&byte);
    path.to_string_lossy().bytes().fold("file://".to_owned(), |mut url, byte| {
        if plain(byte) {
            url.push(char::from(byte));
        } else {
            url.push_str(&format!("%{byte:02X}"));
        }
        url
    })
}
