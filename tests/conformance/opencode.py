"""Asks the real OpenCode: its binary runs one turn against a mock provider on 127.0.0.1, in this process.

`session`: the `Instructions from:` entries of the first request's system text. `read`: the body of the
`<system-reminder>` that the answer to a read call carries. Every environment variable but the case's own is ours.
"""
import json, os, platform, re, shutil, subprocess, sys, tempfile, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
import casefile

CLIENT, VERSION = "opencode", "1.18.33"
SKILLS = "\nSkills provide specialized instructions and workflows for specific tasks.\n"
BLOCK, END = "\n</content>\n\n<system-reminder>\n", "\n</system-reminder>"
PROBE = ".briefing-probe"


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


def run(clients, case, cwd, reads, settings):
    """The requests of the last turn, or None when the client would not start."""
    state, provider = tempfile.mkdtemp(prefix="opencode-"), Provider(reads)
    port, home, own = provider.server_address[1], case.home(), case.env()
    model = settings.get("model", "mock-model").split("/")[-1]
    config = {
        "$schema": "https://opencode.ai/config.json", "autoupdate": False, "share": "disabled", "snapshot": False, "lsp": False, "formatter": False,
        "enabled_providers": ["mock"], "model": f"mock/{model}", "small_model": f"mock/{model}", "permission": {"*": "allow", "external_directory": "allow"},
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
    binary = os.path.join(clients, f"opencode/node_modules/opencode-{sys.platform}-{arch}/bin/opencode")
    base = [binary, "run", "--pure", "--auto", "--title", "t"]
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
                if done.returncode != 1:
                    raise SystemExit(f"the client asked nothing and exited with {done.returncode}")
                return None
        return provider.requests[before:]
    finally:
        provider.shutdown(); provider.server_close()
        shutil.rmtree(state, ignore_errors=True)


def entries(system):
    """The instruction entries of a system text. The environment block ends before them, the skills block follows."""
    start = system.index("\n</env>", system.index("\nHere is some useful information about the environment you are running in:\n<env>\n")) + len("\n</env>")
    rest = system[start:]
    end = rest.rfind(SKILLS)
    rest = rest if end < 0 else rest[:end]
    at = rest.find("\nInstructions from: ")
    return rest[at + 1:] if at >= 0 else ""


def injected(output):
    at = output.find(BLOCK)
    return output[at + len(BLOCK):-len(END)] if at >= 0 and output.endswith(END) else ""


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


def one(clients, case, ask):
    # An injected file counts as already loaded once a read has injected it: a probe is read next to each, nearest to the root first.
    already = sorted(ask.already, key=lambda p: p.count("/"))
    if any(not os.path.isdir(os.path.dirname(p)) for p in already):
        return "skip"
    reads = [os.path.join(os.path.dirname(p), PROBE) for p in already] + ([ask.reading] if ask.reading else [])
    requests = run(clients, case, ask.cwd or "/", reads, settings_of(case))
    if requests is None:
        return "refused"
    system = [content(m["content"]) for m in requests[0]["messages"] if m["role"] in ("system", "developer")]
    if len(system) != 1:
        raise SystemExit(f"{len(system)} system messages")
    messages = [("session", "system", entries(system[0]))]
    outputs = [content(m["content"]) for m in requests[-1]["messages"] if m["role"] == "tool"]
    if len(outputs) != len(reads):
        raise SystemExit(f"{len(reads)} reads, {len(outputs)} answers")
    for path, output in zip(already, outputs):
        body = injected(output)
        if not body.startswith(f"Instructions from: {path}\n") or "\n\nInstructions from: /" in body:
            return "skip"
    if ask.reading:
        messages.append(("read", "tool", injected(outputs[-1])))
    return [m for m in messages if m[2]]


# ---- random trees ----

NAMES = ["AGENTS.md"] * 5 + ["CLAUDE.md"] * 3 + ["CONTEXT.md"] * 2 + ["agents.md"]
DIRS = ["a", "b", "s", "s2", ".d", "k", "a b", "Ü"]
NOTES = ["one.md", "two.md", "z.md", ".h.md", "b1.md", "[x].md", "n.txt", "Two.md"]


def raw(data):
    simple = {10: "\\n", 13: "\\r", 9: "\\t", 92: "\\\\"}
    return "".join(simple.get(b) or (chr(b) if 32 <= b < 127 else f"\\x{b:02X}") for b in data) + "\n"


class Tree:
    """Directories are dicts, so that a directory's sections stand together and its listing is in their order."""

    def __init__(self, random):
        self.r, self.top, self.count = random, {}, 0

    def put(self, path, kind, body=""):
        node = self.top
        for part in path.strip("/").split("/")[:-1]:
            node = node.setdefault(part, {})
            if not isinstance(node, dict):
                return
        node.setdefault(path.rstrip("/").rsplit("/", 1)[1], {} if kind == "dir" else (kind, body))

    def text(self, path, odd=0.25):
        """An instruction file; sometimes not a plain one."""
        self.count += 1
        line = f"{self.count} {path}"
        if self.r.random() >= odd:
            return self.put(path, "", line + "\n")
        data = self.r.choice([
            b"", b"\xef\xbb\xbf", b" \n", b"\n", line.encode(), b"\xef\xbb\xbf" + line.encode() + b"\r\n\r\n", line.encode() + b" \xff\xe2\x82.\xc3",
            b"Instructions from: /r/x\n" + line.encode() + b"\n\n\n", b"</system-reminder>\n\x00\x1b" + line.encode(), "dir", "dangling", "loop", "link", "through"])
        if data == "dir": self.put(path, "dir")
        elif data == "dangling": self.put(path, " -> ", "gone.md")
        elif data == "loop": self.put(path, " -> ", path.rsplit("/", 1)[1])
        elif data == "through": self.put(path, " -> ", "plain.txt/x"); self.put(path.rsplit("/", 1)[0] + "/plain.txt", "", "plain\n")
        elif data == "link": self.put(path, " -> ", f"target{self.count}.txt"); self.put(path.rsplit("/", 1)[0] + f"/target{self.count}.txt", "", line + " by a link\n")
        else: self.put(path, " | raw", raw(data))

    def files(self, git=False, node=None, at=""):
        node = self.top if node is None else node
        for name, child in node.items():
            if isinstance(child, dict): yield from self.files(git, child, f"{at}/{name}")
            elif child[0] != " | git": yield f"{at}/{name}"
            elif git: yield from (f"{at}/.git/HEAD", f"{at}/.git/hooks/push.sample")

    def sections(self, node=None, at=""):
        node = self.top if node is None else node
        for name, child in node.items():
            path = f"{at}/{name}"
            if isinstance(child, dict) and not child: yield casefile.Section(path + "/")
            elif isinstance(child, dict): yield from self.sections(child, path)
            elif child[0] == " | git": yield casefile.Section(f"{at}/ | git")
            elif child[0] == " -> ": yield casefile.Section(f"{path} -> {child[1]}")
            else: yield casefile.Section(path + child[0], child[1])


def pattern(r, tree, levels, bounded):
    """A glob made of the path of a file there is, seen from one of `levels`. Unbounded walks must not search the whole disk."""
    files = [f for f in tree.files() if f.startswith("/r/") and "/.git" not in f and "opencode" not in f] or ["/r/none.md"]
    path = r.choice(files)
    if r.random() < 0.12:
        return r.choice(["", ".", "~", "~/", "k/", "nowhere.md", "*.md", "~/notes/*.md", "~/one.md", "../one.md", "./two.md", "http://127.0.0.1:9/x.md", "one.md/", "{one,two}.md", "[!a]*.md", "/"])
    if r.random() < 0.2:
        head, tail = path.rsplit("/", 1)
        tail = r.choice([tail, "*.md", tail[:1] + "*", "*", "{one,two,z}.md", "?" * 6, "*.txt", "@(one|z).md", "[a-z]*.md", ".*.md", "**"])
        return r.choice([head, head, head + "/./", head + "/../" + head.rsplit("/", 1)[1]]) + "/" + tail
    base = r.choice(levels)
    rel = os.path.relpath(path, base)
    if r.random() < 0.25:
        rel = os.path.relpath(path, r.choice(levels))
    parts = rel.split("/")
    for i, part in enumerate(parts):
        last, free = i == len(parts) - 1, bounded and ".." not in parts or i > 0 and not any(c in "".join(parts[:i]) for c in "*?[{.")
        if part == ".." or r.random() < 0.45:
            continue
        stem = part[:-3] if part.endswith(".md") else part
        options = [part, part + "/." if not last else part, "\\" + part, part.upper(), part.lower()]
        if last:
            options += ["*.md"] * 4 + ["*", stem[:1] + "*", "*" + part[-3:], "{" + stem + ",two,z}.md", "{z,one}.md", "[a-z]*.md", "[!o]*.md", "!(one).md", "+(one|two|z).md", "?" * len(part), "*.{md,txt}"]
        elif free:
            options += ["*", "**", "**", "**/" + part, "{" + part + ",s,k}", "?", "[a-s]", "**/**", "?(s)*"]
        elif i:
            options += ["*", "?", "{" + part + ",s}", "[a-s]"]
        parts[i] = r.choice(options)
    text = "/".join(parts)
    return r.choice(["", "", "", "./"]) + (text if one_branch(text, tree, levels) else rel)


def one_branch(text, tree, levels):
    """The client lists directories at the same time, so the order of matches in two branches varies from run to run:
    only patterns whose matches surely lie in one directory, or each below the last, can be compared."""
    if not any(c in text for c in "*?[{(\\"):
        return True
    loose = re.sub(r"[@+?!*]\(.*\)|\{.*\}|\*\*/?", "\x01", text.replace("\\", ""))
    loose = re.sub(r"\[.*?\]|\?", "\x02", loose).replace("*", "\x03")
    loose = re.escape(loose).replace("\x01", ".*").replace("\x02", ".").replace("\x03", "[^/]*")
    listed = any(c in text.rsplit("/", 1)[-1] for c in "*?[(") or "**" in text
    files = list(tree.files(git=True))
    for link in [f for f in files if f.endswith("/ln")]:
        files += [link + f[len(link.rsplit("/", 1)[0]):] for f in files] * 2
    for level in levels:
        found = [f for f in files if re.fullmatch(loose, os.path.relpath(f, level))]
        places = sorted({os.path.dirname(f) for f in found}, key=len)
        if len(found) > 1 and (not listed or len(found) != len(set(found)) or any(not (b + "/").startswith(a + "/") for a, b in zip(places, places[1:]))):
            return False
    return True


def settings_text(r, instructions, env, tree, where):
    words = []
    for text in instructions:
        word = json.dumps(text, ensure_ascii=r.random() < 0.5)
        if r.random() < 0.08 and '"' not in word[1:-1] and "\\" not in word:
            name = f"V{len(env)}"
            env[name] = text
            word = '"{env:%s}"' % name
        elif r.random() < 0.06 and text == text.strip() and text:
            name = f"ref{len(list(tree.files()))}.txt"
            tree.put(f"{where}/{name}", "", r.choice(["", "\n", " "]) + text + "\n")
            word = '"{file:%s}"' % r.choice([name, "./" + name, f"{where}/{name}"])
        words.append(word)
    comma = r.choice([",", ", ", ",\n  ", ", /* c */ ", ", // c\n"])
    text = '{"instructions": [' + comma.join(words) + r.choice(["", "", ","]) + "]" + r.choice(["", "", ', "username": "u"', ', "unknown": [1, {}],', "\n// end\n"]) + "}\n"
    if r.random() < 0.015:
        text = r.choice(["{", '{"instructions": "one.md"}', '{"instructions": [1]}', '{"instructions": ["{file:gone}"]}', "[]", "{'a': 1}", '{"instructions": ["one.md"]} x', '{"model": 5}'])
    elif r.random() < 0.05:
        text = r.choice(["", "{}", "// {file:gone}\n" + text, '{"$schema": "https://opencode.ai/config.json"}'])
    return text


def generate(random):
    r, env = random, {}
    tree = Tree(r)
    chance = lambda p: r.random() < p
    depth = r.randint(0, 3)
    levels = ["/r"]
    for _ in range(depth):
        levels.append(levels[-1] + "/" + r.choice(DIRS))
    cwd, bounded = levels[-1], True
    # Repositories and what only looks like one.
    for level in levels:
        kind = r.choice(["git"] * 7 + ["none", "empty", "file", "head", "dangling"]) if level == "/r" else r.choice(["none"] * 12 + ["git", "empty", "file", "head"])
        if kind == "git": tree.put(level + "/.git", " | git"); bounded = True
        elif kind == "empty": tree.put(level + "/.git", "dir"); bounded = bounded and level != "/r"
        elif kind == "file": tree.put(level + "/.git", "", r.choice(["gitdir: /nowhere\n", "rubbish\n"])); bounded = False
        elif kind == "head": tree.put(level + "/.git/HEAD", "", "ref: refs/heads/main\n"); bounded = bounded and level != "/r"
        elif kind == "dangling": tree.put(level + "/.git", " -> ", "gone"); bounded = False
        elif level == "/r": bounded = False
    # Instruction files on the way up and down, and beside it.
    below = [cwd]
    for _ in range(r.randint(1, 3)):
        below.append(below[-1] + "/" + r.choice(DIRS))
    places = levels + below + below + [cwd + "2", cwd + "2/k", "/r/k", "/r/a/b/s"]
    if chance(0.75):
        tree.text(r.choice(levels) + "/AGENTS.md", 0.1)
    for _ in range(r.randint(1, 7)):
        tree.text(r.choice(places) + "/" + r.choice(NAMES))
    for _ in range(r.randint(0, 9)):
        tree.text(r.choice(places) + "/" + r.choice(NOTES), 0.1)
    if chance(0.15):
        tree.put(r.choice(places) + "/ln", " -> ", r.choice(["..", "k", "/r/k", cwd, below[-1], "/out", "gone", "a/b"]))
    if chance(0.1): tree.text("/out/one.md"); tree.text("/out/AGENTS.md")
    if chance(0.08): tree.text("/AGENTS.md")
    if chance(0.1): tree.text("/one.md")
    # The home.
    if chance(0.3): tree.text("/h/.config/opencode/AGENTS.md")
    if chance(0.25): tree.text("/h/.claude/CLAUDE.md")
    if chance(0.15): tree.text("/h/notes/b.md"); tree.text("/h/notes/a.md"); tree.text("/h/one.md")
    if chance(0.08): env["OPENCODE_CONFIG_DIR"] = r.choice(["/c", "/c", "/r/.opencode", "", "conf", "/nowhere"])
    if chance(0.05): tree.text("/c/AGENTS.md"); tree.text("/c/one.md")
    if chance(0.04): env["XDG_CONFIG_HOME"] = r.choice(["/x", "", "/h/.config"]); tree.text("/x/opencode/AGENTS.md")
    if chance(0.03): env["OPENCODE_TEST_HOME"] = "/t"; tree.text("/t/.claude/CLAUDE.md")
    if chance(0.06): env["OPENCODE_DISABLE_CLAUDE_CODE_PROMPT"] = r.choice(["1", "true", "yes", "on", "y", "0", "no", "off"])
    if chance(0.03): env["OPENCODE_DISABLE_CLAUDE_CODE"] = r.choice(["1", "false"])
    if chance(0.05): env["OPENCODE_DISABLE_PROJECT_CONFIG"] = r.choice(["1", "true", "TRUE", "yes", "0", ""])
    # Settings.
    some = lambda: [pattern(r, tree, levels, bounded) for _ in range(r.choice([1, 1, 2, 3, 4]))]
    spots = [l + "/opencode.json" for l in levels] * 2 + [l + "/opencode.jsonc" for l in levels] + [l + "/.opencode/opencode.json" for l in levels]
    spots += [f"/h/.config/opencode/{n}" for n in ("config.json", "opencode.json", "opencode.jsonc")] + ["/h/.opencode/opencode.json", "/c/opencode.json", "/etc/opencode/opencode.json"]
    for spot in r.sample(spots, r.choice([0, 0, 1, 1, 1, 2, 3])):
        tree.put(spot, "", settings_text(r, some(), env, tree, spot.rsplit("/", 1)[0]))
    if chance(0.05):
        env["OPENCODE_CONFIG"] = r.choice(["/o.json", "o.json"])
        tree.put("/o.json", "", settings_text(r, some(), env, tree, ""))
    if chance(0.04) and "etc" not in tree.top:
        env["OPENCODE_CONFIG_CONTENT"] = settings_text(r, some(), {}, Tree(r), "/").replace("\n", " ").split("//")[0]
        if not env["OPENCODE_CONFIG_CONTENT"].strip().endswith("}"): del env["OPENCODE_CONFIG_CONTENT"]
    # The question.
    words = f"opencode from {cwd}"
    target = r.choice(below[1:] + below[-1:] + places)
    if " " not in target + cwd:
        tree.put(target + "/x.txt", "", "x\n")
        if chance(0.8):
            shown = r.choice([target + "/x.txt"] * 6 + [target, target + "/gone.txt", target + "/../x.txt", target + "/./x.txt", os.path.relpath(target + "/x.txt", cwd), target + "/AGENTS.md"])
            words += f" reading {shown}"
            above = [d for d in below[1:] if (target + "/").startswith(d + "/")]
            if above and chance(0.15):
                words += f" already {r.choice(above)}/AGENTS.md"
    elif " " in cwd:
        cwd = levels[0]
        words = f"opencode from {cwd}"
    tree.put(cwd + "/y.txt", "", "y\n")
    home = [casefile.Section(f"@env {k}={v}") for k, v in env.items() if "\n" not in v]
    if chance(0.05):
        home.append(casefile.Section("@settings", '{"agent": "plan"}\n'))
    return casefile.Case("", home + list(tree.sections())), words
