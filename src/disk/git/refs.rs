//! Resolves the name of a revision as `git rev-parse` does: branches, tags, hashes, and the suffixes `^` and `~`.

use std::path::Path;

use super::ids::Id;
use super::objects::Objects;
use crate::disk::Filesystem;

/// Maximum length of a chain of symbolic refs (git 2.47).
const SYMBOLIC_DEPTH: usize = 5;

/// The places that hold a repository's refs.
pub(super) struct Refs<'a> {
    pub fs: &'a dyn Filesystem,
    /// Directory of this worktree's own refs, such as `HEAD`.
    pub git_dir: &'a Path,
    /// Directory of the refs that all worktrees share.
    pub common_dir: &'a Path,
    pub objects: &'a Objects,
}

impl Refs<'_> {
    /// Returns the object that a revision names.
    pub fn resolve(&self, revision: &str) -> Result<Id, String> {
        let end = revision.find(['^', '~']).unwrap_or(revision.len());
        let (name, mut steps) = revision.split_at(end);
        if name.contains("@{") || name.contains(':') || name.is_empty() {
            return Err(format!(
                "`{revision}`: a revision is a branch, a tag or a hash, with `^` and `~` behind it; logs, upstreams and \
                 searches are not looked up"
            ));
        }
        let mut id = self.named(if name == "@" { "HEAD" } else { name })?;
        while let Some(step) = steps.chars().next() {
            let rest = &steps[step.len_utf8()..];
            if step == '^'
                && let Some((kind, behind)) = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'))
            {
                steps = behind;
                id = match kind {
                    "" | "commit" | "object" => self.objects.peeled(id)?.0,
                    "tree" => self.objects.tree_of(id)?,
                    _ => return Err(format!("`{revision}`: `^{{{kind}}}` is not understood")),
                };
                continue;
            }
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let number = match &rest[..digits] {
                "" => 1,
                digits => digits.parse().map_err(|_| format!("`{revision}`: {digits} is too large"))?,
            };
            steps = &rest[digits..];
            id = match (step, number) {
                (_, 0) => self.objects.peeled(id)?.0,
                ('^', parent) => self.objects.ancestor(id, parent, 1)?,
                ('~', times) => self.objects.ancestor(id, 1, times)?,
                _ => return Err(format!("`{revision}` is not understood from `{step}` on")),
            };
        }
        Ok(id)
    }

    fn named(&self, name: &str) -> Result<Id, String> {
        if name.len() == 2 * self.objects.name_len
            && let Some(id) = Id::from_hex(name)
        {
            return Ok(id);
        }
        let is_path = name.split('/').all(|part| !part.is_empty() && part != "." && !part.contains(".."));
        if is_path {
            for rule in ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"] {
                if let Some(id) = self.reference(&format!("{rule}{name}"), SYMBOLIC_DEPTH)? {
                    return Ok(id);
                }
            }
            if let Some(id) = self.reference(&format!("refs/remotes/{name}/HEAD"), SYMBOLIC_DEPTH)? {
                return Ok(id);
            }
        }
        // `git describe` output such as `v1.2-5-g1a2b3c4`.
        let described = name.rsplit_once("-g").map(|(_, hex)| hex);
        for hex in [Some(name), described].into_iter().flatten() {
            if let Some(id) = self.objects.with_prefix(self.fs, hex)? {
                return Ok(id);
            }
        }
        Err(format!("there is no revision `{name}` in {}", self.common_dir.display()))
    }

    /// Returns the object that a reference leads to.
    fn reference(&self, name: &str, depth: usize) -> Result<Option<Id>, String> {
        // Most refs are shared, some belong to a worktree.
        let own = !name.starts_with("refs/")
            || ["refs/bisect/", "refs/worktree/", "refs/rewritten/"].iter().any(|own| name.starts_with(own));
        let loose = if own { self.git_dir } else { self.common_dir }.join(name);
        let Ok(raw) = self.fs.read(&loose) else { return Ok(self.packed(name)) };
        let text = String::from_utf8_lossy(&raw);
        if let Some(other) = text.strip_prefix("ref:") {
            if depth == 0 {
                return Err(format!("{}: too many names for names", loose.display()));
            }
            return self.reference(other.trim(), depth - 1);
        }
        let hex = text.split_whitespace().next().unwrap_or_default();
        Ok(Id::from_hex(hex))
    }

    fn packed(&self, name: &str) -> Option<Id> {
        let raw = self.fs.read(&self.common_dir.join("packed-refs")).ok()?;
        let text = String::from_utf8_lossy(&raw);
        let hex = text.lines().filter_map(|line| line.split_once(' ')).find(|(_, known)| *known == name)?.0;
        Id::from_hex(hex)
    }
}
