//! Values that are checked while they are parsed, so that an error has the range of its value.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

use crate::answer::Worded;

/// A whole number that is not negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Amount(pub usize);

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = i64::deserialize(deserializer)?;
        usize::try_from(number)
            .map(Amount)
            .map_err(|_| Error::custom(format!("{number} is negative; a limit is 0 or more")))
    }
}

impl JsonSchema for Amount {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Amount".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": 0 })
    }
}

/// A share, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Ratio(pub f64);

impl<'de> Deserialize<'de> for Ratio {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        if (0.0..=1.0).contains(&number) {
            return Ok(Ratio(number));
        }
        Err(Error::custom(format!("{number} is not a ratio; a ratio is between 0 and 1")))
    }
}

impl JsonSchema for Ratio {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Ratio".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": 1 })
    }
}

/// A path, or a glob that does not leave the workspace.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pattern(pub String);

impl Pattern {
    /// Parses a path or glob; `Err` describes the problem.
    pub fn parse(path: &str) -> Result<Pattern, String> {
        if path.is_empty() {
            return Err("an empty path names no file".to_owned());
        }
        if is_glob(path) && leaves(path) {
            return Err(format!(
                "the glob `{path}` leaves the workspace; write it relative to the workspace and without `..`"
            ));
        }
        Ok(Pattern(path.to_owned()))
    }

    /// Returns true if this is a glob.
    pub fn is_glob(&self) -> bool {
        is_glob(&self.0)
    }
}

/// Returns true if a path has wildcards. The braces of a variable at its beginning do not count.
pub(super) fn is_glob(path: &str) -> bool {
    let path = path.strip_prefix("${").and_then(|rest| rest.split_once('}')).map_or(path, |(_, rest)| rest);
    path.contains(['*', '?', '[', '{'])
}

/// Returns true if a glob could match something outside the directory it starts in.
pub(super) fn leaves(glob: &str) -> bool {
    glob.starts_with(['/', '~', '$']) || glob.split(['/', ',', '{', '}']).any(|segment| segment == "..")
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        checked(deserializer, "a path", Pattern::parse)
    }
}

impl JsonSchema for Pattern {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Pattern".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "minLength": 1 })
    }
}

/// A URL with the scheme `http` or `https`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Url(pub String);

/// Returns true if a text begins with `https://` or `http://`.
pub(super) fn is_url(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

impl<'de> Deserialize<'de> for Url {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        checked(deserializer, "a URL", |url| {
            if is_url(url) {
                return Ok(Url(url.to_owned()));
            }
            Err(format!("`{url}` is not a URL; it has to begin with https:// or http://"))
        })
    }
}

impl JsonSchema for Url {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Url".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^https?://" })
    }
}

/// One of the names that the wire, the command line and the settings share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word<T>(pub T);

impl<'de, T: Worded> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        checked(deserializer, "a word", |word| {
            let known = || T::words().collect::<Vec<_>>().join(", ");
            T::of_word(word).map(Word).ok_or_else(|| format!("`{word}` is not one of {}", known()))
        })
    }
}

impl<T: Worded> JsonSchema for Word<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Word".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "enum": T::words().collect::<Vec<_>>() })
    }
}

/// Parses and checks a text. A check during parsing reports the range of the value; a later check could report only the
/// range of the list around it.
fn checked<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    what: &'static str,
    check: fn(&str) -> Result<T, String>,
) -> Result<T, D::Error> {
    struct Checked<T>(&'static str, fn(&str) -> Result<T, String>);

    impl<T> Visitor<'_> for Checked<T> {
        type Value = T;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str(self.0)
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            (self.1)(text).map_err(E::custom)
        }
    }

    deserializer.deserialize_str(Checked(what, check))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_may_not_leave_the_workspace() {
        for (glob, out) in [
            ("*.md", false),
            (".cursor/rules/*.md", false),
            ("a..b/*.md", false),
            ("../*.md", true),
            ("a/../../*.md", true),
            ("{a,..}/*.md", true),
            ("/etc/*.md", true),
            ("~/*.md", true),
        ] {
            assert!(is_glob(glob));
            assert_eq!(leaves(glob), out, "{glob}");
        }
    }
}
