//! Proves expectations while files are edited: what a change does not touch is remembered.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Below, Files, Proof, findings, prove, read};
use crate::engine::Core;
use crate::engine::memory::Memory;
use crate::queries::declarations::Above;
use crate::queries::patterns::Matches;
use crate::report::expect::declared;
use crate::report::findings::{Finding, Kind};
use crate::request::beside;
use crate::snapshot::Content;

/// What does not hold, by declaration.
#[derive(Default)]
pub(crate) struct Proven(Memory<PathBuf, Vec<(PathBuf, Content, Finding)>>);

impl Proven {
    /// Returns the failed expectations that concern a file: those that stand in it, and those whose text does. What is declared in
    /// its directory and above it, up to the workspace folder, is proven.
    pub async fn about(&self, core: &Arc<Core>, path: &Path) -> Vec<Finding> {
        let (folder, is_on) = {
            let session = core.session();
            (session.folder_of(path).cloned(), session.settings.severity(Kind::ExpectationFailed).is_some())
        };
        let Some(folder) = folder.filter(|_| is_on) else { return Vec::new() };
        let (folder, path) = (core.files.real(&folder), core.files.real(path));
        let declarations = core.query(Above::from(&beside(&path), &folder)).await;
        let mut found = Vec::new();
        for declaration in &declarations.value {
            let prove = async {
                let Ok(raw) = read(core, declaration).await else { return Ok(Vec::new()) };
                let here = declared(&raw);
                // Most declarations expect nothing, and then nothing is looked for.
                if here.all.is_empty() && here.wrong.is_empty() && here.extends.is_none() {
                    return Ok(Vec::new());
                }
                let below = Below {
                    instructions: core.files_of(&folder).await.files,
                    settings: BTreeSet::new(),
                    declarations: vec![declaration.clone()],
                };
                prove(core, &folder, &below, Files::Matched).await.map(|proofs| findings(&proofs))
            };
            // What is too much to be proven while somebody types is left to `briefing check`.
            let Ok(all) = self.0.get(core, declaration.clone(), None, prove).await else { continue };
            found.extend(all.iter().filter(|(file, ..)| *file == path).map(|(.., finding)| finding.clone()));
        }
        found
    }
}

/// Returns the files that expectations are about, relative to the root, in order.
pub(super) async fn matched(core: &Arc<Core>, root: &Path, proofs: &[Proof]) -> Vec<PathBuf> {
    let patterns: BTreeSet<(&Path, &String)> =
        proofs.iter().flat_map(|proof| proof.expectation.paths.iter().map(|pattern| (&*proof.dir, pattern))).collect();
    let mut files = BTreeSet::new();
    for (dir, pattern) in patterns {
        let found = core.query(Matches::below(dir, pattern)).await;
        files.extend(found.value.iter().filter_map(|file| file.strip_prefix(root).ok()).map(Path::to_owned));
    }
    files.into_iter().collect()
}
