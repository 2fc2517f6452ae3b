//! Something a source found: a file, or a text that is none.

use std::path::PathBuf;

use super::choices::ByteOrderMark;
use super::definition::{Definition, Source as Rule};
use super::limit::Limit;
use crate::answer::Role;
use crate::snapshot;

/// Something a source found.
pub(super) struct Found {
    /// The index of the source in the definition.
    pub rule: usize,
    /// Its path or its address, if it has one.
    pub path: Option<PathBuf>,
    /// What it is called.
    pub name: String,
    pub content: Content,
    /// A limit of its own, in place of the source's.
    pub limit: Option<Limit>,
    /// Its index among the sources of the answer, if it is one of them.
    pub listed: Option<usize>,
    /// For a provided item that has a place of its own: who says it, and its sort key.
    pub item: Option<(Role, i64)>,
}

/// What stands in something that was found.
pub(super) enum Content {
    /// The bytes of a file.
    File(snapshot::Content),
    /// A text that is no file.
    Text(String),
    /// What stands for a file that is missing; never cut.
    StandIn(String),
}

/// Whether a byte order mark is left out.
pub(super) fn strips_mark(rule: &Rule, definition: &Definition) -> bool {
    rule.byte_order_mark.unwrap_or(definition.byte_order_mark) == ByteOrderMark::Strip
}
