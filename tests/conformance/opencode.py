"""Asks the real OpenCode, of today, of mid-2026 or of early 2026: its binary runs one turn against a mock provider on 127.0.0.1, in
this process.

`session`: the `Instructions from:` entries of the first request's system text. `read`: the body of the
`<system-reminder>` that the answer to a read call carries. Every environment variable but the case's own is ours.
"""
import json, os, platform, re, shutil, subprocess, sys, tempfile, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from opencode_trees import generate  # for compare.py

CLIENT = "opencode"
SKILLS = "\nSkills provide specialized instructions and workflows for specific tasks.\n"
END = "\n</system-reminder>"
PROBE = ".briefing-probe"


class Now:
    version, place, options = "1.18.33", "opencode", ["--pure", "--auto"]
    environment_end, file_end = "\n</env>", "\n</content>"


class Middle(Now):
    version, place, options = "1.15.13", "opencode-1.15", ["--pure", "--dangerously-skip-permissions"]


class Early:
    version, place, options = "1.1.53", "opencode-1.1", []
    environment_end, file_end = "\n</env>\n<directories>\n  \n</directories>", "\n</file>"


def edition(ask):
    return {None: Now, "1.18": Now, "1.15": Middle, "1.1": Early}[ask.edition]


def version(ask):
    return edition(ask).version


class Provider(ThreadingHTTPServer):
    """Answers request number i with a read call of `reads[i]`, and the rest with `ok`. A read with a probe finds a
    file made for it, which is gone before the next request is built."""
    daemon_threads = True

    def __init__(self, reads):
        super().__init__(("127.0.0.1", 0), Answer)
        self.reads, self.requests, self.lock, self.made = list(reads), [], threading.Lock(), None
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send_response(404); self.send_header("content-length", "0"); self.end_headers()

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        path = None
        with self.server.lock:
            if body.get("tools"):  # titles and summaries have none
                step = len(self.server.requests)
                self.server.requests.append(body)
                if self.server.made:
                    os.remove(self.server.made); self.server.made = None
                path = self.server.reads[step] if step < len(self.server.reads) else None
                if path and os.path.basename(path) == PROBE:
                    open(path, "w").write("probe\n"); self.server.made = path
        chunks = [({"role": "assistant", "content": "" if path else "ok"}, None)]
        if path:
            call = {"name": "read", "arguments": json.dumps({"filePath": path})}
            chunks.append(({"tool_calls": [{"index": 0, "id": f"call_{step}", "type": "function", "function": call}]}, None))
        chunks.append(({}, "tool_calls" if path else "stop"))
        self.send_response(200); self.send_header("content-type", "text/event-stream"); self.send_header("connection", "close"); self.end_headers()
        for delta, finish in chunks:
            event = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
            if finish:
                event["usage"] = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")
        self.wfile.write(b"data: [DONE]\n\n"); self.wfile.flush()


def settings_of(case):
    return next((json.loads(s.body) for s in case.all("@settings") if s.body.strip()), {})


def content(value):
    return value if isinstance(value, str) else "".join(p.get("text", "") for p in value or [] if isinstance(p, dict))


