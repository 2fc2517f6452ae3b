//! The tools: each parses the model's JSON, calls the handler that editors use, and shortens the result.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use tower_lsp::jsonrpc;

use super::arguments::{self, Question, parse, schema};
use super::{Handler, summary};
use crate::disk::Filesystem;
use crate::engine::settings::{RecordsSetting, Settings};
use crate::engine::{check, why};
use crate::lsp::convert::uri_of;
use crate::lsp::ext::{self, EffectiveInstructionsParams, TextDocument};
use crate::lsp::requests;
use crate::report::credentials::starred_json;
use crate::report::findings::Severity;
use crate::report::words::list;
use crate::request::{OneOrMany, Request};
use crate::snapshot::{FileType, absolute};
use crate::text;

/// Maximum number of findings in an answer.
const LISTED: usize = 50;

/// A tool: its name, the schema of its arguments, and its description.
type Described = (&'static str, fn() -> JsonObject, &'static str);

const TOOLS: [Described; 6] = [
    (
        "effective_instructions",
        schema::<Question>,
        "Which instruction files reach the model of each coding agent when it reads a file (or starts a session), in order, \
         and what is cut or shadowed. include: [\"text\"] gives the exact text. Pass `loaded` of earlier answers as \
         alreadyLoaded, so that a session that reads one file after another gets each text once.",
    ),
    (
        "explain",
        schema::<arguments::Explain>,
        "Why one instruction file is, or is not, part of what each coding agent is told.",
    ),
    (
        "instruction_files",
        schema::<arguments::Files>,
        "Every instruction file of the workspace, and which coding agents read it, and when.",
    ),
    (
        "compare",
        schema::<arguments::Compare>,
        "What differs between two answers: two agents, two versions, two start directories, or now and a git revision.",
    ),
    (
        "check",
        schema::<arguments::Check>,
        "What is wrong with the instruction files: text that is cut, shadowed, never read, missing imports, broken settings.",
    ),
    (
        "why",
        schema::<arguments::Why>,
        "Where a sentence stands in instruction files, which coding agents get it and when, and why the others do not. A \
         sentence that stands nowhere is answered by the lines that are most like it.",
    ),
];

/// Tools that are offered only with `--records`.
const RECORDS: [Described; 2] = [
    (
        "recorded_sessions",
        schema::<arguments::Sessions>,
        "What recorded sessions of this workspace were really told, the latest first, from the records that the agents \
         themselves keep: files, sizes and times, and whether one was cut, came too late, or is older than the file now.",
    ),
    (
        "audit_session",
        schema::<arguments::Audit>,
        "One recorded session step by step: which instruction files reached it when, and what was no longer in context. why: a \
         sentence, for only those steps that brought it.",
    ),
];

/// Result of a tool, or a message about what is wrong with the question.
type Said = Result<Value, String>;

fn words(error: jsonrpc::Error) -> String {
    error.message.into_owned()
}

/// Replaces the name of the LSP setting by the command-line option that allows reading records.
fn of_records(error: jsonrpc::Error) -> String {
    words(error).replace("briefing.records is off", "start briefing mcp with --records")
}

