//! Built-in questions for a client: cases that were recorded from the real clients, each of which shows a rule.
//!
//! They come with the program. Their recorded answers are of no use here: Briefing and the client are both asked anew.
#![expect(clippy::disallowed_methods, reason = "the room lays out a tree of its own")]

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A case that comes with the program.
pub struct Sentinel {
    /// Its name.
    pub name: &'static str,
    text: &'static str,
}

macro_rules! sentinels {
    ($($name:literal)+) => {
        &[$(Sentinel { name: $name, text: include_str!(concat!("../../tests/cases/", $name, ".txt")) }),+]
    };
}

static ALL: &[Sentinel] = sentinels! {
    "codex/one_message_holds_global_and_project_text"
    "codex/the_global_override_wins_over_the_global_file"
    "codex/a_file_over_the_budget_is_cut_and_the_deeper_ones_dropped"
    "codex/a_fallback_with_a_slash_or_dots_is_dropped"
    "codex/a_marker_may_be_a_path"
    "codex/an_untrusted_project_keeps_only_the_global_text"
    "codex/a_link_loop_drops_every_project_file"
    "codex/invalid_bytes_become_replacement_characters"
    "opencode/the_global_file_comes_before_the_project_files"
    "opencode/the_disable_flag_removes_claude_files"
    "opencode/a_link_loop_spoils_its_name_at_all_levels"
    "opencode/a_global_directory_of_that_name_hides_the_home_claude_md"
    "opencode/a_byte_order_mark_is_dropped_and_invalid_utf_8_replaced"
    "opencode/settings_files_add_up_in_their_order"
    "claude-code/a_read_brings_the_files_of_every_directory_on_the_way"
    "claude-code/nested_agents_md_come_when_a_file_is_read"
    "claude-code/tags_are_broken_by_a_backslash_in_nested_files"
    "claude-code/reading_in_a_worktree_below_the_checkout_brings_only_what_lies_deeper"
    "claude-code/both_kinds_are_read_when_settings_say_so"
    "gemini-cli/a_configured_name_is_added_in_front_of_gemini_md_and_replaces_nothing"
    "gemini-cli/paths_are_sorted_as_plain_strings_not_root_first"
    "gemini-cli/one_file_under_two_names_is_loaded_once"
    "gemini-cli/tokens_of_every_kind_are_read_as_observed"
    "gemini-cli/an_import_that_cannot_be_read_says_why"
    "gemini-cli/context_files_of_extensions_come_before_the_project"
    "gemini-cli/a_read_loads_what_lies_between_the_target_and_the_workspace"
    "copilot-cli/files_stand_in_a_fixed_order_from_the_user_to_the_directories_between"
    "copilot-cli/without_git_only_the_working_directory_counts"
    "copilot-cli/rules_and_instruction_files_without_a_pattern_follow_without_a_tag"
    "copilot-cli/exclude_agent_takes_a_file_out"
    "copilot-cli/imports_are_put_behind_their_token"
    "copilot-cli/invisible_characters_are_taken_out"
    "copilot-cli/links_in_the_root_and_the_working_directory_count_by_where_they_lead"
    "qwen-code/global_files_come_first_name_by_name_then_those_from_above_the_root_down"
    "qwen-code/the_settings_name_other_files_in_the_place_of_both"
    "qwen-code/imports_are_put_in_five_files_deep_inside_of_the_repository"
    "qwen-code/tokens_of_every_kind_are_read_as_observed"
    "qwen-code/rules_without_paths_stand_at_the_end_those_with_paths_come_with_a_file"
    "cline/rules_of_every_place_and_name_beside_each_other"
    "cline/of_rules_of_one_name_the_last_place_counts_whatever_the_letter_case"
    "cline/front_matter_names_a_rule_and_switches_it_off_and_paths_in_it_keep_nothing_out"
    "cline/a_rule_with_broken_front_matter_or_without_text_is_left_out"
    "cline/texts_are_trimmed_a_byte_order_mark_goes_and_line_ends_stay"
    "cline/what_is_called_clinerules_may_be_one_file"
    "kilo/a_config_dir_stands_in_place_of_the_global_folder"
    "kilo/a_file_of_the_user_may_have_variables"
    "kilo/a_read_brings_the_files_on_the_way_nearest_first"
    "kilo/nearest_agents_md_comes_first"
    "kilo/rules_of_kilo_hide_those_of_kilocode_by_name"
    "kilo/rules_stand_before_what_settings_name"
    "kilo/settings_of_the_project_may_not_have_variables"
    "pi/a_project_is_trusted_by_its_directory_or_by_one_above"
    "pi/a_worktree_hides_the_file_of_the_same_name_only"
    "pi/an_empty_append_system.md_is_no_section_and_hides_the_users"
    "pi/every_directory_from_the_root_of_the_disk_down_brings_one_file"
    "pi/links_are_followed_and_those_that_lead_nowhere_are_passed_over"
    "pi/of_the_names_in_one_directory_the_first_counts"
    "pi/system.md_leaves_the_context_as_it_is"
    "kimi-code/a_replacement_character_stays_where_invalid_bytes_go"
    "kimi-code/agents.md_counts_where_there_is_no_agents.md"
    "kimi-code/an_empty_variable_for_the_folder_of_the_user_stops_the_client"
    "kimi-code/every_directory_from_the_root_of_the_repository_down"
    "kimi-code/links_are_followed_and_folders_are_none"
    "kimi-code/the_files_of_the_user_come_first"
    "goose/a_directory_below_brings_its_files_and_those_on_the_way"
    "goose/a_link_that_leads_out_of_the_repository_brings_nothing"
    "goose/hints_come_from_the_settings_folder_and_from_the_repository_root_down"
    "goose/references_are_put_in_their_place_three_files_deep"
    "goose/references_end_where_their_letters_end"
    "goose/the_names_may_be_given_in_the_environment"
    "goose/what_git_ignores_is_not_put_in_place_of_a_reference"
    "droid/claude.md_and_agents.md_of_one_directory_are_both_read"
    "droid/every_directory_up_to_the_root_of_the_repository_the_nearest_first"
    "droid/folders_of_the_agent_in_a_directory_follow_its_files"
    "droid/names_of_other_letter_case_count"
    "droid/reading_a_file_below_brings_the_files_on_the_way"
    "droid/the_files_of_the_user_stand_below_a_heading_of_their_own"
    "grok-build/a_decision_about_the_root_of_the_repository_counts"
    "grok-build/a_line_end_of_the_users_text_is_not_said_twice"
    "grok-build/a_linked_worktree_is_trusted_with_its_repository"
    "grok-build/a_project_that_nobody_trusts_is_not_read"
    "grok-build/requirements_do_not_bring_folder_trust_back"
    "grok-build/where_folder_trust_is_switched_off_a_project_is_read"
    "continue/a_rule_with_globs_or_a_regex_does_not_always_apply"
    "continue/of_the_files_in_the_working_directory_the_first_counts"
    "continue/rules_of_config.yaml_stand_before_the_files_of_rules"
    "continue/rules_of_the_workspace_follow_the_file_and_those_of_the_user_follow_them"
    "continue/settings_with_every_kind_of_entry_are_taken"
    "continue/texts_of_the_settings_are_sent_as_they_are"
    "mistral-vibe/links_are_followed_and_folders_are_none"
    "mistral-vibe/only_the_nearest_settings_of_the_project_count"
    "mistral-vibe/reading_a_file_below_brings_the_files_of_the_directories_on_the_way"
    "mistral-vibe/texts_are_trimmed_and_line_ends_become_those_of_unix"
    "mistral-vibe/the_search_goes_up_to_the_directory_that_is_trusted"
    "mistral-vibe/the_users_file_stands_before_the_projects"
    "hermes/a_profile_in_another_folder_of_the_user"
    "hermes/an_attack_has_a_note_in_its_place"
    "hermes/of_the_kinds_of_files_the_first_counts"
    "hermes/reading_a_file_below_brings_the_file_of_its_directory"
    "hermes/soul.md_of_the_user_is_who_the_agent_is"
    "hermes/the_rules_of_cursor_are_one_text"
    "oh-my-pi/files_of_programs_come_before_plain_ones"
    "oh-my-pi/folders_of_agents_count_on_the_way_up"
    "oh-my-pi/imports_are_filled_in"
    "oh-my-pi/imports_are_followed_five_deep"
    "oh-my-pi/texts_are_tidied"
    "oh-my-pi/the_farthest_file_comes_first_and_the_users_before_all"
    "oh-my-pi/the_own_folder_is_the_nearest_that_holds_anything"
};

