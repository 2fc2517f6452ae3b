//! Runs every case file: what it shows must be what Briefing answers, byte for byte.
//!
//! `CASES=codex/global` runs only the files whose path below `tests/cases` holds that text. `UPDATE=1` rewrites the
//! golden sections that were not recorded from a real client, and says which.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use briefing::answer::{Fate, MessageKind, Resolution, Standpoint, Surroundings};
use briefing::harness::custom::Customs;
use briefing::queries::declarations::Declarations;
use briefing::queries::roster::{self, Reasons, Roster};
use briefing::query::{self, Query};
use briefing::report::briefing::{self as wire, Include};
use briefing::report::case::escape;
use briefing::request::{Defaults, OneOrMany, Places, Request};
use briefing::resolve::{Outcome, resolve};
use sha2::{Digest, Sha256};

use crate::actions;
use crate::findings;
use crate::messages::Messages;
use crate::world::{Case, World};

const GOLDEN: [&str; 17] = [
    "@text",
    "@hash",
    "@skills",
    "@environment",
    "@layers",
    "@agents",
    "@reminders",
    "@called",
    "@sources",
    "@warnings",
    "@json",
    "@messages",
    "@problems",
    "@diagnostics",
    "@actions",
    "@workspace",
    "@roster",
];

#[test]
fn every_case_is_answered_as_it_says() {
    let wanted = std::env::var("CASES").unwrap_or_default();
    let update = std::env::var("UPDATE").is_ok_and(|value| value == "1");
    let mut failures = Vec::new();
    let mut messages = Messages::default();
    let mut run = 0;
    for path in case_files() {
        if !is_wanted(&path, &wanted) {
            continue;
        }
        run += 1;
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let problems = check(&path, &text, update, &mut messages);
        failures.extend(problems.into_iter().map(|problem| format!("{}\n{problem}", path.display())));
    }
    assert!(run > 0, "no case matches CASES={wanted}");
    assert!(failures.is_empty(), "{} of {run} cases differ:\n\n{}", failures.len(), failures.join("\n"));
    if wanted.is_empty() {
        messages.are_those_of_the_snapshot(update);
    }
}

#[test]
fn every_case_file_is_written_as_the_format_says() {
    for path in case_files() {
        let text = std::fs::read_to_string(&path).expect("a case is UTF-8");
        let case = Case::parse(&text);
        assert_eq!(case.format(), text, "{}", path.display());
        assert!(
            case.sections.iter().any(|section| GOLDEN.contains(&section.words().0) || section.words().0 == "@unfolded"),
            "{}: asks nothing",
            path.display()
        );
    }
}

/// Where the cases are.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

/// Whether `CASES` names a case: the directory that the repository was cloned into has no say in that.
fn is_wanted(path: &Path, wanted: &str) -> bool {
    path.strip_prefix(folder()).is_ok_and(|path| path.to_string_lossy().contains(wanted))
}

#[test]
fn a_case_is_named_by_its_path_below_the_folder_of_cases() {
    let case = folder().join("codex/a_case.txt");
    for (wanted, named) in [("", true), ("codex/", true), ("a_case", true), ("tests/", false), ("pi/", false)] {
        assert_eq!(is_wanted(&case, wanted), named, "{wanted}");
    }
    assert!(!is_wanted(Path::new("/home/me/pi/tests/other/codex/a_case.txt"), "pi/"));
}

/// Every case file, in order.
pub fn case_files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for harness in std::fs::read_dir(folder()).expect("the cases are there") {
        let dir = harness.expect("an entry").path();
        if dir.is_dir() {
            files.extend(std::fs::read_dir(&dir).expect("a directory").map(|file| file.expect("an entry").path()));
        }
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "txt"));
    files.sort();
    files
}

