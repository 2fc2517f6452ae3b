//! Parts that many answers share, such as a directory of rules: computed once, and cached as long as the facts that
//! they depend on hold.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rpds::HashTrieMapSync;

use super::{Known, Probe, Search};
use crate::snapshot::{Ask, AskHasher};

/// The identity of a part: the function that computes it, and its two arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PartKey {
    of: &'static str,
    place: PathBuf,
    word: &'static str,
}

/// A computed value with the record of what was asked for it.
pub struct Part {
    /// Identity of the part.
    pub key: PartKey,
    value: Arc<dyn Any + Send + Sync>,
    trace: Trace,
    /// Facts that the part depends on.
    pub depends: Vec<Ask>,
    cut_short: Option<PathBuf>,
    about_process: Option<PathBuf>,
    effort: usize,
    /// What was spent before the part, if the budget ended within it: its result depends on that.
    ended_after: Option<usize>,
}

impl std::fmt::Debug for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Part").field("key", &self.key).finish_non_exhaustive()
    }
}

/// The cached parts. A clone is cheap and never changes.
#[derive(Clone, Default)]
pub struct Parts {
    known: HashTrieMapSync<PartKey, Arc<Part>, AskHasher>,
}

impl Parts {
    /// Returns the number of parts.
    pub fn len(&self) -> usize {
        self.known.size()
    }

    /// Returns true if no part is cached.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Caches a part, unless the one with the same key is as good. Returns true if it is cached now.
    pub fn keep(&mut self, part: &Arc<Part>) -> bool {
        let is_better = self.known.get(&part.key).is_none_or(|known| {
            // The budget ended within the known one elsewhere, so it will not be used again.
            known.ended_after.is_some() && known.ended_after != part.ended_after
        });
        if is_better {
            self.known.insert_mut(part.key.clone(), part.clone());
        }
        is_better
    }

    /// Removes a part.
    pub fn forget(&mut self, key: &PartKey) {
        self.known.remove_mut(key);
    }
}

/// A function that computes a part: a plain function whose search has no environment, so that the result depends on
/// nothing but its two arguments and the facts.
pub type Look<T> = fn(&Path, &'static str, &mut Search) -> Known<T>;

impl Search<'_> {
    /// Returns the result of `look` at `place`, from the cache if possible; `of` names the function.
    pub fn part<T: Any + Send + Sync>(
        &mut self,
        of: &'static str,
        (place, word): (&Path, &'static str),
        look: Look<T>,
    ) -> Known<Arc<T>> {
        let key = PartKey { of, place: place.to_owned(), word };
        // If the budget ends within a part, its result depends on what was spent before.
        let before = self.effort.before_part();
        let suffices = |part: &&Arc<Part>| match part.ended_after {
            None => self.effort.has_room_for(part.effort),
            Some(spent) => spent == before,
        };
        let (part, is_known) = match self.known.known.get(&key).filter(suffices).cloned() {
            Some(part) => (part, true),
            None => (Arc::new(self.fresh_part(key, look)?), false),
        };
        if part.ended_after.is_some() {
            // Then the budget of the answer has ended as well.
            self.effort.add(before - self.effort.spent());
        }
        if is_known {
            self.effort.reuse(part.effort);
        } else {
            self.effort.add(part.effort);
        }
        if let Some(pattern) = &part.cut_short {
            self.cut_short.get_or_insert_with(|| pattern.clone());
        }
        if let Some(file) = &part.about_process {
            self.about_process.get_or_insert_with(|| file.clone());
        }
        self.parts.push((self.probes.len(), part.clone()));
        Ok(part.value.clone().downcast().unwrap_or_else(|_| unreachable!("one function per name")))
    }

    /// Computes a part with the remaining budget.
    fn fresh_part<T: Any + Send + Sync>(&mut self, key: PartKey, look: Look<T>) -> Known<Part> {
        let mut inner = Search { again: self.again, ..Search::new(self.facts, Arc::default(), self.known) };
        let before = self.effort.before_part();
        inner.effort.add(before);
        let value = match look(&key.place, key.word, &mut inner) {
            Ok(value) => Arc::new(value),
            Err(halt) => {
                inner.effort.take_back(before - self.effort.spent());
                self.take_over(inner);
                return Err(halt);
            }
        };
        let (mut cut_short, about_process) = (inner.cut_short.take(), inner.about_process.take());
        inner.effort.matched(&inner.meter);
        let effort = inner.effort.spent() - before;
        if let Some(place) = inner.effort.place() {
            cut_short.get_or_insert_with(|| place.clone());
        }
        let ended_after = inner.effort.is_over().then_some(before);
        let (trace, mut depends, _) = inner.finish();
        // Parts can be nested.
        depends.extend(trace.parts().flat_map(|part| part.depends.iter().cloned()));
        Ok(Part { key, value, trace, depends, cut_short, about_process, effort, ended_after })
    }
}

impl Search<'_> {
    /// Takes over everything that the search for a part recorded, since there is no part to hold it.
    fn take_over(&mut self, mut inner: Search) {
        let before = self.probes.len();
        self.wanted.append(&mut inner.wanted);
        self.depends.extend(inner.depends.drain());
        self.probes.append(&mut inner.probes);
        self.parts.extend(inner.parts.drain(..).map(|(at, part)| (before + at, part)));
        self.effort = inner.effort;
    }
}

