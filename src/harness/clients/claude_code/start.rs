//! Files loaded at the start of a session, in order.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::agents::Without;
use super::git::Checkout;
use super::loader::{Entry, FileRole, Loader, Owner};
use super::rules::Which;
use super::settings::{Memory, Mode};
use super::tags::{self, Breaking};
use super::{MANAGED, document, memory, variables};
use crate::answer::{Fate, Limit, Per, Purpose, Scope, Source, Trigger, Unit, Warning};
use crate::search::Known;
use crate::snapshot::{Ask, FileType};
use crate::text::js_trim;

/// Everything that a session starts with.
pub(super) struct Start {
    /// Files in the order in which they are sent, including those without text.
    pub(super) entries: Vec<Entry>,
    /// The memory: its path, its text, and its source.
    pub(super) memory: Option<(PathBuf, String, Source)>,
    /// File that displaces AGENTS.md files, if there is one.
    pub(super) displaced_by: Option<PathBuf>,
}

impl Start {
    /// Removes the files that the agent does not get, and returns them as excluded.
    pub(super) fn leave_out(&mut self, without: &Without) -> Vec<Source> {
        let stays = |entry: &Entry| entry.owner == Owner::Managed && !without.managed;
        let (entries, left_out): (Vec<_>, Vec<_>) = std::mem::take(&mut self.entries).into_iter().partition(stays);
        self.entries = entries;
        let memory = self.memory.take().map(|(_, _, source)| source);
        let sources = left_out.into_iter().map(|entry| entry.source).chain(memory);
        sources
            .map(|source| Source { fate: Fate::Excluded, reason: without.reason.clone(), kept: Vec::new(), ..source })
            .collect()
    }
}

/// Name that the client shows for a text from the administrator's settings.
pub(super) const SETTINGS: &str = "<managed-settings>";

/// File names in each directory: `SHARED` before its rules, `LOCAL` after them, `AGENTS` where they count.
const SHARED: [&str; 2] = ["CLAUDE.md", ".claude/CLAUDE.md"];
const LOCAL: &str = "CLAUDE.local.md";
pub(super) const AGENTS: [&str; 2] = ["AGENTS.md", ".claude/AGENTS.md"];

impl Loader<'_, '_> {
    /// Loads all files of the start.
    pub(super) fn start(&mut self, checkout: Option<&Checkout>) -> Known<Start> {
        let dirs = walk(self.cwd);
        self.expect_all(&dirs)?;
        let mut entries = Vec::new();
        let managed = Path::new(MANAGED);
        self.load(&managed.join("CLAUDE.md"), role(Owner::Managed, Scope::Managed), &mut entries)?;
        entries.extend(self.settings.told.as_ref().map(|(text, from)| managed_entry(text, from)));
        self.rules(&managed.join(".claude/rules"), Owner::Managed, Which::Unconditional, &mut entries)?;
        if self.settings.user {
            let config = self.settings.config.path.clone();
            self.load(&config.join("CLAUDE.md"), role(Owner::User, Scope::User), &mut entries)?;
            self.rules(&config.join("rules"), Owner::User, Which::Unconditional, &mut entries)?;
        }
        for dir in &dirs {
            self.directory(dir, is_covered(dir, checkout), &mut entries)?;
        }
        let added = self.settings.added.clone();
        for dir in &added {
            self.directory(dir, false, &mut entries)?;
        }
        let of_walk: HashSet<PathBuf> = dirs
            .iter()
            .flat_map(|dir| SHARED.map(|name| dir.join(name)).into_iter().chain([dir.join(LOCAL)]))
            .collect();
        let displaced_by = entries
            .iter()
            .find(|entry| {
                !matches!(entry.source.scope, Scope::Managed | Scope::User)
                    && of_walk.contains(&entry.path)
                    && !js_trim(&entry.document.text).is_empty()
            })
            .map(|entry| entry.path.clone());
        let displaced_by = match displaced_by {
            None if self.settings.project => self.on_the_disk(&dirs, checkout)?,
            known => known,
        };
        self.agents(&dirs, checkout, displaced_by.as_deref(), &mut entries)?;
        if self.settings.mode == Mode::ManagedOnly {
            self.keep_managed(&mut entries);
        }
        let project = checkout.map_or(self.cwd, |checkout| &checkout.main).to_owned();
        let memory = self.memory(&project)?;
        Ok(Start { entries, memory, displaced_by })
    }

