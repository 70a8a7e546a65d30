"""Java programs run backward: every way back leads through the same moments as the way forward, with the same values."""
import os
import random

import pytest

from java_source import is_of_script, javac, script_answers

WALK = """
import java.util.*;
import java.util.function.*;

public class Walk {
    static int total;
    static int[] cells = new int[4];

    static int fact(int n) {
        if (n <= 1)
            return 1;
        return n * fact(n - 1);
    }

    static int risky(int n) {
        if (n % 2 == 0)
            throw new IllegalStateException("even " + n);
        return n;
    }

    static int guarded(int n) {
        try {
            return risky(n);
        } catch (IllegalStateException e) {
            total += 100;
            return -1;
        } finally {
            cells[n % 4]++;
        }
    }

    static int nested(int a, int b) { return fact(a) + guarded(b); }

    static class Node implements Comparable<Node> {
        final int key;
        Node next;

        Node(int key, Node next) {
            this.key = key;
            this.next = next;
        }

        public int compareTo(Node other) {
            return Integer.compare(key, other.key);
        }
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 3; i++) sum += i;
        sum += fact(3);
        total = nested(2, 4);
        Node list = null;
        for (int i = 0; i < 3; i++)
            list = new Node(i * 7 % 5, list);
        List<Node> nodes = new ArrayList<>();
        for (Node n = list; n != null; n = n.next)
            nodes.add(n);
        Collections.sort(nodes);
        nodes.forEach(n -> {
            total += n.key;
        });
        Function<Integer, Integer> twice = x -> x * 2;
        total = twice.andThen(x -> x + 1).apply(total);
        String s = "";
        while (s.length() < 3)
            s += total % 10;
        total += guarded(3) + guarded(2);
        System.out.println("total " + total + " sum " + sum + " " + s);
    }
}
"""

COUNT = """
public class Count {
    static long total;
    static int broken;

    static void add(int i) {
        total += i;
        if (total > 5000)
            broken = 1;
    }

    public static void main(String[] args) {
        for (int i = 0; i < 200; i++)
            add(i);
        System.out.println(total);
    }
}
"""


@pytest.fixture(scope="module")
def classes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reverse")
    for name, source in (("Walk", WALK), ("Count", COUNT)):
        (folder / f"{name}.java").write_text(source)
    javac("-g", "Walk.java", "Count.java", cwd=folder)
    return folder


@pytest.fixture
def travel(ebb, classes, tmp_path):
    """travel(class, commands) -> what each command answered, as objects; the last may have failed if may_fail."""

    def run(name, commands, may_fail=False):
        answers, _ = script_answers(ebb, tmp_path / "commands", (classes, name), commands, may_fail=may_fail)
        return [a for a in answers if a["kind"] in ("answer", "stop", "error") and is_of_script(a)]

    return run


PROBE = ["when -i", "print Walk.total", "print Walk.cells[0] + Walk.cells[2]"]


def moments(answers, n_probes=len(PROBE)):
    """The answers to the probes, one tuple a moment."""
    said = [a.get("position", a.get("value")) for a in answers if a["command"].startswith(("when", "print"))]
    return [tuple(said[i:i + n_probes]) for i in range(0, len(said), n_probes)]


def there_and_back(travel, forth, back, n):
    commands = ["start", *PROBE]
    for move in [forth] * n + [back] * n:
        commands += [move, *PROBE]
    seen = moments(travel("Walk", commands))
    assert len(seen) == 2 * n + 1
    way, returned = seen[:n + 1], seen[n + 1:]
    assert len(set(way)) == n + 1  # each step is somewhere else
    assert returned == way[-2::-1]


def test_steps_back_are_steps_in_reverse(travel):
    there_and_back(travel, "step", "reverse-step", 85)


def test_next_back(travel):
    there_and_back(travel, "next", "reverse-next", 20)


def test_instructions_back(travel):
    there_and_back(travel, "stepi", "reverse-stepi", 60)


def test_nexti_back(travel):
    there_and_back(travel, "nexti", "reverse-nexti", 25)


def test_breakpoints_conditions_and_watchpoints_backward(travel):
    commands = ["break Walk.fact if n < 3", "break Walk.risky", "start", "watch Walk.total"]
    commands += ["continue", *PROBE] * 12 + ["reverse-continue", *PROBE] * 9
    answers = travel("Walk", commands)
    stops = [a for a in answers if a["kind"] == "stop" and "continue" in a["command"]]
    reasons = [a["reason"] for a in stops]
    assert {"breakpoint", "watchpoint"} <= set(reasons[:12])
    seen = moments(answers)
    forth = [s for s, r in zip(seen[:12], reasons) if r == "breakpoint"]
    back = [s for s, r in zip(seen[12:], reasons[12:]) if r == "breakpoint"]
    stands_at_one = reasons[11] == "breakpoint"  # which isn't met again
    assert back == forth[:len(forth) - stands_at_one][::-1][:len(back)]
    # A watchpoint is before its write when it is met from behind, and the values have changed sides.
    told = [(a["old"], a["new"]) for a in stops[:12] if a["reason"] == "watchpoint"]
    untold = [(a["new"], a["old"]) for a in stops[12:] if a["reason"] == "watchpoint"]
    assert untold and untold == told[-len(untold):][::-1]


