//! Answers one question: makes the standpoint physical, applies the rules of the version, and completes the result.

use std::any::Any;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::answer::{
    Answer, ByPath, Certain, Fate, Fidelity, Place, Reached, Resolution, Source, Standing, Standpoint, Tool, Trigger,
    Warning,
};
use crate::harness::{Attaches, Choice};
pub use crate::query::Outcome;
use crate::query::{Question, Rests, attempt};
use crate::search::{Halt, Known, Parts, Search, StandIns, Trace};
use crate::snapshot::{Ask, Errno, Facts, Unreadable, Without, absolute};
use crate::text::without_passwords;

/// The question what an agent loads at a standpoint.
#[derive(Clone)]
pub struct AgentQuestion {
    /// Agent and version.
    pub choice: Choice,
    /// Standpoint of the question.
    pub standpoint: Arc<Standpoint>,
}

impl AgentQuestion {
    /// Creates the question what the agent `choice` loads at `standpoint`.
    pub fn new(choice: Choice, standpoint: impl Into<Arc<Standpoint>>) -> AgentQuestion {
        AgentQuestion { choice, standpoint: standpoint.into() }
    }

    /// Returns the values that distinguish two questions at one standpoint. A custom agent may be redefined under the
    /// same name with another fingerprint.
    fn identity(&self) -> (&str, &str, u64, Option<&str>, Option<&str>) {
        let choice = &self.choice;
        let note = choice.note.as_ref().map(|note| note.message.as_str());
        (choice.id(), choice.edition().about().name, choice.fingerprint(), choice.claim.running.as_deref(), note)
    }
}

impl PartialEq for AgentQuestion {
    fn eq(&self, other: &AgentQuestion) -> bool {
        self.identity() == other.identity() && self.standpoint == other.standpoint
    }
}

impl Eq for AgentQuestion {}

impl Hash for AgentQuestion {
    /// Hashes only the values that distinguish most questions; the environment is long and the same for all.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Standpoint { cwd, target, .. } = &*self.standpoint;
        (self.choice.id(), self.choice.edition().about().name, cwd, target).hash(state);
    }
}

impl Question for AgentQuestion {
    type Answer = Resolution;

    fn resolve(&self, facts: &dyn Facts, known: &Parts, again: bool) -> Outcome<Resolution> {
        let AgentQuestion { choice, standpoint } = self;
        // Cached parts assume a disk with all its files.
        let (left, none) = (Without { facts, deleted: &standpoint.deleted }, Parts::default());
        let (facts, known): (&dyn Facts, &Parts) =
            if standpoint.deleted.is_empty() { (facts, known) } else { (&left, &none) };
        let search = || Search::new(facts, standpoint.env.clone(), known).showing(standpoint.secrets);
        attempt(again, search, |search| outcome(choice, standpoint, search))
    }

    /// Returns false for a question with `already_loaded` files: it concerns one step of a session, and is not asked
    /// again.
    fn comes_back(&self) -> bool {
        self.standpoint.already_loaded.is_empty()
    }
}

impl Rests for Resolution {
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
        Resolution::is_broken(self)
    }
}

/// Returns what the agent `choice` loads at `standpoint`. Opens no file and cannot fail.
pub fn resolve(facts: &dyn Facts, choice: &Choice, standpoint: &Standpoint) -> Outcome<Resolution> {
    let left = Without { facts, deleted: &standpoint.deleted };
    let facts: &dyn Facts = if standpoint.deleted.is_empty() { facts } else { &left };
    let known = Parts::default();
    outcome(choice, standpoint, Search::new(facts, standpoint.env.clone(), &known).showing(standpoint.secrets))
}

/// Applies the rules and completes the answer. A panic in one agent's rules does not affect the answers of the others.
fn outcome(choice: &Choice, standpoint: &Standpoint, mut search: Search) -> Outcome<Resolution> {
    let looked = catch_unwind(AssertUnwindSafe(|| answer_at(choice, standpoint, &mut search)))
        .unwrap_or_else(|panic| Ok((standpoint.clone(), broken(choice, standpoint, &search, panic.as_ref()))));
    let looked = match looked {
        Err(_) if search.is_exhausted() => {
            let mut answer = Answer::default();
            give_up(&mut answer, &search);
            Ok((standpoint.clone(), answer))
        }
        looked => looked,
    };
    // Redacts even when the budget was exhausted.
    let looked = looked.map(|(standpoint, mut answer)| {
        hide_values(&mut answer, &search.stand_ins());
        (standpoint, answer)
    });
    match looked {
        Err(_) => Outcome::Pending(search.wanted()),
        Ok((standpoint, answer)) => {
            let effort = search.cost();
            let answer = complete(choice, standpoint, answer, search.finish());
            Outcome::Answer(Box::new(Resolution { effort, ..answer }))
        }
    }
}

