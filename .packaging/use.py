"""Uses an installed program as people and editors do. usage: use.py PLACE VERSION COMMAND…      in PLACE, which is made

--here instead of both takes a temporary place, and the version of Cargo.toml.
With INSIDE=ROOT the command sees the project as /project below that directory, as a container does."""

import json, os, pathlib, shutil, subprocess, sys, tempfile, tomllib

if sys.argv[1] == "--here":
    manifest = pathlib.Path(__file__).resolve().parent.parent / "Cargo.toml"
    version = tomllib.loads(manifest.read_text(encoding="utf-8"))["package"]["version"]
    place, command = tempfile.mkdtemp(), [os.path.abspath(sys.argv[2]), *sys.argv[3:]]
else:
    place, version, *command = sys.argv[1:]
home, project = os.path.join(place, "home"), os.path.join(place, "project")
for directory in (home, os.path.join(project, ".git"), os.path.join(project, "src")):
    os.makedirs(directory, exist_ok=True)
for name in ("AGENTS.md", "CLAUDE.md"):
    pathlib.Path(project, name).write_text("# Rules\n\nBe brief.\n@gone.md\n", encoding="utf-8")
if root := os.environ.get("INSIDE"):
    shutil.copytree(project, f"{root}/project", dirs_exist_ok=True)
    home, project = "/home", "/project"
here = os.path.join(place, "project")
# Windows starts nothing without its own variables.
environment = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TEMP") if name in os.environ} | {"HOME": home, "USERPROFILE": home}
options = ["--cwd", project, "--home", home]


def run(*arguments, text="", codes=(0,)):
    done = subprocess.run([*command, *arguments], cwd=here, env=environment, input=text, capture_output=True, encoding="utf-8", timeout=60)
    assert done.returncode in codes, f"{command} {arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def framed(message):
    body = json.dumps({"jsonrpc": "2.0", **message})
    return f"Content-Length: {len(body)}\r\n\r\n{body}"


assert run("--version").strip() == f"briefing {version}"
shown = json.loads(run("show", f"{project}/src/a.rs", "--harness", "codex", "--format", "json", *options))
[briefing] = shown["briefings"]
assert briefing["messages"][0]["text"].count("Be brief."), briefing
if not root:
    found = run("check", "--no-home", "--harness", "claude-code", codes=(1,))
    assert "gone.md" in found, found
asked = {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": pathlib.Path(project).absolute().as_uri(), "capabilities": {}}}
session = [asked, {"method": "initialized", "params": {}}, {"id": 2, "method": "shutdown"}, {"method": "exit"}]
assert '"capabilities"' in run("lsp", text="".join(map(framed, session)))
asked = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "dry-run", "version": "1"}}
messages = [{"id": 1, "method": "initialize", "params": asked}, {"method": "notifications/initialized"}, {"id": 2, "method": "tools/list"}]
said = run("mcp", *(["--cwd", project] if root else []), text="".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in messages))
assert "effective_instructions" in said, said
print("works:", *command)
