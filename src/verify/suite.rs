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
