//! Reading a file adds the context files above it that the session has not loaded yet.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::paths::{resolved, within};
use super::settings::Settings;
use super::{Files, Tier, Walk};
use crate::answer::{Answer, Certain, Message, Role, Scope, Standpoint, Tool, Trigger};
use crate::glob::NpmIgnore;
use crate::search::{Known, Search};
use crate::snapshot::FileType;

/// Maximum size of a file that the read tool accepts, in bytes (Gemini CLI 0.61, `MAX_FILE_SIZE_MB`).
const READ_LIMIT_BYTES: u64 = 20 * 1024 * 1024;

/// Adds the message that comes with the result of reaching the target.
pub(super) fn look(
    target: &Path,
    at: &Standpoint,
    walk: &Walk,
    settings: &Settings,
    mut seen: HashSet<(u64, u64)>,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<()> {
    let Some(real) = resolved(target, search)? else { return Ok(()) };
    let Some(root) = deepest(&walk.workspaces, &real) else {
        search.never(&real, "a file outside the workspace cannot be reached");
        return Ok(());
    };
    if !can_be_reached(target, &real, at, walk, settings, search, answer)? {
        return Ok(());
    }
    for file in &at.already_loaded {
        if let Ok(meta) = search.stat(file, "loaded earlier in this session")? {
            seen.insert(meta.identity);
        }
    }
    let ceiling = super::workspaces::boundary(root, &settings.markers, "where the walk upwards ends", search)?;
    let ceiling = ceiling.unwrap_or_else(|| root.to_owned());
    let start = real.parent().unwrap_or(&real);
    let paths = walk.upwards(start, &ceiling, search)?;
    // Context for a mention is in the user's message, all other in the result of a tool.
    let (trigger, role) =
        if at.tool == Tool::Mention { (Trigger::Attach, Role::User) } else { (Trigger::Read, Role::Tool) };
    let files = Files { trigger, ..Files::at_start(Scope::Nested, Tier::Read, paths) };
    let text = super::load(&[files], super::settings::Format::Tree, settings.bounds(), &mut seen, search, answer)?
        .pop()
        .unwrap_or_default();
    if !text.is_empty() {
        let text = format!("--- Newly Discovered Project Context ---\n{text}\n--- End Project Context ---");
        answer.messages.push(Message::instructions(trigger, role, text));
    }
    Ok(())
}

/// Returns true if the tool succeeds. Otherwise nothing is added.
fn can_be_reached(
    target: &Path,
    real: &Path,
    at: &Standpoint,
    walk: &Walk,
    settings: &Settings,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<bool> {
    let found = search.stat(real, "the tool must succeed, or nothing is added")?;
    let is_folder = found.is_ok_and(|meta| meta.kind == FileType::Dir);
    let reaches = match at.tool {
        Tool::Write => !is_folder,
        Tool::Edit => found.is_ok() && !is_folder,
        Tool::Read | Tool::Shell | Tool::Mention => {
            found.is_ok_and(|meta| meta.kind != FileType::Dir && meta.len <= READ_LIMIT_BYTES)
        }
    };
    if at.tool == Tool::Mention && is_folder {
        let reason = format!("{}: a folder that is mentioned brings what lies above each file in it", real.display());
        answer.doubt(&[Certain::Set], reason);
    }
    if !reaches {
        return Ok(false);
    }
    let inside = |workspace: &PathBuf| real.strip_prefix(workspace).is_ok_and(is_blocked);
    if walk.workspaces.iter().find(|workspace| within(workspace, real)).is_some_and(inside) {
        search.never(real, "Gemini CLI touches nothing in .git, .env and node_modules");
        return Ok(false);
    }
    // Tools that write do not read ignore files.
    let asks = !matches!(at.tool, Tool::Edit | Tool::Write);
    if asks && (ignored(target, at, settings, search)? || ignored(real, at, settings, search)?) {
        search.never(real, "an ignored file cannot be read");
        return Ok(false);
    }
    Ok(true)
}

/// Returns the longest workspace directory that contains the path.
fn deepest<'a>(workspaces: &'a [PathBuf], path: &Path) -> Option<&'a Path> {
    let holding = workspaces.iter().filter(|workspace| within(workspace, path));
    // Of equal lengths the first counts, so the order is reversed for `max_by_key`.
    holding.rev().max_by_key(|workspace| workspace.as_os_str().len()).map(PathBuf::as_path)
}

