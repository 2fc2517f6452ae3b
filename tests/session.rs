//! Sessions step by step: what a recorded reading after others brings is what its step adds, and every step says what
//! it does.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use briefing::answer::{Certain, Message, Standpoint, Tool, Trigger};
use briefing::harness::Changed;
use briefing::report::session::SessionStep;
use briefing::request::Places;
use briefing::resolve::{Outcome, resolve};
use briefing::session::{Run, Step, Turn, unfold};

use serde_json::{Value, json};

use crate::cases::{answer, case_files, question};
use crate::client::tests;
use crate::place::Place;
use crate::protocol::editor::Editor;
use crate::world::{Case, World};

/// The session of a case, from where `ask` starts it.
fn session(case: &Case, world: &World, ask: &str, steps: &[Step]) -> Result<Vec<Turn>, String> {
    let (request, defaults, places) = question(case, ask);
    let places = Places { target: None, read_before: Vec::new(), already_loaded: Vec::new(), ..places };
    let (choice, start) = request.questions(&defaults, &places)?.pop().expect("one harness is asked");
    unfold(&choice, start, steps, &|at: &Standpoint| match resolve(world, &choice, at) {
        Outcome::Answer(found) => Arc::from(found),
        Outcome::Pending(asks) => panic!("everything was told, and yet {asks:?}"),
    })
}

fn read(file: &str) -> Step {
    Step::Reach(Tool::Read, file.into())
}

fn texts(messages: &[Message]) -> Vec<String> {
    messages.iter().map(|message| message.text.to_string()).collect()
}

#[test]
fn a_step_adds_what_a_reading_after_others_was_recorded_to_bring() {
    let mut compared = 0;
    for path in case_files() {
        let text = std::fs::read_to_string(&path).expect("a case");
        if !text.contains(" after /") {
            continue;
        }
        let case = Case::parse(&text);
        let world = World::of(&case);
        let asks = ["@text", "@hash"].iter().flat_map(|word| case.all(word)).map(|(ask, _)| ask);
        for ask in asks.filter(|ask| ask.contains(" after /") && !ask.contains(" already /")) {
            let (_, _, places) = question(&case, ask);
            let recorded = answer(&case, &world, ask).expect("an answer");
            let brings = recorded.answer.messages.iter().filter(|message| message.trigger != Trigger::Session);
            let brings: Vec<Message> = brings.cloned().collect();
            let files = places.read_before.iter().cloned().map(|file| Step::Reach(Tool::Read, file));
            let target = places.target.iter().cloned().map(|file| Step::Reach(recorded.standpoint.tool, file));
            let steps: Vec<Step> = files.chain(target).collect();
            let turns = session(&case, &world, ask, &steps).expect("a session");
            assert_eq!(texts(&turns[steps.len()].messages), texts(&brings), "{}: {ask}", path.display());
            compared += 1;
        }
    }
    assert!(compared > 8, "{compared} recorded readings after others");
}

/// The step of `WORD:VALUE`.
fn step_of(step: &str) -> Step {
    let (word, value) = step.split_once(':').unwrap_or((step, ""));
    let reach = |tool| Step::Reach(tool, value.into());
    match word {
        "compact" => Step::Compact,
        "resume" => Step::Resume,
        "read" => reach(Tool::Read),
        "edit" => reach(Tool::Edit),
        "write" => reach(Tool::Write),
        "mention" => reach(Tool::Mention),
        "shell" => Step::Run(Run { command: Some(value.to_owned()), dir: None }),
        "together" => Step::Together(value.split(" + ").map(step_of).collect()),
        "change" => Step::Change(value.into()),
        "delete" => Step::Delete(value.into()),
        _ => panic!("a step is {step}"),
    }
}

