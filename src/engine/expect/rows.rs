//! Judges the answers, and merges those with the same outcome into one row.

use std::path::Path;
use std::sync::Arc;

use super::cases::Case;
use super::texts::Texts;
use super::{Proof, Row};
use crate::answer::{Resolution, SessionKind};
use crate::harness::{Choice, Compacts};
use crate::report::expect::{Failure, Wanted, When, judge, reaches};
use crate::report::why::Sought;

/// The answer of one agent.
pub struct Answered<'a> {
    pub choice: &'a Choice,
    pub answer: Arc<Resolution>,
}

/// Judges the answers of all agents for one case of an expectation.
pub struct Judging<'a> {
    pub proof: &'a Proof,
    pub wanted: &'a Wanted,
    pub case: &'a Case,
    pub answers: &'a [Answered<'a>],
    pub texts: &'a Texts,
}

/// A failure in words, and the index of the text that does not reach the agent.
type Failed = (String, Option<usize>);

impl Judging<'_> {
    /// Returns the failure of one of the answers, if any.
    pub fn failure(&self, Answered { choice, answer }: &Answered) -> Option<Failed> {
        if let Some(refusal) = &answer.answer.refusal {
            return Some((format!("it does not start: {}", refusal.message), None));
        }
        if let Wanted::Same = self.wanted {
            return self.difference(answer).map(|words| (words, None));
        }
        if self.proof.expectation.when == When::AfterCompaction && choice.edition().compacts() == Compacts::NotAsked {
            return Some(("what it sends again after a compaction is not known".to_owned(), None));
        }
        match judge(self.wanted, answer, self.case.reached, &|one, text| self.texts.says(one, text)).err()? {
            Failure::Missing(missing) => Some((self.why_missing(missing, answer)?, Some(missing))),
            Failure::Present(message) => {
                let from = answer.answer.sources.iter().find(|source| source.message == Some(message));
                let name = from.and_then(|source| source.path()).and_then(|path| path.file_name());
                let name = name.map_or_else(String::new, |name| format!(", from {}", name.display()));
                Some((format!("it gets the text{name}"), None))
            }
            Failure::Other(words) => Some((words, None)),
        }
    }

    /// Names a sentence that either this agent or the first one gets, but not both.
    fn difference(&self, answer: &Resolution) -> Option<String> {
        let first = &self.answers[0].answer;
        let gets = |answer: &Resolution, text: &Sought| {
            reaches(text, answer, self.case.reached, &|one, text| self.texts.says(one, text))
        };
        let differs = self.texts.sentences().iter().find(|text| gets(first, text) != gets(answer, text))?;
        let (has, lacks) = if gets(first, differs) { (&**first, answer) } else { (answer, &**first) };
        Some(format!("{} gets “{}”, {} does not", has.title, shortened(differs.text()), lacks.title))
    }

    fn why_missing(&self, missing: usize, answer: &Resolution) -> Option<String> {
        let Wanted::Present(all) = self.wanted else { return None };
        let why = self.texts.why_not(&all[missing], answer);
        let comes_with_files = self.case.creates && !self.texts.found(&all[missing]).is_empty();
        let new = if comes_with_files { "a new file brings nothing with it; " } else { "" };
        let text = if all.len() > 1 { format!("“{}”: ", shortened(all[missing].text())) } else { String::new() };
        Some(format!("{text}{new}{why}"))
    }
}

/// Returns the first 60 characters of a text.
pub fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// Rows of an expectation; those with the same outcome are merged.
#[derive(Default)]
pub struct Rows(pub Vec<Row>);

impl Rows {
    pub fn add(
        &mut self,
        root: &Path,
        from: &Path,
        session: SessionKind,
        case: &Case,
        answer: &Resolution,
        failure: Option<Failed>,
    ) {
        let from = from.strip_prefix(root).unwrap_or(from);
        let (failure, missing) = failure.map_or((None, None), |(words, missing)| (Some(words), missing));
        let version = answer.claim.running.as_ref().unwrap_or(&answer.edition);
        let same = |row: &&mut Row| {
            row.agent == answer.harness
                && row.version == *version
                && row.from == from
                && row.session == session
                && row.creates == case.creates
                && row.failure == failure
        };
        // Questions are ordered by start, so rows with the same start are at the end.
        let here = self.0.iter_mut().rev().take_while(|row| row.from == from);
        if let Some(row) = { here }.find(same) {
            row.files += case.files;
            return;
        }
        self.0.push(Row {
            agent: answer.harness.clone(),
            title: answer.title.clone(),
            version: version.clone(),
            from: from.to_owned(),
            session,
            file: case.file.clone(),
            files: case.files,
            creates: case.creates,
            failure,
            missing,
        });
    }
}
