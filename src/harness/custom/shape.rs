//! Prepares one text for the prompt: decodes, trims, cuts, and formats it by its template.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use super::choices::{Blank, Trim};
use super::definition::{Definition, Source as Rule};
use super::found::{Content, Found, strips_mark};
use super::limit::{Limit, cut, cut_bytes, cuts_bytes, measure};
use super::template::Template;
use crate::answer::{Standpoint, Text, Unit};
use crate::snapshot;
use crate::text;

/// Text that was prepared for the prompt.
pub(super) struct Shaped {
    pub text: Text,
    /// Ranges of the file that are in it, in bytes.
    pub kept: Vec<Range<usize>>,
    /// Amount charged to the total of its message.
    pub charge: usize,
    /// Limit that cut the text, if one did.
    pub cut_to: Option<Bound>,
    /// True if there is nothing to send.
    pub blank: bool,
}

/// A limit that cut a text.
#[derive(Clone, Copy)]
pub(super) struct Bound {
    pub max: usize,
    pub unit: Unit,
    /// True if it is the rest of a total.
    pub of_total: bool,
}

/// Decodes, trims and cuts a text. `left` is the total of the message and the rest of it.
pub(super) fn shape(found: &Found, rule: &Rule, definition: &Definition, left: Option<(&Limit, usize)>) -> Shaped {
    let raw = match &found.content {
        Content::File(raw) => raw,
        Content::Text(text) => &snapshot::Content::from(text.as_str()),
        Content::StandIn(text) => {
            let charge = left.map_or(0, |(total, _)| measure(text, total.unit));
            return Shaped { text: text.as_str().into(), kept: Vec::new(), charge, cut_to: None, blank: false };
        }
    };
    let own = found.limit.as_ref().or(rule.limit.as_ref()).map(|limit| (limit, limit.max.0, false));
    let first = bounded(raw, own, found, rule, definition, left.map(|(total, _)| total.unit));
    // If both limits use the same unit, a text that is cut is cut to the smaller one.
    let narrower = |total: &Limit, left: usize| {
        first.cut_to.is_some() && own.is_some_and(|(own, max, _)| own.unit == total.unit && left < max)
    };
    match left {
        Some((total, left)) if first.charge > left || narrower(total, left) => {
            bounded(raw, Some((total, left, true)), found, rule, definition, Some(total.unit))
        }
        _ => first,
    }
}

/// Cuts the text to a limit: `limit` holds the limit, the maximum, and whether this is the rest of a total.
/// `charged_in` is the unit in which a total counts the text.
fn bounded(
    raw: &snapshot::Content,
    limit: Option<(&Limit, usize, bool)>,
    found: &Found,
    rule: &Rule,
    definition: &Definition,
    charged_in: Option<Unit>,
) -> Shaped {
    let marker = |limit: &Limit| {
        let template = limit.marker.0.clone();
        let (name, path) = (found.name.clone(), found.path.clone().unwrap_or_default());
        move |head: usize, tail: usize, total: usize| {
            let value = |placeholder: &str| match placeholder {
                "name" => name.as_str().into(),
                "path" => path.to_string_lossy().into(),
                "head" => head.to_string().into(),
                "tail" => tail.to_string().into(),
                _ => total.to_string().into(),
            };
            template.fill(&value, &|_| false).to_string()
        }
    };
    let bound = |limit: &Limit, max, of_total| Some(Bound { max, unit: limit.unit, of_total });
    let charge_of = |text: &str| charged_in.map_or(0, |unit| measure(text, unit));
    if let Some((limit, max, of_total)) = limit.filter(|(limit, ..)| cuts_bytes(limit)) {
        let (whole, kept, charge, cut_to) = match cut_bytes(raw, max, limit, &marker(limit)) {
            Some(cut) => (Text::from(cut.text), Some(cut.kept), Some(cut.charge), bound(limit, max, of_total)),
            None => (Text::from(raw), None, None, None),
        };
        let range = inside(&whole, rule, definition);
        let text = whole.slice(range.clone());
        let kept = kept.unwrap_or_else(|| raw.raw_ranges(std::slice::from_ref(&range)));
        let charge =
            charge.unwrap_or_else(|| if charged_in == Some(Unit::Bytes) { raw.len() } else { charge_of(&text) });
        let blank = is_blank(&text, rule);
        return Shaped { charge: if blank { 0 } else { charge }, text, kept, cut_to, blank };
    }
    let whole = Text::from(raw);
    let range = inside(&whole, rule, definition);
    let text = whole.slice(range.clone());
    let shaped = limit.and_then(|(limit, max, of_total)| {
        let cut = cut(&text, max, limit, &marker(limit))?;
        Some((cut, bound(limit, max, of_total)))
    });
    let (out, kept, cut_to) = match shaped {
        Some((cut, cut_to)) => (cut.text.into(), cut.kept, cut_to),
        None => (text.clone(), std::iter::once(0..text.len()).collect(), None),
    };
    let kept: Vec<Range<usize>> = kept.iter().map(|kept| kept.start + range.start..kept.end + range.start).collect();
    // A total in bytes charges a whole file by its bytes on disk, not by its decoded text.
    let raw_bytes = cut_to.is_none() && charged_in == Some(Unit::Bytes) && matches!(found.content, Content::File(_));
    let charge = if raw_bytes && range.len() == whole.len() { raw.len() } else { charge_of(&out) };
    let blank = is_blank(&out, rule);
    Shaped { kept: raw.raw_ranges(&kept), charge: if blank { 0 } else { charge }, text: out, cut_to, blank }
}

