//! Whether settings of the system may be believed: they, and every folder on the way to them, must belong to root, and nobody
//! else may write there.

use std::path::{Path, PathBuf};

use crate::search::{Known, Search};
use crate::snapshot::{Ask, FileType};

const RULE: &str = "settings of the system must be guarded: a file of root's, in folders of root's";

/// Why the file is passed over: `Some(None)` where there is none, `Some(Some(…))` says what is wrong.
pub(super) fn problem(file: &Path, search: &mut Search) -> Known<Option<Option<String>>> {
    let Ok(meta) = search.stat(file, RULE)? else { return Ok(Some(None)) };
    if meta.kind != FileType::File {
        return Ok(Some(Some("not a file".to_owned())));
    }
    let real = search.real(file)?.unwrap_or_else(|_| file.to_owned());
    let mut places: Vec<PathBuf> = file.ancestors().map(Path::to_owned).collect();
    places.extend(real.ancestors().filter(|place| !file.starts_with(place)).map(Path::to_owned));
    search.expect(places.iter().flat_map(|place| [Ask::Kind(place.clone()), Ask::LinkKind(place.clone())]))?;
    for place in places {
        let itself = search.lstat(&place, RULE)?.is_ok_and(|meta| meta.guarded);
        if !itself || !search.stat(&place, RULE)?.is_ok_and(|meta| meta.guarded) {
            return Ok(Some(Some(format!("{} does not belong to root alone", place.display()))));
        }
    }
    Ok(None)
}
