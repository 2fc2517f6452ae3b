//! Decides whether instructions are sent: settings of the user and of a trusted project, and a variable over them.

use std::path::{Path, PathBuf};

use super::Trust;
use crate::answer::{Answer, Certain, Standpoint};
use crate::formats::{Node, Value, dotenv, parse_toml};
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Errno, Unreadable};

const KEY: &str = "include_project_context";
/// Keys with a boolean (Mistral Vibe 3.0.2).
const BOOLEANS: &str = "ask_confirmation_on_exit autocopy_to_clipboard bypass_tool_permissions context_warnings cursor_blink \
    disable_welcome_banner_animation enable_auto_approve enable_auto_update enable_background_processes \
    enable_connectors enable_mcp enable_mouse_capture enable_notifications enable_otel enable_subagents \
    enable_system_trust_store enable_telemetry enable_update_checks \
    experimental_enable_document_library_connector experimental_enable_model_catalog \
    experimental_enable_registry_skills experimental_enable_tab_status file_watcher_for_autocomplete \
    include_commit_signature include_model_info include_prompt_detail managed_shell_tools_enabled \
    narrator_enabled raise_on_compaction_failure show_greeting show_subagent_status_list show_thinking_nodes \
    smart_approve_available smart_approve_default voice_mode_enabled";
/// Keys with a number.
const NUMBERS: &str = "api_connect_timeout api_pool_timeout api_retry_max_elapsed_time api_stream_idle_timeout api_timeout \
    api_write_timeout auto_compact_threshold compaction_max_output_tokens compaction_reasoning_limit_tokens \
    max_concurrent_subagents max_subagents output_limit_retries output_token_reserve worktree_limit";
/// Keys with a text.
const TEXTS: &str = "active_model active_transcribe_model active_tts_model catalog_recommended_model compaction_prompt_id \
    compaction_thinking console_base_url default_agent displayed_workdir log_level otel_endpoint \
    otel_redaction routed_default_model system_prompt_id theme title_prompt_id vibe_base_url \
    vibe_code_sessions_base_url";
/// Keys with a list.
const LISTS: &str = "agent_paths allowed_models applied_migrations connectors disabled_agents disabled_skills disabled_tools \
    enabled_agents enabled_skills enabled_tools installed_agents mcp_servers providers routed_extra_models \
    skill_paths tool_paths transcribe_models transcribe_providers tts_models tts_providers";
/// Keys with a table.
const TABLES: &str = "catalog_model_aliases compaction_model experiments models project_context routed_model_config \
    session_logging tools utility_models vision_model";

/// Variables, in any letter case, that set keys which change the prompt or the tools.
const OTHERS: [&str; 5] =
    ["VIBE_AGENT_PATHS", "VIBE_DEFAULT_AGENT", "VIBE_DISABLED_TOOLS", "VIBE_ENABLED_TOOLS", "VIBE_SYSTEM_PROMPT_ID"];

