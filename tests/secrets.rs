//! No command tells a secret that stands in the environment, at home, in settings, in instructions or in a URL, in
//! whatever form it is asked for. Texts that were asked for are the exact ones; docs/security.md says where that is.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::place::Place;
use crate::revision::git;

/// What was planted, and what nobody may read. Put together here, so that no scanner takes this file for a leak.
struct Secret {
    /// Where it stands.
    name: &'static str,
    value: String,
    /// True if agents send it: it stands in an instruction file, or in a file that one imports.
    is_sent: bool,
}

fn planted() -> Vec<Secret> {
    let random = |number: usize| format!("q7Zp2LkV9xTf{number:02}B4mWc8RsYd3HnJ6gAe5u");
    let sent = [
        "netrc",
        ".claude.json",
        ".env",
        "token in a line",
        "password in a line",
        "URL in a line",
        "key in a line",
        "header in a line",
        "JSON Web Token in a line",
        "description of a rule",
        "recorded line",
    ];
    let others = [
        "auth.json",
        "variable",
        "password of a URL",
        "token of a URL",
        "parameter of a URL",
        "header",
        "key",
        "MCP server",
        "settings",
        "credentials of Claude Code",
        "command of a hook",
        "argument of an MCP server",
        "URL of an MCP server",
        "prompt of a user",
        "result of a tool",
    ];
    let all = sent.into_iter().map(|name| (name, true)).chain(others.into_iter().map(|name| (name, false)));
    let value = |name: &str, number: usize| match name {
        "token in a line" => ["ghp_", &random(number), "P0"].concat(),
        "key in a line" => ["AKIA", "J5QWERTZUIOP2XYB"].concat(),
        "JSON Web Token in a line" => {
            ["eyJhbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxMjM0NTY3ODkwIn0.", &random(number)].concat()
        }
        _ => random(number),
    };
    all.enumerate().map(|(number, (name, is_sent))| Secret { name, value: value(name, number), is_sent }).collect()
}

fn place(secrets: &[Secret]) -> Place {
    let secret = |name: &str| secrets.iter().find(|known| known.name == name).expect("it is planted").value.as_str();
    let urls = format!(
        "\"https://me:{}@127.0.0.1:9/a.md\", \"https://{}@127.0.0.1:9/b.md\", \"https://127.0.0.1:9/c.md?access_token={}\"",
        secret("password of a URL"),
        secret("token of a URL"),
        secret("parameter of a URL"),
    );
    let headers = json!({"Authorization": format!("Bearer {}", secret("header"))});
    let servers = json!({"mcpServers": {
        "a": {"command": "x", "env": {"API_TOKEN": secret("MCP server")}, "args": [format!("--api-key={}", secret("argument of an MCP server"))]},
        "b": {"url": format!("https://me:{}@host.example/a", secret("URL of an MCP server"))},
    }});
    let hook = format!("curl -H 'Authorization: Bearer {}' https://host.example", secret("command of a hook"));
    let lines = format!(
        "- Deploy rules need the token {} here.\n- Clone rules use https://me:{}@host.example/a.git here.\n\
         - Log rules use https://{}@host.example/b here.\n- Cloud rules use {} here.\n\
         - Call rules send `Authorization: Bearer {}` here.\n- Session rules take {} here.\n",
        secret("token in a line"),
        secret("password in a line"),
        secret("URL in a line"),
        secret("key in a line"),
        secret("header in a line"),
        secret("JSON Web Token in a line"),
    );
    let place = Place::new(&[
        ("project/AGENTS.md", &format!("# Rules\n\n@./$PLAIN_TOKEN.md\n\n{lines}")),
        ("project/CLAUDE.md", "@~/.netrc\n@../home/.claude.json\n@.env\nSee `docs/missing.md`.\n"),
        ("project/GEMINI.md", "@.env\n"),
        (
            "project/.claude/rules/a.md",
            &format!("---\ndescription: password={}\npaths: src/**\n---\nRules.\n", secret("description of a rule")),
        ),
        ("project/src/a.rs", "fn main() {}\n"),
        ("project/.env", &format!("GEMINI_API_KEY={}\n", secret(".env"))),
        ("project/.mcp.json", &servers.to_string()),
        (
            "project/.claude/settings.json",
            &json!({"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": hook}]}]}}).to_string(),
        ),
        (
            "project/opencode.json",
            &format!(
                "{{\"instructions\": [{urls}, \"{{env:PLAIN_TOKEN}}/a.md\", \"docs/{{file:~/.netrc}}.md\"], \"mcp\": {{\"b\": {{\"type\": \"remote\", \"url\": \"https://x\", \"headers\": {headers}}}}}}}"
            ),
        ),
        ("project/.gemini/settings.json", "{\"context\": {\"fileName\": [\"$PLAIN_TOKEN.md\", \"GEMINI.md\"]}}"),
        (
            "project/briefing.toml",
            &format!(
                "[[expect]]\nid = \"deploy\"\ntext = \"Deploy rules need the token {} there.\"\n",
                secret("token in a line")
            ),
        ),
        ("home/.netrc", &format!("machine a.org login me password {}\n", secret("netrc"))),
        ("home/.codex/auth.json", &format!("{{\"OPENAI_API_KEY\": \"{}\"}}", secret("auth.json"))),
        (
            "home/.codex/config.toml",
            &format!("[mcp_servers.a]\ncommand = \"x\"\nenv = {{ TOKEN = \"{}\" }}\n", secret("settings")),
        ),
        (
            "home/.claude/.credentials.json",
            &format!("{{\"accessToken\": \"{}\"}}", secret("credentials of Claude Code")),
        ),
        ("home/.claude.json", &format!("{{\"primaryApiKey\": \"{}\", \"projects\": {{}}}}", secret(".claude.json"))),
        ("home/.ssh/id_rsa", &format!("{}\n{}\n", ["-----BEGIN ", "PRIVATE KEY-----"].concat(), secret("key"))),
    ]);
    commit(&place, &lines);
    record(&place, secrets);
    place
}

