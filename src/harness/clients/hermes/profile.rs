//! Profiles: each has a folder of its own, which replaces the user's.

use std::path::{Path, PathBuf};

use crate::answer::Standpoint;
use crate::search::{Halt, Known, Search};
use crate::snapshot::absolute;
use crate::text::py_trimmed;

/// Returns the folder of the selected profile: by an option, by the path in `HERMES_HOME`, or by the file
/// `active_profile`.
pub(super) fn own_folder(at: &Standpoint, search: &mut Search) -> Known<PathBuf> {
    let usual = at.home.join(".hermes");
    let named = search.env("HERMES_HOME").map(|dir| dir[py_trimmed(&dir)].to_owned()).filter(|dir| !dir.is_empty());
    let own = named.as_ref().map_or_else(|| usual.clone(), |dir| absolute(&at.cwd, Path::new(dir)));
    let is_profile = own.parent().is_some_and(|dir| dir.ends_with("profiles"));
    let is_usual = search
        .real(&own)?
        .unwrap_or_else(|_| own.clone())
        .starts_with(search.real(&usual)?.unwrap_or_else(|_| usual.clone()));
    let root = if named.is_none() || is_usual {
        usual
    } else if is_profile {
        own.ancestors().nth(2).unwrap_or(&own).to_owned()
    } else {
        own.clone()
    };
    let option = at.option("hermes", "profile").filter(|name| is_name(name)).map(str::to_owned);
    let name = match option {
        Some(name) => Some(name),
        None if named.is_some() && is_profile => None,
        None if search.env("HERMES_S6_SUPERVISED_CHILD").is_some_and(|value| !value.is_empty()) => None,
        None => active(&root.join("active_profile"), search)?,
    };
    let Some(name) = name.map(|name| name.to_lowercase()) else { return Ok(own) };
    let refused = |what: String| Err(Halt::refused(root.join("active_profile"), what));
    if name == "default" {
        return Ok(root);
    }
    if !is_name(&name) {
        return refused(format!("{name} is no name of a profile"));
    }
    let folder = root.join("profiles").join(&name);
    match search.is_dir(&folder, "the folder of a profile")? {
        true => Ok(folder),
        false => refused(format!("the profile {name} does not exist; `hermes profile create {name}` makes it")),
    }
}

/// Returns the name in a file, unless it is `default`.
fn active(path: &Path, search: &mut Search) -> Known<Option<String>> {
    let read = search.read(path, "the profile that is used until another is chosen")?;
    let text = read.ok().and_then(|raw| raw.as_text().map(str::to_owned)).unwrap_or_default();
    let name = text[py_trimmed(&text)].to_owned();
    Ok(Some(name).filter(|name| !name.is_empty() && name != "default"))
}

fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    name.len() <= 64 && name.starts_with(is_plain) && name.chars().all(|c| is_plain(c) || c == '_' || c == '-')
}
