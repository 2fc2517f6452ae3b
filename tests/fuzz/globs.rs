//! Each glob against a matcher so slow and obvious that nobody doubts it, for patterns in which all libraries mean the
//! same.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use briefing::glob::{self, EntryType, Failure, Npm, NpmIgnore, Picomatch, Tree};

use super::{PIECES, fuzz, made_of};
use crate::incremental::changes::Random;

const NAMES: [&str; 10] = ["a", "b", "ab", "abc", "src", "a.md", "b.md", "x1", "x2", "é"];
const SIGNS: [&str; 14] = ["a", "b", "c", "src", ".md", "*", "*", "?", "[ab]", "[a-c]", "x", "1", "é", "{a,b}"];

/// A name against a segment without braces, sign by sign.
fn name_matches(pattern: &[char], name: &[char]) -> bool {
    match (pattern.first(), name.first()) {
        (None, None) => true,
        (Some('*'), _) => (0..=name.len()).any(|at| name_matches(&pattern[1..], &name[at..])),
        (Some('?'), Some(_)) => name_matches(&pattern[1..], &name[1..]),
        (Some('['), Some(sign)) => {
            let end = pattern.iter().position(|c| *c == ']').expect("closed");
            let is_one = match &pattern[1..end] {
                [first, '-', last] => (*first..=*last).contains(sign),
                signs => signs.contains(sign),
            };
            is_one && name_matches(&pattern[end + 1..], &name[1..])
        }
        (Some(c), Some(sign)) => c == sign && name_matches(&pattern[1..], &name[1..]),
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// A path against a pattern without braces, segment by segment.
fn path_matches(pattern: &[&str], path: &[&str]) -> bool {
    match pattern.split_first() {
        None => path.is_empty(),
        Some((&"**", rest)) => (0..=path.len()).any(|at| path_matches(rest, &path[at..])),
        Some((first, rest)) => path.split_first().is_some_and(|(name, names)| {
            let signs = |text: &str| text.chars().collect::<Vec<_>>();
            name_matches(&signs(first), &signs(name)) && path_matches(rest, names)
        }),
    }
}

/// What the braces of a pattern stand for.
fn expanded(pattern: &str) -> Vec<String> {
    match pattern.split_once("{a,b}") {
        None => vec![pattern.to_owned()],
        Some((before, after)) => ["a", "b"]
            .iter()
            .flat_map(|one| expanded(after).into_iter().map(move |after| format!("{before}{one}{after}")))
            .collect(),
    }
}

/// Whether a path matches; nothing where `**` at the end would stand for no name: there the libraries differ.
fn obvious(pattern: &str, path: &str) -> Option<bool> {
    let path: Vec<&str> = path.split('/').collect();
    let mut any = false;
    for pattern in expanded(pattern) {
        let segments: Vec<&str> = pattern.split('/').collect();
        if let Some(before) = segments.strip_suffix(&["**"])
            && path_matches(before, &path)
        {
            return None;
        }
        any |= path_matches(&segments, &path);
    }
    Some(any)
}

/// A pattern whose stars stand alone, or at the side of other signs.
fn pattern(random: &mut Random) -> String {
    let segment = |random: &mut Random| match random.below(5) {
        0 => "**".to_owned(),
        1 => (*random.pick(&NAMES)).to_owned(),
        _ => loop {
            let segment = made_of(&SIGNS, 4, random);
            if !segment.is_empty() && !segment.contains("**") && !segment.contains("*{") {
                break segment;
            }
        },
    };
    let mut segments: Vec<String> = (0..1 + random.below(4)).map(|_| segment(random)).collect();
    segments.dedup_by(|one, other| one == "**" && other == "**");
    segments.join("/")
}

fn path(random: &mut Random) -> String {
    (0..1 + random.below(4)).map(|_| *random.pick(&NAMES)).collect::<Vec<_>>().join("/")
}

/// Files by their paths.
struct Files(BTreeSet<PathBuf>);

impl Files {
    fn new(random: &mut Random) -> Files {
        let mut files: BTreeSet<PathBuf> = BTreeSet::new();
        for _ in 0..random.below(30) {
            let file = Path::new("/r").join(path(random));
            if !files.iter().any(|other| other.starts_with(&file) || file.starts_with(other)) {
                files.insert(file);
            }
        }
        Files(files)
    }
}

impl Tree for Files {
    fn kind(&self, path: &Path) -> Option<EntryType> {
        if self.0.contains(path) {
            return Some(EntryType::File);
        }
        let is_dir = path == Path::new("/r") || self.0.iter().any(|file| file.starts_with(path));
        is_dir.then_some(EntryType::Dir)
    }

    fn target(&self, path: &Path) -> Result<EntryType, Failure> {
        self.kind(path).ok_or(Failure::Missing)
    }

    fn entries(&self, path: &Path) -> Option<Vec<(String, EntryType)>> {
        if self.kind(path) != Some(EntryType::Dir) {
            return None;
        }
        let below = self.0.iter().filter_map(|file| file.strip_prefix(path).ok());
        let names: BTreeSet<&str> = below.filter_map(|inner| inner.iter().next()?.to_str()).collect();
        Some(
            names
                .into_iter()
                .map(|name| (name.to_owned(), self.kind(&path.join(name)).expect("it is there")))
                .collect(),
        )
    }
}

#[test]
fn walks_find_what_obviously_matches() {
    fuzz("walks", 4, |random| {
        let files = Files::new(random);
        let (base, pattern) = (Path::new("/r"), pattern(random));
        let walks = [
            ("npm", glob::npm(&files, base, &pattern, Npm { dot: random.chance(50), follow: random.chance(50) })),
            ("bun", glob::bun(&files, base, &pattern, true, false)),
            ("node", glob::node(&files, base, &pattern)),
        ];
        for (library, found) in &walks {
            for file in &files.0 {
                let inside = file.strip_prefix(base).expect("below").to_str().expect("a name");
                if let Some(expected) = obvious(&pattern, inside) {
                    assert_eq!(found.files.contains(file), expected, "{library}: {pattern:?} {inside:?}");
                }
            }
        }
        let inside = |file: &PathBuf| file.strip_prefix(base).ok()?.to_str().map(str::to_owned);
        let matches = |file: &PathBuf| inside(file).and_then(|path| obvious(&pattern, &path)) == Some(true);
        let loosest = glob::any(&files, base, &[&pattern], &|_| true);
        assert!(!loosest[0].files.is_empty() || !files.0.iter().any(matches), "any: {pattern:?}");
    });
}

#[test]
fn matchers_match_what_obviously_matches() {
    fuzz("matchers", 1, |random| {
        let (pattern, path) = (pattern(random), path(random));
        let Some(expected) = obvious(&pattern, &path) else { return };
        let found = Picomatch::new(&pattern).is_some_and(|glob| glob.matches(&path));
        assert_eq!(found, expected, "picomatch: {pattern:?} {path:?}");
        // To `globset` a sign is a byte.
        if path.is_ascii() {
            assert_eq!(glob::plain(&pattern, false, Path::new(&path)), expected, "globset: {pattern:?} {path:?}");
        }
        if !pattern.contains('{') {
            let ignored = NpmIgnore::new([pattern.as_str()]).ignores(&path);
            // What lies below something that is ignored is ignored, and a name alone is looked for everywhere.
            let whole = if pattern.contains('/') { pattern.clone() } else { format!("**/{pattern}") };
            let above = Path::new(&path).ancestors().filter_map(Path::to_str).filter(|above| !above.is_empty());
            let all: Vec<Option<bool>> = above.map(|above| obvious(&whole, above)).collect();
            if !all.contains(&None) {
                assert_eq!(ignored.ok(), Some(all.contains(&Some(true))), "ignore: {pattern:?} {path:?}");
            }
        }
    });
}

/// Returns true if the last line about a path ignores it; nothing where [`obvious`] says nothing.
fn obviously_ignored(lines: &[String], path: &str, is_dir: bool) -> Option<bool> {
    let mut ignored = false;
    for line in lines {
        let (is_negated, rest) = line.strip_prefix('!').map_or((false, line.as_str()), |rest| (true, rest));
        let (only_dirs, rest) = rest.strip_suffix('/').map_or((false, rest), |rest| (true, rest));
        let whole = match rest.strip_prefix('/') {
            Some(rest) => rest.to_owned(),
            None if rest.contains('/') => rest.to_owned(),
            None => format!("**/{rest}"),
        };
        if obvious(&whole, path)? && (is_dir || !only_dirs) {
            ignored = !is_negated;
        }
    }
    Some(ignored)
}

#[test]
fn the_last_line_about_a_path_says_whether_git_ignores_it() {
    fuzz("gitignore", 2, |random| {
        let (path, is_dir) = (path(random), random.chance(50));
        let lines: Vec<String> = (0..1 + random.below(5))
            .map(|_| {
                let sign = |sign: &'static str, random: &mut Random| if random.chance(30) { sign } else { "" };
                format!("{}{}{}{}", sign("!", random), sign("/", random), pattern(random), sign("/", random))
            })
            .collect();
        // To `globset` a sign is a byte, and to git a brace is one.
        if !path.is_ascii() || lines.iter().any(|line| !line.is_ascii() || line.contains('{')) {
            return;
        }
        let Some(expected) = obviously_ignored(&lines, &path, is_dir) else { return };
        // Comments and empty lines change nothing, whatever ends a line.
        let text = lines.join(*random.pick(&["\n", "\r\n", "\n\n#a\n"]));
        let ignored = glob::gitignore("", glob::ignore_lines(text.as_bytes()));
        assert_eq!(ignored.matched(&path, is_dir).is_ignore(), expected, "{lines:?} {path:?} {is_dir}");
    });
}

#[test]
fn patterns_of_any_kind_come_to_an_end() {
    fuzz("patterns", 4, |random| {
        let mut pattern = made_of(&PIECES, 12, random);
        if random.chance(10) {
            pattern = pattern.repeat(1 + random.below(200));
        }
        let path = if random.chance(50) { path(random) } else { made_of(&PIECES, 8, random) };
        let _ = Picomatch::new(&pattern).map(|glob| glob.matches(&path));
        let _ = NpmIgnore::new([pattern.as_str()]).ignores(&path);
        let _ = NpmIgnore::lenient([pattern.as_str()]).ignores(&path);
        let _ = glob::plain(&pattern, true, Path::new(&path));
        let _ = glob::gitignore("", glob::ignore_lines(pattern.as_bytes())).matched(&path, random.chance(50));
        let files = Files::new(random);
        let base = Path::new("/r");
        glob::npm(&files, base, &pattern, Npm { dot: true, follow: true });
        glob::bun(&files, base, &pattern, false, true);
        glob::node(&files, base, &pattern);
        glob::any(&files, base, &[&pattern], &|_| true);
    });
}
