"""Codex CLI 0.104, of early 2026: asks a real `codex exec`, whose requests go to a model server inside this process.

That client cannot print its input (`debug prompt-input` is younger), so it is run with a made-up provider on the loopback
interface, which keeps the first request and answers "ok".

The sections that the client adds by itself (its JavaScript tool, the list of skills, how AGENTS.md files nest) stand last
in the message. They are product text, which Briefing names and does not repeat, so they are cut out here.
"""
import casefile, gzip, http.server, json, os, subprocess, threading

VERSION = "0.104.0"
BINARY = "codex-0.104/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/codex/codex"
# How the added sections begin, in their order.
ADDED = ["## JavaScript REPL (Node)\n", "## Skills\n", "Files called AGENTS.md "]
END = "\n</INSTRUCTIONS>"


class Model(http.server.BaseHTTPRequestHandler):
    """A model that says "ok"."""
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, kind, body):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer("application/json", b'{"object":"list","data":[],"models":[]}')

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.server.requests.append(json.loads(gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body))
        said = {"type": "message", "role": "assistant", "id": "m1", "content": [{"type": "output_text", "text": "ok"}]}
        usage = {"input_tokens": 1, "input_tokens_details": None, "output_tokens": 1, "output_tokens_details": None, "total_tokens": 2}
        events = [{"type": "response.created", "response": {"id": "r1"}}, {"type": "response.output_item.done", "output_index": 0, "item": said},
                  {"type": "response.completed", "response": {"id": "r1", "usage": usage}}]
        self.answer("text/event-stream", "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events).encode())


def provider(port):
    """Settings that lead every request to the model above, and no others: what is given on the command line would cover a
    wrong type in the case's own files."""
    mock = {"name": "mock", "base_url": f"http://127.0.0.1:{port}/v1", "env_key": "MOCK_KEY", "wire_api": "responses",
            "request_max_retries": 0, "stream_max_retries": 0}
    pairs = ['model_provider="mock"', *(f"model_providers.mock.{k}={json.dumps(v)}" for k, v in mock.items())]
    return [word for pair in pairs for word in ("-c", pair)]


def first_request(program, ask, options, environment):
    """What the client sends first, or None when it does not start."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    server.daemon_threads, server.requests = True, []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    words = [program, *provider(server.server_address[1])]
    for pair in options.get("config", []):
        words += ["-c", pair]
    # `exec` takes over no option that stands before it but `-c`.
    words += ["exec", "--skip-git-repo-check"]
    words += [word for option, name in (("--profile", "profile"), ("-C", "cd")) if name in options for word in (option, options[name])]
    try:
        run = subprocess.run([*casefile.OBEYING, *words, "hello"], cwd=ask.cwd, env={**environment, "MOCK_KEY": "none", "NO_PROXY": "127.0.0.1"},
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=20)
    except subprocess.TimeoutExpired:
        return None  # It waits for ever, as for somebody to write into a FIFO.
    finally:
        server.shutdown()
    if os.environ.get("CODEX_STDERR"):
        os.write(2, run.stderr)
    if not server.requests and not run.returncode:
        raise SystemExit("the client neither asked its model nor failed")
    return server.requests[0] if server.requests else None


def without_added(text):
    """The message without the sections that the client adds, or None when nothing else is in it."""
    head, _, rest = text.partition("<INSTRUCTIONS>\n")
    body = rest.removesuffix(END)
    for start in reversed(ADDED):
        at = body.rfind("\n\n" + start)
        if at >= 0 or body.startswith(start):
            body = body[:max(at, 0)]
    return f"{head}<INSTRUCTIONS>\n{body}{END}" if body else None

