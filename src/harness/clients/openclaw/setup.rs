//! The setup of a workspace: its record, and the changes that a turn makes before it reads files.
//!
//! Nothing is created here. Files that a turn would create count as missing. Deletions and records are applied, because
//! they can be computed: the templates for comparison are known by their hashes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::Template;
use super::home::Home;
use crate::answer::Standpoint;
use crate::search::{Halt, Known, Search};
use crate::snapshot::{Ask, Errno, FileType, Row, Unreadable};
use crate::text::{js_trim, lossy};

/// Time within which a vanished workspace is regarded as an accident, in milliseconds: one day (OpenClaw 2026.9.6).
const RECENT_MS: i64 = 24 * 60 * 60 * 1000;
/// Node does not read files of 2 GiB or more into a string.
const NODE_LIMIT_BYTES: u64 = 2 * 1024 * 1024 * 1024;

const STATE_QUERY: &str = "SELECT bootstrap_seeded_at, setup_completed_at, version, updated_at, attested_at_ms \
                           FROM workspace_setup_state WHERE workspace_key = ?1";
const HASHES_QUERY: &str = "SELECT filename, sha256 FROM workspace_generated_bootstrap_hashes WHERE workspace_key = ?1";

/// Changes that a turn makes to the workspace.
#[derive(Debug, Default)]
pub struct Setup {
    /// True if the setup is recorded as complete when the files are read.
    pub complete: bool,
    /// True if the turn deletes BOOTSTRAP.md.
    pub deletes_bootstrap: bool,
    /// Files that the turn would create.
    pub creates: Vec<&'static str>,
}

/// Record of a workspace.
#[derive(Clone, Default)]
struct Record {
    seeded: bool,
    complete: bool,
    exists: bool,
    updated_ms: Option<i64>,
    attested_ms: Option<i64>,
    hashes: BTreeMap<String, String>,
}

impl Record {
    fn is_marked(&self) -> bool {
        self.seeded || self.complete
    }
}

/// Settings about creating files.
pub struct Wishes<'a> {
    /// Value of `agents.defaults.skipBootstrap`.
    pub skip: bool,
    /// Value of `agents.defaults.skipOptionalBootstrapFiles`.
    pub skip_optional: Vec<&'a str>,
}

/// Determines the changes that a turn makes to `workspace`.
pub fn prepare(
    workspace: &Path,
    wishes: &Wishes,
    templates: &'static [Template],
    home: &Home,
    at: &Standpoint,
    search: &mut Search,
) -> Known<Setup> {
    let mut preparation = Preparation { workspace, templates, today_ms: start_of_day(at.surroundings.date), search };
    let record = preparation.record(home)?;
    preparation.follow(record, wishes)
}

/// Input of every step of the preparation.
struct Preparation<'a, 'b> {
    workspace: &'a Path,
    templates: &'static [Template],
    today_ms: i64,
    search: &'a mut Search<'b>,
}

impl Preparation<'_, '_> {
    fn follow(&mut self, initial: Record, wishes: &Wishes) -> Known<Setup> {
        let mut record = initial.clone();
        if !workspace_exists(self.workspace, self.search)? {
            self.forget(&mut record)?;
        }
        let bootstrap = self.is_there("BOOTSTRAP.md", "what a turn deletes or creates")?;
        if wishes.skip {
            self.expire_without_files(&initial, &mut record, bootstrap)?;
            return Ok(Setup { complete: record.complete, ..Setup::default() });
        }
        let reseeding = self.expire(&initial, &mut record, bootstrap)?;
        self.seed(record, wishes, bootstrap, reseeding)
    }

    /// Handles a turn that creates nothing: deletes the record of a workspace of which nothing survives.
    fn expire_without_files(&mut self, initial: &Record, record: &mut Record, bootstrap: bool) -> Known<()> {
        let evidence = self.has_any_content()?;
        if self.is_recent(initial.attested_ms) && !evidence {
            return Err(self.vanished());
        }
        let unchanged = initial.seeded == record.seeded && initial.complete == record.complete;
        if initial.is_marked() && initial.attested_ms.is_none() && unchanged {
            let survives = bootstrap || self.looks_configured(false)? || self.all_templates()?;
            if !survives {
                self.forget(record)?;
            }
        }
        Ok(())
    }

