"""A mock of an OpenAI-compatible provider of chat models on 127.0.0.1, in this process, for drivers of clients that speak to one."""
import json, os, signal, subprocess, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Model(ThreadingHTTPServer):
    """Answers request number i with the tool call `calls[i]`, a pair of name and arguments; the request after the last one
    ends the run. Where the client has tools, requests without any are helpers' and are answered in a word."""
    daemon_threads = True

    def __init__(self, calls, tools=True):
        super().__init__(("127.0.0.1", 0), Answer)
        self.calls, self.tools, self.last, self.done = list(calls), tools, None, threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

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
        if body.get("tools") or not self.server.tools:
            self.server.last = body
            results = sum(m["role"] == "tool" for m in body["messages"])
            if results < len(self.server.calls):
                name, arguments = self.server.calls[results]
                call = {"name": name, "arguments": json.dumps(arguments)}
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


def environment(case, **more):
    """Nothing of ours leaks in; whatever else the client tried on the network would meet a closed port."""
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": case.home(), "TERM": "dumb", "LANG": "C.UTF-8", "TZ": "UTC", "CI": "1", "NO_COLOR": "1",
            "HTTP_PROXY": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1,localhost", **more, **case.env()}


def reads(ask):
    """What the client is to read, in order: absolute paths."""
    return [os.path.join(os.path.realpath(ask.cwd), read) for read in [*ask.already, *([ask.reading] if ask.reading else [])]]


def last_request(model, command, ask, env, seconds=240):
    """Runs a client until it said everything; its last request, or `None` where it ended before."""
    process = subprocess.Popen(command, cwd=ask.cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    output = []
    threading.Thread(target=lambda: output.append(process.stdout.read()), daemon=True).start()
    deadline = time.monotonic() + seconds
    while process.poll() is None and not model.done.wait(.02) and time.monotonic() < deadline:
        pass
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(); model.shutdown(); model.server_close()
    if os.environ.get("CLIENT_OUTPUT"):
        os.write(2, b"".join(output))
    return model.last if model.done.is_set() else None


def text(content):
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or [])


def said_by(body, role):
    """The texts of one role."""
    return [text(m["content"]) for m in body["messages"] if m["role"] == role]
