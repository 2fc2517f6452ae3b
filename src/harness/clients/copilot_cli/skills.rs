//! Skills of the working directory, of the directories above it, of the user, and of directories in the settings; then
//! the commands of Claude Code, which are listed in the same way.

use std::path::{Path, PathBuf};

use super::find;
use crate::answer::{Answer, Fate, Scope, Standpoint};
use crate::formats::{FormatError, Node, Value, parse_jsonc, parse_rust_yaml, position};
use crate::harness::kit::heads;
use crate::harness::kit::skills::{self, Skill, Walk, element, is_on, is_plain};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, FileType, absolute};

/// Folders are entered unless they are a skill. The client has no limit of depth.
const WALK: Walk =
    Walk { depth: 64, hidden: false, folder_links: true, file_links: true, ends_at_skill: true, root_counts: true };

/// Maximum length of a name and of a description, in characters (Copilot CLI 1.0.102).
const NAME_CHARACTERS: usize = 64;
const DESCRIPTION_CHARACTERS: usize = 1024;

/// Folders of skills in a project, in order of precedence.
const KINDS: [&str; 3] = [".github/skills", ".agents/skills", ".claude/skills"];

/// Folder of commands in a directory.
const COMMANDS: &str = ".claude/commands";

/// Number of lines that serve as a description if there is none (Copilot CLI 1.0.102).
const LINES: usize = 3;

/// Owner of a skill. Consecutive skills of the same owner are sorted together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Project,
    Above,
    Copilots,
    Agents,
    Settings,
    /// Commands of a directory, by its distance above the working directory.
    Commands(usize),
}

/// Form of a skill.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A folder with a SKILL.md.
    Folder,
    /// A Markdown file, whose front matter is optional.
    Command,
}

