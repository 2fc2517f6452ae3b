//! Pages about kinds of findings, one for each code. Editors open them, and `briefing explain` prints them.

use super::{Kind, Standing};

/// Document that the pages are made from.
const DOCUMENT: &str = include_str!("../../../docs/findings.md");

/// Number of findings of each kind in public repositories, by worth.
const CORPUS: &str = include_str!("../../../data/corpus.tsv");

/// Form of the links between pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// By a URI that the server answers.
    Uri,
    /// By its name: on a terminal.
    Name,
}

/// Returns the URI of the page about a code; without a code, that of the index page.
pub fn uri(code: Option<&str>) -> String {
    code.map_or_else(|| "briefing:/findings".to_owned(), |code| format!("briefing:/findings/{code}"))
}

/// Parses the URI of a page: `Some(None)` is the index page.
pub fn of_uri(uri: &str) -> Option<Option<Kind>> {
    let rest = uri.strip_prefix("briefing:")?.trim_start_matches('/').strip_prefix("findings")?;
    let code = rest.trim_matches(['/', '#']);
    (rest.is_empty() || rest.starts_with(['/', '#'])).then(|| Kind::of_code(code))
}

/// Returns the page about a kind, in Markdown.
pub fn page(kind: Kind, links: Links) -> String {
    let (code, text) = (kind.code(), section(kind));
    let other = match kind.standing() {
        Standing::On => "off",
        Standing::Off => kind.severity().word(),
    };
    let all = match links {
        Links::Uri => "[All findings](#findings)",
        Links::Name => "`briefing explain` lists all findings.",
    };
    let page = format!(
        "# {code}\n\n{text}\n\n## To change it\n\n\
         In the settings of the editor: `\"briefing.severities\": {{\"{code}\": \"{other}\"}}`. On a terminal: \
         `briefing check --severity {code}={other}`.\n\n\
         For one place, with the reason: `<!-- briefing-ignore {code}: why -->` above the line; \
         `briefing-ignore-file` for the whole file ([exceptions](#exceptions)).\n\n\
         {all}\n"
    );
    linked(&page, links)
}

/// Returns the sentence after `Fix:` on the page about a kind. Returns `None` for a fix with a condition, since the
/// condition may not hold.
pub fn fix(kind: Kind) -> Option<String> {
    let text = section(kind);
    let (_, fix) = text.split_once("Fix: ").or_else(|| text.split_once("Fixes: "))?;
    let end = fix.find(". ").unwrap_or(fix.len());
    let words: Vec<&str> = fix[..end].split_whitespace().collect();
    let plain = words.join(" ").trim_end_matches('.').to_owned();
    let is_conditional = plain.contains(" if ");
    (!is_conditional && !plain.contains("](")).then_some(plain)
}

/// Returns the number of useful, noise and false findings of a kind in the repositories that the project measures.
pub fn worth(kind: Kind) -> [usize; 3] {
    let row = CORPUS.lines().find_map(|line| line.strip_prefix(kind.code())?.strip_prefix('\t'));
    let mut counts = row.unwrap_or_default().split('\t').map(|count| count.parse().unwrap_or(0));
    std::array::from_fn(|_| counts.next().unwrap_or(0))
}

/// Renders a table of all kinds for a terminal: severity, worth of the findings, and share of the noise.
pub fn worths() -> String {
    let noise: usize = Kind::ALL.iter().map(|kind| worth(*kind)[1]).sum();
    let head = CORPUS.lines().next().unwrap_or_default().trim_start_matches("# ");
    let head = head.split(". ").next().unwrap_or_default();
    let mut out = format!("{head}\n\n{:22} {:17} useful noise false of all noise\n", "kind", "severity");
    for kind in Kind::ALL {
        let [useful, noisy, wrong] = worth(*kind);
        let off = if kind.standing() == Standing::Off { " (off)" } else { "" };
        let share = (noisy * 100).checked_div(noise).unwrap_or(0);
        let severity = format!("{}{off}", kind.severity().word());
        out += &format!("{:22} {severity:17} {useful:6} {noisy:5} {wrong:5} {share:10} %\n", kind.code());
    }
    out
}

