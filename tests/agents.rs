//! `briefing agents`: which agents a client has, and what each is told.

use serde_json::Value;

use crate::place::Place;

#[test]
fn each_agent_says_what_it_is_told_and_what_it_is_not() {
    let place = Place::new(&[
        ("home/project/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/project/CLAUDE.md", "Root.\n"),
        (
            "home/project/.claude/agents/rev.md",
            "---\nname: rev\ndescription: d\nmodel: haiku\ntools: Read\n---\nReview.\n",
        ),
        (
            "home/project/opencode.json",
            r#"{"agent": {"mine": {"mode": "subagent", "model": "a/b", "prompt": "Mine."}}}"#,
        ),
    ]);
    let of = |harness: &str| -> Vec<Value> {
        let said = place.prints("home/project", &["agents", "--harness", harness, "--format", "json"]);
        serde_json::from_str(&said).expect("JSON")
    };
    let find =
        |agents: &[Value], name: &str| agents.iter().find(|agent| agent["name"] == name).cloned().expect("an agent");
    let claude = of("claude-code");
    let told = |agent: &Value, field: &str| agent[field].as_array().map_or(0, Vec::len);
    let explore = find(&claude, "Explore");
    assert_eq!((told(&explore, "given"), told(&explore, "notGiven")), (0, 1), "{explore}");
    let rev = find(&claude, "rev");
    assert_eq!((&rev["model"], &rev["tools"], told(&rev, "given")), (&"haiku".into(), &"Read".into(), 1), "{rev}");
    assert!(rev["from"].as_str().is_some_and(|from| from.ends_with(".claude/agents/rev.md")), "{rev}");
    let opencode = of("opencode");
    let mine = find(&opencode, "mine");
    assert_eq!((&mine["kind"], &mine["model"]), (&"subagent".into(), &"a/b".into()), "{mine}");
    assert_eq!((&mine["layers"][0]["kind"], &mine["layers"][0]["bytes"]), (&"agent".into(), &5.into()), "{mine}");
    assert_eq!(find(&opencode, "build")["kind"], "primary");
    assert_eq!(find(&opencode, "title")["kind"], "hidden");
    let text = place.prints("home/project", &["agents", "--harness", "claude-code", "--agent", "Explore"]);
    assert!(text.contains("Explore  all  ") && text.contains("not told CLAUDE.md"), "{text}");
    for (arguments, problem) in [
        (["--harness", "goose"].as_slice(), "which agents Goose has is not known"),
        (&["--harness", "opencode", "--agent", "gone"], "OpenCode has no agent gone; it has build, plan"),
    ] {
        let output = place.run("home/project", &[&["agents"], arguments].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains(problem), "{output:?}");
    }
}
