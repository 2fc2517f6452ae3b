//! Result of a source: a file, or a text that is not a file.

use std::path::PathBuf;

use super::choices::ByteOrderMark;
use super::definition::{Definition, Source as Rule};
use super::limit::Limit;
use crate::answer::Role;
use crate::snapshot;

/// Result of a source.
pub(super) struct Found {
    /// Index of the source in the definition.
    pub rule: usize,
    /// Path or URL, if it has one.
    pub path: Option<PathBuf>,
    /// Display name.
    pub name: String,
    pub content: Content,
    /// Limit of its own, instead of the source's.
    pub limit: Option<Limit>,
    /// Index among the sources of the answer, if it is one of them.
    pub listed: Option<usize>,
    /// Role and sort key of a provided item that has its own place.
    pub item: Option<(Role, i64)>,
}

/// Content of a result.
pub(super) enum Content {
    /// The bytes of a file.
    File(snapshot::Content),
    /// A text that is not a file.
    Text(String),
    /// The text in place of a missing file; never cut.
    StandIn(String),
}

/// Returns true if a byte order mark is removed.
pub(super) fn strips_mark(rule: &Rule, definition: &Definition) -> bool {
    rule.byte_order_mark.unwrap_or(definition.byte_order_mark) == ByteOrderMark::Strip
}
