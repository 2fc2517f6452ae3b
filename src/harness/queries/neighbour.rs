//! Some file that stands beside an instruction file: one of those for which an agent that is at work there would read it.

use std::collections::VecDeque;
use std::path::Path;

use crate::answer::{Answer, Resolution, Scope, Source, Standpoint};
use crate::harness::names::INSTRUCTION_FILES;
use crate::harness::{About, Choice, Edition, Profile};
use crate::search::{Known, Search};
use crate::snapshot::{Environment, FileType};
use crate::text::Size;

/// How many directories are looked through.
const SEARCHED: usize = 16;

/// The question which file stands in `dir`, or below it.
pub fn question(dir: &Path) -> (Choice, Standpoint) {
    (Choice::named(&LOOK, &Look), Standpoint::plain(dir, dir, Environment::default()))
}

/// The file.
pub fn of(answer: &Resolution) -> Option<&Path> {
    answer.answer.sources.first()?.path()
}

/// Not in the list of harnesses.
static LOOK: Profile = Profile::lookup("briefing.neighbour", "a file beside an instruction file", &[&Look]);

struct Look;

impl Edition for Look {
    fn about(&self) -> &About {
        &About::LOOKUP
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let mut answer = Answer::default();
        let mut queue = VecDeque::from([at.cwd.clone()]);
        for _ in 0..SEARCHED {
            let Some(dir) = queue.pop_front() else { break };
            let Ok(entries) = search.list(&dir, "some file that an agent may read there")? else { continue };
            let mut entries: Vec<_> = entries.iter().collect();
            entries.sort_by(|one, other| one.name.cmp(&other.name));
            for entry in entries.into_iter().filter(|entry| !entry.name.as_encoded_bytes().starts_with(b".")) {
                let path = dir.join(&entry.name);
                match entry.kind {
                    FileType::File if !INSTRUCTION_FILES.matches(&path) => {
                        answer.sources.push(Source::whole(path, Scope::Project, Size::default(), "the first"));
                        return Ok(answer);
                    }
                    FileType::Dir if entry.name != "node_modules" => queue.push_back(path),
                    _ => {}
                }
            }
        }
        Ok(answer)
    }
}
