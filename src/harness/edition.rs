//! The trait and the types that an implementation of an agent's rules needs: its profile, its editions, and their
//! checks.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use super::evidence::Evidence;
use super::history::{Change, Replays, Version};
use super::keys::Keys;
use super::overrides::Overrides;
use super::switches::Switches;
use crate::answer::{Answer, Per, SessionKind, Standpoint, Tool};
use crate::search::{Known, Search};

/// An agent: the program that loads instruction files.
pub struct Profile {
    /// Id on the wire, on the command line and in settings.
    pub id: &'static str,
    /// Display name.
    pub title: &'static str,
    /// One sentence about the files that the agent reads.
    pub summary: &'static str,
    /// Named editions, oldest first.
    pub editions: &'static [&'static dyn Edition],
    /// Changes from version to version, if the rules of every version are known; otherwise only the editions are.
    pub history: Option<&'static History>,
    /// Names of the instruction files that the agent may read, as glob patterns on path endings.
    pub instruction_names: &'static [&'static str],
    /// Names of the settings files that decide which files the agent reads.
    pub settings_names: &'static [&'static str],
    /// Keys in these files that decide which files the agent reads.
    pub keys: &'static [Keys],
    /// Command and package, if the agent is a program whose version can be looked up.
    pub program: Option<Program>,
    /// Signs that somebody uses the agent.
    pub evidence: Evidence,
}

/// Changes of an agent's rules from version to version.
pub struct History {
    /// The changes, oldest first.
    pub changes: &'static [&'static Change],
    /// Builds the rules of a version: the base rules with every change up to that version.
    pub rules: fn(Version) -> Arc<dyn Edition>,
    /// Results of the replays on the real client.
    pub replays: &'static Replays,
}

/// Command that starts an agent, and the package that provides it, as of the registry in November 2026.
pub struct Program {
    /// Name of the command.
    pub command: &'static str,
    /// Name of the npm package. The version of a package from elsewhere is not known.
    pub package: &'static str,
}

impl Program {
    /// Returns true if this is an editor, whose users do not all use the agent in it.
    pub fn is_editor(&self) -> bool {
        self.package == "Code"
    }
}

/// Rules of one range of an agent's versions.
pub trait Edition: Send + Sync {
    /// Returns the facts about this edition.
    fn about(&self) -> &About;
    /// Loads files as the agent would. Cannot fail: problems are part of the answer.
    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer>;
    /// Returns true if a file at this path may import others with `@path` where it is read.
    fn imports_into(&self, _: &Path) -> bool {
        false
    }
    /// Returns what comes along when a tool other than [`Tool::Read`] reaches a file.
    fn attaches(&self, _: Tool) -> Attaches {
        Attaches::Unknown
    }
    /// Returns true if text that came with a mention does not come again when the file is read later.
    fn remembers_mentions(&self) -> bool {
        true
    }
    /// Returns true if the client was seen to run the tools of one turn in parallel, so that their order changes from
    /// run to run.
    fn races(&self) -> bool {
        false
    }
    /// Returns what a resumed session still contains.
    fn resumes(&self) -> Resumes {
        Resumes::NotAsked
    }
    /// Returns what a compacted session still contains.
    fn compacts(&self) -> Compacts {
        Compacts::NotAsked
    }
    /// Returns the kinds of session that the agent distinguishes, the usual one first.
    fn sessions(&self) -> &'static [SessionKind] {
        &[SessionKind::Main]
    }
    /// Returns the settings that change how much of a file is read.
    fn limit_keys(&self) -> &'static [LimitKey] {
        &[]
    }
    /// Returns the table of everything that can change what the client sends.
    fn switches(&self) -> &'static Switches {
        Switches::NONE
    }
    /// Returns this edition with some of its values replaced, for a custom agent that extends it; `Err` names a value
    /// that the edition does not have.
    fn overridden(&self, overrides: &Overrides) -> Result<Arc<dyn Edition>, String> {
        overrides.nothing_but(&[])?;
        Err(format!("the edition {} has no values to override", self.about().name))
    }
}

/// Forwards to an edition that is built from the agent's history when it is first used.
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

/// Texts that come along when a tool reaches a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attaches {
    /// Whatever comes when the file is read.
    AsRead,
    /// Nothing.
    Nothing,
    /// The edition decides by [`Standpoint::tool`].
    Own,
    /// Not known: the client was not asked.
    Unknown,
}

/// Contents of a resumed session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resumes {
    /// Not known: the client was not asked.
    NotAsked,
    /// The texts of the start and those that came with files.
    AsBefore(Changed),
    /// The texts of the start and those that came with files; the latter come again with the next file.
    ComesAgain(Changed),
    /// The texts of the start. Those that came with files come again with the next file.
    WithoutFiles(Changed),
}

/// Text of a changed file in a resumed session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// Only the new text.
    Replaced,
    /// Both the old and the new text.
    Beside,
}

impl Changed {
    /// Returns the name used in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Changed::Replaced => "replaced",
            Changed::Beside => "beside",
        }
    }
}

/// Contents of a session after compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compacts {
    /// Not known: the client was not asked.
    NotAsked,
    /// Only the texts of the start.
    Forgets,
    /// The texts of the start; the client also reads recently read files again.
    ReadsAgain {
        /// Maximum number of files that are read again.
        most: usize,
        /// Names of files that are not read again.
        but: &'static [&'static str],
    },
    /// The texts of the start, and as much of the end of the session as fits.
    KeepsTheLast,
}

/// Setting by which users change a limit.
pub struct LimitKey {
    /// Scope of the limit: each file, or all together.
    pub per: Per,
    /// Path of keys to the setting.
    pub path: &'static [&'static str],
}

/// Facts about an edition.
#[derive(Clone, Copy)]
pub struct About {
    /// Name: a prefix of the versions that the edition describes.
    pub name: &'static str,
    /// First and last version on which the rules were checked with the real client.
    pub checked: (&'static str, &'static str),
    /// Phrases by which people compare agents.
    pub details: Details,
}

impl About {
    /// Formats the checked versions: `0.169.x` for all with that prefix, `1.18.33 to 1.18.x` for those from one on.
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

/// Returns true if an edition is named after the month in which its rules were read, without asking a client.
pub fn is_month(edition: &str) -> bool {
    edition.split_once('.').map_or(edition, |(year, _)| year).starts_with("20") && edition.len() <= "2026.11".len()
}

/// Phrases by which people compare agents, each short and in the words of the agent's own rules. `briefing harnesses
/// --details` shows them side by side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// Names of the instruction files, and their precedence.
    pub files: &'static str,
    /// Moments at which files are loaded.
    pub triggers: &'static str,
    /// Place of the texts in the prompt.
    pub place: &'static str,
    /// Limits, and how a text is cut.
    pub truncation: &'static str,
    /// Treatment of files below the working directory.
    pub nested: &'static str,
    /// Files that are read outside the project.
    pub global: &'static str,
    /// Support for URLs.
    pub urls: &'static str,
    /// Support for globs.
    pub globs: &'static str,
    /// Texts that some kinds of session leave out.
    pub sessions: &'static str,
    /// Hooks that may rewrite the list of files.
    pub hooks: &'static str,
    /// Support for a file that describes the agent's persona.
    pub persona: &'static str,
    /// Rule by which two paths count as the same file.
    pub dedupe: &'static str,
}

impl Details {
    /// Titles of the rows, in order.
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

    /// Returns the phrases in the order of the titles.
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
