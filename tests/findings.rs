//! What is wrong with the files of a case; and that nothing is wrong where people do as a harness's documentation says.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use briefing::answer::{Fate, Resolution};
use briefing::disk::Filesystem;
use briefing::formats::position;
use briefing::harness;
use briefing::queries::ignored::IgnoredByGit;
use briefing::queries::neighbour::Neighbour;
use briefing::queries::patterns::DeadPatterns;
use briefing::queries::references::{Absent, AbsentReferences, Reference};
use briefing::queries::twins::Twins;
use briefing::report::findings::{
    Elsewhere, Kind, Standing, Subject, decides, findings, loaded_instead, missing_imports, names, patterns, references,
};
use briefing::request::{OneOrMany, beside};
use briefing::resolve::{Outcome, resolve};

use crate::cases::{found, question};
use crate::world::{Case, World};

/// The golden text of `@diagnostics FILE [HARNESS[,HARNESS]...] [from CWD]`; without a harness every one is asked,
/// without a start each is started beside the file.
pub fn diagnostics(case: &Case, world: &World, ask: &str) -> String {
    let (file, harnesses) = ask.split_once(' ').unwrap_or((ask, ""));
    let file = Path::new(file);
    let raw = world.read(file).expect("the file of @diagnostics is there");
    let text = String::from_utf8_lossy(&raw);
    let mut out = String::new();
    for finding in with_subject(case, world, harnesses, file, findings) {
        let at = |byte| position(&text, byte);
        let ((line, column), (last, end)) = (at(finding.range.start), at(finding.range.end));
        let off = finding.kind.standing() == Standing::Off;
        let (severity, code) = (finding.severity().word(), finding.kind.code());
        let severity = if off { format!("({severity})") } else { severity.to_owned() };
        let faded = if finding.faded { " faded" } else { "" };
        let _ = writeln!(out, "{line}:{column}-{last}:{end} {severity} {code}{faded}  {}", finding.message);
        for (path, message) in finding.related {
            let _ = writeln!(out, "    {}  {message}", path.display());
        }
    }
    out
}

/// Looks at a file as the server does.
pub fn with_subject<T>(
    case: &Case,
    world: &World,
    harnesses: &str,
    file: &Path,
    look: impl FnOnce(&Subject) -> T,
) -> T {
    let raw = world.read(file).expect("the file is there");
    let (harnesses, from) = match harnesses.split_once("from ") {
        Some((harnesses, from)) => (harnesses.trim_end(), PathBuf::from(from)),
        None => (harnesses, beside(file)),
    };
    let mut answers = asked(case, world, harnesses, &from, None);
    let mut elsewhere = Vec::new();
    if from != beside(file) {
        let reading = asked(case, world, harnesses, &from, Some(&neighbour_of(world, file)));
        let there = asked(case, world, harnesses, &beside(file), None);
        for ((answer, reading), there) in answers.iter_mut().zip(reading).zip(there) {
            if !decides(answer, file) {
                *answer = reading;
            }
            if !decides(answer, file) {
                elsewhere.push(there);
            }
        }
    }
    let elsewhere = Elsewhere { path: file, answers: &elsewhere };
    let never_read = names::is_distinctive(file) && !reads(&answers, file) && !from_above(case, world, harnesses, file);
    let real = world.real_path(file).expect("it is there");
    let leads_to = (real != file).then_some(&*real);
    let dead = dead_patterns(case, world, file, &raw);
    let everyone: Vec<_> = answers.iter().chain(elsewhere.answers).cloned().collect();
    let absent = absent(case, world, file, leads_to, references(file, &raw, &everyone));
    let instead = loaded_instead(file, &everyone);
    let twins = found(world, &Twins::of(file, instead));
    let ignored = found(world, &IgnoredByGit::of(file, missing_imports(file, &everyone)));
    let (dead, absent) = (&dead, &absent);
    look(&Subject {
        path: file,
        raw: &raw,
        answers: &answers,
        subagents: &[],
        created: &[],
        leads_to,
        twins: &twins,
        ignored: &ignored,
        never_read,
        dead,
        absent,
        long: 500,
        elsewhere,
    })
}

/// What the prose of a file names and is not there; in the home directory, which no workspace is, nothing is looked
/// for.
fn absent(
    case: &Case,
    world: &World,
    file: &Path,
    leads_to: Option<&Path>,
    wanted: BTreeSet<Reference>,
) -> Vec<Absent> {
    if wanted.is_empty() || beside(file) == case.home() {
        return Vec::new();
    }
    found(world, &AbsentReferences::of(file, leads_to, wanted))
}

/// The file that an agent may read beside an instruction file.
fn neighbour_of(world: &World, file: &Path) -> PathBuf {
    found(world, &Neighbour::within(&beside(file))).map_or_else(|| file.to_owned(), |below| beside(file).join(below))
}