/// Makes the standpoint physical, applies the rules, and adds the warnings that do not depend on the agent.
fn answer_at(choice: &Choice, standpoint: &Standpoint, search: &mut Search) -> Known<(Standpoint, Answer)> {
    let mut at = standpoint.clone();
    let cwd = absolute(Path::new("/"), &at.cwd);
    let Ok(physical) = search.real(&cwd)? else {
        let message = format!("{} does not exist; no agent can be started there", cwd.display());
        return Ok((at, Answer::refused(cwd, message)));
    };
    if !search.is_dir(&physical, "the working directory")? {
        let message = format!("{} is not a directory; no agent can be started there", cwd.display());
        return Ok((at, Answer::refused(cwd, message)));
    }
    at.target_as_given = at.target.as_deref().map(|target| physical.join(target));
    at.target = at.target.map(|target| absolute(&physical, &target));
    at.already_loaded = at.already_loaded.iter().map(|file| physical.join(file)).collect();
    at.read_before.iter_mut().for_each(|earlier| earlier.file = physical.join(&earlier.file));
    at.cwd = physical;
    at.already_loaded.extend(injected_before(choice, &at, search)?);
    let mut answer = through_tool(choice, &at, search)?;
    choice.edition().switches().doubt(choice.id(), &at, search, &mut answer)?;
    // The real path is asked first, since no edit changes it. Only if it does not exist can the target be a new
    // document in the editor, which must then be asked for in a way that depends on edits.
    if let Some(target) = at.target.as_ref().filter(|_| at.tool != Tool::Write)
        && search.real(target)? == Err(Errno::NOENT)
        && search.glance(target)? == Err(Errno::NOENT)
    {
        let message = format!(
            "{} does not exist, so no read of it adds anything; shown is the start of a session",
            target.display()
        );
        answer.warnings.push(Warning::at("missing-target", target, message));
    }
    search.close(&at.cwd);
    // Once the budget is exhausted, parts are cut short as well; then only the place where it ended is reported.
    if let Some(pattern) = search.cut_short().filter(|_| search.gave_up_at().is_none()) {
        let message =
            format!("{} has too many places to look at all of them; links may lead in circles", pattern.display());
        answer.warnings.push(Warning::general("cut-short", message.clone()));
        answer.doubt(&[Certain::Set], message);
    }
    give_up(&mut answer, search);
    for (url, to) in search.moved() {
        answer.warnings.push(Warning::general("redirected", format!("{url} leads on to {to}, which served the text")));
    }
    if search.has_urls() {
        hide_passwords(&mut answer);
    }
    if let Some(file) = search.about_process() {
        answer.doubt(&[], format!("{}: {}", file.display(), Unreadable::Process));
    }
    Ok((at, answer))
}

/// Reports where the search stopped because the answer would cost too much.
fn give_up(answer: &mut Answer, search: &Search) {
    let Some(place) = search.gave_up_at() else { return };
    // The client may succeed beyond Briefing's limits.
    answer.refusal = None;
    let is_absent = |source: &Source| matches!(source.fate, Fate::Missing | Fate::Unreadable);
    let absent: Vec<PathBuf> =
        answer.sources.iter().filter(|source| is_absent(source)).filter_map(Source::path).map(Path::to_owned).collect();
    let left = search.not_asked(absent.iter().map(PathBuf::as_path));
    for source in &mut answer.sources {
        if is_absent(source) && source.path().is_some_and(|path| left.contains(path)) {
            (source.fate, source.reason) = (Fate::Unreadable, "not looked at: Briefing gave up before".to_owned());
        }
    }
    let message = format!("so much is to be looked at that nothing more was from {} on", place.display());
    answer.warnings.push(Warning::general("cut-short", message.clone()));
    answer.doubt(&[Certain::Set], message);
}

/// Replaces values that settings take from variables by the reference as written. The values remain in the prompt and
/// in paths that exist, and nowhere else.
fn hide_values(answer: &mut Answer, stand_ins: &StandIns) {
    if stand_ins.is_empty() {
        return;
    }
    for text in texts_mut(answer) {
        stand_ins.text(text);
    }
    for source in &mut answer.sources {
        match &mut source.place {
            Place::Path(path) => stand_ins.path(path),
            Place::Url(url) => stand_ins.text(url),
        }
        source.by.iter_mut().for_each(|by| stand_ins.path(by));
    }
    answer.warnings.iter_mut().filter_map(|warning| warning.path.as_mut()).for_each(|path| stand_ins.path(path));
    answer.refusal.iter_mut().for_each(|refusal| stand_ins.path(&mut refusal.path));
    answer.root.iter_mut().for_each(|root| stand_ins.path(root));
}

