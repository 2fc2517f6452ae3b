"""Asks the real Goose: `goose run` runs one turn against a mock of an OpenAI-compatible provider.

`session`: what follows `# Additional Instructions:` in the system message (role system), if it is hints. `read`: the hints that the next
request's system message has besides (role system).
"""
import os, re

import plain_trees
from chat_model import Model, calls, environment, last_request, prompt, said_by
from plain_trees import Trees

CLIENT, VERSION = "goose", "1.52.0"
BINARY = "goose/node_modules/@aaif/goose-binary-linux-x64/bin/goose"
HEAD = "# Additional Instructions:\n\n"


def request(clients, case, ask):
    other = {"edit": lambda path, text: ("edit", {"path": path, "before": text, "after": text + "more"}),
             "write": lambda path, _: ("write", {"path": path, "content": "new"}),
             "shell": lambda path, _: ("shell", {"command": f"cat '{path}'"})}
    model = Model(calls(ask, lambda path: ("shell", {"command": f"cat '{path}'"}), other))
    os.makedirs(case.home(), exist_ok=True)
    env = environment(case, GOOSE_PROVIDER="openai", GOOSE_MODEL="m", OPENAI_API_KEY="dummy", OPENAI_HOST=model.url.removesuffix("/v1"),
                      GOOSE_DISABLE_KEYRING="1", GOOSE_MODE="auto", GOOSE_CONTEXT_LIMIT="200000", GOOSE_TELEMETRY_ENABLED="false")
    command = [os.path.join(clients, BINARY), "run", "--no-session", "--with-builtin", "developer", "-t", prompt(ask)]
    return last_request(model, command, ask, env, 90)


def ask(clients, case, ask):
    body = request(clients, case, ask)
    if body is None:
        return "refused"
    system = "\n".join(said_by(body, "system"))
    start = system.find(HEAD)
    # What tools brought stands first, a section for each directory.
    sections = re.split(r"\n\n(?=### Subdirectory Hints \(|### Project Hints\n|\n### Global Hints\n)", system[start + len(HEAD):]) if start >= 0 else []
    brought = [s for s in sections if s.startswith("### Subdirectory Hints (")]
    own = "\n\n".join(sections[len(brought):])
    messages = [("session", "system", own)] if own else []
    where = lambda path: os.path.realpath(os.path.dirname(path))
    if ask.reading and where(ask.reading) not in map(where, ask.after):
        messages += [("read", "system", s) for s in brought if s.startswith(f"### Subdirectory Hints ({where(ask.reading)})\n")]
    return messages


# Random trees.

NAMES = [".goosehints", "AGENTS.md", "AGENTS.md", "CLAUDE.md"]
TEXTS = [*plain_trees.TEXTS, "@AGENTS.md x\n", "a @s/AGENTS.md\n", "@.goosehints. @AGENTS.md\n", "@../AGENTS.md\n"]


SHAPES = ["[CLAUDE.md]", "[AGENTS.md, .goosehints]", "'[\"CLAUDE.md\"]'", "CLAUDE.md", "{CLAUDE.md: 1}", "[]", "null", "[1, CLAUDE.md]", "[s/AGENTS.md]"]
IGNORED = ["AGENTS.md\n", "s/\n", "*.md\n!AGENTS.md\n", "/CLAUDE.md\n", "\ufeffAGENTS.md\r\n"]


def generate(r):
    trees = Trees(r)
    cwd = trees.cwd
    for d in trees.dirs:
        if r.random() < .15: trees.write(d + "/.gitignore", r.choice(IGNORED))
    trees.variables({"CONTEXT_FILE_NAMES": ['["CLAUDE.md"]', '["AGENTS.md", "CLAUDE.md"]', "[]", "AGENTS.md", ""], "GOOSE_PATH_ROOT": ["/g", "rel"], "XDG_CONFIG_HOME": ["/x", "rel"],
                     "GOOSE_ADDITIONAL_CONFIG_FILES": ["/x/more.yaml"]})
    for config in ["/h/.config/goose/config.yaml", "/x/goose/config.yaml", "/g/config/config.yaml", "/x/more.yaml", "/etc/goose/config.yaml"]:
        if r.random() < .12: trees.write(config, f"CONTEXT_FILE_NAMES: {r.choice(SHAPES)}\n")
    trees.fill(["/", *trees.dirs, "/h", "/h/.config/goose", "/x/goose", "/g/config", cwd + "/s", cwd + "/s/u", "/v"], NAMES, TEXTS)
    return trees.case(f"goose from {cwd}" + trees.read([*trees.dirs, cwd + "/s", cwd + "/s/u", "/v"]))
