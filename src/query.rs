//! Questions whose answers are cached until a fact that they depend on changes.
//!
//! A [`Query`] is one of Briefing's own questions about the disk, such as which version of an agent is installed. A
//! [`Question`] is anything that can be cached: every query, and [`crate::resolve::AgentQuestion`]. The index holds
//! questions of all types in one map, as [`Key`]s.

use std::any::Any;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::search::{Halt, Known, Parts, Search, Trace};
use crate::snapshot::{Ask, Environment, Facts};

/// One of Briefing's own questions about the disk.
pub trait Query: Clone + Eq + Hash + Send + Sync + 'static {
    /// Type of the result. Its default is the result if nothing can be found out.
    type Out: Default + Send + Sync + 'static;

    /// Returns the environment variables that the query may use.
    fn environment(&self) -> Environment {
        Environment::default()
    }

    /// Computes the result.
    fn run(&self, search: &mut Search) -> Known<Self::Out>;
}

/// The result of a query, with the facts that it depends on.
#[derive(Debug)]
pub struct Found<T> {
    /// Result of the query.
    pub value: T,
    trace: Trace,
    own_depends: Vec<Ask>,
    effort: usize,
    is_broken: bool,
}

/// An answer, or the facts that must be read first.
pub enum Outcome<T> {
    /// The answer; every required fact was known.
    Answer(Box<T>),
    /// Missing facts. There is at least one.
    Pending(Vec<Ask>),
}

/// A question whose answer can be cached.
pub trait Question: Clone + Eq + Hash + Send + Sync + 'static {
    /// Type of the answer.
    type Answer: Rests;

    /// Answers the question from `facts`. `known` holds parts of earlier answers that rest on the same facts. `again`
    /// is true if the question was answered before, so that hardly any fact is missing.
    fn resolve(&self, facts: &dyn Facts, known: &Parts, again: bool) -> Outcome<Self::Answer>;

    /// Returns true if the question is likely to be asked again, so that its answer is worth caching.
    fn comes_back(&self) -> bool {
        true
    }
}

/// An answer that knows which facts it depends on.
pub trait Rests: Any + Send + Sync {
    /// Returns every probe that was made for the answer.
    fn trace(&self) -> &Trace;
    /// Returns the facts that the answer depends on, except those of its parts.
    fn own_depends(&self) -> &[Ask];
    /// Returns the cost of the answer, in questions about small files.
    fn effort(&self) -> usize;
    /// Returns true if a bug in Briefing interrupted the answer. Then not all facts that it depends on are known.
    fn is_broken(&self) -> bool;
}

impl dyn Rests {
    /// Iterates over the facts that the answer depends on. A fact may occur more than once.
    pub fn depends(&self) -> impl Iterator<Item = &Ask> {
        self.own_depends().iter().chain(self.trace().parts().flat_map(|part| &part.depends))
    }
}

impl<T: Send + Sync + 'static> Rests for Found<T> {
    fn trace(&self) -> &Trace {
        &self.trace
    }

    fn own_depends(&self) -> &[Ask] {
        &self.own_depends
    }

    fn effort(&self) -> usize {
        self.effort
    }

    fn is_broken(&self) -> bool {
        self.is_broken
    }
}

impl<Q: Query> Question for Q {
    type Answer = Found<Q::Out>;

    fn resolve(&self, facts: &dyn Facts, known: &Parts, again: bool) -> Outcome<Found<Q::Out>> {
        attempt(again, || Search::new(facts, self.environment(), known), |search| outcome(self, search))
    }
}

/// Runs a query. Opens no file and cannot fail.
pub fn run<Q: Query>(facts: &dyn Facts, query: &Q) -> Outcome<Found<Q::Out>> {
    Question::resolve(query, facts, &Parts::default(), false)
}

/// Calls `outcome` with a new search. If the question was answered before, first tries without announcing further
/// questions, since hardly any fact is missing.
pub fn attempt<'a, T>(
    again: bool,
    search: impl Fn() -> Search<'a>,
    outcome: impl Fn(Search<'a>) -> Outcome<T>,
) -> Outcome<T> {
    match again.then(|| outcome(search().again())) {
        Some(Outcome::Answer(answer)) => Outcome::Answer(answer),
        Some(Outcome::Pending(_)) | None => outcome(search()),
    }
}

fn outcome<Q: Query>(query: &Q, mut search: Search) -> Outcome<Found<Q::Out>> {
    let result = catch_unwind(AssertUnwindSafe(|| query.run(&mut search)));
    let is_broken = result.is_err();
    let value = match result {
        Ok(Ok(value)) => value,
        Ok(Err(Halt::Pending)) if !search.is_exhausted() => return Outcome::Pending(search.wanted()),
        Ok(Err(Halt::Pending | Halt::Refused(_))) | Err(_) => Q::Out::default(),
    };
    let effort = search.cost();
    let (trace, own_depends, _) = search.finish();
    Outcome::Answer(Box::new(Found { value, trace, own_depends, effort, is_broken }))
}

