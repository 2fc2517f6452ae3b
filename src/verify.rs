//! Runs the user's own client and compares its requests with Briefing's answer; the only module that starts a program.
//!
//! The client connects to a mock `model` on the loopback interface, which has it read a file and stores its requests. It runs on a
//! `copy` of the files that the answer rests on: on Linux, if permitted, in its own `root` and network; elsewhere in the
//! directory of the copy, with proxies that lead nowhere. Briefing is asked about the same copy. Only the command line calls this,
//! and only if the user gave the command.
#![expect(clippy::disallowed_methods, reason = "this is the room that starts programs, in a directory of its own")]

use std::fs;
use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};

use crate::answer::{MessageKind, Resolution, Standpoint};
use crate::harness::Choice;

pub mod client;
mod copy;
pub mod difference;
mod ending;
mod harmless;
mod model;
mod plan;
mod process;
pub mod remembered;
#[cfg(target_os = "linux")]
mod root;
mod settings;
pub mod suite;

use client::{Client, Run, Sent, Start};
pub use ending::on_signals;
use model::{Call, Model};
pub use plan::{Installed, Plan, Way};
use process::{CommandLine, End};

/// The argument with which the program starts itself in namespaces of their own.
pub const INSIDE: &str = "--inside";
/// Time that the sandboxed process may take beyond the client's own limit.
const GRACE: Duration = Duration::from_secs(20);

/// Callback that computes Briefing's own answer.
pub type Answers<'a> = &'a dyn Fn(&Choice, &Standpoint) -> Resolution;

/// Result of one question: both answers and the time taken.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// Briefing's answer.
    pub ours: Said,
    /// The client's answer.
    pub theirs: Said,
    /// Run time of the client, in milliseconds.
    pub millis: u64,
}

/// Answer of Briefing or of the client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Said {
    /// These texts reach the model.
    Texts(Vec<Sent>),
    /// The client does not start, or ended before it asked its model: why, or its last words.
    Refused(String),
    /// Nothing is known: why.
    Nothing(String),
}

/// Place in which a client runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// In a root and a network of its own.
    OwnRoot,
    /// In the directory of the copy, without a sandbox.
    Copy,
}

/// Returns where a client can probably be asked. Runs no program: it is said to the user before anything may be run.
pub fn expected_place() -> Where {
    if cfg!(target_os = "linux") && helper(UNSHARE).is_some() { Where::OwnRoot } else { Where::Copy }
}

/// Returns where this machine lets a client be asked, by trying it with a program that does nothing.
pub fn place() -> Where {
    let tried = helper("true").filter(|_| cfg!(target_os = "linux")).and_then(|nothing| namespaces(&nothing));
    let status = tried.map(|mut command| {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status()
    });
    if status.is_some_and(|status| status.is_ok_and(|status| status.success())) { Where::OwnRoot } else { Where::Copy }
}

/// The program that makes namespaces.
const UNSHARE: &str = "unshare";

/// Returns a program in namespaces of its own, with an empty environment, which ends with whoever started it.
fn namespaces(program: &Path) -> Option<Command> {
    let mut command = Command::new(helper(UNSHARE)?);
    command.env_clear().current_dir("/");
    command.args(["--user", "--map-root-user", "--mount", "--net", "--pid", "--fork", "--kill-child"]).arg(program);
    Some(command)
}

/// Directories of system programs. `PATH` is not used: projects put their own directories there.
const SYSTEM_PROGRAMS: [&str; 5] = ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/run/current-system/sw/bin"];

/// Returns a program of the system by its absolute path.
fn helper(name: &str) -> Option<PathBuf> {
    let real = |dir: &&str| fs::canonicalize(Path::new(dir).join(name)).ok();
    SYSTEM_PROGRAMS.iter().find_map(|dir| real(dir).filter(|program| is_of_the_system(program)))
}

/// Returns true if nobody but the system's administrator can have put a program there.
#[cfg(unix)]
fn is_of_the_system(program: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    const OTHERS_WRITE: u32 = 0o022;
    // What others put into such a directory replaces nothing there.
    const STICKY: u32 = 0o1000;
    let is_safe = |meta: fs::Metadata| {
        let is_closed = meta.mode() & OTHERS_WRITE == 0 || (meta.is_dir() && meta.mode() & STICKY != 0);
        meta.uid() == 0 && is_closed
    };
    program.ancestors().all(|place| fs::symlink_metadata(place).is_ok_and(is_safe))
}

