"""origin at a stop of a program that keeps aliases (`set flow on`): read from memory, without a replay.

The oracle is the other way: a replay of the same program without aliases.  Time is the same in both, so each link is at a moment that the other has, too."""
import json
import subprocess

import pytest

import test_java_moved as moved
from conftest import EBB
from java_source import compile_java


def ask(words, commands):
    done = subprocess.run([EBB, words[0], "--json", *map(str, words[1:])], input="".join(c + "\n" for c in commands), capture_output=True, text=True, timeout=900)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """For each variable: the links by aliases, and those by replay."""
    folder = compile_java(tmp_path_factory.mktemp("aliases"), "Moved", moved.MOVED)
    begin = ["break Moved.stop", "run", "up", "when -i"]
    answers = []
    for options in (["--flow", "on"], []):
        told = ask(["run", *options, "--", "java", "-cp", folder, "Moved"], [*begin, *[f"origin {name}" for name in moved.ALL], "when -i"])
        when = [one["position"] for one in told if one.get("command", "").startswith("when")]
        assert len(when) == 2 and when[0] == when[1]
        answers.append((when[0], [one["links"] for one in told if "links" in one]))
    assert answers[0][0] == answers[1][0]
    return {name: links for name, *links in zip(moved.ALL, answers[0][1], answers[1][1])}


def key(link):
    return link["position"].split("@")[1], link["kind"], link.get("line")


def time(link):
    return int(link["position"].split("@")[0])


@pytest.mark.parametrize("name", moved.ALL)
def test_both_ways_tell_the_same(both, name):
    aliases, replayed = [[link for link in links if link["kind"] != "copy"] for links in both[name]]
    assert [key(link) for link in aliases] == [key(link) for link in replayed]
    for a, r in zip(aliases, replayed):
        waits = (a["kind"] in ("parameter", "allocation") or a["what"].startswith("copied")) and time(a) > time(r)  # for a class to be initialised
        assert waits or time(a) == time(r)


def test_most_are_answered_from_memory(both):
    """A replay tells the operands of what was computed; aliases don't know them."""
    ends = {name: links[0][-1]["what"] for name, links in both.items()}
    assert ends["counted"] == "computed (imul)"
    assert "of 3 and 1000" in both["counted"][1][-1]["what"]
    assert "returned by java.util.HashMap.get, to Moved.main" in [link["what"] for link in both["mapped"][0]]


THROWN = """
public class Thrown {
    static void stop() { }
    public static void main(String[] args) {
        Object text = null, thrown = null;
        try {
            text.hashCode();                            // thrown
        } catch (NullPointerException e) {
            thrown = e;
        }
        stop();
    }
}
"""


def test_what_the_machine_threw_was_not_made_by_new(tmp_path):
    folder = compile_java(tmp_path, "Thrown", THROWN)
    for options in (["--flow", "on"], []):
        told = ask(["run", *options, "--", "java", "-cp", folder, "Thrown"], ["break Thrown.stop", "run", "up", "origin thrown"])
        last = told[-1]["links"][-1]
        assert (last["kind"], last["line"]) == ("allocation", 7) and last["what"].startswith("the Java machine made it"), last