/// Makes a first commit without most of the rules, so that there is something to compare with.
fn commit(place: &Place, lines: &str) {
    let root = place.root.join("project");
    git(&root, &["init", "-q"]);
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-q", "-m", "a change"]);
    let more = format!("# Rules\n\n@./$PLAIN_TOKEN.md\n\n{lines}\n## More\n\n{}", lines.replace("rules", "habits"));
    std::fs::write(root.join("AGENTS.md"), more).expect("a file");
}

/// Records a session of Claude Code.
fn record(place: &Place, secrets: &[Secret]) {
    let secret = |name: &str| secrets.iter().find(|known| known.name == name).expect("it is planted").value.as_str();
    let cwd = place.root.join("project");
    let cwd = cwd.to_str().expect("UTF-8");
    let folder: String = cwd.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let id = "11111111-1111-1111-1111-111111111111";
    let line = |kind: &str, more: Value| {
        let mut line = json!({"type": kind, "sessionId": id, "cwd": cwd, "timestamp": "2026-11-24T10:00:00Z", "version": "2.1.330"});
        line.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        line.to_string()
    };
    let content = format!("Use tabs.\nRecord rules need token={} here.", secret("recorded line"));
    let files = json!([{"path": format!("{cwd}/CLAUDE.md"), "content": content}]);
    let lines = [
        line("attachment", json!({"attachment": {"type": "instructions", "files": files}})),
        line(
            "user",
            json!({"message": {"role": "user", "content": format!("my password={}", secret("prompt of a user"))}}),
        ),
        line(
            "user",
            json!({"message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": format!("token={}", secret("result of a tool"))}]}}),
        ),
    ];
    let file = place.root.join("home/.claude/projects").join(folder).join(format!("{id}.jsonl"));
    std::fs::create_dir_all(file.parent().expect("a directory")).expect("a directory");
    std::fs::write(&file, lines.join("\n") + "\n").expect("a file");
}

/// Whether an answer holds the texts that agents send.
#[derive(Clone, Copy, PartialEq)]
enum Holds {
    /// It holds names, sizes, reasons and findings: no secret at all.
    Words,
    /// The texts themselves were asked for, and hold what they hold.
    Texts,
}
use Holds::{Texts, Words};

/// Names each secret that was told and must not have been.
fn told(what: &str, said: &str, holds: Holds, secrets: &[Secret]) -> Vec<String> {
    let may_not = |secret: &&Secret| said.contains(&secret.value) && !(holds == Texts && secret.is_sent);
    secrets.iter().filter(may_not).map(|secret| format!("{what}: {}", secret.name)).collect()
}

