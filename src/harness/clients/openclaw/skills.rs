//! Skills: those of configured directories, of the state directory, of the user, and of the workspace.

use std::path::{Path, PathBuf};

use super::turn::Turn;
use crate::answer::{Answer, Scope, Source};
use crate::formats::Node;
use crate::harness::kit::skills::{self, Skill, Walk, element, sort_by_name, xml};
use crate::search::{Known, Search};

/// Places of skills and form of the list in an edition.
pub(super) struct Behavior {
    /// Places of skills, the weakest first.
    pub places: &'static [Place],
    /// Method of finding skills, which also decides the order of the list.
    pub finding: Finding,
    /// Form of the paths in the list.
    pub paths: Paths,
}

/// A place of skills.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// Directories named in the configuration.
    Named,
    /// Skills bundled with OpenClaw; only their names are known, unless `OPENCLAW_BUNDLED_SKILLS_DIR` is set.
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

/// Method of finding skills, which also decides the order of the list.
#[derive(Clone, Copy)]
pub(super) enum Finding {
    /// Skills found by this walk, with front matter parsed leniently; listed by name.
    Walk(Walk),
    /// Skills found by the library; listed in the order in which names were found.
    Library,
    /// Skills found by the library in each folder, up to these limits; listed in the order in which names were found.
    LibraryByFolder(Limits),
}

/// Limits on the skills that are read and listed.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Maximum number of folders in `skills` of a place that are searched, to decide whether that is the actual place.
    pub candidates: usize,
    /// Maximum number of folders, and of skills, of a place that count.
    pub loaded: usize,
    /// Maximum number of listed skills.
    pub listed: usize,
    /// Maximum length of the list with the client's text around it, in UTF-16 units.
    pub listed_utf16: usize,
    /// Maximum size of a SKILL.md, in bytes.
    pub file_bytes: usize,
}

/// Form of the paths in the list.
#[derive(Clone, Copy)]
pub(super) enum Paths {
    /// Whole paths.
    Whole,
    /// Paths with `~` for the home directory of the user.
    FromHome,
    /// Paths with `~` for the home directory of OpenClaw.
    FromOwnHome,
}

impl Turn<'_> {
    /// Adds the list, and returns the skills as sources. Skills bundled with OpenClaw and its plugins are not included.
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

    /// Returns the directories of a place.
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

    /// Formats a path for the list.
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
