//! Skills: folders with a SKILL.md. Names and descriptions are listed at the start of a session; the text itself is
//! sent when the agent calls for it. Common behaviour is here; each agent's folders and list format are in its own
//! room.
//!
//! A list is a message of its own kind. It contains the entries of the skills on the disk, as the client writes them;
//! the client's text around them and its built-in skills are not repeated.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::answer::{Answer, Certain, Fate, Message, MessageKind, Purpose, Role, Scope, Source, Trigger};
use crate::formats::{Node, Value};
use crate::search::{Known, Look, Search};
use crate::snapshot::{Ask, Entry, FileType};
use crate::text::{Size, locale_compare};

/// File that makes a folder a skill.
pub(in crate::harness) const FILE: &str = "SKILL.md";

/// Reason for which a skill is in the answer.
pub(in crate::harness) const LISTED: &str = "listed by name and description; its text is sent when the agent calls it";

/// Skill on the disk.
#[derive(Clone, Debug)]
pub(in crate::harness) struct Skill {
    /// Name in the list.
    pub name: String,
    /// Description in the list.
    pub description: String,
    /// SKILL.md, and whether it is listed.
    pub source: Source,
}

impl Skill {
    /// Returns the path of the SKILL.md.
    pub(in crate::harness) fn path(&self) -> &Path {
        self.source.path().unwrap_or(Path::new(""))
    }

    /// Returns true if nothing has removed the skill from the list.
    pub(in crate::harness) fn counts(&self) -> bool {
        self.source.fate == Fate::Loaded
    }

    /// Marks the skill as listed: `text` is its entry, `message` the index of the list.
    pub(in crate::harness) fn listed(&mut self, text: &str, message: usize) {
        self.source.fate = Fate::Listed;
        self.source.sent = Some(Size::of(text));
        (self.source.message, self.source.part) = (Some(message), Some(0));
    }

    /// Removes the skill from the list.
    pub(in crate::harness) fn leave_out(&mut self, fate: Fate, reason: impl Into<String>) {
        (self.source.fate, self.source.reason) = (fate, reason.into());
    }
}

/// A SKILL.md that was read: its text and its source.
pub(in crate::harness) struct File {
    pub text: String,
    /// True if the file is valid UTF-8.
    pub is_text: bool,
    pub source: Source,
}

/// Reads a SKILL.md. Adds it to `unreadable` if it cannot be read.
pub(in crate::harness) fn read(
    path: &Path,
    scope: Scope,
    search: &mut Search,
    unreadable: &mut Vec<Source>,
) -> Known<Option<File>> {
    match search.read(path, "a skill: its head names and describes it")? {
        Ok(raw) => {
            let source = Source { size: Some(raw.size()), ..source(path, scope, Fate::Loaded, LISTED) };
            Ok(Some(File { text: raw.text().into_owned(), is_text: raw.as_text().is_some(), source }))
        }
        Err(problem) => {
            unreadable.push(source(path, scope, Fate::Unreadable, &problem.to_string()));
            Ok(None)
        }
    }
}

/// Creates the source of a SKILL.md.
pub(in crate::harness) fn source(path: &Path, scope: Scope, fate: Fate, reason: &str) -> Source {
    Source { purpose: Purpose::Skill, trigger: Trigger::Call, ..Source::new(path, scope, fate, reason) }
}

impl File {
    /// Returns the source of a file that is not a skill, with the reason.
    pub(in crate::harness) fn refused(self, reason: &str) -> Source {
        Source { fate: Fate::Dropped, reason: format!("not a skill: {reason}"), ..self.source }
    }

    /// Turns the file into a skill.
    pub(in crate::harness) fn named(self, name: String, description: String) -> Skill {
        let source = Source { called: Some(name.clone()), ..self.source };
        Skill { name, description, source }
    }
}

