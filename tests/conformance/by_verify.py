#!/usr/bin/env python3
"""Asks recorded questions by the drivers of `briefing verify`, and compares what the client says with what was recorded.

usage: by_verify.py HARNESS --program CLIENT --version V --briefing BINARY [--cases N] [--count]

  --cases   of all cases that have such a question, N that lie evenly between the first and the last [default: all]
  --count   asks nothing, and says how many of the recorded questions these drivers can ask, and what the others are about

There are two drivers for a client that `briefing verify` knows: the one there asks for the start of a session and for one reading,
the one here for everything else as well. This is how they are held together. A case is laid out in a private root; the
client sees it there at its own paths.
"""
import argparse, collections, json, os, shutil, subprocess, sys, tempfile
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import casefile

CASES = os.path.join(HERE, "../cases")
# What the client finds in /etc, and what runs it, stays; everything else that a case may lay out is seen at its own path.
SYSTEM = {"bin", "sbin", "lib", "lib32", "lib64", "usr", "etc", "opt", "nix", "var", "proc", "dev", "sys", "boot", "tmp", "run"}


def options(harness, case):
    """The options of the client's command line, where those are all that a case sets, and the driver passes them on; else None."""
    settings = case.settings()
    if not settings:
        return {}
    taken = {name.replace("_", "-"): value for name, value in case.options(harness).items()}
    known = set(settings) == {"options"} and harness in ("grok-build", "mistral-vibe", "hermes", "pi") and "context-length" not in taken
    return taken if known else None


def kind(case, section, ask):
    """What a question is about that the drivers of verify do not ask; None for one that they do."""
    if section.word not in ("@text", "@hash"):
        return f"{section.word[1:]}"
    if case.all("@session") or ask.agent:
        return "sub-agents and kinds of sessions"
    if ask.tool != "read":
        return f"the tool {ask.tool}"
    if ask.already:
        return "files in context"
    if options(ask.harness, case) is None:
        return "options of the command line, and the model"
    if case.all("@serves"):
        return "URLs"
    if any(s.header.startswith(("/etc/", "/opt/", "/var/")) for s in case.sections):
        return "files of the system"
    if ask.edition:
        return "other versions"
    return None


def recorded(harness):
    """Every recorded question to the client: path, case, section, ask."""
    folder = os.path.join(CASES, harness)
    for name in sorted(os.listdir(folder)):
        case = casefile.parse(open(os.path.join(folder, name), newline="").read())
        if not any(s.header.split()[1] == harness for s in case.all("@observed")):
            continue
        for section in case.sections:
            if section.word in ("@text", "@hash", "@skills", "@environment", "@layers", "@reminders"):
                ask = casefile.Ask(section.header.split(None, 1)[1])
                if ask.harness == harness:
                    yield os.path.join(folder, name), case, section, ask


def interpreters():
    """What runs programs that are scripts."""
    return [os.path.realpath(found) for found in map(shutil.which, ("node", "bun")) if found]


def needed_by(program):
    """The folders that a program needs to run: its outermost `node_modules`, its environment of Python with the Python of it, or its own."""
    folders = [program]
    while folders[-1] != "/":
        folders.append(os.path.dirname(folders[-1]))
    packages = [folder for folder in folders if os.path.basename(folder) == "node_modules"]
    environments = [folder for folder in folders if os.path.exists(os.path.join(folder, "pyvenv.cfg"))]
    python = [os.path.dirname(os.path.dirname(os.path.realpath(os.path.join(folder, "bin/python")))) for folder in environments]
    return packages[-1:] or environments + python or [folders[1]]


def plan(o, case, ask, scratch, stood):
    """What `briefing verify` would tell itself: the tree of copies is the disk as it is here."""
    os.symlink("/", os.path.join(scratch, "tree"))
    laid_out = [f"/{name}" for name in os.listdir("/") if name not in SYSTEM and (name not in stood or name == "root")]
    program = os.path.realpath(o.program)
    needed = {folder for path in (program, *interpreters()) for folder in needed_by(path)}
    return {"harness": o.harness, "spec": f"{o.harness}@{o.version}", "version": o.version, "program": program, "cwd": ask.cwd,
            "file": ask.reading and os.path.join(ask.cwd, ask.reading), "after": [os.path.join(ask.cwd, read) for read in ask.after], "options": options(o.harness, case), "home": case.home(), "env": case.env(), "path": [*map(os.path.dirname, (program, *interpreters())), "/usr/local/bin", "/usr/bin", "/bin"],
            "time_zone": "Etc/UTC", "date": [2026, 11, 21], "scratch": scratch, "covers": laid_out, "kept": sorted(place for place in needed if not place.startswith("/usr/")), "limit": {"secs": 240, "nanos": 0}}


