"""Conditions and ignore counts of breakpoints in Java, which the program executes by itself where they can be compiled, hold as
often as the session says.

The same condition with a variable of the debugger in it ($slow) can't be compiled, so the session tests it at each hit: that
is the oracle.  Each condition has a line of its own, since where one stop is told all breakpoints of that place are tested."""
import datetime
import re
import shutil
import sys
from pathlib import Path

import pytest

from java_source import compile_java

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "unit"))
from expr_maker import JavaMaker  # noqa: E402

JAVA = shutil.which("java") or "java"
ROUNDS = 24
SOURCE = """
public class Cond {
    interface Shape { }
    static class Node implements Shape { int value; long wide; Node next; String name; Node(int v, Node n, String s) { value = v; wide = v * 1000000007L; next = n; name = s; } }
    static class Leaf extends Node { double weight; Leaf(int v) { super(v, null, "leaf"); weight = v / 3.0; } }
    static final int[] INTS = {0, 1, -1, 7, Integer.MIN_VALUE, Integer.MAX_VALUE, 255, -128, 65535, 1 << 20, -12345, 31};
    static final long[] LONGS = {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 32, -1L << 31, 63, 1234567890123L, 0xffffffffL, 33};
    static final double[] REALS = {0.0, -0.0, 1.0, -1.5, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 1e300, 4.9e-324, 2147483648.0, 9.3e18, 0.1, -7.25};
    static final float[] FLOATS = {0f, -0f, 1.5f, Float.NaN, Float.MAX_VALUE, Float.MIN_VALUE, Float.NEGATIVE_INFINITY, 16777217f, -3.3f, 1e10f, 0.1f};
    static final String[] TEXTS = {"", "text", null, "Text", "\\u20ac\\ud83d\\ude00", "te", new String("text"), "a\\0b", "longer than four units"};
    static boolean sz; static byte sb; static char sc; static short ss; static int si; static long sj; static float sf; static double sd;
    static String st; static Node sp; static Object so;
    boolean fz; byte fb; char fc; short fs; int fi; long fj; float ff; double fd; String ft; Node fp;
    boolean[] az; byte[] ab; char[] ac; short[] as; int[] ai; long[] aj; float[] af; double[] ad; String[] at; Node[] ap; int[][] aai; Object[] ao;
    static int sink;

    void set(int k) {
        int i = INTS[k % INTS.length]; long j = LONGS[k % LONGS.length]; double d = REALS[k % REALS.length]; float f = FLOATS[k % FLOATS.length];
        sz = (k & 1) != 0; sb = (byte) i; sc = (char) i; ss = (short) i; si = i + 1; sj = j * 3; sf = f * 2; sd = d / 2; st = TEXTS[(k + 1) % TEXTS.length];
        fz = (k & 2) != 0; fb = (byte) (i >> 3); fc = (char) j; fs = (short) j; fi = -i; fj = ~j; ff = (float) d; fd = f; ft = TEXTS[k % TEXTS.length];
        fp = k % 5 == 0 ? null : k % 5 == 1 ? new Leaf(k) : new Node(i, k % 5 == 2 ? null : new Node(k, null, ft), st); sp = k % 3 == 0 ? fp : new Leaf(-k);
        so = k % 4 == 0 ? (Object) fp : k % 4 == 1 ? (Object) st : k % 4 == 2 ? (Object) i : null;
        az = new boolean[] {sz, fz, true}; ab = new byte[] {sb, 1, -1}; ac = new char[] {sc, 'x', 0}; as = new short[] {ss, 2, -2};
        ai = k % 7 == 0 ? null : new int[] {i, 3, -3}; aj = new long[] {j, 4, -4}; af = new float[] {f, 5, -5}; ad = new double[] {d, 6, -6};
        at = new String[] {ft, st, "x"}; ap = new Node[] {fp, sp, null}; aai = new int[][] {ai, {k}, null}; ao = new Object[] {so, at, null};
    }

    class Inner {
        int own = 3;
        void look(int k, boolean z, byte b, char c, short s, int i, long j, float f, double d, Integer bi, Long bj, Double bd, Boolean bz, Character bc,
                  String t, Node p, Object o) {
            int captured = k * 2;
LINES
            sink += captured;
        }
    }

    static void finished() { sink++; }

    public static void main(String[] args) {
        Cond cond = new Cond();
        Inner inner = cond.new Inner();
        for (int k = 0; k < ROUNDS; k++) {
            cond.set(k);
            int i = INTS[(k + 3) % INTS.length]; long j = LONGS[(k + 5) % LONGS.length];
            double d = REALS[(k + 2) % REALS.length]; float f = FLOATS[(k + 4) % FLOATS.length];
            inner.look(k, k % 3 == 0, (byte) i, (char) i, (short) i, i, j, f, d, k % 6 == 0 ? null : i, k % 8 == 0 ? null : j, d, k % 4 == 1, (char) j,
                       TEXTS[(k + 2) % TEXTS.length], k % 4 == 3 ? null : sp, k % 2 == 0 ? (Object) sp : (Object) st);
        }
        finished();
    }
}
"""


