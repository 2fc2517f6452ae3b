//! Qwen Code: context files from the settings folder and from above the repository down, their imports, and rules.
//!
//! Checked on the real client 0.21.2 to 0.24.4 (`qwen -p` against a loopback mock of a provider), November 2026. It is
//! derived from Gemini CLI, but differs in the files it finds, in their order, and in the code regions without imports.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::gemini_cli::joined;
use crate::answer::{Answer, Fate, Role, Scope, Source, Standpoint, Text, Tool, Trigger, Warning};
use crate::harness::keys::{Key, Keys, Takes};
use crate::harness::kit::conventional::{Chain, Load, PLAIN};
use crate::harness::kit::folders;
use crate::harness::{
    About, Attaches, Changed, Compacts, Details, Edition, Evidence, Profile, Program, Resumes, Switches, switches,
};
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Ask, FileType, relative};
use crate::text::js_trim;

mod agents;
mod environment;
mod extensions;
mod head;
mod history;
mod imports;
mod memory;
mod migration;
mod rules;
mod settings;
mod trust;

use history::Behavior;
use imports::Format;
use settings::Settings;

/// Profile of Qwen Code.
pub static PROFILE: Profile = Profile {
    id: "qwen-code",
    title: "Qwen Code",
    summary: "QWEN.md and AGENTS.md (or context.fileName): global, then from above the repository down; .qwen/QWEN.local.md; .qwen/rules",
    editions: &[&NEWEST],
    history: Some(&history::HISTORY),
    instruction_names: &[
        "QWEN.md",
        "AGENTS.md",
        ".qwen/QWEN.local.md",
        ".qwen/output-language.md",
        ".qwen/rules/**/*.md",
    ],
    settings_names: &[
        ".qwen/settings.json",
        ".qwen/trustedFolders.json",
        "qwen-code/settings.json",
        "qwen-code/system-defaults.json",
        "qwen-extension.json",
        ".qwen-extension-install.json",
    ],
    keys: KEYS,
    program: Some(Program { command: "qwen", package: "@qwen-code/qwen-code" }),
    evidence: Evidence {
        traces: &[&["$QWEN_HOME/installation_id", "~/.qwen/installation_id"]],
        homes: &[&["$QWEN_HOME", "~/.qwen"]],
        files: &["QWEN.md", ".qwen"],
        editor: &["qwenlm.qwen-code-vscode-ide-companion"],
        ..Evidence::NONE
    },
};

const KEYS: &[Keys] = &[
    Keys {
        files: &[".qwen/settings.json"],
        keys: &[
            Key::new("context.fileName", Takes::Names, "Names that are looked for."),
            Key::new("context.includeDirectories", Takes::Paths, "Further directories of the workspace."),
        ],
    },
    Keys {
        files: &[".qwen/rules/**/*.md"],
        keys: &[Key::new(
            "paths",
            Takes::Paths,
            "The rule waits until a file is read that one of these patterns matches.",
        )],
    },
];

static ABOUT: About = About {
    name: "0.24",
    checked: ("0.24.4", "0.24"),
    details: Details {
        files: "QWEN.md and AGENTS.md, or the names in context.fileName: all of them, name by name",
        triggers: "session start; rules with paths come with a matching file that is read, written anew or found by grep or glob; shell and mentions add nothing",
        place: "end of the system prompt, each between a head and a foot with its path; trimmed",
        truncation: "none; imports go 5 files deep",
        global: "~/.qwen (or $QWEN_HOME): the same names, context files of extensions, rules, output-language.md",
        globs: "paths in front matter of rules, as picomatch matches them",
        sessions: "sub-agents begin as the session does, and share which rules have come",
        dedupe: "by real path",
        ..PLAIN
    },
};

/// Mark of the language in the client's own file, inside a comment.
const LANGUAGE_MARK: &str = "qwen-code:llm-output-language:";

/// Variables that disable all files.
const OFF: [&str; 2] = ["QWEN_CODE_SAFE_MODE", "QWEN_CODE_SIMPLE"];

/// Edition of Qwen Code, with a field for the differences between versions.
struct QwenCode {
    behavior: Behavior,
}

static NEWEST: QwenCode = QwenCode { behavior: Behavior::NOW };

impl Edition for QwenCode {
    fn about(&self) -> &About {
        &ABOUT
    }

    /// Checked on Qwen Code 0.24.4.
    fn resumes(&self) -> Resumes {
        if self.behavior == Behavior::NOW { Resumes::ComesAgain(Changed::Replaced) } else { Resumes::NotAsked }
    }

