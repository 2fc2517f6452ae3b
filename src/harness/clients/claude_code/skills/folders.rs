//! Folders with a SKILL.md: those of the session, and those of the directories between the working directory and a
//! file.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::super::around::Around;
use super::list::shortened;
use super::{Found, Place, is_switched, places};
use crate::answer::{Answer, Certain, Fate, Scope, Standpoint, Trigger};
use crate::formats::{Node, parse_leniently};
use crate::harness::clients::claude_code::paths;
use crate::harness::clients::claude_code::settings::{Settings, Shown};
use crate::harness::kit::heads;
use crate::harness::kit::skills::{self, FILE, is_plain, sort_by_name, words};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, FileType};
use crate::text::is_js_space;

/// Maximum length of a first line that replaces a missing description, in UTF-16 units, including the three dots.
const FIRST_LINE_UTF16: usize = 100;

/// Returns the skills of the session, and those revealed by the target.
pub(super) fn skills(around: &Around, search: &mut Search, answer: &mut Answer) -> Known<(Vec<Found>, Vec<Found>)> {
    let Around { edition, at, settings, .. } = around;
    let mut places = places(around, "skills");
    places.extend(below(around));
    search.expect(places.iter().map(|place| Ask::Listing(place.dir.clone())))?;
    let mut start: Vec<Found> = Vec::new();
    let mut later: Vec<(&Place, Found)> = Vec::new();
    for place in &places {
        let mut found = of(place, settings, search, answer)?;
        match place.trigger {
            Trigger::Read => later.extend(found.drain(..).map(|one| (place, one))),
            Trigger::Session | Trigger::Attach | Trigger::Call => start.append(&mut found),
        }
    }
    let added = |found: &Found| {
        settings.added_anyway.iter().any(|dir| found.source.path().is_some_and(|path| path.starts_with(dir)))
    };
    let mut firsts: HashMap<String, usize> = HashMap::new();
    for index in 0..start.len() {
        let (before, rest) = start.split_at_mut(index);
        let one = &mut rest[0];
        if !one.counts() {
            continue;
        }
        if let Some(first) = firsts.get(&one.known).map(|at| &before[*at]) {
            if added(one) {
                let reason = format!(
                    "what the list says of two skills {}, one of an added directory, was not recorded",
                    one.known
                );
                answer.doubt(&[Certain::Text], reason);
            }
            one.shadowed(first);
        } else {
            firsts.insert(one.known.clone(), index);
        }
    }
    if !edition.remarks_on_skills {
        without_remarks(&start, &mut later, answer);
    }
    name_all(&mut start, &mut later);
    let known: HashSet<&String> = start.iter().map(|one| &one.known).collect();
    let counts = counts(&start, &later);
    let remarks: Vec<(String, String)> = later
        .iter()
        .map(|(place, one)| {
            let several = counts[&one.known] > 1;
            if !edition.remarks_on_skills {
                return (one.name.clone(), String::new());
            }
            remark(one, &place.dir, at, known.contains(&one.known), several)
        })
        .collect();
    let later =
        later.into_iter().zip(remarks).map(|((_, one), (name, remark))| Found { name, remark, ..one }).collect();
    Ok((start, later))
}

/// Shadows skills below the working directory that have the name of a listed skill. For versions without remarks, whose
/// list cannot tell them apart.
fn without_remarks(start: &[Found], later: &mut [(&Place, Found)], answer: &mut Answer) {
    let mut firsts: HashMap<&str, &Found> = HashMap::new();
    for first in start.iter().filter(|first| first.counts()) {
        firsts.entry(&first.known).or_insert(first);
    }
    let mut before: HashSet<String> = HashSet::new();
    for (_, one) in later {
        let is_again = !before.insert(one.known.clone());
        if let Some(first) = firsts.get(one.known.as_str()).filter(|_| one.counts()) {
            one.shadowed(first);
        } else if is_again {
            let reason = "which of several skills of one name this version lists was not asked";
            answer.doubt(&[Certain::Set, Certain::Text], reason);
        }
    }
}

/// Counts the folders of each name.
fn counts(start: &[Found], later: &[(&Place, Found)]) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for one in start.iter().chain(later.iter().map(|(_, one)| one)) {
        *counts.entry(one.known.clone()).or_default() += 1;
    }
    counts
}

/// Adds the names from front matter to those of the folders.
fn name_all(start: &mut [Found], later: &mut [(&Place, Found)]) {
    let counts = counts(start, later);
    let several = |name: &String| counts[name] > 1;
    // Below the working directory, a name of several skills is prefixed with the directory.
    let below = later.iter().map(|(_, one)| &one.known).filter(|name| !several(name));
    let mut titles: HashSet<String> = start.iter().map(|one| &one.known).chain(below).cloned().collect();
    for one in start.iter_mut().chain(later.iter_mut().map(|(_, one)| one)) {
        // A name that is already taken is not repeated as a title.
        if let Some(title) = one.title.take().filter(|title| one.counts() && titles.insert(title.clone())) {
            one.name = format!("{} ({title})", one.known);
        }
    }
}

