//! Rules: those without paths stand behind the context files, those with paths come with a file that matches.

use std::path::Path;

use super::head;
use crate::answer::{Fate, Scope, Trigger};
use crate::harness::conventional::{Chain, File, Globs, Load};
use crate::search::Told;
use crate::snapshot::{Ask, Kind, relative};
use crate::text::{js_trim, lossy_without_bom};

/// Adds the rules of the settings folder, then those of the project.
pub(super) fn add(chain: &mut Chain, own: &Path, root: &Path) -> Told<()> {
    let global = own.join("rules");
    let mut places = vec![(global.clone(), Scope::User)];
    let project = root.join(".qwen/rules");
    if project != global {
        places.push((project, Scope::Rule));
    }
    let mut with_paths = Vec::new();
    for (folder, scope) in places {
        let files = chain.folder(&folder, &[".md"], true)?;
        chain.search.expect(files.iter().cloned().map(Ask::LinkKind))?;
        for path in files {
            if chain.search.lstat(&path, "a link is no rule")?.is_ok_and(|meta| meta.kind == Kind::Link) {
                chain.say(&path, Load::start(scope, ""), Fate::Excluded, "a link is no rule");
                continue;
            }
            let Some(file) = chain.file(&path, Load::start(scope, "a rule"))? else { continue };
            let rule = Rule::of(&file);
            if rule.text.is_empty() {
                chain.say(&path, Load::start(scope, ""), Fate::Empty, "no text but comments");
            } else if rule.paths.is_empty() {
                give(chain, &file, &rule, root, Load::start(scope, "a rule that always counts"));
            } else {
                with_paths.push((file, rule, scope));
            }
        }
    }
    let target = chain.at.target.clone();
    let is_read = match &target {
        Some(target) => chain.search.is_file(target, "what the agent reads")?,
        None => false,
    };
    for (file, rule, scope) in with_paths {
        let list = rule.paths.join(", ");
        let globs = Globs { base: root, names_anywhere: false, fold_case: false };
        let load = Load { scope, trigger: Trigger::Attach, reason: "" };
        if is_read && target.as_deref().is_some_and(|target| globs.any(&rule.paths, target)) {
            let reason = format!("the file matches {list}");
            give(chain, &file, &rule, root, Load { reason: &reason, trigger: Trigger::Read, ..load });
        } else {
            chain.say(&file.path, load, Fate::Excluded, format!("only with files that match {list}"));
        }
    }
    Ok(())
}

fn give(chain: &mut Chain, file: &File, rule: &Rule, root: &Path, load: Load) {
    let shown = relative(root, &file.path);
    let text = &rule.text;
    let body = if rule.has_head { file.body() } else { file.js_trimmed() };
    chain.give(file, body, load, |_| format!("--- Rule from: {shown} ---\n{text}\n--- End of Rule from: {shown} ---"));
}

struct Rule {
    paths: Vec<String>,
    has_head: bool,
    text: String,
}

impl Rule {
    fn of(file: &File) -> Rule {
        let text = lossy_without_bom(file.raw()).replace("\r\n", "\n").replace('\r', "\n");
        let (front, body) = split(&text);
        let mut paths = front.map(head::paths).unwrap_or_default();
        paths.retain(|pattern| !pattern.is_empty());
        Rule { paths, has_head: front.is_some(), text: js_trim(&without_comments(body)).to_owned() }
    }
}

/// The YAML between two lines `---`, and what is behind it.
fn split(text: &str) -> (Option<&str>, &str) {
    let Some(rest) = text.strip_prefix("---\n") else { return (None, text) };
    let mut from = 0;
    while let Some(at) = rest[from..].find("\n---").map(|at| from + at) {
        let behind = &rest[at + "\n---".len()..];
        if behind.is_empty() || behind.starts_with('\n') {
            return (Some(&rest[..at]), behind.strip_prefix('\n').unwrap_or(behind));
        }
        from = at + 1;
    }
    (None, text)
}

/// Without HTML comments, and without the beginning of one that never ends.
fn without_comments(text: &str) -> String {
    let mut text = text.to_owned();
    // Taking one away may put another together.
    while let Some(start) = text.find("<!--")
        && let Some(end) = text[start..].find("-->").map(|end| start + end + "-->".len())
    {
        text.replace_range(start..end, "");
    }
    text.replace("<!--", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_go_and_so_does_what_is_left_of_them() {
        for (text, expected) in [
            ("a <!-- b --> c", "a  c"),
            ("<!-- a <!-- b --> c -->", " c -->"),
            ("<!<!-- a -->-- b -->c", "c"),
            ("a <!-- b", "a  b"),
        ] {
            assert_eq!(without_comments(text), expected, "{text}");
        }
    }
}
