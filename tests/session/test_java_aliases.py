"""Aliases of object flow (src/jvm/flow): a program that makes them is the program without.

Programs of the conformance suite are recorded plain and replayed with aliases on, with hashes of the state compared: none differs.  At each collection every
alias is compared with the value that it is of (EBB_FLOW_CHECK).  What nothing leads to is freed."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'jvm' / 'conformance'))
import conformance as suite     # noqa: E402
import replay                   # noqa: E402

LONG = os.environ.get("EBB_LONG_TESTS") == "1"
SHORT = ["programs.Calculator", "programs.Trie", "lambdas.", "exceptions.", "threads."]
CASES = [case for case in suite.cases() if LONG or any(case.name.startswith(name) for name in SHORT)]
STRESS = ("EBB_STRESS_GC", "400000")

GARBAGE = """
public class Garbage {
    static class Node { Node next; int number; }
    static Node keep(Node n) { return n; }
    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 600000; i++) {
            Node n = new Node();
            n.number = i;
            n.next = keep(new Node());
            sum += n.next == n ? 1 : n.number;
        }
        System.out.println(sum);
    }
}
"""


def some(cases, n):
    return cases if LONG else cases[::max(1, len(cases) // n)]


@pytest.mark.skipif(suite.why_no_machine() is not None, reason="there is no machine")
@pytest.mark.parametrize("mode", ["on", "writes", "null"])
@pytest.mark.parametrize("case", some(CASES, 6), ids=lambda case: case.name)
def test_a_plain_recording_is_replayed_with_aliases(case, mode, monkeypatch):
    monkeypatch.setattr(replay, "FLOW", [mode])
    wrong, compared, _ = replay.differences(case, every=4)
    assert not wrong
    assert compared > 0 or case.name in suite.known_failures()


def run(folder, mode, *more):
    env = dict(os.environ, EBB_FLOW=mode, EBB_FLOW_CHECK="1", EBB_LOG="aliases", **dict(more))
    done = subprocess.run([str(suite.java_home() / "bin" / "java"), f"-XXaltjvm={suite.jvm_dir()}", "-cp", str(folder), "Garbage"], env=env,
                          capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-600:]
    return done


@pytest.mark.parametrize("mode", ["on", "writes", "null"])
def test_aliases_of_garbage_are_freed(tmp_path, mode):
    (tmp_path / "Garbage.java").write_text(GARBAGE)
    subprocess.run([str(suite.java_home() / "bin" / "javac"), str(tmp_path / "Garbage.java")], check=True)
    plain = run(tmp_path, "off")
    with_aliases = run(tmp_path, mode, STRESS)
    assert with_aliases.stdout == plain.stdout
    alive = [int(n) for n in re.findall(r"aliases: \d+ -> (\d+)", with_aliases.stderr)]
    assert len(alive) > 10
    assert max(alive[-5:]) < 4 * max(alive[:5]) + 10000, alive
