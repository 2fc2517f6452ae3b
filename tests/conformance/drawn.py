"""Changes a random tree: sets one or two switches of a client's table (data/clients/ID/switches.toml), or gives its directories odd names."""
import json, os, re, tomllib
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
    taken = [re.split(r" (?:->|\||\*) ", section.header)[0].rstrip("/") for section in case.sections if section.header.startswith("/")]
    folders = [section.header for section in case.sections if section.header.startswith("/") and section.header.endswith("/")]
    if not any(path == other or other.startswith(path + "/") or path.startswith(other + "/") and other + "/" not in folders for other in taken):
        case.sections.append(Section(path, text))


def written(name, value, path):
    """A settings file with that key; JSON is YAML as well."""
    if path.endswith(".toml"):
        return f"{name} = {json.dumps('' if value is None else value) if value != {} else '{}'}\n"
    for key in reversed(name.split(".")): value = {key: value}
    return json.dumps(value) + "\n"


# Directories of generated trees, each with a name that has a space and a letter beyond ASCII.
ODD = {"/p": "/p é", "/h": "/h 文", "/r": "/r ü", "/v": "/v ß", "a": "a ö", "s": "s (1)", "src": "src é", "docs": "docs ñ"}


def rename(case, words):
    """Renames the directories of ODD wherever a tree names them. Returns the words of the question with their new names."""
    pattern = re.compile(r"(?<![\w./~-])(/[phrv])(?![\w.-])|(?<=/)(a|s|src|docs)(?![\w.-])")
    odd = lambda text: pattern.sub(lambda found: ODD[found[0]], text)
    home = case.home()
    for section in case.sections:
        section.header = odd(section.header)
        if not section.header.endswith("| base64"): section.body = odd(section.body)
    if not case.all("@home"): case.sections.append(Section(f"@home {odd(home)}"))
    return " ".join(odd(word).replace(" ", "\\s") for word in words.split(" "))
