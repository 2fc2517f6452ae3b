//! `briefing verify`, with scripts in the place of clients: what they send is compared, and nothing they do reaches
//! further.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Output, Stdio};

use crate::place::Place;

/// Sends `text`, with the rules at the working directory in it, to the model whose port the arguments name.
const SENDS: &str = r##"
export LC_ALL=C # lengths are those of bytes
send() {
  port=$(printf '%s' "$ARGS" | sed -n 's/.*127\.0\.0\.1:\([0-9]*\).*/\1/p' | head -n 1)
  exec 3<>/dev/tcp/127.0.0.1/$port
  printf 'POST %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s' "$1" "${#2}" "$2" >&3
  cat <&3
}
rules() {
  printf '{"input": [{"role": "user", "content": [{"type": "input_text", "text": "%s"}]}]}' \
    "# AGENTS.md instructions for $PWD\n\n<INSTRUCTIONS>\n$1\n</INSTRUCTIONS>"
}
ARGS="$*"
"##;

/// A project of Codex, and a script in its place.
fn place(script: &str) -> Place {
    let place = Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/AGENTS.md", "Rules."),
        ("project/NOTES.md", "Notes."),
        ("project/src/main.rs", "fn main() {}\n"),
        ("home/.codex/auth.json", "{\"token\": \"secret\"}"),
        ("home/.codex/.env", "TOKEN=secret"),
        ("home/.codex/config.toml", "notify = [\"touch\"]\nmcp_servers.x.command = \"touch\"\n"),
        ("bin/codex", &format!("#!/bin/bash\n{SENDS}\n{script}\n")),
    ]);
    let program = place.root.join("bin/codex");
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).expect("it can be run");
    place
}

/// In a root of its own, where that is allowed, and on the copy.
const FENCES: [&[&str]; 2] = [&[], &["--on-copy"]];

fn verify(place: &Place, fence: &[&str], more: &[&str]) -> Output {
    let program = place.root.join("bin/codex").display().to_string();
    let arguments = [&["verify", "codex@0.169.0", "--yes", "--program", &program], fence, more].concat();
    let mut command = place.command("project", &arguments);
    command.env("OPENAI_API_KEY", "secret").output().expect("the program runs")
}

