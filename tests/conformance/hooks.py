"""Sees in the real clients that what `briefing hook` says at the start of a session reaches the model.

usage: tests/conformance/hooks.py CLIENTS [CLIENT]…     BRIEFING=PATH takes another program

Each client runs one turn in a scratch project against its mock model: once with the hook of docs/hooks.md, once with one that
fails, which must not stop it. `tests/conformance/install.sh` installs the clients."""
import json, os, subprocess, sys, tempfile, threading
from http.server import ThreadingHTTPServer
import claude_code, codex, codex_early, gemini_cli, opencode

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
BRIEFING = os.environ.get("BRIEFING") or os.path.abspath(os.path.join(ROOT, "target/debug/briefing"))
WARNING = "reached you:"
GONE = "Ask.\n\n@docs/gone.md\n"
RULES = "# Rules\n" + "- Write small functions, and test them.\n" * 900


class Project:
    """A case without sections, in a scratch directory."""
    sections, edition, agent, reading, tool, after, already = [], None, None, None, "read", [], []

    def __init__(self, scratch, files):
        self.scratch, self.cwd = scratch, os.path.join(scratch, "home/project")
        for path, text in {".git/HEAD": "ref: refs/heads/main\n", **files}.items():
            path = os.path.join(self.cwd, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            open(path, "w").write(text)

    def home(self):
        return os.path.join(self.scratch, "home")

    def env(self):
        return {}

    def all(self, _):
        return []


def hooked(command, **more):
    return json.dumps({"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": command}]}]}, **more})


def ask_claude_code(clients, scratch, command):
    project = Project(scratch, {"CLAUDE.md": GONE, ".claude/settings.json": hooked(command)})
    return claude_code.run(clients, project, project, [])


def ask_codex(clients, scratch, command):
    project = Project(scratch, {"AGENTS.md": RULES})
    os.makedirs(os.path.join(project.home(), ".codex"))
    open(os.path.join(project.home(), ".codex/hooks.json"), "w").write(hooked(command))
    server = ThreadingHTTPServer(("127.0.0.1", 0), codex_early.Model)
    server.daemon_threads, server.requests = True, []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    # Where people use it, they look at the hook and trust it.
    words = [codex.binary(clients, project), *codex_early.provider(server.server_address[1]), "--dangerously-bypass-hook-trust", "exec", "--skip-git-repo-check", "hi"]
    subprocess.run(words, cwd=project.cwd, env={**codex.variables(project), "MOCK_KEY": "none", "NO_PROXY": "127.0.0.1"},
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
    server.shutdown()
    return server.requests


def ask_gemini_cli(clients, scratch, command):
    project = Project(scratch, {"GEMINI.md": GONE, ".gemini/settings.json": hooked(command)})
    return gemini_cli.run(clients, project, project, trust=True)


def ask_opencode(clients, scratch, command):
    page = open(os.path.join(ROOT, "docs/hooks.md")).read()
    plugin = page.split("```js\n")[1].split("```")[0].replace("briefing hook opencode", command)
    settings = json.dumps({"instructions": ["docs/gone.md"]})
    # What it fetches for plugins from a registry, which it cannot reach here.
    kit = {"package.json": json.dumps({"dependencies": {"@opencode-ai/plugin": opencode.Now.version}}),
           "node_modules/@opencode-ai/plugin/package.json": json.dumps({"name": "@opencode-ai/plugin", "version": opencode.Now.version})}
    project = Project(scratch, {"AGENTS.md": "Rules.\n", "opencode.json": settings, ".opencode/plugins/briefing.js": plugin,
                                **{f".opencode/{path}": text for path, text in kit.items()}})

    class Client(opencode.Now):
        options = ["--auto"]
    project.env = lambda: {"OPENCODE_PURE": "0"}
    requests = opencode.run(clients, Client, project, project.cwd, [], {})
    return [body for who, body in requests or [] if who == "main"]


CLIENTS = {"claude-code": ask_claude_code, "codex": ask_codex, "gemini-cli": ask_gemini_cli, "opencode": ask_opencode}


def main(clients, *names):
    failed = 0
    for name in names or CLIENTS:
        for command, wanted in ((f"{BRIEFING} hook {name}", True), (f"{BRIEFING} hook {name} --nonsense", False)):
            with tempfile.TemporaryDirectory() as scratch:
                requests = CLIENTS[name](clients, os.path.realpath(scratch), command)
                answered = isinstance(requests, (list, dict)) and bool(requests)
                told = WARNING in json.dumps(requests)
                right = answered and told == wanted
                failed += not right
                what = "is told" if told else "is not told" if answered else "does not start"
                print(f"{'ok' if right else 'FAILED'} {name}: with {'its hook' if wanted else 'a hook that fails'} the agent {what}", flush=True)
                if os.environ.get("RAW"):
                    at = json.dumps(requests).find(WARNING)
                    print(json.dumps(requests)[max(at - 700, 0):at + 400])
    sys.exit(failed > 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
