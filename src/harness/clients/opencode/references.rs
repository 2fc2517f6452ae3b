//! References: directories beside the project that settings describe; the prompt lists them after the environment.

use std::path::Path;

use super::OpenCode;
use super::brand::OwnTexts;
use super::rules::Described;
use crate::answer::{Answer, Certain};
use crate::formats::{Node, Value};
use crate::snapshot::absolute;
use crate::text::locale_compare;

/// Keys of the settings with references; the first one is the older name.
const KEYS: [&str; 2] = ["reference", "references"];

/// Makes the references' paths absolute; they are relative to the settings file (1.18.33).
pub(super) fn anchor(settings: &mut Node, dir: &Path, home: &Path) {
    let Value::Table(entries) = &mut settings.value else { return };
    let references = entries.iter_mut().filter(|(key, _)| KEYS.contains(&key.as_str()));
    for (_, reference) in references.filter_map(|(_, node)| table(node)).flatten() {
        for (_, path) in table(reference).into_iter().flatten().filter(|(key, _)| key == "path") {
            if let Value::Text(path) = &mut path.value
                && !path.starts_with('/')
            {
                let resolved = match path.strip_prefix("~/") {
                    Some(below) => absolute(home, Path::new(below)),
                    None => absolute(dir, Path::new(&path)),
                };
                *path = resolved.to_string_lossy().into_owned();
            }
        }
    }
}

fn table(node: &mut Node) -> Option<&mut Vec<(String, Node)>> {
    match &mut node.value {
        Value::Table(entries) => Some(entries),
        _ => None,
    }
}

/// Returns the list of the references that have a description, sorted by name (1.18.33). `setting` returns the value of
/// a key.
pub(super) fn block<'s>(
    edition: &OpenCode,
    setting: impl Fn(&str) -> Option<&'s Node>,
    answer: &mut Answer,
) -> Option<String> {
    let all = KEYS.iter().filter_map(|key| setting(key)?.as_table()).flatten();
    let mut described: Vec<(&str, &Node, &str)> = all
        .filter_map(|(name, reference)| Some((name.as_str(), reference, reference.get("description")?.as_text()?)))
        .collect();
    if described.is_empty() || edition.references == Described::NotTold {
        return None;
    }
    if edition.references == Described::NotAsked || edition.brand.own_texts == OwnTexts::Named {
        let why = format!("what this version of {} says of references was not asked", edition.brand.title);
        answer.doubt(&[Certain::Text], why);
    }
    described.sort_by(|one, other| locale_compare(one.0, other.0));
    let mut lines = vec![
        "Project references provide additional directories that can be accessed when relevant.".to_owned(),
        "<available_references>".to_owned(),
    ];
    for (name, reference, description) in described {
        let path = reference.get("path").and_then(Node::as_text).unwrap_or_else(|| {
            let why =
                format!("where OpenCode keeps its copy of the repository that reference {name} names is not known");
            answer.doubt(&[Certain::Text], why);
            ""
        });
        lines.push("  <reference>".to_owned());
        lines.extend(
            [("name", name), ("path", path), ("description", description)]
                .map(|(tag, text)| format!("    <{tag}>{text}</{tag}>")),
        );
        lines.push("  </reference>".to_owned());
    }
    lines.push("</available_references>".to_owned());
    Some(lines.join("\n"))
}
