//! Skills: where Codex looks for them, and the part of a developer message that lists them.

use std::path::{Path, PathBuf};

use super::settings::Settings;
use super::{Codex, Listing, directories};
use crate::answer::{Answer, Fate, Role, Scope, Standpoint, Trigger, Warning};
use crate::formats::{Node, Value, parse_yaml};
use crate::harness::skills::{self, Skill, Walk, as_written};
use crate::search::{Search, Told};
use crate::snapshot::{Ask, Errno};
use crate::text::grouped;

/// Folders are entered this deep; Codex 0.169.
const WALK: Walk =
    Walk { depth: 6, hidden: false, folder_links: true, file_links: false, ends_at_skill: false, root_counts: true };

/// Longest name, in characters; Codex 0.169.
const NAME_CHARACTERS: usize = 64;

/// Longest description, in characters, three dots included; Codex 0.169.
const DESCRIPTION_CHARACTERS: usize = 1024;

/// What the list may take before descriptions are shortened, in tokens of four bytes: 2 % of a context of 272 000.
const LIST_TOKENS: usize = 5440;

/// A folder of skills.
struct Root {
    dir: PathBuf,
    rank: Rank,
}

/// Whose skills are listed first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// Codex writes these itself when it starts.
    System,
    Admin,
    Repository,
    User,
}

/// What the settings say about skills.
#[derive(Default)]
pub(super) struct Switches {
    /// Whether the list is left out.
    pub unlisted: bool,
    /// Whether Codex's own skills are off.
    pub no_system: bool,
    /// The paths and names of skills that are off.
    pub off: Vec<String>,
}

