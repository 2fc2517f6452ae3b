#!/usr/bin/env python3
"""Makes what package managers take from a program that was built: archives, npm packages, a formula, an image, descriptions.

usage: channels.py facts | archive | npm | formula | mason | server | image | check     (each with --help)

Name, version, description, licence and repository are those of Cargo.toml, and stand nowhere else."""

import argparse, gzip, hashlib, io, json, os, pathlib, re, shutil, subprocess, sys, tarfile, time, tomllib

REPO = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = tomllib.loads((REPO / "Cargo.toml").read_text())["package"]
NAME, VERSION, ABOUT = PACKAGE["name"], PACKAGE["version"], PACKAGE["description"]
LICENSE, REPOSITORY = PACKAGE["license"], PACKAGE["repository"]
OWNER = REPOSITORY.removeprefix("https://github.com/").split("/")[0]
SERVER = f"io.github.{OWNER}/{NAME}"
SCOPE = "@briefing/cli"
BESIDE = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"]

# By Rust's name of the platform: npm's and Node's words for it, Mason's, Homebrew's, and the image's.
# On Linux the program without a libc of the system runs everywhere.
PLATFORMS = {
    "x86_64-unknown-linux-musl": {"node": ("linux", "x64"), "mason": "linux_x64", "brew": ("linux", "intel"), "image": "amd64"},
    "aarch64-unknown-linux-musl": {"node": ("linux", "arm64"), "mason": "linux_arm64", "brew": ("linux", "arm"), "image": "arm64"},
    "x86_64-apple-darwin": {"node": ("darwin", "x64"), "mason": "darwin_x64", "brew": ("macos", "intel")},
    "aarch64-apple-darwin": {"node": ("darwin", "arm64"), "mason": "darwin_arm64", "brew": ("macos", "arm")},
    "x86_64-pc-windows-msvc": {"node": ("win32", "x64"), "mason": "win_x64"},
    "aarch64-pc-windows-msvc": {"node": ("win32", "arm64"), "mason": "win_arm64"},
}

# Of everything that is packed, so that the same program gives the same bytes.
MOMENT = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))


def suffix(target):
    return ".exe" if "windows" in target else ""


def archive_name(target):
    return f"{NAME}-{target}.tar.gz"


