//! Use of each limit, and findings about files that come near to one.

use super::super::words::unit;
use super::{Finding, Kind, Subject, first_line, title};
use crate::answer::{Fate, Limit, Per, Purpose, Resolution, Source, Unit};
use crate::snapshot::Content;
use crate::text::{self, grouped};

/// Share of a limit from which on a file is near it, in percent.
pub const NEAR_PERCENT: usize = 85;

/// Use of one limit by one file and the files before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// Id of the agent that has the limit.
    pub harness: String,
    /// The limit.
    pub limit: Limit,
    /// Fate of the file.
    pub fate: Fate,
    /// Amount that the files before it use of a shared limit.
    pub before: usize,
    /// Amount that this file would use.
    pub own: usize,
    /// The byte of the file at which [`NEAR_PERCENT`] are used, if it is in this file.
    pub near: Option<usize>,
}

impl Use {
    /// Returns the amount used by the end of this file, at most the limit.
    pub fn used(&self) -> usize {
        (self.before + self.own).min(self.limit.value)
    }

    /// Returns the amount used in percent of the limit.
    pub fn percent(&self) -> usize {
        (self.used() * 100).checked_div(self.limit.value).unwrap_or(100)
    }
}

/// Use of the tightest limit of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Amount that the loaded files would use if loaded whole.
    pub used: usize,
    /// The limit.
    pub limit: usize,
    /// Unit of both amounts.
    pub unit: Unit,
}

impl Share {
    /// Returns the amount used in percent of the limit.
    pub fn percent(&self) -> usize {
        (self.used * 100).checked_div(self.limit).unwrap_or(100)
    }

    /// Returns true if text is lost to the limit.
    pub fn is_over(&self) -> bool {
        self.used > self.limit
    }
}

/// Returns the share of the most used limit, if there is a limit.
pub fn share(answer: &Resolution) -> Option<Share> {
    let limited =
        |source: &&Source| source.limit.as_ref().is_some_and(|limit| limit.value > 0) && counts_for_limit(source);
    let mut shares: Vec<(Per, Share)> = Vec::new();
    for source in answer.answer.sources.iter().filter(limited) {
        let Some(limit) = &source.limit else { continue };
        let used = whole(source, limit.unit);
        let same = |(per, share): &&mut (Per, Share)| {
            *per == Per::Chain && limit.per == Per::Chain && (share.limit, share.unit) == (limit.value, limit.unit)
        };
        match shares.iter_mut().find(same) {
            Some((_, share)) => share.used += used,
            None => shares.push((limit.per, Share { used, limit: limit.value, unit: limit.unit })),
        }
    }
    shares.into_iter().map(|(_, share)| share).max_by_key(Share::percent)
}

/// Returns true if a source counts toward its limit, or lost text to it.
pub fn counts_for_limit(source: &Source) -> bool {
    matches!(source.fate, Fate::Loaded | Fate::Truncated | Fate::Dropped)
}

/// Returns the whole size of a source in the unit of a limit, including text that the limit cuts; 0 if the file was not
/// read.
pub fn whole(source: &Source, unit: Unit) -> usize {
    let Some(size) = source.size else { return 0 };
    match unit {
        Unit::Bytes => size.bytes,
        Unit::Utf16 => size.utf16,
        Unit::Lines => size.lines,
        Unit::Tokens => size.bytes.div_ceil(4),
    }
}

/// Returns the use of each agent's limit by this file.
pub fn uses(subject: &Subject) -> Vec<Use> {
    let uses = subject.sources().filter_map(|(answer, source)| {
        let limit = source.limit.as_ref()?;
        if !counts_for_limit(source) {
            return None;
        }
        let before = if limit.per == Per::Chain { before(answer, source, limit.unit) } else { 0 };
        let own = amount(subject.raw, limit.unit);
        let mark = (limit.value * NEAR_PERCENT).div_ceil(100);
        let near =
            (before < mark && before + own >= mark && mark > 0).then(|| at(subject.raw, mark - before, limit.unit));
        Some(Use { harness: answer.harness.clone(), limit: limit.clone(), fate: source.fate, before, own, near })
    });
    uses.collect()
}

/// Returns a finding for each part of a reserved context that is overfull: the part for memory, or the rest. The
/// largest file of the part is at fault.
fn over_reserve<'a>(subject: &'a Subject) -> impl Iterator<Item = Finding> + 'a {
    subject.answers.iter().flat_map(|answer| {
        let parts = answer.answer.reserve.iter().flat_map(|reserve| {
            let rest = reserve.context - reserve.kept;
            let memory = (true, reserve.memory, reserve.kept, "keeps for memory");
            [memory, (false, reserve.instructions, rest, "leaves beside what it keeps for memory")]
        });
        parts.filter_map(|(is_memory, used, room, place)| {
            let sources =
                answer.answer.sources.iter().filter(|source| (source.purpose == Purpose::Memory) == is_memory);
            let largest = sources.filter_map(|source| Some((source.reaches()?.0, source.path()?))).max();
            (used > room && largest.is_some_and(|(_, path)| path == subject.path)).then(|| {
                let (title, used, room) = (&answer.title, grouped(used), grouped(room));
                let message = format!("{title} {place} {room} tokens; these files take ≈ {used}, this one the most");
                Finding::new(Kind::OverBudget, first_line(subject.raw), message).of(&answer.harness)
            })
        })
    })
}