/// Returns true if a path below the workspace contains a folder or file that the client hides from the model.
fn is_blocked(path: &Path) -> bool {
    let short = |name: &str, stem: &str, hash: &str, ending: &[&str]| {
        let tail = name.strip_prefix(stem).or_else(|| {
            let tail = name.strip_prefix(hash)?;
            let digits = tail.get(..4).is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
            digits.then(|| &tail[4..])
        });
        let tail = tail.and_then(|tail| tail.strip_prefix('~'));
        tail.is_some_and(|tail| {
            let digits = tail.trim_start_matches(|c: char| c.is_ascii_digit());
            digits.len() < tail.len() && ending.contains(&digits)
        })
    };
    path.to_string_lossy().split(['/', '\\']).any(|segment| {
        let name = segment.split(':').next().unwrap_or_default().trim_end_matches([' ', '.']).to_lowercase();
        matches!(name.as_str(), ".git" | ".env" | "node_modules")
            || short(&name, "git", "gi", &[""])
            || short(&name, "env", "en", &[""])
            || short(&name, "node_m", "no", &[""])
            || short(&name, "gha-cr", "gh", &[".jso", ".json"])
            || (name.starts_with("gha-creds-") && name.ends_with(".json"))
    })
}

/// Returns true if `.gitignore` (in a repository) or `.geminiignore` hides the file from the read tool.
fn ignored(file: &Path, at: &Standpoint, settings: &Settings, search: &mut Search) -> Known<bool> {
    let Ok(relative) = file.strip_prefix(&at.cwd) else { return Ok(false) };
    let filtering = |key: &str| settings.flag(&["context", "fileFiltering", key], true);
    let (by_git, by_gemini) = (filtering("respectGitIgnore"), filtering("respectGeminiIgnore"));
    let custom = settings.texts(&["context", "fileFiltering", "customIgnoreFilePaths"]);
    let mut own = Vec::new();
    if by_gemini {
        own.extend(patterns(&at.cwd.join(".geminiignore"), search)?);
    }
    for name in custom.iter().rev() {
        own.extend(patterns(&at.cwd.join(name.trim_start_matches('/')), search)?);
    }
    let own: Vec<String> = own.into_iter().map(|line| line.trim().to_owned()).collect();
    let mut lines = Vec::new();
    if by_git && in_repository(&at.cwd, search)? {
        lines.push(".git".to_owned());
        let exclude = patterns(&at.cwd.join(".git/info/exclude"), search)?;
        lines.extend(exclude.iter().filter_map(|line| placed(line, "")));
        let parents: Vec<&Path> = relative.ancestors().skip(1).collect();
        for dir in parents.into_iter().rev() {
            let with_own: Vec<String> = lines.iter().chain(&own).cloned().collect();
            if dir != Path::new("") && holds(&with_own, dir, true) {
                break;
            }
            let found = patterns(&at.cwd.join(dir).join(".gitignore"), search)?;
            lines.extend(found.iter().filter_map(|line| placed(line, &dir.to_string_lossy())));
        }
    }
    lines.extend(own);
    Ok(holds(&lines, relative, false))
}

fn in_repository(cwd: &Path, search: &mut Search) -> Known<bool> {
    for dir in cwd.ancestors() {
        if search.stat(&dir.join(".git"), "git's ignore rules count in a repository only")?.is_ok() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the lines of an ignore file that are patterns.
fn patterns(file: &Path, search: &mut Search) -> Known<Vec<String>> {
    let Ok(raw) = search.read(file, "what the read tool ignores")? else { return Ok(Vec::new()) };
    let text = raw.text().replace("\r\n", "\n").replace('\r', "\n");
    Ok(text
        .lines()
        .map(str::trim_start)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect())
}

/// Converts a pattern of an ignore file in `dir` to a pattern of the workspace.
fn placed(line: &str, dir: &str) -> Option<String> {
    let (not, line) = line.strip_prefix('!').map_or(("", line), |rest| ("!", rest));
    let (anchor, line) = line.strip_prefix('/').map_or(("", line), |rest| ("/", rest));
    if line.is_empty() {
        return None;
    }
    if dir.is_empty() {
        return Some(format!("{not}{anchor}{line}"));
    }
    let anywhere = if anchor.is_empty() && !line.contains('/') { "**/" } else { "" };
    Some(format!("{not}/{dir}/{anywhere}{line}"))
}

fn holds(lines: &[String], relative: &Path, is_dir: bool) -> bool {
    let slash = if is_dir { "/" } else { "" };
    NpmIgnore::new(lines.iter().map(String::as_str)).ignores(&format!("{}{slash}", relative.display())) == Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocked_names_have_short_forms() {
        for (path, blocked) in [
            ("a/.git/x", true),
            ("a/.GIT . /x", true),
            ("git~1", true),
            ("gi12ab~2/x", true),
            ("git~x", false),
            ("node_modules", true),
            (".env", true),
            (".env.local", false),
            ("gha-creds-1.json", true),
            ("a/b", false),
        ] {
            assert_eq!(is_blocked(Path::new(path)), blocked, "{path}");
        }
    }
}
