//! Tables of patterns: what they match, and in which order a tree is walked. Compared with npm glob itself by hand.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::bun::name::Name;
use super::segment::{self, Segment};
use super::{Budget, EntryType, Failure, Npm, Tree, braces, bun, npm};

/// Returns true if a name matches a pattern of one segment.
fn matches_name(pattern: &str, name: &str, dot: bool) -> bool {
    match segment::parse(pattern, dot) {
        Some(Segment::Text(text)) => text == name,
        Some(Segment::Stars) => true,
        Some(Segment::Magic(magic)) => magic.matches(name),
        None => false,
    }
}

#[test]
fn names_match_as_in_minimatch() {
    for (pattern, dot, yes, no) in [
        ("*.md", false, "a.md b.x.md", ".a.md a.txt"),
        ("*.md", true, "a.md .md .a.md", "a.txt"),
        ("*", true, "a .a", ". .."),
        (".*", false, ".a", "a .."),
        ("?.md", true, "1.md ä.md ..md", "😀.md 12.md"),
        ("[!a]*.md", true, "b.md .h.md !.md", "a.md"),
        ("[^a]*.md", true, "b.md", "a.md"),
        ("[[:digit:]].md", true, "1.md", "a.md"),
        ("[b-a].md", true, "", "a.md b.md"),
        ("[].md", true, "[].md", "a.md"),
        ("[x].md", true, "x.md", "[x].md"),
        ("a\\*b.md", true, "a*b.md", "axb.md"),
        ("+(x|y).md", true, "x.md xy.md", "z.md .md"),
        ("@(x|y).md", true, "x.md", "xy.md"),
        ("!(x).md", true, "y.md xx.md .h.md .md", "x.md"),
        ("!(x|y*).md", true, "zz.md", "x.md yy.md"),
        ("!(a)b", false, "b bb cb", "ab"),
        ("?(x)y.md", true, "y.md xy.md", "xxy.md"),
        ("*(x).md", true, ".md xx.md", "y.md"),
        ("@(a|!(b)).c", true, "a.c x.c", "b.c"),
        ("a@(b.md", true, "a@(b.md", "ab.md"),
        ("[a.md", true, "[a.md", "a.md"),
        ("()", true, "()", ""),
    ] {
        for name in yes.split_whitespace() {
            assert!(matches_name(pattern, name, dot), "{pattern} should match {name}");
        }
        for name in no.split_whitespace() {
            assert!(!matches_name(pattern, name, dot), "{pattern} should not match {name}");
        }
    }
}

#[test]
fn braces_expand_in_their_own_order() {
    for (pattern, expected) in [
        ("{b,a}.md", "b.md a.md"),
        ("{2..1}", "2 1"),
        ("{01..3}", "01 02 03"),
        ("{a..e..2}", "a c e"),
        ("w/{a,b{1,2}}", "w/a w/b1 w/b2"),
        ("w/{,z}.md", "w/.md w/z.md"),
        ("{a}", "{a}"),
        ("{}", "{}"),
        ("${a,b}c", "${a,b}c"),
        ("\\{a,b}", "{a,b}"),
        // A bug in its expression for periods: an escaped character becomes a period if there are braces.
        ("{a,b}/\\c\\\\d", "a/.\\d b/.\\d"),
        ("a/\\c", "a/\\c"),
        ("{a,b", "{a,b"),
        ("{{a,b}}", "{a} {b}"),
        ("{a},b}", "a} b"),
    ] {
        assert_eq!(braces::expand(pattern).map(|all| all.join(" ")).as_deref(), Some(expected), "{pattern}");
    }
}

#[test]
fn hopeless_patterns_end() {
    for pattern in [
        "{1..1000000000}",
        "{1..5..0}",
        &"{a,b}".repeat(2000),
        &"{".repeat(60_000),
        &"!(".repeat(10_000),
        &"*(a|*(a|*(a|*(a|*(a|".repeat(20),
        &"!(a)".repeat(60),
        &"**/../a/b/".repeat(40),
        &"*a".repeat(20_000),
        &"x".repeat(70_000),
        &"a{a,b}".repeat(37),
        "a/b/c/{1..9999}/**",
        &"**/../a/b/".repeat(6_000),
        &"./".repeat(30_000),
        &"a/../".repeat(13_000),
        &"**/".repeat(20_000),
    ] {
        matches_name(pattern, &"a".repeat(250), true);
        npm(&Files::default(), Path::new("/r"), pattern, Npm { dot: true, follow: false });
        Name::new(&pattern[..pattern.len().min(4096)]).matches(&"a".repeat(250));
    }
}

#[test]
fn a_walk_from_the_root_comes_to_its_end() {
    let tree = Files::of("/r/a.md /r/x/b.md");
    for pattern in ["/**", "/**/*.md", "/r/**"] {
        let found = npm(&tree, Path::new("/r"), pattern, Npm { dot: true, follow: true });
        assert_eq!((found.files.len(), found.cut_short), (2, false), "{pattern}: {found:?}");
    }
}