    /// Checked on Qwen Code 0.24.4.
    fn compacts(&self) -> Compacts {
        if self.behavior == Behavior::NOW { Compacts::Forgets } else { Compacts::NotAsked }
    }

    fn switches(&self) -> &'static Switches {
        switches::table!("qwen-code")
    }

    fn attaches(&self, tool: Tool) -> Attaches {
        match tool {
            Tool::Read | Tool::Write => Attaches::Own,
            // An edit requires that the file was read before, which already added them.
            Tool::Edit | Tool::Shell | Tool::Mention => Attaches::Nothing,
        }
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let mut chain = Chain::new(at, search, None);
        let own = environment::own_folder(&mut chain)?;
        folders::require(&own, chain.search, &mut chain.answer)?;
        for variable in ["QWEN_RUNTIME_DIR", "QWEN_CODE_MEMORY_BASE_DIR"] {
            if let Some(dir) = chain.search.env(variable).filter(|dir| !dir.is_empty()) {
                folders::require(&environment::resolved(&dir, at), chain.search, &mut chain.answer)?;
            }
        }
        let settings = match Settings::gather(&mut chain, &own, self.behavior) {
            Err(Halt::Refused(refusal)) => return Ok(chain.answer.with_refusal(refusal)),
            settings => settings?,
        };
        if let Some(name) = OFF.iter().find(|name| settings.variables.is_on(name, chain.search)) {
            chain.search.never(&at.cwd, format!("{name} switches all instruction files off"));
            return Ok(chain.finish(""));
        }
        let root = project_root(&mut chain, &at.cwd)?;
        chain.answer.root = root.clone().or_else(|| Some(at.cwd.clone()));
        let language = language(&mut chain, &own, &settings)?;
        let extensions = extensions::gather(&mut chain, &own, &settings.variables, self.behavior.extension_rules)?;
        let theirs = extensions.files.into_iter().map(|path| (path, Scope::Config));
        let last = theirs.chain(language.map(|path| (path, Scope::Generated))).collect();
        let mut places = Places { own: &own, trusted: settings.trusted, last, seen: HashSet::new(), files: Vec::new() };
        for dir in settings.directories(at) {
            places.gather(&mut chain, &dir, &settings.names)?;
        }
        let mut files = places.files;
        if let Some(root) = root.as_ref().filter(|_| settings.trusted) {
            files.push((root.join(".qwen/QWEN.local.md"), Scope::Local));
        }
        chain.search.expect(files.iter().map(|(path, _)| Ask::Content(path.clone())))?;
        let mut known = HashMap::new();
        for (path, scope) in files {
            add(&mut chain, &path, scope, settings.format, &mut known)?;
        }
        let root = root.unwrap_or_else(|| at.cwd.clone());
        let places = rules::places(&own, settings.trusted.then_some(&root), extensions.rules);
        rules::add(&mut chain, &root, places)?;
        let indexes = memory::indexes(&mut chain, &own, &root, &settings)?;
        let mut answer = chain.finish("\n\n");
        for message in answer.messages.iter_mut().filter(|message| message.trigger == Trigger::Read) {
            message.role = Role::Tool;
        }
        memory::add(indexes, &mut answer);
        if self.behavior == Behavior::NOW {
            agents::look(at, (&own, settings.trusted.then_some(root.as_path())), search, &mut answer)?;
        }
        Ok(answer)
    }
}

/// Returns the nearest directory with a `.git` that is a directory or a file, not a symlink.
fn project_root(chain: &mut Chain, from: &Path) -> Known<Option<PathBuf>> {
    chain.search.expect(from.ancestors().map(|dir| Ask::LinkKind(dir.join(".git"))))?;
    for dir in from.ancestors() {
        let found = chain.search.lstat(&dir.join(".git"), "the root is the nearest directory with `.git`")?;
        if found.is_ok_and(|meta| matches!(meta.kind, FileType::Dir | FileType::File)) {
            return Ok(Some(dir.to_owned()));
        }
    }
    Ok(None)
}

/// Paths of context files in order, without duplicates.
struct Places<'p> {
    own: &'p Path,
    /// True if files of the project are loaded.
    trusted: bool,
    /// Files at the end: those of extensions, and the language.
    last: Vec<(PathBuf, Scope)>,
    seen: HashSet<PathBuf>,
    files: Vec<(PathBuf, Scope)>,
}

