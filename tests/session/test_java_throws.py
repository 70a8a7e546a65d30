"""Exceptions: a throw is a moment that can be gone to, the same one forward and backward; and who will catch it is known."""
import json

import pytest

from java_source import batch_answers, compile_java

THROWS = """
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

public class Throws {
    int v;

    Throws(int v) {
        if (v == 2)
            throw new IllegalStateException("two");
        this.v = v;
    }

    static int div(int a, int b) {
        return a / b;
    }

    static int early(int n) {
        for (;;) {
            try {
                if (n > 0)
                    return new Throws(n).v + div(6, n - 1);
                return 0;
            } catch (RuntimeException e) {
                n = -1;
            }
        }
    }

    public static void fails(int n) {
        throw new IllegalStateException("n" + n);
    }

    static class Bad {
        static int v = div(1, 0);
    }

    public static class Built {
        public Built() {
            throw new IllegalArgumentException("built");
        }
    }

    static void reflect() throws Exception {
        Method m = Throws.class.getMethod("fails", int.class);
        try {
            m.invoke(null, 1);
        } catch (InvocationTargetException e) {
        }
        try {
            Built.class.getConstructor().newInstance();
        } catch (InvocationTargetException e) {
        }
    }

    static void initialise() {
        try {
            System.out.println(Bad.v);
        } catch (ExceptionInInitializerError e) {
        }
        try {
            System.out.println(Bad.v);
        } catch (NoClassDefFoundError e) {
        }
    }

    public static void main(String[] args) throws Exception {
        int s = 0;
        for (int i = 0; i < 4; i++)
            s += early(i);
        System.out.println(s);
        reflect();
        initialise();
        Throws.class.getMethod("fails", int.class).invoke(null, 7);
    }
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp("throws"), "Throws", THROWS)


@pytest.fixture
def throws(ebb, folder):
    return lambda *commands: batch_answers(ebb, folder, "Throws", commands)


def positions(answers):
    return [a["position"] for a in answers if a["command"] == "when -i"]


LOOK = ["when -i", "bt"]


def look(answers):
    """What LOOK saw, one tuple a moment."""
    traces = [[(f["function"], f["line"]) for f in a["frames"]] for a in answers if a["command"] == "bt"]
    return list(zip(positions(answers), traces))


BEGIN = ["break Throws.early", "run", "delete", "catch throw"]


def test_forward_and_backward_stop_at_the_same_moment(throws):
    """Thrown by athrow in a constructor, and by a division, whose exception is made by code of the library."""
    seen = look(throws(*BEGIN, "continue", *LOOK, "continue", *LOOK, "goto end", "step", "reverse-continue", *LOOK, "reverse-continue", *LOOK))
    assert seen[2:] == [seen[1], seen[0]]
    assert [trace[0] for _, trace in seen[:2]] == [("Throws.div", 15), ("Throws.<init>", 10)]


def test_a_bookmark_at_a_throw_leads_there(throws):
    answers = throws(*BEGIN, "continue", "bookmark a", *LOOK, "continue", "bookmark b", *LOOK, "goto a", *LOOK, "goto b", *LOOK)
    seen = look(answers)
    assert seen[2:] == seen[:2]


def test_what_when_says_of_a_throw_can_be_gone_to(throws):
    first, second = positions(throws(*BEGIN, "continue", "when -i", "continue", "when -i"))
    seen = look(throws(*BEGIN, "continue", "continue", "continue", f"goto {first}", *LOOK, f"goto {second}", *LOOK, f"goto {first}", *LOOK))
    assert [at for at, _ in seen] == [first, second, first]
    assert [trace[0][0] for _, trace in seen] == ["Throws.div", "Throws.<init>", "Throws.div"]


def test_instructions_step_over_a_throw_both_ways(throws):
    """A throw is inside of an instruction: single steps don't stop there."""
    steps = ["stepi", "when -i"] * 4
    back = ["reverse-stepi", "when -i"] * 3
    seen = positions(throws(*BEGIN[:3], "break Throws.java:10", "continue", "delete", "stepi 4", "when -i", *steps, *back))
    assert seen[5:] == seen[1:4][::-1]


def test_the_newest_state_may_be_a_throw(throws):
    """Replay up to it ends there, and not at the handler."""
    seen = look(throws(*BEGIN, "continue", *LOOK, "reverse-stepi", "continue", *LOOK, "goto start", "goto end", *LOOK))
    assert seen[1] == seen[0] == seen[2]


def test_who_catches_what_c_code_wraps(throws):
    """Only the last one is caught by nobody: what main lets out."""
    answers = throws("set stop-on-uncaught on", "run", "when")
    stop = next(a for a in answers if a["command"] == "run")
    assert stop["reason"] == "uncaught" and "n7" in json.dumps(stop), stop


WAITS = """
public class Waits {
    static final Object lock = new Object();
    static boolean go;

    static void after() {
    }

    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> {
            synchronized (lock) {
                go = true;
                lock.notifyAll();
            }
            after();
        });
        synchronized (lock) {
            t.start();
            while (!go)
                lock.wait();
        }
        t.join();
        circle();
    }

    static void take(Object first, Object second) {
        synchronized (first) {
            try {
                Thread.sleep(100);
            } catch (InterruptedException e) {
            }
            synchronized (second) {
            }
        }
    }

    /* The order of the circle is not that of the threads. */
    static void circle() throws Exception {
        Object[] locks = {new Object(), new Object(), new Object()};
        int[][] pairs = {{0, 2}, {1, 0}, {2, 1}};
        for (int[] pair : pairs) {
            Thread t = new Thread(() -> take(locks[pair[0]], locks[pair[1]]));
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(2000);
        after();
    }
}
"""


def test_who_was_notified_is_in_no_deadlock(ebb, tmp_path):
    compile_java(tmp_path, "Waits", WAITS)
    commands = ["break Waits.after", "run", "info threads", "continue", "info threads"]
    done = ebb(["run", "--batch", *(w for c in commands for w in ("-e", c)), "--", "java", "-cp", tmp_path, "Waits"], timeout=120)
    first, second = done.stdout.split("hit Breakpoint 1")[1:3] if done.stdout.count("hit Breakpoint 1") == 2 else done.stdout.split("Breakpoint 1, Waits.after")[2:4]
    assert "Deadlock" not in first, done.stdout
    circle = second[second.index("Deadlock: "):]
    threads = [int(word.strip(",.")) for word in circle.replace("\n", " ").split() if word.strip(",.").isdigit()][:4]
    assert threads[0] == threads[3] and (threads[1] - threads[0]) % 3 == 2, circle
