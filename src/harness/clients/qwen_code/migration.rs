//! Settings of the first version, whose keys all stood at the top, put where today's keys stand.

use crate::formats::{Node, Value};

/// Where today's settings have what matters here; Qwen Code 0.24.4.
const MOVED: [(&str, [&str; 2]); 5] = [
    ("contextFileName", ["context", "fileName"]),
    ("excludedProjectEnvVars", ["advanced", "excludedEnvVars"]),
    ("includeDirectories", ["context", "includeDirectories"]),
    ("loadMemoryFromIncludeDirectories", ["context", "loadFromIncludeDirectories"]),
    ("memoryImportFormat", ["context", "importFormat"]),
];

/// The keys that show, where their value is no table, that settings are of the first version; Qwen Code 0.24.4.
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

/// The settings with today's keys. What an old key says goes before what the new one says.
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

/// Sets a key below others. What stands in the way, since it is no table, stays.
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
