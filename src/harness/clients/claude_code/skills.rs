//! Skills and commands: how they are listed at the start of a session, and when a file is read.
//!
//! The client lists the administrator's skills, the user's, and those of every directory up to the root; when a file is
//! read, also those below the working directory. Commands are single Markdown files; plugins bring both.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::around::Around;
use super::settings::Settings;
use super::{Edition21, MANAGED, paths};
use crate::answer::{
    Answer, Certain, Described, Fate, Limit, Message, MessageKind, Per, Role, Scope, Source, Standpoint, Tool, Trigger,
    Unit, Warning,
};
use crate::formats::{Node, Value};
use crate::harness::kit::skills::{self, sort_by_name};
use crate::search::{Known, Search};
use crate::text::Size;

mod commands;
mod folders;
mod list;
mod plugins;
mod typed;

use list::{Entry, Measure};

/// A skill or a command, and its entry in the list.
struct Found {
    source: Source,
    /// Name by which it is sorted, and which settings use.
    known: String,
    /// Name in the list.
    name: String,
    /// Additional name from its front matter.
    title: Option<String>,
    description: String,
    /// Text after the front matter.
    body: String,
    /// Patterns of `paths`; if there are any, it is listed once a matching file is read.
    globs: Vec<String>,
    /// Text after the description in its entry.
    remark: String,
    /// True if the settings list it without its description.
    bare: bool,
}

impl Found {
    fn counts(&self) -> bool {
        self.source.fate == Fate::Loaded
    }

    /// Returns true if the model calls it by `name`: the name in the list, or that of its folder or file.
    fn is_called(&self, name: &str) -> bool {
        self.counts() && (self.name == name || self.known == name)
    }

    /// Returns true if the user calls it by typing `name`. The user can also call skills that the model cannot.
    fn is_typed(&self, name: &str) -> bool {
        matches!(self.source.fate, Fate::Loaded | Fate::Excluded) && (self.name == name || self.known == name)
    }

    fn leave_out(&mut self, fate: Fate, reason: impl Into<String>) {
        (self.source.fate, self.source.reason) = (fate, reason.into());
    }

    fn shadowed(&mut self, by: &Found) {
        self.source.by = by.source.path().map(Path::to_owned);
        let first = self.source.by.as_deref().unwrap_or(Path::new("another")).display().to_string();
        self.leave_out(Fate::Shadowed, format!("{first} has the same name and comes first"));
    }
}

/// A folder of skills or of commands.
struct Place {
    dir: PathBuf,
    scope: Scope,
    trigger: Trigger,
}

impl Edition21 {
    /// Adds the lists to the messages, and the skills and commands to the sources.
    pub(super) fn skills(&self, around: &Around, search: &mut Search, answer: &mut Answer) -> Known<()> {
        let Around { at, settings, .. } = around;
        let (mut start, mut later) = folders::skills(around, search, answer)?;
        let commands = commands::all(around, &start, search, answer)?;
        start.extend(commands);
        start.extend(plugins::all(around, search, answer)?);
        for found in start.iter_mut().chain(&mut later).filter(|found| found.counts()) {
            if let Some(what) = settings.no_skills.as_ref().or(around.agent.no_skills.as_ref()) {
                found.leave_out(Fate::Excluded, what.clone());
            }
        }
        let (mut start, waiting): (Vec<Found>, Vec<Found>) = start.into_iter().partition(|one| one.globs.is_empty());
        for mut found in waiting {
            let matches = |file: &Path| file.strip_prefix(&at.cwd).is_ok_and(|file| paths::matches(&found.globs, file));
            let before = at.read_before.iter().any(|earlier| self.discovers(earlier.tool) && matches(&earlier.file));
            if found.counts() && !before && self.discovers(at.tool) && at.target.as_deref().is_some_and(matches) {
                later.push(found);
            } else {
                if found.counts() {
                    let reason = if before {
                        "listed when an earlier file was read"
                    } else {
                        "listed once a file is read that its `paths` match"
                    };
                    found.leave_out(Fate::Excluded, reason);
                }
                start.push(found);
            }
        }
        if !self.sorts_skills && start.iter().filter(|found| found.counts()).count() > 1 {
            answer.doubt(&[Certain::Order], "in which order this version lists skills and commands was not asked");
        }
        if !self.lists_in_time && later.iter().any(Found::counts) {
            let reason = "whether this version lists what a reading makes known is a race";
            answer.doubt(&[Certain::Set], reason);
        }
        sort_by_name(&mut later, |found| &found.known);
        if at.tool == Tool::Mention {
            // Observed: skills found through a mention are already in the list of the session; in one run of six they
            // were not.
            if !later.is_empty() {
                answer.doubt(&[Certain::Set], "whether skills below are known in time for the list is a race");
            }
            start.append(&mut later);
        }
        let mut known = start.iter().chain(&later);
        match (at.typed(), &at.call) {
            (Some((name, words)), _) => {
                typed::say(known.find(|found| found.is_typed(name)), name, words, self.own_skills_measured, answer);
            }
            (None, Some(name)) => known.find(|found| found.is_called(name)).into_iter().for_each(|found| {
                call(found, "", answer);
            }),
            (None, None) => {}
        }
        self.list(Trigger::Session, start, around, answer);
        self.list(Trigger::Read, later, around, answer);
        Ok(())
    }