/// The code it ends with, and what it says.
fn said(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A script says this where all is as it must be, and something else otherwise.
const EQUAL: &str = "Codex 0.169.0: equal, 1 message of ";

#[test]
fn a_client_that_sends_what_briefing_says_is_equal() {
    let place = place(r#"send /v1/responses "$(rules "$(cat AGENTS.md)")""#);
    for fence in FENCES {
        let (code, words) = said(&verify(&place, fence, &[]));
        assert!(code == Some(0) && words.starts_with(EQUAL), "{fence:?}: {words}");
    }
}

#[test]
fn lists_that_are_not_compared_are_named() {
    let place = place(r#"send /v1/responses "$(rules "$(cat AGENTS.md)")""#);
    let skill = place.root.join("project/.agents/skills/a");
    fs::create_dir_all(&skill).expect("a folder");
    fs::write(skill.join("SKILL.md"), "---\nname: a\ndescription: Explains.\n---\nText.\n").expect("it is written");
    let (code, words) = said(&verify(&place, FENCES[0], &[]));
    assert!(code == Some(0) && words.contains("\n  not compared: what it lists of skills\n"), "{words}");
}

#[test]
fn a_difference_is_shown_and_written_as_a_case() {
    let place = place(r#"send /v1/responses "$(rules "$(cat AGENTS.md NOTES.md)")""#);
    let (code, words) = said(&verify(&place, FENCES[0], &["--case", "wrong.case"]));
    assert_eq!(code, Some(1), "{words}");
    assert!(words.starts_with("Codex 0.169.0: differs in message 1, line 4, byte "), "{words}");
    assert!(words.contains("\n  Briefing  Rules.\\n</INSTRUCTIONS>\n  client    Rules.Notes.\\n</INST"), "{words}");
    let case = fs::read_to_string(place.root.join("project/wrong.case")).expect("it is written");
    let golden = "<INSTRUCTIONS>\nRules.Notes.\n</INSTRUCTIONS>\n-- @observed codex 0.169.0 --\n";
    assert!(case.ends_with(golden) && case.contains("\nRules.\n") | case.contains("Rules."), "{case}");
}

#[test]
fn what_does_not_ask_its_model_says_nothing_about_the_text() {
    for (script, words) in [
        ("echo 'Please log in.'; exit 1", "it ended with code 1; it printed\nPlease log in."),
        ("kill -SEGV $$", "it was ended by a signal; it printed nothing"),
        ("true", "it ended with code 0; it printed nothing"),
        ("send /v9/telepathy '{}'", "it asked for /v9/telepathy, which none of the known protocols has"),
        ("send /v1/responses 'no JSON'", "it asked for /v1/responses, with a body that is not JSON"),
    ] {
        let (code, said) = said(&verify(&place(script), FENCES[0], &[]));
        assert_eq!(code, Some(2), "{script}: {said}");
        assert!(said.starts_with("Codex 0.169.0: could not be compared; ") && said.contains(words), "{script}: {said}");
    }
}

#[test]
fn what_a_half_finished_installation_says_is_shown() {
    let place = place("");
    fs::write(place.root.join("bin/codex"), "echo 'postinstall was not run'; exit 1\n").expect("it is written");
    let (code, words) = said(&verify(&place, FENCES[0], &[]));
    assert_eq!(code, Some(2), "{words}");
    assert!(words.contains("it ended with code 1; it printed\npostinstall was not run"), "{words}");
}

#[test]
fn another_version_than_the_one_that_is_installed_is_not_asked_about() {
    let place = place(r#"send /v1/responses "$(rules "$(cat AGENTS.md)")""#);
    fs::write(place.root.join("bin/package.json"), r#"{"name": "@openai/codex", "version": "0.169.0"}"#)
        .expect("it is written");
    let asked = |what: &str| {
        let mut command = place.command("project", &["verify", what, "--yes"]);
        let output = command.env("PATH", place.root.join("bin")).output().expect("it runs");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, words) = asked("codex@0.168.0");
    assert!(
        code == Some(2) && words.contains("Codex 0.169.0 is installed") && words.contains("not 0.168.0"),
        "{words}"
    );
    assert!(!asked("codex@0.169").1.contains("is installed"));
}

#[test]
fn a_version_that_is_none_is_said_to_be_unknown() {
    let place = place(r#"send /v1/responses "$(rules "$(cat AGENTS.md)")""#);
    let package = r#"{"name": "@openai/codex", "version": "next; rm -rf ~"}"#;
    fs::write(place.root.join("bin/package.json"), package).expect("it is written");
    let path = place.root.join("bin");
    let output =
        place.command("project", &["show", "--harness", "codex"]).env("PATH", &path).output().expect("it runs");
    let words = String::from_utf8_lossy(&output.stdout);
    assert!(words.contains("nothing says which version of Codex "), "{words}");
    let program = path.join("codex").display().to_string();
    let output =
        place.command("project", &["verify", "codex", "--yes", "--program", &program]).output().expect("it runs");
    let words = String::from_utf8_lossy(&output.stdout);
    assert!(words.contains(": equal, 1 message of "), "{words}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_client_that_hangs_is_ended_with_all_it_started() {
    for fence in FENCES {
        let place = place("setsid bash -c \"exec -a $MARK-left sleep 999\" & bash -c 'exec -a hangs sleep 999'");
        let mark = format!("mark-{}-{}", std::process::id(), fence.len());
        let script = fs::read_to_string(place.root.join("bin/codex")).expect("it is there").replace("$MARK", &mark);
        fs::write(place.root.join("bin/codex"), script).expect("it is written");
        let (code, words) = said(&verify(&place, fence, &["--timeout", "2"]));
        assert_eq!(code, Some(2), "{words}");
        assert!(words.contains("it did not ask its model in the time it has"), "{words}");
        let left = format!("{mark}-left");
        let processes = fs::read_dir("/proc").expect("Linux").flatten();
        let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
        assert!(!lines.into_iter().any(|line| line.starts_with(left.as_bytes())), "{left} still runs");
    }
}

/// Returns true if this system lets namespaces be made.
fn has_namespaces() -> bool {
    let tried = std::process::Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "--net", "--pid", "--fork", "true"])
        .output();
    tried.is_ok_and(|output| output.status.success())
}

#[test]
fn a_client_in_a_root_of_its_own_has_no_privileges_and_reaches_nothing_else() {
    if !has_namespaces() {
        return;
    }
    let elsewhere = tempfile::TempDir::new_in("/var/tmp").expect("a directory outside of home and workspace");
    let socket = elsewhere.path().join("socket");
    let _listening = std::os::unix::net::UnixListener::bind(&socket).expect("it listens");
    let shared = format!("/dev/shm/briefing-test-{}", std::process::id());
    let script = r#"
        text=$(cat AGENTS.md)
        grep -Eq '^CapEff:\s*0+$' /proc/self/status && grep -Eq '^CapPrm:\s*0+$' /proc/self/status || text="has capabilities"
        grep -Eq '^NoNewPrivs:\s*1$' /proc/self/status || text="may get more"
        mount -t tmpfs none /tmp 2>/dev/null && text="mounts"
        unshare --user --map-root-user true 2>/dev/null && text="makes namespaces"
        (echo x > /proc/sys/kernel/hostname) 2>/dev/null && text="sets the host's name"
        (: < /etc/shadow) 2>/dev/null && [ -s /etc/shadow ] && text="reads private files"
        for file in SOCKET /dev/tty /dev/pts/0 /dev/kmsg /sys/kernel /var/lib; do
          [ -e $file ] && text="has $file"
        done
        : > SHARED && : > /dev/null || text="has no devices"
        (: > /usr/made) 2>/dev/null && text="writes to the system"
        send /v1/responses "$(rules "$text")""#;
    let script = script.replace("SOCKET", &socket.display().to_string()).replace("SHARED", &shared);
    let (code, words) = said(&verify(&place(&script), FENCES[0], &[]));
    assert!(code == Some(0) && words.starts_with(EQUAL), "{words}");
    assert!(!std::path::Path::new(&shared).exists());
}

/// Returns true if a process whose name begins so is running.
fn runs(name: &str) -> bool {
    let processes = fs::read_dir("/proc").expect("Linux").flatten();
    let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines.into_iter().any(|line| line.starts_with(name.as_bytes()))
}

/// Waits until something is so.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = std::time::Instant::now() + crate::client::DEADLINE;
    while !is_so() {
        assert!(std::time::Instant::now() < end, "{what}");
        std::thread::yield_now();
    }
}

#[test]
fn a_client_ends_with_briefing_and_nothing_is_left_of_the_copy() {
    let signals = [("INT", Some(130)), ("TERM", Some(143)), ("HUP", Some(129)), ("KILL", None)];
    for (fence, (signal, code)) in FENCES.into_iter().flat_map(|fence| signals.map(|signal| (fence, signal))) {
        // Without namespaces nobody is left to end it.
        if signal == "KILL" && (fence != FENCES[0] || !has_namespaces()) {
            continue;
        }
        let mark = format!("ends-{}-{}-{signal}", std::process::id(), fence.len());
        let place = place(&format!("exec -a {mark} sleep 999"));
        let (program, temporary) = (place.root.join("bin/codex").display().to_string(), place.root.join("temporary"));
        fs::create_dir(&temporary).expect("it is made");
        let arguments = [&["verify", "codex@0.169.0", "--yes", "--program", &program], fence].concat();
        let mut command = place.command("project", &arguments);
        command.env("TMPDIR", &temporary).stdout(Stdio::null()).stderr(Stdio::null());
        let mut briefing = command.spawn().expect("it starts");
        until("the client starts", || runs(&mark));
        let id = briefing.id().to_string();
        let sent = std::process::Command::new("kill").args(["-s", signal, &id]).status().expect("kill is there");
        assert!(sent.success());
        assert_eq!(briefing.wait().expect("it ends").code(), code, "{fence:?} {signal}");
        until("the client ends", || !runs(&mark));
        let left = || fs::read_dir(&temporary).expect("a directory").flatten().map(|entry| entry.path());
        until("the copy is removed", || match code {
            Some(_) => left().next().is_none(),
            None => files_in(&temporary).is_empty(),
        });
    }
}

#[test]
fn nothing_that_a_client_does_reaches_the_workspace_the_home_or_its_program() {
    for fence in FENCES {
        let place = place(
            r#"touch made ~/made; echo >> AGENTS.md; echo >> NOTES.md; rm -rf src; echo '# new' >> "$0"
            xdg-open http://x.y/ && text=opened
            send /v1/responses "$(rules "$(tr -d '\n' < AGENTS.md)$text")""#,
        );
        let before = tree(&place);
        let (code, words) = said(&verify(&place, fence, &[]));
        let after = tree(&place);
        let own = |tree: &[String]| tree.iter().filter(|line| line.contains("bin/codex")).cloned().collect::<Vec<_>>();
        if own(&before) == own(&after) {
            assert_eq!((code, before), (Some(0), after), "{words}");
        } else {
            // Where there is no root of its own, it is seen.
            assert!(code == Some(2) && words.contains("changed while it was asked"), "{words}");
            let others =
                |tree: Vec<String>| tree.into_iter().filter(|line| !line.contains("bin/codex")).collect::<Vec<_>>();
            assert_eq!(others(before), others(after));
        }
    }
}

/// Every file below the scratch directory with its text.
fn tree(place: &Place) -> Vec<String> {
    let files = files_in(&place.root).into_iter();
    files.map(|path| format!("{} {:?}", path.display(), fs::read(&path).expect("a file"))).collect()
}

/// Every file below a directory, also while others remove some.
fn files_in(dir: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![dir.to_owned()];
    while let Some(dir) = todo.pop() {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { todo.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

#[test]
fn credentials_and_what_would_start_programs_are_not_in_the_copy() {
    let place = place(
        r#"text=$(cat AGENTS.md)$(cat ~/.codex/auth.json ~/.codex/.env 2>/dev/null)$(cat ~/.codex/config.toml)$OPENAI_API_KEY
        [ -e ~/.codex/config.toml ] || text="no settings"
        send /v1/responses "$(rules "$text")""#,
    );
    for fence in FENCES {
        let (code, words) = said(&verify(&place, fence, &[]));
        assert!(code == Some(0) && words.starts_with(EQUAL), "{fence:?}: {words}");
    }
}

#[test]
fn links_that_lead_out_of_the_copy_are_not_written_through() {
    // A link within the repository; and a work tree whose pointer goes through a link to a directory.
    for pointer in ["", "gitdir: trees/own\n"] {
        let place = place("true");
        let at = |path: &str| place.root.join(path);
        fs::create_dir_all(at("home/trees/own")).expect("a directory");
        fs::write(at("home/trees/own/HEAD"), "ref: refs/heads/own\n").expect("it is written");
        fs::write(at("home/trees/own/config"), "[user]\n\tname = me\n").expect("it is written");
        if pointer.is_empty() {
            symlink(at("home/trees/own/config"), at("project/.git/config")).expect("a link");
        } else {
            fs::remove_dir_all(at("project/.git")).expect("it goes");
            fs::write(at("project/.git"), pointer).expect("it is written");
            symlink(at("home/trees"), at("project/trees")).expect("a link");
        }
        let before = tree(&place);
        for fence in FENCES {
            let program = at("bin/codex").display().to_string();
            let arguments = [&["verify", "opencode@1.18.33", "--yes", "--program", &program], fence].concat();
            let (_, words) = said(&place.run("project", &arguments));
            assert!(words.contains("could not be compared"), "{pointer}{fence:?}: {words}");
            assert_eq!(before, tree(&place), "{pointer}{fence:?}");
        }
    }
}

#[test]
fn nothing_is_run_without_a_yes_or_because_it_lies_in_the_workspace() {
    let place = place("touch ran");
    let program = place.root.join("bin/codex").display().to_string();
    let path = place.root.join("project/bin");
    fs::create_dir(&path).expect("a directory");
    fs::copy(&program, path.join("codex")).expect("it is copied");
    symlink(path.join("codex"), place.root.join("home/codex")).expect("a link");
    let linked = place.root.join("home");
    for (arguments, path, words) in [
        (vec!["verify", "codex", "--program", &program], "", "pass --yes to run it"),
        (vec!["verify", "codex", "--yes"], path.to_str().expect("UTF-8"), "is part of this workspace"),
        (vec!["verify", "codex", "--yes", "--cwd", "src"], path.to_str().expect("UTF-8"), "is part of this workspace"),
        (vec!["verify", "codex", "--yes"], linked.to_str().expect("UTF-8"), "is part of this workspace"),
        (vec!["verify", "codex", "--yes"], "/nowhere", "there is no `codex` on PATH"),
        (vec!["verify", "zed", "--yes"], "", "Zed cannot be asked"),
        (vec!["verify", "codex", "none.rs", "--yes"], "", "none.rs does not exist"),
        (vec!["verify", "codex", "--yes", "--program", "/nowhere/codex"], "", "there is no file /nowhere/codex"),
    ] {
        let output = place.command("project", &arguments).env("PATH", path).output().expect("the program runs");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && error.contains(words), "{arguments:?}: {error}");
    }
}

/// A project may put programs of its own on `PATH`, as `npx` and `direnv` do.
#[test]
fn no_program_of_the_workspace_is_run_before_or_after_the_question() {
    let place = place(r#"node; git; send /v1/responses "$(rules "$(cat AGENTS.md)")""#);
    let bin = place.root.join("project/node_modules/.bin");
    fs::create_dir_all(&bin).expect("a directory");
    for name in ["unshare", "true", "setpriv", "sh", "env", "node", "git"] {
        fs::write(bin.join(name), format!("#!/bin/sh\necho {name} \"$@\" >> {}/ran\n", place.root.display()))
            .expect("it is written");
        fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).expect("it can be run");
    }
    let program = place.root.join("bin/codex").display().to_string();
    for (answer, more) in [("n\n", None), ("", Some("--yes")), ("", Some("--suite"))] {
        let mut arguments = vec!["verify", "codex@0.169.0", "--program", &program];
        arguments.extend(more);
        let mut command = place.command("project", &arguments);
        command.env("PATH", format!("{}:/usr/bin:/bin", bin.display())).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("it starts");
        // It may have ended without reading.
        let _ = child.stdin.take().expect("piped").write_all(answer.as_bytes());
        child.wait_with_output().expect("it ends");
        assert!(
            !place.root.join("ran").exists(),
            "{answer:?} {more:?}: {:?}",
            fs::read_to_string(place.root.join("ran"))
        );
    }
}

#[test]
fn a_client_that_agrees_in_everything_is_remembered_and_its_answers_say_so() {
    let place = place(
        r#"text=$("${0%/*}/briefing" show --harness codex@9.9.9 --format json | sed -n 's/^ *"text": \(".*"\),$/\1/p' | head -n 1)
        [ -z "$text" ] || text='{"role": "user", "content": [{"type": "input_text", "text": '$text'}]}'
        send /v1/responses "{\"input\": [$text]}""#,
    );
    // A client finds nothing elsewhere but what lies beside its own program.
    fs::copy(env!("CARGO_BIN_EXE_briefing"), place.root.join("bin/briefing")).expect("it is copied");
    // What a server says is never known, and would be a doubt.
    fs::write(place.root.join("home/.codex/config.toml"), "notify = [\"touch\"]\n").expect("it is written");
    let package = r#"{"name": "@openai/codex", "version": "9.9.9"}"#;
    fs::write(place.root.join("bin/package.json"), package).expect("it is written");
    let (path, program) = (place.root.join("bin"), place.root.join("bin/codex").display().to_string());
    let says = |arguments: &[&str]| {
        let output = place.command("project", arguments).env("PATH", &path).output().expect("the program runs");
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let show = ["show", "--harness", "codex", "-v"];
    let suite = ["verify", "codex", "--suite", "--yes", "--program", &program];
    assert!(says(&show).contains(" · unchecked\n"));
    let words = says(&suite);
    assert_eq!(
        words,
        "Codex 9.9.9: 12 of 12 questions equal; from now on its answers read: exact, verified on this machine\n"
    );
    assert!(says(&show).contains(" · exact (verified on this machine, 20"), "{}", says(&show));
    assert!(says(&["show", "--harness", "codex", "--format", "json"]).contains("\"here\": true"));
    let list = says(&["harnesses", "--harness", "codex"]);
    assert!(list.contains("9.9.9") && list.contains("  this machine  20"), "{list}");
    // Another program is another client, whatever it says that it is.
    fs::write(&program, "#!/bin/bash\necho 'Please log in.'\nexit 1\n").expect("it is written");
    assert!(says(&show).contains(" · unchecked\n"));
    let words = says(&suite);
    assert!(words.ends_with("\nCodex 9.9.9: 0 of 12 questions equal\n") && words.contains("Please log in."), "{words}");
    assert!(says(&show).contains(" · unchecked\n"));
}

/// An early Gemini CLI would ask a proxy for its model, too, and never reach it; what else it asks for must lead
/// nowhere all the same.
#[test]
fn an_early_gemini_cli_has_no_proxy_where_its_network_is_its_own() {
    let place = Place::new(&[
        ("project/GEMINI.md", "Rules."),
        ("home/.profile", ""),
        (
            "bin/gemini",
            "#!/bin/bash\necho \"$(readlink /proc/self/ns/net) <$HTTP_PROXY$HTTPS_PROXY$https_proxy>\"; exit 1\n",
        ),
    ]);
    let program = place.root.join("bin/gemini");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it can be run");
    let network = fs::read_link("/proc/self/ns/net").expect("it is there").display().to_string();
    for (version, fence) in [("0.43.0", FENCES[0]), ("0.43.0", FENCES[1]), ("0.44.0", FENCES[0])] {
        let (harness, program) = (format!("gemini-cli@{version}"), program.display().to_string());
        let (_, words) =
            said(&place.run("project", &[&["verify", &harness, "--yes", "--program", &program], fence].concat()));
        assert!(words.contains("net:["), "{words}");
        let is_alone = !words.contains(&network);
        assert_eq!(words.contains("<>"), version == "0.43.0" && is_alone, "{version} {fence:?}: {words}");
    }
}
