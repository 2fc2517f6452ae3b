//! Files that a call of the read tool injects: those of the directories between the target and the start directory.

use std::path::{Path, PathBuf};

use super::flags::Flags;
use super::places::{Owner, Places, exists};
use super::rules::{Counts, Pictures};
use super::system::{self, Loaded};
use super::{Entry, OpenCode};
use crate::answer::{Answer, Fate, Scope, Source, Standpoint, Tool, Trigger};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, FileType};

/// Returns the entries in the tool's result.
pub(super) fn look(
    edition: &OpenCode,
    at: &Standpoint,
    flags: &Flags,
    places: &Places,
    loaded: &Loaded,
    search: &mut Search,
    answer: &mut Answer,
) -> Known<Vec<Entry>> {
    let Some(target) = &at.target else { return Ok(Vec::new()) };
    // The tool examines the path as given, so a missing directory before `..` matters.
    let given = at.target_as_given.as_ref().unwrap_or(target);
    let dirs = directories(target, &places.directory);
    search.expect(
        std::iter::once(Ask::Kind(given.clone()))
            .chain(dirs.iter().flat_map(|dir| edition.names.iter().map(|name| Ask::Kind(dir.join(name))))),
    )?;
    match search.stat(given, "the file that is read")? {
        Ok(meta) if meta.kind == FileType::File => {}
        Ok(meta) if meta.kind == FileType::Device && edition.counts == Counts::Anything => {}
        Ok(_) | Err(_) => return Ok(Vec::new()),
    }
    let lost = lost_before(edition, at, flags, places, search)?;
    let mut entries = Vec::new();
    let first_source = answer.sources.len();
    for dir in dirs {
        let (path, mut others) = chosen(edition, flags, dir, search)?;
        let Some(path) = path else {
            answer.sources.append(&mut others);
            continue;
        };
        if path != *target && loaded.paths.contains(&path) {
            // The file already has its source.
        } else if let Some(reason) = why_not(at, &path, &lost) {
            answer.sources.push(Source::new(&path, Scope::Nested, Fate::Dropped, reason));
        } else {
            let reason = "below the start directory, on the way to the file read; nearest first".to_owned();
            let rights = places.rights(edition, Owner::Project);
            let (text, source) =
                system::read(edition, (&path, rights), (Scope::Nested, reason), places, search, answer)?;
            entries.extend(text.map(|text| Entry { text, source }));
        }
        answer.sources.append(&mut others);
    }
    for source in &mut answer.sources[first_source..] {
        source.trigger = trigger(at);
    }
    if entries.is_empty() {
        return Ok(entries);
    }
    if let Some(reason) = silent(edition, target, search)? {
        for entry in entries.drain(..) {
            let source = &mut answer.sources[entry.source];
            (source.fate, source.reason) = (Fate::Dropped, reason.to_owned());
            source.kept.clear();
        }
    }
    Ok(entries)
}

/// Returns the reason why a file between the target and the start directory is not injected, unless the prompt has it
/// already.
fn why_not(at: &Standpoint, path: &Path, lost: &[PathBuf]) -> Option<&'static str> {
    let is_among = |files: &[PathBuf]| remembers(at) && files.iter().any(|file| file == path);
    if at.target.as_deref() == Some(path) {
        Some("it is the file being read, which never injects itself")
    } else if is_among(&at.already_loaded) {
        Some("an earlier read of this session injected it")
    } else if is_among(lost) {
        Some("an earlier read of a picture or PDF took it up and had no room for it; it is lost for this session")
    } else {
        None
    }
}

/// Returns when the text reaches the model: a file that the user mentions is read before the message is sent.
pub(super) fn trigger(at: &Standpoint) -> Trigger {
    if at.tool == Tool::Mention { Trigger::Attach } else { Trigger::Read }
}

/// Returns true if earlier reads count. They do not for a file that the user mentions, which is read without the
/// history.
fn remembers(at: &Standpoint) -> bool {
    at.tool != Tool::Mention
}