    /// Announces all facts about the directories and their files at once.
    fn expect_all(&mut self, dirs: &[PathBuf]) -> Known<()> {
        let config = self.settings.config.path.clone();
        let mut files = vec![Path::new(MANAGED).join("CLAUDE.md"), config.join("CLAUDE.md")];
        let mut rules = vec![Path::new(MANAGED).join(".claude/rules"), config.join("rules")];
        for dir in dirs.iter().chain(&self.settings.added) {
            files.extend(SHARED.iter().chain(&AGENTS).chain([&LOCAL]).map(|name| dir.join(name)));
            rules.push(dir.join(".claude/rules"));
        }
        let asks = |path: PathBuf| [Ask::Kind(path.clone()), Ask::Real(path)];
        let links = rules.iter().cloned().map(Ask::LinkKind).collect::<Vec<_>>();
        self.search.expect(files.iter().chain(&rules).cloned().flat_map(asks).chain(links))?;
        self.expect(&files)
    }

    /// Loads the files of one directory. In a main checkout that contains the worktree, only the local file is loaded.
    fn directory(&mut self, dir: &Path, covered: bool, entries: &mut Vec<Entry>) -> Known<()> {
        if self.settings.project && !covered {
            for name in SHARED {
                self.load(&dir.join(name), role(Owner::Project, Scope::Project), entries)?;
            }
            self.rules(&dir.join(".claude/rules"), Owner::Project, Which::Unconditional, entries)?;
        } else {
            for name in SHARED {
                self.left_out(&dir.join(name), covered)?;
            }
        }
        if self.settings.local {
            self.load(&dir.join(LOCAL), role(Owner::Local, Scope::Local), entries)?;
        } else {
            self.left_out(&dir.join(LOCAL), false)?;
        }
        Ok(())
    }