#[test]
fn a_walk_takes_no_more_than_a_stack() {
    let mut budget = Budget::default();
    let steps = (0..1_000).take_while(|_| budget.goes_deeper()).count();
    assert_eq!((steps, budget.is_spent()), (Budget::DEPTH, true));
}

#[test]
fn what_stands_for_too_much_is_not_known_to_find_nothing() {
    let find = |pattern: &str| npm(&Files::default(), Path::new("/r"), pattern, Npm { dot: true, follow: false });
    assert!(!find("a/{1..9}/**").cut_short);
    for pattern in [&"**/../a/b/".repeat(6_000), "{1..9999}/**", &format!("{}{{1..9999}}", "a".repeat(100))] {
        assert!(find(pattern).cut_short, "{:.20}", pattern);
    }
}

/// A tree given by paths in listing order; `path->target` is a link to another directory of the same tree.
#[derive(Default)]
struct Files {
    dirs: BTreeMap<PathBuf, Vec<(String, EntryType)>>,
    links: BTreeMap<PathBuf, PathBuf>,
}

impl Files {
    fn of(lines: &str) -> Files {
        let mut files = Files::default();
        for line in lines.split_whitespace() {
            let (path, target) = line.split_once("->").map_or((line, None), |(path, target)| (path, Some(target)));
            let path = PathBuf::from(path);
            let kind = if target.is_some() { EntryType::Link } else { EntryType::File };
            files.put(&path, kind);
            if let Some(target) = target {
                files.links.insert(path, PathBuf::from(target));
            }
        }
        files
    }

    fn put(&mut self, path: &Path, kind: EntryType) {
        let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else { return };
        if !self.dirs.contains_key(dir) {
            self.dirs.insert(dir.to_owned(), Vec::new());
            self.put(dir, EntryType::Dir);
        }
        let name = name.to_string_lossy().into_owned();
        let entries = self.dirs.get_mut(dir).expect("just made");
        if !entries.iter().any(|(known, _)| *known == name) {
            entries.push((name, kind));
        }
    }

    fn real(&self, path: &Path) -> PathBuf {
        let mut path = path.to_owned();
        for _ in 0..40 {
            let Some((link, target)) = self.links.iter().find(|(link, _)| path.starts_with(link)) else { return path };
            path = target.join(path.strip_prefix(link).expect("starts with it"));
        }
        PathBuf::from("/loop")
    }
}

/// Returns `path` without dots.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut out, component| {
        match component {
            Component::ParentDir => drop(out.pop()),
            other => out.push(other),
        }
        out
    })
}

impl Tree for Files {
    fn target(&self, path: &Path) -> Result<EntryType, Failure> {
        let path = self.real(&plain(path));
        if self.dirs.contains_key(&path) { Ok(EntryType::Dir) } else { self.kind(&path).ok_or(Failure::Missing) }
    }

    fn kind(&self, path: &Path) -> Option<EntryType> {
        let name = path.file_name()?.to_str()?;
        let dir = self.dirs.get(&self.real(path.parent()?))?;
        dir.iter().find(|(known, _)| known == name).map(|(_, kind)| *kind)
    }

    fn entries(&self, path: &Path) -> Option<Vec<(String, EntryType)>> {
        self.dirs.get(&self.real(&plain(path))).cloned()
    }
}

#[test]
fn the_walk_goes_level_by_level_in_reverse() {
    let tree =
        Files::of("/r/b.md /r/x/n.md /r/x/p/1.md /r/x/m.md /r/.d/z.md /r/y/k.md /r/ln->/o /r/a.md /o/l.md /o/s/t.md");
    for (pattern, expected) in [
        ("*.md", "a.md b.md"),
        ("**/*.md", "a.md b.md y/k.md .d/z.md x/m.md x/n.md x/p/1.md"),
        ("x/**", "x/m.md x/n.md x/p/1.md"),
        ("{b,a}.md", "b.md a.md"),
        ("nowhere/../b.md", "b.md"),
        ("*/../b.md", "b.md"),
        ("./b.md", "b.md"),
        ("../r/b.md", "b.md"),
        ("b.md/", ""),
        ("", ""),
        (".", ""),
        ("x", ""),
        ("ln/*.md", "ln/l.md"),
        ("*/l.md", "ln/l.md"),
        ("**/l.md", ""),
        ("ln/**/t.md", "ln/s/t.md"),
        ("x//n.md", "x/n.md"),
    ] {
        let found = npm(&tree, Path::new("/r"), pattern, Npm { dot: true, follow: false });
        let names: Vec<_> = found
            .files
            .iter()
            .map(|path| path.strip_prefix("/r").expect("below").to_string_lossy().into_owned())
            .collect();
        assert_eq!(names.join(" "), expected, "{pattern}");
    }
}