impl Handler {
    fn described(&self) -> impl Iterator<Item = &'static Described> {
        let records = self.context.core.session().settings.records == RecordsSetting::On;
        TOOLS.iter().chain(RECORDS.iter().filter(move |_| records))
    }

    /// Returns the tools that the client may call.
    pub(super) fn tools(&self) -> Vec<Tool> {
        let tool = |(name, schema, description): &Described| {
            let hints = ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false);
            Tool::new(*name, *description, Arc::new(schema())).with_annotations(hints)
        };
        self.described().map(tool).collect()
    }

    /// Calls a tool by its name.
    pub(super) fn called(&self, name: &str, arguments: JsonObject) -> Result<Said, ErrorData> {
        let gone = self.context.core.files.stat(&self.roots[1]).map_or(true, |meta| meta.kind != FileType::Dir);
        if gone {
            let root = self.roots[0].display();
            return Ok(Err(format!("the workspace {root} is not there; start briefing mcp with --cwd DIR")));
        }
        let said = match name {
            // The exact text is what was asked for.
            "effective_instructions" => return Ok(self.effective_instructions(arguments)),
            "explain" => self.explain(arguments),
            "instruction_files" => self.instruction_files(arguments),
            "compare" => self.compare(arguments),
            "check" => self.check(arguments),
            "why" => self.why(arguments),
            "recorded_sessions" => self.recorded_sessions(arguments),
            "audit_session" => self.audit_session(arguments),
            other => {
                let known: Vec<&str> = self.described().map(|(name, ..)| *name).collect();
                let problem = format!("there is no tool `{other}`; the tools are {}", list(&known));
                return Err(ErrorData::invalid_params(problem, None));
            }
        };
        Ok(said.map(starred_json))
    }

    fn effective_instructions(&self, arguments: JsonObject) -> Said {
        let question: Question = parse(arguments)?;
        let wish = summary::Wish { detail: question.detail, when: question.when };
        let answer = self.context.effective_instructions(self.question(question)?).map_err(words)?;
        Ok(summary::effective(&answer, wish))
    }

    fn explain(&self, arguments: JsonObject) -> Said {
        let arguments: arguments::Explain = parse(arguments)?;
        let params = ext::ExplainParams {
            // Instruction files may be outside of the workspace: in the home directory, or in a parent.
            text_document: TextDocument { uri: uri(&self.path(&arguments.file.unwrap_or_default())?)? },
            target: arguments.target.as_deref().map(|target| self.inner(target)).transpose()?,
            cwd: arguments.cwd.as_deref().map(|cwd| self.inner(cwd)).transpose()?,
            harness: arguments.harness,
        };
        Ok(summary::explanations(&self.context.explain(params).map_err(words)?, arguments.detail))
    }

    fn instruction_files(&self, arguments: JsonObject) -> Said {
        let arguments: arguments::Files = parse(arguments)?;
        let cwd = arguments.cwd.as_deref().map(|cwd| self.inner(cwd)).transpose()?;
        let params = ext::InstructionFilesParams { harness: arguments.harness, cwd };
        Ok(summary::files(&self.context.instruction_files(params).map_err(words)?, arguments.detail))
    }

    fn compare(&self, arguments: JsonObject) -> Said {
        let arguments: arguments::Compare = parse(arguments)?;
        if let Some(other) = arguments.include.iter().find(|wish| *wish != "text") {
            return Err(format!("include: `{other}` is not `text`"));
        }
        let side = |name: &str, side: Option<JsonObject>| {
            let side: Result<arguments::Side, String> = parse(side.unwrap_or_default());
            let side = side
                .and_then(|side| Ok(ext::Side { question: self.question(side.question)?, revision: side.revision }));
            side.map_err(|problem| format!("{name}: {problem}"))
        };
        let params = ext::CompareParams { left: side("left", arguments.left)?, right: side("right", arguments.right)? };
        let answer = self.context.compare(params).map_err(words)?;
        Ok(summary::comparison(&answer, !arguments.include.is_empty()))
    }

    fn check(&self, arguments: JsonObject) -> Said {
        let arguments: arguments::Check = parse(arguments)?;
        let level = arguments.level.as_deref().unwrap_or("warning");
        let level = Severity::named(level).ok_or_else(|| {
            let known = Severity::WORDS.map(|(word, _)| word);
            format!("level: `{level}` is not one of {}", list(&known))
        })?;
        let only = arguments.paths.iter().map(|path| {
            let path = self.path(path)?;
            self.inside(&path)?;
            self.context.core.files.stat(&path).map_err(|errno| format!("{}: {}", path.display(), errno.text()))?;
            Ok(path)
        });
        let only: Vec<PathBuf> = only.collect::<Result<_, String>>()?;
        let (base, settings) = {
            let session = self.context.core.session();
            (session.base.clone(), session.settings.clone())
        };
        let root = self.roots[1].clone();
        let settings = self.settings_for(arguments.harness, settings)?;
        let checked = check::check(base, check::Checking { root: &root, settings, only: &only, revision: None })?;
        Ok(findings(&checked, level))
    }

    fn why(&self, arguments: JsonObject) -> Said {
        let arguments: arguments::Why = parse(arguments)?;
        let (base, settings) = {
            let session = self.context.core.session();
            (session.base.clone(), session.settings.clone())
        };
        let root = self.roots[1].clone();
        let settings = self.settings_for(arguments.harness, settings)?;
        let mut found = why::why(base, &root, settings, &arguments.text.unwrap_or_default())?;
        // A link in the workspace may lead to private files. Even the fact that such a file has the text must not be
        // shown.
        let core = &self.context.core;
        let may_tell = |path: &str| {
            let (path, privacy) = (Path::new(path), core.privacy.get());
            privacy.is_some_and(|privacy| privacy.may_tell(path, &core.files.real(path)))
        };
        let all = found.places.len();
        found.places.retain(|place| may_tell(&place.path));
        if found.places.len() < all {
            found.elsewhere.clear();
        }
        found.near.retain(|near| may_tell(&near.path));
        let limit = arguments.limit.map_or(LISTED, |limit| limit.get() as usize);
        let more = found.places.len().saturating_sub(limit);
        found.spread(limit);
        let mut answer = serde_json::to_value(found).map_err(|error| error.to_string())?;
        if more > 0 {
            answer["more"] = more.into();
        }
        Ok(answer)
    }

    /// Returns the settings in force, limited to the agents named.
    fn settings_for(&self, named: Option<OneOrMany>, settings: Settings) -> Result<Settings, String> {
        let specs = match named {
            None => return Ok(settings),
            Some(OneOrMany::One(spec)) => vec![spec],
            Some(OneOrMany::Many(specs)) => specs,
        };
        Settings::of_harnesses(&specs, self.context.core.customs(&self.roots[1]).as_ref())
    }

    fn recorded_sessions(&self, arguments: JsonObject) -> Said {
        let arguments: arguments::Sessions = parse(arguments)?;
        let params =
            ext::SessionsParams { cwd: Some(uri(&self.roots[1])?), hours: arguments.hours, agents: arguments.agents };
        Ok(summary::sessions(&self.context.recorded_sessions(params).map_err(of_records)?))
    }

    fn audit_session(&self, arguments: JsonObject) -> Said {
        let arguments: arguments::Audit = parse(arguments)?;
        let params =
            ext::AuditParams { session: arguments.session, cwd: Some(uri(&self.roots[1])?), why: arguments.why };
        let mut found = self.context.audit(params).map_err(of_records)?;
        let steps = found.sessions.iter_mut().flat_map(|audit| &mut audit.steps);
        // A record may hold earlier text of files from anywhere.
        steps.flat_map(|step| &mut step.given).for_each(|item| item.text = None);
        serde_json::to_value(found).map_err(|error| error.to_string())
    }

    /// Converts the arguments to the parameters of `briefing/effectiveInstructions`.
    fn question(&self, question: Question) -> Result<EffectiveInstructionsParams, String> {
        self.check_options(&question.request)?;
        let anywhere =
            |paths: &[String]| paths.iter().map(|path| uri(&self.path(path)?)).collect::<Result<Vec<_>, _>>();
        Ok(EffectiveInstructionsParams {
            text_document: question
                .file
                .as_deref()
                .map(|file| self.inner(file))
                .transpose()?
                .map(|uri| TextDocument { uri }),
            cwd: question.cwd.as_deref().map(|cwd| self.inner(cwd)).transpose()?,
            read_before: anywhere(&question.read_before)?,
            already_loaded: anywhere(&question.already_loaded)?,
            request: question.request,
        })
    }

    /// Returns the path that a model named, relative to the workspace or absolute.
    fn path(&self, named: &str) -> Result<PathBuf, String> {
        if named.is_empty() {
            return Err("a path is empty".to_owned());
        }
        if named.starts_with("file:") {
            return requests::parsed(named).map_err(words);
        }
        Ok(absolute(&self.roots[0], Path::new(named)))
    }

    /// Returns the URI of a path in the workspace.
    fn inner(&self, named: &str) -> Result<String, String> {
        let path = self.path(named)?;
        self.inside(&path)?;
        uri(&path)
    }

    /// Returns an error if a path is outside of the workspace, also if only a link leads out of it.
    pub(super) fn inside(&self, path: &Path) -> Result<(), String> {
        let core = &self.context.core;
        let is_named_inside = self.roots.iter().any(|root| path.starts_with(root));
        if is_named_inside && core.privacy.get().is_some_and(|privacy| privacy.contains(&core.files.real(path))) {
            return Ok(());
        }
        let (path, root) = (path.display(), self.roots[0].display());
        Err(format!("{path} is outside of the workspace {root}; briefing mcp --cwd DIR serves another one"))
    }

    /// Returns an error if options of agents name something outside of the workspace: as a path, in a list, or after a
    /// flag.
    fn check_options(&self, request: &Request) -> Result<(), String> {
        for (harness, options) in &request.options {
            for (name, value) in options {
                let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
                let words = values.iter().filter_map(Value::as_str);
                let mut words =
                    words.flat_map(|text| text.split(|c: char| c.is_whitespace() || "=,;:'\"{}".contains(c)));
                if words.any(|word| {
                    word.starts_with('~') || self.inside(&absolute(&self.roots[0], Path::new(word))).is_err()
                }) {
                    return Err(format!("options.{harness}.{name} names something outside of the workspace"));
                }
            }
        }
        Ok(())
    }
}

fn uri(path: &Path) -> Result<String, String> {
    uri_of(path).map(|uri| uri.as_str().to_owned()).ok_or_else(|| format!("{}: not a path", path.display()))
}

/// Returns the number of files checked, the first findings, and how many more there are.
fn findings(checked: &check::Check, level: Severity) -> Value {
    let mut said = Vec::new();
    for file in &checked.files {
        let path = file.path.strip_prefix(&checked.root).unwrap_or(&file.path).to_string_lossy();
        let shown = file.found.iter().filter(|(severity, _)| *severity <= level);
        said.extend(shown.map(|(severity, finding)| {
            let before = text::lossy(&file.raw[..finding.range.start.min(file.raw.len())]);
            json!({
                "path": path,
                "line": before.matches('\n').count() + 1,
                "code": finding.kind.code(),
                "severity": severity.word(),
                "harness": finding.harness,
                "message": finding.message,
            })
        }));
    }
    let more = said.len().saturating_sub(LISTED);
    said.truncate(LISTED);
    let mut answer = json!({"judged": checked.judged, "files": checked.count, "findings": said});
    if more > 0 {
        answer["more"] = more.into();
    }
    if !checked.left.is_empty() {
        answer["notJudged"] = checked.left.len().into();
    }
    answer
}
