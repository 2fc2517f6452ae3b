//! Fixes of broken paths and globs for which a file with a similar name exists.

use std::path::{Path, PathBuf};

use super::{Action, Context, Edit};
use crate::queries::manifests::Manifest;
use crate::report::findings::{Finding, Kind};
use crate::snapshot::{Ask, Fact, FileType, GlobFlavor};

/// Maximum edit distance, in letters, at which two names count as similar.
const MOST_DIFFERENT: usize = 2;

/// Maximum number of directories from which a path is tried.
const MOST_ABOVE: usize = 16;

/// Returns the fixes of a finding about a broken path or glob.
pub(super) fn fixes(ctx: &Context, finding: &Finding) -> Vec<Action> {
    let Some(word) = ctx.text.get(finding.range.clone()) else { return Vec::new() };
    // The words to replace, and their replacement.
    let found = match finding.kind {
        Kind::ImportMissing => word
            .strip_prefix('@')
            .and_then(|path| Some((path, file(ctx, ctx.dir(), path).or_else(|| from_above(ctx, path))?))),
        Kind::MissingFile => file(ctx, ctx.dir(), word).map(|path| (word, path)),
        Kind::MissingPath => path(ctx, word).map(|path| (word, path)),
        Kind::MissingScript => script(ctx, finding, word).map(|name| (word, name)),
        Kind::DeadGlob => pattern(ctx, word).map(|pattern| (word, pattern)),
        _ => None,
    };
    let changed = found.map(|(old, new)| {
        let place = finding.range.end - old.len()..finding.range.end;
        Action::fix(finding, format!("Change to {new}"), vec![ctx.replace(place, new)]).preferred()
    });
    changed.or_else(|| created(ctx, finding, word)).into_iter().collect()
}

/// Creates the file that an import or a settings entry names, with a heading, if no similar name exists.
fn created(ctx: &Context, finding: &Finding, word: &str) -> Option<Action> {
    let name = match finding.kind {
        Kind::ImportMissing => word.strip_prefix('@')?,
        Kind::MissingFile => word,
        _ => return None,
    };
    let steps_out = name.split('/').any(|part| part == "..");
    let names_one = !name.starts_with(['/', '~']) && !name.contains(['*', '?', '[', '{', '\\']);
    let plain = name.ends_with(".md") && names_one && !steps_out;
    let path = ctx.dir().join(name.strip_prefix("./").unwrap_or(name));
    let title = Path::new(name).file_stem()?.to_str()?;
    let edit = Edit::Create { path: path.clone(), text: format!("# {title}\n") };
    (plain && !ctx.disk.is_taken(&path)).then(|| Action::fix(finding, format!("Create {name}"), vec![edit]))
}

/// If a path leads to an existing file from a directory above, returns the path of that file relative to the directory
/// of the file that names it.
fn from_above(ctx: &Context, path: &str) -> Option<String> {
    let above = ctx.dir().ancestors().skip(1).take_while(|dir| dir.parent().is_some()).take(MOST_ABOVE);
    let is_there = |at: &PathBuf| ctx.disk.kind(at) == Some(FileType::File);
    let at = above.filter(|_| !path.starts_with('/')).map(|dir| dir.join(path)).find(is_there)?;
    let steps = ctx.dir().ancestors().position(|dir| at.starts_with(dir))?;
    let below = at.strip_prefix(ctx.dir().ancestors().nth(steps)?).ok()?;
    Some(format!("{}{}", "../".repeat(steps), below.to_str()?))
}

/// Returns the path of the existing file that a path probably means.
fn file(ctx: &Context, dir: &Path, path: &str) -> Option<String> {
    let slashes = path.replace('\\', "/");
    let (found, at) = followed(ctx, dir, &slashes)?;
    (found != path && ctx.disk.kind(&at) == Some(FileType::File)).then_some(found)
}

/// Returns the file that a path in prose probably means, from the directory of the file or one above it.
fn path(ctx: &Context, word: &str) -> Option<String> {
    let dirs = ctx.dir().ancestors().take_while(|dir| dir.parent().is_some());
    dirs.take(MOST_ABOVE).find_map(|dir| file(ctx, dir, word))
}