class ConditionMaker(JavaMaker):
    SHARE = 0.8
    INTEGERS = ["k", "b", "c", "s", "i", "j", "bi", "bj", "bc", "captured", "own", "sb", "sc", "ss", "si", "sj", "fb", "fc", "fs", "fi", "fj", "Cond.si",
                "ab[0]", "ac[1]", "as[2]", "ai[0]", "ai[k & 3]", "aj[0]", "aj[k & 1]", "aai[0][1]", "aai[1][0]", "ai.length", "at.length", "p.value", "p.wide",
                "fp.value", "sp.next.value", "p.next.wide", "t.length()", "ft.length()", "t.charAt(k & 1)", "ap[1].value", "Cond.INTS[k % 12]", "fp.name.length()",
                "Cond.this.fi", "this.own", "((Cond.Leaf) sp).value"]
    REALS = ["f", "d", "bd", "sf", "sd", "ff", "fd", "af[0]", "ad[0]", "af[k & 3]", "Cond.REALS[k % 13]", "((Cond.Leaf) sp).weight"]
    TRUTHS = ["z", "bz", "sz", "fz", "az[k & 1]", "true", "false", "(t == ft)", "(p == null)", "(fp != sp)", "(o instanceof Cond.Leaf)",
              "(so instanceof Integer)", "(p instanceof Cond.Shape)", "t.isEmpty()", "t.equals(ft)", "t.equals(\"text\")", "\"text\".equals(so)",
              "(st == \"text\")", "(ft != \"Text\")", "t.equals(\"\\u20ac\\ud83d\\ude00\")", "\"a\\0b\".equals(t)", "(o == sp)", "(ap[2] == null)",
              "ft.equals(null)", "(fp.next == null)", "(bi == bj + 0)", "\"longer than four units\".equals(st)"]
    LITERALS = ["0", "1", "7", "-1", "255", "0x7fffffff", "-2147483648", "1L", "0x8000000000000000L", "9223372036854775807L", "'a'", "'\\u20ac'", "31", "64"]
    REAL_LITERALS = ["1.5", "0.1f", "1e10", "3d", "2f", "4.9e-324", "0.0", "-0.0", "1e300"]

    def integer(self, depth):
        if depth <= 0:
            return self.leaf(self.INTEGERS, self.LITERALS, self.SHARE)
        inner = lambda: self.integer(depth - 1)
        kind = self.random.randrange(10)
        if kind < 3:
            return f"({inner()} {self.pick('+', '-', '*', '&', '|', '^')} {inner()})"
        if kind == 3:
            return f"({inner()} {self.pick('/', '%')} {inner()})"
        if kind == 4:
            return f"({inner()} {self.pick('<<', '>>', '>>>')} {inner()})"
        if kind == 5:
            return f"{self.pick('-', '~', '+')} {inner()}"
        if kind == 6:
            return f"(({self.pick('byte', 'char', 'short', 'int', 'long')}) (+ {self.number(depth - 1)}))"
        if kind == 7:
            return f"({self.truth(depth - 1)} ? (+ {inner()}) : (+ {inner()}))"
        return inner()


def program_for(folder, n):
    """The program with n lines to stop at; the number of the first one."""
    source = SOURCE.lstrip().replace("LINES", "\n".join(["            sink++;"] * n)).replace("ROUNDS", str(ROUNDS))
    compile_java(folder, "Cond", source)
    return next(number for number, line in enumerate(source.splitlines(), 1) if line == "            sink++;")


def run(ebb, folder, commands, **more):
    words = [word for command in commands for word in ("-e", command)]
    return ebb(["run", "--batch", *words, "--", JAVA, "-cp", str(folder), "Cond"], timeout=280, **more)


def hit_counts(done):
    """How often each breakpoint of `info breakpoints` was hit."""
    parts = re.split(r"^\d+ +breakpoint ", done.stdout[done.stdout.rindex("Num "):], flags=re.M)[1:]
    return [int((re.search(r"already hit (\d+) time", part) or [0, 0])[1]) for part in parts]