/// Iterates over all texts of an answer that Briefing writes itself.
fn texts_mut(answer: &mut Answer) -> impl Iterator<Item = &mut String> {
    let said = answer.warnings.iter_mut().map(|warning| &mut warning.message);
    let said = said.chain(answer.sources.iter_mut().map(|source| &mut source.reason));
    said.chain(&mut answer.files_only).chain(answer.refusal.as_mut().map(|refusal| &mut refusal.message))
}

/// Hides passwords in URLs, except in the prompt, which is what the client sends.
fn hide_passwords(answer: &mut Answer) {
    for text in texts_mut(answer) {
        if let Cow::Owned(hidden) = without_passwords(text) {
            *text = hidden;
        }
    }
}

/// Returns the files that were injected with files read earlier in the session, in order.
fn injected_before(choice: &Choice, at: &Standpoint, search: &mut Search) -> Known<Vec<PathBuf>> {
    let mut injected = Vec::new();
    for (nth, Reached { tool, file }) in at.read_before.iter().enumerate() {
        if *tool == Tool::Mention && !choice.edition().remembers_mentions() {
            continue;
        }
        let then = Standpoint {
            target: Some(absolute(&at.cwd, file)),
            target_as_given: Some(file.clone()),
            tool: *tool,
            read_before: at.read_before[..nth].to_vec(),
            already_loaded: at.already_loaded.iter().chain(&injected).cloned().collect(),
            ..at.clone()
        };
        let answer = apply_rules(choice, &then, search)?;
        let comes = |source: &Source| matches!(source.trigger, Trigger::Read | Trigger::Attach);
        let came = |source: &&Source| comes(source) && matches!(source.fate, Fate::Loaded | Fate::Truncated);
        injected.extend(answer.sources.iter().filter(came).filter_map(Source::path).map(Path::to_owned));
    }
    Ok(injected)
}

/// Applies the rules. Turns a refusal of the client to start into an answer.
fn apply_rules(choice: &Choice, at: &Standpoint, search: &mut Search) -> Known<Answer> {
    match choice.edition().look(at, search) {
        Err(Halt::Refused(refusal)) => Ok(refusal.into()),
        answer => answer,
    }
}

/// Applies the rules for a target that is reached with the standpoint's tool.
fn through_tool(choice: &Choice, at: &Standpoint, search: &mut Search) -> Known<Answer> {
    if at.tool == Tool::Read || at.target.is_none() {
        return apply_rules(choice, at, search);
    }
    match choice.edition().attaches(at.tool) {
        Attaches::AsRead | Attaches::Own => apply_rules(choice, at, search),
        Attaches::Nothing => {
            apply_rules(choice, &Standpoint { target: None, target_as_given: None, ..at.clone() }, search)
        }
        Attaches::Unknown => {
            let mut answer = apply_rules(choice, at, search)?;
            let reason = format!(
                "what {} adds for its {} tool was not recorded; shown is what it adds when it reads the file",
                choice.title(),
                at.tool
            );
            answer.warnings.push(Warning::general("unknown-tool", reason.clone()));
            answer.doubt(&[Certain::Set], reason);
            Ok(answer)
        }
    }
}

/// Returns the answer if the rules panicked: a refusal at the file that was read last.
fn broken(choice: &Choice, standpoint: &Standpoint, search: &Search, panic: &(dyn Any + Send)) -> Answer {
    let said = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let message = format!(
        "internal error in the rules of {}, please report it: {}; `briefing show --case FILE` writes down what is needed to \
         see it happen",
        choice.title(),
        said.unwrap_or("it panicked").lines().next().unwrap_or_default()
    );
    let place = search.last_read().unwrap_or(&standpoint.cwd);
    let mut answer = Answer::refused(place, message.clone());
    answer.warnings.push(Warning::at(Warning::INTERNAL_ERROR, place, message.clone()));
    answer.doubt(&[Certain::Set], message);
    answer
}

