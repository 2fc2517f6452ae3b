//! Random changes of a disk: files that harnesses read come, go, move and lead elsewhere.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use briefing::disk::Filesystem;
use briefing::harness;
use briefing::snapshot::{Change, Errno, FileType};

use crate::world::World;

/// A small, repeatable generator (xorshift); tests need no better one.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// Below these stand the files that profiles name.
const BASES: [&str; 6] = ["/r", "/r/a", "/r/a/b", "/r/c", "/h", "/h/.config"];

/// What profiles do not name: what git looks at, what instructions and settings lead to, and names for links.
const MORE: [&str; 28] = [
    "/r/.git",
    "/r/.git/HEAD",
    "/r/.git/config",
    "/r/.git/commondir",
    "/r/.git/objects",
    "/r/a/.git",
    "/r/a/.git/HEAD",
    "/r/README.md",
    "/r/a/README.md",
    "/r/x.md",
    "/r/a/x.md",
    "/r/a/b/x.md",
    "/r/c/x.md",
    "/h/x.md",
    "/r/a",
    "/r/a/b",
    "/r/c",
    "/r/c/b",
    "/r/.claude",
    "/r/.cursor",
    "/r/.github/instructions",
    "/r/.opencode/agent/x.md",
    "/h/.openclaw/workspace/AGENTS.md",
    "/h/.openclaw/workspace/SOUL.md",
    "/h/.openclaw/workspace/MEMORY.md",
    "/h/.openclaw/workspace/skills/x/SKILL.md",
    "/h/.codex/AGENTS.md",
    "/h/.gemini/GEMINI.md",
];

/// Where things happen.
pub static PLACES: LazyLock<Vec<PathBuf>> = LazyLock::new(|| {
    let mut places: Vec<PathBuf> = MORE.iter().map(PathBuf::from).collect();
    let names = harness::ALL.iter().flat_map(|profile| profile.instruction_names.iter().chain(profile.settings_names));
    let mut names: Vec<String> = names.map(|name| name.replace("**/", "").replace('*', "x")).collect();
    names.sort();
    names.dedup();
    // The names that most harnesses share come more often.
    names.extend(["AGENTS.md", "CLAUDE.md", "briefing.toml"].iter().cycle().take(12).map(|name| (*name).to_owned()));
    places.extend(BASES.iter().flat_map(|base| names.iter().map(|name| Path::new(base).join(name))));
    places
});

const MARKDOWN: [&str; 16] = [
    "",
    " \n",
    "Rules.\n",
    "- never push\n",
    "é😀\n",
    "@x.md\n",
    "See @../AGENTS.md and @./b/x.md\n",
    "@~/x.md @README.md\n",
    "---\npaths: a/**\n---\nWith some paths.\n",
    "---\napplyTo: \"**/*.rs\"\n---\nApplied.\n",
    "---\nglobs: a/**\nalwaysApply: false\n---\nMatched.\n",
    "---\ndescription: d\nalwaysApply: true\n---\nAlways.\n",
    "---\ninclusion: fileMatch\nfileMatchPattern: \"*.md\"\n---\nSteered.\n",
    "---\nname: x\ndescription: a skill\n---\nSkill.\n",
    "gitdir: ../.git\n",
    "ref: refs/heads/main\n",
];

const TOML: [&str; 7] = [
    "project_doc_max_bytes = 9\n",
    "project_doc_fallback_filenames = [\"README.md\"]\n",
    "[projects.\"/r\"]\ntrust_level = \"untrusted\"\n",
    "[projects.\"/r\"]\ntrust_level = \"trusted\"\n",
    "[harness.mine]\n[[harness.mine.source]]\nfiles = [\"x.md\", \"a/**/*.md\", \"~/x.md\"]\n",
    "[harness.mine]\n[[harness.mine.source]]\ndirectories = { names = [\"AGENTS.md\", \"x.md\"] }\nlimit = { max = 5 }\n",
    "[harness.mine]\nextends = \"codex@0.169\"\noverride = { total_limit = 7, fallbacks = [\"x.md\"] }\n",
];

