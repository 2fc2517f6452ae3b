//! Inputs that nobody would write: nothing panics or hangs, and what can be said in a slower, more obvious way is said
//! the same.
//!
//! The corpus is what the cases hold. `FUZZ=100000 SEED=7 cargo test --test tests fuzz` makes so many inputs for each
//! target; `tests/run` makes as many as two minutes allow. A failure names the seed, by which it comes again.

mod answers;
mod escapers;
mod globs;
mod parsers;
mod positions;
mod records;
mod repeated;
mod stores;
mod wire;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::LazyLock;
use std::time::Duration;

use crate::cases::case_files;
use crate::incremental::changes::Random;
use crate::world::Case;

/// How much of a processor one input may take, in a build without optimization: fifty times what an optimized one
/// needs.
const PATIENCE: Duration = Duration::from_secs(20);

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// Tries a target on inputs from seeds of their own. `share` is how many of its inputs cost as much as one of the
/// cheapest.
fn fuzz(target: &str, share: u64, one: impl Fn(&mut Random)) {
    let (count, first) = (number("FUZZ", 3_000) / share, number("SEED", 1));
    let mut slowest = (Duration::ZERO, 0);
    for seed in first..first + count.max(20) {
        let before = crate::bounds::used();
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| one(&mut Random::new(seed)))) {
            eprintln!("{target}: SEED={seed}");
            resume_unwind(panic);
        }
        slowest = slowest.max((crate::bounds::used() - before, seed));
    }
    assert!(slowest.0 < PATIENCE, "{target}: SEED={} takes {:?}", slowest.1, slowest.0);
    if std::env::var_os("FUZZ").is_some() {
        eprintln!("{target}: {count} inputs from seed {first}; the slowest took {:?}", slowest.0);
    }
}

/// What the files of the cases hold, by how their names end. Large ones are left to `tests/hostile`.
struct Corpus {
    files: Vec<(String, String)>,
}

static CORPUS: LazyLock<Corpus> = LazyLock::new(|| {
    let texts = case_files().into_iter().filter_map(|path| std::fs::read_to_string(path).ok());
    let files = texts.flat_map(|text| Case::parse(&text).sections).filter(|section| {
        section.header.starts_with('/') && !section.header.contains(' ') && (1..8_192).contains(&section.body.len())
    });
    let mut files: Vec<(String, String)> = files.map(|section| (section.header, section.body)).collect();
    files.sort();
    files.dedup();
    Corpus { files }
});

impl Corpus {
    /// A file with one of these endings, changed here and there.
    fn text(&self, endings: &[&str], random: &mut Random) -> String {
        let fits = |name: &str| endings.iter().any(|ending| name.ends_with(ending));
        let start = random.below(self.files.len());
        let files = self.files[start..].iter().chain(&self.files[..start]);
        let text = files.filter(|(name, _)| fits(name)).map(|(_, text)| text).next();
        mutated(text.expect("the cases have such files"), random)
    }
}

/// Pieces that mean something to one format or the other.
const PIECES: [&str; 92] = [
    "\n",
    "\r\n",
    "\r",
    " ",
    "\t",
    "  ",
    "\"",
    "'",
    "`",
    "```",
    "~~~",
    "\\",
    "/",
    "//",
    "/*",
    "*/",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "<",
    ">",
    "<!--",
    "-->",
    "--",
    "---",
    "---\n",
    "...",
    "- ",
    "* ",
    "1. ",
    "# ",
    "> ",
    "|",
    "||",
    ":",
    ": ",
    "::",
    ",",
    ";",
    "=",
    " = ",
    "==",
    "!",
    "!!",
    "&a",
    "*a",
    "@",
    "@./a.md",
    "@~/a",
    "@import ",
    "$",
    "$A",
    "${A}",
    "${A:-b}",
    "{env:A}",
    "{file:./a}",
    "%",
    "#",
    "##",
    "**",
    "**/",
    "*.md",
    "?",
    "+(a)",
    "!(a|b)",
    "{a,b}",
    "{1..3}",
    "[!a]",
    "[[:alpha:]]",
    "..",
    "../",
    "./",
    "~",
    "\u{feff}",
    "\u{a0}",
    "\u{2028}",
    "\u{0}",
    "\u{202e}",
    "é",
    "\u{1f600}",
    "null",
    "true",
    "1e309",
    "-0",
    "0x1f",
    "2026-01-31",
    "\\ud83d",
    "\\u0000",
    "<b>",
];

/// The text with a few changes, each of which may be undone by none.
fn mutated(text: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..random.below(6) {
        let (one, other) = (place(&text, random), place(&text, random));
        let range = one.min(other)..one.max(other);
        match random.below(8) {
            0 => text.replace_range(range, ""),
            1 => text.truncate(one),
            2 if text.len() < 16_384 => text.insert_str(other, &String::from(&text[range])),
            3 => text.insert_str(one, &random.pick(&PIECES).repeat(1 + random.below(40))),
            4 => {
                let tail = text.split_off(one);
                text = tail + &text;
            }
            _ => text.insert_str(one, PIECES[random.below(PIECES.len())]),
        }
    }
    text
}

/// Where a character of the text begins, or its end.
fn place(text: &str, random: &mut Random) -> usize {
    text.floor_char_boundary(random.below(text.len() + 1))
}

/// A text made of such pieces alone.
fn made_of(pieces: &[&str], most: usize, random: &mut Random) -> String {
    (0..random.below(most + 1)).map(|_| *random.pick(pieces)).collect()
}
