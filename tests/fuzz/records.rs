//! Records of sessions as no client writes them: each is read to its end, and however its bytes come it says the same.

use std::io::{Cursor, Read};
use std::path::PathBuf;
use std::sync::LazyLock;

use briefing::records::lines::Lines;
use briefing::records::place::Found;
use briefing::records::{self, Client, Session};

use super::{fuzz, mutated};
use crate::incremental::changes::Random;
use crate::world::Case;

/// Records of all clients that are not large, each with its client.
static RECORDS: LazyLock<Vec<(&'static Client, String)>> = LazyLock::new(|| {
    let mut found = Vec::new();
    for path in crate::records::cases() {
        let agent = path.parent().and_then(|dir| dir.file_name()).expect("a client's directory");
        let client = records::client(&agent.to_string_lossy()).expect("a client whose records are read");
        let text = std::fs::read_to_string(&path).expect("a case");
        let case = Case::parse(&text);
        let small = case.all("@record").filter(|(_, body)| (1..64 * 1024).contains(&body.len()));
        found.extend(small.map(|(_, body)| (client, body.to_owned())));
    }
    found
});

/// A reader that gives a few bytes at a time.
struct Drops(Cursor<Vec<u8>>, usize);

impl Read for Drops {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let most = into.len().min(self.1);
        self.0.read(&mut into[..most])
    }
}

fn session(client: &Client, from: impl Read + Send + 'static) -> Session {
    let found = Found::named(client.agent, PathBuf::from("/r/record.jsonl"));
    client.session(&mut Lines::new(from), &found)
}

/// A record with some lines that are missing, repeated, exchanged or those of another record, and changes within lines.
fn record(random: &mut Random) -> (&'static Client, Vec<u8>) {
    let (client, body) = random.pick(&RECORDS);
    let mut lines: Vec<&str> = body.split_inclusive('\n').collect();
    for _ in 0..random.below(4) {
        let (one, other) = (random.below(lines.len()), random.below(lines.len()));
        match random.below(4) {
            0 if lines.len() > 1 => drop(lines.remove(one)),
            1 => lines.insert(one, lines[other]),
            2 => lines.swap(one, other),
            _ => {
                let foreign = random.pick(&RECORDS).1.split_inclusive('\n').next();
                lines.extend(foreign);
            }
        }
    }
    let mut bytes = mutated(&lines.concat(), random).into_bytes();
    if random.chance(20) && !bytes.is_empty() {
        let at = random.below(bytes.len());
        bytes[at] = 0xff;
    }
    (client, bytes)
}

#[test]
fn records_say_the_same_however_their_bytes_come() {
    fuzz("records", 20, |random| {
        let (client, bytes) = record(random);
        let (whole, drops) = (Cursor::new(bytes.clone()), Drops(Cursor::new(bytes), 1 + random.below(4_000)));
        assert_eq!(session(client, whole), session(client, drops), "{}", client.agent);
    });
}