    /// Deletes the record of a workspace of which nothing survives; returns true if it did.
    fn expire(&mut self, initial: &Record, record: &mut Record, bootstrap: bool) -> Known<bool> {
        let mut brand_new = !self.has_user_content(false)?;
        for name in ["AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md"] {
            brand_new &= !self.is_there(name, "whether the workspace is brand new")?;
        }
        if brand_new {
            if self.is_recent(initial.attested_ms) {
                return Err(self.vanished());
            }
            self.forget(record)?;
            return Ok(initial.exists || initial.attested_ms.is_some());
        }
        let survives = if initial.attested_ms.is_some() {
            bootstrap
                || self.agents_is_customized(&initial.hashes)?
                || self.looks_configured(false)?
                || (initial.is_marked() && self.generated_files_are_intact(&initial.hashes)?)
        } else if initial.is_marked() {
            let unchanged = initial.seeded == record.seeded && initial.complete == record.complete;
            bootstrap || self.looks_configured(false)? || !unchanged || self.all_templates()?
        } else {
            true
        };
        if survives {
            return Ok(false);
        }
        self.forget(record)?;
        Ok(true)
    }

    /// Determines what the turn creates, deletes and records.
    fn seed(&mut self, mut record: Record, wishes: &Wishes, bootstrap: bool, reseeding: bool) -> Known<Setup> {
        let mut setup = Setup::default();
        for template in self.templates {
            let optional = template.name != "AGENTS.md";
            if optional && (record.complete || wishes.skip_optional.contains(&template.name)) {
                continue;
            }
            match self.search.lstat(&self.workspace.join(template.name), "created from a template if missing")? {
                Ok(_) => {}
                Err(Errno::NOENT) => setup.creates.push(template.name),
                Err(errno) => {
                    let reason = format!("{}: {}", errno.name(), errno.text());
                    return Err(Halt::refused(self.workspace.join(template.name), reason));
                }
            }
        }
        record.seeded |= bootstrap;
        if !record.complete {
            if record.seeded && !bootstrap {
                record.complete = true;
            } else if bootstrap && self.looks_configured(false)? {
                record.complete = true;
                let path = self.workspace.join("BOOTSTRAP.md");
                let entry = self.search.lstat(&path, "deleted when the workspace looks configured")?;
                setup.deletes_bootstrap = entry.is_ok_and(|meta| meta.kind != FileType::Dir);
            }
        }
        if !record.seeded && !record.complete && !bootstrap {
            if self.looks_configured(!reseeding)? {
                record.complete = true;
            } else {
                setup.creates.push("BOOTSTRAP.md");
            }
        }
        setup.complete = record.complete;
        Ok(setup)
    }

    /// Reads the record from the state database; refuses if state files of older versions exist.
    fn record(&mut self, home: &Home) -> Known<Record> {
        for name in ["openclaw-workspace-state.json", ".openclaw/workspace-state.json"] {
            let file = self.workspace.join(name);
            if self.search.lstat(&file, "state of an older version, which stops the client")?.is_ok() {
                let reason = "setup state of an older version is still here; run `openclaw doctor --fix`";
                return Err(Halt::refused(file, reason));
            }
        }
        let key = hash(canonical(self.workspace, home, self.search)?.as_bytes());
        let file = home.on_disk(&home.state.join("state/openclaw.sqlite"));
        let ask = |query| Ask::Rows { file: file.clone(), query, key: key.clone() };
        self.search.expect([ask(STATE_QUERY), ask(HASHES_QUERY)])?;
        let state = self.search.rows(&file, STATE_QUERY, &key, "whether the setup is complete")?;
        let state = match state {
            Ok(rows) => rows,
            Err(problem) => {
                return Err(Halt::refused(file, format!("the state database cannot be read: {problem}")));
            }
        };
        let Some(row) = state.first() else { return Ok(Record::default()) };
        let hashes = self.search.rows(&file, HASHES_QUERY, &key, "which files were made from templates")?;
        Ok(recorded(row, hashes.as_deref().unwrap_or_default()))
    }

