//! Writes the facts behind answers as a case file, from which the same answers can be reproduced on any machine.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::credentials::{starred, without_values};
use crate::answer::{Resolution, SessionKind, Tool};
use crate::snapshot::credentials::has_credentials;
use crate::snapshot::{Ask, Content, Fact, Facts, FileType};

/// Kind and content of a path, as far as they are known.
enum Node {
    Dir,
    File(Option<Content>),
    Link(PathBuf),
    Special(&'static str),
}

/// Tree of the paths that were accessed, in the order in which directories list their entries.
#[derive(Default)]
struct Tree {
    order: Vec<PathBuf>,
    nodes: HashMap<PathBuf, Node>,
}

/// Returns the case file of these answers, built from the facts that they depend on. `settings` are the fields of the
/// request, as JSON.
pub fn case(answers: &[Resolution], facts: &dyn Facts, settings: Option<&str>) -> String {
    let Some(first) = answers.first() else { return String::new() };
    let mut out = "What Briefing looked at. The texts of these files and the values of these variables are in it, with stars for \
                   what looks like a credential: read it before you send it to anybody.\n"
        .to_owned();
    section(&mut out, &format!("@home {}", first.standpoint.home.display()), "");
    let env: BTreeMap<_, _> = answers.iter().flat_map(|answer| &answer.env_used).collect();
    env.iter().for_each(|(name, value)| section(&mut out, &format!("@env {name}={value}"), ""));
    if first.standpoint.session != SessionKind::Main {
        section(&mut out, &format!("@session {}", first.standpoint.session), "");
    }
    if let Some(settings) = settings {
        section(&mut out, "@settings", &format!("{settings}\n"));
    }
    let mut tree = Tree::default();
    let mut seen = BTreeSet::new();
    // Process listings first, as they determine the order of the sections.
    let is_listing = |ask: &&Ask| matches!(ask, Ask::Listing(_));
    let asks = || answers.iter().flat_map(Resolution::depends);
    for ask in asks().filter(is_listing).chain(asks().filter(|ask| !is_listing(ask))) {
        if seen.insert(format!("{ask:?}"))
            && let Some(fact) = facts.told(ask)
        {
            tree.learn(ask, fact);
        }
    }
    tree.write(&mut out);
    for answer in answers {
        let at = &answer.standpoint;
        let target = at.target.iter().map(|file| format!(" reading {}", file.display()));
        let by = (at.tool != Tool::Read && at.target.is_some()).then(|| format!(" by {}", at.tool));
        let after = at.read_before.iter().map(|earlier| format!(" after {}", earlier.file.display()));
        let already = at.already_loaded.iter().map(|file| format!(" already {}", file.display()));
        let more: String = target.chain(by).chain(after).chain(already).collect();
        let question = format!("{}@{} from {}{more}", answer.harness, answer.edition, at.cwd.display());
        for golden in ["@sources", "@text"] {
            section(&mut out, &format!("{golden} {question}"), "");
        }
    }
    starred(&out).into_owned()
}

/// Appends the texts that a client was observed to send to a case of one answer, whose last section is its expected
/// output. `told` holds the trigger, role and text of each.
pub fn observed<'a>(
    case: &mut String,
    told: impl Iterator<Item = (&'a str, &'a str, &'a str)>,
    client: &str,
    version: &str,
) {
    let before = case.len();
    told.for_each(|(trigger, role, text)| {
        let _ = writeln!(case, ">>> {trigger} {role}\n{}", escape(&starred(text)));
    });
    if case.len() == before {
        case.push_str(">>> nothing\n");
    }
    section(case, &format!("@observed {client} {version}"), "");
}

/// Escapes backslashes, control characters, invisible characters, spaces at line ends, and markers at line starts.
pub fn escape(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.split('\n') {
        let mut out = String::new();
        for c in line.chars() {
            match c {
                '\\' => out.push_str("\\\\"),
                '\r' => out.push_str("\\r"),
                c if is_invisible(c) => {
                    let _ = write!(out, "\\u{{{:X}}}", c as u32);
                }
                c => out.push(c),
            }
        }
        if out.ends_with(' ') {
            out.truncate(out.len() - 1);
            out.push_str("\\s");
        }
        if out.starts_with(">>> ") || out.starts_with("-- ") {
            out.insert(0, '\\');
        }
        lines.push(out);
    }
    lines.join("\n")
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{a0}' | '\u{ad}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202f}' | '\u{2060}'..='\u{206f}' | '\u{3000}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

impl Tree {
    fn learn(&mut self, ask: &Ask, fact: Fact) {
        match (ask, fact) {
            (Ask::Kind(path) | Ask::LinkKind(path), Fact::Kind(Ok(meta))) => self.put(path, node(meta.kind)),
            (Ask::Target(path), Fact::Real(Ok(target))) => self.put(path, Some(Node::Link(target))),
            (Ask::Real(path), Fact::Real(Ok(real))) if real != *path => self.put(path, Some(Node::Link(real))),
            (Ask::Content(path), Fact::Content(Ok(content))) => self.put(path, Some(Node::File(Some(content)))),
            (Ask::Git(dir), Fact::Git(Some(_))) => self.put(&dir.join(".git"), Some(Node::Special("git"))),
            (Ask::Listing(path), Fact::Listing(Ok(entries))) => {
                self.put(path, Some(Node::Dir));
                entries.iter().for_each(|entry| self.put(&path.join(&entry.name), node(entry.kind)));
            }
            (Ask::Glob { .. }, Fact::Glob(found)) => {
                found.files.iter().for_each(|file| self.put(file, Some(Node::File(None))));
            }
            _ => {}
        }
    }

