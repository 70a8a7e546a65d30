"""Searches through the past of Java programs with loops, against a walk forward: the stops of steps back are those of steps forward in
reverse order, and what last-write and values say is what single steps see."""

import pytest

from java_source import compile_java, is_of_script, javac, script_answers, stores_of

PROGRAMS = {
    "OneLine": """
public class OneLine {
    static int f;
    static int twice(int x) { return x * 2; }
    public static void main(String[] args) {
        int z = 0;
        while (z < 40) { z++; f += z & 3; }
        for (int i = 0; i < 9; i++) f += twice(i);
        do { z--; if (z % 3 == 0) f++; } while (z > 20);
        for (int i = 0; i < 4; i++) { for (int k = 0; k < 4; k++) { f ^= i * k; } }
        z = f;
        System.out.println(z);
    }
}
""",
    "Nested": """
public class Nested {
    static int f;
    int g;
    int add(int n) {
        for (int i = 0; i < n; i++)
            g += i;
        return g;
    }
    public static void main(String[] args) {
        Nested o = new Nested();
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++)
                f += o.add(k);
            while (f % 5 != 0) f++;
        }
        outer:
        for (int i = 0; ; i++)
            for (int k = 0; k < 5; k++)
                if (i * k > 5)
                    break outer;
                else
                    f++;
        System.out.println(f + o.g);
    }
}
""",
    "Recursive": """
public class Recursive {
    static int f;
    static int tree(int n) {
        int sum = 1;
        for (int i = 0; i < n; i++) sum += tree(i);
        f = sum;
        return sum;
    }
    static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
    static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
    public static void main(String[] args) {
        int t = tree(3);
        for (int i = 0; i < 3; i++) t += even(i);
        for (int i = 0; i < 2; i++)
            t += tree(2);
        System.out.println(t);
    }
}
""",
    "Slots": """
public class Slots {
    static int f;
    static long sum(int n, long base) {
        int s = 0;
        for (int i = 0; i < n; i++) {
            int k = i * 3;
            s += k;
        }
        { long q = base; q += s;
          f += (int) q; base = q; }
        { double q = base / 2.0; boolean b = q > 3; if (b) q = 1.5; b = false;
          f++; }
        for (char c = 'a'; c < 'e'; c++) { float h = c;
          f += (int) h; s--; }
        return s;
    }
    public static void main(String[] args) {
        long t = sum(3, 5L) + sum(4, -6L);
        System.out.println(t);
    }
}
""",
    "Throwing": """
public class Throwing {
    static int f;
    static int risky(int n) {
        if (n % 2 == 0)
            throw new IllegalStateException("even");
        return n;
    }
    static int tried(int n) {
        try {
            return risky(n);
        } catch (IllegalStateException e) {
            return -1;
        } finally {
            f++;
        }
    }
    public static void main(String[] args) {
        int t = 0;
        for (int i = 0; i < 4; i++)
            t += tried(i);
        for (int i = 0; i < 4; i++) { try { t += risky(i); } catch (IllegalStateException e) { t--; } }
        for (int i = 0; i < 3; i++)
            try {
                t += 10 / i;
            } catch (ArithmeticException e) {
                f += 7;
            }
        System.out.println(t);
    }
}
""",
}


@pytest.fixture(scope="module")
def classes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("searches")
    for name, source in PROGRAMS.items():
        (folder / f"{name}.java").write_text(source)
    javac("-g", *(f"{name}.java" for name in PROGRAMS), cwd=folder)
    return folder


@pytest.fixture
def travel(ebb, classes, tmp_path):
    def run(name, commands, may_fail=False):
        answers, _ = script_answers(ebb, tmp_path / "commands", (classes, name), commands, may_fail=may_fail)
        return [a for a in answers if a["kind"] in ("answer", "stop") and is_of_script(a)]

    return run


def positions(answers):
    return [a["position"] for a in answers if a["command"] == "when -i"]


