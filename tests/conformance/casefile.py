"""Reads and writes case files, and lays a case out as a real directory tree in a private root.

tests/README.md has the format, which tests/world.rs reads as well."""
import base64, hashlib, json, os, re, shutil, subprocess, sys

HEAD = re.compile(r"^-- (.+) --$")
INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00a0\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u206f\u3000\ufeff\U000e0000-\U000e007f]")


class Section:
    def __init__(self, header, body=""):
        self.header, self.body = header, body

    @property
    def word(self):
        return self.header.split()[0]


class Case:
    def __init__(self, intro, sections):
        self.intro, self.sections = intro, sections

    def all(self, word):
        return [s for s in self.sections if s.word == word]

    def home(self):
        return next((s.header.split(None, 1)[1] for s in self.all("@home")), "/h")

    def env(self):
        return dict(s.header.split(None, 1)[1].split("=", 1) for s in self.all("@env"))

    def settings(self):
        return next((json.loads(s.body) for s in self.all("@settings") if s.body.strip()), {})

    def options(self, harness):
        """The command-line options of a client: `{"options": {HARNESS: {NAME: VALUE}}}` of @settings."""
        return self.settings().get("options", {}).get(harness, {})


def parse(text):
    intro, sections = [], []
    for line in text.splitlines(keepends=True) if "\r" not in text else re.findall(r"[^\n]*\n|[^\n]+$", text):
        m = HEAD.match(line.rstrip("\n"))
        if m:
            sections.append(Section(m.group(1)))
        elif sections:
            sections[-1].body += line[1:] if line.startswith("\\-- ") else line
        else:
            intro.append(line)
    return Case("".join(intro), sections)


def format(case):
    out = [case.intro]
    for s in case.sections:
        body = "".join("\\" + l if l.startswith("-- ") else l for l in re.findall(r"[^\n]*\n|[^\n]+$", s.body))
        out.append(f"-- {s.header} --\n{body}")
    return "".join(out)


def escape(text):
    text = INVISIBLE.sub(lambda m: "\\r" if m.group() == "\r" else "\\u{%X}" % ord(m.group()), text.replace("\\", "\\\\"))
    return "\n".join(("\\" if l.startswith((">>> ", "-- ")) else "") + re.sub(r" $", r"\\s", l) for l in text.split("\n"))


class Ask:
    """`codex@0.169 from /r/api reading /r/api/x.rs already /r/AGENTS.md` as fields. A space in a path is written `\\s`."""

    def __init__(self, words):
        words, *self.steps = words.split(" then ")
        words = [word.replace("\\s", " ") for word in words.split()]
        self.harness, self.edition = (words[0].split("@") + [None])[:2]
        pairs = list(zip(words[1::2], words[2::2]))
        self.cwd = next((v for k, v in pairs if k == "from"), None)
        self.reading = next((v for k, v in pairs if k == "reading"), None)
        self.tool = next((v for k, v in pairs if k == "by"), "read")
        self.agent = next((v for k, v in pairs if k == "as"), None)
        self.after = [v for k, v in pairs if k == "after"]
        self.already = [v for k, v in pairs if k == "already"]
        self.calling = next((v for k, v in pairs if k == "calling"), None)  # with its arguments, if it is a command


def golden(messages, limit=6000):
    """('@text' | '@hash', body) for [(trigger, role, text)], 'refused', or []."""
    if messages == "refused":
        return "@text", ">>> refused\n"
    if not messages:
        return "@text", ">>> nothing\n"
    if sum(len(t) for _, _, t in messages) > limit:
        return "@hash", measured(messages)
    return "@text", "".join(f">>> {trigger} {role}\n{escape(text)}\n" for trigger, role, text in messages)


def measured(messages):
    """The body of @hash for the same."""
    if messages == "refused" or not messages:
        return (messages or "nothing") + "\n"
    lines = []
    for trigger, role, text in messages:
        data = text.encode("utf-8", "surrogatepass")
        lines.append(f"{trigger} {role} {len(data)} {hashlib.sha256(data).hexdigest()}\n")
    return "".join(lines)


def sized(text):
    """What stands for a text that is the client's own."""
    data = text.encode("utf-8", "surrogatepass")
    return f"({len(data)} bytes, SHA-256 {hashlib.sha256(data).hexdigest()})"


