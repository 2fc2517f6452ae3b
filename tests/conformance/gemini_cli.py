"""Asks the real Gemini CLI: `gemini -p` runs one turn against a mock of the Gemini API on 127.0.0.1, in this process.

`session`: `<loaded_context>…</loaded_context>` of the system instruction (role system) and of the first user message (role
user). `read`: what the result of `read_file` carries from `--- Newly Discovered Project Context ---` on (role tool).

Trust: a folder nobody decided about counts as trusted. A case that says nothing of trust is asked with trust given. Else
the client is asked as the case stands; without a terminal it ends with code 55 both where trust is undecided and where it
is denied, so it is asked again on a terminal, where a denied folder is no obstacle and an undecided one brings up a dialog.
"""
import casefile, fcntl, json, os, pty, re, signal, struct, subprocess, termios, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from chat_model import TASK, calls, is_subagent, prompt, words
from unfold import as_read

CLIENT, VERSION = "gemini-cli", "0.61.0"
PROXIES = {"HTTP_PROXY": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1,localhost"}
BUNDLE = "node_modules/@google/gemini-cli/bundle/gemini.js"
START, END = "--- Newly Discovered Project Context ---\n", "\n--- End Project Context ---"
UNTRUSTED = 55
DIALOG = b"Do you trust"

# The answers to the helper calls that want JSON.
HELPER = '{"reasoning":"x","next_speaker":"user","complexity_reasoning":"x","complexity_score":1,"model_choice":"flash","target_model":"flash"}'


def at_version(version):
    """The client below gemini-cli is that version."""
    global VERSION
    VERSION = version


def version(ask):
    return ask.edition or VERSION


def client(ask):
    """Where the client is: a case about another version has it beside."""
    return f"gemini-cli-{ask.edition}" if ask.edition else "gemini-cli"


class Model(ThreadingHTTPServer):
    """Answers request number i with the tool call `calls[i]`; the request after the last one ends the run. With `agent`, the
    kind of a sub-agent, it has that one started, and the calls and the last request are the sub-agent's."""
    daemon_threads = True

    def __init__(self, calls, agent=None):
        super().__init__(("127.0.0.1", 0), Answer)
        self.calls, self.last, self.lock, self.done = list(calls), None, threading.Lock(), threading.Event()
        # How many tokens it says that it was told, and how many results there were before its first call: none, or as many as
        # the first request has.
        self.told, self.before = 1, 0
        # The last request of the session that starts sub-agents.
        self.outer = None
        self.through = [("invoke_agent", {"agent_name": agent, "prompt": TASK})] if agent else []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        pass  # the client is killed once it said everything


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, value, stream=False):
        text = json.dumps(value)
        body = (f"data: {text}\r\n\r\n" if stream else text).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if stream else "application/json")
        self.send_header("content-length", str(len(body))); self.end_headers(); self.wfile.write(body)

    def do_GET(self):
        self.send({})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        if "countTokens" in self.path:
            return self.send({"totalTokens": 10})
        if "enerateContent" not in self.path:
            return self.send({})
        parts = [{"text": "ok"}]
        if body.get("tools"):
            with self.server.lock:
                results = sum("functionResponse" in part for content in body["contents"] for part in content.get("parts", []))
                self.server.before = results if self.server.before is None else self.server.before
                results -= self.server.before
                starts = self.server.through and TASK not in "".join(part.get("text", "") for part in body["contents"][0]["parts"])
                calls = self.server.through if starts else self.server.calls
                if starts:
                    self.server.outer = body
                else:
                    self.server.last = body
                if 0 <= results < len(calls):
                    name, arguments = calls[results]
                    parts = [{"functionCall": {"name": name, "args": arguments, "id": f"c{results}"}}]
                elif not starts:
                    self.server.done.set()
        elif body.get("generationConfig", {}).get("responseMimeType") == "application/json":
            parts = [{"text": HELPER}]
        told = self.server.told
        if "functionCall" in parts[0] and told > 1:  # What it is told next was summed up, and is not so much.
            self.server.told, self.server.calls = 1, []
        self.send({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
                   "usageMetadata": {"promptTokenCount": told, "candidatesTokenCount": 1, "totalTokenCount": told + 1}}, "stream" in self.path)


