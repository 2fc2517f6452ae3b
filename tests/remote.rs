//! What instructions name by a URL: fetched when the user says so, and never else.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use briefing::remote::{self, BODY_LIMIT_BYTES, Reach, TIME_LIMIT};
use briefing::snapshot::Remote;

/// The end of a status line, and a body.
type Answer = (&'static str, Vec<u8>);

/// A server on this machine that answers as a closure says, and notes who came.
pub struct Server {
    port: u16,
    came: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// `answer` is given the path and how often it was asked for before; it says the status line's end and the body.
    pub fn new(answer: impl Fn(&str, usize) -> Answer + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let came: Arc<Mutex<Vec<String>>> = Arc::default();
        let (noted, answer) = (came.clone(), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (noted, answer) = (noted.clone(), answer.clone());
                thread::spawn(move || serve(&stream, &noted, &*answer));
            }
        });
        Server { port, came }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The paths that were asked for, in order.
    pub fn came(&self) -> Vec<String> {
        self.came.lock().expect("nobody panics").clone()
    }
}

fn serve(stream: &TcpStream, came: &Mutex<Vec<String>>, answer: &dyn Fn(&str, usize) -> Answer) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let Some(first) = lines.next() else { return };
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    let before = {
        let mut came = came.lock().expect("nobody panics");
        came.push(path.clone());
        came.iter().filter(|other| **other == path).count() - 1
    };
    let (status, body) = answer(&path, before);
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    // The other side may have heard enough.
    let _ = (&*stream).write_all(&[head.into_bytes(), body].concat());
}

fn fetch(urls: &[String]) -> Vec<Remote> {
    remote::fetch(urls, TIME_LIMIT, Reach::AsNamed)
}

/// A server whose certificate nobody has signed but itself.
fn secure() -> u16 {
    let certificate = include_bytes!("vectors/self-signed/cert.der").to_vec().into();
    let key =
        rustls::pki_types::PrivateKeyDer::try_from(&include_bytes!("vectors/self-signed/key.der")[..]).expect("a key");
    let config = rustls::ServerConfig::builder_with_provider(rustls::crypto::ring::default_provider().into())
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("a certificate and its key");
    let (listener, config) = (TcpListener::bind("127.0.0.1:0").expect("a port"), Arc::new(config));
    let port = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut connection = rustls::ServerConnection::new(config.clone()).expect("a connection");
            // The other side trusts nobody of that name.
            let _ = connection.complete_io(&mut stream);
        }
    });
    port
}

/// A server that answers whatever it hears in plain text.
fn plain() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut heard = [0; 1 << 10];
            let _ = stream.read(&mut heard);
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        }
    });
    port
}

#[test]
fn whom_nobody_trusts_is_said_in_words() {
    let urls = [secure(), plain()].map(|port| format!("https://127.0.0.1:{port}/"));
    for (served, words) in fetch(&urls).iter().zip(["its certificate is signed by itself", "it does not speak TLS"]) {
        let Remote::Failed(why) = served else { panic!("it serves {served:?}") };
        assert_eq!(*why, format!("no secure connection: {words}"));
    }
}

fn body(text: &str) -> Remote {
    Remote::Body(text.as_bytes().into())
}

#[test]
fn each_url_is_answered_in_its_place() {
    let server = Server::new(|path, _| match path {
        "/gone" => ("404 Not Found", b"Not here.".to_vec()),
        "/moved" => ("302 Found\r\nLocation: /a", Vec::new()),
        path => ("200 OK", path.as_bytes().to_vec()),
    });
    let paths = ["/a", "/gone", "/moved", "/b?c=d", "/e", "/f"];
    let served = fetch(&paths.map(|path| server.url(path)));
    let gone = Remote::Failed("the server answers 404 Not Found".to_owned());
    let moved = Remote::Moved { to: server.url("/a"), body: b"/a"[..].into() };
    assert_eq!(served, [body("/a"), gone, moved, body("/b?c=d"), body("/e"), body("/f")]);
    assert_eq!(server.came().len(), paths.len() + 1, "each was asked for once, and one led on");
}

#[test]
fn what_may_pass_is_tried_three_times() {
    let server = Server::new(|path, before| match (path, before) {
        ("/busy", 0 | 1) => ("503 Service Unavailable", Vec::new()),
        ("/broken", _) => ("500 Internal Server Error", Vec::new()),
        _ => ("200 OK", b"At last.".to_vec()),
    });
    let broken = Remote::Failed("the server answers 500 Internal Server Error".to_owned());
    assert_eq!(fetch(&[server.url("/busy"), server.url("/broken")]), [body("At last."), broken]);
    assert_eq!(server.came().iter().filter(|path| *path == "/broken").count(), 3);
}

#[test]
fn what_is_no_address_on_the_network_is_refused() {
    for url in ["file:///etc/passwd", "ftp://127.0.0.1/a", "http://", "/etc/passwd", "http://127.0.0.1:1/"] {
        let [Remote::Failed(why)] = &fetch(&[url.to_owned()])[..] else { panic!("{url} serves something") };
        assert!(!why.is_empty() && !why.contains("os error"), "{url}: {why}");
    }
}