def slow_ones(done):
    """Of which breakpoints it is said that their condition is tested by the session, and why."""
    return {int(number): why for number, why in re.findall(r"breakpoint (\d+)'s condition (.*), so each hit", done.stdout + done.stderr)}


def holds(ebb, folder, line, conditions, slowly):
    """For each condition how often it held and how often it could not be tested; and how many are said to be slow."""
    commands = ["break Cond.main", "run", "delete", "set $slow = true"]
    for at, condition in enumerate(conditions):
        commands += [f"break Cond.java:{line + at} if " + (f"$slow && ({condition})" if slowly else condition), f"ignore {at + 2} 1000000"]
    done = run(ebb, folder, [*commands, "break Cond.finished", "continue", "info breakpoints"])
    assert done.returncode == 0, done.stdout + done.stderr
    errors = [int(number) - 2 for number in re.findall(r"Error in testing condition for breakpoint (\d+)", done.stdout + done.stderr)]
    return hit_counts(done)[:-1], [errors.count(at) for at in range(len(conditions))], slow_ones(done)


def compare(ebb, folder, conditions):
    line = program_for(folder, len(conditions))
    fast, fast_errors, notes = holds(ebb, folder, line, conditions, False)
    slow, slow_errors, slow_notes = holds(ebb, folder, line, conditions, True)
    assert len(slow_notes) == len(conditions), "the oracle is tested by the session"
    wrong = [(condition, a, b) for condition, a, b in zip(conditions, zip(fast, fast_errors), zip(slow, slow_errors)) if a != b]
    assert not wrong, f"condition, (hits, errors) compiled, as tested by the session: {wrong[:5]}"
    return slow, notes


def test_random_conditions_hold_as_often_as_the_session_says(ebb, tmp_path):
    seed = datetime.date.today().toordinal()
    print(f"seed {seed}")
    maker = ConditionMaker(seed)
    conditions = [maker.truth(at % 4) for at in range(300)]
    hits, notes = compare(ebb, tmp_path, conditions)
    assert sum(0 < n < ROUNDS for n in hits) > 100, hits
    assert set(notes.values()) <= {"casts an object inside of ?:"} and len(notes) < 30, notes


def test_each_kind_of_step_by_itself(ebb, tmp_path):
    conditions = ConditionMaker.TRUTHS + [f"{one} == {other}" for one in ConditionMaker.INTEGERS for other in ("i", "7")]
    conditions += [f"{one} {op} f" for one in ConditionMaker.REALS for op in ("<", ">=", "!=")]
    conditions += [f"({kind}) {value} == {value}" for kind in ("byte", "char", "short", "int", "long", "float", "double") for value in ("i", "j", "f", "d")]
    hits, notes = compare(ebb, tmp_path, conditions)
    assert sum(0 < n < ROUNDS for n in hits) > 100, hits
    assert not notes


def test_what_is_not_compiled_is_said_once_and_tested_all_the_same(ebb, tmp_path):
    line = program_for(tmp_path, 8)
    slow = {"t.hashCode() == 0": "calls a method", "$n == k": "uses a variable of the debugger", "(t + k).isEmpty()": "joins strings",
            "(i = k) == 3": "changes something", "new int[2].length == k": "makes an object"}
    commands = ["break Cond.set", "run", "disable 1", "set $n = 5"]
    for at, condition in enumerate(slow):
        commands += [f"break Cond.java:{line + at} if {condition}", f"ignore {at + 2} 1000000"]
    commands += [f"break Cond.java:{line + 5} if k == 3", "condition 7 k == 4", "condition 7 t.trim() == t", "condition 7", f"ignore 7 1000000"]
    done = run(ebb, tmp_path, [*commands, "break Cond.finished", "continue", "info breakpoints"])
    assert slow_ones(done) == {**{at + 2: why for at, why in enumerate(slow.values())}, 7: "calls a method"}
    assert (done.stdout + done.stderr).count("so each hit costs a stop") == 6
    assert hit_counts(done)[1:7] == [5, 1, 0, 1, 1, ROUNDS]  # where it fails, it counts