def environment(case, port, version):
    """Nothing of ours leaks in; whatever else the client tried on the network would meet a closed port. Before 0.44 it asked a
    proxy for what is on this machine, too."""
    proxies = PROXIES if [int(number) for number in version.split(".")] >= [0, 44] else {}
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": case.home(), "TERM": "xterm-256color", "LANG": "C.UTF-8", "TZ": "UTC", "GOOGLE_API_KEY": "dummy",
            "GOOGLE_GENAI_USE_VERTEXAI": "true", "GOOGLE_VERTEX_BASE_URL": f"http://127.0.0.1:{port}", "GEMINI_TELEMETRY_ENABLED": "false", "NO_COLOR": "1", "GEMINI_CLI_NO_RELAUNCH": "true",
            **proxies, **case.env()}


def run(clients, case, ask, terminal=False, trust=False):
    """The last request of a run, or the code it ended with before one."""
    other = {"edit": lambda path, text: ("replace", {"file_path": path, "old_string": text, "new_string": text + "more", "instruction": "change"}),
             "write": lambda path, _: ("write_file", {"file_path": path, "content": "new"}),
             "shell": lambda path, _: ("run_shell_command", {"command": f"cat '{path}'"})}
    model = Model(calls(ask, lambda path: ("read_file", {"file_path": path}), other), (ask.agent or "generalist") if is_subagent(case) else None)
    env = environment(case, model.server_address[1], version(ask))
    if trust:
        env["GEMINI_CLI_TRUST_WORKSPACE"] = "true"
    if terminal:  # on a terminal the environment alone does not choose how to sign in
        defaults = "/etc/sign-in.json"  # the client takes none from a folder that others may write to
        with open(defaults, "w") as f:
            f.write('{"security": {"auth": {"selectedType": "vertex-ai"}}}')
        env.setdefault("GEMINI_CLI_SYSTEM_DEFAULTS_PATH", defaults)
    command = ["node", os.path.join(clients, client(ask), BUNDLE), "-m", "gemini-2.5-flash", "-i" if terminal else "-p", prompt(ask)]
    command += ["--yolo"] if ask.tool != "read" or is_subagent(case) else []
    command += words(case.options("gemini-cli"))
    os.makedirs(case.home(), exist_ok=True)
    outer, inner = pty.openpty() if terminal else (None, subprocess.DEVNULL)
    if terminal:
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
    process = subprocess.Popen([*casefile.OBEYING, *command], cwd=ask.cwd, env=env, stdin=inner, stdout=inner if terminal else subprocess.PIPE,
                               stderr=inner if terminal else subprocess.STDOUT, start_new_session=True)
    output = []
    threading.Thread(target=drain, args=(outer if terminal else process.stdout.fileno(), output), daemon=True).start()
    deadline = time.monotonic() + 90
    while process.poll() is None and not model.done.wait(.02) and time.monotonic() < deadline and not (terminal and DIALOG in b"".join(output)):
        pass
    finished = model.done.is_set()
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    code = process.wait()
    model.shutdown(); model.server_close()
    if os.environ.get("GEMINI_OUTPUT"):
        os.write(2, b"".join(output))
    return model.last if finished else (code or 1)


def drain(fd, output):
    try:
        while data := os.read(fd, 65536):
            output.append(data)
    except OSError:
        pass


def loaded_context(parts):
    text = "\n".join(part.get("text", "") for part in parts)
    start, end = text.find("<loaded_context>\n"), text.rfind("\n</loaded_context>")
    return text[start:end] + "\n</loaded_context>" if 0 <= start < end else None


