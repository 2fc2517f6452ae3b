//! `briefing verify --records`: compares recorded sessions with what Briefing says. No program is run.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use jiff::Timestamp;

use super::Verify;
use crate::answer::{Standpoint, Trigger};
use crate::cli::audit::{parse_agent, project};
use crate::cli::show::{Disk, answer, print_json, print_screen, write};
use crate::cli::whom::{Format, here};
use crate::cli::{FINDINGS, Failure, MISUSE, redact};
use crate::disk::{Filesystem, Real};
use crate::engine::audit::{Wanted, homes, sessions};
use crate::engine::evidence::{Difference, Evidence, evidence};
use crate::report::case::{case, observed};
use crate::report::escape::visible;
use crate::report::words::{count, list};
use crate::snapshot::absolute;
use crate::text::grouped;

/// Compares the chosen sessions, and prints the result for each agent and version.
pub(super) fn run(arguments: &Verify) -> Result<ExitCode, Failure> {
    let agents = arguments.what.iter().map(|agent| parse_agent(agent)).collect::<Result<Vec<_>, _>>()?;
    let (cwd, defaults) = arguments.whom.standing()?;
    let project = Real.real_path(&project(&cwd)).unwrap_or_else(|_| project(&cwd));
    let since = arguments.since.0.map(|time| Timestamp::now().saturating_sub(time).unwrap_or(Timestamp::MIN));
    let wanted = Wanted { project: (!arguments.all_projects).then_some(project), since, agents };
    let ask = |choice: &_, at: &Standpoint| Arc::new(answer(&Real, choice, at));
    let found = evidence(&sessions(&homes(&defaults), &wanted), &defaults, &ask);
    match arguments.format {
        Format::Json => print_json(&serde_json::json!({ "agents": found }))?,
        Format::Text => print_screen(&table(&found))?,
    }
    let first = found.iter().find_map(|one| Some((one, one.differences.first()?)));
    if let (Some(file), Some((of_version, difference))) = (&arguments.case, first) {
        let file = absolute(&here()?, file);
        let did = if Real.stat(&file).is_ok() { "overwrote" } else { "wrote" };
        write(&file, &redact::redacted(&case_of(of_version, difference)))?;
        eprintln!("{did} {}", visible(&file.display()));
    }
    Ok(match (first, found.iter().any(|one| one.asked > 0)) {
        (Some(_), _) => ExitCode::from(FINDINGS),
        (None, true) => ExitCode::SUCCESS,
        (None, false) => ExitCode::from(MISUSE),
    })
}

fn table(found: &[Evidence]) -> String {
    let mut out = String::new();
    if found.is_empty() {
        return "no recorded session in that time; --since all and --all-projects look further\n".to_owned();
    }
    for one in found {
        let who = [one.agent.as_str(), one.version.as_str()].join(" ").trim_end().to_owned();
        let _ = writeln!(
            out,
            "{}: {}, {} equal, {} different; {} not comparable",
            visible(&who),
            count(one.asked, "step"),
            one.equal,
            one.different,
            one.incomparable
        );
        for (reason, number) in &one.reasons {
            let _ = writeln!(out, "  {} not compared: {reason}", grouped(*number));
        }
        if let Some((first, last)) = one.sessions.filter(|_| one.different == 0 && !one.version.is_empty()) {
            let _ = writeln!(out, "  exact, as your sessions {} show", days(first, last));
        }
        for Difference { session, step, recorded, expected, .. } in &one.differences {
            let _ = writeln!(out, "  {} in {}", visible(step), visible(session));
            for (who, texts) in [("only the record has", recorded), ("only Briefing says", expected)] {
                if !texts.is_empty() {
                    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                    let _ = writeln!(out, "    {who} {}", visible(&list(&texts)));
                }
            }
        }
    }
    out
}

/// Returns a span of days in words.
fn days(first: Timestamp, last: Timestamp) -> String {
    let day = |when: Timestamp| when.to_zoned(jiff::tz::TimeZone::system()).date().to_string();
    let (first, last) = (day(first), day(last));
    if first == last { format!("of {first}") } else { format!("from {first} to {last}") }
}

/// Renders a case with the facts behind a difference and the texts of the record.
fn case_of(of_version: &Evidence, difference: &Difference) -> String {
    let trigger = if difference.step == "start" { Trigger::Session } else { Trigger::Read };
    let role = |trigger| {
        let said = difference.answer.answer.messages.iter().find(|message| message.trigger == trigger);
        said.map_or("user", |message| message.role.word())
    };
    let mut text = case(std::slice::from_ref(&difference.answer), &Disk::over(&Real), None);
    let told = difference.texts.iter().map(|text| (trigger.word(), role(trigger), &**text));
    observed(&mut text, told, &of_version.agent, &of_version.version);
    text
}