#[cfg(not(unix))]
fn is_of_the_system(_: &Path) -> bool {
    false
}

/// Private temporary directory, removed on drop.
pub struct Scratch(PathBuf);

impl Scratch {
    /// Creates the directory; on Unix only its owner may read it.
    pub fn new() -> io::Result<Scratch> {
        let since = std::time::UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos();
        let dir = std::env::temp_dir().join(format!("briefing-verify-{}-{since:x}", std::process::id()));
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        ending::create(|| builder.create(&dir).and_then(|()| fs::canonicalize(&dir))).map(Scratch)
    }

    /// Returns the path of the directory.
    pub fn dir(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        ending::remove(&self.0);
    }
}

/// Runs the question in `place`.
pub fn ask(plan: &Plan, place: Where, answers: Answers) -> Result<Outcome, String> {
    match place {
        Where::OwnRoot => ask_inside(plan),
        Where::Copy => here(&plan.moved(), place, answers),
    }
}

/// Starts this program in its own namespaces and sends it the plan.
fn ask_inside(plan: &Plan) -> Result<Outcome, String> {
    let own = std::env::current_exe().map_err(|error| format!("this program cannot be found: {error}"))?;
    let failed = |error: io::Error| format!("it cannot be started again by itself: {error}");
    let mut command = namespaces(&own).ok_or_else(|| format!("this system has no `{UNSHARE}` of its own"))?;
    command.args(["verify", INSIDE]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = ending::start(|| command.spawn()).map_err(failed)?;
    let mut told = serde_json::to_vec(plan).map_err(|error| error.to_string())?;
    told.push(b'\n');
    // It stays open: its end tells the sandbox that nobody waits any more.
    let mut to = child.stdin.take();
    // Where it ended already, its words say why.
    let _ = to.as_mut().map(|to| to.write_all(&told).and_then(|()| to.flush()));
    let (mut from, mut errors) = (child.stdout.take(), child.stderr.take());
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let (mut said, mut words) = (Vec::new(), String::new());
        from.iter_mut().for_each(|from| drop(from.read_to_end(&mut said)));
        errors.iter_mut().for_each(|errors| drop(errors.read_to_string(&mut words)));
        let _ = sender.send((said, words));
    });
    let heard = receiver.recv_timeout(plan.limit + GRACE);
    // Where the program is ending, this goes no further.
    ending::end(child.id());
    let _ = child.wait();
    drop(to);
    let (said, words) = heard.map_err(|_| "it does not come to an end".to_owned())?;
    serde_json::from_slice(&said).map_err(|_| format!("its sandbox cannot be set up: {}", words.trim()))
}

/// Entry point of the sandboxed process: reads the plan from stdin, enters its own root, and prints the outcome.
pub fn inside(answers: Answers) -> Result<(), String> {
    let mut told = Vec::new();
    io::stdin().lock().read_until(b'\n', &mut told).map_err(|error| error.to_string())?;
    let plan: Plan = serde_json::from_slice(&told).map_err(|error| error.to_string())?;
    #[cfg(target_os = "linux")]
    {
        root::enter(&plan.scratch, &plan.tree(), &plan.covers, &plan.kept).map_err(|error| error.to_string())?;
        let copy = plan.scratch.clone();
        std::thread::spawn(move || ending::with_input(&copy));
    }
    let outcome = here(&plan, Where::OwnRoot, answers)?;
    let said = serde_json::to_vec(&outcome).map_err(|error| error.to_string())?;
    io::stdout().write_all(&said).map_err(|error| error.to_string())
}

/// Asks Briefing and the client about the files as this process sees them.
fn here(plan: &Plan, place: Where, answers: Answers) -> Result<Outcome, String> {
    let client = client::of(&plan.harness).ok_or_else(|| format!("{} cannot be asked", plan.harness))?;
    let (choice, standpoint) = plan.question()?;
    // A client may write to the copy.
    let ours = ours(&answers(&choice, &standpoint));
    let (began, before) = (Instant::now(), stamp(&plan.program));
    let mut theirs = theirs(plan, place, client).unwrap_or_else(|error| Said::Nothing(error.to_string()));
    if stamp(&plan.program) != before {
        theirs = Said::Nothing("its program was changed while it was asked".to_owned());
    }
    let millis = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(Outcome { ours, theirs, millis })
}

