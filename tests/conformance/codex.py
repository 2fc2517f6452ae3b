"""Codex CLI 0.169: asks `codex debug prompt-input`, which prints the model input of a fresh session and uses no network."""
import json, os, subprocess

CLIENT, VERSION = "codex", "0.169.0"
BINARY = "codex/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"


def command(clients, case):
    """The program and its options, from `{"options": {"codex": {"profile": …, "config": ["k=v"], "cd": …}}}` of @settings."""
    settings = next((json.loads(s.body) for s in case.all("@settings")), {})
    options = settings.get("options", {}).get("codex", {})
    words = [os.path.join(clients, BINARY)]
    for pair in options.get("config", []):
        words += ["-c", pair]
    if "profile" in options:
        words += ["--profile", options["profile"]]
    if "cd" in options:
        words += ["-C", options["cd"]]
    return words


def environment(case):
    """Nothing of ours leaks in; if the client did try the network it would meet a closed port."""
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": case.home(), "SHELL": "/bin/bash", "LANG": "C.UTF-8", "TZ": "UTC",
            "HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9", **case.env()}


def ask(clients, case, ask):
    run = subprocess.run([*command(clients, case), "debug", "prompt-input"], cwd=ask.cwd, env=environment(case),
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    if os.environ.get("CODEX_STDERR"):
        os.write(2, run.stderr)
    if run.returncode:
        return "refused"
    texts = [content["text"] for item in json.loads(run.stdout) if item.get("role") == "user"
             for content in item["content"] if content.get("text", "").startswith("# AGENTS.md instructions")]
    return [("session", "user", text) for text in texts]
