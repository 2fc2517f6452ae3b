//! Skills: those of the working directory, of the directories above it, of the user, and of directories in the settings.

use std::path::{Path, PathBuf};

use crate::answer::{Answer, Fate, Scope, Standpoint};
use crate::formats::{Node, parse_jsonc, parse_rust_yaml};
use crate::harness::kit::heads;
use crate::harness::kit::skills::{self, Skill, Walk, element, is_on, is_plain};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, absolute};

/// Folders are entered wherever no skill is yet. The client knows no such limit.
const WALK: Walk =
    Walk { depth: 64, hidden: false, folder_links: true, file_links: true, ends_at_skill: true, root_counts: true };

/// Longest name and longest description, in characters; Copilot CLI 1.0.102.
const NAME_CHARACTERS: usize = 64;
const DESCRIPTION_CHARACTERS: usize = 1024;

/// The folders of a project, the first of them first.
const KINDS: [&str; 3] = [".github/skills", ".agents/skills", ".claude/skills"];

/// Whose a skill is; runs of the same owner are sorted together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Project,
    Above,
    Copilots,
    Agents,
    Settings,
}

/// Adds the list, and the skills to the sources.
pub(super) fn look(at: &Standpoint, home: &Path, root: &Path, search: &mut Search, answer: &mut Answer) -> Known<()> {
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
    let places = places(at, home, root, moved, &more);
    search.expect(places.iter().map(|(dir, _)| Ask::Listing(dir.clone())))?;
    let mut found: Vec<(Owner, Skill)> = Vec::new();
    for (dir, owner) in places {
        let scope = match owner {
            Owner::Project | Owner::Above => Scope::Project,
            Owner::Copilots | Owner::Agents => Scope::User,
            Owner::Settings => Scope::Config,
        };
        for path in skills::below(&dir, WALK, search)? {
            let Some(mut skill) = skill(&path, scope, search, answer)? else { continue };
            if skill.counts() && disabled.contains(&skill.name) {
                skill.leave_out(Fate::Excluded, "disabledSkills names it in settings.json");
            }
            found.push((owner, skill));
        }
    }
    let (mut owners, mut found): (Vec<Owner>, Vec<Skill>) = found.into_iter().unzip();
    skills::first_of_each_name(&mut found);
    // A name that was there already does not come between those of one owner.
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

/// `settings.json` of the user.
fn settings(home: &Path, search: &mut Search) -> Known<Option<Node>> {
    let Ok(raw) = search.read(&home.join("settings.json"), "which skills are off, and where else they are")? else {
        return Ok(None);
    };
    Ok(parse_jsonc(&raw.text_without_bom()).ok())
}

/// Where skills are looked for, in order. With a directory of the client that is `moved`, or only written otherwise,
/// `.agents` of the home directory is not the user's.
fn places(at: &Standpoint, home: &Path, root: &Path, moved: bool, more: &[String]) -> Vec<(PathBuf, Owner)> {
    let mut places = Vec::new();
    for kind in KINDS {
        // `.claude` of the home directory belongs to no project, nor does `.agents` unless the project is around it.
        let counts = |dir: &Path| match kind {
            ".claude/skills" => dir != at.home,
            ".agents/skills" => dir != at.home || dir.starts_with(root),
            _ => true,
        };
        let dirs = at.cwd.ancestors().filter(|dir| counts(dir) && (*dir == at.cwd || dir.parent().is_some()));
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

fn skill(path: &Path, scope: Scope, search: &mut Search, answer: &mut Answer) -> Known<Option<Skill>> {
    let Some(file) = skills::read(path, scope, search, &mut answer.sources)? else { return Ok(None) };
    let text = file.text.strip_prefix('\u{feff}').unwrap_or(&file.text).to_owned();
    let head = heads::whole_lines(&text).and_then(|(head, body)| Some((parse_rust_yaml(head).ok()?, body)));
    let Some((head, body)) = head else {
        answer.sources.push(file.refused("it must begin with a head of YAML between lines of three dashes"));
        return Ok(None);
    };
    let text_of = |key: &str| match head.get(key) {
        None => Ok(None),
        Some(node) => node.as_text().map(|text| Some(text.trim_ascii_end().to_owned())).ok_or(key.to_owned()),
    };
    let (name, description) = match (text_of("name"), text_of("description")) {
        (Ok(name), Ok(description)) => (name, description),
        (Err(key), _) | (_, Err(key)) => {
            answer.sources.push(file.refused(&format!("its `{key}` must be a text")));
            return Ok(None);
        }
    };
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
    let name = name.unwrap_or(folder).split_whitespace().collect::<Vec<_>>().join("-");
    let description = description.unwrap_or_else(|| first_line(body));
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

/// The first line with text that is no heading.
fn first_line(body: &str) -> String {
    let lines = body.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).next().unwrap_or_default()
}