    /// Returns true if a tool that accesses a file reveals the skills that belong to it.
    fn discovers(&self, tool: Tool) -> bool {
        match tool {
            Tool::Read | Tool::Mention => true,
            Tool::Edit | Tool::Write => self.edits_discover,
            Tool::Shell => false,
        }
    }

    /// Adds one list, cut to its budget.
    fn list(&self, trigger: Trigger, found: Vec<Found>, around: &Around, answer: &mut Answer) {
        let (mut counted, left_out): (Vec<Found>, Vec<Found>) = found.into_iter().partition(Found::counts);
        let settings = around.settings;
        // Only the day is known, and the weight of recent use may change during it: `late` stands for the end of the
        // day.
        let usage = |name: &str, late: bool| settings.skill_usage.weight(name, around.at.surroundings.date, late);
        let longest = settings.skill_description.unwrap_or(list::DESCRIPTION_UTF16);
        let entries = |late: bool| {
            let entry = |found: &Found| {
                let said = (!found.bare)
                    .then(|| format!("{}{}", formatted_description(&found.description, longest), found.remark));
                Entry { name: found.name.clone(), said, used: usage(&found.known, late) }
            };
            counted.iter().map(entry).collect::<Vec<_>>()
        };
        let kept = |entries: &[Entry], budget: usize, late: bool| {
            let own = list::OWN.iter().filter(|_| trigger == Trigger::Session);
            let own = own.filter(|own| !settings.skills_shown.contains_key(own.name));
            let own = own.filter(|own| counted.iter().all(|found| found.known != own.name));
            list::kept(
                entries,
                &Measure { budget, description: longest, own: own.map(|own| (own, usage(own.name, late))).collect() },
            )
        };
        let budget = settings.skill_budget(around.at);
        let lines = entries(true);
        let whole = kept(&lines, budget.columns, true);
        let unsure =
            budget.unsure.as_ref().filter(|(_, others)| others.iter().any(|other| kept(&lines, *other, true) != whole));
        if let Some((reason, _)) = unsure {
            answer.doubt(&[Certain::Text], reason.clone());
        } else if kept(&entries(false), budget.columns, false) != whole {
            answer.doubt(&[Certain::Text], "which descriptions of skills are kept depends on the time of day");
        } else if !self.own_skills_measured
            && [
                budget.columns.saturating_sub(list::OWN_COLUMNS / 2),
                budget.columns.saturating_add(list::OWN_COLUMNS / 2),
            ]
            .iter()
            .any(|other| kept(&lines, *other, true) != whole)
        {
            let reason = "how much of the list of skills this version fills with its own was not measured";
            answer.doubt(&[Certain::Text], reason);
        }
        let message = answer.messages.len();
        let texts: Vec<String> = lines.iter().zip(&whole).map(|(entry, whole)| entry.line(*whole)).collect();
        for ((found, entry), (text, whole)) in counted.iter_mut().zip(&lines).zip(texts.iter().zip(&whole)) {
            let source = &mut found.source;
            (source.fate, source.sent) = (Fate::Listed, Some(Size::of(text)));
            source.called = Some(found.name.clone());
            (source.message, source.part) = (Some(message), Some(0));
            if entry.said.is_none() {
                source.reason = "listed by name alone: skillOverrides says `name-only`".to_owned();
            } else if !whole {
                lose_description(source, &budget);
            } else if crate::text::utf16_len(&found.description) > longest {
                cut_description(source, longest);
            }
        }
        let without = counted.iter().filter(|found| found.source.described == Described::ByName).count();
        answer.warnings.extend((without > 0).then(|| over_budget(without, counted.len(), &budget)));
        answer.messages.extend(skills::list(trigger, Role::User, &texts));
        answer.sources.extend(counted.into_iter().chain(left_out).map(|found| found.source));
    }
}

/// Adds the message of a call (2.1.329): the text after the front matter, preceded by the directory if it is a skill,
/// with the `words` that the user types after its name.
fn call(found: &Found, words: &str, answer: &mut Answer) {
    let Some(path) = found.source.path() else { return };
    let dir = path.parent().unwrap_or(path).display().to_string();
    let base =
        if folders::is_skill_file(path) { format!("Base directory for this skill: {dir}\n\n") } else { String::new() };
    let body = found.body.replace("${CLAUDE_SKILL_DIR}", &dir);
    let unsure = [
        ("!`", "the body runs a command, and its output stands there"),
        ("${CLAUDE_SESSION_ID}", "the body names the session"),
    ];
    for (word, reason) in unsure.into_iter().filter(|(word, _)| body.contains(word)) {
        answer.doubt(&[Certain::Text], format!("{}: {reason} ({word})", path.display()));
    }
    let text = format!("{base}{}", typed::filled(&body, words));
    let message = Message { kind: MessageKind::Call, ..Message::instructions(Trigger::Call, Role::User, text) };
    answer.messages.push(message);
}

