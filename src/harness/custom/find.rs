//! Finds the texts of a definition's sources, and reports a fate for each file.

use std::path::{Path, PathBuf};

use super::choices::{Addresses, Base, Decoding, Dedupe, TakeFiles, TakeNames};
use super::definition::{Directories, Source as Rule, Texts};
use super::files::{FileEntry, FileTable};
use super::finder::Finder;
use super::found::{Content, Found};
use super::limit::Limit;
use super::list::{self, Listed};
use super::shape;
use super::standpoint::{directories, left_out, mode};
use super::values::{Word, is_glob, is_url, leaves};
use crate::answer::{
    Certain, Fate, Place, PromptMode, Purpose, Role, Scope, SessionKind, Source, Standpoint, Text, Trigger,
};
use crate::search::{Known, Search};
use crate::snapshot::{self, Ask, Errno, FileType, GlobFlavor, Remote, absolute};

/// Why a file is looked for, and how it is reported.
#[derive(Clone)]
struct Lead<'a> {
    scope: Scope,
    /// True if a missing file is reported.
    tell_missing: bool,
    reason: String,
    table: Option<&'a FileTable>,
}

impl<'a> Finder<'a> {
    /// Finds the texts of the next source.
    pub fn look(&mut self, rule: &'a Rule, search: &mut Search) -> Known<()> {
        if rule.enabled && !(rule.on_read() && self.at.target.is_none()) {
            if let Some(names) = &rule.directories {
                self.names(rule, names, search)?;
            }
            if let Some(files) = &rule.files {
                self.files(rule, files, search)?;
            }
            for url in rule.urls.iter().flatten() {
                self.url(rule, &url.0, search)?;
            }
            if let Some(list) = &rule.list {
                let mut listed = list::look(list, &[], self, search)?;
                if list.addresses == Addresses::Last {
                    listed.sort_by_key(|listed| is_url(&listed.text));
                }
                self.list(rule, listed, list.globs, search)?;
            }
            if let Some(texts) = &rule.provided {
                self.provided(rule, texts);
            }
            if let Some(texts) = &rule.texts {
                self.texts(rule, texts, search)?;
            }
            if let Some(text) = &rule.text {
                let text = shape::wrapper(&text.0, &Text::default(), self.at, self.root.as_deref(), &|_| false);
                self.text(rule, rule.name.clone().unwrap_or_default(), text.to_string(), None);
            }
        }
        self.rule += 1;
        Ok(())
    }

    /// Finds file names in a range of directories.
    fn names(&mut self, rule: &'a Rule, names: &Directories, search: &mut Search) -> Known<()> {
        let dirs = directories(names, self.at, self.root.as_deref());
        search.expect(dirs.iter().flat_map(|dir| names.names.iter().map(|name| Ask::Kind(dir.join(name)))))?;
        // With `FirstPerProject`, the name to use in all directories: the first that exists in any of them.
        let mut only: Option<&str> = None;
        if names.take == TakeNames::FirstPerProject {
            for name in &names.names {
                for dir in &dirs {
                    if only.is_none()
                        && search.is_file(&dir.join(name), "the first name that is a file in any directory")?
                    {
                        only = Some(name);
                    }
                }
            }
        }
        for dir in &dirs {
            let mut winner: Option<PathBuf> = None;
            for name in &names.names {
                let path = absolute(dir, Path::new(name));
                let displaced = match names.take {
                    TakeNames::All => None,
                    TakeNames::FirstPerDirectory => winner.clone(),
                    TakeNames::FirstPerProject => {
                        only.filter(|only| only != name).map(|only| absolute(dir, Path::new(only)))
                    }
                };
                let is_file = search.is_file(&path, format!("{} in {}", names.names.join(", "), dir.display()))?;
                if let Some(by) = displaced {
                    if is_file && self.told.insert(path.clone()) {
                        let reason = format!("{} takes precedence", name_of(&by));
                        let source = Source::new(path, self.scope_of(rule, dir), Fate::Shadowed, reason);
                        self.answer.sources.push(Source { by: Some(by), trigger: trigger(rule), ..source });
                    }
                    continue;
                }
                let scope = self.scope_of(rule, dir);
                let reason = format!("{name} in {}", place_of(dir, self.root.as_deref(), self.at));
                let lead = Lead { scope, tell_missing: false, reason, table: None };
                self.file(rule, &path, &lead, search)?;
                if is_file {
                    winner = Some(path);
                }
            }
        }
        Ok(())
    }

