//! Evaluates the expectations of a project.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::hash::BuildHasher;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::Core;
use super::alone::{at_rest, project};
use super::below::{Below, below};
use super::settings::Settings;
use crate::answer::{Message, Resolution, SessionKind, Standpoint};
use crate::disk::Filesystem;
use crate::disk::scan::{self, Progress, Threads};
use crate::glob;
use crate::harness::custom::FILE_NAME;
use crate::harness::{Choice, Compacts};
use crate::report::expect::{
    Demand, Expectation, Failure, Reached, SIMILAR, Wanted, When, declared, decoded, headings, judge, paragraphs,
    reaches, section,
};
use crate::report::findings::{Finding, Kind, patterns};
use crate::report::why::{self, Plain, Sought};
use crate::request::{Defaults, OneOrMany, Places, Request};
use crate::resolve::AgentQuestion;
use crate::snapshot::Content;

pub(crate) mod live;
pub mod recorded;

/// Maximum number of files in a chain of `extends`.
const LONGEST_CHAIN: usize = 8;
/// Maximum number of files that one expectation asks about. Beyond it, the expectation is reported as unproven.
const MOST_QUESTIONS: usize = 200_000;
/// Maximum number of failed expectations for which the most similar line is searched; nobody fixes more at a time.
const MOST_NEAR: usize = 20;

/// Expectations of a project and their results.
pub struct Proofs {
    /// Directory that was searched.
    pub root: PathBuf,
    /// Results in the order of the declaring files.
    pub all: Vec<Proof>,
    /// Problems of declarations, by file.
    pub wrong: Vec<(PathBuf, Content, Finding)>,
    /// Number of questions asked.
    pub asked: usize,
}

/// An expectation and its result.
pub struct Proof {
    /// The expectation.
    pub expectation: Expectation,
    /// File that declares it.
    pub path: PathBuf,
    /// Directory that its patterns and starts are relative to.
    pub dir: PathBuf,
    /// Content of the declaring file.
    pub raw: Content,
    /// One row per agent, start, session and outcome.
    pub rows: Vec<Row>,
    /// Reason why it could not be evaluated at all.
    pub problem: Option<String>,
    /// Places of its first missing text in instruction files, as byte ranges.
    pub places: Vec<(PathBuf, Content, Range<usize>)>,
    /// The most similar line, if the text is in no file.
    pub near: Option<why::Near>,
}

impl Proof {
    /// Returns true if the expectation holds for all its agents.
    pub fn holds(&self) -> bool {
        self.problem.is_none() && self.rows.iter().all(|row| row.failure.is_none())
    }
}

/// Result of an expectation for one agent and one start directory.
pub struct Row {
    /// Id of the agent.
    pub agent: String,
    /// Name of the agent, for people.
    pub title: String,
    /// Version of the agent.
    pub version: String,
    /// Start directory, relative to the root.
    pub from: PathBuf,
    /// The kind of session.
    pub session: SessionKind,
    /// File in question, relative to the root. `None` means the start of a session.
    pub file: Option<PathBuf>,
    /// Number of files that the row stands for.
    pub files: usize,
    /// True if the agent creates the file.
    pub creates: bool,
    /// Reason why the expectation does not hold.
    pub failure: Option<String>,
    /// Index of the text that does not reach the agent.
    missing: Option<usize>,
}

/// Evaluates the expectations declared in `cwd`, in its parents up to the root of the project, and below it.
///
/// # Errors
/// If the settings or the revision are invalid. The error is a message for people.
pub fn expect(base: Defaults, cwd: &Path, settings: Settings, revision: Option<&str>) -> Result<Proofs, String> {
    let home = base.home.clone();
    let (runtime, core) = at_rest(base, cwd, settings, revision)?;
    runtime.block_on(async {
        let cwd = core.session().folders[0].clone();
        let places = Places { cwd: cwd.clone(), target: None, read_before: Vec::new(), already_loaded: Vec::new() };
        let asked = core.answers(&Request::default(), &places).await;
        let (answers, _) = asked.map_err(|error| error.message.into_owned())?;
        let root = project(&cwd, &home, &answers);
        prove(&core, &root, &below(&core, &root, &answers, revision), Files::Scanned(revision)).await
    })
}

