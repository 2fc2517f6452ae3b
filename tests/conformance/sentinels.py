#!/usr/bin/env python3
"""Whether the cases that are replayed on every version of a client show what there is to see; or chooses such cases.

usage: sentinels.py HARNESS --briefing BINARY [--choose]

What there is to see: each version since which something changed (Briefing answers a case otherwise than for the version before
it: with that change taken back, the case would differ from the client), and each rule (a fate of a file with its reason, a kind
of finding, a refusal) that decides in any recorded case of the harness. Prints what no case of versions/HARNESS.cases shows, and
ends with 1 if there is such. With --choose, writes the list anew: as few cases as show everything that any case shows.
No client is asked.
"""
import argparse, json, os, re, subprocess, sys, tempfile
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import casefile
from sweep import KINDS, numbers

# What is said of Briefing, and not of the client.
OURS = "more than Briefing reads|finding (not-exact|between-editions|unchecked-version)"
HEAD = "# Cases that a rule, or a change of one, shows in.\n"


def sides(o):
    """The versions on both sides of each change, oldest first."""
    run = subprocess.run([o.briefing, "harnesses", "--details", "--format", "json"], stdout=subprocess.PIPE, check=True)
    facts = next(row["facts"] for row in json.loads(run.stdout)["harnesses"] if row["harness"] == o.harness)
    since = sorted({change["since"] for change in facts["changes"]}, key=numbers)
    oldest = min((one["version"] for one in facts["replayed"]), key=numbers)
    return [oldest] + [version for version in since if numbers(version) > numbers(oldest)]


def asked(o, case, ask):
    """What Briefing says of every version, in the order of `o.versions`."""
    settings = case.settings()
    session = next((s.header.split()[1] for s in case.all("@session")), settings.pop("session", None))
    harnesses = ",".join(f"{o.harness}@{version}" for version in o.versions.split(","))
    command = [o.briefing, "show", "--format", "json", "--harness", harnesses, "--home", case.home(), "--cwd", ask.cwd or "/"]
    command += ["--session", session] if session else []
    command += [w for option, files in (("--read", ask.after), ("--already", ask.already)) for f in files for w in (option, f)]
    command += ["--tool", ask.tool] if ask.tool != "read" else []
    command += ["--agent", ask.agent] if ask.agent else []
    command += ["--request", json.dumps(settings)] if settings else []
    command += [ask.reading] if ask.reading else []
    env = {"PATH": os.environ["PATH"], "HOME": case.home(), "TZ": "Etc/UTC", "SHELL": "/bin/bash", **case.env()}
    run = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return json.loads(run.stdout)["briefings"] if run.stdout else []


def plain(words):
    """A reason without what it names and counts."""
    words = re.sub(r"`[^`]*`|\S*[/\d]\S*|\S*\.(md|toml|json)\S*|\b[A-Z]{4,}: [^:,)]*|\b(tokens|characters|bytes|B)\b", "_", words)
    return re.sub(r"_( _)+", "_", words)


def seen_in(o, path):
    """What a case shows."""
    case = casefile.parse(open(path, newline="").read())
    questions = {}
    for section in case.sections:
        if section.word in KINDS:
            ask = casefile.Ask(section.header.split(None, 1)[1])
            if ask.harness == o.harness:
                questions[re.sub(r"@\S+", "", section.header.split(None, 1)[1]), KINDS[section.word]] = ask
    if not questions or any(s.header.endswith(" errno") or " | errno " in s.header for s in case.sections):
        return []
    casefile.lay_out(case)
    os.makedirs(case.home(), exist_ok=True)
    seen = set()
    for (_, kind), ask in questions.items():
        told = asked(o, case, ask)
        said = ["refused" if one["refusal"] else [m["text"] for m in one["messages"] if m.get("kind", "instructions") == kind] for one in told]
        seen |= {f"since {version}" for version, old, new in zip(o.versions.split(",")[1:], said, said[1:]) if old != new}
        for one in told[-1:]:
            seen |= {f"{source['fate']}: {plain(source['reason'])}" for source in one["sources"]}
            seen |= {f"finding {warning['code']}" for warning in one["warnings"]} | ({"refused"} if one["refusal"] else set())
            seen = {thing for thing in seen if not re.search(OURS, thing)}
    return sorted(seen)


def inside(o):
    before, cases = casefile.standing(), os.path.join(HERE, "../cases", o.harness)
    for name in sorted(os.listdir(cases)):
        try:
            seen = seen_in(o, os.path.join(cases, name))
        except (Exception, SystemExit) as problem:
            seen = []
            print(f"{name}: {problem!r}"[:300], file=sys.stderr)
        print(json.dumps([f"{o.harness}/{name.removesuffix('.txt')}", seen]), flush=True)
        casefile.clear(before)


def fewest(shown, already):
    """Cases that show everything: those that alone show something; then, time and again, the one that shows most of what is
    missing, those on the list first."""
    everything = set().union(*shown.values())
    who = {thing: [name for name in shown if thing in shown[name]] for thing in everything}
    chosen = sorted({names[0] for names in who.values() if len(names) == 1})
    missing = everything - set().union(*(shown[name] for name in chosen))
    while missing:
        best = max(shown, key=lambda name: (len(missing & shown[name]), name in already, name))
        chosen.append(best)
        missing -= shown[best]
    # What a later one shows as well may have made an earlier one idle.
    for name in chosen[:]:
        rest = set().union(*(shown[other] for other in chosen if other != name))
        if shown[name] <= rest:
            chosen.remove(name)
    return sorted(chosen)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("harness"); a.add_argument("--briefing", required=True); a.add_argument("--choose", action="store_true")
    a.add_argument("--versions", help=argparse.SUPPRESS); a.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    o = a.parse_args()
    if o.inside:
        return inside(o)
    versions = sides(o)
    script = [o.harness, "--briefing", os.path.abspath(o.briefing), "--inside", "--versions", ",".join(versions)]
    with tempfile.TemporaryDirectory() as scratch:
        run = casefile.private_root(scratch, os.path.abspath(__file__), *script, stdout=subprocess.PIPE, check=True)
    shown = {name: set(seen) for name, seen in map(json.loads, run.stdout.decode().splitlines()) if seen}
    path = os.path.join(HERE, "versions", f"{o.harness}.cases")
    listed = [line for line in open(path).read().splitlines() if line and not line.startswith("#")]
    if o.choose:
        listed = fewest(shown, listed)
        open(path, "w").write(HEAD + "".join(name + "\n" for name in listed))
    everything, seen = set().union(*shown.values()), set().union(*(shown.get(name, set()) for name in listed))
    hidden = [version for version in versions[1:] if f"since {version}" not in everything]
    if hidden:
        print(f"what changed with these versions shows in no case at all: {' '.join(hidden)}")
    print(f"{len(listed)} cases show {len(seen)} of {len(everything)} things that {len(shown)} cases show")
    for thing in sorted(everything - seen):
        print(f"no case shows it: {thing}, as {min(name for name in shown if thing in shown[name])} does")
    sys.exit(1 if everything - seen else 0)


if __name__ == "__main__":
    main()
