//! Checks whether the client trusts system settings: they, and every folder above them, must belong to root, and nobody
//! else may write there.

use std::path::{Path, PathBuf};

use crate::search::{Known, Search};
use crate::snapshot::{Ask, FileType};

const RULE: &str = "settings of the system must be guarded: a file of root's, in folders of root's";

/// Treatment of a file of system settings.
pub(super) enum Guard {
    Believed,
    /// The file does not exist.
    Absent,
    /// The file is ignored, for this reason.
    Refused(String),
}

/// Returns whether the client trusts the file.
pub(super) fn of(file: &Path, search: &mut Search) -> Known<Guard> {
    let Ok(meta) = search.stat(file, RULE)? else { return Ok(Guard::Absent) };
    if meta.kind != FileType::File {
        return Ok(Guard::Refused("not a file".to_owned()));
    }
    let real = search.real(file)?.unwrap_or_else(|_| file.to_owned());
    let mut places: Vec<PathBuf> = file.ancestors().map(Path::to_owned).collect();
    places.extend(real.ancestors().filter(|place| !file.starts_with(place)).map(Path::to_owned));
    search.expect(places.iter().flat_map(|place| [Ask::Kind(place.clone()), Ask::LinkKind(place.clone())]))?;
    for place in places {
        let itself = search.lstat(&place, RULE)?.is_ok_and(|meta| meta.guarded);
        if !itself || !search.stat(&place, RULE)?.is_ok_and(|meta| meta.guarded) {
            return Ok(Guard::Refused(format!("{} does not belong to root alone", place.display())));
        }
    }
    Ok(Guard::Believed)
}
