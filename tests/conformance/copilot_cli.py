"""Asks the real Copilot CLI: `copilot -p` runs one turn, offline, against a mock of an OpenAI-compatible provider on
127.0.0.1, in this process.

`session`: the part of the system message that instruction files make (role system), from the first file to the end of the
last table. `read`: one message (role user) per `<system_reminder>…</system_reminder>` block that follows a `view`.
"""
import json, os, re, signal, subprocess, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CLIENT, VERSION = "copilot-cli", "1.0.102"
BINARY = "copilot-cli/node_modules/@github/copilot-linux-x64/copilot"
BEFORE, AFTER = "\n</tools>", "\n<system_notifications>\n"


class Provider(ThreadingHTTPServer):
    """Answers request number i with a `view` of `reads[i]`; the request after the last one ends the run."""
    daemon_threads = True

    def __init__(self, reads):
        super().__init__(("127.0.0.1", 0), Answer)
        self.reads, self.last, self.done = list(reads), None, threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        pass  # the client is killed once it said everything


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, kind, body):
        self.send_response(200); self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body))); self.end_headers(); self.wfile.write(body)

    def do_GET(self):
        self.send("application/json", b'{"data":[]}')

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        if "chat/completions" not in self.path:
            return self.do_GET()
        message, finish = {"role": "assistant", "content": "ok"}, "stop"
        if body.get("tools"):
            self.server.last = body
            results = sum(m["role"] == "tool" for m in body["messages"])
            if results < len(self.server.reads):
                call = {"name": "view", "arguments": json.dumps({"path": self.server.reads[results]})}
                message = {"role": "assistant", "content": None, "tool_calls": [{"index": 0, "id": f"call_{results}", "type": "function", "function": call}]}
                finish = "tool_calls"
            else:
                self.server.done.set()
        base = {"id": "c", "created": 1, "model": body.get("model")}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        if not body.get("stream"):
            value = {**base, "object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": usage}
            return self.send("application/json", json.dumps(value).encode())
        events = [{"choices": [{"index": 0, "delta": message, "finish_reason": None}]}, {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}], "usage": usage}]
        lines = [b"data: " + json.dumps({**base, "object": "chat.completion.chunk", **event}).encode() for event in events]
        self.send("text/event-stream", b"\n\n".join([*lines, b"data: [DONE]", b""]))


def environment(case, port):
    """Nothing of ours leaks in; whatever else the client tried on the network would meet a closed port."""
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": case.home(), "TERM": "dumb", "LANG": "C.UTF-8", "TZ": "UTC", "CI": "1", "NO_COLOR": "1", "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false", "COPILOT_PROVIDER_BASE_URL": f"http://127.0.0.1:{port}/v1", "COPILOT_PROVIDER_TYPE": "openai", "COPILOT_PROVIDER_API_KEY": "dummy",
            "COPILOT_MODEL": "gpt-4.1", "HTTP_PROXY": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1,localhost", **case.env()}


def flags(case):
    """`{"options": {"copilot-cli": {"no-custom-instructions": true}}}` of @settings."""
    settings = next((json.loads(s.body) for s in case.all("@settings")), {})
    options = settings.get("options", {}).get("copilot-cli", {})
    return [f"--{name}" for name, value in options.items() if value is True]


def run(clients, case, ask):
    reads = [*ask.already, *([ask.reading] if ask.reading else [])]
    provider = Provider([os.path.join(os.path.realpath(ask.cwd), read) for read in reads])
    os.makedirs(case.home(), exist_ok=True)
    process = subprocess.Popen([os.path.join(clients, BINARY), "-p", "hi", "--allow-all-tools", "--allow-all-paths", "--no-auto-update", *flags(case)], cwd=ask.cwd,
                               env=environment(case, provider.server_address[1]), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    output = []
    threading.Thread(target=lambda: output.append(process.stdout.read()), daemon=True).start()
    deadline = time.monotonic() + 90
    while process.poll() is None and not provider.done.wait(.02) and time.monotonic() < deadline:
        pass
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(); provider.shutdown(); provider.server_close()
    if os.environ.get("COPILOT_OUTPUT"):
        os.write(2, b"".join(output))
    return provider.last if provider.done.is_set() else None


def text(content):
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or [])


