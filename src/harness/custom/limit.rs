//! Limits: how much of a text is kept, and the text in place of the rest.

use std::borrow::Cow;
use std::ops::Range;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use super::choices::{Characters, Keep};
use super::template::MarkerTemplate;
use super::values::{Amount, Ratio, Word};
use crate::answer::Unit;
use crate::text;

/// A limit and the way in which a text is cut. Its head and tail together are at most the whole limit.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "RawLimit")]
pub(super) struct Limit {
    pub max: Amount,
    pub unit: Unit,
    pub head: Ratio,
    pub tail: Ratio,
    pub marker: MarkerTemplate,
    pub marker_counts: bool,
    pub characters: Characters,
    pub keep: Keep,
}

/// A limit and the way in which a text is cut.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Limit")]
pub(super) struct RawLimit {
    /// Maximum length.
    max: Amount,
    /// Unit of the limit. A token is counted as four bytes.
    #[serde(default = "bytes")]
    unit: Word<Unit>,
    /// Share of the limit that is kept of a text's beginning.
    #[serde(default = "whole")]
    head: Ratio,
    /// Share of the limit that is kept of a text's end.
    #[serde(default)]
    tail: Ratio,
    /// Template for the text in place of what is cut out.
    #[serde(default)]
    marker: MarkerTemplate,
    /// If true, the marker counts towards the limit.
    #[serde(default)]
    marker_counts: bool,
    /// Treatment of a character that a limit in bytes splits.
    #[serde(default)]
    characters: Characters,
    /// For a total: the files that are cut last.
    #[serde(default)]
    keep: Keep,
}

impl JsonSchema for Limit {
    fn schema_name() -> Cow<'static, str> {
        RawLimit::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        RawLimit::json_schema(generator)
    }
}

impl TryFrom<RawLimit> for Limit {
    type Error = String;

    fn try_from(raw: RawLimit) -> Result<Limit, String> {
        let RawLimit { max, unit, head, tail, marker, marker_counts, characters, keep } = raw;
        let sum = head.0 + tail.0;
        // 0.7 + 0.3 is a little more than 1 in binary.
        if sum > 1.0 + 1e-9 {
            return Err(format!("head {} and tail {} together are more than 1", head.0, tail.0));
        }
        Ok(Limit { max, unit: unit.0, head, tail, marker, marker_counts, characters, keep })
    }
}

/// Bytes that count as one token. All of Briefing uses this estimate, and shows it with "≈".
pub(super) const BYTES_PER_TOKEN: usize = 4;

/// Result of cutting a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// Text to send.
    pub text: String,
    /// Ranges of the original that are in it, in bytes.
    pub kept: Vec<Range<usize>>,
    /// Amount charged to a total, in the unit of the limit.
    pub charge: usize,
}

/// Returns the length of a text in a unit.
pub(super) fn measure(text: &str, unit: Unit) -> usize {
    match unit {
        Unit::Bytes => text.len(),
        Unit::Utf16 => text::utf16_len(text),
        Unit::Lines => text.lines().count(),
        Unit::Tokens => text.len().div_ceil(BYTES_PER_TOKEN),
    }
}

/// Cuts `text` to `max` as `limit` describes; `None` if it fits. `marker` formats the text in place of the rest, from
/// the lengths of head, tail and whole.
pub(super) fn cut(
    text: &str,
    max: usize,
    limit: &Limit,
    marker: &dyn Fn(usize, usize, usize) -> String,
) -> Option<Cut> {
    let total = measure(text, limit.unit);
    if total <= max {
        return None;
    }
    let share = |of: usize| (portion(of, limit.head.0), portion(of, limit.tail.0));
    let (mut head, mut tail) = share(max);
    if limit.marker_counts {
        // The marker contains the lengths, and its own length affects them: two rounds settle all but the last digit, a
        // third settles that.
        for _ in 0..3 {
            let room = max.saturating_sub(measure(&marker(head, tail, total), limit.unit));
            (head, tail) = share(room);
        }
    }
    let end = prefix(text, head, limit.unit);
    let start = suffix(text, tail, limit.unit).max(end);
    let mut out = text[..end].to_owned();
    out.push_str(&marker(head, tail, total));
    out.push_str(&text[start..]);
    let charge = measure(&out, limit.unit);
    Some(Cut { text: out, kept: ranges(end, start, text.len()), charge })
}

/// Cuts the bytes before they are decoded: a split character becomes U+FFFD, and bytes of the file are charged. Only if
/// [`cuts_bytes`] is true.
pub(super) fn cut_bytes(
    raw: &[u8],
    max: usize,
    limit: &Limit,
    marker: &dyn Fn(usize, usize, usize) -> String,
) -> Option<Cut> {
    if raw.len() <= max {
        return None;
    }
    let (head, tail) = (portion(max, limit.head.0), portion(max, limit.tail.0));
    let start = raw.len() - tail.min(raw.len() - head);
    let text = format!("{}{}{}", text::lossy(&raw[..head]), marker(head, tail, raw.len()), text::lossy(&raw[start..]));
    Some(Cut { text, kept: ranges(head, start, raw.len()), charge: head + tail })
}

