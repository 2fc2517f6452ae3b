//! The bound of all answers to one command or request: it ends whatever a repository holds.
//!
//! Counts what is asked, and never time: what is left out must not depend on the machine's load.

use crate::snapshot::ROUND_WEIGHT;

/// Cost that every command may have, in questions about small files. Files that patterns and links bring share it.
const BASE: usize = 3 * ROUND_WEIGHT;

/// Cost that is granted for each agent and each instruction file that is found by its name, in questions about small files.
const PER_FILE: usize = 12 * 1024;

/// Returns the bound for so many agents in a directory with so many instruction files, in questions about small files.
pub(crate) fn bound(files: usize, agents: usize) -> usize {
    files.saturating_mul(agents).saturating_mul(PER_FILE).saturating_add(BASE)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests write to scratch directories")]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::disk::{Buffers, Real};
    use crate::engine::plan::{self, Task};
    use crate::engine::settings::Settings;
    use crate::engine::tests::defaults_for;
    use crate::engine::{Core, check, expect, wanted, why};

    #[test]
    fn every_file_is_granted_some_effort() {
        assert_eq!([0, 1, 3].map(|files| bound(files, 2)), [BASE, BASE + 2 * PER_FILE, BASE + 6 * PER_FILE]);
        assert_eq!(bound(usize::MAX, 2), usize::MAX);
    }

    #[test]
    fn two_sides_are_exhausted_once_they_have_spent_what_both_may() {
        let side = || Core::at_rest(defaults_for(Path::new("/home/me")), Buffers::over(Real), true);
        let (one, other) = (side(), side());
        for core in [&one, &other] {
            core.bound.store(10, Ordering::Relaxed);
        }
        let spend = |core: &Core, effort| core.at_rest.as_ref().expect("it is at rest").spend(effort);
        spend(&other, 20);
        assert!(other.is_exhausted() && !one.is_exhausted() && !one.is_exhausted_with(&other));
        spend(&one, 1);
        assert!(!one.is_exhausted() && one.is_exhausted_with(&other) && other.is_exhausted_with(&one));
    }

    /// A project with an expectation and a text that two agents may need.
    fn project() -> tempfile::TempDir {
        let scratch = tempfile::TempDir::new().expect("a scratch directory");
        for (name, text) in [
            ("AGENTS.md", "Rules.\n"),
            ("CLAUDE.md", "Other rules.\n"),
            ("briefing.toml", "[[expect]]\nid = \"rules\"\ntext = \"Rules.\"\nagents = [\"codex\"]\n"),
        ] {
            fs::write(scratch.path().join(name), text).expect("it is written");
        }
        scratch
    }

    /// Runs a command that may ask nothing more after the start of a session.
    fn beyond<T>(command: impl FnOnce() -> T) -> T {
        wanted::run(Arc::new(AtomicBool::new(false)), command)
    }

    #[test]
    fn beyond_the_bound_every_command_says_what_it_left_out() {
        let scratch = project();
        let root = &scratch.path().canonicalize().expect("it is there");
        let (base, settings) = (|| defaults_for(Path::new("/home/me")), Settings::default);
        let checking = || check::Checking { root, settings: settings(), only: &[], revision: None };
        let checked = |check: check::Check| (check.count, check.left.len());
        let (count, left) = checked(check::check(base(), checking()).expect("an answer"));
        assert!(count > 1 && left == 0);
        assert_eq!(checked(beyond(|| check::check(base(), checking())).expect("an answer")), (count, count));

        let found = |why: crate::report::why::Why| (why.places.len(), why.not_asked);
        let search = || why::why(base(), root, settings(), "Rules.").map(found);
        assert_eq!((search(), beyond(search)), (Ok((1, 0)), Ok((0, 1))));

        let plan = || plan::plan(base(), root, settings(), &Task::Trim).map(|plan| plan.proof.asked);
        assert!(plan().is_ok());
        assert!(beyond(plan).is_err_and(|problem| problem.contains("so nothing is planned")));

        let proofs = || expect::expect(base(), root, settings(), None).expect("an answer").all;
        let problems = |proofs: Vec<expect::Proof>| proofs.into_iter().map(|one| one.problem).collect::<Vec<_>>();
        assert_eq!(problems(proofs()), [None]);
        let beyond_it = problems(beyond(proofs));
        let [Some(problem)] = &beyond_it[..] else { panic!("one expectation") };
        assert!(problem.contains("would cost too much"), "{problem}");
    }
}
