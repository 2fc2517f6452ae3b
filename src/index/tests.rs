//! Answers are remembered, and forgotten when what they rest on changes.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::answer::{Answer, Standpoint};
use crate::harness::custom::Custom;
use crate::harness::{About, Choice, Edition};
use crate::query::Query;
use crate::resolve::AgentQuestion;
use crate::search::{Known, Search};
use crate::snapshot::{FileType, Meta};

/// Rules that read two files and count how often they are applied.
struct Counting(AtomicUsize);

impl Edition for Counting {
    fn about(&self) -> &About {
        About::of_a_test()
    }

    fn look(&self, _: &Standpoint, search: &mut Search) -> Known<Answer> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let _ = search.read(Path::new("/a"), "a file")?;
        let _ = search.read(Path::new("/b"), "another file")?;
        Ok(Answer::default())
    }
}

/// Asks if a path exists.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Exists(pub PathBuf);

impl Query for Exists {
    type Out = bool;

    fn run(&self, search: &mut Search) -> Known<bool> {
        Ok(search.glance(&self.0)?.is_ok())
    }
}

fn observe(asks: Vec<Ask>) -> Vec<Observed> {
    let look = |ask: Ask| {
        let fact = match &ask {
            Ask::Real(path) => Fact::Real(Ok(path.clone())),
            Ask::Content(_) => Fact::Content(Ok("text".into())),
            _ => Fact::Kind(Ok(Meta::made(FileType::Dir, 0))),
        };
        Observed { rests_on: vec![ask.path().to_owned()], ask, fact }
    };
    asks.into_iter().map(look).collect()
}

#[test]
fn after_an_edit_a_question_is_worked_out_once() {
    let edition = Arc::new(Counting(AtomicUsize::new(0)));
    let custom = Custom {
        path: None,
        id: "counting".to_owned(),
        title: "Counting".to_owned(),
        summary: String::new(),
        details: Vec::new(),
        edition: edition.clone(),
        fingerprint: 0,
        instruction_names: Vec::new(),
    };
    let (choice, index) = (Choice::custom(Arc::new(custom)), Index::default());
    let at = Arc::new(Standpoint::plain(Path::new("/"), Path::new("/"), Arc::default()));
    let looked = || {
        let before = edition.0.load(Ordering::Relaxed);
        index.answer(&observe, AgentQuestion::new(choice.clone(), at.clone()));
        edition.0.load(Ordering::Relaxed) - before
    };
    assert!(looked() > 1, "what it needs has to be found out");
    assert_eq!(looked(), 0, "it is remembered");
    index.forget([Change::Content("/a".into()), Change::Content("/b".into())]);
    assert_eq!(looked(), 1, "what it needs is known");
}

#[test]
fn what_is_announced_and_never_asked_for_is_not_observed() {
    let looks = AtomicUsize::new(0);
    let observe = |asks: Vec<Ask>| {
        looks.fetch_add(asks.len(), Ordering::Relaxed);
        observe(asks)
    };
    let ahead = Ahead { known: RefCell::default(), observe: &observe, observed: RefCell::default() };
    let parts = Parts::default();
    let mut search = Search::new(&ahead, Arc::default(), &parts);
    let names = (0..1_000).map(|number| Ask::Content(format!("/{number}").into()));
    search.expect(names).expect("they are observed on demand");
    let _ = search.read(Path::new("/7"), "the one that is needed");
    assert_eq!((looks.load(Ordering::Relaxed), ahead.observed.borrow().len()), (1, 1));
}

#[test]
fn facts_beyond_the_limit_are_dropped_and_every_change_may_be_about_one() {
    let index = Index::default();
    let ask = |index: &Index| index.answer(&observe, Exists("/p".into()));
    let (_, first) = ask(&index);
    assert!(!index.forget([Change::Content("/elsewhere".into())]));
    let asks: Vec<Ask> = (0..FACT_LIMIT).map(|number| Ask::Kind(format!("/{number}").into())).collect();
    let tick = Tick(index.lock().tick);
    index.learn(observe(asks), tick);
    assert!(index.sizes().0 > FACT_LIMIT);
    index.answer(&observe, Exists("/q".into()));
    let sizes = || {
        let state = index.lock();
        (state.snapshot.len(), state.weight, state.memo.len())
    };
    assert_eq!(sizes(), (0, 0, 0));
    assert!(index.has_forgotten(&[], first));
    let since = index.version();
    assert!(
        index.forget([Change::Content("/elsewhere".into())]),
        "somebody may rely on a fact that is not known any more"
    );
    assert!(index.has_forgotten(&[], since));
    ask(&index);
    let (facts, weight, answers) = sizes();
    assert!(facts > 0 && facts == weight && answers == 1);
}

#[test]
fn what_was_forgotten_since_a_version_is_known_by_its_mark() {
    let index = Index::default();
    let told = |count: usize| {
        let asks: Vec<Ask> = (0..count).map(|number| Ask::Content(format!("/{number}").into())).collect();
        let marks = asks.iter().map(mark).collect::<Vec<_>>();
        let tick = Tick(index.lock().tick);
        index.learn(observe(asks), tick);
        marks
    };
    let marks = told(2);
    let since = index.version();
    assert!(!index.has_forgotten(&marks[..1], since));
    index.forget([Change::Content("/1".into())]);
    assert!(!index.has_forgotten(&marks[..1], since));
    assert!(index.has_forgotten(&marks[1..], since));
    assert!(!index.has_forgotten(&marks[1..], index.version()));
    // More than the limit: then any fact may have been invalidated before, and none since.
    let since = index.version();
    told(MARK_LIMIT + 1);
    index.forget([Change::Everything]);
    assert!(index.has_forgotten(&[], since));
    assert!(!index.has_forgotten(&[], index.version()));
    let since = index.version();
    for _ in 0..3 {
        told(MARK_LIMIT / 2);
        index.forget([Change::Everything]);
    }
    assert!(index.has_forgotten(&[], since));
    assert!(!index.has_forgotten(&[], since + 2));
}