/// Returns the similarly named script in the first manifest that was searched.
fn script(ctx: &Context, finding: &Finding, word: &str) -> Option<String> {
    let (manifest, _) = finding.related.first()?;
    let names = Manifest::of(manifest)?.scripts(&ctx.disk.read(manifest)?)?;
    nearest(word, &names).filter(|name| name != word)
}

/// Corrects the names in a glob to existing ones, if the result then matches a file.
fn pattern(ctx: &Context, pattern: &str) -> Option<String> {
    let slashes = pattern.replace('\\', "/");
    let plain = slashes.trim_start_matches("./");
    let parts: Vec<&str> = plain.split('/').collect();
    // The names before the first wildcard.
    let fixed = parts.iter().take_while(|part| !part.contains(['*', '?', '[', '{'])).count();
    let base = ctx.subject.base();
    let mut tried = vec![slashes.clone()];
    if fixed > 0 {
        let (names, _) = followed(ctx, &base, &parts[..fixed].join("/"))?;
        tried.push([&[names.as_str()], &parts[fixed..]].concat().join("/"));
    }
    let finds = |tried: &&String| {
        let ask = Ask::Glob { base: base.clone(), pattern: (*tried).clone(), flavor: GlobFlavor::Any };
        matches!(ctx.disk.0.told(&ask), Some(Fact::Glob(found)) if found.files.iter().any(|found| *found != base))
    };
    tried.iter().filter(|tried| *tried != pattern).find(finds).cloned()
}

/// Follows a path, correcting each name to a similar existing one. Returns the corrected path and its target.
fn followed(ctx: &Context, dir: &Path, path: &str) -> Option<(String, PathBuf)> {
    let mut at = if path.starts_with('/') { PathBuf::from("/") } else { dir.to_owned() };
    let mut names: Vec<String> = Vec::new();
    for part in path.split('/') {
        let name = match part {
            "" | "." => part.to_owned(),
            ".." => {
                at.pop();
                names.push(part.to_owned());
                continue;
            }
            name => nearest(name, &ctx.disk.names(&at))?,
        };
        if !name.is_empty() && name != "." {
            at.push(&name);
        }
        names.push(name);
    }
    Some((names.join("/"), at))
}

/// Returns the only name that equals this one, differs in letter case, or differs in very few letters.
fn nearest(name: &str, there: &[String]) -> Option<String> {
    let only = |found: Vec<&String>| if let [one] = found[..] { Some(one.clone()) } else { None };
    if there.iter().any(|other| other == name) {
        return Some(name.to_owned());
    }
    only(there.iter().filter(|other| other.eq_ignore_ascii_case(name)).collect()).or_else(|| {
        let allowed = MOST_DIFFERENT.min(name.len() / 3);
        only(there.iter().filter(|other| allowed > 0 && distance(name, other) <= allowed).collect())
    })
}

/// Returns the number of letters to change, add, remove or swap with their neighbour to turn one name into the other.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one.len().abs_diff(other.len()) > MOST_DIFFERENT {
        return usize::MAX;
    }
    let mut rows = vec![(0..=other.len()).collect::<Vec<usize>>()];
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let mut least = (rows[i][j] + usize::from(a != b)).min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && one[i - 1] == *b && other[j - 1] == *a {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_near_when_few_letters_differ() {
        for (name, other, far) in
            [("scr", "src", 1), ("style.md", "styles.md", 1), ("a", "abcd", usize::MAX), ("docs", "docs", 0)]
        {
            assert_eq!(distance(name, other), far, "{name} {other}");
        }
        let there = ["src", "docs", "Style.md"].map(str::to_owned);
        for (name, found) in [
            ("srcs", Some("src")),
            ("style.md", Some("Style.md")),
            ("lib", None),
            ("doc", Some("docs")),
            ("a", None),
            ("docz", Some("docs")),
        ] {
            assert_eq!(nearest(name, &there).as_deref(), found, "{name}");
        }
    }
}
