//! Migration of settings of the first version, which had all keys at the top level.

use crate::formats::{Node, Value};

/// Old keys with their current places, as far as they affect instructions (Qwen Code 0.24.4).
const MOVED: [(&str, [&str; 2]); 5] = [
    ("contextFileName", ["context", "fileName"]),
    ("excludedProjectEnvVars", ["advanced", "excludedEnvVars"]),
    ("includeDirectories", ["context", "includeDirectories"]),
    ("loadMemoryFromIncludeDirectories", ["context", "loadFromIncludeDirectories"]),
    ("memoryImportFormat", ["context", "importFormat"]),
];

/// Keys that identify settings of the first version if their value is not a table (Qwen Code 0.24.4).
const FIRST_VERSION: &str = "theme model autoAccept hideTips vimMode checkpointing accessibility allowedTools allowMCPServers \
    autoConfigureMaxOldSpaceSize bugCommand chatCompression coreTools contextFileName customThemes customWittyPhrases \
    debugKeystrokeLogging dnsResolutionOrder enforcedAuthType excludeTools excludeMCPServers excludedProjectEnvVars \
    fileFiltering folderTrustFeature folderTrust hasSeenIdeIntegrationNudge hideWindowTitle showStatusInTitle \
    showLineNumbers showCitations ideMode includeDirectories loadMemoryFromIncludeDirectories maxSessionTurns \
    mcpServerCommand memoryImportFormat preferredEditor sandbox selectedAuthType shouldUseNodePtyShell shellPager \
    shellShowColor skipNextSpeakerCheck toolDiscoveryCommand toolCallCommand usageStatisticsEnabled useExternalAuth \
    useRipgrep enableWelcomeBack approvalMode sessionTokenLimit contentGenerator skipLoopDetection skipStartupContext \
    enableOpenAILogging tavilyApiKey disableAutoUpdate disableUpdateNag disableLoadingPhrases disableFuzzySearch \
    disableCacheControl";

/// Returns the settings with current keys. The value of an old key overrides that of the new one.
pub(super) fn migrated(settings: Node) -> Node {
    if !is_first_version(&settings) {
        return settings;
    }
    let mut settings = settings;
    for (old, [above, key]) in MOVED {
        if let Some(value) = settings.get(old).cloned() {
            put(&mut settings, &[above, key], value);
        }
    }
    if let Some(value) = settings.get("folderTrust").cloned() {
        put(&mut settings, &["security", "folderTrust", "enabled"], value);
    }
    settings
}

fn is_first_version(settings: &Node) -> bool {
    let of_today = match settings.get("$version").map(|node| &node.value) {
        Some(Value::Integer(version)) => *version >= 2,
        Some(Value::Float(version)) => *version >= 2.0,
        _ => false,
    };
    let says = |key: &str| settings.get(key).is_some_and(|node| !matches!(node.value, Value::Table(_)));
    !of_today && FIRST_VERSION.split_whitespace().any(says)
}

/// Sets a key below others, unless a value on the way is not a table.
fn put(node: &mut Node, path: &[&str], value: Node) {
    let Value::Table(entries) = &mut node.value else { return };
    let Some((key, below)) = path.split_first() else { return };
    let at = entries.iter().rposition(|(known, _)| known == key).unwrap_or_else(|| {
        entries.push(((*key).to_owned(), Node { at: value.at.clone(), value: Value::Table(Vec::new()) }));
        entries.len() - 1
    });
    match below {
        [] => entries[at].1 = value,
        _ => put(&mut entries[at].1, below, value),
    }
}
