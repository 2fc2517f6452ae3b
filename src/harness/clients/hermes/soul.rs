//! SOUL.md describes the agent. The client creates the file if there is none, and cuts it like any other.

use std::path::Path;

use sha2::{Digest, Sha256};

use super::{Piece, Window, exists, give, read, scanned};
use crate::answer::{Answer, Certain, Fate, Message, Purpose, Role, Scope, Source, Trigger};
use crate::search::{Known, Search};
use crate::snapshot::Errno;
use crate::text::py_trimmed;

/// Text that the client writes into a new SOUL.md (Hermes 0.19.0).
const OWN: &str = "You are Hermes Agent, an intelligent AI assistant created by Nous Research. You are helpful, knowledgeable, and \
                   direct. You assist users with a wide range of tasks including answering questions, writing and editing code, analyzing \
                   information, creative work, and executing actions via your tools. You communicate clearly, admit uncertainty when \
                   appropriate, and prioritize being genuinely useful over being verbose unless otherwise directed below. Be targeted and \
                   efficient in your exploration and investigations.";
/// SHA-256 of texts by older clients, comments only, which the client replaces by `OWN` (Hermes 0.19.0).
const TEMPLATES: [&str; 2] = [
    "82fa3438d86f8b95c6e96be89d853c8b561b3e6973ed61c90e70e0231dd24a7e",
    "6bc146a50e8fe3bd555e89a77e93af1f781cece8cf549f0d7a02ee2389811c72",
];

pub(super) fn look(path: &Path, window: &Window, search: &mut Search, answer: &mut Answer) -> Known<()> {
    if !exists(path, "who the agent is", search)? {
        let is_sent = own_words(path, window, answer);
        let is_absent = search.stat(path, "who the agent is")? == Err(Errno::NOENT);
        if is_sent && (!is_absent || search.link_target(path)?.is_some()) {
            let reason = format!("{}: whether the client can write where the link leads is not known", path.display());
            answer.doubt(&[Certain::Text], reason);
        }
        return Ok(());
    }
    let Some((raw, text)) = read(path, Scope::User, search, answer)? else { return Ok(()) };
    if is_template(&text) {
        let reason = "an older client's template: the client writes its own words over it";
        answer.sources.push(Source { size: Some(raw.size()), ..Source::new(path, Scope::User, Fate::Empty, reason) });
        own_words(path, window, answer);
        return Ok(());
    }
    let scanned = scanned(&text, "SOUL.md", path, answer);
    let (text, lost) = window.cut(scanned.text.clone(), "SOUL.md", path, answer);
    let text = text[py_trimmed(&text)].to_owned();
    let piece = Piece { path: path.to_owned(), raw, scanned, at: 0 };
    let said = piece.source(Scope::User, lost.as_ref(), window.limit, "who the agent is");
    let message = Message::instructions(Trigger::Session, Role::System, text);
    give(answer, message, vec![Source { purpose: Purpose::Persona, ..said }]);
    Ok(())
}

/// Adds the client's own text and returns true if it is cut. If it is whole, it counts as part of the client's own
/// prompt.
fn own_words(path: &Path, window: &Window, answer: &mut Answer) -> bool {
    let (text, lost) = window.cut(OWN.to_owned(), "SOUL.md", path, answer);
    if lost.is_some() {
        let text = text[py_trimmed(&text)].to_owned();
        give(answer, Message::instructions(Trigger::Session, Role::System, text), Vec::new());
    }
    lost.is_some()
}

fn is_template(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}');
    let digest = Sha256::digest(&text[py_trimmed(text)]);
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    TEMPLATES.contains(&digest.as_str())
}
