//! Cursor: project rules in four modes, AGENTS.md files, and the legacy .cursorrules.
//!
//! Based on Cursor's documentation (cursor.com/docs/rules) and on third-party notes, November 2026. The client is
//! closed source, so neither its order nor the text around the files is known.

use std::convert::identity;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::answer::{Answer, Fate, Scope, Standpoint, Trigger, Warning};
use crate::harness::keys::{Key, Keys, Takes};
use crate::harness::kit::conventional::{
    Chain, File, Globs, InFolder, Load, PLAIN, When, files_below, mentioned, read_in_november,
};
use crate::harness::kit::front_matter::{self, FrontMatter, Value};
use crate::harness::{About, Details, Edition, Evidence, Profile};
use crate::search::{Known, Search};
use crate::snapshot::absolute;

/// Profile of Cursor.
pub static PROFILE: Profile = Profile {
    id: "cursor",
    title: "Cursor",
    summary: ".cursor/rules/**/*.mdc here and in the folders above a file, AGENTS.md, .cursorrules",
    editions: &[&Cursor],
    history: None,
    // Files that end in .md are not read; a finding says so.
    instruction_names: &[".cursor/rules/**/*.mdc", ".cursor/rules/**/*.md", "AGENTS.md", ".cursorrules"],
    settings_names: &[],
    program: None,
    keys: KEYS,
    evidence: Evidence {
        commands: &["cursor", "cursor-agent"],
        homes: &[&["~/.cursor"]],
        files: &[".cursor", ".cursorrules"],
        editor: &["cursor"],
        ..Evidence::NONE
    },
};

const KEYS: &[Keys] = &[Keys {
    files: &[".cursor/rules/**/*.mdc"],
    keys: &[
        Key::new("description", Takes::Other, "By which the agent asks for the rule."),
        Key::new("globs", Takes::Paths, "The rule comes with files that match."),
        Key::new("alwaysApply", Takes::SWITCH, "Whether the rule applies from the start."),
    ],
}];

const UNSURE: &str = "based on Cursor's documentation (November 2026), as the client is closed source: the order and the text around the files are not known, and the user's and the team's rules are no files";

/// Maximum length of a rule that the documentation recommends, in lines. Nothing is cut.
const ADVISED_LINES: usize = 500;

static ABOUT: About = read_in_november(Details {
    files: ".cursor/rules/**/*.mdc, AGENTS.md, .cursorrules: all of them",
    triggers: "session start; rules with globs come with a matching file; rules with a description when the agent asks",
    place: "at the start of the context",
    truncation: "none; under 500 lines are advised",
    nested: "AGENTS.md and .cursor/rules of the folders above the file",
    global: "user rules in the app's settings, team rules on the dashboard: no files",
    globs: "globs in front matter",
    ..PLAIN
});

struct Cursor;

impl Edition for Cursor {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let mut chain = Chain::new(at, search, Some(UNSURE));
        rules(&mut chain, &at.cwd, Scope::Rule)?;
        chain.whole(&at.cwd.join("AGENTS.md"), Load::start(Scope::Project, "AGENTS.md at the workspace root"))?;
        if chain.search.is_file(&at.cwd.join("CLAUDE.md"), "read by Cursor's command line")? {
            let load = Load::start(Scope::Project, "");
            chain.say(
                &at.cwd.join("CLAUDE.md"),
                load,
                Fate::Excluded,
                "only Cursor's command line loads it, by its documentation",
            );
        }
        let legacy = Load::start(Scope::Project, "legacy, always applied");
        if chain.whole(&at.cwd.join(".cursorrules"), legacy)? {
            let path = at.cwd.join(".cursorrules");
            let message = ".cursorrules is deprecated: move its text to a rule with `alwaysApply: true`";
            chain.answer.warnings.push(Warning::at("deprecated", path, message));
        }
        for dir in chain.directories_to_target() {
            let load = Load::read(Scope::Nested, "AGENTS.md of a folder above the file");
            chain.whole(&dir.join("AGENTS.md"), load)?;
            rules(&mut chain, &dir, Scope::Nested)?;
        }
        Ok(chain.finish("\n\n"))
    }
}

/// File in a folder of rules.
struct Rule {
    found: InFolder,
    /// Parsed rule; `None` if the file is not a rule, or cannot be read.
    says: Option<Says>,
}

/// Parsed rule.
struct Says {
    when: When,
    body: Range<usize>,
    problem: Option<String>,
    lines: usize,
    /// Names after `@`.
    names: Vec<String>,
}