HELD = """
public class Held {
    int i, once, never, edited;
    long l;
    byte b;
    short s;
    char c;
    boolean z;
    float f;
    double d;
    static int[] shared = new int[3];
    static void stop() { }
    void set(int n) {
        i = n;
        l = (long) n << 33;
        b = (byte) n;
        s = (short) (n * 3);
        c = (char) ('a' + n);
        z = n % 2 == 0;
        f = n / 2f;
        d = n / 3.0;
    }
    public static void main(String[] args) {
        Held first = new Held();
        Held v = new Held();
        for (int k = -2; k < 3; k++) {
            v.set(k);
            shared[1] = k * 7;
            v.edited += k;
            if (k == 0)
                stop();
        }
        v.once = 9;
        int[] copy = shared.clone();
        copy[1]++;
        byte[] bytes = new byte[8];
        for (int k = 0; k < 20; k++)
            bytes[k % 5] = (byte) k;
        int[] moved = new int[4];
        System.arraycopy(copy, 0, moved, 1, 3);
        moved[2] += 1;
        stop();
    }
}
"""
PLACES = ["v.i", "v.l", "v.b", "v.s", "v.c", "v.z", "v.f", "v.d", "v.once", "v.edited", "Held.shared[1]", "bytes[0]", "bytes[3]"]
WATCHED = ["v.never", "first.i", "copy[1]", "moved[2]", "bytes[6]"]  # aliases don't tell all of it


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    """By option: what `values` says of each place, at the end; something was set on the way."""
    folder = compile_java(tmp_path_factory.mktemp("held"), "Held", HELD)
    begin = ["break Held.stop", "run", "up", "set var v.edited = 77", "down", "continue", "up"]
    answers = {}
    for options in ((), ("--flow", "on"), ("--flow", "writes"), ("--no-record", "--flow", "on")):
        told = ask(["run", *options, "--", "java", "-cp", folder, "Held"], [*begin, *[f"values {place}" for place in PLACES + WATCHED]])
        answers[options] = dict(zip(PLACES + WATCHED, [one for one in told if one.get("command", "").startswith("values")]))
    return answers


@pytest.mark.parametrize("options", [("--flow", "on"), ("--flow", "writes")])
def test_values_are_those_of_a_replay(held, options):
    for place in PLACES + WATCHED:
        assert held[options][place]["values"] == held[()][place]["values"], place


def test_values_without_a_recording(held):
    """What is copied is told of the call that copies it, and by a replay where that is done."""
    told = held[("--no-record", "--flow", "on")]
    for place in PLACES + WATCHED:
        if place not in ("v.edited", "copy[1]", "moved[2]"):
            assert told[place]["values"] == held[()][place]["values"], place
    for place in ("copy[1]", "moved[2]", "v.edited"):
        assert [one["value"] for one in told[place]["values"]] == [one["value"] for one in held[()][place]["values"]][-len(told[place]["values"]):]
        assert told[place]["values"][0]["new"] or told[place]["values"][0]["oldest_known"]


REMEMBERED = """
import java.util.*;
public class Remembered {
    static class Thing { Thing next; }
    Thing held;
    static Thing last;
    Map<String, Thing> all = new HashMap<>();
    Thing open(String name) {
        Thing t = new Thing();
        all.put(name, t);
        return t;
    }
    void keep(Thing t) {
        held = t;
        last = t;
    }
    static void stop() { }
    public static void main(String[] args) {
        Remembered r = new Remembered();
        Thing first = r.open("first"), second = r.open("second");
        r.keep(first);
        r.keep(second);
        r.keep(null);
        r.keep(first);
        Thing[] row = {first, second, null};
        Thing[] copy = new Thing[3];
        System.arraycopy(row, 0, copy, 0, 3);
        copy[1] = first;
        Thing read = r.held;
        read.next = r.held;
        stop();
    }
}
"""


def shape(one):
    """Of a value that is told: what aliases know of it."""
    return one["value"].split(" {")[0], one["position"]


def test_references_without_a_recording(tmp_path):
    """Their values and travels: what is told is what a replay tells, and where it begins is said."""
    folder = compile_java(tmp_path, "Remembered", REMEMBERED)
    commands = ["break Remembered.stop", "run", "up", "values r.held", "values Remembered.last", "values copy[0]", "flow first", "flow second"]
    replayed, told = [ask(["run", *options, "--", "java", "-cp", folder, "Remembered"], commands)[-5:] for options in ([], ["--no-record", "--flow", "on"])]
    assert [shape(one) for one in told[0]["values"]] == [shape(one) for one in replayed[0]["values"]]
    assert [shape(one) for one in told[1]["values"]] == [shape(one) for one in replayed[1]["values"][1:]] and told[1]["values"][0]["oldest_known"]
    assert [one["value"] for one in told[2]["values"]] == [shape(one)[0] for one in replayed[2]["values"]]
    for aliases, all_moves in zip(told[3:], replayed[3:]):
        moves = [(link["kind"], link["function"], link["line"], link.get("depth", 0)) for link in all_moves["links"]]
        known = [(link["kind"], link["function"], link["line"], link.get("depth", 0)) for link in aliases["links"][:-1] if "copied" not in link["what"]]
        assert [move for move in moves if move in known] == known
        assert [move for move in known if move[0].endswith("-write")] == [move for move in moves if move[0].endswith("-write")]
        assert aliases["links"][-1]["kind"] == "end"