    /// Deletes the record, unless it is so recent that the workspace must have been lost by accident.
    fn forget(&self, record: &mut Record) -> Known<()> {
        if self.is_recent(record.attested_ms) || (record.is_marked() && self.is_recent(record.updated_ms)) {
            return Err(self.vanished());
        }
        *record = Record::default();
        Ok(())
    }

    fn vanished(&self) -> Halt {
        let reason = "the workspace was in use less than a day ago and is empty now; OpenClaw refuses to start over";
        Halt::refused(self.workspace, reason)
    }

    /// Returns true if the time may be recent. Only the day is known, so a time that may still be recent today counts.
    fn is_recent(&self, at_ms: Option<i64>) -> bool {
        at_ms.is_some_and(|at| self.today_ms - at <= RECENT_MS)
    }

    fn is_there(&mut self, name: &str, rule: &'static str) -> Known<bool> {
        let path = self.workspace.join(name);
        Ok(self.search.stat(&path, rule)?.is_ok())
    }

    /// Returns true if SOUL.md, IDENTITY.md or USER.md differ from their templates, or the workspace shows other signs
    /// of use.
    fn looks_configured(&mut self, git: bool) -> Known<bool> {
        let mut differs = false;
        for name in ["SOUL.md", "IDENTITY.md", "USER.md"] {
            differs |= self.differs(name)?;
        }
        Ok(differs || self.has_user_content(git)?)
    }

    fn has_user_content(&mut self, git: bool) -> Known<bool> {
        const RULE: &str = "a sign that the workspace is in use";
        if self.is_there("memory", RULE)? || (git && self.is_there(".git", RULE)?) {
            return Ok(true);
        }
        let listing = self.search.list(self.workspace, "names in their exact case")?;
        if listing.is_ok_and(|entries| entries.iter().any(|entry| entry.name == "MEMORY.md")) {
            return Ok(true);
        }
        self.has_a_skill()
    }

