//! The configuration keys that each edition knows. Any other key, or a wrong value, stops the client.

use super::schema::{Schema, Type};

/// Types of values that every edition checks.
const VALUES: &[(&str, Type)] = &[
    ("agents.defaults.maxConcurrent", Type::Positive),
    ("agents.defaults.subagents.maxConcurrent", Type::Positive),
    ("agents.defaults.userTimezone", Type::Text),
    ("browser.enabled", Type::Flag),
    ("channels.telegram.enabled", Type::Flag),
    ("cron.enabled", Type::Flag),
    ("gateway.port", Type::Positive),
    ("hooks.enabled", Type::Flag),
    ("tools.allow", Type::Texts),
    ("wizard.lastRunAt", Type::Text),
];

/// Types of values that only the editions of early 2026 check.
const EARLY_VALUES: &[(&str, Type)] = &[
    ("agents.defaults.compaction.mode", Type::OneOf("default safeguard")),
    ("agents.defaults.contextPruning.mode", Type::OneOf("off cache-ttl")),
    ("agents.defaults.contextTokens", Type::Positive),
    ("agents.defaults.memorySearch.enabled", Type::Flag),
    // The client of autumn 2026 accepts a string as well.
    ("agents.defaults.model", Type::Table),
    ("agents.defaults.sandbox.mode", Type::OneOf("off non-main all")),
    ("agents.defaults.thinkingDefault", Type::OneOf("off minimal low medium high xhigh")),
    ("agents.defaults.timeFormat", Type::OneOf("auto 12 24")),
    ("gateway.bind", Type::OneOf("auto lan loopback custom tailnet")),
    ("logging.level", Type::OneOf("silent fatal error warn info debug trace")),
    ("models.mode", Type::OneOf("merge replace")),
    ("session.scope", Type::OneOf("per-sender global")),
    ("tools.profile", Type::OneOf("minimal coding messaging full")),
    ("update.channel", Type::OneOf("stable beta dev")),
];

/// Schema of OpenClaw 2026.2.6-3.
pub const V2026_2_6: Schema = Schema {
    root: "meta env wizard diagnostics logging update browser ui auth models nodeHost agents tools bindings broadcast \
           audio media messages commands approvals session cron hooks web channels discovery canvasHost talk gateway \
           memory skills plugins",
    agents: "defaults list",
    defaults: "model imageModel models workspace repoRoot skipBootstrap bootstrapMaxChars userTimezone timeFormat \
           envelopeTimezone envelopeTimestamp envelopeElapsed contextTokens cliBackends memorySearch contextPruning \
           compaction thinkingDefault verboseDefault elevatedDefault blockStreamingDefault blockStreamingBreak \
           blockStreamingChunk blockStreamingCoalesce humanDelay timeoutSeconds mediaMaxMb typingIntervalSeconds \
           typingMode heartbeat maxConcurrent subagents sandbox",
    entry: "id default name workspace agentDir model skills memorySearch humanDelay heartbeat identity groupChat \
           subagents sandbox tools",
    hooks: "enabled path token maxBodyBytes presets transformsDir mappings gmail internal",
    internal_hooks: "enabled handlers entries load installs",
    plugins: "enabled allow deny load slots entries installs",
    slots: "memory",
    env: None,
    hook: Some("enabled env"),
    skills: Some("allowBundled load install entries"),
    values: &[VALUES, EARLY_VALUES],
};

/// Schema of OpenClaw 2026.2.19.
pub const V2026_2_19: Schema = Schema {
    root: "$schema meta env wizard diagnostics logging update browser ui auth models nodeHost agents tools bindings \
           broadcast audio media messages commands approvals session cron hooks web channels discovery canvasHost talk \
           gateway memory skills plugins",
    defaults: "model imageModel models workspace repoRoot skipBootstrap bootstrapMaxChars bootstrapTotalMaxChars \
           userTimezone timeFormat envelopeTimezone envelopeTimestamp envelopeElapsed contextTokens cliBackends \
           memorySearch contextPruning compaction thinkingDefault verboseDefault elevatedDefault blockStreamingDefault \
           blockStreamingBreak blockStreamingChunk blockStreamingCoalesce humanDelay timeoutSeconds mediaMaxMb \
           imageMaxDimensionPx typingIntervalSeconds typingMode heartbeat maxConcurrent subagents sandbox",
    hooks: "enabled path token defaultSessionKey allowRequestSessionKey allowedSessionKeyPrefixes allowedAgentIds \
           maxBodyBytes presets transformsDir mappings gmail internal",
    hook: None,
    skills: Some("allowBundled load install limits entries"),
    ..V2026_2_6
};

