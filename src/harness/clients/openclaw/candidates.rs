//! Selects the skills to list: one of each name, if its requirements are met, and as many as the list has room for.

use std::path::{Path, PathBuf};

use super::head::{EarlyHead, Head, texts};
use super::library::{self, Found};
use super::skills::{Finding, Limits, Place};
use super::turn::Turn;
use crate::answer::{Described, Fate, Scope, Source, Warning};
use crate::formats::{Node, Value, parse_json5};
use crate::harness::kit::heads;
use crate::harness::kit::skills::{self, File, Skill, element, sort_by_name, xml};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, absolute};
use crate::text::{grouped, js_trim, utf16_len};

/// Length of the text around a list, in UTF-16 units (OpenClaw 2026.2.19).
const FRAME_UTF16: usize = 368;

/// A skill before it is known whether it is listed.
struct Read {
    skill: Skill,
    /// Value of `metadata.openclaw`: its requirements, and how it may be called.
    metadata: Option<Node>,
    /// True if only the user can call it.
    for_the_user: bool,
    /// True if it is bundled with OpenClaw.
    bundled: bool,
}

/// The skills of one name, the strongest last.
struct Slot {
    name: String,
    found: Vec<Read>,
    /// True if a bundled skill, of which only the name is known, is stronger than all of them.
    hidden: bool,
}

