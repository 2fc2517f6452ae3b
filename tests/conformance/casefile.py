"""Reads and writes case files, and lays a case out as a real directory tree in a private root.

A case (tests/cases/<harness>/<a_true_sentence>.txt) is one text file: free text first (what the case shows),
then sections. A section starts with a line `-- HEADER --`. The same format is read by tests/cases.rs.

Files (absolute paths; the order of sections is the order in which directories list their entries):
  PATH               text up to the next section; a line that begins `-- ` is written `\\-- `
  PATH * N           the body N times
  PATH | raw         body with \\\\ \\n \\r \\t \\xNN escapes, its last newline dropped
  PATH | base64      PATH | hardlink OTHER      PATH -> TARGET (symbolic link)      PATH/ (empty directory)
  PATH | mode OCTAL, PATH/ | mode OCTAL   the same as without, and others may write to it
  PATH | fifo        PATH | device (like /dev/null)     PATH | sparse N (N zero bytes)
  PATH | errno NAME  opening or stating fails so (virtual cases only)       PATH/ | git   a real, empty repository
What URLs serve, once the user has them fetched (http://127.0.0.1:PORT/… , so that the client can be asked):
  @serves URL        the body       @serves URL | raw    the body with escapes      @serves URL | status N
Standpoint, for the whole case:
  @home DIR (default /h)    @env K=V    @session KIND    @settings (body: JSON merged into the request's params)
Questions with golden answers; ASK is `HARNESS[@EDITION] from CWD [reading FILE] [by TOOL] [as AGENT] [after FILE]... [already FILE]...`: the tool (read, edit,
write, shell, mention) with which FILE is reached, the agent (of `@session subagent` its kind), what was read before, what is in context:
  @text ASK          the messages of kind `instructions`, byte for byte. Each starts with a line `>>> TRIGGER ROLE`
                     (`>>> session user`, `>>> read tool`), then the text, then one newline that is not part of it.
                     `>>> nothing`: no message at all. `>>> refused`: the client would not start.
                     Escapes in the text: \\\\ \\r \\s (a space at a line's end) \\u{HEX} (other controls, invisible
                     characters); a line beginning `>>> ` or `-- ` gets a backslash in front.
  @hash ASK          the same for long texts: lines `TRIGGER ROLE BYTES SHA256`, or `nothing`, or `refused`
  @skills ASK        the lists of skills that are on the disk, in the shape of @text: what the client says around them, and skills
                     that come with it, are left out, except for OpenCode, of which the whole block is known
  @environment ASK   the block that describes the environment, in the shape of @text, on the day and in the time zone of the cases
  @layers ASK        texts beside the instruction files that come from files or from the command line, in the shape of @text with
                     the kind behind the role: `developer` (a prompt of the user's own, an output style), `agent` (the prompt or the
                     memory of an agent), `agents` (the entries of the user's own in the list of agents)
  @reminders ASK     what the client itself adds to the user's message, measured: lines as those of @hash
  @unfolded ASK then STEP…   a session of steps `read:PATH`, `compact`, `resume` and `change:PATH` (the file then holds the body of
                     `@then PATH`): the files of which the client sends the text after each, in the order of their paths; `(new)`
                     behind one is the text that a change put there
  @sources ASK       `fate path  reason` lines; never recorded from a client, they are our own words
  @messages ASK      all messages, whatever their kind: `>>> TRIGGER ROLE KIND [NAME]`, then the text, if it is shown
  @problems custom from CWD   what is wrong with the harnesses that a briefing.toml declares there
  @diagnostics FILE [HARNESS,...]   what is wrong with a file; LINE:COLUMN from one, columns in characters; our own words
  @actions FILE[:LINE] [HARNESS,...]    what can be done there, each with its edits and with what is wrong afterwards
  @workspace DIR              what can be done for the workspace that begins there
  @roster CWD [EXTENSION]...  which harnesses are used there, where the editor has these extensions, and what shows it
  @observed CLIENT VERSION    the @text, @hash, @skills, @environment, @layers, @reminders and @unfolded sections for that client's harness were recorded
                              from the real one
"""
import base64, hashlib, os, re, shutil, subprocess, sys

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
    """`codex@0.169 from /r/api reading /r/api/x.rs already /r/AGENTS.md` as fields."""

    def __init__(self, words):
        words = words.split()
        self.harness, self.edition = (words[0].split("@") + [None])[:2]
        pairs = list(zip(words[1::2], words[2::2]))
        self.cwd = next((v for k, v in pairs if k == "from"), None)
        self.reading = next((v for k, v in pairs if k == "reading"), None)
        self.tool = next((v for k, v in pairs if k == "by"), "read")
        self.agent = next((v for k, v in pairs if k == "as"), None)
        self.after = [v for k, v in pairs if k == "after"]
        self.already = [v for k, v in pairs if k == "already"]
        self.steps = [v for k, v in pairs if k == "then"]


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


# Runs a command as root that may not read what the mode of a file or folder forbids.
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
