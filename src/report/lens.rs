//! What stands above an instruction file: how much of a limit it uses, what it applies to, and what can be asked.

use super::findings::{Subject, title, uses};
use super::front_matter::head;
use super::words::unit;
use crate::answer::{Scope, Trigger};
use crate::text::grouped;

/// What a line above the file leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leads {
    /// What every harness is told.
    Show,
    /// Why the file is told, or not.
    Why,
}

/// One line above the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lens {
    /// What it says.
    pub title: String,
    /// What it leads to.
    pub leads: Leads,
    /// For which harness, if for one.
    pub harness: Option<String>,
}

/// The lines above a file that some harness considers.
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

/// How much of each limit is used.
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

/// The files for which the text is told.
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
            // Whatever folder a harness keeps its rules in, they are about the directory that holds it.
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
