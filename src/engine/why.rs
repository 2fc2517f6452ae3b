//! Where a sentence comes from, asked without an editor.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::Path;

use super::alone::{at_rest, project};
use super::below::below;
use super::settings::Settings;
use crate::disk::Filesystem;
use crate::report::why::{self, Near, Sought, Why};
use crate::request::{Defaults, Places, Request};

/// How many lines that are like the text are named.
const NEAREST: usize = 3;

/// Where the text stands in what agents that are started in `cwd` read, or would read, and what becomes of it.
pub fn why(base: Defaults, cwd: &Path, settings: Settings, text: &str) -> Result<Why, String> {
    let Some(sought) = Sought::new(text) else { return Err("the text is empty; give a few words of it".to_owned()) };
    let home = base.home.clone();
    let (runtime, core) = at_rest(base, cwd, settings, None)?;
    runtime.block_on(async {
        let cwd = core.session().folders[0].clone();
        let places = Places { cwd: cwd.clone(), target: None, read_before: Vec::new(), already_loaded: Vec::new() };
        let asked = core.answers(&Request::default(), &places).await;
        let (answers, _) = asked.map_err(|error| error.message.into_owned())?;
        let root = project(&cwd, &home, &answers);
        {
            // Agents are still started where they were.
            let mut session = core.session();
            session.folders = vec![root.clone()];
            session.settings.cwd = Some(cwd.to_string_lossy().into_owned());
        }
        let judged = core.judged(&places, &answers).await;
        let mut found = Why { text: text.to_owned(), judged, ..Why::default() };
        let mut near: Vec<Near> = Vec::new();
        let sources = answers.iter().flat_map(|answer| &answer.answer.sources).filter_map(|source| source.path());
        let files = below(&core, &root, &answers, None).instructions.into_iter().chain(sources.map(Path::to_owned));
        for path in files.collect::<BTreeSet<_>>() {
            // Most files do not say it, and harnesses need not be asked about those.
            let Ok(raw) = core.files.read(&path) else { continue };
            if !sought.is_in(&raw.text()) {
                near.extend(why::near(&path, &raw.text(), &sought));
                continue;
            }
            let Ok(view) = core.view(&path).await else { continue };
            found.places.extend(why::places(&view.subject(), &sought));
        }
        found.elsewhere = why::unfiled(answers.iter().map(|answer| &**answer), &found.places, &sought);
        if found.places.is_empty() && found.elsewhere.is_empty() {
            near.sort_by_key(|near| Reverse(near.alike));
            near.truncate(NEAREST);
            found.near = near;
        }
        Ok(found)
    })
}
