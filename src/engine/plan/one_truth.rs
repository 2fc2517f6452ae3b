//! Plans one AGENTS.md for all agents, and minimal bridges for those that do not read it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Changes, Links, Next, Planning, blocks, size, told, words};
use crate::disk::Filesystem;
use crate::engine::below::below;
use crate::engine::inspect::whose;
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

/// Way in which a bridge leads to the AGENTS.md beside it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// There is no bridge.
    None,
    Import,
    Link,
}

/// Name of the one truth.
const TRUTH: &str = "AGENTS.md";

/// Returns true for the names of files from which a plan makes one AGENTS.md.
pub(crate) fn is_truth_or_bridge(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name == TRUTH || BRIDGES.iter().any(|bridge| bridge.name == name)
}

/// Settings that name AGENTS.md: the file, and the line.
const SETTINGS: [(&str, &str); 1] = [(".aider.conf.yml", "read: AGENTS.md\n")];

impl Planning {
    /// Plans one AGENTS.md in the root, and one in each directory below it with instructions of its own. A file that
    /// only repeats it is deleted, imports it or becomes a link to it, whichever loses least in the root; a file that
    /// says more keeps the difference. Agents with neither get a setting.
    pub(super) fn one_truth(&self, links: Links) -> Result<(Changes, Vec<String>), String> {
        let (mut files, mut notes) = (Changes::new(), Vec::new());
        let truth = self
            .truth(&self.root, &mut files, &mut notes)
            .ok_or("there is neither AGENTS.md nor CLAUDE.md, GEMINI.md or QWEN.md here")?;
        let mut ways = Vec::new();
        for bridge in BRIDGES {
            let path = self.root.join(bridge.name);
            if let Some(note) = self.is_linked(&path) {
                notes.push(note);
                ways.push(Way::Import);
                continue;
            }
            let way = self.best_way(bridge, &path, &truth, links, &files, &mut notes)?;
            ways.push(way);
            self.bridge(bridge, &path, &truth, way, &mut files, &mut notes);
        }
        for dir in self.nested()? {
            let Some(truth) = self.truth(&dir, &mut files, &mut notes) else { continue };
            for (bridge, way) in BRIDGES.iter().zip(&ways) {
                let path = dir.join(bridge.name);
                if self.is_linked(&path).is_none() {
                    self.bridge(bridge, &path, &truth, *way, &mut files, &mut notes);
                }
            }
        }
        self.name_in_settings(&truth, &mut files, &mut notes)?;
        Ok((files, notes))
    }

    /// Tries the ways of a bridge in the root. Of those that lose least, an import is taken only if no bridge does as
    /// well, and a link only if agents are told less than by an import.
    fn best_way(
        &self,
        bridge: &Bridge,
        path: &Path,
        truth: &str,
        links: Links,
        files: &Changes,
        notes: &mut Vec<String>,
    ) -> Result<Way, String> {
        let mut best: Option<(Cost, Way)> = None;
        for way in [Way::None, Way::Import, Way::Link] {
            let text = self.bridged(bridge, path, truth, way);
            if way == Way::Link && (links == Links::Never || !matches!(text, Some(Next::Link(_)))) {
                continue;
            }
            let mut tried = files.clone();
            tried.insert(path.to_owned(), text);
            let cost = self.cost(&tried, truth)?;
            let is_better = best.as_ref().is_none_or(|(least, before)| match (before, way) {
                (Way::Import, Way::Link) => cost < *least,
                _ => cost.lacks < least.lacks,
            });
            if let (true, Some((least, Way::Import)), Way::Link) = (is_better, &best, way) {
                let saved = least.bytes.saturating_sub(cost.bytes);
                notes.push(format!("a link instead of an import saves {saved} B at the start; Windows makes links only with core.symlinks"));
            }
            if is_better {
                best = Some((cost, way));
            }
        }
        Ok(best.map_or(Way::None, |(_, way)| way))
    }

