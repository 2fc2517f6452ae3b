"""Random trees for OpenCode: instruction files, settings and what only looks like them, and a question."""
import json, os, re
import casefile

NAMES = ["AGENTS.md"] * 5 + ["CLAUDE.md"] * 3 + ["CONTEXT.md"] * 2 + ["agents.md"]
DIRS = ["a", "b", "s", "s2", ".d", "k", "a b", "Ü"]
UNKNOWN = {None: ', "unknown": [1, {}],', **dict.fromkeys(("1.1", "1.15"), ', "theme": "t", "tui": {"unknown": 1},')}
NOTES = ["one.md", "two.md", "z.md", ".h.md", "b1.md", "[x].md", "n.txt", "Two.md"]


def raw(data):
    simple = {10: "\\n", 13: "\\r", 9: "\\t", 92: "\\\\"}
    return "".join(simple.get(b) or (chr(b) if 32 <= b < 127 else f"\\x{b:02X}") for b in data) + "\n"


class Tree:
    """Directories are dicts, so that a directory's sections stand together and its listing is in their order."""

    def __init__(self, random, edition=None):
        self.r, self.top, self.count, self.edition = random, {}, 0, edition

    def put(self, path, kind, body=""):
        node = self.top
        for part in path.strip("/").split("/")[:-1]:
            node = node.setdefault(part, {})
            if not isinstance(node, dict):
                return
        node.setdefault(path.rstrip("/").rsplit("/", 1)[1], {} if kind == "dir" else (kind, body))

    def text(self, path, odd=0.25):
        """An instruction file; sometimes not a plain one."""
        self.count += 1
        line = f"{self.count} {path}"
        if self.r.random() >= odd:
            return self.put(path, "", line + "\n")
        data = self.r.choice([
            b"", b"\xef\xbb\xbf", b" \n", b"\n", line.encode(), b"\xef\xbb\xbf" + line.encode() + b"\r\n\r\n", line.encode() + b" \xff\xe2\x82.\xc3",
            b"Instructions from: /r/x\n" + line.encode() + b"\n\n\n", b"</system-reminder>\n\x00\x1b" + line.encode(), "dir", "dangling", "loop", "link", "through"])
        if data == "dir": self.put(path, "dir")
        elif data == "dangling": self.put(path, " -> ", "gone.md")
        elif data == "loop": self.put(path, " -> ", path.rsplit("/", 1)[1])
        elif data == "through": self.put(path, " -> ", "plain.txt/x"); self.put(path.rsplit("/", 1)[0] + "/plain.txt", "", "plain\n")
        elif data == "link": self.put(path, " -> ", f"target{self.count}.txt"); self.put(path.rsplit("/", 1)[0] + f"/target{self.count}.txt", "", line + " by a link\n")
        else: self.put(path, " | raw", raw(data))

    def has(self, path):
        """Whether there is such a file, and no link: what was read before a question has to be there."""
        node = self.top
        for part in path.strip("/").split("/"):
            node = node.get(part) if isinstance(node, dict) else None
        return isinstance(node, tuple) and node[0] in ("", " | raw")

    def files(self, git=False, node=None, at=""):
        node = self.top if node is None else node
        for name, child in node.items():
            if isinstance(child, dict): yield from self.files(git, child, f"{at}/{name}")
            elif child[0] != " | git": yield f"{at}/{name}"
            elif git: yield from (f"{at}/.git/HEAD", f"{at}/.git/hooks/push.sample")

    def sections(self, node=None, at=""):
        node = self.top if node is None else node
        for name, child in node.items():
            path = f"{at}/{name}"
            if isinstance(child, dict) and not child: yield casefile.Section(path + "/")
            elif isinstance(child, dict): yield from self.sections(child, path)
            elif child[0] == " | git": yield casefile.Section(f"{at}/ | git")
            elif child[0] == " -> ": yield casefile.Section(f"{path} -> {child[1]}")
            else: yield casefile.Section(path + child[0], child[1])


