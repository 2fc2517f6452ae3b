//! Agents that ship as declarations: systems known from their design documents, without a client that could be run.
//! Each is a TOML file beside this one, in the same format as a user's own declaration.

use std::sync::LazyLock;

use super::declare::of_shipped;
use super::definition::Definition;
use super::look::look;
use crate::answer::{Answer, Standpoint};
use crate::harness::keys::{Key, Keys, Takes};
use crate::harness::{About, Details, Edition, Evidence, Profile};
use crate::search::{Known, Search};

/// Profile of etcode, from its design document of 2026-02-26.
pub static ETCODE: Profile = Profile {
    id: "etcode",
    title: "etcode",
    summary: "every AGENTS.md and ETCODE.md from the working directory up to the git root, one global AGENTS.md, and what etcode.json lists",
    editions: &[&ETCODE_2026_2],
    history: None,
    instruction_names: &["AGENTS.md", "ETCODE.md"],
    settings_names: &["etcode.json"],
    program: None,
    keys: ETCODE_KEYS,
    evidence: Evidence {
        homes: &[&["$XDG_CONFIG_HOME/etcode", "~/.config/etcode"]],
        files: &["etcode.json", "ETCODE.md"],
        ..Evidence::NONE
    },
};

const ETCODE_KEYS: &[Keys] = &[Keys {
    files: &["etcode.json"],
    keys: &[Key::new("instructions", Takes::Paths, "Files, globs and URLs to load.")],
}];

static ETCODE_2026_2: Shipped = Shipped {
    about: About {
        name: "2026.2",
        checked: ("2026.2", "2026.2"),
        details: Details {
            files: "AGENTS.md and ETCODE.md: both, in every directory",
            triggers: "start of the session",
            place: "one system message per file, after the prompt of agent or provider and the environment block",
            truncation: "none",
            nested: "never",
            global: "~/.config/etcode/AGENTS.md",
            urls: "in `instructions` of etcode.json, 5 s each; a failure is silent",
            globs: "no: direct paths only",
            sessions: "the same in all kinds",
            hooks: "none",
            persona: "none",
            dedupe: "by resolved path",
        },
    },
    definition: LazyLock::new(|| parsed(include_str!("etcode.toml"))),
};

/// Profile of AgentCore's prompt injections, from design notes of 2026. The user configures the injected texts.
pub static AGENTCORE: Profile = Profile {
    id: "agentcore",
    title: "AgentCore",
    summary: "what you configure: files of the workspace as system sections, documents from the git root down as a preamble, provided texts, texts by key",
    editions: &[&AGENTCORE_2026],
    history: None,
    instruction_names: &["AGENTS.md"],
    settings_names: &["briefing.toml"],
    program: None,
    keys: &[],
    evidence: Evidence::NONE,
};

static AGENTCORE_2026: Shipped = Shipped {
    about: About {
        name: "2026",
        checked: ("2026", "2026"),
        details: Details {
            files: "as configured: `file_set` names files of the workspace, `repo_docs` documents of every level",
            triggers: "every call",
            place: "`file_set` and texts by key: sections of the system prompt; `repo_docs`: one user message before the chat; provided items where they say",
            truncation: "bytes per file and in total; head and tail in equal halves around a marker",
            nested: "never",
            global: "none",
            urls: "no",
            globs: "no",
            sessions: "prompt_modes full and minimal, per file",
            hooks: "none: the application hands texts over",
            persona: "none",
            dedupe: "by path",
        },
    },
    definition: LazyLock::new(|| parsed(include_str!("agentcore.toml"))),
};

struct Shipped {
    about: About,
    definition: LazyLock<Definition>,
}

impl Edition for Shipped {
    fn about(&self) -> &About {
        &self.about
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let mut answer = Answer::default();
        look(&self.definition, at, search, &mut answer)?;
        Ok(answer)
    }
}

fn parsed(text: &str) -> Definition {
    of_shipped(text).expect("a shipped declaration is right: a test reads both")
}

#[cfg(test)]
mod tests {
    use super::super::declare::shipped;
    use super::*;

    #[test]
    fn the_shipped_declarations_are_right() {
        for id in ["etcode", "agentcore"] {
            let read = shipped(id).map(of_shipped);
            assert!(matches!(read, Some(Ok(_))), "{id}: {:?}", read.map(|read| read.err()));
        }
    }
}
