"""More bugs of other shapes: Optional, records, enums, inner classes, generics, varargs, switches, resources, futures, maps that compute, iterators, reflection, proxies, method handles,
thread-locals, serialization, arrays of arrays, unboxing, streams, numbers that are converted, monitors, and exceptions about an array's length or an element's class.

In the program's text, `// cause N` marks the line that is wrong, in the code that made or passed the value of bug N: that line is the oracle."""
import json
import subprocess

import pytest

from conftest import EBB
from java_source import compile_java

BUGS = r"""
import java.io.*;
import java.lang.invoke.*;
import java.lang.reflect.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.function.*;
import java.util.stream.*;

public class More {
    // 1: an Optional chain
    record User(String name, Address address) { }
    record Address(String street, String city) { }
    static Optional<User> find(String name) {
        return Optional.of(new User(name, new Address("High Street", null)));        // cause 1
    }
    static int bug1() {
        String city = find("ann").map(User::address).map(Address::city).orElse(null);
        return city.length();
    }

    // 2: an enum constant without what the others have
    enum Level {
        LOW("low"), MIDDLE("middle"), HIGH(null);                                    // cause 2
        final String label;
        Level(String label) { this.label = label; }
    }
    static int bug2() {
        int n = 0;
        for (Level l : Level.values())
            n += l.label.length();
        return n;
    }

    // 3: switch over patterns and sealed records
    sealed interface Shape permits Circle, Square, Named { }
    record Circle(double r) implements Shape { }
    record Square(double a) implements Shape { }
    record Named(String name, Shape inner) implements Shape { }
    static String title(Shape s) {
        if (s instanceof Circle c)
            return "circle";
        else if (s instanceof Named n)
            return n.name() + title(n.inner()).length();
        return null;                                                                 // cause 3
    }
    static int bug3() { return title(new Named("x", new Square(2))).length(); }

    // 4: an inner class reads the outer one's field
    class Inner { int size() { return held.size(); } }
    List<String> held;
    void forget() { held = null; }                                                   // cause 4
    static int bug4() {
        More m = new More();
        m.held = new ArrayList<>();
        Inner in = m.new Inner();
        in.size();
        m.forget();
        return in.size();
    }

    // 5: a bridge of generics passes the wrong type
    interface Handler<T> { int handle(T t); }
    static class Text implements Handler<String> { public int handle(String s) { return s.length(); } }
    @SuppressWarnings({"unchecked", "rawtypes"})
    static int bug5() {
        Handler h = new Text();
        Object o = Integer.valueOf(4711);                                            // cause 5
        return h.handle(o);
    }

    // 6: varargs
    static int total(String... parts) {
        int n = 0;
        for (String part : parts)
            n += part.length();
        return n;
    }
    static int bug6() {
        String last = System.getProperty("no.such.property");                        // cause 6
        return total("a", "b", last);
    }

    // 7: a switch over strings
    static String mode(String text) {
        String result;
        switch (text) {
            case "fast": result = "F"; break;
            case "slow": result = "S"; break;
            default: result = null;                                                  // cause 7
        }
        return result;
    }
    static int bug7() { return mode("fast").length() + mode("medium").length(); }

    // 8: try with resources
    static class Res implements AutoCloseable {
        StringBuilder text = new StringBuilder("open");
        public void close() { text = null; }                                         // cause 8
    }
    static int bug8() {
        Res kept;
        try (Res r = new Res()) {
            kept = r;
            kept.text.append("!");
        }
        return kept.text.length();
    }

    // 9: CompletableFuture
    static String slowly(int n) { return n > 2 ? null : "n" + n; }                   // cause 9
    static int bug9() throws Exception {
        CompletableFuture<String> f = CompletableFuture.supplyAsync(() -> 3).thenApply(More::slowly);
        String s = f.get();
        return s.length();
    }

    // 10: ConcurrentHashMap.compute
    static ConcurrentHashMap<String, int[]> counts = new ConcurrentHashMap<>();
    static int bug10() {
        counts.put("a", new int[] {1});
        counts.compute("a", (k, v) -> v[0] > 0 ? null : v);                          // cause 10
        int[] got = counts.get("a");
        return got[0];
    }

    // 11: an iterator of our own
    static class Range implements Iterable<Integer> {
        public Iterator<Integer> iterator() {
            return new Iterator<>() {
                int at = 0;
                public boolean hasNext() { return at < 3; }
                public Integer next() { return at++ == 2 ? null : Integer.valueOf(at); }  // cause 11
            };
        }
    }
    static int bug11() {
        int sum = 0;
        for (int i : new Range())
            sum += i;
        return sum;
    }

    // 12: reflection
    public static String name(Object o) { return o instanceof String s ? s : null; } // cause 12
    static int bug12() throws Exception {
        Method m = More.class.getMethod("name", Object.class);
        String got = (String) m.invoke(null, 5);
        return got.length();
    }

    // 13: a Proxy
    interface Service { String ask(String q); }
    static int bug13() {
        InvocationHandler h = (proxy, method, args) -> ((String) args[0]).isEmpty() ? "empty" : null; // cause 13
        Service s = (Service) Proxy.newProxyInstance(More.class.getClassLoader(), new Class<?>[] {Service.class}, h);
        String a = s.ask("x");
        return a.length();
    }

    // 14: a method handle, with an argument bound
    static String pick(String a, String b, boolean first) { return first ? a : b; }
    static int bug14() throws Throwable {
        MethodHandle mh = MethodHandles.lookup().findStatic(More.class, "pick", MethodType.methodType(String.class, String.class, String.class, boolean.class));
        MethodHandle bound = MethodHandles.insertArguments(mh, 1, (Object) null);    // cause 14
        String got = (String) bound.invokeExact("x", false);
        return got.length();
    }

    // 15: a ThreadLocal that another thread has not set
    static final ThreadLocal<StringBuilder> BUFFER = ThreadLocal.withInitial(() -> null);  // cause 15
    static int bug15() {
        StringBuilder b = BUFFER.get();
        return b.length();
    }

    // 16: a transient field after serialization
    static class Doc implements Serializable {
        String title = "t";
        transient List<String> lines = new ArrayList<>();                            // cause 16
    }
    static int bug16() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) { out.writeObject(new Doc()); }
        Doc d = (Doc) new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
        return d.lines.size();
    }

    // 17: arrays of arrays
    static int bug17() {
        int[][] rows = new int[4][];                                                 // cause 17
        for (int i = 0; i < 3; i++)
            rows[i] = new int[i + 1];
        int sum = 0;
        for (int[] row : rows)
            sum += row[0];
        return sum;
    }

    // 18: a ternary that unboxes
    static Integer limit(String key) { return key.equals("max") ? 10 : null; }       // cause 18
    static int bug18() {
        boolean has = true;
        Integer n = has ? limit("min") : 0;
        return n;
    }

    // 19: a stream reduces to a missing comparator key
    record Item(String name, Integer rank) { }
    static int bug19() {
        List<Item> items = Stream.of("a:1", "b", "c:3").map(t -> t.split(":"))
            .map(p -> new Item(p[0], p.length > 1 ? Integer.valueOf(p[1]) : null)).toList(); // cause 19
        return items.stream().mapToInt(Item::rank).sum();
    }

    // 20: long index arithmetic
    static long scale(long a, double f) { return (long) (a * f); }                   // cause 20
    static int bug20() {
        char[] chars = "hello".toCharArray();
        int at = (int) scale(10, 0.75);
        return chars[at];
    }

    // 21: a divisor read from a long array
    static int bug21() {
        long[] parts = new long[3];                                                  // cause 21
        parts[0] = 5;
        return (int) (100 % parts[2]);
    }

    // 22: negative array size
    static int size(int a, int b) { return a - b; }                                  // cause 22
    static int bug22() { return new int[size(3, 5)].length; }

    // 23: array store of the wrong class
    static Object bad() { return new StringBuilder(); }                              // cause 23
    static int bug23() {
        Object[] names = new String[2];
        names[1] = bad();
        return 0;
    }

    // 24: synchronized on null
    static Object lock;
    static int bug24() { synchronized (lock) { return 1; } }                         // cause 24

    // 25: throw null
    static RuntimeException failure(boolean b) { return b ? new RuntimeException() : null; } // cause 25
    static int bug25() { throw failure(false); }

    // 26: a switch over a null string
    static String setting(Map<String, String> m) { return m.getOrDefault("a", null); } // cause 26
    static int bug26() {
        switch (setting(new HashMap<>())) { case "x": return 1; default: return 2; }
    }

    // 27: a switch over a null constant
    static Level level(int n) { return n == 0 ? Level.LOW : null; }                  // cause 27
    static int bug27() { switch (level(4)) { case LOW: return 1; default: return 2; } }

    // 28: a null that must not be one
    static int bug28() {
        String s = mode("x");
        Objects.requireNonNull(s, "s");                                              // cause 28
        return 0;
    }

    interface Bug { int run() throws Throwable; }
    static void stop(int n) { }

    public static void main(String[] args) {
        Bug[] all = {More::bug1, More::bug2, More::bug3, More::bug4, More::bug5, More::bug6, More::bug7, More::bug8, More::bug9, More::bug10, More::bug11, More::bug12, More::bug13, More::bug14, More::bug15, More::bug16, More::bug17, More::bug18, More::bug19, More::bug20, More::bug21, More::bug22, More::bug23, More::bug24, More::bug25, More::bug26, More::bug27, More::bug28};
        for (int i = 0; i < all.length; i++)
            try {
                stop(i + 1);
                all[i].run();
            } catch (Throwable e) {
                System.out.println((i + 1) + " " + e.getClass().getName() + " " + e.getMessage());
            }
    }
}
"""

