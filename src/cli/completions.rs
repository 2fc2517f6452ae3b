//! `briefing completions` and `briefing man`: what shells and readers of manuals know of the program.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, Args, Command, ValueEnum};
use clap_complete::Shell as Known;
use clap_complete_nushell::Nushell;
use clap_mangen::Man as Page;

use super::Failure;
use super::show::{print, write};
use crate::harness::ALL;
use crate::queries::roster::{ALL_OF_THEM, MINE};
use crate::report::findings::Kind;

const NAME: &str = "briefing";

pub(super) const EXAMPLES: &str = "\
Examples:
  briefing completions bash > ~/.local/share/bash-completion/completions/briefing
  briefing completions zsh > ~/.zfunc/_briefing             with fpath+=~/.zfunc before compinit
  briefing completions fish > ~/.config/fish/completions/briefing.fish
  briefing completions powershell >> $PROFILE
  briefing completions nushell > briefing.nu                then: use briefing.nu *";

/// Arguments of `briefing completions`.
#[derive(Args)]
pub(super) struct Completions {
    /// The shell
    shell: Shell,
}

#[derive(Clone, Copy, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
    #[value(name = "powershell")]
    Pwsh,
    Nushell,
}

/// Arguments of `briefing man`.
#[derive(Args)]
pub(super) struct Man {
    /// Write briefing.1 and one page for each command into this directory, instead of printing the first
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints the completions.
pub(super) fn run(arguments: &Completions, command: Command) -> Result<ExitCode, Failure> {
    let mut command = with_words(command);
    let mut script = Vec::new();
    let known = match arguments.shell {
        Shell::Bash => Some(Known::Bash),
        Shell::Zsh => Some(Known::Zsh),
        Shell::Fish => Some(Known::Fish),
        Shell::Pwsh => Some(Known::PowerShell),
        Shell::Nushell => None,
    };
    match known {
        Some(shell) => clap_complete::generate(shell, &mut command, NAME, &mut script),
        None => clap_complete::generate(Nushell, &mut command, NAME, &mut script),
    }
    print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}

/// Adds the words that shells may offer, and that the parser does not insist on: ids of agents, and codes of findings.
fn with_words(command: Command) -> Command {
    let offered = |arg: Arg| match words(&arg) {
        known if known.is_empty() => arg,
        known => arg.value_parser(PossibleValuesParser::new(known)),
    };
    command.mut_args(offered).mut_subcommands(with_words)
}

/// Returns the possible values of an argument, by the name of its value.
fn words(arg: &Arg) -> Vec<&'static str> {
    let name = arg.get_value_names().and_then(<[_]>::first).map_or(arg.get_id().as_str(), |name| name.as_str());
    let agents = ALL.iter().map(|profile| profile.id);
    let codes = Kind::ALL.iter().map(|kind| kind.code());
    // The parser holds them for as long as the program runs.
    let pair = |word: &str| -> &'static str { format!("{word}=").leak() };
    match name {
        "ID" | "ID[@VERSION]" | "ID [NAME=VALUE]…" | "ID[@VERSION]] [FILE" => agents.collect(),
        "ID[@VERSION]|mine|all" => agents.chain([MINE, ALL_OF_THEM]).collect(),
        "ID=PERCENT" => agents.map(pair).collect(),
        "CODE" => codes.collect(),
        "CODE=SEVERITY" => codes.map(pair).collect(),
        _ => Vec::new(),
    }
}

/// Prints the page of the program, or writes all of them.
pub(super) fn man(arguments: &Man, mut command: Command) -> Result<ExitCode, Failure> {
    command.build();
    let Some(dir) = &arguments.out else {
        print(&page(&command)?)?;
        return Ok(ExitCode::SUCCESS);
    };
    #[expect(clippy::disallowed_methods, reason = "the command line makes the directory that the user names for it")]
    std::fs::create_dir_all(dir).map_err(|error| Failure::unwritten(&dir.display().to_string(), &error))?;
    write(&dir.join(format!("{NAME}.1")), &page(&command)?)?;
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        let name = format!("{NAME}-{}", inner.get_name());
        write(&dir.join(format!("{name}.1")), &page(&inner.clone().display_name(name))?)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn page(command: &Command) -> Result<String, Failure> {
    let mut page = Vec::new();
    let rendered = Page::new(command.clone()).render(&mut page);
    rendered.map_err(|error| Failure::unwritten("the page", &error))?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}
