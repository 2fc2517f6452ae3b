//! Loads files once each, followed by their imports, and records what became of every file.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::document::{self, Document, Front, Joins};
use super::excludes::Excludes;
use super::manner::Manner;
use super::settings::Settings;
use super::{Edition21, imports, paths};
use crate::answer::{Fate, Limit, Mention, Per, Place, Scope, Source, Standpoint, Tool, Trigger, Unit, Warning};
use crate::formats::Node;
use crate::harness::kit::front_matter;
use crate::search::{Known, Search};
use crate::snapshot::{Ask, Content, FileType, Unreadable};
use crate::text::{grouped, js_trim};

/// Owner of a file; an import has the owner of its importer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// The administrator's.
    Managed,
    /// The user's.
    User,
    /// The project's.
    Project,
    /// The user's, for this project.
    Local,
}

/// The role in which a file is loaded.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileRole {
    pub(super) owner: Owner,
    pub(super) scope: Scope,
    pub(super) trigger: Trigger,
    /// True if the key `paths` in the front matter of the file, or of a file that it imports, limits when it applies.
    pub(super) rule: bool,
}

/// A file that was loaded.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) path: PathBuf,
    pub(super) owner: Owner,
    pub(super) document: Arc<Document>,
    /// Patterns of `paths`; if set, the file applies only to files that match one of them.
    pub(super) globs: Option<Vec<String>>,
    /// First file of the chain of imports that leads to this file, if it was imported.
    pub(super) head: Option<PathBuf>,
    pub(super) source: Source,
}

/// Loads files for one question.
pub(super) struct Loader<'s, 'a> {
    pub(super) edition: &'s Edition21,
    pub(super) search: &'s mut Search<'a>,
    pub(super) settings: &'s Settings,
    pub(super) excludes: &'s Excludes,
    /// Tool with which the agent accesses the target.
    pub(super) tool: Tool,
    /// Kind of message that carries the nested files.
    pub(super) manner: Manner,
    pub(super) cwd: &'s Path,
    pub(super) home: &'s Path,
    /// True if files of the project may import files from outside.
    pub(super) approved: bool,
    /// Paths already taken, as written and with links resolved.
    pub(super) seen: HashSet<PathBuf>,
    pub(super) sources: Vec<Source>,
    /// Index of each place in `sources`.
    known: HashMap<Place, usize>,
    pub(super) warnings: Vec<Warning>,
    pub(super) mentions: Vec<Mention>,
    /// Reason why the set of loaded files is uncertain, if it is.
    pub(super) unsure: Option<String>,
}

impl<'s, 'a> Loader<'s, 'a> {
    pub(super) fn new(
        edition: &'s Edition21,
        search: &'s mut Search<'a>,
        settings: &'s Settings,
        excludes: &'s Excludes,
        at: &'s Standpoint,
        approved: bool,
    ) -> Self {
        Loader {
            edition,
            search,
            settings,
            excludes,
            tool: at.tool,
            manner: edition.manner(at, settings),
            cwd: &at.cwd,
            home: &at.home,
            approved,
            seen: HashSet::new(),
            sources: Vec::new(),
            known: HashMap::new(),
            warnings: Vec::new(),
            mentions: Vec::new(),
            unsure: None,
        }
    }

    /// Announces the facts that loading these paths needs in any case.
    pub(super) fn expect(&mut self, paths: &[PathBuf]) -> Known<()> {
        let both = |path: &PathBuf| [Ask::Kind(path.clone()), Ask::Real(path.clone())];
        self.search.expect(paths.iter().flat_map(both))?;
        let mut contents = Vec::new();
        for path in paths {
            let file = self
                .search
                .glance(path)?
                .is_ok_and(|meta| meta.kind == FileType::File && meta.len <= self.edition.file_limit_bytes);
            contents.extend((file && self.excludes.matching(path).is_none()).then(|| Ask::Content(path.clone())));
        }
        self.search.expect(contents)
    }

    /// Loads a file and its imports, unless it was loaded before, and appends them to `entries`.
    pub(super) fn load(&mut self, path: &Path, role: FileRole, entries: &mut Vec<Entry>) -> Known<()> {
        self.load_at(path, role, &[], entries)
    }

