//! Applies the budgets: a limit per file, and one that all files share in the order in which they were loaded.

use super::excerpt::Excerpt;
use super::trim::{Method, trim};
use crate::text::js_trim_end;

/// Default limits of an edition, in UTF-16 units.
pub struct Limits {
    /// Limit of one file.
    pub file_utf16: usize,
    /// Limit of all files together, if there is one.
    pub total_utf16: Option<usize>,
    /// Limit of files with this name, regardless of the settings.
    pub capped: Option<(&'static str, usize)>,
    /// If less than this is left, no further file is read.
    pub least_utf16: usize,
    /// Method of cutting a file that is too long.
    pub method: Method,
}

impl Limits {
    /// Returns the limit of a file with that name, if the settings allow `file` units.
    pub fn of(&self, name: &str, file: usize) -> usize {
        match self.capped {
            Some((capped, limit)) if name.eq_ignore_ascii_case(capped) => file.min(limit),
            _ => file,
        }
    }
}

/// A file to which the budget is applied.
pub struct Item<'a> {
    /// Base name of the file, used in the markers.
    pub name: &'a str,
    /// Path of the file, used in the text about a missing one.
    pub path: &'a str,
    /// Decoded text of the file.
    pub text: Text<'a>,
}

/// Text of a file.
pub enum Text<'a> {
    /// The file does not exist.
    Missing,
    /// The decoded content.
    Of(&'a str),
    /// Replacement for a content that cannot be read.
    Instead(&'a str),
}

/// Part of a file that fits the budget.
pub struct Portion {
    /// Text for the prompt; `None` if the file does not appear.
    pub excerpt: Option<Excerpt>,
    /// True if some of the content is missing.
    pub truncated: bool,
    /// Length of the content without trailing white space.
    pub length: usize,
    /// Shared budget that was left before this file.
    pub left: usize,
    /// Message that the client logs about the file.
    pub logged: Option<String>,
}

/// Returns the portion of each item, with at most `file` units each and `total` units together.
pub fn spend(items: &[Item], file: usize, total: Option<usize>, limits: &Limits) -> Vec<Portion> {
    let mut left = total.map_or(usize::MAX, |total| total.max(1));
    let mut over = false;
    let mut portions = Vec::with_capacity(items.len());
    for item in items {
        let mut portion = Portion { excerpt: None, truncated: false, length: 0, left, logged: None };
        match item.text {
            _ if left == 0 => over = true,
            _ if over => {}
            Text::Missing => {
                let mut excerpt = Excerpt::made(format!("[MISSING] Expected at: {}", item.path));
                clamp(&mut excerpt, left);
                left -= excerpt.units();
                portion.excerpt = Some(excerpt);
            }
            Text::Of(_) | Text::Instead(_) if left < limits.least_utf16 => {
                over = true;
                portion.logged = Some(format!(
                    "remaining bootstrap budget is {left} chars (<{}); skipping additional bootstrap files",
                    limits.least_utf16
                ));
            }
            Text::Of(content) | Text::Instead(content) => {
                let limit = limits.of(item.name, file).min(left).max(1);
                let mut trimmed = trim(content, item.name, limit, &limits.method);
                if matches!(item.text, Text::Instead(_)) {
                    trimmed.excerpt = Excerpt::made(trimmed.excerpt.text());
                }
                let clamped = clamp(&mut trimmed.excerpt, left);
                if !trimmed.excerpt.text().is_empty() {
                    if trimmed.truncated || clamped {
                        portion.logged = Some(format!(
                            "workspace bootstrap file {} is {} chars (limit {limit}); truncating in injected context",
                            item.name, trimmed.length
                        ));
                    }
                    left -= trimmed.excerpt.units();
                    portion.excerpt = Some(trimmed.excerpt);
                }
                portion.truncated = trimmed.truncated || clamped;
                portion.length = trimmed.length;
            }
        }
        if over && let Text::Of(content) | Text::Instead(content) = item.text {
            portion.length = crate::text::utf16_len(js_trim_end(content));
            portion.truncated = portion.length > 0;
        }
        portions.push(portion);
    }
    portions
}

/// Cuts to at most `budget` units, the last of them an ellipsis; returns true if anything was cut.
fn clamp(excerpt: &mut Excerpt, budget: usize) -> bool {
    if excerpt.units() <= budget {
        return false;
    }
    if budget <= 3 {
        return excerpt.cut(budget);
    }
    excerpt.cut(budget - 1);
    excerpt.make("…");
    true
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::editions::V2026_9;
    use super::*;

    /// Truncations recorded from the client's own functions (2026.9.6), one JSON object per line.
    const RECORDED: &str = include_str!("../../../../tests/vectors/openclaw_truncation.jsonl");

    #[test]
    fn recorded_truncations_come_out_the_same() {
        for (number, line) in RECORDED.lines().enumerate() {
            let vector: Value = serde_json::from_str(line).expect("a recorded vector is JSON");
            let text = |value: &'_ Value| value.as_str().unwrap_or_default().to_owned();
            let files: Vec<(String, String, Option<String>)> = vector["files"]
                .as_array()
                .expect("files")
                .iter()
                .map(|file| {
                    let content = (file["missing"] == false).then(|| text(&file["content"]));
                    (text(&file["name"]), text(&file["path"]), content)
                })
                .collect();
            let items: Vec<Item> = files
                .iter()
                .map(|(name, path, content)| Item {
                    name,
                    path,
                    text: content.as_deref().map_or(Text::Missing, Text::Of),
                })
                .collect();
            let limit = |key: &str| vector[key].as_u64().expect("a limit") as usize;
            let portions = spend(&items, limit("maxChars"), Some(limit("totalMaxChars")), &V2026_9.limits);
            let ours: Vec<(&str, &str)> = items
                .iter()
                .zip(&portions)
                .filter_map(|(item, portion)| Some((item.path, portion.excerpt.as_ref()?.text())))
                .collect();
            let theirs: Vec<(String, String)> = vector["out"]
                .as_array()
                .expect("out")
                .iter()
                .map(|file| (text(&file["path"]), text(&file["content"])))
                .collect();
            let theirs: Vec<(&str, &str)> = theirs.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
            assert_eq!(ours, theirs, "vector {number}");
            for ((item, portion), (_, _, content)) in items.iter().zip(&portions).zip(&files) {
                let (Some(excerpt), Some(content)) = (&portion.excerpt, content) else { continue };
                for range in excerpt.ranges() {
                    assert!(excerpt.text().contains(&content[range]), "vector {number}: {}", item.name);
                }
            }
        }
    }
}
