//! What the list of skills may take, and how it is made to fit.

/// What the lines may take, in tokens of four bytes: 2 % of a context of 272 000; Codex 0.169.
pub(super) const LIST_TOKENS: usize = 5440;

/// A line of the list.
pub(super) struct Line<'a> {
    pub name: &'a str,
    pub description: &'a str,
    /// The path of its file, by the number of its root.
    pub file: String,
}

impl Line<'_> {
    /// The line with the first `characters` of the description.
    pub fn with(&self, characters: usize) -> String {
        let end = self.description.char_indices().nth(characters).map_or(self.description.len(), |(at, _)| at);
        let space = if end == 0 { "" } else { " " };
        format!("- {}:{space}{} (file: {})", self.name, &self.description[..end], self.file)
    }

    /// With `described` bytes of the description, in tokens.
    fn tokens(&self, described: usize) -> usize {
        let bare = format!("- {}: (file: {})\n", self.name, self.file).len();
        (bare + described + usize::from(described > 0)).div_ceil(4)
    }
}

/// What all lines take as they are, in tokens.
pub(super) fn tokens(lines: &[Line]) -> usize {
    lines.iter().map(|line| line.tokens(line.description.len())).sum()
}

/// How many characters of each description are sent; `None` where the skill is left out altogether.
///
/// What the bare lines leave is dealt out character by character, one for each skill in turn. When not even the bare lines
/// fit, no skill is described, and those that do not fit are left out.
pub(super) fn dealt(lines: &[Line], limit: usize) -> Vec<Option<usize>> {
    if tokens(lines) <= limit {
        return lines.iter().map(|_| Some(usize::MAX)).collect();
    }
    let bare: usize = lines.iter().map(|line| line.tokens(0)).sum();
    if bare > limit {
        let mut left = limit;
        let fits = |line: &Line| {
            let rest = left.checked_sub(line.tokens(0))?;
            left = rest;
            Some(0)
        };
        return lines.iter().map(fits).collect();
    }
    let mut left = limit - bare;
    // Characters and bytes of each description that are sent already.
    let mut sent = vec![(0, 0); lines.len()];
    loop {
        let before = sent.clone();
        for (line, (characters, bytes)) in lines.iter().zip(&mut sent) {
            let Some(next) = line.description[*bytes..].chars().next() else { continue };
            let more = line.tokens(*bytes + next.len_utf8()) - line.tokens(*bytes);
            if let Some(rest) = left.checked_sub(more) {
                left = rest;
                *characters += 1;
                *bytes += next.len_utf8();
            }
        }
        if sent == before {
            return sent.into_iter().map(|(characters, _)| Some(characters)).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_share_what_the_bare_lines_leave() {
        let line = |description| Line { name: "a", description, file: "r0/a".to_owned() };
        // Each bare line is 18 bytes long with its end, so two more are free, and one of them is the space.
        let lines = [line("0123456789"), line("x"), line("0123456789")];
        for (limit, expected) in [
            (100, [Some(usize::MAX); 3]),
            (15, [Some(1), Some(1), Some(1)]),
            (16, [Some(5), Some(1), Some(1)]),
            (17, [Some(5), Some(1), Some(5)]),
            (14, [Some(0), Some(0), None]),
            (4, [None; 3]),
        ] {
            assert_eq!(dealt(&lines, limit), expected, "{limit}");
        }
    }
}
