//! The types of settings. If a known key has the wrong type, the client ignores the whole file, unless it is the
//! administrator's.
//!
//! Checked on Claude Code 2.1.329, key by key. Keys that are not listed here may have any value: unknown keys, and keys
//! whose invalid values the client ignores.

use crate::formats::{Node, Value};

/// Type of a value.
#[derive(Clone, Copy)]
enum Type {
    Text,
    /// Hours and minutes, such as `22:00`.
    Clock,
    Switch,
    Number,
    /// A whole number, at least this one.
    Whole(i64),
    /// A number greater than the first and not greater than the second.
    Part(f64, f64),
    /// One of these words, which are separated by spaces.
    Word(&'static str),
    List(&'static Type),
    /// If the value is a list, a list of this type; otherwise anything.
    IfList(&'static Type),
    Map(&'static Type),
    /// A table in which these keys, if present, have these types. All others are free.
    Keys(&'static [(&'static str, Type)]),
    /// Like `Keys`, and the first ones, as many as the number says, are required.
    Needs(usize, &'static [(&'static str, Type)]),
    /// Like `Keys` if the value is a table; otherwise anything.
    IfKeys(&'static [(&'static str, Type)]),
    Either(&'static [Type]),
    Null,
    Table,
    Any,
}

use Type::{
    Any, Clock, Either, IfKeys, IfList, Keys, List, Map, Needs, Null, Number, Part, Switch, Table, Text, Whole, Word,
};

const TEXTS: Type = List(&Text);

const TEXT_KEYS: &str = "\
    $schema advisorModel agent apiKeyHelper attributionProject autoMemoryDirectory awsAuthRefresh \
    awsCredentialExport claudeMd gcpAuthRefresh language minimumVersion model otelHeadersHelper outputStyle \
    plansDirectory pluginTrustMessage prUrlTemplate processWrapper proxyAuthHelper requiredMaximumVersion \
    requiredMinimumVersion timeFormat timeZone";

const SWITCH_KEYS: &str = "\
    agentPushNotifEnabled allowAllClaudeAiMcps allowClaudeInChromeWithManagedMcp allowManagedHooksOnly \
    allowManagedMcpServersOnly allowManagedPermissionRulesOnly allowNestedModelAccessUnderForceLogin \
    alwaysThinkingEnabled autoCompactEnabled autoContinueAtUsageLimit autoDreamEnabled autoMemoryEnabled \
    autoScrollEnabled autoUploadSessions awaySummaryEnabled bashEditDiffEnabled channelsEnabled \
    clawdFileProgressEnabled disableAgentView disableAllHooks disableArtifact disableBundledSkills \
    disableClaudeAiConnectors disableCommandPluginSources disableRemoteControl disableReplyCheck \
    disableSideloadFlags disableSkillShellExecution disableWindowsBashCommandSplit disableWorkflows doneMeansMerged \
    emojiCompletionEnabled enableAllProjectMcpServers enableArtifact enableWorkflows enforceAvailableModels fastMode \
    fastModePerSessionOptIn fileCheckpointingEnabled forceRemoteSettingsRefresh idleCompaction includeCoAuthoredBy \
    includeGitInstructions inputNeededNotifEnabled isolatePeerMachines precomputeCompactionEnabled \
    prefersReducedMotion promptSuggestionEnabled remoteControlAtStartup respectGitignore respondToBashCommands \
    responseComparisonEnabled showClearContextOnPlanAccept showMessageTimestamps showThinkingSummaries \
    showTurnDuration skipDangerousModePermissionPrompt skipWebFetchPreflight skipWorkflowUsageWarning \
    spinnerTipsEnabled switchModelsOnFlag syntaxHighlightingDisabled terminalProgressBarEnabled \
    terminalTitleFromRename todoFeatureEnabled totalTokensReminderAfterUserTurn verbose \
    wheelScrollAccelerationEnabled workflowKeywordTriggerEnabled wslInheritsWindowsSettings";

const LIST_KEYS: &str = "\
    allowedHttpHookUrls availableModels claudeMdExcludes companyAnnouncements fallbackModel httpHookAllowedEnvVars \
    pluginSuggestionMarketplaces";