/// Method for finding the files that expectations are about.
#[derive(Clone, Copy)]
pub(super) enum Files<'a> {
    /// Scans the project once, as it is now or at a revision.
    Scanned(Option<&'a str>),
    /// Queries the patterns; the index caches their matches.
    Matched,
}

/// One case of an expectation: a start, a session and a file, asked of all its agents.
struct Case {
    expectation: usize,
    /// The file, relative to the root; for a file to be created, a file of the same directory.
    file: Option<PathBuf>,
    files: usize,
    creates: bool,
    reached: Reached,
}

/// Question that several cases share: agents, start directory, kind of session, and file.
type Question = (Vec<String>, PathBuf, SessionKind, Option<PathBuf>);

/// Agents to ask, each with its standpoint at the start of a session.
type Agents = Vec<(Choice, Standpoint)>;

/// Key by which files are grouped: directory, extension, and the rules whose patterns match.
type ClassKey<'a> = (&'a Path, &'a OsStr, Vec<usize>);

/// Files of a directory that all rules of the project treat alike.
struct Class {
    /// One of the files, relative to the root.
    file: PathBuf,
    count: usize,
}

/// Evaluates every expectation declared below `root`.
pub(super) async fn prove(core: &Arc<Core>, root: &Path, found: &Below, files: Files<'_>) -> Result<Proofs, String> {
    let mut ground = Ground::of(core, root, found, files).await;
    let all: Vec<usize> = (0..ground.proofs.all.len()).collect();
    ground.prove(core, &all).await?;
    Ok(ground.proofs)
}

/// Input of the evaluation: wanted texts, the files in question, and the instruction files.
struct Ground {
    proofs: Proofs,
    /// Demand of each expectation, or `None` if it could not be read.
    wanted: Vec<Option<Wanted>>,
    /// Files that each expectation is about.
    classes: Vec<Vec<Class>>,
    texts: Texts,
}

