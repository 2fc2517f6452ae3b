//! What a definition means at a standpoint: the mode of the prompt, the directories, what is left out.

use std::path::{Path, PathBuf};

use super::choices::{From, Order, To, WithoutRoot};
use super::definition::{Directories, Source as Rule};
use crate::answer::{PromptMode, SessionKind, Standpoint};

/// The mode of the prompt: what is asked for, else what the kind of session implies.
pub(super) fn mode(at: &Standpoint) -> PromptMode {
    at.prompt_mode.unwrap_or(match at.session {
        SessionKind::Subagent => PromptMode::Minimal,
        SessionKind::Main | SessionKind::Cron | SessionKind::Group | SessionKind::Local => PromptMode::Full,
    })
}

/// The directories that a source looks in, in its order.
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
        // What stands in the working directory belongs to the start of the session.
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

/// Why a source is left out of this session, if it is.
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
