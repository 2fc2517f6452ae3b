//! The working tree at a revision, against the real git: the same bytes, however the repository keeps them.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use briefing::disk::{AtRevision, Change, Filesystem, Real};
use briefing::snapshot::{Errno, FileType};

/// Runs git as nobody in particular, and returns what it says. Every commit is a second later than the one before: of
/// two that are as old, nothing says which git takes first.
pub fn git(dir: &Path, arguments: &[&str]) -> Vec<u8> {
    static NOW: AtomicU64 = AtomicU64::new(1_700_000_000);
    let date = format!("{} +0000", NOW.fetch_add(1, Ordering::Relaxed));
    let said = Command::new("git")
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main"])
        .args(["-c", "commit.gpgsign=false", "-c", "protocol.file.allow=always"])
        .args(arguments)
        .current_dir(dir)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", dir)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_DATE", &date)
        .env("GIT_COMMITTER_DATE", &date)
        .output()
        .expect("git runs");
    assert!(said.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&said.stderr));
    said.stdout
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().expect("below")).expect("directories");
    std::fs::write(path, text).expect("a file");
}

/// Six commits: a file that changes a little each time, a link, a merge, a tag.
fn history(root: &Path) {
    std::fs::create_dir_all(root).expect("a directory");
    git(root, &["init", "-q"]);
    std::os::unix::fs::symlink("AGENTS.md", root.join("CLAUDE.md")).expect("a link");
    std::os::unix::fs::symlink("docs", root.join("pages")).expect("a link");
    for version in 1..=4 {
        let lines: String =
            (0..400).map(|line| format!("{version}: rule {}\n", if line == 7 { version } else { line * 31 })).collect();
        write(root, "AGENTS.md", &format!("Version {version}.\n"));
        write(root, "docs/rules.md", &lines.replace(&format!("{version}: "), "").repeat(4));
        write(root, &format!("docs/deep/{version}.md"), "Deep.\n");
        git(root, &["add", "-A"]);
        git(root, &["commit", "-q", "-m", "a change"]);
        if version == 2 {
            git(root, &["tag", "-a", "v2", "-m", "the second"]);
            git(root, &["tag", "light"]);
        }
    }
    git(root, &["checkout", "-q", "-b", "side/topic", "HEAD~2"]);
    write(root, "side.md", "Side.\n");
    git(root, &["add", "-A"]);
    git(root, &["commit", "-q", "-m", "aside"]);
    git(root, &["checkout", "-q", "main"]);
    git(root, &["merge", "-q", "--no-ff", "-m", "together", "side/topic"]);
}

/// Every file of a revision is as git shows it.
fn check(root: &Path, revision: &str) {
    let root = root.canonicalize().expect("it is there");
    let at = AtRevision::open(&Real, &root, revision).unwrap_or_else(|problem| panic!("{revision}: {problem}"));
    let names = git(&root, &["ls-tree", "-r", "-z", "--name-only", "--full-tree", revision]);
    let names = String::from_utf8(names).expect("UTF-8");
    let mut count = 0;
    for name in names.split_terminator('\0') {
        let shown = git(&root, &["show", &format!("{revision}:{name}")]);
        let path = root.join(name);
        let meta = at.lstat(&path).unwrap_or_else(|errno| panic!("{revision}: {name}: {errno:?}"));
        if meta.kind == FileType::Link {
            let target = at.read_link(&path).expect("a link");
            assert_eq!(target.as_os_str().as_encoded_bytes(), shown, "{revision}: {name}");
        } else {
            assert_eq!(&*at.read(&path).expect("a file"), &*shown, "{revision}: {name}");
            assert_eq!(meta.len, shown.len() as u64, "{revision}: {name}");
        }
        count += 1;
    }
    assert!(count > 3, "{revision}: {names:?}");
}

const REVISIONS: [&str; 16] = [
    "HEAD",
    "@",
    "HEAD~1",
    "HEAD^",
    "HEAD^2",
    "HEAD~2^{commit}",
    "HEAD^^",
    "main",
    "heads/main",
    "refs/heads/main",
    "side/topic",
    "v2",
    "v2^{}",
    "v2~1",
    "light",
    "HEAD^{tree}",
];

