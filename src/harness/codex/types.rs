//! The types that keys must have, in each edition.

use super::layers::Layers;
use super::rules::Rules;
use crate::answer::Refusal;
use crate::formats::{Node, Value};

/// The type that a key must have.
#[derive(Clone, Copy)]
pub(super) enum Type {
    Text,
    Bool,
    Size,
    Texts,
    Table,
    /// A table of booleans.
    Switches,
}

/// The types of keys in 0.169.
pub(super) const V0_169: &[(&str, Type)] = &[
    ("project_doc_max_bytes", Type::Size),
    ("project_doc_fallback_filenames", Type::Texts),
    ("project_root_markers", Type::Texts),
    ("developer_instructions", Type::Text),
    ("instructions", Type::Text),
    ("model_instructions_file", Type::Text),
    ("include_environment_context", Type::Bool),
    ("include_environment_context_time", Type::Bool),
    ("include_permissions_instructions", Type::Bool),
    ("model", Type::Text),
    ("model_provider", Type::Text),
    ("sandbox_mode", Type::Text),
    ("features", Type::Table),
    ("skills", Type::Table),
    ("agents", Type::Table),
];

/// Those of 0.104, which knows no `include_` keys.
pub(super) const V0_104: &[(&str, Type)] = &[
    ("project_doc_max_bytes", Type::Size),
    ("project_doc_fallback_filenames", Type::Texts),
    ("project_root_markers", Type::Texts),
    ("developer_instructions", Type::Text),
    ("instructions", Type::Text),
    ("model_instructions_file", Type::Text),
    ("experimental_compact_prompt_file", Type::Text),
    ("model", Type::Text),
    ("model_provider", Type::Text),
    ("sandbox_mode", Type::Text),
    ("notify", Type::Texts),
    ("features", Type::Switches),
    ("skills", Type::Table),
    ("agents", Type::Table),
    ("profile", Type::Text),
    ("profiles", Type::Table),
];

/// What a table in `profiles` may say in 0.104; everything else is ignored there.
pub(super) const V0_104_PROFILE: &[(&str, Type)] = &[
    ("model_instructions_file", Type::Text),
    ("experimental_compact_prompt_file", Type::Text),
    ("model", Type::Text),
    ("model_provider", Type::Text),
    ("sandbox_mode", Type::Text),
    ("features", Type::Switches),
];

/// The first key with a wrong type, which stops Codex.
pub(super) fn wrong(rules: &Rules, layers: &Layers) -> Option<Refusal> {
    let refused = |from: &str, message: String| Some(Refusal::new(from, message));
    let profiles: Vec<&str> = layers
        .0
        .iter()
        .filter_map(|(_, table)| table.get("profiles")?.as_table())
        .flatten()
        .map(|(name, _)| name.as_str())
        .collect();
    let of_profiles = profiles.iter().map(|&name| (vec!["profiles", name], rules.profile_types));
    let tables = std::iter::once((Vec::new(), rules.types)).chain(of_profiles);
    for (table, (key, wanted)) in
        tables.flat_map(|(table, types)| types.iter().map(move |entry| (table.clone(), entry)))
    {
        let path: Vec<&str> = table.into_iter().chain([*key]).collect();
        let Some((node, from)) = layers.value(&path) else { continue };
        let (right, words) = match wanted {
            Type::Text => (node.as_text().is_some(), "a string"),
            Type::Bool => (node.as_bool().is_some(), "a boolean"),
            Type::Size => (matches!(node.value, Value::Integer(0..)), "a non-negative integer"),
            Type::Texts => (node.as_texts().is_some(), "a list of strings"),
            Type::Table => (node.as_table().is_some(), "a table"),
            Type::Switches => {
                let is_switch = |(_, value): &(String, Node)| value.as_bool().is_some();
                (node.as_table().is_some_and(|table| table.iter().all(is_switch)), "a table of booleans")
            }
        };
        if !right {
            return refused(from, format!("`{key}` is {}, and must be {words}", node.value.kind()));
        }
    }
    let (projects, from) = layers.value(&["projects"])?;
    if projects.as_table().is_none() {
        return refused(from, format!("`projects` is {}, and must be a table", projects.value.kind()));
    }
    let tables = layers.0.iter().filter_map(|(_, table)| table.get("projects")?.as_table());
    for (path, _) in tables.flatten() {
        let (entry, from) = layers.value(&["projects", path])?;
        if entry.as_table().is_none() {
            return refused(from, format!("the entry of {path:?} is {}, and must be a table", entry.value.kind()));
        }
        if let Some((level, from)) = layers.value(&["projects", path, "trust_level"])
            && !matches!(level.as_text(), Some("trusted" | "untrusted"))
        {
            return refused(from, format!("the trust_level of {path:?} must be \"trusted\" or \"untrusted\""));
        }
    }
    None
}