/// Returns the physical path of `dir`, or `None` if no agent can start there because it is not a directory.
pub fn physical(dir: &Path, search: &mut Search) -> Known<Option<PathBuf>> {
    let Ok(physical) = search.real(dir)? else { return Ok(None) };
    Ok(search.is_dir(&physical, "the working directory")?.then_some(physical))
}

/// A question of any type, as a map key. The hash is computed once, since the key is looked up for every fact that its
/// answer depends on.
#[derive(Clone)]
pub struct Key {
    hash: u64,
    question: Arc<dyn AnyQuestion>,
}

/// An answer of any type.
pub type Kept = Arc<dyn Rests>;

/// Object-safe form of [`Question`].
trait AnyQuestion: Any + Send + Sync {
    fn is_same(&self, other: &dyn AnyQuestion) -> bool;
    fn resolve(&self, facts: &dyn Facts, known: &Parts, again: bool) -> Outcome<Kept>;
    fn comes_back(&self) -> bool;
}

impl<Q: Question> AnyQuestion for Q {
    fn is_same(&self, other: &dyn AnyQuestion) -> bool {
        (other as &dyn Any).downcast_ref::<Q>().is_some_and(|other| other == self)
    }

    fn resolve(&self, facts: &dyn Facts, known: &Parts, again: bool) -> Outcome<Kept> {
        match Question::resolve(self, facts, known, again) {
            Outcome::Answer(answer) => {
                let kept: Kept = Arc::from(answer as Box<dyn Rests>);
                Outcome::Answer(Box::new(kept))
            }
            Outcome::Pending(asks) => Outcome::Pending(asks),
        }
    }

    fn comes_back(&self) -> bool {
        Question::comes_back(self)
    }
}

impl Key {
    /// Creates the key of a question.
    pub fn of<Q: Question>(question: Q) -> Key {
        let mut hasher = DefaultHasher::new();
        std::any::TypeId::of::<Q>().hash(&mut hasher);
        question.hash(&mut hasher);
        Key { hash: hasher.finish(), question: Arc::new(question) }
    }

    /// Returns the cached hash.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Answers the question, see [`Question::resolve`].
    pub fn resolve(&self, facts: &dyn Facts, known: &Parts, again: bool) -> Outcome<Kept> {
        self.question.resolve(facts, known, again)
    }

    /// See [`Question::comes_back`].
    pub fn comes_back(&self) -> bool {
        self.question.comes_back()
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.hash == other.hash && self.question.is_same(&*other.question)
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// Returns the answer to a question of type `Q`.
pub fn typed<Q: Question>(kept: Kept) -> Arc<Q::Answer> {
    let any: Arc<dyn Any + Send + Sync> = kept;
    any.downcast().unwrap_or_else(|_| unreachable!("an answer belongs to its question"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::Fact;

    /// Facts in which every file has one byte.
    struct Bytes;

    impl Facts for Bytes {
        fn told(&self, _: &Ask) -> Option<Fact> {
            Some(Fact::Content(Ok("1".into())))
        }
    }

    /// Query for the length of a file; panics if there is no path.
    #[derive(Clone, PartialEq, Eq, Hash)]
    struct Length(Option<PathBuf>);

    impl Query for Length {
        type Out = usize;

        fn run(&self, search: &mut Search) -> Known<usize> {
            let path = self.0.as_deref().expect("a path");
            Ok(search.read(path, "its length")?.map_or(0, |content| content.len()))
        }
    }

    /// Query with the same data and hash as `Length`, but of another type.
    #[derive(Clone, PartialEq, Eq, Hash)]
    struct Twice(Option<PathBuf>);

    impl Query for Twice {
        type Out = usize;

        fn run(&self, search: &mut Search) -> Known<usize> {
            Ok(2 * Length(self.0.clone()).run(search)?)
        }
    }

    #[test]
    fn the_result_of_a_query_rests_on_what_it_asked() {
        let Outcome::Answer(found) = run(&Bytes, &Length(Some("/a".into()))) else { panic!("everything was told") };
        assert_eq!((found.value, found.own_depends()), (1, &[Ask::Content("/a".into())][..]));
    }

    #[test]
    fn a_query_that_panics_finds_nothing_out_and_is_not_kept() {
        let Outcome::Answer(found) = run(&Bytes, &Length(None)) else { panic!("everything was told") };
        assert_eq!((found.value, found.is_broken()), (0, true));
    }

    #[test]
    fn questions_of_two_types_are_never_the_same() {
        let path = || Some(PathBuf::from("/a"));
        assert!(Key::of(Length(path())) == Key::of(Length(path())));
        assert!(Key::of(Length(path())) != Key::of(Length(None)));
        let (once, twice) = (Key::of(Length(path())), Key::of(Twice(path())));
        assert!(!once.question.is_same(&*twice.question));
    }
}
