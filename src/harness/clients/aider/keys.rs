//! Checks the keys of `.aider.conf.yml`, which are those of the command line. An unknown key or a wrong value stops
//! Aider.

use crate::formats::{Node, Value};

/// Boolean keys (Aider 0.86.2). Most accept the prefix `no-`.
const FLAGS: &str = "verify-ssl architect auto-accept-architect check-model-accepts-settings cache-prompts \
    restore-chat-history dark-mode light-mode pretty show-diffs git add-gitignore-files subtree-only auto-commits \
    dirty-commits attribute-author attribute-committer attribute-commit-message-author \
    attribute-commit-message-committer attribute-co-authored-by git-commit-verify commit dry-run skip-sanity-check-repo \
    watch-files lint auto-lint auto-test test analytics analytics-disable just-check-update install-main-branch upgrade \
    update gui browser copy-paste apply-clipboard-edits exit show-repo-map show-prompts disable-playwright vim yes-always \
    verbose suggest-shell-commands fancy-input multiline notifications detect-urls opus sonnet haiku 4o mini 4-turbo \
    35turbo 35-turbo deepseek o1-mini o1-preview";
/// Boolean keys without a `no-` form.
const PLAIN_FLAGS: &str = "architect dark-mode light-mode show-diffs subtree-only commit skip-sanity-check-repo lint test \
    analytics-disable just-check-update install-main-branch upgrade update apply-clipboard-edits exit show-repo-map \
    show-prompts disable-playwright vim yes-always verbose opus sonnet haiku 4o mini 4-turbo 35turbo 35-turbo deepseek \
    o1-mini o1-preview";
/// Keys that accept a list.
const LISTS: &str = "set-env api-key alias lint-cmd file read";
const TEXTS: &str = "openai-api-key anthropic-api-key openai-api-base openai-api-type openai-api-version \
    openai-api-deployment-id openai-organization-id list-models models model-settings-file model-metadata-file \
    reasoning-effort thinking-tokens weak-model editor-model input-history-file chat-history-file llm-history-file \
    user-input-color tool-output-color tool-error-color tool-warning-color assistant-output-color completion-menu-color \
    completion-menu-bg-color completion-menu-current-color completion-menu-current-bg-color code-theme aiderignore \
    commit-prompt test-cmd analytics-log analytics-posthog-host analytics-posthog-project-api-key message-file apply \
    voice-language voice-input-device chat-language commit-language load encoding config env-file \
    notifications-command editor";
const WHOLE: &str = "max-chat-history-tokens cache-keepalive-pings";
const NUMBERS: &str = "timeout map-multiplier-no-files";
/// Keys that the recorded sessions passed on the command line, so that their values in settings were never checked.
const UNCHECKED: &str = "model message msg map-tokens check-update show-model-warnings show-release-notes gitignore stream \
    no-check-update no-show-model-warnings no-show-release-notes no-gitignore no-stream help version";

const FORMATS: &[&str] = &[
    "architect",
    "ask",
    "context",
    "diff",
    "diff-fenced",
    "editor-diff",
    "editor-diff-fenced",
    "editor-whole",
    "help",
    "patch",
    "udiff",
    "udiff-simple",
    "whole",
];
const CHOICES: &[(&str, &[&str])] = &[
    ("edit-format", FORMATS),
    ("chat-mode", FORMATS),
    ("editor-edit-format", FORMATS),
    ("map-refresh", &["auto", "always", "files", "manual"]),
    ("voice-format", &["wav", "mp3", "webm"]),
    ("line-endings", &["platform", "lf", "crlf"]),
    ("shell-completions", &["bash", "tcsh", "zsh"]),
];

/// Returns the first problem of the settings.
pub(super) fn problem(settings: &Node) -> Option<String> {
    let Some(entries) = settings.as_table() else { return Some("it must be a mapping of keys to values".to_owned()) };
    entries.iter().filter(|(_, node)| node.value != Value::Null).find_map(|(key, node)| wrong(key, node))
}

fn wrong(key: &str, node: &Node) -> Option<String> {
    let name = key.strip_prefix("--").unwrap_or(key);
    let is_in = |words| has(words, name);
    let turned_off = name.strip_prefix("no-").filter(|name| !has(PLAIN_FLAGS, name));
    let says = |wanted: &str| Some(format!("`{key}` must be {wanted}"));
    let value = as_python_says(node);
    if is_in(UNCHECKED) || is_in(LISTS) {
        return None;
    }
    if is_in(FLAGS) || turned_off.is_some_and(|name| has(FLAGS, name)) {
        let value = value.unwrap_or_default().to_ascii_lowercase();
        let known = ["true", "yes", "on", "1", "false", "no", "off", "0"].contains(&value.as_str());
        return if known { None } else { says("true or false") };
    }
    let choices = CHOICES.iter().find(|(known, _)| *known == name).map(|(_, choices)| *choices);
    if choices.is_none() && ![TEXTS, WHOLE, NUMBERS].into_iter().any(is_in) {
        return Some(format!("unknown key `{key}`"));
    }
    let Some(value) = value else { return says("one value, not a list") };
    let digits = value.trim().replace('_', "");
    match choices {
        Some(choices) if !choices.contains(&value.as_str()) => says(&format!("one of {}", choices.join(", "))),
        None if is_in(WHOLE) && digits.parse::<i64>().is_err() => says("a whole number"),
        None if is_in(NUMBERS) && digits.parse::<f64>().is_err() => says("a number"),
        Some(_) | None => None,
    }
}

fn has(words: &str, name: &str) -> bool {
    words.split_whitespace().any(|word| word == name)
}

/// Converts a value to text as Python does; `None` for a list.
pub(super) fn as_python_says(node: &Node) -> Option<String> {
    match &node.value {
        Value::Text(text) | Value::Date(text) => Some(text.clone()),
        Value::Bool(true) => Some("True".to_owned()),
        Value::Bool(false) => Some("False".to_owned()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Null => Some("None".to_owned()),
        Value::Table(_) => Some("{…}".to_owned()),
        Value::List(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::parse_yaml;

    #[test]
    fn keys_and_values_are_checked() {
        for (settings, fine) in [
            ("auto-commits: off", true),
            ("no-auto-commits: true", true),
            ("no-vim: true", false),
            ("vim: maybe", false),
            ("foo: x", false),
            ("foo:", true),
            ("--read: A.md", true),
            ("edit-format: diff", true),
            ("edit-format: odd", false),
            ("timeout: 1.5", true),
            ("timeout: soon", false),
            ("weak-model: [a]", false),
            ("- a", false),
            ("", false),
        ] {
            let settings = parse_yaml(settings).expect("YAML");
            assert_eq!(problem(&settings).is_none(), fine, "{settings:?}");
        }
    }
}
