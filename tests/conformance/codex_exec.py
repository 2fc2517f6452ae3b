"""Codex CLI, asked by `codex exec` with a scripted model: what a sub-agent is told, and a session after a compaction or when it is resumed."""
import gzip, http.server, json, os, subprocess, threading
import codex, codex_early


class Model(codex_early.Model):
    """Answers as `script` says for the requests so far: items of output, and how many tokens were used."""

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.server.requests.append(json.loads(gzip.decompress(raw) if self.headers.get("content-encoding") == "gzip" else raw))
        items, tokens = self.server.script(self.server.requests)
        usage = {"input_tokens": tokens, "input_tokens_details": None, "output_tokens": 1, "output_tokens_details": None, "total_tokens": tokens + 1}
        events = [{"type": "response.created", "response": {"id": "r"}},
                  *({"type": "response.output_item.done", "output_index": i, "item": item} for i, item in enumerate(items)),
                  {"type": "response.completed", "response": {"id": "r", "usage": usage}}]
        try:
            self.answer("text/event-stream", "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events).encode())
        except BrokenPipeError:
            pass  # The client ended with an agent that still had something to say.


def said(text):
    return {"type": "message", "role": "assistant", "id": "m", "content": [{"type": "output_text", "text": text}]}


def call(name, arguments):
    return {"type": "function_call", "id": f"f{name}", "call_id": name, "namespace": "collaboration", "name": name, "arguments": json.dumps(arguments)}


TASK = "A task for the helper."


def spawning(kind):
    """The first agent calls for a helper and waits for it."""
    def script(requests):
        sent = json.dumps(requests[-1]["input"])
        if len(requests) == 1:
            return [call("spawn_agent", {"task_name": "helper", "message": TASK, "fork_turns": "none", **({"agent_type": kind} if kind else {})})], 10
        if "Sender: /root" not in sent and '"call_id": "wait_agent"' not in sent:
            return [call("wait_agent", {"timeout_ms": 10000})], 10
        return [said("Done.")], 10
    return script


def subagent(clients, case, ask):
    """The request of the helper, or None when the client does not start."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    server.daemon_threads, server.requests, server.script = True, [], spawning(ask.agent)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    words = [*codex.command(codex.binary(clients, ask), case.options("codex")), *codex_early.provider(server.server_address[1]), "exec", "--skip-git-repo-check", "Go."]
    environment = {**codex.variables(case), "MOCK_KEY": "none", "NO_PROXY": "127.0.0.1"}
    subprocess.run(words, cwd=ask.cwd, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
    server.shutdown()
    return next((request for request in server.requests if "Sender: /root" in json.dumps(request["input"])), None)


class Session:
    """A session for unfold.py: `codex exec`, which goes on with `codex exec resume`; every turn but the first resumes it. The client
    sums it up once an answer has used more tokens than a setting allows."""

    def __init__(self, clients, case, ask):
        self.clients, self.case, self.ask, self.tokens = clients, case, ask, 10
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
        self.server.daemon_threads, self.server.requests, self.server.script = True, [], lambda _: ([said("ok")], self.tokens)

    def __enter__(self):
        os.makedirs(self.case.home(), exist_ok=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown(); self.server.server_close()

    def turn(self, *words, prompt="hello"):
        command = [*codex.command(codex.binary(self.clients, self.ask), self.case.options("codex")), *codex_early.provider(self.server.server_address[1]),
                   "-c", "model_auto_compact_token_limit=1000", "exec", *words, "--skip-git-repo-check", prompt]
        environment = {**codex.variables(self.case), "MOCK_KEY": "none", "NO_PROXY": "127.0.0.1"}
        run = subprocess.run(command, cwd=self.ask.cwd, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        if os.environ.get("CODEX_STDERR"):
            os.write(2, run.stderr)
        return self.server.requests[-1] if self.server.requests else None

    def hello(self):
        return self.turn()

    def compact(self):
        self.tokens = 5000
        self.resume()
        self.tokens = 10
        return self.resume()

    def shell(self, command):
        item = {"type": "function_call", "id": "fs", "call_id": os.urandom(4).hex(), "name": "exec_command", "arguments": json.dumps({"cmd": command})}
        before, self.server.script = self.server.script, lambda requests: ([said("ok")] if item["call_id"] in json.dumps(requests[-1]) else [item], self.tokens)
        try:
            return self.resume()
        finally:
            self.server.script = before

    def resume(self):
        return self.turn("resume", "--last")
