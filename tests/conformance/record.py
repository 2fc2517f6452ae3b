#!/usr/bin/env python3
"""Asks the real client every @text and @hash question of case files and writes its answers into them.

usage: record.py --clients DIR [--check] CASE.txt...

  --clients DIR  where the clients are installed (`install.sh DIR`)
  --check        write nothing; report the cases whose golden differs from the client (exit 1)

Each case is laid out in a private root of its own, so paths, budgets and ancestors are those of the case. A driver
module per harness (codex.py, opencode.py, openclaw.py …) has CLIENT, VERSION (or `version(ask)`, where editions are
asked of clients of their own) and `ask(clients, case, ask) -> [(trigger, role, text)] | "refused"`, which runs the client
inside the private root.
"""
import argparse, importlib, os, subprocess, sys, tempfile
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import casefile


def driver(harness):
    return importlib.import_module(harness.replace("-", "_"))


def version(module, ask):
    """The version of the client that answers `ask`."""
    return module.version(ask) if hasattr(module, "version") else module.VERSION


def answer(clients, path):
    """Runs inside the private root: prints the case with fresh goldens."""
    case = casefile.parse(open(path, newline="").read())
    casefile.lay_out(case)
    observed = set()
    for section in case.all("@text") + case.all("@hash"):
        ask = casefile.Ask(section.header.split(None, 1)[1])
        module = driver(ask.harness)
        word, body = casefile.golden(module.ask(clients, case, ask))
        section.header = section.header.replace(section.word, word, 1)
        section.body = body
        observed.add((module.CLIENT, version(module, ask)))
    asked = {client for client, _ in observed}
    case.sections = [s for s in case.sections if not (s.word == "@observed" and s.header.split()[1] in asked)]
    case.sections += [casefile.Section(f"@observed {c} {v}") for c, v in sorted(observed)]
    sys.stdout.write(casefile.format(case))


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--clients", required=True)
    a.add_argument("--check", action="store_true")
    a.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    a.add_argument("cases", nargs="+")
    o = a.parse_args()
    if o.inside:
        return answer(o.clients, o.cases[0])
    differing = 0
    for path in o.cases:
        path = os.path.abspath(path)
        with tempfile.TemporaryDirectory() as scratch:
            run = casefile.private_root(scratch, os.path.abspath(__file__), "--inside", "--clients", os.path.abspath(o.clients), path,
                                        stdout=subprocess.PIPE)
        name = os.path.relpath(path)
        if run.returncode:
            print(f"failed   {name}"); differing += 1; continue
        old, new = open(path, "rb").read(), run.stdout
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