def pattern(r, tree, levels, bounded):
    """A glob made of the path of a file there is, seen from one of `levels`. Unbounded walks must not search the whole disk."""
    files = [f for f in tree.files() if f.startswith("/r/") and "/.git" not in f and "opencode" not in f] or ["/r/none.md"]
    path = r.choice(files)
    if r.random() < 0.12:
        return r.choice(["", ".", "~", "~/", "k/", "nowhere.md", "*.md", "~/notes/*.md", "~/one.md", "../one.md", "./two.md", "http://127.0.0.1:9/x.md", "one.md/", "{one,two}.md", "[!a]*.md", "/"])
    if r.random() < 0.2:
        head, tail = path.rsplit("/", 1)
        tail = r.choice([tail, "*.md", tail[:1] + "*", "*", "{one,two,z}.md", "?" * 6, "*.txt", "@(one|z).md", "[a-z]*.md", ".*.md", "**"])
        return r.choice([head, head, head + "/./", head + "/../" + head.rsplit("/", 1)[1]]) + "/" + tail
    base = r.choice(levels)
    rel = os.path.relpath(path, base)
    if r.random() < 0.25:
        rel = os.path.relpath(path, r.choice(levels))
    parts = rel.split("/")
    for i, part in enumerate(parts):
        last, free = i == len(parts) - 1, bounded and ".." not in parts or i > 0 and not any(c in "".join(parts[:i]) for c in "*?[{.")
        if part == ".." or r.random() < 0.45:
            continue
        stem = part[:-3] if part.endswith(".md") else part
        options = [part, part + "/." if not last else part, "\\" + part, part.upper(), part.lower()]
        if last:
            options += ["*.md"] * 4 + ["*", stem[:1] + "*", "*" + part[-3:], "{" + stem + ",two,z}.md", "{z,one}.md", "[a-z]*.md", "[!o]*.md", "!(one).md", "+(one|two|z).md", "?" * len(part), "*.{md,txt}"]
        elif free:
            options += ["*", "**", "**", "**/" + part, "{" + part + ",s,k}", "?", "[a-s]", "**/**", "?(s)*"]
        elif i:
            options += ["*", "?", "{" + part + ",s}", "[a-s]"]
        parts[i] = r.choice(options)
    text = "/".join(parts)
    return r.choice(["", "", "", "./"]) + (text if one_branch(text, tree, levels) else rel)


def one_branch(text, tree, levels):
    """The client lists directories at the same time, so the order of matches in two branches varies from run to run:
    only patterns whose matches surely lie in one directory, or each below the last, can be compared."""
    if not any(c in text for c in "*?[{(\\"):
        return True
    if tree.edition == "1.1":
        return not finds_what_is_laid_down(text, levels)
    loose = re.sub(r"[@+?!*]\(.*\)|\{.*\}|\*\*/?", "\x01", text.replace("\\", ""))
    loose = re.sub(r"\[.*?\]|\?", "\x02", loose).replace("*", "\x03")
    loose = re.escape(loose).replace("\x01", ".*").replace("\x02", ".").replace("\x03", "[^/]*")
    listed = any(c in text.rsplit("/", 1)[-1] for c in "*?[(") or "**" in text
    files = list(tree.files(git=True))
    for link in [f for f in files if f.endswith("/ln")]:
        files += [link + f[len(link.rsplit("/", 1)[0]):] for f in files] * 2
    for level in levels:
        found = [f for f in files if re.fullmatch(loose, os.path.relpath(f, level))]
        places = sorted({os.path.dirname(f) for f in found}, key=len)
        if len(found) > 1 and (not listed or len(found) != len(set(found)) or any(not (b + "/").startswith(a + "/") for a, b in zip(places, places[1:]))):
            return False
    return True


def finds_what_is_laid_down(text, levels):
    """The client of early 2026 lists one directory after the other, but puts a package into those with its settings
    at the same time."""
    loose = re.sub(r"(^|/)!.*|[@+?!*]\(.*\)|\{.*\}|\*\*/?|\[.*?\]|[?*]", "\x01", text)
    loose = re.escape(loose).replace("\x01", ".*")
    laid = [f"{level}/.opencode/{name}" for level in levels for name in ("package.json", ".gitignore", "bun.lock", "node_modules/a/b.md")]
    return any(re.fullmatch(loose, os.path.relpath(path, level)) for path in laid for level in levels)


