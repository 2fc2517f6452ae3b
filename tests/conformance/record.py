#!/usr/bin/env python3
"""Asks the real client every @text, @hash, @skills, @agents, @reminders, @called and @unfolded question of case files and writes its answers into them.

usage: record.py --clients DIR [--check] CASE.txt...

  --clients DIR  where the clients are installed (`install.sh DIR`)
  --check        write nothing; report the cases whose golden differs from the client (exit 1)
  --together     lay out all cases in one private root, one after the other, for drivers whose client goes on for further
                 questions

Each case is laid out in a private root of its own, so paths, budgets and ancestors are those of the case. A driver
module per harness (codex.py, opencode.py, openclaw.py …) has CLIENT, VERSION (or `version(ask)`, where editions are
asked of clients of their own) and `ask(clients, case, ask) -> [(trigger, role, text)] | "refused"`, which runs the client
inside the private root. One that can be asked for lists of skills has `skills(clients, case, ask)` with the same answer, one that
can be asked for the environment block `environment(clients, case, ask)`, for texts beside the files `layers(clients, case, ask)` with
the kind behind the role, as in `system agents`, for calls of skills `called(clients, case, ask)`, for the names of
the agents that can be started `agents(clients, case, ask)`, one of which the reminders are known
`reminders(clients, case, ask)`, and one whose sessions can be followed step by step `Session(clients, case, ask)`, as unfold.py says.
"""
import argparse, http.server, importlib, json, os, subprocess, sys, tempfile, threading, urllib.parse
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import casefile, unfold


def driver(harness):
    return importlib.import_module(harness.replace("-", "_"))


def version(module, ask):
    """The version of the client that answers `ask`."""
    return module.version(ask) if hasattr(module, "version") else module.VERSION


def serve(case):
    """Serves what the case says that URLs of this machine serve, until the process ends."""
    served = {}
    for section in case.all("@serves"):
        url, _, how = section.header.split(None, 1)[1].partition(" | ")
        parts = urllib.parse.urlsplit(url)
        status = int(how.split()[1]) if how.startswith("status") else 200
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        served.setdefault(parts.port, {})[path] = (status, casefile.raw(section.body) if how == "raw" else section.body.encode())

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            status, body = served[self.server.server_address[1]].get(self.path, (404, b""))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    for port in served:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()


def answer(clients, path):
    """Runs inside the private root: prints the case with fresh goldens."""
    case = casefile.parse(open(path, newline="").read())
    casefile.lay_out(case)
    serve(case)
    observed = set()
    for section in case.all("@text") + case.all("@hash"):
        ask = casefile.Ask(section.header.split(None, 1)[1])
        module = driver(ask.harness)
        word, body = casefile.golden(module.ask(clients, case, ask))
        section.header = section.header.replace(section.word, word, 1)
        section.body = body
        observed.add((module.CLIENT, version(module, ask)))
    for section in case.all("@skills") + case.all("@environment") + case.all("@layers") + case.all("@reminders") + case.all("@called"):
        ask = casefile.Ask(section.header.split(None, 1)[1])
        module = driver(ask.harness)
        said = getattr(module, section.word[1:])(clients, case, ask)
        section.body = casefile.measured(said) if section.word == "@reminders" else casefile.golden(said, limit=float("inf"))[1]
        observed.add((module.CLIENT, version(module, ask)))
    for section in case.all("@agents"):
        ask = casefile.Ask(section.header.split(None, 1)[1])
        module = driver(ask.harness)
        section.body = "".join(f"{name}\n" for name in sorted(module.agents(clients, case, ask)))
        observed.add((module.CLIENT, version(module, ask)))
    for section in case.all("@unfolded"):
        ask = casefile.Ask(section.header.split(None, 1)[1])
        module = driver(ask.harness)
        with module.Session(clients, case, ask) as session:
            section.body = unfold.steps(session, case, ask)
        observed.add((module.CLIENT, version(module, ask)))
    asked = {client for client, _ in observed}
    case.sections = [s for s in case.sections if not (s.word == "@observed" and s.header.split()[1] in asked)]
    case.sections += [casefile.Section(f"@observed {c} {v}") for c, v in sorted(observed)]
    return casefile.format(case)


def answers(clients, paths):
    """Runs inside the private root: a line of JSON for every case."""
    before = casefile.standing()
    for path in paths:
        try:
            new = answer(clients, path)
        except (Exception, SystemExit) as problem:
            print(problem, file=sys.stderr); new = None
        print(json.dumps(new), flush=True)
        casefile.clear(before)


def asked_inside(o, paths):
    with tempfile.TemporaryDirectory() as scratch:
        run = casefile.private_root(scratch, os.path.abspath(__file__), "--inside", "--clients", os.path.abspath(o.clients), *paths, stdout=subprocess.PIPE)
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    lines += [None] * (len(paths) - len(lines))
    return [(path, None if new is None else new.encode("utf-8", "surrogateescape")) for path, new in zip(paths, lines)]


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--clients", required=True)
    a.add_argument("--check", action="store_true")
    a.add_argument("--together", action="store_true")
    a.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    a.add_argument("cases", nargs="+")
    o = a.parse_args()
    if o.inside:
        return answers(o.clients, o.cases)
    differing = 0
    paths = [os.path.abspath(path) for path in o.cases]
    for path, new in asked_inside(o, paths) if o.together else ((p, new) for p in paths for _, new in asked_inside(o, [p])):
        name = os.path.relpath(path)
        if new is None:
            print(f"failed   {name}"); differing += 1; continue
        old = open(path, "rb").read()
        if old == new:
            print(f"same     {name}")
        elif o.check:
            print(f"DIFFERS  {name}"); differing += 1
            with tempfile.NamedTemporaryFile(suffix=".txt") as f:
                f.write(new); f.flush(); subprocess.run(["diff", "-u", path, f.name])
        else:
            open(path, "wb").write(new); print(f"recorded {name}")
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
