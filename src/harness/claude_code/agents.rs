//! Agents of the user's own: the text of the one that answers takes the place of the client's prompt.

use std::path::{Path, PathBuf};

use super::Edition21;
use super::git::Checkout;
use super::settings::Settings;
use crate::answer::{Answer, Message, MessageKind, Role, Scope, Source, Standpoint, Trigger, Warning};
use crate::formats::parse_leniently;
use crate::harness::shared::skills::{head, words};
use crate::search::{Search, Told};
use crate::snapshot::{Ask, GlobFlavor};
use crate::text::raw_ranges;

const FILES: &str = "**/*.md";
const FLAVOR: GlobFlavor = GlobFlavor::Npm { dot: false, follow: false };

impl Edition21 {
    /// Adds the text of the agent that is asked for, if it is the user's own.
    pub(super) fn agent(
        &self,
        at: &Standpoint,
        settings: &Settings,
        checkout: Option<&Checkout>,
        search: &mut Search,
        answer: &mut Answer,
    ) -> Told<()> {
        let Some(agent) = at.agent.as_deref().or(settings.agent.as_deref()) else { return Ok(()) };
        let places = places(at, settings, checkout);
        let asks =
            places.iter().map(|(dir, _)| Ask::Glob { base: dir.clone(), pattern: FILES.to_owned(), flavor: FLAVOR });
        search.expect(asks)?;
        for (dir, scope) in places {
            let mut files = search.glob(&dir, FILES, FLAVOR, "agents of the user's own")?.files.clone();
            files.sort();
            search.expect(files.iter().cloned().map(Ask::Content))?;
            for file in files {
                let Ok(raw) = search.read(&file, "an agent: its head names it")? else { continue };
                let text = raw.text();
                let Some((front, body)) = head(&text) else { continue };
                let front = parse_leniently(front);
                let value = |key: &str| front.as_ref().and_then(|front| front.get(key)).and_then(words);
                if value("name").as_deref() != Some(agent) || value("description").is_none() {
                    continue;
                }
                let body = body.trim();
                let end = text.trim_end().len();
                let body_in_file = end - body.len()..end;
                let kept = raw_ranges(&raw, std::slice::from_ref(&body_in_file));
                let reason = format!("the text of agent {agent}, which takes the place of the client's prompt");
                answer.sources.push(Source {
                    kept,
                    message: Some(answer.messages.len()),
                    part: Some(0),
                    ..Source::whole(&file, scope, raw.size(), reason)
                });
                let message = Message::instructions(Trigger::Session, Role::System, body.to_owned());
                answer.messages.push(Message { kind: MessageKind::Agent, name: Some(agent.to_owned()), ..message });
                return Ok(());
            }
        }
        // A question may name an agent of another harness; the command line and the settings mean this one.
        if settings.agent.is_some() {
            let message =
                format!("no file describes an agent {agent}; if Claude Code has none of that name, it is not taken");
            answer.warnings.push(Warning::general("unknown-agent", message));
        }
        Ok(())
    }
}

/// Where agents are looked for; of one name the first counts.
fn places(at: &Standpoint, settings: &Settings, checkout: Option<&Checkout>) -> Vec<(PathBuf, Scope)> {
    let of = |dir: &Path| dir.join(".claude/agents");
    let mut places = vec![(of(Path::new(super::MANAGED)), Scope::Managed)];
    if settings.project {
        let top = checkout.map_or(Path::new("/"), |checkout| &checkout.root);
        let walk = at.cwd.ancestors().take_while(|dir| dir.starts_with(top));
        places.extend(walk.map(|dir| (of(dir), Scope::Project)));
    }
    let user = settings.config.path.join("agents");
    places.retain(|(dir, _)| *dir != user);
    places.extend(settings.user.then_some((user, Scope::User)));
    places
}
