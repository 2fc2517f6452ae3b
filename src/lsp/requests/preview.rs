//! Handles `briefing/preview`, and previews as virtual documents: `briefing:/HARNESS[@EDITION]/FILE`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::Uri;

use super::super::ext::{PreviewParams, SCHEME, TextDocumentContent};
use crate::answer::Resolution;
use crate::disk::Filesystem;
use crate::engine::Core;
use crate::lsp::Context;
use crate::lsp::convert;
use crate::report::findings::page;
use crate::report::preview::{self, Preview};
use crate::request::{OneOrMany, Places, Request};

/// Result of `briefing.preview`: the preview, and its URI.
#[derive(Serialize)]
pub(crate) struct Shown {
    pub uri: String,
    #[serde(flatten)]
    pub preview: Preview,
}

/// Content of a preview's URI: the agent, and the file that it would read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub harness: String,
    pub file: Option<PathBuf>,
}

impl Context {
    /// Handles `briefing/preview`.
    pub(crate) fn preview(&self, params: PreviewParams) -> Result<Preview> {
        if let Some(text) = page_of(&params.uri) {
            return Ok(Preview { text, spans: Vec::new() });
        }
        let answer = self.core.previewed(&params.uri)?;
        self.connection.follow(params.uri, &answer);
        Ok(preview::preview(&answer, |path| self.core.files.read(path).ok()))
    }

    /// Handles `workspace/textDocumentContent`.
    pub(crate) fn text_document_content(&self, params: PreviewParams) -> Result<TextDocumentContent> {
        if let Some(text) = page_of(&params.uri) {
            return Ok(TextDocumentContent { text });
        }
        let answer = self.core.previewed(&params.uri)?;
        self.connection.follow(params.uri, &answer);
        Ok(TextDocumentContent { text: preview::prompt([&*answer]) })
    }
}

impl Core {
    /// Returns the answer that a preview shows.
    pub(crate) fn previewed(&self, uri: &str) -> Result<Arc<Resolution>> {
        let Name { harness, file } = named(uri)?;
        let cwd = self.session().cwd_for(file.as_deref());
        let cwd = cwd.ok_or_else(|| Error::invalid_params(format!("{uri} names no file, and no folder is open")))?;
        let request = Request { harness: Some(OneOrMany::One(harness)), ..Request::default() };
        let places = Places { cwd, target: file, read_before: Vec::new(), already_loaded: Vec::new() };
        let (mut answers, _) = self.answers(&request, &places)?;
        Ok(answers.remove(0))
    }
}

/// Returns the URI of a preview.
pub(crate) fn uri_of(harness: &str, file: Option<&Path>) -> String {
    let path = file.and_then(convert::uri_of);
    let path = path.as_ref().map_or("/", |uri| uri.as_str().trim_start_matches("file://"));
    format!("{SCHEME}:/{harness}{path}")
}

/// Returns the page about a kind of findings, or about all kinds, if the URI names one.
fn page_of(uri: &str) -> Option<String> {
    let about = page::of_uri(uri)?;
    Some(about.map_or_else(|| page::index(page::Links::Uri), |kind| page::page(kind, page::Links::Uri)))
}

pub(crate) fn named(uri: &str) -> Result<Name> {
    let wrong = |what: &str| Error::invalid_params(format!("{uri}: {what}; previews are {SCHEME}:/HARNESS/FILE"));
    let parsed: Uri = uri.parse().map_err(|_| wrong("not a URI"))?;
    if parsed.scheme().as_str() != SCHEME {
        return Err(wrong("not a preview"));
    }
    let path = parsed.path().as_str().trim_start_matches('/');
    let (harness, file) = path.split_once('/').unwrap_or((path, ""));
    let harness: Uri = format!("{SCHEME}:{harness}").parse().map_err(|_| wrong("not a URI"))?;
    let harness = harness.path().decode().to_string_lossy().into_owned();
    if harness.is_empty() {
        return Err(wrong("it names no harness"));
    }
    let file = file.trim_start_matches('/');
    let file = if file.is_empty() { None } else { Some(super::parsed(&format!("file:///{file}"))?) };
    Ok(Name { harness, file })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_is_named_by_its_harness_and_its_file() {
        for (uri, harness, file) in [
            ("briefing:/codex/p/a%20b/c.rs", "codex", Some("/p/a b/c.rs")),
            ("briefing:/codex@0.104/p/x", "codex@0.104", Some("/p/x")),
            ("briefing:/codex%400.104/p/x", "codex@0.104", Some("/p/x")),
            ("briefing:///opencode/p/x", "opencode", Some("/p/x")),
            ("briefing:/codex//p/x", "codex", Some("/p/x")),
            ("briefing:/codex", "codex", None),
            ("briefing:/codex/", "codex", None),
        ] {
            let name = Name { harness: harness.to_owned(), file: file.map(PathBuf::from) };
            assert_eq!(named(uri), Ok(name), "{uri}");
        }
        for uri in ["briefing:/", "briefing:", "file:///codex/p", "codex", "briefing:/a b"] {
            let error = named(uri).expect_err("no preview").message;
            assert!(error.contains("previews are briefing:/HARNESS/FILE"), "{error}");
        }
        for file in [None, Some("/p/ü b.rs")] {
            let uri = uri_of("codex@0.104", file.map(Path::new));
            assert_eq!(named(&uri).expect("a preview").file, file.map(PathBuf::from), "{uri}");
        }
    }
}
