//! Simulates a session: what each step adds to the model's context, does not repeat, and removes.
//!
//! A step is a question to [`crate::resolve`], asked from the standpoint that the steps before it led to. This module
//! adds no rules of its own.

pub mod command;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::answer::{
    Certain, Fate, Message, MessageKind, Purpose, Reached, Resolution, SessionKind, Source, Standpoint, Tool, Trigger,
};
use crate::harness::{Attaches, Changed, Choice, Compacts, Resumes};
use crate::snapshot::absolute;

use command::Shows;

/// One event in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The start of the session; it is the first step of every session.
    Start,
    /// The agent reaches a file with a tool, or the user names it.
    Reach(Tool, PathBuf),
    /// The agent runs a command.
    Run(Run),
    /// The agent calls a skill or a command.
    Skill(String),
    /// The user types a command, with its arguments.
    Command(String),
    /// The session switches to another agent.
    Agent(String),
    /// A sub-agent is started, with its own context.
    Subagent(String),
    /// The conversation so far is compacted.
    Compact,
    /// The session was ended and is resumed.
    Resume,
    /// Several steps in one turn of the model.
    Together(Vec<Step>),
    /// Somebody other than the agent changes a file.
    Change(PathBuf),
    /// A file is deleted.
    Delete(PathBuf),
}

/// A shell command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// Text of the command, if known.
    pub command: Option<String>,
    /// Directory in which it runs; `None` means the directory in which the agent was started.
    pub dir: Option<PathBuf>,
}

/// Reason why a turn is not certain to the byte, beyond the certainty that its answer states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// The uncertain part. With [`Certain::Text`], the set of files is still certain.
    pub of: Certain,
    /// Explanation for people.
    pub why: String,
}

impl Doubt {
    fn of_files(why: impl Into<String>) -> Doubt {
        Doubt { of: Certain::Set, why: why.into() }
    }

    fn of_text(why: impl Into<String>) -> Doubt {
        Doubt { of: Certain::Text, why: why.into() }
    }
}

/// Result of one step.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The step.
    pub step: Step,
    /// Messages that the model gets in this turn and did not have before, in order.
    pub messages: Vec<Message>,
    /// Files considered in this turn: those that are sent, and those that are not, with the reason.
    pub sources: Vec<Source>,
    /// Sources that were in the model's context and are no longer.
    pub gone: Vec<Source>,
    /// Prompts and reminders that were in the model's context and are no longer.
    pub removed: Vec<Message>,
    /// After a resume: which text of a file that changed in the meantime the model has, if known.
    pub changed: Option<Changed>,
    /// The answer that this turn was derived from.
    pub answer: Arc<Resolution>,
    /// Reason why the turn is not certain to the byte, beyond the certainty that the answer states.
    pub doubt: Option<Doubt>,
}

/// Resolves a standpoint to an answer.
pub type Ask<'a> = &'a dyn Fn(&Standpoint) -> Arc<Resolution>;

/// Simulates a session of one agent and returns one turn per step, the start included.
///
/// # Errors
/// If a step names a skill that the agent does not list. The error is a message for people.
pub fn unfold(choice: &Choice, start: Standpoint, steps: &[Step], ask: Ask) -> Result<Vec<Turn>, String> {
    let mut session = Session {
        choice,
        ask,
        at: Standpoint { target: None, ..start },
        came: Vec::new(),
        remembered: BTreeSet::new(),
        called: BTreeSet::new(),
        changed: Vec::new(),
        doubt: None,
    };
    let mut turns = vec![session.start(Step::Start)];
    if turns[0].answer.answer.refusal.is_some() {
        return Ok(turns);
    }
    for (number, step) in steps.iter().enumerate() {
        turns.push(session.take(step).map_err(|problem| format!("step {}: {problem}", number + 1))?);
    }
    Ok(turns)
}

/// State of the session after the steps so far.
struct Session<'a> {
    choice: &'a Choice,
    ask: Ask<'a>,
    /// Current standpoint, including the files reached so far.
    at: Standpoint,
    /// Sources that were sent along with the files reached.
    came: Vec<Source>,
    /// Files that the client remembers as read.
    remembered: BTreeSet<PathBuf>,
    /// Names of the skills and commands called so far.
    called: BTreeSet<String>,
    /// Files that changed since the start; their earlier text is not known.
    changed: Vec<PathBuf>,
    /// Doubt that applies to every later step.
    doubt: Option<Doubt>,
}

