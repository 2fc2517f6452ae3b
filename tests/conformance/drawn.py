"""Sets one or two switches of a client's table (data/clients/ID/switches.toml) in a random tree: variables, keys, files."""
import json, os, tomllib
from casefile import Section

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# What variables are set to; `/v` and `v` are folders with an instruction file of each name.
WORDS = ["1", "true", "0", "false", "", "no", "maybe", "/v", "v", "~/v", "/v/AGENTS.md"]
VALUES = [True, False, 0, 1, "", "/v", "v", ["/v"], ["v/AGENTS.md"], [], {}, None]
# With these the client waits for others and never answers.
WAITING = ["CLINE_RUN_AS_HUB_DAEMON"]
NAMES = ["AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md", "SYSTEM.md"]


def draw(r, harness, case, cwd):
    """Adds them to the case. Each row is as likely as every other; what the tree sets itself stays."""
    with open(os.path.join(ROOT, "data", "clients", harness, "switches.toml"), "rb") as file:
        table = tomllib.load(file)
    rows = [row for row in table["switch"] if row["kind"] in ("variable", "key", "file") and row["name"] not in WAITING]
    for row in r.sample(rows, min(len(rows), r.choice([1, 1, 2]))):
        where = [table["files"][name][-1] for name in row.get("in", [])] or [row["name"]]
        path = r.choice(where).replace("~", case.home(), 1).replace("./", cwd.rstrip("/") + "/", 1)
        if row["kind"] != "variable" and not path.startswith("/"):
            continue
        if row["kind"] == "variable":
            if row["name"] not in case.env(): case.sections.append(Section(f"@env {row['name']}={r.choice(WORDS)}"))
        elif row["kind"] == "file":
            put(case, path, "text\n")
        else:
            put(case, path, written(row["name"], r.choice(VALUES), path))
    for folder in ("/v", f"{cwd.rstrip('/')}/v", f"{case.home()}/v"):
        for name in NAMES: put(case, f"{folder}/{name}", f"{name} of {folder}\n")


def put(case, path, text):
    """Adds a file, unless the tree has something there."""
    taken = [section.header.split(" ", 1)[0].rstrip("/") for section in case.sections if section.header.startswith("/")]
    folders = [section.header for section in case.sections if section.header.startswith("/") and section.header.endswith("/")]
    if not any(path == other or other.startswith(path + "/") or path.startswith(other + "/") and other + "/" not in folders for other in taken):
        case.sections.append(Section(path, text))


def written(name, value, path):
    """A settings file with that key; JSON is YAML as well."""
    if path.endswith(".toml"):
        return f"{name} = {json.dumps('' if value is None else value) if value != {} else '{}'}\n"
    for key in reversed(name.split(".")): value = {key: value}
    return json.dumps(value) + "\n"