@pytest.mark.parametrize("step", ["next", "step"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_steps_back_are_steps_forward_in_reverse(travel, name, step):
    """From the beginning of main to the line that prints, and back."""
    last = 1 + PROGRAMS[name].splitlines().index(next(line for line in PROGRAMS[name].splitlines() if "println" in line))
    walk = travel(name, ["start", *[step] * 100], may_fail=True)
    lines = [a["frame"]["line"] if "frame" in a and a["frame"]["function"] == f"{name}.main" else 0 for a in walk if a["command"] == step]
    n = min(lines.index(last) + 1 if last in lines else len(lines), 60)
    there_and_back = travel(name, ["start", "when -i", *[step, "when -i"] * n, *[f"reverse-{step}", "when -i"] * n])
    seen = positions(there_and_back)
    assert len(seen) == 2 * n + 1
    assert seen[n:] == seen[:n + 1][::-1]


@pytest.mark.parametrize("name", PROGRAMS)
def test_writes_are_what_single_steps_see(travel, classes, name):
    """f of each class: every change that stepi sees is a value, at the instruction that made it; the last write is the last store."""
    n = 400
    walk = travel(name, ["start", "when -i", f"print {name}.f", *["stepi", "when -i", f"print {name}.f"] * n,
                         f"values {name}.f", f"last-write {name}.f", "when -i"])
    moments = positions(walk)[:n + 1]
    values = [a["value"] for a in walk if a["command"] == f"print {name}.f"]
    changes = [(moments[i], values[i + 1]) for i in range(n) if values[i] != values[i + 1]]
    told = next(a["values"] for a in walk if a["command"].startswith("values"))
    assert [v["value"] for v in told if not v["new"]] == [v for _, v in changes], (told, changes)
    assert [int(v["position"].split("@")[0]) for v in told if not v["new"]] == [int(at.split("@")[0]) for at, _ in changes]
    storing = stores_of(classes, name)
    stores = [at for at in moments[:n] if storing.get(at.split("@")[1]) == "putstatic f"]
    assert changes and positions(walk)[-1] == stores[-1]


def test_breakpoints_inside_a_loop_end_a_step_back(travel):
    """Line 8 calls twice() nine times: back over it, each call is a stop, the last one first."""
    said = travel("OneLine", ["break OneLine.java:9", "run", "delete", "break OneLine.twice", *["reverse-next", "print x"] * 9])
    stops = [a for a in said if a["command"] == "reverse-next"]
    assert [a["reason"] for a in stops] == ["breakpoint"] * 9, stops
    assert [a["value"] for a in said if a["command"] == "print x"] == [str(x) for x in range(8, -1, -1)]


def test_ignored_and_conditional_breakpoints_going_back(travel):
    said = travel("OneLine", ["break OneLine.java:9", "run", "delete", "break OneLine.twice if x % 3 == 1",
                              *["reverse-continue", "print x"] * 3, "reverse-continue"])
    assert [a["value"] for a in said if a["command"] == "print x"] == ["7", "4", "1"]
    assert said[-1]["reason"] == "history-start"


STOPS = {
    "a breakpoint": ["break Nested.java:8"],
    "breakpoints with conditions": ["break Nested.java:14 if k == 1", "break Nested.java:9 if g > 3"],
    "a watchpoint": ["watch Nested.f"],
    "a watchpoint with a condition": ["watch Nested.f if Nested.f % 2 == 1"],
    "both": ["break Nested.java:9", "watch Nested.f if Nested.f > 2"],
}


@pytest.mark.parametrize("stops", STOPS)
def test_a_step_back_ends_at_the_last_stop_of_the_user_or_at_the_line(travel, stops):
    """From many moments: whichever is later of where the step goes without the user's stops and of where reverse-continue goes with them."""
    moments = positions(travel("Nested", ["start", "when -i", *["stepi 9", "when -i"] * 60], may_fail=True))[20:]
    ways = {"step": [], "next": [], "continue": []}
    for way in ways:
        back = [word for at in moments for word in (f"goto {at}", f"reverse-{way}", "when -i")]
        ways[way] = positions(travel("Nested", ["start", "break Nested.java:25", "continue", "delete", *(STOPS[stops] if way == "continue" else []), *back]))
    for way in ("step", "next"):
        back = [word for at in moments for word in (f"goto {at}", f"reverse-{way}", "when -i")]
        seen = positions(travel("Nested", ["start", "break Nested.java:25", "continue", "delete", *STOPS[stops], *back]))
        def moment(at):
            return int(at.split("@")[0]), int(at.rsplit(":", 1)[1])
        expected = [max(line, stop, key=moment) for line, stop in zip(ways[way], ways["continue"])]
        assert seen == expected


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_watchpoint_with_a_condition_going_back_stops_at_each_such_value(travel, name):
    last = 1 + next(i for i, line in enumerate(PROGRAMS[name].splitlines()) if "println" in line)
    said = travel(name, ["start", f"break {name}.java:{last}", "continue", "delete", f"values {name}.f", f"watch {name}.f if {name}.f % 3 == 1", *["reverse-continue", "when"] * 30], may_fail=True)
    told = next(a["values"] for a in said if a["command"].startswith("values"))
    expected = [v["position"] for v in told if int(v["value"]) % 3 == 1 and not v["new"] and not v["first"]][::-1]
    seen = [a["position"] for a in said if a["command"] == "when"]
    n = min(30, len(expected))
    assert n > 0 and seen[:n] == expected[:n]


@pytest.mark.parametrize("line, name, values", [
    (8, "k", "0 3"), (8, "i", "0 1"), (8, "s", "0"), (11, "q", "-6 12"), (11, "n", "4"), (11, "base", "-6"), (11, "s", "0 3 9 18"),
    (13, "q", "6.0 1.5"), (13, "b", "true false"), (13, "base", "-6 12"), (15, "c", "'a' 'b'"), (15, "h", "97.0 98.0"), (15, "s", "0 3 9 18 17")])
def test_values_of_a_local_variable(travel, line, name, values):
    """Of the second activation.  Variables that share a slot, one after the other, have their own values only."""
    said = travel("Slots", ["break Slots.sum if n == 4", "run", "delete", f"break Slots.java:{line} if n == 4", "continue",
                            *(["continue"] if line in (8, 15) else []), f"values {name}"])
    assert " ".join(v["value"] for v in said[-1]["values"]) == values
    arguments = [v["new"] for v in said[-1]["values"]]
    assert arguments == [name in ("n", "base")] + [False] * (len(arguments) - 1)


REFERENCES = """
import java.util.*;

public class Links {
    static class Node {
        int number;
        String name;
        Node next;
        Node(int number, Node next) { this.number = number; this.name = "n" + number; this.next = next; }
    }

    static Object held;
    Node last;

    static void written(Object local) {
    }

    static Object nested(int depth, Object inner) {
        return depth == 0 ? inner : List.of(depth, nested(depth - 1, inner));
    }

    public static void main(String[] args) {
        Links links = new Links();
        int[] cells = new int[300];
        Map<String, List<Integer>> map = new LinkedHashMap<>();
        Object[] objects = {
            new Node(1, null), "text", "\\u00e9\\ud83d\\ude00", "long ".repeat(100), "\\u4e2d".repeat(300), 'c', 7, 8L, 1.5, cells, cells.length, map,
            nested(2, "near"), new int[][] {{1, 2}, {3}}, Links.class, Thread.State.NEW, null, nested(12, cells), new StringBuilder("built"), Optional.of(cells),
            new Object[] {null, "in", new Node(2, new Node(3, null))}, new ArrayList<>(List.of(4, 5)),
        };
        for (int i = 0; i < objects.length; i++) {
            cells[i] = i;
            map.put("key" + i, List.of(i));
            Object local = objects[i];
            held = objects[i];
            links.last = new Node(i, links.last);
            written(local);
            links.last.number = -1;
            links.last.next = null;
            local = null;
        }
        System.out.println(held);
    }
}
"""


@pytest.mark.parametrize("settings", [[], ["set print elements 300"], ["set print elements 3", "set print pretty on"]])
def test_values_of_references_are_as_they_were_when_written(ebb, tmp_path, settings):
    """The oracle stops after each write and prints: objects change later, lie deep, and are long."""
    names = ["Links.held", "links.last", "local"]
    folder = compile_java(tmp_path, "Links", REFERENCES)
    line = 1 + next(i for i, text in enumerate(REFERENCES.splitlines()) if " written(local)" in text)
    n = 22
    looks = [f"print {name}" for name in names]
    told, _ = script_answers(ebb, tmp_path / "commands", (folder, "Links"),
                             [*settings, f"break Links.java:{line}", "run", *looks, *(["continue", *looks] * (n - 1)), *(f"values {name}" for name in names)])
    for name in names:
        seen = [a["value"] for a in told if a.get("command") == f"print {name}"]
        values = [v["value"] for a in told if a.get("command") == f"values {name}" for v in a["values"] if not v["new"] and not v["first"]]
        assert len(seen) == n
        assert [v for v in values if v != "null"] == [v for v in seen if v != "null"]
