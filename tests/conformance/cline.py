"""Asks the real Cline: its command line runs one turn against a mock of an OpenAI-compatible provider. The extension of VS Code
rests on the same core since its versions of 2026.

`session`: the section `# Rules` of the system message, to its end (role system). Reading a file adds nothing.
"""
import fcntl, glob, json, os, pty, signal, struct, subprocess, termios, threading, time

import chat_model
from chat_model import TASK, Model, calls, environment, is_subagent, last_request, prompt, said_by, words

CLIENT, VERSION = "cline", "3.0.65"
BINARY = "cline/node_modules/@cline/cli-linux-x64/bin/cline"
HEAD = "\n\n# Rules\n"


def stop_the_hub(home):
    """The client leaves a server running behind it: the one of this private root and this home."""
    mine = os.readlink("/proc/self/ns/mnt")
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as command, open(f"/proc/{process}/environ", "rb") as env:
                left = b"cline-hub-daemon" in command.read() and f"HOME={home}".encode() in env.read().split(b"\0")
            if left and os.readlink(f"/proc/{process}/ns/mnt") == mine:
                os.kill(int(process), signal.SIGKILL)
        except OSError:
            pass


def signed_in(binary, case, ask, model):
    """The environment of a client that is told where the model is."""
    os.makedirs(case.home(), exist_ok=True)
    env = environment(case)
    sign_in = [binary, "auth", "-p", "openai", "-k", "dummy", "-m", "gpt-4.1", "-b", model.url]
    subprocess.run(sign_in, cwd=ask.cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=240)
    return env


def ask(clients, case, ask):
    patch = "*** Begin Patch\n*** {} File: {}\n{}*** End Patch"
    other = {"edit": lambda path, text: ("apply_patch", {"input": patch.format("Update", path, f"@@\n-{text.splitlines()[0]}\n+new\n")}),
             "write": lambda path, _: ("apply_patch", {"input": patch.format("Add", path, "+new\n")}),
             "shell": lambda path, _: ("run_commands", {"commands": [f"cat '{path}'"]})}
    through = {"teammate": [("team_spawn_teammate", {"agentId": "mate", "rolePrompt": "You help."}), ("team_run_task", {"agentId": "mate", "task": TASK})],
               None: [("spawn_agent", {"systemPrompt": "You help.", "task": TASK})]}
    model = Model(calls(ask, lambda path: ("read_files", {"files": [{"path": path}]}), other), through=through[ask.agent] if is_subagent(case) else ())
    home, binary = case.home(), os.path.join(clients, BINARY)
    env = signed_in(binary, case, ask, model)
    body = last_request(model, [binary, "--auto-approve", "true", *words(case.options(CLIENT)), prompt(ask, "say hi to me")], ask, env)
    stop_the_hub(home)
    if body is None:
        return "refused"
    system = "\n".join(said_by(body, "system"))
    start = system.find(HEAD)
    return [("session", "system", system[start:].lstrip("\n"))] if start >= 0 else []


class Session(chat_model.Session):
    """For unfold.py. It goes on with a session on a terminal only, where what the user says is typed."""
    compacts_with, read_call = "/compact", staticmethod(lambda path: ("read_files", {"files": [{"path": path}]}))

    def __init__(self, clients, case, ask):
        super().__init__(clients, case, ask)
        self.binary = os.path.join(clients, BINARY)
        self.env = signed_in(self.binary, case, ask, self.model)

    def __exit__(self, *_):
        stop_the_hub(self.case.home())
        super().__exit__()

    def hello(self):
        return self.turn("say hi to me")

    def turn(self, prompt, calls=()):
        if not self.goes_on:
            return super().turn(prompt, calls)
        self.model.done.clear()
        before = sum(m["role"] == "tool" for m in (self.model.last or {}).get("messages", []))
        self.model.calls, self.model.last = [None] * before + list(calls), None
        session = os.path.basename(glob.glob(f"{self.case.home()}/.cline/data/sessions/*_*")[0])
        outer, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
        process = subprocess.Popen(self.command(None, True) + ["-i", "--id", session], cwd=self.ask.cwd, env={**self.env, "TERM": "xterm-256color"},
                                   stdin=inner, stdout=inner, stderr=inner, start_new_session=True)
        shown = []
        threading.Thread(target=keep, args=(outer, shown), daemon=True).start()
        self.wait(lambda: b"Ask anything" in b"".join(shown), process)
        for keys in (prompt.encode(), b"\r"):
            time.sleep(1)  # What is pasted at once is no key.
            os.write(outer, keys)
        self.wait(self.model.done.is_set, process)
        if os.environ.get("CLIENT_OUTPUT"):
            os.write(2, b"".join(shown))
        time.sleep(2)  # It writes down what was said.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return self.model.last

    def wait(self, whether, process):
        deadline = time.monotonic() + 60
        while not whether() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(.05)

    def command(self, said, _):
        return [self.binary, "--auto-approve", "true"] + [said] * (said is not None)