const JSON: [&str; 9] = [
    "{\"instructions\": [\"*.md\", \"a/**/*.md\"]}",
    "{\"instructions\": [\"../x.md\", \"~/x.md\", \"/r/c/*.md\"]}",
    "{\"claudeMdExcludes\": [\"**/a/*.md\"]}",
    "{\"context\": {\"fileName\": [\"AGENTS.md\", \"README.md\"]}}",
    "{\"context\": {\"includeDirectories\": [\"/r/c\"], \"loadMemoryFromIncludeDirectories\": true}}",
    "{\"/r\": \"DO_NOT_TRUST\"}",
    "{\"options\": {\"context_paths\": [\"x.md\", \"~/x.md\"]}}",
    "{\"agents\": {\"defaults\": {\"workspace\": \"/r\", \"bootstrapMaxChars\": 9}}}",
    "{",
];

const TARGETS: [&str; 9] =
    ["README.md", "../x.md", "x.md", "nowhere", "AGENTS.md", "b", "../c", "/h/.codex", "/h/.claude/rules"];

/// Targets from where links often lead back. Where two do, every walk goes on until it is ended.
const ABOVE: [&str; 5] = ["..", "/r/a", "/r/c", "/r", "/h"];

/// What may stand in a file of that name.
pub fn text(path: &Path, random: &mut Random) -> Vec<u8> {
    let text = match path.extension().and_then(|extension| extension.to_str()) {
        _ if random.chance(10) => *random.pick(&MARKDOWN),
        Some("toml") => *random.pick(&TOML),
        Some("json" | "jsonc") => *random.pick(&JSON),
        _ => *random.pick(&MARKDOWN),
    };
    text.repeat(if random.chance(4) { 3000 } else { 1 }).into_bytes()
}

/// Changes something in the world, and says where an event would be seen.
pub fn change(world: &mut World, random: &mut Random) -> Vec<Change> {
    let path = random.pick(&PLACES).clone();
    let (parent, name) = (path.parent().expect("not the root"), path.file_name().expect("a name"));
    // An event comes from where the thing really is, never from a link that leads there.
    let Ok(dir) = world.real_path(parent) else {
        let first_made = parent.ancestors().take_while(|dir| world.lstat(dir) == Err(Errno::NOENT)).last();
        let first_made = first_made.map(Path::to_owned).filter(|_| world.make_directory(parent));
        return first_made.into_iter().map(Change::Path).collect();
    };
    if world.list(&dir).is_err() {
        return Vec::new();
    }
    let path = dir.join(name);
    let there = world.lstat(&path).is_ok();
    match random.below(100) {
        0..18 if there => world.remove(&path),
        18..20 if dir.starts_with("/r/") || dir.starts_with("/h/") => {
            world.remove(&dir);
            return vec![Change::Path(dir)];
        }
        20..27 => {
            let from = if random.chance(50) { dir.clone() } else { path };
            return moved(world, &from, random);
        }
        27..33 => {
            let targets = if random.chance(5) { ABOVE.as_slice() } else { &TARGETS };
            world.link(&path, Path::new(random.pick(targets)));
        }
        33..36 if !there => world.directory(&path),
        36..60 => {
            let text = text(&path, random);
            if world.overwrite(&path, text) {
                return vec![Change::Content(path)];
            }
        }
        _ if world.lstat(&path).is_ok_and(|meta| meta.kind == FileType::Dir) => {}
        _ => {
            let text = text(&path, random);
            world.write(&path, text);
        }
    }
    vec![Change::Path(path)]
}

/// Moves what is at a path to another place, if that is free.
fn moved(world: &mut World, from: &Path, random: &mut Random) -> Vec<Change> {
    let to = random.pick(&PLACES).clone();
    let Ok(dir) = world.real_path(to.parent().expect("not the root")) else { return Vec::new() };
    let to = dir.join(to.file_name().expect("a name"));
    let fixed = [Path::new("/"), Path::new("/r"), Path::new("/h")];
    let free = world.list(&dir).is_ok() && world.lstat(&to) == Err(Errno::NOENT);
    if fixed.contains(&from) || world.lstat(from).is_err() || !free || to.starts_with(from) {
        return Vec::new();
    }
    world.rename(from, &to);
    vec![Change::Path(from.to_owned()), Change::Path(to)]
}
