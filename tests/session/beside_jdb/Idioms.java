import java.util.*;
import java.util.function.*;
import java.util.stream.*;

public class Idioms {
    interface Op { int ap(int a, int b); }
    interface Shape { double area(); default String kind() { return name() + "!"; } String name(); }
    record Circle(double r) implements Shape {
        Circle {
            if (r < 0)
                throw new IllegalArgumentException("r");
        }
        public double area() { return r * r * 3; }
        public String name() { return "circle"; }
    }
    record Square(double s) implements Shape {
        public double area() {
            return s * s;
        }
        public String name() { return "square"; }
    }
    enum Color {
        RED(1), GREEN(2) {
            @Override
            int weight() {
                return 20;
            }
        };
        final int n;
        Color(int n) { this.n = n; }
        int weight() { return n; }
    }
    sealed interface Node permits Leaf, Pair { }
    static final class Leaf implements Node { final int v; Leaf(int v) { this.v = v; } }
    static final class Pair implements Node {
        final Node a, b;
        Pair(Node a, Node b) {
            this.a = a;
            this.b = b;
        }
    }
    static abstract class Box<T extends Comparable<T>> {
        T held;
        abstract void put(T t);
        T get() { return held; }
    }
    static class IntBox extends Box<Integer> {
        @Override
        void put(Integer i) {
            held = i;
        }
        @Override
        Integer get() { return held + 1; }
    }
    static class Res implements AutoCloseable {
        final String name;
        Res(String name) { this.name = name; }
        public void close() {
            log("close " + name);
        }
    }
    static StringBuilder out = new StringBuilder();
    static int counter;
    int field = 3;
    { field += 2; }
    static void log(String s) {
        out.append(s).append(';');
    }
    static int twice(int x) {
        return x * 2;
    }
    static int sum(int... xs) {
        int s = 0;
        for (int x : xs)
            s += x;
        return s;
    }
    static int eval(Node n) {
        if (n instanceof Leaf l)
            return l.v;
        if (n instanceof Pair p)
            return eval(p.a) + eval(p.b);
        throw new IllegalStateException();
    }
    static String describe(Object o) {
        return o instanceof String s && s.length() > 2 ? "long " + s : "other";
    }
    static int days(String m) {
        switch (m) {
        case "feb":
            return 28;
        case "apr": case "jun":
            return 30;
        default:
            return 31;
        }
    }
    static int pick(Color c) {
        return switch (c) {
            case RED -> 10;
            case GREEN -> {
                int w = c.weight();
                yield w + 1;
            }
        };
    }
    static int risky(int n) throws Exception {
        try {
            if (n == 0)
                throw new Exception("zero");
            return 10 / n;
        } finally {
            counter++;
        }
    }
    static int guarded(int n) {
        try {
            return risky(n);
        } catch (Exception e) {
            log(e.getMessage());
            return -1;
        }
    }
    static void resources() {
        try (Res a = new Res("a"); Res b = new Res("b")) {
            log("in");
        }
    }
    static void loops() {
        int n = 0;
        outer:
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                if (j == 2)
                    continue outer;
                if (i == 2)
                    break outer;
                n += i * j;
            }
        }
        while (n < 3)
            n++;
        do {
            n--;
        } while (n > 1);
        log("n" + n);
    }
    static void lambdas() {
        Op add = (a, b) -> a + b;
        Op mul = (a, b) -> {
            int r = a * b;
            return r;
        };
        int x = add.ap(2, 3) + mul.ap(2, 3);
        IntUnaryOperator f = Idioms::twice;
        x += f.applyAsInt(x);
        Supplier<Idioms> make = Idioms::new;
        x += make.get().field;
        log("x" + x);
    }
    static void streams() {
        List<String> names = Arrays.asList("b", "a", "c");
        String all = names.stream()
            .filter(s -> !s.equals("b"))
            .map(s -> s + s)
            .collect(Collectors.joining(","));
        log(all);
        names.forEach(s ->
            log(s));
    }
    static void inner() {
        final int base = 7;
        class Local {
            int more(int k) {
                return base + k;
            }
        }
        Comparator<Integer> c = new Comparator<Integer>() {
            @Override
            public int compare(Integer a, Integer b) {
                return b - a;
            }
        };
        Integer[] xs = {1, 3, 2};
        Arrays.sort(xs, c);
        log("" + xs[0] + new Local().more(1));
    }
    static synchronized void locked() {
        Object lock = new Object();
        synchronized (lock) {
            counter++;
        }
    }
    static void exprs() {
        int a = 5;
        int b = a > 3
            ? twice(a)
            : twice(-a);
        boolean t = a > 1 &&
            b > 2 &&
            twice(b) > 3;
        String s = "a" + a
            + "b" + b
            + t;
        int[] arr = {1,
            twice(2),
            3};
        arr[1] += twice(arr[0]++);
        long l = a;
        l <<= 3;
        Object o = l;
        log(s + arr[1] + o);
        assert a > 0 : "never";
    }
    static void boxes() {
        Box<Integer> box = new IntBox();
        box.put(4);
        int v = box.get();
        log("v" + v);
    }
    public static void main(String[] args) throws Exception {
        Shape[] shapes = {new Circle(2), new Square(3)};
        double total = 0;
        for (Shape s : shapes)
            total += s.area();
        log(shapes[0].kind() + total);
        log(shapes[0].toString());
        for (Color c : Color.values())
            counter += pick(c);
        log("" + eval(new Pair(new Leaf(1), new Pair(new Leaf(2), new Leaf(3)))));
        log(describe("hello") + describe(3));
        counter += days("feb") + days("jun") + days("x");
        counter += guarded(0) + guarded(5);
        resources();
        loops();
        lambdas();
        streams();
        inner();
        locked();
        exprs();
        boxes();
        counter += sum() + sum(1, 2, 3);
        try {
            new Circle(-1);
        } catch (IllegalArgumentException e) {
            log("bad");
        }
        Iterator<Integer> it = new Iterator<>() {
            int i = 0;
            public boolean hasNext() { return i < 2; }
            public Integer next() { return i++; }
        };
        while (it.hasNext())
            counter += it.next();
        for (int n : List.of(3, 4)) // all but its first turn begin in the middle of this line
            counter += n;
        for (String word : new TreeSet<>(List.of("b", "a"))) {
            String twice = word + word;
            if (twice.equals("aa"))
                continue;
            log(twice);
        }
        System.out.println(out + " " + counter);
    }
}
