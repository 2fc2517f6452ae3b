//! The requirements of a skill, as the early clients check them: programs, variables, settings, the operating system.

use std::path::Path;

use super::head::texts;
use super::turn::Turn;
use crate::formats::{Node, Value};
use crate::harness::kit::skills::is_on;
use crate::search::{Known, Search};
use crate::snapshot::Ask;
use crate::text::js_trim;

/// Settings that are true by default (OpenClaw 2026.2.6 and 2026.2.19).
const ON_BY_DEFAULT: [&str; 2] = ["browser.enabled", "browser.evaluateEnabled"];

impl Turn<'_> {
    /// Returns a requirement in `metadata` that is not met; `entry` is the skill's entry in the configuration.
    pub(super) fn missing(&self, metadata: &Node, entry: Option<&Node>, search: &mut Search) -> Known<Option<String>> {
        let systems = texts(metadata.get("os"));
        if !systems.is_empty() && !systems.iter().any(|system| system == system_of(std::env::consts::OS)) {
            return Ok(Some(format!("the system {}", systems.join(" or "))));
        }
        if is_on(metadata, "always") {
            return Ok(None);
        }
        let required = |key: &str| texts(metadata.at_path(&["requires", key]));
        for program in required("bins") {
            if !self.has_program(&program, search)? {
                return Ok(Some(format!("the program {program}")));
            }
        }
        let any = required("anyBins");
        let mut has_any = any.is_empty();
        for program in &any {
            has_any = has_any || self.has_program(program, search)?;
        }
        if !has_any {
            return Ok(Some(format!("one of the programs {}", any.join(", "))));
        }
        let key_of = metadata.get("primaryEnv").and_then(Node::as_text);
        for name in required("env") {
            let configured = entry.is_some_and(|entry| {
                is_some_text(entry.at_path(&["env", &name]))
                    || (key_of == Some(name.as_str()) && is_some_text(entry.get("apiKey")))
            });
            if !configured && !self.home.has_variable(search, &name) {
                return Ok(Some(format!("the variable {name}")));
            }
        }
        let missing = required("config").into_iter().find(|setting| !self.holds(setting));
        Ok(missing.map(|setting| format!("the setting {setting}")))
    }

    /// Returns true if a directory of `PATH` contains the program. Whether it is executable is not checked.
    fn has_program(&self, program: &str, search: &mut Search) -> Known<bool> {
        let path = self.home.variable(search, "PATH").unwrap_or_default();
        let dirs = path.split(':').filter(|dir| !dir.is_empty());
        let files: Vec<_> = dirs.map(|dir| self.at.cwd.join(dir).join(Path::new(program))).collect();
        search.expect(files.iter().cloned().map(Ask::Kind))?;
        for file in files {
            if search.stat(&file, "a program that a skill asks for")?.is_ok() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns true if the setting has a value that counts as true.
    fn holds(&self, setting: &str) -> bool {
        let keys: Vec<&str> = setting.split('.').filter(|key| !key.is_empty()).collect();
        match self.config.at_path(&keys).map(|node| &node.value) {
            None => ON_BY_DEFAULT.contains(&setting),
            Some(Value::Null) => false,
            Some(Value::Bool(flag)) => *flag,
            Some(Value::Integer(number)) => *number != 0,
            Some(Value::Float(number)) => *number != 0.0,
            Some(Value::Text(text) | Value::Date(text)) => !js_trim(text).is_empty(),
            Some(Value::List(_) | Value::Table(_)) => true,
        }
    }
}

fn is_some_text(node: Option<&Node>) -> bool {
    node.and_then(Node::as_text).is_some_and(|text| !text.is_empty())
}

/// Returns Node's name of an operating system.
fn system_of(name: &'static str) -> &'static str {
    match name {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    }
}
