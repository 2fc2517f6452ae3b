//! Files that a turn of early 2026 creates in a workspace before it reads: every missing one. Nothing is created here;
//! files that would be created count as missing.

use std::path::Path;

use super::Template;
use super::setup::{Setup, workspace_exists};
use crate::formats::{Node, parse_json};
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Errno, Unreadable};

/// Rules for creating files.
pub struct Behavior {
    /// Files that are created whenever they are missing.
    pub names: &'static [&'static str],
    /// Condition under which BOOTSTRAP.md is created too.
    pub bootstrap: Bootstrap,
}

/// Condition under which BOOTSTRAP.md is created.
pub enum Bootstrap {
    /// If none of the other files exists.
    InNewWorkspaces,
    /// Once, as recorded in `.openclaw/workspace-state.json`, and only while these files equal their templates.
    Once(&'static [Template]),
}

/// Determines the files that a turn creates in `workspace`.
pub fn prepare(workspace: &Path, skip: bool, rules: &Behavior, search: &mut Search) -> Known<Setup> {
    workspace_exists(workspace, search)?;
    let mut setup = Setup::default();
    if skip {
        return Ok(setup);
    }
    let mut brand_new = true;
    for name in rules.names {
        let path = workspace.join(name);
        brand_new &= search.stat(&path, "whether the workspace is brand new")?.is_err();
        if search.lstat(&path, "created from a template if missing")?.is_err() {
            setup.creates.push(name);
        }
    }
    let bootstrap = workspace.join("BOOTSTRAP.md");
    let wanted = match &rules.bootstrap {
        Bootstrap::InNewWorkspaces => brand_new,
        Bootstrap::Once(templates) => is_to_be_seeded(workspace, templates, search)?,
    };
    if wanted && search.lstat(&bootstrap, "created from a template in a new workspace")?.is_err() {
        setup.creates.push("BOOTSTRAP.md");
    }
    Ok(setup)
}

/// Returns true if BOOTSTRAP.md is created in a workspace whose state records whether it was created before.
fn is_to_be_seeded(workspace: &Path, templates: &[Template], search: &mut Search) -> Known<bool> {
    let file = workspace.join(".openclaw/workspace-state.json");
    let state = match search.read(&file, "whether BOOTSTRAP.md was there before")? {
        Ok(raw) => parse_json(&raw.text()).ok(),
        Err(Unreadable::Errno(Errno::NOENT)) => None,
        Err(problem) => {
            return Err(Halt::refused(file, format!("the state of the workspace cannot be read: {problem}")));
        }
    };
    let is_set = |key: &str| {
        let value = state.as_ref().and_then(|state| state.get(key)).and_then(Node::as_text);
        value.is_some_and(|value| !value.is_empty())
    };
    let known = is_set("bootstrapSeededAt") || is_set("onboardingCompletedAt");
    if known || search.stat(&workspace.join("BOOTSTRAP.md"), "whether it is there already")?.is_ok() {
        return Ok(false);
    }
    for template in templates {
        let path = workspace.join(template.name);
        match search.read(&path, "compared with its template")? {
            Ok(raw) if template.is(&raw) => {}
            Ok(_) => return Ok(false),
            // A missing file was just created by the turn, unless a broken link prevents that.
            Err(Unreadable::Errno(Errno::NOENT)) if search.lstat(&path, "compared with its template")?.is_err() => {}
            Err(problem) => {
                return Err(Halt::refused(
                    path,
                    format!("{problem}; OpenClaw compares it with its template and fails"),
                ));
            }
        }
    }
    Ok(true)
}