def keep(fd, shown):
    try:
        while data := os.read(fd, 65536):
            shown.append(data)
    except OSError:
        pass


# Random trees.

NAMES = ["a.md", "B.md", "b.markdown", "c.TXT", "AGENTS.md", "agents.md", "é.md", "_x.md", "10.md", "9.md", "x.mdc", "sub/d.md", "a b.txt", ".md", "workflows/w.md"]
TEXTS = ["A", "A\n", "\n\n  A  \n\n", "", " \n", "\ufeffA\n", "A\r\nB\r\n", "# T\n\ntext", "a\udcffb", "---\nx\n---\n", "---\n---\nA\n", "é 😀\n", "\u0085A\u0085", "\u3000A\u00a0\n"]
FRONT = ["name: n", "name: N", "name: 'z z'", "name: 5", "name: ''", "name: null", "name: ~", "name: true", "disabled: true", "disabled: false", "enabled: false", "enabled: true", "disabled: \"true\"", "disabled: null",
         "paths: ['*.rs']", "paths: []", "globs: **/*.ts", "globs: *.ts", "description: a: b", "description: [a", "- a", "a", "x: y # c", "# only", "tags:\n  - a\n  - b", "name: >\n  folded\n  text", "\tname: t", "name: a\nname: b", "x: !a b", "x: &a 1\ny: *a"]


def document(r):
    head = ""
    if r.random() < .5:
        lines = r.sample(FRONT, r.choice([1, 1, 2]))
        head = r.choice(["---\n", "---\n", "---\n", "\ufeff---\n", "--- \n"]) + "\n".join(lines) + r.choice(["\n---\n", "\n---\n", "\n---\n", "\n---", "\n----\n", "\n--- x\n"])
        if r.random() < .15: head = head.replace("\n", "\r\n")
    return head + r.choice(TEXTS)


def generate(r):
    from casefile import Case, Section
    from gemini_cli import raw
    files, taken = [Section("/p/")], set()

    def put(path, suffix, text):
        if path not in taken and not any(path.startswith(t + "/") or t.startswith(path + "/") for t in taken):
            taken.add(path); files.append(Section(path + suffix, text))

    write = lambda path, text: put(path, " | raw", raw(text))
    if r.random() < .2: write("/p/.clinerules", document(r))
    for place in ("/p/.clinerules", "/p/.cline/rules", "/h/.cline/rules", "/h/Documents/Cline/Rules", "/c/rules"):
        for name in NAMES:
            if r.random() < .2:
                if r.random() < .1: put(f"{place}/{name}", " -> " + r.choice(["/out.md", "a.md", "nowhere"]), "")
                else: write(f"{place}/{name}", document(r))
    for path in ("/p/AGENTS.md", "/h/.agents/AGENTS.md", "/AGENTS.md", "/p/s/AGENTS.md"):
        k = r.random()
        if k < .5: write(path, document(r))
        elif k < .6: put(path, " -> /out.md", "")
        elif k < .65: write(path + "/x.md", document(r))
    for name in ("m", "é"):
        if r.random() < .2: write(f"/p/.cline/{name}/managed.json", r.choice(["{}", "[]", "1", "null", "{", '"x"'])); write(f"/p/.cline/{name}/rules.md", document(r))
    write("/out.md", "OUT\n")
    env = {"CLINE_DIR": r.choice(["/c", " /c ", ""])} if r.random() < .2 else {}
    words = "cline from /p"
    if r.random() < .2: files.append(Section("@session subagent")); words += r.choice(["", " as teammate"])
    return Case("", files + [Section(f"@env {k}={v}") for k, v in env.items()]), words
