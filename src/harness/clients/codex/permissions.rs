//! File permissions of the agent's commands, as the environment block shows them: a sandbox mode, or a profile of
//! permissions.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use super::layers::{ARGUMENTS, Layers};
use super::{history as h, paths};
use crate::answer::Refusal;
use crate::formats::Value;
use crate::harness::Version;
use crate::snapshot::absolute;

/// File permissions of commands; by default everything is allowed.
#[derive(Default)]
pub(super) struct Permissions {
    /// The roots of the workspace.
    pub roots: Vec<PathBuf>,
    pub profile: Profile,
    pub reads: Reads,
}

/// A profile of permissions.
#[derive(Default)]
pub(super) enum Profile {
    /// Everything is allowed.
    #[default]
    Disabled,
    Managed {
        /// Maximum depth in folders to which patterns are searched.
        scan_depth: Option<i64>,
        entries: Vec<Entry>,
    },
}

/// One entry of a profile.
pub(super) struct Entry {
    pub access: Access,
    pub what: What,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    Deny,
}

/// Subject of an entry.
pub(super) enum What {
    /// A name that begins with a colon.
    Special(String),
    Path(PathBuf),
    Glob(String),
}

/// Files that the client itself may read; it reads instruction files under the same restrictions as its commands.
#[derive(Default)]
pub(super) enum Reads {
    #[default]
    Everything,
    /// Everything but what is denied.
    AllBut(Denied),
    /// It depends on more than the settings.
    Unclear,
}

/// Paths and patterns that the client may not read.
#[derive(Default)]
pub(super) struct Denied {
    /// Paths that are denied with everything below them.
    paths: Vec<PathBuf>,
    globs: Vec<String>,
}

impl Denied {
    /// Returns true if `path`, a real path, cannot be read.
    pub fn holds(&self, path: &Path) -> bool {
        self.paths.iter().any(|denied| path.starts_with(denied))
    }

    /// Returns true if a pattern may match `path`: a name on the path ends like the pattern's last part.
    pub fn may_hold(&self, path: &Path) -> bool {
        let names = || path.iter().map(|name| name.to_string_lossy());
        let ends = self.globs.iter().map(|glob| {
            let last = glob.rsplit('/').next().unwrap_or_default();
            last.rsplit(['*', '?', ']']).next().unwrap_or_default()
        });
        ends.into_iter().any(|end| names().any(|name| name.ends_with(end)))
    }
}

/// Start directory of the session, and the permissions given on the command line.
pub(super) struct Asked<'a> {
    pub cwd: &'a Path,
    pub home: &'a Path,
    /// Value of `--sandbox`.
    pub sandbox: Option<&'a str>,
    /// Values of `--add-dir`.
    pub add_dirs: Vec<&'a str>,
    /// True if the user marked the project as trusted or untrusted.
    pub is_decided: bool,
    /// Rules for permissions in this version.
    pub form: Form,
}

/// Rules for permissions in a version.
#[derive(Clone, Copy)]
pub(super) struct Form {
    /// True if the version has permissions, and requires a default if there are profiles.
    pub are_known: bool,
    /// True if the version has built-in profiles and `glob_scan_max_depth`.
    has_own: bool,
    /// True if patterns may be denied, not only paths.
    denies_patterns: bool,
    /// Folders in a workspace root to which no command may write.
    protected: &'static [&'static str],
    /// Protected folders that a profile inherits from `:workspace`.
    protected_below: &'static [&'static str],
    /// True if the roots that a profile adds are workspace roots.
    adds_roots: bool,
    /// True if the permissions also apply to files that the client itself reads.
    keeps_from_files: bool,
}

/// Folders in a workspace root that hold settings of programs, and history.
const PROTECTED: &[&str] = &[".git", ".agents", ".codex", ".aws"];

