//! Git repositories that nobody packed: whatever stands in the files, reading them ends, and without a panic.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use briefing::disk::{AtRevision, Filesystem, Real};

use super::fuzz;
use crate::incremental::changes::Random;

/// Files of the repository that are changed, each below `.git`.
struct Store {
    scratch: tempfile::TempDir,
    files: Vec<(String, Vec<u8>)>,
}

/// A repository with a pack of deltas, loose objects, a tag and packed references.
static STORE: LazyLock<Store> = LazyLock::new(|| {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let root = scratch.path().join("p");
    std::fs::create_dir_all(root.join("docs")).expect("directories");
    let git = |words: &[&str]| crate::revision::git(&root, words);
    git(&["init", "-q"]);
    for version in 0..3 {
        let lines: String = (0..200).map(|line| format!("rule {}\n", if line == 7 { version } else { line })).collect();
        std::fs::write(root.join("AGENTS.md"), lines).expect("it is written");
        std::fs::write(root.join("docs/a.md"), format!("{version}\n")).expect("it is written");
        git(&["add", "-A"]);
        git(&["commit", "-q", "-m", "a change"]);
    }
    git(&["tag", "-a", "v1", "-m", "the first"]);
    git(&["gc", "-q", "--aggressive", "--prune=now"]);
    std::fs::write(root.join("loose.md"), "Loose.\n").expect("it is written");
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "loose"]);
    let listed = Command::new("find").args([".git", "-type", "f"]).current_dir(&root).output().expect("find runs");
    let names = String::from_utf8(listed.stdout).expect("plain names");
    let wanted = ["/objects/", "/packed-refs", "/HEAD", "/refs/", "/config"];
    let names = names.lines().filter(|name| wanted.iter().any(|part| name.contains(part)));
    let read = |name: &str| (name.to_owned(), std::fs::read(root.join(name)).expect("it is read"));
    Store { files: names.map(read).collect(), scratch }
});

/// The bytes with a few changes: other bits, pieces that are gone, repeated or from elsewhere.
fn mutated(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + random.below(4) {
        let (one, other) = (random.below(bytes.len() + 1), random.below(bytes.len() + 1));
        let range = one.min(other)..one.max(other);
        match random.below(6) {
            0 => bytes.truncate(one),
            1 => drop(bytes.drain(range)),
            2 => bytes[range].fill(0xff),
            3 => {
                let piece = bytes[range].to_vec();
                drop(bytes.splice(other..other, piece));
            }
            _ => bytes.iter_mut().skip(one).take(1).for_each(|byte| *byte ^= 1 << random.below(8)),
        }
    }
    bytes
}

/// Asks for everything that a revision has, as far as it goes.
fn walk(files: &dyn Filesystem, dir: &Path, depth: usize) {
    for entry in files.list(dir).unwrap_or_default().iter().filter(|entry| entry.name != ".git") {
        let path = dir.join(&entry.name);
        assert!(path.starts_with(dir) && path != dir, "{path:?} leads out of {dir:?}");
        let meta = files.stat(&path);
        if let (Ok(meta), Ok(content)) = (meta, files.read(&path)) {
            assert_eq!(meta.len, content.len() as u64, "{path:?}");
        }
        if depth > 0 {
            walk(files, &path, depth - 1);
        }
    }
}

#[test]
fn stores() {
    let root = STORE.scratch.path().join("p").canonicalize().expect("it is there");
    fuzz("stores", 20, |random| {
        let (name, whole) = random.pick(&STORE.files);
        std::fs::remove_file(root.join(name)).expect("it was there");
        std::fs::write(root.join(name), mutated(whole, random)).expect("it is written");
        for revision in ["HEAD", "v1", "HEAD~2", "HEAD^{tree}"] {
            if let Ok(files) = AtRevision::open(&Real, &root, revision) {
                walk(&files, &root, 4);
            }
        }
        std::fs::remove_file(root.join(name)).expect("it is there");
        std::fs::write(root.join(name), whole).expect("it is written");
    });
}
