//! Values that a custom agent replaces in a built-in edition.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// Values that a custom agent replaces in the edition it extends. They replace built-in values, so the agent's own
/// settings files override them too.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// File names in the order in which they are tried.
    pub names: Option<Vec<String>>,
    /// Names that are tried after them.
    pub fallbacks: Option<Vec<String>>,
    /// Names of entries that mark a directory as the project root.
    pub root_markers: Option<Vec<String>>,
    /// Limit of each file, in the unit that the edition counts.
    pub limit: Option<usize>,
    /// Limit of all files together, in the unit that the edition counts.
    pub total_limit: Option<usize>,
    /// Share of a limit that is kept of a file's beginning.
    pub head_ratio: Option<f64>,
    /// Share of a limit that is kept of a file's end.
    pub tail_ratio: Option<f64>,
}

impl Overrides {
    /// Checks that only values in `known` are overridden; `Err` names another one.
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

/// Returns the names with a static lifetime, as editions need them: editions are statics because those are easy to
/// read. Each list is leaked once, however often it is declared.
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
