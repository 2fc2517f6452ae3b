//! Applies a definition to a standpoint: prompt mode, directories, and excluded sources.

use std::path::{Path, PathBuf};

use super::choices::{From, Order, To, WithoutRoot};
use super::definition::{Directories, Source as Rule};
use crate::answer::{PromptMode, SessionKind, Standpoint};

/// Returns the requested prompt mode, otherwise the one that the kind of session implies.
pub(super) fn mode(at: &Standpoint) -> PromptMode {
    at.prompt_mode.unwrap_or(match at.session {
        SessionKind::Subagent => PromptMode::Minimal,
        SessionKind::Main | SessionKind::Cron | SessionKind::Group | SessionKind::Local => PromptMode::Full,
    })
}

/// Returns the directories that a source searches, in its order.
pub(super) fn directories(rule: &Directories, at: &Standpoint, root: Option<&Path>) -> Vec<PathBuf> {
    let start = match rule.from {
        From::Cwd => Some(at.cwd.as_path()),
        From::Target => at.target.as_deref().and_then(Path::parent),
    };
    let Some(start) = start else { return Vec::new() };
    let end = match (rule.to, root, rule.without_root) {
        (To::Root, Some(root), _) => root,
        (To::Root, None, WithoutRoot::Cwd) | (To::Cwd, ..) => &at.cwd,
        (To::Root, None, WithoutRoot::Top) | (To::Top, ..) => Path::new("/"),
        (To::Home, ..) => &at.home,
    };
    let mut range: Vec<PathBuf> =
        start.ancestors().take_while(|dir| dir.starts_with(end)).map(Path::to_owned).collect();
    if (rule.from, rule.to) == (From::Target, To::Cwd) {
        // Files in the working directory are loaded at the start of the session.
        range.retain(|dir| *dir != at.cwd);
    }
    if range.is_empty() && rule.from == From::Cwd {
        range.push(start.to_owned());
    }
    if rule.order == Order::RootFirst {
        range.reverse();
    }
    range
}

/// Returns the reason why a source is excluded from this session, if it is.
pub(super) fn left_out(source: &Rule, at: &Standpoint) -> Option<String> {
    let mode = mode(at);
    if source.sessions.as_ref().is_some_and(|kinds| !kinds.iter().any(|kind| kind.0 == at.session)) {
        return Some(format!("not for sessions of the kind `{}`", at.session));
    }
    if source.prompt_modes.as_ref().is_some_and(|modes| !modes.iter().any(|word| word.0 == mode)) {
        return Some(format!("not in the prompt mode `{mode}`"));
    }
    if source.on_read() && at.target.is_none() {
        return Some("no file is read".to_owned());
    }
    None
}
