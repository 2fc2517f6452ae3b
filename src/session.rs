//! A session as it unfolds: what each step adds to the model's context, what it does not repeat, and what is gone after it.
//!
//! Nothing is worked out here that is not an answer of [`crate::resolve`]: a step is a question, asked from where the steps
//! before it have led.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::answer::{Fate, Message, Purpose, Resolution, SessionKind, Source, Standpoint, Tool, Trigger};
use crate::harness::{Attaches, Changed, Choice, Compacts, Resumes};

/// What happens in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The session begins; it is the first step of every session.
    Start,
    /// A file is reached with a tool, or named by the user.
    Reach(Tool, PathBuf),
    /// A command is run, in that directory.
    Run(Option<PathBuf>),
    /// The agent calls a skill or a command.
    Skill(String),
    /// Another agent takes over.
    Agent(String),
    /// An agent of its own is started, with a context of its own.
    Subagent(String),
    /// What was said so far is summed up.
    Compact,
    /// The session was ended, and goes on.
    Resume,
    /// Several things in one turn of the model.
    Together(Vec<Step>),
}

/// What a step did.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The step.
    pub step: Step,
    /// What the model gets that it did not have, in order.
    pub messages: Vec<Message>,
    /// The files that were considered for it: those that bring the messages, and those that are not sent, with the reason.
    pub sources: Vec<Source>,
    /// What the model had, and has no more.
    pub gone: Vec<Source>,
    /// Of a session that goes on: which text it has of a file that changed meanwhile, where that is known.
    pub changed: Option<Changed>,
    /// The answer behind it.
    pub answer: Arc<Resolution>,
    /// Why not every byte of it is certain, beyond what the answer says.
    pub doubt: Option<String>,
}

/// Answers a question.
pub type Ask<'a> = &'a dyn Fn(&Standpoint) -> Arc<Resolution>;

/// A session of one harness, from its start through every step.
///
/// # Errors
/// If a step names a skill that the harness does not list; in words.
pub fn unfold(choice: &Choice, start: Standpoint, steps: &[Step], ask: Ask) -> Result<Vec<Turn>, String> {
    let mut session = Session { choice, ask, at: Standpoint { target: None, ..start }, came: Vec::new(), doubt: None };
    let mut turns = vec![session.start(Step::Start)];
    if turns[0].answer.answer.refusal.is_some() {
        return Ok(turns);
    }
    for (number, step) in steps.iter().enumerate() {
        turns.push(session.take(step).map_err(|problem| format!("step {}: {problem}", number + 1))?);
    }
    Ok(turns)
}

/// Where the steps so far have led.
struct Session<'a> {
    choice: &'a Choice,
    ask: Ask<'a>,
    /// Where it is, with what was reached so far.
    at: Standpoint,
    /// What came along with the files that were reached.
    came: Vec<Source>,
    /// What makes every later step uncertain.
    doubt: Option<String>,
}

