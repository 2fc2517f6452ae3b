//! Actions that create or complete AGENTS.md from the files of the workspace, and create a CLAUDE.md that imports it.

use std::path::Path;

use super::super::symbols::{Section, symbols};
use super::disk::Disk;
use super::workspace::{self, Part};
use super::{Action, Edit, Group};

/// Returns the actions for a workspace.
pub(super) fn actions(top: &Path, disk: Disk) -> Vec<Action> {
    let agents = top.join("AGENTS.md");
    let other_case = || disk.names(top).into_iter().any(|name| name.eq_ignore_ascii_case("AGENTS.md"));
    let mut found = Vec::new();
    if disk.is_taken(&agents) {
        found.extend(completed(&agents, disk));
        let claude = ["CLAUDE.md", ".claude/CLAUDE.md"].map(|name| top.join(name));
        if claude.iter().all(|path| !disk.is_taken(path)) {
            let edit = Edit::Create { path: claude[0].clone(), text: "@AGENTS.md\n".to_owned() };
            found.push(action("Create CLAUDE.md that imports AGENTS.md", edit));
        }
    } else if !other_case() {
        let edit = Edit::Create { path: agents, text: skeleton(top, disk) };
        found.push(action("Create AGENTS.md from what the workspace says", edit));
    }
    found
}

fn action(title: &str, edit: Edit) -> Action {
    Action { title: title.to_owned(), group: Group::Workspace, fixes: None, preferred: false, edits: vec![edit] }
}

/// Renders a new AGENTS.md: a section for each part, and the rules of other tools.
fn skeleton(top: &Path, disk: Disk) -> String {
    let name = top.file_name().unwrap_or_default().to_string_lossy();
    let mut text = format!("# {name}\n");
    for part in workspace::parts(top, disk) {
        text.push_str(&section(&part));
    }
    for (from, rules) in workspace::rules_of_others(top, disk) {
        text.push_str(&format!("\n## From {from}\n\n{}\n", rules.trim()));
    }
    text
}

fn section(part: &Part) -> String {
    let lines: String = part.lines.iter().map(|line| format!("- {line}\n")).collect();
    let gap = if lines.is_empty() { "" } else { "\n" };
    format!("\n## {}\n{gap}{lines}", part.title)
}

/// Returns the action that appends missing sections. Sections without content are not added.
fn completed(agents: &Path, disk: Disk) -> Option<Action> {
    let text = disk.read(agents).filter(|_| !disk.is_link(agents))?;
    let mut titles = Vec::new();
    let mut todo: Vec<Section> = symbols(&text);
    while let Some(section) = todo.pop() {
        titles.push(section.title.to_lowercase());
        todo.extend(section.children);
    }
    let top = agents.parent()?;
    let missing: Vec<Part> = workspace::parts(top, disk)
        .into_iter()
        .filter(|part| !part.lines.is_empty())
        .filter(|part| !titles.iter().any(|title| part.words.iter().any(|word| title.contains(word))))
        // A file that already contains a command needs no section on it.
        .filter(|part| !part.commands.iter().any(|command| text.contains(command.as_str())))
        .collect();
    if missing.is_empty() {
        return None;
    }
    let names: Vec<&str> = missing.iter().map(|part| part.title).collect();
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let added: String = missing.iter().map(section).collect();
    let edit = Edit::Replace { path: agents.to_owned(), range: text.len()..text.len(), text: format!("{end}{added}") };
    Some(action(&format!("Add to AGENTS.md: {}", names.join(", ")), edit))
}
