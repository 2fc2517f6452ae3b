"""Asks the real Grok Build: `grok -p` runs one turn against a mock of an OpenAI-compatible provider.

`session`: the workspace's rules, then the user's own, less the two that come with the client, in the first message (role user).
"""
import json, os
from chat_model import TASK, Model, as_laid_out, calls, environment, is_subagent, last_request, prompt, said_by, text
from plain_trees import Trees

CLIENT, VERSION = "grok-build", "1.0.41"
BINARY = "grok-build/grok"
WORKSPACE = '<always_applied_workspace_rules description="', "\n</always_applied_workspace_rules>"
USER = '<user_rules description="These are rules set by the user that you should follow if appropriate.">\n', "\n</user_rules>"
CONFIG = """[models]
default = "mock"

[model.mock]
model = "m"
base_url = "{}"
api_key = "dummy"
api_backend = "chat_completions"
context_window = 200000
"""


def options(case):
    settings = next((json.loads(s.body) for s in case.all("@settings")), {})
    return settings.get("options", {}).get("grok-build", {})


def request(clients, case, ask):
    other = {"edit": lambda path, text: ("search_replace", {"file_path": path, "old_string": text, "new_string": text + "more"}),
             "write": lambda path, _: ("write", {"file_path": path, "content": "new"}),
             "shell": lambda path, _: ("run_terminal_command", {"command": f"cat '{path}'"})}
    model = Model(calls(ask, lambda path: ("read_file", {"target_file": path}), other))
    own = case.env().get("GROK_HOME") or os.path.join(case.home(), ".grok")
    os.makedirs(own, exist_ok=True)
    config = os.path.join(own, "config.toml")
    said = as_laid_out(case, config)
    with open(config, "w") as f:
        f.write(CONFIG.format(model.url) + said)
    env = environment(case, XAI_API_KEY="dummy", GROK_DISABLE_AUTO_UPDATE="1", GROK_TELEMETRY="0")
    command = [os.path.join(clients, BINARY), "-p", prompt(ask), "-m", "mock", "--always-approve"] + ["--" + name for name, on in options(case).items() if on]
    return last_request(model, command, ask, env)


def ask(clients, case, ask):
    body = request(clients, case, ask)
    if body is None:
        return "refused"
    said = next((t for t in said_by(body, "user") if t.startswith("<user_info>")), "")
    messages = []
    start = said.find(WORKSPACE[0])
    if start >= 0:
        messages.append(("session", "user", said[start:said.rindex(WORKSPACE[1]) + len(WORKSPACE[1])]))
    start = said.find(USER[0])
    if start >= 0:
        rules = said[start + len(USER[0]):said.rindex(USER[1])]
        # The first two are the client's own.
        own = rules.split("<user_rule>\n", 3)
        if len(own) > 3:
            messages.append(("session", "user", "<user_rule>\n" + own[3]))
    return messages


# Random trees.

NAMES = ["AGENTS.md", "AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "Claude.md", "AGENT.md", ".claude/CLAUDE.md", ".grok/rules/a.md", ".grok/rules/B.md", ".claude/rules/c.md", ".cursor/rules/d.md"]


def generate(r):
    from casefile import Section
    trees = Trees(r)
    own = trees.own("/h/.grok", "GROK_HOME")
    for d in trees.dirs:
        if r.random() < .15: trees.write(d + "/.gitignore", r.choice(["CLAUDE.local.md\n", "*.md\n!AGENTS.md\n", ".grok/\n", "/CLAUDE.md\n"]))
    trees.fill(["/", *trees.dirs, "/h", own, "/h/.claude", "/h/.cursor"], NAMES)
    trusted = [Section("@settings", json.dumps({"options": {"grok-build": {"trust": True}}}) + "\n")] if r.random() < .9 else []
    return trees.case(f"grok-build from {trees.cwd}", trusted)
