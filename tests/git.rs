//! What git says, emulated, against the real git: a table of trees, each asked in the directory that holds `.git`.

use std::path::Path;
use std::process::Command;

use briefing::disk::{self, Real};
use briefing::snapshot::{Ask, Fact};

/// What the emulation says: the top of the worktree and the common directory, seen from the scratch directory.
fn emulated(root: &Path, dir: &str) -> Option<(Option<String>, String)> {
    let Fact::Git(found) = disk::observe(&Real, &Ask::Git(root.join(dir))) else { panic!("Git answers Git") };
    let below = |path: &Path| path.strip_prefix(root).unwrap_or(path).display().to_string();
    found.map(|found| {
        let common = found.common_dir.canonicalize().unwrap_or(found.common_dir);
        (found.toplevel.as_deref().map(below), below(&common))
    })
}

/// What git says.
fn real(root: &Path, dir: &str) -> Option<(Option<String>, String)> {
    let ask = |question: &str| {
        let said = Command::new("git")
            .args(["rev-parse", question])
            .current_dir(root.join(dir))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", root.join("nobody"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .expect("git runs");
        said.status.success().then(|| String::from_utf8_lossy(&said.stdout).trim_end().to_owned())
    };
    let below = |path: &str| {
        let path = root.join(dir).join(path);
        let path = path.canonicalize().unwrap_or(path);
        path.strip_prefix(root).unwrap_or(&path).display().to_string()
    };
    ask("--git-dir")?;
    let common = ask("--git-common-dir")?;
    Some((ask("--show-toplevel").map(|top| below(&top)), below(&common)))
}

/// Lays out `PATH` (directory, when it ends in a slash), `PATH=TEXT`, `PATH->TARGET`, and `git:PATH` (git init).
fn lay_out(root: &Path, lines: &[&str]) {
    for line in lines {
        if let Some(dir) = line.strip_prefix("git:") {
            let made = Command::new("git").args(["init", "-q"]).arg(root.join(dir)).status().expect("git runs");
            assert!(made.success(), "{line}");
        } else if let Some((path, target)) = line.split_once("->") {
            std::fs::create_dir_all(root.join(path).parent().expect("below")).expect("directories");
            std::os::unix::fs::symlink(target, root.join(path)).expect("a link");
        } else if let Some((path, text)) = line.split_once('=') {
            std::fs::create_dir_all(root.join(path).parent().expect("below")).expect("directories");
            std::fs::write(root.join(path), text.replace("ROOT", &root.display().to_string())).expect("a file");
        } else {
            std::fs::create_dir_all(root.join(line)).expect("directories");
        }
    }
}

