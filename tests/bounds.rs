//! Input that would cost without end: every harness that follows imports or patterns stops, and says so.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use briefing::answer::{Fate, Fidelity, Resolution, Standpoint};
use briefing::disk;
use briefing::harness::{self, Choice};
use briefing::index::{Index, Keep, Reply};
use briefing::query::Key;
use briefing::resolve::AgentQuestion;

use crate::cases::answer;
use crate::world::{Case, World};

/// How much of a processor one answer may take, in a build without optimization.
const PATIENCE: Duration = Duration::from_secs(60);

/// What this thread has used of the processors, in clock ticks of 10 ms; a busy machine makes no difference. Nothing
/// where the system does not say.
pub fn used() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

fn resolved(world: &World, ask: &str) -> Resolution {
    let before = used();
    let resolution = answer(&Case::parse(""), world, ask).expect("a question");
    let used = used() - before;
    assert!(used < PATIENCE, "{ask}: {used:?}");
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
fn a_folder_of_rules_with_ten_thousand_folders_is_not_looked_through() {
    for (ask, folder) in [("cursor from /p", "/p/.cursor/rules"), ("copilot-cli from /p", "/p/.github/instructions")] {
        let mut world = World::empty();
        world.file(&Path::new(folder).join("a.md"), b"Rule.\n".to_vec());
        for number in 0..10_000 {
            world.directory(&Path::new(folder).join(format!("{}/{}", number / 100, number % 100)));
        }
        world.directory(Path::new("/h"));
        let resolution = resolved(&world, ask);
        assert_eq!(resolution.fidelity, Fidelity::Files, "{ask}");
        assert!(resolution.answer.warnings.iter().any(|warning| warning.code == "cut-short"), "{ask}");
    }
}

#[test]
fn rules_are_found_however_deep_they_lie() {
    for (ask, folder, name) in [
        ("cursor from /p", "/p/.cursor/rules", "a.mdc"),
        ("qwen-code from /p", "/p/.qwen/rules", "a.md"),
        ("copilot-cli from /p", "/p/.github/instructions", "a.instructions.md"),
    ] {
        let mut world = World::empty();
        let file = Path::new(folder).join("x/".repeat(80)).join(name);
        world.file(&file, b"---\nalwaysApply: true\n---\nRule.\n".to_vec());
        world.directory(Path::new("/h"));
        let resolution = resolved(&world, ask);
        assert!(resolution.answer.sources.iter().any(|source| source.path() == Some(&file)), "{ask}");
    }
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

#[test]
fn ten_thousand_rules_of_claude_code_are_no_burden() {
    let mut world = World::empty();
    for number in 0..10_000 {
        let text = format!("---\npaths: \"**/*.{number}\"\n---\n{number}\n");
        world.file(Path::new(&format!("/p/.claude/rules/{number}.md")), text.into_bytes());
    }
    world.file(Path::new("/p/a.77"), b"a\n".to_vec());
    world.directory(Path::new("/h"));
    let resolution = resolved(&world, "claude-code from /p reading /p/a.77");
    assert_eq!((loaded(&resolution), resolution.fidelity), (1, Fidelity::Exact));
}

#[test]
fn a_chain_of_ten_thousand_imports_ends_where_claude_code_ends_it() {
    let resolution = resolved(&chain("CLAUDE.md"), "claude-code from /p");
    assert_eq!((loaded(&resolution), resolution.fidelity), (5, Fidelity::Exact));
    assert!(resolution.answer.warnings.iter().any(|warning| warning.code == "import-too-deep"));
}

#[test]
fn files_of_claude_code_that_import_each_other_are_loaded_once() {
    let mut world = World::empty();
    let everything: String = (0..300).map(|number| format!("@./{number}.md\n")).collect();
    for number in 0..300 {
        world.file(Path::new(&format!("/p/{number}.md")), everything.clone().into_bytes());
    }
    world.file(Path::new("/p/CLAUDE.md"), everything.into_bytes());
    world.directory(Path::new("/h"));
    assert_eq!(loaded(&resolved(&world, "claude-code from /p")), 301);
}

#[test]
fn patterns_of_claude_code_that_explode_end() {
    let case = Case::parse(&format!(
        "-- /p/.claude/rules/a.md --\n---\npaths: \"{}\"\n---\na\n-- /p/.claude/rules/b.md --\n---\npaths: \"{}\"\n---\nb\n\
         -- /p/b.txt --\nb\n-- /h/.claude/settings.json --\n{{\"claudeMdExcludes\": [\"{}\", \"{}\"]}}\n",
        "{a,b}".repeat(64),
        "**/*a*".repeat(200),
        "**/*a*".repeat(200),
        "{a,".repeat(2_000),
    ));
    let resolution = resolved(&World::of(&case), "claude-code from /p reading /p/b.txt");
    assert_eq!((loaded(&resolution), resolution.fidelity), (0, Fidelity::Exact));
}

#[test]
fn rules_of_claude_code_that_link_to_each_other_end() {
    let mut text = String::new();
    for number in 0..60 {
        text += &format!(
            "-- /p/.claude/rules/{number}/up -> .. --\n-- /p/.claude/rules/{number}/next -> ../{} --\n",
            (number + 1) % 60
        );
        text += &format!("-- /p/.claude/rules/{number}/a.md --\n{number}\n");
    }
    let resolution = resolved(&World::of(&Case::parse(&text)), "claude-code from /p");
    assert_eq!((loaded(&resolution), resolution.fidelity), (60, Fidelity::Exact));
}

#[test]
fn what_is_no_text_of_a_bearable_size_stops_claude_code_nowhere() {
    let case = Case::parse(
        "-- /p/CLAUDE.md | raw --\n\\xef\\xbb\\xbfA\\xff @huge.md @pipe @/dev/zero @dir\\r\\n\n-- /p/huge.md | sparse 5368709120 --\n-- /p/pipe | fifo --\n\
         -- /p/dir/ --\n-- /p/.claude/CLAUDE.md | fifo --\n-- /p/CLAUDE.local.md | sparse 5368709120 --\n-- /p/.claude/rules/a.md | fifo --\n\
         -- /h/.claude/settings.json | fifo --\n-- /h/.claude.json | fifo --\n",
    );
    let resolution = resolved(&World::of(&case), "claude-code from /p");
    let fate = |path: &str| {
        let source = resolution.answer.sources.iter().find(|source| source.path() == Some(Path::new(path)));
        source.map(|source| source.fate)
    };
    assert_eq!(fate("/p/CLAUDE.md"), Some(Fate::Loaded));
    assert_eq!(fate("/p/huge.md"), Some(Fate::Dropped));
    assert_eq!(fate("/p/CLAUDE.local.md"), Some(Fate::Dropped));
    assert_eq!(fate("/p/.claude/CLAUDE.md"), Some(Fate::Unreadable));
    assert_eq!(resolution.fidelity, Fidelity::Exact);
}

/// How often the disk has to be asked before an answer is known.
fn rounds(choice: &Choice, world: &World) -> usize {
    let (cwd, home) = (Path::new("/p"), Path::new("/h"));
    let target = Some(PathBuf::from("/p/src/a.rs"));
    let standpoint = Arc::new(Standpoint { target, ..Standpoint::plain(cwd, home, Arc::default()) });
    let question = Key::of(AgentQuestion::new(choice.clone(), standpoint));
    let index = Index::default();
    let mut rounds = 0;
    while let Reply::Missing(asks, tick) = index.ask(&question, Keep::Answer) {
        let observe = |asks| disk::observe_all(world, asks);
        index.learn(index.observed(rounds, asks, &observe, &question), tick);
        rounds += 1;
    }
    rounds
}

#[test]
fn how_often_the_disk_is_asked_does_not_grow_with_the_number_of_rules() {
    let world = |count: usize| {
        let mut world = World::empty();
        world.directory(Path::new("/h"));
        world.git(Path::new("/p"));
        let names = harness::ALL.iter().flat_map(|profile| profile.instruction_names);
        for (base, name) in ["/p", "/h", "/p/src"].iter().flat_map(|base| names.clone().map(move |name| (base, name))) {
            for number in 0..if name.contains('*') { count } else { 1 } {
                let file = name.replace("**/", "").replace('*', &format!("x{number}"));
                let path = Path::new(base).join(file);
                // A name may stand for a file with one harness, and for a folder with another.
                if world.make_directory(path.parent().expect("a directory")) {
                    world.write(&path, format!("Rule {number}.\n").into_bytes());
                }
            }
        }
        world
    };
    let (few, many) = (world(3), world(60));
    let mut grown = Vec::new();
    for profile in harness::ALL {
        for edition in profile.editions {
            let choice = Choice::named(profile, *edition);
            let name = format!("{} {}", profile.id, edition.about().name);
            let (before, after) = (rounds(&choice, &few), rounds(&choice, &many));
            if after != before {
                grown.push(format!("{name}: {before} to {after}"));
            }
        }
    }
    assert!(grown.is_empty(), "{grown:?}");
}

#[test]
fn instructions_that_a_model_may_not_take_are_not_called_exact_for_copilot_cli() {
    let said = |bytes: usize| {
        let mut world = World::empty();
        world.directory(Path::new("/h"));
        world.file(Path::new("/p/AGENTS.md"), vec![b'x'; bytes]);
        let resolution = resolved(&world, "copilot-cli from /p");
        (resolution.fidelity, resolution.answer.warnings.iter().any(|warning| warning.code == "prompt-budget"))
    };
    assert_eq!((said(100_000), said(130_000)), ((Fidelity::Exact, false), (Fidelity::Files, true)));
}

#[test]
fn how_often_the_disk_is_asked_does_not_grow_with_the_number_of_imports_that_are_missing() {
    let world = |count: usize| {
        let mut world = World::empty();
        world.directory(Path::new("/h"));
        world.git(Path::new("/p"));
        let imports: String = (0..count).map(|number| format!("@./missing/{number}.md\n")).collect();
        for name in ["AGENTS.md", "QWEN.md", "GEMINI.md"] {
            world.file(&Path::new("/p").join(name), imports.clone().into_bytes());
        }
        world
    };
    let (few, many) = (world(3), world(200));
    for id in ["qwen-code", "gemini-cli", "copilot-cli"] {
        let choice = harness::newest(harness::profile(id).expect("a harness"));
        assert_eq!(rounds(&choice, &few), rounds(&choice, &many), "{id}");
    }
}

#[test]
fn a_walk_that_two_links_lead_in_circles_is_said_to_be_cut_short() {
    let mut world = World::empty();
    world.file(Path::new("/p/.opencode/skills/a/SKILL.md"), b"---\nname: a\ndescription: A.\n---\n".to_vec());
    world.link(Path::new("/p/.opencode/skills/up"), Path::new("/p/.opencode/skills"));
    let cut_short =
        |resolution: &Resolution| resolution.answer.warnings.iter().any(|warning| warning.code == "cut-short");
    assert!(!cut_short(&resolved(&world, "opencode from /p")));
    world.link(Path::new("/p/.opencode/skills/a/up"), Path::new("/p/.opencode/skills"));
    let resolution = resolved(&world, "opencode from /p");
    assert_eq!(resolution.fidelity, Fidelity::Files);
    assert!(cut_short(&resolution));
    assert!(resolution.answer.certain().is_empty(), "files may be missing: {:?}", resolution.answer.certain());
}

#[test]
fn folders_of_skills_that_two_links_lead_in_circles_are_cut_short() {
    let mut world = World::empty();
    let skills = Path::new("/h/.openclaw/workspace/skills");
    world.file(&skills.join("a/SKILL.md"), b"---\nname: a\ndescription: A.\n---\n".to_vec());
    world.link(&skills.join("up"), skills);
    world.link(&skills.join("a/up"), skills);
    for edition in ["2026.2.6", "2026.2.19"] {
        let resolution = resolved(&world, &format!("openclaw@{edition} from /h"));
        assert_eq!(resolution.fidelity, Fidelity::Files);
        assert!(resolution.answer.warnings.iter().any(|warning| warning.code == "cut-short"), "{edition}");
    }
}

#[test]
fn missing_imports_take_no_round_each() {
    let mut world = World::empty();
    let imports: String = (0..2_000).map(|number| format!("@./{number}.md\n")).collect();
    world.file(Path::new("/p/QWEN.md"), imports.into_bytes());
    world.directory(Path::new("/h"));
    let choice = harness::choose("qwen-code", &Default::default()).expect("it is known");
    assert!(rounds(&choice, &world) < 20);
}

#[test]
fn whatever_is_named_an_answer_comes_to_its_end_and_says_where() {
    let mut world = World::empty();
    let imports: String = (0..300_000).map(|number| format!("@./{number}.md\n")).collect();
    world.file(Path::new("/p/CLAUDE.md"), imports.into_bytes());
    world.directory(Path::new("/h"));
    let resolution = resolved(&world, "claude-code from /p");
    assert_eq!(resolution.fidelity, Fidelity::Files);
    let said = &resolution.answer.warnings;
    let warning = said.iter().find(|warning| warning.code == "cut-short").expect("it says so");
    assert!(warning.message.contains("/p/32"), "{}", warning.message);
    assert!(resolution.trace.iter().count() < 150_000);
    assert!(resolution.answer.sources.len() < 100_000, "what nobody looked for is not said to be missing");
    assert_eq!(resolution.answer.messages.len(), 1, "what was found stays");
}

#[test]
fn a_list_that_codex_shortens_by_an_unknown_measure_is_not_exact() {
    let mut world = World::empty();
    world.directory(Path::new("/h"));
    world.git(Path::new("/p"));
    let skill = |number: usize, words: usize| {
        format!("---\nname: s{number}\ndescription: {}\n---\nText.\n", "word ".repeat(words)).into_bytes()
    };
    for number in 0..90 {
        world.file(Path::new(&format!("/p/.agents/skills/s{number}/SKILL.md")), skill(number, 3));
    }
    assert_eq!(resolved(&world, "codex from /p").fidelity, Fidelity::Exact);
    for number in 0..90 {
        world.file(Path::new(&format!("/p/.agents/skills/s{number}/SKILL.md")), skill(number, 150));
    }
    let resolution = resolved(&world, "codex from /p");
    assert_eq!(resolution.fidelity, Fidelity::Files);
    let reason = resolution.answer.files_only.as_deref().expect("it says why");
    assert!(reason.contains("how far is not known before it has written its own skills"), "{reason}");
}

#[test]
fn what_an_answer_may_read_has_a_bound_in_bytes() {
    let mut world = World::empty();
    for number in 0..200 {
        let rule = [b"---\nalwaysApply: true\n---\n".as_slice(), &[b'x'; 1 << 20]].concat();
        world.file(Path::new(&format!("/p/.cursor/rules/{number:03}.mdc")), rule);
    }
    world.directory(Path::new("/h"));
    let resolution = resolved(&world, "cursor from /p");
    let read: usize = resolution.answer.sources.iter().filter_map(|source| source.size).map(|size| size.bytes).sum();
    assert!((1 << 20..80 << 20).contains(&read), "{read}");
    assert!(resolution.answer.warnings.iter().any(|warning| warning.code == "cut-short"));
    assert_eq!(resolution.fidelity, Fidelity::Files);
    // Nor is more read beforehand by whoever reads all that is announced in one go.
    let choice = harness::choose("cursor", &Default::default()).expect("it is known");
    assert!(rounds(&choice, &world) < 20);
}

#[test]
fn a_pattern_of_two_hundred_stars_is_looked_for_in_a_moment() {
    let mut world = World::empty();
    for number in 0..400 {
        world.file(Path::new(&format!("/p/{}/{}/x{number}.md", number / 100, number / 10)), b"A\n".to_vec());
    }
    world.git(Path::new("/p"));
    world.directory(Path::new("/h"));
    let patterns =
        format!(r#"{{"instructions": ["{}", "{{1..99999999}}", "{}"]}}"#, "**/*a*".repeat(200), "{a,b}".repeat(64));
    world.file(Path::new("/p/opencode.json"), patterns.into_bytes());
    resolved(&world, "opencode from /p");
}

#[test]
fn a_pattern_of_thirty_thousand_directories_one_below_the_other_comes_to_its_end() {
    let mut world = World::empty();
    world.directory(Path::new("/h"));
    world.git(Path::new("/p"));
    let patterns = format!(r#"{{"instructions": ["{0}b.md", "**/{0}*.md"]}}"#, "a/".repeat(30_000));
    world.file(Path::new("/p/opencode.json"), patterns.into_bytes());
    resolved(&world, "opencode from /p");
}

#[test]
fn directories_that_lie_seven_hundred_deep_are_no_burden() {
    let mut world = World::empty();
    let mut cwd = PathBuf::from("/p");
    world.directory(Path::new("/h"));
    world.git(&cwd);
    for _ in 0..700 {
        cwd.push("d");
        world.file(&cwd.join("AGENTS.md"), b"Text.\n".to_vec());
    }
    // Two paths that are held against each other are so many steps: a list that is searched for each is cubic.
    for id in ["codex", "droid", "kimi-code", "pi"] {
        resolved(&world, &format!("{id} from {}", cwd.display()));
    }
}

#[test]
fn ten_thousand_skills_are_no_burden() {
    let mut world = World::empty();
    world.directory(Path::new("/h"));
    for (place, number) in
        [".opencode", ".claude", ".gemini"].iter().flat_map(|place| (0..10_000).map(move |n| (place, n)))
    {
        let text = format!("---\nname: s{number}\ndescription: Skill {number}.\n---\nSkill.\n");
        world.file(Path::new(&format!("/p/{place}/skills/s{number}/SKILL.md")), text.into_bytes());
    }
    for id in ["opencode", "claude-code", "gemini-cli"] {
        resolved(&world, &format!("{id} from /p"));
    }
}

#[test]
fn fifty_thousand_entries_of_settings_are_no_burden() {
    const COUNT: usize = 50_000;
    let entries = |entry: fn(usize) -> String| (0..COUNT).map(entry).collect::<Vec<_>>().join(",");
    let mut world = World::empty();
    world.directory(Path::new("/p"));
    let mut write = |path: &str, text: String| world.file(Path::new(path), text.into_bytes());
    let names = entries(|number| format!("\"name{number}\""));
    write("/h/.codex/config.toml", format!("project_doc_fallback_filenames = [{names}]\n"));
    let agents = entries(|number| format!("\"agent{number}\": {{\"tools\": {{\"edit\": false}}}}"));
    let tools = entries(|number| format!("\"tool{number}\": false"));
    write("/p/opencode.json", format!("{{\"agent\": {{{agents}, \"own\": {{\"tools\": {{{tools}}}}}}}}}"));
    let folders = entries(|number| format!("\"/p/{number}\": \"TRUST_FOLDER\""));
    write("/h/.gemini/trustedFolders.json", format!("{{{folders}}}"));
    write("/h/.gemini/settings.json", "{\"security\": {\"folderTrust\": {\"enabled\": true}}}".to_owned());
    let directories = entries(|number| format!("\"./{number}\""));
    write("/h/.qwen/settings.json", format!("{{\"context\": {{\"includeDirectories\": [{directories}]}}}}"));
    for id in ["codex", "opencode", "gemini-cli", "qwen-code"] {
        resolved(&world, &format!("{id} from /p"));
    }
}

#[test]
fn texts_of_marks_and_of_bytes_that_are_no_text_are_gone_through_once() {
    let mut world = World::empty();
    world.directory(Path::new("/h"));
    world.file(Path::new("/p/AGENTS.md"), b"\xef\xbb\xbf\xff\xfe @\xff\n".repeat(60_000));
    for id in ["copilot-cli", "amp", "oh-my-pi"] {
        resolved(&world, &format!("{id} from /p"));
    }
}

#[test]
fn mentions_beyond_the_limit_are_not_noted_one_by_one() {
    let mut world = World::empty();
    world.directory(Path::new("/h"));
    world.file(Path::new("/p/AGENTS.md"), b"@a @* ".repeat(100_000));
    assert!(resolved(&world, "amp from /p").trace.iter().count() < 20_000);
}
