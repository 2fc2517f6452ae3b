//! Reports changes of an agent's instructions, without an editor.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use tokio::time::timeout;

use super::alone::runtime;
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

/// Watches until the user interrupts it, or `say` returns false.
pub fn watch(
    base: Defaults,
    request: &Request,
    places: &Places,
    today: fn() -> Date,
    say: &mut dyn FnMut(Heard) -> bool,
) -> Result<(), String> {
    let runtime = runtime()?;
    let core = Core::new(base, Box::new(today));
    core.start_in(&places.cwd, Settings::default());
    let ended = runtime.block_on(async {
        tokio::select! {
            ended = watching(&core, request, places, say) => ended,
            () = interrupted() => Ok(()),
        }
    });
    runtime.shutdown_background();
    ended
}

async fn watching(
    core: &Arc<Core>,
    request: &Request,
    places: &Places,
    say: &mut dyn FnMut(Heard) -> bool,
) -> Result<(), String> {
    let mut told = asked(core, request, places).await?;
    let arming = core.clone();
    // This reads all facts once more, so no change in between is missed.
    drop(tokio::task::spawn_blocking(move || arming.watch()).await);
    let names = told.0.iter().map(|answer| format!("{} {}", answer.harness, answer.edition));
    if !say(Heard::Begun(names.collect())) {
        return Ok(());
    }
    loop {
        let changed = core.changed_outside.notified();
        if core.told() == EventSource::System {
            changed.await;
        } else {
            let _ = timeout(LOOK_EVERY, changed).await;
        }
        while timeout(QUIET, core.changed_outside.notified()).await.is_ok() {}
        // An unreadable declaration may be in the middle of being written.
        let Ok(now) = asked(core, request, places).await else { continue };
        for (before, answer) in paired(&told.0, &now.0) {
            if change(before, answer, now.1).is_some_and(|change| !say(Heard::Changed(change))) {
                return Ok(());
            }
        }
        told = now;
    }
}

async fn asked(core: &Arc<Core>, request: &Request, places: &Places) -> Result<(Vec<Arc<Resolution>>, u64), String> {
    core.answers(request, places).await.map_err(|error| error.message.into_owned())
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

/// Waits until the user or the parent process ends the program.
async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut terminated) = signal(SignalKind::terminate()) else { return std::future::pending().await };
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminated.recv() => {}
        }
    }
    #[cfg(not(unix))]
    {
        let _ = tokio::signal::ctrl_c().await;
    }
}