/// The patterns of a rule that match nothing; in the home directory, which no workspace is, nothing is looked for.
fn dead_patterns(case: &Case, world: &World, file: &Path, raw: &[u8]) -> Vec<String> {
    let wanted = patterns(raw);
    if wanted.is_empty() || beside(file) == case.home() {
        return Vec::new();
    }
    let is_top = |dir: &&Path| world.real_path(&dir.join(".git")).is_ok();
    let project = file.ancestors().skip(1).find(is_top).map_or_else(|| beside(file), Path::to_owned);
    found(world, &DeadPatterns::below(&beside(file), &project, wanted))
}

fn asked(case: &Case, world: &World, harnesses: &str, cwd: &Path, target: Option<&Path>) -> Vec<Arc<Resolution>> {
    let (mut request, defaults, mut places) = question(case, &format!("codex from {}", cwd.display()));
    let harnesses = if harnesses.is_empty() { "all" } else { harnesses };
    request.harness = Some(OneOrMany::Many(harnesses.split(',').map(str::to_owned).collect()));
    places.target = target.map(Path::to_owned);
    let questions = request.questions(&defaults, &places).expect("a question");
    let answer = |(choice, standpoint)| match resolve(world, &choice, &standpoint) {
        Outcome::Answer(answer) => Arc::from(answer),
        Outcome::Pending(asks) => panic!("everything was told, and yet {asks:?}"),
    };
    questions.into_iter().map(answer).collect()
}

fn reads(answers: &[Arc<Resolution>], file: &Path) -> bool {
    let mut sources = answers.iter().flat_map(|answer| &answer.answer.sources);
    sources.any(|source| source.path() == Some(file) && source.fate != Fate::Missing)
}

fn from_above(case: &Case, world: &World, harnesses: &str, file: &Path) -> bool {
    file.ancestors().skip(1).any(|dir| reads(&asked(case, world, harnesses, dir, Some(file)), file))
}

/// Projects as the documentation of each harness recommends to lay them out: `tests/layouts/ID.txt`, written as cases
/// are.
fn layouts() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/layouts");
    let files = std::fs::read_dir(folder).expect("the layouts are there").map(|file| file.expect("an entry").path());
    let layout = |file: PathBuf| {
        let id = file.file_stem().expect("a name").to_string_lossy().into_owned();
        (id, std::fs::read_to_string(file).expect("a layout is UTF-8"))
    };
    files.map(layout).collect()
}

#[test]
fn every_harness_has_a_recommended_layout_and_every_layout_a_harness() {
    let mut laid_out: Vec<String> = layouts().into_iter().map(|(id, _)| id).collect();
    let mut known: Vec<&str> = harness::ALL.iter().map(|profile| profile.id).collect();
    laid_out.sort();
    known.sort_unstable();
    assert_eq!(laid_out, known, "tests/layouts/ID.txt: a project as the documentation of ID recommends to lay it out");
}

#[test]
fn a_project_laid_out_as_its_harness_recommends_has_no_findings() {
    let mut wrong = Vec::new();
    for (id, text) in layouts() {
        let case = Case::parse(&text);
        let world = World::of(&case);
        let files = case.sections.iter().filter(|section| !section.header.ends_with("/ | git"));
        for path in files.map(|section| section.header.split(" -> ").next().expect("a path")) {
            for harnesses in [id.as_str(), ""] {
                let found = diagnostics(&case, &world, format!("{path} {harnesses}").trim_end());
                if !found.is_empty() {
                    wrong.push(format!("{id}: {path} for {harnesses:?}\n{found}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_recommended_layout_is_read_by_its_harness() {
    for (id, text) in layouts() {
        let case = Case::parse(&text);
        let world = World::of(&case);
        let told = |fate| matches!(fate, Fate::Loaded | Fate::Truncated);
        let files = case.sections.iter().map(|section| Path::new(&section.header));
        let read = files.filter(|file| {
            let cwd = beside(file);
            world.list(&cwd).is_ok()
                && asked(&case, &world, &id, &cwd, None).iter().any(|answer| {
                    answer.answer.sources.iter().any(|source| source.path() == Some(file) && told(source.fate))
                })
        });
        // AgentCore alone reads nothing by itself.
        assert!(read.count() > 0 || id == "agentcore", "{id} reads nothing of its layout");
    }
}

#[test]
fn every_kind_of_finding_has_a_section_with_its_severity() {
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/findings.md")).expect("the page");
    let sections: Vec<(&str, &str)> =
        page.split("\n## ").skip(1).map(|section| section.split_once("\n\n").expect("a heading and a text")).collect();
    let codes: Vec<&str> = sections.iter().map(|(code, _)| *code).collect();
    assert_eq!(codes, Kind::ALL.iter().map(|kind| kind.code()).collect::<Vec<_>>());
    for (kind, (code, text)) in Kind::ALL.iter().zip(sections) {
        let off = if kind.standing() == Standing::Off { ", off by default" } else { "" };
        assert!(text.starts_with(&format!("*{}*{off} · ", kind.severity().word())), "{code}");
    }
}
