//! The files of one session: loaded from the workspace, and filtered by the kind of session.

use std::path::{Path, PathBuf};

use super::guard::{self, Guarded};
use super::{FileRule, Filter, OpenClaw, Opening, Presence};
use crate::answer::{Fate, Purpose, Scope, SessionKind};
use crate::search::{Halt, Known, Search};
use crate::snapshot::{self, FileType, Unreadable};
use crate::text;

/// A file that OpenClaw considers.
pub struct Loaded {
    /// Base name of the file.
    pub name: &'static str,
    /// Absolute path of the file.
    pub path: PathBuf,
    /// Scope of the file.
    pub scope: Scope,
    /// Content found at the path.
    pub content: Content,
    /// Reason why the file is left out, if it is.
    pub left_out: Option<(Fate, String)>,
}

/// Content found at a file's path.
pub enum Content {
    /// Bytes, and their decoded text.
    Text(snapshot::Content, String),
    /// The file does not exist.
    Missing,
    /// The file is refused, with the message that replaces its text.
    Refused(String),
}

impl Loaded {
    /// Creates a file that was read.
    pub fn read(name: &'static str, path: PathBuf, raw: snapshot::Content, scope: Scope) -> Loaded {
        let decoded = raw.text().into_owned();
        Loaded { name, path, scope, content: Content::Text(raw, decoded), left_out: None }
    }

    /// Creates a workspace file without text.
    fn instead(name: &'static str, path: PathBuf, content: Content) -> Loaded {
        Loaded { name, path, scope: Scope::User, content, left_out: None }
    }

    /// Returns true if the file is not left out.
    pub fn counts(&self) -> bool {
        self.left_out.is_none()
    }

    /// Leaves the file out, unless it already is.
    pub fn leave_out(&mut self, fate: Fate, reason: impl Into<String>) {
        self.left_out.get_or_insert_with(|| (fate, reason.into()));
    }

    /// Returns the purpose of the file.
    pub fn purpose(&self) -> Purpose {
        purpose(self.name)
    }

    /// Returns true if the file has text other than white space.
    pub fn has_text(&self) -> bool {
        match &self.content {
            Content::Text(_, text) => !text::js_trim(text).is_empty(),
            Content::Refused(_) => true,
            Content::Missing => false,
        }
    }
}

/// Returns the purpose of a file with that name.
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
    /// Returns the files of the workspace in order; refuses if reading one would never end. A file that the turn
    /// deletes before it reads counts as missing.
    pub(super) fn load(&self, workspace: &Path, deleted: Option<&str>, search: &mut Search) -> Known<Vec<Loaded>> {
        let files = self.wanted(workspace, search)?;
        guard::expect(files.iter().map(|file| workspace.join(file.name)), search)?;
        let mut loaded = Vec::with_capacity(files.len());
        for file in files {
            let path = workspace.join(file.name);
            if deleted == Some(file.name) {
                loaded.push(Loaded::instead(file.name, path, Content::Missing));
                continue;
            }
            loaded.push(match self.opening {
                Opening::Guarded => match guard::open(workspace, &path, file.rule, search)? {
                    Guarded::Read(raw) => Loaded::read(file.name, path, raw, Scope::User),
                    Guarded::Refused(message) => Loaded::instead(file.name, path, Content::Refused(message)),
                    Guarded::Missing => Loaded::instead(file.name, path, Content::Missing),
                },
                Opening::Any => match search.read(&path, file.rule)? {
                    Ok(raw) => Loaded::read(file.name, path, raw, Scope::User),
                    Err(Unreadable::Not(FileType::Device)) => {
                        Loaded::read(file.name, path, snapshot::Content::default(), Scope::User)
                    }
                    Err(Unreadable::Not(FileType::Fifo)) => {
                        return Err(Halt::refused(path, "a FIFO: OpenClaw would wait forever to read it"));
                    }
                    Err(_) => Loaded::instead(file.name, path, Content::Missing),
                },
            });
        }
        Ok(loaded)
    }

    /// Returns the files that the client opens.
    fn wanted(&self, workspace: &Path, search: &mut Search) -> Known<Vec<&'static FileRule>> {
        let mut listing = None;
        let mut reached = Vec::new();
        let mut wanted = Vec::new();
        for file in self.files {
            let looked_at = match file.presence {
                Presence::Announced => true,
                Presence::Listed => {
                    if listing.is_none() {
                        listing = Some(search.list(workspace, "USER.md and MEMORY.md count only in their exact case")?);
                    }
                    let entries = listing.as_ref().and_then(|found| found.as_deref().ok()).unwrap_or_default();
                    entries.iter().any(|entry| entry.name == file.name)
                }
                Presence::Reachable => {
                    let path = workspace.join(file.name);
                    let there = search.stat(&path, file.rule)?.is_ok();
                    let real = if there { search.real(&path)?.unwrap_or(path) } else { path };
                    let again = reached.contains(&real);
                    reached.push(real);
                    there && !again
                }
            };
            if looked_at {
                wanted.push(file);
            }
        }
        Ok(wanted)
    }

    /// Leaves out USER.md and MEMORY.md if the memory plugin cannot verify that they belong to the workspace.
    pub(super) fn check_provenance(&self, workspace: &Path, files: &mut [Loaded], search: &mut Search) -> Known<()> {
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

    /// Leaves out files that this kind of session does not get.
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

/// Returns true if the memory plugin regards a path below the workspace as its own.
fn is_memory_path(path: &str) -> bool {
    let dreams = path.starts_with("memory/dreaming/") || path.starts_with("memory/.dreams/");
    matches!(path, "MEMORY.md" | "memory.md" | "USER.md")
        || (path.starts_with("memory/") && path.ends_with(".md") && !dreams)
        || path
            .strip_prefix("users/")
            .and_then(|rest| rest.strip_suffix("/USER.md"))
            .is_some_and(|id| !id.is_empty() && !id.contains('/'))
}
