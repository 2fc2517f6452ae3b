#!/usr/bin/env python3
"""Random trees: the real client and Briefing are asked the same question; any difference is kept as a case file.

usage: compare.py HARNESS[@EDITION] N SEED --clients DIR --briefing BINARY [--keep DIR] [--together] [--after N] [--switches] [--odd]

The harness's driver module has `generate(random) -> (casefile.Case, ask words)`; where an edition is named, it is told
(`generate(random, edition)`) and the words are a question to that edition. `further(edition)`, where there is one, says what
else is compared: lists of skills, the block about the environment. Tree number i of a seed is the same tree every time. With
--after, up to N files of the tree are read before the one that is asked about; with --switches, switches of the client's table are
set in the tree; with --odd, the names of directories have spaces and letters beyond ASCII. Differences are written to --keep (default: ./differences) as ready case files.
"""
import argparse, json, os, random, re, subprocess, sys, tempfile
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import casefile, drawn
from record import driver, version


def answered(binary, case, ask):
    """Briefing's answer as it stands in its JSON, or what went wrong."""
    home, settings = case.home(), case.settings()
    session = next((s.header.split()[1] for s in case.all("@session")), settings.pop("session", None))
    harness = ask.harness + (f"@{ask.edition}" if ask.edition else "")
    os.makedirs(home, exist_ok=True)  # the client makes it
    command = [binary, "show", "--format", "json", "--edition", "newest", "--harness", harness, "--home", home, "--cwd", ask.cwd or "/"]
    command += ["--session", session] if session else []
    command += [w for f in ask.after for w in ("--read", f)]
    command += [w for f in ask.already for w in ("--already", f)]
    command += ["--tool", ask.tool] if ask.tool != "read" else []
    command += ["--agent", ask.agent] if ask.agent else []
    command += ["--request", json.dumps(settings)] if settings else []
    command += [ask.reading] if ask.reading else []
    command += ["--new"] if ask.reading and not os.path.exists(os.path.join(ask.cwd or "/", ask.reading)) else []
    env = {"PATH": os.environ["PATH"], "HOME": home, "TZ": "Etc/UTC", "SHELL": "/bin/bash", **case.env()}
    run = subprocess.run([*casefile.OBEYING, *command], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    if run.returncode:
        return f"exit {run.returncode}: {run.stderr.decode(errors='replace')}"
    return json.loads(run.stdout)["briefings"][0]


def said(answer, kind):
    """What an answer says the client sends, in the driver's form: the messages of one kind."""
    if isinstance(answer, str) or answer["refusal"]:
        return answer if isinstance(answer, str) else "refused"
    return [(m["trigger"], m["role"], casefile.on_the_day(m["text"])) for m in answer["messages"]
            # What is only named stands in no message of that kind, but in the description of a tool, say.
            if m.get("kind", "instructions") == kind and m["text"]]


def briefing(binary, case, ask, kind):
    """What Briefing says the client sends."""
    return said(answered(binary, case, ask), kind)


KINDS = {"@text": "instructions", "@skills": "skills", "@environment": "environment", "@reminders": "reminder"}


def one(o, number):
    """Runs inside the private root: what differs, as the case with the client's answer, and both answers in words."""
    harness, _, edition = o.harness.partition("@")
    module, r = driver(harness), random.Random(f"{o.seed}/{number}")
    case, words = module.generate(r, edition) if edition else module.generate(r)
    if o.switches:
        drawn.draw(random.Random(f"{o.seed}/{number}/switches"), harness, case, casefile.Ask(words).cwd or "/")
    if o.odd:
        words = drawn.rename(case, words)
    casefile.lay_out(case)
    os.makedirs(case.home(), exist_ok=True)
    if o.after and " reading " in words and " by " not in words:
        files = [s.header for s in case.sections if s.header.startswith("/") and " " not in s.header and s.body and os.path.isfile(s.header)]
        earlier = random.Random(f"{o.seed}/{number}/after").choices(files, k=1 + number % o.after) if files else []
        words += "".join(f" after {file}" for file in earlier)
    ask = casefile.Ask(words)
    further = module.further(ask.edition) if hasattr(module, "further") else []
    differences = (compared(o, case, words, word, asked) for word, asked in [("@text", module.ask), *further])
    return next(filter(None, differences), None)


def compared(o, case, words, word, asked):
    """What differs in the answer to one question."""
    ask, module = casefile.Ask(words), sys.modules[asked.__module__]
    if ask.reading and os.path.isdir(os.path.join(ask.cwd or "/", ask.reading)):
        return None  # for the command line a folder is where a session starts, not what is read
    answer = answered(o.briefing, case, ask)
    ours, doubted = said(answer, KINDS[word]), isinstance(answer, dict) and answer["fidelity"] == "files"
    real = asked(o.clients, case, ask)
    if os.environ.get("COMPARE_SAYS"): os.write(2, f"{word} {len(str(real))}\n".encode())
    if real == "skip" or (ours if isinstance(ours, str) else [tuple(m) for m in ours]) == (real if isinstance(real, str) else [tuple(m) for m in real]):
        return None
    body = casefile.golden(real, limit=10**9)[1]
    if word == "@reminders":
        body = casefile.measured(real)
    case.sections += [casefile.Section(f"{word} {words}", body), casefile.Section(f"@observed {module.CLIENT} {version(module, ask)}")]
    return casefile.format(case), f"{DOUBTED if doubted else ''}--- ours\n{ours if isinstance(ours, str) else casefile.golden(ours, limit=10**9)[1]}\n--- real\n{body}\n"


def all_of_them(o):
    """Runs inside the private root."""
    before = casefile.standing()
    for number in range(o.n):
        try:
            difference = one(o, number)
        except (Exception, SystemExit) as problem:
            difference = None
            print(json.dumps({"number": number, "failed": repr(problem)}), flush=True)
        if difference:
            print(json.dumps({"number": number, "case": difference[0], "words": difference[1]}), flush=True)
        casefile.clear(before)


# Begins the words about a difference in an answer that is not exact.
DOUBTED = "not exact\n"


def keep(o, number, case, words):
    # What the client itself complains of stands before the words.
    if f"{DOUBTED}--- ours\n" in words:
        print(f"doubted tree {number}", flush=True)
        return 0
    os.makedirs(o.keep, exist_ok=True)
    path = os.path.join(o.keep, f"{o.harness}_{o.seed}_{number}.txt")
    open(path, "wb").write(f"Random tree {number} of seed {o.seed}.\n".encode() + case)
    print(f"DIFFERS {path}\n{words[:2000]}", flush=True)
    return 1


def together(o, again):
    found, different, failed = 0, 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        run = casefile.private_root(scratch, os.path.abspath(__file__), *again, "--inside", "-1", stdout=subprocess.PIPE)
    for line in map(json.loads, run.stdout.decode("utf-8", "surrogateescape").splitlines()):
        if "failed" in line:
            failed += 1; print(f"tree {line['number']} failed: {line['failed']}")
        else:
            found += 1; different += keep(o, line["number"], line["case"].encode("utf-8", "surrogateescape"), line["words"])
    return found, different, failed + bool(run.returncode)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("harness"); a.add_argument("n", type=int); a.add_argument("seed", type=int)
    a.add_argument("--clients", required=True); a.add_argument("--briefing", required=True)
    a.add_argument("--keep", default="differences"); a.add_argument("--together", action="store_true"); a.add_argument("--after", type=int, default=0); a.add_argument("--switches", action="store_true"); a.add_argument("--odd", action="store_true"); a.add_argument("--inside", type=int, help=argparse.SUPPRESS)
    o = a.parse_args()
    if o.inside == -1:
        return all_of_them(o)
    if o.inside is not None:
        difference = one(o, o.inside)
        if difference:
            sys.stdout.write(difference[0]); sys.stderr.write(difference[1])
        sys.exit(3 if difference else 0)
    again = [o.harness, str(o.n), str(o.seed), "--clients", os.path.abspath(o.clients), "--briefing", os.path.abspath(o.briefing), "--after", str(o.after)] + ["--switches"] * o.switches + ["--odd"] * o.odd
    found, different, failed = together(o, again) if o.together else (0, 0, 0)
    for i in range(0 if o.together else o.n):
        with tempfile.TemporaryDirectory() as scratch:
            run = casefile.private_root(scratch, os.path.abspath(__file__), *again, "--inside", str(i), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if run.returncode == 3:
            found += 1; different += keep(o, i, run.stdout, run.stderr.decode(errors="replace"))
        elif run.returncode:
            failed += 1; print(f"tree {i} failed:\n{run.stderr.decode(errors='replace')[-1500:]}", flush=True)
    print(f"{o.n} trees, {different} differences, {found - different} doubted, {failed} failed")
    sys.exit(1 if different or failed else 0)


if __name__ == "__main__":
    main()
