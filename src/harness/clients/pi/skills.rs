//! Skills of pi: folders with a SKILL.md, and single files, from the settings, the project and the user.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use ignore::gitignore::Gitignore;

use super::{Layout, Pi, Places, below_home, settings};
use crate::answer::{Answer, Certain, Fate, Role, Scope, Source, Trigger};
use crate::formats::{Node, Value, parse_npm_yaml};
use crate::glob;
use crate::harness::kit::heads;
use crate::harness::kit::skills::{FILE, Skill, element, first_of_each_name, is_on, list, read, xml};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, FileType};
use crate::text::js_trim;

const RULE: &str = "skills: folders with a SKILL.md";

/// Single files of a folder that also count as skills.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Files directly in the folder.
    Pi,
    /// Files in subfolders, since 0.84.3.
    Agents,
}

/// File that may be a skill, with its owner. `enabled` is false if the settings exclude it.
struct Entry {
    path: PathBuf,
    enabled: bool,
    scope: Scope,
}

/// Appends the list of skills to the answer.
pub(super) fn look(edition: &Pi, places: &Places, search: &mut Search, answer: &mut Answer) -> Known<()> {
    if places.at.flag("pi", "no-skills") {
        return Ok(());
    }
    let mut seen: HashSet<PathBuf> = HashSet::new();
    let mut skills: Vec<Skill> = Vec::new();
    let entries = entries(edition, places, search, answer)?;
    search.expect(entries.iter().map(|entry| Ask::Content(entry.path.clone())))?;
    for entry in entries {
        let real = search.real(&entry.path)?.unwrap_or_else(|_| entry.path.clone());
        if !seen.insert(real) || !entry.path.to_string_lossy().ends_with(".md") {
            continue;
        }
        let Some(mut skill) = skill(edition, &entry, search, answer)? else { continue };
        if !entry.enabled {
            skill.leave_out(Fate::Excluded, "the settings take it away");
        }
        skills.push(skill);
    }
    first_of_each_name(&mut skills);
    let message = answer.messages.len();
    let mut elements = Vec::new();
    for skill in skills.iter_mut().filter(|skill| skill.counts()) {
        // A hidden skill is removed only now, because it shadows others of its name.
        if skill.source.reason == HIDDEN {
            skill.leave_out(Fate::Excluded, HIDDEN);
            continue;
        }
        let text = element("  ", skill, &skill.path().to_string_lossy(), xml);
        skill.listed(&text, message);
        elements.push(text);
    }
    answer.sources.extend(skills.into_iter().map(|skill| skill.source));
    answer.messages.extend(list(Trigger::Session, Role::System, &elements));
    Ok(())
}

const HIDDEN: &str = "not listed: `disable-model-invocation` is set; the user can still call it";

/// Returns all files that may be skills, in order of precedence.
fn entries(edition: &Pi, places: &Places, search: &mut Search, answer: &mut Answer) -> Known<Vec<Entry>> {
    let project = settings::skills(&places.settings.project);
    let user = settings::skills(&places.settings.user);
    let mut entries = Vec::new();
    // In order: settings of the project, files of the project, settings of the user, files of the user.
    named(places, &project, (&places.project, Scope::Project), search, answer, &mut entries)?;
    if places.trusted {
        add(
            edition,
            (&places.project.join("skills"), Mode::Pi),
            (&project, &places.project, Scope::Project),
            search,
            answer,
            &mut entries,
        )?;
        for dir in above(places, search)? {
            let base = dir.parent().unwrap_or(&dir).to_owned();
            add(edition, (&dir, Mode::Agents), (&project, &base, Scope::Project), search, answer, &mut entries)?;
        }
    }
    named(places, &user, (&places.own, Scope::User), search, answer, &mut entries)?;
    add(
        edition,
        (&places.own.join("skills"), Mode::Pi),
        (&user, &places.own, Scope::User),
        search,
        answer,
        &mut entries,
    )?;
    let of_user = places.at.home.join(".agents");
    add(
        edition,
        (&of_user.join("skills"), Mode::Agents),
        (&user, &of_user, Scope::User),
        search,
        answer,
        &mut entries,
    )?;
    Ok(entries)
}

/// Returns the folders `.agents/skills` from the working directory up to the repository root.
fn above(places: &Places, search: &mut Search) -> Known<Vec<PathBuf>> {
    let cwd = &places.at.cwd;
    search.expect(cwd.ancestors().map(|dir| Ask::Kind(dir.join(".git"))))?;
    let mut dirs = Vec::new();
    for dir in cwd.ancestors() {
        dirs.push(dir.join(".agents/skills"));
        if search.stat(&dir.join(".git"), "the root of the repository ends the search")?.is_ok() {
            break;
        }
    }
    dirs.retain(|dir| *dir != places.at.home.join(".agents/skills"));
    Ok(dirs)
}

