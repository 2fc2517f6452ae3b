//! Subscriptions to prompts, and the notifications that they have changed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{RequestId, ResourceUpdatedNotificationParam};
use rmcp::service::{Peer, SubscriptionSink};
use tokio::task::block_in_place;
use tokio::time::timeout;

use super::Handler;
use crate::answer::Resolution;
use crate::engine::{Core, Error};
use crate::lsp::{Context, announce};
use crate::request::{Places, Request};
use crate::tasks;

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
    pub(super) fn follow(&self, uri: &str) -> Result<Arc<Resolution>, String> {
        let answer = self.context.core.previewed(uri).map_err(|error| error.message.into_owned())?;
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
        let answer = block_in_place(|| self.follow(uri));
        let Ok(answer) = answer else { return false };
        self.followers.state().promised.entry(uri.to_owned()).or_insert(answer);
        true
    }

    /// Announces changes on a stream from the time of its promise until it is closed.
    pub(super) async fn listen_on(&self, stream: &SubscriptionSink) {
        self.followers.state().streams.push(stream.clone());
        for uri in stream.accepted().resource_subscriptions.iter().flatten() {
            let before = self.followers.state().promised.remove(uri);
            let followed = uri.clone();
            let Ok(now) = self.on_thread(move |handler| handler.follow(&followed)).await else { continue };
            if before.is_some_and(|before| !announce::says_the_same(&before, &now)) {
                // An error means that the client has left.
                let _ = stream.notify_resource_updated(uri.clone()).await;
            }
        }
    }
}

/// Returns the agents used here: the spec that URIs use, and the title.
pub(super) fn harnesses(core: &Core) -> Result<Vec<(String, String)>, Error> {
    let Some(cwd) = core.session().cwd_for(None) else { return Ok(Vec::new()) };
    let places = Places { cwd, target: None, read_before: Vec::new(), already_loaded: Vec::new() };
    let (answers, _) = core.answers(&Request::default(), &places)?;
    Ok(answers.iter().map(|answer| (answer.harness.clone(), answer.title.clone())).collect())
}

/// Announces changed prompts and changes of the list of prompts, each time changes have settled.
pub(super) async fn keep_telling(context: Context, followers: Arc<Followers>) {
    // Resolving registers the watches: only files that were asked about are watched.
    let (mut listed, _) = now(&context.core, &followers).await;
    let outside = &context.connection.changed_outside;
    loop {
        outside.notified().await;
        while timeout(QUIET, outside.notified()).await.is_ok() {}
        let (named, changed) = now(&context.core, &followers).await;
        for uri in changed {
            tell_updated(&followers, &uri).await;
        }
        if named.is_ok() && named != listed {
            listed = named;
            tell_listed(&followers).await;
        }
    }
}

/// Returns the agents used here, and the followed prompts whose text changed.
async fn now(core: &Arc<Core>, followers: &Arc<Followers>) -> (Result<Vec<(String, String)>, Error>, Vec<String>) {
    let (core, followers) = (core.clone(), followers.clone());
    tasks::on_thread(move || (harnesses(&core), changed(&core, &followers))).await
}

/// Returns the followed prompts whose text changed, and updates the remembered answers.
fn changed(core: &Core, followers: &Followers) -> Vec<String> {
    let told: Vec<_> = followers.state().told.iter().map(|(uri, answer)| (uri.clone(), answer.clone())).collect();
    let mut changed = Vec::new();
    for (uri, before) in told {
        let Ok(now) = core.previewed(&uri) else { continue };
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
