"""Expressions in frames of a real Java program: ebb evaluates the same texts as the program itself does at the same places."""
import subprocess

import pytest

from java_source import javac

# Where a frame is, and what is evaluated there: by javac's code, and by ebb.
FRAMES = {
    "inner": """
        number
        captured + number
        outerField
        Eval.this.outerField + this.number
        Inner.this.number
        STATIC
        Eval.STATIC
        inherited
        super.inherited
        super.describe()
        describe()
        twice(number)
        twice(2.5)
        outerMethod("x")
        staticMethod(3, 4)
        staticMethod()
        parameter.get(1)
        parameter.get(1).length()
        parameter.get(0) + parameter.size()
        parameter.contains("b")
        new Inner(9).number
        new Eval().outerField
        shadowed
        this.shadowed
        Eval.this.shadowed
        CONSTANT
        Limits.CONSTANT
        Math.max(number, 3L)
        Integer.valueOf(77).equals(77)
        String.valueOf(number) + 'c' + 1.0f + null + true
        String.format("%d %s %5.2f", number, parameter, 2.5)
        String.join("-", parameter)
        Color.GREEN.ordinal()
        Color.valueOf("BLUE").label()
        Color.values().length
        Color.RED.compareTo(Color.BLUE)
        new int[]{1, 2, 3}[1]
        new String[][]{{"a"}, {"b", "c"}}[1].length
        parameter instanceof java.util.ArrayList
        parameter instanceof java.util.RandomAccess
        (Object) parameter instanceof Integer
        getClass() == Inner.class
        getClass().getName()
        int[].class.getName()
        Limits.helper(3)
        defaulted()
        Limits.super.defaulted()
        compare(1, 2)
        varied(1)
        varied(1, 2, 3)
        varied("s")
        varied(parameter)
        varied((Object) null)
        varied('c')
        varied(1L)
        varied(1.5f)
        varied(Integer.valueOf(3))
        varied(null, null)
        privateMethod()
        secret
        parameter.get(0).charAt(0) + 1
        (char) (parameter.get(0).charAt(0) + 1)
        parameter.isEmpty() ? "none" : parameter.get(0)
        number > 3 && parameter != null || STATIC == null
        1 << number | 5 & ~2
        -7 / 2 + -7 % 3
        (byte) 300 + (short) 70000 + (int) 3e10
        0.1 + 0.2
        1 / 3f
        Double.MIN_VALUE
        Float.MAX_VALUE
        Long.MIN_VALUE
        Long.toHexString(-1L >>> 4)
        "\\u20ac".length() + "\\ud83d\\ude00".length()
        new StringBuilder("abc").append(5).append('x').reverse()
        boxed + 1
        boxed == 42
        boxed.hashCode()
        map.get("k")
        map.get("k") + 1
        map.entrySet().iterator().next().getKey()
        array[array.length - 1]
        array[boxed - 41]
        matrix[1][0]
        matrix[0].length
        generic.value
        generic.get().length()
        generic.get().toUpperCase()
        parameter.stream().filter(s -> s.length() > 1).count()
        parameter.stream().map(s -> s + captured + number).toList()
        parameter.stream().map(String::length).toList()
        parameter.stream().map(s -> outerMethod(s)).toList()
        parameter.stream().map(Eval.this::outerMethod).toList()
        parameter.stream().mapToInt(String::length).sum()
        parameter.stream().mapToInt(s -> s.charAt(0)).max().getAsInt()
        parameter.stream().flatMap(s -> parameter.stream().map(t -> s + t)).toList()
        parameter.stream().reduce("", (a, b) -> a + b)
        parameter.stream().collect(Collectors.toMap(s -> s, String::length))
        parameter.stream().collect(Collectors.groupingBy(String::length, TreeMap::new, Collectors.counting()))
        parameter.stream().sorted(Comparator.comparing(String::length).reversed()).toList()
        parameter.stream().sorted((a, b) -> b.compareTo(a)).toList()
        parameter.stream().anyMatch(s -> s.equals("bb") && captured == 21)
        parameter.stream().toArray(String[]::new).length
        parameter.stream().map(StringBuilder::new).map(b -> b.reverse()).toList()
        parameter.stream().map(Generic::new).map(g -> g.value).toList()
        parameter.stream().map(s -> s.length() > 1 ? s : null).toList()
        parameter.stream().collect(Collectors.toCollection(ArrayDeque::new)).size()
        Stream.iterate(1, x -> x * 3).limit(4).toList()
        IntStream.range(0, 5).mapToObj(i -> "n" + i).toList()
        IntStream.range(0, 5).filter(i -> i % 2 == captured % 2).boxed().toList()
        Arrays.stream(array).map(i -> i * i).sum()
        Arrays.stream(array).mapToObj(Integer::toString).toList()
        Arrays.stream(matrix).map(row -> row.length).toList()
        new TreeMap<String, Integer>(map).computeIfAbsent("new", k -> k.length())
        new TreeMap<String, Integer>(map).merge("k", 1, Integer::sum)
        map.entrySet().stream().map(e -> e.getKey() + e.getValue()).toList()
        Optional.of("abc").map(String::toUpperCase).filter(s -> s.startsWith("A")).orElseGet(() -> "none")
        Optional.<String>empty().map(String::length).orElseGet(() -> -captured)
        ((Function<Integer, Integer>) x -> x + number).apply(41)
        ((IntBinaryOperator) (a, b) -> a * b).applyAsInt(6, 7)
        ((IntBinaryOperator) Math::max).applyAsInt(6, 7)
        ((Supplier<String>) generic::get).get()
        ((Supplier<String>) () -> STATIC).get()
        ((Supplier<String>) super::describe).get()
        ((Supplier<String>) this::describe).get()
        ((Function<Integer, int[]>) int[]::new).apply(3).length
        ((Function<Integer, Inner>) Inner::new).apply(8).number
        ((Limited) (a, b) -> a + b).apply("x", 1)
        ((Limited) (String a, int b) -> b + a).twice("y")
        ((LongFunction<Byte>) x -> (byte) x).apply(300L)
        ((ToDoubleFunction<String>) s -> s.length()).applyAsDouble("abc")
        ((Comparator<String>) (a, b) -> a.length() - b.length()).compare("aaa", "b")
        chosen(() -> 5)
        chosen(() -> outerMethod("c"))
        chosen(x -> x)
        chosen((x, y) -> x)
        chosen(parameter::size)
        caught(s -> Integer.parseInt(s))
        caught(s -> s.length())
    """,
    "lambda": """
        captured
        captured * x
        x
        STATIC
        local
        local.length() + x
        ((IntUnaryOperator) y -> y * captured + x).applyAsInt(3)
        Stream.of(1, 2).map(y -> y + local).toList()
    """,
    "instance lambda": """
        y
        outerField
        this.outerField + y
        outerMethod("y")
        shadowed
        Stream.of("p", "q").map(this::outerMethod).toList()
        Stream.of("p", "q").map(s -> s + outerField + y).toList()
    """,
    "anonymous": """
        captured
        field
        outerField
        this.field + captured
        Eval.this.outerField
        run2(3)
        toString()
        inherited
        Stream.of(1, 2).map(this::run2).toList()
        Stream.of(1, 2).map(i -> i + captured + field + outerField).toList()
    """,
    "static": """
        args.length
        STATIC
        staticMethod(1, 2)
        new Eval().outerMethod("z")
        Eval.Color.RED
        Color.GREEN
        Stream.of(Color.values()).map(Color::label).toList()
        Stream.of(Color.values()).filter(c -> c != Color.RED).map(c -> c.ordinal() + args.length).toList()
    """,
}

