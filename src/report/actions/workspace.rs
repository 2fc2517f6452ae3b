//! Facts read from the files of a workspace: how it is built, tested and formatted. Nothing is invented.

use std::path::Path;

use super::disk::Disk;
use crate::formats::{self, Node, Value};
use crate::report::front_matter;

/// One section of an AGENTS.md.
pub(super) struct Part {
    /// Heading of the section.
    pub title: &'static str,
    /// Words that identify an existing heading on the same subject.
    pub words: &'static [&'static str],
    /// Lines of the section; may be empty.
    pub lines: Vec<String>,
    /// Commands in these lines.
    pub commands: Vec<String>,
}

/// Purpose of a command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Build,
    Lint,
    Test,
    OneTest,
}

impl Use {
    /// Guesses the purpose of a script or target from its name.
    fn of(name: &str) -> Option<Use> {
        let first = name.split([':', '-', '_', '.']).next().unwrap_or(name);
        match first {
            "build" | "compile" | "bundle" => Some(Use::Build),
            "lint" | "fmt" | "format" | "check" | "typecheck" | "clippy" => Some(Use::Lint),
            "test" | "tests" => Some(Use::Test),
            _ => None,
        }
    }
}

/// Returns the parts of an AGENTS.md, in order; some may be empty.
pub(super) fn parts(top: &Path, disk: Disk) -> Vec<Part> {
    let mut commands: Vec<(Use, String)> = Vec::new();
    for read in [node, rust, go, python, make, just] {
        commands.extend(read(top, disk));
    }
    let of = |wanted: &[Use], said: &dyn Fn(Use) -> &'static str| -> (Vec<String>, Vec<String>) {
        let own = commands.iter().filter(|(used, _)| wanted.contains(used));
        own.map(|(used, command)| (format!("{}`{command}`", said(*used)), command.clone())).unzip()
    };
    let part = |title, words, (lines, commands)| Part { title, words, lines, commands };
    let plain = |_: Use| "";
    let tests = |used: Use| if used == Use::OneTest { "One test: " } else { "" };
    vec![
        part("Build", &["build", "setup", "command"], of(&[Use::Build], &plain)),
        part("Lint", &["lint", "format", "command", "style"], of(&[Use::Lint], &plain)),
        part("Test", &["test", "command"], of(&[Use::Test, Use::OneTest], &tests)),
        part("Code style", &["style", "convention"], (style(top, disk), Vec::new())),
    ]
}

fn node(top: &Path, disk: Disk) -> Vec<(Use, String)> {
    let Some(package) = disk.read(&top.join("package.json")) else { return Vec::new() };
    let Ok(package) = formats::parse_json(&package) else { return Vec::new() };
    let Some(scripts) = package.get("scripts").and_then(Node::as_table) else { return Vec::new() };
    let locks = [("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lock", "bun"), ("bun.lockb", "bun")];
    let runner = locks.iter().find(|(lock, _)| disk.is_taken(&top.join(lock))).map_or("npm", |(_, runner)| runner);
    let mut found = Vec::new();
    for (name, script) in scripts {
        let Some(used) = Use::of(name) else { continue };
        found.push((used, if name == "test" { format!("{runner} test") } else { format!("{runner} run {name}") }));
        let script = script.as_text().unwrap_or_default();
        let known = [("vitest", "npx vitest run FILE"), ("jest", "npx jest FILE"), ("node --test", "node --test FILE")];
        let one = known.iter().find(|(program, _)| name == "test" && script.contains(program));
        found.extend(one.map(|(_, command)| (Use::OneTest, (*command).to_owned())));
    }
    found
}

fn rust(top: &Path, disk: Disk) -> Vec<(Use, String)> {
    if !disk.is_taken(&top.join("Cargo.toml")) {
        return Vec::new();
    }
    let mut found = vec![(Use::Build, "cargo build".to_owned())];
    if ["rustfmt.toml", ".rustfmt.toml"].iter().any(|name| disk.is_taken(&top.join(name))) {
        found.push((Use::Lint, "cargo fmt --check".to_owned()));
    }
    let config = disk.read(&top.join(".cargo/config.toml")).and_then(|text| formats::parse_toml(&text).ok());
    let aliases = config.as_ref().and_then(|config| config.get("alias")).and_then(Node::as_table).unwrap_or_default();
    found.extend(aliases.iter().filter_map(|(name, _)| Some((Use::of(name)?, format!("cargo {name}")))));
    found.push((Use::Test, "cargo test".to_owned()));
    found.push((Use::OneTest, "cargo test NAME".to_owned()));
    found
}

fn go(top: &Path, disk: Disk) -> Vec<(Use, String)> {
    if !disk.is_taken(&top.join("go.mod")) {
        return Vec::new();
    }
    let found =
        [(Use::Build, "go build ./..."), (Use::Test, "go test ./..."), (Use::OneTest, "go test ./... -run NAME")];
    found.map(|(used, command)| (used, command.to_owned())).into()
}

