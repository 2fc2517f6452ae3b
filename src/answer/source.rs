//! Sources: files and URLs that an agent considered, what became of them, and how much of them reaches the model.

use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::{Fate, Per, Purpose, Scope, Trigger, Unit};
use crate::text::{Size, without_passwords};

/// A size limit that applied to a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Maximum size.
    pub value: usize,
    /// Unit of the maximum.
    pub unit: Unit,
    /// Whether each source has the limit for itself or all share it.
    pub per: Per,
    /// `default`, or the settings file that sets the limit.
    pub from: String,
}

/// How much of a skill's description the list of skills contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Described {
    /// All of it; also for sources that are not listed skills.
    #[default]
    Whole,
    /// Part of it.
    InPart,
    /// None of it for lack of space: only the name is listed.
    ByName,
    /// The skill is not listed at all, for lack of space.
    LeftOut,
}

/// Location of a source.
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
            // Equal paths are mostly spelled alike; comparing strings takes a tenth of the time.
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

/// A file or URL that an agent considered, with what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file or URL.
    pub place: Place,
    /// Scope that the source belongs to.
    pub scope: Scope,
    /// When the source reaches the model.
    pub trigger: Trigger,
    /// What became of the source.
    pub fate: Fate,
    /// Purpose of the source.
    pub purpose: Purpose,
    /// Path that shadowed or displaced the source.
    pub by: Option<PathBuf>,
    /// Reason for the fate, as a sentence for users.
    pub reason: String,
    /// Size of the file, if it was read.
    pub size: Option<Size>,
    /// Limit that applied, if any.
    pub limit: Option<Limit>,
    /// Byte ranges of the file that reach the model.
    pub kept: Vec<Range<usize>>,
    /// Size of the text from or about the source that reaches the model, if it differs from `kept`.
    pub sent: Option<Size>,
    /// How much of a skill's description is listed.
    pub described: Described,
    /// Name by which the model calls the skill or command, if it differs from the name of its folder or file.
    pub called: Option<String>,
    /// Index of the message that contains the source.
    pub message: Option<usize>,
    /// Index of the part within that message.
    pub part: Option<usize>,
}

impl Source {
    /// Creates a source of project instructions at session start; other fields are set by struct update.
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

    /// Creates a source for a file of the given size that reaches the model as a whole.
    pub fn whole(path: impl Into<PathBuf>, scope: Scope, size: Size, reason: impl Into<String>) -> Source {
        let everything = 0..size.bytes;
        Source {
            size: Some(size),
            kept: if everything.is_empty() { Vec::new() } else { vec![everything] },
            ..Source::new(path, scope, Fate::Loaded, reason)
        }
    }

    /// Returns how many bytes and UTF-16 units from or about the source reach the model; `None` if nothing does. For
    /// part of a file, the UTF-16 units are known only if the file is ASCII or `sent` is set.
    pub fn reaches(&self) -> Option<(usize, Option<usize>)> {
        if let Some(sent) = self.sent {
            return Some((sent.bytes, Some(sent.utf16)));
        }
        let size = self.size.filter(|_| !self.kept.is_empty())?;
        let bytes = self.kept.iter().map(ExactSizeIterator::len).sum();
        let utf16 = if bytes == size.bytes { Some(size.utf16) } else { (size.bytes == size.utf16).then_some(bytes) };
        Some((bytes, utf16))
    }

    /// Returns true if the source is the file at `path`. Compares paths as strings, which is cheaper than by component:
    /// answers have hundreds of sources, and their paths are already normalized.
    pub fn is_file(&self, path: &Path) -> bool {
        matches!(&self.place, Place::Path(own) if own.as_os_str() == path.as_os_str())
    }

    /// Returns the path if the source is a file.
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            Place::Path(path) => Some(path),
            Place::Url(_) => None,
        }
    }
}
