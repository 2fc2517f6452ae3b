//! Splits the client's bytes into JSON bodies, and resynchronizes after a broken frame.
//!
//! This is possible because JSON strings contain no raw line breaks: a line `Content-Length: 5` is never inside a body. Where it
//! occurs, a frame begins, whatever the previous length field claimed.

use std::ops::Range;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt};
use tower_lsp::jsonrpc::{Error, ErrorCode};
use tracing::warn;

/// Content of one frame.
pub enum Frame {
    Body(Value),
    /// A frame that is skipped, and the error to answer it with.
    Broken(Error),
}

/// Splits a byte stream into frames.
pub struct Frames<R> {
    input: R,
    /// Bytes that were read; those before `start` are consumed.
    buffer: Vec<u8>,
    start: usize,
    place: Place,
}

impl<R: AsyncRead + Unpin> Frames<R> {
    pub fn new(input: R) -> Frames<R> {
        Frames { input, buffer: Vec::new(), start: 0, place: Place::Between }
    }

    /// Returns the next frame, broken or not, or `None` at the end of input.
    pub async fn next(&mut self) -> Option<Frame> {
        let mut length = None;
        loop {
            let line = match self.line().await? {
                Line::Whole(line) => line,
                Line::Endless => match self.lose() {
                    Some(frame) => return Some(frame),
                    None => continue,
                },
            };
            let text = &self.buffer[line.clone()];
            if let Some((before, found)) = length_field(text) {
                if self.place != Place::Lost && !text[..before].trim_ascii().is_empty() {
                    self.start = line.start + before;
                    self.place = Place::Between;
                    return Some(broken("the bytes before Content-Length belong to no message"));
                }
                self.start = line.end + 1;
                self.place = Place::Header;
                length = Some(found);
                continue;
            }
            let blank = text.trim_ascii().is_empty();
            let field = is_field(text);
            self.start = line.end + 1;
            match (self.place, blank, field, length) {
                // Blank lines between frames are harmless, and many scripts send them.
                (Place::Between, true, _, _) | (Place::Lost, _, _, _) => {}
                (Place::Between | Place::Header, false, true, _) => self.place = Place::Header,
                (Place::Header, true, _, Some(length)) if length > BODY_LIMIT_BYTES => {
                    self.place = Place::Lost;
                    return Some(Frame::Broken(Error {
                        code: ErrorCode::InvalidRequest,
                        message: format!("a message of {length} bytes; the limit is {BODY_LIMIT_BYTES} bytes").into(),
                        data: None,
                    }));
                }
                (Place::Header, true, _, Some(length)) => {
                    self.place = Place::Between;
                    return self.body(length).await;
                }
                (Place::Header, true, _, None) => {
                    self.place = Place::Lost;
                    return Some(broken("a header without a usable Content-Length"));
                }
                (Place::Between | Place::Header, false, false, _) => {
                    self.place = Place::Lost;
                    return Some(broken("a line that is no header field"));
                }
            }
        }
    }

    async fn body(&mut self, length: usize) -> Option<Frame> {
        // Both are relative to `start`: the beginning of the current line, and the position up to which its end was
        // searched.
        let (mut line, mut seen) = (0, 0);
        loop {
            let arrived = &self.buffer[self.start..];
            let arrived = &arrived[..length.min(arrived.len())];
            while let Some(end) = find(&arrived[seen..], b'\n') {
                if let Some((before, _)) = length_field(&arrived[line..seen + end]) {
                    self.start += line + before;
                    return Some(broken("Content-Length is more than the message has"));
                }
                seen += end + 1;
                line = seen;
            }
            seen = arrived.len();
            if seen == length {
                break;
            }
            if !self.fill().await {
                warn!("the input ended inside a message");
                return None;
            }
        }

        let body = &mut self.buffer[self.start..self.start + length];
        let parsed = serde_json::from_slice(body)
            .or_else(|error| if repair_lone_surrogates(body) { serde_json::from_slice(body) } else { Err(error) });
        match parsed {
            Ok(value) => {
                self.start += length;
                Some(Frame::Body(value))
            }
            Err(error) => {
                // The length may be as wrong as the body, so search for the next header from here.
                self.place = Place::Lost;
                Some(broken(format!("the message is not JSON: {error}")))
            }
        }
    }

