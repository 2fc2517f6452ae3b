//! Classifies lines for the block lexer: bullets, fences, rules, headings, quotes.

/// Returns the line at the start of `source`, without its line end.
pub(super) fn first(source: &str) -> &str {
    source.split('\n').next().unwrap_or_default()
}

/// Returns the number of spaces at the start of a line.
pub(super) fn indent(line: &str) -> usize {
    line.bytes().take_while(|byte| *byte == b' ').count()
}

/// Returns true if a line has only spaces and tabs.
pub(super) fn is_blank(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b' ' | b'\t'))
}

/// Returns `line` without its indentation if that is at most `most` spaces.
pub(super) fn behind(line: &str, most: usize) -> Option<&str> {
    let spaces = indent(line);
    (spaces <= most).then(|| &line[spaces..])
}

/// Returns true if a line starts indented code.
pub(super) fn is_code(line: &str) -> bool {
    let spaces = indent(line);
    spaces >= 4 || line.as_bytes().get(spaces) == Some(&b'\t')
}

/// Returns the bullet at the start of a line: `-`, `*`, `+`, or a number of at most nine digits with `.` or `)`.
pub(super) fn bullet(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let end = match line.as_bytes().get(digits)? {
        b'*' | b'+' | b'-' if digits == 0 => 1,
        b'.' | b')' if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    Some(&line[..end])
}

/// Returns true if a line, without its indentation, is a thematic break. `gaps` are the characters allowed between the
/// marks.
pub(super) fn is_rule(line: &str, gaps: &[u8]) -> bool {
    let bytes = line.as_bytes();
    let Some(mark @ (b'-' | b'_' | b'*')) = bytes.first() else { return false };
    bytes.iter().all(|byte| byte == mark || gaps.contains(byte))
        && bytes.iter().filter(|byte| *byte == mark).count() >= 3
}

/// Returns the number of `#` at the start of a line if it is one to six.
pub(super) fn hashes(line: &str) -> Option<usize> {
    let count = line.bytes().take_while(|byte| *byte == b'#').count();
    (1..=6).contains(&count).then_some(count)
}

/// Returns the run of three or more backticks or tildes at the start of a line.
pub(super) fn fence(line: &str) -> Option<&str> {
    let mark = *line.as_bytes().first().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let count = line.bytes().take_while(|byte| *byte == mark).count();
    (count >= 3).then(|| &line[..count])
}

/// Returns true for the underline of a heading: only `=` or only `-`, then spaces.
pub(super) fn is_underline(line: &str) -> bool {
    let Some(line) = behind(line, 3) else { return false };
    let marks = line.trim_end_matches(' ');
    !marks.is_empty() && (marks.bytes().all(|byte| byte == b'=') || marks.bytes().all(|byte| byte == b'-'))
}
