"""Asks the real OpenCode, of today or an earlier one: its binary runs one turn against a mock provider on 127.0.0.1, in
this process.

`session`: the `Instructions from:` entries of the first request's system text. `read`: the body of the
`<system-reminder>` that the answer to a read call carries; `attach`: that of the text of an attached file. Of a sub-agent, both are
those of its own session, which a call of the task tool begins. Every environment variable but the case's own is ours. The skill tool wants `rg` on PATH, which the package of Codex brings.
"""
import json, os, platform, re, shlex, shutil, socket, subprocess, sys, tempfile, threading, time, urllib.error, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
import casefile, chat_model
from opencode_trees import generate  # for compare.py

CLIENT = "opencode"
SKILLS = "\nSkills provide specialized instructions and workflows for specific tasks.\n"
END = "\n</system-reminder>"
# Behind the environment, of the directories that settings describe.
REFERENCES = re.compile(r"^Project references provide .*?^</available_references>$", re.S | re.M)
PROBE = ".briefing-probe"


class Now:
    version, place, options = "1.18.33", "opencode", ["--pure", "--auto"]
    binary, prefix, own, keeps = "opencode-{}-{}/bin/opencode", "OPENCODE_", {}, None
    environment_end, file_end = "\n</env>", "\n</content>"


class Middle(Now):
    version, place, options = "1.15.13", "opencode-1.15", ["--pure", "--dangerously-skip-permissions"]


class Early(Now):
    version, place, options = "1.1.53", "opencode-1.1", []
    environment_end, file_end = "\n</env>\n<directories>\n  \n</directories>", "\n</file>"


# What `at_version` says that the client in CLIENTS/opencode is.
SWEPT = None

# Programs made of OpenCode, by the harness that asks for them.
OTHERS = {}


def at_version(number):
    """The client below opencode is that version."""
    global SWEPT
    SWEPT = of_version(number)
    SWEPT.place = "opencode"


def of_version(number):
    """How that version is run, and what stands in its texts around what is asked for; a case about it has it beside."""
    since = lambda other: [int(part) for part in number.split(".")] >= [int(part) for part in other.split(".")]

    class Client(Now):
        version, place = number, f"opencode-{number}"
        options = ["--pure", "--auto"] if since("1.17.18") else ["--pure", "--dangerously-skip-permissions"] if since("1.14") else []
        environment_end = "\n</env>" if since("1.14") else Early.environment_end if since("1.1.53") else "\n</env>\n<files>\n  \n</files>"
        file_end = Now.file_end if since("1.1.65") else Early.file_end
    return Client


def edition(ask):
    return OTHERS.get(ask.harness) or SWEPT or {None: Now, "1.18": Now, "1.15": Middle, "1.1": Early}.get(ask.edition) or of_version(ask.edition)


def version(ask):
    return edition(ask).version


HELLO, ERRAND = "hello", "Look around."


