//! Imports: a token `@path` is replaced by the text of the file, or by a comment with the reason why not.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::history::Links;
use super::paths::{resolved, within};
use super::settings::Format;
use super::tokens::{Token, imports};
use crate::answer::{Answer, Certain, Fate, Scope, Source, Trigger, Warning};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, Content, Errno, FileType, Unreadable, absolute};
use crate::text::{js_trim, js_trimmed};

/// Maximum depth of imports, in files below the first (Gemini CLI 0.61, `maxDepth`). The flat format has no limit.
const DEPTH_LIMIT: usize = 5;
/// Maximum size of a file that Node reads at once, in bytes: 2 GiB less one byte.
const NODE_FILE_LIMIT_BYTES: u64 = (1 << 31) - 1;
/// Maximum number of imports that one answer follows. The client has no such limit. A chain of files is discovered one
/// by one.
const IMPORT_CAP: usize = 2_000;
/// Maximum size of all imported text in one answer, in bytes. The client has no such limit.
const TEXT_CAP_BYTES: usize = 64 * 1024 * 1024;

/// Resolves the imports of one answer, and counts them.
pub(super) struct Importer<'a> {
    pub markers: &'a [String],
    links: Links,
    pub trigger: Trigger,
    format: Format,
    followed: usize,
    written: usize,
    seen: HashSet<(PathBuf, Fate)>,
}

/// File with its imports.
pub(super) struct Expanded {
    pub text: String,
    /// Ranges of the file's own decoded text that remain.
    pub kept: Vec<Range<usize>>,
}

