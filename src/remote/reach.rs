//! Decides which addresses URLs may lead to: an instruction from the network must not make this machine query its own
//! network.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::OnceLock;
use std::time::Duration;

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;
use ureq::{Error, Proxy, Timeout};

/// Addresses that a URL may lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Public addresses only.
    Public,
    /// Public addresses only, unless the URL itself is on this machine or its network: the user has seen the URL and
    /// agreed.
    AsNamed,
    /// All addresses.
    Anywhere,
}

/// Maximum time to look up a name that a proxy will look up again.
const LOOKUP_LIMIT: Duration = Duration::from_secs(2);

/// Looks up a name. Also returns true if one of its addresses is not public.
pub(super) type Lookup = fn(&Uri, &Config, NextTimeout) -> Result<(ResolvedSocketAddrs, bool), Error>;

/// Configuration of how URLs are reached.
pub(super) struct Route {
    pub reach: Reach,
    pub lookup: Lookup,
    /// Proxy from the user's environment.
    pub proxy: Option<Proxy>,
}

impl Route {
    /// Checks a URL before it is fetched through a proxy. The proxy looks names up, so that no [`Guard`] sees an
    /// address; therefore names are looked up here, as far as they are known here.
    pub fn may_begin_at(&self, url: &str, config: &Config) -> Result<(), Error> {
        if self.proxy.is_none() || self.reach != Reach::Public || !self.is_inside(url, config) {
            return Ok(());
        }
        Err(refused(host(url).as_deref().unwrap_or_default(), false))
    }

    /// Checks a redirect in the same way, and refuses one that leads to an address that is not public.
    pub fn may_lead_on(&self, first: &str, next: &str, config: &Config) -> Result<(), Error> {
        let began_inside = || self.reach == Reach::AsNamed && self.is_inside(first, config);
        if self.proxy.is_none() || self.reach == Reach::Anywhere || began_inside() || !self.is_inside(next, config) {
            return Ok(());
        }
        Err(refused(host(next).as_deref().unwrap_or_default(), true))
    }

    fn is_inside(&self, url: &str, config: &Config) -> bool {
        let timeout =
            NextTimeout { after: LOOKUP_LIMIT.into(), reason: Timeout::Resolve, per_read: None, per_write: None };
        let uri = url.parse::<Uri>();
        uri.is_ok_and(|uri| (self.lookup)(&uri, config, timeout).is_ok_and(|(_, inside)| inside))
    }
}

fn host(url: &str) -> Option<String> {
    url.parse::<Uri>().ok()?.host().map(ToOwned::to_owned)
}

fn refused(host: &str, led_on: bool) -> Error {
    Error::Io(io::Error::new(io::ErrorKind::PermissionDenied, Inside { host: host.to_owned(), led_on }))
}

/// Looks up a name with the system's resolver.
pub(super) fn system(uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<(ResolvedSocketAddrs, bool), Error> {
    let found = DefaultResolver::default().resolve(uri, config, timeout)?;
    let inside = found.iter().any(|address| is_inside(address.ip()));
    Ok((found, inside))
}

/// A resolver that refuses forbidden addresses. The addresses that it returns are those that are connected to, so a
/// name cannot change its address after the check.
#[derive(Debug)]
pub(super) struct Guard {
    reach: Reach,
    lookup: Lookup,
    /// True if the first address was not public.
    began_inside: OnceLock<bool>,
}

impl Guard {
    pub fn new(route: &Route) -> Guard {
        Guard { reach: route.reach, lookup: route.lookup, began_inside: OnceLock::new() }
    }
}

impl Resolver for Guard {
    fn resolve(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let (found, inside) = (self.lookup)(uri, config, timeout)?;
        // The proxy is allowed wherever the user's environment says it is.
        let is_proxy = config.proxy().is_some_and(|proxy| proxy.uri().authority() == uri.authority());
        if is_proxy {
            return Ok(found);
        }
        let is_first = self.began_inside.get().is_none();
        let began_inside = *self.began_inside.get_or_init(|| inside);
        let may = match self.reach {
            Reach::Public => !inside,
            Reach::AsNamed => !inside || began_inside,
            Reach::Anywhere => true,
        };
        if may { Ok(found) } else { Err(refused(uri.host().unwrap_or_default(), !is_first)) }
    }
}

/// Error for a host that is not public.
#[derive(Debug)]
pub(super) struct Inside {
    host: String,
    /// True if a redirect led to the host.
    led_on: bool,
}

impl fmt::Display for Inside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inside { host, led_on } = self;
        let how = if *led_on { format!("it leads on to {host}, which") } else { "it".to_owned() };
        write!(f, "{how} is on this machine or its own network; --fetch-private allows that")
    }
}

impl std::error::Error for Inside {}

/// Returns true for an address of this machine or its network, or one that is not routed on the internet.
fn is_inside(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_inside_v4(address),
        IpAddr::V6(address) => is_inside_v6(address),
    }
}