#[test]
fn every_revision_reads_as_git_shows_it_loose_packed_shared_and_linked() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let root = scratch.path().join("first");
    history(&root);
    for revision in REVISIONS {
        check(&root, revision);
    }
    let hash = String::from_utf8(git(&root, &["rev-parse", "v2^{commit}"])).expect("hex");
    for hex in [hash.trim(), &hash[..7], &hash[..12]] {
        check(&root, hex);
    }

    git(&root, &["gc", "-q", "--aggressive", "--prune=now"]);
    let pack = std::fs::read_dir(root.join(".git/objects/pack")).expect("packs");
    let index =
        pack.map(|entry| entry.expect("an entry").path()).find(|path| path.extension().is_some_and(|it| it == "idx"));
    let listed = git(&root, &["verify-pack", "-v", &index.expect("a pack").to_string_lossy()]);
    assert!(String::from_utf8_lossy(&listed).contains("chain length = 1"), "there are deltas");
    for revision in REVISIONS {
        check(&root, revision);
    }
    check(&root, &hash[..9]);

    git(&root, &["worktree", "add", "-q", "../linked", "HEAD~1"]);
    let linked = scratch.path().join("linked");
    check(&linked, "HEAD");
    check(&linked, "main");

    git(scratch.path(), &["clone", "-q", "--shared", "first", "shared"]);
    let shared = scratch.path().join("shared");
    for revision in ["HEAD", "origin/main", "origin", "v2"] {
        check(&shared, revision);
    }
}

#[test]
fn links_lead_on_what_is_outside_stays_and_what_is_not_there_is_said() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let root = scratch.path().canonicalize().expect("it is there").join("r");
    history(&root);
    write(&root, "new.md", "Not committed.\n");
    write(&root, "AGENTS.md", "Not committed.\n");
    std::fs::remove_dir_all(root.join("docs")).expect("it was there");
    write(scratch.path(), "outside.md", "Outside.\n");
    std::os::unix::fs::symlink(root.join("docs"), root.parent().expect("above").join("by-link")).expect("a link");
    let at = AtRevision::open(&Real, &root.join("docs/deep"), "HEAD").expect("a revision");
    let read = |path: &str| at.read(&root.join(path)).map(|raw| String::from_utf8_lossy(&raw).into_owned());
    assert_eq!(read("CLAUDE.md").as_deref(), Ok("Version 4.\n"));
    assert_eq!(read("pages/deep/1.md").as_deref(), Ok("Deep.\n"));
    assert_eq!(read("../outside.md").as_deref(), Ok("Outside.\n"));
    assert_eq!(at.stat(&root.join("new.md")).err(), Some(Errno::NOENT));
    assert_eq!(at.stat(&root.join("AGENTS.md/x")).err(), Some(Errno::NOTDIR));
    assert_eq!(at.real_path(&root.join("pages/deep")), Ok(root.join("docs/deep")));
    assert!(at.stat(&root.join(".git/HEAD")).is_ok(), "the repository is that of now");
    let names: Vec<String> =
        at.list(&root).expect("a directory").iter().map(|entry| entry.name.to_string_lossy().into_owned()).collect();
    for (name, there) in [(".git", true), ("docs", true), ("CLAUDE.md", true), ("new.md", false)] {
        assert_eq!(names.iter().any(|known| known == name), there, "{name} in {names:?}");
    }

    for (revision, said) in [
        ("none", "there is no revision `none`"),
        ("HEAD~99", "the history has no commit before"),
        ("HEAD@{1}", "logs, upstreams and searches are not looked up"),
        ("HEAD^{/x}", "is not understood"),
        ("../../etc/passwd", "there is no revision"),
        ("0000000000000000000000000000000000000000", "is not in the repository"),
    ] {
        let problem = AtRevision::open(&Real, &root, revision).err().unwrap_or_default();
        assert!(problem.contains(said), "{revision}: {problem}");
    }
    let problem = AtRevision::open(&Real, Path::new("/"), "HEAD").err().unwrap_or_default();
    assert_eq!(problem, "/ is in no git repository, so it has no revision `HEAD`");
}