/// Adds the list of skills, and their sources. Commands are read from the working directory and those above it, up to
/// the root of the repository.
pub(super) fn look(
    at: &Standpoint,
    home: &Path,
    repository: Option<&Path>,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<()> {
    let settings = settings(home, search)?;
    let texts = |key: &str| -> Vec<String> {
        let list = settings.as_ref().and_then(|node| node.get(key)).and_then(Node::as_list).unwrap_or_default();
        list.iter().filter_map(Node::as_text).map(str::to_owned).collect()
    };
    let (disabled, more) = (texts("disabledSkills"), texts("skillDirectories"));
    let listed = search.env("COPILOT_SKILLS_DIRS").unwrap_or_default();
    let listed = listed.split(',').map(str::trim).filter(|dir| !dir.is_empty()).map(str::to_owned);
    let more: Vec<String> = listed.chain(more).collect();
    let moved = search.env("COPILOT_HOME").filter(|home| !home.is_empty());
    let moved = moved.is_some_and(|home| Path::new(&home) != at.home.join(".copilot"));
    let places = places(at, home, repository, moved, &more);
    search.expect(places.iter().map(|(dir, _)| Ask::Listing(dir.clone())))?;
    let mut found: Vec<(Owner, Skill)> = Vec::new();
    for (dir, owner) in places {
        let scope = match owner {
            Owner::Project | Owner::Above | Owner::Commands(_) => Scope::Project,
            Owner::Copilots | Owner::Agents => Scope::User,
            Owner::Settings => Scope::Config,
        };
        for path in skills::shared_below(
            "skills of Copilot CLI",
            &dir,
            |dir, _, search| skills::inside(dir, WALK, search),
            search,
        )? {
            found.extend(skill(&path, scope, Form::Folder, search, answer)?.map(|skill| (owner, skill)));
        }
    }
    found.extend(commands(at, repository, search, answer)?);
    for (_, skill) in found.iter_mut().filter(|(_, skill)| skill.counts() && disabled.contains(&skill.name)) {
        skill.leave_out(Fate::Excluded, "disabledSkills names it in settings.json");
    }
    let (mut owners, mut found): (Vec<Owner>, Vec<Skill>) = found.into_iter().unzip();
    skills::first_of_each_name(&mut found);
    // A skill with a duplicate name does not split a run of one owner.
    for index in 1..found.len() {
        if found[index].source.fate == Fate::Shadowed {
            owners[index] = owners[index - 1];
        }
    }
    let mut rest = found.as_mut_slice();
    for run in owners.chunk_by(|one, other| one == other) {
        let (these, others) = rest.split_at_mut(run.len());
        these.sort_by(|one, other| one.name.cmp(&other.name));
        rest = others;
    }
    let location = |skill: &Skill| match skill.source.scope {
        Scope::User => "user",
        Scope::Config => "custom",
        _ => "project",
    };
    let entry = |skill: &Skill| element("", skill, location(skill), skills::xml);
    let (list, sources) = skills::told(found, answer.messages.len(), entry);
    answer.messages.extend(list);
    answer.sources.extend(sources);
    Ok(())
}

/// Returns the user's `settings.json`.
fn settings(home: &Path, search: &mut Search) -> Known<Option<Node>> {
    let Ok(raw) = search.read(&home.join("settings.json"), "which skills are off, and where else they are")? else {
        return Ok(None);
    };
    Ok(parse_jsonc(&raw.text_without_bom()).ok())
}

/// Returns the folders of skills, in order. If the client's directory is `moved`, or only written differently,
/// `.agents` of the home directory does not count as the user's.
fn places(
    at: &Standpoint,
    home: &Path,
    repository: Option<&Path>,
    moved: bool,
    more: &[String],
) -> Vec<(PathBuf, Owner)> {
    let mut places = Vec::new();
    for kind in KINDS {
        let dirs = find::levels(at, repository, kind);
        let owner = |dir: &Path| if dir == at.cwd { Owner::Project } else { Owner::Above };
        places.extend(dirs.map(|dir| (dir.join(kind), owner(dir))));
    }
    places.push((home.join("skills"), Owner::Copilots));
    if !moved {
        places.push((at.home.join(".agents/skills"), Owner::Agents));
    }
    places.extend(more.iter().map(|dir| (absolute(&at.cwd, Path::new(dir)), Owner::Settings)));
    places
}

/// Returns the Claude Code commands of a project: the Markdown files of a folder, sorted by path. Commands of the home
/// directory are not read.
fn commands(
    at: &Standpoint,
    repository: Option<&Path>,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<Vec<(Owner, Skill)>> {
    let folders: Vec<PathBuf> = find::levels(at, repository, COMMANDS).map(|dir| dir.join(COMMANDS)).collect();
    search.expect(folders.iter().cloned().map(Ask::Listing))?;
    let mut found = Vec::new();
    for (level, folder) in folders.into_iter().enumerate() {
        let Ok(entries) = search.list(&folder, "commands, which are listed as skills are")? else { continue };
        let is_markdown = |name: &str| !name.starts_with('.') && name.to_ascii_lowercase().ends_with(".md");
        let named = entries.iter().filter(|entry| entry.name.to_str().is_some_and(is_markdown));
        let mut files: Vec<PathBuf> = named
            .filter(|entry| matches!(entry.kind, FileType::File | FileType::Link))
            .map(|entry| folder.join(&entry.name))
            .collect();
        files.sort();
        search.expect(files.iter().flat_map(|file| [Ask::Kind(file.clone()), Ask::Content(file.clone())]))?;
        for file in files {
            if search.is_file(&file, "a command, which is listed as a skill is")? {
                let command = skill(&file, Scope::Project, Form::Command, search, answer)?;
                found.extend(command.map(|command| (Owner::Commands(level), command)));
            }
        }
    }
    Ok(found)
}

/// Returns the reason for refusing front matter that is not YAML. It begins on the second line of its file.
fn not_yaml(head: &str, error: &FormatError) -> String {
    let (line, column) = position(head, error.at.start);
    format!("its head is no YAML at line {}, column {column}", line + 1)
}

fn skill(path: &Path, scope: Scope, form: Form, search: &mut Search, answer: &mut Answer) -> Known<Option<Skill>> {
    let Some(file) = skills::read(path, scope, search, &mut answer.sources)? else { return Ok(None) };
    let text = file.text.strip_prefix('\u{feff}').unwrap_or(&file.text).to_owned();
    let needs_head = form == Form::Folder || text.trim_start().starts_with("---");
    let (head, body) = match heads::whole_lines(&text) {
        Some((head, body)) => (parse_rust_yaml(head).map_err(|error| not_yaml(head, &error)), body),
        None if needs_head => (Err("it must begin with a head of YAML between lines of three dashes".to_owned()), ""),
        None => (Ok(Node { at: 0..0, value: Value::Table(Vec::new()) }), text.as_str()),
    };
    let head = match head {
        Ok(head) => head,
        Err(reason) => {
            answer.sources.push(file.refused(&reason));
            return Ok(None);
        }
    };
    if let Some((key, kind)) = mistyped(&head, form) {
        answer.sources.push(file.refused(&format!("its `{key}` must be {kind}")));
        return Ok(None);
    }
    let text_of = |key: &str| head.get(key).and_then(Node::as_text).map(|text| text.trim_ascii_end().to_owned());
    let (name, description) = (text_of("name"), text_of("description"));
    let own = match form {
        Form::Folder => path.parent().and_then(Path::file_name),
        Form::Command => path.file_stem(),
    };
    let own = own.unwrap_or_default().to_string_lossy().into_owned();
    let name = name.unwrap_or(own).split_whitespace().collect::<Vec<_>>().join("-");
    let description = description.unwrap_or_else(|| first_lines(body));
    if !is_plain(&name) {
        answer.sources.push(file.refused("its name may have letters, digits, `_`, `-`, `.` and `:`"));
        return Ok(None);
    }
    if name.chars().count() > NAME_CHARACTERS || description.chars().count() > DESCRIPTION_CHARACTERS {
        let reason =
            format!("its name may have {NAME_CHARACTERS} characters, and its description {DESCRIPTION_CHARACTERS}");
        answer.sources.push(file.refused(&reason));
        return Ok(None);
    }
    let mut skill = file.named(name, description);
    if is_on(&head, "disable-model-invocation") {
        skill.leave_out(Fate::Excluded, "`disable-model-invocation`: only the user can call it");
    }
    Ok(Some(skill))
}

/// Returns the first key whose value has a type that the client does not accept, and the accepted type.
fn mistyped(head: &Node, form: Form) -> Option<(&'static str, &'static str)> {
    let is_text = |node: &Node| node.as_text().is_some();
    let is_list = |node: &Node| node.as_list().is_some_and(|list| list.iter().all(is_text));
    let is_null = |node: &Node| node.value == Value::Null;
    let is_flag = |node: &Node| node.as_bool().is_some();
    let wrong = |key: &str, takes: &dyn Fn(&Node) -> bool| head.get(key).is_some_and(|node| !takes(node));
    ["name", "description"]
        .into_iter()
        .find(|key| wrong(key, &is_text))
        .map(|key| (key, "a text"))
        .or_else(|| {
            wrong("argument-hint", &|node| is_text(node) || is_null(node)).then_some(("argument-hint", "a text"))
        })
        .or_else(|| {
            wrong("disable-model-invocation", &is_flag).then_some(("disable-model-invocation", "true or false"))
        })
        .or_else(|| {
            let wrong = form == Form::Folder && wrong("user-invocable", &is_flag);
            wrong.then_some(("user-invocable", "true or false"))
        })
        .or_else(|| {
            let wrong = wrong("allowed-tools", &|node| is_text(node) || is_list(node));
            wrong.then_some(("allowed-tools", "a text or a list of texts"))
        })
}

/// Joins the first lines that are neither empty nor headings.
fn first_lines(body: &str) -> String {
    let lines = body.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.take(LINES).collect::<Vec<_>>().join(" ")
}