/// Returns the cases of a harness.
pub fn of(harness: &str) -> impl Iterator<Item = &'static Sentinel> {
    ALL.iter().filter(move |case| case.name.split('/').next() == Some(harness))
}

/// A parsed case.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct World {
    /// The home directory.
    pub home: PathBuf,
    /// The variables.
    pub env: BTreeMap<String, String>,
    /// Entries on the disk, in the order of the case.
    pub files: Vec<(PathBuf, Node)>,
    /// Working directory of the agent and the file that it reads, per question.
    pub questions: Vec<(PathBuf, Option<PathBuf>)>,
}

/// Kind and content of one path of a case.
#[derive(Debug, PartialEq, Eq)]
pub enum Node {
    /// An empty directory.
    Dir,
    /// A repository without anything in it.
    Git,
    /// A file.
    File(Vec<u8>),
    /// A symbolic link.
    Link(PathBuf),
}

impl Sentinel {
    /// Parses the case; questions that a client of its harness cannot be asked are left out.
    pub fn world(&self) -> World {
        let mut world = World { home: PathBuf::from("/h"), ..World::default() };
        let harness = self.name.split('/').next().unwrap_or_default();
        for (header, body) in sections(self.text) {
            let (word, rest) = header.split_once(' ').unwrap_or((&header, ""));
            match word {
                "@home" => world.home = PathBuf::from(rest),
                "@env" => {
                    world.env.extend(rest.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned())))
                }
                "@text" | "@hash" => {
                    let question = question(rest, harness).filter(|question| !world.questions.contains(question));
                    world.questions.extend(question);
                }
                word if word.starts_with('@') => {}
                _ => world.files.push(file(&header, body)),
            }
        }
        world
    }
}

