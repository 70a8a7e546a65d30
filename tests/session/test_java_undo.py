"""The undo log of Java programs, as a user sees it: settings, what is shown of it, and steps back that use it."""
import re

import pytest

from java_source import is_of_script, javac, script_answers

STEPS = """
public class Steps {
    static int total;

    static int twice(int n) {
        int r = n;
        r += n;
        return r;
    }

    static int call(java.util.function.IntUnaryOperator f, int n) {
        return f.applyAsInt(n);
    }

    static void nothing() {
    }

    static void broken(int n) {
        if (n > 2)
            throw new IllegalStateException("n is " + n);
        broken(n + 1);
    }

    public static void main(String[] args) throws Exception {
        int sum = 0;
        for (int i = 0; i < 50; i++)
            sum += twice(i);
        total = sum;
        total += twice(7);
        int[] sorted = {3, 1, 2};
        total += call(x -> x + 1, 4);
        Thread t = new Thread(() -> {
            total++;
            total += 2;
        }, "worker");
        t.start();
        t.join();
        total += 0;
        nothing();
        broken(0);
    }
}
"""


@pytest.fixture(scope="module")
def classes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undo")
    (folder / "Steps.java").write_text(STEPS)
    javac("-g", "Steps.java", cwd=folder)
    return folder


def line_of(text):
    return next(i for i, line in enumerate(STEPS.splitlines(), 1) if text in line)


@pytest.fixture
def travel(ebb, classes, tmp_path):
    """travel(commands, *options) -> what each command answered, as objects."""

    def run(commands, *options, may_fail=False):
        answers, _ = script_answers(ebb, tmp_path / "commands", (classes, "Steps"), commands, options, may_fail)
        return [a for a in answers if a["kind"] in ("answer", "stop", "error") and is_of_script(a)]

    return run


# ---- breakpoints on the way back ----------------------------------------------------------------

def test_a_breakpoint_ends_a_step_back(travel):
    """twice is called on the line that is stepped back over: the step ends at the breakpoint inside, not at its last line."""
    after = line_of("int[] sorted")
    inside, last = line_of("r += n;"), line_of("return r;")
    answers = travel([f"break {after}", "run", "reverse-step", "delete", f"break {inside}", "goto end", "reverse-step", "reverse-step"])
    stops = [a for a in answers if a["kind"] == "stop" and a["command"].startswith("reverse")]
    assert [s["frame"]["line"] for s in stops] == [last, last, inside]
    assert [s["reason"] for s in stops] == ["step", "step", "breakpoint"]


def test_a_breakpoint_that_a_step_back_would_pass_over_ends_it(travel):
    """The lambda is called through a frame of the library's making, but what a step passes through it stops in nevertheless."""
    after, body = line_of('Thread t = new'), line_of("total += call")
    answers = travel([f"break {after}", "run", "break Steps.lambda$main$0", "reverse-next"])
    stop = answers[-1]
    assert (stop["reason"], stop["frame"]["line"]) == ("breakpoint", body)
    assert "lambda" in stop["frame"]["function"]


def test_a_watchpoint_ends_a_step_back_before_the_write(travel):
    at = line_of("total += twice(7);")
    answers = travel([f"break {at}", "run", "next", "watch total", "reverse-step", "reverse-step", "reverse-step", "reverse-step",
                      "print total"])
    reasons = [a["reason"] for a in answers if a.get("command") == "reverse-step"]
    assert "watchpoint" in reasons, reasons


def test_a_call_that_begins_a_line_is_not_passed_over(travel):
    """Back out of a method to the line that called it, also if that line has nothing before the call."""
    answers = travel(["break Steps.nothing", "run", "reverse-step", "reverse-step"])
    call = line_of("        nothing();")
    assert [a["frame"]["line"] for a in answers if a["command"] == "reverse-step"] == [call, call - 1]


# ---- the ends of threads ------------------------------------------------------------------------

def test_one_can_step_back_from_the_end_of_a_thread(travel):
    """It is held where it has nothing left to do but to tell others that it is over."""
    answers = travel(["start", "catch thread end", "continue", "print Steps.total", "reverse-step", "reverse-step", "print Steps.total",
                      "next", "next", "print Steps.total"])
    held, end_of_run, last_line, *_ = [a for a in answers if a["kind"] == "stop"][1:]
    assert held["reason"] == "catchpoint" and held["frame"]["function"] == "java.lang.Thread.exit", held
    assert [s["frame"]["line"] for s in (end_of_run, last_line)] == [line_of('}, "worker");'), line_of("total += 2;")]
    assert held["thread"] == end_of_run["thread"] == last_line["thread"]
    values = [int(a["value"]) for a in answers if a.get("command") == "print Steps.total"]
    assert values[0] == values[1] + 2 == values[2]


