//! Evaluates expectations while files are edited, with a cache of the results that a change does not affect.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::declarations::read;
use super::findings::of_proof;
use super::prove::Ground;
use super::{Below, Files};
use crate::engine::Core;
use crate::engine::memory::Memory;
use crate::queries::declarations::Above;
use crate::report::expect::{Wanted, declared};
use crate::report::findings::{Finding, Kind};
use crate::request::beside;
use crate::snapshot::Content;

/// Failed expectations, each with its file.
type Failed = Vec<(PathBuf, Content, Finding)>;

/// An expectation: the directory that it is applied to, the file that declares it, and its id.
type Name = (PathBuf, PathBuf, String);

/// Failed expectations, cached by name.
#[derive(Default)]
pub(crate) struct Proven {
    failed: Memory<Name, Failed>,
    /// Number of evaluations, for tests.
    #[cfg(test)]
    count: std::sync::atomic::AtomicUsize,
}

impl Proven {
    /// Returns the failed expectations that concern a file: those declared in it, and those whose text is in it.
    /// Declarations in the file's directory and its parents, up to the workspace folder, are evaluated.
    pub fn about(&self, core: &Arc<Core>, path: &Path) -> Vec<Finding> {
        let (folder, is_on) = {
            let session = core.session();
            (session.folder_of(path).cloned(), session.settings.severity(Kind::ExpectationFailed).is_some())
        };
        let Some(folder) = folder.filter(|_| is_on) else { return Vec::new() };
        let (folder, path) = (core.files.real(&folder), core.files.real(path));
        let above = core.query(Above::from(&beside(&path), &folder));
        let mut declarations = Vec::new();
        for declaration in &above.value {
            let Ok(raw) = read(core, declaration) else { continue };
            let here = declared(&raw);
            if !here.all.is_empty() || !here.wrong.is_empty() || here.extends.is_some() {
                declarations.push(declaration.clone());
            }
        }
        // Most projects declare no expectations, so nothing needs to be searched.
        if declarations.is_empty() {
            return Vec::new();
        }
        let instructions = core.files_of(&folder).files;
        let below = Below { instructions, settings: BTreeSet::new(), declarations };
        let mut ground = Ground::of(core, &folder, &below, Files::Matched);
        let mut found = std::mem::take(&mut ground.proofs.wrong);
        for number in 0..ground.proofs.all.len() {
            let proof = &ground.proofs.all[number];
            let key = (proof.dir.clone(), proof.path.clone(), proof.expectation.id.clone());
            let stamp = ground.stamp(number);
            let prove = || self.failing(core, &mut ground, number);
            // Expectations that are too expensive while typing are left to `briefing check`.
            let Ok(failed) = self.failed.get(core, key, Some(stamp), prove) else { continue };
            found.extend(failed.iter().cloned());
        }
        found.into_iter().filter(|(file, ..)| *file == path).map(|(.., finding)| finding).collect()
    }

    /// Evaluates one expectation. A failure depends on every instruction file, a success only on the answers.
    fn failing(&self, core: &Arc<Core>, ground: &mut Ground, number: usize) -> Result<Failed, String> {
        #[cfg(test)]
        self.count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        ground.prove(core, &[number])?;
        let proof = &ground.proofs.all[number];
        if !proof.holds() || matches!(ground.wanted[number], Some(Wanted::Same)) {
            let pages: Vec<PathBuf> = ground.texts.pages.iter().map(|page| page.path.clone()).collect();
            for page in pages {
                let _ = read(core, &page);
            }
        }
        let proof = &ground.proofs.all[number];
        Ok(if proof.holds() { Vec::new() } else { of_proof(proof) })
    }
}

impl Ground {
    /// Returns a hash of an expectation's demand and of the files it is about.
    fn stamp(&self, number: usize) -> u64 {
        let mut hasher = foldhash::fast::FixedState::default().build_hasher();
        let proof = &self.proofs.all[number];
        (&*proof.raw, proof.expectation.at.start, &proof.problem).hash(&mut hasher);
        for class in &self.classes[number] {
            (&class.file, class.count).hash(&mut hasher);
        }
        if let Some(Wanted::Present(texts)) = &self.wanted[number] {
            texts.iter().for_each(|text| text.text().hash(&mut hasher));
        }
        hasher.finish()
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests write to scratch directories")]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::engine::tests::core_for;
    use crate::snapshot::Change;

    #[test]
    fn an_edit_proves_only_what_it_touches() {
        let scratch = tempfile::TempDir::new().expect("a scratch directory");
        let dir = scratch.path().canonicalize().expect("it is there");
        let write = |name: &str, text: &str| {
            let file = dir.join(name);
            std::fs::create_dir_all(file.parent().expect("a directory")).expect("it is made");
            std::fs::write(file, text).expect("it is written");
        };
        for part in ["a", "b"] {
            write(&format!("{part}/CLAUDE.md"), &format!("Rules of {part}.\n"));
            write(&format!("{part}/x.rs"), "");
        }
        let expect = |part: &str| {
            format!(
                "[[expect]]\nid = \"{part}\"\ntext = \"Rules of {part}.\"\nagents = [\"claude-code\"]\npaths = [\"{part}/*.rs\"]\nfrom = [\"{part}\"]\n"
            )
        };
        let declared = expect("a") + &expect("b");
        write("briefing.toml", &declared);
        let core = core_for(&dir.join("home"));
        core.start_in(&dir, Default::default());
        let (proven, file) = (Proven::default(), dir.join("briefing.toml"));
        let asked = || {
            let found = proven.about(&core, &file);
            (found.len(), proven.count.load(Ordering::Relaxed))
        };
        assert_eq!(asked(), (0, 2));
        assert_eq!(asked(), (0, 2), "nothing changed");
        write("a/CLAUDE.md", "Other rules.\n");
        core.happened(vec![Change::Path(dir.join("a/CLAUDE.md"))]);
        assert_eq!(asked(), (1, 3), "the other one still holds");
        write("a/CLAUDE.md", "Rules of a.\n");
        core.happened(vec![Change::Path(dir.join("a/CLAUDE.md"))]);
        assert_eq!(asked(), (0, 4));
        write("briefing.toml", &declared.replace("Rules of b", "Rules of c"));
        core.happened(vec![Change::Path(file.clone())]);
        assert_eq!(asked(), (1, 6), "another declaration");
    }
}