fn check(path: &Path, text: &str, update: bool, messages: &mut Messages) -> Vec<String> {
    let mut case = Case::parse(text);
    let world = World::of(&case);
    let observed: Vec<String> =
        case.all("@observed").map(|(client, _)| client.split(' ').next().unwrap_or_default().to_owned()).collect();
    let mut problems = Vec::new();
    let mut fresh = Vec::new();
    for (index, section) in case.sections.iter().enumerate() {
        let (word, ask) = section.words();
        if !GOLDEN.contains(&word) {
            continue;
        }
        let actual = match word {
            "@diagnostics" => {
                let said = findings::diagnostics(&case, &world, ask);
                messages.of_findings(&said);
                escape(&said)
            }
            "@actions" => escape(&actions::offered(&case, &world, ask)),
            "@workspace" => escape(&actions::for_workspace(&world, ask)),
            "@problems" => problems_of(&world, ask),
            "@roster" => roster_of(&case, &world, ask),
            _ => match answer(&case, &world, ask) {
                Ok(resolution) => {
                    messages.of_answer(&resolution);
                    problems
                        .extend(at_odds(&resolution).map(|what| format!("  -- {} --\n    {what}\n", section.header)));
                    golden(word, &resolution)
                }
                Err(problem) => format!("{problem}\n"),
            },
        };
        if actual == section.body {
            continue;
        }
        let harness = ask.split([' ', '@']).next().unwrap_or_default();
        let recorded = matches!(
            word,
            "@text" | "@hash" | "@skills" | "@environment" | "@layers" | "@agents" | "@reminders" | "@called"
        ) && observed.iter().any(|client| client == harness);
        if update && !recorded {
            fresh.push((index, actual));
        } else {
            problems.push(format!("  -- {} --\n{}", section.header, difference(&section.body, &actual)));
        }
    }
    if !fresh.is_empty() {
        for (index, body) in fresh {
            let section = &mut case.sections[index];
            // Seen with `-- --nocapture`, and where the test fails over something else.
            println!(
                "UPDATE=1 rewrites {}: -- {} --\n{}",
                path.display(),
                section.header,
                difference(&section.body, &body)
            );
            section.body = body;
        }
        std::fs::write(path, case.format()).expect("UPDATE=1 can write the case");
    }
    problems
}

/// What an answer says of a source that cannot be: of a file that is cut some bytes are lost, of one that is left out
/// all are.
fn at_odds(resolution: &Resolution) -> impl Iterator<Item = String> {
    resolution.answer.sources.iter().filter_map(|source| {
        let kept: usize = source.kept.iter().map(ExactSizeIterator::len).sum();
        let all = source.size.map_or(0, |size| size.bytes);
        let wrong = match source.fate {
            Fate::Truncated => kept >= all,
            Fate::Loaded | Fate::Listed | Fate::Pending => false,
            Fate::Dropped | Fate::Shadowed | Fate::Empty | Fate::Excluded | Fate::Missing | Fate::Unreadable => {
                kept > 0
            }
        };
        wrong.then(|| format!("{} is {:?}, and {kept} of {all} bytes are kept", source.place, source.fate))
    })
}

/// `HARNESS[@EDITION] from CWD [reading FILE] [by TOOL] [as AGENT] [after FILE]... [already FILE]...` in this world.
pub fn answer(case: &Case, world: &World, ask: &str) -> Result<Resolution, String> {
    let (request, mut defaults, places) = question(case, ask);
    defaults.customs = Arc::new(customs(world, &places.cwd));
    let questions = request.questions(&defaults, &places)?;
    let [(choice, standpoint), ..] = questions.as_slice() else { return Err("nobody is asked".to_owned()) };
    let call = ask.split_once(" calling ").map(|(_, name)| name.replace("\\s", " "));
    match resolve(world, choice, &Standpoint { call, ..standpoint.clone() }) {
        Outcome::Answer(resolution) => Ok(*resolution),
        Outcome::Pending(asks) => panic!("everything was told, and yet {asks:?}"),
    }
}

/// The harnesses that the tree declares for an agent that is started in `cwd`.
fn customs(world: &World, cwd: &Path) -> Customs {
    Customs::of(found(world, &Declarations::of(cwd)).as_ref(), &toml::Table::new())
}

/// The result of a query in this world.
pub fn found<Q: Query>(world: &World, query: &Q) -> Q::Out {
    match query::run(world, query) {
        Outcome::Answer(found) => found.value,
        Outcome::Pending(asks) => panic!("everything was told, and yet {asks:?}"),
    }
}

/// `@problems custom from CWD`: what is wrong with the declarations there.
fn problems_of(world: &World, ask: &str) -> String {
    let cwd = ask.rsplit(' ').next().unwrap_or_default();
    let found = customs(world, Path::new(cwd));
    found.problems.iter().map(|problem| format!("{problem}\n")).collect()
}