/// Returns true if the limit may split characters.
pub(super) fn cuts_bytes(limit: &Limit) -> bool {
    limit.unit == Unit::Bytes && limit.characters == Characters::Replaced
}

/// Returns a share of a limit as JavaScript and C compute it: the IEEE product, rounded down.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a ratio is within 0 and 1, and no text is 2^53 long"
)]
fn portion(of: usize, ratio: f64) -> usize {
    (of as f64 * ratio).floor() as usize
}

fn ranges(end: usize, start: usize, len: usize) -> Vec<Range<usize>> {
    [0..end, start..len].into_iter().filter(|range| !range.is_empty()).collect()
}

/// Returns the end of the first `units` of `text`. A character that does not fit completely is excluded.
fn prefix(text: &str, units: usize, unit: Unit) -> usize {
    match unit {
        Unit::Bytes => text.floor_char_boundary(units),
        Unit::Tokens => text.floor_char_boundary(units.saturating_mul(BYTES_PER_TOKEN)),
        Unit::Lines => text.split_inclusive('\n').take(units).map(str::len).sum(),
        Unit::Utf16 => {
            let mut used = 0;
            text.char_indices()
                .find(|(_, c)| {
                    used += c.len_utf16();
                    used > units
                })
                .map_or(text.len(), |(at, _)| at)
        }
    }
}

/// Returns the start of the last `units` of `text`.
fn suffix(text: &str, units: usize, unit: Unit) -> usize {
    match unit {
        Unit::Bytes => text.ceil_char_boundary(text.len().saturating_sub(units)),
        Unit::Tokens => text.ceil_char_boundary(text.len().saturating_sub(units.saturating_mul(BYTES_PER_TOKEN))),
        Unit::Lines => {
            let skipped = text.lines().count().saturating_sub(units);
            text.split_inclusive('\n').take(skipped).map(str::len).sum()
        }
        Unit::Utf16 => {
            let mut used = 0;
            text.char_indices()
                .rev()
                .take_while(|(_, c)| {
                    used += c.len_utf16();
                    used <= units
                })
                .last()
                .map_or(text.len(), |(at, _)| at)
        }
    }
}

fn bytes() -> Word<Unit> {
    Word(Unit::Bytes)
}

fn whole() -> Ratio {
    Ratio(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::custom::choices::Keep;
    use crate::harness::custom::template::MarkerTemplate;
    use crate::harness::custom::values::{Amount, Ratio};

    fn limit(unit: Unit, head: f64, tail: f64, marker_counts: bool) -> Limit {
        Limit {
            max: Amount(0),
            unit,
            head: Ratio(head),
            tail: Ratio(tail),
            marker: MarkerTemplate::default(),
            marker_counts,
            characters: Characters::Whole,
            keep: Keep::First,
        }
    }

    #[test]
    fn cuts_keep_head_and_tail_in_every_unit() {
        for (text, max, unit, head, tail, out) in [
            ("0123456789", 4, Unit::Bytes, 1.0, 0.0, "0123|"),
            ("0123456789", 4, Unit::Bytes, 0.5, 0.5, "01|89"),
            ("0123456789", 10, Unit::Bytes, 0.5, 0.5, "whole"),
            ("aé😀b", 3, Unit::Bytes, 1.0, 0.0, "aé|"),
            ("aé😀b", 2, Unit::Bytes, 1.0, 0.0, "a|"),
            ("😀😀😀", 3, Unit::Utf16, 1.0, 0.0, "😀|"),
            ("a😀😀b", 4, Unit::Utf16, 0.5, 0.5, "a|b"),
            ("1\n2\n3\n4\n", 2, Unit::Lines, 0.5, 0.5, "1\n|4\n"),
            ("1\n2\n3\n4", 3, Unit::Lines, 0.0, 1.0, "|2\n3\n4"),
            ("0123456789", 1, Unit::Tokens, 1.0, 0.0, "0123|"),
            ("01234567", 2, Unit::Tokens, 1.0, 0.0, "whole"),
        ] {
            let cut = cut(text, max, &limit(unit, head, tail, false), &|_, _, _| "|".to_owned());
            assert_eq!(cut.map_or("whole".to_owned(), |cut| cut.text), out, "{text} {max} {unit}");
        }
    }

    #[test]
    fn a_marker_that_counts_fits_into_the_limit() {
        let marker = |head: usize, tail: usize, total: usize| format!("[{head}+{tail} of {total}]");
        let text = "x".repeat(200);
        let cut = cut(&text, 100, &limit(Unit::Bytes, 0.5, 0.5, true), &marker).expect("it is too long");
        assert_eq!(cut.text, format!("{}[43+43 of 200]{}", "x".repeat(43), "x".repeat(43)));
        assert_eq!((cut.text.len(), cut.kept), (100, vec![0..43, 157..200]));
    }

    #[test]
    fn bytes_cut_before_decoding_may_cut_through_a_character() {
        let limit = Limit { characters: Characters::Replaced, ..limit(Unit::Bytes, 1.0, 0.0, false) };
        let cut = cut_bytes("a😀".as_bytes(), 3, &limit, &|_, _, _| String::new()).expect("it is too long");
        assert_eq!((cut.text.as_str(), cut.charge), ("a\u{fffd}", 3));
    }
}
