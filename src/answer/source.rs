//! A file or a URL that was considered: what became of it, why, and how much of it reaches the model.

use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::{Fate, Per, Purpose, Scope, Trigger, Unit};
use crate::text::{Size, without_passwords};

/// A limit that was in force for a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// How much.
    pub value: usize,
    /// Of what.
    pub unit: Unit,
    /// Shared by what.
    pub per: Per,
    /// `default`, or the settings file that set it.
    pub from: String,
}

/// How much of its description a list of skills has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Described {
    /// All of it; or the source is no skill that is listed.
    #[default]
    Whole,
    /// A part.
    InPart,
    /// Nothing, for lack of room: only the name is listed.
    ByName,
    /// Not even the name is listed, for lack of room.
    LeftOut,
}

/// Where a source's text comes from.
#[derive(Clone, Debug, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A file.
    Path(PathBuf),
    /// A URL.
    Url(String),
}

impl PartialEq for Place {
    fn eq(&self, other: &Place) -> bool {
        match (self, other) {
            // Most that are compared are written alike, and to see that takes a tenth of the time.
            (Place::Path(one), Place::Path(other)) => one.as_os_str() == other.as_os_str() || one == other,
            (Place::Url(one), Place::Url(other)) => one == other,
            (Place::Path(_), Place::Url(_)) | (Place::Url(_), Place::Path(_)) => false,
        }
    }
}

impl Hash for Place {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Place::Path(path) => path.hash(state),
            Place::Url(url) => url.hash(state),
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Path(path) => path.display().fmt(f),
            Place::Url(url) => f.pad(&without_passwords(url)),
        }
    }
}

/// A considered file or URL, with what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file or URL.
    pub place: Place,
    /// Where it belongs.
    pub scope: Scope,
    /// When it reaches the model.
    pub trigger: Trigger,
    /// What became of it.
    pub fate: Fate,
    /// What it is for.
    pub purpose: Purpose,
    /// What shadowed or displaced it.
    pub by: Option<PathBuf>,
    /// Why, in words.
    pub reason: String,
    /// How large the file is, where it was read.
    pub size: Option<Size>,
    /// The limit in force, where there is one.
    pub limit: Option<Limit>,
    /// Byte ranges of the file that reach the model.
    pub kept: Vec<Range<usize>>,
    /// How much of it, or about it, reaches the model, where that is not the kept ranges.
    pub sent: Option<Size>,
    /// How much of its description is listed, if it is a skill.
    pub described: Described,
    /// The name by which the model calls it, if it is a skill or a command whose name is not that of its folder or file.
    pub called: Option<String>,
    /// Index of the message it is in.
    pub message: Option<usize>,
    /// Index of the part of that message.
    pub part: Option<usize>,
}

impl Source {
    /// A source of project instructions at session start, to be refined by struct update.
    pub fn new(path: impl Into<PathBuf>, scope: Scope, fate: Fate, reason: impl Into<String>) -> Source {
        Source {
            place: Place::Path(path.into()),
            scope,
            trigger: Trigger::Session,
            fate,
            purpose: Purpose::Instructions,
            by: None,
            reason: reason.into(),
            size: None,
            limit: None,
            kept: Vec::new(),
            sent: None,
            described: Described::Whole,
            called: None,
            message: None,
            part: None,
        }
    }

    /// The same for a file of that size which reaches the model whole.
    pub fn whole(path: impl Into<PathBuf>, scope: Scope, size: Size, reason: impl Into<String>) -> Source {
        let everything = 0..size.bytes;
        Source {
            size: Some(size),
            kept: if everything.is_empty() { Vec::new() } else { vec![everything] },
            ..Source::new(path, scope, Fate::Loaded, reason)
        }
    }

    /// How many bytes and UTF-16 units of it, or about it, reach the model; `None` where nothing does. Of a part of a file,
    /// the units are known only if the file is ASCII or the harness says how many were sent.
    pub fn reaches(&self) -> Option<(usize, Option<usize>)> {
        if let Some(sent) = self.sent {
            return Some((sent.bytes, Some(sent.utf16)));
        }
        let size = self.size.filter(|_| !self.kept.is_empty())?;
        let bytes = self.kept.iter().map(ExactSizeIterator::len).sum();
        let utf16 = if bytes == size.bytes { Some(size.utf16) } else { (size.bytes == size.utf16).then_some(bytes) };
        Some((bytes, utf16))
    }

    /// Whether it is the file at this path. Compares the paths as strings, which is cheaper than component by component:
    /// answers have hundreds of sources, and their paths are normalized already.
    pub fn is_file(&self, path: &Path) -> bool {
        matches!(&self.place, Place::Path(own) if own.as_os_str() == path.as_os_str())
    }

    /// Its path, if it is a file.
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            Place::Path(path) => Some(path),
            Place::Url(_) => None,
        }
    }
}
