"""Asks the real Kilo, a program made of OpenCode, as `opencode.py` asks that one: its messages have the same shape."""
import atexit, json, os, socket, subprocess, sys, tempfile, time, urllib.error, urllib.parse, urllib.request
import casefile
import opencode
import opencode_trees

CLIENT, VERSION, HOME = "kilo", "7.7.9", "/h"
NATIVE = ("code", "plan", "explore", "general")


class Server:
    """The client's own server, which takes long to start and goes on for further questions (`--together`)."""

    def __init__(self):
        self.process, self.env = None, {}

    def fits(self, case, settings, allowed, attached):
        """Whether a question is one for it: its variables and its home are those that it was started with."""
        wanted = case.env()
        # Random trees have that variable, all of them. An agent that is not there is refused by the server alone.
        unusual = settings.get("extraSystemPrompt") or settings.get("agent", "code") not in NATIVE
        if not allowed or attached or case.options(CLIENT) or set(wanted) - {"WHO"} or case.home() != HOME or unusual:
            return False
        self.env = self.env if self.process else wanted
        return self.env == wanted

    def start(self, clients, client):
        state, self.provider = tempfile.mkdtemp(prefix="kilo-"), opencode.Provider({})
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        env = opencode.surroundings(client, HOME, state, self.env, state)
        env["KILO_CONFIG_CONTENT"] = json.dumps(opencode.mocked(self.provider, "mock-model", True))
        self.process = subprocess.Popen([*casefile.OBEYING, opencode.program(clients, client), "serve", "--port", str(self.port)], cwd=state, env=env, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        atexit.register(self.process.kill)
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                return self.post("/session", {"title": "t"}, state, 30)
            except OSError:
                time.sleep(.1)
        raise SystemExit("the client's server did not start")

    def post(self, path, body, cwd, seconds):
        data = json.dumps({k: v for k, v in body.items() if v}).encode()
        headers = {"content-type": "application/json", "x-kilo-directory": urllib.parse.quote(cwd, safe="")}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, headers)
        return json.loads(urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=seconds).read() or b"null")

    def run(self, clients, client, cwd, steps, settings):
        if not self.process:
            self.start(clients, client)
        cwd, agent = os.path.realpath(cwd), settings.get("agent")
        self.provider.steps, before = {"main": steps}, len(self.provider.requests)
        if settings.get("session") == "subagent":
            call = {"description": "errand", "prompt": opencode.ERRAND, "subagent_type": agent or "general"}
            agent, self.provider.steps = None, {"main": [[("task", call)]], "errand": steps}
        # What it knows of the directory it shall forget: before the question as well, since something may have looked there after the last.
        self.post("/instance/dispose", {}, cwd, 120)
        try:
            session = self.post("/session", {"title": "t"}, cwd, 120)["id"]
            self.post(f"/session/{session}/message", {"agent": agent, "parts": [{"type": "text", "text": opencode.HELLO}]}, cwd, 240)
        except urllib.error.HTTPError as refusal:
            sys.stderr.write(refusal.read().decode(errors="replace")[:700] + "\n")
            return None
        finally:
            self.post("/instance/dispose", {}, cwd, 120)
        return self.provider.requests[before:] or None


class Kilo(opencode.Now):
    version, place, options = VERSION, "kilo", ["--pure", "--auto"]
    binary, prefix, keeps = "@kilocode/cli-{}-{}/bin/kilo", "KILO_", Server()
    own = {"DISABLE_SESSION_INGEST": "1", "DISABLE_CODEBASE_INDEXING": "1", "DISABLE_PRESENCE": "1", "NO_DAEMON": "1", "TELEMETRY_LEVEL": "off"}


opencode.OTHERS[CLIENT] = Kilo
Session = opencode.Session


def ask(clients, case, ask):
    return opencode.ask(clients, case, ask)


def skills(clients, case, ask):
    return opencode.skills(clients, case, ask)


def agents(clients, case, ask):
    return opencode.agents(clients, case, ask)


def environment(clients, case, ask):
    return opencode.environment(clients, case, ask)


# Random trees: those of OpenCode under Kilo's names, with rules, and with references in some files.

REFERENCES = ["{env:WHO}", "${env:WHO}", "\n// {env:WHO}\n", "{file:note.txt}", "{file:gone}", "{file:/out/note.txt}", "{file:~/note.txt}"]


def generate(random):
    r = random
    case, words = opencode_trees.generate(r)
    settings, folder = r.choice(["kilo", "opencode"]), r.choice([".kilo", ".kilocode"])

    def renamed(header):
        header = header.replace("/.config/opencode/", "/.config/kilo/").replace("/etc/opencode/", "/etc/kilo/").replace("/x/opencode/", "/x/kilo/")
        return header.replace("/.opencode", f"/{folder}").replace("opencode.json", f"{settings}.json").replace("OPENCODE_", "KILO_")

    for section in case.sections:
        section.header = renamed(section.header)
        plain = section.header.startswith("/") and section.header.endswith(".md") and " " not in section.header
        if plain and "/agent" not in section.header and "/command" not in section.header and r.random() < .15:
            section.body += r.choice(REFERENCES) + "\n"
    taken = {section.header.split(" ")[0] for section in case.sections}
    cwd = casefile.Ask(words).cwd
    for place in dict.fromkeys([cwd, "/r", "/h"]):
        for name in ["rules", "rules-code", "rules-other"] if r.random() < .3 else []:
            path = f"{place}/{r.choice(['.kilo', '.kilocode'])}/{name}/"
            for file in r.sample(["a.md", "b.md", "c.txt", "[d].md"], r.randint(0, 3)):
                if not any(path.startswith(other.rstrip("/") + "/") and not other.endswith("/") for other in taken):
                    case.sections.append(casefile.Section(path + file, f"Rule {path}{file}\n" + r.choice(["", "", r.choice(REFERENCES) + "\n"])))
    if r.random() < .1 and not any(header.startswith(f"{cwd}/.kilocoderules") for header in taken):
        case.sections.append(casefile.Section(f"{cwd}/.kilocoderules", "Old rules.\n"))
    case.sections += [casefile.Section("/out/note.txt", "Outside.\n"), casefile.Section("/h/note.txt", "Noted.\n"), casefile.Section("@env WHO=me")]
    return case, words.replace("opencode", "kilo", 1).replace(" as build", " as code")