/// Reason why a file is not inserted.
enum Problem {
    Outside,
    Errno(Errno, &'static str),
    Other(String),
    /// The client would wait forever.
    Hangs,
    /// Exceeds a limit of Briefing.
    Cap(String),
}

impl Importer<'_> {
    pub(super) fn new((markers, links): (&[String], Links), trigger: Trigger) -> Importer<'_> {
        Importer { markers, links, trigger, format: Format::Tree, followed: 0, written: 0, seen: HashSet::new() }
    }

    /// Returns the text of the context file `path` with its imports.
    pub(super) fn expand(
        &mut self,
        path: &Path,
        content: &str,
        format: Format,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Known<Expanded> {
        let dir = path.parent().unwrap_or(path);
        let rule = "imports must stay inside the nearest directory with a boundary marker";
        let root = super::workspaces::boundary(dir, self.markers, rule, search)?.unwrap_or_else(|| dir.to_owned());
        let root = match js_trim(&root.to_string_lossy()) {
            "" => None,
            trimmed => self.checked(Path::new(trimmed), search)?,
        };
        self.format = format;
        match format {
            Format::Tree => {
                let (text, kept) = self.tree(path, content, root.as_deref(), &mut Vec::new(), search, answer)?;
                Ok(Expanded { text, kept })
            }
            Format::Flat => {
                let text = self.flat(path, content, root.as_deref(), search, answer)?;
                Ok(Expanded { text, kept: vec![js_trimmed(content)] })
            }
        }
    }

    /// Returns the text with each import in place of its token. `chain` is the path of imports to this file.
    fn tree(
        &mut self,
        importer: &Path,
        content: &str,
        root: Option<&Path>,
        chain: &mut Vec<PathBuf>,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Known<(String, Vec<Range<usize>>)> {
        let dir = importer.parent().unwrap_or(importer);
        let tokens = imports(content, IMPORT_CAP + 1);
        if chain.len() >= DEPTH_LIMIT {
            if let Some(token) = tokens.first() {
                let message = format!(
                    "{}: @{} and whatever else it imports stays as text: imports are followed {DEPTH_LIMIT} files deep",
                    importer.display(),
                    token.path
                );
                warn(Warning::at("import-too-deep", importer, message), answer);
            }
            return Ok((content.to_owned(), std::iter::once(0..content.len()).collect()));
        }
        expect(dir, &tokens, search)?;
        let (mut text, mut kept, mut from) = (String::new(), Vec::new(), 0);
        for token in tokens {
            text.push_str(&content[from..token.at.start]);
            kept.push(from..token.at.start);
            from = token.at.end;
            let path = absolute(dir, Path::new(&token.path));
            if self.allowed(&path, &token, root, search)? && chain.contains(&path) {
                text.push_str(&format!("<!-- File already processed: {} -->", token.path));
                let message = format!("@{} imports {} again, in a cycle", token.path, path.display());
                warn(Warning::at("import-cycle", importer, message), answer);
                continue;
            }
            match self.read(&path, &token, root, search)? {
                Ok(raw) => {
                    answer.mention(importer, &token.path, [path.clone()]);
                    let inner = self.imported(path, &raw, root, chain, search, answer)?;
                    text.push_str(&format!(
                        "<!-- Imported from: {0} -->\n{inner}\n<!-- End of import from: {0} -->",
                        token.path
                    ));
                }
                Err(problem) => {
                    if let Some(said) = describe(&problem, &path) {
                        text.push_str(&format!("<!-- Import failed: {} - {said} -->", token.path));
                    }
                    self.failed(importer, &path, &token, &problem, search, answer)?;
                }
            }
        }
        text.push_str(&content[from..]);
        kept.push(from..content.len());
        Ok((text, kept.into_iter().filter(|range| !range.is_empty()).collect()))
    }

    /// Returns the text of one imported file with its own imports.
    fn imported(
        &mut self,
        path: PathBuf,
        raw: &Content,
        root: Option<&Path>,
        chain: &mut Vec<PathBuf>,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Known<String> {
        // A file's source precedes those of its imports.
        let place = answer.sources.len();
        chain.push(path.clone());
        let (text, kept) = self.tree(&path, &raw.text(), root, chain, search, answer)?;
        chain.pop();
        self.loaded(place, &path, raw, &kept, answer);
        self.written += text.len();
        Ok(text)
    }

    /// Returns one block per file, each file once, depth first; the last import of each file comes first. The first
    /// block is named after the directory, as the client does.
    fn flat(
        &mut self,
        importer: &Path,
        content: &str,
        root: Option<&Path>,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Known<String> {
        let dir = importer.parent().unwrap_or(importer);
        let mut blocks = vec![block(dir, content)];
        let mut processed = HashSet::from([dir.to_owned()]);
        let todo_of = |file: &Path, content: &str, search: &mut Search| -> Known<_> {
            let tokens = imports(content, IMPORT_CAP + 1);
            expect(file.parent().unwrap_or(file), &tokens, search)?;
            Ok((file.to_owned(), tokens))
        };
        let mut stack = vec![todo_of(importer, content, search)?];
        while let Some((importer, tokens)) = stack.last_mut() {
            let Some(token) = tokens.pop() else {
                stack.pop();
                continue;
            };
            let importer = importer.clone();
            let path = absolute(importer.parent().unwrap_or(&importer), Path::new(&token.path));
            if processed.contains(&path) {
                continue;
            }
            match self.read(&path, &token, root, search)? {
                Ok(raw) => {
                    answer.mention(&importer, &token.path, [path.clone()]);
                    let imported = raw.text();
                    let trimmed = js_trimmed(&imported);
                    self.written += trimmed.len();
                    self.loaded(answer.sources.len(), &path, &raw, &[trimmed], answer);
                    blocks.push(block(&path, &imported));
                    stack.push(todo_of(&path, &imported, search)?);
                    processed.insert(path);
                }
                Err(problem) => self.failed(&importer, &path, &token, &problem, search, answer)?,
            }
        }
        Ok(blocks.join("\n\n"))
    }

    /// Returns true if the client would import from this path.
    fn allowed(&self, path: &Path, token: &Token, root: Option<&Path>, search: &mut Search) -> Known<bool> {
        if ["file://", "http://", "https://"].iter().any(|scheme| token.path.starts_with(scheme)) {
            return Ok(false);
        }
        let Some(checked) = self.checked(path, search)? else { return Ok(false) };
        Ok(root.is_some_and(|root| within(root, &checked)))
    }

    /// Returns the path that the client compares with the boundary; `None` if it cannot be resolved.
    fn checked(&self, path: &Path, search: &mut Search) -> Known<Option<PathBuf>> {
        match self.links {
            Links::AsWritten => Ok(Some(path.to_owned())),
            Links::Resolved => resolved(path, search),
        }
    }

    fn read(
        &mut self,
        path: &Path,
        token: &Token,
        root: Option<&Path>,
        search: &mut Search,
    ) -> Known<Result<Content, Problem>> {
        let rule = "an import";
        Ok(match self.barred((path, rule), token, root, search)? {
            Some(problem) => Err(problem),
            None => search.read(path, rule)?.or_else(|problem| match problem {
                Unreadable::Errno(errno) => Err(Problem::Errno(errno, "open")),
                Unreadable::Not(FileType::Dir) => {
                    Err(Problem::Other("EISDIR: illegal operation on a directory, read".into()))
                }
                Unreadable::Not(FileType::Fifo) => Err(Problem::Hangs),
                // Treated as /dev/null, the only device that a project is likely to link to.
                Unreadable::Not(FileType::Device) => Ok(Content::default()),
                Unreadable::Not(_) => {
                    Err(Problem::Other(format!("ENXIO: no such device or address, open '{}'", path.display())))
                }
                Unreadable::TooLarge(len) if len > NODE_FILE_LIMIT_BYTES => {
                    Err(Problem::Other(format!("File size ({len}) is greater than 2 GiB")))
                }
                Unreadable::TooLarge(_) | Unreadable::Process => Err(Problem::Cap(problem.to_string())),
            }),
        })
    }

    /// Returns the reason why an import is not opened, if it is not.
    fn barred(
        &mut self,
        (path, rule): (&Path, &'static str),
        token: &Token,
        root: Option<&Path>,
        search: &mut Search,
    ) -> Known<Option<Problem>> {
        self.followed += 1;
        if self.followed > IMPORT_CAP || self.written > TEXT_CAP_BYTES {
            let what = if self.written > TEXT_CAP_BYTES { "64 MiB of text" } else { "2 000 imports" };
            return Ok(Some(Problem::Cap(format!("Briefing follows imports up to {what}"))));
        }
        if !self.allowed(path, token, root, search)? {
            return Ok(Some(Problem::Outside));
        }
        Ok(search.stat(path, rule)?.err().map(|errno| Problem::Errno(errno, "access")))
    }

    fn loaded(&mut self, place: usize, path: &Path, raw: &Content, kept: &[Range<usize>], answer: &mut Answer) {
        if !self.seen.insert((path.to_owned(), Fate::Loaded)) {
            let message = format!("{} is imported more than once, and stands there each time", path.display());
            return warn(Warning::at("loaded-twice", path, message), answer);
        }
        let fate = if raw.is_empty() { Fate::Empty } else { Fate::Loaded };
        let source = Source {
            size: Some(raw.size()),
            kept: raw.raw_ranges(kept),
            trigger: self.trigger,
            ..Source::new(path, Scope::Import, fate, "imported by a context file")
        };
        answer.sources.insert(place, source);
    }

    /// Reports the fate of a token whose file cannot be inserted.
    fn failed(
        &mut self,
        importer: &Path,
        path: &Path,
        token: &Token,
        problem: &Problem,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Known<()> {
        if !is_prose(&token.path) {
            answer.mention(importer, &token.path, [path.to_owned()]);
        }
        let (fate, reason, code, message) = self.explained(importer, token, problem, search)?;
        if matches!(problem, Problem::Hangs | Problem::Cap(_)) {
            answer.doubt(&[Certain::Set], message.clone());
        }
        if self.seen.insert((path.to_owned(), fate)) {
            let source = Source::new(path, Scope::Import, fate, reason);
            answer.sources.push(Source { trigger: self.trigger, ..source });
        }
        warn(Warning::at(code, importer, message), answer);
        Ok(())
    }

    /// Returns fate and reason of a file that cannot be inserted, and code and message of the warning.
    fn explained<'p>(
        &self,
        importer: &Path,
        token: &Token,
        problem: &'p Problem,
        search: &mut Search,
    ) -> Known<(Fate, &'p str, &'static str, String)> {
        let at = &token.path;
        let comment = match self.format {
            Format::Tree => "the model gets an error comment instead",
            Format::Flat => "nothing tells the model",
        };
        Ok(match problem {
            Problem::Outside => (
                Fate::Excluded,
                "outside the directory that imports must stay in",
                "import-outside",
                format!("@{at} is outside the directory that imports must stay in; {comment}"),
            ),
            Problem::Errno(Errno::NOENT | Errno::NOTDIR, _) if is_prose(at) => (
                Fate::Missing,
                "does not exist",
                "import-in-prose",
                format!("@{at} is taken for an import; {comment}. Put it in backticks"),
            ),
            Problem::Errno(Errno::NOENT | Errno::NOTDIR, _) => {
                let bare = without_punctuation(at);
                let shorter = absolute(importer.parent().unwrap_or(importer), Path::new(bare));
                if bare != at && search.is_file(&shorter, "is the trailing punctuation to blame?")? {
                    let message =
                        format!("@{at} is missing: its trailing punctuation belongs to the path, and {comment}");
                    (Fate::Missing, "does not exist", "import-punctuation", message)
                } else {
                    (Fate::Missing, "does not exist", "import-missing", format!("@{at} does not exist; {comment}"))
                }
            }
            Problem::Errno(errno, _) => (
                Fate::Unreadable,
                errno.text(),
                "import-unreadable",
                format!("@{at} cannot be read ({}); {comment}", errno.name()),
            ),
            Problem::Other(why) => {
                (Fate::Unreadable, why.as_str(), "import-unreadable", format!("@{at} cannot be read: {why}; {comment}"))
            }
            Problem::Hangs => (
                Fate::Unreadable,
                "a FIFO: Gemini CLI waits for a writer",
                "import-unreadable",
                format!("@{at} is a FIFO: Gemini CLI waits forever"),
            ),
            Problem::Cap(why) => {
                (Fate::Dropped, why.as_str(), "import-cap", format!("more is imported than is shown: {why}"))
            }
        })
    }
}

fn warn(warning: Warning, answer: &mut Answer) {
    if !answer.warnings.contains(&warning) {
        answer.warnings.push(warning);
    }
}

fn without_punctuation(path: &str) -> &str {
    path.trim_end_matches([',', '.', ';', ':', '!', '?', ')', ']', '"', '\''])
}

/// Returns true if a token looks like a person's name rather than a path.
fn is_prose(path: &str) -> bool {
    !without_punctuation(path).contains(['/', '.'])
}

/// Announces the questions about all imports at once, then those about missing files.
fn expect(dir: &Path, tokens: &[Token], search: &mut Search) -> Known<()> {
    let paths = || tokens.iter().take(IMPORT_CAP).map(|token| absolute(dir, Path::new(&token.path)));
    search.expect(paths().flat_map(|path| [Ask::Real(path.clone()), Ask::Kind(path.clone()), Ask::Content(path)]))?;
    let mut missing = Vec::new();
    for path in paths() {
        if search.real(&path)?.is_err() {
            missing.push(Ask::LinkKind(path));
        }
    }
    search.expect(missing)
}

/// Returns the text of the comment in place of the token; `None` if it is not known.
fn describe(problem: &Problem, path: &Path) -> Option<String> {
    match problem {
        Problem::Outside => Some("Path traversal attempt".to_owned()),
        Problem::Errno(errno, call) => Some(format!("{}: {}, {call} '{}'", errno.name(), errno.text(), path.display())),
        Problem::Other(why) => Some(why.clone()),
        Problem::Hangs | Problem::Cap(_) => None,
    }
}

fn block(path: &Path, content: &str) -> String {
    let path = path.display();
    format!("--- File: {path} ---\n{}\n--- End of File: {path} ---", js_trim(content))
}