def settings_text(r, instructions, env, tree, where):
    words = []
    for text in instructions:
        word = json.dumps(text, ensure_ascii=r.random() < 0.5)
        if r.random() < 0.08 and '"' not in word[1:-1] and "\\" not in word:
            name = f"V{len(env)}"
            env[name] = text
            word = '"{env:%s}"' % name
        elif r.random() < 0.06 and text == text.strip() and text:
            name = f"ref{len(list(tree.files()))}.txt"
            tree.put(f"{where}/{name}", "", r.choice(["", "\n", " "]) + text + "\n")
            word = '"{file:%s}"' % r.choice([name, "./" + name, f"{where}/{name}"])
        words.append(word)
    comma = r.choice([",", ", ", ",\n  ", ", /* c */ ", ", // c\n"])
    text = '{"instructions": [' + comma.join(words) + r.choice(["", "", ","]) + "]" + r.choice(["", "", ', "username": "u"', UNKNOWN[tree.edition], "\n// end\n"]) + "}\n"
    if r.random() < 0.015:
        text = r.choice(["{", *(['{"unknown": 1}'] if tree.edition else []), '{"instructions": "one.md"}', '{"instructions": [1]}', '{"instructions": ["{file:gone}"]}', "[]", "{'a': 1}", '{"instructions": ["one.md"]} x', '{"model": 5}'])
    elif r.random() < 0.05:
        text = r.choice(["", "{}", "// {file:gone}\n" + text, '{"$schema": "https://opencode.ai/config.json"}'])
    return text


