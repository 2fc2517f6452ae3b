//! Claude Code: managed and user files; then CLAUDE.md, rules and local files of every directory from the file system
//! root down to the working directory; AGENTS.md if there is no CLAUDE.md; and nested files for each file that the
//! agent reads.
//!
//! Checked on the real client 2.1.329 (`claude -p` against a mock model), November 2026.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::answer::{
    Answer, Certain, Fate, Message, Place, Refusal, Role, SessionKind, Source, Standpoint, Text, Tool, Trigger,
};
use crate::formats::Node;
use crate::harness::keys::{Key, Keys, Takes};
use crate::harness::{
    About, Attaches, Changed, Compacts, Details, Edition, Evidence, Profile, Program, Resumes, Switches, switches,
};
use crate::search::{Known, Search};
use crate::text::js_trim;

mod agents;
mod agents_listed;
mod around;
mod carried;
mod denied;
mod directory;
mod document;
mod excludes;
mod git;
mod history;
mod hooks;
mod imports;
mod layers;
mod loader;
mod manner;
mod memory;
mod nested;
mod paths;
mod plugins;
mod prompts;
mod rules;
mod schema;
mod servers;
mod settings;
mod skills;
mod start;
mod tags;
mod usage;
mod variables;

use around::Around;
use document::Joins;
use excludes::Excludes;
use loader::{Loader, Owner};
use manner::Manner;
use settings::{Mode, Settings};
use start::Start;

/// Id of the client, also the key of its options in requests.
const ID: &str = "claude-code";

/// Kind of a sub-agent if the question names no other.
const USUAL: &str = "general-purpose";

/// Directory of the administrator's files on Linux.
const MANAGED: &str = "/etc/claude-code";

/// Plugin that reads AGENTS.md and holds the option for it.
const PLUGIN: &str = "agents-md@builtin";

/// Extensions that the tool Read refuses before it looks at the file, so that nothing is attached. Each was checked on
/// the client.
const READ_REFUSES: &[&str] = &[
    "3ds", "7z", "a", "aac", "ai", "aiff", "apk", "app", "avi", "avif", "bin", "blend", "bmp", "bz2", "class", "dat",
    "data", "db", "deb", "dll", "dmg", "doc", "docx", "dylib", "ear", "eot", "eps", "epub", "exe", "fig", "fla",
    "flac", "flv", "gz", "heic", "heif", "ico", "idx", "iso", "jar", "lib", "lockb", "lz4", "m4a", "m4v", "max", "mdb",
    "mkv", "mov", "mp3", "mp4", "mpeg", "mpg", "msi", "node", "npy", "numbers", "o", "obj", "odp", "ods", "odt", "ogg",
    "opus", "otf", "parquet", "ppt", "pptx", "psd", "pyc", "pyo", "rar", "rlib", "rpm", "sketch", "so", "sqlite",
    "sqlite3", "swf", "tar", "tgz", "tif", "tiff", "ttf", "war", "wasm", "wav", "webm", "whl", "wma", "wmv", "woff",
    "woff2", "xd", "xls", "xlsx", "xz", "z", "zip", "zst",
];

/// Profile of Claude Code.
pub static PROFILE: Profile = Profile {
    id: ID,
    title: "Claude Code",
    summary: "CLAUDE.md, .claude/rules and CLAUDE.local.md of every directory down to the working directory; AGENTS.md where there is no CLAUDE.md; more of them with each file that is read",
    editions: &[&V2_1],
    history: Some(&history::HISTORY),
    instruction_names: &[
        "CLAUDE.md",
        "CLAUDE.local.md",
        ".claude/CLAUDE.md",
        ".claude/rules/**/*.md",
        "AGENTS.md",
        ".claude/AGENTS.md",
        "MEMORY.md",
    ],
    settings_names: &[
        ".claude/settings.json",
        ".claude/settings.local.json",
        ".claude.json",
        "managed-settings.json",
        "managed-settings.d/*.json",
    ],
    program: Some(Program { command: "claude", package: "@anthropic-ai/claude-code" }),
    keys: KEYS,
    evidence: Evidence {
        traces: &[&["$CLAUDE_CONFIG_DIR/projects", "~/.claude/projects"]],
        homes: &[&["$CLAUDE_CONFIG_DIR", "~/.claude"]],
        files: &["CLAUDE.md", "CLAUDE.local.md", ".claude"],
        editor: &["anthropic.claude-code", "claudecode.nvim", "claude-code.nvim"],
        ..Evidence::NONE
    },
};

