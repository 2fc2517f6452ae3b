//! Stores, in the user's state directory, which clients answered every question as Briefing does.
#![expect(clippy::disallowed_methods, reason = "the room keeps what it found out")]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A full pass of one client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pass {
    /// Its version.
    pub version: String,
    /// The day, `2026-11-22`.
    pub date: String,
    /// Number of questions.
    pub questions: usize,
    /// The program.
    program: PathBuf,
    /// Its size, in bytes.
    bytes: u64,
    /// Modification time of the program, in seconds since 1970.
    written: u64,
    /// Its hash.
    sha256: String,
    /// The version of Briefing that asked.
    briefing: String,
}

/// Passes by harness.
pub type Passes = BTreeMap<String, Pass>;

/// Returns the path of the file that holds the passes.
pub fn place(home: &Path, env: &BTreeMap<String, String>) -> PathBuf {
    let own = env.get("XDG_STATE_HOME").map(PathBuf::from).filter(|dir| dir.is_absolute());
    own.unwrap_or_else(|| home.join(".local/state")).join("briefing/verified.json")
}

/// Reads the passes that still hold: neither the client's program nor the version of Briefing has changed.
pub fn passes(place: &Path) -> Passes {
    let text = fs::read(place).unwrap_or_default();
    let all: Passes = serde_json::from_slice(&text).unwrap_or_default();
    let holds = |pass: &Pass| {
        let same = stamp(&pass.program).is_ok_and(|stamp| stamp == (pass.bytes, pass.written));
        same && pass.briefing == env!("CARGO_PKG_VERSION")
    };
    all.into_iter().filter(|(_, pass)| holds(pass)).collect()
}

/// Remembers a full pass, or with `None` forgets one.
pub fn remember(place: &Path, harness: &str, pass: Option<Pass>) -> io::Result<()> {
    let mut all = passes(place);
    match pass {
        Some(pass) => drop(all.insert(harness.to_owned(), pass)),
        // Without a file there is nothing to forget.
        None if !place.exists() => return Ok(()),
        None => drop(all.remove(harness)),
    }
    if let Some(dir) = place.parent() {
        fs::create_dir_all(dir)?;
    }
    // Another program that reads it meanwhile sees either the old file or the new one, whole.
    let new = place.with_extension(format!("{}.new", std::process::id()));
    fs::write(&new, serde_json::to_vec_pretty(&all).map_err(io::Error::other)?)?;
    fs::rename(new, place)
}

impl Pass {
    /// Creates the pass of a program on a day.
    pub fn of(program: &Path, version: &str, date: (i16, u8, u8), questions: usize) -> io::Result<Pass> {
        let program = fs::canonicalize(program)?;
        let (bytes, written) = stamp(&program)?;
        let mut hash = Sha256::new();
        let mut file = File::open(&program)?;
        let mut buffer = vec![0; 1 << 16];
        loop {
            match file.read(&mut buffer)? {
                0 => break,
                read => hash.update(&buffer[..read]),
            }
        }
        let (year, month, day) = date;
        Ok(Pass {
            version: version.to_owned(),
            date: format!("{year:04}-{month:02}-{day:02}"),
            questions,
            program,
            bytes,
            written,
            sha256: hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect(),
            briefing: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }
}

fn stamp(program: &Path) -> io::Result<(u64, u64)> {
    let meta = fs::metadata(program)?;
    let written = meta.modified()?.duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    Ok((meta.len(), written))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_holds_for_the_program_that_was_asked() {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let (place, program) = (scratch.path().join("state/briefing/verified.json"), scratch.path().join("codex"));
        fs::write(&program, "one").expect("it is written");
        let pass = Pass::of(&program, "0.169.0", (2026, 11, 22), 8).expect("it is there");
        assert_eq!((pass.date.as_str(), &pass.sha256[..8]), ("2026-11-22", "7692c3ad"));
        remember(&place, "codex", Some(pass.clone())).expect("it is written");
        assert_eq!(passes(&place).get("codex"), Some(&pass));
        fs::write(&program, "another").expect("it is written");
        assert!(passes(&place).is_empty(), "another program");
        fs::write(&place, "no JSON").expect("it is written");
        assert!(passes(&place).is_empty(), "a broken file");
        remember(&place, "codex", Some(pass)).expect("it is written");
        remember(&place, "codex", None).expect("it is written");
        assert!(!fs::read_to_string(&place).expect("it is there").contains("0.169.0"));
    }
}