def test_ignored_hits_are_counted_wherever_the_program_stops(ebb, tmp_path):
    line = program_for(tmp_path, 8)
    done = run(ebb, tmp_path, [
        "break Cond.main", "run",
        f"break Cond.java:{line}", "ignore 2 5",                     # no condition
        f"break Cond.java:{line} if k % 2 == 0", "ignore 3 100",     # the same place: told where the other one is
        f"break Cond.java:{line + 1} if bi > 0", "ignore 4 100",     # null: the session has to look
        f"break Cond.java:{line + 2} if k == 7",
        "continue", "info breakpoints",                              # at 2, k == 5
        "delete 2", "continue", "print k", "info breakpoints",       # at 5
        "ignore 3 0", "continue", "print k", "info breakpoints",     # at 3, k == 8
        "ignore 3 3", "next", "next", "next", "info breakpoints",    # steps over the others
        "delete 5", "continue", "print k", "ignore 3 1000", "continue", "info breakpoints"])  # to its end
    assert done.returncode == 0, done.stderr
    tables = [[int((re.search(r"already hit (\d+) time", part) or [0, 0])[1]) for part in re.split(r"^\d+ +breakpoint ", table, flags=re.M)[1:]]
              for table in done.stdout.split("Num ")[1:]]
    assert re.findall(r"^\$\d+ = (\d+)$", done.stdout, re.M) == ["7", "8", "16"]
    positive = [k for k in range(ROUNDS) if k % 6 == 0 or [0, 1, -1, 7, -2**31, 2**31 - 1, 255, -128, 65535, 1 << 20, -12345, 31][(k + 3) % 12] > 0]
    count = lambda end: sum(k < end for k in positive)
    assert tables == [[1, 6, 3, count(5), 0], [1, 4, count(8), 1], [1, 5, count(8), 1], [1, 5, count(9), 1], [1, 12, count(ROUNDS)]]


def test_backward_and_temporary_ones(ebb, tmp_path):
    line = program_for(tmp_path, 8)
    for condition in ("k == 3 || fi > 5000", "$slow && (k == 3 || fi > 5000)"):
        done = run(ebb, tmp_path, [
            "break Cond.finished", "run", "set $slow = true", f"break Cond.java:{line} if {condition}", "ignore 2 1",
            "reverse-continue", "print k", "reverse-continue", "print k", "info breakpoints", "ignore 2 50", "continue", "info breakpoints",
            "delete", f"tbreak Cond.java:{line + 1} if k == 9", "reverse-continue", "print k", "info breakpoints"])
        assert done.returncode == 0, done.stderr
        assert re.findall(r"^\$\d+ = (\d+)$", done.stdout, re.M) == ["10", "3", "9"]  # that at 22 is ignored
        assert re.findall(r"already hit (\d+) time", done.stdout) == ["1", "3", "2", "5"]
        assert "No breakpoints" in done.stdout


WATCHED = """
public class Watched {
    static int count; static double real; int field; static int sink;
    void write(int k) {
        int local = k * 3;
        field = local % 7; // @one
        sink++;
        count += k % 4 - 1;
        real = k % 5 == 0 ? Double.NaN : k / 3.0;
        sink += local;
        other(k);
    }
    void other(int n) {
        count = (count ^ n) & 3;
        field++;
    }
    public static void main(String[] args) {
        Watched w = new Watched();
        for (int k = 0; k < 40; k++)
            w.write(k);
        System.out.println(count + " " + w.field);
    }
}
"""


def watch(ebb, folder, *commands):
    """What is told of watchpoints until the program ends, and how often it stopped for a point."""
    commands = ["set $slow = true", "break Watched.write", "run", "delete", *commands, *["continue"] * 150]
    words = [word for command in commands for word in ("-e", command)]
    done = ebb(["run", "--batch", *words, "--", JAVA, "-cp", str(folder), "Watched"], timeout=200, env={"EBB_LOG": "agent"})
    assert "exited normally" in done.stdout, done.stdout + done.stderr
    told = re.findall(r"^(?:\w+ watchpoint \d|Old value|New value|Error|\d+@).*", done.stdout, re.M)
    return told, done.stderr.count("stop: point")


def test_watchpoints_with_conditions_tell_the_same_values(ebb, tmp_path):
    compile_java(tmp_path, "Watched", WATCHED)
    passed_by = 0
    for expression, condition in [("Watched.count", "Watched.count == 0"), ("Watched.count", "Watched.count > 1 && Watched.count % 2 == 1"), ("field", "field == 0"),
                                  ("field", "this.field > 5"), ("Watched.real", "Watched.real != Watched.real"), ("Watched.real", "Watched.sink > 400"),
                                  ("Watched.count", "k / (k - 7) == 1"), ("Watched.count", "true & k == 17"), ("-l field", "field * 2 > k")]:
        fast, n_fast = watch(ebb, tmp_path, f"watch {expression} if {condition}")
        slow, n_slow = watch(ebb, tmp_path, f"watch {expression} if $slow && ({condition})")
        assert fast == slow, (expression, condition)
        assert any("New value" in line for line in fast), condition
        passed_by += n_slow - n_fast
    assert passed_by > 200


