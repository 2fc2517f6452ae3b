//! What becomes of `@path` in a context file: the text of the file it names, or a comment that says why not.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::answer::{Certain, Scope, Source, Text};
use crate::formats::marked::{self, Block, BlockKind};
use crate::harness::kit::conventional::{Chain, File};
use crate::search::Known;
use crate::snapshot::{Ask, Content, Errno, FileType as FileKind, Unreadable, absolute};
use crate::text::{js_trim, utf16_len};

/// How deep imports go, in files below the first; Qwen Code 0.24, `maxDepth`.
const DEPTH_LIMIT: usize = 5;
/// The most imports that one file may have followed; the client knows no such limit.
const IMPORT_LIMIT: usize = 500;
/// The most tokens of one file that are looked up; the client knows no such limit.
const LOOKUP_LIMIT: usize = 10_000;
/// The most text that they may bring, in bytes; the client knows no such limit.
const TEXT_LIMIT_BYTES: usize = 16 * 1024 * 1024;

const TOO_MUCH: &str = "more is imported than is followed here";

/// `context.importFormat`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// In the place of the token.
    Tree,
    /// Behind the file, which keeps its tokens.
    Flat,
}

/// The text of a context file with its imports in it.
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

/// What is imported as files of their own: each once, and how deep it was met.
struct Flat {
    depths: HashMap<PathBuf, usize>,
    files: Vec<(PathBuf, Text)>,
}

struct Importer {
    /// What is imported must be inside of this, as paths are written.
    root: PathBuf,
    left: usize,
    room: usize,
}

impl Importer {
    /// `way`: the files that lead here, the one with this text last.
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
                        out.push(format!("<!-- Import failed: {name} - {} -->", describe(&problem, &path)).into());
                    }
                }
            }
        }
        out.push(text.slice(from..text.len()));
        Ok(out.into_iter().collect())
    }

    /// The file, then what it imports, last import first; once more where it is met less deep.
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

    /// Says beforehand which files will be read: one by one they would be waited for one by one.
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

    /// Whether there is room for one more file.
    fn takes(&mut self, raw: &[u8]) -> bool {
        let takes = self.left > 0 && raw.len() <= self.room;
        if takes {
            self.left -= 1;
            self.room -= raw.len();
        }
        takes
    }
}

/// The tokens that are looked up.
fn first_tokens(chain: &mut Chain, text: &str) -> Vec<Range<usize>> {
    let mut tokens = tokens(text);
    if tokens.len() > LOOKUP_LIMIT {
        chain.answer.doubt(&[Certain::Set], TOO_MUCH);
        tokens.truncate(LOOKUP_LIMIT);
    }
    tokens
}

/// Whether an offset is inside of one of the regions, which stand in order.
fn is_code(regions: &[Range<usize>], offset: usize) -> bool {
    let at = regions.partition_point(|region| region.end <= offset);
    regions.get(at).is_some_and(|region| region.contains(&offset))
}

/// A file is said once, however often it is imported.
fn say(chain: &mut Chain, path: &Path, raw: &Content) {
    let sources = &mut chain.answer.sources;
    if !sources.iter().any(|source| source.scope == Scope::Import && source.path() == Some(path)) {
        sources.push(Source::whole(path, Scope::Import, raw.size(), "imported by a context file"));
    }
}

/// What Node says.
fn describe(problem: &Unreadable, path: &Path) -> String {
    match problem {
        Unreadable::Errno(errno) => format!("{}: {}, access '{}'", errno.name(), errno.text(), path.display()),
        Unreadable::Not(FileKind::Dir) => "EISDIR: illegal operation on a directory, read".to_owned(),
        other => other.to_string(),
    }
}

/// `@path` at the beginning or behind white space, up to the next white space, if it begins with a dot, a slash or a letter.
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

/// Blocks of code and code spans, but for those in lists, where the client does not look.
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

/// The client counts in a text with line feeds alone and looks the numbers up in one with carriage returns: for each of them
/// a region begins and ends one UTF-16 unit too early.
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

/// The pieces are looked for one behind the other; from the first that is not found on, nothing is code.
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

/// A run of backticks up to the next run of as many.
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
