//! Fetches instruction files from URLs. The only room that uses the network; called only with the user's permission.

use std::io::Read;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ureq::http::header::{CONTENT_ENCODING, LOCATION};
use ureq::http::{Response, StatusCode, Uri};
use ureq::unversioned::transport::DefaultConnector;
use ureq::{Agent, Body, Proxy};

use crate::snapshot::Remote;

mod reach;

pub use reach::Reach;
use reach::{Guard, Inside, Route};

/// Maximum time for one URL, all tries together (OpenCode 1.18 and etcode: five seconds).
pub const TIME_LIMIT: Duration = Duration::from_secs(5);

/// Maximum size of one response, in decoded bytes.
pub const BODY_LIMIT_BYTES: u64 = 64 * 1024 * 1024;

/// Maximum size of the responses of all URLs of one answer together, in decoded bytes.
const BODIES_LIMIT_BYTES: u64 = 2 * BODY_LIMIT_BYTES;

/// Maximum time for all URLs of one answer together, as a multiple of the time for one URL.
const TIMES: u32 = 6;

/// Number of tries per URL if an error may be temporary (OpenCode 1.18: two retries).
const TRIES: u32 = 3;

/// Delay before the second try; it doubles with each further one.
const FIRST_WAIT: Duration = Duration::from_millis(200);

/// Number of URLs fetched concurrently (OpenCode 1.18: four).
const AT_ONCE: usize = 4;

/// Maximum number of redirects to follow.
const REDIRECT_LIMIT: usize = 5;

/// Supported content encodings; no other is requested.
const ENCODINGS: [&str; 4] = ["", "identity", "gzip", "br"];

/// Fetches each URL once, with a time limit each (for users [`TIME_LIMIT`]). Returns the results in the order of
/// `urls`.
pub fn fetch(urls: &[String], within: Duration, reach: Reach) -> Vec<Remote> {
    fetch_by(urls, within, &Route { reach, lookup: reach::system, proxy: Proxy::try_from_env() })
}

/// Limits that the URLs of one answer share.
struct Shared<'r> {
    route: &'r Route,
    end: Instant,
    /// Number of bytes that may still be received.
    left: AtomicU64,
}

