#!/usr/bin/env python3
"""Runs sessions of real clients in repositories whose settings name commands, and notes which of them the client ran.

usage: ran.py --clients DIR tests/ran/CASE.txt...

A case of tests/ran is a case file (casefile.py) with one question more:
  @ran ASK then STEP…   a session of steps as recorded.py has them, and `say:TEXT`; its body is written by this: a line for each
                        NAME of a command `touch /tmp/ran.NAME` that was run
"""
import argparse, glob, json, os, subprocess, sys, tempfile, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import casefile, record, recorded


def run(clients, path):
    """Runs inside the private root: prints the case with what was run."""
    case = casefile.parse(open(path, newline="").read())
    casefile.lay_out(case)
    question = case.all("@ran")[0]
    ask = casefile.Ask(question.header.split(None, 1)[1])
    module = record.driver(ask.harness)
    if hasattr(module, "mocked"):  # Other questions want no commands of settings.
        settings = module.mocked
        module.mocked = lambda *words: {key: value for key, value in settings(*words).items() if key not in ("lsp", "formatter")}
    with getattr(module, "Session", recorded.Once)(clients, case, ask) as session:
        session.allowed = True
        session.hello()
        for step in ask.steps:
            word, _, name = step.partition(":")
            if (ask.harness, word) in recorded.STEPS: recorded.STEPS[ask.harness, word](session, name)
            elif word == "say": session.turn(name)
            elif word == "read": session.read(name)
            else: getattr(session, word)()
        time.sleep(1)  # What runs beside the session may have only begun.
    question.body = "".join(sorted(f"{file.removeprefix('/tmp/ran.')}\n" for file in glob.glob("/tmp/ran.*")))
    case.sections = [section for section in case.sections if section.word != "@observed"]
    case.sections.append(casefile.Section(f"@observed {module.CLIENT} {record.version(module, ask)}"))
    return casefile.format(case)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--clients", required=True)
    a.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    a.add_argument("cases", nargs="+")
    o = a.parse_args()
    if o.inside:
        return print(json.dumps(run(o.clients, o.cases[0])))
    failed = False
    for path in map(os.path.abspath, o.cases):
        with tempfile.TemporaryDirectory() as scratch:
            done = casefile.private_root(scratch, os.path.abspath(__file__), "--inside", "--clients", os.path.abspath(o.clients), path, stdout=subprocess.PIPE)
        if done.returncode or not done.stdout:
            print(f"failed   {os.path.relpath(path)}"); failed = True; continue
        open(path, "w", newline="").write(json.loads(done.stdout.splitlines()[-1])); print(f"asked    {os.path.relpath(path)}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
