//! View of the disk around a file for actions, and of the disk with an edit applied, to test whether the edit helps.

use std::path::{Path, PathBuf};

use crate::answer::Resolution;
use crate::harness::custom::Customs;
use crate::harness::{self, Choice};
use crate::resolve::{Outcome, resolve};
use crate::snapshot::{Ask, Entry, Fact, Facts, FileType, Meta};

/// Facts about the disk, behind the few queries that actions need.
#[derive(Clone, Copy)]
pub(super) struct Disk<'a>(pub &'a dyn Facts);

impl Disk<'_> {
    /// Returns the text of a file, if it is UTF-8.
    pub fn read(self, path: &Path) -> Option<String> {
        match self.0.told(&Ask::Content(path.to_owned()))? {
            Fact::Content(Ok(raw)) => String::from_utf8(raw.to_vec()).ok(),
            _ => None,
        }
    }

    /// Returns true unless the path is known not to exist.
    pub fn is_taken(self, path: &Path) -> bool {
        !matches!(self.0.told(&Ask::LinkKind(path.to_owned())), Some(Fact::Kind(Err(_))))
    }

    /// Returns the type of the file, with links followed.
    pub fn kind(self, path: &Path) -> Option<FileType> {
        match self.0.told(&Ask::Kind(path.to_owned()))? {
            Fact::Kind(Ok(meta)) => Some(meta.kind),
            _ => None,
        }
    }

    /// Returns the length of a file, in bytes.
    pub fn len(self, path: &Path) -> Option<usize> {
        match self.0.told(&Ask::Kind(path.to_owned()))? {
            Fact::Kind(Ok(meta)) if meta.kind == FileType::File => usize::try_from(meta.len).ok(),
            _ => None,
        }
    }

    /// Returns true if the path is a symbolic link.
    pub fn is_link(self, path: &Path) -> bool {
        let fact = self.0.told(&Ask::LinkKind(path.to_owned()));
        matches!(fact, Some(Fact::Kind(Ok(Meta { kind: FileType::Link, .. }))))
    }

    /// Returns the names of the entries of a directory.
    pub fn names(self, dir: &Path) -> Vec<String> {
        let Some(Fact::Listing(Ok(entries))) = self.0.told(&Ask::Listing(dir.to_owned())) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.iter().filter_map(|entry| entry.name.to_str().map(str::to_owned)).collect();
        names.sort();
        names
    }
}

/// Returns the agent and edition of an answer, unless the agent is a custom one.
pub(super) fn chosen(answer: &Resolution) -> Option<Choice> {
    harness::choose(&format!("{}@{}", answer.harness, answer.edition), &Customs::default()).ok()
}

/// Resolves the answer again as if these files had these texts.
pub(super) fn answer_with(disk: Disk, answer: &Resolution, files: &[(PathBuf, String)]) -> Option<Resolution> {
    let choice = chosen(answer)?;
    match resolve(&Edited { facts: disk.0, files }, &choice, &answer.standpoint) {
        Outcome::Answer(answer) => Some(*answer),
        Outcome::Pending(_) => None,
    }
}

/// Facts in which some files have other texts.
struct Edited<'a> {
    facts: &'a dyn Facts,
    files: &'a [(PathBuf, String)],
}

impl Facts for Edited<'_> {
    fn told(&self, ask: &Ask) -> Option<Fact> {
        let fact = self.facts.told(ask);
        let edited = |path: &Path| self.files.iter().find(|(edited, _)| edited == path).map(|(_, text)| text);
        match ask {
            Ask::Content(path) => match edited(path) {
                Some(text) => Some(Fact::Content(Ok(text.as_str().into()))),
                None => fact,
            },
            Ask::Kind(path) | Ask::LinkKind(path) => match (edited(path), &fact) {
                (Some(text), Some(Fact::Kind(Ok(meta)))) if meta.kind == FileType::File => {
                    Some(Fact::Kind(Ok(Meta { len: text.len() as u64, ..*meta })))
                }
                (Some(text), Some(Fact::Kind(Err(_)))) => {
                    Some(Fact::Kind(Ok(Meta::made(FileType::File, text.len() as u64))))
                }
                (Some(_) | None, _) => fact,
            },
            Ask::Real(path) => match (edited(path), &fact) {
                (Some(_), Some(Fact::Real(Err(_)))) => Some(Fact::Real(Ok(path.clone()))),
                (Some(_) | None, _) => fact,
            },
            Ask::Listing(dir) => {
                let Some(Fact::Listing(Ok(entries))) = &fact else { return fact };
                let new = self.files.iter().filter(|(path, _)| path.parent() == Some(dir));
                let new = new.filter_map(|(path, _)| path.file_name());
                let new = new.filter(|name| entries.iter().all(|entry| entry.name != **name));
                let new = new.map(|name| Entry { name: name.to_owned(), kind: FileType::File });
                Some(Fact::Listing(Ok(entries.iter().cloned().chain(new).collect())))
            }
            Ask::Target(_) | Ask::Glob { .. } | Ask::Git(_) | Ask::Rows { .. } | Ask::Remote(_) => fact,
        }
    }
}
