//! Rules: those without paths follow the context files, those with paths come with a matching file.

use std::path::{Path, PathBuf};

use super::head;
use crate::answer::{Fate, Scope, Tool, Trigger};
use crate::glob::Picomatch;
use crate::harness::kit::conventional::{Chain, File, Load};
use crate::harness::kit::heads;
use crate::search::Known;
use crate::snapshot::{Ask, Errno, FileType, Unreadable, relative};
use crate::text::{js_trim, lossy_without_bom};

/// Folder of rules, its scope, and the name of the extension that it belongs to.
type Place = (PathBuf, Scope, Option<String>);

/// Returns the folder in the settings folder, then that of the project, then those of extensions.
pub(super) fn places(own: &Path, project: Option<&PathBuf>, extensions: Vec<(String, PathBuf)>) -> Vec<Place> {
    let global = own.join("rules");
    let project = project.map(|root| root.join(".qwen/rules")).filter(|project| *project != global);
    let mut places = vec![(global, Scope::User, None)];
    places.extend(project.map(|project| (project, Scope::Rule, None)));
    places.extend(extensions.into_iter().map(|(name, folder)| (folder, Scope::Config, Some(name))));
    places
}

/// Adds the rules of these folders.
pub(super) fn add(chain: &mut Chain, root: &Path, places: Vec<Place>) -> Known<()> {
    let mut with_paths = Vec::new();
    for (folder, scope, extension) in places {
        let files = chain.tree(&folder, ".md")?;
        chain.search.expect(files.iter().map(|file| Ask::LinkKind(file.path.clone())))?;
        for found in files.iter() {
            let path = &found.path;
            if chain.search.lstat(path, "a link is no rule")?.is_ok_and(|meta| meta.kind == FileType::Link) {
                chain.say(path, Load::start(scope, ""), Fate::Excluded, "a rule may not be a link");
                continue;
            }
            let Some(file) = chain.opened(found, Load::start(scope, "a rule")) else { continue };
            let shown = match &extension {
                Some(name) => format!("{name}:rules/{}", relative(&folder, path)),
                None => relative(root, path),
            };
            let rule = Rule::of(&file, shown);
            if rule.text.is_empty() {
                chain.say(path, Load::start(scope, ""), Fate::Empty, "no text but comments");
            } else if rule.paths.is_empty() && extension.is_some() {
                chain.say(path, Load::start(scope, ""), Fate::Excluded, "a rule of an extension needs paths");
            } else if rule.paths.is_empty() {
                give(chain, &file, &rule, Load::start(scope, "a rule that always applies"));
            } else {
                with_paths.push((file, rule, scope));
            }
        }
    }
    let read = read(chain, root)?;
    for (file, rule, scope) in with_paths {
        let list = rule.paths.join(", ");
        let mut globs = rule.paths.iter().filter_map(|pattern| Picomatch::new(pattern));
        let load = Load { scope, trigger: Trigger::Attach, reason: "" };
        let matches = globs.any(|glob| read.iter().any(|path| glob.matches(path)));
        if matches && chain.at.already_loaded.contains(&file.path) {
            let load = Load { trigger: Trigger::Read, ..load };
            chain.say(&file.path, load, Fate::Dropped, "an earlier read of this session injected it");
        } else if matches {
            let reason = format!("the file matches {list}");
            give(chain, &file, &rule, Load { reason: &reason, trigger: Trigger::Read, ..load });
        } else {
            chain.say(&file.path, load, Fate::Excluded, format!("only with files that match {list}"));
        }
    }
    Ok(())
}

/// Returns the path that the agent reads, relative to the root: as given, and after resolving symlinks.
fn read(chain: &mut Chain, root: &Path) -> Known<Vec<String>> {
    let Some(target) = chain.at.target.clone() else { return Ok(Vec::new()) };
    let found = chain.search.stat(&target, "what the agent reaches")?.map(|meta| meta.kind);
    let succeeds = match chain.at.tool {
        // An existing file is not overwritten before it was read, which already added its rules.
        Tool::Write => found.is_err(),
        Tool::Read | Tool::Edit | Tool::Shell | Tool::Mention => {
            let read = chain.search.read(&target, "a read that fails brings nothing")?;
            found == Ok(FileType::File) && !matches!(read, Err(Unreadable::Errno(Errno::ACCES)))
        }
    };
    if !succeeds {
        return Ok(Vec::new());
    }
    let below = |path: &Path, root: &Path| Some(path.strip_prefix(root).ok()?.to_str()?.replace('\\', "/"));
    let Some(named) = below(&target, root) else { return Ok(Vec::new()) };
    let mut names = vec![named];
    if let Ok(real) = chain.search.real(&target)?
        && real != target
        && let Ok(real_root) = chain.search.real(root)?
    {
        names.extend(below(&real, &real_root).filter(|name| *name != names[0]));
    }
    Ok(names)
}

fn give(chain: &mut Chain, file: &File, rule: &Rule, load: Load) {
    let Rule { shown, text, .. } = rule;
    let body = if rule.has_head { file.body() } else { file.js_trimmed() };
    chain.give(file, body, load, |_| format!("--- Rule from: {shown} ---\n{text}\n--- End of Rule from: {shown} ---"));
}

struct Rule {
    /// Name in the header.
    shown: String,
    paths: Vec<String>,
    has_head: bool,
    text: String,
}

impl Rule {
    fn of(file: &File, shown: String) -> Rule {
        let text = lossy_without_bom(file.raw()).replace("\r\n", "\n").replace('\r', "\n");
        let (front, body) = heads::qwen_code(&text).map_or((None, text.as_str()), |(head, body)| (Some(head), body));
        let mut paths = front.map(head::paths).unwrap_or_default();
        paths.retain(|pattern| !pattern.is_empty());
        Rule { shown, paths, has_head: front.is_some(), text: js_trim(&without_comments(body)).to_owned() }
    }
}

/// Removes HTML comments, and the opening `<!--` of one that is not closed.
fn without_comments(text: &str) -> String {
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(c) = rest.chars().next() {
        // Removing one comment may create another, so the kept text is checked after each character.
        kept.push(c);
        rest = &rest[c.len_utf8()..];
        if !kept.ends_with("<!--") {
            continue;
        }
        // The opening hyphens may also be the closing ones.
        let end = match rest {
            _ if rest.starts_with('>') => Some(">".len()),
            _ if rest.starts_with("->") => Some("->".len()),
            _ => rest.find("-->").map(|at| at + "-->".len()),
        };
        let Some(end) = end else { break };
        kept.truncate(kept.len() - "<!--".len());
        rest = &rest[end..];
    }
    kept.push_str(rest);
    kept.replace("<!--", "")
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
            ("a <!--> b <!---> c", "a  b  c"),
        ] {
            assert_eq!(without_comments(text), expected, "{text}");
        }
    }
}
