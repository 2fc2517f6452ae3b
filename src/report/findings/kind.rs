//! The kinds of findings: their codes, their default severities, and what each means. `docs/findings.md` has a section
//! for each.

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The agent does not start, or the text does harm.
    Error,
    /// Text that should reach the model does not, or other text does.
    Warning,
    /// Worth knowing.
    Information,
    /// Worth a faint mark.
    Hint,
}

impl Severity {
    /// Names of the severities in settings, worst first; without `off`.
    pub const WORDS: [(&'static str, Severity); 4] = [
        ("error", Severity::Error),
        ("warning", Severity::Warning),
        ("information", Severity::Information),
        ("hint", Severity::Hint),
    ];

    /// Returns the name of the severity in settings.
    pub fn word(self) -> &'static str {
        Severity::WORDS.iter().find(|(_, severity)| *severity == self).map_or("hint", |(word, _)| word)
    }

    /// Returns the severity with this name.
    pub fn named(word: &str) -> Option<Severity> {
        Severity::WORDS.iter().find(|(known, _)| *known == word).map(|(_, severity)| *severity)
    }
}

/// Default of a kind for which the user sets no severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The kind is reported.
    On,
    /// The kind is reported only if the user sets a severity: it is a matter of taste, or wrong too often.
    Off,
}

