//! OpenAI Codex CLI: one global file, then one file per directory from the project root down to the start directory,
//! sharing one budget of bytes.
//!
//! Checked on the real client 0.169.0 (`codex debug prompt-input`, `codex exec`), November 2026.

use std::path::{Path, PathBuf};

use crate::answer::{
    Answer, Fate, Limit, Message, MessageKind, Per, Refusal, Role, Scope, Source, Standpoint, Trigger, Unit, Warning,
};
use crate::harness::{About, Change, Details, Edition, Profile};
use crate::search::{Search, Told};
use crate::snapshot::{Ask, Errno, Kind, Unreadable, absolute};
use crate::text;

mod environment;
mod settings;
mod trust;

use settings::Settings;

/// The id, also the key of its options in requests.
const ID: &str = "codex";

/// The profile.
pub static PROFILE: Profile = Profile {
    id: ID,
    title: "Codex",
    summary: "AGENTS.override.md or AGENTS.md: one global file, then one per directory from the project root to the start directory",
    editions: &[&V0_169],
    instruction_names: &["AGENTS.override.md", "AGENTS.md"],
    settings_names: &[".codex/config.toml", ".codex/*.config.toml"],
};

/// An edition of Codex: what it does the same way throughout is code, what has differed is a field.
pub struct Codex {
    about: About,
    /// Longest project chain when `project_doc_max_bytes` is not set, in bytes.
    budget_bytes: usize,
    /// The names tried in each directory, before the configured fallbacks.
    names: &'static [&'static str],
    /// What stands between the global text and the first project file.
    project_separator: &'static str,
    /// What makes a directory the project root when `project_root_markers` is not set.
    root_markers: &'static [&'static str],
}

static V0_169: Codex = Codex {
    about: About {
        name: "0.169",
        checked: ("0.169.0", "0.169"),
        changed: &[
            Change { between: "0.155.0 → 0.160.1", what: "fallback names with `/` or `..` are rejected" },
            Change { between: "0.145.0 → 0.150.1", what: "explicitly untrusted projects lose their project files" },
            Change {
                between: "0.138.0 → 0.142.0",
                what: "no ` for DIR` in the header when only global text is sent; child_agents_md removed",
            },
            Change { between: "0.130.0 → 0.134.0", what: "a global file with invalid UTF-8 is read leniently" },
            Change { between: "0.117.0 → 0.120.0", what: "dangling links fall through to the next name" },
        ],
        details: Details {
            files: "AGENTS.override.md, else AGENTS.md, else project_doc_fallback_filenames: the first in each directory",
            triggers: "start of the session",
            place: "one user message, `# AGENTS.md instructions for DIR`, before the environment block",
            truncation: "32 768 bytes for the project chain, spent root first; cut at the end, no marker",
            nested: "never: only from the project root down to the working directory",
            global: "~/.codex/AGENTS.override.md, else AGENTS.md; not charged to the budget",
            urls: "no",
            globs: "no",
            sessions: "the same in all kinds",
            hooks: "none",
            persona: "none",
            dedupe: "none: a file reached twice is sent twice",
        },
    },
    budget_bytes: 32 * 1024,
    names: &["AGENTS.override.md", "AGENTS.md"],
    project_separator: "\n\n--- project-doc ---\n\n",
    root_markers: &[".git"],
};

