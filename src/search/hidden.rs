//! What must not be said: the values of variables that settings have put into paths, where it may be a secret.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use super::Probe;

/// What becomes of values that may be secrets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Secrets {
    /// They stand in the texts that the client would send, and nowhere else.
    #[default]
    Hidden,
    /// They are shown, to the user's own eyes.
    Shown,
}

/// A shorter value is no secret, and stands in words that have nothing to do with it.
const SHORTEST: usize = 8;

/// Whether a variable of this name has a value that nobody shows.
pub(super) fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "API_KEY", "APIKEY"].iter().any(|word| name.contains(word))
}

/// The values that were put in, each with what is written for it.
#[derive(Default)]
pub(super) struct Hidden {
    pub reveal: bool,
    values: RefCell<Vec<(String, String)>>,
}

impl Hidden {
    pub fn note(&self, value: &str, written: &str) {
        let mut values = self.values.borrow_mut();
        if !self.reveal && value.len() >= SHORTEST && !values.iter().any(|(known, _)| known == value) {
            values.push((value.to_owned(), written.to_owned()));
        }
    }

    /// Those that are in the name of nothing that was found.
    pub fn stand_ins<'p>(&self, probes: impl Iterator<Item = &'p Probe>) -> StandIns {
        let mut values = self.values.borrow().clone();
        if !values.is_empty() {
            for probe in probes.filter(|probe| is_found(probe)) {
                let path = probe.path.to_string_lossy();
                values.retain(|(value, _)| !path.contains(value.as_str()));
            }
            // One may be a part of another.
            values.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        }
        StandIns { values }
    }
}

fn is_found(probe: &Probe) -> bool {
    let nothing = ["absent", "not asked", "not fetched", "no repository", "0 files", "0 entries"];
    !nothing.contains(&&*probe.answer) && !probe.answer.contains(": ")
}

/// What is said in the place of values.
#[derive(Default)]
pub struct StandIns {
    values: Vec<(String, String)>,
}

impl StandIns {
    /// Whether everything may be said.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Puts what is written in the place of each value.
    pub fn text(&self, text: &mut String) {
        for (value, written) in &self.values {
            if text.contains(value.as_str()) {
                *text = text.replace(value.as_str(), written);
            }
        }
    }

    /// The same for a path.
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