impl Session<'_> {
    fn take(&mut self, step: &Step) -> Result<Turn, String> {
        Ok(match step {
            Step::Start => self.start(Step::Start),
            Step::Reach(tool, file) => self.reach(*tool, file),
            Step::Run(run) => self.run(run),
            Step::Skill(name) => self.skill(name)?,
            Step::Command(typed) => self.command(typed)?,
            Step::Agent(name) => self.switch(name),
            Step::Subagent(name) => self.subagent(name),
            Step::Compact => self.compact(),
            Step::Resume => self.resume(),
            Step::Together(steps) => self.together(steps)?,
            Step::Change(file) => {
                self.changed.push(absolute(&self.at.cwd, file));
                self.nothing(step.clone(), (self.ask)(&self.at))
            }
            Step::Delete(file) => {
                let file = absolute(&self.at.cwd, file);
                let start = self.start(Step::Start);
                if start.sources.iter().any(|source| source.fate.reaches() && source.path() == Some(file.as_path())) {
                    let title = self.choice.title();
                    let why =
                        format!("whether {title} still sends {}, which was deleted, was not asked", file.display());
                    self.doubt.get_or_insert(Doubt::of_files(why));
                }
                self.at.deleted.push(file);
                self.nothing(step.clone(), (self.ask)(&self.at))
            }
        })
    }

    /// Returns the turn for everything that is sent before any file is reached.
    fn start(&self, step: Step) -> Turn {
        let answer = (self.ask)(&Standpoint { read_before: Vec::new(), ..self.at.clone() });
        let (messages, sources) = (answer.answer.messages.clone(), answer.answer.sources.clone());
        Turn { messages, sources, ..self.nothing(step, answer) }
    }

    /// Returns a turn that adds nothing.
    fn nothing(&self, step: Step, answer: Arc<Resolution>) -> Turn {
        let (messages, sources, gone) = (Vec::new(), Vec::new(), Vec::new());
        Turn { step, messages, sources, gone, removed: Vec::new(), changed: None, answer, doubt: self.doubt.clone() }
    }

    fn reach(&mut self, tool: Tool, file: &Path) -> Turn {
        let before = (self.ask)(&self.at);
        let answer = (self.ask)(&Standpoint { target: Some(file.to_owned()), tool, ..self.at.clone() });
        let mut sources = new_sources(&answer, &before.answer.sources);
        sources.extend(self.not_again(&answer, &sources));
        self.remembered.insert(absolute(&self.at.cwd, file));
        for source in sources.iter().filter(|source| source.fate.reaches()) {
            if self.came.iter().all(|came| came.place != source.place) {
                self.came.push(source.clone());
                self.remembered.extend(source.path().map(Path::to_owned));
            }
        }
        let is_new = |source: &&Source| {
            source.fate.reaches()
                && source.path().is_some_and(|path| self.changed.iter().any(|changed| changed == path))
        };
        let doubt = sources
            .iter()
            .find(is_new)
            .map(|source| Doubt::of_text(format!("{} was changed, and is shown as it is now", source.place)));
        let messages = answer.answer.messages.iter().filter(|message| message.trigger != Trigger::Session);
        let turn = Turn {
            messages: messages.cloned().collect(),
            sources,
            ..self.nothing(Step::Reach(tool, file.to_owned()), answer)
        };
        let turn = Turn { doubt: doubt.or(turn.doubt.clone()), ..turn };
        let attaches = if tool == Tool::Read { Attaches::AsRead } else { self.choice.edition().attaches(tool) };
        if attaches != Attaches::Nothing {
            self.at.read_before.push(Reached { tool, file: file.to_owned() });
        }
        turn
    }

    /// Returns the sources that a first visit would send and that are left out because they were sent before.
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

    fn run(&mut self, run: &Run) -> Turn {
        let step = || Step::Run(run.clone());
        let title = self.choice.title();
        let attaches = self.choice.edition().attaches(Tool::Shell);
        let dir = run.dir.as_deref().map_or_else(|| self.at.cwd.clone(), |dir| self.at.cwd.join(dir));
        match (attaches, run.command.as_deref().map(|command| command::shows(command, &dir, &self.at.home))) {
            (Attaches::Nothing, _) | (Attaches::Own, Some(Shows::Nothing)) => {
                self.nothing(step(), (self.ask)(&self.at))
            }
            (Attaches::Own, Some(Shows::File(file))) => Turn { step: step(), ..self.reach(Tool::Shell, &file) },
            (Attaches::Own, Some(Shows::IfFound(file))) => {
                let turn = self.reach(Tool::Shell, &file);
                if !turn.messages.is_empty() {
                    let why = format!("the files come only if the command finds something in {}", file.display());
                    self.doubt.get_or_insert(Doubt::of_files(why));
                }
                Turn { step: step(), doubt: turn.doubt.or_else(|| self.doubt.clone()), ..turn }
            }
            (Attaches::Own | Attaches::AsRead | Attaches::Unknown, _) => {
                let doubt = Doubt::of_files(match &run.command {
                    Some(command) => format!("what `{command}` adds for {title} was not asked"),
                    None => format!("what a command in {} adds for {title} depends on the command", dir.display()),
                });
                // Nobody knows whether the command counts as a read, so later steps are uncertain too.
                self.doubt.get_or_insert(doubt);
                self.nothing(step(), (self.ask)(&self.at))
            }
        }
    }

    fn skill(&mut self, name: &str) -> Result<Turn, String> {
        let answer = (self.ask)(&self.at);
        let is_listed = |source: &&Source| source.purpose == Purpose::Skill && source.fate.reaches();
        let skills = || answer.answer.sources.iter().filter(is_listed);
        let called = skills().find(|skill| name_of(skill) == Some(name));
        let skill = called.or_else(|| skills().find(|skill| name_on_disk(skill) == Some(name)));
        let call = (self.ask)(&Standpoint { call: Some(name.to_owned()), ..self.at.clone() });
        let is_call = |message: &&Message| message.kind == MessageKind::Call;
        let messages: Vec<Message> = call.answer.messages.iter().filter(is_call).cloned().collect();
        // The folder's name counts only if the client accepts it, that is, if the call sent messages.
        let Some(skill) = skill.filter(|_| called.is_some() || !messages.is_empty()) else {
            let mut names: Vec<_> = skills().filter_map(name_of).collect();
            names.dedup();
            let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(format!("{} lists no skill {name}; it lists {known}", self.choice.title()));
        };
        let sent = messages.first().map(|message| message.text.size());
        let reason = "called: its text is sent".to_owned();
        let sources = match messages.is_empty() {
            true => vec![skill.clone()],
            false => vec![Source { fate: Fate::Loaded, trigger: Trigger::Call, reason, sent, ..skill.clone() }],
        };
        let unknown = || {
            Doubt::of_text(format!("the words that {} puts around a skill it calls are not known", self.choice.title()))
        };
        let again = || {
            Doubt::of_files(format!(
                "what {} sends of a skill that was called before was not asked",
                self.choice.title()
            ))
        };
        let doubt = if messages.is_empty() { Some(unknown()) } else { self.called.contains(name).then(again) };
        self.called.insert(name.to_owned());
        let turn = self.nothing(Step::Skill(name.to_owned()), call);
        Ok(Turn { messages, sources, doubt: doubt.or_else(|| turn.doubt.clone()), ..turn })
    }

    fn command(&mut self, typed: &str) -> Result<Turn, String> {
        let call = (self.ask)(&Standpoint { call: Some(format!("/{typed}")), ..self.at.clone() });
        let is_call = |message: &&Message| message.kind == MessageKind::Call;
        let messages: Vec<Message> = call.answer.messages.iter().filter(is_call).cloned().collect();
        let name = typed.split(' ').next().unwrap_or_default();
        let (Some(last), title) = (messages.last(), self.choice.title()) else {
            return Err(format!("{} has no command {name} of which the text is known", self.choice.title()));
        };
        let sent = Some(last.text.size());
        let reason = format!("{title} puts its text in the place of what the user types");
        let of_command = call.answer.sources.iter().filter(|source| name_of(source) == Some(name));
        let sources = of_command.take(1).map(|source| Source {
            fate: Fate::Loaded,
            trigger: Trigger::Call,
            reason: reason.clone(),
            sent,
            ..source.clone()
        });
        let sources = sources.collect();
        Ok(Turn { messages, sources, ..self.nothing(Step::Command(typed.to_owned()), call) })
    }

    fn switch(&mut self, name: &str) -> Turn {
        let before = self.start(Step::Start);
        self.at.previous_agent = self.at.agent.replace(name.to_owned());
        let now = self.start(Step::Agent(name.to_owned()));
        let is_there = |gone: &Source| now.sources.iter().any(|now| now.place == gone.place && now.fate.reaches());
        let gone = before.sources.iter().filter(|source| source.fate.reaches() && !is_there(source));
        // Prompts and reminders come from no file, so they are in no source.
        let is_prompt = |message: &&Message| {
            matches!(message.kind, MessageKind::Agent | MessageKind::Provider | MessageKind::Reminder)
                && !now.messages.contains(message)
        };
        let messages = now.messages.iter().filter(|message| !before.messages.contains(message));
        Turn {
            gone: gone.cloned().collect(),
            removed: before.messages.iter().filter(is_prompt).cloned().collect(),
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
        let context = Session {
            choice: self.choice,
            ask: self.ask,
            at: own,
            came: Vec::new(),
            remembered: BTreeSet::new(),
            called: BTreeSet::new(),
            changed: self.changed.clone(),
            doubt: None,
        };
        context.start(Step::Subagent(name.to_owned()))
    }

    fn compact(&mut self) -> Turn {
        let title = self.choice.title();
        self.at.read_before.clear();
        let came = std::mem::take(&mut self.came);
        let doubt = match self.choice.edition().compacts() {
            Compacts::NotAsked => format!("what {title} sends again after a compaction was not asked of the client"),
            Compacts::KeepsTheLast => format!("what {title} keeps in a compaction depends on how long each turn was"),
            Compacts::ReadsAgain { most, but } => return self.read_again(came, most, but),
            Compacts::Forgets => {
                return Turn { gone: came, ..self.nothing(Step::Compact, (self.ask)(&self.at)) };
            }
        };
        self.doubt = Some(Doubt::of_files(doubt));
        Turn { gone: came, ..self.nothing(Step::Compact, (self.ask)(&self.at)) }
    }

    /// Returns the turn after a compaction in which the client re-reads at most `most` of the files it remembers,
    /// except files named in `but`.
    fn read_again(&mut self, came: Vec<Source>, most: usize, but: &[&str]) -> Turn {
        let is_named = |file: &Path| file.file_name().is_some_and(|name| but.iter().any(|but| name == *but));
        self.remembered.retain(|file| !is_named(file) && !self.at.deleted.contains(file));
        let is_kept = |source: &Source| source.path().is_some_and(|path| self.remembered.contains(path));
        let (kept, gone): (Vec<Source>, Vec<Source>) = came.into_iter().partition(is_kept);
        self.at.already_loaded.extend(kept.iter().filter_map(|source| source.path()).map(Path::to_owned));
        self.came.clone_from(&kept);
        if self.remembered.len() > most {
            let why = format!("of the files that were read or came along only {most} are read again");
            self.doubt.get_or_insert(Doubt::of_files(why));
        }
        let again = |source: Source| Source { reason: "read again after the compaction".to_owned(), ..source };
        let turn = self.nothing(Step::Compact, (self.ask)(&self.at));
        let of_text =
            || Doubt::of_text("what is read again stands in answers of the read tool, with numbers before its lines");
        let doubt = turn.doubt.clone().or_else(|| (!kept.is_empty()).then(of_text));
        Turn { gone, sources: kept.into_iter().map(again).collect(), doubt, ..turn }
    }

    fn resume(&mut self) -> Turn {
        // A new process does not remember earlier reads.
        self.remembered.clear();
        match self.choice.edition().resumes() {
            Resumes::NotAsked => {
                let title = self.choice.title();
                let doubt = format!("what {title} sends when a session goes on was not asked of the client");
                self.doubt.get_or_insert(Doubt::of_files(doubt));
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
        let title = self.choice.title();
        let several = match self.choice.edition().races() {
            _ if turns.len() < 2 => None,
            true => Some(Doubt {
                of: Certain::Order,
                why: format!("{title} does this at the same time: what brings a text first changes from run to run"),
            }),
            false => {
                Some(Doubt::of_files(format!("what {title} adds when several things happen in one turn was not asked")))
            }
        };
        let answer = turns.last().map_or_else(|| (self.ask)(&self.at), |turn| turn.answer.clone());
        let nothing = self.nothing(Step::Together(steps.to_vec()), answer);
        Ok(turns.into_iter().fold(Turn { doubt: doubt.or(several), ..nothing }, |mut all, turn| {
            all.messages.extend(turn.messages);
            all.sources.extend(turn.sources);
            all.gone.extend(turn.gone);
            all
        }))
    }
}

/// Returns the sources of an answer that are not in `before` with the same place, trigger and fate.
fn new_sources(answer: &Resolution, before: &[Source]) -> Vec<Source> {
    let same = |one: &Source, other: &Source| {
        one.place == other.place && one.trigger == other.trigger && one.fate == other.fate
    };
    let is_new = |source: &&Source| !before.iter().any(|before| same(before, source));
    answer.answer.sources.iter().filter(is_new).cloned().collect()
}

/// Returns the name by which a skill is called: the name in its front matter if the agent uses that, else that of its
/// folder or file.
fn name_of(skill: &Source) -> Option<&str> {
    skill.called.as_deref().or_else(|| name_on_disk(skill))
}

fn name_on_disk(skill: &Source) -> Option<&str> {
    let path = skill.path()?;
    let named = if path.file_name().is_some_and(|name| name == "SKILL.md") {
        path.parent()?.file_name()
    } else {
        path.file_stem()
    };
    named?.to_str()
}
