//! Plans one AGENTS.md for all agents, and minimal bridges for those that do not read it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Changes, Planning, blocks, words};
use crate::disk::Filesystem;
use crate::engine::below::below;
use crate::engine::inspect::whose;
use crate::report::change::texts;
use crate::report::expect::paragraphs;
use crate::snapshot::FileType;

/// A file through which an agent that does not read AGENTS.md loads it.
struct Bridge {
    name: &'static str,
    /// Text that imports an AGENTS.md beside it.
    import: &'static str,
}

static BRIDGES: &[Bridge] = &[
    Bridge { name: "CLAUDE.md", import: "@AGENTS.md\n" },
    Bridge { name: "GEMINI.md", import: "@./AGENTS.md\n" },
    Bridge { name: "QWEN.md", import: "@./AGENTS.md\n" },
];

/// Settings that name AGENTS.md: the file, and the line.
const SETTINGS: [(&str, &str); 1] = [(".aider.conf.yml", "read: AGENTS.md\n")];

impl Planning {
    /// Plans one AGENTS.md in the root, and one in each directory below it with instructions of its own. A file that
    /// only repeats it is deleted or imports it, whichever loses less in the root; a file that says more keeps the
    /// difference. Agents with neither get a setting.
    pub(super) async fn one_truth(&self) -> Result<(Changes, Vec<String>), String> {
        let (mut files, mut notes) = (Changes::new(), Vec::new());
        let truth = self
            .truth(&self.root, &mut files, &mut notes)
            .ok_or("there is neither AGENTS.md nor CLAUDE.md, GEMINI.md or QWEN.md here")?;
        let mut importing = Vec::new();
        for bridge in BRIDGES {
            let path = self.root.join(bridge.name);
            if let Some(note) = self.is_linked(&path) {
                notes.push(note);
                importing.push(bridge);
                continue;
            }
            let mut best: Option<(usize, bool)> = None;
            for imports in [false, true] {
                let mut tried = files.clone();
                tried.insert(path.clone(), self.bridged(bridge, &path, &truth, imports));
                let lacks = self.lacks(&tried, &truth).await?;
                if best.is_none_or(|(least, _)| lacks < least) {
                    best = Some((lacks, imports));
                }
            }
            let imports = best.is_some_and(|(_, imports)| imports);
            importing.extend(imports.then_some(bridge));
            self.bridge(bridge, &path, &truth, imports, &mut files, &mut notes);
        }
        for dir in self.nested().await? {
            let Some(truth) = self.truth(&dir, &mut files, &mut notes) else { continue };
            for bridge in BRIDGES {
                let path = dir.join(bridge.name);
                if self.is_linked(&path).is_none() {
                    let imports = importing.iter().any(|one| one.name == bridge.name);
                    self.bridge(bridge, &path, &truth, imports, &mut files, &mut notes);
                }
            }
        }
        for (name, setting) in SETTINGS {
            let path = self.root.join(name);
            let was = self.read(&path);
            let is_set =
                |text: &String| text.lines().any(|line| line.starts_with(setting.split(' ').next().unwrap_or(setting)));
            if self.is_link(&path) || was.as_ref().is_some_and(is_set) {
                continue;
            }
            let lines = was.as_ref().map_or_else(String::new, |text| format!("{}\n", text.trim_end()));
            let mut tried = files.clone();
            tried.insert(path.clone(), Some(lines + setting));
            if self.lacks(&tried, &truth).await? < self.lacks(&files, &truth).await? {
                notes.push(format!("{name} names AGENTS.md"));
                files = tried;
            }
        }
        Ok((files, notes))
    }

    /// Returns a note if a bridge is a link, or the file that the AGENTS.md beside it leads to.
    fn is_linked(&self, path: &Path) -> Option<String> {
        let (name, real) = (self.inside(path), |path: &Path| self.now.files.real(path));
        match self.is_link(path) {
            true => Some(format!("{name} is a link, and stays one")),
            false => {
                let truth = path.with_file_name("AGENTS.md");
                let leads_here = self.is_link(&truth) && real(&truth) == real(path);
                leads_here.then(|| format!("{name} is what AGENTS.md leads to, and stays"))
            }
        }
    }

