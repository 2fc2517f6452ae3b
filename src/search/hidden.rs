//! Redacts values of variables that settings insert into paths, if they may be secrets.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::Probe;
use crate::glob;

/// Visibility of values that may be secrets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Secrets {
    /// Secrets appear in the texts that the client would send, and nowhere else.
    #[default]
    Hidden,
    /// Secrets are shown, to the user only.
    Shown,
}

/// Minimum length of a value to redact, in bytes. A shorter one is not a secret and would occur in unrelated words.
const SHORTEST: usize = 8;

/// Returns true if a variable's name suggests that its value is a secret.
pub(super) fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "API_KEY", "APIKEY"].iter().any(|word| name.contains(word))
}

/// Maximum length of a value that may be part of an existing path, in bytes (`PATH_MAX` of Linux). Longer values are
/// few and are searched for one by one.
const LONGEST: usize = 4096;

/// Maximum size of all inserted values of variables together, in bytes: each reference to a long one grows by all of
/// it.
const PUT_IN_LIMIT_BYTES: usize = 4 << 20;

/// Counts the size of values that are inserted for variables.
#[derive(Default)]
pub struct PutIn {
    bytes: Cell<usize>,
}

impl PutIn {
    /// Returns true if there is room for one more value. If not, the answer is incomplete.
    pub fn takes(&self, value: &str) -> bool {
        self.bytes.set(self.bytes.get().saturating_add(value.len()));
        let fits = self.bytes.get() <= PUT_IN_LIMIT_BYTES;
        if !fits {
            glob::gives_up();
        }
        fits
    }
}

/// The inserted values, each with the reference as written in the settings.
#[derive(Default)]
pub(super) struct Hidden {
    pub reveal: bool,
    values: RefCell<HashMap<String, String>>,
}

impl Hidden {
    pub fn note(&self, value: &str, written: &str) {
        let mut values = self.values.borrow_mut();
        if !self.reveal && value.len() >= SHORTEST && !values.contains_key(value) {
            values.insert(value.to_owned(), written.to_owned());
        }
    }

    /// Returns the replacements for values that are not part of the path of an existing file.
    pub fn stand_ins<'p>(&self, probes: impl Iterator<Item = &'p Probe>) -> StandIns {
        let values = self.values.borrow();
        if values.is_empty() {
            return StandIns::default();
        }
        let mut values: Vec<(String, String)> = values.clone().into_iter().collect();
        values.sort_by(|one, other| other.0.len().cmp(&one.0.len()).then_with(|| one.cmp(other)));
        let mut short = values.split_off(values.partition_point(|(value, _)| value.len() > LONGEST));
        let mut is_named = vec![false; short.len()];
        if let Some(finder) = finder(&short, MatchKind::Standard) {
            for probe in probes.filter(|probe| is_found(probe)) {
                let path = probe.path.to_string_lossy();
                for found in finder.find_overlapping_iter(&*path) {
                    is_named[found.pattern().as_usize()] = true;
                }
            }
        }
        let mut named = is_named.into_iter();
        short.retain(|_| !named.next().unwrap_or_default());
        let finder = finder(&short, MatchKind::LeftmostLongest);
        StandIns { finder, written: short.into_iter().map(|(_, written)| written).collect(), long: values }
    }
}

/// Multi-pattern search for all values: settings may refer to a hundred thousand variables. One value may be part of
/// another.
fn finder(values: &[(String, String)], kind: MatchKind) -> Option<AhoCorasick> {
    let mut builder = AhoCorasick::builder();
    // The automaton that is fastest to build, and the smallest.
    builder.match_kind(kind).kind(Some(AhoCorasickKind::NoncontiguousNFA));
    let finder = || builder.build(values.iter().map(|(value, _)| value)).expect("fewer than two billion bytes");
    (!values.is_empty()).then(finder)
}

/// Returns true if something exists at the path of a probe: its answer is neither one of these words nor an error.
fn is_found(probe: &Probe) -> bool {
    let nothing = ["absent", "not asked", "not fetched", "no repository", "0 files", "0 entries"];
    !nothing.contains(&&*probe.answer) && !probe.answer.contains(": ")
}

/// Replaces values by the references in the settings.
#[derive(Default)]
pub struct StandIns {
    finder: Option<AhoCorasick>,
    /// References as written, in the order of the finder's patterns.
    written: Vec<String>,
    /// Longer values, each with its reference as written; the longest first.
    long: Vec<(String, String)>,
}

impl StandIns {
    /// Returns true if there is nothing to redact.
    pub fn is_empty(&self) -> bool {
        self.finder.is_none() && self.long.is_empty()
    }

    /// Replaces each value in a text.
    pub fn text(&self, text: &mut String) {
        let first = self.long.partition_point(|(value, _)| value.len() > text.len());
        for (value, written) in &self.long[first..] {
            if text.contains(value.as_str()) {
                *text = text.replace(value.as_str(), written);
            }
        }
        if let Some(finder) = self.finder.as_ref().filter(|finder| finder.is_match(text.as_str())) {
            *text = finder.replace_all(text, &self.written);
        }
    }

    /// Replaces each value in a path.
    pub fn path(&self, path: &mut PathBuf) {
        let mut text = path.to_string_lossy().into_owned();
        self.text(&mut text);
        if Path::new(&text) != path && path.to_str().is_some() {
            *path = text.into();
        }
    }

    pub(super) fn probe(&self, probe: &Probe) -> Probe {
        let mut said = probe.clone();
        self.path(&mut said.path);
        for words in [&mut said.answer, &mut said.rule] {
            self.text(words.to_mut());
        }
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe(path: &str, answer: &'static str) -> Probe {
        Probe { path: path.into(), asked: "content", answer: answer.into(), rule: "".into() }
    }

    #[test]
    fn values_are_said_as_they_are_written_but_for_names_of_what_is_there() {
        let hidden = Hidden::default();
        let long = "x".repeat(LONGEST + 1);
        for (value, written) in [
            ("12345678", "$A"),
            ("1234567890", "$B"),
            ("projects", "$C"),
            ("short", "$D"),
            (&*long, "$E"),
            ("12345678", "$F"),
        ] {
            hidden.note(value, written);
        }
        let probes = [probe("/projects/a.md", "5 B"), probe("/1234567890", "absent")];
        let stand_ins = hidden.stand_ins(probes.iter());
        let mut text = format!("/projects/12345678/1234567890/short/{long}");
        stand_ins.text(&mut text);
        assert_eq!(text, "/projects/$A/$B/short/$E");
        assert!(Hidden::default().stand_ins(probes.iter()).is_empty());
    }

    #[test]
    fn many_values_are_looked_for_at_once() {
        let hidden = Hidden::default();
        (0..50_000).for_each(|number| hidden.note(&format!("secret-{number}"), &format!("$V{number}")));
        let probes: Vec<Probe> = (0..50_000).map(|number| probe(&format!("/a/secret-{number}"), "absent")).collect();
        let stand_ins = hidden.stand_ins(probes.iter());
        let said = probes.iter().map(|probe| stand_ins.probe(probe).path);
        assert!(said.enumerate().all(|(number, path)| path == Path::new(&format!("/a/$V{number}"))));
    }

    #[test]
    fn values_are_put_in_up_to_a_length_and_then_given_up() {
        let (meter, put_in, long) = (glob::Meter::default(), PutIn::default(), "v".repeat(PUT_IN_LIMIT_BYTES / 4));
        assert!((0..4).all(|_| put_in.takes(&long)) && put_in.takes("") && !meter.has_given_up());
        assert!(!put_in.takes("v") && meter.has_given_up());
    }
}
