//! Every sentence that the cases make Briefing say, in one file, so that they are read together when one changes.

use std::collections::BTreeSet;
use std::path::Path;

use briefing::answer::Resolution;

/// The sentences, each behind what it is: `warning CODE`, `finding SEVERITY CODE`, the fate of a source, `refusal`.
#[derive(Default)]
pub struct Messages(BTreeSet<String>);

impl Messages {
    /// The reasons, warnings and refusals of an answer.
    pub fn of_answer(&mut self, resolution: &Resolution) {
        let answer = &resolution.answer;
        // Paths with spaces, the longest first, which would be several words.
        let places =
            [&resolution.standpoint.cwd, &resolution.standpoint.home].into_iter().flat_map(|dir| dir.ancestors());
        let places = places.chain(answer.sources.iter().filter_map(|source| source.path()));
        let mut spaced: Vec<String> =
            places.map(|path| path.display().to_string()).filter(|path| path.contains(' ')).collect();
        spaced.sort_by_key(|path| std::cmp::Reverse(path.len()));
        let mut add = |what: &str, message: &str| {
            let message = spaced.iter().fold(message.to_owned(), |message, path| message.replace(path, "/path"));
            self.0.insert(format!("{what}  {}", plain(&message)));
        };
        answer.sources.iter().for_each(|source| add(source.fate.word(), &source.reason));
        answer.warnings.iter().for_each(|warning| add(&format!("warning {}", warning.code), &warning.message));
        answer.refusal.iter().for_each(|refusal| add("refusal", &refusal.message));
        answer.files_only.iter().for_each(|reason| add("not-exact", reason));
    }

    /// The messages of `@diagnostics`.
    pub fn of_findings(&mut self, said: &str) {
        for line in said.lines() {
            let (place, rest) = line.split_at(line.len() - line.trim_start().len());
            let message = match (place.is_empty(), rest.split_once(' ')) {
                (true, Some((_, finding))) => format!("finding {}", plain(finding)),
                (_, _) => format!("related  {}", plain(rest.split_once("  ").map_or(rest, |(_, said)| said))),
            };
            self.0.insert(message);
        }
    }

    /// Compares them with the file; `UPDATE=1` rewrites it.
    pub fn are_those_of_the_snapshot(&self, update: bool) {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages.txt");
        let text: String = self.0.iter().map(|message| format!("{message}\n")).collect();
        if update {
            std::fs::write(&file, &text).expect("UPDATE=1 can write the snapshot");
        }
        let known = std::fs::read_to_string(&file).unwrap_or_default();
        let known: BTreeSet<&str> = known.lines().collect();
        let said: BTreeSet<&str> = text.lines().collect();
        let new: Vec<_> = said.difference(&known).map(|line| format!("+ {line}")).collect();
        let gone: Vec<_> = known.difference(&said).map(|line| format!("- {line}")).collect();
        assert!(
            new.is_empty() && gone.is_empty(),
            "tests/messages.txt has every sentence of the cases; read these, then UPDATE=1:\n{}",
            [new, gone].concat().join("\n")
        );
    }
}

/// A sentence without what differs from case to case: paths, URLs, numbers and patterns.
fn plain(message: &str) -> String {
    let patterns =
        [" that matches ", " that match "].into_iter().find_map(|end| Some((message.split_once(end)?.0, end)));
    if let Some((sentence, end)) = patterns {
        return plain(sentence) + end + "GLOBS";
    }
    let mut words = Vec::new();
    for word in message.escape_debug().to_string().replace("\\\"", "\"").replace("\\'", "'").split(' ') {
        let core = word.trim_matches(|c: char| "`\"'(),:;.".contains(c));
        let is_path = core.contains('/') && core.len() > 1 || core.starts_with('@') && core.len() > 1;
        let is_number = core.starts_with(|c: char| c.is_ascii_digit());
        let instead = if is_path { "PATH" } else { "N" };
        let word = if is_path || is_number { word.replacen(core, instead, 1) } else { word.to_owned() };
        if word != "N" || words.last().is_none_or(|last| last != "N") {
            words.push(word);
        }
    }
    words.join(" ")
}

#[test]
fn sentences_are_compared_without_paths_and_numbers() {
    assert_eq!(plain("a file that matches *.ts, src/**"), "a file that matches GLOBS");
    assert_eq!(plain("/r/a b: 32 768 of 33 000 B, \"c\""), "PATH b: N of N B, \"c\"");
}
