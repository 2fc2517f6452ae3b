#!/usr/bin/env python3
"""Runs sessions of real clients against a mock model, and keeps what the client recorded of them beside what it sent.

usage: recorded.py --clients DIR tests/records/CLIENT/CASE.txt...

A case of a record is a case file (casefile.py) with one question more:
  @recorded ASK then STEP…   a session of steps `read:PATH`, `edit:PATH`, `write:PATH`, `skill:NAME`, `subagent:NAME`, `compact`, `resume` and
                             `change:PATH` (the file then holds the body of `@then PATH`)
What is written behind it:
  @record PATH               the lines of a record as the client wrote them; long texts that hold none of the case's own are cut
                             to `(N characters)`, wherever they stand
  @turn STEP RECORD LINES    the texts of the step's last request that hold something of the case's instruction files, each
                             behind a line `>>> ROLE`; LINES of that record were written when the step was over
Where a client keeps a database, its tables stand in the record as lines of JSON, by `DATABASES`.
"""
import argparse, glob, json, os, re, subprocess, sys, tempfile, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import casefile, record

# Where the records of a client lie, from its home directory.
RECORDS = {"claude-code": [".claude/projects/*/*.jsonl", ".claude/projects/*/*/subagents/*.jsonl"], "codex": [".codex/sessions/*/*/*/*.jsonl"],
           "copilot-cli": [".copilot/session-state/*/events.jsonl"], "gemini-cli": [".gemini/tmp/*/chats/session-*", ".gemini/tmp/*/.project_root"],
           "qwen-code": [".qwen/projects/*/chats/*.jsonl", ".qwen/tmp/*/chats/*"]}
LONG = 300


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


STEPS = {
    ("claude-code", "edit"): claude_edit, ("claude-code", "write"): claude_write,
    ("claude-code", "skill"): lambda session, name: claude_call(session, "Skill", {"skill": name}),
    ("claude-code", "subagent"): lambda session, name: claude_call(session, "Agent", {"description": "A task", "prompt": "A task for the sub-agent.", "subagent_type": name, "run_in_background": False}),
    ("gemini-cli", "edit"): lambda session, path: session.turn("go on", [("write_file", {"file_path": os.path.join(os.path.realpath(session.ask.cwd), path), "content": "Written.\n"})]),
    ("qwen-code", "edit"): lambda session, path: session.turn("go on", [("write_file", {"file_path": os.path.join(os.path.realpath(session.ask.cwd), path), "content": "Written.\n"})]),
    ("copilot-cli", "edit"): lambda session, path: session.turn("go on", [("create", {"path": os.path.join(os.path.realpath(session.ask.cwd), path), "file_text": "Written.\n"})]),
}


def sentinels(case):
    """Lines by which the texts of the case's own files are known."""
    bodies = [s.body for s in case.sections if re.match(r"/.*\.(md|mdc|toml)( \*.*)?$", s.header)] + [s.body for s in case.all("@then")]
    lines = [line.strip() for body in bodies for line in body.splitlines()]
    return sorted({line for line in lines if len(line) >= 8 and not re.match(r"(name|paths|globs|description): ", line) and "---" not in line})


def shortened(value, known):
    """The same JSON without long texts that hold nothing of the case."""
    if isinstance(value, str):
        return value if len(value) <= LONG or any(line in value for line in known) else f"({len(value)} characters)"
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
    for holder in (getattr(session, "model", None), getattr(session, "server", None), getattr(session, "provider", None)):
        if getattr(holder, "requests", None):
            last = holder.requests[-1]
            return last[1] if isinstance(last, tuple) else last
    return session.model.last


def settled(files):
    """The records, once the client has stopped writing."""
    size = lambda: [(file, os.path.getsize(file)) for file in files()]
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
    files = lambda: sorted({f for pattern in RECORDS.get(ask.harness, []) for f in glob.glob(os.path.join(base, pattern))}, key=os.path.getmtime)
    main, counted, turns = [], [], []
    with module.Session(clients, case, ask) as session:
        def over(step):
            found = settled(files)
            # Some versions go on with a session in a record of its own.
            for file in found:
                if file not in main and not re.search(r"/subagents/|/agent-", file): main.append(file)
            lines = [sum(1 for _ in open(file, "rb")) for file in main]
            at = max((n for n, (now, before) in enumerate(zip(lines, counted + [0] * len(lines))) if now > before), default=0)
            counted[:] = lines
            said, seen = [], set()
            for role, text in texts(last_request(session)):
                if any(line in text for line in known) and (role, text) not in seen:
                    seen.add((role, text)); said.append(f">>> {role}\n{casefile.escape(text)}\n")
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
    settled(files)
    case.sections = [s for s in case.sections if s.word not in ("@record", "@turn", "@audit")]
    found = main + [f for f in files() if f not in main]
    for file in found:
        lines = open(file, encoding="utf-8").read()
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
