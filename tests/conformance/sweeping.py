#!/usr/bin/env python3
"""Tests what sweep.py, shares.py and sentinels.py do around the clients; no client and no registry is asked. usage: sweeping.py"""
import collections, os, subprocess, sys, tempfile, types, unittest, unittest.mock
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import sentinels, shares, sweep


def with_npm(script):
    """Looks for new releases with a script in the place of npm: the code it ends with, and what it says."""
    with tempfile.TemporaryDirectory() as place:
        npm = os.path.join(place, "npm")
        with open(npm, "w") as file:
            file.write(f"#!/bin/sh\n{script}\n")
        os.chmod(npm, 0o755)
        run = subprocess.run([sys.executable, os.path.join(HERE, "sweep.py"), "cline", "--new", "--dry", "--clients", place, "--briefing", "/bin/false"],
                             env={**os.environ, "PATH": f"{place}:{os.environ['PATH']}"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    return run.returncode, run.stdout.decode()


class Registry(unittest.TestCase):
    def test_one_that_does_not_answer_ends_the_sweep(self):
        code, said = with_npm("echo 'npm error code ECONNREFUSED' >&2; exit 1")
        self.assertEqual(code, 2, said)
        self.assertIn("the registry does not say which versions of cline there are:\nnpm error code ECONNREFUSED", said)

    def test_pre_releases_and_builds_for_one_platform_are_no_releases(self):
        times = '{"created": "x", "3.0.0": "2026-01-01T0", "3.0.1-nightly.1": "2026-01-02T0", "3.0.2-linux-x64": "2026-01-02T0"}'
        code, said = with_npm(f"echo '{times}'")
        self.assertEqual((code, said), (0, "0 versions, 0 of them with differences ; 0 said nothing \n"))

    def test_a_release_that_cannot_be_installed_has_said_nothing(self):
        code, said = with_npm("""case $1 in view) echo '{"99.0.0": "2026-01-01T0"}';; *) echo 'no matching version' >&2; exit 1;; esac""")
        self.assertEqual(code, 1, said)
        self.assertIn("99.0.0: cannot be installed\n", said)
        self.assertIn("1 said nothing 99.0.0", said)


class Installations(unittest.TestCase):
    def test_one_that_was_interrupted_is_none(self):
        with tempfile.TemporaryDirectory() as clients:
            os.makedirs(os.path.join(clients, "sweep/cline-1.0.0/cline/node_modules"))
            with unittest.mock.patch("subprocess.run", lambda *_, **__: types.SimpleNamespace(returncode=0)):
                room = sweep.installed(types.SimpleNamespace(clients=clients, harness="cline"), "1.0.0")
            self.assertEqual(os.listdir(room), ["whole"])


class Shares(unittest.TestCase):
    def test_nothing_is_younger_than_what_follows_it(self):
        releases = [("1.0", "2026-11-01"), ("1.1", "2026-01-01"), ("1.2", "2026-06-01"), ("1.3", "2026-05-30")]
        with unittest.mock.patch("sweep.published", lambda _: releases):
            self.assertEqual(shares.lately("cline", "2026-05-01"), ["1.2", "1.3"])

    def test_the_share_is_of_what_was_replayed_or_lies_between(self):
        said = shares.line("cline", collections.Counter(replayed=2, between=1, files=4, unchecked=1))
        self.assertEqual(said.split(), ["cline", "8", "2", "1", "4", "1", "38", "%"])
        self.assertEqual(shares.line("cline", collections.Counter()).split()[-1], "-")


class Entries(unittest.TestCase):
    def test_what_was_refused_by_both_is_equal_and_what_differs_is_not(self):
        found = {"c/a": {"came": ["equal", "different"], "answers": "1"}, "c/b": {"came": ["refused"], "answers": "2"}, "c/c": {"came": ["failed"], "answers": None}}
        row = sweep.entry("1.0", found)
        self.assertEqual((row["asked"], row["equal"]), (4, 2))
        self.assertEqual((row["different"], row["refused"], row["failed"]), (["c/a"], ["c/b"], ["c/c"]))


class Sentinels(unittest.TestCase):
    def test_the_fewest_cases_show_everything(self):
        shown = {"a": {"1"}, "b": {"1", "2"}, "c": {"2", "3"}, "d": {"3", "4"}}
        self.assertEqual(sentinels.fewest(shown, []), ["b", "d"])

    def test_a_reason_is_compared_without_what_it_names(self):
        self.assertEqual(sentinels.plain("the 2 048 B limit ends inside `/r/AGENTS.md`"), sentinels.plain("the 32 B limit ends inside `AGENTS.md`"))


if __name__ == "__main__":
    unittest.main()
