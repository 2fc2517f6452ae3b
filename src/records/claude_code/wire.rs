//! The lines of a record, with the fields that are used.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// The fields of a line that are used.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Line<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Cow<'a, str>,
    #[serde(borrow)]
    pub subtype: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub timestamp: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub session_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub agent_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub version: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub cwd: Option<Cow<'a, str>>,
    #[serde(default)]
    pub is_sidechain: bool,
    #[serde(borrow)]
    pub message: Option<&'a RawValue>,
    #[serde(borrow)]
    pub attachment: Option<&'a RawValue>,
    #[serde(borrow)]
    pub rendered: Option<&'a RawValue>,
    #[serde(borrow)]
    pub shape: Option<&'a RawValue>,
    #[serde(borrow)]
    pub hash: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub base: Option<Cow<'a, str>>,
    pub keep: Option<usize>,
    #[serde(borrow)]
    pub tail: Option<Vec<Cow<'a, str>>>,
    #[serde(borrow)]
    pub query_source: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub uuid: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub compact_metadata: Option<&'a RawValue>,
}

/// Messages that a compaction kept.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CompactMetadata {
    pub preserved_messages: Option<Preserved>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Preserved {
    #[serde(default)]
    pub all_uuids: Vec<String>,
}

/// System prompt and tools, which all requests share.
#[derive(Deserialize)]
pub(super) struct Shape<'a> {
    #[serde(borrow, default)]
    pub system: Vec<Text<'a>>,
    #[serde(borrow)]
    pub tools: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Text<'a> {
    #[serde(borrow, default)]
    pub text: Cow<'a, str>,
}

/// A file that is read again after a compaction.
#[derive(Deserialize)]
pub(super) struct ReadAgain {
    pub file: FileText,
}

#[derive(Deserialize)]
pub(super) struct FileText {
    pub content: String,
}

/// A skill that was called before a compaction.
#[derive(Deserialize)]
pub(super) struct Skill {
    pub path: Option<String>,
    pub content: String,
}

/// A message of the user or the model.
#[derive(Deserialize)]
pub(super) struct Message<'a> {
    #[serde(borrow)]
    pub content: Option<&'a RawValue>,
    pub usage: Option<Usage>,
}

#[derive(Deserialize)]
pub(super) struct Usage {
    #[serde(default)]
    pub input_tokens: u64,
    #[serde(default)]
    pub cache_creation_input_tokens: u64,
    #[serde(default)]
    pub cache_read_input_tokens: u64,
}

/// A part of a message.
#[derive(Deserialize)]
pub(super) struct Block<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Cow<'a, str>,
    #[serde(borrow)]
    pub id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub tool_use_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub text: Option<&'a RawValue>,
    pub input: Option<Input>,
}

/// Arguments of a tool call that name something.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Input {
    pub file_path: Option<String>,
    pub notebook_path: Option<String>,
    pub skill: Option<String>,
    pub subagent_type: Option<String>,
}

/// Text that Claude Code itself added to the context.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Attachment<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Cow<'a, str>,
    #[serde(borrow, default)]
    pub files: Option<Vec<File<'a>>>,
    #[serde(borrow)]
    pub filename: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub content: Option<&'a RawValue>,
    #[serde(borrow)]
    pub skills: Option<&'a RawValue>,
    #[serde(borrow)]
    pub added_blocks: Option<&'a RawValue>,
    #[serde(borrow)]
    pub added_lines: Option<&'a RawValue>,
    #[serde(borrow)]
    pub hook_name: Option<Cow<'a, str>>,
}

/// A file that Claude Code loaded.
#[derive(Deserialize)]
pub(super) struct File<'a> {
    #[serde(borrow)]
    pub path: Cow<'a, str>,
    #[serde(borrow)]
    pub content: Cow<'a, str>,
    #[serde(default)]
    pub globs: Option<Vec<String>>,
}

/// A text as it was sent.
#[derive(Deserialize)]
pub(super) struct Rendered<'a> {
    #[serde(borrow)]
    pub content: &'a RawValue,
}