impl Form {
    pub fn for_version(version: Version) -> Form {
        Form {
            are_known: version.has(&h::GIT_BY_POINTER),
            has_own: version.has(&h::OWN_PERMISSIONS),
            denies_patterns: version.has(&h::LOSSY),
            protected: version.pick(&h::AWS_IS_PROTECTED, PROTECTED, &PROTECTED[..3]),
            protected_below: version.pick(&h::NOTHING_PROTECTED, &[], &PROTECTED[..3]),
            adds_roots: !version.has(&h::PERMISSION_ROOTS),
            keeps_from_files: version.has(&h::GIT_HOLDS_HEAD),
        }
    }
}

/// Keys that select the permissions. The key in the higher layer counts; in the same layer, the profile.
const MODE: &[&str] = &["sandbox_mode"];
const DEFAULT: &[&str] = &["default_permissions"];

const WORKSPACE: &str = ":workspace";
const READ_ONLY: &str = ":read-only";
const FULL_ACCESS: &str = ":danger-full-access";

impl Permissions {
    pub fn read(layers: &Layers, asked: &Asked) -> Result<Permissions, Refusal> {
        let mut roots = vec![asked.cwd.to_owned()];
        roots.extend(asked.add_dirs.iter().map(|dir| paths::in_settings(dir, asked.cwd, asked.home)));
        let mode = asked.sandbox.or_else(|| {
            let (mode, _) = layers.value(MODE)?;
            mode.as_text().filter(|_| layers.height(MODE) > layers.height(DEFAULT))
        });
        let named = layers.value(DEFAULT).and_then(|(node, from)| Some((node.as_text()?, from)));
        match (mode, named) {
            (Some(mode), _) => Ok(Permissions::of_mode(mode, roots, layers, asked)),
            (None, Some((name, from))) => Permissions::of_name(name, from, unique(roots), layers, asked),
            (None, None) => {
                let names =
                    layers.value(&["permissions"]).filter(|(node, _)| node.as_table().is_some_and(|t| !t.is_empty()));
                if let Some((_, from)) = names {
                    let what = "config defines `[permissions]` profiles but does not set `default_permissions`";
                    return Err(Refusal::new(from, what));
                }
                let mode = if asked.is_decided { "workspace-write" } else { "read-only" };
                Ok(Permissions::of_mode(mode, roots, layers, asked))
            }
        }
    }

    fn of_mode(mode: &str, mut roots: Vec<PathBuf>, layers: &Layers, asked: &Asked) -> Permissions {
        let key = |key| layers.value(&["sandbox_workspace_write", key]);
        if let Some((written, from)) = key("writable_roots") {
            let base = if from == ARGUMENTS { asked.cwd } else { Path::new(from).parent().unwrap_or(asked.cwd) };
            let written = written.as_texts().unwrap_or_default();
            roots.extend(written.iter().map(|root| paths::in_settings(root, base, asked.home)));
        }
        let roots = unique(roots);
        let has = |switch| key(switch).and_then(|(node, _)| node.as_bool()) == Some(true);
        let profile = match mode {
            "danger-full-access" => Profile::Disabled,
            "workspace-write" => {
                let tmp = (!has("exclude_slash_tmp"), !has("exclude_tmpdir_env_var"));
                Profile::workspace(&roots, tmp, asked.form.protected)
            }
            _ => Profile::read_only(),
        };
        Permissions { roots, profile, reads: Reads::Everything }
    }

    /// Resolves a profile by its name: a built-in one, or one of the user's.
    fn of_name(
        name: &str,
        from: &str,
        roots: Vec<PathBuf>,
        layers: &Layers,
        asked: &Asked,
    ) -> Result<Permissions, Refusal> {
        let profile = match name {
            name if name.starts_with(':') && !asked.form.has_own => {
                return Err(Refusal::new(from, format!("default_permissions refers to undefined profile `{name}`")));
            }
            WORKSPACE => Profile::workspace(&roots, (true, true), asked.form.protected),
            READ_ONLY => Profile::read_only(),
            FULL_ACCESS => Profile::Disabled,
            name if name.starts_with(':') => {
                let what = format!("default_permissions refers to unknown built-in profile `{name}`");
                return Err(Refusal::new(from, what));
            }
            name => {
                let own = Own::read(name, from, layers, asked.form.protected_below)?;
                if own.scan_depth.is_some() && !asked.form.has_own {
                    return Err(Refusal::new(from, format!("`{SCAN_DEPTH}` is not known to this version")));
                }
                let (scan_depth, entries) = (own.scan_depth, own.entries(&roots, asked)?);
                let reads = if asked.form.keeps_from_files { reads(&entries) } else { Reads::Everything };
                let roots = if asked.form.adds_roots { own.all_roots(&roots, asked) } else { roots };
                return Ok(Permissions { roots, profile: Profile::Managed { scan_depth, entries }, reads });
            }
        };
        Ok(Permissions { roots, profile, reads: Reads::Everything })
    }
}

