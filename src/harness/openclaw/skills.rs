//! Skills: those of directories in the configuration, of the state directory, of the user, and of the workspace.

use std::path::{Path, PathBuf};

use super::head::Head;
use super::turn::Turn;
use crate::answer::{Fate, Message, Role, Scope, Source, Trigger, Warning};
use crate::formats::Node;
use crate::harness::skills::{self, Skill, Walk, element, is_on, sort_by_name, xml};
use crate::search::{Search, Told};
use crate::snapshot::Ask;

/// Where an edition looks for skills, and how it lists them.
pub(super) struct Rules {
    /// Where they are looked for, the weakest place first.
    pub places: &'static [Place],
    /// Which files of a place are skills, and which of one name counts.
    pub finding: Finding,
    /// The paths in the list.
    pub paths: Paths,
}

/// Where skills are looked for.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// Directories that the configuration names.
    Named,
    /// Those that come with OpenClaw; only their names are known, unless `OPENCLAW_BUNDLED_SKILLS_DIR` says where they are.
    Bundled(&'static [&'static str]),
    /// `skills` of the state directory.
    State,
    /// `.agents/skills` of the home directory.
    User,
    /// `.agents/skills` of the workspace.
    Project,
    /// `skills` of the workspace.
    Workspace,
}

/// Which files of a place are skills, and which of one name counts.
#[derive(Clone, Copy)]
pub(super) enum Finding {
    /// What this walk finds; the strongest that is listed; in the order of names.
    Walk(Walk),
    /// What the library finds; the strongest, listed or not; in the order in which names were found.
    Library,
    /// The same, but what the library finds in each folder, and no more than so many.
    LibraryByFolder(Limits),
}

/// How much is looked at, and listed.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// How many folders of `skills` in a place are looked into, to see whether that is the place itself.
    pub candidates: usize,
    /// How many folders, and how many skills, of a place count.
    pub loaded: usize,
    /// How many skills are listed.
    pub listed: usize,
    /// How long the list may be, with the client's words around it.
    pub listed_utf16: usize,
    /// How large a SKILL.md may be.
    pub file_bytes: usize,
}

/// The paths in the list.
#[derive(Clone, Copy)]
pub(super) enum Paths {
    /// As they are.
    Whole,
    /// With `~` for the home directory of the user.
    FromHome,
    /// With `~` for the home directory of OpenClaw.
    FromOwnHome,
}

