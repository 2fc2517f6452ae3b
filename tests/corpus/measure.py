#!/usr/bin/env python3
"""Shows how much of what `briefing check` says of public repositories is worth reading.

    tests/corpus/measure.py bring DIR             clones the repositories at their revisions into DIR, with git
    tests/corpus/measure.py table DIR [BRIEFING]  checks them, and prints a table by kind; exits with 1 if a finding is
                                                  labelled false, or has no label; the counts go to data/corpus.tsv

`repositories.tsv` names each repository and its revision. `labels.tsv` says of each finding whether it is `useful` (somebody
should change something), `noise` (true, and nobody would) or `false`; `*` stands for any path or agent.
"""

import collections
import fnmatch
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
LABELS = ("useful", "noise", "false")


def rows(name):
    """Returns the rows of a table, without its comments."""
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def folder(directory, repository):
    """Returns where the working tree of a repository is."""
    return directory / repository.replace("/", "+")


def bring(directory):
    """Clones what is not there yet."""
    for repository, revision in rows("repositories.tsv"):
        into = folder(directory, repository)
        if into.exists():
            continue
        url = f"https://github.com/{repository}"
        subprocess.run(["git", "clone", "-q", "--filter=blob:none", "--no-checkout", url, into], check=True)
        subprocess.run(["git", "-C", into, "checkout", "-q", revision], check=True)


def check(tree, briefing):
    """Returns the findings below a working tree, those for everybody whose files it has."""
    command = [briefing, "check", "--no-home", "--exit-zero", "--format", "json", "--cwd", tree]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["findings"]


def label(labels, repository, finding):
    """Returns the label of a finding; the first row that fits counts."""
    for of, code, path, agent, word, _reason in labels:
        fits = of == repository and code == finding["code"] and fnmatch.fnmatchcase(finding["path"], path)
        if fits and agent in ("*", finding["harness"]):
            return word
    return "unlabelled"


def table(directory, briefing):
    """Prints how many findings of each kind have which label."""
    labels = rows("labels.tsv")
    counts = collections.defaultdict(collections.Counter)
    missing, warnings, checked = [], collections.Counter(), 0
    for repository, _revision in rows("repositories.tsv"):
        tree = folder(directory, repository)
        if not tree.exists():
            print(f"{repository} is not in {directory}", file=sys.stderr)
            continue
        checked += 1
        for finding in check(tree, briefing):
            word = label(labels, repository, finding)
            counts[finding["code"]][word] += 1
            if finding["severity"] in ("error", "warning"):
                warnings[word] += 1
            if word in ("false", "unlabelled"):
                missing.append(f"{word}: {repository} {finding['path']} {finding['code']} {finding['message']}")
    total = collections.Counter()
    print(f"{'kind':22} {'useful':>7} {'noise':>7} {'false':>7} {'share of the noise':>20}")
    noise = sum(count["noise"] for count in counts.values())
    for code, count in sorted(counts.items()):
        total.update(count)
        share = f"{100 * count['noise'] // noise} %" if noise else "-"
        print(f"{code:22} {count['useful']:7} {count['noise']:7} {count['false']:7} {share:>20}")
    print(f"{'all':22} {total['useful']:7} {total['noise']:7} {total['false']:7}")
    head = f"# Findings by kind in {checked} public repositories: useful, noise, false. Written by tests/corpus/measure.py."
    lines = ["\t".join([code, *(str(count[word]) for word in LABELS)]) for code, count in sorted(counts.items())]
    (HERE.parent.parent / "data/corpus.tsv").write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    red = {word: warnings[word] for word in LABELS}
    print(f"{checked} repositories, {sum(total.values())} findings; of the warnings {red}")
    print("\n".join(missing))
    return 1 if missing else 0


def main():
    match sys.argv[1:]:
        case ["bring", directory]:
            bring(pathlib.Path(directory))
            return 0
        case ["table", directory, *briefing]:
            return table(pathlib.Path(directory), briefing[0] if briefing else "briefing")
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main())
