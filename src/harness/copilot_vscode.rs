//! GitHub Copilot in VS Code: files that are always on, files with patterns, and what they refer to.
//!
//! Read in its sources (vscode-copilot-chat 31acd00, `customInstructions.tsx`; VS Code's `computeAutomaticInstructions.ts`) and
//! documentation in November 2026, not run. Instructions in settings, and those of an organization, of extensions and of VS Code's
//! profiles are no files of the workspace or the home directory, and are not looked for.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::shared::conventional::{Chain, File, Globs, InFolder, Load, PLAIN, When, files_below, read_in_november};
use super::shared::vscode::{self, Settings};
use super::{About, Details, Edition, Evidence, Profile};
use crate::answer::{Answer, Fate, Scope, Source, Standpoint, Text, Trigger};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, AskHasher, FileType, absolute};
use crate::text::locale_compare;

/// Folders of files with patterns, unless `chat.instructionsFilesLocations` says otherwise.
const LOCATIONS: [&str; 4] = [".github/instructions", ".claude/rules", "~/.copilot/instructions", "~/.claude/rules"];
/// The folder whose files need no `.instructions` in their names, and say `paths` for `applyTo`.
const RULES: &str = ".claude/rules";
/// The most files that one answer takes by reference; the client is not known to have a limit.
const REFERENCE_LIMIT: usize = 64;

/// The profile.
pub static PROFILE: Profile = Profile {
    id: "copilot-vscode",
    title: "GitHub Copilot in VS Code",
    summary: "copilot-instructions.md, AGENTS.md, CLAUDE.md, .github/instructions/**/*.instructions.md, .claude/rules; the same of the home directory",
    editions: &[&CopilotVscode],
    history: None,
    instruction_names: &[
        ".github/copilot-instructions.md",
        ".copilot/copilot-instructions.md",
        ".github/instructions/**/*.instructions.md",
        ".copilot/instructions/**/*.instructions.md",
        ".claude/rules/**/*.md",
        ".claude/CLAUDE.md",
        "AGENTS.md",
        "CLAUDE.md",
        "CLAUDE.local.md",
    ],
    settings_names: &vscode::NAMES,
    keys: &[],
    program: None,
    evidence: Evidence {
        files: &[".github/copilot-instructions.md", ".github/instructions"],
        editor: &["github.copilot-chat", "github.copilot"],
        ..Evidence::NONE
    },
};

const UNSURE: &str = "based on the sources of VS Code and of its chat (November 2026), not on the running client: the text around the files is not certain, and instructions of an organization, of extensions and of profiles are not looked for";

static ABOUT: About = read_in_november(Details {
    files: "copilot-instructions.md first, then AGENTS.md, CLAUDE.md and files with patterns, sorted by path: all of them",
    triggers: "every request; files with applyTo come with a matching file in the context; others are listed",
    place: "a user message, each in an attachment with its path; trimmed",
    truncation: "none; the window may prune it",
    nested: "listed, with chat.useNestedAgentsMdFiles",
    global: "~/.copilot/copilot-instructions.md, ~/.copilot/instructions, ~/.claude/CLAUDE.md, ~/.claude/rules",
    globs: "applyTo (paths in .claude/rules) in front matter",
    dedupe: "by path, by what links lead to, by text",
    ..PLAIN
});

struct CopilotVscode;

impl Edition for CopilotVscode {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let mut chain = Chain::new(at, search, Some(UNSURE));
        let settings = Settings::gather(at, chain.search, &mut chain.answer.warnings)?;
        let mut roots = vec![at.cwd.clone()];
        if settings.flag("chat.useCustomizationsInParentRepositories", false) {
            roots.extend(chain.repository()?.filter(|root| *root != at.cwd));
        }
        let mut attached = Attached {
            texts: HashMap::default(),
            real: HashMap::new(),
            references: settings.flag("chat.includeReferencedInstructions", false),
            left: REFERENCE_LIMIT,
        };
        let own = of_copilot(at, &roots);
        let is_on = settings.flag(USE_FILES, true);
        for path in own {
            attached.always(&mut chain, &path, is_on.then_some(true).ok_or(USE_FILES))?;
        }
        let mut others: Vec<(PathBuf, Kept)> = conventional(at, &settings, &roots);
        chain.search.expect(others.iter().flat_map(|(path, _)| about(path)))?;
        others.sort_by(|(one, _), (other, _)| by_locale(one, other));
        for folder in folders(at, &settings, &roots) {
            let rules = rules_of(&mut chain, &folder)?;
            let kept = |(at, rule): (usize, &Rule)| {
                (rule.found.path.clone(), Kept::Pattern(folder.clone(), rules.clone(), at))
            };
            others = merged(others, rules.iter().enumerate().map(kept).collect());
        }
        for (path, kept) in others {
            match kept {
                Kept::Always(on) => attached.always(&mut chain, &path, on)?,
                Kept::Pattern(folder, rules, at) => {
                    attached.with_pattern(&mut chain, &rules[at], &folder, &settings)?;
                }
            }
        }
        nested(&mut chain, &settings)?;
        Ok(chain.finish("\n"))
    }
}

