//! Skills: those of directories in the configuration, of the state directory, of the user, and of the workspace.

use std::path::{Path, PathBuf};

use super::head::Head;
use super::turn::Turn;
use crate::answer::{Fate, Message, Role, Scope, Source, Trigger};
use crate::formats::Node;
use crate::harness::skills::{self, Skill, Walk, element, is_on, sort_by_name, xml};
use crate::search::{Search, Told};
use crate::snapshot::Ask;

/// Folders are entered this deep, and links are not followed; OpenClaw 2026.9.6.
const WALK: Walk =
    Walk { depth: 3, hidden: false, folder_links: false, file_links: false, ends_at_skill: true, root_counts: true };

impl Turn<'_> {
    /// The list, and the skills as sources. Those that come with OpenClaw and its plugins are not repeated.
    pub(super) fn skills(&self, search: &mut Search) -> Told<(Option<Message>, Vec<Source>)> {
        let (mut found, mut refused): (Vec<Skill>, Vec<Source>) = Default::default();
        let places = self.places();
        search.expect(places.iter().map(|(dir, _)| Ask::Listing(dir.clone())))?;
        // The strongest place comes first, and the end of the alphabet in each.
        for (dir, scope) in places.into_iter().rev() {
            for path in skills::below(&dir, WALK, search)?.into_iter().rev() {
                found.extend(self.skill(&path, scope, search, &mut refused)?);
            }
        }
        skills::first_of_each_name(&mut found);
        sort_by_name(&mut found, |skill| &skill.name);
        let counted = found.iter().filter(|skill| skill.counts());
        let entries: Vec<String> = counted.map(|skill| element("  ", skill, &self.short(skill.path()), xml)).collect();
        let list = skills::list(Trigger::Session, Role::System, &entries);
        Ok((list, refused.into_iter().chain(found.into_iter().map(|skill| skill.source)).collect()))
    }

    /// Where skills are looked for, the weakest place first.
    fn places(&self) -> Vec<(PathBuf, Scope)> {
        let more = self.config.at_path(&["skills", "load", "extraDirs"]).and_then(Node::as_texts).unwrap_or_default();
        let mut places: Vec<(PathBuf, Scope)> =
            more.into_iter().map(|dir| (self.home.path(dir), Scope::Config)).collect();
        places.push((self.home.on_disk(&self.home.state.join("skills")), Scope::User));
        places.push((self.home.home.join(".agents/skills"), Scope::User));
        places.push((self.workspace.join(".agents/skills"), Scope::Project));
        places.push((self.workspace.join("skills"), Scope::Project));
        places
    }

    fn skill(&self, path: &Path, scope: Scope, search: &mut Search, refused: &mut Vec<Source>) -> Told<Option<Skill>> {
        let Some(file) = skills::read(path, scope, search, refused)? else { return Ok(None) };
        let text = file.text.strip_prefix('\u{feff}').unwrap_or(&file.text).to_owned();
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let head = skills::head(&text).and_then(|(head, _)| Head::of(head));
        let value = |key: &str| head.as_ref().and_then(|head| head.text(key));
        let Some(description) = value("description") else {
            refused.push(file.refused("its head must have a `description`"));
            return Ok(None);
        };
        let folder = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
        let mut skill = file.named(value("name").unwrap_or(folder), description);
        let entry = ["skills", "entries", &skill.name, "enabled"];
        let allowed = self.config.of_agent(self.agent, "skills").and_then(Node::as_texts);
        if head.as_ref().is_some_and(|head| is_on(head.node(), "disable-model-invocation")) {
            skill.leave_out(Fate::Excluded, "`disable-model-invocation`: only the user calls for it");
        } else if self.config.at_path(&entry).and_then(Node::as_bool) == Some(false) {
            skill.leave_out(Fate::Excluded, "skills.entries switches it off in the configuration");
        } else if allowed.is_some_and(|allowed| !allowed.contains(&skill.name.as_str())) {
            skill.leave_out(Fate::Excluded, "`skills` of the agent does not name it");
        } else if let Some(what) = head.as_ref().map(Head::node).and_then(requirements) {
            let reason = format!("listed only where its requirements are met, which are not looked for: {what}");
            skill.leave_out(Fate::Pending, reason);
        }
        Ok(Some(skill))
    }

    /// The path as the list has it.
    fn short(&self, path: &Path) -> String {
        match path.strip_prefix(&self.home.home) {
            Ok(inside) => format!("~/{}", inside.display()),
            Err(_) => path.display().to_string(),
        }
    }
}

/// What a skill asks of the machine: programs, variables, settings.
fn requirements(head: &Node) -> Option<String> {
    let metadata = head.at_path(&["metadata", "openclaw"])?;
    if is_on(metadata, "always") {
        return None;
    }
    let required = metadata.get("requires").and_then(Node::as_table).unwrap_or_default();
    let mut names: Vec<&str> = required.iter().map(|(key, _)| key.as_str()).collect();
    names.extend(metadata.get("os").map(|_| "os"));
    (!names.is_empty()).then(|| names.join(", "))
}
