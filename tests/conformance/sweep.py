#!/usr/bin/env python3
"""Replays sentinel cases on published versions of a client, and writes down what came of it.

usage: sweep.py HARNESS --clients DIR --briefing BINARY [--versions V,V… | --since YYYY-MM-DD [--every N] | --new]
                [--cases FILE] [--bisect] [--keep DIR] [--keep-installed] [--dry]

  HARNESS      codex, opencode, claude-code, gemini-cli, copilot-cli, qwen-code, cline, openclaw, pi, kimi-code,
               continue, droid, goose, grok-build, kilo, oh-my-pi, hermes, mistral-vibe
  --versions   these versions
  --since      those published since that day [default: half a year ago]; with --every N each Nth, and the newest
  --new        those that are newer than the newest that is written down, the newest if none is: made for a scheduled job
  --cases      a list of case names, one a line [default: versions/HARNESS.cases beside this file]
  --bisect     between neighbours whose client answers differently, asks the versions between them until the change is found
  --keep       writes every case that differs there, with the client's answer: VERSION_NAME.case, and how ours differs: .diff
  --dry        writes nothing down

Every version is installed below DIR/sweep, asked in one private root, compared with what Briefing says for that very
version, and taken away again. versions/HARNESS.toml holds the results; what is there of other versions stays. Equal,
different, refused by both, and failed are kept apart. Ends with 1 if an answer differs or a version says nothing, with 2 if
the registry does not answer.

A driver whose client was another one in earlier versions has `at_version(version)`, which is called before it is asked.
"""
import argparse, datetime, difflib, hashlib, json, os, re, shutil, subprocess, sys, tempfile, tomllib
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import casefile, compare
from record import driver, serve

PACKAGES = {
    "codex": "@openai/codex", "opencode": "opencode-ai", "claude-code": "@anthropic-ai/claude-code", "gemini-cli": "@google/gemini-cli",
    "copilot-cli": "@github/copilot", "qwen-code": "@qwen-code/qwen-code", "cline": "cline", "openclaw": "openclaw",
    "pi": "@earendil-works/pi-coding-agent", "kimi-code": "@moonshot-ai/kimi-code", "continue": "@continuedev/cli", "droid": "@factory/cli-linux-x64",
    "goose": "@aaif/goose-binary-linux-x64", "grok-build": "@xai-official/grok-linux-x64", "kilo": "@kilocode/cli-linux-x64", "oh-my-pi": "@oh-my-pi/pi-coding-agent",
}
# Those of PyPI, with the Python that they want and the name under which `install.sh` knows them.
OF_PYPI = {"hermes": ("hermes-agent", "python3"), "mistral-vibe": ("mistral-vibe", "python3.12")}
KINDS = {"@text": "instructions", "@hash": "instructions", "@skills": "skills", "@environment": "environment"}
OUTCOMES = ("equal", "different", "failed", "refused")


def numbers(version):
    return [int(number) for number in re.findall(r"\d+", version)]


def published(harness):
    """Releases with their day, in the order of their numbers; pre-releases and builds for one platform are none. PyPI says no days."""
    if harness in OF_PYPI:
        package, python = OF_PYPI[harness]
        command = [python, "-m", "pip", "index", "versions", package]
    else:
        command = ["npm", "view", "--fetch-retries=1", PACKAGES[harness], "time", "--json"]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if run.returncode:
        print(f"sweep: the registry does not say which versions of {harness} there are:\n{run.stderr.decode(errors='replace')[-400:]}", file=sys.stderr)
        sys.exit(2)
    if harness in OF_PYPI:
        listed = re.search(r"Available versions: (.*)", run.stdout.decode())
        return sorted(((version, "") for version in listed[1].split(", ")), key=lambda pair: numbers(pair[0]))
    # OpenClaw counts what it mends of a release behind a dash; elsewhere that is a pre-release.
    release = re.compile(r"\d+(\.\d+)+(-\d+)?" if harness == "openclaw" else r"\d+(\.\d+)+")
    return sorted(((v, t[:10]) for v, t in json.loads(run.stdout).items() if release.fullmatch(v)), key=lambda pair: numbers(pair[0]))


# Inside the private root.

def plain(said):
    return said if isinstance(said, str) else [list(message) for message in said]


def one_question(o, case, section):
    """What came of one question, the client's answer, and ours; or None where the driver cannot ask it."""
    if section.word not in KINDS:
        return None
    module, ask = driver(o.harness), casefile.Ask(section.header.split(None, 1)[1])
    if ask.harness != o.harness:
        return None
    # The client may write what it is asked to: ours is asked first.
    ask.edition = o.inside
    ours = plain(compare.briefing(o.briefing, case, ask, KINDS[section.word]))
    ask.edition = None
    real = plain((module.ask if section.word in ("@text", "@hash") else getattr(module, section.word[1:]))(o.clients, case, ask))
    if real == "skip":
        return None
    return "different" if real != ours else "refused" if real == "refused" else "equal", real, ours