/// Every command that answers, in each of its forms.
const COMMANDS: &[(Holds, &[&str])] = &[
    (Words, &["show", "src/a.rs", "--agents", "all"]),
    (Words, &["show", "src/a.rs", "--agents", "all", "-v"]),
    (Words, &["show", "src/a.rs", "--agents", "all", "--why"]),
    (Words, &["show", "src/a.rs", "--agents", "all", "--case", "/dev/stdout"]),
    (Texts, &["show", "src/a.rs", "--agents", "all", "--format", "json"]),
    (Texts, &["show", "src/a.rs", "--agents", "all", "--format", "prompt"]),
    (Words, &["--redact", "show", "src/a.rs", "--agents", "all", "--format", "json"]),
    (Words, &["--redact", "show", "src/a.rs", "--agents", "all", "--format", "prompt"]),
    (Words, &["check", "--agents", "all"]),
    (Words, &["check", "--agents", "all", "--format", "concise"]),
    (Words, &["check", "--agents", "all", "--format", "json"]),
    (Words, &["check", "--agents", "all", "--format", "sarif"]),
    (Words, &["check", "--agents", "all", "--format", "github"]),
    (Words, &["check", "--agents", "all", "--format", "gitlab"]),
    (Words, &["check", "--agents", "all", "--format", "junit"]),
    (Words, &["check", "--agents", "all", "--format", "markdown"]),
    (Words, &["check", "--agents", "all", "--base", "HEAD"]),
    (Words, &["check", "--agents", "all", "--base", "HEAD", "--format", "markdown"]),
    (Words, &["check", "--agents", "all", "--write-baseline", "/dev/stdout"]),
    (Words, &["report", "--agents", "all"]),
    (Words, &["report", "--agents", "all", "--format", "json"]),
    (Words, &["report", "--agents", "all", "--format", "html"]),
    (Words, &["why", "Rules", "--agents", "all"]),
    (Words, &["why", "Deploy rules need the token", "--agents", "all"]),
    (Words, &["why", "Deploy rules need teh tokne", "--agents", "all"]),
    (Words, &["why", "Deploy rules need the token", "--agents", "all", "--format", "json"]),
    (Words, &["why", "Deploy rules need teh tokne", "--agents", "all", "--format", "json"]),
    (Words, &["compare"]),
    (Words, &["compare", "--agents", "all", "--format", "markdown"]),
    (Words, &["compare", "--agents", "all", "--format", "json"]),
    (Words, &["compare", "--left", "codex", "--right", "opencode"]),
    (Words, &["compare", "--left", "codex", "--right", "claude-code", "--format", "json"]),
    (Words, &["compare", "--all"]),
    (Words, &["compare", "--all", "--format", "json"]),
    (Words, &["session", "--agents", "claude-code", "--read", "src/a.rs"]),
    (Words, &["session", "--agents", "opencode", "--read", "src/a.rs"]),
    (Texts, &["session", "--agents", "claude-code", "--read", "src/a.rs", "--format", "json"]),
    (Words, &["harnesses"]),
    (Words, &["harnesses", "--details"]),
    (Words, &["harnesses", "--format", "json"]),
    (Words, &["agents", "--agents", "opencode"]),
    (Words, &["agents", "--agents", "claude-code", "--format", "json"]),
    (Words, &["expect"]),
    (Words, &["expect", "--format", "json"]),
    (Words, &["expect", "--suggest"]),
    (Words, &["explain", "secret"]),
    (Words, &["inspect"]),
    (Words, &["inspect", "--format", "json"]),
    (Words, &["plan", "one-truth", "--agents", "codex,claude-code"]),
    (Words, &["plan", "trim", "--agents", "codex,claude-code"]),
    (Words, &["plan", "split", "AGENTS.md", "--agents", "codex,claude-code"]),
    (Words, &["plan", "fit", "--agents", "codex,claude-code"]),
    (Texts, &["plan", "one-truth", "--agents", "codex,claude-code", "--format", "json"]),
    (Texts, &["plan", "one-truth", "--agents", "codex,claude-code", "--patch"]),
    (Words, &["audit", "--since", "all"]),
    (Words, &["audit", "--last", "--since", "all"]),
    (Words, &["audit", "--last", "--since", "all", "--diff"]),
    (Words, &["audit", "--last", "--since", "all", "--why", "Record rules"]),
    (Words, &["audit", "--last", "--since", "all", "--expect"]),
    (Words, &["audit", "--since", "all", "--running"]),
    (Words, &["audit", "--since", "all", "--format", "json"]),
    (Words, &["audit", "--last", "--since", "all", "--format", "json"]),
    (Words, &["audit", "--last", "--since", "all", "--diff", "--format", "json"]),
    (Words, &["verify", "--records", "--since", "all"]),
    (Words, &["verify", "--records", "--since", "all", "--format", "json"]),
    (Words, &["verify", "--records", "--since", "all", "--case", "/dev/stdout"]),
    (Words, &["hook", "claude-code"]),
];

#[test]
fn no_command_tells_a_secret() {
    let secrets = planted();
    let place = place(&secrets);
    let mut all = Vec::new();
    for (holds, arguments) in COMMANDS {
        let mut command = place.command("project", *arguments);
        command.env("PLAIN_TOKEN", variable(&secrets)).env("PATH", "/usr/bin:/bin");
        let output = command.stdin(Stdio::null()).output().expect("the program runs");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        let is_asked = !["hook", "plan", "verify"].contains(&arguments[0]);
        assert!(!is_asked || (!said.trim().is_empty() && output.status.code() != Some(2)), "{arguments:?}: {said}");
        all.extend(told(&arguments.join(" "), &said, *holds, &secrets));
    }
    assert!(all.is_empty(), "told:\n{}", all.join("\n"));
}

fn variable(secrets: &[Secret]) -> &str {
    &secrets.iter().find(|secret| secret.name == "variable").expect("it is planted").value
}
