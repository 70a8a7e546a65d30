"""Lambdas in expressions: where they can't be, what they leave alone, in conditions in both directions, and Ctrl-C.

That what they give is right is tested beside the program itself (test_java_eval.py)."""
import json
import signal
import subprocess
import time

import pytest
from conftest import EBB
from java_source import compile_java

SOURCE = '''
import java.util.*;
import java.util.function.*;

public class Lambdas {
    int bonus = 5;

    static int twice(Supplier<Integer> once) { return once.get() + once.get(); }
    static int swallow(Supplier<Integer> once) { try { return once.get(); } catch (Throwable t) { return -1; } }
    static int inAThread(Supplier<Integer> once) throws Exception {
        int[] result = {0};
        Thread t = new Thread(() -> result[0] = once.get());
        t.start();
        t.join();
        return result[0];
    }

    static final Object LOCK = new Object();
    /* Ends while the other thread is still in slow(), if that is what the lambda calls. */
    static int startAndGo(Supplier<Integer> once) throws Exception {
        synchronized (LOCK) {
            new Thread(() -> once.get()).start();
            LOCK.wait();
        }
        return 7;
    }
    static int slow() throws Exception {
        synchronized (LOCK) { LOCK.notifyAll(); }
        Thread.sleep(20);
        return 1;
    }

    void loop(List<Integer> seen, int limit) {
        for (int i = 0; i < 10; i++) {
            seen.add(i * i); // add
        }
        System.out.println(seen); // after
    }

    public static void main(String[] args) {
        new Lambdas().loop(new ArrayList<>(), 30);
    }
}
'''


def line(text):
    return next(i for i, at in enumerate(SOURCE.splitlines(), 1) if text in at)


@pytest.fixture(scope="module")
def classes(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp("lambdas"), "Lambdas", SOURCE)


@pytest.fixture
def ask(classes, quiet_home):
    """Asks a session, which stands after the loop."""
    running = subprocess.Popen([EBB, "run", "--json", "java", "-cp", classes, "Lambdas"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, bufsize=1, env=quiet_home)

    def begin(command):
        running.stdin.write(command + "\n")
        running.stdin.flush()

    def answer():
        for text in running.stdout:
            if text.startswith("{") and "command" in (said := json.loads(text)):
                return said
        return None

    def asked(command):
        begin(command)
        return answer()

    asked.begin, asked.answer, asked.running = begin, answer, running
    for command in (f"break Lambdas.java:{line('// after')}", "run"):
        asked(command)
    yield asked
    running.kill()
    running.wait()


def value(ask, text):
    said = ask("print " + text)
    return said.get("value", said.get("message"))


def test_a_lambda_changes_nothing_in_the_program(ask):
    before = value(ask, "seen")
    assert value(ask, "seen.removeIf(x -> x > 10)") == "true"
    assert value(ask, "seen.replaceAll(x -> x + 1)") == "void"
    assert value(ask, "seen") == before
    assert value(ask, "seen.stream().map(x -> bonus = x).toList()") == "A lambda can't assign: it runs in a copy of the program."
    assert value(ask, "bonus") == "5"


def test_what_fails_in_a_lambda_is_told_as_it_is(ask):
    assert value(ask, "seen.stream().map(x -> 1 / x).toList()") == "java.lang.ArithmeticException: / by zero"
    assert value(ask, "seen.stream().map(x -> x.nosuch()).toList()") == "There is no method named nosuch in java.lang.Integer."
    assert value(ask, "seen.stream().filter((x, y) -> true).count()").startswith("no method filter(a lambda) in ")
    assert "threw java.lang.IndexOutOfBoundsException" in value(ask, "seen.stream().map(x -> seen.get(99)).toList()")
    assert value(ask, "swallow(() -> 1 / 0)") == "-1"
    assert value(ask, "swallow(() -> 1 / 0) + seen.get(99)").startswith("List.get threw java.lang.IndexOutOfBounds")


def test_lambdas_call_each_other_and_run_on_other_threads(ask):
    assert value(ask, "twice(() -> twice(() -> twice(() -> bonus)))") == "40"
    assert value(ask, "inAThread(() -> seen.size() + bonus)") == "15"
    assert value(ask, "twice(() -> inAThread(() -> limit))") == "60"
    # The outer call is over while that of the lambda, on another thread, is not.
    assert value(ask, "startAndGo(() -> slow())") == "7"
    assert value(ask, "twice(() -> startAndGo(() -> slow()))") == "14"
    assert value(ask, "seen.parallelStream().mapToInt(x -> x + limit).sum()") == str(285 + 300)


def test_live_calls_take_no_lambda(ask):
    ask("set java-calls live")
    assert value(ask, "seen.stream().filter(x -> x > 2).count()").startswith("Lambdas and method references are evaluated in a copy")


def test_a_condition_with_a_lambda_holds_going_on_and_back(ask):
    ask("delete")
    where = ask(f"break Lambdas.java:{line('// add')} if seen.stream().mapToInt(x -> x).sum() > limit && i % 2 == 1")
    assert where["kind"] != "error", where
    found = []
    while len(found) < 9 and ask("reverse-continue").get("reason") == "breakpoint":
        found.append(value(ask, "i"))
    assert found == ["9", "7"]
    assert ask("continue")["reason"] != "error"
    assert value(ask, "i") == "7"
    ask("continue")
    assert value(ask, "i") == "9"


@pytest.mark.parametrize("text", ["java.util.stream.Stream.iterate(1, x -> x + 1).filter(x -> x.hashCode() < 0).findFirst()",
                                  "twice(() -> java.util.stream.Stream.generate(() -> seen.size()).anyMatch(x -> x < 0) ? 1 : 2)",
                                  "twice(() -> { return new java.util.concurrent.SynchronousQueue<Integer>().take(); })"])
def test_ctrl_c_ends_what_would_take_forever(ask, text):
    for wait in (0.1, 0.6):
        ask.begin("print " + text)
        time.sleep(wait)
        ask.running.send_signal(signal.SIGINT)
        said = ask.answer()
        assert said["kind"] == "error" and "nterrupted" in said["message"], said
        assert value(ask, "seen.stream().filter(x -> x > limit).count()") == "4"
