//! Enums for the keys of a declaration. The first value of each is the default.

use schemars::JsonSchema;
use serde::Deserialize;

/// Declares an enum whose values are in kebab case in TOML.
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $(#[$first_doc:meta])* $first:ident, $($(#[$value_doc:meta])* $value:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub(super) enum $name {
            $(#[$first_doc])* #[default] $first,
            $($(#[$value_doc])* $value,)*
        }
    };
}

choice! {
    /// Names that are taken in a range of directories.
    TakeNames {
        /// Every name in every directory.
        All,
        /// In each directory, the first name that exists as a file.
        FirstPerDirectory,
        /// In all directories, the first name that exists as a file in any of them.
        FirstPerProject,
    }
}
choice! {
    /// Files that are taken, of several.
    TakeFiles {
        /// All of them.
        All,
        /// The first that exists.
        First,
        /// The first that exists and has text.
        FirstWithText,
    }
}
choice! {
    /// Start of a range of directories.
    From {
        /// The working directory.
        Cwd,
        /// The directory of the file that the agent reads.
        Target,
    }
}
choice! {
    /// End of a range of directories.
    To {
        /// The project root.
        Root,
        /// The working directory, which is excluded if the range starts at a file.
        Cwd,
        /// The home directory.
        Home,
        /// The top of the file system.
        Top,
    }
}
choice! {
    /// End of a range if there is no project root.
    WithoutRoot {
        /// Its start.
        Cwd,
        /// The top of the file system.
        Top,
    }
}
choice! {
    /// End of a range that comes first.
    Order {
        /// The end nearest to the root.
        RootFirst,
        /// The end nearest to the working directory or the file.
        NearestFirst,
    }
}
choice! {
    /// Directory that relative paths start from.
    Base {
        /// The project root, otherwise the working directory.
        Workspace,
        /// The working directory.
        Cwd,
        /// The home directory.
        Home,
    }
}
choice! {
    /// Place of URLs among listed paths.
    Addresses {
        /// At their position in the list.
        InPlace,
        /// After all paths.
        Last,
    }
}
choice! {
    /// Upper end of the search when the agent reads a file.
    LookupScope {
        /// Up to the working directory.
        Parent,
        /// Up to the root of the project.
        Project,
        /// Up to the root of the project; `globalPath` is sent at the start of the session anyway.
        Global,
    }
}
choice! {
    /// Directories that may contain a settings file.
    Look {
        /// The nearest one, from the working directory up to the root of the project.
        Nearest,
        /// The working directory.
        Cwd,
        /// The root of the project, otherwise the working directory.
        Root,
    }
}
choice! {
    /// Rule by which two files count as the same.
    Dedupe {
        /// By path.
        Path,
        /// By path after resolving symlinks.
        Real,
        /// Never.
        None,
    }
}
choice! {
    /// Treatment of bytes that are not UTF-8.
    Decoding {
        /// Each invalid part becomes U+FFFD.
        Lossy,
        /// The file counts as unreadable.
        Strict,
    }
}
choice! {
    /// Treatment of a byte order mark.
    ByteOrderMark {
        /// It is left out.
        Strip,
        /// It is kept.
        Keep,
    }
}
choice! {
    /// White space that is removed from the ends of a text. That of JavaScript includes U+FEFF and excludes U+0085.
    Trim {
        /// Nothing.
        None,
        /// White space at the end.
        End,
        /// White space at both ends.
        Both,
        /// JavaScript's white space at the end.
        JsEnd,
        /// JavaScript's white space at both ends.
        JsBoth,
    }
}
choice! {
    /// Treatment of a text that is only white space.
    Blank {
        /// It is left out.
        Drop,
        /// It is sent, unless it is empty.
        Send,
    }
}
choice! {
    /// Treatment of a character that a limit in bytes splits.
    Characters {
        /// It is left out.
        Whole,
        /// Its rest becomes U+FFFD; bytes of the file are charged.
        Replaced,
    }
}
choice! {
    /// Files that are cut last under a total.
    Keep {
        /// The first files.
        First,
        /// The last files.
        Last,
    }
}
choice! {
    /// Grouping of the sections of the system prompt.
    SystemMessages {
        /// They are joined into one message.
        One,
        /// Each is a message of its own.
        Each,
    }
}
choice! {
    /// Grouping of the texts of a message.
    Entries {
        /// They are joined into one message.
        Joined,
        /// Each is a message (a section) of its own.
        Each,
    }
}

/// Place of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Target {
    /// A section of the system prompt.
    #[default]
    SystemSection,
    /// A message before the chat.
    PreambleMessage,
    /// A message when the agent reads a file; its sources have `from = "target"`.
    ReadMessage,
}