def discovered(contents):
    """What the last result of a call carries, or the message in which the user names a file."""
    text = ""
    for content in contents:
        results = [part["functionResponse"]["response"] for part in content.get("parts", []) if "functionResponse" in part]
        if results:
            text = results[-1].get("output") or "".join(part.get("text", "") for part in content["parts"])
    text = text or "".join(part.get("text", "") for part in contents[0]["parts"][1:])
    start, end = text.find(START), text.rfind(END)
    return text[start:end] + END if 0 <= start < end else None


def ask(clients, case, ask):
    said = any("trust" in (s.header + s.body).lower() or "RESTRICTED_MODE" in s.header for s in case.sections)
    body = run(clients, case, ask, trust=not said)
    if body == UNTRUSTED and said:
        body = run(clients, case, ask, terminal=True)
        if not isinstance(body, dict):
            body = run(clients, case, ask, trust=True)
    if not isinstance(body, dict):
        return "refused"
    found = [("session", "system", loaded_context(body.get("systemInstruction", {}).get("parts", []))),
             ("session", "user", loaded_context(body["contents"][0]["parts"][:1])),
             ("attach", "user", discovered(body["contents"])) if ask.tool == "mention" else
             ("read", "tool", discovered(body["contents"]) if ask.reading else None)]
    return [message for message in found if message[2] is not None]


def skills(clients, case, ask):
    body = run(clients, case, ask, trust=True)
    system = "".join(part.get("text", "") for part in body.get("systemInstruction", {}).get("parts", []))
    return casefile.skills("session", "system", system, "/bundle/builtin/")


def agents(clients, case, ask):
    """The sub-agents that the system instruction lists."""
    system = "".join(part.get("text", "") for part in run(clients, case, ask, trust=True).get("systemInstruction", {}).get("parts", []))
    return re.findall(r"^- (\S+) -> ", system, re.M)


def layers(clients, case, ask):
    """The prompt of a sub-agent of the user's own, and the user's own in the list of sub-agents."""
    body = run(clients, case, ask, trust=True)
    system = "".join(part.get("text", "") for part in body.get("systemInstruction", {}).get("parts", []))
    if is_subagent(case):
        own = re.split(r"\n\n# Available Agent Skills\n|\n\n\n# Contextual Instructions |\n\n<loaded_context>|\n\n# Environment Context\n", system)[0]
        return [("session", "system agent", own)] if ask.agent not in OWN_AGENTS else []
    listed = re.search(r"\n\nThe following sub-agents are available:\n\n(.*?)\n\nRemember that the closest relevant sub-agent ", system, re.S)
    entries = [entry for entry in re.split(r"\n(?=- \S+ -> )", listed[1]) if entry.split(" ")[1] not in OWN_AGENTS]
    return [("session", "system agents", "\n".join(entries))] if entries else []


OWN_AGENTS = ["codebase_investigator", "cli_help", "generalist"]