impl Ground {
    async fn of(core: &Arc<Core>, root: &Path, found: &Below, files: Files<'_>) -> Ground {
        let mut proofs = declarations(core, root, &found.declarations).await;
        if proofs.all.is_empty() {
            let texts = Texts::read(core, &BTreeSet::new()).await;
            return Ground { proofs, wanted: Vec::new(), classes: Vec::new(), texts };
        }
        let texts = Texts::read(core, &found.instructions).await;
        let has_paths = proofs.all.iter().any(|proof| !proof.expectation.paths.is_empty());
        let files = match files {
            _ if !has_paths => Vec::new(),
            Files::Scanned(revision) => everything(core, root, revision),
            Files::Matched => live::matched(core, root, &proofs.all).await,
        };
        let mut wanted = Vec::new();
        for proof in &mut proofs.all {
            match resolved(core, root, &proof.expectation, &proof.path).await {
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
    async fn prove(&mut self, core: &Arc<Core>, which: &[usize]) -> Result<(), String> {
        let Ground { proofs, wanted, classes, texts } = self;
        let root = proofs.root.clone();
        let mut questions: BTreeMap<Question, Vec<Case>> = BTreeMap::new();
        for &number in which.iter().filter(|number| wanted[**number].is_some()) {
            let proof = &mut proofs.all[number];
            if !proof.expectation.paths.is_empty() && classes[number].is_empty() {
                let patterns = proof.expectation.paths.join(", ");
                proof.problem = Some(format!("`{patterns}` matches no file, so nothing is proven"));
                continue;
            }
            cases(number, proof, &root, &classes[number], &mut questions);
        }
        if questions.len() > MOST_QUESTIONS {
            return Err(format!(
                "the expectations are about {} starts and files; narrow `paths` or `from` ({MOST_QUESTIONS} at most)",
                questions.len()
            ));
        }
        let mut rows: Vec<Rows> = proofs.all.iter().map(|_| Rows::default()).collect();
        let mut asking: HashMap<(Vec<String>, PathBuf), Agents> = HashMap::new();
        for ((agents, from, session, target), cases) in &questions {
            let key = (agents.clone(), from.clone());
            if !asking.contains_key(&key) {
                let harness = (agents[..] != ["all"]).then(|| OneOrMany::Many(agents.clone()));
                let request = Request { harness, ..Request::default() };
                let places =
                    Places { cwd: from.clone(), target: None, read_before: Vec::new(), already_loaded: Vec::new() };
                let asked = core.questions(&request, &places).await.map_err(|error| error.message.into_owned())?;
                asking.insert(key.clone(), asked);
            }
            let question = |(choice, at): &(Choice, Standpoint)| {
                let at = Standpoint { target: target.clone(), session: *session, ..at.clone() };
                AgentQuestion::new(choice.clone(), at)
            };
            let asked: Vec<_> = asking[&key].iter().map(question).collect();
            proofs.asked += asked.len();
            let answers: Vec<Arc<Resolution>> =
                core.answers_to(asked).await.into_iter().map(|(answer, _)| answer).collect();
            for case in cases {
                let (proof, wanted) = (&proofs.all[case.expectation], &wanted[case.expectation]);
                let Some(wanted) = wanted else { continue };
                for (number, answer) in answers.iter().enumerate() {
                    let choice = &asking[&key][number].0;
                    let failure = failure(proof, wanted, case, choice, &answers, number, texts);
                    rows[case.expectation].add(&root, from, *session, case, answer, failure);
                }
            }
        }
        let mut compared = 0;
        for &number in which {
            let proof = &mut proofs.all[number];
            proof.rows = std::mem::take(&mut rows[number].0);
            if let Some(Wanted::Present(all)) = &wanted[number]
                && let Some(text) = proof.rows.iter().find_map(|row| all.get(row.missing?))
            {
                proof.places = texts.places(text);
                if proof.places.is_empty() && compared < MOST_NEAR {
                    compared += 1;
                    proof.near = texts.near(text);
                }
            }
        }
        Ok(())
    }
}

/// Reports every failed expectation: at its entry, and at the text that does not reach an agent.
pub(crate) fn findings(proofs: &Proofs) -> Vec<(PathBuf, Content, Finding)> {
    let failed = proofs.all.iter().filter(|proof| !proof.holds());
    proofs.wrong.iter().cloned().chain(failed.flat_map(of_proof)).collect()
}

/// Reports one failed expectation.
fn of_proof(proof: &Proof) -> Vec<(PathBuf, Content, Finding)> {
    let reason = proof.expectation.reason.as_ref().map_or_else(String::new, |reason| format!(" ({reason})"));
    let message = match &proof.problem {
        Some(problem) => format!("Expectation `{}` cannot be proven: {problem}", proof.expectation.id),
        None => format!("Expectation `{}` does not hold{reason}: {}", proof.expectation.id, failures(proof)),
    };
    let near = proof.near.iter().map(|near| (PathBuf::from(&near.path), format!("{SIMILAR}{}", near.text)));
    let failing: BTreeSet<&str> =
        proof.rows.iter().filter(|row| row.failure.is_some()).map(|row| row.agent.as_str()).collect();
    let at = |range: Range<usize>| Finding {
        harness: failing.first().filter(|_| failing.len() == 1).map(|agent| (*agent).to_owned()),
        related: near.clone().collect(),
        ..Finding::new(Kind::ExpectationFailed, range, message.clone())
    };
    let start = proof.expectation.at.start;
    let line = proof.raw[start..].iter().position(|byte| *byte == b'\n').map_or(proof.raw.len(), |end| start + end);
    let places = proof.places.iter().map(|(path, raw, place)| (path.clone(), raw.clone(), at(place.clone())));
    [(proof.path.clone(), proof.raw.clone(), at(start..line))].into_iter().chain(places).collect()
}

/// Lists the agents for which an expectation fails, and why, using the first row of each.
fn failures(proof: &Proof) -> String {
    let mut agents: Vec<&str> = Vec::new();
    let mut words = Vec::new();
    for row in &proof.rows {
        let Some(failure) = row.failure.as_deref().filter(|_| !agents.contains(&row.title.as_str())) else { continue };
        agents.push(&row.title);
        let start = if row.from.as_os_str().is_empty() { "/".to_owned() } else { row.from.display().to_string() };
        let about = match &row.file {
            Some(file) if row.creates => format!(" creates a file beside {}", file.display()),
            Some(file) => format!(" reads {}", file.display()),
            None => String::new(),
        };
        words.push(format!("{} started in {start}{about}: {failure}", row.title));
    }
    words.join("; ")
}

/// Returns every file below the root, sorted and relative to it.
fn everything(core: &Core, root: &Path, revision: Option<&str>) -> Vec<PathBuf> {
    let any = |_: &OsStr| true;
    let found = match revision {
        None => scan::scan(root, Threads::PerCore, &any, |_| (), &Progress::default()),
        Some(_) => scan::scan_in(&core.files, root, &any),
    };
    let mut files: Vec<PathBuf> =
        found.iter().filter_map(|file| file.strip_prefix(root).ok()).map(Path::to_owned).collect();
    files.sort_unstable();
    files
}

/// Reads a file of the project.
async fn read(core: &Arc<Core>, path: &Path) -> Result<Content, String> {
    let read = core.read(path).await.map_err(|error| error.message.into_owned());
    // Callers mention the file in their own words, so strip the prefix.
    let named = format!("{}: ", path.display());
    read.map(|(raw, _)| raw).map_err(|error| error.strip_prefix(&named).unwrap_or(&error).to_owned())
}

/// Reads the declarations of a project.
async fn declarations(core: &Arc<Core>, root: &Path, files: &[PathBuf]) -> Proofs {
    let mut proofs = Proofs { root: root.to_owned(), all: Vec::new(), wrong: Vec::new(), asked: 0 };
    for path in files {
        let dir = path.parent().unwrap_or(root).to_owned();
        let mut next = path.clone();
        for step in 0.. {
            let Ok(raw) = read(core, &next).await else { break };
            let here = declared(&raw);
            // Problems of an extended file are reported there, if it is part of this project.
            if step == 0 {
                proofs.wrong.extend(here.wrong.into_iter().map(|finding| (next.clone(), raw.clone(), finding)));
            }
            for expectation in here.all {
                let proof = Proof {
                    expectation,
                    path: next.clone(),
                    dir: dir.clone(),
                    raw: raw.clone(),
                    rows: Vec::new(),
                    problem: None,
                    places: Vec::new(),
                    near: None,
                };
                proofs.all.push(proof);
            }
            let Some(extends) = here.extends else { break };
            let target = crate::snapshot::absolute(next.parent().unwrap_or(root), Path::new(&extends));
            let problem = if target.file_name().is_none_or(|name| name != FILE_NAME) {
                Some(format!("`extends` leads to {extends}, which is not a {FILE_NAME}"))
            } else if step + 1 == LONGEST_CHAIN {
                Some(format!("`extends` leads through more than {LONGEST_CHAIN} files"))
            } else {
                let error = read(core, &target).await.err();
                error.map(|error| format!("`extends` leads to {extends}, which cannot be read: {error}"))
            };
            if let Some(problem) = problem {
                let start = raw.as_text().and_then(|text| text.find("extends")).unwrap_or(0);
                let line = raw[start..].iter().position(|byte| *byte == b'\n').map_or(raw.len(), |end| start + end);
                proofs.wrong.push((next.clone(), raw.clone(), Finding::new(Kind::Declaration, start..line, problem)));
                break;
            }
            next = target;
        }
    }
    proofs
}

/// Reads the texts that an expectation demands.
async fn resolved(
    core: &Arc<Core>,
    root: &Path,
    expectation: &Expectation,
    declared_in: &Path,
) -> Result<Wanted, String> {
    let sought = |text: &str| Sought::new(text).ok_or_else(|| "the text is empty".to_owned());
    let all = |texts: Vec<String>, name: &str| {
        let found: Vec<Sought> = texts.iter().filter_map(|text| Sought::new(text)).collect();
        if found.is_empty() { Err(format!("{name} has no text")) } else { Ok(Wanted::Present(found)) }
    };
    match &expectation.demand {
        Demand::Text(text) => Ok(Wanted::Present(vec![sought(text)?])),
        Demand::Absent(text) => Ok(Wanted::Absent(sought(text)?)),
        Demand::File(file) => all(paragraphs(&page(core, root, declared_in, file).await?), file),
        Demand::Section { file, heading } => {
            let page = page(core, root, declared_in, file).await?;
            let section = section(&page, heading).ok_or_else(|| format!("{file} has no heading `{heading}`"))?;
            all(paragraphs(section), &format!("{file}#{heading}"))
        }
        Demand::MaxTokens(most) => Ok(Wanted::MaxTokens(*most)),
        Demand::MaxShare(most) => Ok(Wanted::MaxShare(*most)),
        Demand::SameFor(_) => Ok(Wanted::Same),
    }
}

/// Reads a file that an expectation names. It must be in the project, or beside an extended declaration: messages may
/// not quote any other file of the disk.
async fn page(core: &Arc<Core>, root: &Path, declared_in: &Path, file: &str) -> Result<String, String> {
    let dir = declared_in.parent().unwrap_or(root);
    let path = core.files.real(&crate::snapshot::absolute(dir, Path::new(file)));
    if !path.starts_with(core.files.real(root)) && !path.starts_with(core.files.real(dir)) {
        return Err(format!("{file} lies outside the project"));
    }
    let raw = read(core, &path).await.map_err(|error| format!("{file} cannot be read: {error}"))?;
    Ok(decoded(&raw))
}

/// Groups the files that each expectation is about into classes.
fn classes(root: &Path, files: &[PathBuf], proofs: &[Proof], texts: &Texts) -> Vec<Vec<Class>> {
    let rules: BTreeSet<String> = texts.pages.iter().flat_map(|page| patterns(&page.raw)).collect();
    let rules: Vec<String> = rules.iter().flat_map(|rule| [rule.clone(), format!("**/{rule}")]).collect();
    let rules = glob::plain_set(rules.iter().map(String::as_str));
    let mut bases: BTreeMap<&Path, Vec<(usize, &str)>> = BTreeMap::new();
    for (number, proof) in proofs.iter().enumerate() {
        let base = proof.dir.strip_prefix(root).unwrap_or(Path::new(""));
        let patterns = proof.expectation.paths.iter().map(|pattern| (number, pattern.as_str()));
        bases.entry(base).or_default().extend(patterns);
    }
    let mut found: Vec<HashMap<ClassKey, Class>> = proofs.iter().map(|_| HashMap::new()).collect();
    for (base, patterns) in bases {
        let set = glob::plain_set(patterns.iter().map(|(_, pattern)| *pattern));
        let mut matched = Vec::new();
        for file in files.iter().filter(|file| file.starts_with(base)) {
            set.matches_into(file.strip_prefix(base).unwrap_or(file), &mut matched);
            let about: BTreeSet<usize> = matched.iter().map(|pattern| patterns[*pattern].0).collect();
            if about.is_empty() {
                continue;
            }
            let (dir, ending) = (file.parent().unwrap_or(Path::new("")), file.extension().unwrap_or_default());
            let key = (dir, ending, rules.matches(file));
            for number in about {
                let class = found[number].entry(key.clone()).or_insert_with(|| Class { file: file.clone(), count: 0 });
                class.count += 1;
            }
        }
    }
    let sorted = found.into_iter().map(|classes| {
        let mut classes: Vec<Class> = classes.into_values().collect();
        classes.sort_by(|one, other| one.file.cmp(&other.file));
        classes
    });
    sorted.collect()
}

/// Adds the cases of an expectation to the questions that they ask.
fn cases(number: usize, proof: &Proof, root: &Path, classes: &[Class], questions: &mut BTreeMap<Question, Vec<Case>>) {
    let expectation = &proof.expectation;
    let agents = match &expectation.demand {
        Demand::SameFor(agents) => agents.clone(),
        _ => expectation.agents.clone(),
    };
    let starts = |dir: Option<&Path>| -> Vec<PathBuf> {
        match (&expectation.from, dir) {
            (Some(from), _) => from.iter().map(|start| proof.dir.join(start)).collect(),
            (None, None) => vec![proof.dir.clone()],
            (None, Some(dir)) => {
                let dir = root.join(dir);
                let between = dir.ancestors().take_while(|above| above.starts_with(&proof.dir));
                let mut starts: Vec<PathBuf> = between.map(Path::to_owned).collect();
                starts.reverse();
                starts
            }
        }
    };
    let mut add = |from: PathBuf, session, target: Option<PathBuf>, case: Case| {
        questions.entry((agents.clone(), from, session, target)).or_default().push(case);
    };
    for session in &expectation.sessions {
        let of_start = |file: Option<&Class>, creates| Case {
            expectation: number,
            file: file.map(|class| class.file.clone()),
            files: file.map_or(0, |class| class.count),
            creates,
            reached: Reached::AtStart,
        };
        if classes.is_empty() {
            starts(None).into_iter().for_each(|from| add(from, *session, None, of_start(None, false)));
        }
        let mut dirs: BTreeSet<&Path> = BTreeSet::new();
        for class in classes {
            let dir = class.file.parent().unwrap_or(Path::new(""));
            for from in starts(Some(dir)) {
                if matches!(expectation.when, When::Start | When::AfterCompaction) {
                    add(from, *session, None, of_start(Some(class), false));
                    continue;
                }
                let case = Case { reached: Reached::WithFile, ..of_start(Some(class), false) };
                add(from, *session, Some(root.join(&class.file)), case);
            }
            // A file to be created gets the same instructions as any other of its directory.
            if expectation.when == When::BeforeEdit && dirs.insert(dir) {
                starts(Some(dir)).into_iter().for_each(|from| add(from, *session, None, of_start(Some(class), true)));
            }
        }
    }
}

/// Evaluates one answer for one case. Returns the failure, if any.
fn failure(
    proof: &Proof,
    wanted: &Wanted,
    case: &Case,
    choice: &Choice,
    answers: &[Arc<Resolution>],
    number: usize,
    texts: &Texts,
) -> Option<(String, Option<usize>)> {
    let answer = &answers[number];
    if let Some(refusal) = &answer.answer.refusal {
        return Some((format!("it does not start: {}", refusal.message), None));
    }
    if let Wanted::Same = wanted {
        let first = &answers[0];
        let gets = |answer: &Resolution, text: &Sought| {
            reaches(text, answer, case.reached, &|one, text| texts.says(one, text))
        };
        let differs = texts.sentences().iter().find(|text| gets(first, text) != gets(answer, text))?;
        let (has, lacks) = if gets(first, differs) { (first, answer) } else { (answer, first) };
        return Some((format!("{} gets “{}”, {} does not", has.title, shortened(differs.text()), lacks.title), None));
    }
    if proof.expectation.when == When::AfterCompaction && choice.edition().compacts() == Compacts::NotAsked {
        return Some(("what it sends again after a compaction is not known".to_owned(), None));
    }
    match judge(wanted, answer, case.reached, &|one, text| texts.says(one, text)).err()? {
        Failure::Missing(missing) => {
            let Wanted::Present(all) = wanted else { return None };
            let mut words = texts.why_not(&all[missing], answer);
            if case.creates {
                words = format!("a new file brings nothing with it; {words}");
            }
            if all.len() > 1 {
                words = format!("“{}”: {words}", shortened(all[missing].text()));
            }
            Some((words, Some(missing)))
        }
        Failure::Present(message) => {
            let from = answer.answer.sources.iter().find(|source| source.message == Some(message));
            let name = from.and_then(|source| source.path()).and_then(|path| path.file_name());
            let name = name.map_or_else(String::new, |name| format!(", from {}", name.display()));
            Some((format!("it gets the text{name}"), None))
        }
        Failure::Other(words) => Some((words, None)),
    }
}

/// Returns the first 60 characters of a text.
fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// Rows of an expectation; those with the same outcome are merged.
#[derive(Default)]
struct Rows(Vec<Row>);

impl Rows {
    fn add(
        &mut self,
        root: &Path,
        from: &Path,
        session: SessionKind,
        case: &Case,
        answer: &Resolution,
        failure: Option<(String, Option<usize>)>,
    ) {
        let from = from.strip_prefix(root).unwrap_or(from);
        let (failure, missing) = failure.map_or((None, None), |(words, missing)| (Some(words), missing));
        let same = |row: &&mut Row| {
            row.agent == answer.harness
                && row.version == answer.edition
                && row.from == from
                && row.session == session
                && row.creates == case.creates
                && row.failure == failure
        };
        // Questions are ordered by start, so rows with the same start are at the end.
        let here = self.0.iter_mut().rev().take_while(|row| row.from == from);
        if let Some(row) = { here }.find(same) {
            row.files += case.files;
            return;
        }
        self.0.push(Row {
            agent: answer.harness.clone(),
            title: answer.title.clone(),
            version: answer.edition.clone(),
            from: from.to_owned(),
            session,
            file: case.file.clone(),
            files: case.files,
            creates: case.creates,
            failure,
            missing,
        });
    }
}

/// Instruction files of a project.
struct Texts {
    /// Sorted by path.
    pages: Vec<Page>,
    /// Places of texts that were searched.
    known: RefCell<HashMap<String, Arc<Vec<InPage>>>>,
    /// Searched messages by hash; most answers contain the same ones.
    messages: RefCell<HashMap<u64, Heard>>,
    /// All sentences of the instruction files.
    sentences: OnceCell<Vec<Sought>>,
}

/// A searched message.
struct Heard {
    plain: Plain,
    /// Results by text: true if the message contains it.
    says: HashMap<String, bool>,
}

/// Index of a page, and the byte ranges of a text in it, of which there is at least one.
type InPage = (usize, Vec<Range<usize>>);

struct Page {
    path: PathBuf,
    raw: Content,
    text: String,
    /// Normalized text, computed on the first search.
    plain: OnceLock<Plain>,
    /// Lines, computed on the first search for similar ones.
    lines: OnceLock<Vec<why::Line>>,
}

impl Page {
    fn plain(&self) -> &Plain {
        self.plain.get_or_init(|| Plain::of(&self.text))
    }

    fn lines(&self) -> &[why::Line] {
        self.lines.get_or_init(|| why::Line::all(&self.text))
    }
}

impl Texts {
    async fn read(core: &Arc<Core>, files: &BTreeSet<PathBuf>) -> Texts {
        let mut pages = Vec::new();
        for path in files {
            let Ok(raw) = read(core, path).await else { continue };
            pages.push(Page {
                path: path.clone(),
                text: raw.text().into_owned(),
                raw,
                plain: OnceLock::new(),
                lines: OnceLock::new(),
            });
        }
        Texts { pages, known: RefCell::default(), messages: RefCell::default(), sentences: OnceCell::new() }
    }

    /// Returns true if a message contains a text.
    fn says(&self, message: &Message, text: &Sought) -> bool {
        let mut messages = self.messages.borrow_mut();
        let hash = foldhash::fast::FixedState::default().hash_one(&*message.text);
        let heard =
            messages.entry(hash).or_insert_with(|| Heard { plain: Plain::of(&message.text), says: HashMap::new() });
        if let Some(says) = heard.says.get(text.text()) {
            return *says;
        }
        let says = text.is_within(&heard.plain);
        heard.says.insert(text.text().to_owned(), says);
        says
    }

    /// Returns all sentences of the instruction files, except lines that only import another file.
    fn sentences(&self) -> &[Sought] {
        self.sentences.get_or_init(|| {
            let all: BTreeSet<String> = self.pages.iter().flat_map(|page| paragraphs(&page.text)).collect();
            let is_import = |text: &String| text.starts_with('@') && !text.contains(' ');
            all.iter().filter(|text| !is_import(text)).filter_map(|text| Sought::new(text)).collect()
        })
    }

    /// Returns true if the path is one of the instruction files.
    fn has(&self, path: &Path) -> bool {
        self.pages.binary_search_by(|page| page.path.as_path().cmp(path)).is_ok()
    }

    /// Returns the places of a text, as byte ranges of the files.
    fn places(&self, text: &Sought) -> Vec<(PathBuf, Content, Range<usize>)> {
        let of = |(page, found): &InPage| {
            let page = &self.pages[*page];
            let raw = page.raw.raw_ranges(found);
            raw.into_iter().map(|at| (page.path.clone(), page.raw.clone(), at)).collect::<Vec<_>>()
        };
        self.found(text).iter().flat_map(of).collect()
    }

    /// Returns the places of a text, each page searched once for it.
    fn found(&self, text: &Sought) -> Arc<Vec<InPage>> {
        if let Some(found) = self.known.borrow().get(text.text()) {
            return found.clone();
        }
        let pages = self.pages.iter().enumerate().map(|(page, one)| (page, text.places_in(one.plain())));
        let found: Arc<Vec<InPage>> = Arc::new(pages.filter(|(_, found)| !found.is_empty()).collect());
        self.known.borrow_mut().insert(text.text().to_owned(), found.clone());
        found
    }

    /// Returns the line that is most similar to a text.
    fn near(&self, text: &Sought) -> Option<why::Near> {
        let all = self.pages.iter().flat_map(|page| why::near(&page.path, page.lines(), text));
        all.max_by_key(|near| near.alike)
    }

    /// Explains why a text does not reach an agent.
    fn why_not(&self, text: &Sought, answer: &Resolution) -> String {
        let found = self.found(text);
        let is_source = |(page, _): &&InPage| answer.sources_of(&self.pages[*page].path).next().is_some();
        let Some((page, at)) = found.iter().find(is_source).or(found.first()) else {
            return "no instruction file says it".to_owned();
        };
        let page = &self.pages[*page];
        why::reason(answer, &page.path, (&page.raw, &page.text), &at[0], text)
    }
}

/// Suggests an expectation for each section of the instruction files that reaches every agent started in `cwd`.
///
/// # Errors
/// If the settings are invalid. The error is a message for people.
pub fn suggest(base: Defaults, cwd: &Path, settings: Settings) -> Result<String, String> {
    let (runtime, core) = at_rest(base, cwd, settings, None)?;
    runtime.block_on(async {
        let cwd = core.session().folders[0].clone();
        let places = Places { cwd: cwd.clone(), target: None, read_before: Vec::new(), already_loaded: Vec::new() };
        let asked = core.answers(&Request::default(), &places).await;
        let (answers, _) = asked.map_err(|error| error.message.into_owned())?;
        let mut files: Vec<PathBuf> = Vec::new();
        for source in answers.iter().flat_map(|answer| &answer.answer.sources) {
            let path = source.path().filter(|path| path.starts_with(&cwd) && source.fate.reaches());
            files.extend(path.filter(|path| !files.iter().any(|known| known == path)).map(Path::to_owned));
        }
        let mut out = String::new();
        for path in files {
            let Ok(raw) = core.files.read(&path) else { continue };
            let text = decoded(&raw);
            let name = path.strip_prefix(&cwd).unwrap_or(&path).display().to_string();
            for heading in headings(&text) {
                let texts = section(&text, &heading).map(paragraphs).unwrap_or_default();
                let wanted = Wanted::Present(texts.iter().filter_map(|text| Sought::new(text)).collect());
                let gets = |answer: &&Arc<Resolution>| {
                    judge(&wanted, answer, Reached::AtStart, &|one, text| text.is_in(&one.text)).is_ok()
                };
                let agents: BTreeSet<&str> =
                    answers.iter().filter(gets).map(|answer| answer.harness.as_str()).collect();
                if texts.is_empty() || agents.is_empty() {
                    continue;
                }
                out.push_str(&entry(&name, &heading, &agents));
            }
        }
        if out.is_empty() {
            out = "# No section of an instruction file reaches an agent that is started here.\n".to_owned();
        }
        Ok(out)
    })
}

/// Renders an entry of a `briefing.toml`.
fn entry(file: &str, heading: &str, agents: &BTreeSet<&str>) -> String {
    let words = heading.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { ' ' });
    let id = words.collect::<String>().split_whitespace().collect::<Vec<_>>().join("-");
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let agents = agents.iter().map(|agent| quoted(agent)).collect::<Vec<_>>().join(", ");
    let section = quoted(&format!("{file}#{heading}"));
    format!("[[expect]]\nid = {}\nsection = {section}\nagents = [{agents}]\nwhen = \"start\"\n\n", quoted(&id))
}