/// What `@unfolded ASK` expects: the files of which the model has the text after each step. Of a step that is doubted,
/// the recorded line is taken as it is.
fn texts_after_each_step(case: &Case, ask: &str, recorded: &str) -> String {
    let (start, steps): (Vec<&str>, Vec<&str>) = {
        let mut parts = ask.split(" then ");
        (parts.next().into_iter().collect(), parts.collect())
    };
    let taken: Vec<Step> = steps.iter().map(|step| step_of(step)).collect();
    let turns = session(case, &World::of(case), start[0], &taken).expect("a session");
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut changed: Vec<String> = Vec::new();
    let (mut out, mut recorded) = (String::new(), recorded.lines());
    let mut turns = turns.iter();
    for step in ["start"].into_iter().chain(steps) {
        let turn = turns.next().expect("a turn");
        match step.split_once(':') {
            Some(("change", path)) => changed.push(path.to_owned()),
            Some(("delete", _)) => {}
            _ => {
                let line = recorded.next().unwrap_or_default();
                let gone = |path: &String| turn.gone.iter().any(|gone| gone.place.to_string() == *path);
                known.retain(|path| !gone(path));
                known.extend(
                    turn.sources.iter().filter(|source| source.fate.reaches()).map(|source| source.place.to_string()),
                );
                for path in changed.drain(..) {
                    match turn.changed {
                        Some(Changed::Replaced) => known.remove(&path),
                        Some(Changed::Beside) => true,
                        None => panic!("nothing is known of changes at {step}"),
                    };
                    known.insert(format!("{path} (new)"));
                }
                let said: String = known.iter().map(|path| format!(" {path}")).collect();
                let step = step.replacen(':', " ", 1);
                let _ = match &turn.doubt {
                    Some(doubt) if doubt.of == Certain::Set => {
                        let (_, files) = line.rsplit_once(": ").unwrap_or_default();
                        known = files.split(' ').map(str::to_owned).collect();
                        writeln!(out, "{line}")
                    }
                    _ => writeln!(out, "{step}:{said}"),
                };
            }
        }
    }
    out
}

#[test]
fn after_each_step_the_model_has_the_texts_that_the_client_was_recorded_to_send() {
    let mut compared = 0;
    for path in case_files() {
        let text = std::fs::read_to_string(&path).expect("a case");
        let case = Case::parse(&text);
        for (ask, recorded) in case.all("@unfolded") {
            // A message that comes anew as a whole has twice what did not change.
            let once = [" x2", " x3"].iter().fold(recorded.to_owned(), |lines, times| lines.replace(times, ""));
            assert_eq!(texts_after_each_step(&case, ask, &once), once, "{}: {ask}", path.display());
            compared += 1;
        }
    }
    assert!(compared > 5, "{compared} recorded sessions");
}

const TREE: &str = "Two directories with instructions of their own, and a skill.
-- /h/ --
-- /r/.git/HEAD --
ref: refs/heads/main
-- /r/AGENTS.md --
Root.
-- /r/CLAUDE.md --
Of Claude.
-- /r/.claude/skills/tea/SKILL.md --
---
name: tea
description: Makes tea.
---
Boil water.
-- /r/s/AGENTS.md --
Of s.
-- /r/s/CLAUDE.md --
Of s, for Claude.
-- /r/s/x.txt --
x
-- /r/s/y.txt --
y
";

fn unfolded(harness: &str, steps: &[Step]) -> Result<Vec<Turn>, String> {
    let case = Case::parse(TREE);
    session(&case, &World::of(&case), &format!("{harness} from /r"), steps)
}

/// `fate path` of each source.
fn fates(turn: &Turn) -> Vec<String> {
    turn.sources.iter().map(|source| format!("{} {}", source.fate.word(), source.place)).collect()
}

