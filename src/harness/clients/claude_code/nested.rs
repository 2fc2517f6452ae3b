//! Files attached when a file is read: those of the directories between the working directory and the file, and the
//! rules that match it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::carried::{Brought, Handed};
use super::git::Checkout;
use super::loader::{Entry, FileRole, Loader, Owner};
use super::memory::utf16_head;
use super::rules::Which;
use super::settings::Mode;
use super::start::{AGENTS, Start, is_covered, walk};
use super::tags::{self, Breaking};
use super::{MANAGED, READ_REFUSES};
use crate::answer::{Fate, Limit, Message, Per, Reached, Scope, Source, Text, Tool, Trigger, Unit, Warning};
use crate::formats::{Node, parse_json};
use crate::search::Known;
use crate::snapshot::FileType;
use crate::text::{self, js_trim, utf16_len};

impl Loader<'_, '_> {
    /// Returns the messages that reading `target` brings. `start` was loaded at the start of the session, `already` was
    /// attached before, and `before` lists the files that were read.
    pub(super) fn nested(
        &mut self,
        target: &Path,
        (already, before): (&[PathBuf], &[Reached]),
        start: &Start,
        checkout: Option<&Checkout>,
    ) -> Known<Vec<(Message, Vec<Source>)>> {
        if !self.may_bring(target)? {
            return Ok(Vec::new());
        }
        let loaded: HashSet<PathBuf> = start
            .entries
            .iter()
            .map(|entry| entry.path.clone())
            .chain(start.memory.iter().map(|(path, ..)| path.clone()))
            .filter(|_| !self.edition.repeats_the_start)
            .chain(already.iter().chain(before.iter().map(|earlier| &earlier.file)).cloned())
            .chain([target.to_owned()])
            .collect();
        let below = directories(self.cwd, target);
        let handed = match self.tool {
            Tool::Mention if !self.edition.mentions_hand_over => None,
            Tool::Read | Tool::Mention => {
                if self.succeeds(target)? {
                    // An AGENTS.md that only a shell command showed is sent again.
                    let shown =
                        before.iter().filter(|earlier| earlier.tool == Tool::Shell && !already.contains(&earlier.file));
                    let shown: HashSet<&PathBuf> = shown.map(|earlier| &earlier.file).collect();
                    let loaded = loaded.iter().filter(|file| !shown.contains(file)).cloned().collect();
                    self.agents_on_the_way(&below, &loaded, start)?
                } else {
                    self.search.never(target, "Read fails, and a reading that fails brings no AGENTS.md");
                    None
                }
            }
            Tool::Edit | Tool::Write | Tool::Shell => {
                self.search.never(target, "only Read and a mention bring AGENTS.md");
                None
            }
        };
        let mut attached = HashSet::new();
        let mut files = Vec::new();
        for entry in self.attached(target, &below, checkout)? {
            let new = !loaded.contains(&entry.path) && attached.insert(entry.path.clone());
            if new && !js_trim(&entry.document.text).is_empty() {
                files.push(self.cut(entry));
            } else if new {
                self.consider(entry.source);
            }
        }
        Ok(self.carry(handed, files))
    }

    /// Returns true if the tool brings nested files when it accesses `target`; otherwise the trace says why not.
    fn may_bring(&mut self, target: &Path) -> Known<bool> {
        if self.search.stat(target, "the file that is read")?.is_err() && self.tool != Tool::Write {
            return Ok(false);
        }
        let extension = target.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if READ_REFUSES.contains(&extension) {
            self.search.never(target, "Read refuses files with this extension, and nothing is attached");
            return Ok(false);
        }
        let brings = match self.tool {
            Tool::Read | Tool::Mention => true,
            Tool::Edit | Tool::Write => self.edition.edits_bring,
            Tool::Shell => self.edition.shell_brings,
        };
        let real = self.search.real(target)?.unwrap_or_else(|_| target.to_owned());
        let why_not = if self.tool == Tool::Mention && self.search.is_dir(&real, "the directory that is mentioned")? {
            "a directory that is mentioned is listed, and nothing is attached"
        } else if !target.starts_with(self.cwd) || !real.starts_with(self.cwd) {
            "outside the working directory nothing is attached"
        } else if self.denied(target, &real, Owner::Project) {
            "permissions.deny keeps it from being read, and nothing is attached"
        } else if !brings {
            "in this version the tool brings nothing"
        } else {
            return Ok(true);
        };
        self.search.never(target, why_not);
        Ok(false)
    }

