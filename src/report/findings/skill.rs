//! Findings about skills whose description is shortened or left out in an agent's list.

use super::super::front_matter;
use super::super::words::{Paths, list};
use super::{Finding, Kind, Subject, first_line};
use crate::answer::{Described, Per, Purpose, Resolution, Source};
use crate::text::grouped;

/// Number of skills that are named because they cost most.
const COSTLY: usize = 3;

/// Returns the findings about the listing of a skill.
pub(super) fn findings(subject: &Subject) -> Vec<Finding> {
    let head = subject.raw.as_text().and_then(front_matter::head);
    let described = head.iter().flat_map(|head| head.values("description")).next().map(|(_, at)| at.clone());
    let range = described.unwrap_or_else(|| first_line(subject.raw));
    let finding = |(answer, source): (&Resolution, &Source)| {
        let reason = Paths::of(answer).text(&source.reason);
        let what = match source.described {
            Described::Whole => return None,
            Described::InPart => "lists this skill with a part of its description",
            Described::ByName => "lists this skill without its description",
            Described::LeftOut => "does not list this skill",
        };
        let is_own_limit = source.limit.as_ref().is_some_and(|limit| limit.per == Per::Source);
        let costly = if is_own_limit { String::new() } else { costly(answer) };
        let message = format!("{} {what}: {reason}{costly}", answer.title);
        Some(Finding {
            fate: Some(source.fate),
            ..Finding::new(Kind::SkillShortened, range.clone(), message).of(&answer.harness)
        })
    };
    subject.sources().filter_map(finding).collect()
}

/// Names the skills that take most of a list, with the size of what is listed of each.
fn costly(answer: &Resolution) -> String {
    let listed = answer.answer.sources.iter().filter(|source| source.purpose == Purpose::Skill);
    let mut listed: Vec<(usize, String)> = listed
        .filter(|source| source.fate.reaches())
        .filter_map(|source| {
            let name =
                source.called.clone().or_else(|| Some(source.path()?.parent()?.file_name()?.to_str()?.to_owned()));
            Some((source.sent?.bytes, name?))
        })
        .collect();
    listed.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    let named: Vec<String> =
        listed.into_iter().take(COSTLY).map(|(bytes, name)| format!("{name} ({} B)", grouped(bytes))).collect();
    if named.is_empty() { String::new() } else { format!("; most of it is {}", list(&named)) }
}