const KEYS: &[Keys] = &[
    Keys {
        files: &[".claude/settings.json", ".claude/settings.local.json", "managed-settings.json"],
        keys: &[
            Key::new(
                "claudeMdExcludes",
                Takes::Paths,
                "Globs on absolute paths: files that are not read. The lists of all settings files add up.",
            ),
            Key::new(
                "claudeMd",
                Takes::Other,
                "A text for every session, behind the administrator's CLAUDE.md; of managed settings only.",
            ),
            Key::new("env", Takes::Other, "Variables, set over those of the process."),
            Key::new("autoMemoryEnabled", Takes::SWITCH, "Whether MEMORY.md is loaded."),
            Key::new("autoMemoryDirectory", Takes::Paths, "Where MEMORY.md is."),
        ],
    },
    Keys {
        files: &[".claude/rules/**/*.md"],
        keys: &[Key::new(
            "paths",
            Takes::Paths,
            "The rule waits until a file is read that one of these patterns matches. Without them it applies from the start.",
        )],
    },
];

/// Rules of a version of Claude Code. Behaviour that all versions share is code; behaviour that differs is a field.
#[derive(Clone, Copy)]
pub struct Edition21 {
    about: About,
    /// Text of the session's block before the first file.
    preamble: &'static str,
    /// Description of a file in the session's block, by its owner.
    descriptions: Descriptions,
    /// Maximum depth of imports below a file.
    import_depth: usize,
    /// Maximum size of a file, in bytes; larger files are not read.
    file_limit_bytes: u64,
    /// Maximum size of a text that the tool Read reads at once, in bytes; a larger one brings no AGENTS.md.
    read_limit_bytes: u64,
    /// Maximum length of a nested file, in UTF-16 units; longer ones are cut back to a line end.
    nested_utf16: Option<usize>,
    /// True if the client sends system messages within a conversation, to models that take them.
    tells_by_system: bool,
    /// True if the agent `Explore` has a model of its own, Haiku.
    explores_by_haiku: bool,
    /// Manner in which nested files are sent to Sonnet 5.
    sonnet_5: Manner,
    /// True if skills and commands are listed by name.
    sorts_skills: bool,
    /// True if the list of skills says to which files a skill below the working directory applies.
    remarks_on_skills: bool,
    /// True if skills that a read reveals are always listed with that read; otherwise it is a race.
    lists_in_time: bool,
    /// True if Edit and Write reveal the skills that belong to a file.
    edits_discover: bool,
    /// True if nested files are sent as user messages, not as a system message.
    files_by_user: bool,
    /// True if files brought by a mention are sent as user messages, not as a system message.
    mentions_by_user: bool,
    /// True if text that looks like a `<system-reminder>` tag is escaped in nested files.
    breaks_tags: bool,
    /// True if AGENTS.md is read where there is no CLAUDE.md.
    agents_md: bool,
    /// True if the files of the session have a block of their own; otherwise they are part of the block that the client
    /// calls context.
    own_block: bool,
    /// True if the path of an added directory is resolved before it is shown; otherwise it is shown as written.
    resolves_added: bool,
    /// True if an empty user JSON file counts as absent; otherwise it stops the client.
    takes_empty_json: bool,
    /// True if files over the limit are dropped.
    drops_large_files: bool,
    /// True if the size of the client's own skills in the list was measured for this version.
    own_skills_measured: bool,
    /// What a file with comments is put together from.
    joins: Joins,
    /// Maximum length of all nested AGENTS.md files together, in UTF-16 units; the exact limit, between 90 034 and
    /// 100 036, is not known.
    handed_over_utf16: usize,
    /// Maximum number of lines of the memory.
    memory_lines: usize,
    /// Maximum length of the memory, in UTF-16 units.
    memory_utf16: usize,
    /// Warning that the client adds where the memory is cut.
    memory_warning: memory::Warning,
    /// True if files loaded at the start are attached again when a file is read to which they apply.
    repeats_the_start: bool,
    /// True if Edit and Write bring nested files.
    edits_bring: bool,
    /// True if a shell command that shows a file (`cat`) brings nested files.
    shell_brings: bool,
    /// True if files in a worktree below `.claude/worktrees` are left to a session that starts in that worktree.
    leaves_worktrees: bool,
    /// True if the heading of a file in a worktree names the file of the checkout that it replaces.
    marks_worktrees: bool,
    /// True if text that looks like a `<system-reminder>` tag is escaped in nested AGENTS.md files.
    breaks_tags_handed_over: bool,
    /// True if a mention brings AGENTS.md.
    mentions_hand_over: bool,
}

