//! Compares the letters and digits of a pattern with a path, which must contain them in the same order. With many
//! patterns this is cheaper than matching each expression.

/// Returns false only if the path lacks a run of letters or digits that the pattern has outside of classes. `folds` is
/// for patterns that ignore case. Returns true for patterns with anything but stars, question marks, dots, slashes and
/// simple classes.
pub(super) fn may_match(pattern: &str, path: &str, folds: bool) -> bool {
    let bytes = pattern.as_bytes();
    if !path.is_ascii() || !bytes.iter().all(|byte| is_word(*byte) || b"*/.[]?".contains(byte)) {
        return true;
    }
    let (mut at, mut rest) = (0, Some(path.as_bytes()));
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'[' => match simple_class(&bytes[at..]) {
                Some(len) => at += len,
                None => return true,
            },
            b']' => return true,
            byte if is_word(*byte) => {
                let len = bytes[at..].iter().take_while(|byte| is_word(**byte)).count();
                let run = &bytes[at..at + len];
                rest = rest.and_then(|rest| Some(&rest[find(rest, run, folds)? + len..]));
                at += len;
            }
            _ => at += 1,
        }
    }
    rest.is_some()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Returns the length of a class that consists of letters, digits and ranges of them in the right order.
fn simple_class(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    while *bytes.get(at)? != b']' {
        let first = bytes[at];
        if !first.is_ascii_alphanumeric() {
            return None;
        }
        at += 1;
        if bytes.get(at) == Some(&b'-') {
            let last = *bytes.get(at + 1)?;
            if !last.is_ascii_alphanumeric() || last < first {
                return None;
            }
            at += 2;
        }
    }
    (at > 1).then_some(at + 1)
}

fn find(text: &[u8], run: &[u8], folds: bool) -> Option<usize> {
    let is_it = |window: &[u8]| if folds { window.eq_ignore_ascii_case(run) } else { window == run };
    text.windows(run.len()).position(is_it)
}

#[cfg(test)]
mod tests {
    use super::may_match;

    #[test]
    fn only_what_lacks_a_run_cannot_match() {
        for (pattern, path, folds, expected) in [
            ("**/12/*.md", "/r/CLAUDE.md", false, false),
            ("**/12/*.md", "/r/12/a.md", false, true),
            ("a*a", "xax", false, false),
            ("b*a", "ab", false, false),
            ("A.md", "a.md", false, false),
            ("A.md", "a.md", true, true),
            ("x[b-d]y", "ab", false, false),
            ("x[d-b]y", "ab", false, true),
            ("x[!b]y", "ab", false, true),
            ("x(a)", "ab", false, true),
            ("x]", "ab", false, true),
            ("x", "é", false, true),
            ("**", "", false, true),
        ] {
            assert_eq!(may_match(pattern, path, folds), expected, "{pattern} {path}");
        }
    }
}