/// Splits a case into its sections, each with its header.
fn sections(text: &str) -> Vec<(String, String)> {
    let mut sections: Vec<(String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        let header = line.strip_suffix('\n').and_then(|line| line.strip_prefix("-- ")?.strip_suffix(" --"));
        match (header, sections.last_mut()) {
            (Some(header), _) => sections.push((header.to_owned(), String::new())),
            (None, Some((_, body))) => body.push_str(if line.starts_with("\\-- ") { &line[1..] } else { line }),
            (None, None) => {}
        }
    }
    sections
}

/// Parses `HARNESS[@EDITION] from CWD [reading FILE]`, with `\s` for a space in a path; returns `None` for any other form.
fn question(words: &str, harness: &str) -> Option<(PathBuf, Option<PathBuf>)> {
    let words: Vec<String> = words.split(' ').map(|word| word.replace("\\s", " ")).collect();
    let (cwd, file) = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [_, "from", cwd] => (cwd, None),
        [_, "from", cwd, "reading", file] => (cwd, Some(Path::new(cwd).join(file))),
        _ => return None,
    };
    (words[0].split('@').next() == Some(harness)).then(|| (PathBuf::from(cwd), file))
}

fn file(header: &str, body: String) -> (PathBuf, Node) {
    if let Some((path, target)) = header.split_once(" -> ") {
        return (PathBuf::from(path), Node::Link(PathBuf::from(target)));
    }
    let (path, kind) = header.split_once(" | ").unwrap_or((header, ""));
    let node = match (path.ends_with('/'), kind) {
        (true, "git") => Node::Git,
        (true, _) => Node::Dir,
        (false, "raw") => Node::File(unescaped(body.strip_suffix('\n').unwrap_or(&body))),
        (false, _) => Node::File(body.into_bytes()),
    };
    (PathBuf::from(path.trim_end_matches('/')), node)
}

