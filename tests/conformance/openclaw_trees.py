"""Random workspaces and configurations for OpenClaw."""
import json, os
import casefile

WORDS = ("plain", "words", "here", "must", "never", "test", "tests", "PR", "push,", "AGENTS.md", "do not", "do  not", "owner", "_must", "mu\u017ft", "pr\u212a", "必須", "不得", "中文",
         "🔴", "😀", "🦀🦀", "e\u0301", "\u00a0", "\u2028", "\ufeff", "\u0085", "\x0b", "\u200b", "x" * 60, "\x00")
STARTS = ("", "", "", "# ", "## ", "- ", "* ", "+\t", "1. ", "12) ", "```", "~~~", "  ", "\t", "#no ", "\ufeff- ", "####### ")
ENDS = ("\n",) * 12 + ("\r\n", "\r\n", "\n\n", "\n\n\n\n", "\r", " \n", "\r\n\r\n\r\n")
BLOCKS = ("Default heartbeat prompt:\n`Read HEARTBEAT.md if it exists (x). Then HEARTBEAT_OK.`\n", "Current model identity: me\n", "  Current model identity: you\n", "- <!-- project: github.com/acme/tea --> tea\n",
          "- <!-- project: github.com/acme/coffee -->\n  more\n", "# <!-- PROJECT : ; -->\n", "- open <!-- project: github.com/acme/tea\n", "<!-- OPENCLAW_CACHE_BOUNDARY -->\n", "## Heading\n# Project Context\n")