/// `@roster CWD [EXTENSION]...`: the harnesses that are used there, where the editor has these extensions; each with
/// what speaks for it.
fn roster_of(case: &Case, world: &World, ask: &str) -> String {
    let mut words = ask.split(' ').map(str::to_owned);
    let cwd = PathBuf::from(words.next().expect("@roster says where"));
    let found = found(world, &Reasons::of(&cwd, &case.home(), &Arc::new(case.env())));
    let roster = Roster::of(&found, &customs(world, &cwd), &words.collect::<Vec<_>>());
    let mut out = String::new();
    for used in &roster.mine {
        let proof = |reason: &roster::Reason| {
            let path = reason.path.as_ref().map(|path| path.display().to_string());
            let proof = path.or_else(|| reason.name.clone()).map_or_else(String::new, |proof| format!(" {proof}"));
            format!("{}{proof}", reason.what.word())
        };
        let because: Vec<String> = used.because.iter().map(proof).collect();
        let because = if because.is_empty() { "assumed".to_owned() } else { because.join(", ") };
        let workspace =
            used.workspace.as_ref().map_or_else(String::new, |dir| format!("; workspace {}", dir.display()));
        let _ = writeln!(out, "{:<14} {because}{workspace}", used.id);
    }
    out
}

/// The question that an ASK is.
pub fn question(case: &Case, ask: &str) -> (Request, Defaults, Places) {
    let words: Vec<String> = ask.split(' ').map(|word| word.replace("\\s", " ")).collect();
    let pairs: Vec<(&str, &str)> = words[1..].chunks(2).map(|pair| (pair[0].as_str(), pair[1].as_str())).collect();
    let one = |key: &str| pairs.iter().find(|(word, _)| *word == key).map(|(_, value)| PathBuf::from(value));
    let mut request: Request = case
        .all("@settings")
        .next()
        .map_or_else(Request::default, |(_, json)| serde_json::from_str(json).expect("@settings is JSON"));
    request.harness = Some(OneOrMany::One(words[0].to_owned()));
    let word_of = |key: &str| pairs.iter().find(|(word, _)| *word == key).map(|(_, value)| (*value).to_owned());
    let all = |key: &str| pairs.iter().filter(|(word, _)| *word == key).map(|(_, file)| PathBuf::from(file)).collect();
    request.tool = word_of("by").or(request.tool);
    request.agent = word_of("as").or(request.agent);
    if let Some((kind, _)) = case.all("@session").next() {
        request.session = Some(kind.to_owned());
    }
    let defaults = Defaults {
        home: case.home(),
        env: Arc::new(case.env()),
        surroundings: Surroundings {
            date: (2026, 11, 21),
            time_zone: "Etc/UTC".into(),
            shell: "bash".into(),
            platform: "linux".into(),
        },
        enabled: Vec::new(),
        roster: Arc::default(),
        editor: Vec::new(),
        customs: Arc::default(),
        installed: Default::default(),
        sessions: BTreeMap::new(),
    };
    let places = Places {
        cwd: one("from").expect("ASK says from where"),
        target: one("reading"),
        read_before: all("after"),
        already_loaded: all("already"),
    };
    (request, defaults, places)
}

