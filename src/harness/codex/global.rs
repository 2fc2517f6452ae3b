//! The global file: the first in the Codex home that has text.

use std::path::{Path, PathBuf};

use super::{Codex, Decoding, Examined, unreadable_cap};
use crate::answer::{Answer, Fate, Refusal, Scope, Source, Text, Warning};
use crate::search::{Search, Told};
use crate::snapshot::{Ask, Kind};

impl Codex {
    /// The first global file with text in it. It is not charged to the budget.
    pub(super) fn global_text(
        &self,
        codex_home: &Path,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Told<Option<Text>> {
        let paths: Vec<_> = self.names.iter().map(|name| codex_home.join(name)).collect();
        search.expect(paths.iter().cloned().map(Ask::Kind))?;
        let mut taken: Option<(Text, PathBuf)> = None;
        for path in paths {
            let rule = "global: the first of override and AGENTS.md that has text";
            let Ok(meta) = search.stat(&path, rule)? else { continue };
            if self.global_files == Examined::Entries && meta.kind == Kind::Fifo && taken.is_none() {
                let refusal = endless(&path);
                answer.sources.push(Source::new(path, Scope::User, Fate::Unreadable, refusal.message.clone()));
                answer.refusal = Some(refusal);
                return Ok(None);
            }
            if meta.kind != Kind::File {
                answer.sources.push(Source::new(
                    path,
                    Scope::User,
                    Fate::Unreadable,
                    format!("a {}, not a file: the next name is tried", meta.kind.word()),
                ));
                continue;
            }
            if let Some((_, winner)) = &taken {
                let reason = format!("{} has text, and only the first global file with text is read", winner.display());
                answer.sources.push(Source {
                    by: Some(winner.clone()),
                    ..Source::new(path, Scope::User, Fate::Shadowed, reason)
                });
                continue;
            }
            let raw = match search.read(&path, rule)? {
                Ok(raw) => raw,
                Err(problem) => {
                    unreadable_cap(&problem, &path, answer);
                    answer.warnings.push(Warning::at(
                        "unreadable",
                        &path,
                        format!("Failed to read global AGENTS.md instructions from `{}`: {problem}", path.display()),
                    ));
                    answer.sources.push(Source::new(
                        path,
                        Scope::User,
                        Fate::Unreadable,
                        format!("{problem}: the next name is tried"),
                    ));
                    continue;
                }
            };
            if self.global_text == Decoding::Strict && raw.as_text().is_none() {
                answer.warnings.push(Warning::at(
                    "unreadable",
                    &path,
                    format!("{} is not UTF-8, and Codex {} skips it", path.display(), self.about.name),
                ));
                let reason = "not UTF-8: the next name is tried";
                let size = Some(raw.size());
                answer.sources.push(Source { size, ..Source::new(path, Scope::User, Fate::Unreadable, reason) });
                continue;
            }
            let decoded = raw.text();
            let trimmed = decoded.trim();
            let size = Some(raw.size());
            if trimmed.is_empty() {
                answer.sources.push(Source {
                    size,
                    ..Source::new(path, Scope::User, Fate::Empty, "only white space: the next name is tried")
                });
                continue;
            }
            let start = decoded.len() - decoded.trim_start().len();
            let kept = raw.raw_ranges(std::slice::from_ref(&(start..start + trimmed.len())));
            answer.sources.push(Source {
                kept,
                size,
                message: Some(0),
                part: Some(0),
                ..Source::new(
                    &path,
                    Scope::User,
                    Fate::Loaded,
                    "the first global file with text; trimmed, outside the budget",
                )
            });
            taken = Some((Text::of(&raw, trimmed), path));
        }
        Ok(taken.map(|(text, _)| text))
    }
}

/// What a client does that opens a FIFO.
pub(super) fn endless(path: &Path) -> Refusal {
    Refusal::new(path, "a FIFO: Codex waits until somebody writes into it")
}