/// Returns a hint for each limit that is nearly used up but not exceeded, and the findings about an overfull reserve.
pub(super) fn findings(subject: &Subject) -> Vec<Finding> {
    let mut found: Vec<Finding> = over_reserve(subject).collect();
    for usage in uses(subject) {
        let Some(near) = usage.near.filter(|_| usage.fate == Fate::Loaded && !exceeded(subject, &usage)) else {
            continue;
        };
        let limit = &usage.limit;
        let message = format!(
            "{} loads {} {}{}, and {} % of them are used",
            title(subject, Some(&usage.harness)).unwrap_or(&usage.harness),
            grouped(limit.value),
            unit(limit.unit),
            if limit.per == Per::Chain { " of all files together" } else { " of this file" },
            usage.percent(),
        );
        let end =
            subject.raw[near..].iter().position(|byte| *byte == b'\n').map_or(subject.raw.len(), |end| near + end);
        let start = subject.raw[..near].iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        let finding = Finding::new(Kind::NearBudget, start..end, message).of(&usage.harness);
        found.push(Finding { fate: Some(usage.fate), ..finding });
    }
    found
}

/// Returns true if a shared limit already cuts or skips a file; then only that is reported.
fn exceeded(subject: &Subject, usage: &Use) -> bool {
    let over = |source: &Source| {
        let limited = source.limit.as_ref().is_some_and(|limit| limit.per == usage.limit.per);
        limited && matches!(source.fate, Fate::Truncated | Fate::Dropped)
    };
    let answers = subject.answers.iter().filter(|answer| answer.harness == usage.harness);
    usage.limit.per == Per::Chain && answers.flat_map(|answer| &answer.answer.sources).any(over)
}

/// Returns the amount that the sources before `source` use of a shared limit.
fn before(answer: &Resolution, source: &Source, unit: Unit) -> usize {
    let earlier = answer.answer.sources.iter().take_while(|other| !std::ptr::eq(*other, source));
    let sharing = earlier.filter(|other| other.limit.as_ref().is_some_and(|limit| limit.per == Per::Chain));
    sharing
        .map(|other| {
            let kept: usize = other.kept.iter().map(ExactSizeIterator::len).sum();
            match (unit, other.size) {
                (Unit::Bytes, _) | (_, None) => kept,
                (Unit::Tokens, _) => kept.div_ceil(4),
                // Other units are exact for whole files, and in proportion for parts.
                (Unit::Utf16, Some(size)) => size.utf16 * kept / size.bytes.max(1),
                (Unit::Lines, Some(size)) => size.lines * kept / size.bytes.max(1),
            }
        })
        .sum()
}

fn amount(raw: &Content, unit: Unit) -> usize {
    match unit {
        Unit::Bytes => raw.len(),
        Unit::Utf16 => raw.size().utf16,
        Unit::Lines => raw.size().lines,
        Unit::Tokens => raw.len().div_ceil(4),
    }
}

/// Returns the byte offset at which `amount` of `unit` is reached.
fn at(raw: &[u8], amount: usize, unit: Unit) -> usize {
    let text = text::lossy(raw);
    let decoded = match unit {
        Unit::Bytes => return amount.min(raw.len()),
        Unit::Tokens => return (amount * 4).min(raw.len()),
        Unit::Utf16 => {
            let mut units = 0;
            let end = text.char_indices().find(|(_, c)| {
                units += c.len_utf16();
                units > amount
            });
            end.map_or(text.len(), |(at, _)| at)
        }
        Unit::Lines => text.match_indices('\n').nth(amount.saturating_sub(1)).map_or(text.len(), |(at, _)| at),
    };
    text::raw_offset(raw, decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_where_that_much_is_full_in_each_unit() {
        let raw = "a\u{1F600}b\nc\nd\n".as_bytes();
        for (unit, amount, byte) in
            [(Unit::Bytes, 3, 3), (Unit::Utf16, 3, 5), (Unit::Lines, 2, 8), (Unit::Tokens, 1, 4), (Unit::Bytes, 99, 11)]
        {
            assert_eq!(at(raw, amount, unit), byte, "{amount} {unit}");
        }
    }
}