#[test]
fn no_more_urls_are_fetched_at_once_than_the_clients_fetch() {
    static NOW: AtomicUsize = AtomicUsize::new(0);
    static MOST: AtomicUsize = AtomicUsize::new(0);
    let server = Server::new(|_, _| {
        let now = NOW.fetch_add(1, Ordering::SeqCst) + 1;
        MOST.fetch_max(now, Ordering::SeqCst);
        thread::yield_now();
        NOW.fetch_sub(1, Ordering::SeqCst);
        ("200 OK", Vec::new())
    });
    let urls: Vec<_> = (0..40).map(|at| server.url(&format!("/{at}"))).collect();
    assert!(fetch(&urls).iter().all(|remote| *remote == body("")));
    assert!(MOST.load(Ordering::SeqCst) <= 4, "{MOST:?}");
}

#[test]
fn what_is_too_large_or_never_comes_is_given_up() {
    let server = Server::new(|path, _| match path {
        "/large" => ("200 OK", vec![b' '; BODY_LIMIT_BYTES as usize + 1]),
        _ => loop {
            thread::park();
        },
    });
    let long = Duration::from_secs(60);
    let [Remote::Failed(why)] = &remote::fetch(&[server.url("/large")], long, Reach::AsNamed)[..] else {
        panic!("it is too large")
    };
    assert!(why.contains("67108864 bytes"), "{why}");
    let served = remote::fetch(&[server.url("/never")], Duration::from_millis(50), Reach::AsNamed);
    assert_eq!(served, [Remote::Failed("no answer in time".to_owned())]);
}

#[test]
fn whoever_leads_on_for_ever_is_left() {
    let server = Server::new(|path, _| {
        let next: usize = path.trim_start_matches('/').parse().unwrap_or(0);
        if next == 0 { ("200 OK", b"End.".to_vec()) } else { (STEPS[next - 1], Vec::new()) }
    });
    let moved = Remote::Moved { to: server.url("/0"), body: b"End."[..].into() };
    assert_eq!(fetch(&[server.url("/5")]), [moved]);
    assert_eq!(fetch(&[server.url("/6")]), [Remote::Failed("it leads on more than 5 times".to_owned())]);
}

/// How `/N` leads on to the number before it.
const STEPS: [&str; 6] = [
    "302 Found\r\nLocation: /0",
    "301 Moved Permanently\r\nLocation: 1",
    "303 See Other\r\nLocation: /2",
    "307 Temporary Redirect\r\nLocation: /3",
    "308 Permanent Redirect\r\nLocation: /4",
    "302 Found\r\nLocation: /5",
];

#[test]
fn a_packed_body_is_unpacked_as_far_as_bodies_may_reach() {
    // 65 MiB of zeros, packed by gzip; and `Packed.` by gzip.
    let bomb = packed(&vec![0; BODY_LIMIT_BYTES as usize + 1]);
    let small = packed(b"Packed.");
    assert!(bomb.len() < 1 << 20, "{}", bomb.len());
    let server = Server::new(move |path, _| match path {
        "/small" => ("200 OK\r\nContent-Encoding: gzip", small.clone()),
        "/odd" => ("200 OK\r\nContent-Encoding: zstd", small.clone()),
        _ => ("200 OK\r\nContent-Encoding: gzip", bomb.clone()),
    });
    let urls = ["/small", "/odd", "/bomb"].map(|path| server.url(path));
    let served = remote::fetch(&urls, Duration::from_secs(60), Reach::AsNamed);
    assert_eq!(served[0], body("Packed."));
    assert!(matches!(&served[1], Remote::Failed(why) if why.contains("zstd")), "{:?}", served[1]);
    assert!(matches!(&served[2], Remote::Failed(why) if why.contains("67108864 bytes")), "it ends at the cap");
}

#[test]
fn all_urls_together_serve_no_more_than_so_much() {
    let bomb = packed(&vec![0; BODY_LIMIT_BYTES as usize]);
    let server = Server::new(move |_, _| ("200 OK\r\nContent-Encoding: gzip", bomb.clone()));
    let urls: Vec<String> = (0..4).map(|number| server.url(&format!("/{number}"))).collect();
    let served = remote::fetch(&urls, Duration::from_secs(60), Reach::AsNamed);
    let failed = |one: &&Remote| matches!(one, Remote::Failed(why) if why.contains("together serve more than"));
    assert!(served.iter().filter(failed).count() >= 2, "two of them are all there is");
}

/// A gzip file of one deflate stream.
fn packed(bytes: &[u8]) -> Vec<u8> {
    let crc = bytes.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
    });
    let head = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let deflated = miniz_oxide::deflate::compress_to_vec(bytes, 6);
    let len = (bytes.len() as u32).to_le_bytes();
    [&head[..], &deflated, &(!crc).to_le_bytes(), &len].concat()
}
