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
    end_adopted();
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

/// Kills a client with its process group.
#[cfg(unix)]
pub fn end_group(id: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let Some(group) = i32::try_from(id).ok().and_then(Pid::from_raw) else { return };
    let _ = kill_process_group(group, Signal::KILL);
}

#[cfg(not(unix))]
pub fn end_group(id: u32) {
    // By its absolute path: a project may have one of that name.
    let system = std::env::var_os("SystemRoot").unwrap_or_else(|| "C:\\Windows".into());
    let _ = Command::new(Path::new(&system).join("System32\\taskkill.exe"))
        .args(["/F", "/T", "/PID", &id.to_string()])
        .output();
}

/// Kills processes that left the client's group; this process adopts them as their subreaper.
#[cfg(target_os = "linux")]
pub fn end_adopted() {
    use rustix::process::{Signal, WaitOptions, kill_process, waitpid};
    // Each round kills the processes that the previous round orphaned.
    for _ in 0..64 {
        let adopted = children();
        if adopted.is_empty() {
            return;
        }
        for pid in adopted {
            let _ = kill_process(pid, Signal::KILL);
            let _ = waitpid(Some(pid), WaitOptions::empty());
        }
    }
}

#[cfg(target_os = "linux")]
fn children() -> Vec<rustix::process::Pid> {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    let ids = lists.flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<i32>>());
    ids.filter_map(rustix::process::Pid::from_raw).collect()
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