/// What is asked about a file that may be attached.
fn about(path: &Path) -> [Ask; 3] {
    [Ask::Content(path.to_owned()), Ask::Real(path.to_owned()), Ask::LinkKind(path.to_owned())]
}

/// The setting that switches Copilot's own files.
const USE_FILES: &str = "github.copilot.chat.codeGeneration.useInstructionFiles";

/// Why a file is looked at.
enum Kept {
    /// Always on, or the setting that is off; whether what it refers to comes along is the setting's matter.
    Always(Result<bool, &'static str>),
    /// In a folder of files with patterns: which folder, and which of its files.
    Pattern(Folder, Arc<Vec<Rule>>, usize),
}

/// A folder of files with patterns.
#[derive(Clone)]
struct Folder {
    path: PathBuf,
    scope: Scope,
    is_rules: bool,
    on: bool,
}

fn of_copilot(at: &Standpoint, roots: &[PathBuf]) -> Vec<PathBuf> {
    let mut own: Vec<PathBuf> = roots.iter().map(|root| root.join(".github/copilot-instructions.md")).collect();
    own.push(at.home.join(".copilot/copilot-instructions.md"));
    own
}

/// AGENTS.md and the files of Claude Code.
fn conventional(at: &Standpoint, settings: &Settings, roots: &[PathBuf]) -> Vec<(PathBuf, Kept)> {
    let kept = |key: &'static str| Kept::Always(if settings.flag(key, true) { Ok(false) } else { Err(key) });
    let mut files = Vec::new();
    for root in roots {
        files.push((root.join("AGENTS.md"), kept("chat.useAgentsMdFile")));
        for name in ["CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md"] {
            files.push((root.join(name), kept("chat.useClaudeMdFile")));
        }
    }
    files.push((at.home.join(".claude/CLAUDE.md"), kept("chat.useClaudeMdFile")));
    files
}

fn folders(at: &Standpoint, settings: &Settings, roots: &[PathBuf]) -> Vec<Folder> {
    let mut folders = Vec::new();
    for (name, on) in settings.switches("chat.instructionsFilesLocations", &LOCATIONS) {
        let is_rules = name.trim_end_matches('/').ends_with(RULES);
        match name.strip_prefix("~/") {
            Some(rest) => folders.push(Folder { path: at.home.join(rest), scope: Scope::User, is_rules, on }),
            None => folders.extend(roots.iter().map(|root| Folder {
                path: absolute(root, Path::new(&name)),
                scope: Scope::Rule,
                is_rules,
                on,
            })),
        }
    }
    folders
}

/// A file that VS Code may attach, with its patterns.
struct Rule {
    found: InFolder,
    /// What it says it is for, and where that is looked for; nothing, if it does not say so.
    when: Option<(Vec<String>, When)>,
}

/// How files of rules end; others name their patterns by another key.
const RULES_ENDING: &str = ".md";

/// The files of a folder, in the order of their paths.
fn rules_of(chain: &mut Chain, folder: &Folder) -> Known<Arc<Vec<Rule>>> {
    let ending = if folder.is_rules { RULES_ENDING } else { ".instructions.md" };
    chain.search.part("files that VS Code may attach", (&folder.path, ending), |dir, ending, search| {
        let mut files = files_below(dir, ending, search)?;
        search.expect(files.iter().flat_map(|file| about(&file.path)))?;
        files.sort_by(|one, other| by_locale(&one.path, &other.path));
        Ok(files.into_iter().map(|found| Rule { when: when(&found, ending == RULES_ENDING), found }).collect())
    })
}

/// Two lists in the order of their paths, as one. Where one is long and the other short, most paths are not compared.
fn merged<T>(mut one: Vec<(PathBuf, T)>, mut other: Vec<(PathBuf, T)>) -> Vec<(PathBuf, T)> {
    if one.len() < other.len() {
        for item in one.into_iter().rev() {
            let place = other.partition_point(|(path, _)| by_locale(path, &item.0).is_lt());
            other.insert(place, item);
        }
        return other;
    }
    for item in other {
        let place = one.partition_point(|(path, _)| by_locale(path, &item.0).is_le());
        one.insert(place, item);
    }
    one
}

fn by_locale(one: &Path, other: &Path) -> Ordering {
    locale_compare(&one.to_string_lossy(), &other.to_string_lossy())
}

fn when(found: &InFolder, is_rules: bool) -> Option<(Vec<String>, When)> {
    let file = found.read.as_ref().ok()?;
    let key = if is_rules { "paths" } else { "applyTo" };
    let patterns = file.front().and_then(|front| front.patterns(key)).filter(|patterns| !patterns.is_empty());
    let patterns = patterns.or_else(|| is_rules.then(|| vec!["**".to_owned()]))?;
    let anywhere: Vec<String> = patterns.iter().map(|pattern| in_any_folder(pattern)).collect();
    Some((patterns, When::Matching(anywhere.into())))
}

/// Attaches files, each text once.
struct Attached {
    /// The trimmed texts that are there already, and by whom.
    texts: HashMap<Text, PathBuf, AskHasher>,
    /// The files that are there already, links followed.
    real: HashMap<PathBuf, PathBuf>,
    /// `chat.includeReferencedInstructions`.
    references: bool,
    left: usize,
}

impl Attached {
    /// A file that is on unless a setting is off. `Ok(true)`: what it refers to comes along in any case.
    fn always(&mut self, chain: &mut Chain, path: &Path, on: Result<bool, &str>) -> Known<()> {
        let scope = if path.starts_with(&chain.at.cwd) { Scope::Project } else { Scope::User };
        let load = Load::start(scope, "always on");
        let Some(file) = chain.file(path, load)? else { return Ok(()) };
        match on {
            Err(setting) => chain.say(path, load, Fate::Excluded, format!("{setting} is off")),
            Ok(refers) => self.attach(chain, &file, load, refers)?,
        }
        Ok(())
    }

