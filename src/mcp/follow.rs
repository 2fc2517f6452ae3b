//! Subscriptions to prompts, and the notifications that they have changed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{RequestId, ResourceUpdatedNotificationParam};
use rmcp::service::{Peer, SubscriptionSink};
use tokio::runtime::Handle;
use tokio::task::block_in_place;
use tokio::time::timeout;

use super::Handler;
use crate::answer::Resolution;
use crate::engine::Core;
use crate::lsp::announce;
use crate::request::{Places, Request};

/// Changes within this time are announced together.
const QUIET: Duration = Duration::from_millis(25);

/// Maximum number of prompts that can be followed at a time.
const FOLLOWED: usize = 32;

/// Subscriptions of one client.
#[derive(Default)]
pub(super) struct Followers(Mutex<State>);

#[derive(Default)]
struct State {
    /// The client, once it can receive notifications.
    peer: Option<Peer<RoleServer>>,
    /// URIs that it subscribed to one by one (`resources/subscribe`, before protocol 2026-07-28).
    subscribed: BTreeSet<String>,
    /// Its notification streams (since protocol 2026-07-28).
    streams: Vec<SubscriptionSink>,
    /// Last announced answer for each prompt that is followed.
    told: BTreeMap<String, Arc<Resolution>>,
    /// Answers at the time when a stream was promised that is not open yet.
    promised: BTreeMap<String, Arc<Resolution>>,
}

impl Followers {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn connected(&self, peer: Peer<RoleServer>) {
        self.state().peer.get_or_insert(peer);
    }

    pub(super) fn subscribe(&self, uri: String) {
        self.state().subscribed.insert(uri);
    }

    pub(super) fn unsubscribe(&self, uri: &str) {
        let mut state = self.state();
        state.subscribed.remove(uri);
        state.forget_unwanted();
    }

    pub(super) fn hang_up(&self, id: &RequestId) {
        let mut state = self.state();
        state.streams.retain(|stream| stream.id() != id);
        state.forget_unwanted();
    }
}

impl State {
    fn forget_unwanted(&mut self) {
        let State { subscribed, streams, told, promised, .. } = self;
        told.retain(|uri, _| {
            let wanted = subscribed.contains(uri) || promised.contains_key(uri);
            wanted || streams.iter().any(|stream| wants(stream, uri))
        });
    }
}

fn wants(stream: &SubscriptionSink, uri: &String) -> bool {
    stream.accepted().resource_subscriptions.as_ref().is_some_and(|wanted| wanted.contains(uri))
}

impl Handler {
    /// Resolves a prompt and remembers the answer as announced.
    pub(super) async fn follow(&self, uri: &str) -> Result<Arc<Resolution>, String> {
        let answer = self.server.core.previewed(uri).await.map_err(|error| error.message.into_owned())?;
        let mut state = self.followers.state();
        if state.told.len() >= FOLLOWED && !state.told.contains_key(uri) {
            return Err(format!("no more than {FOLLOWED} prompts can be followed at a time; unsubscribe from some"));
        }
        state.told.insert(uri.to_owned(), answer.clone());
        Ok(answer)
    }

    /// Returns true if a stream can be promised for a prompt. The answer is recorded now, because the client learns of
    /// the stream before it is open.
    pub(super) fn promise(&self, uri: &str) -> bool {
        let answer = block_in_place(|| Handle::current().block_on(self.follow(uri)));
        let Ok(answer) = answer else { return false };
        self.followers.state().promised.entry(uri.to_owned()).or_insert(answer);
        true
    }

    /// Announces changes on a stream from the time of its promise until it is closed.
    pub(super) async fn listen_on(&self, stream: &SubscriptionSink) {
        self.followers.state().streams.push(stream.clone());
        for uri in stream.accepted().resource_subscriptions.iter().flatten() {
            let before = self.followers.state().promised.remove(uri);
            let Ok(now) = self.follow(uri).await else { continue };
            if before.is_some_and(|before| !announce::says_the_same(&before, &now)) {
                // An error means that the client has left.
                let _ = stream.notify_resource_updated(uri.clone()).await;
            }
        }
    }
}

/// Returns the agents used here: the spec that URIs use, and the title.
pub(super) async fn harnesses(core: &Arc<Core>) -> Result<Vec<(String, String)>, String> {
    let Some(cwd) = core.session().cwd_for(None) else { return Ok(Vec::new()) };
    let places = Places { cwd, target: None, read_before: Vec::new(), already_loaded: Vec::new() };
    let (answers, _) = core.answers(&Request::default(), &places).await.map_err(|error| error.message.into_owned())?;
    Ok(answers.iter().map(|answer| (answer.harness.clone(), answer.title.clone())).collect())
}

/// Announces changed prompts and changes of the list of prompts, each time changes have settled.
pub(super) async fn keep_telling(core: Arc<Core>, followers: Arc<Followers>) {
    // Resolving registers the watches: only files that were asked about are watched.
    let mut listed = harnesses(&core).await;
    loop {
        core.changed_outside.notified().await;
        while timeout(QUIET, core.changed_outside.notified()).await.is_ok() {}
        for uri in changed(&core, &followers).await {
            tell_updated(&followers, &uri).await;
        }
        let now = harnesses(&core).await;
        if now.is_ok() && now != listed {
            listed = now;
            tell_listed(&followers).await;
        }
    }
}

/// Returns the followed prompts whose text changed, and updates the remembered answers.
async fn changed(core: &Arc<Core>, followers: &Followers) -> Vec<String> {
    let told: Vec<_> = followers.state().told.iter().map(|(uri, answer)| (uri.clone(), answer.clone())).collect();
    let mut changed = Vec::new();
    for (uri, before) in told {
        let Ok(now) = core.previewed(&uri).await else { continue };
        if announce::says_the_same(&before, &now) {
            continue;
        }
        if let Some(answer) = followers.state().told.get_mut(&uri) {
            *answer = now;
        }
        changed.push(uri);
    }
    changed
}

async fn tell_updated(followers: &Followers, uri: &String) {
    let (peer, streams) = {
        let state = followers.state();
        (state.peer.clone().filter(|_| state.subscribed.contains(uri)), state.streams.clone())
    };
    // An error means that the client has left.
    if let Some(peer) = peer {
        let _ = peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri.clone())).await;
    }
    for stream in streams.iter().filter(|stream| wants(stream, uri)) {
        let _ = stream.notify_resource_updated(uri.clone()).await;
    }
}

async fn tell_listed(followers: &Followers) {
    let (peer, streams) = {
        let state = followers.state();
        (state.peer.clone(), state.streams.clone())
    };
    if let Some(peer) = peer {
        let _ = peer.notify_resource_list_changed().await;
    }
    for stream in streams.iter().filter(|stream| stream.accepted().resources_list_changed == Some(true)) {
        let _ = stream.notify_resource_list_changed().await;
    }
}