impl Turn<'_> {
    /// Returns the skills in the order in which their names were found. Of each name the strongest counts, whether it
    /// is listed or not.
    pub(super) fn candidates(&self, search: &mut Search, refused: &mut Vec<Source>) -> Known<Vec<Skill>> {
        let limits = match self.edition.skills.finding {
            Finding::LibraryByFolder(limits) => Some(self.configured(limits)),
            Finding::Library | Finding::Walk(_) => None,
        };
        let places = self.edition.skills.places;
        let dirs: Vec<_> = places.iter().map(|place| (place, self.dirs(*place, search))).collect();
        search.expect(dirs.iter().flat_map(|(_, dirs)| dirs).map(|(dir, _)| Ask::Listing(dir.clone())))?;
        let mut slots: Vec<Slot> = Vec::new();
        for (place, dirs) in dirs {
            let bundled = matches!(place, Place::Bundled(_));
            if let Place::Bundled(names) = place
                && dirs.is_empty()
            {
                let most = limits.as_ref().map_or(names.len(), |limits| limits.loaded);
                names.iter().take(most).for_each(|name| slot(&mut slots, name).hidden = true);
            }
            for (dir, scope) in dirs {
                for mut read in self.read_all(&dir, scope, limits.as_ref(), search, refused)? {
                    read.bundled = bundled;
                    let slot = slot(&mut slots, &read.skill.name);
                    slot.found.push(read);
                    slot.hidden = false;
                }
            }
        }
        let mut skills = Vec::new();
        for slot in slots {
            let mut weaker = slot.found;
            let strongest = if slot.hidden { None } else { weaker.pop() };
            let by = strongest.as_ref().map(|read| read.skill.path().to_owned());
            let reason = match &by {
                Some(path) => format!("{} has the same name and comes first", path.display()),
                None => "a skill that comes with OpenClaw has the same name and comes first".to_owned(),
            };
            if let Some(read) = strongest {
                skills.push(self.judged(read, search)?);
            }
            for Read { mut skill, .. } in weaker.into_iter().rev() {
                skill.source.by = by.clone();
                skill.leave_out(Fate::Shadowed, reason.clone());
                skills.push(skill);
            }
        }
        Ok(skills)
    }

    /// Returns the skills of a directory, before it is known whether they are listed.
    fn read_all(
        &self,
        dir: &Path,
        scope: Scope,
        limits: Option<&Limits>,
        search: &mut Search,
        refused: &mut Vec<Source>,
    ) -> Known<Vec<Read>> {
        let (folders, most) = match (self.edition.skills.finding, limits) {
            (Finding::Walk(walk), _) => (vec![skills::below(dir, walk, search)?], usize::MAX),
            (Finding::Library | Finding::LibraryByFolder(_), None) => (vec![library::all(dir, search)?], usize::MAX),
            (Finding::Library | Finding::LibraryByFolder(_), Some(limits)) => {
                match library::folder_by_folder(dir, scope, limits, search, refused)? {
                    Found::Whole(files) => (vec![files], usize::MAX),
                    Found::ByFolder(folders) => (folders, limits.loaded),
                }
            }
        };
        search.expect(folders.iter().flatten().cloned().map(Ask::Content))?;
        let mut reads = Vec::new();
        for folder in folders {
            for path in folder {
                let Some(file) = skills::read(&path, scope, search, refused)? else { continue };
                let read = match self.edition.skills.finding {
                    Finding::Walk(_) => Read::with_a_second_chance(file),
                    Finding::Library | Finding::LibraryByFolder(_) => Read::strictly(file),
                };
                match read {
                    Ok(read) => reads.push(read),
                    Err(source) => refused.push(*source),
                }
            }
            if reads.len() >= most {
                break;
            }
        }
        if reads.len() > most {
            sort_by_name(&mut reads, |read| &read.skill.name);
            for Read { mut skill, .. } in reads.drain(most..) {
                skill.leave_out(Fate::Dropped, "skills.limits.maxSkillsLoadedPerSource: too many skills in one place");
                refused.push(skill.source);
            }
        }
        Ok(reads)
    }

    /// Returns the skill, excluded if it may not be listed.
    fn judged(&self, read: Read, search: &mut Search) -> Known<Skill> {
        let Read { mut skill, metadata, for_the_user, bundled } = read;
        let key = metadata.as_ref().and_then(|metadata| metadata.get("skillKey")).and_then(Node::as_text);
        let key = key.unwrap_or(&skill.name);
        let entry = self.config.at_path(&["skills", "entries", key]);
        let allowed = texts(self.config.at_path(&["skills", "allowBundled"]));
        let of_agent = self.config.of_agent(self.agent, "skills");
        let is_off = entry.and_then(|entry| entry.get("enabled")).and_then(Node::as_bool) == Some(false);
        let not_allowed =
            bundled && !allowed.is_empty() && !allowed.iter().any(|name| *name == key || *name == skill.name);
        let missing = match &metadata {
            Some(metadata) if !is_off && !not_allowed => self.missing(metadata, entry, search)?,
            Some(_) | None => None,
        };
        if is_off {
            skill.leave_out(Fate::Excluded, "skills.entries switches it off in the configuration");
        } else if not_allowed {
            skill.leave_out(Fate::Excluded, "skills.allowBundled does not name it");
        } else if let Some(what) = missing {
            skill.leave_out(Fate::Excluded, format!("it requires what is missing: {what}"));
        } else if of_agent.is_some() && !texts(of_agent).contains(&skill.name) {
            skill.leave_out(Fate::Excluded, "`skills` of the agent does not name it");
        } else if for_the_user {
            skill.leave_out(Fate::Excluded, "`disable-model-invocation`: only the user can call it");
        }
        Ok(skill)
    }

    /// Returns the directory of the bundled skills, if a variable sets it.
    pub(super) fn bundled(&self, search: &Search) -> Option<PathBuf> {
        let dir = self.home.variable(search, "OPENCLAW_BUNDLED_SKILLS_DIR")?;
        let dir = js_trim(&dir);
        (!dir.is_empty()).then(|| absolute(&self.at.cwd, Path::new(dir)))
    }

    /// Returns the limits, overridden by the configuration.
    fn configured(&self, limits: Limits) -> Limits {
        let said =
            |key: &str, limit: usize| match self.config.at_path(&["skills", "limits", key]).map(|node| &node.value) {
                Some(Value::Integer(number)) => usize::try_from(*number).unwrap_or(limit),
                Some(Value::Float(number)) => *number as usize,
                _ => limit,
            };
        Limits {
            candidates: said("maxCandidatesPerRoot", limits.candidates),
            loaded: said("maxSkillsLoadedPerSource", limits.loaded),
            listed: said("maxSkillsInPrompt", limits.listed),
            listed_utf16: said("maxSkillsPromptChars", limits.listed_utf16),
            file_bytes: said("maxSkillFileBytes", limits.file_bytes),
        }
    }

    /// Drops the skills for which the list has no room. Returns a warning if some were dropped, and the bundled skills,
    /// whose sizes are not known, were not counted.
    pub(super) fn keep_to(&self, limits: Limits, skills: &mut [Skill], search: &Search) -> Option<Warning> {
        let limits = self.configured(limits);
        let (mut count, mut length, mut dropped) = (0, FRAME_UTF16, 0);
        for skill in skills.iter_mut().filter(|skill| skill.counts()) {
            // The client measures the paths before it shortens them.
            let path = self.home.named(skill.path()).display().to_string();
            length += utf16_len(&element("  ", skill, &path, xml)) + 1;
            count += 1;
            let limit = if count > limits.listed {
                format!("maxSkillsInPrompt: {} skills come before it", grouped(limits.listed))
            } else if length > limits.listed_utf16 {
                format!("maxSkillsPromptChars: the list has {} UTF-16 units", grouped(limits.listed_utf16))
            } else {
                continue;
            };
            dropped += 1;
            skill.leave_out(Fate::Dropped, format!("skills.limits.{limit}"));
            skill.source.described = Described::LeftOut;
        }
        (dropped > 0 && self.bundled(search).is_none()).then(|| {
            let message = "the list of skills is full; those that come with OpenClaw take room in it as well, so that fewer \
                           may be listed than are said here";
            Warning::general("skills-limit", message)
        })
    }
}

