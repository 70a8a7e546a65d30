"""ebb.Mirror: a program asks who wrote its fields and where its references come from.

The oracle is the program's text: comments name the lines.  On a stock JVM, and with flow off, there is no history, and that is said."""
import os
import subprocess
from pathlib import Path

import pytest

from conftest import EBB
from java_source import javac

JAR = Path(EBB).parent / "src/jvm/ebb-mirror.jar"

ASKS = """
import ebb.Mirror;
import java.util.*;

public class Asks {
    static class Person {
        String name;
        int age;
        byte small;
        Person friend;
    }
    static Person current;

    static void rename(Person p, String name) {
        p.name = name;                                  // named
    }
    static Person make() {
        return new Person();                            // made
    }
    static Person pass(Person p) {
        return p;                                       // passed on
    }
    static void show(String title, Object links) {
        System.out.println(title);
        for (Object link : links instanceof List ? (List<?>) links : List.of(links)) {
            Mirror.Link l = (Mirror.Link) link;
            System.out.println("  " + l.kind + " " + l.className + "." + l.method + " " + l.line + " " + l.value);
        }
    }
    static void failing(Runnable r) {
        try {
            r.run();
            System.out.println("nothing");
        } catch (Throwable e) {
            System.out.println(e);
        }
    }
    static void received(Object o) {
        show("received", Mirror.origin(o));             // asked
    }

    public static void main(String[] args) {
        System.out.println(Mirror.whyNot());
        if (!Mirror.hasHistory()) {
            failing(() -> Mirror.lastWrite(new Person(), "name"));
            return;
        }
        Person p = make();
        rename(p, "Doe");
        rename(p, "Smith");
        p.age = 3;                                      // three
        p.age = 4;                                      // four
        p.small = -5;                                   // small
        current = pass(p);                              // current
        int[] row = {1, 2, 3};
        row[1] = 42;                                    // element
        show("name", Mirror.lastWrite(p, "name"));
        show("names", Mirror.values(p, "name"));
        show("ages", Mirror.values(p, "age"));
        show("small", Mirror.lastWrite(p, "small"));
        show("friend", Mirror.lastWrite(p, "friend"));
        show("current", Mirror.origin(Asks.class, "current"));
        show("row", Mirror.lastWrite(row, 1));
        show("made", Mirror.made(p));
        received(p.friend);                             // null given
        Mirror.assertWrittenBy(p, "name", "Asks.rename");
        Mirror.assertComesFrom(Asks.class, "current", "make");
        failing(() -> Mirror.assertWrittenBy(p, "name", "Asks.main"));
        failing(() -> Mirror.assertComesFrom(p, "name", "Asks.make"));
        failing(() -> Mirror.lastWrite(p, "nope"));
        failing(() -> Mirror.lastWrite(row, 9));
        failing(() -> Mirror.lastWrite((Object) null, "name"));
        failing(() -> Mirror.lastWrite("text", 0));
        Mirror.Extent e = Mirror.extent();
        System.out.println(e.made >= e.alive && e.alive > 0 && e.isWhole);
    }
}
"""


def line_of(text):
    return next(i for i, line in enumerate(ASKS.split("\n"), 1) if line.rstrip().endswith("// " + text))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mirror")
    (folder / "Asks.java").write_text(ASKS)
    javac("-g", "-cp", JAR, "-d", folder, folder / "Asks.java")
    return folder


def run(words, flow=None):
    env = {**os.environ, **({"EBB_FLOW": flow} if flow else {})}
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=200, stdin=subprocess.DEVNULL, env=env)
    return done.stdout


@pytest.fixture(scope="module")
def told(folder):
    file = folder / "asks.rec"
    return file, run([EBB, "record", "-o", file, "--", "java", "-cp", folder, "Asks"], "on")


def expected():
    rename, make, main = "Asks.rename", "Asks.make", "Asks.main"
    string, person = "java.lang.String", "Asks$Person"
    return [
        ("name", [("FIELD_WRITE", rename, "named", string)]),
        ("names", 2 * [("FIELD_WRITE", rename, "named", string)]),
        ("ages", [("FIELD_WRITE", main, "four", 4), ("FIELD_WRITE", main, "three", 3)]),
        ("small", [("FIELD_WRITE", main, "small", -5)]),
        ("friend", [("INIT", make, "made", "null")]),
        ("current", [("FIELD_WRITE", main, "current", person), ("RETURN", "Asks.pass", "passed on", person), ("PARAMETER", main, "current", person),
                     ("RETURN", make, "made", person), ("ALLOCATION", make, "made", person)]),
        ("row", [("ARRAY_WRITE", main, "element", 42)]),
        ("made", [("ALLOCATION", make, "made", person)]),
        ("received", [("PARAMETER", main, "null given", "null"), ("FIELD_READ", main, "null given", "null"), ("INIT", make, "made", "null")]),
    ]


def test_the_answers_are_those_of_the_text(told):
    wanted = ["null"]
    for title, links in expected():
        wanted += [title, *[f"  {kind} {method} {line_of(line)} {value}" for kind, method, line, value in links]]
    lines = told[1].splitlines()
    assert lines[: len(wanted)] == wanted


def test_assertions_and_bad_questions(told):
    rest = told[1].splitlines()[1 + sum(1 + len(links) for _, links in expected()):]
    says = ["AssertionError: the field name was not written by Asks.main but:", "AssertionError: what is in name did not come through Asks.make:", "has no field nope",
            "Index 9 out of bounds for length 3", "NullPointerException", "no array", "true"]
    rest = [line for line in rest if not line.startswith("\t")]
    assert len(rest) == len(says)
    assert all(part in line for part, line in zip(says, rest)), rest


def test_a_replay_answers_the_same_without_flow(told):
    """What the program was told is part of the recording."""
    shown = run([EBB, "replay", "--batch", "-e", "continue", "-e", "info output", told[0]])
    last = told[1][told[1].index("AssertionError"):]
    assert shown.endswith(last)


@pytest.mark.parametrize("words, says", [
    (["java"], "this JVM keeps none"),
    ([EBB, "run", "--batch", "-e", "run", "--", "java"], "object flow is off"),
])
def test_no_history(folder, words, says):
    out = run([*words, "-cp", f"{folder}:{JAR}", "Asks"])
    assert out.count(says) == 2 and "NoHistory" in out
