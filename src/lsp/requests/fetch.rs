//! Handles `briefing.fetch`: fetches the URLs that instructions name, once, after the user has agreed.

use std::collections::BTreeSet;

use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::{MessageActionItem, MessageType};

use super::super::Server;
use super::super::ext::{EffectiveInstructionsParams, Fetched, FetchedUrl};
use crate::engine::Changed;
use crate::remote::{self, Reach};
use crate::snapshot::Remote;
use crate::text::without_passwords;

/// Button that permits fetching.
const YES: &str = "Fetch";

/// Maximum number of URLs that the question lists; the rest is only counted.
const NAMED: usize = 8;

impl Server {
    /// Asks the user, fetches every URL that the answers depend on, and invalidates those answers.
    pub(crate) async fn fetch(&self, params: EffectiveInstructionsParams) -> Result<Fetched> {
        let (answers, version) = self.on_thread(move |context| context.answers_to(&params)).await?;
        let urls: BTreeSet<String> = answers.iter().flat_map(|answer| answer.urls()).map(str::to_owned).collect();
        let urls: Vec<String> = urls.into_iter().collect();
        if urls.is_empty() {
            let message = "Briefing: no instructions in force here name a URL";
            self.connection.client.show_message(MessageType::INFO, message).await;
            return Ok(Fetched { version, fetched: Vec::new() });
        }
        if !self.allows(&urls).await {
            return Ok(Fetched { version, fetched: Vec::new() });
        }
        let asked = urls.clone();
        // If the question listed all URLs, the user has agreed to each of them. Otherwise only public addresses are
        // allowed.
        let reach = if urls.len() <= NAMED { Reach::AsNamed } else { Reach::Public };
        let served = self.on_thread(move |_| remote::fetch(&asked, remote::TIME_LIMIT, reach)).await;
        let mut fetched = Vec::new();
        let mut changes = Vec::new();
        for (url, remote) in urls.into_iter().zip(served) {
            let (bytes, problem) = match &remote {
                Remote::Body(body) | Remote::Moved { body, .. } => (Some(body.len()), None),
                Remote::Failed(why) => (None, Some(why.clone())),
                Remote::NotFetched => (None, None),
            };
            changes.push(self.core.files.keep(&url, remote));
            fetched.push(FetchedUrl { url: without_passwords(&url).into_owned(), bytes, problem });
        }
        self.core.index.forget(changes);
        self.core.report(Changed::Editor);
        self.tell(&fetched).await;
        Ok(Fetched { version: self.core.index.version(), fetched })
    }

    async fn allows(&self, urls: &[String]) -> bool {
        let (named, more) = urls.split_at(urls.len().min(NAMED));
        let mut question = format!(
            "Briefing: fetch from the network what instructions name? {}",
            without_passwords(&named.join(", "))
        );
        if !more.is_empty() {
            question.push_str(&format!(" and {} more", more.len()));
        }
        let action = |title: &str| MessageActionItem { title: title.to_owned(), properties: Default::default() };
        let actions = vec![action(YES), action("Cancel")];
        let chosen = self.connection.client.show_message_request(MessageType::INFO, question, Some(actions)).await;
        matches!(chosen, Ok(Some(action)) if action.title == YES)
    }

    async fn tell(&self, fetched: &[FetchedUrl]) {
        let failed: Vec<String> =
            fetched.iter().filter_map(|one| Some(format!("{}: {}", one.url, one.problem.as_deref()?))).collect();
        let done = format!("Briefing: {} of {} URLs were fetched", fetched.len() - failed.len(), fetched.len());
        if failed.is_empty() {
            self.connection.client.show_message(MessageType::INFO, done).await;
        } else {
            self.connection.client.show_message(MessageType::WARNING, format!("{done}; {}", failed.join("; "))).await;
        }
    }
}