    /// Returns the CLAUDE.md files and rules that apply to `target`, whether or not they are loaded already.
    fn attached(&mut self, target: &Path, below: &[PathBuf], checkout: Option<&Checkout>) -> Known<Vec<Entry>> {
        let mut found = Vec::new();
        self.seen.clear();
        // Observed: an approval counts only for the start and for nested AGENTS.md.
        self.approved = false;
        self.conditional(&Path::new(MANAGED).join(".claude/rules"), Owner::Managed, (target, self.cwd), &mut found)?;
        if self.settings.user {
            let rules = self.settings.config.path.join("rules");
            self.conditional(&rules, Owner::User, (target, self.cwd), &mut found)?;
        }
        let (covered, open) = below
            .iter()
            .partition::<Vec<_>, _>(|dir| self.edition.leaves_worktrees && is_of_worktree(dir, self.cwd, target));
        for dir in open {
            if self.edition.marks_worktrees && dir.ancestors().any(|above| above.ends_with(".claude/worktrees")) {
                let reason =
                    format!("{}: which files of a worktree are said to replace others was not asked", dir.display());
                self.unsure.get_or_insert(reason);
            }
            self.on_the_way(dir, target, &mut found)?;
        }
        for dir in covered {
            self.left_to_the_worktree(dir)?;
        }
        for dir in walk(self.cwd) {
            if self.settings.project && !is_covered(&dir, checkout) {
                self.conditional(&dir.join(".claude/rules"), Owner::Project, (target, &dir), &mut found)?;
            }
        }
        Ok(found)
    }

    /// Records that the files of a worktree are not attached from outside of it.
    fn left_to_the_worktree(&mut self, dir: &Path) -> Known<()> {
        for name in CLAUDE_FILES {
            let path = dir.join(name);
            if self.search.is_file(&path, "asked only to explain what is left out")? {
                let reason = "Claude Code leaves what belongs to a worktree below .claude/worktrees to a session that starts there";
                let source = Source::new(path, Scope::Nested, Fate::Excluded, reason);
                self.consider(Source { trigger: self.trigger(), ..source });
            }
        }
        Ok(())
    }

    /// Returns the trigger of the files that the target brings.
    pub(super) fn trigger(&self) -> Trigger {
        match self.tool {
            Tool::Mention => Trigger::Attach,
            Tool::Read | Tool::Edit | Tool::Write | Tool::Shell => Trigger::Read,
        }
    }

    /// Returns true if Read returns the file: a text within the limit, an image, a PDF or a notebook.
    fn succeeds(&mut self, target: &Path) -> Known<bool> {
        let Ok(meta) = self.search.stat(target, "Read reads files")? else { return Ok(false) };
        if meta.kind != FileType::File {
            return Ok(false);
        }
        let extension = target.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let beginnings: &[&[u8]] = match extension.to_ascii_lowercase().as_str() {
            "png" => &[b"\x89PNG"],
            "jpg" | "jpeg" => &[b"\xff\xd8\xff"],
            "gif" => &[b"GIF8"],
            "webp" => &[b"RIFF"],
            "pdf" => &[b"%PDF-"],
            "ipynb" => {
                let raw = self.search.read(target, "Read reads notebooks cell by cell")?;
                let notebook = raw.ok().and_then(|raw| parse_json(&raw.text()).ok());
                return Ok(notebook.is_some_and(|notebook| notebook.get("cells").and_then(Node::as_list).is_some()));
            }
            _ => return Ok(meta.len <= self.edition.read_limit_bytes),
        };
        let raw = self.search.read(target, "Read looks into pictures and documents")?;
        Ok(raw.is_ok_and(|raw| beginnings.iter().any(|beginning| raw.starts_with(beginning))))
    }

    /// Loads the files of one directory between the working directory and `target`.
    fn on_the_way(&mut self, dir: &Path, target: &Path, found: &mut Vec<Entry>) -> Known<()> {
        let files = CLAUDE_FILES.map(|name| dir.join(name));
        self.expect(&files)?;
        if self.settings.project {
            self.load(&files[0], nested(Owner::Project), found)?;
            self.load(&files[1], nested(Owner::Project), found)?;
        }
        if self.settings.local {
            self.load(&files[2], nested(Owner::Local), found)?;
        }
        if self.settings.project {
            let rules = dir.join(".claude/rules");
            let before = self.seen.clone();
            self.rules(&rules, Owner::Project, Which::UnconditionalNested, found)?;
            self.seen = before;
            self.conditional(&rules, Owner::Project, (target, dir), found)?;
        }
        Ok(())
    }

    /// Adds the rules whose `paths`, relative to `base`, match `target`.
    fn conditional(
        &mut self,
        rules: &Path,
        owner: Owner,
        (target, base): (&Path, &Path),
        found: &mut Vec<Entry>,
    ) -> Known<()> {
        self.rules(rules, owner, Which::Matching(target, base), found)
    }

