//! The list of skills and commands has a budget for their descriptions.
//!
//! Observed: the list, with the client's own entries, is measured in terminal columns. If it is too wide, all names and
//! the descriptions of most of the client's own skills stay; the rest of the budget goes to the other descriptions,
//! most used first and otherwise in the order of the list. A description that does not fit is left out, and the next
//! one is tried.

use unicode_width::UnicodeWidthStr;

use crate::text::utf16_len;

/// Maximum length of a description in the list, in UTF-16 units, including the ellipsis (Claude Code 2.1.329).
pub(super) const DESCRIPTION_UTF16: usize = 1536;

/// Fraction of a model's context window that the list may take (Claude Code 2.1.329, `skillListingBudgetFraction`).
pub(super) const FRACTION: f64 = 0.01;

/// A skill or command of the client's own.
pub(super) struct Own {
    pub(super) name: &'static str,
    /// Length of its description, in UTF-16 units.
    utf16: usize,
    /// Positions of line feeds in the description; they take no column.
    line_feeds: &'static [usize],
    /// True if the description stays, however full the list is.
    stays: bool,
}

const fn own(name: &'static str, utf16: usize, line_feeds: &'static [usize], stays: bool) -> Own {
    Own { name, utf16, line_feeds, stays }
}

/// Skills and commands that Claude Code 2.1.329 lists after those on the disk.
pub(super) const OWN: &[Own] = &[
    own("dataviz", 1436, &[], true),
    own("update-config", 690, &[], true),
    own("keybindings-help", 228, &[], true),
    own("code-review", 835, &[], true),
    own("simplify", 176, &[], true),
    own("fewer-permission-prompts", 163, &[], true),
    own("loop", 336, &[], true),
    own("claude-api", 1157, &[150, 802], true),
    own("workflow-authoring", 230, &[], true),
    own("run", 361, &[], true),
    own("plugin-authoring", 255, &[], true),
    own("init", 59, &[], false),
    own("security-review", 71, &[], false),
];

/// Approximate width of [`OWN`] together, in columns.
pub(super) const OWN_COLUMNS: usize = 6_000;

/// An entry of the list.
pub(super) struct Entry {
    pub(super) name: String,
    /// Description and remark; `None` if the entry is listed by name alone.
    pub(super) said: Option<String>,
    /// Weight of its recent use.
    pub(super) used: f64,
}

impl Entry {
    pub(super) fn line(&self, whole: bool) -> String {
        match &self.said {
            Some(said) if whole => format!("- {}: {said}", self.name),
            Some(_) | None => format!("- {}", self.name),
        }
    }
}

/// Parameters that decide how much of a list is kept.
pub(super) struct Measure<'m> {
    /// Budget of the list, in columns.
    pub(super) budget: usize,
    /// Maximum length of a description, in UTF-16 units.
    pub(super) description: usize,
    /// The client's own entries in the list, each with the weight of its recent use.
    pub(super) own: Vec<(&'m Own, f64)>,
}

/// Returns for each entry whether its description is kept.
pub(super) fn kept(entries: &[Entry], measure: &Measure) -> Vec<bool> {
    /// A description that may be left out: the index of its entry, its columns with the colon, and the weight of its
    /// use.
    struct Optional(Option<usize>, usize, f64);
    let mut optional: Vec<Optional> = Vec::new();
    let mut spent = (entries.len() + measure.own.len()).saturating_sub(1);
    for (index, entry) in entries.iter().enumerate() {
        spent += 2 + entry.name.width();
        optional.extend(entry.said.as_ref().map(|said| Optional(Some(index), 2 + columns(said), entry.used)));
    }
    for (own, used) in &measure.own {
        spent += 2 + own.name.len();
        let columns = 2 + own.columns(measure.description);
        if own.stays {
            spent += columns;
        } else {
            optional.push(Optional(None, columns, *used));
        }
    }
    let mut kept = vec![true; entries.len()];
    if spent + optional.iter().map(|one| one.1).sum::<usize>() <= measure.budget {
        return kept;
    }
    kept.fill(false);
    let mut left = measure.budget.saturating_sub(spent);
    optional.sort_by(|one, other| other.2.total_cmp(&one.2));
    for Optional(index, columns, _) in optional {
        if columns <= left {
            left -= columns;
            index.into_iter().for_each(|index| kept[index] = true);
        }
    }
    kept
}