impl Part {
    /// Returns everything that was asked for the part.
    pub(super) fn trace(&self) -> &Trace {
        &self.trace
    }
}

/// Everything that was asked for an answer, in order: its own lines, interleaved with those of its parts.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    own: Vec<Probe>,
    /// True if `own` includes the lines of the parts.
    is_whole: bool,
    /// Parts, each with the index of the own line that follows it.
    parts: Vec<(usize, Arc<Part>)>,
}

impl Trace {
    pub(super) fn new(own: Vec<Probe>, parts: Vec<(usize, Arc<Part>)>) -> Trace {
        Trace { own, is_whole: false, parts }
    }

    /// Returns the trace with each line replaced by `say(line)`.
    pub(super) fn saying(self, say: impl Fn(&Probe) -> Probe) -> Trace {
        Trace { own: self.iter().map(say).collect(), is_whole: true, parts: self.parts }
    }

    /// Iterates over the lines.
    pub fn iter(&self) -> Box<dyn Iterator<Item = &Probe> + '_> {
        if self.is_whole {
            return Box::new(self.own.iter());
        }
        let starts = std::iter::once(0).chain(self.parts.iter().map(|(at, _)| *at));
        let ends = self.parts.iter().map(|(at, _)| *at).chain([self.own.len()]);
        let parts = self.parts.iter().map(|(_, part)| Some(&part.trace)).chain([None]);
        let own = starts.zip(ends).map(|(start, end)| &self.own[start..end]);
        Box::new(own.zip(parts).flat_map(|(own, part)| own.iter().chain(part.into_iter().flat_map(Trace::iter))))
    }

    /// Iterates over the parts of the answer.
    pub fn parts(&self) -> impl Iterator<Item = &Arc<Part>> {
        self.parts.iter().map(|(_, part)| part)
    }
}

impl PartialEq for Trace {
    fn eq(&self, other: &Trace) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Trace {}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::HashSet;

    use super::*;
    use crate::search::Halt;
    use crate::snapshot::{Fact, Facts};

    /// Facts in which every file has the same content; counts the questions.
    #[derive(Default)]
    struct Counting(Cell<u32>);

    impl Facts for Counting {
        fn told(&self, _: &Ask) -> Option<Fact> {
            self.0.set(self.0.get() + 1);
            Some(Fact::Content(Ok("text".into())))
        }
    }

    fn length(place: &Path, _: &'static str, search: &mut Search) -> Known<usize> {
        Ok(search.read(place, "its length")?.map_or(0, |content| content.len()))
    }

    fn look(facts: &Counting, known: &Parts, word: &'static str) -> (usize, Trace) {
        let mut search = Search::new(facts, Arc::default(), known);
        let _ = search.read(Path::new("/before"), "its own");
        let found = *search.part("length", (Path::new("/a"), word), length).expect("told");
        let _ = search.read(Path::new("/behind"), "its own");
        (found, search.finish().0)
    }

    #[test]
    fn a_part_whose_cost_goes_beyond_the_limit_is_looked_for_anew_and_ends_where_the_effort_does() {
        let (facts, mut known) = (Counting::default(), Parts::default());
        let (found, trace) = look(&facts, &known, "");
        assert_eq!(found, 4);
        trace.parts().for_each(|part| assert!(known.keep(part)));
        let mut search = Search::new(&facts, Arc::default(), &known);
        search.effort.add(crate::snapshot::ROUND_WEIGHT);
        let found = *search.part("length", (Path::new("/a"), ""), length).expect("told");
        assert_eq!(found, 0, "what is fresh would find nothing any more");
    }

