//! `briefing harnesses`: what Briefing knows, and what people compare harnesses by.

use std::fmt::Write;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::show::{customs, print};
use crate::harness::custom::Customs;
use crate::harness::{self, Details};

/// Arguments of `briefing harnesses`.
#[derive(Args)]
pub(super) struct Harnesses {
    /// Compare them: file names, triggers, place in the prompt, truncation …
    #[arg(long)]
    details: bool,
    /// How to print the answer
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For other programs
    Json,
}

/// One edition of a harness, or a custom harness.
#[derive(Serialize)]
struct Row {
    harness: String,
    edition: String,
    title: String,
    summary: String,
    /// First and last version it was checked on; `null` for a custom harness.
    checked: Option<(String, String)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<Detail>,
}

#[derive(Serialize)]
struct Detail {
    topic: &'static str,
    text: String,
}

/// Prints the list, or the comparison.
#[expect(clippy::disallowed_methods, reason = "the command line is where the working directory is read")]
pub(super) fn run(arguments: &Harnesses) -> Result<ExitCode, String> {
    let here = std::env::current_dir().map_err(|error| format!("the working directory cannot be read: {error}"))?;
    let customs = customs(&here);
    for problem in &customs.problems {
        eprintln!("briefing: {problem}");
    }
    let rows = rows(&customs, arguments.details);
    match arguments.format {
        Format::Json => {
            let json = serde_json::json!({ "harnesses": rows });
            print(&format!("{}\n", serde_json::to_string_pretty(&json).map_err(|error| error.to_string())?));
        }
        Format::Text => print(&words(&rows)),
    }
    Ok(ExitCode::SUCCESS)
}

fn rows(customs: &Customs, with_details: bool) -> Vec<Row> {
    let details = |phrases: Vec<String>| -> Vec<Detail> {
        let all = Details::TITLES.into_iter().zip(phrases).map(|(topic, text)| Detail { topic, text });
        all.filter(|_| with_details).collect()
    };
    let built_in = harness::ALL.iter().flat_map(|profile| {
        // The newest first: that is the one that counts when no version is named.
        profile.editions.iter().rev().map(|edition| {
            let about = edition.about();
            Row {
                harness: profile.id.to_owned(),
                edition: about.name.to_owned(),
                title: profile.title.to_owned(),
                summary: profile.summary.to_owned(),
                checked: Some((about.checked.0.to_owned(), about.checked.1.to_owned())),
                details: details(about.details.phrases().map(str::to_owned).to_vec()),
            }
        })
    });
    let declared = customs.harnesses.iter().map(|custom| Row {
        harness: custom.id.clone(),
        edition: "custom".to_owned(),
        title: custom.title.clone(),
        summary: custom.summary.clone(),
        checked: None,
        details: details(custom.details.clone()),
    });
    built_in.chain(declared).collect()
}

fn words(rows: &[Row]) -> String {
    let mut out = String::new();
    let width = rows.iter().map(|row| name(row).len()).max().unwrap_or(0);
    for row in rows {
        let checked = row.checked.as_ref().map_or_else(String::new, |(first, last)| {
            if first == last { format!(" (checked on {first})") } else { format!(" (checked on {first} to {last})") }
        });
        let _ = writeln!(out, "{:<width$}  {}{checked}: {}", name(row), row.title, row.summary);
        for Detail { topic, text } in &row.details {
            let _ = writeln!(out, "  {topic:<10}  {text}");
        }
        if !row.details.is_empty() {
            out.push('\n');
        }
    }
    out
}

fn name(row: &Row) -> String {
    if row.checked.is_some() { format!("{}@{}", row.harness, row.edition) } else { row.harness.clone() }
}
