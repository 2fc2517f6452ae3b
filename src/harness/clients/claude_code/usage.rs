//! Usage of each skill, which decides which descriptions the list of skills keeps.

use std::collections::BTreeMap;

use crate::formats::{Node, Value};

/// Usage count of each skill by name, and its last use in milliseconds since 1970.
#[derive(Debug, Default)]
pub(super) struct SkillUsage(BTreeMap<String, (f64, f64)>);

impl SkillUsage {
    /// Reads the usage from the user's JSON file.
    pub(super) fn read(json: Option<&Node>) -> SkillUsage {
        let number = |node: &Node| match &node.value {
            Value::Integer(number) => Some(*number as f64),
            Value::Float(number) => Some(*number),
            Value::Text(text) => text.trim().parse().ok(),
            _ => None,
        };
        let known = json.and_then(|json| json.get("skillUsage")).and_then(Node::as_table).into_iter().flatten();
        let entries = known.filter_map(|(name, node)| {
            let (count, last) = (number(node.get("usageCount")?)?, number(node.get("lastUsedAt")?)?);
            Some((name.clone(), (count, last)))
        });
        SkillUsage(entries.collect())
    }

    /// Returns the weight of a skill's use: its count, halved for every week since the last use, but not below a tenth.
    pub(super) fn weight(&self, name: &str, today: (i16, u8, u8), late: bool) -> f64 {
        let Some((count, last)) = self.0.get(name) else { return 0.0 };
        let days = (now(today, late) - last) / DAY;
        count * 0.5_f64.powf(days / 7.0).max(0.1)
    }
}

/// A day, in milliseconds.
const DAY: f64 = 86_400_000.0;

/// Returns the beginning or the end of a day, in milliseconds since 1970.
fn now((year, month, day): (i16, u8, u8), late: bool) -> f64 {
    let (year, month) =
        if month <= 2 { (i64::from(year) - 1, i64::from(month) + 9) } else { (i64::from(year), i64::from(month) - 3) };
    // Days before the month, in a calendar that begins in March, so that leap days come last.
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + i64::from(day) - 1 - 719_468;
    (days + i64::from(late)) as f64 * DAY
}
