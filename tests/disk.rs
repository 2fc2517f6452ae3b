//! The virtual disk of the cases against a real one: what is asked about a case's files has the same answer on both.

use std::path::{Path, PathBuf};
use std::process::Command;

use briefing::disk::{self, Buffers, Filesystem, Real, scan};
use briefing::snapshot::{Ask, Fact, FileType, Unreadable};

use crate::cases::{answer, case_files};
use crate::world::{Case, World};

#[test]
fn a_real_disk_tells_what_the_virtual_one_tells() {
    let mut compared = 0;
    for file in case_files() {
        let text = std::fs::read_to_string(&file).expect("a case is UTF-8");
        // Devices want root, and errors cannot be laid out.
        if ["| device", "| errno", "| mode 000", "| sparse"].iter().any(|kind| text.contains(kind)) {
            continue;
        }
        let case = Case::parse(&text);
        let world = World::of(&case);
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let root = scratch.path().canonicalize().expect("it exists");
        world.unpack(&root);
        for ask in case.sections.iter().filter_map(|section| section.header.strip_prefix("@text ")) {
            let Ok(resolution) = answer(&case, &world, ask) else { continue };
            for ask in resolution.depends() {
                let Some(on_disk) = below(&root, ask) else { continue };
                // Absolute paths in git's own files lead out of the scratch directory; `git.rs` has such trees.
                if matches!(ask, Ask::Git(_)) && ["gitdir: /", "worktree = /"].iter().any(|lead| text.contains(lead)) {
                    continue;
                }
                let (virtual_fact, real_fact) =
                    (plain(disk::observe(&world, ask), Path::new("/")), plain(disk::observe(&Real, &on_disk), &root));
                assert_eq!(real_fact, virtual_fact, "{}: {ask:?}", file.display());
                compared += 1;
            }
        }
    }
    assert!(compared > 5_000, "only {compared} facts were compared");
}

#[test]
fn what_is_no_regular_file_is_never_opened() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let fifo = scratch.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().expect("mkfifo runs").success());
    assert_eq!(Real.read(&fifo), Err(Unreadable::Not(FileType::Fifo)));
    assert_eq!(Real.read(scratch.path()), Err(Unreadable::Not(FileType::Dir)));
    assert_eq!(Real.read(Path::new("/dev/zero")), Err(Unreadable::Not(FileType::Device)));
}

#[test]
fn a_missing_path_of_thirty_thousand_names_is_resolved_from_what_exists() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let root = scratch.path().canonicalize().expect("it exists");
    std::os::unix::fs::symlink(&root, root.join("link")).expect("a link");
    let below = "a/".repeat(30_000);
    let real = Buffers::over(Real).real(&root.join("link").join(&below));
    assert!(real == root.join(&below), "{} bytes", real.as_os_str().len());
}

#[test]
fn a_file_over_the_cap_is_not_read() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let path = scratch.path().join("AGENTS.md");
    let file = std::fs::File::create(&path).expect("a file");
    file.set_len(disk::FILE_CAP_BYTES + 1).expect("a hole takes no space");
    assert_eq!(Real.read(&path), Err(Unreadable::TooLarge(disk::FILE_CAP_BYTES + 1)));
    file.set_len(10 << 30).expect("a hole takes no space");
    assert_eq!(Real.read(&path), Err(Unreadable::TooLarge(10 << 30)));
}

#[test]
fn a_scan_finds_what_git_ignores_and_leaves_heavy_directories_alone() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let root = scratch.path().canonicalize().expect("it exists");
    for path in [
        ".gitignore",
        "AGENTS.md",
        "a/.hidden/AGENTS.md",
        "ignored/AGENTS.md",
        "node_modules/x/AGENTS.md",
        "a/b/README.md",
        "a/target/AGENTS.md",
    ] {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("directories");
        std::fs::write(path, "ignored\n").expect("a file");
    }
    std::os::unix::fs::symlink(&root, root.join("a/loop")).expect("a link");
    let mut found =
        scan::scan(&root, scan::Threads::PerCore, &|name| name == "AGENTS.md", |_| {}, &scan::Progress::default());
    found.sort();
    let found: Vec<_> =
        found.iter().map(|path| path.strip_prefix(&root).expect("below").display().to_string()).collect();
    assert_eq!(found, ["AGENTS.md", "a/.hidden/AGENTS.md", "ignored/AGENTS.md"]);
    let cancelled = scan::Progress::default();
    cancelled.cancelled.store(true, std::sync::atomic::Ordering::Relaxed);
    assert!(scan::scan(&root, scan::Threads::PerCore, &|_| true, |_| {}, &cancelled).is_empty());
}

