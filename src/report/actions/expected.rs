//! Fixes of failed expectations: update a reworded sentence, or import a file that the agent does not read by itself.

use super::names::imported;
use super::{Action, Context};
use crate::harness::custom::FILE_NAME;
use crate::report::expect::{Demand, SIMILAR, declared};
use crate::report::findings::Finding;
use crate::report::sentences::sentences;

/// Returns the fixes of a failed expectation.
pub(super) fn fixes(ctx: &Context, finding: &Finding) -> Vec<Action> {
    let fix = match ctx.subject.name().as_str() {
        FILE_NAME => reworded(ctx, finding),
        "AGENTS.md" if finding.harness.as_deref() == Some("claude-code") => imported(ctx, finding),
        _ => None,
    };
    fix.into_iter().collect()
}

/// Replaces the expected sentence with the current sentence of the instruction file.
fn reworded(ctx: &Context, finding: &Finding) -> Option<Action> {
    let near = finding.related.iter().find_map(|(_, words)| words.strip_prefix(SIMILAR))?;
    let now = sentences(near).into_iter().next()?;
    let all = declared(ctx.text.as_bytes()).all;
    let expectation = all.into_iter().find(|one| one.at.contains(&finding.range.start))?;
    let Demand::Text(text) = &expectation.demand else { return None };
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    // The range of an expectation may cover only its header, so the search goes on to the end of the file.
    let start = expectation.at.start + ctx.text[expectation.at.start..].find(&quoted(text))?;
    let edit = ctx.replace(start..start + quoted(text).len(), quoted(&now));
    Some(Action::fix(finding, format!("Expect “{now}”"), vec![edit]).preferred())
}
