"""Asks the real Droid: `droid exec` runs one turn against a mock of an OpenAI-compatible provider.

`session`: the instructions in the first reminder of the first user message (role user). `read`: the reminder that follows the answer of a
tool (role user).
"""
import json, os
from chat_model import Model, as_laid_out, calls, environment, last_request, prompt, text

CLIENT, VERSION = "droid", "0.225.2"
HEAD, TAILS = "# Codebase and user instructions are shown below.", ("</coding_guidelines>", "</design_guidelines>")
FOUND = "<system-reminder>\nAdditional project instructions discovered along the accessed paths:"
BINARY = "droid/node_modules/@factory/cli-linux-x64/bin/droid"


def request(clients, case, ask):
    other = {"edit": lambda path, text: ("Edit", {"file_path": path, "old_str": text, "new_str": text + "more"}),
             "write": lambda path, _: ("Create", {"file_path": path, "content": "new"}),
             "shell": lambda path, _: ("Execute", {"command": f"cat '{path}'"})}
    model = Model(calls(ask, lambda path: ("Read", {"file_path": path}), other))
    own = os.path.join(case.home(), ".factory")
    os.makedirs(own, exist_ok=True)
    config = os.path.join(own, "settings.json")
    said = json.loads(as_laid_out(case, config) or "{}")
    said["customModels"] = [{"model": "m", "displayName": "m", "baseUrl": model.url, "apiKey": "dummy", "provider": "generic-chat-completion-api", "maxOutputTokens": 1000}]
    json.dump(said, open(config, "w"))
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
    if r.random() < .3: write("/v/.git/HEAD", "ref: refs/heads/main\n")
    for d in dict.fromkeys(["/", *dirs, "/h", *"/h/.factory", "/h/.agents", cwd + "/.factory", cwd + "/.agent", cwd + "/s", cwd + "/s/u", cwd + "/s/.agents", "/v"]):
        for name in NAMES:
            if r.random() < .25:
                path = os.path.join(d, name); k = r.random()
                if k < .1: put(path, " -> " + r.choice([NAMES[0], "nowhere", "/out.md"]), "")
                elif k < .14: put(path, "/", "")
                else: write(path, r.choice(TEXTS))
    extra = []
    words = f"droid from {cwd}"
    if r.random() < .5:
        target = r.choice([*dirs, cwd + "/s", cwd + "/s/u", "/v"]) + "/t.txt"
        write(target, "text\n")
        if target in taken: words += f" reading {target}"
    write("/out.md", "OUT\n")
    return Case("", files + [Section(f"@env {k}={v}") for k, v in env.items()] + extra), words
