//! The global file: the first in the Codex home that has text.

use std::path::{Path, PathBuf};

use super::{Codex, Decoding, Examined, endless, unreadable_cap};
use crate::answer::{Answer, Fate, Scope, Source, Text, Warning};
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Ask, FileType};

/// Rule by which the global file is chosen, for the trace.
const RULE: &str = "global: the first of override and AGENTS.md that has text";

impl Codex {
    /// Returns the text of the first global file that has any. It is not charged to the budget.
    pub(super) fn global_text(
        &self,
        codex_home: &Path,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Known<Option<Text>> {
        let paths: Vec<_> = self.names.iter().map(|name| codex_home.join(name)).collect();
        search.expect(paths.iter().cloned().map(Ask::Kind))?;
        let mut taken: Option<(Text, PathBuf)> = None;
        for path in paths {
            let Ok(meta) = search.stat(&path, RULE)? else { continue };
            let source = |fate, reason: String| Source::new(&path, Scope::User, fate, reason);
            if self.global_files == Examined::Entries && meta.kind == FileType::Fifo && taken.is_none() {
                let refusal = endless(&path);
                answer.sources.push(source(Fate::Unreadable, refusal.message.clone()));
                return Err(Halt::Refused(refusal));
            }
            if meta.kind != FileType::File {
                let reason = format!("a {}, not a file: the next name is tried", meta.kind.word());
                answer.sources.push(source(Fate::Unreadable, reason));
            } else if let Some((_, winner)) = &taken {
                let reason = format!("{} has text, and only the first global file with text is read", winner.display());
                answer.sources.push(Source { by: Some(winner.clone()), ..source(Fate::Shadowed, reason) });
            } else {
                taken = self.global_file(&path, search, answer)?.map(|text| (text, path));
            }
        }
        Ok(taken.map(|(text, _)| text))
    }

    /// Returns the text of one global file, if it has any.
    fn global_file(&self, path: &Path, search: &mut Search, answer: &mut Answer) -> Known<Option<Text>> {
        let source = |fate, reason: &str| Source::new(path, Scope::User, fate, reason);
        let raw = match search.read(path, RULE)? {
            Ok(raw) => raw,
            Err(problem) => {
                unreadable_cap(&problem, path, answer);
                let message =
                    format!("Failed to read global AGENTS.md instructions from `{}`: {problem}", path.display());
                answer.warnings.push(Warning::at("unreadable", path, message));
                answer.sources.push(source(Fate::Unreadable, &format!("{problem}: the next name is tried")));
                return Ok(None);
            }
        };
        let size = Some(raw.size());
        if self.global_text == Decoding::Strict && raw.as_text().is_none() {
            let message = format!("{} is not UTF-8, and Codex {} skips it", path.display(), self.about.name);
            answer.warnings.push(Warning::at("unreadable", path, message));
            answer.sources.push(Source { size, ..source(Fate::Unreadable, "not UTF-8: the next name is tried") });
            return Ok(None);
        }
        let decoded = raw.text();
        let trimmed = decoded.trim();
        if trimmed.is_empty() {
            answer.sources.push(Source { size, ..source(Fate::Empty, "only white space: the next name is tried") });
            return Ok(None);
        }
        let start = decoded.len() - decoded.trim_start().len();
        let kept = raw.raw_ranges(std::slice::from_ref(&(start..start + trimmed.len())));
        let loaded = source(Fate::Loaded, "the first global file with text; trimmed, outside the budget");
        answer.sources.push(Source { kept, size, message: Some(0), part: Some(0), ..loaded });
        Ok(Some(Text::of(&raw, trimmed)))
    }
}
