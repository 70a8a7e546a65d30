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
MODES = ["on", "writes", "null", "no-predecessors", "no-origins"]
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

# Many writes, so that young records are moved again and again, of which only the last ones may be told.
SWITCHED = """
import ebb.Mirror;
public class Garbage {
    int number; long wide; byte[] small = new byte[8]; Object held;
    static int total;
    static int give(int n) { return n; }
    static Object pass(Object o) { return o; }
    void put(int n) {
        number = give(n);
        wide = n;
        small[n & 7] = (byte) n;
        held = pass(this);
        total = n;
    }
    static void tell(String name, Mirror.Link link, Object value) {
        boolean isSame = value instanceof Number ? link.value.equals(value.toString()) : true;
        System.out.println(name + " " + link.isIn("Garbage.put") + " " + isSame);
    }
    public static void main(String[] args) {
        Garbage[] all = new Garbage[100];
        for (int i = 0; i < all.length; i++)
            all[i] = new Garbage();
        for (int i = 0; i < 300000; i++)
            all[i % (i < 150000 ? 100 : 7)].put(i);
        for (int i = 0; i < all.length; i += 33) {
            tell("number", Mirror.lastWrite(all[i], "number"), all[i].number);
            tell("wide", Mirror.lastWrite(all[i], "wide"), all[i].wide);
            tell("held", Mirror.lastWrite(all[i], "held"), null);
        }
        tell("total", Mirror.lastWrite(Garbage.class, "total"), total);
        System.out.println("values " + Mirror.values(all[33], "number").size());
    }
}
"""


def some(cases, n):
    return cases if LONG else cases[::max(1, len(cases) // n)]


@pytest.mark.skipif(suite.why_no_machine() is not None, reason="there is no machine")
@pytest.mark.parametrize("mode", MODES)
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


@pytest.mark.parametrize("mode", MODES)
def test_aliases_of_garbage_are_freed(tmp_path, mode):
    (tmp_path / "Garbage.java").write_text(GARBAGE)
    subprocess.run([str(suite.java_home() / "bin" / "javac"), str(tmp_path / "Garbage.java")], check=True)
    plain = run(tmp_path, "off")
    with_aliases = run(tmp_path, mode, STRESS)
    assert with_aliases.stdout == plain.stdout
    alive = [int(n) for n in re.findall(r"aliases: \d+ -> (\d+)", with_aliases.stderr)]
    assert len(alive) > 10
    early = alive[:max(5, len(alive) // 4)]    # there are many in a tiny build, between collections of the heap as well
    assert max(alive[-5:]) < 4 * max(early) + 10000, alive


@pytest.mark.parametrize("mode", ["on", "no-predecessors", "no-origins"])
def test_what_a_switch_leaves_is_right(tmp_path, mode):
    (tmp_path / "Garbage.java").write_text(SWITCHED)
    subprocess.run([str(suite.java_home() / "bin" / "javac"), "-cp", str(Path(suite.jvm_dir()) / "ebb-mirror.jar"), str(tmp_path / "Garbage.java")], check=True)
    told = run(tmp_path, mode, STRESS).stdout.splitlines()
    assert [line for line in told if not line.startswith("values") and not line.endswith("true true")] == []
    assert len(told) == 4 * 3 + 2
    n_values = int(told[-1].split()[1])
    assert n_values < 10 if mode == "no-predecessors" else n_values >= 1000
