//! The first screen of `briefing show`: a line for each agent, then only remarks on what is not as one would expect.

use std::fmt::Write;
use std::path::Path;

use anstyle::{AnsiColor, Style};

use super::lines::wrapped;
use crate::answer::{Fate, Fidelity, Purpose, Resolution, Source, Standing, Trigger, Warning};
use crate::report::briefing::{uncertainty, whole};
use crate::report::escape::visible;
use crate::report::findings::{Share, share};
use crate::report::judged::{Judged, sentence};
use crate::report::words::{Paths, count, fate, list, reached};
use crate::text::grouped;

/// Minimum width of the screen, in columns.
const NARROWEST: usize = 40;
/// Maximum width of the column of names; longer names have a line of their own.
const NAMES: usize = 26;
/// Maximum width of the column of paths.
const PATHS: usize = 38;
/// Maximum number of remarks that are shown; more are counted.
const SHOWN: usize = 12;
/// Indentation of a reason that is written below its remark, in columns.
const INDENT: usize = 4;
/// Number of characters of a bar.
const BAR: usize = 6;

const BOLD: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const WARNING: Style = AnsiColor::Yellow.on_default();
const ERROR: Style = AnsiColor::Red.on_default();
const GOOD: Style = AnsiColor::Green.on_default();

/// Renders all answers in `width` columns; `others` is the number of agents that were not asked.
pub(super) fn of_all(answers: &[Resolution], others: usize, width: usize) -> String {
    let width = width.max(NARROWEST);
    let mut out = String::new();
    if let Some(first) = answers.first() {
        let at = &first.standpoint;
        let cwd = visible(&Paths::home(&at.home).path(&at.cwd));
        let (what, rest) = match &at.target {
            Some(target) => {
                let how = reached(at.tool);
                (visible(&Paths::of(first).path(target)), format!(", {how} by agents started in {cwd}"))
            }
            None => ("The start of a session".to_owned(), format!(" in {cwd}")),
        };
        out.push_str(&title(&what, &rest, width));
    }
    // An agent without instruction files needs no line, unless the rules for the requested version are uncertain.
    let silent = |answer: &&Resolution| {
        answer.answer.sources.is_empty() && answer.answer.refusal.is_none() && unchecked_version(answer).is_none()
    };
    let (silent, telling): (Vec<_>, Vec<_>) = answers.iter().partition(silent);
    rows(&mut out, &telling, width);
    remarks(&mut out, &telling, width);
    let mut last = Vec::new();
    if !silent.is_empty() {
        let names: Vec<&str> = silent.iter().map(|answer| answer.harness.as_str()).collect();
        last.push(format!("no instruction files for {}", list(&names)));
    }
    if others > 0 {
        last.push(format!("{}: --agents all", count(others, "more agent")));
    }
    if !telling.is_empty() {
        last.push("every file and its reason: -v".to_owned());
    }
    for (at, line) in wrapped(&last.join(" · "), width).iter().enumerate() {
        let gap = if at == 0 && !telling.is_empty() { "\n" } else { "" };
        let _ = writeln!(out, "{gap}{FAINT}{}{FAINT:#}", visible(line));
    }
    out
}

/// Returns a title whose first part is bold. If it is too long for a line, the rest has a line of its own.
fn title(what: &str, rest: &str, width: usize) -> String {
    if what.chars().count() + rest.chars().count() <= width {
        return format!("{BOLD}{what}{BOLD:#}{rest}\n");
    }
    let mut out = String::new();
    for line in wrapped(what, width) {
        let _ = writeln!(out, "{BOLD}{line}{BOLD:#}");
    }
    for line in wrapped(rest.trim_start_matches([',', ' ']), width - INDENT) {
        let _ = writeln!(out, "{:INDENT$}{line}", "");
    }
    out
}

/// Returns the lines that say which agents were judged, and why; none if none was.
pub(super) fn judged(judged: &[Judged], width: usize) -> String {
    let mut out = String::new();
    for line in wrapped(&sentence(judged), width.max(NARROWEST)) {
        let _ = writeln!(out, "{FAINT}{}{FAINT:#}", visible(&line));
    }
    out
}

/// Agents that load the same files in the same way.
struct Row<'a> {
    answers: Vec<&'a Resolution>,
    share: Option<Share>,
}