    fn has_a_skill(&mut self) -> Known<bool> {
        let skills = self.workspace.join("skills");
        let Ok(entries) = self.search.list(&skills, "a skill is a sign that the workspace is in use")? else {
            return Ok(false);
        };
        for entry in entries.iter().filter(|entry| entry.kind == FileType::Dir) {
            let file = skills.join(&entry.name).join("SKILL.md");
            if self.search.stat(&file, "a skill is a sign that the workspace is in use")?.is_ok() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns true if the workspace contains anything that OpenClaw did not create itself.
    fn has_any_content(&mut self) -> Known<bool> {
        const OWN: [&str; 3] = [".DS_Store", ".openclaw", "openclaw-workspace-state.json"];
        let Ok(entries) = self.search.list(self.workspace, "whether the workspace is empty")? else { return Ok(false) };
        for entry in entries.iter() {
            if OWN.iter().any(|own| entry.name == *own) {
                continue;
            }
            if entry.name == "skills" && entry.kind == FileType::Dir && !self.has_a_skill()? {
                continue;
            }
            return Ok(true);
        }
        Ok(false)
    }

    fn template(&self, name: &str) -> Option<&'static Template> {
        self.templates.iter().find(|template| template.name == name)
    }

    /// Returns true if a file exists and differs from its template. A file that Node cannot read into a string ends the
    /// turn.
    fn differs(&mut self, name: &str) -> Known<bool> {
        let path = self.workspace.join(name);
        let found = self.search.read(&path, "compared with its template")?;
        match found {
            Ok(raw) => Ok(!self.template(name).is_some_and(|template| template.is(&raw))),
            Err(Unreadable::Errno(Errno::NOENT)) => Ok(false),
            Err(Unreadable::TooLarge(len)) if len < NODE_LIMIT_BYTES => Ok(true),
            // Reading it gives an empty text, which differs from the template.
            Err(Unreadable::Not(FileType::Device)) => Ok(true),
            Err(Unreadable::Not(FileType::Dir)) => {
                Err(Halt::refused(path, "EISDIR: illegal operation on a directory, read (compared with its template)"))
            }
            Err(Unreadable::Not(FileType::Fifo)) => {
                Err(Halt::refused(path, "a FIFO: OpenClaw would wait forever to compare it with its template"))
            }
            Err(problem) => {
                Err(Halt::refused(path, format!("{problem}; OpenClaw compares it with its template and fails")))
            }
        }
    }

    /// Returns the hash of a file's text.
    fn hash(&mut self, name: &str) -> Known<Option<String>> {
        let path = self.workspace.join(name);
        Ok(self.search.read(&path, "compared with what was recorded")?.ok().map(|raw| hash(raw.text().as_bytes())))
    }

    fn agents_is_customized(&mut self, hashes: &BTreeMap<String, String>) -> Known<bool> {
        let found = self.hash("AGENTS.md")?;
        let template = self.template("AGENTS.md").map(|template| template.sha256);
        Ok(found.is_some_and(|found| {
            let recorded = hashes.get("AGENTS.md").map(String::as_str);
            Some(found.as_str()) != template && (hashes.is_empty() || Some(found.as_str()) != recorded)
        }))
    }

    fn generated_files_are_intact(&mut self, hashes: &BTreeMap<String, String>) -> Known<bool> {
        if !hashes.contains_key("AGENTS.md") {
            return Ok(false);
        }
        for (name, recorded) in hashes {
            if self.template(name).is_some() && self.hash(name)?.as_ref() != Some(recorded) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn all_templates(&mut self) -> Known<bool> {
        for template in self.templates {
            if self.hash(template.name)?.as_deref() != Some(template.sha256) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Returns true if the workspace exists; refuses if it cannot be created.
pub(super) fn workspace_exists(workspace: &Path, search: &mut Search) -> Known<bool> {
    let reason = match search.stat(workspace, "the workspace")? {
        Ok(meta) if meta.kind == FileType::Dir => return Ok(true),
        Ok(meta) => format!("the workspace is a {}, and no directory can be made there", meta.kind.word()),
        Err(Errno::NOENT) if search.lstat(workspace, "the workspace")?.is_err() => return Ok(false),
        Err(errno) => format!("the workspace cannot be made: {}: {}", errno.name(), errno.text()),
    };
    Err(Halt::refused(workspace, reason))
}

impl Template {
    /// Returns true if a file equals the template.
    pub(super) fn is(&self, raw: &[u8]) -> bool {
        hash(lossy(raw).as_bytes()) == self.sha256
    }
}

fn recorded(row: &Row, hashes: &[Row]) -> Record {
    let text = |column: usize| row.get(column).and_then(Option::as_deref).filter(|text| !js_trim(text).is_empty());
    let number = |column: usize| text(column).and_then(|text| text.parse().ok());
    let pair = |row: &Row| Some((row.first()?.clone()?, row.get(1)?.clone()?));
    Record {
        seeded: text(0).is_some(),
        complete: text(1).is_some(),
        exists: text(2).is_some(),
        updated_ms: number(3),
        attested_ms: number(4),
        hashes: hashes.iter().filter_map(pair).collect(),
    }
}

/// Returns the real path, in NFC. If the path does not exist, only its nearest existing directory is resolved.
fn canonical(path: &Path, home: &Home, search: &mut Search) -> Known<String> {
    let mut missing = PathBuf::new();
    let mut here = path;
    let real = loop {
        if let Ok(real) = search.real(here)? {
            break real;
        }
        let (Some(parent), Some(name)) = (here.parent(), here.file_name()) else { break here.to_owned() };
        missing = Path::new(name).join(&missing);
        here = parent;
    };
    let whole: PathBuf = real.components().chain(missing.components()).collect();
    let whole = home.named(&whole);
    let text = whole.to_string_lossy();
    Ok(icu_normalizer::ComposingNormalizerBorrowed::new_nfc().normalize(&text).into_owned())
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the milliseconds from 1970 to the beginning of a day.
fn start_of_day((year, month, day): (i16, u8, u8)) -> i64 {
    let date = jiff::civil::Date::new(year, month as i8, day as i8).unwrap_or_default();
    let since = date - jiff::civil::Date::constant(1970, 1, 1);
    i64::from(since.get_days()) * 24 * 60 * 60 * 1000
}
