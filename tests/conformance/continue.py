"""Asks the real Continue: `cn -p` runs one turn against a mock of an OpenAI-compatible provider.

`session`: what stands between the tags of the context `userRules` in the system message (role system). Reading a file adds nothing.
The models are put before whatever a case has in its config.yaml.
"""
import os, re

import casefile
from chat_model import Model, as_laid_out, calls, environment, last_request, node, prompt, put, said_by
from plain_trees import TEXTS, Trees

CLIENT, VERSION = "continue", "1.5.47"
EARLIER = {}
ENTRY = "continue/node_modules/@continuedev/cli/dist/cn.js"
HEAD, TAIL = '\n\n<context name="userRules">', "\n</context>"
MODELS = """models:
  - name: mock
    provider: openai
    model: gpt-4.1
    apiKey: dummy
    apiBase: {}
    roles: [chat]
"""


def moved(case, cwd):
    """Where a variable says that the user's folder is; the client takes it from the `.env` of its directory as well."""
    dotenv = os.path.join(cwd, ".env")
    written = open(dotenv, errors="replace").read() if os.path.isfile(dotenv) else ""
    said = re.search(r"^(?:export )?CONTINUE_GLOBAL_DIR=[\"']?([^\"'\s#]*)", written, re.M)
    return case.env().get("CONTINUE_GLOBAL_DIR", said and said[1])


def request(clients, case, ask):
    other = {"edit": lambda path, text: ("Edit", {"file_path": path, "old_string": text or "x", "new_string": text + "more"}),
             "write": lambda path, _: ("Write", {"filepath": path, "content": "new"}),
             "shell": lambda path, _: ("Bash", {"command": f"cat '{path}'"})}
    model = Model(calls(ask, lambda path: ("Read", {"filepath": path}), other))
    cwd = os.path.realpath(ask.cwd)
    own = os.path.join(cwd, moved(case, cwd) or os.path.join(case.home(), ".continue"))
    config = os.path.join(own, "config.yaml")
    said = as_laid_out(case, config) or "name: mine\nversion: 1.0.0\nschema: v1\n"
    put(config, MODELS.format(model.url) + said)
    env = environment(case, CONTINUE_TELEMETRY_ENABLED="0", CONTINUE_ALLOW_ANONYMOUS_TELEMETRY="0")
    return last_request(model, [node(clients), os.path.join(clients, ENTRY), "--auto", "-p", prompt(ask)], ask, env)


def ask(clients, case, ask):
    body = request(clients, case, ask)
    if body is None:
        return "refused"
    system = "\n".join(said_by(body, "system"))
    start = system.find(HEAD)
    return [("session", "system", system[start + 2:system.rindex(TAIL) + len(TAIL)])] if start >= 0 else []


# Random trees.

NAMES = ["AGENTS.md", "AGENT.md", "CLAUDE.md", "CODEX.md"]
HEADS = ["name: n", "globs: '*.ts'", "globs: []", "globs: ''", "alwaysApply: true", "alwaysApply: false", "alwaysApply: true\nglobs: x", "regex: x", "invokable: true", "invokable: false", "description: a: b", "[a", "- a", "# only", "alwaysApply: null", "alwaysApply: 'true'"]


def rule(r):
    text = r.choice(TEXTS + ["A\n---\nB\n", "---\n", "A --- B\n"])
    if r.random() < .6: text = r.choice(["---\n", "---\n", "--- \n", "---\n\n"]) + r.choice(HEADS) + r.choice(["\n---\n", "\n---\n", "\n---\n\n", "\n----\n", "\n---"]) + text
    return text.replace("\n", "\r\n") if r.random() < .1 else text


def generate(r):
    trees = Trees(r, repositories=False)
    own = trees.own("/h/.continue", "CONTINUE_GLOBAL_DIR")
    for d in (trees.cwd + "/.continue/rules", own + "/rules"):
        for name in ("a.md", "B.md", "c/d.md", "c/A.md", "e/f/g.md", "h.txt", ".i.md", "é.md"):
            if r.random() < .3: trees.write(f"{d}/{name}", rule(r))
    if "CONTINUE_GLOBAL_DIR" not in trees.env and r.random() < .1:
        trees.write(trees.cwd + "/.env", r.choice(["CONTINUE_GLOBAL_DIR=/c\n", "export CONTINUE_GLOBAL_DIR='c' # x\n", "OTHER=1\n"]))
    trees.write("/c/rules/a.md", "C\n")
    if r.random() < .1: trees.put(trees.cwd + "/.continue/rules/locked/", " | mode 000", "")
    if r.random() < .3: trees.write(own + "/config.yaml", r.choice(["name: n\nversion: 1.0.0\nschema: v1\n"] * 6 + ["name: n\n", "name: n\nversion: 1\n"]) + r.choice(["rules: 3\n", "rules:\n  - rule: x\n", "rules:\n  - x ${{ secrets.T }}\n", "rules:\n  - uses: file:///out.md\n", "rules:\n  - A\n", "rules: []\n", "rules:\n  - name: x\n    rule: From the settings.\n", "rules:\n  - one\n  - two\n  - one\n", ""]))
    trees.fill(["/", *trees.dirs, "/h"], NAMES)
    return trees.case(f"continue from {trees.cwd}")
