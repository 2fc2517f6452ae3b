//! Skills: folders with a SKILL.md. Names and descriptions are listed at the start of a session; the text itself is sent
//! when the agent calls for it. What harnesses do alike with them is here; where each looks, and what its list looks like,
//! is in its own room.
//!
//! A list is a message of its own kind. It holds the entries of the skills that are on the disk, as the client writes them;
//! the client's words around it, and skills that it brings along inside of its program, are not repeated.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::answer::{Answer, Certain, Fate, Message, MessageKind, Purpose, Role, Scope, Source, Trigger};
use crate::formats::{Node, Value};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, Entry, FileType};
use crate::text::{Size, locale_compare};

/// The file that makes a folder a skill.
pub(in crate::harness) const FILE: &str = "SKILL.md";

/// Why a skill is in the answer.
pub(in crate::harness) const LISTED: &str = "listed by name and description; its text is sent when the agent calls it";

/// A skill that was found.
#[derive(Clone, Debug)]
pub(in crate::harness) struct Skill {
    /// What it is called.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Its SKILL.md, and whether it is listed.
    pub source: Source,
}

impl Skill {
    /// Its SKILL.md.
    pub(in crate::harness) fn path(&self) -> &Path {
        self.source.path().unwrap_or(Path::new(""))
    }

    /// Whether it is still to be listed: nothing has left it out.
    pub(in crate::harness) fn counts(&self) -> bool {
        self.source.fate == Fate::Loaded
    }

    /// Says that it stands in a list, in the message of that number, and what is sent of it there.
    pub(in crate::harness) fn listed(&mut self, text: &str, message: usize) {
        self.source.fate = Fate::Listed;
        self.source.sent = Some(Size::of(text));
        (self.source.message, self.source.part) = (Some(message), Some(0));
    }

    /// Takes it off the list.
    pub(in crate::harness) fn leave_out(&mut self, fate: Fate, reason: impl Into<String>) {
        (self.source.fate, self.source.reason) = (fate, reason.into());
    }
}

/// A SKILL.md that was read: its text, and the source that it is.
pub(in crate::harness) struct File {
    pub text: String,
    /// Whether it is UTF-8 throughout.
    pub is_text: bool,
    pub source: Source,
}

/// Reads a SKILL.md. One that cannot be read is said to be so in `unreadable`.
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

/// A SKILL.md as a source.
pub(in crate::harness) fn source(path: &Path, scope: Scope, fate: Fate, reason: &str) -> Source {
    Source { purpose: Purpose::Skill, trigger: Trigger::Call, ..Source::new(path, scope, fate, reason) }
}

impl File {
    /// A source that is no skill, and why.
    pub(in crate::harness) fn refused(self, reason: &str) -> Source {
        Source { fate: Fate::Dropped, reason: format!("not a skill: {reason}"), ..self.source }
    }

    /// The skill that it is.
    pub(in crate::harness) fn named(self, name: String, description: String) -> Skill {
        let source = Source { called: Some(name.clone()), ..self.source };
        Skill { name, description, source }
    }
}

/// The text that a value is; a list or a table is none.
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

/// What stands behind a key, with the indented lines below it: as it is written, whatever YAML makes of it.
pub(in crate::harness) fn as_written(head: &str, key: &str) -> Option<String> {
    let of_key = |line: &&str| line.trim_start().strip_prefix(key)?.trim_start().strip_prefix(':').map(str::len);
    let mut lines = head.lines().skip_while(|line| of_key(line).is_none());
    let line = lines.next()?;
    let first = line[line.len() - of_key(&line)?..].trim();
    let more = lines.take_while(|line| line.starts_with([' ', '\t'])).map(str::trim);
    let parts: Vec<&str> = std::iter::once(first).chain(more).filter(|part| !part.is_empty()).collect();
    Some(parts.join(" "))
}

/// Whether a name is one that a command could have.
pub(in crate::harness) fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':'))
}

/// Whether a key is switched on.
pub(in crate::harness) fn is_on(head: &Node, key: &str) -> bool {
    head.get(key).and_then(Node::as_bool) == Some(true)
}

/// Says of a harness whose lists are not known here that it sends one, where some of its folders hold anything.
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

/// How a harness goes through folders of skills.
#[derive(Clone, Copy)]
pub(in crate::harness) struct Walk {
    /// How many levels of folders are entered.
    pub depth: usize,
    /// Whether names that begin with a dot count.
    pub hidden: bool,
    /// Whether links to folders are entered.
    pub folder_links: bool,
    /// Whether a SKILL.md may be a link.
    pub file_links: bool,
    /// Whether nothing is looked for below a folder that has a SKILL.md.
    pub ends_at_skill: bool,
    /// Whether `root` itself may be a skill.
    pub root_counts: bool,
}

/// Every SKILL.md at and below `root`, in the order of the alphabet.
pub(in crate::harness) fn below(root: &Path, walk: Walk, search: &mut Search) -> Known<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut seen: HashSet<PathBuf> = HashSet::new();
    let mut level = vec![root.to_owned()];
    for depth in 0..=walk.depth {
        search.expect(level.iter().cloned().map(Ask::Listing))?;
        let mut next = Vec::new();
        for folder in level {
            let Ok(entries) = search.list(&folder, "skills: folders with a SKILL.md")? else { continue };
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

/// What an entry is, or where links count, what it leads to.
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

/// Of several skills of one name, the first stays; which one that is, the caller's order says.
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

/// The list of the skills that count, each in the words of `entry`, as the message of that number; and all as sources.
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

/// A list that has an element for every skill, as several clients write it.
pub(in crate::harness) fn element(indent: &str, skill: &Skill, location: &str, escaped: fn(&str) -> String) -> String {
    format!(
        "{indent}<skill>\n{indent}  <name>{}</name>\n{indent}  <description>{}</description>\n{indent}  <location>{}</location>\n{indent}</skill>",
        escaped(&skill.name),
        escaped(&skill.description),
        escaped(location),
    )
}

/// The five characters of XML, as entities.
pub(in crate::harness) fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&apos;")
}

/// The list, unless it is empty.
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
