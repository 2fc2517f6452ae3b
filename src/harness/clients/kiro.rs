//! Kiro: steering files with four ways of inclusion, and AGENTS.md.
//!
//! Based on kiro.dev and its issues, November 2026; the client is closed source.

use std::path::Path;

use crate::answer::{Answer, Fate, Scope, Standpoint, Trigger, Warning};
use crate::harness::keys::{Key, Keys, Takes};
use crate::harness::kit::conventional::{Chain, File, Globs, Load, PLAIN, When, read_in_november};
use crate::harness::kit::front_matter::{self, FrontMatter};
use crate::harness::{About, Details, Edition, Evidence, Profile};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, absolute};

/// Profile of Kiro.
pub static PROFILE: Profile = Profile {
    id: "kiro",
    title: "Kiro",
    summary: ".kiro/steering/*.md of the home directory and of the workspace, and AGENTS.md",
    editions: &[&Kiro],
    history: None,
    instruction_names: &[".kiro/steering/*.md", "AGENTS.md"],
    settings_names: &[],
    program: None,
    keys: KEYS,
    evidence: Evidence {
        commands: &["kiro", "kiro-cli"],
        homes: &[&["~/.kiro"]],
        files: &[".kiro"],
        editor: &["kiro"],
        ..Evidence::NONE
    },
};

const KEYS: &[Keys] = &[Keys {
    files: &[".kiro/steering/*.md"],
    keys: &[
        Key::new(
            "inclusion",
            Takes::Words(&["always", "fileMatch", "manual", "auto"]),
            "When the file is loaded: from the start, with matching files, when the user names it, when the agent asks.",
        ),
        Key::new("fileMatchPattern", Takes::Paths, "The files with which `fileMatch` tells it."),
    ],
}];

const UNSURE: &str = "based on kiro.dev (November 2026), as the client is closed source: the order and the text around the files are not known";

static ABOUT: About = read_in_november(Details {
    files: ".kiro/steering/*.md and AGENTS.md: all of them",
    triggers: "session start; fileMatch with a matching file; manual with #name; auto when the agent asks",
    place: "not known",
    global: "~/.kiro/steering",
    globs: "fileMatchPattern in front matter",
    ..PLAIN
});

struct Kiro;

impl Edition for Kiro {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let mut chain = Chain::new(at, search, Some(UNSURE));
        for (folder, scope) in
            [(at.home.join(".kiro/steering"), Scope::User), (at.cwd.join(".kiro/steering"), Scope::Rule)]
        {
            for found in chain.folder(&folder, ".md")?.iter() {
                let Some(file) = chain.opened(found, Load::start(scope, "a steering file")) else { continue };
                let when =
                    if found.path.ends_with("AGENTS.md") { When::Always } else { inclusion(&mut chain, &file, scope) };
                let always = matches!(when, When::Always);
                chain.rule(
                    &file,
                    file.body(),
                    scope,
                    &when,
                    Globs { base: &at.cwd, names_anywhere: true, fold_case: false },
                );
                if always {
                    references(&mut chain, &file)?;
                }
            }
        }
        let path = at.cwd.join("AGENTS.md");
        chain.whole(&path, Load::start(Scope::Project, "AGENTS.md at the workspace root, always included"))?;
        Ok(chain.finish("\n\n"))
    }
}

fn inclusion(chain: &mut Chain, file: &File, scope: Scope) -> When {
    let front = file.front();
    if let Some(problem) = problem(&file.text, front.as_ref()) {
        chain.answer.warnings.push(Warning::at("front-matter", &file.path, problem));
    }
    let Some(front) = front else { return When::Always };
    let name = file.path.file_stem().unwrap_or_default().to_string_lossy();
    match front.word("inclusion") {
        None | Some("always") => When::Always,
        Some("manual") => When::Named(format!("#{name}")),
        Some("auto") => When::Asked,
        Some("fileMatch") if scope == Scope::User => {
            // kirodotdev/Kiro issue 9176.
            When::Never("fileMatch is reported not to work in the home directory")
        }
        Some("fileMatch") => match front.patterns("fileMatchPattern") {
            Some(patterns) if !patterns.is_empty() => When::Matching(patterns.into()),
            _ => When::Never("inclusion is fileMatch, but fileMatchPattern is missing"),
        },
        Some(other) => {
            let message = format!("inclusion `{other}` is not one of always, fileMatch, manual, auto");
            chain.answer.warnings.push(Warning::at("front-matter", &file.path, message));
            When::Always
        }
    }
}

/// Returns the problem of a steering file's front matter, if it selects files.
fn problem(text: &str, front: Option<&FrontMatter>) -> Option<String> {
    let has = |key: &str| front.is_some_and(|front| front.has(key));
    match (front.and_then(|front| front.text("inclusion")), has("fileMatchPattern")) {
        (Some("fileMatch"), false) => Some("`inclusion` is fileMatch, but fileMatchPattern is missing".to_owned()),
        (None, true) => {
            Some("`fileMatchPattern` needs `inclusion: fileMatch`: without it, the file is always loaded".to_owned())
        }
        _ => front_matter::problem(text, &["fileMatchPattern"], has, "the file is always there"),
    }
}

/// Includes the files of the workspace that `#[[file:path]]` names.
fn references(chain: &mut Chain, file: &File) -> Known<()> {
    let mut rest = &*file.text;
    let mut named: Vec<&str> = Vec::new();
    while let Some((_, after)) = rest.split_once("#[[file:") {
        let Some((path, after)) = after.split_once("]]") else { break };
        let name = path.trim();
        chain.answer.mention(&file.path, name, [absolute(&chain.at.cwd, Path::new(name))]);
        named.push(name);
        rest = after;
    }
    chain.search.expect(named.iter().map(|name| Ask::Content(absolute(&chain.at.cwd, Path::new(name)))))?;
    for name in named {
        let path = absolute(&chain.at.cwd, Path::new(name));
        let load = Load { scope: Scope::Import, trigger: Trigger::Session, reason: "named by a steering file" };
        if !chain.whole(&path, load)? {
            chain.say(&path, load, Fate::Missing, "named by a steering file, and does not exist");
            let message = format!("#[[file:{name}]] does not exist");
            chain.answer.warnings.push(Warning::at("import-missing", &file.path, message));
        }
    }
    Ok(())
}