fn rows(out: &mut String, answers: &[&Resolution], width: usize) {
    let mut rows: Vec<Row> = Vec::new();
    for answer in answers {
        let share = share(answer);
        match rows.iter_mut().find(|row| row.share == share && alike(row.answers[0], answer)) {
            Some(row) => row.answers.push(answer),
            None => rows.push(Row { answers: vec![answer], share }),
        }
    }
    let names: Vec<String> = rows.iter().map(|row| list_of(&row.answers)).collect();
    let figures: Vec<String> = rows.iter().map(figures).collect();
    let shares: Vec<String> = rows.iter().map(|row| row.share.as_ref().map_or_else(String::new, said)).collect();
    let widest = |cells: &[String]| cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
    let words: Vec<&str> = rows.iter().map(|row| standing(row.answers[0]).0).collect();
    let of_words = words.iter().map(|word| word.len()).max().unwrap_or(0);
    let of_figures = widest(&figures);
    // A longer name has a line of its own.
    let space = width.saturating_sub(of_words + of_figures + 4).min(NAMES);
    let fitting: Vec<String> = names.iter().filter(|name| name.chars().count() <= space).cloned().collect();
    let of_names = widest(&fitting);
    // Bars are left out where lines have no space for them.
    let of_columns = of_names + of_words + of_figures + 4;
    let of_shares = if of_columns + 2 + widest(&shares) <= width { widest(&shares) } else { 0 };
    for (at, row) in rows.iter().enumerate() {
        let name = &names[at];
        if name.chars().count() > of_names {
            for line in wrapped(name, width) {
                let _ = writeln!(out, "{BOLD}{}{BOLD:#}", visible(&line));
            }
            let _ = write!(out, "{:of_names$}", "");
        } else {
            let _ = write!(out, "{BOLD}{}{BOLD:#}{:gap$}", visible(name), "", gap = of_names - name.chars().count());
        }
        let answer = row.answers[0];
        let (word, style) = standing(answer);
        let _ = write!(out, "  {style}{word:<of_words$}{style:#}  {:>of_figures$}", figures[at]);
        let mut used = of_columns;
        if of_shares > 0 {
            let style = row.share.as_ref().map_or(FAINT, |share| if share.is_over() { WARNING } else { FAINT });
            let _ = write!(out, "  {style}{:<of_shares$}{style:#}", shares[at]);
            used += 2 + of_shares;
        }
        let lost = losses(answer);
        if used + 2 + lost.chars().count() + NARROWEST / 2 > width {
            let _ = write!(out, "\n{:INDENT$}", "");
            used = INDENT;
        }
        if !lost.is_empty() {
            let _ = write!(out, "  {WARNING}{lost}{WARNING:#}");
            used += 2 + lost.chars().count();
        }
        let files = files(answer, width.saturating_sub(used + 2));
        let gap = if files.is_empty() { "" } else { "  " };
        let _ = writeln!(out, "{gap}{}", visible(&files));
        // Where several agents share a row their sizes may differ; one of them has them at `-v`.
        let parts = if row.answers.len() == 1 { whole(&answer.answer).parts() } else { String::new() };
        if !parts.is_empty() {
            for line in wrapped(&parts, width - INDENT) {
                let _ = writeln!(out, "{:INDENT$}{FAINT}{line}{FAINT:#}", "");
            }
        }
    }
}

/// Returns how far an answer can be relied on, in one word.
fn standing(answer: &Resolution) -> (&'static str, Style) {
    match (&answer.answer.refusal, answer.fidelity) {
        (Some(_), _) => ("refuses", ERROR),
        (None, Fidelity::Exact) => ("exact", GOOD),
        (None, other) => (other.word(), WARNING),
    }
}

/// Returns true if two agents load the same files in the same way.
fn alike(one: &Resolution, other: &Resolution) -> bool {
    let ways = |answer: &Resolution| {
        let told = answer.answer.sources.iter().filter(|source| source.fate != Fate::Shadowed);
        told.map(|source| (source.place.clone(), source.fate, source.trigger, source.kept.clone())).collect::<Vec<_>>()
    };
    one.fidelity == other.fidelity && one.answer.refusal == other.answer.refusal && ways(one) == ways(other)
}

fn list_of(answers: &[&Resolution]) -> String {
    let names: Vec<String> = answers.iter().map(|answer| format!("{} {}", answer.harness, answer.edition)).collect();
    names.join(", ")
}

