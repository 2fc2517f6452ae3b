//! Summary of the instructions that each agent loads before it reads a source file: a sentence, and a line per agent.

use std::sync::Arc;

use super::super::words::{Paths, count, list};
use super::grouped_by_words;
use crate::answer::{Fate, Resolution, Source};
use crate::report::briefing::totals;
use crate::report::escape::inert;
use crate::report::paths::short;
use crate::text::grouped;

/// Maximum number of agents that the sentence names; more are counted.
const NAMED: usize = 4;

/// Describes the instruction files that each agent loads for a source file; `None` if there is nothing to list.
pub fn chain(answers: &[Arc<Resolution>]) -> Option<String> {
    let (mut told, mut silent, mut lines) = (Vec::new(), Vec::new(), Vec::new());
    for answer in answers {
        let name = format!("{} {}", answer.title, answer.edition);
        if let Some(refusal) = &answer.answer.refusal {
            lines.push((name, format!("does not start: {}", inert(&Paths::of(answer).text(&refusal.message)))));
            continue;
        }
        let reaching = |source: &&Source| source.fate.reaches();
        let files: Vec<String> =
            answer.answer.sources.iter().filter(reaching).map(|source| link(source, answer)).collect();
        if files.is_empty() {
            silent.push(&*answer.title);
            continue;
        }
        let lost = answer.answer.sources.iter().filter(|source| source.fate == Fate::Dropped && source.limit.is_some());
        let lost = match lost.count() {
            0 => String::new(),
            count => format!(" ({count} more skipped)"),
        };
        let totals = totals(&answer.answer);
        told.push((&*answer.title, files.len(), totals.tokens.value));
        lines.push((name, format!("{}{lost}, {} B", files.join(" → "), grouped(totals.bytes))));
    }
    if lines.is_empty() {
        return None;
    }
    Some(format!("{}\n\n{}", sentence(&told, &silent), grouped_by_words(lines)))
}

/// `Before it reads this file, Codex is told 2 files (≈ 8 226 tokens); OpenCode nothing.`
fn sentence(told: &[(&str, usize, usize)], silent: &[&str]) -> String {
    let nothing = match silent {
        [] => String::new(),
        few if few.len() <= NAMED => format!("; {} nothing", list(few)),
        many => format!("; {} others nothing", many.len()),
    };
    let who: Vec<String> = match told {
        [] => vec!["No agent that starts is told anything".to_owned()],
        few if few.len() <= NAMED => few
            .iter()
            .enumerate()
            .map(|(at, (title, files, tokens))| {
                let verb = if at == 0 { " is told" } else { "" };
                format!("{title}{verb} {} (≈ {} tokens)", count(*files, "file"), grouped(*tokens))
            })
            .collect(),
        many => vec![format!("{} agents are told something", many.len())],
    };
    let before = if told.is_empty() { "" } else { "Before this file is read, " };
    format!("{before}{}{nothing}.", list(&who))
}

fn link(source: &Source, answer: &Resolution) -> String {
    let name = source.path().map_or_else(|| source.place.to_string(), |path| short(path, &answer.standpoint));
    let cut = if source.fate == Fate::Truncated { " ✂" } else { "" };
    format!("{}{cut}", inert(&name))
}
