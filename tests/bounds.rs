//! Input that would cost without end: every harness that follows imports or patterns stops, and says so.

use std::path::Path;
use std::time::{Duration, Instant};

use briefing::answer::{Fate, Fidelity, Resolution};

use crate::cases::answer;
use crate::world::{Case, World};

/// How long one answer may take, in a build without optimization.
const PATIENCE: Duration = Duration::from_secs(20);

fn resolved(world: &World, ask: &str) -> Resolution {
    let start = Instant::now();
    let resolution = answer(&Case::parse(""), world, ask).expect("a question");
    assert!(start.elapsed() < PATIENCE, "{ask}: {:?}", start.elapsed());
    resolution
}

/// `/p/NAME`, which imports `/p/0.md`, which imports the next, ten thousand times.
fn chain(name: &str) -> World {
    let mut world = World::empty();
    world.file(&Path::new("/p").join(name), b"@./0.md\n".to_vec());
    for number in 0..10_000 {
        world.file(Path::new(&format!("/p/{number}.md")), format!("@./{}.md\n", number + 1).into_bytes());
    }
    world.directory(Path::new("/h"));
    world
}

fn loaded(resolution: &Resolution) -> usize {
    resolution.answer.sources.iter().filter(|source| source.fate == Fate::Loaded).count()
}

#[test]
fn a_chain_of_ten_thousand_imports_ends_where_gemini_cli_ends_it() {
    let resolution = resolved(&chain("GEMINI.md"), "gemini-cli from /p");
    assert_eq!((loaded(&resolution), resolution.fidelity), (6, Fidelity::Exact));
}

#[test]
fn a_flat_chain_of_ten_thousand_imports_ends_at_the_cap() {
    let mut world = chain("GEMINI.md");
    world.file(Path::new("/h/.gemini/settings.json"), br#"{"context": {"importFormat": "flat"}}"#.to_vec());
    let resolution = resolved(&world, "gemini-cli from /p");
    assert_eq!((loaded(&resolution), resolution.fidelity), (2_001, Fidelity::Files));
    assert!(resolution.answer.warnings.iter().any(|warning| warning.code == "import-cap"));
}

#[test]
fn imports_that_multiply_end_at_the_cap() {
    let mut world = World::empty();
    let many = |next: &str| format!("@./{next}.md\n").repeat(1_000).into_bytes();
    for (name, next) in [("GEMINI", "a"), ("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("e", "f")] {
        world.file(Path::new(&format!("/p/{name}.md")), many(next));
    }
    world.directory(Path::new("/h"));
    let resolution = resolved(&world, "gemini-cli from /p");
    assert_eq!(resolution.fidelity, Fidelity::Files);
}

#[test]
fn ten_thousand_files_and_as_many_tokens_are_no_burden() {
    let mut world = World::empty();
    let tokens: String = (0..10_000).map(|number| format!("@word{number} `` ` ")).collect();
    world.file(Path::new("/p/GEMINI.md"), tokens.into_bytes());
    for number in 0..10_000 {
        world.file(Path::new(&format!("/p/d{number}/GEMINI.md")), b"D\n".to_vec());
    }
    world.directory(Path::new("/h"));
    assert_eq!(loaded(&resolved(&world, "gemini-cli from /p")), 1);
}

#[test]
fn a_chain_of_ten_thousand_imports_ends_where_copilot_cli_ends_it() {
    let resolution = resolved(&chain("AGENTS.md"), "copilot-cli from /p");
    assert_eq!((loaded(&resolution), resolution.fidelity), (9, Fidelity::Exact));
}

#[test]
fn ten_thousand_rule_files_are_no_burden() {
    let mut world = World::empty();
    for number in 0..10_000 {
        let text = format!("---\napplyTo: \"**/*.{number}\"\n---\n{number}\n");
        world.file(Path::new(&format!("/p/.github/instructions/{number}.instructions.md")), text.into_bytes());
    }
    world.file(Path::new("/p/a.77"), b"a\n".to_vec());
    world.directory(Path::new("/h"));
    assert_eq!(loaded(&resolved(&world, "copilot-cli from /p reading /p/a.77")), 1);
}
