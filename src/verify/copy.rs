//! A copy of what an answer rests on: the texts that were read, and stand-ins for everything else that was looked at.
//!
//! It holds no credentials, and of settings nothing that would start a program. Instruction files that no rule of Briefing's
//! looked at are copied as well: only so can a client show that it reads them.
#![expect(clippy::disallowed_methods, reason = "the room lays out a tree of its own")]

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::harmless::{Harmless, harmless};
use crate::disk::Filesystem;
use crate::snapshot::credentials::is_credential_file;
use crate::snapshot::{Ask, Fact, FileType, absolute};

/// A file that nobody asked for is copied up to this size, in bytes.
const UNASKED_BYTES: u64 = 256 * 1024;
/// Maximum number of entries that are read from a directory.
const ENTRIES: usize = 2_000;
/// Maximum number of links that are followed from one path; more are taken for a loop.
const LINKS: usize = 40;
/// The endings of files that may be instructions.
const INSTRUCTIONS: [&str; 4] = [".md", ".mdc", "rules", ".markdown"];

/// A tree under construction.
pub struct Copy<'a> {
    fs: &'a dyn Filesystem,
    /// Root of the copy: `/a` is copied to `TREE/a`.
    tree: &'a Path,
    /// Directories whose content is copied; everything else stays where it is.
    covers: &'a [PathBuf],
    /// True if absolute links are rewritten to lead into the copy, because the copy is used in place.
    moved: bool,
    harmless: &'a [Harmless],
    made: HashSet<PathBuf>,
    /// Number of files that were copied with their text.
    pub texts: usize,
}