impl Edition for Codex {
    fn about(&self) -> &About {
        &self.about
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Told<Answer> {
        let codex_home = match codex_home(at, search)? {
            Ok(home) => home,
            Err(refusal) => return Ok(refusal.into()),
        };
        let cwd = match at.option(ID, "cd") {
            Some("") => return Ok(Answer::refused(&at.cwd, "the value of --cd is empty; name a directory")),
            Some("~") => at.home.clone(),
            Some(dir) => absolute(
                dir.strip_prefix("~/").map_or(&at.cwd, |_| &at.home),
                Path::new(dir.strip_prefix("~/").unwrap_or(dir)),
            ),
            None => at.cwd.clone(),
        };
        let settings = match Settings::gather(self.root_markers, at, &cwd, &codex_home, search)? {
            Ok(settings) => settings,
            Err(refusal) => return Ok(refusal.into()),
        };
        let mut answer = Answer { root: settings.root.clone(), ..Answer::default() };
        answer.warnings.extend(settings.warnings.iter().cloned());
        let global = self.global_text(&codex_home, search, &mut answer)?;
        let docs = self.project_docs(&cwd, &settings, search, &mut answer)?;
        in_reading_order(&mut answer.sources);
        nothing_below(at, &cwd, search, &mut answer)?;
        self.compose(&cwd, &settings, global.as_deref(), &docs, &mut answer);
        settings.other_messages(at, &cwd, &mut answer);
        Ok(answer)
    }
}

/// `$CODEX_HOME`, which must exist and is made physical, else `~/.codex`.
fn codex_home(at: &Standpoint, search: &mut Search) -> Told<Result<PathBuf, Refusal>> {
    let rule = "the Codex home must be a directory";
    let Some(named) = search.env("CODEX_HOME").filter(|dir| !dir.is_empty()) else {
        let path = at.home.join(".codex");
        return Ok(match search.stat(&path, rule)? {
            Ok(meta) if meta.kind != Kind::Dir => {
                Err(Refusal::new(&path, format!("{} is not a directory", path.display())))
            }
            Ok(_) | Err(_) => Ok(path),
        });
    };
    let path = at.cwd.join(&named);
    Ok(match search.stat(&path, rule)? {
        Ok(meta) if meta.kind == Kind::Dir => Ok(search.real(&path)?.unwrap_or(path)),
        Ok(_) => Err(Refusal::new(path, format!("CODEX_HOME points to {named:?}, but that path is not a directory"))),
        Err(_) => Err(Refusal::new(
            path,
            format!("CODEX_HOME points to {named:?}, but that path does not exist; create it or unset CODEX_HOME"),
        )),
    })
}

/// A project file that was picked and read.
struct Doc(String);

impl Codex {
    /// The first global file with text in it. It is not charged to the budget.
    fn global_text(&self, codex_home: &Path, search: &mut Search, answer: &mut Answer) -> Told<Option<String>> {
        let paths: Vec<_> = self.names.iter().map(|name| codex_home.join(name)).collect();
        search.expect(paths.iter().cloned().map(Ask::Kind))?;
        let mut taken: Option<(String, PathBuf)> = None;
        for path in paths {
            let rule = "global: the first of override and AGENTS.md that has text";
            let Ok(meta) = search.stat(&path, rule)? else { continue };
            if meta.kind != Kind::File {
                answer.sources.push(Source::new(
                    path,
                    Scope::User,
                    Fate::Unreadable,
                    format!("a {}, not a file: the next name is tried", meta.kind.word()),
                ));
                continue;
            }
            if let Some((_, winner)) = &taken {
                let reason = format!("{} has text, and only the first global file with text is read", winner.display());
                answer.sources.push(Source {
                    by: Some(winner.clone()),
                    ..Source::new(path, Scope::User, Fate::Shadowed, reason)
                });
                continue;
            }
            let raw = match search.read(&path, rule)? {
                Ok(raw) => raw,
                Err(problem) => {
                    unreadable_cap(&problem, &path, answer);
                    answer.warnings.push(Warning::at(
                        "unreadable",
                        &path,
                        format!("Failed to read global AGENTS.md instructions from `{}`: {problem}", path.display()),
                    ));
                    answer.sources.push(Source::new(
                        path,
                        Scope::User,
                        Fate::Unreadable,
                        format!("{problem}: the next name is tried"),
                    ));
                    continue;
                }
            };
            let decoded = text::lossy(&raw);
            let trimmed = decoded.trim();
            let size = Some(text::size_of(&raw));
            if trimmed.is_empty() {
                answer.sources.push(Source {
                    size,
                    ..Source::new(path, Scope::User, Fate::Empty, "only white space: the next name is tried")
                });
                continue;
            }
            let start = decoded.len() - decoded.trim_start().len();
            let kept = text::raw_ranges(&raw, std::slice::from_ref(&(start..start + trimmed.len())));
            answer.sources.push(Source {
                kept,
                size,
                message: Some(0),
                part: Some(0),
                ..Source::new(
                    &path,
                    Scope::User,
                    Fate::Loaded,
                    "the first global file with text; trimmed, outside the budget",
                )
            });
            taken = Some((trimmed.to_owned(), path));
        }
        Ok(taken.map(|(text, _)| text))
    }

