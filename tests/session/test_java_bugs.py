"""Twelve bugs whose cause is a wrong reference, number or null that was passed on: each is found from its exception by one command, live and on a recording.

In the program's text, `// cause N` marks the line that is wrong, in the code that made or passed the value of bug N."""
import json
import subprocess

import pytest

from conftest import EBB
from java_source import compile_java

BUGS = """
import java.util.*;
import java.util.concurrent.*;
import java.util.function.*;
import java.util.stream.*;

public class Bugs {
    // 1: a key that is not in the map
    static Map<String, String> settings = new HashMap<>();
    static int bug1() {
        settings.put("port", "80");
        String port = settings.get("prot");                         // cause 1
        return port.length();
    }

    // 2: a cache keeps what a failed load gave
    static Map<String, String> cache = new TreeMap<>();
    static String load(String name) {
        if (name.startsWith("/"))
            return "contents of " + name;
        return null;                                                // cause 2
    }
    static String cached(String name) {
        if (!cache.containsKey(name))
            cache.put(name, load(name));
        return cache.get(name);
    }
    static int bug2() {
        cached("/a");
        cached("b");
        return cached("b").length();
    }

    // 3: a failed parse
    static class Point { int x; Point(int x) { this.x = x; } }
    static Point parse(String text) {
        try {
            return new Point(Integer.parseInt(text));
        } catch (NumberFormatException e) {
            return null;                                            // cause 3
        }
    }
    static int bug3() {
        List<Point> points = new ArrayList<>();
        for (String text : "1 2 x3 4".split(" "))
            points.add(parse(text));
        int sum = 0;
        for (Point p : points)
            sum += p.x;
        return sum;
    }

    // 4: a missing configuration key, handed through
    static Properties properties = new Properties();
    static class Server {
        final String host;
        Server(String host) { this.host = host; }
        int connect() { return host.length(); }
    }
    static int bug4() {
        Server server = new Server(properties.getProperty("host"));  // cause 4
        return server.connect();
    }

    // 5: a field that one constructor forgets
    static class Account {
        List<String> log;
        Account() { log = new ArrayList<>(); }
        Account(String owner) { }
        void note(String text) { log.add(text); }
    }
    static int bug5() {
        Account a = new Account("ann");                              // cause 5
        a.note("opened");
        return 0;
    }

    // 6: a default for a parameter
    static int describe(String name) { return describe(name, null); } // cause 6
    static int describe(String name, Locale locale) { return name.length() + locale.toString().length(); }
    static int bug6() { return describe("x"); }

    // 7: an object of another class in an array
    static Object[] handlers = new Object[4];
    static void register(int slot, Object handler) { handlers[slot] = handler; }
    static int bug7() {
        register(0, (Runnable) () -> { });
        register(1, "stop");                                         // cause 7
        for (int i = 0; i < 2; i++)
            ((Runnable) handlers[i]).run();
        return 0;
    }

    // 8: a lambda holds what was there when it was made
    static String user;
    static Supplier<String> greeter() {
        String name = user;
        return () -> name.trim();
    }
    static int bug8() {
        user = null;                                                 // cause 8
        Supplier<String> greet = greeter();
        user = "ann";
        return greet.get().length();
    }

    // 9: another thread publishes the wrong thing
    static volatile int[] shared;
    static int bug9() throws Exception {
        Thread t = new Thread(() -> {
            int[] mine = new int[3];
            mine = null;                                             // cause 9
            shared = mine;
        });
        t.start();
        t.join();
        return shared.length;
    }

    // 10: an index that was computed elsewhere
    static class Cursor {
        int at;
        void moveTo(int row, int width) { at = row * width; }        // cause 10
    }
    static int bug10() {
        int[] cells = new int[12];
        Cursor c = new Cursor();
        c.moveTo(4, 3);
        return cells[c.at];
    }

    // 11: a null in the middle of a stream
    static String initial(String name) { return name.isEmpty() ? null : name.substring(0, 1); } // cause 11
    static int bug11() {
        List<String> initials = Stream.of("ann", "", "bob").map(Bugs::initial).collect(Collectors.toList());
        int n = 0;
        for (String one : initials)
            n += one.length();
        return n;
    }

    // 12: a count that nobody counted, put through an executor
    static int bug12() throws Exception {
        int[] counts = {3, 0};                                       // cause 12
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try {
            Future<Integer> f = pool.submit(() -> counts[1]);
            int n = f.get();
            return 100 / n;
        } finally {
            pool.shutdown();
        }
    }

    interface Bug { int run() throws Exception; }
    static void stop(int n) { }

    public static void main(String[] args) {
        Bug[] all = {Bugs::bug1, Bugs::bug2, Bugs::bug3, Bugs::bug4, Bugs::bug5, Bugs::bug6, Bugs::bug7, Bugs::bug8, Bugs::bug9, Bugs::bug10, Bugs::bug11, Bugs::bug12};
        for (int i = 0; i < all.length; i++)
            try {
                stop(i + 1);
                all[i].run();
            } catch (Exception e) {
                System.out.println((i + 1) + " " + e.getClass().getName());
            }
    }
}
"""