/// Adds the files and folders that the settings name.
fn named(
    places: &Places,
    entries: &[&str],
    (base, scope): (&Path, Scope),
    search: &mut Search,
    answer: &mut Answer,
    found: &mut Vec<Entry>,
) -> Known<()> {
    let is_pattern = |entry: &&&str| entry.starts_with(['!', '+', '-']) || entry.contains(['*', '?']);
    let patterns: Vec<&str> = entries.iter().filter(is_pattern).copied().collect();
    for entry in entries.iter().filter(|entry| !is_pattern(entry)) {
        let path = below_home(places.at, js_trim(entry), base);
        let files = match search.stat(&path, "`skills` in the settings")?.map(|meta| meta.kind) {
            Ok(FileType::File) => vec![path],
            Ok(FileType::Dir) => collect(&path, Mode::Pi, search)?,
            _ => Vec::new(),
        };
        let includes: Vec<&str> = patterns.iter().filter(|p| !p.starts_with(['!', '+', '-'])).copied().collect();
        for path in files {
            let included = includes.is_empty() || includes.iter().any(|pattern| matches(&path, pattern, base));
            let enabled = decide(&path, included, &patterns, base, answer);
            found.push(Entry { path, enabled, scope });
        }
    }
    Ok(())
}

/// Adds the files of a folder.
fn add(
    edition: &Pi,
    (dir, mode): (&Path, Mode),
    (patterns, base, scope): (&[&str], &Path, Scope),
    search: &mut Search,
    answer: &mut Answer,
    found: &mut Vec<Entry>,
) -> Known<()> {
    for path in collect(dir, mode, search)? {
        // Before 0.84.3, only folders with a SKILL.md counted there.
        if mode == Mode::Agents && edition.layout != Layout::Sections && path.file_name() != Some(FILE.as_ref()) {
            continue;
        }
        let enabled = decide(&path, true, patterns, base, answer);
        found.push(Entry { path, enabled, scope });
    }
    Ok(())
}

/// Returns true if the patterns keep a path: `!` excludes, `+` includes one path again, `-` excludes one path finally.
fn decide(path: &Path, included: bool, patterns: &[&str], base: &Path, answer: &mut Answer) -> bool {
    let of = |sign: char| patterns.iter().filter_map(move |pattern| pattern.strip_prefix(sign));
    if patterns.iter().any(|pattern| pattern.contains(['*', '?', '[', '{', '('])) {
        answer.doubt(
            &[Certain::Text],
            "patterns in `skills` of the settings are read by another library than the client's",
        );
    }
    let mut enabled = included && !of('!').any(|pattern| matches(path, pattern, base));
    enabled = enabled || of('+').any(|pattern| is_exactly(path, pattern, base));
    enabled && !of('-').any(|pattern| is_exactly(path, pattern, base))
}

/// Returns the paths that a pattern is matched against, each relative and as given: the file, and the folder of a
/// SKILL.md.
fn shapes(path: &Path, base: &Path) -> Vec<(PathBuf, PathBuf)> {
    let folder = (path.file_name() == Some(FILE.as_ref())).then(|| path.parent()).flatten();
    let shape = |path: &Path| (PathBuf::from(crate::snapshot::relative(base, path)), path.to_owned());
    std::iter::once(path).chain(folder).map(shape).collect()
}

fn matches(path: &Path, pattern: &str, base: &Path) -> bool {
    shapes(path, base).iter().any(|(relative, path)| {
        let name = Path::new(path.file_name().unwrap_or_default());
        [relative.as_path(), name, path].iter().any(|shape| glob::plain(pattern, false, shape))
    })
}

fn is_exactly(path: &Path, pattern: &str, base: &Path) -> bool {
    let pattern = Path::new(pattern.strip_prefix("./").unwrap_or(pattern));
    shapes(path, base).iter().any(|(relative, path)| relative == pattern || path == pattern)
}

/// Returns the files of a folder that may be skills, as the client walks: it does not descend below a SKILL.md, and
/// applies ignore files of git, rg and fd from their folder on.
fn collect(root: &Path, mode: Mode, search: &mut Search) -> Known<Vec<PathBuf>> {
    let mut walk = Walk { root, mode, lines: Vec::new(), rules: None, found: Vec::new(), above: Vec::new() };
    walk.enter(root, search)?;
    Ok(walk.found)
}

struct Walk<'r> {
    root: &'r Path,
    mode: Mode,
    /// Lines of ignore files, with the folder as prefix.
    lines: Vec<String>,
    /// Compiled rules, and the number of lines that they cover.
    rules: Option<(usize, Rc<Gitignore>)>,
    found: Vec<PathBuf>,
    /// Real paths of the folders on the way down.
    above: Vec<PathBuf>,
}

