//! Starts a client, waits until it is done or its time is over, and kills it with every process that it started.
#![expect(clippy::disallowed_methods, reason = "this is the room that starts programs")]

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Instant;

use super::ending;

/// Length of the end of a client's output that is kept, in bytes.
const WORDS_BYTES: u64 = 4096;

/// Event during the run of a client.
pub enum Event {
    /// The model has received every request of the script.
    Sent,
    /// It ended by itself, with this exit code.
    Ended(Option<i32>),
}

/// A command line.
pub struct CommandLine<'a> {
    /// The program.
    pub program: &'a Path,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// All of its environment.
    pub env: BTreeMap<String, String>,
    /// Working directory.
    pub cwd: &'a Path,
    /// File that receives stdout and stderr.
    pub output: PathBuf,
}

/// Reason for the end of a run.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    /// The model received every request of the script, and the client was killed.
    Sent,
    /// It ended by itself, with this exit code.
    Alone(Option<i32>),
    /// The time was over.
    TooLong,
    /// It could not be started at all.
    Never(String),
}

/// Runs a command line until the model has received every request, the client ends, or the deadline passes.
pub fn run(line: &CommandLine, events: &(Sender<Event>, Receiver<Event>), deadline: Instant) -> End {
    let child = match start(line) {
        Ok(child) => child,
        Err(error) => return End::Never(error.to_string()),
    };
    let id = child.id();
    let waiter = waiter(child, events.0.clone());
    let end = match events.1.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        Ok(Event::Sent) => End::Sent,
        // What it said before it ended comes first.
        Ok(Event::Ended(code)) => End::Alone(code),
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => End::TooLong,
    };
    ending::end(id);
    let _ = waiter.join();
    // Only now that the client is gone do its orphans become children of ours.
    #[cfg(target_os = "linux")]
    ending::end_adopted();
    end
}

fn start(line: &CommandLine) -> std::io::Result<Child> {
    match spawn(Command::new(line.program), line) {
        // As a shell does: packages whose installation was not finished have a script there that says so.
        #[cfg(unix)]
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error()) => {
            let mut shell = Command::new("/bin/sh");
            shell.arg(line.program);
            spawn(shell, line)
        }
        started => started,
    }
}

fn spawn(mut command: Command, line: &CommandLine) -> std::io::Result<Child> {
    let output = File::create(&line.output)?;
    command.args(&line.arguments).env_clear().envs(&line.env).current_dir(line.cwd);
    command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    ending::start(|| command.spawn())
}

fn waiter(mut child: Child, events: Sender<Event>) -> std::thread::JoinHandle<()> {
    std::thread::spawn(move || {
        let code = child.wait().ok().and_then(|status| status.code());
        let _ = events.send(Event::Ended(code));
    })
}

/// Returns the end of the client's output, without escape sequences.
pub fn last_words(output: &Path) -> String {
    let Ok(mut file) = File::open(output) else { return String::new() };
    let len = file.metadata().map_or(0, |meta| meta.len());
    let _ = file.seek(SeekFrom::Start(len.saturating_sub(WORDS_BYTES)));
    let mut bytes = Vec::new();
    let _ = file.take(WORDS_BYTES).read_to_end(&mut bytes);
    let text = anstream::adapter::strip_bytes(&bytes).into_vec();
    String::from_utf8_lossy(&text).trim().to_owned()
}
