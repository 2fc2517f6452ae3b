//! The files of one session: loaded from the workspace, and filtered by what kind of session it is.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::guard::{self, Guarded};
use super::{Filter, OpenClaw, Presence};
use crate::answer::{Fate, Purpose, Scope, SessionKind};
use crate::search::{Search, Told};
use crate::text;

/// A file that OpenClaw considers.
pub struct Loaded {
    /// Its base name.
    pub name: &'static str,
    /// Its absolute path.
    pub path: PathBuf,
    /// Where it belongs.
    pub scope: Scope,
    /// What was found there.
    pub content: Content,
    /// Why it is left out, if it is.
    pub left_out: Option<(Fate, String)>,
}

/// What was found at a file's place.
pub enum Content {
    /// Bytes, and their decoded text.
    Text(Arc<[u8]>, String),
    /// Nothing.
    Missing,
    /// Something that is refused; the text stands in its place.
    Refused(String),
}

impl Loaded {
    /// A file that was read.
    pub fn read(name: &'static str, path: PathBuf, raw: Arc<[u8]>, scope: Scope) -> Loaded {
        let decoded = text::lossy(&raw).into_owned();
        Loaded { name, path, scope, content: Content::Text(raw, decoded), left_out: None }
    }

    /// Whether it still counts.
    pub fn counts(&self) -> bool {
        self.left_out.is_none()
    }

    /// Leaves it out, unless it already is.
    pub fn leave_out(&mut self, fate: Fate, reason: impl Into<String>) {
        self.left_out.get_or_insert_with(|| (fate, reason.into()));
    }

    /// What it is for.
    pub fn purpose(&self) -> Purpose {
        purpose(self.name)
    }

    /// Whether it has text other than white space.
    pub fn has_text(&self) -> bool {
        match &self.content {
            Content::Text(_, text) => !text::js_trim(text).is_empty(),
            Content::Refused(_) => true,
            Content::Missing => false,
        }
    }
}

/// What a file of that name is for.
pub fn purpose(name: &str) -> Purpose {
    match name {
        "SOUL.md" => Purpose::Persona,
        "IDENTITY.md" => Purpose::Identity,
        "USER.md" => Purpose::User,
        "BOOTSTRAP.md" => Purpose::Bootstrap,
        "MEMORY.md" | "memory.md" => Purpose::Memory,
        "TOOLS.md" => Purpose::Tools,
        "HEARTBEAT.md" => Purpose::Heartbeat,
        _ => Purpose::Instructions,
    }
}

impl OpenClaw {
    /// The files of the workspace, in order. A file that a turn deletes before it reads is missing.
    pub(super) fn load(&self, workspace: &Path, deleted: Option<&str>, search: &mut Search) -> Told<Vec<Loaded>> {
        let listing = search.list(workspace, "USER.md and MEMORY.md count only in their exact case")?;
        let is_listed = |name: &str| listing.as_ref().is_ok_and(|list| list.iter().any(|entry| entry.name == name));
        let wanted = |file: &&super::FileRule| match file.presence {
            Presence::Announced => true,
            Presence::Listed => is_listed(file.name),
        };
        let files: Vec<&super::FileRule> = self.files.iter().filter(wanted).collect();
        guard::expect(files.iter().map(|file| workspace.join(file.name)), search)?;
        let mut loaded = Vec::with_capacity(files.len());
        for file in files {
            let path = workspace.join(file.name);
            if deleted == Some(file.name) {
                let content = Content::Missing;
                loaded.push(Loaded { name: file.name, path, scope: Scope::User, content, left_out: None });
                continue;
            }
            let found = match guard::open(workspace, &path, file.rule, search)? {
                Guarded::Read(raw) => Loaded::read(file.name, path, raw, Scope::User),
                other => {
                    let content = match other {
                        Guarded::Refused(message) => Content::Refused(message),
                        Guarded::Missing | Guarded::Read(_) => Content::Missing,
                    };
                    Loaded { name: file.name, path, scope: Scope::User, content, left_out: None }
                }
            };
            loaded.push(found);
        }
        Ok(loaded)
    }

    /// Leaves out USER.md and MEMORY.md where the memory plugin cannot say that they are the workspace's own.
    pub(super) fn check_provenance(&self, workspace: &Path, files: &mut [Loaded], search: &mut Search) -> Told<()> {
        let root = search.real(workspace)?;
        for file in files.iter_mut().filter(|file| self.is_memory(file.name)) {
            if matches!(file.content, Content::Missing) {
                continue;
            }
            let real = search.real(&file.path)?;
            let own = match (&root, &real) {
                (Ok(root), Ok(real)) => {
                    real.strip_prefix(root).is_ok_and(|rest| is_memory_path(&rest.to_string_lossy()))
                }
                _ => false,
            };
            if !own {
                file.leave_out(
                    Fate::Dropped,
                    "it does not lead to a memory file of the workspace, so its origin is not trusted",
                );
            }
        }
        Ok(())
    }

    fn is_memory(&self, name: &str) -> bool {
        self.files.iter().any(|file| file.name == name && file.presence == Presence::Listed)
    }

    /// Leaves out what this kind of session does not see.
    pub(super) fn filter_session(&self, session: SessionKind, workspace: &Path, files: &mut [Loaded]) {
        let filter = self.filter(session);
        let memory = workspace.join("MEMORY.md");
        for file in files {
            if !filter.names.contains(&file.name) {
                file.leave_out(Fate::Dropped, format!("a {session} session gets only {}", filter.names.join(", ")));
            } else if !filter.memory && file.path == memory {
                file.leave_out(Fate::Dropped, format!("a {session} session does not get the memory of the workspace"));
            }
        }
    }

    pub(super) fn filter(&self, session: SessionKind) -> &Filter {
        match session {
            SessionKind::Main | SessionKind::Local => &self.sessions.main,
            SessionKind::Subagent => &self.sessions.subagent,
            SessionKind::Cron => &self.sessions.cron,
            SessionKind::Group => &self.sessions.group,
        }
    }
}

/// Whether a path below the workspace is one that the memory plugin takes for its own.
fn is_memory_path(path: &str) -> bool {
    let dreams = path.starts_with("memory/dreaming/") || path.starts_with("memory/.dreams/");
    matches!(path, "MEMORY.md" | "memory.md" | "USER.md")
        || (path.starts_with("memory/") && path.ends_with(".md") && !dreams)
        || path
            .strip_prefix("users/")
            .and_then(|rest| rest.strip_suffix("/USER.md"))
            .is_some_and(|id| !id.is_empty() && !id.contains('/'))
}
