"""One thread goes back alone while the others stay where they are: `set direction independent`."""

import pytest

from java_source import is_of_script, javac, script_answers

TWO = """
public class Two {
    static int a, b, calls;
    static short[] halves = new short[4];

    static void own() {
        for (int i = 0; i < 100; i++) {
            a++;
            halves[0]++;
            Thread.yield();
            if (a == 50)
                stop();
        }
    }

    static void stop() {
        calls++;
    }

    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> {
            for (int i = 0; i < 200; i++) {
                b++;
                halves[1]++;
                Thread.yield();
            }
        }, "worker");
        t.start();
        own();
        t.join();
        System.out.println(a + " " + b + " " + calls + " " + halves[0] + " " + halves[1]);
    }
}
"""

LOCKS = """
public class Locks {
    static int turns;
    static final Object lock = new Object();
    static volatile boolean held;

    static void mine() {
        synchronized (lock) {
            turns++;
        }
        turns += 10;
        held = true;
        while (held)
            Thread.yield();
        turns += 100;
    }

    static void stop() {
        turns += 1000;
    }

    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> {
            while (!held)
                Thread.yield();
            synchronized (lock) {
                turns += 5;
                stop();
                held = false;
            }
        }, "worker");
        t.start();
        mine();
        t.join();
        System.out.println("turns " + turns);
    }
}
"""


@pytest.fixture(scope="module")
def classes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("apart")
    (folder / "Two.java").write_text(TWO)
    (folder / "Locks.java").write_text(LOCKS)
    javac("-g", "Two.java", "Locks.java", cwd=folder)
    return folder


@pytest.fixture
def travel(ebb, classes, tmp_path):
    """travel(class, commands) -> answers, output of the program."""

    def run(name, commands, may_fail=False):
        answers, output = script_answers(ebb, tmp_path / "commands", (classes, name), commands, may_fail=may_fail)
        return [a for a in answers if a["kind"] == "error" or ("command" in a and is_of_script(a))], output

    return run


def line_of(source, text):
    return next(i for i, line in enumerate(source.splitlines(), 1) if text in line)


def printed(answers, what):
    return [int(a["value"]) for a in answers if a.get("command") == f"print {what}"]


LOOK = ["print Two.a", "print Two.b", "print Two.halves[0]", "print Two.halves[1]"]


def test_one_thread_goes_back_and_the_other_stays(travel):
    """30 lines are many turns of both; two elements of an array share a word, and each belongs to one thread."""
    answers, output = travel("Two", ["break Two.stop", "run", *LOOK, "set direction independent", "reverse-next 30", *LOOK,
                                     "set direction whole", *LOOK, "delete", "continue"])
    for own in ("Two.a", "Two.halves[0]"):
        parted, back, whole = printed(answers, own)
        assert parted == whole == 50 and back <= 45, (parted, back, whole)
    for other in ("Two.b", "Two.halves[1]"):
        parted, back, whole = printed(answers, other)
        assert parted == back == whole >= 49
    assert output == ["100 200 1 100 200"]


def test_the_thread_that_goes_back_need_not_be_the_one_that_stopped(travel):
    answers, _ = travel("Two", ["break Two.stop", "run", *LOOK, "set direction independent", "thread 6", "reverse-next 12", *LOOK,
                                "thread 1", "reverse-next 12", *LOOK])
    a, b = printed(answers, "Two.a"), printed(answers, "Two.b")
    assert a[0] == a[1] > a[2] and b[0] > b[1] == b[2], (a, b)


def test_each_line_back_alone_is_a_line_that_was_there(travel):
    answers, _ = travel("Two", ["break Two.stop", "run", "set direction independent"] + ["reverse-step"] * 12)
    lines = [a["frame"]["line"] for a in answers if a.get("command") == "reverse-step"]
    body = [line_of(TWO, t) for t in ("stop();", "if (a == 50)", "Thread.yield();", "halves[0]++", "a++;", "for (int i")]
    assert lines == (body + body[1:] * 3)[:12]


def test_bytecodes_back_alone(travel):
    """Each of them is one that this thread executed, in reverse order; the other's turns in between don't count."""
    forth, _ = travel("Two", ["break Two.own if Two.a == 0", "run"] + ["stepi", "when -i"] * 60)
    places = [a["position"].split("@")[1] for a in forth if a.get("command") == "when -i"]
    back, _ = travel("Two", [f"break {line_of(TWO, 'if (a == 50)')} if Two.a == 3", "run", "print Two.b", "set direction independent"] +
                     ["reverse-stepi", "when -i"] * 25 + ["print Two.b"])
    seen = [a["position"].split("@")[1] for a in back if a.get("command") == "when -i"]
    own = [p for p in places if p.startswith("Two.own:")]
    body = [p for p in seen if p.startswith("Two.own:")]
    at = len(own) - own[::-1].index(body[0])
    assert len(body) > 15 and body == own[at - len(body):at][::-1], (body, own)
    assert printed(back, "Two.b")[0] == printed(back, "Two.b")[1]


def test_what_goes_on_from_there_touches_nothing_outside(travel):
    """It runs to its end in a copy; the program itself then goes on as if nothing had been."""
    answers, output = travel("Two", ["break Two.stop", "run", "set direction independent", "reverse-next 10", "delete", "continue",
                                     "set direction whole", "print Two.a", "continue"])
    ends = [a["reason"] for a in answers if a.get("command") == "continue"]
    assert ends == ["history-end", "exited"], ends
    assert printed(answers, "Two.a") == [50]
    assert output == ["100 200 1 100 200"]


def test_what_ran_on_alone_has_no_way_back(travel):
    answers, _ = travel("Two", ["break Two.stop", "run", "set direction independent", "reverse-next 3", "next", "reverse-next"],
                        may_fail=True)
    assert answers[-1]["kind"] == "error" and "set direction whole" in answers[-1]["message"], answers[-1]
    answers, _ = travel("Two", ["break Two.stop", "run", "set direction independent", "reverse-next 3", "reverse-continue"], may_fail=True)
    assert answers[-1]["kind"] == "error" and "alone" in answers[-1]["message"], answers[-1]


def test_a_lock_that_another_holds_is_not_gone_back_into(travel):
    """main left the lock that the worker holds now: it goes back to right behind that, and no further."""
    answers, _ = travel("Locks", ["break Locks.stop", "run", "print turns", "set direction independent", "thread 1", "reverse-next 4",
                                  "print turns", "reverse-next"], may_fail=True)
    stop = [a for a in answers if a.get("command") == "reverse-next 4"][0]
    assert stop["frame"]["line"] == line_of(LOCKS, "turns += 10;")
    assert printed(answers, "turns") == [16, 16]    # the worker wrote it later, and that stays
    assert "thread 6 holds it now" in answers[-1]["message"], answers[-1]


def test_a_lock_that_was_taken_since_is_given_back(travel):
    """The worker goes back to before it took the lock; then main may go back into it."""
    answers, output = travel("Locks", ["break Locks.stop", "run", "set direction independent", "reverse-next 3", "thread 1", "reverse-next 6",
                                       "print turns", "print held", "delete", "continue", "set direction whole", "continue"])
    worker, main = [a for a in answers if a.get("command", "").startswith("reverse-next")]
    assert worker["frame"]["line"] == line_of(LOCKS, "turns += 5;") - 1
    assert main["frame"]["line"] == line_of(LOCKS, "turns++;")
    assert printed(answers, "turns") == [0]
    assert output == ["turns 1116"]
