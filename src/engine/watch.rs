//! Says whenever what an agent is told changes, without an editor.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use tokio::time::timeout;

use super::alone::Alone;
use super::settings::Settings;
use super::workspace::EventSource;
use super::{Core, Date};
use crate::answer::Resolution;
use crate::report::briefing::totals;
use crate::report::compare::{Difference, compare, paired};
use crate::request::{Defaults, Places, Request};

/// Further changes within this time are told of together.
const QUIET: Duration = Duration::from_millis(25);

/// How often to look again where the system cannot watch everything.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What a watcher is told.
pub enum Heard {
    /// From now on nothing is missed; for these harnesses.
    Begun(Vec<String>),
    /// One harness tells something else now.
    Changed(Change),
}

/// How one harness's instructions changed.
#[derive(Clone, Debug, Serialize, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// Of the index; grows with every change.
    pub version: u64,
    /// The harness.
    pub harness: String,
    /// Its edition.
    pub edition: String,
    /// How far the answer can be trusted.
    pub fidelity: String,
    /// How large all instruction messages are now.
    pub bytes: usize,
    /// How large they were.
    pub bytes_before: usize,
    /// Tokens, estimated.
    pub tokens: usize,
    /// Why the harness would not start, if so.
    pub refusal: Option<String>,
    /// What is different; nothing: other text in the same files.
    pub differences: Vec<Difference>,
    /// Where the agent is started.
    pub cwd: PathBuf,
    /// The home directory.
    #[serde(skip)]
    pub home: PathBuf,
}

/// Watches until the user interrupts it, or `say` answers `false`.
pub fn watch(
    base: Defaults,
    request: &Request,
    places: &Places,
    today: fn() -> Date,
    say: &mut dyn FnMut(Heard) -> bool,
) -> Result<(), String> {
    let Alone { runtime, server } = Alone::new(base, &places.cwd, Settings::default(), today)?;
    let core = server.core.clone();
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
    // This looks once more at everything that was asked about, so no change in between is missed.
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
        // A declaration that cannot be read now may be one that is being written.
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

/// What changed for a harness, if the model is told anything else.
fn change(before: &Resolution, now: &Resolution, version: u64) -> Option<Change> {
    // The same answer, remembered.
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

/// Ends when the user, or whoever started the program, wants it to end.
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
