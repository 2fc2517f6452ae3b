//! Converts an InstructionConfig to sources.

use toml::Spanned;

use super::choices::{Characters, From, Keep, LookupScope, To};
use super::definition::{Definition, Directories, Source};
use super::instruction_config::{Dynamic, Static, Truncation};
use super::limit::Limit;
use super::values::Ratio;
use crate::answer::Unit;

impl Definition {
    /// Replaces the keys of an InstructionConfig by sources.
    pub fn with_instructions(mut self) -> Definition {
        let mut sources = Vec::new();
        if let Some(Static { files, remote_urls, global_path }) = self.fixed.take() {
            let of = |name: &str| Source { name: Some(name.to_owned()), ..Source::empty() };
            if !files.is_empty() {
                sources.push(Source { files: Some(files), ..of("static") });
            }
            if let Some(path) = global_path {
                sources.push(Source { files: Some(vec![path]), optional: true, ..of("global") });
            }
            if !remote_urls.is_empty() {
                sources.push(Source { urls: Some(remote_urls), ..of("remote") });
            }
        }
        if let Some(Dynamic { enabled, lookup_scope, names }) = self.dynamic.take() {
            let to = match lookup_scope {
                LookupScope::Parent => To::Cwd,
                LookupScope::Project | LookupScope::Global => To::Root,
            };
            let directories = Directories { from: From::Target, to, ..Directories::of(names) };
            let (name, directories) = (Some("dynamic".to_owned()), Some(directories));
            sources.push(Source { name, enabled, directories, ..Source::empty() });
        }
        self.sources.extend(sources.into_iter().map(|source| Spanned::new(0..0, source)));
        if let Some(truncation) = self.truncation.take() {
            let limit = Limit::from(truncation);
            let without = |source: &&mut Spanned<Source>| source.get_ref().limit.is_none();
            self.sources.iter_mut().filter(without).for_each(|source| source.get_mut().limit = Some(limit.clone()));
        }
        self
    }
}

impl std::convert::From<Truncation> for Limit {
    fn from(given: Truncation) -> Limit {
        let Truncation { max_chars, head_ratio, tail_ratio, marker } = given;
        Limit {
            max: max_chars,
            unit: Unit::Utf16,
            head: head_ratio.unwrap_or(Ratio(1.0 - tail_ratio.0)),
            tail: tail_ratio,
            marker,
            marker_counts: false,
            characters: Characters::default(),
            keep: Keep::default(),
        }
    }
}