def test_one_can_step_back_from_an_uncaught_exception(travel):
    answers = travel(["set stop-on-uncaught on", "run", "bt", "reverse-step", "reverse-step", "reverse-finish", "print n"])
    stops = [a for a in answers if a["kind"] == "stop"]
    assert stops[0]["reason"] in ("exception", "uncaught", "catchpoint"), stops[0]
    assert stops[0]["frame"]["line"] == line_of("throw new")
    assert [s["frame"]["line"] for s in stops[1:3]] == [line_of("throw new"), line_of("if (n > 2)")]
    assert stops[3]["frame"]["line"] == line_of("broken(n + 1);")
    assert answers[-1]["value"] == "2"


# ---- settings -----------------------------------------------------------------------------------

def history(answers):
    return [a for a in answers if a.get("command") == "info history"]


def test_the_log_is_kept_in_the_past_and_live_only_if_asked_for(travel):
    live, past = history(travel(["start", "next 3", "info history", "reverse-next", "info history"]))
    assert live["undo_limit"] == 0
    assert past["undo_limit"] == 64 << 20
    live, past = history(travel(["start", "next 3", "info history", "reverse-next", "info history"], "--undo", "3M"))
    assert live["undo_limit"] == past["undo_limit"] == 3 << 20
    none, = history(travel(["start", "next 3", "reverse-next", "info history"], "--undo", "off"))
    assert none["undo_limit"] == 0


def test_bad_settings_are_refused(ebb):
    for setting, said in (("undo lots", "A size such as"), ("undo-classes java.*", "patterns such as")):
        done = ebb(["run", "--batch", "-e", f"set {setting}", "java"])
        assert done.returncode == 1 and said in done.stderr, done.stderr
    done = ebb(["run", "--undo", "-5", "java"])
    assert done.returncode == 2 and re.search("size", done.stderr), done.stderr


def test_a_log_that_there_is_no_room_for_costs_nothing(travel):
    answers = travel(["set undo 900000G", "start", "next 2", "reverse-next", "print sum", "set undo 1M", "next", "reverse-next", "print sum"])
    assert [a["value"] for a in answers if a["command"] == "print sum"] == ["0", "0"]


# ---- the log is only a shorter way --------------------------------------------------------------

WAYS = {
    "by the log": [],
    "by replay": ["set undo off"],
    "by a small log": ["set undo 64k"],
    "by a log that is kept live too": ["set undo 8M"],
    "without the program's own code": ["set undo-classes -Steps*"],
    "without the library's": ["set undo-classes -java.* -jdk.* -sun.*"],
    "only what one method calls": ["set undo-from Steps.call"],
}


def test_every_way_back_leads_by_the_same_moments(travel):
    """Whatever the log is kept for, and whether there is one at all: the same positions with the same values."""
    commands = [f"break {line_of('t.join();')}", "run"]
    for move in ["reverse-step", "last-write Steps.total"] + ["reverse-step"] * 8 + ["reverse-stepi"] * 20 + ["reverse-next"] * 2:
        commands += [move, "when -i", "print Steps.total"]
    seen = {}
    for way, settings in WAYS.items():
        answers = travel([*settings, *commands])
        seen[way] = [a.get("position", a.get("value")) for a in answers if a["command"].startswith(("when", "print"))]
        assert len(seen[way]) == 64
    first = seen["by the log"]
    assert len(set(first)) > 20
    for way, moments in seen.items():
        assert moments == first, way


def test_what_the_log_reaches_is_shown(travel):
    """It reaches back over what was replayed last; where code is left out, it says so."""
    kept, = history(travel([f"break {line_of('int[] sorted')}", "run", "reverse-next", "info history"]))
    assert kept["undo_oldest"] <= kept["now"] and kept["undo_bytes"] > 0
    cut, = history(travel(["set undo-classes -Steps", f"break {line_of('int[] sorted')}", "run", "reverse-next", "info history"]))
    assert "undo_oldest" not in cut and "not logged" in cut["undo_cut_by"], cut