def tar(entries, out):
    """A gzipped tar of (name, bytes, mode); the same entries give the same bytes."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data, mode in entries:
            member = tarfile.TarInfo(name)
            member.size, member.mode, member.mtime = len(data), mode, MOMENT
            archive.addfile(member, io.BytesIO(data))
    out.parent.mkdir(parents=True, exist_ok=True)
    packed = gzip.compress(raw.getvalue(), 9, mtime=0)
    out.write_bytes(packed)
    return raw.getvalue(), packed


def archive(o):
    """The program with its pages, below a directory of its own: what `cargo binstall`, Mason, Homebrew and the action unpack."""
    top = archive_name(o.target).removesuffix(".tar.gz")
    program = pathlib.Path(o.program).read_bytes()
    entries = [(f"{top}/{NAME}{suffix(o.target)}", program, 0o755)]
    entries += [(f"{top}/{name}", (REPO / name).read_bytes(), 0o644) for name in BESIDE]
    tar(entries, pathlib.Path(o.out) / archive_name(o.target))


def archives(directory):
    """The targets of which there is an archive, with its path."""
    found = {target: pathlib.Path(directory) / archive_name(target) for target in PLATFORMS}
    return {target: path for target, path in found.items() if path.exists()}


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def npm(o):
    """`@briefing/cli`, which is all JavaScript, and one package for each platform; none runs a script when it is installed."""
    out, work = pathlib.Path(o.out).resolve(), pathlib.Path(o.out).resolve() / "npm-work"
    common = {"version": VERSION, "license": LICENSE, "repository": {"type": "git", "url": f"git+{REPOSITORY}.git"}, "homepage": PACKAGE["homepage"]}

    def pack(directory, manifest, files):
        where = work / directory
        shutil.rmtree(where, ignore_errors=True)
        where.mkdir(parents=True)
        (where / "package.json").write_text(json.dumps(manifest, indent=2) + "\n")
        for name, data, mode in files:
            (where / name).write_bytes(data)
            (where / name).chmod(mode)
        subprocess.run(["npm", "pack", "--silent", "--pack-destination", str(out)], cwd=where, check=True, stdout=subprocess.DEVNULL)

    licences = [(name, (REPO / name).read_bytes(), 0o644) for name in BESIDE if name.startswith("LICENSE")]
    for target, path in archives(o.dist).items():
        system, cpu = PLATFORMS[target]["node"]
        program = f"{NAME}{suffix(target)}"
        with tarfile.open(path) as packed:
            data = packed.extractfile(f"{NAME}-{target}/{program}").read()
        about = f"The program of {SCOPE} for {system} on {cpu}"
        manifest = {"name": f"{SCOPE}-{system}-{cpu}", **common, "description": about, "os": [system], "cpu": [cpu], "preferUnplugged": True}
        pack(f"{system}-{cpu}", manifest, [(program, data, 0o755), *licences])
    optional = {f"{SCOPE}-{'-'.join(one['node'])}": VERSION for one in PLATFORMS.values()}
    manifest = {
        "name": SCOPE, **common, "description": ABOUT, "mcpName": SERVER, "keywords": PACKAGE["keywords"],
        "bin": {NAME: f"{NAME}.js"}, "engines": {"node": ">=18"}, "optionalDependencies": optional,
    }
    launcher = (REPO / ".packaging/npm/briefing.js").read_bytes()
    pack("cli", manifest, [(f"{NAME}.js", launcher, 0o755), ("README.md", (REPO / "README.md").read_bytes(), 0o644), *licences])
    shutil.rmtree(work)


def formula(o):
    """For a tap of Homebrew, on macOS and Linux."""
    lines = [
        "# Made by .packaging/channels.py; not edited by hand.",
        f"class {NAME.capitalize()} < Formula",
        f'  desc "{ABOUT}"',
        f'  homepage "{PACKAGE["homepage"]}"',
        f'  version "{VERSION}"',
        "  license any_of: [" + ", ".join(f'"{one}"' for one in LICENSE.split(" OR ")) + "]",
    ]
    there = archives(o.dist)
    for system in ("macos", "linux"):
        of = [(one["brew"][1], target) for target, one in PLATFORMS.items() if one.get("brew", [None])[0] == system and target in there]
        lines += ["", f"  on_{system} do"] if of else []
        for cpu, target in of:
            url = f"{REPOSITORY}/releases/download/v{VERSION}/{archive_name(target)}"
            lines += [f"    on_{cpu} do", f'      url "{url}"', f'      sha256 "{sha256(there[target])}"', "    end"]
        lines += ["  end"] if of else []
    lines += [
        "",
        "  def install",
        f'    bin.install "{NAME}"',
        f'    generate_completions_from_executable(bin/"{NAME}", "completions", shells: [:bash, :zsh, :fish])',
        f'    system bin/"{NAME}", "man", "--out", man1',
        "  end",
        "",
        "  test do",
        '    (testpath/"AGENTS.md").write "Be brief.\\n"',
        f'    assert_match "AGENTS.md", shell_output("#{{bin}}/{NAME} show --harness codex")',
        "  end",
        "end",
    ]
    pathlib.Path(o.out).write_text("\n".join(lines) + "\n")


def mason(o):
    """The package file for Mason, in Neovim."""
    assets = "".join(
        f"    - target: {one['mason']}\n      file: {archive_name(target)}\n      bin: {NAME}-{target}/{NAME}{suffix(target)}\n"
        for target, one in PLATFORMS.items()
    )
    licences = "".join(f"  - {one}\n" for one in LICENSE.split(" OR "))
    pathlib.Path(o.out).write_text(
        f"---\nname: {NAME}\ndescription: {ABOUT}\nhomepage: {PACKAGE['homepage']}\nlicenses:\n{licences}languages: []\ncategories:\n  - LSP\n  - Linter\n\n"
        f"source:\n  id: pkg:github/{REPOSITORY.removeprefix('https://github.com/')}@v{VERSION}\n  asset:\n{assets}\n"
        f'bin:\n  {NAME}: "{{{{source.asset.bin}}}}"\n\nneovim:\n  lspconfig: {NAME}\n'
    )


def server(o):
    """`server.json`, by which the registry of MCP servers knows `briefing mcp`."""
    arguments = [{"type": "positional", "value": "mcp"}]
    stdio = {"transport": {"type": "stdio"}, "packageArguments": arguments}
    image = f"{o.images}/{OWNER.lower()}/{NAME}:{VERSION}"
    described = {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": SERVER, "title": NAME.capitalize(), "description": ABOUT, "version": VERSION,
        "repository": {"url": REPOSITORY, "source": "github"}, "websiteUrl": PACKAGE["homepage"],
        "packages": [
            {"registryType": "npm", "identifier": SCOPE, "version": VERSION, "runtimeHint": "npx", **stdio},
            {"registryType": "pypi", "identifier": "briefing-cli", "version": VERSION, "runtimeHint": "uvx", **stdio},
            {"registryType": "oci", "identifier": image, "runtimeHint": "docker",
             "runtimeArguments": [{"type": "named", "name": "--volume", "value": "{project}:/project:ro",
                                   "variables": {"project": {"description": "The project that is asked about", "format": "filepath", "isRequired": True}}}],
             **stdio},
        ],
    }
    pathlib.Path(o.out).write_text(json.dumps(described, indent=2) + "\n")


def libraries(program):
    """What a program that is not linked statically needs besides itself, by its path in the image."""
    said = subprocess.run(["ldd", program], capture_output=True, text=True)
    paths = re.findall(r"(?:=> |^\s+)(/\S+)", said.stdout, re.M) if said.returncode == 0 else []
    return {path: pathlib.Path(path).resolve() for path in paths}


def image(o):
    """An image in OCI's layout, of one layer with nothing but the program; no daemon is asked."""
    out = pathlib.Path(o.out)
    blobs = out / "blobs/sha256"
    blobs.mkdir(parents=True, exist_ok=True)

    def blob(data, kind, **more):
        digest = hashlib.sha256(data).hexdigest()
        (blobs / digest).write_bytes(data)
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": len(data), **more}

    manifests = []
    for pair in o.programs:
        cpu, program = pair.split("=", 1)
        entries = [(f"usr/bin/{NAME}", pathlib.Path(program).read_bytes(), 0o755)]
        entries += [(path.lstrip("/"), real.read_bytes(), 0o755) for path, real in libraries(program).items()]
        entries += [(f"usr/share/doc/{NAME}/{name}", (REPO / name).read_bytes(), 0o644) for name in BESIDE if name.startswith("LICENSE")]
        raw, packed = tar(entries, out / "layer")
        (out / "layer").unlink()
        labels = {
            "org.opencontainers.image.title": NAME, "org.opencontainers.image.description": ABOUT, "org.opencontainers.image.version": VERSION,
            "org.opencontainers.image.source": REPOSITORY, "org.opencontainers.image.licenses": LICENSE,
            # The registry of MCP servers asks for it.
            "io.modelcontextprotocol.server.name": SERVER,
        }
        created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(MOMENT))
        config = {
            "created": created, "architecture": cpu, "os": "linux",
            "config": {"Entrypoint": [f"/usr/bin/{NAME}"], "WorkingDir": "/project", "User": "65532:65532", "Env": ["PATH=/usr/bin", "HOME=/home"], "Labels": labels},
            "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(raw).hexdigest()]},
        }
        layers = [blob(packed, "layer.v1.tar+gzip")]
        manifest = {
            "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "config": blob(json.dumps(config).encode(), "config.v1+json"), "layers": layers, "annotations": labels,
        }
        manifests.append(blob(json.dumps(manifest).encode(), "manifest.v1+json", platform={"architecture": cpu, "os": "linux"}))
    everything = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": manifests}
    # One manifest is named itself: not every tool looks into an index for the only platform.
    named = manifests[0] if len(manifests) == 1 else blob(json.dumps(everything).encode(), "index.v1+json")
    top = {"schemaVersion": 2, "manifests": [{**named, "annotations": {"org.opencontainers.image.ref.name": VERSION}}]}
    (out / "index.json").write_text(json.dumps(top))
    (out / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')


def check(o):
    """Whether a tag may be released: it is the version, versions agree, and the repository is somebody's."""
    problems = [] if o.tag == f"v{VERSION}" else [f"the tag {o.tag} is not v{VERSION}, the version of Cargo.toml"]
    extension = json.loads((REPO / "editors/vscode/package.json").read_text())
    if extension["version"] != VERSION:
        problems.append(f"editors/vscode/package.json says {extension['version']}")
    if OWNER == "OWNER":
        problems.append("`repository` in Cargo.toml is still a placeholder: name the real one, and run UPDATE=1 cargo test --test tests docs")
    if f"\n## {VERSION}" not in (REPO / "CHANGELOG.md").read_text():
        problems.append(f"CHANGELOG.md has nothing about {VERSION}")
    for problem in problems:
        print(problem, file=sys.stderr)
    sys.exit(1 if problems else 0)


def facts(_):
    """What the other scripts ask for, as JSON."""
    print(json.dumps({"name": NAME, "version": VERSION, "repository": REPOSITORY, "owner": OWNER, "targets": {t: archive_name(t) for t in PLATFORMS}}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)

    def command(run, **options):
        one = commands.add_parser(run.__name__, help=run.__doc__)
        one.set_defaults(run=run)
        for name, about in options.items():
            one.add_argument(f"--{name}", required=True, **about)

    dist, out = {"help": "where the archives are"}, {"help": "where it goes"}
    command(facts)
    command(archive, target={"help": "Rust's name of the platform"}, program={"help": "the program"}, out=out)
    command(npm, dist=dist, out=out)
    command(formula, dist=dist, out=out)
    command(mason, out=out)
    command(server, images={"help": "the host of the images"}, out=out)
    command(image, programs={"nargs": "+", "metavar": "CPU=PROGRAM", "help": "amd64=PATH and arm64=PATH"}, out=out)
    command(check, tag={"help": "the tag that was pushed"})
    o = parser.parse_args()
    o.run(o)


if __name__ == "__main__":
    main()
