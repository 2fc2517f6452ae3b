"""Asks the real Claude Code: `claude -p` runs one turn against a mock Messages API on 127.0.0.1, in this process.

`session`: the `<system-reminder>` block of the first user message that holds the `Contents of …` entries. `read`: the blocks
that come with the answer to one call of a tool, then the text of nested AGENTS.md files, which is a message of its own. How
they come depends on the version and the model: as blocks of the user, in a system message, or behind the tool's own answer.
`attach`: the same where the user's message mentions the file; they stand before the block of the session.
`@session subagent` asks the sub-agent that the session starts. `@settings` may hold `{"agent": KIND, "model": NAME,
"options": {"claude-code": {"args": […command-line words…]}}}`.
"""
import json, os, re, signal, subprocess, threading
import casefile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Lists of skills are compared for random trees as well.
EDITIONS_WITH_SKILLS = (None,)
CLIENT, VERSION = "claude-code", os.environ.get("CLAUDE_CODE_VERSION", "2.1.329")
PROGRAM, SCRIPT = "claude-code/node_modules/@anthropic-ai/claude-code-linux-x64/claude", "claude-code/node_modules/@anthropic-ai/claude-code/cli.js"
BLOCK = re.compile(r"(<system-reminder>\n.*</system-reminder>)\n*", re.S)
HANDED = "(?:tool.call|prompt.mention) hook additional context: "
# What stands in a system message, up to what is no text of a file; and the same where each text has a block of its own.
BARE = re.compile(rf"(?:{HANDED})?(Contents of .*?)(?=\n\nNew skills discovered in |\n\n# Environment\n|\n\nThe following skills are |\n\nAvailable agent types for |\n\n<total_tokens>|\n\n[A-Z]\w+(?::\w+)? hook (?:additional context|success): |\Z)", re.S)
AMONG = re.compile("(?:^|\n\n)" + BARE.pattern, re.S)
BOXED = re.compile(rf"(<system-reminder>\n({HANDED})?(Contents of .*?)\n</system-reminder>)", re.S)
HANDED_OVER = re.compile(r"<system-reminder>\ntool\.call hook additional context: (Contents of .*)\n</system-reminder>", re.S)
MENTION = re.compile(r"<system-reminder>\nprompt\.mention hook additional context: (Contents of .*)\n</system-reminder>\n?", re.S)
LIST = re.compile(r"The following skills are available for use with the Skill tool:\n\n(.*?)(?=\n\n|\n</system-reminder>|\Z)", re.S)
TASK = "A task for the sub-agent."
# The skills and commands that come with the client.
OWN = ["dataviz", "update-config", "keybindings-help", "code-review", "simplify", "fewer-permission-prompts", "loop", "claude-api",
       "workflow-authoring", "run", "plugin-authoring", "init", "security-review", "verify", "review", "deep-research"]


