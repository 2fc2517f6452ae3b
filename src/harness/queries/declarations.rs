//! Where a workspace declares its harnesses. Its `briefing.toml` is asked for like the files of any harness, so that an
//! answer is remembered, watched for, and forgotten when the file changes.

use std::path::Path;

use crate::answer::{Answer, Message, Resolution, Role, Scope, Source, Standpoint, Trigger};
use crate::harness::custom::Customs;
use crate::harness::{About, Choice, Edition, Profile};
use crate::search::{Known, Search};
use crate::snapshot::{Ask, Environment};

/// The name of the file in which a workspace declares harnesses.
pub const FILE_NAME: &str = "briefing.toml";

/// What is asked before a question in `cwd`: the declarations that count there.
pub fn question(cwd: &Path) -> (Choice, Standpoint) {
    let standpoint = Standpoint::plain(cwd, Path::new("/"), Environment::default());
    (Choice::named(&PROFILE, &Declarations), standpoint)
}

impl Customs {
    /// The harnesses that the answer to [`question`] and the settings declare.
    pub fn of(answer: &Resolution, settings: &toml::Table) -> Customs {
        let path = answer.answer.sources.first().and_then(|source| source.path());
        let text = answer.answer.messages.first().map(|message| &*message.text);
        Customs::gather(path.zip(text), settings)
    }
}

/// Not in the list of harnesses: nobody is told what stands in this file.
static PROFILE: Profile = Profile {
    settings_names: &[FILE_NAME],
    ..Profile::lookup(FILE_NAME, "the harnesses that a workspace declares", &[&Declarations])
};

struct Declarations;

impl Edition for Declarations {
    fn about(&self) -> &About {
        &About::LOOKUP
    }

    /// The nearest file, up to the root of the repository; without a repository, the one in the working directory.
    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let ask = |dir: &Path| [Ask::Kind(dir.join(FILE_NAME)), Ask::Kind(dir.join(".git"))];
        search.expect(at.cwd.ancestors().flat_map(ask))?;
        let mut nearest = None;
        let mut in_repository = false;
        for dir in at.cwd.ancestors() {
            let path = dir.join(FILE_NAME);
            if nearest.is_none() && search.is_file(&path, "harnesses that the workspace declares")? {
                nearest = Some(path);
            }
            if search.stat(&dir.join(".git"), "the root of the repository ends the search")?.is_ok() {
                in_repository = true;
                break;
            }
        }
        let counts = nearest.filter(|path| in_repository || path.parent() == Some(&at.cwd));
        let mut answer = Answer::default();
        let Some(path) = counts else { return Ok(answer) };
        if let Ok(raw) = search.read(&path, "harnesses that the workspace declares")? {
            let text = raw.text().into_owned();
            answer.messages.push(Message::instructions(Trigger::Session, Role::System, text));
            answer.sources.push(Source::whole(path, Scope::Config, raw.size(), "the nearest one"));
        }
        Ok(answer)
    }
}