    /// Finds paths and globs.
    fn files(&mut self, rule: &'a Rule, files: &'a [FileEntry], search: &mut Search) -> Known<()> {
        let mut paths = Vec::new();
        for FileEntry(table) in files {
            let pattern = &table.path;
            let base = self.base(rule.base).to_owned();
            if pattern.is_glob() {
                let found = self.glob(&base, &pattern.0, search)?;
                paths.extend(found.into_iter().map(|path| (path, table, format!("matches {}", pattern.0))));
            } else if let Some(path) = self.place(&pattern.0, &base, search) {
                paths.push((path, table, "named by the definition".to_owned()));
            }
        }
        search.expect(paths.iter().map(|(path, ..)| Ask::Kind(path.clone())))?;
        let mut winner: Option<PathBuf> = None;
        for (path, table, reason) in paths {
            let scope = self.scope_of(rule, &path);
            if let Some(by) = &winner {
                if search.is_file(&path, "only the first is taken; asked to explain")? && self.told.insert(path.clone())
                {
                    let reason = format!("{} takes precedence", by.display());
                    let source = Source::new(path, scope, Fate::Shadowed, reason);
                    self.answer.sources.push(Source { by: Some(by.clone()), ..source });
                }
                continue;
            }
            let taken = match rule.take {
                TakeFiles::All => false,
                TakeFiles::First => search.is_file(&path, "the first that exists")?,
                TakeFiles::FirstWithText => {
                    search.is_file(&path, "the first that exists and has text")?
                        && search
                            .read(&path, "the first that exists and has text")?
                            .is_ok_and(|raw| !raw.text().trim().is_empty())
                }
            };
            let tell_missing = !rule.optional && rule.take == TakeFiles::All;
            self.file(rule, &path, &Lead { scope, tell_missing, reason, table: Some(table) }, search)?;
            winner = taken.then_some(path);
        }
        Ok(())
    }

    /// Finds the paths and URLs that a settings file lists.
    fn list(&mut self, rule: &'a Rule, listed: Vec<Listed>, globs: bool, search: &mut Search) -> Known<()> {
        for Listed { text, file } in listed {
            let base = self.base(rule.base).to_owned();
            let reason = format!("listed in {}", file.display());
            let lead = Lead {
                scope: rule.scope.map_or(Scope::Config, |word| word.0),
                tell_missing: true,
                reason,
                table: None,
            };
            if is_url(&text) {
                self.url(rule, &text, search)?;
            } else if globs && is_glob(&text) {
                if leaves(&text) {
                    let reason =
                        format!("{} lists it, and a glob that leaves the workspace is not followed", file.display());
                    self.answer.sources.push(Source::new(base.join(&text), lead.scope, Fate::Excluded, reason));
                    continue;
                }
                let found = self.glob(&base, &text, search)?;
                self.answer.mention(&file, &text, found.iter().cloned());
                for path in found {
                    self.file(rule, &path, &lead, search)?;
                }
            } else if let Some(path) = self.place(&text, &base, search) {
                self.answer.mention(&file, &text, [path.clone()]);
                if !text.starts_with(['/', '~', '$']) && self.root.as_deref().is_some_and(|root| root != self.at.cwd) {
                    self.unsure(Certain::Set, self.definition.unsure.relative.as_ref());
                }
                self.file(rule, &path, &lead, search)?;
            }
        }
        Ok(())
    }

