#!/usr/bin/env python3
"""Measures `briefing audit` on many and on large records of Claude Code, and on hostile ones, in processor seconds and memory.

usage: records.py PROGRAM [SCRATCH]

Made up: 10 000 sessions of 500 kB each (a hundred files, each linked to from a hundred names: what is read is the same), one session of
500 MB, and records that nobody would write. Every figure is the least of three runs; the program ends with an error if a limit is missed.
"""
import json, os, resource, shutil, subprocess, sys, tempfile

LIMITS = {"list of 10 000 sessions": (1.0, 100), "one session of 500 MB": (2.0, 100)}


def line(kind, at, **more):
    return json.dumps({"type": kind, "timestamp": f"2026-11-24T10:{at // 60 % 60:02}:{at % 60:02}.000Z", "sessionId": "s", "version": "2.1.330", "cwd": CWD, **more}) + "\n"


def start():
    files = [{"path": f"{CWD}/CLAUDE.md", "type": "Project", "content": "Use tabs."}]
    return line("user", 0, uuid="u", message={"role": "user", "content": "go"}) + line("attachment", 1, uuid="a", attachment={"type": "instructions", "files": files}, rendered=[{"content": "Use tabs."}])


def call(number):
    use = {"type": "tool_use", "id": f"t{number}", "name": "Read", "input": {"file_path": f"{CWD}/a{number}.ts"}}
    answer = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "x" * 2000}
    return line("assistant", number, message={"role": "assistant", "content": [use]}) + line("user", number, message={"role": "user", "content": [answer]})


def write(path, size, more=()):
    with open(path, "wb") as file:
        file.write(start().encode())
        number = 0
        while file.tell() < size:
            file.write("".join(call(number + n) for n in range(100)).encode()); number += 100
        file.writelines(more)


def measured(words):
    """The least of three runs: processor seconds, MB, the last one's output and code."""
    best = None
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        process = subprocess.Popen([PROGRAM, "audit", "--since", "all", *words], cwd=CWD, env={"HOME": HOME, "PATH": "/usr/bin:/bin", "TZ": "UTC"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        out = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        run = (used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
        best = min(best or run, run)
    return *best, out.decode(errors="replace"), os.waitstatus_to_exitcode(status)


PROGRAM = os.path.abspath(sys.argv[1])
SCRATCH = tempfile.mkdtemp(dir=sys.argv[2] if len(sys.argv) > 2 else None)
HOME, CWD = f"{SCRATCH}/h", f"{SCRATCH}/r"
failed = False
try:
    munged = "".join(c if c.isascii() and c.isalnum() else "-" for c in CWD)
    many, one = f"{HOME}/.claude/projects/{munged}", f"{HOME}/.claude/projects/{munged}-one"
    for folder in (CWD, f"{CWD}/.git", many, one): os.makedirs(folder)
    for first in range(100):
        write(f"{many}/{first}-0.jsonl", 500_000)
        for more in range(1, 100): os.link(f"{many}/{first}-0.jsonl", f"{many}/{first}-{more}.jsonl")
    write(f"{one}/large.jsonl", 500_000_000)
    for name, words in (("list of 10 000 sessions", ["--agent", "claude-code", "--cwd", CWD]), ("one session of 500 MB", [f"{one}/large.jsonl"])):
        seconds, megabytes, out, code = measured(words)
        most = LIMITS[name]
        late = seconds > most[0] or megabytes > most[1] or code != 0
        failed |= late
        print(f"{name}: {seconds:.2f} s of a processor (limit {most[0]:.0f}), {megabytes:.0f} MB (limit {most[1]}){'  MISSED' if late else ''}", flush=True)
    shutil.rmtree(many); shutil.rmtree(one); os.makedirs(many)
    times = lambda part, number: (part for _ in range(number))
    hostile = {"a line of 100 MB": lambda: [b'{"type":"', *times(b"x" * 100_000, 1000), b'"}\n'], "a cut last line": lambda: [b'{"type":"user","mess'],
               "invalid UTF-8": lambda: times(b'{"type":"\xff\xfe"}\n', 1000), "no JSON": lambda: [b"[[[[" * 100_000, b"\n"],
               "deep JSON": lambda: [b'{"type":"user","message":', b"[" * 1_000_000, b"\n"], "a million kinds": lambda: (b'{"type":"k%d"}\n' % n for n in range(1_000_000))}
    for name, more in hostile.items():
        write(f"{many}/hostile.jsonl", 10_000, more())
        seconds, megabytes, out, code = measured([f"{many}/hostile.jsonl"])
        failed |= code != 0
        print(f"{name}: {seconds:.2f} s, {megabytes:.0f} MB, ends with {code}: {out.strip().splitlines()[-1][:100] if out.strip() else ''}", flush=True)
finally:
    shutil.rmtree(SCRATCH)
sys.exit(failed)
