//! Imports of a context file: `@path` is replaced by the text of the file, or by a comment with the reason why not.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::answer::{Certain, Scope, Source, Text};
use crate::formats::marked::{self, Block, BlockKind};
use crate::harness::kit::conventional::{Chain, File};
use crate::search::Known;
use crate::snapshot::{Ask, Content, Errno, FileType as FileKind, Unreadable, absolute};
use crate::text::{js_trim, utf16_len};

/// Maximum depth of imports, in files below the first (Qwen Code 0.24, `maxDepth`).
const DEPTH_LIMIT: usize = 5;
/// Maximum number of imports that are followed for one file. The client has no such limit.
const IMPORT_LIMIT: usize = 500;
/// Maximum number of tokens of one file that are looked up. The client has no such limit.
const LOOKUP_LIMIT: usize = 10_000;
/// Maximum size of all imported text for one file, in bytes. The client has no such limit.
const TEXT_LIMIT_BYTES: usize = 16 * 1024 * 1024;

const TOO_MUCH: &str = "more is imported than is followed here";

/// Value of `context.importFormat`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// Imports in place of their tokens.
    Tree,
    /// Imports after the file, which keeps its tokens.
    Flat,
}

/// Returns the text of a context file with its imports.
pub(super) fn expand(chain: &mut Chain, file: &File, format: Format) -> Known<Text> {
    let dir = file.path.parent().unwrap_or(&file.path);
    let root = super::project_root(chain, dir)?.unwrap_or_else(|| dir.to_owned());
    let mut importer = Importer { root, left: IMPORT_LIMIT, room: TEXT_LIMIT_BYTES };
    match format {
        Format::Tree => importer.tree(chain, &file.text, &mut vec![file.path.clone()]),
        Format::Flat => {
            let mut flat = Flat { depths: HashMap::new(), files: Vec::new() };
            importer.flat(chain, &file.text, &file.path, 0, &mut flat)?;
            let block = |(path, text): &(PathBuf, Text)| {
                let (path, text) = (path.display(), text.part(js_trim(text)));
                Text::framed(format!("--- File: {path} ---\n"), text, format!("\n--- End of File: {path} ---"))
            };
            Ok(Text::joined(&flat.files.iter().map(block).collect::<Vec<_>>(), "\n\n"))
        }
    }
}

/// Imported files as separate blocks, each file once, with the depth at which it was met.
struct Flat {
    depths: HashMap<PathBuf, usize>,
    files: Vec<(PathBuf, Text)>,
}

struct Importer {
    /// Directory that imports must not leave, by their paths as written.
    root: PathBuf,
    left: usize,
    room: usize,
}

impl Importer {
    /// Returns the text with each import in place of its token. `way` is the path of imports, with the file of this
    /// text last.
    fn tree(&mut self, chain: &mut Chain, text: &Text, way: &mut Vec<PathBuf>) -> Known<Text> {
        if way.len() > DEPTH_LIMIT || !text.contains('@') {
            return Ok(text.clone());
        }
        let dir = way.last().and_then(|path| path.parent()).unwrap_or(Path::new("/")).to_owned();
        let (code, tokens) = (code(text), first_tokens(chain, text));
        self.expect(chain, &dir, text, &tokens)?;
        let (mut out, mut from) = (Vec::new(), 0);
        for token in tokens {
            if is_code(&code, token.start) {
                continue;
            }
            out.push(text.slice(from..token.start));
            from = token.end;
            let name = &text[token.start + 1..token.end];
            let path = absolute(&dir, Path::new(name));
            if !self.allows(name, &path) {
                out.push(format!("<!-- Import failed: {name} - Path traversal attempt -->").into());
            } else if way.contains(&path) {
                out.push(format!("<!-- File already processed: {name} -->").into());
            } else {
                match chain.search.read(&path, "an import")? {
                    Ok(raw) if self.takes(&raw) => {
                        if let Some(importer) = way.last() {
                            chain.answer.mention(importer, name, [path.clone()]);
                        }
                        say(chain, &path, &raw);
                        way.push(path);
                        let inner = self.tree(chain, &Text::from(&raw), way)?;
                        way.pop();
                        let head = format!("<!-- Imported from: {name} -->\n");
                        out.push(Text::framed(head, inner, format!("\n<!-- End of import from: {name} -->")));
                    }
                    Ok(_) => {
                        chain.answer.doubt(&[], TOO_MUCH);
                        out.push(text.slice(token));
                    }
                    Err(Unreadable::Errno(Errno::NOENT)) => out.push(text.slice(token)),
                    Err(problem) => {
                        let verb = if chain.search.stat(&path, "an import")?.is_ok() { "open" } else { "access" };
                        let why = describe(&problem, verb, &path);
                        out.push(format!("<!-- Import failed: {name} - {why} -->").into());
                    }
                }
            }
        }
        out.push(text.slice(from..text.len()));
        Ok(out.into_iter().collect())
    }