def ask(clients, case, ask):
    body = run(clients, case, ask)
    if body is None:
        return "refused"
    system = "\n".join(text(m["content"]) for m in body["messages"] if m["role"] == "system")
    start, end = system.find(BEFORE) + len(BEFORE), system.rfind(AFTER)
    section = system[start:end].removeprefix("\n\n")
    messages = [("session", "system", section)] if section else []
    if ask.reading:
        last = max(i for i, m in enumerate(body["messages"]) if m["role"] == "tool")
        added = "\n".join(text(m["content"]) for m in body["messages"][last + 1:] if m["role"] == "user")
        blocks = re.findall(r"<system_reminder>\n.*?\n</system_reminder>", added, re.S)
        messages += [("read", "user", block) for block in blocks if "\nCustom instructions from " in block]
    return messages


# Random trees.

TEXTS = ["SAME", "ONE", "TWO @a.md", "THREE @./b.md, and (@sub/c.md).", "FOUR @../a.md @AGENTS.md", "`@a.md` @b.md ` @c.md", "```\n@a.md\n```\n@b.md", "~~~\n@a.md\n~~~ @b.md", "x@a.md -@b.md é@a.md", "@noext @./noext @alice @b.md.",
         "@a.md @a.md", "<b> & \"q\" 'x'", "| a | b |", "@a.md\"x @link.md", "@/p/a.md @~/a.md @sub/ @sub", "one\n\n\ntwo", "\ufeffBOM", " lead and trail \n\n"]
PATTERNS = ['"**"', "'**/*'", "*", '"*"', '""', '"**/*.ts"', "**/*.ts", '"src/**"', '"*.txt, *.md"', '["**/*.txt", "x"]', '["**"]', "[]", "t.txt", "s/*", '"./s/**"', '"!**/*.ts"', '"{s,src}/*.{ts,txt}"', "null", "5", '" ** "',
            "\n  - s/**\n  - \"**/*.ts\"", '"**/s/**"', '"/s/*"', '"s"', '"[s-t]*"']


def body(r):
    return r.choice(TEXTS) + r.choice(["", "\n", "\n", "\r\n", "\n\n"])


def instructions(r):
    lines = []
    if r.random() < .75: lines.append(f"{r.choice(['applyTo', 'applyTo', 'paths'])}: {r.choice(PATTERNS)}")
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
    for _ in range(depth): dirs.append(dirs[-1] + "/" + r.choice(["a", "b", "s", "src", "X"]))
    cwd = dirs[r.randint(0, depth)]
    below = cwd + "/" + r.choice(["s", "src", "n"])
    for d in dirs:
        files.append(Section(d + "/")); folders.add(d)
    k = r.random()
    if k < .7: files.append(Section("/p/ | git")); folders.add("/p/.git")
    elif k < .78: write("/p/.git", r.choice(["gitdir: /nowhere\n", "garbage\n"]))
    elif k < .84: files.append(Section("/p/.git/")); folders.add("/p/.git")
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
    write("/out.md", "OUT\n")
    env = {}
    home = "/h/.copilot"
    if r.random() < .1: env["COPILOT_HOME"] = home = "/c"
    if r.random() < .4: write(home + "/copilot-instructions.md", body(r))
    if r.random() < .3: write(home + "/a.md", body(r))
    for name in ("u", "sub/v"):
        if r.random() < .25: write(f"{home}/instructions/{name}.instructions.md", instructions(r))
    if r.random() < .2:
        env["COPILOT_CUSTOM_INSTRUCTIONS_DIRS"] = r.choice(["/x", "/x, /y", "/missing,/x", "rel"])
        for d in ("/x", "/y", cwd + "/rel"):
            for name in ("AGENTS.md", "i.instructions.md", "d/j.instructions.md", ".github/instructions/k.instructions.md"):
                if r.random() < .4: write(f"{d}/{name}", instructions(r) if name != "AGENTS.md" else body(r))
    words = f"copilot-cli from {cwd}"
    if r.random() < .8:
        target = r.choice([below, below + "/t", below + "/t", *dirs, "/q"]) + "/" + r.choice(["t.txt", "x.ts", "m.md"])
        write(target, "text\n")
        if target in taken: words += f" reading {target}"
    return Case("", files + [Section(f"@env {k}={v}") for k, v in env.items()]), words