    fn load_at(&mut self, path: &Path, role: FileRole, chain: &[&Path], entries: &mut Vec<Entry>) -> Known<()> {
        let by = chain.last().copied();
        let Some((real, raw)) = self.read(path, role, by)? else { return Ok(()) };
        let document = self.document(path, &raw)?;
        if role.rule && by.is_none() {
            self.check_head(path, &raw, &document.front);
        }
        let globs = self.globs(path, role, &document.front);
        let size = Some(raw.size());
        let reason = by.map_or_else(|| self.reason(role), |by| format!("imported by {}", by.display()));
        entries.push(Entry {
            path: path.to_owned(),
            owner: role.owner,
            globs,
            head: chain.first().map(|head| (*head).to_owned()),
            source: if js_trim(&document.text).is_empty() {
                Source { size, ..met(path, role, by, Fate::Empty, format!("{reason}; nothing is left of it")) }
            } else {
                Source { size, kept: document.kept.clone(), ..met(path, role, by, Fate::Loaded, reason) }
            },
            document: document.clone(),
        });
        self.imports(&[chain, &[path]].concat(), &real, &document, role, entries)
    }

    /// Returns the real path and the content of a file, if the client reads it and has not read it before.
    fn read(&mut self, path: &Path, role: FileRole, by: Option<&Path>) -> Known<Option<(PathBuf, Content)>> {
        let rule = if by.is_some() { "imported" } else { "read wherever it stands" };
        let Ok(meta) = self.search.stat(path, rule)? else { return Ok(None) };
        let source = |fate, reason: String| met(path, role, by, fate, reason);
        if self.seen.contains(path) {
            return Ok(None);
        }
        if let Some(glob) = self.excluded(path, role.owner) {
            let reason = format!("claudeMdExcludes excludes it: {glob}");
            self.consider(source(Fate::Excluded, reason));
            return Ok(None);
        }
        if meta.kind != FileType::File {
            self.seen.insert(path.to_owned());
            self.consider(source(Fate::Unreadable, format!("a {}, not a file", meta.kind.word())));
            return Ok(None);
        }
        let real = self.search.real(path)?.unwrap_or_else(|_| path.to_owned());
        if self.denied(path, &real, role.owner) {
            self.consider(source(Fate::Excluded, "permissions.deny keeps it from being read".to_owned()));
            return Ok(None);
        }
        if self.seen.contains(&real) {
            self.seen.insert(path.to_owned());
            self.warnings.push(Warning::at(
                "loaded-twice",
                path,
                format!("{}: a link to {}, which is loaded already; it is sent once", path.display(), real.display()),
            ));
            let same = source(Fate::Shadowed, format!("the same file as {}", real.display()));
            self.consider(Source { by: Some(real), ..same });
            return Ok(None);
        }
        self.seen.insert(path.to_owned());
        self.seen.insert(real.clone());
        if meta.len > self.edition.file_limit_bytes {
            self.drop_large(path, meta.len, source(Fate::Dropped, String::new()));
            return Ok(None);
        }
        match self.search.read(path, rule)? {
            Ok(raw) => Ok(Some((real, raw))),
            Err(problem) => {
                if let Unreadable::TooLarge(_) = problem {
                    self.unsure = Some(format!("{} is larger than Briefing reads", path.display()));
                }
                self.consider(source(Fate::Unreadable, problem.to_string()));
                Ok(None)
            }
        }
    }

    /// Records a file that is too large for the client.
    fn drop_large(&mut self, path: &Path, len: u64, source: Source) {
        let limit = self.edition.file_limit_bytes;
        if !self.edition.drops_large_files {
            let reason = format!("{} is so large that this version may send it, or not start", path.display());
            self.unsure.get_or_insert(reason);
        }
        let reason = format!("{len} B, more than the {limit} B that Claude Code reads; its imports go with it");
        self.warnings.push(Warning::at("over-budget", path, format!("{}: {reason}", path.display())));
        let value = usize::try_from(limit).unwrap_or(usize::MAX);
        let limit = Limit { value, unit: Unit::Bytes, per: Per::Source, from: "default".into() };
        self.consider(Source { limit: Some(limit), reason, ..source });
    }

    /// Returns the globs of a rule's front matter; `None` if the rule applies to every file.
    fn globs(&mut self, path: &Path, role: FileRole, front: &Front) -> Option<Vec<String>> {
        match front {
            Front::Matter(node) if role.rule => paths::patterns(node),
            Front::Broken if role.rule => {
                let problem = "the front matter is not YAML, so the rule applies to every file; quote its values";
                self.warnings.push(Warning::at("front-matter", path, format!("{}: {problem}", path.display())));
                None
            }
            Front::Matter(_) | Front::Broken | Front::None => None,
        }
    }

    /// Warns about problems in a rule's front matter if it is valid YAML or missing.
    fn check_head(&mut self, path: &Path, raw: &Content, front: &Front) {
        // Another agent's key that selects every file needs no warning: the rule does apply to every file.
        let means_all = |key: &str, node: &Node| key != "paths" && matches!(node.as_text(), Some("**" | "**/*"));
        let has = |key: &str| matches!(front, Front::Matter(node) if node.get(key).is_some_and(|value| !means_all(key, value)));
        let text = match front {
            Front::None => raw.text(),
            Front::Matter(_) => "".into(),
            Front::Broken => return,
        };
        if let Front::Matter(node) = front {
            for pattern in paths::never_matching(node) {
                let message = format!("{}: `{pattern}` matches nothing: no path begins with dots", path.display());
                self.warnings.push(Warning::at("dead-glob", path, message));
            }
        }
        if let Some(problem) = front_matter::problem(&text, &["paths"], has, "the rule applies to every file") {
            let message = format!("{}: {problem}", path.display());
            self.warnings.push(Warning::at("front-matter", path, message));
        }
    }