fn golden(word: &str, resolution: &Resolution) -> String {
    let answer = &resolution.answer;
    let instructions = || answer.messages.iter().filter(|message| message.kind == MessageKind::Instructions);
    let mut out = String::new();
    match word {
        "@text" | "@hash" if answer.refusal.is_some() => {
            out.push_str(if word == "@text" { ">>> refused\n" } else { "refused\n" })
        }
        "@text" | "@hash" if instructions().next().is_none() => {
            out.push_str(if word == "@text" { ">>> nothing\n" } else { "nothing\n" })
        }
        "@text" => {
            for message in instructions() {
                let _ = writeln!(out, ">>> {} {}\n{}", message.trigger, message.role, escape(&message.text));
            }
        }
        "@environment" | "@layers" if answer.refusal.is_some() => out.push_str(">>> refused\n"),
        "@skills" | "@environment" | "@called" => {
            let kind = match word {
                "@skills" => MessageKind::Skills,
                "@environment" => MessageKind::Environment,
                _ => MessageKind::Call,
            };
            for message in answer.messages.iter().filter(|message| message.kind == kind) {
                // A prompt of the client's own is measured in its name.
                let name = message.name.as_deref().unwrap_or_default();
                let measured = name.find('(').filter(|_| message.text.is_empty()).map(|at| name[at..].to_owned());
                let text = measured.unwrap_or_else(|| escape(&message.text));
                let _ = writeln!(out, ">>> {} {}\n{text}", message.trigger, message.role);
            }
            if out.is_empty() {
                out.push_str(">>> nothing\n");
            }
        }
        "@layers" => {
            for message in &answer.messages {
                let is_layer =
                    matches!(message.kind, MessageKind::Developer | MessageKind::Agent | MessageKind::Agents);
                if is_layer && !message.text.is_empty() {
                    let (trigger, role, kind) = (message.trigger, message.role, message.kind);
                    let _ = writeln!(out, ">>> {trigger} {role} {kind}\n{}", escape(&message.text));
                }
            }
            if out.is_empty() {
                out.push_str(">>> nothing\n");
            }
        }
        "@agents" => {
            let mut names: Vec<&str> = answer.agents.iter().map(|agent| agent.name.as_str()).collect();
            names.sort_unstable();
            out.extend(names.into_iter().map(|name| format!("{name}\n")));
        }
        "@messages" => {
            for message in &answer.messages {
                let name = message.name.as_deref().unwrap_or_default();
                let head = format!("{} {} {} {name}", message.trigger, message.role, message.kind);
                let _ = writeln!(out, ">>> {}", head.trim_end());
                if !message.text.is_empty() {
                    let _ = writeln!(out, "{}", escape(&message.text));
                }
            }
        }
        "@hash" => {
            for message in instructions() {
                let _ = writeln!(out, "{} {} {}", message.trigger, message.role, measure(&message.text.to_string()));
            }
        }
        "@reminders" => {
            for message in answer.messages.iter().filter(|message| message.kind == MessageKind::Reminder) {
                // What is not shown is measured in its name: `plan (1411 bytes, SHA-256 …)`.
                let name = message.name.as_deref().unwrap_or_default();
                let words: Vec<&str> = name.split(|c: char| !c.is_ascii_alphanumeric()).collect();
                let measured = match words.iter().position(|word| *word == "bytes") {
                    Some(at) if message.text.is_empty() => format!("{} {}", words[at - 1], words[words.len() - 2]),
                    _ => measure(&message.text.to_string()),
                };
                let _ = writeln!(out, "{} {} {measured}", message.trigger, message.role);
            }
            if out.is_empty() {
                out.push_str("nothing\n");
            }
        }
        "@sources" => {
            if let Some(refusal) = &answer.refusal {
                let _ = writeln!(out, "refused    {}  {}", refusal.path.display(), refusal.message);
            }
            for source in &answer.sources {
                let _ = writeln!(out, "{:<10} {}  {}", source.fate, source.place, source.reason);
            }
        }
        "@warnings" => {
            for warning in &answer.warnings {
                let _ = writeln!(out, "{}  {}", warning.code, warning.message);
            }
            if let Some(reason) = &answer.files_only {
                let _ = writeln!(out, "not-exact  {reason}");
            }
        }
        "@json" => {
            let briefing = wire::briefing(resolution, Include { text: true, trace: false });
            let _ = writeln!(out, "{}", serde_json::to_string_pretty(&briefing).expect("plain data"));
        }
        other => unreachable!("{other} is not golden"),
    }
    out
}

/// How long a text is, in bytes, and its hash.
fn measure(text: &str) -> String {
    let hash: String = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{} {hash}", text.len())
}

/// The lines that differ, with one line around.
fn difference(expected: &str, actual: &str) -> String {
    let (expected, actual): (Vec<_>, Vec<_>) = (expected.lines().collect(), actual.lines().collect());
    let same_before = expected.iter().zip(&actual).take_while(|(one, other)| one == other).count();
    let rest = expected.len().min(actual.len()) - same_before;
    let same_after =
        expected.iter().rev().zip(actual.iter().rev()).take(rest).take_while(|(one, other)| one == other).count();
    let mut out = String::new();
    for line in &expected[same_before.saturating_sub(1)..same_before] {
        let _ = writeln!(out, "      {line}");
    }
    for line in expected[same_before..expected.len() - same_after].iter().take(40) {
        let _ = writeln!(out, "    - {line}");
    }
    for line in actual[same_before..actual.len() - same_after].iter().take(40) {
        let _ = writeln!(out, "    + {line}");
    }
    out
}