def one_case(o, path):
    """Everything that came of one case, and the case with the client's answers to what differs."""
    case = casefile.parse(open(path, newline="").read())
    casefile.lay_out(case)
    os.makedirs(case.home(), exist_ok=True)
    serve(case)
    came, answers, kept, words = [], [], [], ""
    # What a case asks of several versions is one question here.
    once = {re.sub(r"@\S+", "", s.header.split(None, 1)[-1]) + s.word: s for s in reversed(case.sections) if s.header.startswith("@")}
    for section in reversed(once.values()):
        found = one_question(o, case, section)
        if found is None:
            continue
        outcome, real, ours = found
        came.append(outcome); answers.append(real)
        if outcome == "different":
            word = "@text" if section.word == "@hash" else section.word
            texts = [said if isinstance(said, str) and said != "refused" else casefile.golden(said, limit=10**9)[1] for said in (ours, real)]
            kept.append(casefile.Section(re.sub(f"{o.harness}(@\\S+)?", f"{o.harness}@{o.inside}", f"{word} {section.header.split(None, 1)[1]}", count=1), texts[1]))
            words += "".join(difflib.unified_diff(*(text.splitlines(True) for text in texts), "ours", "client"))
    standing = {word: case.all(word) for word in ("@home", "@env", "@session", "@settings", "@serves")}
    case.sections = [s for s in case.sections if not s.header.startswith("@") or s.word in standing] + kept + [casefile.Section(f"@observed {o.harness} {o.inside}")]
    digest = hashlib.sha256(json.dumps(answers).encode()).hexdigest()
    heard = any(real not in ("refused", []) for real in answers)
    return {"came": came, "answers": digest, "heard": heard, "case": casefile.format(case), "words": words}


def inside(o):
    module, before = driver(o.harness), casefile.standing()
    if hasattr(module, "at_version"):
        module.at_version(o.inside)
    for name in o.names:
        try:
            line = one_case(o, os.path.join(o.tree, name + ".txt"))
        except (Exception, SystemExit) as problem:
            line = {"came": ["failed"], "answers": None}
            print(f"{name}: {problem!r}"[:600], file=sys.stderr)
        print(json.dumps({"name": name, **line}), flush=True)
        casefile.clear(before)


# Outside.

