//! A scratch home and project, and the program run in it.

use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;

/// A scratch home and project, and the program run in it with an empty environment.
pub struct Place {
    _scratch: TempDir,
    /// The scratch directory, with `home` in it.
    pub root: PathBuf,
}

impl Place {
    pub fn new(files: &[(&str, &str)]) -> Place {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let root = scratch.path().canonicalize().expect("it exists");
        for (path, text) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("a directory")).expect("directories");
            std::fs::write(path, text).expect("a file");
        }
        std::fs::create_dir_all(root.join("home")).expect("a home");
        Place { _scratch: scratch, root }
    }

    pub fn command<'a>(&self, cwd: &str, arguments: impl IntoIterator<Item = &'a &'a str>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_briefing"));
        command.args(arguments).current_dir(self.root.join(cwd)).env_clear().env("HOME", self.root.join("home"));
        command
    }

    pub fn run(&self, cwd: &str, arguments: &[&str]) -> Output {
        self.command(cwd, arguments).output().expect("the program runs")
    }

    /// What it prints, with the scratch directory written as `@`.
    pub fn prints(&self, cwd: &str, arguments: &[&str]) -> String {
        let output = self.run(cwd, arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8").replace(&self.root.display().to_string(), "@")
    }
}