SOURCE = r"""
import java.util.*;
import java.util.concurrent.Callable;
import java.util.function.*;
import java.util.stream.*;

public class Eval {
    enum Color { RED, GREEN, BLUE; String label() { return name().toLowerCase(); } }
    interface Limits {
        int CONSTANT = 99;
        static int helper(int x) { return x * 100; }
        default String defaulted() { return "default"; }
    }
    static class Generic<T> { T value; Generic(T value) { this.value = value; } T get() { return value; } }
    static class Base {
        int inherited = 11; private int shadowed = 1;
        String describe() { return "base"; }
    }
    static String STATIC = "static";
    int outerField = 5, shadowed = 2;

    static int staticMethod(int a, int b) { return a * 10 + b; }
    static int staticMethod() { return -1; }
    String outerMethod(String text) { return text + outerField; }
    static int twice(int x) { return 2 * x; }
    static double twice(double x) { return 2 * x; }
    int compare(int a, int b) { return a - b; }
    static String varied(int x) { return "int"; }
    static String varied(long x) { return "long"; }
    static String varied(double x) { return "double"; }
    static String varied(Object x) { return "Object"; }
    static String varied(String x) { return "String"; }
    static String varied(Integer x) { return "Integer"; }
    static String varied(List<?> x) { return "List"; }
    static String varied(Object... x) { return "Object..."; }
    interface Limited { String apply(String a, int b); default String twice(String a) { return apply(a, 2); } boolean equals(Object o); }
    static String chosen(Runnable r) { return "Runnable"; }
    static String chosen(Callable<?> c) throws Exception { return "Callable" + c.call(); }
    static String chosen(Function<String, String> f) { return "Function"; }
    static String chosen(BinaryOperator<String> f) { return "BinaryOperator" + f.apply("l", "r"); }
    static String caught(ToIntFunction<String> f) { try { return "" + f.applyAsInt("xyz"); } catch (NumberFormatException e) { return e.getMessage(); } }
    private String privateMethod() { return "private"; }

    class Inner extends Base implements Limits {
        int number; private int secret = 4; int shadowed = 3;
        Inner(int number) { this.number = number; }
        @Override String describe() { return "inner"; }
        public String defaulted() { return "own"; }
        void run(List<String> parameter, int captured) throws Exception {
            Integer boxed = 42; int[] array = {1, 2, 3}; int[][] matrix = {{1}, {2, 3}};
            Map<String, Integer> map = new TreeMap<>(Map.of("k", 8)); Generic<String> generic = new Generic<>("text");
            SAY inner
        }
    }

    void instanceLambda() {
        IntFunction<Integer> f = y -> {
            SAY instance lambda
            return y;
        };
        f.apply(6);
    }

    void anonymous(int captured) {
        new Base() {
            int field = 7;
            int run2(int x) { return x + field; }
            public String toString() { return "anonymous"; }
            void run() {
                SAY anonymous
                if (captured < 0) System.out.println(inherited);
            }
        }.run();
    }

    public static void main(String[] args) throws Exception {
        int captured = 21;
        Eval eval = new Eval();
        eval.new Inner(5).run(new ArrayList<>(List.of("a", "bb")), captured);
        String local = "local";
        IntUnaryOperator f = x -> {
            SAY lambda
            return captured + local.length() + x;
        };
        f.applyAsInt(4);
        eval.instanceLambda();
        eval.anonymous(captured);
        SAY static
    }
}
"""