fn is_inside_v4(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    // 100.64.0.0/10 is shared address space of carriers.
    address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_broadcast()
        || first == 0
        || (first == 100 && second & 0xc0 == 64)
}

fn is_inside_v6(address: Ipv6Addr) -> bool {
    // IPv4 addresses in IPv6 form, mapped or behind a translator.
    let segments = address.segments();
    let translated = segments[..6] == [0x64, 0xff9b, 0, 0, 0, 0];
    let mapped = address.to_ipv4_mapped().or_else(|| {
        let [.., a, b, c, d] = address.octets();
        translated.then_some(Ipv4Addr::new(a, b, c, d))
    });
    mapped.is_some_and(is_inside_v4)
        || address.is_loopback()
        || address.is_unspecified()
        || address.is_multicast()
        || address.is_unique_local()
        || address.is_unicast_link_local()
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::net::{SocketAddr, TcpListener};

    use super::super::fetch_by;
    use super::*;
    use crate::snapshot::Remote;

    #[test]
    fn what_is_not_public_is_known() {
        let inside = ["127.0.0.1", "10.1.2.3", "192.168.0.1", "172.16.0.1", "169.254.169.254", "0.0.0.0", "100.64.0.1"];
        let inside = inside.iter().chain(&["::1", "::", "fe80::1", "fd00::1", "::ffff:127.0.0.1", "64:ff9b::a00:1"]);
        for address in inside {
            assert!(is_inside(address.parse().expect("an address")), "{address}");
        }
        for address in ["1.1.1.1", "100.128.0.1", "172.32.0.1", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"]
        {
            assert!(!is_inside(address.parse().expect("an address")), "{address}");
        }
    }

    /// Resolver that maps `public.test` to this machine and reports it as public.
    fn pretending(uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<(ResolvedSocketAddrs, bool), Error> {
        if uri.host() != Some("public.test") {
            return system(uri, config, timeout);
        }
        let mut found = DefaultResolver::default().empty();
        found.push(SocketAddr::from(([127, 0, 0, 1], uri.port_u16().unwrap_or(80))));
        Ok((found, false))
    }

    /// Reads the head of the next request and returns its first line.
    fn head(lines: &mut impl Iterator<Item = String>) -> String {
        let first = lines.next().unwrap_or_default();
        lines.take_while(|line| !line.is_empty()).for_each(drop);
        first
    }

    /// Starts a server that is also its own proxy: `/in` redirects to this machine, `/on` to a public name.
    fn serving() -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let mut lines = BufReader::new(stream.try_clone().expect("a stream")).lines().map_while(Result::ok);
                let mut first = head(&mut lines);
                if first.starts_with("CONNECT ") {
                    let _ = write!(stream, "HTTP/1.1 200 OK\r\n\r\n");
                    first = head(&mut lines);
                }
                let host = match first.split(' ').nth(1) {
                    Some("/in") => "127.0.0.1",
                    Some("/on") => "public.test",
                    _ => "",
                };
                let head = if host.is_empty() {
                    "200 OK".to_owned()
                } else {
                    format!("302 Found\r\nLocation: http://{host}:{port}/end")
                };
                let _ = write!(stream, "HTTP/1.1 {head}\r\nContent-Length: 3\r\nConnection: close\r\n\r\nend");
            }
        });
        port
    }

    fn check_redirects(port: u16, proxy: Option<&Proxy>) {
        let get = |host: &str, path: &str, reach| {
            let urls = [format!("http://{host}:{port}{path}")];
            let route = Route { reach, lookup: pretending, proxy: proxy.cloned() };
            fetch_by(&urls, Duration::from_secs(20), &route).remove(0)
        };
        let to = |host: &str| Remote::Moved { to: format!("http://{host}:{port}/end"), body: "end".into() };
        let Remote::Failed(why) = get("public.test", "/in", Reach::Public) else { panic!("it leads inside") };
        assert!(why.contains("127.0.0.1") && why.contains("--fetch-private"), "{why}");
        assert_eq!(get("public.test", "/in", Reach::Anywhere), to("127.0.0.1"));
        assert_eq!(get("public.test", "/on", Reach::Public), to("public.test"));
        assert_eq!(get("127.0.0.1", "/in", Reach::AsNamed), to("127.0.0.1"), "it was there itself");
        let Remote::Failed(why) = get("127.0.0.1", "/", Reach::Public) else { panic!("it is inside") };
        assert_eq!(why, "it is on this machine or its own network; --fetch-private allows that");
    }

    #[test]
    fn a_public_url_leads_to_no_private_address() {
        check_redirects(serving(), None);
    }

    #[test]
    fn a_public_url_leads_to_no_private_address_behind_a_proxy() {
        let port = serving();
        let proxy = Proxy::new(&format!("http://127.0.0.1:{port}")).expect("a proxy");
        check_redirects(port, Some(&proxy));
    }
}