class Provider(ThreadingHTTPServer):
    """Answers each conversation with its own steps, each of which is a list of tool calls, and then with `ok`. A read with a
    probe finds a file made for it, which is gone before the next request is built."""
    daemon_threads = True

    def __init__(self, steps):
        super().__init__(("127.0.0.1", 0), Answer)
        self.steps, self.requests, self.lock, self.made = steps, [], threading.Lock(), []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def calls(self, body):
        """The calls that answer a request, which is kept with the name of its conversation."""
        said = [content(m["content"]) for m in body["messages"] if m["role"] == "user"]
        who = "errand" if any(text.startswith(ERRAND) for text in said) else "main" if body.get("tools") else "helper"
        with self.lock:
            self.requests.append((who, body))
            while self.made:
                os.remove(self.made.pop())
            done, steps = sum(bool(m.get("tool_calls")) for m in body["messages"]), self.steps.get(who, [])
            calls = steps[done] if done < len(steps) else []
            for path in [arguments.get("filePath", "") for _, arguments in calls]:
                if os.path.basename(path) == PROBE:
                    open(path, "w").write("probe\n"); self.made.append(path)
        return [(f"call_{done}_{nth}", name, arguments) for nth, (name, arguments) in enumerate(calls)]


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send_response(404); self.send_header("content-length", "0"); self.end_headers()

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        calls = self.server.calls(body)
        chunks = [({"role": "assistant", "content": "" if calls else "ok"}, None)]
        for nth, (id, name, arguments) in enumerate(calls):
            call = {"index": nth, "id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            chunks.append(({"tool_calls": [call]}, None))
        chunks.append(({}, "tool_calls" if calls else "stop"))
        self.send_response(200); self.send_header("content-type", "text/event-stream"); self.send_header("connection", "close"); self.end_headers()
        for delta, finish in chunks:
            event = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
            if finish:
                event["usage"] = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")
        self.wfile.write(b"data: [DONE]\n\n"); self.wfile.flush()


def content(value):
    return value if isinstance(value, str) else "".join(p.get("text", "") for p in value or [] if isinstance(p, dict))


def run(clients, client, case, cwd, steps, settings, allowed=True, attached=()):
    """The last turn's requests with the names of their conversations, or None when the client would not start. `allowed`: nothing
    has to be asked for, whatever the settings of the case say."""
    if client.keeps and client.keeps.fits(case, settings, allowed, attached):
        return client.keeps.run(clients, client, cwd, steps, settings)
    state, provider = tempfile.mkdtemp(prefix="opencode-"), Provider({})
    home, own = case.home(), case.env()
    config = mocked(provider, settings.get("model", "mock-model").split("/")[-1], allowed)
    env = surroundings(client, home, state, own, cwd)
    # The mock provider's settings need a place the case does not use: the text in the environment, else the managed directory.
    content, managed = f"{client.prefix}CONFIG_CONTENT", f"{client.prefix}TEST_MANAGED_CONFIG_DIR"
    if content not in own:
        env[content] = json.dumps(config)
    else:
        if managed in own or os.path.exists(f"/etc/{client.prefix[:-1].lower()}"):
            raise SystemExit(f"a case may use {content} or managed settings, not both")
        env[managed] = f"{state}/managed"
        os.mkdir(f"{state}/managed")
        json.dump(config, open(f"{state}/managed/opencode.json", "w"))
    binary = program(clients, client)
    agents = [settings["previousAgent"], settings.get("agent", "build")] if settings.get("previousAgent") else [settings.get("agent")]
    errand = settings.get("session") == "subagent"
    try:
        if "extraSystemPrompt" in settings:
            provider.steps = {"main": steps}
            return provider.requests if served(binary, env, cwd, settings) else None
        for turn, agent in enumerate(agents):
            before, last = len(provider.requests), turn == len(agents) - 1
            if last and errand:
                call = {"description": "errand", "prompt": ERRAND, "subagent_type": settings.get("agent", "general")}
                agent, provider.steps = None, {"main": [[("task", call)]], "errand": steps}
            elif last:
                provider.steps = {"main": steps}
            command = [*casefile.OBEYING, binary, "run", *client.options, *chat_model.words(case.options(client.place.split("-")[0])), "--title", "t", *(["-c"] if turn else []), *(["--agent", agent] if agent else [])]
            command += [word for path in attached for word in ("-f", path)] if last else []
            done = subprocess.run([*command, "--", HELLO], cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
            if os.environ.get("CLIENT_OUTPUT"):
                os.write(2, done.stdout + done.stderr)
            if len(provider.requests) == before:
                sys.stderr.write(done.stderr.decode(errors="replace")[-700:] + "\n")
                # Without an agent to start with, the client of early 2026 says so and ends as if all were well; 1.14 where links loop.
                if done.returncode != 1 and not re.search(rb"default agent|no primary visible agent|ELOOP", done.stderr):
                    raise SystemExit(f"the client asked nothing and exited with {done.returncode}")
                return None
        return provider.requests[before:]
    finally:
        provider.shutdown(); provider.server_close()
        shutil.rmtree(state, ignore_errors=True)


def surroundings(client, home, state, own, cwd):
    """The variables that the client runs with."""
    dead, nobody = "http://127.0.0.1:9", "127.0.0.1,localhost"
    switches = {"DISABLE_AUTOUPDATE": "1", "DISABLE_MODELS_FETCH": "1", "DISABLE_SHARE": "1", "DISABLE_LSP_DOWNLOAD": "1", "DISABLE_DEFAULT_PLUGINS": "1",
                "PURE": "1", "EXPERIMENTAL_DISABLE_FILEWATCHER": "1", "MODELS_URL": f"{dead}/none", **client.own}
    return {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8", "TERM": "dumb", "HOME": home, "TMPDIR": state,
            "XDG_DATA_HOME": f"{state}/data", "XDG_CACHE_HOME": f"{state}/cache", "XDG_STATE_HOME": f"{state}/state",
            **{client.prefix + name: value for name, value in switches.items()},
            "npm_config_registry": dead, "NPM_CONFIG_REGISTRY": dead, "BUN_CONFIG_REGISTRY": dead, "http_proxy": dead, "https_proxy": dead, "HTTP_PROXY": dead,
            "HTTPS_PROXY": dead, "no_proxy": nobody, "NO_PROXY": nobody, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", **own, "PWD": cwd}


def program(clients, client):
    arch = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return os.path.join(clients, client.place, "node_modules", client.binary.format(sys.platform, arch))


def mocked(provider, model, allowed):
    """Settings by which the client asks the mock provider."""
    permission = {"permission": {"*": "allow", "external_directory": "allow"}} if allowed else {}
    options = {"baseURL": f"http://127.0.0.1:{provider.server_address[1]}/v1", "apiKey": "none"}
    models = {model: {"name": model, "tool_call": True, "limit": {"context": 40000000, "output": 8192}}}
    return {"$schema": "https://opencode.ai/config.json", "autoupdate": False, "share": "disabled", "snapshot": False, "lsp": False, "formatter": False,
            "enabled_providers": ["mock"], "model": f"mock/{model}", "small_model": f"mock/{model}", **permission,
            "provider": {"mock": {"npm": "@ai-sdk/openai-compatible", "name": "mock", "options": options, "models": models}}}


def served(binary, env, cwd, settings):
    """The same by the client's own server, as editors do it; whether that answered. What `run` cannot say is said so."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([*casefile.OBEYING, binary, "serve", "--port", str(port)], cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    message = {"agent": settings.get("agent"), "system": settings.get("extraSystemPrompt"), "parts": [{"type": "text", "text": HELLO}]}

    def post(path, body, seconds):
        data = json.dumps({k: v for k, v in body.items() if v}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, {"content-type": "application/json"})
        return json.load(urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=seconds))
    try:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and server.poll() is None:
            try:
                session = post("/session", {"title": "t"}, 15)["id"]
                return bool(post(f"/session/{session}/message", message, 120))
            except urllib.error.HTTPError as refusal:
                sys.stderr.write(refusal.read().decode(errors="replace")[:700] + "\n")
                return False
            except OSError:  # What comes before the server listens, it takes and never answers.
                time.sleep(.05)
        raise SystemExit("the client's server did not start")
    finally:
        server.kill(); server.wait()


class Turns(Provider):
    """Answers a session's request with the call that is due, if one is; what it is asked beside it, with a summary."""

    def __init__(self):
        super().__init__({})
        self.due = []

    def calls(self, body):
        who = "main" if body.get("tools") else "helper"
        with self.lock:
            self.requests.append((who, body))
            return [("call_" + os.urandom(4).hex(), *self.due.pop())] if who == "main" and self.due else []


class Session:
    """A session of the client's own server, as editors have it, step by step."""

    def __init__(self, clients, case, ask):
        self.case, self.ask, self.client, self.settings = case, ask, edition(ask), question(case, ask)
        self.binary, self.state, self.provider = program(clients, self.client), tempfile.mkdtemp(prefix="opencode-"), Turns()

    def __enter__(self):
        self.env = surroundings(self.client, self.case.home(), self.state, self.case.env(), self.ask.cwd)
        self.env[f"{self.client.prefix}CONFIG_CONTENT"] = json.dumps(mocked(self.provider, "mock-model", True))
        os.makedirs(self.case.home(), exist_ok=True)
        try:
            self.serve()
        except BaseException:
            self.__exit__()
            raise
        self.id = self.asked("/session", {"title": "t"})["id"]
        return self

    def __exit__(self, *_):
        self.stop(); self.provider.shutdown(); self.provider.server_close()
        shutil.rmtree(self.state, ignore_errors=True)

    def serve(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.server = subprocess.Popen([*casefile.OBEYING, self.binary, "serve", "--port", str(self.port)], cwd=self.ask.cwd, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if not any(b" listening on " in line for line in self.server.stdout):
            raise SystemExit("the client's server did not start")

    def asked(self, path, body):
        data = json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, {"content-type": "application/json"})
        return json.load(urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=240))

    def stop(self):
        self.server.kill(); self.server.wait(); self.server.stdout.close()

    def hello(self, *parts):
        self.asked(f"/session/{self.id}/message", {"parts": [{"type": "text", "text": HELLO}, *parts]})
        return [body for who, body in self.provider.requests if who == "main"][-1]

    def read(self, path):
        self.provider.due.append(call("read", path))
        return self.hello()

    def edit(self, path):
        self.provider.due.append(call("edit", path))
        return self.hello()

    def write(self, path):
        self.provider.due.append(call("write", path))
        return self.hello()

    def shell(self, command):
        self.provider.due.append(("bash", {"command": command, "description": "Runs a command"}))
        return self.hello()

    def skill(self, name):
        self.provider.due.append(("skill", {"name": name}))
        return self.hello()

    def mention(self, path):
        return self.hello({"type": "file", "mime": "text/plain", "filename": os.path.basename(path), "url": f"file://{path}"})

    def compact(self):
        self.asked(f"/session/{self.id}/summarize", {"providerID": "mock", "modelID": "mock-model"})
        return self.hello()

    def resume(self):
        self.stop(); self.serve()
        return self.hello()


def called(clients, case, ask):
    """The answer to a call of the skill tool, or what a command becomes that the user types."""
    if ask.calling.startswith("/"):
        return typed(clients, case, ask)
    with Session(clients, case, ask) as session:
        session.hello()
        return [("call", "tool", content(session.skill(ask.calling)["messages"][-1]["content"]))]


def typed(clients, case, ask):
    """What a command becomes that the user types; the client's own are measured."""
    client, (name, _, words), provider = edition(ask), ask.calling[1:].partition(" "), Provider({})
    with tempfile.TemporaryDirectory(prefix="opencode-") as state:
        env = surroundings(client, case.home(), state, case.env(), ask.cwd)
        env[f"{client.prefix}CONFIG_CONTENT"] = json.dumps(mocked(provider, "mock-model", True))
        os.makedirs(case.home(), exist_ok=True)
        # The client puts words in quotes that hold a space.
        command = [*casefile.OBEYING, program(clients, client), "run", *client.options, "--title", "t", "--command", name, "--", *shlex.split(words)]
        subprocess.run(command, cwd=ask.cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
    provider.shutdown(); provider.server_close()
    said = [m["content"] for who, body in provider.requests if who == "main" for m in body["messages"] if m["role"] == "user"]
    text = said[-1] if isinstance(said[-1], str) else said[-1][0]["text"]
    is_own = name in ("init", "review") and not any(f"/{name}.md" in s.header for s in case.sections if not s.word.startswith("@"))
    return [("call", "user", casefile.sized(text) if is_own else text)]


def entries(system, client):
    """The instruction entries of a system text. The environment block ends before them, the skills block stands before or behind."""
    end = client.environment_end
    start = system.index(end, system.index("\nHere is some useful information about the environment you are running in:\n<env>\n")) + len(end)
    rest = system[start:]
    end = rest.rfind(SKILLS)
    # Before 1.14 they stood first.
    rest = rest[:end] if end > rest.find("\nInstructions from: ") else rest
    at = rest.find("\nInstructions from: ")
    return rest[at + 1:] if at >= 0 else ""


def listed(system):
    """The block of skills of a system text, whole, as Briefing says it."""
    at, end = system.rfind(SKILLS), "</available_skills>"
    block = system[at + 1:system.rfind(end) + len(end) if end in system[at:] else None] if at >= 0 else ""
    return block.partition("\nInstructions from: ")[0]


def injected(output, client):
    block = client.file_end + "\n\n<system-reminder>\n"
    at = output.find(block)
    return output[at + len(block):-len(END)] if at >= 0 and output.endswith(END) else ""


def around(system, client):
    """The block about the environment."""
    start, end = system.index("You are powered by the model named "), client.environment_end
    return system[start:system.index(end, start) + len(end)]


class Kept:
    """The client writes into the tree (`$schema`, `.git/opencode`); the next question must find it as it was laid out."""

    def __init__(self, case):
        self.tops = {"/" + s.header.split("/")[1].split(" ")[0] for s in case.sections if s.header.startswith("/")} | {case.home()}
        self.tops = {t for t in self.tops if not os.path.exists(f"{t}/systemd") and t not in ("/usr", "/etc", "/tmp", "/proc", "/dev", "/sys", "/root")}
        self.found, self.stat = self.walk(), {}
        for path in self.found:
            if os.path.isfile(path) and not os.path.islink(path) and os.path.getsize(path) < 1 << 20:
                self.stat[path] = open(path, "rb").read()

    def walk(self):
        found = {t: 0 for t in self.tops if os.path.lexists(t)}
        for top in list(found):
            for where, dirs, files in os.walk(top):
                found.update({os.path.join(where, n): 0 for n in dirs + files})
        return found

    def restore(self):
        for path in sorted(self.walk(), reverse=True):
            if path not in self.found:
                os.rmdir(path) if os.path.isdir(path) and not os.path.islink(path) else os.remove(path)
        for path, data in self.stat.items():
            if open(path, "rb").read() != data:
                open(path, "wb").write(data)


def keeping(asked):
    """Puts the tree back as it was laid out after a question."""
    def kept_so(clients, case, ask):
        os.makedirs(case.home(), exist_ok=True)
        kept = Kept(case)
        try:
            return asked(clients, case, ask)
        finally:
            kept.restore()
    return kept_so


def question(case, ask):
    """What is asked beside the place: the settings of the case, with what the question itself says."""
    session = next((s.header.split()[1] for s in case.all("@session")), None)
    return {**case.settings(), **({"agent": ask.agent} if ask.agent else {}), **({"session": session} if session else {})}


def asked_for(requests, settings):
    """The requests of the conversation that the question is about."""
    who = "errand" if settings.get("session") == "subagent" else "main"
    found = [body for name, body in requests or [] if name == who]
    # Without any tools it is the session of an agent that has none: what else has none is not asked for.
    return found or [body for name, body in requests or [] if who == "main"]


def agents(clients, case, ask):
    """The names that `agent list` prints, hidden ones among them."""
    client, cwd = edition(ask), ask.cwd or "/"
    with tempfile.TemporaryDirectory(prefix="opencode-") as state:
        command = [*casefile.OBEYING, program(clients, client), "agent", "list"]
        said = subprocess.run(command, cwd=cwd, env=surroundings(client, case.home(), state, case.env(), cwd), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    return re.findall(r"^(\S.*) \((?:primary|subagent|all)\)$", said.stdout, re.M)


@keeping
def skills(clients, case, ask):
    settings = question(case, ask)
    requests = asked_for(run(clients, edition(ask), case, ask.cwd or "/", [], settings, allowed=False), settings)
    block = listed(sent(requests)) if requests else ""
    return "refused" if not requests else [("session", "system", block)] if block else []


@keeping
def environment(clients, case, ask):
    """The block, on the day of the cases, and what is told of references."""
    settings, client = question(case, ask), edition(ask)
    requests = asked_for(run(clients, client, case, ask.cwd or "/", [], settings), settings)
    if not requests:
        return "refused"
    system = sent(requests)
    return [("session", "system", casefile.on_the_day(block)) for block in [around(system, client), *REFERENCES.findall(system)]]


@keeping
def reminders(clients, case, ask):
    """What the client adds to the user's message, and what it puts into the model's mouth: in the first request of the turn, or in
    the one that carries the answer of a read."""
    settings = question(case, ask)
    steps = [[call("read", path)] for path in [*ask.after, *([ask.reading] if ask.reading else [])]]
    requests = asked_for(run(clients, edition(ask), case, ask.cwd or "/", steps, settings), settings)
    if not requests:
        return "refused"
    last = [m for m in requests[0]["messages"] if m["role"] == "user"][-1]
    parts = last["content"] if isinstance(last["content"], list) else [{"text": last["content"]}]
    said = [("session", "user", part["text"]) for part in parts if part.get("text", HELLO).strip() not in (HELLO, ERRAND)]
    for trigger, request in [("session", requests[0]), ("read", requests[-1])]:
        end = request["messages"][-1]
        if end["role"] == "assistant":
            return said + [(trigger, "assistant", content(end["content"]))]
    return said


def sent(requests):
    """The system text of the first request."""
    system = [content(m["content"]) for m in requests[0]["messages"] if m["role"] in ("system", "developer")]
    if len(system) != 1:
        raise SystemExit(f"{len(system)} system messages")
    return system[0]


def call(tool, path):
    """The call by which a tool reaches a file."""
    return {"read": ("read", {"filePath": path}), "write": ("write", {"filePath": path, "content": "x\n"}),
            "edit": ("edit", {"filePath": path, "oldString": "x", "newString": "z"}),
            "shell": ("bash", {"command": f"cat '{path}'", "description": "Prints a file"})}[tool]


@keeping
def ask(clients, case, ask):
    # An injected file counts as already loaded once a read has injected it: a probe is read next to each, nearest to the root first.
    already = sorted(ask.already, key=lambda p: p.count("/"))
    if any(not os.path.isdir(os.path.dirname(p)) for p in already):
        return "skip"
    attached = [ask.reading] if ask.reading and ask.tool == "mention" else []
    reads = [os.path.join(os.path.dirname(p), PROBE) for p in already] + ask.after
    steps = [[call("read", path)] for path in reads] + ([[call(ask.tool, ask.reading)]] if ask.reading and not attached else [])
    client, settings = edition(ask), question(case, ask)
    requests = asked_for(run(clients, client, case, ask.cwd or "/", steps, settings, attached=attached), settings)
    if not requests:
        return "refused"
    system = sent(requests).removesuffix("\n" + settings.get("extraSystemPrompt", "\0"))
    messages = [("session", "system", entries(system, client))]
    outputs = [content(m["content"]) for m in requests[-1]["messages"] if m["role"] == "tool"]
    if len(outputs) != len(steps):
        raise SystemExit(f"{len(steps)} calls, {len(outputs)} answers")
    for path, output in zip(already, outputs):
        body = injected(output, client)
        if not body.startswith(f"Instructions from: {path}\n") or "\n\nInstructions from: /" in body:
            return "skip"
    if attached:
        parts = [m["content"] for m in requests[0]["messages"] if m["role"] == "user"][-1]
        texts = [part.get("text", "") for part in parts] if isinstance(parts, list) else [parts]
        messages += [("attach", "user", body) for body in (injected(text, client) for text in texts) if body]
    elif ask.reading:
        messages.append(("read", "tool", injected(outputs[-1], client)))
    return [m for m in messages if m[2]]