    fn with_pattern(&mut self, chain: &mut Chain, rule: &Rule, folder: &Folder, settings: &Settings) -> Known<()> {
        let path = &rule.found.path;
        let load = Load { scope: folder.scope, trigger: Trigger::Attach, reason: "a file with a pattern" };
        let Some(file) = chain.opened(&rule.found, load) else { return Ok(()) };
        if !folder.on {
            chain.say(path, load, Fate::Excluded, "chat.instructionsFilesLocations switches its folder off");
            return Ok(());
        }
        let Some((patterns, when)) = &rule.when else {
            chain.rule(&file, 0..0, folder.scope, &When::Asked, anywhere());
            return Ok(());
        };
        if !settings.flag("chat.includeApplyingInstructions", true) {
            let list = patterns.join(", ");
            let why = format!("chat.includeApplyingInstructions is off; it would come with {list}");
            chain.say(path, load, Fate::Excluded, why);
        } else if patterns.iter().any(|pattern| ["**", "**/*", "*"].contains(&pattern.as_str())) {
            self.attach(chain, &file, Load::start(folder.scope, "its pattern matches everything"), false)?;
        } else if let (Some(target), When::Matching(of)) = (chain.at.target.as_deref(), when)
            && of.any(anywhere(), target)
        {
            let reason = format!("the file matches {}", patterns.join(", "));
            self.attach(chain, &file, Load { reason: &reason, ..load }, false)?;
        } else {
            chain.rule(&file, 0..0, folder.scope, when, anywhere());
        }
        Ok(())
    }