impl Walk<'_> {
    fn enter(&mut self, dir: &Path, search: &mut Search) -> Known<()> {
        let Ok(entries) = search.list(dir, RULE)? else { return Ok(()) };
        let real = search.real(dir)?.unwrap_or_else(|_| dir.to_owned());
        // A symlink to a folder above would only repeat files.
        if self.above.contains(&real) {
            return Ok(());
        }
        self.learn(dir, search)?;
        let ignored = self.rules();
        let mut names: Vec<(std::ffi::OsString, FileType)> = Vec::new();
        for entry in entries.iter() {
            let kind = match entry.kind {
                FileType::Link => search.glance(&dir.join(&entry.name))?.map_or(FileType::Link, |meta| meta.kind),
                kind => kind,
            };
            names.push((entry.name.clone(), kind));
        }
        names.sort_by(|(one, _), (other, _)| one.cmp(other));
        let leaves_out = |ignored: &Gitignore, path: &Path, is_dir: bool, root: &Path| {
            let inner = path.strip_prefix(root).unwrap_or(path);
            ignored.matched_path_or_any_parents(inner, is_dir).is_ignore()
        };
        let own = dir.join(FILE);
        if names.iter().any(|(name, kind)| name == FILE && *kind == FileType::File)
            && !leaves_out(&ignored, &own, false, self.root)
        {
            self.found.push(own);
            return Ok(());
        }
        self.above.push(real);
        for (name, kind) in names {
            let shown = name.to_string_lossy();
            if shown.starts_with('.') || shown == "node_modules" {
                continue;
            }
            let path = dir.join(&name);
            let counts = (dir == self.root) == (self.mode == Mode::Pi);
            match kind {
                FileType::File
                    if shown.ends_with(".md") && counts && !leaves_out(&self.rules(), &path, false, self.root) =>
                {
                    self.found.push(path);
                }
                FileType::Dir if !leaves_out(&self.rules(), &path, true, self.root) => self.enter(&path, search)?,
                _ => {}
            }
        }
        self.above.pop();
        Ok(())
    }

    /// Reads the ignore files of a folder.
    fn learn(&mut self, dir: &Path, search: &mut Search) -> Known<()> {
        let inner = dir.strip_prefix(self.root).unwrap_or(dir).to_string_lossy();
        let prefix = if inner.is_empty() { String::new() } else { format!("{inner}/") };
        let names = [".gitignore", ".ignore", ".fdignore"].map(|name| dir.join(name));
        search.expect(names.iter().cloned().map(Ask::Content))?;
        for name in names {
            let Ok(raw) = search.read(&name, "what of the skills is left out")? else { continue };
            self.lines
                .extend(raw.text().split('\n').filter_map(|line| with_prefix(line.trim_end_matches('\r'), &prefix)));
        }
        Ok(())
    }

    fn rules(&mut self) -> Rc<Gitignore> {
        if let Some((lines, rules)) = &self.rules
            && *lines == self.lines.len()
        {
            return rules.clone();
        }
        let rules = Rc::new(glob::gitignore("", self.lines.iter().map(String::as_str)));
        self.rules = Some((self.lines.len(), rules.clone()));
        rules
    }
}

fn with_prefix(line: &str, prefix: &str) -> Option<String> {
    let trimmed = js_trim(line);
    if trimmed.is_empty() || trimmed.starts_with('#') {
        return None;
    }
    let (sign, pattern) = match line.strip_prefix('!') {
        Some(rest) => ("!", rest),
        None => ("", line.strip_prefix("\\!").map_or(line, |rest| rest)),
    };
    Some(format!("{sign}{prefix}{}", pattern.strip_prefix('/').unwrap_or(pattern)))
}

/// Reads a file as a skill.
fn skill(edition: &Pi, entry: &Entry, search: &mut Search, answer: &mut Answer) -> Known<Option<Skill>> {
    let Some(file) = read(&entry.path, entry.scope, search, &mut answer.sources)? else { return Ok(None) };
    let declared = entry.path.file_name() == Some(FILE.as_ref());
    let text = match edition.layout {
        Layout::Sections => file.text.strip_prefix('\u{feff}').unwrap_or(&file.text),
        Layout::Headings | Layout::Tags => &file.text,
    };
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let head = match heads::pi(&text).map(parse_npm_yaml) {
        Some(Ok(head)) => Some(head),
        Some(Err(_)) => {
            answer.sources.extend(declared.then(|| file.refused("its head is not valid YAML")));
            return Ok(None);
        }
        None => None,
    };
    let value = |key: &str| head.as_ref().and_then(|head| head.get(key)).and_then(Node::as_text);
    let Some(description) = value("description").filter(|text| !js_trim(text).is_empty()).map(str::to_owned) else {
        answer.sources.extend(declared.then(|| file.refused("it has no description")));
        return Ok(None);
    };
    let folder = entry.path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
    let named = head.as_ref().and_then(|head| head.get("name")).map(|node| &node.value);
    if edition.layout == Layout::Headings && named.is_some_and(|name| !matches!(name, Value::Text(_) | Value::Null)) {
        answer.sources.push(file.refused("its name is not a text"));
        return Ok(None);
    }
    let name = value("name").filter(|name| !name.is_empty()).map_or(folder, str::to_owned);
    let hidden = head.as_ref().is_some_and(|head| is_on(head, "disable-model-invocation"));
    let mut skill = file.named(name, description);
    if hidden {
        skill.source = Source { reason: HIDDEN.to_owned(), ..skill.source };
    }
    Ok(Some(skill))
}