/// Returns the files that earlier reads of pictures and PDFs marked as loaded without sending them.
fn lost_before(
    edition: &OpenCode,
    at: &Standpoint,
    flags: &Flags,
    places: &Places,
    search: &mut Search,
) -> Known<Vec<PathBuf>> {
    let mut lost = Vec::new();
    for file in at.read_before.iter().filter(|earlier| earlier.tool == Tool::Read).map(|earlier| &earlier.file) {
        if silent(edition, file, search)? == Some(TAKEN_UP) {
            for dir in directories(file, &places.directory) {
                lost.extend(chosen(edition, flags, dir, search)?.0.filter(|path| path != file));
            }
        }
    }
    Ok(lost)
}

/// Reason why reading a picture or PDF adds no text.
const TAKEN_UP: &str =
    "the file read is a picture or PDF: this file counts as loaded from now on, but its text is not sent";

/// Returns the directories from the target's directory up, as long as the path begins with the text of the start
/// directory and is not equal to it. `/p/app2` begins with `/p/app`, too.
fn directories<'a>(target: &'a Path, start: &Path) -> Vec<&'a Path> {
    let start = start.as_os_str().as_encoded_bytes();
    let begins = |dir: &&Path| {
        let dir = dir.as_os_str().as_encoded_bytes();
        dir.starts_with(start) && dir != start
    };
    target.parent().map(|dir| dir.ancestors().take_while(begins).collect()).unwrap_or_default()
}

/// Returns the first name that exists in a directory, and the other ones, which are shadowed or disabled.
fn chosen(edition: &OpenCode, flags: &Flags, dir: &Path, search: &mut Search) -> Known<(Option<PathBuf>, Vec<Source>)> {
    let (mut winner, mut others): (Option<PathBuf>, Vec<Source>) = (None, Vec::new());
    for name in edition.names {
        let path = dir.join(name);
        let rule = if winner.is_none() {
            "read: the first name that exists in the directory"
        } else {
            "asked only to explain: another name stands before it"
        };
        if !exists(edition, &path, rule, search)? {
            continue;
        }
        let source = |fate, reason: String| Source::new(&path, Scope::Nested, fate, reason);
        if system::switched_off(edition, flags, name) {
            others.push(source(Fate::Excluded, "Claude files are switched off by the environment".to_owned()));
        } else if let Some(winner) = &winner {
            let reason = format!("{} in the same directory is loaded instead", winner.display());
            others.push(Source { by: Some(winner.clone()), ..source(Fate::Shadowed, reason) });
        } else {
            winner = Some(path);
        }
    }
    Ok((winner, others))
}

/// Size of the part of a file that decides whether it is binary, in bytes (OpenCode 1.18.33).
const SAMPLE_BYTES: usize = 4096;

/// Extensions that are binary whatever the content (OpenCode 1.18.33).
const BINARY: &str =
    "zip tar gz exe dll so class jar war 7z doc docx xls xlsx ppt pptx odt ods odp bin dat obj o a lib wasm pyc pyo";

/// Extensions of the types `image/…` (without SVG) and `application/pdf` in Bun 1.3.5 (OpenCode 1.1.53).
const PICTURES_AND_PDF: &str = "3ds apng avci avcs avif azv bmp btif cgm cmx dds djv djvu drle dwg dxf emf exr fh fh4 fh5 fh7 fhc fits fpx fst g3 gif heic heics heif heifs hej2 hsj2 ico ief jhc jls jng jp2 jpe jpeg jpf jpg jpg2 jph jpx jxr jxra jxrs jxs jxsc jxsi jxss ktx ktx2 mdi mmr npx pbm pct pcx pdf pgm pic png pnm ppm psd pti ras rgb rlc sgi sid t38 tap tfx tga tif tiff uvg uvi uvvg uvvi vtf wbmp wdp webp wmf xbm xif xpm xwd";

