"""Codex CLI 0.169: asks `codex debug prompt-input`, which prints the model input of a fresh session and uses no network.
The edition 0.104 is asked as codex_early.py says, and so is every version that cannot print its input.

A question to another version (`codex@0.149.0`) goes to the client in CLIENTS/codex-0.149.0."""
import glob, json, os, re, subprocess
import casefile, chat_model, codex_early

CLIENT, VERSION = "codex", "0.169.0"


FULL = re.compile(r"0\.\d+\.\d+")
# What `at_version` says that the client in CLIENTS/codex is.
SWEPT = None


def version(ask):
    return codex_early.VERSION if ask.edition == "0.104" else ask.edition if ask.edition and FULL.fullmatch(ask.edition) else VERSION


def at_version(number):
    global SWEPT
    SWEPT = number


def binary(clients, ask):
    """The client that is asked."""
    if ask.edition == "0.104" and not SWEPT:
        return os.path.join(clients, codex_early.BINARY)
    place = "codex" if SWEPT or version(ask) == VERSION else f"codex-{version(ask)}"
    found = glob.glob(os.path.join(clients, place, "node_modules/@openai/codex*/vendor/x86_64-unknown-linux-musl/*/codex"))
    return next(path for path in found if os.path.isfile(path))


def prints_its_input(program):
    said = subprocess.run([program, "debug", "--help"], env={"HOME": "/nowhere", "PATH": "/usr/bin:/bin"}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return b"prompt-input" in said.stdout


def command(program, options):
    words = [*casefile.OBEYING, program]
    for pair in options.get("config", []):
        words += ["-c", pair]
    for option, word in (("cd", "-C"), ("sandbox", "-s"), ("approval", "-a"), ("model", "-m")):
        if option in options:
            words += [word, options[option]]
    return words + chat_model.words({name: value for name, value in options.items() if name not in ("config", "cd", "sandbox", "approval", "model")})


def variables(case):
    """Nothing of ours leaks in; if the client did try the network it would meet a closed port."""
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": case.home(), "SHELL": "/bin/bash", "LANG": "C.UTF-8", "TZ": "UTC",
            "HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9", **case.env()}