/// Schema of OpenClaw 2026.9.6.
pub const V2026_9: Schema = Schema {
    root: "$schema meta env wizard diagnostics logging update telemetry browser ui secrets auth accessGroups acp models \
           nodeHost agents worktreeRoot worktreeAcceleration tools security bindings broadcast attachments messages tts \
           commands approvals session cron transcripts hooks channels discovery talk gateway cloudWorkers desktop \
           memory mcp skills plugins surfaces proxy",
    agents: "ownership defaults entries list",
    defaults: "params model modelSelectionScope utilityModel decisionModel imageModel mediaModels voiceModel pdfModel \
           pdfMaxMb pdfMaxPages models modelPolicy workspace cwd skills silentReply repoRoot skipBootstrap \
           skipOptionalBootstrapFiles contextInjection bootstrapMaxChars bootstrapTotalMaxChars experimental \
           userTimezone startupContext contextPruning compaction embeddedAgent thinkingDefault fastModeDefault \
           verboseDefault toolProgressDetail reasoningDefault elevatedDefault blockStreamingDefault blockStreamingBreak \
           timeoutSeconds mediaMaxMb imageMaxDimensionPx imageQuality typingIntervalSeconds systemAgent authInheritance \
           sessionStore maxConcurrent subagents contextLimits blockStreamingChunk blockStreamingCoalesce humanDelay \
           typingMode heartbeat sandbox contextTokens",
    entry: "name description workspace cwd agentDir model utilityModel decisionModel models modelPolicy thinkingDefault \
           verboseDefault toolProgressDetail reasoningDefault fastModeDefault contextInjection bootstrapMaxChars \
           bootstrapTotalMaxChars experimental skills subagents embeddedAgent params runtime memory humanDelay \
           typingMode tts skillsLimits contextLimits heartbeat identity groupChat sandbox tools default contextTokens",
    hooks: "enabled path token defaultSessionKey allowRequestSessionKey allowedSessionKeyPrefixes allowedAgentIds \
           presets transformsDir mappings gmail internal",
    internal_hooks: "enabled entries load",
    plugins: "enabled allow deny load slots entries",
    slots: "memory contextEngine",
    env: Some("shellEnv vars"),
    hook: None,
    skills: None,
    values: &[VALUES],
};

#[cfg(test)]
mod tests {
    use super::super::schema::check;
    use super::*;
    use crate::formats::parse_json5;

    /// Values that OpenClaw 2026.2.6-3, 2026.2.19 and 2026.9.6 refused.
    const REFUSED: &[(&str, &str)] = &[
        ("agents.defaults.maxConcurrent", "'two'"),
        ("agents.defaults.subagents.maxConcurrent", "0"),
        ("agents.defaults.userTimezone", "1"),
        ("browser.enabled", "'yes'"),
        ("channels.telegram.enabled", "'yes'"),
        ("cron.enabled", "'yes'"),
        ("gateway.port", "'18789'"),
        ("hooks.enabled", "'yes'"),
        ("tools.allow", "'read'"),
        ("wizard.lastRunAt", "1"),
    ];

    /// Values that the two clients of early 2026 refused in addition.
    const REFUSED_EARLY: &[(&str, &str)] = &[
        ("agents.defaults.compaction.mode", "'x'"),
        ("agents.defaults.contextPruning.mode", "'x'"),
        ("agents.defaults.contextTokens", "'x'"),
        ("agents.defaults.memorySearch.enabled", "'x'"),
        ("agents.defaults.model", "'a/b'"),
        ("agents.defaults.sandbox.mode", "'x'"),
        ("agents.defaults.thinkingDefault", "'x'"),
        ("agents.defaults.timeFormat", "'x'"),
        ("gateway.bind", "'x'"),
        ("logging.level", "'x'"),
        ("models.mode", "'x'"),
        ("session.scope", "'x'"),
        ("tools.profile", "'x'"),
        ("update.channel", "'x'"),
    ];

    #[test]
    fn every_value_that_is_checked_was_refused_by_the_clients() {
        let paths = |refused: &[(&'static str, &str)]| refused.iter().map(|(path, _)| *path).collect::<Vec<_>>();
        assert_eq!(paths(REFUSED), VALUES.iter().map(|(path, _)| *path).collect::<Vec<_>>());
        assert_eq!(paths(REFUSED_EARLY), EARLY_VALUES.iter().map(|(path, _)| *path).collect::<Vec<_>>());
        let early = [&V2026_2_6, &V2026_2_19].map(|schema| (schema, [REFUSED, REFUSED_EARLY].concat()));
        for (schema, refused) in early.into_iter().chain([(&V2026_9, REFUSED.to_vec())]) {
            for (path, value) in refused {
                let settings = path.rsplit('.').fold(value.to_owned(), |below, key| format!("{{{key}: {below}}}"));
                let settings = parse_json5(&settings).expect("it is JSON5");
                let problem = check(&settings, schema).expect_err(path);
                assert!(problem.contains(path.rsplit('.').next().unwrap_or(path)), "{path}: {problem}");
            }
        }
    }
}
