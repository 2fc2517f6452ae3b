//! Goose: hints from its settings folder and from the repository root down to the working directory, with references
//! expanded.
//!
//! Checked on the real client 1.52.0 (`goose run` against a loopback mock of a provider), November 2026. The text is
//! the section after `# Additional Instructions:`. Skills, which are listed before it, are not read.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use ignore::gitignore::Gitignore;

use crate::answer::{Answer, Certain, Fate, Role, Scope, Standpoint, Text, Tool, Trigger};
use crate::harness::history::replays;
use crate::harness::kit::conventional::{Chain, Load, PLAIN};
use crate::harness::kit::{folders, skills};
use crate::harness::{About, Attaches, Details, Edition, Evidence, History, Profile, Replays, Switches, switches};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, absolute};
use references::{Boundary, References, whole};

mod references;
mod settings;

/// Text between two hint files.
const SEPARATOR: &str = "\n";

/// Profile of Goose.
pub static PROFILE: Profile = Profile {
    id: "goose",
    title: "Goose",
    summary: ".goosehints and AGENTS.md (or CONTEXT_FILE_NAMES): global, then from the repository root to the working directory, all of them",
    editions: &[&Goose],
    history: Some(&HISTORY),
    instruction_names: &[".goosehints", "AGENTS.md"],
    settings_names: &["goose/config.yaml"],
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

    fn switches(&self) -> &'static Switches {
        switches::table!("goose")
    }

    fn attaches(&self, tool: Tool) -> Attaches {
        match tool {
            Tool::Read | Tool::Edit | Tool::Write | Tool::Shell => Attaches::AsRead,
            Tool::Mention => Attaches::Unknown,
        }
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let mut chain = Chain::new(at, search, None);
        // A relative root is ignored.
        let root = chain.search.env("GOOSE_PATH_ROOT").map(PathBuf::from).filter(|root| root.is_absolute());
        let root = root.map(|root| absolute(&at.cwd, &root));
        let base = root.clone().unwrap_or_else(|| chain.config_home());
        folders::require(&base, chain.search, &mut chain.answer)?;
        if root.is_none() {
            let named = chain.search.env("XDG_DATA_HOME").map(PathBuf::from).filter(|dir| dir.is_absolute());
            let data = named.unwrap_or_else(|| at.home.join(".local/share"));
            folders::require(&data, chain.search, &mut chain.answer)?;
            folders::doubt_closed(&data.join("goose/sessions"), chain.search, &mut chain.answer)?;
        }
        let config = root.as_ref().map_or_else(|| chain.config_home().join("goose"), |root| root.join("config"));
        settings::check_permissions(&config, chain.search)?;
        settings::doubt_model(&mut chain, &config)?;
        let names = settings::names(&mut chain, &config)?;
        let mut users: Vec<PathBuf> = names.iter().map(|name| config.join(name)).collect();
        if names.iter().any(|name| name == "AGENTS.md") {
            users.push(root.as_ref().unwrap_or(&at.home).join(".agents/AGENTS.md"));
        }
        let load = Load::start(Scope::User, "global hints");
        let start = chain.started();
        for path in users {
            let dir = path.parent().unwrap_or(&config);
            hints(&mut chain, std::slice::from_ref(&path), dir, &Gitignore::empty(), load)?;
        }
        let global = start..chain.started();
        let boundary = chain.repository()?.unwrap_or_else(|| at.cwd.clone());
        let mut dirs: Vec<&Path> = at.cwd.ancestors().take_while(|dir| dir.starts_with(&boundary)).collect();
        dirs.reverse();
        let ignored = settings::ignored(&mut chain, &dirs)?;
        let load = Load::start(Scope::Project, "from the repository root to the working directory");
        let start = chain.started();
        hints(&mut chain, &paths(&dirs, &names), &boundary, &ignored, load)?;
        let local = start..chain.started();
        // A heading is part of the first text below it.
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

/// Returns the paths of possible hint files, directory by directory.
fn paths(dirs: &[&Path], names: &[String]) -> Vec<PathBuf> {
    dirs.iter().flat_map(|dir| names.iter().map(move |name| dir.join(name))).collect()
}

/// Adds the files that exist. References in them must not leave the boundary, and must not be ignored.
fn hints(chain: &mut Chain, paths: &[PathBuf], boundary: &Path, ignored: &Gitignore, load: Load) -> Known<()> {
    chain.search.expect(paths.iter().cloned().map(Ask::Content))?;
    let boundary = Boundary::of(boundary, chain.search)?;
    for path in paths {
        let Some(file) = chain.file(path, load)? else { continue };
        if file.raw().is_empty() {
            chain.give(&file, 0..0, load, |text| text);
            continue;
        }
        let own = chain.search.real(path)?.unwrap_or_else(|_| path.clone());
        if let Some(why) = boundary.keeps_out(&own, chain.search)? {
            chain.say(path, load, Fate::Excluded, format!("a link, and where it leads is {why}"));
            continue;
        }
        if std::str::from_utf8(file.raw()).is_err() {
            chain.say(path, load, Fate::Unreadable, "it is not UTF-8");
            continue;
        }
        if file.text.is_empty() {
            let reason = format!("{}: its byte order mark is sent alone", path.display());
            chain.answer.doubt(&[Certain::Text], reason);
        }
        let place = chain.answer.sources.len();
        let text = References::new(&boundary, ignored, load.trigger).expand(&whole(&file), path, chain)?;
        // A file's source precedes those of its references.
        let below = chain.answer.sources.split_off(place);
        chain.give_again(&file, load, text);
        chain.answer.sources.extend(below);
    }
    Ok(())
}

/// Adds the files that come when a tool reaches a directory below the working directory: those from the working
/// directory down to it. Returns the directory.
fn nested(chain: &mut Chain, names: &[String], boundary: &Path) -> Known<Option<PathBuf>> {
    let at = chain.at;
    let mut reached = |path: &Path| -> Known<PathBuf> {
        let dir = absolute(&at.cwd, path).parent().map(Path::to_owned).unwrap_or_default();
        Ok(chain.search.real(&dir)?.unwrap_or(dir))
    };
    let Some(target) = &at.target else { return Ok(None) };
    let dir = reached(target)?;
    for earlier in &at.read_before {
        if reached(&earlier.file)? == dir {
            return Ok(None);
        }
    }
    // The files of this directory may have come with a deeper one, so a loaded file shows that this directory was
    // reached only if it is not known what was read.
    if at.read_before.is_empty() && at.already_loaded.iter().any(|path| path.parent() == Some(&dir)) {
        return Ok(None);
    }
    // The write tool creates the directory.
    if at.tool != Tool::Write && !chain.search.is_dir(&dir, "the directory that a tool reached")? {
        return Ok(None);
    }
    let on_the_way = dir.ancestors().take_while(|dir| *dir != at.cwd && dir.starts_with(&at.cwd));
    let mut dirs: Vec<&Path> = on_the_way.collect();
    dirs.reverse();
    let load = Load::read(Scope::Nested, "on the way to what a tool reached");
    hints(chain, &paths(&dirs, names), boundary, &Gitignore::empty(), load)?;
    Ok(Some(dir))
}

/// Normalizes a text to NFC and removes the tag characters U+E0000 to U+E007F.
fn sanitized(text: &Text) -> Text {
    if text.is_ascii() {
        return text.clone();
    }
    let composed = icu_normalizer::ComposingNormalizer::new_nfc().normalize(text);
    composed.chars().filter(|c| !('\u{e0000}'..='\u{e007f}').contains(c)).collect::<String>().into()
}
