#!/usr/bin/env python3
"""Replays the sentinel cases of Codex on other versions of it: which of them are answered as 0.169 does.

usage: codex_versions.py VERSION... --out FILE.json     (one version after the other is fetched from npm, asked and deleted)
       codex_versions.py --write FILE.json              (the results as tests/conformance/versions/codex.toml)

A version that cannot print its input (`debug prompt-input`) is asked as codex_early.py does, less the sections that it adds.
"""
import argparse, glob, json, os, shutil, subprocess, sys, tempfile
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import casefile, codex, codex_early

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, "../cases/codex")
# Each is hit by a change that is known, or by a rule that may change.
SENTINELS = """
one_message_holds_global_and_project_text the_nearest_marker_is_the_root a_marker_may_be_a_path any_entry_named_git_marks_the_root
only_global_text_leaves_the_directory_out_of_the_header invalid_bytes_become_replacement_characters global_text_is_trimmed_as_unicode_white_space
a_link_loop_drops_every_project_file what_is_no_regular_file_is_passed_over a_global_fifo_or_device_falls_through the_cd_option_naming_a_file_drops_every_project_file
a_fallback_with_a_slash_or_dots_is_dropped a_file_over_the_budget_is_cut_and_the_deeper_ones_dropped a_nul_in_a_marker_drops_every_project_file
the_cd_option_keeps_links_in_the_path an_untrusted_project_keeps_only_the_global_text every_key_a_project_may_not_set_may_have_any_type
a_profile_file_is_a_layer_above_the_users the_old_profile_key_is_refused a_few_features_may_be_tables several_agents_with_an_unknown_key_are_refused
an_empty_model_is_refused settings_that_are_a_device_are_refused a_provider_must_be_described_to_be_chosen managed_settings_may_set_markers_and_trust
a_git_directory_without_head_is_no_root_for_trust a_worktree_that_does_not_add_up_has_no_git_root
a_pointer_file_beside_a_bare_repository_makes_a_main_checkout profiles_of_permissions_need_a_default every_writable_root_is_a_root_of_the_workspace
""".split()


def fetched(version, directory):
    """The client of one version, below `directory`."""
    open(os.path.join(directory, "package.json"), "w").write('{"private":true}')
    subprocess.run(["npm", "install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", f"@openai/codex@{version}"], cwd=directory, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    found = glob.glob(directory + "/node_modules/@openai/codex*/vendor/x86_64-unknown-linux-musl/*/codex")
    return next(path for path in found if os.path.isfile(path))


def inside(binary):
    """Runs inside the private root: a line of JSON for every question."""
    codex.BINARY = codex_early.BINARY = binary
    prints = b"prompt-input" in subprocess.run([binary, "debug", "--help"], env={"HOME": "/nowhere", "PATH": "/usr/bin:/bin"}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    before = casefile.standing()
    for name in SENTINELS:
        case = casefile.parse(open(f"{CASES}/{name}.txt", newline="").read())
        casefile.lay_out(case)
        for section in case.all("@text") + case.all("@hash") + (case.all("@environment") if prints else []):
            ask = casefile.Ask(section.header.split(None, 1)[1])
            try:
                if section.word == "@environment": real = codex.environment("/", case, ask)
                elif prints: real = codex.ask("/", case, ask)
                else: real = codex_early.ask("/", ask, codex.options(case), codex.variables(case))
                said = "refused" if real == "refused" else "equal"
                if casefile.golden(real, limit=0 if section.word == "@hash" else 10**9)[1] != section.body: said = "refuses" if said == "refused" else "different"
            except (Exception, SystemExit) as problem:
                said = f"failed: {problem!r}"
            print(json.dumps([name, section.word, ask.cwd, said]), flush=True)
        casefile.clear(before)


def asked(version):
    with tempfile.TemporaryDirectory() as directory, tempfile.TemporaryDirectory() as scratch:
        kept = f"/var/tmp/codex-{version}"  # /tmp is another one inside
        shutil.move(fetched(version, directory), kept)
        try:
            run = casefile.private_root(scratch, os.path.abspath(__file__), "--inside", kept, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        finally:
            os.unlink(kept)
    return [json.loads(line) for line in run.stdout.splitlines()]


def write(results):
    """The data file, newest version last."""
    numbers = lambda version: [int(part) for part in version.split(".")]
    lines = ["# Replays of sentinel cases on versions of Codex, compared with what 0.169 answers: written by tests/conformance/codex_versions.py."]
    for version in sorted(results, key=numbers):
        rows, date = results[version]["rows"], results[version]["date"]
        of = lambda *kinds: [row for row in rows if row[3].split(":")[0] in kinds]
        names = lambda *kinds: json.dumps(sorted({row[0] for row in of(*kinds)}))
        lines += ["", "[[version]]", f'version = "{version}"', f'date = "{date}"', f"asked = {len(rows)}", f"equal = {len(of('equal', 'refused'))}",
                  f"different = {names('different')}", f"failed = {names('failed')}", f"refused = {names('refuses')}"]
    os.makedirs(f"{HERE}/versions", exist_ok=True)
    open(f"{HERE}/versions/codex.toml", "w").write("\n".join(lines) + "\n")


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("versions", nargs="*"); a.add_argument("--out"); a.add_argument("--write"); a.add_argument("--inside", help=argparse.SUPPRESS)
    o = a.parse_args()
    if o.inside: return inside(o.inside)
    if o.write: return write(json.load(open(o.write)))
    results = json.load(open(o.out)) if os.path.exists(o.out) else {}
    for version in o.versions:
        if version in results: continue
        try:
            rows = asked(version)
        except (subprocess.CalledProcessError, StopIteration) as problem:
            print(version, "not asked:", repr(problem), flush=True); continue
        today = subprocess.run(["date", "+%F"], stdout=subprocess.PIPE).stdout.decode().strip()
        results[version] = {"date": today, "rows": rows}
        json.dump(results, open(o.out, "w"))
        wrong = [row[0] + ("" if row[1] == "@text" else row[1]) for row in rows if row[3] not in ("equal", "refused")]
        print(version, len(rows), len(rows) - len(wrong), sorted(set(wrong)), flush=True)


if __name__ == "__main__":
    main()
