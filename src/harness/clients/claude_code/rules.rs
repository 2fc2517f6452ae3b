//! The rules of a directory: every `.md` file below `.claude/rules`, in the order in which the disk lists them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::loader::{Entry, FileRole, Loader, Owner};
use super::{imports, paths};
use crate::answer::{Fate, Scope, Source, Trigger, Warning};
use crate::search::Known;
use crate::snapshot::{Ask, FileType};

/// Maximum number of rule directories that Briefing enters in one place; the client has no such limit.
const DIRECTORY_LIMIT: usize = 2_000;

/// Selects the rules to load.
#[derive(Clone, Copy)]
pub(super) enum Which<'p> {
    /// Rules without `paths`, at the start of the session.
    Unconditional,
    /// Rules without `paths`, for a file that is read.
    UnconditionalNested,
    /// Rules whose `paths` match this file, relative to this directory.
    Matching(&'p Path, &'p Path),
}

impl Loader<'_, '_> {
    /// Adds the selected rules below `dir`. The imports of a rule are selected by their own front matter: they may load
    /// although their rule waits.
    pub(super) fn rules(&mut self, dir: &Path, owner: Owner, which: Which, entries: &mut Vec<Entry>) -> Known<()> {
        let trigger = match which {
            Which::Unconditional => Trigger::Session,
            Which::UnconditionalNested | Which::Matching(..) => Trigger::Read,
        };
        let Some(real) = self.rules_directory(dir, owner, which)? else { return Ok(()) };
        let mut files = Vec::new();
        self.collect(&real, owner, &mut HashSet::new(), &mut files)?;
        self.expect(&files.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>())?;
        let mut found = Vec::new();
        for (path, link) in files {
            if let Some(glob) = link.as_deref().and_then(|link| self.excluded(link, owner)) {
                let reason = format!("claudeMdExcludes excludes it: {glob}");
                self.consider(Source {
                    trigger,
                    ..Source::new(link.unwrap_or(path), Scope::Rule, Fate::Excluded, reason)
                });
                continue;
            }
            self.load(&path, FileRole { owner, scope: Scope::Rule, trigger, rule: true }, &mut found)?;
        }
        self.sort_out(found, which, entries);
        Ok(())
    }

    /// Returns the physical directory of the rules, if it may be entered.
    fn rules_directory(&mut self, dir: &Path, owner: Owner, which: Which) -> Known<Option<PathBuf>> {
        self.search.expect([Ask::Kind(dir.to_owned()), Ask::LinkKind(dir.to_owned()), Ask::Real(dir.to_owned())])?;
        if !self.search.is_dir(dir, "rules")? {
            return Ok(None);
        }
        let Ok(real) = self.search.real(dir)? else { return Ok(None) };
        let itself = self.search.lstat(dir, "rules")?.is_ok_and(|meta| meta.kind == FileType::Dir);
        // Observed: behind a link to the outside, only nested rules in a linked `.claude` are read.
        let nested = matches!(which, Which::UnconditionalNested) && itself;
        if real != dir && !nested && !self.may_link(&real, owner) {
            self.outside(dir, &real);
            return Ok(None);
        }
        Ok(Some(real))
    }

    /// Returns true if a link may lead to `real`.
    fn may_link(&self, real: &Path, owner: Owner) -> bool {
        owner == Owner::User || self.approved || real.starts_with(self.cwd)
    }

    /// Records that a link leads to a place where it may not.
    fn outside(&mut self, link: &Path, real: &Path) {
        let reason = format!(
            "a link to {}, outside {}, and links to the outside were not approved",
            real.display(),
            self.cwd.display()
        );
        self.warnings.push(Warning::at("import-outside", link, format!("{}: {reason}", link.display())));
        self.consider(Source { by: Some(real.to_owned()), ..Source::new(link, Scope::Rule, Fate::Dropped, reason) });
    }