impl Codex {
    /// Adds the skills to the sources, and the list in front of the instructions where it is a message of its own.
    pub(super) fn skills(
        &self,
        at: &Standpoint,
        (cwd, codex_home): (&Path, &Path),
        settings: &Settings,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Told<()> {
        let roots = roots(cwd, settings.root.as_deref(), codex_home, &at.home);
        search.expect(roots.iter().map(|root| Ask::Listing(root.dir.clone())))?;
        let mut found: Vec<(usize, Skill)> = Vec::new();
        for (index, root) in roots.iter().enumerate() {
            for path in skills::below(&root.dir, WALK, search)? {
                if let Some(skill) = skill(&path, root, &settings.skills, search, answer)? {
                    found.push((index, skill));
                }
            }
        }
        found.sort_by(|(one, a), (other, b)| {
            (roots[*one].rank, &a.name, a.path()).cmp(&(roots[*other].rank, &b.name, b.path()))
        });
        if let (Listing::Message, false) = (self.listing, settings.skills.unlisted) {
            // Codex's own skills are there once it has started; until then their root is known, and not what is in it.
            let own = roots.iter().position(|root| root.rank == Rank::System);
            let written = own.filter(|own| !settings.skills.no_system && !found.iter().any(|(root, _)| root == own));
            let absent = match written {
                Some(own) => {
                    search.stat(&roots[own].dir, "skills that Codex writes when it starts")? == Err(Errno::NOENT)
                }
                None => false,
            };
            self.list(&roots, &found, written.filter(|_| absent), answer);
        }
        answer.sources.extend(found.into_iter().map(|(_, skill)| skill.source));
        Ok(())
    }

    /// The table of roots, and a line for every skill.
    fn list(&self, roots: &[Root], found: &[(usize, Skill)], written: Option<usize>, answer: &mut Answer) {
        let listed: Vec<&(usize, Skill)> = found.iter().filter(|(_, skill)| skill.counts()).collect();
        if listed.is_empty() {
            return;
        }
        // Skills that are off altogether do not count for the table.
        let loaded = |root: usize| roots[root].rank != Rank::System || listed.iter().any(|(of, _)| *of == root);
        let used =
            |index: &usize| written == Some(*index) || (loaded(*index) && found.iter().any(|(root, _)| root == index));
        let used: Vec<usize> = (0..roots.len()).filter(used).collect();
        let mut lines = vec!["### Skill roots".to_owned()];
        lines.extend(
            used.iter().enumerate().map(|(number, root)| format!("- `r{number}` = `{}`", roots[*root].dir.display())),
        );
        lines.push("### Available skills".to_owned());
        let mut tokens = 0;
        for (root, skill) in listed {
            let number = used.iter().position(|used| used == root).unwrap_or_default();
            let inside = skill.path().strip_prefix(&roots[*root].dir).unwrap_or(skill.path()).display();
            let line = format!("- {}: {} (file: r{number}/{inside})", skill.name, skill.description);
            tokens += (line.len() + 1).div_ceil(4);
            lines.push(line);
        }
        if tokens > LIST_TOKENS {
            let message = format!(
                "the list of skills takes ≈ {} tokens; above 2 % of the model's context ({} of 272 000) Codex shortens the descriptions",
                grouped(tokens),
                grouped(LIST_TOKENS)
            );
            answer.warnings.push(Warning::general("over-budget", message));
        }
        let place = answer.messages.iter().take_while(|message| message.role == Role::Developer).count();
        let Some(message) = skills::list(Trigger::Session, Role::Developer, &lines) else { return };
        answer.messages.insert(place, message);
        for source in &mut answer.sources {
            source.message = source.message.map(|message| if message >= place { message + 1 } else { message });
        }
    }
}

/// The folders of skills, in the order of their numbers.
fn roots(cwd: &Path, root: Option<&Path>, codex_home: &Path, home: &Path) -> Vec<Root> {
    let dirs = directories(cwd, root);
    let of = |dir: PathBuf, rank| Root { dir, rank };
    let mut roots: Vec<Root> = dirs.iter().rev().map(|dir| of(dir.join(".codex/skills"), Rank::Repository)).collect();
    roots.push(of(codex_home.join("skills"), Rank::User));
    roots.push(of(home.join(".agents/skills"), Rank::User));
    roots.push(of(codex_home.join("skills/.system"), Rank::System));
    roots.push(of(PathBuf::from("/etc/codex/skills"), Rank::Admin));
    roots.extend(dirs.iter().map(|dir| of(dir.join(".agents/skills"), Rank::Repository)));
    // In the home directory the folders of the user and of the project are the same.
    let users: Vec<PathBuf> =
        roots.iter().filter(|root| root.rank == Rank::User).map(|root| root.dir.clone()).collect();
    roots.retain(|root| root.rank == Rank::User || !users.contains(&root.dir));
    roots
}

/// The skill of a file, unless its head is not what it must be.
fn skill(
    path: &Path,
    root: &Root,
    switches: &Switches,
    search: &mut Search,
    answer: &mut Answer,
) -> Told<Option<Skill>> {
    let scope = match root.rank {
        Rank::System => Scope::Generated,
        Rank::Admin => Scope::Managed,
        Rank::Repository => Scope::Project,
        Rank::User => Scope::User,
    };
    let Some(file) = skills::read(path, scope, search, &mut answer.sources)? else { return Ok(None) };
    let (head, _) = skills::head(&file.text).unwrap_or_default();
    let head = Head::of(head).or_else(|| Head::of(&quoted(head))).unwrap_or_default();
    let one_line = |words: Option<String>| {
        Some(words?.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|words| !words.is_empty())
    };
    let Some(description) = one_line(head.description) else {
        answer.sources.push(file.refused("its head must have a `description`"));
        return Ok(None);
    };
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
    let name = one_line(head.name).unwrap_or(folder);
    if name.chars().count() > NAME_CHARACTERS {
        answer.sources.push(file.refused(&format!("its name has more than {NAME_CHARACTERS} characters")));
        return Ok(None);
    }
    let mut skill = file.named(name, shortened(&description));
    let off = |word: &String| *word == skill.name || Path::new(word) == path;
    if let Some(word) = switches.off.iter().find(|word| off(word)) {
        skill.leave_out(Fate::Excluded, format!("[[skills.config]] switches `{word}` off"));
    } else if root.rank == Rank::System && switches.no_system {
        skill.leave_out(Fate::Excluded, "[skills.bundled] switches Codex's own skills off");
    } else if switches.unlisted {
        skill.leave_out(Fate::Excluded, "`include_instructions` of [skills] leaves the list out");
    } else if !is_offered(path, search)? {
        skill.leave_out(Fate::Excluded, "agents/openai.yaml says that only the user calls for it");
    }
    Ok(Some(skill))
}

/// What the head of a SKILL.md says.
#[derive(Default)]
struct Head {
    name: Option<String>,
    description: Option<String>,
}

impl Head {
    /// `None` where it is no YAML, or has a list or a table in place of a text. Numbers keep their digits.
    fn of(head: &str) -> Option<Head> {
        let node = parse_yaml(head).ok()?;
        // Of the keys that it knows, none may stand twice.
        let times = |key: &str| match &node.value {
            Value::Table(entries) => entries.iter().filter(|(name, _)| name == key).count(),
            _ => 0,
        };
        if ["name", "description", "metadata"].iter().any(|key| times(key) > 1) {
            return None;
        }
        let text = |key: &str| match node.get(key).map(|node| &node.value) {
            None | Some(Value::Null) => Some(None),
            Some(Value::Text(text) | Value::Date(text)) => Some(Some(text.clone())),
            Some(Value::Bool(_) | Value::Integer(_) | Value::Float(_)) => {
                let written = as_written(head, key)?;
                Some(Some(written.split(" #").next().unwrap_or_default().to_owned()))
            }
            Some(Value::List(_) | Value::Table(_)) => None,
        };
        Some(Head { name: text("name")?, description: text("description")? })
    }
}

/// The head with those values in quotes that people mean as texts and that are none in YAML.
fn quoted(head: &str) -> String {
    let line = |line: &str| {
        let (key, value) = line.split_once(':')?;
        let value = value.trim();
        let open =
            [('[', ']'), ('{', '}')].iter().any(|(open, close)| value.starts_with(*open) && !value.ends_with(*close));
        let meant = value.contains(": ") || value.starts_with(['@', '`']) || open;
        let plain = meant && !key.starts_with(' ') && !value.starts_with(['"', '\'']);
        plain.then(|| format!("{key}: '{}'", value.replace('\'', "''")))
    };
    head.lines().map(|text| line(text).unwrap_or_else(|| text.to_owned())).collect::<Vec<_>>().join("\n")
}

/// Whether the agent may call for a skill by itself.
fn is_offered(path: &Path, search: &mut Search) -> Told<bool> {
    let policy = path.with_file_name("agents").join("openai.yaml");
    let Ok(raw) = search.read(&policy, "whether the agent may call for the skill by itself")? else { return Ok(true) };
    let policy = parse_yaml(&raw.text()).ok();
    let allowed = policy.as_ref().and_then(|node| node.at_path(&["policy", "allow_implicit_invocation"]));
    Ok(allowed.and_then(Node::as_bool) != Some(false))
}

fn shortened(description: &str) -> String {
    if description.chars().count() <= DESCRIPTION_CHARACTERS {
        return description.to_owned();
    }
    format!("{}...", description.chars().take(DESCRIPTION_CHARACTERS - 3).collect::<String>())
}

/// Reads the switches.
pub(super) fn switches(value: &dyn Fn(&[&str]) -> Option<Node>) -> Switches {
    let flag = |path: &[&str]| value(path).as_ref().and_then(Node::as_bool);
    let list = value(&["skills", "config"]);
    let entries = list.as_ref().and_then(Node::as_list).unwrap_or_default();
    let off = entries.iter().filter(|entry| entry.get("enabled").and_then(Node::as_bool) == Some(false));
    let words = off.filter_map(|entry| entry.get("path").or_else(|| entry.get("name"))?.as_text());
    Switches {
        unlisted: flag(&["skills", "include_instructions"]) == Some(false),
        no_system: flag(&["skills", "bundled", "enabled"]) == Some(false),
        off: words.map(str::to_owned).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_no_yaml_are_taken_as_people_mean_them() {
        for (value, read) in [
            ("Plain.", Some("Plain.")),
            ("Use when: a colon", Some("Use when: a colon")),
            ("it's: x", Some("it's: x")),
            ("{x: y}", Some("{x: y}")),
            ("[open", Some("[open")),
            ("@at", Some("@at")),
            ("`tick`", Some("`tick`")),
            ("1.50 # a number", Some("1.50")),
            ("1e3", Some("1e3")),
            ("true", Some("true")),
            ("~", None),
            ("[a, b]", None),
            ("*star", None),
            ("- a", None),
        ] {
            let head = format!("name: a\ndescription: {value}\n");
            let head = Head::of(&head).or_else(|| Head::of(&quoted(&head))).unwrap_or_default();
            assert_eq!(head.description.as_deref(), read, "{value}");
        }
    }
}
