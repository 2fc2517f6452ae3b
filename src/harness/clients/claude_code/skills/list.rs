//! The list of skills and commands has a budget: what is said of each, until it is spent.
//!
//! Observed: the list is measured in columns of a terminal, the client's own entries with it. Where all of them are too wide,
//! every name stays, and what the client says of its own skills; the rest of the budget goes to the other descriptions,
//! those used most first and otherwise in the order of the list. One that does not fit is left out, and the next one tried.

use unicode_width::UnicodeWidthStr;

use crate::text::utf16_len;

/// Longest description in the list, in UTF-16 units, the ellipsis included; Claude Code 2.1.329.
pub(super) const DESCRIPTION_UTF16: usize = 1536;

/// The part of a model's window that the list may have; Claude Code 2.1.329, `skillListingBudgetFraction`.
pub(super) const FRACTION: f64 = 0.01;

/// A skill or command of the client's own.
pub(super) struct Own {
    pub(super) name: &'static str,
    /// How long its description is, in UTF-16 units.
    utf16: usize,
    /// Where the description has line feeds, which have no column.
    line_feeds: &'static [usize],
    /// Whether the description stays, however full the list is.
    stays: bool,
}

const fn own(name: &'static str, utf16: usize, line_feeds: &'static [usize], stays: bool) -> Own {
    Own { name, utf16, line_feeds, stays }
}

/// What Claude Code 2.1.329 lists behind the skills and commands on the disk.
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

/// About how many columns they have together.
pub(super) const OWN_COLUMNS: usize = 6_000;

/// An entry of the list.
pub(super) struct Entry {
    pub(super) name: String,
    /// What is said of it, with what stands behind that; nothing where it is listed by name alone.
    pub(super) said: Option<String>,
    /// How much it was used lately.
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

/// What decides how much of a list is kept.
pub(super) struct Measure<'m> {
    /// In columns.
    pub(super) budget: usize,
    /// Longest description, in UTF-16 units.
    pub(super) description: usize,
    /// The client's own entries that stand in the list, and how much they were used.
    pub(super) own: Vec<(&'m Own, f64)>,
}

/// Whether the description of each entry is kept.
pub(super) fn kept(entries: &[Entry], measure: &Measure) -> Vec<bool> {
    /// A description that may be left out: which one, its columns with the colon, and how much the entry is used.
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
    /// The columns of its description, cut to that many units.
    fn columns(&self, limit: usize) -> usize {
        let kept = if self.utf16 > limit { limit - 1 } else { self.utf16 };
        let line_feeds = self.line_feeds.iter().filter(|at| **at < kept).count();
        kept + usize::from(self.utf16 > limit) - line_feeds
    }
}

/// What a text is wide. Control characters have no column, which is not how the library sees them.
fn columns(text: &str) -> usize {
    if text.is_ascii() {
        return text.bytes().filter(|byte| !byte.is_ascii_control()).count();
    }
    text.split(|c: char| c.is_control()).map(UnicodeWidthStr::width).sum()
}

/// At most `limit` UTF-16 units, `dots` included. Half of a pair becomes a replacement character on its way.
pub(super) fn shortened(text: &str, limit: usize, dots: &str) -> String {
    if utf16_len(text) <= limit {
        return text.to_owned();
    }
    let units: Vec<u16> = text.encode_utf16().take(limit.saturating_sub(utf16_len(dots))).collect();
    String::from_utf16_lossy(&units) + dots
}

/// The columns that a list may have for a model: the models that were asked, by their names.
///
/// Observed: a window of a million tokens of three columns, for models that no list knows as well; for older ones 200 000 of
/// four. `None`: a model of which nobody asked the client.
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
