//! Skills: the administrator's, the user's, and those of every directory up to the root; below the working directory,
//! where a file is read.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::Edition21;
use super::git::Checkout;
use super::paths;
use super::settings::{Settings, Shown};
use crate::answer::{Answer, Fate, Role, Scope, Standpoint, Trigger};
use crate::formats::{Node, Value, parse_leniently};
use crate::harness::shared::skills::{self, FILE, Skill, is_plain, sort_by_name, words};
use crate::search::{Search, Told};
use crate::snapshot::{Ask, Kind};

/// Longest description in the list, in UTF-16 units, the ellipsis included; Claude Code 2.1.329.
const DESCRIPTION_UTF16: usize = 1536;

/// Longest first line of a text that stands for its description, in UTF-16 units, the three dots included.
const FIRST_LINE_UTF16: usize = 100;

/// A skill, and what is said behind it.
struct Found {
    skill: Skill,
    /// The name of its folder, by which it is known and sorted.
    folder: String,
    /// The name that its head gives it besides.
    title: Option<String>,
    /// The files it waits for.
    globs: Vec<String>,
    /// What the entry says in brackets.
    remark: String,
}

/// A folder of skills.
struct Place {
    dir: PathBuf,
    scope: Scope,
    trigger: Trigger,
}

impl Edition21 {
    /// Adds the lists, and the skills to the sources.
    pub(super) fn skills(
        &self,
        at: &Standpoint,
        settings: &Settings,
        checkout: Option<&Checkout>,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Told<()> {
        let places = places(at, settings, checkout);
        search.expect(places.iter().map(|place| Ask::Listing(place.dir.clone())))?;
        let mut start: Vec<Found> = Vec::new();
        let mut later: Vec<(&Place, Found)> = Vec::new();
        for place in &places {
            let mut found = self.of(place, settings, search, answer)?;
            match place.trigger {
                Trigger::Read => {
                    later.extend(found.drain(..).map(|one| (place, one)));
                }
                Trigger::Session | Trigger::Attach | Trigger::Call => start.append(&mut found),
            }
        }
        let mut names: Vec<Skill> = start.iter().map(|found| found.skill.clone()).collect();
        skills::first_of_each_name(&mut names);
        for (found, skill) in start.iter_mut().zip(names) {
            found.skill = skill;
        }
        let folders: Vec<String> =
            start.iter().chain(later.iter().map(|(_, one)| one)).map(|one| one.folder.clone()).collect();
        let several = |name: &String| folders.iter().filter(|folder| *folder == name).count() > 1;
        // Below the working directory, what several are called stands behind the directory.
        let below = later.iter().map(|(_, one)| &one.folder).filter(|name| !several(name));
        let mut titles: HashSet<String> = start.iter().map(|one| &one.folder).chain(below).cloned().collect();
        for one in start.iter_mut().chain(later.iter_mut().map(|(_, one)| one)) {
            // A name that anything is known by already is not said again.
            if let Some(title) = one.title.take().filter(|title| one.skill.counts() && titles.insert(title.clone())) {
                one.skill.name = format!("{} ({title})", one.folder);
            }
        }
        let mut later: Vec<Found> = later
            .into_iter()
            .map(|(place, mut one)| {
                let several = several(&one.folder);
                one.remark = remark(&mut one, &place.dir, at, &start, several);
                one
            })
            .collect();
        let (mut start, waiting): (Vec<Found>, Vec<Found>) = start.into_iter().partition(|one| one.globs.is_empty());
        for mut found in waiting {
            let target = at.target.as_deref().and_then(|target| target.strip_prefix(&at.cwd).ok());
            if target.is_some_and(|target| paths::matches(&found.globs, target)) && found.skill.counts() {
                later.push(found);
            } else {
                found.skill.leave_out(Fate::Excluded, "listed once a file is read that its `paths` match");
                start.push(found);
            }
        }
        sort_by_name(&mut later, |found| &found.folder);
        for (trigger, found) in [(Trigger::Session, start), (Trigger::Read, later)] {
            let counted = found.iter().filter(|found| found.skill.counts());
            let entries: Vec<String> = counted.map(|found| entry(found, settings)).collect();
            answer.messages.extend(skills::list(trigger, Role::User, &entries));
            answer.sources.extend(found.into_iter().map(|found| found.skill.source));
        }
        Ok(())
    }

    /// The skills of one folder, sorted as they are listed.
    fn of(&self, place: &Place, settings: &Settings, search: &mut Search, answer: &mut Answer) -> Told<Vec<Found>> {
        let Ok(entries) = search.list(&place.dir, "skills: folders with a SKILL.md")? else { return Ok(Vec::new()) };
        let folders = entries.iter().filter(|entry| matches!(entry.kind, Kind::Dir | Kind::Link));
        let mut folders: Vec<String> = folders.map(|entry| entry.name.to_string_lossy().into_owned()).collect();
        sort_by_name(&mut folders, |name| name);
        let file = |folder: &String| place.dir.join(folder).join(FILE);
        search.expect(folders.iter().map(|folder| Ask::Kind(file(folder))))?;
        let mut found: Vec<Found> = Vec::new();
        for folder in folders {
            let path = file(&folder);
            if !search.is_file(&path, "a folder with a SKILL.md is a skill")? {
                continue;
            }
            let Some(file) = skills::read(&path, place.scope, search, &mut answer.sources)? else { continue };
            let text = file.text.strip_prefix('\u{feff}').unwrap_or(&file.text).to_owned();
            let (head, body) = skills::head(&text).unwrap_or(("", &text));
            let head = parse_leniently(head);
            let value = |key: &str| head.as_ref().and_then(|head| head.get(key)).and_then(words);
            let mut description =
                value("description").filter(|text| !text.is_empty()).unwrap_or_else(|| first_line(body));
            if let Some(when) = value("when_to_use") {
                description.push_str(&format!(" - {when}"));
            }
            let title = value("name").filter(|name| *name != folder && is_plain(name));
            let hidden = head.as_ref().and_then(|head| head.get("disable-model-invocation")).is_some_and(is_switched);
            let globs = head.as_ref().and_then(paths::patterns).unwrap_or_default();
            let mut skill = file.named(folder.clone(), description);
            if let Some(what) = &settings.no_skills {
                skill.leave_out(Fate::Excluded, format!("{what} takes the Skill tool away"));
            } else if hidden {
                skill.leave_out(Fate::Excluded, "`disable-model-invocation`: only the user calls for it");
            } else {
                match settings.skills_shown.get(&folder) {
                    Some(Shown::Hidden(word)) => {
                        skill.leave_out(Fate::Excluded, format!("skillOverrides says `{word}`"));
                    }
                    Some(Shown::NameOnly) => {
                        skill.source.reason = "listed by name alone: skillOverrides says `name-only`".to_owned();
                    }
                    None => {}
                }
            }
            found.push(Found { skill, folder, title, globs, remark: String::new() });
        }
        Ok(found)
    }
}

/// Where skills are looked for: at the start, and then below the working directory.
fn places(at: &Standpoint, settings: &Settings, checkout: Option<&Checkout>) -> Vec<Place> {
    let start = |dir: PathBuf, scope| Place { dir, scope, trigger: Trigger::Session };
    let of = |dir: &Path| dir.join(".claude/skills");
    let mut places = vec![start(of(Path::new(super::MANAGED)), Scope::Managed)];
    if settings.user {
        places.push(start(settings.config.path.join("skills"), Scope::User));
    }
    if settings.project {
        let top = checkout.map_or(Path::new("/"), |checkout| &checkout.root);
        let walk = at.cwd.ancestors().take_while(|dir| dir.starts_with(top));
        places.extend(walk.map(|dir| start(of(dir), Scope::Project)));
        let below = at.target.as_deref().and_then(Path::parent).into_iter().flat_map(Path::ancestors);
        let below = below.take_while(|dir| dir.starts_with(&at.cwd) && *dir != at.cwd);
        let mut below: Vec<&Path> = below.collect();
        below.reverse();
        let nested = |dir| Place { dir: of(dir), scope: Scope::Nested, trigger: Trigger::Read };
        places.extend(below.into_iter().map(nested));
    }
    let mut seen = HashSet::new();
    places.retain(|place| seen.insert(place.dir.clone()));
    places
}

/// Whether a value of a head switches something on, as YAML or as a word.
fn is_switched(node: &Node) -> bool {
    match &node.value {
        Value::Bool(on) => *on,
        Value::Integer(number) => *number == 1,
        Value::Text(word) => ["true", "yes", "on", "1"].contains(&word.trim().to_ascii_lowercase().as_str()),
        Value::Null | Value::Float(_) | Value::Date(_) | Value::List(_) | Value::Table(_) => false,
    }
}

/// What is said of a skill that belongs to a directory below the working directory. Where `several` have its name, it has
/// that of its directory in front.
fn remark(found: &mut Found, dir: &Path, at: &Standpoint, start: &[Found], several: bool) -> String {
    let owner = dir.parent().and_then(Path::parent).unwrap_or(dir);
    let below = owner.strip_prefix(&at.cwd).unwrap_or(owner).display().to_string();
    let plain = found.skill.name.clone();
    if several {
        found.skill.name = format!("{below}:{plain}");
    }
    if start.iter().any(|other| other.folder == found.folder) {
        return format!(
            " (scoped to {below}/ — use this instead of the unscoped \"{plain}\" skill when the files being changed are under {below}/)"
        );
    }
    format!(" (from {below}/.claude/skills — applies when working on files under {below}/)")
}

fn entry(found: &Found, settings: &Settings) -> String {
    let name = &found.skill.name;
    if matches!(settings.skills_shown.get(&found.folder), Some(Shown::NameOnly)) {
        return format!("- {name}");
    }
    let lines = found.skill.description.trim().split('\n').filter(|line| !line.is_empty());
    let line = lines.collect::<Vec<_>>().join(" ").replace('\t', " ");
    let description = shortened(&line, DESCRIPTION_UTF16, "…").replace('<', "&lt;").replace('>', "&gt;");
    format!("- {name}: {description}{}", found.remark)
}

/// The first line with text, which may be a heading.
fn first_line(body: &str) -> String {
    let Some(line) = body.lines().map(str::trim).find(|line| !line.is_empty()) else { return "Skill".to_owned() };
    let heading = line.trim_start_matches('#');
    let text = if heading.len() < line.len() && heading.starts_with(' ') { heading.trim() } else { line };
    shortened(text, FIRST_LINE_UTF16, "...")
}

/// At most `limit` UTF-16 units, `dots` included.
fn shortened(text: &str, limit: usize, dots: &str) -> String {
    if crate::text::utf16_len(text) <= limit {
        return text.to_owned();
    }
    let mut room = limit - crate::text::utf16_len(dots);
    let kept = text.chars().take_while(|c| {
        let fits = c.len_utf16() <= room;
        room = room.saturating_sub(c.len_utf16());
        fits
    });
    format!("{}{dots}", kept.collect::<String>())
}