class Session:
    """A session for unfold.py: each turn is a run of its own, and from the second on one that resumes the session. The client sums
    up before a turn if the model said that it was told very much."""
    # Whether it may write files without being asked, for recorded.py.
    allowed = False

    def __init__(self, clients, case, ask):
        self.clients, self.case, self.ask, self.turns = clients, case, ask, 0
        self.model = Model([])
        os.makedirs(case.home(), exist_ok=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.model.shutdown(); self.model.server_close()

    def turn(self, said, calls=()):
        self.model.calls, self.model.before, self.model.last = list(calls), None, None
        env = {**environment(self.case, self.model.server_address[1], version(self.ask)), "GEMINI_CLI_TRUST_WORKSPACE": "true"}
        command = ["node", os.path.join(self.clients, client(self.ask), BUNDLE), "-m", "gemini-2.5-flash", "-p", said]
        command += ["--resume", "latest"] * (self.turns > 0) + ["--yolo"] * self.allowed
        run = subprocess.run(command, cwd=self.ask.cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240)
        if os.environ.get("GEMINI_OUTPUT"):
            os.write(2, run.stdout)
        self.turns += 1
        return self.model.last

    def hello(self):
        return self.turn("hi")

    def read(self, path):
        return self.turn("go on", [("read_file", {"file_path": as_read(self.ask, path)})])

    def shell(self, command):
        return self.turn("go on", [("run_shell_command", {"command": command})])

    def mention(self, path):
        return self.turn(f"go on @{path}")

    def resume(self):
        """Every turn but the first is one."""
        return self.turn("go on")

    def compact(self):
        """In the middle of a turn: what a model was told counts for the process only in which it said so."""
        self.model.told = 10 ** 9
        self.turn("go on", [("list_directory", {"dir_path": os.path.realpath(self.ask.cwd)})])
        self.model.told = 1
        return self.turn("go on")


# Random trees.

NAMES = ["GEMINI.md", "GEMINI.md", "GEMINI.md", "AGENTS.md", "Z.md", "docs/N.md", ".gemini/GEMINI.md", "a.md"]
FILE_NAMES = ["AGENTS.md", ["AGENTS.md"], ["Z.md", "AGENTS.md"], [".gemini/GEMINI.md", "docs/N.md"], ["GEMINI.md", "Z.md"], "./Z.md", ["../a.md"], [" AGENTS.md ", ""], "", [], None, "$NAME", "${NOPE:-Z}.md",
              "/Z.md", ["AGENTS.md", "AGENTS.md", "a.md"], "docs//N.md", "é.md"]
MARKER_LISTS = [[".git"], [], ["pkg"], [".git", "pkg"], ["a"], ["x/pkg"], ["/p/.git"], ["..", "pkg"], "pkg", "ab", [""], ["a.md"], None, [".git/HEAD"]]
TOKENS = ["@./a.md", "@a.md", "@b.md", "@./docs/b.md", "@../a.md", "@../../b.md", "@/p/a.md", "@/p/docs/b.md", "@/out.md", "@./GEMINI.md", "@../GEMINI.md", "@alice", "@bob,", "@./a.md,", "@./docs",
          "@./link.md", "@./dangling.md", "@./loop.md", "@~/x", "@https://x.y/z", "@./%61.md", "@./a.md/x", "@.", "@..", "@1", "@é", "@./é.md", "@docs/../b.md", "@./b.md\u00a0", "@./nope.md", "@AGENTS.md", "@c1.md", "@./c1.md", "@c5.md", "@r1.md",
          "@././a.md", "@.//a.md", "@a.md#x", "@a.md?x", "@./door/a.md", "@./linked/b.md", "@docs", "@./100%.md", "@/", "@./", "@...", "@./.git", "@/h/.gemini/GEMINI.md", "@file:///p/a.md", "@./a\\b.md", "@./big.md", "@/dev/null"]
CHUNKS = ["word", " ", " ", "\n", "\n\n", "\r\n", "\t", "# T", "`", "``", "```", "```\n", "~~~\n", "é", "😀", "\ufeff", "\u00a0", "\u3000", "<!-- c -->", "x@y", "(", ")", "\u2028", "$A", "    ", "\u200b", "\u0085"]

ODD_DIRS = ["e\u0301", "[x]", "-", "#h", "{a,b}", "$A", "(p)", "!s", "~", "a+b", ".hid", "\U0001f600", "node_modules"]
ODD_TOKENS = ["@./a\\ b.md", "@./a b.md", "@./e\u0301.md", "@./[x].md", "@\"a.md\"", "@'a.md'", "@./a.md\x00", "@<./a.md>", "@(a.md)", "@./a.md)", "@./a.md\u2028", "@./A.MD", "@a", "@./t/../a.md", "@./nope/../a.md", "@./a.md//", "@./.hid/a.md", "@\\a.md", "@./$A.md", "@./a.md\u200b", "@./-x.md", "@A.md", "@z@./a.md", "@./\U0001f600.md", "@a.md@b.md", "@./a.md\ufeff",
              "@./%2e%2e/a.md", "@./a%20b.md", "@./b.md%00", "@c1.md\n@c2.md", "@/p", "@/p/", "@../p/a.md", "@./GEMINI.md/../a.md"]
ODD_CHUNKS = ["\r", "\x00", "\x0b", "\x0c", "\u2029", "\x1b[0m", "- @./a.md\n", "# @./a.md\n", "    @./a.md\n", "> @./a.md\n", "| @./a.md |\n", "[x](@./a.md)", "<!-- @./a.md -->", "````\n", "`` ` @./a.md ``", "\\`@./a.md\\`", "--- Context from: x ---", "</project_context>", "<loaded_context>"]
ODD_SETTINGS = [{"context": "x"}, {"context": None}, {"context": []}, {"context": {"fileName": 5}}, {"context": {"fileName": {"a": 1}}}, {"context": {"fileName": ["AGENTS.md", 5]}}, {"context": {"fileName": [["AGENTS.md"]]}}, {"context": {"fileName": True}}, {"context": {"importFormat": 5}}, {"context": {"importFormat": None}}, {"context": {"includeDirectories": "/libs"}}, {"context": {"includeDirectories": [5]}},
                {"context": {"includeDirectories": None}}, {"context": {"memoryBoundaryMarkers": 5}}, {"context": {"memoryBoundaryMarkers": [5]}}, {"context": {"memoryBoundaryMarkers": {}}}, {"context": {"memoryBoundaryMarkers": [".git", None]}}, {"context": {"fileFiltering": "x"}}, {"context": {"fileFiltering": {"respectGitIgnore": "false"}}}, {"context": {"loadMemoryFromIncludeDirectories": "x"}}, {"context": {"discoveryMaxDirs": "x"}}, {"security": "x"},
                {"security": {"folderTrust": True}}, {"security": {"folderTrust": {"enabled": 1}}}, {"general": 5}, {"ui": "x"}, {"mcpServers": []}, {"zzz": 5}, {"contextFileName": "AGENTS.md"}, {"tools": []}, {"extensions": {"disabled": ["e0"]}}, {"extensions": "x"}, {"model": "x"}, {"experimental": {"jitContext": False}}, {"skills": 5}, {"context": {"fileName": "AGENTS.md\n"}}, {"context": {"fileName": "../p/a.md"}}, {"context": {"fileName": "~/x.md"}}]
JUNK = ["", "{", "null", "[]", "5", '"x"', "{'a': 1}", "{\"context\": {\"fileName\": \"AGENTS.md\",}}", "/* c */ {\"context\": {\"fileName\": \"AGENTS.md\"}} // d", "\ufeff{}", "{} {}", "{\"context\": {\"fileName\": \"Z.md\"}, \"context\": {\"fileName\": \"AGENTS.md\"}}", "{\"context\": {\"fileName\": \"${NAME}\"}}", "{\"context\": {\"fileName\": \"a\\tb.md\"}}"]
ODD_MANIFESTS = [{"contextFileName": 5}, {"contextFileName": None}, {"contextFileName": [5]}, {"contextFileName": {}}, {"contextFileName": ""}, {"contextFileName": ["", "X.md"]}, {"contextFileName": "/out.md"}, {"contextFileName": "${workspacePath}/a.md"}, {"contextFileName": "${NAME}"}, {"contextFileName": "$NAME"}, {"version": 5}, {"version": None}, {"name": 5}, {"name": None}, {"name": "a.b"}, {"name": "E0"}, {"mcpServers": 5}, {"excludeTools": "x"}, {"settings": 5}, {"plan": 5}, {"plan": {"directory": 5}}, {"zzz": 5}, {"migratedTo": "x"}]


def raw(text):
    return "".join(c if 32 <= ord(c) < 127 and c != "\\" else {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}.get(c) or "".join("\\x%02x" % b for b in c.encode("utf-8", "surrogateescape")) for c in text) + "\n"


def prose(r, tokens=.5):
    k = r.random()
    if k < .06: return r.choice(["", " ", "\n\t\n", "\ufeff", "\ufeff\n"])
    if k < .09: return "a\udcffb\udce4\udcb8 @./a.md"
    tokens_of = TOKENS if r.random() < .8 else TOKENS + ODD_TOKENS * 2
    chunks_of = CHUNKS if r.random() < .8 else CHUNKS + ODD_CHUNKS * 2
    return "".join((r.choice([" ", "\n", "", "\t"]) + r.choice(tokens_of) + r.choice([" ", "\n", "", " "])) if r.random() < tokens * .5 else r.choice(chunks_of) for _ in range(r.randint(1, 12))) + r.choice(["", "\n", "END\n"])


def generate(r):
    from casefile import Case, Section
    files, taken, folders = [], set(), set()

    def put(path, suffix, body):
        above = path
        while (above := os.path.dirname(above)) != "/":
            if above in taken: return
            folders.add(above)
        if path in taken or path in folders: return
        taken.add(path); files.append(Section(path + suffix, body))

    write = lambda path, text: put(path, " | raw", raw(text))
    link = lambda path, target: put(path, " -> " + target, "")
    folder = lambda path: files.append(Section(path + "/"))
    depth = r.choice([0, 1, 1, 2, 2, 3])
    dirs = ["/p"]
    for _ in range(depth):
        dirs.append(dirs[-1] + "/" + r.choice(["a", "b", "Abc", "x", "é", "GEMINI", "%41", "d.e"] * 3 + ODD_DIRS))
    cwd = dirs[r.randint(0, depth)]
    below = [cwd, cwd + "/" + r.choice(["s", "S", "docs"])]
    below.append(below[-1] + "/t")
    if r.random() < .5: link(cwd + "/door", r.choice(["s", "../p", "/out", ".", "docs"]))
    for d in dirs + below: folder(d)
    for d in dirs:
        k = r.random()
        if k < .25: folder(d + "/.git") if r.random() < .7 else write(d + "/.git", "gitdir: /x\n")
        elif k < .32: write(d + "/.git/HEAD", "ref: x\n")
        elif k < .36: link(d + "/.git", r.choice(["nowhere", ".git", "/out"]))
        if r.random() < .2: write(d + "/pkg", "")
        if r.random() < .05: write(d + "/x/pkg", "")
    for d in dict.fromkeys([*dirs, *below, "/h", "/h/.gemini", "/libs", "/libs/sub"]):
        for name in dict.fromkeys(NAMES):
            if r.random() < {"GEMINI.md": .6, "a.md": .3}.get(name, .15):
                k = r.random()
                if k < .86: write(f"{d}/{name}", prose(r))
                elif k < .95: link(f"{d}/{name}", r.choice(["a.md", "AGENTS.md", "GEMINI.md", "nowhere", name, "../GEMINI.md", "/h/.gemini/GEMINI.md", "/out/GEMINI.md", "docs"]))
                elif k < .98: folder(f"{d}/{name}") if f"{d}/{name}" not in taken else None
                elif name != "GEMINI.md" and f"{d}/GEMINI.md" not in taken and f"{d}/GEMINI.md" not in folders:
                    put(f"{d}/GEMINI.md", f" | hardlink {d}/{name}", ""); write(f"{d}/{name}", prose(r))
        for name in ("b.md", "docs/b.md", "é.md", "%61.md"):
            if r.random() < .35: write(f"{d}/{name}", prose(r, .8))
        if r.random() < .2: link(d + "/link.md", r.choice(["a.md", "/out.md", "docs/b.md"]))
        if r.random() < .1: link(d + "/loop.md", "loop.md")
        if r.random() < .1: link(d + "/dangling.md", r.choice(["nowhere.md", "/nowhere.md", "b.md"]))
    if r.random() < .25:
        d = r.choice(dirs)
        for number in range(1, 9): write(f"{d}/c{number}.md", f"C{number} @./c{number + 1}.md {r.choice(TOKENS)}\n")
        write(d + "/r1.md", "R1 @r2.md\n"); write(d + "/r2.md", "R2 @./r1.md @r2.md @r1.md\n")
    if r.random() < .1: link(cwd + "/linked", r.choice(["docs", "/p", "/out", "."]))
    if r.random() < .03: files.append(Section(cwd + "/big.md * 30000", "BIG @./a.md\n")); taken.add(cwd + "/big.md")
    write("/out.md", "OUT\n")
    write("/out/GEMINI.md", "OUT G @./x.md\n")
    context = {}
    if r.random() < .45: context["fileName"] = r.choice(FILE_NAMES)
    if r.random() < .3: context["memoryBoundaryMarkers"] = r.choice(MARKER_LISTS)
    if r.random() < .2: context["importFormat"] = r.choice(["flat", "flat", "tree", "x"])
    if r.random() < .2: context["includeDirectories"] = r.sample(["/libs", "/libs/sub", "~", "..", ".", "/p"], r.randint(1, 2)); folder("/libs/sub")
    if r.random() < .05: context["fileFiltering"] = r.choice([{"respectGitIgnore": False}, {"respectGeminiIgnore": False}, {"customIgnoreFilePaths": [".own"]}])
    whole = {"context": context} if context else {}
    if r.random() < .08: whole["general"] = {"plan": r.choice([{"directory": "plans"}, {"directory": "./s"}, {"directory": "../plans"}, {"enabled": False, "directory": "plans"}, {"directory": "door"}, {"directory": "/libs"}]), "enableAutoUpdate": False}
    if r.random() < .5: write(cwd + "/plans/GEMINI.md", prose(r))
    if r.random() < .12: whole["security"] = r.choice([{"folderTrust": {"enabled": False}}, {"folderTrust": {"enabled": True}}, {"folderTrust": {"enabled": "false"}}, {"blockGitExtensions": True}, {"allowedExtensions": ["^/h/", "e1"]}])
    if "folderTrust" in whole.get("security", {}) and r.random() < .7:
        rules = {r.choice([cwd, cwd + "/", "/p", cwd + "/s", os.path.dirname(cwd), "/", "/other", cwd + "/x"]): r.choice(["TRUST_FOLDER", "TRUST_PARENT", "DO_NOT_TRUST"]) for _ in range(r.randint(1, 3))}
        write("/h/.gemini/trustedFolders.json", json.dumps(rules))
    layers = {}
    for section, settings in whole.items():
        for key, value in settings.items():
            place = r.choice(["/h/.gemini/settings.json"] * 4 + [cwd + "/.gemini/settings.json"] * 3 + ["/etc/gemini-cli/settings.json", "/etc/gemini-cli/system-defaults.json"])
            layers.setdefault(place, {}).setdefault(section, {})[key] = value
    if r.random() < .1:
        place = r.choice(["/h/.gemini/settings.json", cwd + "/.gemini/settings.json", "/etc/gemini-cli/settings.json", "/etc/gemini-cli/system-defaults.json"])
        write(place, r.choice(JUNK)) if r.random() < .3 else layers.setdefault(place, {}).update(r.choice(ODD_SETTINGS))
    for path, settings in layers.items():
        text = json.dumps(settings, ensure_ascii=False)
        write(path, r.choice(["", "", "// c\n"]) + text + r.choice(["\n", "", " /* e */"]))
    home = "/h"
    if r.random() < .3:
        short = r.choice(["mine", os.path.basename(cwd).lower(), "p"])
        if r.random() < .6: write("/h/.gemini/projects.json", json.dumps({"projects": {r.choice([cwd, cwd, "/other"]): short}}))
        if r.random() < .4: write(f"/h/.gemini/tmp/{short}/.project_root", r.choice([cwd, "/other", cwd + "\n"]))
        write(f"/h/.gemini/tmp/{short}/memory/{r.choice(['MEMORY.md', 'MEMORY.md', 'GEMINI.md'])}", prose(r, .1))
    for number in range(r.choice([0, 0, 0, 1, 2])):
        place = f"/h/.gemini/extensions/e{number}"
        manifest = {"name": r.choice([f"e{number}", f"x-{number}", "", "a b"]), "version": "1"}
        if r.random() < .4: manifest["contextFileName"] = r.choice(["X.md", ["X.md", "GEMINI.md"], "${extensionPath}/X.md", "../X.md", [], ["docs/N.md"], "${/}X.md"])
        if r.random() < .15: manifest.update(r.choice(ODD_MANIFESTS))
        if r.random() < .03: write(place + "/gemini-extension.json", r.choice(JUNK))
        if r.random() < .1: manifest["plan"] = {"directory": r.choice(["plans", "s", "..", "docs"])}
        write(place + "/gemini-extension.json", json.dumps(manifest))
        if r.random() < .3: write(place + "/.gemini-extension-install.json", json.dumps({"source": r.choice([place, "/libs", "https://example.org/e", f"/out/e{number}"]), "type": r.choice(["local", "git", "link", "github-release"])}))
        for name in ("GEMINI.md", "X.md", "docs/N.md"):
            if r.random() < .7: write(f"{place}/{name}", prose(r, .2))
        if r.random() < .2: write("/h/.gemini/extensions/extension-enablement.json", json.dumps({manifest["name"]: {"overrides": r.sample(["!/p/*", "/p/*", "!/p/", f"{cwd}/", f"!{cwd}/*", "!/*"], 2)}}))
    env, options = {"NAME": "AGENTS.md"}, {}
    if r.random() < .06: options["extensions"] = [r.choice(["e0", "none", "E1", "e0,x-1", "zzz"])]
    if r.random() < .08: options["include-directories"] = [r.choice(["/libs", "/libs,..", "docs", "~/.gemini", "/p"])]; folder("/libs")
    if r.random() < .05: write("/h/.gemini/projects.json", r.choice(JUNK + ["{\"projects\": []}", "{\"projects\": {\"" + cwd + "\": 5}}", "{\"projects\": {\"" + cwd + "\": \"../x\"}}"]))
    if r.random() < .04: write("/h/.gemini/trustedFolders.json", r.choice(JUNK + [json.dumps({cwd: "TRUST"}), json.dumps({"~": "DO_NOT_TRUST"}), json.dumps({cwd.upper(): "DO_NOT_TRUST"}), json.dumps({".": "DO_NOT_TRUST"}), json.dumps({cwd + "/../": "DO_NOT_TRUST"})]))
    if r.random() < .12: write(r.choice([cwd, cwd + "/.gemini", "/p", "/h", "/h/.gemini"]) + "/.env", r.choice(["GEMINI_CLI_HOME=/c\n", "export NAME=Z.md\nOTHER='a.md'\n", "GEMINI_CLI_IDE_WORKSPACE_PATH=/libs\n", "# c\nA = 1 # x\n"])); write("/c/.gemini/GEMINI.md", "C HOME\n")
    if r.random() < .06: env["GEMINI_CLI_HOME"] = r.choice(["/h", "/p", ""])
    words = f"gemini-cli from {cwd}"
    if r.random() < .75:
        target = r.choice(below[1:] + dirs) + "/t.txt"
        write(target, "text\n")
        if os.path.dirname(target) in folders or target in taken:
            shown = target.replace(below[1], cwd + "/door", 1) if r.random() < .15 else target
            words += f" reading {shown}"
            if r.random() < .3: words += " by " + r.choice(["edit", "write", "write", "shell", "mention"])
        if r.random() < .08: write(r.choice(dirs) + "/.gitignore", r.choice(["*.txt\n", "s/\n", "!t.txt\n*.log\n"]))
        if r.random() < .08: write(cwd + "/.geminiignore", r.choice(["*.txt\n", "/s/**\n", "S\n", "t.txt\n!t.txt\n"]))
    if r.random() < .15 and " by " not in words:
        files.append(Section("@session subagent"))
        words += " as " + r.choice(["generalist", "codebase_investigator"])
    sections = [s for s in files if not (s.header.endswith("/") and s.header[:-1] in taken)] + [Section(f"@env {k}={v}") for k, v in env.items()]
    if options: sections.append(Section("@settings", json.dumps({"options": {"gemini-cli": options}}) + "\n"))
    return Case("", sections), words
