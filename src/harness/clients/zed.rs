//! Zed's agent: a personal AGENTS.md, and one rules file at the root of the project.
//!
//! Based on Zed's documentation (zed.dev/docs/ai/instructions) and sources (`prompt_store`, `system_prompt.hbs`),
//! November 2026, not on the running client.

use crate::answer::{Answer, Scope, Standpoint, Text};
use crate::harness::kit::conventional::{Chain, Load, PLAIN, read_in_november};
use crate::harness::{About, Details, Edition, Evidence, Profile};
use crate::search::{Known, Search};

/// File names at the root in order of precedence. Before 1.0, CLAUDE.md came before AGENT.md.
const NAMES: [&str; 9] = [
    ".rules",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".github/copilot-instructions.md",
    "AGENT.md",
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
];

/// Profile of Zed.
pub static PROFILE: Profile = Profile {
    id: "zed",
    title: "Zed",
    summary: "a personal AGENTS.md, and the first of .rules, .cursorrules, .windsurfrules, .clinerules, copilot-instructions.md, AGENT.md, AGENTS.md, CLAUDE.md, GEMINI.md at the root",
    editions: &[&Zed],
    history: None,
    instruction_names: &NAMES,
    settings_names: &[],
    program: None,
    keys: &[],
    evidence: Evidence {
        commands: &["zed", "zeditor"],
        homes: &[&["$XDG_CONFIG_HOME/zed", "~/.config/zed"]],
        files: &[".zed", ".rules"],
        ..Evidence::NONE
    },
};

const UNSURE: &str = "based on Zed's documentation and sources (November 2026), not on the running client: the prompt around the files changes from version to version";

static ABOUT: About = read_in_november(Details {
    files: "the first of nine names that is a file",
    place: "system prompt, each in a fence under its path; trimmed",
    truncation: "none",
    global: "~/.config/zed/AGENTS.md",
    ..PLAIN
});

struct Zed;

impl Edition for Zed {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let mut chain = Chain::new(at, search, Some(UNSURE));
        let personal = chain.config_home().join("zed/AGENTS.md");
        let load = Load::start(Scope::User, "the personal file");
        if let Some(file) = chain.file(&personal, load)? {
            chain.give(&file, file.trimmed(), load, |text| fenced("Personal AGENTS.md:", text));
        }
        let load = Load::start(Scope::Project, "the first of the names that is a file at the root");
        let root = at.cwd.file_name().unwrap_or_default().to_string_lossy();
        chain.first(&at.cwd, &NAMES, load, |chain, file| {
            let inside = file.path.strip_prefix(&at.cwd).unwrap_or(&file.path).display();
            chain.give(file, file.trimmed(), load, |text| fenced(&format!("`{root}/{inside}`:"), text));
            Ok(())
        })?;
        Ok(chain.finish("\n"))
    }
}

/// Puts a text in Zed's fence of six backticks.
fn fenced(header: &str, text: Text) -> Text {
    Text::framed(format!("{header}\n``````\n"), text, "\n``````")
}