const OTHERS: &[(&str, Type)] = &[
    ("allowedChannelPlugins", List(&Table)),
    ("allowedMarketplaces", List(&Table)),
    ("attribution", Either(&[Switch, Keys(&[("commit", Text), ("pr", Text), ("sessionUrl", Switch)])])),
    ("autoMode", Keys(&[("allow", TEXTS)])),
    ("autoUpdatesChannel", Word("latest stable rc")),
    ("blockedMarketplaces", List(&Table)),
    (
        "breakReminder",
        Keys(&[
            ("enabled", Switch),
            ("intervalMinutes", Whole(1)),
            ("breakThresholdMinutes", Whole(1)),
            ("message", Text),
        ]),
    ),
    ("cleanupPeriodDays", Whole(1)),
    ("daemonColdStart", Word("transient ask")),
    ("defaultShell", Word("bash powershell")),
    ("desktopSessionCleanupPeriodDays", Whole(0)),
    ("disableAutoMode", Word("disable")),
    ("disabledMcpjsonServers", IfList(&Text)),
    ("enabledMcpjsonServers", IfList(&Text)),
    ("enabledPlugins", Map(&PLUGIN)),
    ("env", Table),
    ("feedbackDrafts", Word("notify quiet off")),
    // 0 is allowed.
    ("feedbackSurveyRate", Part(-f64::MIN_POSITIVE, 1.0)),
    ("fileSuggestion", Needs(2, COMMAND)),
    ("forceLoginOrgUUID", Either(&[Text, TEXTS])),
    ("hooks", IfKeys(EVENTS)),
    ("managedSourcesBehavior", Word("first-wins merge")),
    ("modelOverrides", Map(&Text)),
    ("parentSettingsBehavior", Word("first-wins merge")),
    (
        "permissions",
        Keys(&[
            ("allow", List(&Any)),
            ("deny", List(&Any)),
            ("ask", List(&Any)),
            ("defaultMode", Word(MODES)),
            ("disableBypassPermissionsMode", Word("disable")),
            ("blockReadsOutsideWorkingDirectories", Switch),
            ("additionalDirectories", TEXTS),
        ]),
    ),
    ("pluginConfigs", Map(&Keys(&[("mcpServers", Map(&Map(&OPTION))), ("options", Map(&OPTION))]))),
    ("quietHours", Keys(&[("enabled", Switch), ("start", Clock), ("end", Clock)])),
    ("remote", Keys(&[("defaultEnvironmentId", Text)])),
    ("remoteTools", Keys(&[("allowUnattendedServing", Switch)])),
    (
        "sandbox",
        Keys(&[
            ("enabled", Switch),
            ("network", Keys(&[("allowedDomains", TEXTS)])),
            ("filesystem", Table),
            ("excludedCommands", TEXTS),
        ]),
    ),
    ("skillListingBudgetFraction", Part(0.0, 1.0)),
    ("skillListingMaxDescChars", Whole(1)),
    ("skillOverrides", Map(&Word("on name-only user-invocable-only off"))),
    ("spinnerVerbs", Needs(2, &[("mode", Word("append replace")), ("verbs", TEXTS)])),
    ("sshConfigs", List(&Needs(3, &[("id", Text), ("name", Text), ("sshHost", Text)]))),
    ("statusLine", Needs(2, COMMAND)),
    ("strictKnownMarketplaces", List(&Table)),
    ("syncClaudeAiPlugins", Either(&[Switch, Null])),
    ("syncClaudeAiSkills", Either(&[Switch, Null])),
    ("totalTokensReminder", Word("off infinite fixed countdown padded-countdown")),
    ("totalTokensReminderBudget", Whole(1)),
    ("tui", Word("default fullscreen")),
    ("voice", Keys(&[("enabled", Switch), ("mode", Word("hold tap")), ("autoSubmit", Switch)])),
    ("workflowSizeGuideline", Word("unrestricted small medium large")),
    ("worktree", Keys(&[("symlinkDirectories", TEXTS), ("sparsePaths", TEXTS), ("baseRef", Word("fresh head"))])),
];

const COMMAND: &[(&str, Type)] = &[("type", Word("command")), ("command", Text), ("padding", Number)];
const HOOKS: Type = List(&Keys(&[("matcher", Text), ("hooks", List(&Any))]));
const EVENTS: &[(&str, Type)] = &[
    ("Notification", HOOKS),
    ("PermissionRequest", HOOKS),
    ("PostToolUse", HOOKS),
    ("PreCompact", HOOKS),
    ("PreToolUse", HOOKS),
    ("SessionEnd", HOOKS),
    ("SessionStart", HOOKS),
    ("Stop", HOOKS),
    ("SubagentStop", HOOKS),
    ("UserPromptSubmit", HOOKS),
];
const PLUGIN: Type = Either(&[TEXTS, Switch]);
const OPTION: Type = Either(&[Text, Number, Switch, TEXTS]);
const MODES: &str = "acceptEdits bypassPermissions default dontAsk plan auto manual";