/// Extensions that the table of `mime-types` has in addition to those above (OpenCode 1.2.11 and 1.3.2).
const MORE_PICTURES: &str = "b16 btf dib dng dpx jaii jais jfif jpgm jpm jxl";
/// The one extension above that the table of `mime-types` lacks.
const NO_PICTURE: &str = "hsj2";

/// Returns the reason why the tool's result has no room for the files that were found.
fn silent(edition: &OpenCode, target: &Path, search: &mut Search) -> Known<Option<&'static str>> {
    let Ok(raw) = search.read(target, "the file that is read: pictures, PDFs and binaries carry no reminder")? else {
        return Ok(None);
    };
    let sample = &raw[..raw.len().min(SAMPLE_BYTES)];
    let ending = target.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
    let is_picture_or_pdf = match edition.pictures {
        Pictures::Content => is_picture_or_pdf(sample, &ending),
        Pictures::Endings => {
            ending != NO_PICTURE
                && [PICTURES_AND_PDF, MORE_PICTURES].iter().any(|list| list.split(' ').any(|known| known == ending))
        }
        Pictures::EndingsInLowerCase => target.extension().is_some_and(|ending| {
            PICTURES_AND_PDF.split(' ').any(|known| ending.as_encoded_bytes() == known.as_bytes())
        }),
    };
    Ok(if is_picture_or_pdf {
        Some(TAKEN_UP)
    } else if is_binary(sample, &ending) {
        Some("the file read is binary: the read fails and sends nothing")
    } else {
        None
    })
}

fn is_picture_or_pdf(sample: &[u8], ending: &str) -> bool {
    let begins = |magic: &[u8]| sample.starts_with(magic);
    if begins(b"BM") {
        // The content is a bitmap, which OpenCode does not treat as a picture whatever its name.
        return false;
    }
    begins(b"\x89PNG\r\n\x1a\n")
        || begins(b"\xff\xd8\xff")
        || begins(b"GIF8")
        || begins(b"%PDF-")
        || (begins(b"RIFF") && sample.get(8..12) == Some(b"WEBP"))
        || matches!(ending, "png" | "jpg" | "jpeg" | "jpe" | "gif" | "webp" | "pdf")
}

fn is_binary(sample: &[u8], ending: &str) -> bool {
    if BINARY.split(' ').any(|known| known == ending) {
        return true;
    }
    let control = sample.iter().filter(|byte| **byte < 9 || (14..32).contains(*byte)).count();
    sample.contains(&0) || control * 10 > sample.len() * 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_for_below_is_on_the_text_of_the_path() {
        for (target, start, dirs) in [
            ("/p/app/s/t/f", "/p/app", "/p/app/s/t /p/app/s"),
            ("/p/app/f", "/p/app", ""),
            ("/p/app2/x/f", "/p/app", "/p/app2/x /p/app2"),
            ("/p/lib/f", "/p/app", ""),
            ("/a/f", "/", "/a"),
        ] {
            let found: Vec<_> = directories(Path::new(target), Path::new(start));
            let found: Vec<_> = found.iter().map(|dir| dir.display().to_string()).collect();
            assert_eq!(found.join(" "), dirs, "{target} from {start}");
        }
    }

    #[test]
    fn what_is_binary_is_decided_by_ending_and_sample() {
        for (sample, ending, picture, binary) in [
            (&b"\x89PNG\r\n\x1a\n"[..], "txt", true, false),
            (b"%PDF-1.4", "", true, false),
            (b"text", "PNG", false, false),
            (b"text", "png", true, false),
            (b"text", "zip", false, true),
            (b"te\0xt", "txt", false, true),
            (b"\x01\x02\x03abcdefg", "txt", false, false),
            (b"\x01\x02\x03\x04abcdef", "txt", false, true),
            (b"", "txt", false, false),
        ] {
            assert_eq!((is_picture_or_pdf(sample, ending), is_binary(sample, ending)), (picture, binary), "{sample:?}");
        }
    }
}
