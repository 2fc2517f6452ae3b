//! Handles `briefing/instructionFiles`: every known instruction file, and what each agent does with it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tower_lsp::jsonrpc::Result;

use super::super::ext::InstructionFilesParams;
use super::parsed;
use crate::answer::{Fate, Resolution, Standpoint};
use crate::disk::{Filesystem, scan};
use crate::engine::{Core, effort, wanted};
use crate::harness::names::INSTRUCTION_FILES;
use crate::index::Keep;
use crate::lsp::Context;
use crate::report::files::{InstructionFile, InstructionFiles, Reading, reading};
use crate::request::{Places, Request};
use crate::resolve::AgentQuestion;
use crate::snapshot::FileType;

/// Maximum number of directories searched for a file beside an instruction file.
const SEARCHED: usize = 64;

/// A directory with the instruction files below it, and the questions to ask about them from one start directory.
struct Group {
    root: PathBuf,
    questions: Vec<AgentQuestion>,
}

impl Context {
    /// Handles `briefing/instructionFiles`.
    pub(crate) fn instruction_files(&self, params: InstructionFilesParams) -> Result<InstructionFiles> {
        let mut groups = Vec::new();
        for group in self.groups(params)? {
            let found = self.core.files_of(&group.root);
            groups.push((group, found));
        }
        let complete = groups.iter().all(|(_, found)| found.complete);
        let found_by_name = groups.iter().map(|(_, found)| found.files.len()).sum();
        let agents = groups.iter().map(|(group, _)| group.questions.len()).max().unwrap_or_default();
        let (mut files, mut left) = (BTreeMap::new(), Some(effort::bound(found_by_name, agents)));
        for (group, found) in &groups {
            // A folder inside another has its own group.
            let inner = |root: &&Path| root.starts_with(&group.root) && **root != group.root;
            let inner: Vec<&Path> = groups.iter().map(|(other, _)| &*other.root).filter(inner).collect();
            let found = found.files.iter().filter(|file| !inner.iter().any(|root| file.starts_with(root)));
            self.core.read_by(group, found.cloned().collect(), (&mut files, &mut left));
        }
        let files = files.into_iter().map(|(path, harnesses): (PathBuf, Vec<Reading>)| InstructionFile {
            path: path.to_string_lossy().into_owned(),
            harnesses,
        });
        let complete = complete && left.is_some();
        Ok(InstructionFiles { version: self.core.index.version(), complete, files: files.collect() })
    }

    /// Returns one group for the directory that the request names, else one per workspace folder.
    fn groups(&self, params: InstructionFilesParams) -> Result<Vec<Group>> {
        let request = Request { harness: params.harness, ..Request::default() };
        let places = {
            let session = self.core.session();
            match params.cwd.as_deref().map(parsed).transpose()? {
                Some(cwd) => vec![(session.folder_of(&cwd).unwrap_or(&cwd).to_owned(), cwd)],
                None => {
                    let of = |folder: &PathBuf| Some((folder.clone(), session.cwd_for(Some(folder))?));
                    session.folders.iter().filter_map(of).collect()
                }
            }
        };
        let mut groups = Vec::new();
        for (root, cwd) in places {
            let places = Places { cwd, target: None, read_before: Vec::new(), already_loaded: Vec::new() };
            let questions = self.core.questions(&request, &places)?;
            let questions = questions.into_iter().map(|(choice, at)| AgentQuestion::new(choice, at)).collect();
            groups.push(Group { root: self.core.files.real(&root), questions });
        }
        Ok(groups)
    }
}