    /// Finds texts by key.
    fn texts(&mut self, rule: &'a Rule, texts: &Texts, search: &mut Search) -> Known<()> {
        for key in &texts.keys {
            if let Some(text) = self.definition.texts.get(key) {
                self.text(rule, key.clone(), text.clone(), None);
                continue;
            }
            let base = self.workspace().to_owned();
            let folder = texts.folder.as_ref().and_then(|folder| self.place(folder, &base, search));
            match folder {
                // A key must not lead out of the folder.
                Some(folder) if !key.split('/').any(|segment| segment == "..") => {
                    let reason = format!("the text of the key `{key}`");
                    let lead = Lead { scope: Scope::Config, tell_missing: true, reason, table: None };
                    self.file(rule, &absolute(&folder, Path::new(key.trim_start_matches('/'))), &lead, search)?;
                }
                Some(_) | None => {
                    let message =
                        format!("no text has the key `{key}`; add it to `texts` of the harness or to the folder");
                    self.answer.warnings.push(crate::answer::Warning::general("missing-text", message));
                }
            }
        }
        Ok(())
    }

    /// Adds provided texts, those of the definition first.
    fn provided(&mut self, rule: &'a Rule, texts: &[String]) {
        for text in texts {
            self.text(rule, "provided".to_owned(), text.clone(), None);
        }
        let mode = mode(self.at);
        let mut items: Vec<_> = self.at.provided.iter().filter(|item| is_in(&item.prompt_modes, mode)).collect();
        items.sort_by_key(|item| item.sort);
        for item in items {
            let name = item.name.clone().unwrap_or_else(|| "provided".to_owned());
            self.text(rule, name, item.text.clone(), item.role.map(|role| (role, item.sort)));
        }
    }

    fn text(&mut self, rule: &Rule, name: String, text: String, item: Option<(Role, i64)>) {
        if left_out(rule, self.at).is_none() {
            let content = Content::Text(text);
            self.found.push(Found { rule: self.rule, path: None, name, content, limit: None, listed: None, item });
        }
    }

    fn url(&mut self, rule: &Rule, url: &str, search: &mut Search) -> Known<()> {
        let place = Place::Url(url.to_owned());
        if self.answer.sources.iter().any(|source| source.place == place) {
            return Ok(());
        }
        let scope = rule.scope.map_or(Scope::Remote, |word| word.0);
        let source = Source {
            place,
            trigger: trigger(rule),
            purpose: purpose(rule, None),
            ..Source::new("", scope, Fate::Loaded, "a URL")
        };
        if let Some(reason) = left_out(rule, self.at).or_else(|| self.not_for_subagents(url)) {
            self.answer.sources.push(Source { fate: Fate::Dropped, reason, ..source });
            return Ok(());
        }
        match search.remote(url, "a URL")? {
            Remote::NotFetched => {
                self.answer.files_only.get_or_insert_with(|| format!("{url} is not fetched"));
                self.answer.sources.push(Source { fate: Fate::Pending, reason: "not fetched".to_owned(), ..source });
            }
            Remote::Failed(why) => {
                self.answer.sources.push(Source { fate: Fate::Unreadable, reason: why, ..source });
            }
            Remote::Body(raw) | Remote::Moved { body: raw, .. } => self.take(rule, Path::new(url), source, raw, None),
        }
        Ok(())
    }