    /// Returns the next line, which stays in the buffer.
    async fn line(&mut self) -> Option<Line> {
        let mut seen = 0;
        loop {
            if let Some(end) = find(&self.buffer[self.start + seen..], b'\n') {
                return Some(Line::Whole(self.start..self.start + seen + end));
            }
            seen = self.buffer.len() - self.start;
            if seen > LINE_LIMIT_BYTES {
                // The bytes that are kept may be the beginning of a length field.
                self.start += seen - FIELD_BYTES;
                return Some(Line::Endless);
            }
            if !self.fill().await {
                return None;
            }
        }
    }

    fn lose(&mut self) -> Option<Frame> {
        match std::mem::replace(&mut self.place, Place::Lost) {
            Place::Lost => None,
            Place::Between | Place::Header => Some(broken("a line without an end")),
        }
    }

    /// Reads more bytes into the buffer. Returns false at the end of input.
    async fn fill(&mut self) -> bool {
        self.buffer.drain(..self.start);
        self.start = 0;
        if self.buffer.is_empty() && self.buffer.capacity() > 16 * READ_BYTES {
            self.buffer = Vec::new();
        }
        self.buffer.reserve(READ_BYTES);
        match self.input.read_buf(&mut self.buffer).await {
            Ok(count) => count > 0,
            Err(error) => {
                warn!(%error, "cannot read from the client");
                false
            }
        }
    }
}

/// Maximum length of a body, in bytes. A larger one is a broken length rather than a document.
const BODY_LIMIT_BYTES: usize = 256 << 20;

/// Maximum length of a header line, in bytes.
const LINE_LIMIT_BYTES: usize = 64 << 10;

/// Upper bound for the length of a length field, in bytes.
const FIELD_BYTES: usize = 64;

/// Number of bytes requested per read.
const READ_BYTES: usize = 64 << 10;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A frame may begin here.
    Between,
    /// Inside a header.
    Header,
    /// After a broken frame that was answered: everything up to the next length field is skipped.
    Lost,
}

enum Line {
    Whole(Range<usize>),
    Endless,
}

fn broken(message: impl Into<std::borrow::Cow<'static, str>>) -> Frame {
    Frame::Broken(Error { code: ErrorCode::ParseError, message: message.into(), data: None })
}

fn find(bytes: &[u8], wanted: u8) -> Option<usize> {
    bytes.iter().position(|byte| *byte == wanted)
}

/// Parses a length field at the end of a line. Returns the number of bytes before it, and the length.
fn length_field(line: &[u8]) -> Option<(usize, usize)> {
    let line = line.trim_ascii_end();
    let digits = line.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (name, digits) = line.split_at(line.len() - digits);
    let name = name.trim_ascii_end();
    let before = name.len().checked_sub(LENGTH_FIELD.len())?;
    if digits.is_empty() || !name[before..].eq_ignore_ascii_case(LENGTH_FIELD) {
        return None;
    }
    // Parsing fails only if the number overflows, and then it is too large anyway.
    let length = std::str::from_utf8(digits).ok()?.parse().unwrap_or(usize::MAX);
    Some((before, length))
}

const LENGTH_FIELD: &[u8] = b"content-length:";

fn is_field(line: &[u8]) -> bool {
    let name = find(line, b':').map_or(&[][..], |colon| &line[..colon]);
    !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
}

/// Replaces escaped lone surrogates by U+FFFD. JavaScript clients may cut a string inside a surrogate pair and escape
/// the half, which a Rust string cannot hold. U+FFFD is one UTF-16 unit as well, so positions stay correct.
fn repair_lone_surrogates(body: &mut [u8]) -> bool {
    let (mut at, mut repaired) = (0, false);
    while let Some(backslash) = body.get(at..).and_then(|rest| find(rest, b'\\')) {
        at += backslash;
        at += match escaped_unit(&body[at..]) {
            Some(0xD800..=0xDBFF) if matches!(escaped_unit(&body[at + 6..]), Some(0xDC00..=0xDFFF)) => 12,
            Some(0xD800..=0xDFFF) => {
                body[at + 2..at + 6].copy_from_slice(b"FFFD");
                repaired = true;
                6
            }
            Some(_) => 6,
            None => 2,
        };
    }
    repaired
}

/// Returns the UTF-16 unit of a leading `\uXXXX`.
fn escaped_unit(escape: &[u8]) -> Option<u16> {
    let digits = escape.strip_prefix(b"\\u")?.get(..4)?;
    digits.iter().try_fold(0, |unit, digit| Some(unit << 4 | char::from(*digit).to_digit(16)? as u16))
}