/// Removes duplicate paths, and keeps the order.
fn unique(paths: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut known = HashSet::new();
    paths.into_iter().filter(|path| known.insert(path.clone())).collect()
}

impl Profile {
    fn read_only() -> Profile {
        Profile::Managed { scan_depth: None, entries: vec![Entry::special(Access::Read, ":root")] }
    }

    fn workspace(roots: &[PathBuf], (slash_tmp, tmpdir): (bool, bool), protected: &[&str]) -> Profile {
        let mut entries = vec![Entry::special(Access::Read, ":root")];
        entries.extend(roots.iter().map(|root| Entry::path(Access::Write, root.clone())));
        entries.extend(slash_tmp.then(|| Entry::special(Access::Write, ":slash_tmp")));
        entries.extend(tmpdir.then(|| Entry::special(Access::Write, ":tmpdir")));
        for protected in protected {
            entries.extend(roots.iter().map(|root| Entry::path(Access::Read, root.join(protected))));
        }
        Profile::Managed { scan_depth: None, entries }
    }
}

impl Entry {
    fn special(access: Access, name: &str) -> Entry {
        Entry { access, what: What::Special(name.to_owned()) }
    }

    fn path(access: Access, path: PathBuf) -> Entry {
        Entry { access, what: What::Path(path) }
    }
}

/// A user's profile merged with everything that it extends.
#[derive(Default)]
struct Own {
    scan_depth: Option<i64>,
    /// Additional workspace roots; the model sees them only as entries.
    roots: BTreeMap<String, bool>,
    files: BTreeMap<String, Rule>,
}

/// Access that a profile gives to one name.
enum Rule {
    All(Access),
    /// Access to paths below the name.
    Below(BTreeMap<String, Access>),
}

impl Own {
    /// Reads the profile `name`, and merges it with what it extends.
    fn read(name: &str, from: &str, layers: &Layers, protected: &[&str]) -> Result<Own, Refusal> {
        let refused = |what: String| Refusal::new(from, what);
        let Some((table, _)) = layers.value(&["permissions"]) else {
            return Err(refused("default_permissions requires a `[permissions]` table".to_owned()));
        };
        if let Some((name, _)) = table.as_table().unwrap_or_default().iter().find(|(name, _)| name.starts_with(':')) {
            return Err(refused(format!("permissions profile `{name}` uses a reserved built-in profile prefix")));
        }
        let mut chain = vec![name];
        let mut own = Own::default();
        loop {
            let profile = chain.last().copied().unwrap_or(name);
            let Some(_) = layers.value(&["permissions", profile]) else {
                let what = match chain.as_slice() {
                    [.., below, _] => format!("permissions profile `{below}` extends undefined profile `{profile}`"),
                    _ => format!("default_permissions refers to undefined profile `{profile}`"),
                };
                return Err(refused(what));
            };
            own.underlay(profile, layers)?;
            match layers.value(&["permissions", profile, "extends"]).and_then(|(node, _)| node.as_text()) {
                None => return Ok(own),
                Some(base @ (WORKSPACE | READ_ONLY)) => {
                    own.underlay_builtin(base, protected);
                    return Ok(own);
                }
                Some(base) if base.starts_with(':') => {
                    let what =
                        format!("permissions profile `{profile}` cannot extend unsupported built-in profile `{base}`");
                    return Err(refused(what));
                }
                Some(base) if chain.contains(&base) => {
                    let what =
                        format!("permissions profile inheritance cycle detected: {} -> {base}", chain.join(" -> "));
                    return Err(refused(what));
                }
                Some(base) => chain.push(base),
            }
        }
    }

