//! The words that a declaration chooses from: each key of this kind is an enum, its first value what counts when the key
//! is left out.

use schemars::JsonSchema;
use serde::Deserialize;

/// Declares an enum whose values are written in kebab case.
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
    /// Which names of a range of directories are taken.
    TakeNames {
        /// Every name in every directory.
        All,
        /// In each directory, the first name that is a file.
        FirstPerDirectory,
        /// The first name that is a file in any of the directories, in all of them.
        FirstPerProject,
    }
}
choice! {
    /// Which of several files are taken.
    TakeFiles {
        /// Every one.
        All,
        /// The first that is there.
        First,
        /// The first that is there and has text.
        FirstWithText,
    }
}
choice! {
    /// Where a range of directories begins.
    From {
        /// At the working directory.
        Cwd,
        /// At the directory of the file that the agent reads.
        Target,
    }
}
choice! {
    /// Where a range of directories ends.
    To {
        /// At the root of the project.
        Root,
        /// At the working directory, which is left out when the range begins at a file.
        Cwd,
        /// At the home directory.
        Home,
        /// At the top of the disk.
        Top,
    }
}
choice! {
    /// Where a range ends that has no project root to end at.
    WithoutRoot {
        /// Where it begins.
        Cwd,
        /// At the top of the disk.
        Top,
    }
}
choice! {
    /// Which end of a range comes first.
    Order {
        /// The end nearest to the root.
        RootFirst,
        /// The end nearest to the working directory or the file.
        NearestFirst,
    }
}
choice! {
    /// Where relative paths start.
    Base {
        /// At the root of the project, else at the working directory.
        Workspace,
        /// At the working directory.
        Cwd,
        /// At the home directory.
        Home,
    }
}
choice! {
    /// Where addresses among listed paths come.
    Addresses {
        /// Where they stand in the list.
        InPlace,
        /// After all paths.
        Last,
    }
}
choice! {
    /// How far up files are looked for when the agent reads one.
    LookupScope {
        /// Up to the working directory.
        Parent,
        /// Up to the root of the project.
        Project,
        /// The same; `globalPath` comes at the start of the session anyway.
        Global,
    }
}
choice! {
    /// Which directories may hold a settings file.
    Look {
        /// The nearest one, from the working directory up to the root of the project.
        Nearest,
        /// The working directory.
        Cwd,
        /// The root of the project, else the working directory.
        Root,
    }
}
choice! {
    /// Which files count as the same.
    Dedupe {
        /// Those of the same path.
        Path,
        /// Those of the same path once links are resolved.
        Real,
        /// None.
        None,
    }
}
choice! {
    /// What becomes of bytes that are no UTF-8.
    Decoding {
        /// Each wrong part becomes U+FFFD.
        Lossy,
        /// The file counts as unreadable.
        Strict,
    }
}
choice! {
    /// What becomes of a byte order mark.
    ByteOrderMark {
        /// It is left out.
        Strip,
        /// It is kept.
        Keep,
    }
}
choice! {
    /// What is taken off a text's ends. JavaScript's white space has U+FEFF and lacks U+0085.
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
    /// What becomes of a text that is only white space.
    Blank {
        /// It is left out.
        Drop,
        /// It is sent; a text without any character is left out all the same.
        Send,
    }
}
choice! {
    /// What becomes of a character that a limit of bytes cuts through.
    Characters {
        /// It is left out.
        Whole,
        /// What is left of it becomes U+FFFD; bytes of the file are charged.
        Replaced,
    }
}
choice! {
    /// Which files a total gives up last.
    Keep {
        /// The first.
        First,
        /// The last.
        Last,
    }
}
choice! {
    /// Whether the sections of the system prompt are one message.
    SystemMessages {
        /// They are.
        One,
        /// Each is a message of its own.
        Each,
    }
}
choice! {
    /// Whether the texts of a message are joined.
    Entries {
        /// They are.
        Joined,
        /// Each is a message (a section) of its own.
        Each,
    }
}

/// Where a message goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Target {
    /// A section of the system prompt.
    #[default]
    SystemSection,
    /// A message before the chat.
    PreambleMessage,
    /// A message when the agent reads a file: sources with `from = "target"`.
    ReadMessage,
}
