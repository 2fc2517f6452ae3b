//! Fetches instruction files from URLs. Only this room uses the network, and it is called only when the user said so.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ureq::Agent;
use ureq::http::StatusCode;

use crate::snapshot::Remote;

/// How long a URL has to serve its text, all tries together (OpenCode 1.18 and etcode: five seconds).
pub const TIME_LIMIT: Duration = Duration::from_secs(5);

/// How many bytes a URL may serve.
pub const BODY_LIMIT_BYTES: u64 = 64 * 1024 * 1024;

/// How often a URL is asked for when what goes wrong may pass (OpenCode 1.18: two more times).
const TRIES: u32 = 3;

/// How long the second try waits; each one after it waits twice as long as the one before.
const FIRST_WAIT: Duration = Duration::from_millis(200);

/// How many URLs are fetched at the same time (OpenCode 1.18: four).
const AT_ONCE: usize = 4;

/// Fetches each URL once, each within a time: for users [`TIME_LIMIT`]. Answers in their order.
pub fn fetch(urls: &[String], within: Duration) -> Vec<Remote> {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .user_agent(concat!("briefing/", env!("CARGO_PKG_VERSION")))
        .build();
    let agent = Agent::new_with_config(config);
    let next = AtomicUsize::new(0);
    let fetched = Mutex::new(vec![Remote::NotFetched; urls.len()]);
    thread::scope(|scope| {
        for _ in 0..urls.len().min(AT_ONCE) {
            scope.spawn(|| {
                while let Some((at, url)) = take(&next, urls) {
                    let remote = fetch_one(&agent, url, within);
                    fetched.lock().unwrap_or_else(PoisonError::into_inner)[at] = remote;
                }
            });
        }
    });
    fetched.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn take<'a>(next: &AtomicUsize, urls: &'a [String]) -> Option<(usize, &'a str)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    Some((at, urls.get(at)?))
}

fn fetch_one(agent: &Agent, url: &str, within: Duration) -> Remote {
    let end = Instant::now() + within;
    let mut wait = FIRST_WAIT;
    for last in (0..TRIES).map(|at| at + 1 == TRIES) {
        match get(agent, url, end.saturating_duration_since(Instant::now())) {
            Ok(body) => return Remote::Body(body.into()),
            Err(trouble) if last || !trouble.may_pass || Instant::now() + wait >= end => {
                return Remote::Failed(trouble.message);
            }
            Err(_) => thread::sleep(wait),
        }
        wait *= 2;
    }
    unreachable!("the last try returns")
}

struct Trouble {
    message: String,
    may_pass: bool,
}

fn get(agent: &Agent, url: &str, within: Duration) -> Result<Vec<u8>, Trouble> {
    let mut response = agent.get(url).config().timeout_global(Some(within)).build().call().map_err(trouble)?;
    let status = response.status();
    if !status.is_success() {
        let passing = [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS];
        let may_pass = status.is_server_error() || passing.contains(&status);
        return Err(Trouble { message: format!("the server answers {status}"), may_pass });
    }
    response.body_mut().with_config().limit(BODY_LIMIT_BYTES).read_to_vec().map_err(trouble)
}

fn trouble(error: ureq::Error) -> Trouble {
    let message = match &error {
        ureq::Error::Timeout(_) => "no answer in time".to_owned(),
        ureq::Error::BodyExceedsLimit(_) => format!("more than the {BODY_LIMIT_BYTES} bytes that are fetched at most"),
        ureq::Error::HostNotFound => "no such host".to_owned(),
        ureq::Error::Io(error) => error.to_string().split(" (os error").next().unwrap_or_default().to_lowercase(),
        other => other.to_string(),
    };
    let may_pass = matches!(error, ureq::Error::Io(_) | ureq::Error::ConnectionFailed);
    Trouble { message, may_pass }
}