    /// Adds the file, then its imports, the last import first. A file that is met again at a smaller depth is followed
    /// again.
    fn flat(&mut self, chain: &mut Chain, text: &Text, path: &Path, depth: usize, flat: &mut Flat) -> Known<()> {
        if flat.depths.insert(path.to_owned(), depth).is_none() {
            flat.files.push((path.to_owned(), text.clone()));
        }
        if depth >= DEPTH_LIMIT {
            return Ok(());
        }
        let dir = path.parent().unwrap_or(path);
        let (code, tokens) = (code(text), first_tokens(chain, text));
        self.expect(chain, dir, text, &tokens)?;
        let importer = path;
        for token in tokens.into_iter().rev() {
            let name = &text[token.start + 1..token.end];
            let path = absolute(dir, Path::new(name));
            let known = flat.depths.get(&path).copied();
            if is_code(&code, token.start) || !self.allows(name, &path) || known.is_some_and(|known| known <= depth + 1)
            {
                continue;
            }
            let Ok(raw) = chain.search.read(&path, "an import")? else { continue };
            if !self.takes(&raw) {
                chain.answer.doubt(&[], TOO_MUCH);
                continue;
            }
            chain.answer.mention(importer, name, [path.clone()]);
            say(chain, &path, &raw);
            self.flat(chain, &Text::from(&raw), &path, depth + 1, flat)?;
        }
        Ok(())
    }

    /// Announces the files that will be read, so that they are read together.
    fn expect(&self, chain: &mut Chain, dir: &Path, text: &Text, tokens: &[Range<usize>]) -> Known<()> {
        let mut asked = HashSet::new();
        let path = |token: &Range<usize>| {
            let name = &text[token.start + 1..token.end];
            let path = absolute(dir, Path::new(name));
            self.allows(name, &path).then_some(path)
        };
        let paths = tokens.iter().filter_map(path).filter(|path| asked.insert(path.clone()));
        chain.search.expect(paths.map(Ask::Content).collect::<Vec<_>>())
    }

    fn allows(&self, name: &str, path: &Path) -> bool {
        let is_address = ["file://", "http://", "https://"].iter().any(|scheme| name.starts_with(scheme));
        !is_address && path.starts_with(&self.root)
    }

    /// Returns true if there is room for one more file.
    fn takes(&mut self, raw: &[u8]) -> bool {
        let takes = self.left > 0 && raw.len() <= self.room;
        if takes {
            self.left -= 1;
            self.room -= raw.len();
        }
        takes
    }
}

/// Returns the tokens that are looked up.
fn first_tokens(chain: &mut Chain, text: &str) -> Vec<Range<usize>> {
    let mut tokens = tokens(text);
    if tokens.len() > LOOKUP_LIMIT {
        chain.answer.doubt(&[Certain::Set], TOO_MUCH);
        tokens.truncate(LOOKUP_LIMIT);
    }
    tokens
}

/// Returns true if an offset is inside one of the regions, which are sorted.
fn is_code(regions: &[Range<usize>], offset: usize) -> bool {
    let at = regions.partition_point(|region| region.end <= offset);
    regions.get(at).is_some_and(|region| region.contains(&offset))
}