impl<'a> Copy<'a> {
    /// Creates an empty copy.
    pub fn new(
        fs: &'a dyn Filesystem,
        tree: &'a Path,
        covers: &'a [PathBuf],
        moved: bool,
        harmless: &'a [Harmless],
    ) -> Copy<'a> {
        Copy { fs, tree, covers, moved, harmless, made: HashSet::new(), texts: 0 }
    }

    /// Copies the files that a fact of the answer depends on.
    pub fn asked(&mut self, ask: &Ask, fact: Option<&Fact>) -> io::Result<()> {
        match ask {
            Ask::Kind(path) | Ask::LinkKind(path) | Ask::Real(path) | Ask::Target(path) => self.entry(path),
            Ask::Content(path) => self.text(path),
            Ask::Listing(path) => self.listing(path),
            Ask::Git(dir) => self.repository(dir),
            Ask::Glob { base, .. } => {
                self.entry(base)?;
                let Some(Fact::Glob(found)) = fact else { return Ok(()) };
                found.files.iter().try_for_each(|file| self.entry(file))
            }
            Ask::Rows { .. } | Ask::Remote(_) => Ok(()),
        }
    }

    /// Copies the instruction files of a directory that no rule of Briefing looked at.
    pub fn beside(&mut self, dir: &Path) -> io::Result<()> {
        for entry in self.fs.list(dir).unwrap_or_default().into_iter().take(ENTRIES) {
            let name = entry.name.to_string_lossy().to_lowercase();
            let path = dir.join(&entry.name);
            let is_instruction = INSTRUCTIONS.iter().any(|ending| name.ends_with(ending));
            let is_small =
                || self.fs.stat(&path).is_ok_and(|meta| meta.kind == FileType::File && meta.len <= UNASKED_BYTES);
            if is_instruction && is_small() {
                self.text(&path)?;
            }
        }
        Ok(())
    }

    /// Returns the path of the copy of `path`.
    pub fn place(&self, path: &Path) -> PathBuf {
        self.tree.join(path.strip_prefix("/").unwrap_or(path))
    }

    fn is_covered(&self, path: &Path) -> bool {
        self.covers.iter().any(|cover| path.starts_with(cover))
    }

    /// Creates an entry of the kind that is at `path`, without its text, and every directory and link on the way.
    pub fn entry(&mut self, path: &Path) -> io::Result<()> {
        self.reach(path).map(drop)
    }

    /// Creates the entry as well, and returns its path with all links followed, if it exists.
    fn reach(&mut self, path: &Path) -> io::Result<Option<PathBuf>> {
        self.follow(path, LINKS)
    }

    fn follow(&mut self, path: &Path, links: usize) -> io::Result<Option<PathBuf>> {
        let mut at = PathBuf::from("/");
        let parts: Vec<_> =
            absolute(Path::new("/"), path).components().skip(1).map(|part| part.as_os_str().to_owned()).collect();
        for (nth, part) in parts.iter().enumerate() {
            at.push(part);
            let Ok(meta) = self.fs.lstat(&at) else { return Ok(None) };
            self.put(&at, meta.kind, meta.len)?;
            if meta.kind == FileType::Link {
                let Some(left) = links.checked_sub(1) else { return Ok(None) };
                let Ok(target) = self.fs.read_link(&at) else { return Ok(None) };
                let rest = parts[nth + 1..].iter();
                let onward = absolute(at.parent().unwrap_or(&at), &target);
                return self.follow(&rest.fold(onward, |path, part| path.join(part)), left);
            }
        }
        Ok(Some(at))
    }

    fn put(&mut self, path: &Path, kind: FileType, len: u64) -> io::Result<()> {
        if !self.is_covered(path) || !self.made.insert(path.to_owned()) {
            return Ok(());
        }
        let place = self.prepared(path)?;
        match kind {
            FileType::Dir => fs::create_dir_all(&place)?,
            FileType::File => self.opened(path)?.set_len(len.min(UNASKED_BYTES))?,
            #[cfg(unix)]
            FileType::Link => {
                let target = self.fs.read_link(path).unwrap_or_default();
                let leads = self.moved && target.is_absolute() && self.is_covered(&target);
                let target = if leads { self.place(&target) } else { target };
                std::os::unix::fs::symlink(target, &place)?;
            }
            // A pipe or a device could keep a client waiting.
            _ => return Ok(()),
        }
        self.mode_of(path, &place, kind)
    }

    /// The place of a path, whose directories are there. Links were laid out as well, and may lead out of the copy: none is
    /// followed, not even one that took the place of a directory while the copy was made.
    fn prepared(&self, path: &Path) -> io::Result<PathBuf> {
        let place = self.place(path);
        let above = place.ancestors().skip(1).find(|above| above.symlink_metadata().is_ok()).unwrap_or(self.tree);
        if !above.starts_with(self.tree) || above.canonicalize()?.starts_with(self.tree.canonicalize()?) {
            place.parent().map_or(Ok(()), fs::create_dir_all)?;
            return Ok(place);
        }
        Err(io::Error::other(format!("{} changed while it was copied", path.display())))
    }

    /// Opens an empty file at the place of a path.
    fn opened(&self, path: &Path) -> io::Result<fs::File> {
        let place = self.prepared(path)?;
        let mut options = fs::OpenOptions::new();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW);
        options.write(true).create(true).truncate(true).open(place)
    }

    /// Copies the mode of a file: some clients do not trust files that others may write to.
    #[cfg(unix)]
    fn mode_of(&self, path: &Path, place: &Path, kind: FileType) -> io::Result<()> {
        use std::os::unix::fs::PermissionsExt;
        if kind == FileType::Link {
            return Ok(());
        }
        let Ok(meta) = fs::metadata(path) else { return Ok(()) };
        let own = if kind == FileType::Dir { 0o700 } else { 0o600 };
        fs::set_permissions(place, fs::Permissions::from_mode((meta.permissions().mode() & 0o777) | own))
    }

    #[cfg(not(unix))]
    fn mode_of(&self, _: &Path, _: &Path, _: FileType) -> io::Result<()> {
        Ok(())
    }

    fn text(&mut self, path: &Path) -> io::Result<()> {
        let Some(real) = self.reach(path)? else { return Ok(()) };
        if !self.is_covered(&real) || is_credential_file(&real) {
            return Ok(());
        }
        let Ok(content) = self.fs.read(&real) else { return Ok(()) };
        self.texts += 1;
        self.opened(&real)?.write_all(&harmless(&real, &content, self.harmless))
    }

    fn listing(&mut self, dir: &Path) -> io::Result<()> {
        let Some(real) = self.reach(dir)? else { return Ok(()) };
        if !self.is_covered(&real) {
            return Ok(());
        }
        let entries = self.fs.list(&real).unwrap_or_default();
        entries.iter().take(ENTRIES).try_for_each(|entry| self.entry(&real.join(&entry.name)))
    }

    /// Copies what git needs to recognize a repository, without its settings (may hold passwords) and hooks (programs).
    fn repository(&mut self, dir: &Path) -> io::Result<()> {
        let git = dir.join(".git");
        self.entry(&git)?;
        let Some(at) = self.reach(&git)? else { return Ok(()) };
        if self.fs.stat(&at).is_ok_and(|meta| meta.kind == FileType::Dir) {
            return self.git_dir(&at);
        }
        // A file that says where it is: that of a linked work tree, or of a submodule.
        self.text(&git)?;
        let Ok(said) = self.fs.read(&at) else { return Ok(()) };
        let Some(named) = said.text().trim().strip_prefix("gitdir:").map(|named| named.trim().to_owned()) else {
            return Ok(());
        };
        let own = absolute(dir, Path::new(&named));
        self.git_dir(&own)?;
        if let Ok(common) = self.fs.read(&own.join("commondir")) {
            self.git_dir(&absolute(&own, Path::new(common.text().trim())))?;
        }
        Ok(())
    }

    fn git_dir(&mut self, dir: &Path) -> io::Result<()> {
        if !self.is_covered(dir) {
            return Ok(());
        }
        for name in ["HEAD", "commondir", "gitdir"] {
            self.text(&dir.join(name))?;
        }
        for name in ["objects", "refs"] {
            self.entry(&dir.join(name))?;
        }
        match self.reach(&dir.join("config"))?.filter(|config| self.is_covered(config)) {
            Some(config) => self.opened(&config)?.write_all(b"[core]\n\trepositoryformatversion = 0\n\tbare = false\n"),
            None => Ok(()),
        }
    }
}
