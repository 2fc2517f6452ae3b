//! Goose: hints from its settings folder and from the repository root down to the working directory, with references put in.
//!
//! Checked on the real client 1.52.0 (`goose run` against a loopback mock of a provider), November 2026. The text is the section that
//! follows `# Additional Instructions:`. Skills are listed before it, and are not looked up.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use crate::answer::{Answer, Certain, Fate, Role, Scope, Source, Standpoint, Text, Tool, Trigger, Warning};
use crate::harness::history::replays;
use crate::harness::kit::conventional::{Chain, File, Load, PLAIN};
use crate::harness::kit::{front_matter, skills};
use crate::harness::{About, Attaches, Details, Edition, Evidence, History, Profile, Replays};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, absolute};
use crate::text::Size;

/// What is looked for unless `CONTEXT_FILE_NAMES` says otherwise.
const NAMES: [&str; 2] = [".goosehints", "AGENTS.md"];
/// How deep references go, in files below the first.
const DEPTH_LIMIT: usize = 3;
/// Larger texts have no references, in bytes.
const REFERENCES_LIMIT_BYTES: usize = 131_072;
/// The most references that one hint file may have followed.
const REFERENCE_LIMIT: usize = 64;
/// The most text that they may bring, in bytes.
const OUTPUT_LIMIT_BYTES: usize = 1024 * 1024;
/// What stands between two hint files.
const SEPARATOR: &str = "\n";

/// The profile.
pub static PROFILE: Profile = Profile {
    id: "goose",
    title: "Goose",
    summary: ".goosehints and AGENTS.md (or CONTEXT_FILE_NAMES): global, then from the repository root to the working directory, all of them",
    editions: &[&Goose],
    history: Some(&HISTORY),
    instruction_names: &[".goosehints", "AGENTS.md"],
    settings_names: &["goose/config.yaml", ".gooseignore"],
    program: None,
    keys: &[],
    evidence: Evidence {
        commands: &["goose"],
        homes: &[&["$XDG_CONFIG_HOME/goose", "~/.config/goose"]],
        files: &[".goosehints", ".gooseignore"],
        editor: &["block.vscode-goose"],
        ..Evidence::NONE
    },
};

static HISTORY: History = History { changes: &[], rules: |_| Arc::new(Goose), replays: &REPLAYS };

static REPLAYS: Replays = LazyLock::new(|| replays(include_str!("../../../tests/conformance/versions/goose.toml")));

static ABOUT: About = About {
    name: "1.52",
    checked: ("1.52.0", "1.52"),
    details: Details {
        files: ".goosehints and AGENTS.md, or CONTEXT_FILE_NAMES: all of them",
        triggers: "session start; a tool that reaches a directory below",
        place: "system prompt, under Global Hints and Project Hints; before them, under Subdirectory Hints, what tools brought",
        truncation: "none; above 131 072 bytes references are left alone",
        nested: "when a tool reaches a directory below: its files and those on the way, once a session",
        global: "~/.config/goose",
        dedupe: "none",
        ..PLAIN
    },
};

struct Goose;

impl Edition for Goose {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn imports_into(&self, _: &Path) -> bool {
        true
    }

