//! Viewing a file adds files whose pattern matches it, then the files of every directory above it, from the inside out.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::find::named;
use super::history::Views;
use super::imports::escaped;
use super::sent::{expanded, readable};
use super::session::{Session, not_for_us};
use super::{Forms, directory_files, matches, rules};
use crate::answer::{Answer, Fate, Message, Role, Scope, Source, Standpoint, Trigger};
use crate::search::{Known, Search};
use crate::text::Size;

/// Adds one message per file.
pub(super) fn look(
    names: &'static [&'static str],
    at: &Standpoint,
    session: &Session,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<()> {
    // Patterns are matched against the path as given, with its `..` and `.`.
    let Some(target) = at.target_as_given.as_ref().filter(|_| session.behavior.views != Views::Nothing) else {
        return Ok(());
    };
    let mut view = View { names, cwd: &at.cwd, session, sent: HashSet::new() };
    // Earlier views are not repeated.
    view.sent.extend(at.already_loaded.iter().cloned());
    view.send(target, search, answer)
}

struct View<'a> {
    names: &'static [&'static str],
    cwd: &'a Path,
    session: &'a Session,
    sent: HashSet<PathBuf>,
}

impl View<'_> {
    fn send(&mut self, target: &Path, search: &mut Search, answer: &mut Answer) -> Known<()> {
        let (session, cwd) = (self.session, self.cwd);
        let root = session.root.as_path();
        // A file that does not exist brings nothing. A symlink is not resolved, only its directory is.
        if search.real(target)?.is_err() {
            return Ok(());
        }
        let real = match (target.parent(), target.file_name()) {
            (Some(dir), Some(name)) => search.real(dir)?.map(|dir| dir.join(name)),
            _ => Ok(target.to_owned()),
        };
        let Ok(real) = real else { return Ok(()) };
        if !real.starts_with(root) {
            search.never(&real, "a file outside the root brings no other files");
            return Ok(());
        }
        // Patterns are matched against the path as written; directories are those of the real path.
        let patterned = if session.behavior.views == Views::AboveAndRules { &session.patterned[..] } else { &[] };
        let forms = Forms::of(target, root);
        for patterned in patterned {
            let (path, Ok(read)) = (patterned.real_path(), &patterned.rule.read) else { continue };
            if matches(&read.front.patterns, &forms) && self.sent.insert(path.to_owned()) {
                push(path, &patterned.shown, Scope::Rule, read.size, &read.text, answer);
            }
        }
        let dirs = real.ancestors().skip(1).take_while(|dir| *dir != root && dir.starts_with(root));
        // The working directory and those above it are loaded at the start.
        for dir in dirs.take_while(|dir| !cwd.starts_with(dir)) {
            for (folder, name) in directory_files(self.names, dir) {
                let Some(found) = named(&folder, name, search)? else { continue };
                let Some(found) = self.behind_links(found, Scope::Nested, search, answer)? else { continue };
                let read = search.read(&found, "its text")?;
                let Some(raw) = readable(&read, &found, Scope::Nested, Trigger::Read, answer) else { continue };
                let text = expanded(&found, raw, (root, &session.behavior), Trigger::Read, search, answer)?;
                push(&found, &below(root, &found), Scope::Nested, raw.size(), &text, answer);
            }
            for (folder, ending) in session.behavior.rules.folders() {
                for rule in rules::below(&dir.join(folder), ending, &session.behavior, search, answer)?.iter() {
                    let read = readable(&rule.read, &rule.path, Scope::Rule, Trigger::Read, answer);
                    let Some(read) = read else { continue };
                    if read.front.excluded {
                        answer.sources.push(not_for_us(&rule.path, Trigger::Read));
                        continue;
                    }
                    if !read.front.is_everywhere() && !matches(&read.front.patterns, &forms) {
                        continue;
                    }
                    let path = self.behind_links(rule.path.clone(), Scope::Rule, search, answer)?;
                    let Some(path) = path else { continue };
                    push(&path, &below(root, &path), Scope::Rule, read.raw.size(), &read.text, answer);
                }
            }
        }
        Ok(())
    }

    /// Resolves symlinks: a view identifies files by their real paths, sends each once, and none from outside the root.
    fn behind_links(
        &mut self,
        path: PathBuf,
        scope: Scope,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Known<Option<PathBuf>> {
        let Ok(real) = search.real(&path)? else { return Ok(Some(path)) };
        if !real.starts_with(&self.session.root) {
            let source = Source::new(&path, scope, Fate::Excluded, "a link that points outside the root");
            answer.sources.push(Source { trigger: Trigger::Read, ..source });
            return Ok(None);
        }
        Ok(self.sent.insert(real.clone()).then_some(real))
    }
}

/// Returns the path relative to the root, with forward slashes.
fn below(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string().replace('\\', "/")
}

fn push(path: &Path, shown: &str, scope: Scope, size: Size, text: &str, answer: &mut Answer) {
    if text.trim().is_empty() {
        let source = Source::new(path, scope, Fate::Empty, "only white space: not sent");
        answer.sources.push(Source { trigger: Trigger::Read, ..source });
        return;
    }
    let (shown, text) = (escaped(shown), escaped(text));
    let block = format!(
        "<system_reminder>\nCustom instructions from {shown}. Apply these to any code you write here:\n\n{text}\n</system_reminder>"
    );
    let source = Source::whole(path, scope, size, "sent when the file is viewed");
    answer.sources.push(Source {
        trigger: Trigger::Read,
        message: Some(answer.messages.len()),
        part: Some(0),
        ..source
    });
    answer.messages.push(Message::instructions(Trigger::Read, Role::User, block));
}
