"""Asks the real Grok Build: `grok -p` runs one turn against a mock of an OpenAI-compatible provider.

`session`: the workspace's rules, then the user's own, less the two that come with the client, in the first message (role user).
"""
import json, os
from chat_model import TASK, Model, as_laid_out, calls, environment, is_subagent, last_request, prompt, said_by, text

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
    if os.environ.get("SHOW"): import sys; print(json.dumps(body["messages"][1:], indent=1)[-3000:], file=sys.stderr)
    return messages


# Random trees.

NAMES = ["AGENTS.md", "AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "Claude.md", "AGENT.md", ".claude/CLAUDE.md", ".grok/rules/a.md", ".grok/rules/B.md", ".claude/rules/c.md", ".cursor/rules/d.md"]
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
    own = "/h/.grok"
    if r.random() < .15: env["GROK_HOME"] = own = r.choice(["/c", "/p"])
    for d in dirs:
        if r.random() < .15: write(d + "/.gitignore", r.choice(["CLAUDE.local.md\n", "*.md\n!AGENTS.md\n", ".grok/\n", "/CLAUDE.md\n"]))
    for d in dict.fromkeys(["/", *dirs, "/h", *own, "/h/.claude", "/h/.cursor"]):
        for name in NAMES:
            if r.random() < .25:
                path = os.path.join(d, name); k = r.random()
                if k < .1: put(path, " -> " + r.choice([NAMES[0], "nowhere", "/out.md"]), "")
                elif k < .14: put(path, "/", "")
                else: write(path, r.choice(TEXTS))
    extra = [Section("@settings", json.dumps({"options": {"grok-build": {"trust": True}}}) + "\n")] if r.random() < .9 else []
    words = f"grok-build from {cwd}"
    write("/out.md", "OUT\n")
    return Case("", files + [Section(f"@env {k}={v}") for k, v in env.items()] + extra), words
