//! Where a project starts: its files, and its settings.

use std::path::{Path, PathBuf};

use super::paths;
use super::rules::{Behavior, DocumentRoot, SettingsRoot, Tildes};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, Errno, FileType, absolute};

/// What looking for the project root comes to.
pub(super) enum Root {
    Found(PathBuf),
    Nowhere,
    /// A marker that cannot be looked for.
    Error(String),
}

/// What looking for both roots needs.
pub(super) struct Looked<'a> {
    /// The markers where none are set.
    pub defaults: &'a [&'a str],
    pub home: &'a Path,
}

impl Tildes {
    /// The path of a marker in a directory.
    fn path(self, dir: &Path, marker: &str, home: &Path) -> PathBuf {
        match self {
            Tildes::Letters => absolute(dir, Path::new(marker)),
            Tildes::Home => paths::in_settings(marker, dir, home),
        }
    }
}

impl Behavior {
    /// Where the project files start, seen from the directory where they end.
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

    /// Where project settings start, which is not where project files start.
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

/// What a marker means that cannot be examined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unexamined {
    IsAbsent,
    DropsEverything,
}

/// The nearest directory that has any of the markers.
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
                // A NUL byte in the marker.
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