#[test]
fn what_a_step_brought_is_not_sent_again_until_it_is_summed_up() {
    for (harness, file, is_read_again) in
        [("opencode", "/r/s/AGENTS.md", false), ("claude-code", "/r/s/CLAUDE.md", true)]
    {
        let steps = [read("/r/s/x.txt"), read("/r/s/y.txt"), Step::Compact, read("/r/s/y.txt")];
        let turns = unfolded(harness, &steps).expect("a session");
        let (loaded, dropped) = (format!("loaded {file}"), format!("dropped {file}"));
        assert!(fates(&turns[1]).contains(&loaded), "{harness}: {:?}", fates(&turns[1]));
        assert!(turns[1].messages.iter().any(|message| message.text.contains("Of s")), "{harness}");
        assert!(fates(&turns[2]).contains(&dropped), "{harness}: {:?}", fates(&turns[2]));
        assert!(turns[2].messages.iter().all(|message| !message.text.contains("Of s")), "{harness}");
        assert_eq!(turns[3].gone.is_empty(), is_read_again, "{harness}");
        assert_eq!(fates(&turns[3]).contains(&loaded), is_read_again, "{harness}: {:?}", fates(&turns[3]));
        assert_eq!(fates(&turns[4]).contains(&loaded), !is_read_again, "{harness}: {:?}", fates(&turns[4]));
        assert_eq!(turns.iter().filter(|turn| turn.doubt.is_some()).count(), usize::from(is_read_again), "{harness}");
    }
}

#[test]
fn a_sub_agent_has_a_context_of_its_own_and_another_agent_takes_over() {
    let steps =
        [read("/r/s/x.txt"), Step::Subagent("Explore".to_owned()), read("/r/s/y.txt"), Step::Agent("plan".to_owned())];
    let turns = unfolded("claude-code", &steps).expect("a session");
    assert!(turns[2].messages.iter().all(|message| !message.text.contains("Of Claude")), "{:?}", turns[2].messages);
    assert!(fates(&turns[3]).contains(&"dropped /r/s/CLAUDE.md".to_owned()), "the session goes on as it was");
    let turns = unfolded("opencode", &steps[3..]).expect("a session");
    assert_eq!(turns[1].answer.standpoint.agent.as_deref(), Some("plan"));
    assert!(
        turns[1].sources.is_empty() && turns[1].gone.is_empty(),
        "no file is another for it: {:?}",
        fates(&turns[1])
    );
}

#[test]
fn a_skill_is_called_by_its_name_and_one_that_is_not_listed_is_an_error() {
    let turns = unfolded("claude-code", &[Step::Skill("tea".to_owned())]).expect("a session");
    assert_eq!(fates(&turns[1]), ["loaded /r/.claude/skills/tea/SKILL.md"]);
    assert!(turns[1].doubt.is_none());
    assert_eq!(texts(&turns[1].messages), ["Base directory for this skill: /r/.claude/skills/tea\n\nBoil water.\n"]);
    let called = Step::Skill("tea".to_owned());
    let twice = unfolded("claude-code", &[called.clone(), called]).expect("a session");
    assert!(twice[2].doubt.is_some(), "whether it is sent again was not asked");
    let problem = unfolded("claude-code", &[read("/r/s/x.txt"), Step::Skill("coffee".to_owned())]);
    assert_eq!(problem.err().as_deref(), Some("step 2: Claude Code lists no skill coffee; it lists tea"));
}

#[test]
fn what_happens_together_is_one_step_and_a_command_adds_nothing() {
    let together = Step::Together(vec![read("/r/s/x.txt"), Step::Run(Run { command: None, dir: Some("/r/s".into()) })]);
    let turns = unfolded("opencode", &[together, Step::Resume]).expect("a session");
    assert_eq!(turns.len(), 3);
    assert!(fates(&turns[1]).contains(&"loaded /r/s/AGENTS.md".to_owned()), "{:?}", fates(&turns[1]));
    assert!(turns[2].messages.is_empty() && turns[2].gone.is_empty(), "it goes on as it was");
    let two = [Step::Together(vec![read("/r/s/x.txt"), read("/r/s/y.txt")])];
    for (harness, why) in [("opencode", "at the same time"), ("gemini-cli", "was not asked")] {
        let doubt = unfolded(harness, &two).expect("a session").remove(1).doubt;
        assert!(doubt.as_ref().is_some_and(|doubt| doubt.why.contains(why)), "{harness}: {doubt:?}");
    }
    assert!(turns[2].doubt.is_none());
}

