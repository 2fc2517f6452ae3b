//! What an implementation of an agent's rules consists of: its profile, its editions, and what is known about them.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use super::evidence::Evidence;
use super::history::{Change, Replays, Version};
use super::keys::Keys;
use super::overrides::Overrides;
use super::switches::Switches;
use crate::answer::{Answer, Per, SessionKind, Standpoint, Tool};
use crate::search::{Known, Search};

/// One harness: the agent program that loads instruction files.
pub struct Profile {
    /// The id used on the wire, on the command line and in settings.
    pub id: &'static str,
    /// Its name, for people.
    pub title: &'static str,
    /// What it reads, in a sentence.
    pub summary: &'static str,
    /// Its editions, oldest first: versions that have a name of their own.
    pub editions: &'static [&'static dyn Edition],
    /// How it changed, where the rules of any version are known; else there are the editions, and nothing between them.
    pub history: Option<&'static History>,
    /// The names of the instruction files it may read, as glob patterns on path endings.
    pub instruction_names: &'static [&'static str],
    /// The names of the settings files that decide what it reads.
    pub settings_names: &'static [&'static str],
    /// The keys in these files that decide what it reads.
    pub keys: &'static [Keys],
    /// How it is started, where it is a program of its own of which a version can be installed.
    pub program: Option<Program>,
    /// What shows that somebody uses it.
    pub evidence: Evidence,
}

/// How a harness changed.
pub struct History {
    /// What changed, oldest first.
    pub changes: &'static [&'static Change],
    /// The rules of a version: those of the base, with every change up to it.
    pub rules: fn(Version) -> Arc<dyn Edition>,
    /// What was replayed on which versions.
    pub replays: &'static Replays,
}

/// How a harness is started, and the package that brings it, as the registry has it in November 2026.
pub struct Program {
    /// The command.
    pub command: &'static str,
    /// The npm package; one that lies elsewhere says no version.
    pub package: &'static str,
}

impl Program {
    /// Returns true if it is an editor, with an agent in it that not everyone uses.
    pub fn is_editor(&self) -> bool {
        self.package == "Code"
    }
}

/// One range of a harness's versions, with one set of rules.
pub trait Edition: Send + Sync {
    /// What is known about this edition.
    fn about(&self) -> &About;
    /// Looks around as the harness would. Cannot fail: problems are part of the answer.
    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer>;
    /// Whether a file of this path, where it is read, may import others with `@path`.
    fn imports_into(&self, _: &Path) -> bool {
        false
    }
    /// What another tool than the one that reads brings along. [`Tool::Read`] is not asked about.
    fn attaches(&self, _: Tool) -> Attaches {
        Attaches::Unknown
    }
    /// Returns true if a later reading does not bring again what came with a mention.
    fn remembers_mentions(&self) -> bool {
        true
    }
    /// Whether the client was seen to run the tools of one turn in parallel, so that their order changes from run to run.
    fn races(&self) -> bool {
        false
    }
    /// What is left of a session that was ended, when it goes on.
    fn resumes(&self) -> Resumes {
        Resumes::NotAsked
    }
    /// What is left of a session that was summed up.
    fn compacts(&self) -> Compacts {
        Compacts::NotAsked
    }
    /// The kinds of session that it tells apart, the usual one first.
    fn sessions(&self) -> &'static [SessionKind] {
        &[SessionKind::Main]
    }
    /// The settings by which users change how much is read.
    fn limit_keys(&self) -> &'static [LimitKey] {
        &[]
    }
    /// Returns the table of everything that can change what the client sends.
    fn switches(&self) -> &'static Switches {
        Switches::NONE
    }
    /// The same edition with some of its values replaced, for a custom harness that extends it; `Err` names a value that it
    /// does not have.
    fn overridden(&self, overrides: &Overrides) -> Result<Arc<dyn Edition>, String> {
        overrides.nothing_but(&[])?;
        Err(format!("the edition {} has no values to override", self.about().name))
    }
}

/// An edition that is built from the history of its harness when it is first asked.
impl<E: Edition> Edition for LazyLock<E> {
    fn about(&self) -> &About {
        (**self).about()
    }
    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        (**self).look(at, search)
    }
    fn imports_into(&self, file: &Path) -> bool {
        (**self).imports_into(file)
    }
    fn attaches(&self, tool: Tool) -> Attaches {
        (**self).attaches(tool)
    }
    fn remembers_mentions(&self) -> bool {
        (**self).remembers_mentions()
    }
    fn races(&self) -> bool {
        (**self).races()
    }
    fn resumes(&self) -> Resumes {
        (**self).resumes()
    }
    fn compacts(&self) -> Compacts {
        (**self).compacts()
    }
    fn sessions(&self) -> &'static [SessionKind] {
        (**self).sessions()
    }
    fn limit_keys(&self) -> &'static [LimitKey] {
        (**self).limit_keys()
    }
    fn switches(&self) -> &'static Switches {
        (**self).switches()
    }
    fn overridden(&self, overrides: &Overrides) -> Result<Arc<dyn Edition>, String> {
        (**self).overridden(overrides)
    }
}

