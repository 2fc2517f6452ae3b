//! Handles `briefing/compare`: two agents, versions or standpoints, or the present and a revision, side by side.

use std::sync::Arc;

use tower_lsp::jsonrpc::{Error, Result};

use super::super::ext::{CompareParams, Side};
use crate::answer::Resolution;
use crate::disk::{self, AtRevision};
use crate::engine::Core;
use crate::harness::custom::Customs;
use crate::index::Index;
use crate::lsp::Context;
use crate::queries::declarations::Declarations;
use crate::queries::installed::InstalledVersion;
use crate::report::compare::{Comparison, compare};
use crate::request::{Defaults, Places, Request};
use crate::resolve::AgentQuestion;

impl Context {
    /// Handles `briefing/compare`.
    pub(crate) fn compare(&self, params: CompareParams) -> Result<Comparison> {
        let (left, right) = (self.side("left", &params.left)?, self.side("right", &params.right)?);
        let mut comparison = compare(&left, &right);
        for (title, side) in [(&mut comparison.left, &params.left), (&mut comparison.right, &params.right)] {
            if let Some(revision) = &side.revision {
                title.push_str(&format!(" at {revision}"));
            }
        }
        Ok(comparison)
    }

    fn side(&self, name: &str, side: &Side) -> Result<Arc<Resolution>> {
        let places = self.places(&side.question)?;
        let request = &side.question.request;
        let mut answers = match &side.revision {
            None => self.core.answers(request, &places)?.0,
            Some(revision) => {
                // The agents used here are determined from the present files, also for a revision.
                let mut defaults = (*self.core.defaults()).clone();
                if request.wants_roster(&defaults) {
                    defaults.roster = self.core.roster(&places.cwd, &defaults);
                }
                let found = self.core.at_revision(request, &places, &defaults, revision);
                found.map_err(|problem| Error::invalid_params(format!("{name}: {problem}")))?
            }
        };
        let count = answers.len();
        answers
            .pop()
            .filter(|_| count == 1)
            .ok_or_else(|| Error::invalid_params(format!("{name}: it takes one harness to compare, not {count}")))
    }
}

impl Core {
    /// Returns the answers for the working tree at a revision. They are not cached.
    pub(crate) fn at_revision(
        &self,
        request: &Request,
        places: &Places,
        defaults: &Defaults,
        revision: &str,
    ) -> std::result::Result<Vec<Arc<Resolution>>, String> {
        let files = AtRevision::open(&self.files, &places.cwd, revision)?;
        let index = Index::default();
        let observe = |asks| disk::observe_all(&files, asks);
        let (declared, _) = index.answer(&observe, Declarations::of(&places.cwd));
        let customs = Customs::of(declared.value.as_ref(), &self.session().settings.custom_harnesses);
        let mut defaults = Defaults { customs: Arc::new(customs), ..defaults.clone() };
        // The version installed now also answers for the revision.
        for profile in request.to_look_up(&defaults) {
            let installed = InstalledVersion::of(profile, &places.cwd, &defaults.home, &defaults.env);
            let now = |asks| disk::observe_all(&self.files, asks);
            let (found, _) = Index::default().answer(&now, installed);
            defaults.installed.found.insert(profile.id.to_owned(), found.value.clone());
        }
        let questions = request.questions(&defaults, places)?;
        let answer =
            |(choice, standpoint)| self.told_here(index.answer(&observe, AgentQuestion::new(choice, standpoint)).0);
        Ok(questions.into_iter().map(answer).collect())
    }
}
