#!/usr/bin/env python3
"""How many of the versions published lately are answered as what they are: what Briefing claims of each, client by client.

usage: shares.py --briefing BINARY [--since YYYY-MM-DD] [--list] [HARNESS]...

  --since   those published since that day [default: half a year ago]
  --list    names the versions of each kind, not only their number

A version is `replayed`, or lies `between` two that were, with nothing known to have changed: both are called exact, and are
the share. It is `unchecked` if it is newer than all that were replayed, and called `files` where it is known to differ, or may.
"""
import argparse, collections, datetime, json, os, subprocess, sys, tempfile
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import sweep

KINDS = ("replayed", "between", "files", "unchecked")
# By the warnings that come with it: an answer may be inexact for other reasons than the version.
SAID = {"unchecked-version": "unchecked", "between-editions": "files"}


def lately(harness, since):
    """Versions published since that day. A registry that is a copy may name the day of the copy: nothing is younger than what follows it."""
    found, youngest = [], "9"
    for version, day in reversed(sweep.published(harness)):
        youngest = min(youngest, day)
        found += [version] * (youngest >= since)
    return found[::-1]


def kind(briefing, harness, version, replayed, place):
    """What is claimed of a version."""
    run = subprocess.run([briefing, "show", "--harness", f"{harness}@{version}", "--format", "json", "--home", place], cwd=place, stdout=subprocess.PIPE)
    codes = {warning["code"] for warning in json.loads(run.stdout)["briefings"][0].get("warnings", [])}
    return next((SAID[code] for code in SAID if code in codes), "replayed" if version in replayed else "between")


def line(title, counts):
    """A line of the table: how many of each kind, and the share that is called exact, in percent."""
    published = sum(counts.values())
    share = f"{100 * (counts['replayed'] + counts['between']) / published:.0f} %" if published else "-"
    return f"{title:14}" + "".join(f"{number:>11}" for number in (published, *(counts[word] for word in KINDS), share))


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--briefing", required=True); a.add_argument("--since"); a.add_argument("--list", action="store_true")
    a.add_argument("harnesses", nargs="*", metavar="HARNESS")
    o = a.parse_args()
    briefing, since = os.path.abspath(o.briefing), o.since or str(datetime.date.today() - datetime.timedelta(days=183))
    print(f"{'since ' + since:14}" + "".join(f"{word:>11}" for word in ("published", *KINDS, "exact")))
    every = collections.Counter()
    for harness in o.harnesses or [harness for harness in sweep.PACKAGES if sweep.written(harness)]:
        found, replayed = collections.defaultdict(list), sweep.written(harness)
        with tempfile.TemporaryDirectory() as place:
            for version in lately(harness, since):
                found[kind(briefing, harness, version, replayed, place)].append(version)
        counts = collections.Counter({word: len(versions) for word, versions in found.items()})
        print(line(harness, counts), flush=True)
        every += counts
        for word in KINDS if o.list else ():
            print(f"  {word}: {' '.join(found[word])}")
    print(line("all", every))


if __name__ == "__main__":
    main()
