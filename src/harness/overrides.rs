//! Values that a declaration replaces in a built-in edition.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// Values that a custom harness replaces in the edition it extends. An edition's own settings files still count over
/// them, as they do over what the edition has built in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// The file names that are looked for, in order.
    pub names: Option<Vec<String>>,
    /// Names that are looked for after them.
    pub fallbacks: Option<Vec<String>>,
    /// What makes a directory the project root.
    pub root_markers: Option<Vec<String>>,
    /// The limit of each file, in the unit the edition counts.
    pub limit: Option<usize>,
    /// The limit of all files together, in the unit the edition counts.
    pub total_limit: Option<usize>,
    /// The share of a limit that is kept of a file's beginning.
    pub head_ratio: Option<f64>,
    /// The share of a limit that is kept of a file's end.
    pub tail_ratio: Option<f64>,
}

impl Overrides {
    /// Nothing but these values is overridden; else which one is not among them.
    pub fn nothing_but(&self, known: &[&str]) -> Result<(), String> {
        let given = [
            ("names", self.names.is_some()),
            ("fallbacks", self.fallbacks.is_some()),
            ("root_markers", self.root_markers.is_some()),
            ("limit", self.limit.is_some()),
            ("total_limit", self.total_limit.is_some()),
            ("head_ratio", self.head_ratio.is_some()),
            ("tail_ratio", self.tail_ratio.is_some()),
        ];
        let Some((name, _)) = given.into_iter().find(|(name, given)| *given && !known.contains(name)) else {
            return Ok(());
        };
        let can = if known.is_empty() { "nothing".to_owned() } else { known.join(", ") };
        Err(format!("this edition has no `{name}` to override; it has {can}"))
    }
}

/// The names as an edition holds them. Editions are statics with static names, which is what makes them easy to read; a
/// name that a user writes is therefore kept for good, once, however often it is declared.
pub fn kept(names: &[String]) -> &'static [&'static str] {
    static LISTS: Mutex<Option<HashSet<&'static [&'static str]>>> = Mutex::new(None);
    let mut lists = LISTS.lock().unwrap_or_else(PoisonError::into_inner);
    let lists = lists.get_or_insert_default();
    let same = lists.iter().copied().find(|list| list.iter().copied().eq(names.iter().map(String::as_str)));
    same.unwrap_or_else(|| {
        let list: Vec<&'static str> = names.iter().map(|name| &*name.clone().leak()).collect();
        let list: &'static [&'static str] = list.leak();
        lists.insert(list);
        list
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_names_is_kept_once() {
        let names = ["A.md".to_owned(), "B.md".to_owned()];
        assert_eq!(kept(&names), ["A.md", "B.md"]);
        assert!(std::ptr::eq(kept(&names), kept(&names.clone())));
    }
}