#[derive(Clone, Copy)]
struct Descriptions {
    managed: &'static str,
    user: &'static str,
    project: &'static str,
    local: &'static str,
    memory: &'static str,
}

static V2_1: Edition21 = Edition21 {
    about: About {
        name: "2.1",
        checked: ("2.1.329", "2.1.329"),
        details: Details {
            files: "CLAUDE.md, .claude/CLAUDE.md, .claude/rules/**/*.md and CLAUDE.local.md of every directory; AGENTS.md and .claude/AGENTS.md where the walk has no CLAUDE.md; MEMORY.md",
            triggers: "start of the session; a file that is read, changed, written or shown (`cat`), or that the user mentions",
            place: "one <system-reminder> block of the first user message; nested files as blocks after the tool result",
            truncation: "none at the start, but a file over 4 MiB is dropped; nested files at 150 000 UTF-16 units; MEMORY.md at 200 lines and 25 000 units",
            nested: "yes: every directory from the working directory down to the file; AGENTS.md with Read and a mention only",
            global: "~/.claude/CLAUDE.md and ~/.claude/rules; /etc/claude-code for administrators",
            urls: "no",
            globs: "paths of rules (gitignore patterns); claudeMdExcludes",
            sessions: "sub-agents `Explore`, `Plan` and those with `omitClaudeMd` are told no files of the session; after a change a resumed session is told the new text as well; what comes again after a compaction was not asked of every kind of file",
            hooks: "none that rewrites; what hooks of SessionStart, UserPromptSubmit, PreToolUse, PostToolUse and SubagentStart say reaches the model",
            persona: "none",
            dedupe: "by path and by target at the start; by path afterwards",
        },
    },
    preamble: "Codebase and user instructions are shown below. Be sure to adhere to these instructions. IMPORTANT: These instructions OVERRIDE any default behavior and you MUST follow them exactly as written.",
    descriptions: Descriptions {
        managed: "organization-managed policy instructions",
        user: "user's private global instructions for all projects",
        project: "project instructions, checked into the codebase",
        local: "user's private project instructions, not checked in",
        memory: "user's auto-memory, persists across conversations",
    },
    import_depth: 4,
    file_limit_bytes: 4 * 1024 * 1024,
    read_limit_bytes: 256 * 1024,
    nested_utf16: Some(150_000),
    tells_by_system: true,
    explores_by_haiku: false,
    sonnet_5: Manner::Blocks,
    sorts_skills: true,
    remarks_on_skills: true,
    lists_in_time: true,
    edits_discover: true,
    files_by_user: true,
    mentions_by_user: true,
    breaks_tags: true,
    agents_md: true,
    own_block: true,
    resolves_added: true,
    takes_empty_json: true,
    drops_large_files: true,
    own_skills_measured: true,
    joins: Joins::Blocks,
    handed_over_utf16: 100_000,
    memory_lines: 200,
    memory_utf16: 25_000,
    memory_warning: memory::Warning::Quoting,
    repeats_the_start: false,
    edits_bring: true,
    shell_brings: true,
    leaves_worktrees: true,
    marks_worktrees: false,
    breaks_tags_handed_over: true,
    mentions_hand_over: true,
};