/// Returns length and modification time of a file; a changed stamp means a changed file.
fn stamp(file: &Path) -> Option<(u64, SystemTime)> {
    let meta = fs::metadata(file).ok()?;
    Some((meta.len(), meta.modified().ok()?))
}

fn ours(answer: &Resolution) -> Said {
    if let Some(refusal) = &answer.answer.refusal {
        return Said::Refused(refusal.message.clone());
    }
    let instructions = answer.answer.messages.iter().filter(|message| message.kind == MessageKind::Instructions);
    let told = instructions.map(|message| Sent {
        trigger: message.trigger.to_string(),
        role: message.role.to_string(),
        text: message.text.to_string(),
    });
    Said::Texts(told.collect())
}

fn theirs(plan: &Plan, place: Where, client: &Client) -> io::Result<Said> {
    let deadline = Instant::now() + plan.limit;
    let events = mpsc::channel();
    let files = plan.after.iter().chain(&plan.file).map(|file| file.display().to_string());
    let calls: Vec<Call> = client.read.iter().flat_map(|call| files.clone().map(|file| call(&file))).collect();
    let model = Model::start(calls, events.0.clone())?;
    let run = Run {
        version: &plan.version,
        place,
        port: model.port,
        file: plan.file.as_deref().filter(|_| client.read.is_some()),
        after: &plan.after,
        options: &plan.options,
        home: plan.home(),
        cwd: &plan.cwd,
        env: plan.variables(),
        scratch: &plan.scratch,
    };
    let Start { arguments, env } = (client.start)(&run);
    let mut line = CommandLine {
        program: &plan.program,
        arguments: client.before.map(|before| before(&run)).unwrap_or_default(),
        env: plan.environment(),
        cwd: &plan.cwd,
        output: plan.scratch.join("said"),
    };
    line.env.extend(env);
    if client.before.is_some() {
        process::run(&line, &events, deadline);
    }
    line.arguments = arguments;
    let end = process::run(&line, &events, deadline);
    Ok(understood(&run, client, &model, &end, &process::last_words(&line.output)))
}

/// Converts the end of a run into the client's answer.
fn understood(run: &Run, client: &Client, model: &Model, end: &End, words: &str) -> Said {
    let heard = model.heard();
    let words = if words.is_empty() { "it printed nothing".to_owned() } else { format!("it printed\n{words}") };
    match (end, heard.strange.first()) {
        (End::Sent, _) => (client.texts_sent)(run, &heard.requests)
            .map_or_else(|why| Said::Nothing(format!("its request is of another shape: {why}")), Said::Texts),
        (End::Never(why), _) => Said::Nothing(format!("it cannot be started: {why}")),
        (End::TooLong, None) if heard.requests.is_empty() => {
            Said::Nothing(format!("it did not ask its model in the time it has; {words}"))
        }
        (_, Some(strange)) if heard.requests.is_empty() => {
            Said::Nothing(format!("it asked for {strange}, which none of the known protocols has; {words}"))
        }
        (End::TooLong, _) => Said::Nothing(format!("it did not read the file in the time it has; {words}")),
        (End::Alone(_), _) if !heard.requests.is_empty() => {
            Said::Nothing(format!("it ended before it read the file; {words}"))
        }
        (End::Alone(Some(code)), _) => Said::Refused(format!("it ended with code {code}; {words}")),
        (End::Alone(None), _) => Said::Refused(format!("it was ended by a signal; {words}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn helpers_are_the_systems_own() {
        use std::os::unix::fs::PermissionsExt;
        assert!(helper("true").is_some_and(|program| program.is_absolute()));
        assert_eq!(helper("no-such-program"), None);
        let dir = tempfile::tempdir().expect("a directory");
        let place = fs::canonicalize(dir.path()).expect("it is there");
        let program = place.join("unshare");
        fs::write(&program, "").expect("it is written");
        let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
        for (of_dir, of_program) in [(0o755, 0o775), (0o755, 0o757), (0o777, 0o755), (0o775, 0o755)] {
            set(&place, of_dir);
            set(&program, of_program);
            assert!(!is_of_the_system(&program), "{of_dir:o} {of_program:o}");
        }
    }
}
