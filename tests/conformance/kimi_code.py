"""Asks the real Kimi Code: `kimi -p` runs one turn against a mock of an OpenAI-compatible provider.

`session`: the files in the system message, between their fences (role system). `read`: the reminder that names files which apply to
what a tool reached (role user); no text comes along.
"""
import os, re

import casefile
from chat_model import TASK, Model, as_laid_out, calls, environment, is_subagent, last_request, node, prompt, put, said_by, text
from plain_trees import Trees

CLIENT, VERSION = "kimi-code", "2.1.0"
ENTRY = "kimi-code/node_modules/@moonshot-ai/kimi-code/dist/main.mjs"
HEAD, TAIL = "\nThe applicable `AGENTS.md` instructions are:\n\n```````\n", "\n```````\n"
FOUND = "The following AGENTS.md file(s) apply to paths"
CONFIG = """default_model = "mock"
{}
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
    other = {"edit": lambda path, text: ("Edit", {"path": path, "old_string": text or "x", "new_string": text + "more"}),
             "write": lambda path, _: ("Write", {"path": path, "content": "new"}),
             "shell": lambda path, _: ("Bash", {"command": f"cat '{path}'"})}
    task = {"description": "d", "prompt": TASK, "subagent_type": ask.agent or "coder"}
    model = Model(calls(ask, lambda path: ("Read", {"path": path}), other), through=[("Agent", task)] if is_subagent(case) else ())
    own = case.env().get("KIMI_CODE_HOME") or os.path.join(case.home(), ".kimi-code")
    own = os.path.join(os.path.realpath(ask.cwd), own)
    config = os.path.join(own, "config.toml")
    said = as_laid_out(case, config)
    # Keys that stand in no table stay in none.
    put(config, CONFIG.format(said, model.url))
    env = environment(case, KIMI_DISABLE_TELEMETRY="1")
    return last_request(model, [node(clients), os.path.join(clients, ENTRY), "-p", prompt(ask)], ask, env)


def ask(clients, case, ask):
    body = request(clients, case, ask)
    if body is None:
        return "refused"
    system = "\n".join(said_by(body, "system"))
    start = system.find(HEAD)
    if start < 0:
        return []  # a prompt of the user's own
    said = system[start + len(HEAD):system.rindex(TAIL)]
    return [("session", "system", said)] if said else []


def reminders(clients, case, ask):
    """What names files that apply to what a tool reached."""
    body = request(clients, case, ask)
    if body is None:
        return "refused"
    last = max(i for i, m in enumerate(body["messages"]) if m["role"] == "tool")
    said = [text(m["content"]) for m in body["messages"][last:] if m["role"] == "user"]
    return [("read", "user", t[len("<system-reminder>\n"):-len("\n</system-reminder>")]) for t in said if FOUND in t]


# Random trees.

NAMES = ["AGENTS.md", "AGENTS.md", "agents.md", "CLAUDE.md"]
SETTINGS = ["default_plan_mode = true\n", "extra_agent_dirs = [\"/out\"]\n", "[identity]\nname = \"N\"\n", "[[hooks]]\nevent = \"PreToolUse\"\nmatcher = \"Read\"\ncommand = \"exit 2\"\n", "x = [\n"]
AGENT = "---\nname: {}\ndescription: d\noverride: {}\n---\nMine.\n"


def reminders_of_a_read(clients, case, ask):
    return reminders(clients, case, ask) if ask.reading else "skip"


def further(_):
    return [("@reminders", reminders_of_a_read)]


def generate(r):
    trees = Trees(r)
    own = trees.own("/h/.kimi-code", "KIMI_CODE_HOME")
    trees.variables({"KIMI_CODE_HOME": ["c", "./c/", "", "~/c"]})
    below = [trees.cwd + "/s", trees.cwd + "/s/.kimi-code"]
    trees.fill(["/", *trees.dirs, "/h", own, "/h/.agents", trees.cwd + "/.kimi-code", "/p/.kimi-code", "/p/c", *below], NAMES)
    if r.random() < .2: trees.write(own + "/config.toml", r.choice(SETTINGS))
    if r.random() < .1: trees.write(own + "/SYSTEM.md", r.choice(["Mine. ${agents_md}\n", " \n"]))
    if r.random() < .1: trees.write(r.choice(["/p/.kimi-code", "/p/.agents", own, "/h/.agents"]) + "/agents/a.md", AGENT.format(r.choice(["agent", "other"]), r.choice(["true", "false"])))
    if r.random() < .1: trees.write(trees.cwd + "/s/.git", r.choice(["gitdir: /x\n", "\n", "\ufeffgitdir: x\n"]))
    return trees.case(f"kimi-code from {trees.cwd}" + trees.reach([*trees.dirs, *below]))
