#!/usr/bin/env python3
"""Random expressions of Java over given variables: the JDK's own compiler and machine compute them, and src/expr from their text.

    expr_java_random.py PROGRAM [SEED [COUNT]]

PROGRAM is expr_java_random.c's.  One javac, one java: a few seconds.  The seed is printed, and the same seed makes the same
expressions; without one it is a new one each day, so that years of testing see more than one set."""
import datetime
import subprocess
import sys
import tempfile
from pathlib import Path

from expr_maker import JavaMaker

VARIABLES = """
    static boolean z = true; static byte b = -128; static char c = 'x'; static short s = -32768; static int i = Integer.MIN_VALUE;
    static int k = 12345; static long j = -1234567890123456789L; static float f = 3.14159274f; static double d = -1e100;
    static double nan = Double.NaN; static Integer bi = 42; static Double bd = 0.1; static Character bc = '\\u20ac';
    static Boolean bz = false; static String t = new String("text"); static String n = null; static Object o = 77L;
    static int[] a = {-7, 0, 7};
"""
SHOW = """
    static void show(String type, Object value) {
        StringBuilder out = new StringBuilder(type).append(' ');
        for (char unit : String.valueOf(value).toCharArray())
            out.append(unit >= 0x20 && unit < 0x7f ? String.valueOf(unit) : String.format("\\\\u%04x", (int) unit));
        System.out.println(out);
    }
    static void show(boolean x) { show("boolean", x); } static void show(byte x) { show("byte", x); }
    static void show(char x) { show("char", (int) x); } static void show(short x) { show("short", x); }
    static void show(int x) { show("int", x); } static void show(long x) { show("long", x); }
    static void show(float x) { show("float", x); } static void show(double x) { show("double", x); }
    static void show(String x) { show("java.lang.String", x); }
"""
INTEGERS = ["b", "c", "s", "i", "k", "j", "bi", "bc", "a[1]", "a[2]", "a[a.length - 1]", "a.length", "t.length()"]
INTEGER_LITERALS = ["0", "1", "7", "-1", "255", "0x7fffffff", "0xffffffff", "-2147483648", "2147483647", "1L", "0x8000000000000000L", "077", "0b1010",
                    "1_000_000", "9223372036854775807L", "'a'", "'\\u20ac'", "'\\n'", "'\\''", "'\\\\'", "'\\101'"]
TEXTS = ['t', 'n', '"a"', '""', '"\\u20ac\\ud83d\\ude00"', '"q\\"\\\\\\t\\0"']
INTEGER_TYPES = ["byte", "char", "short", "int", "long"]


class ValueMaker(JavaMaker):
    SHARE = 0.6
    REALS = ["f", "d", "nan", "bd"]
    REAL_LITERALS = ["1.5", "0.1f", "1e10", "0x1.8p3", "100.f", "1e-5", "3d", "2f", ".5", "1e23", "4.9e-324", "1.4e-45f", "123456789.0", "1e7", "1e-3f"]
    TRUTHS = ["z", "bz", "true", "false", "(t == n)", "(n == null)", "(o instanceof Long)", "(o instanceof Integer)", "(t instanceof Comparable)"]

    def integer(self, depth):
        if depth <= 0:
            return self.leaf(INTEGERS, INTEGER_LITERALS, self.SHARE)
        inner = lambda: self.integer(depth - 1)
        kind = self.random.randrange(11)
        if kind < 4:
            return f"({inner()} {self.pick('+', '-', '*', '&', '|', '^')} {inner()})"
        if kind == 4:
            return f"({inner()} {self.pick('/', '%')} {inner()})"
        if kind == 5:
            return f"({inner()} {self.pick('<<', '>>', '>>>')} {inner()})"
        if kind == 6:
            return f"{self.pick('-', '~', '+')} {inner()}"
        if kind == 7:
            return f"(({self.random.choice(INTEGER_TYPES)}) (+ {self.number(depth - 1)}))"
        if kind == 8:
            return f"({self.truth(depth - 1)} ? {inner()} : {inner()})"
        if kind == 9:
            return f"((long) o {self.pick('+', '-')} {inner()})"
        return inner()

    def text(self, depth):
        if depth <= 0:
            return self.random.choice(TEXTS)
        other = self.pick(self.number, self.truth, self.text, self.real)(depth - 1)
        kind = self.random.randrange(4)
        if kind == 0:
            return f"({self.text(depth - 1)} + {other} + {self.number(depth - 1)})"
        if kind == 1:
            return f"({other} + {self.text(depth - 1)})"
        if kind == 2:
            return f"({self.truth(depth - 1)} ? {self.text(depth - 1)} : {self.text(depth - 1)})"
        return f"({self.text(depth - 1)} + {other} + bi + null + bz + bd)"

    def any(self, depth):
        return self.random.choice([self.integer, self.integer, self.real, self.truth, self.text])(depth)


def compute(expressions, folder):
    """One line for each, by the JDK."""
    cases = "".join(
        f"    static void c{at}() {{ try {{ show({text}); }} catch (ArithmeticException e) {{ System.out.println(\"! \" + e); }} }}\n"
        for at, text in enumerate(expressions))
    calls = "".join(f"        c{at}();\n" for at in range(len(expressions)))
    source = folder / "Random.java"
    source.write_text(f"public class Random {{{VARIABLES}{SHOW}{cases}    public static void main(String[] args) {{\n{calls}    }}\n}}\n")
    # Some of them mean little: a constant may be divided by zero.
    subprocess.run(["javac", "-nowarn", "-Xlint:none", "-d", folder, source], check=True, timeout=100)
    return subprocess.run(["java", "-Xshare:auto", "-cp", folder, "Random"], check=True, capture_output=True, text=True, timeout=100).stdout.splitlines()


def main():
    program = sys.argv[1]
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else datetime.date.today().toordinal()
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 600
    print(f"seed {seed}")
    maker = ValueMaker(seed)
    expressions = [maker.any(at % 5) for at in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        theirs = compute(expressions, Path(folder))
    ours = subprocess.run([program], input="\n".join(expressions) + "\n", check=True, capture_output=True, text=True, timeout=100).stdout.splitlines()
    assert len(theirs) == len(ours) == count, (len(theirs), len(ours))
    wrong = [(text, a, b) for text, a, b in zip(expressions, theirs, ours) if a != b]
    for text, a, b in wrong[:10]:
        print(f"{text}\n  Java: {a}\n  ebb:  {b}")
    print(f"{count} expressions, {len(wrong)} of them wrong")
    return 1 if wrong else 0


sys.exit(main())