    fn is_link(&self, path: &Path) -> bool {
        self.now.files.lstat(path).is_ok_and(|meta| meta.kind == FileType::Link)
    }

    /// Returns the planned text of a directory's AGENTS.md: its own text, or the largest of the other files.
    fn truth(&self, dir: &Path, files: &mut Changes, notes: &mut Vec<String>) -> Option<String> {
        let agents_md = dir.join("AGENTS.md");
        if let Some(truth) = self.read(&agents_md) {
            return Some(truth);
        }
        let others = BRIDGES.iter().map(|bridge| dir.join(bridge.name)).filter(|path| !self.is_link(path));
        let (text, path) =
            others.filter_map(|path| Some((self.read(&path)?, path))).max_by_key(|(text, _)| text.len())?;
        notes.push(format!("{} takes over what {} says", self.inside(&agents_md), self.inside(&path)));
        files.insert(agents_md, Some(text.clone()));
        Some(text)
    }

    /// Returns the directories below the root that contain the project's own instruction files.
    async fn nested(&self) -> Result<BTreeSet<PathBuf>, String> {
        let answers = self.answers(&self.now).await?;
        let found = below(&self.now, &self.root, &answers, None).instructions.into_iter();
        let is_named = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name == "AGENTS.md" || BRIDGES.iter().any(|bridge| bridge.name == name)
        };
        let is_own = |path: &PathBuf| {
            let relative = path.strip_prefix(&self.root).unwrap_or(path);
            let is_hidden = relative.iter().any(|part| part.to_string_lossy().starts_with('.'));
            !is_hidden && whose(&self.now, &self.root, path).is_none()
        };
        let dirs = found.filter(is_named).filter(is_own).filter_map(|path| path.parent().map(Path::to_owned));
        Ok(dirs.filter(|dir| *dir != self.root).collect())
    }

    /// Returns the planned text of a file beside an AGENTS.md: what only this file says, and the import if `imports` is
    /// set.
    fn bridged(&self, bridge: &Bridge, path: &Path, truth: &str, imports: bool) -> Option<String> {
        let own = self.read(path).map(|text| own_blocks(&text, truth)).filter(|own| !own.trim().is_empty());
        match (imports, own) {
            (false, own) => own,
            (true, None) => Some(bridge.import.to_owned()),
            (true, Some(own)) => Some(format!("{}\n{own}", bridge.import)),
        }
    }

    fn bridge(
        &self,
        bridge: &Bridge,
        path: &Path,
        truth: &str,
        imports: bool,
        files: &mut Changes,
        notes: &mut Vec<String>,
    ) {
        let text = self.bridged(bridge, path, truth, imports);
        let name = self.inside(path);
        match &text {
            Some(_) if imports => notes.push(format!("{name} imports AGENTS.md")),
            Some(_) => notes.push(format!("{name} keeps what AGENTS.md does not say")),
            None if self.read(path).is_some() => {
                notes.push(format!("{name} goes: whoever reads it reads AGENTS.md where it is not there"));
            }
            None => {}
        }
        files.insert(path.to_owned(), text);
    }

    /// Counts the sentences that agents would lose, and those of a text that would not reach them at the start.
    async fn lacks(&self, files: &Changes, truth: &str) -> Result<usize, String> {
        let proof = self.prove(files).await?;
        let plain = |one: &String| one.trim_start_matches('#').trim_start().to_owned();
        let wanted: BTreeSet<String> = crate::report::sentences::sentences(truth).iter().map(plain).collect();
        let answers = self.answers(&self.with(files)).await?;
        let not_told = answers.iter().map(|answer| wanted.difference(&texts(answer)).count());
        Ok(not_told.sum::<usize>() + proof.lost.len() + proof.later.len())
    }
}

/// Returns the blocks of a text that another text does not contain, without imports.
fn own_blocks(text: &str, truth: &str) -> String {
    let said: BTreeSet<String> = paragraphs(truth).into_iter().chain(blocks(truth).map(words)).collect();
    let is_own = |block: &&str| {
        let is_import = block.trim().starts_with('@') && !block.trim().contains(char::is_whitespace);
        !is_import
            && !said.contains(&words(block))
            && paragraphs(block).iter().any(|paragraph| !said.contains(paragraph))
    };
    blocks(text).filter(is_own).collect()
}