#[test]
fn links_that_lead_back_end() {
    // A single loop ends where the system follows no more links; with two, the paths are innumerable.
    for (tree, cut_short) in [("/r/a.md /r/up->/r", false), ("/r/a.md /r/up->/r /r/s/up->/r", true)] {
        let tree = Files::of(tree);
        let npm = npm(&tree, Path::new("/r"), "**/*.md", Npm { dot: true, follow: true });
        let bun = bun(&tree, Path::new("/r"), "**/*.md", true, true);
        for found in [npm, bun] {
            assert!(found.files.contains(&PathBuf::from("/r/a.md")));
            assert_eq!(found.cut_short, cut_short);
        }
    }
}

#[test]
fn names_match_as_in_bun() {
    for (pattern, yes, no) in [
        ("*.md", "a.md .md", "a.txt"),
        ("a*b*c", "abc axbxc", "acb ab"),
        ("?.md", "1.md 😀.md", "12.md .md"),
        ("[!a]*.md", "b.md", "a.md"),
        ("[]x]", "] x", "[ a"),
        ("[a-]", "a -", "b"),
        ("[a", "", "[a a"),
        ("a\\*b", "a*b", "axb"),
        ("a\\", "", "a a\\"),
        // There are no extended globs: a leading `!` negates the rest.
        ("!(one).md", "one.md two.md", "(one).md"),
        ("!!a", "a", "b"),
        ("@(a|b)*", "@(a|b)", "a b"),
        ("{a,b}.md", "a.md b.md", "c.md {a,b}.md"),
        ("{a,{b,c}*}d", "ad bd cxd", "abd d"),
        ("{,x}a", "a xa", "ya"),
        ("*{a,b}*c", "xac bc", "xc c"),
        // A branch before a comma counts although the braces are never closed.
        ("{a,b", "a", "b {a,b"),
        // After the second pair it still assumes to be within braces, and skips to the end.
        ("{a,b}{c,d},x", "ac bd", "ac,x"),
        ("{[a,b],z}", "a b b] z", "["),
        ("{a}{b}{c}{d}{e}{f}{g}{h}{i}{j}", "abcdefghij", ""),
        ("{a}{b}{c}{d}{e}{f}{g}{h}{i}{j}{k}", "", "abcdefghijk"),
    ] {
        for name in yes.split_whitespace() {
            assert!(Name::new(pattern).matches(name), "{pattern} should match {name}");
        }
        for name in no.split_whitespace() {
            assert!(!Name::new(pattern).matches(name), "{pattern} should not match {name}");
        }
    }
}

#[test]
fn the_walk_of_bun_takes_the_last_directory_first() {
    let tree = Files::of(
        "/r/b.md /r/x/n.md /r/x/p/1.md /r/x/m.md /r/.d/z.md /r/y/k.md /r/ln->/o /r/to->/r/b.md /r/a.md /o/l.md /o/s/t.md",
    );
    for (pattern, expected) in [
        ("*.md", "b.md a.md"),
        ("**/*.md", "b.md a.md ln/l.md ln/s/t.md y/k.md .d/z.md x/n.md x/m.md x/p/1.md"),
        ("{a,b}.md", "b.md a.md"),
        ("t*", "to"),
        ("to", "to"),
        ("ln/*.md", "ln/l.md"),
        ("**/l.md", "ln/l.md"),
        ("**/x/*.md", "x/n.md x/m.md"),
        // A link that both ends `**` and is below it is read twice, but closed after the first time: the whole scan
        // fails.
        ("**/ln/*.md", ""),
        ("./b.md", "b.md"),
        ("../r/b.md", "b.md"),
        ("x/../b.md", "b.md"),
        ("nowhere/../b.md", ""),
        ("x//n.md", "x/n.md"),
        ("b.md/", "b.md"),
        ("*.md/", ""),
        ("b.md//", ""),
        ("", ""),
        (".", ""),
        ("x", ""),
        ("x/{n,m}.md", "x/n.md x/m.md"),
        ("{x/n,x/m}.md", ""),
    ] {
        let found = bun(&tree, Path::new("/r"), pattern, true, true);
        let names: Vec<_> = found
            .files
            .iter()
            .map(|path| path.strip_prefix("/r").expect("below").to_string_lossy().into_owned())
            .collect();
        assert_eq!(names.join(" "), expected, "{pattern}");
    }
    assert!(bun(&tree, Path::new("/r"), "**/l.md", true, false).files.is_empty());
    assert!(bun(&tree, Path::new("/r"), "*/z.md", false, true).files.is_empty());
    assert!(bun(&tree, Path::new("/gone"), "*", true, true).files.is_empty());
}