def installed(o, version):
    """Where the version is, below which DIR/CLIENT the drivers look; None where the registry has none for this machine."""
    room = os.path.join(os.path.abspath(o.clients), "sweep", f"{o.harness}-{version}")
    # One that was interrupted half way is no installation, and one of Python cannot be moved.
    whole = os.path.join(room, "whole")
    if os.path.exists(whole):
        return room
    shutil.rmtree(room, ignore_errors=True)
    os.makedirs(room)
    client = OF_PYPI.get(o.harness, [o.harness])[0]
    run = subprocess.run([os.path.join(HERE, "install.sh"), room, f"{client}@{version}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if run.returncode:
        print(f"{version}: cannot be installed\n{run.stdout.decode(errors='replace')[-400:]}", file=sys.stderr)
        shutil.rmtree(room)
        return None
    open(whole, "w").close()
    return room


def replay(o, version, names):
    """Installs the version, asks every case, takes it away: what came of each case, or None where it cannot be installed."""
    room = installed(o, version)
    if room is None:
        return None
    try:
        script = [o.harness, *names, "--clients", room, "--briefing", os.path.abspath(o.briefing), "--inside", version, "--tree", os.path.join(HERE, "../cases")]
        with tempfile.TemporaryDirectory() as scratch:
            run = casefile.private_root(scratch, os.path.abspath(__file__), *script, stdout=subprocess.PIPE)
    finally:
        if not o.keep_installed:
            shutil.rmtree(room, ignore_errors=True)
    if run.returncode:
        sys.exit(f"{version}: could not be asked")
    found = {line["name"]: line for line in map(json.loads, run.stdout.decode("utf-8", "surrogateescape").splitlines())}
    # A client that never asked its model is one that the driver cannot start, not one that refuses everything.
    heard = any(line.get("heard") for line in found.values())
    return {name: found[name] if heard and name in found else {"came": ["failed"], "answers": None} for name in names}


def entry(version, found):
    """What is written down of a version."""
    outcomes = [outcome for line in found.values() for outcome in line["came"]]
    digest = hashlib.sha256(json.dumps([[name, line["answers"]] for name, line in sorted(found.items())]).encode()).hexdigest()
    return {"version": version, "date": str(datetime.date.today()), "asked": len(outcomes), "equal": outcomes.count("equal") + outcomes.count("refused"),
            **{word: sorted(name for name, line in found.items() if word in line["came"]) for word in OUTCOMES[1:]}, "answers": digest[:16]}


def keep(o, version, found):
    """The first case that differs comes first by its name too."""
    os.makedirs(o.keep, exist_ok=True)
    for name, line in found.items():
        if "different" in line["came"]:
            path = os.path.join(o.keep, f"{version}_{os.path.basename(name)}")
            open(path + ".case", "w", errors="surrogateescape").write(line["case"])
            open(path + ".diff", "w", errors="surrogateescape").write(line["words"])


def data(harness):
    return os.path.join(HERE, "versions", f"{harness}.toml")


def written(harness):
    path = data(harness)
    return {entry["version"]: entry for entry in tomllib.load(open(path, "rb")).get("version", [])} if os.path.exists(path) else {}


def write(harness, entries):
    """One table a version, oldest first."""
    with open(data(harness), "w") as out:
        out.write("# Written by sweep.py: what was replayed on which version, compared with what Briefing says of it.\n")
        for entry in sorted(entries.values(), key=lambda entry: numbers(entry["version"])):
            out.write("\n[[version]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in entry.items()))


class Sweep:
    """Asks versions and remembers what came of them."""

    def __init__(self, o, names):
        self.o, self.names, self.found = o, names, {}

    def ask(self, version):
        found = self.found[version] = replay(self.o, version, self.names)
        if found is None:
            return
        row = entry(version, found)
        print(f"{version}: {row['asked']} asked, {row['equal']} equal" + "".join(f", {word}: {' '.join(row[word])}" for word in OUTCOMES[1:] if row[word]), flush=True)
        if len(row["failed"]) == len(self.names):
            self.found[version] = None  # nothing was learned
            return
        if not self.o.dry:
            write(self.o.harness, {**written(self.o.harness), version: row})
        if self.o.keep:
            keep(self.o, version, found)

    def changed(self, older, newer):
        """The cases that both answered, and not alike."""
        both = [(name, self.found[older][name]["answers"], self.found[newer][name]["answers"]) for name in self.names]
        return sorted(name for name, one, other in both if one and other and one != other)

    def bisect(self, order, older, newer):
        if not self.found[older] or not self.found[newer] or not self.changed(older, newer):
            return
        between = [version for version in order if numbers(older) < numbers(version) < numbers(newer) and self.found.get(version, True)]
        if not between:
            print(f"{newer}: since {older} the client answers otherwise: {' '.join(self.changed(older, newer))}", flush=True)
            return
        middle = between[len(between) // 2]
        self.ask(middle)
        if not self.found[middle]:
            return self.bisect(order, older, newer)
        self.bisect(order, older, middle)
        self.bisect(order, middle, newer)


def wanted(o, releases):
    """The versions to ask, oldest first."""
    order = [version for version, _ in releases]
    if o.versions:
        return sorted(o.versions.split(","), key=numbers)
    if o.new:
        newest = max(written(o.harness), key=numbers, default=None)
        if newest is None:
            return order[-1:]
        return [version for version in order if numbers(version) > numbers(newest)]
    since = o.since or str(datetime.date.today() - datetime.timedelta(days=183))
    recent = [version for version, day in releases if not day or day >= since]
    return sorted({*recent[:: o.every], *recent[-1:]}, key=numbers)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("harness", choices=[*PACKAGES, *OF_PYPI])
    a.add_argument("--clients", required=True); a.add_argument("--briefing", required=True)
    a.add_argument("--versions"); a.add_argument("--since"); a.add_argument("--every", type=int, default=1); a.add_argument("--new", action="store_true")
    a.add_argument("--cases"); a.add_argument("--bisect", action="store_true"); a.add_argument("--keep"); a.add_argument("--keep-installed", action="store_true")
    a.add_argument("--dry", action="store_true")
    a.add_argument("--inside", help=argparse.SUPPRESS); a.add_argument("--tree", help=argparse.SUPPRESS)
    a.add_argument("names", nargs="*", help=argparse.SUPPRESS)
    o = a.parse_args()
    if o.inside:
        return inside(o)
    lines = open(o.cases or os.path.join(HERE, "versions", f"{o.harness}.cases")).read().splitlines()
    sweep = Sweep(o, [line for line in lines if line and not line.startswith("#")])
    releases = published(o.harness)
    asked = wanted(o, releases)
    for version in asked:
        sweep.ask(version)
    for older, newer in zip(asked, asked[1:]) if o.bisect else []:
        sweep.bisect([version for version, _ in releases], older, newer)
    rows = [entry(version, found) for version, found in sweep.found.items() if found]
    drifted = [row["version"] for row in rows if row["different"]]
    silent = [version for version, found in sweep.found.items() if not found]
    print(f"{len(rows)} versions, {len(drifted)} of them with differences {' '.join(drifted)}; {len(silent)} said nothing {' '.join(silent)}")
    sys.exit(1 if drifted or silent else 0)


if __name__ == "__main__":
    main()
