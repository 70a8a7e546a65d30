"""why names the branch that decided: in programs made at random, of which it is known by construction (decided.py).

EBB_TEST_SEED chooses other programs, EBB_LONG_TESTS=1 asks about more of them."""
import json
import os
import subprocess

import pytest

import decided
from conftest import EBB
from java_source import compile_java

LONG = os.environ.get("EBB_LONG_TESTS") == "1"
SEED = int(os.environ.get("EBB_TEST_SEED", "1"))


def ask(folder, questions):
    commands = ["break Decided.stop", "run", *questions]
    words = [word for command in commands for word in ("-e", command)]
    done = subprocess.run([EBB, "run", "--batch", "--json", *words, "--", "java", "-cp", str(folder), "Decided"], capture_output=True, text=True, timeout=900,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == 0, (done.stdout[-2000:], done.stderr)
    return [one["links"] for one in map(json.loads, filter(lambda line: line.startswith("{"), done.stdout.splitlines())) if "links" in one]


def decider(links):
    """The line of the branch that is told next to the first link, if it is one of the method itself."""
    after = [link for link in links[1:] if link["kind"] == "branch" and link.get("depth") == 1]
    return after[0]["line"] if after and after[0]["function"].endswith("Decided.run") else None


@pytest.mark.parametrize("seed", [f"{SEED}.{i}" for i in range(200 if LONG else 4)])
def test_the_branch_that_decided(tmp_path, seed):
    program = decided.Program(seed)
    compile_java(tmp_path, "Decided", program.text)
    told = ask(tmp_path, [f"why P[{number}]" for number in program.expected])
    lines = [links[0]["line"] for links in told]
    assert lines == [line for line, _ in program.expected.values()]
    found = dict(zip(program.expected, map(decider, told)))
    wrong = {number: (line, by, found[number]) for number, (line, by) in program.expected.items() if found[number] != by}
    assert not wrong, f"seed {seed}: probe: (its line, what decided, what was told): {wrong}\n" + numbered(program.text)


def numbered(text):
    return "\n".join(f"{i:4} {line}" for i, line in enumerate(text.split("\n"), 1))
