//! macOS and Windows, as far as their disks and texts differ: letters that are alike, line ends, drives.

use std::path::Path;

use briefing::answer::{Fate, Resolution, Standpoint};
use briefing::harness::{self, custom::Customs};
use briefing::resolve::{Outcome, resolve};
use briefing::snapshot::Environment;

use crate::world::{Case, World};

/// What a harness that is started in `/r` is told, on a disk that is described as in a case.
fn told(id: &str, world: &World) -> Resolution {
    let choice = harness::choose(id, &Customs::default()).expect("a harness");
    let standpoint = Standpoint::plain(Path::new("/r"), Path::new("/h"), Environment::default());
    let Outcome::Answer(told) = resolve(world, &choice, &standpoint) else { panic!("everything was told") };
    *told
}

fn disk(files: &str) -> World {
    World::of(&Case::parse(files))
}

fn times(told: &Resolution, sentence: &str) -> usize {
    told.answer.messages.iter().map(|message| message.text.matches(sentence).count()).sum()
}

/// The client opens AGENTS.md, and the system gives it `agents.md`.
#[test]
fn on_a_disk_where_letters_are_alike_a_file_is_found_by_its_name_in_any() {
    let files = "-- /h/ --\n-- /r/.git/ --\n-- /r/agents.md --\nSmall letters.\n";
    for id in ["codex", "opencode", "claude-code", "crush", "goose"] {
        assert_eq!(times(&told(id, &disk(files)), "Small letters."), 0, "{id}: on Linux it is another file");
        assert_eq!(times(&told(id, &disk(files).ignoring_letter_case()), "Small letters."), 1, "{id}");
    }
}

/// Two of the names that a harness looks for are one file there.
#[test]
fn on_a_disk_where_letters_are_alike_no_file_is_sent_twice() {
    let files = "-- /h/ --\n-- /r/.git/ --\n-- /r/AGENTS.md --\nOnly once.\n";
    for profile in harness::ALL {
        let linux = times(&told(profile.id, &disk(files)), "Only once.");
        let alike = times(&told(profile.id, &disk(files).ignoring_letter_case()), "Only once.");
        assert_eq!(alike, linux, "{}", profile.id);
    }
}

/// Git and editors of Windows write CR LF; what is counted and what is cut are bytes all the same.
#[test]
fn texts_with_line_ends_of_windows_reach_the_model_as_they_are() {
    let files = "-- /h/ --\n-- /r/.git/ --\n-- /r/AGENTS.md | raw --\nFirst.\\r\\nSecond.\\r\\n\n";
    let there = told("codex", &disk(files));
    assert_eq!(times(&there, "First.\r\nSecond."), 1);
    let sizes = there.answer.sources.iter().filter(|source| source.fate == Fate::Loaded).map(|source| &source.size);
    assert_eq!(sizes.flatten().map(|size| size.bytes).collect::<Vec<_>>(), [17]);
}

/// On a real disk of macOS or Windows, which tests of cases never touch.
#[cfg(any(target_os = "macos", windows))]
#[test]
fn the_real_disk_finds_a_file_by_its_name_in_any_letters() {
    use briefing::disk::{Filesystem, Real};
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::write(dir.path().join("agents.md"), "Small letters.\n").expect("a file");
    assert!(Real.read(&dir.path().join("AGENTS.md")).is_ok());
    let listed = Real.list(dir.path()).expect("a listing");
    assert_eq!(listed[0].name, "agents.md", "an entry keeps the letters it was made with");
}

/// The way of a path through the system and back keeps its drive, and has no `\\?\`.
#[cfg(windows)]
#[test]
fn a_real_path_is_written_as_people_write_it() {
    use briefing::disk::{Filesystem, Real};
    let dir = tempfile::tempdir().expect("a directory");
    let real = Real.real_path(dir.path()).expect("it is there");
    let text = real.to_string_lossy();
    assert!(text.as_bytes()[1] == b':' && !text.starts_with(r"\\?\"), "{text}");
    assert_eq!(briefing::paths::absolute(Path::new("/"), &real), real);
}
