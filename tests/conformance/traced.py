#!/usr/bin/env python3
"""Watches by strace what `briefing verify` and the client that it runs reach: connections, and what they write to.

usage: traced.py HARNESS --program CLIENT --briefing BINARY [--file FILE] [--workspace DIR]

The workspace (a copy of DIR, or a small project) and the home are new directories. Printed are the answer, every address that was
connected to, and every directory in which something was written, made, renamed or taken away: `scratch` (the directory that
verify makes for itself and the copies in it), `state`, devices and processes, or by its name. What is done in the client's own root
counts as what is mounted there: where a copy lies over the workspace or the home, as scratch. Ends with 1 if anything but the
loopback interface was connected to, if something was written elsewhere, or if a file of the workspace or of the home is another one.
"""
import argparse, collections, os, re, shutil, subprocess, sys, tempfile

WRITES = "openat,open,creat,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,rmdir,symlink,symlinkat,link,linkat,truncate,chmod,fchmodat,mknod,mknodat"
CALL = re.compile(r"^(\d+) +(\w+)\((.*)\) += (-?\d+|\?)(.*)$")
PATHS = re.compile(r'(?:(AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')
FILES = {"AGENTS.md": "Rules.\n", "CLAUDE.md": "Rules.\n", "GEMINI.md": "Rules.\n", "src/GEMINI.md": "Of src.\n", "src/CLAUDE.md": "Of src.\n", "src/AGENTS.md": "Of src.\n", "src/main.rs": "fn main() {}\n"}


def lay_out(workspace, home, origin):
    if origin:
        shutil.copytree(origin, workspace, symlinks=True)
    for name, text in ({} if origin else FILES).items():
        os.makedirs(os.path.dirname(os.path.join(workspace, name)), exist_ok=True)
        with open(os.path.join(workspace, name), "w") as file:
            file.write(text)
    subprocess.run(["git", "init", "-q", workspace], check=True)
    os.makedirs(home)


def standing(*places):
    """Everything there with what changes when somebody writes to it: even a write that is taken back shows in the time of the directory."""
    found = {}
    for place in places:
        for path in [place, *(os.path.join(at, name) for at, dirs, files in os.walk(place) for name in dirs + files)]:
            stat = os.lstat(path)
            found[path] = (stat.st_mode, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)
    return found


class Trace:
    """What the processes did, line by line."""

    def __init__(self, state):
        self.state, self.scratch, self.seen, self.own_root, self.covers = state, None, set(), set(), []
        self.connected, self.written = collections.Counter(), collections.Counter()

    def line(self, pid, name, arguments, result, rest):
        # Whoever comes later is started in there.
        if self.own_root and pid not in self.seen:
            self.own_root.add(pid)
        self.seen.add(pid)
        if name == "mount" and "/tree/" in arguments:
            self.covers.append(re.search(r"/tree(/[^\"]*)", arguments).group(1))
        if name == "pivot_root":
            self.own_root.add(pid)
        if name == "connect":
            self.connected[re.sub(r"^\S+ ", "", arguments)] += 1
        elif name in WRITES.split(",") and not result.startswith(("-", "?")) and (not name.startswith("open") or re.search("O_WRONLY|O_RDWR|O_CREAT", arguments)):
            found = PATHS.findall(arguments)
            for _, at, path in found[-1:]:
                self.written[self.place(pid, os.path.normpath(os.path.join(at or "/", path)))] += 1

    def place(self, pid, path):
        if self.scratch is None and re.search(r"/briefing-verify-[^/]*$", path):
            self.scratch = path
        under = lambda *places: any(path == place or path.startswith(place + "/") for place in places)
        if under(*filter(None, [self.scratch])) or (pid in self.own_root and under(*self.covers)):
            return "scratch"
        # What a root of its own has at /tmp is empty memory, which goes with it.
        if under("/dev", "/proc") or (pid in self.own_root and under("/tmp")):
            return "/" + path.split("/")[1]
        return "state" if under(self.state) else os.path.dirname(path)


def read(log, trace):
    """strace parts a call that others interrupt: both halves are put together."""
    begun = {}
    for line in open(log, errors="replace"):
        pid = line.split(None, 1)[0]
        if line.rstrip().endswith("<unfinished ...>"):
            begun[pid] = line.rstrip().removesuffix("<unfinished ...>")
            continue
        resumed = re.match(r"^\d+ +<\.\.\. \w+ resumed>(.*)", line)
        if resumed:
            line = begun.pop(pid, "") + resumed.group(1)
        call = CALL.match(line.rstrip())
        if call:
            trace.line(*call.groups())


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("harness"); a.add_argument("--program", required=True); a.add_argument("--briefing", required=True)
    a.add_argument("--file"); a.add_argument("--workspace"); a.add_argument("--log", help="keeps what strace wrote")
    o = a.parse_args()
    with tempfile.TemporaryDirectory() as place:
        place = os.path.realpath(place)
        workspace, home, state, log = (os.path.join(place, name) for name in ("workspace", "home", "state", "log"))
        temporary = os.path.join(place, "tmp")
        lay_out(workspace, home, o.workspace)
        os.makedirs(temporary)
        before = standing(workspace, home)
        command = [os.path.abspath(o.briefing), "verify", o.harness, *filter(None, [o.file]), "--program", os.path.abspath(o.program), "--yes", "--timeout", "600"]
        env = {"PATH": os.environ["PATH"], "HOME": home, "XDG_STATE_HOME": state, "TMPDIR": temporary, "TZ": "UTC"}
        calls = f"trace=connect,mount,pivot_root,{WRITES}"
        run = subprocess.run(["strace", "-f", "--seccomp-bpf", "-y", "-s", "4096", "-o", log, "-e", calls, *command], cwd=workspace, env=env)
        trace = Trace(state)
        read(log, trace)
        after = standing(workspace, home)
        changed = sorted(path for path in {**before, **after} if before.get(path) != after.get(path))
        if o.log:
            shutil.copy(log, o.log)
    strangers = [to for to in trace.connected if "AF_INET" in to and not re.search(r'"127\.|"::1"', to)]
    elsewhere = [at for at in trace.written if at not in ("scratch", "state", "/dev", "/proc") and not (at == "/tmp" and trace.own_root)]
    for title, found in (("connected", trace.connected), ("written", trace.written)):
        for what, times in sorted(found.items()):
            print(f"{title:10}{times:>7}  {what}")
    print(f"{len(before)} files of the workspace and the home, {len(changed)} changed {' '.join(changed)}")
    sys.exit(1 if strangers or elsewhere or changed or run.returncode else 0)


if __name__ == "__main__":
    main()
