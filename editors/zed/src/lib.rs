//! Briefing in Zed: says how the language server and the MCP server are started, and hands the settings on.

use zed_extension_api::serde_json::{Value, json};
use zed_extension_api::settings::{CommandSettings, ContextServerSettings, LspSettings};
use zed_extension_api::{
    Command, ContextServerId, Extension, LanguageServerId, Project, Result, Worktree, register_extension,
};

/// The program.
const PROGRAM: &str = "briefing";

struct Briefing;

impl Extension for Briefing {
    fn new() -> Briefing {
        Briefing
    }

    fn language_server_command(&mut self, server: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let said = LspSettings::for_worktree(server.as_ref(), worktree)?.binary;
        let found = || worktree.which(PROGRAM);
        let mut command = started(said, "lsp", found).ok_or(
            "the program `briefing` is not on PATH: install it with `cargo install`, or set lsp.briefing.binary.path",
        )?;
        // Agents started from a terminal have the variables of its shell; those of the settings come last, and win.
        command.env.splice(0..0, worktree.shell_env());
        Ok(command)
    }

    fn language_server_initialization_options(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<Value>> {
        Ok(LspSettings::for_worktree(server.as_ref(), worktree)?.initialization_options)
    }

    fn language_server_workspace_configuration(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<Value>> {
        // The server asks for its section.
        let settings = LspSettings::for_worktree(server.as_ref(), worktree)?.settings;
        Ok(settings.map(|settings| json!({ PROGRAM: settings })))
    }

    fn context_server_command(&mut self, server: &ContextServerId, project: &Project) -> Result<Command> {
        let said = ContextServerSettings::for_project(server.as_ref(), project)?.command;
        started(said, "mcp", || Some(PROGRAM.to_owned())).ok_or_else(|| "there is no program to start".to_owned())
    }
}

/// What the settings say, and what they leave open.
fn started(said: Option<CommandSettings>, subcommand: &str, found: impl Fn() -> Option<String>) -> Option<Command> {
    let (path, arguments, env) = said.map_or((None, None, None), |said| (said.path, said.arguments, said.env));
    Some(Command {
        command: path.or_else(found)?,
        args: arguments.unwrap_or_else(|| vec![subcommand.to_owned()]),
        env: env.into_iter().flatten().collect(),
    })
}

register_extension!(Briefing);
