"""Asks the real Grok Build: `grok -p` runs one turn against a mock of an OpenAI-compatible provider.

`session`: the workspace's rules, then the user's own, less the two that come with the client, in the first message (role user).
"""
import contextlib, json, os
from chat_model import Model, as_laid_out, calls, environment, last_request, prompt, said_by, words
from plain_trees import Trees

CLIENT, VERSION = "grok-build", "1.0.41"
BINARY = "grok-build/grok"
WORKSPACE = '<always_applied_workspace_rules description="', "\n</always_applied_workspace_rules>"
USER = '<user_rules description="These are rules set by the user that you should follow if appropriate.">\n', "\n</user_rules>"
MANAGED = "/etc/grok/managed_config.toml"
CONFIG = """[models]
default = "mock"

[model.mock]
model = "m"
base_url = "{}"
api_key = "dummy"
api_backend = "chat_completions"
context_window = 200000
"""


def request(clients, case, ask):
    other = {"edit": lambda path, text: ("search_replace", {"file_path": path, "old_string": text, "new_string": text + "more"}),
             "write": lambda path, _: ("write", {"file_path": path, "content": "new"}),
             "shell": lambda path, _: ("run_terminal_command", {"command": f"cat '{path}'"})}
    model = Model(calls(ask, lambda path: ("read_file", {"target_file": path}), other))
    with contextlib.suppress(FileExistsError, NotADirectoryError):
        os.makedirs(os.path.join(os.path.realpath(ask.cwd), case.env().get("GROK_HOME") or os.path.join(case.home(), ".grok")), exist_ok=True)
    # Below the user's settings, which stay as they are.
    os.makedirs("/etc/grok", exist_ok=True)
    said = as_laid_out(case, MANAGED)
    with open(MANAGED, "w", errors="surrogateescape", newline="") as f:
        f.write(f"{said}\n{CONFIG.format(model.url)}")
    env = environment(case, XAI_API_KEY="dummy", GROK_DISABLE_AUTO_UPDATE="1", GROK_TELEMETRY="0")
    command = [os.path.join(clients, BINARY), "-p", prompt(ask), "-m", "mock", "--always-approve"] + words(case.options("grok-build"))
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


WORDS = ["0", "1", "false", "TRUE", "no", "off", "on", "yes", "y", "disabled", "", " 0 ", "nope"]
FOLDERS = ["/x", "~/y", "y", "$X/z", "${X}", "/x/../v", "$NONE/x", "~"]


def settings(r, mistakes):
    """Some of the keys that count; now and then one of another type, or what is no TOML."""
    lines, off = [], ["true", "false", "false"]
    for client in ["claude", "cursor"]:
        for kind in ["rules", "agents"]:
            if r.random() < .3: lines.append(f"compat.{client}.{kind} = {r.choice(off)}")
    if r.random() < .3: lines.append(f"paths.extra_rule_dirs = {json.dumps(r.sample(FOLDERS, r.choice([1, 2])))}")
    if r.random() < .3: lines.append(f"folder_trust.enabled = {r.choice(off)}")
    if r.random() < .1: lines.append("tools.respect_gitignore = false")
    if mistakes and r.random() < .1: lines.append(r.choice(["compat.codex.skills = 1", 'paths.extra_skill_dirs = [', "x = "]))
    return "".join(line + "\n" for line in lines)


def generate(r):
    from casefile import Section
    trees = Trees(r)
    own = trees.own("/h/.grok", "GROK_HOME")
    for d in trees.dirs:
        if r.random() < .15: trees.write(d + "/.gitignore", r.choice(["CLAUDE.local.md\n", "*.md\n!AGENTS.md\n", ".grok/\n", "/CLAUDE.md\n"]))
    for name in ["config.toml", "managed_config.toml", "requirements.toml"]:
        if r.random() < .3: trees.write(f"{own}/{name}", settings(r, True))
    if r.random() < .2: trees.write("/etc/grok/requirements.toml", settings(r, True))
    trees.variables({f"GROK_{client}_{kind}_ENABLED": WORDS for client in ["CLAUDE", "CURSOR"] for kind in ["RULES", "AGENTS"]} | {"GROK_FOLDER_TRUST": WORDS, "GROK_RESPECT_GITIGNORE": ["0", "1"]})
    trees.env["X"] = "/x"
    trees.fill(["/x", "/x/z", "/h/y", "/v"], ["a.md", "B.MD"])
    if r.random() < .15:
        # A linked worktree of another repository.
        trees.repository("/r")
        for name, text in [("objects/", None), ("refs/", None), ("worktrees/w/HEAD", "ref: refs/heads/w\n"), ("worktrees/w/commondir", "../..\n"), ("worktrees/w/gitdir", trees.dirs[0] + "/.git\n")]:
            trees.directory("/r/.git/" + name.rstrip("/")) if text is None else trees.write("/r/.git/" + name, text)
        if trees.dirs[0] + "/.git/HEAD" not in trees.taken: trees.write(trees.dirs[0] + "/.git", "gitdir: /r/.git/worktrees/w\n")
    decided = "".join(f"[folders.{json.dumps(d)}]\ntrusted = {r.choice(['true', 'true', 'false'])}\n" for d in {r.choice([*trees.dirs, "/r", "/h"]) for _ in range(r.choice([0, 1, 2, 3]))})
    if decided: trees.write(own + "/trusted_folders.toml", decided)
    trees.fill(["/", *trees.dirs, "/h", own, "/h/.claude", "/h/.cursor"], NAMES)
    trusted = [Section("@settings", json.dumps({"options": {"grok-build": {"trust": True}}}) + "\n")] if r.random() < .6 else []
    return trees.case(f"grok-build from {trees.cwd}", trusted)
