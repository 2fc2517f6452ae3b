"""Asks the real Droid: `droid exec` runs one turn against a mock of an OpenAI-compatible provider.

`session`: the instructions in the first reminder of the first user message (role user). `read`: the reminder that follows the answer of a
tool (role user). Sub-agents cannot be asked: they run in a daemon that wants the network.
"""
import json, os
from chat_model import Model, as_laid_out, calls, environment, last_request, prompt, put, text
from plain_trees import Trees

CLIENT, VERSION = "droid", "0.225.2"
HEAD, TAILS = "# Codebase and user instructions are shown below.", ("</coding_guidelines>", "</design_guidelines>")
FOUND = "<system-reminder>\nAdditional project instructions discovered along the accessed paths:"
BINARY = "droid/node_modules/@factory/cli-linux-x64/bin/droid"


def request(clients, case, ask):
    other = {"edit": lambda path, text: ("Edit", {"file_path": path, "old_str": text or "x", "new_str": text + "more"}),
             "write": lambda path, _: ("Create", {"file_path": path, "content": "new"}),
             "shell": lambda path, _: ("Execute", {"command": f"cat '{path}'"})}
    model = Model(calls(ask, lambda path: ("Read", {"file_path": path}), other))
    home = os.path.join(os.path.realpath(ask.cwd), case.env().get("FACTORY_HOME_OVERRIDE") or case.home())
    own = os.path.join(home, ".factory")
    config = os.path.join(own, "settings.json")
    said = json.loads(as_laid_out(case, config) or "{}")
    said["customModels"] = [{"model": "m", "displayName": "m", "baseUrl": model.url, "apiKey": "dummy", "provider": "generic-chat-completion-api", "maxOutputTokens": 1000}]
    put(config, json.dumps(said))
    env = environment(case, FACTORY_API_KEY="fk-dummy", FACTORY_DISABLE_TELEMETRY="1", DROID_DISABLE_AUTO_UPDATE="1")
    return last_request(model, [os.path.join(clients, BINARY), "exec", "--skip-permissions-unsafe", "-m", "custom:m-0", prompt(ask)], ask, env)


def ask(clients, case, ask):
    body = request(clients, case, ask)
    if body is None:
        return "refused"
    messages = []
    for number, message in enumerate(body["messages"]):
        for part in [text(message["content"])] if isinstance(message["content"], str) else [part.get("text", "") for part in message["content"] or []]:
            start = part.find(HEAD)
            if message["role"] == "user" and start >= 0 and part.startswith("<system-reminder>"):
                end = max(part.rfind(tail) + len(tail) for tail in TAILS if tail in part)
                messages.append(("session", "user", part[start:end]))
            if message["role"] == "user" and part.startswith(FOUND) and ask.reading and number > last_call(body):
                messages.append(("read", "user", part[len("<system-reminder>\n"):part.rindex("\n</system-reminder>")]))
    return messages


def last_call(body):
    """Where the last call of a tool stands: what follows it was added for it."""
    return max((i for i, m in enumerate(body["messages"]) if m["role"] == "assistant"), default=0)


# Random trees.

NAMES = ["AGENTS.md", "AGENTS.md", "CLAUDE.md", "Claude.md", "agents.md", "DESIGN.md"]


SETTINGS = ['{"sandbox": {"enabled": true, "filesystem": {"denyRead": ["/p/s"]}}}', '{"hooks": {"PreToolUse": [{"matcher": "Read", "hooks": [{"type": "command", "command": "exit 2"}]}]}}', "{", "{}"]


def generate(r):
    trees = Trees(r)
    cwd = trees.cwd
    if r.random() < .3: trees.repository("/v")
    trees.variables({"FACTORY_HOME_OVERRIDE": ["/c", "c", "/p", ""]})
    below = [cwd + name for name in ("/.factory", "/.agent", "/s", "/s/u", "/s/.agents")]
    trees.fill(["/", *trees.dirs, "/h", "/h/.factory", "/h/.agents", "/c/.factory", *below, "/v"], NAMES)
    if r.random() < .15: trees.put(cwd + "/.factory/" + r.choice(["settings.json", "settings.local.json"]), r.choice(["", "", " | mode 000"]), r.choice(SETTINGS))
    if r.random() < .05: trees.write(cwd + "/.factory/hooks.json", '{"PreToolUse": []}')
    if r.random() < .1: trees.write(cwd + "/s/.agents/skills/one/SKILL.md", "---\nname: one\ndescription: d\n---\nx\n")
    return trees.case(f"droid from {cwd}" + trees.reach([*trees.dirs, cwd + "/s", cwd + "/s/u", "/v"]))