impl Session<'_> {
    fn take(&mut self, step: &Step) -> Result<Turn, String> {
        Ok(match step {
            Step::Start => self.start(Step::Start),
            Step::Reach(tool, file) => self.reach(*tool, file),
            Step::Run(dir) => self.run(dir.as_deref()),
            Step::Skill(name) => self.skill(name)?,
            Step::Agent(name) => self.switch(name),
            Step::Subagent(name) => self.subagent(name),
            Step::Compact => self.compact(),
            Step::Resume => self.resume(),
            Step::Together(steps) => self.together(steps)?,
        })
    }

    /// What is sent without any file being reached.
    fn start(&self, step: Step) -> Turn {
        let answer = (self.ask)(&Standpoint { read_before: Vec::new(), ..self.at.clone() });
        let (messages, sources) = (answer.answer.messages.clone(), answer.answer.sources.clone());
        Turn { messages, sources, ..self.nothing(step, answer) }
    }

    /// A turn that adds nothing.
    fn nothing(&self, step: Step, answer: Arc<Resolution>) -> Turn {
        let (messages, sources, gone) = (Vec::new(), Vec::new(), Vec::new());
        Turn { step, messages, sources, gone, changed: None, answer, doubt: self.doubt.clone() }
    }

    fn reach(&mut self, tool: Tool, file: &Path) -> Turn {
        let before = (self.ask)(&self.at);
        let answer = (self.ask)(&Standpoint { target: Some(file.to_owned()), tool, ..self.at.clone() });
        let mut sources = new_sources(&answer, &before.answer.sources);
        sources.extend(self.not_again(&answer, &sources));
        for source in sources.iter().filter(|source| source.fate.reaches()) {
            if self.came.iter().all(|came| came.place != source.place) {
                self.came.push(source.clone());
            }
        }
        let messages = answer.answer.messages.iter().filter(|message| message.trigger != Trigger::Session);
        let turn = Turn {
            messages: messages.cloned().collect(),
            sources,
            ..self.nothing(Step::Reach(tool, file.to_owned()), answer)
        };
        let attaches = if tool == Tool::Read { Attaches::AsRead } else { self.choice.edition().attaches(tool) };
        if attaches != Attaches::Nothing {
            self.at.read_before.push(file.to_owned());
        }
        turn
    }

    /// What the same would bring if nothing had come before it, and does not bring now.
    fn not_again(&self, answer: &Resolution, said: &[Source]) -> Vec<Source> {
        if self.came.is_empty() {
            return Vec::new();
        }
        let (target, tool) = (answer.standpoint.target.clone(), answer.standpoint.tool);
        let first = (self.ask)(&Standpoint { target, tool, read_before: Vec::new(), ..self.at.clone() });
        let came = |source: &&Source| {
            self.came.iter().any(|came| came.place == source.place)
                && said.iter().all(|said| said.place != source.place)
        };
        let left_out = |source: &Source| Source {
            fate: Fate::Dropped,
            reason: "an earlier step of this session injected it".to_owned(),
            kept: Vec::new(),
            sent: None,
            ..source.clone()
        };
        let brings =
            first.answer.sources.iter().filter(|source| source.trigger != Trigger::Session && source.fate.reaches());
        brings.filter(came).map(left_out).collect()
    }

    fn run(&self, dir: Option<&Path>) -> Turn {
        let answer = (self.ask)(&self.at);
        let title = self.choice.title();
        let doubt = match self.choice.edition().attaches(Tool::Shell) {
            Attaches::Nothing => None,
            _ => Some(match dir {
                Some(dir) => format!("what a command in {} adds for {title} was not asked", dir.display()),
                None => format!("what a command adds for {title} was not asked"),
            }),
        };
        let turn = self.nothing(Step::Run(dir.map(Path::to_owned)), answer);
        Turn { doubt: doubt.or(turn.doubt.clone()), ..turn }
    }

    fn skill(&self, name: &str) -> Result<Turn, String> {
        let answer = (self.ask)(&self.at);
        let is_listed = |source: &&Source| source.purpose == Purpose::Skill && source.fate.reaches();
        let skills = || answer.answer.sources.iter().filter(is_listed);
        let Some(skill) = skills().find(|skill| name_of(skill) == Some(name)) else {
            let mut names: Vec<_> = skills().filter_map(name_of).collect();
            names.dedup();
            let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(format!("{} lists no skill {name}; it lists {known}", self.choice.title()));
        };
        let sources = vec![skill.clone()];
        let doubt = format!("the words that {} puts around a skill it calls are not known", self.choice.title());
        Ok(Turn { sources, doubt: Some(doubt), ..self.nothing(Step::Skill(name.to_owned()), answer) })
    }

    fn switch(&mut self, name: &str) -> Turn {
        let before = self.start(Step::Start);
        self.at.previous_agent = self.at.agent.replace(name.to_owned());
        let now = self.start(Step::Agent(name.to_owned()));
        let is_there = |gone: &Source| now.sources.iter().any(|now| now.place == gone.place && now.fate.reaches());
        let gone = before.sources.iter().filter(|source| source.fate.reaches() && !is_there(source));
        let messages = now.messages.iter().filter(|message| !before.messages.contains(message));
        Turn {
            gone: gone.cloned().collect(),
            messages: messages.cloned().collect(),
            sources: new_sources(&now.answer, &before.sources),
            ..now.clone()
        }
    }

    fn subagent(&self, name: &str) -> Turn {
        let own = Standpoint {
            session: SessionKind::Subagent,
            agent: Some(name.to_owned()),
            previous_agent: None,
            already_loaded: Vec::new(),
            ..self.at.clone()
        };
        let context = Session { choice: self.choice, ask: self.ask, at: own, came: Vec::new(), doubt: None };
        context.start(Step::Subagent(name.to_owned()))
    }

    fn compact(&mut self) -> Turn {
        let title = self.choice.title();
        let doubt = match self.choice.edition().compacts() {
            Compacts::NotAsked => {
                Some(format!("what {title} sends again after a compaction was not asked of the client"))
            }
            Compacts::ReadsAgain => {
                Some(format!("what {title} sends again after a compaction depends on which files it read last"))
            }
            Compacts::KeepsTheLast => {
                Some(format!("what {title} keeps in a compaction depends on how long each turn was"))
            }
            Compacts::Forgets => None,
        };
        self.doubt = doubt.or(self.doubt.take());
        self.at.read_before.clear();
        let gone = std::mem::take(&mut self.came);
        Turn { gone, ..self.nothing(Step::Compact, (self.ask)(&self.at)) }
    }

    fn resume(&mut self) -> Turn {
        match self.choice.edition().resumes() {
            Resumes::NotAsked => {
                let title = self.choice.title();
                let doubt = format!("what {title} sends when a session goes on was not asked of the client");
                self.doubt.get_or_insert(doubt);
                self.start(Step::Resume)
            }
            Resumes::AsBefore(changed) => {
                Turn { changed: Some(changed), ..self.nothing(Step::Resume, (self.ask)(&self.at)) }
            }
            Resumes::ComesAgain(changed) => {
                self.at.read_before.clear();
                Turn { changed: Some(changed), ..self.nothing(Step::Resume, (self.ask)(&self.at)) }
            }
            Resumes::WithoutFiles(changed) => {
                self.at.read_before.clear();
                let gone = std::mem::take(&mut self.came);
                Turn { gone, changed: Some(changed), ..self.nothing(Step::Resume, (self.ask)(&self.at)) }
            }
        }
    }

    fn together(&mut self, steps: &[Step]) -> Result<Turn, String> {
        let turns: Vec<Turn> = steps.iter().map(|step| self.take(step)).collect::<Result<_, _>>()?;
        let doubt = turns.iter().find_map(|turn| turn.doubt.clone());
        let is_one = turns.len() < 2;
        let title = self.choice.title();
        let several = || match self.choice.edition().races() {
            true => format!("{title} does this at the same time: what brings a text first changes from run to run"),
            false => format!("what {title} adds when several things happen in one turn was not asked"),
        };
        let answer = turns.last().map_or_else(|| (self.ask)(&self.at), |turn| turn.answer.clone());
        let nothing = self.nothing(Step::Together(steps.to_vec()), answer);
        Ok(turns.into_iter().fold(Turn { doubt: doubt.or((!is_one).then(several)), ..nothing }, |mut all, turn| {
            all.messages.extend(turn.messages);
            all.sources.extend(turn.sources);
            all.gone.extend(turn.gone);
            all
        }))
    }
}

/// The sources of an answer that are not among those before with the same trigger and the same fate.
fn new_sources(answer: &Resolution, before: &[Source]) -> Vec<Source> {
    let same = |one: &Source, other: &Source| {
        one.place == other.place && one.trigger == other.trigger && one.fate == other.fate
    };
    let is_new = |source: &&Source| !before.iter().any(|before| same(before, source));
    answer.answer.sources.iter().filter(is_new).cloned().collect()
}

/// The name of a skill is that of its folder; of a command, that of its file.
fn name_of(skill: &Source) -> Option<&str> {
    let path = skill.path()?;
    let named = if path.file_name().is_some_and(|name| name == "SKILL.md") {
        path.parent()?.file_name()
    } else {
        path.file_stem()
    };
    named?.to_str()
}
