//! Parses the few settings of a repository that decide whether git opens it and where its work tree is.

/// Settings in the order of the file: section and key (both in lower case), and value, which is `None` for a key
/// without `=`.
#[derive(Default)]
pub(super) struct Config(Vec<(String, String, Option<String>)>);

/// Extensions that git 2.47 accepts in format 0.
const EXTENSIONS_V0: [&str; 4] = ["noop", "preciousobjects", "partialclone", "worktreeconfig"];
/// Extensions that git 2.47 accepts in format 1 only.
const EXTENSIONS_V1: [&str; 4] = ["noop-v1", "objectformat", "compatobjectformat", "refstorage"];

impl Config {
    /// Parses a file; `None` if git reports a bad line and exits.
    pub fn parse(raw: &[u8]) -> Option<Config> {
        let text = String::from_utf8_lossy(raw.strip_prefix(b"\xef\xbb\xbf").unwrap_or(raw)).replace("\r\n", "\n");
        let mut config = Config::default();
        let mut section = String::new();
        let mut rest = text.as_str();
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\u{b}');
            if rest.is_empty() {
                return Some(config);
            }
            if rest.starts_with(['#', ';']) {
                rest = rest.find('\n').map_or("", |end| &rest[end..]);
                continue;
            }
            if let Some(header) = rest.strip_prefix('[') {
                (section, rest) = section_name(header)?;
                continue;
            }
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(rest.len());
            let key = rest[..end].to_ascii_lowercase();
            if !key.starts_with(|c: char| c.is_ascii_alphabetic()) {
                return None;
            }
            rest = rest[end..].trim_start_matches([' ', '\t']);
            let value = match rest.strip_prefix('=') {
                Some(after) => {
                    let (value, after) = value(after)?;
                    rest = after;
                    Some(value)
                }
                None if rest.is_empty() || rest.starts_with('\n') => None,
                None => return None,
            };
            config.0.push((section.clone(), key, value));
        }
    }

    /// Appends the settings of `more`, which take precedence.
    pub fn followed_by(mut self, more: Config) -> Config {
        self.0.extend(more.0);
        self
    }

    /// Returns true if `core.repositoryformatversion` is set.
    pub fn names_a_format(&self) -> bool {
        self.last("core", "repositoryformatversion").is_some()
    }

    /// Returns true if git understands the repository's format. `None` for a value on which git exits.
    pub fn is_readable(&self) -> Option<bool> {
        let mut version = 0;
        for (_, key, value) in self.0.iter().filter(|(section, ..)| section == "core") {
            if key == "repositoryformatversion" {
                version = value.as_deref()?.parse::<i64>().ok()?;
            }
        }
        let (mut unknown, mut v1_only) = (false, false);
        for (_, key, value) in self.0.iter().filter(|(section, ..)| section == "extensions") {
            let known_value = match key.as_str() {
                "objectformat" | "compatobjectformat" => matches!(value.as_deref()?, "sha1" | "sha256"),
                "refstorage" => matches!(value.as_deref()?, "files" | "reftable"),
                _ => true,
            };
            if !known_value {
                return None;
            }
            v1_only |= EXTENSIONS_V1.contains(&key.as_str());
            unknown |= !EXTENSIONS_V0.contains(&key.as_str()) && !EXTENSIONS_V1.contains(&key.as_str());
        }
        Some(version <= 1 && !(version >= 1 && unknown) && !(version == 0 && v1_only))
    }

    /// Returns `extensions.worktreeConfig`.
    pub fn per_worktree(&self) -> Option<bool> {
        self.flag("extensions", "worktreeconfig").map(|flag| flag.unwrap_or(false))
    }

    /// Returns the length of object names in bytes (`extensions.objectFormat`).
    pub fn name_len(&self) -> usize {
        match self.last("extensions", "objectformat") {
            Some(Some(format)) if format == "sha256" => 32,
            _ => 20,
        }
    }

    /// Returns true if branches and tags are not stored as files (`extensions.refStorage`).
    pub fn uses_reftable(&self) -> bool {
        self.last("extensions", "refstorage").is_some_and(|format| format.as_deref() == Some("reftable"))
    }

    /// Returns `core.bare`, if set. The outer `None` is a value on which git exits.
    pub fn bare(&self) -> Option<Option<bool>> {
        self.flag("core", "bare")
    }

    /// Returns `core.worktree`, if set. The outer `None` is a value on which git exits.
    pub fn worktree(&self) -> Option<Option<String>> {
        match self.last("core", "worktree") {
            None => Some(None),
            Some(None) => None,
            Some(Some(path)) => Some(Some(path.clone())),
        }
    }

    fn last(&self, section: &str, key: &str) -> Option<&Option<String>> {
        self.0.iter().rev().find(|(s, k, _)| s == section && k == key).map(|(.., value)| value)
    }

    fn flag(&self, section: &str, key: &str) -> Option<Option<bool>> {
        let Some(value) = self.last(section, key) else { return Some(None) };
        let Some(text) = value else { return Some(Some(true)) };
        match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Some(Some(true)),
            "false" | "no" | "off" | "" => Some(Some(false)),
            number => number.parse::<i64>().ok().map(|number| Some(number != 0)),
        }
    }
}

/// Parses a section header such as `core]` or `remote "origin"]`: the name in lower case, a subsection appended after a
/// dot.
fn section_name(header: &str) -> Option<(String, &str)> {
    let end = header.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '.')?;
    let name = header[..end].to_ascii_lowercase();
    let rest = &header[end..];
    if let Some(rest) = rest.strip_prefix(']') {
        return Some((name, rest));
    }
    let quoted = rest.trim_start_matches([' ', '\t']).strip_prefix('"')?;
    let mut escaped = false;
    for (at, c) in quoted.char_indices() {
        match c {
            '\n' => return None,
            _ if std::mem::take(&mut escaped) => {}
            '\\' => escaped = true,
            '"' => return Some((format!("{name}.{}", &quoted[..at]), quoted[at + 1..].strip_prefix(']')?)),
            _ => {}
        }
    }
    None
}

/// Parses a value up to the end of its line, with quotes, escapes, comments and continuation lines.
fn value(text: &str) -> Option<(String, &str)> {
    let (mut out, mut kept, mut quoted) = (String::new(), 0, false);
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\n' if quoted => return None,
            '\n' => {
                out.truncate(kept);
                return Some((out, &text[at..]));
            }
            ' ' | '\t' if !quoted => {
                if !out.is_empty() {
                    out.push(c);
                }
                continue;
            }
            '#' | ';' if !quoted => {
                let rest = text[at..].find('\n').map_or("", |end| &text[at + end..]);
                out.truncate(kept);
                return Some((out, rest));
            }
            '"' => quoted = !quoted,
            '\\' => match chars.next()?.1 {
                '\n' => continue,
                't' => out.push('\t'),
                'n' => out.push('\n'),
                'b' => out.push('\u{8}'),
                c @ ('\\' | '"') => out.push(c),
                _ => return None,
            },
            c => out.push(c),
        }
        kept = out.len();
    }
    out.truncate(kept);
    (!quoted).then_some((out, ""))
}
