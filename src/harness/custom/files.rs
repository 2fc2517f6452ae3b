//! Path or glob of a source, alone or with limits of its own.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::limit::Limit;
use super::values::{Pattern, Word};
use crate::answer::{PromptMode, Purpose};

/// A path or glob with limits of its own.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FileTable {
    /// Path or glob.
    pub path: Pattern,
    /// Prompt modes that get the file. Default: those of the source.
    pub prompt_modes: Option<Vec<Word<PromptMode>>>,
    /// Limit of the file. Default: that of the source.
    pub limit: Option<Limit>,
    /// Purpose of the file. Default: that of the source.
    pub purpose: Option<Word<Purpose>>,
}

/// A path or glob, alone or with limits of its own.
#[derive(Clone, Debug)]
pub(super) struct FileEntry(pub FileTable);

impl<'de> Deserialize<'de> for FileEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = FileEntry;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a path, or a table with `path`")
            }

            fn visit_str<E: Error>(self, path: &str) -> Result<FileEntry, E> {
                let path = Pattern::parse(path).map_err(E::custom)?;
                Ok(FileEntry(FileTable { path, prompt_modes: None, limit: None, purpose: None }))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<FileEntry, A::Error> {
                FileTable::deserialize(MapAccessDeserializer::new(map)).map(FileEntry)
            }
        }

        deserializer.deserialize_any(Either)
    }
}

impl JsonSchema for FileEntry {
    fn schema_name() -> Cow<'static, str> {
        "FileEntry".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (path, table) = (generator.subschema_for::<Pattern>(), generator.subschema_for::<FileTable>());
        json_schema!({ "anyOf": [path, table] })
    }
}