impl Core {
    /// Adds what the agents of a group do with the files found there, and with files that they read elsewhere. `left` is the
    /// effort that is left; once there is none, it stops.
    fn read_by(
        &self,
        group: &Group,
        mut found: BTreeSet<PathBuf>,
        (files, left): (&mut BTreeMap<PathBuf, Vec<Reading>>, &mut Option<usize>),
    ) {
        let mut sessions = Vec::new();
        for question in &group.questions {
            let session = self.answer_reading(question.clone(), Keep::Answer);
            let there = |fate| !matches!(fate, Fate::Missing | Fate::Pending);
            let sources = session.answer.sources.iter().filter(|source| there(source.fate));
            found.extend(sources.filter_map(|source| source.path()).map(Path::to_owned));
            *left = left.and_then(|left| left.checked_sub(session.effort));
            sessions.push((question, session));
        }
        let mut beside: BTreeMap<PathBuf, Option<PathBuf>> = BTreeMap::new();
        let mut known: Option<(PathBuf, Vec<Arc<Resolution>>)> = None;
        for file in found {
            let base = base_of(&file, &group.root);
            let target = base
                .map(|base| beside.entry(base.to_owned()).or_insert_with(|| self.file_below(base)).clone())
                .and_then(|target| target.or_else(|| Some(file.clone())));
            // Files of one directory are adjacent, so the last answers can be reused.
            if known.as_ref().is_none_or(|(asked, _)| Some(asked) != target.as_ref()) {
                known = target.map(|target| {
                    let ask = |(question, _): &(&AgentQuestion, _)| {
                        let standpoint = Standpoint { target: Some(target.clone()), ..(*question.standpoint).clone() };
                        let question = AgentQuestion::new(question.choice.clone(), standpoint);
                        self.answer_reading(question, Keep::FactsOnly)
                    };
                    let answers: Vec<Arc<Resolution>> = sessions.iter().map(ask).collect();
                    let effort = answers.iter().map(|answer| answer.effort).sum();
                    *left = left.and_then(|left| left.checked_sub(effort));
                    (target.clone(), answers)
                });
            }
            if left.is_none() {
                return;
            }
            let readings = sessions.iter().enumerate().map(|(at, (_, session))| {
                let beside = known.as_ref().filter(|_| base.is_some()).map(|(_, answers)| &*answers[at]);
                reading(&file, session, beside)
            });
            files.entry(file.clone()).or_default().extend(readings.collect::<Vec<_>>());
        }
    }

    /// Returns some file in `dir` or below it that is not an instruction file.
    pub(crate) fn file_below(&self, dir: &Path) -> Option<PathBuf> {
        let mut queue = VecDeque::from([dir.to_owned()]);
        for _ in 0..SEARCHED {
            wanted::end_if_unwanted();
            let dir = queue.pop_front()?;
            let mut entries = self.files.list(&dir).unwrap_or_default();
            entries.sort_by(|one, other| one.name.cmp(&other.name));
            for entry in entries {
                let path = dir.join(&entry.name);
                let hidden = entry.name.as_encoded_bytes().starts_with(b".");
                match entry.kind {
                    FileType::File if !hidden && !INSTRUCTION_FILES.matches(&path) => return Some(path),
                    FileType::Dir if !hidden && !scan::is_heavy(&entry.name) => queue.push_back(path),
                    _ => {}
                }
            }
        }
        None
    }
}

/// Returns the directory whose files an instruction file below `root` applies to: its own directory, or the parent of
/// the settings directory that it is in, such as `.claude`.
fn base_of<'a>(file: &'a Path, root: &Path) -> Option<&'a Path> {
    let inside = file.strip_prefix(root).ok()?;
    let hidden = |name: &OsStr| name.as_encoded_bytes().starts_with(b".");
    let depth = inside.iter().position(hidden).unwrap_or(inside.iter().count() - 1);
    file.ancestors().nth(inside.iter().count() - depth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_a_directory_of_settings_belongs_to_the_directory_that_holds_it() {
        for (file, base) in [
            ("/r/AGENTS.md", Some("/r")),
            ("/r/a/AGENTS.md", Some("/r/a")),
            ("/r/a/.claude/rules/x.md", Some("/r/a")),
            ("/r/.cursor/rules/a/b.mdc", Some("/r")),
            ("/h/.codex/AGENTS.md", None),
        ] {
            assert_eq!(base_of(Path::new(file), Path::new("/r")), base.map(Path::new), "{file}");
        }
    }
}