def run(clients, client, case, cwd, reads, settings, allowed=True):
    """The requests of the last turn, or None when the client would not start. `allowed`: nothing has to be asked for, whatever
    the settings of the case say."""
    state, provider = tempfile.mkdtemp(prefix="opencode-"), Provider(reads)
    port, home, own = provider.server_address[1], case.home(), case.env()
    model = settings.get("model", "mock-model").split("/")[-1]
    config = {
        "$schema": "https://opencode.ai/config.json", "autoupdate": False, "share": "disabled", "snapshot": False, "lsp": False, "formatter": False,
        "enabled_providers": ["mock"], "model": f"mock/{model}", "small_model": f"mock/{model}", **({"permission": {"*": "allow", "external_directory": "allow"}} if allowed else {}),
        "provider": {"mock": {"npm": "@ai-sdk/openai-compatible", "name": "mock", "options": {"baseURL": f"http://127.0.0.1:{port}/v1", "apiKey": "none"},
                              "models": {model: {"name": model, "tool_call": True, "limit": {"context": 40000000, "output": 8192}}}}}}
    dead, nobody = "http://127.0.0.1:9", "127.0.0.1,localhost"
    env = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8", "TERM": "dumb", "HOME": home, "TMPDIR": state,
           "XDG_DATA_HOME": f"{state}/data", "XDG_CACHE_HOME": f"{state}/cache", "XDG_STATE_HOME": f"{state}/state",
           "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_SHARE": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
           "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1", "OPENCODE_PURE": "1", "OPENCODE_EXPERIMENTAL_DISABLE_FILEWATCHER": "1", "OPENCODE_MODELS_URL": f"{dead}/none",
           "npm_config_registry": dead, "NPM_CONFIG_REGISTRY": dead, "BUN_CONFIG_REGISTRY": dead, "http_proxy": dead, "https_proxy": dead, "HTTP_PROXY": dead,
           "HTTPS_PROXY": dead, "no_proxy": nobody, "NO_PROXY": nobody, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", **own, "PWD": cwd}
    # The mock provider's settings need a place the case does not use: the text in the environment, else the managed directory.
    if "OPENCODE_CONFIG_CONTENT" not in own:
        env["OPENCODE_CONFIG_CONTENT"] = json.dumps(config)
    else:
        if "OPENCODE_TEST_MANAGED_CONFIG_DIR" in own or os.path.exists("/etc/opencode"):
            raise SystemExit("a case may use OPENCODE_CONFIG_CONTENT or managed settings, not both")
        env["OPENCODE_TEST_MANAGED_CONFIG_DIR"] = f"{state}/managed"
        os.mkdir(f"{state}/managed")
        json.dump(config, open(f"{state}/managed/opencode.json", "w"))
    arch = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    binary = os.path.join(clients, f"{client.place}/node_modules/opencode-{sys.platform}-{arch}/bin/opencode")
    base = [binary, "run", *client.options, "--title", "t"]
    turns = [([*base], settings.get("agent"))]
    if settings.get("previousAgent"):
        turns = [([*base], settings["previousAgent"]), ([*base, "-c"], settings.get("agent", "build"))]
    try:
        for command, agent in turns:
            before = len(provider.requests)
            if command is not turns[-1][0]:
                held, provider.reads = provider.reads, []
            elif len(turns) > 1:
                provider.reads = [None] * before + held
            command += (["--agent", agent] if agent else []) + ["--", "hello"]
            done = subprocess.run(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
            if len(provider.requests) == before:
                sys.stderr.write(done.stderr.decode(errors="replace")[-700:] + "\n")
                # Without an agent to start with, the client of early 2026 says so and ends as if all were well.
                if done.returncode != 1 and not re.search(rb"default agent|no primary visible agent", done.stderr):
                    raise SystemExit(f"the client asked nothing and exited with {done.returncode}")
                return None
        return provider.requests[before:]
    finally:
        provider.shutdown(); provider.server_close()
        shutil.rmtree(state, ignore_errors=True)


def entries(system, client):
    """The instruction entries of a system text. The environment block ends before them, the skills block may follow."""
    end = client.environment_end
    start = system.index(end, system.index("\nHere is some useful information about the environment you are running in:\n<env>\n")) + len(end)
    rest = system[start:]
    end = rest.rfind(SKILLS)
    rest = rest if end < 0 else rest[:end]
    at = rest.find("\nInstructions from: ")
    return rest[at + 1:] if at >= 0 else ""


def listed(system):
    """The block of skills of a system text, whole, as Briefing says it."""
    at = system.rfind(SKILLS)
    return system[at + 1:] if at >= 0 else ""


def injected(output, client):
    block = client.file_end + "\n\n<system-reminder>\n"
    at = output.find(block)
    return output[at + len(block):-len(END)] if at >= 0 and output.endswith(END) else ""


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


def ask(clients, case, ask):
    os.makedirs(case.home(), exist_ok=True)
    kept = Kept(case)
    try:
        return one(clients, case, ask)
    finally:
        kept.restore()


def skills(clients, case, ask):
    os.makedirs(case.home(), exist_ok=True)
    kept = Kept(case)
    try:
        requests = run(clients, edition(ask), case, ask.cwd or "/", [], settings_of(case), allowed=False)
        block = listed(sent(requests)) if requests else ""
        return "refused" if requests is None else [("session", "system", block)] if block else []
    finally:
        kept.restore()


def sent(requests):
    """The system text of the first request."""
    system = [content(m["content"]) for m in requests[0]["messages"] if m["role"] in ("system", "developer")]
    if len(system) != 1:
        raise SystemExit(f"{len(system)} system messages")
    return system[0]


def one(clients, case, ask):
    # An injected file counts as already loaded once a read has injected it: a probe is read next to each, nearest to the root first.
    already = sorted(ask.already, key=lambda p: p.count("/"))
    if any(not os.path.isdir(os.path.dirname(p)) for p in already):
        return "skip"
    reads = [os.path.join(os.path.dirname(p), PROBE) for p in already] + ([ask.reading] if ask.reading else [])
    client = edition(ask)
    requests = run(clients, client, case, ask.cwd or "/", reads, settings_of(case))
    if requests is None:
        return "refused"
    messages = [("session", "system", entries(sent(requests), client))]
    outputs = [content(m["content"]) for m in requests[-1]["messages"] if m["role"] == "tool"]
    if len(outputs) != len(reads):
        raise SystemExit(f"{len(reads)} reads, {len(outputs)} answers")
    for path, output in zip(already, outputs):
        body = injected(output, client)
        if not body.startswith(f"Instructions from: {path}\n") or "\n\nInstructions from: /" in body:
            return "skip"
    if ask.reading:
        messages.append(("read", "tool", injected(outputs[-1], client)))
    return [m for m in messages if m[2]]
