//! Shortcuts: common patterns with a known expression, and patterns of one name without brackets.

use super::{GLOBSTAR, NO_DOTS_SLASH, ONE_CHAR, QMARK, STAR};

/// No name of the following path is `.` or `..`.
const NO_DOTS: &str = "(?!(?:^|\\/)\\.{1,2}(?:\\/|$))";

/// Returns the expression of common patterns such as `*.ts`, with an optional trailing slash.
pub(super) fn usual(pattern: &str) -> Option<String> {
    known(pattern.strip_prefix("./").unwrap_or(pattern)).map(|source| source + "\\/?")
}

fn known(pattern: &str) -> Option<String> {
    let below = format!("(?:{NO_DOTS}{GLOBSTAR}\\/)?");
    Some(match pattern {
        "*" => format!("{NO_DOTS}{ONE_CHAR}{STAR}"),
        ".*" => format!("\\.{ONE_CHAR}{STAR}"),
        "*.*" => format!("{NO_DOTS}{STAR}\\.{ONE_CHAR}{STAR}"),
        "*/*" => format!("{NO_DOTS}{STAR}\\/{ONE_CHAR}{NO_DOTS_SLASH}{STAR}"),
        "**" => format!("{NO_DOTS}{GLOBSTAR}"),
        "**/*" => format!("{below}{NO_DOTS_SLASH}{ONE_CHAR}{STAR}"),
        "**/*.*" => format!("{below}{NO_DOTS_SLASH}{STAR}\\.{ONE_CHAR}{STAR}"),
        "**/.*" => format!("{below}\\.{ONE_CHAR}{STAR}"),
        _ => {
            let (stem, extension) = pattern.rsplit_once('.')?;
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if extension.is_empty() || !extension.chars().all(is_word) {
                return None;
            }
            format!("{}\\.{extension}", known(stem)?)
        }
    })
}

/// Converts a pattern without slashes, brackets and quotation marks that does not start with a star or a `!`.
pub(super) fn plain(pattern: &str) -> Option<String> {
    if pattern.starts_with(['*', '!']) || pattern.contains(['/', '(', ')', '[', ']', '{', '}', '"']) {
        return None;
    }
    let signs: Vec<char> = pattern.chars().collect();
    let is_sign = |at: usize| signs.get(at).is_some_and(|c| !c.is_ascii_alphanumeric() && *c != '_');
    let (mut out, mut at, mut backslashes) = (String::new(), 0, false);
    while at < signs.len() {
        if !is_sign(at) {
            out.push(signs[at]);
            at += 1;
            continue;
        }
        let is_escaped = signs[at] == '\\' && is_sign(at + 1);
        let from = at + usize::from(is_escaped);
        let sign = signs[from];
        let run = signs[from..].iter().take_while(|c| **c == sign).count();
        let all = || std::iter::repeat_n(sign, run);
        at = from + run;
        match (sign, is_escaped) {
            ('\\', _) => {
                backslashes = true;
                out.extend(is_escaped.then_some('\\').into_iter().chain(all()));
            }
            ('?', true) => out.push_str(&format!("\\?{}", QMARK.repeat(run - 1))),
            ('?', false) => out.push_str(&QMARK.repeat(run)),
            ('.', _) => out.push_str(&"\\.".repeat(run)),
            ('*', true) => out.push_str(if run > 1 { "\\*[^/]*?" } else { "\\*" }),
            ('*', false) => out.push_str(STAR),
            // Only the first of a run is escaped.
            _ => {
                out.push('\\');
                out.extend(all());
            }
        }
    }
    let out = if backslashes { halved(&out) } else { out };
    Some(format!("^(?:{out})$"))
}

/// Reduces a run of backslashes to two, or to one if their number is odd.
fn halved(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(start) = rest.find('\\') {
        let behind = rest[start..].trim_start_matches('\\');
        let run = rest.len() - start - behind.len();
        out.push_str(&rest[..start]);
        out.push_str(if run % 2 == 0 { "\\\\" } else { "\\" });
        rest = behind;
    }
    out + rest
}
