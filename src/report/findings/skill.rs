//! Findings about skills whose description is shortened or left out in an agent's list.

use super::super::front_matter;
use super::super::words::Paths;
use super::{Finding, Kind, Subject, first_line};
use crate::answer::{Described, Resolution, Source};

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
        let message = format!("{} {what}: {reason}", answer.title);
        Some(Finding {
            fate: Some(source.fate),
            ..Finding::new(Kind::SkillShortened, range.clone(), message).of(&answer.harness)
        })
    };
    subject.sources().filter_map(finding).collect()
}