/// Adds the source of an imported file, once however often it is imported.
fn say(chain: &mut Chain, path: &Path, raw: &Content) {
    let sources = &mut chain.answer.sources;
    if !sources.iter().any(|source| source.scope == Scope::Import && source.path() == Some(path)) {
        sources.push(Source::whole(path, Scope::Import, raw.size(), "imported by a context file"));
    }
}

/// Formats an error as Node does.
fn describe(problem: &Unreadable, verb: &str, path: &Path) -> String {
    match problem {
        Unreadable::Errno(errno) => format!("{}: {}, {verb} '{}'", errno.name(), errno.text(), path.display()),
        Unreadable::Not(FileKind::Dir) => "EISDIR: illegal operation on a directory, read".to_owned(),
        other => other.to_string(),
    }
}

/// Returns the ranges of `@path` at the beginning or after white space, up to the next white space, if the path begins
/// with a dot, a slash or a letter.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let is_space = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r');
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find('@').map(|at| from + at) {
        if !text[..at].chars().next_back().is_none_or(is_space) {
            from = at + 1;
            continue;
        }
        let end = text[at..].find(is_space).map_or(text.len(), |len| at + len);
        if text[at + 1..end].starts_with(|c: char| c == '.' || c == '/' || c.is_ascii_alphabetic()) {
            found.push(at..end);
        }
        from = (end + 1).min(text.len());
    }
    found
}

/// Returns the code blocks and code spans. Those in lists are not included, because the client does not search lists.
fn code(text: &str) -> Vec<Range<usize>> {
    let mut regions = Vec::new();
    if text.contains(['`', '~', '\t']) || text.contains("    ") {
        let plain = text.replace("\r\n", "\n").replace('\r', "\n");
        within(&plain, 0, &marked::parse(&plain).blocks, &mut regions);
        if plain.len() < text.len() {
            regions = slipped(&regions, &plain, text);
        }
    }
    regions
}

/// Shifts the regions as the client does: it computes offsets in a text with LF and applies them to the text with CR,
/// so for each CR before it a region is one UTF-16 unit too early.
fn slipped(regions: &[Range<usize>], plain: &str, text: &str) -> Vec<Range<usize>> {
    let (mut counted, mut units) = (0, 0);
    let (mut at, mut passed) = (0, 0);
    let mut place = |offset: usize| {
        units += utf16_len(&plain[counted..offset]);
        counted = offset;
        while passed < units
            && let Some(c) = text[at..].chars().next()
        {
            passed += c.len_utf16();
            at += c.len_utf8();
        }
        at
    };
    regions.iter().map(|region| place(region.start)..place(region.end)).collect()
}

/// Adds the code regions of blocks. Blocks are searched one after the other; after the first that is not found, nothing
/// is code.
fn within(text: &str, offset: usize, blocks: &[Block], regions: &mut Vec<Range<usize>>) {
    let mut from = 0;
    for block in blocks {
        let Some(start) = text[from..].find(&block.raw).map(|at| from + at) else { return };
        from = start + block.raw.len();
        let here = offset + start;
        match &block.kind {
            BlockKind::Code => regions.push(here..here + block.raw.len()),
            BlockKind::Heading(_) | BlockKind::Paragraph(_) | BlockKind::Text(_) => spans(&block.raw, here, regions),
            BlockKind::Quote(inner) => within(&block.raw, here, inner, regions),
            BlockKind::Space | BlockKind::Rule | BlockKind::List(_) | BlockKind::Html => {}
        }
    }
}

/// Adds the code spans: from a run of backticks to the next run of the same length.
fn spans(text: &str, offset: usize, regions: &mut Vec<Range<usize>>) {
    let run = |from: usize| {
        let start = from + text[from..].find('`')?;
        let len = text[start..].bytes().take_while(|&byte| byte == b'`').count();
        Some(start..start + len)
    };
    let mut from = 0;
    while let Some(open) = run(from) {
        let mut next = open.end;
        let close = loop {
            match run(next) {
                Some(close) if close.len() == open.len() => break Some(close),
                Some(other) => next = other.end,
                None => break None,
            }
        };
        from = close.as_ref().map_or(open.end, |close| close.end);
        if let Some(close) = close {
            regions.push(offset + open.start..offset + close.end);
        }
    }
}
