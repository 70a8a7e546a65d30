"""The conversations that README.md and docs/manual.md show are what ebb answers, but for addresses and timestamps."""
import re
import shlex
import subprocess
import textwrap

import pytest

from conftest import ROOT
from java_source import javac

MARK = "---"


def blocks(path):
    text = path.read_text()
    fenced = re.findall(r"^```\n(.*?)^```", text, re.M | re.S)
    indented = [textwrap.dedent(b) for b in re.findall(r"(?:^(?: {4}.*)?\n)+", text, re.M) if "(ebb) " in b]
    return fenced + indented


def conversations():
    """Of each: the command line of ebb, and a list of what was typed and what was shown."""
    for name in ("README.md", "docs/manual.md"):
        for block in blocks(ROOT / name):
            opening, *parts = re.split(r"^\(ebb\) ", block, flags=re.M)
            steps = [part.split("\n", 1) for part in parts]
            command = re.search(r"^\$ (?:build/)?ebb run (.*)$", opening, re.M)
            if command and any(shown.strip() for _, shown in steps):
                yield pytest.param(shlex.split(command[1]), steps, id=f"{name}: {command[1]}")


def normal(text):
    """Without what differs from day to day, and without the width of blanks."""
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    return [re.sub(r"^\d+@", "T@", re.sub(r"0x[0-9a-f]+", "0x", line)) for line in lines]


@pytest.fixture(scope="module")
def examples(workshop):
    """Where build/examples and out are, as ./demo and the manual make them."""
    folder = workshop / "transcripts"
    folder.mkdir()
    for name in ("ledger", "histogram"):
        subprocess.run(["gcc", "-g", "-O0", "-o", folder / name, f"examples/c/{name}.c"], check=True, cwd=ROOT)
    javac("-g", "-d", folder / "java", *(ROOT / "examples" / "java").glob("*.java"))
    return {"build/examples/ledger": folder / "ledger", "build/examples/histogram": folder / "histogram", "build/examples/java": folder / "java", "out": folder / "java"}


def test_there_are_conversations():
    assert len(list(conversations())) >= 3


@pytest.mark.parametrize("command, steps", conversations())
def test_answers_as_shown(ebb, examples, command, steps):
    words = [":".join(str(examples.get(part, part)) for part in word.split(":")) for word in command]
    typed = [x for line, _ in steps for x in ("-e", line, "-e", f"echo {MARK}\\n")]
    done = ebb(["run", "--batch", *typed, *words], cwd=ROOT)
    answers = done.stdout.split(f"{MARK}\n")
    for (line, shown), answer in zip(steps, answers):
        assert normal(answer) == normal(shown), line
