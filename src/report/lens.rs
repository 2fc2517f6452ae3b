//! Code lenses above an instruction file: usage of limits, the files that it applies to, and commands.

use super::findings::{Subject, title, uses};
use super::front_matter::head;
use super::words::unit;
use crate::answer::{Scope, Trigger};
use crate::text::grouped;

/// Command of a lens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leads {
    /// Shows the effective instructions of every agent.
    Show,
    /// Explains why the file is loaded or not.
    Why,
}

/// One code lens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lens {
    /// Text of the lens.
    pub title: String,
    /// Command that the lens runs.
    pub leads: Leads,
    /// Id of the agent, if the lens is about one agent.
    pub harness: Option<String>,
}

/// Returns the lenses of a file; none if no agent considers it.
pub fn lenses(subject: &Subject) -> Vec<Lens> {
    let mut found: Vec<Lens> = Vec::new();
    let beside = subject.beside().filter(|(beside, _)| beside.sources().next().is_some());
    if subject.sources().next().is_none() && beside.is_none() {
        return found;
    }
    found.extend(limits(subject, ""));
    if let Some((beside, start)) = &beside {
        found.extend(limits(beside, &format!("If started in {start}: ")));
    }
    found.extend(applies_to(subject).map(|title| Lens { title, leads: Leads::Why, harness: None }));
    found.push(Lens { title: "Show effective instructions".to_owned(), leads: Leads::Show, harness: None });
    found.push(Lens { title: "Why?".to_owned(), leads: Leads::Why, harness: None });
    found
}

/// Returns one lens for each limit, with its usage.
fn limits(subject: &Subject, condition: &str) -> Vec<Lens> {
    let mut found = Vec::new();
    for usage in uses(subject) {
        let limit = &usage.limit;
        let (wanted, value, unit) = (usage.before + usage.own, grouped(limit.value), unit(limit.unit));
        let title = title(subject, Some(&usage.harness)).unwrap_or(&usage.harness);
        let title = match wanted.checked_sub(limit.value).filter(|over| *over > 0) {
            Some(over) => format!("{condition}{title}: {} {unit} over the limit of {value}", grouped(over)),
            None => format!("{condition}{title}: {} of {value} {unit} ({} %)", grouped(wanted), usage.percent()),
        };
        found.push(Lens { title, leads: Leads::Why, harness: Some(usage.harness) });
    }
    found
}

/// Describes the files that the instructions apply to.
pub fn applies_to(subject: &Subject) -> Option<String> {
    let decoded = subject.raw.text();
    if let Some(head) = head(&decoded) {
        let patterns: Vec<&str> = head.patterns().map(|(pattern, _)| pattern.as_str()).collect();
        if !patterns.is_empty() {
            return Some(format!("applies to {}", patterns.join(", ")));
        }
    }
    let beside = subject.beside().map(|(beside, _)| beside);
    let told = |subject: &Subject| subject.sources().any(|(_, source)| source.fate.reaches());
    let subject = if told(subject) { subject } else { beside.as_ref()? };
    let (answer, source) = subject.sources().find(|(_, source)| source.fate.reaches())?;
    match (source.scope, source.trigger) {
        (Scope::User | Scope::Managed | Scope::Memory, _) => Some("applies to every project".to_owned()),
        (Scope::Import, _) => Some("imported".to_owned()),
        (Scope::Config, _) => Some("named in settings".to_owned()),
        (_, Trigger::Session | Trigger::Read) => {
            // Rules in an agent's folder apply to the directory that contains this folder.
            let dir = subject.base();
            let below = answer.answer.root.as_deref().and_then(|root| dir.strip_prefix(root).ok())?;
            Some(if below.as_os_str().is_empty() {
                "applies to the whole project".to_owned()
            } else {
                format!("applies to {}/", below.display())
            })
        }
        (_, Trigger::Attach | Trigger::Call) => None,
    }
}
