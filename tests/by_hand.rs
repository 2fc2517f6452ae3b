//! Harnesses that are built in, declared once more by hand: what a `briefing.toml` can say, it says as exactly as code.

use std::path::Path;

use briefing::answer::{MessageKind, Resolution};
use briefing::harness::custom::Customs;
use briefing::request::OneOrMany;
use briefing::resolve::{Outcome, resolve};

use crate::cases::{case_files, question};
use crate::world::{Case, World};

mod openclaw;

/// A declaration, and the edition whose cases it is held against.
struct ByHand {
    declaration: &'static str,
    id: &'static str,
    /// The folder of cases, and the edition that they ask.
    cases: &'static str,
    edition: &'static str,
    /// What a user writes on top of it in that case: the keys of a harness that extends it, as TOML in which `$ID` is
    /// its id. `Err` says why a case is about something that no declaration says.
    on_top: fn(&Case) -> Result<String, &'static str>,
    /// The other cases in which it differs, each with its reason. A case that agrees may not stand here.
    differs: &'static [(&'static str, &'static str)],
    /// How many cases agree; a number that falls is a loss.
    agrees: usize,
}

const CODEX: ByHand = ByHand {
    declaration: "examples/codex/briefing.toml",
    id: "codex-by-hand",
    cases: "codex",
    edition: "codex",
    on_top: |case| {
        let settings =
            |path: &str| path.trim_end_matches('/').ends_with("config.toml") || path.starts_with("/etc/codex");
        if case.sections.iter().any(|section| settings(section.words().0)) {
            return Err("settings of Codex, with layers, trust and profiles");
        }
        match case.all("@settings").next() {
            Some(_) => Err("options of the command line"),
            None => Ok(String::new()),
        }
    },
    differs: &[
        ("a_codex_home_below_home_that_is_a_file_is_refused", REFUSES),
        ("a_codex_home_that_does_not_exist_is_refused", REFUSES),
        ("a_codex_home_that_is_a_file_is_refused", REFUSES),
        ("a_tilde_in_codex_home_is_not_the_home_directory", REFUSES),
        ("a_file_of_ten_gigabytes_is_not_read", DROPS_ALL),
        ("a_link_loop_drops_every_project_file", DROPS_ALL),
        ("a_link_through_a_file_drops_every_project_file", DROPS_ALL),
        ("an_unreadable_file_drops_every_project_file", DROPS_ALL),
        ("dots_in_codex_home_are_resolved_by_the_disk", "a declared path is taken as it is written"),
    ],
    agrees: 44,
};

const REFUSES: &str = "no declaration says when a client refuses to start";
const DROPS_ALL: &str = "in a declaration, a file that cannot be read takes no other file with it";

#[test]
fn codex_by_hand_agrees_with_the_edition() {
    CODEX.check();
}

/// The id of what a case puts on top.
const ON_TOP: &str = "on-top";

impl ByHand {
    fn check(&self) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(self.declaration);
        let text = std::fs::read_to_string(&path).expect("the declaration is there");
        assert_eq!(Customs::gather(Some((&path, &text)), &toml::Table::new()).problems, []);
        let (mut agreed, mut wrong) = (0, Vec::new());
        for file in case_files() {
            if file.parent().and_then(Path::file_name) != Some(self.cases.as_ref()) {
                continue;
            }
            let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
            let case = Case::parse(&std::fs::read_to_string(&file).expect("a case is UTF-8"));
            let Ok(on_top) = (self.on_top)(&case) else { continue };
            let on_top = on_top.replace("$ID", ON_TOP);
            let text = format!("{text}\n[harness.{ON_TOP}]\nextends = \"{}\"\n{on_top}", self.id);
            let customs = Customs::gather(Some((&path, &text)), &toml::Table::new());
            assert_eq!(customs.problems, [], "{name}");
            let agrees = self.agrees(&case, &customs);
            let reason = self.differs.iter().find(|(differs, _)| *differs == name);
            match (agrees, reason) {
                (Ok(0), _) => {}
                (Ok(_), None) => agreed += 1,
                (Err(_), Some(_)) => {}
                (Ok(_), Some((_, reason))) => wrong.push(format!("{name} agrees, against: {reason}")),
                (Err(difference), None) => wrong.push(format!("{name}:\n{difference}")),
            }
        }
        assert!(wrong.is_empty(), "{} differ, {agreed} agree:\n{}", wrong.len(), wrong.join("\n"));
        assert_eq!(agreed, self.agrees);
    }

    /// Whether every question of a case is answered in the same words, and how many there are.
    fn agrees(&self, case: &Case, customs: &Customs) -> Result<usize, String> {
        let world = World::of(case);
        let mut asked = 0;
        for section in &case.sections {
            let (word, ask) = section.words();
            // Another version has other rules.
            let is_of_edition = ask.split(' ').next() == Some(self.edition.trim_end());
            if !matches!(word, "@text" | "@hash" | "@sources" | "@messages") || !is_of_edition {
                continue;
            }
            asked += 1;
            let told = |id: &str| {
                let (mut request, mut defaults, places) = question(case, ask);
                request.harness = Some(OneOrMany::One(id.to_owned()));
                defaults.customs = customs.clone().into();
                let questions = request.questions(&defaults, &places).expect("a question");
                match resolve(&world, &questions[0].0, &questions[0].1) {
                    Outcome::Answer(answer) => texts(&answer),
                    Outcome::Pending(asks) => panic!("everything was told, and yet {asks:?}"),
                }
            };
            let (built_in, by_hand) = (told(ask.split(' ').next().unwrap_or(ask)), told(ON_TOP));
            if built_in != by_hand {
                return Err(format!("  built in: {built_in:.400?}\n  by hand:  {by_hand:.400?}"));
            }
        }
        Ok(asked)
    }
}

/// What the model is told: trigger, role and text of every message of instructions.
fn texts(answer: &Resolution) -> Vec<String> {
    if let Some(refusal) = &answer.answer.refusal {
        return vec![format!("refused: {}", refusal.path.display())];
    }
    let instructions = answer.answer.messages.iter().filter(|message| message.kind == MessageKind::Instructions);
    instructions.map(|message| format!("{} {}\n{}", message.trigger, message.role, message.text)).collect()
}