LOOPS = """
public class Loops {
    static class Thing { }
    static int calls, total;
    int i;
    long l;
    double d;
    byte b;
    Thing thing;
    static void stop() { }
    static int given(int k) { return k * 11; }
    void fill(int n, long[] longs, double[] doubles) {
        for (int k = 0; k < n; k++) {
            i = k;
            l = longs[k % longs.length];
            longs[k % longs.length] = l + k;
            doubles[k % doubles.length] = k / 7.0;
            d = doubles[(k + 1) % doubles.length];
            b = (byte) (k * 3);
            calls = given(k);
        }
    }
    public static void main(String[] args) {
        Loops v = new Loops();
        int[] ints = new int[50], copied = new int[50];
        byte[] bytes = new byte[50];
        char[] chars = new char[50];
        boolean[] flags = new boolean[50];
        float[] floats = new float[50];
        long[] longs = new long[20];
        double[] doubles = new double[20];
        Thing[] things = new Thing[50];
        Thing one = new Thing(), other = null;
        int before = args.length + 77;
        for (int k = 0; k < 3000; k++) {
            ints[k % 50] = k * 3;
            copied[(k + 7) % 50] = ints[k % 50];
            bytes[k % 50] = (byte) k;
            chars[k % 50] = (char) ('a' + k % 26);
            flags[(k * 7) % 50] = k % 3 == 0;
            floats[k % 50] = k / 3f;
            things[k % 50] = k % 4 == 0 ? one : k % 4 == 1 ? other : k % 4 == 2 ? things[(k + 1) % 50] : v.thing;
            v.thing = k % 100 == 0 ? new Thing() : v.thing;
            total += k;
            if (k % 1000 == 999) {
                v.fill(400, longs, doubles);
                ints[3] = before;
                ints[4] = 12;
            }
        }
        stop();
    }
}
"""
WRITTEN = ["ints[3]", "ints[4]", "ints[9]", "copied[12]", "copied[45]", "bytes[7]", "bytes[13]", "chars[2]", "flags[5]", "floats[6]", "longs[3]", "longs[19]", "doubles[5]", "v.i", "v.l", "v.d", "v.b",
           "Loops.calls", "Loops.total", "v.thing", *[f"things[{i}]" for i in range(40, 50)]]


def test_what_loops_write_is_told_the_same_both_ways(tmp_path):
    """Their writes have half a record each."""
    folder = compile_java(tmp_path, "Loops", LOOPS)
    commands = ["break Loops.stop", "run", "up", *[f"origin {place}" for place in WRITTEN], *[f"values {place}" for place in WRITTEN]]
    both = []
    for options in (["--no-record", "--flow", "on"], []):
        told = ask(["run", *options, "--", "java", "-cp", folder, "Loops"], commands)
        both.append([one for one in told if one.get("command", "").split(" ")[0] in ("origin", "values")])
    for place, known, replayed in zip(WRITTEN, both[0], both[1]):
        wanted = [(key(link), time(link)) for link in replayed["links"] if link["kind"] != "copy"]
        got = [(key(link), time(link)) for link in known["links"] if link["position"]]
        if got[-1] != wanted[len(got) - 1]:  # a number of another type is computed, of what aliases don't know
            assert replayed["links"][len(got) - 1]["kind"] == "conversion" and got[-1][0][1] == "operation" and got[-1][0][0] == wanted[len(got) - 1][0][0]
            del got[-1]
        assert got and got == wanted[:len(got)], place
    for place, known, replayed in zip(WRITTEN, both[0][len(WRITTEN):], both[1][len(WRITTEN):]):
        got, wanted = [[shape(one) for one in answer["values"]] for answer in (known, replayed)]
        if known["values"][0]["oldest_known"]:  # it may be what was there already
            del got[0]
        assert got == wanted[len(wanted) - len(got):] and len(got) > 1, place


