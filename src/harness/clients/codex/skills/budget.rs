//! The budget of the list of skills, and how the list is cut to it.

use crate::harness::clients::codex::history as h;
use crate::harness::{Change, Version};

/// Budget of a list of skills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Budget {
    pub limit: usize,
    pub unit: Unit,
}

/// Unit of the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Unit {
    /// Tokens of four bytes; the budget is 2 % of the model's context window (Codex 0.169).
    Tokens,
    /// Characters, if the settings set the context window to zero or less.
    Characters,
}

impl Unit {
    pub fn word(self) -> &'static str {
        match self {
            Unit::Tokens => "tokens",
            Unit::Characters => "characters",
        }
    }
}

/// Budget of the list in characters if no share of a context window can be computed (Codex 0.169).
const CHARACTERS: usize = 8000;

/// The context window of a model, in tokens.
#[derive(Clone, Copy)]
pub(in super::super) struct Model {
    /// Prefix of the model's name.
    name: &'static str,
    /// Default context window.
    window: usize,
    /// Maximum context window that settings may request.
    most: usize,
    /// Change since which versions know the model with these values; `None` if the oldest one does.
    came: Option<&'static Change>,
    /// Change since which versions no longer do.
    went: Option<&'static Change>,
}

const fn model(
    name: &'static str,
    (window, most): (usize, usize),
    came: Option<&'static Change>,
    went: Option<&'static Change>,
) -> Model {
    Model { name, window, most, came, went }
}

const SMALL: (usize, usize) = (272_000, 272_000);
const MEDIUM: (usize, usize) = (372_000, 372_000);
const USUAL: (usize, usize) = (272_000, 872_000);
const LARGE: (usize, usize) = (272_000, 1_000_000);

/// Models as `codex debug models` lists them; the first one that a version knows is the default.
const MODELS: &[Model] = &[
    model("gpt-6.1-sol", USUAL, Some(&h::MODELS_159), None),
    model("gpt-6-astra", USUAL, Some(&h::MODELS_153), None),
    model("gpt-6.1-terra", (500_000, 872_000), Some(&h::MODELS_165), None),
    model("gpt-6-sol", USUAL, Some(&h::MODELS_156), None),
    model("gpt-6-luna", USUAL, Some(&h::MODELS_156), None),
    model("gpt-5.6-", USUAL, Some(&h::GIT_HOLDS_HEAD), None),
    model("gpt-5.6-", SMALL, Some(&h::MODELS_144_6), Some(&h::GIT_HOLDS_HEAD)),
    model("gpt-5.6-", MEDIUM, Some(&h::MODELS_144), Some(&h::MODELS_144_6)),
    model("gpt-daybreak-blue-latest", USUAL, Some(&h::DISTRUST), None),
    model("gpt-daybreak-red-latest", MEDIUM, Some(&h::DISTRUST), None),
    model("gpt-5.5", SMALL, Some(&h::MODELS_125), None),
    model("gpt-5.4-mini", SMALL, Some(&h::MODELS_123), Some(&h::MODELS_155)),
    model("gpt-5.4", LARGE, None, Some(&h::MODELS_158)),
    model("codex-auto-review", USUAL, Some(&h::DISTRUST), None),
    model("codex-auto-review", LARGE, Some(&h::MODELS_123), Some(&h::DISTRUST)),
    model("gpt-oss-", (128_000, 128_000), None, Some(&h::MODELS_123)),
];

const UNKNOWN: Model = model("", SMALL, None, None);

/// Returns the models that a version knows; the first is the default.
pub(in super::super) fn models(version: Version) -> Vec<Model> {
    let has = |change: &'static Change| version.has(change);
    let knows = |model: &&Model| model.came.is_none_or(has) && !model.went.is_some_and(has);
    MODELS.iter().filter(knows).copied().collect()
}

impl Budget {
    /// Returns the budget for a model, or for the default model, and the value of `model_context_window`.
    pub fn of(models: &[Model], model: Option<&str>, window: Option<i64>) -> Budget {
        let default = models.first().unwrap_or(&UNKNOWN);
        let name = model.unwrap_or(default.name);
        let known = models.iter().filter(|model| name.starts_with(model.name)).max_by_key(|model| model.name.len());
        let model = known.unwrap_or(&UNKNOWN);
        let (limit, unit) = match window.map(usize::try_from) {
            None => (model.window * 2 / 100, Unit::Tokens),
            Some(Ok(window @ 1..)) => ((window.min(model.most) * 2 / 100).max(1), Unit::Tokens),
            Some(Ok(0) | Err(_)) => (CHARACTERS, Unit::Characters),
        };
        Budget { limit, unit }
    }

    /// Returns the cost of a text, in the budget's unit.
    fn cost(self, text: &str) -> usize {
        self.taken(text.len(), text.chars().count())
    }

    fn taken(self, bytes: usize, characters: usize) -> usize {
        match self.unit {
            Unit::Tokens => bytes.div_ceil(4),
            Unit::Characters => characters,
        }
    }

    /// Returns the additional cost of a list with a table of roots: the table, and the difference of the introductions.
    pub fn overhead(self, roots: &str, introductions: Introductions) -> usize {
        let Introductions { with_roots, without } = introductions;
        let with_roots = self.taken(with_roots + roots.len(), with_roots + roots.chars().count());
        with_roots.saturating_sub(self.taken(without, without))
    }
}

