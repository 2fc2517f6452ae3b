"""Writes a repository as large as is asked for, the same one every time: ten files to a directory, eight directories to a directory,
and a file of instructions to every fifth, among them rules of Cursor and Copilot with a pattern each."""

import random
from pathlib import Path

WORDS = "use prefer avoid always never run test build module review schema error naming export service config flag deploy".split()
ENDINGS = ["rs", "ts", "py", "go", "md"]
# Of twenty files of instructions so many have these names; `{}` stands for the directory, once as one word.
NAMES = ["{0}/AGENTS.md"] * 9 + ["{0}/CLAUDE.md"] * 7 + ["{0}/AGENTS.override.md", "{0}/GEMINI.md"]
RULES = [(".cursor/rules/{1}.mdc", "---\nglobs: {0}/**/*.rs\nalwaysApply: false\n---\n\n"),
         (".github/instructions/{1}.instructions.md", "---\napplyTo: \"{0}/**/*.ts\"\n---\n\n")]


def prose(chance, size):
    text = "# Rules\n\n"
    while len(text) < size:
        text += f"- {' '.join(chance.choices(WORDS, k=8))}.\n"
    return text


def write(root, name, text):
    path = Path(root) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def directories(count):
    """Breadth first, so that those near the root are in every tree."""
    found = [f"d{number}" for number in range(min(8, count))]
    for parent in found:
        if len(found) >= count:
            break
        found.extend(f"{parent}/d{number}" for number in range(min(8, count - len(found))))
    return found


def repository(root, files):
    """The tree; at the root are long instructions, of which Codex cuts the end."""
    chance = random.Random(files)
    write(root, ".git/HEAD", "ref: refs/heads/main\n")
    write(root, "AGENTS.md", prose(chance, 20 << 10))
    write(root, "CLAUDE.md", "@AGENTS.md\n")
    for number, directory in enumerate(directories(max(10, files // 10))):
        (Path(root) / directory).mkdir(parents=True, exist_ok=True)
        for file in range(10):
            (Path(root) / directory / f"f{file}.{ENDINGS[file % 5]}").touch()
        if number < 2:
            write(root, f"{directory}/AGENTS.md", prose(chance, 10 << 10))
        elif number % 5 == 0:
            name, head = (chance.choice(NAMES), "") if chance.random() < 0.9 else chance.choice(RULES)
            words = directory, directory.replace("/", "-")
            write(root, name.format(*words), head.format(*words) + prose(chance, min(16_000, chance.lognormvariate(7.3, 0.8))))


def example(root):
    """A project of one team: long instructions, a second file of them beside the code, and one rule."""
    chance = random.Random(1)
    write(root, ".git/HEAD", "ref: refs/heads/main\n")
    write(root, "AGENTS.md", prose(chance, 36_000))
    write(root, "CLAUDE.md", "@AGENTS.md\n")
    write(root, "src/AGENTS.md", prose(chance, 2_000))
    write(root, ".cursor/rules/api.mdc", "---\nglobs: src/**/*.rs\nalwaysApply: false\n---\n\n" + prose(chance, 1_000))
    for number in range(40):
        write(root, f"src/api/f{number}.rs", "fn main() {}\n")