/// Formats bytes and tokens of everything that is sent; for several agents, from the least to the most.
fn figures(row: &Row) -> String {
    let sizes = || row.answers.iter().map(|answer| whole(&answer.answer));
    let range = |numbers: Vec<usize>| {
        let (least, most) = (numbers.iter().min().copied(), numbers.iter().max().copied());
        let (least, most) = (least.unwrap_or(0), most.unwrap_or(0));
        if least == most { grouped(most) } else { format!("{}–{}", grouped(least), grouped(most)) }
    };
    let bytes = range(sizes().map(|total| total.bytes).collect());
    let tokens = sizes().map(|total| total.tokens.value).max().unwrap_or(0);
    format!("{bytes} B ≈{:>7} tokens", grouped(tokens))
}

/// Formats the share of a limit: `████▌   65 %`.
fn said(share: &Share) -> String {
    let percent = share.percent();
    format!("{} {percent:>3} %", bar(percent, BAR))
}

/// Renders a bar with room for `cells` characters.
pub(super) fn bar(percent: usize, cells: usize) -> String {
    let eighths = (percent.min(100) * cells * 8).div_ceil(100);
    let full = "█".repeat(eighths / 8);
    let part = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    format!("{:<cells$}", format!("{full}{part}"))
}

/// Counts the files that are cut, skipped or missing.
fn losses(answer: &Resolution) -> String {
    let count_of = |fates: &[Fate]| {
        answer.answer.sources.iter().filter(|source| !is_plain(source) && fates.contains(&source.fate)).count()
    };
    let cut = count_of(&[Fate::Truncated]);
    let skipped = count_of(&[Fate::Dropped]);
    let missing = count_of(&[Fate::Missing, Fate::Unreadable]);
    let said = [(cut, fate(Fate::Truncated)), (skipped, fate(Fate::Dropped)), (missing, fate(Fate::Missing))];
    said.iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Lists the names of the loaded files, as many as fit.
fn files(answer: &Resolution, space: usize) -> String {
    if let Some(refusal) = &answer.answer.refusal {
        return shortened(&Paths::of(answer).path(&refusal.path), space.max(12));
    }
    let paths = Paths::of(answer);
    let reaches = |source: &&Source| source.fate.reaches();
    let is_skill = |source: &&Source| source.purpose == Purpose::Skill;
    let told: Vec<&Source> = answer.answer.sources.iter().filter(reaches).collect();
    let (skills, files): (Vec<&Source>, Vec<&Source>) = told.into_iter().partition(is_skill);
    let mut names: Vec<String> = Vec::new();
    for name in files.iter().map(|source| name(source, &paths)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let skills = (!skills.is_empty()).then(|| count(skills.len(), "skill"));
    for shown in (0..=names.len()).rev() {
        let hidden = names.len() - shown;
        let more = (hidden > 0).then(|| if shown == 0 { count(hidden, "file") } else { format!("{hidden} more") });
        let parts: Vec<String> = names[..shown].iter().cloned().chain(more).chain(skills.clone()).collect();
        let line = parts.join(", ");
        if line.chars().count() <= space || shown == 0 && hidden != 1 {
            return line;
        }
        if shown == 0 {
            let skills = skills.map(|skills| format!(", {skills}")).unwrap_or_default();
            return shortened(&names[0], space.saturating_sub(skills.len()).max(12)) + &skills;
        }
    }
    String::new()
}

fn name(source: &Source, paths: &Paths) -> String {
    source.path().map_or_else(|| source.place.to_string(), |path| paths.path(path))
}

/// Returns true if the source needs no remark.
fn is_plain(source: &Source) -> bool {
    match source.fate {
        Fate::Loaded | Fate::Listed | Fate::Empty => true,
        // A rule with globs is loaded later, together with a matching file.
        Fate::Dropped => source.trigger != Trigger::Session && source.limit.is_none(),
        Fate::Truncated | Fate::Shadowed | Fate::Excluded | Fate::Missing | Fate::Unreadable | Fate::Pending => false,
    }
}

/// A remark on a source or an answer, with the agents that it holds for.
struct Remark {
    rank: u8,
    word: &'static str,
    style: Style,
    path: String,
    reason: String,
    harnesses: Vec<String>,
}

fn remarks(out: &mut String, answers: &[&Resolution], width: usize) {
    let mut all: Vec<Remark> = Vec::new();
    for answer in answers {
        for remark in of_answer(answer) {
            let same = |other: &&mut Remark| {
                (other.word, &other.path, &other.reason) == (remark.word, &remark.path, &remark.reason)
            };
            match all.iter_mut().find(same) {
                Some(other) if other.harnesses.contains(&answer.harness) => {}
                Some(other) => other.harnesses.push(answer.harness.clone()),
                None => all.push(remark),
            }
        }
    }
    let mut all = merged(all);
    all.sort_by_key(|remark| remark.rank);
    let hidden = all.len().saturating_sub(SHOWN);
    all.truncate(SHOWN);
    let who: Vec<String> = all.iter().map(|remark| some_of(&remark.harnesses, NAMES)).collect();
    let widest = |cells: &mut dyn Iterator<Item = usize>, most: usize| cells.max().unwrap_or(0).min(most);
    let of_words = widest(&mut all.iter().map(|remark| remark.word.len()), 12);
    let of_paths = widest(&mut all.iter().map(|remark| remark.path.chars().count()), PATHS);
    let of_who = widest(&mut who.iter().map(|who| who.chars().count()), NAMES);
    let space = width.saturating_sub(of_words + of_paths + of_who + 6);
    if !all.is_empty() {
        out.push('\n');
    }
    for (remark, who) in all.iter().zip(&who) {
        let (word, style) = (remark.word, remark.style);
        let path = visible(&shortened(&remark.path, of_paths));
        let reason = visible(&remark.reason);
        // What does not fit beside its file stands below it.
        let (beside, below) = match reason.chars().count() <= space {
            true => (reason, Vec::new()),
            false => (String::new(), wrapped(&reason, width.saturating_sub(INDENT))),
        };
        let line = format!("{path:<of_paths$}  {who:<of_who$}  {beside}");
        let line = format!("{style}{word:<of_words$}{style:#}  {}", line.trim_end());
        let _ = writeln!(out, "{}", line.trim_end());
        for line in below {
            let _ = writeln!(out, "{:INDENT$}{FAINT}{line}{FAINT:#}", "");
        }
    }
    if hidden > 0 {
        let _ = writeln!(out, "{FAINT}and {hidden} more{FAINT:#}");
    }
}

/// Merges the remarks on files that share word, reason and agents into one line.
fn merged(all: Vec<Remark>) -> Vec<Remark> {
    let mut lines: Vec<(Remark, usize)> = Vec::new();
    for remark in all {
        let same = |(line, _): &&mut (Remark, usize)| {
            (line.word, &line.reason, &line.harnesses) == (remark.word, &remark.reason, &remark.harnesses)
        };
        match lines.iter_mut().find(same) {
            Some((_, more)) => *more += 1,
            None => lines.push((remark, 0)),
        }
    }
    let counted = |(line, more): (Remark, usize)| match more {
        0 => line,
        _ => Remark { path: format!("{} +{more}", line.path), ..line },
    };
    lines.into_iter().map(counted).collect()
}

/// Collects the remarks about one answer.
fn of_answer(answer: &Resolution) -> Vec<Remark> {
    let paths = Paths::of(answer);
    let harnesses = || vec![answer.harness.clone()];
    let mut found = Vec::new();
    if let Some(refusal) = &answer.answer.refusal {
        found.push(Remark {
            rank: 0,
            word: "refused",
            style: ERROR,
            path: paths.path(&refusal.path),
            reason: without(&paths.text(&refusal.message), &paths.path(&refusal.path)),
            harnesses: harnesses(),
        });
    }
    // A rule that is left out at the start, but comes with this very file, needs no remark.
    let comes_otherwise = |waiting: &Source| {
        let is_other = |source: &Source| source.place == waiting.place && source.fate.reaches();
        matches!(waiting.fate, Fate::Excluded | Fate::Dropped) && answer.answer.sources.iter().any(is_other)
    };
    for source in answer.answer.sources.iter().filter(|source| !is_plain(source) && !comes_otherwise(source)) {
        let (rank, style) = match source.fate {
            Fate::Truncated => (1, WARNING),
            Fate::Missing | Fate::Unreadable => (2, ERROR),
            Fate::Dropped => (3, WARNING),
            Fate::Pending => (4, WARNING),
            Fate::Shadowed | Fate::Excluded | Fate::Loaded | Fate::Listed | Fate::Empty => (6, FAINT),
        };
        let reason = paths.text(&source.reason);
        found.push(Remark {
            rank,
            word: fate(source.fate),
            style,
            path: name(source, &paths),
            reason,
            harnesses: harnesses(),
        });
    }
    if answer.answer.refusal.is_none() && answer.fidelity != Fidelity::Exact {
        let (path, reason) = (String::new(), paths.text(&uncertainty(answer)));
        let word = answer.fidelity.word();
        found.push(Remark { rank: 4, word, style: WARNING, path, reason, harnesses: harnesses() });
    }
    if let Some(reason) = unchecked_version(answer).filter(|reason| !uncertainty(answer).contains(*reason)) {
        let (path, reason) = (String::new(), reason.to_owned());
        found.push(Remark { rank: 4, word: "note", style: WARNING, path, reason, harnesses: harnesses() });
    }
    for warning in answer.answer.warnings.iter().filter(|warning| !is_said_elsewhere(warning, answer)) {
        let path = warning.path.as_deref().map(|path| paths.path(path)).unwrap_or_default();
        let reason = without(&paths.text(&warning.message), &path);
        // The client says this itself, in these words.
        let is_quoted = warning.path.is_none() && warning.code == "over-budget";
        let reason = if is_quoted { format!("{} warns: “{reason}”", answer.title) } else { reason };
        found.push(Remark { rank: 5, word: "note", style: WARNING, path, reason, harnesses: harnesses() });
    }
    found
}

/// Returns why the requested version is answered by the rules of another one.
fn unchecked_version(answer: &Resolution) -> Option<&str> {
    match &answer.claim.standing {
        Standing::Uncertain(why) => Some(why),
        Standing::Covered | Standing::Newer => None,
    }
}

/// Returns true if another line of the screen already covers the warning.
fn is_said_elsewhere(warning: &Warning, answer: &Resolution) -> bool {
    // The reason why the answer is not exact has a line of its own.
    let is_doubt = answer.answer.files_only.as_ref().is_some_and(|reason| reason.contains(&warning.message));
    // An import that has a line of its own needs no second one for the file that names it.
    let is_its_import = |source: &Source| {
        let names = |path: &Path| warning.message.contains(&*path.to_string_lossy());
        warning.code.starts_with("import-") && source.by == warning.path && source.path().is_some_and(names)
    };
    let has_line =
        |source: &Source| !is_plain(source) && (source.path() == warning.path.as_deref() || is_its_import(source));
    is_doubt
        || warning.code == "between-editions"
        || warning.path.is_some() && answer.answer.sources.iter().any(has_line)
}

/// Removes the path at the start of a sentence, since it stands beside it.
fn without(sentence: &str, path: &str) -> String {
    let rest = sentence.strip_prefix(path).filter(|_| !path.is_empty()).and_then(|rest| rest.strip_prefix(':'));
    rest.map_or(sentence, str::trim_start).to_owned()
}

/// Shortens a path that is too long: its beginning and its name say most, so the middle is left out.
pub(super) fn shortened(path: &str, space: usize) -> String {
    let length = path.chars().count();
    if length <= space {
        return path.to_owned();
    }
    let tail = space * 2 / 3;
    let head: String = path.chars().take(space.saturating_sub(tail + 1)).collect();
    let tail: String = path.chars().skip(length - tail).collect();
    format!("{head}…{tail}")
}

/// Returns as many names as fit, and how many more there are.
fn some_of(names: &[String], space: usize) -> String {
    for shown in (1..=names.len()).rev() {
        let more = (shown < names.len()).then(|| format!("+{}", names.len() - shown));
        let line = [names[..shown].join(", ")].into_iter().chain(more).collect::<Vec<_>>().join(" ");
        if line.chars().count() <= space || shown == 1 {
            return line;
        }
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Unit;

    #[test]
    fn what_is_too_long_keeps_its_beginning_and_its_end() {
        assert_eq!(shortened("packages/a-long-name/AGENTS.md", 20), "packag…ame/AGENTS.md");
        assert_eq!(shortened("AGENTS.md", 20), "AGENTS.md");
        let names = ["goose", "kimi-code", "mistral-vibe"].map(str::to_owned);
        assert_eq!(
            [5, 22, 40].map(|space| some_of(&names, space)),
            ["goose +2", "goose, kimi-code +1", "goose, kimi-code, mistral-vibe"]
        );
    }

    #[test]
    fn a_bar_is_as_long_as_its_share() {
        let share = |used| said(&Share { used, limit: 32 * 1024, unit: Unit::Bytes });
        assert_eq!([16, 40, 0].map(|kib| share(kib * 1024)), ["███     50 %", "██████ 125 %", "         0 %"]);
    }
}
