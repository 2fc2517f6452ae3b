#!/usr/bin/env python3
"""Runs sessions of real clients against a mock model, and keeps what the client recorded of them beside what it sent.

usage: recorded.py --clients DIR tests/records/CLIENT/CASE.txt...

A case of a record is a case file (casefile.py) with one question more:
  @recorded ASK then STEP…   a session of steps `read:PATH`, `edit:PATH`, `write:PATH`, `skill:NAME`, `subagent:NAME`, `compact`, `resume` and
                             `change:PATH` (the file then holds the body of `@then PATH`)
What is written behind it:
  @record PATH               the lines of a record as the client wrote them; long texts that hold none of the case's own are cut
                             to `(N characters)`, wherever they stand, and so is of a client's own prompt what is not beside one
  @turn STEP RECORD LINES    the texts of the step's last request that hold something of the case's instruction files, each
                             behind a line `>>> ROLE`; LINES of that record were written when the step was over
Where a client keeps a database, its tables stand in the record as lines of JSON, by `DATABASES`.
"""
import argparse, glob, json, os, re, sqlite3, subprocess, sys, tempfile, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import casefile, record
from chat_model import TASK

# Where the records of a client lie, from its home directory.
RECORDS = {"claude-code": [".claude/projects/*/*.jsonl", ".claude/projects/*/*/subagents/*.jsonl"], "codex": [".codex/sessions/*/*/*/*.jsonl"],
           "copilot-cli": [".copilot/session-state/*/events.jsonl"], "gemini-cli": [".gemini/tmp/*/chats/session-*", ".gemini/tmp/*/.project_root"],
           "droid": [".factory/sessions/*/*.jsonl"], "kimi-code": [".kimi-code/sessions/*/*/agents/*/wire.jsonl"], "pi": [".pi/agent/sessions/*/*.jsonl"], "grok-build": [".grok/sessions/*/*/chat_history.jsonl"], "mistral-vibe": [".vibe/logs/session/unified/*/journal/*.jsonl"],
           "qwen-code": [".qwen/projects/*/chats/*.jsonl", ".qwen/tmp/*/chats/*"]}
# What is read of the database of a client: its sessions, the one that was begun last at the end, and the lines of one; as the reader does.
DATABASES = {"opencode": ".local/share/opencode/opencode.db", "kilo": ".local/share/kilo/kilo.db", "hermes": ".hermes/state.db"}
SESSIONS = """select id, json_object('session', id, 'parent', parent_id, 'directory', directory, 'version', version, 'created', time_created,
 'updated', time_updated) from session order by parent_id is not null, time_created"""
PARTS = """select json_object('created', p.time_created, 'role', json_extract(m.data, '$.role'), 'summary', json_extract(m.data, '$.summary'),
 'part', json(p.data)) from part p join message m on m.id = p.message_id where p.session_id = ? order by m.time_created, m.id, p.id"""
HERMES_SESSIONS = """select id, json_object('session', id, 'parent', parent_session_id, 'directory', cwd, 'created', cast(started_at * 1000 as integer),
 'updated', cast(ended_at * 1000 as integer)) from sessions order by parent_session_id is not null, started_at"""
HERMES_PARTS = """select line from (select -1 as at, json_object('prompt', system_prompt) as line from sessions where id = ?1
 union all select id, json_object('created', cast(timestamp * 1000 as integer), 'role', role, 'content', content,
 'calls', iif(json_valid(tool_calls), json(tool_calls), null), 'compacted', compacted) from messages where session_id = ?1) order by at"""
LONG = 300
# A text longer than this is a client's own prompt with texts of the case in it. What is kept of it are the lines beside these, and the
# lines that begin so, by which a reader finds them.
PROMPT, BESIDE = 3000, 3
MARKS = ["</tools>", "<system_notifications>", "| Pattern |", "<available_skills>", "</available_skills>", "<session_context>", "<loaded_context>", "</loaded_context>", "<system_reminder>",
         "<system-reminder>", "The applicable `AGENTS.md` instructions are:", "# Codebase and user instructions are shown below.", "% cat ", "<coding_guidelines>", "</coding_guidelines>",
         "--- Context from: ", "--- End of Context from: ", "Instructions from: ", "</env>", "Codebase and user instructions are shown below.", "You run on Hermes Agent", "# Project Context", "The following project context files have been"]


class Once:
    """A session of a client whose driver runs one process and no further: what the question itself reads or writes."""

    def __init__(self, clients, case, ask):
        self.asked, self.requests = (clients, case, ask), []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def hello(self):
        module = record.driver(self.asked[2].harness)
        if hasattr(module, "request"):
            return self.requests.append(module.request(*self.asked))
        # It keeps no session unless it is asked to.
        system = module.system(*self.asked, keep=True)
        # Where its own pages lie is a matter of this machine.
        self.requests.append({"system": re.sub(r"(?s)<docs>.*?</docs>", "", system or "")})