fn python(top: &Path, disk: Disk) -> Vec<(Use, String)> {
    let Some(text) = disk.read(&top.join("pyproject.toml")) else { return Vec::new() };
    let Ok(project) = formats::parse_toml(&text) else { return Vec::new() };
    let known = [
        ("ruff", Use::Lint, "ruff check"),
        ("black", Use::Lint, "black --check ."),
        ("pytest", Use::Test, "pytest"),
        ("pytest", Use::OneTest, "pytest FILE::NAME"),
    ];
    let used = known.iter().filter(|(tool, ..)| project.at_path(&["tool", tool]).is_some());
    used.map(|(_, used, command)| (*used, (*command).to_owned())).collect()
}

fn make(top: &Path, disk: Disk) -> Vec<(Use, String)> {
    let text = ["Makefile", "makefile"].iter().find_map(|name| disk.read(&top.join(name)));
    let text = text.unwrap_or_default();
    // `name: needs`, not `name := value`, and no recipe line.
    let targets = text.lines().filter_map(|line| line.split_once(':')).filter(|(_, rest)| !rest.starts_with('='));
    let names = targets.flat_map(|(names, _)| names.split(' ')).filter(|name| is_name(name));
    named(names, "make")
}

fn just(top: &Path, disk: Disk) -> Vec<(Use, String)> {
    let text = ["justfile", "Justfile", ".justfile"].iter().find_map(|name| disk.read(&top.join(name)));
    let text = text.unwrap_or_default();
    let recipes = text.lines().filter_map(|line| line.split_once(':')).filter(|(_, rest)| !rest.starts_with('='));
    let names = recipes.filter_map(|(names, _)| names.split(' ').next()).filter(|name| is_name(name));
    named(names, "just")
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

fn named<'n>(names: impl Iterator<Item = &'n str>, runner: &str) -> Vec<(Use, String)> {
    let mut found: Vec<(Use, String)> = Vec::new();
    for command in names.filter_map(|name| Some((Use::of(name)?, format!("{runner} {name}")))) {
        if found.iter().all(|(_, known)| *known != command.1) {
            found.push(command);
        }
    }
    found
}

/// Returns the code style from the settings files of editors and formatters.
fn style(top: &Path, disk: Disk) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(text) = disk.read(&top.join(".editorconfig")) {
        // The section `[*]` applies to every file.
        let everywhere = text.split("\n[").find(|part| part.trim_start_matches('[').starts_with("*]"));
        let value = |key: &str| {
            let pairs = everywhere.unwrap_or_default().lines().filter_map(|line| line.split_once('='));
            pairs.into_iter().find(|(name, _)| name.trim() == key).map(|(_, value)| value.trim().to_owned())
        };
        match (value("indent_style").as_deref(), value("indent_size")) {
            (Some("tab"), _) => lines.push("Indent with tabs (.editorconfig).".to_owned()),
            (Some("space"), Some(size)) => lines.push(format!("Indent with {size} spaces (.editorconfig).")),
            _ => {}
        }
        lines.extend(value("max_line_length").map(|width| format!("Lines up to {width} columns (.editorconfig).")));
    }
    for name in ["rustfmt.toml", ".rustfmt.toml"] {
        let config = disk.read(&top.join(name)).and_then(|text| formats::parse_toml(&text).ok());
        if let Some(Value::Integer(width)) =
            config.as_ref().and_then(|node| node.get("max_width")).map(|node| &node.value)
        {
            lines.push(format!("Lines up to {width} columns ({name})."));
        }
    }
    let prettier = [".prettierrc", ".prettierrc.json", "prettier.config.js"];
    let prettier = prettier.iter().find(|name| disk.is_taken(&top.join(name)));
    lines.extend(prettier.map(|name| format!("Prettier formats the code ({name}).")));
    lines
}

/// Returns the rules of other tools that always apply, with the files that contain them.
pub(super) fn rules_of_others(top: &Path, disk: Disk) -> Vec<(String, String)> {
    let whole = [".cursorrules", ".github/copilot-instructions.md"].map(str::to_owned);
    let folder = ".cursor/rules";
    let rules = disk.names(&top.join(folder)).into_iter().filter(|name| name.ends_with(".mdc"));
    let rules = rules.map(|name| format!("{folder}/{name}"));
    let mut found = Vec::new();
    for name in whole.into_iter().chain(rules) {
        let Some(text) = disk.read(&top.join(&name)) else { continue };
        let body = match front_matter::head(&text) {
            Some(head) if head.values("alwaysApply").first().is_none_or(|(value, _)| value != "true") => continue,
            Some(head) => text[head.at.end..].to_owned(),
            None => text,
        };
        if !body.trim().is_empty() {
            found.push((name, body));
        }
    }
    found
}