def test_a_second_watchpoint_sees_what_the_first_one_passed_by(ebb, tmp_path):
    compile_java(tmp_path, "Watched", WATCHED)
    both = [watch(ebb, tmp_path, f"watch Watched.count if {slow}(Watched.count == 0)", "continue", "continue", f"watch field if {slow}(field == 3)")[0]
            for slow in ("", "$slow && ")]
    assert both[0] == both[1] and any("watchpoint 3" in line for line in both[0])


SCOPES = """
public class Scopes {
    static int limit = 5;
    static class Box {
        static int limit = -100;
        int n;
        void add(int k) { n += k; }
    }
    static void fill(Box b) {
        int most = 1000;
        for (int i = 0; i < 9; i++)
            b.add(i % 4);
        fill(b, most);
    }
    static void fill(Box box, int most) {
        box.add(most);
    }
    static Box made(int most) {
        Box own = new Box();
        own.add(1); // @made
        return own;
    }
    public static void main(String[] args) {
        Box box = made(3);
        box.n = 0;
        int most = 9;
        fill(box); // @main
        System.out.println(box.n); // @end
    }
}
"""
WAYS = {"machine": [], "stock": ["--jvm", "stock"]}


@pytest.fixture(params=WAYS)
def scopes(request, ebb, tmp_path):
    """scopes(commands) -> the changes that watchpoints told, and all that was said; on ebb's machine and on a stock JVM"""
    compile_java(tmp_path, "Scopes", SCOPES)
    lines = {line.split("@")[1]: n for n, line in enumerate(SCOPES.splitlines(), 1) if "// @" in line}

    def run(*commands):
        words = [word for c in commands for word in ("-e", re.sub(r"@(\w+)", lambda m: f"Scopes.java:{lines[m[1]]}", c))]
        done = ebb(["run", *WAYS[request.param], "--batch", *words, "--", JAVA, "-cp", str(tmp_path), "Scopes"], timeout=200)
        return re.findall(r"^Old value = (.*)\nNew value = (.*)", done.stdout, re.M), done.stdout + done.stderr
    run.way = request.param
    return run


def test_names_mean_what_they_meant_where_the_watchpoint_was_set(scopes):
    """A variable of the caller's; one that another function of that name has, too; a static that the writer's class has, too."""
    for condition in ("box.n > most", "box.n > limit + 4", "box.n > Scopes.limit + 4"):
        changes, said = scopes("break @main", "run", f"watch box.n if {condition}", "continue", "continue")
        assert changes == [("9", "12"), ("12", "1012")], said
        assert "No symbol" not in said


def test_going_back_names_mean_the_same(scopes):
    if scopes.way == "stock":
        pytest.skip("a stock JVM keeps no history")
    changes, said = scopes("break @end", "run", "watch box.n if box.n > most && box.n > limit", "reverse-continue", "reverse-continue")
    assert changes == [("1012", "12"), ("12", "9")], said


def test_a_name_that_means_nothing_there_is_refused(scopes):
    for wrong in (["watch box.n if k == 3"], ["watch box.n if most == 9", "condition 2 k == 3"]):
        assert 'No symbol "k" in current context.' in scopes("break @main", "run", *wrong)[1]


def test_one_whose_frame_is_gone_stops(scopes):
    changes, said = scopes("break @made", "run", "next", "watch own.n if most > 100", "delete 1", "continue")
    assert "Watchpoint condition cannot be tested in the current scope" in said
    assert changes == [("1", "0")], said


def test_a_field_of_all_objects_has_conditions_about_the_writer(scopes):
    changes, said = scopes("break @main", "run", "watch Scopes$Box.n if k == 3 && n > 8", "continue")
    assert len(changes) == 1 and changes[0][1].startswith("12 in"), said


def test_finish_in_a_recursion_stops_in_its_own_frame_only(ebb, tmp_path):
    compile_java(tmp_path, "Deep", """
        public class Deep {
            static int fib(int n) {
                if (n < 2)
                    return n;
                int a = fib(n - 1);
                return a + fib(n - 2);
            }
            public static void main(String[] args) {
                System.out.println(fib(15));
            }
        }
    """)
    words = [word for command in ("break Deep.fib if n == 14", "run", "delete", "finish", "info locals", "continue") for word in ("-e", command)]
    done = ebb(["run", "--batch", *words, "--", JAVA, "-cp", str(tmp_path), "Deep"], timeout=100, env={"EBB_LOG": "agent"})
    assert "Value returned" in done.stdout or "Run till exit" in done.stdout, done.stdout
    assert "610" in done.stdout and done.stderr.count("stop: point") <= 3, done.stderr