#[test]
fn what_goes_on_keeps_what_the_client_was_seen_to_keep() {
    let lasts = |harness: &str| {
        let turns = unfolded(harness, &[read("/r/s/x.txt"), Step::Resume, Step::Compact]).expect("a session");
        [&turns[2], &turns[3]].map(|turn| (turn.messages.len(), turn.gone.len(), turn.doubt.is_some()))
    };
    assert_eq!(lasts("codex"), [(0, 0, false), (0, 0, false)]);
    assert_eq!(lasts("claude-code"), [(0, 0, false), (0, 1, false)]);
    assert_eq!(lasts("opencode"), [(0, 0, false), (0, 1, false)]);
    assert_eq!(lasts("copilot-cli"), [(0, 2, false), (0, 0, true)]);
    assert_eq!(lasts("qwen-code@0.24.4"), [(0, 0, false), (0, 0, false)]);
    assert!(!lasts("gemini-cli")[0].2 && lasts("gemini-cli")[1].2);
    assert_eq!(lasts("cline"), [(0, 0, false), (0, 0, true)]);
    // Of an earlier version nobody has asked.
    assert!(lasts("claude-code@2.1.300")[0].2 && lasts("goose")[0].2);
}

#[test]
fn a_step_has_one_field() {
    let place = |name: &str| if name == "gone" { Err("there is no gone".to_owned()) } else { Ok(PathBuf::from(name)) };
    let parsed = |json: &str| serde_json::from_str::<SessionStep>(json).expect("a step").parsed(&place);
    assert_eq!(parsed(r#"{"read": "a"}"#), Ok(read("a")));
    assert_eq!(
        parsed(r#"{"shell": "ls", "cwd": "d"}"#),
        Ok(Step::Run(Run { command: Some("ls".to_owned()), dir: Some("d".into()) }))
    );
    assert_eq!(
        parsed(r#"{"together": [{"read": "a"}, {"compact": true}]}"#),
        Ok(Step::Together(vec![read("a"), Step::Compact]))
    );
    assert_eq!(parsed(r#"{"edit": "gone"}"#), Err("there is no gone".to_owned()));
    assert_eq!(parsed(r#"{"read": "a", "cwd": "d"}"#), Err("`cwd` belongs beside `shell`".to_owned()));
    for wrong in ["{}", r#"{"read": "a", "edit": "b"}"#] {
        assert!(parsed(wrong).is_err_and(|problem| problem.starts_with("a step has one of read, edit")), "{wrong}");
    }
    let unknown = serde_json::from_str::<SessionStep>(r#"{"reed": "a"}"#);
    assert!(unknown.is_err_and(|error| error.to_string().contains("`reed`")));
}

#[test]
fn the_command_says_each_step_and_takes_them_in_their_order() {
    let place = Place::new(&[
        ("home/project/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/project/CLAUDE.md", "Root.\n"),
        ("home/project/s/CLAUDE.md", "Of s.\n"),
        ("home/project/s/x.txt", "x\n"),
        ("home/project/s/y.txt", "y\n"),
        ("home/project/steps", "# As it was.\nread s/x.txt + read s/y.txt\n\ncompact\n"),
        ("home/project/wrong", "read s/x.txt\nlook s\n"),
    ]);
    let said = |arguments: &[&str]| {
        let all = [&["session", "--harness", "claude-code"], arguments].concat();
        let output = place.run("home/project", &all);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let (code, out, _) = said(&["--read", "s/x.txt", "--compact", "--read", "s/y.txt", "--run", "s"]);
    let (steps, lines): (Vec<&str>, Vec<&str>) =
        out.lines().partition(|line| line.as_bytes().get(2).is_some_and(u8::is_ascii_digit));
    assert_eq!(
        (code, steps),
        (Some(0), vec!["  0  start", "  1  read s/x.txt", "  2  compact", "  3  read s/y.txt", "  4  run s"])
    );
    let file =
        lines.iter().filter(|line| line.contains("s/CLAUDE.md")).map(|line| line.trim_start().split("  ").next());
    assert_eq!(file.collect::<Vec<_>>(), [Some("+ s/CLAUDE.md"), Some("+ s/CLAUDE.md")], "{out}");
    let (code, out, _) = said(&["--steps", "steps", "--format", "json"]);
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(
        (code, &json["steps"][1]["step"]),
        (Some(0), &json!({"together": [{"read": "s/x.txt"}, {"read": "s/y.txt"}]}))
    );
    assert_eq!(json["steps"][2]["sources"].as_array().map(Vec::len), Some(1), "{out}");
    for (arguments, problem) in [
        (["--read", "gone.txt"], "a step: "),
        (["--steps", "wrong"], "--steps: wrong: line 2: `look s` is not a step"),
        (["--steps", "none"], "--steps: none: "),
        (["--skill", "tea"], "step 1: Claude Code lists no skill tea; it lists none"),
    ] {
        let (code, out, said) = said(&arguments);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(said.starts_with(&format!("briefing: {problem}")), "{said}");
    }
}

tests! {
    async fn an_editor_asks_for_a_session() {
        let mut editor = Editor::open().await;
        editor.write("project/CLAUDE.md", "Root.\n");
        editor.write("project/s/CLAUDE.md", "Of s.\n");
        editor.write("project/s/x.txt", "x\n");
        let step = json!({"read": editor.uri("project/s/x.txt")});
        let asked = json!({"harness": "claude-code", "steps": [step], "include": ["text"]});
        let said = editor.ask("briefing/session", asked).await.expect("an answer");
        assert_eq!(said["steps"][0]["step"], json!({"start": true}));
        assert!(said["steps"][0]["messages"][0]["text"].as_str().is_some_and(|text| text.contains("Root.")), "{said}");
        assert_eq!(said["steps"][1]["step"], step);
        assert!(said["steps"][1]["messages"][0]["text"].as_str().is_some_and(|text| text.contains("Of s.")), "{said}");
        for (wrong, problem) in [
            (json!({"harness": ["codex", "claude-code"], "steps": []}), "a session is that of one harness: name it in `harness`"),
            (json!({"harness": "codex", "steps": [step, {}]}), "step 2: a step has one of read,"),
            (json!({"harness": "codex", "steps": [{"read": "not a uri"}]}), "step 1: not a uri"),
        ] {
            let refused = editor.ask("briefing/session", wrong).await.expect_err("a refusal");
            assert!(refused["message"].as_str().is_some_and(|said| said.starts_with(problem)), "{refused}");
        }
        editor.leave().await;
    }
}

#[test]
fn the_home_directory_is_relative_to_where_the_agent_is_started_for_every_command() {
    let place = Place::new(&[
        ("home/project/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/project/h/.codex/AGENTS.md", "From the other home.\n"),
    ]);
    let options = ["--harness", "codex", "--cwd", "project", "--home", "h"];
    for command in [&["show"][..], &["why", "From the other home."], &["report"], &["session"], &["compare"]] {
        let output = place.run("home", &[command, &options].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        // Nothing was committed that could be compared with.
        let is_asked = output.status.success() || command == ["compare"] && said.contains("HEAD");
        assert!(is_asked && !said.contains("--home"), "{command:?}: {said}");
    }
    let found = place.run("home", &[&["session"], &options[..]].concat());
    assert!(String::from_utf8_lossy(&found.stdout).contains("h/.codex/AGENTS.md"), "{found:?}");
}
