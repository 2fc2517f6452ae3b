//! Windsurf: global rules, rules in four modes here, above and in the folders that lead to a file, AGENTS.md, and
//! .windsurfrules.
//!
//! Based on Windsurf's documentation (docs.windsurf.com, Memories & Rules, AGENTS.md), November 2026. The client is
//! closed source. Its documentation has several editions with different limits; those here are from the newer ones.

use std::convert::identity;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::answer::{Answer, Limit, Per, Scope, Standpoint, Unit, Warning};
use crate::harness::keys::{Key, Keys, Takes};
use crate::harness::kit::conventional::{Chain, File, Globs, Load, PLAIN, When, read_in_november};
use crate::harness::{About, Details, Edition, Evidence, Profile};
use crate::search::{Known, Search};
use crate::text::utf16_len;

/// Maximum length of a workspace rule, in characters (documentation of November 2026). Earlier: 6 000, and 12 000 for
/// all.
const RULE_LIMIT: usize = 12_000;
/// Maximum length of the global rules, in characters (documentation of November 2026).
const GLOBAL_LIMIT: usize = 6_000;
/// Folders of rules in a directory; the first has the product's older name.
const FOLDERS: [&str; 2] = [".windsurf/rules", ".devin/rules"];
/// Folder of rules by an administrator, for all users of the machine.
const SYSTEM: &str = if cfg!(target_os = "macos") {
    "/Library/Application Support/Windsurf/rules"
} else if cfg!(windows) {
    "C:\\ProgramData\\Windsurf\\rules"
} else {
    "/etc/windsurf/rules"
};

/// Profile of Windsurf.
pub static PROFILE: Profile = Profile {
    id: "windsurf",
    title: "Windsurf",
    summary: "global_rules.md, .windsurf/rules/*.md and .devin/rules/*.md up to the repository root and in the folders above a file, AGENTS.md, .windsurfrules",
    editions: &[&Windsurf],
    history: None,
    instruction_names: &[
        ".windsurf/rules/*.md",
        ".devin/rules/*.md",
        ".windsurfrules",
        "AGENTS.md",
        "agents.md",
        ".codeium/windsurf/memories/global_rules.md",
        "windsurf/rules/*.md",
    ],
    settings_names: &[],
    keys: KEYS,
    program: None,
    evidence: Evidence {
        commands: &["windsurf"],
        homes: &[&["~/.codeium/windsurf"]],
        files: &[".windsurf", ".windsurfrules"],
        editor: &["windsurf"],
        ..Evidence::NONE
    },
};

const KEYS: &[Keys] = &[Keys {
    files: &[".windsurf/rules/*.md", ".devin/rules/*.md"],
    keys: &[
        Key::new(
            "trigger",
            Takes::Words(&["always_on", "glob", "model_decision", "manual"]),
            "When the rule is loaded.",
        ),
        Key::new("globs", Takes::Paths, "The files with which `glob` tells it."),
    ],
}];

const UNSURE: &str = "based on Windsurf's documentation (November 2026), as the client is closed source: the order and the text around the files are not known, and rules of folders elsewhere are not looked for";

static ABOUT: About = read_in_november(Details {
    files: "global_rules.md, .windsurf/rules/*.md, .devin/rules/*.md, .windsurfrules, AGENTS.md: all of them",
    triggers: "session start; glob with a matching file; model_decision when the agent asks; manual when named",
    place: "not known",
    truncation: "12 000 characters per rule, 6 000 for the global rules",
    nested: "rules and AGENTS.md of the folders above the file",
    global: "~/.codeium/windsurf/memories/global_rules.md, and an administrator's folder",
    globs: "globs in front matter",
    ..PLAIN
});

struct Windsurf;