/// Returns true if instructions are sent.
pub(super) fn includes_context(
    at: &Standpoint,
    own: &Path,
    trust: &Trust,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<bool> {
    let mut files = vec![own.join("config.toml")];
    files.extend(of_project(at, own, trust, search)?);
    let mut said = Vec::new();
    for path in files {
        let node = read(&path, search, answer)?;
        said.extend(node.as_ref().and_then(|node| node.get(KEY)).map(|node| (path, switch(node))));
    }
    if said.len() > 1 && said.iter().any(|(_, on)| on.is_none()) {
        answer.doubt(&[Certain::Set], format!("{KEY} is set twice, and once it is neither true nor false"));
    }
    let variable = variable(own, search, answer)?;
    match said.pop() {
        Some((path, None)) if variable.is_none() => Err(Halt::refused(path, format!("{KEY} must be true or false"))),
        last => Ok(variable.or(last.and_then(|(_, on)| on)).unwrap_or(true)),
    }
}

/// Returns the settings file of the project: the nearest at or above the working directory, below the parent of the
/// user's folder.
fn of_project(at: &Standpoint, own: &Path, trust: &Trust, search: &mut Search) -> Known<Option<PathBuf>> {
    if trust.is_home(search)? {
        return Ok(None);
    }
    // In the directory that contains the user's folder, trust is not asked for, so the settings there count.
    if own.parent() == Some(&at.cwd) {
        let path = at.cwd.join(".vibe/config.toml");
        return Ok(search.is_file(&path, "settings of the project")?.then_some(path));
    }
    for dir in at.cwd.ancestors().take_while(|dir| Some(*dir) != own.parent()) {
        let folder = dir.join(".vibe");
        let path = folder.join("config.toml");
        match search.stat(&path, "settings of the project")? {
            Ok(_) => {
                let real = search.real(&folder)?.unwrap_or(folder);
                return Ok(trust.root(&real).map(|_| path));
            }
            Err(Errno::ACCES) => return Err(Halt::refused(path, "the folder of these settings may not be entered")),
            Err(_) => {}
        }
    }
    Ok(None)
}

fn read(path: &Path, search: &mut Search, answer: &mut Answer) -> Known<Option<Node>> {
    let problem = match search.read(path, "settings say whether instructions are sent")? {
        Ok(raw) => match raw.as_text().map(parse_toml) {
            Some(Ok(node)) => {
                check_types(&node, path, answer)?;
                return Ok(Some(node));
            }
            Some(Err(problem)) => {
                return Err(Halt::refused(path, format!("these settings are no TOML: {}", problem.message)));
            }
            None => "it is not UTF-8".to_owned(),
        },
        Err(Unreadable::Errno(Errno::NOENT)) => return Ok(None),
        Err(problem @ Unreadable::Errno(Errno::ACCES)) => {
            return Err(Halt::refused(path, format!("these settings cannot be read: {problem}")));
        }
        Err(problem) => problem.to_string(),
    };
    answer.doubt(&[Certain::Set], format!("{}: {problem}", path.display()));
    Ok(None)
}

/// Refuses a list, a table or a single value in the place of another of these, at which the client stops. Doubts the
/// answer for a single value of another type, which pydantic may convert.
fn check_types(settings: &Node, path: &Path, answer: &mut Answer) -> Known<()> {
    for (key, node) in settings.as_table().unwrap_or_default() {
        let is_one_of = |keys: &str| keys.split(' ').any(|known| known == key);
        let is_as_meant = match &node.value {
            Value::List(_) => is_one_of(LISTS),
            Value::Table(_) => is_one_of(TABLES),
            Value::Bool(_) => is_one_of(BOOLEANS),
            Value::Integer(_) | Value::Float(_) => is_one_of(NUMBERS),
            Value::Text(_) | Value::Date(_) | Value::Null => is_one_of(TEXTS),
        };
        if is_as_meant || ![BOOLEANS, NUMBERS, TEXTS, LISTS, TABLES].into_iter().any(is_one_of) {
            continue;
        }
        let is_single = !matches!(node.value, Value::List(_) | Value::Table(_));
        if is_single && [BOOLEANS, NUMBERS, TEXTS].into_iter().any(is_one_of) {
            answer.doubt(&[Certain::Set], format!("{}: {key} has a value of another type", path.display()));
        } else {
            return Err(Halt::refused(path, format!("{key} has a value of another type")));
        }
    }
    Ok(())
}

/// Returns the value of the variable in the environment or in the user's `.env`, ignoring the case of its name.
fn variable(own: &Path, search: &mut Search, answer: &mut Answer) -> Known<Option<bool>> {
    const NAME: &str = "VIBE_INCLUDE_PROJECT_CONTEXT";
    let of_environment = search.env_name(|name| name.eq_ignore_ascii_case(NAME)).and_then(|name| search.env(&name));
    let is_other = |name: &str| OTHERS.iter().any(|other| name.eq_ignore_ascii_case(other));
    if let Some(name) = search.env_name(|name| is_other(name) && search.has_env(name)) {
        answer.doubt(&[Certain::Set], format!("what {name} does was not asked about"));
    }
    if let Some(value) = of_environment.filter(|value| !value.is_empty()) {
        return Ok(word(&value));
    }
    let path = own.join(".env");
    let Ok(raw) = search.read(&path, "the user's variables")? else { return Ok(None) };
    let Some(text) = raw.as_text() else { return Err(Halt::refused(path, "the user's variables are not UTF-8")) };
    if text.contains(['$', '`', '\u{feff}']) && text.to_ascii_uppercase().contains(NAME) {
        answer.doubt(&[Certain::Set], format!("what {} says of {NAME} is not followed", path.display()));
    }
    let pairs = dotenv(text);
    if let Some((name, _)) = pairs.iter().find(|(name, value)| is_other(name) && !value.is_empty()) {
        answer.doubt(&[Certain::Set], format!("what {name} in the user's .env does was not asked about"));
    }
    if pairs.iter().any(|(name, _)| name == "VIBE_HOME") {
        answer.doubt(&[Certain::Set], "VIBE_HOME in the user's .env moves some of the user's files only");
    }
    let said = pairs.iter().rfind(|(name, value)| name.eq_ignore_ascii_case(NAME) && !value.is_empty());
    Ok(said.and_then(|(_, value)| word(value)))
}

/// Returns a value as a boolean, as pydantic 2 does.
fn switch(node: &Node) -> Option<bool> {
    match &node.value {
        Value::Bool(on) => Some(*on),
        Value::Integer(number) => [0, 1].contains(number).then_some(*number == 1),
        Value::Float(number) => [0.0, 1.0].contains(number).then_some(*number == 1.0),
        Value::Text(text) => word(text),
        _ => None,
    }
}

fn word(text: &str) -> Option<bool> {
    match text.to_lowercase().as_str() {
        "1" | "true" | "yes" | "on" | "y" | "t" => Some(true),
        "0" | "false" | "no" | "off" | "n" | "f" => Some(false),
        _ => None,
    }
}
