//! Commands for clients that support no custom requests: each returns the result of one request. Only `briefing.fetch`
//! and `briefing.apply` have effects, and ask the user first.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{self, ExecuteCommandParams, ShowDocumentParams, Uri};

use super::super::ext::{PreviewParams, SCHEME};
use super::super::{Context, Server};
use super::{parsed, preview};

/// Commands that the server executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Show,
    Preview,
    Why,
    Compare,
    Report,
    Files,
    Fetch,
    Apply,
}

impl Command {
    /// All commands.
    pub const ALL: [Command; 8] = [
        Command::Show,
        Command::Preview,
        Command::Why,
        Command::Compare,
        Command::Report,
        Command::Files,
        Command::Fetch,
        Command::Apply,
    ];

    /// Returns the name on the wire.
    pub fn word(self) -> &'static str {
        match self {
            Command::Show => "briefing.show",
            Command::Preview => "briefing.preview",
            Command::Why => "briefing.why",
            Command::Compare => "briefing.compare",
            Command::Report => "briefing.report",
            Command::Files => "briefing.files",
            Command::Fetch => "briefing.fetch",
            Command::Apply => "briefing.apply",
        }
    }

    /// Returns the command with its argument, as LSP represents it.
    pub fn with(self, title: &str, argument: Value) -> ls_types::Command {
        ls_types::Command { title: title.to_owned(), command: self.word().to_owned(), arguments: Some(vec![argument]) }
    }
}

/// Argument of a code lens: a file and an agent.
#[derive(Deserialize)]
struct About {
    uri: Option<String>,
    harness: Option<String>,
}

impl Server {
    /// Executes a command. The argument is the parameters of the request, or `{uri, harness}`.
    pub(crate) async fn execute(&self, params: ExecuteCommandParams) -> Result<Value> {
        let Some(command) = Command::ALL.into_iter().find(|command| command.word() == params.command) else {
            return Err(Error::invalid_params(format!("there is no command `{}`", params.command)));
        };
        let argument = params.arguments.into_iter().next().unwrap_or_else(|| Value::Object(serde_json::Map::new()));
        match command {
            Command::Show => self.requested(with_document(argument), Context::effective_instructions).await,
            Command::Report => self.requested(with_document(argument), Context::context_report).await,
            Command::Why => self.requested(with_document(argument), Context::explain).await,
            Command::Compare => self.requested(argument, Context::compare).await,
            Command::Files => self.requested(argument, Context::instruction_files).await,
            Command::Fetch => to_json(self.fetch(read(with_document(argument))?).await),
            Command::Apply => to_json(self.apply(read(argument)?).await.map(|applied| json!({ "applied": applied }))),
            Command::Preview => to_json(self.show_preview(read(argument)?).await),
        }
    }

    /// Handles a request whose parameters are the argument of a command.
    async fn requested<P, R>(&self, argument: Value, work: fn(&Context, P) -> Result<R>) -> Result<Value>
    where
        P: DeserializeOwned + Send + 'static,
        R: Serialize + 'static,
    {
        let params = read(argument)?;
        self.on_thread(move |context| to_json(work(context, params))).await
    }

    async fn show_preview(&self, about: About) -> Result<preview::Shown> {
        let uri = match about {
            About { uri: Some(uri), .. } if uri.starts_with(&format!("{SCHEME}:")) => uri,
            About { uri, harness: Some(harness) } => {
                let file = uri.as_deref().map(parsed).transpose()?;
                preview::uri_of(&harness, file.as_deref())
            }
            About { harness: None, .. } => return Err(Error::invalid_params("a preview is of one harness: name it")),
        };
        let params = PreviewParams { uri: uri.clone() };
        let preview = self.on_thread(|context| context.preview(params)).await?;
        if self.connection.abilities().shows_documents
            && let Ok(uri) = uri.parse::<Uri>()
        {
            let show = ShowDocumentParams { uri, external: None, take_focus: Some(true), selection: None };
            if let Err(error) = self.connection.client.show_document(show).await {
                tracing::warn!("the client does not show the preview: {error}");
            }
        }
        Ok(preview::Shown { uri, preview })
    }
}

/// Converts `uri` to `textDocument`.
fn with_document(mut argument: Value) -> Value {
    if let Value::Object(fields) = &mut argument
        && let Some(uri) = fields.remove("uri")
    {
        fields.entry("textDocument").or_insert_with(|| json!({ "uri": uri }));
    }
    argument
}

fn read<T: DeserializeOwned>(argument: Value) -> Result<T> {
    serde_json::from_value(argument).map_err(|error| Error::invalid_params(error.to_string()))
}

fn to_json<T: Serialize>(result: Result<T>) -> Result<Value> {
    serde_json::to_value(result?).map_err(|_| Error::internal_error())
}
