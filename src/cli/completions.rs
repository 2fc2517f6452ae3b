//! `briefing completions` and `briefing man`: what shells and readers of manuals know of the program.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Command, ValueEnum};
use clap_complete::Shell as Known;
use clap_complete_nushell::Nushell;
use clap_mangen::Man as Page;

use super::Failure;
use super::show::{print, write};

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
pub(super) fn run(arguments: &Completions, mut command: Command) -> Result<ExitCode, Failure> {
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
