"""Asks the real Mistral Vibe: `vibe -p` runs one turn against a mock of an OpenAI-compatible provider.

`session`: the section with the instructions in the system message (role system). `read`: what the result of the tool that reads files
brings along (role tool).
"""
import json, os, re

from chat_model import Model, as_laid_out, calls, environment, last_request, prompt, put, said_by, text, words
from plain_trees import Trees

CLIENT, VERSION = "mistral-vibe", "3.0.2"
BINARY = "mistral-vibe/bin/vibe"
HEAD, TAIL = "Codebase and user instructions are shown below.", "\n\nIMPORTANT: this context may or may not be relevant to your tasks. You should act on these guidelines if they are relevant to your task."
KEYS = {"active_model": '"mock"', "enable_telemetry": "false", "enable_update_checks": "false"}
PROVIDER = """
[[providers]]
name = "mock"
api_base = "{}"
api_key_env_var = "MOCK_API_KEY"
api_style = "openai"
backend = "generic"

[[models]]
name = "m"
provider = "mock"
alias = "mock"
"""


def request(clients, case, ask):
    other = {"edit": lambda path, text: ("edit", {"file_path": path, "old_string": text, "new_string": text + "more"}),
             "write": lambda path, _: ("write_file", {"path": path, "content": "new"}),
             "shell": lambda path, _: ("bash", {"command": f"cat '{path}'"})}
    model = Model(calls(ask, lambda path: ("read_file", {"path": path}), other))
    own = case.env().get("VIBE_HOME") or os.path.join(case.home(), ".vibe")
    own = own.replace("~", case.home(), 1) if own.startswith("~") else os.path.join(os.path.realpath(ask.cwd), own)
    config = os.path.join(own, "config.toml")
    said = as_laid_out(case, config)
    missing = "".join(f"{key} = {value}\n" for key, value in KEYS.items() if not re.search(rf"^{key}\b", said, re.M))
    put(config, missing + said + PROVIDER.format(model.url), errors="surrogateescape", newline="")
    command = [os.path.join(clients, BINARY), "-p", prompt(ask), "--auto-approve"] + words(case.options("mistral-vibe"))
    return last_request(model, command, ask, environment(case, MOCK_API_KEY="dummy", MISTRAL_API_KEY="dummy"), 90)


def ask(clients, case, ask):
    body = request(clients, case, ask)
    if body is None:
        return "refused"
    system = "\n".join(said_by(body, "system"))
    start = system.find(HEAD)
    messages = [("session", "system", system[start:system.rindex(TAIL) + len(TAIL)])] if start >= 0 else []
    if ask.reading:
        last = [text(m["content"]) for m in body["messages"] if m["role"] == "tool"][-1:]
        found = [re.search(r"<vibe_warning>\n(Contents of .*)\n</vibe_warning>", t, re.S) for t in last]
        messages += [("read", "tool", m.group(1)) for m in found if m]
    return messages


# Random trees.

NAMES = ["AGENTS.md", "AGENTS.md", "agents.md", "CLAUDE.md"]


WORDS = ["0", "1", "false", "TRUE", "no", "off", "on", "y", "N", "", " 0", "nope"]
VALUES = ["true", "false", "false", "false", '"off"', '"T"', "0", "1.0"]


def generate(r):
    from casefile import Section
    trees = Trees(r)
    own, cwd = trees.own("/h/.vibe", "VIBE_HOME"), trees.cwd
    trusted, untrusted = r.choice([[cwd], ["/p"], ["/"], [cwd, "/p"], [], ["/h", "/v"]]), r.choice([[], [], [], [cwd], ["/p"], [cwd + "/.vibe"]])
    if r.random() < .8: trees.write(own + "/trusted_folders.toml", f"trusted = {json.dumps(trusted)}\nuntrusted = {json.dumps(untrusted)}\n")
    for folder in {own, *(d + "/.vibe" for d in trees.dirs)}:
        if r.random() < .15: trees.write(folder + "/config.toml", r.choice(["", "enable_telemetry = false\n"]) or f"include_project_context = {r.choice(VALUES)}\n")
    trees.variables({"VIBE_INCLUDE_PROJECT_CONTEXT": WORDS, "vibe_include_project_context": WORDS})
    if len({name.upper() for name in trees.env if "INCLUDE" in name.upper()}) != sum("INCLUDE" in name.upper() for name in trees.env): trees.env.pop("vibe_include_project_context")
    if r.random() < .08: trees.write(own + "/.env", f"MISTRAL_API_KEY=dummy\nVIBE_INCLUDE_PROJECT_CONTEXT={r.choice(WORDS).strip()}\n")
    trees.fill(["/", *trees.dirs, "/h", own, cwd + "/s", cwd + "/s/u", "/v", "/v/s"], NAMES)
    given = {"trust": True} if r.random() < .2 else {}
    if r.random() < .25:
        added = r.sample([d for d in [*trees.dirs, "/v", cwd + "/s"] if d != cwd], 1)
        for d in added: trees.directory(d)
        given["add-dir"] = added
    once = [Section("@settings", json.dumps({"options": {"mistral-vibe": given}}) + "\n")] if given else []
    return trees.case(f"mistral-vibe from {cwd}" + trees.reach([*trees.dirs, cwd + "/s", cwd + "/s/u", "/v", "/v/s"]), once)