/// Returns a scalar value as text; `None` for null, a list or a table.
pub(in crate::harness) fn words(node: &Node) -> Option<String> {
    match &node.value {
        Value::Text(text) | Value::Date(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) if *number == f64::INFINITY => Some("Infinity".to_owned()),
        Value::Float(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::List(_) | Value::Table(_) => None,
    }
}

/// Returns the value of a key with the indented lines below it, as written, without parsing YAML.
pub(in crate::harness) fn as_written(head: &str, key: &str) -> Option<String> {
    let of_key = |line: &&str| line.trim_start().strip_prefix(key)?.trim_start().strip_prefix(':').map(str::len);
    let mut lines = head.lines().skip_while(|line| of_key(line).is_none());
    let line = lines.next()?;
    let first = line[line.len() - of_key(&line)?..].trim();
    let more = lines.take_while(|line| line.starts_with([' ', '\t'])).map(str::trim);
    let parts: Vec<&str> = std::iter::once(first).chain(more).filter(|part| !part.is_empty()).collect();
    Some(parts.join(" "))
}

/// Returns true if a command could have this name.
pub(in crate::harness) fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':'))
}

/// Returns true if the key's value is `true`.
pub(in crate::harness) fn is_on(head: &Node, key: &str) -> bool {
    head.get(key).and_then(Node::as_bool) == Some(true)
}

/// Doubts the answer for an agent whose skill lists are not known, if one of its folders contains anything.
pub(in crate::harness) fn doubted(folders: Vec<PathBuf>, search: &mut Search, answer: &mut Answer) -> Known<()> {
    search.expect(folders.iter().cloned().map(Ask::Listing))?;
    for folder in folders {
        let found = search.list(&folder, "skills: they are listed for the agent")?;
        if found.is_ok_and(|entries| !entries.is_empty()) {
            let reason = format!("{}: what the client says of skills is not looked up", folder.display());
            answer.doubt(&[Certain::Set], reason);
            break;
        }
    }
    Ok(())
}

/// Way in which an agent walks folders of skills.
#[derive(Clone, Copy)]
pub(in crate::harness) struct Walk {
    /// Number of folder levels that are entered.
    pub depth: usize,
    /// True if names that begin with a dot count.
    pub hidden: bool,
    /// True if symlinks to folders are followed.
    pub folder_links: bool,
    /// True if a SKILL.md may be a symlink.
    pub file_links: bool,
    /// True if folders below one with a SKILL.md are not entered.
    pub ends_at_skill: bool,
    /// True if `root` itself may be a skill.
    pub root_counts: bool,
}

/// Returns every SKILL.md at and below `root`, sorted by path.
pub(in crate::harness) fn below(root: &Path, walk: Walk, search: &mut Search) -> Known<Vec<PathBuf>> {
    if is_listed(root, search)? { inside(root, walk, search) } else { Ok(Vec::new()) }
}

/// Returns the result of [`below`], cached as a part that answers share. `of` identifies the agent; `look` calls
/// [`inside`] with the agent's walk.
pub(in crate::harness) fn shared_below(
    of: &'static str,
    root: &Path,
    look: Look<Vec<PathBuf>>,
    search: &mut Search,
) -> Known<Vec<PathBuf>> {
    // Most folders do not exist, and need no part.
    Ok(if is_listed(root, search)? { search.part(of, (root, ""), look)?.to_vec() } else { Vec::new() })
}

/// Returns true if there are entries in a folder of skills.
fn is_listed(root: &Path, search: &mut Search) -> Known<bool> {
    search.expect([Ask::Listing(root.to_owned())])?;
    Ok(search.list(root, "skills: folders with a SKILL.md")?.is_ok_and(|entries| !entries.is_empty()))
}

/// Returns every SKILL.md at and below a folder that was listed just before, sorted by path.
pub(in crate::harness) fn inside(root: &Path, walk: Walk, search: &mut Search) -> Known<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut seen: HashSet<PathBuf> = HashSet::new();
    let mut level = vec![root.to_owned()];
    for depth in 0..=walk.depth {
        search.expect(level.iter().cloned().map(Ask::Listing))?;
        let mut next = Vec::new();
        for folder in level {
            let entries = match depth {
                0 => search.list_again(&folder)?,
                _ => search.list(&folder, "skills: folders with a SKILL.md")?,
            };
            let Ok(entries) = entries else { continue };
            if walk.folder_links && !seen.insert(search.real(&folder)?.unwrap_or_else(|_| folder.clone())) {
                continue;
            }
            let mut is_skill = false;
            let mut folders = Vec::new();
            for entry in entries.iter() {
                let path = folder.join(&entry.name);
                let name = entry.name.to_string_lossy();
                if name == FILE && (depth > 0 || walk.root_counts) {
                    if kind_of(entry, &path, walk.file_links, search)? == FileType::File {
                        is_skill = true;
                        found.push(path);
                    }
                } else if walk.hidden || !name.starts_with('.') {
                    let is_folder = kind_of(entry, &path, walk.folder_links, search)? == FileType::Dir;
                    folders.extend(is_folder.then_some(path));
                }
            }
            if !(is_skill && walk.ends_at_skill) {
                next.append(&mut folders);
            }
        }
        if next.is_empty() {
            break;
        }
        level = next;
    }
    found.sort();
    search.expect(found.iter().cloned().map(Ask::Content))?;
    Ok(found)
}