N = 12
THROWN = {7: "ClassCastException", 10: "ArrayIndexOutOfBoundsException", 12: "ArithmeticException"}


def cause(n):
    return next(i for i, line in enumerate(BUGS.split("\n"), 1) if line.endswith(f"// cause {n}"))


@pytest.fixture(scope="module")
def bugs(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp("bugs"), "Bugs", BUGS)


def ask(words, begin, last):
    commands = ["break Bugs.stop", begin]
    for n in range(1, N + 1):
        commands += [f"tcatch throw {THROWN.get(n, 'NullPointerException')}", "continue", "origin", "why", "continue"]
    words = [*words[:1], "--batch", "--json", *[w for c in commands[:-1] for w in ("-e", c)], *words[1:]]
    done = subprocess.run([EBB, *map(str, words)], capture_output=True, text=True, timeout=500, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, (done.stdout[-2000:], done.stderr)
    told = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return [one["links"] for one in told if one.get("command") == "origin"], [one["links"] for one in told if one.get("command") == "why"]


@pytest.fixture(scope="module")
def live(bugs):
    return ask(["run", "--", "java", "-cp", bugs, "Bugs"], "run", None)


def own_lines(links):
    return [link["line"] for link in links if link.get("file", "").endswith("Bugs.java")] + \
        [int(link["what"].rsplit("Bugs.java:", 1)[1]) for link in links if "Bugs.java:" in link["what"]]


@pytest.mark.parametrize("n", range(1, N + 1))
def test_the_cause_is_among_the_links(live, n):
    origin, why = live[0][n - 1], live[1][n - 1]
    assert cause(n) in own_lines(origin), [(link["what"], link.get("line")) for link in origin]
    assert cause(n) in own_lines(why)


@pytest.mark.parametrize("n, asked", [(2, 'if (name.startsWith("/"))'), (11, "name.isEmpty()")])
def test_why_tells_the_branch_that_chose_it(live, n, asked):
    """`why` of these names the condition by which the null was chosen."""
    branches = [link for link in live[1][n - 1] if link["kind"] == "branch"]
    assert any(asked in link.get("source", "") for link in branches), branches


def test_why_tells_the_exception_that_led_there(live):
    """Bug 3: the null was returned since an exception was caught."""
    caught = [link for link in live[1][2] if link["kind"] == "branch" and "caught" in link["what"]]
    assert caught and "NumberFormatException" in caught[0]["value"]


def test_a_recording_tells_the_same(bugs, live):
    file = bugs / "bugs.rec"
    subprocess.run([EBB, "record", "-o", file, "--", "java", "-cp", bugs, "Bugs"], capture_output=True, timeout=100, stdin=subprocess.DEVNULL)
    assert ask(["replay", file], "continue", None) == live