    /// Records a node. It replaces a less specific one: a content replaces a file without content, a link replaces
    /// anything.
    fn put(&mut self, path: &Path, node: Option<Node>) {
        if !self.nodes.contains_key(path) {
            self.order.push(path.to_owned());
        }
        match (self.nodes.get(path), node) {
            (Some(Node::Link(_) | Node::File(Some(_)) | Node::Special(_)), Some(Node::File(_) | Node::Dir)) => {}
            (_, Some(node)) => drop(self.nodes.insert(path.to_owned(), node)),
            (Some(_), None) => {}
            // The node is a link whose target is unknown. If the target was read, another fact provides it.
            (None, None) => drop(self.order.pop()),
        }
    }

    fn write(&self, out: &mut String) {
        for path in &self.order {
            let Some(node) = self.nodes.get(path) else { continue };
            let name = path.display();
            // Skip names that do not fit on one line.
            if name.to_string().contains(['\n', '\r']) || path.parent().is_none() {
                continue;
            }
            match node {
                Node::Dir => section(out, &format!("{name}/"), ""),
                Node::File(None) => section(out, &name.to_string(), ""),
                Node::File(Some(content)) if has_credentials(path) => {
                    section(
                        out,
                        &format!("{name} | raw"),
                        &format!("{}\n", raw(without_values(&content.text()).as_bytes())),
                    );
                }
                Node::File(Some(content)) => match content.as_text().filter(|text| is_plain(text)) {
                    Some(text) => section(out, &name.to_string(), text),
                    None => section(out, &format!("{name} | raw"), &format!("{}\n", raw(content))),
                },
                Node::Link(target) => section(out, &format!("{name} -> {}", target.display()), ""),
                Node::Special("git") => section(out, &format!("{name}/ | git"), ""),
                Node::Special(word) => section(out, &format!("{name} | {word}"), ""),
            }
        }
    }
}

fn node(kind: FileType) -> Option<Node> {
    match kind {
        FileType::File => Some(Node::File(None)),
        FileType::Dir => Some(Node::Dir),
        FileType::Fifo => Some(Node::Special("fifo")),
        FileType::Device | FileType::Other => Some(Node::Special("device")),
        FileType::Link => None,
    }
}

/// Returns true if a text can be a plain section of a case; others become a section `| raw`.
fn is_plain(text: &str) -> bool {
    text.is_empty() || (text.ends_with('\n') && !text.contains('\r') && !text.contains("\\-- "))
}

/// Escapes any bytes to one line, for a section `| raw`.
fn raw(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                other => out.push(other),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out
}

fn section(out: &mut String, header: &str, body: &str) {
    let _ = writeln!(out, "-- {header} --");
    for line in body.split_inclusive('\n') {
        out.push_str(if line.starts_with("-- ") { "\\" } else { "" });
        out.push_str(line);
    }
}