impl Edition for Windsurf {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let mut chain = Chain::new(at, search, Some(UNSURE));
        rules(&mut chain, Path::new(SYSTEM), &at.cwd, Scope::Managed)?;
        let global = at.home.join(".codeium/windsurf/memories/global_rules.md");
        let load = Load::start(Scope::User, "the global rules");
        if let Some(file) = chain.file(&global, load)? {
            let range = 0..if file.text.trim().is_empty() { 0 } else { file.text.len() };
            let shown = within(&file, range.clone(), GLOBAL_LIMIT);
            chain.give(&file, shown.clone(), load, identity);
            said_if_cut(&mut chain, &range, &shown, GLOBAL_LIMIT);
        }
        let root = chain.repository()?.unwrap_or_else(|| at.cwd.clone());
        let mut dirs: Vec<PathBuf> =
            at.cwd.ancestors().take_while(|dir| dir.starts_with(&root)).map(Path::to_owned).collect();
        dirs.reverse();
        for dir in dirs {
            directory(&mut chain, &dir, Load::start(Scope::Project, "AGENTS.md of the workspace or above, always on"))?;
        }
        let legacy = Load::start(Scope::Project, "legacy, always on");
        chain.whole(&at.cwd.join(".windsurfrules"), legacy)?;
        for dir in chain.directories_to_target() {
            directory(&mut chain, &dir, Load::read(Scope::Nested, "AGENTS.md of a folder above the file"))?;
        }
        Ok(chain.finish("\n\n"))
    }
}

/// Adds the rules of a directory, and its AGENTS.md in either spelling.
fn directory(chain: &mut Chain, dir: &Path, load: Load) -> Known<()> {
    let scope = if load.scope == Scope::Nested { Scope::Nested } else { Scope::Rule };
    for folder in FOLDERS {
        rules(chain, &dir.join(folder), dir, scope)?;
    }
    chain.first(dir, &["AGENTS.md", "agents.md"], load, |chain, file| {
        let blank = file.text.trim().is_empty();
        chain.give(file, if blank { 0..0 } else { 0..file.text.len() }, load, identity);
        Ok(())
    })?;
    Ok(())
}

/// Adds the rules of one folder. Their patterns are relative to `base`.
fn rules(chain: &mut Chain, folder: &Path, base: &Path, scope: Scope) -> Known<()> {
    for found in chain.folder(folder, ".md")?.iter() {
        let Some(file) = chain.opened(found, Load::start(scope, "a rule")) else { continue };
        let when = trigger(chain, &file);
        let range = file.body();
        let shown = within(&file, range.clone(), RULE_LIMIT);
        match when {
            // A rule of a nested folder applies as soon as a file there is in the context.
            When::Always if scope == Scope::Nested => {
                let load = Load::read(scope, "a rule of a folder above the file");
                chain.give(&file, shown.clone(), load, identity);
            }
            when => {
                let globs = Globs { base, names_anywhere: true, fold_case: false };
                chain.rule(&file, shown.clone(), scope, &when, globs);
            }
        }
        said_if_cut(chain, &range, &shown, RULE_LIMIT);
    }
    Ok(())
}

fn trigger(chain: &mut Chain, file: &File) -> When {
    let name = file.path.file_stem().unwrap_or_default().to_string_lossy();
    let front = file.front();
    let mut warn = |message: String| chain.answer.warnings.push(Warning::at("front-matter", &file.path, message));
    match front.as_ref().and_then(|front| front.word("trigger")) {
        Some("always_on") => When::Always,
        Some("manual") => When::Named(format!("@{name}")),
        Some("model_decision") => When::Asked,
        Some("glob") => match front.and_then(|front| front.patterns("globs")) {
            Some(globs) if !globs.is_empty() => When::Matching(globs.into()),
            Some(_) | None => When::Never("the trigger is glob, and there are no globs"),
        },
        Some(other) => {
            warn(format!(
                "the trigger `{other}` is not one of always_on, glob, model_decision, manual; shown as always_on"
            ));
            When::Always
        }
        None => {
            warn(
                "the rule has no trigger, and Windsurf does not document what that means; shown as always_on"
                    .to_owned(),
            );
            When::Always
        }
    }
}

/// Returns the part of a range that is within a limit of characters.
fn within(file: &File, range: Range<usize>, limit: usize) -> Range<usize> {
    let mut left = limit;
    let mut fits = |c: char| {
        let fits = c.len_utf16() <= left;
        left = left.saturating_sub(c.len_utf16());
        fits
    };
    let text = &file.text[range.clone()];
    if utf16_len(text) <= limit {
        return range;
    }
    let kept: usize = text.chars().take_while(|c| fits(*c)).map(char::len_utf8).sum();
    range.start..range.start + kept
}

fn said_if_cut(chain: &mut Chain, range: &Range<usize>, shown: &Range<usize>, limit: usize) {
    if range != shown {
        let reason = format!("longer than {limit} characters: the rest is cut");
        let limit = Limit { value: limit, unit: Unit::Utf16, per: Per::Source, from: "default".to_owned() };
        chain.cut_last(limit, reason);
    }
}