    /// Collects the rule files below a physical directory, each with the link that led to it.
    fn collect(
        &mut self,
        dir: &Path,
        owner: Owner,
        visited: &mut HashSet<PathBuf>,
        files: &mut Vec<(PathBuf, Option<PathBuf>)>,
    ) -> Known<()> {
        if !visited.insert(dir.to_owned()) {
            return Ok(());
        }
        if visited.len() > DIRECTORY_LIMIT {
            self.unsure = Some(format!("more than {DIRECTORY_LIMIT} directories of rules"));
            return Ok(());
        }
        let Ok(listing) = self.search.list(dir, "rules: every .md, in the order of the disk")? else { return Ok(()) };
        let links: Vec<PathBuf> =
            listing.iter().filter(|entry| entry.kind == FileType::Link).map(|entry| dir.join(&entry.name)).collect();
        self.search.expect(links.iter().flat_map(|link| [Ask::Kind(link.clone()), Ask::Real(link.clone())]))?;
        let below =
            listing.iter().filter(|entry| entry.kind == FileType::Dir).map(|entry| Ask::Listing(dir.join(&entry.name)));
        self.search.expect(below.collect::<Vec<_>>())?;
        for entry in listing.iter() {
            let path = dir.join(&entry.name);
            let is_rule = entry.name.to_str().is_some_and(|name| name.ends_with(".md"));
            match entry.kind {
                FileType::File if is_rule => files.push((path, None)),
                FileType::Dir => self.collect(&path, owner, visited, files)?,
                FileType::Link => {
                    let (Ok(meta), Ok(real)) = (self.search.glance(&path)?, self.search.real(&path)?) else { continue };
                    let wanted = meta.kind == FileType::Dir || (meta.kind == FileType::File && is_rule);
                    if !wanted {
                        continue;
                    }
                    if !self.may_link(&real, owner) {
                        self.outside(&path, &real);
                    } else if meta.kind == FileType::Dir {
                        self.collect(&real, owner, visited, files)?;
                    } else if !imports::is_readable(&real) {
                        let reason = "a link to a file with an extension that Claude Code does not read";
                        let source = Source::new(&path, Scope::Rule, Fate::Dropped, reason);
                        self.consider(Source { by: Some(real), ..source });
                    } else {
                        files.push((real, Some(path)));
                    }
                }
                FileType::File | FileType::Fifo | FileType::Device | FileType::Other => {}
            }
        }
        Ok(())
    }

    /// Keeps the selected rules, and records for each of the others which files it waits for.
    fn sort_out(&mut self, found: Vec<Entry>, which: Which, entries: &mut Vec<Entry>) {
        let waiting: HashSet<PathBuf> =
            found.iter().filter(|entry| entry.globs.is_some()).map(|entry| entry.path.clone()).collect();
        for entry in found {
            let wanted = match (&which, &entry.globs) {
                (Which::Unconditional | Which::UnconditionalNested, None) => true,
                (Which::Unconditional | Which::UnconditionalNested, Some(_)) | (Which::Matching(..), None) => false,
                (Which::Matching(target, base), Some(globs)) => target.strip_prefix(base).is_ok_and(|relative| {
                    let rebased = self.edition.leaves_worktrees.then(|| in_worktree(relative, base, self.cwd));
                    paths::matches(globs, rebased.flatten().unwrap_or(relative))
                }),
            };
            if wanted {
                self.warn_of_import(&entry, &waiting, which);
                entries.push(entry);
            } else if let Some(globs) = &entry.globs {
                let reason = format!("waits until a file is read that matches {}", globs.join(", "));
                let source = Source { trigger: Trigger::Read, kept: Vec::new(), ..entry.source.clone() };
                self.consider(Source { fate: Fate::Dropped, reason, ..source });
            }
        }
    }

    /// Warns if a rule that waits has an import that does not wait with it.
    fn warn_of_import(&mut self, entry: &Entry, waiting: &HashSet<PathBuf>, which: Which) {
        let (Which::Unconditional, Some(by)) = (which, entry.source.by.as_ref().filter(|_| entry.head.is_some()))
        else {
            return;
        };
        if waiting.contains(by) {
            self.warnings.push(Warning::at(
                "import-unconditional",
                by,
                format!(
                    "{}: {} is imported at the start of every session, although the rule waits for its paths",
                    by.display(),
                    entry.path.display()
                ),
            ));
        }
    }
}

/// Returns the part of the path inside a worktree below the `.claude` of `base`, unless the session was started in that
/// worktree. Rules match this part alone.
fn in_worktree<'p>(relative: &'p Path, base: &Path, cwd: &Path) -> Option<&'p Path> {
    let mut parts = relative.strip_prefix(".claude/worktrees").ok()?.components();
    let name = parts.next()?;
    let inside = parts.as_path();
    let started_there = cwd.starts_with(base.join(".claude/worktrees").join(name));
    (!started_there && !inside.as_os_str().is_empty()).then_some(inside)
}