/// What comes along when a tool reaches a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attaches {
    /// The same as when the file is read.
    AsRead,
    /// Nothing.
    Nothing,
    /// What the edition itself works out from [`Standpoint::tool`].
    Own,
    /// Nobody has asked the client yet.
    Unknown,
}

/// What a session that goes on is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resumes {
    /// Nobody has asked the client yet.
    NotAsked,
    /// What it began with, and what came with files.
    AsBefore(Changed),
    /// The same; and with the next file what came before comes once more.
    ComesAgain(Changed),
    /// What it began with; what came with files comes anew with the next one.
    WithoutFiles(Changed),
}

/// Which text a session that goes on has of a file that changed meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// The new one alone.
    Replaced,
    /// The old one, and the new one beside it.
    Beside,
}

impl Changed {
    /// The word for it in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Changed::Replaced => "replaced",
            Changed::Beside => "beside",
        }
    }
}

/// What a session that was summed up is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compacts {
    /// Nobody has asked the client yet.
    NotAsked,
    /// What it began with.
    Forgets,
    /// The same, and files that the client remembers as read, which it reads again.
    ReadsAgain {
        /// How many of them at most.
        most: usize,
        /// The names of files that it does not read again.
        but: &'static [&'static str],
    },
    /// The same, and of the end of the session as much as fits.
    KeepsTheLast,
}

/// A setting by which users change a limit.
pub struct LimitKey {
    /// Whether each file has the limit for itself.
    pub per: Per,
    /// The keys that lead to it.
    pub path: &'static [&'static str],
}

/// What is known about an edition.
#[derive(Clone, Copy)]
pub struct About {
    /// Its name: a prefix of the versions it describes.
    pub name: &'static str,
    /// First and last version for which the rules were checked on the real client.
    pub checked: (&'static str, &'static str),
    /// What people compare harnesses by.
    pub details: Details,
}

impl About {
    /// The versions that were checked, in words: `0.169.x` for all that begin so, `1.18.33 to 1.18.x` for those from one on.
    pub fn checked_on(&self) -> String {
        let (first, last) = self.checked;
        match first.strip_prefix(last) {
            Some("") => first.to_owned(),
            Some(".0") => format!("{last}.x"),
            Some(_) => format!("{first} to {last}.x"),
            None => format!("{first} to {last}"),
        }
    }
}

/// Whether an edition is named after the month in which its rules were read: no client was asked.
pub fn is_month(edition: &str) -> bool {
    edition.split_once('.').map_or(edition, |(year, _)| year).starts_with("20") && edition.len() <= "2026.11".len()
}

/// What people compare harnesses by: a short phrase each, in the words of the harness's own rules, as
/// `briefing harnesses --details` shows them side by side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// The names of its files, and which of them wins.
    pub files: &'static str,
    /// When files are loaded.
    pub triggers: &'static str,
    /// Where in the prompt they stand.
    pub place: &'static str,
    /// What is cut, and how.
    pub truncation: &'static str,
    /// What becomes of files below the working directory.
    pub nested: &'static str,
    /// What is read outside the project.
    pub global: &'static str,
    /// Whether addresses can be named.
    pub urls: &'static str,
    /// Whether globs can be named.
    pub globs: &'static str,
    /// What kinds of session leave out.
    pub sessions: &'static str,
    /// What may rewrite the list of files.
    pub hooks: &'static str,
    /// Whether a file says who the agent is to be.
    pub persona: &'static str,
    /// What counts as the same file.
    pub dedupe: &'static str,
}

impl Details {
    /// The titles of the rows, in order.
    pub const TITLES: [&'static str; 12] = [
        "files",
        "triggers",
        "place",
        "truncation",
        "nested",
        "global",
        "urls",
        "globs",
        "sessions",
        "hooks",
        "persona",
        "dedupe",
    ];

    /// The phrases, in the order of the titles.
    pub fn phrases(&self) -> [&'static str; 12] {
        let Details {
            files,
            triggers,
            place,
            truncation,
            nested,
            global,
            urls,
            globs,
            sessions,
            hooks,
            persona,
            dedupe,
        } = *self;
        [files, triggers, place, truncation, nested, global, urls, globs, sessions, hooks, persona, dedupe]
    }
}

#[cfg(test)]
impl About {
    /// Returns what is known about the edition of a test.
    pub(crate) fn of_a_test() -> &'static About {
        static ABOUT: LazyLock<About> =
            LazyLock::new(|| About { name: "1.0", checked: ("1.0", "1.0"), details: Details::default() });
        &ABOUT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checked_versions_are_said_in_words() {
        for (checked, words) in [
            (("0.169.0", "0.169"), "0.169.x"),
            (("1.18.33", "1.18"), "1.18.33 to 1.18.x"),
            (("2026.11", "2026.11"), "2026.11"),
            (("1.1.53", "1.2.3"), "1.1.53 to 1.2.3"),
        ] {
            let about = About { name: "", checked, details: Details::default() };
            assert_eq!(about.checked_on(), words);
        }
    }
}
