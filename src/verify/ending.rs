//! Ends a comparison when this program is asked to end: the client is killed with all that it started, and every copy removed.
#![cfg_attr(target_os = "linux", expect(clippy::disallowed_methods, reason = "the room has directories of its own"))]

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

/// What has to be ended and removed. Whoever ends the program keeps it locked, so that nothing more is started.
struct Left {
    copies: BTreeSet<PathBuf>,
    running: BTreeSet<u32>,
}

static LEFT: Mutex<Left> = Mutex::new(Left { copies: BTreeSet::new(), running: BTreeSet::new() });

/// Number of times that a copy is removed while the processes that write to it are ending.
const TRIES: usize = 100;

fn left() -> MutexGuard<'static, Left> {
    LEFT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Creates a directory that is removed with the program; returns its path.
pub fn create(create: impl FnOnce() -> io::Result<PathBuf>) -> io::Result<PathBuf> {
    let mut left = left();
    let dir = create()?;
    left.copies.insert(dir.clone());
    Ok(dir)
}

/// Removes a directory of [`create`].
pub fn remove(dir: &Path) {
    let mut left = left();
    let _ = std::fs::remove_dir_all(dir);
    left.copies.remove(dir);
}

/// Starts a process that is ended with the program.
pub fn start(start: impl FnOnce() -> io::Result<Child>) -> io::Result<Child> {
    let mut left = left();
    let child = start()?;
    left.running.insert(child.id());
    Ok(child)
}

/// Kills a process of [`start`] with its group.
pub fn end(id: u32) {
    let mut left = left();
    end_group(id);
    left.running.remove(&id);
}

/// Ends everything, and the program, once the user or the system asks it to end.
pub fn on_signals() {
    let (ready, begun) = mpsc::channel();
    let wait = move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        let code = runtime.block_on(asked_to_end(&ready));
        let left = left();
        left.running.iter().copied().for_each(end_group);
        #[cfg(target_os = "linux")]
        end_adopted();
        left.copies.iter().for_each(|copy| remove_all(copy));
        std::process::exit(code)
    };
    if thread::Builder::new().name("briefing-ends".to_owned()).spawn(wait).is_ok() {
        // Nothing may be started before the signals are caught.
        let _ = begun.recv();
    }
}

/// Ends a sandbox once nobody waits for it: standard input ends with the process that started it, however that ended. The copy
/// goes with it, but for directories that are mounted.
#[cfg(target_os = "linux")]
pub fn with_input(copy: &Path) {
    let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
    let _left = left();
    end_adopted();
    clear(copy);
    std::process::exit(1)
}

/// Removes what can be removed below a directory.
#[cfg(target_os = "linux")]
fn clear(dir: &Path) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let place = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            clear(&place);
            let _ = std::fs::remove_dir(&place);
        } else {
            let _ = std::fs::remove_file(&place);
        }
    }
}

/// Waits for a signal that ends the program; returns the exit code that shells give for it.
#[cfg(unix)]
async fn asked_to_end(ready: &mpsc::Sender<()>) -> i32 {
    use tokio::signal::unix::{SignalKind, signal};
    let kinds = [SignalKind::hangup(), SignalKind::interrupt(), SignalKind::terminate()].map(signal);
    let _ = ready.send(());
    let [hangup, interrupt, terminate] = kinds.map(|caught| async move {
        match caught {
            Ok(mut caught) => {
                caught.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    });
    tokio::select! {
        () = hangup => 128 + 1,
        () = interrupt => 128 + 2,
        () = terminate => 128 + 15,
    }
}

#[cfg(not(unix))]
async fn asked_to_end(ready: &mpsc::Sender<()>) -> i32 {
    let _ = ready.send(());
    let _ = tokio::signal::ctrl_c().await;
    128 + 2
}

/// Removes a directory to which processes that were killed may still write for a moment.
fn remove_all(dir: &Path) {
    for _ in 0..TRIES {
        if std::fs::remove_dir_all(dir).is_ok() || !dir.exists() {
            return;
        }
        thread::sleep(std::time::Duration::from_millis(10));
    }
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
