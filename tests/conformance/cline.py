"""Asks the real Cline: its command line runs one turn against a mock of an OpenAI-compatible provider. The extension of VS Code
rests on the same core since its versions of 2026.

`session`: the section `# Rules` of the system message, to its end (role system). Reading a file adds nothing.
"""
import json, os, signal, subprocess

from chat_model import TASK, Model, calls, environment, is_subagent, last_request, prompt, said_by

CLIENT, VERSION = "cline", "3.0.65"
BINARY = "cline/node_modules/@cline/cli-linux-x64/bin/cline"
HEAD = "\n\n# Rules\n"


def stop_the_hub(home):
    """The client leaves a server running behind it, which says who it is."""
    try:
        with open(os.path.join(home, ".cline/data/locks/hub/production.json")) as f:
            os.kill(json.load(f)["pid"], signal.SIGKILL)
    except (OSError, ValueError, KeyError):
        pass


def ask(clients, case, ask):
    patch = "*** Begin Patch\n*** {} File: {}\n{}*** End Patch"
    other = {"edit": lambda path, text: ("apply_patch", {"input": patch.format("Update", path, f"@@\n-{text.splitlines()[0]}\n+new\n")}),
             "write": lambda path, _: ("apply_patch", {"input": patch.format("Add", path, "+new\n")}),
             "shell": lambda path, _: ("run_commands", {"commands": [f"cat '{path}'"]})}
    through = {"teammate": [("team_spawn_teammate", {"agentId": "mate", "rolePrompt": "You help."}), ("team_run_task", {"agentId": "mate", "task": TASK})],
               None: [("spawn_agent", {"systemPrompt": "You help.", "task": TASK})]}
    model = Model(calls(ask, lambda path: ("read_files", {"files": [{"path": path}]}), other), through=through[ask.agent] if is_subagent(case) else ())
    home, binary = case.home(), os.path.join(clients, BINARY)
    os.makedirs(home, exist_ok=True)
    env = environment(case)
    sign_in = [binary, "auth", "-p", "openai", "-k", "dummy", "-m", "gpt-4.1", "-b", model.url]
    subprocess.run(sign_in, cwd=ask.cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=240)
    body = last_request(model, [binary, "--auto-approve", "true", prompt(ask, "say hi to me")], ask, env)
    stop_the_hub(home)
    if body is None:
        return "refused"
    system = "\n".join(said_by(body, "system"))
    start = system.find(HEAD)
    return [("session", "system", system[start:].lstrip("\n"))] if start >= 0 else []


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
