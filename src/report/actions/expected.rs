//! Fixes of failed expectations: a sentence that was reworded, and a file that an agent reads only where it is imported.

use super::names::imported;
use super::{Action, Context};
use crate::harness::custom::FILE_NAME;
use crate::report::expect::{Demand, SIMILAR, declared};
use crate::report::findings::Finding;
use crate::report::sentences::sentences;

/// The fixes of an expectation that does not hold.
pub(super) fn fixes(ctx: &Context, finding: &Finding) -> Vec<Action> {
    let fix = match ctx.subject.name().as_str() {
        FILE_NAME => reworded(ctx, finding),
        "AGENTS.md" if finding.harness.as_deref() == Some("claude-code") => imported(ctx, finding),
        _ => None,
    };
    fix.into_iter().collect()
}

/// Expects what an instruction file says now.
fn reworded(ctx: &Context, finding: &Finding) -> Option<Action> {
    let near = finding.related.iter().find_map(|(_, words)| words.strip_prefix(SIMILAR))?;
    let now = sentences(near).into_iter().next()?;
    let all = declared(ctx.text.as_bytes()).all;
    let expectation = all.into_iter().find(|one| one.at.contains(&finding.range.start))?;
    let Demand::Text(text) = &expectation.demand else { return None };
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    // Its place may be no more than its head.
    let start = expectation.at.start + ctx.text[expectation.at.start..].find(&quoted(text))?;
    let edit = ctx.replace(start..start + quoted(text).len(), quoted(&now));
    Some(Action::fix(finding, format!("Expect “{now}”"), vec![edit]).preferred())
}
