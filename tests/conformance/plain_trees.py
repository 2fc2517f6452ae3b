"""Random trees of plain clients: instruction files under names in directories, as drivers say that theirs are called."""
import os

TEXTS = ["A", "A\n", "\n\n  A  \n\n", "", " \n", "\ufeffA\n", "A\r\nB\r\n", "é 😀\n", "\u0085A\u0085", "\u3000A\u00a0\n", "---\nx: 1\n---\nA\n", "$sections `x`\n"]

# Bytes that clients decode in different ways: no UTF-8, UTF-16, half of a character, U+FFFD beside what is no UTF-8.
BYTES = ["A\udcffB\n", "\udcff \n", "\udcff\udcfeA\0B\0", "a\udce2\udc82", "A\ufffd\udcff", "\ufeff\ufeffA\n", "\udced\udca0\udc80A", "A\0B\n"]
# Where a file lies that was read: what it is called decides in some clients whether the read counts.
TARGETS = ["t.txt", "t.txt", "none.txt", "t.png", "t.PDF", ".env", ".env.example", "id_rsa", "AGENTS.md", "folder/", "locked.txt", "link.txt"]
PNG = "\udc89PNG\r\n\x1a\n"


class Trees:
    """A tree that is being made: `dirs` lead from `/p` down, the client is started in `cwd`."""

    def __init__(self, r, repositories=True):
        self.r, self.files, self.taken, self.env = r, [], set(), {}
        self.dirs = ["/p"]
        for _ in range(r.choice([0, 1, 1, 2, 3])): self.dirs.append(self.dirs[-1] + "/" + r.choice(["a", "s", "X"]))
        self.cwd = r.choice(self.dirs) if r.random() < .9 else "/h"
        self.directory(self.cwd)
        for d in self.dirs if repositories else ():
            if r.random() < .25: self.repository(d)

    def put(self, path, suffix, text):
        from casefile import Section
        if path not in self.taken and not any(path.startswith(t + "/") or t.startswith(path + "/") for t in self.taken):
            self.taken.add(path); self.files.append(Section(path + suffix, text))

    def write(self, path, text):
        from gemini_cli import raw
        self.put(path, " | raw", raw(text))

    def directory(self, path):
        from casefile import Section
        self.files.append(Section(path + "/"))

    def repository(self, path):
        self.write(path + "/.git/HEAD", "ref: refs/heads/main\n")

    def own(self, usual, variable):
        """The user's own folder of the client: the usual one, or where a variable says that it is."""
        if self.r.random() < .15: self.env[variable] = usual = self.r.choice(["/c", "/p"])
        return usual

    def fill(self, dirs, names, texts=TEXTS):
        """Some of the names in each directory: files, links, and now and then a directory."""
        for d in dict.fromkeys(dirs):
            for name in names:
                if self.r.random() < .25:
                    path = os.path.join(d, name); k = self.r.random()
                    if k < .1: self.put(path, " -> " + self.r.choice([names[0], "nowhere", "/out.md"]), "")
                    elif k < .14: self.put(path, "/", "")
                    elif k < .17: self.put(path, " | mode 000", "LOCKED\n")
                    elif k < .23: self.write(path, self.r.choice(BYTES))
                    else: self.write(path, self.r.choice(texts))

    def read(self, dirs):
        """Words of a question: in half of the trees a file in one of these directories is read."""
        if self.r.random() >= .5: return ""
        target = self.r.choice(dirs) + "/t.txt"
        self.write(target, "text\n")
        return f" reading {target}" if target in self.taken else ""

    def reach(self, dirs, targets=TARGETS):
        """As `read`, of files whose reads fail, or bring no text, as well."""
        if self.r.random() >= .5: return ""
        name = self.r.choice(targets)
        target = f"{self.r.choice(dirs)}/{name}".rstrip("/")
        if name == "locked.txt": self.put(target, " | mode 000", "text\n")
        elif name == "link.txt": self.put(target, " -> /out.md", "")
        elif name == "folder/": self.put(target, "/", "")
        elif name != "none.txt": self.write(target, PNG if name == "t.png" else "text\n")
        return f" reading {target}"

    def variables(self, values):
        """Sets some of the variables, each with a list of values, that none has set yet."""
        for name, choices in values.items():
            if self.r.random() < .08: self.env.setdefault(name, self.r.choice(choices))

    def case(self, words, extra=()):
        from casefile import Case, Section
        self.write("/out.md", "OUT\n")
        return Case("", self.files + [Section(f"@env {k}={v}") for k, v in self.env.items()] + list(extra)), words