    /// Cuts one file to the limit, as it is sent.
    fn cut(&mut self, entry: Entry) -> Brought {
        let mut source = Source { trigger: self.trigger(), ..entry.source };
        let mut text = entry.document.text.clone();
        if let Some(limit) = self.edition.nested_utf16
            && utf16_len(js_trim(&text)) > limit
        {
            let head = utf16_head(js_trim(&text), limit);
            let kept = head.rfind('\n').map_or(head, |at| &head[..at]);
            let next = if kept.len() < head.len() { kept.matches('\n').count() + 2 } else { 1 };
            source.fate = Fate::Truncated;
            source.reason = format!("the first {limit} UTF-16 units, back to a line end; Read shows the rest");
            source.limit = Some(Limit { value: limit, unit: Unit::Utf16, per: Per::Source, from: "default".into() });
            if let (Some(start), Some(end)) =
                (source.kept.first().map(|range| range.start), source.kept.last().map(|range| range.end))
            {
                let start = start + text.len() - text.trim_start_matches(text::is_js_space).len();
                source.kept = std::iter::once(start..(start + kept.len()).min(end)).collect();
            }
            let path = entry.path.display();
            self.warnings.push(Warning::at("over-budget", &entry.path, format!("{path}: {}", source.reason)));
            let rest = format!(
                "\n\n> Only the start of this file is shown. For the rest, call Read on {path} with offset={next} and a limit."
            );
            text = Text::framed("", text.part(kept), rest);
        }
        if self.edition.breaks_tags {
            text = tags::broken(&text, Breaking::Backslash).into();
        }
        Brought { text: Text::framed(format!("Contents of {}:\n\n", entry.path.display()), text, ""), source }
    }

    /// Returns the nested AGENTS.md files as one text. By default they count only if no CLAUDE.md was found at the
    /// start of the session.
    fn agents_on_the_way(
        &mut self,
        dirs: &[PathBuf],
        loaded: &HashSet<PathBuf>,
        start: &Start,
    ) -> Known<Option<Handed>> {
        let wanted = self.reads_agents(start.displaced_by.is_some());
        let mut claude_files = Vec::new();
        for dir in dirs {
            claude_files.push(self.claude_files(dir)?);
        }
        // A file, or a text, that is attached with the same read is not handed over as well.
        let attached = match wanted {
            true => self.with_imports(&claude_files)?,
            false => Vec::new(),
        };
        let known = || start.entries.iter().chain(&attached);
        self.seen = known().map(|entry| entry.path.clone()).collect();
        self.seen.extend(claude_files.iter().flatten().map(|(path, _)| path.clone()));
        let texts: HashSet<&str> = known()
            .map(|entry| js_trim(&entry.document.text))
            .chain(claude_files.iter().flatten().map(|(_, text)| text.as_str()))
            .collect();
        let mut found = Vec::new();
        for (dir, own) in dirs.iter().zip(&claude_files) {
            let own = own.first().map(|(path, _)| path).filter(|_| self.settings.mode == Mode::EitherKind);
            let files = AGENTS.map(|name| dir.join(name));
            self.expect(&files)?;
            for path in &files {
                if wanted && own.is_none() {
                    self.load(path, nested(Owner::Project), &mut found)?;
                } else if self.search.is_file(path, "nested AGENTS.md")? {
                    self.displaced_nested(path, own.or(start.displaced_by.as_ref()).map(PathBuf::as_path));
                }
            }
        }
        found.retain(|entry| {
            let text = js_trim(&entry.document.text);
            let again = !text.is_empty() && texts.contains(text);
            if again && !loaded.contains(&entry.path) {
                self.consider_same_text(entry);
            }
            !again && !text.is_empty() && !loaded.contains(&entry.path)
        });
        Ok(self.handed_over(found))
    }

    /// Records why a nested AGENTS.md is not read: `by` is read instead, or none is read at all.
    fn displaced_nested(&mut self, path: &Path, by: Option<&Path>) {
        let reason = match by {
            None => self.without_agents(path),
            Some(by) if by.parent() == path.parent() => format!("{} is read instead", by.display()),
            Some(by) => format!("{} is read instead, and hides every AGENTS.md", by.display()),
        };
        let source = Source::new(path, Scope::Nested, Fate::Shadowed, reason);
        self.consider(Source { trigger: Trigger::Read, by: by.map(Path::to_owned), ..source });
    }

    /// Loads the nested CLAUDE.md files with their imports. Observed: this includes imports from outside if they were
    /// approved, although these are not attached.
    fn with_imports(&mut self, claude_files: &[Vec<(PathBuf, String)>]) -> Known<Vec<Entry>> {
        self.seen.clear();
        let mut entries = Vec::new();
        for (path, _) in claude_files.iter().flatten() {
            self.load(path, nested(Owner::Project), &mut entries)?;
        }
        Ok(entries)
    }