/// Reads the files of a folder of rules.
fn read(dir: &Path, ending: &'static str, search: &mut Search) -> Known<Vec<Rule>> {
    let says = |file: &Arc<File>| {
        let front = file.front();
        let name = file.path.file_stem().unwrap_or_default().to_string_lossy();
        Says {
            when: mode(front.as_ref(), &name),
            body: file.body(),
            problem: problem(&file.text, front.as_ref()),
            lines: file.text.size().lines,
            names: mentioned(&file.text[file.body()]).into_iter().map(str::to_owned).collect(),
        }
    };
    let rule = |found: InFolder| {
        let is_rule = found.path.extension().is_some_and(|extension| extension == "mdc");
        Rule { says: found.read.as_ref().ok().filter(|_| is_rule).map(says), found }
    };
    Ok(files_below(dir, ending, search)?.into_iter().map(rule).collect())
}

/// Adds the rules of one folder. Their patterns are relative to it.
fn rules(chain: &mut Chain, dir: &Path, scope: Scope) -> Known<()> {
    let nested = scope == Scope::Nested;
    let found = chain.search.part("rules of Cursor", (&dir.join(".cursor/rules"), ""), read)?;
    chain.answer.sources.reserve(found.len());
    for Rule { found, says } in found.iter() {
        let path = &found.path;
        let load = Load { scope, trigger: Trigger::Session, reason: "a project rule" };
        if path.extension().is_none_or(|extension| extension != "mdc") {
            if path.extension().is_some_and(|extension| extension == "md") {
                let is_readme = path.file_stem().is_some_and(|name| name.eq_ignore_ascii_case("README"));
                let fate = if is_readme { Fate::Excluded } else { Fate::Dropped };
                chain.say(path, load, fate, "only .mdc files are rules; older versions took .md as well");
            }
            continue;
        }
        let (Some(file), Some(says)) = (chain.opened(found, load), says) else { continue };
        if let Some(problem) = &says.problem {
            chain.answer.warnings.push(Warning::at("front-matter", path, problem));
        }
        match &says.when {
            // A rule of a nested folder applies as soon as a file there is in the context.
            When::Always if nested => {
                let load = Load::read(scope, "a rule of a folder above the file");
                chain.give(&file, says.body.clone(), load, identity);
            }
            when => {
                let globs = Globs { base: dir, names_anywhere: true, fold_case: false };
                chain.rule(&file, says.body.clone(), scope, when, globs);
            }
        }
        attached(chain, says, dir)?;
        let lines = says.lines;
        if lines > ADVISED_LINES {
            let message = format!("{lines} lines; Cursor's documentation advises under {ADVISED_LINES} for each rule");
            chain.answer.warnings.push(Warning::at("long-rule", path, message));
        }
    }
    Ok(())
}

/// Loads the files that a loaded rule names with `@`, relative to the folder that contains `.cursor`. Their own `@`
/// names are not followed.
fn attached(chain: &mut Chain, rule: &Says, dir: &Path) -> Known<()> {
    let Some(source) = chain.answer.sources.last().filter(|source| source.fate == Fate::Loaded) else { return Ok(()) };
    let load = Load { scope: Scope::Import, trigger: source.trigger, reason: "named by a rule" };
    for name in &rule.names {
        chain.whole(&absolute(dir, Path::new(name)), load)?;
    }
    Ok(())
}

/// Returns the problem of a rule's front matter.
fn problem(text: &str, front: Option<&FrontMatter>) -> Option<String> {
    if front.and_then(|front| front.text("alwaysApply")) == Some("true") {
        return Some("`alwaysApply` is a string here: write true without quotation marks".to_owned());
    }
    let always = front.is_some_and(is_always);
    let has = |key: &str| !always && front.is_some_and(|front| front.has(key));
    front_matter::problem(text, &["globs"], has, "the rule applies only when it is named")
}

fn is_always(front: &FrontMatter) -> bool {
    match front.is_yaml() {
        true => front.get("alwaysApply") == Some(&Value::Bool(true)),
        false => front.word("alwaysApply") == Some("true"),
    }
}

/// Returns when a rule applies: `alwaysApply: true`, else globs, else a description, else only its name. The text
/// `"true"` is not a boolean. Globs without quotation marks are no YAML, and how Cursor itself writes them: then the
/// lines of the keys count.
fn mode(front: Option<&FrontMatter>, name: &str) -> When {
    let Some(front) = front else { return When::Named(format!("@{name}")) };
    if is_always(front) {
        return When::Always;
    }
    match (front.patterns("globs"), front.word("description")) {
        (Some(globs), _) if !globs.is_empty() => When::Matching(globs.into()),
        (_, Some(description)) if !description.trim().is_empty() => When::Asked,
        _ => When::Named(format!("@{name}")),
    }
}