def test_exceptions_backward(travel):
    commands = ["catch throw IllegalStateException", "start", "continue", "when -i", "continue", "when -i", "reverse-continue", "when -i", "bt"]
    answers = travel("Walk", commands)
    first, second, again = [a["position"] for a in answers if a["command"] == "when -i"]
    assert first != second and again == first
    assert "even 4" in [a for a in answers if a["command"] == "reverse-continue"][0].get("catch", "even 4")


def test_finish_back(travel):
    answers = travel("Walk", ["break Walk.risky", "start", "continue", "reverse-finish", "when -i", "print n", "stepi", "when -i"])
    where = [a["position"] for a in answers if a["command"] == "when -i"]
    assert "Walk.guarded:1" in where[0] and "Walk.risky:0" in where[1]


def test_the_beginning_is_told_and_kept(travel):
    answers = travel("Walk", ["start", "reverse-continue", "when -i", "reverse-continue", "when -i", "reverse-stepi", "when -i", "goto end", "when -i"])
    reasons = [a["reason"] for a in answers if a["kind"] == "stop"]
    assert reasons == ["breakpoint", "history-start", "history-start", "history-start", "history-end"]
    positions = [a["position"] for a in answers if a["command"] == "when -i"]
    assert positions[0] == positions[1] == positions[2] and "Walk.main:0" in positions[3]


def test_back_from_the_end_of_the_program(travel):
    answers = travel("Walk", ["break Walk.fact", "run", "delete", "continue", "break Walk.fact", "reverse-continue", "print n", "reverse-continue",
                              "print n", "goto end", "print 1"], may_fail=True)
    values = [a["value"] for a in answers if a["command"] == "print n"]
    assert values == ["1", "2"]
    assert [a for a in answers if a["command"] == "continue"][0]["reason"] == "exited"
    assert [a for a in answers if a["command"] == "goto end"][0]["reason"] == "exited"
    assert answers[-1]["kind"] == "error" or answers[-1]["value"] == "1"


def test_forward_in_the_past_stops_at_the_newest_state_and_then_goes_on(travel):
    answers = travel("Count", ["break Count.add if i == 100", "run", "when -i", "delete", "goto start", "continue", "when -i", "break Count.add if i == 101",
                               "continue", "print i"])
    first, second = [a["position"] for a in answers if a["command"] == "when -i"]
    assert first == second
    assert [a["reason"] for a in answers if a["command"] == "continue"] == ["history-end", "breakpoint"]
    assert answers[-1]["value"] == "101"


def test_goto_anywhere_in_any_order(travel):
    """Random walks over moments that were seen once: the seed is printed if it fails."""
    seed = int(os.environ.get("EBB_TEST_SEED", random.randrange(1 << 30)))
    rng = random.Random(seed)
    n = 40
    way = moments(travel("Walk", ["start", *PROBE] + ["step", *PROBE] * n))
    picks = [rng.randrange(n + 1) for _ in range(60)]
    commands = ["start", f"step {n}"]
    for i in picks:
        commands += [f"goto {way[i][0]}", *PROBE]
    assert moments(travel("Walk", commands)) == [way[i] for i in picks], f"EBB_TEST_SEED={seed}"


def test_random_moves(travel):
    seed = int(os.environ.get("EBB_TEST_SEED", random.randrange(1 << 30)))
    rng = random.Random(seed)
    n, at = 50, 50
    way = moments(travel("Walk", ["start", *PROBE] + ["step", *PROBE] * n))
    commands, expected = ["start", f"step {n}"], []
    for _ in range(50):
        forth = at < n and rng.random() < 0.45
        if not forth and at == 0:
            continue
        at += 1 if forth else -1
        commands += ["step" if forth else "reverse-step", *PROBE]
        expected.append(way[at])
    assert moments(travel("Walk", commands)) == expected, f"EBB_TEST_SEED={seed}"


def test_bookmarks(travel):
    answers = travel("Count", ["break Count.add if i == 7", "run", "bookmark seven -- the 7th", "when -i", "finish", "bookmark", "goto start", "info bookmarks",
                               "goto seven", "when -i", "print i", "delete bookmark b1", "info bookmarks"])
    first, second = [a["position"] for a in answers if a["command"] == "when -i"]
    assert first == second
    both, one = [a["bookmarks"] for a in answers if a["command"] == "info bookmarks"]
    assert [m["name"] for m in both] == ["seven", "b1"] and both[0]["note"] == "the 7th"
    assert [m["name"] for m in one] == ["seven"]


def test_last_write_and_values(travel):
    answers = travel("Count", ["break Count.java:16", "run", "values Count.broken", "last-write Count.broken", "print i", "print Count.broken", "print Count.total",
                               "last-write Count.total", "print Count.total", "print i"])
    assert answers[1]["reason"] == "breakpoint"
    values = [v["value"] for a in answers if a["command"].startswith("values") for v in a["values"]]
    assert values[-2:] == ["0", "1"] or values == ["1"]
    # Every turn from the 101st on writes 1 into `broken`: the last of them is the last write, though it changes nothing.
    said = [a["value"] for a in answers if a["command"].startswith("print")]
    assert said == ["199", "1", str(sum(range(200))), str(sum(range(199))), "199"]


