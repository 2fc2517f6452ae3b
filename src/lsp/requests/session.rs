//! Handles `briefing/session`, a session of one agent step by step, and `briefing/agents`, the agents of clients.

use std::sync::Arc;

use tower_lsp::jsonrpc::{Error, Result};

use super::super::ext::{AgentsParams, SessionParams};
use super::super::requests::parsed;
use crate::answer::{Resolution, Standpoint};
use crate::engine::Core;
use crate::harness::Choice;
use crate::lsp::Context;
use crate::report::agents::{Agents, said};
use crate::report::session::{Unfolded, unfolded};
use crate::request::Places;
use crate::resolve::AgentQuestion;
use crate::session::{Step, Turn, unfold};

impl Context {
    /// Handles `briefing/session`.
    pub(crate) fn session(&self, params: SessionParams) -> Result<Unfolded> {
        let place = |uri: &str| parsed(uri).map_err(|error| error.message.into_owned());
        let include = params.request.include().map_err(Error::invalid_params)?;
        let steps = params.steps.iter().enumerate().map(|(at, step)| {
            step.parsed(&place).map_err(|problem| Error::invalid_params(format!("step {}: {problem}", at + 1)))
        });
        let steps = steps.collect::<Result<Vec<Step>>>()?;
        let cwd = self.cwd(params.cwd.as_deref(), None)?;
        let places = Places { cwd, target: None, read_before: Vec::new(), already_loaded: Vec::new() };
        let mut questions = self.core.questions(&params.request, &places)?;
        let (Some((choice, start)), true) = (questions.pop(), questions.is_empty()) else {
            return Err(Error::invalid_params("a session is that of one harness: name it in `harness`"));
        };
        let turns = self.core.unfold(&choice, start, &steps).map_err(Error::invalid_params)?;
        Ok(unfolded(self.core.index.version(), &turns, &params.steps, include))
    }

    /// Handles `briefing/agents`.
    pub(crate) fn agents(&self, params: AgentsParams) -> Result<Agents> {
        let cwd = self.cwd(params.cwd.as_deref(), None)?;
        let places = Places { cwd, target: None, read_before: Vec::new(), already_loaded: Vec::new() };
        let questions = self.core.questions(&params.request, &places)?;
        let wanted = |name: &str| params.name.as_deref().is_none_or(|asked| asked == name);
        let of =
            |(choice, start): &(Choice, Standpoint)| said(choice, start, &wanted, &|at| self.core.answer(choice, at));
        let agents = questions.iter().flat_map(of).collect();
        Ok(Agents { version: self.core.index.version(), agents })
    }
}

impl Core {
    /// Answers a question about one agent.
    pub(crate) fn answer(&self, choice: &Choice, at: &Standpoint) -> Arc<Resolution> {
        self.asked(vec![AgentQuestion::new(choice.clone(), at.clone())]).remove(0)
    }

    /// Simulates a session.
    pub(crate) fn unfold(
        &self,
        choice: &Choice,
        start: Standpoint,
        steps: &[Step],
    ) -> std::result::Result<Vec<Turn>, String> {
        unfold(choice, start, steps, &|at| self.answer(choice, at))
    }
}
