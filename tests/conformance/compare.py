#!/usr/bin/env python3
"""Random trees: the real client and Briefing are asked the same question; any difference is kept as a case file.

usage: compare.py HARNESS[@EDITION] N SEED --clients DIR --briefing BINARY [--keep DIR] [--mode MODE]

The harness's driver module has `generate(random) -> (casefile.Case, ask words)`; where an edition is named, it is told
(`generate(random, edition)`) and the words are a question to that edition. Tree number i of a seed is the same
tree every time. Differences are written to --keep (default: ./differences) as ready case files.
"""
import argparse, json, os, random, subprocess, sys, tempfile
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import casefile
from record import driver, version


def briefing(binary, case, ask):
    """What Briefing says the client sends, in the driver's form."""
    home, settings = case.home(), next((json.loads(s.body) for s in case.all("@settings")), {})
    session = next((s.header.split()[1] for s in case.all("@session")), settings.pop("session", None))
    harness = ask.harness + (f"@{ask.edition}" if ask.edition else "")
    command = [binary, "show", "--format", "json", "--harness", harness, "--home", home, "--cwd", ask.cwd or "/"]
    command += ["--session", session] if session else []
    command += [w for f in ask.already for w in ("--already", f)]
    command += ["--request", json.dumps(settings)] if settings else []
    command += [ask.reading] if ask.reading else []
    env = {"PATH": os.environ["PATH"], "HOME": home, **case.env()}
    run = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    if run.returncode:
        return f"exit {run.returncode}: {run.stderr.decode(errors='replace')}"
    answer = json.loads(run.stdout)["briefings"][0]
    if answer["refusal"]:
        return "refused"
    return [(m["trigger"], m["role"], m["text"]) for m in answer["messages"] if m.get("kind", "instructions") == "instructions"]


def one(o, number):
    """Runs inside the private root: exit 0 when both agree, else prints the case with the client's answer."""
    harness, _, edition = o.harness.partition("@")
    module, r = driver(harness), random.Random(f"{o.seed}/{number}")
    case, words = module.generate(r, edition) if edition else module.generate(r)
    casefile.lay_out(case)
    ask = casefile.Ask(words)
    ours = briefing(o.briefing, case, ask)
    real = module.ask(o.clients, case, ask)
    if real == "skip" or (ours if isinstance(ours, str) else [tuple(m) for m in ours]) == (real if isinstance(real, str) else [tuple(m) for m in real]):
        return 0
    word, body = casefile.golden(real, limit=10**9)
    case.sections += [casefile.Section(f"{word} {words}", body), casefile.Section(f"@observed {module.CLIENT} {version(module, ask)}")]
    sys.stdout.write(casefile.format(case))
    sys.stderr.write(f"--- ours\n{ours if isinstance(ours, str) else casefile.golden(ours, limit=10**9)[1]}\n--- real\n{body}\n")
    return 3


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("harness"); a.add_argument("n", type=int); a.add_argument("seed", type=int)
    a.add_argument("--clients", required=True); a.add_argument("--briefing", required=True)
    a.add_argument("--keep", default="differences"); a.add_argument("--inside", type=int, help=argparse.SUPPRESS)
    o = a.parse_args()
    if o.inside is not None:
        sys.exit(one(o, o.inside))
    different = failed = 0
    for i in range(o.n):
        with tempfile.TemporaryDirectory() as scratch:
            run = casefile.private_root(scratch, os.path.abspath(__file__), o.harness, str(o.n), str(o.seed), "--clients", os.path.abspath(o.clients),
                                        "--briefing", os.path.abspath(o.briefing), "--inside", str(i), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if run.returncode == 3:
            different += 1
            os.makedirs(o.keep, exist_ok=True)
            path = os.path.join(o.keep, f"{o.harness}_{o.seed}_{i}.txt")
            open(path, "wb").write(f"Random tree {i} of seed {o.seed}.\n".encode() + run.stdout)
            print(f"DIFFERS {path}\n{run.stderr.decode(errors='replace')[:2000]}")
        elif run.returncode:
            failed += 1; print(f"tree {i} failed:\n{run.stderr.decode(errors='replace')[-1500:]}")
    print(f"{o.n} trees, {different} differences, {failed} failed")
    sys.exit(1 if different or failed else 0)


if __name__ == "__main__":
    main()