#[test]
fn two_histories_meet_where_git_says_they_do() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let root = scratch.path().join("first");
    history(&root);
    // A merge of a merge, with commits on either side.
    git(&root, &["checkout", "-q", "-b", "third", "main~1"]);
    write(&root, "third.md", "Third.\n");
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-q", "-m", "third"]);
    git(&root, &["merge", "-q", "--no-ff", "-m", "again", "side/topic"]);
    git(&root, &["checkout", "-q", "--orphan", "alone"]);
    git(&root, &["commit", "-q", "-m", "alone"]);
    let names = ["main", "main~1", "main^2", "side/topic", "third", "third~1", "v2", "light", "alone"];
    for left in names {
        for right in names {
            let said = Command::new("git").args(["merge-base", left, right]).current_dir(&root).output();
            let said = String::from_utf8(said.expect("git runs").stdout).expect("a hash");
            let ours = Change::open(&Real, &root, &format!("{left}...{right}"));
            assert_eq!(ours.map(|change| change.before).unwrap_or_default(), said.trim(), "{left}...{right}");
        }
    }
    let problem = Change::open(&Real, &root, "main...alone").expect_err("they have nothing in common");
    assert_eq!(problem, "`main...alone`: the two sides have no commit in common");
}

/// Writes a loose object under a name of one's own choice.
fn forge(root: &Path, id: &str, kind: &str, content: &[u8]) {
    let raw = [format!("{kind} {}\0", content.len()).as_bytes(), content].concat();
    let path = root.join(".git/objects").join(&id[..2]).join(&id[2..]);
    std::fs::create_dir_all(path.parent().expect("below")).expect("directories");
    std::fs::write(path, miniz_oxide::deflate::compress_to_vec_zlib(&raw, 6)).expect("an object");
}

#[test]
fn a_store_that_was_forged_leads_nowhere_and_is_not_waited_for() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let root = scratch.path().canonicalize().expect("it is there").join("p");
    std::fs::create_dir_all(&root).expect("a directory");
    git(&root, &["init", "-q"]);
    let [commit, tree, text, tag] = ["1", "2", "3", "4"].map(|digit| digit.repeat(40));
    let bytes = |hex: &str| hex.as_bytes().chunks(2).map(|pair| (pair[0] - b'0') * 17).collect::<Vec<u8>>();
    let entry = |mode: &str, name: &str, id: &str| [format!("{mode} {name}\0").as_bytes(), &bytes(id)].concat();
    let names = ["..", ".", "", ".git", ".GIT", "a/b", "docs"];
    let mut entries: Vec<u8> = names.iter().flat_map(|name| entry("40000", name, &tree)).collect();
    entries.extend([entry("100644", "AGENTS.md", &text), entry("0", "module", &text)].concat());
    forge(&root, &commit, "commit", format!("tree {tree}\n\nText.\n").as_bytes());
    forge(&root, &tree, "tree", &entries);
    forge(&root, &text, "blob", b"Text.\n");
    forge(&root, &tag, "tag", format!("object {tag}\n").as_bytes());

    let at = AtRevision::open(&Real, &root, &commit).expect("a revision");
    let mut listed: Vec<_> = at.list(&root).expect("a tree").into_iter().map(|entry| entry.name).collect();
    listed.sort();
    assert_eq!(listed, [".git", "AGENTS.md", "docs", "module"]);
    assert_eq!(at.stat(&root.join("module")).map(|meta| meta.kind), Ok(FileType::Dir));
    assert_eq!(at.read(&root.join("docs/docs/docs/AGENTS.md")).as_deref(), Ok(&b"Text.\n"[..]));
    assert_eq!(at.stat(&root.join("docs/".repeat(900))).err(), Some(Errno::NAMETOOLONG));
    let problem = |revision: &str| AtRevision::open(&Real, &root, revision).err().unwrap_or_default();
    assert!(problem(&tag).contains("tags of tags without an end"), "{}", problem(&tag));

    // Nobody writes to these pipes.
    let objects = root.join(".git/objects");
    std::fs::remove_file(objects.join(&commit[..2]).join(&commit[2..])).expect("it was there");
    for pipe in [&format!("{}/{}", &commit[..2], &commit[2..]), "info/alternates", "pack/a.idx", "pack/a.pack"] {
        std::fs::create_dir_all(objects.join(pipe).parent().expect("below")).expect("directories");
        assert!(Command::new("mkfifo").arg(objects.join(pipe)).status().expect("mkfifo runs").success());
    }
    assert!(problem(&commit).contains("not a regular file"), "{}", problem(&commit));
    let many: String = (0..200).map(|number| format!("{number}\n")).collect();
    std::fs::remove_file(objects.join("info/alternates")).expect("it was there");
    std::fs::write(objects.join("info/alternates"), many).expect("it is written");
    assert!(problem(&commit).contains("borrows from more than 100"), "{}", problem(&commit));
}
