//! The places of skills and the form of the list in each edition.

use super::skills::{Behavior, Finding, Limits, Paths, Place};
use crate::harness::kit::skills::Walk;

/// Skills of OpenClaw 2026.2.6-3.
pub(super) const V2026_2_6: Behavior = Behavior {
    places: &[Place::Named, Place::Bundled(WITH_2026_2_6), Place::State, Place::Workspace],
    finding: Finding::Library,
    paths: Paths::Whole,
};

/// Skills of OpenClaw 2026.2.19.
pub(super) const V2026_2_19: Behavior = Behavior {
    places: &[
        Place::Named,
        Place::Bundled(WITH_2026_2_19),
        Place::State,
        Place::User,
        Place::Project,
        Place::Workspace,
    ],
    finding: Finding::LibraryByFolder(Limits {
        candidates: 300,
        loaded: 200,
        listed: 150,
        listed_utf16: 30_000,
        file_bytes: 256_000,
    }),
    paths: Paths::FromHome,
};

/// Skills of OpenClaw 2026.9.6. Folders are entered to this depth, and links are not followed.
pub(super) const V2026_9: Behavior = Behavior {
    places: &[Place::Named, Place::Bundled(WITH_2026_9_6), Place::State, Place::User, Place::Project, Place::Workspace],
    finding: Finding::Walk(Walk {
        depth: 3,
        hidden: false,
        folder_links: false,
        file_links: false,
        ends_at_skill: true,
        root_counts: true,
    }),
    paths: Paths::FromOwnHome,
};

/// Names of the skills bundled with 2026.2.6-3, in the order in which they are found.
#[rustfmt::skip]
const WITH_2026_2_6: &[&str] = &[
    "1password", "apple-notes", "apple-reminders", "bear-notes", "blogwatcher", "blucli", "bluebubbles",
    "camsnap", "clawhub", "coding-agent", "discord", "eightctl", "food-order", "gemini", "gifgrep", "github",
    "gog", "goplaces", "healthcheck", "himalaya", "imsg", "local-places", "mcporter", "model-usage",
    "nano-banana-pro", "nano-pdf", "notion", "obsidian", "openai-image-gen", "openai-whisper-api", "openai-whisper",
    "openhue", "oracle", "ordercli", "peekaboo", "sag", "session-logs", "sherpa-onnx-tts", "skill-creator",
    "slack", "songsee", "sonoscli", "spotify-player", "summarize", "things-mac", "tmux", "trello",
    "video-frames", "voice-call", "wacli", "weather",
];

/// Names of the skills bundled with 2026.2.19, one per folder; one folder has no skill.
#[rustfmt::skip]
const WITH_2026_2_19: &[&str] = &[
    "1password", "apple-notes", "apple-reminders", "bear-notes", "blogwatcher", "blucli", "bluebubbles",
    "camsnap", "", "clawhub", "coding-agent", "discord", "eightctl", "food-order", "gemini", "gh-issues", "gifgrep",
    "github", "gog", "goplaces", "healthcheck", "himalaya", "imsg", "mcporter", "model-usage",
    "nano-banana-pro", "nano-pdf", "notion", "obsidian", "openai-image-gen", "openai-whisper-api", "openai-whisper",
    "openhue", "oracle", "ordercli", "peekaboo", "sag", "session-logs", "sherpa-onnx-tts", "skill-creator",
    "slack", "songsee", "sonoscli", "spotify-player", "summarize", "things-mac", "tmux", "trello",
    "video-frames", "voice-call", "wacli", "weather",
];

/// Names of the skills bundled with 2026.9.6.
#[rustfmt::skip]
const WITH_2026_9_6: &[&str] = &[
    "1password", "apple-notes", "apple-reminders", "bear-notes", "blogwatcher", "blucli", "camsnap", "clawhub",
    "coding-agent", "control-ui", "diagram-maker", "eightctl", "gemini", "gh-issues", "gifgrep", "github",
    "gog", "goplaces", "healthcheck", "himalaya", "mcporter", "meme-maker", "model-usage", "nano-pdf",
    "node-connect", "node-inspect-debugger", "notion", "obsidian", "openai-whisper-api", "openai-whisper", "openhue",
    "oracle", "ordercli", "peekaboo", "python-debugpy", "sag", "sherpa-onnx-tts", "skill-creator", "songsee",
    "sonoscli", "spike", "spotify-player", "summarize", "taskflow-inbox-triage", "taskflow", "things-mac",
    "tmux", "trello", "visualize", "weather", "xurl",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_names_of_folders() {
        for name in [WITH_2026_2_6, WITH_2026_2_19, WITH_2026_9_6].concat() {
            assert!(name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'), "{name:?}");
        }
    }
}