/// Adds the claim about the client's version, and the trace.
fn complete(
    choice: &Choice,
    standpoint: Standpoint,
    mut answer: Answer,
    (trace, own_depends, env_used): (Trace, Vec<Ask>, BTreeMap<String, String>),
) -> Resolution {
    if answer.refusal.is_some() {
        answer.messages.clear();
    }
    let claim = choice.claim.clone();
    match &claim.standing {
        Standing::Covered => {}
        Standing::Newer => {
            let (title, rules) = (choice.title(), &claim.rules);
            let version = claim.running.as_deref().unwrap_or_default();
            let message = format!(
                "{title} {version} is newer than {rules}, the last version that was checked; shown is what {rules} does"
            );
            answer.warnings.push(Warning::general("unchecked-version", message));
        }
        Standing::Uncertain(why) => {
            answer.warnings.push(Warning::general("between-editions", why.clone()));
            answer.doubt(&[Certain::Set], why.clone());
        }
    }
    answer.warnings.extend(choice.note.clone());
    answer.count_further_warnings();
    let fidelity = if answer.files_only.is_some() { Fidelity::Files } else { claim.fidelity() };
    Resolution {
        harness: choice.id().to_owned(),
        title: choice.title().to_owned(),
        edition: choice.edition().about().name.to_owned(),
        fidelity,
        claim,
        standpoint,
        env_used,
        answer,
        trace,
        own_depends,
        effort: 0,
        by_path: ByPath::default(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::answer::Scope;
    use crate::harness::custom::Custom;
    use crate::harness::{About, Edition};
    use crate::snapshot::{Fact, FileType, Meta};

    /// Rules with a bug: they panic after reading a file.
    struct Panics;

    impl Edition for Panics {
        fn about(&self) -> &About {
            About::of_a_test()
        }

        fn look(&self, _: &Standpoint, search: &mut Search) -> Known<Answer> {
            let _ = search.read(Path::new("/p/AGENTS.md"), "the file that breaks it")?;
            let _ = search.part("broken", (Path::new("/p/rules"), ""), |place, _, search| -> Known<()> {
                let _ = search.stat(place, "a folder")?;
                panic!("on purpose")
            })?;
            unreachable!("it panics")
        }
    }

    pub(crate) fn panicking() -> Choice {
        let custom = Custom {
            path: None,
            id: "broken".to_owned(),
            title: "Broken".to_owned(),
            summary: String::new(),
            details: Vec::new(),
            edition: Arc::new(Panics),
            fingerprint: 0,
            instruction_names: Vec::new(),
        };
        Choice::custom(Arc::new(custom))
    }

    /// Facts with directories only, each of which can be read as a file.
    struct Bare;

    impl Facts for Bare {
        fn told(&self, ask: &Ask) -> Option<Fact> {
            Some(match ask {
                Ask::Kind(_) => Fact::Kind(Ok(Meta::made(FileType::Dir, 0))),
                Ask::Real(path) => Fact::Real(Ok(path.clone())),
                Ask::Content(_) => Fact::Content(Ok("text".into())),
                other => unreachable!("{other:?} is not asked"),
            })
        }
    }

    /// The answer of [`panicking`].
    fn broken() -> Resolution {
        let at = Standpoint::plain(Path::new("/p"), Path::new("/h"), Arc::default());
        let Outcome::Answer(answer) = resolve(&Bare, &panicking(), &at) else { panic!("everything is told") };
        *answer
    }

    #[test]
    fn a_harness_that_panics_is_refused_and_says_so_where_it_read_last() {
        let answer = broken();
        let refusal = answer.answer.refusal.as_ref().expect("a refusal");
        assert_eq!(refusal.path, Path::new("/p/AGENTS.md"));
        assert!(refusal.message.contains("Broken") && refusal.message.contains("on purpose"), "{}", refusal.message);
        assert_eq!((answer.is_broken(), answer.fidelity), (true, Fidelity::Files));
        assert!(answer.own_depends.contains(&Ask::Content("/p/AGENTS.md".into())));
    }

    #[test]
    fn an_answer_is_indexed_by_path() {
        let mut answer = broken();
        assert!(answer.has_probed("/p/AGENTS.md".as_ref()) && !answer.has_probed("/p/rules".as_ref()));
        assert_eq!(answer.warnings_about("/p/AGENTS.md".as_ref()).count(), 1);
        assert_eq!(answer.sources_of("/p/3".as_ref()).count(), 0);
        for number in 0..100_usize {
            let fate = if number.is_multiple_of(9) { Fate::Missing } else { Fate::Loaded };
            let place = match number % 10 {
                4 => Place::Url(format!("https://example.org/{number}")),
                _ => Place::Path(format!("/p/{}", number * 7 % 12).into()),
            };
            let reason = number.to_string();
            answer.answer.sources.push(Source { place, ..Source::new("", Scope::Project, fate, reason) });
            answer.answer.warnings.push(Warning::at("a", format!("/p/{}", number % 5), number.to_string()));
        }
        let answer = answer.clone();
        let all = || answer.answer.sources.iter();
        for number in 0..13 {
            let path = Path::new("/p").join(number.to_string());
            assert!(answer.sources_of(&path).eq(all().filter(|source| source.path() == Some(&path))), "{number}");
            let about = answer.answer.warnings.iter().filter(|warning| warning.path.as_ref() == Some(&path));
            assert!(answer.warnings_about(&path).eq(about), "{number}");
        }
        let is_missing = |source: &&Source| source.path().is_none() || source.fate == Fate::Missing;
        assert!(answer.dangling().eq(all().filter(is_missing)));
        assert_eq!(answer.dangling().count(), 21, "ten URLs and twelve missing files, one of which is both");
    }
}