    /// Adds a file if it exists and may be loaded; otherwise reports why not.
    fn file(&mut self, rule: &'a Rule, path: &Path, lead: &Lead<'a>, search: &mut Search) -> Known<()> {
        let source = Source {
            trigger: trigger(rule),
            purpose: purpose(rule, lead.table),
            ..Source::new(path, lead.scope, Fate::Loaded, lead.reason.clone())
        };
        let out = left_out(rule, self.at).or_else(|| {
            let modes = lead.table.and_then(|table| table.prompt_modes.as_ref())?;
            let modes: Vec<PromptMode> = modes.iter().map(|Word(mode)| *mode).collect();
            (!is_in(&modes, mode(self.at))).then(|| format!("not in the prompt mode `{}`", mode(self.at)))
        });
        let out = out.or_else(|| self.not_for_subagents(&path.to_string_lossy()));
        let problem = match search.stat(path, lead.reason.clone())? {
            Ok(meta) if meta.kind == FileType::File => None,
            Ok(meta) => Some((Fate::Unreadable, format!("a {}, not a file", meta.kind.word()))),
            Err(Errno::NOENT) => Some((Fate::Missing, "does not exist".to_owned())),
            Err(errno) => Some((Fate::Unreadable, format!("{}: {}", errno.name(), errno.text()))),
        };
        if let Some((fate, reason)) = problem {
            return self.absent(rule, source, fate, reason, lead, out);
        }
        if rule.on_read() {
            if self.taken.values().any(|taken| taken == path) {
                return Ok(());
            }
            let reason = if self.at.target.as_deref() == Some(path) {
                Some("it is the file that is read")
            } else {
                self.at.already_loaded.iter().any(|loaded| loaded == path).then_some("already loaded in this session")
            };
            if let Some(reason) = reason {
                self.tell(Source { fate: Fate::Excluded, reason: reason.to_owned(), ..source });
                return Ok(());
            }
        }
        if let Some(reason) = out {
            let size = search.read(path, "left out; read to know its size")?.ok().map(|raw| raw.size());
            self.tell(Source { fate: Fate::Dropped, reason, size, ..source });
            return Ok(());
        }
        if self.is_taken(path, &source, search)? {
            return Ok(());
        }
        let raw = match search.read(path, lead.reason.clone())? {
            Ok(raw) => raw,
            Err(problem) => {
                if let snapshot::Unreadable::TooLarge(_) = problem {
                    self.answer
                        .files_only
                        .get_or_insert_with(|| format!("{} is larger than Briefing reads", path.display()));
                }
                return self.absent(rule, source, Fate::Unreadable, problem.to_string(), lead, None);
            }
        };
        self.take(rule, path, source, raw, lead.table.and_then(|table| table.limit.clone()));
        Ok(())
    }

    /// Adds a text with its bytes, or reports it as unreadable if it cannot be decoded.
    fn take(&mut self, rule: &Rule, path: &Path, source: Source, raw: snapshot::Content, limit: Option<Limit>) {
        let valid = raw.as_text().is_some();
        if !valid || raw.starts_with(b"\xef\xbb\xbf") {
            self.unsure(Certain::Text, self.definition.unsure.decoding.as_ref());
        }
        let size = Some(raw.size());
        if !valid && rule.decoding.unwrap_or(self.definition.decoding) == Decoding::Strict {
            self.tell(Source { fate: Fate::Unreadable, reason: "not UTF-8".to_owned(), size, ..source });
            return;
        }
        let kept = std::iter::once(0..raw.len()).filter(|range| !range.is_empty()).collect();
        let listed = Some(self.tell(Source { size, kept, ..source }));
        self.found.push(Found {
            rule: self.rule,
            name: name_of(path),
            path: Some(path.to_owned()),
            content: Content::File(raw),
            limit,
            listed,
            item: None,
        });
    }

    /// Returns the reason why a file or URL is withheld from a sub-agent, if it is.
    fn not_for_subagents(&self, place: &str) -> Option<String> {
        let allowed = self.definition.subagent.as_ref()?.allowlist.as_ref()?;
        let is_it = |written: &String| {
            place == written
                || Path::new(place) == self.tilde(written, self.workspace())
                || Path::new(place).file_name().is_some_and(|name| name == written.as_str())
        };
        let out = self.at.session == SessionKind::Subagent && !allowed.iter().any(is_it);
        out.then(|| "not in the allow-list for sub-agents".to_owned())
    }

    /// Returns true if the same file was taken before; otherwise marks it as taken.
    fn is_taken(&mut self, path: &Path, source: &Source, search: &mut Search) -> Known<bool> {
        let real = match (self.definition.dedupe, &self.definition.unsure.link) {
            (Dedupe::Real, _) | (Dedupe::Path, Some(_)) => search.real(path)?.unwrap_or_else(|_| path.to_owned()),
            (Dedupe::Path, None) | (Dedupe::None, _) => path.to_owned(),
        };
        let before = self.taken.get(&real).cloned();
        match (self.definition.dedupe, before) {
            (Dedupe::None, _) | (Dedupe::Path | Dedupe::Real, None) => {}
            (Dedupe::Path | Dedupe::Real, Some(first)) if first == path => return Ok(true),
            (Dedupe::Real, Some(first)) => {
                let reason = format!("the same file as {}", first.display());
                self.tell(Source { fate: Fate::Shadowed, reason, by: Some(first), ..source.clone() });
                return Ok(true);
            }
            (Dedupe::Path, Some(_)) => {
                self.unsure(Certain::Set, self.definition.unsure.link.as_ref());
                if self.taken.values().any(|taken| taken == path) {
                    return Ok(true);
                }
                self.taken.insert(path.to_owned(), path.to_owned());
                return Ok(false);
            }
        }
        self.taken.insert(real, path.to_owned());
        Ok(false)
    }