def claude_call(session, name, arguments):
    import claude_code
    done = sum(kind == "tool_result" for _, kind, _ in claude_code.texts(session.model.requests[-1]))
    session.model.calls = [None] * done + [(name, arguments)]
    return session.turn("go on")


def claude_edit(session, path):
    import claude_code
    return claude_call(session, *claude_code.call("edit", os.path.join(os.path.realpath(session.ask.cwd), path)))


def claude_write(session, path):
    import claude_code
    return claude_call(session, *claude_code.call("write", os.path.join(os.path.realpath(session.ask.cwd), path)))


def chat_write(tool, file, text):
    """A step in which a file is written by a tool, whose arguments have these names."""
    return lambda session, path: session.turn("go on", [(tool, {file: os.path.join(os.path.realpath(session.ask.cwd), path), text: "Written.\n"})])


def chat_subagent(tool, arguments):
    """A step in which a sub-agent is started; the request is that of the session which starts it."""
    def step(session, name):
        results = sum(m["role"] == "tool" for m in (session.model.last or {}).get("messages", []))
        session.model.through = [None] * results + [(tool, {**arguments, "prompt": TASK})]
        session.turn("go on")
        session.model.through, session.model.last = [], session.model.outer
    return step


def gemini_subagent(session, name):
    session.model.through = [("invoke_agent", {"agent_name": name, "prompt": TASK})]
    session.turn("go on")
    session.model.through, session.model.last = [], session.model.outer


def codex_turn(session, *answers, prompt="hello"):
    """A turn in which the model answers so, one list of items after the other, and then in a word; what it is told as a sub-agent, too."""
    import codex_exec
    before, left = session.server.script, list(answers)

    def script(requests):
        is_main = "Sender: /root" not in json.dumps(requests[-1]["input"])
        return left.pop(0) if is_main and left else [codex_exec.said("ok")], session.tokens
    session.server.script = script
    try:
        return session.turn("resume", "--last", prompt=prompt)
    finally:
        session.server.script = before


def codex_exec_call(code):
    return {"type": "custom_tool_call", "id": "c", "call_id": os.urandom(4).hex(), "namespace": "functions", "name": "exec", "input": code}


def codex_read(session, path):
    thought = {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "none"}
    return codex_turn(session, [thought, codex_exec_call(f"text(await tools.exec_command({{cmd: 'cat {path}'}}))")])


def codex_edit(session, path):
    return codex_turn(session, [codex_exec_call(f"text(await tools.apply_patch(`*** Begin Patch\n*** Add File: {path}\n+Written.\n*** End Patch`))")])


def codex_subagent(session, name):
    import codex_exec
    spawn = codex_exec.call("spawn_agent", {"task_name": name, "message": codex_exec.TASK, "fork_turns": "none"})
    return codex_turn(session, [spawn], [codex_exec.call("wait_agent", {"timeout_ms": 10000})])


def open_call(name, arguments):
    """A step in which a tool of OpenCode is called, with arguments that are made of what the step names."""
    def step(session, what):
        session.provider.due.append((name, arguments(session, what)))
        return session.hello()
    return step


OPEN_STEPS = {
    "edit": open_call("write", lambda session, path: {"filePath": os.path.join(os.path.realpath(session.ask.cwd), path), "content": "Written.\n"}),
    "skill": open_call("skill", lambda _, name: {"name": name}),
    "subagent": open_call("task", lambda _, name: {"description": "errand", "prompt": "Look around.", "subagent_type": name}),
}
STEPS = {
    ("codex", "read"): codex_read, ("codex", "edit"): codex_edit, ("codex", "subagent"): codex_subagent,
    ("codex", "skill"): lambda session, name: codex_turn(session, prompt=f"Use ${name} here."),
    **{(client, word): step for client in ("opencode", "kilo") for word, step in OPEN_STEPS.items()},
    ("claude-code", "edit"): claude_edit, ("claude-code", "write"): claude_write,
    ("claude-code", "skill"): lambda session, name: claude_call(session, "Skill", {"skill": name}),
    ("claude-code", "subagent"): lambda session, name: claude_call(session, "Agent", {"description": "A task", "prompt": "A task for the sub-agent.", "subagent_type": name, "run_in_background": False}),
    ("gemini-cli", "edit"): chat_write("write_file", "file_path", "content"), ("qwen-code", "edit"): chat_write("write_file", "file_path", "content"),
    ("copilot-cli", "edit"): chat_write("create", "path", "file_text"),
    ("gemini-cli", "skill"): lambda session, name: session.turn("go on", [("activate_skill", {"name": name})]),
    ("qwen-code", "skill"): lambda session, name: session.turn("go on", [("skill", {"skill": name})]),
    ("copilot-cli", "skill"): lambda session, name: session.turn("go on", [("skill", {"skill": name})]),
    ("gemini-cli", "subagent"): gemini_subagent,
    ("qwen-code", "subagent"): chat_subagent("agent", {"description": "d", "subagent_type": "general-purpose", "run_in_background": False}),
    ("copilot-cli", "subagent"): chat_subagent("task", {"description": "d", "agent_type": "general-purpose", "name": "n", "mode": "sync"}),
}


