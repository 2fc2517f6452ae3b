//! OpenCode: `opencode run`, with a provider of Chat Completions from the settings in its environment.

use serde_json::{Value, json};

use super::{Client, Run, Sent, Start, list, text_of};
use crate::verify::harmless::Harmless;
use crate::verify::model::Call;

pub(super) static CLIENT: Client = Client {
    harness: "opencode",
    harmless: &HARMLESS,
    before: None,
    start: |run| start(run, "OPENCODE_"),
    read: Some(read),
    texts_sent,
};

pub(super) const HARMLESS: [Harmless; 9] = [
    Harmless::new(&["plugin"], "[]"),
    Harmless::new(&["mcp"], "{}"),
    Harmless::new(&["provider"], "{}"),
    Harmless::new(&["model"], MODEL_JSON),
    Harmless::new(&["small_model"], MODEL_JSON),
    Harmless::new(&["agent", "*", "model"], MODEL_JSON),
    Harmless::new(&["mode", "*", "model"], MODEL_JSON),
    Harmless::new(&["enabled_providers"], "[\"mock\"]"),
    Harmless::new(&["disabled_providers"], "[]"),
];

const MODEL: &str = "mock/mock-model";
const MODEL_JSON: &str = "\"mock/mock-model\"";
const SKILLS: &str = "\nSkills provide specialized instructions and workflows for specific tasks.\n";
const ABOUT: &str = "\nHere is some useful information about the environment you are running in:\n<env>\n";
const ENTRY: &str = "\nInstructions from: ";
const END: &str = "\n</system-reminder>";

/// Starts a program made of OpenCode, whose variables begin with `prefix`.
pub(super) fn start(run: &Run, prefix: &str) -> Start {
    let nowhere = "http://127.0.0.1:9";
    let mut start = Start::new(
        ["run"],
        [
            ("npm_config_registry", nowhere),
            ("NPM_CONFIG_REGISTRY", nowhere),
            ("BUN_CONFIG_REGISTRY", nowhere),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_TERMINAL_PROMPT", "0"),
        ],
    );
    let switches = [
        ("DISABLE_AUTOUPDATE", "1"),
        ("DISABLE_MODELS_FETCH", "1"),
        ("DISABLE_SHARE", "1"),
        ("DISABLE_LSP_DOWNLOAD", "1"),
        ("DISABLE_DEFAULT_PLUGINS", "1"),
        ("PURE", "1"),
        ("EXPERIMENTAL_DISABLE_FILEWATCHER", "1"),
        ("MODELS_URL", nowhere),
    ];
    start.env.extend(switches.map(|(name, value)| (format!("{prefix}{name}"), value.to_owned())));
    let options: &[&str] = if run.is_since("1.17.18") {
        &["--pure", "--auto"]
    } else if run.is_since("1.14") {
        &["--pure", "--dangerously-skip-permissions"]
    } else {
        &[]
    };
    start.arguments.extend(options.iter().chain(&["--title", "t", "--", "hello"]).map(|&word| word.to_owned()));
    let settings = settings(run).to_string();
    let content = format!("{prefix}CONFIG_CONTENT");
    // The settings of the model need a place that the user does not use.
    if run.env.contains_key(&content) {
        let managed = run.scratch.join("managed");
        run.write(&managed.join("opencode.json"), settings.as_bytes());
        start.with(&format!("{prefix}TEST_MANAGED_CONFIG_DIR"), managed.display().to_string())
    } else {
        start.with(&content, settings)
    }
}

/// Settings by which it asks the mock model, and has to ask for nothing.
fn settings(run: &Run) -> Value {
    let name = MODEL.trim_start_matches("mock/");
    let model = json!({ "name": name, "tool_call": true, "limit": { "context": 40_000_000, "output": 8192 } });
    json!({
        "$schema": "https://opencode.ai/config.json", "autoupdate": false, "share": "disabled", "snapshot": false,
        "lsp": false, "formatter": false, "enabled_providers": ["mock"], "model": MODEL, "small_model": MODEL,
        "permission": { "*": "allow", "external_directory": "allow" },
        "provider": { "mock": {
            "npm": "@ai-sdk/openai-compatible", "name": "mock", "models": { name: model },
            "options": { "baseURL": run.url("/v1"), "apiKey": "none" }
        } }
    })
}

pub(super) fn read(file: &str) -> Call {
    Call { name: "read", arguments: json!({ "filePath": file }) }
}

pub(super) fn texts_sent(run: &Run, requests: &[Value]) -> Result<Vec<Sent>, String> {
    let of_system = |message: &&Value| message["role"] == "system" || message["role"] == "developer";
    let system: Vec<String> =
        list(&requests[0], "messages").iter().filter(of_system).map(|message| text_of(&message["content"])).collect();
    let [system] = system.as_slice() else { return Err(format!("{} system messages", system.len())) };
    let entries = entries(run, system).ok_or("no block about the environment in its system text")?;
    let mut told = vec![Sent::new("session", "system", entries)];
    if run.file.is_some() {
        let answers = requests.last().map(|request| list(request, "messages")).unwrap_or_default();
        let output = answers.iter().rfind(|message| message["role"] == "tool");
        let output = output.map(|message| text_of(&message["content"])).unwrap_or_default();
        told.push(Sent::new("read", "tool", injected(run, &output)));
    }
    told.retain(|told| !told.text.is_empty());
    Ok(told)
}

/// The instruction entries of a system text. The block about the environment ends before them, that of the skills stands before or
/// behind.
fn entries(run: &Run, system: &str) -> Option<String> {
    let end = match run {
        run if run.is_since("1.14") => "\n</env>",
        run if run.is_since("1.1.53") => "\n</env>\n<directories>\n  \n</directories>",
        _ => "\n</env>\n<files>\n  \n</files>",
    };
    let about = system.find(ABOUT)?;
    let mut rest = &system[about + system[about..].find(end)? + end.len()..];
    // Before 1.14 they stood first.
    if let (Some(skills), Some(entry)) = (rest.rfind(SKILLS), rest.find(ENTRY))
        && skills > entry
    {
        rest = &rest[..skills];
    }
    Some(rest.find(ENTRY).map_or_else(String::new, |at| rest[at + 1..].to_owned()))
}

/// Returns the instructions that the result of a read carries after the file.
fn injected(run: &Run, output: &str) -> String {
    let end_of_file = if run.is_since("1.1.65") { "\n</content>" } else { "\n</file>" };
    let start = format!("{end_of_file}\n\n<system-reminder>\n");
    let inner = output.find(&start).and_then(|at| output[at + start.len()..].strip_suffix(END));
    inner.unwrap_or_default().to_owned()
}