/// Returns the type of an entry, or of a symlink's target if links count.
fn kind_of(entry: &Entry, path: &Path, links_count: bool, search: &mut Search) -> Known<FileType> {
    if entry.kind != FileType::Link || !links_count {
        return Ok(entry.kind);
    }
    Ok(search.glance(path)?.map_or(FileType::Link, |meta| meta.kind))
}

/// Sorts as JavaScript's `localeCompare` does.
pub(in crate::harness) fn sort_by_name<T>(items: &mut [T], name: impl Fn(&T) -> &str) {
    items.sort_by(|one, other| locale_compare(name(one), name(other)));
}

/// Keeps the first skill of each name, in the order given, and marks the others as shadowed.
pub(in crate::harness) fn first_of_each_name(skills: &mut [Skill]) {
    let mut firsts: HashMap<String, PathBuf> = HashMap::new();
    for skill in skills.iter_mut().filter(|skill| skill.counts()) {
        let Some(first) = firsts.get(&skill.name) else {
            firsts.insert(skill.name.clone(), skill.path().to_owned());
            continue;
        };
        skill.source.by = Some(first.clone());
        skill.leave_out(Fate::Shadowed, format!("{} has the same name and comes first", first.display()));
    }
}

/// Returns the list of the skills that count, each formatted by `entry`, and the sources of all skills. `message` is
/// the index that the list will have.
pub(in crate::harness) fn told(
    mut found: Vec<Skill>,
    message: usize,
    entry: impl Fn(&Skill) -> String,
) -> (Option<Message>, Vec<Source>) {
    let mut entries = Vec::new();
    for skill in found.iter_mut().filter(|skill| skill.counts()) {
        let text = entry(skill);
        skill.listed(&text, message);
        entries.push(text);
    }
    let sources = found.into_iter().map(|skill| skill.source).collect();
    (list(Trigger::Session, Role::System, &entries), sources)
}

/// Formats a skill as an XML element, as several clients do.
pub(in crate::harness) fn element(indent: &str, skill: &Skill, location: &str, escaped: fn(&str) -> String) -> String {
    format!(
        "{indent}<skill>\n{indent}  <name>{}</name>\n{indent}  <description>{}</description>\n{indent}  <location>{}</location>\n{indent}</skill>",
        escaped(&skill.name),
        escaped(&skill.description),
        escaped(location),
    )
}

/// Escapes the five special characters of XML.
pub(in crate::harness) fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&apos;")
}

/// Returns the list as a message, unless it is empty.
pub(in crate::harness) fn list(trigger: Trigger, role: Role, entries: &[String]) -> Option<Message> {
    let text = entries.join("\n");
    let message = Message { kind: MessageKind::Skills, ..Message::instructions(trigger, role, text) };
    (!entries.is_empty()).then_some(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_skill_of_a_name_stays() {
        let skill = |name: &str, path: &str| Skill {
            name: name.to_owned(),
            description: String::new(),
            source: Source::new(path, Scope::Project, Fate::Loaded, LISTED),
        };
        let mut skills = [skill("a", "/1"), skill("b", "/2"), skill("a", "/3")];
        first_of_each_name(&mut skills);
        assert_eq!(skills.each_ref().map(Skill::counts), [true, true, false]);
        assert_eq!(skills[2].source.by.as_deref(), Some(Path::new("/1")));
    }
}