/// Returns the index page.
pub fn index(links: Links) -> String {
    let head = DOCUMENT.split("\n## ").next().unwrap_or_default().trim_end();
    let mut page = format!("{head}\n\n## Codes\n\n");
    for kind in Kind::ALL {
        let (code, text) = (kind.code(), section(*kind));
        let first = text.find(". ").map_or(text, |end| &text[..=end]);
        page.push_str(&format!("- [{code}](#{code}): {}\n", first.replace('\n', " ")));
    }
    linked(&page, links)
}

/// Returns the section of the document about a kind.
pub fn section(kind: Kind) -> &'static str {
    let heading = format!("\n## {}\n", kind.code());
    let text = DOCUMENT.split_once(&heading).map_or("", |(_, rest)| rest);
    text.split("\n## ").next().unwrap_or_default().trim()
}

/// Rewrites the links inside the document as links between pages.
fn linked(text: &str, links: Links) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((label_start, label_end, target_end)) = next_link(rest) {
        let (label, target) = (&rest[label_start + 1..label_end], &rest[label_end + 3..target_end]);
        out.push_str(&rest[..label_start]);
        match links {
            Links::Name => out.push_str(label),
            Links::Uri => {
                let code = Kind::of_code(target).map(Kind::code);
                out.push_str(&format!("[{label}]({})", uri(code)));
            }
        }
        rest = &rest[target_end + 1..];
    }
    out + rest
}

/// Returns the offsets where the next `[label](#target)` begins, its label ends, and its target ends.
fn next_link(text: &str) -> Option<(usize, usize, usize)> {
    let label_end = text.find("](#")?;
    let label_start = text[..label_end].rfind('[')?;
    let target_end = label_end + text[label_end..].find(')')?;
    Some((label_start, label_end, target_end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_page_whose_links_lead_to_pages() {
        for kind in Kind::ALL {
            let (code, page) = (kind.code(), page(*kind, Links::Uri));
            assert!(page.starts_with(&format!("# {code}\n\n*{}*", kind.severity().word())), "{page}");
            assert!(!page.contains("](#") && page.contains("(briefing:/findings)"), "{page}");
            assert!(!page.trim().is_empty() && of_uri(&uri(Some(code))) == Some(Some(*kind)));
            assert!(index(Links::Uri).contains(&format!("[{code}](briefing:/findings/{code}): *")), "{code}");
        }
        assert!(page(Kind::NearBudget, Links::Uri).contains("[over-budget](briefing:/findings/over-budget)"));
        let page = page(Kind::NearBudget, Links::Name);
        assert!(
            page.contains("those of over-budget.") && page.ends_with("\n\n`briefing explain` lists all findings.\n")
        );
    }

    #[test]
    fn the_corpus_names_kinds_and_has_no_false_finding() {
        let rows = CORPUS.lines().filter(|line| !line.starts_with('#'));
        let of_rows: usize =
            rows.map(|row| row.split('\t').skip(1).map(|n| n.parse::<usize>().expect(row)).sum::<usize>()).sum();
        let of_kinds: [usize; 3] = Kind::ALL.iter().fold([0; 3], |sum, kind| {
            let worth = worth(*kind);
            std::array::from_fn(|at| sum[at] + worth[at])
        });
        assert_eq!(of_kinds.iter().sum::<usize>(), of_rows);
        assert_eq!(of_kinds[2], 0);
    }

    #[test]
    fn a_uri_says_which_page_is_meant() {
        for (uri, about) in [
            ("briefing:/findings", Some(None)),
            ("briefing:///findings/", Some(None)),
            ("briefing:/findings/dead-glob", Some(Some(Kind::DeadGlob))),
            ("briefing:/findings#dead-glob", Some(Some(Kind::DeadGlob))),
            ("briefing:/findings/kind-of-a-later-version", Some(None)),
            ("briefing:/findings-of-mine/a.rs", None),
            ("briefing:/codex/findings", None),
            ("file:///findings", None),
        ] {
            assert_eq!(of_uri(uri), about, "{uri}");
        }
    }
}