/// Lengths of the introductions to the list, in bytes; all characters are ASCII.
#[derive(Clone, Copy)]
pub(in super::super) struct Introductions {
    pub with_roots: usize,
    pub without: usize,
}

/// A line of the list.
pub(super) struct Line<'a> {
    pub name: &'a str,
    pub description: &'a str,
    /// Path of its file, either starting with the number of its root, or whole.
    pub file: String,
}

impl Line<'_> {
    /// Formats the line with the first `characters` of the description.
    pub fn with(&self, characters: usize) -> String {
        let end = self.description.char_indices().nth(characters).map_or(self.description.len(), |(at, _)| at);
        self.to(end)
    }

    /// Formats the line with the description up to this byte.
    fn to(&self, end: usize) -> String {
        let space = if end == 0 { "" } else { " " };
        format!("- {}:{space}{} (file: {})", self.name, &self.description[..end], self.file)
    }

    /// Returns the cost of the line with the description up to a byte.
    fn cost(&self, end: usize, budget: Budget) -> usize {
        budget.cost(&(self.to(end) + "\n"))
    }
}

/// A list cut to its budget.
pub(super) struct Dealt {
    /// Number of characters of each description that are sent; `None` if the skill is left out.
    pub characters: Vec<Option<usize>>,
    /// Cost of the uncut list, without the table of roots.
    pub whole: usize,
    /// Cost of the cut list, including the table of roots.
    cost: usize,
    /// Number of characters of descriptions that are lost.
    lost: usize,
}

impl Dealt {
    /// Cuts a list. The budget that the bare lines leave is distributed character by character, one for each skill in
    /// turn. If not even the bare lines fit, no skill is described, and those that do not fit are left out.
    pub fn of(lines: &[Line], budget: Budget, overhead: usize) -> Dealt {
        let whole = lines.iter().map(|line| line.cost(line.description.len(), budget)).sum();
        let characters = dealt(lines, budget, budget.limit.saturating_sub(overhead), whole);
        let (mut cost, mut lost) = (overhead, 0);
        for (line, sent) in lines.iter().zip(&characters) {
            lost += line.description.chars().count().saturating_sub(sent.unwrap_or(0));
            cost += sent.map_or(0, |sent| budget.cost(&(line.with(sent) + "\n")));
        }
        Dealt { characters, whole, cost, lost }
    }

    /// Returns the list uncut, whatever the budget is.
    pub fn whole(lines: &[Line], budget: Budget, overhead: usize) -> Dealt {
        let whole = lines.iter().map(|line| line.cost(line.description.len(), budget)).sum();
        Dealt { characters: vec![Some(usize::MAX); lines.len()], whole, cost: whole + overhead, lost: 0 }
    }

    /// Returns true if a skill is left out or its description is cut.
    pub fn loses_something(&self) -> bool {
        self.lost > 0 || self.characters.contains(&None)
    }

    /// Returns true if this list is better than `other`: it has more skills, else loses fewer characters of
    /// descriptions, else costs less.
    pub fn is_better_than(&self, other: &Dealt) -> bool {
        let listed = |dealt: &Dealt| dealt.characters.iter().flatten().count();
        let rank = |dealt: &Dealt| (std::cmp::Reverse(listed(dealt)), dealt.lost, dealt.cost);
        rank(self) < rank(other)
    }
}

/// Returns for each description how many characters fit into `limit`.
fn dealt(lines: &[Line], budget: Budget, limit: usize, whole: usize) -> Vec<Option<usize>> {
    if whole <= limit {
        return vec![Some(usize::MAX); lines.len()];
    }
    let bare: usize = lines.iter().map(|line| line.cost(0, budget)).sum();
    if bare > limit {
        let mut left = limit;
        let fits = |line: &Line| {
            let rest = left.checked_sub(line.cost(0, budget))?;
            left = rest;
            Some(0)
        };
        return lines.iter().map(fits).collect();
    }
    let mut left = limit - bare;
    // Characters and bytes of each description that are sent already.
    let mut sent = vec![(0, 0); lines.len()];
    loop {
        let before = sent.clone();
        for (line, (characters, bytes)) in lines.iter().zip(&mut sent) {
            let Some(next) = line.description[*bytes..].chars().next() else { continue };
            let more = line.cost(*bytes + next.len_utf8(), budget) - line.cost(*bytes, budget);
            if let Some(rest) = left.checked_sub(more) {
                left = rest;
                *characters += 1;
                *bytes += next.len_utf8();
            }
        }
        if sent == before {
            return sent.into_iter().map(|(characters, _)| Some(characters)).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_share_what_the_bare_lines_leave() {
        let line = |description| Line { name: "a", description, file: "r0/a".to_owned() };
        // Each bare line is 18 bytes long with its line end, so two more are free; one of them is the space.
        let lines = [line("0123456789"), line("x"), line("0123456789")];
        for (limit, expected) in [
            (100, [Some(usize::MAX); 3]),
            (15, [Some(1), Some(1), Some(1)]),
            (16, [Some(5), Some(1), Some(1)]),
            (17, [Some(5), Some(1), Some(5)]),
            (14, [Some(0), Some(0), None]),
            (4, [None; 3]),
        ] {
            let dealt = Dealt::of(&lines, Budget { limit, ..Budget::of(&[], None, None) }, 0);
            assert_eq!(dealt.characters, expected, "{limit}");
        }
    }
}
