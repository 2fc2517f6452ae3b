//! Searches wanted texts in the instruction files of a project and in the messages of answers.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::hash::BuildHasher;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::declarations::read;
use crate::answer::{Message, Resolution};
use crate::engine::Core;
use crate::report::expect::paragraphs;
use crate::report::explain::explain;
use crate::report::why::{self, Plain, Sought};
use crate::snapshot::Content;

/// Instruction files of a project.
pub struct Texts {
    root: PathBuf,
    /// Sorted by path.
    pub pages: Vec<Page>,
    /// Places of texts that were searched.
    known: RefCell<HashMap<String, Arc<Vec<InPage>>>>,
    /// Searched messages by hash; most answers contain the same ones.
    messages: RefCell<HashMap<u64, Heard>>,
    /// All sentences of the instruction files.
    sentences: OnceCell<Vec<Sought>>,
}

/// A searched message.
struct Heard {
    plain: Plain,
    /// Results by text: true if the message contains it.
    says: HashMap<String, bool>,
}

/// Index of a page, and the byte ranges of a text in it, of which there is at least one.
type InPage = (usize, Vec<Range<usize>>);

pub struct Page {
    pub path: PathBuf,
    pub raw: Content,
    text: String,
    /// Normalized text, computed on the first search.
    plain: OnceLock<Plain>,
    /// Lines, computed on the first search for similar ones.
    lines: OnceLock<Vec<why::Line>>,
}

impl Page {
    fn plain(&self) -> &Plain {
        self.plain.get_or_init(|| Plain::of(&self.text))
    }

    fn lines(&self) -> &[why::Line] {
        self.lines.get_or_init(|| why::Line::all(&self.text))
    }
}

impl Texts {
    pub fn read(core: &Core, root: &Path, files: &BTreeSet<PathBuf>) -> Texts {
        let mut pages = Vec::new();
        for path in files {
            let Ok(raw) = read(core, path) else { continue };
            pages.push(Page {
                path: path.clone(),
                text: raw.text().into_owned(),
                raw,
                plain: OnceLock::new(),
                lines: OnceLock::new(),
            });
        }
        Texts {
            root: root.to_owned(),
            pages,
            known: RefCell::default(),
            messages: RefCell::default(),
            sentences: OnceCell::new(),
        }
    }

    /// Returns true if a message contains a text.
    pub fn says(&self, message: &Message, text: &Sought) -> bool {
        let mut messages = self.messages.borrow_mut();
        let hash = foldhash::fast::FixedState::default().hash_one(&*message.text);
        let heard =
            messages.entry(hash).or_insert_with(|| Heard { plain: Plain::of(&message.text), says: HashMap::new() });
        if let Some(says) = heard.says.get(text.text()) {
            return *says;
        }
        let says = text.is_within(&heard.plain);
        heard.says.insert(text.text().to_owned(), says);
        says
    }

    /// Returns all sentences of the instruction files, except lines that only import another file.
    pub fn sentences(&self) -> &[Sought] {
        self.sentences.get_or_init(|| {
            let all: BTreeSet<String> = self.pages.iter().flat_map(|page| paragraphs(&page.text)).collect();
            let is_import = |text: &String| text.starts_with('@') && !text.contains(' ');
            all.iter().filter(|text| !is_import(text)).filter_map(|text| Sought::new(text)).collect()
        })
    }

    /// Returns true if the path is one of the instruction files.
    pub fn has(&self, path: &Path) -> bool {
        self.pages.binary_search_by(|page| page.path.as_path().cmp(path)).is_ok()
    }

    /// Returns the places of a text, as byte ranges of the files.
    pub fn places(&self, text: &Sought) -> Vec<(PathBuf, Content, Range<usize>)> {
        let of = |(page, found): &InPage| {
            let page = &self.pages[*page];
            let raw = page.raw.raw_ranges(found);
            raw.into_iter().map(|at| (page.path.clone(), page.raw.clone(), at)).collect::<Vec<_>>()
        };
        self.found(text).iter().flat_map(of).collect()
    }

    /// Returns the places of a text, each page searched once for it.
    pub fn found(&self, text: &Sought) -> Arc<Vec<InPage>> {
        if let Some(found) = self.known.borrow().get(text.text()) {
            return found.clone();
        }
        let pages = self.pages.iter().enumerate().map(|(page, one)| (page, text.places_in(one.plain())));
        let found: Arc<Vec<InPage>> = Arc::new(pages.filter(|(_, found)| !found.is_empty()).collect());
        self.known.borrow_mut().insert(text.text().to_owned(), found.clone());
        found
    }

    /// Returns the line that is most similar to a text.
    pub fn near(&self, text: &Sought) -> Option<why::Near> {
        let all = self.pages.iter().flat_map(|page| why::near(&page.path, page.lines(), text));
        all.max_by_key(|near| near.alike)
    }

    /// Explains why a text does not reach an agent.
    pub fn why_not(&self, text: &Sought, answer: &Resolution) -> String {
        let found = self.found(text);
        let is_source = |(page, _): &&InPage| answer.sources_of(&self.pages[*page].path).next().is_some();
        let Some((page, at)) = found.iter().find(is_source).or(found.first()) else {
            return "no instruction file says it".to_owned();
        };
        let page = &self.pages[*page];
        let (fate, _, probes) = explain(&page.path, answer);
        if fate.is_none() && probes.is_empty() {
            let name = page.path.strip_prefix(&self.root).unwrap_or(&page.path);
            return format!("it does not look at {}", name.display());
        }
        why::reason(answer, &page.path, (&page.raw, &page.text), &at[0], text)
    }
}