    /// Reports a file that cannot be read, and adds the declared text in its place.
    fn absent(
        &mut self,
        rule: &Rule,
        source: Source,
        fate: Fate,
        reason: String,
        lead: &Lead,
        out: Option<String>,
    ) -> Known<()> {
        let path = source.path().map(Path::to_owned).unwrap_or_default();
        if out.is_some() || !self.told.insert(path.clone()) {
            return Ok(());
        }
        let stand_in = rule.missing.as_ref().map(|template| {
            let relative = path.strip_prefix(self.workspace()).unwrap_or(&path);
            let value = |name: &str| match name {
                "path" => path.to_string_lossy().into(),
                "relative" => relative.to_string_lossy().into(),
                _ => name_of(&path).into(),
            };
            template.0.fill(&value, &|_| false).to_string()
        });
        if fate == Fate::Missing && !lead.tell_missing && stand_in.is_none() {
            return Ok(());
        }
        self.answer.sources.push(Source { fate, reason, ..source });
        let listed = Some(self.answer.sources.len() - 1);
        if let Some(text) = stand_in {
            let (name, content) = (name_of(&path), Content::StandIn(text));
            self.found.push(Found {
                rule: self.rule,
                name,
                path: Some(path),
                content,
                limit: None,
                listed,
                item: None,
            });
        }
        Ok(())
    }

    /// Adds a source to the answer, and returns its index.
    fn tell(&mut self, source: Source) -> usize {
        self.told.extend(source.path().map(Path::to_owned));
        self.answer.sources.push(source);
        self.answer.sources.len() - 1
    }

    /// Returns the files that match a glob, sorted by path.
    fn glob(&self, base: &Path, pattern: &str, search: &mut Search) -> Known<Vec<PathBuf>> {
        let flavor = GlobFlavor::Npm { dot: true, follow: false };
        let mut found =
            search.glob(base, pattern, flavor, "files that match, in the order of the alphabet")?.files.clone();
        found.sort();
        Ok(found)
    }

    fn base(&self, base: Base) -> &Path {
        match base {
            Base::Workspace => self.workspace(),
            Base::Cwd => &self.at.cwd,
            Base::Home => &self.at.home,
        }
    }

    fn scope_of(&self, rule: &Rule, path: &Path) -> Scope {
        if let Some(Word(scope)) = rule.scope {
            return scope;
        }
        let below = path.starts_with(&self.at.cwd) && path != self.at.cwd;
        if rule.on_read() && below {
            Scope::Nested
        } else if path.starts_with(self.workspace()) {
            Scope::Project
        } else if path.starts_with(&self.at.home) {
            Scope::User
        } else {
            Scope::Project
        }
    }
}

fn is_in(modes: &[PromptMode], mode: PromptMode) -> bool {
    modes.is_empty() || modes.contains(&mode)
}

fn trigger(rule: &Rule) -> Trigger {
    if rule.on_read() { Trigger::Read } else { Trigger::Session }
}

fn purpose(rule: &Rule, table: Option<&FileTable>) -> Purpose {
    table.and_then(|table| table.purpose).or(rule.purpose).map_or(Purpose::Instructions, |word| word.0)
}

fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn place_of(dir: &Path, root: Option<&Path>, at: &Standpoint) -> &'static str {
    if dir == at.cwd {
        "the working directory"
    } else if Some(dir) == root {
        "the project root"
    } else if dir.starts_with(&at.cwd) {
        "a directory below the working directory"
    } else {
        "a directory above the working directory"
    }
}
