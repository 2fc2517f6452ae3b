//! Shape of `config.yaml`: the client refuses to start if a known key has a value of another shape (Continue 1.5.47).

use crate::formats::{Node, Value};

/// Accepted values. The name of an optional key ends in `?`; further keys may have any value.
enum Shape {
    Text,
    Number,
    Flag,
    Any,
    OneOf(&'static [Shape]),
    Word(&'static [&'static str]),
    List(&'static Shape),
    Record(&'static Shape),
    Table(&'static [(&'static str, Shape)]),
}

use Shape::{Any, Flag, List, Number, OneOf, Record, Table, Text, Word};

const TEXT_OR_TEXTS: Shape = OneOf(&[Text, List(&Text)]);
const SINGLE: Shape = OneOf(&[Text, Number, Flag]);

const REQUEST: Shape = Table(&[
    ("timeout?", Number),
    ("verifySsl?", Flag),
    ("caBundlePath?", TEXT_OR_TEXTS),
    ("proxy?", Text),
    ("headers?", Record(&Text)),
    ("extraBodyProperties?", Record(&Any)),
    ("noProxy?", List(&Text)),
    ("clientCertificate?", Table(&[("cert", Text), ("key", Text), ("passphrase?", Text)])),
]);

/// Entry that is fetched from elsewhere.
const FETCHED: Shape = Table(&[("uses", Text), ("with?", Record(&Text))]);

const ROLES: &[&str] = &["chat", "autocomplete", "embed", "rerank", "edit", "apply", "summarize", "subagent"];

const COMPLETION: Shape = Table(&[
    ("contextLength?", Number),
    ("maxTokens?", Number),
    ("temperature?", Number),
    ("topP?", Number),
    ("topK?", Number),
    ("minP?", Number),
    ("presencePenalty?", Number),
    ("frequencyPenalty?", Number),
    ("stop?", List(&Text)),
    ("n?", Number),
    ("reasoning?", Flag),
    ("reasoningBudgetTokens?", Number),
    ("promptCaching?", Flag),
    ("stream?", Flag),
    ("keepAlive?", Number),
]);

const MODEL: Shape = Table(&[
    ("name", Text),
    ("provider", Text),
    ("model", Text),
    ("apiKey?", Text),
    ("apiBase?", Text),
    ("contextLength?", Number),
    ("maxStopWords?", Number),
    ("roles?", List(&Word(ROLES))),
    ("capabilities?", List(&Text)),
    ("defaultCompletionOptions?", COMPLETION),
    ("cacheBehavior?", Table(&[("cacheSystemMessage?", Flag), ("cacheConversation?", Flag)])),
    ("requestOptions?", REQUEST),
    ("useLegacyCompletionsEndpoint?", Flag),
    ("useResponsesApi?", Flag),
    ("env?", Record(&SINGLE)),
    ("sourceFile?", Text),
]);

const RULE: Shape = Table(&[
    ("name", Text),
    ("rule", Text),
    ("description?", Text),
    ("globs?", TEXT_OR_TEXTS),
    ("regex?", TEXT_OR_TEXTS),
    ("alwaysApply?", Flag),
    ("invokable?", Flag),
    ("sourceFile?", Text),
]);

const COMMAND_SERVER: Shape = Table(&[
    ("name", Text),
    ("serverName?", Text),
    ("faviconUrl?", Text),
    ("sourceFile?", Text),
    ("sourceSlug?", Text),
    ("connectionTimeout?", Number),
    ("command", Text),
    ("type?", Word(&["stdio"])),
    ("args?", List(&Text)),
    ("env?", Record(&Text)),
    ("cwd?", Text),
]);

const URL_SERVER: Shape = Table(&[
    ("name", Text),
    ("serverName?", Text),
    ("faviconUrl?", Text),
    ("sourceFile?", Text),
    ("sourceSlug?", Text),
    ("connectionTimeout?", Number),
    ("url", Text),
    ("type?", Word(&["sse", "streamable-http"])),
    ("apiKey?", Text),
    ("requestOptions?", REQUEST),
]);

const CONTEXT: Shape = Table(&[("name?", Text), ("provider", Text)]);

const PROMPT: Shape = Table(&[("name", Text), ("description?", Text), ("prompt", Text), ("sourceFile?", Text)]);

const DOCS: Shape = Table(&[
    ("name", Text),
    ("startUrl", Text),
    ("rootUrl?", Text),
    ("faviconUrl?", Text),
    ("useLocalCrawling?", Flag),
    ("sourceFile?", Text),
]);

const DATA: Shape = Table(&[("name", Text), ("destination", Text), ("schema", Text)]);

const SETTINGS: &[(&str, Shape)] = &[
    ("name", Text),
    ("version", Text),
    ("schema?", Text),
    ("metadata?", Record(&Text)),
    ("env?", Record(&SINGLE)),
    ("requestOptions?", REQUEST),
    ("models?", List(&OneOf(&[MODEL, FETCHED]))),
    ("context?", List(&OneOf(&[CONTEXT, FETCHED]))),
    ("data?", List(&OneOf(&[DATA, FETCHED]))),
    ("mcpServers?", List(&OneOf(&[COMMAND_SERVER, URL_SERVER, FETCHED]))),
    ("rules?", List(&OneOf(&[Text, RULE, FETCHED]))),
    ("prompts?", List(&OneOf(&[PROMPT, FETCHED]))),
    ("docs?", List(&OneOf(&[DOCS, FETCHED]))),
];

/// Keys of a model, a server or a destination of data whose values are not checked.
const UNCHECKED: [&str; 8] = [
    "embedOptions",
    "chatOptions",
    "promptTemplates",
    "autocompleteOptions",
    "connectionTimeout",
    "destination",
    "uses",
    "override",
];

/// Returns the first key with a value that the client does not accept.
pub(super) fn misfit(settings: &Node) -> Option<&'static str> {
    let wrong = SETTINGS.iter().find(|key| !key_fits(key, settings))?;
    Some(wrong.0.trim_end_matches('?'))
}

/// Returns a key, not of `rules`, whose value is fetched from elsewhere or was not checked.
pub(super) fn unchecked(settings: &Node) -> Option<String> {
    let blocks = settings.as_table()?.iter().filter(|(key, _)| key != "rules");
    let entries = blocks.filter_map(|(key, list)| Some(list.as_list()?.iter().map(move |entry| (key, entry))));
    entries.flatten().find_map(|(block, entry)| {
        UNCHECKED.iter().find(|key| entry.get(key).is_some()).map(|key| format!("{block}.{key}"))
    })
}

fn key_fits((key, shape): &(&str, Shape), table: &Node) -> bool {
    let name = key.trim_end_matches('?');
    table.get(name).map_or(name != *key, |node| shape.fits(node))
}

impl Shape {
    fn fits(&self, node: &Node) -> bool {
        match self {
            Any => true,
            Text => node.as_text().is_some(),
            Number => match node.value {
                Value::Integer(_) => true,
                Value::Float(number) => !number.is_nan(),
                _ => false,
            },
            Flag => node.as_bool().is_some(),
            OneOf(shapes) => shapes.iter().any(|shape| shape.fits(node)),
            Word(words) => node.as_text().is_some_and(|text| words.contains(&text)),
            List(shape) => node.as_list().is_some_and(|list| list.iter().all(|node| shape.fits(node))),
            Record(shape) => node.as_table().is_some_and(|table| table.iter().all(|(_, node)| shape.fits(node))),
            Table(keys) => node.as_table().is_some() && keys.iter().all(|key| key_fits(key, node)),
        }
    }
}