impl Own {
    /// Returns the width of its description in columns, cut to `limit` UTF-16 units.
    fn columns(&self, limit: usize) -> usize {
        let kept = if self.utf16 > limit { limit - 1 } else { self.utf16 };
        let line_feeds = self.line_feeds.iter().filter(|at| **at < kept).count();
        kept + usize::from(self.utf16 > limit) - line_feeds
    }
}

/// Returns the width of a text in columns. Control characters have no column, unlike in the library.
fn columns(text: &str) -> usize {
    if text.is_ascii() {
        return text.bytes().filter(|byte| !byte.is_ascii_control()).count();
    }
    text.split(|c: char| c.is_control()).map(UnicodeWidthStr::width).sum()
}

/// Cuts a text to at most `limit` UTF-16 units, including `dots`. Half of a surrogate pair becomes a replacement
/// character.
pub(super) fn shortened(text: &str, limit: usize, dots: &str) -> String {
    if utf16_len(text) <= limit {
        return text.to_owned();
    }
    let units: Vec<u16> = text.encode_utf16().take(limit.saturating_sub(utf16_len(dots))).collect();
    String::from_utf16_lossy(&units) + dots
}

/// Returns the context window of a model in columns; `None` for a model that was not checked on the client.
///
/// Observed: a window of a million tokens has three columns per token, also for models that the client does not know;
/// older models have 200 000 tokens of four columns.
pub(super) fn window(model: Option<&str>, small: bool) -> Option<f64> {
    let model = model.unwrap_or("default").trim().to_ascii_lowercase();
    let (name, large) = model.strip_suffix("[1m]").map_or((model.as_str(), false), |name| (name, true));
    let older = [
        "claude-3",
        "sonnet-4-0",
        "sonnet-4-2",
        "sonnet-4-5",
        "sonnet-4-6",
        "sonnet-4.5",
        "opus-4-5",
        "opus-4-6",
        "haiku-4-5",
    ];
    let asked = ["default", "best", "haiku", "sonnet", "opus", "fable", "opusplan"].contains(&name)
        || ["claude-opus-", "claude-sonnet-", "claude-haiku-", "claude-fable-"]
            .iter()
            .any(|known| name.starts_with(known));
    if older.iter().any(|known| name.contains(known)) {
        return Some(if large && !small { 4_000_000.0 } else { 800_000.0 });
    }
    asked.then_some(if small { 600_000.0 } else { 3_000_000.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, said: usize, used: f64) -> Entry {
        Entry { name: name.to_owned(), said: Some("w".repeat(said)), used }
    }

    fn check(entries: &[Entry], budget: usize) -> String {
        let measure =
            Measure { budget, description: DESCRIPTION_UTF16, own: OWN.iter().map(|own| (own, 0.0)).collect() };
        kept(entries, &measure).iter().map(|kept| if *kept { '+' } else { '-' }).collect()
    }

    #[test]
    fn descriptions_are_kept_while_they_fit() {
        let mixed = |used: f64| {
            [500, 10, 300, 20, 400, 30]
                .iter()
                .enumerate()
                .map(|(n, said)| entry(&format!("s{n:03}"), *said, if n == 4 { used } else { 0.0 }))
                .collect::<Vec<_>>()
        };
        for (budget, expected) in
            [(6400, "-+-+-+"), (6500, "-+++-+"), (6600, "-+++-+"), (6700, "++-+-+"), (9000, "++++++")]
        {
            assert_eq!(check(&mixed(0.0), budget), expected, "{budget}");
        }
        assert_eq!(check(&mixed(5.0), 6600), "-+-+++", "what is used comes first");
    }

    #[test]
    fn columns_are_those_of_a_terminal() {
        for (text, wide) in [("漢字", 4), ("e\u{301}", 1), ("👨‍👩‍👧", 2), ("🇩🇪", 2), ("±", 1), ("…", 1), ("a\nb", 2)]
        {
            assert_eq!(columns(text), wide, "{text:?}");
        }
    }
}
