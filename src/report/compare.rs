//! Compares two answers: sources that are added, lost, moved, or cut differently.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{Fate, Message, MessageKind, Resolution, Source, Standpoint};
use crate::text::grouped;

/// Result of `briefing/compare`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Comparison {
    /// Title of the left answer, such as `Codex 0.169 in /r`.
    pub left: String,
    /// Title of the right answer.
    pub right: String,
    /// True if the model gets the same texts.
    pub same: bool,
    /// The differences, in the order of the right answer, then what only the left has.
    pub differences: Vec<Difference>,
    /// The exact texts of both, for a diff view.
    pub texts: Texts,
}

/// The exact texts of both sides.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Texts {
    /// All instruction messages of the left answer, joined by a blank line.
    pub left: String,
    /// All instruction messages of the right answer, joined by a blank line.
    pub right: String,
}

/// One difference.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, JsonSchema)]
pub struct Difference {
    /// The file or URL, or the layer beside them, such as `provider anthropic`.
    pub name: String,
    /// `added`, `lost`, `moved`, `cut` (by a limit), `grew`, `shrank`, or `edited` (other text of the same size).
    pub kind: String,
    /// Description for people.
    pub message: String,
}

/// Pairs the answers of two points in time by agent. An agent may have several editions, which are paired in order.
/// Answers without a counterpart are left out.
pub fn paired<'a, A: Borrow<Resolution>>(before: &'a [A], now: &'a [A]) -> Vec<(&'a Resolution, &'a Resolution)> {
    let mut left: Vec<&Resolution> = before.iter().map(Borrow::borrow).collect();
    let pair = |now: &'a A| {
        let now: &Resolution = now.borrow();
        let at = left.iter().position(|before| before.harness == now.harness)?;
        Some((left.remove(at), now))
    };
    now.iter().filter_map(pair).collect()
}

/// Compares two answers.
pub fn compare(left: &Resolution, right: &Resolution) -> Comparison {
    let (of_left, of_right) = (reaching(left), reaching(right));
    let texts = Texts { left: text(left), right: text(right) };
    // Compare positions only among common files: a file added in front does not move the others.
    let order_left = places_among(&of_left, &of_right);
    let order_right = places_among(&of_right, &of_left);
    let mut differences = Vec::new();
    for (entry, source) in of_right.iter() {
        let mut differs = |kind: &str, message: String| {
            differences.push(Difference { name: entry.0.clone(), kind: kind.to_owned(), message });
        };
        let Some(before) = of_left.get(entry) else {
            differs("added", format!("{} ({})", source.fate, source.reason));
            continue;
        };
        let (was, is) = (order_left.get(entry), order_right.get(entry));
        if let (Some(was), Some(is)) = (was, is)
            && was != is
        {
            differs("moved", format!("now number {} in the order, was number {}", is + 1, was + 1));
        }
        if let Some((kind, message)) = size_differs(before, source) {
            differs(kind, message);
        }
    }
    for (entry, source) in of_left.iter().filter(|(entry, _)| of_right.get(entry).is_none()) {
        let now = right.answer.sources.iter().find(|other| other.place == source.place && !other.fate.reaches());
        let message =
            now.map_or_else(|| "no longer considered".to_owned(), |now| format!("{} ({})", now.fate, now.reason));
        differences.push(Difference { name: entry.0.clone(), kind: "lost".to_owned(), message });
    }
    let before = differences.len();
    if left.harness == right.harness {
        layers(left, right, &mut differences);
    }
    let same = texts.left == texts.right && differences.len() == before;
    Comparison { left: title(left, right), right: title(right, left), same, differences, texts }
}

/// Adds the layers other than instruction files that only one side has: prompts, reminders, lists. Layers that come
/// from files are compared file by file instead.
fn layers(left: &Resolution, right: &Resolution, differences: &mut Vec<Difference>) {
    let layers = |of: &'_ Resolution| -> Vec<Message> {
        let answer = &of.answer;
        let has_files = |at: usize| answer.sources.iter().any(|source| source.message == Some(at));
        let layers = answer.messages.iter().enumerate();
        // The environment always differs between start directories, so this difference means nothing.
        let elsewhere = left.standpoint.cwd != right.standpoint.cwd;
        let layers = layers.filter(|(_, message)| !(elsewhere && message.kind == MessageKind::Environment));
        let layers = layers.filter(|(at, message)| message.kind != MessageKind::Instructions && !has_files(*at));
        layers.map(|(_, message)| message.clone()).collect()
    };
    let (was, is) = (layers(left), layers(right));
    for (kind, own, others) in [("added", &is, &was), ("lost", &was, &is)] {
        for layer in own.iter().filter(|layer| !others.contains(layer)) {
            let name =
                layer.name.as_deref().map_or_else(|| layer.kind.to_string(), |name| format!("{} {name}", layer.kind));
            let size = if layer.text.is_empty() {
                "named, its text is not repeated".to_owned()
            } else {
                format!("{} B", grouped(layer.text.len()))
            };
            differences.push(Difference { name, kind: kind.to_owned(), message: size });
        }
    }
}

