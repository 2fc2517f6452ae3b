"""Asks the real oh-my-pi: `omp -p` runs one turn against a mock of an OpenAI-compatible provider.

`session`: the section with the context files (`<repo-rules>`, role system). What a tool reaches adds nothing.
"""
import os

from chat_model import Model, calls, environment, last_request, prompt, put, said_by
from plain_trees import TEXTS, Trees

CLIENT, VERSION = "oh-my-pi", "18.2.3"
BUN = "oh-my-pi/node_modules/@oven/bun-linux-x64/bin/bun"
ENTRY = "oh-my-pi/node_modules/@oh-my-pi/pi-coding-agent/dist/cli.js"
HEAD, TAIL = "<repo-rules>\nMUST follow these context files for all tasks:\n", "\n</repo-rules>"
MODELS = """providers:
  mock:
    baseUrl: {}
    apiKey: dummy
    api: openai-completions
    models:
      - {{id: m, name: m, contextWindow: 200000, maxTokens: 8000, input: [text], reasoning: false, cost: {{input: 0, output: 0, cacheRead: 0, cacheWrite: 0}}}}
"""


def ask(clients, case, ask):
    other = {"write": lambda path, _: ("write", {"path": path, "content": "new"}), "shell": lambda path, _: ("bash", {"command": f"cat '{path}'"})}
    model = Model(calls(ask, lambda path: ("read", {"path": path}), other))
    own = case.env().get("PI_CODING_AGENT_DIR") or os.path.join(case.home(), ".omp/agent")
    own = os.path.join(os.path.realpath(ask.cwd), own)
    put(os.path.join(own, "models.yml"), MODELS.format(model.url))
    command = [os.path.join(clients, BUN), os.path.join(clients, ENTRY), "--model", "mock/m", "--no-session", "-p", prompt(ask)]
    body = last_request(model, command, ask, environment(case, PI_OFFLINE="1"))
    if body is None:
        return "refused"
    system = "\n".join(said_by(body, "system"))
    # What stands there may hold the same tags: the first opens, the last closes.
    start = system.find(HEAD)
    return [("session", "system", system[start:system.rindex(TAIL) + len(TAIL)])] if start >= 0 else []


# Random trees.

NAMES = ["AGENTS.md", "CLAUDE.md", ".omp/AGENTS.md", ".claude/CLAUDE.md", ".agent/AGENTS.md", ".agents/AGENTS.md", ".gemini/GEMINI.md", ".github/copilot-instructions.md"]
MORE = ["A\n\nB\n", "B\n", "X\n\nA\n", "```\nA  \n\n\n\n", "| a  | b |\n|----|:--:|\n", "a\n\n</b>\n\n\n\nc \n", "@more.txt and `@more.txt` (@more.txt)\n", "See @~/more.txt.\n", "@AGENTS.md\n@../AGENTS.md\n"]


def generate(r):
    trees = Trees(r)
    dirs = ["/", *trees.dirs, "/h", trees.cwd + "/s"]
    own = trees.own("/h/.omp/agent", "PI_CODING_AGENT_DIR")
    trees.fill([own], ["AGENTS.md"], TEXTS + MORE)
    for d in dirs:
        trees.fill([d], r.sample(NAMES, 4), TEXTS + MORE)
        if r.random() < .3: trees.write(d.rstrip("/") + "/more.txt", r.choice(["MORE\n", "more @b.txt\n", ""]))
    if r.random() < .1: trees.write(own + "/config.yml", r.choice(["theme: dark\n", "disabledProviders: [agents-md]\n", "- a\n", "a: [\n", ""]))
    if r.random() < .1: trees.write(trees.cwd + "/" + r.choice([".omp/config.yml", ".claude/settings.json", ".gemini/settings.json", ".omp/settings.json"]), r.choice(['{"disabledProviders": ["agents-md"]}\n', "{}\n"]))
    if r.random() < .1: trees.write(r.choice([trees.cwd, "/h", own]) + "/.env", r.choice(["PI_CODING_AGENT_DIR=/out\n", "CLAUDE_CONFIG_DIR=/out\n", "OTHER=1\n"]))
    trees.variables({"PI_CONFIG_FILES": ["/out.md"], "CLAUDE_CONFIG_DIR": ["/out"], "PI_CODING_AGENT_DIR": ["c", "~/c", ""]})
    return trees.case(f"oh-my-pi from {trees.cwd}" + trees.read([*trees.dirs, trees.cwd + "/s"]))
