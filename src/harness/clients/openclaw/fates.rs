//! Fate of each file of a turn, with the reason.

use super::budget::Portion;
use super::excerpt::Excerpt;
use super::session::{self, Content, Loaded};
use super::turn::Turn;
use crate::answer::{Answer, Fate, Limit, Per, Scope, Source, Unit};
use crate::search::{Known, Search};

impl Turn<'_> {
    /// Returns the source of a file, unless it is not worth mentioning.
    pub(super) fn source(
        &self,
        file: &Loaded,
        portion: Option<&Portion>,
        excerpt: Option<&Excerpt>,
        instructions: Option<usize>,
    ) -> Option<Source> {
        let mut source = Source { purpose: file.purpose(), ..Source::new(&file.path, file.scope, Fate::Loaded, "") };
        if let Content::Text(raw, _) = &file.content {
            source.size = Some(raw.size());
        }
        if let Some((fate, reason)) = &file.left_out {
            // A file that neither exists nor is announced is not worth mentioning.
            let exists = !matches!(file.content, Content::Missing);
            (source.fate, source.reason) = (*fate, reason.clone());
            if self.setup.deletes_bootstrap && file.path == self.workspace.join("BOOTSTRAP.md") {
                source.reason = "deleted before the files are read, since the workspace looks configured".into();
                return Some(source);
            }
            return exists.then_some(source);
        }
        let portion = portion?;
        if matches!(file.content, Content::Missing) && excerpt.is_none() {
            // The budget was used up before it could be announced as missing.
            return None;
        }
        source.limit = Some(self.limit_of(file, portion));
        if let Some(excerpt) = excerpt {
            (source.message, source.part) = (instructions, Some(0));
            if let Content::Text(raw, _) = &file.content {
                source.kept = raw.raw_ranges(&excerpt.ranges());
            }
        }
        (source.fate, source.reason) = self.fate(file, portion, excerpt, source.limit.as_ref());
        Some(source)
    }

    /// Returns the limit that decides: the file's own, or what was left of the shared one.
    fn limit_of(&self, file: &Loaded, portion: &Portion) -> Limit {
        let limits = &self.edition.limits;
        let (own, from) = self.limit("bootstrapMaxChars", limits.file_utf16);
        let allowed = limits.of(file.name, own);
        let (own, from) = if allowed < own { (allowed, "default".to_owned()) } else { (own, from) };
        if let Some(total) = limits.total_utf16
            && portion.left < own
            && portion.truncated
        {
            let (total, from) = self.limit("bootstrapTotalMaxChars", total);
            return Limit { value: total, unit: Unit::Utf16, per: Per::Chain, from };
        }
        Limit { value: own, unit: Unit::Utf16, per: Per::Source, from }
    }

    /// Replaces the limit of a loaded file with the shared limit, if all files together use a larger part of that than
    /// the file uses of its own.
    pub(super) fn share(&self, sources: &mut [Source]) {
        let Some(total) = self.edition.limits.total_utf16 else { return };
        let (total, from) = self.limit("bootstrapTotalMaxChars", total);
        let units = |source: &Source| source.size.map_or(0, |size| size.utf16);
        let counts = |source: &&Source| matches!(source.fate, Fate::Loaded | Fate::Truncated | Fate::Dropped);
        let used: usize = sources.iter().filter(counts).map(units).sum();
        for source in sources.iter_mut().filter(|source| source.fate == Fate::Loaded) {
            let size = units(source);
            // used / total > size / own
            let is_nearer =
                source.limit.as_ref().is_some_and(|own| own.per == Per::Source && used * own.value > size * total);
            if is_nearer {
                source.limit = Some(Limit { value: total, unit: Unit::Utf16, per: Per::Chain, from: from.clone() });
            }
        }
    }

    fn fate(
        &self,
        file: &Loaded,
        portion: &Portion,
        excerpt: Option<&Excerpt>,
        limit: Option<&Limit>,
    ) -> (Fate, String) {
        let shared = limit.is_some_and(|limit| limit.per == Per::Chain);
        let limit = limit.map_or(0, |limit| limit.value);
        match (&file.content, excerpt) {
            (Content::Missing, _) => (Fate::Missing, "missing; the prompt says so, with its path".into()),
            (Content::Refused(message), Some(_)) => (Fate::Unreadable, format!("{message}; the prompt says so")),
            (Content::Text(..), None) if portion.truncated => {
                (Fate::Dropped, format!("the limit of {limit} UTF-16 units for all files is used up"))
            }
            (Content::Refused(message), None) => (Fate::Unreadable, message.clone()),
            (Content::Text(..), None) => (Fate::Empty, "only white space".into()),
            (Content::Text(..), Some(excerpt)) if portion.truncated => {
                let of = format!("{} of {} UTF-16 units are loaded", excerpt.units_of_file(), portion.length);
                let why = match shared {
                    true => format!("the limit for all files is {limit}"),
                    false => format!("the limit for each file is {limit}"),
                };
                (Fate::Truncated, format!("{of}: {why}"))
            }
            (Content::Text(..), Some(_)) if file.scope == Scope::Config => {
                (Fate::Loaded, "added by the hook bootstrap-extra-files".into())
            }
            (Content::Text(..), Some(_)) => (Fate::Loaded, "a file of the agent's workspace".into()),
        }
    }

    /// Adds files of other names that users may expect to be read.
    pub(super) fn ignored(&self, search: &mut Search, answer: &mut Answer) -> Known<()> {
        let Ok(listing) = search.list(self.workspace, "names that OpenClaw does not read")? else { return Ok(()) };
        for (name, reason) in self.edition.ignored {
            if listing.iter().any(|entry| entry.name == *name) {
                answer.sources.push(Source {
                    purpose: session::purpose(name),
                    ..Source::new(self.workspace.join(name), Scope::User, Fate::Excluded, *reason)
                });
            }
        }
        Ok(())
    }
}