def test_values_are_all_that_there_were(travel):
    answers = travel("Count", ["break Count.add if i == 20", "run", "when -i", "values Count.total", "when -i"])
    values = [int(v["value"]) for v in answers[3]["values"]]
    assert values[-20:] == [sum(range(i + 1)) for i in range(20)][-20:] or values[-19:] == [sum(range(i + 1)) for i in range(1, 20)]
    assert answers[2]["position"] == answers[4]["position"]


def test_bisect(travel):
    answers = travel("Count", ["break Count.java:16", "run", "bisect Count.total <= 5000", "print Count.total", "print i", "last-write Count.total", "print Count.total"])
    said = [a["value"] for a in answers if a["command"].startswith("print")]
    assert said == ["5050", "100", "4950"]


def test_info_history(travel):
    answers = travel("Count", ["start", "info history", "step", "reverse-step", "info history"])
    before, after = [a for a in answers if a["command"] == "info history"]
    assert before["keeps_history"] and before["state"] == "live" and after["state"] == "replaying"
    assert before["snapshots"] >= 1 and before["oldest"] < before["now"] == before["newest"]


def test_without_history_it_says_so(ebb, classes):
    done = ebb(["run", "--batch", "--no-record", "-e", "start", "-e", "reverse-step", "java", "-cp", classes, "Count"], timeout=120)
    assert done.returncode == 1 and "no history" in done.stderr and done.stderr.count("\n") == 1


def test_a_recording_is_opened_elsewhere_after_the_class_files_are_gone(ebb, classes, tmp_path):
    folder = tmp_path / "there"
    folder.mkdir()
    for name in classes.glob("*.class"):
        (folder / name.name).write_bytes(name.read_bytes())
    recording = tmp_path / "count.ebb"
    done = ebb(["record", "-o", recording, "java", "-cp", folder, "Count"], timeout=120)
    assert done.returncode == 0 and done.stdout == "19900\n", done.stderr
    assert recording.stat().st_mode & 0o777 == 0o600
    for name in folder.iterdir():
        name.unlink()
    folder.rmdir()
    done = ebb(["replay", "--batch", "-e", "break Count.add if i == 100", "-e", "continue", "-e", "print Count.total", "-e", "reverse-finish", "-e", "print i",
                "-e", "goto end", recording], timeout=120, cwd="/")
    assert done.returncode == 0, done.stderr
    assert "$1 = 4950" in done.stdout and "$2 = 100" in done.stdout
    assert "19900" not in done.stdout  # nothing is shown again


def test_save_keeps_the_bookmarks(ebb, classes, tmp_path):
    recording = tmp_path / "saved.ebb"
    done = ebb(["run", "--batch", "-e", "break Count.add if i == 3", "-e", "run", "-e", "bookmark three -- third call", "-e", f"save {recording}", "java", "-cp",
                classes, "Count"], timeout=120)
    assert done.returncode == 0, done.stderr
    done = ebb(["replay", "--batch", "-e", "goto three", "-e", "print i", "-e", "info bookmarks", recording], timeout=120)
    assert done.returncode == 0, done.stderr
    assert "$1 = 3" in done.stdout and "third call" in done.stdout


def test_what_is_no_recording_is_one_line(ebb, classes, tmp_path):
    recording = tmp_path / "cut.ebb"
    assert ebb(["record", "-o", recording, "java", "-cp", classes, "Count"], timeout=120).returncode == 0
    whole = recording.read_bytes()
    bad = tmp_path / "bad.ebb"
    for content in (b"", b"text\n", whole[:20], whole[:40], b"\0" * 4096):
        bad.write_bytes(content)
        done = ebb(["replay", "--batch", bad], timeout=60)
        assert done.returncode == 1 and done.stderr.count("\n") == 1, (content[:20], done.stderr)
    bad.write_bytes(whole[:-7])  # the last moment is lost, the rest opens
    done = ebb(["replay", "--batch", "-e", "continue", "-e", "when", bad], timeout=60)
    assert done.returncode == 0 and "ends early" in done.stderr and "End of the recorded history" in done.stdout, done.stderr
    assert ebb(["replay", "--batch", tmp_path / "none"]).returncode == 1


def test_a_breakpoint_at_a_position_stops_in_both_directions(travel):
    seen = travel("Count", ["break Count.add if i == 60", "run", "when -i"])[-1]["position"]
    answers = travel("Count", ["break Count.add if i == 150", "run", f"break {seen}", "reverse-continue", "when -i", "print i", "goto start", "continue",
                               "when -i", "continue", "print i"])
    assert [a["position"] for a in answers if a["command"] == "when -i"] == [seen, seen]
    assert [a["value"] for a in answers if a["command"] == "print i"] == ["60", "150"]
