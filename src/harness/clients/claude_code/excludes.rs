//! `claudeMdExcludes`: globs on absolute paths, as npm's `picomatch` understands them.

use std::path::Path;
use std::sync::Arc;

use crate::glob::Picomatch;
use crate::search::{Known, Search};
use crate::snapshot::absolute;

/// Globs of all settings together.
#[derive(Default)]
pub(super) struct Excludes(Vec<Glob>);

/// A glob, shared by all answers because it remembers what it matches; `None` if the package throws.
type Glob = Arc<Option<Picomatch>>;

impl Excludes {
    /// Compiles the globs. The part before the first wildcard may lead through symbolic links, so it matches both as
    /// written and resolved.
    pub(super) fn new<'p>(patterns: impl Iterator<Item = &'p str>, search: &mut Search) -> Known<Excludes> {
        let mut globs = Vec::new();
        for pattern in patterns {
            let pattern = pattern.replace('\\', "/");
            globs.push(glob(&pattern, search)?);
            if !pattern.starts_with('/') || pattern.starts_with("//") {
                continue;
            }
            let wild = pattern.find(['*', '?', '[', '{', '(', '!', '+', '@']).unwrap_or(pattern.len());
            let Some(slash) = pattern[..wild].rfind('/') else { continue };
            let prefix = absolute(Path::new("/"), Path::new(&pattern[..slash]));
            let real = search.real(&prefix)?.unwrap_or(prefix);
            let resolved = format!("{}{}", real.to_string_lossy().trim_end_matches('/'), &pattern[slash..]);
            if resolved != pattern {
                globs.push(glob(&resolved, search)?);
            }
        }
        Ok(Excludes(globs))
    }

    /// Returns the glob that excludes this path.
    pub(super) fn matching(&self, path: &Path) -> Option<&str> {
        let path = path.to_str()?;
        self.0.iter().flat_map(|glob| &**glob).find(|glob| glob.matches(path)).map(Picomatch::pattern)
    }
}

fn glob(pattern: &str, search: &mut Search) -> Known<Glob> {
    search.part("glob of claudeMdExcludes", (Path::new(pattern), ""), |pattern, _, _| {
        Ok(pattern.to_str().and_then(Picomatch::new))
    })
}