    /// The project files, root first, cut to the shared budget.
    fn project_docs(
        &self,
        cwd: &Path,
        settings: &Settings,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Told<Vec<Doc>> {
        let dirs = directories(cwd, settings.root.as_deref());
        if let Some(reason) = settings.no_project_docs() {
            for dir in &dirs {
                for name in self.names {
                    let path = dir.join(name);
                    if search
                        .stat(&path, "not read: project files are switched off")?
                        .is_ok_and(|meta| meta.kind == Kind::File)
                    {
                        answer.sources.push(Source::new(path, Scope::Project, Fate::Excluded, reason.clone()));
                    }
                }
            }
            return Ok(Vec::new());
        }
        let names: Vec<&str> =
            self.names.iter().copied().chain(settings.fallbacks.iter().map(String::as_str)).collect();
        search.expect(dirs.iter().flat_map(|dir| names.iter().map(|name| Ask::Kind(dir.join(name)))))?;
        let picked = match self.pick(&dirs, &names, settings, search, answer)? {
            Ok(picked) => picked,
            Err(problem) => return Ok(drop_all(answer, &problem)),
        };
        self.spend(&picked, settings, search, answer)
    }

    /// One file per directory, chosen by `stat` before anything is read.
    fn pick(
        &self,
        dirs: &[PathBuf],
        names: &[&str],
        settings: &Settings,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Told<Result<Vec<PathBuf>, Problem>> {
        let mut picked = Vec::new();
        let mut problem = None;
        for dir in dirs {
            let mut winner: Option<PathBuf> = None;
            for name in names {
                let path = dir.join(name);
                let scope = if self.names.contains(name) { Scope::Project } else { Scope::Config };
                if let Some(winner) = &winner {
                    let found =
                        search.stat(&path, "Codex stops at the first name; asked to explain what is shadowed")?;
                    if found.is_ok_and(|meta| meta.kind == Kind::File) && !same_name(answer, &path) {
                        let reason = format!("{} stands before it in the same directory", file_name(winner));
                        answer.sources.push(Source {
                            by: Some(winner.clone()),
                            ..Source::new(path, scope, Fate::Shadowed, reason)
                        });
                    }
                    continue;
                }
                match search.stat(
                    &path,
                    format!("{}: the first regular file of {}", place_of(dir, settings), names.join(", ")),
                )? {
                    Ok(meta) if meta.kind == Kind::File => winner = Some(path),
                    Ok(meta) => answer.sources.push(Source::new(
                        path,
                        scope,
                        Fate::Unreadable,
                        format!("a {}, not a file: the next name is tried", meta.kind.word()),
                    )),
                    Err(Errno::NOENT) => {}
                    Err(errno) if problem.is_none() => {
                        problem = Some(Problem { path, what: format!("{}: {}", errno.name(), errno.text()) });
                    }
                    Err(_) => {}
                }
                // Codex stops at the first error; what it would have picked later is only explained.
            }
            picked.extend(winner);
        }
        Ok(match problem {
            Some(problem) => {
                for path in picked {
                    let reason = format!(
                        "{} cannot be examined ({}), and any such error drops all project files",
                        problem.path.display(),
                        problem.what
                    );
                    answer.sources.push(Source {
                        by: Some(problem.path.clone()),
                        ..Source::new(path, Scope::Project, Fate::Dropped, reason)
                    });
                }
                Err(problem)
            }
            None => Ok(picked),
        })
    }

    /// Reads the picked files, root first, until the budget is spent.
    fn spend(
        &self,
        picked: &[PathBuf],
        settings: &Settings,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Told<Vec<Doc>> {
        let budget = settings.budget.unwrap_or(self.budget_bytes);
        let limit =
            Some(Limit { value: budget, unit: Unit::Bytes, per: Per::Chain, from: settings.budget_from.clone() });
        let first_source = answer.sources.len();
        let first_warning = answer.warnings.len();
        search.expect(picked.iter().cloned().map(Ask::Content))?;
        let mut remaining = budget;
        let mut docs: Vec<Doc> = Vec::new();
        let mut skipped = false;
        for path in picked {
            let source = Source { limit: limit.clone(), ..Source::new(path, Scope::Project, Fate::Dropped, "") };
            if remaining == 0 {
                let size =
                    search.read(path, "the budget is spent: not read by Codex")?.ok().map(|raw| text::size_of(&raw));
                answer.sources.push(Source { size, reason: format!("the {budget} B budget is spent"), ..source });
                if !std::mem::replace(&mut skipped, true) {
                    answer.warnings.push(Warning::at("over-budget", path, skipped_warning(path, budget)));
                }
                continue;
            }
            let raw = match search.read(path, "root first, until the budget is spent")? {
                Ok(raw) => raw,
                Err(Unreadable::Errno(Errno::NOENT)) => continue,
                Err(problem @ Unreadable::TooLarge(_)) => {
                    unreadable_cap(&problem, path, answer);
                    let reason = format!("{problem}; it would take the rest of the {budget} B budget");
                    answer.sources.push(Source { fate: Fate::Unreadable, reason, ..source });
                    remaining = 0;
                    continue;
                }
                Err(what) => {
                    answer.sources.push(Source {
                        fate: Fate::Unreadable,
                        reason: format!("{what}: any such error drops all project files"),
                        ..source
                    });
                    return Ok(take_back(answer, first_source, first_warning, path));
                }
            };
            let cut = raw.len().min(remaining);
            if cut < raw.len() {
                answer.warnings.push(Warning::at(
                    "over-budget",
                    path,
                    loaded_only_warning(path, cut, raw.len(), budget),
                ));
            }
            let text = text::lossy(&raw[..cut]).into_owned();
            let size = Some(text::size_of(&raw));
            if text.trim().is_empty() {
                let reason = if cut < raw.len() {
                    format!("the {cut} B that the budget leaves are only white space; nothing is charged")
                } else {
                    "empty or only white space; it still hides the other names of its directory".to_owned()
                };
                let fate = if cut < raw.len() { Fate::Dropped } else { Fate::Empty };
                answer.sources.push(Source { fate, reason, size, ..source });
                continue;
            }
            let (fate, reason) = if cut < raw.len() {
                (
                    Fate::Truncated,
                    format!("the {budget} B project budget ends inside this file: {cut} of {} B are kept", raw.len()),
                )
            } else {
                (Fate::Loaded, "the first name that exists in its directory".to_owned())
            };
            docs.push(Doc(text));
            answer.sources.push(Source {
                fate,
                reason,
                size,
                kept: std::iter::once(0..cut).collect(),
                message: Some(0),
                part: Some(0),
                ..source
            });
            remaining -= cut;
        }
        Ok(docs)
    }

    fn compose(&self, cwd: &Path, settings: &Settings, global: Option<&str>, docs: &[Doc], answer: &mut Answer) {
        if global.is_none() && docs.is_empty() {
            return;
        }
        let mut body = global.unwrap_or_default().to_owned();
        if global.is_some() && !docs.is_empty() {
            body.push_str(self.project_separator);
        }
        let texts: Vec<&str> = docs.iter().map(|Doc(text)| text.as_str()).collect();
        body.push_str(&texts.join("\n\n"));
        let place = if docs.is_empty() { String::new() } else { format!(" for {}", cwd.to_string_lossy()) };
        let budget = settings.budget.unwrap_or(self.budget_bytes);
        if budget > 0 && body.len() > budget {
            answer.warnings.push(Warning::general("over-budget", combined_warning(body.len(), budget)));
        }
        let text = format!("# AGENTS.md instructions{place}\n\n<INSTRUCTIONS>\n{body}\n</INSTRUCTIONS>");
        answer.messages.push(Message::instructions(Trigger::Session, Role::User, text));
    }
}

/// Global files first, then directory by directory from the root; what was taken there before what it hides.
fn in_reading_order(sources: &mut [Source]) {
    sources.sort_by_key(|source| {
        let depth = source.path().map_or(0, |path| path.components().count());
        (
            source.scope != Scope::User,
            if source.scope == Scope::User { 0 } else { depth },
            source.fate == Fate::Shadowed,
        )
    });
}

/// What keeps all project files out.
struct Problem {
    path: PathBuf,
    what: String,
}

fn drop_all(answer: &mut Answer, problem: &Problem) -> Vec<Doc> {
    let reason = format!("{}: any error but \"not found\" drops all project files of the session", problem.what);
    answer.sources.push(Source::new(&problem.path, Scope::Project, Fate::Unreadable, reason.clone()));
    answer.warnings.push(Warning::at(
        "unreadable",
        &problem.path,
        format!("error trying to find AGENTS.md docs: {}", problem.what),
    ));
    Vec::new()
}

/// A file that cannot be read takes everything back that was read before it.
fn take_back(answer: &mut Answer, first_source: usize, first_warning: usize, by: &Path) -> Vec<Doc> {
    let last = answer.sources.len() - 1;
    for source in &mut answer.sources[first_source..last] {
        source.fate = Fate::Dropped;
        source.reason = format!("{} cannot be read, and any such error drops all project files", by.display());
        source.by = Some(by.to_owned());
        source.kept.clear();
        (source.message, source.part) = (None, None);
    }
    answer.warnings.truncate(first_warning);
    answer.warnings.push(Warning::at(
        "unreadable",
        by,
        "error trying to find AGENTS.md docs; all project files are dropped",
    ));
    Vec::new()
}

/// Above Briefing's own cap the real client would go on, so the answer cannot be exact.
fn unreadable_cap(problem: &Unreadable, path: &Path, answer: &mut Answer) {
    if let Unreadable::TooLarge(_) = problem {
        answer.files_only = Some(format!("{} is larger than Briefing reads", path.display()));
    }
}

/// From the project root down to `cwd`; only `cwd` without a root.
fn directories(cwd: &Path, root: Option<&Path>) -> Vec<PathBuf> {
    let Some(root) = root else { return vec![cwd.to_owned()] };
    let mut dirs: Vec<_> = cwd.ancestors().take_while(|dir| dir.starts_with(root)).map(Path::to_owned).collect();
    dirs.reverse();
    dirs
}

/// Says of the directories between the start directory and the target that they are never read.
fn nothing_below(at: &Standpoint, cwd: &Path, search: &mut Search, answer: &mut Answer) -> Told<()> {
    let Some(below) = at.target.as_deref().and_then(Path::parent).filter(|dir| dir.starts_with(cwd) && *dir != cwd)
    else {
        return Ok(());
    };
    let mut dirs: Vec<_> = below.ancestors().take_while(|dir| *dir != cwd).collect();
    dirs.reverse();
    for dir in dirs {
        for name in V0_169.names {
            let path = dir.join(name);
            search.never(&path, "below the start directory nothing is read, not even when the agent works there");
            if search
                .stat(&path, "asked only to explain: Codex never looks here")?
                .is_ok_and(|meta| meta.kind == Kind::File)
            {
                let reason = format!(
                    "below the start directory {}; start Codex in {} to have it read",
                    cwd.display(),
                    dir.display()
                );
                answer.sources.push(Source::new(path, Scope::Nested, Fate::Dropped, reason));
            }
        }
    }
    Ok(())
}

fn place_of(dir: &Path, settings: &Settings) -> &'static str {
    match &settings.root {
        Some(root) if root == dir => "project root",
        Some(_) => "below the project root",
        None => "no project root, so only the start directory",
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn same_name(answer: &Answer, path: &Path) -> bool {
    answer.sources.iter().any(|source| source.path() == Some(path))
}

/// The text that `codex exec` 0.169.0 prints for a file that the budget cuts.
fn loaded_only_warning(path: &Path, cut: usize, len: usize, budget: usize) -> String {
    format!(
        "Loaded only {cut} of {len} bytes from `{}` in environment `local` under the {budget}-byte project instruction budget. {TRIM_ADVICE}",
        path.display()
    )
}

/// The text that `codex exec` 0.169.0 prints for the first file behind the end of the budget.
fn skipped_warning(path: &Path, budget: usize) -> String {
    format!(
        "Skipped project instructions in environment `local` starting at `{}` because the {budget}-byte budget was exhausted. {TRIM_ADVICE}",
        path.display()
    )
}

const TRIM_ADVICE: &str =
    "Trim your project instructions to fit the budget. If you need to keep them all, increase `project_doc_max_bytes`.";

/// The text that `codex exec` 0.169.0 prints when everything together is longer than the limit for project files.
fn combined_warning(len: usize, budget: usize) -> String {
    format!(
        "Combined user instructions use {len} bytes, above the {budget}-byte `project_doc_max_bytes` setting. The total includes global and thread instructions. The limit applies only to project files."
    )
}

impl Settings {
    /// The messages beside the instructions: developer instructions and the environment block.
    fn other_messages(&self, at: &Standpoint, cwd: &Path, answer: &mut Answer) {
        if let Some(text) = self.developer_instructions.as_deref().filter(|text| !text.is_empty()) {
            let message = Message::instructions(Trigger::Session, Role::Developer, text.to_owned());
            answer.messages.insert(0, Message { kind: MessageKind::Developer, ..message });
            for source in &mut answer.sources {
                source.message = source.message.map(|message| message + 1);
            }
        }
        if let Some(text) = environment::block(self, at, cwd) {
            let message = Message::instructions(Trigger::Session, Role::User, text);
            answer.messages.push(Message { kind: MessageKind::Environment, ..message });
        }
    }
}