fn fetch_by(urls: &[String], within: Duration, route: &Route) -> Vec<Remote> {
    let next = AtomicUsize::new(0);
    let shared = Shared { route, end: Instant::now() + within * TIMES, left: AtomicU64::new(BODIES_LIMIT_BYTES) };
    let fetched = Mutex::new(vec![Remote::NotFetched; urls.len()]);
    thread::scope(|scope| {
        for _ in 0..urls.len().min(AT_ONCE) {
            scope.spawn(|| {
                while let Some((at, url)) = take(&next, urls) {
                    let remote = fetch_one(url, within, &shared);
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

fn fetch_one(url: &str, within: Duration, shared: &Shared) -> Remote {
    let now = Instant::now();
    if now >= shared.end {
        return Remote::Failed("the URLs before it took all the time there is".to_owned());
    }
    let end = shared.end.min(now + within);
    let mut wait = FIRST_WAIT;
    for last in (0..TRIES).map(|at| at + 1 == TRIES) {
        match follow(url, end, shared) {
            Ok((to, body)) if to == url => return Remote::Body(body.into()),
            Ok((to, body)) => return Remote::Moved { to, body: body.into() },
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

impl Trouble {
    fn lasting(message: impl Into<String>) -> Trouble {
        Trouble { message: message.into(), may_pass: false }
    }
}

/// Follows redirects. Returns the final address and the content.
fn follow(url: &str, end: Instant, shared: &Shared) -> Result<(String, Vec<u8>), Trouble> {
    let route = shared.route;
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(route.proxy.clone())
        .user_agent(concat!("briefing/", env!("CARGO_PKG_VERSION")))
        .build();
    let agent = Agent::with_parts(config, DefaultConnector::default(), Guard::new(route));
    route.may_begin_at(url, agent.config()).map_err(trouble)?;
    let mut at = url.to_owned();
    for _ in 0..=REDIRECT_LIMIT {
        let within = end.saturating_duration_since(Instant::now());
        let response = agent.get(&at).config().timeout_global(Some(within)).build().call().map_err(trouble)?;
        match redirect(&at, &response)? {
            Some(next) => {
                route.may_lead_on(url, &next, agent.config()).map_err(trouble)?;
                at = next;
            }
            None => return Ok((at, body(response, &shared.left)?)),
        }
    }
    Err(Trouble::lasting(format!("it leads on more than {REDIRECT_LIMIT} times")))
}

/// Returns the address that a response redirects to, if it does.
fn redirect(at: &str, response: &Response<Body>) -> Result<Option<String>, Trouble> {
    let status = response.status();
    if status.is_redirection()
        && let Some(location) = response.headers().get(LOCATION)
    {
        let location = location.to_str().ok().and_then(|location| joined(at, location));
        return location.map(Some).ok_or_else(|| Trouble::lasting("it redirects to something that is not a URL"));
    }
    if !status.is_success() {
        let passing = [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS];
        let may_pass = status.is_server_error() || passing.contains(&status);
        return Err(Trouble { message: format!("the server answers {status}"), may_pass });
    }
    Ok(None)
}

/// Returns the decoded bytes of a body. Limits apply to decoded bytes, since a small body may decompress to a very
/// large one.
fn body(response: Response<Body>, left: &AtomicU64) -> Result<Vec<u8>, Trouble> {
    let encoding = response.headers().get(CONTENT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !ENCODINGS.iter().any(|known| encoding.eq_ignore_ascii_case(known)) {
        return Err(Trouble::lasting(format!("it serves the encoding `{encoding}`, which nobody asked for")));
    }
    let (mut bytes, mut reader, mut piece) = (Vec::new(), response.into_body().into_reader(), vec![0; 1 << 16]);
    loop {
        let read = reader.read(&mut piece).map_err(|error| trouble(ureq::Error::from(error)))?;
        if read == 0 {
            return Ok(bytes);
        }
        bytes.extend_from_slice(&piece[..read]);
        if bytes.len() as u64 > BODY_LIMIT_BYTES {
            return Err(Trouble::lasting(format!("more than the {BODY_LIMIT_BYTES} bytes that are fetched at most")));
        }
        let takes = |left: u64| left.checked_sub(read as u64);
        if left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, takes).is_err() {
            let why =
                format!("the URLs together serve more than the {BODIES_LIMIT_BYTES} bytes that are fetched at most");
            return Err(Trouble::lasting(why));
        }
    }
}

/// Resolves `location` relative to the URL `at`.
fn joined(at: &str, location: &str) -> Option<String> {
    let location = location.split('#').next().unwrap_or_default();
    if let Some((scheme, _)) = location.split_once("://")
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    {
        return Some(location.to_owned());
    }
    let base: Uri = at.parse().ok()?;
    let (scheme, authority) = (base.scheme_str()?, base.authority()?);
    if let Some(rest) = location.strip_prefix("//") {
        return Some(format!("{scheme}://{rest}"));
    }
    let folder = &base.path()[..base.path().rfind('/').map_or(0, |slash| slash + 1)];
    let path = match location {
        "" => return None,
        absolute if absolute.starts_with('/') => absolute.to_owned(),
        query if query.starts_with('?') => format!("{}{query}", base.path()),
        relative => format!("{}{relative}", if folder.is_empty() { "/" } else { folder }),
    };
    Some(format!("{scheme}://{authority}{path}"))
}

fn trouble(error: ureq::Error) -> Trouble {
    let said = error.to_string();
    if let ureq::Error::Io(error) = &error
        && let Some(inside) = error.get_ref().and_then(|error| error.downcast_ref::<Inside>())
    {
        return Trouble::lasting(inside.to_string());
    }
    if let Some(words) = in_words(&said) {
        return Trouble::lasting(words);
    }
    let message = match &error {
        ureq::Error::Timeout(_) => "no answer in time".to_owned(),
        ureq::Error::HostNotFound => "no such host".to_owned(),
        ureq::Error::Io(error) => error.to_string().split(" (os error").next().unwrap_or_default().to_lowercase(),
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) => format!("no secure connection comes about: {said}"),
        _ => said,
    };
    let may_pass = matches!(error, ureq::Error::Io(_) | ureq::Error::ConnectionFailed);
    Trouble { message, may_pass }
}

/// Describes a TLS error for people, by the names that the TLS library uses.
fn in_words(said: &str) -> Option<String> {
    let words = [
        ("UnknownIssuer", "nobody whom this program trusts has signed its certificate"),
        ("CaUsedAsEndEntity", "its certificate is signed by itself"),
        ("NotValidForName", "its certificate is for another host"),
        ("NotValidYet", "its certificate is not valid yet"),
        ("Expired", "its certificate has expired"),
        ("Revoked", "its certificate was revoked"),
        ("InvalidContentType", "it does not speak TLS"),
    ];
    let (_, words) = words.iter().find(|(name, _)| said.contains(name))?;
    Some(format!("no secure connection: {words}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_seen_from_where_it_is_said() {
        for (location, whole) in [
            ("https://b/c", Some("https://b/c")),
            ("//b/c#d", Some("http://b/c")),
            ("/c", Some("http://a:1/c")),
            ("c?d", Some("http://a:1/x/c?d")),
            ("?d", Some("http://a:1/x/y?d")),
            ("/b?next=https://c/d", Some("http://a:1/b?next=https://c/d")),
            ("", None),
        ] {
            assert_eq!(joined("http://a:1/x/y", location).as_deref(), whole, "{location}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_certificate_is_said_in_words() {
        let said = "rustls: invalid peer certificate: UnknownIssuer";
        assert_eq!(
            in_words(said).as_deref(),
            Some("no secure connection: nobody whom this program trusts has signed its certificate")
        );
        assert_eq!(in_words("io: connection refused"), None);
    }
}
