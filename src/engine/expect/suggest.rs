//! Suggests expectations for what holds today.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::answer::Resolution;
use crate::disk::Filesystem;
use crate::engine::alone::at_rest;
use crate::engine::settings::Settings;
use crate::report::expect::{Reached, Wanted, decoded, judge, paragraphs, section};
use crate::report::markdown::headings;
use crate::report::why::Sought;
use crate::request::Defaults;

/// Suggests an expectation for each section of the instruction files that reaches every agent started in `cwd`.
///
/// # Errors
/// If the settings are invalid. The error is a message for people.
pub fn suggest(base: Defaults, cwd: &Path, settings: Settings) -> Result<String, String> {
    let core = at_rest(base, cwd, settings, None)?;
    let cwd = core.session().folders[0].clone();
    let answers = core.started_in(&cwd)?;
    let mut files: Vec<PathBuf> = Vec::new();
    for source in answers.iter().flat_map(|answer| &answer.answer.sources) {
        let path = source.path().filter(|path| path.starts_with(&cwd) && source.fate.reaches());
        files.extend(path.filter(|path| !files.iter().any(|known| known == path)).map(Path::to_owned));
    }
    let (mut out, mut ids) = (String::new(), BTreeSet::new());
    for path in files {
        let Ok(raw) = core.files.read(&path) else { continue };
        let text = decoded(&raw);
        let name = path.strip_prefix(&cwd).unwrap_or(&path).display().to_string();
        for heading in headings(&text) {
            let texts = section(&text, &heading).map(paragraphs).unwrap_or_default();
            let wanted = Wanted::Present(texts.iter().filter_map(|text| Sought::new(text)).collect());
            let gets = |answer: &&Arc<Resolution>| {
                judge(&wanted, answer, Reached::AtStart, &|one, text| text.is_in(&one.text)).is_ok()
            };
            let agents: BTreeSet<&str> = answers.iter().filter(gets).map(|answer| answer.harness.as_str()).collect();
            if texts.is_empty() || agents.is_empty() {
                continue;
            }
            out.push_str(&entry(&id(&heading, &mut ids), &name, &heading, &agents));
        }
    }
    if out.is_empty() {
        out = "# No section of an instruction file reaches an agent that is started here.\n".to_owned();
    }
    Ok(out)
}

/// Returns an id for a heading that no other entry has.
fn id(heading: &str, taken: &mut BTreeSet<String>) -> String {
    let words = heading.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { ' ' });
    let words = words.collect::<String>().split_whitespace().collect::<Vec<_>>().join("-");
    let plain = if words.is_empty() { "section".to_owned() } else { words };
    let mut numbered = (2..).map(|number| format!("{plain}-{number}"));
    let mut id = plain.clone();
    while !taken.insert(id.clone()) {
        id = numbered.next().unwrap_or_default();
    }
    id
}

/// Renders an entry of a `briefing.toml`.
fn entry(id: &str, file: &str, heading: &str, agents: &BTreeSet<&str>) -> String {
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let agents = agents.iter().map(|agent| quoted(agent)).collect::<Vec<_>>().join(", ");
    let section = quoted(&format!("{file}#{heading}"));
    format!("[[expect]]\nid = {}\nsection = {section}\nagents = [{agents}]\nwhen = \"start\"\n\n", quoted(id))
}
