//! Evaluates expectations: asks each question once and judges its answers.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::cases::{Case, Class, Question, cases, classes, everything, matched};
use super::declarations::{declarations, resolved};
use super::rows::{Answered, Judging, Rows};
use super::texts::Texts;
use super::{Files, Proofs};
use crate::answer::Standpoint;
use crate::engine::Core;
use crate::engine::below::Below;
use crate::harness::Choice;
use crate::queries::roster::ALL_OF_THEM;
use crate::report::expect::Wanted;
use crate::request::{OneOrMany, Places, Request};
use crate::resolve::AgentQuestion;

/// Maximum number of files that one expectation asks about. Beyond it, the expectation is reported as unproven.
const MOST_QUESTIONS: usize = 200_000;

/// Maximum number of failed expectations for which the most similar line is searched; nobody fixes more at a time.
const MOST_NEAR: usize = 20;

/// Problem of expectations that were not asked about completely.
const TOO_MUCH: &str = "the answers about all starts and files would cost too much; narrow `paths` or `from`";

/// Agents to ask, each with its standpoint at the start of a session.
type Agents = Vec<(Choice, Standpoint)>;

/// Evaluates every expectation declared below `root`.
pub(in crate::engine) fn prove(core: &Core, root: &Path, found: &Below, files: Files<'_>) -> Result<Proofs, String> {
    let mut ground = Ground::of(core, root, found, files);
    let all: Vec<usize> = (0..ground.proofs.all.len()).collect();
    ground.prove(core, &all)?;
    Ok(ground.proofs)
}

/// Input of the evaluation: wanted texts, the files in question, and the instruction files.
pub struct Ground {
    pub proofs: Proofs,
    /// Demand of each expectation, or `None` if it could not be read.
    pub wanted: Vec<Option<Wanted>>,
    /// Files that each expectation is about.
    pub classes: Vec<Vec<Class>>,
    pub texts: Texts,
}

impl Ground {
    pub fn of(core: &Core, root: &Path, found: &Below, files: Files<'_>) -> Ground {
        let mut proofs = declarations(core, root, &found.declarations);
        let none = BTreeSet::new();
        let pages = if proofs.all.is_empty() { &none } else { &found.instructions };
        let texts = Texts::read(core, root, pages);
        let has_paths = proofs.all.iter().any(|proof| !proof.expectation.paths.is_empty());
        let files = match files {
            _ if !has_paths => Vec::new(),
            Files::Scanned(revision) => everything(core, root, revision),
            Files::Matched => matched(core, root, &proofs.all),
        };
        let mut wanted = Vec::new();
        for proof in &mut proofs.all {
            match resolved(core, root, &proof.expectation, &proof.path) {
                Ok(one) => wanted.push(Some(one)),
                Err(problem) => {
                    proof.problem = Some(problem);
                    wanted.push(None);
                }
            }
        }
        let others: Vec<PathBuf> = files.into_iter().filter(|file| !texts.has(&root.join(file))).collect();
        let classes = classes(root, &others, &proofs.all, &texts);
        Ground { proofs, wanted, classes, texts }
    }

    /// Evaluates some of the expectations. A question that several of them share is asked once.
    pub fn prove(&mut self, core: &Core, which: &[usize]) -> Result<(), String> {
        let questions = self.questions(which)?;
        let mut rows: Vec<Rows> = self.proofs.all.iter().map(|_| Rows::default()).collect();
        let mut asking: HashMap<(&[String], &Path), Agents> = HashMap::new();
        for ((agents, from, session, target), cases) in &questions {
            if core.is_exhausted() {
                for case in cases {
                    self.proofs.all[case.expectation].problem = Some(TOO_MUCH.to_owned());
                }
                continue;
            }
            let key = (&agents[..], &**from);
            if let Entry::Vacant(free) = asking.entry(key) {
                let harness = (agents[..] != [ALL_OF_THEM]).then(|| OneOrMany::Many(agents.clone()));
                let request = Request { harness, ..Request::default() };
                match core.questions(&request, &Places::start(from)) {
                    Ok(asked) => drop(free.insert(asked)),
                    Err(error) => {
                        for case in cases {
                            self.proofs.all[case.expectation].problem = Some(error.message.clone());
                        }
                        continue;
                    }
                }
            }
            let question = |(choice, at): &(Choice, Standpoint)| {
                let at = Standpoint { target: target.clone(), session: *session, ..at.clone() };
                AgentQuestion::new(choice.clone(), at)
            };
            let asked: Vec<_> = asking[&key].iter().map(question).collect();
            self.proofs.asked += asked.len();
            let choices = asking[&key].iter().map(|(choice, _)| choice);
            let answers = core.answers_to(asked).into_iter().map(|(answer, _)| answer);
            let answered: Vec<Answered> =
                choices.zip(answers).map(|(choice, answer)| Answered { choice, answer }).collect();
            for case in cases {
                let Some(wanted) = &self.wanted[case.expectation] else { continue };
                let proof = &self.proofs.all[case.expectation];
                let judging = Judging { proof, wanted, case, answers: &answered, texts: &self.texts };
                for one in &answered {
                    rows[case.expectation].add(
                        &self.proofs.root,
                        from,
                        *session,
                        case,
                        &one.answer,
                        judging.failure(one),
                    );
                }
            }
        }
        for (number, rows) in rows.into_iter().enumerate().filter(|(number, _)| which.contains(number)) {
            self.proofs.all[number].rows = rows.0;
        }
        self.locate(which);
        Ok(())
    }

    /// Returns the questions that expectations ask, each with the cases that share it.
    fn questions(&mut self, which: &[usize]) -> Result<BTreeMap<Question, Vec<Case>>, String> {
        let mut questions = BTreeMap::new();
        for &number in which.iter().filter(|number| self.wanted[**number].is_some()) {
            let (proof, classes) = (&mut self.proofs.all[number], &self.classes[number]);
            if !proof.expectation.paths.is_empty() && classes.is_empty() {
                let patterns = proof.expectation.paths.join(", ");
                proof.problem = Some(format!("`{patterns}` matches no file, so nothing is proven"));
                continue;
            }
            cases(number, proof, &self.proofs.root, classes, &mut questions);
        }
        match questions.len() {
            0..=MOST_QUESTIONS => Ok(questions),
            many => Err(format!(
                "the expectations are about {many} starts and files; narrow `paths` or `from` ({MOST_QUESTIONS} at most)"
            )),
        }
    }

    /// Finds the places of missing texts, or the lines that are most similar to them.
    fn locate(&mut self, which: &[usize]) {
        let mut compared = 0;
        for &number in which {
            let proof = &mut self.proofs.all[number];
            if let Some(Wanted::Present(all)) = &self.wanted[number]
                && let Some(text) = proof.rows.iter().find_map(|row| all.get(row.missing?))
            {
                proof.places = self.texts.places(text);
                if proof.places.is_empty() && compared < MOST_NEAR {
                    compared += 1;
                    proof.near = self.texts.near(text);
                }
            }
        }
    }
}
