//! Detects whether the client's process is still alive, so that the server does not outlive it.

use serde_json::Value;

/// The client's process (`processId` of `initialize`).
pub enum ClientProcess {
    /// The client gave no process id, or the system has no way to check it.
    Unknown,
    /// A handle (pidfd) that becomes readable when the process exits. Unlike a process id it is never reused, and a
    /// zombie counts as exited.
    #[cfg(target_os = "linux")]
    Held(std::os::fd::OwnedFd),
    /// Only the process id.
    #[cfg(unix)]
    Numbered(rustix::process::Pid),
}

impl ClientProcess {
    pub fn from_initialize(params: Option<&Value>) -> ClientProcess {
        let process = params.and_then(|params| params.get("processId")).and_then(Value::as_i64);
        match process.map(i32::try_from) {
            Some(Ok(process)) if process > 0 => ClientProcess::from_number(process),
            Some(_) | None => ClientProcess::Unknown,
        }
    }

    #[cfg(unix)]
    pub fn is_gone(&self) -> bool {
        match self {
            ClientProcess::Unknown => false,
            #[cfg(target_os = "linux")]
            ClientProcess::Held(handle) => {
                use rustix::event::{PollFd, PollFlags, Timespec, poll};
                let mut handles = [PollFd::new(handle, PollFlags::IN)];
                let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
                matches!(poll(&mut handles, Some(&at_once)), Ok(1))
            }
            ClientProcess::Numbered(process) => {
                // Any other error, such as "not permitted", means that the process exists.
                rustix::process::test_kill_process(*process) == Err(rustix::io::Errno::SRCH)
            }
        }
    }

    #[cfg(not(unix))]
    pub fn is_gone(&self) -> bool {
        match self {
            ClientProcess::Unknown => false,
        }
    }

    #[cfg(unix)]
    fn from_number(process: i32) -> ClientProcess {
        let Some(process) = rustix::process::Pid::from_raw(process) else {
            return ClientProcess::Unknown;
        };
        #[cfg(target_os = "linux")]
        if let Ok(handle) = rustix::process::pidfd_open(process, rustix::process::PidfdFlags::empty()) {
            return ClientProcess::Held(handle);
        }
        ClientProcess::Numbered(process)
    }

    #[cfg(not(unix))]
    fn from_number(_: i32) -> ClientProcess {
        ClientProcess::Unknown
    }
}
