//! Handlers of the custom requests that `ext.rs` defines.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::Uri;

use super::ext::{self, EffectiveInstructionsParams, ExplainParams, Explanations, Harnesses, NoParams, Status};
use crate::answer::{Fate, Resolution};
use crate::engine::Core;
use crate::harness;
use crate::lsp::convert::path_of;
use crate::lsp::{Context, announce};
use crate::queries::neighbour::Neighbour;
use crate::report::briefing::{self, Effective};
use crate::report::context::{ContextReports, Counter, context_report};
use crate::report::explain;
use crate::report::judged::{Judged, judged};
use crate::report::roster::UsedHere;
use crate::request::{Defaults, Places, Request, beside};
use crate::search::Probe;

mod commands;
mod compare;
mod fetch;
mod files;
pub(crate) mod preview;
mod records;
mod session;

pub(crate) use commands::Command;

impl Context {
    /// Handles `briefing/effectiveInstructions`.
    pub(crate) fn effective_instructions(&self, params: EffectiveInstructionsParams) -> Result<Effective> {
        let include = params.request.include().map_err(Error::invalid_params)?;
        let (answers, version) = self.answers_to(&params)?;
        let briefings = answers.iter().map(|answer| briefing::briefing(answer, include)).collect();
        let judged = self.judged_for(&params, &answers)?;
        Ok(Effective { version, judged, briefings })
    }

    /// Handles `briefing/contextReport`.
    pub(crate) fn context_report(&self, params: EffectiveInstructionsParams) -> Result<ContextReports> {
        let (answers, version) = self.answers_to(&params)?;
        Ok(ContextReports {
            version,
            judged: self.judged_for(&params, &answers)?,
            reports: answers.iter().map(|answer| context_report(answer, &Counter::ESTIMATE)).collect(),
        })
    }

    /// Handles `briefing/harnesses`.
    pub(crate) fn harnesses(&self, _: NoParams) -> Result<Harnesses> {
        let cwd = self.core.session().cwd_for(None);
        let customs = match cwd {
            Some(cwd) => self.core.customs(&cwd),
            None => Arc::default(),
        };
        // A declaration replaces the built-in agent of the same id.
        let known = harness::ALL.iter().filter(|profile| customs.harness(profile.id).is_none());
        let declared = customs.harnesses.iter().map(|custom| ext::Harness::of_declared(custom));
        Ok(Harnesses {
            roster: self.core.used_here()?,
            harnesses: known.map(|profile| ext::Harness::of(profile)).chain(declared).collect(),
            problems: customs.problems.iter().map(ToString::to_string).collect(),
        })
    }

    /// Handles `briefing/roster`.
    pub(crate) fn roster(&self, _: NoParams) -> Result<UsedHere> {
        self.core.used_here()
    }

    /// Handles `briefing/explain`.
    pub(crate) fn explain(&self, params: ExplainParams) -> Result<Explanations> {
        let file = parsed(&params.text_document.uri)?;
        let target = params.target.as_deref().map(parsed).transpose()?;
        let cwd = self.cwd(params.cwd.as_deref(), target.as_deref().or(Some(&file)))?;
        let request = Request { harness: params.harness, ..Request::default() };
        let places = Places { cwd, target, read_before: Vec::new(), already_loaded: Vec::new() };
        let (answers, _) = self.core.answers(&request, &places)?;
        // Agents see an instruction file by its physical path, but the target by the path that was named.
        let physical = self.core.physical(&file);
        // Without a file that the agent reads, a nested file is one that comes with a file beside it.
        let beside = match places.target {
            None => self.beside_it(&request, &places, &file)?,
            Some(_) => Vec::new(),
        };
        let explanations = answers.iter().enumerate().map(|(at, answer)| {
            let later = beside.get(at).filter(|_| known(answer, &file, &physical).0.is_none());
            let later =
                later.filter(|later| known(later, &file, &physical).0.is_some_and(|fate| fate != Fate::Missing));
            let answer = later.unwrap_or(answer);
            ext::Explanation::of(answer, known(answer, &file, &physical))
        });
        Ok(Explanations { explanations: explanations.collect() })
    }

    /// Returns the answers for reading a file beside an instruction file below the start directory.
    fn beside_it(&self, request: &Request, places: &Places, file: &Path) -> Result<Vec<Arc<Resolution>>> {
        let dir = beside(file);
        if dir == places.cwd || !dir.starts_with(&places.cwd) {
            return Ok(Vec::new());
        }
        let below = self.core.query(Neighbour::within(&dir));
        let Some(below) = below.value.as_ref() else { return Ok(Vec::new()) };
        let places = Places { target: Some(dir.join(below)), ..places.clone() };
        Ok(self.core.answers(request, &places)?.0)
    }