/// Returns what is wrong with the value of a key, if its type is wrong.
pub(super) fn wrong(key: &str, node: &Node) -> Option<String> {
    let among = |keys: &str| keys.split(' ').any(|known| known == key);
    let wanted = match OTHERS.iter().find(|(known, _)| *known == key) {
        Some((_, wanted)) => *wanted,
        None if among(TEXT_KEYS) => Text,
        None if among(SWITCH_KEYS) => Switch,
        None if among(LIST_KEYS) => TEXTS,
        None => return None,
    };
    (!fits(node, &wanted)).then(|| match node.value.kind() {
        kind if kind == plainly(&wanted) => format!("`{key}` has a value that is not allowed"),
        "a table" if plainly(&wanted) == "an object" => format!("`{key}` has a value that is not allowed"),
        _ => node.value.must_be(&format!("`{key}`"), plainly(&wanted)),
    })
}

/// Returns true if the value is allowed for a plugin in `enabledPlugins`.
pub(super) fn is_plugin_switch(node: &Node) -> bool {
    fits(node, &PLUGIN)
}

fn fits(node: &Node, wanted: &Type) -> bool {
    let number = match node.value {
        Value::Integer(number) => Some(number as f64),
        Value::Float(number) => Some(number),
        _ => None,
    };
    let are_right =
        |keys: &[(&str, Type)]| keys.iter().all(|(key, wanted)| node.get(key).is_none_or(|node| fits(node, wanted)));
    match wanted {
        Text => node.as_text().is_some(),
        Clock => node.as_text().is_some_and(is_clock),
        Switch => node.as_bool().is_some(),
        Number => number.is_some(),
        Whole(least) => number.is_some_and(|number| number.fract() == 0.0 && number >= *least as f64),
        Part(above, most) => number.is_some_and(|number| number > *above && number <= *most),
        Word(words) => node.as_text().is_some_and(|text| words.split(' ').any(|word| word == text)),
        List(item) => node.as_list().is_some_and(|list| list.iter().all(|node| fits(node, item))),
        IfList(item) => node.as_list().is_none_or(|list| list.iter().all(|node| fits(node, item))),
        Map(item) => node.as_table().is_some_and(|table| table.iter().all(|(_, node)| fits(node, item))),
        IfKeys(keys) => are_right(keys),
        Keys(keys) => node.as_table().is_some() && are_right(keys),
        Needs(count, keys) => {
            node.as_table().is_some()
                && keys[..*count].iter().all(|(key, _)| node.get(key).is_some())
                && are_right(keys)
        }
        Either(types) => types.iter().any(|wanted| fits(node, wanted)),
        Null => node.value == Value::Null,
        Table => node.as_table().is_some(),
        Any => true,
    }
}

fn is_clock(text: &str) -> bool {
    let number =
        |text: &str, most: u8| text.bytes().all(|b| b.is_ascii_digit()) && text.parse().is_ok_and(|n: u8| n <= most);
    text.split_once(':').is_some_and(|(hours, minutes)| {
        hours.len() <= 2 && number(hours, 23) && minutes.len() == 2 && number(minutes, 59)
    })
}

/// Returns the name of a type for messages.
fn plainly(wanted: &Type) -> &'static str {
    match wanted {
        Text | Clock | Word(_) => "a string",
        Switch => "a boolean",
        Number | Whole(_) | Part(..) => "a number",
        List(Text) | IfList(_) => "a list of strings",
        List(_) => "a list",
        Map(_) | Keys(_) | IfKeys(_) | Needs(..) | Table => "an object",
        Either(types) => plainly(&types[0]),
        Any | Null => "anything",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::parse_json;

    #[test]
    fn known_keys_have_types() {
        for (json, expected) in [
            (r#"{"model": 5}"#, false),
            (r#"{"model": null}"#, false),
            (r#"{"zzz": 5, "effortLevel": "zzz", "hooks": []}"#, true),
            (r#"{"permissions": {"deny": [5]}}"#, true),
            (r#"{"permissions": {"allow": "x"}}"#, false),
            (r#"{"statusLine": {"type": "command"}}"#, false),
            (r#"{"cleanupPeriodDays": 1.5}"#, false),
            (r#"{"enabledPlugins": {"a": ["x"], "b": true}}"#, true),
            (r#"{"pluginConfigs": {"a": {"options": {"b": {}}}}}"#, false),
            (r#"{"feedbackSurveyRate": 0}"#, true),
            (r#"{"skillListingBudgetFraction": 0}"#, false),
        ] {
            let node = parse_json(json).expect("the tests are JSON");
            let table = node.as_table().expect("the tests are objects");
            let right = table.iter().all(|(key, node)| wrong(key, node).is_none());
            assert_eq!(right, expected, "{json}");
        }
    }
}