def one(o, path, stood, before):
    """What came of the questions of one case. Each is asked about the files as the case has them."""
    case = casefile.parse(open(path, newline="").read())
    for section in case.sections:
        if section.word not in ("@text", "@hash"):
            continue
        ask = casefile.Ask(section.header.split(None, 1)[1])
        if ask.harness != o.harness or kind(case, section, ask):
            continue
        casefile.clear(before)
        casefile.lay_out(case)
        os.makedirs(case.home(), exist_ok=True)
        os.makedirs(ask.cwd, exist_ok=True)
        with tempfile.TemporaryDirectory(dir="/tmp") as scratch:
            command = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", os.path.abspath(o.briefing), "verify", "--inside"]
            with open(os.path.join(scratch, "errors"), "w+") as errors:
                run = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
                # The end of its input would tell it that nobody waits any more.
                run.stdin.write(json.dumps(plan(o, case, ask, scratch, stood)).encode() + b"\n"); run.stdin.flush()
                out = run.stdout.read()
                run.stdin.close(); run.wait()
                errors.seek(0)
                theirs = json.loads(out)["theirs"] if out else {"nothing": errors.read() or f"briefing ended with {run.returncode} and printed nothing"}
        said = "refused" if "refused" in theirs else [(s["trigger"], s["role"], s["text"]) for s in theirs.get("texts", [])]
        words = casefile.measured(said) if section.word == "@hash" else casefile.golden(said, limit=10**9)[1]
        came = "failed" if "nothing" in theirs else "equal" if words == section.body else "different"
        yield {"case": os.path.basename(path), "asked": section.header, "came": came, "words": theirs.get("nothing") or (words if came == "different" else "")}


def inside(o):
    stood, before = set(os.listdir("/")), casefile.standing()
    for path in o.paths:
        for line in one(o, path, stood, before):
            print(json.dumps(line), flush=True)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("harness"); a.add_argument("--program"); a.add_argument("--version"); a.add_argument("--briefing")
    a.add_argument("--cases", type=int); a.add_argument("--count", action="store_true"); a.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    a.add_argument("--paths", nargs="*", help=argparse.SUPPRESS)
    o = a.parse_args()
    if o.inside:
        return inside(o)
    every = list(recorded(o.harness))
    kinds = collections.Counter(kind(case, section, ask) or "" for _, case, section, ask in every)
    if o.count:
        print(f"{o.harness}: {kinds.pop('')} of {len(every)} recorded questions; not " + ", ".join(f"{what} ({times})" for what, times in kinds.most_common()))
        return
    paths = sorted({path for path, case, section, ask in every if not kind(case, section, ask)})
    if o.cases and o.cases < len(paths):
        paths = [paths[number * (len(paths) - 1) // max(o.cases - 1, 1)] for number in range(o.cases)]
    again = [o.harness, "--program", os.path.abspath(o.program), "--version", o.version, "--briefing", os.path.abspath(o.briefing), "--inside", "--paths", *map(os.path.abspath, paths)]
    with tempfile.TemporaryDirectory() as scratch:
        run = casefile.private_root(scratch, os.path.abspath(__file__), *again, stdout=subprocess.PIPE)
    came = collections.Counter()
    for line in map(json.loads, run.stdout.decode().splitlines()):
        came[line["came"]] += 1
        if line["came"] != "equal":
            print(f"{line['came']}: {line['case']}: {line['asked']}\n{line['words'][:1500]}")
    print(f"{o.harness}: {sum(came.values())} asked, {came['equal']} equal, {came['different']} different, {came['failed']} failed")
    sys.exit(0 if came and came["equal"] == sum(came.values()) and not run.returncode else 1)


if __name__ == "__main__":
    main()