def sentinels(case):
    """Lines by which the texts of the case's own files are known."""
    bodies = [s.body for s in case.sections if re.match(r"/.*\.(md|mdc|toml)( \*.*)?$", s.header)] + [s.body for s in case.all("@then")]
    lines = [line.strip() for body in bodies for line in body.splitlines()]
    return sorted({line for line in lines if len(line) >= 8 and not re.match(r"(name|paths|globs|description): ", line) and "---" not in line})


def cut(text, known):
    """A long text without what is not beside a text of the case."""
    if len(text) <= LONG:
        return text
    if not any(line in text for line in known):
        return f"({len(text)} characters)"
    if len(text) <= PROMPT:
        return text
    lines, kept = text.split("\n"), set()
    ours = lambda line: any(one in line for one in known)
    for i, line in enumerate(lines):
        if ours(line): kept.update(range(i - BESIDE, i + BESIDE + 1))
        elif line.lstrip().startswith(tuple(MARKS)): kept.add(i)
    out, left_out = [], 0
    for i, line in enumerate([*lines, None]):
        mark = next((mark for mark in MARKS if i in kept and line is not None and len(line) > LONG // 2 and line.startswith(mark)), None)
        if mark: line = f"{mark}({len(line) - len(mark)} characters)"
        elif line is not None and (i not in kept or len(line) > LONG // 2 and not ours(line)):
            left_out += int(line[1:].split()[0]) if re.fullmatch(r"\(\d+ characters\)", line) else len(line) + 1; continue
        out += [f"({left_out} characters)"] * (left_out > 0) + [line] * (line is not None); left_out = 0
    return "\n".join(out)


def shortened(value, known):
    """The same JSON without long texts that hold nothing of the case."""
    if isinstance(value, str):
        return cut(value, known)
    if isinstance(value, list):
        return [shortened(one, known) for one in value]
    if isinstance(value, dict):
        if value.get("type") in ("prompt_snapshot",): return {"type": value["type"]}
        return {k: [] if k == "tools" and isinstance(v, list) and len(json.dumps(v)) > LONG else shortened(v, known) for k, v in value.items()}
    return value


def texts(request):
    """(role, text) of everything that a request says, in order, whatever the protocol."""
    def strings(value, keys=("text", "content", "output", "instructions", "parts", "response", "result", "functionResponse")):
        if isinstance(value, str): yield value
        elif isinstance(value, list):
            for one in value: yield from strings(one)
        elif isinstance(value, dict):
            for key in keys:
                if key in value: yield from strings(value[key])
    for key, role in (("instructions", "system"), ("system", "system"), ("systemInstruction", "system"), ("system_instruction", "system")):
        for text in strings(request.get(key) or []): yield role, text
    for message in request.get("messages") or request.get("input") or request.get("contents") or []:
        for text in strings({k: v for k, v in message.items() if k in ("content", "text", "output", "parts")}): yield message.get("role", "tool"), text


def last_request(session):
    if isinstance(session, Once): return session.requests[-1] or {}
    for holder in (getattr(session, "model", None), getattr(session, "server", None), getattr(session, "provider", None)):
        if getattr(holder, "requests", None):
            named = [one for one in holder.requests if isinstance(one, tuple)]
            return [body for who, body in named if who == "main"][-1] if named else holder.requests[-1]
    return session.model.last


def rows(file):
    """The sessions of a database, each by the name of its record."""
    sessions, parts = (HERMES_SESSIONS, HERMES_PARTS) if file.endswith("state.db") else (SESSIONS, PARTS)
    with sqlite3.connect(file) as database:
        return {f"{file}#{id}": "".join(line + "\n" for line, in [(head,), *database.execute(parts, (id,))]) for id, head in database.execute(sessions).fetchall()}


def stored(folder):
    """The sessions of a folder of JSON files, as OpenCode kept them before it had a database, in the same lines."""
    load = lambda pattern: sorted((json.load(open(file)) for file in glob.glob(os.path.join(folder, pattern))), key=lambda one: one["id"])
    found = {}
    for session in sorted(load("session/*/*.json"), key=lambda one: ("parentID" in one, one["id"])):
        head = {"session": session["id"], "parent": session.get("parentID"), "directory": session["directory"], "version": session["version"], "created": session["time"]["created"], "updated": session["time"]["updated"]}
        lines = [head]
        for message in load(f"message/{session['id']}/*.json"):
            lines += [{"created": message["time"]["created"], "role": message["role"], "summary": message.get("summary"), "part": part} for part in load(f"part/{message['id']}/*.json")]
        found[f"{folder}/session#{session['id']}"] = "".join(json.dumps(line) + "\n" for line in lines)
    return found


def contents(files):
    """What stands in records, by their names; a database has several."""
    found = {}
    for file in files:
        found.update(rows(file) if file.endswith(".db") else stored(file) if os.path.isdir(file) else {file: open(file, encoding="utf-8").read()})
    return found


def settled(files):
    """The records, once the client has stopped writing."""
    size = lambda: [(file, os.path.getsize(file + "-wal" * (file.endswith(".db") and os.path.exists(file + "-wal")))) for file in files()]
    before, deadline = None, time.monotonic() + 10
    while (now := size()) != before and time.monotonic() < deadline:
        before = now; time.sleep(.4)
    return files()


def run(clients, path):
    """Runs inside the private root: prints the case with its record."""
    case = casefile.parse(open(path, newline="").read())
    casefile.lay_out(case)
    question = case.all("@recorded")[0]
    ask = casefile.Ask(question.header.split(None, 1)[1])
    module = record.driver(ask.harness)
    known = sentinels(case)
    then = {s.header.split(" ")[1]: s.body for s in case.all("@then")}
    base = case.env().get("RECORDS_BELOW", case.home())
    patterns = RECORDS.get(ask.harness, [])
    if database := DATABASES.get(ask.harness):
        patterns = [database] if ask.edition != "1.1.53" else [os.path.join(os.path.dirname(database), "storage")]
    files = lambda: sorted((f for pattern in patterns for f in glob.glob(os.path.join(base, pattern)) if os.path.getsize(f)), key=os.path.getmtime)
    main, counted, turns = [], [], []
    with getattr(module, "Session", Once)(clients, case, ask) as session:
        session.allowed = any(step.partition(":")[0] in ("edit", "skill", "subagent") for step in ask.steps)
        def over(step):
            found = contents(settled(files))
            # Some versions go on with a session in a record of its own.
            for file in found:
                if file not in main and not re.search(r"/subagents/|/agent-", file): main.append(file)
            lines = [found[file].count("\n") for file in main]
            at = max(range(len(lines)), key=lambda n: lines[n] - (counted + [0] * len(lines))[n], default=0)
            counted[:] = lines
            said, seen = [], set()
            for role, text in texts(last_request(session)):
                if any(line in text for line in known) and (role, text) not in seen:
                    seen.add((role, text)); said.append(f">>> {role}\n{casefile.escape(cut(text, known))}\n")
            turns.append(casefile.Section(f"@turn {step} {at + 1} {lines[at] if lines else 0}", "".join(said) or ">>> nothing\n"))
        session.hello(); over("start")
        for step in ask.steps:
            word, _, name = step.partition(":")
            if word in ("compact", "resume") and hasattr(getattr(session, "model", None), "calls"):
                session.model.calls = []
            if word == "change":
                open(name, "w").write(then[name]); continue
            if (ask.harness, word) in STEPS: STEPS[ask.harness, word](session, name)
            elif word == "read": session.read(name)
            else: getattr(session, word)()
            over(step)
    last = contents(settled(files))
    case.sections = [s for s in case.sections if s.word not in ("@record", "@turn", "@audit")]
    for file in main + [file for file in last if file not in main]:
        lines = last[file]
        try:
            body = "".join(json.dumps(shortened(json.loads(line), known), ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines.splitlines())
        except ValueError:
            body = lines if lines.endswith("\n") else lines + "\n"
        case.sections.append(casefile.Section(f"@record {file}", body))
    case.sections += turns
    return casefile.format(case)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--clients", required=True)
    a.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    a.add_argument("cases", nargs="+")
    o = a.parse_args()
    if o.inside:
        return print(json.dumps(run(o.clients, o.cases[0])))
    failed = False
    for path in map(os.path.abspath, o.cases):
        with tempfile.TemporaryDirectory() as scratch:
            done = casefile.private_root(scratch, os.path.abspath(__file__), "--inside", "--clients", os.path.abspath(o.clients), path, stdout=subprocess.PIPE)
        if done.returncode or not done.stdout:
            print(f"failed   {os.path.relpath(path)}"); failed = True; continue
        open(path, "w", newline="").write(json.loads(done.stdout.splitlines()[-1])); print(f"recorded {os.path.relpath(path)}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