    /// Loads the imports of a document. `chain` holds the files that lead to it; the document itself is the last.
    fn imports(
        &mut self,
        chain: &[&Path],
        real: &Path,
        document: &Document,
        role: FileRole,
        entries: &mut Vec<Entry>,
    ) -> Known<()> {
        let path = *chain.last().expect("the importing file is the last of the chain");
        let found = self.imported(path, real, document, chain)?;
        let asks = found.iter().flat_map(|(_, target)| [Ask::Kind(target.clone()), Ask::Real(target.clone())]);
        self.search.expect(asks.collect::<Vec<_>>())?;
        let mut importable = Vec::new();
        for (word, target) in found {
            if self.is_importable(path, word, &target, role)? {
                importable.push((word, target));
            }
        }
        if chain.len() > self.edition.import_depth {
            importable.retain(|(_, target)| !self.seen.contains(target));
            for (word, target) in importable {
                let depth = self.edition.import_depth;
                let reason = format!("{} files deep; Claude Code follows imports {depth} deep", chain.len());
                let message = format!("{}: @{word} is {reason}", path.display());
                self.warnings.push(Warning::at("import-too-deep", path, message));
                self.consider(met(&target, role, Some(path), Fate::Dropped, reason));
            }
            return Ok(());
        }
        let targets: Vec<PathBuf> = importable.iter().map(|(_, target)| target.clone()).collect();
        self.expect(&targets)?;
        for (_, target) in importable {
            self.load_at(&target, role, chain, entries)?;
        }
        Ok(())
    }