/// Decodes the escapes `\\`, `\n`, `\r`, `\t` and `\xNN`.
fn unescaped(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.extend(before.bytes());
        let byte = after.strip_prefix('x').and_then(|after| u8::from_str_radix(after.get(..2)?, 16).ok());
        let plain = |c| {
            Some(match c {
                'n' => b'\n',
                'r' => b'\r',
                't' => b'\t',
                '\\' => b'\\',
                _ => return None,
            })
        };
        match (byte, after.chars().next().and_then(plain)) {
            (Some(byte), _) => {
                out.push(byte);
                rest = &after[3..];
            }
            (None, Some(byte)) => {
                out.push(byte);
                rest = &after[1..];
            }
            (None, None) => {
                out.push(b'\\');
                rest = after;
            }
        }
    }
    out.extend(rest.bytes());
    out
}

impl World {
    /// Creates the entries below `tree`; if `moved`, absolute links are rewritten to point below `tree` as well.
    pub fn lay_out(&self, tree: &Path, moved: bool) -> io::Result<()> {
        let place = |path: &Path| tree.join(path.strip_prefix("/").unwrap_or(path));
        fs::create_dir_all(place(&self.home))?;
        // A file system in memory lists first what was made last.
        for (path, node) in self.files.iter().rev() {
            let at = place(path);
            if let Some(parent) = at.parent() {
                fs::create_dir_all(parent)?;
            }
            match node {
                Node::Dir => fs::create_dir_all(&at)?,
                Node::File(bytes) => fs::write(&at, bytes)?,
                #[cfg(unix)]
                Node::Link(target) => {
                    let target = if moved && target.is_absolute() { place(target) } else { target.clone() };
                    std::os::unix::fs::symlink(target, &at)?;
                }
                #[cfg(not(unix))]
                Node::Link(_) => return Err(io::ErrorKind::Unsupported.into()),
                Node::Git => {
                    ["objects", "refs/heads"]
                        .iter()
                        .try_for_each(|dir| fs::create_dir_all(at.join(".git").join(dir)))?;
                    fs::write(at.join(".git/HEAD"), "ref: refs/heads/main\n")?;
                    fs::write(at.join(".git/config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n")?;
                }
            }
        }
        self.questions.iter().try_for_each(|(cwd, _)| fs::create_dir_all(place(cwd)))
    }

    /// Returns every path of the case: files, working directories and the home directory.
    pub fn places(&self) -> impl Iterator<Item = &Path> {
        let asked = self.questions.iter().map(|(cwd, _)| cwd.as_path());
        self.files.iter().map(|(path, _)| path.as_path()).chain(asked).chain([self.home.as_path()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::client;

    #[test]
    fn every_client_has_cases_that_ask_it_something_and_hold_nothing_of_the_system() {
        for client in client::ALL {
            assert!(of(client.harness).count() > 3, "{}", client.harness);
        }
        for case in ALL {
            let world = case.world();
            assert!(!world.questions.is_empty(), "{}: no question", case.name);
            let system = |path: &Path| ["/etc", "/usr", "/var", "/opt"].iter().any(|dir| path.starts_with(dir));
            assert!(!world.places().any(system), "{}: a file of the system", case.name);
            let special = sections(case.text).into_iter().map(|(header, _)| header).find(|header| {
                !header.starts_with('@')
                    && (header.contains(" * ")
                        || header.split_once(" | ").is_some_and(|(_, kind)| !["raw", "git"].contains(&kind)))
            });
            assert_eq!(special, None, "{}", case.name);
        }
    }

    #[test]
    fn a_case_is_taken_apart() {
        let text = "Why.\n-- /a/ | git --\n-- /a/b | raw --\n\\x41\\n\\\\\n-- /c -> a/b --\n-- /d --\n\\-- x\n-- @env K=v=w --\n\
                    -- @text codex@0.1 from /a reading b --\n>>> nothing\n-- @text codex from /a reading b --\n-- @text codex from /a by edit --\n";
        let world = Sentinel { name: "codex/x", text }.world();
        let file = |text: &str| Node::File(text.as_bytes().to_vec());
        let files =
            [("/a", Node::Git), ("/a/b", file("A\n\\")), ("/c", Node::Link("a/b".into())), ("/d", file("-- x\n"))];
        assert_eq!(world.files, files.map(|(path, node)| (PathBuf::from(path), node)));
        assert_eq!(world.env.get("K").map(String::as_str), Some("v=w"));
        assert_eq!(world.questions, [("/a".into(), Some("/a/b".into()))]);
    }
}