    /// Handles `briefing/status`.
    pub(crate) fn status(&self, _: NoParams) -> Result<Status> {
        let (facts, answers) = self.core.index.sizes();
        let (instruction_files, complete) = self.core.workspace.count();
        Ok(Status {
            server: env!("CARGO_PKG_VERSION").to_owned(),
            version: self.core.index.version(),
            facts,
            answers,
            worked_out: self.core.index.worked_out(),
            watched_directories: self.core.watcher.get().map_or(0, |watcher| watcher.count()),
            watching: self.core.told().word().to_owned(),
            instruction_files,
            complete,
        })
    }

    fn answers_to(&self, params: &EffectiveInstructionsParams) -> Result<(Vec<Arc<Resolution>>, u64)> {
        let answers = self.core.answers(&params.request, &self.places(params)?)?;
        if let Some(uri) = usual(params) {
            let is_open = self.core.session().documents.contains_key(uri.as_str());
            if is_open {
                announce::tell(&mut self.connection.state().announced, &uri, &answers.0);
            }
        }
        Ok(answers)
    }

    /// Returns the agents that were judged: those that the request names, else those used here.
    fn judged_for(&self, params: &EffectiveInstructionsParams, answers: &[Arc<Resolution>]) -> Result<Vec<Judged>> {
        Ok(match &params.request.harness {
            Some(_) => judged(answers.iter().map(|answer| &**answer), None),
            None => self.core.judged(&self.places(params)?, answers),
        })
    }

    fn places(&self, params: &EffectiveInstructionsParams) -> Result<Places> {
        let target = params.text_document.as_ref().map(|document| parsed(&document.uri)).transpose()?;
        let cwd = self.cwd(params.cwd.as_deref(), target.as_deref())?;
        let all = |uris: &[String]| uris.iter().map(|uri| parsed(uri)).collect::<Result<_>>();
        let (read_before, already_loaded) = (all(&params.read_before)?, all(&params.already_loaded)?);
        Ok(Places { cwd, target, read_before, already_loaded })
    }

    fn cwd(&self, named: Option<&str>, target: Option<&Path>) -> Result<PathBuf> {
        if let Some(cwd) = named {
            return parsed(cwd);
        }
        self.core.session().cwd_for(target).ok_or_else(|| {
            Error::invalid_params("neither textDocument nor cwd is given, and no workspace folder is open")
        })
    }
}

impl Core {
    /// Returns the agents used in the first workspace folder or, without one, in the home directory.
    pub(crate) fn used_here(&self) -> Result<UsedHere> {
        let cwd = self.session().cwd_for(None);
        let defaults = self.defaults();
        let cwd = cwd.unwrap_or_else(|| defaults.home.clone());
        let mut defaults = Defaults { customs: self.customs(&cwd), enabled: Vec::new(), ..(*defaults).clone() };
        defaults.roster = self.roster(&cwd, &defaults);
        for used in &defaults.roster.clone().mine {
            if let Some(profile) = harness::profile(&used.id).filter(|profile| profile.program.is_some()) {
                self.look_up(profile, &cwd, &mut defaults);
            }
        }
        let places = Places { cwd, target: None, already_loaded: Vec::new(), read_before: Vec::new() };
        let questions = Request::default().questions(&defaults, &places).map_err(Error::invalid_params)?;
        let choices: Vec<_> = questions.into_iter().map(|(choice, _)| choice).collect();
        Ok(UsedHere::of(&defaults.roster, &choices, &defaults.installed))
    }

    /// Resolves the links in the directory part of `path`, but not `path` itself.
    pub(crate) fn physical(&self, path: &Path) -> PathBuf {
        let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else {
            return path.to_owned();
        };
        self.files.real(dir).join(name)
    }
}

/// Explains the fate of a file, which the agent may know by its physical path.
fn known<'a>(answer: &'a Resolution, file: &Path, physical: &Path) -> (Option<Fate>, String, Vec<&'a Probe>) {
    let known = explain::explain(file, answer);
    if known.0.is_none() && known.2.is_empty() { explain::explain(physical, answer) } else { known }
}

/// Returns the document if the request has no parameters but file, agents and `include`: announcements are about
/// exactly this question.
fn usual(params: &EffectiveInstructionsParams) -> Option<Uri> {
    let document = params.text_document.clone()?;
    let request = Request {
        harness: params.request.harness.clone(),
        include: params.request.include.clone(),
        ..Request::default()
    };
    let uri = document.uri.parse().ok()?;
    let usual = EffectiveInstructionsParams {
        text_document: Some(document),
        cwd: None,
        read_before: Vec::new(),
        already_loaded: Vec::new(),
        request,
    };
    (*params == usual).then_some(uri)
}

/// Parses a URI and returns its path.
pub(crate) fn parsed(uri: &str) -> Result<PathBuf> {
    let parsed: Uri = uri.parse().map_err(|error| Error::invalid_params(format!("{uri}: not a URI: {error}")))?;
    Ok(path_of(&parsed)?)
}