/// Declares every kind: a sentence, the code, the default severity, and `Off` if it is reported only when the user sets
/// a severity.
macro_rules! kinds {
    (@standing) => { Standing::On };
    (@standing $standing:ident) => { Standing::$standing };
    ($($(#[$doc:meta])* $kind:ident = $code:literal, $severity:ident $(, $standing:ident)?;)+) => {
        /// Kind of a finding.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind { $($(#[$doc])* $kind,)+ }

        impl Kind {
            /// Every kind, in the order of the documentation.
            pub const ALL: &'static [Kind] = &[$(Kind::$kind),+];

            /// Returns the stable code.
            pub fn code(self) -> &'static str {
                match self { $(Kind::$kind => $code,)+ }
            }

            /// Returns the default severity.
            pub fn severity(self) -> Severity {
                match self { $(Kind::$kind => Severity::$severity,)+ }
            }

            /// Returns whether the kind is on or off by default.
            pub fn standing(self) -> Standing {
                match self { $(Kind::$kind => kinds!(@standing $($standing)?),)+ }
            }

            /// Returns the kind with this code.
            pub fn of_code(code: &str) -> Option<Kind> {
                match code { $($code => Some(Kind::$kind),)+ _ => None }
            }
        }
    };
}

kinds! {
    /// A limit cuts the file, or leaves nothing for it.
    OverBudget = "over-budget", Warning;
    /// 85 % of a limit are used.
    NearBudget = "near-budget", Hint;
    /// An agent loads another file in its place.
    Shadowed = "shadowed", Information;
    /// A CLAUDE.md, here or above, keeps the AGENTS.md out.
    AgentsDisplaced = "agents-displaced", Information;
    /// The agent skips the file for another reason.
    Dropped = "dropped", Information;
    /// The file could not be read.
    Unreadable = "unreadable", Warning;
    /// No enabled agent reads the file.
    NeverRead = "never-read", Information;
    /// The file is long, and the agent has no limit.
    TooLong = "too-long", Hint;
    /// A file name that agents are phasing out.
    DeprecatedName = "deprecated-name", Hint;
    /// One agent gets the same text twice.
    LoadedTwice = "loaded-twice", Information;
    /// The file has no text.
    Empty = "empty", Hint;
    /// Bytes that are not UTF-8.
    NotUtf8 = "not-utf-8", Warning;
    /// Characters that the model gets and people do not see.
    HiddenCharacters = "hidden-characters", Warning;
    /// Text that looks like a credential.
    Secret = "secret", Warning;
    /// A pattern of a settings file, or of a rule's front matter, that matches nothing.
    DeadGlob = "dead-glob", Warning;
    /// A file that a settings file names and that does not exist.
    MissingFile = "missing-file", Warning;
    /// Text from the network.
    Remote = "remote", Hint;
    /// Settings that keep the client from starting.
    BadSettings = "bad-settings", Error;
    /// Settings that the agent ignores.
    IgnoredSettings = "ignored-settings", Warning;
    /// Settings that count only in a project that the user trusts.
    UntrustedSettings = "untrusted-settings", Information;
    /// An invalid declaration in a `briefing.toml`: of a custom agent, or of an expectation.
    Declaration = "declaration", Error;
    /// A text that `briefing.toml` says must reach an agent does not, or one that must not does.
    ExpectationFailed = "expectation-failed", Error;
    /// A file name in a letter case that agents do not look for.
    WrongCase = "wrong-case", Warning;
    /// A link that leads out of the project.
    SymlinkOutside = "symlink-outside", Information;
    /// A file that contains only a path or a link instead of the text behind it.
    LinkAsText = "link-as-text", Warning;
    /// Front matter that the agent does not parse as intended.
    FrontMatter = "front-matter", Warning;
    /// A rule for some files only, whose import is loaded in any case.
    ImportUnconditional = "import-unconditional", Information;
    /// An imported file does not exist.
    ImportMissing = "import-missing", Warning;
    /// A file imports itself, directly or through others.
    ImportCycle = "import-cycle", Hint;
    /// An import beyond the depth to which imports are followed.
    ImportTooDeep = "import-too-deep", Warning;
    /// An import that leads outside of the directories from which files may be imported.
    ImportOutside = "import-outside", Warning;
    /// A file whose type the agent does not import.
    ImportExtension = "import-extension", Warning;
    /// Punctuation after a path that is taken for a part of it.
    ImportPunctuation = "import-punctuation", Warning;
    /// A word in prose that is taken for an import.
    ImportInProse = "import-in-prose", Warning;
    /// An imported file cannot be read.
    ImportUnreadable = "import-unreadable", Warning;
    /// More imports than the agent, or Briefing, follows.
    ImportCap = "import-cap", Information;
    /// An extension that the agent skips.
    ExtensionSkipped = "extension-skipped", Warning;
    /// The client deletes the file when it runs next.
    DeletedOnNextRun = "deleted-on-next-run", Warning;
    /// Two skills have one name.
    DuplicateSkill = "duplicate-skill", Warning;
    /// A bug in Briefing interrupted the answer for the agent.
    InternalError = "internal-error", Error;
    /// Files that were not checked because there is too much to look at.
    NotJudged = "not-judged", Error;
    /// A code span or a link that names a file that does not exist.
    MissingPath = "missing-path", Warning, Off;
    /// A command that runs a script, target or recipe that does not exist.
    MissingScript = "missing-script", Warning, Off;
    /// An instruction in a comment that the agent removes.
    StrippedComment = "stripped-comment", Information, Off;
    /// Two files give one agent the same paragraph.
    RepeatedParagraph = "repeated-paragraph", Information;
    /// A skill that is listed without all of its description, or not listed, for lack of space.
    SkillShortened = "skill-shortened", Information;
    /// Lines that reach some of the agents but not all.
    NotForEveryone = "not-for-everyone", Information, Off;
    /// A file that the main session loads and some of the client's sub-agents do not.
    NotForSubagents = "not-for-subagents", Information, Off;
    /// A rule for files of a pattern that comes with a file that is read, and not with one that the agent creates.
    RuleNotOnCreate = "rule-not-on-create", Information, Off;
    /// An exception that is invalid, or that no finding needs.
    Exception = "exception", Information;
    /// Any other warning of an agent's rules about a file.
    Remark = "remark", Information;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_leads_back_to_its_kind() {
        for kind in Kind::ALL {
            assert_eq!(Kind::of_code(kind.code()), Some(*kind));
            assert_eq!(Severity::named(kind.severity().word()), Some(kind.severity()));
        }
    }
}