    fn attaches(&self, tool: Tool) -> Attaches {
        match tool {
            Tool::Read | Tool::Edit | Tool::Write | Tool::Shell => Attaches::AsRead,
            Tool::Mention => Attaches::Unknown,
        }
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let mut chain = Chain::new(at, search, None);
        let config = match chain.search.env("GOOSE_PATH_ROOT").filter(|root| !root.is_empty()) {
            Some(root) => absolute(&at.cwd, Path::new(&root)).join("config"),
            None => chain.config_home().join("goose"),
        };
        let names = names(&mut chain, &config)?;
        if chain.search.is_file(&at.cwd.join(".gooseignore"), "may keep references out")? {
            chain.answer.files_only = Some("what .gooseignore keeps out is not followed".to_owned());
        }
        let load = Load::start(Scope::User, "global hints");
        let global = hints(&mut chain, std::slice::from_ref(&config), &names, &config, load)?;
        let root = chain.repository()?;
        let boundary = root.clone().unwrap_or_else(|| at.cwd.clone());
        let mut dirs: Vec<PathBuf> =
            at.cwd.ancestors().take_while(|dir| dir.starts_with(&boundary)).map(Path::to_owned).collect();
        dirs.reverse();
        let load = Load::start(Scope::Project, "from the repository root to the working directory");
        let local = hints(&mut chain, &dirs, &names, &boundary, load)?;
        // The heads are part of the first text below them.
        if !global.is_empty() {
            chain.before(0, "\n### Global Hints\nThese are my global goose hints.\n");
        }
        if !local.is_empty() {
            let head = "### Project Hints\nThese are hints for working on the project in this directory.\n";
            let gap = if global.is_empty() { "" } else { "\n" };
            chain.before(local.start, &format!("{gap}{head}"));
        }
        let reached = nested(&mut chain, &names, &boundary)?;
        let homes = [".agents", ".claude", ".config/agents"].map(|name| at.home.join(name));
        let here = [".agents", ".claude", ".goose"].map(|name| at.cwd.join(name));
        let mut answer = chain.finish(SEPARATOR);
        let folders = homes.into_iter().chain(here).chain([config]).map(|dir| dir.join("skills"));
        skills::doubted(folders.collect(), search, &mut answer)?;
        for message in &mut answer.messages {
            if let (Trigger::Read, Some(dir)) = (message.trigger, &reached) {
                message.role = Role::System;
                let head = format!("### Subdirectory Hints ({})\n", dir.display());
                message.parts[0] = Text::framed(head, message.parts[0].clone(), "");
            }
            message.parts.iter_mut().for_each(|part| *part = sanitized(part));
            message.text = Text::joined(&message.parts, SEPARATOR);
        }
        Ok(answer)
    }
}

/// `CONTEXT_FILE_NAMES`, from the environment as JSON, else from the settings.
fn names(chain: &mut Chain, config: &Path) -> Known<Vec<String>> {
    let default = || NAMES.map(str::to_owned).to_vec();
    if let Some(list) = chain.search.env("CONTEXT_FILE_NAMES") {
        let parsed = crate::formats::parse_rust_json(&list).ok();
        let parsed = parsed.as_ref().and_then(|list| list.as_texts());
        return Ok(match parsed {
            Some(list) => list.into_iter().map(str::to_owned).collect(),
            None => {
                let message = "CONTEXT_FILE_NAMES is not a JSON list of names: the defaults apply";
                chain.answer.warnings.push(Warning::general("settings", message));
                default()
            }
        });
    }
    let Ok(raw) = chain.search.read(&config.join("config.yaml"), "CONTEXT_FILE_NAMES")? else { return Ok(default()) };
    let text = raw.text();
    Ok(front_matter::list(&text, "CONTEXT_FILE_NAMES").unwrap_or_else(default))
}

/// Adds the files of these names; which parts they are.
fn hints(chain: &mut Chain, dirs: &[PathBuf], names: &[String], boundary: &Path, load: Load) -> Known<Range<usize>> {
    let paths: Vec<PathBuf> = dirs.iter().flat_map(|dir| names.iter().map(move |name| dir.join(name))).collect();
    chain.search.expect(paths.iter().cloned().map(Ask::Content))?;
    let real = chain.search.real(boundary)?.unwrap_or_else(|_| boundary.to_owned());
    let start = chain.started();
    for path in paths {
        let Some(file) = chain.file(&path, load)? else { continue };
        if file.text.is_empty() && !file.raw().is_empty() {
            let reason = format!("{}: its byte order mark is sent alone", path.display());
            chain.answer.doubt(&[Certain::Text], reason);
        }
        let own = chain.search.real(&path)?.unwrap_or_else(|_| path.clone());
        if !own.starts_with(&real) {
            chain.say(&path, load, Fate::Excluded, "a link that points outside the boundary");
            continue;
        }
        let place = chain.answer.sources.len();
        let mut imports =
            References { boundary: &real, trigger: load.trigger, left: REFERENCE_LIMIT, room: OUTPUT_LIMIT_BYTES };
        let text = imports.expand(&whole(&file), &own, &mut Vec::new(), chain)?;
        // A file stands before what it refers to.
        let below = chain.answer.sources.split_off(place);
        chain.give(&file, 0..file.text.len(), load, |_| text);
        chain.answer.sources.extend(below);
    }
    Ok(start..chain.started())
}