    /// Returns the imports of a document that name files not met before, each with its path.
    fn imported<'d>(
        &mut self,
        path: &Path,
        real: &Path,
        document: &'d Document,
        chain: &[&Path],
    ) -> Known<Vec<(&'d String, PathBuf)>> {
        let dir = real.parent().unwrap_or(Path::new("/"));
        let mut found = Vec::new();
        for word in &document.imports {
            if word.contains('\0') {
                let reason = format!("{}: what becomes of an import with a NUL is not understood", path.display());
                self.unsure.get_or_insert(reason);
            }
            match imports::resolve(word, dir, self.home) {
                imports::Word::Import(target) if self.repeats(path, word, &target, chain) => {
                    self.mentions.push(Mention::new(path, word, [target]));
                }
                imports::Word::Import(target) => found.push((word, target)),
                imports::Word::Refused(target) => self.explain_refusal(path, word, &target)?,
                imports::Word::Prose => {}
            }
        }
        Ok(found)
    }

    /// Returns true if an import exists and may be imported; otherwise records why not.
    fn is_importable(&mut self, path: &Path, word: &str, target: &Path, role: FileRole) -> Known<bool> {
        let Ok(meta) = self.search.stat(target, "imported")? else {
            // Once the effort is spent, a file that was not found may still exist.
            if imports::has_extension(target) && self.search.gave_up_at().is_none() {
                self.mentions.push(Mention::new(path, word, [target.to_owned()]));
                self.warnings.push(Warning::at(
                    "import-missing",
                    path,
                    format!("{}: @{word} imports {}, which does not exist", path.display(), target.display()),
                ));
                let reason = format!("imported by {}", path.display());
                self.consider(met(target, role, Some(path), Fate::Missing, reason));
            }
            return Ok(false);
        };
        if meta.kind == FileType::Dir {
            return Ok(false);
        }
        self.mentions.push(Mention::new(path, word, [target.to_owned()]));
        if self.may_import(target, role.owner)? {
            return Ok(true);
        }
        let reason = format!("outside {}, and imports from outside were not approved", self.cwd.display());
        self.warnings.push(Warning::at(
            "import-outside",
            path,
            format!(
                "{}: @{word} is {reason}: its {} B do not reach the model; approve it in Claude Code, or start it in a \
                 directory above",
                path.display(),
                grouped(usize::try_from(meta.len).unwrap_or(usize::MAX))
            ),
        ));
        self.consider(met(target, role, Some(path), Fate::Dropped, reason));
        Ok(false)
    }

    /// Returns true if a file was met before, so that it is not imported again; warns about circular imports.
    fn repeats(&mut self, path: &Path, word: &str, target: &Path, chain: &[&Path]) -> bool {
        if chain.contains(&target) {
            let way = if target == path { "the file itself" } else { "a file that imports it" };
            self.warnings.push(Warning::at(
                "import-cycle",
                path,
                format!("{}: @{word} imports {way}; it is sent once", path.display()),
            ));
        }
        self.seen.contains(target)
    }

    /// Explains why a word that names a file imports nothing: its extension, or punctuation after it.
    fn explain_refusal(&mut self, path: &Path, word: &str, target: &Path) -> Known<()> {
        let bare = imports::without_punctuation(target).filter(|bare| imports::has_extension(bare));
        let candidates: Vec<PathBuf> = bare.iter().cloned().chain([target.to_owned()]).collect();
        self.search.expect(candidates.iter().cloned().map(Ask::Kind))?;
        if let Some(bare) = bare
            && self.search.is_file(&bare, "asked only to explain: punctuation belongs to the path")?
        {
            self.warnings.push(Warning::at(
                "import-punctuation",
                path,
                format!(
                    "{}: @{word} imports nothing, because the punctuation after it counts as part of the path",
                    path.display()
                ),
            ));
        } else if self.search.is_file(target, "asked only to explain: its extension is not on the list")? {
            let reason = format!("@{word} imports nothing, because Claude Code imports no files with that extension");
            self.warnings.push(Warning::at("import-extension", path, format!("{}: {reason}", path.display())));
            self.consider(Source {
                by: Some(path.to_owned()),
                ..Source::new(target, Scope::Import, Fate::Dropped, reason)
            });
        }
        Ok(())
    }

    /// Returns true if a file of this owner may import the target: it lies in the working directory both as written and
    /// resolved, the owner is the user, or imports from outside were approved.
    fn may_import(&mut self, target: &Path, owner: Owner) -> Known<bool> {
        if owner == Owner::User || self.approved {
            return Ok(true);
        }
        let real = self.search.real(target)?.unwrap_or_else(|_| target.to_owned());
        Ok(target.starts_with(self.cwd) && real.starts_with(self.cwd))
    }

    fn document(&mut self, path: &Path, raw: &Content) -> Known<Arc<Document>> {
        let joins = self.edition.joins;
        if !document::has_markup(raw) {
            return Ok(Arc::new(document::take_apart(raw, joins)));
        }
        // Parsing Markdown takes long, so the result is kept between answers.
        let rule = joins.rule();
        self.search.part("document of Claude Code", (path, rule), |path, rule, search| {
            let joins = Joins::of_rule(rule);
            Ok(document::take_apart(&search.read(path, rule)?.unwrap_or_default(), joins))
        })
    }

    /// Returns the glob that excludes a file. Managed files cannot be excluded.
    pub(super) fn excluded(&self, path: &Path, owner: Owner) -> Option<String> {
        (owner != Owner::Managed).then(|| self.excludes.matching(path)).flatten().map(str::to_owned)
    }

    /// Returns true if permissions deny reading a file of the project, by its path or its real path.
    pub(super) fn denied(&self, path: &Path, real: &Path, owner: Owner) -> bool {
        let covers = |path: &Path| self.settings.denied.covers(path, &self.settings.added_anyway);
        matches!(owner, Owner::Project | Owner::Local) && (covers(path) || covers(real))
    }

    fn reason(&self, role: FileRole) -> String {
        match (role.scope, role.trigger) {
            (Scope::Rule, Trigger::Session) => "a rule without paths",
            (Scope::Rule, _) => "a rule on the way to the file",
            (Scope::Nested, _) => "on the way from the working directory to the file",
            _ => "loaded from the start directory and the directories above it",
        }
        .to_owned()
    }

    /// Returns what became of a file so far.
    pub(super) fn met(&self, path: &Path) -> Option<&Source> {
        self.known.get(&Place::Path(path.to_owned())).map(|at| &self.sources[*at])
    }

    /// Adds a source. A file keeps its first source, unless that one was dropped or the new one is loaded.
    pub(super) fn consider(&mut self, source: Source) {
        match self.known.get(&source.place) {
            Some(&at) if self.sources[at].fate == Fate::Dropped || source.fate == Fate::Loaded => {
                self.sources[at] = source;
            }
            Some(_) => {}
            None => {
                self.search.says_more();
                self.known.insert(source.place.clone(), self.sources.len());
                self.sources.push(source);
            }
        }
    }
}

/// Creates the source of a file, whether it was imported by another one or loaded for itself.
fn met(path: &Path, role: FileRole, by: Option<&Path>, fate: Fate, reason: String) -> Source {
    let scope = if by.is_some() { Scope::Import } else { role.scope };
    Source { trigger: role.trigger, by: by.map(Path::to_owned), ..Source::new(path, scope, fate, reason) }
}
