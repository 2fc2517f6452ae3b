//! Finds the origin of a sentence, without an editor.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Core;
use super::alone::{at_rest, project};
use super::below::{below, matched_by};
use super::settings::Settings;
use crate::answer::{Resolution, Standpoint, Tool};
use crate::disk::Filesystem;
use crate::harness::Choice;
use crate::report::findings::{Elsewhere, Subject};
use crate::report::why::{self, Line, Near, Sought, Standing, Why};
use crate::request::{Defaults, Places, Request};
use crate::resolve::AgentQuestion;

/// Maximum number of similar lines in the result.
const NEAREST: usize = 3;

/// Finds the places of a text in the files that agents started in `cwd` read or could read, and what becomes of it.
pub fn why(base: Defaults, cwd: &Path, settings: Settings, text: &str) -> Result<Why, String> {
    let Some(sought) = Sought::new(text) else { return Err("the text is empty; give a few words of it".to_owned()) };
    let home = base.home.clone();
    let core = at_rest(base, cwd, settings, None)?;
    let cwd = core.session().folders[0].clone();
    let places = Places::start(&cwd);
    let answers = core.started_in(&cwd)?;
    let root = project(&cwd, &home, &answers);
    {
        // The search covers the whole project, but agents are still started in `cwd`.
        let mut session = core.session();
        session.folders = vec![root.clone()];
        session.settings.cwd = Some(cwd.to_string_lossy().into_owned());
    }
    let judged = core.judged(&places, &answers);
    let mut found = Why { text: text.to_owned(), judged, ..Why::default() };
    let questions = core.questions(&Request::default(), &places);
    let asking = Asking { core: &core, questions: questions? };
    let mut near: Vec<(Vec<PathBuf>, Near)> = Vec::new();
    let sources = answers.iter().flat_map(|answer| &answer.answer.sources).filter_map(|source| source.path());
    let all = below(&core, &root, &answers).instructions.into_iter().chain(sources.map(Path::to_owned));
    // Names of one file are adjacent, its own before the links to it.
    let mut files: BTreeMap<PathBuf, BTreeSet<(bool, PathBuf)>> = BTreeMap::new();
    for path in all {
        let real = core.files.real(&path);
        files.entry(real.clone()).or_default().insert((path != real, path));
    }
    for names in files.into_values() {
        let names: Vec<PathBuf> = names.into_iter().map(|(_, path)| path).collect();
        // Most files do not contain the text, and agents need not be asked about those.
        let Ok(raw) = core.files.read(&names[0]) else { continue };
        if !sought.is_in(&raw.text()) {
            near.extend(
                why::near(&names[0], &Line::all(&raw.text()), &sought).into_iter().map(|near| (names.clone(), near)),
            );
            continue;
        }
        if core.is_exhausted() {
            found.not_asked += 1;
            continue;
        }
        found.places.extend(asking.places(&names, &sought));
    }
    found.places.sort_by(|one, other| one.path.cmp(&other.path));
    found.elsewhere = why::unfiled(answers.iter().map(|answer| &**answer), &found.places, &sought);
    if found.places.is_empty() && found.elsewhere.is_empty() {
        near.sort_by_key(|(_, near)| Reverse(near.alike));
        near.truncate(NEAREST);
        for (names, mut near) in near {
            if core.is_exhausted() {
                found.not_asked += 1;
                continue;
            }
            let line = Sought::new(&near.text);
            let places = match &line {
                Some(line) => asking.places(&names, line),
                None => Vec::new(),
            };
            let here = places.into_iter().find(|place| place.line == near.line);
            near.harnesses = here.map(|place| place.harnesses).unwrap_or_default();
            found.near.push(near);
        }
    }
    Ok(found)
}

/// The agents to ask about a file that contains the text.
struct Asking<'a> {
    core: &'a Arc<Core>,
    /// Questions about the start of a session, one per agent.
    questions: Vec<(Choice, Standpoint)>,
}

impl Asking<'_> {
    /// Returns the places of a text in a file with several names, and what agents do with it at any moment.
    fn places(&self, names: &[PathBuf], sought: &Sought) -> Vec<Standing> {
        let mut found: Vec<Standing> = Vec::new();
        for path in names {
            let Ok(view) = self.core.view(path) else { continue };
            let mut places = why::places(&view.subject(), sought);
            // A rule with patterns is sent when a matching file is read or attached.
            let lost = |place: &Standing| place.harnesses.iter().any(|told| !told.reaches);
            for file in matched_by(self.core, path) {
                for tool in [Tool::Read, Tool::Mention] {
                    if !places.iter().any(lost) {
                        break;
                    }
                    let answers = self.reaching(&file, tool);
                    let nowhere = Elsewhere { path: &view.seen, answers: &[] };
                    let subject = Subject { answers: &answers, elsewhere: nowhere, ..view.subject() };
                    let later = why::places(&subject, sought);
                    places.iter_mut().zip(&later).for_each(|(place, later)| place.add(later));
                }
            }
            if found.is_empty() {
                found = places;
                continue;
            }
            for (place, same) in found.iter_mut().zip(&places) {
                place.add(same);
                place.links.push(same.path.clone());
            }
        }
        found
    }

    /// Returns the answers of all agents when they reach a file.
    fn reaching(&self, file: &Path, tool: Tool) -> Vec<Arc<Resolution>> {
        let reaching = |(choice, at): &(Choice, Standpoint)| {
            let at = Standpoint { target: Some(file.to_owned()), tool, ..at.clone() };
            AgentQuestion::new(choice.clone(), at)
        };
        self.core.asked(self.questions.iter().map(reaching).collect())
    }
}