#[test]
fn a_directory_is_entered_before_it_is_listed() {
    for threads in [scan::Threads::One, scan::Threads::PerCore] {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        std::fs::create_dir_all(scratch.path().join("a/b")).expect("directories");
        // What comes while a directory is entered would otherwise be seen by nobody.
        let entered = |dir: &Path| std::fs::write(dir.join("AGENTS.md"), "Late.\n").expect("a file");
        let found = scan::scan(scratch.path(), threads, &|_| true, entered, &scan::Progress::default());
        assert_eq!(found.len(), 3, "{found:?}");
    }
}

/// The same question about the tree below `root`; `None` where a tree cannot stand for the whole disk.
fn below(root: &Path, ask: &Ask) -> Option<Ask> {
    let moved = |path: &PathBuf| root.join(path.strip_prefix("/").expect("absolute"));
    // Above the top there is nothing in a case, and there is in a scratch directory.
    if ask.path() == Path::new("/") {
        return None;
    }
    match ask {
        Ask::Kind(path) => Some(Ask::Kind(moved(path))),
        Ask::LinkKind(path) => Some(Ask::LinkKind(moved(path))),
        Ask::Real(path) => Some(Ask::Real(moved(path))),
        Ask::Target(path) => Some(Ask::Target(moved(path))),
        Ask::Content(path) => Some(Ask::Content(moved(path))),
        Ask::Listing(path) => Some(Ask::Listing(moved(path))),
        Ask::Git(path) => Some(Ask::Git(moved(path))),
        Ask::Glob { base, pattern, flavor } if !pattern.contains("..") && !pattern.starts_with('/') => {
            Some(Ask::Glob { base: moved(base), pattern: pattern.clone(), flavor: *flavor })
        }
        Ask::Glob { .. } | Ask::Rows { .. } | Ask::Remote(_) => None,
    }
}

/// A fact without what must differ: identities, orders, and where the tree stands.
fn plain(fact: Fact, root: &Path) -> String {
    let here = |path: &Path| path.strip_prefix(root).unwrap_or(path).display().to_string();
    match fact {
        Fact::Kind(found) => format!("{:?}", found.map(|meta| (meta.kind, meta.len, meta.links))),
        Fact::Real(found) => format!("{:?}", found.map(|path| here(&path))),
        Fact::Listing(found) => {
            let sorted = found.map(|entries| {
                let mut entries: Vec<_> = entries.iter().map(|entry| (entry.name.clone(), entry.kind)).collect();
                entries.sort_by(|one, other| one.0.cmp(&other.0));
                entries
            });
            format!("{sorted:?}")
        }
        Fact::Glob(found) => {
            let mut found: Vec<_> = found.files.iter().map(|path| here(path)).collect();
            found.sort();
            format!("{found:?}")
        }
        Fact::Git(found) => {
            format!(
                "{:?}",
                found.map(|repository| (repository.toplevel.as_deref().map(&here), here(&repository.common_dir)))
            )
        }
        Fact::Content(found) => format!("{found:?}"),
        Fact::Rows(found) => format!("{found:?}"),
        Fact::Remote(found) => format!("{found:?}"),
    }
}

#[test]
#[cfg(target_os = "linux")]
fn files_about_processes_are_never_read() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let dir = scratch.path();
    let link = |name: &str, target: &str| std::os::unix::fs::symlink(target, dir.join(name)).expect("a link");
    link("environ", "/proc/self/environ");
    link("process", "/proc/self");
    link("devices", "/dev");
    link("twice", "environ");
    std::fs::write(dir.join("file"), "Rules.").expect("a file");
    link("link", "file");
    for path in ["environ", "process/environ", "twice", "/proc/self/environ", "/proc/version"] {
        assert_eq!(Real.read(&dir.join(path)), Err(Unreadable::Process), "{path}");
    }
    let open = std::fs::File::open(dir.join("file")).expect("it opens");
    let by_number = format!("/dev/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&open));
    link("open", &by_number);
    for path in [dir.join("open"), by_number.into()] {
        assert_eq!(Real.read(&path), Err(Unreadable::Process), "{}", path.display());
    }
    assert_eq!(Real.read(&dir.join("devices/null")), Err(Unreadable::Not(FileType::Device)));
    assert_eq!(&*Real.read(&dir.join("link")).expect("a file like others"), b"Rules.");
}
