//! List of every agent that Briefing knows; the only file that names all implementations.

use super::clients::*;
use super::custom;
use super::edition::Profile;

/// Every agent that Briefing knows, in display order.
pub static ALL: &[&Profile] = &[
    &codex::PROFILE,
    &opencode::PROFILE,
    &opencode::KILO,
    &openclaw::PROFILE,
    &claude_code::PROFILE,
    &gemini_cli::PROFILE,
    &copilot_cli::PROFILE,
    &copilot_vscode::PROFILE,
    &qwen_code::PROFILE,
    &cursor::PROFILE,
    &zed::PROFILE,
    &goose::PROFILE,
    &crush::PROFILE,
    &kiro::PROFILE,
    &junie::PROFILE,
    &pi::PROFILE,
    &oh_my_pi::PROFILE,
    &kimi_code::PROFILE,
    &continue_dev::PROFILE,
    &grok_build::PROFILE,
    &droid::PROFILE,
    &mistral_vibe::PROFILE,
    &hermes::PROFILE,
    &cline::PROFILE,
    &roo::PROFILE,
    &windsurf::PROFILE,
    &amp::PROFILE,
    &aider::PROFILE,
    &agents_md::PROFILE,
    &custom::shipped::ETCODE,
    &custom::shipped::AGENTCORE,
];

/// Returns the agent with this id.
pub fn profile(id: &str) -> Option<&'static Profile> {
    ALL.iter().copied().find(|profile| profile.id == id)
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::*;
    use crate::harness::Details;
    use crate::harness::history::compare;

    #[test]
    fn every_profile_has_editions_in_order_and_a_range_that_holds_the_name() {
        for profile in ALL {
            assert!(!profile.editions.is_empty(), "{}", profile.id);
            for pair in profile.editions.windows(2) {
                assert_eq!(compare(pair[0].about().name, pair[1].about().name), Ordering::Less, "{}", profile.id);
            }
        }
    }

    #[test]
    fn every_edition_states_what_people_compare() {
        for profile in ALL {
            for about in profile.editions.iter().map(|edition| edition.about()) {
                for (title, phrase) in Details::TITLES.into_iter().zip(about.details.phrases()) {
                    assert!(!phrase.is_empty(), "{} {}: {title}", profile.id, about.name);
                }
            }
        }
    }
}
