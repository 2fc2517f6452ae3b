"""What a repository may hold to stop, slow or deceive whoever looks at it; each input is a function that builds one."""

import os
import socket
import struct
import sys
import threading
import time
import zlib
from pathlib import Path

# One file of each harness that it loads at the start.
NAMES = [
    "AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md", "CRUSH.md", "CONVENTIONS.md", ".goosehints", ".rules", ".cursorrules",
    ".windsurfrules", ".roorules", ".github/copilot-instructions.md", ".junie/AGENTS.md",
]
# One rule file of each harness that has them, and the key under which it takes patterns.
RULES = {
    ".cursor/rules/a.mdc": "globs", ".claude/rules/a.md": "paths", ".qwen/rules/a.md": "paths", ".windsurf/rules/a.md": "globs",
    ".github/instructions/a.instructions.md": "applyTo", ".kiro/steering/a.md": "fileMatchPattern", ".clinerules/a.md": "paths",
    ".roo/rules/a.md": "globs",
}
RULE_FOLDERS = [str(Path(rule).parent) for rule in RULES]
SKILLS = [".claude/skills", ".agents/skills", ".opencode/skills", ".gemini/skills", ".codex/skills", ".github/skills", ".qwen/skills"]
AGENTS = [".claude/agents", ".claude/commands", ".claude/output-styles", ".codex/agents", ".github/agents", ".gemini/agents", ".qwen/agents"]
WORKSPACE = ".openclaw/workspace"
# Directories of any depth are made one in the other.
sys.setrecursionlimit(20_000)
# What no harness may ever show.
SECRET = "q7Zp2LkV9xTfB4mWc8RsYd3HnJ6gAe5u"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def everywhere(tree, text):
    """The same text in every file that is loaded at the start."""
    for name in NAMES:
        write(tree.project / name, text)
    write(tree.home / WORKSPACE / "AGENTS.md", text)


def rules(tree, head, body="Rule.\n"):
    """Rules of every harness; `head` is given the key of its patterns."""
    for rule, key in RULES.items():
        write(tree.project / rule, f"---\n{head(key)}\n---\n{body}")


def settings(tree, patterns):
    """Settings of every harness that takes file names or patterns there."""
    quoted = ", ".join(f'"{pattern}"' for pattern in patterns)
    write(tree.project / "opencode.json", f'{{"instructions": [{quoted}]}}')
    write(tree.home / ".claude/settings.json", f'{{"claudeMdExcludes": [{quoted}]}}')
    for name in (".gemini", ".qwen"):
        write(tree.home / name / "settings.json", f'{{"context": {{"fileName": [{quoted}]}}}}')
    write(tree.home / ".codex/config.toml", f"project_doc_fallback_filenames = [{quoted}]\n")
    write(tree.project / "crush.json", f'{{"options": {{"context_paths": [{quoted}]}}}}')
    write(tree.project / ".aider.conf.yml", "read:\n" + "".join(f'  - "{pattern}"\n' for pattern in patterns))
    write(tree.home / ".openclaw/openclaw.json", f'{{"skills": {{"load": {{"extraDirs": [{quoted}]}}}}}}')


def each(count, word):
    return "".join(word.format(number) for number in range(count))