impl Edition for Edition21 {
    fn about(&self) -> &About {
        &self.about
    }

    fn switches(&self) -> &'static Switches {
        switches::table!("claude-code")
    }

    fn imports_into(&self, _: &Path) -> bool {
        true
    }

    fn sessions(&self) -> &'static [SessionKind] {
        &SessionKind::WITH_SUBAGENTS
    }

    fn races(&self) -> bool {
        true
    }

    /// Checked on 2.1.329.
    fn resumes(&self) -> Resumes {
        if self.own_skills_measured { Resumes::AsBefore(Changed::Beside) } else { Resumes::NotAsked }
    }

    /// Checked on 2.1.329: the block of the session is sent again, and up to five files that the client remembers are
    /// sent as results of Read, including nested files and rules. A nested AGENTS.md is not remembered, so it is not
    /// sent again.
    fn compacts(&self) -> Compacts {
        let again = Compacts::ReadsAgain { most: 5, but: &["AGENTS.md"] };
        if self.own_skills_measured { again } else { Compacts::NotAsked }
    }

    fn attaches(&self, _: Tool) -> Attaches {
        Attaches::Own
    }

    fn look(&self, at: &Standpoint, search: &mut Search) -> Known<Answer> {
        let checkout = git::checkout(&at.cwd, search)?;
        let mut settings = Settings::gather(at, checkout.as_ref(), search)?;
        let mut answer = Answer { warnings: settings.warnings.clone(), ..Answer::default() };
        self.check_differences(&mut settings, &mut answer)?;
        if let Some(reason) = &settings.unsure {
            answer.doubt(&[Certain::Set], reason.clone());
        }
        if at.session == SessionKind::Subagent && at.tool == Tool::Mention {
            answer.doubt(&[Certain::Set], "what a mention in the task of a sub-agent brings was not asked about");
        }
        answer.root = checkout.as_ref().map(|checkout| checkout.root.clone());
        let approved = settings.approved(checkout.as_ref().map_or(&at.cwd, |checkout| &checkout.main));
        self.prompt(settings.system_prompt.as_ref(), at, search, &mut answer)?;
        if let Some(what) = settings.off {
            search.never(&at.cwd, format!("{what} switches all instruction files off"));
            self.prompt(settings.appended_prompt.as_ref(), at, search, &mut answer)?;
            return Ok(answer);
        }
        let plugins = self.plugins(&settings, &at.cwd, search, &mut answer)?;
        plugins::add_hooks(&mut settings, &plugins, search)?;
        let described = agents::described(at, &settings, checkout.as_ref(), &plugins, search, &mut answer)?;
        answer.agents = agents::said(&described);
        let agent = self.agent(at, &settings, &described, search, &mut answer)?;
        self.prompt(settings.appended_prompt.as_ref(), at, search, &mut answer)?;
        let around = Around {
            edition: self,
            at,
            settings: &settings,
            checkout: checkout.as_ref(),
            agent: &agent,
            plugins: &plugins,
        };
        if settings.no_files {
            search.never(&at.cwd, format!("{} switches all instruction files off", variables::NO_FILES));
            answer.sources.extend(agent.sources.clone());
            self.output_style(&around, search, &mut answer)?;
            self.list_agents(&around, described, &mut answer);
            servers::look(&around, search, &mut answer)?;
            self.skills(&around, search, &mut answer)?;
            hooks::name(&settings.hooks, at, self.manner(at, &settings), &mut answer);
            return Ok(answer);
        }
        let excludes = Excludes::new(settings.excludes.iter().map(|(glob, _)| glob.as_str()), search)?;
        let mut loader = Loader::new(self, search, &settings, &excludes, at, approved);
        let mut start = loader.start(checkout.as_ref())?;
        // Removed before nested files are searched: a read may bring a file that the agent does not get at the start.
        let left_out = agent.without.as_ref().map(|without| start.leave_out(without)).unwrap_or_default();
        let nested = match &at.target {
            Some(target) => loader.nested(target, (&at.already_loaded, &at.read_before), &start, checkout.as_ref())?,
            None => Vec::new(),
        };
        loader.sources.extend(left_out);
        let Loader { mut sources, warnings, mentions, unsure, .. } = loader;
        if let Some(reason) = unsure {
            answer.doubt(&[Certain::Set], reason);
        }
        answer.mentions = mentions;
        // The loader may warn twice of a file: when it loads it, and when it tests whether it displaces others.
        let mut known = HashSet::new();
        answer.warnings.extend(warnings.into_iter().filter(|warning| known.insert(warning.clone())));
        let used = self.in_order(at, &settings, (start, nested), &mut answer);
        // Sources that were sent come first, in the order in which they were sent.
        let places: HashSet<&Place> = used.iter().map(|source| &source.place).collect();
        sources.retain(|source| !places.contains(&source.place));
        let given = std::mem::take(&mut answer.sources);
        answer.sources = used.into_iter().chain(sources).chain(given).collect();
        mention_excludes(&settings, search, &mut answer)?;
        answer.sources.extend(agent.sources.clone());
        self.output_style(&around, search, &mut answer)?;
        self.list_agents(&around, described, &mut answer);
        servers::look(&around, search, &mut answer)?;
        self.skills(&around, search, &mut answer)?;
        hooks::name(&settings.hooks, at, self.manner(at, &settings), &mut answer);
        Ok(answer)
    }
}