impl Turn<'_> {
    /// The list, and the skills as sources. Those that come with OpenClaw and its plugins are not repeated.
    pub(super) fn skills(
        &self,
        search: &mut Search,
        warnings: &mut Vec<Warning>,
    ) -> Told<(Option<Message>, Vec<Source>)> {
        let mut refused = Vec::new();
        let found = match self.edition.skills.finding {
            Finding::Walk(walk) => self.walked(walk, search, &mut refused)?,
            Finding::Library => self.by_library(None, search, &mut refused)?,
            Finding::LibraryByFolder(limits) => {
                let limits = self.configured(limits);
                let mut found = self.by_library(Some(&limits), search, &mut refused)?;
                warnings.extend(self.keep_to(&limits, &mut found, search));
                found
            }
        };
        let counted = found.iter().filter(|skill| skill.counts());
        let entries: Vec<String> = counted.map(|skill| element("  ", skill, &self.listed(skill.path()), xml)).collect();
        let list = skills::list(Trigger::Session, Role::System, &entries);
        Ok((list, refused.into_iter().chain(found.into_iter().map(|skill| skill.source)).collect()))
    }

    /// Which directories a place is.
    pub(super) fn dirs(&self, place: Place, search: &Search) -> Vec<(PathBuf, Scope)> {
        let one = |dir: PathBuf, scope| vec![(dir, scope)];
        match place {
            Place::Named => {
                let named = self.config.at_path(&["skills", "load", "extraDirs"]).and_then(Node::as_texts);
                let named = named.unwrap_or_default().into_iter().filter(|dir| !crate::text::js_trim(dir).is_empty());
                named.map(|dir| (self.home.path(dir), Scope::Config)).collect()
            }
            Place::Bundled(_) => self.bundled(search).map_or_else(Vec::new, |dir| one(dir, Scope::Managed)),
            Place::State => one(self.home.on_disk(&self.home.skills()), Scope::User),
            Place::User => match self.edition.skills.paths {
                Paths::FromOwnHome => one(self.home.home.join(".agents/skills"), Scope::User),
                Paths::Whole | Paths::FromHome => one(self.at.home.join(".agents/skills"), Scope::User),
            },
            Place::Project => one(self.workspace.join(".agents/skills"), Scope::Project),
            Place::Workspace => one(self.workspace.join("skills"), Scope::Project),
        }
    }

    fn walked(&self, walk: Walk, search: &mut Search, refused: &mut Vec<Source>) -> Told<Vec<Skill>> {
        let mut found: Vec<Skill> = Vec::new();
        let places = self.edition.skills.places;
        let dirs: Vec<_> = places.iter().flat_map(|place| self.dirs(*place, search)).collect();
        search.expect(dirs.iter().map(|(dir, _)| Ask::Listing(dir.clone())))?;
        // The strongest place comes first, and the end of the alphabet in each.
        for (dir, scope) in dirs.into_iter().rev() {
            for path in skills::below(&dir, walk, search)?.into_iter().rev() {
                found.extend(self.skill(&path, scope, search, refused)?);
            }
        }
        skills::first_of_each_name(&mut found);
        sort_by_name(&mut found, |skill| &skill.name);
        Ok(found)
    }

    fn skill(&self, path: &Path, scope: Scope, search: &mut Search, refused: &mut Vec<Source>) -> Told<Option<Skill>> {
        let Some(file) = skills::read(path, scope, search, refused)? else { return Ok(None) };
        let text = file.text.strip_prefix('\u{feff}').unwrap_or(&file.text).to_owned();
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let head = skills::head(&text).and_then(|(head, _)| Head::of(head));
        let value = |key: &str| head.as_ref().and_then(|head| head.text(key));
        let Some(description) = value("description") else {
            refused.push(file.refused("its head must have a `description`"));
            return Ok(None);
        };
        let mut skill = file.named(value("name").unwrap_or_else(|| folder_of(path)), description);
        let entry = ["skills", "entries", &skill.name, "enabled"];
        let allowed = self.config.of_agent(self.agent, "skills").and_then(Node::as_texts);
        if head.as_ref().is_some_and(|head| is_on(head.node(), "disable-model-invocation")) {
            skill.leave_out(Fate::Excluded, FOR_THE_USER);
        } else if self.config.at_path(&entry).and_then(Node::as_bool) == Some(false) {
            skill.leave_out(Fate::Excluded, SWITCHED_OFF);
        } else if allowed.is_some_and(|allowed| !allowed.contains(&skill.name.as_str())) {
            skill.leave_out(Fate::Excluded, NOT_NAMED);
        } else if let Some(what) = head.as_ref().map(Head::node).and_then(requirements) {
            let reason = format!("listed only where its requirements are met, which are not looked for: {what}");
            skill.leave_out(Fate::Pending, reason);
        }
        Ok(Some(skill))
    }

    /// The path as the list has it.
    fn listed(&self, path: &Path) -> String {
        let path = self.home.named(path);
        let home = match self.edition.skills.paths {
            Paths::Whole => None,
            Paths::FromHome => Some(&self.at.home),
            Paths::FromOwnHome => Some(&self.home.home),
        };
        match home.and_then(|home| path.strip_prefix(home).ok()) {
            Some(inside) => format!("~/{}", inside.display()),
            None => path.display().to_string(),
        }
    }
}

/// Why skills are left out.
pub(super) const FOR_THE_USER: &str = "`disable-model-invocation`: only the user calls for it";
pub(super) const SWITCHED_OFF: &str = "skills.entries switches it off in the configuration";
pub(super) const NOT_NAMED: &str = "`skills` of the agent does not name it";

/// The name of the folder that a SKILL.md is in.
pub(super) fn folder_of(path: &Path) -> String {
    path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned()
}

/// What a skill asks of the machine: programs, variables, settings.
fn requirements(head: &Node) -> Option<String> {
    let metadata = head.at_path(&["metadata", "openclaw"])?;
    if is_on(metadata, "always") {
        return None;
    }
    let required = metadata.get("requires").and_then(Node::as_table).unwrap_or_default();
    let mut names: Vec<&str> = required.iter().map(|(key, _)| key.as_str()).collect();
    names.extend(metadata.get("os").map(|_| "os"));
    (!names.is_empty()).then(|| names.join(", "))
}
