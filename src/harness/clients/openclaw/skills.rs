//! Skills: those of directories in the configuration, of the state directory, of the user, and of the workspace.

use std::path::{Path, PathBuf};

use super::turn::Turn;
use crate::answer::{Answer, Scope, Source};
use crate::formats::Node;
use crate::harness::kit::skills::{self, Skill, Walk, element, sort_by_name, xml};
use crate::search::{Known, Search};

/// Where an edition looks for skills, and how it lists them.
pub(super) struct Behavior {
    /// Where they are looked for, the weakest place first.
    pub places: &'static [Place],
    /// Which files of a place are skills, and in which order they are listed.
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

/// Which files of a place are skills, and in which order they are listed.
#[derive(Clone, Copy)]
pub(super) enum Finding {
    /// What this walk finds, with a second chance for heads; listed by name.
    Walk(Walk),
    /// What the library finds; listed in the order in which names were found.
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
    pub(super) fn skills(&self, search: &mut Search, answer: &mut Answer) -> Known<Vec<Source>> {
        let mut refused = Vec::new();
        let mut found = self.candidates(search, &mut refused)?;
        match self.edition.skills.finding {
            Finding::Walk(_) => sort_by_name(&mut found, |skill| &skill.name),
            Finding::Library => {}
            Finding::LibraryByFolder(limits) => answer.warnings.extend(self.keep_to(limits, &mut found, search)),
        }
        let entry = |skill: &Skill| element("  ", skill, &self.listed(skill.path()), xml);
        let (list, sources) = skills::told(found, answer.messages.len(), entry);
        answer.messages.extend(list);
        Ok(refused.into_iter().chain(sources).collect())
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
            Place::State => one(self.home.on_disk(&self.home.skills(search)), Scope::User),
            Place::User => match self.edition.skills.paths {
                Paths::FromOwnHome => one(self.home.home.join(".agents/skills"), Scope::User),
                Paths::Whole | Paths::FromHome => one(self.at.home.join(".agents/skills"), Scope::User),
            },
            Place::Project => one(self.workspace.join(".agents/skills"), Scope::Project),
            Place::Workspace => one(self.workspace.join("skills"), Scope::Project),
        }
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
