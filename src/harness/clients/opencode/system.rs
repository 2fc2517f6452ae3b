//! The files of the system prompt: the global file, one file name in all directories upwards, and the files that
//! `instructions` names.

use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::path::{Path, PathBuf};

use super::brand::OwnTexts;
use super::config::Config;
use super::flags::Flags;
use super::kilo::RULES;
use super::places::{Owner, Places, exists};
use super::rules::{ClaudeFlag, ConfigDir, FindError, GlobalOrder, Globs};
use super::variables::{Context, Rights, Target, is_outside, substitute};
use super::{Entry, OpenCode};
use crate::answer::{Answer, Certain, Fate, Place, Scope, Source, Text};
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Ask, Errno, FileType, Remote, Unreadable, absolute};
use crate::text::Size;

/// Files loaded into the system prompt.
pub(super) struct Loaded {
    /// Entries with text, in order.
    pub entries: Vec<Entry>,
    /// Every path of the prompt, including files without text: a read does not inject them again.
    pub paths: HashSet<PathBuf>,
}

/// A path that was picked, with the scope and the reason for its source.
struct Pick {
    path: PathBuf,
    owner: Owner,
    scope: Scope,
    reason: String,
}

/// Finds the files and reads them.
pub(super) fn look(
    edition: &OpenCode,
    flags: &Flags,
    places: &Places,
    config: &Config,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<Loaded> {
    let mut picks = Vec::new();
    let global = global(edition, flags, places, search, answer)?;
    if edition.global == GlobalOrder::First {
        picks.extend(global);
        project(edition, flags, places, &mut picks, search, answer)?;
    } else {
        project(edition, flags, places, &mut picks, search, answer)?;
        picks.extend(global);
    }
    configured(edition, flags, places, config, &mut picks, search, answer)?;
    let mut loaded = Loaded { entries: Vec::new(), paths: HashSet::new() };
    share_owners(&mut picks);
    picks.retain(|pick| loaded.paths.insert(pick.path.clone()));
    // Loaded files come first. A path recorded as shadowed may be loaded by another rule.
    let mut others = std::mem::take(&mut answer.sources);
    others.retain(|source| source.path().is_none_or(|path| !loaded.paths.contains(path)));
    search.expect(picks.iter().map(|pick| Ask::Content(pick.path.clone())))?;
    for pick in picks {
        let (mut text, source) = read(
            edition,
            (&pick.path, places.rights(edition, pick.owner)),
            (pick.scope, pick.reason),
            places,
            search,
            answer,
        )?;
        if let Some(rewritten) = config.rewritten.get(&pick.path) {
            text = Some(entry(pick.path.display(), rewritten.as_str()));
            let written = format!("; {} first writes its `$schema` into it", edition.brand.title);
            answer.sources[source].reason.push_str(&written);
            if edition.brand.own_texts == OwnTexts::Named {
                let message = format!("how {} writes settings is not known", edition.brand.title);
                answer.doubt(&[Certain::Text], message);
            }
        }
        if let Some(text) = text {
            loaded.entries.push(Entry { text, source });
        }
    }
    urls(config, &mut loaded.entries, search, answer)?;
    answer.sources.append(&mut others);
    Ok(loaded)
}

/// Makes a file that was picked several times the user's, if one of the picks was the user's.
fn share_owners(picks: &mut [Pick]) {
    let mut owners: HashMap<PathBuf, Owner> = HashMap::new();
    for pick in picks.iter() {
        let owner = owners.entry(pick.path.clone()).or_insert(pick.owner);
        *owner = if *owner == Owner::User { Owner::User } else { pick.owner };
    }
    for pick in picks {
        pick.owner = owners.get(&pick.path).copied().unwrap_or(pick.owner);
    }
}

/// Reads a picked file; returns its entry, if it has any text, and the index of its source.
pub(super) fn read(
    edition: &OpenCode,
    (path, rights): (&Path, Rights),
    (scope, reason): (Scope, String),
    places: &Places,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<(Option<Text>, usize)> {
    let mut text = None;
    let source = match search.read(path, "its text; what cannot be read adds none")? {
        Ok(raw) => {
            let content = edition.decoding.decode(&raw);
            let filled = filled_in(edition, path, &content, rights, places, search)?;
            if let Err(problem) = filled {
                let reason = format!("{problem}: {} leaves the whole file out", edition.brand.title);
                Source { size: Some(raw.size()), ..Source::new(path, scope, Fate::Excluded, reason) }
            } else if let Ok(Some(filled)) = filled {
                let fate = if filled.is_empty() { Fate::Empty } else { Fate::Loaded };
                text = (fate == Fate::Loaded).then(|| entry(path.display(), filled.as_str()));
                let sent = text.as_ref().map(|_| Size::of(&filled));
                let reason = format!("{reason}; references in it are filled in");
                Source { size: Some(raw.size()), sent, ..Source::new(path, scope, fate, reason) }
            } else if content.is_empty() {
                let reason = "empty: it adds no text, but counts as found".to_owned();
                Source { size: Some(raw.size()), ..Source::new(path, scope, Fate::Empty, reason) }
            } else {
                text = Some(entry(path.display(), Text::of(&raw, &content)));
                Source::whole(path, scope, raw.size(), reason)
            }
        }
        Err(problem) => {
            let reason = match problem {
                Unreadable::Not(FileType::Fifo) => format!("a FIFO: {} waits for it forever", edition.brand.title),
                Unreadable::Not(FileType::Dir) => "a directory: it adds no text, but counts as found".to_owned(),
                Unreadable::TooLarge(_) => {
                    answer.files_only = Some(format!("{} is larger than Briefing reads", path.display()));
                    problem.to_string()
                }
                other => format!("{other}: it adds no text, but counts as found"),
            };
            Source::new(path, scope, Fate::Unreadable, reason)
        }
    };
    answer.sources.push(source);
    Ok((text, answer.sources.len() - 1))
}

/// Returns the replacement for a file's text, if it has references that are filled in; fails with the reason why it is
/// not sent.
pub(super) fn filled_in(
    edition: &OpenCode,
    path: &Path,
    content: &str,
    rights: Rights,
    places: &Places,
    search: &mut Search,
) -> Known<Result<Option<String>, String>> {
    let outside = match rights {
        Rights::Within(top) if is_outside(path, top, search)? => Some(top),
        Rights::Within(_) | Rights::User | Rights::All => None,
    };
    let has_references = rights != Rights::All && (content.contains("{env:") || content.contains("{file:"));
    let dir = path.parent().unwrap_or(Path::new("/"));
    let variables = HashMap::new();
    let context = Context { dir, home: &places.real_home, variables: &variables, rights, target: Target::Markdown };
    Ok(match outside {
        Some(top) => Err(format!("it really lies outside of {}", top.display())),
        None if has_references => substitute(edition, content, &context, search)?.map(|filled| Some(filled.text)),
        None => Ok(None),
    })
}

/// Frames a text with its origin.
fn entry(from: impl Display, text: impl Into<Text>) -> Text {
    Text::framed(format!("Instructions from: {from}\n"), text, "")
}

/// Returns the first global file that exists.
fn global(
    edition: &OpenCode,
    flags: &Flags,
    places: &Places,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<Option<Pick>> {
    let own = places.xdg.join("AGENTS.md");
    let claude = places.instructions_home.join(".claude/CLAUDE.md");
    let mut candidates = vec![places.global(edition).join("AGENTS.md")];
    if let (Some(dir), ConfigDir::TriedFirst) = (places.named_config_dir(), edition.config_dir) {
        candidates.insert(0, dir.join("AGENTS.md"));
    }
    candidates.push(claude.clone());
    let mut winner: Option<PathBuf> = None;
    for path in candidates {
        if !exists(edition, &path, "global: the first that exists", search)? {
            continue;
        }
        if path == claude && flags.no_claude {
            let reason = "Claude files are switched off by the environment";
            answer.sources.push(Source::new(path, Scope::User, Fate::Excluded, reason));
        } else if let Some(winner) = &winner {
            let reason = format!("{} exists, and only the first global file is read", winner.display());
            answer
                .sources
                .push(Source { by: Some(winner.clone()), ..Source::new(path, Scope::User, Fate::Shadowed, reason) });
        } else {
            winner = Some(path);
        }
    }
    if let (Some(dir), ConfigDir::Replaces) = (&places.config_dir, edition.config_dir)
        && winner.as_ref() != Some(&own)
        && exists(
            edition,
            &own,
            "asked only to explain: the folder that the environment names stands in its place",
            search,
        )?
    {
        let reason = format!("{}={dir} replaces {}", edition.brand.variable("CONFIG_DIR"), places.xdg.display());
        answer.sources.push(Source::new(own, Scope::User, Fate::Excluded, reason));
    }
    let reason = "the first global file that exists".to_owned();
    Ok(winner.map(|path| Pick { path, owner: Owner::User, scope: Scope::User, reason }))
}

/// Returns true if a file name is disabled.
pub(super) fn switched_off(edition: &OpenCode, flags: &Flags, name: &str) -> bool {
    name == "CLAUDE.md" && flags.no_claude && edition.claude_flag == ClaudeFlag::Everywhere
}

/// A path that could not be examined, and the error.
type Unexamined = (PathBuf, Errno);

/// Effect of an error during the search upwards.
enum Spoilt {
    /// The file name is dropped at every level.
    Name,
    Nothing,
}

/// Records what happens to a file name and its files after one of them could not be examined.
fn spoil(
    edition: &OpenCode,
    name: &str,
    (path, errno): Unexamined,
    hits: &mut Vec<PathBuf>,
    answer: &mut Answer,
) -> Known<Spoilt> {
    let (rule, title) = (edition.find_error, edition.brand.title);
    let problem = format!("{}: {}", errno.name(), errno.text());
    if rule == FindError::Stops {
        let message = format!("{} cannot be examined: {problem}", path.display());
        return Err(Halt::refused(path, message));
    }
    let source = |path: PathBuf, fate, reason: String| Source::new(path, Scope::Project, fate, reason);
    if rule != FindError::SpoilsName {
        answer.sources.push(source(path, Fate::Unreadable, format!("{problem}; it counts as missing")));
        return Ok(Spoilt::Nothing);
    }
    let reason = format!("{problem}; after any error but \"not found\" {title} gives {name} up at every level");
    answer.sources.push(source(path.clone(), Fate::Unreadable, reason));
    for hit in hits.drain(..) {
        let reason = format!(
            "{} cannot be examined ({}), so {title} gives {name} up at every level",
            path.display(),
            errno.name()
        );
        answer.sources.push(Source { by: Some(path.clone()), ..source(hit, Fate::Dropped, reason) });
    }
    Ok(Spoilt::Name)
}

/// Picks every file of the first name that has any, nearest first.
fn project(
    edition: &OpenCode,
    flags: &Flags,
    places: &Places,
    picks: &mut Vec<Pick>,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<()> {
    let levels = places.levels();
    search.expect(levels.iter().flat_map(|dir| edition.names.iter().map(|name| Ask::Kind(dir.join(name)))))?;
    let mut winner: Option<(PathBuf, &str)> = None;
    for name in edition.names {
        let excluded = excluded(edition, flags, name);
        let rule = match (&winner, &excluded) {
            (None, None) => "the first name with any file up to the top wins; nearest first",
            (Some(_), _) => "asked only to explain: another name has won",
            (None, Some(_)) => "asked only to explain: switched off",
        };
        let (mut hits, spoilt) = hits(&levels, name, rule, search)?;
        let source = |path: PathBuf, fate, reason: String| Source::new(path, Scope::Project, fate, reason);
        if let Some(reason) = excluded {
            answer.sources.extend(hits.into_iter().map(|path| source(path, Fate::Excluded, reason.clone())));
            continue;
        }
        if let Some((winning, winning_name)) = &winner {
            for path in hits {
                let reason = format!(
                    "{} exists, and {winning_name} takes precedence over {name} at every level",
                    winning.display()
                );
                answer.sources.push(Source { by: Some(winning.clone()), ..source(path, Fate::Shadowed, reason) });
            }
            continue;
        }
        if let Some(spoilt) = spoilt {
            match spoil(edition, name, spoilt, &mut hits, answer)? {
                Spoilt::Name => continue,
                Spoilt::Nothing => {}
            }
        }
        winner = hits.first().map(|path| (path.clone(), *name));
        picks.extend(hits.into_iter().map(|path| Pick {
            path,
            owner: Owner::Project,
            scope: Scope::Project,
            reason: format!("{name} is the first name found; nearest first"),
        }));
    }
    Ok(())
}

/// Returns the reason why no project file of a name is read, if there is one.
fn excluded(edition: &OpenCode, flags: &Flags, name: &str) -> Option<String> {
    if flags.no_project {
        return Some(format!("project files are switched off by {}", edition.brand.variable("DISABLE_PROJECT_CONFIG")));
    }
    switched_off(edition, flags, name).then(|| "Claude files are switched off by the environment".to_owned())
}

/// Returns the files of a name, nearest first, and the first path that could not be examined, with the error.
fn hits(
    levels: &[PathBuf],
    name: &str,
    rule: &'static str,
    search: &mut Search,
) -> Known<(Vec<PathBuf>, Option<Unexamined>)> {
    let (mut hits, mut spoilt) = (Vec::new(), None);
    for dir in levels {
        let path = dir.join(name);
        match search.stat(&path, rule)? {
            Ok(_) => hits.push(path),
            Err(Errno::NOENT) => {}
            Err(errno) => spoilt = spoilt.or(Some((path, errno))),
        }
    }
    Ok((hits, spoilt))
}

/// Picks the files that `instructions` names, in order.
fn configured(
    edition: &OpenCode,
    flags: &Flags,
    places: &Places,
    config: &Config,
    picks: &mut Vec<Pick>,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<()> {
    let mut globs = Vec::new();
    for (raw, from) in config.instructions.iter().filter(|(raw, _)| !is_url(raw)) {
        globs.push((raw, from, walks(edition, flags, places, raw)));
    }
    let ask = |walk: &Walk| Ask::Glob {
        base: walk.base.clone(),
        pattern: walk.pattern.clone(),
        flavor: edition.globs.for_instructions(walk.absolute),
    };
    search.expect(globs.iter().flat_map(|(_, _, walks)| walks.iter().map(ask)))?;
    for (raw, from, walks) in globs {
        // The value may be a secret; the text written in the settings is not.
        let shown = config.shown(raw);
        let mut found = Vec::new();
        for walk in &walks {
            let flavor = edition.globs.for_instructions(walk.absolute);
            search.show_as((shown != raw).then(|| walk.base_shown(shown)));
            let files = search.glob(&walk.base, &walk.pattern, flavor, "instructions, nearest level first");
            search.show_as(None);
            let files = &files?.files;
            found.extend(files.iter().cloned());
            let is_users = walk.absolute || flags.no_project;
            let owner = if is_users { config.owner(raw) } else { Owner::Project };
            picks.extend(files.iter().map(|path| Pick {
                path: path.clone(),
                owner,
                scope: if from == RULES { Scope::Rule } else { Scope::Config },
                reason: if from == RULES { RULES.to_owned() } else { format!("named by `{shown}` in {from}") },
            }));
        }
        if found.is_empty() {
            let path = places.directory.join(
                shown.strip_prefix("~/").map_or_else(|| shown.into(), |rest| places.instructions_home.join(rest)),
            );
            let reason = format!("`{shown}` in {from} {}", why_nothing(edition, flags, places, &walks));
            if shown == raw && !raw.contains(['*', '?', '[', '{']) {
                found.push(path.clone());
            }
            answer.sources.push(Source::new(path, Scope::Config, Fate::Missing, reason));
        }
        if from != RULES {
            answer.mention(Path::new(from), shown, found);
        }
    }
    Ok(())
}

/// Returns the reason why a pattern matches no file.
fn why_nothing(edition: &OpenCode, flags: &Flags, places: &Places, walks: &[Walk]) -> String {
    let switched = flags.no_project && walks.iter().all(|walk| !walk.absolute);
    let [no_project, config_dir] = ["DISABLE_PROJECT_CONFIG", "CONFIG_DIR"].map(|name| edition.brand.variable(name));
    match (switched, edition.config_dir) {
        (false, _) => "matches no file".to_owned(),
        (true, ConfigDir::TriedFirst) if walks.is_empty() => {
            format!("is not looked for: {no_project} is set, and {config_dir} is not")
        }
        (true, _) => format!(
            "matches no file in {}, the one place where relative instructions are looked for while \
             {no_project} is set",
            places.for_instructions(edition, flags).iter().map(|dir| dir.display().to_string()).collect::<String>()
        ),
    }
}

/// A directory in which one pattern is searched.
struct Walk {
    base: PathBuf,
    pattern: String,
    /// True if the settings name an absolute path, or one below `~/`.
    absolute: bool,
}

impl Walk {
    /// Returns the searched path as written in the settings.
    fn base_shown(&self, written: &str) -> PathBuf {
        if self.absolute { written.into() } else { self.base.join(written) }
    }
}

/// Returns the directories in which an entry of `instructions` is searched: one for an absolute entry, every level for
/// a relative one.
fn walks(edition: &OpenCode, flags: &Flags, places: &Places, raw: &str) -> Vec<Walk> {
    let from_home = raw.strip_prefix("~/").map(|rest| {
        // Joined as text, to keep a trailing slash.
        let joined = absolute(&places.instructions_home, Path::new(rest.trim_start_matches('/')));
        joined.to_string_lossy().into_owned()
    });
    let raw = from_home.as_deref().unwrap_or(raw);
    if raw.starts_with('/') {
        // Only the last segment is a pattern, and trailing slashes are dropped.
        let trimmed = raw.trim_end_matches('/');
        let (dir, pattern) = trimmed.rsplit_once('/').unwrap_or(("", trimmed));
        let dir = Path::new(if dir.is_empty() { "/" } else { dir });
        let base = match edition.globs {
            Globs::Npm => absolute(Path::new("/"), dir),
            // As written: the system resolves the dots, also after links.
            Globs::Bun => dir.to_owned(),
        };
        return vec![Walk { base, pattern: pattern.to_owned(), absolute: true }];
    }
    let bases = places.for_instructions(edition, flags).into_iter();
    bases.map(|base| Walk { base, pattern: raw.to_owned(), absolute: false }).collect()
}

fn is_url(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

/// Adds the URLs in order, after all files. Their content is UTF-8 in every edition.
fn urls(config: &Config, entries: &mut Vec<Entry>, search: &mut Search, answer: &mut Answer) -> Known<()> {
    let urls: Vec<_> = config.instructions.iter().filter(|(raw, _)| is_url(raw)).collect();
    search.expect(urls.iter().map(|(url, _)| Ask::Remote(url.clone())))?;
    for (url, from) in urls {
        let shown = config.shown(url).to_owned();
        let reason = format!("named in {from}; fetched at every step, after all files");
        let source = |fate, reason| Source::new("", Scope::Remote, fate, reason);
        search.show_as((shown != *url).then(|| PathBuf::from(&shown)));
        let found = search.remote(url, reason.clone());
        search.show_as(None);
        let source = match found? {
            Remote::NotFetched => {
                answer.files_only = Some(format!("{shown} was not fetched, so its text is unknown"));
                source(Fate::Pending, format!("{reason}; not fetched here"))
            }
            Remote::Failed(why) => source(Fate::Unreadable, format!("{reason}; {why}: it adds no text")),
            Remote::Body(raw) | Remote::Moved { body: raw, .. } => match raw.text_without_bom() {
                content if content.is_empty() => source(Fate::Empty, format!("{reason}; it serves no text")),
                content => {
                    let text = entry(url, Text::of(&raw, &content));
                    entries.push(Entry { text, source: answer.sources.len() });
                    Source::whole("", Scope::Remote, raw.size(), reason)
                }
            },
        };
        answer.sources.push(Source { place: Place::Url(shown), ..source });
    }
    Ok(())
}