/// What a tool brings that reaches a directory below: the files from there up to the working directory; which directory that is.
fn nested(chain: &mut Chain, names: &[String], boundary: &Path) -> Known<Option<PathBuf>> {
    let at = chain.at;
    let mut reached = |path: &Path| -> Known<PathBuf> {
        let dir = absolute(&at.cwd, path).parent().map(Path::to_owned).unwrap_or_default();
        Ok(chain.search.real(&dir)?.unwrap_or(dir))
    };
    let Some(target) = &at.target else { return Ok(None) };
    let dir = reached(target)?;
    for earlier in &at.read_before {
        if reached(earlier)? == dir {
            return Ok(None);
        }
    }
    if at.already_loaded.iter().any(|path| path.parent() == Some(&dir)) {
        return Ok(None);
    }
    let on_the_way = dir.ancestors().take_while(|dir| *dir != at.cwd && dir.starts_with(&at.cwd));
    let mut dirs: Vec<PathBuf> = on_the_way.map(Path::to_owned).collect();
    dirs.reverse();
    hints(chain, &dirs, names, boundary, Load::read(Scope::Nested, "on the way to what a tool reached"))?;
    Ok(Some(dir))
}

/// Composed, and without the tag characters U+E0000 to U+E007F.
fn sanitized(text: &Text) -> Text {
    if text.is_ascii() {
        return text.clone();
    }
    let composed = icu_normalizer::ComposingNormalizer::new_nfc().normalize(text);
    composed.chars().filter(|c| !('\u{e0000}'..='\u{e007f}').contains(c)).collect::<String>().into()
}

/// Puts the text of files in the place of `@path`.
struct References<'b> {
    boundary: &'b Path,
    trigger: Trigger,
    /// How many references are still followed.
    left: usize,
    /// How many bytes they may still bring.
    room: usize,
}