impl Edition21 {
    /// Orders the messages as they are sent, and returns the sources of each.
    fn in_order(
        &self,
        at: &Standpoint,
        settings: &Settings,
        (start, nested): (Start, Vec<(Message, Vec<Source>)>),
        answer: &mut Answer,
    ) -> Vec<Source> {
        let mut used = Vec::new();
        // Files that the user mentions come before the block of the session if they are sent as user messages.
        let (attached, nested): (Vec<_>, Vec<_>) = nested
            .into_iter()
            .partition(|(message, _)| message.trigger == Trigger::Attach && message.role == Role::User);
        let add = |(message, of_message): (Message, Vec<Source>), used: &mut Vec<Source>, answer: &mut Answer| {
            let index = answer.messages.len();
            answer.messages.push(message);
            used.extend(of_message.into_iter().map(|source| Source { message: Some(index), part: Some(0), ..source }));
        };
        attached.into_iter().for_each(|brought| add(brought, &mut used, answer));
        let index = answer.messages.len();
        let message = self.message(&start, settings, at);
        answer.messages.extend(message);
        used.extend(sent(start, index));
        nested.into_iter().for_each(|brought| add(brought, &mut used, answer));
        used
    }

    /// Returns how the model receives the files that a tool brings.
    fn manner(&self, at: &Standpoint, settings: &Settings) -> Manner {
        manner::manner(self, at, settings.model.as_deref())
    }

