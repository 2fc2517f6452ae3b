//! Reports changes of an agent's instructions, without an editor.

use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::settings::Settings;
use super::workspace::EventSource;
use super::{Core, Date};
use crate::answer::Resolution;
use crate::report::briefing::totals;
use crate::report::compare::{Difference, compare, paired};
use crate::request::{Defaults, Places, Request};

/// Changes within this time are reported together.
const QUIET: Duration = Duration::from_millis(25);

/// Polling interval if the system cannot watch everything.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Event reported to the caller.
pub enum Heard {
    /// The watch is complete, for these agents.
    Begun(Vec<String>),
    /// The instructions of one agent changed.
    Changed(Change),
}

/// Change of one agent's instructions.
#[derive(Clone, Debug, Serialize, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// Version of the index; it grows with every change.
    pub version: u64,
    /// Id of the agent.
    pub harness: String,
    /// Name of the rules.
    pub edition: String,
    /// Degree of trust in the answer.
    pub fidelity: String,
    /// Current size of all instruction messages, in bytes.
    pub bytes: usize,
    /// Previous size, in bytes.
    pub bytes_before: usize,
    /// Estimated number of tokens.
    pub tokens: usize,
    /// Reason why the agent would not start, if any.
    pub refusal: Option<String>,
    /// Differences. Empty if only the text of the same files changed.
    pub differences: Vec<Difference>,
    /// Directory in which the agent is started.
    pub cwd: PathBuf,
    /// Home directory.
    #[serde(skip)]
    pub home: PathBuf,
}

/// Watches until `say` returns false.
pub fn watch(
    base: Defaults,
    request: &Request,
    places: &Places,
    today: fn() -> Date,
    say: &mut dyn FnMut(Heard) -> bool,
) -> Result<(), String> {
    let core = Core::new(base, Box::new(today));
    let (changed, changes) = sync_channel(1);
    // A change that is not reported yet stands for all.
    core.listen(move |_| {
        let _ = changed.try_send(());
    });
    core.start_in(&places.cwd, Settings::default());
    let mut told = core.answers(request, places)?;
    // This reads all facts once more, so no change in between is missed.
    core.watch();
    let names = told.0.iter().map(|answer| format!("{} {}", answer.harness, answer.edition));
    let mut goes_on = say(Heard::Begun(names.collect()));
    while goes_on {
        let patience = if core.told() == EventSource::System { Duration::MAX } else { LOOK_EVERY };
        if changes.recv_timeout(patience) == Err(RecvTimeoutError::Disconnected) {
            break;
        }
        while changes.recv_timeout(QUIET).is_ok() {}
        // An unreadable declaration may be in the middle of being written.
        let Ok(now) = core.answers(request, places) else { continue };
        goes_on = paired(&told.0, &now.0)
            .into_iter()
            .all(|(before, answer)| change(before, answer, now.1).is_none_or(|change| say(Heard::Changed(change))));
        told = now;
    }
    Ok(())
}

/// Returns the change of one agent, or `None` if the model gets the same.
fn change(before: &Resolution, now: &Resolution, version: u64) -> Option<Change> {
    // The answer came from the cache.
    if std::ptr::eq(before, now) {
        return None;
    }
    let comparison = compare(before, now);
    let refusal = now.answer.refusal.as_ref().map(|refusal| refusal.message.clone());
    let refused = before.answer.refusal.as_ref().map(|refusal| refusal.message.clone());
    if comparison.same && refusal == refused {
        return None;
    }
    let totals_now = totals(&now.answer);
    Some(Change {
        version,
        harness: now.harness.clone(),
        edition: now.edition.clone(),
        fidelity: now.fidelity.word().to_owned(),
        bytes: totals_now.bytes,
        bytes_before: totals(&before.answer).bytes,
        tokens: totals_now.tokens.value,
        refusal,
        differences: comparison.differences,
        cwd: now.standpoint.cwd.clone(),
        home: now.standpoint.home.clone(),
    })
}