    /// Returns a CLAUDE.md that exists, although none was loaded under its own name. Observed: it still displaces
    /// AGENTS.md. Examples are a local file that `--setting-sources` excludes, and a link to a file loaded before or to
    /// a rule that waits.
    fn on_the_disk(&mut self, dirs: &[PathBuf], checkout: Option<&Checkout>) -> Known<Option<PathBuf>> {
        for dir in dirs.iter().filter(|dir| !is_covered(dir, checkout)) {
            if let Some((path, _)) = self.claude_files(dir)?.into_iter().next() {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    fn left_out(&mut self, path: &Path, covered: bool) -> Known<()> {
        if self.search.is_file(path, "asked only to explain what is left out")? && !self.seen.contains(path) {
            let reason = if covered {
                "the worktree inside this checkout has its own copy"
            } else {
                "--setting-sources leaves it out"
            };
            self.consider(Source::new(path, Scope::Project, Fate::Excluded, reason));
        }
        Ok(())
    }

    /// Inserts each AGENTS.md before the files of the directories below its own.
    fn agents(
        &mut self,
        dirs: &[PathBuf],
        checkout: Option<&Checkout>,
        displaced_by: Option<&Path>,
        entries: &mut Vec<Entry>,
    ) -> Known<()> {
        let wanted = self.reads_agents(displaced_by.is_some());
        // Observed: here only loaded files count, by their paths as written (neither rules that wait nor targets of
        // links), and texts are compared only with those of the project.
        self.seen = entries.iter().map(|entry| entry.path.clone()).collect();
        let before: HashSet<String> = entries
            .iter()
            .filter(|entry| matches!(entry.owner, Owner::Project | Owner::Local))
            .map(|entry| js_trim(&entry.document.text).to_owned())
            .collect();
        for dir in dirs {
            for name in AGENTS {
                let path = dir.join(name);
                if is_covered(dir, checkout) || self.seen.contains(&path) {
                    continue;
                }
                if !wanted {
                    self.displaced(&path, displaced_by)?;
                    continue;
                }
                let mut found = Vec::new();
                self.load(&path, role(Owner::Project, Scope::Project), &mut found)?;
                found.retain(|entry| {
                    let text = js_trim(&entry.document.text);
                    let again = !text.is_empty() && before.contains(text);
                    if again {
                        self.consider_same_text(entry);
                    }
                    !again
                });
                let at = entries
                    .iter()
                    .position(|entry| {
                        let head = entry.head.as_deref().unwrap_or(&entry.path);
                        matches!(entry.owner, Owner::Project | Owner::Local)
                            && entry.source.fate != Fate::Empty
                            && directory_of(head).is_some_and(|below| below.starts_with(dir) && below != dir)
                    })
                    .unwrap_or(entries.len());
                entries.splice(at..at, found);
            }
        }
        Ok(())
    }

    /// Returns true if AGENTS.md files are read, given whether a CLAUDE.md exists.
    pub(super) fn reads_agents(&self, has_claude: bool) -> bool {
        let wanted = match self.settings.mode {
            Mode::EitherKind => !has_claude,
            Mode::BothKinds => true,
            Mode::ClaudeOnly | Mode::ManagedOnly => false,
        };
        wanted && self.settings.project
    }

    /// Records that an AGENTS.md has the same text as another file.
    pub(super) fn consider_same_text(&mut self, entry: &Entry) {
        let reason = "the text of a file that was loaded before it".to_owned();
        let source = Source { kept: Vec::new(), ..entry.source.clone() };
        self.consider(Source { fate: Fate::Shadowed, reason, ..source });
    }

    /// Records why an AGENTS.md is not read.
    fn displaced(&mut self, path: &Path, by: Option<&Path>) -> Known<()> {
        if !self.search.is_file(path, "AGENTS.md is read only where the walk has no CLAUDE.md")? {
            return Ok(());
        }
        let Some(by) = by.filter(|_| self.settings.mode == Mode::EitherKind) else {
            let reason = self.without_agents(path);
            self.consider(Source::new(path, Scope::Project, Fate::Excluded, reason));
            return Ok(());
        };
        // The dropped import was already explained, with the advice to approve it.
        if self.met(path).is_some_and(|met| met.scope == Scope::Import && met.fate == Fate::Dropped) {
            return Ok(());
        }
        let link = match self.search.real(by)? {
            Ok(real) if real.file_name() != by.file_name() => format!(", a link to {},", real.display()),
            Ok(_) | Err(_) => String::new(),
        };
        let reason = format!("{}{link} exists, and one CLAUDE.md hides every AGENTS.md", by.display());
        self.warnings.push(Warning::at(
            "agents-displaced",
            path,
            format!("{}: {reason}; import it there with @{}", path.display(), path.display()),
        ));
        self.consider(Source { by: Some(by.to_owned()), ..Source::new(path, Scope::Project, Fate::Shadowed, reason) });
        Ok(())
    }

    /// Returns the reason why this AGENTS.md is not read if no other file displaces it.
    pub(super) fn without_agents(&mut self, path: &Path) -> String {
        if self.edition.agents_md {
            return "the settings leave AGENTS.md files out".to_owned();
        }
        let reason = "this version reads no AGENTS.md".to_owned();
        let message = format!("{}: {reason}; import it with @AGENTS.md in a CLAUDE.md beside it", path.display());
        self.warnings.push(Warning::at("agents-displaced", path, message));
        reason
    }

    fn keep_managed(&mut self, entries: &mut Vec<Entry>) {
        for entry in entries.iter().filter(|entry| entry.owner != Owner::Managed) {
            let source = Source { kept: Vec::new(), ..entry.source.clone() };
            self.consider(Source {
                fate: Fate::Excluded,
                reason: "only managed files are read: managed-only".into(),
                ..source
            });
        }
        entries.retain(|entry| entry.owner == Owner::Managed);
    }

    /// Reads the memory of the project, and cuts it to its two limits.
    fn memory(&mut self, project: &Path) -> Known<Option<(PathBuf, String, Source)>> {
        let usual = self.settings.memories.path.join("projects").join(memory::slug(project)).join("memory");
        let (dir, off) = match &self.settings.memory {
            Memory::Off(what) => (usual, Some(what.clone())),
            Memory::Usual => (usual, None),
            Memory::In(dir) => (dir.clone(), None),
        };
        let path = dir.join("MEMORY.md");
        let given = self.settings.memory_text.clone();
        let found = self.search.stat(&path, "the memory of the project")?.is_ok_and(|meta| meta.kind == FileType::File);
        if given.as_ref().map_or(!found, String::is_empty) {
            return Ok(None);
        }
        let source = |fate, reason: String| Source {
            purpose: Purpose::Memory,
            ..Source::new(&path, Scope::Memory, fate, reason)
        };
        if let Some(what) = off {
            self.consider(source(Fate::Excluded, what));
            return Ok(None);
        }
        if let Some(text) = given {
            let cut =
                memory::cut(&text, self.edition.memory_lines, self.edition.memory_utf16, self.edition.memory_warning);
            let source = source(Fate::Loaded, format!("the text is that of {}", variables::MEMORY_TEXT));
            return Ok(Some((path.clone(), cut.text, source)));
        }
        let raw = match self.search.read(&path, "the memory of the project")? {
            Ok(raw) => raw,
            Err(problem) => {
                self.consider(source(Fate::Unreadable, problem.to_string()));
                return Ok(None);
            }
        };
        let document = document::take_apart(&raw, self.edition.joins);
        let (lines, units) = (self.edition.memory_lines, self.edition.memory_utf16);
        let cut = memory::cut(&memory::with_line_feeds(&document.text), lines, units, self.edition.memory_warning);
        let size = Some(raw.size());
        if cut.text.is_empty() {
            self.consider(Source { size, ..source(Fate::Empty, "nothing is left of it".into()) });
            return Ok(None);
        }
        let mut source =
            Source { size, kept: document.kept, ..source(Fate::Loaded, "the memory of the project".into()) };
        if let Some(kept) = cut.kept {
            source.fate = Fate::Truncated;
            source.reason = format!("cut to {lines} lines and {units} UTF-16 units, back to a line end");
            source.limit = Some(Limit { value: units, unit: Unit::Utf16, per: Per::Source, from: "default".into() });
            if let Some(start) = source.kept.first().map(|range| range.start) {
                source.kept =
                    std::iter::once(start..(start + memory::length_before(&document.text, kept)).min(raw.len()))
                        .collect();
            }
            self.warnings.push(Warning::at("over-budget", &path, format!("{}: {}", path.display(), source.reason)));
        }
        Ok(Some((path.clone(), tags::broken(&memory::with_lines(&cut.text), Breaking::Backslash), source)))
    }
}

/// Creates the entry for `claudeMd` in the administrator's settings; the text is sent as it is, but trimmed.
fn managed_entry(text: &str, from: &Path) -> Entry {
    let source = Source::new(from, Scope::Managed, Fate::Loaded, "claudeMd in the administrator's settings");
    let front = document::Front::None;
    let document = document::Document { text: text.into(), front, imports: Vec::new(), kept: Vec::new() };
    let path = PathBuf::from(SETTINGS);
    Entry { path, owner: Owner::Managed, document: Arc::new(document), globs: None, head: None, source }
}

fn role(owner: Owner, scope: Scope) -> FileRole {
    FileRole { owner, scope, trigger: Trigger::Session, rule: false }
}

/// Returns the directories from the root down to `cwd`, outermost first, without the root itself.
pub(super) fn walk(cwd: &Path) -> Vec<PathBuf> {
    let mut dirs: Vec<PathBuf> = cwd.ancestors().filter(|dir| dir.parent().is_some()).map(Path::to_owned).collect();
    dirs.reverse();
    dirs
}

/// Returns true if a directory belongs to the main checkout of a worktree inside that checkout.
pub(super) fn is_covered(dir: &Path, checkout: Option<&Checkout>) -> bool {
    checkout.is_some_and(|Checkout { root, main }| {
        root != main && root.starts_with(main) && dir.starts_with(main) && !dir.starts_with(root)
    })
}

/// Returns the directory to which a file applies: the parent of its `.claude` folder, or its own directory.
fn directory_of(path: &Path) -> Option<&Path> {
    let claude = path.ancestors().find(|dir| dir.file_name() == Some(".claude".as_ref()));
    claude.unwrap_or(path).parent()
}