    /// Adapts the settings to this version's behaviour; fails if they stop this version.
    fn check_differences(&self, settings: &mut Settings, answer: &mut Answer) -> Result<(), Refusal> {
        if !self.agents_md {
            settings.mode = Mode::ClaudeOnly;
        }
        if !self.resolves_added && !settings.added.is_empty() {
            answer.doubt(&[Certain::Order, Certain::Text], "this version says and orders added directories otherwise");
        }
        let has_email = |json: &Node| json.at_path(&["oauthAccount", "emailAddress"]).is_some();
        if !self.own_block && settings.json.as_ref().is_some_and(has_email) {
            let reason =
                "this version may tell the address of the account beside the files, which Briefing does not read";
            answer.doubt(&[Certain::Text], reason);
        }
        if settings.json_is_empty && !self.takes_empty_json {
            return Err(Refusal::new(
                ".claude.json",
                "the user's JSON file is empty, which stops this version; take it away",
            ));
        }
        Ok(())
    }

    /// Returns the block that a session starts with.
    fn message(&self, start: &Start, settings: &Settings, at: &Standpoint) -> Option<Message> {
        let say = &self.descriptions;
        let own = settings.config.path.join("CLAUDE.md");
        let mut parts: Vec<Text> = start
            .entries
            .iter()
            .filter_map(|entry| {
                let text = entry.document.text.part(js_trim(&entry.document.text));
                let description = match entry.owner {
                    Owner::Managed => say.managed,
                    Owner::User => say.user,
                    Owner::Project => say.project,
                    Owner::Local => say.local,
                };
                let path =
                    if entry.path == own { settings.config.said(&own) } else { entry.path.display().to_string() };
                let said = !text.is_empty() || entry.path == Path::new(start::SETTINGS);
                said.then(|| contents(&path, description, text))
            })
            .collect();
        parts.extend(
            start
                .memory
                .as_ref()
                .map(|(path, text, _)| contents(&settings.said_memory(path), say.memory, text.as_str().into())),
        );
        if parts.is_empty() {
            return None;
        }
        let parts = Text::joined(&parts, "\n\n");
        let text = if self.own_block {
            Text::framed(format!("<system-reminder>\n{}\n\n", self.preamble), parts, "\n</system-reminder>")
        } else {
            let (year, month, day) = at.surroundings.date;
            let head = format!(
                "<system-reminder>\nAs you answer the user's questions, you can use the following context:\n# claudeMd\n{}\n\n",
                self.preamble
            );
            let tail = format!(
                "\n# currentDate\nToday's date is {year:04}-{month:02}-{day:02}.\n\n      IMPORTANT: this context may or may not be relevant to your tasks. You should not respond to this context unless it is highly relevant to your task.\n</system-reminder>"
            );
            Text::framed(head, parts, tail)
        };
        Some(Message::instructions(Trigger::Session, Role::User, text))
    }
}

/// Records for each glob of `claudeMdExcludes` the files that it excludes.
fn mention_excludes(settings: &Settings, search: &mut Search, answer: &mut Answer) -> Known<()> {
    for (glob, from) in &settings.excludes {
        let alone = Excludes::new([glob.as_str()].into_iter(), search)?;
        let excluded = answer.sources.iter().filter(|source| source.fate == Fate::Excluded).filter_map(Source::path);
        let excluded: Vec<PathBuf> =
            excluded.filter(|path| alone.matching(path).is_some()).map(Path::to_owned).collect();
        answer.mention(from, glob, excluded);
    }
    Ok(())
}

fn contents(path: &str, description: &str, text: Text) -> Text {
    Text::framed(format!("Contents of {path} ({description}):\n\n"), text, "")
}

/// Returns the sources of the session's block; those of files without text belong to no message.
fn sent(start: Start, index: usize) -> impl Iterator<Item = Source> {
    let memory = start.memory.map(|(_, _, source)| source);
    start.entries.into_iter().map(|entry| entry.source).chain(memory).map(move |source| match source.fate {
        Fate::Loaded | Fate::Truncated => Source { message: Some(index), part: Some(0), ..source },
        _ => source,
    })
}