/// A file or URL with the number of its occurrence, from 1 on: one file may reach the model several times.
type Entry = (String, usize);

/// Sources whose text reaches the model, in order.
struct Reaching<'a> {
    sources: Vec<(Entry, &'a Source)>,
    places: HashMap<Entry, usize>,
}

impl<'a> Reaching<'a> {
    fn get(&self, entry: &Entry) -> Option<&'a Source> {
        self.places.get(entry).map(|at| self.sources[*at].1)
    }

    fn iter(&self) -> impl Iterator<Item = &(Entry, &'a Source)> {
        self.sources.iter()
    }
}

/// Returns the position of each source among those that both sides have.
fn places_among(own: &Reaching, other: &Reaching) -> HashMap<Entry, usize> {
    let common = own.iter().filter(|(entry, _)| other.get(entry).is_some());
    common.enumerate().map(|(at, (entry, _))| (entry.clone(), at)).collect()
}

/// Describes the difference in size. The kind is `cut` only if a limit cuts more than before.
fn size_differs(before: &Source, now: &Source) -> Option<(&'static str, String)> {
    let (was_lost, is_lost) = (cut(before), cut(now));
    if is_lost > was_lost {
        let whole = now.size.map_or(0, |size| size.bytes);
        let was = if was_lost == 0 { "nothing was cut".to_owned() } else { format!("it was {} B", grouped(was_lost)) };
        return Some(("cut", format!("{} of {} B are cut; before, {was}", grouped(is_lost), grouped(whole))));
    }
    let (was, is) = (kept(before), kept(now));
    let kind = match is.cmp(&was) {
        Ordering::Greater => "grew",
        Ordering::Less => "shrank",
        Ordering::Equal => return None,
    };
    Some((kind, format!("{} B, was {} B", grouped(is), grouped(was))))
}

/// Returns the number of bytes that a limit cuts.
fn cut(source: &Source) -> usize {
    match (source.fate, source.size) {
        (Fate::Truncated, Some(size)) => size.bytes.saturating_sub(kept(source)),
        _ => 0,
    }
}

fn reaching(resolution: &Resolution) -> Reaching<'_> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut entry = |source: &'_ Source| {
        let name = source.place.to_string();
        let count = counts.entry(name.clone()).or_default();
        *count += 1;
        (name, *count)
    };
    let told = resolution.answer.sources.iter().filter(|source| source.fate.reaches());
    let sources: Vec<(Entry, &Source)> = told.map(|source| (entry(source), source)).collect();
    let places = sources.iter().enumerate().map(|(at, (entry, _))| (entry.clone(), at)).collect();
    Reaching { sources, places }
}

fn kept(source: &Source) -> usize {
    source.reaches().map_or(0, |(bytes, _)| bytes)
}

fn text(resolution: &Resolution) -> String {
    let texts = resolution.answer.messages.iter().filter(|message| message.kind == MessageKind::Instructions);
    texts.map(|message| &*message.text).collect::<Vec<_>>().join("\n\n")
}

/// Returns a title for an answer, with everything that distinguishes its standpoint from that of the other answer.
fn title(resolution: &Resolution, other: &Resolution) -> String {
    let (at, there) = (&resolution.standpoint, &other.standpoint);
    let mut title = format!("{} {} in {}", resolution.title, resolution.edition, at.cwd.display());
    let mut differs = |what: &str, own: Option<String>, others: Option<String>| {
        if own != others {
            title.push_str(&own.map_or_else(|| format!(", no {what}"), |own| format!(", {what} {own}")));
        }
    };
    let version = |of: &Resolution| of.claim.running.clone();
    if resolution.harness == other.harness && resolution.edition == other.edition {
        differs("version", version(resolution), version(other));
    }
    differs("agent", at.agent.clone(), there.agent.clone());
    differs("previous agent", at.previous_agent.clone(), there.previous_agent.clone());
    differs("model", at.model.clone(), there.model.clone());
    differs("session", Some(at.session.to_string()), Some(there.session.to_string()));
    let mode = |at: &Standpoint| at.prompt_mode.map(|mode| mode.to_string());
    differs("prompt mode", mode(at), mode(there));
    differs("tool", Some(at.tool.to_string()), Some(there.tool.to_string()));
    let file = |at: &Standpoint| at.target.as_ref().map(|target| target.display().to_string());
    differs("file", file(at), file(there));
    title
}
