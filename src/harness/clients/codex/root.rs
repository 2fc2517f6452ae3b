//! The root of a project: of its files, and of its settings.

use std::path::{Path, PathBuf};

use super::paths;
use super::rules::{Behavior, DocumentRoot, SettingsRoot, Tildes};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, Errno, FileType, absolute};

/// Result of the search for the project root.
pub(super) enum Root {
    Found(PathBuf),
    Nowhere,
    /// A marker that cannot be examined.
    Error(String),
}

/// Values that the search for either root needs.
pub(super) struct Looked<'a> {
    /// Default markers.
    pub defaults: &'a [&'a str],
    pub home: &'a Path,
}

impl Tildes {
    /// Returns the path of a marker in a directory.
    fn path(self, dir: &Path, marker: &str, home: &Path) -> PathBuf {
        match self {
            Tildes::Letters => absolute(dir, Path::new(marker)),
            Tildes::Home => paths::in_settings(marker, dir, home),
        }
    }
}

impl Behavior {
    /// Returns the root of the project files, searched upwards from `documents`.
    pub fn document_root(
        &self,
        documents: &Path,
        looked: &Looked,
        markers: &[String],
        search: &mut Search,
    ) -> Known<Root> {
        let path = |dir: &Path, marker: &str| self.tildes.path(dir, marker, looked.home);
        match self.document_root {
            DocumentRoot::Markers => {
                let dirs: Vec<&Path> = documents.ancestors().collect();
                find(&dirs, markers, path, Unexamined::IsAbsent, search)
            }
            DocumentRoot::MarkersOrNothing => {
                let dirs: Vec<&Path> = documents.ancestors().collect();
                find(&dirs, markers, path, Unexamined::DropsEverything, search)
            }
            DocumentRoot::DefaultMarkers => {
                let dirs: Vec<&Path> = documents.ancestors().filter(|dir| dir.parent().is_some()).collect();
                let markers: Vec<String> = looked.defaults.iter().map(|&marker| marker.to_owned()).collect();
                find(&dirs, &markers, path, Unexamined::DropsEverything, search)
            }
        }
    }

    /// Returns the root of the project's settings, which may differ from that of its files.
    pub fn settings_root(
        &self,
        cwd: &Path,
        looked: &Looked,
        markers: &[String],
        search: &mut Search,
    ) -> Known<Option<PathBuf>> {
        let rule = "root of the project settings";
        for (dir, marker) in cwd.ancestors().flat_map(|dir| markers.iter().map(move |marker| (dir, marker))) {
            let is_there = match self.settings_root {
                SettingsRoot::GitHoldsHead => {
                    let path = absolute(dir, Path::new(marker));
                    match search.stat(&path, rule)? {
                        Ok(meta) if marker == ".git" && meta.kind == FileType::Dir => {
                            search.stat(&path.join("HEAD"), rule)?.is_ok()
                        }
                        found => found.is_ok(),
                    }
                }
                SettingsRoot::AnySimpleMarker => {
                    search.stat(&self.tildes.path(dir, marker, looked.home), rule)?.is_ok()
                }
                SettingsRoot::AnyMarker => match paths::resolved(dir, marker, search)? {
                    Ok(path) => paths::stat(&path, marker, rule, search)?.is_ok(),
                    Err(_) => false,
                },
            };
            if is_there {
                return Ok(Some(dir.to_owned()));
            }
        }
        Ok(None)
    }
}

/// Meaning of a marker that cannot be examined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unexamined {
    IsAbsent,
    DropsEverything,
}

/// Returns the nearest directory that has any of the markers.
fn find(
    dirs: &[&Path],
    markers: &[String],
    path: impl Fn(&Path, &str) -> PathBuf,
    unexamined: Unexamined,
    search: &mut Search,
) -> Known<Root> {
    let path = &path;
    search.expect(dirs.iter().flat_map(|dir| markers.iter().map(move |marker| Ask::Kind(path(dir, marker)))))?;
    for &dir in dirs {
        for marker in markers {
            match search.stat(&path(dir, marker), "project root: the nearest directory with a root marker")? {
                Ok(_) => return Ok(Root::Found(dir.to_owned())),
                // The marker has a NUL byte.
                Err(Errno::INVAL) => return Ok(Root::Error(marker.clone())),
                Err(Errno::NOENT) => {}
                Err(_) if unexamined == Unexamined::DropsEverything => {
                    return Ok(Root::Error(path(dir, marker).display().to_string()));
                }
                Err(_) => {}
            }
        }
    }
    Ok(Root::Nowhere)
}