N = 28
THROWN = {5: "ClassCastException", 20: "ArrayIndexOutOfBoundsException", 21: "ArithmeticException", 22: "NegativeArraySizeException", 23: "ArrayStoreException"}
BY_TWO = {1, 9, 10, 16}   # a default or an absence: `why` leads to who asked, and the next question on


def cause(n):
    return next(i for i, line in enumerate(BUGS.split("\n"), 1) if line.rstrip().endswith(f"// cause {n}"))


@pytest.fixture(scope="module")
def bugs(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp("more"), "More", BUGS)


def commands(begin):
    yield from ("break More.stop", begin)
    for n in range(1, N + 1):
        yield from (f"tcatch throw {THROWN.get(n, 'NullPointerException')}", "continue", "origin", "origin --own", "why", "continue")


def ask(words, begin):
    script = list(commands(begin))[:-1]
    words = [*words[:1], "--batch", "--json", *[w for c in script for w in ("-e", c)], *words[1:]]
    done = subprocess.run([EBB, *map(str, words)], capture_output=True, text=True, timeout=900, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, (done.stdout[-2000:], done.stderr)
    told = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return [[one["links"] for one in told if one.get("command") == command] for command in ("origin", "origin --own", "why")]


@pytest.fixture(scope="module")
def live(bugs):
    return ask(["run", "--", "java", "-cp", bugs, "More"], "run")


def own_lines(links):
    """Where the program's own code has part in a link, on this side or the other."""
    return [link["line"] for link in links if link.get("file", "").endswith("More.java")] + \
        [int(link["what"].rsplit("More.java:", 1)[1]) for link in links if "More.java:" in link["what"]]


@pytest.mark.parametrize("n", [n for n in range(1, N + 1) if n not in BY_TWO])
def test_the_cause_is_among_the_links(live, n):
    origin, own, why = (answers[n - 1] for answers in live)
    if n != 28:                                             # thrown by the program: that the null led to it is a reason, not an origin
        assert cause(n) in own_lines(origin), [(link["what"], link.get("line")) for link in origin]
        assert cause(n) in own_lines(own)
    assert cause(n) in own_lines(why)


@pytest.mark.parametrize("n, asked", [(1, "Optional.orElse"), (14, "first ? a : b"), (18, 'key.equals("max")'), (25, "b ? new"), (27, "n == 0"), (28, "requireNonNull")])
def test_why_tells_the_branch_that_chose_the_value(live, n, asked):
    """Also where the value was only taken from one variable or another: `a ? b : c`."""
    branches = [link for link in live[2][n - 1] if link["kind"] == "branch"]
    assert any(asked in link.get("source", "") or asked in link["function"] for link in branches), branches


def test_a_number_is_followed_through_conversions(live):
    """Bug 20: an int of a long of a double."""
    assert [(link["kind"], link["value"]) for link in live[0][19]] == [("conversion", "7"), ("return", "7"), ("conversion", "7"), ("operation", "7.5")]


def test_what_the_class_library_gives_to_the_programs_own_code_is_told_of_that(live):
    """Bug 6: the property is missing; `--own` names the line that asked for it, though the null is the library's."""
    assert cause(6) in own_lines(live[1][5])


def test_a_recording_tells_the_same(bugs, live):
    file = bugs / "more.rec"
    subprocess.run([EBB, "record", "-o", file, "--", "java", "-cp", bugs, "More"], capture_output=True, timeout=300, stdin=subprocess.DEVNULL)
    assert ask(["replay", file], "continue") == live


GIVEN = """
public class Given {
    static int[] none() { return null; }                        // none
    static void stop() { }
    public static void main(String[] args) {
        int[] some = new int[3];
        stop();
        try { System.arraycopy(some, 0, none(), 0, 1); } catch (NullPointerException e) { }
        try { System.arraycopy(none(), 0, none(), 0, 1); } catch (NullPointerException e) { }
    }
}
"""


def test_of_what_a_native_method_was_given_it_is_the_null(ebb, tmp_path):
    """Of the two arrays; and if both are null, it has to be said which is meant."""
    compile_java(tmp_path, "Given", GIVEN)
    words = ["-e", "break Given.stop", "-e", "run", "-e", "catch throw NullPointerException", "-e", "continue", "-e", "origin", "-e", "continue", "-e", "origin"]
    done = ebb(["run", "--batch", "--json", *words, "--", "java", "-cp", tmp_path, "Given"], timeout=100)
    told = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    links = next(one["links"] for one in told if one.get("command") == "origin")
    assert (links[-1]["kind"], links[-1]["value"]) == ("constant", "null") and "none()" in links[-1]["source"]
    assert done.returncode == 1 and "not about one value" in done.stdout + done.stderr
