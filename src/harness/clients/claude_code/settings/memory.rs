//! Where the memory is.

use std::path::{Component, Path, PathBuf};

use super::super::directory::Directory;
use super::super::layers::Layer;
use super::super::variables::{self, Variables};
use super::Settings;
use crate::answer::Standpoint;
use crate::search::Search;
use crate::snapshot::absolute;

/// Location of the memory.
pub(in super::super) enum Memory {
    /// Disabled, with the reason.
    Off(String),
    /// The directory derived from the project's slug.
    Usual,
    /// This directory.
    In(PathBuf),
}

impl Settings {
    /// Locates the memory. The strongest layer that names a directory decides, even if its value is invalid.
    pub(super) fn place_memory(&mut self, layers: &[Layer], variables: &Variables, at: &Standpoint, search: &Search) {
        let elsewhere = variables.given(variables::MEMORIES, search);
        self.memories = elsewhere.map_or_else(|| self.config.clone(), |dir| Directory::new(&dir, &at.cwd));
        self.memory_text = variables.get(variables::MEMORY_TEXT, search);
        let strongest = |key: &str| layers.iter().rev().find_map(|layer| Some((layer, layer.node.get(key)?)));
        let named = strongest("autoMemoryDirectory").and_then(|(_, node)| node.as_text());
        let named = named.and_then(|dir| match dir.strip_prefix("~/") {
            Some(rest) => below(&at.home, rest),
            None => memory_directory(dir),
        });
        let given = variables.given(variables::MEMORY_DIR, search).and_then(|dir| memory_directory(&dir));
        let off = strongest("autoMemoryEnabled").filter(|(_, node)| node.as_bool() == Some(false));
        let stores = variables.get(variables::STORES, search).is_some_and(|stores| !stores.trim().is_empty());
        self.memory = match (variables.switched(variables::NO_MEMORY, search), off) {
            (Some(true), _) => Memory::Off(format!("{} is set", variables::NO_MEMORY)),
            (None, Some((layer, _))) => Memory::Off(format!("autoMemoryEnabled in {}", layer.from.display())),
            (Some(false), _) | (None, None) if stores => Memory::Off(format!("{} is set", variables::STORES)),
            (Some(false), _) | (None, None) => given
                .or(named)
                .map_or(Memory::Usual, |dir| Memory::In(Directory::new(&dir.to_string_lossy(), &at.cwd).path)),
        };
    }

    /// Formats the path of the memory as the client does.
    pub(in super::super) fn said_memory(&self, path: &Path) -> String {
        match self.memory {
            Memory::Usual => self.memories.said(path),
            Memory::In(_) | Memory::Off(_) => path.display().to_string(),
        }
    }
}

/// Returns the directory if it may hold the memory: an absolute path that is not a name of one letter at the root.
fn memory_directory(dir: &str) -> Option<PathBuf> {
    let path = absolute(Path::new("/"), Path::new(dir));
    (dir.starts_with('/') && !dir.contains('\0') && path.as_os_str().len() > 2).then_some(path)
}

/// Resolves a path below the home directory; `None` if it is the home directory itself or leaves it.
fn below(home: &Path, rest: &str) -> Option<PathBuf> {
    let rest = Path::new(rest.trim_start_matches('/'));
    let mut depth = 0;
    for part in rest.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::ParentDir => depth -= 1,
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
        if depth < 0 {
            return None;
        }
    }
    (depth > 0).then(|| absolute(home, rest))
}
