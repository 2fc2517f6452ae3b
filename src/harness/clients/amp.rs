//! Amp: one guidance file per directory from the working directory upwards, personal files, and the files that they
//! mention.
//!
//! Based on excerpts of Amp's manual (ampcode.com/manual) and third-party notes on its client (0.0.1769212917),
//! November 2026. The client is closed source and talks only to its own server, so the text around the files is not
//! known.

use std::convert::identity;
use std::path::Path;

use crate::answer::{Answer, Scope, Standpoint};
use crate::harness::kit::conventional::{Chain, File, Globs, Load, PLAIN, When, mentioned, read_in_november};
use crate::harness::kit::front_matter::FrontMatter;
use crate::harness::{About, Details, Edition, Evidence, Profile};
use crate::search::{Known, Search};
use crate::snapshot::absolute;

/// File names in order of precedence; the first that exists in a directory is loaded.
const NAMES: [&str; 7] = ["AGENTS.md", "Agents.md", "agents.md", "AGENT.md", "Agent.md", "agent.md", "CLAUDE.md"];
/// Maximum number of mentions that one answer follows. The client is not known to have a limit.
const MENTION_LIMIT: usize = 64;

/// Profile of Amp.
pub static PROFILE: Profile = Profile {
    id: "amp",
    title: "Amp",
    summary: "the first of AGENTS.md, AGENT.md, CLAUDE.md in each directory up to the home directory, ~/.config/amp/AGENTS.md, ~/.config/AGENTS.md, and files they mention",
    editions: &[&Amp],
    history: None,
    instruction_names: &NAMES,
    settings_names: &[],
    keys: &[],
    program: None,
    evidence: Evidence {
        commands: &["amp"],
        homes: &[&["$XDG_CONFIG_HOME/amp", "~/.config/amp"]],
        files: &[".amp"],
        editor: &["sourcegraph.amp", "amp.nvim"],
        ..Evidence::NONE
    },
};

const UNSURE: &str = "based on excerpts of Amp's manual (November 2026), as the client is closed source: the order and the text around the files are not known";

static ABOUT: About = read_in_november(Details {
    files: "the first of AGENTS.md, AGENT.md, CLAUDE.md (and their spellings) in each directory",
    triggers: "session start; when a file below is read; a mentioned file with globs once a file matches",
    place: "not known",
    nested: "when a file there is read",
    global: "~/.config/amp/AGENTS.md, ~/.config/AGENTS.md",
    globs: "globs in the front matter of mentioned files",
    ..PLAIN
});

struct Amp;

impl Edition for Amp {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let mut chain = Chain::new(at, search, Some(UNSURE));
        let mut mentions = Mentions { left: MENTION_LIMIT };
        let load = Load::start(Scope::User, "a personal file");
        for path in [at.home.join(".config/amp/AGENTS.md"), at.home.join(".config/AGENTS.md")] {
            if let Some(file) = chain.file(&path, load)? {
                mentions.guidance(&mut chain, &file, load)?;
            }
        }
        let top = if at.cwd.starts_with(&at.home) { Some(at.home.clone()) } else { chain.repository()? };
        let top = top.unwrap_or_else(|| at.cwd.clone());
        let mut dirs: Vec<&Path> = at.cwd.ancestors().take_while(|dir| dir.starts_with(&top)).collect();
        dirs.reverse();
        let load = Load::start(Scope::Project, "the first of the names in this directory");
        for dir in dirs {
            mentions.directory(&mut chain, dir, load)?;
        }
        for dir in chain.directories_to_target() {
            let load = Load::read(Scope::Nested, "the first of the names in a folder above the file");
            mentions.directory(&mut chain, &dir, load)?;
        }
        Ok(chain.finish("\n\n"))
    }
}

/// Loads guidance files and the files that they mention. `left` is the number of mentions that may still be followed.
struct Mentions {
    left: usize,
}

impl Mentions {
    fn directory(&mut self, chain: &mut Chain, dir: &Path, load: Load) -> Known<()> {
        chain.first(dir, &NAMES, load, |chain, file| self.guidance(chain, file, load)).map(|_| ())
    }

    fn guidance(&mut self, chain: &mut Chain, file: &File, load: Load) -> Known<()> {
        chain.give(file, 0..file.text.len(), load, identity);
        let dir = file.path.parent().unwrap_or(&file.path);
        for mention in mentioned(&file.text) {
            if self.left == 0 {
                chain.search.never(&dir.join(mention), "one mention too many: neither it nor what follows is followed");
                break;
            }
            self.left -= 1;
            if mention.contains('*') {
                chain.search.never(&dir.join(mention), "a mention with a pattern: not followed here");
                continue;
            }
            let path = match mention.strip_prefix("~/") {
                Some(rest) => chain.at.home.join(rest),
                None => absolute(dir, Path::new(mention)),
            };
            chain.answer.mention(&file.path, mention, [path.clone()]);
            self.mention(chain, &path, dir, load)?;
        }
        Ok(())
    }

    fn mention(&mut self, chain: &mut Chain, path: &Path, dir: &Path, load: Load) -> Known<()> {
        let import = Load { scope: Scope::Import, trigger: load.trigger, reason: "mentioned in a guidance file" };
        let Some(file) = chain.file(path, import)? else { return Ok(()) };
        let globs = FrontMatter::of(&file.text).and_then(|front| front.patterns("globs"));
        match globs {
            Some(globs) if !globs.is_empty() => {
                let place = Globs { base: dir, names_anywhere: true, fold_case: false };
                let anywhere: Vec<String> = globs.iter().map(|glob| anywhere(glob)).collect();
                chain.rule(&file, file.body(), Scope::Import, &When::Matching(anywhere.into()), place);
            }
            Some(_) | None => chain.give(&file, 0..file.text.len(), import, identity),
        }
        Ok(())
    }
}

/// Makes a pattern match in every folder, unless it is anchored by `./`, `../`, `**/` or `/`.
fn anywhere(glob: &str) -> String {
    let free = glob.starts_with("./") || glob.starts_with("../") || glob.starts_with("**/") || glob.starts_with('/');
    if free { glob.to_owned() } else { format!("**/{glob}") }
}