def asked(clients, case, ask):
    """The texts of the model's input with their roles, or None when the client does not start."""
    if any(s.header.split()[1] == "subagent" for s in case.all("@session")):
        import codex_exec
        request = codex_exec.subagent(clients, case, ask)
        return request and [(item["role"], content.get("text", "")) for item in request["input"] if item.get("role") for content in item.get("content") or []]
    program = binary(clients, ask)
    if not prints_its_input(program):
        request = codex_early.first_request(program, ask, case.options("codex"), variables(case))
        return request and [(item["role"], content.get("text", "")) for item in request["input"] if item.get("role") for content in item.get("content") or []]
    try:
        run = subprocess.run([*command(program, case.options("codex")), "debug", "prompt-input"], cwd=ask.cwd, env=variables(case),
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    except subprocess.TimeoutExpired:
        return None  # It waits for ever, as for somebody to write into a FIFO; a busy machine needs half a minute to start it.
    if os.environ.get("CODEX_STDERR"):
        os.write(2, run.stderr)
    if run.returncode:
        return None
    return [(item["role"], content.get("text", "")) for item in json.loads(run.stdout) for content in item.get("content", [])]


def ask(clients, case, ask):
    texts = asked(clients, case, ask)
    if texts is None:
        return "refused"
    files = [text for role, text in texts if role == "user" and text.startswith("# AGENTS.md instructions")]
    if [int(part) for part in (SWEPT or version(ask)).split(".")] < [0, 142]:
        files = [text for text in map(codex_early.without_added, files) if text]
    return [("session", "user", text) for text in files]


def skills(clients, case, ask):
    """The list, with the table of roots before it where there is one. Codex's own skills are in it unless the case switches
    them off."""
    texts = asked(clients, case, ask)
    if texts is None:
        return "refused"
    lists = [(role, text) for role, text in texts if text.startswith("<skills_instructions>")]
    starts = [(role, text, min(text.index(head) for head in ("### Skill roots", "### Available skills") if head in text)) for role, text in lists]
    ends = ("\n### How to use skills", "\n</skills_instructions>")
    return [("session", role, text[start:min(text.index(end) for end in ends if end in text)]) for role, text, start in starts]


def environment(clients, case, ask):
    """The block, on the day of the cases."""
    texts = asked(clients, case, ask)
    if texts is None:
        return "refused"
    return [("session", role, casefile.on_the_day(text)) for role, text in texts if text.startswith("<environment_context>")]


def layers(clients, case, ask):
    """What settings have said beside the files: a file in the place of the client's instructions, and a developer's words."""
    texts = asked(clients, case, ask)
    if texts is None:
        return "refused"
    own = ("<permissions instructions>", "<skills_instructions>", "<collaboration_mode>", "<tools>", "<multi_agent", "<app", "<plugin", "<personality", "<model_switch>", "You are Codex, ", "You are an agent in a team ")
    return [("session", f"{role} developer", text) for role, text in texts if role == "developer" and not text.startswith(own)]


def agents(clients, case, ask):
    """The roles that the tool `spawn_agent` describes."""
    with Session(clients, case, ask) as session:
        told = json.dumps(session.hello())
    roles = re.search(r"Available roles:\\n(.*?\\n\})\"", told)
    return re.findall(r"(?:^|\\n)([^\s:{}\\]+): \{\\n", roles[1]) if roles else []


def Session(clients, case, ask):
    """For unfold.py."""
    import codex_exec
    return codex_exec.Session(clients, case, ask)


def further(edition):
    """What is compared beside the instructions in random trees."""
    return [] if edition == "0.104" else [("@skills", skills), ("@environment", environment)]


# Random trees.

CHUNKS = [b"R", b"abc", b"word ", b"# Title\n", b" ", b"\n", b"\n\n", b"\r\n", b"\t", "é".encode(), "中".encode(), "😀".encode(), b"\xff", b"\xfe",
          b"\xe4\xb8", b"\xf0\x9f", b"\xf0\x9f\x98", b"\xc3", b"\xed\xa0\x80", b"\xf5", b"\xe0\x80", b"\xc0\xaf", b"\x80", b"\x00", b"\x1b[1m", b"\x1c",
          "\u00a0".encode(), "\u3000".encode(), "\u2028".encode(), "\u0085".encode(), "\u200b".encode(), "\ufeff".encode(), "\u180e".encode(),
          b"</INSTRUCTIONS>", b"--- project-doc ---", b"@x.md", b"<!-- c -->", b"-- /r --\n", b">>> user\n", b"\\"]
WHITE = [b" ", b"\n", b"\t", b"\r\n", b"\x0b", b"\x0c", "\u0085".encode(), "\u00a0".encode(), "\u3000".encode(), "\u2003".encode(), "\u2028".encode()]
FALLBACKS = ["CLAUDE.md", "README.md", "a b.md", " README.md ", "\tCLAUDE.md\n", "", "  ", "x/CLAUDE.md", "..", ".", "AGENTS.md", "AGENTS.override.md", "CLAUDE.md",
             "~", "a\\b.md", "ü.md", "./README.md", "README.md/", "100%41"]
ON_DISK = ["CLAUDE.md", "README.md", "a b.md", "a\\b.md", "ü.md", "~", "100%41"]
MARKERS = [[".git"], [".git", "package.json"], ["package.json", ".git"], ["package.json"], ["nope", ".git"], ["x/y", ".git"], ["./.git"], [".git/"],
           ["package.json/"], ["nope/../package.json"], ["*", ".git"], [" .git "], ["~", ".git"], [".codex"], ["AGENTS.md"], ["a", ".git"]]
ODD_MARKERS = [[], [""], [".git", ""], ["."], [".."], ["../package.json"], ["../../.git"], ["/r"], ["/r/.git"], ["/nowhere"], ["a\0b", ".git"], [".git", "a\0b"],
               ["m" * 300, ".git"], ["../../../../../../r", ".git"], ["x//y"]]
REFUSED = ["project_doc_max_bytes = -1", "project_doc_max_bytes = \"5\"", "project_doc_max_bytes = 1.5", "project_root_markers = \".git\"", "project_root_markers = [1]",
           "project_doc_fallback_filenames = \"x\"", "model = 5", "profile = \"work\"", "developer_instructions = 5", "broken =", "projects = 5", "a = 1\na = 2"]


def raw(data):
    return "".join(chr(b) if 32 <= b < 127 and b != 92 else {10: "\\n", 13: "\\r", 9: "\\t", 92: "\\\\"}.get(b, "\\x%02x" % b) for b in data) + "\n"


def content(r):
    k = r.random()
    if k < .08:
        return b""
    if k < .18:
        return b"".join(r.choice(WHITE) for _ in range(r.randint(1, 5)))
    if k < .26:
        return b"".join(r.choice(WHITE) for _ in range(r.randint(1, 4))) + b"".join(r.choice(CHUNKS) for _ in range(r.randint(1, 6)))
    if k < .5:
        return b"".join(r.choice(CHUNKS) for _ in range(r.randint(1, 14)))
    return r.choice([b"Use tabs.", b"One\ntwo\n", "Größe: 中文 😀".encode(), b"- a\n- b\n\n"]) + r.choice([b"", b"\n", b"\n\n", b"\r\n"]) + bytes(r.choice(b"xyz") for _ in range(r.randint(0, 30)))


class Tree:
    """The sections of a case; a path is taken once, and never below something that is no directory."""

    def __init__(self, r):
        self.r, self.sections, self.taken, self.directories = r, [], {}, {"/"}

    def add(self, path, suffix="", body=""):
        parent = os.path.dirname(path.rstrip("/"))
        above, way = [], parent
        while way != "/":
            above.append(way); way = os.path.dirname(way)
        if path.rstrip("/") in self.taken or path.rstrip("/") in self.directories or any(a in self.taken for a in above):
            return False
        self.directories.update(above)
        if path.endswith("/"):
            self.directories.add(path.rstrip("/"))
        else:
            self.taken[path] = suffix
        self.sections.append((path + suffix, body))
        return True

    def file(self, path, data):
        return self.add(path, " | raw", raw(data) if isinstance(data, bytes) else raw(data.encode()))

    def link(self, path, target):
        return self.add(path, f" -> {target}")

    def document(self, path, calm):
        """An instruction file, or something odd under its name."""
        r, k, directory = self.r, self.r.random(), os.path.dirname(path)
        if calm or k < .84: self.file(path, content(r) or (b'' if r.random() < .5 else b'text'))
        elif k < .87: self.add(path + "/")
        elif k < .90: self.link(path, r.choice(["nope", "/nowhere/x.md", "../nope/x.md"]))
        elif k < .945:
            target = f"{directory}/target{r.randint(0, 1)}.md"
            self.file(target, content(r)); self.link(path, r.choice([os.path.basename(target), target, "./" + os.path.basename(target)]))
        elif k < .955: self.link(path, "/outside/one.md"); self.file("/outside/one.md", content(r))
        elif k < .965: self.link(path, r.choice([".", "..", "/r"]))
        elif k < .973: self.add(path, " | fifo")
        elif k < .98: self.add(path, " | device")
        elif k < .985: self.add(path, f" | sparse {r.choice([1, 40, 33000])}")
        elif k < .99: self.link(path, os.path.basename(path))
        elif k < .995: self.file(directory + "/plain", b""); self.link(path, "plain/x.md")
        else: self.file(path, content(r) * r.choice([300, 2000, 6000]))

    def git(self, directory):
        r, k, git = self.r, self.r.random(), directory + "/.git"
        if k < .30: self.file(git + "/HEAD", "ref: refs/heads/main\n")
        elif k < .40: self.add(git + "/")
        elif k < .45: self.file(git, r.choice(["", "gitdir: /nowhere\n", "garbage", "gitdir: ../.git/modules/x\n"]))
        elif k < .48: self.link(git, r.choice(["nope", ".git", "/store", "/store/.git", "/empty"])); self.file("/store/HEAD", ""); self.file("/store/.git/HEAD", ""); self.add("/empty/")
        elif k < .50: self.add(git, r.choice([" | fifo", " | device"]))
        elif k < .52: self.link(git + "/HEAD", r.choice(["nope", "HEAD", "."]))
        elif k < .53: self.add(git + "/HEAD/")
        elif k < .60: self.worktree(directory)
        elif k < .68: self.bare(directory)

    def bare(self, directory):
        """A worktree of a bare repository beside it, as people lay it with a pointer file."""
        r, above = self.r, os.path.dirname(directory).rstrip("/")
        slip = r.randint(0, 8) if r.random() < .4 else -1
        store = f"{above}/{r.choice(['.bare', 'repo.git', 'bare'])}"
        self.file(directory + "/.git", f"gitdir: {r.choice([store, '../' + os.path.basename(store)])}/worktrees/w\n")
        self.file(store + "/worktrees/w/gitdir", "/other/.git\n" if slip == 0 else directory + "/.git\n")
        self.file(store + "/worktrees/w/commondir", "..\n" if slip == 1 else r.choice(["../..\n", store + "\n"]))
        pointed = r.choice([os.path.basename(store), "./" + os.path.basename(store), store])
        if slip == 2: self.link(above + "/.git", os.path.basename(store))
        elif slip == 3: self.link(above + "/.git", "pointer"); self.file(above + "/pointer", f"gitdir: {pointed}\n")
        elif slip != 4: self.file(above + "/.git", {5: "gitdir: elsewhere\n", 6: f"gitdir: {pointed}\nmore\n", 7: "", 8: f" gitdir:{pointed}/ \n"}.get(slip, f"gitdir: {pointed}\n"))

    def worktree(self, directory):
        r = self.r
        name = f"w{len(self.sections)}"
        admin = f"/main/.git/{'worktrees' if r.random() < .93 else 'trees'}/{name}"
        up = "../" * (directory.count("/"))
        slip = r.randint(0, 9) if r.random() < .35 else -1
        self.file(directory + "/.git", {0: f"gitdir: {admin}\nmore\n", 1: f"gitdir:{admin} \r\n", 2: f"GITDIR: {admin}\n"}.get(slip, f"gitdir: {r.choice([admin, up + admin[1:], admin, '/mainlink' + admin[5:]])}\n"))
        if slip != 3: self.file(admin + "/gitdir", {4: "/other/.git\n", 5: directory + "\n", 6: f" {directory}/.git \n"}.get(slip, r.choice([directory, directory, "../../../.." + directory]) + "/.git\n"))
        if slip != 7: self.file(admin + "/commondir", {8: "..\n", 9: ".\n"}.get(slip, r.choice(["../..\n", "/main/.git\n", " ../..", "../..\n"])))
        if r.random() < .7: self.file(admin + "/HEAD", "")
        if r.random() < .7: self.file("/main/.git/HEAD", "")
        if r.random() < .3: self.file("/main/.codex/config.toml", "project_doc_max_bytes = 1\n")
        self.link("/mainlink", "main")


def toml(value):
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def early(r, lines):
    """What only 0.104 takes: profiles as tables, features, names that are paths."""
    if r.random() < .4:
        lines.append("project_doc_fallback_filenames = " + toml(r.sample([*FALLBACKS, "../README.md", "x/../README.md", "x/../../CLAUDE.md", "../..", "a/README.md", "/r/README.md", "a/../../AGENTS.md"], r.randint(1, 4))))
        lines[:] = [l for i, l in enumerate(lines) if not l.startswith("project_doc_fallback") or i == len(lines) - 1]
    if r.random() < .15:
        lines.append('profile = "work"')
    r.shuffle(lines)
    if r.random() < .25:
        lines.append("[features]\n" + r.choice(["js_repl = true", "child_agents_md = true", "unknown = true", "js_repl = true\nchild_agents_md = true", "js_repl = 5"] * 3 + ["js_repl = 5"]))
    if r.random() < .4:
        lines.append("[profiles.work]\n" + r.choice(["", 'model = "x"', "project_doc_max_bytes = 2", "features.child_agents_md = true", 'project_doc_max_bytes = "x"', "model = 5"]))


TABLES = ["network_proxy = {}", "network_proxy = { enabled = true, mode = 'full' }", "network_proxy = { bogus = 1 }", "apps_mcp_path_override = { path = 'x' }",
          "current_time_reminder = { enabled = true, reminder_interval_seconds = 5 }", "token_budget = { enabled = true }", "token_budget = { enabled = true, reminder_threshold_tokens = 0 }",
          "rollout_budget = {}", "rollout_budget = { enabled = true }", "rollout_budget = { enabled = true, limit_tokens = 9, reminder_at_remaining_tokens = [3] }", "rollout_budget = true",
          "multi_agent_v2 = { enabled = true, max_concurrent_threads_per_session = 2 }", "multi_agent_v2 = { bogus = 1 }", "multi_agent_v2 = { min_wait_timeout_ms = 40000 }",
          "code_mode = { enabled = true }", "code_mode = { excluded_tool_namespaces = ['x'] }", "guardianv2 = { max_action_tokens = 5 }", "guardianv2 = { thread_context = true }",
          "context_management = { enabled = true }", "unheard_of = true", "unheard_of = {}", "sleep_tool = { enabled = 5 }"]
ENTRIES = ['"/x" = "write"', '"/y/../z" = "read"', '":minimal" = "read"', '":tmpdir" = "write"', '":slash_tmp" = "read"', '":workspace_roots" = "write"', '"~/w" = "write"', '"/s/**" = "read"',
           '":project_roots" = { "." = "write", "docs" = "read", ".git" = "read" }', '"/d" = { "." = "read", "a" = "write" }', 'glob_scan_max_depth = 3', '"rel" = "read"', '"/g/*.md" = "read"',
           '":workspace_roots" = { "b" = "write" }', '":workspace_roots" = { "../b" = "write" }', '":tmpdir" = { "a" = "read" }', '"/n" = "none"', '"/m" = "deny"']


def permissions(r):
    """What commands may touch: lines before the tables, and tables."""
    lines, tables = [], []
    if r.random() < .5: lines.append(f"sandbox_mode = \"{r.choice(['read-only', 'workspace-write', 'workspace-write', 'danger-full-access'])}\"")
    if r.random() < .6:
        tables.append("[sandbox_workspace_write]\n" + "\n".join(r.sample(["exclude_slash_tmp = true", "exclude_tmpdir_env_var = true", "network_access = true",
            f"writable_roots = {toml(r.sample(['/x', '/y/', 'rel', '~/w', '/r', '/x/../q', '/x'], r.randint(0, 4)))}"], r.randint(1, 3))))
    if r.random() < .4:
        lines.append(f"default_permissions = \"{r.choice([':workspace', ':read-only', ':danger-full-access', 'p', 'p', 'p', 'q', ':odd'])}\"")
    if r.random() < .5:
        for name in r.choice([["p"], ["p", "q"], ["q"]]):
            if r.random() < .4: tables.append(f"[permissions.{name}]\nextends = \"{r.choice([':workspace', ':read-only', 'q', 'p', ':danger-full-access', 'nope'])}\"")
            if r.random() < .3: tables.append(f'[permissions.{name}.workspace_roots]\n"/k" = true\n"rel" = {r.choice(["true", "false"])}')
            tables.append(f"[permissions.{name}.filesystem]\n" + "\n".join(['":root" = "read"', *{line.split(" = ")[0]: line for line in r.sample(ENTRIES, r.randint(0, 5))}.values()]))
    return lines, tables


def skill_tree(r, tree, directories, home, codex_home):
    """Skills in several roots, so many at times that they do not fit; lines before the tables, and tables."""
    roots = r.sample([d + "/.codex/skills" for d in directories] + [d + "/.agents/skills" for d in directories] + [codex_home + "/skills", home + "/.agents/skills"], r.randint(1, min(6, 2 * len(directories) + 2)))
    longest = r.choice([20, 200, 900])
    for i in range(r.choice([1, 3, 6, 20, 60])):
        name = r.choice(["a", "b", "long-name-of-a-skill", "é"]) + str(r.randint(0, 99))
        words = " ".join(r.choice(["word", "wörd", "中文", "x", "longer words"]) for _ in range(r.randint(1, longest // 5)))
        tree.file(f"{r.choice(roots)}/{r.choice(['', '', 'deep/', 'deep/er/'])}{name}/SKILL.md", f"---\n{r.choice([f'name: {name}' + chr(10), ''])}description: {words}\n---\nBody.\n")
    lines = [f"model_context_window = {r.choice([0, 300, 900, 5000, 20000, 60000, 300000])}"] if r.random() < .7 else []
    if r.random() < .2: lines.append(f"model = \"{r.choice(['gpt-6.1-terra', 'gpt-5.5', 'unheard-of', 'gpt-daybreak-red-latest'])}\"")
    return lines, ["[skills.bundled]\nenabled = false"] if r.random() < .7 else []


def settings(r, budget=.5, projects=(), edition=None, more=([], [])):
    """Text of one settings file; `projects` are the keys of its trust map."""
    lines = []
    if r.random() < budget:
        lines.append(f"project_doc_max_bytes = {r.choice(r.choice([[0, 1, 2, 3, 4, 5, 6, 7, 9], [12, 16, 20, 30, 40, 60], [100, 1000, 32768, '0x20', '1_0']]))}")
    if r.random() < .5:
        lines.append("project_doc_fallback_filenames = " + toml(r.sample(FALLBACKS, r.randint(0, 5)) if r.random() < .97 else ["n" * 300]))
    if r.random() < .35:
        lines.append("project_root_markers = " + toml(r.choice(MARKERS if r.random() < .7 else ODD_MARKERS)))
    if r.random() < .1:
        lines.append(r.choice(['developer_instructions = "D"', "include_environment_context = false", 'user_instructions = "U"', "unknown = [1]", 'instructions = "I"']))
    if r.random() < .02:
        lines.append(r.choice(REFUSED))
    r.shuffle(lines)
    if edition == "0.104":
        early(r, lines)
    elif r.random() < .08:
        more = (more[0], [*more[1], "[features]\n" + "\n".join({line.split(" = ")[0]: line for line in r.sample(TABLES, r.choice([1, 1, 2, 3]))}.values())])
    lines = [*more[0], *lines, *more[1]]
    for path in projects:
        level = r.choice(["trusted", "trusted", "trusted", "untrusted", "untrusted", None])
        style = r.random()
        if style < .7 or level is None:
            lines.append(f"[projects.{toml(path)}]" + (f'\ntrust_level = "{level}"' if level else ""))
        else:
            lines.insert(0, f'projects.{toml(path)}.trust_level = "{level}"')
            lines.sort(key=lambda l: l.startswith("["))
    return "\n".join(lines) + "\n"


def generate(r, edition=None):
    from casefile import Case, Section
    from functools import partial
    settings = partial(globals()["settings"], edition=edition)
    tree, calm = Tree(r), r.random() < .6
    depth = r.choice([0, 1, 1, 2, 2, 3, 3, 4, 6])
    directories = ["/r"]
    for _ in range(depth):
        directories.append(directories[-1] + "/" + r.choice(["a", "a", "b", "c", "x", "é", "a b", "r", "~", "n&<m>", "100%41"]))
    cwd = directories[r.randint(max(0, depth - 1), depth)]
    wanted = r.random()
    for d in directories:
        tree.add(d + "/")
    if edition == "0.104" and r.random() < .4:
        tree.sections.append((r.choice(directories) + "/ | git", ""))
        tree.taken[tree.sections[-1][0].removesuffix("/ | git") + "/.git"] = ""
    for d in directories:
        tree.git(d) if d != "/r" or r.random() < .25 else tree.file("/r/.git/HEAD", "ref: refs/heads/main\n")
        for name in ["AGENTS.override.md", "AGENTS.md", *ON_DISK]:
            if r.random() < {"AGENTS.md": .35 + .4 * wanted, "AGENTS.override.md": .15}.get(name, .12):
                tree.document(f"{d}/{name}", calm)
        if r.random() < .15: tree.file(d + "/package.json", "{}")
        if r.random() < .05: tree.file(d + "/x/y", "")
    if r.random() < .8: tree.file(cwd + "/AGENTS.md", r.choice([b"Next to the work.\n", b"W", "Wörk 😀\n".encode()]))
    home, env = r.choice(["/h", "/h", "/h", "/h/u"]), {}
    codex_home = home + "/.codex"
    k = r.random()
    if k < .04: env["CODEX_HOME"] = codex_home = "/c"
    elif k < .06: env["CODEX_HOME"], codex_home = "/c/", "/c"
    elif k < .08: env["CODEX_HOME"], codex_home = "/clink", "/c"; tree.link("/clink", "c")
    elif k < .10: env["CODEX_HOME"], codex_home = "c", cwd + "/c"
    elif k < .12: env["CODEX_HOME"] = ""
    elif k < .15: env["CODEX_HOME"] = codex_home = r.choice(directories) + "/.codex"
    elif k < .16: env["CODEX_HOME"] = "/missing"
    links = {}
    if r.random() < .2:
        target = r.choice(directories); links["/s/link"] = target; tree.link("/s/link", r.choice([target, ".." + target]))
        for name in ("AGENTS.md", ".git/HEAD"):
            if r.random() < .4: tree.file("/s/" + name, b"S\n")
    keys = directories + [cwd, "/r", "/main", "/main", *links, *(["/s"] if links else []), "/r/", "/", "r", "/elsewhere", cwd + "/", "/r/."]
    projects = lambda chance: list(dict.fromkeys(r.choice(keys) for _ in range(r.randint(1, 4)))) if r.random() < chance else []
    k = r.random()
    more = [[], []]
    if edition != "0.104":
        for wanted, made in ((.3, lambda: permissions(r)), (.3, lambda: skill_tree(r, tree, directories, home, codex_home))):
            if r.random() < wanted:
                for whole, part in zip(more, made()): whole += part
    if k < .85:
        text = settings(r, projects=projects(.55), more=more).encode()
        if r.random() < .05: text = b"\xef\xbb\xbf" + text
        if r.random() < .05: text = text.replace(b"\n", b"\r\n")
        tree.file(codex_home + "/config.toml", text)
    elif k < .86: tree.link(codex_home + "/config.toml", "nope")
    elif k < .865: tree.add(codex_home + "/config.toml/")
    else: tree.add(codex_home + "/")
    for name in ("AGENTS.override.md", "AGENTS.md"):
        if r.random() < .35: tree.document(f"{codex_home}/{name}", calm)
    for d in directories:
        k = r.random()
        if k < .14: tree.file(d + "/.codex/config.toml", settings(r, .8, projects(.15)))
        elif k < .15: tree.file(d + "/.codex/config.toml", r.choice([b"broken =", b"model = 5", b"# \xff", b"profile = 'x'", b"project_doc_max_bytes = 'x'"]))
        elif k < .16: tree.add(d + "/.codex/")
        elif k < .17: tree.add(d + "/.codex")
        elif k < .18: tree.link(d + "/.codex", r.choice(["nope", ".codex", "a", "/c2"])); tree.file("/c2/config.toml", "project_doc_max_bytes = 8\n")
        elif k < .185: tree.link(d + "/.codex/config.toml", r.choice(["nope", "config.toml", "/c2/config.toml"]))
    if r.random() < .04: tree.file("/etc/codex/config.toml", settings(r, .5, projects(.3)))
    if r.random() < .01: tree.file("/etc/codex/managed_config.toml", settings(r, .9))
    options = {}
    if r.random() < .08:
        options["profile"] = r.choice(["work", "work", "work", "p-1", "a.b"])
        if r.random() < .8: tree.file(f"{codex_home}/{options['profile']}.config.toml", settings(r, .6, projects(.3)))
    if r.random() < .15:
        bare = [k for k in keys if "." not in k]
        options["config"] = r.sample(["project_doc_max_bytes=11", " project_doc_max_bytes = 25 ", "project_doc_max_bytes=0x10", "project_root_markers=[\"package.json\"]",
            "project_root_markers=[]", "project_doc_fallback_filenames=['README.md','CLAUDE.md']", "unknown.key=1", "model=gpt", f"projects.{r.choice(bare)}.trust_level=untrusted",
            f"projects.{r.choice(bare)}.trust_level=\"trusted\"", f"projects.\"{r.choice(keys)}\".trust_level=untrusted", "projects={%s={trust_level='untrusted'}}" % toml(r.choice(keys)),
            "developer_instructions=bare text", "project_doc_max_bytes=7 # seven"], r.randint(1, 3))
        if r.random() < .05: options["config"].append(r.choice(["project_doc_max_bytes=x", "noequals", "=1", "project_doc_max_bytes=", "project_root_markers=.git", "model=5"]))
    if edition != "0.104":
        if r.random() < .06: options["sandbox"] = r.choice(["read-only", "workspace-write", "danger-full-access"])
        if r.random() < .08: options["add_dir"] = r.sample(["/x", "rel", "../up", "/r", "/k/"], r.randint(1, 3))
        if r.random() < .03: options["approval"] = r.choice(["never", "on-request"])
        if r.random() < .03: options["model"] = r.choice(["gpt-6.1-terra", "gpt-5.5", "unheard-of"])
    start = cwd
    if " " in cwd or (links and r.random() < .6):
        start = next((l for l, t in links.items() if t == cwd), None) if links else None
        if not start:
            start = "/door"; tree.link("/door", cwd)
    if r.random() < .12:
        options["cd"] = r.choice([cwd, cwd + "/", "/r", ".", "..", "./.", cwd + "/../" + os.path.basename(cwd), cwd + "/missing", cwd + "/missing/deep", *links, *[l + "/a" for l in links], "~", "~/x",
                                  "/", cwd + "/AGENTS.md", "a\nb"])
    sections = [Section(path, body) for path, body in tree.sections]
    if home != "/h": sections.append(Section(f"@home {home}"))
    sections += [Section(f"@env {k}={v}") for k, v in env.items()]
    if options: sections.append(Section("@settings", json.dumps({"options": {"codex": options}}, ensure_ascii=False) + "\n"))
    words = f"codex{'@' + edition if edition else ''} from {start}"
    if r.random() < .05 and cwd + "/AGENTS.md" in tree.taken and " " not in cwd: words += f" reading {cwd}/AGENTS.md"
    return Case("", sections), words
