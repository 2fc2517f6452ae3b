//! Templates: texts with placeholders in braces, checked when they are declared and filled in one pass.
//!
//! `{path}` is a placeholder, `{?soul}…{/soul}` is included only if the source `soul` gave something, and `{{`, `}}`
//! are braces. Inserted values are not parsed again, so an instruction file may contain braces.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};

use crate::answer::Text;

/// A parsed template.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Template(Vec<Part>);

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Text(String),
    Value(String),
    /// Included only if the named source gave something.
    When(String, Template),
}

impl Template {
    /// Parses a template; `known` are its placeholders.
    pub fn parse(text: &str, known: &[&str]) -> Result<Template, String> {
        let mut open: Vec<(String, Vec<Part>)> = Vec::new();
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            push(&mut parts, &rest[..at]);
            let doubled = ["{{", "}}"].into_iter().find(|brace| rest[at..].starts_with(brace));
            if let Some(brace) = doubled {
                push(&mut parts, &brace[..1]);
                rest = &rest[at + 2..];
                continue;
            }
            if rest[at..].starts_with('}') {
                return Err("a `}` without its `{`; write `}}` for a brace".to_owned());
            }
            let Some(end) = rest[at..].find('}') else {
                return Err("a `{` without its `}`; write `{{` for a brace".to_owned());
            };
            let name = &rest[at + 1..at + end];
            rest = &rest[at + end + 1..];
            if let Some(source) = name.strip_prefix('?') {
                open.push((source.to_owned(), std::mem::take(&mut parts)));
            } else if let Some(source) = name.strip_prefix('/') {
                match open.pop() {
                    Some((opened, before)) if opened == source => {
                        let inside = Template(std::mem::replace(&mut parts, before));
                        parts.push(Part::When(opened, inside));
                    }
                    _ => return Err(format!("`{{/{source}}}` closes nothing that is open")),
                }
            } else if known.contains(&name) {
                parts.push(Part::Value(name.to_owned()));
            } else {
                return Err(format!(
                    "unknown placeholder `{{{name}}}`; the placeholders here are {}; write `{{{{` for a brace",
                    known.iter().map(|name| format!("{{{name}}}")).collect::<Vec<_>>().join(" ")
                ));
            }
        }
        push(&mut parts, rest);
        match open.pop() {
            Some((opened, _)) => Err(format!("`{{?{opened}}}` is not closed; write `{{/{opened}}}` where it ends")),
            None => Ok(Template(parts)),
        }
    }

    /// Fills the template. A conditional part is included if `gave` returns true for its source.
    pub fn fill(&self, value: &dyn Fn(&str) -> Text, gave: &dyn Fn(&str) -> bool) -> Text {
        let filled = self.0.iter().map(|part| match part {
            Part::Text(text) => text.as_str().into(),
            Part::Value(name) => value(name),
            Part::When(source, inside) if gave(source) => inside.fill(value, gave),
            Part::When(..) => Text::default(),
        });
        filled.collect()
    }

    /// Returns the names of the sources in conditions.
    pub fn sources(&self) -> Vec<&str> {
        let mut found = Vec::new();
        for part in &self.0 {
            if let Part::When(source, inside) = part {
                found.push(source.as_str());
                found.extend(inside.sources());
            }
        }
        found
    }
}

fn push(parts: &mut Vec<Part>, text: &str) {
    match parts.last_mut() {
        _ if text.is_empty() => {}
        Some(Part::Text(before)) => before.push_str(text),
        Some(Part::Value(_) | Part::When(..)) | None => parts.push(Part::Text(text.to_owned())),
    }
}

/// Declares a kind of template by its placeholders.
macro_rules! template {
    ($(#[$doc:meta])* $name:ident [$($known:literal),+]) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub(super) struct $name(pub Template);

        impl $name {
            const KNOWN: &'static [&'static str] = &[$($known),+];
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                Template::parse(&text, Self::KNOWN).map($name).map_err(serde::de::Error::custom)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                let known: Vec<String> = Self::KNOWN.iter().map(|name| format!("{{{name}}}")).collect();
                schemars::json_schema!({ "type": "string", "description": format!("A text with {}.", known.join(" ")) })
            }
        }
    };
}

template! {
    /// Template for one file in the prompt.
    EntryTemplate ["content", "path", "name", "relative", "cwd", "root", "home"]
}
template! {
    /// Template for the text in place of what is cut out.
    MarkerTemplate ["name", "path", "head", "tail", "total"]
}
template! {
    /// Template for the text in place of a missing file.
    MissingTemplate ["path", "name", "relative"]
}
template! {
    /// Template around the texts of a message.
    WrapperTemplate ["text", "cwd", "root", "home", "git", "platform", "date", "shell", "model", "agent", "target"]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(text: &str) -> Result<String, String> {
        let template = Template::parse(text, &["a", "b"])?;
        Ok(template.fill(&|name| format!("<{name} {{b}}>").into(), &|source| source == "soul").to_string())
    }

    #[test]
    fn placeholders_are_filled_once() {
        for (text, out) in [
            ("", ""),
            ("x {a} y", "x <a {b}> y"),
            ("{{a}}", "{a}"),
            ("{?soul}S{a}{/soul}.", "S<a {b}>."),
            ("{?other}S{/other}.", "."),
            ("{?soul}1{?other}2{/other}3{/soul}", "13"),
        ] {
            assert_eq!(filled(text).as_deref(), Ok(out), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, words) in [
            ("{c}", "unknown placeholder `{c}`; the placeholders here are {a} {b}"),
            ("{a", "a `{` without its `}`"),
            ("a}", "a `}` without its `{`"),
            ("{?soul}", "`{?soul}` is not closed"),
            ("{/soul}", "`{/soul}` closes nothing"),
            ("{?a}{?b}{/a}{/b}", "`{/a}` closes nothing"),
        ] {
            assert!(filled(text).is_err_and(|message| message.contains(words)), "{text}");
        }
    }
}
