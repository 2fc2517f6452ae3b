//! `briefing explain`: what a kind of findings means, and what can be done about it. The pages are those that editors
//! open.

use std::process::ExitCode;

use clap::Args;

use super::show::print;
use super::{Failure, lines};
use crate::harness::choice::nearest;
use crate::report::findings::{Kind, page};

pub(super) const EXAMPLES: &str = "\
Examples:
  briefing explain                 every code, in one line each
  briefing explain over-budget     what it means, what helps, how to change its severity";

/// Arguments of `briefing explain`.
#[derive(Args)]
pub(super) struct Explain {
    /// The code of a finding, such as over-budget; without one, all of them
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

/// Prints the page.
pub(super) fn run(arguments: &Explain) -> Result<ExitCode, Failure> {
    let text = match &arguments.code {
        None => page::index(page::Links::Name),
        Some(code) => {
            let kind = Kind::of_code(code).ok_or_else(|| Failure::Misuse(unknown(code)))?;
            page::page(kind, page::Links::Name)
        }
    };
    // Without a terminal, the page is printed unwrapped, as editors open it.
    print(&lines::known_width().map_or(text.clone(), |width| lines::markdown(&text, width)))?;
    Ok(ExitCode::SUCCESS)
}

fn unknown(code: &str) -> String {
    let known: Vec<&str> = Kind::ALL.iter().map(|kind| kind.code()).collect();
    match nearest(code, &known).as_slice() {
        [] => format!("there is no finding `{code}`; `briefing explain` lists them"),
        near => format!("there is no finding `{code}`; did you mean `{}`?", near.join("`, `")),
    }
}