    /// Names AGENTS.md in the settings of agents that read it in no other way.
    fn name_in_settings(&self, truth: &str, files: &mut Changes, notes: &mut Vec<String>) -> Result<(), String> {
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
            tried.insert(path.clone(), Some(Next::Text(lines + setting)));
            if self.cost(&tried, truth)?.lacks < self.cost(files, truth)?.lacks {
                notes.push(format!("{name} names AGENTS.md"));
                *files = tried;
            }
        }
        Ok(())
    }

    /// Returns a note if a bridge is a link, or the file that the AGENTS.md beside it leads to.
    fn is_linked(&self, path: &Path) -> Option<String> {
        let (name, real) = (self.inside(path), |path: &Path| self.now.files.real(path));
        match self.is_link(path) {
            true => Some(format!("{name} is a link, and stays one")),
            false => {
                let truth = path.with_file_name(TRUTH);
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
        let agents_md = dir.join(TRUTH);
        if let Some(truth) = self.read(&agents_md) {
            return Some(truth);
        }
        let others = BRIDGES.iter().map(|bridge| dir.join(bridge.name)).filter(|path| !self.is_link(path));
        let (text, path) =
            others.filter_map(|path| Some((self.read(&path)?, path))).max_by_key(|(text, _)| text.len())?;
        notes.push(format!("{} takes over what {} says", self.inside(&agents_md), self.inside(&path)));
        files.insert(agents_md, Some(Next::Text(text.clone())));
        Some(text)
    }

    /// Returns the directories below the root that contain the project's own instruction files.
    fn nested(&self) -> Result<BTreeSet<PathBuf>, String> {
        let answers = self.answers(&self.now)?;
        let found = below(&self.now, &self.root, &answers).instructions.into_iter();
        let is_named = |path: &PathBuf| is_truth_or_bridge(path);
        let is_own = |path: &PathBuf| {
            let relative = path.strip_prefix(&self.root).unwrap_or(path);
            let is_hidden = relative.iter().any(|part| part.to_string_lossy().starts_with('.'));
            !is_hidden && whose(&self.now, &self.root, path).is_none()
        };
        let dirs = found.filter(is_named).filter(is_own).filter_map(|path| path.parent().map(Path::to_owned));
        Ok(dirs.filter(|dir| *dir != self.root).collect())
    }

    /// Returns the planned state of a file beside an AGENTS.md. What only this file says stays; a link could not say it,
    /// so it is imported then.
    fn bridged(&self, bridge: &Bridge, path: &Path, truth: &str, way: Way) -> Option<Next> {
        let own = self.read(path).map(|text| own_blocks(&text, truth)).filter(|own| !own.trim().is_empty());
        match (way, own) {
            (Way::None, own) => own.map(Next::Text),
            (Way::Link, None) => Some(Next::Link(TRUTH)),
            (Way::Import, None) => Some(Next::Text(bridge.import.to_owned())),
            (Way::Import | Way::Link, Some(own)) => Some(Next::Text(format!("{}\n{own}", bridge.import))),
        }
    }

    fn bridge(
        &self,
        bridge: &Bridge,
        path: &Path,
        truth: &str,
        way: Way,
        files: &mut Changes,
        notes: &mut Vec<String>,
    ) {
        let next = self.bridged(bridge, path, truth, way);
        let name = self.inside(path);
        match &next {
            Some(Next::Link(_)) => notes.push(format!("{name} is a link to AGENTS.md")),
            Some(_) if way != Way::None => notes.push(format!("{name} imports AGENTS.md")),
            Some(_) => notes.push(format!("{name} keeps what AGENTS.md does not say")),
            None if self.read(path).is_some() => {
                notes.push(format!("{name} goes: whoever reads it reads AGENTS.md where it is not there"));
            }
            None => {}
        }
        files.insert(path.to_owned(), next);
    }

    fn cost(&self, files: &Changes, truth: &str) -> Result<Cost, String> {
        let proof = self.prove(files)?;
        let plain = |one: &String| one.trim_start_matches('#').trim_start().to_owned();
        let wanted: BTreeSet<String> = crate::report::sentences::sentences(truth).iter().map(plain).collect();
        let then = self.with(files);
        let answers = self.answers(&then)?;
        let not_told = answers.iter().map(|answer| wanted.difference(&told(&then, answer)).count());
        let lacks = not_told.sum::<usize>() + proof.lost.len() + proof.later.len();
        Ok(Cost { lacks, bytes: answers.iter().map(|answer| size(answer).bytes).sum() })
    }
}

/// Cost of a plan: first what agents lack, then the bytes that they are told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    /// Number of sentences that agents would lose, and of those that would not reach them at the start.
    lacks: usize,
    /// Bytes of the instructions of all agents at the start.
    bytes: usize,
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