#[test]
fn the_emulation_says_what_git_says() {
    const HEAD: &str = "a/.git/HEAD=ref: refs/heads/main\n";
    const OBJECTS: &str = "a/.git/objects/";
    const REFS: &str = "a/.git/refs/";
    let config = |text: &str| format!("a/.git/config={text}");
    let with_format = |text: &str| config(&format!("[core]\n\trepositoryformatversion = 0\n{text}"));
    let trees: Vec<(&str, Vec<String>)> = vec![
        ("a", vec!["git:a".into()]),
        ("a", vec![HEAD.into(), OBJECTS.into(), REFS.into()]),
        ("a", vec![HEAD.into(), OBJECTS.into()]),
        ("a", vec![HEAD.into(), REFS.into()]),
        ("a", vec!["a/.git/HEAD=ref:\trefs/x".into(), OBJECTS.into(), REFS.into()]),
        ("a", vec!["a/.git/HEAD=ref: heads/x".into(), OBJECTS.into(), REFS.into()]),
        ("a", vec![format!("a/.git/HEAD={}", "0aF".repeat(14)), OBJECTS.into(), REFS.into()]),
        ("a", vec![format!("a/.git/HEAD={}", "0".repeat(39)), OBJECTS.into(), REFS.into()]),
        ("a", vec!["a/.git/HEAD=".into(), OBJECTS.into(), REFS.into()]),
        ("a", vec!["a/.git/HEAD->refs/heads/main".into(), OBJECTS.into(), REFS.into()]),
        (
            "a",
            vec!["a/.git/HEAD->elsewhere".into(), "a/.git/elsewhere=ref: refs/x".into(), OBJECTS.into(), REFS.into()],
        ),
        ("a", vec!["a/.git/".into()]),
        ("o/a", vec!["git:o".into(), "o/a/.git/".into()]),
        ("o/a", vec!["git:o".into(), "o/a/.git=gitdir: /nowhere\n".into()]),
        ("o/a", vec!["git:o".into(), "o/a/.git=rubbish\n".into()]),
        ("o/a", vec!["git:o".into(), "o/a/.git=".into()]),
        ("o/a", vec!["git:o".into(), "o/a/.git->gone".into()]),
        ("o/a", vec!["git:o".into(), "o/a/.git->.git".into()]),
        ("a", vec!["git:b".into(), "a/.git->../b/.git".into()]),
        ("a", vec!["git:b".into(), "a/.git=gitdir: ../b/.git\n".into()]),
        ("a", vec!["git:b".into(), "a/.git=gitdir: ROOT/b/.git\r\n".into()]),
        ("a", vec!["git:b".into(), "a/.git=gitdir:../b/.git\n".into()]),
        (
            "w",
            vec![
                "git:m".into(),
                "w/.git=gitdir: ROOT/m/.git/worktrees/w\n".into(),
                "m/.git/worktrees/w/HEAD=ref: refs/heads/w\n".into(),
                "m/.git/worktrees/w/commondir=../..\n".into(),
                "m/.git/worktrees/w/gitdir=ROOT/w/.git\n".into(),
            ],
        ),
        (
            "w",
            vec![
                "git:m".into(),
                "m/.git/config=[core]\n\tbare = true\n\tworktree = /elsewhere\n".into(),
                "w/.git=gitdir: ROOT/m/.git/worktrees/w\n".into(),
                "m/.git/worktrees/w/HEAD=ref: refs/heads/w\n".into(),
                "m/.git/worktrees/w/commondir=../..\n".into(),
            ],
        ),
        (
            "w",
            vec![
                "git:m".into(),
                "w/.git=gitdir: ROOT/m/.git/worktrees/w\n".into(),
                "m/.git/worktrees/w/HEAD=ref: refs/heads/w\n".into(),
                "m/.git/worktrees/w/commondir=../../gone\n".into(),
            ],
        ),
        ("a", vec!["git:a".into(), config("[core]\n\tbare = true\n")]),
        ("a", vec!["git:a".into(), config("[core]\n\tbare\n")]),
        ("a", vec!["git:a".into(), config("[CORE] Bare = yes\n")]),
        ("a", vec!["git:a".into(), config("[core]\n\tbare = maybe\n")]),
        ("a", vec!["git:a".into(), config("[core]\n\tbare = \n")]),
        ("a", vec!["git:a".into(), "b/".into(), config("[core]\n\tworktree = ../../b\n")]),
        ("a", vec!["git:a".into(), "b/".into(), config("[core]\n\tworktree = ROOT/b ; a comment\n")]),
        ("a", vec!["git:a".into(), config("[core]\n\tworktree = ../../gone\n")]),
        ("a", vec!["git:a".into(), config("[core]\n\tworktree = ROOT/gone\n")]),
        ("a", vec!["git:a".into(), config("[core]\n\tworktree = ROOT/gone/deeper\n")]),
        ("a", vec!["git:a".into(), "b/".into(), config("[core]\n\tbare = true\n\tworktree = ../../b\n")]),
        ("a", vec!["git:a".into(), with_format("\tbare = true\n")]),
        ("a", vec!["git:a".into(), with_format("\tbare\n")]),
        ("a", vec!["git:a".into(), with_format("[CORE] Bare = yes\n")]),
        ("a", vec!["git:a".into(), with_format("\tbare = \n")]),
        ("a", vec!["git:a".into(), "b/".into(), with_format("\tworktree = ../../b\n")]),
        ("a", vec!["git:a".into(), "b/".into(), with_format("\tworktree = ROOT/b ; a comment\n")]),
        ("a", vec!["git:a".into(), with_format("\tworktree = ../../gone\n")]),
        ("a", vec!["git:a".into(), with_format("\tworktree = ROOT/gone\n")]),
        ("a", vec!["git:a".into(), with_format("\tworktree = ROOT/gone/deeper\n")]),
        ("a", vec!["git:a".into(), "b/".into(), with_format("\tbare = true\n\tworktree = ../../b\n")]),
        ("a", vec!["git:a".into(), with_format("[extensions]\n\tunheard = of\n")]),
        ("a", vec!["git:a".into(), with_format("[extensions]\n\tobjectFormat = sha256\n")]),
        ("a", vec!["git:a".into(), config("[core]\n\trepositoryformatversion = 1\n")]),
        ("a", vec!["git:a".into(), config("[core]\n\trepositoryformatversion = 2\n")]),
        ("a", vec!["git:a".into(), config("[core]\n\trepositoryformatversion = x\n")]),
        ("a", vec!["git:a".into(), config("[core]\n\trepositoryformatversion = 1\n[extensions]\n\tunheard = of\n")]),
        ("a", vec!["git:a".into(), config("[extensions]\n\tunheard = of\n")]),
        ("a", vec!["git:a".into(), config("[extensions]\n\tobjectFormat = sha256\n")]),
        (
            "a",
            vec![
                "git:a".into(),
                config("[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha1\n"),
            ],
        ),
        (
            "a",
            vec!["git:a".into(), config("[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = md5\n")],
        ),
        ("a", vec!["git:a".into(), config("[core\n\tbare = true\n")]),
        ("a", vec!["git:a".into(), config("bare = true\n")]),
        (
            "a",
            vec!["git:a".into(), config("# c\n[remote \"a b\"]\n\turl = \"x # y\" \\\n  z\n[core]\n\tbare = false\n")],
        ),
        ("a", vec!["git:a".into(), config("")]),
        (
            "a",
            vec![
                "git:a".into(),
                "b/".into(),
                config("[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true\n"),
                "a/.git/config.worktree=[core]\n\tworktree = ../../b\n".into(),
            ],
        ),
        (
            "bare.git/a",
            vec![
                "bare.git/HEAD=ref: refs/heads/main\n".into(),
                "bare.git/objects/".into(),
                "bare.git/refs/".into(),
                "bare.git/config=[core]\n\tbare = true\n".into(),
                "bare.git/a/.git/".into(),
            ],
        ),
    ];
    let mut differences = Vec::new();
    for (dir, lines) in trees {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let root = scratch.path().canonicalize().expect("it exists");
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        lay_out(&root, &lines);
        let (ours, gits) = (emulated(&root, dir), real(&root, dir));
        if ours != gits {
            differences.push(format!("{dir} in {lines:#?}\n  ours {ours:?}\n  git  {gits:?}"));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
