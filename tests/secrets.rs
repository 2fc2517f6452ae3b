//! No command tells a secret that stands in the environment, at home, in settings or in a URL, in whatever form it is asked for.

use std::process::Stdio;

use crate::place::Place;

/// What was planted: where, and what nobody may read. Put together here, so that no scanner takes this file for a leak.
fn planted() -> Vec<(&'static str, String)> {
    let random = |number: usize| format!("q7Zp2LkV9xTf{number}B4mWc8RsYd3HnJ6gAe5u");
    let names = [
        "netrc",
        "auth.json",
        ".claude.json",
        ".env",
        "variable",
        "password of a URL",
        "token of a URL",
        "parameter of a URL",
        "header",
        "key",
        "MCP server",
        "settings",
    ];
    names.into_iter().enumerate().map(|(number, name)| (name, random(number))).collect()
}

fn place(secrets: &[(&str, String)]) -> Place {
    let secret = |name: &str| secrets.iter().find(|(known, _)| *known == name).expect("it is planted").1.as_str();
    let urls = format!(
        "\"https://me:{}@127.0.0.1:9/a.md\", \"https://{}@127.0.0.1:9/b.md\", \"https://127.0.0.1:9/c.md?access_token={}\"",
        secret("password of a URL"),
        secret("token of a URL"),
        secret("parameter of a URL"),
    );
    let headers = format!("{{\"Authorization\": \"Bearer {}\"}}", secret("header"));
    let server = format!("{{\"command\": \"x\", \"env\": {{\"API_TOKEN\": \"{}\"}}}}", secret("MCP server"));
    Place::new(&[
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/AGENTS.md", "Rules. @./$PLAIN_TOKEN.md\n"),
        ("project/CLAUDE.md", "@~/.netrc\n@../home/.claude.json\n@.env\nSee `docs/missing.md`.\n"),
        ("project/GEMINI.md", "@.env\n"),
        ("project/src/a.rs", "fn main() {}\n"),
        ("project/.env", &format!("GEMINI_API_KEY={0}\n", secret(".env"))),
        ("project/.mcp.json", &format!("{{\"mcpServers\": {{\"a\": {server}}}}}")),
        (
            "project/opencode.json",
            &format!(
                "{{\"instructions\": [{urls}, \"{{env:PLAIN_TOKEN}}/a.md\", \"docs/{{file:~/.netrc}}.md\"], \"mcp\": {{\"b\": {{\"type\": \"remote\", \"url\": \"https://x\", \"headers\": {headers}}}}}}}"
            ),
        ),
        ("project/.gemini/settings.json", "{\"context\": {\"fileName\": [\"$PLAIN_TOKEN.md\", \"GEMINI.md\"]}}"),
        ("home/.netrc", &format!("machine a.org login me password {}\n", secret("netrc"))),
        ("home/.codex/auth.json", &format!("{{\"OPENAI_API_KEY\": \"{}\"}}", secret("auth.json"))),
        (
            "home/.codex/config.toml",
            &format!("[mcp_servers.a]\ncommand = \"x\"\nenv = {{ TOKEN = \"{}\" }}\n", secret("settings")),
        ),
        ("home/.claude.json", &format!("{{\"primaryApiKey\": \"{}\", \"projects\": {{}}}}", secret(".claude.json"))),
        ("home/.ssh/id_rsa", &format!("{}\n{}\n", ["-----BEGIN ", "PRIVATE KEY-----"].concat(), secret("key"))),
    ])
}

/// Every command that answers, in each of its forms. What a model is sent is the one thing that `show` is there to show.
const COMMANDS: [&[&str]; 27] = [
    &["show", "src/a.rs", "--harness", "all"],
    &["show", "src/a.rs", "--harness", "all", "-v"],
    &["show", "src/a.rs", "--harness", "all", "--why"],
    &["show", "src/a.rs", "--harness", "all", "--case", "/dev/stdout"],
    &["--redact", "show", "src/a.rs", "--harness", "all", "--format", "json"],
    &["--redact", "show", "src/a.rs", "--harness", "all", "--format", "prompt"],
    &["check", "--harness", "all"],
    &["check", "--harness", "all", "--format", "json"],
    &["check", "--harness", "all", "--format", "sarif"],
    &["check", "--harness", "all", "--format", "github"],
    &["check", "--harness", "all", "--format", "markdown"],
    &["report", "--harness", "all"],
    &["report", "--harness", "all", "--format", "json"],
    &["report", "--harness", "all", "--format", "html"],
    &["why", "Rules", "--harness", "all"],
    &["compare", "--left", "codex", "--right", "opencode"],
    &["compare", "--all"],
    &["session", "--harness", "claude-code", "--read", "src/a.rs"],
    &["session", "--harness", "opencode", "--read", "src/a.rs"],
    &["harnesses"],
    &["harnesses", "--details"],
    &["harnesses", "--format", "json"],
    &["expect", "--suggest"],
    &["inspect"],
    &["inspect", "--format", "json"],
    &["audit", "--last"],
    &["hook", "claude-code"],
];

#[test]
fn no_command_tells_a_secret() {
    let secrets = planted();
    let place = place(&secrets);
    let mut told = Vec::new();
    for arguments in COMMANDS {
        let mut command = place.command("project", arguments);
        command.env("PLAIN_TOKEN", &secrets.iter().find(|(name, _)| *name == "variable").expect("it is planted").1);
        let output = command.stdin(Stdio::null()).output().expect("the program runs");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        let is_asked = arguments.iter().any(|word| ["show", "check", "report", "why"].contains(word));
        assert!(!is_asked || (!said.trim().is_empty() && output.status.code() != Some(2)), "{arguments:?}: {said}");
        let names = secrets.iter().filter(|(_, secret)| said.contains(secret.as_str())).map(|(name, _)| *name);
        told.extend(names.map(|name| format!("{}: {name}", arguments.join(" "))));
    }
    assert!(told.is_empty(), "told:\n{}", told.join("\n"));
}
