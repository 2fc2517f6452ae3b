//! Reads the declared expectations of a project and the texts that they name.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Proof, Proofs};
use crate::engine::Core;
use crate::harness::custom::FILE_NAME;
use crate::report::expect::{Demand, Expectation, Wanted, declared, decoded, paragraphs, section};
use crate::report::findings::{Finding, Kind};
use crate::report::why::Sought;
use crate::snapshot::Content;

/// Maximum number of files in a chain of `extends`.
const LONGEST_CHAIN: usize = 8;

/// Reads a file of the project.
pub fn read(core: &Core, path: &Path) -> Result<Content, String> {
    let read = core.read(path).map_err(String::from);
    // Callers mention the file in their own words, so strip the prefix.
    let named = format!("{}: ", path.display());
    read.map(|(raw, _)| raw).map_err(|error| error.strip_prefix(&named).unwrap_or(&error).to_owned())
}

/// Reads the declarations of a project. A file below another one that extends it is a policy of that one only.
pub fn declarations(core: &Core, root: &Path, files: &[PathBuf]) -> Proofs {
    let mut proofs = Proofs { root: root.to_owned(), all: Vec::new(), wrong: Vec::new(), asked: 0 };
    let (mut policies, mut wrong) = (BTreeSet::new(), Vec::new());
    for path in files {
        let dir = path.parent().unwrap_or(root);
        let (mut chain, mut next) = (Vec::new(), Some(path.clone()));
        while let Some(file) = next.take() {
            let Ok(raw) = read(core, &file) else { break };
            let here = declared(&raw);
            wrong.extend(here.wrong.into_iter().map(|finding| (file.clone(), raw.clone(), finding)));
            if !chain.is_empty() && file.parent() != Some(dir) && file.starts_with(dir) {
                policies.insert(file.clone());
            }
            let proof = |expectation| Proof::of(expectation, &file, dir, &raw);
            proofs.all.extend(here.all.into_iter().map(proof));
            chain.push(file.clone());
            let Some(extends) = here.extends else { break };
            match extended(core, &chain, extends.as_ref()) {
                Ok(target) => next = Some(target),
                Err(problem) => wrong.push((file, raw, Finding::new(Kind::Declaration, extends.span(), problem))),
            }
        }
    }
    proofs.all.retain(|proof| proof.path.parent() != Some(&proof.dir) || !policies.contains(&proof.path));
    // Several files may extend a wrong one.
    for problem in wrong {
        if !proofs.wrong.contains(&problem) {
            proofs.wrong.push(problem);
        }
    }
    proofs
}

/// Returns the file that the last file of a chain extends.
fn extended(core: &Core, chain: &[PathBuf], extends: &str) -> Result<PathBuf, String> {
    let dir = chain.last().and_then(|file| file.parent()).unwrap_or(Path::new("/"));
    let target = crate::snapshot::absolute(dir, Path::new(extends));
    if target.file_name().is_none_or(|name| name != FILE_NAME) {
        return Err(format!("`extends` leads to {extends}, which is not a {FILE_NAME}"));
    }
    if chain.contains(&target) {
        return Err(format!("`extends` leads back to {extends}"));
    }
    if chain.len() == LONGEST_CHAIN {
        return Err(format!("`extends` leads through more than {LONGEST_CHAIN} files"));
    }
    match read(core, &target) {
        Ok(_) => Ok(target),
        Err(error) => Err(format!("`extends` leads to {extends}, which cannot be read: {error}")),
    }
}

/// Reads the texts that an expectation demands.
pub fn resolved(core: &Core, root: &Path, expectation: &Expectation, declared_in: &Path) -> Result<Wanted, String> {
    let sought = |text: &str| Sought::new(text).ok_or_else(|| "the text is empty".to_owned());
    let all = |texts: Vec<String>, name: &str| {
        let found: Vec<Sought> = texts.iter().filter_map(|text| Sought::new(text)).collect();
        if found.is_empty() { Err(format!("{name} has no text")) } else { Ok(Wanted::Present(found)) }
    };
    match &expectation.demand {
        Demand::Text(text) => Ok(Wanted::Present(vec![sought(text)?])),
        Demand::Absent(text) => Ok(Wanted::Absent(sought(text)?)),
        Demand::File(file) => all(paragraphs(&page(core, root, declared_in, file)?), file),
        Demand::Section { file, heading } => {
            let page = page(core, root, declared_in, file)?;
            let section = section(&page, heading).ok_or_else(|| format!("{file} has no heading `{heading}`"))?;
            all(paragraphs(section), &format!("{file}#{heading}"))
        }
        Demand::MaxTokens(most) => Ok(Wanted::MaxTokens(*most)),
        Demand::MaxShare(most) => Ok(Wanted::MaxShare(*most)),
        Demand::SameFor(_) => Ok(Wanted::Same),
    }
}

/// Reads a file that an expectation names. It must be in the project, or beside an extended declaration: messages may
/// not quote any other file of the disk.
fn page(core: &Core, root: &Path, declared_in: &Path, file: &str) -> Result<String, String> {
    let dir = declared_in.parent().unwrap_or(root);
    let path = core.files.real(&crate::snapshot::absolute(dir, Path::new(file)));
    if !path.starts_with(core.files.real(root)) && !path.starts_with(core.files.real(dir)) {
        return Err(format!("{file} lies outside the project"));
    }
    let raw = read(core, &path).map_err(|error| format!("{file} cannot be read: {error}"))?;
    Ok(decoded(&raw))
}