/// Returns the skill folders between the working directory and the target, except those of files that were read before.
fn below(around: &Around) -> Vec<Place> {
    let Around { edition, at, settings, .. } = around;
    let on_the_way = |file: &Path| -> Vec<PathBuf> {
        let dirs = file.ancestors().skip(1).take_while(|dir| dir.starts_with(&at.cwd) && *dir != at.cwd);
        dirs.map(|dir| dir.join(".claude/skills")).collect()
    };
    let before = at.read_before.iter().filter(|earlier| edition.discovers(earlier.tool));
    let known: HashSet<PathBuf> = before.flat_map(|earlier| on_the_way(&earlier.file)).collect();
    let target = at.target.as_deref().filter(|_| settings.project && edition.discovers(at.tool));
    let mut dirs = target.map(on_the_way).unwrap_or_default();
    dirs.retain(|dir| !known.contains(dir));
    dirs.reverse();
    dirs.into_iter().map(|dir| Place { dir, scope: Scope::Nested, trigger: Trigger::Read }).collect()
}

/// Returns the skills of one folder, in the order of the list.
fn of(place: &Place, settings: &Settings, search: &mut Search, answer: &mut Answer) -> Known<Vec<Found>> {
    let mut found = Vec::new();
    for folder in names(&place.dir, search)? {
        let path = place.dir.join(&folder).join(FILE);
        if !search.is_file(&path, "a folder with a SKILL.md is a skill")? {
            continue;
        }
        if let Some((one, head)) = read(&path, &folder, place.scope, search, answer)? {
            let globs = head.as_ref().and_then(paths::patterns).unwrap_or_default();
            let mut one = Found { globs, ..one };
            hide(&mut one, settings);
            found.push(one);
        }
    }
    Ok(found)
}

/// Returns the subfolders of a folder, in the order of the list.
pub(super) fn names(dir: &Path, search: &mut Search) -> Known<Vec<String>> {
    let Ok(entries) = search.list(dir, "skills: folders with a SKILL.md")? else { return Ok(Vec::new()) };
    let folders = entries.iter().filter(|entry| matches!(entry.kind, FileType::Dir | FileType::Link));
    let mut folders: Vec<String> = folders.map(|entry| entry.name.to_string_lossy().into_owned()).collect();
    sort_by_name(&mut folders, |name| name);
    search.expect(folders.iter().map(|folder| Ask::Kind(dir.join(folder).join(FILE))))?;
    Ok(folders)
}

/// Reads a skill or command from its file, with its front matter.
pub(super) fn read(
    path: &Path,
    known: &str,
    scope: Scope,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<Option<(Found, Option<Node>)>> {
    let Some(file) = skills::read(path, scope, search, &mut answer.sources)? else { return Ok(None) };
    let text = file.text.strip_prefix('\u{feff}').unwrap_or(&file.text);
    let (head, body) = heads::whole_lines(text).unwrap_or(("", text));
    let head = parse_leniently(head);
    let value = |key: &str| head.as_ref().and_then(|head| head.get(key)).and_then(words);
    let instead = if known.is_empty() || is_skill_file(path) { "Skill" } else { "Custom command" };
    let mut description =
        value("description").filter(|text| !text.is_empty()).unwrap_or_else(|| first_line(body, instead));
    if let Some(when) = value("when_to_use") {
        description.push_str(&format!(" - {when}"));
    }
    let title = value("name").filter(|name| name != known && is_plain(name));
    let mut source = file.source;
    if head.as_ref().and_then(|head| head.get("disable-model-invocation")).is_some_and(is_switched) {
        (source.fate, source.reason) =
            (Fate::Excluded, "`disable-model-invocation`: only the user can call it".to_owned());
    }
    let (known, name) = (known.to_owned(), known.to_owned());
    let (globs, remark) = (Vec::new(), String::new());
    let body = body.trim_start_matches(is_js_space).to_owned();
    Ok(Some((Found { source, known, name, title, description, body, globs, remark, bare: false }, head)))
}

/// Returns true if the file makes its directory a skill. Among commands, its name may be in any case.
pub(super) fn is_skill_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(FILE))
}

/// Excludes a skill from the list, or hides its description, if the settings say so.
pub(super) fn hide(found: &mut Found, settings: &Settings) {
    match settings.skills_shown.get(&found.known) {
        Some(Shown::Hidden(word)) if found.counts() => {
            found.leave_out(Fate::Excluded, format!("skillOverrides says `{word}`"));
        }
        Some(Shown::NameOnly) => found.bare = true,
        Some(Shown::Hidden(_)) | None => {}
    }
}

/// Returns the name of a skill in a directory below the working directory, and the remark after its description. If
/// `several` skills have the name, it is prefixed with the directory.
fn remark(found: &Found, dir: &Path, at: &Standpoint, known: bool, several: bool) -> (String, String) {
    let owner = dir.parent().and_then(Path::parent).unwrap_or(dir);
    let below = owner.strip_prefix(&at.cwd).unwrap_or(owner).display().to_string();
    let plain = &found.name;
    let name = if several { format!("{below}:{plain}") } else { plain.clone() };
    let remark = if known {
        format!(
            " (scoped to {below}/ — use this instead of the unscoped \"{plain}\" skill when the files being changed are under {below}/)"
        )
    } else {
        format!(" (from {below}/.claude/skills — applies when working on files under {below}/)")
    };
    (name, remark)
}

/// Returns the first line with text, without the marks of a heading; `instead` if there is none.
fn first_line(body: &str, instead: &str) -> String {
    let Some(line) = body.lines().map(str::trim).find(|line| !line.is_empty()) else { return instead.to_owned() };
    let heading = line.trim_start_matches('#');
    let text = if heading.len() < line.len() && heading.starts_with(' ') { heading.trim() } else { line };
    shortened(text, FIRST_LINE_UTF16, "...")
}