    fn attach(&mut self, chain: &mut Chain, file: &File, load: Load, refers: bool) -> Known<()> {
        let real = chain.search.real(&file.path)?.unwrap_or_else(|_| file.path.clone());
        let range = file.js_trimmed();
        let text = file.text.slice(range.clone());
        let is_link = chain.search.lstat(&file.path, "a link to a file that is there brings nothing")?;
        let is_link = is_link.is_ok_and(|meta| meta.kind == FileType::Link);
        let twice = self.real.get(&real).filter(|_| is_link).map(|by| (by, "links to"));
        let twice = twice.or_else(|| self.texts.get(&text).map(|by| (by, "has the same text as")));
        if let Some((by, how)) = twice.filter(|(by, _)| !text.is_empty() && **by != file.path) {
            let source = Source::new(&file.path, load.scope, Fate::Shadowed, format!("{how} {}", by.display()));
            chain.answer.sources.push(Source { by: Some(by.clone()), trigger: load.trigger, ..source });
            return Ok(());
        }
        self.real.insert(real, file.path.clone());
        self.texts.insert(text, file.path.clone());
        let head = format!("<attachment filePath=\"{}\">\n", file.path.display());
        chain.give(file, range, load, |text| Text::framed(head, text, "\n</attachment>"));
        if refers || self.references {
            for name in references(&file.text) {
                let path = absolute(file.path.parent().unwrap_or(&file.path), Path::new(name));
                let load = Load { scope: Scope::Import, trigger: load.trigger, reason: "referred to" };
                if self.left == 0 || self.texts.values().any(|known| *known == path) {
                    continue;
                }
                self.left -= 1;
                if let Some(file) = chain.file(&path, load)? {
                    self.attach(chain, &file, load, refers)?;
                }
            }
        }
        Ok(())
    }
}

/// Patterns are matched on whole paths, whatever the letter case.
fn anywhere() -> Globs<'static> {
    Globs { base: Path::new("/"), names_anywhere: false, fold_case: true }
}

fn in_any_folder(pattern: &str) -> String {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    if pattern.starts_with('/') || pattern.starts_with("**/") { pattern.to_owned() } else { format!("**/{pattern}") }
}

/// The targets of Markdown links to files, and what stands behind `#file:`.
fn references(text: &str) -> Vec<&str> {
    let links = text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    let named = text.split("#file:").skip(1).filter_map(|rest| rest.split_whitespace().next());
    let mut found: Vec<&str> = links.chain(named).collect();
    found.retain(|target| !target.is_empty() && !target.contains("://") && !target.starts_with('#'));
    found
}

/// AGENTS.md of the folders above the file: listed, where a setting says so.
fn nested(chain: &mut Chain, settings: &Settings) -> Known<()> {
    let on = settings.flag("chat.useNestedAgentsMdFiles", false) && settings.flag("chat.useAgentsMdFile", true);
    for dir in chain.directories_to_target() {
        let path = dir.join("AGENTS.md");
        if chain.search.is_file(&path, "AGENTS.md of a folder below")? {
            let load = Load { scope: Scope::Nested, trigger: Trigger::Call, reason: "" };
            let listed = "only listed: the agent may ask for it";
            chain.say(&path, load, Fate::Excluded, if on { listed } else { "chat.useNestedAgentsMdFiles is off" });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_links_to_files_and_what_is_named_with_a_hash() {
        for (text, expected) in [
            ("[a](a.md) [b](https://x.y) [c](#c)", vec!["a.md"]),
            ("see #file:docs/b.md and [c](../c.md)", vec!["../c.md", "docs/b.md"]),
            ("nothing (a.md)", vec![]),
        ] {
            assert_eq!(references(text), expected, "{text}");
        }
    }

    #[test]
    fn lists_are_merged_and_what_is_alike_stays_in_its_order() {
        let list = |paths: &str, from: char| -> Vec<(PathBuf, char)> {
            paths.split_whitespace().map(|path| (PathBuf::from(path), from)).collect()
        };
        for (one, other) in [("/b /d", "/a /b /c /d /e"), ("/a /b /c /d /e", "/b /d"), ("", "/a"), ("/a", "")] {
            let mut sorted = list(one, '1');
            sorted.extend(list(other, '2'));
            sorted.sort_by(|(one, _), (other, _)| by_locale(one, other));
            assert_eq!(merged(list(one, '1'), list(other, '2')), sorted, "{one} and {other}");
        }
    }
}