impl References<'_> {
    fn expand(&mut self, text: &Text, path: &Path, on_the_way: &mut Vec<String>, chain: &mut Chain) -> Known<Text> {
        let (mut out, mut from) = (Vec::new(), 0);
        for token in references(text) {
            let reference = &text[token.start + 1..token.end];
            if on_the_way.len() >= DEPTH_LIMIT {
                if is_path(reference) {
                    let message =
                        format!("@{reference} stays as text: references are followed {DEPTH_LIMIT} files deep");
                    chain.answer.warnings.push(Warning::at("import-too-deep", path, message));
                }
                break;
            }
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            if on_the_way.iter().any(|seen| seen == reference) {
                continue;
            }
            let Some(file) = self.file(reference, path, chain)? else { continue };
            let theirs = whole(&file);
            let cost = format!("--- Content from {reference} ---\n\n--- End of {reference} ---").len() + theirs.len();
            if cost > self.room {
                // Nothing more is followed in this hint file.
                self.left = 0;
                break;
            }
            self.room -= cost;
            let place = chain.answer.sources.len();
            on_the_way.push(reference.to_owned());
            let inner = self.expand(&theirs, &file.path, on_the_way, chain)?;
            on_the_way.pop();
            let load = Load { scope: Scope::Import, trigger: self.trigger, reason: "referred to by a hint file" };
            let source = Source::whole(&file.path, load.scope, Size::of(&file.text), load.reason);
            chain.answer.sources.insert(place, Source { trigger: load.trigger, ..source });
            let (head, tail) = (format!("--- Content from {reference} ---\n"), format!("\n--- End of {reference} ---"));
            out.extend([text.slice(from..token.start), Text::framed(head, inner, tail)]);
            from = token.end;
        }
        out.push(text.slice(from..text.len()));
        Ok(out.into_iter().collect())
    }

    /// The file that a reference names: inside of the boundary, no part of a `.git`.
    fn file(&self, reference: &str, path: &Path, chain: &mut Chain) -> Known<Option<Arc<File>>> {
        let git = reference.split('/').any(|part| part.eq_ignore_ascii_case(".git"));
        if reference.starts_with('/') || git {
            return Ok(None);
        }
        let named = absolute(path.parent().unwrap_or(path), Path::new(reference));
        let Ok(real) = chain.search.real(&named)? else {
            if is_path(reference) {
                let message = format!("@{reference} does not exist: the reference stays as it is");
                chain.answer.warnings.push(Warning::at("import-missing", path, message));
            }
            return Ok(None);
        };
        chain.answer.mention(path, reference, [real.clone()]);
        if !real.starts_with(self.boundary) {
            let message = format!("@{reference} is outside {}: it stays as it is", self.boundary.display());
            chain.answer.warnings.push(Warning::at("import-outside", path, message));
            let load = Load { scope: Scope::Import, trigger: self.trigger, reason: "" };
            chain.say(&named, load, Fate::Excluded, "outside the boundary of references");
            return Ok(None);
        }
        let load = Load { scope: Scope::Import, trigger: self.trigger, reason: "a reference" };
        chain.file(&real, load)
    }
}

/// The text of a file, with a byte order mark where it has one.
fn whole(file: &File) -> Text {
    if file.raw().starts_with(b"\xef\xbb\xbf") {
        Text::framed("\u{feff}", file.text.clone(), "")
    } else {
        file.text.clone()
    }
}

/// Whether a reference is meant as a path, rather than as somebody's name.
fn is_path(reference: &str) -> bool {
    reference.contains('/') || reference.ends_with(".md")
}

/// Where `@path` stands at the beginning or behind white space: a path with an ending, else a word with a capital, else
/// whatever has a dot or a slash in it.
fn references(text: &str) -> Vec<Range<usize>> {
    if text.len() > REFERENCES_LIMIT_BYTES {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find('@').map(|at| from + at) {
        from = at + 1;
        let free = text[..at].chars().next_back().is_none_or(char::is_whitespace);
        if let Some(len) = length(&text[at + 1..]).filter(|_| free) {
            from = at + 1 + len;
            found.push(at..from);
        }
    }
    found
}

/// How many bytes at the beginning of `text` are a reference.
fn length(text: &str) -> Option<usize> {
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    let bytes = text.as_bytes();
    let run = bytes.iter().take_while(|byte| word(byte) || b"./".contains(byte)).count();
    let ending = |dot: usize| bytes[dot + 1..run].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let dot = (1..run).rev().find(|&at| bytes[at] == b'.' && ending(at) > 0);
    if let Some(dot) = dot {
        return Some(dot + 1 + ending(dot));
    }
    if bytes.first().is_some_and(u8::is_ascii_uppercase) {
        return Some(bytes.iter().take_while(|byte| word(byte)).count());
    }
    bytes[..run].iter().any(|byte| b"./".contains(byte)).then_some(run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_paths_with_an_ending_capitals_or_anything_with_a_slash() {
        for (text, expected) in [
            ("@a.md x@b.md @c/d.txt.", vec!["a.md", "c/d.txt"]),
            ("@README @readme @docs/ @.env", vec!["README", "docs/", ".env"]),
            ("@a.b-c.", vec!["a.b"]),
            ("(@a.md) \"@b.md\"\n@c.md,", vec!["c.md"]),
        ] {
            let found: Vec<_> = references(text).into_iter().map(|at| &text[at.start + 1..at.end]).collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }
}