    /// Adds the values of one profile that no profile above it has set.
    fn underlay(&mut self, profile: &str, layers: &Layers) -> Result<(), Refusal> {
        for root in layers.names(&["permissions", profile, "workspace_roots"]) {
            let is_on = layers.value(&["permissions", profile, "workspace_roots", root]);
            let is_on = is_on.and_then(|(node, _)| node.as_bool()).unwrap_or(false);
            self.roots.entry(root.to_owned()).or_insert(is_on);
        }
        for name in layers.names(&["permissions", profile, "filesystem"]) {
            let Some((node, from)) = layers.value(&["permissions", profile, "filesystem", name]) else { continue };
            match &node.value {
                Value::Integer(depth) if name == SCAN_DEPTH && *depth < 1 => {
                    return Err(Refusal::new(from, format!("{SCAN_DEPTH} must be at least 1")));
                }
                Value::Integer(depth) if name == SCAN_DEPTH => {
                    self.scan_depth.get_or_insert(*depth);
                }
                Value::Text(word) => self.add(name, Rule::All(access(word))),
                Value::Table(_) => {
                    let below = layers.names(&["permissions", profile, "filesystem", name]);
                    let below = below.into_iter().filter_map(|path| {
                        let (node, _) = layers.value(&["permissions", profile, "filesystem", name, path])?;
                        Some((path.to_owned(), access(node.as_text()?)))
                    });
                    self.add(name, Rule::Below(below.collect()));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn underlay_builtin(&mut self, name: &str, protected: &[&str]) {
        self.add(":root", Rule::All(Access::Read));
        if name == WORKSPACE {
            self.add(":slash_tmp", Rule::All(Access::Write));
            self.add(":tmpdir", Rule::All(Access::Write));
            let protected = protected.iter().map(|&folder| (folder.to_owned(), Access::Read));
            let below = std::iter::once((".".to_owned(), Access::Write)).chain(protected);
            self.add(":workspace_roots", Rule::Below(below.collect()));
        }
    }

    /// Adds a rule. Two tables of one name are merged, and the upper one wins.
    fn add(&mut self, name: &str, rule: Rule) {
        match (self.files.get_mut(name), rule) {
            (None, rule) => {
                self.files.insert(name.to_owned(), rule);
            }
            (Some(Rule::Below(upper)), Rule::Below(lower)) => {
                for (path, access) in lower {
                    upper.entry(path).or_insert(access);
                }
            }
            (Some(_), _) => {}
        }
    }

    /// Returns the workspace roots, and those of the profile.
    fn all_roots(&self, roots: &[PathBuf], asked: &Asked) -> Vec<PathBuf> {
        let further = self.roots.iter().filter(|(_, is_on)| **is_on);
        let further = further.map(|(root, _)| paths::in_settings(root, asked.cwd, asked.home));
        unique(roots.iter().cloned().chain(further).collect())
    }

    /// Returns the entries sorted by name, with workspace entries repeated for each root.
    fn entries(&self, roots: &[PathBuf], asked: &Asked) -> Result<Vec<Entry>, Refusal> {
        let roots = self.all_roots(roots, asked);
        let mut entries = Vec::new();
        for (name, rule) in &self.files {
            match (name.as_str(), rule) {
                (":workspace_roots" | ":project_roots", Rule::All(access)) => {
                    entries.extend(roots.iter().map(|root| Entry::path(*access, root.clone())));
                }
                (":workspace_roots" | ":project_roots", Rule::Below(below)) => {
                    for root in &roots {
                        entries.extend(entries_below(root, below, asked)?);
                    }
                }
                (special, Rule::All(access)) if special.starts_with(':') => {
                    entries.push(Entry::special(*access, special));
                }
                (special, Rule::Below(_)) if special.starts_with(':') => {
                    let what = format!("filesystem path `{special}` does not support nested entries");
                    return Err(Refusal::new(asked.cwd, what));
                }
                (written, rule) => {
                    if !(written.starts_with('/') || written == "~" || written.starts_with("~/")) {
                        let what =
                            format!("filesystem path `{written}` must be absolute, use `~/...`, or start with `:`");
                        return Err(Refusal::new(asked.cwd, what));
                    }
                    match rule {
                        Rule::All(access) => entries.push(entry(None, written, *access, asked)?),
                        Rule::Below(below) => {
                            let path = paths::in_settings(written, asked.cwd, asked.home);
                            entries.extend(entries_below(&path, below, asked)?);
                        }
                    }
                }
            }
        }
        Ok(entries)
    }
}

/// The one key of `filesystem` that is not a path.
const SCAN_DEPTH: &str = "glob_scan_max_depth";

fn access(word: &str) -> Access {
    match word {
        "read" => Access::Read,
        "write" => Access::Write,
        _ => Access::Deny,
    }
}

fn entries_below(dir: &Path, below: &BTreeMap<String, Access>, asked: &Asked) -> Result<Vec<Entry>, Refusal> {
    let entry = |(path, access): (&String, &Access)| match path.as_str() {
        "." => Ok(Entry::path(*access, dir.to_owned())),
        path if path.starts_with('/') || path.split('/').any(|part| matches!(part, "" | "." | "..")) => {
            let what = format!("filesystem subpath `{path}` must be a descendant path without `.` or `..` components");
            Err(Refusal::new(asked.cwd, what))
        }
        path => entry(Some(dir), path, *access, asked),
    };
    below.iter().map(entry).collect()
}

/// Creates the entry for a path. Patterns can only be denied; a trailing `/**` means the same as the path itself.
fn entry(dir: Option<&Path>, written: &str, access: Access, asked: &Asked) -> Result<Entry, Refusal> {
    let whole = |path: &str| match dir {
        Some(dir) => absolute(dir, Path::new(path)),
        None => paths::in_settings(path, asked.cwd, asked.home),
    };
    let is_glob = |path: &str| path.contains(['*', '?', '[', ']']);
    if !is_glob(written) {
        return Ok(Entry::path(access, whole(written)));
    }
    match access {
        Access::Deny if !asked.form.denies_patterns => {
            Err(Refusal::new(asked.cwd, format!("filesystem glob path `{written}` is not supported by this version")))
        }
        Access::Deny => {
            let glob = whole(written).to_string_lossy().into_owned();
            Ok(Entry { access, what: What::Glob(glob) })
        }
        Access::Read | Access::Write => match written.strip_suffix("/**").filter(|path| !is_glob(path)) {
            Some(path) => Ok(Entry::path(access, whole(path))),
            None => {
                let what = format!("filesystem glob path `{written}` only supports `deny` access");
                Err(Refusal::new(asked.cwd, what))
            }
        },
    }
}

/// Returns the files that may be read: if the root of the disk is readable, everything that is not denied.
fn reads(entries: &[Entry]) -> Reads {
    let is_root = |what: &What| match what {
        What::Special(name) => name == ":root",
        What::Path(path) => path == Path::new("/"),
        What::Glob(_) => false,
    };
    let is_denied = |entry: &&Entry| entry.access == Access::Deny;
    let whole = entries.iter().any(|entry| is_root(&entry.what) && entry.access != Access::Deny);
    if !whole || entries.iter().filter(is_denied).any(|entry| is_root(&entry.what)) {
        return Reads::Unclear;
    }
    let mut denied = Denied::default();
    for entry in entries.iter().filter(is_denied) {
        match &entry.what {
            What::Path(path) => denied.paths.push(path.clone()),
            What::Glob(glob) => denied.globs.push(glob.clone()),
            What::Special(_) => return Reads::Unclear,
        }
    }
    if denied.paths.is_empty() && denied.globs.is_empty() { Reads::Everything } else { Reads::AllBut(denied) }
}
