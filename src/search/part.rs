//! Parts of answers that many answers share, such as a folder of rules: looked for once, and kept while the facts they
//! rest on stand.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rpds::HashTrieMapSync;

use super::{Known, Probe, Search};
use crate::snapshot::{Ask, AskHasher};

/// What a part is about: whoever looks for it, where, and the one word that says what for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PartKey {
    of: &'static str,
    place: PathBuf,
    word: &'static str,
}

/// What was found, and everything that was asked for it.
pub struct Part {
    /// What it is about.
    pub key: PartKey,
    value: Arc<dyn Any + Send + Sync>,
    trace: Trace,
    /// The facts it rests on.
    pub depends: Vec<Ask>,
    cut_short: Option<PathBuf>,
    about_process: Option<PathBuf>,
    effort: usize,
}

impl std::fmt::Debug for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Part").field("key", &self.key).finish_non_exhaustive()
    }
}

/// The parts that are known. A clone is cheap, and never changes.
#[derive(Clone, Default)]
pub struct Parts {
    known: HashTrieMapSync<PartKey, Arc<Part>, AskHasher>,
}

impl Parts {
    /// How many they are.
    pub fn len(&self) -> usize {
        self.known.size()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Whether a part of this name is known.
    pub fn contains(&self, key: &PartKey) -> bool {
        self.known.contains_key(key)
    }

    /// Keeps a part, in the place of the one of the same name.
    pub fn keep(&mut self, part: Arc<Part>) {
        self.known.insert_mut(part.key.clone(), part);
    }

    /// Forgets the part of this name.
    pub fn forget(&mut self, key: &PartKey) {
        self.known.remove_mut(key);
    }
}

/// How a part is looked for: a plain function, whose search has no environment, so that the result depends on nothing but its
/// two arguments and the facts.
pub type Look<T> = fn(&Path, &'static str, &mut Search) -> Known<T>;

impl Search<'_> {
    /// What `look` finds at `place`, or has found before; `of` names the function.
    pub fn part<T: Any + Send + Sync>(
        &mut self,
        of: &'static str,
        (place, word): (&Path, &'static str),
        look: Look<T>,
    ) -> Known<Arc<T>> {
        let key = PartKey { of, place: place.to_owned(), word };
        // A known part counts only if the effort suffices for all of it: where the effort ends within a part, what is left of
        // the part depends on what was spent before.
        let suffices = |part: &&Arc<Part>| part.cut_short.is_none() && self.effort.has_room_for(part.effort);
        let part = match self.known.known.get(&key).filter(suffices) {
            Some(part) => part.clone(),
            None => Arc::new(self.fresh_part(key, look)?),
        };
        self.effort.add(part.effort);
        if let Some(pattern) = &part.cut_short {
            self.cut_short.get_or_insert_with(|| pattern.clone());
        }
        if let Some(file) = &part.about_process {
            self.about_process.get_or_insert_with(|| file.clone());
        }
        self.parts.push((self.probes.len(), part.clone()));
        Ok(part.value.clone().downcast().unwrap_or_else(|_| unreachable!("one function per name")))
    }

    /// Looks for a part with what is left of the effort.
    fn fresh_part<T: Any + Send + Sync>(&mut self, key: PartKey, look: Look<T>) -> Known<Part> {
        let mut inner = Search { again: self.again, ..Search::new(self.facts, Arc::default(), self.known) };
        let before = self.effort.spent();
        inner.effort.add(before);
        let value = match look(&key.place, key.word, &mut inner) {
            Ok(value) => Arc::new(value),
            Err(halt) => {
                self.take_over(inner);
                return Err(halt);
            }
        };
        let (mut cut_short, about_process) = (inner.cut_short.take(), inner.about_process.take());
        inner.effort.matched(&inner.meter);
        let effort = inner.effort.spent() - before;
        if let Some(place) = inner.effort.place() {
            // The part is incomplete, and must not be reused where more effort is left.
            cut_short.get_or_insert_with(|| place.clone());
        }
        let (trace, mut depends, _) = inner.finish();
        // A part may have parts of its own.
        depends.extend(trace.parts().flat_map(|part| part.depends.iter().cloned()));
        Ok(Part { key, value, trace, depends, cut_short, about_process, effort })
    }
}

impl Search<'_> {
    /// Counts what the search for a part has asked as its own: there is no part that could hold it.
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
    /// Everything that was asked for it.
    pub(super) fn trace(&self) -> &Trace {
        &self.trace
    }
}

/// Everything that was asked for an answer, in order: its own lines, and between them those of its parts.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    own: Vec<Probe>,
    /// Whether `own` has the lines of the parts among them.
    is_whole: bool,
    /// The parts, each with the index of the own line that it stands before.
    parts: Vec<(usize, Arc<Part>)>,
}

impl Trace {
    pub(super) fn new(own: Vec<Probe>, parts: Vec<(usize, Arc<Part>)>) -> Trace {
        Trace { own, is_whole: false, parts }
    }

    /// The same, where its lines say something else.
    pub(super) fn saying(self, say: impl Fn(&Probe) -> Probe) -> Trace {
        Trace { own: self.iter().map(say).collect(), is_whole: true, parts: self.parts }
    }

    /// Its lines.
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

    /// The parts of the answer.
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

    use super::*;
    use crate::search::Halt;
    use crate::snapshot::{Fact, Facts};

    /// Every file holds the same; how often one was asked for.
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
        trace.parts().for_each(|part| known.keep(part.clone()));
        let mut search = Search::new(&facts, Arc::default(), &known);
        search.effort.add(crate::snapshot::ROUND_WEIGHT);
        let found = *search.part("length", (Path::new("/a"), ""), length).expect("told");
        assert_eq!(found, 0, "what is fresh would find nothing any more");
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
        trace.parts().for_each(|part| known.keep(part.clone()));
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