impl Read {
    /// Parses front matter as the early clients do; fails with the reason why it is invalid.
    fn strictly(file: File) -> Result<Read, Box<Source>> {
        let head = match EarlyHead::of(&file.text) {
            Ok(head) => head,
            Err(reason) => return Err(Box::new(file.refused(reason))),
        };
        let (metadata, for_the_user) =
            (metadata_for(&["openclaw"], head.text("metadata")), is_yes(head.text("disable-model-invocation")));
        let name = head.name.unwrap_or_else(|| folder_of(&file));
        Ok(Read { skill: file.named(name, head.description), metadata, for_the_user, bundled: false })
    }

    /// Parses front matter in which the line of the description may be invalid YAML.
    fn with_a_second_chance(file: File) -> Result<Read, Box<Source>> {
        let text = file.text.strip_prefix('\u{feff}').unwrap_or(&file.text).to_owned();
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let head = heads::whole_lines(&text).and_then(|(head, _)| Head::of(head));
        let value = |key: &str| head.as_ref().and_then(|head| head.text(key));
        let Some(description) = value("description") else {
            return Err(Box::new(file.refused("its head must have a `description`")));
        };
        let (metadata, for_the_user) =
            (metadata_for(&["openclaw", "clawdbot"], value("metadata")), is_yes(value("disable-model-invocation")));
        let name = value("name").unwrap_or_else(|| folder_of(&file));
        Ok(Read { skill: file.named(name, description), metadata, for_the_user, bundled: false })
    }
}

/// Returns the name of the folder that contains a file.
fn folder_of(file: &File) -> String {
    let folder = file.source.path().and_then(Path::parent).and_then(Path::file_name);
    folder.unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the part of `metadata`, JSON5 in a text, for a client with one of these names.
fn metadata_for(names: &[&str], metadata: Option<String>) -> Option<Node> {
    let metadata = parse_json5(&metadata?).ok()?;
    let mut parts = names.iter().filter_map(|name| metadata.get(name));
    parts.find(|node| matches!(node.value, Value::Table(_) | Value::List(_))).cloned()
}

fn is_yes(text: Option<String>) -> bool {
    matches!(js_trim(&text.unwrap_or_default().to_lowercase()), "true" | "1" | "yes" | "on")
}

/// Returns the slot of a name, added if there is none yet.
fn slot<'a>(slots: &'a mut Vec<Slot>, name: &str) -> &'a mut Slot {
    let at = slots.iter().position(|slot| slot.name == name).unwrap_or_else(|| {
        slots.push(Slot { name: name.to_owned(), found: Vec::new(), hidden: false });
        slots.len() - 1
    });
    &mut slots[at]
}