    /// Returns those [`CLAUDE_FILES`] of a directory that displace its AGENTS.md, each with its text. Observed: links
    /// to the user's or the administrator's file displace nothing.
    pub(super) fn claude_files(&mut self, dir: &Path) -> Known<Vec<(PathBuf, String)>> {
        let files = CLAUDE_FILES.map(|name| dir.join(name));
        self.expect(&files)?;
        let mut own = Vec::new();
        for path in files {
            let found = self.search.stat(&path, "nested AGENTS.md stand in for these")?;
            let real = self.search.real(&path)?.unwrap_or_else(|_| path.clone());
            let limit = self.edition.file_limit_bytes;
            if self.excluded(&path, Owner::Project).is_some()
                || self.denied(&path, &real, Owner::Project)
                || !found.is_ok_and(|meta| meta.kind == FileType::File && meta.len <= limit)
                || self.is_of_user_or_managed(&path)?
            {
                continue;
            }
            let Ok(raw) = self.search.read(&path, "nested AGENTS.md stand in for these")? else { continue };
            let document = super::document::take_apart(&raw, self.edition.joins);
            let text = js_trim(&document.text);
            if !text.is_empty() {
                own.push((path, text.to_owned()));
            }
        }
        Ok(own)
    }

    fn is_of_user_or_managed(&mut self, path: &Path) -> Known<bool> {
        let real = self.search.real(path)?;
        // Observed: if the user's or the administrator's file is a link to this one, this one does displace AGENTS.md.
        let is_link = real.as_deref().is_ok_and(|real| real != path);
        for theirs in [self.settings.config.path.join("CLAUDE.md"), Path::new(MANAGED).join("CLAUDE.md")] {
            if (is_link || path == theirs) && real.is_ok() && real == self.search.real(&theirs)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Joins the files to one text. If it is too long, the client sends none of it.
    fn handed_over(&mut self, found: Vec<Entry>) -> Option<Handed> {
        if found.is_empty() {
            return None;
        }
        let entries: Vec<String> = found
            .iter()
            .map(|entry| {
                let text = match self.edition.breaks_tags_handed_over {
                    true => tags::broken(&entry.document.text, Breaking::Entity),
                    false => entry.document.text.to_string(),
                };
                format!("Contents of {}:\n\n{text}", entry.path.display())
            })
            .collect();
        let text = entries.join("\n");
        let limit = self.edition.handed_over_utf16;
        if utf16_len(&text) > limit {
            for entry in found {
                let reason = format!(
                    "together more than {limit} UTF-16 units: the client saves them and names the file, with a preview"
                );
                self.warnings.push(Warning::at(
                    "over-budget",
                    &entry.path,
                    format!("{}: {reason}", entry.path.display()),
                ));
                let limit = Limit { value: limit, unit: Unit::Utf16, per: Per::Chain, from: "default".into() };
                let source = Source { kept: Vec::new(), limit: Some(limit), trigger: Trigger::Read, ..entry.source };
                self.consider(Source { fate: Fate::Dropped, reason, ..source });
            }
            let reason = "a preview of nested AGENTS.md is sent, with the path of a file that the client makes";
            self.unsure.get_or_insert_with(|| reason.to_owned());
            return None;
        }
        let trigger = self.trigger();
        Some(Handed { text, sources: found.into_iter().map(|entry| Source { trigger, ..entry.source }).collect() })
    }
}

/// Claude Code's own files in a directory; if there is one, AGENTS.md is not read.
const CLAUDE_FILES: [&str; 3] = ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"];

/// Returns true if a directory belongs to a worktree that contains `target`, so that it is not read from outside.
///
/// Observed: for the first `.claude/worktrees/NAME` below `cwd`, the directories `.claude`, `worktrees` and `NAME` give
/// nothing. Directories below `NAME` do, unless the session starts in that `.claude`.
fn is_of_worktree(dir: &Path, cwd: &Path, target: &Path) -> bool {
    let worktrees = |dir: &Path| dir.ends_with(".claude/worktrees") && dir.starts_with(cwd) && dir != cwd;
    let above: Vec<&Path> = target.ancestors().skip(1).collect();
    let Some(at) = above.iter().rposition(|dir| worktrees(dir)).filter(|at| *at > 0) else { return false };
    above[at].parent() == Some(cwd) || [Some(above[at - 1]), Some(above[at]), above[at].parent()].contains(&Some(dir))
}

fn nested(owner: Owner) -> FileRole {
    FileRole { owner, scope: Scope::Nested, trigger: Trigger::Read, rule: false }
}

/// Returns the directories below `cwd` down to the one that contains `target`, outermost first.
fn directories(cwd: &Path, target: &Path) -> Vec<PathBuf> {
    let mut dirs: Vec<PathBuf> =
        target.ancestors().skip(1).take_while(|dir| *dir != cwd && dir.starts_with(cwd)).map(Path::to_owned).collect();
    dirs.reverse();
    dirs
}