SIX = ("AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "BOOTSTRAP.md", "MEMORY.md")
HERE = ("a", "b", "c", "b/d", ".e", "É", "_u", "Z")
GLOBS = ("*/AGENTS.md", "**/SOUL.md", "**/*.md", "{a,b}/USER.md", "?/*.md", "b/**", "{b/d,a}/{AGENTS,MEMORY}.md", "**/d/*.md", ".e/*.md", "*/*/AGENTS.md", "../*/AGENTS.md", "./a/*.md", "{a,.e}/**/AGENTS.md", "*")


def text(r):
    size = r.choice((0, 1, 3, 3, 10, 10, 30, 100, 300))
    out = "".join(r.choice(BLOCKS) if r.random() < 0.03 else r.choice(STARTS) + " ".join(r.choice(WORDS) for _ in range(r.randrange(7))) + r.choice(ENDS) for _ in range(size))
    data = out.encode()
    return data + r.choice((b"\xff\xfe ", b"\xe2\x82", b"caf\xe9\n")) if r.random() < 0.05 else data


def raw(path, data):
    """Bytes as a `| raw` section; whatever is not plain is written as \\xNN."""
    return casefile.Section(path + " | raw", "".join({"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(c := chr(b), c if 32 <= b < 127 else f"\\x{b:02x}") for b in data) + "\n")


def thing(r, path, others):
    """A file, or what may stand in its place."""
    kind = r.random()
    if kind < 0.88: return [raw(path, text(r))]
    if kind < 0.91: return [casefile.Section(f"{path} -> {r.choice(others)}")]
    if kind < 0.93: return [casefile.Section(path + "/")]
    if kind < 0.95: return [casefile.Section(f"{path} | hardlink /other/linked.md")]
    if kind < 0.97: return [casefile.Section(f"{path} | sparse {r.choice((2097152, 2097153))}")]
    return [raw(path, r.choice((b"", b" \n\n", b"\xef\xbb\xbf\n", b"\xc2\xa0")))]


def record_of_setup(r, workspace):
    """S/state/openclaw.sqlite, sometimes with its last rows in the log."""
    import base64, hashlib, sqlite3, tempfile
    seeded, done = r.choice(((None, "2026-01-01T00:00:00.000Z"), ("2026-01-01T00:00:00.000Z", None), ("2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"), (None, None)))
    with tempfile.TemporaryDirectory() as scratch:
        path = scratch + "/openclaw.sqlite"
        db = sqlite3.connect(path, isolation_level=None)
        db.executescript("PRAGMA page_size=512; CREATE TABLE workspace_setup_state (workspace_key TEXT NOT NULL PRIMARY KEY, workspace_path TEXT, version INTEGER, bootstrap_seeded_at TEXT, "
                         "setup_completed_at TEXT, updated_at INTEGER, attested_at_ms INTEGER, attestation_updated_at_ms INTEGER, CHECK (version IS NULL OR workspace_path IS NOT NULL)) STRICT;")
        if r.random() < 0.5:
            db.executescript("PRAGMA journal_mode=wal; PRAGMA wal_autocheckpoint=0;")
        db.execute("INSERT INTO workspace_setup_state VALUES (?, ?, 1, ?, ?, 1767225600000, NULL, NULL)", (hashlib.sha256(workspace.encode()).hexdigest(), workspace, seeded, done))
        parts = {s: open(path + s, "rb").read() for s in ("", "-wal") if os.path.exists(path + s)}
        db.close()
    return [(s, base64.encodebytes(data).decode()) for s, data in parts.items()]


def generate(r):
    env, settings, sections, home = {}, {}, [], "/h"
    defaults = {"model": {"primary": "mock/mock"}, **({"skipBootstrap": True} if r.random() < 0.7 else {"skipOptionalBootstrapFiles": ["SOUL.md", "IDENTITY.md", "USER.md"]})}
    agents, state, owner = {"defaults": defaults}, "/h/.openclaw", True
    limit = lambda: r.choice((1, 20, 90, 150, 300, 1000, 4000, 4001, 20000, r.randrange(1, 3000), r.randrange(1, 20000)))
    total = lambda: r.choice((1, 64, 100, 300, 1000, 5000, 60000, r.randrange(1, 3000), r.randrange(1, 60000)))
    for where in (defaults, entry := {}):
        if r.random() < 0.5: where["bootstrapMaxChars"] = limit()
        if r.random() < 0.5: where["bootstrapTotalMaxChars"] = total()
        if r.random() < 0.05: where["contextInjection"] = r.choice(("always", "never", "continuation-skip"))
    if r.random() < 0.15:
        env["OPENCLAW_HOME"] = r.choice(("/oh", "~/x", "undefined"))
        home = {"/oh": "/oh", "~/x": "/h/x"}.get(env["OPENCLAW_HOME"], "/h")
        state = home + "/.openclaw"
    default = home + "/.openclaw/workspace"
    if r.random() < 0.15:
        env["OPENCLAW_PROFILE"] = r.choice(("dev", "Default", "Two"))
        if env["OPENCLAW_PROFILE"] != "Default": default = f"{home}/.openclaw-{env['OPENCLAW_PROFILE']}/workspace"
    if r.random() < 0.15:
        env["OPENCLAW_STATE_DIR"], state = "/st", "/st"
        default = "/st/workspace"
    if r.random() < 0.1:
        env["OPENCLAW_WORKSPACE_DIR"] = default = "/wd"
    config = state + "/openclaw.json"
    if r.random() < 0.1:
        env["OPENCLAW_CONFIG_PATH"] = config = "/etc/oc.json"
    if r.random() < 0.2:
        defaults["workspace"], default = r.choice((("/w", "/w"), ("~/w", home + "/w"), ("${WHERE}/w", "/where/w"), ("rel", "/p/rel")))
        env["WHERE"] = "/where"
    workspace = default
    roster = r.random()
    if roster < 0.2:
        agents["entries"] = {r.choice(("main", "work")): entry}
    elif roster < 0.35:
        agents["entries"] = {"main": {}, "work": {"default": True, **entry}}
    elif roster < 0.45:
        agents["list"] = [{"id": "work", **entry}, {"id": "main", "default": True}]
        owner = False
        settings["agent"] = "work"
    elif roster < 0.5:
        agents.update(ownership="explicit", entries={"main": {}, "work": entry})
        owner = False
        settings["agent"] = "work"
    if not owner:
        workspace = workspace + "/work" if "workspace" in defaults else state + "/workspace-work"
    if entry and roster < 0.5 and r.random() < 0.2:
        entry["workspace"] = workspace = "/own"

    cfg = {"agents": agents}
    if r.random() < 0.5:
        paths = r.sample(GLOBS, r.randrange(3)) + [f"{d}/{r.choice(SIX)}" for d in r.sample(HERE, r.randrange(4))]
        r.shuffle(paths)
        cfg["hooks"] = {"internal": {"entries": {"bootstrap-extra-files": {r.choice(("paths", "paths", "patterns", "files")): paths}}}}
    if r.random() < 0.1:
        sections.append(casefile.Section(os.path.dirname(config) + "/more.json", json.dumps({"agents": {"defaults": {"bootstrapMaxChars": limit()}}}) + "\n"))
        cfg["$include"] = "./more.json"
    sections.append(casefile.Section(config, "// random\n" + json.dumps(cfg, indent=1) + "\n"))

    real = workspace
    if r.random() < 0.05:
        real = "/real/ws"
        sections.append(casefile.Section(f"{workspace} -> {real}"))
    others = (real + "/AGENTS.md", real + "/docs/x.md", "/other/linked.md", "nowhere.md")
    names = [n for n in SIX if n == "AGENTS.md" or r.random() < (0.3 if n == "BOOTSTRAP.md" else 0.75)]
    names += [n for n in ("TOOLS.md", "HEARTBEAT.md", "CLAUDE.md", "memory.md", "user.md", "users/me/USER.md") if r.random() < 0.1]
    r.shuffle(names)
    for name in names:
        sections += thing(r, f"{real}/{name}", others) if name != "AGENTS.md" or r.random() < 0.3 else [raw(f"{real}/{name}", text(r))]
    for directory in r.sample(HERE, r.randrange(5)):
        for name in r.sample(SIX + ("TOOLS.md", "x.md"), r.randrange(1, 4)):
            sections += thing(r, f"{real}/{directory}/{name}", others)
    if r.random() < 0.1: sections.append(casefile.Section(f"{real}/ln -> {r.choice(('a', 'b', '/other', '..'))}"))
    if r.random() < 0.1: sections.append(casefile.Section(f"{real}/memory/"))
    if r.random() < 0.1: sections.append(casefile.Section(f"{real}/skills/tea/SKILL.md", "tea\n"))
    if r.random() < 0.15:
        sections.append(raw(f"{real}/.git/config", b'[remote "origin"]\n\turl = ' + r.choice((b"https://GitHub.com/acme/tea.git", b"git@github.com:acme/coffee.git")) + b"\n"))
        sections.append(casefile.Section(f"{real}/.git/ | git"))
    if r.random() < 0.35:
        sections += [casefile.Section(f"{state}/state/openclaw.sqlite{s} | base64", body) for s, body in record_of_setup(r, r.choice((real, real, real, "/elsewhere")))]
    sections += [raw("/other/linked.md", b"linked\n"), casefile.Section("/p/")]
    sections += [casefile.Section(f"@env {k}={v}") for k, v in env.items()]
    sections.append(casefile.Section("@session " + r.choice(("main", "main", "local", "subagent", "cron", "group"))))
    if r.random() < 0.05: settings["promptMode"] = r.choice(("minimal", "none"))
    if settings: sections.append(casefile.Section("@settings", json.dumps(settings) + "\n"))
    return casefile.Case("", sections), "openclaw from /p"


NINE = ("AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md", "MEMORY.md", "memory.md")
EARLY_GLOBS = GLOBS + ("*/TOOLS.md", "**/memory.md", "a/{SOUL,HEARTBEAT}.md", "/h/.openclaw/workspace/a/*.md")


def early_thing(r, path, others):
    """A file, or what may stand in its place: these clients follow every link, and have no limit of their own."""
    kind = r.random()
    if kind < 0.84: return [raw(path, text(r))]
    if kind < 0.90: return [casefile.Section(f"{path} -> {r.choice(others)}")]
    if kind < 0.93: return [casefile.Section(path + "/")]
    if kind < 0.95: return [casefile.Section(f"{path} | hardlink /other/linked.md")]
    if kind < 0.96: return [casefile.Section(f"{path} | sparse 2097153")]
    return [raw(path, r.choice((b"", b" \n\n", b"\xef\xbb\xbf\n", b"\xc2\xa0", b"\xc2\x85", "😀".encode() * 40)))]


FOLDERS = ("tea", "Tea", "coffee", "weather", "github", "z-9", "tea/pot", "coffee/cup/deep", "a/b", ".hidden", "node_modules/x", "skills/inner", "b", "été", "日本")
NAMES = ("tea", "coffee", "weather", "github", "a b", "Tea", "z", "<x>&'\"", "0", "no", "~", "''", "'  '", "12", "true", "[a]", "tea ", "'été'", "2026-01-02", "ten: four")
DESCRIPTIONS = ("Makes tea.", "  Padded.  ", "'  In quotes  '", ">\n  Folded\n  lines", "|\n  Literal\n\n  lines", "|-\n  Stripped", "|+\n  Kept\n\n", "a <b> & 'c' \"d\"", "", "''", "12", "no", "true", "null",
                "with: colon", "'with: colon'", "# comment", "[a, b]", "{a: 1}", "*.ts", "!tag it", "@at", "`tick`", "2026-01-02", "é 🔴", "\"esc\\t\\u00e9\"", "x" * 1100, "a\n  b", "a # b", "> x", "&a it")
METADATA = ('{"openclaw":{"requires":{"bins":["tool"]}}}', '{"openclaw":{"requires":{"bins":["tool","nothing"]}}}', '{"openclaw":{"requires":{"anyBins":["nothing","tool"]}}}', "{openclaw:{requires:{bins:'nothing , tool'}}}",
            '{"openclaw":{"requires":{"env":["TEA_KEY"]},"primaryEnv":"TEA_KEY"}}', '{"openclaw":{"requires":{"config":["browser.enabled"]}}}', '{"openclaw":{"requires":{"config":["talk.voiceId"]}}}',
            '{"openclaw":{"requires":{"config":["skills.load.extraDirs"]}}}', '{"openclaw":{"os":["darwin"]}}', '{"openclaw":{"os":["linux"],"requires":{"bins":["tool"]}}}', '{"openclaw":{"os":"win32, linux"}}',
            '{"openclaw":{"always":true,"requires":{"bins":["nothing"]}}}', '{"openclaw":{"os":["darwin"],"always":true}}', '{"openclaw":{"skillKey":"key"}}', '{"clawdbot":{"requires":{"bins":["nothing"]}}}', "{", "[]", "text",
            "\n  openclaw:\n    requires:\n      bins:\n        - nothing", '\n  {\n    "openclaw": { "requires": { "bins": ["nothing"] } },\n  }', "\n  openclaw:\n    skillKey: key", "'{\"openclaw\":{\"os\":[\"darwin\"]}}'",
            '{"openclaw":{"requires":{"env":["HOME"]}}}', '{"openclaw":{"requires":{"env":["EMPTY"]}}}', '{"openclaw":[]}', '{"openclaw":{"requires":[]}}')


def head(r, folder):
    """The head of a SKILL.md, which is mostly as it should be."""
    lines = []
    if r.random() < 0.85: lines.append(f"name: {folder.split('/')[-1] if r.random() < 0.6 else r.choice(NAMES)}")
    if r.random() < 0.93: lines.append(f"description: {r.choice(DESCRIPTIONS[:1] * 20 + DESCRIPTIONS)}")
    if r.random() < 0.3: lines.append(f"metadata: {r.choice(METADATA)}")
    if r.random() < 0.12: lines.append(f"disable-model-invocation: {r.choice(('true', 'yes', 'on', '1', '1.0', 'True', 'false', 'no', 'maybe', chr(39) + 'true' + chr(39), '[true]'))}")
    if r.random() < 0.05: lines.append(r.choice(("user-invocable: false", "name: twice", "\tindented: tab", "no colon", "a: *missing", "...", "? key", "%x")))
    if r.random() < 0.3: r.shuffle(lines)
    first, last = (r.choice(("---", " ---", "--- ", "----", "---x", "\ufeff---")) if r.random() < 0.06 else "---"), (r.choice(("", "--- ", "---x", "...", " ---")) if r.random() < 0.06 else "---")
    data = "\n".join([first, *lines, last, "Body.", ""])
    if r.random() < 0.06: data = data.replace("\n", r.choice(("\r\n", "\r")))
    data = data.encode()
    return data.replace(b"Makes", b"M\xffkes") if r.random() < 0.03 else data


def skills(r, places, limits):
    """Skills in PLACES."""
    sections, made = [], []
    for place in places:
        if r.random() < 0.35: continue
        for folder in r.sample(FOLDERS, r.randrange(1, 7)):
            path = f"{place}/{folder}/SKILL.md"
            kind = r.random()
            if kind < 0.80: sections.append(raw(path, head(r, folder) + (b"x" * 3000 if limits and r.random() < 0.1 else b"")))
            elif kind < 0.86 and made: sections.append(casefile.Section(f"{path} -> {r.choice(made)}"))
            elif kind < 0.92 and made: sections.append(casefile.Section(f"{place}/{folder}-ln -> {r.choice(made).rsplit('/', 1)[0]}"))
            elif kind < 0.94: sections.append(casefile.Section(f"{path}/"))
            elif kind < 0.96: sections.append(raw(f"{place}/{folder}/skill.md", head(r, folder)))
            else: sections.append(casefile.Section(f"{path} | fifo"))
            made.append(path)
        for name in r.sample(("README.md", "SKILL.md", "tea.md", "note.txt", "tea/README.md", "tea/sub/SKILL.md", "tea/x/y/SKILL.md"), r.choice((0, 0, 0, 1, 2))):
            if not any(s.header.split(" | ")[0].split(" -> ")[0].startswith(f"{place}/{name}") for s in sections): sections.append(raw(f"{place}/{name}", head(r, "sub")))
        if r.random() < 0.15: sections.append(raw(f"{place}/{r.choice(('', '', 'tea/', 'coffee/'))}{r.choice(('.gitignore', '.ignore', '.fdignore'))}", r.choice((b"tea\n", b"/coffee/\n", b"*.md\n", b"TEA\n", b"cup/\n!deep\n", b"**/pot\n", b"# tea\n\nb\n", b"*\n!tea\n!tea/SKILL.md\n", b"sub\n"))))
    kept, seen = [], set()
    for section in sections:
        path = section.header.split(" | ")[0].split(" -> ")[0].rstrip("/")
        above = ["/".join(path.split("/")[:n]) for n in range(2, path.count("/") + 1)]
        if path in seen or any(a in seen for a in above) or any(p.startswith(path + "/") for p in seen): continue
        seen.add(path); kept.append(section)
    return kept


def skill_settings(r, newer, with_bundled):
    """`skills` of a configuration, and of its agents."""
    skills = {}
    if r.random() < 0.6: skills["load"] = {"extraDirs": r.sample(("/extra", " ~/extra ", "more", "", "/nowhere", "/extra/tea"), r.randrange(1, 4))}
    if r.random() < 0.5: skills["entries"] = {name: r.choice(({"enabled": False}, {"enabled": True}, {"apiKey": "k"}, {"env": {"TEA_KEY": "k"}}, {})) for name in r.sample(("tea", "coffee", "key", "weather", "a b"), r.randrange(1, 4))}
    if r.random() < 0.2: skills["allowBundled"] = r.sample(("tea", "key", "coffee"), r.randrange(3))
    limits = ("maxCandidatesPerRoot", "maxSkillsLoadedPerSource") + ("maxSkillFileBytes", "maxSkillsInPrompt", "maxSkillsPromptChars") * with_bundled  # those that come with the client count as well
    if r.random() < (0.35 if newer else 0.03): skills["limits"] = {r.choice(limits): r.choice((1, 2, 3, 700, 2000)) for _ in range(r.randrange(1, 3))}
    if r.random() < 0.03: skills[r.choice(("load", "entries", "allowBundled", "limits", "more"))] = r.choice((3, "x", [], {"x": 1}, {"x": {"enabled": 1}}))
    return skills


def early(r, edition):
    newer = edition != "2026.2.6"
    env, settings, sections, home = {}, {}, [], "/h"
    defaults = {"skipBootstrap": True} if r.random() < 0.8 else {}
    limit = lambda: r.choice((1, 2, 3, 4, 5, 9, 10, 20, 90, 150, 300, 1000, 4000, 20000, r.randrange(1, 3000), r.randrange(1, 20000)))
    if r.random() < 0.7: defaults["bootstrapMaxChars"] = limit()
    if r.random() < (0.7 if newer else 0.03): defaults["bootstrapTotalMaxChars"] = r.choice((1, 3, 4, 64, 100, 300, 1000, 5000, 60000, r.randrange(1, 600), r.randrange(1, 3000), r.randrange(1, 60000)))
    if r.random() < 0.03: defaults[r.choice(("bootstrapMaxChars", "skipBootstrap", "contextInjection", "workspace"))] = r.choice((0, -1, 1.5, "x", None, []))
    if r.random() < 0.15:
        env["OPENCLAW_HOME"] = r.choice(("/oh", "~/x", " /oh "))
        home = {"/oh": "/oh", " /oh ": "/oh", "~/x": "/h/x"}[env["OPENCLAW_HOME"]] if newer else "/h"
    state = home + "/.openclaw"
    default = state + "/workspace"
    if r.random() < 0.15:
        env["OPENCLAW_PROFILE"] = r.choice(("dev", "Default", " Two ", "a b"))
        if env["OPENCLAW_PROFILE"] != "Default": default += "-" + env["OPENCLAW_PROFILE"].strip()
    if r.random() < 0.15:
        env[r.choice(("OPENCLAW_STATE_DIR", "CLAWDBOT_STATE_DIR"))] = state = "/st"
    if r.random() < 0.05: env["OPENCLAW_WORKSPACE_DIR"] = "/wd"
    config = (r.choice((state, home + "/.openclaw")) if state == "/st" else state) + "/" + r.choice(("openclaw.json",) * 5 + ("clawdbot.json", "moltbot.json"))
    if r.random() < 0.1: env[r.choice(("OPENCLAW_CONFIG_PATH", "CLAWDBOT_CONFIG_PATH"))] = config = "/cf/oc.json"
    if r.random() < 0.2:
        defaults["workspace"], default = r.choice((("/w", "/w"), (" ~/w ", home + "/w"), ("${WHERE}/w", "/where/w"), ("rel", "/p/rel"), ("  ", default)))
        if r.random() < 0.9: env["WHERE"] = "/where"
        else: sections.append(casefile.Section(r.choice(("/p/.env", state + "/.env")), "WHERE=/where\n"))
    workspace = default
    agents, roster = {"defaults": defaults}, r.random()
    entry = {"workspace": r.choice(("/own", "~/own"))} if r.random() < 0.3 else {}
    if roster < 0.35:
        main, work = {"id": r.choice(("main", "Main"))}, {"id": "work", **entry}
        if r.random() < 0.5: work["default"] = True
        if r.random() < 0.2: main["default"] = True
        agents["list"] = r.sample([main, work], 2) if r.random() < 0.8 else [work]
        if r.random() < 0.5: settings["agent"] = "work"
        chosen = settings.get("agent") or next((a["id"] for a in agents["list"] if a.get("default")), agents["list"][0]["id"])
        first = next((a["id"] for a in agents["list"] if a.get("default")), agents["list"][0]["id"])
        if chosen == "work" and entry: workspace = entry["workspace"].replace("~", home)
        elif chosen != first: workspace = (state if newer else home + "/.openclaw") + "/workspace-" + chosen.lower()
    cfg = {"agents": agents}
    if r.random() < 0.1: (agents["list"][0] if "list" in agents else agents.setdefault("list", [{"id": "main"}])[0])["skills"] = r.choice(([], ["tea"], [" tea ", "coffee", "b"]))
    if r.random() < 0.3: env["OPENCLAW_BUNDLED_SKILLS_DIR"] = "/bundled"
    if r.random() < 0.7: cfg["skills"] = skill_settings(r, newer, "OPENCLAW_BUNDLED_SKILLS_DIR" in env)
    if r.random() < 0.3: env["TEA_KEY"] = "k"
    if r.random() < 0.1: env["EMPTY"] = ""
    if r.random() < 0.1: cfg["talk"] = {"voiceId": r.choice(("v", " "))}
    if r.random() < 0.4:
        paths = r.sample(EARLY_GLOBS, r.randrange(3)) + [f"{d}/{r.choice(NINE)}" for d in r.sample(HERE, r.randrange(4))]
        r.shuffle(paths)
        cfg["hooks"] = {"internal": {**({"enabled": True} if r.random() < 0.8 else {}), "entries": {"bootstrap-extra-files": {r.choice(("paths", "paths", "patterns", "files")): paths}}}}
        if not newer: del cfg["hooks"]["internal"]["entries"]["bootstrap-extra-files"]
    if r.random() < 0.1:
        elsewhere = r.random() < 0.3
        more = "/elsewhere/more.json" if elsewhere else os.path.dirname(config) + "/more.json"
        sections.append(casefile.Section(more, json.dumps({"agents": {"defaults": {"bootstrapMaxChars": limit()}}}) + "\n"))
        cfg["$include"] = more if elsewhere else "./more.json"
    sections.append(casefile.Section(config, json.dumps(cfg, indent=1) + "\n"))

    real = workspace
    if r.random() < 0.05:
        real = "/real/ws"
        sections.append(casefile.Section(f"{workspace} -> {real}"))
    others = (real + "/AGENTS.md", real + "/MEMORY.md", real + "/docs/x.md", "/other/linked.md", "nowhere.md")
    names = [n for n in NINE if r.random() < 0.75]
    names += [n for n in ("CLAUDE.md", "SOUL_EVIL.md", "user.md") if r.random() < 0.1]
    r.shuffle(names)
    for name in names:
        sections += early_thing(r, f"{real}/{name}", others)
    for directory in r.sample(HERE, r.randrange(5)):
        for name in r.sample(NINE + ("x.md",), r.randrange(1, 4)):
            sections += early_thing(r, f"{real}/{directory}/{name}", others)
    if r.random() < 0.1: sections.append(casefile.Section(f"{real}/ln -> {r.choice(('a', 'b', '/other', '..'))}"))
    if r.random() < 0.2:
        sections.append(casefile.Section(f"{real}/.openclaw/workspace-state.json", r.choice(('{"bootstrapSeededAt": "2026-01-01T00:00:00.000Z"}\n', '{"onboardingCompletedAt": "x"}\n', "{broken", "[]", '{"bootstrapSeededAt": 3}\n'))))
    sections += skills(r, ("/extra", home + "/extra", "/p/more", "/bundled", state + "/skills", "/h/.agents/skills", real + "/.agents/skills", real + "/skills"), "limits" in cfg.get("skills", ()))
    sections += [raw("/tools/tool", b"#!/bin/sh\n") for _ in range(r.randrange(2))]
    if sections[-1].header.startswith("/tools/"):
        sections[-1].header = "/tools/tool | mode 755"
        env["PATH"] = "/tools:" + os.environ["PATH"]
    sections += [raw("/other/linked.md", b"linked\n"), casefile.Section("/p/")]
    sections += [casefile.Section(f"@env {k}={v}") for k, v in env.items()]
    sections.append(casefile.Section("@session " + r.choice(("main", "main", "local", "subagent", "cron", "group"))))
    if settings: sections.append(casefile.Section("@settings", json.dumps(settings) + "\n"))
    return casefile.Case("", sections), f"openclaw@{edition} from /p"