class Tree:
    """A project with a file that is read, a home, and where the agent is started."""

    def __init__(self, base, scale):
        self.project, self.home, self.scale = base / "p", base / "h", scale
        self.home.mkdir(parents=True)
        write(self.project / "src/a.rs", "fn main() {}\n")
        (self.project / ".git").mkdir()
        self.cwd, self.file, self.environment = self.project, "src/a.rs", {}
        self.doing, self.done = None, threading.Event()

    def count(self, number):
        """How many, of `number` where everything is as large as it may be."""
        return max(number // self.scale, 20)

    def meanwhile(self, act):
        """Does something again and again until the input has been asked about."""
        def run():
            while not self.done.is_set():
                act()
                time.sleep(0.0005)
        self.doing = threading.Thread(target=run, daemon=True)
        self.doing.start()

    def end(self):
        self.done.set()
        if self.doing:
            self.doing.join()


def braces(tree):
    patterns = ["{a," * 250, "{a,b}" * 64, "**/*a*" * 200, "[" * 10_000, "!(" * 2_000, "@(a|" * 500, "{1..99999999}", "{" * 5_000]
    rules(tree, lambda key: f"alwaysApply: false\ninclusion: fileMatch\n{key}: '{','.join(patterns)}'")
    settings(tree, patterns)


def patterns_in_settings(tree):
    settings(tree, [f"docs/*/{number}-*.md" for number in range(tree.count(50_000))])


def recursive_patterns_in_settings(tree):
    for number in range(tree.count(2_000)):
        (tree.project / f"docs/{number}").mkdir(parents=True)
    settings(tree, [f"**/{number}/*.md" for number in range(tree.count(50_000))])


def names_in_settings(tree):
    settings(tree, [f"docs/{number}.md" for number in range(tree.count(50_000))])


def patterns_in_a_rule(tree):
    count = tree.count(50_000)
    rules(tree, lambda key: f"inclusion: fileMatch\n{key}:\n" + each(count, "  - 'x/{0}/**/*.a{0}'\n"))


def patterns_in_a_line(tree):
    count = tree.count(50_000)
    rules(tree, lambda key: f"inclusion: fileMatch\n{key}: '" + each(count, "x/{0}/**/*.a{0},") + "'")


def imports_that_are_missing(tree):
    everywhere(tree, each(tree.count(100_000), "@./missing/{0}.md\n"))


def imports_that_are_there(tree):
    count = tree.count(100_000)
    everywhere(tree, each(count, "@./docs/{0}.md\n"))
    for number in range(count):
        write(tree.project / f"docs/{number}.md", "Text.\n")


def imports_that_multiply(tree):
    for name, after in zip("abcdefgh", "bcdefgha"):
        write(tree.project / f"{name}.md", f"@./{after}.md\n" * tree.count(1_000))
    everywhere(tree, "@./a.md\n" * tree.count(1_000))


def long_line(what):
    def build(tree):
        everywhere(tree, what * (tree.count(5_000_000) // len(what)))
    return build


def lines_of_all_kinds(tree):
    kinds = ["# a\n", "- a\n", "> a\n", "```\na\n", "| a |\n", "<b>\n", "[a]: b\n", "<!-- a -->\n", "@a.md\n", "1. a\n\n", "\t- a\n", "a\n===\n"]
    everywhere(tree, "".join(kinds) * (tree.count(5_000_000) // 80))


def lists_in_lists(tree):
    everywhere(tree, "".join("  " * depth + "- a\n" for depth in range(tree.count(2_000))) + "> " * tree.count(100_000) + "a\n")


def front_matter_with_keys(tree):
    count = tree.count(300_000)
    rules(tree, lambda key: each(count, "key{0}: value\n"))


def front_matter_with_one_value(tree):
    rules(tree, lambda key: f"description: {'word ' * tree.count(1_000_000)}\n{key}: '*.rs'")


def front_matter_in_brackets(tree):
    depth = tree.count(100_000)
    rules(tree, lambda key: f"{key}: {'[' * depth}{']' * depth}")


def front_matter_in_steps(tree):
    rules(tree, lambda key: "".join("  " * depth + "a:\n" for depth in range(tree.count(2_000))))


def front_matter_that_multiplies(tree):
    laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    laughs += "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
    rules(tree, lambda key: f"{laughs}{key}: *a11")
    write(tree.project / ".aider.conf.yml", f"{laughs}read: *a11\n")


def deep_settings(tree):
    depth = tree.count(100_000)
    for name in ("opencode.json", "crush.json", ".claude/settings.json", ".gemini/settings.json", ".qwen/settings.json"):
        write(tree.project / name, '{"a": ' + "[" * depth + "]" * depth + "}")
    write(tree.home / ".codex/config.toml", "a = " + "[" * depth + "]" * depth + "\n")
    write(tree.home / ".openclaw/openclaw.json", "{a: " * depth + "1" + "}" * depth)
    write(tree.project / ".aider.conf.yml", "a: " + "{a: " * depth + "1" + "}" * depth)


def wide_settings(tree):
    pairs = each(tree.count(300_000), '"key{0}": [1, "a", null], ') + '"end": 0'
    for name in ("opencode.json", "crush.json", ".claude/settings.json", ".gemini/settings.json", ".qwen/settings.json"):
        write(tree.project / name, "{" + pairs + "}")
    write(tree.home / ".codex/config.toml", each(tree.count(100_000), 'key{0} = [1, "a"]\n'))
    write(tree.home / ".openclaw/openclaw.json", "{" + pairs + "}")


def long_values(tree):
    """Files of variables and of what is ignored, as long as they may be."""
    for name in (".env", ".gemini/.env", ".qwen/.env"):
        write(tree.project / name, each(tree.count(200_000), "NAME{0}='${{NAME}}'\n"))
    for name in (".gitignore", ".gooseignore", ".geminiignore", ".qwenignore", ".aiderignore"):
        write(tree.project / name, each(tree.count(100_000), "**/{0}/*.a?[b-c]\n"))
    everywhere(tree, "Text.\n")


def variables_in_settings(tree):
    """Settings whose every entry names a variable of a `.env` file, and braces that nothing closes."""
    count = tree.count(20_000)
    for name in (".env", ".gemini/.env", ".qwen/.env"):
        write(tree.project / name, each(count, "NAME{0}=some-value-{0}\n"))
    write(tree.home / ".openclaw/.env", each(count, "NAME{0}=some-value-{0}\n"))
    settings(tree, [f"${{NAME{number}}}" for number in range(count)] + ["${" * tree.count(1_000_000)])


def nested_directories(tree):
    depth = tree.count(1_900)
    # Longer ones cannot be named by a path.
    tree.cwd = tree.project / "/".join("d" * depth)
    tree.cwd.mkdir(parents=True)
    tree.file = "a.rs"
    write(tree.cwd / "a.rs", "\n")
    for directory in list(tree.cwd.parents)[:-1]:
        if tree.project in directory.parents:
            write(directory / "AGENTS.md", "Text.\n")
            write(directory / "CLAUDE.md", "Text.\n")


def nested_rules(tree):
    for folder in RULE_FOLDERS + SKILLS:
        deep = tree.project / folder / "/".join("d" * tree.count(1_500))
        write(deep / "a.md", "---\npaths: '**'\n---\nRule.\n")
        write(deep / "SKILL.md", "---\nname: a\ndescription: A.\n---\nSkill.\n")


def many_directories(tree):
    """As an archive of a large repository: a hundred directories with as many in each."""
    directories = tree.count(128_000)
    for number in range(directories):
        directory = tree.project / f"docs/{number // 1000}/{number % 1000}"
        directory.mkdir(parents=True)
        for name in ("a.txt", "b.txt", "c.md")[: 3 if number % 4 else 4]:
            os.close(os.open(directory / name, os.O_CREAT | os.O_WRONLY))
    settings(tree, ["docs/**/*.md", "**/none-of-these.md", "**"])
    rules(tree, lambda key: f"{key}: '**/*.none'")
    for folder in RULE_FOLDERS + SKILLS:
        link = tree.project / folder / "docs"
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(tree.project / "docs")


def the_whole_disk(tree):
    (tree.project / "rootlink").symlink_to("/")
    settings(tree, ["rootlink/**", "rootlink/**/*.md", "/**/*.md", "rootlink/*/*/*.md", "../**/*.md"])
    for folder in RULE_FOLDERS + SKILLS:
        (tree.project / folder).parent.mkdir(parents=True, exist_ok=True)
        (tree.project / folder).symlink_to("/")


def many_rules(tree):
    for folder, rule in zip(RULE_FOLDERS, RULES):
        suffix = Path(rule).name.removeprefix("a")
        for number in range(tree.count(10_000)):
            write(tree.project / folder / f"{number}{suffix}", f"---\n{RULES[rule]}: '**/*.{number}'\n---\nRule.\n")


def many_skills(tree):
    for folder in SKILLS:
        for number in range(tree.count(5_000)):
            write(tree.project / folder / f"s{number}/SKILL.md", f"---\nname: s{number}\ndescription: Skill {number}.\n---\nSkill.\n")


def large_files(tree):
    everywhere(tree, b"All work and no play.\n" * (tree.count(60 << 20) // 22))


def sparse_files(tree):
    everywhere(tree, "")
    rules(tree, lambda key: "a: b")
    for name in [*NAMES, *RULES]:
        with open(tree.project / name, "r+b") as file:
            file.truncate(10 << 30)


def special_files(tree):
    """FIFOs, sockets and devices where files are expected."""
    for number, name in enumerate([*NAMES, *RULES, "opencode.json", ".gemini/settings.json", ".env", ".aider.conf.yml", ".gitignore"]):
        path = tree.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if number % 3 == 0:
            os.mkfifo(path)
        elif number % 3 == 1:
            with socket.socket(socket.AF_UNIX) as listener:
                here = os.getcwd()
                os.chdir(path.parent)
                listener.bind(path.name)
                os.chdir(here)
        else:
            path.symlink_to("/dev/zero")


def links_to_processes(tree):
    """Files in which a process could read its own environment and memory."""
    tree.environment = {"HOSTILE_TOKEN": SECRET}
    targets = ["/proc/self/environ", "/proc/self/cmdline", "/dev/stdin", "/dev/fd/0", "/proc/self/root/proc/self/environ", "/proc/self/mem"]
    (tree.project / "self").symlink_to("/proc/self")
    for number, name in enumerate([*NAMES, *RULES]):
        path = tree.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(targets[number % len(targets)])
    write(tree.project / "CLAUDE.md.txt", "")
    imports = "".join(f"@{target}\n@./self/environ\n" for target in targets)
    (tree.project / "CLAUDE.md").unlink()
    write(tree.project / "CLAUDE.md", imports)
    (tree.project / "GEMINI.md").unlink()
    write(tree.project / "GEMINI.md", imports)
    settings(tree, [*targets, "self/environ"])
    write(tree.project / "opencode.json", '{"instructions": ["self/environ", "{file:/proc/self/environ}"]}')


def loops(tree):
    (tree.project / "AGENTS.md").symlink_to("AGENTS.md")
    (tree.project / "CLAUDE.md").symlink_to("GEMINI.md")
    (tree.project / "GEMINI.md").symlink_to("CLAUDE.md")
    for folder in RULE_FOLDERS + SKILLS:
        directory = tree.project / folder
        for number in range(tree.count(200)):
            inner = directory / f"x{number}"
            inner.mkdir(parents=True)
            (inner / "up").symlink_to("..")
            (inner / "self").symlink_to(".")
            (inner / "next").symlink_to(f"../x{number + 1}")
            write(inner / "a.md", "Rule.\n")
    settings(tree, ["**/*.md", ".claude/**/up/**/*.md"])


def odd_names(tree):
    everywhere(tree, "@./a\u202emd.txt\n")
    for folder in RULE_FOLDERS + SKILLS:
        base = os.fsencode(tree.project / folder)
        os.makedirs(base, exist_ok=True)
        for name in (b"a\nb.md", b"\xff\xfe.md", "\u202egpj.md".encode(), b"\x1b[31mred.md", b"-rf.md", b" .md", b"\xe2\x80\x8b.md", b"x" * 250 + b".md"):
            os.makedirs(base + b"/d" + name, exist_ok=True)
            for file in (base + b"/" + name, base + b"/d" + name + b"/SKILL.md", base + b"/d" + name + b"/a.md"):
                with open(file, "wb") as out:
                    out.write(b"---\nname: a\ndescription: A.\n---\n\xff\xfe\x00\n")
    settings(tree, ["**/*.md", "\\n*.md", "\\u202e*"])


def odd_texts(tree):
    everywhere(tree, b"\xef\xbb\xbf\xff\xfe\x00\xed\xa0\x80\xf4\x90\x80\x80 @\xff\n" * tree.count(100_000))
    rules(tree, lambda key: f"{key}: \u202e\u0000\ufeff")
    for name in ("opencode.json", ".gemini/settings.json", ".claude/settings.json", ".aider.conf.yml"):
        write(tree.project / name, b"\xff\xfe{\x00}\x00")
    for path in (tree.project / "AGENTS.md", tree.project / "CLAUDE.md"):
        os.utime(path, (-(1 << 31), 1 << 40))


def odd_repository(tree):
    """A repository whose own files are hostile."""
    (tree.project / ".git").rmdir()
    (tree.project / ".git/refs/heads").mkdir(parents=True)
    (tree.project / ".git/objects/pack").mkdir(parents=True)
    write(tree.project / ".git/HEAD", "ref: refs/heads/" + "a/" * 2_000 + "b\n")
    write(tree.project / ".git/config", each(tree.count(200_000), '[include]\n\tpath = config{0}\n[core]\n\tworktree = {0}\n'))
    write(tree.project / ".git/packed-refs", each(tree.count(200_000), "0123456789012345678901234567890123456789 refs/heads/{0}\n"))
    write(tree.project / "src/.git", "gitdir: ../.git/worktrees/" + "x" * 5_000_000)
    write(tree.home / ".openclaw/workspace/.openclaw/state.db", b"SQLite format 3\0" + b"\xff" * 1_000_000)
    everywhere(tree, "Text.\n")


class Store:
    """A git repository in the project, whose objects say what nobody checked in."""

    def __init__(self, tree):
        self.git = tree.project / ".git"
        (self.git / "refs/heads").mkdir(parents=True)
        (self.git / "objects/pack").mkdir(parents=True)
        write(self.git / "HEAD", "ref: refs/heads/main\n")
        write(self.git / "config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n")
        write(self.git / "refs/heads/main", self.name("commit") + "\n")
        everywhere(tree, "Text.\n")

    @staticmethod
    def name(word):
        return word.encode().hex().ljust(40, "0")

    def path(self, word):
        return self.git / "objects" / self.name(word)[:2] / self.name(word)[2:]

    def loose(self, word, kind, content):
        write(self.path(word), zlib.compress(b"%s %d\0" % (kind.encode(), len(content)) + content))

    def commit(self, entries):
        """The first commit, and its tree: names, modes and words for the objects."""
        self.loose("commit", "commit", f"tree {self.name('tree')}\n\nText.\n".encode())
        self.loose("tree", "tree", b"".join(b"%s %s\0" % (mode.encode(), name.encode()) + bytes.fromhex(self.name(word)) for name, mode, word in entries))

    def pack(self, objects):
        """A pack of words, each with its kind, the word that it is made from, and its content."""
        data, places = b"PACK" + struct.pack(">II", 2, len(objects)), {}
        for word, kind, base, content in objects:
            places[bytes.fromhex(self.name(word))] = len(data)
            head, rest = kind << 4 | len(content) & 15, len(content) >> 4
            while rest:
                data, head, rest = data + bytes([head | 128]), rest & 127, rest >> 7
            data += bytes([head]) + (bytes.fromhex(self.name(base)) if base else b"") + zlib.compress(content, 9)
        names = sorted(places)
        fan = b"".join(struct.pack(">I", sum(name[0] <= byte for name in names)) for byte in range(256))
        index = b"\xfftOc\0\0\0\2" + fan + b"".join(names) + b"\0\0\0\0" * len(names) + b"".join(struct.pack(">I", places[name]) for name in names)
        write(self.git / "objects/pack/pack-a.pack", data)
        write(self.git / "objects/pack/pack-a.idx", index)


def varint(number):
    out = b""
    while number >= 128:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def pipes_in_the_store(tree):
    """Pipes that nobody writes to, where git keeps objects, packs, and the places of other repositories."""
    store = Store(tree)
    (store.git / "objects/info").mkdir()
    store.path("commit").parent.mkdir()
    for path in ("info/alternates", "pack/pack-a.idx", "pack/pack-a.pack"):
        os.mkfifo(store.git / "objects" / path)
    os.mkfifo(store.path("commit"))


def devices_in_the_store(tree):
    store = Store(tree)
    (store.git / "objects/info").mkdir()
    store.path("commit").parent.mkdir()
    for path in (store.path("commit"), store.git / "objects/info/alternates", store.git / "objects/pack/pack-a.idx"):
        path.symlink_to("/dev/zero")


def names_that_lead_out_of_trees(tree):
    store = Store(tree)
    names = ["..", ".", "", ".git", ".GIT", "a/b", "../../outside", "x" * 5_000]
    store.commit([(name, "40000", "inner") for name in [*names, "docs"]] + [("AGENTS.md", "100644", "text"), ("CLAUDE.md", "120000", "text")])
    store.loose("inner", "tree", b"".join(b"100644 %s\0" % name.encode() + bytes.fromhex(store.name("text")) for name in [*names, "AGENTS.md"]))
    store.loose("text", "blob", b"@docs/AGENTS.md\n")


def deltas_that_multiply(tree):
    """Objects at the ends of chains: sixty megabytes at each link, and chains that lead back to where they began."""
    store, size, links = Store(tree), 60 << 20, 400
    store.commit([(name, "100644", f"end{number % 2}") for number, name in enumerate(NAMES) if "/" not in name])
    piece = size // 64
    grown = varint(piece) + varint(size) + (b"\xf0" + struct.pack("<I", piece)[:3]) * 64
    copied = varint(size) + varint(size) + b"".join(b"\xff" + struct.pack("<I", at * (size // 4)) + struct.pack("<I", size // 4)[:3] for at in range(4))
    end = varint(size) + varint(6) + b"\x90\x06"
    objects = [("whole", 3, None, b"a" * piece), ("link0", 7, "whole", grown), ("end1", 7, "end1", end)]
    objects += [(f"link{number}", 7, f"link{number - 1}", copied) for number in range(1, links)]
    store.pack([*objects, ("end0", 7, f"link{links - 1}", end)])


def borrowed_stores(tree):
    """Repositories that borrow from repositories, and packs by the thousand."""
    store = Store(tree)
    count = tree.count(20_000)
    write(store.git / "objects/info/alternates", each(count, "../../other/{0}\n"))
    for number in range(count):
        write(store.git / f"objects/pack/pack-{number}.idx", b"\xfftOc\0\0\0\2" + b"\xff" * 1024)


def files_that_change(tree):
    """Files that grow, shrink, lose their permission, and become something else while they are read."""
    everywhere(tree, "Text.\n" * 10_000)
    rules(tree, lambda key: f"{key}: '**'")
    state = [0]

    def act():
        state[0] += 1
        for name in ("AGENTS.md", "CLAUDE.md", ".claude/rules/a.md"):
            path = tree.project / name
            try:
                match state[0] % 5:
                    case 0:
                        with open(path, "ab") as file:
                            file.write(b"More.\n" * 10_000)
                    case 1:
                        os.chmod(path, 0)
                    case 2:
                        os.chmod(path, 0o644)
                        os.truncate(path, 3)
                    case 3:
                        path.unlink()
                        path.mkdir()
                    case _:
                        path.rmdir()
                        write(path, "Text.\n")
            except OSError:
                pass
    tree.meanwhile(act)


def braces_in_what_git_ignores(tree):
    count = 100_000
    write(tree.project / "docs/a.md", "Text.\n")
    # Whether git ignores a file is asked where a text names one that is not there.
    everywhere(tree, "See `docs/missing.md`.\n")
    write(tree.project / ".gitignore", "{" * count + "}" * count + "\n" + "{a," * count + "b" + "}" * count + "\n")


def braces_in_braces(tree):
    count = 20_000
    rules(tree, lambda key: f"inclusion: fileMatch\n{key}:\n  - '{'{a,' * count}{'}' * count}'")


def limits_within_characters(tree):
    write(tree.home / ".codex/config.toml", "project_doc_max_bytes = 3\n")
    everywhere(tree, "\u0436" * tree.count(25_000))


def aliases_of_a_long_value(tree):
    count = tree.count(50_000)
    rules(tree, lambda key: f"long: &a '{'word ' * tree.count(20_000)}'\n{key}: [{', '.join(['*a'] * count)}]")


def classes_in_patterns(tree):
    """Sets of signs that do not end, or are long to compile."""
    patterns = ["[^/" * tree.count(50_000), "**/" * tree.count(5_000) + "*.md", "[[:alpha:]" * tree.count(5_000), "[[:alpha:]]" * tree.count(5_000)]
    rules(tree, lambda key: f"inclusion: fileMatch\n{key}:\n" + "".join(f"  - '{pattern}'\n" for pattern in patterns))
    settings(tree, patterns)


def a_pattern_of_fifty_kilobytes(tree):
    for number in range(tree.count(1_000)):
        write(tree.project / f"docs/{number}.md", "Text.\n")
    settings(tree, ["*a" * 25_000 + "*.md", "{a,b}*" * 8_000, "?*" * 25_000, "**/*[a-z]" * 5_000])


def a_pattern_of_thirty_thousand_names(tree):
    """Not less of it for the short form: what calls itself for each name overflows at this length."""
    settings(tree, ["a/" * 30_000 + "b.md", "**/" + "a/" * 30_000 + "*.md"])


def headers_in_a_declaration(tree):
    count = tree.count(50_000)
    everywhere(tree, "Text.\n")
    write(tree.project / "briefing.toml", each(count // 2, "[harness.a{0}]\n") + each(count // 2, "[a{0}]\n"))


def keys_that_never_end(tree):
    everywhere(tree, "-----BEGIN " * tree.count(500_000) + "\n")


def comments_that_ignore(tree):
    everywhere(tree, each(tree.count(40_000), "<!-- briefing-ignore import-missing: reason {0} -->\n@./missing/{0}.md\n"))


def maps_in_maps_in_a_head(tree):
    depth = tree.count(100_000)
    rules(tree, lambda key: f"{key}: " + "{a: " * depth + "1" + "}" * depth)


def patterns_in_what_git_ignores(tree):
    everywhere(tree, each(200, "See `docs/missing{0}.md`.\n"))
    bombs = ["*a" * 20_000, "**/" * 20_000, "[" * 50_000, "[!a-" * 10_000, "?" * 50_000, "\\" * 50_000, "!" * 50_000]
    for directory in ("", "docs/", "src/"):
        write(tree.project / directory / ".gitignore", "\n".join(bombs) + "\n" + each(tree.count(50_000), "*a*{0}*b/**/*c*\n"))


def a_variable_that_is_named_often(tree):
    """A long variable: each place that names it grows by all of it."""
    long, names = "v" * tree.count(100_000), tree.count(2_000)
    for name in (".env", ".gemini/.env", ".qwen/.env"):
        write(tree.project / name, f"LONG={long}\n" + each(names, "NAME{0}=${{LONG}}${{LONG}}\n"))
    write(tree.home / ".openclaw/.env", f"LONG={long}\n")
    tree.environment = {"LONG": long}
    settings(tree, ["${LONG}", "$LONG/a.md", "{env:LONG}/b.md"] * names)


def tables_by_the_hundred_thousand(tree):
    count = tree.count(300_000)
    write(tree.home / ".codex/config.toml", each(count, "[t{0}]\na = 1\n"))
    write(tree.project / ".codex/config.toml", each(count, "[[t.a{0}.b]]\n"))
    everywhere(tree, "Text.\n")


def fans_of_links(tree):
    """Directories in which each leads to all others, by many ways."""
    width = tree.count(40)
    for folder in ["docs", *RULE_FOLDERS, *SKILLS, *AGENTS]:
        directory = tree.project / folder
        directory.mkdir(parents=True, exist_ok=True)
        for number in range(width):
            (directory / f"l{number}").symlink_to("." if number % 2 else "../" * len(Path(folder).parts))
        write(directory / "a.md", "Text.\n")
    everywhere(tree, each(width, "@./docs/l{0}/l1/l3/a.md\n"))
    settings(tree, ["docs/**/*.md", "**/a.md", "docs/*/*/*/*/a.md"])


def links_to_here(tree):
    for number in range(tree.count(2_000)):
        (tree.project / f"here{number}").symlink_to(".")
    everywhere(tree, "Text.\n")
    settings(tree, ["**/*.md", "*/*/*/AGENTS.md", "here*/**/AGENTS.md"])


def a_path_of_six_kilobytes(tree):
    long = "/".join("d" * 3_000)
    everywhere(tree, f"@./{long}/a.md\n")
    settings(tree, [f"{long}/*.md", f"{long}/a.md"])
    tree.file = f"{long}/a.rs"


def markdown_in_names_and_patterns(tree):
    """Texts that would be pictures, links, mentions or signs of a terminal, where they are shown."""
    live = ["![](https://example.org/a.png)", "[a](command:b)", "<img src=x onerror=y>", "@everyone", "`` ` ``", "::error::a", "\u009b31m", "\x1b]0;a\x07", "a\rb", "|", "~~~"]
    for number, name in enumerate(live):
        write(tree.project / ".claude/rules" / (name.replace("/", "_") + ".md"), f"---\npaths: '{name}'\n---\n{name}\n")
        write(tree.project / f".claude/skills/s{number}/SKILL.md", f"---\nname: {name}\ndescription: {name}\n---\n{name}\n")
    everywhere(tree, "".join(f"@./{name}\n" for name in live))


INPUTS = {
    function.__name__.replace("_", "-"): function
    for function in (
        braces, patterns_in_settings, recursive_patterns_in_settings, names_in_settings, patterns_in_a_rule, patterns_in_a_line,
        imports_that_are_missing, imports_that_are_there, imports_that_multiply, lines_of_all_kinds, lists_in_lists,
        front_matter_with_keys, front_matter_with_one_value, front_matter_in_brackets, front_matter_in_steps,
        front_matter_that_multiplies, deep_settings, wide_settings, long_values, variables_in_settings, nested_directories, nested_rules,
        many_directories, the_whole_disk, many_rules, many_skills, large_files, sparse_files, special_files, links_to_processes, loops, odd_names,
        odd_texts, odd_repository, pipes_in_the_store, devices_in_the_store, names_that_lead_out_of_trees, deltas_that_multiply, borrowed_stores,
        files_that_change, braces_in_what_git_ignores, braces_in_braces, limits_within_characters,
        aliases_of_a_long_value, classes_in_patterns, a_pattern_of_fifty_kilobytes, a_pattern_of_thirty_thousand_names,
        headers_in_a_declaration, keys_that_never_end,
        comments_that_ignore, maps_in_maps_in_a_head, patterns_in_what_git_ignores, a_variable_that_is_named_often,
        tables_by_the_hundred_thousand, fans_of_links, links_to_here, a_path_of_six_kilobytes, markdown_in_names_and_patterns,
    )
} | {
    f"a-line-of-{name}": long_line(what)
    for name, what in {
        "words": "word ", "imports": "@a ", "at-signs": "@", "backticks": "`", "odd-backticks": "` `` ```", "brackets": "[", "links": "[a](",
        "emphasis": "*a_ ", "tags": "<a ", "comments": "<!-- ", "entities": "&amp", "quotes": "> ", "backslashes": "\\", "images": "![a][",
        "braces": "{{", "newlines": "\n", "returns": "\r", "spaces": " ", "wide": "\U0001f600", "zeros": "\0", "dashes": "---\n",
    }.items()
}