impl Places<'_> {
    /// Collects, for each name, the global file and those from above the root down to `dir`.
    fn gather(&mut self, chain: &mut Chain, dir: &Path, names: &[String]) -> Known<()> {
        let home = chain.at.home.clone();
        let root = project_root(chain, dir)?;
        let stop = root.as_deref().unwrap_or(&home).parent().map(Path::to_owned);
        for name in names {
            let global = joined(self.own, name);
            self.push(global.clone(), Scope::User);
            if dir == home {
                self.push(joined(dir, name), Scope::Project);
                continue;
            }
            let mut dirs: Vec<&Path> = Vec::new();
            for above in dir.ancestors() {
                if above == self.own || above == home.join(".qwen") || above.parent().is_none() {
                    break;
                }
                dirs.push(above);
                if Some(above) == stop.as_deref() {
                    break;
                }
            }
            for above in dirs.into_iter().rev() {
                let path = joined(above, name);
                if path == global {
                    continue;
                }
                if self.trusted {
                    self.push(path, Scope::Project);
                } else if chain.search.is_file(&path, "asked only to explain: the folder is not trusted")? {
                    chain.say(&path, Load::start(Scope::Project, ""), Fate::Excluded, "the folder is not trusted");
                }
            }
        }
        for (path, scope) in self.last.clone() {
            self.push(path, scope);
        }
        Ok(())
    }

    fn push(&mut self, path: PathBuf, scope: Scope) {
        if self.seen.insert(path.clone()) {
            self.files.push((path, scope));
        }
    }
}

/// Adds a file with its imports. A path to a file that was already added is reported as shadowed.
fn add(
    chain: &mut Chain,
    path: &Path,
    scope: Scope,
    format: Format,
    known: &mut HashMap<PathBuf, PathBuf>,
) -> Known<()> {
    let load = Load::start(scope, "a context file of its directory");
    let Some(file) = chain.file(path, load)? else { return Ok(()) };
    let real = chain.search.real(path)?.unwrap_or_else(|_| path.to_owned());
    if let Some(other) = known.get(&real) {
        let source = Source::new(path, scope, Fate::Shadowed, format!("the same file as {}", other.display()));
        chain.answer.sources.push(Source { by: Some(other.clone()), ..source });
        return Ok(());
    }
    known.insert(real, path.to_owned());
    let place = chain.answer.sources.len();
    let text = imports::expand(chain, &file, format)?;
    let text = text.part(js_trim(&text));
    // A file's source precedes those of its imports.
    let below = chain.answer.sources.split_off(place);
    let shown = relative(&chain.at.cwd, path);
    let range = if text.is_empty() { 0..0 } else { file.js_trimmed() };
    let has_text = !text.is_empty();
    let head = format!("--- Context from: {shown} ---\n");
    let block = Text::framed(head, text, format!("\n--- End of Context from: {shown} ---"));
    if range.is_empty() && has_text {
        // The client writes a header and a footer even for a file without text.
        chain.line(block);
        chain.say(path, load, Fate::Empty, "only white space");
    } else {
        chain.give(&file, range, load, |_| block);
    }
    chain.answer.sources.extend(below);
    Ok(())
}

/// Returns the file with the language of answers. The client writes one of its own if it finds none.
fn language(chain: &mut Chain, own: &Path, settings: &Settings) -> Known<Option<PathBuf>> {
    let project = chain.at.cwd.join(".qwen/output-language.md");
    if chain.search.is_file(&project, "the language of answers")? {
        return Ok(Some(project));
    }
    let path = own.join("output-language.md");
    let text = chain.search.read(&path, "the language of answers")?;
    let text = text.map(|raw| raw.text().into_owned()).unwrap_or_default();
    let marked = text.split(LANGUAGE_MARK).nth(1).and_then(|rest| rest.split("-->").next()).map(str::trim);
    let is_auto = |language: &str| language.is_empty() || language.eq_ignore_ascii_case("auto");
    // The client rewrites a file of its own for one language into one for any language.
    let stays = match marked {
        None | Some("") => text.contains("CRITICAL:") && text.contains("Output Language Rule"),
        Some(language) if is_auto(language) || !is_auto(&settings.language) => true,
        Some(language) => !text.starts_with(&format!("# Output language preference: {language}\n")),
    };
    if stays {
        return Ok(Some(path));
    }
    let why = "Qwen Code rewrites this file when it starts, and sends it after the context files";
    chain.say(&path, Load::start(Scope::Generated, ""), Fate::Missing, why);
    chain.answer.files_only = Some(format!("{}: {why}", path.display()));
    chain.answer.warnings.push(Warning::at("generated", path, why));
    Ok(None)
}