/// Marks a skill whose description is cut to the limit.
fn cut_description(source: &mut Source, longest: usize) {
    source.described = Described::InPart;
    source.reason = format!("its description is cut to {longest} UTF-16 units");
    source.limit = Some(Limit { value: longest, unit: Unit::Utf16, per: Per::Source, from: "default".into() });
}

fn over_budget(without: usize, of: usize, budget: &Budget) -> Warning {
    let message = format!(
        "{without} of {of} skills and commands are listed by name alone: the list may have {} columns; shorten descriptions, or raise skillListingBudgetFraction",
        budget.columns
    );
    Warning::general("skills-over-budget", message)
}

/// Marks a skill that is listed by name alone for lack of budget.
fn lose_description(source: &mut Source, budget: &Budget) {
    source.described = Described::ByName;
    source.reason = format!("listed by name alone: the list has {} columns, and they are spent", budget.columns);
    source.limit = Some(Limit { value: budget.columns, unit: Unit::Utf16, per: Per::Chain, from: budget.from.clone() });
}

/// Returns the places of skills or commands at the start of a session: `folder` in every `.claude` that counts.
fn places(around: &Around, folder: &str) -> Vec<Place> {
    let Around { at, settings, checkout, .. } = around;
    let place = |dir: PathBuf, scope| Place { dir, scope, trigger: Trigger::Session };
    let of = |dir: &Path| dir.join(".claude").join(folder);
    let mut places = vec![place(of(Path::new(MANAGED)), Scope::Managed)];
    if settings.user {
        places.push(place(settings.config.path.join(folder), Scope::User));
    }
    if settings.project {
        let top = checkout.map_or(Path::new("/"), |checkout| &checkout.root);
        let walk = at.cwd.ancestors().take_while(|dir| dir.starts_with(top));
        places.extend(walk.map(|dir| place(of(dir), Scope::Project)));
        places.extend(settings.added_anyway.iter().map(|dir| place(of(dir), Scope::Project)));
    }
    let mut seen = HashSet::new();
    places.retain(|place| seen.insert(place.dir.clone()));
    places
}

/// Formats a description for the list: on one line, cut to its limit, with `<` and `>` escaped.
fn formatted_description(description: &str, longest: usize) -> String {
    let lines = description.trim().split('\n').filter(|line| !line.is_empty());
    let line = lines.collect::<Vec<_>>().join(" ").replace('\t', " ");
    list::shortened(&line, longest, "…").replace('<', "&lt;").replace('>', "&gt;")
}

/// Returns true if a value in front matter is an on value, as a boolean, a number or a word.
fn is_switched(node: &Node) -> bool {
    match &node.value {
        Value::Bool(on) => *on,
        Value::Integer(number) => *number == 1,
        Value::Text(word) => ["true", "yes", "on", "1"].contains(&word.trim().to_ascii_lowercase().as_str()),
        Value::Null | Value::Float(_) | Value::Date(_) | Value::List(_) | Value::Table(_) => false,
    }
}

/// Maximum width of a list in columns, and the source of the limit.
struct Budget {
    columns: usize,
    from: String,
    /// Reason why the limit is uncertain, and other possible limits.
    unsure: Option<(String, Vec<usize>)>,
}

impl Settings {
    fn skill_budget(&self, at: &Standpoint) -> Budget {
        if let Some(columns) = self.skill_columns {
            return Budget { columns, from: super::variables::SKILL_COLUMNS.to_owned(), unsure: None };
        }
        let (fraction, from) = self.skill_fraction.clone().unwrap_or((list::FRACTION, "default".to_owned()));
        // The product of two floats may be slightly below the whole number that it stands for.
        let columns = |window: f64| (window * fraction + 1e-6).floor() as usize;
        let model = at.model.as_deref().or(self.model.as_deref());
        let small = self.small_window;
        match list::window(model, small) {
            Some(window) => Budget { columns: columns(window), from, unsure: None },
            None => {
                let reason = format!(
                    "how long the list of skills may be for the model {} was not asked",
                    model.unwrap_or("default")
                );
                let others = [600_000.0, 800_000.0, 4_000_000.0].map(columns).to_vec();
                let window = if small { 600_000.0 } else { 3_000_000.0 };
                Budget { columns: columns(window), from, unsure: Some((reason, others)) }
            }
        }
    }
}
