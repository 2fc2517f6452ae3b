//! Cases whose files are changed here and there: no harness breaks, and what it says of a file lies in that file.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use briefing::answer::{Fate, Resolution};
use briefing::report::briefing::{Include, briefing};
use briefing::report::preview;

use super::{fuzz, mutated};
use crate::cases::{answer, case_files};
use crate::findings;
use crate::incremental::changes::Random;
use crate::world::{Case, World};

/// The cases that are no great matter to set up.
static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let texts = case_files().into_iter().filter_map(|path| std::fs::read_to_string(path).ok());
    let small = texts.filter(|text| text.len() < 64 << 10 && !text.contains(" * ") && !text.contains("sparse"));
    small.map(|text| Case::parse(&text)).collect()
});

/// A case with a file or a few changed.
fn changed<'c>(random: &mut Random) -> (&'c Case, World) {
    let case = random.pick(&CASES);
    let mut world = World::of(case);
    let files: Vec<&str> =
        case.sections.iter().map(|section| section.words().0).filter(|name| name.starts_with('/')).collect();
    for _ in 0..1 + random.below(3) {
        let Some(file) = (!files.is_empty()).then(|| *random.pick(&files)) else { break };
        let text = case.sections.iter().find(|section| section.words().0 == file).map_or("", |section| &section.body);
        world.overwrite(Path::new(file), mutated(text, random).into_bytes());
    }
    (case, world)
}

fn is_sound(resolution: &Resolution, ask: &str) {
    assert!(!resolution.is_broken(), "{ask}: {:?}", resolution.answer.refusal);
    for source in &resolution.answer.sources {
        let len = source.size.map_or(0, |size| size.bytes);
        assert!(source.kept.iter().all(|range| range.start <= range.end && range.end <= len), "{ask}: {source:?}");
        assert!(source.kept.is_sorted_by_key(|range| range.start), "{ask}: {source:?}");
        assert!(source.message.is_none_or(|at| at < resolution.answer.messages.len()), "{ask}: {source:?}");
    }
    let include = Include { text: true, trace: true };
    let said = briefing(resolution, include);
    assert_eq!(said.sources.len(), resolution.answer.sources.len());
    let _ = preview::prompt(std::slice::from_ref(resolution));
}

#[test]
fn answers() {
    fuzz("answers", 20, |random| {
        let (case, world) = changed(random);
        let asks: Vec<&str> = case.all("@sources").chain(case.all("@text")).map(|(ask, _)| ask).collect();
        if let Some(ask) = (!asks.is_empty()).then(|| *random.pick(&asks))
            && let Ok(resolution) = answer(case, &world, ask)
        {
            is_sound(&resolution, ask);
        }
    });
}

#[test]
fn findings_about_changed_files() {
    fuzz("findings", 60, |random| {
        let (case, world) = changed(random);
        for (ask, _) in case.all("@diagnostics").take(1) {
            findings::diagnostics(case, &world, ask);
        }
    });
}

/// The longest chain is shared by the files of the project, from the root down.
#[test]
fn what_codex_cuts_is_what_is_left_of_the_limit() {
    fuzz("budgets", 10, |random| {
        let limit = random.below(5_000);
        let mut world = World::empty();
        world.git(Path::new("/p"));
        world.directory(Path::new("/h"));
        world.file(Path::new("/h/.codex/config.toml"), format!("project_doc_max_bytes = {limit}\n").into_bytes());
        let mut left = limit;
        let mut expected = Vec::new();
        for dir in ["/p", "/p/a", "/p/a/b"] {
            let size = random.below(3_000);
            world.directory(Path::new(dir));
            world.file(&Path::new(dir).join("AGENTS.md"), vec![b'x'; size]);
            let kept = size.min(left);
            left -= kept;
            expected.push((PathBuf::from(dir).join("AGENTS.md"), kept, size));
        }
        let resolution = answer(&Case::parse(""), &world, "codex from /p/a/b").expect("an answer");
        for (path, kept, size) in expected {
            let source = resolution.answer.sources.iter().find(|source| source.is_file(&path));
            let found = source.map_or(0, |source| source.kept.iter().map(|range| range.len()).sum());
            assert_eq!(found, kept, "{path:?} of {size} with {limit}: {source:?}");
            let is_whole = source.is_none_or(|source| (source.fate == Fate::Loaded) == (kept == size && size > 0));
            assert!(is_whole, "{path:?} of {size}, kept {kept}: {source:?}");
        }
    });
}