def history(words, commands):
    """What `info history` says each time."""
    return [one for one in ask(words, commands) if one.get("command") == "info history"]


def test_info_history_tells_of_aliases(tmp_path):
    """How many, in how much memory, since when; with the switches; and nothing where none are kept."""
    folder = compile_java(tmp_path, "Moved", moved.MOVED)
    program = ["--", "java", "-cp", folder, "Moved"]
    begun, later = history(["run", "--flow", "on", *program], ["break Moved.make", "run", "info history", "break Moved.stop", "continue", "info history"])
    assert begun["flow"] == later["flow"] == "on"
    assert begun["flow_since"] == later["flow_since"] <= begun["now"]
    assert 0 < begun["aliases_made"] < later["aliases_made"]
    assert all(0 < one["aliases"] <= one["aliases_made"] and 0 < one["alias_bytes"] and not one["aliases_cut"] for one in (begun, later))
    off, on = history(["run", *program], ["break Moved.stop", "run", "info history", "set flow writes", "info history"])
    assert "flow" not in off and "aliases" not in off
    assert (on["flow"], on["flow_since"], on["aliases_made"]) == ("writes", on["now"], 0)


def test_a_word_that_names_no_kind_is_said_to_be_none(tmp_path):
    folder = compile_java(tmp_path, "Moved", moved.MOVED)
    commands = "break Moved.stop\nrun\nset flow writes\nset flow-kinds field-write nothing\ninfo history\n"
    done = subprocess.run([EBB, "run", "--", "java", "-cp", folder, "Moved"], input=commands, capture_output=True, text=True, timeout=900)
    told = done.stdout + done.stderr
    assert "(flow writes, flow-kinds field-write nothing)" in told
    assert [line for line in told.splitlines() if '"nothing" is no kind of link' in line and "field-read" in line]


def test_a_run_that_is_not_recorded_tells_what_it_remembers(both, tmp_path):
    """There is no past to replay: what aliases tell is told, and of the rest what would help."""
    folder = compile_java(tmp_path, "Moved", moved.MOVED)
    names = ["popped", "fromConcurrent", "unboxed", "lambda", "arraycopy"]
    told = ask(["run", "--no-record", "--flow", "on", "--", "java", "-cp", folder, "Moved"], ["break Moved.stop", "run", "up", *[f"origin {name}" for name in names], "why popped"])
    answers = dict(zip(names, [one for one in told if one.get("command", "").startswith("origin")]))
    for name in names:
        links = [link for link in both[name][1] if link["kind"] != "copy"]
        assert [key(link) for link in answers[name]["links"]] == [key(link) for link in links], name
    assert told[-1]["kind"] == "error" and "without --no-record" in told[-1]["message"]


def test_what_was_before_flow_is_said_not_to_be_known(tmp_path):
    """There is no past to replay, and aliases are kept only since a stop."""
    folder = compile_java(tmp_path, "Moved", moved.MOVED)
    told = ask(["run", "--no-record", "--", "java", "-cp", folder, "Moved"], ["break Moved.stop", "break Moved.compute", "run", "set flow on", "delete 2", "continue", "up", "info history", "origin mapped", "origin counted"])
    history, unknown, known = told[-3:]
    assert history["flow"] == "on" and not history["keeps_history"]
    assert unknown["kind"] == "error" or unknown["links"][-1]["kind"] == "end"
    assert known["links"][-1]["kind"] == "operation"