def on_the_day(text):
    """The text as it would be on the day of the cases."""
    text = re.sub(r"(\n  Today's date: )\w{3} \w{3} \d\d \d{4}(?=\n)", r"\g<1>Sat Nov 21 2026", text)
    return re.sub(r"(<current_date>|# currentDate\nToday's date is )\d{4}-\d\d-\d\d", r"\g<1>2026-11-21", text)


def skills(trigger, role, text, brought_along):
    """The message of @skills, from a text with `<skill>` elements, less those in which `brought_along` is found."""
    elements = [e for e in re.findall(r"^ *<skill>\n.*?^ *</skill>$", text, re.S | re.M) if not re.search(brought_along, e)]
    return [(trigger, role, "\n".join(elements))] if elements else []


def raw(body):
    body = body[:-1] if body.endswith("\n") else body
    simple = {"n": b"\n", "r": b"\r", "t": b"\t", "\\": b"\\"}
    out, i = b"", 0
    while i < len(body):
        if body[i] == "\\" and body[i + 1] == "x":
            out += bytes([int(body[i + 2:i + 4], 16)]); i += 4
        elif body[i] == "\\":
            out += simple[body[i + 1]]; i += 2
        else:
            out += body[i].encode(); i += 1
    return out


def lay_out(case):
    """Builds the case's files at their own absolute paths. Call it inside `private_root` only."""
    # tmpfs lists the newest entry first, so what should be listed first is made last.
    for s in reversed([s for s in case.sections if not s.header.startswith("@")]):
        header, body = s.header, s.body
        if " -> " in header:
            path, target = header.split(" -> ", 1)
            os.makedirs(os.path.dirname(path), exist_ok=True); os.symlink(target, path); continue
        path, _, kind = header.partition(" | ")
        path, _, times = path.partition(" * ")
        word, _, arg = kind.partition(" ")
        if path.endswith("/"):
            os.makedirs(path, exist_ok=True)
            if word == "mode": os.chmod(path, int(arg, 8))
            if word == "git":
                subprocess.run(["git", "init", "-q", path], check=True, env={"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nonexistent"})
            continue
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if word == "hardlink":
            if not os.path.exists(arg):
                raise SystemExit(f"{path}: put the hard link before {arg}")
            os.link(arg, path)
        elif word == "fifo": os.mkfifo(path)
        elif word == "device": os.mknod(path, 0o20666, os.makedev(1, 3))
        elif word == "sparse":
            with open(path, "wb") as f: f.truncate(int(arg))
        elif word == "errno": raise SystemExit(f"{path}: errno cases are virtual; record them by hand")
        else:
            data = raw(body) if word == "raw" else base64.b64decode(body) if word == "base64" else body.encode() * int(times or 1)
            with open(path, "wb") as f: f.write(data)
            if word == "mode": os.chmod(path, int(arg, 8))


def standing():
    """What stands where cases are laid out, for `clear`."""
    return {parent: set(os.listdir(parent)) for parent in ("/", "/etc")}


def clear(before):
    """Takes away what has been laid out since `before`. Call it inside `private_root` only."""
    for path in (f"{parent}/{name}" for parent, names in before.items() for name in set(os.listdir(parent)) - names):
        shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)


# Put before a command, runs it as root that may not read what the mode of a file or folder forbids.
OBEYING = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]


def private_root(scratch, script, *args, **kwargs):
    """Runs `python3 SCRIPT ARGS` (or a list) chrooted into a throw-away overlay of `/`: whatever it writes is gone after.
    There is no network in it but its own loopback. Needs root. `scratch` is an empty directory to mount on."""
    command = script if isinstance(script, list) else [sys.executable, script]
    shell = ('set -e; s=$1; shift; ip link set lo up; mount -t tmpfs private "$s"; mkdir "$s/u" "$s/w" "$s/n"; '
             'mount -t overlay private -o lowerdir=/,upperdir="$s/u",workdir="$s/w" "$s/n"; '
             'for d in proc dev sys; do mount --rbind /$d "$s/n/$d"; done; mount -t tmpfs private "$s/n/tmp"; '
             # Not chroot: in one, no sandbox of a client could be set up.
             'here=$(pwd); mkdir "$s/n/tmp/old"; cd "$s/n"; pivot_root . tmp/old; umount -l /tmp/old; rmdir /tmp/old; cd "$here"; exec "$@"')
    return subprocess.run(["unshare", "-mn", "sh", "-c", shell, "private-root", scratch, *command, *args], **kwargs)
