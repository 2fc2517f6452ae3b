//! Recognizes the common forms of a segment, which minimatch tests without a regular expression.

/// Tests that minimatch uses instead of a regular expression. They do not always agree with it, and take precedence.
#[derive(Debug, PartialEq)]
pub(super) enum Fast {
    /// `*`
    Star { dot: bool },
    /// `*.md`
    StarThen { dot: bool, end: String },
    /// `??.md`: names of the same length as the pattern, in UTF-16 units, with that ending.
    Marks { dot: bool, units: usize, end: String },
    /// `*.*`
    StarDotStar { dot: bool },
    /// `.*`
    DotStar,
}

impl Fast {
    /// Returns the form of a pattern if it is one of these.
    pub fn of(pattern: &str, dot: bool) -> Option<Fast> {
        let plain = |rest: &str| !rest.contains(['+', '@', '!', '?', '*', '[', '(']);
        let after_stars = pattern.trim_start_matches('*');
        if pattern.starts_with('*') && after_stars.is_empty() {
            return Some(Fast::Star { dot });
        }
        if pattern.starts_with('*') && plain(after_stars) {
            return Some(Fast::StarThen { dot, end: after_stars.to_owned() });
        }
        let after_marks = pattern.trim_start_matches('?');
        if pattern.starts_with('?') && plain(after_marks) {
            return Some(Fast::Marks { dot, units: pattern.encode_utf16().count(), end: after_marks.to_owned() });
        }
        let only_stars = |text: &str| !text.is_empty() && text.bytes().all(|b| b == b'*');
        if let Some((first, last)) = pattern.split_once('.')
            && only_stars(last)
        {
            if only_stars(first) {
                return Some(Fast::StarDotStar { dot });
            }
            if first.is_empty() {
                return Some(Fast::DotStar);
            }
        }
        None
    }

    /// Returns true if a name matches.
    pub fn matches(&self, name: &str) -> bool {
        let visible = |dot: bool| if dot { name != "." && name != ".." } else { !name.starts_with('.') };
        match self {
            Fast::Star { dot } => !name.is_empty() && visible(*dot),
            Fast::StarThen { dot, end } => (*dot || !name.starts_with('.')) && name.ends_with(end.as_str()),
            Fast::Marks { dot, units, end } => {
                name.encode_utf16().count() == *units && visible(*dot) && name.ends_with(end.as_str())
            }
            Fast::StarDotStar { dot } => visible(*dot) && name.contains('.'),
            Fast::DotStar => name != "." && name != ".." && name.starts_with('.'),
        }
    }
}