class Model(ThreadingHTTPServer):
    """Answers each turn with the next call of a tool, and the last with `ok`."""
    daemon_threads = True

    def __init__(self, calls, of_subagent):
        super().__init__(("127.0.0.1", 0), Answer)
        self.calls, self.of_subagent, self.requests, self.lock = calls, of_subagent, [], threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, kind, data):
        self.send_response(200); self.send_header("content-type", kind); self.send_header("content-length", str(len(data)))
        self.end_headers(); self.wfile.write(data)

    def do_HEAD(self):
        self.reply("text/plain", b"")

    def do_GET(self):
        self.reply("application/json", b"{}")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        if "/v1/messages" not in self.path or "count_tokens" in self.path:
            return self.reply("application/json", b'{"input_tokens": 10}')
        blocks, done = [{"type": "text", "text": "ok"}], 0
        in_subagent = any(role == "user" and kind == "text" and text.strip() == TASK for role, kind, text in texts(body))
        calls = (self.server.of_subagent or []) if in_subagent else self.server.calls
        # Titles and the like are asked for without tools; permissions may take one away, but not all.
        if body.get("tools"):
            if in_subagent == (self.server.of_subagent is not None):
                with self.server.lock:
                    self.server.requests.append(body)
            done = sum(1 for _, kind, _ in texts(body) if kind == "tool_result")
            if done < len(calls) and calls[done]:
                # Several calls of one turn are a list.
                several = calls[done] if isinstance(calls[done], list) else [calls[done]]
                blocks = [{"type": "tool_use", "id": f"toolu_{in_subagent:d}{done + nth:03}", "name": name, "input": given} for nth, (name, given) in enumerate(several)]
        stop = "tool_use" if blocks[0]["type"] == "tool_use" else "end_turn"
        usage = {"input_tokens": 10, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        # Answers with one id would be taken for one answer, and what came between them for what came after.
        message = {"id": f"msg_{in_subagent:d}{done:03}", "type": "message", "role": "assistant", "model": body.get("model", "m"), "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
        if not body.get("stream"):
            return self.reply("application/json", json.dumps({**message, "content": blocks, "stop_reason": stop}).encode())
        events = [{"type": "message_start", "message": message}]
        for index, block in enumerate(blocks):
            if stop == "tool_use":
                start, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            else:
                start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
            events += [{"type": "content_block_start", "index": index, "content_block": start}, {"type": "content_block_delta", "index": index, "delta": delta}, {"type": "content_block_stop", "index": index}]
        events += [{"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 1}}, {"type": "message_stop"}]
        self.reply("text/event-stream", "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events).encode())


def texts(request):
    """(role, kind, text) of every block, in order."""
    for message in request["messages"]:
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            inner = block.get("content", "") if block["type"] == "tool_result" else block.get("text", "")
            if not isinstance(inner, str):
                inner = "".join(part.get("text", "") for part in inner)
            yield message["role"], block["type"], inner


def call(tool, path):
    """The call by which a tool reaches a file, and succeeds."""
    if tool == "edit":
        line = next((line for line in open(path, newline="").read().split("\n") if line), "")
        return "Edit", {"file_path": path, "old_string": line, "new_string": line + "!", "replace_all": True}
    if tool == "write":
        return "Write", {"file_path": path, "content": "Written.\n"}
    if tool == "shell":
        return "Bash", {"command": f"cat '{path}'", "description": "Shows a file"}
    return "Read", {"file_path": path}


def program(clients, ask):
    """How the client is started: that of the version which is asked for, if one is."""
    room = os.path.join(clients, f"claude-code-{ask.edition}") if re.fullmatch(r"\d+\.\d+\.\d+", ask.edition or "") else clients
    # Before 2.1.113 it was a script.
    binary = os.path.join(room, PROGRAM)
    return [binary] if os.path.exists(binary) else ["node", os.path.join(room, SCRIPT)]


def version(ask):
    return ask.edition or VERSION


def asked(case, ask):
    """The settings of the question, the words for the command line, and the kind of sub-agent that is asked."""
    settings = case.settings()
    args = list(case.options("claude-code").get("args", []))
    agent = ask.agent or settings.get("agent")
    subagent = (agent or "general-purpose") if [s for s in case.all("@session") if s.header.split()[1] == "subagent"] else None
    if agent and not subagent:
        args += ["--agent", agent]
    return args + (["--model", settings["model"]] if settings.get("model") else []), subagent


def run(clients, case, ask, calls, prompt="hi"):
    """The requests of a session that makes `calls`, or None when the client would not start."""
    args, subagent = asked(case, ask)
    # Else some versions have the model judge of it first.
    if subagent or any(name != "Read" for name, _ in calls):
        args += ["--permission-mode", "bypassPermissions"]
    start = [("Agent", {"description": "A task", "prompt": TASK, "subagent_type": subagent, "run_in_background": False})]
    model = Model(start if subagent else calls, calls if subagent else None)
    client = subprocess.Popen([*casefile.OBEYING, *program(clients, ask), "-p", prompt, *args], cwd=ask.cwd, env=variables(case, model), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    try:
        out, err = client.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        os.killpg(client.pid, signal.SIGKILL); raise
    finally:
        model.shutdown(); model.server_close()
    if os.environ.get("CLAUDE_CODE_OUTPUT"):
        os.write(2, out + err)
    if model.requests and os.environ.get("CLAUDE_CODE_RAW"):
        for role, kind, text in texts(model.requests[-1]):
            os.write(2, f"=== {role} {kind}\n{text}\n".encode("utf-8", "surrogatepass"))
    return model.requests or None


def variables(case, model):
    """What the client runs with."""
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": case.home(), "SHELL": "/bin/bash", "LANG": "C.UTF-8", "TERM": "dumb", "TZ": "UTC", "USER": "user",
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{model.server_address[1]}", "ANTHROPIC_API_KEY": "none", "IS_SANDBOX": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1",
            "HTTP_PROXY": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1,localhost", **case.env()}


class Session:
    """A session in one process, step by step, for unfold.py."""

    def __init__(self, clients, case, ask):
        self.clients, self.case, self.ask, self.model = clients, case, ask, Model([], None)

    def __enter__(self):
        os.makedirs(self.case.home(), exist_ok=True)
        self.start()
        return self

    def __exit__(self, *_):
        self.stop(); self.model.shutdown(); self.model.server_close()

    def start(self, *more):
        words = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--permission-mode", "bypassPermissions", *asked(self.case, self.ask)[0], *more]
        self.client = subprocess.Popen([*casefile.OBEYING, *program(self.clients, self.ask), *words], cwd=self.ask.cwd, env=variables(self.case, self.model),
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)

    def stop(self):
        self.client.stdin.close(); self.client.stdout.read(); self.client.wait(60); self.client.stdout.close()

    def turn(self, said):
        """The request that it led to last."""
        message = {"type": "user", "message": {"role": "user", "content": said}}
        self.client.stdin.write(json.dumps(message).encode() + b"\n"); self.client.stdin.flush()
        for line in self.client.stdout:
            if os.environ.get("CLAUDE_CODE_OUTPUT"):
                os.write(2, line)
            if json.loads(line).get("type") == "result":
                return self.model.requests[-1] if self.model.requests else None
        return None

    def hello(self):
        return self.turn("hi")

    def calls(self, *calls):
        done = sum(kind == "tool_result" for _, kind, _ in texts(self.model.requests[-1]))
        self.model.calls = [None] * done + list(calls)
        return self.hello()

    def at(self, path):
        return os.path.join(os.path.realpath(self.ask.cwd), path)

    def read(self, path):
        return self.calls(call("read", self.at(path)))

    def edit(self, path):
        return self.calls(call("edit", self.at(path)))

    def write(self, path):
        return self.calls(call("write", self.at(path)))

    def shell(self, command):
        return self.calls(("Bash", {"command": command, "description": "Runs a command"}))

    def skill(self, name):
        return self.calls(("Skill", {"skill": name}))

    def mention(self, path):
        return self.turn(f'hi @"{path}"')

    def together(self, steps):
        """Readings, in one turn of the model."""
        return self.calls([call("read", self.at(step.removeprefix("read:"))) for step in steps.split(" + ")])

    def compact(self):
        # The next turn makes no call again that the summary took.
        self.model.calls = []
        self.turn("/compact")
        return self.hello()

    def resume(self):
        self.stop(); self.start("--continue")
        return self.hello()


def called(clients, case, ask):
    """What stands behind the answer to a call of the Skill tool, or what a command becomes that the user types."""
    if ask.calling.startswith("/"):
        with Session(clients, case, ask) as session:
            told = [text for role, kind, text in texts(session.turn(ask.calling)) if (role, kind) == ("user", "text")]
        head = max((i for i, text in enumerate(told) if text.startswith("<command-message>")), default=len(told))
        is_own = ask.calling[1:].split()[0] in OWN and not any(ask.calling[1:].split()[0] in s.header for s in case.sections if not s.word.startswith("@"))
        return [("call", "user", casefile.sized(text) if is_own and i else text) for i, text in enumerate(told[head:])]
    with Session(clients, case, ask) as session:
        session.hello()
        told = list(texts(session.skill(ask.calling)))
    last = [i for i, (_, kind, _) in enumerate(told) if kind == "tool_result"][-1]
    return [("call", role, text) for role, _, text in told[last + 1:] if role == "user"]


def session(clients, case, ask):
    """The requests of the session that a question is about, and whether its file is reached by a tool."""
    path = lambda name: os.path.join(os.path.realpath(ask.cwd), name)
    # The client attaches files to a failed reading too, but a question is about a successful one.
    exists = lambda name: os.path.exists(path(name)) or os.path.exists(os.path.normpath(path(name)))
    reached = bool(ask.reading) and (exists(ask.reading) or ask.tool == "write")
    calls = [call("read", path(name)) for name in ask.already + ask.after] if reached else []
    if reached and ask.tool == "mention":
        return run(clients, case, ask, [], f'hi @"{path(ask.reading)}"'), False
    calls += [call(ask.tool, path(ask.reading))] if reached else []
    return run(clients, case, ask, calls), reached


def ask(clients, case, ask):
    requests, reached = session(clients, case, ask)
    if requests is None:
        return "refused"
    blocks = lambda text: [found[1]] if (found := BLOCK.fullmatch(text)) else []
    boxed = lambda trigger, role, text: [(trigger, role, bare if handed else box) for box, handed, bare in BOXED.findall(text)]
    messages, attached = [], []
    for role, kind, text in texts(requests[0]):
        if role == "user" and kind == "text" and not messages:
            attached += [("attach", "user", found) for found in MENTION.findall(text)]
            attached += [("attach", "user", block) for block in blocks(text) if block.startswith("<system-reminder>\nContents of ")]
            messages += [("session", "user", casefile.on_the_day(block)) for block in blocks(text) if "\n\nContents of " in block and not MENTION.fullmatch(text) and not block.startswith("<system-reminder>\nContents of ")]
        if role == "system" and ask.tool == "mention":
            attached += boxed("attach", role, text) or [("attach", role, found) for found in AMONG.findall(text)]
    messages = [one for one in attached if one[1] == "user"] + messages + [one for one in attached if one[1] == "system"]
    if not reached:
        return messages
    told = list(texts(requests[-1]))
    last = [i for i, (_, kind, _) in enumerate(told) if kind == "tool_result"][-1]
    messages += boxed("read", "tool", told[last][2])
    for role, kind, text in told[last + 1:]:
        if role == "user":
            messages += [("read", "user", block) for block in blocks(text) if block.startswith("<system-reminder>\nContents of ")]
            # What a hook says before the tool is called keeps AGENTS.md files out of its answer, too.
            messages += [("read", "user", found) for block in blocks(text) for found in HANDED_OVER.findall(block)]
        else:
            messages += boxed("read", role, text) or [("read", role, found) for found in BARE.findall(text)[:1]]
    return messages


def skills(clients, case, ask):
    """The entries of skills and commands that the case has; the client's own are listed beside them."""
    known = {name for s in case.sections for name in re.findall(r"([^/]+)(?:\.md|/SKILL\.md)$", s.header.split(" ")[0])}
    own = [name for name in OWN if name not in known]
    requests, reached = session(clients, case, ask)
    found = []
    for trigger, request in [("session", requests[0]), ("read", requests[-1])][:2 if reached else 1]:
        told = list(texts(request))
        if trigger == "read":
            told = told[[i for i, (_, kind, _) in enumerate(told) if kind == "tool_result"][-1]:]
        lists = [listed for role, kind, text in told if kind == "text" for listed in LIST.findall(text)][:1]
        entries = [entry for listed in lists for entry in re.split(r"\n(?=- )", listed)]
        ours = [entry for entry in entries if not any(re.match(rf"- {name}(:|$)", entry) for name in own)]
        found += [(trigger, "user", "\n".join(ours))] if ours else []
    return found


STYLE = re.compile(r"^# Output Style: .*?(?=\n\nThe following (?:deferred|MCP) |\n\n# MCP Server Instructions|\n\nAvailable agent types |\n\nThe following skills |\n\nToday's date is |\n</system-reminder>|\Z)", re.S | re.M)
AGENTS = re.compile(r"Available agent types for the Agent tool:\n(.*?)(?=\n\nWhen you launch multiple agents|\n\n|\n</system-reminder>|\Z)", re.S)
OWN_AGENTS = ["claude", "Explore", "general-purpose", "Plan", "statusline-setup"]
OWN_STYLES = ["Explanatory", "Learning", "Proactive"]
MEMORY = "\n\n## MEMORY.md\n\n"


def layers(clients, case, ask):
    """What stands beside the files: the prompt of the user's own agent and its memory, texts of the command line, the output style, and
    the user's own in the list of agents."""
    requests, _ = session(clients, case, ask)
    if requests is None:
        return "refused"
    args, subagent = asked(case, ask)
    value = lambda name: next((args[i + 1] for i, arg in enumerate(args) if arg == name), None)
    prompt = "\n".join(block["text"] for block in requests[0]["system"][2:])
    found = []
    appended = value("--append-system-prompt")
    if file := value("--append-system-prompt-file"):
        appended = open(file).read()
    if not (subagent and appended and not prompt.endswith("\n\n" + appended)) and appended:
        assert prompt.endswith("\n\n" + appended), prompt[-200:]
        prompt = prompt.removesuffix("\n\n" + appended)
    else:
        appended = None
    own = value("--agent") if not subagent else subagent
    if own and own not in OWN_AGENTS:
        body, _, memory = prompt.partition("\n\n# Persistent Agent Memory\n")
        if subagent:
            body, memory = (text.split("\n\nMessages from the agent that launched you ")[0] for text in (body, memory))
        found += [("session", "system agent", body)] if body else []
        found += [("session", "system agent", memory.split(MEMORY)[1])] if MEMORY in memory and "is currently empty" not in memory.split(MEMORY)[1] else []
    if value("--system-prompt"):
        found.append(("session", "system developer", prompt))
    if appended:
        found.append(("session", "system developer", appended))
    for role, kind, text in texts(requests[0]):
        if kind == "text":
            found += [("session", f"{role} developer", style) for style in STYLE.findall(text) if style.split("\n")[0][16:] not in OWN_STYLES]
            entries = [entry for listed in AGENTS.findall(text) for entry in re.split(r"\n(?=- )", listed)]
            ours = [entry for entry in entries if entry[2:].split(":")[0] not in OWN_AGENTS]
            found += [("session", f"{role} agents", "\n".join(ours))] if ours else []
    return found


def agents(clients, case, ask):
    """The names in the list of agents."""
    told = [text for _, kind, text in texts(session(clients, case, ask)[0][0]) if kind == "text"]
    return [name for text in told for listed in AGENTS.findall(text) for name in re.findall(r"^- ([^\n]+?): ", listed, re.M)]


# Random trees.

NAMES = ["CLAUDE.md", "CLAUDE.md", "CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.md", ".claude/AGENTS.md",
         ".claude/rules/a.md", ".claude/rules/b.md", ".claude/rules/sub/c.md", ".claude/rules/d.md"]
DIRS = ["a", "b", "s", "src", "d.x", "é"] * 4 + ["a b", "[x]", "e\u0301", ".hid", "-", "#h", "(p)", "{a,b}", "A", "node_modules", "a*", "!s", "x+y", "\U0001f600"]
NOTES = ["i.md", "j.md", "k.txt", "l.rs", "docs/m.md", "README", ".env", "n.svg"] * 3 + ["a b.md", "e\u0301.md", "ü.md", "[x].md", "-x.md", "_y.md", "(p).md", "x.MD", "a.b.md", ".md", "x", "a#b.md", "~.md", "%20.md", "n.mdx", "a  b.md"]
PATHS = ["*.txt", "src", "src/**", "**/*.txt", "/x.txt", "x.txt", "*.{txt,md}", "a/*", "**/s/**", "!x.txt", "*", "**", "/**", "s/x.txt", "b/**/x.txt", "X.TXT", "[a-z].txt",
         "./x.txt", "../x.txt", "a, src", "{a,b}/**", "?.txt", "src/", "*.rs", "**/src/*", "a/**/s", "**/", "/*", "*/x.txt", "a/b/x.txt", "é/**"]
MARKDOWN = ["%s", "%s", "see %s for more", "- %s", "- see `%s`", "> %s", "`%s`", "**%s**", "    %s", "# %s", "1. a\n\n   %s", "```\n%s\n```", "<!-- %s -->", "<!-- c --> %s", "(%s)",
            "text\n    %s", "[x](%s)", "[%s](x)", "| %s | b |", "<div>\n%s\n</div>", "a <b>%s</b>", "*a* %s.", "%s,", "~~%s~~", "* a\n  * %s", "\t%s", "_%s_", "- a\n\n      %s", "\\%s",
            "[y]: %s", "a\n===\n%s", "x <!-- c --> %s", "%s#part", "a %s"]
HEADS = ["paths: 5", "paths: true", "paths: null", "paths: ~", "paths: {a: b}", "paths: [5, '*.txt']", "paths: [[s/**], x.txt]", "paths:\n- s/**\n- '*.md'", "paths:\n    - s/**", "paths:\n\t- s/**", "paths: |\n  s/**\n  x.txt", "paths: >-\n  s/**,\n  x.txt", "paths: &p ['*.txt']\nx: *p", "paths: !!str s/**",
         "paths : s/**", " paths: s/**", "Paths: s/**", "\"paths\": s/**", "? paths\n: s/**", "paths: s/** # c", "paths:s/**", "paths: 's/**", "paths: \"s/**\\n\"", "- paths: s/**", "just text", "{paths: s/**}", "paths: s/**\npaths: zzz", "paths: ,", "paths: ' '", "paths: ['']", "paths: [s/**, '**']", "paths: \"!s/**\"", "paths: '**/**'", "paths: a/**, **",
         "paths: {s,a}/*.txt", "paths: \"{s,a}/**\"", "paths: \"*.{txt\"", "paths: \"[xs]*.txt\"", "paths: \"\\\\*.txt\"", "paths: *.txt, s/**", "paths: @s", "paths: `s`", "paths: %s", "paths: 2024-01-01", "paths: 1.5", "paths: -", "paths:\n  -\n  - s/**", "paths:\n  - s/**: x", "paths: s/**\n...\nx: y", "globs: s/**", "path: s/**", "paths: s/** \t", "paths: \"s/**\" x", "paths: [s/**", "paths: s/**]", "# c\npaths: s/**", "", "\n", "paths: \u00a0s/**"]
LAYERS = [{"env": {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}}, {"env": {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": 0}}, {"env": {"CLAUDE_CONFIG_DIR": "/c"}}, {"env": {"CLAUDE_CODE_DISABLE_CLAUDE_MDS": "no"}}, {"env": {"CLAUDE_CODE_SAFE_MODE": True}}, {"env": ["x"]}, {"claudeMd": "From settings @i.md"}, {"model": 5}, {"model": "m"}, {"permissions": []}, {"claudeMdExcludes": "x"}, {"claudeMdExcludes": [5]},
          {"autoMemoryEnabled": "no"}, {"autoMemoryEnabled": False}, {"autoMemoryDirectory": 5}, {"autoMemoryDirectory": "mem"}, {"autoMemoryDirectory": "~/mem"}, {"enabledPlugins": []}, {"enabledPlugins": {"agents-md@builtin": None}}, {"pluginConfigs": {"agents-md@builtin": {"options": {"instructionFiles": ["x"]}}}}, {"pluginConfigs": {"agents-md@builtin": {"options": {"instructionFiles": ""}}}}, {"zzz": {}}, {"hooks": {}}] + [{"permissions": {"deny": [rule]}} for rule in ["Read(CLAUDE.md)", "Read(./AGENTS.md)", "Read(/i.md)", "Read(//r/**)", "Read(~/**)", "Read(s/**)", "Read(.claude/**)", "Read(*.md)", "Edit(CLAUDE.md)", "Read", "Read(/.claude/rules/*)", "Read(**/x.txt)", "Read(i?.md)"]]
JUNK = ["", "{", "null", "[]", "// c\n{}", "{'a': 1}", "{\"claudeMdExcludes\": [\"/r/**\"],}", "\ufeff{\"claudeMdExcludes\": [\"/r/*/CLAUDE.md\"]}", "{} {}", " \n"]
BYTES = ["\\xff", "\\x00", "\\r", "\\xc3", "\\xed\\xa0\\x80", "\\x0c", "\\x0b", "\\xe2\\x80\\xa8", "\\xc2\\x85", "\\xef\\xbb\\xbf", "\\x1b[0m"]
SETTINGS = ["/h/.claude/settings.json"] * 4 + ["/r/.claude/settings.json", "/r/.claude/settings.local.json", "/etc/claude-code/managed-settings.json"]
MODES = ["claude-md-or-agents-md", "claude-md-and-agents-md", "claude-md-and-agents-md", "claude-md-and-agents-md", "claude-md", "managed-only", "none"]


SOUP = ["word ", "\n", "\n\n", "  ", "    ", "\t", "- ", "* ", "+ ", "1. ", "2) ", "> ", "# ", "### ", "`", "``", "```", "```\n", "~~~\n", "*", "**", "_", "__", "~~", "~", "<!-- ", " -->", "<!--\n", "-->\n", "<div>", "</div>\n", "<b>", "</b>", "<br/>", "<x @", "<?", "?>", "<!A", "<![CDATA[",
        "]]>", "<script>\n", "</script>", "<pre>", "</pre>\n", "[", "](", ")", "]: ", "![", "](x)", "[x]", "| a | b |\n| - | - |\n", "| ", " |", "|---|\n", "===\n", "---\n", "***\n", "\\", "&amp;", "- [ ] ", "- [x] ", "<a@b.c>", "https://x.y/", "www.x.y ", "me@x.y ", "\\\n", "  \n", "é ",
        "\u00a0", "(", "\"", "'", ":", "\r\n", "</system-reminder>", "<system-reminder>", "\u2028", "1.\n", "-\n", "   - ", "      ", "\n> ", "\n  ", "\n    ", "\n\n    ", "\n- ", "\n\t", "<https://x>", "[^1]: ", "[^1]", "$", "a\n| b\n", "term\n: d\n"]


def soup(r, count):
    """Markdown of any shape, in which every import that counts is there to be seen."""
    parts = []
    for _ in range(r.randint(4, 30)):
        k = r.random()
        parts.append(f"{r.choice(['', ' ', ' ', chr(10)])}@i{r.randrange(count)}.md{r.choice(['', ' ', ' ', chr(10), chr(10) * 2])}" if k < .3 else r.choice(SOUP))
    return "".join(parts)


def long(r):
    """A text near one of the limits."""
    k = r.random()
    if k < .5: return "".join(f"{'- ' if n % 3 else ''}Line {n} {'x' * r.choice([0, 3, 90])}{' y' * r.choice([0, 0, 40])}\n" for n in range(r.choice([150, 199, 200, 201, 260, 700])))
    if k < .8: return "é" * r.choice([24999, 25000, 25001, 60000]) + r.choice(["", "\n", "\nend\n"])
    return "\n".join(["w" * r.choice([10, 200, 2000])] * r.choice([10, 75, 190, 1000])) + "\n"


class Tree:
    """The sections of a case; a path is taken once, and never below something that is no directory."""

    def __init__(self, r):
        self.r, self.sections, self.taken, self.above, self.count = r, [], {}, set(), 0

    def add(self, header, body="", path=None):
        path = path or header
        way, above = os.path.dirname(path), set()
        while way != "/":
            above.add(way); way = os.path.dirname(way)
        if path in self.taken or path in self.above or any(a in self.taken for a in above):
            return False
        self.taken[path] = True
        self.above |= above
        self.sections.append((header, body))
        return True

    def word(self, directory):
        """An import from `directory`, mostly of a file there is."""
        r = self.r
        files = [p for p in self.taken if not p.endswith((".json", ".git/HEAD"))]
        target = r.choice(files) if files and r.random() < .85 else f"/r/{r.choice(NOTES)}"
        k = r.random()
        if k < .6: path = os.path.relpath(target, directory)
        elif k < .75: path = "./" + os.path.relpath(target, directory)
        elif k < .85: path = target
        elif k < .9: path = "~/" + os.path.relpath(target, "/h")
        else: path = r.choice(["../gone.md", "nothing.md", "user", "~", "a b.md", "x@y.md", "./", target + ".", target.upper()])
        return "@" + path.replace(" ", "\\ ")

    def text(self, directory, importing=True):
        r = self.r
        self.count += 1
        parts = [f"File {self.count}."] if r.random() < .93 else []
        if importing and r.random() < .45:
            parts += [r.choice(MARKDOWN) % self.word(directory) for _ in range(r.choice([1, 1, 2, 4]))]
        if r.random() < .15:
            parts.insert(r.randrange(len(parts) + 1), r.choice(["<!-- c -->", "<!-- c\nd -->", "<!-- c --> e", "- <!-- c -->", "<!-- open", "a <!-- c --> b", "<!-- a --> <!-- b -->", "</system-reminder>"]))
        r.random() < .2 and r.shuffle(parts)
        text = r.choice(["\n", "\n", "\n\n"]).join(parts) + r.choice(["\n", "\n", "", "\n\n", " \n"])
        return r.choice(["", "", "", "", "", "\n", "  "]) + text

    def front(self, rule):
        r = self.r
        if r.random() > (.55 if rule else .08):
            return ""
        if r.random() < .35: return f"---\n{r.choice(HEADS)}\n---\n" + r.choice(["", "\n"])
        paths = r.sample(PATHS, r.choice([1, 1, 1, 2, 3]))
        quote = lambda p: json.dumps(p, ensure_ascii=False)
        value = r.choice([", ".join(paths), quote(", ".join(paths)), "[" + ", ".join(map(quote, paths)) + "]", "\n" + "\n".join("  - " + quote(p) for p in paths), paths[0], "'" + paths[0] + "'",
                          "[" + ", ".join(paths) + "]", "", "[]"])
        lines = [f"paths: {value}"] + r.sample(["description: x", "description: a: b", "alwaysApply: false", "x: *y", "globs: '*.py'", "# c", "title: \"a"], r.choice([0, 0, 1]))
        r.shuffle(lines)
        return "---\n" + "\n".join(lines) + "\n---\n" + r.choice(["", "\n"])

    def file(self, path, importing=True):
        r, directory = self.r, os.path.dirname(path)
        text = self.front("/rules/" in path) + self.text(directory, importing)
        k = r.random()
        if k < .82 and not text.startswith("-- "): return self.add(path, text if text.endswith("\n") else text + "\n")
        data = text.replace("\\", "\\\\").replace("\n", r.choice(["\\n", "\\n", "\\r\\n", "\\r"]))
        if r.random() < .3:
            at = r.choice([n for n in range(len(data) + 1) if not data[:n].endswith("\\")])
            data = data[:at] + r.choice(BYTES) + data[at:]
        if k < .9: return self.add(path + " | raw", r.choice(["", "", "\\xef\\xbb\\xbf"]) + data + "\n", path)
        if k < .94 and self.taken:
            target = r.choice(list(self.taken))
            return self.add(f"{path} -> {r.choice([target, os.path.relpath(target, directory)])}", "", path)
        if k < .95: return self.add(f"{path} -> {r.choice(['gone', os.path.basename(path), '..'])}", "", path)
        if k < .96: return self.add(path + " | device", "", path)
        if k < .97: return self.add(path, r.choice(["", " \n", "<!-- c -->\n", "---\na: b\n---\n"]))
        return self.add(path, text if text.endswith("\n") else text + "\n")


def skill_or_command(r, tree, directory):
    """A skill or a command, with a head or without."""
    name = r.choice(["one", "two", "three", "init", "é", "a b", "sub/one", "sub/four", "s/t/u"])
    heads = [f"description: {r.choice(['Short', 'L' + 'o' * 60, 'Wide 漢字 ' * 5, 'With <tags> & more'])}", "when_to_use: W", "name: other", "disable-model-invocation: true", "paths: '*.txt'", "model: haiku"]
    head = "".join(line + "\n" for line in r.sample(heads, r.choice([0, 1, 1, 2])))
    text = (f"---\n{head}---\n" if head or r.random() < .2 else "") + r.choice(["Body.\n", "# Title\nBody.\n", "", "b" * 120 + "\n"])
    if r.random() < .5: tree.add(f"{directory}/.claude/skills/{name.replace('/', '-')}/SKILL.md", text)
    else: tree.add(f"{directory}/.claude/commands/{name}.md", text)


def generate(r):
    from casefile import Case, Section
    tree, env, args = Tree(r), {}, []
    levels = ["/r"]
    for _ in range(r.choice([0, 1, 1, 2, 3])):
        levels.append(levels[-1] + "/" + r.choice(DIRS))
    below = [levels[-1]]
    for _ in range(r.choice([0, 1, 2, 3])):
        below.append(below[-1] + "/" + r.choice(DIRS))
    k = r.random()
    if k < .5: tree.add(r.choice(levels) + "/.git/HEAD", "ref: refs/heads/main\n")
    elif k < .6:
        main, top = r.choice([(levels[0], levels[-1]), ("/main", levels[0])])
        if main != top:
            tree.add(main + "/.git/HEAD", "ref: refs/heads/main\n")
            tree.add(main + "/.git/worktrees/w/gitdir", top + "/.git\n"); tree.add(main + "/.git/worktrees/w/commondir", "../..\n"); tree.add(main + "/.git/worktrees/w/HEAD", "ref: refs/heads/w\n")
            tree.add(top + "/.git", f"gitdir: {main}/.git/worktrees/w\n")
    for _ in range(r.randint(0, 4)):
        tree.file(r.choice(levels + below + ["/r/docs", "/h", "/out", "/h/.claude"]) + "/" + r.choice(NOTES), r.random() < .4)
    calm = r.random() < .3
    for _ in range(r.randint(1, 9)):
        name = r.choice(NAMES)
        if calm and "CLAUDE" in name: name = r.choice(["AGENTS.md", ".claude/AGENTS.md", ".claude/rules/e.md"])
        tree.file(r.choice(levels + below * 2) + "/" + name)
    home = r.choice(["/h", "/h", "/h", levels[0]])
    if r.random() < .35: tree.file(home + "/.claude/CLAUDE.md")
    if r.random() < .25: tree.file(home + "/.claude/rules/u.md")
    if r.random() < .12: tree.file("/etc/claude-code/CLAUDE.md")
    if r.random() < .08: tree.file("/etc/claude-code/.claude/rules/m.md")
    if r.random() < .05: tree.file("/CLAUDE.md")
    if r.random() < .08:
        directory, target = r.choice(levels + below), r.choice(levels + below + ["/out", "/h/.claude/rules"])
        tree.add(f"{directory}/.claude/rules/{r.choice(['ln', 'a'])} -> {target}", "", f"{directory}/.claude/rules/{'ln'}")
    if r.random() < .06:
        directory, name = r.choice(levels + below), r.choice([".claude", ".claude/rules", "door", "door"])
        tree.add(f"{directory}/{name} -> {r.choice(levels + below + ['/out', '/out/.claude', '/h/.claude', '.', 's'])}", "", f"{directory}/{name}")
    root = r.choice(levels)
    memory = f"{home}/.claude/projects/{re.sub('[^a-zA-Z0-9]', '-', root)}/memory/MEMORY.md"
    k = r.random()
    if k < .06: tree.add(memory, long(r))
    elif k < .24: tree.file(memory)
    if r.random() < .35:
        places = [d + "/" + r.choice(["CLAUDE.md", "CLAUDE.md", "AGENTS.md", ".claude/rules/a.md", "CLAUDE.local.md"]) for d in dict.fromkeys([levels[-1], r.choice(levels + below)])]
        for place in places:
            tree.taken.pop(place, None)
            tree.sections = [section for section in tree.sections if section[0].split(" | ")[0].split(" -> ")[0] != place]
            text = soup(r, 12)
            tree.add(place + " | raw", r.choice(["", "", "", "---\\na: b\\n---\\n"]) + text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r") + "\n", place)
            for n in range(12): tree.add(f"{os.path.dirname(place)}/i{n}.md", r.choice([f"Import {n}.\n", f"Import {n}.\n", f"Import {n} @i{(n + 1) % 12}.md\n", f"Import {n} <!-- c -->\n", "\n"]))
    if r.random() < .1:
        many = r.choice(below) + r.choice(["/CLAUDE.md", "/AGENTS.md"])
        tree.add(f"{many} * {r.choice([3000, 9000, 12000, 16700])}", r.choice(["Many lines.\n", "Many lines, many.\n\n"]), many)
    if r.random() < .2:
        tree.add(home + "/.claude.json", json.dumps({"projects": {r.choice(levels): {"hasClaudeMdExternalIncludesApproved": r.choice([True, True, False])}}}) + "\n")
    if r.random() < .3:
        settings = {}
        if r.random() < .5:
            files = list(tree.taken) or ["/r/x"]
            globs = ["**/{a,b}/**", "**/[a-m]*.md", "!/r/**", "/r/**/CLAUDE.md", "**/.claude/**", "/h/**", "**/*.local.md", "**/@(AGENTS|CLAUDE).md", "/r/?/*", r.choice(files) + "/", r.choice(files).upper(), r.choice(files), "**/" + os.path.basename(r.choice(files)), os.path.dirname(r.choice(files)) + "/**", os.path.dirname(r.choice(files)) + "/*", "**/rules/*.md", "*.md", "/r/*/CLAUDE.md"]
            settings["claudeMdExcludes"] = r.sample(globs, r.choice([1, 1, 2]))
        if r.random() < .6: settings["pluginConfigs"] = {"agents-md@builtin": {"options": {"instructionFiles": r.choice(MODES)}}}
        if r.random() < .06: settings["enabledPlugins"] = {"agents-md@builtin": r.choice([True, False])}
        if r.random() < .05: settings["autoMemoryDirectory"] = r.choice(["~/mem", "/h/mem", "mem", "~"]); tree.file("/h/mem/MEMORY.md")
        if r.random() < .05: settings["autoMemoryEnabled"] = r.choice([True, False])
        tree.add(r.choice(SETTINGS).replace("/h/", home + "/"), json.dumps(settings, ensure_ascii=False) + "\n")
    if r.random() < .15:
        for _ in range(r.choice([1, 1, 2])):
            place = r.choice(SETTINGS + [levels[-1] + "/.claude/settings.json", levels[-1] + "/.claude/settings.local.json", "/etc/claude-code/managed-settings.d/a.json", "/etc/claude-code/managed-settings.d/B.json", "/c/settings.json"]).replace("/h/", home + "/")
            junk = r.choice(JUNK) if r.random() < .25 else json.dumps(dict(item for layer in r.sample(LAYERS, r.choice([1, 1, 2])) for item in layer.items()))
            tree.add(place, junk + "\n")
        tree.file("/c/CLAUDE.md")
    k = r.random()
    if k < .04: args = ["--setting-sources", r.choice(["user", "project", "local", "user,project", "project,local"])]
    elif k < .08: args, env["CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD"] = ["--add-dir", "/out"], "1"; tree.file("/out/CLAUDE.md"); tree.file("/out/.claude/rules/o.md")
    elif k < .1: env["CLAUDE_CONFIG_DIR"] = r.choice(["/c", home + "/.claude", "/r/.claude"]); tree.file("/c/CLAUDE.md")
    elif k < .11: env[r.choice(["CLAUDE_CODE_DISABLE_CLAUDE_MDS", "CLAUDE_CODE_DISABLE_AUTO_MEMORY", "CLAUDE_CODE_SAFE_MODE"])] = r.choice(["1", "true", "0", "ON"])
    for _ in range(r.choice([0, 0, 1, 2, 4])):
        skill_or_command(r, tree, r.choice(levels + below + ["/h", "/h", "/etc/claude-code", "/out"]).replace("/h", home))
    for _ in range(r.choice([0, 0, 0, 1, 2])):
        extra = r.choice(["", "", "omitClaudeMd: true\n", "omitClaudeMd: 'true'\n", "omitClaudeMd: no\n", "tools: Read\n", "tools: Read, Skill\n", "disallowedTools: Skill\n"])
        tree.add(f"{r.choice(levels + ['/h', '/out']).replace('/h', home)}/.claude/agents/{r.choice('xyz')}.md", f"---\nname: {r.choice(['one', 'two', 'Explore'])}\ndescription: d\n{extra}---\nYou are it.\n")
    if r.random() < .12:
        below.append(r.choice(levels + below) + "/.claude/worktrees/" + r.choice(["w", "v"]))
        below += [below[-1] + "/s"] if r.random() < .5 else []
        for _ in range(3): tree.file(r.choice(below[-2:]) + "/" + r.choice(NAMES))
    if r.random() < .1: env["SLASH_COMMAND_TOOL_CHAR_BUDGET"] = str(r.choice([6000, 6200, 6300, 6400, 6600, 7000]))
    if r.random() < .06: args = args + [r.choice(["--disallowedTools=", "--disallowed-tools="]) + r.choice(["Read", "Read(*)", "Read()", "Bash,Read", "Skill", "Read(**/CLAUDE.md)"])]
    if r.random() < .05: args = args + [f"--add-dir={r.choice(['/out', levels[0]])}"]
    start = levels[-1] if " " not in levels[-1] else levels[0]
    words = f"claude-code from {start}"
    if r.random() < .75:
        target = r.choice(below[-1:] * 4 + below + levels + ["/out"]) + "/" + r.choice(["x.txt", "x.txt", "x.rs", "y.md"])
        tree.add(target, "x\n")
        if target not in tree.taken and r.random() < .5: target = r.choice(list(tree.taken))
        if r.random() < .04: target = r.choice(below)
        if r.random() < .06:
            door = start + "/door2"
            if tree.add(f"{door} -> {r.choice([os.path.dirname(target), '/out'])}", "", door): target = f"{door}/{os.path.basename(target)}"
        words += f" reading {target}"
        if " " in words.removeprefix("claude-code from ").replace(" reading ", ""): words = f"claude-code from {levels[0]}"
        elif r.random() < .3: words += f" by {r.choice(['edit', 'write', 'shell', 'mention'])}"
    session = r.random() < .2
    if session and r.random() < .8: words += f" as {r.choice(['Explore', 'Plan', 'general-purpose', 'claude', 'explore'])}"
    tree.add(start + "/keep.txt", "x\n")
    sections = [Section(header, body) for header, body in tree.sections]
    if home != "/h": sections.append(Section(f"@home {home}"))
    if session: sections.append(Section("@session subagent"))
    sections += [Section(f"@env {k}={v}") for k, v in env.items()]
    if args: sections.append(Section("@settings", json.dumps({"options": {"claude-code": {"args": args}}}) + "\n"))
    return Case("", sections), words