def expressions(frame):
    return [line.strip() for line in FRAMES[frame].strip().splitlines()]


@pytest.fixture(scope="module")
def answers(workshop):
    """{(frame, expression): (what the program says, what ebb says)}"""
    from conftest import EBB
    folder = workshop / "java-eval"
    folder.mkdir(exist_ok=True)
    source = SOURCE
    for frame in sorted(FRAMES, key=len, reverse=True):
        says = " ".join(f'System.out.println("said {frame} | {n} | " + ({text}));' for n, text in enumerate(expressions(frame)))
        # A line of its own: one with lambdas stops in these, too.
        source = source.replace(f"SAY {frame}\n", f"int stop = 0; // here {frame}\n{says}\n")
    (folder / "Eval.java").write_text(source)
    javac("-g", "Eval.java", cwd=folder)
    lines = {text.split("// here ")[1]: n for n, text in enumerate(source.splitlines(), 1) if "// here " in text}
    commands = [f"break Eval.java:{lines[frame]}" for frame in FRAMES] + ["run"]
    for frame in FRAMES: # the program comes to them in this order
        for n, text in enumerate(expressions(frame)):
            commands += [f"echo ebb {frame} | {n} | ", f'print "" + ({text})']
        commands += ["continue"]
    done = subprocess.run([EBB, "run", "java", "-cp", folder, "Eval"], input="\n".join(commands) + "\n", capture_output=True, text=True, timeout=300)
    found = {}
    for line in (done.stdout + "\n" + done.stderr).splitlines():
        for who in ("said", "ebb"):
            if line.startswith(who + " ") and line.count(" | ") >= 2:
                frame, n, text = line[len(who) + 1:].split(" | ", 2)
                found[(who, frame, int(n))] = text
    return found, done


CASES = [(frame, n, text) for frame in FRAMES for n, text in enumerate(expressions(frame))]


@pytest.mark.parametrize("frame, n, text", CASES, ids=[f"{frame}: {text}" for frame, n, text in CASES])
def test_as_the_program_itself(answers, frame, n, text):
    found, done = answers
    ours = found.get(("ebb", frame, n), "nothing")
    ours = ours.split(" = ", 1)[1] if " = " in ours else ours
    said = found[("said", frame, n)]
    assert ours == '"' + said.replace("\\", "\\\\").replace('"', '\\"') + '"'