def generate(random, edition=None):
    r, env = random, {}
    tree = Tree(r, edition)
    chance = lambda p: r.random() < p
    depth = r.randint(0, 3)
    levels = ["/r"]
    for _ in range(depth):
        levels.append(levels[-1] + "/" + r.choice(DIRS))
    cwd, bounded = levels[-1], True
    # Repositories and what only looks like one.
    for level in levels:
        kind = r.choice(["git"] * 7 + ["none", "empty", "file", "head", "dangling"]) if level == "/r" else r.choice(["none"] * 12 + ["git", "empty", "file", "head"])
        if kind == "git": tree.put(level + "/.git", " | git"); bounded = True
        elif kind == "empty": tree.put(level + "/.git", "dir"); bounded = bounded and level != "/r"
        elif kind == "file": tree.put(level + "/.git", "", r.choice(["gitdir: /nowhere\n", "rubbish\n"])); bounded = False
        elif kind == "head": tree.put(level + "/.git/HEAD", "", "ref: refs/heads/main\n"); bounded = bounded and level != "/r"
        elif kind == "dangling": tree.put(level + "/.git", " -> ", "gone"); bounded = False
        elif level == "/r": bounded = False
    # Instruction files on the way up and down, and beside it.
    below = [cwd]
    for _ in range(r.randint(1, 3)):
        below.append(below[-1] + "/" + r.choice(DIRS))
    places = levels + below + below + [cwd + "2", cwd + "2/k", "/r/k", "/r/a/b/s"]
    if chance(0.75):
        tree.text(r.choice(levels) + "/AGENTS.md", 0.1)
    for _ in range(r.randint(1, 7)):
        tree.text(r.choice(places) + "/" + r.choice(NAMES))
    for _ in range(r.randint(0, 9)):
        tree.text(r.choice(places) + "/" + r.choice(NOTES), 0.1)
    if chance(0.15):
        tree.put(r.choice(places) + "/ln", " -> ", r.choice(["..", "k", "/r/k", cwd, below[-1], "/out", "gone", "a/b"]))
    if chance(0.1): tree.text("/out/one.md"); tree.text("/out/AGENTS.md")
    if chance(0.08): tree.text("/AGENTS.md")
    if chance(0.1): tree.text("/one.md")
    # The home.
    if chance(0.3): tree.text("/h/.config/opencode/AGENTS.md")
    if chance(0.25): tree.text("/h/.claude/CLAUDE.md")
    if chance(0.15): tree.text("/h/notes/b.md"); tree.text("/h/notes/a.md"); tree.text("/h/one.md")
    if chance(0.08): env["OPENCODE_CONFIG_DIR"] = r.choice(["/c", "/c", "/r/.opencode", "", "conf", "/nowhere"])
    if chance(0.05): tree.text("/c/AGENTS.md"); tree.text("/c/one.md")
    if chance(0.04): env["XDG_CONFIG_HOME"] = r.choice(["/x", "", "/h/.config"]); tree.text("/x/opencode/AGENTS.md")
    if chance(0.03): env["OPENCODE_TEST_HOME"] = "/t"; tree.text("/t/.claude/CLAUDE.md")
    if chance(0.06): env["OPENCODE_DISABLE_CLAUDE_CODE_PROMPT"] = r.choice(["1", "true", "yes", "on", "y", "0", "no", "off"])
    if chance(0.03): env["OPENCODE_DISABLE_CLAUDE_CODE"] = r.choice(["1", "false"])
    if chance(0.05): env["OPENCODE_DISABLE_PROJECT_CONFIG"] = r.choice(["1", "true", "TRUE", "yes", "0", ""])
    # Settings.
    some = lambda: [pattern(r, tree, levels, bounded) for _ in range(r.choice([1, 1, 2, 3, 4]))]
    spots = [l + "/opencode.json" for l in levels] * 2 + [l + "/opencode.jsonc" for l in levels] + [l + "/.opencode/opencode.json" for l in levels]
    spots += [f"/h/.config/opencode/{n}" for n in ("config.json", "opencode.json", "opencode.jsonc")] + ["/h/.opencode/opencode.json", "/c/opencode.json", "/etc/opencode/opencode.json"]
    for spot in r.sample(spots, r.choice([0, 0, 1, 1, 1, 2, 3])):
        tree.put(spot, "", settings_text(r, some(), env, tree, spot.rsplit("/", 1)[0]))
    if chance(0.05):
        env["OPENCODE_CONFIG"] = r.choice(["/o.json", "o.json"])
        tree.put("/o.json", "", settings_text(r, some(), env, tree, ""))
    if chance(0.04) and "etc" not in tree.top:
        env["OPENCODE_CONFIG_CONTENT"] = settings_text(r, some(), {}, Tree(r, edition), "/").replace("\n", " ").split("//")[0]
        if not env["OPENCODE_CONFIG_CONTENT"].strip().endswith("}"): del env["OPENCODE_CONFIG_CONTENT"]
    # The question.
    asked = "opencode" + (f"@{edition}" if edition else "")
    words = f"{asked} from {cwd}"
    target = r.choice(below[1:] + below[-1:] + places)
    if " " not in target + cwd:
        tree.put(target + "/x.txt", "", "x\n")
        if chance(0.8):
            shown = r.choice([target + "/x.txt"] * 6 + [target, target + "/gone.txt", target + "/../x.txt", target + "/./x.txt", os.path.relpath(target + "/x.txt", cwd), target + "/AGENTS.md"])
            words += f" reading {shown}"
            said = shown == target + "/x.txt"
            if said and chance(0.15): words += " by " + r.choice(["mention", "mention", "write", "edit", "shell"])
            if chance(0.3):
                for place in r.choices([d for d in below + places if " " not in d], k=r.choice([1, 1, 2])):
                    tree.put(place + "/x.txt", "", "x\n")
                    read = f"{place}/" + r.choice(["x.txt"] * 6 + ["AGENTS.md"])
                    words += f" after {read}" if tree.has(read) else ""
            above = [d for d in below[1:] if (target + "/").startswith(d + "/")]
            if above and " after " not in words and " by " not in words and chance(0.15):
                known = f"{r.choice(above)}/AGENTS.md"
                words += f" already {known}" if tree.has(known) else ""
    elif " " in cwd:
        cwd = levels[0]
        words = f"{asked} from {cwd}"
    tree.put(cwd + "/y.txt", "", "y\n")
    home = [casefile.Section(f"@env {k}={v}") for k, v in env.items() if "\n" not in v]
    # Agents and commands.
    if chance(0.12):
        tree.put(r.choice(levels) + "/.opencode/agent/my.md", "", r.choice(["---\ndescription: d\n---\n", "---\nmode: subagent\n---\n", "---\nmode: primary\nsteps: 1\n---\n", "", "---\nmode: no\n---\n"]) + "Mine.\n")
    if chance(0.1):
        tree.put(r.choice(levels + ["/h"]) + "/.opencode/command/c.md", "", r.choice(["---\ndescription: d\n---\nDo $ARGUMENTS @one.md\n", "---\nsubtask: true\nagent: explore\n---\nGo\n", "Go\n", "---\nsubtask: 5\n---\nGo\n"]))
    if chance(0.15):
        home.append(casefile.Section("@session subagent"))
        words += " as " + r.choice(["explore", "general", "my", "plan", "title"])
    elif chance(0.08):
        words += " as " + r.choice(["plan", "build", "explore", "my"])
    return casefile.Case("", home + list(tree.sections())), words
