"""Asks the real Claude Code: `claude -p` runs one turn against a mock Messages API on 127.0.0.1, in this process.

`session`: the `<system-reminder>` block of the first user message that holds the `Contents of …` entries. `read`: the blocks
that come with the answer to one call of Read, then the text of nested AGENTS.md files, which is a message of its own.
`@settings` may hold `{"options": {"claude-code": {"args": […command-line words…]}}}`.
"""
import json, os, re, signal, subprocess, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CLIENT, VERSION = "claude-code", "2.1.329"
BINARY = "claude-code/node_modules/@anthropic-ai/claude-code-linux-x64/claude"
BLOCK = re.compile(r"(<system-reminder>\n.*</system-reminder>)\n?", re.S)
HOOK = re.compile(r"tool\.call hook additional context: (Contents of .*)\Z", re.S)


class Model(ThreadingHTTPServer):
    """Answers each turn with the next call of Read, and the last with `ok`."""
    daemon_threads = True

    def __init__(self, reads):
        super().__init__(("127.0.0.1", 0), Answer)
        self.reads, self.requests, self.lock = list(reads), [], threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, kind, data):
        self.send_response(200); self.send_header("content-type", kind); self.send_header("content-length", str(len(data)))
        self.end_headers(); self.wfile.write(data)

    def do_HEAD(self):
        self.reply("text/plain", b"")

    def do_GET(self):
        self.reply("application/json", b"{}")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        if "/v1/messages" not in self.path or "count_tokens" in self.path:
            return self.reply("application/json", b'{"input_tokens": 10}')
        block = {"type": "text", "text": "ok"}
        if any(tool.get("name") == "Read" for tool in body.get("tools", [])):
            with self.server.lock:
                self.server.requests.append(body)
            done = sum(1 for _, kind, _ in texts(body) if kind == "tool_result")
            if done < len(self.server.reads):
                block = {"type": "tool_use", "id": f"toolu_{done:03}", "name": "Read", "input": {"file_path": self.server.reads[done]}}
        stop = "tool_use" if block["type"] == "tool_use" else "end_turn"
        usage = {"input_tokens": 10, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body.get("model", "m"), "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
        if not body.get("stream"):
            return self.reply("application/json", json.dumps({**message, "content": [block], "stop_reason": stop}).encode())
        if stop == "tool_use":
            start, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        else:
            start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        events = [{"type": "message_start", "message": message}, {"type": "content_block_start", "index": 0, "content_block": start},
                  {"type": "content_block_delta", "index": 0, "delta": delta}, {"type": "content_block_stop", "index": 0},
                  {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 1}}, {"type": "message_stop"}]
        self.reply("text/event-stream", "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events).encode())


def texts(request):
    """(role, kind, text) of every block, in order."""
    for message in request["messages"]:
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            inner = block.get("content", "") if block["type"] == "tool_result" else block.get("text", "")
            if not isinstance(inner, str):
                inner = "".join(part.get("text", "") for part in inner)
            yield message["role"], block["type"], inner


def run(clients, case, cwd, reads):
    """The requests of a session that reads `reads`, or None when the client would not start."""
    settings = next((json.loads(s.body) for s in case.all("@settings")), {})
    args = settings.get("options", {}).get("claude-code", {}).get("args", [])
    model = Model(reads)
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": case.home(), "SHELL": "/bin/bash", "LANG": "C.UTF-8", "TERM": "dumb", "TZ": "UTC", "USER": "user",
           "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{model.server_address[1]}", "ANTHROPIC_API_KEY": "none", "IS_SANDBOX": "1",
           "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1",
           "HTTP_PROXY": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1,localhost", **case.env()}
    client = subprocess.Popen([os.path.join(clients, BINARY), "-p", "hi", *args], cwd=cwd, env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    try:
        out, err = client.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        os.killpg(client.pid, signal.SIGKILL); raise
    finally:
        model.shutdown(); model.server_close()
    if os.environ.get("CLAUDE_CODE_OUTPUT"):
        os.write(2, out + err)
    return model.requests or None


def ask(clients, case, ask):
    reads = [os.path.join(os.path.realpath(ask.cwd), path) for path in [*ask.already, *([ask.reading] if ask.reading else [])]]
    requests = run(clients, case, ask.cwd, reads)
    if requests is None:
        return "refused"
    if os.environ.get("CLAUDE_CODE_RAW"):
        for role, kind, text in texts(requests[-1]):
            os.write(2, f"=== {role} {kind}\n{text}\n".encode("utf-8", "surrogatepass"))
    blocks = lambda text: [found[1]] if (found := BLOCK.fullmatch(text)) else []
    messages = [("session", "user", block) for role, kind, text in texts(requests[0]) if role == "user"
                for block in blocks(text) if "\n\nContents of " in block][:1]
    if not ask.reading:
        return messages
    last = [i for i, (_, kind, _) in enumerate(texts(requests[-1])) if kind == "tool_result"][-1]
    for role, kind, text in list(texts(requests[-1]))[last + 1:]:
        if role == "user":
            messages += [("read", "user", block) for block in blocks(text) if block.startswith("<system-reminder>\nContents of ")]
        else:
            messages += [("read", role, found) for found in HOOK.findall(text)]
    return messages
