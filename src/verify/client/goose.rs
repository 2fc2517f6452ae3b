//! Goose: `goose run`, with a provider of Chat Completions.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{Client, Run, Sent, Start, said_by};
use crate::verify::harmless::Harmless;
use crate::verify::model::Call;

pub(super) static CLIENT: Client = Client {
    harness: "goose",
    harmless: &[
        Harmless::new(&["extensions", "*", "cmd"], "\"true\""),
        Harmless::new(&["extensions", "*", "uri"], "\"http://127.0.0.1:9\""),
    ],
    before: None,
    start,
    // It has no other tool that reads.
    read: Some(|file| Call {
        name: "shell",
        arguments: json!({ "command": format!("cat '{}'", file.replace('\'', "'\\''")) }),
    }),
    texts_sent,
};

const HEAD: &str = "# Additional Instructions:\n\n";
const OF_A_DIRECTORY: &str = "### Subdirectory Hints (";
/// The heads of sections, after an empty line.
const SECTIONS: [&str; 3] = [OF_A_DIRECTORY, "### Project Hints\n", "\n### Global Hints\n"];

fn start(run: &Run) -> Start {
    let start = Start::new(
        ["run", "--no-session", "--with-builtin", "developer", "-t", "hi"],
        [
            ("GOOSE_PROVIDER", "openai"),
            ("GOOSE_MODEL", "m"),
            ("OPENAI_API_KEY", "none"),
            ("GOOSE_DISABLE_KEYRING", "1"),
            ("GOOSE_MODE", "auto"),
            ("GOOSE_CONTEXT_LIMIT", "200000"),
            ("GOOSE_TELEMETRY_ENABLED", "false"),
        ],
    );
    start.with("OPENAI_HOST", run.url(""))
}

fn texts_sent(run: &Run, requests: &[Value]) -> Result<Vec<Sent>, String> {
    let system = said_by(requests.last().ok_or("no request")?, "system");
    let sections = system.split_once(HEAD).map_or_else(Vec::new, |(_, text)| sections(text));
    // What tools brought stands first, a section for each directory.
    let (brought, own): (Vec<&str>, Vec<&str>) = sections.iter().partition(|text| text.starts_with(OF_A_DIRECTORY));
    let mut told = Vec::new();
    if !own.is_empty() {
        told.push(Sent::new("session", "system", own.join("\n\n")));
    }
    let dir = |file: &Path| file.parent().and_then(|dir| fs::canonicalize(dir).ok());
    if let Some(dir_of_file) = run.file.and_then(dir)
        && !run.after.iter().any(|file| dir(file).as_ref() == Some(&dir_of_file))
    {
        let head = format!("{OF_A_DIRECTORY}{})\n", dir_of_file.display());
        let of_file = brought.into_iter().filter(|text| text.starts_with(&head));
        told.extend(of_file.map(|text| Sent::new("read", "system", text)));
    }
    Ok(told)
}

/// Splits a text where sections begin, without the empty lines between them.
fn sections(text: &str) -> Vec<&str> {
    let begins = |rest: &str| SECTIONS.iter().any(|head| rest.starts_with(head));
    let mut found = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices('\n') {
        if at >= start && text[at + 1..].strip_prefix('\n').is_some_and(begins) {
            found.push(&text[start..at]);
            start = at + 2;
        }
    }
    found.push(&text[start..]);
    found.retain(|section| !section.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::client::listed;

    #[test]
    fn what_tools_brought_stands_before_what_was_there_at_the_start() {
        let dir = tempfile::tempdir().expect("a directory");
        let dir = dir.path().canonicalize().expect("it is there");
        let system = format!(
            "Be kind.\n\n# Additional Instructions:\n\n### Subdirectory Hints ({0})\nA\n\nB\n\n### Subdirectory Hints (/e)\nE\n\n\n\n### Global Hints\nU\n\n\n### Project Hints\nP\n",
            dir.display()
        );
        let request = json!({ "messages": [{ "role": "system", "content": system }] });
        let own = "\n### Global Hints\nU\n\n\n### Project Hints\nP\n".to_owned();
        let brought = format!("### Subdirectory Hints ({})\nA\n\nB", dir.display());
        let (file, earlier) = (dir.join("t.txt"), dir.join("u.txt"));
        for (file, after, expected) in [
            (None, vec![], vec![("session system", own.clone())]),
            (Some(&*file), vec![], vec![("session system", own.clone()), ("read system", brought)]),
            (Some(&*file), vec![earlier], vec![("session system", own)]),
        ] {
            let run = Run { file, after: &after, ..Run::of_test() };
            let sent = texts_sent(&run, std::slice::from_ref(&request)).expect("of the known shape");
            let expected = expected.into_iter().map(|(what, text)| format!("{what}: {text}"));
            assert_eq!(listed(&sent), expected.collect::<Vec<_>>());
        }
    }
}