    #[test]
    fn what_a_search_or_one_of_its_parts_asked_for_is_known() {
        let (facts, known) = (Counting::default(), Parts::default());
        let mut search = Search::new(&facts, Arc::default(), &known);
        search.part("one", (Path::new("/a"), ""), |place, _, search| search.read(place, "of the part")).expect("told");
        let _ = search.read(Path::new("/b"), "its own").expect("told");
        let left = search.not_asked(["/a", "/b", "/c"].into_iter().map(Path::new));
        assert_eq!(left, HashSet::from([Path::new("/c")]));
    }

    fn endless(place: &Path, _: &'static str, search: &mut Search) -> Known<usize> {
        let mut read = 0;
        while search.gave_up_at().is_none() {
            read += search.read(&place.join(read.to_string()), "another")?.map_or(0, |_| 1);
        }
        Ok(read)
    }

    #[test]
    fn a_part_in_which_the_effort_ends_is_looked_for_once_for_answers_that_spent_about_as_much() {
        let (facts, mut known) = (Counting::default(), Parts::default());
        let look = |spent: usize, known: &Parts| {
            let before = facts.0.get();
            let mut search = Search::new(&facts, Arc::default(), known);
            search.effort.add(spent);
            let read = *search.part("endless", (Path::new("/a"), ""), endless).expect("told");
            assert!(search.effort.is_over(), "the answer ends with its part");
            (read, facts.0.get() - before, search.finish().0)
        };
        let (read, asked, trace) = look(1, &known);
        assert_eq!(asked as usize, read);
        trace.parts().for_each(|part| assert!(known.keep(part)));
        assert_eq!(look(2_000, &known), (read, 0, trace.clone()));
        let (fresh, known_one) = (look(30_000, &Parts::default()), look(30_000, &known));
        assert!(fresh.0 < read && fresh == known_one, "elsewhere it ends at another place");
        fresh.2.parts().for_each(|part| assert!(known.keep(part), "the latest is kept"));
        assert!(known.keep(trace.parts().next().expect("the one")));
    }

    #[test]
    fn a_part_rests_on_what_its_own_parts_rest_on() {
        let (facts, known) = (Counting::default(), Parts::default());
        let mut search = Search::new(&facts, Arc::default(), &known);
        let outer = |place: &Path, word: &'static str, search: &mut Search| {
            search.part("length", (place, word), length).map(|length| *length)
        };
        assert_eq!(*search.part("outer", (Path::new("/a"), ""), outer).expect("told"), 4);
        let trace = search.finish().0;
        assert_eq!(trace.iter().count(), 1);
        let depends: Vec<&Ask> = trace.parts().flat_map(|part| &part.depends).collect();
        assert_eq!(depends, [&Ask::Content("/a".into())]);
    }

    #[test]
    fn a_part_in_which_the_client_refuses_to_start_is_not_kept_and_what_it_asked_counts_as_the_answers() {
        let (facts, known) = (Counting::default(), Parts::default());
        let mut search = Search::new(&facts, Arc::default(), &known);
        let _ = search.read(Path::new("/before"), "its own");
        let refusing = |place: &Path, _: &'static str, search: &mut Search| -> Known<()> {
            let _ = search.read(place, "settings")?;
            Err(Halt::refused(place, "broken"))
        };
        let halt = search.part("settings", (Path::new("/a"), ""), refusing).expect_err("it refuses");
        assert_eq!(halt, Halt::refused("/a", "broken"));
        let (trace, mut depends, _) = search.finish();
        assert_eq!(trace.parts().count(), 0);
        let paths: Vec<&Path> = trace.iter().map(|probe| probe.path.as_path()).collect();
        assert_eq!(paths, ["/before", "/a"].map(Path::new));
        depends.sort_by_key(|ask| ask.path().to_owned());
        assert_eq!(depends, ["/a", "/before"].map(|file| Ask::Content(file.into())));
    }

    #[test]
    fn a_part_that_is_known_is_not_looked_for_and_tells_the_same() {
        let (facts, mut known) = (Counting::default(), Parts::default());
        let (first, trace) = look(&facts, &known, "");
        assert_eq!((first, facts.0.get()), (4, 3));
        trace.parts().for_each(|part| assert!(known.keep(part)));
        let again = look(&facts, &known, "");
        assert_eq!((again.0, facts.0.get()), (4, 5));
        assert_eq!(again.1, trace);
        let paths: Vec<&Path> = trace.iter().map(|probe| probe.path.as_path()).collect();
        assert_eq!(paths, ["/before", "/a", "/behind"].map(Path::new));
        look(&facts, &known, "another");
        assert_eq!(facts.0.get(), 8);
        known.forget(&trace.parts().next().expect("the one").key);
        look(&facts, &known, "");
        assert_eq!((known.len(), facts.0.get()), (0, 11));
    }
}
