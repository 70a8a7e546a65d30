"""Places that are easy to miss: overloads, bridges, and instructions within which other code ran."""
import pytest

from java_source import batch_answers, compile_java

PLACES = """
import java.util.Arrays;

public class Places implements Comparable<Places> {
    static int[] x = {1, 2, 3};
    int key;

    static int over(int a) {
        int b = a + 1;
        b = b * 2;
        b = b * 3;
        return b;
    }

    static int over(String s) {
        return s.length();
    }

    static long over(long a, long b) {
        long c = a * b;
        return c;
    }

    public int compareTo(Places other) {
        return key - other.key;
    }

    static class Helper {
        static int given = 5;
        static int[] row = new int[2];
    }

    static void copy() {
        int[] y = {7, 8, 9};
        System.arraycopy(y, 0, x, 0, 3);
    }

    static void fill() {
        Arrays.fill(x, 4);
    }

    static void first() {
        Helper.given = 6;
    }

    static void end() {
    }

    public static void main(String[] args) {
        int sum = over(1) + over("four") + (int) over(2L, 3L);
        copy();
        end();
        fill();
        end();
        first();
        end();
        Places[] all = {new Places(), new Places()};
        all[0].key = 1;
        Arrays.sort(all);
        System.out.println(sum + x[0] + Helper.given);
    }
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp("places"), "Places", PLACES)


@pytest.fixture
def places(ebb, folder):
    return lambda *commands: batch_answers(ebb, folder, "Places", commands)


def test_an_instruction_of_an_overloaded_method_can_be_gone_to(places):
    first, = [a["position"] for a in places("break Places.java:11", "run", "stepi", "when -i") if a["command"] == "when -i"]
    answers = places("break Places.end", "run", f"goto {first}", "when -i", "print b")
    assert [a["position"] for a in answers if a["command"] == "when -i"] == [first]


def test_an_instruction_that_no_overload_has_is_refused(ebb, folder):
    done = ebb(["run", "--batch", "-e", "break Places.end", "-e", "run", "-e", "break Places.over:999", "--", "java", "-cp", folder, "Places"], timeout=120)
    assert done.returncode == 1 and "No bytecode of Places.over begins at 999" in done.stderr


@pytest.mark.parametrize("n,what,line,function", [(1, "Places.x[1]", 35, "Places.copy"), (2, "Places.x[1]", None, "java.util.Arrays.fill"),
                                                  (3, "Places$Helper.given", 43, "Places.first")])
def test_the_last_write_is_the_instruction_that_wrote(places, n, what, line, function):
    """The copy and the first use of a class had other code run first: loaders, an initialiser."""
    answers = places("break Places.end", "run", *["continue"] * (n - 1), f"last-write {what}")
    stop = next(a for a in answers if a["command"].startswith("last-write"))
    assert stop["frame"]["function"] == function and (line is None or stop["frame"]["line"] == line), stop


def test_a_watchpoint_going_back_too(places):
    answers = places("break Places.end", "run", "delete", "watch Places.x[1]", "reverse-continue", "reverse-continue")
    first = next(a for a in answers if a["command"] == "reverse-continue")
    assert (first["frame"]["function"], first["old"], first["new"]) == ("Places.copy", "8", "2"), first


def test_values_have_positions_that_can_be_gone_to(places):
    said = places("break Places.end", "run", "continue", "continue", "values Places$Helper.given")
    positions = [v["position"] for v in said[-1]["values"]]
    answers = places("break Places.end", "run", "continue", "continue", *(f"goto {p}" for p in positions[1:]))
    assert [a["position"] for a in answers if a["command"].startswith("goto")] == positions[1:]


def test_a_method_breakpoint_stops_once_a_call(places):
    answers = places("break Places.compareTo", "run", "print other.key", "info breakpoints", "continue")
    shown = next(a for a in answers if a["command"] == "info breakpoints")["breakpoints"][0]
    assert len(shown["locations"]) <= 1 and shown["hits"] == 1
    assert answers[-1]["reason"] == "exited", answers[-1]