/// Returns the range of the decoded text that is sent, before any limit.
fn inside(whole: &str, rule: &Rule, definition: &Definition) -> Range<usize> {
    let mark = if strips_mark(rule, definition) && whole.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let text = &whole[mark..];
    let js = |c: char| text::is_js_space(c);
    let (start, end) = match rule.trim {
        Trim::None => (text, text),
        Trim::End => (text, text.trim_end()),
        Trim::Both => (text.trim_start(), text.trim_end()),
        Trim::JsEnd => (text, text.trim_end_matches(js)),
        Trim::JsBoth => (text.trim_start_matches(js), text.trim_end_matches(js)),
    };
    let start = mark + (text.len() - start.len());
    start..(mark + end.len()).max(start)
}

fn is_blank(text: &str, rule: &Rule) -> bool {
    match rule.blank {
        Blank::Drop => text.trim().is_empty(),
        Blank::Send => text.is_empty(),
    }
}

/// Formats a text by its source's template.
pub(super) fn written(found: &Found, text: &Text, rule: &Rule, at: &Standpoint, root: Option<&Path>) -> Text {
    let Some(template) = &rule.entry else { return text.clone() };
    let path = found.path.clone().unwrap_or_default();
    let workspace = root.unwrap_or(&at.cwd);
    let value = |placeholder: &str| match placeholder {
        "content" => text.clone(),
        "path" => path.to_string_lossy().into(),
        "name" => found.name.as_str().into(),
        "relative" => path.strip_prefix(workspace).unwrap_or(&path).to_string_lossy().into(),
        other => of_standpoint(other, at, root).into(),
    };
    template.0.fill(&value, &|_| false)
}

/// Fills a wrapper template with a text.
pub(super) fn wrapper(
    template: &Template,
    text: &Text,
    at: &Standpoint,
    root: Option<&Path>,
    gave: &dyn Fn(&str) -> bool,
) -> Text {
    let value = |placeholder: &str| match placeholder {
        "text" => text.clone(),
        other => of_standpoint(other, at, root).into(),
    };
    template.fill(&value, gave)
}

fn of_standpoint<'a>(placeholder: &str, at: &'a Standpoint, root: Option<&'a Path>) -> Cow<'a, str> {
    match placeholder {
        "cwd" => at.cwd.to_string_lossy(),
        "root" => root.unwrap_or(&at.cwd).to_string_lossy(),
        "home" => at.home.to_string_lossy(),
        "git" => if root.is_some() { "yes" } else { "no" }.into(),
        "platform" => at.surroundings.platform.as_str().into(),
        "shell" => at.surroundings.shell.as_str().into(),
        "date" => date(at.surroundings.date).into(),
        "model" => at.model.as_deref().unwrap_or_default().into(),
        "agent" => at.agent.as_deref().unwrap_or_default().into(),
        "target" => at.target.as_deref().map_or(Cow::Borrowed(""), Path::to_string_lossy),
        _ => Cow::Borrowed(""),
    }
}

/// Formats a date like JavaScript's `toDateString`: `Thu Feb 26 2026`.
fn date((year, month, day): (i16, u8, u8)) -> String {
    let part = |number: u8| i8::try_from(number).unwrap_or(1);
    jiff::civil::Date::new(year, part(month), part(day))
        .map_or_else(|_| "Invalid Date".to_owned(), |date| date.strftime("%a %b %d %Y").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_as_javascript_writes_them() {
        assert_eq!(date((2026, 2, 26)), "Thu Feb 26 2026");
        assert_eq!(date((2026, 11, 1)), "Sun Nov 01 2026");
        assert_eq!(date((2026, 2, 31)), "Invalid Date");
    }
}
